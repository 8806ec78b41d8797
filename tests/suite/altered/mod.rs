//! Records with random alterations, the same for each seed: a byte is changed, two lines are swapped, or a line is
//! missing.

use postrider_testing::random::Stream;

/// A stream of alterations.
pub struct Alterations(pub u64);

impl Alterations {
    fn below(&mut self, bound: usize) -> usize {
        let mut stream = Stream(self.0);
        let number = stream.below(bound);
        self.0 = stream.0;
        number
    }

    /// The record with the next alteration; `letters` are what a byte may be changed to.
    pub fn next(&mut self, source: &[u8], letters: &[u8]) -> Vec<u8> {
        let mut lines: Vec<_> = source.split_inclusive(|byte| *byte == b'\n').collect();
        match self.below(3) {
            0 => {
                let mut altered = source.to_vec();
                let at = self.below(altered.len());
                altered[at] = letters[self.below(letters.len())];
                altered
            }
            1 => {
                let (first, second) = (self.below(lines.len()), self.below(lines.len()));
                lines.swap(first, second);
                lines.concat()
            }
            _ => {
                lines.remove(self.below(lines.len()));
                lines.concat()
            }
        }
    }
}
