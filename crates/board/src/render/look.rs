//! How text looks, and what all boards have in common that are drawn as text.

use anstyle::{AnsiColor, Style};

use postrider_kernel::scene::{Mark, Trace, square};
use postrider_kernel::{Side, SideName};

/// How text looks. Plain ASCII survives every mail program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether characters beyond ASCII may be used.
    pub unicode: bool,
    /// Whether colours may be used. They are removed again if the output is not a terminal.
    pub colour: bool,
    /// Whether the board is turned so that the second side is at the bottom.
    pub turned: bool,
    /// Whether boards take one line per rank, without explanations.
    pub compact: bool,
    /// The width of a line in columns, if it is known: text is wrapped, and a board that does not fit is drawn narrow or, if that
    /// does not fit either, compact.
    pub columns: Option<usize>,
    /// How many lines there are for a sheet, if it is to fit: the board is then drawn as large as they allow.
    pub rows: Option<usize>,
}

impl Look {
    /// The style of a side's pieces.
    pub(super) fn side(self, side: Side) -> Style {
        if !self.colour {
            return Style::new();
        }
        let colour = match side {
            Side::First => AnsiColor::Yellow,
            Side::Second => AnsiColor::Cyan,
        };
        Style::new().bold().fg_color(Some(colour.into()))
    }

    /// The style of what is in the background: lines of the board, coordinates.
    pub(super) fn faint(self) -> Style {
        if self.colour { Style::new().dimmed() } else { Style::new() }
    }
}

/// What the brackets mean that are put round places; empty if there are none.
pub(crate) fn brackets_in_words(marks: &[Mark]) -> Vec<&'static str> {
    let any = |to: bool| marks.iter().any(|mark| (mark.trace == Trace::To) == to);
    let all = [(true, "[ ] where the last entry went"), (false, "( ) what it left, or where it took something")];
    all.into_iter().filter(|(to, _)| any(*to)).map(|(_, words)| words).collect()
}

/// The brackets round a place to which something was done.
pub(super) fn brackets(trace: Trace) -> (char, char) {
    match trace {
        Trace::To => ('[', ']'),
        Trace::From | Trace::Taken => ('(', ')'),
    }
}

/// The brackets round a place, if the last entry did something there. Where several things happened, what stands there now
/// counts.
pub(super) fn marked(marks: &[Mark], place: &str) -> Option<(char, char)> {
    marks.iter().filter(|mark| mark.place == place).map(|mark| mark.trace).max().map(brackets)
}

/// The brackets round the place at a file and a rank, as it is drawn: on a turned board it has another name.
pub(super) fn marked_at(
    marks: &[Mark],
    (files, ranks): (u8, u8),
    (file, rank): (u8, u8),
    look: Look,
) -> Option<(char, char)> {
    if marks.is_empty() {
        return None;
    }
    let other = |count: u8, place: u8| count.saturating_sub(1).saturating_sub(place);
    let name = if look.turned { square(other(files, file), other(ranks, rank)) } else { square(file, rank) };
    marked(marks, &name)
}

/// Returns the width of the widest line in columns; styles take no room.
#[must_use]
pub fn width(text: &str) -> usize {
    text.lines().map(columns).max().unwrap_or(0)
}

/// How many columns a line takes up on a terminal.
fn columns(line: &str) -> usize {
    let (mut count, mut escape) = (0, false);
    for sign in line.chars() {
        match sign {
            '\x1b' => escape = true,
            'm' if escape => escape = false,
            _ if escape => {}
            _ => count += 1,
        }
    }
    count
}

/// The letters of the files from left to right.
pub(super) fn files(count: u8, look: Look) -> Vec<String> {
    let letter = |file: u8| char::from(b'a'.saturating_add(file)).to_string();
    let letters = (0..count).map(letter);
    if look.turned { letters.rev().collect() } else { letters.collect() }
}

/// The number of the rank that is drawn `above` ranks above the bottom one.
pub(super) fn rank(above: usize, count: u8, look: Look) -> String {
    let rank = if look.turned { usize::from(count).saturating_sub(above) } else { above + 1 };
    rank.to_string()
}

/// The capital letter that stands for a side in a board drawn as text.
pub(super) fn initial(side: SideName) -> char {
    side.word.chars().next().map_or('?', |letter| letter.to_ascii_uppercase())
}
