//! `postrider move`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{Failure, arg, name, shell};
use super::home::office;
use super::keys::{self, Keys};
use super::view::Shown;
use super::{acts, conditions, confirm, input, invited, json, known, own, print, refusals, secret, send, shown};
use crate::desk::conditions::Conditions;
use crate::desk::examples::with_examples;
use crate::desk::understand::{Judge, Meant, ReplyContext, Trial, Understood, trial, understand};
use crate::desk::{Desk, Entered, EntryRequest, Refusal};
use crate::games::kernel::Side;
use crate::office::turn;
use crate::render::sheet::{self, Extras};
use crate::store::{RecordLock, Settings};
use crate::text::printable;
use crate::verdict::Opened;

/// Judge an entry and append it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "postrider move [OPTIONS] [FILE] <ACTIONS>",
    after_help = "\
Examples:
  postrider move game.pbem c4-c5
  postrider move asalto-first-game c4-c5   by its id, a game in your folder
  postrider move c4-c5                     in the only game that waits for you
  postrider move game.pbem 'e6xe4xc4' --message 'sorry!' --send
  postrider move game.pbem 'c4-c5; draw?'
  postrider move game.pbem resign
  postrider move -n game.pbem d4-d5        judge it, but append nothing

The entry belongs to the side that is due. A refused entry leaves the file untouched. In a sealed game seals, salts and openings are \
added for you: just type `Lc1xc5`, `accept`, `deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1` or `+d1A; d1xd2; end`.

Once you have a key (`postrider key new`), your first entry of a game declares it, and every entry is signed."
)]
pub(super) struct Args {
    /// The record, or a game's id; may be left out where only one game waits for you
    pub(super) file: PathBuf,
    /// The actions of the entry, separated by `;`
    pub(super) actions: Option<String>,
    #[command(flatten)]
    given: Given,
}

/// What is given beside the actions of an entry.
#[derive(Debug, clap::Args)]
pub(super) struct Given {
    /// A message to the opponent, on one line without braces
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The entry's time instead of now, as in 2026-11-21T10:15:00Z
    #[arg(long = "time", alias = "at", value_name = "TIME")]
    at: Option<String>,
    /// Judge the entry and show the result, but write nothing
    #[arg(short = 'n', long)]
    pub(super) dry_run: bool,
    /// Mail the record afterwards, as `postrider send` does
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) send: bool,
    /// Enter it for this side, if you play both
    #[arg(long = "for", value_name = "SIDE")]
    pub(super) side: Option<String>,
    /// Do not declare your key with your first entry of a game; once a key is declared, every entry is signed anyway
    #[arg(long)]
    pub(super) unsigned: bool,
    /// Enter it although the record does not continue the one that was known: you have read what changed, and accept it
    #[arg(long)]
    pub(super) accept_rewritten: bool,
    /// Enter it although the opponent's key is not the one you know, or is the same as yours
    #[arg(long)]
    despite_key: bool,
    /// You have made no entries of this game elsewhere, say on another machine or after a backup was taken: sign without asking
    #[arg(long)]
    pub(super) only_here: bool,
    /// Do not ask before resigning, accepting a draw or claiming; questions are asked only on a terminal
    #[arg(short = 'y', long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) shown: Shown,
    /// Report as JSON what was entered, one object on one line
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    number: u32,
    side: &'static str,
    last: &'a str,
    written: bool,
    position: String,
    throws: Vec<json::Throw<'a>>,
    sent: Option<&'a send::Delivered>,
}

impl Given {
    /// Prevents entries in a record that was rewritten, or whose keys differ from the known ones, unless the player
    /// accepts that; if an entry is only tried, this is a warning.
    pub(super) fn guard(&self, opened: &Opened<'_>, source: &[u8], origin: &str) -> Result<(), Failure> {
        if self.dry_run {
            known::warn(opened, source, origin);
            return Ok(());
        }
        known::guard(opened, source, origin, self.accept_rewritten)?;
        if self.at.is_none() {
            known::guard_clock(opened, input::now(None)?)?;
        }
        keys::guard(opened, self.despite_key)
    }

    /// Returns the request to enter these actions.
    pub(super) fn request<'a>(&'a self, actions: &'a str) -> Result<EntryRequest<'a>, Failure> {
        let time = input::now(self.at.as_deref())?;
        Ok(EntryRequest { actions, message: self.message.as_deref(), time, time_asked: self.at.is_some() })
    }

    /// Checks whether the entry is this player's to make, or has already been made.
    fn turn(&self, desk: &Desk<'_>, origin: &str, actions: &str) -> Result<turn::ToMake, Failure> {
        let (request, settings) = (self.request(actions)?, settings()?);
        let office = office()?;
        let found = turn::look(desk, origin, &request, self.side.as_deref(), &office);
        if found.is_err() && self.send && turn::waiting(&desk.opened, self.side.as_deref(), &office)?.is_some() {
            // An entry that an earlier run made and did not send comes first. It is sent if it is what was typed, in
            // whatever words; another one would never be made by sending this one.
            if send::is_unsure(desk, &settings)? {
                if self.stands_in_other_words(desk, origin, actions)? {
                    return Ok(turn::ToMake::StandsAlready);
                }
                return Err(turn::unsent(desk, actions, origin).into());
            }
        }
        Ok(found?)
    }

    /// Returns whether the newest entry is what was typed, understood as it would have been before that entry was made.
    fn stands_in_other_words(&self, desk: &Desk<'_>, origin: &str, actions: &str) -> Result<bool, Failure> {
        let (Some(before), Some((side, line))) = (desk.before_last(), desk.last()) else { return Ok(false) };
        let Some(meant) = self.meant(&before, origin, actions)?.filter(|meant| says_all(meant, actions)) else {
            return Ok(false);
        };
        let wish = self.request(&meant.actions)?;
        let message = wish.message.or(meant.message.as_deref());
        Ok(turn::repeats(&*office()?, desk, side, line, &EntryRequest { message, ..wish }))
    }

    /// Notes, before the record is written, that the letter about a new entry is about to be sent, so that the next run
    /// sends it if this one is interrupted. The entry is made whether or not this succeeds.
    fn promise(&self, desk: &Desk<'_>) -> bool {
        let now = || input::now(None).ok()?.utc();
        self.send
            && settings().is_ok_and(|settings| {
                send::promise(desk, &settings, now().unwrap_or_else(crate::store::now)).unwrap_or(false)
            })
    }

    /// Says that the newest entry of a record stands already, and mails the record if that is wanted and was not done.
    pub(super) fn stands(&self, desk: &Desk<'_>, file: &Path) -> Result<ExitCode, Failure> {
        let (side, whole) = desk.last().unwrap_or((Side::First, ""));
        let line = sheet::in_brief(&printable(whole));
        errln!("this entry is already in the record, and nothing was entered: {line}");
        if !self.send {
            errln!("hint: `postrider send {}` mails it", shell(file));
        }
        let sent = self.deliver(desk, file, false);
        if self.json {
            let opened = &desk.opened;
            let standing = opened.table.standing();
            print(json::line(&Report {
                number: standing.entries,
                side: opened.header.info.sides[side.index()].word,
                last: whole,
                written: false,
                position: opened.table.position(),
                throws: Vec::new(),
                sent: sent.as_ref().ok().and_then(send::Delivered::some),
                state: json::State::of(&name(file), &opened.header, &standing),
            }))?;
        }
        err!("{}", super::hints::fitting(&sent?.to_string()));
        Ok(ExitCode::SUCCESS)
    }

    /// Mails the record if that is wanted, and returns what to say about it.
    fn deliver(&self, desk: &Desk<'_>, file: &Path, promised: bool) -> Result<send::Delivered, Failure> {
        if !self.send {
            return Ok(send::Delivered::default());
        }
        send::deliver(desk, file, &send::SendOptions::of_move(promised)).map_err(|failure| match failure {
            Failure::Trouble(what, None) => {
                let hint = format!("the move is safe in {}; `postrider send {}` sends it", name(file), shell(file));
                Failure::trouble(what).hint(hint)
            }
            failure => failure,
        })
    }

    /// Returns the one legal entry that can be meant by what was typed, if it is not legal as typed.
    fn meant(&self, desk: &Desk<'_>, origin: &str, actions: &str) -> Result<Option<Meant>, Failure> {
        let opened = &desk.opened;
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        let side = standing.due.side;
        let number = standing.entries.saturating_add(1);
        let turn = ReplyContext {
            number,
            side: word(side),
            other: word(side.other()),
            names: Side::BOTH.map(|side| &*opened.header.player(side).name),
            offered: opened.table.standing().offer == Some(side.other()),
            new: false,
            corrects: false,
            tries: ReplyContext::tries(opened.text.len()),
        };
        // Nothing is sealed, signed or noted by trying.
        let office = office()?;
        let keys = Keys::to_move(&office, opened, origin, true, self.unsigned)?;
        let mut tries = Tries { given: self, desk, keys, failed: None };
        let understood = understand(&[actions.to_owned()], &turn, &opened.table.moves(), &mut tries);
        match (tries.failed, understood) {
            (Some(failure), _) => Err(failure),
            (None, Understood::Entry(meant)) => Ok(Some(meant)),
            (None, _) => Ok(None),
        }
    }

    /// Returns what was typed with a `;` inserted between two of its words, if that makes it legal: then only that was
    /// missing.
    fn apart(&self, desk: &Desk<'_>, origin: &str, actions: &str) -> Option<String> {
        let words: Vec<&str> = actions.split_whitespace().collect();
        // Nothing is sealed, signed or noted by trying; a long text is not a slip.
        let office = office().ok()?;
        let mut keys = Keys::to_move(&office, &desk.opened, origin, true, self.unsigned).ok()?;
        let between = |place: usize| {
            let (one, other) = words.split_at_checked(place)?;
            Some(format!("{}; {}", one.join(" ").trim_end_matches(';'), other.join(" ")))
        };
        let each = (1..words.len().min(12)).filter_map(between);
        let all = (words.len() > 2)
            .then(|| words.iter().map(|word| word.trim_end_matches(';')).collect::<Vec<_>>().join("; "));
        each.chain(all).find(|apart| self.request(apart).is_ok_and(|request| desk.actions(&request, &mut keys).is_ok()))
    }

    /// Returns the bytes of the record, and the lock on it if it is to be written.
    pub(super) fn source(&self, file: &Path) -> Result<(Option<RecordLock>, Vec<u8>), Failure> {
        if self.dry_run {
            invited::refuse(file)?;
            return Ok((None, input::record(file)?));
        }
        let lock = invited::lock(file)?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        Ok((Some(lock), source))
    }
}

/// Tries what was typed as entries, with the player's keys.
struct Tries<'t, 'a> {
    given: &'t Given,
    desk: &'t Desk<'a>,
    keys: Keys<'t>,
    failed: Option<Failure>,
}

impl Judge for Tries<'_, '_> {
    fn judge(&mut self, text: &str) -> Trial {
        match self.given.request(text) {
            Ok(request) => {
                // A trial seals differently each time.
                let sealed = self.desk.opened.table.seals().is_some();
                let entered = self.desk.actions(&request, &mut self.keys);
                trial(entered.map(|actions| if sealed { text.to_owned() } else { actions }))
            }
            Err(failure) => {
                self.failed.get_or_insert(failure);
                Trial::Misread
            }
        }
    }
}

/// How an entry came about.
pub(super) enum By {
    /// The player chose it, so what was foreseen instead is void.
    Hand,
    /// It was foreseen; the rest of the conditions.
    Conditions(Conditions),
    /// The rules force it.
    Force,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let actions = &*crate::desk::session::apart(args.actions.as_deref().unwrap_or_default().trim_end());
    let origin = name(&args.file);
    let given = &args.given;
    if input::is_stdin(&args.file) && !given.dry_run {
        return Err(Failure::trouble("a move goes into a file, not to standard input").hint("use -n to judge it only"));
    }
    let (lock, source) = given.source(&args.file)?;
    let mut desk = refusals::to_move(&source, &origin)?;
    given.guard(&desk.opened, &source, &origin)?;
    own_time(&desk.opened, given, actions)?;
    if lock.is_some() && matches!(given.turn(&desk, &origin, actions)?, turn::ToMake::StandsAlready) {
        drop(lock);
        return given.stands(&desk, &args.file);
    }
    let office = office()?;
    let mut keys = Keys::to_move(&office, &desk.opened, &origin, given.dry_run, given.unsigned)?;
    keys.only_here = given.only_here;
    let mut tried = desk.judge(&given.request(actions)?, &mut keys);
    // A time or a message among the actions is an oversight, unless a whole line of a record was pasted.
    let is_line = actions.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let refused = matches!(&tried, Err(Refusal::Entry(..))) || (is_line && matches!(&tried, Err(Refusal::Aside)));
    let meant;
    if refused
        && !actions.contains(['\n', '\r'])
        && let Some(found) = given.meant(&desk, &origin, actions)?
        && says_all(&found, actions)
    {
        errln!("understood as `{}`", found.actions);
        meant = found;
        let request = given.request(&meant.actions)?;
        let message = request.message.or(meant.message.as_deref());
        tried = desk.judge(&EntryRequest { message, ..request }, &mut keys);
    }
    let tried = tried.map_err(|refusal| {
        let apart = given.apart(&desk, &origin, actions);
        let refusal = with_examples(&mut desk.opened, refusal, &mut keys);
        match (refusals::refused(&origin, refusal), apart) {
            (Failure::Refused(refused), Some(apart)) => {
                let typed = printable(actions);
                let hint = format!("two actions are separated by `;`: `{}` instead of `{typed}`", printable(&apart));
                Failure::Refused(Box::new(refused.hint(hint)))
            }
            (failure, _) => failure,
        }
    })?;
    drop(desk);
    let entered = tried.append(source, &mut keys).map_err(|refusal| refusals::refused(&origin, refusal))?;
    let lock = match lock {
        Some(lock) if !given.yes => Some(confirm::ended(lock, &args.file, old(&entered), &entered.actions)?),
        lock => lock,
    };
    finish(entered, lock, &keys, &args.file, given, By::Hand)
}

/// The record as it was before the entry.
fn old(entered: &Entered) -> &[u8] {
    entered.record.get(..entered.begun).unwrap_or_default()
}

/// Returns whether what was understood has at least as many actions as were typed: nothing that was typed may be
/// dropped, including leave and offers. Somebody who types an entry is told of a `;` that is missing, and learns where it belongs.
fn says_all(meant: &Meant, typed: &str) -> bool {
    let count = |actions: &str| actions.split(';').filter(|action| !action.trim().is_empty()).count();
    // A place that was named must be in it too: `+a1A a1-a2` is more than `+a1A`. In a pasted line there are other
    // words beside the entry.
    let is_line = typed.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let places = |actions: &str| {
        let words = actions.split(|c: char| !c.is_ascii_alphanumeric());
        let is_place = |word: &&str| word.len() > 1 && word.bytes().any(|byte| byte.is_ascii_digit());
        words.filter(is_place).filter(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic())).count()
    };
    count(&meant.actions) >= count(typed) && (is_line || places(&meant.actions) >= places(typed))
}

/// Says that players cannot claim their own time: the entry would be made for the other side, which would win by it.
fn own_time(opened: &Opened<'_>, given: &Given, actions: &str) -> Result<(), Failure> {
    let standing = opened.table.standing();
    if actions.trim() != "claim time" || standing.outcome.is_some() {
        return Ok(());
    }
    let own = match given.side.as_deref() {
        Some(word) => Some(own::named(opened, word)?),
        None => own::find(opened, &settings()?)?,
    };
    let due = opened.header.info.sides[standing.due.side.index()];
    match own.filter(|own| *own == standing.due.side) {
        Some(_) => {
            let what = format!(
                "E7: time is claimed by the side that waits, and {} {} due: that is you",
                due.named(),
                due.verb("are", "is")
            );
            Err(Failure::trouble(what).hint("`postrider rules record E7` prints the rule").refused(Some("E7")))
        }
        None => Ok(()),
    }
}

pub(super) fn settings() -> Result<Settings, Failure> {
    Settings::load().map_err(|error| Failure::trouble(error.to_string()))
}

/// After an entry was made here, keeps the record and notes whose entry it is. `opened` is the record with the entry.
fn entered_here(opened: &Opened<'_>, side: Side) {
    keys::pin(opened, side);
    known::remember(&opened.header.id, opened.text.as_bytes());
    known::note_moved(&opened.header.id, opened.header.info.sides[side.index()].word);
}

/// Writes the record with an entry that was made at the desk, if it is locked for that; mails it if wanted; then shows
/// the game, and says what was added to what was typed. Failing to show something changes nothing.
///
/// # Errors
/// If the record was not written, or the letter not sent.
pub(super) fn finish(
    entered: Entered,
    lock: Option<RecordLock>,
    keys: &Keys<'_>,
    file: &Path,
    given: &Given,
    by: By,
) -> Result<ExitCode, Failure> {
    let origin = &name(file);
    let Entered {
        record, begun, before, table, digests, line, number, side, done, thrown, later, key, declares, ..
    } = entered;
    let mut desk =
        Desk::continued(&record, before, table, digests).map_err(|refusal| refusals::refused(origin, refusal))?;
    let opened = &desk.opened;
    let mut sent = Ok(send::Delivered::default());
    if let Some(mut lock) = lock {
        let promised = given.promise(&desk);
        let safe = input::written(lock.replace(record.get(..begun).unwrap_or_default(), &record))?;
        entered_here(opened, side);
        match by {
            By::Hand => conditions::settle(opened, side),
            By::Conditions(rest) => conditions::keep(&rest),
            By::Force => errln!("entry {number}: {}", sheet::in_brief(&printable(crate::desk::parts(&line).0))),
        }
        drop(lock);
        sent = if safe || !given.send {
            given.deliver(&desk, file, promised)
        } else {
            Err(input::not_flushed(origin).hint(format!("`postrider send {}` sends it once it is", arg(origin))))
        };
    }
    // The letter has been sent; only now is the game told what only the player may see.
    let show = |opened: &mut Opened<'_>| {
        if given.json {
            return print(json::line(&Report {
                state: json::State::of(origin, &opened.header, &opened.table.standing()),
                number,
                side: opened.header.info.sides[side.index()].word,
                last: &line,
                written: !given.dry_run,
                position: opened.table.position(),
                throws: thrown.iter().map(json::Throw::of).collect(),
                sent: sent.as_ref().ok().and_then(send::Delivered::some),
            }));
        }
        let extras = Extras { entries: vec![printable(&line).into_owned()], now: None, local: true };
        let viewer = given.shown.viewer(opened)?;
        print(sheet::draw(opened, &opened.table.view(viewer), &extras, given.shown.look(opened)?))?;
        let yours = given.shown.note(opened, viewer);
        if !yours.is_empty() {
            print(format!("\n{yours}"))?;
        }
        let mut said = keys::in_words(&done);
        for thrown in &thrown {
            let dice = thrown.dice.iter().zip(&thrown.faces).map(|(die, face)| format!("{face} on a d{die}"));
            said.push_str(&format!("the dice of `{}` show {}\n", thrown.label, dice.collect::<Vec<_>>().join(", ")));
        }
        if !said.is_empty() {
            print(format!("\n{said}"))?;
        }
        if given.dry_run { print("\nnothing was written\n") } else { Ok(()) }
    };
    let seen = show(&mut desk.opened);
    let opened = &desk.opened;
    if given.dry_run {
        seen?;
    } else {
        shown(&format!("entry {number} is in {origin}"), seen);
    }
    if let Some(time) = later {
        errln!("the previous entry is dated {time}, ahead of the clock here: this one has the same time");
    }
    if !given.dry_run {
        if let Some(notice) = keys.notice() {
            err!("{}", acts::written(&notice));
        }
        if let Some(key) = key {
            let declared = if declares { ", which this entry declares" } else { "" };
            errln!("signed by your key {}{declared}", key.fingerprint());
        }
    }
    // A seal that was only tried was made with a temporary secret.
    if given.dry_run {
        keys::warn_of_keys(opened);
    } else {
        keys::warn(opened);
    }
    let is_over = opened.table.standing().outcome.is_some();
    if !given.dry_run && is_over && Side::BOTH.iter().any(|side| secret::is_here(opened, *side)) {
        errln!(
            "the game is over: `postrider secret publish {}` lets everybody check what was sealed, which proves a win (Z24)",
            arg(origin)
        );
    }
    err!("{}", super::hints::fitting(&sent?.to_string()));
    Ok(ExitCode::SUCCESS)
}
