//! What is to be drawn, as data: games describe it, renderers draw it. Text, words and pictures are made from the same
//! scene.

mod marks;
mod turned;
mod words;

pub use marks::{Mark, Trace};

use crate::{Side, SideName};

/// Everything that is shown of a game at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The names of the two sides.
    pub sides: [SideName; 2],
    /// The board.
    pub board: Board,
    /// What is beside the board: hands, piles, captured pieces.
    pub shelves: Vec<Shelf>,
    /// The dice of the last throw.
    pub dice: Vec<Die>,
    /// What the last entry did; empty until [`Scene::mark_since`] is called.
    pub marks: Vec<Mark>,
    /// Who hit whom in the last entry, where pieces hit others at a distance; empty until it is set.
    pub blows: Vec<Blow>,
    /// Lines of text that belong to the picture, each a label and a text (`in siege`, `white, from the Striker on a8`).
    pub captions: Vec<(&'static str, String)>,
    /// What the signs mean: the ASCII sign, the Unicode sign, and the meaning.
    pub legend: Vec<(&'static str, &'static str, &'static str)>,
}

impl Scene {
    /// Makes a scene with only a board.
    #[must_use]
    pub const fn of(sides: [SideName; 2], board: Board) -> Self {
        Self {
            sides,
            board,
            shelves: Vec::new(),
            dice: Vec::new(),
            marks: Vec::new(),
            blows: Vec::new(),
            captions: Vec::new(),
            legend: Vec::new(),
        }
    }
}

/// What somebody did to others in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blow {
    /// Who or what hit, by its name in entries.
    pub by: String,
    /// Those that were hit, by their names in entries.
    pub hit: Vec<String>,
}

/// Things of one kind beside the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    /// What they are: `hands`, `captured`.
    pub title: &'static str,
    /// Whose they are.
    pub side: Side,
    /// The ones that the viewer can see, each kind once.
    pub items: Vec<Item>,
    /// How many more there are that the viewer cannot see.
    pub hidden: u32,
    /// The same in words.
    pub text: String,
}

/// A thing on a shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub face: Face,
    /// How many of it there are.
    pub count: u32,
}

/// What a thing on a shelf looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    /// A piece.
    Piece(Piece),
    /// The card of a unit.
    Unit(Unit),
    /// Another card: its name, and its effect in a few characters.
    Event {
        /// The name.
        name: String,
        /// Its effect.
        effect: String,
    },
}

/// A die that was thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Die {
    /// Whose it is.
    pub side: Side,
    /// What it shows.
    pub value: u32,
}

/// The kinds of board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Board {
    /// Points joined by lines.
    Points(Points),
    /// Squares with pieces in them.
    Cells(Cells),
    /// Squares, some of which are merged into larger ones.
    Blocks(Blocks),
    /// Fields in rows that are offset by half a field, like bricks.
    Bricks(Vec<Brick>),
}

/// A field with units on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brick {
    /// The row, from 0 at the top.
    pub row: u8,
    /// Where it begins, in half fields from the left edge.
    pub column: u8,
    /// Its short name.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Who controls it.
    pub side: Side,
    /// Whether it is a building.
    pub building: bool,
    /// What it gives to the side that controls it, in a few words.
    pub effect: &'static str,
    /// The short names of the fields it touches, if that differs from how they are drawn; each field is then shown
    /// separately.
    pub near: Option<Vec<String>>,
    /// The units on it.
    pub units: Vec<Unit>,
}

impl Brick {
    /// Says in words what it touches: `next to BP, YA`; `None` if the drawing shows it.
    #[must_use]
    pub fn near_in_words(&self) -> Option<String> {
        self.near.as_ref().map(|near| match near.as_slice() {
            [] => "next to nothing".to_owned(),
            near => format!("next to {}", near.join(", ")),
        })
    }
}

/// A unit with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Whose it is.
    pub side: Side,
    /// Its name in records.
    pub name: String,
    /// Its type.
    pub class: Class,
    /// How much damage would destroy it now.
    pub defence: u32,
    /// How much damage it has taken.
    pub damage: u32,
    /// The type of unit that its weapon works against.
    pub weapon: Class,
    /// How much damage its weapon does.
    pub attack: u32,
    /// Whether it is oversized.
    pub oversized: bool,
    /// Whether it can attack adjacent fields.
    pub ranged: bool,
    /// Whether it has a free move each turn.
    pub speed: bool,
    /// The field it has to return to.
    pub back: Option<String>,
    /// Whether it must attack next.
    pub owes: bool,
    /// Whether it has used its free move for speed.
    pub sped: bool,
    /// Whether it has used its free move by road.
    pub road: bool,
}

/// The type of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The smallest.
    Standard,
    /// The middle one.
    Elite,
    /// The largest.
    Colossal,
}

impl Class {
    /// Returns the word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Elite => "elite",
            Self::Colossal => "colossal",
        }
    }

    /// Returns its letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Standard => 'S',
            Self::Elite => 'E',
            Self::Colossal => 'C',
        }
    }
}

/// A board of points joined by lines, on a grid of files and ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points {
    /// How many files there are, lettered from `a`.
    pub files: u8,
    /// How many ranks there are, numbered from 1 at the bottom.
    pub ranks: u8,
    /// The points, in any order.
    pub points: Vec<Point>,
    /// The lines that join neighbouring points.
    pub lines: Vec<Line>,
}

/// A point of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// File, from 0.
    pub file: u8,
    /// Rank, from 0 at the bottom.
    pub rank: u8,
    /// The piece on it.
    pub piece: Option<Piece>,
    /// Whether it belongs to the board's marked region.
    pub region: bool,
}

/// A board of squares, on a grid of files and ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// How many files there are, lettered from `a`.
    pub files: u8,
    /// How many ranks there are, numbered from 1 at the bottom.
    pub ranks: u8,
    /// The squares with something to show, in any order; the others are empty.
    pub cells: Vec<Cell>,
}

/// A square of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// File, from 0.
    pub file: u8,
    /// Rank, from 0 at the bottom.
    pub rank: u8,
    /// The piece on it.
    pub piece: Option<Piece>,
    /// Which way the piece faces, if it faces any.
    pub toward: Option<Toward>,
    /// Whether the piece has been promoted.
    pub promoted: bool,
    /// How badly the piece is wounded, if it is.
    pub wound: Option<Wound>,
    /// The pieces aboard that piece.
    pub aboard: Vec<Piece>,
    /// The piece that challenges it on its square, and how badly the challenger is wounded.
    pub challenger: Option<(Piece, Option<Wound>)>,
    /// What is above it in the air.
    pub above: Vec<Piece>,
    /// Whether the square belongs to the marked region.
    pub region: bool,
}

/// A board of squares, on a grid of files and ranks, with larger squares on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// How many files there are, lettered from `a`.
    pub files: u8,
    /// How many ranks there are, numbered from 1 at the bottom.
    pub ranks: u8,
    /// The territories on the board, in any order; they do not overlap.
    pub blocks: Vec<Block>,
}

/// A wound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wound {
    /// Slight.
    Slight,
    /// Severe.
    Severe,
    /// Severe and half healed.
    HalfHealed,
}

impl Wound {
    /// Returns its mark in position lines.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Slight => "~1",
            Self::Severe => "~2",
            Self::HalfHealed => "~2.1",
        }
    }

    /// Returns it in words, to follow the name of the wounded piece.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Slight => "slightly wounded",
            Self::Severe => "severely wounded",
            Self::HalfHealed => "severely wounded and half healed",
        }
    }
}

/// A square territory, one or more squares along each edge, with a stack of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// File of its lower left square, from 0.
    pub file: u8,
    /// Rank of its lower left square, from 0 at the bottom.
    pub rank: u8,
    /// Its width and height in squares.
    pub size: u8,
    /// Whose it is.
    pub side: Side,
    /// Its tokens, from bottom to top; of a tall stack the upper ones.
    pub tokens: Vec<Token>,
    /// How many more are below them.
    pub below: usize,
    /// Whether it is controlled.
    pub controlled: bool,
    /// How many tokens it lacks to be controlled.
    pub short: u32,
    /// Whether it is marked.
    pub region: bool,
}

impl Block {
    /// Returns how many tokens it has.
    #[must_use]
    pub fn height(&self) -> usize {
        self.below + self.tokens.len()
    }
}

/// A token as the viewer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The letter of its kind, an ASCII capital; `None` for a sealed token that the viewer does not know.
    pub letter: Option<char>,
    /// What it is called; empty if the viewer does not know.
    pub name: &'static str,
    /// Whether it is sealed.
    pub sealed: bool,
}

impl Token {
    /// Returns its sign in text: `I` if everybody can see it, `i` if it is sealed and only the viewer knows it, `?` if
    /// the viewer does not know it.
    #[must_use]
    pub fn sign(self) -> char {
        match self.letter {
            Some(letter) if self.sealed => letter.to_ascii_lowercase(),
            Some(letter) => letter,
            None => '?',
        }
    }
}

/// A direction that a piece faces; north is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Up.
    North,
    /// To the right.
    East,
    /// Down.
    South,
    /// To the left.
    West,
}

impl Toward {
    /// Returns the word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::North => "north",
            Self::East => "east",
            Self::South => "south",
            Self::West => "west",
        }
    }
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The key of its drawing, which never changes.
    pub kind: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its ASCII letter.
    pub letter: char,
    /// Its sign in Unicode.
    pub sign: char,
    /// Whose it is.
    pub side: Side,
}

/// A line between two neighbouring points, each as file and rank from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// One end.
    pub from: (u8, u8),
    /// The other.
    pub to: (u8, u8),
    /// Whether it is drawn dotted.
    pub dotted: bool,
}

/// Returns the name of the square with this file and rank, each from 0: `c4`.
#[must_use]
pub fn square(file: u8, rank: u8) -> String {
    format!("{}{}", char::from(b'a'.saturating_add(file)), rank.saturating_add(1))
}
