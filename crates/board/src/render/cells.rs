//! Boards of squares as text.
//!
//! A square is two lines of seven characters. The upper line has the piece with its facing or promotion and what it has
//! aboard in brackets, or its challenger; the lower line has what is above it, after a `~`, or the wounds. A marked
//! square is filled with signs instead of spaces.

use super::Look;
use postrider_kernel::Side;
use postrider_kernel::scene::{Cell, Cells, Mark, Piece, Toward, Wound};

/// Characters across a square, without its borders; and the same for a narrow board.
const WIDTH: usize = 7;
const NARROW: usize = 6;

/// The characters of a style of drawing.
struct Style {
    across: &'static str,
    down: &'static str,
    cross: &'static str,
    fill: char,
    unicode: bool,
}

const ASCII: Style = Style { across: "-", down: "|", cross: "+", fill: ':', unicode: false };
const UNICODE: Style = Style { across: "─", down: "│", cross: "┼", fill: '░', unicode: true };

impl Style {
    /// The character for a piece: in ASCII its letter, which is in lower case for the second side.
    fn piece(&self, piece: Piece) -> char {
        match piece.side {
            _ if self.unicode => piece.sign,
            Side::First => piece.letter.to_ascii_uppercase(),
            Side::Second => piece.letter.to_ascii_lowercase(),
        }
    }

    fn toward(&self, toward: Toward) -> char {
        match (toward, self.unicode) {
            (Toward::North, false) => '^',
            (Toward::East, false) => '>',
            (Toward::South, false) => 'v',
            (Toward::West, false) => '<',
            (Toward::North, true) => '↑',
            (Toward::East, true) => '→',
            (Toward::South, true) => '↓',
            (Toward::West, true) => '←',
        }
    }

    /// The upper line of a square: what is on it.
    fn ground(&self, cell: &Cell) -> String {
        let mut text = String::new();
        text.extend(cell.piece.map(|piece| self.piece(piece)));
        text.extend(cell.toward.map(|toward| self.toward(toward)));
        text.extend(cell.promoted.then_some('!'));
        if !cell.aboard.is_empty() {
            text.push('(');
            text.extend(cell.aboard.iter().map(|&piece| self.piece(piece)));
            text.push(')');
        }
        if let Some((piece, _)) = cell.challenger {
            text.extend(['(', self.piece(piece), ')']);
        }
        text
    }

    /// The lower line of a square: what is above it, or the wounds.
    fn air(&self, cell: &Cell) -> String {
        let mut text = String::new();
        text.extend((!cell.above.is_empty()).then_some('~'));
        text.extend(cell.above.iter().map(|&piece| self.piece(piece)));
        text.push_str(cell.wound.map_or("", Wound::mark));
        if let Some((_, Some(wound))) = cell.challenger {
            text.push_str(&format!("({})", wound.mark()));
        }
        text
    }

    /// A line of a square, padded to its full width.
    fn padded(&self, text: &str, region: bool, width: usize) -> String {
        let blank = if region { self.fill } else { ' ' };
        let mut line = String::from(blank);
        line.extend(text.chars().take(width - 1));
        let used = line.chars().count();
        line.extend(std::iter::repeat_n(blank, width.saturating_sub(used)));
        line
    }
}

/// Puts brackets into a line of a square: at its beginning, which is always free, and at its end if that is.
fn marked(line: &str, mark: Option<(char, char)>) -> String {
    let Some((before, behind)) = mark else { return line.to_owned() };
    let last = line.chars().count().saturating_sub(1);
    let sign = |(at, sign): (usize, char)| match at {
        0 => before,
        _ if at == last && !sign.is_ascii_graphic() => behind,
        _ => sign,
    };
    line.chars().enumerate().map(sign).collect()
}

/// Draws a board of squares with the last rank on top, every line ending in a line feed; in plain ASCII, or with
/// Unicode lines and signs.
#[must_use]
pub fn text(board: &Cells, unicode: bool) -> String {
    draw(board, Look { unicode, ..Look::default() }, &[])
}

/// What is on a square and above it, as briefly as possible; empty for an empty square.
pub(super) fn brief(cell: &Cell, unicode: bool) -> String {
    let style = if unicode { UNICODE } else { ASCII };
    style.ground(cell) + &style.air(cell)
}

/// Draws a board of squares.
pub(super) fn draw(board: &Cells, look: Look, marks: &[Mark]) -> String {
    drawn(board, look, WIDTH, marks)
}

/// The same in narrow squares; none where something would be cut off.
pub(super) fn narrow(board: &Cells, look: Look, marks: &[Mark]) -> Option<String> {
    let style = if look.unicode { UNICODE } else { ASCII };
    let fits = |text: String| text.chars().count() < NARROW;
    let all = board.cells.iter().all(|cell| fits(style.ground(cell)) && fits(style.air(cell)));
    all.then(|| drawn(board, look, NARROW, marks))
}

fn drawn(board: &Cells, look: Look, width: usize, marks: &[Mark]) -> String {
    let style = if look.unicode { UNICODE } else { ASCII };
    let edge = format!(
        "  {}{}\n",
        format!("{}{}", style.cross, style.across.repeat(width)).repeat(board.files.into()),
        style.cross
    );
    let empty = Cell::default();
    let mut out = edge.clone();
    for rank in (0..board.ranks).rev() {
        let (mut ground, mut air) =
            (format!("{} ", super::look::rank(rank.into(), board.ranks, look)), String::from("  "));
        for file in 0..board.files {
            let cell = board.cells.iter().find(|cell| (cell.file, cell.rank) == (file, rank)).unwrap_or(&empty);
            let mark = super::look::marked_at(marks, (board.files, board.ranks), (file, rank), look);
            for (line, text, mark) in [(&mut ground, style.ground(cell), mark), (&mut air, style.air(cell), None)] {
                line.push_str(style.down);
                line.push_str(&marked(&style.padded(&text, cell.region, width), mark));
            }
        }
        for line in [ground, air] {
            out.push_str(&line);
            out.push_str(style.down);
            out.push('\n');
        }
        out.push_str(&edge);
    }
    let mut names = String::from("  ");
    for name in super::look::files(board.files, look) {
        names.push_str(&format!("  {name:<0$}", width - 1));
    }
    out.push_str(names.trim_end());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(letter: char, sign: char, side: Side) -> Piece {
        Piece { kind: "", name: "", letter, sign, side }
    }

    fn board() -> Cells {
        let portal = Cell {
            piece: Some(piece('P', '◇', Side::First)),
            toward: Some(Toward::North),
            aboard: vec![piece('F', '☆', Side::First); 2],
            above: vec![piece('F', '★', Side::Second)],
            region: true,
            ..Cell::default()
        };
        let vedrin =
            Cell { file: 1, rank: 1, piece: Some(piece('V', '♟', Side::Second)), promoted: true, ..Cell::default() };
        Cells { files: 2, ranks: 2, cells: vec![portal, vedrin, Cell { rank: 1, region: true, ..Cell::default() }] }
    }

    #[test]
    fn a_square_shows_what_is_on_it_and_above_it() {
        let expected = "\x20 +-------+-------+
2 |:::::::| v!    |
  |:::::::|       |
  +-------+-------+
1 |:P^(FF)|       |
  |:~f::::|       |
  +-------+-------+
    a       b
";
        assert_eq!(text(&board(), false), expected);
    }

    #[test]
    fn wounds_are_below_their_pieces_and_never_break_the_board() {
        let cell = Cell {
            file: 1,
            piece: Some(piece('L', 'L', Side::First)),
            wound: Some(Wound::HalfHealed),
            challenger: Some((piece('S', 'S', Side::Second), Some(Wound::Severe))),
            ..Cell::default()
        };
        let text = text(&Cells { files: 2, ranks: 1, cells: vec![cell] }, false);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "1 |       | L(s)  |");
        assert_eq!(lines[2], "  |       | ~2.1(~|");
    }

    #[test]
    fn unicode_has_the_same_size() {
        let (plain, unicode) = (text(&board(), false), text(&board(), true));
        let widths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        assert_eq!(widths(&plain), widths(&unicode));
        assert!(unicode.contains("░◇↑(☆☆)"));
    }
}
