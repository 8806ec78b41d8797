//! The program: arguments, questions, words and exit codes. One file in `commands` for each command, named as the command; what several
//! of them share is in `cli`. The referee and all that a player keeps are crates of their own, below `crates`; `postrider-referee` is the
//! library for other programs.
//!
//! Begin with `cli::run`.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

#[doc(hidden)]
#[macro_use]
pub mod cli;
mod commands;
mod deck_lists;
