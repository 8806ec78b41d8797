//! The words that describe positions, with what several descriptions have in common written once: a description is a row of phrases,
//! which an element names by their ids.

use std::cmp::Reverse;
use std::collections::HashMap;

/// The size in bytes of a phrase beside its text, and of a reference to it.
const PHRASE: usize = 10;
const NAME: usize = 3;
/// The maximum number of passes that join neighbouring phrases.
const PASSES: usize = 60;

/// The descriptions of positions.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
    rows: Vec<Vec<usize>>,
}

/// The phrases, those that are referred to most often first, and the phrases of each description by their index.
pub(super) struct Written {
    pub phrases: Vec<String>,
    pub each: Vec<Vec<usize>>,
}

impl Phrases {
    /// Adds a description. Each line is divided behind its first colon and behind every semicolon and comma. The last phrase of a line
    /// ends in a line break.
    pub(super) fn add(&mut self, words: &str) {
        let mut row = Vec::new();
        for line in words.lines() {
            let (head, rest) =
                line.split_once(": ").map_or((None, line), |(head, rest)| (Some(format!("{head}:")), rest));
            let parts = rest.split_inclusive("; ").flat_map(|part| part.split_inclusive(", "));
            let parts = parts.map(|part| part.trim_end().to_owned());
            let mut parts: Vec<String> = head.into_iter().chain(parts).collect();
            if let Some(last) = parts.last_mut() {
                last.push('\n');
            }
            row.extend(parts.into_iter().map(|part| self.number(part)));
        }
        self.rows.push(row);
    }

    fn number(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }

    /// Joins neighbours wherever that makes the whole shorter, and numbers the phrases.
    pub(super) fn write(mut self) -> Written {
        for _ in 0..PASSES {
            if !self.join() {
                break;
            }
        }
        let uses = self.uses();
        let mut used: Vec<usize> = (0..self.texts.len()).filter(|number| uses.get(*number) > Some(&0)).collect();
        used.sort_by_key(|number| (Reverse(uses.get(*number).copied()), *number));
        let places: HashMap<usize, usize> = used.iter().enumerate().map(|(place, number)| (*number, place)).collect();
        let each = self.rows.iter().map(|row| row.iter().filter_map(|number| places.get(number).copied()).collect());
        let each = each.collect();
        Written { phrases: used.into_iter().filter_map(|number| self.texts.get(number).cloned()).collect(), each }
    }

    /// How often each phrase is used.
    fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.texts.len()];
        for number in self.rows.iter().flatten() {
            if let Some(uses) = uses.get_mut(*number) {
                *uses += 1;
            }
        }
        uses
    }

    /// Joins the neighbours with which most is gained, or at least half as much; false if nothing can be gained.
    fn join(&mut self) -> bool {
        let uses = self.uses();
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        for pair in self.rows.iter().flat_map(|row| row.windows(2)) {
            if pair[0] != pair[1] {
                *counts.entry((pair[0], pair[1])).or_default() += 1;
            }
        }
        // A reference less each time; the text of both once more, unless a phrase is needed nowhere else.
        let gain = |(one, other): (usize, usize), count: usize| {
            let length = |number: usize| self.texts.get(number).map_or(0, String::len);
            let gone = |number: usize| if uses.get(number) == Some(&count) { length(number) + PHRASE } else { 0 };
            (count * NAME + gone(one) + gone(other)).checked_sub(length(one) + length(other) + 1 + PHRASE)
        };
        let gains: HashMap<(usize, usize), usize> =
            counts.into_iter().filter_map(|(pair, count)| Some((pair, gain(pair, count)?))).collect();
        let most = gains.values().copied().max().unwrap_or(0);
        if most == 0 {
            return false;
        }
        for row in &mut self.rows {
            let mut joined: Vec<usize> = Vec::with_capacity(row.len());
            let mut rest = row.as_slice();
            while let [one, tail @ ..] = rest {
                let next =
                    tail.first().filter(|other| gains.get(&(*one, **other)).is_some_and(|gain| *gain * 2 >= most));
                let text = |number: &usize| self.texts.get(*number).cloned().unwrap_or_default();
                rest = match next {
                    Some(other) => {
                        let text = format!("{} {}", text(one), text(other)).replace("\n ", "\n");
                        let next = self.texts.len();
                        joined.push(*self.numbers.entry(text).or_insert_with_key(|text| {
                            self.texts.push(text.clone());
                            next
                        }));
                        &tail[1..]
                    }
                    None => {
                        joined.push(*one);
                        tail
                    }
                };
            }
            *row = joined;
        }
        true
    }
}

/// Returns the id of a phrase: a small letter, and what else is needed. No other id of a page is like it: those of entries and headings
/// begin with `e` and `h`.
pub(super) fn phrase_id(mut number: usize) -> String {
    const FIRST: &[u8; 24] = b"abcdfgijklmnopqrstuvwxyz";
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut text = vec![char::from(FIRST[number % FIRST.len()])];
    number /= FIRST.len();
    while number > 0 {
        number -= 1;
        text.push(char::from(DIGITS[number % DIGITS.len()]));
        number /= DIGITS.len();
    }
    text.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unlike_each_other_and_those_of_entries() {
        let all: std::collections::BTreeSet<String> = (0..9000).map(phrase_id).collect();
        assert!(all.len() == 9000 && !all.iter().any(|id| id.starts_with(['e', 'h'])));
        assert_eq!([0, 23, 24, 887, 888].map(phrase_id), ["a", "z", "a0", "zz", "a00"]);
    }

    #[test]
    fn the_phrases_of_a_position_are_its_words() {
        let words = |nth: usize| {
            format!(
                "White: King a1; Queen b{nth}; Pawn c3.\nBlack: King h8; Pawn c{}.\nTurn: {nth}.\nA line without any",
                nth % 2
            )
        };
        let mut phrases = Phrases::default();
        (0..30).for_each(|nth| phrases.add(&words(nth)));
        let Written { phrases, each } = phrases.write();
        for (nth, row) in each.iter().enumerate() {
            let joined: Vec<&str> = row.iter().map(|place| phrases[*place].as_str()).collect();
            assert_eq!(joined.join(" ").replace("\n ", "\n").trim_end(), words(nth));
        }
        let size = phrases.iter().map(|phrase| phrase.len() + PHRASE).sum::<usize>() + each.concat().len() * NAME;
        assert!(size < 30 * words(1).len(), "{size}");
    }
}
