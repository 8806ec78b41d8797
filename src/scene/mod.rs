//! What is to be drawn, as data: games describe, renderers draw. Text, words and pictures are made from the same scene.

mod marks;
mod turned;
mod words;

pub use marks::{Mark, Trace};

use crate::games::kernel::{Side, SideName};

/// All that is shown of a game at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The words for the two sides.
    pub sides: [SideName; 2],
    /// The board.
    pub board: Board,
    /// What lies beside the board: hands, piles, captured pieces.
    pub shelves: Vec<Shelf>,
    /// The dice of the last throw.
    pub dice: Vec<Die>,
    /// What the last entry did; empty unless [`Scene::mark_since`] was asked for it.
    pub marks: Vec<Mark>,
    /// Lines of text that belong to the picture, as label and text (`in siege`, `white, from the Striker on a8`).
    pub captions: Vec<(&'static str, String)>,
    /// What the signs stand for: in ASCII, where Unicode may be used, and the meaning.
    pub legend: Vec<(&'static str, &'static str, &'static str)>,
}

impl Scene {
    /// A scene of a board alone.
    #[must_use]
    pub const fn of(sides: [SideName; 2], board: Board) -> Self {
        Self {
            sides,
            board,
            shelves: Vec::new(),
            dice: Vec::new(),
            marks: Vec::new(),
            captions: Vec::new(),
            legend: Vec::new(),
        }
    }
}

/// Things of one sort that lie beside the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    /// What they are: `hands`, `captured`.
    pub title: &'static str,
    /// Whose they are.
    pub side: Side,
    /// Those that the viewer sees, each kind once.
    pub items: Vec<Item>,
    /// How many more there are that the viewer does not see.
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
    /// Another card: its name, and in a few characters what it does.
    Event {
        /// The name.
        name: String,
        /// What it does.
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
    /// Squares, some of which are joined to larger ones.
    Blocks(Blocks),
    /// Fields in rows that are set half a field aside, as bricks are.
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
    /// What it gives to whoever controls it, in a few words.
    pub effect: &'static str,
    /// The short names of the fields that it touches, where they lie otherwise than they are drawn: then each field is shown by
    /// itself.
    pub near: Option<Vec<String>>,
    /// What stands on it.
    pub units: Vec<Unit>,
}

impl Brick {
    /// What it touches, in words: `next to BP, YA`; nothing where the drawing shows it.
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
    /// How much damage destroys it now.
    pub defence: u32,
    /// How much damage it has taken.
    pub damage: u32,
    /// The type that it hurts.
    pub weapon: Class,
    /// By how much.
    pub attack: u32,
    /// Whether it is oversized.
    pub oversized: bool,
    /// Whether it reaches adjacent fields.
    pub ranged: bool,
    /// Whether it has a free move a turn.
    pub speed: bool,
    /// The field it has to go back to.
    pub back: Option<String>,
    /// Whether it must attack next.
    pub owes: bool,
    /// Whether its free move for speed is used.
    pub sped: bool,
    /// Whether its free move by the road is used.
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
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Elite => "elite",
            Self::Colossal => "colossal",
        }
    }

    /// Its letter.
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
    /// What stands on it.
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
    /// The squares on which there is something to show, in any order; the others are empty.
    pub cells: Vec<Cell>,
}

/// A square of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// File, from 0.
    pub file: u8,
    /// Rank, from 0 at the bottom.
    pub rank: u8,
    /// What stands on it.
    pub piece: Option<Piece>,
    /// Which way that faces, if it faces any.
    pub toward: Option<Toward>,
    /// Whether that has been promoted.
    pub promoted: bool,
    /// How badly that is wounded, if it is.
    pub wound: Option<Wound>,
    /// What that piece has aboard.
    pub aboard: Vec<Piece>,
    /// Who challenges that piece on its square, and how badly the challenger is wounded.
    pub challenger: Option<(Piece, Option<Wound>)>,
    /// What is above it, in the air.
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
    /// What stands on the board, in any order; none overlaps another.
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
    /// The mark in position lines.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Slight => "~1",
            Self::Severe => "~2",
            Self::HalfHealed => "~2.1",
        }
    }

    /// In words, behind the name of who is wounded.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Slight => "slightly wounded",
            Self::Severe => "severely wounded",
            Self::HalfHealed => "severely wounded and half healed",
        }
    }
}

/// A territory of one or more squares of a board along an edge, with a stack of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// File of the lower left square, from 0.
    pub file: u8,
    /// Its rank, from 0 at the bottom.
    pub rank: u8,
    /// Squares along an edge.
    pub size: u8,
    /// Whose it is.
    pub side: Side,
    /// The tokens, from the bottom to the top.
    pub tokens: Vec<Token>,
    /// Whether it is controlled.
    pub controlled: bool,
    /// How many tokens it is short of control.
    pub short: u32,
    /// Whether it is marked.
    pub region: bool,
}

/// A token as the viewer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The letter of its kind, ASCII, in capitals; none of a sealed token that the viewer does not know.
    pub letter: Option<char>,
    /// What it is called; empty if the viewer does not know.
    pub name: &'static str,
    /// Whether it is sealed.
    pub sealed: bool,
}

impl Token {
    /// Its sign in text: `I` of one that everybody sees, `i` of a sealed one that only the viewer knows, `?`.
    #[must_use]
    pub fn sign(self) -> char {
        match self.letter {
            Some(letter) if self.sealed => letter.to_ascii_lowercase(),
            Some(letter) => letter,
            None => '?',
        }
    }
}

/// A way that a piece faces, north being up.
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
    /// The word for it.
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
    /// The key of its drawing, which stays the same.
    pub kind: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Its letter, ASCII.
    pub letter: char,
    /// Its sign where Unicode may be used.
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

/// The name of a square by its file and rank, each from 0: `c4`.
#[must_use]
pub fn square(file: u8, rank: u8) -> String {
    format!("{}{}", char::from(b'a'.saturating_add(file)), rank.saturating_add(1))
}
