//! `postrider games`.

use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::{input, view};
use postrider_board::render::sheet::folded;
use postrider_kernel::{Info, OptionSpec};
use postrider_referee::registry::GAMES;
use postrider_referee::rulebook;

/// The width of the text where nothing else is known.
const COLUMNS: usize = 80;

/// List the games, or explain one in a minute
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/games.txt"))]
pub(crate) struct Args {
    /// The game to explain
    game: Option<String>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Game {
    game: &'static str,
    title: &'static str,
    about: &'static str,
    sides: [&'static str; 2],
    rules: u64,
    sealable: bool,
    stepwise: bool,
    options: Vec<Choice>,
}

#[derive(Serialize)]
struct Choice {
    option: &'static str,
    values: String,
    default: &'static str,
    about: &'static str,
}

fn as_json(info: &'static Info) -> String {
    let choice = |option: &OptionSpec| Choice {
        option: option.name,
        values: option.values.describe(),
        default: option.default,
        about: option.about,
    };
    postrider_board::report::line(&Game {
        game: info.name,
        title: info.title,
        about: info.about,
        sides: info.sides.map(|side| side.word),
        rules: info.edition,
        sealable: info.sealable,
        stepwise: info.stepwise,
        options: info.options.iter().map(choice).collect(),
    })
}

/// The game in a minute, with its boards, and how to go on from there.
fn minute(info: &'static Info) -> String {
    let columns = view::columns().unwrap_or(COLUMNS).min(COLUMNS);
    let mut text = format!("{} in a minute\n\n", info.title);
    if let Some(minute) = rulebook::in_a_minute(info.name) {
        let boards = minute.boards.iter().map(Some).chain(std::iter::repeat(None));
        for (paragraph, board) in minute.paragraphs.iter().zip(boards) {
            text.push_str(&format!(
                "{}\n\n{}",
                folded(paragraph, columns).join("\n"),
                board.map(|board| format!("{board}\n")).unwrap_or_default()
            ));
        }
    }
    let name = info.name;
    text.push_str(&format!(
        "postrider learn {name}     short lessons, with one thing to do in each\npostrider practice {name}  a game against the machine\npostrider rules {name}     the rulebook\n\n"
    ));
    text
}

/// What stands below the list of games.
const MORE: &str = "`postrider games asalto` shows a game in a minute, and its options\n";

/// What a game is, and its sides.
fn heading(info: &Info) -> String {
    let [first, second] = info.sides.map(|side| side.word);
    let about = format!("{}  {}: {}", info.name, info.title, info.about);
    hints::within(&format!("{about}\n  sides    {first}, {second}\n"), view::columns().unwrap_or(usize::MAX))
}

/// The rule options of a game, below each other.
fn options(info: &Info) -> String {
    const INDENT: usize = 11;
    let columns = view::columns().unwrap_or(usize::MAX).saturating_sub(INDENT).max(INDENT);
    let mut text = String::new();
    for (index, option) in info.options.iter().enumerate() {
        let label = if index == 0 { "options" } else { "" };
        let values = option.values.describe();
        let row = format!("{}: {values} ({}); {}", option.name, option.default, option.about);
        let row = folded(&row, columns).join(&format!("\n{:INDENT$}", ""));
        text.push_str(&format!("  {label:7}  {row}\n"));
    }
    text
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let named = args.game.as_deref().map(input::game).transpose()?;
    let games = named.map_or_else(|| GAMES.to_vec(), |game| vec![game]);
    if args.json {
        print(games.iter().map(|game| as_json(game.info())).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    match named {
        Some(game) => print(format!("{}{}{}", minute(game.info()), heading(game.info()), options(game.info()))),
        None => print(games.iter().map(|game| heading(game.info())).collect::<String>() + MORE),
    }?;
    Ok(ExitCode::SUCCESS)
}
