//! What tests and fuzzers need to know of a game beside its rules. Each game brings its own, so that they name no game.

use super::Side;

/// A game's samples. [`Samples::NONE`] is the beginning of any.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    /// Entries that may be spelled in another way than the canonical one; none in a game where nothing can.
    pub shorthands: &'static [Shorthand],
    /// Words that stand in lists for very many entries.
    pub placeholders: &'static [Placeholder],
    /// Last entries of games, under the default options and in open play.
    pub finished: &'static [Finished],
    /// Values of options that no description of them names.
    pub values: &'static [&'static str],
    /// How those position lines end that are no set-ups: of a game that has not begun yet, or is over.
    pub no_setups: &'static [&'static str],
    /// Of a stepwise game: the single actions that one action stands for, each as it is listed; of any other the action itself.
    pub singly: fn(&str) -> Vec<String>,
    /// Of a stepwise game: an action spelled otherwise, where that can be; else as it is.
    pub respelled: fn(&str) -> String,
    /// Whether an action is as good as a listed one, where more of its kind are legal than are listed.
    pub stands_for: fn(&str, &str) -> bool,
}

/// An entry in two spellings.
#[derive(Clone, Copy, Debug)]
pub struct Shorthand {
    /// Where it is legal: a position line of open play under the default options.
    pub position: &'static str,
    /// As it may be written.
    pub short: &'static str,
    /// In canonical spelling.
    pub canonical: &'static str,
}

/// A word in a list of entries that stands for many.
#[derive(Clone, Copy, Debug)]
pub struct Placeholder {
    /// The word.
    pub word: &'static str,
    /// How each entry begins that it stands for.
    pub begins: &'static str,
    /// Makes one of these entries, which the side may make where the word is listed. The function given returns numbers below its
    /// argument.
    pub example: fn(Side, &mut dyn FnMut(usize) -> usize) -> String,
}

/// The last entry of a game.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// The position before it.
    pub position: &'static str,
    /// The entry.
    pub entry: &'static str,
    /// The result, as the result line has it (E8).
    pub result: &'static str,
}

impl Samples {
    /// No samples: of a game where every entry has one spelling and is listed as it is.
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

    /// The word that stands in lists for an entry, or the entry itself.
    #[must_use]
    pub fn as_listed<'a>(&self, entry: &'a str) -> &'a str {
        self.placeholders.iter().find(|word| entry.starts_with(word.begins)).map_or(entry, |word| word.word)
    }

    /// The placeholder of a word, if it is one.
    #[must_use]
    pub fn placeholder(&self, word: &str) -> Option<&Placeholder> {
        self.placeholders.iter().find(|placeholder| placeholder.word == word)
    }
}
