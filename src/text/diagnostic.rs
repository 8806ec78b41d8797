//! What is wrong, where, by which rule, and what would be right: as data, rendered elsewhere.

use std::fmt;

use super::Span;

/// One finding about a text. It can be shown as an excerpt with a caret, as one line, or as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The number of the rule that is broken (`T21`, `E5`); none for faults of grammar.
    pub rule: Option<&'static str>,
    /// The place of the entry among the entries, from 1; none where no entry is concerned.
    pub entry: Option<u32>,
    /// Where in the source.
    pub span: Span,
    /// What is wrong: lower case, no final stop.
    pub message: String,
    /// What would be right, if that can be said.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault of grammar: no rule, only a place and what was expected there.
    #[must_use]
    pub fn fault(span: Span, message: impl Into<String>) -> Self {
        Self { rule: None, entry: None, span, message: message.into(), help: None }
    }

    /// The same with a word on what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, about the entry at this place.
    #[must_use]
    pub fn in_entry(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }

    /// The message and what would be right, in one line, with everything unprintable made visible.
    #[must_use]
    pub fn line(&self) -> String {
        let text = match &self.help {
            Some(help) => format!("{}; {help}", self.message),
            None => self.message.clone(),
        };
        super::printable(&text).into_owned()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Some(rule) => write!(f, "{rule}: {}", self.line()),
            None => f.write_str(&self.line()),
        }
    }
}

impl std::error::Error for Diagnostic {}
