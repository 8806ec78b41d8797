//! The commands: their names and arguments, and the records that they were given.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::chosen::{self, Meant, NOT_NAMED};
use super::hints::{self, Failure, arg, name};
use super::{families, groups, input, invited};
use crate::commands::{
    accept, answer, audit, backup, clock, completions, countersign, decks, doctor, evidence, export, fmt, games, git,
    host, r#if, invite, key, learn, log, lsp, r#match, r#move, moves, new, own, pack, page, perft, picture, play,
    practice, receive, replay, restore, review, rules, secret, send, setup, show, stamp, status, table, undo, verify,
};
use postrider_board::render::sheet::folded;
use postrider_referee::record::is_game_id;

/// The most columns of help.
const WIDEST: usize = 100;

/// A referee for board games that two people play by email
#[derive(Debug, Parser)]
#[command(name = "postrider", version, propagate_version = true, max_term_width = WIDEST, after_help = hints::EXIT_CODES)]
struct Program;

/// Lists the commands: each with its name, its arguments, and the function that does it.
macro_rules! commands {
    ($($variant:ident $name:literal $module:ident::($args:ident, $run:ident)),* $(,)?) => {
        #[derive(Debug, Subcommand)]
        pub(super) enum Command {
            $($variant($module::$args)),*
        }

        impl Command {
            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name),*
                }
            }

            /// Does what the command is for.
            pub(super) fn run(&self) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$variant(args) => $module::$run(args)),*
                }
            }
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
    Setup "setup" setup::(Args, run),
    Games "games" games::(Args, run),
    Git "git" git::(Args, run),
    Rules "rules" rules::(Args, run),
    New "new" new::(Args, run),
    Invite "invite" invite::(Args, run),
    Show "show" show::(Args, run),
    Log "log" log::(Args, run),
    Picture "picture" picture::(Args, run),
    Page "page" page::(Args, run),
    Moves "moves" moves::(Args, run),
    Clock "clock" clock::(Args, run),
    Status "status" status::(Args, run),
    Play "play" play::(Args, run),
    Move "move" r#move::(Args, run),
    Answer "answer" answer::(Args, run),
    Undo "undo" undo::(Args, run),
    If "if" r#if::(Args, run),
    Verify "verify" verify::(Args, run),
    Replay "replay" replay::(Args, run),
    Export "export" export::(Args, run),
    Table "table" table::(Args, run),
    Pack "pack" pack::(Args, run),
    Unpack "unpack" pack::(UnpackArgs, unpack),
    Audit "audit" audit::(Args, run),
    Stamp "stamp" stamp::(Args, run),
    Countersign "countersign" countersign::(Args, run),
    Evidence "evidence" evidence::(Args, run),
    Secret "secret" secret::(Args, run),
    Key "key" key::(Args, run),
    Decks "decks" decks::(Args, run),
    Learn "learn" learn::(Args, run),
    Practice "practice" practice::(Args, run),
    Review "review" review::(Args, run),
    Lsp "lsp" lsp::(Args, run),
    Match "match" r#match::(Args, run),
    Perft "perft" perft::(Args, run),
    Fmt "fmt" fmt::(Args, run),
    Send "send" send::(Args, run),
    Receive "receive" receive::(Args, run),
    Host "host" host::(Args, run),
    Invitations "invitations" accept::(ListArgs, invitations),
    Accept "accept" accept::(Args, run),
    Decline "decline" accept::(DeclineArgs, decline),
    Doctor "doctor" doctor::(Args, run),
    Own "own" own::(Args, run),
    Backup "backup" backup::(Args, run),
    Restore "restore" restore::(Args, run),
    Completions "completions" completions::(Args, run),
}

/// The commands that may write the player's files.
const WRITING: [&str; 20] = [
    "new",
    "invite",
    "move",
    "answer",
    "undo",
    "if",
    "play",
    "setup",
    "secret",
    "key",
    "accept",
    "decline",
    "practice",
    "backup",
    "restore",
    "send",
    "receive",
    "host",
    "status",
    "countersign",
];
/// Those that put something into a record, or mail it.
const ENTERING: [&str; 8] = ["move", "answer", "undo", "send", "if", "countersign", "stamp", "play"];

/// Returns the command line for arguments beginning with this one. Building all commands takes longer than judging a
/// game, so if one is named, only that one is built.
pub(super) fn command(first: Option<&str>) -> clap::Command {
    let program = Program::command();
    match first {
        Some("--version" | "-V") => program,
        named => match named.and_then(|name| families::command(name, one).or_else(|| one(name))) {
            Some(one) => program.subcommand(one).subcommand_required(true),
            None => groups::UNLISTED
                .into_iter()
                .fold(commands(), |all, name| all.mut_subcommand(name, |command| command.hide(true))),
        },
    }
}

/// How wide help is written: as wide as the terminal, up to the width that is read easily.
pub(super) fn help_columns() -> usize {
    let set = || std::env::var("COLUMNS").ok()?.parse().ok();
    super::view::columns().or_else(set).unwrap_or(WIDEST).min(WIDEST)
}

/// The same commands, whose examples are laid out for this many columns.
pub(super) fn laid_out(command: clap::Command, columns: usize) -> clap::Command {
    let help = command.get_after_help().map(|help| hanging(&help.to_string(), columns));
    let command = match help {
        Some(help) => command.after_help(help),
        None => command,
    };
    command.mut_subcommands(|below| laid_out(below, columns))
}

/// Folds what an example does below itself, where it does not fit beside the example.
fn hanging(help: &str, columns: usize) -> String {
    /// Fewer columns than this are not read easily.
    const LEAST: usize = 24;
    const BELOW: usize = 6;
    let mut text = String::new();
    for line in help.split_inclusive('\n') {
        let example = line.trim_end();
        let parts = example.strip_prefix("  ").and_then(|inner| {
            let (typed, _) = inner.split_once("   ").filter(|(typed, _)| !typed.is_empty())?;
            Some((typed, inner.get(typed.len()..)?.trim_start()))
        });
        let Some((typed, does)) = parts.filter(|_| example.chars().count() > columns) else {
            text.push_str(line);
            continue;
        };
        let column = example.chars().count() - does.chars().count();
        let column = if column + LEAST <= columns { column } else { BELOW };
        let folded = folded(does, columns.saturating_sub(column).max(LEAST)).join(&format!("\n{:column$}", ""));
        match column {
            BELOW => text.push_str(&format!("  {typed}\n{:column$}{folded}\n", "")),
            _ => text.push_str(&format!("  {typed:width$}{folded}\n", width = column - 2)),
        }
    }
    text
}

/// Reads what was typed; behind a word like `archive` stands one of the commands.
///
/// # Errors
/// If clap is at odds with itself.
pub(super) fn read(matches: &mut ArgMatches) -> Result<Command, clap::Error> {
    let typed = matches.subcommand().and_then(|(word, below)| Some((word, below.subcommand_name()?)));
    if typed.and_then(|(word, behind)| families::alone(word, behind)).is_none() {
        return Command::from_arg_matches_mut(matches);
    }
    let mut below = matches.remove_subcommand().map(|(_, below)| below).unwrap_or_default();
    match below.subcommand_name() {
        // The one that is called otherwise there.
        Some("list") => {
            let mut below = below.remove_subcommand().map(|(_, below)| below).unwrap_or_default();
            accept::ListArgs::from_arg_matches_mut(&mut below).map(Command::Invitations)
        }
        _ => Command::from_arg_matches_mut(&mut below),
    }
}

impl Command {
    /// Returns whether it may write the player's files.
    pub(super) fn writes(&self) -> bool {
        WRITING.contains(&self.name())
    }
}

/// Returns the command line with all commands, for making the manual pages. Those that stand behind a word are hidden by themselves.
#[must_use]
pub fn commands() -> clap::Command {
    let all = Command::augment_subcommands(Program::command())
        .mut_subcommands(|command| match families::command(command.get_name(), one) {
            Some(family) => family,
            None if families::is_behind(command.get_name()) => command.hide(true),
            None => command,
        })
        .subcommands(families::words().filter_map(|word| families::command(word, one)));
    groups::grouped(all.subcommand_required(true).arg_required_else_help(true))
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
    let mut typed = format!("postrider {} ", families::written(first));
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
        let meant =
            if matches!(self, Self::Send(_) | Self::Undo(_) | Self::If(_)) { Meant::Theirs } else { Meant::Yours };
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
            Self::Backup(args) => args.hand_over.iter_mut().collect(),
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
            Self::Secret(args) => args.record().into_iter().collect(),
            Self::Status(args) => args.paths.iter_mut().collect(),
            Self::Export(args) => args.paths.iter_mut().collect(),
            Self::Table(args) => args.paths.iter_mut().collect(),
            Self::Pack(args) => args.paths.iter_mut().collect(),
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
            if chosen::is_named(&args.file)? {
                let file = arg(&name(&args.file));
                return Err(Failure::trouble("which entry is to be made? none is named")
                    .hint(format!("for example, `postrider move {file} c4-c5`; `postrider moves {file}` lists them")));
            }
            args.actions = Some(args.file.to_string_lossy().into_owned());
            args.file = NOT_NAMED.into();
        }
        // Each entry of theirs has a reply: one word more is the record, and one less is an entry in its place.
        if let Self::If(args) = self
            && args.entries.len() % 2 == 1
            && !chosen::is_named(&args.file)?
        {
            args.entries.insert(0, args.file.to_string_lossy().into_owned());
            args.file = NOT_NAMED.into();
        }
        let enters = ENTERING.contains(&self.name());
        // Those that are given many files say nothing beside what they print of each.
        let tells = !matches!(
            self,
            Self::Verify(_) | Self::Fmt(_) | Self::Status(_) | Self::Export(_) | Self::Table(_) | Self::Pack(_)
        );
        // Nothing is published of an invitation, which is said where it is refused.
        let tells_of_invitations = tells && !matches!(self, Self::Secret(_));
        // `moves` lists those of a game by its name too, and says how.
        let is_of_games = !matches!(self, Self::Moves(_));
        let (files, meant) = self.records();
        for file in files {
            if file.as_os_str() == NOT_NAMED {
                *file = chosen::only(meant)?;
            } else if let Some(found) = chosen::by_id(file)? {
                *file = found;
            } else if let Some(typed) = tells.then(|| file.to_str()).flatten()
                && (is_game_id(typed) || is_of_games && input::game_named(typed).is_some())
                && file.symlink_metadata().is_err()
            {
                return Err(Failure::no_game(typed));
            }
            if enters {
                invited::refuse(file)?;
            } else if tells_of_invitations && let Some(id) = invited::waiting_at(file) {
                errln!("{id} is an invitation: `postrider invite accept {id}` makes it one of your games");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_example_does_hangs_below_itself_where_it_does_not_fit() {
        let help = "Examples:\n  postrider play          fetch mail, then open your most urgent game\n  postrider play game.pbem\n\n\
                    A longer text that is folded elsewhere.";
        let right = "Examples:\n  postrider play          fetch mail, then open\n                          your most urgent game\n  \
                     postrider play game.pbem\n\nA longer text that is folded elsewhere.";
        assert_eq!(hanging(help, 50), right);
        let narrow = "Examples:\n  postrider play\n      fetch mail, then open your most\n      urgent game\n  postrider play game.pbem\n\n\
                      A longer text that is folded elsewhere.";
        assert_eq!(hanging(help, 40), narrow);
        assert_eq!(hanging(help, 80), help);
    }

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
    fn a_command_behind_a_word_is_the_one_that_is_found_alone() {
        let read = |args: &[&str]| {
            let words = std::iter::once(&"postrider").chain(args);
            let mut matches = command(args.first().copied()).try_get_matches_from(words).expect("it is understood");
            format!("{:?}", read(&mut matches).expect("it is a command"))
        };
        for (behind, alone) in [
            (&["archive", "pack", "games", "-o", "all.zst"][..], &["pack", "games", "-o", "all.zst"][..]),
            (&["archive", "replay", "game.pbem"], &["replay", "game.pbem"]),
            (&["proof", "audit", "--json", "game.pbem"], &["audit", "--json", "game.pbem"]),
            (&["invite", "list", "--json"], &["invitations", "--json"]),
            (&["invite", "accept", "an-id", "-o", "file"], &["accept", "an-id", "-o", "file"]),
            (&["invite", "decline", "an-id"], &["decline", "an-id"]),
        ] {
            assert_eq!(read(behind), read(alone));
        }
        assert!(read(&["invite", "bram@example.net", "asalto"]).starts_with("Invite("));
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
        let is_command = |name: &&&str| all.find_subcommand(name).is_some();
        assert_eq!(WRITING.iter().chain(&ENTERING).filter(is_command).count(), WRITING.len() + ENTERING.len());
    }
}
