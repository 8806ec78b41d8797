//! Writes the position line: areas with their units, the turn, the hands and piles, and which numbers have been used.

pub(crate) mod setup;
pub(crate) mod state;

use std::fmt::Write as _;

use super::board::Man;
use crate::mission_combat::board::areas::Area;
use crate::mission_combat::board::cards::CardId;
use crate::mission_combat::position::state::{MissionCombat, Phase, of, word};
use crate::mission_combat::sealed::shoe::Step;
use postrider_kernel::Side;

impl MissionCombat {
    /// Writes the position line.
    pub(super) fn write_position(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for area in Area::all() {
            let mut part = String::new();
            for man in self.board.men().iter().filter(|man| man.area == area) {
                if part.is_empty() {
                    part = area.to_string();
                }
                part.push(' ');
                self.write_man(man, &mut part);
            }
            if !part.is_empty() {
                parts.push(part);
            }
        }
        let to_play = word(self.board.to_play);
        match self.phase {
            Phase::Sealing => parts.push("sealing".into()),
            Phase::Drawing => parts.push("drawing".into()),
            Phase::Placing => parts.push("placing".into()),
            Phase::Turn => parts.push(format!("ap {}", self.ap)),
            Phase::Won => parts.push(format!("won {to_play}")),
        }
        if !matches!(self.phase, Phase::Sealing | Phase::Won) {
            parts.push(format!("to play {to_play}"));
        }
        if let Some((side, step)) = self.step() {
            let step = match step {
                Step::TossSeal | Step::Toss => "toss".into(),
                Step::Roots => format!("roots {}", self.decks_of(side, step)),
                Step::Pick => format!("pick {}", self.decks_of(side, step)),
                Step::Seeds => format!("seeds {}", self.decks_of(side, step)),
                Step::Deck => format!("deck {}", self.next_laid(side).len()),
                Step::Guess => "guess".into(),
                Step::DealAll => format!("deal {}", crate::mission_combat::board::cards::CARDS),
                Step::Hand => "hand".into(),
                Step::Event { .. } | Step::Discard => "discard".into(),
                Step::Deal(count) => format!("deal {count}"),
                Step::Shuffle(count) | Step::ShuffleRoots(count) => format!("shuffle {count}"),
            };
            parts.push(format!("due {} {step}", word(side)));
        }
        if let Some([one, two]) = self.choice {
            let slug = |card| self.decks().slug(self.board.to_play, card);
            parts.push(format!("choice {} {}", slug(one), slug(two)));
        }
        for side in Side::BOTH {
            let cards = match &self.sealed {
                Some(_) => self.hand_size(side).to_string(),
                None => self.slugs(side, of(&self.hands, side).cards()),
            };
            parts.push(format!("hand {} {cards}", word(side)));
        }
        for side in Side::BOTH {
            let cards = match &self.sealed {
                Some(_) => of(&self.piles, side).len().to_string(),
                None => self.slugs(side, of(&self.piles, side).iter().copied()),
            };
            parts.push(format!("discard {} {cards}", word(side)));
        }
        let entered = self.entered_off_board();
        if !entered.is_empty() {
            parts.push(format!("entered {}", entered.join(" ")));
        }
        parts.join("; ")
    }

    fn write_man(&self, man: &Man, out: &mut String) {
        // Writing to a `String` never fails.
        let _ = write!(out, "{}", self.full_name(man));
        if man.damage > 0 {
            let _ = write!(out, ":{}", man.damage);
        }
        if let Some(back) = man.back {
            let _ = write!(out, "<{back}");
        }
        for (mark, sign) in [(man.owes, '!'), (man.speed, '~'), (man.road, '^')] {
            if mark {
                out.push(sign);
            }
        }
    }

    fn slugs(&self, side: Side, cards: impl Iterator<Item = CardId>) -> String {
        let slugs: Vec<_> = cards.map(|card| self.decks().slug(side, card)).collect();
        if slugs.is_empty() { "-".into() } else { slugs.join(" ") }
    }

    /// For each card with several copies, the name of its last unit to have entered play, if that is not on the board;
    /// sorted by slug.
    fn entered_off_board(&self) -> Vec<String> {
        let mut names = Vec::new();
        for side in Side::BOTH {
            for (id, (card, last)) in self.decks().of(side).iter().zip(of(&self.entered, side)).enumerate() {
                let is_there = self
                    .board
                    .men()
                    .iter()
                    .any(|man| man.side == side && usize::from(man.card) == id && man.number == *last);
                if card.copies > 1 && *last > 0 && !is_there {
                    names.push((card.slug.as_str(), *last));
                }
            }
        }
        names.sort_unstable();
        names.into_iter().map(|(slug, number)| format!("{slug}.{number}")).collect()
    }
}
