//! Writes the boards of a page together, so that what several of them show is in the page once.
//!
//! A board is a row of elements from back to front, and so is a symbol. Elements that do not overlap may be painted in any order, so
//! each row is sorted to begin with what most boards share. Neighbours that several rows have in common are then merged ([`Rows`]),
//! and a board becomes a few references and the elements that are its own.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use super::pairs::Rows;
use board::picture::Picture;
use board::picture::list::{List, Placed, Shape, What};
use board::picture::svg::{Paint, decimal, path, transform};

/// The size in bytes of a reference, of an id, and of a group around shared elements, as they are in a page.
const REFERENCE: usize = 16;
const ID: usize = 6;
const GROUP: usize = 13;
/// The maximum number of passes that merge neighbours, and of those that decide what is shared.
const PASSES: usize = 400;
const DECISIONS: usize = 8;
/// How many ids of one letter there are. They go to what is referred to most often.
const SHORTEST: usize = 26;
/// How far an element may reach beyond its outline, in units: a letter of the reader's own font.
const REACH: i32 = 6;

/// Boards that are written together.
#[derive(Debug, Default)]
pub(super) struct Atlas {
    symbols: Vec<Symbol>,
    /// Which symbols are used.
    drawn: Vec<bool>,
    /// Symbols by name; several can have the same name.
    named: HashMap<String, Vec<usize>>,
    /// Scaled or turned symbols, by the number of the original, the scale in per cent and the quarter turns.
    turned: HashMap<(usize, i32, u8), usize>,
    /// The elements that are on boards or in symbols, as markup; elsewhere they go by their index.
    leaves: Vec<String>,
    numbers: HashMap<String, usize>,
    /// The area that an element on a board covers: left, top, right, bottom.
    areas: HashMap<usize, [i32; 4]>,
    rows: Vec<Vec<usize>>,
}

/// A drawing that boards refer to.
#[derive(Debug)]
enum Symbol {
    Drawn(Vec<Shape>),
    /// Another symbol, with this attribute.
    Turned(usize, String),
}

/// Boards as markup.
pub(super) struct Boards {
    /// What they share, for a `defs` element.
    pub shared: String,
    /// The content of each board's `svg` element.
    pub each: Vec<String>,
}

impl Atlas {
    /// Adds a board.
    pub(super) fn add(&mut self, picture: &Picture) {
        let list = picture.list();
        let symbols: Vec<usize> = list.symbols.iter().map(|one| self.symbol(&one.name, &one.shapes)).collect();
        let mut row = Vec::new();
        for placed in &list.items {
            let leaf = self.leaf(list, placed, &symbols);
            // An element that is the same covers the same.
            if let Entry::Vacant(vacant) = self.areas.entry(leaf)
                && let Some(area) = area(list, placed)
            {
                vacant.insert(area);
            }
            row.push(leaf);
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

    /// Returns the number of a symbol scaled and turned.
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

    /// Returns the number of an element of a board.
    fn leaf(&mut self, list: &List, placed: &Placed, symbols: &[usize]) -> usize {
        let mut text = String::new();
        if let Some(shape) = list.lettered(placed) {
            path(&mut text, &shape, "", Paint::Classes);
            return self.numbered(text);
        }
        match &placed.what {
            What::Symbol(number) => {
                let number = symbols.get(*number).copied().unwrap_or_default();
                let number = self.turned(number, placed.scale, placed.turn % 4);
                self.used(number);
                let at = |name: &str, at: i32| if at == 0 { String::new() } else { format!(" {name}=\"{at}\"") };
                let (x, y) = (at("x", placed.at.0), at("y", placed.at.1));
                let _ = write!(text, "<use href=\"#{}\"{x}{y}/>", symbol_id(number));
            }
            What::Shape(shape) => path(&mut text, shape, &transform(placed), Paint::Classes),
        }
        self.numbered(text)
    }

    /// Returns the number of an element, new or known.
    fn numbered(&mut self, text: String) -> usize {
        let next = self.leaves.len();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.leaves.push(text.clone());
            next
        })
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
                    vec![self.numbered(format!("<use href=\"#{}\"{attribute}/>", symbol_id(number)))]
                }
            };
            self.rows.push(row);
        }
        let written = Order::ALL.map(|order| {
            let mut rows = Rows { rows: self.sorted(boards, order), pairs: Vec::new(), leaves: self.leaves.len() };
            for _ in 0..PASSES {
                if !rows.pair(2) {
                    break;
                }
            }
            Writing::new(rows, &self.leaves, &drawn)
        });
        match written.into_iter().min_by_key(|writing| writing.cost) {
            Some(writing) => writing.boards(boards, &drawn),
            None => Boards { shared: String::new(), each: Vec::new() },
        }
    }

    /// Returns the rows with the elements of the boards, the first rows, sorted. Elements of the same boards are together, and elements
    /// that overlap keep their order.
    fn sorted(&self, boards: usize, order: Order) -> Vec<Vec<usize>> {
        let mut on: Vec<Vec<usize>> = vec![Vec::new(); self.leaves.len()];
        for (board, row) in self.rows.iter().take(boards).enumerate() {
            for leaf in row {
                if let Some(on) = on.get_mut(*leaf) {
                    on.push(board);
                }
            }
        }
        let mut leaves: Vec<usize> = (0..self.leaves.len()).collect();
        leaves.sort_by_cached_key(|leaf| {
            let on = on.get(*leaf).map_or(&[][..], Vec::as_slice);
            let first = match order {
                Order::Boards => 0,
                Order::Runs => on.windows(2).filter(|pair| pair[0] + 1 < pair[1]).count(),
                Order::First if on.len() == boards => 0,
                Order::First => 1 + on.first().copied().unwrap_or(0),
            };
            (first, Reverse(on.len()), on.to_vec())
        });
        let mut ranks = vec![0; leaves.len()];
        for (rank, leaf) in leaves.into_iter().enumerate() {
            if let Some(place) = ranks.get_mut(leaf) {
                *place = rank;
            }
        }
        let rank = |leaf: usize| ranks.get(leaf).copied().unwrap_or(0);
        let area = |leaf: usize| self.areas.get(&leaf).copied();
        let row = |(at, row): (usize, &Vec<usize>)| if at < boards { sorted(row, rank, area) } else { row.clone() };
        self.rows.iter().enumerate().map(row).collect()
    }
}

/// What comes first on a board. Which order makes a page shortest depends on the game, so all are tried.
#[derive(Clone, Copy)]
enum Order {
    /// What is on most boards.
    Boards,
    /// What leaves the board and returns least often.
    Runs,
    /// What is on all boards, then what came onto the board earliest.
    First,
}

impl Order {
    const ALL: [Self; 3] = [Self::Boards, Self::Runs, Self::First];
}

/// Sorts a row by rank as far as what overlaps stays in its order.
fn sorted(row: &[usize], rank: impl Fn(usize) -> usize, area: impl Fn(usize) -> Option<[i32; 4]>) -> Vec<usize> {
    let areas: Vec<_> = row.iter().map(|leaf| area(*leaf)).collect();
    let overlap = |one: usize, other: usize| match (areas.get(one), areas.get(other)) {
        (Some(Some([left, top, right, bottom])), Some(Some([l, t, r, b]))) => {
            left < r && l < right && top < b && t < bottom
        }
        _ => true,
    };
    let behind: Vec<Vec<usize>> =
        (0..row.len()).map(|at| (at + 1..row.len()).filter(|after| overlap(at, *after)).collect()).collect();
    let mut waits = vec![0_usize; row.len()];
    behind.iter().flatten().for_each(|after| waits[*after] += 1);
    let key = |at: usize| (row.get(at).map_or(0, |leaf| rank(*leaf)), at);
    let mut free: BTreeSet<(usize, usize)> = (0..row.len()).filter(|at| waits[*at] == 0).map(key).collect();
    let mut out = Vec::with_capacity(row.len());
    while let Some((_, at)) = free.pop_first() {
        out.extend(row.get(at));
        for after in behind.get(at).into_iter().flatten() {
            waits[*after] -= 1;
            if waits[*after] == 0 {
                free.insert(key(*after));
            }
        }
    }
    out
}

/// Returns the area that something on a board covers: left, top, right, bottom.
fn area(list: &List, placed: &Placed) -> Option<[i32; 4]> {
    let mut all: Option<[i32; 4]> = None;
    for shape in list.shapes(placed) {
        let [left, top, right, bottom] = shape.path.bounds()?;
        let reach = shape.stroke.map_or(0, |stroke| stroke.width / 20 + 1) + REACH;
        let corner = |x: i32, y: i32| {
            let (x, y) = match placed.turn % 4 {
                0 => (x, y),
                1 => (-y, x),
                2 => (-x, -y),
                _ => (y, -x),
            };
            (placed.at.0 + x * placed.scale / 100, placed.at.1 + y * placed.scale / 100)
        };
        let ((a, b), (c, d)) = (corner(left - reach, top - reach), corner(right + reach, bottom + reach));
        let here = [a.min(c), b.min(d), a.max(c), b.max(d)];
        all = Some(all.map_or(here, |[l, t, r, b]| [l.min(here[0]), t.min(here[1]), r.max(here[2]), b.max(here[3])]));
    }
    all
}

/// The rows, and which of their parts are written once and referred to.
struct Writing<'a> {
    rows: Rows,
    leaves: &'a [String],
    /// The ids of the shared parts, by number.
    ids: BTreeMap<usize, String>,
    /// The size of the whole in bytes.
    cost: usize,
}

/// Which parts are shared, with the number of references to each, and how many bytes the whole takes.
struct Sharing {
    shared: Vec<bool>,
    uses: Vec<usize>,
    cost: usize,
}

impl<'a> Writing<'a> {
    /// `drawn`: which symbols are used.
    fn new(rows: Rows, leaves: &'a [String], drawn: &[bool]) -> Self {
        // Most quotes are left out in the end.
        let sizes: Vec<usize> = leaves.iter().map(|leaf| leaf.len() - 2 * (leaf.matches('=').count())).collect();
        let mut best = decide(&rows, &sizes, &[]);
        let mut next = decide(&rows, &sizes, &best.shared);
        for _ in 0..DECISIONS {
            let after = decide(&rows, &sizes, &next.shared);
            if next.cost < best.cost {
                best = next;
            }
            next = after;
        }
        let mut shared: Vec<usize> =
            (0..best.shared.len()).filter(|number| best.shared.get(*number) == Some(&true)).collect();
        shared.sort_by_key(|number| (Reverse(best.uses.get(*number).copied()), *number));
        // The ids of one letter come first, then those of the symbols.
        let id = |at: usize| short(if at < SHORTEST { at } else { at + drawn.len() });
        let ids = shared.into_iter().enumerate().map(|(at, number)| (number, id(at))).collect();
        Self { rows, leaves, ids, cost: best.cost }
    }

    /// Writes what is shared, and the first `boards` rows; the others are the symbols, of which `drawn` tells which are used.
    fn boards(&self, boards: usize, drawn: &[bool]) -> Boards {
        let mut shared = String::new();
        let symbols = self.rows.rows.iter().skip(boards).enumerate();
        for (number, row) in symbols.filter(|(number, _)| drawn.get(*number) == Some(&true)) {
            self.named(&symbol_id(number), row, &mut shared);
        }
        for (number, id) in &self.ids {
            match self.rows.pair_of(*number) {
                Some((one, other)) => self.named(id, &[one, other], &mut shared),
                None => shared.push_str(&with_id(self.leaf(*number), id)),
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

    /// Writes a row with an id: on its only element, or on a group around several.
    fn named(&self, id: &str, row: &[usize], out: &mut String) {
        let mut inner = String::new();
        row.iter().for_each(|number| self.emit(*number, &mut inner));
        if inner.matches('<').count() == 1 {
            out.push_str(&with_id(&inner, id));
        } else {
            let _ = write!(out, "<g id=\"{id}\">{inner}</g>");
        }
    }

    /// Writes a part: a reference to it, or what it consists of.
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

/// Decides which parts are shared, from the sizes of the leaves and from an earlier decision, which tells how large the pairs are.
fn decide(rows: &Rows, leaves: &[usize], before: &[bool]) -> Sharing {
    let mut sizes = leaves.to_vec();
    for (one, other) in &rows.pairs {
        let size = |number: &usize| match before.get(*number) {
            Some(true) => REFERENCE,
            Some(false) => sizes.get(*number).copied().unwrap_or(0),
            None => sizes.get(*number).map_or(REFERENCE, |size| *size.min(&REFERENCE)),
        };
        sizes.push(size(one) + size(other));
    }
    let all = sizes.len();
    let mut uses = vec![0_usize; all];
    for number in rows.rows.iter().flatten() {
        if let Some(uses) = uses.get_mut(*number) {
            *uses += 1;
        }
    }
    let mut shared = vec![false; all];
    // The parts of a pair have lower numbers, and are used wherever a pair that is not shared is.
    for number in (0..all).rev() {
        let used = uses.get(number).copied().unwrap_or(0);
        let size = sizes.get(number).copied().unwrap_or(0);
        let around = if number < leaves.len() { ID } else { GROUP };
        let is_shared = used * size > size + around + used * REFERENCE;
        if let Some(shared) = shared.get_mut(number) {
            *shared = is_shared;
        }
        if let Some((one, other)) = rows.pair_of(number) {
            for inner in [one, other] {
                if let Some(uses) = uses.get_mut(inner) {
                    *uses += if is_shared { 1 } else { used };
                }
            }
        }
    }
    let mut cost = 0;
    for (number, is_shared) in shared.iter().enumerate() {
        let used = uses.get(number).copied().unwrap_or(0);
        if *is_shared {
            cost += used * REFERENCE + if number < leaves.len() { ID } else { GROUP };
        }
        if let Some(size) = leaves.get(number) {
            cost += size * if *is_shared { 1 } else { used };
        }
    }
    Sharing { shared, uses, cost }
}

/// Returns an element with an id, which goes behind the element's name.
fn with_id(element: &str, id: &str) -> String {
    let (name, rest) = element.split_at(element.find(' ').unwrap_or(element.len()));
    format!("{name} id=\"{id}\"{rest}")
}

/// Returns the id of a symbol.
fn symbol_id(number: usize) -> String {
    short(SHORTEST + number)
}

/// Returns a number in few characters. The first is a capital, unlike in any other id of a page.
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
    fn what_overlaps_keeps_its_order_and_the_rest_is_sorted() {
        let area = |leaf: usize| [[0, 0, 10, 10], [5, 5, 15, 15], [100, 0, 110, 10]].get(leaf).copied();
        let last_first = |leaf: usize| 9 - leaf;
        assert_eq!(sorted(&[0, 1, 2], last_first, area), [2, 0, 1]);
        assert_eq!(sorted(&[1, 0, 2], last_first, area), [2, 1, 0]);
        // An element whose area is not known may cover any other.
        assert_eq!(sorted(&[0, 3, 2], last_first, area), [0, 3, 2]);
        assert_eq!(sorted(&[0, 0, 2], last_first, area), [2, 0, 0]);
    }

    #[test]
    fn short_numbers_are_unlike_each_other() {
        assert_eq!([0, 25, 26, 1637, 1638].map(short), ["A", "Z", "AA", "Z9", "AAA"]);
        let all: std::collections::BTreeSet<String> = (0..9000).map(short).collect();
        assert!(all.len() == 9000 && all.iter().all(|id| id.starts_with(|c: char| c.is_ascii_uppercase())));
    }
}
