//! How games end.

use super::{Side, SideName};

/// The end of a game and its reason, as the result line states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A side has won, for the reason given.
    Win(Side, &'static str),
    /// Nobody has won, for the reason given.
    Draw(&'static str),
}

impl Outcome {
    /// Returns the text of the result line without `= ` (E8): `besiegers win: huffed`, `draw: agreed`.
    #[must_use]
    pub fn text(self, sides: &[SideName; 2]) -> String {
        match self {
            Outcome::Win(side, reason) => {
                let name = sides[side.index()];
                [name.word, " ", name.wins(), ": ", reason].concat()
            }
            Outcome::Draw(reason) => ["draw: ", reason].concat(),
        }
    }
}

/// A claim that ends the game if the game's rulebook grants it (E7). `claim time` belongs to the envelope and is not
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// `claim repetition`.
    Repetition,
    /// `claim quiet`.
    Quiet,
}
