//! The cards (M10, M11): what they are, and the lists for both sides.

use std::fmt;

use crate::games::kernel::Side;

/// How many cards a side has (M10).
pub(super) const CARDS: u32 = 30;
/// How many units a side begins with (M15).
pub(super) const UNITS: u32 = 5;

/// The type of a unit, and the type that a weapon hurts (M10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Standard.
    Standard,
    /// Elite.
    Elite,
    /// Colossal.
    Colossal,
}

impl Class {
    /// All types.
    pub(super) const ALL: [Self; 3] = [Class::Standard, Class::Elite, Class::Colossal];

    /// The word for it in lists of cards.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Class::Standard => "standard",
            Class::Elite => "elite",
            Class::Colossal => "colossal",
        }
    }

    /// The type with this word.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The figures on a unit's card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its type.
    pub class: Class,
    /// How much damage destroys it (M33).
    pub defence: u32,
    /// The type of unit that it hurts.
    pub weapon: Class,
    /// Its damage points (M32).
    pub damage: u32,
    /// Whether it cannot stay in buildings (M28).
    pub oversized: bool,
    /// Whether it has a free move each turn (M29).
    pub speed: bool,
    /// Whether it reaches adjacent areas (M32).
    pub ranged: bool,
}

/// The effect of an event (M35).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Damages units of one type, wherever they are.
    Damage {
        /// The type.
        target: Class,
        /// The points to split.
        points: u32,
    },
    /// Removes a unit from the board.
    Trap,
}

/// The two kinds of card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A unit.
    Unit(Unit),
    /// An event.
    Event(Effect),
}

/// A card in a list, and how many copies the deck has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The name in records.
    pub slug: String,
    /// The name on the card, if the list gives it.
    pub name: Option<String>,
    /// How many copies the deck has.
    pub copies: u32,
    /// What kind of card it is.
    pub kind: Kind,
}

impl Card {
    /// The unit's figures, if it is a unit.
    pub(super) const fn unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Unit(unit) => Some(unit),
            Kind::Event(_) => None,
        }
    }

    /// The event's effect, if it is an event.
    pub(super) const fn event(&self) -> Option<Effect> {
        match self.kind {
            Kind::Event(effect) => Some(effect),
            Kind::Unit(_) => None,
        }
    }
}

/// A card of one side: its index in that side's list, which is sorted by slug.
pub(super) type CardId = u8;

/// The cards of both sides, sorted by slug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decks {
    sides: [Vec<Card>; 2],
}

impl Decks {
    pub(super) fn new(mut sides: [Vec<Card>; 2]) -> Self {
        for cards in &mut sides {
            cards.sort_by(|one, other| one.slug.cmp(&other.slug));
        }
        Self { sides }
    }

    /// The cards of a side, sorted by slug.
    #[must_use]
    pub fn of(&self, side: Side) -> &[Card] {
        match (&self.sides, side) {
            ([first, _], Side::First) => first,
            ([_, second], Side::Second) => second,
        }
    }

    /// A card of a side.
    pub(super) fn card(&self, side: Side, id: CardId) -> Option<&Card> {
        self.of(side).get(usize::from(id))
    }

    /// A card's slug.
    pub(super) fn slug(&self, side: Side, id: CardId) -> &str {
        self.card(side, id).map_or("?", |card| &card.slug)
    }

    /// The figures of a side's card, if it is a unit.
    pub(super) fn unit(&self, side: Side, id: CardId) -> Option<Unit> {
        self.card(side, id).and_then(Card::unit)
    }

    /// The card with this slug in the deck of a side.
    pub(super) fn find(&self, side: Side, slug: &str) -> Option<CardId> {
        let at = self.of(side).binary_search_by(|card| card.slug.as_str().cmp(slug)).ok()?;
        CardId::try_from(at).ok()
    }

    /// The side whose deck contains this card, if any.
    pub(super) fn knows(&self, slug: &str) -> Option<Side> {
        self.named(slug).map(|(side, ..)| side)
    }

    /// The card with this slug, and whose it is; no slug is in both decks.
    pub(super) fn named(&self, slug: &str) -> Option<(Side, CardId, &Card)> {
        Side::BOTH.into_iter().find_map(|side| {
            let id = self.find(side, slug)?;
            Some((side, id, self.card(side, id)?))
        })
    }
}

/// How many there are of each card of a side: a hand, a deck. A list has no more cards than its deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    of: [u8; CARDS as usize],
    /// How many cards the list has.
    kinds: u8,
    total: u16,
}

impl Counts {
    /// None of any card of a list.
    pub(super) fn none(cards: &[Card]) -> Self {
        Self { kinds: u8::try_from(cards.len()).unwrap_or(0), ..Self::default() }
    }

    /// As many as a list has.
    pub(super) fn all(cards: &[Card]) -> Self {
        let mut all = Self::none(cards);
        for (count, card) in all.of.iter_mut().zip(cards) {
            *count = u8::try_from(card.copies).unwrap_or(u8::MAX);
            all.total += u16::from(*count);
        }
        all
    }

    fn each(&self) -> impl Iterator<Item = (CardId, u8)> {
        (0..self.kinds).zip(self.of)
    }

    pub(super) fn of(&self, id: CardId) -> u32 {
        self.of.get(usize::from(id)).copied().map_or(0, u32::from)
    }

    pub(super) fn total(&self) -> u32 {
        self.total.into()
    }

    pub(super) fn add(&mut self, id: CardId) {
        if let Some(count) = self.of.get_mut(usize::from(id)).filter(|count| id < self.kinds && **count < u8::MAX) {
            *count += 1;
            self.total += 1;
        }
    }

    /// Takes one out and returns whether there was one.
    pub(super) fn take(&mut self, id: CardId) -> bool {
        match self.of.get_mut(usize::from(id)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                self.total -= 1;
                true
            }
            _ => false,
        }
    }

    /// The cards of which there are some, each once.
    pub(super) fn kinds(&self) -> impl Iterator<Item = CardId> {
        self.each().filter(|(_, count)| *count > 0).map(|(id, _)| id)
    }

    /// The same, of a copy.
    pub(super) fn into_kinds(self) -> impl Iterator<Item = CardId> {
        (0..self.kinds).zip(self.of).filter(|(_, count)| *count > 0).map(|(id, _)| id)
    }

    /// The cards, each as often as there are, in order.
    pub(super) fn cards(&self) -> impl Iterator<Item = CardId> {
        self.each().flat_map(|(id, count)| std::iter::repeat_n(id, usize::from(count)))
    }
}
