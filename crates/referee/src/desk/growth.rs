//! How a count of sequences grows with its depth, to tell a count that takes a moment from one that nobody lives to see.

/// Counts of sequences, depth by depth from 0.
#[derive(Clone, Debug)]
pub struct Growth {
    counts: Vec<u64>,
    /// How long the deepest one took, in seconds.
    seconds: f64,
}

impl Default for Growth {
    /// There is one sequence of no entries.
    fn default() -> Self {
        Self { counts: vec![1], seconds: 0.0 }
    }
}

impl Growth {
    /// Takes in the count for the next depth, and how long it took in seconds.
    pub fn add(&mut self, count: u64, seconds: f64) {
        self.counts.push(count);
        self.seconds = seconds;
    }

    /// The depth up to which it was counted.
    #[must_use]
    pub fn depth(&self) -> u32 {
        u32::try_from(self.counts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The deepest count.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.last().copied().unwrap_or(1)
    }

    /// Returns the growth of the count per depth, as a decimal logarithm; over two entries if possible, because the sides may differ.
    fn rate(&self) -> f64 {
        let log = |count: u64| (count.max(1) as f64).log10();
        match self.counts.as_slice() {
            [.., before, _, last] => (log(*last) - log(*before)) / 2.0,
            [before, last] => log(*last) - log(*before),
            _ => 0.0,
        }
    }

    /// Returns the extrapolated count at `depth`, as a decimal logarithm.
    #[must_use]
    pub fn estimate(&self, depth: u32) -> f64 {
        let more = depth.saturating_sub(self.depth());
        (self.count().max(1) as f64).log10() + f64::from(more) * self.rate()
    }

    /// Returns the extrapolated seconds for counting to `depth`; infinite on overflow.
    #[must_use]
    pub fn seconds(&self, depth: u32) -> f64 {
        let more = f64::from(depth.saturating_sub(self.depth()));
        self.seconds.max(1e-9) * 10_f64.powf(more * self.rate())
    }
}

/// Writes a number that is given by its decimal logarithm: `4.2e17`.
#[must_use]
pub fn in_powers(log: f64) -> String {
    let exponent = log.floor();
    let digits = 10_f64.powf(log - exponent);
    // 9.96 would be written as 10.0.
    if digits >= 9.95 { format!("1.0e{}", exponent + 1.0) } else { format!("{digits:.1}e{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_goes_on_growing_is_foreseen_to_any_depth() {
        let mut growth = Growth::default();
        assert_eq!(in_powers(growth.estimate(9)), "1.0e0");
        // Two sides, one with 10 and one with 1000 entries.
        for (count, seconds) in [(10, 0.001), (10_000, 0.01), (100_000, 0.1), (100_000_000, 2.0)] {
            growth.add(count, seconds);
        }
        assert_eq!((growth.depth(), growth.count()), (4, 100_000_000));
        assert_eq!(in_powers(growth.estimate(4)), "1.0e8");
        assert_eq!(in_powers(growth.estimate(6)), "1.0e12");
        assert!((growth.seconds(4) - 2.0).abs() < 1e-9 && (growth.seconds(6) - 20_000.0).abs() < 1e-3);
        assert_eq!(in_powers(growth.estimate(u32::MAX)), "1.0e8589934590");
        assert!(growth.seconds(u32::MAX).is_infinite());
        assert_eq!(in_powers(25.999), "1.0e26");
        assert_eq!(in_powers(17.62), "4.2e17");
    }
}
