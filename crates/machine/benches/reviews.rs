//! How much of what is known of games a review finds: `cargo bench -p postrider-machine --bench reviews` (`benches/README.md`).
//!
//! The games in `reviewed` were played by the machine against itself, with entries put in that a quick look calls bad. Remarks in them say
//! what each entry lost, as long looks see it that are averaged (`-- --keep GAME...` makes the games that are not there, from fixed seeds). The
//! run fails if fewer than nine of ten blunders are found, or if more than one of ten entries that are told was none.

// A file may be read and written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use postrider_kernel::{Options, Side};
use postrider_machine::opponent::{self, Chanced, Thought};
use postrider_machine::practice;
use postrider_machine::review::{Turn, review};
use postrider_referee::judging::{Beside, Table};
use postrider_referee::record::Machine;
use postrider_referee::registry::GAMES;
use postrider_referee::verdict::Opened;
use postrider_search::{Budget, LEVELS, Level, Lots, level_of};

/// Where the games are.
const GAMES_KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/reviewed");
/// How many games of each kind are made, and how many entries each has at most.
const EACH: u64 = 3;
const LENGTH: u32 = 26;
/// One entry in so many is to be a blunder, where there is one.
const BLUNDERS: u32 = 3;
/// What an entry has lost that is a blunder, in thousandths of what there is to win or lose, and less than what one has lost that is none: in
/// games without chance and in the others, where two looks at the same differ more.
const BLUNDER: [i32; 2] = [60, 140];
const NONE: [i32; 2] = [30, 60];
/// How many playouts the deep look takes, and how often it looks.
const DEEP: u32 = 8000;
const LOOKS: u64 = 2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let keeps = args.iter().any(|arg| arg == "--keep");
    let level = args.iter().find_map(|arg| level_of(arg.parse().ok()?)).unwrap_or(&LEVELS[2]);
    let named = |name: &str| {
        let mut names = args.iter().filter(|arg| !arg.starts_with('-') && arg.parse::<u8>().is_err()).peekable();
        names.peek().is_none() || names.any(|arg| arg == name)
    };
    if keeps {
        for (nth, game) in GAMES.iter().enumerate().filter(|(_, game)| named(game.info().name)) {
            for number in 1..=EACH {
                let path = Path::new(GAMES_KEPT).join(format!("{}-{number}.pbem", game.info().name));
                if path.exists() {
                    continue;
                }
                let text = made(nth, number);
                fs::write(&path, text).expect("a file");
                println!("{}", path.display());
            }
        }
        return ExitCode::SUCCESS;
    }
    measured(level, &named)
}

/// What is known of an entry, and what a review says.
#[derive(Default)]
struct Counted {
    blunders: usize,
    found: usize,
    told: usize,
    /// How many of those told were none.
    none: usize,
}

fn measured(level: &Level, named: &dyn Fn(&str) -> bool) -> ExitCode {
    let mut sum = Counted::default();
    for game in GAMES.iter().map(|game| game.info().name).filter(|name| named(name)) {
        let mut files: Vec<PathBuf> =
            fs::read_dir(GAMES_KEPT).expect("the games").map(|file| file.expect("a game").path()).collect();
        files.retain(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{game}-")))
        });
        files.sort();
        assert!(!files.is_empty(), "{game} has no games in {GAMES_KEPT}");
        let start = std::time::Instant::now();
        let mut counted = Counted::default();
        for path in files {
            let text = fs::read_to_string(&path).expect("a record");
            count(&text, level.budget, &mut counted);
        }
        println!("{game}: {counted}; {:.1} s", start.elapsed().as_secs_f64());
        sum.blunders += counted.blunders;
        sum.found += counted.found;
        sum.told += counted.told;
        sum.none += counted.none;
    }
    println!("level {}, all games: {sum}", level.number);
    let is_well = sum.found * 10 >= sum.blunders * 9 && sum.none * 10 <= sum.told;
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl std::fmt::Display for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { blunders, found, told, none } = self;
        write!(f, "{found} of {blunders} blunders found; {none} of {told} told that were none")
    }
}

/// Of the two limits that of the game at a table.
fn limit(of: [i32; 2], table: &dyn Table) -> i32 {
    of[usize::from(opponent::has_chance(table))]
}

/// Compares a review with the remarks of a game: `# 12: 340 lost; better: c4-c5`. Where an entry is told that is no blunder by them, a deep look
/// says how much better what is proposed is.
fn count(text: &str, budget: Budget, counted: &mut Counted) {
    let known = |number: u32| {
        text.lines().find_map(|line| {
            let (lost, _) = line.strip_prefix("# ")?.strip_prefix(&format!("{number}: "))?.split_once(" lost")?;
            lost.parse::<i32>().ok()
        })
    };
    let opened = Opened::new(text.as_bytes()).unwrap_or_else(|_| panic!("a record"));
    let mut now = opened.table.copy();
    let review = review(text.as_bytes(), budget, 1, &mut || true).unwrap_or_else(|_| panic!("no review of {text}"));
    for entry in &review.entries {
        let lost = known(entry.number);
        let is_blunder = lost.is_some_and(|lost| lost >= limit(BLUNDER, now.as_ref()));
        let missed = if let Some(Turn::Missed { better, .. }) = &entry.turn { Some(better) } else { None };
        counted.blunders += usize::from(is_blunder);
        counted.found += usize::from(is_blunder && missed.is_some());
        counted.told += usize::from(missed.is_some());
        if is_blunder != missed.is_some() {
            let mut lots = Lots::with(7, entry.number.into());
            let loses = missed.and_then(|better| against(now.as_ref(), entry.side, &entry.actions, better, &mut lots));
            let seems = loses.into_iter().chain(lost).max().unwrap_or(0);
            let is_none = missed.is_some() && seems < limit(NONE, now.as_ref());
            counted.none += usize::from(is_none);
            let what = if is_none {
                "NONE"
            } else if is_blunder {
                "MISSED"
            } else {
                "small"
            };
            println!(
                "  {what}: {lost:?} lost, {loses:?} against {missed:?}: {} {} {:?}",
                entry.number, entry.actions, entry.expected
            );
        }
        now = played(now.as_ref(), &entry.actions).expect("a legal entry");
    }
}

/// How much better than an entry another one is, as a deep look sees it. Of one in which something is thrown only the beginning is known.
fn against(table: &dyn Table, side: Side, entry: &str, better: &str, lots: &mut Lots) -> Option<i32> {
    let chances = opponent::chances(table, entry)?;
    let Some(last) = chances.last() else {
        return Some(deep(table, side, better, lots)? - deep(table, side, entry, lots)?);
    };
    if played(table, better).is_some() && opponent::chances(table, better)?.is_empty() {
        return Some(deep(table, side, better, lots)? - value(table, side, entry, lots)?);
    }
    let kept = opponent::gone_on(table, entry, (*last, Chanced::Kept), &LEVELS[2].budget, lots.draw(), &mut || false)?;
    Some(deep(table, side, &kept, lots)? - deep(table, side, entry, lots)?)
}

/// Plays a game and looks at each of its entries.
fn made(game: usize, number: u64) -> String {
    let info = GAMES[game].info();
    let machine = Machine { side: Side::Second, level: 3, seed: number };
    let mut text = practice::record(info, &machine, "2026-11-27", &Options::default(), None);
    let mut remarks = String::new();
    let mut lots = Lots::with(number, game as u64);
    let mut now = Opened::new(text.as_bytes()).unwrap_or_else(|_| panic!("a record")).table.copy();
    for nth in 1..=LENGTH {
        let standing = now.standing();
        let Some(thought) = opponent::think(now.as_ref(), &LEVELS[2].budget, lots.draw(), &mut || false) else { break };
        let side = standing.due.side;
        let wanted = !thought.is_forced && standing.made[side.index()] > 0 && lots.below(BLUNDERS) == 0;
        let bad = if wanted {
            blunder(now.as_ref(), side, (&thought, limit(BLUNDER, now.as_ref())), &mut lots)
        } else {
            None
        };
        let entry = bad.unwrap_or_else(|| thought.entry.clone());
        if !thought.is_forced
            && let Some((lost, better)) = lost(now.as_ref(), side, &entry, &thought, &mut lots)
        {
            let _ = writeln!(remarks, "# {nth}: {lost} lost; better: {better}");
        }
        let _ = writeln!(text, "{nth} {} {entry}", info.sides[side.index()].word);
        now = played(now.as_ref(), &entry).expect("a legal entry");
        eprintln!("{} {number}: {nth}", info.name);
    }
    text + &remarks
}

/// One of the entries in which nothing is thrown and that look bad.
fn blunder(table: &dyn Table, side: Side, (thought, least): (&Thought, i32), lots: &mut Lots) -> Option<String> {
    /// How many are looked at.
    const TRIED: u32 = 16;
    const QUICK: u32 = 400;
    let at_random = Budget { playouts: 8, slips: 1000, level: 1 };
    let mut bad: Vec<String> = Vec::new();
    for _ in 0..TRIED {
        let seed = lots.draw();
        let Some(Thought { entry, .. }) = opponent::think(table, &at_random, seed, &mut || false) else { continue };
        if bad.contains(&entry) || opponent::chances(table, &entry) != Some(Vec::new()) {
            continue;
        }
        let Some(after) = played(table, &entry) else { continue };
        let Some(value) = opponent::weigh(after.as_ref(), side, QUICK, seed, &mut || false) else { continue };
        if thought.expects - value > least {
            bad.push(entry);
        }
    }
    let nth = lots.below(u32::try_from(bad.len()).unwrap_or(0)) as usize;
    bad.into_iter().nth(nth)
}

/// What an entry lost, as a deep look sees it, and the better one; `None` where that cannot be told.
fn lost(table: &dyn Table, side: Side, entry: &str, thought: &Thought, lots: &mut Lots) -> Option<(i32, String)> {
    let strong = &Budget { playouts: 3000, ..LEVELS[2].budget };
    let other = opponent::think(table, strong, lots.draw(), &mut || false)?;
    if entry == thought.entry && other.chosen == thought.chosen {
        return Some((0, other.chosen));
    }
    let mut best: Option<(i32, String)> = None;
    for Thought { entry, chosen, .. } in [thought, &other] {
        let value = value(table, side, entry, lots)?;
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, chosen.clone()));
        }
    }
    let (most, better) = best?;
    let chances = opponent::chances(table, entry)?;
    let mut lost = (most - value(table, side, entry, lots)?).max(0);
    if let Some(last) = chances.last() {
        let kept = opponent::gone_on(table, entry, (*last, Chanced::Kept), strong, lots.draw(), &mut || false)?;
        if kept != entry {
            lost += (deep(table, side, &kept, lots)? - deep(table, side, entry, lots)?).max(0);
        }
    }
    Some((lost, better))
}

/// What a side expects of an entry, up to what is thrown in it first.
fn value(table: &dyn Table, side: Side, entry: &str, lots: &mut Lots) -> Option<i32> {
    /// How often it is thrown.
    const THROWN: i32 = 6;
    let Some(first) = opponent::chances(table, entry)?.first().copied() else { return deep(table, side, entry, lots) };
    let mut sum = 0;
    for _ in 0..THROWN {
        let seed = lots.draw();
        let thrown = opponent::gone_on(table, entry, (first, Chanced::Again), &LEVELS[2].budget, seed, &mut || false)?;
        sum += opponent::weigh(played(table, &thrown)?.as_ref(), side, DEEP / 4, seed, &mut || false)?;
    }
    Some(sum / THROWN)
}

fn deep(table: &dyn Table, side: Side, entry: &str, lots: &mut Lots) -> Option<i32> {
    let after = played(table, entry)?;
    let mut sum = 0;
    for _ in 0..LOOKS {
        sum += opponent::weigh(after.as_ref(), side, DEEP, lots.draw(), &mut || false)?;
    }
    Some(sum / LOOKS as i32)
}

fn played(table: &dyn Table, entry: &str) -> Option<Box<dyn Table>> {
    Some(table.read(entry).ok()?.judge(&Beside::default()).ok()?.table)
}
