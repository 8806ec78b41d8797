//! `postrider git textconv`: a record as `git diff` shows it with boards.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints::Failure;
use crate::cli::input;
use crate::cli::out::print;
use postrider_board::render;
use postrider_board::render::Look;
use postrider_kernel::Viewer;
use postrider_referee::verdict::Opened;

/// Print a record with its board, for `git diff`
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file that git hands over
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    // Whatever it is, git wants a diff of it, so anything that is not a record is shown unchanged.
    let mut text = String::from_utf8_lossy(&source).into_owned();
    if let Ok(mut opened) = Opened::new(&source) {
        opened.replay(u32::MAX);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&render::board(&opened.table.view(Viewer::Public), Look::default()));
    }
    print(text)?;
    Ok(ExitCode::SUCCESS)
}
