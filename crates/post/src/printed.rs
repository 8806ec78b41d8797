//! A password or passphrase printed by a program that the player has named. The program is run without a shell.

use std::io;
use std::io::Read as _;
use std::process::{Command, ExitStatus, Stdio};

use zeroize::Zeroizing;

/// Why a program gave nothing. None of the texts contains anything that it printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintedFault {
    /// It could not be started.
    #[error("could not be started: {0}")]
    Start(io::Error),
    #[error("failed ({0})")]
    Failed(ExitStatus),
    /// What it printed could not be read.
    #[error("printed what could not be read: {0}")]
    Read(io::Error),
    /// Its first line is empty.
    #[error("printed an empty first line")]
    Empty,
    /// What it printed is not UTF-8.
    #[error("printed what is not UTF-8")]
    NotText,
}

/// Runs a program with its arguments and returns the first line that it prints. Its standard error is the player's terminal, so it can
/// ask and report there.
///
/// # Errors
/// If it prints none.
pub fn printed(words: &[String]) -> Result<Zeroizing<String>, PrintedFault> {
    postrider_disk::no_core::no_core();
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().map_err(PrintedFault::Start)?;
    // `Command::output` panics where a pipe cannot be read.
    let mut all = Zeroizing::new(Vec::new());
    let read = child.stdout.take().map_or(Ok(0), |mut out| out.read_to_end(&mut all));
    let status = child.wait().map_err(PrintedFault::Read)?;
    read.map_err(PrintedFault::Read)?;
    if !status.success() {
        return Err(PrintedFault::Failed(status));
    }
    let line = all.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) {
        Ok("") => Err(PrintedFault::Empty),
        Ok(line) => Ok(Zeroizing::new(line.to_owned())),
        Err(_) => Err(PrintedFault::NotText),
    }
}
