//! Where the tokens of reply addresses may stand in a text, however a mail program broke, wrapped or escaped them.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::token::LENGTH;
use postrider_home::office::Trouble;

/// What is known of words that may be tokens.
#[derive(Default)]
pub(super) struct Looked {
    /// Words that are none.
    pub(super) none: HashSet<Vec<u8>>,
    /// Words that are, and the addresses of those to whom they belong.
    pub(super) owners: HashMap<String, Option<String>>,
    /// The tokens of the host by their first two signs, as far as they were read.
    pub(super) lists: HashMap<String, HashSet<String>>,
    /// Tokens in records that were written or attached.
    pub(super) exposed: BTreeSet<String>,
    /// What was in the way.
    pub(super) trouble: Option<Trouble>,
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Html,
}

/// A reading of a text: which of its signs stand for others.
#[derive(Clone, Copy)]
struct Reading {
    /// Whether `<…>` is left out.
    without_tags: bool,
    /// Whether `%2B` and `&#43;` stand for `+`.
    escaped: bool,
    /// Whether `=2B` does, and `=` at the end of a line for nothing.
    printable: bool,
    /// Whether only letters and digits count: `a.b-c`, and lines behind any mark of quotation.
    bare: bool,
}

impl Form {
    const fn readings(self) -> [Reading; 3] {
        let (is_html, is_text) = (matches!(self, Self::Html), matches!(self, Self::Text));
        [
            Reading { without_tags: is_html, escaped: is_html, printable: is_html, bare: false },
            Reading { without_tags: false, escaped: true, printable: is_text, bare: false },
            Reading { without_tags: is_html, escaped: true, printable: true, bare: true },
        ]
    }
}

/// A sign that counts.
#[derive(Clone, Copy)]
struct Sign {
    /// In lower case, and of its usual width.
    sign: char,
    /// Where it stands in the text, in bytes.
    from: usize,
    to: usize,
    /// Whether blanks or the like stand before it.
    apart: bool,
}

impl Sign {
    const fn is_of_token(&self) -> bool {
        matches!(self.sign, 'a'..='z' | '2'..='7')
    }
}

/// The signs of a text in order, without blanks, line ends, marks of quotation and what is not seen.
struct Signs<'t> {
    text: &'t str,
    at: usize,
    reading: Reading,
    apart: bool,
    begins_line: bool,
}

impl<'t> Signs<'t> {
    const fn new(text: &'t str, reading: Reading) -> Self {
        Self { text, at: 0, reading, apart: false, begins_line: true }
    }

    /// What stands next, and how many bytes it takes; `None` for a sign that is left out.
    fn read(&self, rest: &str, first: char) -> (Option<char>, usize) {
        let reading = self.reading;
        let found = match first {
            '<' if reading.without_tags => return (None, rest.find('>').map_or(1, |end| end + 1)),
            '%' if reading.escaped => byte_escape(rest, '%'),
            // Where the end of a line was, there may be a blank by now.
            '=' if reading.printable && ends_line(rest) => return (None, 1),
            '=' if reading.printable => byte_escape(rest, '='),
            '&' if reading.escaped => entity(rest),
            _ => None,
        };
        let (sign, length) = found.unwrap_or((first, first.len_utf8()));
        match sign {
            '\u{ff01}'..='\u{ff5e}' => (char::from_u32(u32::from(sign) - 0xfee0), length),
            _ if is_left_out(sign) || reading.bare && !sign.is_alphanumeric() => (None, length),
            _ => (Some(sign), length),
        }
    }
}

/// The length of a mark of quotation with the initials of somebody: `AQ>`.
fn initials(rest: &str) -> Option<usize> {
    const MOST: usize = 4;
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    ((1..=MOST).contains(&length) && rest.as_bytes().get(length) == Some(&b'>')).then_some(length + 1)
}

impl Iterator for Signs<'_> {
    type Item = Sign;

    fn next(&mut self) -> Option<Sign> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = rest.chars().next()?;
            if self.reading.bare
                && self.apart
                && let Some(length) = initials(rest)
            {
                self.at += length;
                continue;
            }
            let (sign, length) = self.read(rest, first);
            let from = self.at;
            self.at += length;
            // A token that was broken with a hyphen.
            let breaks = first == '-' && ends_line(rest);
            match sign {
                Some('>' | '|') if self.begins_line => self.apart = true,
                Some(_) if breaks => self.apart = true,
                None => {
                    self.apart = true;
                    self.begins_line |= first == '\n';
                }
                Some(sign) => {
                    self.begins_line = false;
                    let apart = std::mem::take(&mut self.apart);
                    return Some(Sign { sign: sign.to_ascii_lowercase(), from, to: self.at, apart });
                }
            }
        }
    }
}

/// Whether a sign of one byte is the last before a blank or the end of a line.
fn ends_line(rest: &str) -> bool {
    rest.as_bytes().get(1).is_some_and(u8::is_ascii_whitespace)
}

/// Whether a sign is no part of anything: blanks, soft hyphens, what has no width.
fn is_left_out(sign: char) -> bool {
    sign.is_whitespace()
        || sign.is_control()
        || matches!(sign, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Reads a sign whose bytes are escaped: `%2B`, `%C2%AD`.
fn byte_escape(rest: &str, mark: char) -> Option<(char, usize)> {
    let byte = |nth: usize| {
        let digits = rest.get(3 * nth..3 * nth + 3)?.strip_prefix(mark)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let first = byte(0)?;
    let count = match first {
        0..=0x7f => return Some((char::from(first), 3)),
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let bytes: Option<Vec<u8>> = (0..count).map(byte).collect();
    let sign = bytes.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.chars().next());
    Some(sign.map_or((char::REPLACEMENT_CHARACTER, 3), |sign| (sign, 3 * count)))
}

/// Reads `&#43;`, `&#x2b;` and the names of signs that matter here; a number may lack its semicolon.
fn entity(rest: &str) -> Option<(char, usize)> {
    /// The longest name, in bytes.
    const LONGEST: usize = 12;
    let of_name: fn(&u8) -> bool = match rest.as_bytes() {
        [_, b'#', b'x' | b'X', ..] => u8::is_ascii_hexdigit,
        [_, b'#', ..] => u8::is_ascii_digit,
        _ => u8::is_ascii_alphanumeric,
    };
    let mark = rest.bytes().skip(1).take(2).take_while(|byte| matches!(byte, b'#' | b'x' | b'X')).count();
    let length = mark + rest.bytes().skip(1 + mark).take(LONGEST).take_while(of_name).count();
    let name = rest.get(1..=length)?;
    let is_closed = rest.as_bytes().get(length + 1) == Some(&b';');
    if !is_closed && !name.starts_with('#') {
        return None;
    }
    let end = length + usize::from(is_closed);
    let sign = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
        None => match name {
            "plus" => '+',
            "commat" => '@',
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "nbsp" => ' ',
            "shy" | "zwnj" | "zwj" => '\u{ad}',
            _ => return None,
        },
    };
    Some((sign, end + 1))
}

/// Is told a run of signs, and where each of them stands.
type Hear<'h> = dyn FnMut([u8; LENGTH], &mut dyn Iterator<Item = Range<usize>>) + 'h;

/// Calls `hear` with each run of signs that may be a token, and where each of them stands. A run that is broken counts only as a whole;
/// one that is not may be a part of a longer word.
fn runs(signs: impl Iterator<Item = Sign>, hear: &mut Hear<'_>) {
    // The run, what stands before it, and what stands behind it.
    let mut last: VecDeque<Sign> = VecDeque::with_capacity(LENGTH + 2);
    let nothing = Sign { sign: ' ', from: 0, to: 0, apart: true };
    last.push_back(nothing);
    for sign in signs.chain(std::iter::once(nothing)) {
        last.push_back(sign);
        if last.len() < LENGTH + 2 {
            continue;
        }
        let run = || last.iter().skip(1).take(LENGTH);
        if run().all(Sign::is_of_token) {
            let is_end = |behind: &Sign| behind.apart || !behind.is_of_token();
            let begins = last.front().is_some_and(|before| !before.is_of_token());
            let begins = begins || last.get(1).is_some_and(|first| first.apart);
            let whole = begins && last.back().is_some_and(is_end);
            if whole || run().skip(1).all(|sign| !sign.apart) {
                let mut word = [0; LENGTH];
                for (to, sign) in word.iter_mut().zip(run()) {
                    *to = u8::try_from(sign.sign).unwrap_or_default();
                }
                hear(word, &mut run().map(|sign| sign.from..sign.to));
            }
        }
        last.pop_front();
    }
}

/// Calls `hear` with each run of letters and digits in a text that may be a token.
pub(super) fn each(text: &str, form: Form, hear: &mut dyn FnMut([u8; LENGTH])) {
    for reading in form.readings() {
        runs(Signs::new(text, reading), &mut |word, _| hear(word));
    }
}

/// A part that goes, and whether something is put in its place.
type Span = (Range<usize>, bool);

/// The parts of one token: what stands for it comes once.
fn spans(places: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = Span> {
    places.enumerate().map(|(nth, place)| (place, nth == 0))
}

/// The signs between `local+` and `@domain`.
fn addressed(signs: &[Sign], (local, domain): (&str, &str), own: &str) -> Vec<Span> {
    /// The longest token that is looked for.
    const LONGEST: usize = 64;
    let is = |at: usize, text: &str| {
        let mut here = signs.get(at..).unwrap_or_default().iter();
        text.chars().all(|sign| here.next().is_some_and(|one| one.sign == sign.to_ascii_lowercase()))
    };
    let (before, behind) = (format!("{local}+"), format!("@{domain}"));
    let mut found = Vec::new();
    for at in 0..signs.len() {
        if signs.get(at).is_none_or(|sign| !before.starts_with(sign.sign)) || !is(at, &before) {
            continue;
        }
        let from = at + before.chars().count();
        let Some(to) = (from + 1..=from + LONGEST).find(|to| is(*to, &behind)) else { continue };
        let token = signs.get(from..to).unwrap_or_default();
        let is_own = token.iter().map(|sign| sign.sign).eq(own.chars());
        if !is_own && token.iter().all(|sign| sign.sign.is_alphanumeric()) {
            found.extend(spans(token.iter().map(|sign| sign.from..sign.to)));
        }
    }
    found
}

/// Returns a text with `…` in place of each token that `goes`, and of each in an address of the host (its parts before and behind the
/// token) but the letter's `own`; `None` if there is nothing of the kind.
pub(super) fn without(
    text: &str,
    form: Form,
    host: Option<(&str, &str)>,
    own: &str,
    goes: &mut dyn FnMut([u8; LENGTH]) -> bool,
) -> Option<String> {
    let mut cleaned: Option<String> = None;
    for reading in form.readings() {
        let text = cleaned.as_deref().unwrap_or(text);
        let mut gone: Vec<Span> = Vec::new();
        runs(Signs::new(text, reading), &mut |word, places| {
            if goes(word) {
                gone.extend(spans(places));
            }
        });
        if let Some(host) = host {
            let signs: Vec<Sign> = Signs::new(text, reading).collect();
            gone.extend(addressed(&signs, host, own));
        }
        if !gone.is_empty() {
            cleaned = Some(cut(text, gone));
        }
    }
    cleaned
}

/// A text without these parts; what stood between the signs of one token stays, for it may be a tag or the end of a line.
fn cut(text: &str, mut gone: Vec<Span>) -> String {
    gone.sort_by_key(|(place, _)| place.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (place, is_first) in gone {
        // The same sign may be found in two ways.
        if place.start < at {
            continue;
        }
        out.push_str(text.get(at..place.start).unwrap_or_default());
        if is_first {
            out.push('…');
        }
        at = place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "abcdefghijklmnop";

    fn cleaned(text: &str, form: Form) -> String {
        let host = Some(("games", "example.com"));
        let mut goes = |word: [u8; LENGTH]| word == TOKEN.as_bytes();
        without(text, form, host, "own", &mut goes).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_token_is_found_however_it_is_broken_or_escaped() {
        for text in [
            "Hi Ada, should I write to games+ABCDEFGHIJKLMNOP@example.com?",
            "mailto:games%2Babcdefghijklmnop%40example.com?subject=x",
            "games=2Babcdefghi=\njklmnop=40example.com",
            "games+abcdef\r\n> ghijklmnop@example.com",
            "games+abcd\u{ad}efghi\u{200b}jklmnop@example.com",
            "the word is abcd efgh ijkl mnop.",
            "<games+\n abcdefghijklmnop @ example.com> schrieb:",
            "ｇａｍｅｓ+ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐ",
            "xxabcdefghijklmnopyy",
            "&#97;bcdefghijklmnop",
            "abcdefgh-\nijklmnop",
            "abcd-efgh-ijkl-mnop",
            "games+abcdefg*hijklmnop@example.com",
            "# games+abcdefgh # ijklmnop@example.com",
            "\u{bb} abcdefgh\n\u{bb} ijklmnop",
            "AQ> abcdefgh\nAQ> ijklmnop",
            "the word is abcdefgh > > ijklmnop",
            "a\u{301}b\u{301}cdefghijklmnop",
            "&#97&#098cdefghijklmn&#x6f&#x70",
        ] {
            let left = cleaned(text, Form::Text);
            assert!(left.contains('…'), "{text}: {left}");
            let mut found = false;
            each(&left, Form::Text, &mut |word| found |= word == TOKEN.as_bytes());
            assert!(!found, "{text}: {left}");
        }
        let html = "<p>games+abcdefgh<wbr>ijklmnop&#64;example.com</p><a href=\"mailto:games%2Babcdefghijklmnop%40example.com\">";
        let left = cleaned(html, Form::Html);
        assert_eq!(left, "<p>games+…<wbr>&#64;example.com</p><a href=\"mailto:games%2B…%40example.com\">");
    }

    #[test]
    fn other_words_and_the_own_address_stay() {
        for text in [
            "abcdefghijklmno p2 is a move, and games@example.com is the host",
            "games+own@example.com",
            "x abcdefghi jklmnopq",
            "",
        ] {
            assert_eq!(cleaned(text, Form::Text), text);
        }
        assert_eq!(cleaned("games+other@example.com", Form::Text), "games+…@example.com");
    }
}
