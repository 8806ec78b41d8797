//! What is known of the seals of a record beside their places, where the ledger keeps little: as much as making one entry needs.

use std::collections::VecDeque;
use std::fmt;

use super::chain::Digest;
use super::ledger::{Origin, Published};
use crate::games::kernel::{Log, Seal, SealPlace, Seeded, Side};

/// How many of the newest closed seals are kept to make the next entry.
const NEWEST: usize = 64;
/// The number of the entry in hand, until it is known.
const IN_HAND: u32 = 0;

/// Finds what the nonces of a side's seals in a legal record depend on ([`Origins`]).
pub type Find = fn(&str, Side) -> Option<Box<dyn Follower>>;

/// A seal of the entry in hand.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    /// The side that publishes it.
    pub side: Side,
    /// Its label.
    pub label: &'a str,
    /// The seal.
    pub seal: &'a Seal,
    /// Where it is in the text.
    pub place: SealPlace,
    /// The deck that it belongs to (Z25).
    pub seeded: Option<Seeded>,
}

/// Follows the seals of a record as they are published and opened. What an entry adds counts once it is kept.
pub trait Follower: fmt::Debug + Send {
    /// The entry in hand publishes a seal.
    fn published(&mut self, noted: Noted<'_>);

    /// The entry in hand opens a seal.
    fn opened(&mut self, label: &str, seal: &Seal) {
        let _ = (label, seal);
    }

    /// Keeps what the entry in hand adds. `before`: the chain's digest before it; `committed`: which sides have committed to a secret,
    /// so that the nonces of their seals depend on that (Z21).
    fn keep(&mut self, entry: u32, before: Option<Digest>, committed: [bool; 2]);

    /// Forgets what the entry in hand would have added.
    fn forget(&mut self);

    /// Returns a copy.
    fn copy(&self) -> Box<dyn Follower>;

    /// Returns the seal that a side published last, of those that are not opened.
    fn newest_closed(&self, side: Side) -> Option<Published> {
        let _ = side;
        None
    }

    /// Returns whether the entry that was kept last has this number and opens a seal with this label.
    fn opens_in(&self, entry: u32, label: &str) -> bool {
        let _ = (entry, label);
        false
    }

    /// Returns what finds the origins of seals in this record.
    fn find(&self) -> Option<Find> {
        None
    }

    /// Returns what the nonce of the seal at a place depends on, if that is followed.
    fn origin(&self, place: SealPlace) -> Option<Origin> {
        let _ = place;
        None
    }
}

fn before_of(side: Side, before: Option<Digest>, committed: [bool; 2]) -> Option<Digest> {
    before.filter(|_| committed.get(side.index()) == Some(&true))
}

/// The newest seals of a record whose next entry is to be made.
#[derive(Clone, Debug)]
pub struct Newest {
    /// Those that were published last and are not opened, with those of the entry in hand.
    closed: VecDeque<Published>,
    /// The labels and seals that the entry in hand opens.
    opens: Vec<(String, Seal)>,
    /// The entry that was kept last, and the labels of the seals that it opens.
    last: (u32, Vec<String>),
    find: Find,
}

impl Newest {
    /// Starts with none. `find` is asked for what older seals depend on.
    #[must_use]
    pub fn new(find: Find) -> Self {
        Self { closed: VecDeque::new(), opens: Vec::new(), last: (IN_HAND, Vec::new()), find }
    }
}

impl Follower for Newest {
    fn published(&mut self, Noted { side, label, seal, seeded, .. }: Noted<'_>) {
        let (label, seal) = (label.to_owned(), *seal);
        self.closed.push_back(Published { side, label, seal, entry: IN_HAND, before: None, seeded, opened: None });
    }

    fn opened(&mut self, label: &str, seal: &Seal) {
        self.opens.push((label.to_owned(), *seal));
    }

    fn keep(&mut self, entry: u32, before: Option<Digest>, committed: [bool; 2]) {
        for one in self.closed.iter_mut().rev().take_while(|one| one.entry == IN_HAND) {
            (one.entry, one.before) = (entry, before_of(one.side, before, committed));
        }
        let opened = std::mem::take(&mut self.opens);
        if !opened.is_empty() {
            self.closed.retain(|one| opened.iter().all(|(_, seal)| *seal != one.seal));
        }
        self.closed.drain(..self.closed.len().saturating_sub(NEWEST));
        self.last = (entry, opened.into_iter().map(|(label, _)| label).collect());
    }

    fn forget(&mut self) {
        self.closed.retain(|one| one.entry != IN_HAND);
        self.opens.clear();
    }

    fn copy(&self) -> Box<dyn Follower> {
        Box::new(self.clone())
    }

    fn newest_closed(&self, side: Side) -> Option<Published> {
        self.closed.iter().rev().find(|one| one.side == side && one.entry != IN_HAND).cloned()
    }

    fn opens_in(&self, entry: u32, label: &str) -> bool {
        let (last, labels) = &self.last;
        *last == entry && labels.iter().any(|other| other == label)
    }

    fn find(&self) -> Option<Find> {
        Some(self.find)
    }
}

/// What the nonces of a side's seals depend on, by where the seals are in the text: from each place on.
#[derive(Clone, Debug)]
pub struct Origins {
    side: Side,
    list: Log<(u32, Origin)>,
    /// How many are not of the entry in hand.
    kept: usize,
}

impl Origins {
    /// Starts with none of a side's.
    #[must_use]
    pub fn of(side: Side) -> Self {
        Self { side, list: Log::default(), kept: 0 }
    }
}

impl Follower for Origins {
    fn published(&mut self, Noted { side, place, seeded, .. }: Noted<'_>) {
        let last =
            self.list.len().checked_sub(1).filter(|last| *last >= self.kept).and_then(|last| self.list.get(last));
        // Most entries with seals have seals of one kind.
        if side == self.side && last.is_none_or(|(_, origin)| origin.seeded != seeded) {
            self.list.push((place.0, Origin { before: None, seeded }));
        }
    }

    fn keep(&mut self, _: u32, before: Option<Digest>, committed: [bool; 2]) {
        for nth in self.kept..self.list.len() {
            if let Some((_, origin)) = self.list.get_mut(nth) {
                origin.before = before_of(self.side, before, committed);
            }
        }
        self.kept = self.list.len();
    }

    fn forget(&mut self) {
        self.list.truncate(self.kept);
    }

    fn copy(&self) -> Box<dyn Follower> {
        Box::new(self.clone())
    }

    fn origin(&self, SealPlace(place): SealPlace) -> Option<Origin> {
        let behind = self.list.partition_point(|(from, _)| *from <= place).min(self.kept);
        self.list.get(behind.checked_sub(1)?).map(|(_, origin)| *origin)
    }
}
