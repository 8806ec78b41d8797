//! `postrider games`.

use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure};
use super::{json, print, view};
use crate::games::kernel::{Info, OptionSpec};
use crate::registry::GAMES;

/// List the games with their sides and options
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  postrider games\n  postrider games --json      the same for programs")]
pub(super) struct Args {
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
    json::line(&Game {
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

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.json {
        print(GAMES.iter().map(|game| as_json(game.info())).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for game in GAMES {
        let info = game.info();
        let [first, second] = info.sides.map(|side| side.word);
        text.push_str(&format!("{}  {}: {}\n", info.name, info.title, info.about));
        text.push_str(&format!("  sides    {first}, {second}\n"));
        for (index, option) in info.options.iter().enumerate() {
            let label = if index == 0 { "options" } else { "" };
            let values = option.values.describe();
            text.push_str(&format!("  {label:7}  {}: {values} ({}); {}\n", option.name, option.default, option.about));
        }
    }
    print(hints::within(&text, view::columns().unwrap_or(usize::MAX)))?;
    Ok(ExitCode::SUCCESS)
}
