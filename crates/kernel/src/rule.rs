//! Rules and their numbers.

use std::fmt;

/// A numbered rule. Its number is the same in the rulebook's heading, in this table, in every diagnostic and in the
/// names of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The number with its letter: `T21`.
    pub code: &'static str,
    /// What it is about, as in the rulebook's heading.
    pub title: &'static str,
}

/// Makes the table of a rulebook's rules, in order, and a constant for each: `rules! { pub(super) TABLE: T1 "the
/// points", … }`.
#[macro_export]
macro_rules! rules {
    ($vis:vis $table:ident: $($code:ident $title:literal),* $(,)?) => {
        $(
            #[doc = concat!($title, ".")]
            #[allow(dead_code, reason = "some rules only say what there is, and no refusal names them")]
            $vis const $code: $crate::Rule = $crate::Rule::new(stringify!($code), $title);
        )*
        /// The rules in the rulebook's order.
        $vis const $table: &[$crate::Rule] = &[$($code),*];
    };
}

impl Rule {
    /// Makes a rule for a table.
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
