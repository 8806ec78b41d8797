//! What the program last knew of a game, for the command line: whether the file still continues from there, what to say
//! if it does not, and `postrider restore`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::passphrase::Unlock;
use crate::cli::{chosen, home};
use crate::commands::{backup, host};
use postrider_home::elsewhere::carried::{self, Said};
use postrider_home::known;
use postrider_home::known::lost::Search;
use postrider_home::known::restoring;
use postrider_home::known::restoring::Restored;
use postrider_home::known::{Rewritten, Use};
use postrider_host::Host;
use postrider_referee::record::is_game_id;
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// Bring back a damaged or lost record, or all of a backup
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/restore.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id, or a backup, or a folder with backups
    file: PathBuf,
    /// In the home of a host: read longer records from these messages (.eml), mboxes or Maildirs, copies of what it has sent since
    #[arg(long, value_name = "DIR")]
    mail: Option<PathBuf>,
    #[command(flatten)]
    unlock: Unlock,
    /// Also take from a backup's settings what runs a program (such as `passphrase-command` and `mail.command`) or names a place outside
    /// this program's folders. Without it that is left out and named; on a terminal you are asked
    #[arg(long)]
    with_commands: bool,
    /// Take a game out of its file: no other machine has taken it, out of this file, a copy of it, or another. Without it you are asked. With a
    /// game's id, go on here with a game that was handed over or taken: nothing was signed elsewhere that is not here
    #[arg(long)]
    only_here: bool,
    /// Take a game from a file that brings a key that is not here yet: you wrote that file, on your other machine
    #[arg(long)]
    despite_key: bool,
}

impl Args {
    fn said(&self) -> Said {
        Said { untaken: self.only_here, despite_key: self.despite_key }
    }
}

/// Compares the record in a file with what was last known of its game.
pub(crate) fn rewritten(id: &str, source: &[u8]) -> Result<Option<Rewritten>, Failure> {
    Ok(known::rewritten(&*home::office()?, id, source)?)
}

/// Warns if the file of a game does not continue from what was last known of it.
pub(crate) fn warn(opened: &Opened<'_>, source: &[u8], origin: &str) {
    if let Ok(office) = home::office() {
        known::warn(&office, opened, source, origin);
    }
}

/// Prevents entries in a file that does not continue from what was last known of its game.
pub(crate) fn guard(opened: &Opened<'_>, source: &[u8], origin: &str, accept: bool) -> Result<(), Failure> {
    Ok(known::guard(&*home::office()?, opened, source, origin, accept)?)
}

/// Prevents another use of such a file.
pub(crate) fn guard_mail(opened: &Opened<'_>, source: &[u8], origin: &str, purpose: Use) -> Result<(), Failure> {
    Ok(known::guard_mail(&*home::office()?, opened, source, origin, purpose)?)
}

/// The id of the game that is meant by its beginning, whether its record is there or gone; otherwise what was typed.
fn meant(typed: &Path) -> Result<PathBuf, Failure> {
    let (Some(word), Ok(settings)) = (typed.to_str(), Settings::load()) else { return Ok(typed.to_owned()) };
    if typed.symlink_metadata().is_ok() {
        return Ok(typed.to_owned());
    }
    let mut ids = chosen::shelf(&settings).ids_beginning("");
    ids.extend(Search::new(&settings.folders, &settings.games_folder()).ids());
    if ids.iter().any(|id| id == word) {
        return Ok(typed.to_owned());
    }
    Ok(chosen::only_beginning(word, &ids)?.map_or_else(|| typed.to_owned(), PathBuf::from))
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if backup::is_backup(&args.file) {
        let code = backup::restore(&args.file, &args.unlock, args.with_commands, args.said())?;
        if let Some(mail) = &args.mail {
            home::leave();
            let office = home::office()?;
            host::read_back(&Host::open(&office)?, mail)?;
        }
        return Ok(code);
    }
    if args.mail.is_some() {
        return Err(Failure::trouble(format!(
            "{} is no backup: --mail goes with the backup of a host",
            name(&args.file)
        )));
    }
    let file = meant(&args.file)?;
    let id = file.to_str().filter(|id| args.only_here && is_game_id(id));
    if let Some(id) = id
        && carried::stays(&*home::office()?, id)?
    {
        print(format!("{id} goes on here\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(match restoring::restore(&*home::office()?, &file)? {
        Restored::Same(file) => format!("{} is as it was last known\n", name(&file)),
        Restored::GoesOn(file) => format!("{} goes on from what was last known: nothing was replaced\n", name(&file)),
        Restored::Back(file, None) => format!("{} is back as it was last known\n", name(&file)),
        Restored::Back(file, Some(kept)) => {
            format!("{} is back as it was last known; what it replaced is kept in {}\n", name(&file), name(&kept))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
