//! Which part of the long comparisons of judging and generating an ordinary test run makes. `POSTRIDER_TESTS=whole` makes all of it;
//! `POSTRIDER_SEED=N` another part.

/// The variable of the environment, read as a number.
fn seed() -> usize {
    std::env::var("POSTRIDER_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

fn whole() -> bool {
    std::env::var("POSTRIDER_TESTS").is_ok_and(|which| which == "whole")
}

/// Whether the `nth` of many cases is tried, one of `of`.
pub fn tried(nth: usize, of: usize) -> bool {
    whole() || nth % of == seed() % of
}

/// By what a count of all that is tried shrinks at most where one of `of` cases is; 1 where the whole is tried.
pub fn share(of: usize) -> usize {
    if whole() { 1 } else { of }
}
