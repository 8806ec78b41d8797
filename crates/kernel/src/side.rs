//! The two sides.

/// One of the two sides. Each game has its own names for them ([`SideName`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that the game's header names first.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// Returns the opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// Returns 0 or 1, to index what is kept per side.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A game's own name for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideName {
    /// The word used in records (`besiegers`, `white`).
    pub word: &'static str,
    /// Whether it is plural: the besiegers *win*, White *wins*.
    pub plural: bool,
}

impl SideName {
    /// Returns the side as used in a sentence: `the besiegers`, `white`.
    #[must_use]
    pub fn named(self) -> String {
        if self.plural { format!("the {}", self.word) } else { self.word.to_owned() }
    }

    /// Returns the form of a verb that agrees: `are` for the besiegers, `is` for White.
    #[must_use]
    pub const fn verb(self, plural: &'static str, singular: &'static str) -> &'static str {
        if self.plural { plural } else { singular }
    }

    /// Returns `win` or `wins`.
    #[must_use]
    pub const fn wins(self) -> &'static str {
        if self.plural { "win" } else { "wins" }
    }
}
