//! `postrider lsp`.

use std::io;
use std::process::ExitCode;

use crate::cli::hints::Failure;
use crate::cli::input;

/// Serve an editor: faults, boards, suggestions and canonical lines while a record is edited
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/lsp.txt"))]
pub(crate) struct Args {
    /// Use standard input and output, as always; some editors pass this option
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args) -> Result<ExitCode, Failure> {
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let left = postrider_editor::serve(&mut from, &mut to, || input::now(None).ok())
        .map_err(|error| Failure::trouble(format!("nothing more can be read of the editor: {error}")))?;
    // The protocol asks for a 1 if the editor leaves without having said so.
    Ok(if left { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
