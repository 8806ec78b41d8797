//! What is to be drawn: the areas with their units, the hands as far as the viewer may see them, the piles.

use super::board::Man;
use crate::mission_combat::board::areas::{Area, Effect};
use crate::mission_combat::board::cards;
use crate::mission_combat::board::cards::{CardId, Effect as EventEffect, Kind};
use crate::mission_combat::board::layout::Layout;
use crate::mission_combat::position::state::{MissionCombat, Phase, of, word};
use postrider_kernel::scene::{Board, Brick, Class, Face, Item, Scene, Shelf, Unit};
use postrider_kernel::{Game as _, Side, Viewer};

const fn class(class: cards::Class) -> Class {
    match class {
        cards::Class::Standard => Class::Standard,
        cards::Class::Elite => Class::Elite,
        cards::Class::Colossal => Class::Colossal,
    }
}

/// What an area provides, in a few words.
const fn given(effect: Effect) -> &'static str {
    match effect {
        Effect::Portal(cards::Class::Standard) => "standard units free",
        Effect::Portal(cards::Class::Elite) => "elite units free",
        Effect::Portal(cards::Class::Colossal) => "colossal units free",
        Effect::Events => "events free",
        Effect::Bunker => "defence +10",
        Effect::Road => "free moves",
        Effect::Emplacement => "full event fire",
        Effect::Hq => "choice of two cards",
    }
}

/// A unit of a card, undamaged and without obligations.
fn fresh(side: Side, name: String, unit: cards::Unit) -> Unit {
    Unit {
        side,
        name,
        class: class(unit.class),
        defence: unit.defence,
        damage: 0,
        weapon: class(unit.weapon),
        attack: unit.damage,
        oversized: unit.oversized,
        ranged: unit.ranged,
        speed: unit.speed,
        back: None,
        owes: false,
        sped: false,
        road: false,
    }
}

impl MissionCombat {
    pub(super) fn scene(&self, viewer: Viewer) -> Scene {
        // Bricks show the default layout; in any other, each area is shown separately with its neighbours.
        let layout = &self.board.layout;
        let own = *layout != Layout::default();
        let bricks = Area::all().zip(0u8..).filter_map(|(area, nth)| {
            let facts = area.facts()?;
            let (row, column) = if own { (nth / 2, nth % 2 * 3) } else { (facts.row, facts.column) };
            let units = self.board.men().iter().filter(|man| man.area == area).filter_map(|man| self.unit_of(man));
            Some(Brick {
                row,
                column,
                code: area.to_string(),
                name: area.name().to_owned(),
                side: self.board.controller(area),
                building: area.is_building(),
                effect: given(facts.effect),
                near: own.then(|| layout.around(area).map(|near| near.to_string()).collect()),
                units: units.collect(),
            })
        });
        let board = Board::Bricks(bricks.collect());
        Scene {
            shelves: self.shelves(viewer),
            captions: self.captions(viewer),
            legend: legend(),
            ..Scene::of(Self::INFO.sides, board)
        }
    }

    fn unit_of(&self, man: &Man) -> Option<Unit> {
        let unit = self.board.unit(man)?;
        Some(Unit {
            defence: self.board.left(man),
            damage: man.damage,
            back: man.back.map(|area| area.to_string()),
            owes: man.owes,
            sped: man.speed,
            road: man.road,
            ..fresh(man.side, self.name_of(man), unit)
        })
    }

    /// Hands, decks and piles. Only the size of a deck is visible, to anyone.
    fn shelves(&self, viewer: Viewer) -> Vec<Shelf> {
        let mut shelves = Vec::new();
        for side in Side::BOTH {
            let (seen, hidden) = match &self.sealed {
                None if self.sees(viewer, side) => (of(&self.hands, side).cards().collect::<Vec<_>>(), 0),
                None => (Vec::new(), of(&self.hands, side).total() as usize),
                Some(sealed) => {
                    let shoe = sealed.shoe(side);
                    let mut known: Vec<_> = Vec::new();
                    if self.sees(viewer, side) {
                        known.extend(shoe.hand.iter().filter_map(|place| shoe.known.get(place)).copied());
                    }
                    known.sort_unstable();
                    let hidden = shoe.hand.len().saturating_sub(known.len());
                    (known, hidden)
                }
            };
            shelves.push(Shelf {
                title: "hands",
                side,
                items: self.items(side, &seen),
                hidden: u32::try_from(hidden).unwrap_or(u32::MAX),
                text: format!("{} {}", word(side), self.hand_in_words(side, viewer)),
            });
        }
        for side in Side::BOTH {
            let left = match &self.sealed {
                Some(sealed) => sealed.shoe(side).left(),
                None => of(&self.stocks, side).total(),
            };
            let text = format!("{} {left} undealt", word(side));
            shelves.push(Shelf { title: "decks", side, items: Vec::new(), hidden: left, text });
        }
        for side in Side::BOTH {
            let pile: &Vec<CardId> = of(&self.piles, side);
            let text = format!("{} {}", word(side), self.counted(side, pile));
            shelves.push(Shelf { title: "discarded", side, items: self.items(side, pile), hidden: 0, text });
        }
        shelves
    }

    /// Cards, each once, in order of first appearance.
    fn items(&self, side: Side, cards: &[CardId]) -> Vec<Item> {
        let counts = counts(cards).into_iter();
        let items = counts.filter_map(|(id, count)| {
            let card = self.decks().card(side, id)?;
            let face = match card.kind {
                Kind::Unit(unit) => Face::Unit(fresh(side, card.slug.clone(), unit)),
                Kind::Event(EventEffect::Damage { target, points }) => {
                    Face::Event { name: card.slug.clone(), effect: format!("{points} {}", class(target).word()) }
                }
                Kind::Event(EventEffect::Trap) => Face::Event { name: card.slug.clone(), effect: "trap".into() },
            };
            Some(Item { face, count })
        });
        items.collect()
    }

    fn captions(&self, viewer: Viewer) -> Vec<(&'static str, String)> {
        let side = self.board.to_play;
        let mut captions = Vec::new();
        match self.phase {
            Phase::Sealing => captions.push(("setup", "the decks are sealed and the opening hands taken".into())),
            Phase::Drawing => captions.push(("setup", format!("the {} draw their opening hand", word(side)))),
            Phase::Placing => captions.push(("setup", format!("the {} place a unit", word(side)))),
            Phase::Turn => {
                let points = if self.ap == 1 { "action point" } else { "action points" };
                captions.push(("turn", format!("{}, {} {points} left", word(side), self.ap)));
                let free = self.free_moves();
                if !free.is_empty() {
                    captions.push(("free moves", free.join(", ")));
                }
            }
            Phase::Won => {}
        }
        if let (Some([one, two]), true) = (self.choice, self.sees(viewer, side)) {
            captions.push(("drawn", format!("{}, {}", self.decks().slug(side, one), self.decks().slug(side, two))));
        }
        if let Some(limit) = self.quiet.needed.filter(|_| self.phase == Phase::Turn && self.quiet.passed > 0) {
            let turns = if self.quiet.passed == 1 { "turn" } else { "turns" };
            let quiet = format!("{} {turns} without a loss; at {limit} a draw may be claimed", self.quiet.passed);
            captions.push(("quiet", quiet));
        }
        captions
    }

    /// The free moves that the side to play has left (M29, M30).
    fn free_moves(&self) -> Vec<String> {
        let side = self.board.to_play;
        let road = self.board.uses(side, Effect::Road);
        let mut list = Vec::new();
        for man in self.board.men().iter().filter(|man| man.side == side) {
            // A unit that has to return is there before it moves again (M36).
            let stands = man.back.unwrap_or(man.area);
            if road && !man.road && stands.effect() == Some(Effect::Road) {
                list.push(format!("{} (road)", self.name_of(man)));
            }
            if !man.speed && self.board.unit(man).is_some_and(|unit| unit.speed) {
                list.push(format!("{} (speed)", self.name_of(man)));
            }
        }
        list
    }

    /// Returns whether a viewer sees the hand of a side; in open play nothing is hidden, unless the game is veiled.
    fn sees(&self, viewer: Viewer, side: Side) -> bool {
        let is_open = self.sealed.is_none() && !(self.veiled && viewer == Viewer::Side(side.other()));
        is_open || viewer == Viewer::Omniscient || viewer == Viewer::Side(side)
    }

    fn hand_in_words(&self, side: Side, viewer: Viewer) -> String {
        let Some(sealed) = &self.sealed else {
            let hand: Vec<_> = of(&self.hands, side).cards().collect();
            return match hand.len() {
                size if self.sees(viewer, side) || size == 0 => self.counted(side, &hand),
                1 => "1 card".to_owned(),
                size => format!("{size} cards"),
            };
        };
        let shoe = sealed.shoe(side);
        let size = shoe.hand.len();
        let cards = if size == 1 { "card" } else { "cards" };
        if size == 0 || !self.sees(viewer, side) || shoe.known.is_empty() {
            return format!("{size} {cards}");
        }
        let mut known: Vec<_> = shoe.hand.iter().filter_map(|place| shoe.known.get(place)).copied().collect();
        known.sort_unstable();
        let hidden = size - known.len().min(size);
        let rest = if hidden > 0 { format!(", and {hidden} not seen yet") } else { String::new() };
        format!("{size} {cards}: {}{rest}", self.counted(side, &known))
    }

    /// Cards as `rifle-squad, hellfire 2`: each once, in order of first appearance.
    fn counted(&self, side: Side, cards: &[CardId]) -> String {
        let texts: Vec<_> = counts(cards)
            .iter()
            .map(|(card, count)| match count {
                1 => self.decks().slug(side, *card).to_owned(),
                _ => format!("{} x{count}", self.decks().slug(side, *card)),
            })
            .collect();
        if texts.is_empty() { "none".into() } else { texts.join(", ") }
    }
}

/// Cards with their numbers, in order of first appearance.
fn counts(cards: &[CardId]) -> Vec<(CardId, u32)> {
    let mut counts: Vec<(CardId, u32)> = Vec::new();
    for card in cards {
        match counts.iter_mut().find(|(other, _)| other == card) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => counts.push((*card, 1)),
        }
    }
    counts
}

fn legend() -> Vec<(&'static str, &'static str, &'static str)> {
    [
        ("M P", "a unit of the marines, of the portalists"),
        ("S E C", "standard, elite, colossal"),
        ("E20-10", "elite with 20 defence left after 10 damage"),
        ("xS20", "hurts standard units by 20"),
        ("O", "oversized"),
        ("R", "ranged"),
        ("F", "with speed, a free move a turn"),
        ("<AR", "has to go back to AR"),
        ("!", "must attack next"),
        ("~", "speed used"),
        ("^", "Arterial Road used"),
    ]
    .map(|(sign, meaning)| (sign, sign, meaning))
    .to_vec()
}
