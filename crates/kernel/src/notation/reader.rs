//! A text that is read from left to right, such as a position line.

use super::Misfit;

/// A text and how far it has been read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The whole text.
    pub text: &'a str,
    /// How much has been read, in bytes.
    pub offset: usize,
}

impl<'a> Reader<'a> {
    /// Returns the text that has not been read yet.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Fails at this place.
    ///
    /// # Errors
    /// Always: this place, and what was expected there.
    pub fn refuse<T>(&self, expected: &'static str) -> Result<T, Misfit> {
        Err(Misfit { offset: self.offset, expected })
    }

    /// Skips `word` if it comes next; returns whether it did.
    pub fn skip(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.offset += word.len();
        }
        found
    }

    /// Reads a square of a board with the given numbers of files and ranks. Returns its file and rank, each counted
    /// from 0.
    ///
    /// # Errors
    /// If no square of the board follows.
    pub fn square<const FILES: u8, const RANKS: u8>(&mut self, expected: &'static str) -> Result<(u8, u8), Misfit> {
        match super::square::<FILES, RANKS>(self.rest().as_bytes(), expected) {
            Ok((_, square)) => {
                self.offset += 2;
                Ok(square)
            }
            Err(_) => self.refuse(expected),
        }
    }

    /// Skips `word`.
    ///
    /// # Errors
    /// If `word` does not follow.
    pub fn exactly(&mut self, word: &str, expected: &'static str) -> Result<(), Misfit> {
        if self.skip(word) { Ok(()) } else { self.refuse(expected) }
    }
}
