//! `postrider proof stamp`.

use std::path::PathBuf;
use std::process::ExitCode;

use data_encoding::HEXLOWER;
use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name, shell};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::refusals;
use crate::commands::restore as known;
use postrider_archive::stamps;
use postrider_archive::stamps::StampStanding;
use postrider_home::entry::way::Locked;
use postrider_home::own_game::OwnGame;
use postrider_home::records;
use postrider_home::send::letters::Place;

/// Have a time-stamping authority witness a record as it stands
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/stamp.txt"))]
pub(crate) struct Args {
    /// The record
    pub(crate) file: PathBuf,
    /// The certificate authorities (PEM) that vouch for the time-stamping authority
    #[arg(long, value_name = "FILE")]
    authorities: PathBuf,
    /// The program, with its arguments, that asks the authority: it reads the query on standard input and prints the reply
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<String>,
    /// Print JSON: what was stamped, as one object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    digest: String,
    time: String,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let office = office()?;
    let (mut lock, source) = records::take(&office, Place { file: &args.file, name: &origin })?;
    let desk = refusals::legal(&source, &origin)?;
    let entry = desk.opened.table.standing().entries;
    let Some(digest) = desk.digests.last().filter(|_| entry > 0) else {
        return Err(Failure::trouble(format!("{origin} has no entry yet: there is nothing to witness")));
    };
    known::guard(&desk.opened, &source, &origin, false)?;
    let reply = stamps::ask(&stamps::query(digest)?, &args.command)?;
    let at = match stamps::check(digest, &reply, &args.authorities)? {
        StampStanding::Holds(at) => at,
        StampStanding::HeldThen(_, day) => {
            return Err(Failure::trouble(format!(
                "the reply is not a valid stamp of entry {entry}: the authority's certificate expired on {day}"
            )));
        }
        StampStanding::Fails(why) => {
            return Err(Failure::trouble(format!("the reply is not a valid stamp of entry {entry}: {why}"))
                .hint("--authorities names the certificates (PEM) that vouch for the authority; nothing was written"));
        }
    };
    let Some(line) = stamps::remark(entry, &reply) else {
        return Err(Failure::trouble("the reply is too long for a line of a record"));
    };
    let mut text = source.clone();
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(line.as_bytes());
    let report = Report {
        state: postrider_board::report::State::of(&origin, &desk.opened.header, &desk.opened.table.standing()),
        digest: HEXLOWER.encode(digest),
        time: at.to_string(),
    };
    let game = &OwnGame::new(&office, &desk.opened.header.id);
    // It can be stamped again.
    let _ = Locked { file: &args.file, lock: &mut lock, source: &source }.write(game, &text, None)?;
    if args.json {
        crate::cli::out::shown("the stamp was written", print(postrider_board::report::line(&report)));
        return Ok(ExitCode::SUCCESS);
    }
    errln!(
        "{origin}: entry {entry} stamped at {at}; `postrider verify --stamps {} {}` checks it",
        shell(&args.authorities),
        shell(&args.file)
    );
    Ok(ExitCode::SUCCESS)
}
