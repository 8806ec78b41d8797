//! Boards rotated by 180°, so that the second side, which sits at the top, sees its own side at the bottom.

use super::{Block, Blocks, Board, Brick, Cell, Cells, Line, Point, Points, Toward};

impl Board {
    /// Returns the board rotated by 180°. Its places are then those in the drawing: what was on a1 is now in the last
    /// file of the last rank, so callers that show names of places have to turn the names too.
    #[must_use]
    pub fn turned(&self) -> Self {
        match self {
            Self::Points(board) => Self::Points(points(board)),
            Self::Cells(board) => Self::Cells(cells(board)),
            Self::Blocks(board) => Self::Blocks(blocks(board)),
            Self::Bricks(bricks) => Self::Bricks(turned_bricks(bricks)),
        }
    }
}

/// Returns the place at the same distance from the other end.
fn across(count: u8, place: u8) -> u8 {
    count.saturating_sub(1).saturating_sub(place)
}

fn points(board: &Points) -> Points {
    let place = |(file, rank): (u8, u8)| (across(board.files, file), across(board.ranks, rank));
    let point = |point: &Point| {
        let (file, rank) = place((point.file, point.rank));
        Point { file, rank, ..point.clone() }
    };
    let line = |line: &Line| Line { from: place(line.from), to: place(line.to), ..*line };
    Points { points: board.points.iter().map(point).collect(), lines: board.lines.iter().map(line).collect(), ..*board }
}

fn cells(board: &Cells) -> Cells {
    let cell = |cell: &Cell| Cell {
        file: across(board.files, cell.file),
        rank: across(board.ranks, cell.rank),
        toward: cell.toward.map(opposite),
        ..cell.clone()
    };
    Cells { cells: board.cells.iter().map(cell).collect(), ..*board }
}

fn opposite(toward: Toward) -> Toward {
    match toward {
        Toward::North => Toward::South,
        Toward::East => Toward::West,
        Toward::South => Toward::North,
        Toward::West => Toward::East,
    }
}

fn blocks(board: &Blocks) -> Blocks {
    // A block is named after its lower left square, which becomes the upper right one when the board is turned.
    let place = |count: u8, place: u8, size: u8| count.saturating_sub(place).saturating_sub(size);
    let block = |block: &Block| Block {
        file: place(board.files, block.file, block.size),
        rank: place(board.ranks, block.rank, block.size),
        ..block.clone()
    };
    Blocks { blocks: board.blocks.iter().map(block).collect(), ..*board }
}

fn turned_bricks(bricks: &[Brick]) -> Vec<Brick> {
    let last = |of: fn(&Brick) -> u8| bricks.iter().map(of).max().unwrap_or(0);
    let (row, column) = (last(|brick| brick.row), last(|brick| brick.column));
    let turn = |brick: &Brick| Brick {
        row: row.saturating_sub(brick.row),
        column: column.saturating_sub(brick.column),
        ..brick.clone()
    };
    // In the order of the drawing, from the top left.
    bricks.iter().rev().map(turn).collect()
}
