//! Finds what to repaint when one picture replaces another: the elements that went or came, and those that touch them.

use super::list::{List, Placed};

/// The most pairs of elements that are compared; a picture with more is painted as a whole.
const PAIRS: usize = 40_000;

/// A rectangle of a picture in pixels: left and top, and right and bottom behind the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub left: usize,
    pub top: usize,
    pub right: usize,
    pub bottom: usize,
}

impl Area {
    const fn touches(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    const fn pixels(&self) -> usize {
        self.right.saturating_sub(self.left) * self.bottom.saturating_sub(self.top)
    }
}

/// What is painted anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Repaint {
    /// Where: every element of those below lies within, and no other one reaches into them.
    pub areas: Vec<Area>,
    /// Which elements of the new picture, by their numbers, from back to front.
    pub items: Vec<usize>,
}

impl Repaint {
    /// How many pixels there are, some perhaps more than once.
    pub(super) fn pixels(&self) -> usize {
        self.areas.iter().map(Area::pixels).sum()
    }
}

/// Whether two elements look the same.
pub(super) fn is_same((one, a): (&List, &Placed), (other, b): (&List, &Placed)) -> bool {
    (a.at, a.scale, a.turn) == (b.at, b.scale, b.turn) && one.shapes(a) == other.shapes(b)
}

/// Which elements of two lists are the same ones in the same order, as pairs of their numbers: as many as possible.
/// `None` if that takes too long.
fn kept(old: &List, new: &List, from: usize) -> Option<Vec<(usize, usize)>> {
    let same = |a: usize, b: usize| match (old.items.get(a), new.items.get(b)) {
        (Some(a), Some(b)) => is_same((old, a), (new, b)),
        _ => false,
    };
    let (mut old_end, mut new_end) = (old.items.len(), new.items.len());
    let mut start = from;
    while start < old_end.min(new_end) && same(start, start) {
        start += 1;
    }
    let mut pairs: Vec<_> = (from..start).map(|nth| (nth, nth)).collect();
    let mut behind = Vec::new();
    while start < old_end.min(new_end) && same(old_end - 1, new_end - 1) {
        (old_end, new_end) = (old_end - 1, new_end - 1);
        behind.push((old_end, new_end));
    }
    // The longest common subsequence of what is between.
    let (rows, columns) = (old_end - start, new_end - start);
    if rows * columns > PAIRS {
        return None;
    }
    let width = columns + 1;
    let mut longest = vec![0_u16; (rows + 1) * width];
    let at = |longest: &[u16], row: usize, column: usize| longest.get(row * width + column).copied().unwrap_or(0);
    let mut equal = vec![false; rows * columns];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let is_same = same(start + row, start + column);
            let length = if is_same {
                1 + at(&longest, row + 1, column + 1)
            } else {
                at(&longest, row + 1, column).max(at(&longest, row, column + 1))
            };
            if let (Some(place), Some(length_here)) =
                (equal.get_mut(row * columns + column), longest.get_mut(row * width + column))
            {
                (*place, *length_here) = (is_same, length);
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if equal.get(row * columns + column) == Some(&true) {
            pairs.push((start + row, start + column));
            (row, column) = (row + 1, column + 1);
        } else if at(&longest, row + 1, column) >= at(&longest, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs.extend(behind.into_iter().rev());
    Some(pairs)
}

/// Returns what is painted anew so that a picture of `old` becomes one of `new`; both begin with `from` elements that are never
/// painted anew. `area` says where an element is. `None` if everything is.
pub(super) fn repaint(old: &List, new: &List, from: usize, area: impl Fn(&List, &Placed) -> Area) -> Option<Repaint> {
    let kept = kept(old, new, from)?;
    let (mut stays, mut is_new) = (vec![false; old.items.len()], vec![true; new.items.len()]);
    for (was, is) in kept {
        if let (Some(was), Some(is)) = (stays.get_mut(was), is_new.get_mut(is)) {
            (*was, *is) = (true, false);
        }
    }
    let went = old.items.iter().zip(stays).skip(from).filter(|(_, stays)| !stays);
    let mut areas: Vec<Area> = went.map(|(item, _)| area(old, item)).collect();
    let places: Vec<Area> = new.items.iter().map(|item| area(new, item)).collect();
    let mut painted: Vec<bool> = is_new.iter().enumerate().map(|(nth, is_new)| *is_new && nth >= from).collect();
    areas.extend(places.iter().zip(&painted).filter(|(_, painted)| **painted).map(|(place, _)| *place));
    // Whatever touches what is painted anew is painted anew too.
    let mut looked = 0;
    while let Some(next) = areas.get(looked).copied() {
        looked += 1;
        for (place, painted) in places.iter().zip(&mut painted).skip(from) {
            if !*painted && place.touches(&next) {
                *painted = true;
                areas.push(*place);
            }
        }
    }
    let items = painted.iter().enumerate().filter(|(_, painted)| **painted).map(|(nth, _)| nth).collect();
    Some(Repaint { areas, items })
}
