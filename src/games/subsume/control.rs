//! Which territories are controlled (U20 to U22), under either way of counting the border (U21).

use super::board::{Board, LOWEST_RANK, Set, Territory, members};
use crate::games::kernel::Side;

/// How the border is counted (U21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// Always the whole perimeter.
    Full,
    /// Without the edges that face a controlled territory of the same owner.
    Shared,
}

/// The squares that share an edge with one of the set, each counted once for each such edge: the four shifts of the set.
pub(super) const fn shifts(set: Set) -> [Set; 4] {
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
pub(super) fn needed(board: &Board, territory: &Territory, border: Border) -> usize {
    let controlled = if border == Border::Full { 0 } else { controlled(board, territory.owner, border) };
    needed_beside(territory, border, controlled)
}

/// The squares of a side's controlled territories: the least fixed point of U21.
pub(super) fn controlled(board: &Board, side: Side, border: Border) -> Set {
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

/// Whether a territory is controlled.
pub(super) fn is_controlled(board: &Board, territory: &Territory, border: Border) -> bool {
    match border {
        Border::Full => territory.stack.len() >= needed_beside(territory, border, 0),
        Border::Shared => controlled(board, territory.owner, border) & territory.corner.set() != 0,
    }
}
