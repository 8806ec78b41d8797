//! The record: one text file with one game. This module knows its outer form (header, entries, remarks, result) and its
//! grammar, and judges nothing. Rules E1 to E13 are in `notation/record.md`; the referee applies them.

mod body;
mod clock;
mod header;
mod plain;
mod time;

pub use body::{Body, Entry, Item, line};
pub use clock::{Clock, Refill};
pub use header::{Header, HeaderReading, Host, Machine, PartialHeader, Player, Secrecy, Setup, is_game_id};
pub use time::Time;

use memchr::{memchr_iter, memrchr};

use crate::text::{Diagnostic, Span};

/// The maximum size of a record: 4 MiB.
pub const RECORD_LIMIT: usize = 4 * 1024 * 1024;
/// The maximum size of a header, and of a line without its end: 64 KiB.
pub const LINE_LIMIT: usize = 64 * 1024;
/// The most faults that are listed for one record; the rest are counted.
pub const FAULT_LIMIT: usize = 1000;

/// The faults of a record's grammar, in the order of the text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Faults {
    /// The faults, at most [`FAULT_LIMIT`] of them.
    pub list: Vec<Diagnostic>,
    /// How many more there are.
    pub more: usize,
}

impl Faults {
    /// Adds a fault.
    pub fn push(&mut self, fault: Diagnostic) {
        self.push_with(|| fault);
    }

    /// Adds a fault that is put into words only if it will be listed: in a file that is not a record, every line is a
    /// fault.
    pub fn push_with(&mut self, fault: impl FnOnce() -> Diagnostic) {
        if self.list.len() < FAULT_LIMIT {
            self.list.push(fault());
        } else {
            self.more += 1;
        }
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The two parts of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// The header's bytes, between the two `---` lines, including the last line end.
    pub header: Span,
    /// Everything after the second `---` line.
    pub body: Span,
}

impl Frame {
    /// Finds the header and the body.
    ///
    /// # Errors
    /// If the record is too large or does not begin with a `---` line, or if its header is not closed by another one or
    /// is too long.
    pub fn of(source: &[u8]) -> Result<Self, Diagnostic> {
        if source.len() > RECORD_LIMIT {
            return Err(Diagnostic::fault(Span::at(0), "the record is over 4 MiB"));
        }
        let first = match source {
            [b'-', b'-', b'-', b'\n', ..] => 4,
            [b'-', b'-', b'-', b'\r', b'\n', ..] => 5,
            b"---" => 3,
            _ => {
                let message = "expected `---`, the line that opens the header of a record";
                return Err(Diagnostic::fault(Span::at(0), message));
            }
        };
        // Starts at the end of the first line, since the header may be empty. Headers have few lines, so looking at the start of
        // each costs less than preparing a search.
        let lines = source.get(first - 1..).unwrap_or_default();
        for line_end in memchr_iter(b'\n', lines) {
            let at = first + line_end;
            if !source.get(at..).is_some_and(|rest| rest.starts_with(b"---")) {
                continue;
            }
            let next = match &source[at + 3..] {
                [] => source.len(),
                [b'\n', ..] => at + 4,
                [b'\r', b'\n', ..] => at + 5,
                _ => continue,
            };
            if at - first > LINE_LIMIT {
                return Err(Diagnostic::fault(Span::at(first), "the header is over 64 KiB"));
            }
            return Ok(Frame { header: Span::new(first, at), body: Span::new(next, source.len()) });
        }
        let text = source.strip_suffix(b"\n").unwrap_or(source);
        let last = memrchr(b'\n', text).map_or(0, |newline| newline + 1);
        let message = "the header is not closed: expected a second line `---`";
        Err(Diagnostic::fault(Span::at(last), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_between_two_lines_of_dashes() {
        let frame = Frame::of(b"---\na: b\n---\n1 x y\n").expect("a frame");
        assert_eq!((frame.header, frame.body), (Span::new(4, 9), Span::new(13, 19)));
        let frame = Frame::of(b"---\r\na: b\r\n---").expect("a frame");
        assert_eq!((frame.header, frame.body), (Span::new(5, 11), Span::new(14, 14)));
    }

    #[test]
    fn missing_dashes_are_faults_of_the_first_or_last_line() {
        for (source, offset) in [("", 0), ("\u{feff}---\n", 0), ("---", 0), ("---\na\nb\n", 6), ("--- \n---\n", 0)] {
            assert_eq!(Frame::of(source.as_bytes()).expect_err(source).span, Span::at(offset), "{source:?}");
        }
    }
}
