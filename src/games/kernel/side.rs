//! The two sides.

/// One of the two sides. Each game has its own words for them ([`SideName`]); the first is the one its header names first.
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

    /// Returns 0 or 1, to index what is kept a side.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A game's own word for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideName {
    /// The word, as it stands in records (`besiegers`, `white`).
    pub word: &'static str,
    /// Whether it is a plural: the besiegers *win*, White *wins*.
    pub plural: bool,
}

impl SideName {
    /// Returns `win` or `wins`.
    #[must_use]
    pub const fn wins(self) -> &'static str {
        if self.plural { "win" } else { "wins" }
    }
}
