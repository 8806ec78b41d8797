//! The files of a machine, and what else only a machine has: the clock, randomness, locks, the system's own rules about who may read
//! what. Everything that keeps anything goes through [`disk::Disk`], which is this machine's disk or one in memory, so that what keeps
//! something can be tested, and can run in a page of a browser.
//!
//! It uses the referee, because records are found and read here, and knows no letters and no home.
//!
//! Begin with [`disk`] (the port and its two sets of files), then [`files`] (a record is replaced completely or not at all, whatever fails).
//! No other library writes files: `clippy.toml` of the others forbids it.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

#[cfg(any(unix, windows))]
pub mod clock;
pub mod disk;
#[cfg(any(unix, windows))]
pub mod files;
#[cfg(any(unix, windows))]
pub mod finding;
pub mod folders;
pub mod found;
#[cfg(any(unix, windows))]
pub mod lockfile;
pub mod no_core;
#[cfg(any(unix, windows))]
pub mod programs;
pub mod random;
pub mod remedy;
pub mod settings_error;
#[cfg(any(unix, windows))]
pub mod system;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(any(unix, windows))]
pub mod walking;
pub mod within;
