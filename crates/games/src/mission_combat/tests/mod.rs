//! Rule tests, named after the rules: a refused case and a similar legal one, from a position line.

mod agreement;
mod counts;
mod examples;
mod lists;
mod positions;
mod rules;
mod sealed;
mod several;
mod shuffles;
mod writing;

use super::*;
use crate::mission_combat::position::state::*;
use postrider_kernel::Rule;
use postrider_testing::random::Stream;

fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in list {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

/// A game of open play at a position.
fn at(position: &str) -> MissionCombat {
    let game = MissionCombat::start(&Start::open(&Options::default(), Some(position)))
        .unwrap_or_else(|fault| panic!("{position}: {fault:?}"));
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

/// A game of open play at a position, with options.
fn under(list: &[(&str, &str)], position: &str) -> MissionCombat {
    MissionCombat::start(&Start::open(&options(list), Some(&in_full(position)))).expect("a position")
}

/// The same, with hands and piles empty unless they are given.
fn on(position: &str) -> MissionCombat {
    at(&in_full(position))
}

fn in_full(position: &str) -> String {
    const PARTS: [&str; 4] = ["hand marines", "hand portalists", "discard marines", "discard portalists"];
    let (head, tail) = position.split_once("; entered ").unwrap_or((position, ""));
    let mut parts: Vec<String> = head.split("; ").map(str::to_owned).collect();
    let given: Vec<_> = parts.extract_if(.., |part| PARTS.iter().any(|name| part.starts_with(name))).collect();
    for name in PARTS {
        let part = given.iter().find(|part| part.starts_with(name)).cloned();
        parts.push(part.unwrap_or_else(|| format!("{name} -")));
    }
    if !tail.is_empty() {
        parts.push(format!("entered {tail}"));
    }
    parts.join("; ")
}

fn start(list: &[(&str, &str)]) -> MissionCombat {
    MissionCombat::start(&Start::open(&options(list), None)).expect("a start")
}

fn read(entry: &str) -> Vec<Action> {
    entry.split("; ").map(|text| notation::read(text).unwrap_or_else(|misfit| panic!("{text}: {misfit:?}"))).collect()
}

fn write(actions: &[Action]) -> String {
    postrider_kernel::write_entry::<MissionCombat>(actions)
}

/// Plays an entry, which must be legal, and returns the position.
fn play(game: &mut MissionCombat, entry: &str) -> String {
    game.play(&read(entry)).unwrap_or_else(|illegal| panic!("{entry}: {illegal:?}"));
    game.position()
}

/// Plays the beginning of an entry, which must be legal, and returns the position.
fn begin(game: &MissionCombat, actions: &str) -> String {
    let mut after = game.clone();
    let side = after.due_side();
    for action in read(actions) {
        after.act(side, &action, &mut NoFacts).unwrap_or_else(|illegal| panic!("{actions}: {illegal:?}"));
    }
    after.position()
}

/// The rule that refuses an entry; a refused entry changes nothing.
fn rule_of(game: &MissionCombat, entry: &str) -> Result<String, &'static str> {
    let mut after = game.clone();
    match after.play(&read(entry)) {
        Ok(_) => Ok(after.position()),
        Err(Illegal { rule: Rule { code, .. }, .. }) => {
            assert_eq!(after.position(), game.position(), "{entry} is refused and changes nothing");
            Err(code)
        }
    }
}

/// Checks that a rule refuses an entry, and that the refusal says what would be legal.
fn refused(game: &MissionCombat, entry: &str, code: &str) {
    assert_eq!(rule_of(game, entry).expect_err(entry), code, "{entry}");
    let illegal = game.clone().play(&read(entry)).expect_err(entry);
    assert!(illegal.help.is_some_and(|help| !help.is_empty()), "{entry}: {}", illegal.message);
}

/// The message of a refusal, and what it says would be legal.
fn told(game: &MissionCombat, entry: &str) -> String {
    let illegal = game.clone().play(&read(entry)).expect_err(entry);
    format!("{}; {}", illegal.message, illegal.help.unwrap_or_default())
}
