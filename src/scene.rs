//! What is to be drawn, as data: games describe, renderers draw.

use crate::games::kernel::Side;

/// All that is shown of a game at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The board.
    pub board: Board,
    /// Lines of text that belong to the picture, as label and text (`captured`, `3 of 15`).
    pub captions: Vec<(&'static str, String)>,
    /// What the signs stand for: in ASCII, where Unicode may be used, and the meaning.
    pub legend: Vec<(&'static str, &'static str, &'static str)>,
}

/// The kinds of board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Board {
    /// Squares with pieces in them, and notes.
    Noted {
        /// The squares.
        cells: Cells,
        /// The notes, one a square at most.
        notes: Vec<Note>,
    },
    /// Points joined by lines.
    Points(Points),
    /// Squares with pieces in them.
    Cells(Cells),
    /// Squares, some of which are joined to larger ones.
    Blocks(Blocks),
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
    /// What that piece has aboard.
    pub aboard: Vec<Piece>,
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

/// A square of one or more squares of a board, with lines of text in it.
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
    /// The lines, ASCII; of each as much as fits is shown.
    pub lines: Vec<String>,
    /// Whether it is marked.
    pub region: bool,
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

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
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

/// A short text on a square, such as what its piece suffers from. As many characters as fit are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// File, from 0.
    pub file: u8,
    /// Rank, from 0 at the bottom.
    pub rank: u8,
    /// The text, ASCII.
    pub text: String,
}
