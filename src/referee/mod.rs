//! The referee: replays the entries of a record, judges each by the envelope's rules and the game's, and keeps what stands.

mod clocks;
mod common;
mod ledger;
mod replay;

pub use clocks::{Charge, Clocks, LeaveFault};
pub use ledger::{TABLE as ENVELOPE_RULES, in_brief, in_words};
pub use replay::{Replay, Table, Unfinished, left_at};

use crate::games::kernel::{Due, Outcome, Side};
use crate::record::Time;
use crate::text::{Diagnostic, Span};

/// Why a replay stopped before the record's end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The entry's actions do not fit the game's grammar.
    Malformed(Box<Diagnostic>),
    /// The entry, or the result line, breaks a rule.
    Illegal(Box<Diagnostic>),
    /// This program cannot judge it.
    Unjudged(Box<Diagnostic>),
}

impl Stop {
    /// A key or a signature stands here, and this program checks none yet.
    #[cold]
    #[must_use]
    pub fn unchecked_signature(span: Span, entry: Option<u32>) -> Self {
        let message = "this program does not check signatures yet, so it does not judge a signed record";
        Stop::Unjudged(Box::new(Diagnostic { entry, ..Diagnostic::fault(span, message) }))
    }
}

/// How a game stands after an entry.
#[derive(Clone, Debug)]
pub struct Standing {
    /// How many entries were played.
    pub entries: u32,
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
