//! Transfer encodings (RFC 2045) as mail programs write them, not only as they should. A record must come out byte for byte or not at
//! all; of a text, as much as can be read is better than nothing.

use std::borrow::Cow;

use data_encoding::{BASE64, BASE64_NOPAD};
use memchr::memchr;

use super::contents::MAX_TEXT;

/// The longest line of letters and digits that can be a word below an encoded part.
const WORD: usize = 23;

/// How a part is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Not at all; also what is no encoding but a word that some program took for one.
    #[default]
    None,
    /// `base64`.
    Base64,
    /// `quoted-printable`.
    Quoted,
    /// Something else.
    Unknown,
}

impl Encoding {
    /// Reads the value of a `Content-Transfer-Encoding` line, which some programs put in quotes or give a comment.
    pub(super) fn read(value: &str) -> Self {
        let word =
            value.trim().trim_start_matches('"').split([' ', '\t', '(', ';', '"', ',']).next().unwrap_or_default();
        let word: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        match word.to_ascii_lowercase().as_str() {
            "base64" | "b64" => Self::Base64,
            "quotedprintable" | "qp" => Self::Quoted,
            // Careless programs name a charset or a type here, or count the bits in the plural.
            "" | "7bit" | "7bits" | "8bit" | "8bits" | "binary" | "bit7" | "bit8" | "plain" | "textplain" | "text"
            | "none" | "raw" | "identity" | "ascii" | "usascii" | "utf8" | "iso88591" | "iso885915" | "windows1252" => {
                Self::None
            }
            _ => Self::Unknown,
        }
    }
}

/// Undoes the transfer encoding of a body; what a record is read from.
pub(super) fn decode(body: &[u8], encoding: Encoding) -> Result<Vec<u8>, String> {
    match encoding {
        Encoding::None => Ok(body.to_vec()),
        Encoding::Base64 => {
            let fault = || "a part claims to be base64 but is not, or is cut off".to_owned();
            let (bytes, whole) = base64(body).ok_or_else(fault)?;
            // Without its end, a record that was cut off could be one of fewer entries.
            if whole || bytes.is_empty() || bytes.ends_with(b"\n") { Ok(bytes) } else { Err(fault()) }
        }
        Encoding::Quoted => {
            quoted(body, true).ok_or_else(|| "a part claims to be quoted-printable but is not".to_owned())
        }
        Encoding::Unknown => Err("a part has an encoding that no mail program should use".to_owned()),
    }
}

/// Undoes the transfer encoding of a text as far as that is possible, and says whether nothing is missing.
pub(super) fn decode_text(body: &[u8], encoding: Encoding) -> (Vec<u8>, bool) {
    match encoding {
        Encoding::None | Encoding::Unknown => (body.to_vec(), true),
        Encoding::Base64 => match base64(body) {
            Some((bytes, _)) => (bytes, true),
            None => {
                let mut letters: Vec<u8> = body.iter().copied().filter(|byte| is_letter(*byte)).collect();
                letters.truncate(letters.len() / 4 * 4);
                (BASE64.decode(&letters).unwrap_or_default(), false)
            }
        },
        Encoding::Quoted => (quoted(body, false).unwrap_or_default(), true),
    }
}

/// The part of a text's body that is read, cut where its encoding allows it.
pub(super) fn beginning(body: &[u8], encoding: Encoding) -> Cow<'_, [u8]> {
    let Some(cut) = body.get(..MAX_TEXT) else { return body.into() };
    if encoding == Encoding::Base64 {
        let mut letters: Vec<u8> = cut.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        letters.truncate(letters.len() / 4 * 4);
        return letters.into();
    }
    let end = cut.iter().rposition(|&byte| byte == b'\n').map_or(cut.len(), |at| at + 1);
    cut.get(..end).unwrap_or(cut).into()
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Decodes base64 up to its end, and says whether that end is one for certain: padding, or nothing behind a whole group. Below it there
/// may be words that somebody has put there. `None` if something else stands among it.
fn base64(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut letters = Vec::with_capacity(body.len());
    let mut lines = body.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let (mut padded, mut foreign, mut first, mut last) = (false, false, None, 0);
    for line in lines.by_ref() {
        if line.is_empty() {
            // Only the last line is shorter than the first, so what follows an empty line then is something else.
            if first.is_some_and(|first| last < first) {
                break;
            }
            continue;
        }
        let end = line.iter().position(|&byte| !is_letter(byte)).unwrap_or(line.len());
        padded = line.get(end) == Some(&b'=');
        if !padded && end < line.len() {
            foreign = true;
            break;
        }
        letters.extend_from_slice(line.get(..end)?);
        (first, last) = (first.or(Some(line.len())), line.len());
        if padded {
            break;
        }
    }
    // A word may stand below it. More of the same means that what was found is not all.
    let mut rest = lines.filter(|line| !line.is_empty());
    if (foreign && letters.is_empty()) || rest.any(|line| line.len() > WORD && line.iter().all(|&byte| is_letter(byte)))
    {
        return None;
    }
    let whole = padded || (!foreign && letters.len() % 4 == 0);
    Some((BASE64_NOPAD.decode(&letters).ok()?, whole))
}

/// Decodes quoted-printable (RFC 2045): `=` and two digits for a byte, `=` at the end of a line for no line end. Spaces
/// at the end of a line were added on the way. If it is not `strict`, what is no escape stands for itself.
fn quoted(body: &[u8], strict: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(text) => match text.strip_suffix(b"\r") {
                Some(text) => (text, &b"\r\n"[..]),
                None => (text, &b"\n"[..]),
            },
            None => (line, &b""[..]),
        };
        let text = text.trim_ascii_end();
        let (text, end) = text.strip_suffix(b"=").map_or((text, end), |text| (text, &b""[..]));
        let mut rest = text;
        while let Some(at) = memchr(b'=', rest) {
            let (before, escape) = rest.split_at_checked(at)?;
            bytes.extend_from_slice(before);
            let digits = escape.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.filter(|text| !text.starts_with('+')).and_then(|text| u8::from_str_radix(text, 16).ok());
            match byte {
                Some(byte) => {
                    bytes.push(byte);
                    rest = escape.get(3..)?;
                }
                None if strict => return None,
                None => {
                    bytes.push(b'=');
                    rest = escape.get(1..)?;
                }
            }
        }
        bytes.extend_from_slice(rest);
        bytes.extend_from_slice(end);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_known_by_what_programs_call_them() {
        for none in
            ["", "7bit", "8bit", "8bits", "7-bit", "8-Bit", "plain", "\"8bit\" (x)", "binary;", "us-ascii", "UTF-8"]
        {
            assert_eq!(Encoding::read(none), Encoding::None, "{none}");
        }
        assert_eq!(Encoding::read(" Base64 (of course)"), Encoding::Base64);
        assert_eq!(Encoding::read("\"quoted-printable\""), Encoding::Quoted);
        assert_eq!([Encoding::read("x-uuencode"), Encoding::read("gzip")], [Encoding::Unknown; 2]);
    }

    #[test]
    fn base64_is_read_to_its_end_whatever_stands_below_it() {
        let long = "QQpBCkEKQQpBCkEKQQpBCkEKQQpBCkEK";
        for (body, expected) in [
            ("QQo=".to_owned(), Some("A\n".to_owned())),
            ("QQo".to_owned(), Some("A\n".to_owned())),
            ("QQo\n\n".to_owned(), Some("A\n".to_owned())),
            ("QUEK\r\nQQo=\r\n".to_owned(), Some("AA\nA\n".to_owned())),
            ("QQo=\nFOOTER\n_____\nsee http://x.example/?a=b".to_owned(), Some("A\n".to_owned())),
            (format!("{long}\nQQo=FOOTER"), Some(format!("{}A\n", "A\n".repeat(12)))),
            (format!("{long}\nQQpBCkEK\n\nFOOTER\n"), Some(format!("{}A\nA\nA\n", "A\n".repeat(12)))),
            (format!("{long}\n-- \nFOOTER\n"), Some("A\n".repeat(12))),
            // What is not all of it, or may not be.
            ("QQo=QQo=QQo=".to_owned() + "\n" + long, None),
            (format!("QQo=\n{long}"), None),
            (format!("{long}\n!!\n{long}"), None),
            ("!!!!".to_owned(), None),
            ("QUF".to_owned(), None),
            ("QUFBQ".to_owned(), None),
            ("QUFB\n-- \n".to_owned(), None),
        ] {
            let found = decode(body.as_bytes(), Encoding::Base64).ok().map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(found, expected, "{body:?}");
        }
    }

    #[test]
    fn a_text_is_read_as_far_as_it_can_be() {
        assert_eq!(decode_text(b"a=3Db=ZZ =\nc=", Encoding::Quoted), (b"a=b=ZZ c".to_vec(), true));
        assert_eq!(decode(b"=ZZ", Encoding::Quoted).ok(), None);
        assert!(!decode_text(b"QUFB!QUFB\n", Encoding::Base64).1);
        assert_eq!(decode_text(b"c4-c5", Encoding::Unknown), (b"c4-c5".to_vec(), true));
    }
}
