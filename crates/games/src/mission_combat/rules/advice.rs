//! Describes legal actions for a refusal. Nothing is judged here.

use crate::mission_combat::board::Man;
use crate::mission_combat::board::areas::{Area, Effect};
use crate::mission_combat::board::cards::{CardId, Class, Effect as EventEffect, Unit};
use crate::mission_combat::moves::Found;
use crate::mission_combat::notation::Name;
use crate::mission_combat::position::state::{MissionCombat, of};
use crate::mission_combat::sealed::shoe::Step;
use postrider_kernel::Side;
use postrider_kernel::words::some_of;

/// How many things are listed in a refusal.
const LISTED: usize = 8;

/// A list as used in a refusal, of bounded length; `none` if it is empty.
pub(in crate::mission_combat) fn listed(items: impl IntoIterator<Item = String>, none: &str) -> String {
    some_of(items, LISTED, none)
}

impl MissionCombat {
    fn slugs_of(&self, side: Side, cards: impl Iterator<Item = CardId>) -> impl Iterator<Item = String> {
        cards.map(move |card| self.decks().slug(side, card).to_owned())
    }

    /// The cards in hand that can be played as units or as events; in sealed play only their owner knows them.
    pub(in crate::mission_combat) fn in_hand_in_words(&self, units: bool) -> String {
        let side = self.board.to_play;
        if self.sealed.is_some() {
            let kinds = if units { "units" } else { "events" };
            return format!("the {kinds} of the deck are {}", self.of_the_deck(units));
        }
        let fits = |card: &CardId| self.decks().unit(side, *card).is_some() == units;
        let cards = of(&self.hands, side).kinds().filter(fits);
        let none = if units { "no unit" } else { "no event" };
        format!("in the hand: {}", listed(self.slugs_of(side, cards), none))
    }

    fn of_the_deck(&self, units: bool) -> String {
        let cards = self.decks().of(self.board.to_play).iter().filter(|card| card.unit().is_some() == units);
        listed(cards.map(|card| card.slug.clone()), "none")
    }

    /// The cards in the undealt deck, which can be drawn in open play.
    pub(in crate::mission_combat) fn left_in_words(&self) -> String {
        let side = self.board.to_play;
        let (stock, pile) = (of(&self.stocks, side), of(&self.piles, side));
        if stock.total() > 0 {
            return format!("in the deck: {}", listed(self.slugs_of(side, stock.kinds()), "no card"));
        }
        let mut cards = pile.clone();
        cards.sort_unstable();
        cards.dedup();
        format!("in the shuffled pile: {}", listed(self.slugs_of(side, cards.into_iter()), "no card"))
    }

    /// The areas in which a unit may be placed in the set-up (M17).
    pub(in crate::mission_combat) fn places_in_words(&self, unit: Unit) -> String {
        let fits = |area: &Area| area.owner() == self.board.to_play && !(unit.oversized && area.is_building());
        format!("it may be placed on {}", listed(Area::all().filter(fits).map(|area| area.to_string()), "no area"))
    }

    /// The areas in which a unit may be played (M23, M24) with the action points that are left.
    pub(in crate::mission_combat) fn playable_in_words(&self, unit: Unit) -> String {
        let side = self.board.to_play;
        let fits = |area: &Area| {
            let portal = area.effect() == Some(Effect::Portal(unit.class)) && self.board.controller(*area) == side;
            (portal || area.owner() == side && self.ap > 0)
                && !self.board.is_in(side.other(), *area)
                && !(unit.oversized && area.is_building())
        };
        format!("it may be played on {}", listed(Area::all().filter(fits).map(|area| area.to_string()), "no area now"))
    }

    /// The areas to which a unit may move (M26 to M31) with the action points that are left.
    pub(in crate::mission_combat) fn moves_in_words(&self, at: usize, man: &Man) -> String {
        let mut areas = Vec::new();
        self.found_moves(&self.board, at, man, &mut |found| {
            if let Found::Move(_, to, _) = found {
                areas.push(to);
            }
        });
        areas.dedup();
        match listed(areas.into_iter().map(|area| area.to_string()), "") {
            none if none.is_empty() => "it cannot move now".into(),
            areas => format!("it may move to {areas}"),
        }
    }

    /// The side's own units, or those of one card if a bare slug does not say which is meant.
    pub(in crate::mission_combat) fn own_in_words(&self, name: &Name) -> String {
        let side = self.board.to_play;
        let own = |man: &&Man| man.side == side;
        let alike = |man: &&Man| own(man) && self.decks().slug(side, man.card) == &*name.slug;
        let some = self.board.men().iter().any(|man| alike(&man));
        let men = self.board.men().iter().filter(|man| if some { alike(man) } else { own(man) });
        format!("your units are {}", listed(men.map(|man| format!("{} on {}", self.name_of(man), man.area)), "none"))
    }

    /// The units that an attack can hurt, with how much each can take.
    pub(in crate::mission_combat) fn targets_in_words(&self, man: &Man) -> String {
        if self.ap == 0 {
            return "an attack costs 1 action point, and none is left".into();
        }
        let men = self.board.men().iter().filter(|other| self.board.reaches(man, man.area, other));
        self.shares_in_words(men)
    }

    /// The units that an event can hit.
    pub(in crate::mission_combat) fn hit_in_words(&self, effect: EventEffect) -> String {
        if self.ap == 0 && !self.board.uses(self.board.to_play, Effect::Events) {
            return "an event costs 1 action point, and none is left".into();
        }
        let enemies = self.board.men().iter().filter(|man| man.side != self.board.to_play);
        match effect {
            EventEffect::Damage { points, .. } if self.event_points(points) == 0 => "it hurts nobody now".into(),
            EventEffect::Trap => {
                format!("it may take {}", listed(enemies.map(|man| self.name_of(man)), "no unit"))
            }
            EventEffect::Damage { target, .. } => self
                .shares_in_words(enemies.filter(|man| self.board.unit(man).is_some_and(|unit| unit.class == target))),
        }
    }

    fn shares_in_words<'a>(&self, men: impl Iterator<Item = &'a Man>) -> String {
        let share = |man: &Man| format!("{}:{}", self.name_of(man), self.board.left(man));
        match listed(men.map(share), "") {
            none if none.is_empty() => "no unit of that type is in reach".into(),
            shares => format!("each takes at most: {shares}"),
        }
    }

    /// What a unit would need in order to enter an area with enemies (M27).
    pub(in crate::mission_combat) fn what_to_attack(&self, man: &Man, to: Area) -> String {
        let weapon = self.board.unit(man).map_or(Class::Standard, |unit| unit.weapon);
        let reached = self.board.men().iter().any(|other| self.board.reaches(man, to, other));
        match (self.ap, reached) {
            (0, true) => "it needs 1 more action point, for the attack that must follow".into(),
            _ => format!("its weapon hurts {weapon} units, and it would reach none from there"),
        }
    }

    /// The possible actions of a turn (M20).
    pub(in crate::mission_combat) fn turn_in_words(&self) -> String {
        let draw = if self.sealed.is_some() { "`draw`" } else { "`draw CARD`" };
        format!(
            "a turn is made of {draw}, `play CARD@AREA`, `event CARD …`, `move UNIT>AREA`, `attack UNIT …` and `end`"
        )
    }

    /// What may be typed for a step of sealed play.
    pub(in crate::mission_combat) fn step_in_words(&self, step: Step) -> String {
        match step {
            Step::TossSeal => "`toss` seals it, and the deck with it".into(),
            Step::Guess => "`guess 0` or `guess 1`; the deck and the deal follow automatically".into(),
            Step::Roots => "`roots` makes the decks, and a root of each".into(),
            Step::Pick => "`pick` picks one at random; the deal follows automatically".into(),
            Step::Seeds => "`seeds` shows them; the picked deck follows automatically".into(),
            Step::Toss => "`toss` opens it; the deal and the opening hand follow automatically".into(),
            Step::Deck => "`deck` seals it".into(),
            Step::DealAll | Step::Deal(_) => "`deal` makes it, in a random order".into(),
            Step::Hand => "`hand` takes it, up to the fifth unit".into(),
            Step::Event { .. } => "`discard CARD`, in the order of the deal".into(),
            Step::Discard => "`discard CARD` of one of the two, and the other is kept".into(),
            Step::Shuffle(count) => format!("`shuffle` seals the {count} cards of the pile"),
            Step::ShuffleRoots(count) => {
                format!("`shuffle` makes the decks of the {count} cards of the pile, and a root of each")
            }
        }
    }

    /// The undealt positions of a side's deck.
    pub(in crate::mission_combat) fn undealt_in_words(&self, side: Side) -> String {
        let undealt = self.sealed.as_ref().map(|sealed| sealed.shoe(side).undealt()).into_iter().flatten();
        format!("undealt are {}", listed(undealt.map(|place| place.written().to_string()), "none"))
    }

    /// The positions of the cards of a hand.
    pub(in crate::mission_combat) fn positions_in_words(&self, side: Side) -> String {
        let hand = self.sealed.as_ref().map(|sealed| sealed.shoe(side).hand.iter()).into_iter().flatten();
        format!("the positions of the hand are {}", listed(hand.map(|place| place.written().to_string()), "none"))
    }
}
