//! The positions since a piece was last removed; none from before can recur (D62).

use crate::assassyn::board::{Board, Challenge, Square};
use postrider_kernel::Retraced;

impl Retraced for Board {
    /// A turn that removes nothing is a move from one square to another.
    type Turn = (Square, Square);

    fn retrace(&mut self, &(from, to): &(Square, Square)) {
        let side = self.to_play;
        let Some((slot, _)) = self.at(side, from) else { return };
        self.challenge = self.at(side.other(), to).map(|_| Challenge { from, on: to });
        if let Some(man) = self.man(side, slot) {
            man.at = Some(to);
        }
        self.end_turn(side, Some(slot));
    }
}
