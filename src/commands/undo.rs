//! `postrider undo`: takes the player's newest entry back while nobody has seen it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::refusals;
use postrider_board::render::sheet::in_brief;
use postrider_home::send::letters::Place;
use postrider_home::undo;
use postrider_home::undo::Undone;
use postrider_kernel::text::printable;
use postrider_referee::desk::undo::TakenBack;

/// Take your last entry back, while it is neither sent nor signed
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/undo.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for your opponent
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// You have not sent the letter about it: delete it, if it is in the outbox
    #[arg(long)]
    unsent: bool,
    /// Only say what would be taken back
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print JSON: what was taken back, as one object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The command for this record, without options.
    pub(crate) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    number: u32,
    side: &'static str,
    /// The entry that was taken back, without its message and what else stands behind it.
    taken_back: &'a str,
    written: bool,
    deleted: Vec<String>,
}

/// What is said once an entry was taken back, or would be: the game as it is without it.
fn said(args: &Args, origin: &str, taken: &TakenBack, line: &str, deleted: &[&PathBuf]) -> Result<(), Failure> {
    if args.json {
        let without = refusals::replayed(&taken.record, origin)?;
        return print(postrider_board::report::line(&Report {
            state: postrider_board::report::State::of(origin, &without.header, &without.table.standing()),
            number: taken.number,
            side: without.header.info.sides[taken.side.index()].word,
            taken_back: line,
            written: !args.dry_run,
            deleted: deleted.iter().map(|file| name(file)).collect(),
        }));
    }
    if args.dry_run {
        return print(format!("this entry would be taken back: {line}\nnothing was written\n"));
    }
    print(format!("taken back: {line}\n"))?;
    for file in deleted {
        errln!("the letter {} was deleted", name(file));
    }
    Ok(())
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (file, origin) = (&*args.file, name(&args.file));
    let Undone { taken, deleted } =
        undo::take_back(&*office()?, Place { file, name: &origin }, args.unsent, args.dry_run)?;
    let line = in_brief(&printable(&taken.line));
    let deleted: Vec<&PathBuf> = deleted.iter().collect();
    let told = said(args, &origin, &taken, &line, &deleted);
    if args.dry_run {
        told?;
    } else {
        crate::cli::out::shown("the entry was taken back", told);
    }
    Ok(ExitCode::SUCCESS)
}
