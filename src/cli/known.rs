//! What the program last knew of a game, for the command line: whether the file still continues from there, what to say
//! if it does not, and `postrider restore`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{Failure, arg, name};
use super::passphrase::Unlock;
use super::{backup, input, invited, keys, print};
use crate::desk::Desk;
use crate::desk::receive::{self, Arrival, parted_in_words};
use crate::games::kernel::Side;
use crate::record::{Time, is_game_id};
use crate::store::{Arrivals, Folders, KnownGames, OwnKey, Settings, create};
use crate::text::printable;
use crate::verdict::{Difference, Opened, Relation, compare, receipts};

/// Bring back the record as postrider last knew it, or everything from a backup
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider restore game.pbem                      after it was overwritten, or edited by hand
  postrider restore games/asalto-first-game.pbem   after it was deleted, if the file is named after the game's id
  postrider restore postrider.backup               all that `postrider backup` copied, on a new machine for example
  postrider restore ~/backups                      the newest backup in a folder

postrider keeps a copy of each game's record as it was after the last entry made or accepted here. The present file is set aside, so \
nothing is lost.

A backup overwrites nothing: what is missing here comes back, a record or journal that it continues is continued, and everything else \
stays as it is here. The first entry in each game that came from it asks whether you have made entries elsewhere since.")]
pub(super) struct Args {
    /// The record, or a backup, or a folder with backups
    file: PathBuf,
    #[command(flatten)]
    unlock: Unlock,
}

/// How a file differs from what was last known of its game.
pub(super) struct Rewritten {
    /// What is different, in words.
    pub(super) what: String,
    /// Whether it only lacks the last entries.
    older: bool,
    difference: Option<Difference>,
    /// The file with the known record.
    kept: PathBuf,
    /// The last entry for which the player has signed a receipt in the known record, and which the file has otherwise.
    receipted: Option<u32>,
}

impl Rewritten {
    /// Describes it in a few lines; `origin` names the file.
    pub(super) fn in_words(&self, origin: &str) -> String {
        let mut text = format!("{origin} does not continue the record that postrider last knew: {}\n", self.what);
        if let Some(Difference { here, there, .. }) = &self.difference {
            let shown =
                |line: &str| if line.is_empty() { "(nothing)".to_owned() } else { printable(line).into_owned() };
            text.push_str(&format!("  known: {}\n  file:  {}\n", shown(here), shown(there)));
        }
        text.push_str(&format!(
            "the known record is kept in {}; `postrider restore {}` brings it back\n",
            name(&self.kept),
            arg(origin)
        ));
        text
    }
}

fn store() -> Result<KnownGames, Failure> {
    let folders = Folders::find().map_err(|error| Failure::trouble(error.to_string()))?;
    Ok(KnownGames::new(&folders))
}

/// Compares the record in a file with what was last known of its game; `None` if it continues from there, or nothing is
/// known.
pub(super) fn rewritten(id: &str, source: &[u8]) -> Result<Option<Rewritten>, Failure> {
    let known = store()?;
    let failed =
        |error: std::io::Error| Failure::trouble(format!("what was last known of {id} cannot be read: {error}"));
    // Entries are appended, so almost always one is the beginning of the other.
    if known.goes_on_in(id, source).map_err(failed)? {
        return Ok(None);
    }
    let Some(record) = known.record(id).map_err(failed)? else { return Ok(None) };
    let kept = known.file(id).map_err(failed)?;
    let (Ok(mut here), Ok(there)) = (Opened::new(&record), Opened::new(source)) else { return Ok(None) };
    let (older, what, difference) = match compare(&mut here, &there) {
        Relation::Same | Relation::Newer { .. } => return Ok(None),
        Relation::Older { entries } => {
            let plural = if entries == 1 { "entry" } else { "entries" };
            (true, format!("it has only {entries} {plural}, and later ones were made or taken here"), None)
        }
        parted => match parted_in_words(&parted) {
            Some((what, difference)) => (false, what, difference.cloned()),
            None => return Ok(None),
        },
    };
    let receipted = receipted(&record, source);
    Ok(Some(Rewritten { what, older, difference, kept, receipted }))
}

/// When the newest entry of a record arrived, if the opponent made it and that was noted.
pub(super) fn arrival_of(opened: &Opened<'_>, own: Side, settings: &Settings) -> Result<Option<Arrival>, Failure> {
    let standing = opened.table.standing();
    if standing.clocks.is_none() {
        return Ok(None);
    }
    let Some((_, line)) = receive::newest(opened).filter(|(side, _)| *side == own.other()) else { return Ok(None) };
    let notes = Arrivals::new(&settings.folders);
    notes
        .of(&opened.header.id, standing.entries, &line)
        .map_err(|error| Failure::trouble(format!("{}: {error}", settings.folders.arrivals().display())))
}

/// Refuses to date an entry by a clock that was set back or has never been set: the entry would be dated before the letter that it
/// answers, or before the game. A time that the player gives is the player's own.
pub(super) fn guard_clock(opened: &Opened<'_>, now: Time, settings: &Settings) -> Result<(), Failure> {
    let standing = opened.table.standing();
    if standing.last.is_none() && opened.header.clock.is_none() {
        return Ok(());
    }
    let notes = Arrivals::new(&settings.folders);
    let arrived = receive::newest(opened)
        .and_then(|(_, line)| notes.of(&opened.header.id, standing.entries, &line).ok().flatten());
    match receive::odd_clock(opened, now, notes.looked(), arrived) {
        None => Ok(()),
        Some(what) => Err(Failure::trouble(what).hint(
            "set the clock of this machine, or give the time of the entry yourself: `--time 2026-11-21T10:15:00Z`",
        )),
    }
}

/// The last entry for which the player's own key has signed a receipt in the record that is known, where the file has another there.
fn receipted(known: &[u8], file: &[u8]) -> Option<u32> {
    memchr::memmem::find(known, receipts::HEAD.as_bytes())?;
    let own: Vec<_> = keys::keyring().ok()?.own_keys().ok()?.iter().map(OwnKey::public).collect();
    let (desk, other) = (Desk::open(known).ok()?, Desk::open(file).ok()?);
    let found = receipts::of(&desk.opened, &desk.digests).into_iter().filter_map(|(_, read)| read.ok());
    let mine = found
        .filter(|one| keys::key_of(&desk.opened, one.side).is_some_and(|key| own.contains(&key)))
        .map(|one| one.entry);
    mine.filter(|&entry| desk.digests.get(entry) != other.digests.get(entry)).max()
}

/// Warns on standard error if the file of a game does not continue from what was last known of it.
pub(super) fn warn(opened: &Opened<'_>, source: &[u8], origin: &str) {
    match rewritten(&opened.header.id, source) {
        Ok(Some(rewritten)) => err!("warning: {}", rewritten.in_words(origin)),
        Ok(None) => {}
        Err(failure) => err!("warning: {failure}"),
    }
}

/// Prevents entries in a file that does not continue from what was last known of its game, unless the player accepts
/// that.
pub(super) fn guard(opened: &Opened<'_>, source: &[u8], origin: &str, accept: bool) -> Result<(), Failure> {
    let Some(rewritten) = rewritten(&opened.header.id, source)? else { return Ok(()) };
    if let (true, Some(entry)) = (accept, rewritten.receipted) {
        err!("{}", rewritten.in_words(origin));
        return Err(Failure::trouble(format!(
            "you have signed a receipt for entry {entry} as it was: an entry that goes on from another would speak against you"
        ))
        .hint("a game that is taken up again from an earlier point by agreement takes a new id (Z2)"));
    }
    if accept {
        return Ok(());
    }
    err!("{}", rewritten.in_words(origin));
    Err(Failure::trouble("nothing was entered: first say which record is true")
        .hint("`--accept-rewritten` takes the file as it is, once you have read what changed"))
}

/// What a rewritten file must not be used for until the player has said which record is true.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// Accepting mail for the game.
    Receive,
    /// Sending it: the opponent would get a past that the player has not agreed to.
    Send,
}

/// Prevents such a use of a file that does not continue from what was last known of its game. A file that only lacks the
/// last entries can be sent, and can accept them.
pub(super) fn guard_mail(opened: &Opened<'_>, source: &[u8], origin: &str, purpose: Use) -> Result<(), Failure> {
    let rewritten = match rewritten(&opened.header.id, source)? {
        None | Some(Rewritten { older: true, .. }) => return Ok(()),
        Some(rewritten) => rewritten,
    };
    err!("{}", rewritten.in_words(origin));
    let refusal = match purpose {
        Use::Receive => "nothing is accepted for this game: first say which record is true",
        Use::Send => "nothing was sent: first say which record is true",
    };
    Err(Failure::trouble(refusal)
        .hint(format!("`postrider restore {}`, or an entry of yours with `--accept-rewritten`", arg(origin))))
}

/// Keeps a record that was just written as what is known. If that fails, the entry has still been made.
pub(super) fn remember(id: &str, record: &[u8]) {
    let done = store().map(|store| store.remember(id, record));
    match done {
        Ok(Ok(())) => {}
        Ok(Err(error)) => errln!("warning: what is known of {id} could not be kept: {error}"),
        Err(failure) => err!("warning: {failure}"),
    }
}

/// Notes that the player began a game without declaring a key in it.
pub(super) fn note_unsigned(id: &str) {
    let Ok(store) = store() else { return };
    let sides = store.sides(id).unwrap_or_default();
    if let Err(error) = store.note_sides(id, &crate::store::Sides { unsigned: true, ..sides }) {
        errln!("warning: that {id} is played without signatures could not be noted: {error}");
    }
}

/// Returns whether that was noted.
pub(super) fn is_unsigned(id: &str) -> bool {
    store().is_ok_and(|store| store.sides(id).is_ok_and(|sides| sides.unsigned))
}

/// Notes that an entry was made here for the side with this name: the player's own, unless entries of both are made
/// here.
pub(super) fn note_moved(id: &str, word: &str) {
    if let Ok(store) = store()
        && let Err(error) = store.note_moved(id, word)
    {
        errln!("warning: {error}");
    }
}

/// Writes the known record to a file that is no longer there; its name is the id, as when `postrider accept` placed it.
fn bring_back(file: &Path, origin: &str) -> Result<Option<ExitCode>, Failure> {
    let id = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if !is_game_id(id) {
        return Ok(None);
    }
    let failed =
        |error: std::io::Error| Failure::trouble(format!("what was last known of {id} cannot be read: {error}"));
    let Some(record) = store()?.record(id).map_err(failed)? else { return Ok(None) };
    create(file, &record).map_err(|error| Failure::writing(&error))?;
    print(format!("{origin} is back as it was last known\n"))?;
    Ok(Some(ExitCode::SUCCESS))
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if backup::is_backup(&args.file) {
        return backup::restore(&args.file, &args.unlock);
    }
    let origin = name(&args.file);
    if !args.file.exists()
        && let Some(code) = bring_back(&args.file, &origin)?
    {
        return Ok(code);
    }
    let mut lock = invited::lock(&args.file)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
    let id = match Opened::new(&source) {
        Ok(opened) => opened.header.id.to_string(),
        Err(verdict) => return Err(Failure::verdict(&source, &origin, &verdict, false)),
    };
    let known = store()?;
    let record =
        known.record(&id).map_err(|error| Failure::trouble(format!("what was last known of {id}: {error}")))?;
    let Some(record) = record else {
        return Err(Failure::trouble(format!("{id} is not known here: no entry of it was made or received")));
    };
    if record == source {
        print(format!("{origin} is as it was last known\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let aside = known.set_aside(&id, &source).map_err(|error| Failure::writing(&error))?;
    input::written(lock.replace(&source, &record))?;
    print(format!("{origin} is back as it was last known; the previous file is kept in {}\n", name(&aside)))?;
    Ok(ExitCode::SUCCESS)
}
