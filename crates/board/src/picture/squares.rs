//! Boards of points and boards of squares.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape, Step};
use super::pieces;
use postrider_kernel::scene::{Cell, Cells, Piece, Points, Scene, Toward, Trace, Wound, square};

/// The distance from one point or square to the next.
pub(super) const UNIT: i32 = 100;
/// The margin for coordinates.
pub(super) const MARGIN: i32 = 44;

/// Where the squares of a board are in a picture.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub files: u8,
    pub ranks: u8,
    pub turned: bool,
    /// The upper left corner of the upper left square.
    pub left: i32,
    pub top: i32,
}

impl Grid {
    pub(super) fn new(files: u8, ranks: u8, turned: bool) -> Self {
        Self { files, ranks, turned, left: Self::beside(files) / 2 + 10, top: 10 }
    }

    /// The left and right margins together. With this value, a picture 720 pixels wide has a whole number of pixels per
    /// square, so identical pieces are identical pixel for pixel and compress well.
    fn beside(files: u8) -> i32 {
        if files > 6 { UNIT } else { 120 }
    }

    /// The middle of a square.
    pub(super) fn middle(&self, file: u8, rank: u8) -> (i32, i32) {
        let (last_file, last_rank) = (self.files.saturating_sub(1), self.ranks.saturating_sub(1));
        let column = if self.turned { last_file.saturating_sub(file) } else { file };
        let row = if self.turned { rank } else { last_rank.saturating_sub(rank) };
        (self.left + i32::from(column) * UNIT + UNIT / 2, self.top + i32::from(row) * UNIT + UNIT / 2)
    }

    /// The square with this name.
    pub(super) fn named(&self, name: &str) -> Option<(u8, u8)> {
        (0..self.files)
            .flat_map(|file| (0..self.ranks).map(move |rank| (file, rank)))
            .find(|(file, rank)| square(*file, *rank) == name)
    }

    /// Writes letters below the board and numbers to its left.
    pub(super) fn coordinates(&self, list: &mut List, below: i32) {
        let hand = Hand::new(22, Ink::Text).middle();
        for file in 0..self.files {
            let (x, _) = self.middle(file, 0);
            list.text(&char::from(b'a'.saturating_add(file)).to_string(), (x, below), hand);
        }
        for (file, rank) in (0..self.files).flat_map(|file| (0..self.ranks).map(move |rank| (file, rank))) {
            let (x, y) = self.middle(file, rank);
            list.target(&square(file, rank), [x - UNIT / 2, y - UNIT / 2, UNIT, UNIT]);
        }
        for rank in 0..self.ranks {
            let (_, y) = self.middle(0, rank);
            list.text(&rank.saturating_add(1).to_string(), (self.left - 26, y - 11), hand);
        }
    }
}

/// A board of points joined by lines.
pub(super) fn points(list: &mut List, board: &Points, scene: &Scene, turned: bool) {
    let grid = Grid::new(board.files, board.ranks, turned);
    let (across, down) = (i32::from(board.files) * UNIT, i32::from(board.ranks) * UNIT);
    list.width = across + Grid::beside(board.files);
    list.height = grid.top + down + MARGIN;
    // A region of points is tinted as the rectangle around it.
    let marked = board.points.iter().filter(|point| point.region).map(|point| grid.middle(point.file, point.rank));
    let around = marked.fold(None, |around: Option<[i32; 4]>, (x, y)| {
        Some(around.map_or([x, y, x, y], |[l, t, r, b]| [l.min(x), t.min(y), r.max(x), b.max(y)]))
    });
    if let Some([l, t, r, b]) = around {
        list.shape(Shape::filled(Path::rounded(l - 46, t - 46, r - l + 92, b - t + 92, 18), Ink::Dark));
    }
    let (mut solid, mut dotted) = (Path::default(), Path::default());
    for line in &board.lines {
        let path = Path::line(grid.middle(line.from.0, line.from.1), grid.middle(line.to.0, line.to.1));
        if line.dotted { dotted.add(&path) } else { solid.add(&path) }
    }
    if !dotted.0.is_empty() {
        list.shape(Shape::drawn(dotted, Ink::Line, 4).dashed(1, 11));
    }
    if !solid.0.is_empty() {
        list.shape(Shape::drawn(solid, Ink::Line, 4));
    }
    let mut free = Path::default();
    // The points below pieces too, although they are hidden: that way it is one shape for all positions.
    for point in &board.points {
        let (x, y) = grid.middle(point.file, point.rank);
        free.add(&Path::circle(x, y, 7));
    }
    list.shape(Shape::filled(free, Ink::Line));
    for point in &board.points {
        if let Some(piece) = point.piece {
            put(list, piece, grid.middle(point.file, point.rank), 82, 0);
        }
    }
    for mark in &scene.marks {
        let Some((file, rank)) = grid.named(&mark.place) else { continue };
        let (x, y) = grid.middle(file, rank);
        let ring = Shape::drawn(Path::circle(x, y, 43), Ink::Mark, 6);
        match mark.trace {
            Trace::From => list.shape(ring.dashed(9, 13)),
            Trace::To => list.shape(ring),
            Trace::Taken => list.shape(Shape::drawn(cross(x, y, 24), Ink::Mark, 8)),
        }
    }
    grid.coordinates(list, grid.top + down + 12);
}

/// A board of squares.
pub(super) fn cells(list: &mut List, board: &Cells, scene: &Scene, turned: bool) {
    let grid = Grid::new(board.files, board.ranks, turned);
    ground(list, &grid);
    let mut hatched = Path::default();
    for cell in board.cells.iter().filter(|cell| cell.region) {
        let (x, y) = grid.middle(cell.file, cell.rank);
        for step in [-30, -10, 10, 30] {
            let reach = 46 - i32::abs(step) / 2;
            hatched.add(&Path::line(
                (x + step - reach / 2, y + step + reach / 2),
                (x + step + reach / 2, y + step - reach / 2),
            ));
        }
    }
    if !hatched.0.is_empty() {
        list.shape(Shape::drawn(hatched, Ink::Region, 6));
    }
    for cell in &board.cells {
        stand(list, cell, grid.middle(cell.file, cell.rank), turned);
    }
    squares_marked(list, &grid, scene);
}

/// The squares of a board, its edge and its coordinates.
pub(super) fn ground(list: &mut List, grid: &Grid) {
    let (across, down) = (i32::from(grid.files) * UNIT, i32::from(grid.ranks) * UNIT);
    list.width = across + Grid::beside(grid.files);
    list.height = grid.top + down + MARGIN;
    list.shape(Shape::filled(Path::rect(grid.left, grid.top, across, down), Ink::Light));
    let mut dark = Path::default();
    for file in 0..grid.files {
        for rank in (0..grid.ranks).filter(|rank| (file + rank) % 2 == 0) {
            let (x, y) = grid.middle(file, rank);
            dark.add(&Path::rect(x - UNIT / 2, y - UNIT / 2, UNIT, UNIT));
        }
    }
    list.shape(Shape::filled(dark, Ink::Dark));
    list.shape(Shape::drawn(Path::rect(grid.left, grid.top, across, down), Ink::Line, 4));
    grid.coordinates(list, grid.top + down + 12);
}

/// Draws what is on a square and what flies above it.
fn stand(list: &mut List, cell: &Cell, (x, y): (i32, i32), turned: bool) {
    if let Some((challenger, wound)) = cell.challenger {
        // The challenger is at the lower left, the challenged piece at the upper right.
        list.shape(Shape::drawn(Path::line((x - 38, y - 38), (x + 38, y + 38)), Ink::Line, 3).dashed(5, 9));
        put(list, challenger, (x - 23, y + 22), 52, 0);
        notches(list, wound, (x - 23, y + 22), 52);
        if let Some(piece) = cell.piece {
            put(list, piece, (x + 23, y - 22), 52, 0);
            notches(list, cell.wound, (x + 23, y - 22), 52);
        }
        return;
    }
    if let Some(piece) = cell.piece {
        let turn = cell.toward.map_or(0, |toward| quarter(toward, turned));
        put(list, piece, (x, y), 88, turn);
        notches(list, cell.wound, (x, y), 88);
        if cell.promoted {
            let bar = Path::rounded(x - 30, y + 36, 60, 11, 4);
            list.shape(Shape::filled(bar, Ink::SecondMark).edged(Ink::FirstEdge, 4));
            list.shape(Shape::drawn(Path::line((x - 18, y + 41), (x + 18, y + 41)), Ink::Mark, 5));
        }
        // Where a Portal's gate is, whichever way it faces.
        let (gate_x, gate_y) = match turn {
            0 => (x, y + 9),
            1 => (x - 9, y),
            2 => (x, y - 9),
            _ => (x + 9, y),
        };
        match cell.aboard.as_slice() {
            [] => {}
            [one] => put(list, *one, (gate_x, gate_y), 40, if turned { 2 } else { 0 }),
            several => {
                for (fighter, dx) in several.iter().zip([-9, 9, 0]) {
                    put(list, *fighter, (gate_x + dx, gate_y), 28, if turned { 2 } else { 0 });
                }
            }
        }
    }
    for (fighter, nth) in cell.above.iter().zip(0..) {
        let (x, y) = (x + 22 - nth * 34, y - 22);
        list.shape(Shape::filled(Path::circle(x + 5, y + 8, 22), Ink::Line));
        put(list, *fighter, (x, y), 58, if turned { 2 } else { 0 });
    }
}

const fn quarter(toward: Toward, turned: bool) -> u8 {
    let turn = match toward {
        Toward::North => 0,
        Toward::East => 1,
        Toward::South => 2,
        Toward::West => 3,
    };
    if turned { (turn + 2) % 4 } else { turn }
}

/// Draws a piece at a place.
pub(super) fn put(list: &mut List, piece: Piece, at: (i32, i32), scale: i32, turn: u8) {
    list.symbol(&pieces::symbol(piece), at, scale, turn, || pieces::piece(piece));
}

/// Draws a wound as notches in the right side of a piece: one for a slight wound, two for a severe one, one of them
/// closed if it is half healed.
fn notches(list: &mut List, wound: Option<Wound>, (x, y): (i32, i32), scale: i32) {
    let Some(wound) = wound else { return };
    let open: &[bool] = match wound {
        Wound::Slight => &[true],
        Wound::Severe => &[true, true],
        Wound::HalfHealed => &[true, false],
    };
    for (is_open, dy) in open.iter().zip([4, -22]) {
        let at = |dx: i32, dy: i32| (x + dx * scale / 100, y + dy * scale / 100);
        let ((tip_x, tip_y), (a_x, a_y), (b_x, b_y)) = (at(8, dy), at(46, dy - 13), at(46, dy + 13));
        let path = Path(vec![Step::Move(tip_x, tip_y), Step::Line(a_x, a_y), Step::Line(b_x, b_y), Step::Close]);
        let fill = if *is_open { Ink::Mark } else { Ink::Light };
        list.shape(Shape::filled(path, fill).edged(Ink::FirstEdge, 3));
    }
}

/// Marks what the last entry did on a board of squares.
pub(super) fn squares_marked(list: &mut List, grid: &Grid, scene: &Scene) {
    for mark in &scene.marks {
        let Some((file, rank)) = grid.named(&mark.place) else { continue };
        let (x, y) = grid.middle(file, rank);
        let frame = Shape::drawn(Path::rounded(x - 45, y - 45, 90, 90, 12), Ink::Mark, 6);
        match mark.trace {
            Trace::From => list.shape(frame.dashed(11, 14)),
            Trace::To => list.shape(frame),
            // Beside what is there now.
            Trace::Taken => list.shape(Shape::drawn(cross(x - 29, y - 29, 9), Ink::Mark, 7)),
        }
    }
}

pub(super) fn cross(x: i32, y: i32, r: i32) -> Path {
    let mut path = Path::line((x - r, y - r), (x + r, y + r));
    path.add(&Path::line((x + r, y - r), (x - r, y + r)));
    path
}
