//! `postrider archive replay`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::{input, json};
use postrider_referee::desk::positions::Positions;
use postrider_referee::verdict::Ruling;

/// Print the position after each entry: number, tab, position line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider archive replay game.pbem
  postrider archive replay --json game.pbem      one object with all positions, for programs")]
pub(crate) struct Args {
    /// The record; `-` for standard input
    pub(crate) file: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    verdict: &'static str,
    positions: Positions<'a>,
    errors: Vec<postrider_board::report::Fault>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let standing = opened.table.standing();
    let positions = Positions::of(&source, verdict.entries);
    let code = if args.json {
        let report = Report {
            state: postrider_board::report::State::of(&origin, &opened.header, &standing),
            verdict: verdict.ruling.word(),
            positions,
            errors: postrider_board::report::faults(&source, &verdict),
        };
        json::stream(&report)?;
        if let Some(entry) = report.positions.cut() {
            return Err(too_much(&origin, entry));
        }
        ExitCode::from(hints::code_of(verdict.ruling))
    } else {
        let mut text = String::new();
        for one in positions.each().skip(1) {
            // Writing to a `String` never fails.
            let _ = writeln!(text, "{}\t{}", one.entry, one.position);
            if text.len() > 64 * 1024 {
                print(std::mem::take(&mut text))?;
            }
        }
        print(text)?;
        if let Some(entry) = positions.cut() {
            return Err(too_much(&origin, entry));
        }
        if verdict.ruling != Ruling::Legal {
            return Err(Failure::verdict(&source, &origin, &verdict, true));
        }
        ExitCode::SUCCESS
    };
    Ok(code)
}

/// What is said where printing more positions would take too long.
fn too_much(origin: &str, entry: u32) -> Failure {
    Failure::trouble(format!(
        "the positions of {origin} are longer than any real game's; those from entry {entry} on are left out"
    ))
    .hint("`postrider show --position --at N` prints one of them")
}
