//! Places as the Language Server Protocol counts them: lines from 0, and in a line units of UTF-16.

use serde::{Deserialize, Serialize};

use postrider_kernel::text::Span;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

/// A text whose lines have been found once, so that thousands of places in it take little more than one.
pub struct Places<'t> {
    text: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'t> Places<'t> {
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let lines = text.match_indices('\n').map(|(end, _)| end + 1);
        Self { text, lines: std::iter::once(0).chain(lines).collect() }
    }

    /// The place of an offset; of one behind the end, or within a character, that of the end.
    #[must_use]
    pub fn position(&self, at: usize) -> Position {
        let at = if self.text.is_char_boundary(at) { at } else { self.text.len() };
        let line = self.lines.partition_point(|start| *start <= at).saturating_sub(1);
        let before = self.lines.get(line).and_then(|start| self.text.get(*start..at)).unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(before.encode_utf16().count()) }
    }

    #[must_use]
    pub fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start as usize), end: self.position(span.end as usize) }
    }

    /// The offset of a place; of one behind the end of its line, the end.
    #[must_use]
    pub fn offset(&self, place: Position) -> usize {
        let Some(&start) = self.lines.get(place.line as usize) else { return self.text.len() };
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= place.character {
                return start + at;
            }
            units += character.len_utf16() as u32;
        }
        start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_units_of_utf_16() {
        let text = "a\r\n\u{1f600}b\u{e4}c\n";
        let places = Places::of(text);
        for (at, line, character) in
            [(0, 0, 0), (1, 0, 1), (3, 1, 0), (7, 1, 2), (8, 1, 3), (10, 1, 4), (11, 1, 5), (12, 2, 0)]
        {
            assert_eq!(places.position(at), Position { line, character }, "{at}");
            assert_eq!(places.offset(Position { line, character }), at, "{line}:{character}");
        }
        assert_eq!(places.offset(Position { line: 0, character: 99 }), 1);
        assert_eq!(places.offset(Position { line: 9, character: 0 }), text.len());
        assert_eq!(places.position(99), Position { line: 2, character: 0 });
        assert_eq!(Places::of("").position(0), Position { line: 0, character: 0 });
    }
}
