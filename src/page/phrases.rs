//! What several positions have in common in words, written once: the words of a position are a row of phrases, and what belongs to a
//! board names those that describe it.

use std::collections::{BTreeMap, HashMap};

use super::pairs::Rows;

/// What a phrase takes beside its text, and what naming it takes, in bytes.
const PHRASE: usize = 18;
const NAME: usize = 4;
/// How often neighbours are looked for at most.
const PASSES: usize = 40;

/// The words of positions.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
    rows: Vec<Vec<usize>>,
}

/// Phrases, and which of them each position has, by their places.
pub(super) struct Written {
    pub phrases: Vec<String>,
    pub each: Vec<Vec<usize>>,
}

impl Phrases {
    /// Adds the words of a position. A line falls into phrases behind its first colon and behind each semicolon; only the last phrase of a
    /// line ends in a line break.
    pub(super) fn add(&mut self, words: &str) {
        let mut row = Vec::new();
        for line in words.lines() {
            let (head, rest) =
                line.split_once(": ").map_or((None, line), |(head, rest)| (Some(format!("{head}:")), rest));
            let parts = rest.split_inclusive("; ").map(|part| part.trim_end().to_owned());
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

    /// Writes them all, neighbours together as far as that makes the whole shorter.
    pub(super) fn write(self) -> Written {
        let mut rows = Rows { rows: self.rows, pairs: Vec::new(), leaves: self.texts.len() };
        let text = |rows: &Rows, number: usize| {
            let parts: Vec<&str> = rows
                .leaves_of(number)
                .into_iter()
                .filter_map(|leaf| self.texts.get(leaf))
                .map(String::as_str)
                .collect();
            parts.join(" ").replace("\n ", "\n")
        };
        let cost = |rows: &Rows| {
            let mut phrases: Vec<usize> = rows.rows.iter().flatten().copied().collect();
            let names = phrases.len() * NAME;
            phrases.sort_unstable();
            phrases.dedup();
            names + phrases.iter().map(|number| text(rows, *number).len() + PHRASE).sum::<usize>()
        };
        let mut best = (cost(&rows), rows.clone());
        for _ in 0..PASSES {
            if !rows.pair(2) {
                break;
            }
            let now = cost(&rows);
            if now < best.0 {
                best = (now, rows.clone());
            }
        }
        let rows = best.1;
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut phrases = Vec::new();
        let each = rows.rows.iter().map(|row| {
            let place = |number: &usize| {
                *places.entry(*number).or_insert_with(|| {
                    phrases.push(text(&rows, *number));
                    phrases.len() - 1
                })
            };
            row.iter().map(place).collect()
        });
        let each = each.collect();
        Written { phrases, each }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
