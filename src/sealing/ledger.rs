//! The seals of one record: which were published, which were opened and with what, and what was thrown.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::memchr;

use super::annals::Annals;
use super::chain::Digest;
use super::decks;
use super::follower::{Follower, Noted};
use super::seals::{self, Commitment, Secret, Spot};
use crate::games::kernel::{Faces, Facts, Log, NoFacts, Nonce, Root, Salt, Seal, SealPlace, Seed, Seeded, Side};

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
    /// The digest of the chain before each side's entry with the roots of its decks, if there is one and the chain is
    /// followed.
    roots: [Option<Digest>; 2],
    fresh: Fresh,
}

/// Where each seal of a record is, in the list of seals or in the text. Anybody can write seals, so their own bytes would not do as a
/// hash.
#[derive(Clone, Debug, Default)]
struct Places {
    table: Arc<HashTable<u32>>,
    hashing: RandomState,
    /// Those of the entry in hand, with their hashes.
    fresh: Vec<(u64, u32)>,
}

impl Places {
    /// Adds the place of a seal of the entry in hand; false if the seal is there already. `seal_at` finds the others.
    fn add(&mut self, seal: &Seal, place: u32, seal_at: impl Fn(u32) -> Option<Seal>) -> bool {
        let Self { table, hashing, fresh } = self;
        let hash = hashing.hash_one(seal);
        let same = |other: &u32| seal_at(*other).is_some_and(|other| other == *seal);
        let hash_of = |other: &u32| seal_at(*other).map_or(0, |other| hashing.hash_one(other));
        let Entry::Vacant(free) = Arc::make_mut(table).entry(hash, same, hash_of) else { return false };
        free.insert(place);
        fresh.push((hash, place));
        true
    }

    fn find(&self, seal: &Seal, seal_at: impl Fn(u32) -> Option<Seal>) -> Option<u32> {
        let same = |place: &u32| seal_at(*place).is_some_and(|other| other == *seal);
        self.table.find(self.hashing.hash_one(seal), same).copied()
    }

    /// Keeps those of the entry in hand, and returns how many they are.
    fn keep(&mut self) -> usize {
        let count = self.fresh.len();
        self.fresh.clear();
        count
    }

    /// Forgets those of the entry in hand.
    fn forget(&mut self) {
        for (hash, place) in self.fresh.drain(..) {
            if let Ok(found) = Arc::make_mut(&mut self.table).find_entry(hash, |other| *other == place) {
                found.remove();
            }
        }
    }
}

/// What the entry in hand adds, beside the seals that it publishes.
#[derive(Clone, Debug, Default)]
struct Fresh {
    /// How many seals it opens.
    opens: usize,
    /// Those, by the place of the seal, unless little is kept.
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
            brief: None,
            published: Annals::default(),
            kept: 0,
            places: Places::default(),
            opened: Annals::default(),
            befores: Log::default(),
            seeded: Vec::new(),
            thrown: Log::default(),
            commitments: [None; 2],
            roots: [None; 2],
            fresh: Fresh::default(),
        }
    }

    /// Keeps from here on, the start of the record, only what is needed for this, in a small part of the memory. Seals are then not
    /// listed.
    pub fn be_brief(&mut self, brief: Brief) {
        self.brief = Some(brief);
        if self.asks_if_new() {
            // Most records have fewer seals, and a table that grows reads those that it has again.
            self.places.table = Arc::new(HashTable::with_capacity(112));
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

    /// Answers rules about an entry whose actions begin at `start` in a text: necessary where little is kept.
    pub(crate) fn in_text<'a>(&'a mut self, text: Text<'a>, start: usize) -> InText<'a> {
        InText { seals: self, text, next: start }
    }

    /// Returns the seal at a place; `None` if it is not kept.
    fn at(&self, SealPlace(place): SealPlace) -> Option<Seal> {
        self.published.get(place as usize).map(|(kept, _)| kept.seal)
    }

    /// Returns the seal at a place of the record with this text; `None` if there is none.
    #[must_use]
    pub fn seal_in(&self, record: &str, place: SealPlace) -> Option<Seal> {
        if self.is_brief() { seal_in(Text::of(record), place.0) } else { self.at(place) }
    }

    /// Returns the place of a seal of the record with this text, where little is kept.
    pub(super) fn place_in(&self, record: &str, seal: &Seal) -> Option<SealPlace> {
        self.places.find(seal, |place| seal_in(Text::of(record), place)).map(SealPlace)
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
        if let Some(roots) = rooted.take().and_then(|side| self.roots.get_mut(side.index())) {
            *roots = before;
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
        self.places.find(seal, |place| self.at(SealPlace(place)))
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

/// A record, and the line of an entry that is not in it yet but stands at its end: what the places of seals are places in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    record: &'a str,
    line: &'a str,
}

impl<'a> Text<'a> {
    /// The text of a record.
    pub(crate) const fn of(record: &'a str) -> Self {
        Self { record, line: "" }
    }

    /// The text of a record that is continued by a line.
    pub(crate) const fn continued(record: &'a str, line: &'a str) -> Self {
        Self { record, line }
    }

    /// Where the line begins.
    pub(crate) fn line_start(self) -> usize {
        self.record.len() + usize::from(!self.record.ends_with('\n'))
    }

    /// The bytes from a place on; of the record, up to its end.
    fn from(self, place: usize) -> &'a [u8] {
        match self.record.as_bytes().get(place..) {
            Some(rest) if !rest.is_empty() => rest,
            _ => place.checked_sub(self.line_start()).and_then(|at| self.line.as_bytes().get(at..)).unwrap_or_default(),
        }
    }
}

/// Seals that are not kept but found in the text of the record again: their places are where their digits begin.
pub(crate) struct InText<'a> {
    seals: &'a mut Seals,
    text: Text<'a>,
    /// Where the next seal of the entry is looked for.
    next: usize,
}

/// Whoever answers the questions of rules about an entry of a record.
pub(crate) enum Answers<'a> {
    InText(InText<'a>),
    Kept(&'a mut Seals),
    /// There are no seals.
    Nobody(NoFacts),
}

impl<'a> Answers<'a> {
    /// `start` is where the actions of the entry begin in the text.
    #[inline]
    pub(crate) fn of(seals: Option<&'a mut Seals>, text: Text<'a>, start: usize) -> Self {
        match seals {
            Some(seals) if seals.is_brief() => Self::InText(seals.in_text(text, start)),
            Some(seals) => Self::Kept(seals),
            None => Self::Nobody(NoFacts),
        }
    }

    /// Those about an entry that is not in the record yet, but stands at its end with this line.
    #[inline(never)]
    pub(crate) fn behind(seals: Option<&'a mut Seals>, record: &'a str, line: &'a str) -> Self {
        let text = Text::continued(record, line);
        Self::of(seals, text, text.line_start())
    }

    #[inline]
    pub(crate) fn facts(&mut self) -> &mut dyn Facts {
        match self {
            Self::InText(facts) => facts,
            Self::Kept(seals) => *seals,
            Self::Nobody(nobody) => nobody,
        }
    }
}

/// What is before the digits of a seal, and how many they are.
const BEFORE_SEAL: &[u8] = b"seal:";
const DIGITS: usize = 64;

/// Reads the seal whose digits begin at a place of a text.
fn seal_in(text: Text<'_>, place: u32) -> Option<Seal> {
    let digits = text.from(place as usize).first_chunk::<DIGITS>()?;
    let mut seal = Seal([0; 32]);
    HEXLOWER.decode_mut(digits, &mut seal.0).ok()?;
    Some(seal)
}

/// Whether a text begins with the digits of a seal: a comparison takes half as long as reading them.
fn is_written(seal: &Seal, text: &[u8]) -> bool {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| HEX[usize::from(nibble & 15)];
    let same = |(pair, byte): (&[u8; 2], u8)| *pair == [digit(byte >> 4), digit(byte)];
    text.first_chunk::<DIGITS>().is_some_and(|digits| digits.as_chunks::<2>().0.iter().zip(seal.0).all(same))
}

impl InText<'_> {
    /// Where a seal of the entry is. Rules note them in the order in which they are written.
    fn find(&mut self, seal: &Seal) -> Option<u32> {
        loop {
            let colon = self.next + memchr(b':', self.text.from(self.next))?;
            self.next = colon + 1;
            let before = (self.next).checked_sub(BEFORE_SEAL.len())?;
            let place = u32::try_from(self.next).ok()?;
            let is_seal = self.text.from(before).starts_with(BEFORE_SEAL);
            if is_seal && is_written(seal, self.text.from(self.next)) {
                self.next += DIGITS;
                return Some(place);
            }
        }
    }

    fn note(&mut self, side: Side, label: &str, seal: &Seal, seeded: Option<Seeded>) -> Option<SealPlace> {
        let place = self.find(seal)?;
        let Self { seals, text, .. } = self;
        if seals.asks_if_new() && !seals.places.add(seal, place, |place| seal_in(*text, place)) {
            return None;
        }
        let place = SealPlace(place);
        if let Some(follower) = seals.follower_mut() {
            follower.published(Noted { side, label, seal, place, seeded });
        }
        Some(place)
    }
}

impl Facts for InText<'_> {
    fn publish(&mut self, side: Side, label: &str, seal: &Seal) -> Option<SealPlace> {
        self.note(side, label, seal, None)
    }

    fn publish_of_deck(&mut self, side: Side, label: &str, seal: &Seal, seeded: Seeded) -> Option<SealPlace> {
        self.note(side, label, seal, Some(seeded))
    }

    fn seal_at(&self, SealPlace(place): SealPlace) -> Option<Seal> {
        seal_in(self.text, place)
    }

    fn rooted(&mut self, side: Side) {
        self.seals.rooted(side);
    }

    fn seed_fits(&mut self, side: Side, number: u32, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        self.seals.seed_fits(side, number, seed, cards, root)
    }

    fn seals_fit(&mut self, side: Side, number: u32, seals: &[Seal], root: &Root) -> bool {
        self.seals.seals_fit(side, number, seals, root)
    }

    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool {
        self.seals.opens(side, label, payload, seal, nonce)
    }

    fn throw(&mut self, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces {
        self.seals.throw(label, nonce, salt, dice)
    }
}

#[cfg(test)]
mod tests {
    use super::super::follower::{Newest, Origins};
    use super::*;

    #[test]
    fn z6_seals_are_found_in_the_text_again() {
        let seal = |nth: u32| Seal(std::array::from_fn(|at| (nth >> (8 * (at % 4))) as u8));
        let entry = |nth: u32| format!("{nth} white +a1 seal:{}\n", seal(nth));
        let text: String = (0..900).map(entry).collect();
        let mut seals = Seals::new("game", ["white", "black"]);
        seals.be_brief(Brief::default());
        let mut places = Vec::new();
        for (start, nth) in text.match_indices("white").map(|(start, _)| start).zip(0..) {
            let mut facts = seals.in_text(Text::of(&text), start);
            let place = facts.publish(Side::First, "token.1", &seal(nth)).expect("a new one");
            assert_eq!(facts.seal_at(place), Some(seal(nth)));
            places.push(place);
            match nth % 3 {
                0 => seals.forget(),
                _ => assert_eq!(seals.keep(nth, None), NOTED as u64),
            }
        }
        for (nth, place) in (0..).zip(places) {
            let mut facts = seals.in_text(Text::of(&text), place.0 as usize - BEFORE_SEAL.len());
            assert_eq!(facts.seal_at(place), Some(seal(nth)));
            assert_eq!(facts.publish(Side::First, "token.1", &seal(nth)).is_some(), nth % 3 == 0, "{nth}");
            seals.forget();
        }
        assert_eq!((seals.count(), seals.published().len()), (600, 0));
    }

    #[test]
    fn z6_the_line_of_an_entry_continues_the_text() {
        let [one, two, other] = [1, 2, 3].map(|byte| Seal([byte; 32]));
        for end in ["", "\n"] {
            let record = format!("1 white +a1 seal:{one}{end}");
            let line = format!("2 black a1 seal:{two}; seal:{other}");
            let text = Text::continued(&record, &line);
            let mut seals = Seals::new("game", ["white", "black"]);
            seals.be_brief(Brief::default());
            let mut facts = seals.in_text(text, text.line_start());
            let places = [two, other].map(|seal| facts.publish(Side::Second, "token.2", &seal).expect("a new one"));
            assert_eq!(places.map(|place| facts.seal_at(place)), [Some(two), Some(other)]);
            seals.keep(2, None);
            // The places are those that they have once the line is in the record.
            let whole = format!("{}\n{line}\n", record.trim_end());
            assert_eq!(places.map(|place| seals.seal_in(&whole, place)), [Some(two), Some(other)]);
            assert_eq!(seals.seal_in(&record, places[0]), None);
            let mut facts = seals.in_text(Text::continued(&whole, "3"), 0);
            assert!(facts.publish(Side::First, "token.3", &one).is_some());
            assert!(facts.publish(Side::First, "token.3", &two).is_none());
        }
    }

    /// A record of sealed tokens, of which some are opened, kept in some way.
    fn kept(brief: Option<Brief>, entries: u32) -> (String, Seals) {
        let nonce = Nonce([5; 16]);
        let mut seals = Seals::new("game", ["white", "black"]);
        brief.into_iter().for_each(|brief| seals.be_brief(brief));
        seals.commit(Side::Second, Commitment([1; 32]));
        let made = |entry: u32| {
            let (side, word) = if entry.is_multiple_of(2) { (Side::Second, "black") } else { (Side::First, "white") };
            let label = format!("token.{entry}");
            let seal = seals::seal("game", word, &label, "spy", &nonce);
            (side, label, seal)
        };
        let line = |entry: u32| format!("{entry} +a1 seal:{}\n", made(entry).2);
        let text: String = (1..=entries).map(line).collect();
        for (entry, (start, _)) in (1..=entries).zip(text.match_indices('+')) {
            let (side, label, seal) = made(entry);
            let seeded = entry.is_multiple_of(5).then_some(Seeded { deck: 3, generation: entry });
            let mut answers = Answers::of(Some(&mut seals), Text::of(&text), start);
            let facts = answers.facts();
            match seeded {
                Some(seeded) => facts.publish_of_deck(side, &label, &seal, seeded),
                None => facts.publish(side, &label, &seal),
            };
            // Every third entry opens what was sealed two entries before.
            if entry > 2 && entry.is_multiple_of(3) {
                let (side, label, seal) = made(entry - 2);
                assert!(facts.opens(side, &label, "spy", &seal, &nonce));
            }
            seals.keep(entry, Some([entry as u8; 32]));
            // What is only tried leaves nothing.
            Answers::of(Some(&mut seals), Text::of(&text), start).facts().publish(side, "token.0", &seal);
            seals.forget();
        }
        (text, seals)
    }

    fn following(follower: impl Follower + 'static) -> Brief {
        Brief { checked: false, follower: Some(Box::new(follower)) }
    }

    #[test]
    fn the_newest_seals_are_as_if_all_were_kept() {
        for entries in [0, 1, 2, 3, 4, 7, 90, 300] {
            let ((_, all), (_, few)) = (kept(None, entries), kept(Some(following(Newest::new(|_, _| None))), entries));
            for side in Side::BOTH {
                assert_eq!(few.newest_closed(side), all.newest_closed(side), "{entries}");
            }
            assert!(few.published().is_empty());
            let opened = format!("token.{}", entries.saturating_sub(2));
            assert_eq!(few.opens_in(entries, &opened), all.opens_in(entries, &opened));
            assert_eq!(few.opens_in(entries, &opened), entries > 2 && entries % 3 == 0);
        }
    }

    #[test]
    fn z21_z25_what_a_nonce_depends_on_is_found_by_the_place_of_the_seal() {
        for side in Side::BOTH {
            let ((text, all), (_, found)) =
                (kept(None, 40), kept(Some(Brief { checked: true, ..following(Origins::of(side)) }), 40));
            let (_, places) = kept(Some(Brief::default()), 40);
            for published in all.published().into_iter().filter(|one| one.side == side) {
                let place = places.place_in(&text, &published.seal).expect("it is there");
                let origin = Origin { before: published.before, seeded: published.seeded };
                assert_eq!(
                    found.follower().and_then(|follower| follower.origin(place)),
                    Some(origin),
                    "{}",
                    published.entry
                );
                assert_eq!(all.origin(side, &published.seal), Some(origin));
            }
            assert_eq!(found.follower().and_then(|follower| follower.origin(SealPlace(0))), None);
        }
    }

    #[test]
    fn z6_a_seal_of_a_refused_entry_has_not_stood() {
        let mut seals = Seals::new("game", ["white", "black"]);
        let [one, other] = [1, 2].map(|byte| Seal([byte; 32]));
        let is_new = |seals: &mut Seals, side, label, seal: &Seal| seals.publish(side, label, seal).is_some();
        assert!(is_new(&mut seals, Side::First, "token.1", &one) && !is_new(&mut seals, Side::First, "token.1", &one));
        seals.forget();
        assert!(seals.published().is_empty() && is_new(&mut seals, Side::Second, "token.1", &one));
        seals.keep(1, None);
        assert!(!is_new(&mut seals, Side::First, "token.2", &one));
        assert!(is_new(&mut seals, Side::First, "token.2", &other));
        assert_eq!(seals.published().len(), 1, "what the entry in hand adds is not among them yet");
        seals.forget();
        assert!(!is_new(&mut seals, Side::First, "token.2", &one));
        assert!(is_new(&mut seals, Side::First, "token.3", &other));
        seals.keep(2, None);
        let published = seals.published();
        let labels: Vec<_> = published.iter().map(|one| (one.label.as_str(), one.entry)).collect();
        assert_eq!(labels, [("token.1", 1), ("token.3", 2)]);
    }

    #[test]
    fn z6_of_a_record_that_was_found_legal_no_places_are_kept() {
        let seal = Seal([7; 32]);
        let text = format!("1 white +a1 seal:{seal}\n2 black +a8 seal:{seal}\n");
        for checked in [false, true] {
            let mut seals = Seals::new("game", ["white", "black"]);
            seals.be_brief(Brief { checked, follower: None });
            let place = seals.in_text(Text::of(&text), 0).publish(Side::First, "token.1", &seal).expect("a new one");
            seals.keep(1, None);
            assert_eq!((place.0 as usize, seals.places.table.len()), (17, usize::from(!checked)));
            let mut facts = seals.in_text(Text::of(&text), text.find("2 black").expect("an entry"));
            assert_eq!(facts.publish(Side::Second, "token.2", &seal).is_some(), checked);
        }
    }

    #[test]
    fn the_newest_closed_seal_of_a_side_is_as_in_the_list() {
        let mut seals = Seals::new("game", ["white", "black"]);
        seals.commit(Side::First, Commitment([1; 32]));
        let nonce = Nonce([5; 16]);
        for nth in 1..=9u8 {
            let side = if nth % 3 == 1 { Side::Second } else { Side::First };
            let label = format!("token.{nth}");
            let seal = seals::seal("game", seals.word(side), &label, "spy", &nonce);
            seals.publish(side, &label, &seal).expect("a new one");
            seals.keep(2 * u32::from(nth) - 1, Some([nth; 32]));
            assert!(nth % 4 != 0 || seals.opens(side, &label, "spy", &seal, &nonce));
            seals.keep(2 * u32::from(nth), None);
            for side in Side::BOTH {
                let list = seals.published();
                let newest = list.into_iter().rfind(|one| one.side == side && one.opened.is_none());
                assert_eq!(seals.newest_closed(side), newest, "{nth}");
            }
        }
    }

    #[test]
    fn z21_the_chain_is_kept_for_the_seals_of_a_side_that_has_committed() {
        let mut seals = Seals::new("game", ["white", "black"]);
        seals.commit(Side::Second, Commitment([1; 32]));
        for nth in 1..=6 {
            let side = if nth % 2 == 1 { Side::First } else { Side::Second };
            seals.publish(side, "token.1", &Seal([nth; 32])).expect("a new one");
            seals.keep(u32::from(nth), Some([nth; 32]));
        }
        assert_eq!(seals.befores.len(), 3);
        for nth in 1..=6 {
            let side = if nth % 2 == 1 { Side::First } else { Side::Second };
            let origin = seals.origin(side, &Seal([nth; 32])).expect("its own");
            assert_eq!(origin.before, (nth % 2 == 0).then_some([nth; 32]));
        }
        let befores: Vec<_> = seals.published().iter().map(|one| one.before.map(|before| before[0])).collect();
        assert_eq!(befores, [None, Some(2), None, Some(4), None, Some(6)]);
    }
}
