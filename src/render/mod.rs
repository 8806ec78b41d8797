//! Showing: scenes, standings and diagnostics as text. What is drawn is decided elsewhere, as data.

mod blocks;
mod bricks;
pub mod cells;
pub mod diagnostic;
pub mod moment;
mod points;
pub mod sheet;

use anstyle::{AnsiColor, Style};

use crate::games::kernel::{Side, SideName};
use crate::scene::{Board, Scene};

/// How text is to look. Plain ASCII survives every mail program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether signs beyond ASCII may be used.
    pub unicode: bool,
    /// Whether colours may be used. They are taken out again where the output is no terminal.
    pub colour: bool,
}

impl Look {
    /// The style of a side's pieces.
    fn side(self, side: Side) -> Style {
        if !self.colour {
            return Style::new();
        }
        let colour = match side {
            Side::First => AnsiColor::Yellow,
            Side::Second => AnsiColor::Cyan,
        };
        Style::new().bold().fg_color(Some(colour.into()))
    }

    /// The style of what stands back: lines of the board, coordinates.
    fn faint(self) -> Style {
        if self.colour { Style::new().dimmed() } else { Style::new() }
    }
}

/// Draws the board of a scene, each line ended with a newline.
#[must_use]
pub fn board(scene: &Scene, look: Look) -> String {
    match &scene.board {
        Board::Blocks(board) => blocks::draw(board, scene.sides, look),
        Board::Points(board) => points::draw(board, look),
        Board::Cells(board) => cells::text(board, look.unicode),
        Board::Bricks(bricks) => bricks::draw(bricks, scene.sides, look),
    }
}

/// The capital by which a board of text names a side.
fn initial(side: SideName) -> char {
    side.word.chars().next().map_or('?', |letter| letter.to_ascii_uppercase())
}
