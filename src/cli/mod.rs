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

pub mod acts;
pub mod chosen;
pub mod confirm;
pub mod doubts;
pub mod fair;
mod groups;
pub mod hints;
pub mod home;
pub mod input;
pub mod invited;
pub mod json;
pub mod keys;
mod opened;
pub mod out;
pub mod packed;
pub mod pager;
pub mod passphrase;
mod post;
mod program;
pub mod progress;
pub mod prompt;
pub mod refusals;
pub mod remind;
pub mod report;
pub mod terminal;
pub mod view;
pub mod withdrawn;
mod words;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::ErrorKind;

use hints::Failure;
use out::print;
use postrider_disk::folders::Folders;
pub use program::commands;
use program::{Command, command, example, wants_json};

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
    let first = args.get(1).and_then(|first| first.to_str());
    let mut as_json = false;
    let mut command = command(first);
    let named = command.try_get_matches_from_mut(&args).and_then(|mut matches| {
        as_json = wants_json(&matches);
        Command::from_arg_matches_mut(&mut matches)
    });
    // It lives as long as the program, and taking it apart is a good part of a short run.
    std::mem::forget(command);
    let mut named = match named {
        Ok(named) => named,
        Err(error) => {
            if error.kind() == ErrorKind::InvalidSubcommand
                && let Some((typed, hint)) = first.and_then(|typed| Some((typed, hints::command_meant(typed)?)))
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
    if named.writes()
        && let Ok(folders) = Folders::find()
    {
        postrider_disk::folders::sweep(&folders);
    }
    let found = named.find_records();
    let done = found.and_then(|()| match named {
        Command::Setup(args) => crate::commands::setup::run(&args),
        Command::Games(args) => crate::commands::games::run(&args),
        Command::Git(args) => crate::commands::git::run(&args),
        Command::Rules(args) => crate::commands::rules::run(&args),
        Command::New(args) => crate::commands::new::run(&args),
        Command::Invite(args) => crate::commands::invite::run(&args),
        Command::Show(args) => crate::commands::show::run(&args),
        Command::Log(args) => crate::commands::log::run(&args),
        Command::Picture(args) => crate::commands::picture::run(&args),
        Command::Page(args) => crate::commands::page::run(&args),
        Command::Moves(args) => crate::commands::moves::run(&args),
        Command::Clock(args) => crate::commands::clock::run(&args),
        Command::Status(args) => crate::commands::status::run(&args),
        Command::Play(args) => crate::commands::play::run(&args, |words| {
            let _ = run_with(words.into_iter().map(Into::into));
        }),
        Command::Move(args) => crate::commands::r#move::run(&args),
        Command::Answer(args) => crate::commands::answer::run(&args),
        Command::Undo(args) => crate::commands::undo::run(&args),
        Command::If(args) => crate::commands::r#if::run(&args),
        Command::Audit(args) => crate::commands::audit::run(&args),
        Command::Stamp(args) => crate::commands::stamp::run(&args),
        Command::Countersign(args) => crate::commands::countersign::run(&args),
        Command::Evidence(args) => crate::commands::evidence::run(&args),
        Command::Secret(args) => crate::commands::secret::run(&args),
        Command::Key(args) => crate::commands::key::run(&args),
        Command::Decks(args) => crate::commands::decks::run(&args),
        Command::Verify(args) => crate::commands::verify::run(&args),
        Command::Replay(args) => crate::commands::replay::run(&args),
        Command::Export(args) => crate::commands::export::run(&args),
        Command::Table(args) => crate::commands::table::run(&args),
        Command::Pack(args) => crate::commands::pack::run(&args),
        Command::Unpack(args) => crate::commands::pack::unpack(&args),
        Command::Learn(args) => crate::commands::learn::run(&args),
        Command::Practice(args) => crate::commands::practice::run(&args),
        Command::Review(args) => crate::commands::review::run(&args),
        Command::Lsp(args) => crate::commands::lsp::run(&args),
        Command::Match(args) => crate::commands::r#match::run(&args),
        Command::Perft(args) => crate::commands::perft::run(&args),
        Command::Fmt(args) => crate::commands::fmt::run(&args),
        Command::Send(args) => crate::commands::send::run(&args),
        Command::Receive(args) => crate::commands::receive::run(&args),
        Command::Host(args) => crate::commands::host::run(&args),
        Command::Invitations(args) => crate::commands::accept::list(args.json),
        Command::Accept(args) => crate::commands::accept::run(&args),
        Command::Decline(args) => crate::commands::accept::decline(&args),
        Command::Doctor(args) => crate::commands::doctor::run(&args),
        Command::Own(args) => crate::commands::own::run(&args),
        Command::Backup(args) => crate::commands::backup::run(&args),
        Command::Restore(args) => crate::commands::restore::run(&args),
        Command::Completions(args) => crate::commands::completions::run(&args),
    });
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
