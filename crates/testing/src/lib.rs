//! What tests of several crates share: random numbers that are the same on every machine, and samples of long lists.

pub mod random;
pub mod sample;
