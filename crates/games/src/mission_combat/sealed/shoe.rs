//! Sealed decks (M51 to M58): what is sealed, what has been dealt, what a hand contains, and which step is due.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::mission_combat::board::cards::{CARDS, CardId};
use crate::mission_combat::notation::Position;
use postrider_kernel::words::push_number;
use postrider_kernel::{Root, Seal, SealPlace, Seeded, Side};

/// The place of a card in a sealed deck (M54).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::mission_combat) struct Place {
    /// The generation, from 1.
    pub generation: u32,
    /// The place in it, from 1.
    pub place: u32,
}

impl Place {
    /// The place for a written position, if it can be one: the first generation is never written out.
    pub(in crate::mission_combat) fn of(position: Position) -> Option<Self> {
        let Position { generation, place } = position;
        (generation != Some(1)).then_some(Self { generation: generation.unwrap_or(1), place })
    }

    pub(in crate::mission_combat) fn written(self) -> Position {
        Position { generation: (self.generation > 1).then_some(self.generation), place: self.place }
    }

    /// The label of its seal (Z16).
    pub(in crate::mission_combat) fn label(self) -> String {
        let mut label = String::with_capacity("deck.".len() + 8);
        label.push_str("deck.");
        push_number(&mut label, self.generation);
        label.push('.');
        push_number(&mut label, self.place);
        label
    }
}

/// A card that was sealed.
#[derive(Clone, Copy, Debug)]
struct Card {
    /// Where its seal is kept.
    seal: SealPlace,
    /// Which card was at this place before shuffling.
    laid: CardId,
    /// Whether it was opened (Z18).
    opened: bool,
}

/// What of the newest generation is in the record, if it was shuffled as several decks (M61).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::mission_combat) enum Shown {
    /// The roots of its decks, or of the one that was picked as many of its cards as were dealt.
    Roots,
    /// The seeds of the decks that were not picked, too.
    Seeds,
    #[default]
    Seals,
}

/// The sealed deck and hand of one side.
#[derive(Clone, Debug, Default)]
pub(in crate::mission_combat) struct Shoe {
    /// The roots of the decks of the newest generation that had several, one of which is picked (M59, M61).
    pub roots: Arc<[Root]>,
    /// Which one was picked, from 1.
    pub picked: Option<u32>,
    /// What is in the record of the newest generation.
    pub shown: Shown,
    /// The cards of all generations, one generation after the other.
    cards: Arc<Vec<Card>>,
    /// The number of the first card of each generation among those.
    firsts: Arc<Vec<u32>>,
    /// Which positions of the newest generation have been dealt, one bit each: it has at most as many cards as a side.
    dealt: u64,
    /// The seals of the newest generation: they may be those of the entry in hand, whose places nobody else knows yet.
    newest: Arc<[Seal]>,
    /// The order in which the first generation was dealt (M51).
    pub order: Vec<u32>,
    /// The cards that have been dealt and not opened yet.
    pub hand: Vec<Place>,
    /// What the owner of the hand has revealed of them.
    pub known: BTreeMap<Place, CardId>,
}

impl Shoe {
    /// Begins a new generation, with these seals, whose cards are then added.
    pub(in crate::mission_combat) fn begin_generation(&mut self, seals: &[Seal]) {
        Arc::make_mut(&mut self.firsts).push(u32::try_from(self.cards.len()).unwrap_or(u32::MAX));
        self.dealt = 0;
        self.newest = seals.into();
    }

    /// Adds a card to the newest generation: where its seal is kept, and the card at its place before shuffling.
    pub(in crate::mission_combat) fn add(&mut self, seal: SealPlace, laid: CardId) {
        Arc::make_mut(&mut self.cards).push(Card { seal, laid, opened: false });
    }

    /// Begins a new generation of these cards, of which there are several decks, so far known by their roots (M61).
    pub(in crate::mission_combat) fn begin_with_roots(&mut self, roots: &[Root], laid: &[CardId]) {
        self.begin_generation(&[]);
        laid.iter().for_each(|card| self.add(SealPlace::NONE, *card));
        (self.roots, self.picked, self.shown) = (roots.into(), None, Shown::Roots);
    }

    /// The cards of the newest generation, known by its roots, are sealed.
    pub(in crate::mission_combat) fn seal_newest(&mut self, seals: &[Seal], places: &[SealPlace]) {
        let (first, size) = self.span(self.current());
        let cards = Arc::make_mut(&mut self.cards).iter_mut().skip(first).take(size);
        cards.zip(places).for_each(|(card, place)| card.seal = *place);
        (self.newest, self.shown) = (seals.into(), Shown::Seals);
    }

    /// The generation of the decks that are next to be sealed: the newest, if only its roots are in the record.
    pub(in crate::mission_combat) fn next(&self) -> u32 {
        self.current().saturating_add(u32::from(self.shown == Shown::Seals))
    }

    /// What the seals that are due next are derived from, if a deck was picked (Z25).
    pub(in crate::mission_combat) fn next_seeded(&self) -> Option<Seeded> {
        Some(Seeded { deck: self.picked?, generation: self.next() })
    }

    /// The root of the deck that was picked.
    pub(in crate::mission_combat) fn picked_root(&self) -> Option<(u32, Root)> {
        let number = self.picked?;
        self.root(number).map(|root| (number, root))
    }

    /// The step of this side or the other that the newest generation requires, if it was shuffled as several decks; `owed` are the
    /// cards that are to be dealt from it now (M61).
    fn step_of_several(&self, drawer: Side, owed: u32) -> Option<(Side, Step)> {
        match self.shown {
            Shown::Roots if self.picked.is_none() && owed > 0 => Some((drawer.other(), Step::Pick)),
            Shown::Roots if self.is_dealt_from() => Some((drawer, Step::Seeds)),
            Shown::Seeds => Some((drawer, Step::Deck)),
            _ => None,
        }
    }

    /// The root of the deck with this number, from 1.
    pub(in crate::mission_combat) fn root(&self, number: u32) -> Option<Root> {
        self.roots.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }

    /// The number of the current generation; 0 before there is one.
    pub(in crate::mission_combat) fn current(&self) -> u32 {
        u32::try_from(self.firsts.len()).unwrap_or(u32::MAX)
    }

    /// The number of the first card of a generation, and how many it has; none if it is not there.
    fn span(&self, generation: u32) -> (usize, usize) {
        let first = |nth: u32| self.firsts.get(nth as usize).map(|first| *first as usize);
        let Some(from) = generation.checked_sub(1).and_then(first) else { return (0, 0) };
        (from, first(generation).unwrap_or(self.cards.len()).saturating_sub(from))
    }

    /// How many cards the newest generation has.
    fn size(&self) -> u32 {
        self.span(self.current()).1 as u32
    }

    /// The number of a card among those of all generations.
    fn number(&self, Place { generation, place }: Place) -> Option<usize> {
        let (first, size) = self.span(generation);
        let nth = place.checked_sub(1)? as usize;
        (nth < size).then_some(first + nth)
    }

    /// The cards of a generation, in their order before shuffling.
    fn cards(&self, generation: u32) -> impl Iterator<Item = Card> {
        let (first, size) = self.span(generation);
        self.cards.iter().skip(first).take(size).copied()
    }

    /// Which cards they are.
    pub(in crate::mission_combat) fn laid(&self, generation: u32) -> impl Iterator<Item = CardId> {
        self.cards(generation).map(|card| card.laid)
    }

    /// Whether a card of the newest generation was dealt.
    pub(in crate::mission_combat) const fn is_dealt_from(&self) -> bool {
        self.dealt != 0
    }

    fn is_dealt(&self, place: u32) -> bool {
        place.checked_sub(1).and_then(|bit| self.dealt.checked_shr(bit)).is_some_and(|bits| bits & 1 == 1)
    }

    /// Whether a card is of the current generation and was not dealt.
    pub(in crate::mission_combat) fn is_undealt(&self, place: Place) -> bool {
        place.generation == self.current() && (1..=self.size()).contains(&place.place) && !self.is_dealt(place.place)
    }

    /// The positions of the current generation that were not dealt.
    pub(in crate::mission_combat) fn undealt(&self) -> impl Iterator<Item = Place> {
        let generation = self.current();
        (1..=self.size()).filter(|place| !self.is_dealt(*place)).map(move |place| Place { generation, place })
    }

    pub(in crate::mission_combat) fn left(&self) -> u32 {
        self.size().saturating_sub(self.dealt.count_ones())
    }

    /// Deals a card of the current generation to the hand.
    pub(in crate::mission_combat) fn deal(&mut self, place: Place) {
        if place.generation == self.current() && self.number(place).is_some() {
            self.dealt |= place.place.checked_sub(1).and_then(|bit| 1u64.checked_shl(bit)).unwrap_or(0);
            self.hand.push(place);
        }
    }

    /// Where the seal of a card is kept.
    pub(in crate::mission_combat) fn seal_of(&self, place: Place) -> Option<SealPlace> {
        self.cards.get(self.number(place)?).map(|card| card.seal)
    }

    /// The seal of a card of the newest generation.
    pub(in crate::mission_combat) fn newest_seal(&self, Place { generation, place }: Place) -> Option<Seal> {
        let nth = place.checked_sub(1).filter(|_| generation == self.current())?;
        self.newest.get(nth as usize).copied()
    }

    /// Removes an opened card from the hand. Returns false if all of its copies in that generation are open already (Z18); then nothing
    /// changes.
    pub(in crate::mission_combat) fn open(&mut self, place: Place, card: CardId) -> bool {
        let Some(nth) = self.cards(place.generation).position(|one| one.laid == card && !one.opened) else {
            return false;
        };
        self.hand.retain(|other| *other != place);
        self.known.remove(&place);
        let number = self.span(place.generation).0 + nth;
        if let Some(card) = Arc::make_mut(&mut self.cards).get_mut(number) {
            card.opened = true;
        }
        true
    }
}

/// A step of sealed play that one side has to make (M50 to M57).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mission_combat) enum Step {
    /// `toss seal:…`.
    TossSeal,
    /// `roots` for all decks (M59).
    Roots,
    /// `pick` for one of the other side's decks (M59, M61).
    Pick,
    /// `seeds` for the side's own decks that were not picked (M59, M61).
    Seeds,
    /// `deck` with the seals of all its cards.
    Deck,
    /// `guess`.
    Guess,
    /// `deal` with all 30 positions.
    DealAll,
    /// `toss … open:…`.
    Toss,
    /// `hand`.
    Hand,
    /// A discard in the opening: how many are left, and the place in the order from which to look for the next (M52).
    Event { left: u32, from: usize },
    /// `deal` with this many positions (M55).
    Deal(u32),
    /// A discard of one of two cards drawn (M56).
    Discard,
    /// `shuffle` with this many seals (M57).
    Shuffle(u32),
    /// `shuffle` of this many cards with the roots of several decks (M61).
    ShuffleRoots(u32),
}

/// The draw actions of a turn that have not been completed (M55 to M57).
#[derive(Clone, Debug)]
pub(in crate::mission_combat) struct Drawing {
    /// How many are left, including the current one.
    pub left: u32,
    /// Whether the drawer controls the HQ.
    pub hq: bool,
    /// Cards dealt and not drawn yet.
    pub dealt: VecDeque<Place>,
    /// The cards of the current action.
    pub taken: SmallVec<[Place; 2]>,
    /// How many cards the current action draws; 0 before it has begun.
    wanted: usize,
}

impl Drawing {
    pub(in crate::mission_combat) fn new(left: u32, hq: bool) -> Self {
        Self { left, hq, dealt: VecDeque::new(), taken: SmallVec::new(), wanted: 0 }
    }

    /// The current action is done.
    fn done(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.taken.clear();
        self.wanted = 0;
    }

    /// Continues as long as nobody has to do anything; returns what is due and from whom, or `None` when everything is
    /// drawn.
    pub(in crate::mission_combat) fn advance(
        &mut self,
        drawer: Side,
        shoe: &Shoe,
        pile: usize,
    ) -> Option<(Side, Step)> {
        let (undealt, pile) = (shoe.left(), u32::try_from(pile).unwrap_or(u32::MAX));
        while self.left > 0 {
            let count = |cards: usize| u32::try_from(cards).unwrap_or(u32::MAX);
            let (dealt, taken) = (count(self.dealt.len()), count(self.taken.len()));
            // After a shuffle, the rest is dealt before any remaining discard, including that for a pair already
            // completed (M57).
            let each = if self.hq { 2 } else { 1 };
            let owed = self.left.saturating_mul(each).saturating_sub(taken).saturating_sub(dealt);
            if let Some(step) = shoe.step_of_several(drawer, owed) {
                return Some(step);
            }
            if owed > 0 && undealt > 0 {
                return Some((drawer.other(), Step::Deal(owed.min(undealt))));
            }
            if self.wanted == 0 {
                let there = undealt.saturating_add(dealt).saturating_add(pile);
                if there == 0 {
                    return None;
                }
                self.wanted = if self.hq && there > 1 { 2 } else { 1 };
            }
            while self.taken.len() < self.wanted {
                if let Some(place) = self.dealt.pop_front() {
                    self.taken.push(place);
                    if self.dealt.is_empty() && undealt == 0 && pile > 0 {
                        return Some((drawer, Step::Shuffle(pile)));
                    }
                } else if pile > 0 {
                    return Some((drawer, Step::Shuffle(pile)));
                } else {
                    // There is nothing left; no draw goes this far.
                    return None;
                }
            }
            if self.wanted == 2 {
                return Some((drawer, Step::Discard));
            }
            self.done();
        }
        None
    }

    /// One of the two cards was discarded.
    pub(in crate::mission_combat) fn discarded(&mut self) {
        self.done();
    }
}

/// The additional state of sealed play.
#[derive(Clone, Debug)]
pub(in crate::mission_combat) struct Sealed {
    /// How many decks each side seals (M59).
    pub decks: u32,
    /// How many decks each side makes of a later generation (M61).
    pub shuffles: u32,
    /// Whether a toss decides who starts (M50).
    pub tossed: bool,
    pub toss: Option<Seal>,
    pub guess: bool,
    /// Who starts, once it is known.
    pub start: Side,
    /// The step of the opening that is due (M51), and who has to make it.
    pub step: Option<(Side, Step)>,
    pub shoes: [Shoe; 2],
    pub drawing: Option<Drawing>,
}

impl Sealed {
    pub(in crate::mission_combat) fn new(start: Option<Side>, decks: u32, shuffles: u32) -> Self {
        let first = match (start, decks) {
            (None, _) => Step::TossSeal,
            (Some(_), 1) => Step::Deck,
            (Some(_), _) => Step::Roots,
        };
        Self {
            decks,
            shuffles,
            tossed: start.is_none(),
            toss: None,
            guess: false,
            start: start.unwrap_or(Side::First),
            step: Some((Side::First, first)),
            shoes: [Shoe::default(), Shoe::default()],
            drawing: None,
        }
    }

    pub(in crate::mission_combat) fn shoe(&self, side: Side) -> &Shoe {
        let [first, second] = &self.shoes;
        if side == Side::First { first } else { second }
    }

    pub(in crate::mission_combat) fn shoe_mut(&mut self, side: Side) -> &mut Shoe {
        let [first, second] = &mut self.shoes;
        if side == Side::First { first } else { second }
    }

    /// How many decks a step speaks of: those that a side has to make, those that it picks from, or those that it has to show.
    pub(in crate::mission_combat) fn decks_of(&self, side: Side, step: Step) -> usize {
        match step {
            Step::Roots => self.decks as usize,
            Step::ShuffleRoots(_) => self.shuffles as usize,
            Step::Pick => self.shoe(side.other()).roots.len(),
            _ => self.shoe(side).roots.len().saturating_sub(1),
        }
    }

    /// How many cards the deck has whose seals are due.
    pub(in crate::mission_combat) fn cards_of_deck(&self, side: Side) -> u32 {
        let shoe = self.shoe(side);
        if shoe.shown == Shown::Seals { CARDS } else { shoe.size() }
    }

    /// The step of the opening that follows a given one (M51).
    pub(in crate::mission_combat) fn opening_goes_on(&mut self, done: (Side, Step)) {
        use Side::{First, Second};
        self.step = match done {
            // M60: several decks per side.
            (First, Step::TossSeal) if self.decks > 1 => Some((First, Step::Roots)),
            (First, Step::Roots) => Some((Second, if self.tossed { Step::Guess } else { Step::Roots })),
            (Second, Step::Guess) if self.decks > 1 => Some((Second, Step::Roots)),
            (side @ Second, Step::Roots) | (side @ First, Step::Deck) if self.decks > 1 => Some((side, Step::Pick)),
            (side, Step::Pick) => Some((side, Step::DealAll)),
            (Second, Step::DealAll) if self.decks > 1 => {
                Some((First, if self.tossed { Step::Toss } else { Step::Seeds }))
            }
            (First, Step::Toss) if self.decks > 1 => Some((First, Step::Seeds)),
            (side, Step::Seeds) => Some((side, Step::Deck)),
            (Second, Step::Deck) if self.decks > 1 => Some((Second, Step::Hand)),
            (First, Step::Event { left: 0, .. }) if self.decks > 1 => Some((Second, Step::Seeds)),
            // M51: one deck.
            (First, Step::TossSeal) => Some((First, Step::Deck)),
            (First, Step::Deck) => Some((Second, if self.tossed { Step::Guess } else { Step::Deck })),
            (Second, Step::Guess) => Some((Second, Step::Deck)),
            (Second, Step::Deck) => Some((Second, Step::DealAll)),
            (Second, Step::DealAll) => Some((First, if self.tossed { Step::Toss } else { Step::DealAll })),
            (First, Step::Toss) => Some((First, Step::DealAll)),
            (First, Step::DealAll) => Some((First, Step::Hand)),
            (side, Step::Event { left, from }) if left > 0 => Some((side, Step::Event { left, from })),
            (First, Step::Event { .. }) => Some((Second, Step::Hand)),
            _ => None,
        };
    }
}

/// The numbers from 1 to 30 as positions in a first generation.
pub(in crate::mission_combat) fn first_generation() -> impl Iterator<Item = Place> {
    (1..=CARDS).map(|place| Place { generation: 1, place })
}

/// Whether a place is one of them.
pub(in crate::mission_combat) fn is_of_first_generation(place: Place) -> bool {
    place.generation == 1 && (1..=CARDS).contains(&place.place)
}
