//! The board: squares, tokens, territories, and which territory contains a square.

pub(crate) mod stack;

use std::fmt::{self, Write as _};

use crate::subsume::board::stack::Stack;
use postrider_kernel::{SealPlace, Side};

/// Files and ranks.
pub(super) const SIZE: u8 = 8;

/// Squares as a bit set.
pub(super) type Set = u64;

/// The squares of rank 1.
pub(super) const LOWEST_RANK: Set = 0x0101_0101_0101_0101;

/// A square (U1), numbered by file and then by rank: the order of the position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square on a file and a rank, each from 0.
    pub(super) const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < SIZE && rank < SIZE { Some(Self(file * SIZE + rank)) } else { None }
    }

    /// All squares, in order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..SIZE * SIZE).map(Self)
    }

    /// The file, from 0.
    pub(super) const fn file(self) -> u8 {
        self.0 / SIZE
    }

    /// The rank, from 0.
    pub(super) const fn rank(self) -> u8 {
        self.0 % SIZE
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn set(self) -> Set {
        1 << self.0
    }

    /// The square this many files to the right and ranks up; `None` if it is off the board.
    pub(super) fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        Self::new(self.file().checked_add_signed(files)?, self.rank().checked_add_signed(ranks)?)
    }

    /// Returns whether two squares share an edge.
    pub(super) const fn touches(self, other: Self) -> bool {
        self.file().abs_diff(other.file()) + self.rank().abs_diff(other.rank()) == 1
    }

    /// The squares that share an edge with this one.
    pub(super) fn neighbours(self) -> impl Iterator<Item = Self> {
        [(0, 1), (1, 0), (0, -1), (-1, 0)].into_iter().filter_map(move |(files, ranks)| self.offset(files, ranks))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(char::from(b'a' + self.file()))?;
        f.write_char(char::from(b'1' + self.rank()))
    }
}

/// The types of a token (U12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `I`.
    Isolationist,
    /// `A`.
    Aggressor,
    /// `D`.
    Advocate,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Isolationist, Self::Aggressor, Self::Advocate];

    pub(super) const fn letter(self) -> char {
        match self {
            Self::Isolationist => 'I',
            Self::Aggressor => 'A',
            Self::Advocate => 'D',
        }
    }

    pub(super) const fn of(letter: u8) -> Option<Self> {
        match letter {
            b'I' => Some(Self::Isolationist),
            b'A' => Some(Self::Aggressor),
            b'D' => Some(Self::Advocate),
            _ => None,
        }
    }

    /// The word, which is what gets sealed (U90).
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Isolationist => "isolationist",
            Self::Aggressor => "aggressor",
            Self::Advocate => "advocate",
        }
    }
}

/// What is known of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// Its type.
    Up(Kind),
    Sealed(SealPlace),
}

/// A token in eight bytes, because a record has room for hundreds of thousands: its face in the lowest 24 bits, then how often it has
/// been sealed again in 18, then its number in 22. No record is long enough for more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(u64);

/// The bits of a token's parts.
const FACE: u32 = 24;
const RESEALS: u32 = 18;
const NUMBER: u32 = u64::BITS - FACE - RESEALS;
/// Faces from here on are types, and those below are places of seals.
const FIRST_KIND: u64 = SealPlace::COUNT as u64 + 1;

/// The lowest bits of a number.
const fn low(number: u64, bits: u32) -> u64 {
    number & ((1 << bits) - 1)
}

/// A number that fits into so many bits.
const fn fitted(number: u32, bits: u32) -> u64 {
    let most = (1 << bits) - 1;
    if number as u64 > most { most } else { number as u64 }
}

impl Token {
    pub(super) const fn new(number: u32, reseals: u32, face: Face) -> Self {
        let face = match face {
            Face::Up(kind) => FIRST_KIND + kind as u64,
            Face::Sealed(SealPlace(place)) if place < SealPlace::COUNT => place as u64,
            Face::Sealed(_) => SealPlace::COUNT as u64,
        };
        Self((fitted(number, NUMBER) << RESEALS | fitted(reseals, RESEALS)) << FACE | face)
    }

    /// Its number in the order of placement (U90).
    pub(super) const fn number(&self) -> u32 {
        (self.0 >> (FACE + RESEALS)) as u32
    }

    /// How often it has been sealed again (U90).
    pub(super) const fn reseals(&self) -> u32 {
        low(self.0 >> FACE, RESEALS) as u32
    }

    pub(super) const fn face(&self) -> Face {
        match low(self.0, FACE).checked_sub(FIRST_KIND) {
            None => Face::Sealed(SealPlace(low(self.0, FACE) as u32)),
            Some(0) => Face::Up(Kind::Isolationist),
            Some(1) => Face::Up(Kind::Aggressor),
            Some(_) => Face::Up(Kind::Advocate),
        }
    }

    /// The same token with another face.
    pub(super) const fn showing(&self, face: Face) -> Self {
        Self::new(self.number(), self.reseals(), face)
    }

    pub(super) const fn is_sealed(&self) -> bool {
        low(self.0, FACE) < FIRST_KIND
    }

    /// The place of its seal, while it is sealed.
    pub(super) const fn seal(&self) -> Option<SealPlace> {
        match self.face() {
            Face::Up(_) => None,
            Face::Sealed(place) => Some(place),
        }
    }

    /// Its type, once it is public.
    pub(super) const fn kind(&self) -> Option<Kind> {
        match self.face() {
            Face::Up(kind) => Some(kind),
            Face::Sealed(_) => None,
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {:?}", self.number(), self.reseals(), self.face())
    }
}

/// A territory and its stack (U4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Territory {
    pub owner: Side,
    /// The lower left square.
    pub corner: Square,
    /// Squares along each edge: 1, 2 or 4.
    pub size: u8,
    /// From bottom to top.
    pub stack: Stack,
    /// The last turn in which a token in it fought (U51); all tokens fight together.
    pub fought: u32,
    /// The last turn in which a token moved onto it (U71).
    pub lid: u32,
}

impl Territory {
    /// Makes a territory that has neither fought nor been moved onto.
    pub(super) const fn new(owner: Side, corner: Square, size: u8, stack: Stack) -> Self {
        Self { owner, corner, size, stack, fought: 0, lid: 0 }
    }

    /// The claim number (U20), which equals the number of squares.
    pub(super) fn area(&self) -> usize {
        usize::from(self.size) * usize::from(self.size)
    }

    pub(super) fn squares(&self) -> impl Iterator<Item = Square> {
        squares(self.corner, self.size)
    }

    /// The same as bits.
    pub(super) const fn set(&self) -> Set {
        set_of(self.corner, self.size)
    }

    /// Whether a token in it is still sealed.
    pub(super) fn has_sealed(&self) -> bool {
        self.stack.has_sealed()
    }

    /// The tokens that are still sealed, by number.
    pub(super) fn sealed(&self) -> Vec<Token> {
        let mut list: Vec<_> = self.stack.sealed().copied().collect();
        list.sort_unstable_by_key(Token::number);
        list
    }
}

/// The squares of a square area with this lower left corner, as far as they are on the board.
pub(super) fn squares(corner: Square, size: u8) -> impl Iterator<Item = Square> {
    let files = corner.file()..corner.file().saturating_add(size);
    files.flat_map(move |file| {
        (corner.rank()..corner.rank().saturating_add(size)).filter_map(move |rank| Square::new(file, rank))
    })
}

/// The squares of the square with this lower left corner as bits, as far as they are on the board.
pub(super) const fn set_of(corner: Square, size: u8) -> Set {
    // The ranks of one file, and that file as often as there are files.
    let (ranks, files) = match size {
        1 => (0b1, 0x1),
        2 => (0b11, 0x101),
        _ => (0b1111, 0x0101_0101),
    };
    (((ranks << corner.rank()) & 0xff) * files) << (SIZE * corner.file())
}

/// The squares of a set, in order.
pub(super) fn members(mut set: Set) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let first = u8::try_from(set.trailing_zeros()).ok().filter(|_| set != 0)?;
        set &= set - 1;
        Some(Square(first))
    })
}

/// No territory holds this square.
const NONE: u8 = u8::MAX;

/// The board. Copies share the blocks of their stacks until one of them changes a block.
#[derive(Clone, Debug)]
pub(super) struct Board {
    /// In no order.
    territories: Vec<Territory>,
    /// Where among them the one stands that holds a square.
    holders: [u8; 64],
    /// The lower left squares of each side's territories.
    corners: [Set; 2],
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.all().eq(other.all())
    }
}

impl Eq for Board {}

impl Board {
    pub(super) const fn empty() -> Self {
        Self { territories: Vec::new(), holders: [NONE; 64], corners: [0; 2] }
    }

    fn holder(&self, square: Square) -> usize {
        self.holders.get(square.index()).copied().map_or(usize::MAX, usize::from)
    }

    /// The territory that holds a square.
    pub(super) fn at(&self, square: Square) -> Option<&Territory> {
        self.territories.get(self.holder(square))
    }

    /// The territory that contains a square, if it belongs to this side.
    pub(super) fn own(&self, side: Side, square: Square) -> Option<&Territory> {
        self.at(square).filter(|territory| territory.owner == side)
    }

    /// The territory that holds a square, to be changed; its owner, corner and size stay.
    pub(super) fn edit(&mut self, square: Square) -> Option<&mut Territory> {
        let holder = self.holder(square);
        self.territories.get_mut(holder)
    }

    /// Two territories that hold two squares, to be changed in the same way; nothing if they are one.
    pub(super) fn edit_both(&mut self, squares: [Square; 2]) -> Option<[&mut Territory; 2]> {
        let holders = squares.map(|square| self.holder(square));
        self.territories.get_disjoint_mut(holders).ok()
    }

    /// All territories in the order of the position line.
    pub(super) fn all(&self) -> impl Iterator<Item = &Territory> {
        let [first, second] = self.corners;
        members(first | second).filter_map(|corner| self.at(corner))
    }

    /// A side's territories in that order.
    pub(super) fn of(&self, side: Side) -> impl Iterator<Item = &Territory> {
        members(self.corners[side.index()]).filter_map(|corner| self.at(corner))
    }

    /// The lower left squares of a side's territories.
    pub(super) const fn corners(&self, side: Side) -> Set {
        self.corners[side.index()]
    }

    /// Whether a side has a territory.
    pub(super) const fn has_any(&self, side: Side) -> bool {
        self.corners[side.index()] != 0
    }

    /// The squares that a side holds.
    pub(super) fn held(&self, side: Side) -> Set {
        self.of(side).fold(0, |held, territory| held | territory.set())
    }

    /// Puts a territory onto empty squares; a territory without tokens is dropped.
    pub(super) fn put(&mut self, territory: Territory) {
        if territory.stack.is_empty() {
            return;
        }
        self.corners[territory.owner.index()] |= territory.corner.set();
        self.hold(territory.set(), u8::try_from(self.territories.len()).unwrap_or(NONE));
        self.territories.push(territory);
    }

    /// Takes the territory that holds a square off the board.
    pub(super) fn take(&mut self, square: Square) -> Option<Territory> {
        let holder = self.holder(square);
        if holder >= self.territories.len() {
            return None;
        }
        let territory = self.territories.swap_remove(holder);
        self.corners[territory.owner.index()] &= !territory.corner.set();
        self.hold(territory.set(), NONE);
        // The last one stands in its place now.
        if let (Some(moved), Ok(holder)) = (self.territories.get(holder).map(Territory::set), u8::try_from(holder)) {
            self.hold(moved, holder);
        }
        Some(territory)
    }

    fn hold(&mut self, squares: Set, holder: u8) {
        for square in members(squares) {
            if let Some(place) = self.holders.get_mut(square.index()) {
                *place = holder;
            }
        }
    }

    /// U60: the territory that contains the square collapses towards that square if it must; without tokens it
    /// disappears.
    pub(super) fn collapse(&mut self, square: Square) {
        if self.at(square).is_none_or(|territory| territory.stack.len() >= territory.area()) {
            return;
        }
        if let Some(territory) = self.take(square) {
            self.put(collapsed(territory, square));
        }
    }
}

/// A territory, taken off the board, after collapsing towards one of its squares (U60).
pub(super) fn collapsed(mut territory: Territory, keep: Square) -> Territory {
    while territory.size > 1 && territory.stack.len() < territory.area() {
        let half = territory.size / 2;
        // The quarter that contains the square to keep.
        let nearer = |low: u8, at: u8| if at >= low + half { low + half } else { low };
        let file = nearer(territory.corner.file(), keep.file());
        let rank = nearer(territory.corner.rank(), keep.rank());
        territory.corner = Square::new(file, rank).unwrap_or(keep);
        territory.size = half;
    }
    territory
}
