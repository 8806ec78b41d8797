//! The cards (M10, M11): what they are, and the lists for both sides.

use std::fmt;

use postrider_kernel::Side;

/// How many cards a side has (M10).
pub(in crate::mission_combat) const CARDS: u32 = 30;
/// How many units a side begins with (M15).
pub(in crate::mission_combat) const UNITS: u32 = 5;

/// The type of a unit, and the type that a weapon hurts (M10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Standard,
    Elite,
    Colossal,
}

impl Class {
    /// All types.
    pub(in crate::mission_combat) const ALL: [Self; 3] = [Class::Standard, Class::Elite, Class::Colossal];

    /// The word for it in lists of cards.
    pub(in crate::mission_combat) const fn word(self) -> &'static str {
        match self {
            Class::Standard => "standard",
            Class::Elite => "elite",
            Class::Colossal => "colossal",
        }
    }

    /// The type with this word.
    pub(in crate::mission_combat) fn of(word: &str) -> Option<Self> {
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
    Unit(Unit),
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
    pub(in crate::mission_combat) const fn unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Unit(unit) => Some(unit),
            Kind::Event(_) => None,
        }
    }

    /// The event's effect, if it is an event.
    pub(in crate::mission_combat) const fn event(&self) -> Option<Effect> {
        match self.kind {
            Kind::Event(effect) => Some(effect),
            Kind::Unit(_) => None,
        }
    }
}

/// A card of one side: its index in that side's list, which is sorted by slug.
pub(in crate::mission_combat) type CardId = u8;

/// The cards of both sides, sorted by slug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decks {
    sides: [Vec<Card>; 2],
    /// Where each card is, from the place on that its slug leads to: an entry can have a hundred names.
    places: Vec<Option<(Side, CardId)>>,
}

/// How many places there are: twice as many as both sides can have cards, so that most slugs lead to their own.
const PLACES: usize = 128;

/// The place that a slug leads to. Slugs that are made to lead to the same cost no more than a search of the lists.
fn place_of(slug: &str) -> usize {
    let bytes = slug.as_bytes();
    let ends = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(29),
        _ => bytes.iter().fold(0, |ends, byte| ends << 8 | u64::from(*byte)),
    };
    (ends.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize
}

impl Decks {
    pub(in crate::mission_combat) fn new(mut sides: [Vec<Card>; 2]) -> Self {
        for cards in &mut sides {
            cards.sort_by(|one, other| one.slug.cmp(&other.slug));
        }
        let mut places = vec![None; PLACES];
        for (side, cards) in Side::BOTH.into_iter().zip(&sides) {
            for (id, card) in (0..CARDS as CardId).zip(cards) {
                let from = place_of(&card.slug);
                let free = (0..PLACES).map(|next| (from + next) % PLACES).find(|at| places.get(*at) == Some(&None));
                if let Some(place) = free.and_then(|at| places.get_mut(at)) {
                    *place = Some((side, id));
                }
            }
        }
        Self { sides, places }
    }

    /// The cards with this slug: one, unless both decks have it.
    fn with_slug(&self, slug: &str) -> impl Iterator<Item = (Side, CardId, &Card)> {
        let from = place_of(slug);
        let places = (0..PLACES).map_while(move |next| self.places.get((from + next) % PLACES).copied().flatten());
        places
            .filter_map(move |(side, id)| Some((side, id, self.card(side, id)?)))
            .filter(move |(.., card)| card.slug == slug)
    }

    /// The cards of a side, sorted by slug.
    #[must_use]
    pub fn of(&self, side: Side) -> &[Card] {
        match (&self.sides, side) {
            ([first, _], Side::First) => first,
            ([_, second], Side::Second) => second,
        }
    }

    pub(in crate::mission_combat) fn card(&self, side: Side, id: CardId) -> Option<&Card> {
        self.of(side).get(usize::from(id))
    }

    /// A card's slug.
    pub(in crate::mission_combat) fn slug(&self, side: Side, id: CardId) -> &str {
        self.card(side, id).map_or("?", |card| &card.slug)
    }

    /// The figures of a side's card, if it is a unit.
    pub(in crate::mission_combat) fn unit(&self, side: Side, id: CardId) -> Option<Unit> {
        self.card(side, id).and_then(Card::unit)
    }

    /// The card with this slug in the deck of a side.
    pub(in crate::mission_combat) fn find(&self, side: Side, slug: &str) -> Option<CardId> {
        self.with_slug(slug).find(|(owner, ..)| *owner == side).map(|(_, id, _)| id)
    }

    /// The side whose deck contains this card, if any.
    pub(in crate::mission_combat) fn knows(&self, slug: &str) -> Option<Side> {
        self.named(slug).map(|(side, ..)| side)
    }

    /// The card with this slug, and whose it is; no slug is in both decks.
    pub(in crate::mission_combat) fn named(&self, slug: &str) -> Option<(Side, CardId, &Card)> {
        // Almost always it is the first that is looked at, and each action of an entry looks for one or more.
        let mut at = place_of(slug);
        for _ in 0..PLACES {
            let (side, id) = (*self.places.get(at)?)?;
            let card = self.card(side, id)?;
            if card.slug == slug {
                return Some((side, id, card));
            }
            at = (at + 1) % PLACES;
        }
        None
    }
}

/// How many there are of each card of a side: a hand, a deck. A list has no more cards than its deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::mission_combat) struct Counts {
    of: [u8; CARDS as usize],
    /// How many cards the list has.
    kinds: u8,
    total: u16,
}

impl Counts {
    /// None of any card of a list.
    pub(in crate::mission_combat) fn none(cards: &[Card]) -> Self {
        Self { kinds: u8::try_from(cards.len()).unwrap_or(0), ..Self::default() }
    }

    /// As many as a list has.
    pub(in crate::mission_combat) fn all(cards: &[Card]) -> Self {
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

    pub(in crate::mission_combat) fn of(&self, id: CardId) -> u32 {
        self.of.get(usize::from(id)).copied().map_or(0, u32::from)
    }

    pub(in crate::mission_combat) fn total(&self) -> u32 {
        self.total.into()
    }

    pub(in crate::mission_combat) fn add(&mut self, id: CardId) {
        if let Some(count) = self.of.get_mut(usize::from(id)).filter(|count| id < self.kinds && **count < u8::MAX) {
            *count += 1;
            self.total += 1;
        }
    }

    /// Takes one out and returns whether there was one.
    pub(in crate::mission_combat) fn take(&mut self, id: CardId) -> bool {
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
    pub(in crate::mission_combat) fn kinds(&self) -> impl Iterator<Item = CardId> {
        self.each().filter(|(_, count)| *count > 0).map(|(id, _)| id)
    }

    /// The same, of a copy.
    pub(in crate::mission_combat) fn into_kinds(self) -> impl Iterator<Item = CardId> {
        (0..self.kinds).zip(self.of).filter(|(_, count)| *count > 0).map(|(id, _)| id)
    }

    /// The cards, each as often as there are, in order.
    pub(in crate::mission_combat) fn cards(&self) -> impl Iterator<Item = CardId> {
        self.each().flat_map(|(id, count)| std::iter::repeat_n(id, usize::from(count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m11_a_card_is_found_by_its_slug_wherever_slugs_lead() {
        let near = |nth: usize| format!("the-same-{nth:02}-the-same");
        let slugs: [&dyn Fn(usize) -> String; 3] = [&near, &|nth| format!("c{nth}"), &|nth| "x".repeat(nth + 1)];
        assert!((1..60).all(|nth| place_of(&near(nth)) == place_of(&near(0))));
        for slug in slugs {
            let card = |nth| Card { slug: slug(nth), name: None, copies: 1, kind: Kind::Event(Effect::Trap) };
            let decks = Decks::new([(0..30).map(card).collect(), (30..60).map(card).collect()]);
            for nth in 0..60 {
                let (side, other) = if nth < 30 { (Side::First, Side::Second) } else { (Side::Second, Side::First) };
                let id = decks.find(side, &slug(nth)).expect("a card");
                assert_eq!(decks.slug(side, id), slug(nth));
                assert_eq!(decks.find(other, &slug(nth)), None);
                assert_eq!(decks.named(&slug(nth)).map(|(side, id, _)| (side, id)), Some((side, id)));
            }
            assert!([slug(60), slug(99), String::new()].iter().all(|slug| decks.knows(slug).is_none()));
        }
    }
}
