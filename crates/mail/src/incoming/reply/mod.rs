//! Finds the writer's own lines in a reply: no quotation, no line above one, no signature of a phone, no notice of a company and no
//! copy of a letter by the program. Nothing else decides this.

mod attribution;
mod copies;
mod lists;
mod marks;
mod notices;

use super::contents::{Form, Text};
use crate::understand::has_notation;
use attribution::{Attribution, attribution, is_above_quotation};
use marks::{
    is_decoration, is_field, is_header_block, is_quoted, is_rule, is_sent_with, is_separator, is_signature_mark,
    mark_odd, without_sent_with,
};
use postrider_kernel::text::is_steering;
use postrider_referee::desk::reply_line;

/// The most lines that are read.
const MAX_LINES: usize = 2000;
/// The most lines that are passed on, those between paragraphs among them; a reply contains an entry and some words.
const MAX_OWN: usize = 200;
/// The longest line, in characters.
const MAX_LINE: usize = 4000;
/// The most lines in a copy of a letter that are passed on.
const MAX_IN_COPY: usize = 20;

/// How long a quoted line is that a program may have broken, in characters.
const BROKEN: usize = 66;

/// What begins with a line.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Nothing.
    Blank,
    /// Words of the writer.
    Own,
    /// An entry with its message, whatever that contains, in so many lines.
    Entry(String, usize),
    /// So many lines that no person wrote.
    Passed(usize),
    /// So many lines that are quoted, or name who is.
    Quoted(usize),
    /// Words of the writer, and behind them on the line such a line.
    OwnBefore(String, usize),
    /// A signature: what stands below it is not said by anybody, up to a quotation.
    Signature,
    /// An old letter without marks: all that follows is not the writer's, unless it is marked as quoted all the same.
    Old,
}

/// Says what begins here. `nothing_yet`: whether no words of the writer stand above; `apart`: whether what begins here may be somebody
/// else's than what stands right above.
fn part(lines: &[String], nothing_yet: bool, apart: bool) -> Part {
    let Some(line) = lines.first() else { return Part::Blank };
    if line.is_empty() {
        return Part::Blank;
    }
    if line.starts_with("-----BEGIN PGP SIGNED") || line.starts_with("Hash: ") && nothing_yet {
        return Part::Passed(1);
    }
    if let Some((entry, count)) = reply_line::joined(lines) {
        return Part::Entry(entry, count);
    }
    // What is marked is a quotation, whatever it looks like, and ends where the marks end. GroupWise puts its marks round the name instead.
    if line.starts_with('>') && !line.starts_with(">>>") || line.starts_with('|') {
        return Part::Quoted(1);
    }
    if !is_quoted(line) && (begins_block(line) || line.contains("[pbem] ") || copies::begins(lines)) {
        return Part::Old;
    }
    if let Some(Attribution { lines: count, before }) = attribution(lines) {
        let is_marked = is_above_quotation(lines.get(count..).unwrap_or_default());
        return match (before, is_marked) {
            (Some(before), _) => Part::OwnBefore(before, if is_marked { count } else { MAX_LINES }),
            (None, true) => Part::Quoted(count),
            (None, false) => Part::Old,
        };
    }
    if is_quoted(line) {
        return Part::Quoted(1);
    }
    if apart && let count @ 1.. = notices::length(lines) {
        return Part::Passed(count);
    }
    if is_separator(line) || is_header_block(lines) || is_rule(line) && !is_signature_mark(line) {
        return Part::Old;
    }
    if is_signature_mark(line) || is_sent_with(line) || line.starts_with("-----BEGIN PGP SIGNATURE") {
        return Part::Signature;
    }
    if is_decoration(line) {
        return Part::Passed(1);
    }
    Part::Own
}

/// Finds the lines of a text that are the sender's own, with an empty one between paragraphs. A line that ends in `;` includes the next
/// one. Anything that could control a terminal is removed.
#[must_use]
pub fn own_lines(text: &Text) -> Vec<String> {
    own_lines_beside(text, &[])
}

/// Like [`own_lines`], for a text that may have unmarked lines of an `earlier` letter. Two or more that stood together there, in the same
/// order, are a quotation. A single one never is, because a move may be made twice. Text below the end of that letter is read too.
#[must_use]
pub fn own_lines_beside(text: &Text, earlier: &[String]) -> Vec<String> {
    let mut lines = unfolded(text);
    lists::mark_letters(&mut lines);
    let end = copies::End::of(earlier);
    let mut own = Own::default();
    let mut at = 0;
    let mut below_signature = false;
    let is_rest = |at: usize| {
        let next_is_quoted = lines.get(at + 1).is_some_and(|line| is_quoted(line));
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        next_is_quoted && before.is_some_and(|line| is_quoted(line) && line.chars().count() >= BROKEN)
    };
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty() && !own.is_full()) {
        match part(rest, own.lines.is_empty(), own.is_apart()) {
            // The end of a quoted line that a program broke without marking it.
            Part::Own if is_rest(at) => at += 1,
            Part::Blank => {
                own.ends_paragraph();
                at += 1;
            }
            Part::Passed(count) => {
                own.ends_paragraph();
                at += count;
            }
            Part::Quoted(count) => {
                own.ends_paragraph();
                below_signature = false;
                at += count;
            }
            Part::Signature => {
                own.ends_paragraph();
                below_signature = true;
                at += 1;
            }
            Part::Entry(entry, count) => {
                if !below_signature {
                    own.push(entry, false);
                }
                at += count;
            }
            Part::OwnBefore(before, count) => {
                if !below_signature {
                    own.push(before, false);
                }
                below_signature = false;
                at += count;
            }
            Part::Own => {
                if !below_signature && let Some(line) = rest.first() {
                    let line = copies::without_links(without_sent_with(line));
                    let goes_on = line.ends_with(';');
                    own.push(line, goes_on);
                }
                at += 1;
            }
            Part::Old => {
                own.ends_paragraph();
                below_signature = false;
                match header_length(rest).or_else(|| end.below(rest)) {
                    Some(count) => at += count,
                    None => break,
                }
            }
        }
    }
    // Only of what is the writer's own otherwise: a part of an old letter that is found in it shows nothing about the rest.
    let mut found = own.finished();
    lists::remove(&mut found);
    remove_copied(&mut found, earlier);
    found
}

/// Removes lines that stood together in an `earlier` letter.
pub fn remove_copied(found: &mut Vec<String>, earlier: &[String]) {
    copies::remove(found, earlier);
    found.dedup_by(|line, before| line.is_empty() && before.is_empty());
    let first = found.iter().take_while(|line| line.is_empty()).count();
    found.drain(..first);
    found.truncate(found.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
}

/// Finds lines that may be a person's in a text that has none of its own but an unmarked copy of this `earlier` letter: those in it and below
/// it that are not the letter's. Whether they are the writer's is not certain, so nothing is to be entered from them.
#[must_use]
pub fn lines_in_copy(text: &Text, earlier: &[String]) -> Vec<String> {
    let lines = unfolded(text);
    let Some(begins) = (0..lines.len()).find(|at| lines.get(*at..).is_some_and(copies::begins)) else {
        return Vec::new();
    };
    let tail = lines.get(begins..).unwrap_or_default();
    let mut found = Vec::new();
    for (line, is_copied) in tail.iter().zip(copies::copied(tail, earlier)) {
        let is_nobodys =
            is_quoted(line) || is_rule(line) || is_decoration(line) || is_separator(line) || is_field(line);
        if !is_copied && !line.is_empty() && !is_nobodys && found.len() < MAX_IN_COPY {
            found.push(line.chars().take(MAX_LINE).collect());
        }
    }
    found
}

/// How many lines an old letter's header takes where what follows it is marked as quoted; `None` if it is not.
fn header_length(lines: &[String]) -> Option<usize> {
    let is_of_header = |line: &&String| line.is_empty() || is_separator(line) || is_rule(line) || is_field(line);
    let count = lines.iter().take_while(is_of_header).count();
    let behind = lines.get(count..).unwrap_or_default();
    (count > 0 && behind.first().is_some_and(|line| is_quoted(line)) && is_above_quotation(behind)).then_some(count)
}

/// The lines that were found so far.
#[derive(Default)]
struct Own {
    lines: Vec<String>,
    /// Whether the last one continues.
    open: bool,
    /// Whether a paragraph ended behind it.
    apart: bool,
}

impl Own {
    fn ends_paragraph(&mut self) {
        (self.open, self.apart) = (false, true);
    }

    /// Whether the next line need not go on with what stands above.
    fn is_apart(&self) -> bool {
        self.apart || self.lines.last().is_none_or(|line| has_notation(line))
    }

    /// Whether there is no room for another line, and for the empty one that a new paragraph puts above it.
    fn is_full(&self) -> bool {
        self.lines.len() + usize::from(self.apart) >= MAX_OWN
    }

    fn push(&mut self, line: String, goes_on: bool) {
        if line.is_empty() {
            return;
        }
        match self.lines.last_mut() {
            Some(last) if self.open => {
                last.push(' ');
                last.push_str(&line);
            }
            last => {
                if last.is_some() && self.apart {
                    self.lines.push(String::new());
                }
                self.lines.push(line);
            }
        }
        (self.open, self.apart) = (goes_on, false);
    }

    fn finished(mut self) -> Vec<String> {
        for line in &mut self.lines {
            if let Some((end, _)) = line.char_indices().nth(MAX_LINE) {
                line.truncate(end);
            }
        }
        self.lines
    }
}

/// Returns whether a text has a block of entries (B1) that is not quoted.
#[must_use]
pub fn has_own_block(text: &Text) -> bool {
    text.text.lines().take(MAX_LINES).any(|line| begins_block(line) && !is_quoted(line.trim()))
}

/// Returns whether a text holds a letter of the program that is not quoted.
#[must_use]
pub fn holds_letter(text: &Text) -> bool {
    let lines = unfolded(text);
    (0..lines.len()).any(|at| lines.get(at..).is_some_and(copies::begins))
}

fn begins_block(line: &str) -> bool {
    line.contains("BEGIN PBEM ENTRIES") || line.contains("BEGIN PBEM GAME")
}

/// Lines as they were typed, without surrounding spaces; in flowed text, lines that were broken on the way are joined
/// again. What is quoted with an odd mark has the usual one.
fn unfolded(text: &Text) -> Vec<String> {
    let mut lines = joined(text);
    mark_odd(&mut lines);
    lines
}

fn joined(text: &Text) -> Vec<String> {
    let clean = |line: &str| -> String {
        line.chars()
            .filter(|&c| c == '\t' || !is_steering(c))
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect()
    };
    let raw = text.text.lines().take(MAX_LINES).map(clean);
    let Form::Flowed(without_space) = text.form else { return raw.map(|line| line.trim().to_owned()).collect() };
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in raw {
        let quoted = line.starts_with('>');
        // A space that was put before a line that begins like something else.
        let line = line.strip_prefix(' ').unwrap_or(&line);
        let goes_on = line.ends_with(' ') && line != "-- ";
        match lines.last_mut() {
            Some(last) if open && !quoted && line != "-- " => {
                if without_space {
                    last.pop();
                }
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
        open = goes_on && !quoted;
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests;
