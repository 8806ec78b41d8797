//! A game's named rule options: which ones there are, and which a record has chosen.

use std::borrow::Cow;

/// One named option of a game.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name in the header's `options`.
    pub name: &'static str,
    /// What it may be set to.
    pub values: Values,
    /// The value if the header has none.
    pub default: &'static str,
    /// What it decides, for `postrider games`.
    pub about: &'static str,
}

/// The values that an option may have. Values are texts.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number without a leading zero.
    Number {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
        /// Whether it must be even.
        even: bool,
        /// Whether the word `none` is allowed as well.
        or_none: bool,
    },
    /// Anything that the game's own test accepts.
    Custom {
        /// The test.
        admit: fn(&str) -> bool,
        /// What it accepts, in words.
        describe: &'static str,
    },
}

impl Values {
    /// Parses a value; `None` if `text` is not one.
    #[must_use]
    pub fn find(self, text: &str) -> Option<Cow<'static, str>> {
        match self {
            Values::OneOf(words) => words.iter().copied().find(|word| *word == text).map(Cow::Borrowed),
            Values::Number { min, max, even, or_none } => {
                let canonical =
                    text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
                let admitted = |number: u64| (min..=max).contains(&number) && !(even && number % 2 == 1);
                let admitted = or_none && text == "none" || canonical && text.parse().is_ok_and(admitted);
                admitted.then(|| Cow::Owned(text.to_owned()))
            }
            Values::Custom { admit, .. } => admit(text).then(|| Cow::Owned(text.to_owned())),
        }
    }

    /// Returns the values in words: `auto, claim or strict`, `an even number from 10 to 400, or none`.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Values::OneOf(words) => match words.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => words.concat(),
            },
            Values::Number { min, max, even, or_none } => {
                let kind = if even { "an even number" } else { "a number" };
                format!("{kind} from {min} to {max}{}", if or_none { ", or none" } else { "" })
            }
            Values::Custom { describe, .. } => describe.to_owned(),
        }
    }
}

/// An option with words as values, each of which means a `T`. The first word is the default. A game reads it here, so no name and no
/// word can be misspelt.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T, const N: usize> {
    name: &'static str,
    about: &'static str,
    words: [&'static str; N],
    meanings: [T; N],
    default: T,
}

impl<T: Copy, const N: usize> Choice<T, N> {
    /// Makes the option with this name, these words with what they mean, and what it decides.
    #[must_use]
    pub const fn new(name: &'static str, values: [(&'static str, T); N], about: &'static str) -> Self {
        const { assert!(N > 0, "an option has values") };
        let (mut words, mut meanings) = ([values[0].0; N], [values[0].1; N]);
        let mut nth = 0;
        while nth < N {
            (words[nth], meanings[nth]) = values[nth];
            nth += 1;
        }
        Self { name, about, words, meanings, default: values[0].1 }
    }

    /// Returns the option for the game's list.
    #[must_use]
    pub const fn spec(&'static self) -> OptionSpec {
        OptionSpec { name: self.name, values: Values::OneOf(&self.words), default: self.words[0], about: self.about }
    }

    /// Returns what the chosen word means, or the default.
    #[must_use]
    pub fn of(&self, options: &Options) -> T {
        self.written(options).unwrap_or(self.default)
    }

    /// Returns what the word means that is written in the header; `None` if the header has none.
    #[must_use]
    pub fn written(&self, options: &Options) -> Option<T> {
        let word = options.chosen(self.name)?;
        self.words.iter().zip(self.meanings).find(|(other, _)| **other == word).map(|(_, meaning)| meaning)
    }
}

/// The options that a record has chosen, each checked against its game's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    chosen: Vec<(&'static str, Cow<'static, str>)>,
}

/// Why an option cannot be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionFault {
    /// The game has no option with this name; contains the names that it has.
    #[error("there is no such option; the options are {0}")]
    Unknown(String),
    /// The option has no such value; contains the values that it has.
    #[error("the option has no such value; it is {0}")]
    Value(String),
}

impl Options {
    /// Chooses nothing: every option has its default.
    #[must_use]
    pub const fn none() -> Self {
        Self { chosen: Vec::new() }
    }

    /// Chooses a value.
    ///
    /// # Errors
    /// If the game has no such option, or the option no such value.
    pub fn choose(&mut self, specs: &'static [OptionSpec], name: &str, value: &str) -> Result<(), OptionFault> {
        let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
            let names: Vec<_> = specs.iter().map(|spec| spec.name).collect();
            return Err(OptionFault::Unknown(names.join(", ")));
        };
        let Some(value) = spec.values.find(value) else {
            return Err(OptionFault::Value(spec.values.describe()));
        };
        self.chosen.retain(|(chosen, _)| *chosen != spec.name);
        self.chosen.push((spec.name, value));
        Ok(())
    }

    /// Leaves an option at its default.
    pub fn leave(&mut self, name: &str) {
        self.chosen.retain(|(chosen, _)| *chosen != name);
    }

    /// Returns the value that is written in the header for an option.
    #[must_use]
    pub fn chosen(&self, name: &str) -> Option<&str> {
        self.chosen.iter().find(|(chosen, _)| *chosen == name).map(|(_, value)| value.as_ref())
    }

    /// Returns the value of an option, or its default.
    #[must_use]
    pub fn text(&self, spec: &OptionSpec) -> &str {
        self.chosen(spec.name).unwrap_or(spec.default)
    }

    /// Returns the number that an option is set to; `None` for `none`.
    #[must_use]
    pub fn number(&self, spec: &OptionSpec) -> Option<u32> {
        self.text(spec).parse().ok()
    }

    /// Returns the chosen options, in the order chosen.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.chosen.iter().map(|(name, value)| (*name, value.as_ref()))
    }

    /// Returns whether nothing was chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUFF: &Choice<u8, 2> = &Choice::new("huff", [("auto", 0), ("claim", 1)], "");
    const LIMIT: OptionSpec = OptionSpec {
        name: "limit",
        values: Values::Number { min: 1, max: 9, even: false, or_none: true },
        default: "none",
        about: "",
    };
    const SPECS: &[OptionSpec] = &[HUFF.spec(), LIMIT];

    #[test]
    fn unknown_names_and_values_are_refused_with_the_known_ones() {
        let mut options = Options::default();
        assert_eq!(options.choose(SPECS, "huf", "auto"), Err(OptionFault::Unknown("huff, limit".into())));
        assert_eq!(options.choose(SPECS, "huff", "no"), Err(OptionFault::Value("auto or claim".into())));
        assert_eq!((HUFF.of(&options), HUFF.written(&options)), (0, None));
        assert_eq!(options.choose(SPECS, "huff", "claim"), Ok(()));
        assert_eq!((HUFF.of(&options), HUFF.written(&options)), (1, Some(1)));
        assert_eq!((options.number(&LIMIT), options.text(&LIMIT)), (None, "none"));
        assert_eq!(options.choose(SPECS, "limit", "7"), Ok(()));
        assert_eq!(options.number(&LIMIT), Some(7));
    }

    #[test]
    fn numbers_have_bounds_and_one_spelling() {
        let values = Values::Number { min: 10, max: 400, even: true, or_none: true };
        for admitted in ["10", "400", "100", "none"] {
            assert!(values.find(admitted).is_some(), "{admitted}");
        }
        for refused in ["8", "402", "11", "010", "+12", "12 ", "", "0", "None", "99999999999999999999"] {
            assert!(values.find(refused).is_none(), "{refused}");
        }
        assert_eq!(values.describe(), "an even number from 10 to 400, or none");
        let odd_too = Values::Number { min: 0, max: 11, even: false, or_none: false };
        assert!(odd_too.find("0").is_some() && odd_too.find("11").is_some() && odd_too.find("none").is_none());
        assert_eq!(odd_too.describe(), "a number from 0 to 11");
    }

    #[test]
    fn a_game_may_test_values_itself() {
        let values = Values::Custom { admit: |text| text.len() == 2, describe: "two letters" };
        assert!(values.find("ab").is_some() && values.find("abc").is_none());
        assert_eq!(values.describe(), "two letters");
    }
}
