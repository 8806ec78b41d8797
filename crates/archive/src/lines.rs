//! Records as lines of JSON: `{"path": …, "record": …}`, one record per line. A line may hold other members as well.
//!
//! A record that is not UTF-8, which JSON cannot hold, is given as `record-base64`; a path that is not, as
//! `path-base64`.

use std::borrow::Cow;
use std::fmt;

use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use postrider_kernel::text::names::bytes_text;

/// The most bytes in a line, not counting its end: enough for a record of 4 MiB with any JSON escapes.
pub(crate) const LINE_MOST: usize = 24 * 1024 * 1024;

/// A record, as a line of JSON holds it.
#[derive(Debug, Default)]
pub struct Line<'a> {
    /// The path, as its maker has written it; `None` if the line has none.
    pub path: Option<Cow<'a, str>>,
    /// The raw bytes of the path, if they are not UTF-8.
    pub path_bytes: Option<Vec<u8>>,
    /// The record's bytes.
    pub record: Cow<'a, [u8]>,
    /// The other members, unchanged.
    pub rest: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Line<'a> {
    /// Parses a line, given without its end.
    ///
    /// # Errors
    /// What is wrong with the line, in words.
    pub fn read(line: &'a [u8]) -> Result<Self, String> {
        if line.len() > LINE_MOST {
            return Err(too_long());
        }
        serde_json::from_slice(line).map_err(|error| {
            if line.starts_with(b"\xef\xbb\xbf") {
                return "the line begins with an invisible byte order mark: save the file without one".to_owned();
            }
            // The caller reports which line it is.
            let text = error.to_string();
            text.split_once(" at line ")
                .map_or(text.clone(), |(what, _)| format!("{what} at column {}", error.column()))
        })
    }

    /// Returns the path as a text of its own, also where it is not UTF-8.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.path_bytes.as_deref().map(bytes_text).or_else(|| self.path.as_deref().map(Cow::Borrowed))
    }

    /// Returns the bytes of the path; empty if there is none.
    #[must_use]
    pub fn path_bytes(&self) -> &[u8] {
        match (&self.path_bytes, &self.path) {
            (Some(bytes), _) => bytes,
            (None, Some(path)) => path.as_bytes(),
            (None, None) => &[],
        }
    }
}

/// Says in words that a line is too long.
#[must_use]
pub fn too_long() -> String {
    format!("the line is over {} MiB", LINE_MOST / 1024 / 1024)
}

/// Appends a line, including its end.
pub fn write(path: &[u8], record: &[u8], out: &mut Vec<u8>) {
    let mut member = |before: &[u8], name: &str, text: &str| {
        out.extend_from_slice(before);
        out.extend_from_slice(format!("\"{name}\":").as_bytes());
        // Text always has a JSON form, and writing to memory always succeeds.
        let _ = serde_json::to_writer(&mut *out, text);
    };
    let text = bytes_text(path);
    member(b"{", "path", &text);
    if text.as_bytes() != path {
        member(b",", "path-base64", &BASE64.encode(path));
    }
    match std::str::from_utf8(record) {
        Ok(record) => member(b",", "record", record),
        Err(_) => member(b",", "record-base64", &BASE64.encode(record)),
    }
    out.extend_from_slice(b"}\n");
}

/// Returns an object's line with more members added at its end, unchanged; one that the object may have itself is left out. `archive`: the
/// name to report for the archive that held the record, if any.
#[must_use]
pub fn answered(object: String, archive: Option<&str>, rest: &[(Cow<'_, str>, &RawValue)]) -> String {
    const OWN: [&str; 11] = [
        "path",
        "verdict",
        "game",
        "entries",
        "due",
        "result",
        "signatures",
        "warnings",
        "stamps",
        "errors",
        "archive",
    ];
    let Some(body) = object.strip_suffix("}\n") else { return object };
    let text = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut line = body.to_owned();
    if let Some(archive) = archive {
        line.push_str(&format!(",\"archive\":{}", text(archive)));
    }
    for (name, value) in rest.iter().filter(|(name, _)| !OWN.contains(&&**name)) {
        // Unchanged except for line ends between its parts, because an answer is one line.
        line.push_str(&format!(",{}:{}", text(name), value.get().replace(['\n', '\r'], " ")));
    }
    line + "}\n"
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the member `record`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        use serde::de::Error;
        let mut line = Line::default();
        let mut record = None;
        while let Some(Text(name)) = map.next_key()? {
            let twice = || A::Error::custom(format_args!("the member `{name}` appears twice"));
            match &*name {
                "path" => {
                    let path: Option<Text<'de>> = map.next_value()?;
                    if line.path.is_some() {
                        return Err(twice());
                    }
                    line.path = path.map(|path| path.0);
                }
                "record" if record.is_some() => return Err(twice()),
                "record" => {
                    record = Some(match map.next_value::<Text<'de>>()?.0 {
                        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                    });
                }
                "record-base64" | "path-base64" => {
                    let text: Text<'de> = map.next_value()?;
                    let bytes = BASE64.decode(text.0.as_bytes());
                    let bytes = bytes.map_err(|_| A::Error::custom(format_args!("`{name}` is not base64")))?;
                    match (&*name, record.is_some(), line.path_bytes.is_some()) {
                        ("record-base64", false, _) => record = Some(Cow::Owned(bytes)),
                        ("path-base64", _, false) => line.path_bytes = Some(bytes),
                        _ => return Err(twice()),
                    }
                }
                _ => {
                    let value = map.next_value()?;
                    line.rest.push((name, value));
                }
            }
        }
        line.record = record.ok_or_else(|| A::Error::missing_field("record"))?;
        Ok(line)
    }
}

/// A text, borrowed if it contains no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;
        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Borrowing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_any_bytes_reads_back_as_it_was_written() {
        let texts: [&[u8]; 5] = [b"", b"---\n\x00\x1b\"\\\r\n", "\u{2028}\u{e9}".as_bytes(), b"\xff\xfe", b"\x80"];
        for path in texts {
            for record in texts {
                let mut line = Vec::new();
                write(path, record, &mut line);
                assert_eq!(line.iter().filter(|&&byte| byte == b'\n').count(), 1);
                let read = Line::read(&line[..line.len() - 1]).unwrap();
                assert_eq!((read.path_bytes(), &*read.record), (path, record));
                assert!(read.rest.is_empty());
            }
        }
    }

    #[test]
    fn other_members_are_kept_unchanged() {
        let line = br#" {"n": 1e2 , "record":"x","deep":{"a":[1, 2]}, "path":null} "#;
        let read = Line::read(line).unwrap();
        assert_eq!(read.path, None);
        let rest: Vec<_> = read.rest.iter().map(|(name, value)| (&**name, value.get())).collect();
        assert_eq!(rest, [("n", "1e2"), ("deep", r#"{"a":[1, 2]}"#)]);
    }

    #[test]
    fn an_invalid_line_says_what_is_wrong() {
        for (line, why) in [
            (&b""[..], "EOF while parsing"),
            (b"[]", "expected an object with the member `record`"),
            (b"{}", "missing field `record`"),
            (br#"{"record":1}"#, "expected a text"),
            (br#"{"record":"a","record":"b"}"#, "appears twice"),
            (br#"{"record":"a","record-base64":"YQ=="}"#, "appears twice"),
            (br#"{"record-base64":"?"}"#, "not base64"),
            (br#"{"record":"\ud800"}"#, "hex escape"),
            (b"{\"record\":\"\xff\"}", "unicode"),
            (br#"{"record":"a"} x"#, "trailing characters"),
        ] {
            let said = Line::read(line).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
