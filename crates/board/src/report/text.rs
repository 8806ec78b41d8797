//! Verdicts as lines for people.

use std::borrow::Cow;

use crate::render::diagnostic;
use postrider_kernel::text::{LineIndex, printable, push_number};
use postrider_kernel::{Info, Side};
use postrider_referee::verdict::Verdict;

/// Formats `FILE: legal, 41 entries, besiegers due`, and who signs it.
pub fn legal_in_a_line(path: &str, verdict: &Verdict, warnings: &[String], text: &mut String) {
    let entries = verdict.entries;
    let noun = if entries == 1 { " entry, " } else { " entries, " };
    let path = printable(path);
    // With many thousand records this line is a good part of the work, so it is put together without format strings.
    let (state, due) = state(verdict);
    let signed = signed(verdict);
    text.push_str(&path);
    text.push_str(": legal, ");
    push_number(text, entries);
    for part in [noun, &state, due] {
        text.push_str(part);
    }
    if !signed.is_empty() {
        text.push_str(&signed);
    }
    text.push('\n');
    for warning in warnings {
        text.push_str(&format!("{path}: warning: {warning}\n"));
    }
}

/// Formats `FILE: receipt: white has entry 12 and everything before it`, a line for each side that has one; `newest`: the entry of the
/// newest valid receipt of each.
#[must_use]
pub fn receipts_in_lines(path: &str, info: &Info, newest: [Option<u32>; 2]) -> String {
    let mut text = String::new();
    for (side, entry) in info.sides.iter().zip(newest) {
        if let Some(entry) = entry {
            let (word, has) = (side.word, side.verb("have", "has"));
            text.push_str(&format!(
                "{}: receipt: {word} {has} entry {entry} and everything before it\n",
                printable(path)
            ));
        }
    }
    text
}

/// Formats `; signed: besiegers by 1a2b-…, defenders not`, or `defenders declared, nothing signed (1a2b-…)`; empty for a record without keys.
fn signed(verdict: &Verdict) -> String {
    let (Some(game), Some(signers)) = (verdict.game, &verdict.signers) else { return String::new() };
    let side = |side: Side| {
        let word = game.sides[side.index()].word;
        match &signers.keys[side.index()] {
            Some(key) if signers.silent(side).is_some() => {
                let host = if signers.by_host(side) { "by the host, " } else { "" };
                format!("{word} {host}declared, nothing signed ({})", key.fingerprint())
            }
            Some(key) if signers.by_host(side) => format!("{word} by the host ({})", key.fingerprint()),
            Some(key) => format!("{word} by {}", key.fingerprint()),
            None => format!("{word} not"),
        }
    };
    let [first, second] = Side::BOTH.map(side);
    let newest = if signers.newest_only { " (only the newest signature of each side was checked)" } else { "" };
    format!("; signed: {first}, {second}{newest}")
}

/// Returns how a game stands, in two parts: how it ended, or the side that is due and ` due`.
fn state(verdict: &Verdict) -> (Cow<'static, str>, &'static str) {
    let Some(game) = verdict.game else { return (Cow::Borrowed(""), "") };
    match (verdict.outcome, verdict.due) {
        (Some(outcome), _) => (Cow::Owned(outcome.text(&game.sides)), ""),
        (None, Some(side)) => (Cow::Borrowed(game.sides[side.index()].word), " due"),
        (None, None) => (Cow::Borrowed(""), ""),
    }
}

/// Formats one line per error: `FILE:LINE:COL: T21: …`.
#[must_use]
pub fn faults_in_lines(path: &str, source: &[u8], verdict: &Verdict) -> String {
    let index = LineIndex::new(source);
    let path = printable(path);
    let mut text = String::new();
    for error in &verdict.errors {
        let place = index.place(error.span.start as usize);
        let line = diagnostic::line(error, verdict.ruling.word());
        text.push_str(&format!("{path}:{}:{}: {line}\n", place.line, place.column));
    }
    if verdict.more > 0 {
        text.push_str(&format!("{path}: and {} more faults\n", verdict.more));
    }
    text
}
