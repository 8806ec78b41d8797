//! Boards of points joined by lines, as text: four columns per file, two rows per rank.

use super::Look;
use postrider_kernel::scene::{Line, Mark as Done, Point, Points};

/// One character of the drawing and what it belongs to.
#[derive(Clone, Copy)]
enum Mark<'a> {
    Empty,
    Line(char),
    Point(&'a Point),
    /// One of the brackets round a point to which the last entry did something.
    Bracket(char),
}

/// The column of the first file; rank numbers are to the left of it.
const MARGIN: usize = 4;
/// The columns of the drawing on either side of the board, for brackets.
const ROOM: usize = 1;

pub(super) fn draw(board: &Points, look: Look, marks: &[Done]) -> String {
    let (files, ranks) = (usize::from(board.files), usize::from(board.ranks));
    let columns = (files * 4).saturating_sub(3) + 2 * ROOM;
    let rows = (ranks * 2).saturating_sub(1);
    let mut grid = vec![vec![Mark::Empty; columns]; rows];
    let mut put = |column: usize, row: usize, mark| {
        if let Some(cell) = grid.get_mut(row).and_then(|cells| cells.get_mut(column)) {
            *cell = mark;
        }
    };
    let column = |file: u8| usize::from(file) * 4 + ROOM;
    // Ranks are drawn from the top down.
    let row = |rank: u8| rows.saturating_sub(1).saturating_sub(usize::from(rank) * 2);
    for line in &board.lines {
        let sign = sign(line, look);
        let (left, right) = (column(line.from.0).min(column(line.to.0)), column(line.from.0).max(column(line.to.0)));
        let (top, bottom) = (row(line.from.1).min(row(line.to.1)), row(line.from.1).max(row(line.to.1)));
        if top == bottom {
            (left + 1..right).for_each(|column| put(column, top, Mark::Line(sign)));
        } else {
            (top + 1..bottom).for_each(|row| put(left.midpoint(right), row, Mark::Line(sign)));
        }
    }
    for point in &board.points {
        let (column, row) = (column(point.file), row(point.rank));
        put(column, row, Mark::Point(point));
        let place = (point.file, point.rank);
        if let Some((before, behind)) = super::look::marked_at(marks, (board.files, board.ranks), place, look) {
            put(column - ROOM, row, Mark::Bracket(before));
            put(column + ROOM, row, Mark::Bracket(behind));
        }
    }
    let faint = look.faint();
    let letters = super::look::files(board.files, look);
    let letters = format!("{:MARGIN$}{faint}{}{faint:#}\n", "", letters.join("   "));
    let mut text = format!("{letters}\n");
    for (index, cells) in grid.iter().enumerate() {
        let above = ranks.saturating_sub(index / 2 + 1);
        let number = if index % 2 == 0 { super::look::rank(above, board.ranks, look) } else { String::new() };
        let mut line = String::new();
        for cell in cells {
            match cell {
                Mark::Empty => line.push(' '),
                Mark::Line(sign) => line.push_str(&format!("{faint}{sign}{faint:#}")),
                Mark::Point(point) => line.push_str(&piece(point, look)),
                Mark::Bracket(sign) => line.push(*sign),
            }
        }
        if number.is_empty() {
            text.push_str(&format!("{:1$}{2}\n", "", MARGIN - ROOM, line.trim_end()));
        } else {
            text.push_str(&format!("{faint}{number:<0$}{faint:#}{line}  {faint}{number}{faint:#}\n", MARGIN - ROOM));
        }
    }
    format!("{text}\n{letters}")
}

fn sign(line: &Line, look: Look) -> char {
    let rises = (line.from.0 < line.to.0) == (line.from.1 < line.to.1);
    match (line.from.0 == line.to.0, line.from.1 == line.to.1) {
        (_, true) if line.dotted => {
            if look.unicode {
                '┄'
            } else {
                '.'
            }
        }
        (_, true) => {
            if look.unicode {
                '━'
            } else {
                '='
            }
        }
        (true, _) => {
            if look.unicode {
                '│'
            } else {
                '|'
            }
        }
        _ if rises => {
            if look.unicode {
                '╱'
            } else {
                '/'
            }
        }
        _ => {
            if look.unicode {
                '╲'
            } else {
                '\\'
            }
        }
    }
}

fn piece(point: &Point, look: Look) -> String {
    match point.piece {
        Some(piece) => {
            let style = look.side(piece.side);
            format!("{style}{}{style:#}", if look.unicode { piece.sign } else { piece.letter })
        }
        None if point.region => if look.unicode { "◇" } else { "o" }.into(),
        None => if look.unicode { "·" } else { "+" }.into(),
    }
}
