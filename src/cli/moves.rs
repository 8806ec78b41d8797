//! `postrider moves`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::{input, keys, print};
use crate::verdict::Ruling;

/// List every legal entry, one a line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider moves game.pbem
  postrider moves --game asalto --position '.../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b'
  postrider moves --game asalto --option huff=strict

Of a record that is refused it lists what could stand in the refused entry's place; the exit code is then 1.")]
pub(super) struct Args {
    /// The record; `-` for standard input
    #[arg(required_unless_present = "game", conflicts_with_all = ["game", "position", "option"])]
    file: Option<PathBuf>,
    /// A game instead of a record
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The position to list for, instead of the game's start
    #[arg(long, value_name = "POS", requires = "game")]
    position: Option<String>,
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE", requires = "game")]
    option: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let list = match (&args.file, &args.game) {
        (Some(file), _) => {
            let source = input::record(file)?;
            let (opened, verdict) = input::open(&source, &name(file), u32::MAX)?;
            let list = opened.table.moves();
            if verdict.ruling != Ruling::Legal {
                // What could stand in the refused entry's place is what its writer wants to know.
                print(lines(&list))?;
                return Err(Failure::verdict(&source, &name(file), &verdict, false));
            }
            // Whoever can open the dice that are due sees the turns that may follow them.
            match keys::after_openings(&opened)? {
                Some(after) if after.standing().outcome.is_none() => after.moves(),
                _ => list,
            }
        }
        (None, game) => {
            let game = input::game(game.as_deref().unwrap_or_default())?;
            let options = input::options(game, &args.option)?;
            input::table(game, &options, args.position.as_deref())?.moves()
        }
    };
    print(lines(&list))?;
    Ok(ExitCode::SUCCESS)
}

fn lines(list: &[String]) -> String {
    list.iter().map(|entry| format!("{entry}\n")).collect()
}
