//! Applies actions to hands, decks and piles. Nothing is judged here.

use smallvec::SmallVec;

use crate::mission_combat::board::Man;
use crate::mission_combat::board::areas::Area;
use crate::mission_combat::board::cards::{CardId, Counts};
use crate::mission_combat::position::state::{FIRST_POINTS, MARINES, MissionCombat, POINTS, Phase, of, of_mut};
use postrider_kernel::Side;

/// An undealt deck and a discard pile, whatever their order.
#[derive(Clone, Copy)]
pub(in crate::mission_combat) struct DeckAndPile {
    deck: Counts,
    pile: Counts,
}

impl DeckAndPile {
    /// Takes a card from the deck, from the pile if that is to be shuffled first; shuffles the pile if the card was the last (M21).
    fn take(mut self, card: CardId) -> Option<Self> {
        self.shuffle_if_empty();
        let is_there = self.deck.take(card);
        self.shuffle_if_empty();
        is_there.then_some(self)
    }

    fn shuffle_if_empty(&mut self) {
        if self.deck.total() == 0 {
            // The deck is without cards, which is what the pile is then.
            std::mem::swap(&mut self.deck, &mut self.pile);
        }
    }
}

impl MissionCombat {
    /// Open play: how many cards a side could draw, from deck and pile together.
    pub(in crate::mission_combat) fn drawable(&self, side: Side) -> u32 {
        let pile = u32::try_from(of(&self.piles, side).len()).unwrap_or(u32::MAX);
        match &self.sealed {
            Some(sealed) => sealed.shoe(side).left().saturating_add(pile),
            None => of(&self.stocks, side).total().saturating_add(pile),
        }
    }

    /// Open play: deck and pile after these cards were drawn, if they can be, in one order or the other (M21, M22).
    pub(in crate::mission_combat) fn after_draw(&self, side: Side, cards: &[CardId]) -> Option<DeckAndPile> {
        let mut pile = Counts::none(self.decks().of(side));
        of(&self.piles, side).iter().for_each(|card| pile.add(*card));
        let start = DeckAndPile { deck: *of(&self.stocks, side), pile };
        match cards {
            [one] => start.take(*one),
            [one, two] => {
                let in_order = |first, second| start.take(first).and_then(|rest| rest.take(second));
                in_order(*one, *two).or_else(|| in_order(*two, *one))
            }
            _ => None,
        }
    }

    /// Open play: deck and pile are these now.
    fn leave(&mut self, side: Side, DeckAndPile { deck, pile }: DeckAndPile) {
        *of_mut(&mut self.stocks, side) = deck;
        if pile.total() == 0 {
            of_mut(&mut self.piles, side).clear();
        }
    }

    /// Open play: a draw of the opening (M15).
    pub(in crate::mission_combat) fn draw_opening(&mut self, card: CardId) {
        let side = self.board.to_play;
        let Some(left) = self.after_draw(side, &[card]) else { return };
        self.leave(side, left);
        if self.decks().unit(side, card).is_some() {
            of_mut(&mut self.hands, side).add(card);
        } else {
            of_mut(&mut self.piles, side).push(card);
        }
        if of(&self.hands, side).total() >= crate::mission_combat::board::cards::UNITS {
            self.board.to_play = side.other();
            if of(&self.hands, side.other()).total() > 0 {
                self.phase = Phase::Placing;
            }
        }
    }

    /// Open play: a draw action in a turn (M21, M22), after which deck and pile are these.
    pub(in crate::mission_combat) fn draw_cards(&mut self, cards: &SmallVec<[CardId; 2]>, left: DeckAndPile) {
        let side = self.board.to_play;
        self.leave(side, left);
        match cards.as_slice() {
            [one] => of_mut(&mut self.hands, side).add(*one),
            [one, two] => self.choice = Some([*one, *two]),
            _ => {}
        }
    }

    /// Open play: one of two cards is kept, the other discarded (M22).
    pub(in crate::mission_combat) fn keep_card(&mut self, kept: CardId) {
        let side = self.board.to_play;
        let Some([one, two]) = self.choice.take() else { return };
        of_mut(&mut self.hands, side).add(kept);
        of_mut(&mut self.piles, side).push(if one == kept { two } else { one });
    }

    /// Puts a unit of the side to play on the board. The caller removes the card from the hand.
    pub(in crate::mission_combat) fn enter_unit(&mut self, card: CardId, area: Area) {
        let side = self.board.to_play;
        let mut number = 1;
        if let Some(last) = of_mut(&mut self.entered, side).get_mut(usize::from(card)) {
            *last = last.saturating_add(1);
            number = *last;
        }
        self.board.put(Man::new(side, card, number, area));
    }

    /// Handles the end of a placement in the set-up (M17).
    pub(in crate::mission_combat) fn placed(&mut self) {
        self.board.to_play = self.board.to_play.other();
        let all = Side::BOTH.into_iter().all(|side| self.hand_size(side) == 0);
        if all {
            // Both sides have placed equally many, so it is the starting player's turn.
            self.phase = Phase::Turn;
            self.begin_turn(FIRST_POINTS);
        }
    }

    pub(in crate::mission_combat) fn hand_size(&self, side: Side) -> u32 {
        match &self.sealed {
            Some(sealed) => u32::try_from(sealed.shoe(side).hand.len()).unwrap_or(u32::MAX),
            None => of(&self.hands, side).total(),
        }
    }

    fn begin_turn(&mut self, points: u32) {
        self.ap = points;
        self.fresh = true;
        self.felled = false;
    }

    /// Destroyed units go to their owners' piles; a side without units has lost (M33, M40).
    pub(in crate::mission_combat) fn bury(&mut self, fallen: Vec<(Side, CardId)>) {
        self.felled |= !fallen.is_empty();
        for (side, card) in fallen {
            of_mut(&mut self.piles, side).push(card);
        }
    }

    /// Ends the game if the other side has no unit left (M40).
    pub(in crate::mission_combat) fn check_end(&mut self) {
        if !self.board.has_units(self.board.to_play.other()) {
            self.phase = Phase::Won;
        }
    }

    /// Ends the turn (M20, M33, M41).
    pub(in crate::mission_combat) fn end_turn(&mut self) {
        self.board.refresh();
        self.quiet.count(self.felled);
        self.board.to_play = self.board.to_play.other();
        self.begin_turn(POINTS);
    }

    /// The points of an event played by the side to play (M35).
    pub(in crate::mission_combat) fn event_points(&self, points: u32) -> u32 {
        let side = self.board.to_play;
        let halved =
            side == MARINES && self.board.uses(side.other(), crate::mission_combat::board::areas::Effect::Emplacement);
        if halved { points / 2 } else { points }
    }
}
