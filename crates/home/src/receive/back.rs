//! What is written back to the sender of a reply: drafted, or mailed if the settings say so.

use std::path::Path;

use super::event::Fate;
use super::receiving::Receiving;
use super::refusal::{Becomes, OfReply, Refusal};
use crate::entry::session::added;
use crate::office::{Trouble, name};
use crate::send::drafts::{draft_name, drafts};
use crate::send::letters;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::{capital, printable};
use postrider_kernel::{Side, Viewer};
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_mail::understand::{Meant, Understood};
use postrider_mail::{Draft, Letter, Party, Question, Style, draft, notice};
use postrider_referee::desk::Desk;
use postrider_referee::desk::examples::nearest_first;
use postrider_referee::verdict::Verdict;
use postrider_settings::PlainReplies;

/// How many answers about one mistake the program sends on its own, and how far apart, in seconds.
const MOST_NOTICES: (usize, i64) = (3, 3600);
/// How many answers about one entry it sends.
const MOST_ANSWERS: usize = 12;

/// A reply and the game it is about.
pub(super) struct Reply<'a> {
    pub(super) mail: &'a Mail,
    pub(super) desk: &'a Desk<'a>,
    pub(super) sender: Side,
    /// Who writes to the sender: name and address; nobody, if neither side is the player's and the settings name no address.
    pub(super) own: Option<(String, String)>,
    /// The message, for people.
    pub(super) from: String,
    /// The writer's own lines.
    pub(super) lines: &'a [String],
    /// Whether it is not certain that they are, and all of them.
    pub(super) unsure: bool,
}

/// To whom something is written, and what it answers.
struct To<'a> {
    side: Side,
    /// The name and the address of whoever writes.
    from: &'a (String, String),
    /// The lines that are quoted; `None` if no letter is answered.
    words: Option<&'a [String]>,
    subject: Option<String>,
    /// The message that is answered, with angle brackets.
    answers: Option<String>,
}

/// What is written back.
#[derive(Debug, Default)]
pub struct Back {
    /// What is said, in whole sentences.
    pub why: String,
    /// What can be tapped: the text of the reply, and what stands on it.
    pub taps: Vec<(String, String)>,
    /// Legal entries, the nearest first.
    pub moves: Vec<String>,
}

impl Back {
    /// What is written back if there is nothing to tap.
    pub fn of(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }
}

impl Receiving<'_> {
    /// Answers a reply from which nothing was entered: why is told here, and what its sender should know is written back.
    pub(super) fn refuse(&self, reply: &Reply<'_>, why: OfReply, back: Back) -> Result<Fate, Trouble> {
        let id = &*reply.desk.opened.header.id;
        self.refuses(Refusal::new(&*reply.from, Some(id), Becomes::Refused, why));
        self.write_back(reply, &back, "a reply saying so")?;
        Ok(Fate::Refused)
    }

    /// Tells the writer what was entered, where it was read from words, the letter said more, the rules added to it, or the game ended by it.
    pub(super) fn confirm(
        &self,
        reply: &Reply<'_>,
        desk: &Desk<'_>,
        meant: &Meant,
        (before, dice): (Option<&str>, Option<&str>),
    ) -> Result<(), Trouble> {
        let opened = &desk.opened;
        let standing = opened.table.standing();
        // What the rules add to a move is its price; an offer may have been put in words.
        let price = added(opened, &meant.words, &meant.actions).map(|price| price.trim_end_matches("; draw?"));
        let price = price.filter(|price| *price != "draw?");
        if !(meant.more || standing.outcome.is_some() || before.is_some() || dice.is_some() || price.is_some()) {
            return Ok(());
        }
        let name = printable(&opened.header.player(reply.sender.other()).name).into_owned();
        let mut why = format!("Entered as your entry {}: {}", standing.entries, printable(&meant.actions));
        why.push_str(
            &before.map(|before| format!(" (in place of {}).", printable(before))).unwrap_or_else(|| ".".to_owned()),
        );
        if let Some(price) = price {
            why.push_str(&format!(
                "\nBy the rules your move has a cost, which is part of the entry: {}.",
                printable(price)
            ));
        }
        if let Some(remark) = dice {
            let how = remark.trim_start_matches("# ").trim_end();
            why.push_str(&format!(
                "\nThe dice were thrown from your letter, and stand. They can be checked (the letter with the challenge gave the first SHA-256): {}.",
                printable(how)
            ));
        }
        match standing.outcome {
            Some(outcome) => why.push_str(&format!("\nThe game is over: {}.", outcome.text(&opened.header.info.sides))),
            None if dice.is_some() => {}
            None => why.push_str(&format!(
                "\nIf you meant something else, reply to this letter with the move that you meant, before {name} has answered."
            )),
        }
        let reply = Reply { desk, own: reply.own.clone(), from: reply.from.clone(), ..*reply };
        self.write_back(&reply, &Back::of(why), "a letter that says what was entered")
    }

    /// Writes to the sender of a reply: drafted, or sent if the settings say so. `what` is said of the letter here.
    pub(super) fn write_back(&self, reply: &Reply<'_>, back: &Back, what: &str) -> Result<(), Trouble> {
        let Reply { mail, desk, sender, own, lines, .. } = reply;
        let header = &desk.opened.header;
        let player = header.player(*sender);
        let Some(own) = own else { return Ok(()) };
        if self.ways.dry_run || mail.auto {
            return Ok(());
        }
        if mail.bulk && player.email.is_some() {
            // A list may have marked what a person wrote, and a program what it answers to everybody (RFC 3834).
            self.note(format!(
                "{}: the letter is marked as sent to many (`Precedence`), so no answer is sent by itself: write one yourself if it is due",
                header.id
            ));
            return Ok(());
        }
        let subject = if mail.subject.trim().is_empty() { None } else { Some(incoming::answering(&mail.subject)) };
        let answers = mail.message_id.as_ref().map(|id| format!("<{id}>"));
        let to = To { side: *sender, from: own, words: Some(lines), subject, answers };
        self.write_to(&to, desk, back, what)
    }

    /// Tells both players that the entry which one of them had announced by a letter is made: the program, in whose home neither plays.
    pub(super) fn tell_both(&self, desk: &Desk<'_>, resigned: Side) -> Result<(), Trouble> {
        let opened = &desk.opened;
        let header = &opened.header;
        let Some(from) = self.sender_of_answers(opened, None).filter(|_| !self.ways.dry_run) else { return Ok(()) };
        let standing = opened.table.standing();
        let outcome =
            standing.outcome.map(|outcome| format!(" The game is over: {}.", outcome.text(&header.info.sides)));
        let outcome = outcome.unwrap_or_default();
        let name = |side: Side| printable(&header.player(side).name).into_owned();
        for side in Side::BOTH {
            let why = match side == resigned {
                true => format!(
                    "You resigned by a letter, and {} has moved since. So your resignation is entered as entry {}.{outcome}",
                    name(side.other()),
                    standing.entries
                ),
                false => format!(
                    "{} resigned by a letter while you were to move. You have moved since, so that is entered as entry {}.{outcome}",
                    name(resigned),
                    standing.entries
                ),
            };
            let to = To { side, from: &from, words: None, subject: None, answers: None };
            self.write_to(&to, desk, &Back::of(why), &format!("a letter to {} that says so", name(side)))?;
        }
        Ok(())
    }

    /// Writes to a player: drafted, or sent if the settings say so.
    fn write_to(&self, to: &To<'_>, desk: &Desk<'_>, back: &Back, what: &str) -> Result<(), Trouble> {
        let opened = &desk.opened;
        let header = &opened.header;
        let entries = opened.table.standing().entries;
        let entry = entries.saturating_add(1);
        let player = header.player(to.side);
        let ((own_name, own), Some(address)) = (to.from, player.email.as_deref()) else { return Ok(()) };
        let digest = desk.digests.last().copied().unwrap_or_default();
        // A tapped reply refers to the position as it is now; the letter itself stays in the thread of the reply.
        let tapped = format!("Re: [pbem] {} #{entries} {}", header.id, postrider_mail::short_hex(&digest));
        let about = letters::newest_id(desk).unwrap_or_default();
        let cid = Letter::content_id(&header.id, entries, &digest);
        let question = Question {
            opened,
            scene: desk.scene(Viewer::Public),
            to: to.side,
            keeper: own_name,
            words: to.words,
            why: &back.why,
            taps: back.taps.clone(),
            moves: back.moves.clone(),
            begin: header.info.stepwise,
            reply_to: own,
            subject: &tapped,
        };
        let style = if self.settings.letter == Style::Block { Style::Text } else { self.settings.letter };
        let (text, html) = question.written(&cid, style);
        let letter = Draft {
            from: Party { name: own_name, address: own },
            to: Party { name: &player.name, address },
            subject: to.subject.as_ref().unwrap_or(&tapped),
            answers: to.answers.as_deref(),
            thread: Some(&about),
            when: self.now.utc().unwrap_or_default(),
            text: &text,
            html: html.as_ref(),
            cid: &cid,
        };
        let folder = drafts(self.settings);
        self.office
            .disk()
            .private_folder(&folder)
            .map_err(|error| Trouble::of(format!("{}: {error}", folder.display())))?;
        if self.settings.plain_replies == PlainReplies::Answer
            && let Some(nth) = self.may_write(&folder, &header.id, entry, &back.why)?
        {
            let letter = notice(&letter, &about, (&*header.id, entry, nth))?;
            match self.office.ports.post.send(&letter, &self.settings.mail) {
                Ok(receipt) => {
                    self.note(format!("{what} was {receipt}"));
                    return Ok(());
                }
                Err(error) => self.note(format!("{what} could not be sent: {error}")),
            }
        }
        let bytes = draft(&letter)?;
        // Made only of the game's validated id, a number, and the word for a side.
        let of_side = to.words.is_none().then(|| format!(".{}", header.info.sides[to.side.index()].word));
        let path = folder.join(draft_name(&header.id, entry, of_side.as_deref()));
        self.office.disk().put_private(&path, &bytes).map_err(Trouble::File)?;
        let drafted = format!("{what} was drafted: {}; ", name(&path));
        self.note(advice![drafted, Act::SendDraft(header.id.to_string()), " sends it"]);
        Ok(())
    }

    /// Returns which answer about an entry this one is, if one may be sent now: about the same mistake once an hour at most, and never
    /// without end. It is noted before it is sent, so that reading the same message again and again does not send answer after answer.
    fn may_write(&self, folder: &Path, game: &str, entry: u32, why: &str) -> Result<Option<usize>, Trouble> {
        let path = folder.join(format!("{game}.{entry}.asked"));
        let before = self
            .office
            .disk()
            .read_record(&path)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .unwrap_or_default();
        let mistake = postrider_mail::mistake(why);
        let notes: Vec<(i64, &str)> = before
            .lines()
            .filter_map(|line| {
                let (time, mistake) = line.split_once(' ').unwrap_or((line, ""));
                Some((time.parse().ok()?, mistake))
            })
            .collect();
        let same: Vec<i64> =
            notes.iter().filter(|(_, noted)| *noted == mistake || noted.is_empty()).map(|(time, _)| *time).collect();
        let (most, apart) = MOST_NOTICES;
        let is_late = same.last().is_none_or(|last| self.now.0.saturating_sub(*last) >= apart);
        if same.len() >= most || !is_late || notes.len() >= MOST_ANSWERS {
            return Ok(None);
        }
        let noted = format!("{before}{} {mistake}\n", self.now.0);
        self.office.disk().put_private(&path, noted.as_bytes()).map_err(Trouble::File)?;
        Ok(Some(notes.len() + 1))
    }
}

/// Why nothing was entered from a reply, and what its sender is told.
#[must_use]
pub fn asked(
    understood: &Understood,
    moves: Vec<String>,
    refusal: &dyn Fn(&str) -> Option<Verdict>,
) -> (OfReply, Back) {
    let quoted = |list: &[Meant]| {
        let list: Vec<String> = list.iter().map(|one| format!("\"{}\"", printable(&one.actions))).collect();
        match list.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => list.concat(),
        }
    };
    match understood {
        Understood::Mentioned(list) if !list.is_empty() => {
            let named = quoted(list);
            // What was read as something else than it looks like.
            let typed = list.first().map(|one| printable(&one.words)).filter(|typed| {
                let word = list.first().and_then(|one| one.actions.split(' ').next()).unwrap_or_default();
                list.len() == 1
                    && typed.split_whitespace().count() <= 3
                    && !typed.to_lowercase().contains(&word.to_lowercase())
            });
            let why = match (list.len(), typed) {
                (1, Some(typed)) => format!(
                    "Your letter says \"{typed}\". That may mean {named}, but it is written like another kind of move. Nothing was entered."
                ),
                (1, None) => format!(
                    "Your letter mentions {named} among other words, and it is not clear that this is your move. Nothing was entered."
                ),
                (_, _) => format!(
                    "Your letter mentions {named}, and it is not clear which of them is your move. Nothing was entered."
                ),
            };
            let told = if list.len() == 1 { OfReply::Mentions(named) } else { OfReply::Ambiguous(named) };
            let enter = list.iter().map(|one| (one.actions.clone(), format!("enter {}", one.actions)));
            let taps = enter.chain([("not yet".to_owned(), "not yet".to_owned())]).collect();
            (told, Back { taps, ..Back::of(why) })
        }
        Understood::OfferAlone => (
            OfReply::OfferAlone,
            Back {
                moves,
                ..Back::of(
                    "You can offer a draw only together with a move: please write your move, and \"draw?\" after it. (You cannot offer one \
                     before both players have moved, or with a move that ends the game.)",
                )
            },
        ),
        Understood::Declined => (
            OfReply::Declines,
            Back::of(
                "Your letter says that you do not want to play. Nothing was entered, and nothing more is asked of you.",
            ),
        ),
        Understood::Illegal(meant) => {
            let why = match refusal(&meant.actions) {
                Some(verdict) => in_words(&meant.actions, &verdict),
                None => format!("\"{}\" is not possible now.", printable(&meant.actions)),
            };
            (
                OfReply::Impossible(why.clone()),
                Back { moves: nearest_first(moves, &meant.actions), ..Back::of(why + " Nothing was entered.") },
            )
        }
        Understood::Nothing { nearest: Some(nearest) } => {
            let told = OfReply::NoEntry(nearest.clone());
            let why = format!("\"{}\" could not be read as a move. Nothing was entered.", printable(nearest));
            (told, Back { moves: nearest_first(moves, nearest), ..Back::of(why) })
        }
        Understood::Entry(_) | Understood::NotYet | Understood::Mentioned(_) | Understood::Nothing { .. } => {
            (OfReply::Empty, Back { moves, ..Back::of("Nothing was entered.") })
        }
    }
}

/// Says why an entry is refused, in words for a person, without lines of a file.
#[must_use]
pub fn in_words(typed: &str, verdict: &Verdict) -> String {
    let typed = printable(typed);
    let Some(error) = verdict.errors.first() else { return format!("\"{typed}\" is not possible now.") };
    let rule = error.rule.map(|rule| format!(" (rule {rule})")).unwrap_or_default();
    let help = error.help.as_ref().map(|help| format!(" {}.", capital(&printable(help)))).unwrap_or_default();
    format!("\"{typed}\" is not possible now: {}{rule}.{help}", printable(&error.message))
}
