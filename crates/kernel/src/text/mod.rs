//! Text and places in it: byte spans, lines and columns, and diagnostics as data. This module knows nothing of games or
//! records.

mod diagnostic;
mod lines;
pub mod names;
pub mod shell;
mod tree;
pub mod unseen;
pub mod yaml;

pub use diagnostic::Diagnostic;
pub use lines::{LineIndex, Place};
pub use tree::{Node, Value};

/// Returns `text` as one word for a shell, quoted if necessary, for use in a command that is shown to be typed.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A half-open range of bytes of a source text. Records are at most 4 MiB, so 32 bits are enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span from two offsets, which must be below 4 GiB, as all offsets in a record are.
    #[must_use]
    #[inline]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// An empty span at `offset`.
    #[must_use]
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Returns the span as a range for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the bytes of `source` in this span; empty if the span is not inside it.
    #[must_use]
    pub fn bytes(self, source: &[u8]) -> &[u8] {
        source.get(self.range()).unwrap_or_default()
    }

    /// Returns the part of `text` in this span; empty if the span is not inside it or splits a character.
    #[must_use]
    pub fn text(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// A number with the noun for it: `1 entry`, `2 entries`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number of entries, in words.
#[must_use]
pub fn entries(count: u32) -> String {
    counted(count.into(), "entry", "entries")
}

/// A text with its first letter as a capital.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns whether `c` is not allowed in the texts of a record: control characters and the two Unicode line ends.
#[must_use]
pub fn is_forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Writes a number, as `{number}` in a format string does, but in a fraction of the time.
pub fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Returns whether `c` could control a terminal, change the direction of writing, or is invisible. The two joiners that
/// some scripts need are allowed.
#[must_use]
pub fn is_steering(c: char) -> bool {
    is_forbidden(c)
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns `text` made safe for a terminal or an email. Every character that could control a terminal, change the
/// direction of writing, or is invisible is shown as its number (`\u{1b}`), so that text from a stranger can only be
/// read. The two joiners that some scripts need are kept.
#[must_use]
pub fn printable(text: &str) -> std::borrow::Cow<'_, str> {
    // A fold without an early exit is what the compiler turns into vector instructions.
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (0x20..0x7f).contains(&byte));
    if is_plain || !text.chars().any(is_steering) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_steering(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

/// Converts bytes with the byte order mark of UTF-16, as some shells write, to UTF-8 without the mark; leaves all others as they
/// are. Invalid UTF-16 becomes replacement characters.
#[must_use]
pub fn without_utf16(bytes: Vec<u8>) -> Vec<u8> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return bytes,
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().skip(1).map(|pair| unit(*pair)));
    let cut_off = rest.iter().map(|_| char::REPLACEMENT_CHARACTER);
    decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).chain(cut_off).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_cannot_control_a_terminal() {
        assert_eq!(printable("plain é text"), "plain é text");
        assert_eq!(printable("a\u{200b}b\u{61c}c\u{e0041}d\u{200d}e"), "a\\u{200b}b\\u{61c}c\\u{e0041}d\u{200d}e");
        assert_eq!(printable("a\u{1b}[31mb\u{9b}c\u{7f}\u{202e}d"), "a\\u{1b}[31mb\\u{9b}c\\u{7f}\\u{202e}d");
    }

    #[test]
    fn numbers_are_written_as_format_strings_write_them() {
        for number in
            (0..1100).chain((0..32).map(|bit| 1 << bit)).chain([u32::MAX, u32::MAX - 1, 99_999, 1_000_000_000])
        {
            let mut text = String::from("-");
            push_number(&mut text, number);
            assert_eq!(text, format!("-{number}"));
        }
    }

    #[test]
    fn a_span_outside_the_source_is_empty() {
        assert_eq!(Span::new(3, 9).text("abc"), "");
        assert_eq!(Span::new(1, 3).text("abc"), "bc");
    }

    #[test]
    fn utf_16_with_its_mark_becomes_utf_8_and_nothing_else_changes() {
        let text = "---\r\n1 Grüße \u{10348}\n";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let marked: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect();
            assert_eq!(without_utf16(marked.clone()), text.as_bytes());
            let cut = marked[..marked.len() - 1].to_vec();
            assert_eq!(without_utf16(cut), format!("{}\u{fffd}", text.trim_end_matches('\n')).as_bytes());
        }
        for plain in [&b""[..], b"\xff", b"\xfe", b"---\n", b"\xef\xbb\xbf---\n", b"\xff\xff--"] {
            assert_eq!(without_utf16(plain.to_vec()), plain);
        }
        assert_eq!(without_utf16(b"\xff\xfe\x00\xd8".to_vec()), "\u{fffd}".as_bytes());
    }
}
