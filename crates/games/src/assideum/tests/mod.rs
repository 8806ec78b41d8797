//! Tests of assideum, and what they share.

mod agreement;
mod counts;
mod games;
mod hints;
mod rules;
mod setups;
mod tables;
mod writing;

use super::*;

/// The options of a game.
fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in list {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

/// The start.
fn start(list: &[(&str, &str)]) -> Assideum {
    Assideum::start(&Start::open(&options(list), None)).expect("a start")
}

/// A game at a position, which must read back as it was written.
fn at_with(position: &str, list: &[(&str, &str)]) -> Assideum {
    let game = Assideum::start(&Start::open(&options(list), Some(position))).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

fn at(position: &str) -> Assideum {
    at_with(position, &[])
}

fn read(text: &str) -> Action {
    Assideum::read_action(text).unwrap_or_else(|misfit| panic!("{text}: {misfit:?}"))
}

fn write(turn: &Action) -> String {
    let mut text = String::new();
    Assideum::write_action(turn, &mut text);
    text
}

/// The legal turns, sorted by their text.
fn listed(game: &Assideum) -> Vec<String> {
    let mut moves = Moves::default();
    game.moves(&mut moves);
    let mut list: Vec<_> = moves.iter().flatten().map(write).collect();
    list.sort();
    list
}

/// The game after some entries, each judged.
fn after(game: &Assideum, entries: &str) -> Assideum {
    let mut game = game.clone();
    for entry in entries.split_whitespace() {
        game.play(&[read(entry)]).unwrap_or_else(|illegal| panic!("{entry} at {}: {illegal:?}", game.position()));
    }
    game
}

/// Why an entry is refused; the state must not change.
fn refused(game: &Assideum, entry: &str) -> Illegal {
    let mut judged = game.clone();
    let illegal = judged.play(&[read(entry)]).expect_err(entry);
    assert_eq!(&judged, game, "a refused entry changes nothing");
    illegal
}
