//! `postrider match`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints::{Failure, name};
use crate::cli::input;
use crate::cli::out::print;
use postrider_board::report::MatchResult;
use postrider_disk::disk::FileError;
use postrider_machine::opponent;
use postrider_search::{Contest, LEVELS, Player};

/// Let two levels of the machine play each other, to see how strong they are
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/match.txt"))]
pub(crate) struct Args {
    /// The game
    game: String,
    /// The first player: a level from 1 to 5, or `random`
    a: String,
    /// The second player
    b: String,
    /// How many games are played
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// What everything follows from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// A game of more entries counts as drawn
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    longest: u32,
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Write each game as a record into this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print an object
    #[arg(long)]
    json: bool,
}

/// Writes the record of a game into a folder.
fn keep(folder: &Path, (id, record): &(String, String)) -> Result<(), Failure> {
    postrider_disk::files::create(&folder.join(format!("{id}.pbem")), record.as_bytes()).map_err(|error| match error {
        FileError::Exists { .. } => {
            Failure::trouble(error.to_string()).hint("another --seed gives other games, another --keep another folder")
        }
        error => Failure::writing(&error),
    })
}

fn player(word: &str) -> Result<Player, Failure> {
    let level = word.parse().ok().filter(|number| LEVELS.iter().any(|level| level.number == *number));
    match level {
        Some(number) => Ok(Player::Level(number)),
        None if word == "random" => Ok(Player::Random),
        None => Err(Failure::trouble(format!("`{word}` is no player: a player is a level from 1 to 5, or `random`"))),
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let game = input::game(&args.game)?;
    let players = [player(&args.a)?, player(&args.b)?];
    let options = input::options(game, &args.option)?;
    let contest = Contest { players, games: args.games, seed: args.seed, longest: args.longest };
    let start = game.table(&options, None).map_err(|fault| {
        Failure::trouble(fault.to_string()).hint("a match is played without a record, in open play")
    })?;
    if let Some(folder) = args.keep.as_deref().filter(|folder| !folder.is_dir()) {
        let made = postrider_disk::files::new_folder(folder);
        made.map_err(|error| Failure::trouble(format!("{} cannot be made: {error}", name(folder))))?;
    }
    let now = input::now(None)?.to_string();
    let started = now.trim_start_matches('@').get(..10).unwrap_or("2026-01-01");
    let mut written = Ok(());
    let tally = opponent::contest(start.as_ref(), &contest, &mut |played| {
        let record = || opponent::record(game, &contest, &options, started, played);
        written = args.keep.as_ref().map_or(Ok(()), |folder| keep(folder, &record()));
        written.is_err()
    });
    written?;
    let [a, b] = tally.won;
    let line = MatchResult { a, b, draws: tally.draws, games: tally.games, entries: tally.entries };
    if args.json {
        print(postrider_board::report::line(&line))?;
    } else {
        let percent = |won: u32| (100 * won).checked_div(a + b).unwrap_or(0);
        let drawn = if tally.draws == 0 { String::new() } else { format!(", {} drawn", tally.draws) };
        print(format!(
            "{} {a} ({}%), {} {b} ({}%){drawn}; {} entries\n",
            args.a,
            percent(a),
            args.b,
            percent(b),
            tally.entries,
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
