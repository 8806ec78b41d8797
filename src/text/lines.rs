//! From byte offsets to lines and columns: done only when something is printed.

use memchr::memchr_iter;

/// A place as people count: both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters (a byte that is no part of valid UTF-8 counts as one).
    pub column: usize,
}

/// The starts of a text's lines, to find places by binary search.
#[derive(Debug)]
pub struct LineIndex<'a> {
    source: &'a [u8],
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    /// Indexes `source`. A line ends with LF; a CR before it belongs to the line's end.
    #[must_use]
    pub fn new(source: &'a [u8]) -> Self {
        let starts = memchr_iter(b'\n', source).map(|newline| u32::try_from(newline + 1).unwrap_or(u32::MAX));
        Self { source, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// Returns the place of a byte offset; one behind the end is taken as the end.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.source.len());
        let line = self.starts.partition_point(|&start| start as usize <= offset).max(1);
        let start = self.starts[line - 1] as usize;
        let before = self.source.get(start..offset).unwrap_or_default();
        Place { line, column: String::from_utf8_lossy(before).chars().count() + 1 }
    }

    /// Returns the bytes of a line (from 1) without its end; nothing for a line that is not there.
    #[must_use]
    pub fn line(&self, line: usize) -> &'a [u8] {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else { return b"" };
        let end = self.starts.get(line).map_or(self.source.len(), |&next| next as usize - 1);
        let text = self.source.get(start as usize..end).unwrap_or_default();
        text.strip_suffix(b"\r").unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_lines_from_one() {
        let index = LineIndex::new("ab\r\né=x\n".as_bytes());
        assert_eq!(index.place(0), Place { line: 1, column: 1 });
        assert_eq!(index.place(6), Place { line: 2, column: 2 });
        assert_eq!(index.place(99), Place { line: 3, column: 1 });
        assert_eq!(index.line(1), b"ab");
        assert_eq!(index.line(9), b"");
    }
}
