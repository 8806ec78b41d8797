//! `postrider log`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::{input, view};
use crate::commands::restore as known;
use postrider_board::render::log;
use postrider_kernel::Viewer;
use postrider_kernel::scene::Scene;
use postrider_referee::desk::export::{Wanted, rows_as_they_come};
use postrider_referee::verdict::{Opened, Ruling};

/// List the entries of a game: number, time, side, actions, message
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/log.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Show only this many of the newest entries
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<u32>,
    /// Describe in words what each entry did
    #[arg(long)]
    words: bool,
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
    let failed = verdict.ruling != Ruling::Legal;
    if !failed {
        known::warn(&opened, &source, &origin);
    }
    let first = args.last.map_or(0, |last| verdict.entries.saturating_sub(last));
    let widths = log::Widths::of(opened.header.info, verdict.entries);
    if verdict.entries == 0 {
        print("no entries yet\n")?;
    }
    let columns = view::columns().unwrap_or(usize::MAX);
    let mut failure = None;
    // What the first entry is compared with.
    let mut before: Option<Scene> =
        if args.words { Opened::new(&source).ok().map(|start| start.table.view(Viewer::Public)) } else { None };
    let wanted = Wanted { entries: true, ..Wanted::default() };
    let _ = rows_as_they_come(None, &source, wanted, |after, row| {
        let mut did = None;
        // One more is looked at, as what the first one shown is compared with.
        if args.words && row.number >= first {
            let mut scene = after.table.view(Viewer::Public);
            if let Some(before) = &before {
                scene.mark_since(before);
                did = scene.marks_in_words();
            }
            scene.marks.clear();
            before = Some(scene);
        }
        if row.number <= first {
            return true;
        }
        let text =
            if args.words { log::in_words(&row, did.as_deref(), columns) } else { log::lines(&row, &widths, columns) };
        failure = print(text).err();
        failure.is_none()
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    // First what is legal is shown, then what stopped the replay.
    if failed {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    } else {
        Ok(ExitCode::from(hints::code_of(verdict.ruling)))
    }
}
