//! A session at one game: what is typed line by line, what it means, what may come next, and the hints while typing.
//! Pure: what a line asks for is returned as data, and the caller, who has the terminal, the files and the mail,
//! carries it out.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use postrider_kernel::text::printable;
use postrider_kernel::{Next, Side};
use postrider_referee::desk::examples::with_examples;
use postrider_referee::desk::{Desk, EntryRequest, Refusal, completed, refused};
use postrider_referee::judging::{Beside, Table};
use postrider_referee::record::Time;
use postrider_referee::sealing::{KeyStore, Owner};
use postrider_referee::verdict::Opened;

#[cfg(test)]
mod tests;

/// A command of a session: its name, its arguments, and what it does.
pub type Command = (&'static str, &'static str, &'static str);

/// Puts the word for a throw or a draw in the place of all that may come of it, among what may be entered at a table.
pub type Chance = fn(&dyn Table, Vec<String>) -> Vec<String>;

/// The commands of a session: their name, their arguments, and what they do. None of them is an action of a game.
pub const COMMANDS: [Command; 20] = [
    ("board", "", "show the board again"),
    ("moves", "[BEGINNING]", "what may be entered, or what may come next"),
    ("message", "[TEXT]", "goes with your next entry; without TEXT none does"),
    ("if", "THEIRS then YOURS", "prepare a reply: if they play this, you answer that"),
    ("answer", "", "make the entry that is forced, or that you prepared"),
    ("undo", "", "take back the last action typed, or your unsent entry"),
    ("send", "", "mail your last entry"),
    ("mail", "", "fetch mail"),
    ("rules", "[RULE]", "print the rules, or one of them: `rules T21`"),
    ("clock", "", "show the clocks"),
    ("log", "", "list the entries so far"),
    ("position", "", "show the position as one line"),
    ("words", "", "describe the position in words"),
    ("compact", "", "draw the board in few lines, or in full again"),
    ("turn", "", "turn the board"),
    ("next", "", "go to the next game that waits for you"),
    ("status", "", "list your games"),
    ("invite", "NAME <MAIL> GAME", "begin a game; `invite list` lists those of others"),
    ("help", "", "list these commands"),
    ("quit", "", "end the session"),
];

/// Commands of the program that may be typed without its name, where no game has an action of this word.
const OF_PROGRAM: [&str; 7] = ["accept", "decline", "learn", "play", "practice", "review", "setup"];

/// What a line asks for.
#[derive(Debug)]
pub enum Step {
    /// Nothing: the line was empty, or only changed the state of the session.
    Nothing,
    /// Show this text.
    Say(String),
    /// These actions begin an entry, which must or may continue.
    Begun {
        /// The actions so far.
        actions: String,
        /// What may come next.
        next: Rc<Next>,
    },
    /// What was added to a beginning is refused; the beginning is kept.
    Refused(Box<Refusal>),
    /// Make this the next entry.
    Enter {
        /// The actions as typed.
        actions: String,
        /// The message that goes with it.
        message: Option<String>,
    },
    /// Make the entry that is forced or foreseen.
    Answer,
    /// List what may be entered, or what may follow this beginning.
    Moves(String),
    /// The other side's entry, the reply to it, and so on; empty to list what is foreseen.
    If(Vec<String>),
    /// Show the rules, or this rule.
    Rules(String),
    /// Run this command line of the program, as its own messages advise; it begins with the program's name.
    Program(String),
    /// Run one of the other commands, by its name, with what is typed behind it.
    Command(&'static str, String),
}

/// The hint after the cursor while a line is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The text of the hint.
    pub text: String,
    /// The completion of the line, if there is only one.
    pub completion: Option<String>,
}

/// A game and its player.
pub struct Session<'a> {
    /// The game. Its table already knows what only the player may see.
    pub desk: Desk<'a>,
    /// The game after the openings at the beginning of the player's entry, if there are any.
    after: Option<Box<dyn Table>>,
    /// The player's side, if it is known.
    own: Option<Side>,
    /// Whether the next entry is entirely forced.
    forced: bool,
    /// The time for which entries are tried.
    now: Time,
    /// The actions of the entry that has been begun.
    begun: String,
    message: Option<String>,
    /// What may follow the beginning that was asked about last.
    seen: RefCell<Option<(String, Rc<Next>)>>,
    commands: &'static [Command],
    chance: Option<Chance>,
}

impl<'a> Session<'a> {
    /// Starts a session. `after` is the game after the openings at the beginning of the player's entry, if there are
    /// any.
    #[must_use]
    pub fn new(desk: Desk<'a>, after: Option<Box<dyn Table>>, own: Option<Side>, forced: bool, now: Time) -> Self {
        let (begun, message, seen) = (String::new(), None, RefCell::new(None));
        Self { desk, after, own, forced, now, begun, message, seen, commands: &COMMANDS, chance: None }
    }

    /// The same for somebody who plays alone, with these commands; what is thrown and drawn is not the player's to choose.
    #[must_use]
    pub fn alone(self, commands: &'static [Command], chance: Chance) -> Self {
        Self { commands, chance: Some(chance), ..self }
    }

    /// Returns whether its player plays alone.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.chance.is_some()
    }

    /// Returns the player's side, if it is known.
    #[must_use]
    pub fn own(&self) -> Option<Side> {
        self.own
    }

    /// Returns the commands that may be typed.
    #[must_use]
    pub fn commands(&self) -> &'static [Command] {
        self.commands
    }

    /// Returns whether a line that begins with this word, in lower case, is no part of an entry.
    #[must_use]
    pub fn is_command(&self, word: &str) -> bool {
        word == "postrider" || self.named(word).is_some()
    }

    fn named(&self, lower: &str) -> Option<&'static Command> {
        self.commands.iter().find(|(name, ..)| *name == lower || is_short(lower, name))
    }

    /// Adds to the refusal of an entry what would be legal instead; not where chance decides some of that.
    #[must_use]
    pub fn with_examples(&mut self, refusal: Refusal, keys: &mut dyn KeyStore) -> Refusal {
        if self.is_alone() { refusal } else { with_examples(&mut self.desk.opened, refusal, keys) }
    }

    /// Returns whether the next entry is the player's to make: that of the player's own side, or any entry if both
    /// sides are entered here.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let standing = self.desk.opened.table.standing();
        standing.outcome.is_none() && self.own.is_none_or(|own| own == standing.due.side)
    }

    /// Returns whether the next entry is forced, so that nothing else can be entered.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.forced && self.is_due()
    }

    /// Returns the prompt: the number and side of the next entry, and how it begins.
    #[must_use]
    pub fn prompt(&self) -> String {
        let opened = &self.desk.opened;
        let standing = opened.table.standing();
        if standing.outcome.is_some() {
            return "over> ".into();
        }
        let word = opened.header.info.sides[standing.due.side.index()].word;
        let number = standing.entries.saturating_add(1);
        match (self.is_due(), self.begun.is_empty()) {
            (true, true) => format!("{number} {word}> "),
            (true, false) => format!("{number} {word} ...; "),
            (false, _) => format!("({word} due)> "),
        }
    }

    /// Returns the greeting: what may be typed, in a line or two.
    #[must_use]
    pub fn greeting(&self) -> String {
        let standing = self.desk.opened.table.standing();
        let sides = &self.desk.opened.header.info.sides;
        let due = sides[standing.due.side.index()];
        if standing.outcome.is_some() {
            let is_next = self.commands.iter().any(|(name, ..)| *name == "next");
            let on = if is_next { "`next` goes on" } else { "`undo` takes your last entry back" };
            return format!("the game is over; {on}, `quit` ends");
        }
        if self.is_forced() {
            return "your next entry is forced: Enter makes it".into();
        }
        if !self.is_due() {
            let waits = due.verb("are", "is");
            return format!(
                "{} {waits} due: `if THEIRS then YOURS` prepares a reply, `next` goes on, `help` lists more",
                due.named()
            );
        }
        match self.desk.opened.header.info.stepwise {
            true => "type your turn, or its actions one by one; Tab shows what may come, `help` lists more".into(),
            false => "type your move; Tab shows what may come, `help` lists more".into(),
        }
    }

    /// Returns the actions of the entry that has been begun; empty if none has.
    #[must_use]
    pub fn begun(&self) -> &str {
        &self.begun
    }

    /// Reads a line.
    pub fn line(&mut self, line: &str, keys: &mut dyn KeyStore) -> Step {
        let line = line.trim();
        if let Some(step) = self.command(line) {
            return step;
        }
        if line.is_empty() {
            return self.empty(keys);
        }
        let goes_on = line.ends_with(';');
        let typed = apart(line.trim_matches(|c: char| c == ';' || c.is_whitespace()));
        if typed.is_empty() {
            return self.empty(keys);
        }
        let all = joined(&self.begun, &typed);
        let stepwise = self.desk.opened.header.info.stepwise;
        if !self.is_due() {
            // The referee decides whose entry is due, and allows claims of time (E7).
            return self.enter(all);
        }
        // What the hint called whole is made: both ask the same question.
        if !stepwise
            && !goes_on
            && let Ok(Some(_)) = self.judge(&all, keys)
        {
            return self.enter(all);
        }
        let next = self.next(&all, keys);
        let one_by_one = stepwise && !(self.begun.is_empty() && typed.contains(';'));
        match next {
            Ok(next) if (!next.whole || goes_on || one_by_one) && !next.actions.is_empty() => {
                self.begun.clone_from(&all);
                Step::Begun { actions: all, next }
            }
            Ok(_) => self.enter(all),
            // Entering it gives the same refusal, with everything that is said about it.
            Err(_) if self.begun.is_empty() => self.enter(all),
            Err(refusal) => Step::Refused(Box::new(refusal)),
        }
    }

    /// Returns whether a line that begins with this word is a command of the program, and no action of the game.
    fn is_of_program(&self, line: &str, word: &str) -> bool {
        OF_PROGRAM.contains(&word) && self.desk.opened.table.read(line).is_err()
    }

    /// Returns the command that a line is; `None` if it is part of an entry.
    fn command(&mut self, line: &str) -> Option<Step> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if word == "postrider" {
            return Some(Step::Program(line.to_owned()));
        }
        let lower = word.to_ascii_lowercase();
        if self.is_of_program(line, &lower) {
            let family = if ["accept", "decline"].contains(&lower.as_str()) { "invite " } else { "" };
            return Some(Step::Program(format!("postrider {family}{line}")));
        }
        let (name, arguments, _) = self.named(&lower)?;
        let rest = rest.trim();
        Some(match *name {
            "message" => {
                self.message = Some(rest.to_owned()).filter(|text| !text.is_empty());
                Step::Say(match &self.message {
                    Some(_) => "the message goes with your next entry".into(),
                    None => "no message goes with your next entry".into(),
                })
            }
            "undo" if !self.begun.is_empty() => {
                self.begun = match self.begun.rsplit_once("; ") {
                    Some((begun, _)) => begun.to_owned(),
                    None => String::new(),
                };
                Step::Say(match self.begun.as_str() {
                    "" => "the turn starts again".into(),
                    begun => format!("the turn begins: {begun}"),
                })
            }
            "moves" => Step::Moves(joined(&self.begun, rest)),
            "rules" => Step::Rules(rest.to_owned()),
            "if" => {
                Step::If(rest.split(" then ").map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect())
            }
            "answer" => Step::Answer,
            "status" if rest.is_empty() => Step::Program("postrider status".to_owned()),
            "invite" => Step::Program(invitation(rest)),
            _ if arguments.is_empty() && !rest.is_empty() => {
                Step::Say(format!("`{name}` stands alone: `{}` is not understood", printable(rest)))
            }
            name => Step::Command(name, rest.to_owned()),
        })
    }

    /// What an empty line does: it makes what is forced, or ends a turn that was begun and may end.
    fn empty(&mut self, keys: &mut dyn KeyStore) -> Step {
        if self.begun.is_empty() {
            return match &self.after {
                _ if self.is_forced() => Step::Answer,
                Some(after) if self.is_due() => {
                    let next = after.standing().due.what;
                    Step::Say(format!("what you open is added to your entry, and shown already; type the rest: {next}"))
                }
                _ => Step::Nothing,
            };
        }
        match self.next(&self.begun, keys) {
            Ok(next) if !next.whole => Step::Begun { actions: self.begun.clone(), next },
            Ok(_) => self.enter(self.begun.clone()),
            Err(refusal) => Step::Refused(Box::new(refusal)),
        }
    }

    /// Asks for an entry to be made. What was begun is kept until the game moves on, so that a refusal loses nothing
    /// that was typed correctly.
    fn enter(&self, actions: String) -> Step {
        Step::Enter { actions, message: self.message.clone() }
    }

    /// Forgets what was begun.
    pub fn forget(&mut self) {
        self.begun.clear();
    }

    /// Returns what may follow the beginning of an entry; the beginning may be empty.
    ///
    /// # Errors
    /// Why the beginning is refused.
    pub fn next(&self, begun: &str, keys: &mut dyn KeyStore) -> Result<Rc<Next>, Refusal> {
        if let Some((_, next)) = self.seen.borrow().as_ref().filter(|(seen, _)| seen == begun) {
            return Ok(Rc::clone(next));
        }
        let table = &self.desk.opened.table;
        let mut next = match &self.after {
            Some(after) if begun.is_empty() => Next { actions: after.moves(), whole: false, ..Next::default() },
            _ if begun.is_empty() && !self.desk.opened.header.info.stepwise => {
                Next { actions: table.moves(), whole: false, ..Next::default() }
            }
            _ => {
                let typed = completed(&self.desk.opened, begun, keys)?;
                typed.next().map_err(|stop| refused(&self.desk.opened, begun, &Beside::default(), stop))?
            }
        };
        if let Some(chance) = self.chance {
            let after = match begun {
                "" => None,
                _ => completed(&self.desk.opened, begun, keys)?.seen(&Beside::to_try(&table.standing())),
            };
            next.actions = chance(after.as_deref().unwrap_or(table.as_ref()), std::mem::take(&mut next.actions));
        }
        let next = Rc::new(next);
        *self.seen.borrow_mut() = Some((begun.to_owned(), Rc::clone(&next)));
        Ok(next)
    }

    /// Returns the game after what has been begun, to be looked at; `None` if nothing has.
    pub fn so_far(&self, keys: &mut dyn KeyStore) -> Option<Box<dyn Table>> {
        if self.begun.is_empty() {
            return None;
        }
        let opened = &self.desk.opened;
        let standing = opened.table.standing();
        let mut after = completed(opened, &self.begun, keys).ok()?.seen(&Beside::to_try(&standing))?;
        let side = standing.due.side;
        let ground = opened.ground_at(after.as_ref(), side, keys.commits());
        let mut owner = Owner::new(&opened.header.id, opened.header.info.sides[side.index()].word, keys, ground);
        // What cannot be revealed is seen as the others see it.
        let _ = after.reveal_to_owner(side, &mut owner);
        Some(after)
    }

    /// Returns what may follow the beginning of an entry, as [`Self::next`] does; if its last action is none, the actions
    /// in its place that begin with the same characters, and true.
    ///
    /// # Errors
    /// Why the beginning is refused.
    pub fn beginning(&self, begun: &str, keys: &mut dyn KeyStore) -> Result<(Rc<Next>, bool), Refusal> {
        let refusal = match self.next(begun, keys) {
            Err(refusal @ Refusal::Entry(..)) => refusal,
            next => return Ok((next?, false)),
        };
        let (before, last) = begun.rsplit_once(';').unwrap_or(("", begun));
        let starting =
            self.next(before, keys).ok().and_then(|next| postrider_referee::desk::starting(&next, last.trim()));
        starting.map(|next| (Rc::new(next), true)).ok_or(refusal)
    }

    /// Returns the completions of the text before the cursor: where the completed part begins, in bytes, and the
    /// choices.
    pub fn complete(&self, line: &str, keys: &mut dyn KeyStore) -> (usize, Vec<String>) {
        let place = line.rfind(';').map_or(0, |place| place + 1);
        let (before, part) = line.split_at(place);
        let begins = place + part.len() - part.trim_start().len();
        let part = part.trim_start();
        let mut choices = Vec::new();
        if place == 0 && self.begun.is_empty() {
            let words = self.commands.iter().map(|(name, ..)| (*name).to_owned());
            choices.extend(words.filter(|word| !part.is_empty() && word.starts_with(part)));
        }
        if self.is_due()
            && let Ok(next) = self.next(&joined(&self.begun, before.trim_matches(|c: char| c == ';' || c == ' ')), keys)
        {
            let fits =
                |action: &&String| action.get(..part.len()).is_some_and(|start| start.eq_ignore_ascii_case(part));
            choices.extend(next.actions.iter().filter(fits).cloned());
        }
        choices.sort();
        choices.dedup();
        (begins, choices)
    }

    /// Returns the hint while a line is typed: how it may continue, that it is legal, or why it is refused.
    pub fn hint(&self, line: &str, keys: &mut dyn KeyStore) -> Option<Hint> {
        let typed = line.trim();
        if typed.is_empty() {
            return None;
        }
        let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let word = if word == "?" { "help" } else { word };
        if let Some((_, arguments, what)) = self.commands.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word)) {
            let shown = if rest.is_empty() { format!("{arguments} - {what}") } else { return None };
            return Some(Hint { text: shown.trim_start_matches([' ', '-']).to_owned(), completion: None });
        }
        if !self.is_due() || self.is_of_program(typed, &word.to_ascii_lowercase()) {
            return None;
        }
        let all = joined(&self.begun, &apart(typed.trim_matches(|c: char| c == ';' || c.is_whitespace())));
        let refusal = match self.judge(&all, keys) {
            Ok(Some(actions)) => {
                let text = match self.added(&all, &actions) {
                    Some(added) => format!("Enter makes it, with `{added}`"),
                    None => "Enter makes it".into(),
                };
                return Some(Hint { text, completion: None });
            }
            Ok(None) => return Some(Hint { text: "may continue: Enter shows how".into(), completion: None }),
            Err(refusal) => refusal,
        };
        let (begins, choices) = self.complete(line, keys);
        let rest = |choice: &String| choice.get(line.len().saturating_sub(begins)..).unwrap_or_default().to_owned();
        match choices.as_slice() {
            [] => Some(Hint { text: brief(&refusal), completion: None }),
            [one] => Some(Hint { text: rest(one), completion: Some(rest(one)) }),
            [one, others @ ..] => {
                let more = if others.len() == 1 { String::new() } else { format!(", {} more", others.len() - 1) };
                Some(Hint { text: format!("{one}, {}{more}", others[0]), completion: None })
            }
        }
    }

    /// Returns what the rules add to the actions that were typed ([`added`]).
    #[must_use]
    pub fn added<'t>(&self, typed: &str, actions: &'t str) -> Option<&'t str> {
        added(&self.desk.opened, typed, actions)
    }

    /// Returns the whole legal entry that these actions make; `None` if they are only the legal beginning of one.
    fn judge(&self, actions: &str, keys: &mut dyn KeyStore) -> Result<Option<String>, Refusal> {
        let stepwise = self.desk.opened.header.info.stepwise;
        if stepwise
            && let Ok(next) = self.next(actions, keys)
            && (!next.whole || !next.actions.is_empty())
        {
            return Ok(None);
        }
        let request = EntryRequest { actions, message: None, time: self.now, time_asked: false };
        match self.desk.actions(&request, keys) {
            Ok(actions) => Ok(Some(actions)),
            Err(_) if self.next(actions, keys).is_ok() => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Returns what the rules add to the typed actions, if anything: in Asalto the huff of a defender. Seals, salts and openings are
/// left out.
#[must_use]
pub fn added<'t>(opened: &Opened<'_>, typed: &str, actions: &'t str) -> Option<&'t str> {
    let count = |actions: &str| actions.split(';').filter(|action| !action.trim().is_empty()).count();
    let sealed = opened.table.seals().is_some();
    // The first entry may declare a key, which is said elsewhere.
    let key = actions.strip_prefix("key ").and_then(|rest| rest.split_once("; "));
    let actions = key.map_or(actions, |(_, rest)| rest);
    let places = actions.match_indices("; ").map(|(at, mark)| at + mark.len());
    let more = places.collect::<Vec<_>>();
    let from = *more.get(count(typed).checked_sub(1)?)?;
    actions.get(from..).filter(|_| !sealed && !opened.header.info.stepwise)
}

/// Separates an offer of a draw from the action before it, as `c4-c5 draw?` is meant: no action has a part of this name.
#[must_use]
pub fn apart(typed: &str) -> Cow<'_, str> {
    const OFFER: &str = "draw?";
    match typed.strip_suffix(OFFER).map(|before| (before, before.trim_end())) {
        Some((before, actions)) if !actions.is_empty() && !actions.ends_with(';') && before != actions => {
            Cow::Owned(format!("{}; {OFFER}", actions.trim_end_matches(',')))
        }
        _ => Cow::Borrowed(typed),
    }
}

/// The command line that invites somebody, or does what else is to be done with invitations. A name and an address need no quotes here.
#[must_use]
pub fn invitation(rest: &str) -> String {
    let is_quoted = rest.contains(['\'', '"']);
    match rest.split_once('>').or_else(|| rest.split_once(' ')).filter(|(who, _)| !is_quoted && who.contains('@')) {
        Some((who, game)) => {
            let end = if who.contains('<') { ">" } else { "" };
            format!("postrider invite '{who}{end}' {}", game.trim())
        }
        None if rest.is_empty() => "postrider invite list".to_owned(),
        None => format!("postrider invite {rest}"),
    }
}

/// Returns whether a word is the short form of a command: one letter, for the most common commands.
fn is_short(word: &str, name: &str) -> bool {
    matches!((word, name), ("?", "help") | ("q" | "exit", "quit") | ("n", "next") | ("b", "board"))
}

/// Joins two parts of an entry's actions.
fn joined(begun: &str, typed: &str) -> String {
    match (begun.is_empty(), typed.is_empty()) {
        (true, _) => typed.to_owned(),
        (false, true) => begun.to_owned(),
        (false, false) => format!("{begun}; {typed}"),
    }
}

/// Returns a refusal in one line: the rule, and why.
fn brief(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Entry(_, verdict) => verdict
            .errors
            .first()
            .map_or_else(|| refusal.to_string(), |error| printable(&error.to_string()).into_owned()),
        other => printable(&other.to_string()).into_owned(),
    }
}
