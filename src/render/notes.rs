//! Notes on a drawn board of squares: written into the lower line of their square.

use crate::scene::{Cells, Note};

/// Columns from the left edge to the first square, across a square with its border, and lines down a square with its border.
const MARGIN: usize = 3;
const ACROSS: usize = 8;
const DOWN: usize = 3;
/// The characters that a note has.
const ROOM: usize = 6;

/// Writes the notes into a board as [`super::cells::text`] has drawn it.
pub(super) fn write(drawn: &str, board: &Cells, notes: &[Note]) -> String {
    let mut lines: Vec<Vec<char>> = drawn.lines().map(|line| line.chars().collect()).collect();
    for note in notes {
        let from_top = usize::from(board.ranks).saturating_sub(usize::from(note.rank) + 1);
        let column = MARGIN + usize::from(note.file) * ACROSS + 1;
        let Some(line) = lines.get_mut(from_top * DOWN + 2) else { continue };
        for (place, sign) in line.iter_mut().skip(column).take(ROOM).zip(note.text.chars()) {
            *place = sign;
        }
    }
    lines.into_iter().flat_map(|line| line.into_iter().chain(['\n'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kernel::Side;
    use crate::scene::{Cell, Piece};

    #[test]
    fn a_note_stands_below_its_piece() {
        let piece = Some(Piece { letter: 'L', sign: 'L', side: Side::First });
        let board = Cells { files: 2, ranks: 2, cells: vec![Cell { file: 1, piece, ..Cell::default() }] };
        let notes = [Note { file: 1, rank: 0, text: "~2.1 and more".into() }];
        let text = write(&crate::render::cells::text(&board, false), &board, &notes);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[4], "1 |       | L     |");
        assert_eq!(lines[5], "  |       | ~2.1 a|");
    }
}
