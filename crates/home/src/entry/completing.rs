//! What may be entered next in a game, for somebody who has typed the beginning of it.

use super::openings;
use crate::keys::Keys;
use crate::office::Office;
use postrider_referee::desk;
use postrider_referee::judging::{Beside, Table};
use postrider_referee::verdict::Opened;

/// For how many actions a turn is followed as long as there is no choice.
const MOST_FORCED: usize = 64;
/// What every game has in addition to its own actions, if it is legal.
const COMMON: [&str; 5] = ["draw?", "resign", "claim time", "claim repetition", "claim quiet"];

/// Returns what may be entered next and begins with `typed`: whole entries, or in games with long turns one more action.
#[must_use]
pub fn next(office: &Office<'_>, opened: &mut Opened<'_>, typed: &str) -> Vec<String> {
    // Complete actions are kept as they were typed.
    let part = typed.rsplit(';').next().unwrap_or_default().trim_start();
    let mut before = typed.strip_suffix(part).unwrap_or_default().to_owned();
    if before.ends_with(';') {
        before.push(' ');
    }
    let begun = before.trim_end().trim_end_matches(';').to_owned();
    let mut found = Vec::new();
    if begun.is_empty() {
        let seen_by_owner = openings::after_openings(office, opened).unwrap_or_default();
        found = match seen_by_owner.filter(|after| after.standing().outcome.is_none()) {
            Some(after) => starting(after.moves(), typed),
            None if opened.header.info.stepwise => Vec::new(),
            None => starting(opened.table.moves(), typed),
        };
    } else if !opened.header.info.stepwise {
        found = starting(opened.table.moves(), typed);
    }
    if found.is_empty() {
        let actions = following(office, opened, &begun).map(|(actions, _)| starting(actions, part)).unwrap_or_default();
        let only = actions.len() == 1;
        for action in actions {
            if only || action == part {
                found.extend(further(office, opened, format!("{before}{action}")));
            } else {
                found.push(format!("{before}{action}"));
            }
        }
    }
    // Few players resign by accident; none should do so with the Tab key.
    if !part.is_empty() {
        let beside = Beside::to_try(&opened.table.standing());
        for action in COMMON.into_iter().filter(|action| action.starts_with(part)) {
            let entry = format!("{before}{action}");
            let legal = opened.table.read(&entry).is_ok_and(|read| read.judge(&beside).is_ok());
            if legal && !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    found
}

/// Does the same after these entries, which are not in the record; `None` if one of them is not legal.
#[must_use]
pub fn after(office: &Office<'_>, opened: &mut Opened<'_>, played: &[String], typed: &str) -> Option<Vec<String>> {
    let mut table: Option<Box<dyn Table>> = None;
    for entry in played {
        let now = table.as_deref().unwrap_or(opened.table.as_ref());
        table = Some(now.read(entry).ok()?.judge(&Beside::to_try(&now.standing())).ok()?.table);
    }
    Some(match table {
        None => next(office, opened, typed),
        Some(table) => starting(table.moves(), typed),
    })
}

fn starting(list: Vec<String>, typed: &str) -> Vec<String> {
    list.into_iter().filter(|entry| entry.starts_with(typed)).collect()
}

/// The actions that may follow a beginning, and whether the entry may also end there.
fn following(office: &Office<'_>, opened: &mut Opened<'_>, begun: &str) -> Option<(Vec<String>, bool)> {
    let mut keys = Keys::new(office, opened, opened.table.standing().due.side, true);
    let next = desk::next(opened, begun, &mut keys).ok()?;
    Some((next.actions, next.whole))
}

/// An entry that is chosen so far: the entry itself if it may end here, and with each action that may follow. If only
/// one may, it is taken.
fn further(office: &Office<'_>, opened: &mut Opened<'_>, mut entry: String) -> Vec<String> {
    for _ in 0..MOST_FORCED {
        let (actions, whole) = following(office, opened, &entry).unwrap_or((Vec::new(), true));
        match (actions.as_slice(), whole) {
            ([only], false) => entry = format!("{entry}; {only}"),
            (actions, whole) => {
                let longer = actions.iter().map(|action| format!("{entry}; {action}"));
                let longer: Vec<String> = longer.collect();
                return whole.then_some(entry).into_iter().chain(longer).collect();
            }
        }
    }
    vec![entry]
}
