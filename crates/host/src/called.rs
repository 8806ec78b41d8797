//! How people are called. A name comes from a stranger and stands in letters to others, so it can hold no address, no link and no sentence
//! that a mail program makes one of. Pure.

/// The longest name, in characters.
pub(super) const LONGEST: usize = 40;
/// Who was forgotten.
pub(super) const NOBODY: &str = "A player";

/// What is left of a name: letters and their marks, blanks, `.`, `'` and `-`, and a blank behind each `.`, so that it is no address of a site.
pub(super) fn name(text: &str) -> String {
    let mut name = String::new();
    let mut length = 0;
    for c in text.chars() {
        let c = match c {
            '\u{2019}' | '\u{2bc}' => '\'',
            '\u{2010}' | '\u{2011}' => '-',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        let is_behind_dot = name.ends_with('.') && c != ' ';
        let fits = c.is_alphabetic() || is_mark(c) || ".'- ".contains(c);
        if !fits || c == ' ' && (name.is_empty() || name.ends_with(' ')) || c == '.' && is_behind_dot {
            continue;
        }
        if is_behind_dot {
            name.push(' ');
            length += 1;
        }
        if length >= LONGEST {
            break;
        }
        name.push(c);
        length += 1;
    }
    let name = name.trim_end();
    if name.chars().any(char::is_alphabetic) { name.to_owned() } else { String::new() }
}

/// Whether a sign is part of the letter before it and no letter itself.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5bd}'
            | '\u{64b}'..='\u{65f}'
            | '\u{93c}'
            | '\u{94d}'
            | '\u{9bc}'
            | '\u{9cd}'
            | '\u{a3c}'
            | '\u{a4d}'
            | '\u{abc}'
            | '\u{acd}'
            | '\u{b3c}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{cbc}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{e47}'..='\u{e4e}'
            | '\u{1037}'
            | '\u{1039}'
            | '\u{103a}'
            | '\u{17d2}'
            | '\u{3099}'
            | '\u{309a}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_letters_and_nothing_that_becomes_a_link() {
        for (text, expected) in [
            ("Ada Quill", "Ada Quill"),
            ("  Zoë   O\u{2019}Brien-Müller ", "Zoë O'Brien-Müller"),
            ("J.R. Smith Jr.", "J. R. Smith Jr."),
            ("प्रिया", "प्रिया"),
            ("Zoe\u{308}", "Zoe\u{308}"),
            ("Win money at http://evil.example/x", "Win money at httpevil. examplex"),
            ("evil\u{3002}example <b>now</b>", "evilexample bnowb"),
            ("a...b", "a. b"),
            ("call +1 555 0100", "call"),
            ("12345", ""),
            (". . '", ""),
            ("a\u{202e}b\u{200b}c\nd", "abc d"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
        assert_eq!(name(&"a".repeat(90)).chars().count(), LONGEST);
    }
}
