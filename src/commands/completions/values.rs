//! The possible values of each argument of each command.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};

use super::entries;
use crate::cli::chosen;
use crate::cli::families;
use crate::cli::view::PUBLIC;
use postrider_disk::folders::Folders;
use postrider_home::invite::kept::Invitations;
use postrider_kernel::text::printable;
use postrider_kernel::{Info, Values};
use postrider_referee::registry;
use postrider_referee::registry::GAMES;
use postrider_referee::rulebook;
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// What is already on the line before the word under the cursor.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The record.
    file: Option<PathBuf>,
    /// The game, if it is named.
    game: Option<String>,
    /// The rulebook.
    book: Option<String>,
    /// The entries of conditions.
    entries: Vec<String>,
    /// The players that are named: `SIDE=NAME`.
    players: Vec<String>,
}

/// Returns the command line for these words, with the possible values of each argument. If a command is named, only
/// that one is built.
pub(super) fn command(words: &[String], build: fn(Option<&str>) -> Command) -> Command {
    let before = words.split_last().map(|(_, before)| before).unwrap_or_default();
    let first = before.get(1).map(String::as_str);
    let line = build(first)
        .ignore_errors(true)
        .mut_subcommands(|sub| sub.ignore_errors(true))
        .try_get_matches_from(before)
        .ok()
        .map(|matches| Line::read(&matches))
        .unwrap_or_default();
    build(first).mut_subcommands(|sub| with_values(sub, &[], &line))
}

impl Line {
    fn read(matches: &ArgMatches) -> Self {
        let Some((_, matches)) = matches.subcommand() else { return Self::default() };
        if matches.subcommand().is_some() {
            return Self::read(matches);
        }
        let path = |id: &str| matches.try_get_one::<PathBuf>(id).ok().flatten().cloned();
        let word = |id: &str| matches.try_get_one::<String>(id).ok().flatten().cloned();
        let words = |id: &str| {
            let all = matches.try_get_many::<String>(id).ok().flatten();
            all.map(|all| all.cloned().collect()).unwrap_or_default()
        };
        Self {
            file: path("file").or_else(|| path("files")),
            game: word("game").or_else(|| word("words")),
            book: word("book"),
            entries: words("entries"),
            players: words("player"),
        }
    }

    /// The game that is played: the one that is named, or that of the record.
    fn info(&self) -> Option<&'static Info> {
        let named = self.game.as_deref().and_then(registry::find).map(|game| game.info());
        named.or_else(|| entries::record(self.file.as_deref()?, |opened| Some(opened.header.info)))
    }
}

/// Returns a command with the possible values of its arguments. `above` are its parent commands.
fn with_values(command: Command, above: &[String], line: &Line) -> Command {
    let path: Vec<String> = above.iter().cloned().chain([command.get_name().to_owned()]).collect();
    let behind = if let [word, behind] = &path[..] { families::alone(word, behind) } else { None };
    let name = behind.map_or_else(|| path.join(" "), str::to_owned);
    let command = command.mut_args(|arg| match completer(&name, arg.get_id().as_str(), line) {
        Some(completer) => arg.add(completer),
        None => with_hint(arg),
    });
    command.mut_subcommands(|sub| with_values(sub, &path, line))
}

/// A path to anything.
fn with_hint(arg: Arg) -> Arg {
    let is_path = arg.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
    if is_path { arg.add(ArgValueCompleter::new(PathCompleter::any())) } else { arg }
}

/// A value and what it is.
type Value = (String, String);

fn value(value: impl Into<String>, help: impl Into<String>) -> Value {
    (value.into(), help.into())
}

/// The possible values of an argument of a command, by their names.
fn completer(command: &str, argument: &str, line: &Line) -> Option<ArgValueCompleter> {
    let listed = |list: fn(&Line) -> Vec<Value>| {
        let line = line.clone();
        Some(ArgValueCompleter::new(move |typed: &OsStr| starting(list(&line), typed)))
    };
    let of_record = |list: fn(&Path, &[String], &str) -> Vec<String>| {
        let Line { file, entries, .. } = line.clone();
        Some(ArgValueCompleter::new(move |typed: &OsStr| {
            let entries = file.as_deref().zip(typed.to_str()).map(|(file, typed)| list(file, &entries, typed));
            entries.unwrap_or_default().into_iter().map(CompletionCandidate::new).collect::<Vec<_>>()
        }))
    };
    match (command, argument) {
        ("decks check" | "decks show", _) | ("new" | "invite", "decks" | "layout") => files(&["yaml", "yml"]),
        ("pack", "output") | ("unpack", "file") => files(&["zst"]),
        ("verify" | "export" | "table" | "pack", "paths") => records(&["pbem", "jsonl", "zst"]),
        ("key export" | "key backup" | "key import" | "secret export" | "secret import", "file") => None,
        ("restore", "file") => records(&["pbem", "backup"]),
        ("status", "paths") => records(&["pbem"]),
        ("practice", "game") => {
            let line = line.clone();
            Some(ArgValueCompleter::new(move |typed: &OsStr| {
                let mut all = starting(games(&line), typed);
                all.extend(Files(&["pbem"]).complete(typed));
                all
            }))
        }
        ("practice", "output") => files(&["pbem"]),
        (_, "file" | "files" | "other") => records(&["pbem"]),
        ("new" | "invite" | "moves" | "perft" | "picture" | "table" | "games" | "learn" | "match", "game")
        | ("perft", "words") => listed(games),
        (_, "option") => listed(options),
        ("new", "player") => listed(players),
        ("new" | "invite", "key") => listed(keys),
        ("new" | "invite", "clock") => listed(clocks),
        (_, "side" | "from") => listed(sides),
        (_, "view") => listed(views),
        ("rules", "book") => listed(books),
        ("rules", "number") => listed(numbers),
        ("accept" | "decline", "id") => listed(invitations),
        ("move", "actions") | ("moves", "begun") => of_record(|file, _, typed| entries::next(file, typed)),
        ("if", "entries" | "remove") => of_record(entries::after),
        _ => None,
    }
}

fn starting(values: Vec<Value>, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fits = values.into_iter().filter(|(value, _)| value.starts_with(&*typed));
    fits.map(|(value, help)| CompletionCandidate::new(value).help(Some(help.into()))).collect()
}

/// Files with one of these endings, and folders on the way to them; files come first.
struct Files(&'static [&'static str]);

impl ValueCompleter for Files {
    fn complete(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let ends = self.0;
        let wanted =
            move |path: &Path| path.is_file() && path.extension().is_some_and(|end| ends.iter().any(|one| end == *one));
        PathCompleter::any().filter(wanted).complete(typed)
    }
}

/// Records: files with one of these endings, and the ids of the games in the player's folder.
struct Records(&'static [&'static str]);

impl ValueCompleter for Records {
    fn complete(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let mut all = Files(self.0).complete(typed);
        if let (Ok(settings), Some(typed)) = (Settings::load(), typed.to_str()) {
            let ids = chosen::shelf(&settings).ids_beginning(typed);
            all.extend(ids.into_iter().map(CompletionCandidate::new));
        }
        all
    }
}

fn files(ends: &'static [&'static str]) -> Option<ArgValueCompleter> {
    Some(ArgValueCompleter::new(Files(ends)))
}

fn records(ends: &'static [&'static str]) -> Option<ArgValueCompleter> {
    Some(ArgValueCompleter::new(Records(ends)))
}

fn games(_: &Line) -> Vec<Value> {
    GAMES.iter().map(|game| value(game.info().name, game.info().title)).collect()
}

fn options(line: &Line) -> Vec<Value> {
    let Some(info) = line.info() else { return Vec::new() };
    let mut list = Vec::new();
    for option in info.options {
        match option.values {
            Values::OneOf(words) => list.extend(words.iter().map(|word| {
                let standard = if *word == option.default { "the default; " } else { "" };
                value(format!("{}={word}", option.name), format!("{standard}{}", option.about))
            })),
            other => {
                let help = format!("{}; {}", other.describe(), option.about);
                list.push(value(format!("{}={}", option.name, option.default), help));
                list.push(value(format!("{}=", option.name), other.describe()));
            }
        }
    }
    list
}

/// The sides of the record on the line, and the public view.
fn views(line: &Line) -> Vec<Value> {
    let mut views = sides(line);
    views.push(value(PUBLIC, "what everybody may see"));
    views
}

fn sides(line: &Line) -> Vec<Value> {
    let sides = |opened: &mut Opened<'_>| {
        let header = &opened.header;
        let words = header.info.sides.iter().zip(postrider_kernel::Side::BOTH);
        Some(words.map(|(side, who)| value(side.word, printable(&header.player(who).name))).collect())
    };
    let recorded = line.file.as_deref().and_then(|file| entries::record(file, sides));
    recorded
        .or_else(|| line.info().map(|info| info.sides.iter().map(|side| value(side.word, info.title)).collect()))
        .unwrap_or_default()
}

/// The sides that still have no player, with your own name for each.
fn players(line: &Line) -> Vec<Value> {
    let Some(info) = line.info() else { return Vec::new() };
    let settings = Settings::load().ok();
    let own = settings.and_then(|settings| {
        let name = settings.name?;
        Some(settings.email.map_or(name.clone(), |email| format!("{name} <{email}>")))
    });
    let is_free = |word: &str| !line.players.iter().any(|player| player.split('=').next() == Some(word));
    let is_placed = own.as_ref().is_some_and(|own| line.players.iter().any(|player| player.ends_with(own.as_str())));
    let mut list = Vec::new();
    for side in info.sides.iter().filter(|side| is_free(side.word)) {
        list.push(value(format!("{}=", side.word), "the player's name, and <mail address>"));
        if let Some(own) = own.as_ref().filter(|_| !is_placed) {
            list.push(value(format!("{}={own}", side.word), "you"));
        }
    }
    list
}

fn keys(line: &Line) -> Vec<Value> {
    let sides = line.info().map(|info| info.sides).into_iter().flatten();
    sides.map(|side| value(format!("{}=own", side.word), "your own key")).collect()
}

fn clocks(_: &Line) -> Vec<Value> {
    vec![
        value("5d", "5 days for each entry"),
        value("10d leave 30d", "10 days for each entry, and 30 days of leave"),
        value("10d leave 30d forced 2d", "the same, and 2 days at most for a forced answer"),
        value("50d/10", "50 days for each 10 entries"),
        value("30d+1d", "30 days, and a day more with each entry"),
        value("none", "no clock"),
    ]
}

fn books(_: &Line) -> Vec<Value> {
    rulebook::all().map(|book| value(book.name, book.title)).collect()
}

fn numbers(line: &Line) -> Vec<Value> {
    let book = line.book.as_deref().and_then(rulebook::find);
    book.map(|book| book.rules.iter().map(|rule| value(rule.code, rule.title)).collect()).unwrap_or_default()
}

fn invitations(_: &Line) -> Vec<Value> {
    let Ok(folders) = Folders::find() else { return Vec::new() };
    let store = Invitations::new(&folders);
    let ids = store.waiting().unwrap_or_default();
    let about = |id: &str| {
        let record = store.record(id).ok()?;
        let opened = Opened::new(&record).ok()?;
        let players = postrider_kernel::Side::BOTH.map(|side| printable(&opened.header.player(side).name).into_owned());
        Some(format!("{}: {}", opened.header.info.title, players.join(" - ")))
    };
    ids.into_iter().map(|id| (id.clone(), about(&id).unwrap_or_default())).collect()
}
