//! What a game of assideum consists of: its pieces, what they do, and the state of a game.

use crate::assideum::board::field::Field;
use crate::assideum::board::{Facing, Square};
use postrider_kernel::{Outcome, Past, Quiet, Side};

/// White.
pub(in crate::assideum) const WHITE: Side = Side::First;
/// Black.
pub(in crate::assideum) const BLACK: Side = Side::Second;

/// The kinds of force (A2). Ground forces come first, in the order of the position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Commander,
    Ranger,
    Portal,
    Cruiser,
    Striker,
    /// A Ved'rin.
    Vedrin,
    /// A Fighter, landed or flying.
    Fighter,
}

impl Kind {
    /// The ground forces; landed Fighters belong to their Portal (A5).
    pub(in crate::assideum) const GROUND: [Kind; 6] =
        [Kind::Commander, Kind::Ranger, Kind::Portal, Kind::Cruiser, Kind::Striker, Kind::Vedrin];

    /// Ground forces and Fighters.
    pub(in crate::assideum) const ALL: [Kind; 7] =
        [Kind::Commander, Kind::Ranger, Kind::Portal, Kind::Cruiser, Kind::Striker, Kind::Vedrin, Kind::Fighter];

    /// The letter in notation.
    pub(in crate::assideum) const fn text(self) -> &'static str {
        match self {
            Kind::Commander => "K",
            Kind::Ranger => "R",
            Kind::Portal => "P",
            Kind::Cruiser => "C",
            Kind::Striker => "S",
            Kind::Vedrin => "V",
            Kind::Fighter => "F",
        }
    }

    /// The letter in notation.
    pub(in crate::assideum) const fn letter(self) -> char {
        self.text().as_bytes()[0] as char
    }

    pub(in crate::assideum) const fn name(self) -> &'static str {
        match self {
            Kind::Commander => "Commander",
            Kind::Ranger => "Ranger",
            Kind::Portal => "Portal",
            Kind::Cruiser => "Cruiser",
            Kind::Striker => "Striker",
            Kind::Vedrin => "Ved'rin",
            Kind::Fighter => "Fighter",
        }
    }

    /// How many of them a side has (A2).
    pub(in crate::assideum) const fn at_most(self) -> usize {
        match self {
            Kind::Commander | Kind::Ranger => 1,
            Kind::Portal | Kind::Cruiser | Kind::Striker | Kind::Fighter => 2,
            Kind::Vedrin => 8,
        }
    }

    pub(in crate::assideum) const fn faces(self) -> bool {
        matches!(self, Kind::Portal | Kind::Ranger)
    }
}

/// What a piece does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// `-c4`: moves or flies.
    Move(Square),
    /// `xc4`: attacks, on its own square in place (A41).
    Attack(Square),
    /// `=E` alone: spins.
    Spin,
    /// `*d7`: fires (A42).
    Fire(Square),
}

impl Deed {
    /// The square that it names.
    pub(in crate::assideum) const fn square(self) -> Option<Square> {
        match self {
            Deed::Move(to) | Deed::Attack(to) | Deed::Fire(to) => Some(to),
            Deed::Spin => None,
        }
    }
}

/// The squares named with `+`, in the order written. At most three are kept: a side has two Fighters, so three names
/// are already a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    pub(in crate::assideum) squares: [Square; 3],
    pub(in crate::assideum) count: u8,
}

impl Carried {
    /// Names a square.
    pub(in crate::assideum) fn push(&mut self, square: Square) {
        if let Some(slot) = self.squares.get_mut(usize::from(self.count)) {
            *slot = square;
            self.count += 1;
        }
    }

    /// Returns whether none are named.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Returns the squares named, one for each Fighter.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        self.squares.into_iter().take(usize::from(self.count))
    }

    /// The same squares, sorted by file, then by rank.
    pub(in crate::assideum) fn sorted(self) -> Self {
        let mut list: Vec<_> = self.iter().collect();
        list.sort_by_key(|square| square.order());
        list.into_iter().collect()
    }
}

impl FromIterator<Square> for Carried {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut carried = Self::default();
        squares.into_iter().for_each(|square| carried.push(square));
        carried
    }
}

/// A turn as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The letter; without one, the ground piece on the first square is meant.
    pub kind: Option<Kind>,
    /// The first square.
    pub from: Square,
    /// What the piece does.
    pub deed: Deed,
    /// The new facing of a Portal or Ranger.
    pub facing: Option<Facing>,
    /// The Fighters that a Portal takes along from overlapping squares (A31).
    pub carried: Carried,
}

impl Action {
    /// A turn with only the piece and what it does.
    pub(in crate::assideum) const fn plain(kind: Kind, from: Square, deed: Deed) -> Self {
        Self {
            kind: Some(kind),
            from,
            deed,
            facing: None,
            carried: Carried { squares: [Square::new(0, 0); 3], count: 0 },
        }
    }
}

/// The options that a record has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assideum) struct Rules {
    /// How many squares ahead Rangers fire: 7 reaches the edge of the board, 0 means that they do not fire (A42).
    pub(in crate::assideum) range: u8,
    /// Whether repetition may be claimed (A54).
    pub(in crate::assideum) repetition: bool,
    /// After how many quiet entries a draw may be claimed (A56).
    pub(in crate::assideum) quiet: Option<u32>,
}

/// A game of assideum in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assideum {
    pub(in crate::assideum) field: Field,
    pub(in crate::assideum) rules: Rules,
    pub(in crate::assideum) outcome: Option<Outcome>,
    /// How many entries there have been since the last one with `x`, `*` or V (A56).
    pub(in crate::assideum) quiet: Quiet,
    /// What was played since the last removal; no position from before it can recur (A54).
    pub(in crate::assideum) past: Past<Field>,
}
