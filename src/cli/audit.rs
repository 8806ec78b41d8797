//! `postrider audit`.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure, name};
use super::{input, json, known, print};
use crate::desk::audit::{self, Proof};
use crate::games::kernel::Side;
use crate::sealing::{Published, Seals};
use crate::verdict::{Opened, Ruling, Verdict};

/// Explain how every throw of a sealed game came about, and check the secrets published at its end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider audit game.pbem
  postrider audit --json game.pbem      for programs

Every text that is hashed is printed: `printf '%s' 'TEXT' | sha256sum` repeats the hash. examples/assassyn/recompute-dice.sh does \
this for a whole record.

Exit codes: 0 everything that can be checked is right, 1 something is wrong, or the record is not legal, 2 it could not be judged, \
3 won, not proven: the winner's secret is missing, or not everything the winner chose follows from it.")]
pub(super) struct Args {
    /// The record; `-` for standard input
    pub(super) file: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    verdict: &'static str,
    sound: bool,
    proof: &'static str,
    unproven: Option<&'static str>,
    owed_by: Option<&'static str>,
    owed: Option<&'static str>,
    seals: Vec<Seal<'a>>,
    throws: Vec<json::Throw<'a>>,
    text: &'a str,
    errors: Vec<json::Fault>,
}

#[derive(Serialize)]
struct Seal<'a> {
    label: &'a str,
    side: &'static str,
    entry: u32,
    opened: Option<u32>,
    payload: Option<&'a str>,
}

fn as_json(path: &str, source: &[u8], opened: &Opened<'_>, verdict: &Verdict, report: &audit::Report) -> String {
    let standing = opened.table.standing();
    let word = |side: Side| opened.header.info.sides[side.index()].word;
    let ledger = opened.table.seals();
    let published = ledger.map(Seals::published).unwrap_or_default();
    json::line(&Report {
        state: json::State::of(path, &opened.header, &standing),
        verdict: verdict.ruling.word(),
        sound: report.sound,
        proof: match report.proof {
            Proof::NothingToProve => "nothing to prove",
            Proof::Proven => "proven",
            Proof::Unproven(_) => "not proven",
        },
        owed_by: audit::owed_at_end(&standing).map(|(side, _)| word(side)),
        owed: audit::owed_at_end(&standing).map(|(_, what)| what),
        unproven: if let Proof::Unproven(side) = report.proof { Some(word(side)) } else { None },
        seals: published.iter().map(|one| seal(one, opened)).collect(),
        throws: ledger.map(|ledger| ledger.thrown().iter().map(json::Throw::of).collect()).unwrap_or_default(),
        text: &report.text,
        errors: json::faults(source, verdict),
    })
}

fn seal<'a>(one: &'a Published, opened: &Opened<'_>) -> Seal<'a> {
    Seal {
        label: &one.label,
        side: opened.header.info.sides[one.side.index()].word,
        entry: one.entry,
        opened: one.opened.as_ref().map(|by| by.entry),
        payload: one.opened.as_ref().map(|by| by.payload.as_str()),
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let Some(report) = audit::report(&opened) else {
        return Err(Failure::trouble(format!("{origin} is played openly: nothing in it is sealed")));
    };
    if args.json {
        print(as_json(&origin, &source, &opened, &verdict, &report))?;
    } else {
        print(&report.text)?;
    }
    for warning in hints::wrong_faces(&opened) {
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
