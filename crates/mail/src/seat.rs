//! The token of a seat in a letter: until the opponent has made an entry, letters carry one, and the opponent's program sends it back
//! with its first entry. Only the recipient of the letter knows it; the record, which others may see, does not have it.

use lettre::message::header::{HeaderName, HeaderValue};

/// How many tokens that came in a game are sent back.
pub const MOST_TOKENS: usize = 4;

/// Returns whether a text is a token, which a letter brings and only its answer knows: 32 hexadecimal digits, in lower case.
#[must_use]
pub fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The field that brings a token.
pub(super) const SEAT: &str = "X-Postrider-Seat";
/// The field that sends it back, with all tokens that came in the game.
pub(super) const ANSWER: &str = "X-Postrider-Seat-Answer";

/// The field with what a letter says of keys.
pub(super) const KEY: &str = "X-Postrider-Key";

/// The tokens in a letter, and what it says of keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seat<'a> {
    /// The one that it brings.
    pub token: Option<&'a str>,
    /// Those that it sends back.
    pub answers: &'a [String],
    /// What it says of keys (Z36, Z37), a line each.
    pub statements: &'a [String],
}

impl Seat<'_> {
    /// The fields of a letter with these tokens.
    pub(super) fn fields(&self) -> impl Iterator<Item = HeaderValue> {
        let field = |name, value: String| (!value.is_empty()).then(|| HeaderValue::new(name, value));
        let answers: Vec<&str> = self.answers.iter().map(String::as_str).filter(|token| is_token(token)).collect();
        let token = self.token.filter(|token| is_token(token)).unwrap_or_default().to_owned();
        let names = [SEAT, ANSWER, KEY].map(HeaderName::new_from_ascii_str);
        names
            .into_iter()
            .zip([token, answers.join(" "), self.statements.join(" ")])
            .filter_map(move |(name, value)| field(name, value))
    }
}

/// Reads the tokens of a field.
pub(super) fn tokens(value: &str) -> Vec<String> {
    value.split_ascii_whitespace().filter(|word| is_token(word)).take(MOST_TOKENS).map(str::to_owned).collect()
}
