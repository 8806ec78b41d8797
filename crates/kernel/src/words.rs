//! Lists as they stand in a sentence, and numbers in a name.

use std::fmt::Display;

/// Writes a number at the end of a text, without the machinery of formats: labels of seals are made by the dozen.
pub fn push_number(text: &mut String, number: u32) {
    if number > 9 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// `a5, b5 or c5`.
pub fn either<T: Display>(items: &[T]) -> String {
    joined(items, " or ")
}

/// `c5 and e5`.
pub fn both<T: Display>(items: &[T]) -> String {
    joined(items, " and ")
}

fn joined<T: Display>(items: &[T], last: &str) -> String {
    let names: Vec<_> = items.iter().map(T::to_string).collect();
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// `a, b and 3 more`, with at most `most` items; `none` if there are no items.
pub fn some_of(items: impl IntoIterator<Item = String>, most: usize, none: &str) -> String {
    let mut items: Vec<_> = items.into_iter().collect();
    let more = items.len().saturating_sub(most);
    items.truncate(most);
    match (items.is_empty(), more) {
        (true, _) => none.into(),
        (_, 0) => items.join(", "),
        _ => format!("{} and {more} more", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_displayed() {
        for number in [0, 7, 10, 99, 100, 1_000_000_009, u32::MAX] {
            let mut text = String::from("deck.");
            push_number(&mut text, number);
            assert_eq!(text, format!("deck.{number}"));
        }
    }

    #[test]
    fn lists_read_as_sentences_do() {
        assert_eq!(either(&["a5", "b5", "c5"]), "a5, b5 or c5");
        assert_eq!(both(&["c5", "e5"]), "c5 and e5");
        assert_eq!((either(&["a5"]), both::<&str>(&[])), ("a5".into(), String::new()));
        let items = || ["a", "b", "c"].map(str::to_owned);
        assert_eq!(some_of(items(), 2, "none"), "a, b and 1 more");
        assert_eq!(some_of(items(), 3, "none"), "a, b, c");
        assert_eq!(some_of(Vec::new(), 3, "none"), "none");
    }
}
