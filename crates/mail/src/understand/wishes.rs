//! Requests of players that are not entries: to take a move back, a draw, an end, a pause, or how the game is played. Only in letters that
//! say nothing else.

use super::courtesy::{is_beside, pleads, words_of};
use super::invited::{LONGEST, NAME};
use super::spelling::plain;
use super::{is_offer, looks_like_entry};
use crate::words::Meaning;

/// What somebody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To take back an entry, or the word that the game is given up.
    Undo,
    /// A draw, without the mark with which one is offered.
    Draw,
    /// An end, and it is not said of what.
    Stop,
    /// Time.
    Pause,
    /// How the game is played.
    Help,
}

const WISHES: [(Wish, Meaning); 5] = [
    (Wish::Undo, Meaning::WantsUndo),
    (Wish::Draw, Meaning::WantsDraw),
    (Wish::Stop, Meaning::WantsToStop),
    (Wish::Pause, Meaning::WantsPause),
    (Wish::Help, Meaning::WantsHelp),
];

impl Wish {
    /// Reads what a letter asks for; nothing if it says anything else.
    #[must_use]
    pub fn of(lines: &[String]) -> Option<Self> {
        // With its mark an offer is read as one.
        if lines.iter().any(|line| is_offer(&plain(line))) {
            return None;
        }
        WISHES.iter().find(|(_, meaning)| says_only(lines, *meaning)).map(|(wish, _)| *wish)
    }
}

/// Returns whether a letter gives the game up, says nothing else, and asks nothing.
#[must_use]
pub fn gives_up(lines: &[String]) -> bool {
    let asks = |line: &String| line.trim_end().ends_with(['?', '\u{ff1f}']);
    // "Resign, please" may ask it of the other player.
    !lines.iter().any(|line| asks(line) || pleads(line)) && says_only(lines, Meaning::Resigns)
}

/// Returns whether a line of a letter has a meaning, and the others are courtesies or names.
fn says_only(lines: &[String], meaning: Meaning) -> bool {
    if lines.iter().any(|line| line.len() > LONGEST || looks_like_entry(line)) {
        return false;
    }
    let mut said = false;
    let mut is_one = |line: &String| {
        let words = words_of(line);
        let is_said = meaning.has(&words) || is_beside(&words).is_some_and(|rest| meaning.has(rest));
        said |= is_said;
        is_said || is_beside(&words) == Some("") || words.split(' ').count() < NAME && !has_other(&words, meaning)
    };
    lines.iter().all(&mut is_one) && said
}

/// Returns whether some words ask for something else than this.
fn has_other(words: &str, meaning: Meaning) -> bool {
    let wishes = WISHES.iter().map(|(_, other)| *other).chain([Meaning::Resigns, Meaning::NotYet]);
    wishes.filter(|other| *other != meaning).any(|other| other.has(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Option<Wish> {
        Wish::of(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_wish_is_read_in_letters_that_say_nothing_else() {
        for (text, found) in [
            ("undo", Wish::Undo),
            ("Hi,\nCan I take that back, please?\nThanks\nBram", Wish::Undo),
            ("Draw", Wish::Draw),
            ("quit", Wish::Stop),
            ("I don\u{2019}t want to play any more.", Wish::Stop),
            ("Pause, please!", Wish::Pause),
            ("Hello,\n\nHow do I play?", Wish::Help),
            ("Wie spiele ich?", Wish::Help),
        ] {
            assert_eq!(wish(text), Some(found), "{text}");
        }
        for text in [
            "",
            "Hello",
            "c4-c5\nundo",
            "draw exorcist; end",
            "I had to pause for a moment, so the letter is late",
            "undo\nI hope your mother is well again.",
            "quit\npause",
            "resign",
            "draw?",
            "What do I do with all these tomatoes",
        ] {
            assert_eq!(wish(text), None, "{text}");
        }
        assert_eq!(wish(&"please ".repeat(80_000)), None);
    }

    #[test]
    fn the_id_of_a_game_looks_like_no_entry() {
        assert!(!looks_like_entry("I like asalto-20261125-2mr3c3bw a lot, and you?"));
        assert!(looks_like_entry("c4-c5 in asalto-20261125-2mr3c3bw"));
    }

    #[test]
    fn a_game_is_given_up_by_a_letter_that_says_nothing_else() {
        let gives_up = |text: &str| gives_up(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        for text in ["resign", "I resign.", "Hello Ada,\nI give up!\nThanks\nBram"] {
            assert!(gives_up(text), "{text}");
        }
        for text in [
            "",
            "Should I resign?\nI wonder what you think of it all",
            "resign\nc4-c5",
            "not yet\nresign",
            "Resign?\nha ha",
            "resign ? ",
        ] {
            assert!(!gives_up(text), "{text}");
        }
    }
}
