//! The seals of one record: which were published, which were opened and with what, and what was thrown.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::annals::Annals;
use super::chain::Digest;
use super::decks;
use super::seals::{self, Commitment, Secret, Spot};
use crate::games::kernel::{Faces, Facts, Log, Nonce, Root, Salt, Seal, Seed, Seeded, Side};

/// A seal in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The side that published it.
    pub side: Side,
    /// Its label.
    pub label: String,
    /// The seal.
    pub seal: Seal,
    /// The entry that contains it.
    pub entry: u32,
    /// The digest of the chain before that entry, if the chain is followed; the nonce of a side that has committed
    /// depends on it (Z21).
    pub before: Option<Digest>,
    /// The deck that it belongs to, if decks are derived from seeds (Z25).
    pub seeded: Option<Seeded>,
    /// Its opening, if it was opened.
    pub opened: Option<Opening>,
}

/// What the nonce of a seal in the record is derived from, besides the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// As [`Published::before`].
    pub before: Option<Digest>,
    /// As [`Published::seeded`].
    pub seeded: Option<Seeded>,
}

/// The opening of a seal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The payload.
    pub payload: String,
    /// The nonce.
    pub nonce: Nonce,
    /// The entry that contains it.
    pub entry: u32,
}

/// A throw of joint dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// The label of the seal.
    pub label: String,
    /// The nonce that opened it.
    pub nonce: Nonce,
    /// The other side's part.
    pub salt: Salt,
    /// The number of sides of each die.
    pub dice: Vec<u32>,
    /// What they show.
    pub faces: Faces,
    /// The entry with the opening.
    pub entry: u32,
}

/// The steps that noting a seal takes, and a hash of a short text.
const NOTED: usize = 10;
const HASHED: usize = 60;
/// The steps for a seal that is derived from a seed: a nonce, a seal, and its share of the order and the root.
const GROWN: usize = 4 * HASHED;

/// A seal as it is kept, with its label as the text: a record may hold hundreds of thousands, so nothing more than needed.
#[derive(Clone, Copy, Debug)]
struct Kept {
    seal: Seal,
    entry: u32,
    /// The place of the deck in `Seals::seeded`, counted from 1; 0 for none.
    seeded: u32,
    side: Side,
}

/// An opening as it is kept, with its payload as the text.
#[derive(Clone, Copy, Debug)]
struct Opened {
    /// The place of the seal.
    place: u32,
    entry: u32,
    nonce: Nonce,
}

/// All seals and throws of a record. It answers the questions that rules ask. What an entry adds counts once the whole
/// entry is found legal.
#[derive(Clone, Debug)]
pub struct Seals {
    game: String,
    sides: [&'static str; 2],
    /// With those of the entry in hand, which stand behind `kept` others.
    published: Annals<Kept>,
    kept: usize,
    /// Where each of them stands. Anybody can write seals, so their own bytes would not do as a hash.
    places: Arc<HashTable<u32>>,
    hashing: RandomState,
    opened: Annals<Opened>,
    /// Where the chain is followed, its digest before each entry with seals.
    befores: Log<(u32, Digest)>,
    seeded: Vec<Seeded>,
    thrown: Log<Thrown>,
    commitments: [Option<Commitment>; 2],
    /// The digest of the chain before each side's entry with the roots of its decks, if there is one and the chain is
    /// followed.
    roots: [Option<Digest>; 2],
    fresh: Fresh,
}

/// What the entry in hand adds, beside the seals that it publishes.
#[derive(Clone, Debug, Default)]
struct Fresh {
    /// By the place of the seal.
    opened: Vec<(Option<u32>, String, Nonce)>,
    thrown: Vec<Thrown>,
    /// Who publishes roots.
    rooted: Option<Side>,
    /// How many seals were recomputed from seeds.
    grown: usize,
}

impl Seals {
    /// Starts with no seals, in the game with this id between the sides with these names.
    #[must_use]
    pub fn new(game: &str, sides: [&'static str; 2]) -> Self {
        Self {
            game: game.to_owned(),
            sides,
            published: Annals::default(),
            kept: 0,
            places: Arc::default(),
            hashing: RandomState::new(),
            opened: Annals::default(),
            befores: Log::default(),
            seeded: Vec::new(),
            thrown: Log::default(),
            commitments: [None; 2],
            roots: [None; 2],
            fresh: Fresh::default(),
        }
    }

    /// Forgets what the entry in hand would have added: it was refused, or is only being tried.
    pub fn forget(&mut self) {
        for place in self.kept..self.published.len() {
            let Some((kept, _)) = self.published.get(place) else { break };
            let hash = self.hashing.hash_one(kept.seal);
            if let Ok(found) = Arc::make_mut(&mut self.places).find_entry(hash, |&other| other as usize == place) {
                found.remove();
            }
        }
        self.published.truncate(self.kept);
        self.fresh = Fresh::default();
    }

    /// Keeps what the entry in hand adds: it is legal, the one of this number. `before`: the chain's digest before it, where that is
    /// followed. Returns the steps that the seals took.
    pub fn keep(&mut self, entry: u32, before: Option<Digest>) -> u64 {
        let Fresh { opened, thrown, rooted, grown } = &mut self.fresh;
        let count = self.published.len() - self.kept;
        let steps = NOTED * count + HASHED * opened.len() + 2 * HASHED * thrown.len() + GROWN * *grown;
        for place in self.kept..self.published.len() {
            if let Some(one) = self.published.get_mut(place) {
                one.entry = entry;
            }
        }
        if let Some(before) = before.filter(|_| count > 0) {
            self.befores.push((entry, before));
        }
        for (place, payload, nonce) in opened.drain(..) {
            if let Some(place) = place {
                self.opened.push(Opened { place, entry, nonce }, &payload);
            }
        }
        thrown.drain(..).for_each(|one| self.thrown.push(Thrown { entry, ..one }));
        if let Some(roots) = rooted.take().and_then(|side| self.roots.get_mut(side.index())) {
            *roots = before;
        }
        *grown = 0;
        self.kept = self.published.len();
        steps as u64
    }

    /// Stores a side's commitment to its secret (Z20).
    pub fn commit(&mut self, side: Side, commitment: Commitment) {
        if let Some(place) = self.commitments.get_mut(side.index()) {
            *place = Some(commitment);
        }
    }

    /// Returns a side's commitment to its secret (Z20); `None` in an older record.
    #[must_use]
    pub fn commitment(&self, side: Side) -> Option<Commitment> {
        self.commitments.get(side.index()).copied().flatten()
    }

    /// Returns what the nonce of a seal of a side is derived from.
    #[must_use]
    pub fn origin(&self, side: Side, seal: &Seal) -> Option<Origin> {
        let place = self.place(seal).map(|place| place as usize).filter(|place| *place < self.kept)?;
        let (kept, _) = self.published.get(place).filter(|(kept, _)| kept.side == side)?;
        // They are in the order of entries.
        let (mut low, mut high) = (0, self.befores.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.befores.get(middle) {
                Some((entry, _)) if *entry < kept.entry => low = middle + 1,
                _ => high = middle,
            }
        }
        let before = self.befores.get(low).filter(|(entry, _)| *entry == kept.entry).map(|(_, before)| *before);
        Some(Origin { before, seeded: self.deck_of(kept) })
    }

    /// The place of a seal.
    fn place(&self, seal: &Seal) -> Option<u32> {
        let same = |place: &u32| self.published.get(*place as usize).is_some_and(|(kept, _)| kept.seal == *seal);
        self.places.find(self.hashing.hash_one(seal), same).copied()
    }

    fn deck_of(&self, kept: &Kept) -> Option<Seeded> {
        self.seeded.get((kept.seeded as usize).checked_sub(1)?).copied()
    }

    /// Returns the digest of the chain before the entry with the roots of a side's decks (Z26), if there is one and it
    /// is known.
    #[must_use]
    pub fn roots(&self, side: Side) -> Option<Digest> {
        self.roots.get(side.index()).copied().flatten()
    }

    /// Returns the nonce that a secret gives for a seal of its side (Z2, Z21, Z25); `header` is h(0).
    #[must_use]
    pub fn nonce(&self, secret: &Secret, header: &Digest, published: &Published) -> Nonce {
        let (game, side, label) = (&self.game, self.word(published.side), &published.label);
        if let Some(seeded) = published.seeded {
            let seed = self.seed(secret, header, published.side, seeded, published.before);
            return decks::nonce(&seed, game, side, label);
        }
        match self.spot(published.side, header, published.before) {
            Some(spot) => secret.nonce_at(game, side, label, &spot),
            None => secret.nonce(game, side, label),
        }
    }

    /// Returns the seed that a secret gives for a generation of a side's deck (Z28); `before` is the digest of the
    /// chain before the entry with its seals, and `header` is h(0).
    #[must_use]
    pub fn seed(
        &self,
        secret: &Secret,
        header: &Digest,
        side: Side,
        Seeded { deck, generation }: Seeded,
        before: Option<Digest>,
    ) -> Seed {
        let (game, word) = (&self.game, self.word(side));
        let first = decks::seed(secret, game, word, deck, self.spot(side, header, self.roots(side)).as_ref());
        match generation {
            1 => first,
            _ => decks::later(&first, game, word, generation, self.spot(side, header, before).as_ref()),
        }
    }

    /// The spot of an entry of a side that has committed to its secret.
    fn spot(&self, side: Side, header: &Digest, before: Option<Digest>) -> Option<Spot> {
        self.commitment(side)?;
        Some(Spot { header: *header, before: before? })
    }

    /// Returns the game's id.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Returns the name of a side.
    #[must_use]
    pub fn word(&self, side: Side) -> &'static str {
        self.sides[side.index()]
    }

    /// Returns the seals in the order of the record. The list is made anew by each call, because they are kept in a much smaller
    /// form.
    #[must_use]
    pub fn published(&self) -> Vec<Published> {
        let mut befores = self.befores.iter().peekable();
        let mut before_of = |entry: u32| {
            // Both lists are in the order of entries.
            while befores.next_if(|(other, _)| *other < entry).is_some() {}
            befores.peek().filter(|(other, _)| *other == entry).map(|(_, before)| *before)
        };
        let one = |(kept, label): (&Kept, &str)| Published {
            side: kept.side,
            label: label.to_owned(),
            seal: kept.seal,
            entry: kept.entry,
            before: before_of(kept.entry),
            seeded: self.deck_of(kept),
            opened: None,
        };
        let mut list: Vec<_> = self.published.iter().take(self.kept).map(one).collect();
        for (opened, payload) in self.opened.iter() {
            if let Some(published) = list.get_mut(opened.place as usize) {
                published.opened =
                    Some(Opening { payload: payload.to_owned(), nonce: opened.nonce, entry: opened.entry });
            }
        }
        list
    }

    /// Returns how many seals there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.kept
    }

    /// Returns whether a side has sealed anything.
    #[must_use]
    pub fn has_seal_of(&self, side: Side) -> bool {
        self.published.iter().take(self.kept).any(|(kept, _)| kept.side == side)
    }

    /// Returns whether an entry opens a seal with this label.
    #[must_use]
    pub fn opens_in(&self, entry: u32, label: &str) -> bool {
        let opened = self.opened.iter().rev().take_while(|(opened, _)| opened.entry >= entry);
        let mut of_entry = opened.filter(|(opened, _)| opened.entry == entry);
        of_entry.any(|(opened, _)| self.published.get(opened.place as usize).is_some_and(|(_, other)| other == label))
    }

    /// Returns the throws in the order of the record.
    #[must_use]
    pub const fn thrown(&self) -> &Log<Thrown> {
        &self.thrown
    }
}

impl Facts for Seals {
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> bool {
        let Self { published, places, hashing, .. } = self;
        let seal_at = |place: &u32| published.get(*place as usize).map(|(kept, _)| &kept.seal);
        let same = |place: &u32| seal_at(place) == Some(seal);
        let hash = |place: &u32| seal_at(place).map_or(0, |seal| hashing.hash_one(seal));
        let Entry::Vacant(free) = Arc::make_mut(places).entry(hashing.hash_one(seal), same, hash) else {
            return false;
        };
        free.insert(published.len() as u32);
        published.push(Kept { seal: *seal, entry: 0, seeded: 0, side }, label);
        true
    }

    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> bool {
        let is_new = self.publish(side, label, seal);
        if is_new {
            // The seals of a deck are published together, so it is the last one.
            if self.seeded.last() != Some(&seeded) {
                self.seeded.push(seeded);
            }
            let place = self.seeded.len() as u32;
            if let Some(kept) = self.published.len().checked_sub(1).and_then(|last| self.published.get_mut(last)) {
                kept.seeded = place;
            }
        }
        is_new
    }

    fn rooted(&mut self, side: Side) {
        self.fresh.rooted = Some(side);
    }

    fn seed_fits(&mut self, side: Side, number: u32, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        self.fresh.grown += cards.len();
        let (game, word) = (&self.game, self.word(side));
        decks::root(game, word, number, &decks::seals(seed, game, word, 1, cards)) == *root
    }

    fn seals_fit(&mut self, side: Side, number: u32, seals: &[Seal], root: &Root) -> bool {
        self.fresh.grown += 1;
        decks::root(&self.game, self.word(side), number, seals) == *root
    }

    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool {
        if seals::seal(&self.game, self.word(side), label, payload, nonce) != *seal {
            return false;
        }
        let place = self.place(seal);
        self.fresh.opened.push((place, payload.to_owned(), *nonce));
        true
    }

    fn throw(&mut self, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces {
        let faces = seals::throw(&self.game, label, nonce, salt, dice);
        self.fresh.thrown.push(Thrown {
            label: label.to_owned(),
            nonce: *nonce,
            salt: *salt,
            dice: dice.to_vec(),
            faces: faces.clone(),
            entry: 0,
        });
        faces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z6_a_seal_of_a_refused_entry_has_not_stood() {
        let mut seals = Seals::new("game", ["white", "black"]);
        let [one, other] = [1, 2].map(|byte| Seal([byte; 32]));
        assert!(seals.publish(Side::First, "token.1", &one) && !seals.publish(Side::First, "token.1", &one));
        seals.forget();
        assert!(seals.published().is_empty() && seals.publish(Side::Second, "token.1", &one));
        seals.keep(1, None);
        assert!(!seals.publish(Side::First, "token.2", &one) && seals.publish(Side::First, "token.2", &other));
        assert_eq!(seals.published().len(), 1, "what the entry in hand adds is not among them yet");
        seals.forget();
        assert!(!seals.publish(Side::First, "token.2", &one) && seals.publish(Side::First, "token.3", &other));
        seals.keep(2, None);
        let published = seals.published();
        let labels: Vec<_> = published.iter().map(|one| (one.label.as_str(), one.entry)).collect();
        assert_eq!(labels, [("token.1", 1), ("token.3", 2)]);
    }
}
