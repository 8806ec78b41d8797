//! The board as data (A1): squares, directions, lines of sight, and the Portals' flight zones (A20).
//!
//! A square is a bit of a 64-bit word, eight bits per rank, starting with the first rank.

pub(crate) mod field;

use postrider_kernel::DIRECTIONS;

/// A set of squares.
pub(super) type Set = u64;

/// A square: rank * 8 + file, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Makes a square from file (0 to 7) and rank (0 to 7).
    pub(super) const fn new(file: u8, rank: u8) -> Self {
        Square((rank & 7) * 8 + (file & 7))
    }

    /// The file, from 0.
    pub(super) const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The rank, from 0.
    pub(super) const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// The square as a set.
    pub(super) const fn set(self) -> Set {
        1 << (self.0 & 63)
    }

    /// The square as an index below 64.
    pub(super) const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The only square of a set, or the first if there are more.
    pub(super) const fn first(set: Set) -> Self {
        Square(set.trailing_zeros() as u8 & 63)
    }

    /// The order in which squares are written: by file, then by rank.
    pub(super) const fn order(self) -> (u8, u8) {
        (self.file(), self.rank())
    }

    /// The neighbouring square in a direction, if there is one.
    pub(super) fn step(self, direction: usize) -> Option<Self> {
        let (east, north) = DIRECTIONS[direction % 8];
        let (file, rank) = (self.file() as i8 + east, self.rank() as i8 + north);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| Square::new(file as u8, rank as u8))
    }

    /// The direction of the straight line to another square, and its length; `None` if there is no straight line.
    pub(super) fn way_to(self, to: Square) -> Option<(usize, u8)> {
        let direction = WAYS[self.index()][to.index()];
        let length = self.file().abs_diff(to.file()).max(self.rank().abs_diff(to.rank()));
        (direction < 8).then_some((usize::from(direction), length))
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), char::from(b'1' + self.rank()))
    }
}

/// The squares of a set, rank by rank from the bottom.
pub(super) fn squares(mut set: Set) -> impl Iterator<Item = Square> + Clone {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = Square::first(set);
        set &= set - 1;
        Some(square)
    })
}

/// The squares of a set in the order of notation: by file, then by rank.
pub(super) fn in_order(set: Set) -> Vec<Square> {
    let mut list: Vec<_> = squares(set).collect();
    list.sort_by_key(|square| square.order());
    list
}

/// The direction that a Portal or Ranger faces (A13); never a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Towards rank 8.
    North,
    /// Towards file h.
    East,
    /// Towards rank 1.
    South,
    /// Towards file a.
    West,
}

impl Facing {
    /// All four, clockwise from north.
    pub(super) const ALL: [Facing; 4] = [Facing::North, Facing::East, Facing::South, Facing::West];

    /// The direction as an index into the eight.
    pub(super) const fn direction(self) -> usize {
        self as usize * 2
    }

    /// The letter in notation.
    pub(super) const fn letter(self) -> char {
        match self {
            Facing::North => 'N',
            Facing::East => 'E',
            Facing::South => 'S',
            Facing::West => 'W',
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Facing::North => "north",
            Facing::East => "east",
            Facing::South => "south",
            Facing::West => "west",
        }
    }
}

/// For each direction and square, the squares ahead up to the edge of the board.
pub(super) static RAYS: [[Set; 64]; 8] = {
    let mut rays = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut at = 0;
        while at < 64 {
            let (east, north) = DIRECTIONS[direction];
            let (mut file, mut rank) = (at % 8 + east, at / 8 + north);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                rays[direction][at as usize] |= 1 << (rank * 8 + file);
                (file, rank) = (file + east, rank + north);
            }
            at += 1;
        }
        direction += 1;
    }
    rays
};

/// For each pair of squares, the direction of the straight line from the first to the second; 8 if there is none.
static WAYS: [[u8; 64]; 64] = {
    let mut ways = [[8; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut ray = RAYS[direction][from];
            while ray != 0 {
                ways[from][ray.trailing_zeros() as usize] = direction as u8;
                ray &= ray - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    ways
};

/// For each square, all squares north, east, south and west of it.
pub(super) static STRAIGHT: [Set; 64] = lines(0);
/// For each square, all squares on its diagonals.
pub(super) static DIAGONAL: [Set; 64] = lines(1);

/// For each square, the rays in every second direction, from `first` on.
const fn lines(first: usize) -> [Set; 64] {
    let mut lines = [0; 64];
    let mut at = 0;
    while at < 64 {
        lines[at] = RAYS[first][at] | RAYS[first + 2][at] | RAYS[first + 4][at] | RAYS[first + 6][at];
        at += 1;
    }
    lines
}

/// For each square, its neighbours (A10).
pub(super) static STEPS: [Set; 64] = steps([true; 8]);

/// For each side (White, Black) and square, the neighbours forward, straight and diagonal (A11).
pub(super) static ADVANCES: [[Set; 64]; 2] = [
    steps([true, true, false, false, false, false, false, true]),
    steps([false, false, false, true, true, true, false, false]),
];

const fn steps(directions: [bool; 8]) -> [Set; 64] {
    let mut table = [0; 64];
    let mut at = 0i8;
    while at < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (file, rank) = (at % 8 + DIRECTIONS[direction].0, at / 8 + DIRECTIONS[direction].1);
            if directions[direction] && file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[at as usize] |= 1 << (rank * 8 + file);
            }
            direction += 1;
        }
        at += 1;
    }
    table
}

/// For each number from 0 to 7 and each square, the squares at most that many files and ranks away.
pub(super) static WITHIN: [[Set; 64]; 8] = {
    let mut within = [[0; 64]; 8];
    let mut distance = 1;
    while distance < 8 {
        let mut at = 0;
        while at < 64 {
            let mut to = 0;
            while to < 64 {
                let (files, ranks): (i8, i8) = (at % 8 - to % 8, at / 8 - to / 8);
                if files.abs() <= distance && ranks.abs() <= distance {
                    within[distance as usize][at as usize] |= 1 << to;
                }
                to += 1;
            }
            at += 1;
        }
        distance += 1;
    }
    within
};

/// For each facing and square, the flight zone of a Portal there: one square to each side, one back, three ahead (A20).
static ZONES: [[Set; 64]; 4] = {
    let mut zones = [[0; 64]; 4];
    let mut facing = 0;
    while facing < 4 {
        let (ahead_file, ahead_rank) = DIRECTIONS[facing * 2];
        let (right_file, right_rank) = DIRECTIONS[(facing * 2 + 2) % 8];
        let mut at = 0;
        while at < 64 {
            let mut ahead = -1;
            while ahead <= 3 {
                let mut right = -1;
                while right <= 1 {
                    let file = at % 8 + ahead * ahead_file + right * right_file;
                    let rank = at / 8 + ahead * ahead_rank + right * right_rank;
                    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                        zones[facing][at as usize] |= 1 << (rank * 8 + file);
                    }
                    right += 1;
                }
                ahead += 1;
            }
            at += 1;
        }
        facing += 1;
    }
    zones
};

/// The flight zone of a Portal (A20).
pub(super) fn zone(portal: Square, facing: Facing) -> Set {
    ZONES[facing as usize][portal.index()]
}

/// The squares seen from a square in a direction, up to and including the first of `blockers`.
pub(super) fn sight(direction: usize, from: Square, blockers: Set) -> Set {
    let rays = &RAYS[direction % 8];
    let ray = rays[from.index()];
    let met = ray & blockers;
    if met == 0 {
        return ray;
    }
    let nearest = if matches!(direction, 0..=2 | 7) { met.trailing_zeros() } else { 63 - met.leading_zeros() };
    ray ^ rays[nearest as usize & 63]
}

/// The squares seen north, east, south and west.
pub(super) fn sight_straight(from: Square, blockers: Set) -> Set {
    sight(0, from, blockers) | sight(2, from, blockers) | sight(4, from, blockers) | sight(6, from, blockers)
}

/// The squares seen along the diagonals.
pub(super) fn sight_diagonal(from: Square, blockers: Set) -> Set {
    sight(1, from, blockers) | sight(3, from, blockers) | sight(5, from, blockers) | sight(7, from, blockers)
}

/// Where a Portal is and which way it faces.
pub(super) type Stand = (Square, Facing);

/// Where a Fighter ends up that keeps its place relative to a Portal (A30); if that is off the board, the closest
/// square (A34).
pub(super) fn carried_to(fighter: Square, before: Stand, after: Stand) -> Square {
    let mut east = fighter.file() as i8 - before.0.file() as i8;
    let mut north = fighter.rank() as i8 - before.0.rank() as i8;
    for _ in 0..(after.1 as u8 + 4 - before.1 as u8) % 4 {
        (east, north) = (north, -east);
    }
    let clamp = |at: i8| at.clamp(0, 7) as u8;
    Square::new(clamp(after.0.file() as i8 + east), clamp(after.0.rank() as i8 + north))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        let &[file, rank] = name.as_bytes() else { panic!("{name} is no square") };
        Square::new(file - b'a', rank - b'1')
    }

    fn set(names: &str) -> Set {
        names.split(' ').map(|name| square(name).set()).sum()
    }

    #[test]
    fn a1_squares_are_named_by_file_and_rank() {
        assert_eq!(square("h8").to_string(), "h8");
        assert_eq!(square("b5").order(), (1, 4));
    }

    #[test]
    fn a20_a_zone_has_fifteen_squares_and_is_cut_off_at_the_edge() {
        let d4 = square("d4");
        assert_eq!(zone(d4, Facing::North), set("c3 d3 e3 c4 d4 e4 c5 d5 e5 c6 d6 e6 c7 d7 e7"));
        assert_eq!(zone(d4, Facing::East), set("c3 c4 c5 d3 d4 d5 e3 e4 e5 f3 f4 f5 g3 g4 g5"));
        for facing in Facing::ALL {
            assert_eq!(zone(d4, facing).count_ones(), 15);
        }
        assert_eq!(zone(square("a1"), Facing::South), set("a1 b1 a2 b2"));
    }

    #[test]
    fn sight_ends_at_the_first_blocker() {
        assert_eq!(sight(0, square("a1"), set("a3 a6")), set("a2 a3"));
        assert_eq!(sight(5, square("d4"), set("b2")), set("c3 b2"));
        assert_eq!(sight(6, square("d4"), 0), set("a4 b4 c4"));
    }

    #[test]
    fn lines_are_straight_or_diagonal() {
        assert_eq!(square("a1").way_to(square("d4")), Some((1, 3)));
        assert_eq!(square("a1").way_to(square("c4")), None);
        assert_eq!(square("a1").way_to(square("a1")), None);
    }

    #[test]
    fn a34_off_the_board_a_fighter_goes_to_the_closest_square() {
        let north = |name| (square(name), Facing::North);
        assert_eq!(carried_to(square("c6"), north("d3"), (square("d3"), Facing::West)), square("a2"));
        assert_eq!(carried_to(square("a8"), north("b7"), north("a8")), square("a8"));
    }
}
