//! What rules cannot know by themselves: whether an opening is true of a seal, whether a seal has stood before, which faces a
//! throw shows. Rules never roll and never hash; they ask, and whoever plays the entry answers (`notation/sealing.md`).

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
    /// What opens a seal (Z2, Z3): 32 hexadecimal digits in a record. Secret until it stands there.
    Nonce 16
}
hexadecimal! {
    /// The other side's part in a throw (Z7): 32 hexadecimal digits in a record.
    Salt 16
}
hexadecimal! {
    /// What commits to all seals of a deck (Z26): 64 hexadecimal digits in a record.
    Root 32
}
hexadecimal! {
    /// What a deck follows from (Z25): 64 hexadecimal digits in a record. Secret until it stands there.
    Seed 32
}

/// Which deck of its side a seal is of, where decks follow from seeds (Z25, Z28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// The number of the deck that was picked, from 1.
    pub deck: u32,
    /// The generation, from 1: a deck that is shuffled later has a seed of its own.
    pub generation: u32,
}

/// The faces that dice show, each from 1.
pub type Faces = smallvec::SmallVec<[u32; 4]>;

/// Answers what rules ask of seals and dice.
pub trait Facts {
    /// Takes note of a seal that `side` publishes in this entry under `label`, and returns whether no seal of the record is
    /// the same (Z6). What is noted counts only if the whole entry is legal.
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> bool;

    /// As [`Facts::publish`], of a seal that follows from the seed of its side's deck (Z25).
    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> bool {
        let _ = seeded;
        self.publish(side, label, seal)
    }

    /// Takes note that `side` publishes the roots of its decks in this entry (Z26).
    fn rooted(&mut self, side: Side) {
        let _ = side;
    }

    /// Returns whether a seed gives, of these cards, the deck of this number that `root` commits to (Z27).
    fn seed_fits(&mut self, side: Side, number: u32, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        let _ = (side, number, seed, cards, root);
        false
    }

    /// Returns whether seals are those of the deck of this number that `root` commits to (Z27).
    fn seals_fit(&mut self, side: Side, number: u32, seals: &[Seal], root: &Root) -> bool {
        let _ = (side, number, seals, root);
        false
    }

    /// Returns whether `nonce` and `payload` give the seal that `side` published under `label` (Z3).
    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool;

    /// Returns the faces that follow from one side's nonce and the other's salt for dice with these numbers of sides, in
    /// order (Z8); fewer faces than dice where nothing is known.
    fn throw(&mut self, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces;
}

/// Knows nothing: for open play, where everything stands in clear, and for lists and counts of legal entries.
#[derive(Clone, Copy, Debug)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> bool {
        true
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        false
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

/// Takes every seal and every opening for what it should be: for an entry that is known to be legal, or of which the owner's own
/// program is only to find out what it lacks.
#[derive(Clone, Copy, Debug)]
pub struct Trusting;

impl Facts for Trusting {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> bool {
        true
    }

    fn seed_fits(&mut self, _: Side, _: u32, _: &Seed, _: &[&str], _: &Root) -> bool {
        true
    }

    fn seals_fit(&mut self, _: Side, _: u32, _: &[Seal], _: &Root) -> bool {
        true
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        true
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

/// An entry of the side that is due, as the rules of a game with seals are asked to judge it.
pub struct Turn<'a, A> {
    /// The game's own actions.
    pub actions: &'a [A],
    /// Whether an offer of a draw stands beside them.
    pub offers: bool,
    /// Who answers what the rules cannot know.
    pub facts: &'a mut dyn Facts,
}

/// A part that cannot be sealed or opened, because its owner's secret is not at hand: what that means, in the player's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost(pub String);

/// Holds the secret of the side that is due, and makes of it what an entry needs.
pub trait Keeper {
    /// Seals a payload under a label (Z1).
    ///
    /// # Errors
    /// When there is no secret and none can be made.
    fn seal(&mut self, label: &str, payload: &str) -> Result<Seal, Lost>;

    /// Returns what opens the side's own seal under a label (Z2), having made sure that it does.
    ///
    /// # Errors
    /// When the secret is not there, or is not the one by which this was sealed.
    fn open(&mut self, label: &str, payload: &str, seal: &Seal) -> Result<Nonce, Lost>;

    /// Finds out what the side once sealed under a label, of all the payloads that `payloads` calls its argument with until
    /// that returns true; and returns it with what opens it.
    ///
    /// # Errors
    /// When the secret is not there, or none of the payloads was sealed by it.
    fn recall(&mut self, label: &str, seal: &Seal, payloads: &Payloads<'_>) -> Result<(String, Nonce), Lost>;

    /// Returns a number below `bound`, all alike likely, from the system's random source: for shuffles and deals. Of 0 it is 0.
    ///
    /// # Errors
    /// When the system has no random numbers.
    fn below(&mut self, bound: u32) -> Result<u32, Lost>;

    /// Makes the deck of a number of these cards, and returns its root (Z26).
    ///
    /// # Errors
    /// When there is no secret and none can be made.
    fn root(&mut self, number: u32, cards: &[&str]) -> Result<Root, Lost> {
        let _ = (number, cards);
        Err(no_decks())
    }

    /// Returns the seed of the deck of a number, having made sure that it gives the root that stands in the record (Z27).
    ///
    /// # Errors
    /// When the secret is not there, or is not the one by which that deck was made.
    fn seed(&mut self, number: u32, cards: &[&str], root: &Root) -> Result<Seed, Lost> {
        let _ = (number, cards, root);
        Err(no_decks())
    }

    /// Seals these cards in the order that the seed of a deck gives them (Z25, Z28).
    ///
    /// # Errors
    /// When the secret is not there.
    fn deck(&mut self, seeded: Seeded, cards: &[&str]) -> Result<Vec<Seal>, Lost> {
        let _ = (seeded, cards);
        Err(no_decks())
    }

    /// Returns a fresh salt (Z7).
    ///
    /// # Errors
    /// When the system has no random numbers.
    fn salt(&mut self) -> Result<Salt, Lost>;
}

/// What a keeper says that is asked for decks in a game that has none.
fn no_decks() -> Lost {
    Lost("there are no decks here".into())
}

/// Calls its argument with payloads one after another, until that returns true or there are no more.
pub type Payloads<'a> = dyn Fn(&mut dyn FnMut(&str) -> bool) + 'a;
