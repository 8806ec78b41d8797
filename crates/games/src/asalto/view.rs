//! What is to be drawn; it is the same for every viewer, because nothing is hidden in this game.

use super::board::{DOTTED, FORTRESS, LINES, Point, points};
use super::{Asalto, BESIEGERS, DEFENDERS, Huff};
use postrider_kernel::Game as _;
use postrider_kernel::scene::{Board, Face, Item, Line, Piece, Points, Scene, Shelf};
use postrider_kernel::text::counted;

const BESIEGER: Piece = Piece { kind: "besieger", name: "besieger", letter: 'B', sign: '●', side: BESIEGERS };
const DEFENDER: Piece = Piece { kind: "defender", name: "defender", letter: 'D', sign: '◆', side: DEFENDERS };

fn shelf(title: &'static str, piece: Piece, count: u32, text: String) -> Shelf {
    let items = if count > 0 { vec![Item { face: Face::Piece(piece), count }] } else { Vec::new() };
    Shelf { title, side: piece.side, items, hidden: 0, text }
}

impl Asalto {
    pub(super) fn scene(&self) -> Scene {
        let at = |point: Point| postrider_kernel::scene::Point {
            file: point.file(),
            rank: point.rank(),
            piece: match point.set() {
                set if self.besiegers & set != 0 => Some(BESIEGER),
                set if self.defenders & set != 0 => Some(DEFENDER),
                _ => None,
            },
            region: FORTRESS & point.set() != 0,
        };
        // One end of each line is enough: north, north-east, east and south-east.
        let lines = (0..4).flat_map(|direction| {
            points(LINES[direction]).map(move |from| {
                let to = Point::first(super::board::shifted(from.set(), direction));
                Line {
                    from: (from.file(), from.rank()),
                    to: (to.file(), to.rank()),
                    dotted: DOTTED[direction] & from.set() != 0,
                }
            })
        });
        let board = Points {
            files: 7,
            ranks: 7,
            points: points(super::board::BOARD).map(at).collect(),
            lines: lines.collect(),
        };
        let captured = 24 - self.besiegers.count_ones();
        let so_many = counted(captured.into(), "besieger", "besiegers");
        let text = format!("{so_many} ({} win)", self.rules.captures);
        let mut shelves = vec![shelf("captured", BESIEGER, captured, text)];
        if !self.placing {
            let huffed = 2_u32.saturating_sub(self.defenders.count_ones());
            shelves.push(shelf("huffed", DEFENDER, huffed, format!("{huffed} of 2 defenders")));
        }
        let mut captions = Vec::new();
        if self.rules.huff == Huff::Claim && self.culprits != 0 {
            let names: Vec<_> = super::board::in_order(self.culprits).iter().map(Point::to_string).collect();
            captions.push(("may be huffed", names.join(" or ")));
        }
        let legend = vec![
            ("B", "●", "besieger"),
            ("D", "◆", "defender"),
            ("o", "◇", "free point of the fortress"),
            ("+", "·", "free point outside"),
            ("...", "┄┄┄", "dotted line, the defenders' only"),
        ];
        Scene { shelves, captions, legend, ..Scene::of(Self::INFO.sides, Board::Points(board)) }
    }
}
