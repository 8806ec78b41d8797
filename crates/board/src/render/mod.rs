//! Renders scenes, standings and diagnostics as text.

mod blocks;
mod bricks;
pub mod cells;
pub mod clocks;
mod compact;
pub mod diagnostic;
pub mod log;
mod look;
pub mod moment;
mod points;
pub mod prose;
pub mod sheet;

use postrider_kernel::scene::{Board, Scene};

pub(crate) use look::brackets_in_words;
pub use look::{Look, width};

/// Draws the board of a scene; each line ends with a newline.
#[must_use]
pub fn board(scene: &Scene, look: Look) -> String {
    drawn(scene, look).0
}

/// Draws the board of a scene in few lines, with what its stacks contain and what its brackets mean below it: the diagrams of the rulebooks.
#[must_use]
pub fn diagram(scene: &Scene) -> String {
    small(scene, Look::default())
}

/// Draws the board of a scene in few lines, even if the look is not compact, with the contents of its stacks below it.
#[must_use]
pub fn small(scene: &Scene, look: Look) -> String {
    let mut text = board(scene, Look { compact: true, ..look });
    if let Board::Blocks(blocks) = &scene.board {
        let rows = compact::rows(blocks, scene.sides);
        for (nth, (label, row)) in rows.iter().enumerate() {
            text.push_str(if nth == 0 { "\n" } else { "" });
            let listed = sheet::folded(row, COLUMNS).join(&format!("\n{:7}", ""));
            text.push_str(format!("{label:5}  {listed}").trim_end());
            text.push('\n');
        }
    }
    for (nth, words) in brackets_in_words(&scene.marks).iter().enumerate() {
        text.push_str(if nth == 0 { "\n" } else { "" });
        text.push_str(&format!("{words}\n"));
    }
    text
}

/// How wide a list below a diagram is.
const COLUMNS: usize = 70;

/// The same; and how many columns the whole board takes, where it had to be drawn compact because there are fewer.
fn drawn(scene: &Scene, look: Look) -> (String, Option<usize>) {
    let turned = look.turned.then(|| scene.board.turned());
    let board = turned.as_ref().unwrap_or(&scene.board);
    if look.compact {
        return (compact::draw(board, scene.sides, look, &scene.marks), None);
    }
    let marks = &scene.marks;
    let drawn = match board {
        Board::Blocks(board) => blocks::draw(board, scene.sides, look, marks),
        Board::Points(board) => points::draw(board, look, marks),
        Board::Cells(board) => cells::draw(board, look, marks),
        Board::Bricks(bricks) => bricks::draw(bricks, scene.sides, look, marks),
    };
    let fits = |drawn: &String| look.columns.is_none_or(|columns| width(drawn) <= columns);
    if fits(&drawn) {
        return (drawn, None);
    }
    let narrow = match board {
        Board::Blocks(board) => blocks::narrow(board, scene.sides, look, marks),
        Board::Points(_) => None,
        Board::Cells(board) => cells::narrow(board, look, marks),
        Board::Bricks(bricks) => Some(bricks::narrow(bricks, scene.sides, look, marks)),
    };
    let least = narrow.as_ref().map_or_else(|| width(&drawn), |narrow| width(narrow));
    match narrow.filter(fits) {
        Some(narrow) => (narrow, None),
        None => (compact::draw(board, scene.sides, look, marks), Some(least)),
    }
}
