//! What a game of Subsume consists of: what may be entered, the options, and the state of a game.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::subsume::board::{Board, Kind, Square};
use crate::subsume::rules::control::Border;
use postrider_kernel::words::push_number;
use postrider_kernel::{Nonce, Outcome, Seal, SealPlace, Side};

/// The side at rank 1, which plays first (U2).
pub(in crate::subsume) const WHITE: Side = Side::First;
/// The side at rank 8.
pub(in crate::subsume) const BLACK: Side = Side::Second;

/// A token's type as given in an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// The type itself: `A`. It is also typed in sealed play, and sealed before it is entered.
    Open(Kind),
    /// A seal on the word for the type (U90).
    Sealed(Seal),
}

/// What opens a sealed token (U91): `5:A:` and a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The token's number.
    pub number: u32,
    /// Its type.
    pub kind: Kind,
    /// The nonce of its seal.
    pub nonce: Nonce,
}

/// An action as written (U95).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `+d1A`, `+d1 seal:…`.
    Claim {
        /// A square of the territory, or the empty square.
        at: Square,
        /// The token's type.
        cover: Cover,
    },
    /// `c1=2`.
    Subsume {
        /// The lower left square of the new territory.
        at: Square,
        /// The new territory's size: 2 or 4.
        size: u8,
    },
    /// `c1^3`.
    Reorder {
        /// A square of the territory.
        at: Square,
        /// Which token is lifted to the top, counted from 1 at the bottom.
        nth: u32,
    },
    /// `c1:3=D`, `c1:3=seal:…`.
    Retype {
        /// A square of the territory.
        at: Square,
        /// Which token, counted from 1 at the bottom.
        nth: u32,
        /// Its new type.
        cover: Cover,
    },
    /// `d4xd5`, in sealed play with the openings.
    Conflict {
        /// The own square.
        from: Square,
        /// The enemy's.
        to: Square,
        /// The tokens that it opens (U91).
        openings: Vec<Opening>,
    },
    /// `d1-d2`, `d1-d2*3`.
    Move {
        /// The square that the tokens leave from.
        from: Square,
        /// The square that they go to.
        to: Square,
        /// How many tokens go, one after another.
        count: u32,
    },
    /// `reveal 6:D:…`.
    Reveal(Vec<Opening>),
    /// `end`.
    End,
}

/// How far a turn has progressed (U2); it never returns to an earlier phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::subsume) enum Phase {
    /// The claim is due.
    Claim,
    Subsume,
    Conflict,
    Movement,
}

/// A conflict that is waiting for a reveal (U92).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::subsume) struct Pending {
    pub(in crate::subsume) from: Square,
    pub(in crate::subsume) to: Square,
    /// Whether the turn is over once the reveal is made (U94).
    pub(in crate::subsume) closed: bool,
}

/// The options that a record has chosen, and whether it is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::subsume) struct Rules {
    pub(in crate::subsume) border: Border,
    /// After how many turns per side the game is decided by counting (U81).
    pub(in crate::subsume) limit: Option<u32>,
    pub(in crate::subsume) sealed: bool,
    /// Whether it is noted which tokens both sides have seen: in open play between machines, which are to know no more than in
    /// sealed play.
    pub(in crate::subsume) veiled: bool,
}

/// Everything that an entry changes; cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::subsume) struct State {
    pub(in crate::subsume) board: Board,
    /// Whose turn it is.
    pub(in crate::subsume) to_play: Side,
    pub(in crate::subsume) phase: Phase,
    /// How many turns have ended, counting both sides.
    pub(in crate::subsume) turns: u32,
    /// How many tokens have been placed (U90).
    pub(in crate::subsume) tokens: u32,
    pub(in crate::subsume) pending: Option<Pending>,
    pub(in crate::subsume) outcome: Option<Outcome>,
}

impl State {
    /// The number of the current turn, from 1; stacks are marked with it.
    pub(in crate::subsume) const fn turn(&self) -> u32 {
        self.turns.saturating_add(1)
    }

    /// The side whose entry is due.
    pub(in crate::subsume) const fn due(&self) -> Side {
        if self.pending.is_some() { self.to_play.other() } else { self.to_play }
    }
}

/// The label of a token's seal: that of its claim, or of the `nth` time it is sealed again (U90).
pub(in crate::subsume) fn label(token: u32, nth: u32) -> String {
    let mut label = String::with_capacity("token.".len() + 12);
    label.push_str("token.");
    push_number(&mut label, token);
    if nth > 0 {
        label.push('.');
        push_number(&mut label, nth);
    }
    label
}

/// A game of Subsume in progress.
#[derive(Clone, Debug)]
pub struct Subsume {
    pub(in crate::subsume) state: State,
    /// What a side has revealed to the program about its seals, by their places.
    pub(in crate::subsume) confided: Arc<BTreeMap<SealPlace, (Side, Kind)>>,
    pub(in crate::subsume) rules: Rules,
    /// What the current entry has cost so far, in steps of about a hundred instructions, beyond what every action
    /// costs.
    pub(in crate::subsume) steps: usize,
}
