//! Questions at a terminal before something is done that cannot be undone. Scripts are never asked.

use std::io::{self, BufRead as _, IsTerminal as _};

use super::hints;

/// Returns whether there is someone to ask: standard input and standard error are terminals.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks, and returns whether the answer is yes.
pub fn asks(question: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_home::entry::moves::question;

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
