//! The legal entries of a record, as completion candidates.

use std::path::{Path, PathBuf};

use crate::cli::home::office;
use postrider_disk::files::read_record;
use postrider_home::entry::completing;
use postrider_referee::judging::STRANGERS_BUDGET;
use postrider_referee::sealing::Check;
use postrider_referee::verdict::{Opened, Ruling};

/// The longest record that is read, in bytes; nobody wants to wait longer at a prompt.
const LONGEST: u64 = 4 << 20;

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

/// Returns what may be entered next in a record and begins with `typed`.
pub(super) fn next(path: &Path, typed: &str) -> Vec<String> {
    let Ok(office) = office() else { return Vec::new() };
    replayed(path, |opened| Some(completing::next(&office, opened, typed))).unwrap_or_default()
}

/// Does the same after these entries, which are not in the record.
pub(super) fn after(path: &Path, played: &[String], typed: &str) -> Vec<String> {
    let Ok(office) = office() else { return Vec::new() };
    replayed(path, |opened| completing::after(&office, opened, played, typed)).unwrap_or_default()
}
