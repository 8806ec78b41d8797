//! Pseudo-random numbers that follow from a seed alone.

/// A source of numbers that is the same on every machine (SplitMix64).
#[derive(Clone, Debug)]
pub struct Lots(u64);

impl Lots {
    /// Starts from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts from a seed and a number; different numbers give unrelated sources.
    #[must_use]
    pub fn with(seed: u64, number: u64) -> Self {
        let mut lots = Self(seed);
        Self(lots.draw() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((self.draw() >> 32).wrapping_mul(u64::from(bound)) >> 32) as u32
    }

    /// Draws one of several weights and returns its index; `None` if all are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let sum = weights.iter().copied().fold(0u32, u32::saturating_add);
        if sum == 0 {
            return None;
        }
        let mut left = self.below(sum);
        for (nth, weight) in weights.iter().copied().enumerate() {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return Some(nth),
            }
        }
        None
    }
}
