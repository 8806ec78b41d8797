//! Pseudo-random numbers that are the same in every run, for tests in this suite and beside the code.

#![allow(dead_code, reason = "each of those that include this uses a part of it")]

/// Xorshift, from a seed that is not 0.
pub struct Xorshift(pub u64);

impl Xorshift {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() >> 33) as usize % bound
    }
}

/// A linear congruential generator, from any seed.
pub struct Stream(pub u64);

impl Stream {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
