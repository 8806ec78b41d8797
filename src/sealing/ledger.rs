//! The seals of one record: which were published, which were opened and with what, and what was thrown.

mod in_text;
mod places;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub(crate) use in_text::{Answers, Text};
use places::Places;

use super::annals::Annals;
use super::chain::Digest;
use super::decks::{self, Rooted};
use super::follower::{Follower, Noted};
use super::seals::{self, Commitment, Secret, Spot};
use crate::games::kernel::{Faces, Facts, Log, Nonce, Root, Salt, Seal, SealPlace, Seed, Seeded, Side};

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

/// What of the seals of a record is kept, where that is only little: their places in the text.
#[derive(Debug, Default)]
pub struct Brief {
    /// Whether not even that is, because the record was found legal before, so that nobody asks whether its seals are new (Z6).
    pub checked: bool,
    /// Who follows the seals besides, if anybody.
    pub follower: Option<Box<dyn Follower>>,
}

impl Brief {
    /// Of a record that was found legal before.
    #[must_use]
    pub const fn checked() -> Self {
        Self { checked: true, follower: None }
    }
}

impl Clone for Brief {
    fn clone(&self) -> Self {
        Self { checked: self.checked, follower: self.follower.as_ref().map(|follower| follower.copy()) }
    }
}

/// All seals and throws of a record. It answers the questions that rules ask. What an entry adds counts once the whole
/// entry is found legal.
#[derive(Clone, Debug)]
pub struct Seals {
    game: String,
    sides: [&'static str; 2],
    /// If of seals and openings little is kept but where the seals are in the text.
    brief: Option<Brief>,
    /// With those of the entry in hand, which stand behind `kept` others.
    published: Annals<Kept>,
    kept: usize,
    places: Places,
    opened: Annals<Opened>,
    /// Where the chain is followed, its digest before each entry with seals of a side that has committed to its secret.
    befores: Log<(u32, Digest)>,
    seeded: Vec<Seeded>,
    thrown: Log<Thrown>,
    commitments: [Option<Commitment>; 2],
    /// Where each side published the roots of its decks.
    roots: [Rooted; 2],
    fresh: Fresh,
}

/// What the entry in hand adds, beside the seals that it publishes.
#[derive(Clone, Debug, Default)]
struct Fresh {
    /// How many seals it opens.
    opens: usize,
    /// Those, by the place of the seal, unless little is kept.
    opened: Vec<(Option<u32>, String, Nonce)>,
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
        Self {
            game: game.to_owned(),
            sides,
            brief: None,
            published: Annals::default(),
            kept: 0,
            places: Places::default(),
            opened: Annals::default(),
            befores: Log::default(),
            seeded: Vec::new(),
            thrown: Log::default(),
            commitments: [None; 2],
            roots: [Rooted::default(), Rooted::default()],
            fresh: Fresh::default(),
        }
    }

    /// Keeps from here on, the start of the record, only what is needed for this, in a small part of the memory. Seals are then not
    /// listed.
    pub fn be_brief(&mut self, brief: Brief) {
        self.brief = Some(brief);
        if self.asks_if_new() {
            // Most records have fewer seals, and a table that grows reads those that it has again.
            self.places = Places::with_capacity(112);
        }
    }

    /// Returns whether only little is kept.
    #[must_use]
    pub const fn is_brief(&self) -> bool {
        self.brief.is_some()
    }

    /// Returns who follows the seals of which little is kept.
    #[must_use]
    pub fn follower(&self) -> Option<&dyn Follower> {
        self.brief.as_ref()?.follower.as_deref()
    }

    fn follower_mut(&mut self) -> Option<&mut (dyn Follower + 'static)> {
        self.brief.as_mut()?.follower.as_deref_mut()
    }

    /// Whether it is judged here if seals are new (Z6).
    fn asks_if_new(&self) -> bool {
        self.brief.as_ref().is_none_or(|brief| !brief.checked)
    }

    /// Returns the seal at a place; `None` if it is not kept.
    fn at(&self, SealPlace(place): SealPlace) -> Option<Seal> {
        self.published.get(place as usize).map(|(kept, _)| kept.seal)
    }

    /// Returns the seal at a place of the record with this text; `None` if there is none.
    #[must_use]
    pub fn seal_in(&self, record: &str, place: SealPlace) -> Option<Seal> {
        if self.is_brief() { in_text::seal_in(Text::of(record), place.0) } else { self.at(place) }
    }

    /// Returns the place of a seal of the record with this text, where little is kept.
    pub(super) fn place_in(&self, record: &str, seal: &Seal) -> Option<SealPlace> {
        self.places.find(seal, |place| in_text::seal_in(Text::of(record), place)).map(SealPlace)
    }

    /// Forgets what the entry in hand would have added: it was refused, or is only being tried.
    pub fn forget(&mut self) {
        self.places.forget();
        self.published.truncate(self.kept);
        self.fresh = Fresh::default();
        if let Some(follower) = self.follower_mut() {
            follower.forget();
        }
    }

    /// Keeps what the entry in hand adds: it is legal, the one of this number. `before`: the chain's digest before it, where that is
    /// followed. Returns the steps that the seals took.
    pub fn keep(&mut self, entry: u32, before: Option<Digest>) -> u64 {
        let Fresh { opens, opened, thrown, rooted, grown } = &mut self.fresh;
        let count = self.places.keep();
        let steps = NOTED * count + HASHED * *opens + 2 * HASHED * thrown.len() + GROWN * *grown;
        for place in self.kept..self.published.len() {
            if let Some(one) = self.published.get_mut(place) {
                one.entry = entry;
            }
        }
        // The nonces of others do not depend on it.
        let side = self.published.get(self.kept).map(|(one, _)| one.side.index());
        let commitment = side.and_then(|side| self.commitments.get(side).copied().flatten());
        if let (Some(before), Some(_)) = (before, commitment) {
            self.befores.push((entry, before));
        }
        for (place, payload, nonce) in opened.drain(..) {
            if let Some(place) = place {
                self.opened.push(Opened { place, entry, nonce }, &payload);
            }
        }
        thrown.drain(..).for_each(|one| self.thrown.push(Thrown { entry, ..one }));
        if let Some((side, generation)) = rooted.take()
            && let Some(roots) = self.roots.get_mut(side.index())
        {
            roots.add(generation, before);
        }
        (*opens, *grown) = (0, 0);
        self.kept += count;
        let committed = self.commitments.each_ref().map(Option::is_some);
        if let Some(follower) = self.follower_mut() {
            follower.keep(entry, before, committed);
        }
        steps as u64
    }

    /// Stores a side's commitment to its secret (Z20), before the entry that makes it is kept.
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
        let low = self.befores.partition_point(|(entry, _)| *entry < kept.entry);
        let before = self.befores.get(low).filter(|(entry, _)| *entry == kept.entry).map(|(_, before)| *before);
        Some(Origin { before, seeded: self.deck_of(kept) })
    }

    /// The place of a seal.
    fn place(&self, seal: &Seal) -> Option<u32> {
        self.places.find(seal, |place| self.at(SealPlace(place)))
    }

    fn deck_of(&self, kept: &Kept) -> Option<Seeded> {
        self.seeded.get((kept.seeded as usize).checked_sub(1)?).copied()
    }

    /// Returns where a side published the roots of its decks (Z26).
    #[must_use]
    pub const fn roots(&self, side: Side) -> &Rooted {
        let [first, second] = &self.roots;
        match side {
            Side::First => first,
            Side::Second => second,
        }
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

    /// Returns the seal that a side published last, of those that are not opened. Where little is kept to make an entry, it may be
    /// missing if the last sixty were opened.
    #[must_use]
    pub fn newest_closed(&self, side: Side) -> Option<Published> {
        if self.is_brief() {
            return self.follower()?.newest_closed(side);
        }
        let opened: HashSet<u32> = self.opened.iter().map(|(opened, _)| opened.place).collect();
        let closed = (0..self.kept as u32).rev().filter(|place| !opened.contains(place));
        let mut seals = closed.filter_map(|place| self.published.get(place as usize));
        let (Kept { seal, entry, .. }, label) = seals.find(|(kept, _)| kept.side == side)?;
        let Origin { before, seeded } = self.origin(side, seal)?;
        Some(Published { side, label: label.to_owned(), seal: *seal, entry: *entry, before, seeded, opened: None })
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

    /// Returns whether an entry opens a seal with this label; where little is kept, only of the newest entry.
    #[must_use]
    pub fn opens_in(&self, entry: u32, label: &str) -> bool {
        if self.is_brief() {
            return self.follower().is_some_and(|follower| follower.opens_in(entry, label));
        }
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
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> Option<SealPlace> {
        let Self { published, places, .. } = self;
        let place = published.len() as u32;
        let seal_at = |place: u32| published.get(place as usize).map(|(kept, _)| kept.seal);
        if !places.add(seal, place, seal_at) {
            return None;
        }
        published.push(Kept { seal: *seal, entry: 0, seeded: 0, side }, label);
        Some(SealPlace(place))
    }

    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        self.at(place)
    }

    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> Option<SealPlace> {
        let place = self.publish(side, label, seal);
        if place.is_some() {
            // The seals of a deck are published together, so it is the last one.
            if self.seeded.last() != Some(&seeded) {
                self.seeded.push(seeded);
            }
            let deck = self.seeded.len() as u32;
            if let Some(kept) = self.published.len().checked_sub(1).and_then(|last| self.published.get_mut(last)) {
                kept.seeded = deck;
            }
        }
        place
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
        if !self.is_brief() {
            let place = self.place(seal);
            self.fresh.opened.push((place, payload.to_owned(), *nonce));
        } else if let Some(follower) = self.follower_mut() {
            follower.opened(label, seal);
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
