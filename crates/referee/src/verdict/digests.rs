//! The digests of a record's chain (Z30).

use std::sync::Arc;

use memchr::memchr_iter;

use super::{Opened, Ruling};
use crate::judging::Table;
use crate::sealing::{Check, Digest};

/// How many of the newest a letter may name.
const NEWEST: usize = 32;

/// The fewest bytes that the line of an entry takes.
const LINE: usize = 16;

/// The digests h(0), h(1) … of a record that was replayed. Copies share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    list: Arc<Vec<Digest>>,
}

impl Digests {
    /// Starts with none, and with room for those of a record: a list that grows would be in memory twice.
    #[must_use]
    pub fn of(record: &[u8]) -> Self {
        let lines = memchr_iter(b'\n', record).count().min(record.len() / LINE);
        Self { list: Arc::new(Vec::with_capacity(lines + 2)) }
    }

    /// Adds the digest after the next entry, at a table that follows the chain; first the one before the first entry.
    pub fn push(&mut self, table: &dyn Table) {
        Arc::make_mut(&mut self.list).push(link(table));
    }

    /// Returns those of the record continued by an entry, which `table` is behind.
    #[must_use]
    pub fn continued(mut self, table: &dyn Table) -> Self {
        self.push(table);
        self
    }

    /// Returns those of the record without its last entry; `None` if there is no entry.
    #[must_use]
    pub fn before_last(&self) -> Option<Self> {
        let (_, list) = self.list.split_last().filter(|(_, list)| !list.is_empty())?;
        Some(Self { list: Arc::new(list.to_vec()) })
    }

    /// Returns the one before the first entry, h(0).
    #[must_use]
    pub fn first(&self) -> Option<&Digest> {
        self.list.first()
    }

    /// Returns the one after the last entry.
    #[must_use]
    pub fn last(&self) -> Option<&Digest> {
        self.list.last()
    }

    /// Returns the one after an entry; 0 for the one before the first. `None` if there is no such entry.
    #[must_use]
    pub fn get(&self, entry: u32) -> Option<&Digest> {
        self.list.get(entry as usize)
    }

    /// Returns the numbers of the entries that a letter may name, in order: the first and the newest. 0 means none.
    pub fn at_hand(&self) -> impl Iterator<Item = u32> + use<> {
        let (count, newest) = (self.list.len(), self.list.len().saturating_sub(NEWEST));
        (0..newest.min(2)).chain(newest..count).map(|nth| nth as u32)
    }
}

/// Replays a record that was found legal once more, for the digests of its chain. Its signatures, which take most of the time, are not
/// checked again. `None` if it is not legal.
#[must_use]
pub fn with_digests(record: &[u8]) -> Option<(Opened<'_>, Digests)> {
    let mut opened = Opened::with_chain(record).ok()?;
    opened.table.set_check(Check::Nothing);
    let mut digests = Digests::of(record);
    let verdict = opened.replay_noting(&mut |table, _| digests.push(table));
    digests.push(opened.table.as_ref());
    (verdict.ruling == Ruling::Legal).then_some((opened, digests))
}

/// Returns the digest behind the newest entry of a record that somebody else may have written; `None` if its header cannot be read.
/// Signatures are not checked.
#[must_use]
pub fn newest_digest(record: &[u8]) -> Option<Digest> {
    let mut opened = Opened::with_chain(record).ok()?.of_stranger();
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    Some(link(opened.table.as_ref()))
}

/// The digest of the chain, at a table that follows the chain.
pub fn link(table: &dyn Table) -> Digest {
    table.signatures().map(|signatures| signatures.link().digest()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-digests\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
         started: 2026-11-21\noptions: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\n---\n";

    fn record(entries: usize) -> String {
        let entry = |nth: usize| {
            let action = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"][nth % 4];
            format!("{} {} {action}\n", nth + 1, ["besiegers", "defenders"][nth % 2])
        };
        HEADER.to_owned() + &(0..entries).map(entry).collect::<String>()
    }

    fn digests(source: &[u8]) -> Digests {
        let mut opened = Opened::with_chain(source).unwrap_or_else(|verdict| panic!("{verdict}"));
        let mut digests = Digests::of(source);
        opened.replay_noting(&mut |table, _| digests.push(table));
        digests.push(opened.table.as_ref());
        digests
    }

    #[test]
    fn z30_there_is_a_digest_before_the_first_entry_and_after_each() {
        for entries in [0, 1, 2, 40] {
            let digests = digests(record(entries).as_bytes());
            let last = entries as u32;
            assert_eq!((digests.get(0), digests.get(last)), (digests.first(), digests.last()));
            assert!(digests.last().is_some() && digests.get(last + 1).is_none());
        }
    }

    #[test]
    fn z30_digests_follow_a_record_that_gets_longer_and_shorter() {
        let long = record(41);
        let at = long.trim_end().rfind('\n').expect("lines") + 1;
        let (whole, begun) = (digests(long.as_bytes()), digests(&long.as_bytes()[..at]));
        let mut opened = Opened::with_chain(long.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict}"));
        opened.replay(u32::MAX);
        assert_eq!(begun.clone().continued(opened.table.as_ref()), whole);
        assert_eq!(whole.before_last(), Some(begun));
        assert_eq!(digests(record(0).as_bytes()).before_last(), None);
    }

    #[test]
    fn a_letter_names_the_first_and_the_newest_entries() {
        for (entries, named) in [(0, 1), (3, 4), (33, 34), (34, 34), (90, 34)] {
            let numbers: Vec<_> = digests(record(entries).as_bytes()).at_hand().collect();
            assert_eq!((numbers.len(), numbers.first(), numbers.last()), (named, Some(&0), Some(&(entries as u32))));
            assert!(numbers.is_sorted() && (entries == 0 || numbers.contains(&1)));
        }
    }
}
