//! Heuristics for the machine: a rough evaluation of positions, which actions look promising, the chances of a draw, and
//! the cards that the other side may hold.

use super::notation::{Action, Draw, Share};
use crate::mission_combat::board::cards::{CardId, Counts};
use crate::mission_combat::position::state::{MARINES, MissionCombat, PORTALISTS, Phase, of, of_mut};
use postrider_kernel::{Count, Side};

impl MissionCombat {
    fn strength(&self, side: Side) -> i32 {
        let units = self.board.men().iter().filter(|man| man.side == side);
        let worth = units.filter_map(|man| self.board.unit(man)).map(|unit| {
            let figures = 14 + unit.defence + unit.damage;
            figures + if unit.ranged { 8 } else { 0 } + if unit.speed { 4 } else { 0 }
        });
        let board: u32 = worth.sum();
        i32::try_from(board + 14 * of(&self.hands, side).total().min(8)).unwrap_or(i32::MAX / 4)
    }

    /// Units count by their figures, cards in hand a little.
    pub(super) fn rough_judgement(&self) -> i32 {
        let (marines, portalists) = (self.strength(MARINES), self.strength(PORTALISTS));
        1000 * (marines - portalists) / (marines + portalists + 20)
    }

    /// What hurts comes first, then new units, then moves among enemies.
    pub(super) fn rough_promise(&self, entry: &[Action]) -> u32 {
        let [action] = entry else { return 1 };
        let points =
            |shares: &[Share]| shares.iter().map(|share| share.points.unwrap_or(40)).fold(0, u32::saturating_add);
        match action {
            Action::Attack(_, shares) => 8 + points(shares).min(60),
            Action::Event(_, shares, _) => 4 + points(shares).min(60) / 2,
            Action::Play(..) => 6,
            Action::Move(_, to, paid) => {
                let enters = self.board.is_in(self.board.to_play.other(), *to);
                if *paid {
                    1
                } else if enters {
                    12
                } else {
                    3
                }
            }
            Action::End => {
                if self.ap == 0 {
                    30
                } else {
                    1
                }
            }
            Action::Draw(_) => 2,
            _ => 3,
        }
    }

    /// The weight of a draw of open play: in how many ways these cards can come (M21, M22).
    pub(super) fn weight_of_draw(&self, entry: &[Action]) -> u32 {
        let [Action::Draw(Draw::Cards(first, second))] = entry else { return 0 };
        let side = self.board.to_play;
        let Some(first) = self.decks().find(side, first) else { return 0 };
        let stock = of(&self.stocks, side);
        let mut pile = Counts::none(self.decks().of(side));
        of(&self.piles, side).iter().for_each(|card| pile.add(*card));
        let (top, below) = match stock.total() {
            0 => (&pile, &pile),
            1 => (stock, &pile),
            _ => (stock, stock),
        };
        let Some(second) = second.as_ref().and_then(|slug| self.decks().find(side, slug)) else {
            return top.of(first);
        };
        if stock.total() == 1 {
            let other = if first == second { 0 } else { top.of(second) * below.of(first) };
            return top.of(first) * below.of(second) + other;
        }
        if first == second {
            top.of(first) * top.of(first).saturating_sub(1) / 2
        } else {
            top.of(first) * top.of(second)
        }
    }

    /// The same game with the hand that `side` is known to hold, and any hand of the other side; none while a deck, a deal or an
    /// opening is due.
    pub(super) fn with_open_hands(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let Some(sealed) = &self.sealed else { return Some(self.clone()) };
        if sealed.step.is_some() || sealed.drawing.is_some() || matches!(self.phase, Phase::Sealing | Phase::Won) {
            return None;
        }
        let mut game = self.clone();
        game.sealed = None;
        for of_side in Side::BOTH {
            let (cards, shoe) = (self.decks().of(of_side), sealed.shoe(of_side));
            let mut rest = Counts::all(cards);
            for man in self.board.men().iter().filter(|man| man.side == of_side) {
                rest.take(man.card);
            }
            for card in of(&self.piles, of_side) {
                rest.take(*card);
            }
            let mut hand = Counts::none(cards);
            if of_side == side {
                let known: Vec<_> = shoe.hand.iter().filter_map(|place| shoe.known.get(place)).copied().collect();
                if known.len() != shoe.hand.len() {
                    return None;
                }
                for card in known {
                    rest.take(card);
                    hand.add(card);
                }
            } else {
                let mut pool: Vec<CardId> = rest.cards().collect();
                for _ in 0..shoe.hand.len().min(pool.len()) {
                    let nth = draw(u32::try_from(pool.len()).unwrap_or(0)) as usize;
                    let card = pool.swap_remove(nth.min(pool.len() - 1));
                    rest.take(card);
                    hand.add(card);
                }
            }
            *of_mut(&mut game.hands, of_side) = hand;
            *of_mut(&mut game.stocks, of_side) = rest;
        }
        Some(game)
    }

    /// Units, and cards in hand.
    pub(super) fn tallied(&self, out: &mut Vec<Count>) {
        let units = |side| self.board.men().iter().filter(|man| man.side == side).count();
        let hand = |side| self.hand_size(side) as usize;
        out.push(Count::both("units", units(MARINES), units(PORTALISTS)));
        out.push(Count::both("cards in hand", hand(MARINES), hand(PORTALISTS)));
    }

    /// Deals the other side another hand from all that it has neither played nor shown.
    pub(super) fn imagine_hand(&mut self, side: Side, draw: &mut dyn FnMut(u32) -> u32) {
        let other = side.other();
        if self.sealed.is_some() {
            return;
        }
        let hand = of(&self.hands, other);
        // Until all are placed a hand has only units (M15).
        let units_only = self.phase != Phase::Turn;
        let decks = std::sync::Arc::clone(&self.board.decks);
        let mut unseen = *of(&self.stocks, other);
        hand.cards().for_each(|card| unseen.add(card));
        let fits = |card: &CardId| !units_only || decks.unit(other, *card).is_some();
        let mut pool: Vec<CardId> = unseen.cards().filter(fits).collect();
        let mut dealt = Counts::none(decks.of(other));
        for _ in 0..hand.total() {
            let nth = draw(u32::try_from(pool.len()).unwrap_or(0)) as usize;
            if nth < pool.len() {
                let card = pool.swap_remove(nth);
                dealt.add(card);
                unseen.take(card);
            }
        }
        *of_mut(&mut self.hands, other) = dealt;
        *of_mut(&mut self.stocks, other) = unseen;
    }
}
