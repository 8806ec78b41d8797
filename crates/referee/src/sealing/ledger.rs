//! The seals of one record: which were published, which were opened and with what, and what was thrown.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::chain::Digest;
use super::decks::{self, Rooted};
use super::seals::{self, Commitment, Secret, Spot};
use postrider_kernel::{Faces, Facts, Nonce, Root, Salt, Seal, SealPlace, Seed, Seeded, Side};

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
    /// The digest of the chain before that entry, if the chain is followed and the side has committed to its secret: the nonce depends on
    /// it (Z21).
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

/// How many seals there is room for at first: most records have fewer, and a table that grows hashes again what it has.
const ROOM: usize = 112;

/// A seal as it is kept: a record may hold tens of thousands.
#[derive(Clone, Debug)]
struct Kept {
    seal: Seal,
    label: SmolStr,
    entry: u32,
    /// The place of the deck in `Seals::seeded`, counted from 1; 0 for none.
    seeded: u32,
    side: Side,
}

/// An opening as it is kept.
#[derive(Clone, Debug)]
struct Opened {
    /// The place of the seal.
    place: u32,
    entry: u32,
    payload: SmolStr,
    nonce: Nonce,
}

/// All seals and throws of a record. It answers the questions that rules ask. What an entry adds counts once the whole
/// entry is found legal.
#[derive(Clone, Debug)]
pub struct Seals {
    game: String,
    sides: [&'static str; 2],
    /// Those of the entries before, which copies share: an audit tries what is forced at each entry on a copy.
    kept: Arc<Annals>,
    commitments: [Option<Commitment>; 2],
    fresh: Fresh,
}

/// The seals of all entries that are kept.
#[derive(Clone, Debug)]
struct Annals {
    published: Vec<Kept>,
    /// Where each of them is in that list. Anybody can write seals, so they are hashed with a key.
    places: HashMap<Seal, u32>,
    opened: Vec<Opened>,
    /// Where the chain is followed, its digest before each entry with seals of a side that has committed to its secret.
    befores: Vec<(u32, Digest)>,
    seeded: Vec<Seeded>,
    thrown: Vec<Thrown>,
    /// Where each side published the roots of its decks.
    roots: [Rooted; 2],
}

/// What the entry in hand adds.
#[derive(Clone, Debug, Default)]
struct Fresh {
    /// The seals that it publishes, which stand behind those that are kept. A line has room for some hundreds, so they are looked through.
    published: Vec<Kept>,
    seeded: Vec<Seeded>,
    /// How many seals it opens.
    opens: usize,
    /// Those of them that are in the record.
    opened: Vec<Opened>,
    thrown: Vec<Thrown>,
    /// Who publishes roots, and of which generation.
    rooted: Option<(Side, u32)>,
    /// How many seals were recomputed from seeds.
    grown: usize,
}

impl Seals {
    /// Starts with no seals, in the game with this id between the sides with these names.
    #[must_use]
    pub fn new(game: &str, sides: [&'static str; 2]) -> Self {
        let kept = Annals {
            published: Vec::new(),
            places: HashMap::with_capacity(ROOM),
            opened: Vec::new(),
            befores: Vec::new(),
            seeded: Vec::new(),
            thrown: Vec::new(),
            roots: [Rooted::default(), Rooted::default()],
        };
        Self { game: game.to_owned(), sides, kept: Arc::new(kept), commitments: [None; 2], fresh: Fresh::default() }
    }

    /// Returns the seal at a place; `None` if there is none.
    #[must_use]
    pub fn at(&self, SealPlace(place): SealPlace) -> Option<Seal> {
        let place = place as usize;
        let fresh = || self.fresh.published.get(place.checked_sub(self.kept.published.len())?);
        self.kept.published.get(place).or_else(fresh).map(|kept| kept.seal)
    }

    /// Forgets what the entry in hand would have added: it was refused, or is only being tried.
    pub fn forget(&mut self) {
        self.fresh = Fresh::default();
    }

    /// Keeps what the entry in hand adds: it is legal, the one of this number. `before`: the chain's digest before it, where that is
    /// followed. Returns the steps that the seals took.
    pub fn keep(&mut self, entry: u32, before: Option<Digest>) -> u64 {
        let Fresh { published, seeded, opens, opened, thrown, rooted, grown } = &mut self.fresh;
        let steps = NOTED * published.len() + HASHED * *opens + 2 * HASHED * thrown.len() + GROWN * *grown;
        (*opens, *grown) = (0, 0);
        if published.is_empty() && opened.is_empty() && thrown.is_empty() && rooted.is_none() {
            return steps as u64;
        }
        let kept = Arc::make_mut(&mut self.kept);
        // The nonces of others do not depend on it.
        let commitment = published.first().and_then(|one| self.commitments[one.side.index()]);
        if let (Some(before), Some(_)) = (before, commitment) {
            kept.befores.push((entry, before));
        }
        for one in published.drain(..) {
            kept.places.insert(one.seal, kept.published.len() as u32);
            kept.published.push(Kept { entry, ..one });
        }
        kept.seeded.append(seeded);
        kept.opened.extend(opened.drain(..).map(|one| Opened { entry, ..one }));
        kept.thrown.extend(thrown.drain(..).map(|one| Thrown { entry, ..one }));
        if let Some((side, generation)) = rooted.take() {
            kept.roots[side.index()].add(generation, before);
        }
        steps as u64
    }

    /// Stores a side's commitment to its secret (Z20), before the entry that makes it is kept.
    pub fn commit(&mut self, side: Side, commitment: Commitment) {
        self.commitments[side.index()] = Some(commitment);
    }

    /// Returns a side's commitment to its secret (Z20); `None` in an older record.
    #[must_use]
    pub fn commitment(&self, side: Side) -> Option<Commitment> {
        self.commitments[side.index()]
    }

    /// Returns what the nonce of a seal of a side is derived from.
    #[must_use]
    pub fn origin(&self, side: Side, seal: &Seal) -> Option<Origin> {
        let place = self.kept.places.get(seal).map(|place| *place as usize)?;
        let kept = self.kept.published.get(place).filter(|kept| kept.side == side)?;
        // They are in the order of entries.
        let befores = &self.kept.befores;
        let low = befores.partition_point(|(entry, _)| *entry < kept.entry);
        let before = befores.get(low).filter(|(entry, _)| *entry == kept.entry).map(|(_, before)| *before);
        Some(Origin { before, seeded: self.deck_of(kept) })
    }

    /// Returns the place of a seal, in the entry in hand too.
    fn place_of(&self, seal: &Seal) -> Option<u32> {
        let fresh = || {
            let nth = self.fresh.published.iter().position(|kept| kept.seal == *seal)?;
            Some((self.kept.published.len() + nth) as u32)
        };
        self.kept.places.get(seal).copied().or_else(fresh)
    }

    fn deck_of(&self, kept: &Kept) -> Option<Seeded> {
        self.kept.seeded.get((kept.seeded as usize).checked_sub(1)?).copied()
    }

    /// Returns where a side published the roots of its decks (Z26).
    #[must_use]
    pub fn roots(&self, side: Side) -> &Rooted {
        &self.kept.roots[side.index()]
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

    /// Returns the seed that a secret gives for a deck of a side (Z28); `before` is the digest of the
    /// chain before the entry with its seals, and `header` is h(0).
    #[must_use]
    pub fn seed(&self, secret: &Secret, header: &Digest, side: Side, deck: Seeded, before: Option<Digest>) -> Seed {
        let of = (self.game.as_str(), self.word(side));
        self.roots(side).seed(secret, of, deck, before, &|before| self.spot(side, header, before))
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

    /// Returns the seals in the order of the record. The list is made anew by each call.
    #[must_use]
    pub fn published(&self) -> Vec<Published> {
        let mut befores = self.kept.befores.iter().peekable();
        let mut before_of = |entry: u32| {
            // Both lists are in the order of entries.
            while befores.next_if(|(other, _)| *other < entry).is_some() {}
            befores.peek().filter(|(other, _)| *other == entry).map(|(_, before)| *before)
        };
        let one = |kept: &Kept| self.told(kept, before_of(kept.entry));
        let mut list: Vec<_> = self.kept.published.iter().map(one).collect();
        for Opened { place, entry, payload, nonce } in &self.kept.opened {
            if let Some(published) = list.get_mut(*place as usize) {
                published.opened = Some(Opening { payload: payload.to_string(), nonce: *nonce, entry: *entry });
            }
        }
        list
    }

    fn told(&self, kept: &Kept, before: Option<Digest>) -> Published {
        let Kept { seal, ref label, entry, side, .. } = *kept;
        Published { side, label: label.to_string(), seal, entry, before, seeded: self.deck_of(kept), opened: None }
    }

    /// Returns the seal that a side published last, of those that are not opened.
    #[must_use]
    pub fn newest_closed(&self, side: Side) -> Option<Published> {
        let opened: HashSet<u32> = self.kept.opened.iter().map(|opened| opened.place).collect();
        let mut kept = self.kept.published.iter().enumerate().rev();
        let (_, closed) = kept.find(|(place, kept)| kept.side == side && !opened.contains(&(*place as u32)))?;
        Some(self.told(closed, self.origin(side, &closed.seal)?.before))
    }

    /// Returns how many seals there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kept.published.len()
    }

    /// Returns whether a side has sealed anything.
    #[must_use]
    pub(crate) fn has_seal_of(&self, side: Side) -> bool {
        self.kept.published.iter().any(|kept| kept.side == side)
    }

    /// Returns whether an entry opens a seal with this label.
    #[must_use]
    pub(crate) fn opens_in(&self, entry: u32, label: &str) -> bool {
        let opened = self.kept.opened.iter().rev().take_while(|opened| opened.entry >= entry);
        let mut of_entry = opened.filter(|opened| opened.entry == entry);
        of_entry.any(|opened| self.kept.published.get(opened.place as usize).is_some_and(|kept| kept.label == label))
    }

    /// Returns the throws in the order of the record.
    #[must_use]
    pub fn thrown(&self) -> &[Thrown] {
        &self.kept.thrown
    }
}

impl Facts for Seals {
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> Option<SealPlace> {
        if self.place_of(seal).is_some() {
            return None;
        }
        let place = self.kept.published.len() + self.fresh.published.len();
        self.fresh.published.push(Kept { seal: *seal, label: SmolStr::new(label), entry: 0, seeded: 0, side });
        Some(SealPlace(place as u32))
    }

    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        self.at(place)
    }

    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> Option<SealPlace> {
        let place = self.publish(side, label, seal)?;
        // The seals of a deck are published together, so it is the last one.
        let Fresh { published, seeded: decks, .. } = &mut self.fresh;
        if decks.last().or_else(|| self.kept.seeded.last()) != Some(&seeded) {
            decks.push(seeded);
        }
        let deck = (self.kept.seeded.len() + decks.len()) as u32;
        if let Some(kept) = published.last_mut() {
            kept.seeded = deck;
        }
        Some(place)
    }

    fn rooted(&mut self, side: Side, generation: u32) {
        self.fresh.rooted = Some((side, generation));
    }

    fn seed_fits(&mut self, side: Side, deck: Seeded, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        self.fresh.grown += cards.len();
        let (game, word) = (&self.game, self.word(side));
        decks::root(game, word, deck, &decks::seals(seed, game, word, deck.generation, cards)) == *root
    }

    fn seals_fit(&mut self, side: Side, deck: Seeded, seals: &[Seal], root: &Root) -> bool {
        self.fresh.grown += 1;
        decks::root(&self.game, self.word(side), deck, seals) == *root
    }

    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool {
        if seals::seal(&self.game, self.word(side), label, payload, nonce) != *seal {
            return false;
        }
        self.fresh.opens += 1;
        if let Some(place) = self.place_of(seal) {
            self.fresh.opened.push(Opened { place, entry: 0, payload: SmolStr::new(payload), nonce: *nonce });
        }
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
