//! YAML (a header, a list of cards) as a tree of texts with their places, read by the YAML library.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};
use serde_yaml::{Location, Options, Spanned, from_str_with_options};

use crate::text::{Diagnostic, Node, Span, Value};

/// Reads a header.
///
/// # Errors
/// The faults of grammar, with spans in bytes from the start of the header.
pub fn read(text: &str) -> Result<Node<'_>, Vec<Diagnostic>> {
    refuse_controls(text).map_err(|fault| vec![fault])?;
    let read = from_str_with_options::<Spanned<Loose>>(text, options());
    let node = match read {
        Ok(loose) => loose.value.into_node(span_of(text, loose.referenced), text),
        Err(error) => {
            let span = error.location().map_or(Span::at(0), |location| span_of(text, location));
            return Err(vec![Diagnostic::fault(span, in_words(error.without_snippet()))]);
        }
    };
    let tags = tags(text, &node);
    if tags.is_empty() { Ok(node) } else { Err(tags) }
}

fn options() -> Options {
    serde_yaml::options! {
        // Duplicates are passed on so that all of them can be reported, not only the first.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
        budget: serde_yaml::budget! {
            max_anchors: 0,
            max_aliases: 0,
            max_documents: 1,
            max_depth: 16,
            flow_nesting_limit: 16,
            max_nodes: 20_000,
            max_events: 60_000,
        },
    }
}

/// Rewrites the library's message in this program's style: one line, with the two most common limits explained.
fn in_words(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let text = text.lines().next().unwrap_or_default();
    let text = text.split(" at line ").next().unwrap_or_default();
    if text.contains("Anchors") || text.contains("Aliases") || text.contains("unknown anchor") {
        return "a header has no anchors and no aliases (`&name`, `*name`)".into();
    }
    if text.contains("Documents") {
        return "a header is one YAML document".into();
    }
    if text.contains("Depth") || text.contains("nesting") {
        return "the header is nested too deep".into();
    }
    format!("the header is not YAML: {text}")
}

fn refuse_controls(text: &str) -> Result<(), Diagnostic> {
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let line_end =
            character == '\n' || character == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n');
        if character.is_control() && !line_end && character != '\t' {
            let message = format!("a control character ({}) in the header", character.escape_unicode());
            return Err(Diagnostic::fault(Span::new(offset, offset + character.len_utf8()), message));
        }
    }
    Ok(())
}

fn span_of(text: &str, location: Location) -> Span {
    let span = location.span();
    let start = span.byte_offset().map_or_else(|| offset_of(text, location), |offset| offset as usize).min(text.len());
    let length = span.byte_len().unwrap_or(0) as usize;
    Span::new(start, (start + length).min(text.len()))
}

/// Returns the offset of a line and column, both counted from 1, for library errors that carry nothing else.
fn offset_of(text: &str, location: Location) -> usize {
    let line = usize::try_from(location.line().saturating_sub(1)).unwrap_or(usize::MAX);
    let column = usize::try_from(location.column().saturating_sub(1)).unwrap_or(usize::MAX);
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let within = text[before..].char_indices().nth(column).map_or(text.len() - before, |(offset, _)| offset);
    before + within
}

/// Finds every tag (`!name`): an exclamation mark outside all texts and comments. The library skips tags.
fn tags(text: &str, node: &Node<'_>) -> Vec<Diagnostic> {
    if !text.contains('!') {
        return Vec::new();
    }
    let mut outside = text.as_bytes().to_vec();
    blank_texts(node, &mut outside);
    let mut faults = Vec::new();
    let mut comment = false;
    let mut before = b'\n';
    for (offset, &byte) in outside.iter().enumerate() {
        match byte {
            b'\n' => comment = false,
            b'#' if before.is_ascii_whitespace() => comment = true,
            b'!' if !comment && !before.is_ascii_graphic() => {
                faults.push(Diagnostic::fault(Span::at(offset), "a header has no tags (`!name`)"));
            }
            _ => {}
        }
        before = byte;
    }
    faults
}

/// Overwrites the texts of a tree, which leaves only the YAML around them.
fn blank_texts(node: &Node<'_>, outside: &mut [u8]) {
    match &node.value {
        Value::Text(_) => {
            if let Some(bytes) = outside.get_mut(node.span.range()) {
                bytes.fill(b'x');
            }
        }
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            blank_texts(key, outside);
            blank_texts(value, outside);
        }),
        Value::List(list) => list.iter().for_each(|value| blank_texts(value, outside)),
        Value::Nothing => {}
    }
}

/// A value from the library. The library resolves plain scalars to numbers and so on; they are read again from the
/// text.
enum Loose {
    Text(String),
    Resolved,
    Map(Vec<(Spanned<Loose>, Spanned<Loose>)>),
    List(Vec<Spanned<Loose>>),
}

impl Loose {
    fn into_node<'a>(self, span: Span, text: &'a str) -> Node<'a> {
        let node = |loose: Spanned<Loose>| loose.value.into_node(span_of(text, loose.referenced), text);
        let value = match self {
            Loose::Text(text) => Value::Text(text.into()),
            Loose::Resolved => match text.get(span.range()).unwrap_or_default().trim() {
                "" => Value::Nothing,
                raw => Value::Text(raw.into()),
            },
            Loose::Map(pairs) => Value::Map(pairs.into_iter().map(|(key, value)| (node(key), node(value))).collect()),
            Loose::List(list) => Value::List(list.into_iter().map(node).collect()),
        };
        Node { span, value }
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Loose, E> {
        Ok(Loose::Resolved)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Loose, E> {
        Ok(Loose::Resolved)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Loose, E> {
        Ok(Loose::Resolved)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Loose, E> {
        Ok(Loose::Resolved)
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Resolved)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Loose, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element()? {
            list.push(value);
        }
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Loose, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = access.next_entry()? {
            pairs.push(pair);
        }
        Ok(Loose::Map(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_map_is_its_first_key_or_its_brace() {
        for (text, place) in [("started:\n  a: b\n  c: d\n", Span::at(11)), ("started: {a: b}\n", Span::new(9, 10))] {
            let read = read(text);
            let Ok(Node { value: Value::Map(pairs), .. }) = &read else { panic!("{read:?}") };
            assert_eq!(pairs.first().map(|(_, value)| value.span), Some(place), "{text:?}");
        }
    }

    #[test]
    fn tags_anchors_and_aliases_are_refused_at_their_places() {
        for (text, offset) in [
            ("a: !x b\n", 3),
            ("a: b\nc: !!str 5\n", 8),
            ("!t a: b\n", 0),
            ("a: &x b\n", 6),
            ("a: *b\n", 3),
            ("a: {b: !c d}\n", 7),
        ] {
            let faults = read(text).expect_err(text);
            assert_eq!(faults[0].span.start, offset, "{text:?}: {faults:?}");
        }
        assert!(read("a: what! # !no\nb: \"!\"\n").is_ok());
    }

    #[test]
    fn deep_and_large_headers_fail_quickly() {
        for text in ["[".repeat(60_000), "{a: ".repeat(15_000), "- ".repeat(30_000), "? ".repeat(30_000)] {
            assert!(read(&text).is_err());
        }
    }
}
