//! The positions since a piece was last removed; none from before can recur (D62).
//!
//! Not the positions are kept but the moves between them, two bytes per turn: a turn that removes nothing is a move.

use super::board::{Board, Challenge, Square};
use crate::games::kernel::Log;

/// The history of a game since a piece was last removed.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// The first of these positions.
    since: Board,
    /// Where the piece moved from and to, turn by turn.
    moves: Log<(Square, Square)>,
}

impl Past {
    /// Starts a history with this position.
    pub(super) fn since(board: Board) -> Self {
        Self { since: board, moves: Log::default() }
    }

    /// Adds a turn that removed nothing.
    pub(super) fn push(&mut self, from: Square, to: Square) {
        self.moves.push((from, to));
    }

    /// How often a position has occurred.
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
