//! The display list: what a picture consists of, before it is written as SVG or as pixels.
//!
//! Everything is a path in whole units, a hundred to the square of a board, so a picture is the same on every machine.

/// What something is painted with; the look decides which colour that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// The background.
    Paper,
    /// The lighter squares, and fields.
    Light,
    /// The darker squares.
    Dark,
    /// The marked region of a board.
    Region,
    /// Lines of a board.
    Line,
    Text,
    /// The first side's pieces, their outline, and what is drawn within.
    First,
    /// See [`Ink::First`].
    FirstEdge,
    /// See [`Ink::First`].
    FirstMark,
    /// The second side's pieces, their outline, and what is drawn within.
    Second,
    /// See [`Ink::Second`].
    SecondEdge,
    /// See [`Ink::Second`].
    SecondMark,
    /// What the last entry did, and wounds.
    Mark,
}

impl Ink {
    /// All inks.
    pub const ALL: [Self; 13] = [
        Self::Paper,
        Self::Light,
        Self::Dark,
        Self::Region,
        Self::Line,
        Self::Text,
        Self::First,
        Self::FirstEdge,
        Self::FirstMark,
        Self::Second,
        Self::SecondEdge,
        Self::SecondMark,
        Self::Mark,
    ];
}

/// A step of a path; all points are absolute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Starts a new subpath at a point.
    Move(i32, i32),
    /// A straight line to a point.
    Line(i32, i32),
    /// A quadratic curve: control point and end point.
    Quad(i32, i32, i32, i32),
    /// A cubic curve: two control points and end point.
    Cubic(i32, i32, i32, i32, i32, i32),
    /// Closes the subpath.
    Close,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// Reads a path written with the letters `M L H V Q C Z` and whole numbers, as in SVG; it ends at anything that
    /// does not fit.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut path = Self::default();
        path.add_read(text, 0);
        path
    }

    /// Adds the path in a text, moved to the right by `dx`.
    pub(super) fn add_read(&mut self, text: &str, dx: i32) {
        let mut rest = text.trim_start();
        let (mut x, mut y) = (0, 0);
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(1..).unwrap_or_default();
            let step = match letter {
                'M' => numbers(&mut rest).map(|[x, y]| Step::Move(x, y)),
                'L' => numbers(&mut rest).map(|[x, y]| Step::Line(x, y)),
                'H' => numbers(&mut rest).map(|[x]| Step::Line(x, y)),
                'V' => numbers(&mut rest).map(|[y]| Step::Line(x, y)),
                'Q' => numbers(&mut rest).map(|[a, b, x, y]| Step::Quad(a, b, x, y)),
                'C' => numbers(&mut rest).map(|[a, b, c, d, x, y]| Step::Cubic(a, b, c, d, x, y)),
                'Z' => Some(Step::Close),
                _ => None,
            };
            let Some(step) = step else { break };
            if let Some(end) = step.end() {
                (x, y) = end;
            }
            self.0.push(step.moved(dx, 0));
            rest = rest.trim_start();
        }
    }

    #[must_use]
    pub fn circle(x: i32, y: i32, r: i32) -> Self {
        // The distance of the control points, 0.5523 of the radius, makes the curve rounder than anyone can see.
        let k = (r * 5523 + 5000) / 10_000;
        Self(vec![
            Step::Move(x, y - r),
            Step::Cubic(x + k, y - r, x + r, y - k, x + r, y),
            Step::Cubic(x + r, y + k, x + k, y + r, x, y + r),
            Step::Cubic(x - k, y + r, x - r, y + k, x - r, y),
            Step::Cubic(x - r, y - k, x - k, y - r, x, y - r),
            Step::Close,
        ])
    }

    /// Returns a rectangle given its upper left corner and size.
    #[must_use]
    pub(crate) fn rect(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self(vec![
            Step::Move(x, y),
            Step::Line(x + width, y),
            Step::Line(x + width, y + height),
            Step::Line(x, y + height),
            Step::Close,
        ])
    }

    /// Returns a rectangle with rounded corners.
    #[must_use]
    pub(crate) fn rounded(x: i32, y: i32, width: i32, height: i32, r: i32) -> Self {
        let (right, bottom) = (x + width, y + height);
        Self(vec![
            Step::Move(x + r, y),
            Step::Line(right - r, y),
            Step::Quad(right, y, right, y + r),
            Step::Line(right, bottom - r),
            Step::Quad(right, bottom, right - r, bottom),
            Step::Line(x + r, bottom),
            Step::Quad(x, bottom, x, bottom - r),
            Step::Line(x, y + r),
            Step::Quad(x, y, x + r, y),
            Step::Close,
        ])
    }

    #[must_use]
    pub fn line(from: (i32, i32), to: (i32, i32)) -> Self {
        Self(vec![Step::Move(from.0, from.1), Step::Line(to.0, to.1)])
    }

    /// Adds another path.
    pub fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Returns the path moved by `dx` and `dy`.
    #[must_use]
    pub fn moved(&self, dx: i32, dy: i32) -> Self {
        Self(self.0.iter().map(|step| step.moved(dx, dy)).collect())
    }

    /// Returns the path scaled by `scale` per cent, rounded to whole units.
    fn scaled(&self, scale: i32) -> Self {
        let at = |value: i32| (value * scale + 50).div_euclid(100);
        let step = |step: &Step| match *step {
            Step::Move(x, y) => Step::Move(at(x), at(y)),
            Step::Line(x, y) => Step::Line(at(x), at(y)),
            Step::Quad(a, b, x, y) => Step::Quad(at(a), at(b), at(x), at(y)),
            Step::Cubic(a, b, c, d, x, y) => Step::Cubic(at(a), at(b), at(c), at(d), at(x), at(y)),
            Step::Close => Step::Close,
        };
        Self(self.0.iter().map(step).collect())
    }

    /// Returns the minimum and maximum coordinates of all points, including control points.
    #[must_use]
    pub fn bounds(&self) -> Option<[i32; 4]> {
        let mut points = self.0.iter().flat_map(|step| step.points());
        let (x, y) = points.next()?;
        Some(points.fold([x, y, x, y], |[l, t, r, b], (x, y)| [l.min(x), t.min(y), r.max(x), b.max(y)]))
    }
}

impl Step {
    fn end(self) -> Option<(i32, i32)> {
        match self {
            Self::Move(x, y) | Self::Line(x, y) | Self::Quad(_, _, x, y) | Self::Cubic(_, _, _, _, x, y) => {
                Some((x, y))
            }
            Self::Close => None,
        }
    }

    fn points(self) -> impl Iterator<Item = (i32, i32)> {
        let (points, count) = match self {
            Self::Move(x, y) | Self::Line(x, y) => ([(x, y); 3], 1),
            Self::Quad(a, b, x, y) => ([(a, b), (x, y), (x, y)], 2),
            Self::Cubic(a, b, c, d, x, y) => ([(a, b), (c, d), (x, y)], 3),
            Self::Close => ([(0, 0); 3], 0),
        };
        points.into_iter().take(count)
    }

    fn moved(self, dx: i32, dy: i32) -> Self {
        match self {
            Self::Move(x, y) => Self::Move(x + dx, y + dy),
            Self::Line(x, y) => Self::Line(x + dx, y + dy),
            Self::Quad(a, b, x, y) => Self::Quad(a + dx, b + dy, x + dx, y + dy),
            Self::Cubic(a, b, c, d, x, y) => Self::Cubic(a + dx, b + dy, c + dx, d + dy, x + dx, y + dy),
            Self::Close => Self::Close,
        }
    }
}

/// Takes whole numbers off the front of a text; a sign separates two numbers as well.
fn numbers<const N: usize>(rest: &mut &str) -> Option<[i32; N]> {
    let mut list = [0; N];
    for place in &mut list {
        let text = rest.trim_start_matches([' ', ',']);
        let end = text.char_indices().find(|&(at, c)| !(c.is_ascii_digit() || at == 0 && c == '-'));
        let end = end.map_or(text.len(), |(at, _)| at);
        *place = text.get(..end)?.parse().ok()?;
        *rest = text.get(end..)?;
    }
    Some(list)
}

/// A line around or along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// The ink it is drawn with.
    pub ink: Ink,
    /// Its width in tenths of a unit.
    pub width: i32,
    /// The lengths of the dashes and of the gaps between them, in units.
    pub dash: Option<(i32, i32)>,
}

/// Where a text begins: at its left edge, its middle or its right edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At its left edge.
    Left,
    /// At its middle.
    Middle,
    /// At its right edge.
    Right,
}

/// The text that a path writes, for a reader that has letters of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lettering {
    pub text: String,
    /// The point on its base line at which it begins, by how it is aligned.
    pub at: (i32, i32),
    /// How high a capital is, in tenths of a unit.
    pub height: i32,
    /// How wide the whole is, in tenths of a unit.
    pub width: i32,
    /// Where it begins.
    pub align: Align,
    /// Whether its strokes are wide.
    pub bold: bool,
}

/// A path that is painted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub path: Path,
    /// What the path writes, if it is a text.
    pub lettering: Option<Box<Lettering>>,
    /// What it is filled with.
    pub fill: Option<Ink>,
    /// The line around it.
    pub stroke: Option<Stroke>,
}

impl Shape {
    /// Makes a filled path.
    #[must_use]
    pub const fn filled(path: Path, ink: Ink) -> Self {
        Self { path, lettering: None, fill: Some(ink), stroke: None }
    }

    /// Makes a path that is drawn as a line, `width` units wide.
    #[must_use]
    pub const fn drawn(path: Path, ink: Ink, width: i32) -> Self {
        Self { path, lettering: None, fill: None, stroke: Some(Stroke { ink, width: width * 10, dash: None }) }
    }

    /// Returns the shape scaled by `scale` per cent.
    pub(super) fn scaled(&self, scale: i32) -> Self {
        let at = |value: i32| (value * scale + 50).div_euclid(100);
        let stroke = self.stroke.map(|stroke| Stroke { width: at(stroke.width), ..stroke });
        let lettering = self.lettering.as_ref().map(|one| {
            let (x, y) = one.at;
            Box::new(Lettering { at: (at(x), at(y)), height: at(one.height), width: at(one.width), ..(**one).clone() })
        });
        Self { path: self.path.scaled(scale), lettering, fill: self.fill, stroke }
    }

    /// Returns the shape moved.
    pub(super) fn placed(mut self, (dx, dy): (i32, i32)) -> Self {
        self.path = self.path.moved(dx, dy);
        if let Some(lettering) = &mut self.lettering {
            lettering.at = (lettering.at.0 + dx, lettering.at.1 + dy);
        }
        self
    }

    /// Adds a line around the shape, `width` units wide.
    #[must_use]
    pub(crate) const fn edged(mut self, ink: Ink, width: i32) -> Self {
        self.stroke = Some(Stroke { ink, width: width * 10, dash: None });
        self
    }

    /// Makes the line dashed.
    #[must_use]
    pub fn dashed(mut self, dash: i32, gap: i32) -> Self {
        if let Some(stroke) = &mut self.stroke {
            stroke.dash = Some((dash, gap));
        }
        self
    }
}

/// A drawing that is used more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, which is unique in the picture.
    pub name: String,
    /// Its shapes, relative to its origin.
    pub shapes: Vec<Shape>,
}

/// What is at a place in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Shape(Shape),
    /// A symbol, by its index.
    Symbol(usize),
}

/// Something and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Where its origin is placed.
    pub at: (i32, i32),
    /// Its size, in per cent.
    pub scale: i32,
    /// By how many right angles it is turned clockwise.
    pub turn: u8,
    pub what: What,
}

/// An area of the picture that represents something with a name in entries: a square, a field, a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name in entries: `c4`, `AR`, `rifle-squad.2`.
    pub name: String,
    /// Left, top, width and height, in units.
    pub area: [i32; 4],
}

/// A display list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The width in units.
    pub width: i32,
    /// The height in units.
    pub height: i32,
    pub symbols: Vec<Symbol>,
    /// What is painted, from back to front.
    pub items: Vec<Placed>,
    /// The areas that can be pointed at; one that is on top comes later.
    pub targets: Vec<Target>,
}

impl List {
    /// Adds an area with its name in entries.
    pub fn target(&mut self, name: &str, area: [i32; 4]) {
        self.targets.push(Target { name: name.to_owned(), area });
    }

    /// Moves everything down, to make room above it.
    pub(super) fn lower(&mut self, by: i32) {
        self.height += by;
        self.items.iter_mut().for_each(|placed| placed.at.1 += by);
        self.targets.iter_mut().for_each(|target| {
            let [_, top, ..] = &mut target.area;
            *top += by;
        });
    }

    /// Paints a shape.
    pub fn shape(&mut self, shape: Shape) {
        self.items.push(Placed { at: (0, 0), scale: 100, turn: 0, what: What::Shape(shape) });
    }

    /// Paints a symbol; if it has not been used yet, `make` draws it.
    pub fn symbol(&mut self, name: &str, at: (i32, i32), scale: i32, turn: u8, make: impl FnOnce() -> Vec<Shape>) {
        let known = self.symbols.iter().position(|symbol| symbol.name == name);
        let number = known.unwrap_or_else(|| {
            self.symbols.push(Symbol { name: name.to_owned(), shapes: make() });
            self.symbols.len() - 1
        });
        self.items.push(Placed { at, scale, turn, what: What::Symbol(number) });
    }

    /// Paints a part of the picture as a symbol made of everything that `draw` paints.
    pub fn part(&mut self, name: &str, at: (i32, i32), scale: i32, draw: impl FnOnce(&mut Self)) {
        let make = || {
            let mut part = Self::default();
            draw(&mut part);
            let mut shapes = Vec::new();
            for placed in &part.items {
                shapes.extend(part.shapes(placed).iter().map(|shape| shape.scaled(placed.scale).placed(placed.at)));
            }
            shapes
        };
        self.symbol(name, at, scale, 0, make);
    }

    /// Returns a text at its place, if something placed is a text and nothing else.
    #[must_use]
    pub fn lettered(&self, placed: &Placed) -> Option<Shape> {
        match self.shapes(placed) {
            [shape] if shape.lettering.is_some() && placed.turn.is_multiple_of(4) => {
                // Its outline would be for nothing.
                let shape = Shape { path: Path::default(), lettering: shape.lettering.clone(), ..*shape };
                Some(shape.scaled(placed.scale).placed(placed.at))
            }
            _ => None,
        }
    }

    /// Returns the shapes of something placed.
    #[must_use]
    pub fn shapes<'a>(&'a self, placed: &'a Placed) -> &'a [Shape] {
        match &placed.what {
            What::Shape(shape) => std::slice::from_ref(shape),
            What::Symbol(number) => self.symbols.get(*number).map_or(&[], |symbol| &symbol.shapes),
        }
    }
}
