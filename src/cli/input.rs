//! Reads what the commands are given.

use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

use super::hints::Failure;
use postrider_disk::disk::FileError;
use postrider_home::invite::begin::read_options;
use postrider_home::records;
use postrider_kernel::text::{entries, printable, without_utf16};
use postrider_kernel::{Info, Options, SetupFault, Side};
use postrider_referee::judging::Table;
use postrider_referee::record::{RECORD_LIMIT, Time};
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;
use postrider_referee::verdict::{Opened, Ruling, Verdict};

pub use super::words::game_named;
pub use postrider_archive::sources::is_stdin;

/// Reads at most so many bytes of something secret from a file, or from standard input for `-`. No part of it is left behind in memory.
pub fn secret(path: &Path, most: usize) -> Result<Zeroizing<String>, Failure> {
    // It never grows, so that it is never copied.
    let mut text = Zeroizing::new(String::with_capacity(most));
    let read = if is_stdin(path) {
        io::stdin().lock().take(most as u64).read_to_string(&mut text)
    } else {
        postrider_disk::files::open(path).and_then(|file| file.take(most as u64).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::reading(path, &error))?;
    Ok(text)
}

/// Reads a record from a file, or from standard input for `-`. Reading one byte past the limit is enough to see that it
/// is too long.
pub fn record(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().take(RECORD_LIMIT as u64 + 1).read_to_end(&mut bytes).map(|_| without_utf16(bytes))
    } else {
        postrider_disk::files::read_record(path)
    };
    let bytes = read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::no_record(path),
        _ => Failure::reading(path, &error),
    })?;
    if postrider_archive::stream::is_archive(&bytes) {
        let file = if is_stdin(path) { "FILE".to_owned() } else { super::hints::shell(path) };
        return Err(Failure::trouble(format!("{} is an archive, not a record", super::hints::name(path))).hint(format!(
            "`postrider archive unpack {file} -o FOLDER` makes files of its records; `verify`, `archive export` and `archive table` read it as it is"
        )));
    }
    Ok(bytes)
}

/// Opens a record and replays up to `limit` entries. Returns the verdict with it; a malformed record cannot be opened.
pub fn open<'a>(source: &'a [u8], origin: &str, limit: u32) -> Result<(Opened<'a>, Verdict), Failure> {
    let mut opened = Opened::new(source).map_err(|verdict| Failure::verdict(source, origin, &verdict, true))?;
    let verdict = opened.replay(limit);
    // A fault within an entry leaves a legal beginning to work with; these faults leave nothing.
    let nothing_stands = match verdict.ruling {
        Ruling::Malformed => verdict.errors.iter().all(|error| error.entry.is_none()),
        Ruling::Unjudged => true,
        Ruling::Legal | Ruling::Illegal => false,
    };
    if nothing_stands {
        return Err(Failure::verdict(source, origin, &verdict, true));
    }
    Ok((opened, verdict))
}

/// What is said where an entry is asked for that a record of so many does not have.
pub fn no_entry(origin: &str, has: u32, number: u32) -> Failure {
    Failure::trouble(format!("{origin} has {}: there is no entry {number}", entries(has)))
}

/// Finds a game by name.
pub fn game(name: &str) -> Result<&'static dyn AnyGame, Failure> {
    game_named(name).ok_or_else(|| {
        let failure = Failure::trouble(format!("there is no game `{}`", printable(name)));
        match meant(name) {
            Some(info) => failure.hint(format!("did you mean {}?", info.name)),
            None => failure.hint("`postrider games` lists the games"),
        }
    })
}

/// Returns the game that is meant by its title, by the beginning of its name, or by a name that is mistyped.
fn meant(typed: &str) -> Option<&'static Info> {
    /// How alike two names are at least.
    const ALIKE: f64 = 0.7;
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let typed = plain(typed.get(..typed.len().min(64))?);
    let likeness = |info: &Info| {
        let names = [info.name, info.title].map(plain);
        match names.iter().any(|name| typed.len() > 2 && name.starts_with(&typed)) {
            true => 1.0,
            false => names.iter().map(|name| strsim::normalized_damerau_levenshtein(&typed, name)).fold(0.0, f64::max),
        }
    };
    let mut all: Vec<_> = registry::GAMES.iter().map(|game| (likeness(game.info()), game.info())).collect();
    all.retain(|(likeness, _)| *likeness >= ALIKE);
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    match all[..] {
        [(most, _), (next, _), ..] if most <= next => None,
        [(_, info), ..] => Some(info),
        [] => None,
    }
}

/// Returns the side of a game with this name.
pub fn side(info: &Info, word: &str) -> Result<Side, Failure> {
    info.side(word).ok_or_else(|| {
        let [first, second] = info.sides.map(|side| side.word);
        Failure::trouble(format!("{} has no side `{word}`", info.title))
            .hint(format!("the sides are {first} and {second}"))
    })
}

/// Sets up a game without a record, in open play.
pub fn table(game: &dyn AnyGame, options: &Options, position: Option<&str>) -> Result<Box<dyn Table>, Failure> {
    game.table(options, position).map_err(|fault| match fault {
        SetupFault::Needs { .. } => Failure::trouble(fault.to_string())
            .hint("without a record the game is in open play; `postrider new` begins a sealed record"),
        fault => unset(game, &fault),
    })
}

/// Tells a game what the shares of a split are to be multiples of, if `--grain` is given.
pub fn set_grain(table: &mut dyn Table, grain: Option<u32>) -> Result<(), Failure> {
    match grain {
        Some(grain) if !table.set_grain(grain) => {
            Err(Failure::trouble("no points are split in this game").hint("leave `--grain` out"))
        }
        _ => Ok(()),
    }
}

/// Returns how many actions a list of those that a turn may begin with leaves out, because points can be split in so many
/// ways; `None` if it is complete. The game lists everything afterwards.
pub fn left_out(table: &mut dyn Table, grain: Option<u32>, list: &[String]) -> Option<u64> {
    let ways = if table.set_grain(grain.unwrap_or(1)) { table.perft(1) } else { 0 };
    ways.checked_sub(list.len() as u64).filter(|left| *left > 0)
}

/// The failure if a position cannot be set up.
fn unset(game: &dyn AnyGame, fault: &SetupFault) -> Failure {
    Failure::trouble(fault.to_string())
        .hint(format!("`postrider rules {}` explains how positions are written", game.info().name))
}

/// Returns the current time: `--time` if given, otherwise `POSTRIDER_NOW` if set (for scripts and tests), otherwise the
/// system clock.
pub fn now(at: Option<&str>) -> Result<Time, Failure> {
    let text = at.map(str::to_owned).or_else(|| std::env::var("POSTRIDER_NOW").ok());
    match text {
        None => Ok(Time(postrider_disk::clock::now().timestamp())),
        Some(text) => Time::read(text.as_bytes()).ok_or_else(|| {
            Failure::trouble(format!("`{text}` is not a time in UTC with whole seconds, as in 2026-11-21T10:15:00Z"))
        }),
    }
}

/// Reads `--option name=value` arguments.
pub fn options(game: &dyn AnyGame, list: &[String]) -> Result<Options, Failure> {
    Ok(read_options(game.info(), list)?)
}

/// Handles the result of writing a record.
pub fn written(done: Result<(), FileError>) -> Result<bool, Failure> {
    Ok(records::written(&*super::home::office()?, done)?)
}
