//! Boards of territories with stacks of tokens.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use super::squares::{Grid, MARGIN, UNIT, cross, ground};
use postrider_kernel::scene::{Block, Blocks, Scene, Token, Trace};

/// How far from its border the outermost tokens of a territory end: inside the second line of a controlled one.
const INSIDE: i32 = 19;

/// How tokens stand in a territory.
#[derive(Clone, Copy)]
struct Rows {
    /// The width of the territory.
    size: i32,
    /// The radius of a token, and the distance from one to the next.
    radius: i32,
    step: i32,
    /// How many stand beside each other, and in how many rows.
    across: i32,
    down: i32,
}

impl Rows {
    /// The rows below a number of this height.
    fn of(size: i32, number: i32) -> Self {
        let small = size <= UNIT;
        let (radius, step) = if small { (8, 23) } else { (10, 27) };
        let across = (size - 2 * (INSIDE + radius)) / step + 1;
        let down = if small { 1 } else { (size - 46 - number) / step };
        Self { size, radius, step, across, down }
    }

    /// The middle of a token, from the upper left corner of the territory; the first is in the upper row at the left.
    const fn middle(&self, nth: i32) -> (i32, i32) {
        let row = self.down - 1 - nth / self.across;
        let x = INSIDE + self.radius + nth % self.across * self.step;
        (x, self.size - INSIDE - self.radius - row * self.step)
    }
}

pub(super) fn draw(list: &mut List, board: &Blocks, scene: &Scene, turned: bool) {
    let grid = Grid::new(board.files, board.ranks, turned);
    ground(list, &grid);
    for block in &board.blocks {
        territory(list, &grid, block);
    }
    for mark in &scene.marks {
        let Some((file, rank)) = grid.named(&mark.place) else { continue };
        let block = board.blocks.iter().find(|block| (block.file, block.rank) == (file, rank));
        let (left, top, size) = corner(&grid, file, rank, block.map_or(1, |block| block.size));
        let frame = Shape::drawn(Path::rounded(left + 2, top + 2, size - 4, size - 4, 10), Ink::Mark, 6);
        match mark.trace {
            Trace::From => list.shape(frame.dashed(11, 14)),
            Trace::To => list.shape(frame),
            Trace::Taken => list.shape(Shape::drawn(cross(left + 18, top + 18, 10), Ink::Mark, 7)),
        }
    }
    key(list, board);
}

/// The upper left corner of a territory in the picture, and its width.
fn corner(grid: &Grid, file: u8, rank: u8, size: u8) -> (i32, i32, i32) {
    let far = size.saturating_sub(1);
    let (x, y) = grid.middle(file, rank);
    let (other_x, other_y) = grid.middle(file.saturating_add(far), rank.saturating_add(far));
    (x.min(other_x) - UNIT / 2, y.min(other_y) - UNIT / 2, i32::from(size) * UNIT)
}

fn territory(list: &mut List, grid: &Grid, block: &Block) {
    let (left, top, size) = corner(grid, block.file, block.rank, block.size);
    let [fill, edge, mark] = pieces::inks(block.side);
    let fill = if block.region { Ink::Region } else { fill };
    list.shape(Shape::filled(Path::rounded(left + 6, top + 6, size - 12, size - 12, 8), fill).edged(edge, 4));
    if block.controlled {
        list.shape(Shape::drawn(Path::rounded(left + 13, top + 13, size - 26, size - 26, 5), mark, 3));
    }
    let text = if block.region { Ink::Text } else { mark };
    let height = if block.size == 1 { 26 } else { 34 };
    list.text(&block.height().to_string(), (left + 24, top + 24), Hand::new(height, text).bold());
    // As many tokens as there is room for, from the top of the stack.
    let rows = Rows::of(size, height);
    let room = usize::try_from(rows.across * rows.down).unwrap_or(0);
    let all = block.height();
    let shown = if all > room { room.saturating_sub(1) } else { all };
    for (token, nth) in block.tokens.iter().rev().take(shown).zip(0..) {
        let (x, y) = rows.middle(nth);
        draw_token(list, *token, (left + x, top + y), rows.radius, text);
    }
    if all > shown {
        let nth = i32::try_from(shown).unwrap_or(0);
        let (x, y) = rows.middle(nth);
        let mut dots = Path::circle(left + x - 5, top + y + 5, 3);
        dots.add(&Path::circle(left + x + 4, top + y + 5, 3));
        list.shape(Shape::filled(dots, text));
    }
}

/// Draws a token: filled if everybody can see it, an outline if only the viewer can, a question mark if it is sealed.
fn draw_token(list: &mut List, token: Token, (x, y): (i32, i32), radius: i32, ink: Ink) {
    match pieces::token(token.letter, x, y, radius) {
        Some(path) if token.sealed => list.shape(Shape::drawn(path, ink, 3)),
        Some(path) => list.shape(Shape::filled(path, ink)),
        None => list.text("?", (x, y - 9 * radius / 10), Hand::new(18 * radius / 10, ink).middle().bold()),
    }
}

/// Explains the shapes below the board.
fn key(list: &mut List, board: &Blocks) {
    let mut seen: Vec<Token> = Vec::new();
    for token in board.blocks.iter().flat_map(|block| &block.tokens) {
        let token = Token { sealed: token.letter.is_none(), ..*token };
        if !seen.contains(&token) {
            seen.push(token);
        }
    }
    seen.sort_unstable_by_key(|token| (token.sealed, token.name));
    let hand = Hand::new(18, Ink::Text);
    let (mut x, mut y) = (MARGIN + 14, list.height + 12);
    for token in seen {
        draw_token(list, token, (x, y), 10, Ink::Text);
        let name = if token.sealed { "sealed" } else { token.name };
        list.text(name, (x + 18, y - 9), hand);
        x += 18 + hand.width(name) + 40;
    }
    let control = "double line: controlled";
    if x + hand.width(control) > list.width - 10 {
        (x, y) = (MARGIN, y + 32);
    }
    list.text(control, (x, y - 9), hand);
    list.height = y + 22;
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::scene::Board;
    use postrider_kernel::{Side, SideName};

    /// Where a territory of this size with so many tokens is drawn, and everything that is drawn in the ink of its tokens.
    fn drawn(size: u8, count: usize, letter: Option<char>) -> ([i32; 4], Vec<[i32; 4]>) {
        let token = Token { letter, name: "advocate", sealed: letter.is_none() };
        let block = Block {
            file: 0,
            rank: 0,
            size,
            side: Side::Second,
            tokens: vec![token; count],
            below: 0,
            controlled: true,
            short: 0,
            region: false,
        };
        let blocks = Blocks { files: 8, ranks: 8, blocks: vec![block.clone()] };
        let sides = [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }];
        let scene = Scene::of(sides, Board::Blocks(blocks.clone()));
        let mut list = List::default();
        draw(&mut list, &blocks, &scene, false);
        let (left, top, width) = corner(&Grid::new(8, 8, false), 0, 0, size);
        let mut found = Vec::new();
        for placed in &list.items {
            for shape in list.shapes(placed) {
                let is_inside = shape.fill == Some(Ink::SecondMark)
                    || shape.lettering.is_some() && shape.stroke.is_some_and(|stroke| stroke.ink == Ink::SecondMark);
                if let Some(bounds) = shape.scaled(placed.scale).placed(placed.at).path.bounds().filter(|_| is_inside) {
                    found.push(bounds);
                }
            }
        }
        ([left, top, left + width, top + width], found)
    }

    #[test]
    fn tokens_and_their_number_stay_within_the_border_of_their_territory() {
        for size in [1, 2, 4] {
            for (count, letter) in (1..=180).zip([Some('A'), Some('D'), Some('I'), None].into_iter().cycle()) {
                let ([left, top, right, bottom], found) = drawn(size, count, letter);
                assert!(found.len() >= 2, "{size} {count}");
                // The second line is 13 units within, and three wide.
                for [l, t, r, b] in found {
                    let room = [l - left, t - top, right - r, bottom - b];
                    assert!(room.iter().all(|room| *room >= 17), "{count} tokens on {size}: {room:?}");
                }
            }
        }
    }
}
