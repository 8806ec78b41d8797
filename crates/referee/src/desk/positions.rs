//! The positions of a record after each entry.

use std::cell::Cell;

use serde::Serialize;

use crate::record::Item;
use crate::sealing::Check;
use crate::verdict::Opened;

/// The most bytes of position lines that are made. The positions of a long record can together be thousands of times as long
/// as the record, in a game such as Subsume; no real game comes near this.
const MOST_BYTES: usize = 128 << 20;

/// A position.
#[derive(Clone, Debug, Serialize)]
pub struct Position {
    /// The entry after which it is there; 0 is the start.
    pub entry: u32,
    /// Its line.
    pub position: String,
}

/// The positions of a record, which are replayed as they are printed: those of a long game are many times as long as its record.
#[derive(Debug)]
pub struct Positions<'a> {
    source: &'a [u8],
    /// How many entries are legal.
    entries: u32,
    /// How many bytes they may have together.
    most: usize,
    /// The first position that would be too much, if any.
    cut: Cell<Option<u32>>,
}

impl<'a> Positions<'a> {
    /// The positions of a record of which so many entries are legal.
    #[must_use]
    pub fn of(source: &'a [u8], entries: u32) -> Self {
        Self { source, entries, most: MOST_BYTES, cut: Cell::new(None) }
    }

    /// Returns the first position that would have been too much, once they were replayed.
    #[must_use]
    pub fn cut(&self) -> Option<u32> {
        self.cut.get()
    }

    /// Replays the positions, from the start.
    pub fn each(&self) -> impl Iterator<Item = Position> + use<'_, 'a> {
        let mut opened = Opened::new(self.source).ok();
        let mut body = opened.as_mut().map(|opened| {
            // They were checked when the record was judged.
            opened.table.set_check(Check::Nothing);
            opened.body()
        });
        let (mut next, mut bytes) = (0, 0);
        std::iter::from_fn(move || {
            let (opened, body) = (opened.as_mut()?, body.as_mut()?);
            if next > self.entries || self.cut.get().is_some() {
                return None;
            }
            if next > 0 {
                let entry = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
                    Item::Entry(entry) => Some(entry),
                    _ => None,
                })?;
                opened.table.pass(opened.text, &entry).ok()?;
            }
            let position = opened.table.position();
            bytes += position.len();
            if bytes > self.most {
                self.cut.set(Some(next));
                return None;
            }
            next += 1;
            Some(Position { entry: next - 1, position })
        })
    }
}

impl Serialize for Positions<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.each())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_beyond_the_limit_are_left_out_and_the_first_of_them_is_known() {
        let source = b"---\npbem: 1\ngame: subsume\nid: subsume-growing\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
            started: 2026-11-21\noptions: {turn-limit: none}\n---\n1 white +a1A\n2 black +a8A\n3 white +a1A\n4 black +a8A\n";
        let all = |most: usize| {
            let positions = Positions { source, entries: 4, most, cut: Cell::new(None) };
            let lengths: Vec<usize> = positions.each().map(|one| one.position.len()).collect();
            (lengths, positions.cut.get())
        };
        let (lengths, cut) = all(MOST_BYTES);
        assert_eq!((lengths.len(), cut), (5, None));
        assert!(lengths[4] > lengths[2], "{lengths:?}");
        assert_eq!(all(lengths.iter().sum::<usize>() - 1), (lengths[..4].to_vec(), Some(4)));
        assert_eq!(all(0), (Vec::new(), Some(0)));
    }
}
