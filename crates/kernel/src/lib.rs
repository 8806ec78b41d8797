//! The parts of every game: the trait [`Game`], rules and refusals ([`Rule`], [`Illegal`]), options, outcomes, and seals as a game sees them.
//! All crates share the rest: texts and their faults ([`text`]), small parsers ([`notation`]), scenes to draw ([`scene`]), and advice for
//! refusals ([`mod@advice`]).
//!
//! Pure: no files, no system clock, no randomness, no hashes. It uses no other crate of the project.
//!
//! Begin with [`Game`]: what a game tells of itself and of a position. Each game implements it once.

// Other programs use it, so that everything in it says what it is.
#![warn(missing_docs)]
// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod advice;
pub mod envelope_rules;
mod facts;
mod game;
mod lead;
pub mod notation;
mod options;
mod outcome;
mod past;
mod quiet;
mod rule;
mod samples;
pub mod scene;
pub mod seal_rules;
mod side;
mod skill;
pub mod text;
pub mod words;

/// The eight directions on a board of squares as steps of file and rank, clockwise from north: even ones along files and ranks, odd ones
/// diagonally.
pub const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

pub use envelope_rules::ENVELOPE_RULES;
pub use facts::{
    Faces, Facts, Keeper, Lost, NoFacts, Nonce, Payloads, Root, Salt, Seal, SealPlace, Seed, Seeded, Trusting, Turn,
};
pub use game::{
    Count, Due, Game, GameField, HeaderField, Holding, Illegal, Incomplete, Info, Moves, Next, Played, SealedGame,
    SetupFault, Start, Viewer, write_entry,
};
pub use lead::lead;
pub use options::{Choice, OptionFault, OptionSpec, Options, Values};
pub use outcome::{Claim, Outcome};
pub use past::{Past, Retraced};
pub use quiet::{NotQuiet, Quiet};
pub use rule::Rule;
pub use samples::{Finished, Placeholder, Samples, Shorthand};
pub use seal_rules::SEALING_RULES;
pub use side::{Side, SideName};
pub use skill::Skill;
