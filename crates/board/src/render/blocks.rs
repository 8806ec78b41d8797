//! Boards with squares of several sizes, as text. A single square takes two lines of seven characters; a larger one is
//! drawn without the lines inside it, so it has that much more room.

use super::Look;
use postrider_kernel::scene::{Block, Blocks, Mark as Done, square};
use postrider_kernel::{Side, SideName};

/// Columns from one border to the next, the same where the board has to be narrow, and lines.
const ACROSS: usize = 8;
const NARROW: usize = 7;
const DOWN: usize = 3;

/// What is at one position of the drawing.
#[derive(Clone, Copy)]
enum Mark {
    Empty,
    Across,
    Down,
    Cross,
    /// The fill of a marked block.
    Fill,
    Text(char, Side),
    /// One of the brackets round what the last entry changed.
    Bracket(char),
}

/// Draws the board with the last rank on top.
pub(super) fn draw(board: &Blocks, sides: [SideName; 2], look: Look, marks: &[Done]) -> String {
    drawn(board, sides, look, ACROSS, marks)
}

/// The same in narrow squares; none where something would be cut off.
pub(super) fn narrow(board: &Blocks, sides: [SideName; 2], look: Look, marks: &[Done]) -> Option<String> {
    let fits = |block: &Block| {
        let room = (usize::from(block.size) * NARROW).saturating_sub(2);
        lines(block, sides).iter().all(|line| line.chars().count() <= room)
    };
    board.blocks.iter().all(fits).then(|| drawn(board, sides, look, NARROW, marks))
}

fn drawn(board: &Blocks, sides: [SideName; 2], look: Look, wide: usize, marks: &[Done]) -> String {
    let (files, ranks) = (usize::from(board.files), usize::from(board.ranks));
    let mut grid: Vec<Vec<Mark>> = (0..=ranks * DOWN)
        .map(|row| {
            let across = row % DOWN == 0;
            (0..=files * wide)
                .map(|column| match (across, column % wide == 0) {
                    (true, true) => Mark::Cross,
                    (true, false) => Mark::Across,
                    (false, true) => Mark::Down,
                    (false, false) => Mark::Empty,
                })
                .collect()
        })
        .collect();
    for block in &board.blocks {
        fill(&mut grid, block, sides, ranks, wide);
    }
    for (file, rank) in (0..board.files).flat_map(|file| (0..board.ranks).map(move |rank| (file, rank))) {
        let lies_in = |block: &&Block| {
            let (files, ranks) =
                (block.file..block.file.saturating_add(block.size), block.rank..block.rank.saturating_add(block.size));
            files.contains(&file) && ranks.contains(&rank)
        };
        let block = board.blocks.iter().find(lies_in);
        // A territory is named by the square that is its lower left one before the board is turned.
        let named = |block: &Block| match look.turned {
            false => (block.file, block.rank),
            true => (
                block.file.saturating_add(block.size).saturating_sub(1),
                block.rank.saturating_add(block.size).saturating_sub(1),
            ),
        };
        if block.is_some_and(|block| named(block) != (file, rank)) {
            continue;
        }
        if let Some(brackets) = super::look::marked_at(marks, (board.files, board.ranks), (file, rank), look) {
            let (left, below, size) = block.map_or((file, rank, 1), |block| (block.file, block.rank, block.size));
            let row = grid.get_mut(ranks.saturating_sub(usize::from(below) + usize::from(size)) * DOWN + 1);
            let room = usize::from(size) * wide - 1;
            row.into_iter().for_each(|row| enclose(row, usize::from(left) * wide + 1, room, brackets));
        }
    }
    let faint = look.faint();
    let mut text = String::new();
    for (row, marks) in grid.iter().enumerate() {
        let above = ranks.saturating_sub(row / DOWN + 1);
        let name = if row % DOWN == 1 { super::look::rank(above, board.ranks, look) } else { String::new() };
        text.push_str(&format!("{faint}{name:<2}{faint:#}"));
        let line: String = marks.iter().map(|mark| sign(*mark, look)).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let names = super::look::files(board.files, look);
    text.push_str(&format!("{faint}    {}{faint:#}\n", names.join(&" ".repeat(wide - 1))));
    text
}

/// Puts brackets round what is written in the first line of a territory or an empty square.
fn enclose(row: &mut [Mark], from: usize, room: usize, (before, behind): (char, char)) {
    let text = row.iter().skip(from).take(room).rposition(|mark| matches!(mark, Mark::Text(..)));
    let end = from + (text.unwrap_or(0) + 1).min(room.saturating_sub(1));
    for (at, sign) in [(from, before), (end, behind)] {
        if let Some(mark) = row.get_mut(at).filter(|mark| !matches!(mark, Mark::Text(..))) {
            *mark = Mark::Bracket(sign);
        }
    }
}

/// Removes the lines inside a block and writes its text.
fn fill(grid: &mut [Vec<Mark>], block: &Block, sides: [SideName; 2], ranks: usize, wide: usize) {
    let size = usize::from(block.size);
    let left = usize::from(block.file) * wide;
    let top = ranks.saturating_sub(usize::from(block.rank) + size) * DOWN;
    let inside = grid.iter_mut().skip(top + 1).take((size * DOWN).saturating_sub(1));
    let blank = if block.region { Mark::Fill } else { Mark::Empty };
    let lines = lines(block, sides);
    for (nth, row) in inside.enumerate() {
        let width = (size * wide).saturating_sub(1);
        let places = row.iter_mut().skip(left + 1).take(width);
        let line = lines.get(nth).map_or("", String::as_str);
        // A space before the text, and one after it if there is room.
        let text = std::iter::once(None).chain(line.chars().map(Some)).chain(std::iter::repeat(None));
        for (place, sign) in places.zip(text) {
            *place = sign.map_or(blank, |sign| Mark::Text(sign, block.side));
        }
    }
}

/// The most tokens of a stack that are shown on one line below the board.
const TOKENS: usize = 40;

/// Lists every territory with its stack from bottom to top, for below the board: `c3/2  12 tokens, controlled   IADI`.
pub(super) fn rows(board: &Blocks, sides: [SideName; 2]) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    for side in Side::BOTH {
        let mut label = sides[side.index()].word;
        for block in board.blocks.iter().filter(|block| block.side == side) {
            let name = match block.size {
                1 => square(block.file, block.rank),
                size => format!("{}/{size}", square(block.file, block.rank)),
            };
            let height = block.height();
            let tokens = if height == 1 { "token, " } else { "tokens," };
            let control = match block.short {
                _ if block.controlled => "controlled".to_owned(),
                short => format!("{short} short of control"),
            };
            let mut heading = format!("{name:<4} {height:>3} {tokens} {control}");
            if block.below > 0 {
                rows.push((label, format!("{heading:<35} {} more below", block.below)));
                (label, heading) = ("", String::new());
            }
            let stack: String = block.tokens.iter().map(|token| token.sign()).collect();
            for line in stack.as_bytes().chunks(TOKENS) {
                rows.push((label, format!("{heading:<35} {}", String::from_utf8_lossy(line))));
                (label, heading) = ("", String::new());
            }
        }
    }
    rows
}

/// The text of a territory: its owner and number of tokens, a star if it is controlled, and the stack from bottom to
/// top, cut off at the bottom if it does not fit.
fn lines(block: &Block, sides: [SideName; 2]) -> Vec<String> {
    let size = usize::from(block.size);
    // One space at the left of each line; two characters show that there are more tokens below.
    let (width, lines) = ((size * ACROSS).saturating_sub(2).max(1), (size * DOWN).saturating_sub(2));
    let stack: String = block.tokens.iter().map(|token| token.sign()).collect();
    let shown = match stack.len().checked_sub(width * lines) {
        None => stack,
        Some(0) if block.below == 0 => stack,
        Some(more) => format!("..{}", stack.get(more + 2..).unwrap_or_default()),
    };
    let letter = super::look::initial(sides[block.side.index()]);
    let star = if block.controlled { " *" } else { "" };
    let shown = shown.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned());
    std::iter::once(format!("{letter} {}{star}", block.height())).chain(shown).collect()
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
        Mark::Bracket(sign) => sign.into(),
        Mark::Text(sign, side) => {
            let style = look.side(side);
            format!("{style}{sign}{style:#}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::scene::Token;

    const SIDES: [SideName; 2] = [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }];

    fn board() -> Blocks {
        let token = |letter| Token { letter: Some(letter), name: "", sealed: false };
        let block = |file, rank, size, side, count| Block {
            file,
            rank,
            size,
            side,
            tokens: "IAD".chars().cycle().take(count).map(token).collect(),
            below: 0,
            controlled: side == Side::First,
            short: 0,
            region: size == 1,
        };
        Blocks { files: 3, ranks: 2, blocks: vec![block(0, 0, 2, Side::First, 12), block(2, 1, 1, Side::Second, 13)] }
    }

    #[test]
    fn a_larger_square_has_no_lines_inside_and_more_room() {
        let expected = "\x20 +-------+-------+-------+
2 | W 12 *        |:B 13::|
  | IADIADIADIAD  |:..IADI|
  +               +-------+
1 |               |       |
  |               |       |
  +-------+-------+-------+
    a       b       c
";
        assert_eq!(draw(&board(), SIDES, Look::default(), &[]), expected);
    }

    #[test]
    fn unicode_has_the_same_size() {
        let [plain, unicode] =
            [false, true].map(|unicode| draw(&board(), SIDES, Look { unicode, ..Look::default() }, &[]));
        let widths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        assert_eq!(widths(&plain), widths(&unicode));
        assert!(unicode.contains("│░..IADI│"));
    }
}
