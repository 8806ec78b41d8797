//! Objects as lines of JSON. Characters beyond ASCII that could control a terminal are escaped: a file name may come from a stranger,
//! and people look at a line before a program reads it.

use std::fmt::Write as _;

use serde::Serialize;

use postrider_kernel::text::is_steering;

/// Formats a value as a line of JSON. Texts and numbers always have a JSON form.
#[must_use]
pub fn line(value: &impl Serialize) -> String {
    let mut line = harmless(serde_json::to_string(value).unwrap_or_default());
    line.push('\n');
    line
}

/// Adds the same line to others, most of which need no second look.
pub fn add_line(lines: &mut Vec<u8>, value: &impl Serialize) {
    let start = lines.len();
    // Writing to memory always succeeds.
    let _ = serde_json::to_writer(&mut *lines, value);
    if is_beyond_ascii(lines.get(start..).unwrap_or_default()) {
        lines.truncate(start);
        lines.extend_from_slice(line(value).as_bytes());
    } else {
        lines.push(b'\n');
    }
}

/// Returns whether there may be a character that JSON does not escape and that could control a terminal.
fn is_beyond_ascii(text: &[u8]) -> bool {
    // A fold without an early exit is what the compiler turns into vector instructions.
    text.iter().fold(false, |any, byte| any | (*byte >= 0x7f))
}

/// Escapes the characters of a JSON text that could control a terminal.
#[must_use]
pub fn harmless(text: String) -> String {
    if !is_beyond_ascii(text.as_bytes()) {
        return text;
    }
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    // JSON itself escapes the lower control characters.
    while let Some(next) = text.get(at..).and_then(|rest| rest.bytes().position(|byte| byte >= 0x7f)) {
        at += next;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        // Such a character is inside a string, where the escape means the same.
        if is_steering(c) {
            out.push_str(text.get(from..at).unwrap_or_default());
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` never fails.
                let _ = write!(out, "\\u{unit:04x}");
            }
            from = at + c.len_utf8();
        }
        at += c.len_utf8();
    }
    if from == 0 {
        return text;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_could_control_a_terminal_are_escaped() {
        let text = "a\u{9b}31m\u{202e}b\u{e0041}\u{1b}é";
        assert_eq!(line(&text), "\"a\\u009b31m\\u202eb\\udb40\\udc41\\u001bé\"\n");
        assert_eq!(serde_json::from_str::<String>(&line(&text)).unwrap(), text);
        let signs = ["", "a", "\u{7e}", "\u{7f}", "é", "\u{200b}", "ü", "\u{10348}", "\u{feff}"];
        for (one, other) in signs.iter().flat_map(|one| signs.map(|other| (one, other))) {
            let text = format!("{one}{other}{one}{one}x{other}");
            let escaped = text.chars().map(|c| if is_steering(c) { format!("\\u{:04x}", c as u32) } else { c.into() });
            assert_eq!(line(&text), format!("\"{}\"\n", escaped.collect::<String>()));
            let mut lines = b"before\n".to_vec();
            add_line(&mut lines, &text);
            assert_eq!(String::from_utf8(lines).unwrap(), format!("before\n{}", line(&text)));
        }
    }
}
