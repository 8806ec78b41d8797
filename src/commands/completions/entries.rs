//! The legal entries of a record, as completion candidates.

use crate::cli::home::office;
use std::path::{Path, PathBuf};

use crate::cli::keys;
use postrider_disk::files::read_record;
use postrider_home::keys::Keys;
use postrider_referee::desk;
use postrider_referee::judging::{Beside, STRANGERS_BUDGET, Table};
use postrider_referee::sealing::Check;
use postrider_referee::verdict::{Opened, Ruling};

/// The longest record that is read, in bytes; nobody wants to wait longer at a prompt.
const LONGEST: u64 = 4 << 20;
/// For how many actions a turn is followed as long as there is no choice.
const MOST_FORCED: usize = 64;
/// What every game has in addition to its own actions, if it is legal.
const COMMON: [&str; 5] = ["draw?", "resign", "claim time", "claim repetition", "claim quiet"];

/// Reads the record at a path and calls `with` once its header is read. Returns `None` if it is not a record or not a
/// regular file.
pub(super) fn record<T>(path: &Path, with: impl FnOnce(&mut Opened<'_>) -> Option<T>) -> Option<T> {
    let path = expanded(path);
    let about = std::fs::metadata(&path).ok()?;
    if !about.is_file() || about.len() > LONGEST {
        return None;
    }
    let source = read_record(&path).ok()?;
    let mut opened = Opened::new(&source).ok()?;
    with(&mut opened)
}

/// The path as the shell will pass it on.
fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Like [`record`], with its entries replayed, as long as is acceptable at a prompt; `None` if they are not all legal
/// or the game is over.
fn replayed<T>(path: &Path, with: impl FnOnce(&mut Opened<'_>) -> Option<T>) -> Option<T> {
    record(path, |opened| {
        opened.table.set_check(Check::Nothing);
        opened.table.set_budget(STRANGERS_BUDGET);
        let legal = opened.replay(u32::MAX).ruling == Ruling::Legal;
        if legal && opened.table.standing().outcome.is_none() { with(opened) } else { None }
    })
}

/// Returns what may be entered next in a record and begins with `typed`: whole entries, or in games with long turns one
/// more action.
pub(super) fn next(path: &Path, typed: &str) -> Vec<String> {
    replayed(path, |opened| Some(of_turn(opened, typed))).unwrap_or_default()
}

/// Does the same after these entries, which are not in the record.
pub(super) fn after(path: &Path, played: &[String], typed: &str) -> Vec<String> {
    let list = |opened: &mut Opened<'_>| {
        let mut table: Option<Box<dyn Table>> = None;
        for entry in played {
            let now = table.as_deref().unwrap_or(opened.table.as_ref());
            table = Some(now.read(entry).ok()?.judge(&Beside::to_try(&now.standing())).ok()?.table);
        }
        match table {
            None => Some(of_turn(opened, typed)),
            Some(table) => Some(starting(table.moves(), typed)),
        }
    };
    replayed(path, list).unwrap_or_default()
}

fn starting(list: Vec<String>, typed: &str) -> Vec<String> {
    list.into_iter().filter(|entry| entry.starts_with(typed)).collect()
}

fn of_turn(opened: &mut Opened<'_>, typed: &str) -> Vec<String> {
    // Complete actions are kept as they were typed.
    let part = typed.rsplit(';').next().unwrap_or_default().trim_start();
    let mut before = typed.strip_suffix(part).unwrap_or_default().to_owned();
    if before.ends_with(';') {
        before.push(' ');
    }
    let begun = before.trim_end().trim_end_matches(';').to_owned();
    let mut found = Vec::new();
    if begun.is_empty() {
        let seen_by_owner = keys::after_openings(opened).unwrap_or_default();
        found = match seen_by_owner.filter(|after| after.standing().outcome.is_none()) {
            Some(after) => starting(after.moves(), typed),
            None if opened.header.info.stepwise => Vec::new(),
            None => starting(opened.table.moves(), typed),
        };
    } else if !opened.header.info.stepwise {
        found = starting(opened.table.moves(), typed);
    }
    if found.is_empty() {
        let actions = following(opened, &begun).map(|(actions, _)| starting(actions, part)).unwrap_or_default();
        let only = actions.len() == 1;
        for action in actions {
            if only || action == part {
                found.extend(further(opened, format!("{before}{action}")));
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

/// The actions that may follow a beginning, and whether the entry may also end there.
fn following(opened: &mut Opened<'_>, begun: &str) -> Option<(Vec<String>, bool)> {
    let office = office().ok()?;
    let mut keys = Keys::new(&office, opened, opened.table.standing().due.side, true);
    let next = desk::next(opened, begun, &mut keys).ok()?;
    Some((next.actions, next.whole))
}

/// An entry that is chosen so far: the entry itself if it may end here, and with each action that may follow. If only
/// one may, it is taken.
fn further(opened: &mut Opened<'_>, mut entry: String) -> Vec<String> {
    for _ in 0..MOST_FORCED {
        let (actions, whole) = following(opened, &entry).unwrap_or((Vec::new(), true));
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
