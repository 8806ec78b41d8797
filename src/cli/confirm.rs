//! Questions at a terminal before something is done that cannot be undone. Scripts are never asked.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::Path;

use super::hints::{self, Failure};
use crate::store::{FileError, RecordLock};

/// Returns the question to ask before an entry with these actions is made; `None` if none of them ends the game or
/// makes a claim.
pub(super) fn question(actions: &str) -> Option<&'static str> {
    actions.split(';').map(str::trim).find_map(|action| match action {
        "resign" => Some("resign the game?"),
        "draw!" => Some("accept the draw?"),
        "claim time" => Some("claim the game on time?"),
        "claim repetition" | "claim quiet" => Some("claim the draw?"),
        _ => None,
    })
}

/// Returns whether there is someone to ask: standard input and standard error are terminals.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks, and returns whether the answer is yes.
pub(super) fn asks(question: &str) -> bool {
    err!("{} ", hints::fitting(&format!("{question} [y/N]")));
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.is_ok() && is_yes(&line)
}

/// Asks, and returns whether the answer is no; nothing else counts, not even nothing.
pub(super) fn denies(question: &str) -> bool {
    err!("{question} [yes/no] ");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim().to_ascii_lowercase().as_str(), "n" | "no")
}

/// Returns whether an answer is yes; nothing else counts.
pub(super) fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Asks before making an entry that ends the game or makes a claim, if there is someone to ask. The record is not
/// locked in the meantime; the returned lock is on the bytes that were judged.
///
/// # Errors
/// If the answer is no, or the record has changed in the meantime.
pub(super) fn ended(lock: RecordLock, file: &Path, source: &[u8], actions: &str) -> Result<RecordLock, Failure> {
    let Some(question) = question(actions).filter(|_| can_ask()) else { return Ok(lock) };
    drop(lock);
    if !asks(question) {
        return Err(Failure::trouble("nothing was entered"));
    }
    let failed = |error: FileError| Failure::writing(&error);
    let lock = RecordLock::take(file).map_err(failed)?;
    if lock.read().map_err(failed)? != source {
        return Err(Failure::trouble("the record changed while you were being asked: nothing was entered"));
    }
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entries_that_end_the_game_or_claim_are_asked_about() {
        for actions in ["resign", "c4-c5; resign", "draw!", "claim time", "claim repetition", "accept; claim quiet"] {
            assert!(question(actions).is_some(), "{actions}");
        }
        for actions in ["c4-c5", "c4-c5; draw?", "accept", "leave 3d", ""] {
            assert!(question(actions).is_none(), "{actions}");
        }
        assert!(is_yes("y\n") && is_yes(" YES ") && !is_yes("") && !is_yes("n") && !is_yes("yesterday"));
    }
}
