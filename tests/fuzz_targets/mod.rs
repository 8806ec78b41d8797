//! What the fuzzers try, one function a target: it takes any bytes and panics where a property is broken. The fuzz crate calls
//! them with what libFuzzer makes up, `tests/suite/fuzz_corpus.rs` with what is kept, `tests/conformance.rs` with dice of its own.

#![allow(dead_code, unused_imports, reason = "each of those that include this uses a part of it")]

mod envelope;
mod game;
mod header;
mod message;
mod steps;

pub use envelope::envelope;
pub use game::{Tally, entry_at, position, record};
pub use header::header;
pub use message::message;

use postrider::games::kernel::Options;
use postrider::registry::{self, AnyGame, GAMES};

/// A target: any bytes in, a panic where a property is broken.
pub type Target = fn(&[u8]);
/// A target that takes any game.
pub type GameTarget = fn(&dyn AnyGame, &[u8]);

/// Takes targets one after another, each with its name.
pub type EachTarget<'a> = dyn FnMut(&str, &dyn Fn(&[u8])) + 'a;

/// The targets that know no game, by name; each has a folder of this name in `fuzz/corpus`.
pub const TARGETS: &[(&str, Target)] = &[("envelope", envelope), ("header", header), ("message", message)];

/// The targets that every game has; their corpora are in folders `GAME_TARGET`.
pub const GAME_TARGETS: &[(&str, GameTarget)] = &[
    ("notation", notation),
    ("position", |game, data| position(game.info().name, data)),
    ("record", |game, data| {
        record(game.info().name, data);
    }),
];

/// Tries a target of [`GAME_TARGETS`] with the game that the variable `GAME` names, as `fuzz/README.md` tells.
pub fn of_the_game(target: &str, data: &[u8]) {
    let name = std::env::var("GAME").unwrap_or_default();
    let Some(game) = registry::find(&name) else {
        let names: Vec<_> = GAMES.iter().map(|game| game.info().name).collect();
        panic!("the variable GAME names no game: it is one of {}", names.join(", "));
    };
    let (_, target) = GAME_TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    target(game, data);
}

/// Calls its argument with each target's name and the target, those of every game included.
pub fn each_target(each: &mut EachTarget<'_>) {
    for (name, target) in TARGETS {
        each(name, target);
    }
    for game in GAMES {
        for (part, target) in GAME_TARGETS {
            each(&format!("{}_{part}", game.info().name), &|data| target(*game, data));
        }
    }
}

/// An action that reads is written, and what was written reads as the same action; a fault lies within the text.
fn notation(game: &dyn AnyGame, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match game.rewritten(text) {
        Ok((written, same)) => {
            assert!(same, "{text:?} is written as {written:?}");
            // What reads as a line of a record must not be cut in two there.
            let cuts = ["; ", " @", "\n", "{"];
            assert!(!cuts.iter().any(|cut| written.contains(cut)), "{written:?}");
        }
        Err(misfit) => assert!(misfit.offset <= text.len() && !misfit.expected.is_empty(), "{text:?}: {misfit:?}"),
    }
    // What is typed is read otherwise, and may be anything too.
    let table = game.table(&Options::default(), None).expect("a start");
    let _ = table.read(text).map(|typed| typed.written());
}
