//! What is to be drawn: the areas with their units, the hands as far as the viewer may see them, the piles.

use super::areas::{Area, Effect};
use super::board::Man;
use super::cards::{CardId, Class};
use super::{MARINES, MissionCombat, PORTALISTS, Phase, of, word};
use crate::games::kernel::{Side, Viewer};
use crate::scene::{Board, Brick, Scene};

fn letter(class: Class) -> char {
    match class {
        Class::Standard => 'S',
        Class::Elite => 'E',
        Class::Colossal => 'C',
    }
}

impl MissionCombat {
    pub(super) fn scene(&self, viewer: Viewer) -> Scene {
        let bricks = Area::all().filter_map(|area| {
            let facts = area.facts()?;
            let building = if area.is_building() { ", building" } else { "" };
            let mut lines = vec![(None, format!("{}{building}", word(self.board.controller(area))))];
            for man in self.board.men.iter().filter(|man| man.area == area) {
                lines.push((Some(man.side), self.name_of(man)));
                lines.push((Some(man.side), format!("  {}", self.figures(man))));
            }
            let title = format!("{area} {}", area.name());
            Some(Brick { row: facts.row, column: facts.column, title, lines })
        });
        Scene { board: Board::Bricks(bricks.collect()), captions: self.captions(viewer), legend: legend() }
    }

    /// A unit's figures: `M E20-10 xS20 R <AR!`.
    fn figures(&self, man: &Man) -> String {
        let Some(unit) = self.board.unit(man) else { return String::new() };
        let damage = if man.damage > 0 { format!("-{}", man.damage) } else { String::new() };
        let side = if man.side == MARINES { 'M' } else { 'P' };
        let left = self.board.left(man);
        let mut text = format!("{side} {}{left}{damage} x{}{}", letter(unit.class), letter(unit.weapon), unit.damage);
        let features = [(unit.oversized, 'O'), (unit.ranged, 'R'), (unit.speed, 'F')];
        if features.iter().any(|(has, _)| *has) {
            text.push(' ');
            text.extend(features.iter().filter(|(has, _)| *has).map(|(_, sign)| *sign));
        }
        if let Some(back) = man.back {
            text.push_str(&format!(" <{back}"));
        }
        let marks = [(man.owes, '!'), (man.speed, '~'), (man.road, '^')];
        if man.back.is_none() && marks.iter().any(|(marked, _)| *marked) {
            text.push(' ');
        }
        text.extend(marks.iter().filter(|(marked, _)| *marked).map(|(_, sign)| *sign));
        text
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
        for (side, label) in [(MARINES, "hands"), (PORTALISTS, "")] {
            captions.push((label, format!("{} {}", word(side), self.hand_in_words(side, viewer))));
        }
        for (side, label) in [(MARINES, "decks"), (PORTALISTS, "")] {
            let left = match &self.sealed {
                Some(sealed) => sealed.shoe(side).left(),
                None => of(&self.stocks, side).total(),
            };
            captions.push((label, format!("{} {left} undealt", word(side))));
        }
        for (side, label) in [(MARINES, "discarded"), (PORTALISTS, "")] {
            let pile: &Vec<CardId> = of(&self.piles, side);
            captions.push((label, format!("{} {}", word(side), self.counted(side, pile))));
        }
        if let Some(limit) = self.limit.filter(|_| self.phase == Phase::Turn && self.quiet > 0) {
            captions.push(("quiet", format!("{} turns without a loss; at {limit} a draw may be claimed", self.quiet)));
        }
        captions
    }

    /// The free moves that the side to play has left (M29, M30).
    fn free_moves(&self) -> Vec<String> {
        let side = self.board.to_play;
        let road = self.board.uses(side, Effect::Road);
        let mut list = Vec::new();
        for man in self.board.men.iter().filter(|man| man.side == side) {
            // Who has to go back is there before it moves again (M36).
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

    /// Whether a viewer sees the hand of a side: in open play nothing is hidden.
    fn sees(&self, viewer: Viewer, side: Side) -> bool {
        self.sealed.is_none() || viewer == Viewer::Omniscient || viewer == Viewer::Side(side)
    }

    fn hand_in_words(&self, side: Side, viewer: Viewer) -> String {
        let Some(sealed) = &self.sealed else {
            return self.counted(side, &of(&self.hands, side).cards().collect::<Vec<_>>());
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
        let rest = if hidden > 0 { format!(", and {hidden} not looked at yet") } else { String::new() };
        format!("{size} {cards}: {}{rest}", self.counted(side, &known))
    }

    /// Cards as `rifle-squad, hellfire 2`: each once, in the order in which they come first.
    fn counted(&self, side: Side, cards: &[CardId]) -> String {
        let mut counts: Vec<(CardId, usize)> = Vec::new();
        for card in cards {
            match counts.iter_mut().find(|(other, _)| other == card) {
                Some((_, count)) => *count += 1,
                None => counts.push((*card, 1)),
            }
        }
        let texts: Vec<_> = counts
            .iter()
            .map(|(card, count)| match count {
                1 => self.decks().slug(side, *card).to_owned(),
                _ => format!("{} x{count}", self.decks().slug(side, *card)),
            })
            .collect();
        if texts.is_empty() { "none".into() } else { texts.join(", ") }
    }
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
