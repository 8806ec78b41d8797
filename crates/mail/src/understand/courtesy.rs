//! Greetings, wishes and thanks around the words of a line.

use crate::words::Meaning;

/// How many courtesies are taken from one end of a line.
const MOST: usize = 40;

/// The words of a line, without signs, in small letters.
pub(super) fn words_of(line: &str) -> String {
    let lower = line.to_lowercase().replace('\u{2019}', "'");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the rest of a text after the longest phrase of a meaning at its beginning.
pub(super) fn behind(text: &str, meaning: Meaning) -> Option<&str> {
    let rests = meaning.words().iter().filter_map(|phrase| text.strip_prefix(phrase));
    rests.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map(str::trim_start).min_by_key(|rest| rest.len())
}

/// What is left of some words without greetings, names of persons and courtesies before and behind it; `None` if there are none.
pub(super) fn is_beside(words: &str) -> Option<&str> {
    let mut rest = words;
    let before = [Meaning::Courtesy, Meaning::Greeting, Meaning::Please];
    for _ in 0..MOST {
        match before.iter().find_map(|meaning| behind(rest, *meaning)) {
            Some(less) if less.len() < rest.len() => rest = less,
            _ => break,
        }
    }
    let rest = without_wishes_behind(rest);
    (rest.len() < words.len() || words.is_empty()).then_some(rest)
}

/// Some words without the courtesies behind them.
pub(super) fn without_wishes_behind(words: &str) -> &str {
    let mut rest = words;
    let ends = |rest: &str| {
        let phrases = [Meaning::Courtesy, Meaning::Thanks, Meaning::Please].into_iter().flat_map(Meaning::words);
        phrases.filter_map(|phrase| rest.strip_suffix(phrase)?.strip_suffix(' ').map(str::len)).min()
    };
    for _ in 0..MOST {
        let Some(less) = ends(rest).and_then(|length| rest.get(..length)) else { break };
        // "thanks and good luck"
        rest = less.rsplit_once(' ').filter(|(_, last)| Meaning::And.has(last)).map_or(less, |(before, _)| before);
    }
    rest
}

/// Whether a line asks for something, as with "please".
pub(super) fn pleads(line: &str) -> bool {
    let words = format!(" {} ", words_of(line));
    Meaning::Please.words().iter().any(|phrase| words.contains(&format!(" {phrase} ")))
}
