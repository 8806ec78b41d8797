//! Boards of squares of several sizes, as text: a square of the board is two lines of seven characters; a larger one is drawn
//! without the lines inside it and has as much more room.

use super::Look;
use crate::games::kernel::Side;
use crate::scene::{Block, Blocks};

/// Columns from one border to the next, and lines.
const ACROSS: usize = 8;
const DOWN: usize = 3;

/// What stands at a place of the drawing.
#[derive(Clone, Copy)]
enum Mark {
    Empty,
    Across,
    Down,
    Cross,
    /// The fill of a marked block.
    Fill,
    Text(char, Side),
}

/// Draws the board, the last rank on top.
pub(super) fn draw(board: &Blocks, look: Look) -> String {
    let (files, ranks) = (usize::from(board.files), usize::from(board.ranks));
    let mut grid: Vec<Vec<Mark>> = (0..=ranks * DOWN)
        .map(|row| {
            let across = row % DOWN == 0;
            (0..=files * ACROSS)
                .map(|column| match (across, column % ACROSS == 0) {
                    (true, true) => Mark::Cross,
                    (true, false) => Mark::Across,
                    (false, true) => Mark::Down,
                    (false, false) => Mark::Empty,
                })
                .collect()
        })
        .collect();
    for block in &board.blocks {
        fill(&mut grid, block, ranks);
    }
    let faint = look.faint();
    let mut text = String::new();
    for (row, marks) in grid.iter().enumerate() {
        let rank = ranks.saturating_sub(row / DOWN);
        let name = if row % DOWN == 1 { rank.to_string() } else { String::new() };
        text.push_str(&format!("{faint}{name:<2}{faint:#}"));
        let line: String = marks.iter().map(|mark| sign(*mark, look)).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let names: Vec<_> = (0..board.files).map(|file| char::from(b'a'.saturating_add(file)).to_string()).collect();
    text.push_str(&format!("{faint}    {}{faint:#}\n", names.join(&" ".repeat(ACROSS - 1))));
    text
}

/// Takes away the lines inside a block and writes its own.
fn fill(grid: &mut [Vec<Mark>], block: &Block, ranks: usize) {
    let size = usize::from(block.size);
    let left = usize::from(block.file) * ACROSS;
    let top = ranks.saturating_sub(usize::from(block.rank) + size) * DOWN;
    let inside = grid.iter_mut().skip(top + 1).take((size * DOWN).saturating_sub(1));
    let blank = if block.region { Mark::Fill } else { Mark::Empty };
    for (nth, row) in inside.enumerate() {
        let width = (size * ACROSS).saturating_sub(1);
        let places = row.iter_mut().skip(left + 1).take(width);
        let line = block.lines.get(nth).map_or("", String::as_str);
        // A blank before the text, and one behind it where there is room.
        let text = std::iter::once(None).chain(line.chars().map(Some)).chain(std::iter::repeat(None));
        for (place, sign) in places.zip(text) {
            *place = sign.map_or(blank, |sign| Mark::Text(sign, block.side));
        }
    }
}

fn sign(mark: Mark, look: Look) -> String {
    let faint = look.faint();
    let line = |ascii: char, unicode: char| format!("{faint}{}{faint:#}", if look.unicode { unicode } else { ascii });
    match mark {
        Mark::Empty => " ".into(),
        Mark::Across => line('-', '─'),
        Mark::Down => line('|', '│'),
        Mark::Cross => line('+', '┼'),
        Mark::Fill => line(':', '░'),
        Mark::Text(sign, side) => {
            let style = look.side(side);
            format!("{style}{sign}{style:#}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Blocks {
        let block = |file, rank, size, side, lines: &[&str]| Block {
            file,
            rank,
            size,
            side,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            region: size == 1,
        };
        Blocks {
            files: 3,
            ranks: 2,
            blocks: vec![
                block(0, 0, 2, Side::First, &["W 12 *", "IADIADIADIAD"]),
                block(2, 1, 1, Side::Second, &["B 123456789", "..IADI"]),
            ],
        }
    }

    #[test]
    fn a_larger_square_has_no_lines_inside_and_more_room() {
        let expected = "\x20 +-------+-------+-------+
2 | W 12 *        |:B 1234|
  | IADIADIADIAD  |:..IADI|
  +               +-------+
1 |               |       |
  |               |       |
  +-------+-------+-------+
    a       b       c
";
        assert_eq!(draw(&board(), Look::default()), expected);
    }

    #[test]
    fn unicode_has_the_same_measure() {
        let [plain, unicode] = [false, true].map(|unicode| draw(&board(), Look { unicode, colour: false }));
        let widths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        assert_eq!(widths(&plain), widths(&unicode));
        assert!(unicode.contains("│░..IADI│"));
    }
}
