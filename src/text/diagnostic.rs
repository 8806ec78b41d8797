//! What is wrong, where it is, which rule it breaks and what would be right, as data. Other modules render it.

use std::fmt;

use super::Span;

/// One finding about a text. It can be shown as an excerpt with a caret, as one line, or as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The number of the rule that is broken (`T21`, `E5`); `None` for a fault of grammar.
    pub rule: Option<&'static str>,
    /// Which entry is at fault, counted from 1; `None` if it is not in an entry.
    pub entry: Option<u32>,
    /// Where it is in the source.
    pub span: Span,
    /// What is wrong: in lower case, without a final full stop.
    pub message: String,
    /// What would be right, if that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes a fault of grammar: it has no rule, only a place and what was expected there.
    #[must_use]
    pub fn fault(span: Span, message: impl Into<String>) -> Self {
        Self { rule: None, entry: None, span, message: message.into(), help: None }
    }

    /// Adds a hint that says what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the entry at fault, counted from 1.
    #[must_use]
    pub fn in_entry(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }

    /// Returns the message and the hint in one line, with unprintable characters made visible.
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
