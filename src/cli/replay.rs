//! `postrider replay`.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure, name};
use super::{input, json, print};
use crate::record::Item;
use crate::verdict::{Opened, Ruling};

/// Print the position after each entry: number, tab, position line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider replay game.pbem
  postrider replay --json game.pbem      one object with all positions, for programs")]
pub(super) struct Args {
    /// The record; `-` for standard input
    file: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    verdict: &'static str,
    positions: Vec<Position>,
    errors: Vec<json::Fault>,
}

#[derive(Serialize)]
struct Position {
    entry: u32,
    position: String,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (_, verdict) = input::open(&source, &origin, u32::MAX)?;
    let mut opened = Opened::new(&source).map_err(|verdict| Failure::verdict(&source, &origin, &verdict, true))?;
    let mut body = opened.body();
    let mut positions = vec![Position { entry: 0, position: opened.table.position() }];
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            let played = opened.table.standing().entries;
            if played == verdict.entries || opened.table.pass(opened.text, &entry).is_err() {
                break;
            }
            positions.push(Position { entry: played + 1, position: opened.table.position() });
        }
    }
    if args.json {
        let standing = opened.table.standing();
        print(json::line(&Report {
            state: json::State::of(&origin, &opened.header, &standing),
            verdict: verdict.ruling.word(),
            positions,
            errors: json::faults(&source, &verdict),
        }))?;
        return Ok(ExitCode::from(hints::code_of(verdict.ruling)));
    }
    let line = |one: &Position| format!("{}\t{}\n", one.entry, one.position);
    print(positions.iter().skip(1).map(line).collect::<String>())?;
    if verdict.ruling == Ruling::Legal {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    }
}
