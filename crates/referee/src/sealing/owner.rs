//! Sealing, opening and recalling seals with a secret.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::chain::Digest;
use super::decks::{self, Rooted};
use super::keys::{PublicKey, Signature};
use super::ledger::{Origin, Seals};
use super::seals::{self, Secret, Spot, sealed_thing};
use postrider_kernel::advice::Advice;
use postrider_kernel::{Keeper, Lost, Nonce, Payloads, Root, Salt, Seal, SealPlace, Seed, Seeded, Side};

/// The bytes from which on what is sealed is remembered: there are too many texts of this length that may have been sealed to search
/// for the right one each time somebody looks. A die's or a token's seal is searched for in no time.
const REMEMBERED: usize = 24;

/// An entry that is to be signed.
#[derive(Clone, Copy, Debug)]
pub struct Unsigned<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The name of the side that makes it.
    pub side: &'static str,
    /// Its number.
    pub number: u32,
    /// The digest of the chain including the entry.
    pub digest: &'a Digest,
    /// Its canonical line, without a line end.
    pub line: &'a str,
}

/// Why an entry is not signed, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NotSigned {
    /// The reason.
    pub why: String,
    /// What to do.
    pub hint: Advice,
}

/// The source of secrets, random numbers and signatures.
pub trait KeyStore {
    /// Returns the secret of the side that is to make the entry. With `make`, one is created if there is none yet.
    ///
    /// # Errors
    /// Why there is none and none can be created, or why it cannot be used.
    fn secret(&mut self, make: bool) -> Result<Option<Secret>, Lost>;

    /// Returns whether a side commits to its secret with its first entry (Z20). A source of fixed secrets, for tests,
    /// need not.
    fn commits(&self) -> bool {
        false
    }

    /// Remembers what a seal of this side was made of, if that can be kept as safe as the secret.
    fn remember(&mut self, seal: &Seal, payload: &str) {
        let _ = (seal, payload);
    }

    /// Returns what is remembered of a seal of this side. It need not be true.
    fn remembered(&mut self, seal: &Seal) -> Option<String> {
        let _ = seal;
        None
    }

    /// Returns 16 bytes from the system's random source.
    ///
    /// # Errors
    /// If it has none.
    fn random(&mut self) -> Result<[u8; 16], Lost>;

    /// Returns the key to sign an entry with: `declared`, if the side has one in the record; otherwise the one that the
    /// player declares with this first entry of the side, if any.
    ///
    /// # Errors
    /// If the secret half of the declared key is not available.
    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        match declared {
            None => Ok(None),
            Some(key) => Err(NotSigned {
                why: format!("no keys are kept here, so the key {} is missing", key.fingerprint()),
                hint: "make the entry where the key is".into(),
            }),
        }
    }

    /// Signs an entry with that key; `None` if the entry is only being tried.
    ///
    /// # Errors
    /// If it must not be signed, because another entry was signed for the same turn.
    fn sign(&mut self, entry: &Unsigned<'_>) -> Result<Option<Signature>, NotSigned> {
        let _ = entry;
        Ok(None)
    }

    /// Returns the canonical line of the entry that was signed for this turn before, once, if another one was refused because of it.
    fn signed_before(&mut self) -> Option<String> {
        None
    }
}

/// What was done for an entry in addition to what its player typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// A payload was sealed under this label.
    Sealed(String),
    /// The seal with this label was opened.
    Opened(String),
    /// The seed behind the root with this label was revealed.
    Shown(String),
    /// A salt was drawn.
    Salted,
    /// Something was chosen at random.
    Chosen,
}

/// What a side's nonces, salts and choices are derived from, besides its secret.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// For a side that has committed to its secret, the spot of the entry being made (Z21, Z22). Otherwise nonces are
    /// derived from labels alone (Z2), and everything else comes from the system's source of randomness.
    pub spot: Option<Spot>,
    /// The seals of the record, which say what each nonce of the side is derived from.
    pub seals: Option<(Side, Seals)>,
    /// Where the roots of the side's decks were published (Z26).
    pub roots: Rooted,
}

impl Ground {
    /// What the nonce of a seal in the record depends on.
    fn origin(&self, seal: &Seal) -> Option<Origin> {
        let (side, seals) = self.seals.as_ref()?;
        seals.origin(*side, seal)
    }
}

/// The owner of a side's secret in one game.
pub struct Owner<'a> {
    game: &'a str,
    side: &'static str,
    source: &'a mut dyn KeyStore,
    ground: Ground,
    /// The same of the seals of decks that were made for the entry.
    made: HashMap<Seal, Origin>,
    /// How many salts have been made for the entry.
    salts: u32,
    /// How many words have been used for choices.
    words: usize,
    /// What was done, in order.
    pub done: Vec<Done>,
}

impl<'a> Owner<'a> {
    /// Makes the owner of a side's secret; `side` is the side's name, `game` the game's id.
    pub fn new(game: &'a str, side: &'static str, source: &'a mut dyn KeyStore, ground: Ground) -> Self {
        Self { game, side, source, ground, made: HashMap::new(), salts: 0, words: 0, done: Vec::new() }
    }

    /// The nonce for a label: of a seal in the record, or of one that is being made.
    fn nonce(&self, secret: &Secret, label: &str, seal: Option<&Seal>) -> Nonce {
        let origin = seal.and_then(|seal| self.made.get(seal).copied().or_else(|| self.ground.origin(seal)));
        let before = origin.and_then(|origin| origin.before);
        if let Some(seeded) = origin.and_then(|origin| origin.seeded) {
            return decks::nonce(&self.seed_of(secret, seeded, before), self.game, self.side, label);
        }
        match self.spot_at(before) {
            None => secret.nonce(self.game, self.side, label),
            Some(spot) => secret.nonce_at(self.game, self.side, label, &spot),
        }
    }

    /// The seed of a deck of the side; `before` as in [`Origin`].
    fn seed_of(&self, secret: &Secret, deck: Seeded, before: Option<Digest>) -> Seed {
        self.ground.roots.seed(secret, (self.game, self.side), deck, before, &|before| self.spot_at(before))
    }

    /// The spot of an entry of a side that has committed to its secret: of the one with this digest before it,
    /// otherwise of the current one.
    fn spot_at(&self, before: Option<Digest>) -> Option<Spot> {
        self.ground.spot.map(|spot| Spot { before: before.unwrap_or(spot.before), ..spot })
    }

    /// Returns the secret, which is created if there is none.
    fn made(&mut self) -> Result<Secret, Lost> {
        self.source.secret(true)?.ok_or_else(|| Lost(format!("there is no secret of {} here", self.side)))
    }

    /// Returns the secret, which must exist, to open what was sealed with it.
    fn needed(&mut self, label: &str) -> Result<Secret, Lost> {
        self.source.secret(false)?.ok_or_else(|| {
            Lost(format!(
                "the secret of {} in {} is not kept here, so {} cannot be opened: without it that side can only resign, or \
                 lose on time",
                self.side,
                self.game,
                sealed_thing(label)
            ))
        })
    }

    fn another(&self, label: &str) -> Lost {
        Lost(format!(
            "{} was not sealed with the secret of {} that is kept here, so it cannot be opened: without the right one that \
             side can only resign, or lose on time",
            sealed_thing(label),
            self.side
        ))
    }
}

impl Keeper for Owner<'_> {
    fn seal(&mut self, label: &str, payload: &str) -> Result<Seal, Lost> {
        let Some(secret) = self.source.secret(true)? else { return Err(self.another(label)) };
        let nonce = self.nonce(&secret, label, None);
        self.done.push(Done::Sealed(label.to_owned()));
        let seal = seals::seal(self.game, self.side, label, payload, &nonce);
        if payload.len() >= REMEMBERED {
            self.source.remember(&seal, payload);
        }
        Ok(seal)
    }

    fn open(&mut self, label: &str, payload: &str, seal: &Seal) -> Result<Nonce, Lost> {
        let secret = self.needed(label)?;
        let nonce = self.nonce(&secret, label, Some(seal));
        if seals::seal(self.game, self.side, label, payload, &nonce) != *seal {
            return Err(self.another(label));
        }
        self.done.push(Done::Opened(label.to_owned()));
        Ok(nonce)
    }

    fn recall(&mut self, label: &str, seal: &Seal, payloads: &Payloads<'_>) -> Result<(String, Nonce), Lost> {
        let secret = self.needed(label)?;
        let nonce = self.nonce(&secret, label, Some(seal));
        let fits = |payload: &String| seals::seal(self.game, self.side, label, payload, &nonce) == *seal;
        let remembered = self.source.remembered(seal).filter(fits);
        match remembered.or_else(|| recall(self.game, self.side, label, seal, &nonce, payloads)) {
            Some(payload) => {
                if payload.len() >= REMEMBERED {
                    self.source.remember(seal, &payload);
                }
                self.done.push(Done::Opened(label.to_owned()));
                Ok((payload, nonce))
            }
            None => Err(self.another(label)),
        }
    }

    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        self.ground.seals.as_ref().and_then(|(_, seals)| seals.at(place))
    }

    fn below(&mut self, bound: u32) -> Result<u32, Lost> {
        if self.done.last() != Some(&Done::Chosen) {
            self.done.push(Done::Chosen);
        }
        if let Some(spot) = self.ground.spot {
            let secret = self.made()?;
            let mut words = secret.words_at(self.game, self.side, &spot).skip(self.words);
            let mut taken = 0;
            let face = words.find_map(|word| {
                taken += 1;
                seals::face(word, bound.max(1))
            });
            self.words += taken;
            return Ok(face.map_or(0, |face| face - 1));
        }
        loop {
            let bytes = self.source.random()?;
            let (words, _) = bytes.as_chunks::<4>();
            if let Some(face) = words.iter().find_map(|word| seals::face(u32::from_le_bytes(*word), bound.max(1))) {
                return Ok(face - 1);
            }
        }
    }

    fn root(&mut self, deck: Seeded, cards: &[&str]) -> Result<Root, Lost> {
        let secret = self.made()?;
        let (game, side) = (self.game, self.side);
        // The entry in hand is the one with the roots.
        let seed = decks::seed(&secret, game, side, deck, self.ground.spot.as_ref());
        self.done.push(Done::Sealed(decks::root_label(deck)));
        Ok(decks::root(game, side, deck, &decks::seals(&seed, game, side, deck.generation, cards)))
    }

    fn seed(&mut self, deck: Seeded, cards: &[&str], root: &Root) -> Result<Seed, Lost> {
        let label = decks::root_label(deck);
        let secret = self.needed(&label)?;
        let (game, side) = (self.game, self.side);
        let seed = self.seed_of(&secret, deck, None);
        if decks::root(game, side, deck, &decks::seals(&seed, game, side, deck.generation, cards)) != *root {
            return Err(self.another(&label));
        }
        self.done.push(Done::Shown(label));
        Ok(seed)
    }

    fn deck(&mut self, seeded: Seeded, cards: &[&str]) -> Result<Vec<Seal>, Lost> {
        let secret = self.needed(&format!("deck.{}", seeded.generation))?;
        let seed = self.seed_of(&secret, seeded, None);
        let seals = decks::seals(&seed, self.game, self.side, seeded.generation, cards);
        for (seal, place) in seals.iter().zip(1u32..) {
            self.done.push(Done::Sealed(format!("deck.{}.{place}", seeded.generation)));
            // A card may be opened in the same entry that seals it.
            self.made.insert(*seal, Origin { before: None, seeded: Some(seeded) });
        }
        Ok(seals)
    }

    fn salt(&mut self) -> Result<Salt, Lost> {
        self.done.push(Done::Salted);
        if let Some(spot) = self.ground.spot {
            let secret = self.made()?;
            self.salts += 1;
            return Ok(secret.salt_at(self.game, self.side, self.salts - 1, &spot));
        }
        self.source.random().map(Salt)
    }
}

/// Finds out which of the payloads enumerated by `payloads` was sealed.
pub fn recall(
    game: &str,
    side: &str,
    label: &str,
    seal: &Seal,
    nonce: &Nonce,
    payloads: &Payloads<'_>,
) -> Option<String> {
    // There may be a million payloads, so what they share is hashed and written only once.
    let head = Sha256::new_with_prefix(seals::seal_text_head(game, side, label));
    let tail = format!("|{nonce}");
    let mut found = None;
    payloads(&mut |payload| {
        let hash = head.clone().chain_update(payload).chain_update(&tail);
        let fits = Seal(hash.finalize().into()) == *seal;
        if fits {
            found = Some(payload.to_owned());
        }
        fits
    });
    found
}
