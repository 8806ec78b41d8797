//! The drawings of the pieces, made for this program. Each is centred on its origin and fits a circle with a radius of
//! 46 units; what can be turned faces up.

use super::list::{Ink, Path, Shape};
use postrider_kernel::Side;
use postrider_kernel::scene::{Class, Piece};

/// Returns the inks of a side: for the fill of its pieces, their outline, and the details inside.
#[must_use]
pub(crate) const fn inks(side: Side) -> [Ink; 3] {
    match side {
        Side::First => [Ink::First, Ink::FirstEdge, Ink::FirstMark],
        Side::Second => [Ink::Second, Ink::SecondEdge, Ink::SecondMark],
    }
}

/// The outline of a kind of piece, and the lines inside it.
fn drawing(kind: &str) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        "defender" => ("M0 -42L42 0L0 42L-42 0Z", "M-17 0H17M0 -17V17"),
        // assideum
        "commander" => ("M-30 36L-38 -16L-16 4L0 -36L16 4L38 -16L30 36Z", "M-20 22H20"),
        "ranger" => ("M0 -42L34 34L0 18L-34 34Z", "M0 -18V4"),
        "portal" => ("M0 -44L38 -12V38H-38V-12Z", ""),
        "cruiser" => ("M-42 2L-26 -12H-12V-32H16V-12H28L42 2L24 32H-24Z", "M-16 10H16"),
        "striker" => ("M-10 -40H10V-12H38V10H10V38H-10V10H-38V-12H-10Z", "M0 -24V24"),
        "vedrin" => {
            ("M-28 38Q-28 6 -8 -2Q-20 -8 -18 -22Q-14 -38 0 -38Q14 -38 18 -22Q20 -8 8 -2Q28 6 28 38Z", "M-10 22H10")
        }
        "fighter" => ("M0 -42L10 -12L42 14V26L11 18L9 30L20 40H-20L-9 30L-11 18L-42 26V14L-10 -12Z", "M0 -18V12"),
        // Assassyn's Dagger
        "prince" => ("M-26 38L-36 -10L-16 6L-6 -22Q-14 -40 0 -42Q14 -40 6 -22L16 6L36 -10L26 38Z", "M-16 24H16"),
        "warrior" => ("M0 42Q-38 22 -34 -34Q-16 -30 0 -40Q16 -30 34 -34Q38 22 0 42Z", "M-15 -14L15 16M15 -14L-15 16"),
        "longswordsman" => {
            ("M-30 38V26H-20V-8H-32V-36H-16V-24H-8V-36H8V-24H16V-36H32V-8H20V26H30V38Z", "M0 -8V24M-9 0H9")
        }
        "shortswordsman" => ("M-26 38V28H-14Q-34 4 0 -40Q34 4 14 28H26V38Z", "M-8 12L9 -10"),
        "assassin" => ("M-26 38Q-34 2 -16 -12Q-14 -40 0 -40Q14 -40 16 -12Q34 2 26 38Z", "M-8 -16H8M0 4V26"),
        _ => return None,
    })
}

/// Draws a piece.
#[must_use]
pub(crate) fn piece(piece: Piece) -> Vec<Shape> {
    let [fill, edge, mark] = inks(piece.side);
    if let Some((outline, within)) = drawing(piece.kind) {
        let mut shapes = vec![Shape::filled(Path::read(outline), fill).edged(edge, 4)];
        if piece.kind == "portal" {
            // The gate is a hole that shows what has landed in it.
            shapes.push(Shape::filled(Path::circle(0, 10, 21), Ink::Light).edged(mark, 4));
        }
        if !within.is_empty() {
            shapes.push(Shape::drawn(Path::read(within), mark, 7));
        }
        return shapes;
    }
    let mut shapes = vec![Shape::filled(Path::circle(0, 0, 34), fill).edged(edge, 4)];
    shapes.push(Shape::drawn(Path::circle(0, 0, 25), mark, 3));
    shapes.push(Shape::filled(Path::circle(0, 0, 10), mark));
    shapes
}

/// Returns the name of a piece's drawing in a picture.
#[must_use]
pub(crate) fn symbol(piece: Piece) -> String {
    format!("{}-{}", piece.kind, piece.side.index() + 1)
}

/// Returns the shape for a type of unit, with this radius: the circle, the diamond or the hexagon.
#[must_use]
pub(crate) fn class(class: Class, x: i32, y: i32, r: i32) -> Path {
    match class {
        Class::Standard => Path::circle(x, y, r * 9 / 10),
        Class::Elite => Path::read(&format!("M{x} {}L{} {y}L{x} {}L{} {y}Z", y - r, x + r, y + r, x - r)),
        Class::Colossal => {
            let (h, v) = (r * 11 / 10, r * 9 / 10);
            Path::read(&format!(
                "M{} {y}L{} {}H{}L{} {y}L{} {}H{}Z",
                x - h,
                x - h / 2,
                y - v,
                x + h / 2,
                x + h,
                x + h / 2,
                y + v,
                x - h / 2
            ))
        }
    }
}

/// Returns the shape for a kind of token, with this radius; `None` for an unknown kind, for which the caller draws a
/// question mark.
#[must_use]
pub(crate) fn token(letter: Option<char>, x: i32, y: i32, r: i32) -> Option<Path> {
    Some(match letter? {
        'A' => Path::read(&format!("M{x} {}L{} {}H{}Z", y - r, x + r, y + r * 8 / 10, x - r)),
        'I' => Path::rect(x - r * 8 / 10, y - r * 8 / 10, r * 16 / 10, r * 16 / 10),
        _ => Path::circle(x, y, r * 9 / 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [&str; 14] = [
        "besieger",
        "defender",
        "commander",
        "ranger",
        "portal",
        "cruiser",
        "striker",
        "vedrin",
        "fighter",
        "prince",
        "warrior",
        "longswordsman",
        "shortswordsman",
        "assassin",
    ];

    #[test]
    fn every_drawing_parses_completely_and_fits_its_square() {
        let mut seen = Vec::new();
        for kind in KINDS {
            let shapes = piece(Piece { kind, name: kind, letter: 'X', sign: 'X', side: Side::First });
            for shape in &shapes {
                let [left, top, right, bottom] = shape.path.bounds().expect("a path");
                assert!(left >= -46 && top >= -46 && right <= 46 && bottom <= 46, "{kind}");
            }
            if let Some((outline, within)) = drawing(kind) {
                for text in [outline, within] {
                    let letters = text.chars().filter(char::is_ascii_uppercase).count();
                    assert_eq!(Path::read(text).0.len(), letters, "{kind}: {text}");
                }
            }
            assert!(!seen.contains(&shapes), "{kind} looks like another");
            seen.push(shapes);
        }
    }
}
