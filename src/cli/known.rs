//! What the program last knew of a game, for the command line: whether the file still continues from there, what to say
//! if it does not, and `postrider restore`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::out::print;
use super::passphrase::Unlock;
use super::{backup, home, input, invited};
use crate::office::known;
pub(super) use crate::office::known::{Rewritten, Use};
use crate::record::is_game_id;
use crate::store::{KnownGames, create};
use crate::verdict::Opened;

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

fn store() -> Result<KnownGames, Failure> {
    Ok(KnownGames::new(home::office()?.folders()))
}

/// Compares the record in a file with what was last known of its game.
pub(super) fn rewritten(id: &str, source: &[u8]) -> Result<Option<Rewritten>, Failure> {
    Ok(known::rewritten(&*home::office()?, id, source)?)
}

/// Warns if the file of a game does not continue from what was last known of it.
pub(super) fn warn(opened: &Opened<'_>, source: &[u8], origin: &str) {
    if let Ok(office) = home::office() {
        known::warn(&office, opened, source, origin);
    }
}

/// Prevents entries in a file that does not continue from what was last known of its game.
pub(super) fn guard(opened: &Opened<'_>, source: &[u8], origin: &str, accept: bool) -> Result<(), Failure> {
    Ok(known::guard(&*home::office()?, opened, source, origin, accept)?)
}

/// Prevents another use of such a file.
pub(super) fn guard_mail(opened: &Opened<'_>, source: &[u8], origin: &str, purpose: Use) -> Result<(), Failure> {
    Ok(known::guard_mail(&*home::office()?, opened, source, origin, purpose)?)
}

/// Keeps a record that was just written as what is known.
pub(super) fn remember(id: &str, record: &[u8]) {
    if let Ok(office) = home::office() {
        known::remember(&office, id, record);
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
