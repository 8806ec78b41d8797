//! `postrider match`.

use std::process::ExitCode;

use crate::cli::hints::Failure;
use crate::cli::input;
use crate::cli::out::print;
use postrider_board::report::MatchResult;
use postrider_search::{Contest, LEVELS, Player};

/// Let two levels of the machine play each other, to see how strong they are
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider match asalto 2 1                        a hundred games, level 2 against level 1
  postrider match subsume 1 random --games 20       against somebody who enters anything legal
  postrider match assideum 3 2 --seed 7 --json      the same line whenever it is repeated

The sides change from game to game. What is thrown, drawn and hidden follows from the seed, and neither player sees it.")]
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
    /// Print an object
    #[arg(long)]
    json: bool,
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
    let tally = postrider_machine::opponent::contest(start.as_ref(), &contest, &mut || false);
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
