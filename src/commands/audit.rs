//! `postrider proof audit`.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints;
use crate::cli::hints::{Failure, name};
use crate::cli::input;
use crate::cli::out::print;
use crate::commands::restore as known;
use postrider_archive::judging::wrong_faces;
use postrider_board::report::Audited;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::verdict::Ruling;

/// Explain how every throw of a sealed game came about, and check the secrets published at its end
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/audit.txt"))]
pub(crate) struct Args {
    /// The record; `-` for standard input
    pub(crate) file: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let Some(report) = audit::report(&opened) else {
        return Err(Failure::trouble(format!("{origin} is played openly: nothing in it is sealed")));
    };
    if args.json {
        print(postrider_board::report::line(&Audited::of(&origin, &source, &opened, &verdict, &report)))?;
    } else {
        print(&report.text)?;
    }
    for warning in wrong_faces(&opened).into_iter().map(hints::warning) {
        errln!("{origin}: warning: {warning}");
    }
    known::warn(&opened, &source, &origin);
    // First what is legal is reported, then what stopped the replay.
    if verdict.ruling != Ruling::Legal && args.json {
        return Ok(ExitCode::from(hints::code_of(verdict.ruling)));
    }
    if verdict.ruling != Ruling::Legal {
        return Err(Failure::verdict(&source, &origin, &verdict, true));
    }
    Ok(ExitCode::from(match report.proof {
        _ if !report.sound => hints::REFUSED,
        Proof::Unproven(_) => hints::UNPROVEN,
        Proof::Proven | Proof::NothingToProve => 0,
    }))
}
