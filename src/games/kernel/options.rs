//! A game's named rule options: which there are, and which a record has chosen.

/// One named option of a game.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name in the header's `options`.
    pub name: &'static str,
    /// What it may be set to.
    pub values: Values,
    /// The value where the header has none.
    pub default: &'static str,
    /// What it decides, for `postrider games`.
    pub about: &'static str,
}

/// The values that an option may have. Values are read as text.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl Values {
    /// Returns the value that `text` spells, if it is one.
    #[must_use]
    pub fn find(self, text: &str) -> Option<&'static str> {
        match self {
            Values::OneOf(words) => words.iter().copied().find(|word| *word == text),
        }
    }

    /// Returns the values in words: `auto, claim or strict`.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Values::OneOf(words) => match words.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => words.concat(),
            },
        }
    }
}

/// The options that a record has chosen, each checked against its game's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    chosen: Vec<(&'static str, &'static str)>,
}

/// Why an option cannot be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionFault {
    /// The game has no option of this name; the names that it has.
    Unknown(String),
    /// The option has no such value; the values that it has.
    Value(String),
}

impl Options {
    /// Chooses a value.
    ///
    /// # Errors
    /// When the game has no such option, or the option no such value.
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

    /// Returns the value chosen for an option of `specs`, or its default; nothing for a name that is not in the table.
    #[must_use]
    pub fn get(&self, specs: &'static [OptionSpec], name: &str) -> &'static str {
        match self.chosen.iter().find(|(chosen, _)| *chosen == name) {
            Some((_, value)) => value,
            None => specs.iter().find(|spec| spec.name == name).map_or("", |spec| spec.default),
        }
    }

    /// Returns the options chosen, in the order chosen.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.chosen.iter().copied()
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
    fn unknown_names_and_values_are_refused_with_what_there_is() {
        let mut options = Options::default();
        assert_eq!(options.choose(SPECS, "huf", "auto"), Err(OptionFault::Unknown("huff".into())));
        assert_eq!(options.choose(SPECS, "huff", "no"), Err(OptionFault::Value("auto or claim".into())));
        assert_eq!(options.get(SPECS, "huff"), "auto");
        assert_eq!(options.choose(SPECS, "huff", "claim"), Ok(()));
        assert_eq!(options.get(SPECS, "huff"), "claim");
    }
}
