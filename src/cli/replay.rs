//! `postrider replay`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::{input, print};
use crate::record::Item;
use crate::verdict::{Opened, Ruling};

/// Print the position after each entry: number, tab, position line
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  postrider replay game.pbem")]
pub(super) struct Args {
    /// The record; `-` for standard input
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (_, verdict) = input::open(&source, &origin, u32::MAX)?;
    let mut opened = Opened::new(&source).map_err(|verdict| Failure::verdict(&source, &origin, &verdict, true))?;
    let mut body = opened.body();
    let mut text = String::new();
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            let played = opened.table.standing().entries;
            if played == verdict.entries || opened.table.pass(opened.text, &entry).is_err() {
                break;
            }
            text.push_str(&format!("{}\t{}\n", played + 1, opened.table.position()));
        }
    }
    print(text)?;
    if verdict.ruling == Ruling::Legal {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    }
}
