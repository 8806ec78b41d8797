//! Which territories are controlled (U20 to U22), under either way of counting the border (U21).

use crate::subsume::board::{Board, LOWEST_RANK, Set, Territory, members};
use postrider_kernel::Side;

/// How the border is counted (U21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::subsume) enum Border {
    /// Always the whole perimeter.
    Full,
    /// Without the edges that face a controlled territory of the same owner.
    Shared,
}

/// The squares that share an edge with one of the set, each counted once for each such edge: the four shifts of the set.
pub(in crate::subsume) const fn shifts(set: Set) -> [Set; 4] {
    [set << 8, set >> 8, (set & !(LOWEST_RANK << 7)) << 1, (set & !LOWEST_RANK) >> 1]
}

/// How many tokens a territory needs for control, where the squares of `controlled` belong to its owner's controlled territories.
fn needed_beside(territory: &Territory, border: Border, controlled: Set) -> usize {
    let perimeter = 4 * usize::from(territory.size);
    let covered = match border {
        Border::Full => 0,
        Border::Shared => {
            let own = territory.set();
            shifts(own).into_iter().map(|set| (set & controlled & !own).count_ones() as usize).sum()
        }
    };
    territory.area() + perimeter.saturating_sub(covered)
}

/// How many tokens a territory needs for control on the present board.
pub(in crate::subsume) fn needed(board: &Board, territory: &Territory, border: Border) -> usize {
    let controlled = if border == Border::Full { 0 } else { controlled(board, territory.owner, border) };
    needed_beside(territory, border, controlled)
}

/// The squares of a side's controlled territories: the least fixed point of U21.
pub(in crate::subsume) fn controlled(board: &Board, side: Side, border: Border) -> Set {
    let mut controlled = 0;
    // Those to be looked at: all of them once, then again where a neighbour has become controlled.
    let mut corners = board.corners(side);
    while let Some(territory) = members(corners).next().and_then(|corner| board.at(corner)) {
        corners &= !territory.corner.set();
        let own = territory.set();
        if controlled & own != 0 || territory.stack.len() < needed_beside(territory, border, controlled) {
            continue;
        }
        controlled |= own;
        if border == Border::Shared {
            let beside = shifts(own).into_iter().fold(0, |all, set| all | set) & !controlled;
            let near = members(beside).filter_map(|square| board.own(side, square));
            corners |= near.fold(0, |all, territory| all | territory.corner.set());
        }
    }
    controlled
}

pub(in crate::subsume) fn is_controlled(board: &Board, territory: &Territory, border: Border) -> bool {
    match border {
        Border::Full => territory.stack.len() >= needed_beside(territory, border, 0),
        Border::Shared => controlled(board, territory.owner, border) & territory.corner.set() != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subsume::Subsume;
    use postrider_kernel::{Game, Options, Start};

    /// The least fixed point as U21 words it: all of them again and again until nothing changes.
    fn repeated(board: &Board, side: Side) -> Set {
        let mut found = 0;
        loop {
            let fits = |one: &&Territory| one.stack.len() >= needed_beside(one, Border::Shared, found);
            let next = board.of(side).filter(fits).fold(found, |all, territory| all | territory.set());
            if next == found {
                return found;
            }
            found = next;
        }
    }

    #[test]
    fn u21_control_with_a_shared_border_is_worked_out_from_the_ground_up() {
        // Heights from a fixed sequence: some territories are controlled at once, some by way of others, some never.
        let mut random = 1_u32;
        let mut by_others = 0;
        for round in 0..200 {
            let mut text = String::new();
            for file in "abcdefgh".chars() {
                for rank in 1..=8 {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let side = if (random >> 20).is_multiple_of(5) { 'B' } else { 'W' };
                    if !(random >> 10).is_multiple_of(6) {
                        text += &format!("{side} {file}{rank} {}; ", "I".repeat(1 + (random >> 28) as usize % 5));
                    }
                }
            }
            text += "to play white";
            let options = Options::default();
            let start = Start { options: &options, setup: Some(&text), typed: true, sealed: false, fields: &[] };
            let Ok(game) = Subsume::start(&start) else { panic!("{round}: {text}") };
            let board = &game.state.board;
            for side in Side::BOTH {
                let found = controlled(board, side, Border::Shared);
                assert_eq!(found, repeated(board, side), "{text}");
                by_others += u32::from(found != controlled(board, side, Border::Full));
            }
        }
        assert!(by_others > 100, "{by_others}");
    }
}
