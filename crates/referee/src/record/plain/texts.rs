//! Takes apart the YAML in which the program itself writes headers: `key: text` lines, maps and lists on lines of their own,
//! indented by two spaces, maps on one line, and texts without characters that are special in YAML. It answers only if it is sure to
//! read what the YAML library reads.

use std::borrow::Cow;

use postrider_kernel::text::{Node, Span, Value};

/// The indentation of the lines of a map below its key.
const INDENT: &str = "  ";

/// A text and its place, quotes included.
#[derive(Clone, Copy)]
pub(crate) struct Scalar<'a> {
    /// The place.
    pub span: Span,
    /// The text.
    pub text: &'a str,
}

impl<'a> Scalar<'a> {
    pub(crate) fn node(self) -> Node<'a> {
        Node { span: self.span, value: Value::Text(Cow::Borrowed(self.text)) }
    }
}

/// Takes a header in the plain form apart, piece by piece. Each step answers `None` if what comes next is something else.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    all: &'a str,
    rest: &'a str,
}

impl<'a> Plain<'a> {
    /// Begins at the start of a text.
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { all: text, rest: text }
    }

    /// Returns the offset of what comes next.
    pub(crate) const fn offset(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    /// Returns whether nothing comes next.
    pub(crate) const fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes these characters; leaves others.
    // In place, so that a constant text is compared as a number.
    #[inline(always)]
    pub(crate) fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// Takes this many bytes.
    #[inline(always)]
    fn scalar(&mut self, length: usize) -> Option<Scalar<'a>> {
        let start = self.offset();
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Scalar { span: Span::new(start, start + length), text })
    }

    /// Takes a key: lower-case letters and hyphens, beginning with a letter.
    #[inline(always)]
    pub(crate) fn key(&mut self) -> Option<Scalar<'a>> {
        if !self.rest.as_bytes().first()?.is_ascii_lowercase() {
            return None;
        }
        self.scalar(length(self.rest, &KEY))
    }

    /// Takes an unquoted text in which nothing is special in YAML.
    #[inline]
    pub(crate) fn unquoted(&mut self) -> Option<Scalar<'a>> {
        let value = self.scalar(plain_length(self.rest))?;
        let edges = value.text.as_bytes();
        (edges.first()?.is_ascii_alphanumeric() && edges.last() != Some(&b' ')).then_some(value)
    }

    /// Takes a text in double quotes without escapes.
    fn quoted(&mut self) -> Option<Scalar<'a>> {
        let start = self.offset();
        self.take("\"")?;
        let length =
            self.rest.bytes().position(|byte| matches!(byte, b'"' | b'\\') || !(0x20..0x7f).contains(&byte))?;
        let text = self.scalar(length)?.text;
        self.take("\"")?;
        Some(Scalar { span: Span::new(start, self.offset()), text })
    }

    /// Takes a text, quoted or not, and the end of its line.
    #[inline]
    pub(crate) fn value(&mut self) -> Option<Scalar<'a>> {
        let value = if self.rest.starts_with('"') { self.quoted()? } else { self.unquoted()? };
        self.take("\n")?;
        Some(value)
    }

    /// Takes the map behind a key's colon, on the same line in braces or on the lines below, and the end of its last line. Calls
    /// `each` with every pair, until that answers `None`.
    #[inline]
    pub(crate) fn map(&mut self, mut each: impl FnMut(Scalar<'a>, Scalar<'a>) -> Option<()>) -> Option<()> {
        if self.take(" {").is_some() {
            self.flow(each)?;
            return self.take("\n");
        }
        self.take("\n")?;
        let mut lines = 0;
        while self.take(INDENT).is_some() {
            let key = self.key()?;
            self.take(": ")?;
            each(key, self.value()?)?;
            lines += 1;
        }
        (lines > 0).then_some(())
    }

    /// Takes the pairs of a map on one line and the brace behind them: `name: Ada Quill, email: ada@example.org}`.
    #[inline]
    fn flow(&mut self, mut each: impl FnMut(Scalar<'a>, Scalar<'a>) -> Option<()>) -> Option<()> {
        loop {
            let key = self.key()?;
            self.take(": ")?;
            each(key, self.unquoted()?)?;
            if self.take("}").is_some() {
                return Some(());
            }
            self.take(", ")?;
        }
    }

    /// Takes a map or a list whose lines are indented by this many steps, and returns it with its place.
    fn block(&mut self, depth: usize) -> Option<Node<'a>> {
        (depth < DEEPEST).then_some(())?;
        // As in the library, the place is where its first key or mark begins.
        let span = Span::at(self.offset() + depth * INDENT.len());
        let (mut pairs, mut list) = (Vec::new(), Vec::new());
        while self.indent(depth) {
            if self.take("- ").is_some() {
                list.push(self.item()?);
            } else {
                self.pair(depth, &mut pairs)?;
            }
        }
        let value = match (pairs.is_empty(), list.is_empty()) {
            (false, true) => Value::Map(pairs),
            (true, false) => Value::List(list),
            _ => return None,
        };
        Some(Node { span, value })
    }

    /// Takes this many steps of indentation, if there are as many.
    #[inline]
    fn indent(&mut self, depth: usize) -> bool {
        let length = depth * INDENT.len();
        match self.rest.split_at_checked(length) {
            Some((spaces, rest)) if !rest.is_empty() && spaces.bytes().all(|byte| byte == b' ') => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes a key, followed by a text or a map on the same line, or a block below it. The pair is pushed where it is kept, because
    /// it is too large to be handed around.
    fn pair(&mut self, depth: usize, pairs: &mut Vec<Pair<'a>>) -> Option<()> {
        let key = self.key()?.node();
        pairs.push((key, self.below(depth)?));
        Some(())
    }

    /// Takes what follows a key that is indented by this many steps: its colon, and a text or a map on the same line, or a block below.
    pub(crate) fn below(&mut self, depth: usize) -> Option<Node<'a>> {
        self.take(":")?;
        if self.take("\n").is_some() {
            return self.block(depth + 1);
        }
        self.take(" ")?;
        self.item()
    }

    /// Takes a text, or a map in braces, and the end of its line.
    #[inline]
    fn item(&mut self) -> Option<Node<'a>> {
        let start = self.offset();
        if self.take("{").is_none() {
            return Some(self.value()?.node());
        }
        let mut pairs = Vec::with_capacity(2);
        self.flow(|key, value| {
            pairs.push((key.node(), value.node()));
            Some(())
        })?;
        self.take("\n")?;
        Some(Node { span: Span::new(start, start + 1), value: Value::Map(pairs) })
    }
}

type Pair<'a> = (Node<'a>, Node<'a>);

/// How deep blocks may be within one another; a header of this program has three levels.
const DEEPEST: usize = 8;

/// Returns how many bytes at the start of the input are of the given kind.
#[inline]
fn length(input: &str, kind: &[bool; 256]) -> usize {
    let bytes = input.as_bytes();
    let mut length = 0;
    // Four at a time, which takes half as long.
    while let Some(four) = bytes.get(length..).and_then(|rest| rest.first_chunk::<4>()) {
        if !four.map(|byte| kind[usize::from(byte)]).iter().fold(true, |all, fits| all & fits) {
            break;
        }
        length += 4;
    }
    length + bytes.iter().skip(length).take_while(|&&byte| kind[usize::from(byte)]).count()
}

/// Returns how many bytes at the start of the input are in [`PLAIN`].
#[inline]
fn plain_length(input: &str) -> usize {
    const AT_ONCE: usize = size_of::<u128>();
    let bytes = input.as_bytes();
    let mut length = 0;
    // Most texts end within the first sixteen bytes, which are compared at once: the compiler makes vector instructions of the inner
    // loop.
    while let Some(some) = bytes.get(length..).and_then(|rest| rest.first_chunk::<AT_ONCE>()) {
        let mut special = [0; AT_ONCE];
        for (special, &byte) in special.iter_mut().zip(some) {
            *special = u8::from(!is_plain(byte));
        }
        let special = u128::from_le_bytes(special);
        if special != 0 {
            return length + special.trailing_zeros() as usize / 8;
        }
        length += AT_ONCE;
    }
    length + bytes.iter().skip(length).take_while(|&&byte| PLAIN[usize::from(byte)]).count()
}

/// Returns whether a byte is in [`PLAIN`], without looking it up and without a branch.
#[inline]
fn is_plain(byte: u8) -> bool {
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let is_digit_or_mark = byte.wrapping_sub(b'-') <= b'9' - b'-';
    let is_other = b" _@+='".iter().fold(false, |any, &other| any | (byte == other));
    is_letter | is_digit_or_mark | is_other
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

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::text::yaml;
    use proptest::prelude::*;

    /// Reads a text as a map here and with the library. If the plain reader answers, they must agree, places included.
    fn agree(text: &str) -> bool {
        let mut input = Plain::new(text);
        let map = input.block(0).filter(|node| input.is_done() && matches!(node.value, Value::Map(_)));
        let Some(map) = map else { return false };
        assert_eq!(Ok(map), yaml::read(text), "{text:?}");
        true
    }

    #[test]
    fn ordinary_headers_are_read_as_the_library_reads_them() {
        assert!(agree(
            "pbem: 1\ngame: asalto\nid: asalto-20261121-7k3q9x\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\nclock: 30d+1d leave 30d\n"
        ));
        assert!(agree("options: {huff: claim, captures: 15}\nsetup: \"BBB/BBB/... d -\"\nkey: 0x1F\nother: null\n"));
        assert!(agree(
            "options: {start: portalists}\ndecks:\n  marines:\n    units:\n      - {slug: scout, copies: 6, speed: true}\n      - {slug: captain, name: The Captain}\n    events:\n      - {slug: snare, copies: 4, effect: trap}\n  portalists:\n    units:\n      - imp\n      - \"a: b\"\nlayout:\n  - 1\nlast: null\n"
        ));
        for text in [
            "a:\n- b\n",
            "a:\n  - b\n  c: d\n",
            "a:\n  b: c\n  - d\n",
            "a:\n   b: c\n",
            "a:\n    b: c\n",
            "a:\n  b:\n    c: d\n   e: f\n",
            "a:\n  -\n",
            "a:\n  - - b\n",
            "a:\n  - b: c\n",
            "a:\n  - {}\n",
            "- a\n",
            "a:\n  - b\n ",
            "a:\n  - b\n  ",
            "a:\n  ",
        ] {
            assert!(!agree(text), "{text:?} is left to the library");
        }
        for text in
            ["a: b # c\n", "a: &b c\n", "a: 'b'\n", "a: b:\n", "a:\n", "a: {}\n", "a: \"\\e\"\n", "a: - b\n", "a: é\n"]
        {
            assert!(!agree(text), "{text:?} is left to the library");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn blocks_are_read_as_the_library_reads_them(
            text in "[a-z]{1,3}:\n(( {0,2}|    |      )([a-z]{1,2}:( [a-z0-9 .]{1,4})?|- [a-z0-9]{0,3}|- \\{[a-z]: [a-z0-9]{1,3}(, [a-z]: [a-z0-9@=]{1,3}){0,2}\\})\n){1,6}"
        ) {
            agree(&text);
        }

        #[test]
        fn lines_are_read_as_the_library_reads_them(
            text in "(([a-z]{1,3}|  [a-z]{1,2}):( [A-Za-z0-9~?.'\" -]{0,6}| \\{[a-z]: [a-z0-9 .-]{0,4}(, [a-z]: [a-z0-9@=]{0,3}){0,2}\\}|)\n){0,4}"
        ) {
            agree(&text);
        }
    }

    #[test]
    fn texts_end_at_the_first_byte_that_may_be_special_wherever_it_is() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_plain(byte), PLAIN[usize::from(byte)], "{byte}");
        }
        let text = "Ada-Quill_0123456789 .@+/='Zz{name: after it, and more than sixteen bytes}";
        let end = text.find('{').unwrap();
        for start in 0..=end {
            assert_eq!(plain_length(&text[start..]), end - start);
            assert_eq!(plain_length(&text[start..end]), end - start);
        }
    }
}
