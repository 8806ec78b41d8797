//! The boards of a page, written together: what several of them show is written once and used where it stands.
//!
//! A board is a row of things, and so is a drawing, from the back to the front. Neighbours that stand together in several rows become one
//! thing ([`Rows`]); so the board after an entry is a few references and what the entry changed.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::pairs::Rows;
use crate::picture::Picture;
use crate::picture::list::{List, Placed, Shape, What};
use crate::picture::svg::{Paint, decimal, path, transform};

/// What a reference takes, in bytes; what an id does, and a group around what is shared.
const REFERENCE: usize = 17;
const ID: usize = 8;
const GROUP: usize = 15;
/// How often neighbours are looked for at most.
const PASSES: usize = 60;

/// Boards that are written together.
#[derive(Debug, Default)]
pub(super) struct Atlas {
    /// The drawings.
    symbols: Vec<Symbol>,
    /// Which drawings are used.
    drawn: Vec<bool>,
    /// Drawings by name; one name may stand for several.
    named: HashMap<String, Vec<usize>>,
    /// Drawings by another one, and how large and how turned they are.
    turned: HashMap<(usize, i32, u8), usize>,
    /// What can stand on a board, as markup, by number.
    leaves: Vec<String>,
    numbers: HashMap<String, usize>,
    rows: Vec<Vec<usize>>,
}

/// A drawing.
#[derive(Debug)]
enum Symbol {
    Drawn(Vec<Shape>),
    /// Another one, with this attribute.
    Turned(usize, String),
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
        let mut row = Vec::new();
        for placed in &list.items {
            self.leaf(list, placed, &symbols, &mut row);
        }
        self.rows.push(row);
    }

    fn symbol(&mut self, name: &str, shapes: &[Shape]) -> usize {
        let known = self.named.entry(name.to_owned()).or_default();
        let same =
            |number: &&usize| matches!(self.symbols.get(**number), Some(Symbol::Drawn(known)) if known == shapes);
        if let Some(number) = known.iter().find(same) {
            return *number;
        }
        known.push(self.symbols.len());
        self.symbols.push(Symbol::Drawn(shapes.to_vec()));
        self.symbols.len() - 1
    }

    fn used(&mut self, number: usize) {
        if self.drawn.len() <= number {
            self.drawn.resize(number + 1, false);
        }
        if let Some(drawn) = self.drawn.get_mut(number) {
            *drawn = true;
        }
        if let Some(Symbol::Turned(inner, _)) = self.symbols.get(number) {
            self.used(*inner);
        }
    }

    /// A drawing of another size, or turned.
    fn turned(&mut self, number: usize, scale: i32, turn: u8) -> usize {
        if scale == 100 && turn == 0 {
            return number;
        }
        let symbols = &mut self.symbols;
        *self.turned.entry((number, scale, turn)).or_insert_with(|| {
            let turn = if turn == 0 { String::new() } else { format!("rotate({})", u32::from(turn) * 90) };
            let scale = if scale == 100 { String::new() } else { format!("scale({})", decimal(scale, 2)) };
            symbols.push(Symbol::Turned(number, format!(" transform=\"{turn}{scale}\"")));
            symbols.len() - 1
        })
    }

    fn leaf(&mut self, list: &List, placed: &Placed, symbols: &[usize], row: &mut Vec<usize>) {
        let mut text = String::new();
        if let Some(shape) = list.lettered(placed) {
            path(&mut text, &shape, "", Paint::Classes);
            row.push(self.numbered(text));
            return;
        }
        match &placed.what {
            What::Symbol(number) => {
                let number = symbols.get(*number).copied().unwrap_or_default();
                let number = self.turned(number, placed.scale, placed.turn % 4);
                self.used(number);
                let at = |name: &str, at: i32| if at == 0 { String::new() } else { format!(" {name}=\"{at}\"") };
                let (x, y) = (at("x", placed.at.0), at("y", placed.at.1));
                let _ = write!(text, "<use href=\"#{}\"{x}{y}/>", short(number));
                row.push(self.numbered(text));
            }
            What::Shape(shape) => {
                path(&mut text, shape, &transform(placed), Paint::Classes);
                row.push(self.numbered(text));
            }
        }
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
        let symbols = std::mem::take(&mut self.symbols);
        let mut drawn = std::mem::take(&mut self.drawn);
        drawn.resize(symbols.len(), false);
        for symbol in symbols {
            let row = match symbol {
                Symbol::Drawn(shapes) => {
                    let one = |shape: &Shape| {
                        let mut text = String::new();
                        path(&mut text, shape, "", Paint::Classes);
                        self.numbered(text)
                    };
                    shapes.iter().map(one).collect()
                }
                Symbol::Turned(number, attribute) => {
                    vec![self.numbered(format!("<use href=\"#{}\"{attribute}/>", short(number)))]
                }
            };
            self.rows.push(row);
        }
        let mut rows = Rows { rows: self.rows, pairs: Vec::new(), leaves: self.leaves.len() };
        for _ in 0..PASSES {
            if !rows.pair(2) {
                break;
            }
        }
        Writing::new(rows, self.leaves, drawn.len()).boards(boards, &drawn)
    }
}

/// What is written, and which of it is written once and referred to.
struct Writing {
    rows: Rows,
    leaves: Vec<String>,
    /// The id of what is shared, by number.
    ids: HashMap<usize, String>,
}

impl Writing {
    /// `symbols`: how many ids are taken.
    fn new(rows: Rows, leaves: Vec<String>, symbols: usize) -> Self {
        let all = leaves.len() + rows.pairs.len();
        // How long each is at the most: what it is made of may be shared.
        let mut sizes: Vec<usize> = leaves.iter().map(String::len).collect();
        for (one, other) in &rows.pairs {
            let size = |number: &usize| sizes.get(*number).map_or(REFERENCE, |size| *size.min(&REFERENCE));
            sizes.push(size(one) + size(other));
        }
        let mut uses = vec![0_usize; all];
        for number in rows.rows.iter().flatten() {
            if let Some(uses) = uses.get_mut(*number) {
                *uses += 1;
            }
        }
        let mut ids = HashMap::new();
        // What a pair is made of has a lower number, and is used wherever a pair is that is not shared.
        for number in (0..all).rev() {
            let used = uses.get(number).copied().unwrap_or(0);
            let size = sizes.get(number).copied().unwrap_or(0);
            let around = if number < leaves.len() { ID } else { GROUP };
            let is_shared = used * size > size + around + used * REFERENCE;
            if is_shared {
                ids.insert(number, String::new());
            }
            if let Some((one, other)) = rows.pair_of(number) {
                for inner in [one, other] {
                    if let Some(uses) = uses.get_mut(inner) {
                        *uses += if is_shared { 1 } else { used };
                    }
                }
            }
        }
        let mut shared: Vec<usize> = ids.keys().copied().collect();
        shared.sort_unstable();
        for (at, number) in shared.into_iter().enumerate() {
            ids.insert(number, short(symbols + at));
        }
        Self { rows, leaves, ids }
    }

    /// `drawn`: which drawings a board or another drawing uses. A text stands on the boards itself.
    fn boards(&self, boards: usize, drawn: &[bool]) -> Boards {
        let mut shared = String::new();
        let symbols = self.rows.rows.iter().skip(boards).enumerate();
        for (number, row) in symbols.filter(|(number, _)| drawn.get(*number) == Some(&true)) {
            self.named(&short(number), row, &mut shared);
        }
        let mut numbers: Vec<usize> = self.ids.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let id = self.ids.get(&number).map(String::as_str).unwrap_or_default();
            match self.rows.pair_of(number) {
                Some((one, other)) => self.named(id, &[one, other], &mut shared),
                None => shared.push_str(&with_id(self.leaf(number), id)),
            }
        }
        let each = self.rows.rows.iter().take(boards).map(|row| {
            let mut out = String::new();
            row.iter().for_each(|number| self.emit(*number, &mut out));
            out
        });
        Boards { each: each.collect(), shared }
    }

    fn leaf(&self, number: usize) -> &str {
        self.leaves.get(number).map(String::as_str).unwrap_or_default()
    }

    /// Writes a row with an id: on its only element, or on a group around it.
    fn named(&self, id: &str, row: &[usize], out: &mut String) {
        let mut inner = String::new();
        row.iter().for_each(|number| self.emit(*number, &mut inner));
        if inner.matches('<').count() == 1 {
            out.push_str(&with_id(&inner, id));
        } else {
            let _ = write!(out, "<g id=\"{id}\">{inner}</g>");
        }
    }

    /// Writes a thing: a reference, or what it is made of.
    fn emit(&self, number: usize, out: &mut String) {
        let mut open = vec![number];
        while let Some(number) = open.pop() {
            if let Some(id) = self.ids.get(&number) {
                let _ = write!(out, "<use href=\"#{id}\"/>");
            } else if let Some((one, other)) = self.rows.pair_of(number) {
                open.extend([other, one]);
            } else {
                out.push_str(self.leaf(number));
            }
        }
    }
}

/// An element with an id: it stands behind the element's name.
fn with_id(element: &str, id: &str) -> String {
    let (name, rest) = element.split_at(element.find(' ').unwrap_or(element.len()));
    format!("{name} id=\"{id}\"{rest}")
}

/// A number in few characters, beginning with a capital: no other id in a page does.
fn short(mut number: usize) -> String {
    const DIGITS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = vec![char::from(DIGITS[number % 26])];
    number /= 26;
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

    /// What a reader of the markup sees, with every reference replaced by what it refers to.
    fn resolved(markup: &str, ids: &HashMap<String, String>) -> Vec<String> {
        let mut seen = Vec::new();
        for element in markup.split('<').filter(|part| !part.is_empty()) {
            match element.strip_prefix("use href=\"#").and_then(|rest| rest.split_once("\"/>")) {
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
        for part in boards.shared.split("<g id=\"").skip(1) {
            let (id, rest) = part.split_once("\">").unwrap();
            ids.insert(id.to_owned(), rest.split("</g>").next().unwrap().to_owned());
        }
        for part in boards.shared.split("<path id=\"").skip(1) {
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
        assert_eq!([0, 25, 26, 1637, 1638].map(short), ["A", "Z", "AA", "Z9", "AAA"]);
        let all: std::collections::BTreeSet<String> = (0..9000).map(short).collect();
        assert!(all.len() == 9000 && all.iter().all(|id| id.starts_with(|c: char| c.is_ascii_uppercase())));
    }
}
