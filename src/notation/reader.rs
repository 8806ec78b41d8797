//! A text that is read from left to right, such as a position line.

use super::Misfit;

/// What is left of a text, and where.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The whole text.
    pub text: &'a str,
    /// How much of it is read, in bytes.
    pub offset: usize,
}

impl<'a> Reader<'a> {
    /// Returns what is left.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Refuses what stands here.
    ///
    /// # Errors
    /// Always: this place, and what was expected.
    pub fn refuse<T>(&self, expected: &'static str) -> Result<T, Misfit> {
        Err(Misfit { offset: self.offset, expected })
    }

    /// Returns whether `word` follows; then it is passed over.
    pub fn skip(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.offset += word.len();
        }
        found
    }

    /// Reads a square of a board of so many files and ranks: its file and its rank, each from 0.
    ///
    /// # Errors
    /// When no square of the board follows.
    pub fn square<const FILES: u8, const RANKS: u8>(&mut self, expected: &'static str) -> Result<(u8, u8), Misfit> {
        match super::square::<FILES, RANKS>(self.rest().as_bytes(), expected) {
            Ok((_, square)) => {
                self.offset += 2;
                Ok(square)
            }
            Err(_) => self.refuse(expected),
        }
    }

    /// Passes over `word`.
    ///
    /// # Errors
    /// When it does not follow.
    pub fn exactly(&mut self, word: &str, expected: &'static str) -> Result<(), Misfit> {
        if self.skip(word) { Ok(()) } else { self.refuse(expected) }
    }
}
