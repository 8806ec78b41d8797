//! Turns byte offsets into lines and columns. This is done only when something is printed.

use memchr::{memchr, memchr_iter, memrchr};

/// A place as people count: line and column both start at 1, and columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters. A byte that is not part of valid UTF-8 counts as one character.
    pub column: usize,
}

/// How many bytes share one entry of the index.
const BLOCK: usize = 4096;

/// How many lines end before each block of a text. Storing the start of every line could take four times the size of a
/// text that is all line ends.
#[derive(Debug)]
pub struct LineIndex<'a> {
    source: &'a [u8],
    /// For each block, the number of line ends before it.
    before: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    /// Indexes `source`. A line ends with LF; a CR before it belongs to the line end.
    #[must_use]
    pub fn new(source: &'a [u8]) -> Self {
        let ends = source.chunks(BLOCK).scan(0, |ends: &mut u32, block| {
            let before = *ends;
            *ends = ends.saturating_add(u32::try_from(memchr_iter(b'\n', block).count()).unwrap_or(u32::MAX));
            Some(before)
        });
        Self { source, before: ends.collect() }
    }

    /// Returns the place of a byte offset. An offset past the end counts as the end.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.source.len());
        // If the text fills its blocks exactly, its end belongs to the last of them.
        let block = (offset / BLOCK).min(self.before.len().saturating_sub(1));
        let before = self.before.get(block).map_or(0, |&ends| ends as usize);
        let within = self.source.get(block * BLOCK..offset).unwrap_or_default();
        let start = memrchr(b'\n', &self.source[..offset]).map_or(0, |newline| newline + 1);
        Place {
            line: before + memchr_iter(b'\n', within).count() + 1,
            column: String::from_utf8_lossy(&self.source[start..offset]).chars().count() + 1,
        }
    }

    /// Returns a line, counted from 1, without its line end; empty if there is no such line.
    #[must_use]
    pub fn line(&self, line: usize) -> &'a [u8] {
        let Some(start) = line.checked_sub(1).and_then(|ends| self.behind(ends)) else { return b"" };
        let text = self.source.get(start..).unwrap_or_default();
        let text = memchr(b'\n', text).map_or(text, |length| &text[..length]);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    /// Returns the offset just after the given number of line ends; `None` if there are fewer.
    fn behind(&self, ends: usize) -> Option<usize> {
        let Some(last) = ends.checked_sub(1) else { return Some(0) };
        let block = self.before.partition_point(|&before| before as usize <= last).checked_sub(1)?;
        let start = block * BLOCK;
        let newline = memchr_iter(b'\n', self.source.get(start..)?).nth(last - self.before[block] as usize)?;
        Some(start + newline + 1)
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
    #[test]
    fn places_and_lines_agree_with_counting_across_many_blocks() {
        let mut source = Vec::new();
        for length in 0..200 {
            source.extend_from_slice("é".repeat(length % 97).as_bytes());
            source.extend_from_slice(if length % 3 == 0 { b"\r\n" } else { b"\n" });
        }
        source.resize(2 * BLOCK, b'\n');
        for source in [&source[..], &source[..BLOCK], &source[..BLOCK + 1], &source[..BLOCK - 1]] {
            let index = LineIndex::new(source);
            let lines: Vec<_> = source.split(|&byte| byte == b'\n').collect();
            let mut offset = 0;
            for (nth, line) in lines.iter().enumerate() {
                assert_eq!(index.line(nth + 1), line.strip_suffix(b"\r").unwrap_or(line), "line {}", nth + 1);
                assert_eq!(index.place(offset), Place { line: nth + 1, column: 1 });
                let column = String::from_utf8_lossy(line).chars().count() + 1;
                assert_eq!(index.place(offset + line.len()), Place { line: nth + 1, column });
                offset += line.len() + 1;
            }
            assert_eq!(index.line(lines.len() + 1), b"");
        }
    }
}
