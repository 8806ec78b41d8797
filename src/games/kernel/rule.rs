//! Rules by their numbers.

use std::fmt;

/// A numbered rule. The number is the same in the rulebook's heading, in this table, in every diagnostic and in the names
/// of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The number with its letter, `T21`.
    pub code: &'static str,
    /// What it is about, as in the rulebook's heading.
    pub title: &'static str,
}

impl Rule {
    /// Makes a rule of a table.
    #[must_use]
    pub const fn new(code: &'static str, title: &'static str) -> Self {
        Self { code, title }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}
