//! JSON on standard output, a line each. What is no ASCII and could steer a terminal is written as its number: a name of a file may be
//! a stranger's, and a line is looked at before it is read by a program.

use std::fmt::Write as _;

use serde::Serialize;

use crate::text::is_steering;

/// A value as a line of JSON. Texts and numbers always have one.
pub(super) fn line(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // Such a character stands in a text, where its number means the same.
        if is_steering(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(line, "\\u{unit:04x}");
            }
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_written_as_its_number() {
        let text = "a\u{9b}31m\u{202e}b\u{e0041}\u{1b}é";
        assert_eq!(line(&text), "\"a\\u009b31m\\u202eb\\udb40\\udc41\\u001bé\"\n");
        assert_eq!(serde_json::from_str::<String>(&line(&text)).unwrap(), text);
    }
}
