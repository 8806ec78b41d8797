//! What the fuzzers try, one function per target: it takes any bytes and panics if a property is violated. The fuzz
//! crate calls them with input from libFuzzer, `tests/suite/fuzz_corpus.rs` with stored input, and
//! `tests/suite/conformance.rs` with random bytes.

#![allow(dead_code, unused_imports, reason = "each of those that include this uses a part of it")]

mod archive;
mod block;
mod envelope;
mod game;
mod header;
mod message;
mod repository;
mod steps;

pub use archive::archive;
pub use block::block;
pub use envelope::envelope;
pub use game::{Tally, entry_at, position, record};
pub use header::header;
pub use message::message;
pub use repository::repository;

use postrider_kernel::Options;
use postrider_referee::registry;
use postrider_referee::registry::{AnyGame, GAMES};

/// A target: takes any bytes, and panics if a property is violated.
pub type Target = fn(&[u8]);
/// A target that works with any game.
pub type GameTarget = fn(&dyn AnyGame, &[u8]);

/// Receives targets one after another, each with its name.
pub type EachTarget<'a> = dyn FnMut(&str, &dyn Fn(&[u8])) + 'a;

/// The targets that know no game, by name; each has a folder with this name in `fuzz/corpus`.
pub const TARGETS: &[(&str, Target)] = &[
    ("archive", archive),
    ("block", block),
    ("envelope", envelope),
    ("header", header),
    ("message", message),
    ("repository", repository),
];

/// The targets that every game has; their corpora are in folders named `GAME_TARGET`.
pub const GAME_TARGETS: &[(&str, GameTarget)] = &[
    ("notation", notation),
    ("position", |game, data| position(game.info().name, data)),
    ("record", |game, data| {
        record(game.info().name, data);
    }),
];

/// Tries a target of [`GAME_TARGETS`] with the game named by the variable `GAME`, as `fuzz/README.md` explains.
pub fn of_the_game(target: &str, data: &[u8]) {
    let name = std::env::var("GAME").unwrap_or_default();
    let Some(game) = registry::find(&name) else {
        let names: Vec<_> = GAMES.iter().map(|game| game.info().name).collect();
        panic!("the variable GAME names no game: it is one of {}", names.join(", "));
    };
    let (_, target) = GAME_TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    target(game, data);
}

/// Calls its argument with the name of each target and the target, including those of every game.
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

/// An action that can be read is written, and what was written reads back as the same action; a fault is inside the
/// text.
fn notation(game: &dyn AnyGame, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match game.rewritten(text) {
        Ok((written, same)) => {
            assert!(same, "{text:?} is written as {written:?}");
            // What is a line of a record when read must not be split there.
            let cuts = ["; ", " @", "\n", "{"];
            assert!(!cuts.iter().any(|cut| written.contains(cut)), "{written:?}");
        }
        Err(misfit) => assert!(misfit.offset <= text.len() && !misfit.expected.is_empty(), "{text:?}: {misfit:?}"),
    }
    // Typed text is read differently, and may be anything too.
    let table = game.table(&Options::default(), None).expect("a start");
    let _ = table.read(text).map(|typed| typed.written());
}
