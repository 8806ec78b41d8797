//! What is noticed while something is done, and changes nothing about it.

use crate::office::Trouble;
use postrider_kernel::advice::Advice;

/// Something to be told.
#[derive(Debug)]
pub enum Notice {
    /// Something is or may be wrong.
    Warning(Advice),
    /// Something was done or is so.
    Note(Advice),
    /// What may be done.
    Hint(Advice),
    /// Something failed that changes nothing about the rest.
    Trouble(Trouble),
    /// Something was not done because of this.
    Failed(Trouble),
}

impl Notice {
    pub fn warning(text: impl Into<Advice>) -> Self {
        Self::Warning(text.into())
    }

    pub fn note(text: impl Into<Advice>) -> Self {
        Self::Note(text.into())
    }

    /// Advice.
    pub fn hint(text: impl Into<Advice>) -> Self {
        Self::Hint(text.into())
    }
}
