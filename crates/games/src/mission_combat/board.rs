//! The units on the board, who controls what, and who can reach whom; no hands and no decks.

pub mod areas;
pub mod cards;
pub mod decks;
pub mod default_cards;
pub mod layout;
pub mod table;

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::mission_combat::board::areas::{AREAS, Area, Effect};
use crate::mission_combat::board::cards::{CARDS, CardId, Decks, Unit};
use crate::mission_combat::board::layout::Layout;
use postrider_kernel::Side;

/// What bunkers add to a unit's defence (M34).
const BUNKER: u32 = 10;

/// A unit on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Man {
    pub side: Side,
    pub card: CardId,
    /// Its number among the units of its card in order of entering play; 1 if there is only one such unit.
    pub number: u32,
    pub area: Area,
    /// Damage taken this turn (M33).
    pub damage: u32,
    /// Where it has to return to (M27, M28).
    pub back: Option<Area>,
    /// Whether it must attack next (M27).
    pub owes: bool,
    /// Whether it has used its free move for Speed (M29).
    pub speed: bool,
    /// Whether it has used its free move on the Arterial Road (M30).
    pub road: bool,
}

impl Man {
    /// Makes a unit that has just been put on the board.
    pub(super) const fn new(side: Side, card: CardId, number: u32, area: Area) -> Self {
        Self { side, card, number, area, damage: 0, back: None, owes: false, speed: false, road: false }
    }

    /// The order of units in positions and splits: marines first, then by slug, then by number.
    pub(super) const fn key(&self) -> Key {
        key(self.side, self.card, self.number)
    }
}

/// What units are sorted by, as one number: side, card and number within the card.
pub(super) type Key = u64;

/// The key of the unit of a card with this number; 0 comes before all of them.
pub(super) const fn key(side: Side, card: CardId, number: u32) -> Key {
    (side as u64) << 40 | (card as u64) << 32 | number as u64
}

/// The place of a card of a side among those of both.
fn slot(side: Side, card: CardId) -> usize {
    side.index() * CARDS as usize + usize::from(card)
}

/// How a move is paid for (M31).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    /// The free move of the Arterial Road.
    Road,
    /// The free move for Speed.
    Speed,
    /// 1 AP, because no free move applies.
    Point,
    /// 1 AP, because the player keeps the free move.
    Paid,
}

impl Charge {
    pub(super) const fn points(self) -> u32 {
        match self {
            Charge::Road | Charge::Speed => 0,
            Charge::Point | Charge::Paid => 1,
        }
    }
}

/// The units on the board, and whose turn it is, which decides who controls an area with units of both sides (M4).
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub decks: Arc<Decks>,
    pub layout: Layout,
    /// Whether the free move of the Arterial Road ends in an adjacent area (M30).
    pub road_is_near: bool,
    pub to_play: Side,
    /// Sorted by [`Man::key`].
    men: Vec<Man>,
    /// Where the units of each card begin in that list, and behind the last where it ends: every action names one or more.
    first: [u8; 2 * CARDS as usize + 1],
    /// How many of them each side has in each area: every action asks who is where, and most of them several times.
    present: [[u8; AREAS]; 2],
    /// Whether a unit has to return.
    returns: bool,
}

impl Board {
    /// Makes an empty board, on which the marines are to play.
    pub(super) const fn new(decks: Arc<Decks>, layout: Layout, road_is_near: bool) -> Self {
        let present = [[0; AREAS]; 2];
        let first = [0; 2 * CARDS as usize + 1];
        Self { decks, layout, road_is_near, to_play: Side::First, men: Vec::new(), first, present, returns: false }
    }

    /// The units, sorted by [`Man::key`].
    pub(super) fn men(&self) -> &[Man] {
        &self.men
    }

    /// How many units a side has in an area.
    fn count_mut(&mut self, side: Side, area: Area) -> Option<&mut u8> {
        self.present.get_mut(side.index())?.get_mut(area.index())
    }

    fn arrives(&mut self, side: Side, area: Area) {
        if let Some(count) = self.count_mut(side, area) {
            *count = count.saturating_add(1);
        }
    }

    fn leaves(&mut self, side: Side, area: Area) {
        if let Some(count) = self.count_mut(side, area) {
            *count = count.saturating_sub(1);
        }
    }

    /// The figures of a unit. Only units are put on the board.
    pub(super) fn unit(&self, man: &Man) -> Option<Unit> {
        self.decks.unit(man.side, man.card)
    }

    /// Where the units of a card are in the list of all.
    pub(super) fn of_card(&self, side: Side, card: CardId) -> Range<usize> {
        let slot = slot(side, card);
        match self.first.get(slot..slot + 2) {
            Some([from, to]) => usize::from(*from)..usize::from(*to),
            _ => 0..0,
        }
    }

    pub(super) fn put(&mut self, man: Man) {
        let at = self.men.partition_point(|other| other.key() < man.key());
        for first in self.first.iter_mut().skip(slot(man.side, man.card) + 1) {
            *first = first.saturating_add(1);
        }
        self.arrives(man.side, man.area);
        self.returns |= man.back.is_some();
        self.men.insert(at, man);
    }

    pub(super) fn is_in(&self, side: Side, area: Area) -> bool {
        self.present.get(side.index()).and_then(|counts| counts.get(area.index())).is_some_and(|count| *count > 0)
    }

    pub(super) fn has_units(&self, side: Side) -> bool {
        self.present.get(side.index()).is_some_and(|counts| counts.iter().any(|count| *count > 0))
    }

    /// The side that controls an area (M4).
    pub(super) fn controller(&self, area: Area) -> Side {
        match (self.is_in(Side::First, area), self.is_in(Side::Second, area)) {
            (false, false) => area.owner(),
            (true, false) => Side::First,
            (false, true) => Side::Second,
            (true, true) => self.to_play.other(),
        }
    }

    /// Returns whether a side benefits from an effect that only one area has (M4).
    pub(super) fn uses(&self, side: Side, effect: Effect) -> bool {
        Area::with(effect).is_some_and(|area| self.controller(area) == side)
    }

    /// How much more damage would destroy a unit (M33, M34).
    pub(super) fn left(&self, man: &Man) -> u32 {
        let bunker = man.area.effect() == Some(Effect::Bunker) && self.controller(man.area) == man.side;
        let defence = self.unit(man).map_or(0, |unit| unit.defence) + if bunker { BUNKER } else { 0 };
        defence.saturating_sub(man.damage)
    }

    /// Returns whether a unit in a given area, its own or another, could reach a unit with its weapon (M32).
    pub(super) fn reaches(&self, attacker: &Man, from: Area, target: &Man) -> bool {
        let (Some(unit), Some(hurt)) = (self.unit(attacker), self.unit(target)) else { return false };
        target.side != attacker.side
            && unit.weapon == hurt.class
            && (target.area == from || unit.ranged && self.layout.joins(from, target.area))
    }

    /// Returns whether a unit may not stay where it is: among enemies, or oversized in a building (M27, M28).
    pub(super) fn cannot_stay(&self, man: &Man) -> bool {
        self.is_in(man.side.other(), man.area)
            || man.area.is_building() && self.unit(man).is_some_and(|unit| unit.oversized)
    }

    /// The unit that has to return; there is at most one.
    pub(super) fn returning(&self) -> Option<usize> {
        if self.returns { self.men.iter().position(|man| man.back.is_some()) } else { None }
    }

    /// Returns the unit that has to return (M27, M28).
    pub(super) fn go_back(&mut self) {
        let Some(man) = self.returning().and_then(|at| self.men.get_mut(at)) else { return };
        let Some(area) = man.back.take() else { return };
        let (side, from) = (man.side, std::mem::replace(&mut man.area, area));
        man.owes = false;
        self.leaves(side, from);
        self.arrives(side, area);
        self.returns = false;
    }

    /// Returns whether the free move of the Arterial Road takes a unit to an area (M30).
    pub(super) fn road_leads(&self, man: &Man, to: Area) -> bool {
        man.area.effect() == Some(Effect::Road)
            && self.controller(man.area) == man.side
            && !man.road
            && to.owner() != man.side
            && to != man.area
            && (!self.road_is_near || self.layout.joins(man.area, to))
    }

    /// How a move is paid for unless its player says `paid` (M31); `None` if the unit cannot get there.
    pub(super) fn charge(&self, man: &Man, to: Area) -> Option<Charge> {
        if self.road_leads(man, to) {
            return Some(Charge::Road);
        }
        if !self.layout.joins(man.area, to) {
            return None;
        }
        let speed = self.unit(man).is_some_and(|unit| unit.speed) && !man.speed;
        Some(if speed { Charge::Speed } else { Charge::Point })
    }

    /// Moves a unit.
    pub(super) fn step(&mut self, at: usize, to: Area, charge: Charge) {
        let Some(mut man) = self.men.get(at).copied() else { return };
        let from = std::mem::replace(&mut man.area, to);
        man.road |= charge == Charge::Road;
        man.speed |= charge == Charge::Speed;
        self.leaves(man.side, from);
        self.arrives(man.side, to);
        man.owes = self.is_in(man.side.other(), to);
        man.back = self.cannot_stay(&man).then_some(from);
        self.returns |= man.back.is_some();
        if let Some(place) = self.men.get_mut(at) {
            *place = man;
        }
    }

    /// Deals damage; returns the cards it destroys, in the order of the split.
    pub(super) fn deal(&mut self, shares: &[(usize, u32)]) -> Vec<(Side, CardId)> {
        let mut destroyed: SmallVec<[usize; 4]> = SmallVec::new();
        for (at, points) in shares {
            if self.men.get(*at).is_some_and(|man| *points >= self.left(man)) {
                destroyed.push(*at);
            }
            if let Some(man) = self.men.get_mut(*at) {
                man.damage = man.damage.saturating_add(*points);
            }
        }
        self.remove(&destroyed)
    }

    /// Removes units from the board; returns their cards in the order given.
    pub(super) fn remove(&mut self, places: &[usize]) -> Vec<(Side, CardId)> {
        if places.is_empty() {
            return Vec::new();
        }
        let fallen: SmallVec<[Man; 4]> = places.iter().filter_map(|at| self.men.get(*at)).copied().collect();
        let mut at = 0;
        self.men.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
        for man in &fallen {
            self.leaves(man.side, man.area);
            for first in self.first.iter_mut().skip(slot(man.side, man.card) + 1) {
                *first = first.saturating_sub(1);
            }
        }
        self.returns = self.returns && self.men.iter().any(|man| man.back.is_some());
        fallen.iter().map(|man| (man.side, man.card)).collect()
    }

    /// A unit that has attacked no longer has to attack, and stays unless something else prevents it (M27).
    pub(super) fn settle(&mut self) {
        let Some(at) = self.returning() else { return };
        let Some(mut man) = self.men.get(at).copied() else { return };
        man.owes = false;
        if !self.cannot_stay(&man) {
            man.back = None;
            self.returns = false;
        }
        if let Some(place) = self.men.get_mut(at) {
            *place = man;
        }
    }

    /// The end of a turn: all units are undamaged, and all free moves are available again (M29, M30, M33).
    pub(super) fn refresh(&mut self) {
        for man in &mut self.men {
            (man.damage, man.owes, man.speed, man.road, man.back) = (0, false, false, false, None);
        }
        self.returns = false;
    }
}
