//! Paths as texts, so that two files never look the same.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Stands before the two digits of a byte that is no text.
const MARK: char = char::REPLACEMENT_CHARACTER;

/// Returns a path as a text. A byte that is not UTF-8 is U+FFFD and its two hexadecimal digits, `\u{fffd}FF`, so that no two paths have the same
/// text; [`path_bytes`] leads back.
#[must_use]
pub fn path_text(path: &Path) -> Cow<'_, str> {
    bytes_text(path.as_os_str().as_encoded_bytes())
}

/// Returns the bytes of a path as [`path_text`] does.
#[must_use]
pub fn bytes_text(path: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(path) {
        Ok(text) if !has_marked_byte(text) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut text = String::with_capacity(path.len() + 8);
    let marked = |bytes: &[u8], text: &mut String| {
        for byte in bytes {
            // Writing to a `String` never fails.
            let _ = write!(text, "{MARK}{byte:02X}");
        }
    };
    for chunk in path.utf8_chunks() {
        let mut valid = chunk.valid();
        // A mark that somebody has written himself, with what looks like a byte behind it, is marked byte by byte.
        while let Some(at) = valid.match_indices(MARK).map(|(at, _)| at).find(|at| digits(&valid[*at..]).is_some()) {
            text.push_str(&valid[..at]);
            marked(MARK.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
            valid = &valid[at + MARK.len_utf8()..];
        }
        text.push_str(valid);
        marked(chunk.invalid(), &mut text);
    }
    Cow::Owned(text)
}

/// Returns the bytes of the path that has this text.
#[must_use]
pub fn path_bytes(text: &str) -> Cow<'_, [u8]> {
    if !has_marked_byte(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let byte = digits(rest);
        let length = first.len_utf8() + if byte.is_some() { 2 } else { 0 };
        match byte {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(&rest.as_bytes()[..length]),
        }
        rest = &rest[length..];
    }
    Cow::Owned(bytes)
}

fn has_marked_byte(text: &str) -> bool {
    text.match_indices(MARK).any(|(at, _)| digits(&text[at..]).is_some())
}

/// The byte that a text begins with, if that is a mark and two digits.
fn digits(text: &str) -> Option<u8> {
    let digits = text.strip_prefix(MARK)?.get(..2)?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    digits.bytes().all(is_digit).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_that_are_no_text_are_written_in_digits() {
        for (path, text) in [
            (&b"games/a.pbem"[..], "games/a.pbem"),
            ("games/\u{e9}\u{fffd}.pbem".as_bytes(), "games/\u{e9}\u{fffd}.pbem"),
            (b"a\xff.pbem", "a\u{fffd}FF.pbem"),
            (b"a\xfe\xc3.pbem", "a\u{fffd}FE\u{fffd}C3.pbem"),
            ("a\u{fffd}FF.pbem".as_bytes(), "a\u{fffd}EF\u{fffd}BF\u{fffd}BDFF.pbem"),
        ] {
            assert_eq!((bytes_text(path), &*path_bytes(text)), (text.into(), path));
        }
    }

    proptest! {
        #[test]
        fn a_path_comes_back_from_its_text(
            parts in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..4),
                    Just("\u{fffd}".as_bytes().to_vec()),
                    "[0-9A-Fa-f]{2}".prop_map(String::into_bytes),
                ],
                0..8,
            )
        ) {
            let path = parts.concat();
            let text = bytes_text(&path);
            prop_assert_eq!(&*path_bytes(&text), &path[..]);
        }
    }
}
