//! `postrider answer`.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints::{Failure, arg};
use crate::cli::home::office;
use crate::commands::r#move::Given;
use postrider_home::entry::moves;
use postrider_kernel::Side;
use postrider_referee::verdict::Opened;

/// Make the reply that you prepared, or the entry that is forced
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/answer.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for you
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Do not use the replies that `postrider if` has stored
    #[arg(long)]
    no_conditions: bool,
    #[command(flatten)]
    given: Given,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if crate::cli::input::is_stdin(&args.file) && !args.given.dry_run {
        return Err(Failure::trouble("an answer goes into a file, not to standard input"));
    }
    args.given.enter(&args.file, None, !args.no_conditions)
}

/// What to type if the next entry is entirely forced and is the player's own, or it is not known whose; `None`
/// otherwise.
pub(crate) fn hint(opened: &Opened<'_>, origin: &str) -> Option<String> {
    let office = office().ok()?;
    let due = opened.table.standing().due.side;
    let own = crate::cli::home::side(opened);
    moves::is_forced(&office, opened, own.unwrap_or(due)).then(|| {
        let whose = if own.is_some() { "your next entry" } else { "the next entry" };
        format!("{whose} is forced: `postrider answer {}` makes it", arg(origin))
    })
}

/// Returns whether the next entry is entirely forced and belongs to this side.
pub(crate) fn is_forced(opened: &Opened<'_>, own: Side) -> bool {
    office().is_ok_and(|office| moves::is_forced(&office, opened, own))
}
