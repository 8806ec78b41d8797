//! Seals that are found in the text of the record again, where of each only its place is kept.

use data_encoding::HEXLOWER;
use memchr::memchr;

use super::{Noted, Seals};
use crate::games::kernel::{Faces, Facts, NoFacts, Nonce, Root, Salt, Seal, SealPlace, Seed, Seeded, Side};

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
            Some(seals) if seals.is_brief() => Self::InText(InText::new(seals, text, start)),
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
pub(super) const BEFORE_SEAL: &[u8] = b"seal:";
const DIGITS: usize = 64;

/// Reads the seal whose digits begin at a place of a text.
pub(super) fn seal_in(text: Text<'_>, place: u32) -> Option<Seal> {
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

impl<'a> InText<'a> {
    /// Answers rules about an entry whose actions begin at `start` in a text.
    pub(super) const fn new(seals: &'a mut Seals, text: Text<'a>, start: usize) -> Self {
        Self { seals, text, next: start }
    }

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

    fn rooted(&mut self, side: Side, generation: u32) {
        self.seals.rooted(side, generation);
    }

    fn seed_fits(&mut self, side: Side, deck: Seeded, seed: &Seed, cards: &[&str], root: &Root) -> bool {
        self.seals.seed_fits(side, deck, seed, cards, root)
    }

    fn seals_fit(&mut self, side: Side, deck: Seeded, seals: &[Seal], root: &Root) -> bool {
        self.seals.seals_fit(side, deck, seals, root)
    }

    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool {
        self.seals.opens(side, label, payload, seal, nonce)
    }

    fn throw(&mut self, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces {
        self.seals.throw(label, nonce, salt, dice)
    }
}
