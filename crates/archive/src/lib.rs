//! Many records at once: judged on all processors in the order in which they were named (verdicts also in the forms that forges read), packed
//! into one file and unpacked again, exported as
//! tables, counted as standings.
//!
//! It uses the referee, what shows its verdicts, and the disk; it knows no home.
//!
//! Begin with [`judging`] (verdicts on many files), then [`packing`] (an archive that survives damage) and [`exporting`] (tables).

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod decoded;
pub mod exporting;
pub mod forges;
pub mod frames;
pub mod held;
pub mod judging;
pub mod lines;
pub mod packing;
pub mod pages;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod paths;
pub mod sources;
pub mod stamps;
pub mod standings;
pub mod stream;
pub mod tables;
pub mod unpacking;
