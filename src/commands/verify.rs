//! `postrider verify`.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::cli::doubts::Known;
use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::{print, print_bytes, still_read};
use crate::cli::packed;
use crate::cli::packed::Progressing;
use postrider_archive::forges::{Body, Form, Pieces};
use postrider_archive::judging::{Asked, JudgedRecord, Judging, newest_receipts};
use postrider_archive::lines::{self, Line};
use postrider_archive::sources;
use postrider_archive::sources::{Input, Source};
use postrider_board::report;
use postrider_board::report::Report;
use postrider_disk::found::Found;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_referee::verdict::Ruling;

/// Judge records: entries, clocks, signatures, results
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/verify.txt"))]
pub(crate) struct Args {
    /// Records, folders of records (`*.pbem`), archives (`*.jsonl`, `*.jsonl.zst`); `-` for standard input
    #[arg(required_unless_present = "batch")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read records as lines of JSON, and answer each with a line of JSON
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    batch: bool,
    /// Check only the newest signature of each side (Z34), which is faster
    #[arg(long)]
    newest: bool,
    /// Also require that both sides sign with your own key or with one that you trust (`postrider key trust`)
    #[arg(long)]
    trusted: bool,
    /// Also check the time stamps of each record (`postrider proof stamp`) with openssl, given a file of certificate authorities (PEM)
    #[arg(long, value_name = "AUTHORITIES")]
    stamps: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value = "text", conflicts_with_all = ["batch", "quiet", "verbose"])]
    format: Format,
    /// Print one JSON object per record, as `--format json` does
    #[arg(long, conflicts_with_all = ["format", "verbose"])]
    json: bool,
    /// Print nothing; the exit code says it all
    #[arg(short, long, conflicts_with_all = ["json", "verbose"])]
    quiet: bool,
    /// Show the line, with a caret under what is wrong
    #[arg(short, long)]
    verbose: bool,
}

/// How the verdicts are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line per record, or per fault
    #[default]
    Text,
    /// One JSON object per record
    Json,
    /// Commands of a GitHub workflow, which marks the lines
    Github,
    /// JUnit's XML, a test case per record
    Junit,
    /// SARIF 2.1.0, a result per fault
    Sarif,
}

impl Args {
    /// The form of the document that is printed, if it is one.
    fn form(&self) -> Option<Form> {
        match self.format {
            Format::Text | Format::Json => None,
            Format::Github => Some(Form::Github),
            Format::Junit => Some(Form::Junit),
            Format::Sarif => Some(Form::Sarif),
        }
    }

    fn wants_objects(&self) -> bool {
        self.json || self.batch || self.format == Format::Json
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let known = Known::here(!args.quiet || args.trusted);
    let pieces = args.form().map(Pieces::of);
    let mut told = Told { args, worst: 0, pending: String::new(), body: pieces.as_ref().map(|_| Body::new()) };
    let done = judge_all(args, &known, pieces.as_ref(), &mut told);
    // What was done is reported, however the run ended.
    told.flush()?;
    let (worst, body) = (told.worst, told.body);
    if let (Some(pieces), Some(mut body)) = (pieces, body) {
        // A document is whole, and says why the run ended.
        if let Err(failure) = &done {
            let report = Report::unjudged(None, failure.message().into_owned());
            body.put(&pieces.piece(None, &report, 0, Duration::ZERO)).map_err(kept)?;
        }
        printed(body.document(pieces).map_err(kept)?)?;
    }
    done.map(|()| ExitCode::from(worst))
}

/// Takes the exit codes of records and what is printed of them.
struct Told<'a> {
    args: &'a Args,
    worst: u8,
    pending: String,
    /// What is printed, if it is a document.
    body: Option<Body>,
}

impl Told<'_> {
    /// Takes what is printed of some records. A line at a time would be a system call each.
    fn add(&mut self, (code, text): (u8, String)) -> Result<(), Failure> {
        self.worst = worse(self.worst, code);
        match self.pending.is_empty() {
            true => self.pending = text,
            false => self.pending.push_str(&text),
        }
        if self.pending.len() > 64 * 1024 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let text = std::mem::take(&mut self.pending);
        match &mut self.body {
            _ if self.args.quiet || text.is_empty() => Ok(()),
            Some(body) => body.put(&text).map_err(kept),
            None => print(text),
        }
    }
}

/// Judges everything that is named, in order.
fn judge_all(args: &Args, known: &Known, pieces: Option<&Pieces>, told: &mut Told<'_>) -> Result<(), Failure> {
    let judging = Judging { newest: args.newest, trusted: args.trusted, stamps: args.stamps.as_ref(), knows: known };
    let judge = Judge { args, judging, pieces };
    // The paths in an archive were chosen by its maker, so no file is looked up by them.
    let known = known.of_keys_only();
    let within = Judge { judging: Judging { knows: &known, ..judging }, ..judge };
    let (mut records, mut paths) = (Vec::new(), Vec::new());
    let archive = |path: &Path, source: Source, told: &mut Told<'_>| {
        let name = path_text(path);
        let name = (!args.batch).then_some(&*name);
        let as_rows = args.wants_objects() || pieces.is_some();
        // What is missing is reported; it is an answer of its own only where each line has one.
        let gap = |why| if as_rows { within.answer(name, Err(why)) } else { (hints::TROUBLE, String::new()) };
        let mut watch = Progressing::of(|some: Option<_>| match some {
            Some(some) => told.add(some),
            None if sources::is_stdin(path) => told.flush().and_then(|()| still_read()),
            None => told.flush(),
        });
        sources::read_archive(path, source, &|line| within.answer(name, line), gap, &mut watch)
    };
    let unread = |path: &Path, error: io::Error| Failure::reading(path, &error);
    let stdin = PathBuf::from("-");
    for path in if args.batch && args.paths.is_empty() { std::slice::from_ref(&stdin) } else { &args.paths } {
        if args.batch || sources::is_archive(path) {
            archive(path, sources::open(path).map_err(|error| unread(path, error))?, told)?;
        } else if sources::is_stdin(path) {
            match sources::standard_input().map_err(|error| unread(path, error))? {
                Input::Archive(source) => archive(path, source, told)?,
                Input::Record(source) => records.push(source),
            }
        } else {
            paths.push(path.clone());
        }
    }
    let mut text = String::new();
    for source in records {
        let code = judge.report(Path::new("-"), Ok(&source), &mut text);
        told.add((code, std::mem::take(&mut text)))?;
    }
    let found = postrider_disk::finding::find(&paths);
    let report = |(worst, text): &mut (u8, String), found: &Found, read: Result<&[u8], io::Error>| {
        *worst = worse(*worst, judge.report(found.path(), read, text));
    };
    // A single record is judged faster than a handler is set.
    let mut progress = (found.len() > 1).then(|| packed::progress(Some(found.len() as u64)));
    postrider_disk::walking::gather(&found, report, |some: (u8, String), records| match &mut progress {
        Some(progress) => progress.aside(|| told.add(some)).and_then(|()| progress.more(records as u64)),
        None => told.add(some),
    })
}

/// Returns the worse of two exit codes: what could not be judged outweighs what is illegal, and that outweighs a key that is not
/// trusted.
fn worse(one: u8, other: u8) -> u8 {
    let weight = |code: u8| if code == hints::UNPROVEN { 1 } else { 2 * code };
    if weight(other) > weight(one) { other } else { one }
}

/// How records are judged, and what is printed of them.
#[derive(Clone, Copy)]
struct Judge<'a> {
    args: &'a Args,
    judging: Judging<'a>,
    /// The pieces of the document that is printed, if it is one.
    pieces: Option<&'a Pieces>,
}

impl Judge<'_> {
    /// Judges what was read from a file, adds to `text` what is to be printed about it, and returns its exit code.
    fn report(&self, file: &Path, read: Result<&[u8], io::Error>, text: &mut String) -> u8 {
        let path = &*path_text(file);
        match read {
            Ok(source) => self.judged(file, path, source, text),
            Err(error) => {
                let why = format!("cannot be read: {error}");
                text.push_str(
                    &match self.object(None, 0, Instant::now(), || Report::unjudged(Some(path), why.clone())) {
                        Some(object) => object,
                        None => format!("{}: unjudged: {why}\n", printable(path)),
                    },
                );
                hints::TROUBLE
            }
        }
    }

    /// Returns what is printed of a record where that is no text for people. The last `against` warnings count against it. `since`: when its
    /// judging began.
    fn object<'r>(
        &self,
        archive: Option<&str>,
        against: usize,
        since: Instant,
        report: impl FnOnce() -> Report<'r>,
    ) -> Option<String> {
        match self.pieces {
            Some(pieces) => Some(pieces.piece(archive, &report(), against, since.elapsed())),
            None if self.args.wants_objects() => Some(report::line(&report())),
            None => None,
        }
    }

    fn judged(&self, file: &Path, path: &str, source: &[u8], text: &mut String) -> u8 {
        let since = Instant::now();
        let judged = self.judging.judge(file, source);
        let code = code_of(&judged);
        if self.args.quiet {
            return code;
        }
        let JudgedRecord { verdict, warnings, against, has_receipts, stamps, .. } = judged;
        let warnings: Vec<String> = warnings.into_iter().map(hints::warning).collect();
        match self.object(None, against, since, || {
            Report::of(Some(path), source, &verdict, warnings.clone()).with_stamps(&stamps)
        }) {
            Some(object) => text.push_str(&object),
            None if verdict.ruling == Ruling::Legal => {
                report::legal_in_a_line(path, &verdict, &warnings, text);
                if let Some((info, newest)) = has_receipts.then(|| newest_receipts(source)).flatten() {
                    text.push_str(&report::receipts_in_lines(path, info, newest));
                }
            }
            None if self.args.verbose => text.push_str(&hints::report(source, &printable(path), &verdict, true)),
            None => text.push_str(&report::faults_in_lines(path, source, &verdict)),
        }
        code
    }

    /// The answer to a line of an archive; `archive` is the name to report for the archive, if any.
    fn answer(&self, archive: Option<&str>, line: Result<&[u8], String>) -> (u8, String) {
        let with_members = |object: String, rest: &[(Cow<'_, str>, &RawValue)]| match self.pieces {
            Some(_) => object,
            None => lines::answered(object, archive, rest),
        };
        let since = Instant::now();
        let line = match line.and_then(Line::read) {
            Ok(line) => line,
            Err(why) => {
                let answer = match self.object(archive, 0, since, || Report::unjudged(None, why.clone())) {
                    Some(object) => with_members(object, &[]),
                    None => format!("{}: unjudged: {why}\n", printable(archive.unwrap_or("-"))),
                };
                return (hints::TROUBLE, answer);
            }
        };
        let path = line.name();
        let path = path.as_deref();
        if self.pieces.is_none() && !self.args.wants_objects() {
            let place = format!("{}:{}", archive.unwrap_or("-"), path.unwrap_or("?"));
            let mut text = String::new();
            let code = self.judged(Path::new(&place), &place, &line.record, &mut text);
            return (code, text);
        }
        let judged = self.judging.judge(Path::new(path.unwrap_or_default()), &line.record);
        let code = code_of(&judged);
        let warnings = judged.warnings.into_iter().map(hints::warning).collect();
        let report = || Report::of(path, &line.record, &judged.verdict, warnings).with_stamps(&judged.stamps);
        let object = self.object(archive, judged.against, since, report).unwrap_or_default();
        (code, with_members(object, &line.rest))
    }
}

fn code_of(judged: &JudgedRecord) -> u8 {
    match judged.asked {
        Asked::Fulfilled => hints::code_of(judged.verdict.ruling),
        Asked::Unfulfilled => hints::UNPROVEN,
        Asked::Unknown => hints::TROUBLE,
    }
}

/// Prints a document.
fn printed(mut document: impl Read) -> Result<(), Failure> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match document.read(&mut bytes).map_err(kept)? {
            0 => return Ok(()),
            read => print_bytes(bytes.get(..read).unwrap_or_default())?,
        }
    }
}

fn kept(error: io::Error) -> Failure {
    Failure::trouble(format!("the report cannot be kept until it is whole: {error}"))
}
