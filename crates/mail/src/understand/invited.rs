//! Whether a letter accepts an invitation or declines it.

use super::courtesy::{behind, words_of};
use super::looks_like_entry;
use crate::words::Meaning;

/// How many words a line may have that is neither an agreement nor a courtesy where an invitation is accepted: a name.
pub(super) const NAME: usize = 3;
/// The longest line that is nothing but an agreement, in bytes.
pub(super) const LONGEST: usize = 200;

/// Returns whether one of the phrases of which a line consists agrees; `None` if it says anything else.
fn agreement(line: &str) -> Option<bool> {
    let mut left = line;
    let mut agrees = false;
    while !left.is_empty() {
        let beside = [Meaning::AgreesBeside, Meaning::Courtesy].into_iter().filter_map(|beside| behind(left, beside));
        let beside = beside.min_by_key(|rest| rest.len());
        // The longest phrase counts.
        let agreed = behind(left, Meaning::Agrees).filter(|rest| beside.is_none_or(|other| rest.len() <= other.len()));
        agrees |= agreed.is_some();
        left = agreed.or(beside)?;
    }
    Some(agrees)
}

/// Returns whether a letter accepts an invitation: a line of it says so and nothing else, and the others say nothing against it.
#[must_use]
pub fn agrees(lines: &[String]) -> bool {
    if lines.iter().any(|line| line.len() > LONGEST) || declines(lines) {
        return false;
    }
    let lines: Vec<String> = lines.iter().map(|line| words_of(line)).collect();
    let is_name = |line: &String| line.split(' ').count() <= NAME;
    lines.iter().any(|line| agreement(line) == Some(true))
        && lines.iter().all(|line| agreement(line).is_some() || is_name(line))
}

/// Returns whether a letter declines an invitation, in words that are known as a whole.
#[must_use]
pub fn declines(lines: &[String]) -> bool {
    !lines.iter().any(|line| looks_like_entry(line))
        && lines.iter().any(|line| Meaning::Declines.begins(&words_of(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_accepted_in_words_that_say_nothing_else() {
        let agrees = |text: &str| agrees(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        for text in [
            "Sure, accept!",
            "Hi Ada,\nI'd love to!\nBram",
            "ok thanks",
            "Yes please, let's play",
            "Gerne!",
            "I accept the invitation.\nBest regards\nBram Post",
        ] {
            assert!(agrees(text), "{text}");
        }
        for text in [
            "",
            "Thanks for your letter",
            "Hello",
            "no thanks",
            "Sure, but not now",
            "ok\nBut tell me first what kind of game this is",
            "Yes?! No, I'd rather not play",
            "I would like to know more",
            "acceptable?",
        ] {
            assert!(!agrees(text), "{text}");
        }
        // What a stranger may send costs no more than its length.
        assert!(!agrees(&"ok ".repeat(80_000)));
    }
}
