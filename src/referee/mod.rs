//! The referee: replays the entries of a record, judges each by the envelope's rules and the game's, and keeps what stands.

mod clocks;
mod common;
mod ledger;
mod replay;
mod signing;
mod typed;

pub use clocks::{Charge, Clocks, LeaveFault};
pub use ledger::{TABLE as ENVELOPE_RULES, in_brief, in_words};
pub use replay::{Replay, Table, left_at};
pub use typed::{Beside, Judged, Typed};

use crate::games::kernel::{Due, Lost, Outcome, Side};
use crate::record::Time;
use crate::text::Diagnostic;

/// Why a replay stopped before the record's end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The entry's actions do not fit the game's grammar.
    Malformed(Box<Diagnostic>),
    /// The entry, or the result line, breaks a rule.
    Illegal(Box<Diagnostic>),
}

/// Why what a player typed was not completed.
#[derive(Clone, Debug)]
pub enum Unfinished {
    /// The entry is illegal whatever is added to it.
    Stop(Stop),
    /// The secret that it needs is not at hand.
    Lost(Lost),
}

/// How a game stands after an entry.
#[derive(Clone, Debug)]
pub struct Standing {
    /// How many entries were played.
    pub entries: u32,
    /// How many entries each side has made, in the order of [`Side`].
    pub made: [u32; 2],
    /// Whose entry is due and of what kind; of a game that is over, the side that would be next.
    pub due: Due,
    /// How the game has ended, if it has.
    pub outcome: Option<Outcome>,
    /// Who has offered a draw that can still be accepted.
    pub offer: Option<Side>,
    /// The clocks, if the record has one.
    pub clocks: Option<Clocks>,
    /// Whether the record's entries have times; nothing before the first entry.
    pub timed: Option<bool>,
    /// The last entry's time.
    pub last: Option<Time>,
}
