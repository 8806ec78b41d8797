//! The header of a new record.

use crate::sealing::PublicKey;
use postrider_kernel::{Info, Options};

/// A player of a new record: the name, the mail address, and the public key as written in a header.
pub type Player<'a> = (&'a str, Option<&'a str>, Option<String>);

/// The host of a new record (Z38): the name, the mail address, and the public key.
pub type Host<'a> = (&'a str, Option<&'a str>, PublicKey);

/// What goes into the header of a new record.
#[derive(Clone, Debug)]
pub struct Beginning<'a> {
    /// The game.
    pub info: &'static Info,
    /// The game's id.
    pub id: &'a str,
    /// The players, in the order of the sides.
    pub players: [Player<'a>; 2],
    /// The day on which it begins, such as `2026-11-22`.
    pub started: &'a str,
    /// The host, in a hosted game.
    pub host: Option<Host<'a>>,
    /// The title.
    pub title: Option<&'a str>,
    /// The clock.
    pub clock: Option<&'a str>,
    /// The options chosen.
    pub options: &'a Options,
    /// The position to start from.
    pub setup: Option<&'a str>,
    /// Whether hidden and random parts are sealed, in a game that has any.
    pub sealed: bool,
    /// The header fields that belong to this game only, as lines.
    pub own_fields: &'a str,
}

/// No options, which means the defaults.
static DEFAULTS: Options = Options::none();

impl<'a> Beginning<'a> {
    /// Makes a header of what each must have, for open play with the default options; everything else can be set beside that.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider_referee::{Beginning, game, open};
    ///
    /// let beginning = Beginning::new(game("asalto").ok_or("no such game")?, "ada-bram-1", ["Ada Quill", "Bram Post"], "2026-11-21");
    /// let record = Beginning { clock: Some("5d+1d"), ..beginning }.record();
    /// assert!(open(record.as_bytes())?.moves().len() > 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn new(info: &'static Info, id: &'a str, names: [&'a str; 2], started: &'a str) -> Self {
        Self {
            info,
            id,
            players: names.map(|name| (name, None, None)),
            started,
            host: None,
            title: None,
            clock: None,
            options: &DEFAULTS,
            setup: None,
            sealed: false,
            own_fields: "",
        }
    }

    /// Writes the record, as [`begin`] does.
    #[must_use]
    pub fn record(&self) -> String {
        begin(self)
    }
}

/// Writes the record, which has no entry yet. The values are not checked; the referee decides whether the header is
/// legal.
#[must_use]
pub fn begin(beginning: &Beginning<'_>) -> String {
    let info = beginning.info;
    let mut text = format!("---\npbem: 1\ngame: {}\nid: {}\nplayers:\n", info.name, scalar(beginning.id));
    for (side, (name, email, key)) in info.sides.iter().zip(&beginning.players) {
        let email = email.map(|email| format!(", email: {}", scalar(email))).unwrap_or_default();
        let key = key.as_ref().map(|key| format!(", key: {}", scalar(key))).unwrap_or_default();
        text.push_str(&format!("  {}: {{name: {}{email}{key}}}\n", side.word, scalar(name)));
    }
    text.push_str(&format!("started: {}\n", scalar(beginning.started)));
    if let Some((name, email, key)) = &beginning.host {
        let email = email.map(|email| format!(", email: {}", scalar(email))).unwrap_or_default();
        text.push_str(&format!("host: {{name: {}{email}, key: {}}}\n", scalar(name), key.text()));
    }
    if let Some(title) = beginning.title {
        text.push_str(&format!("title: {}\n", scalar(title)));
    }
    if let Some(clock) = beginning.clock {
        text.push_str(&format!("clock: {}\n", scalar(clock)));
    }
    let options: Vec<_> = beginning.options.iter().map(|(name, value)| format!("{name}: {}", scalar(value))).collect();
    if !options.is_empty() {
        text.push_str(&format!("options: {{{}}}\n", options.join(", ")));
    }
    if let Some(position) = beginning.setup {
        text.push_str(&format!("setup: \"{}\"\n", position.replace('\\', "\\\\").replace('"', "\\\"")));
    }
    if info.sealable {
        text.push_str(if beginning.sealed { "secrecy: sealed\n" } else { "secrecy: open\n" });
    }
    text.push_str(beginning.own_fields);
    text.push_str("---\n");
    text
}

/// Writes a text as YAML inside a map on one line: unquoted if nothing in it is special, otherwise in double quotes.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .-_@+/=".contains(c);
    let ends = text.starts_with(char::is_alphanumeric) && !text.ends_with(' ');
    if ends && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' | '"' => quoted.extend(['\\', c]),
            // A line end would end the line of the header in the middle of the quotes.
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_inside_their_quotes() {
        assert_eq!(scalar("Ada Quill"), "Ada Quill");
        assert_eq!(scalar("a: \"b\"\n---"), "\"a: \\\"b\\\"\\u000a---\"");
        assert_eq!(scalar("5d leave 3d"), "5d leave 3d");
    }
}
