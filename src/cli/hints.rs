//! Exit codes, failures and hints: everything the program says when something is wrong passes through here, in one
//! style.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::render::diagnostic;
use crate::store::{FileError, Step};
use crate::text::{Diagnostic, LineIndex, printable, shell_word};
use crate::verdict::faces::WrongFaces;
use crate::verdict::{Ruling, Verdict};

/// What `--help` says of exit codes.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 legal, or done; 1 illegal or malformed, or refused; 2 could not be judged or done (usage, files, mail, \
an unknown format or game); 3 legal, but not proven (`verify --trusted`, `audit`).

`postrider COMMAND --help` shows examples of each command.";

/// The entry or the record is illegal or malformed.
pub(super) const REFUSED: u8 = 1;
/// It could not be judged or done.
pub(super) const TROUBLE: u8 = 2;
/// It is legal, but what was asked for beyond that is not proven: by `verify --trusted`, that both sides sign with
/// trusted keys; by `audit`, that nothing was stacked.
pub(super) const UNPROVEN: u8 = 3;

/// Describes a remark on a throw that is not true; `text` is the record.
pub(super) fn wrong_faces(text: &str, wrong: &WrongFaces) -> String {
    let line = LineIndex::new(text.as_bytes()).place(wrong.span.start as usize).line;
    let is = printable(wrong.span.text(text)).into_owned();
    match &wrong.right {
        Some(right) => {
            format!("line {line}: `{is}` is not what was thrown: `{right}`; `postrider fmt --faces` mends it")
        }
        None => format!("line {line}: `{is}`: nothing of the kind was thrown; `postrider fmt --faces` takes it out"),
    }
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(super) enum Failure {
    /// A record or an entry is refused; the whole report, ready to print.
    Refused(String),
    /// It could not be judged; the whole report, ready to print.
    Unjudged(String),
    /// Something else is in the way: a message and what to type next.
    Trouble(String, Option<String>),
    /// Standard output cannot be written to.
    Output(io::Error),
    /// Ctrl-C ended a long run; says how far it got.
    Stopped(String),
}

impl Failure {
    /// Something is in the way.
    pub(super) fn trouble(message: impl Into<String>) -> Self {
        Failure::Trouble(message.into(), None)
    }

    /// Adds a hint about what to do.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Failure::Trouble(message, _) => Failure::Trouble(message, Some(hint.into())),
            other => other,
        }
    }

    /// A file cannot be read.
    pub(super) fn reading(path: &Path, error: &io::Error) -> Self {
        let failure = Failure::trouble(format!("{} cannot be read: {error}", name(path)));
        match error.kind() {
            io::ErrorKind::NotFound => failure.hint("`postrider new --help` tells how to begin a record"),
            _ => failure,
        }
    }

    /// A file cannot be written. The error says whether it was.
    pub(super) fn writing(error: &FileError) -> Self {
        let failure = Failure::trouble(error.to_string());
        match error {
            FileError::Exists { .. } => failure.hint("choose another name with -o"),
            FileError::Io { step: Step::Lock | Step::Read, source, .. } if source.kind() == io::ErrorKind::NotFound => {
                failure.hint("`postrider new --help` tells how to begin a record")
            }
            _ => failure,
        }
    }

    /// A file that is not one of the player's records cannot be written.
    pub(super) fn writing_plain(path: &Path, error: &io::Error) -> Self {
        Failure::trouble(format!("{} cannot be written: {error}", name(path)))
    }

    /// The exit code.
    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Refused(_) => REFUSED,
            Failure::Stopped(_) => super::progress::STOPPED_BY_HAND,
            _ => TROUBLE,
        })
    }

    /// The report on a record that is not legal.
    pub(super) fn verdict(source: &[u8], origin: &str, verdict: &Verdict, commands: bool) -> Self {
        let report = report(source, origin, verdict, commands);
        match verdict.ruling {
            Ruling::Unjudged => Failure::Unjudged(report),
            _ => Failure::Refused(report),
        }
    }
}

impl Failure {
    /// The report on an entry that was typed, under this name, for the record `origin`.
    pub(super) fn entry(typed: &str, name: &str, origin: &str, verdict: &Verdict) -> Self {
        let index = LineIndex::new(typed.as_bytes());
        let excerpt = |error: &Diagnostic| {
            let hints = hints_for(error, verdict, origin);
            format!("{}\n\n", diagnostic::excerpt(error, &index, name, &hints, true))
        };
        Failure::Refused(verdict.errors.iter().map(excerpt).collect())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(report) | Failure::Unjudged(report) => f.write_str(report),
            Failure::Trouble(message, hint) => {
                writeln!(f, "error: {}", printable(message))?;
                hint.iter().try_for_each(|hint| writeln!(f, "hint: {}", printable(hint)))
            }
            Failure::Output(error) => writeln!(f, "error: standard output cannot be written to: {error}"),
            Failure::Stopped(message) => writeln!(f, "{message}"),
        }
    }
}

/// Returns the name of a file, safe to print.
pub(super) fn name(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// Returns a file name as one word for a shell, quoted if necessary, for a command that is to be typed.
pub(super) fn arg(name: &str) -> String {
    // A name that begins with `-` would be taken for an option.
    if name.starts_with('-') && name != "-" { shell_word(&format!("./{name}")) } else { shell_word(name) }
}

/// Returns a text in quotes, as one word for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns the name of a file as a shell reads it.
pub(super) fn shell(path: &Path) -> String {
    arg(&name(path))
}

/// The exit code of a ruling.
pub(super) fn code_of(ruling: Ruling) -> u8 {
    match ruling {
        Ruling::Legal => 0,
        Ruling::Illegal | Ruling::Malformed => REFUSED,
        Ruling::Unjudged => TROUBLE,
    }
}

/// Formats every error of a verdict as an excerpt, with what to type next if `commands` is set.
pub(super) fn report(source: &[u8], origin: &str, verdict: &Verdict, commands: bool) -> String {
    let index = LineIndex::new(source);
    let mut text = String::new();
    for error in &verdict.errors {
        let hints = if commands { hints_for(error, verdict, origin) } else { Vec::new() };
        text.push_str(&diagnostic::excerpt(error, &index, origin, &hints, true));
        text.push_str("\n\n");
    }
    if verdict.more > 0 {
        text.push_str(&format!("and {} more faults\n", verdict.more));
    }
    text
}

/// Returns what to type next.
fn hints_for(error: &Diagnostic, verdict: &Verdict, origin: &str) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(rule) = error.rule {
        // The rules of the envelope are in the rulebook about records, those of a game in its own.
        let book = match rule.as_bytes().first() {
            Some(b'E') => "record",
            Some(b'Z') => "sealing",
            _ => verdict.game.map_or("record", |game| game.name),
        };
        hints.push(format!("`postrider rules {book} {rule}` prints the rule"));
    } else if verdict.ruling == Ruling::Malformed && verdict.entries == 0 && error.entry.is_none() {
        hints.push("`postrider rules record` tells what a record looks like".into());
    }
    // Another move would not help where a signature does not hold.
    let by_signature = matches!(error.rule, Some("Z32" | "Z33"));
    if error.entry.is_some() && !by_signature && verdict.ruling != Ruling::Unjudged && verdict.outcome.is_none() {
        hints.push(format!("`postrider moves {}` lists every legal entry", arg(origin)));
    }
    hints
}
