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
mod fmt;
mod games;
mod git;
mod groups;
mod hints;
mod home;
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
mod own;
mod pack;
mod packed;
mod page;
mod pager;
mod passphrase;
mod perft;
mod picture;
mod play;
mod practice;
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

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::store::{self, Folders};
use hints::Failure;

/// A play-by-email referee.
///
/// Two people play a board game by sending a text file, the record, back and forth. postrider replays the whole record to
/// judge every entry, names the rule that a move breaks, appends the next entry, and mails the record to the opponent.
#[derive(Debug, Parser)]
#[command(name = "postrider", version, propagate_version = true, max_term_width = 100, after_help = hints::EXIT_CODES)]
struct Program;

/// Lists the commands: each with its name and arguments.
macro_rules! commands {
    ($($variant:ident $name:literal $module:ident::$args:ident),* $(,)?) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($variant($module::$args)),*
        }

        /// One command by its name.
        fn one(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$module::$args as clap::Args>::augment_args(clap::Command::new($name))),)*
                _ => None,
            }
        }
    };
}

commands! {
    Setup "setup" setup::Args,
    Games "games" games::Args,
    Git "git" git::Args,
    Rules "rules" rules::Args,
    New "new" new::Args,
    Invite "invite" invite::Args,
    Show "show" show::Args,
    Log "log" log::Args,
    Picture "picture" picture::Args,
    Page "page" page::Args,
    Moves "moves" moves::Args,
    Clock "clock" clock::Args,
    Status "status" status::Args,
    Play "play" session::Args,
    Move "move" play::Args,
    Answer "answer" answer::Args,
    Undo "undo" undo::Args,
    If "if" conditions::Args,
    Verify "verify" verify::Args,
    Replay "replay" replay::Args,
    Export "export" export::Args,
    Table "table" table::Args,
    Pack "pack" pack::Args,
    Unpack "unpack" pack::UnpackArgs,
    Audit "audit" audit::Args,
    Stamp "stamp" stamp::Args,
    Countersign "countersign" countersign::Args,
    Evidence "evidence" evidence::Args,
    Secret "secret" secret::Args,
    Key "key" key::Args,
    Decks "decks" decks::Args,
    Learn "learn" learn::Args,
    Practice "practice" practice::Args,
    Review "review" review::Args,
    Lsp "lsp" lsp::Args,
    Match "match" contest::Args,
    Perft "perft" perft::Args,
    Fmt "fmt" fmt::Args,
    Send "send" send::Args,
    Receive "receive" receive::Args,
    Invitations "invitations" accept::ListArgs,
    Accept "accept" accept::Args,
    Decline "decline" accept::DeclineArgs,
    Doctor "doctor" doctor::Args,
    Own "own" own::Args,
    Backup "backup" backup::Args,
    Restore "restore" known::Args,
    Completions "completions" complete::Args,
}

/// Returns the command line for arguments beginning with this one. Building all commands takes longer than judging a
/// game, so if one is named, only that one is built.
fn command(first: Option<&str>) -> clap::Command {
    let program = Program::command();
    match first {
        Some("--version" | "-V") => program,
        named => match named.and_then(one) {
            Some(one) => program.subcommand(one).subcommand_required(true),
            None => groups::grouped(
                Command::augment_subcommands(program).subcommand_required(true).arg_required_else_help(true),
            ),
        },
    }
}

impl Command {
    /// Returns whether it may write the player's files.
    fn writes(&self) -> bool {
        let enters = matches!(
            self,
            Self::New(_) | Self::Invite(_) | Self::Move(_) | Self::Answer(_) | Self::Undo(_) | Self::If(_)
        );
        let keeps = matches!(
            self,
            Self::Play(_)
                | Self::Setup(_)
                | Self::Secret(_)
                | Self::Key(_)
                | Self::Accept(_)
                | Self::Decline(_)
                | Self::Practice(_)
                | Self::Restore(_)
        );
        enters || keeps || matches!(self, Self::Send(_) | Self::Receive(_) | Self::Status(_) | Self::Countersign(_))
    }
}

/// Returns the command line with all commands, for making the manual pages.
#[must_use]
pub fn commands() -> clap::Command {
    command(None)
}

/// Runs the program with the arguments of the process and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    match std::env::var_os("COMPLETE") {
        Some(shell) if complete::answer(&shell, &args) => ExitCode::SUCCESS,
        _ if args.len() < 2 && terminal::is_double_click() => opened::run(),
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
        Command::Play(args) => session::run(&args),
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
            // Where standard output takes nothing there is no other place for it.
            if !as_json || matches!(failure, Failure::Output(_)) || print(failure.as_json()).is_err() {
                err!("{failure}");
            }
            failure.code()
        }
    }
}

/// Whether the command that was named, or one below it, was given `--json` or `--format json`: then a failure too is an object on standard output.
fn wants_json(matches: &clap::ArgMatches) -> bool {
    let Some((_, below)) = matches.subcommand() else { return false };
    let by_format =
        || below.try_get_raw("format").ok().flatten().is_some_and(|mut words| words.any(|word| word == "json"));
    matches!(below.try_get_one::<bool>("json"), Ok(Some(true))) || by_format() || wants_json(below)
}

/// The first example of the command that these arguments name, from its help or from that of the command above it.
fn example(args: &[OsString]) -> Option<String> {
    let mut words = args.iter().skip(1).map_while(|arg| arg.to_str());
    let first = words.next()?;
    let program = command(Some(first));
    let mut above = vec![program.find_subcommand(first)?];
    let mut typed = format!("postrider {first} ");
    while let Some(below) = words.next().and_then(|word| above.last()?.find_subcommand(word)) {
        typed = format!("{typed}{} ", below.get_name());
        above.push(below);
    }
    let examples = above.iter().rev().filter_map(|named| Some(named.get_after_help()?.to_string())).find_map(|help| {
        let mut lines = help.lines().map(str::trim).skip_while(|line| !line.starts_with(&typed));
        let mut example = lines.next()?.to_owned();
        while let Some(begun) = example.strip_suffix('\\') {
            example = format!("{begun}{}", lines.next()?);
        }
        Some(example)
    });
    // What the example does is written after it.
    examples?.split("   ").next().map(str::to_owned)
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

/// Handles the result of showing something that is already done. If it could not be shown, that is a warning: it
/// changes neither what was done nor the exit code, which reports only that.
fn shown(done: &str, shown: Result<(), Failure>) {
    match shown {
        Err(Failure::Output(error)) => {
            errln!("warning: {done}, but standard output cannot be written to: {error}");
        }
        Err(failure) => errln!("warning: {done}, but it cannot be shown: {failure}"),
        Ok(()) => {}
    }
}

/// Writes to standard output. A reader may have seen enough (`| head`), which is not an error; the command continues,
/// because its exit code reports what it found or did. Colours are removed if it is not a terminal or `NO_COLOR` is
/// set.
fn print(text: impl AsRef<str>) -> Result<(), Failure> {
    // If there is nothing to remove, searching for it would take longer than making most texts.
    let bytes = text.as_ref().as_bytes();
    if !bytes.iter().fold(false, |any, &byte| any | (byte < b' ' && byte != b'\n') | (byte == 0x7f)) {
        return print_bytes(bytes);
    }
    print_from(|out| out.write_all(bytes))
}

/// Like [`print()`], for what takes only faults of input and output.
fn io_print(text: &str) -> io::Result<()> {
    print(text).map_err(|failure| match failure {
        Failure::Output(error) => error,
        failure => io::Error::other(failure.to_string()),
    })
}

/// Standard output, for whole texts: see [`print()`].
struct Printing;

impl Write for Printing {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        io_print(&String::from_utf8_lossy(text)).map(|()| text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Like [`print()`], for a text that is too long to be in memory as a whole.
fn print_from(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(Failure::Output),
    }
}

/// Writes bytes to standard output unchanged.
fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(Failure::Output),
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

    #[test]
    fn a_command_built_alone_is_the_same_as_among_all() {
        let all = command(None);
        for among in all.get_subcommands() {
            let name = among.get_name();
            let alone = command(Some(name));
            let alone = alone.get_subcommands().find(|alone| alone.get_name() == name).expect("it is built");
            assert_eq!(alone.clone().render_long_help().to_string(), among.clone().render_long_help().to_string());
            assert_eq!(alone.get_arguments().count(), among.get_arguments().count());
        }
        assert!(all.get_subcommands().count() > 20);
    }
}
