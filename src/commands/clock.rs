//! `postrider clock`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::cli::out::print;
use crate::cli::{input, view};
use crate::commands::restore as known;
use postrider_board::render::{clocks as words, moment, sheet};
use postrider_board::report::{ClockReport, Running};
use postrider_kernel::Side;
use postrider_kernel::text::names::path_text;
use postrider_referee::desk::clock::{Charged, account};
use postrider_referee::judging::in_words;
use postrider_referee::record::Time;
use postrider_referee::verdict::{Opened, Ruling};

/// Account for the clocks: time used, gained and left
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/clock.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Print JSON, one object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The command for this record, without options.
    pub(crate) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let charges = account(&source).map_err(|verdict| Failure::verdict(&source, &origin, &verdict, true))?;
    let now = input::now(None)?;
    if args.json {
        crate::cli::json::stream(&ClockReport::new(&path_text(&args.file), &opened, &charges, now))?;
    } else {
        if verdict.ruling == Ruling::Legal {
            known::warn(&opened, &source, &origin);
        }
        print_text(&origin, &opened, &charges, now)?;
    }
    // What is legal is accounted for, then what stopped the replay is reported.
    if verdict.ruling == Ruling::Legal {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    }
}

fn print_text(origin: &str, opened: &Opened<'_>, charges: &[Charged], now: Time) -> Result<(), Failure> {
    let standing = opened.table.standing();
    let side = |side: Side| opened.header.info.sides[side.index()];
    let Some(clocks) = standing.clocks else {
        return print(format!("{}  no clock: nobody's time is counted\n", opened.header.id));
    };
    print(format!("{}  {}\n\n", opened.header.id, words::granted(clocks.clock())))?;
    words::table(opened, charges, print)?;
    let mut text = String::new();
    let mut rows: Vec<(&str, String)> = Vec::new();
    match standing.outcome {
        Some(outcome) => rows.push(("result", outcome.text(&opened.header.info.sides))),
        None => {
            let due = standing.due.side;
            let since = standing.last.map(|last| format!(", since {}", moment::told(last, true))).unwrap_or_default();
            let forced = if clocks.is_forced() { ", a forced answer" } else { "" };
            let what = format!("{}{forced}", standing.due.what);
            rows.push(("due", format!("{} (entry {}): {what}{since}", side(due).word, standing.entries + 1)));
            match Running::of(&standing, now) {
                Some(running) => rows.push((side(due).word, running.told())),
                None => rows.push(("clock", "the first entry starts it".into())),
            }
            let waits = due.other();
            rows.push((side(waits).word, format!("{} left, not running", in_words(clocks.left(waits)))));
            if clocks.run_out(due, now) {
                let command = format!("`postrider move {} 'claim time'`", arg(origin));
                rows.push(("claim", format!("{} may claim time: {command}", side(waits).named())));
            }
        }
    }
    if clocks.clock().leave > 0 {
        for which in Side::BOTH {
            rows.push(("leave", format!("{} {}", side(which).word, words::leave(&clocks, which))));
        }
    }
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, value) in rows {
        let room = view::columns().unwrap_or(usize::MAX).saturating_sub(width + 2);
        let value = sheet::folded(&value, room).join(&format!("\n{:1$}", "", width + 2));
        text.push_str(&format!("{label:width$}  {value}\n"));
    }
    print(text)
}
