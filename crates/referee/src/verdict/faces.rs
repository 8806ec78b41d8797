//! The faces of throws, as remarks after their openings, so that readers need no arithmetic. A remark proves nothing,
//! so each is checked against what was thrown.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::Opened;
use crate::record::Item;
use crate::sealing::Thrown;
use postrider_kernel::text::Span;

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

/// Passes each remark of a replayed record with wrong faces of a throw to `each`. There may be half a million.
pub fn wrong_faces(opened: &Opened<'_>, each: &mut dyn FnMut(WrongFaces)) {
    let thrown = opened.table.seals().map(|seals| seals.thrown()).unwrap_or_default();
    // Of throws with one label the first, since a record may have as many remarks as it has throws.
    let by_label: HashMap<_, _> = thrown.iter().rev().map(|one| (one.label.as_str(), one)).collect();
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
                    each(WrongFaces { span, right });
                }
            }
            _ => {}
        }
    }
}
