//! Which part of the long comparisons a normal test run makes. `POSTRIDER_TESTS=whole` makes
//! all of them; `POSTRIDER_SEED=N` selects another part.

#![expect(clippy::disallowed_methods, reason = "the environment says how much is tried")]

/// The environment variable, read as a number.
fn seed() -> usize {
    std::env::var("POSTRIDER_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

fn whole() -> bool {
    std::env::var("POSTRIDER_TESTS").is_ok_and(|which| which == "whole")
}

/// Returns whether case number `nth` is tried, if one of every `of` is.
pub fn tried(nth: usize, of: usize) -> bool {
    whole() || nth % of == seed() % of
}

/// How often something is tried: in a usual run, and in a whole one.
pub fn rounds<T>(usual: T, of_all: T) -> T {
    if whole() { of_all } else { usual }
}

/// The factor by which a count of tried cases shrinks at most, if one of every `of` is tried; 1 if all are.
pub fn share(of: usize) -> usize {
    if whole() { 1 } else { of }
}
