//! Boards of territories with stacks of tokens.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use super::squares::{Grid, MARGIN, UNIT, cross, ground};
use crate::scene::{Block, Blocks, Scene, Token, Trace};

/// The distance from one token to the next.
const STEP: i32 = 27;

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
    list.text(&block.height().to_string(), (left + 20, top + 21), Hand::new(height, text).bold());
    // As many tokens as there is room for, from the top of the stack.
    let across = (size - 34) / STEP + 1;
    let down = if block.size == 1 { 1 } else { (size - 46 - height) / STEP };
    let room = usize::try_from(across * down).unwrap_or(0);
    let all = block.height();
    let shown = if all > room { room.saturating_sub(1) } else { all };
    for (token, nth) in block.tokens.iter().rev().take(shown).zip(0..) {
        let at = (left + 24 + nth % across * STEP, top + size - 28 - (down - 1 - nth / across) * STEP);
        draw_token(list, *token, at, text);
    }
    if all > shown {
        let nth = i32::try_from(shown).unwrap_or(0);
        let (x, y) = (left + 18 + nth % across * STEP, top + size - 28 - (down - 1 - nth / across) * STEP);
        let mut dots = Path::circle(x, y + 6, 3);
        dots.add(&Path::circle(x + 9, y + 6, 3));
        list.shape(Shape::filled(dots, text));
    }
}

/// Draws a token: filled if everybody can see it, an outline if only the viewer can, a question mark if it is sealed.
fn draw_token(list: &mut List, token: Token, (x, y): (i32, i32), ink: Ink) {
    match pieces::token(token.letter, x, y, 10) {
        Some(path) if token.sealed => list.shape(Shape::drawn(path, ink, 3)),
        Some(path) => list.shape(Shape::filled(path, ink)),
        None => list.text("?", (x, y - 9), Hand::new(18, ink).middle().bold()),
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
        draw_token(list, token, (x, y), Ink::Text);
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
