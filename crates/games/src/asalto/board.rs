//! The board as data (T1-T3): 33 points, the lines between them, and which of them are dotted.
//!
//! A point is a bit of a 64-bit word, eight bits per rank, so a neighbour is one shift away and the unused eighth file
//! keeps shifts from wrapping around.

use std::fmt::Write as _;

/// A set of points.
pub(super) type Set = u64;

/// A point, which may be one that the notation has and the board has not (b6): rank * 8 + file, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point(u8);

impl Point {
    /// Makes a point from file (0 to 6) and rank (0 to 6).
    pub(super) const fn new(file: u8, rank: u8) -> Self {
        Point((rank & 7) * 8 + (file & 7))
    }

    /// The file, from 0.
    pub(super) const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The rank, from 0.
    pub(super) const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// How it is written: its file and its rank.
    pub(super) fn letters(self) -> [char; 2] {
        [char::from(b'a' + self.file()), char::from(b'1' + self.rank())]
    }

    /// The point as a set.
    pub(super) const fn set(self) -> Set {
        1 << self.0
    }

    /// The only point of a set, or the first if there are more.
    pub(super) const fn first(set: Set) -> Self {
        Point(set.trailing_zeros() as u8 & 63)
    }

    /// Whether the point is on the board (T1).
    pub(super) const fn on_board(self) -> bool {
        BOARD & self.set() != 0
    }

    /// The order in which lists of points are written: by file, then by rank.
    pub(super) const fn order(self) -> (u8, u8) {
        (self.file(), self.rank())
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.letters().into_iter().try_for_each(|letter| f.write_char(letter))
    }
}

/// The points of a set, rank by rank from the bottom.
pub(super) fn points(mut set: Set) -> impl Iterator<Item = Point> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let point = Point::first(set);
        set &= set - 1;
        Some(point)
    })
}

/// The points of a set in the order of notation: by file, then by rank.
pub(super) fn in_order(set: Set) -> Vec<Point> {
    let mut list: Vec<_> = points(set).collect();
    list.sort_by_key(|point| point.order());
    list
}

/// The eight directions as shifts, clockwise from north.
pub(super) const SHIFTS: [i8; 8] = [8, 9, 1, -7, -8, -9, -1, 7];

/// Moves a set one step in a direction, regardless of what is there. What leaves the board at one end may appear at the other,
/// but not on the board.
#[inline]
pub(super) const fn shifted(set: Set, direction: usize) -> Set {
    set.rotate_left(SHIFTS[direction].rem_euclid(64) as u32)
}

/// All points (T1): files c to e, and all files on ranks 3 to 5.
pub(super) const BOARD: Set = {
    let arm = 0b0001_1100;
    let wide = 0b0111_1111;
    arm | arm << 8 | wide << 16 | wide << 24 | wide << 32 | arm << 40 | arm << 48
};

/// The fortress (T1): c5 to e7.
pub(super) const FORTRESS: Set = 0b0001_1100 << 32 | 0b0001_1100 << 40 | 0b0001_1100 << 48;

/// The points outside the fortress, where the besiegers start (T10).
pub(super) const OUTSIDE: Set = BOARD & !FORTRESS;

/// The points with diagonals (T2): file number plus rank is even.
pub(super) const EVEN: Set = {
    let mut set = 0;
    let mut at = 0;
    while at < 64 {
        if (at / 8 + at % 8) % 2 == 0 {
            set |= 1 << at;
        }
        at += 1;
    }
    set & BOARD
};

/// The solid horizontal lines (T3), by their left ends: a5-b5-c5 and e5-f5-g5.
const SOLID_EASTWARDS: Set = (0b0011 | 0b11_0000) << 32;

/// For each direction, the points from which a line leads that way (T2).
pub(super) const LINES: [Set; 8] = {
    let mut lines = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let from = if direction % 2 == 0 { BOARD } else { EVEN };
        lines[direction] = from & shifted(BOARD, (direction + 4) % 8);
        direction += 1;
    }
    lines
};

/// For each direction, the points from which a dotted line leads that way (T3).
pub(super) const DOTTED: [Set; 8] = {
    let mut dotted = [0; 8];
    dotted[2] = LINES[2] & !SOLID_EASTWARDS;
    dotted[6] = LINES[6] & !shifted(SOLID_EASTWARDS, 2);
    dotted
};

/// For each direction, the points from which a besieger may step that way (T20, T21): up along any line, and along the
/// solid parts of rank 5 towards the fortress.
pub(super) const BESIEGER_STEPS: [Set; 8] = {
    let mut steps = [0; 8];
    steps[0] = LINES[0];
    steps[1] = LINES[1];
    steps[7] = LINES[7];
    steps[2] = 0b0011 << 32;
    steps[6] = 0b110_0000 << 32;
    steps
};

/// The same with `sideways: both`: along the solid parts of rank 5 in either direction.
pub(super) const SIDEWAYS_STEPS: [Set; 8] = {
    let mut steps = BESIEGER_STEPS;
    steps[2] = SOLID_EASTWARDS;
    steps[6] = shifted(SOLID_EASTWARDS, 2);
    steps
};

/// The direction of the line from one point to its neighbour, if there is one (T2).
#[inline]
pub(super) fn line(from: Point, to: Point) -> Option<usize> {
    let direction = usize::from(WAYS[usize::from(from.0 & 63)][usize::from(to.0 & 63)]);
    (direction < 8).then_some(direction)
}

/// For each pair of points, the direction of the line between them; 8 if there is none.
static WAYS: [[u8; 64]; 64] = {
    let mut table = [[8; 64]; 64];
    let mut at = 0;
    while at < 64 {
        let mut direction = 0;
        while direction < 8 {
            let to = shifted(LINES[direction] & (1 << at), direction);
            if to != 0 {
                table[at][to.trailing_zeros() as usize] = direction as u8;
            }
            direction += 1;
        }
        at += 1;
    }
    table
};

/// The direction of the straight path along two lines from one point to another, if there is one (T2, T31).
pub(super) fn jump_line(from: Point, to: Point) -> Option<usize> {
    let by = i16::from(to.0) - i16::from(from.0);
    let direction = SHIFTS.iter().position(|&shift| i16::from(shift) * 2 == by)?;
    let over = shifted(from.set(), direction);
    (LINES[direction] & from.set() != 0 && LINES[direction] & over != 0).then_some(direction)
}

/// The neighbours of each point.
static NEIGHBOURS: [Set; 64] = {
    let mut table = [0; 64];
    let mut at = 0;
    while at < 64 {
        let mut direction = 0;
        while direction < 8 {
            table[at] |= shifted(LINES[direction] & (1 << at), direction);
            direction += 1;
        }
        at += 1;
    }
    table
};

pub(super) fn neighbours(point: Point) -> Set {
    NEIGHBOURS[usize::from(point.0 & 63)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t1_the_board_has_33_points_and_the_fortress_nine() {
        assert_eq!(BOARD.count_ones(), 33);
        assert_eq!(FORTRESS.count_ones(), 9);
        assert_eq!(OUTSIDE.count_ones(), 24);
    }

    #[test]
    fn t2_there_are_26_vertical_26_horizontal_and_20_diagonal_lines() {
        assert_eq!(LINES[0].count_ones(), 26);
        assert_eq!(LINES[2].count_ones(), 26);
        assert_eq!(LINES[1].count_ones() + LINES[3].count_ones(), 20);
        for (direction, &lines) in LINES.iter().enumerate() {
            assert_eq!(shifted(lines, direction), LINES[(direction + 4) % 8], "lines have two ends");
        }
    }

    #[test]
    fn t2_every_straight_continuation_on_the_board_is_a_line() {
        for (direction, &lines) in LINES.iter().enumerate() {
            let arrived = shifted(lines, direction);
            let further = arrived & shifted(BOARD, (direction + 4) % 8);
            assert_eq!(further & !lines, 0, "direction {direction}");
        }
    }

    #[test]
    fn t3_horizontals_are_dotted_except_two_on_each_side_of_rank_5() {
        assert_eq!(DOTTED[2].count_ones(), 22);
        assert_eq!(shifted(DOTTED[2], 2), DOTTED[6]);
        for (index, dotted) in DOTTED.iter().enumerate() {
            assert!(index % 4 == 2 || *dotted == 0);
        }
    }

    #[test]
    fn t21_besiegers_step_up_or_towards_the_fortress() {
        for (table, along_rank_5) in [(&BESIEGER_STEPS, 4), (&SIDEWAYS_STEPS, 8)] {
            let steps: u32 = table.iter().map(|set| set.count_ones()).sum();
            assert_eq!(steps, 26 + 20 + along_rank_5);
            for (index, set) in table.iter().enumerate() {
                assert_eq!(set & !LINES[index], 0);
                assert_eq!(set & DOTTED[index], 0);
            }
        }
    }
}
