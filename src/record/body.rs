//! The lines below the header, one after another: entries with their signatures, remarks, the result. Nothing is kept, so
//! a record of any length needs no more memory than its bytes.

use memchr::{memchr, memchr2};
use nom::Parser;
use nom::branch::alt;

use super::{Faults, LINE_LIMIT, Time};
use crate::games::kernel::{Info, Side};
use crate::notation::{Expected, Parsed, number, refuse};
use crate::text::{Diagnostic, Span, is_forbidden};

/// An entry as it is written. All places are in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The whole line without its end.
    pub span: Span,
    /// The number that it bears; 64-bit, larger ones as the largest.
    pub number: u64,
    /// Where the number stands.
    pub number_span: Span,
    /// Whose it is; the first side where the game is not known.
    pub side: Side,
    /// Where the side's word stands.
    pub side_span: Span,
    /// All its actions.
    pub actions: Span,
    /// Its time.
    pub time: Option<Time>,
    /// The time with its `@`; empty where there is none.
    pub time_span: Span,
    /// The message without its braces.
    pub message: Option<Span>,
    /// The signature's base64, from the line directly below.
    pub signature: Option<Span>,
}

/// A line that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An empty line.
    Blank,
    /// A remark, the whole line.
    Remark(Span),
    /// An entry, with the signature below it.
    Entry(Entry),
    /// A result line, the whole of it. Its text begins two bytes later.
    Result(Span),
}

/// Reads the lines of a record one after another.
#[derive(Debug)]
pub struct Body<'a> {
    source: &'a [u8],
    at: usize,
    end: usize,
    sides: Option<[&'static str; 2]>,
    /// Whether everything is ASCII without control characters but LF, so that no line needs a closer look.
    clean: bool,
    after_result: bool,
    /// The faults so far.
    pub faults: Faults,
}

const LINE: &str = "an entry (`3 white …`), a remark (`# …`), a result (`= …`) or an empty line";

impl<'a> Body<'a> {
    /// Starts reading the lines in `span`. Of a game that is not known the sides' words are not checked. Faults found are
    /// added to `faults`.
    #[must_use]
    pub fn new(source: &'a [u8], span: Span, game: Option<&'static Info>, faults: Faults) -> Self {
        let bytes = span.bytes(source);
        // A fold without an early exit is what the compiler turns into wide instructions.
        let odd = bytes.iter().fold(false, |odd, &byte| odd | (byte >= 0x7f) | ((byte < 0x20) & (byte != b'\n')));
        Self {
            source,
            at: span.start as usize,
            end: (span.end as usize).min(source.len()),
            sides: game.map(|info| info.sides.map(|side| side.word)),
            clean: !odd,
            after_result: false,
            faults,
        }
    }

    /// Returns the next line that fits; those that do not are added to the faults and passed over.
    pub fn next_item(&mut self) -> Option<Item> {
        while self.at < self.end {
            let span = self.take_line();
            let line = span.bytes(self.source);
            if !self.fits_as_text(span, line) {
                continue;
            }
            if self.after_result && !matches!(line, [] | [b'#', ..]) {
                let message = "nothing follows the result line but remarks";
                self.faults.push(Diagnostic::fault(span, message));
                continue;
            }
            match line {
                [] => return Some(Item::Blank),
                [b'#', ..] => return Some(Item::Remark(span)),
                [b'=', b' ', ..] => {
                    self.after_result = true;
                    return Some(Item::Result(span));
                }
                [b'1'..=b'9', ..] | [b'0', b' ', ..] => {
                    if let Some(entry) = self.entry(span, line) {
                        return Some(Item::Entry(entry));
                    }
                }
                [b' ', b' ', b'~', b' ', ..] => {
                    let message = "a signature stands directly below its entry, and there is one at most";
                    self.faults.push(Diagnostic::fault(span, message));
                }
                _ => self.refuse_line(span, line),
            }
        }
        None
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

    /// Whether a line is short enough, UTF-8, and without control characters.
    fn fits_as_text(&mut self, span: Span, line: &[u8]) -> bool {
        if line.len() > LINE_LIMIT {
            self.faults.push(Diagnostic::fault(Span::at(span.start as usize), "the line is over 64 KiB"));
            return false;
        }
        if self.clean {
            return true;
        }
        let start = span.start as usize;
        let fault = match std::str::from_utf8(line) {
            Err(error) => Diagnostic::fault(Span::at(start + error.valid_up_to()), "the line is not UTF-8"),
            Ok(text) => match text.char_indices().find(|(_, c)| is_forbidden(*c)) {
                None => return true,
                Some((offset, c)) => {
                    let place = Span::new(start + offset, start + offset + c.len_utf8());
                    Diagnostic::fault(place, format!("a control character ({})", c.escape_unicode()))
                }
            },
        };
        self.faults.push(fault);
        false
    }

    #[cold]
    fn refuse_line(&mut self, span: Span, line: &[u8]) {
        let message = match line {
            [b'0', ..] => "an entry's number has no leading zero",
            [b'=', ..] => "expected `= ` and the result",
            [b' ' | b'\t', ..] => "a line begins without spaces",
            _ => "",
        };
        let message = if message.is_empty() { format!("expected {LINE}") } else { message.to_owned() };
        self.faults.push(Diagnostic::fault(span, message));
    }

    fn entry(&mut self, span: Span, line: &[u8]) -> Option<Entry> {
        let fault = match entry(line, self.sides) {
            Ok((_, parts)) => {
                let place =
                    |(start, end): (usize, usize)| Span::new(span.start as usize + start, span.start as usize + end);
                return Some(Entry {
                    span,
                    number: parts.number,
                    number_span: place((0, parts.number_end)),
                    side: parts.side,
                    side_span: place((parts.number_end + 1, parts.actions.0 - 1)),
                    actions: place(parts.actions),
                    time: parts.time,
                    time_span: parts.time_at.map_or(Span::default(), |at| place((at, at + 1 + Time::LENGTH))),
                    message: parts.message.map(place),
                    signature: self.signature(),
                });
            }
            Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => fault,
            Err(nom::Err::Incomplete(_)) => Expected { rest: b"", what: LINE },
        };
        let at = span.end as usize - fault.rest.len().min(line.len());
        self.faults.push(Diagnostic::fault(Span::new(at, span.end as usize), format!("expected {}", fault.what)));
        None
    }

    /// The signature on the next line, if there is one.
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
        if data_encoding::BASE64.decode(text.bytes(self.source)).map(|bytes| bytes.len()) != Ok(64) {
            self.faults.push(Diagnostic::fault(text, "a signature is 64 bytes in base64, 88 characters"));
            return None;
        }
        Some(text)
    }
}

/// The parts of an entry's line, places from its start.
struct Parts {
    number: u64,
    number_end: usize,
    side: Side,
    actions: (usize, usize),
    time: Option<Time>,
    time_at: Option<usize>,
    message: Option<(usize, usize)>,
}

fn entry<'a>(line: &'a [u8], sides: Option<[&'static str; 2]>) -> Parsed<'a, Parts> {
    let at = |rest: &[u8]| line.len() - rest.len();
    let (rest, value) = number(line)?;
    let number_end = at(rest);
    let (rest, ()) = space(rest, "a space and the side's word")?;
    let (rest, side) = match sides {
        Some(words) => side(words, rest)?,
        None => any_word(rest)?,
    };
    let (rest, ()) = space(rest, "a space and the actions")?;
    let start = at(rest);
    let (rest, actions) = actions(rest)?;
    if actions.is_empty() {
        return refuse(rest, "an action");
    }
    let mut parts = Parts {
        number: value,
        number_end,
        side,
        actions: (start, start + actions.len()),
        time: None,
        time_at: None,
        message: None,
    };
    let rest = match rest {
        [b' ', b'@', ..] => {
            let (after, time) = time(&rest[2..])?;
            parts.time = Some(time);
            parts.time_at = Some(at(rest) + 1);
            after
        }
        _ => rest,
    };
    if let [b' ', b'{', inner @ ..] = rest {
        let (after, message) = message(inner)?;
        parts.message = Some((at(inner), at(inner) + message.len()));
        return if after.is_empty() { Ok((after, parts)) } else { refuse(after, "the line's end behind the message") };
    }
    if rest.is_empty() { Ok((rest, parts)) } else { refuse(rest, "the line's end, or a space and a message in braces") }
}

fn space<'a>(input: &'a [u8], expected: &'static str) -> Parsed<'a, ()> {
    match input {
        [b' ', rest @ ..] => Ok((rest, ())),
        _ => refuse(input, expected),
    }
}

fn side<'a>(words: [&'static str; 2], input: &'a [u8]) -> Parsed<'a, Side> {
    let word = |side: Side| {
        move |input: &'a [u8]| match input.strip_prefix(words[side.index()].as_bytes()) {
            Some(rest @ ([] | [b' ', ..])) => Ok((rest, side)),
            _ => refuse(input, "the game's own word for a side"),
        }
    };
    alt((word(Side::First), word(Side::Second))).parse(input)
}

fn any_word(input: &[u8]) -> Parsed<'_, Side> {
    match memchr(b' ', input) {
        Some(length) if length > 0 => Ok((&input[length..], Side::First)),
        _ => refuse(input, "the side's word, a space and the actions"),
    }
}

/// Everything up to the time or the message, which begin with ` @` and ` {`.
fn actions(input: &[u8]) -> Parsed<'_, &[u8]> {
    let mut from = 0;
    while let Some(found) = memchr2(b'@', b'{', &input[from..]) {
        let mark = from + found;
        if let Some(before) = mark.checked_sub(1).filter(|&before| input[before] == b' ') {
            return Ok((&input[before..], &input[..before]));
        }
        from = mark + 1;
    }
    Ok((&input[input.len()..], input))
}

fn time(input: &[u8]) -> Parsed<'_, Time> {
    match input.get(..Time::LENGTH).and_then(Time::read) {
        Some(time) => Ok((&input[Time::LENGTH..], time)),
        None => refuse(input, "a time in UTC with whole seconds, as in 2026-11-21T10:15:00Z"),
    }
}

fn message(input: &[u8]) -> Parsed<'_, &[u8]> {
    match memchr2(b'{', b'}', input) {
        Some(length) if input[length] == b'}' => Ok((&input[length + 1..], &input[..length])),
        Some(length) => refuse(&input[length..], "no brace within a message"),
        None => refuse(&input[input.len()..], "`}` at the end of the message"),
    }
}
