//! The referee: reads a record, replays it, and names the rule that an entry breaks. Pure: bytes in, a verdict out; no files, no clock, no
//! randomness of its own. This is the library for other programs.
//!
//! It uses the games, each of which knows only its own rules.
//!
//! Begin with [`verdict::verify`] and [`facade::Referee`]; [`record`] reads a header and its entries, [`judging`] replays them, [`sealing`]
//! has dice, hidden things and signatures, [`desk`] makes the next entry.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod desk;
pub mod facade;
pub mod judging;
pub mod record;
pub mod registry;
pub mod rulebook;
pub mod sealing;
#[cfg(feature = "threads")]
pub mod threads;
pub mod verdict;
