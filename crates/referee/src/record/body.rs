//! The lines below the header, one after another: entries with their signatures, remarks, the result. Nothing is kept,
//! so a record of any length needs no more memory than its bytes.

use std::fmt::Write as _;

use super::{Faults, LINE_LIMIT, Time};
use crate::sealing::SignatureText;
use memchr::{memchr, memchr2, memchr3};
use postrider_kernel::notation::{Expected, Parsed, number, refuse};
use postrider_kernel::text::{Diagnostic, Span, is_forbidden, push_number};
use postrider_kernel::{Info, Side};

/// An entry as written. All places are in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The whole line without its end.
    pub span: Span,
    /// Its number. Numbers beyond 64 bits are read as the largest.
    pub number: u64,
    /// The side that made it; the first side if the game is not known.
    pub side: Side,
    /// All its actions.
    pub actions: Span,
    /// Whether it has several actions, separated by `; `.
    pub several: bool,
    /// Its time.
    pub time: Option<Time>,
    /// The message without its braces.
    pub message: Option<Span>,
    /// The signature's base64, from the line directly below.
    pub signature: Option<Span>,
}

impl Entry {
    /// Returns the places of the number and the side, each without the space after it. `text` is the record.
    #[must_use]
    pub fn number_and_side(&self, text: &str) -> (Span, Span) {
        let start = self.span.start as usize;
        let number = self.span.text(text).bytes().take_while(u8::is_ascii_digit).count();
        let side = Span::new(start + number + 1, (self.actions.start as usize).saturating_sub(1));
        (Span::new(start, start + number), side)
    }

    /// Writes the line of the entry with this number, side's name and actions, and its own time and message, without a
    /// line end. With canonical actions this is the canonical line (Z30).
    #[must_use]
    pub fn written(&self, text: &str, number: u32, word: &str, actions: &str) -> String {
        line(number, word, actions, self.time, self.message.map(|message| message.text(text)))
    }

    /// Returns the place of the time, with its `@`; the end of the actions if there is none.
    #[must_use]
    pub(crate) fn time_span(&self) -> Span {
        let end = self.actions.end as usize;
        if self.time.is_some() { Span::new(end + 1, end + 2 + Time::LENGTH) } else { Span::at(end) }
    }
}

/// Writes the line of an entry without a line end: number, side's name, actions, and the time and message if there are
/// any.
#[must_use]
pub fn line(number: u32, word: &str, actions: &str, time: Option<Time>, message: Option<&str>) -> String {
    // With signatures each entry is written like this and hashed, so it is put together without format strings. Number, time
    // and braces take 42 bytes at most.
    let room = 42 + word.len() + actions.len() + message.map_or(0, str::len);
    let mut line = String::with_capacity(room);
    push_number(&mut line, number);
    for part in [" ", word, " ", actions] {
        line.push_str(part);
    }
    if let Some(time) = time {
        // Writing to a `String` never fails.
        let _ = write!(line, " @{time}");
    }
    if let Some(message) = message {
        for part in [" {", message, "}"] {
            line.push_str(part);
        }
    }
    line
}

/// A valid line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// So many empty lines, all that follow one another.
    Blank(usize),
    /// A remark: the whole line.
    Remark(Span),
    /// An entry, with the signature below it.
    Entry(Entry),
    /// A result line, whole. Its text begins two bytes in.
    Result(Span),
}

/// Reads the lines of a record one after another.
#[derive(Debug)]
pub struct Body<'a> {
    source: &'a [u8],
    at: usize,
    end: usize,
    sides: Option<[Word; 2]>,
    /// Whether the record is all ASCII without control characters except LF, so that no line needs a closer look.
    clean: bool,
    after_result: bool,
    /// Whether there was a remark so far.
    pub has_remarks: bool,
    /// How the next entry most likely begins.
    head: Head,
    /// The faults so far.
    pub faults: Faults,
}

/// What is expected in the place of a side's name.
const SIDE: &str = "the game's own word for a side";
const LINE: &str = "an entry (`3 white …`), a remark (`# …`), a result (`= …`) or an empty line";

impl<'a> Body<'a> {
    /// Starts reading the lines in `span`. If the game is not known, the names of the sides are not checked. Faults are
    /// added to `faults`.
    #[must_use]
    pub fn new(source: &'a [u8], span: Span, game: Option<&'static Info>, faults: Faults) -> Self {
        let bytes = span.bytes(source);
        // A fold without an early exit is what the compiler turns into vector instructions.
        let odd =
            bytes.iter().fold(false, |odd, &byte| odd | ((byte.wrapping_sub(b' ') > b'~' - b' ') & (byte != b'\n')));
        let sides = game.map(|info| info.sides.map(|side| Word::new(side.word)));
        Self {
            source,
            at: span.start as usize,
            end: (span.end as usize).min(source.len()),
            sides,
            clean: !odd,
            after_result: false,
            has_remarks: false,
            head: sides.map_or(Head::NONE, |words| Head::of(1, Side::First, &words)),
            faults,
        }
    }

    /// Returns the next valid line. Invalid ones are added to the faults and skipped.
    // An entry is large; if it is built where it is used, it need not be moved.
    #[inline(always)]
    pub fn next_item(&mut self) -> Option<Item> {
        while self.at < self.end {
            if let Some(entry) = self.plain_entry() {
                return Some(Item::Entry(entry));
            }
            if let Some(item) = self.any_line() {
                return Some(item);
            }
        }
        None
    }

    /// Takes the next line, whatever it is; returns `None` for an invalid one, which is added to the faults.
    #[inline(never)]
    fn any_line(&mut self) -> Option<Item> {
        if let lines @ 1.. = self.take_blank() {
            return Some(Item::Blank(lines));
        }
        let span = self.take_line();
        let line = span.bytes(self.source);
        if !self.fits_as_text(span, line) {
            return None;
        }
        if self.after_result && !matches!(line, [] | [b'#', ..]) {
            let message = "nothing follows the result line but remarks";
            self.faults.push(Diagnostic::fault(span, message));
            return None;
        }
        match line {
            [] => return Some(Item::Blank(1)),
            [b'#', ..] => {
                self.has_remarks = true;
                return Some(Item::Remark(span));
            }
            [b'=', b' ', ..] => {
                self.after_result = true;
                return Some(Item::Result(span));
            }
            [b'1'..=b'9', ..] | [b'0', b' ', ..] => return self.entry(span, line).map(Item::Entry),
            [b' ', b' ', b'~', b' ', ..] => {
                let message = "a signature comes directly below its entry, and there is at most one";
                self.faults.push(Diagnostic::fault(span, message));
            }
            _ => self.refuse_line(span, line),
        }
        None
    }

    /// Takes the next line if it is a valid entry, in a record in which no line needs a closer look. Its end is found
    /// by reading it and not by searching first. Everything else is left to be read line by line.
    #[inline(always)]
    pub(crate) fn plain_entry(&mut self) -> Option<Entry> {
        if !self.clean || self.after_result {
            return None;
        }
        let rest = self.source.get(self.at..self.end)?;
        let (behind, mut entry) = match self.head.fits(rest) {
            Some(actions) => {
                let read = behind(rest, self.at, actions, self.head.number, self.head.side).ok()?;
                if !self.head.count() {
                    self.expect_after(read.1.number, read.1.side);
                }
                read
            }
            None if rest.first()?.is_ascii_digit() => {
                let read = entry(rest, self.at, self.sides.as_ref()).ok()?;
                self.expect_after(read.1.number, read.1.side);
                read
            }
            None => return None,
        };
        let length = rest.len() - behind.len();
        if length > LINE_LIMIT {
            return None;
        }
        self.at = (self.at + length + 1).min(self.end);
        if let [b'\n', b' ', ..] = behind {
            entry.signature = self.signature();
        }
        Some(entry)
    }

    /// Expects the most likely successor of an entry with this number and side.
    #[inline(never)]
    fn expect_after(&mut self, number: u64, side: Side) {
        if let Some(words) = &self.sides {
            self.head = Head::of(number.saturating_add(1), side.other(), words);
        }
    }

    /// Takes the empty lines that come next, and returns how many there are: a record may consist of millions.
    fn take_blank(&mut self) -> usize {
        const EACH: [u8; 16] = [b'\n'; 16];
        let mut rest = self.source.get(self.at..self.end).unwrap_or_default();
        let (all, mut lines) = (rest.len(), 0);
        loop {
            match rest {
                [b'\n', ..] => {
                    let (mut chunks, mut plain) = (rest.chunks_exact(EACH.len()), 0);
                    while chunks.next().is_some_and(|chunk| *chunk == EACH) {
                        plain += EACH.len();
                    }
                    plain += rest[plain..].iter().take_while(|&&byte| byte == b'\n').count();
                    lines += plain;
                    rest = &rest[plain..];
                }
                [b'\r', b'\n', behind @ ..] => {
                    lines += 1;
                    rest = behind;
                }
                _ => break,
            }
        }
        self.at += all - rest.len();
        lines
    }

    /// Takes the next line, without its end.
    fn take_line(&mut self) -> Span {
        let start = self.at;
        let rest = &self.source[start..self.end];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        self.at = (start + length + 1).min(self.end);
        let cut = usize::from(!self.clean && rest[..length].ends_with(b"\r"));
        Span::new(start, start + length - cut)
    }

    /// Returns whether a line is short enough, UTF-8, and without control characters.
    fn fits_as_text(&mut self, span: Span, line: &[u8]) -> bool {
        if line.len() > LINE_LIMIT {
            self.faults.push(Diagnostic::fault(Span::at(span.start as usize), "the line is over 64 KiB"));
            return false;
        }
        if self.clean {
            return true;
        }
        let start = span.start as usize;
        match std::str::from_utf8(line) {
            Err(error) => {
                let place = Span::at(start + error.valid_up_to());
                self.faults.push_with(|| Diagnostic::fault(place, "the line is not UTF-8"));
            }
            Ok(text) => match text.char_indices().find(|(_, c)| is_forbidden(*c)) {
                None => return true,
                Some((offset, c)) => {
                    let place = Span::new(start + offset, start + offset + c.len_utf8());
                    self.faults.push_with(|| {
                        let text = format!("a control character ({}) is not allowed in a record", c.escape_unicode());
                        Diagnostic::fault(place, text)
                    });
                }
            },
        }
        false
    }

    #[cold]
    fn refuse_line(&mut self, span: Span, line: &[u8]) {
        let message = match line {
            [b'0', ..] => "an entry's number has no leading zero",
            _ if is_conflict_marker(line) => super::CONFLICT,
            [b'=', ..] => "expected `= ` and the result",
            [b' ' | b'\t', ..] if line.trim_ascii_start().starts_with(b"~ ") => {
                "a signature line begins with two spaces, `~` and one space"
            }
            [b' ' | b'\t', rest @ ..] if rest.trim_ascii().is_empty() => {
                "this line has nothing but invisible spaces: it must be empty or an entry"
            }
            [b' ' | b'\t', ..] => "a line begins without spaces",
            _ => "",
        };
        self.faults.push_with(|| match message {
            "" => Diagnostic::fault(span, format!("this is not a line of a record: expected {LINE}")),
            super::CONFLICT => super::conflict(span),
            _ => Diagnostic::fault(span, message),
        });
    }

    fn entry(&mut self, span: Span, line: &[u8]) -> Option<Entry> {
        let fault = match entry(line, span.start as usize, self.sides.as_ref()) {
            Ok((_, entry)) => return Some(Entry { signature: self.signature(), ..entry }),
            Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => fault,
            Err(nom::Err::Incomplete(_)) => Expected { rest: b"", what: LINE },
        };
        let at = span.end as usize - fault.rest.len().min(line.len());
        let sides = self.sides;
        self.faults.push_with(|| {
            let word = String::from_utf8_lossy(fault.rest.split(|&byte| byte == b' ').next().unwrap_or_default());
            let (length, message) = match sides {
                Some(_) if fault.what == SIDE && word.is_empty() => {
                    (1, "one space separates the parts of an entry: here are two spaces, or one at the end".to_owned())
                }
                Some([first, second]) if fault.what == SIDE => (
                    word.len(),
                    format!("`{word}` is not a side of this game: expected {} or {}", first.text, second.text),
                ),
                _ if !fault.rest.is_empty() && fault.rest.iter().all(|byte| *byte == b' ') => {
                    (fault.rest.len(), "there is an invisible space at the end of this entry".to_owned())
                }
                _ if fault.rest.starts_with(b"  ") => {
                    (2, "one space separates the parts of an entry: here are two spaces".to_owned())
                }
                _ => (fault.rest.len(), format!("this entry is incomplete: expected {}", fault.what)),
            };
            Diagnostic::fault(Span::new(at, at + length), message)
        });
        None
    }

    /// Takes the signature on the next line, if there is one.
    fn signature(&mut self) -> Option<Span> {
        if !self.source[self.at..self.end].starts_with(b"  ~ ") {
            return None;
        }
        let span = self.take_line();
        let line = span.bytes(self.source);
        if !self.fits_as_text(span, line) {
            return None;
        }
        let text = Span::new(span.start as usize + 4, span.end as usize);
        if SignatureText::read(text.bytes(self.source)).is_none() {
            self.faults.push(Diagnostic::fault(text, "a signature is 64 bytes in base64, 88 characters"));
            return None;
        }
        Some(text)
    }
}

/// Reads an entry up to the end of its line or of the input, which begins at `base` in the record.
#[inline(always)]
fn entry<'a>(line: &'a [u8], base: usize, sides: Option<&[Word; 2]>) -> Parsed<'a, Entry> {
    let (rest, number) = number(line)?;
    let (rest, ()) = space(rest, "a space and the side's word")?;
    let (rest, side) = match sides.and_then(|words| quick_side(words, rest)) {
        Some(found) => found,
        None => {
            let (rest, side) = match sides {
                Some(words) => side(words, rest)?,
                None => any_word(rest)?,
            };
            let (rest, ()) = space(rest, "a space and the actions")?;
            (rest, side)
        }
    };
    behind(line, base, rest, number, side)
}

/// Reads the rest of an entry after its number and side.
#[inline(always)]
fn behind<'a>(line: &'a [u8], base: usize, rest: &'a [u8], number: u64, side: Side) -> Parsed<'a, Entry> {
    let at = |rest: &[u8]| base + (line.len() - rest.len());
    let start = at(rest);
    let (mut rest, several) = actions(rest)?;
    let actions = Span::new(start, at(rest));
    let (mut when, mut said) = (None, None);
    if let [b' ', b'@', after @ ..] = rest {
        let (after, time) = time(after)?;
        when = Some(time);
        rest = after;
    }
    if let [b' ', b'{', inner @ ..] = rest {
        let (after, message) = message(inner)?;
        said = Some(Span::new(at(inner), at(inner) + message.len()));
        rest = after;
    }
    match rest {
        [] | [b'\n', ..] => {
            let span = Span::new(base, at(rest));
            Ok((rest, Entry { span, number, side, actions, several, time: when, message: said, signature: None }))
        }
        _ if said.is_some() => refuse(rest, "the end of the line after the message"),
        _ => refuse(rest, "the line's end, or a space and a message in braces"),
    }
}

fn space<'a>(input: &'a [u8], expected: &'static str) -> Parsed<'a, ()> {
    match input {
        [b' ', rest @ ..] => Ok((rest, ())),
        _ => refuse(input, expected),
    }
}

/// A side's name, also stored as one number together with the space after it. Comparing with a text whose length is not
/// known at compile time is a function call, and every entry would need one.
#[derive(Clone, Copy, Debug)]
struct Word {
    text: &'static str,
    bytes: u128,
    /// The bits of `bytes` that count; none for a name that does not fit, which therefore equals no number.
    mask: u128,
    /// How many bits count.
    bits: u32,
}

impl Word {
    fn new(text: &'static str) -> Self {
        const MOST: usize = size_of::<u128>() - 2;
        let mut bytes = [0; size_of::<u128>()];
        let Some(place) = bytes.get_mut(..text.len()).filter(|place| place.len() <= MOST) else {
            return Self { text, bytes: 1, mask: 0, bits: 0 };
        };
        place.copy_from_slice(text.as_bytes());
        let bits = 8 * text.len() as u32;
        let bytes = u128::from_le_bytes(bytes) | u128::from(b' ') << bits;
        Self { text, bytes, mask: (1 << (bits + 8)) - 1, bits: bits + 8 }
    }
}

/// The beginning of an entry: its number and side. Almost every entry has the next number and is made by the other
/// side, so it is compared and not parsed.
#[derive(Clone, Copy, Debug)]
struct Head {
    number: u64,
    side: Side,
    /// For each side, the text of the number, the side's name and the spaces after them, as one number.
    text: [u128; 2],
    /// The bits of that number that count.
    mask: [u128; 2],
    /// Its length in bytes; zero if it is too long for this.
    length: [usize; 2],
    /// What to add to the text for the next number, and how often that is possible.
    one: u128,
    left: u64,
    /// What to add for the next number where the last digit is a nine and the one before it is not, and how often that is possible.
    ten: u128,
    tens_left: u64,
}

impl Head {
    /// No beginning: nothing is known about the next entry.
    const NONE: Self = Self {
        number: 0,
        side: Side::First,
        text: [0; 2],
        mask: [0; 2],
        length: [0; 2],
        one: 0,
        left: 0,
        ten: 0,
        tens_left: 0,
    };

    fn of(number: u64, side: Side, words: &[Word; 2]) -> Self {
        let (mut digits, mut bits, mut rest) = (0, 0, number);
        while bits == 0 || rest > 0 && bits < u64::BITS {
            digits = (digits << 8) | (u128::from(b'0') + u128::from(rest % 10));
            bits += 8;
            rest /= 10;
        }
        let mut head = Self { number, side, one: 1 << (bits - 8), left: 9 - number % 10, ..Self::NONE };
        if bits > 8 {
            head.ten = (head.one >> 8).wrapping_sub(9 * head.one);
            head.tens_left = 9 - number / 10 % 10;
        }
        for (nth, word) in words.iter().enumerate() {
            let all = bits + 8 + word.bits;
            if rest == 0 && word.bits > 0 && all <= u128::BITS {
                head.text[nth] = digits | u128::from(b' ') << bits | word.bytes << (bits + 8);
                head.mask[nth] = u128::MAX >> (u128::BITS - all);
                head.length[nth] = all as usize / 8;
            }
        }
        head
    }

    /// Returns what follows this beginning in the input, if the input begins with it. It does not answer for the last
    /// few bytes of a record, nor for a beginning that is too long to be compared as one number.
    #[inline(always)]
    fn fits<'a>(&self, input: &'a [u8]) -> Option<&'a [u8]> {
        let start = u128::from_le_bytes(*input.first_chunk()?);
        let nth = self.side.index();
        let length = self.length[nth];
        if (start ^ self.text[nth]) & self.mask[nth] == 0 && length > 0 { input.get(length..) } else { None }
    }

    /// Goes on to the next number and the other side, if only the last two digits of the number change; returns whether it did.
    #[inline(always)]
    fn count(&mut self) -> bool {
        let more = if self.left > 0 {
            self.left -= 1;
            self.one
        } else if self.tens_left > 0 {
            self.tens_left -= 1;
            self.left = 9;
            self.ten
        } else {
            return false;
        };
        // The sums are those of texts, and numbers too long for one are compared with none.
        self.number = self.number.wrapping_add(1);
        self.side = self.side.other();
        self.text = self.text.map(|text| text.wrapping_add(more));
        true
    }
}

/// Returns the side whose name the input begins with, and what follows the space after it. It does not answer for the
/// last few bytes of a record, nor for an invalid name.
#[inline]
fn quick_side<'a>(words: &[Word; 2], input: &'a [u8]) -> Option<(&'a [u8], Side)> {
    let start = u128::from_le_bytes(*input.first_chunk()?);
    let [first, second] = words;
    if start & first.mask == first.bytes {
        Some((input.get(first.text.len() + 1..)?, Side::First))
    } else if start & second.mask == second.bytes {
        Some((input.get(second.text.len() + 1..)?, Side::Second))
    } else {
        None
    }
}

fn side<'a>(words: &[Word; 2], input: &'a [u8]) -> Parsed<'a, Side> {
    for (word, side) in words.iter().zip(Side::BOTH) {
        if let Some(rest @ ([] | [b' ' | b'\n', ..])) = input.strip_prefix(word.text.as_bytes()) {
            return Ok((rest, side));
        }
    }
    refuse(input, SIDE)
}

fn any_word(input: &[u8]) -> Parsed<'_, Side> {
    match memchr2(b' ', b'\n', input) {
        Some(length) if length > 0 && input[length] == b' ' => Ok((&input[length..], Side::First)),
        _ => refuse(input, "the side's word, a space and the actions"),
    }
}

/// Returns how many bytes of the input precede its first space or control character; `None` if there is none. It is
/// usually found within the first eight bytes.
#[inline(always)]
fn word(input: &[u8]) -> Option<usize> {
    const EACH: u64 = u64::MAX / 0xff;
    let (mut passed, mut rest) = (0, input);
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let bytes = u64::from_le_bytes(*eight);
        // The lowest of these bits that is set marks the first such byte; those above it may be wrong.
        let low = bytes.wrapping_sub(EACH * 0x21) & !bytes & (EACH * 0x80);
        if low != 0 {
            return Some(passed + low.trailing_zeros() as usize / 8);
        }
        (passed, rest) = (passed + 8, behind);
    }
    rest.iter().position(|&byte| byte <= b' ').map(|at| passed + at)
}

/// Reads everything up to the end of the line, or up to the time or the message, which begin with ` @` and ` {`;
/// returns whether it is several actions. Actions are short, so looking at each byte costs less than a search.
#[inline]
fn actions(input: &[u8]) -> Parsed<'_, bool> {
    let mut several = false;
    let mut rest = input;
    // Of the bytes that a line may contain, only its end is below the space, so one comparison skips all others.
    while let Some(length) = word(rest) {
        let word = &rest[..length];
        rest = &rest[length..];
        if let [b'\n', ..] | [b' ', b'@' | b'{', ..] = rest {
            return if rest.len() == input.len() { refuse(input, "an action") } else { Ok((rest, several)) };
        }
        several |= word.ends_with(b";");
        rest = &rest[1..];
    }
    if input.is_empty() { refuse(input, "an action") } else { Ok((&input[input.len()..], several)) }
}

#[inline(always)]
fn time(input: &[u8]) -> Parsed<'_, Time> {
    match input.get(..Time::LENGTH).and_then(Time::read) {
        Some(time) => Ok((&input[Time::LENGTH..], time)),
        None => refuse(input, "a time in UTC with whole seconds, as in 2026-11-21T10:15:00Z"),
    }
}

fn message(input: &[u8]) -> Parsed<'_, &[u8]> {
    match memchr3(b'{', b'}', b'\n', input) {
        Some(length) if input[length] == b'}' => Ok((&input[length + 1..], &input[..length])),
        Some(length) if input[length] == b'{' => refuse(&input[length..], "no brace within a message"),
        Some(length) => refuse(&input[length..], "`}` at the end of the message"),
        None => refuse(&input[input.len()..], "`}` at the end of the message"),
    }
}

/// Whether git leaves such a line in a file that it merged with conflicts.
fn is_conflict_marker(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    [&b"<<<<<<<"[..], b"|||||||", b">>>>>>>"].iter().any(|mark| line.starts_with(mark)) || line == b"======="
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    /// The entries in the lines below a header, and the number of faults.
    fn entries(lines: &str) -> (Vec<Entry>, usize) {
        let info = registry::find("asalto").map(crate::registry::AnyGame::info);
        let span = Span::new(0, lines.len());
        let mut body = Body::new(lines.as_bytes(), span, info, Faults::default());
        let mut list = Vec::new();
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item {
                list.push(entry);
            }
        }
        (list, body.faults.list.len())
    }

    #[test]
    fn an_entry_reads_the_same_whether_or_not_it_begins_as_expected() {
        // Each number is either expected or not; of long numbers only the end is compared.
        let numbers = [1, 2, 3, 5, 6, 9, 10, 11, 99, 100, 101, 12_345_678, 12_345_679, 112_345_680, 9_999_999_999_999];
        for sides in [["besiegers", "defenders"], ["defenders", "defenders"]] {
            let lines: String =
                numbers.iter().zip(sides.iter().cycle()).map(|(n, side)| format!("{n} {side} c4-c5\n")).collect();
            let (list, faults) = entries(&(lines + "# the end, behind which nothing is read ahead\n"));
            assert_eq!((list.iter().map(|entry| entry.number).collect::<Vec<_>>(), faults), (numbers.to_vec(), 0));
            let read: Vec<_> = list.iter().map(|entry| ["besiegers", "defenders"][entry.side.index()]).collect();
            assert_eq!(read, sides.into_iter().cycle().take(numbers.len()).collect::<Vec<_>>());
        }
        for line in ["2 besiegersx c4-c5", "2 besieger c4-c5", "02 besiegers c4-c5", "2  besiegers c4-c5"] {
            assert_eq!(
                entries(&format!("1 defenders place c6 e6\n{line}\n# the end, behind which nothing is\n")).1,
                1,
                "{line}"
            );
        }
    }

    #[test]
    fn empty_lines_are_taken_together_however_they_end() {
        let info = registry::find("asalto").map(crate::registry::AnyGame::info);
        for (text, blank) in [("\n", 1), ("\r\n", 1), ("\n\r\n\r\n\n", 4), ("\r", 1), ("\n\r", 2)] {
            for times in [1, 15, 16, 17, 40] {
                let ends = text.ends_with('\n');
                let lines = if ends { text.repeat(times) } else { text.to_owned() };
                let count = if ends { blank * times } else { blank };
                for rest in
                    ["", "# x\n", "1 defenders place c6 e6\n"].into_iter().filter(|rest| ends || rest.is_empty())
                {
                    let whole = format!("{lines}{rest}");
                    let mut body = Body::new(whole.as_bytes(), Span::new(0, whole.len()), info, Faults::default());
                    let items: Vec<_> = std::iter::from_fn(|| body.next_item()).collect();
                    let empty = |item: &Item| if let Item::Blank(lines) = item { *lines } else { 0 };
                    assert_eq!(items.iter().map(empty).sum::<usize>(), count, "{whole:?}");
                    assert!(items.len() <= 2 + usize::from(!rest.is_empty()), "{whole:?}: {items:?}");
                    assert!(body.faults.is_empty(), "{whole:?}");
                }
            }
        }
    }

    #[test]
    fn an_entry_reads_the_same_in_the_middle_at_the_end_and_beside_lines_that_need_a_closer_look() {
        for line in [
            "1 defenders place c6 e6",
            "12 besiegers huff c5; c4-c5 @2026-11-21T10:15:00Z {it is mine; or not}",
            "3 besiegers a",
            "3 besiegers c4-c5 {@}",
            "3 besiegers c4-c5 @home",
            "3 besiegers  c4-c5",
            "3 besiegers ",
            "3 besiegers",
            "3 besiegersc4-c5",
            "3 nobody c4-c5",
            "3 d",
            "3 ",
            "33333333333333333333 defenders d5-d6",
            "0 defenders d5-d6",
            "3 defenders d5-d6 {",
        ] {
            let last = entries(line);
            assert_eq!(last.0.len() + last.1, 1, "{line}");
            assert_eq!(entries(&format!("{line}\n# in the midst of a record\n")), last, "{line}");
            assert_eq!(entries(&format!("{line}\n# é\n")), last, "{line}");
            assert!(last.0.iter().all(|entry| entry.several == line.contains("huff")), "{line}");
        }
    }
}
