//! Rule tests, named after the rules: a refused case and a similar legal one, from a position line.

mod agreement;
mod combat;
mod play;
mod sealed;

use super::*;
use crate::assassyn::position::state::*;
use postrider_kernel::{Nonce, Rule, Salt, Seal};

fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in list {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

/// A game of open play from a position.
fn at(position: &str) -> Assassyn {
    with(position, &[])
}

fn with(position: &str, list: &[(&str, &str)]) -> Assassyn {
    let game = Assassyn::start(&Start::open(&options(list), Some(position))).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

fn read(entry: &str) -> Vec<Action> {
    entry.split("; ").map(|text| notation::read(text).unwrap_or_else(|misfit| panic!("{text}: {misfit:?}"))).collect()
}

fn write(actions: &[Action]) -> String {
    postrider_kernel::write_entry::<Assassyn>(actions)
}

/// Plays an entry that must be legal and returns the position.
fn play(game: &mut Assassyn, entry: &str) -> String {
    game.play(&read(entry)).unwrap_or_else(|illegal| panic!("{entry}: {illegal:?}"));
    game.position()
}

/// The position after an entry, or the rule that refuses it; a refused entry changes nothing.
fn rule_of(game: &Assassyn, entry: &str) -> Result<String, &'static str> {
    let mut after = game.clone();
    match after.play(&read(entry)) {
        Ok(_) => Ok(after.position()),
        Err(Illegal { rule: Rule { code, .. }, .. }) => {
            assert_eq!(after.position(), game.position(), "{entry} is refused and changes nothing");
            Err(code)
        }
    }
}

fn refused(game: &Assassyn, entry: &str, code: &str) {
    assert_eq!(rule_of(game, entry).expect_err(entry), code, "{entry}");
}
