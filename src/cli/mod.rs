//! The command line: one file per command, and one file for exit codes and hints.

/// Writes to standard error, like `eprint!`. If it is closed or full, there is nobody to tell and nothing else changes:
/// the command continues, and the exit code stays the same.
macro_rules! err {
    ($($told:tt)*) => {{
        use std::io::Write as _;
        let _ = anstream::stderr().write_all(format!($($told)*).as_bytes());
    }};
}

/// Like `err!`, with a line end, and folded to fit the terminal.
macro_rules! errln {
    ($($told:tt)*) => {
        err!("{}\n", $crate::cli::hints::fitting(&format!($($told)*)))
    };
}

pub(crate) mod acts;
pub(crate) mod begin;
pub(crate) mod chosen;
pub(crate) mod confirm;
pub(crate) mod doubts;
pub(crate) mod fair;
pub(crate) mod families;
pub(crate) mod groups;
pub(crate) mod hints;
pub(crate) mod home;
pub(crate) mod input;
pub(crate) mod invited;
pub(crate) mod json;
pub(crate) mod keys;
pub(crate) mod opened;
pub(crate) mod out;
pub(crate) mod packed;
pub(crate) mod pager;
pub(crate) mod passphrase;
pub(crate) mod post;
pub(crate) mod program;
pub(crate) mod progress;
pub(crate) mod refusals;
pub(crate) mod remind;
pub(crate) mod report;
pub(crate) mod session;
pub(crate) mod taken;
pub(crate) mod terminal;
pub(crate) mod view;
pub(crate) mod withdrawn;
pub(crate) mod words;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;

use hints::Failure;
use out::print;
use postrider_disk::folders::Folders;
pub use program::commands;
use program::{command, example, help_columns, laid_out, read, wants_json};

/// Runs the program with the arguments of the process and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    home::posts_by(&post::Transports);
    match std::env::var_os("COMPLETE") {
        Some(shell) if crate::commands::completions::answer(&shell, &args, command) => ExitCode::SUCCESS,
        _ if args.len() < 2 && terminal::is_double_click() => {
            opened::run(|| run_with(["postrider", "play"].map(Into::into)))
        }
        _ => run_with(args),
    }
}

/// Runs the program with these arguments, the first of which is the program's name.
#[must_use]
pub fn run_with(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if args.len() < 2 {
        return match print(begin::BARE) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                err!("{failure}");
                failure.code()
            }
        };
    }
    let first = args.get(1).and_then(|first| first.to_str());
    let mut as_json = false;
    let mut command = match first == Some("help") || args.iter().any(|arg| arg == "--help" || arg == "-h") {
        true => laid_out(command(first), help_columns()),
        false => command(first),
    };
    let named = command.try_get_matches_from_mut(&args).and_then(|mut matches| {
        as_json = wants_json(&matches);
        read(&mut matches)
    });
    // It lives as long as the program, and taking it apart is a good part of a short run.
    std::mem::forget(command);
    let mut named = match named {
        Ok(named) => named,
        Err(error) => {
            if error.kind() == ErrorKind::InvalidSubcommand
                && let Some((typed, hint)) = first.and_then(|typed| Some((typed, hints::meant(typed)?)))
            {
                let failure =
                    Failure::trouble(format!("there is no command `{}`", postrider_kernel::text::printable(typed)))
                        .hint(hint);
                err!("{failure}");
                return failure.code();
            }
            let code = help(&error);
            if error.kind() == ErrorKind::MissingRequiredArgument
                && let Some(example) = example(&args)
            {
                errln!("hint: for example, `{example}`");
            }
            return code;
        }
    };
    home::posts_by(&post::Transports);
    home::leave();
    // What a killed run was writing may be a secret.
    let writes = named.writes();
    if writes && let Ok(folders) = Folders::find() {
        postrider_disk::folders::sweep(&folders);
    }
    let found = named.find_records();
    let done = found.and_then(|()| named.run());
    if writes {
        home::sweep_outbox();
    }
    crate::commands::backup::by_itself();
    match done {
        Ok(code) => code,
        Err(failure) => {
            if matches!(&failure, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
                return failure.code();
            }
            // Where standard output takes nothing there is no other place for it.
            if !as_json || matches!(failure, Failure::Output(_)) || print(failure.as_json()).is_err() {
                err!("{failure}");
            }
            failure.code()
        }
    }
}

/// Shows what the parser of the command line says: help, the version, or what is wrong with the arguments.
fn help(error: &clap::Error) -> ExitCode {
    let wrong = error.use_stderr();
    match error.print() {
        Err(error) if !wrong && error.kind() != io::ErrorKind::BrokenPipe => {
            let failure = Failure::Output(error);
            err!("{failure}");
            failure.code()
        }
        _ if wrong => ExitCode::from(hints::TROUBLE),
        _ => ExitCode::SUCCESS,
    }
}
