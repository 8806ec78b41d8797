//! `postrider games`.

use std::process::ExitCode;

use super::hints::Failure;
use super::print;
use crate::registry::GAMES;

/// List the games, their sides and their options
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  postrider games")]
pub(super) struct Args {}

pub(super) fn run(_: &Args) -> Result<ExitCode, Failure> {
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
    print(text)?;
    Ok(ExitCode::SUCCESS)
}
