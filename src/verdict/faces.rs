//! The faces of throws, as remarks after their openings, so that readers need no arithmetic. A remark proves nothing,
//! so each is checked against what was thrown.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{Opened, Verdict, format};
use crate::record::Item;
use crate::sealing::{Brief, Thrown};
use crate::text::Span;

/// How such a remark begins.
pub const HEAD: &str = "# throw ";

/// A remark on a throw that does not agree with the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFaces {
    /// The remark.
    pub span: Span,
    /// What the remark should say; `None` if no such throw was made up to that point.
    pub right: Option<String>,
}

/// Returns the remark on a throw: `# throw roll.1: d12 11, d12 12`.
#[must_use]
pub fn remark(thrown: &Thrown) -> String {
    let mut line = format!("{HEAD}{}:", thrown.label);
    for (nth, (die, face)) in thrown.dice.iter().zip(&thrown.faces).enumerate() {
        // Writing to a `String` never fails.
        let _ = write!(line, "{} d{die} {face}", if nth > 0 { "," } else { "" });
    }
    line
}

/// Rewrites a legal record in canonical form with a remark on each throw below the entry that opens it, and without any
/// other such remarks.
///
/// # Errors
/// The verdict, if the record is not legal.
pub fn with_faces(source: &[u8]) -> Result<Vec<u8>, Box<Verdict>> {
    let canonical = format(source)?;
    let mut opened = Opened::new(&canonical)?.brief(Brief::default());
    opened.replay(u32::MAX);
    let thrown: Vec<_> = opened.table.seals().map(|seals| seals.thrown().iter().cloned().collect()).unwrap_or_default();
    let mut thrown = thrown.into_iter().peekable();
    let text = opened.text;
    let mut out = text.get(..opened.frame.body.start as usize).unwrap_or_default().to_owned();
    let mut body = opened.body();
    let mut number = 0;
    while let Some(item) = body.next_item() {
        let mut push = |line: &str| {
            out.push_str(line);
            out.push('\n');
        };
        match item {
            Item::Blank(lines) => (0..lines).for_each(|_| push("")),
            Item::Remark(line) if line.text(text).starts_with(HEAD) => {}
            Item::Remark(line) | Item::Result(line) => push(line.text(text)),
            Item::Entry(entry) => {
                number += 1;
                push(entry.span.text(text));
                if let Some(signature) = entry.signature {
                    push(&format!("  ~ {}", signature.text(text)));
                }
                // They are in the order of the entries.
                while let Some(one) = thrown.next_if(|one| one.entry <= number) {
                    push(&remark(&one));
                }
            }
        }
    }
    Ok(out.into_bytes())
}

/// Finds the remarks of a replayed record that state other faces than were thrown.
#[must_use]
pub fn wrong_faces(opened: &Opened<'_>) -> Vec<WrongFaces> {
    let thrown = opened.table.seals().map(|seals| seals.thrown().clone()).unwrap_or_default();
    // Of throws with one label the first, since a record may have as many remarks as it has throws.
    let by_label: HashMap<_, _> = thrown.iter().rev().map(|one| (one.label.as_str(), one)).collect();
    let mut wrong = Vec::new();
    let mut body = opened.body();
    let mut number = 0;
    while let Some(item) = body.next_item() {
        match item {
            Item::Entry(_) => number += 1,
            Item::Remark(span) => {
                let line = span.text(opened.text);
                let Some(label) = line.strip_prefix(HEAD).map(|rest| rest.split([':', ' ']).next().unwrap_or_default())
                else {
                    continue;
                };
                let right = by_label.get(label).filter(|one| one.entry <= number).map(|one| remark(one));
                if right.as_deref() != Some(line.trim_end()) {
                    wrong.push(WrongFaces { span, right });
                }
            }
            _ => {}
        }
    }
    wrong
}
