//! Letters of programs that do not say so: an answer of an office that is empty, the number of a ticket. They name no entry and ask for
//! nothing, and come as the same words again, or faster than a person writes. Each such correspondent gets one letter. What names an entry or
//! asks for something is never judged by this.

use serde::{Deserialize, Serialize};

use postrider_home::receive::received::Mark;
use postrider_referee::record::Time;

/// How soon after a letter a person does not answer it, in seconds.
const FAST: i64 = 60;

/// What is noted of a correspondent's last letter that named no entry and asked for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Idle {
    /// A mark of its words; empty if there was an entry or a command since.
    words: String,
    /// How many such letters came in a row.
    pub(super) count: u32,
    /// How many such letters in a row came faster than a person writes.
    fast: u32,
    /// When the last letter was written to this correspondent, in seconds since 1970.
    pub(super) written: i64,
}

impl Idle {
    /// Notes a letter that names no entry and asks for nothing. Returns whether it is like a program's.
    pub(super) fn came(&mut self, lines: &[String], now: Time) -> bool {
        let words = mark(lines);
        let is_fast = (0..FAST).contains(&now.0.saturating_sub(self.written));
        let is_same = !words.is_empty() && words == self.words;
        let is_program = is_same || is_fast && self.fast > 0;
        self.fast = if is_fast { self.fast.saturating_add(1) } else { 0 };
        self.words = words;
        self.count = self.count.saturating_add(1);
        is_program
    }

    /// Notes a letter that a person has written.
    pub(super) fn is_person(&mut self) {
        self.words.clear();
        (self.count, self.fast) = (0, 0);
    }
}

/// A mark of words, in which the numbers that programs give do not count.
fn mark(lines: &[String]) -> String {
    let bare: String = lines.iter().flat_map(|line| line.chars()).filter(|c| c.is_alphabetic()).collect();
    if bare.is_empty() {
        return String::new();
    }
    Mark::of(&[bare.to_lowercase().as_bytes()]).hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(idle: &mut Idle, line: &str, now: i64) -> bool {
        idle.came(&[line.to_owned()], Time(now))
    }

    #[test]
    fn the_same_words_again_are_a_programs_and_numbers_do_not_count() {
        let mut idle = Idle::default();
        assert!(!came(&mut idle, "Your ticket 4711 was received.", 100_000));
        assert!(came(&mut idle, "Your ticket 4712 was received.", 200_000));
        assert!(!came(&mut idle, "What is this?", 300_000));
        assert!(!came(&mut idle, "Your ticket 4713 was received.", 400_000));
        idle.is_person();
        assert!(!came(&mut idle, "Your ticket 4714 was received.", 500_000));
    }

    #[test]
    fn one_answer_may_be_fast_and_no_second_one() {
        let mut idle = Idle { written: 1_000, ..Idle::default() };
        assert!(!came(&mut idle, "thanks", 1_010));
        idle.written = 2_000;
        assert!(came(&mut idle, "you are welcome", 2_010));
        idle.written = 3_000;
        assert!(!came(&mut idle, "and how are you", 3_100));
        idle.written = 4_000;
        assert!(!came(&mut idle, "fine", 4_001));
    }
}
