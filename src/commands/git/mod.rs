//! `postrider git`: games in a repository, using git itself.

mod check;
mod history;
mod merge;
mod setup;
mod textconv;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::cli::hints::Failure;
use postrider_git::{Repository, short};

/// Keep games in a git repository: merged, checked, explained
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/git.txt"))]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(setup::Args),
    Check(check::Args),
    History(history::Args),
    Merge(merge::Args),
    #[command(hide = true)]
    Textconv(textconv::Args),
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Setup(args) => setup::run(args),
        Command::Check(args) => check::run(args),
        Command::History(args) => history::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Textconv(args) => textconv::run(args),
    }
}

/// The repository in which the program was called.
fn here() -> Repository {
    Repository::at(Path::new("."))
}

/// Says that a shallow clone ends at a commit.
fn tell_shallow(commit: &str) {
    errln!(
        "error: this clone is shallow: what commit {} changed is not known here\nhint: `git fetch --unshallow` brings what was before it",
        short(commit)
    );
}
