//! Hashes that hold a record together. Knows no rules.

mod chain;

pub use chain::{Digest, Link, begin};
