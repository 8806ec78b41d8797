//! `postrider decks`.

use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, Refused, name};
use crate::cli::input;
use crate::cli::out::print;
use crate::deck_lists;
use crate::deck_lists::tables;
use postrider_games::mission_combat::Decks;
use postrider_games::mission_combat::board::decks;
use postrider_kernel::text::Diagnostic;

/// Check a card list for Mission: Combat!, or print one as tables
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/decks.txt"))]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say what is wrong with a card list, and where; prints nothing if it is playable
    Check {
        /// A YAML file, or a record; `-` for standard input
        file: PathBuf,
    },
    /// Print the cards of both sides as tables
    Show {
        /// A YAML file, or a record; by default the default decks are shown
        file: Option<PathBuf>,
    },
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Check { file } => {
            let source = input::record(file)?;
            let list = read(&source, &name(file))?;
            print(match list {
                Some(_) => format!("{}: both decks are in order\n", name(file)),
                None => format!("{}: no decks are declared, so the default ones are played\n", name(file)),
            })?;
        }
        Command::Show { file } => {
            let declared = match file {
                Some(file) => read(&input::record(file)?, &name(file))?,
                None => None,
            };
            let list = match declared {
                Some(list) => list,
                None => read(decks::DEFAULT.as_bytes(), "the default decks")?.unwrap_or_default(),
            };
            print(tables(&list))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the decks from a list or a record; `None` for a record that declares none.
fn read(source: &[u8], origin: &str) -> Result<Option<Decks>, Failure> {
    deck_lists::read(source).map_err(|faults| {
        let hint =
            |_: &Diagnostic| vec!["`postrider rules mission-combat M11` describes the form of a list".to_owned()];
        Failure::Refused(Box::new(Refused::of(&faults, source, origin, hint)))
    })
}
