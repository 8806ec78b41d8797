//! A fast reader for headers in the form that the program itself writes: `key: text` lines, maps on one line or
//! indented by two spaces, and texts without characters that are special in YAML. It answers only if it is sure to
//! return the same tree as the YAML library, and leaves everything else to the library; tests compare the two. Without
//! it, judging a folder of records would mostly be reading YAML.

use std::borrow::Cow;

use crate::text::{Node, Span, Value};

/// The remaining input. Its place is the length of the whole text minus its own.
type Rest<'a> = &'a str;

/// The indentation of the lines of a map below its key.
const INDENT: &str = "  ";

/// Reads a header; `None` if it is not in this plain form.
pub(super) fn read(text: &str) -> Option<Node<'_>> {
    let mut pairs = Vec::with_capacity(8);
    let mut rest = text;
    while !rest.is_empty() {
        rest = line(text, rest, &mut pairs)?;
        let (_, value) = pairs.last_mut()?;
        if value.value != Value::Nothing {
            continue;
        }
        let mut nested = Vec::with_capacity(2);
        // As in the library, the place of a map is the start of its first key, or its brace.
        let start = text.len() - rest.len() + INDENT.len();
        while let Some(inner) = rest.strip_prefix(INDENT) {
            rest = line(text, inner, &mut nested)?;
            if nested.last()?.1.value == Value::Nothing {
                return None;
            }
        }
        if nested.is_empty() {
            return None;
        }
        *value = Node { span: Span::at(start), value: Value::Map(nested) };
    }
    (!pairs.is_empty()).then_some(Node { span: Span::at(0), value: Value::Map(pairs) })
}

#[inline(always)]
fn node<'a>(text: &'a str, from: Rest<'a>, to: Rest<'a>, value: &'a str) -> Node<'a> {
    let span = Span::new(text.len() - from.len(), text.len() - to.len());
    Node { span, value: Value::Text(Cow::Borrowed(value)) }
}

type Pair<'a> = (Node<'a>, Node<'a>);

/// Reads one line: a key, followed by a text, a map or nothing. The pair is pushed where it is kept, because it is too large
/// to be handed around.
fn line<'a>(text: &'a str, input: Rest<'a>, pairs: &mut Vec<Pair<'a>>) -> Option<Rest<'a>> {
    let (rest, word) = key(input)?;
    let key = node(text, input, rest, word);
    let rest = rest.strip_prefix(':')?;
    if let Some(rest) = rest.strip_prefix('\n') {
        pairs.push((key, Node { span: Span::at(0), value: Value::Nothing }));
        return Some(rest);
    }
    let rest = rest.strip_prefix(' ')?;
    let (rest, value) = match rest.as_bytes().first()? {
        b'{' => flow(text, rest)?,
        b'"' => quoted(text, rest)?,
        _ => plain(text, rest)?,
    };
    pairs.push((key, value));
    rest.strip_prefix('\n')
}

/// Reads a key: lower-case letters and hyphens, beginning with a letter.
fn key(input: Rest<'_>) -> Option<(Rest<'_>, &str)> {
    let (word, rest) = input.split_at(length(input, &KEY));
    word.as_bytes().first()?.is_ascii_lowercase().then_some((rest, word))
}

/// Returns how many bytes at the start of the input are of the given kind.
fn length(input: Rest<'_>, kind: &[bool; 256]) -> usize {
    input.bytes().position(|byte| !kind[usize::from(byte)]).unwrap_or(input.len())
}

/// The bytes that a key may contain.
const KEY: [bool; 256] = table(b"abcdefghijklmnopqrstuvwxyz-");

/// The bytes that are not special in YAML anywhere in a text.
const PLAIN: [bool; 256] = table(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .-_@+/='");

/// Makes a lookup table for a kind of byte; nearly every byte of a header is looked up in one.
const fn table(kind: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < kind.len() {
        table[kind[at] as usize] = true;
        at += 1;
    }
    table
}

/// Reads an unquoted text in which nothing is special in YAML.
#[inline(always)]
fn plain<'a>(text: &'a str, input: Rest<'a>) -> Option<(Rest<'a>, Node<'a>)> {
    let (value, rest) = input.split_at(length(input, &PLAIN));
    let edges = value.as_bytes();
    if !edges.first()?.is_ascii_alphanumeric() || edges.last() == Some(&b' ') {
        return None;
    }
    Some((rest, node(text, input, rest, value)))
}

/// Reads a text in double quotes without escapes.
fn quoted<'a>(text: &'a str, input: Rest<'a>) -> Option<(Rest<'a>, Node<'a>)> {
    let inner = input.strip_prefix('"')?;
    let length = inner.bytes().position(|byte| matches!(byte, b'"' | b'\\') || !(0x20..0x7f).contains(&byte))?;
    let (value, rest) = inner.split_at(length);
    let rest = rest.strip_prefix('"')?;
    Some((rest, node(text, input, rest, value)))
}

/// Reads a map on one line: `{name: Ada Quill, email: ada@example.org}`.
fn flow<'a>(text: &'a str, input: Rest<'a>) -> Option<(Rest<'a>, Node<'a>)> {
    let mut pairs = Vec::with_capacity(2);
    let mut rest = input.strip_prefix('{')?;
    loop {
        let (after, word) = key(rest)?;
        let name = node(text, rest, after, word);
        let (after, value) = plain(text, after.strip_prefix(": ")?)?;
        pairs.push((name, value));
        if let Some(after) = after.strip_prefix('}') {
            let brace = text.len() - input.len();
            let span = Span::new(brace, brace + 1);
            return Some((after, Node { span, value: Value::Map(pairs) }));
        }
        rest = after.strip_prefix(", ")?;
    }
}
