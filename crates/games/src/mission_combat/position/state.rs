//! What a game of Mission: Combat! consists of: its sides, its parts, and the state of a game.

use crate::mission_combat::board::Board;
use crate::mission_combat::board::cards::{CARDS, CardId, Counts};
use crate::mission_combat::sealed::shoe::Sealed;
use postrider_kernel::{Quiet, Side};

/// The side that the header names first.
pub(in crate::mission_combat) const MARINES: Side = Side::First;
/// The other one.
pub(in crate::mission_combat) const PORTALISTS: Side = Side::Second;
/// The action points in a turn (M20).
pub(in crate::mission_combat) const POINTS: u32 = 4;
/// The action points in the first turn of a game.
pub(in crate::mission_combat) const FIRST_POINTS: u32 = 2;

/// The parts of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mission_combat) enum Phase {
    /// Sealed play: the decks are sealed and the hands taken (M51).
    Sealing,
    /// Open play: the hands are drawn (M15).
    Drawing,
    /// Units are placed (M17).
    Placing,
    /// A turn (M20).
    Turn,
    /// The side to play has won (M40).
    Won,
}

/// A game of Mission: Combat! in progress.
#[derive(Clone, Debug)]
pub struct MissionCombat {
    pub(in crate::mission_combat) board: Board,
    pub(in crate::mission_combat) phase: Phase,
    /// The action points left in the turn.
    pub(in crate::mission_combat) ap: u32,
    /// Whether no action of the turn has been entered yet.
    pub(in crate::mission_combat) fresh: bool,
    /// Whether a unit was destroyed or trapped this turn (M41).
    pub(in crate::mission_combat) felled: bool,
    /// The number of consecutive turns in which none was (M41).
    pub(in crate::mission_combat) quiet: Quiet,
    /// Open play: the cards in hand.
    pub(in crate::mission_combat) hands: [Counts; 2],
    /// Open play: the undealt decks.
    pub(in crate::mission_combat) stocks: [Counts; 2],
    /// The discard piles, oldest first.
    pub(in crate::mission_combat) piles: [Vec<CardId>; 2],
    /// For each card the number of the unit of it that entered play last.
    pub(in crate::mission_combat) entered: [[u32; CARDS as usize]; 2],
    /// Open play: the two cards of which one is kept (M22).
    pub(in crate::mission_combat) choice: Option<[CardId; 2]>,
    /// The additional state of sealed play; `None` in open play.
    pub(in crate::mission_combat) sealed: Option<Box<Sealed>>,
    /// What the shares of a split are multiples of in lists and counts; `None`: as usual.
    pub(in crate::mission_combat) grain: Option<u32>,
    /// Open play: whether each side sees only its own hand.
    pub(in crate::mission_combat) veiled: bool,
}

/// One of two things, by side.
pub(in crate::mission_combat) fn of<T>([first, second]: &[T; 2], side: Side) -> &T {
    if side == Side::First { first } else { second }
}

pub(in crate::mission_combat) fn of_mut<T>([first, second]: &mut [T; 2], side: Side) -> &mut T {
    if side == Side::First { first } else { second }
}

/// A side's name in records.
pub(in crate::mission_combat) const fn word(side: Side) -> &'static str {
    match side {
        MARINES => "marines",
        PORTALISTS => "portalists",
    }
}
