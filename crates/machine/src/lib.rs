//! A machine that plays, teaches and looks back: lessons, practice and reviews. It plays by what the referee lists as legal, and nothing
//! that judges depends on it.
//!
//! Begin with [`practice`]; [`lessons`] reads the lessons that stand beside the rulebooks, [`review`] weighs a game that was played.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

#[doc(hidden)]
pub mod lessons;
pub mod opponent;
pub mod practice;
pub mod review;
