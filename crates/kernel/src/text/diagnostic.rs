//! What is wrong, where it is, which rule it breaks and what would be right, as data. Other modules render it.

use super::Span;
use crate::advice::Advice;

/// One finding about a text. It can be shown as an excerpt with a caret, as one line, or as JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", rule.map(|rule| format!("{rule}: ")).unwrap_or_default(), self.line())]
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
    /// What explains more. Each front end words it, and [`line`](Self::line) leaves it out.
    pub see: Option<Advice>,
}

impl Diagnostic {
    /// Makes a syntax error: it has no rule, only a place and what was expected there. A very long quotation loses its middle,
    /// because a record can have a thousand faults, each in a line of 64 KiB.
    #[must_use]
    pub fn fault(span: Span, message: impl Into<String>) -> Self {
        Self { rule: None, entry: None, span, message: shortened(message.into()), help: None, see: None }
    }

    /// Adds a hint that says what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what explains more.
    #[must_use]
    pub fn with_see(mut self, see: Advice) -> Self {
        self.see = Some(see);
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

/// Leaves out the middle of a very long message; what is expected comes last.
fn shortened(message: String) -> String {
    const LONGEST: usize = 600;
    const KEPT: usize = 250;
    if message.len() <= LONGEST {
        return message;
    }
    let is_boundary = |at: &usize| message.is_char_boundary(*at);
    let start = (0..=KEPT).rev().find(is_boundary).unwrap_or(0);
    let end = (message.len() - KEPT..message.len()).find(is_boundary).unwrap_or(message.len());
    format!("{}\u{2026}{}", message.get(..start).unwrap_or_default(), message.get(end..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_quotes_very_much_keeps_the_beginning_and_the_end_of_its_message() {
        let message = |word: &str| Diagnostic::fault(Span::new(0, 1), format!("`{word}` is not a side")).message;
        assert_eq!(message("red"), "`red` is not a side");
        for word in ["x".repeat(60_000), "\u{6f22}".repeat(20_000), "\u{e9}".repeat(301)] {
            let cut = message(&word);
            assert!(cut.len() < 600 && cut.starts_with('`') && cut.contains('\u{2026}'), "{cut}");
            assert!(cut.ends_with("` is not a side"), "{cut}");
        }
    }
}
