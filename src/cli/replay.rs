//! `postrider replay`.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure, name};
use super::{input, json, print};
use crate::record::Item;
use crate::sealing::Check;
use crate::verdict::{Opened, Ruling};

/// Print the position after each entry: number, tab, position line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider replay game.pbem
  postrider replay --json game.pbem      one object with all positions, for programs")]
pub(super) struct Args {
    /// The record; `-` for standard input
    pub(super) file: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

/// The most bytes of position lines that are printed. Where a position is of any size, as in Subsume, those of a long record can
/// together be thousands of times as long as the record; no real game comes near this.
const MOST_BYTES: usize = 128 << 20;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    verdict: &'static str,
    positions: Positions<'a>,
    errors: Vec<json::Fault>,
}

#[derive(Serialize)]
struct Position {
    entry: u32,
    position: String,
}

/// The positions of a record, which are replayed as they are printed: those of a long game are many times as long as its record.
struct Positions<'a> {
    source: &'a [u8],
    /// How many entries are legal.
    entries: u32,
    /// How many bytes they may have together.
    most: usize,
    /// The first position that would be too much, if any.
    cut: Cell<Option<u32>>,
}

impl<'a> Positions<'a> {
    fn each(&self) -> impl Iterator<Item = Position> + use<'_, 'a> {
        let mut opened = Opened::new(self.source).ok();
        let mut body = opened.as_mut().map(|opened| {
            // They were checked when the record was judged.
            opened.table.set_check(Check::Nothing);
            opened.body()
        });
        let (mut next, mut bytes) = (0, 0);
        std::iter::from_fn(move || {
            let (opened, body) = (opened.as_mut()?, body.as_mut()?);
            if next > self.entries || self.cut.get().is_some() {
                return None;
            }
            if next > 0 {
                let entry = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
                    Item::Entry(entry) => Some(entry),
                    _ => None,
                })?;
                opened.table.pass(opened.text, &entry).ok()?;
            }
            let position = opened.table.position();
            bytes += position.len();
            if bytes > self.most {
                self.cut.set(Some(next));
                return None;
            }
            next += 1;
            Some(Position { entry: next - 1, position })
        })
    }
}

impl Serialize for Positions<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.each())
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let standing = opened.table.standing();
    let positions = Positions { source: &source, entries: verdict.entries, most: MOST_BYTES, cut: Cell::new(None) };
    let code = if args.json {
        let report = Report {
            state: json::State::of(&origin, &opened.header, &standing),
            verdict: verdict.ruling.word(),
            positions,
            errors: json::faults(&source, &verdict),
        };
        json::stream(&report)?;
        if let Some(entry) = report.positions.cut.get() {
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
        if let Some(entry) = positions.cut.get() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_beyond_the_limit_are_left_out_and_the_first_of_them_is_known() {
        let source = b"---\npbem: 1\ngame: subsume\nid: subsume-growing\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
            started: 2026-11-21\noptions: {turn-limit: none}\n---\n1 white +a1A\n2 black +a8A\n3 white +a1A\n4 black +a8A\n";
        let all = |most: usize| {
            let positions = Positions { source, entries: 4, most, cut: Cell::new(None) };
            let lengths: Vec<usize> = positions.each().map(|one| one.position.len()).collect();
            (lengths, positions.cut.get())
        };
        let (lengths, cut) = all(MOST_BYTES);
        assert_eq!((lengths.len(), cut), (5, None));
        assert!(lengths[4] > lengths[2], "{lengths:?}");
        assert_eq!(all(lengths.iter().sum::<usize>() - 1), (lengths[..4].to_vec(), Some(4)));
        assert_eq!(all(0), (Vec::new(), Some(0)));
    }
}
