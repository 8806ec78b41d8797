//! Boards in few lines, for terminals of 24 rows or 40 columns: one line per rank, or one per field that has something
//! on it.

use super::{Look, cells};
use postrider_kernel::scene::{Block, Blocks, Board, Brick, Cells, Mark, Points, square};
use postrider_kernel::{Side, SideName};

/// What is at one place of a grid: the text, and the side it belongs to.
type Place = (String, Option<Side>);

/// Draws the board, which the caller has already turned if necessary.
pub(super) fn draw(board: &Board, sides: [SideName; 2], look: Look, marks: &[Mark]) -> String {
    match board {
        Board::Points(board) => grid((board.files, board.ranks), &points(board, look), look, marks, ' '),
        Board::Cells(board) => grid((board.files, board.ranks), &squares(board, look), look, marks, rule(look)),
        Board::Blocks(board) => {
            let drawn = |counted| {
                grid((board.files, board.ranks), &territories(board, sides, counted), look, marks, rule(look))
            };
            let counted = drawn(true);
            match look.columns {
                // The numbers of tokens are listed below the board too.
                Some(columns) if super::look::width(&counted) > columns => drawn(false),
                _ => counted,
            }
        }
        Board::Bricks(bricks) => fields(bricks, sides, look, marks),
    }
}

/// What stands between two squares.
fn rule(look: Look) -> char {
    if look.unicode { '│' } else { '|' }
}

/// Draws a grid with one line per rank. All files are as wide as the longest text, so that diagonals are straight; where that is too
/// wide for the terminal, each is as wide as its own. `places` are in ranks from the bottom up; `rule` stands between them, or the
/// brackets round a place to which the last entry did something. Where two neighbours have brackets there is room for those of both.
fn grid((count, ranks): (u8, u8), places: &[Vec<Place>], look: Look, marks: &[Mark], rule: char) -> String {
    const LABEL: usize = 2;
    let width =
        |file: usize| places.iter().filter_map(|rank| Some(rank.get(file)?.0.chars().count())).max().unwrap_or(1);
    let mut widths: Vec<usize> = (0..usize::from(count)).map(width).collect();
    // A line is about twice as high as a character is wide.
    let least = if rule == ' ' { 1 } else { 3 };
    let widest = widths.iter().copied().max().unwrap_or(1).max(least);
    let of = |file: usize, above: usize| {
        let at = (u8::try_from(file).unwrap_or(u8::MAX), u8::try_from(above).unwrap_or(u8::MAX));
        super::look::marked_at(marks, (count, ranks), at, look)
    };
    let fits = |used: usize| look.columns.is_none_or(|columns| LABEL + used <= columns);
    let crowded =
        (0..places.len()).any(|above| (1..widths.len()).any(|file| of(file - 1, above).and(of(file, above)).is_some()));
    let room = |widths: &[usize], gap: usize| gap + widths.iter().map(|width| width + gap).sum::<usize>();
    let gap = 1 + usize::from(crowded && fits(room(&widths, 2)));
    if fits(room(&vec![widest; widths.len()], gap)) {
        widths.fill(widest);
    }
    let faint = look.faint();
    let mut text = String::new();
    for (above, rank) in places.iter().enumerate().rev() {
        let between = |file: usize| {
            let left = file.checked_sub(1).and_then(|file| of(file, above)).map(|(_, behind)| behind);
            let right = if file < rank.len() { of(file, above).map(|(before, _)| before) } else { None };
            // Spaces have no style, so that those at the end of a line are trimmed.
            let line = if rule == ' ' { " ".to_owned() } else { format!("{faint}{rule}{faint:#}") };
            match (left, right) {
                (Some(behind), Some(before)) if gap > 1 => format!("{behind}{before}"),
                (Some(behind), None) if gap > 1 => format!("{behind}{line}"),
                (None, Some(before)) if gap > 1 => format!("{line}{before}"),
                (None, None) if gap > 1 => format!("{line} "),
                (_, Some(sign)) | (Some(sign), None) => sign.to_string(),
                (None, None) => line,
            }
        };
        let mut line = format!("{faint}{:<LABEL$}{faint:#}", super::look::rank(above, ranks, look));
        for (file, ((sign, side), width)) in rank.iter().zip(&widths).enumerate() {
            let style = side.map(|side| look.side(side)).unwrap_or_default();
            line.push_str(&between(file));
            line.push_str(&format!("{style}{sign}{style:#}{:1$}", "", width.saturating_sub(sign.chars().count())));
        }
        line.push_str(&between(rank.len()));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let names: Vec<_> =
        super::look::files(count, look).iter().zip(&widths).map(|(name, width)| format!("{name:width$}")).collect();
    text.push_str(&format!("{faint}{:1$}{2}{faint:#}\n", "", LABEL + gap, names.join(&" ".repeat(gap)).trim_end()));
    text
}

/// Makes an empty grid, with `sign` at every place.
fn empty(files: u8, ranks: u8, sign: &str) -> Vec<Vec<Place>> {
    vec![vec![(sign.to_owned(), None); files.into()]; ranks.into()]
}

fn put(places: &mut [Vec<Place>], file: u8, rank: u8, place: Place) {
    if let Some(there) = places.get_mut(usize::from(rank)).and_then(|rank| rank.get_mut(usize::from(file))) {
        *there = place;
    }
}

fn points(board: &Points, look: Look) -> Vec<Vec<Place>> {
    let mut places = empty(board.files, board.ranks, " ");
    for point in &board.points {
        let sign = match point.piece {
            Some(piece) => if look.unicode { piece.sign } else { piece.letter }.to_string(),
            None if point.region => if look.unicode { "◇" } else { "o" }.to_owned(),
            None => if look.unicode { "·" } else { "+" }.to_owned(),
        };
        put(&mut places, point.file, point.rank, (sign, point.piece.map(|piece| piece.side)));
    }
    places
}

fn squares(board: &Cells, look: Look) -> Vec<Vec<Place>> {
    let mut places = empty(board.files, board.ranks, " ");
    for cell in &board.cells {
        let sign = cells::brief(cell, look.unicode);
        let sign = match (sign.is_empty(), cell.region) {
            (true, true) => if look.unicode { "░" } else { ":" }.to_owned(),
            (true, false) => continue,
            (false, true) => format!("{sign}:"),
            (false, false) => sign,
        };
        put(&mut places, cell.file, cell.rank, (sign, cell.piece.map(|piece| piece.side)));
    }
    places
}

/// Every territory: its owner and, if they are `counted`, its number of tokens in its upper left square, the owner in small in the
/// others.
fn territories(board: &Blocks, sides: [SideName; 2], counted: bool) -> Vec<Vec<Place>> {
    let mut places = empty(board.files, board.ranks, " ");
    for block in &board.blocks {
        let Block { file, rank, size, side, controlled, region, .. } = block;
        let letter = super::look::initial(sides[side.index()]);
        let star = if *controlled { "*" } else { "" };
        let mark = if *region { ":" } else { "" };
        for up in 0..*size {
            for right in 0..*size {
                let sign = match (up.saturating_add(1) == *size, right) {
                    (true, 0) if counted => format!("{letter}{}{star}{mark}", block.height()),
                    (true, 0) => format!("{letter}{star}{mark}"),
                    _ => letter.to_ascii_lowercase().to_string(),
                };
                put(&mut places, file.saturating_add(right), rank.saturating_add(up), (sign, Some(*side)));
            }
        }
    }
    places
}

/// The most tokens of a stack that are shown, from the top down.
const TOKENS: usize = 12;

/// Lists the territories of each side with the tops of their stacks, for below the board: `a1/4 33* ..IDAIDAIDAIDA`.
pub(super) fn rows(board: &Blocks, sides: [SideName; 2]) -> Vec<(&'static str, String)> {
    let of = |side: Side| {
        let territory = |block: &Block| {
            let name = square(block.file, block.rank);
            let name = if block.size == 1 { name } else { format!("{name}/{}", block.size) };
            let hidden = block.tokens.len().saturating_sub(TOKENS);
            let stack: String = block.tokens.iter().skip(hidden).map(|token| token.sign()).collect();
            let is_cut = hidden + block.below > 0;
            let (star, more) = (if block.controlled { "*" } else { "" }, if is_cut { ".." } else { "" });
            format!("{name} {}{star} {more}{stack}", block.height())
        };
        let all: Vec<_> = board.blocks.iter().filter(|block| block.side == side).map(territory).collect();
        (sides[side.index()].word, all.join(", "))
    };
    Side::BOTH.map(of).into_iter().filter(|(_, territories)| !territories.is_empty()).collect()
}

/// How wide a list of units is at most.
const WIDTH: usize = 80;
/// How many lines a list of units may have with a line for each field; a longer one goes on within the line.
const LINES: usize = 6;

/// The map, with the holder of each field and how many units are on it, followed by the units.
fn fields(bricks: &[Brick], sides: [SideName; 2], look: Look, marks: &[Mark]) -> String {
    /// The columns of half a field.
    const HALF: usize = 4;
    let mut text = String::new();
    let listed = bricks.iter().any(|brick| brick.near.is_some());
    let rows = bricks.iter().map(|brick| brick.row).max().filter(|_| !listed);
    for row in 0..=rows.unwrap_or(0) {
        let mut line = String::new();
        let mut used = 0;
        for brick in bricks.iter().filter(|brick| rows.is_some() && brick.row == row) {
            let (style, letter) = (look.side(brick.side), super::look::initial(sides[brick.side.index()]));
            let units = if brick.units.is_empty() { String::new() } else { brick.units.len().to_string() };
            let sign = format!("{} {letter}{units}", super::bricks::coded(brick, marks));
            let left = usize::from(brick.column) * HALF;
            line.push_str(&format!("{:1$}{style}{sign}{style:#}", "", left.saturating_sub(used)));
            used = left.max(used) + sign.chars().count();
        }
        if !line.is_empty() {
            text.push_str(&line);
            text.push('\n');
        }
    }
    let columns = look.columns.unwrap_or(WIDTH).min(WIDTH);
    let shown = bricks.iter().filter(|brick| listed || !brick.units.is_empty());
    let paragraphs: Vec<Vec<Item>> = shown.map(|brick| items(brick, sides, look, listed)).collect();
    let lines = |paragraphs: &[Vec<Item>]| paragraphs.iter().map(|items| flowing(items, columns)).collect::<String>();
    let apart = lines(&paragraphs);
    text + &if apart.lines().count() > LINES && !listed { lines(&[paragraphs.concat()]) } else { apart }
}

/// A piece of a list that is not broken: the text, its style, and what stands before it where it is not the first of a line.
#[derive(Clone)]
struct Item {
    /// The field's code, before its first unit.
    label: String,
    text: String,
    style: anstyle::Style,
    between: &'static str,
}

/// A field's code and its units: those of one name with the same figures are named together, `rifle-squad.1,2 S10 xS10`.
fn items(brick: &Brick, sides: [SideName; 2], look: Look, listed: bool) -> Vec<Item> {
    let near = brick.near_in_words().map(|near| format!(" ({near})")).unwrap_or_default();
    let holder =
        if listed { format!(" {}{near}", super::look::initial(sides[brick.side.index()])) } else { String::new() };
    let mut units: Vec<(String, &str, String, Side)> = Vec::new();
    for unit in &brick.units {
        // Whoever holds the field is on the map.
        let figures = match unit.side == brick.side {
            true => super::bricks::strength(unit),
            false => super::bricks::figures(unit, sides),
        };
        let (name, number) = unit.name.rsplit_once('.').unwrap_or((&unit.name, ""));
        match units.iter_mut().find(|(_, other, same, _)| *other == name && *same == figures) {
            Some((numbers, ..)) => numbers.push_str(&format!(",{number}")),
            None => units.push((number.to_owned(), name, figures, unit.side)),
        }
    }
    let label = format!("{}{holder}", brick.code);
    // What says its neighbours too is long, and stands apart from the first unit.
    let alone = units.is_empty() || listed;
    let first = Item { label: label.clone(), text: String::new(), style: anstyle::Style::new(), between: "; " };
    let unit = |(nth, (numbers, name, figures, side)): (usize, (String, &str, String, Side))| Item {
        label: if nth == 0 && !alone { format!("{label} ") } else { String::new() },
        text: if numbers.is_empty() { format!("{name} {figures}") } else { format!("{name}.{numbers} {figures}") },
        style: look.side(side),
        between: match nth {
            0 if alone => " ",
            0 => "; ",
            _ => ", ",
        },
    };
    alone.then_some(first).into_iter().chain(units.into_iter().enumerate().map(unit)).collect()
}

/// Items one after the other, in lines of so many columns; a longer item has a line of its own.
fn flowing(items: &[Item], columns: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for Item { label, text: item, style, between } in items {
        let length = label.chars().count() + item.chars().count();
        if used > 0 && used + between.len() + length > columns {
            text.push_str(between.trim_end());
            // What belongs to a field that began above is set in.
            let indent = if label.is_empty() { "    " } else { "" };
            text.push_str(&format!("\n{indent}"));
            used = indent.len();
        } else if used > 0 {
            text.push_str(between);
            used += between.len();
        }
        text.push_str(&format!("{label}{style}{item}{style:#}"));
        used += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::scene::{Cell, Piece, Point, Token, Toward, Trace};

    const SIDES: [SideName; 2] = [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }];

    #[test]
    fn a_rank_is_one_line_and_turning_the_board_turns_the_names_too() {
        let portal = Piece { kind: "", name: "", letter: 'P', sign: 'P', side: Side::First };
        let cell = Cell { file: 0, rank: 0, piece: Some(portal), toward: Some(Toward::North), ..Cell::default() };
        let board = Board::Cells(Cells { files: 3, ranks: 2, cells: vec![cell] });
        let look = Look { compact: true, ..Look::default() };
        assert_eq!(draw(&board, SIDES, look, &[]), "2 |   |   |   |\n1 |P^ |   |   |\n   a   b   c\n");
        let turned = Look { turned: true, ..look };
        assert_eq!(draw(&board.turned(), SIDES, turned, &[]), "1 |   |   |Pv |\n2 |   |   |   |\n   c   b   a\n");
    }

    #[test]
    fn brackets_of_neighbours_do_not_run_into_each_other() {
        let piece = Piece { kind: "", name: "", letter: 'B', sign: 'B', side: Side::First };
        let point = |file, piece| Point { file, rank: 0, piece, region: false };
        let points = vec![point(0, None), point(1, None), point(2, Some(piece)), point(3, None)];
        let board = Board::Points(Points { files: 4, ranks: 1, points, lines: Vec::new() });
        let mark = |place: &str, trace| Mark { place: place.to_owned(), trace };
        let look = Look { compact: true, ..Look::default() };
        let marks = [mark("a1", Trace::From), mark("b1", Trace::Taken), mark("c1", Trace::To)];
        assert_eq!(draw(&board, SIDES, look, &marks), "1  (+)(+)[B] +\n    a  b  c  d\n");
        assert_eq!(draw(&board, SIDES, look, &marks[..1]), "1 (+)+ B +\n   a b c d\n");
        // There is not always so much room.
        let narrow = Look { columns: Some(12), ..look };
        assert_eq!(draw(&board, SIDES, narrow, &marks), "1 (+(+[B]+\n   a b c d\n");
        let cell = Cell { file: 0, rank: 0, piece: Some(piece), ..Cell::default() };
        let board = Board::Cells(Cells { files: 3, ranks: 1, cells: vec![cell] });
        let drawn = draw(&board, SIDES, look, &[mark("a1", Trace::To), mark("b1", Trace::From)]);
        assert_eq!(drawn, "1 |[B  ](   )|   |\n    a    b    c\n");
    }

    #[test]
    fn a_large_territory_shows_its_number_of_tokens_once() {
        let token = Token { letter: Some('I'), name: "", sealed: false };
        let block = Block {
            file: 1,
            rank: 0,
            size: 2,
            side: Side::Second,
            tokens: vec![token; 12],
            below: 0,
            controlled: true,
            short: 0,
            region: false,
        };
        let board = Board::Blocks(Blocks { files: 3, ranks: 2, blocks: vec![block] });
        let look = Look::default();
        assert_eq!(draw(&board, SIDES, look, &[]), "2 |    |B12*|b   |\n1 |    |b   |b   |\n   a    b    c\n");
        assert_eq!(
            draw(&board.turned(), SIDES, Look { turned: true, ..look }, &[]),
            "1 |B12*|b   |    |\n2 |b   |b   |    |\n   c    b    a\n"
        );
    }
}
