//! Finds characters that are invisible or look like others.

use super::{Diagnostic, Span, is_steering};

/// Names the first thing in a text that cannot be seen, or is no character of ASCII although it may look like one: a clause, without what
/// stands before it. The text is one in which nothing but ASCII is expected.
#[must_use]
pub fn unseen(text: &str) -> Option<String> {
    let blanks = || match text {
        _ if text.contains("  ") => Some("it has two spaces in a row".to_owned()),
        _ if text.ends_with(' ') => Some("it ends with an invisible space".to_owned()),
        _ => None,
    };
    text.chars().find(|one| !one.is_ascii()).map(named).or_else(blanks)
}

/// Names a character that is not one of ASCII.
fn named(other: char) -> String {
    let code = u32::from(other);
    match other {
        '\u{feff}' => "it has an invisible byte order mark (U+FEFF)".to_owned(),
        _ if other.is_whitespace() => format!("it has another kind of space (U+{code:04X})"),
        _ if is_invisible(other) => format!("it has an invisible character (U+{code:04X})"),
        _ => format!("the `{other}` in it is the character U+{code:04X}, whatever it looks like"),
    }
}

/// Whether nothing is seen of a character.
fn is_invisible(c: char) -> bool {
    is_steering(c)
        || matches!(c, '\u{200c}' | '\u{200d}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Whether a character is easily taken for one of ASCII: letters of other alphabets, signs in full width, dashes, quotes.
fn is_lookalike(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{52f}' | '\u{13a0}'..='\u{13ff}' | '\u{2010}'..='\u{201f}' | '\u{2100}'..='\u{218f}' | '\u{2212}' | '\u{2236}'
        | '\u{a789}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Names the first invisible character of a text, or the first look-alike among ASCII letters. Names and messages may have other
/// characters.
fn among_others(text: &str) -> Option<String> {
    let is_mixed = text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let is_odd = |c: &char| {
        !c.is_ascii() && (is_invisible(*c) || c.is_whitespace() || is_mixed && is_lookalike(*c))
            || matches!(c, '\u{ff01}'..='\u{ff5e}')
    };
    text.chars().find(is_odd).map(named)
}

/// Adds to a fault in a record what cannot be seen there, unless its words name that already. `body`: where the lines below the header
/// begin.
#[must_use]
pub fn seen(source: &[u8], body: usize, mut fault: Diagnostic) -> Diagnostic {
    const TOLD: [&str; 5] = ["U+", "two spaces", "or spaces", "invisible", "\\u{"];
    if TOLD.iter().any(|told| fault.message.contains(told)) {
        return fault;
    }
    if let Some(what) = beside(source, body, fault.span) {
        fault.message = format!("{}; {what}", fault.message);
    }
    fault
}

/// Names what cannot be seen at a place of a record, or on its line.
fn beside(source: &[u8], body: usize, span: Span) -> Option<String> {
    let start = (span.start as usize).min(source.len());
    let begin = memchr::memrchr(b'\n', source.get(..start)?).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', source.get(start..)?).map_or(source.len(), |at| start + at);
    let line = std::str::from_utf8(source.get(begin..end)?).ok()?.trim_end_matches('\r');
    let from = line.get(start - begin..)?;
    let part = from.get(..(span.end.saturating_sub(span.start)) as usize).unwrap_or(from);
    // A message may hold anything, and so may a remark.
    let shown = if start < body { line } else { line.split(" {").next().unwrap_or_default() };
    let on_line = || shown.chars().find(|c| !c.is_ascii() && (is_invisible(*c) || c.is_whitespace())).map(named);
    if start < body {
        // A fault of YAML is a place and no more.
        return among_others(part).or_else(on_line);
    }
    let part = part.split(" {").next().unwrap_or_default();
    match line.chars().next() {
        Some(first) if !first.is_ascii() && begin == start => Some(named(first)),
        Some('0'..='9' | ' ') if begin < start => unseen(part).or_else(on_line),
        Some('=' | ' ') => unseen(part),
        _ => among_others(part),
    }
}

/// Whether a line shows nothing but the three hyphens of `---`, and what in it is something else.
#[must_use]
pub fn hidden_in_dashes(line: &[u8]) -> Option<String> {
    // A cut within a character does no harm.
    let line = line.get(..line.len().min(64))?;
    let text = String::from_utf8_lossy(line);
    let is_dash =
        |c: char| c == '-' || matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ff0d}' | '\u{fe58}' | '\u{fe63}');
    let mut dashes = text.chars().filter(|c| !c.is_whitespace() && !is_invisible(*c)).peekable();
    let shows = dashes.peek().is_some() && dashes.all(is_dash);
    text.chars().find(|c| !c.is_ascii()).filter(|_| shows).map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ascii_is_named_and_names_are_left_alone() {
        for (text, word) in [
            ("\u{441}4-c5", "U+0441"),
            ("c4\u{200b}-c5", "an invisible character (U+200B)"),
            ("c4\u{a0}c5", "another kind of space (U+00A0)"),
            ("\u{feff}c4", "byte order mark"),
            ("c4  c5", "two spaces"),
            ("c4 ", "ends with an invisible space"),
        ] {
            assert!(unseen(text).is_some_and(|said| said.contains(word)), "{text:?}");
        }
        assert_eq!(unseen("c4-c5"), None);
        for name in ["Ren\u{e9}e", "\u{410}\u{434}\u{430}", "\u{6f22}", "Ada Quill"] {
            assert_eq!(among_others(name), None, "{name}");
        }
        for odd in ["cl\u{43e}ck", "a\u{200d}b", "\u{ff13}0d", "a\u{2011}1"] {
            assert!(among_others(odd).is_some(), "{odd}");
        }
    }

    #[test]
    fn a_line_that_looks_like_three_hyphens_says_what_it_is() {
        for (line, word) in [
            ("\u{2014}-", "U+2014"),
            ("---\u{200b}", "U+200B"),
            ("\u{feff}---", "byte order mark"),
            ("---\u{a0}", "U+00A0"),
        ] {
            assert!(hidden_in_dashes(line.as_bytes()).is_some_and(|said| said.contains(word)), "{line:?}");
        }
        for line in ["", "---", "\u{e9}", "Dear \u{2014}", "\u{200b}"] {
            assert_eq!(hidden_in_dashes(line.as_bytes()), None, "{line:?}");
        }
    }
}
