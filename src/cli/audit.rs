//! `postrider audit`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::{input, known, print};
use crate::desk::audit::{self, Proof};
use crate::verdict::{Ruling, faces};

/// Tell how every throw of a sealed game came about, and check the secrets published at its end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider audit game.pbem

Every text that is hashed is printed: `printf '%s' 'TEXT' | sha256sum` repeats it. examples/assassyn/recompute-dice.sh does so
for a whole record.

Exit codes: 0 all that can be checked holds, 1 something does not, or the record is not legal, 2 it could not be judged, 3 won, not \
proven: the winner's secret is not there, or not all that the winner chose follows from it.")]
pub(super) struct Args {
    /// The record; `-` for standard input
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let Some(report) = audit::report(&opened) else {
        return Err(Failure::trouble(format!("{origin} is played openly: nothing in it is sealed")));
    };
    print(&report.text)?;
    for wrong in faces::wrong_faces(&opened) {
        errln!("{origin}: warning: {}", hints::wrong_faces(opened.text, &wrong));
    }
    known::warn(&opened, &source, &origin);
    // What stands is told; then what stopped the replay.
    if verdict.ruling != Ruling::Legal {
        return Err(Failure::verdict(&source, &origin, &verdict, true));
    }
    Ok(ExitCode::from(match report.proof {
        _ if !report.sound => hints::REFUSED,
        Proof::Unproven(_) => hints::UNPROVEN,
        Proof::Proven | Proof::NothingToProve => 0,
    }))
}
