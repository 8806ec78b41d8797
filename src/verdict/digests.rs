//! The digests of a record's chain (Z30), as far as anybody asks for them.

use std::cell::OnceCell;
use std::collections::VecDeque;

use super::Opened;
use crate::referee::Table;
use crate::sealing::{Brief, Check, Digest};

/// How many are kept of a record that is longer than [`SHORT`], from the newest on: a letter names some twenty.
const NEWEST: usize = 32;
/// The length in bytes up to which all of a record's digests and seals are kept.
pub(crate) const SHORT: usize = 256 * 1024;

/// The digests h(0), h(1) … of a record that was replayed. One for each entry would be more than the text of a long record. So of that
/// only the first two and the newest are kept; whoever asks for another one has the record replayed once more, and all kept.
#[derive(Clone, Debug)]
pub struct Digests<'a> {
    source: &'a [u8],
    /// h(0) and h(1).
    first: Vec<Digest>,
    /// Those at the end.
    newest: VecDeque<Digest>,
    /// How many there are.
    count: usize,
    most: usize,
    all: OnceCell<Vec<Digest>>,
}

impl<'a> Digests<'a> {
    /// Starts with none of a record.
    #[must_use]
    pub fn new(source: &'a [u8]) -> Self {
        Self::of_most(source, if source.len() <= SHORT { usize::MAX } else { NEWEST })
    }

    fn of_most(source: &'a [u8], most: usize) -> Self {
        Self { source, first: Vec::new(), newest: VecDeque::new(), count: 0, most, all: OnceCell::new() }
    }

    /// Adds the digest after the next entry, at a table that follows the chain; first the one before the first entry.
    pub fn push(&mut self, table: &dyn Table) {
        let digest = link(table);
        if self.first.len() < 2 {
            self.first.push(digest);
        }
        if self.newest.len() >= self.most {
            self.newest.pop_front();
        }
        self.newest.push_back(digest);
        self.count += 1;
        self.all = OnceCell::new();
    }

    /// Returns them without their record, which [`Digests::continued`] gives them again; until then, only those that are kept are there.
    #[must_use]
    pub fn detached(&self) -> Digests<'static> {
        let Self { first, newest, count, most, .. } = self;
        let (first, newest) = (first.clone(), newest.clone());
        Digests { source: &[], first, newest, count: *count, most: *most, all: OnceCell::new() }
    }

    /// Returns those of the record continued by an entry, which `table` is behind.
    #[must_use]
    pub fn continued<'b>(self, record: &'b [u8], table: &dyn Table) -> Digests<'b> {
        let Self { first, newest, count, most, .. } = self;
        let mut digests = Digests { source: record, first, newest, count, most, all: OnceCell::new() };
        digests.push(table);
        digests
    }

    /// Returns those of the record without its last entry, of which `source` is what is left; `None` if there is no entry.
    #[must_use]
    pub fn before_last<'b>(&self, source: &'b [u8]) -> Option<Digests<'b>>
    where
        'a: 'b,
    {
        let mut digests = Digests { source, all: OnceCell::new(), ..self.clone() };
        digests.newest.pop_back();
        digests.count = digests.count.checked_sub(1)?;
        digests.first.truncate(digests.count);
        Some(digests)
    }

    /// Returns the one before the first entry, h(0).
    #[must_use]
    pub fn first(&self) -> Option<&Digest> {
        self.first.first()
    }

    /// Returns the one after the last entry.
    #[must_use]
    pub fn last(&self) -> Option<&Digest> {
        self.newest.back()
    }

    /// Returns the one after an entry; 0 for the one before the first. `None` if there is no such entry.
    #[must_use]
    pub fn get(&self, entry: u32) -> Option<&Digest> {
        let nth = Some(entry as usize).filter(|nth| *nth < self.count)?;
        let kept = nth.checked_sub(self.count - self.newest.len()).and_then(|nth| self.newest.get(nth));
        kept.or_else(|| self.first.get(nth)).or_else(|| self.all.get_or_init(|| all(self.source)).get(nth))
    }

    /// Returns the numbers of entries from the first to the last whose digests are kept, in order; at least the first and the newest
    /// twenty.
    pub fn at_hand(&self) -> impl Iterator<Item = u32> + use<> {
        let newest = self.count - self.newest.len();
        (0..self.first.len().min(newest)).chain(newest..self.count).map(|nth| nth as u32)
    }
}

/// All digests of a legal record, whose signatures were checked before.
fn all(source: &[u8]) -> Vec<Digest> {
    let Ok(mut opened) = Opened::with_chain(source).map(|opened| opened.brief(Brief::checked())) else {
        return Vec::new();
    };
    opened.table.set_check(Check::Nothing);
    let mut list = Vec::new();
    opened.replay_noting(&mut |table, _| list.push(link(table)));
    list.push(link(opened.table.as_ref()));
    list
}

/// The digest of the chain, at a table that follows the chain.
pub(crate) fn link(table: &dyn Table) -> Digest {
    table.signatures().map(|signatures| signatures.link().digest()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::replayed_here;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-digests\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
         started: 2026-11-21\noptions: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\n---\n";

    fn record(entries: usize) -> String {
        let entry = |nth: usize| {
            let action = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"][nth % 4];
            format!("{} {} {action}\n", nth + 1, ["besiegers", "defenders"][nth % 2])
        };
        HEADER.to_owned() + &(0..entries).map(entry).collect::<String>()
    }

    fn digests(source: &[u8], most: usize) -> Digests<'_> {
        let mut opened = Opened::with_chain(source).unwrap_or_else(|verdict| panic!("{verdict}"));
        let mut digests = Digests::of_most(source, most);
        opened.replay_noting(&mut |table, _| digests.push(table));
        digests.push(opened.table.as_ref());
        digests
    }

    #[test]
    fn z30_digests_that_are_not_kept_are_found_by_one_more_replay() {
        for entries in [0, 1, 2, 3, 7, 40] {
            let record = record(entries);
            let record = record.as_bytes();
            let whole = digests(record, usize::MAX);
            for most in [1, 2, 3, 8] {
                let few = digests(record, most);
                assert!(few.newest.len() <= most && few.first.len() <= 2);
                assert_eq!((few.first(), few.last()), (whole.first(), whole.last()));
                let before = replayed_here();
                assert!(few.at_hand().all(|entry| few.get(entry) == whole.get(entry)));
                assert_eq!(replayed_here(), before, "those at hand take no replay");
                let last = entries as u32;
                let numbers: Vec<_> = few.at_hand().collect();
                assert!(numbers.is_sorted() && numbers.contains(&0) && numbers.contains(&last));
                for entry in (0..entries as u32 + 3).rev() {
                    assert_eq!(few.get(entry), whole.get(entry), "{entry} of {entries}, {most} kept");
                    assert_eq!(few.get(entry).is_some(), entry <= last);
                }
                assert!(replayed_here() <= before + 1);
            }
        }
    }

    #[test]
    fn z30_digests_follow_a_record_that_gets_longer_and_shorter() {
        let long = record(41);
        let at = long.trim_end().rfind('\n').expect("lines") + 1;
        let short = &long.as_bytes()[..at];
        for most in [1, 3, usize::MAX] {
            let (whole, begun) = (digests(long.as_bytes(), usize::MAX), digests(short, most));
            let mut opened = Opened::with_chain(long.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict}"));
            opened.replay(u32::MAX);
            let longer = begun.clone().continued(long.as_bytes(), opened.table.as_ref());
            let shorter = longer.before_last(short).expect("an entry");
            for entry in 0..45 {
                assert_eq!(longer.get(entry), whole.get(entry), "{entry}");
                assert_eq!(shorter.get(entry), begun.get(entry), "{entry}");
            }
            assert_eq!(longer.last(), whole.last());
        }
    }

    #[test]
    fn of_a_long_record_few_digests_are_kept() {
        let record = record(20_000);
        assert!(record.len() > SHORT);
        let mut digests = Digests::new(record.as_bytes());
        let opened = Opened::with_chain(record.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict}"));
        (0..20_000).for_each(|_| digests.push(opened.table.as_ref()));
        assert!(digests.newest.len() + digests.first.len() < 40);
        assert_eq!(digests.at_hand().count(), digests.newest.len() + digests.first.len());
        assert!(digests.at_hand().count() > 25, "a letter names twenty");
    }
}
