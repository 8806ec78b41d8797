//! What an entry did, computed as the difference between two scenes, so that no game has to report it.

use super::{Board, Scene, square};
use crate::Side;

/// Something that the last entry did at a place on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The place: a square (`c4`), or the short name of a field.
    pub place: String,
    /// What happened there.
    pub trace: Trace,
}

/// What happened at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trace {
    /// Something left.
    From,
    /// Something was captured or removed.
    Taken,
    /// Something arrived or changed.
    To,
}

/// Something at a place: what it is, and the part of its state that can change without a move.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Thing {
    place: String,
    what: String,
    state: String,
}

impl Scene {
    /// Marks what changed since another scene of the same game, seen by the same viewer.
    pub fn mark_since(&mut self, before: &Self) {
        self.marks = match (&before.board, &self.board) {
            (Board::Blocks(_), Board::Blocks(_)) => stacks(before, self),
            _ => moved(before, self),
        };
    }
}

/// Marks for a board with moving pieces: a thing that vanished from one place and appeared at another has moved.
fn moved(before: &Scene, after: &Scene) -> Vec<Mark> {
    let (old, new) = (things(before), things(after));
    let mut gone: Vec<&Thing> = old.iter().collect();
    let mut come: Vec<&Thing> = Vec::new();
    let mut marks = Vec::new();
    let mut mark = |place: &str, trace| {
        let mark = Mark { place: place.to_owned(), trace };
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    };
    for thing in &new {
        match gone.iter().position(|old| old.place == thing.place && old.what == thing.what) {
            Some(at) => {
                if gone.swap_remove(at).state != thing.state {
                    mark(&thing.place, Trace::To);
                }
            }
            None => come.push(thing),
        }
    }
    for thing in come {
        if let Some(at) = gone.iter().position(|old| old.what == thing.what) {
            mark(&gone.swap_remove(at).place, Trace::From);
        }
        mark(&thing.place, Trace::To);
    }
    for thing in gone {
        mark(&thing.place, Trace::Taken);
    }
    marks.sort_by(|one, other| (one.trace, &one.place).cmp(&(other.trace, &other.place)));
    marks
}

/// Marks for a board of territories: a territory is marked if it has more tokens than before, or another owner or size.
fn stacks(before: &Scene, after: &Scene) -> Vec<Mark> {
    let (Board::Blocks(old), Board::Blocks(new)) = (&before.board, &after.board) else { return Vec::new() };
    let mut marks = Vec::new();
    for block in &new.blocks {
        let place = square(block.file, block.rank);
        let same = |other: &&super::Block| {
            (other.file, other.rank, other.size, other.side) == (block.file, block.rank, block.size, block.side)
        };
        let trace = match old.blocks.iter().find(same) {
            None => Trace::To,
            Some(other) if other.height() < block.height() => Trace::To,
            Some(other) if other.height() > block.height() => Trace::From,
            Some(other) if other.tokens != block.tokens => Trace::To,
            Some(_) => continue,
        };
        marks.push(Mark { place, trace });
    }
    for block in &old.blocks {
        let covers = |other: &super::Block| {
            (other.file..other.file.saturating_add(other.size)).contains(&block.file)
                && (other.rank..other.rank.saturating_add(other.size)).contains(&block.rank)
        };
        if !new.blocks.iter().any(covers) {
            marks.push(Mark { place: square(block.file, block.rank), trace: Trace::From });
        }
    }
    marks.sort_by(|one, other| (one.trace, &one.place).cmp(&(other.trace, &other.place)));
    marks
}

fn things(scene: &Scene) -> Vec<Thing> {
    let name = |side: Side, name: &str| format!("{side:?} {name}");
    match &scene.board {
        Board::Points(board) => {
            let taken = board.points.iter().filter_map(|point| Some((point, point.piece?)));
            taken
                .map(|(point, piece)| Thing {
                    place: square(point.file, point.rank),
                    what: name(piece.side, piece.kind),
                    state: String::new(),
                })
                .collect()
        }
        Board::Cells(board) => {
            let mut all = Vec::new();
            for cell in &board.cells {
                // A wound heals without anything being done on the square, so healing is not marked.
                let mut add = |piece: super::Piece, state: String| {
                    all.push(Thing { place: square(cell.file, cell.rank), what: name(piece.side, piece.kind), state });
                };
                if let Some(piece) = cell.piece {
                    add(piece, format!("{:?} {}", cell.toward, cell.promoted));
                }
                cell.challenger.iter().for_each(|(piece, _)| add(*piece, String::new()));
                cell.aboard.iter().for_each(|piece| add(*piece, "aboard".into()));
                cell.above.iter().for_each(|piece| add(*piece, "above".into()));
            }
            all
        }
        Board::Bricks(bricks) => {
            let units = bricks.iter().flat_map(|brick| brick.units.iter().map(move |unit| (brick, unit)));
            units
                .map(|(brick, unit)| Thing {
                    place: brick.code.clone(),
                    what: name(unit.side, &unit.name),
                    state: unit.damage.to_string(),
                })
                .collect()
        }
        Board::Blocks(_) => Vec::new(),
    }
}
