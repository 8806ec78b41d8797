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
    /// Returns the value that `text` stands for, if it is one.
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

/// The options that a record has chosen, each checked against its game's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    chosen: Vec<(&'static str, Cow<'static, str>)>,
}

/// Why an option cannot be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionFault {
    /// The game has no option with this name; contains the names that it has.
    Unknown(String),
    /// The option has no such value; contains the values that it has.
    Value(String),
}

impl Options {
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

    /// Returns the value chosen for an option in `specs`, or its default; empty for a name that is not in the table.
    #[must_use]
    pub fn get(&self, specs: &'static [OptionSpec], name: &str) -> &str {
        match self.chosen.iter().find(|(chosen, _)| *chosen == name) {
            Some((_, value)) => value,
            None => specs.iter().find(|spec| spec.name == name).map_or("", |spec| spec.default),
        }
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

    const SPECS: &[OptionSpec] =
        &[OptionSpec { name: "huff", values: Values::OneOf(&["auto", "claim"]), default: "auto", about: "" }];

    #[test]
    fn unknown_names_and_values_are_refused_with_the_known_ones() {
        let mut options = Options::default();
        assert_eq!(options.choose(SPECS, "huf", "auto"), Err(OptionFault::Unknown("huff".into())));
        assert_eq!(options.choose(SPECS, "huff", "no"), Err(OptionFault::Value("auto or claim".into())));
        assert_eq!(options.get(SPECS, "huff"), "auto");
        assert_eq!(options.choose(SPECS, "huff", "claim"), Ok(()));
        assert_eq!(options.get(SPECS, "huff"), "claim");
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
