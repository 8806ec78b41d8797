//! What tests and fuzzers need to know about a game besides its rules. Each game provides its own, so that tests need
//! not name any game.

use super::Side;

/// A game's samples. Start from [`Samples::NONE`].
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    /// Entries that may be spelled in other than the canonical way; empty in a game without such spellings.
    pub shorthands: &'static [Shorthand],
    /// Words in lists that stand for very many entries.
    pub placeholders: &'static [Placeholder],
    /// Entries that end a game, under the default options and in open play.
    pub finished: &'static [Finished],
    /// Values of options that their descriptions do not mention.
    pub values: &'static [&'static str],
    /// The endings of position lines that are not valid as set-ups, because the game has not begun yet or is over.
    pub no_setups: &'static [&'static str],
    /// For a stepwise game: the single actions, as listed, that one action abbreviates. For any other game: the
    /// action itself.
    pub singly: fn(&str) -> Vec<String>,
    /// For a stepwise game: an action in another spelling, if there is one; otherwise the action itself.
    pub respelled: fn(&str) -> String,
    /// Whether an action counts as a listed one, if more actions of its kind are legal than are listed.
    pub stands_for: fn(&str, &str) -> bool,
}

/// An entry in two spellings.
#[derive(Clone, Copy, Debug)]
pub struct Shorthand {
    /// Where it is legal: a position line in open play under the default options.
    pub position: &'static str,
    /// As it may be written.
    pub short: &'static str,
    /// In canonical spelling.
    pub canonical: &'static str,
}

/// A word in a list of entries that represents many of them.
#[derive(Clone, Copy, Debug)]
pub struct Placeholder {
    /// The word.
    pub word: &'static str,
    /// The beginning of each entry that it represents.
    pub begins: &'static str,
    /// Makes one of these entries, which the side may make when the word is listed. The given function returns numbers
    /// below its argument.
    pub example: fn(Side, &mut dyn FnMut(usize) -> usize) -> String,
    /// Where the pieces of such an entry may be put; empty if it puts none.
    pub squares: fn(Side) -> Vec<String>,
    /// The letters of these pieces, and what each is called.
    pub pieces: &'static [(char, &'static str)],
}

/// The last entry of a game.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// The position before it.
    pub position: &'static str,
    /// The entry.
    pub entry: &'static str,
    /// The result, as in the result line (E8).
    pub result: &'static str,
}

impl Samples {
    /// No samples: for a game in which every entry has only one spelling and is listed as it is.
    pub const NONE: Self = Self {
        shorthands: &[],
        placeholders: &[],
        finished: &[],
        values: &[],
        no_setups: &[],
        singly: |action| vec![action.to_owned()],
        respelled: str::to_owned,
        stands_for: |action, listed| action == listed,
    };

    /// Returns the word that represents an entry in lists, or the entry itself.
    #[must_use]
    pub fn as_listed<'a>(&self, entry: &'a str) -> &'a str {
        self.placeholders.iter().find(|word| entry.starts_with(word.begins)).map_or(entry, |word| word.word)
    }

    /// Returns the placeholder that a word is, if it is one.
    #[must_use]
    pub fn placeholder(&self, word: &str) -> Option<&Placeholder> {
        self.placeholders.iter().find(|placeholder| placeholder.word == word)
    }
}
