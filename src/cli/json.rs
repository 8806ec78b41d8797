//! JSON on standard output, one object per line. Characters beyond ASCII that could control a terminal are escaped: a
//! file name may come from a stranger, and people look at a line before a program reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use super::hints::Failure;
use crate::games::kernel::{Info, Side};
use crate::record::Header;
use crate::referee::Standing;
use crate::sealing::Thrown;
use crate::text::{LineIndex, is_steering};
use crate::verdict::Verdict;

/// How a game stands, in the terms that all commands use. `notation/schema/postrider.json` explains each.
#[derive(Serialize)]
pub(super) struct State<'a> {
    path: Option<&'a str>,
    game: &'static str,
    id: Option<&'a str>,
    entries: u32,
    due: Option<&'static str>,
    entry: Option<u32>,
    what: Option<&'static str>,
    offer: Option<&'static str>,
    result: Option<String>,
}

impl<'a> State<'a> {
    /// Returns the state of the game in a record that has been replayed.
    pub(super) fn of(path: &'a str, header: &'a Header<'_>, standing: &Standing) -> Self {
        Self { path: Some(path), id: Some(&header.id), ..Self::without_record(header.info, standing) }
    }

    /// Returns the state of a game without a record.
    pub(super) fn without_record(info: &'static Info, standing: &Standing) -> Self {
        let word = |side: Side| info.sides[side.index()].word;
        let goes_on = standing.outcome.is_none();
        Self {
            path: None,
            game: info.name,
            id: None,
            entries: standing.entries,
            due: goes_on.then(|| word(standing.due.side)),
            entry: goes_on.then(|| standing.entries.saturating_add(1)),
            what: goes_on.then_some(standing.due.what),
            offer: standing.offer.map(word),
            result: standing.outcome.map(|outcome| outcome.text(&info.sides)),
        }
    }
}

/// A player of a game.
#[derive(Serialize)]
pub(super) struct Player {
    name: String,
    email: Option<String>,
}

/// The players, by the names of their sides.
pub(super) fn players(header: &Header<'_>) -> BTreeMap<&'static str, Player> {
    let player = |side: Side| {
        let player = header.player(side);
        let email = player.email.as_deref().map(str::to_owned);
        (header.info.sides[side.index()].word, Player { name: player.name.to_string(), email })
    };
    Side::BOTH.into_iter().map(player).collect()
}

/// Dice that were thrown.
#[derive(Serialize)]
pub(super) struct Throw<'a> {
    label: &'a str,
    entry: u32,
    dice: &'a [u32],
    faces: &'a [u32],
}

impl<'a> Throw<'a> {
    /// Describes a throw.
    pub(super) fn of(one: &'a Thrown) -> Self {
        Self { label: &one.label, entry: one.entry, dice: &one.dice, faces: &one.faces }
    }
}

/// What is wrong with a record or an entry.
#[derive(Debug, Serialize)]
pub(super) struct Fault {
    pub entry: Option<u32>,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub rule: Option<&'static str>,
    pub message: String,
    /// What would be legal, if that can be said; only in a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<String>,
    /// The line with a caret below what is wrong, as people see it, without colours; only in a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

impl Fault {
    /// A fault without a place.
    pub(super) fn of_rule(rule: Option<&'static str>, message: String) -> Self {
        Self { entry: None, line: None, column: None, rule, message, legal: None, excerpt: None }
    }
}

/// How a match between two players ended.
#[derive(Serialize)]
pub(super) struct Match {
    pub a: u32,
    pub b: u32,
    pub draws: u32,
    pub games: u32,
    pub entries: u64,
}

/// A command that failed, as data.
#[derive(Serialize)]
pub(super) struct Failed<'a> {
    /// `refused`, `unjudged`, `trouble` or `stopped`.
    pub failure: &'static str,
    /// The exit code.
    pub code: u8,
    pub message: &'a str,
    pub errors: &'a [Fault],
    /// What to type next.
    pub hints: &'a [String],
}

/// Lists what is wrong according to a verdict, with places in the text that was judged.
pub(super) fn faults(source: &[u8], verdict: &Verdict) -> Vec<Fault> {
    let index = LineIndex::new(if verdict.errors.is_empty() { b"" } else { source });
    let fault = |error: &crate::text::Diagnostic| {
        let place = index.place(error.span.start as usize);
        Fault {
            entry: error.entry,
            line: Some(place.line),
            column: Some(place.column),
            rule: error.rule,
            message: error.line(),
            legal: None,
            excerpt: None,
        }
    };
    verdict.errors.iter().map(fault).collect()
}

/// Formats a value as a line of JSON. Texts and numbers always have a JSON form.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut line = harmless(serde_json::to_string(value).unwrap_or_default());
    line.push('\n');
    line
}

/// Adds the same line to others, most of which need no second look.
pub(super) fn add_line(lines: &mut Vec<u8>, value: &impl Serialize) {
    let start = lines.len();
    // Writing to memory always succeeds.
    let _ = serde_json::to_writer(&mut *lines, value);
    if is_beyond_ascii(lines.get(start..).unwrap_or_default()) {
        lines.truncate(start);
        lines.extend_from_slice(line(value).as_bytes());
    } else {
        lines.push(b'\n');
    }
}

/// Returns whether there may be a character that JSON does not escape and that could control a terminal.
fn is_beyond_ascii(text: &[u8]) -> bool {
    // A fold without an early exit is what the compiler turns into vector instructions.
    text.iter().fold(false, |any, byte| any | (*byte >= 0x7f))
}

/// Escapes the characters of a JSON text that could control a terminal.
fn harmless(text: String) -> String {
    if !is_beyond_ascii(text.as_bytes()) {
        return text;
    }
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    // JSON itself escapes the lower control characters.
    while let Some(next) = text.get(at..).and_then(|rest| rest.bytes().position(|byte| byte >= 0x7f)) {
        at += next;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        // Such a character is inside a string, where the escape means the same.
        if is_steering(c) {
            out.push_str(text.get(from..at).unwrap_or_default());
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` never fails.
                let _ = write!(out, "\\u{unit:04x}");
            }
            from = at + c.len_utf8();
        }
        at += c.len_utf8();
    }
    if from == 0 {
        return text;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Prints a value as a line of JSON as it is written, so that the whole line need not be kept.
///
/// # Errors
/// If it cannot be printed.
pub(super) fn stream(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = Printing { text: Vec::new(), failed: None };
    // What fails is printing, since texts and numbers always have a JSON form.
    let _ = serde_json::to_writer(&mut out, value);
    out.text.push(b'\n');
    out.print();
    out.failed.map_or(Ok(()), Err)
}

/// Prints what is written to it, many bytes at a time.
struct Printing {
    text: Vec<u8>,
    failed: Option<Failure>,
}

impl Printing {
    fn print(&mut self) {
        // It is text: what serde writes are whole texts.
        let text = String::from_utf8(std::mem::take(&mut self.text)).unwrap_or_default();
        self.failed = super::print(harmless(text)).err();
    }
}

impl io::Write for Printing {
    /// Each piece is a whole text or a part that ends between two characters.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.len() > 64 * 1024 && std::str::from_utf8(&self.text).is_ok() {
            self.print();
        }
        if self.failed.is_some() { Err(io::ErrorKind::Other.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_could_control_a_terminal_are_escaped() {
        let text = "a\u{9b}31m\u{202e}b\u{e0041}\u{1b}é";
        assert_eq!(line(&text), "\"a\\u009b31m\\u202eb\\udb40\\udc41\\u001bé\"\n");
        assert_eq!(serde_json::from_str::<String>(&line(&text)).unwrap(), text);
        let signs = ["", "a", "\u{7e}", "\u{7f}", "é", "\u{200b}", "ü", "\u{10348}", "\u{feff}"];
        for (one, other) in signs.iter().flat_map(|one| signs.map(|other| (one, other))) {
            let text = format!("{one}{other}{one}{one}x{other}");
            let escaped = text.chars().map(|c| if is_steering(c) { format!("\\u{:04x}", c as u32) } else { c.into() });
            assert_eq!(line(&text), format!("\"{}\"\n", escaped.collect::<String>()));
            let mut lines = b"before\n".to_vec();
            add_line(&mut lines, &text);
            assert_eq!(String::from_utf8(lines).unwrap(), format!("before\n{}", line(&text)));
        }
    }
}
