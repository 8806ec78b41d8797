//! `postrider verify`.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure};
use super::{input, print};
use crate::archive::{self, Found};
use crate::render::diagnostic;
use crate::text::{LineIndex, printable};
use crate::verdict::{Ruling, Verdict, verify};

/// Judge records: every entry, the clocks, the result
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider verify game.pbem
  postrider verify -v game.pbem           with the line and a caret under what is wrong
  postrider verify games/ --json          every record below a folder, one JSON object a line
  git show HEAD:game.pbem | postrider verify -

Exit codes: 0 all legal, 1 one is illegal or malformed, 2 one could not be judged.")]
pub(super) struct Args {
    /// Records, and folders that hold some (`*.pbem`); `-` for standard input
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print one JSON object a record
    #[arg(long, conflicts_with = "verbose")]
    json: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long, conflicts_with_all = ["json", "verbose"])]
    quiet: bool,
    /// Show the line with a caret under what is wrong
    #[arg(short, long)]
    verbose: bool,
}

/// A record's verdict as JSON.
#[derive(Serialize)]
struct Report<'a> {
    path: &'a str,
    verdict: &'static str,
    game: Option<&'static str>,
    entries: u32,
    due: Option<&'static str>,
    result: Option<String>,
    errors: Vec<Error<'a>>,
}

#[derive(Serialize)]
struct Error<'a> {
    entry: Option<u32>,
    line: Option<usize>,
    column: Option<usize>,
    rule: Option<&'a str>,
    message: String,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    let mut tell = |(code, text): (u8, String)| {
        // What could not be judged weighs more than what is illegal.
        worst = worst.max(code);
        if args.quiet || text.is_empty() { Ok(()) } else { print(text) }
    };
    let mut paths = Vec::new();
    for path in &args.paths {
        if input::is_stdin(path) {
            let source = input::record(path)?;
            tell(report(args, "-", Ok((&source, verify(&source)))))?;
        } else {
            paths.push(path.clone());
        }
    }
    let found = archive::find(&paths);
    let mut pending = String::new();
    let judged = |found: &Found, result: Result<(&[u8], Verdict), io::Error>| {
        let (Found::Record(path) | Found::Unreadable(path, _) | Found::NoRecord(path)) = found;
        report(args, &path.to_string_lossy(), result)
    };
    archive::judge(&found, judged, |(code, text): (u8, String)| {
        pending.push_str(&text);
        let full = pending.len() > 64 * 1024;
        tell((code, if full { std::mem::take(&mut pending) } else { String::new() }))
    })?;
    tell((0, pending))?;
    Ok(ExitCode::from(worst))
}

fn report(args: &Args, path: &str, judged: Result<(&[u8], Verdict), io::Error>) -> (u8, String) {
    match judged {
        Err(error) if args.json => {
            let error = Error {
                entry: None,
                line: None,
                column: None,
                rule: None,
                message: format!("cannot be read: {error}"),
            };
            let report = Report {
                path,
                verdict: Ruling::Unjudged.word(),
                game: None,
                entries: 0,
                due: None,
                result: None,
                errors: vec![error],
            };
            (hints::TROUBLE, json(&report))
        }
        Err(error) => (hints::TROUBLE, format!("{}: unjudged: cannot be read: {error}\n", printable(path))),
        Ok((source, verdict)) => {
            let code = hints::code_of(verdict.ruling);
            let text = match () {
                () if args.quiet => String::new(),
                () if args.json => as_json(path, source, &verdict),
                () if verdict.ruling == Ruling::Legal => legal(path, &verdict),
                () if args.verbose => hints::report(source, &printable(path), &verdict, true),
                () => lines(path, source, &verdict),
            };
            (code, text)
        }
    }
}

/// `FILE: legal, 41 entries, besiegers due`.
fn legal(path: &str, verdict: &Verdict) -> String {
    let entries = verdict.entries;
    let plural = if entries == 1 { "entry" } else { "entries" };
    format!("{}: legal, {entries} {plural}, {}\n", printable(path), state(verdict))
}

fn state(verdict: &Verdict) -> String {
    let Some(game) = verdict.game else { return String::new() };
    match (verdict.outcome, verdict.due) {
        (Some(outcome), _) => outcome.text(&game.sides),
        (None, Some(side)) => format!("{} due", game.sides[side.index()].word),
        (None, None) => String::new(),
    }
}

/// A line for each error: `FILE:LINE:COL: T21: …`.
fn lines(path: &str, source: &[u8], verdict: &Verdict) -> String {
    let index = LineIndex::new(source);
    let path = printable(path);
    let mut text = String::new();
    for error in &verdict.errors {
        let place = index.place(error.span.start as usize);
        let line = diagnostic::line(error, verdict.ruling.word());
        text.push_str(&format!("{path}:{}:{}: {line}\n", place.line, place.column));
    }
    if verdict.more > 0 {
        text.push_str(&format!("{path}: and {} more faults\n", verdict.more));
    }
    text
}

fn as_json(path: &str, source: &[u8], verdict: &Verdict) -> String {
    let index = LineIndex::new(if verdict.errors.is_empty() { b"" } else { source });
    let errors = verdict.errors.iter().map(|error| {
        let place = index.place(error.span.start as usize);
        Error {
            entry: error.entry,
            line: Some(place.line),
            column: Some(place.column),
            rule: error.rule,
            message: error.line(),
        }
    });
    json(&Report {
        path,
        verdict: verdict.ruling.word(),
        game: verdict.game.map(|game| game.name),
        entries: verdict.entries,
        due: verdict.due.zip(verdict.game).map(|(side, game)| game.sides[side.index()].word),
        result: verdict.outcome.zip(verdict.game).map(|(outcome, game)| outcome.text(&game.sides)),
        errors: errors.collect(),
    })
}

fn json(report: &Report<'_>) -> String {
    // Texts and numbers always have a JSON form.
    serde_json::to_string(report).map(|line| line + "\n").unwrap_or_default()
}
