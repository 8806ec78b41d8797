//! Describes what an entry would do if its notation does not say it: which pieces it takes, and what it costs.

use std::collections::BTreeMap;

use crate::judging::Beside;
use crate::verdict::Opened;
use postrider_kernel::{Count, Side, Viewer};

/// The most entries of a list that are described.
const MOST: usize = 200;

/// Describes what these entries take or cost their own side: `takes c5, d4`, `costs 1 of your 2 men`. Entries that say themselves what they
/// take are left out, and so are those that need a secret to be judged. The record must have been replayed.
#[must_use]
pub fn effects(opened: &Opened<'_>, entries: &[String]) -> BTreeMap<String, String> {
    let beside = Beside::to_try(&opened.table.standing());
    let before = opened.table.view(Viewer::Public);
    let (side, counts) = (opened.table.standing().due.side, opened.table.counts());
    let mut found = BTreeMap::new();
    for entry in entries.iter().take(MOST) {
        let Ok(judged) = opened.table.read(entry).and_then(|typed| typed.judge(&beside)) else { continue };
        let mut after = judged.table.view(Viewer::Public);
        after.mark_since(&before);
        // `c5xc3` names the place of what is taken in some games, and where the piece lands in others.
        let is_said =
            |words: &String| words.trim_start_matches("takes ").split(", ").all(|place| entry.contains(place));
        let taken = after.taken_in_words().filter(|words| !is_said(words));
        let words: Vec<_> = taken.into_iter().chain(cost(side, &counts, &judged.table.counts())).collect();
        if !words.is_empty() {
            found.insert(entry.clone(), words.join("; "));
        }
    }
    found
}

/// Describes a side's losses by its own entry, in the first thing that a game counts: its pieces.
fn cost(side: Side, before: &[Count], after: &[Count]) -> Option<String> {
    let of = |counts: &[Count]| counts.first().and_then(|count| Some((count.what, count.of[side.index()]?)));
    let ((what, had), (_, has)) = of(before).zip(of(after))?;
    let lost = had.checked_sub(has).filter(|lost| *lost > 0)?;
    Some(format!("costs {lost} of your {had} {what}"))
}
