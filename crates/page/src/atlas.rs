//! Writes the boards of a page together. What is on more than one of them is in the page once, and boards refer to it: each symbol, each
//! group of elements that are never apart on any board, such as the bare board below the pieces, and each phrase of their words.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use postrider_board::picture::Picture;
use postrider_board::picture::list::{List, Placed, What};
use postrider_board::picture::svg::{Paint, path, transform};

/// Boards that are written together.
#[derive(Debug, Default)]
pub(super) struct Atlas {
    /// What pieces and other symbols look like.
    symbols: Texts,
    /// What is on boards.
    elements: Texts,
    /// The elements of each board, from back to front.
    boards: Vec<Vec<usize>>,
    phrases: Texts,
    /// The phrases of each board's words.
    words: Vec<Vec<usize>>,
}

/// Boards as markup.
pub(super) struct Boards {
    /// What they share, for a `defs` element.
    pub shared: String,
    /// The content of each board's `svg` element.
    pub each: Vec<String>,
    /// The phrases that describe boards, with the space or line break behind each.
    pub phrases: Vec<String>,
    /// The phrases of each board, by their indices.
    pub words: Vec<Vec<usize>>,
}

/// Texts that are kept once and go by their indices.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Texts {
    /// Returns the index of a text, new or known.
    fn number(&mut self, text: String) -> usize {
        let next = self.all.len();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.all.push(text.clone());
            next
        })
    }
}

impl Atlas {
    /// Adds a board.
    pub(super) fn add(&mut self, picture: &Picture) {
        let list = picture.list();
        let board = list.items.iter().map(|placed| self.element(list, placed)).collect();
        self.boards.push(board);
        let phrases = picture.words().trim_end().split_inclusive('\n').flat_map(|line| line.split_inclusive("; "));
        let words = phrases.map(|phrase| self.phrases.number(phrase.to_owned())).collect();
        self.words.push(words);
    }

    /// Returns the number of an element of a board.
    fn element(&mut self, list: &List, placed: &Placed) -> usize {
        let mut text = String::new();
        match (list.lettered(placed), &placed.what) {
            (Some(shape), _) => path(&mut text, &shape, "", Paint::Classes),
            (None, What::Shape(shape)) => path(&mut text, shape, &transform(placed), Paint::Classes),
            (None, What::Symbol(_)) => {
                let mut drawing = String::new();
                list.shapes(placed).iter().for_each(|shape| path(&mut drawing, shape, "", Paint::Classes));
                let number = self.symbols.number(drawing);
                let _ = write!(text, "<use href=\"#S{number}\"{}/>", transform(placed));
            }
        }
        self.elements.number(text)
    }

    pub(super) fn write(self) -> Boards {
        let mut uses: HashMap<usize, usize> = HashMap::new();
        let mut neighbours: HashMap<(usize, usize), usize> = HashMap::new();
        for board in &self.boards {
            board.iter().for_each(|element| *uses.entry(*element).or_default() += 1);
            board.windows(2).for_each(|pair| *neighbours.entry((pair[0], pair[1])).or_default() += 1);
        }
        let never_apart = |one: &usize, other: &usize| {
            neighbours
                .get(&(*one, *other))
                .is_some_and(|count| [one, other].map(|each| uses.get(each)) == [Some(count); 2])
        };
        let mut shared = String::new();
        for (number, drawing) in self.symbols.all.iter().enumerate() {
            let _ = write!(shared, "<g id=\"S{number}\">{drawing}</g>");
        }
        let mut written = BTreeSet::new();
        let mut one = |board: &Vec<usize>| {
            let mut out = String::new();
            for group in board.chunk_by(never_apart) {
                let drawn =
                    || group.iter().filter_map(|element| self.elements.all.get(*element)).cloned().collect::<String>();
                // A group goes by its first element.
                match group.first() {
                    Some(first) if uses.get(first) > Some(&1) => {
                        if written.insert(*first) {
                            let _ = write!(shared, "<g id=\"G{first}\">{}</g>", drawn());
                        }
                        let _ = write!(out, "<use href=\"#G{first}\"/>");
                    }
                    _ => out.push_str(&drawn()),
                }
            }
            out
        };
        let each = self.boards.iter().map(&mut one).collect();
        Boards { shared, each, phrases: self.phrases.all, words: self.words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader of the markup sees, with every reference replaced by what it refers to.
    fn resolved(markup: &str, shared: &str) -> String {
        let mut seen = String::new();
        let mut rest = markup;
        while let Some((before, behind)) = rest.split_once("<use href=\"#") {
            seen.push_str(before);
            let (id, behind) = behind.split_once("\"/>").expect("a reference");
            let (_, inside) = shared.split_once(&format!("<g id=\"{id}\">")).expect("what it refers to");
            seen.push_str(&resolved(inside.split("</g>").next().expect("a group"), shared));
            rest = behind;
        }
        seen + rest
    }

    #[test]
    fn what_boards_share_is_written_once_and_nothing_moves() {
        // Forty elements, of which each board has another one that is its own.
        let boards: Vec<Vec<usize>> =
            (0..30).map(|nth| (0..40).map(|at| if at == nth { 100 + nth } else { at }).collect()).collect();
        let leaf = |number: usize| format!("<path class=\"fa\" d=\"m{number} {number}h10v10h-10z\"/>");
        let plain: Vec<String> = boards.iter().map(|board| board.iter().copied().map(leaf).collect()).collect();
        let elements = Texts { all: (0..130).map(leaf).collect(), ..Texts::default() };
        let Boards { shared, each, .. } = Atlas { boards, elements, ..Atlas::default() }.write();
        for (board, plain) in each.iter().zip(&plain) {
            assert_eq!(resolved(board, &shared), *plain);
        }
        for number in 0..130 {
            let times = usize::from(!(40..100).contains(&number));
            let all = shared.clone() + &each.concat();
            assert_eq!(all.matches(&leaf(number)).count(), times, "{number}");
        }
        // The last ten are never apart: one group, and one reference on each board.
        let last: String = (30..40).map(leaf).collect();
        assert!(shared.contains(&format!("<g id=\"G30\">{last}</g>")), "{shared}");
        assert!(each.iter().all(|board| board.ends_with("<use href=\"#G30\"/>")));
    }

    #[test]
    fn what_only_begins_alike_or_stands_twice_is_no_group() {
        let elements = || Texts { all: ["<a/>", "<b/>", "<c/>"].map(str::to_owned).to_vec(), ..Texts::default() };
        for boards in [
            vec![vec![0, 1], vec![0, 2], vec![2, 1]],
            vec![vec![0, 0, 1], vec![0, 1]],
            vec![vec![0, 1, 0, 1]],
            vec![vec![1, 0], vec![0, 1]],
        ] {
            let plain: Vec<String> =
                boards.iter().map(|board| board.iter().map(|at| elements().all[*at].clone()).collect()).collect();
            let Boards { shared, each, .. } = Atlas { boards, elements: elements(), ..Atlas::default() }.write();
            assert_eq!(each.iter().map(|board| resolved(board, &shared)).collect::<Vec<_>>(), plain);
        }
    }
}
