//! Completion at the shell's prompt, and `postrider completions`.
//!
//! A shell asks by running the program with `COMPLETE` set to its name, and with `--` as the first argument, followed
//! by what has been typed. The answer is one candidate per line. Nothing is locked or written, and if anything goes
//! wrong, the answer is empty.

mod entries;
mod shells;
mod values;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap_complete::engine::{self, CompletionCandidate};

use crate::cli::hints::Failure;
use crate::cli::out::print;
use postrider_kernel::text::is_steering;
use shells::Shell;

/// Builds the command line for arguments beginning with this one.
pub(crate) type Build = fn(Option<&str>) -> clap::Command;

/// Print the script by which your shell completes commands and moves
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/completions.txt"))]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    print(args.shell.script(&program()))?;
    Ok(ExitCode::SUCCESS)
}

/// Answers a shell that asks for candidates or for its script (`COMPLETE=bash postrider`). Returns whether there was
/// such a question.
pub(crate) fn answer(shell: &OsStr, args: &[OsString], build: Build) -> bool {
    let Some(shell) = Shell::named(shell) else { return false };
    match args {
        [] | [_] => {
            let _ = print(shell.script(&program()));
            true
        }
        [_, dashes, asked @ ..] if dashes == "--" => {
            let asked: Vec<String> = asked.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let _ = print(shell.answer(&asked, &|words| candidates(words, build)));
            true
        }
        _ => false,
    }
}

/// The command that the script runs: a name that is found on the `PATH`, or the place where this program was found.
fn program() -> String {
    let named = std::env::args_os().next().unwrap_or_default();
    let named = Path::new(&named);
    match std::env::current_dir() {
        Ok(here) if named.components().count() > 1 => here.join(named).to_string_lossy().into_owned(),
        _ => "postrider".to_owned(),
    }
}

/// A possible value for the last word, and what it is.
#[derive(Debug, PartialEq, Eq)]
struct Candidate {
    value: String,
    help: Option<String>,
}

/// Returns the possible values for the last of these words, the first of which is the program's name.
fn candidates(words: &[String], build: Build) -> Vec<Candidate> {
    let last = words.len().saturating_sub(1);
    let mut command = values::command(words, build);
    // Nothing is known about a command that does not exist.
    if let [_, first, _, ..] = words
        && !first.starts_with('-')
        && first != "help"
        && !command.get_subcommands().any(|one| one.get_name() == first)
    {
        return Vec::new();
    }
    let args = words.iter().map(OsString::from).collect();
    let here = std::env::current_dir().ok();
    let found = engine::complete(&mut command, args, last, here.as_deref()).unwrap_or_default();
    let mut found: Vec<Candidate> = found.iter().filter_map(candidate).collect();
    // Options are listed once a dash is typed; before that, they would only hide the other candidates.
    if words.last().is_none_or(String::is_empty) && found.iter().any(|one| !one.value.starts_with('-')) {
        found.retain(|one| !one.value.starts_with('-'));
    }
    found
}

fn candidate(found: &CompletionCandidate) -> Option<Candidate> {
    let value = found.get_value().to_str()?;
    // A file name may come from a stranger, and the shell prints it unchanged.
    if value.chars().any(|c| c.is_control() || is_steering(c)) {
        return None;
    }
    let help = found.get_help().map(ToString::to_string);
    let help = help.and_then(|help| help.lines().next().map(|line| line.replace('\t', " ")));
    Some(Candidate { value: value.to_owned(), help: help.filter(|help| !help.is_empty()) })
}
