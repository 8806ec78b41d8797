//! The record: one text file with one game. This module knows its outer form (header, entries, remarks, result) and its
//! grammar, and judges nothing. Rules E1 to E13 are in `notation/record.md`; the referee applies them.

mod body;
mod clock;
mod header;
mod plain;
mod time;

pub use body::{Body, Entry, Item, line};
pub use clock::{Clock, Refill};
pub use header::{FIELDS, Header, HeaderReading, Host, Machine, PartialHeader, Player, Secrecy, Setup, is_game_id};
pub use time::Time;

use memchr::{memchr_iter, memrchr};

use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::unseen::hidden_in_dashes;
use postrider_kernel::text::{Diagnostic, Span};

/// The maximum size of a record: 4 MiB.
pub const RECORD_LIMIT: usize = 4 * 1024 * 1024;
/// The maximum size of a header, and of a line without its end: 64 KiB.
pub const LINE_LIMIT: usize = 64 * 1024;
/// The most faults that are listed for one record; the rest are counted.
pub const FAULT_LIMIT: usize = 1000;

/// Returns whether a file of this name is that of a record: `*.pbem`. Some systems and programs make capitals of it.
#[must_use]
pub fn is_file_name(name: &[u8]) -> bool {
    let ending = name.last_chunk::<5>().filter(|_| name.len() > 5);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b".pbem"))
}

/// The faults of a record's grammar, in the order of the text.
#[derive(Clone, Debug, Default)]
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
    pub(crate) fn push_with(&mut self, fault: impl FnOnce() -> Diagnostic) {
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
            _ => return Err(Diagnostic::fault(Span::at(0), opening(source))),
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
        // Headers are short: what looks like their end stands there, or is not looked for.
        let near = source.get(first..source.len().min(first + LINE_LIMIT)).unwrap_or_default();
        let starts = std::iter::once(0).chain(memchr_iter(b'\n', near).map(|end| end + 1));
        let found = starts.filter_map(|start| Some((first + start, near.get(start..)?))).find_map(|(at, rest)| {
            let line = rest.split(|byte| *byte == b'\n').next()?;
            let blank =
                matches!(line, [b'-', b'-', b'-', behind @ ..] if !behind.is_empty() && is_blank_to_the_end(behind));
            let blank = blank.then(|| "there are invisible spaces after the second `---`".to_owned());
            let what = blank
                .or_else(|| Some(format!("a line looks like the second `---`, but {}", hidden_in_dashes(line)?)))?;
            Some((at, format!("the header is not closed: {what}")))
        });
        let missing = || (last, "the header is not closed: expected a second line `---`".to_owned());
        let (at, message) = found.unwrap_or_else(missing);
        Err(Diagnostic::fault(Span::at(at), message))
    }
}

/// Describes a file that does not begin like a record: what it seems to be instead.
#[must_use]
pub fn opening(source: &[u8]) -> String {
    let line = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let dashes = || hidden_in_dashes(line).map(|what| format!("the first line looks like `---`, but {what}"));
    unseen(source).map(str::to_owned).or_else(dashes).unwrap_or_else(|| OPENS.to_owned())
}

/// What is said of a file that does not begin as a record does.
const OPENS: &str = "expected `---`, the line that opens the header of a record";

/// Whether nothing but blanks stands before the end of the line.
fn is_blank_to_the_end(rest: &[u8]) -> bool {
    rest.split(|&byte| byte == b'\n').next().is_some_and(|line| line.iter().all(u8::is_ascii_whitespace))
}

/// Names what the beginning of a file shows of it, where a person who looks at the file sees a record, or something else than it is.
fn unseen(source: &[u8]) -> Option<&'static str> {
    /// Where the format of an archive of `tar` is named.
    const TAR: usize = 257;
    let found = match source {
        [] => "the file is empty: a record begins with the line `---`",
        [0xef, 0xbb, 0xbf, ..] => {
            "the file begins with an invisible byte order mark: save it as UTF-8 without one; a record begins with `---`"
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'-', 0, ..] | [0, b'-', ..] => {
            "the file is in UTF-16, two bytes for each character: save it as UTF-8"
        }
        [b'-', b'-', b'-', b'\r', ..] => {
            "the lines end in CR alone, as on old machines: save the file with LF, or CR and LF"
        }
        [b'-', b'-', b'-', b' ' | b'\t', rest @ ..] if is_blank_to_the_end(rest) => {
            "there are invisible spaces after the first `---`"
        }
        [0x1f, 0x8b, ..] => "the file is compressed (gzip): `gzip -d` unpacks it",
        [b'P', b'K', 3 | 5, 4 | 6, ..] => "the file is an archive (zip), with the record in it: unpack it first",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            "the file is compressed (zstd): it is read as an archive of games if its name ends in .jsonl.zst"
        }
        [b'{', ..] => {
            "the file holds JSON: it is read as an archive of games, one in a line, if its name ends in .jsonl"
        }
        _ if source.starts_with(b"version https://git-lfs.github.com/") => {
            "the file is a Git LFS pointer, not the record: fetch the record with `git lfs pull`"
        }
        _ if source.starts_with(b"<<<<<<< ") => CONFLICT,
        _ if source.get(TAR..).is_some_and(|rest| rest.starts_with(b"ustar")) => {
            "the file is an archive (tar), with the record in it: unpack it first"
        }
        _ if source.iter().take(64).all(|&byte| byte == 0) => "the file holds nothing but zeroes, as after a power cut",
        _ if source.first().is_some_and(u8::is_ascii_whitespace) => {
            "there are empty lines or spaces before the first line of the record, `---`"
        }
        _ => return None,
    };
    Some(found)
}

/// What is said of a line that a merge of git has left.
pub(crate) const CONFLICT: &str = "a conflict marker of git: two versions were merged line by line, because git was not told in this clone how records are merged";

/// The fault of such a line.
pub(crate) fn conflict(span: Span) -> Diagnostic {
    Diagnostic::fault(span, CONFLICT)
        .with_see(advice![Act::GitSetup, " tells git how records are merged in this clone"])
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

    #[test]
    fn what_cannot_be_seen_is_named() {
        let mut tar = vec![b'g'; 257];
        tar.extend_from_slice(b"ustar\0");
        for (source, word) in [
            (&b""[..], "empty"),
            (b"\xef\xbb\xbf---\n---\n", "byte order mark"),
            (b"\xff\xfe-\0-\0-\0\n\0", "UTF-16"),
            (b"-\0-\0-\0\n\0", "UTF-16"),
            (b"---\rpbem: 1\r---\r", "CR alone"),
            (b"--- \n---\n", "there are invisible spaces after the first"),
            (b"---\na: b\n--- \n1 x y\n", "there are invisible spaces after the second"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"PK\x03\x04", "zip"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
            (b"{\"path\":1}", "JSON"),
            (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
            (b"<<<<<<< HEAD\n---\n", "a conflict marker of git"),
            (&tar, "tar"),
            (&[0; 100], "zeroes"),
            (b"\n---\n---\n", "before the first line of the record"),
        ] {
            let said = Frame::of(source).expect_err("no frame").message;
            assert!(said.contains(word), "{word}: {said}");
        }
        // What is only something else is told what would be a record.
        assert_eq!(Frame::of(b"Dear Ada").expect_err("no frame").message, OPENS);
    }
}
