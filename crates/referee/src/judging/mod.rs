//! The referee: replays the entries of a record, judges each by the rules of the envelope and of the game, and keeps
//! the resulting state.

mod checks;
mod clocks;
mod common;
mod envelope;
mod replay;
mod signing;
mod table;
mod typed;

pub use clocks::{Charge, Clocks, LeaveFault, granted};
pub use envelope::{in_brief, in_words};
pub use replay::{Replay, left_at};
pub use table::{Explore, Table};
pub use typed::{Beside, Judged, Typed};

use crate::record::Time;
use postrider_kernel::text::Diagnostic;
use postrider_kernel::{Due, Lost, Outcome, Side};

/// The most steps that are spent on a record. A step is about a hundred instructions, counted by what the record
/// contains, so that the verdict is the same on every machine. The longest real games need less than a hundredth of
/// this.
pub const ORDINARY_BUDGET: u64 = 40_000_000;
/// The most steps that are spent on a record from a stranger's mail.
pub const STRANGERS_BUDGET: u64 = ORDINARY_BUDGET / 10;
/// How many steps checking a signature counts as.
const SIGNATURE_STEPS: u64 = 1000;

/// Why a replay stopped before the end of the record.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub enum Stop {
    /// The actions of the entry do not fit the game's grammar.
    Malformed(Box<Diagnostic>),
    /// The entry, or the result line, breaks a rule.
    Illegal(Box<Diagnostic>),
    /// Judging the rest of the record would take more work than is allowed for one.
    Unjudged(Box<Diagnostic>),
}

/// Why what a player typed was not completed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unfinished {
    /// The entry is illegal whatever is added to it.
    #[error(transparent)]
    Stop(Stop),
    /// The secret that it needs is not available.
    #[error(transparent)]
    Lost(Lost),
}

impl Stop {
    /// Returns what is wrong.
    #[must_use]
    pub fn diagnostic(&self) -> &Diagnostic {
        let (Stop::Malformed(diagnostic) | Stop::Illegal(diagnostic) | Stop::Unjudged(diagnostic)) = self;
        diagnostic
    }
}

/// How a game stands after an entry.
#[derive(Clone, Debug)]
pub struct Standing {
    /// How many entries have been played.
    pub entries: u32,
    /// How many entries each side has made, in the order of [`Side`].
    pub made: [u32; 2],
    /// Whose entry is due and of what kind; if the game is over, the side that would be next.
    pub due: Due,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
    /// Who has made a draw offer that can still be accepted.
    pub offer: Option<Side>,
    /// The clocks, if the record has one.
    pub clocks: Option<Clocks>,
    /// Whether the record's entries have times; `None` before the first entry.
    pub timed: Option<bool>,
    /// The last entry's time.
    pub last: Option<Time>,
}
