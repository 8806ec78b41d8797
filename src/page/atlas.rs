//! The boards of a page, written together: what several of them show is written once and used where it stands.
//!
//! A board is a row of things, and so is a drawing from the back to the front. Neighbours that stand together in several rows become one thing, again and
//! again, as in the compression called Re-Pair; so the board after an entry is a few references and what the entry changed.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::picture::Picture;
use crate::picture::list::{List, Placed, Shape, What};
use crate::picture::svg::{Paint, path, transform};

/// What a reference takes, in bytes.
const REFERENCE: usize = 18;
/// How often neighbours are looked for at most.
const PASSES: usize = 60;

/// Boards that are written together.
#[derive(Debug, Default)]
pub(super) struct Atlas {
    /// The drawings by name; one name may stand for several.
    symbols: Vec<(String, Vec<Shape>)>,
    named: HashMap<String, Vec<usize>>,
    /// What can stand on a board, as markup, by number.
    leaves: Vec<String>,
    numbers: HashMap<String, usize>,
    rows: Vec<Vec<usize>>,
    /// Two neighbours that are one thing; its number is the number of leaves and its place here.
    pairs: Vec<(usize, usize)>,
}

/// Boards as markup.
pub(super) struct Boards {
    /// What they share.
    pub shared: String,
    /// Each board, without its surrounding element.
    pub each: Vec<String>,
}

impl Atlas {
    /// Adds a board.
    pub(super) fn add(&mut self, picture: &Picture) {
        let list = picture.list();
        let symbols: Vec<usize> = list.symbols.iter().map(|one| self.symbol(&one.name, &one.shapes)).collect();
        let row = list.items.iter().map(|placed| self.leaf(list, placed, &symbols)).collect();
        self.rows.push(row);
    }

    fn symbol(&mut self, name: &str, shapes: &[Shape]) -> usize {
        let known = self.named.entry(name.to_owned()).or_default();
        let same = |number: &&usize| self.symbols.get(**number).is_some_and(|(_, known)| known == shapes);
        if let Some(number) = known.iter().find(same) {
            return *number;
        }
        known.push(self.symbols.len());
        self.symbols.push((name.to_owned(), shapes.to_vec()));
        self.symbols.len() - 1
    }

    fn leaf(&mut self, list: &List, placed: &Placed, symbols: &[usize]) -> usize {
        let place = transform(placed);
        let mut text = String::new();
        match &placed.what {
            What::Symbol(number) => {
                let number = symbols.get(*number).copied().unwrap_or_default();
                let _ = write!(text, "<use href=\"#p{}\"{place}/>", short(number));
            }
            What::Shape(_) => {
                list.shapes(placed).iter().for_each(|shape| path(&mut text, shape, &place, Paint::Classes))
            }
        }
        self.numbered(text)
    }

    /// The number of something that can be on a board.
    fn numbered(&mut self, text: String) -> usize {
        match self.numbers.get(&text) {
            Some(number) => *number,
            None => {
                self.leaves.push(text.clone());
                self.numbers.insert(text, self.leaves.len() - 1);
                self.leaves.len() - 1
            }
        }
    }

    /// Writes all boards.
    pub(super) fn write(mut self) -> Boards {
        let boards = self.rows.len();
        for (_, shapes) in std::mem::take(&mut self.symbols) {
            let row = shapes.iter().map(|shape| {
                let mut text = String::new();
                path(&mut text, shape, "", Paint::Classes);
                self.numbered(text)
            });
            let row = row.collect();
            self.rows.push(row);
        }
        for _ in 0..PASSES {
            if !self.pair() {
                break;
            }
        }
        let mut uses = vec![0_usize; self.leaves.len() + self.pairs.len()];
        let within = self.pairs.iter().flat_map(|(one, other)| [one, other]);
        for number in self.rows.iter().flatten().chain(within) {
            if let Some(uses) = uses.get_mut(*number) {
                *uses += 1;
            }
        }
        let mut shared = String::new();
        for (number, row) in self.rows.iter().skip(boards).enumerate() {
            let _ = write!(shared, "<g id=\"p{}\">", short(number));
            row.iter().for_each(|number| self.emit(*number, &uses, &mut shared));
            shared.push_str("</g>");
        }
        for number in (0..uses.len()).filter(|number| self.is_shared(*number, &uses)) {
            let id = format!(" id=\"q{}\"", short(number));
            match (self.leaves.get(number), self.pair_of(number)) {
                // `<path …` and `<use …`: the id stands behind the name.
                (Some(leaf), _) => {
                    let (name, rest) = leaf.split_at(leaf.find(' ').unwrap_or(leaf.len()));
                    let _ = write!(shared, "{name}{id}{rest}");
                }
                (None, Some((one, other))) => {
                    let _ = write!(shared, "<g{id}>");
                    self.emit(one, &uses, &mut shared);
                    self.emit(other, &uses, &mut shared);
                    shared.push_str("</g>");
                }
                (None, None) => {}
            }
        }
        let each = self.rows.iter().take(boards).map(|row| {
            let mut out = String::new();
            row.iter().for_each(|number| self.emit(*number, &uses, &mut out));
            out
        });
        Boards { each: each.collect(), shared }
    }

    fn pair_of(&self, number: usize) -> Option<(usize, usize)> {
        self.pairs.get(number.checked_sub(self.leaves.len())?).copied()
    }

    fn is_shared(&self, number: usize, uses: &[usize]) -> bool {
        let length = self.leaves.get(number).map_or(REFERENCE * 2, String::len);
        uses.get(number).is_some_and(|uses| *uses > 1) && length > REFERENCE + 6
    }

    /// Writes a thing: a reference, or what it is made of. A pair is made of what was there before it, so this comes to an end.
    fn emit(&self, number: usize, uses: &[usize], out: &mut String) {
        let mut open = vec![number];
        while let Some(number) = open.pop() {
            if self.is_shared(number, uses) {
                let _ = write!(out, "<use href=\"#q{}\"/>", short(number));
            } else if let Some(leaf) = self.leaves.get(number) {
                out.push_str(leaf);
            } else if let Some((one, other)) = self.pair_of(number) {
                open.extend([other, one]);
            }
        }
    }

    /// Makes one thing of each two neighbours that stand together most often; false when there are none that would save anything.
    fn pair(&mut self) -> bool {
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        for row in &self.rows {
            let mut last = None;
            for (at, pair) in row.windows(2).enumerate() {
                let pair = (pair[0], pair[1]);
                // Of three alike things only two make a pair.
                if last == Some((at, pair)) {
                    last = None;
                    continue;
                }
                *counts.entry(pair).or_default() += 1;
                last = (pair.0 == pair.1).then_some((at + 1, pair));
            }
        }
        let most = counts.values().copied().max().unwrap_or(0);
        if most < 3 {
            return false;
        }
        let least = (most / 2).max(3);
        let mut made: HashMap<(usize, usize), usize> = HashMap::new();
        let (leaves, pairs) = (self.leaves.len(), &mut self.pairs);
        for row in &mut self.rows {
            let mut shorter = Vec::with_capacity(row.len());
            let mut rest = row.as_slice();
            loop {
                rest = match rest {
                    [one, other, tail @ ..] if counts.get(&(*one, *other)).is_some_and(|count| *count >= least) => {
                        let number = *made.entry((*one, *other)).or_insert_with(|| {
                            pairs.push((*one, *other));
                            leaves + pairs.len() - 1
                        });
                        shorter.push(number);
                        tail
                    }
                    [one, tail @ ..] => {
                        shorter.push(*one);
                        tail
                    }
                    [] => break,
                };
            }
            *row = shorter;
        }
        true
    }
}

/// A number in few characters.
fn short(mut number: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut text = Vec::new();
    loop {
        text.push(char::from(DIGITS[number % DIGITS.len()]));
        number /= DIGITS.len();
        if number == 0 {
            return text.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader of the markup sees, with every reference replaced by what it refers to.
    fn resolved(markup: &str, ids: &HashMap<String, String>) -> Vec<String> {
        let mut seen = Vec::new();
        for element in markup.split('<').filter(|part| !part.is_empty()) {
            match element.strip_prefix("use href=\"#q").and_then(|rest| rest.split_once("\"/>")) {
                Some((id, _)) => seen.extend(resolved(&ids[id], ids)),
                None => seen.push(element.to_owned()),
            }
        }
        seen
    }

    #[test]
    fn what_boards_share_is_written_once_and_nothing_moves() {
        let rows: Vec<Vec<usize>> =
            (0..30).map(|nth| (0..40).map(|at| if at == nth { 90 } else { at }).collect()).collect();
        let leaf = |number: usize| format!("<path class=\"fa\" d=\"m{number} {number}h10v10h-10z\"/>");
        let plain: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|at| leaf(*at)[1..].to_owned()).collect()).collect();
        let atlas = Atlas { rows, leaves: (0..91).map(leaf).collect(), ..Atlas::default() };
        let boards = atlas.write();
        let mut ids = HashMap::new();
        for part in boards.shared.split("<g id=\"q").skip(1) {
            let (id, rest) = part.split_once("\">").unwrap();
            ids.insert(id.to_owned(), rest.split("</g>").next().unwrap().to_owned());
        }
        for part in boards.shared.split("<path id=\"q").skip(1) {
            let (id, rest) = part.split_once('"').unwrap();
            ids.insert(id.to_owned(), format!("<path{}", rest.split_inclusive("/>").next().unwrap()));
        }
        for (board, plain) in boards.each.iter().zip(&plain) {
            assert_eq!(resolved(board, &ids), *plain);
        }
        let size = boards.shared.len() + boards.each.iter().map(String::len).sum::<usize>();
        assert!(size < 30 * 40 * 40 / 4, "{size}");
    }

    #[test]
    fn short_numbers_are_unlike_each_other() {
        assert_eq!([0, 35, 36, 1296].map(short), ["0", "z", "10", "100"]);
    }
}
