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

mod accept;
mod acts;
mod answer;
mod audit;
mod backup;
mod chosen;
mod clock;
mod complete;
mod conditions;
mod confirm;
mod contest;
mod countersign;
mod decks;
mod doctor;
mod doubts;
mod evidence;
mod export;
mod fair;
mod fmt;
mod games;
mod git;
mod groups;
mod hints;
mod home;
mod host;
mod input;
mod invite;
mod invited;
mod json;
mod key;
mod keys;
mod known;
mod learn;
mod log;
mod lsp;
mod moves;
mod new;
mod opened;
mod out;
mod own;
mod pack;
mod packed;
mod page;
mod pager;
mod passphrase;
mod perft;
mod picture;
mod play;
mod post;
mod practice;
mod program;
mod progress;
mod prompt;
mod receive;
mod refusals;
mod remind;
mod replay;
mod report;
mod review;
mod rules;
mod secret;
mod send;
mod session;
mod setup;
mod show;
mod stamp;
mod status;
mod table;
mod terminal;
mod undo;
mod verify;
mod view;
mod withdrawn;
mod words;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::ErrorKind;

use crate::store::{self, Folders};
use hints::Failure;
use out::print;
pub use program::commands;
use program::{Command, command, example, wants_json};

/// Runs the program with the arguments of the process and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    home::posts_by(&post::Transports);
    match std::env::var_os("COMPLETE") {
        Some(shell) if complete::answer(&shell, &args, command) => ExitCode::SUCCESS,
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
    let named = match verify::Args::plain(&args) {
        Some(args) => Ok(Command::Verify(args)),
        None => {
            let mut command = command(first);
            let named = command.try_get_matches_from_mut(&args).and_then(|mut matches| {
                as_json = wants_json(&matches);
                Command::from_arg_matches_mut(&mut matches)
            });
            // It lives as long as the program, and taking it apart is a good part of a short run.
            std::mem::forget(command);
            named
        }
    };
    let mut named = match named {
        Ok(named) => named,
        Err(error) => {
            if error.kind() == ErrorKind::InvalidSubcommand
                && let Some((typed, hint)) = first.and_then(|typed| Some((typed, hints::command_meant(typed)?)))
            {
                let failure =
                    Failure::trouble(format!("there is no command `{}`", crate::text::printable(typed))).hint(hint);
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
        store::sweep(&folders);
    }
    let found = named.find_records();
    let done = found.and_then(|()| match named {
        Command::Setup(args) => setup::run(&args),
        Command::Games(args) => games::run(&args),
        Command::Git(args) => git::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::New(args) => new::run(&args),
        Command::Invite(args) => invite::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Picture(args) => picture::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Moves(args) => moves::run(&args),
        Command::Clock(args) => clock::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Play(args) => session::run(&args, |words| {
            let _ = run_with(words.into_iter().map(Into::into));
        }),
        Command::Move(args) => play::run(&args),
        Command::Answer(args) => answer::run(&args),
        Command::Undo(args) => undo::run(&args),
        Command::If(args) => conditions::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Stamp(args) => stamp::run(&args),
        Command::Countersign(args) => countersign::run(&args),
        Command::Evidence(args) => evidence::run(&args),
        Command::Secret(args) => secret::run(&args),
        Command::Key(args) => key::run(&args),
        Command::Decks(args) => decks::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Unpack(args) => pack::unpack(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Practice(args) => practice::run(&args),
        Command::Review(args) => review::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Match(args) => contest::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Send(args) => send::run(&args),
        Command::Receive(args) => receive::run(&args),
        Command::Host(args) => host::run(&args),
        Command::Invitations(args) => accept::list(args.json),
        Command::Accept(args) => accept::run(&args),
        Command::Decline(args) => accept::decline(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Own(args) => own::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Restore(args) => known::run(&args),
        Command::Completions(args) => complete::run(&args),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_parser_is_read_as_the_parser_reads_it() {
        let parsed = |args: &[&str]| {
            let matches = command(Some("verify")).try_get_matches_from(args).ok()?;
            Command::from_arg_matches(&matches).ok()
        };
        let plain = |args: &[&str]| verify::Args::plain(&args.iter().map(Into::into).collect::<Vec<_>>());
        for paths in [&["a.pbem"][..], &["a", "b c", "verify", "help", "ä=1"]] {
            let args = [&["postrider", "verify"], paths].concat();
            let (Some(plain), Some(Command::Verify(parsed))) = (plain(&args), parsed(&args)) else {
                panic!("{args:?}")
            };
            assert_eq!(format!("{plain:?}"), format!("{parsed:?}"));
        }
        // All else is the parser's.
        for paths in [&[][..], &[""], &["a", ""], &["-"], &["--json", "a"], &["a", "--", "b"], &["-h"], &["help", "-q"]]
        {
            assert!(plain(&[&["postrider", "verify"], paths].concat()).is_none(), "{paths:?}");
        }
        assert!(plain(&["postrider", "show", "a"]).is_none());
        assert!(plain(&["postrider"]).is_none());
    }
}
