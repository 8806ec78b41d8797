//! The turns since a piece was last removed, which give every position that could be equal to the present one (A54).

use super::board::{Facing, Square};
use super::{Action, Carried, Deed, Kind};

/// A turn that removes nothing, in four bytes, because a record has room for hundreds of thousands: from the highest bits down its
/// kind (3), the squares that it goes from and to (6 each), its facing (3), and the squares that it names with `+` (2 for their number,
/// 6 each). A spin goes to where it is, which no move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past(u32);

/// The bits of a square.
const SQUARE: u32 = 6;

/// Takes the lowest bits off.
const fn take(bits: &mut u32, count: u32) -> usize {
    let low = *bits & ((1 << count) - 1);
    *bits >>= count;
    low as usize
}

impl Past {
    pub(super) fn of(turn: &Action) -> Self {
        let square = |square: Square| square.index() as u32;
        // Their places in `ALL`, from 1.
        let kind = turn.kind.map_or(0, |kind| kind as u32 + 1);
        let facing = turn.facing.map_or(0, |facing| facing as u32 + 1);
        let to = turn.deed.square().unwrap_or(turn.from);
        let mut bits = ((kind << SQUARE | square(turn.from)) << SQUARE | square(to)) << 3 | facing;
        if turn.carried.is_empty() {
            return Self(bits << (2 + 2 * SQUARE));
        }
        // A side has two Fighters, and a legal turn names none that is not there.
        let mut carried = turn.carried.iter();
        let both = [carried.next(), carried.next()];
        bits = bits << 2 | both.iter().flatten().count() as u32;
        for one in both.into_iter().rev() {
            bits = bits << SQUARE | one.map_or(0, square);
        }
        Self(bits)
    }

    /// The turn.
    pub(super) fn turn(self) -> Action {
        let mut bits = self.0;
        let square = |bits: &mut u32| Square::first(1 << take(bits, SQUARE));
        let both = [square(&mut bits), square(&mut bits)];
        let count = take(&mut bits, 2);
        let facing = take(&mut bits, 3).checked_sub(1).and_then(|place| Facing::ALL.get(place)).copied();
        let (to, from) = (square(&mut bits), square(&mut bits));
        let kind = take(&mut bits, 3).checked_sub(1).and_then(|place| Kind::ALL.get(place)).copied();
        let deed = if to == from { Deed::Spin } else { Deed::Move(to) };
        Action { kind, from, deed, facing, carried: both.into_iter().take(count).collect::<Carried>() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::assideum::Assideum;
    use crate::games::kernel::random::Xorshift;
    use crate::games::kernel::{Game, Moves, Options, Start};

    #[test]
    fn a_turn_is_the_same_when_it_has_been_kept() {
        let removes = |turn: &Action| matches!(turn.deed, Deed::Attack(_) | Deed::Fire(_));
        let mut numbers = Xorshift(0x5eed);
        let (mut kept, mut carried) = (0, 0);
        for _ in 0..60 {
            let mut game = Assideum::start(&Start::open(&Options::default(), None)).expect("the start");
            for _ in 0..40 {
                let mut moves = Moves::default();
                game.moves(&mut moves);
                let turns: Vec<_> = moves.iter().filter_map(|entry| entry.first().copied()).collect();
                for turn in turns.iter().filter(|turn| !removes(turn)) {
                    assert_eq!(Past::of(turn).turn(), *turn);
                    kept += 1;
                    carried += usize::from(turn.carried.iter().count() == 2);
                }
                let Some(turn) = turns.get(numbers.below(turns.len().max(1))) else { break };
                game.apply(&[*turn]);
            }
        }
        assert!(kept > 1000 && carried > 0, "{kept} {carried}");
    }
}
