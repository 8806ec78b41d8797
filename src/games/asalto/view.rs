//! What is to be drawn: the same for every viewer, for nothing is hidden here.

use super::board::{DOTTED, FORTRESS, LINES, Point, points};
use super::{Asalto, BESIEGERS, DEFENDERS, Huff};
use crate::games::kernel::Side;
use crate::scene::{Board, Line, Piece, Points, Scene};

impl Asalto {
    pub(super) fn scene(&self) -> Scene {
        let piece = |letter, sign, side: Side| Some(Piece { letter, sign, side });
        let at = |point: Point| crate::scene::Point {
            file: point.file(),
            rank: point.rank(),
            piece: match point.set() {
                set if self.besiegers & set != 0 => piece('B', '●', BESIEGERS),
                set if self.defenders & set != 0 => piece('D', '◆', DEFENDERS),
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
        let mut captions = vec![("captured", format!("{captured} besiegers ({} win)", self.rules.captures))];
        if !self.placing {
            captions.push(("huffed", format!("{} of 2 defenders", 2 - self.defenders.count_ones())));
        }
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
        Scene { board: Board::Points(board), captions, legend }
    }
}
