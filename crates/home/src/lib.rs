//! What a player keeps, and what a player does: one folder for each thing that is done, with its decision, its notes and its doing side by
//! side. Nothing here prints or knows a command, a page or a mail server: the world comes in through [`office::ports`].
//!
//! It uses the disk, letters, settings, and the vault with keys and secrets.
//!
//! Begin with [`office`] (a home and its ports), then [`entry::way`] (an entry on its way: judged, signed, written, sent) and [`receive`]
//! (what comes in, and what becomes of it). Each note that is kept says in its module what is lost without it.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod announced;
pub mod clocks;
pub mod conditions;
#[cfg(any(unix, windows))]
pub mod doctor;
pub mod elsewhere;
pub mod entry;
pub mod evidence;
pub mod hosting;
pub mod invite;
pub mod keys;
pub mod known;
pub mod learning;
pub mod office;
pub mod overview;
pub mod own_game;
pub mod receive;
pub mod records;
pub mod secrets;
pub mod send;
pub mod store;
pub mod undo;
