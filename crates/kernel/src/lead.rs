//! How far one side is ahead, for a machine that judges positions.

/// Compares what two sides have: from -720 (the first has nothing) to 720. Small leads count more than what is added to a large
/// one, so that there is room to tell won positions apart.
#[must_use]
pub fn lead(first: i32, second: i32) -> i32 {
    let ratio = 1000 * (first - second) / (first + second).max(1);
    let (steep, flat) = (ratio.clamp(-400, 400), ratio - ratio.clamp(-400, 400));
    steep * 13 / 10 + flat / 3
}
