//! Whether words name something, as people write it: a letter wrong, apart or together, in wide letters. Pure.

/// The fewest letters of a name in which one may be wrong.
const MAY_ERR: usize = 5;
/// The fewest letters of a name in which two may be wrong.
const MAY_ERR_TWICE: usize = 10;

/// Returns whether a text names one of these, or a telling part of one. The letter of a kind behind a place, as in `d1A`, names it too.
pub(super) fn names_any(text: &str, names: &[String]) -> bool {
    let folded = folded(text);
    let words: Vec<String> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let lower: Vec<Vec<char>> = words.iter().map(|word| word.to_lowercase().chars().collect()).collect();
    let squeezed: Vec<char> = lower.concat();
    let is_named = |name: &String| {
        let key: Vec<char> = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if key.is_empty() {
            return false;
        }
        if key.len() < MAY_ERR {
            return lower.contains(&key);
        }
        let parts = name.split(|c: char| !c.is_alphanumeric()).map(|part| part.to_lowercase().chars().collect());
        let mut parts = parts.filter(|part: &Vec<char>| part.len() >= MAY_ERR && part.len() < key.len());
        errors(&squeezed, &key) <= allowed(&key)
            || parts.any(|part| lower.iter().any(|word| errors(word, &part) <= 1 && word.len() < part.len() + 3))
    };
    !names.is_empty() && (words.iter().any(|word| is_typed(word)) || names.iter().any(is_named))
}

const fn allowed(key: &[char]) -> usize {
    if key.len() < MAY_ERR_TWICE { 1 } else { 2 }
}

/// Wide letters as usual ones, and nothing that is not seen.
fn folded(text: &str) -> String {
    let fold = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{ad}'
        | '\u{34f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => None,
        c => Some(c),
    };
    text.chars().filter_map(fold).collect()
}

/// Whether a word is a place and the letter of a kind: `d1A`, `z9A`.
fn is_typed(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let kind = letters.trim_start_matches(|c: char| c.is_ascii_digit());
    letters.len() < word.len()
        && kind.len() < letters.len()
        && kind.len() == 1
        && kind.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The fewest letters that are wrong, too many or left out where `key` stands in `text` (Sellers).
fn errors(text: &[char], key: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=key.len()).collect();
    let mut best = key.len();
    for letter in text {
        let mut diagonal = 0;
        for (nth, one) in key.iter().enumerate() {
            let (left, above) = (row.get(nth).copied().unwrap_or(0), row.get(nth + 1).copied().unwrap_or(0));
            let cost = (diagonal + usize::from(one != letter)).min(left + 1).min(above + 1);
            diagonal = above;
            if let Some(cell) = row.get_mut(nth + 1) {
                *cell = cost;
            }
        }
        best = best.min(row.last().copied().unwrap_or(best));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_with_a_letter_wrong_apart_together_and_in_wide_letters() {
        let names = ["portal-trooper".to_owned(), "Prince".to_owned(), "Fog".to_owned()];
        for text in [
            "portal-trooper",
            "I have the Portal Trooper!",
            "portaltrooper",
            "portal-troper",
            "protal-trooper",
            "ｐｏｒｔａｌ-ｔｒｏｏｐｅｒ",
            "portal\u{ad}-trooper",
            "my troopers",
            "the pince",
            "fog",
            "+z9A",
            "d1A",
        ] {
            assert!(names_any(text, &names), "{text}");
        }
        for text in ["Nice to meet you! How is the weather?", "", "forget it", "c4-c5", "a game at 10A"] {
            assert!(!names_any(text, &names), "{text}");
        }
        assert!(!names_any("d1A", &[]));
    }
}
