//! Finds seals by their bytes: a seal that stands in the record already is not new (Z6).

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::games::kernel::Seal;

/// A place of a seal, in three bytes: a record has room for hundreds of thousands, and for no higher place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Short([u8; 3]);

impl From<u32> for Short {
    fn from(place: u32) -> Self {
        let [_, rest @ ..] = place.min(0xff_ffff).to_be_bytes();
        Self(rest)
    }
}

impl From<Short> for u32 {
    fn from(Short([high, middle, low]): Short) -> Self {
        Self::from_be_bytes([0, high, middle, low])
    }
}

/// Where each seal of a record is, in the list of seals or in the text. Anybody can write seals, so their own bytes would not do as a
/// hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    table: Arc<HashTable<Short>>,
    hashing: RandomState,
    /// Those of the entry in hand, with their hashes.
    fresh: Vec<(u64, Short)>,
}

impl Places {
    /// Starts with room for so many.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { table: Arc::new(HashTable::with_capacity(count)), ..Self::default() }
    }

    /// Adds the place of a seal of the entry in hand; false if the seal is there already. `seal_at` finds the others.
    pub(super) fn add(&mut self, seal: &Seal, place: u32, seal_at: impl Fn(u32) -> Option<Seal>) -> bool {
        let Self { table, hashing, fresh } = self;
        let hash = hashing.hash_one(seal);
        let same = |other: &Short| seal_at((*other).into()).is_some_and(|other| other == *seal);
        let hash_of = |other: &Short| seal_at((*other).into()).map_or(0, |other| hashing.hash_one(other));
        let Entry::Vacant(free) = Arc::make_mut(table).entry(hash, same, hash_of) else { return false };
        free.insert(place.into());
        fresh.push((hash, place.into()));
        true
    }

    /// Returns the place of a seal.
    pub(super) fn find(&self, seal: &Seal, seal_at: impl Fn(u32) -> Option<Seal>) -> Option<u32> {
        let same = |place: &Short| seal_at((*place).into()).is_some_and(|other| other == *seal);
        self.table.find(self.hashing.hash_one(seal), same).map(|place| (*place).into())
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Keeps those of the entry in hand, and returns how many they are.
    pub(super) fn keep(&mut self) -> usize {
        let count = self.fresh.len();
        self.fresh.clear();
        count
    }

    /// Forgets those of the entry in hand.
    pub(super) fn forget(&mut self) {
        for (hash, place) in self.fresh.drain(..) {
            if let Ok(found) = Arc::make_mut(&mut self.table).find_entry(hash, |other| *other == place) {
                found.remove();
            }
        }
    }
}
