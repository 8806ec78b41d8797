//! Squares, directions, pieces, and the board.

use std::fmt::{self, Write as _};

use postrider_kernel::{DIRECTIONS, Side};

/// Files and ranks (D1).
pub(super) const SIZE: u8 = 6;

/// A square (D1), numbered by file, then by rank; pieces of the same kind are named in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square on a file and a rank, both from 0; `None` if it is off the board.
    pub(super) fn new(file: u8, rank: u8) -> Option<Self> {
        (file < SIZE && rank < SIZE).then_some(Self(file * SIZE + rank))
    }

    /// All squares.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..SIZE * SIZE).map(Self)
    }

    /// The two characters of its name.
    pub(super) const fn signs(self) -> [char; 2] {
        [(b'a' + self.file()) as char, (b'1' + self.rank()) as char]
    }

    /// The file, from 0.
    pub(super) const fn file(self) -> u8 {
        self.0 / SIZE
    }

    /// The rank, from 0.
    pub(super) const fn rank(self) -> u8 {
        self.0 % SIZE
    }

    /// The square as a set.
    pub(super) const fn set(self) -> u64 {
        1 << self.0
    }

    /// The neighbour in a direction.
    pub(super) fn step(self, direction: usize) -> Option<Self> {
        let (by_file, by_rank) = DIRECTIONS.get(direction)?;
        Self::new(self.file().checked_add_signed(*by_file)?, self.rank().checked_add_signed(*by_rank)?)
    }

    /// The direction and distance to another square in a straight line; `None` if there is none.
    pub(super) fn line(self, to: Self) -> Option<(usize, u8)> {
        let files = to.file() as i8 - self.file() as i8;
        let ranks = to.rank() as i8 - self.rank() as i8;
        if files != 0 && ranks != 0 && files.abs() != ranks.abs() {
            return None;
        }
        let direction = DIRECTIONS.iter().position(|way| *way == (files.signum(), ranks.signum()))?;
        Some((direction, files.unsigned_abs().max(ranks.unsigned_abs())))
    }

    /// The squares from this one (included) up to `to` (excluded); empty if there is no straight line.
    pub(super) fn way(self, to: Self) -> u64 {
        let Some((direction, distance)) = self.line(to) else { return 0 };
        let squares = std::iter::successors(Some(self), |square| square.step(direction));
        squares.take(distance.into()).fold(0, |set, square| set | square.set())
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signs().into_iter().try_for_each(|sign| f.write_char(sign))
    }
}

/// The kinds of piece (D2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// P.
    Prince,
    /// W.
    Warrior,
    /// L.
    Longswordsman,
    /// S.
    Shortswordsman,
    Assassin,
}

impl Kind {
    /// All kinds, in the order in which they are named.
    pub(super) const ALL: [Kind; 5] =
        [Kind::Prince, Kind::Warrior, Kind::Longswordsman, Kind::Shortswordsman, Kind::Assassin];

    pub(super) const fn letter(self) -> char {
        match self {
            Kind::Prince => 'P',
            Kind::Warrior => 'W',
            Kind::Longswordsman => 'L',
            Kind::Shortswordsman => 'S',
            Kind::Assassin => 'A',
        }
    }

    /// The kind with this letter.
    pub(super) fn of(letter: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == char::from(letter))
    }

    /// The name as used in a sentence.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Prince => "Prince",
            Kind::Warrior => "Warrior",
            Kind::Longswordsman => "Longswordsman",
            Kind::Shortswordsman => "Shortswordsman",
            Kind::Assassin => "Assassin",
        }
    }

    /// How many of it a side has (D2).
    pub(super) fn number(self) -> usize {
        FORCES.iter().filter(|kind| **kind == self).count()
    }

    /// Returns whether it moves in this direction (D10). Where it does not, it is blind (D20).
    pub(super) const fn sees(self, direction: usize) -> bool {
        match self {
            Kind::Longswordsman => direction.is_multiple_of(2),
            Kind::Shortswordsman => !direction.is_multiple_of(2),
            _ => true,
        }
    }

    /// How far it can move (D10).
    pub(super) const fn reach(self) -> u8 {
        match self {
            Kind::Prince | Kind::Assassin => 1,
            _ => SIZE,
        }
    }

    /// How it moves, in words (D10).
    pub(super) const fn gait(self) -> &'static str {
        match self {
            Kind::Prince => "a Prince moves one square in any direction",
            Kind::Assassin => "an Assassin moves one square in any direction",
            Kind::Warrior => "a Warrior moves in a straight line in any direction",
            Kind::Longswordsman => "a Longswordsman moves along rank and file",
            Kind::Shortswordsman => "a Shortswordsman moves diagonally",
        }
    }
}

/// A side's seven pieces (D2), in the order in which they are named.
pub(super) const FORCES: [Kind; 7] = [
    Kind::Prince,
    Kind::Warrior,
    Kind::Longswordsman,
    Kind::Longswordsman,
    Kind::Shortswordsman,
    Kind::Shortswordsman,
    Kind::Assassin,
];

/// How badly a piece is wounded (D42, D50).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wound {
    #[default]
    None,
    /// `~1`.
    Slight,
    /// `~2.1`: severe, after one of two healing turns.
    HalfHealed,
    /// `~2`.
    Severe,
}

impl Wound {
    /// What it subtracts from a throw (D40).
    pub(super) const fn handicap(self) -> u32 {
        match self {
            Wound::None => 0,
            Wound::Slight => 1,
            Wound::HalfHealed | Wound::Severe => 2,
        }
    }

    /// The wound after a healing turn (D50).
    pub(super) const fn healed(self) -> Self {
        match self {
            Wound::None | Wound::Slight | Wound::HalfHealed => Wound::None,
            Wound::Severe => Wound::HalfHealed,
        }
    }

    /// The same wound with its healing count reset (D45, D51).
    pub(super) const fn afresh(self) -> Self {
        match self {
            Wound::HalfHealed => Wound::Severe,
            other => other,
        }
    }

    /// Its mark in the position line.
    pub(super) const fn mark(self) -> &'static str {
        match self {
            Wound::None => "",
            Wound::Slight => "~1",
            Wound::HalfHealed => "~2.1",
            Wound::Severe => "~2",
        }
    }
}

/// A piece: its square, if it is on the board, and its wound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Man {
    pub at: Option<Square>,
    pub wound: Wound,
}

/// A challenge that awaits an answer: where the challenger came from, and where it is now (D13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Challenge {
    pub from: Square,
    pub on: Square,
}

/// The pieces on the board, and who is to play: everything that the position line says. Pieces of the same kind are
/// kept sorted, so that equal positions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub men: [[Man; 7]; 2],
    pub to_play: Side,
    pub challenge: Option<Challenge>,
    /// Whether the challenge was accepted and the dice are still sealed (Z12).
    pub accepted: bool,
}

impl Board {
    /// The board before the deployment.
    pub(super) fn empty() -> Self {
        Self { men: [[Man::default(); 7]; 2], to_play: Side::First, challenge: None, accepted: false }
    }

    /// A side's pieces on the board: index, kind, square, wound.
    pub(super) fn standing(&self, side: Side) -> impl Iterator<Item = (usize, Kind, Square, Wound)> {
        let men = self.men[side.index()].iter().zip(FORCES).enumerate();
        men.filter_map(|(slot, (man, kind))| Some((slot, kind, man.at?, man.wound)))
    }

    /// The piece of a side on a square: its index and kind.
    pub(super) fn at(&self, side: Side, square: Square) -> Option<(usize, Kind)> {
        self.standing(side).find(|(_, _, at, _)| *at == square).map(|(slot, kind, ..)| (slot, kind))
    }

    /// The squares of a side's pieces.
    pub(super) fn set(&self, side: Side) -> u64 {
        self.standing(side).fold(0, |set, (_, _, at, _)| set | at.set())
    }

    /// A piece by its index.
    pub(super) fn man(&mut self, side: Side, slot: usize) -> Option<&mut Man> {
        self.men[side.index()].get_mut(slot)
    }

    /// How many pieces of a kind a side has on the board.
    pub(super) fn count(&self, side: Side, kind: Kind) -> usize {
        self.standing(side).filter(|(_, other, ..)| *other == kind).count()
    }

    /// Puts a piece on the board; does nothing if the side has no more of its kind.
    pub(super) fn put(&mut self, side: Side, kind: Kind, man: Man) {
        let mut slots = self.men[side.index()].iter_mut().zip(FORCES);
        if let Some((slot, _)) = slots.find(|(slot, other)| *other == kind && slot.at.is_none()) {
            *slot = man;
        }
        self.tidy();
    }

    /// Removes a piece from the board.
    pub(super) fn remove(&mut self, side: Side, slot: usize) {
        if let Some(man) = self.man(side, slot) {
            *man = Man::default();
        }
    }

    /// Sorts pieces of the same kind.
    pub(super) fn tidy(&mut self) {
        for men in &mut self.men {
            let [_, _, l1, l2, s1, s2, _] = men;
            for (first, second) in [(l1, l2), (s1, s2)] {
                if *first > *second {
                    std::mem::swap(first, second);
                }
            }
        }
    }

    /// Ends a turn of `side`: its wounded pieces heal, except the piece `busy`, which moved or won its combat (D51).
    /// The other side is then to play.
    pub(super) fn end_turn(&mut self, side: Side, busy: Option<usize>) {
        for (slot, man) in self.men[side.index()].iter_mut().enumerate() {
            man.wound = if Some(slot) == busy { man.wound.afresh() } else { man.wound.healed() };
        }
        self.tidy();
        self.to_play = side.other();
        self.accepted = false;
    }

    /// The two fighters of the challenge: the challenger's side, index and kind, and the index and kind of the
    /// challenged piece. It does not matter whose entry is due.
    pub(super) fn fighters(&self) -> Option<Fighters> {
        let challenge = self.challenge?;
        // The challenged side answers; once it has accepted, the challenger is due.
        let challenger = if self.accepted { self.to_play } else { self.to_play.other() };
        Some(Fighters {
            challenger,
            attacker: self.at(challenger, challenge.on)?,
            defender: self.at(challenger.other(), challenge.on)?,
        })
    }
}

/// The two pieces of a challenge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fighters {
    pub challenger: Side,
    pub attacker: (usize, Kind),
    pub defender: (usize, Kind),
}

/// A side's first two ranks (D4).
pub(super) const fn is_home(side: Side, square: Square) -> bool {
    match side {
        Side::First => square.rank() < 2,
        Side::Second => square.rank() >= SIZE - 2,
    }
}
