//! The seals of one record: which were published, which were opened and with what, and what was thrown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::chain::Digest;
use super::decks;
use super::seals::{self, Commitment, Secret, Spot};
use crate::games::kernel::{Faces, Facts, Nonce, Root, Salt, Seal, Seed, Seeded, Side};

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

/// All seals and throws of a record. It answers the questions that rules ask. What an entry adds counts once the whole
/// entry is found legal.
#[derive(Clone, Debug)]
pub struct Seals {
    game: String,
    sides: [&'static str; 2],
    /// With those of the entry in hand, which stand behind `kept` others.
    published: Vec<Published>,
    kept: usize,
    /// Where each of them stands.
    places: HashMap<Seal, usize>,
    thrown: Vec<Thrown>,
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
    opened: Vec<(Option<usize>, Opening)>,
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
            published: Vec::new(),
            kept: 0,
            places: HashMap::new(),
            thrown: Vec::new(),
            commitments: [None; 2],
            roots: [None; 2],
            fresh: Fresh::default(),
        }
    }

    /// Forgets what the entry in hand would have added: it was refused, or is only being tried.
    pub fn forget(&mut self) {
        for published in self.published.drain(self.kept..) {
            self.places.remove(&published.seal);
        }
        self.fresh = Fresh::default();
    }

    /// Keeps what the entry in hand adds: it is legal, the one of this number. `before`: the chain's digest before it, where that is
    /// followed. Returns the steps that the seals took.
    pub fn keep(&mut self, entry: u32, before: Option<Digest>) -> u64 {
        let Fresh { opened, thrown, rooted, grown } = &mut self.fresh;
        let published = self.published.get_mut(self.kept..).unwrap_or_default();
        let steps = NOTED * published.len() + HASHED * opened.len() + 2 * HASHED * thrown.len() + GROWN * *grown;
        for one in published {
            (one.entry, one.before) = (entry, before);
        }
        for (place, opening) in opened.drain(..) {
            if let Some(published) = place.and_then(|place| self.published.get_mut(place)) {
                published.opened = Some(Opening { entry, ..opening });
            }
        }
        self.thrown.extend(thrown.drain(..).map(|one| Thrown { entry, ..one }));
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

    /// Returns what the nonce of each seal of a side is derived from.
    #[must_use]
    pub fn origins(&self, side: Side) -> HashMap<Seal, Origin> {
        let own = self.published().iter().filter(|one| one.side == side);
        own.map(|one| (one.seal, Origin { before: one.before, seeded: one.seeded })).collect()
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

    /// Returns the seals in the order of the record.
    #[must_use]
    pub fn published(&self) -> &[Published] {
        self.published.get(..self.kept).unwrap_or_default()
    }

    /// Returns the throws in the order of the record.
    #[must_use]
    pub fn thrown(&self) -> &[Thrown] {
        &self.thrown
    }
}

impl Facts for Seals {
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> bool {
        let Entry::Vacant(place) = self.places.entry(*seal) else { return false };
        place.insert(self.published.len());
        self.published.push(Published {
            side,
            label: label.to_owned(),
            seal: *seal,
            entry: 0,
            before: None,
            seeded: None,
            opened: None,
        });
        true
    }

    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> bool {
        let is_new = self.publish(side, label, seal);
        if let Some(published) = self.published.last_mut().filter(|_| is_new) {
            published.seeded = Some(seeded);
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
        let place = self.places.get(seal).copied();
        self.fresh.opened.push((place, Opening { payload: payload.to_owned(), nonce: *nonce, entry: 0 }));
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
        let labels: Vec<_> = seals.published().iter().map(|one| (one.label.as_str(), one.entry)).collect();
        assert_eq!(labels, [("token.1", 1), ("token.3", 2)]);
    }
}
