//! The words of an unfinished command line, and how a candidate is written into it.

/// The kind of quotation that is still open at the end of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quote {
    /// No quotes.
    #[default]
    None,
    /// Single quotes that are still open.
    Single,
    /// Double quotes that are still open.
    Double,
}

/// A word as the shell will read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text, without quotes and backslashes.
    pub text: String,
    /// Where it begins in the line.
    pub start: usize,
    /// The quote that is open at its end.
    pub quote: Quote,
}

/// Splits a line into words as a shell does. The last one is the word under the cursor, and is empty after a space.
/// Words before `;`, `|`, `&` or `(` belong to another command and are left out.
#[must_use]
pub fn split(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = Quote::None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let begun = |word: Option<Word>| word.unwrap_or(Word { start: at, ..Word::default() });
        match (quote, c) {
            (Quote::None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (Quote::None, ';' | '|' | '&' | '(') => {
                words.clear();
                word = None;
            }
            (Quote::None, '\'') => (word, quote) = (Some(begun(word)), Quote::Single),
            (Quote::None, '"') => (word, quote) = (Some(begun(word)), Quote::Double),
            (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
            (Quote::None, '\\') => {
                let mut open = begun(word);
                open.text.extend(chars.next().map(|(_, next)| next));
                word = Some(open);
            }
            (Quote::Double, '\\') => {
                let mut open = begun(word);
                match chars.next_if(|(_, next)| matches!(next, '"' | '\\' | '$' | '`')) {
                    Some((_, next)) => open.text.push(next),
                    None => open.text.push('\\'),
                }
                word = Some(open);
            }
            (_, c) => {
                let mut open = begun(word);
                open.text.push(c);
                word = Some(open);
            }
        }
    }
    let last = word.unwrap_or(Word { start: line.len(), ..Word::default() });
    words.push(Word { quote, ..last });
    words
}

/// Returns the text of one word that may contain quotes and backslashes.
#[must_use]
pub fn unquoted(raw: &str) -> String {
    // In a word given on its own, characters that separate commands are part of it.
    let mut words = split(raw);
    match words.pop() {
        Some(word) if words.is_empty() && word.start == 0 => word.text,
        _ => raw.to_owned(),
    }
}

/// Writes a text so that the shell reads it unchanged, at a place where this quote is open. An open quote stays open.
#[must_use]
pub fn escaped(text: &str, quote: Quote) -> String {
    match quote {
        Quote::Single => text.replace('\'', "'\\''"),
        Quote::Double => with_backslashes(text, |c| matches!(c, '"' | '\\' | '$' | '`')),
        Quote::None => {
            let plain = |c: char| c.is_alphanumeric() || "_-./,:=@%+~".contains(c);
            if text.chars().all(plain) {
                text.to_owned()
            } else if text.contains('/') {
                // So that a path still ends in a slash, and `~` means the home folder.
                with_backslashes(text, |c| !plain(c))
            } else {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
        }
    }
}

fn with_backslashes(text: &str, special: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        split(line).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_line_is_split_as_a_shell_does() {
        assert_eq!(texts("postrider move game.pbem "), ["postrider", "move", "game.pbem", ""]);
        assert_eq!(texts("postrider move 'my game.pbem' 'place c6"), ["postrider", "move", "my game.pbem", "place c6"]);
        assert_eq!(texts(r#"x my\ game "a\"b\n" ''"#), ["x", "my game", "a\"b\\n", ""]);
        assert_eq!(texts("cd x; ls | postrider sh"), ["postrider", "sh"]);
        assert_eq!(texts(""), [""]);
        let last = split("postrider move g 'c6-d6; h").pop().unwrap();
        assert_eq!((last.text.as_str(), last.start, last.quote), ("c6-d6; h", 17, Quote::Single));
        assert_eq!(unquoted("'c6-d6; h"), "c6-d6; h");
        assert_eq!(unquoted("a;b"), "a;b");
    }

    #[test]
    fn escaped_words_read_back() {
        for text in ["c4-c5", "place c6 e6", "it's", "a\"b$c`d\\e", "my games/x y.pbem", "c6-d6; huff d6", "draw?"] {
            for (quote, before) in [(Quote::None, ""), (Quote::Single, "'"), (Quote::Double, "\"")] {
                let line = format!("{before}{}", escaped(text, quote));
                assert_eq!(texts(&line), [text], "{line}");
            }
        }
    }
}
