//! What is to be drawn; it is the same for every viewer, because nothing is hidden in this game.

use super::board::{Facing, Set, Square, squares};
use crate::assideum::position::state::{Assideum, BLACK, Kind, WHITE};
use postrider_kernel::scene::{Board, Cell, Cells, Piece, Scene, Toward};
use postrider_kernel::{Game as _, Side};

/// The Unicode sign of a kind by side.
const fn sign(kind: Kind, side: Side) -> char {
    match (kind, side) {
        (Kind::Commander, Side::First) => '♔',
        (Kind::Commander, Side::Second) => '♚',
        (Kind::Ranger, Side::First) => '△',
        (Kind::Ranger, Side::Second) => '▲',
        (Kind::Portal, Side::First) => '◇',
        (Kind::Portal, Side::Second) => '◆',
        (Kind::Cruiser, Side::First) => '♕',
        (Kind::Cruiser, Side::Second) => '♛',
        (Kind::Striker, Side::First) => '♖',
        (Kind::Striker, Side::Second) => '♜',
        (Kind::Vedrin, Side::First) => '♙',
        (Kind::Vedrin, Side::Second) => '♟',
        (Kind::Fighter, Side::First) => '☆',
        (Kind::Fighter, Side::Second) => '★',
    }
}

const fn drawing(kind: Kind) -> &'static str {
    match kind {
        Kind::Commander => "commander",
        Kind::Ranger => "ranger",
        Kind::Portal => "portal",
        Kind::Cruiser => "cruiser",
        Kind::Striker => "striker",
        Kind::Vedrin => "vedrin",
        Kind::Fighter => "fighter",
    }
}

const fn toward(facing: Facing) -> Toward {
    match facing {
        Facing::North => Toward::North,
        Facing::East => Toward::East,
        Facing::South => Toward::South,
        Facing::West => Toward::West,
    }
}

fn piece(kind: Kind, side: Side) -> Piece {
    Piece { kind: drawing(kind), name: kind.name(), letter: kind.letter(), sign: sign(kind, side), side }
}

impl Assideum {
    /// The board with a region marked, and who is in siege.
    pub(super) fn scene(&self, region: Set) -> Scene {
        let field = &self.field;
        let fighters = field.fighters(WHITE).set() | field.fighters(BLACK).set();
        let cells = squares(field.ground() | fighters | region).map(|at| self.cell(at, region)).collect();
        let mut captions = Vec::new();
        for (side, word) in [(WHITE, "white"), (BLACK, "black")] {
            if let Some((kind, at)) = field.besieger(side, self.rules.range) {
                captions.push(("in siege", format!("{word}, from the {} on {at}", kind.name())));
            }
        }
        if let Some(needed) = self.quiet.needed {
            captions.push(("quiet", format!("{} of {needed} entries", self.quiet.passed)));
        }
        let mut legend = vec![
            ("K k", "♔ ♚", "Commander"),
            ("R r", "△ ▲", "Ranger"),
            ("P p", "◇ ◆", "Portal"),
            ("C c", "♕ ♛", "Cruiser"),
            ("S s", "♖ ♜", "Striker"),
            ("V v", "♙ ♟", "Ved'rin"),
            ("!", "!", "promoted"),
            ("P^ p> Rv r<", "◇↑ ◆→ △↓ ▲←", "facing"),
            ("(F)", "(☆)", "landed Fighter"),
            ("~F ~f", "~☆ ~★", "flying Fighter"),
        ];
        if region != 0 {
            legend.push((":::", "░░░", "flight zone"));
        }
        let board = Board::Cells(Cells { files: 8, ranks: 8, cells });
        Scene { captions, legend, ..Scene::of(Self::INFO.sides, board) }
    }

    fn cell(&self, at: Square, region: Set) -> Cell {
        let field = &self.field;
        let kind = field.kind_at(at);
        let owner = field.owner(at);
        let fighters = |landed: bool| {
            Side::BOTH.into_iter().flat_map(move |side| {
                let is_landed = field.of(Kind::Portal, side) & at.set() != 0;
                let count = if is_landed == landed { field.fighters(side).on(at) } else { 0 };
                std::iter::repeat_n(piece(Kind::Fighter, side), count)
            })
        };
        Cell {
            file: at.file(),
            rank: at.rank(),
            piece: kind.zip(owner).map(|(kind, side)| piece(kind, side)),
            toward: kind.filter(|kind| kind.faces()).map(|_| toward(field.facing(at))),
            promoted: field.promoted() & at.set() != 0,
            wound: None,
            challenger: None,
            aboard: fighters(true).collect(),
            above: fighters(false).collect(),
            region: region & at.set() != 0,
        }
    }

    /// The zone that a player asks for: that of the Portal on a square, or all zones of a side.
    pub(super) fn zones_named(&self, what: &str) -> Option<Set> {
        let zones = |portals: Set| squares(portals).fold(0, |all, portal| all | self.field.zone(portal));
        let portals = |side| self.field.of(Kind::Portal, side);
        match what.as_bytes() {
            b"white" => Some(zones(portals(WHITE))),
            b"black" => Some(zones(portals(BLACK))),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                let at = Square::new(file - b'a', rank - b'1').set();
                ((portals(WHITE) | portals(BLACK)) & at != 0).then(|| zones(at))
            }
            _ => None,
        }
    }
}
