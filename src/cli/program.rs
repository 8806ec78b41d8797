//! The commands: their names and arguments, and the records that they were given.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::chosen::{self, Meant, NOT_NAMED};
use super::hints::{self, Failure, arg, name};
use super::{groups, invited};
use crate::commands::{
    accept, answer, audit, backup, clock, completions as complete, countersign, decks, doctor, evidence, export, fmt,
    games, git, host, r#if as conditions, invite, key, learn, log, lsp, r#match as contest, r#move as play, moves, new,
    own, pack, page, perft, picture, play as session, practice, receive, replay, restore as known, review, rules,
    secret, send, setup, show, stamp, status, table, undo, verify,
};
use postrider_referee::record::is_game_id;

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
        pub(super) enum Command {
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
    Host "host" host::Args,
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
pub(super) fn command(first: Option<&str>) -> clap::Command {
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
    pub(super) fn writes(&self) -> bool {
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
        enters
            || keeps
            || matches!(self, Self::Send(_) | Self::Receive(_) | Self::Host(_) | Self::Status(_) | Self::Countersign(_))
    }
}

/// Returns the command line with all commands, for making the manual pages.
#[must_use]
pub fn commands() -> clap::Command {
    command(None)
}

/// Whether the command that was named, or one below it, was given `--json` or `--format json`: then a failure too is an object on standard output.
pub(super) fn wants_json(matches: &clap::ArgMatches) -> bool {
    let Some((_, below)) = matches.subcommand() else { return false };
    let by_format =
        || below.try_get_raw("format").ok().flatten().is_some_and(|mut words| words.any(|word| word == "json"));
    matches!(below.try_get_one::<bool>("json"), Ok(Some(true))) || by_format() || wants_json(below)
}

/// The first example of the command that these arguments name, from its help or from that of the command above it.
pub(super) fn example(args: &[OsString]) -> Option<String> {
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

impl Command {
    /// The records that it was given, and which game is meant if none was.
    fn records(&mut self) -> (Vec<&mut PathBuf>, Meant) {
        let meant = if matches!(self, Self::Send(_) | Self::Undo(_)) { Meant::Theirs } else { Meant::Yours };
        let files = match self {
            Self::Show(args) => vec![&mut args.file],
            Self::Log(args) => vec![&mut args.file],
            Self::Clock(args) => vec![&mut args.file],
            Self::Move(args) => vec![&mut args.file],
            Self::Answer(args) => vec![&mut args.file],
            Self::Undo(args) => vec![&mut args.file],
            Self::Send(args) => vec![&mut args.file],
            Self::If(args) => vec![&mut args.file],
            Self::Own(args) => vec![&mut args.file],
            Self::Replay(args) => vec![&mut args.file],
            Self::Audit(args) => vec![&mut args.file],
            Self::Countersign(args) => vec![&mut args.file],
            Self::Stamp(args) => vec![&mut args.file],
            Self::Review(args) => vec![&mut args.file],
            Self::Evidence(args) => vec![&mut args.file, &mut args.other],
            Self::Fmt(args) => args.files.iter_mut().collect(),
            Self::Verify(args) => args.paths.iter_mut().collect(),
            Self::Moves(args) => {
                if args.game.is_none() {
                    args.file.get_or_insert_with(|| NOT_NAMED.into());
                }
                args.file.iter_mut().collect()
            }
            Self::Play(args) => args.file.iter_mut().collect(),
            Self::Page(args) => args.file.iter_mut().collect(),
            Self::Picture(args) => args.files.iter_mut().collect(),
            _ => Vec::new(),
        };
        (files, meant)
    }

    /// Finds the records that were named by a game's id, or not at all.
    ///
    /// # Errors
    /// If several games can be meant, or none.
    pub(super) fn find_records(&mut self) -> Result<(), Failure> {
        if let Self::Move(args) = self
            && args.actions.is_none()
        {
            // The one argument is the entry, unless it is a record and the entry was forgotten.
            if args.file.exists()
                || args.file.extension().is_some_and(|end| end == "pbem")
                || chosen::by_id(&args.file)?.is_some()
            {
                let file = arg(&name(&args.file));
                return Err(Failure::trouble("which entry is to be made? none is named")
                    .hint(format!("for example, `postrider move {file} c4-c5`; `postrider moves {file}` lists them")));
            }
            args.actions = Some(args.file.to_string_lossy().into_owned());
            args.file = NOT_NAMED.into();
        }
        let enters = matches!(
            self,
            Self::Move(_)
                | Self::Answer(_)
                | Self::Undo(_)
                | Self::Send(_)
                | Self::If(_)
                | Self::Countersign(_)
                | Self::Stamp(_)
                | Self::Play(_)
        );
        // Those that are given many files say nothing beside what they print of each.
        let tells = !matches!(self, Self::Verify(_) | Self::Fmt(_));
        let (files, meant) = self.records();
        for file in files {
            if file.as_os_str() == NOT_NAMED {
                *file = chosen::only(meant)?;
            } else if let Some(found) = chosen::by_id(file)? {
                *file = found;
            } else if let Some(id) = tells.then(|| file.to_str()).flatten().filter(|id| is_game_id(id))
                && file.symlink_metadata().is_err()
            {
                return Err(Failure::trouble(format!("there is no file and no game of yours called {id}"))
                    .hint("`postrider status` lists your games, `postrider new --help` explains how to begin one"));
            }
            if enters {
                invited::refuse(file)?;
                chosen::refuse_practice(file)?;
            } else if tells && let Some(id) = invited::waiting_at(file) {
                errln!("{id} is an invitation: `postrider accept {id}` makes it one of your games");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches as _;

    #[test]
    fn each_word_after_verify_that_is_no_option_is_a_path() {
        let parsed = |paths: &[&str]| {
            let args = [&["postrider", "verify"], paths].concat();
            let matches = command(Some("verify")).try_get_matches_from(args).ok()?;
            match Command::from_arg_matches(&matches).ok()? {
                Command::Verify(args) => Some(args.paths),
                _ => None,
            }
        };
        for paths in [&["a.pbem"][..], &["a", "b c", "verify", "help", "ä=1", "-"], &["help"]] {
            assert_eq!(parsed(paths), Some(paths.iter().map(PathBuf::from).collect()));
        }
        assert_eq!(parsed(&["--", "-q"]), Some(vec!["-q".into()]));
        for paths in [&[][..], &[""], &["a", ""], &["-h"], &["help", "--no-such-option"]] {
            assert_eq!(parsed(paths), None, "{paths:?}");
        }
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
