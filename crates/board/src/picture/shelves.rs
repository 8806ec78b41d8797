//! What is beside a board of points or squares: captured pieces and dice, and the names of the pieces.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use super::squares::{MARGIN, put};
use postrider_kernel::scene::{Board, Die, Face, Piece, Scene};

/// The height of a row below the board.
const ROW: i32 = 52;

pub(super) fn draw(list: &mut List, scene: &Scene) {
    let standing: Vec<&Piece> = match &scene.board {
        Board::Cells(board) => {
            let each = board.cells.iter().flat_map(|cell| {
                let challenger = cell.challenger.iter().map(|(piece, _)| piece);
                cell.piece.iter().chain(challenger).chain(&cell.aboard).chain(&cell.above)
            });
            each.collect()
        }
        Board::Points(board) => board.points.iter().filter_map(|point| point.piece.as_ref()).collect(),
        Board::Blocks(_) | Board::Bricks(_) => Vec::new(),
    };
    if !standing.is_empty() {
        let mut kinds: Vec<Piece> = Vec::new();
        for piece in standing {
            match kinds.iter_mut().find(|known| known.kind == piece.kind) {
                Some(known) if known.side > piece.side => *known = *piece,
                Some(_) => {}
                None => kinds.push(*piece),
            }
        }
        key(list, kinds);
    }
    for shelf in &scene.shelves {
        let y = list.height + ROW / 2 - 4;
        let hand = Hand::new(20, Ink::Text);
        list.text(shelf.title, (MARGIN, y - 10), hand);
        let mut x = MARGIN + hand.width(shelf.title) + 40;
        let room = list.width - x - 120;
        let count = shelf.items.iter().map(|item| item.count).sum::<u32>();
        let step = (room / i32::try_from(count.max(1)).unwrap_or(i32::MAX)).clamp(8, 40);
        for item in &shelf.items {
            let Face::Piece(piece) = item.face else { continue };
            for _ in 0..item.count.min(200) {
                put(list, piece, (x, y), 38, 0);
                x += step;
            }
        }
        list.text(&count.to_string(), (list.width - 60, y - 10), hand.bold());
        list.height += ROW;
    }
    if !scene.dice.is_empty() {
        dice(list, &scene.dice);
    }
}

/// Shows below the board which drawing is which piece.
fn key(list: &mut List, mut kinds: Vec<Piece>) {
    kinds.sort_unstable_by_key(|piece| piece.name);
    let hand = Hand::new(17, Ink::Text);
    let (mut x, mut y) = (MARGIN + 16, list.height + 18);
    for piece in kinds {
        let width = 26 + hand.width(piece.name) + 44;
        if x + width > list.width + 20 {
            (x, y) = (MARGIN + 16, y + 42);
        }
        list.symbol(&pieces::symbol(piece), (x, y), 36, 0, || pieces::piece(piece));
        list.text(piece.name, (x + 26, y - 8), hand);
        x += width;
    }
    list.height = y + 28;
}

/// Draws the dice of the last throw, each with the number thrown.
fn dice(list: &mut List, dice: &[Die]) {
    let hand = Hand::new(20, Ink::Text);
    let y = list.height + 36;
    list.text("thrown", (MARGIN, y - 10), hand);
    let mut x = MARGIN + hand.width("thrown") + 60;
    for die in dice {
        let [fill, edge, mark] = pieces::inks(die.side);
        list.shape(Shape::filled(Path::rounded(x - 30, y - 30, 60, 60, 12), fill).edged(edge, 4));
        list.text(&die.value.to_string(), (x, y - 15), Hand::new(30, mark).middle().bold());
        x += 84;
    }
    list.height += 76;
}
