//! What an entry would do, in words, where its notation alone does not say it: which pieces it takes.

use std::collections::BTreeMap;

use crate::judging::Beside;
use crate::verdict::Opened;
use postrider_kernel::Viewer;

/// The most entries of a list of which it is said.
const MOST: usize = 200;

/// Returns, for those of these entries that take something, what they take: `takes c5, d4`. An entry that says so itself is left out, and so
/// are those that cannot be judged without a secret. The record must have been replayed.
#[must_use]
pub fn effects(opened: &Opened<'_>, entries: &[String]) -> BTreeMap<String, String> {
    let beside = Beside::to_try(&opened.table.standing());
    let before = opened.table.view(Viewer::Public);
    let mut found = BTreeMap::new();
    for entry in entries.iter().take(MOST) {
        let Ok(judged) = opened.table.read(entry).and_then(|typed| typed.judge(&beside)) else { continue };
        let mut after = judged.table.view(Viewer::Public);
        after.mark_since(&before);
        if let Some(words) = after.taken_in_words() {
            // `c5xc3` names the place of what is taken in some games, and where the piece lands in others.
            let places = words.trim_start_matches("takes ").split(", ");
            if !places.clone().all(|place| entry.contains(place)) {
                found.insert(entry.clone(), words);
            }
        }
    }
    found
}
