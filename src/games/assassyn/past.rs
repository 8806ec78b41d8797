//! The positions that have stood since a piece was last removed: none from before can come again (D62).
//!
//! They are not kept themselves but as the moves that lead through them, two bytes a turn: a turn that removes nothing is a move.

use super::board::{Board, Challenge, Square};
use crate::games::kernel::Log;

/// What a game has been through since a piece was last removed.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// The first of these positions.
    since: Board,
    /// The way of the piece that moved, turn by turn.
    moves: Log<(Square, Square)>,
}

impl Past {
    /// A past that begins with this position.
    pub(super) fn since(board: Board) -> Self {
        Self { since: board, moves: Log::default() }
    }

    /// Adds a turn that removed nothing.
    pub(super) fn push(&mut self, from: Square, to: Square) {
        self.moves.push((from, to));
    }

    /// How often a position has stood.
    pub(super) fn count(&self, board: &Board) -> usize {
        let mut now = self.since;
        let mut times = usize::from(now == *board);
        for &(from, to) in self.moves.iter() {
            let side = now.to_play;
            let Some((slot, _)) = now.at(side, from) else { break };
            now.challenge = now.at(side.other(), to).map(|_| Challenge { from, on: to });
            if let Some(man) = now.man(side, slot) {
                man.at = Some(to);
            }
            now.end_turn(side, Some(slot));
            times += usize::from(now == *board);
        }
        times
    }
}
