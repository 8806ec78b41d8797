//! What rules cannot know on their own: whether an opening matches a seal, whether a seal has been used before, which
//! faces a throw shows. Rules never roll dice and never hash: they ask, and the caller that plays the entry answers
//! (`notation/sealing.md`).

use std::fmt;

use data_encoding::HEXLOWER;

use super::Side;

macro_rules! hexadecimal {
    ($(#[$doc:meta])* $name:ident $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub [u8; $bytes]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&HEXLOWER.encode(&self.0))
            }
        }
    };
}

hexadecimal! {
    /// A seal (Z1): a SHA-256, 64 hexadecimal digits in a record.
    Seal 32
}
hexadecimal! {
    /// What opens a seal (Z2, Z3): 32 hexadecimal digits in a record. Secret until it is there.
    Nonce 16
}
hexadecimal! {
    /// The other side's contribution to a throw (Z7): 32 hexadecimal digits in a record.
    Salt 16
}
hexadecimal! {
    /// A commitment to all seals of a deck (Z26): 64 hexadecimal digits in a record.
    Root 32
}
hexadecimal! {
    /// What a deck is derived from (Z25): 64 hexadecimal digits in a record. Secret until it is there.
    Seed 32
}

/// One of the decks of a side, if decks are derived from seeds (Z25, Z28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// The number of the deck, from 1. A generation of which there was one deck only has the number of the first generation's deck that
    /// was picked.
    pub deck: u32,
    /// The generation, from 1.
    pub generation: u32,
}

/// The place of a seal in the ledger that answers the rules. A game remembers it instead of the seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SealPlace(pub u32);

impl SealPlace {
    /// The number of places: a record has room for no more.
    pub const COUNT: u32 = (1 << 24) - 16;
    /// The place of a seal that nobody keeps.
    pub const NONE: Self = Self(Self::COUNT);
}

/// The faces shown by dice, each from 1.
pub type Faces = smallvec::SmallVec<[u32; 4]>;

/// Answers the questions that rules ask about seals and dice.
pub trait Facts {
    /// Notes a seal that `side` publishes in this entry under `label`. Returns its place, which [`Facts::seal_at`] takes; `None` if
    /// it is in the record already (Z6). What is noted counts only if the whole entry is legal.
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> Option<SealPlace>;

    /// Like [`Facts::publish`], for a seal that is derived from the seed of its side's deck (Z25).
    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> Option<SealPlace> {
        let _ = seeded;
        self.publish(side, label, seal)
    }

    /// Returns the seal at a place; `None` if it is not kept.
    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        let _ = place;
        None
    }

    /// Notes that `side` publishes the roots of the decks of a generation in this entry (Z26).
    fn rooted(&mut self, side: Side, generation: u32) {
        let _ = (side, generation);
    }

    /// Returns whether a seed, with these cards, gives the deck that `root` commits to (Z27).
    fn seed_fits(&mut self, side: Side, deck: Seeded, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        let _ = (side, deck, seed, cards, root);
        false
    }

    /// Returns whether seals are those of the deck that `root` commits to (Z27).
    fn seals_fit(&mut self, side: Side, deck: Seeded, seals: &[Seal], root: &Root) -> bool {
        let _ = (side, deck, seals, root);
        false
    }

    /// Returns whether `nonce` and `payload` give the seal that `side` published under `label` (Z3).
    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool;

    /// The same for the seal at a place.
    fn opens_at(&mut self, side: Side, label: &str, payload: &str, place: SealPlace, nonce: &Nonce) -> bool {
        self.seal_at(place).is_some_and(|seal| self.opens(side, label, payload, &seal, nonce))
    }

    /// Returns the faces that one side's nonce and the other's salt give for dice with these numbers of sides, in order
    /// (Z8); fewer faces than dice if nothing is known.
    fn throw(&mut self, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces;
}

/// Knows nothing: for open play, where nothing is hidden, and for listing and counting legal entries.
#[derive(Clone, Copy, Debug)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> Option<SealPlace> {
        Some(SealPlace::NONE)
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        false
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

/// Accepts every seal and every opening as valid: for an entry that is known to be legal, or one for which the owner's
/// own program only has to find out what is missing.
#[derive(Clone, Copy, Debug)]
pub struct Trusting;

impl Facts for Trusting {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> Option<SealPlace> {
        Some(SealPlace::NONE)
    }

    fn opens_at(&mut self, _: Side, _: &str, _: &str, _: SealPlace, _: &Nonce) -> bool {
        true
    }

    fn seed_fits(&mut self, _: Side, _: Seeded, _: &Seed, _: &[&str], _: &Root) -> bool {
        true
    }

    fn seals_fit(&mut self, _: Side, _: Seeded, _: &[Seal], _: &Root) -> bool {
        true
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        true
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

/// An entry of the side that is due, as a game with seals is asked to judge it.
pub struct Turn<'a, A> {
    /// The game's own actions.
    pub actions: &'a [A],
    /// Whether it also offers a draw.
    pub offers: bool,
    /// Answers what the rules cannot know.
    pub facts: &'a mut dyn Facts,
}

/// A part that cannot be sealed or opened because its owner's secret is not available; contains what that means, in
/// words for the player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// Holds the secret of the side that is due, and makes from it what an entry needs.
pub trait Keeper {
    /// Seals a payload under a label (Z1).
    ///
    /// # Errors
    /// If there is no secret and none can be created.
    fn seal(&mut self, label: &str, payload: &str) -> Result<Seal, Lost>;

    /// Returns what opens the side's own seal under a label (Z2), after checking that it does.
    ///
    /// # Errors
    /// If there is no secret, or it is not the one that was used for sealing.
    fn open(&mut self, label: &str, payload: &str, seal: &Seal) -> Result<Nonce, Lost>;

    /// Finds out what the side sealed under a label: tries all payloads with which `payloads` calls its argument, until
    /// the argument returns true. Returns the payload and what opens the seal.
    ///
    /// # Errors
    /// If there is no secret, or none of the payloads was sealed with it.
    fn recall(&mut self, label: &str, seal: &Seal, payloads: &Payloads<'_>) -> Result<(String, Nonce), Lost>;

    /// Returns the seal at a place in the record; `None` if the record has none there.
    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        let _ = place;
        None
    }

    /// Returns a uniformly distributed number below `bound` from the system's source of randomness, for shuffles and
    /// deals; 0 if `bound` is 0.
    ///
    /// # Errors
    /// If the system has no source of randomness.
    fn below(&mut self, bound: u32) -> Result<u32, Lost>;

    /// Makes a deck from these cards, one of several, and returns its root (Z26).
    ///
    /// # Errors
    /// If there is no secret and none can be created.
    fn root(&mut self, deck: Seeded, cards: &[&str]) -> Result<Root, Lost> {
        let _ = (deck, cards);
        Err(no_decks())
    }

    /// Returns the seed of a deck, one of several, after checking that it gives the root in the record (Z27).
    ///
    /// # Errors
    /// If there is no secret, or it is not the one that deck was made with.
    fn seed(&mut self, deck: Seeded, cards: &[&str], root: &Root) -> Result<Seed, Lost> {
        let _ = (deck, cards, root);
        Err(no_decks())
    }

    /// Seals these cards in the order given by the seed of a deck (Z25, Z28).
    ///
    /// # Errors
    /// If there is no secret.
    fn deck(&mut self, seeded: Seeded, cards: &[&str]) -> Result<Vec<Seal>, Lost> {
        let _ = (seeded, cards);
        Err(no_decks())
    }

    /// Returns a fresh salt (Z7).
    ///
    /// # Errors
    /// If the system has no source of randomness.
    fn salt(&mut self) -> Result<Salt, Lost>;
}

/// The error of a keeper that is asked for decks in a game without any.
fn no_decks() -> Lost {
    Lost("there are no decks here".into())
}

/// Calls its argument with one payload after another, until the argument returns true or there are no more.
pub type Payloads<'a> = dyn Fn(&mut dyn FnMut(&str) -> bool) + 'a;
