//! `postrider moves`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, name, quoted, shell};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::session::turns::stands_for;
use crate::cli::{input, keys, refusals, report};
use crate::commands::restore as known;
use postrider_home::keys::Keys;
use postrider_kernel::Next;
use postrider_referee::desk;
use postrider_referee::desk::examples::written_out;
use postrider_referee::judging::Table;
use postrider_referee::verdict::{Opened, Ruling};

/// List every legal entry, or what may follow the beginning of one
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/moves.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(conflicts_with_all = ["game", "position", "option"])]
    pub(crate) file: Option<PathBuf>,
    /// The beginning of an entry: its first actions, separated by `;`, or the first characters of one
    #[arg(value_name = "BEGINNING", requires = "file", conflicts_with = "game")]
    begun: Option<String>,
    /// A game instead of a record
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// The position to list for, instead of the game's start
    #[arg(long, value_name = "POS", requires = "game")]
    position: Option<String>,
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE", requires = "game")]
    option: Vec<String>,
    /// List every way to split points in which each share is a multiple of N, up to a million for one attack or event
    /// (Mission: Combat!)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    grain: Option<u32>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.json {
        return match (&args.file, &args.game) {
            (Some(file), _) => report::moves(file, args.begun.as_deref(), args.grain),
            (None, game) => report::moves_of_game(
                game.as_deref().unwrap_or_default(),
                &args.option,
                args.position.as_deref(),
                args.grain,
            ),
        };
    }
    let list = match (&args.file, &args.game) {
        (Some(file), _) => {
            let source = input::record(file).map_err(|failure| match file.to_str().and_then(input::game_named) {
                // The name of a game instead of a record.
                Some(game) if !file.exists() => failure
                    .hint(format!("`postrider moves --game {}` lists the first moves of the game", game.info().name)),
                _ => failure,
            })?;
            let (mut opened, verdict) = input::open(&source, &name(file), u32::MAX)?;
            input::set_grain(opened.table.as_mut(), args.grain)?;
            if verdict.ruling == Ruling::Legal {
                known::warn(&opened, &source, &name(file));
            }
            if verdict.ruling == Ruling::Legal && (args.begun.is_some() || opened.header.info.stepwise) {
                return next(file, &mut opened, args.begun.as_deref().unwrap_or_default(), args.grain);
            }
            let list = opened.table.moves();
            if verdict.ruling != Ruling::Legal {
                // The writer of a refused entry wants to know what would be legal in its place.
                print(lines(&list))?;
                return Err(Failure::verdict(&source, &name(file), &verdict, false));
            }
            if verdict.outcome.is_some() {
                remark(&opened, file, None);
            }
            // Whoever can open the dice that are due sees the turns that may follow them.
            let list = match keys::after_openings(&opened)? {
                Some(after) if after.standing().outcome.is_none() => after.moves(),
                _ => list,
            };
            for (word, entry) in list.iter().filter_map(|word| Some((word, written_out(&opened, word)?))) {
                errln!("{}", stands_for(word, &entry));
            }
            list
        }
        (None, game) => {
            let game = input::game(game.as_deref().unwrap_or_default())?;
            let options = input::options(game, &args.option)?;
            let mut table = input::table(game, &options, args.position.as_deref())?;
            input::set_grain(table.as_mut(), args.grain)?;
            let list = table.moves();
            if game.info().stepwise {
                errln!("a turn begins with one of these");
            }
            selection(table.as_mut(), args.grain, &list);
            list
        }
    };
    print(lines(&list))?;
    Ok(ExitCode::SUCCESS)
}

/// What is said with a list: that the game is over, or that a turn only begins with what is listed.
fn remark(opened: &Opened<'_>, file: &Path, first: Option<&str>) {
    if let Some(outcome) = opened.table.standing().outcome {
        errln!("the game is over ({}): nothing can be entered", outcome.text(&opened.header.info.sides));
    } else if let Some(first) = first.filter(|_| opened.header.info.stepwise) {
        let (file, first) = (shell(file), quoted(first));
        errln!(
            "the entry begins with one of these; `postrider moves {file} {first}` lists what may come after that one"
        );
    }
}

/// Says so if a list leaves out some of the ways to split points.
fn selection(table: &mut dyn Table, grain: Option<u32>, list: &[String]) {
    if let Some(left) = input::left_out(table, grain, list) {
        left_out(left, grain, false);
    }
}

/// Says that so many actions are left out: of the list, or of the one from which it is `chosen` by its first characters.
fn left_out(left: u64, grain: Option<u32>, chosen: bool) {
    let advice = match grain {
        None if left <= 1_000_000 => "`--grain 1` lists all",
        None => "`--grain 10` lists more",
        Some(_) => "a larger `--grain` has fewer",
    };
    let whole = if chosen { " of the whole list" } else { "" };
    errln!("points can be split in so many ways that {left} actions{whole} are left out; {advice}");
}

/// Lists what may follow a beginning.
fn next(file: &Path, opened: &mut Opened<'_>, begun: &str, grain: Option<u32>) -> Result<ExitCode, Failure> {
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        remark(opened, file, None);
        return Ok(ExitCode::SUCCESS);
    }
    // Whoever can open what is due sees what may follow it.
    let after = if begun.is_empty() { keys::after_openings(opened)? } else { None };
    let (next, whole) = match after.filter(|after| after.standing().outcome.is_none()) {
        Some(after) => (Next { actions: after.moves(), whole: false, ..Next::default() }, ""),
        None => {
            let office = office()?;
            let mut keys = Keys::new(&office, opened, standing.due.side, true);
            desk::beginning(opened, begun, &mut keys).map_err(|refusal| refusals::refused(&name(file), refusal))?
        }
    };
    print(lines(&next.actions))?;
    if begun.is_empty() {
        selection(opened.table.as_mut(), grain, &next.actions);
    } else if next.left_out > 0 {
        left_out(next.left_out, grain, whole.len() < begun.len());
    }
    if whole.len() < begun.len() {
        // These are whole actions that begin with what was typed.
    } else if begun.is_empty() {
        remark(opened, file, next.actions.first().map(String::as_str));
    } else {
        errln!(
            "{}",
            match (next.whole, next.actions.is_empty()) {
                (true, true) => "the entry is complete: none of the game's actions may follow",
                (true, false) => "the entry may also end here",
                (false, _) => "the entry must continue",
            }
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(list: &[String]) -> String {
    list.iter().map(|entry| format!("{entry}\n")).collect()
}
