//! An alphabet made of strokes, drawn for this program so that pictures need no fonts.
//!
//! Capitals are twelve units high with their baseline at y = 12; small letters begin at y = 4 and descend to y = 16.

use super::list::{Align, Ink, Lettering, List, Path, Shape, Stroke};

/// How high a capital is, in units of the alphabet.
const HEIGHT: i32 = 12;
/// The gap between two letters.
const GAP: i32 = 3;
/// The width of a stroke, in tenths of a unit.
const WEIGHT: i32 = 17;
/// The same for bold text.
const BOLD: i32 = 24;

/// The width of a letter and its strokes.
const fn glyph(letter: char) -> (i32, &'static str) {
    match letter {
        'A' => (8, "M0 12L4 0L8 12M2 8H6"),
        'B' => (8, "M0 6V0H4Q7 0 7 3Q7 6 4 6H0V12H4Q8 12 8 9Q8 6 4 6"),
        'C' => (8, "M8 2Q7 0 4 0Q0 0 0 6Q0 12 4 12Q7 12 8 10"),
        'D' => (8, "M0 0V12H3Q8 12 8 6Q8 0 3 0Z"),
        'E' => (7, "M7 0H0V12H7M0 6H6"),
        'F' => (7, "M7 0H0V12M0 6H6"),
        'G' => (8, "M8 2Q7 0 4 0Q0 0 0 6Q0 12 4 12Q8 12 8 8V7H5"),
        'H' => (8, "M0 0V12M8 0V12M0 6H8"),
        'I' => (2, "M1 0V12"),
        'J' => (6, "M6 0V9Q6 12 3 12Q0 12 0 9"),
        'K' => (8, "M0 0V12M8 0L0 7M3 5L8 12"),
        'L' => (7, "M0 0V12H7"),
        'M' => (10, "M0 12V0L5 8L10 0V12"),
        'N' => (8, "M0 12V0L8 12V0"),
        'O' => (9, "M4 0Q0 0 0 6Q0 12 4 12H5Q9 12 9 6Q9 0 5 0Z"),
        'P' => (8, "M0 12V0H4Q8 0 8 3Q8 7 4 7H0"),
        'Q' => (9, "M4 0Q0 0 0 6Q0 12 4 12H5Q9 12 9 6Q9 0 5 0ZM6 9L9 13"),
        'R' => (8, "M0 12V0H4Q8 0 8 3Q8 6 4 6H0M4 6L8 12"),
        'S' => (8, "M8 2Q7 0 4 0Q0 0 0 3Q0 6 4 6Q8 6 8 9Q8 12 4 12Q1 12 0 10"),
        'T' => (8, "M0 0H8M4 0V12"),
        'U' => (8, "M0 0V8Q0 12 4 12Q8 12 8 8V0"),
        'V' => (8, "M0 0L4 12L8 0"),
        'W' => (12, "M0 0L3 12L6 3L9 12L12 0"),
        'X' => (8, "M0 0L8 12M8 0L0 12"),
        'Y' => (8, "M0 0L4 6L8 0M4 6V12"),
        'Z' => (8, "M0 0H8L0 12H8"),
        'a' => (6, "M6 4V12M6 8Q6 4 3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8"),
        'b' => (6, "M0 0V12M0 8Q0 4 3 4Q6 4 6 8Q6 12 3 12Q0 12 0 8"),
        'c' => (6, "M6 5Q5 4 3 4Q0 4 0 8Q0 12 3 12Q5 12 6 11"),
        'd' => (6, "M6 0V12M6 8Q6 4 3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8"),
        'e' => (6, "M0 8H6Q6 4 3 4Q0 4 0 8Q0 12 3 12Q5 12 6 11"),
        'f' => (4, "M5 0Q2 0 2 3V12M0 4H4"),
        'g' => (6, "M6 4V13Q6 16 3 16Q1 16 0 15M6 8Q6 4 3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8"),
        'h' => (6, "M0 0V12M0 8Q0 4 3 4Q6 4 6 8V12"),
        'i' => (2, "M1 4V12M1 0V1"),
        'j' => (3, "M2 4V13Q2 16 0 16M2 0V1"),
        'k' => (6, "M0 0V12M6 4L0 9M2 7L6 12"),
        'l' => (2, "M1 0V12"),
        'm' => (10, "M0 4V12M0 7Q0 4 2 4Q5 4 5 7V12M5 7Q5 4 7 4Q10 4 10 7V12"),
        'n' => (6, "M0 4V12M0 8Q0 4 3 4Q6 4 6 8V12"),
        'o' => (6, "M3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8Q6 4 3 4Z"),
        'p' => (6, "M0 4V16M0 8Q0 4 3 4Q6 4 6 8Q6 12 3 12Q0 12 0 8"),
        'q' => (6, "M6 4V16M6 8Q6 4 3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8"),
        'r' => (4, "M0 4V12M0 8Q0 4 4 4"),
        's' => (5, "M5 5Q4 4 3 4Q0 4 0 6Q0 8 3 8Q5 8 5 10Q5 12 3 12Q1 12 0 11"),
        't' => (4, "M2 1V9Q2 12 5 12M0 4H4"),
        'u' => (6, "M0 4V8Q0 12 3 12Q6 12 6 8M6 4V12"),
        'v' => (6, "M0 4L3 12L6 4"),
        'w' => (8, "M0 4L2 12L4 5L6 12L8 4"),
        'x' => (6, "M0 4L6 12M6 4L0 12"),
        'y' => (6, "M0 4L3 12M6 4L3 12Q2 16 0 16"),
        'z' => (6, "M0 4H6L0 12H6"),
        '0' => (7, "M3 0Q0 0 0 6Q0 12 3 12H4Q7 12 7 6Q7 0 4 0Z"),
        '1' => (5, "M1 3L4 0V12"),
        '2' => (7, "M0 3Q0 0 4 0Q7 0 7 3Q7 6 0 12H7"),
        '3' => (7, "M0 1Q1 0 4 0Q7 0 7 3Q7 6 3 6Q7 6 7 9Q7 12 3 12Q1 12 0 11"),
        '4' => (8, "M6 12V0L0 9H8"),
        '5' => (7, "M7 0H1L0 6Q1 5 4 5Q7 5 7 8Q7 12 3 12Q1 12 0 11"),
        '6' => (7, "M6 1Q5 0 4 0Q0 0 0 8Q0 12 4 12Q7 12 7 9Q7 6 4 6Q0 6 0 9"),
        '7' => (7, "M0 0H7L2 12"),
        '8' => (8, "M4 6Q1 6 1 3Q1 0 4 0Q7 0 7 3Q7 6 4 6Q0 6 0 9Q0 12 4 12Q8 12 8 9Q8 6 4 6Z"),
        '9' => (7, "M7 3Q7 6 3 6Q0 6 0 3Q0 0 3 0Q7 0 7 4Q7 12 3 12Q2 12 1 11"),
        ' ' => (3, ""),
        '-' => (5, "M0 7H5"),
        '.' => (2, "M1 11V12"),
        ',' => (2, "M1 11L0 14"),
        ':' => (2, "M1 5V6M1 11V12"),
        '\'' => (2, "M1 0V3"),
        '(' => (3, "M3 0Q0 6 3 13"),
        ')' => (3, "M0 0Q3 6 0 13"),
        '/' => (6, "M0 12L6 0"),
        '+' => (6, "M0 7H6M3 4V10"),
        '*' => (6, "M3 2V8M0 3L6 7M6 3L0 7"),
        '!' => (2, "M1 0V8M1 11V12"),
        '<' => (6, "M6 3L0 7L6 11"),
        '>' => (6, "M0 3L6 7L0 11"),
        '=' => (6, "M0 5H6M0 9H6"),
        '~' => (8, "M0 8Q2 5 4 7Q6 9 8 6"),
        '×' => (6, "M0 5L6 11M6 5L0 11"),
        ';' => (2, "M1 5V6M1 11L0 14"),
        '"' => (4, "M0 0V3M4 0V3"),
        '_' => (7, "M0 13H7"),
        '&' => (9, "M9 12L1 4Q0 0 3 0Q6 0 6 3Q6 5 3 6Q0 7 0 9Q0 12 3 12Q7 12 8 7"),
        '@' => (11, "M7 4V8Q11 8 11 6Q11 0 6 0Q0 0 0 6Q0 12 6 12Q8 12 9 11M7 6Q7 4 5 4Q3 4 3 6Q3 8 5 8Q7 8 7 6"),
        '[' => (3, "M3 0H0V13H3"),
        ']' => (3, "M0 0H3V13H0"),
        'ß' => (6, "M0 12V3Q0 0 3 0Q6 0 6 2Q6 4 3 5Q6 6 6 9Q6 12 3 12"),
        'æ' => (10, "M5 4V12M5 8Q5 4 3 4Q0 4 0 8Q0 12 3 12Q5 12 5 8H10Q10 4 8 4Q5 4 5 8Q5 12 8 12Q10 12 10 11"),
        'Æ' => (12, "M12 0H6L0 12M6 0V12H12M2 8H6M6 6H11"),
        'œ' => (10, "M3 4Q0 4 0 8Q0 12 3 12Q5 12 5 8Q5 4 3 4M5 8H10Q10 4 8 4Q5 4 5 8Q5 12 8 12Q10 12 10 11"),
        'ø' => (6, "M3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8Q6 4 3 4ZM0 13L6 3"),
        'Ø' => (9, "M4 0Q0 0 0 6Q0 12 4 12H5Q9 12 9 6Q9 0 5 0ZM1 13L8 0"),
        'đ' => (6, "M6 0V12M6 8Q6 4 3 4Q0 4 0 8Q0 12 3 12Q6 12 6 8M3 2H7"),
        'ð' => (6, "M2 1Q6 3 6 8Q6 12 3 12Q0 12 0 8Q0 5 3 5Q5 5 6 7M2 4L5 1"),
        'ł' => (3, "M1 0V12M0 7L3 5"),
        'Ł' => (7, "M1 0V12H7M0 7L4 5"),
        'ı' => (2, "M1 4V12"),
        'þ' => (6, "M0 0V16M0 8Q0 4 3 4Q6 4 6 8Q6 12 3 12Q0 12 0 8"),
        '#' => (7, "M2 0L1 12M6 0L5 12M0 4H7M0 8H7"),
        _ => (7, UNKNOWN),
    }
}

/// A question mark, which also stands for every letter that is not in the alphabet.
const UNKNOWN: &str = "M0 3Q0 0 4 0Q7 0 7 3Q7 5 4 7V8M4 11V12";

/// The strokes of a mark over or under a letter, centred on x = 0 and above a small letter; `None` if it is not one.
const fn accent(mark: char) -> Option<&'static str> {
    Some(match mark {
        '\u{300}' => "M-2 0L1 2",
        '\u{301}' => "M2 0L-1 2",
        '\u{302}' => "M-3 2L0 0L3 2",
        '\u{303}' => "M-3 2Q-1 -1 0 1Q1 3 3 0",
        '\u{304}' => "M-3 1H3",
        '\u{306}' => "M-3 0Q0 4 3 0",
        '\u{307}' => "M0 0V1",
        '\u{308}' => "M-2 0V1M2 0V1",
        '\u{30a}' => "M0 -1Q-2 -1 -2 1Q-2 2 0 2Q2 2 2 1Q2 -1 0 -1",
        '\u{30b}' => "M0 0L-2 2M3 0L1 2",
        '\u{30c}' => "M-3 0L0 2L3 0",
        '\u{326}' | '\u{327}' | '\u{328}' => "M0 12Q2 14 -1 16",
        _ => return None,
    })
}

/// Returns whether the alphabet has every letter of a text; letters with marks are written as a letter followed by the mark (NFD).
#[must_use]
pub fn is_writable(text: &str) -> bool {
    text.chars().all(|c| c == '?' || accent(c).is_some() || glyph(c).1 != UNKNOWN)
}

/// The style of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand {
    /// How high a capital is, in units.
    pub height: i32,
    /// How the text is aligned.
    pub align: Align,
    /// The ink it is written with.
    pub ink: Ink,
    /// Whether its strokes are wide.
    pub bold: bool,
}

impl Hand {
    /// Makes text of this height, aligned left.
    #[must_use]
    pub const fn new(height: i32, ink: Ink) -> Self {
        Self { height, align: Align::Left, ink, bold: false }
    }

    /// Centres it.
    #[must_use]
    pub const fn middle(mut self) -> Self {
        self.align = Align::Middle;
        self
    }

    /// Aligns it right.
    #[must_use]
    pub const fn right(mut self) -> Self {
        self.align = Align::Right;
        self
    }

    /// Makes its strokes wide.
    #[must_use]
    pub const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    const fn scale(self) -> i32 {
        self.height * 100 / HEIGHT
    }

    /// Returns how wide a text is, in units.
    #[must_use]
    pub fn width(self, text: &str) -> i32 {
        length(text) * self.scale() / 100
    }
}

fn length(text: &str) -> i32 {
    let letters = text.chars().filter(|letter| accent(*letter).is_none());
    letters.map(|letter| glyph(letter).0 + GAP).sum::<i32>().saturating_sub(GAP).max(0)
}

/// A text as a shape; the top of its capitals is at the top.
fn lettered(text: &str, hand: Hand) -> Shape {
    let mut path = Path::default();
    let mut x = match hand.align {
        Align::Left => 0,
        Align::Middle => -length(text) / 2,
        Align::Right => -length(text),
    };
    let mut below = ('\0', 0);
    for letter in text.chars() {
        if let Some(strokes) = accent(letter) {
            // Over a tall letter it is higher.
            let is_tall = below.0.is_uppercase() || matches!(below.0, 'b' | 'd' | 'f' | 'h'..='l' | 't');
            let up = if is_tall && letter < '\u{326}' { -4 } else { 0 };
            path.add(&Path::read(strokes).moved(x - GAP - below.1 / 2, up));
            continue;
        }
        let (width, strokes) = glyph(letter);
        path.add_read(strokes, x);
        x += width + GAP;
        below = (letter, width);
    }
    let stroke = Stroke { ink: hand.ink, width: if hand.bold { BOLD } else { WEIGHT }, dash: None };
    let lettering = Lettering {
        text: text.to_owned(),
        at: (0, HEIGHT),
        height: HEIGHT * 10,
        width: length(text) * 10,
        align: hand.align,
        bold: hand.bold,
    };
    Shape { path, lettering: Some(Box::new(lettering)), fill: None, stroke: Some(stroke) }
}

impl List {
    /// Writes a text; `at` is at the top of its capitals.
    pub fn text(&mut self, text: &str, at: (i32, i32), hand: Hand) {
        if text.chars().all(|letter| glyph(letter).1.is_empty()) {
            return;
        }
        // Many pictures contain the same word more than once.
        let weight = if hand.bold { "bold" } else { "text" };
        let name = format!("{weight}-{:?}-{:?}-{text}", hand.ink, hand.align);
        self.symbol(&name, at, hand.scale(), 0, || vec![lettered(text, hand)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_over_its_letter_and_takes_no_room_of_its_own() {
        let hand = Hand::new(12, Ink::Text);
        assert_eq!(hand.width("Mu\u{308}ller"), hand.width("Muller"));
        let top = |text: &str| lettered(text, hand).path.bounds().map(|[_, top, ..]| top);
        assert_eq!((top("u\u{308}"), top("U\u{308}")), (Some(0), Some(-4)));
        assert!(is_writable("Zoe\u{308} Ła\u{328}c; ß?") && !is_writable("\u{738b}") && !is_writable("ë"));
    }

    #[test]
    fn every_letter_reads_as_strokes_within_its_width() {
        let known =
            ('A'..='Z').chain('a'..='z').chain('0'..='9').chain("-.,:'()/+*!<>=~×#?;\"_&@[]ßæÆœøØđðłŁıþ".chars());
        for letter in known {
            let (width, strokes) = glyph(letter);
            let path = Path::read(strokes);
            let letters = strokes.chars().filter(char::is_ascii_uppercase).count();
            assert_eq!(path.0.len(), letters, "{letter}: {strokes}");
            let [left, top, right, bottom] = path.bounds().expect("strokes");
            assert!(left >= 0 && right <= width + 1 && top >= 0 && bottom <= 16, "{letter}");
        }
    }
}
