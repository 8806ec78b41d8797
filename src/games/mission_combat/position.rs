//! The position line: areas with their units, the turn, the hands and piles, and which numbers were given.

use std::fmt::Write as _;

use super::areas::Area;
use super::board::Man;
use super::cards::{CardId, Counts, UNITS};
use super::shoe::Step;
use super::{MARINES, MissionCombat, POINTS, PORTALISTS, Phase, of, of_mut};
use crate::games::kernel::Side;
use crate::notation::{Misfit, Reader};

const WORDS: [&str; 2] = ["marines", "portalists"];
/// The greatest number of a unit: six digits.
const MOST: u32 = 999_999;

fn word(side: Side) -> &'static str {
    let [first, second] = WORDS;
    if side == MARINES { first } else { second }
}

impl MissionCombat {
    /// Writes the position line.
    pub(super) fn write_position(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for area in Area::all() {
            let mut part = String::new();
            for man in self.board.men.iter().filter(|man| man.area == area) {
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
                Step::Deck => format!("deck {}", super::cards::CARDS),
                Step::Guess => "guess".into(),
                Step::DealAll => format!("deal {}", super::cards::CARDS),
                Step::Hand => "hand".into(),
                Step::Event { .. } | Step::Discard => "discard".into(),
                Step::Deal(count) => format!("deal {count}"),
                Step::Shuffle(count) => format!("shuffle {count}"),
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
        // Writing to a text never fails.
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

    /// For each card that there are several of, the name of the last unit of it to have entered play, if that is not on the
    /// board; sorted by slug.
    fn entered_off_board(&self) -> Vec<String> {
        let mut names = Vec::new();
        for side in Side::BOTH {
            for (id, (card, last)) in self.decks().of(side).iter().zip(of(&self.entered, side)).enumerate() {
                let is_there = self
                    .board
                    .men
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

    /// Reads a position line into a game that has not begun.
    pub(super) fn read_position(&mut self, text: &str) -> Result<(), Misfit> {
        let mut reader = Reader { text, offset: 0 };
        reader.areas(self)?;
        reader.phase(self)?;
        let choice = reader.choice(self)?;
        reader.hands(self)?;
        reader.entered(self)?;
        self.choice = choice;
        self.fresh = true;
        let refuse = |expected: &'static str| Err(Misfit { offset: 0, expected });
        self.stocks = self.rest_of_the_decks().ok_or(Misfit {
            offset: 0,
            expected: "no more of any card, in all places together, than its deck holds",
        })?;
        if let Some(fault) = self.fault_on_board().or_else(|| self.fault_of_phase()) {
            return refuse(fault);
        }
        let canonical = self.write_position();
        if canonical != text {
            let same = canonical.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
            let offset = (0..=same.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            return Err(Misfit {
                offset,
                expected: "the one spelling of the position: parts, units and cards in their order, nothing else",
            });
        }
        Ok(())
    }

    /// The undealt decks: what is on the board, in a hand, in a pile or to be chosen from is in none of them.
    fn rest_of_the_decks(&self) -> Option<[Counts; 2]> {
        let mut rest = Side::BOTH.map(|side| Counts::all(self.decks().of(side)));
        for side in Side::BOTH {
            let men = self.board.men.iter().filter(|man| man.side == side).map(|man| man.card);
            let chosen = self.choice.into_iter().flatten().filter(|_| side == self.board.to_play);
            let cards = men.chain(of(&self.hands, side).cards()).chain(of(&self.piles, side).iter().copied());
            for card in cards.chain(chosen) {
                if !of_mut(&mut rest, side).take(card) {
                    return None;
                }
            }
        }
        Some(rest)
    }

    /// What is wrong with the units on the board, if anything is.
    fn fault_on_board(&self) -> Option<&'static str> {
        let board = &self.board;
        let side = board.to_play;
        let opening = matches!(self.phase, Phase::Drawing | Phase::Placing);
        if board.men.iter().filter(|man| man.back.is_some()).count() > 1 {
            return Some("one unit at most that has to go back");
        }
        for man in &board.men {
            let marked = man.back.is_some() || man.owes || man.speed || man.road;
            let unit = board.unit(man)?;
            if opening && (marked || man.damage > 0) {
                return Some("no marks and no damage before the first turn");
            }
            if marked && man.side != side {
                return Some("the marks `<`, `!`, `~` and `^` on units of the side to play");
            }
            if man.damage > 0 && (man.side == side || board.left(man) == 0) {
                return Some("damage on units of the side that is not to play, and less than destroys them");
            }
            if man.speed && !unit.speed {
                return Some("`~` on units with speed");
            }
            let cannot_stay = board.cannot_stay(man);
            match man.back {
                None if cannot_stay && man.side == side => {
                    return Some("`<` on a unit among enemies, or oversized on a building");
                }
                // Among enemies stands who entered: one unit of the side to play, which was looked at.
                None if man.side != side && man.area.is_building() && unit.oversized => {
                    return Some("no oversized unit on a building, but for one that has to go back");
                }
                None => {}
                Some(_) if !cannot_stay => return Some("`<` on a unit that has to go back"),
                Some(back) => {
                    let by_road = man.road && back.effect() == Some(super::areas::Effect::Road);
                    let came = board.layout.joins(back, man.area) || by_road && man.area.owner() != side && back != man.area;
                    if !came {
                        return Some("`<` and an adjacent area, or AR where the road was used");
                    }
                    if board.is_in(side.other(), back) || unit.oversized && back.is_building() {
                        return Some("`<` and an area where the unit may stay");
                    }
                }
            }
            if man.owes {
                let fights = board.men.iter().any(|other| board.reaches(man, man.area, other));
                if !(board.is_in(side.other(), man.area) && fights && self.ap > 0) {
                    return Some("`!` on a unit among enemies that can attack");
                }
            }
        }
        None
    }

    /// What does not go with the part of the game, if anything does not.
    fn fault_of_phase(&self) -> Option<&'static str> {
        let board = &self.board;
        let side = board.to_play;
        let other = side.other();
        match self.phase {
            Phase::Turn if !Side::BOTH.into_iter().all(|side| board.has_units(side)) => {
                return Some("units of both sides on the board, or `won` and the side that has some");
            }
            Phase::Won if board.has_units(other) || !board.has_units(side) => {
                return Some("`won` where the winner has units on the board and the loser none");
            }
            _ => {}
        }
        if self.choice.is_some() {
            let drawn = self.phase == Phase::Turn && self.ap < POINTS && board.returning().is_none();
            if !(drawn && board.uses(side, super::areas::Effect::Hq)) {
                return Some("`choice` in a turn with 3 action points or fewer, with the HQ and no unit to go back");
            }
        }
        if !matches!(self.phase, Phase::Drawing | Phase::Placing) {
            return None;
        }
        for side in Side::BOTH {
            let is_unit = |card: CardId| self.decks().unit(side, card).is_some();
            if !of(&self.hands, side).kinds().all(is_unit) || of(&self.piles, side).iter().any(|card| is_unit(*card)) {
                return Some("units in the hands and events in the discard piles before the first turn");
            }
        }
        let hand = |side| of(&self.hands, side).total();
        if self.phase == Phase::Drawing {
            let untouched = hand(other) == 0 && of(&self.piles, other).is_empty();
            if !board.men.is_empty() || self.entered.iter().flatten().any(|last| *last > 0) {
                return Some("no unit on the board, now or before, while the hands are drawn");
            }
            if hand(side) >= UNITS || hand(other) != UNITS && !untouched {
                return Some(
                    "fewer than five units in the hand that is drawn, five or nothing drawn on the other side",
                );
            }
            return None;
        }
        for side in Side::BOTH {
            let men = || board.men.iter().filter(|man| man.side == side);
            if u32::try_from(men().count()).ok().and_then(|men| men.checked_add(hand(side))) != Some(UNITS) {
                return Some("five units a side, in hand and on the board together, while they are placed");
            }
            if men().any(|man| man.area.owner() != side) {
                return Some("units on own areas while they are placed");
            }
            for (id, last) in of(&self.entered, side).iter().enumerate() {
                let numbered = men().filter(|man| usize::from(man.card) == id).count();
                if u32::try_from(numbered) != Ok(*last) {
                    return Some("units numbered without gaps while they are placed");
                }
            }
        }
        if hand(side) == 0 || hand(side) != hand(other) && hand(side) != hand(other) + 1 {
            return Some("hands of the same size, or one card more in that of the side to play");
        }
        None
    }
}

impl<'a> Reader<'a> {
    /// The characters of a kind that follow.
    fn run(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| fits(*byte)).count();
        self.offset += length;
        rest.get(..length).unwrap_or_default()
    }

    fn number(&mut self, most: u32) -> Result<u32, Misfit> {
        let start = self.offset;
        let digits = self.run(|byte| byte.is_ascii_digit());
        let value = digits.parse().ok().filter(|value| *value <= most);
        let spelled = digits == "0" || !digits.starts_with('0');
        match value.filter(|_| spelled && digits.len() <= 9) {
            Some(value) => Ok(value),
            None => Err(Misfit { offset: start, expected: "a number, not too large and without a leading zero" }),
        }
    }

    fn slug(&mut self) -> &'a str {
        self.run(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    }

    fn area(&mut self) -> Option<Area> {
        let area = self.rest().as_bytes().get(..2).and_then(Area::read)?;
        self.offset += 2;
        Some(area)
    }

    fn side(&mut self) -> Result<Side, Misfit> {
        if self.goes_on(WORDS[0]) {
            Ok(MARINES)
        } else if self.goes_on(WORDS[1]) {
            Ok(PORTALISTS)
        } else {
            self.refuse("`marines` or `portalists`")
        }
    }

    fn areas(&mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        while let Some(area) = self.area() {
            if !self.rest().starts_with(' ') {
                return self.refuse("a space and the units of the area");
            }
            while self.goes_on(" ") {
                let man = self.man(game, area)?;
                game.board.put(man);
            }
            self.exactly("; ", "a unit, or `; ` and the next part")?;
        }
        Ok(())
    }

    /// The name of a unit: its side, its card and its number.
    fn unit(&mut self, game: &MissionCombat) -> Result<(Side, CardId, u32), Misfit> {
        let start = self.offset;
        let slug = self.slug();
        let refuse = |expected| Err(Misfit { offset: start, expected });
        let Some(side) = game.decks().knows(slug) else { return refuse("the name of a card of the decks") };
        let Some(id) = game.decks().find(side, slug) else { return refuse("the name of a card of the decks") };
        let Some(card) = game.decks().card(side, id).filter(|card| card.unit().is_some()) else {
            return refuse("a unit, not an event");
        };
        let number = if self.goes_on(".") { Some(self.number(MOST)?) } else { None };
        match (number, card.copies) {
            (None, 1) => Ok((side, id, 1)),
            (Some(number @ 1..), 2..) => Ok((side, id, number)),
            (Some(_), 1) => refuse("no number: there is one such unit"),
            _ => refuse("a unit with its number, as in rifle-squad.2"),
        }
    }

    fn man(&mut self, game: &mut MissionCombat, area: Area) -> Result<Man, Misfit> {
        let start = self.offset;
        let (side, card, number) = self.unit(game)?;
        let mut man = Man::new(side, card, number, area);
        if game.board.men.iter().any(|other| other.key() == man.key()) {
            return Err(Misfit { offset: start, expected: "each unit once" });
        }
        if let Some(last) = of_mut(&mut game.entered, side).get_mut(usize::from(card)) {
            *last = number.max(*last);
        }
        if self.goes_on(":") {
            man.damage = self.number(MOST)?;
        }
        if self.goes_on("<") {
            match self.area() {
                Some(back) => man.back = Some(back),
                None => return self.refuse("an area to go back to"),
            }
        }
        man.owes = self.goes_on("!");
        man.speed = self.goes_on("~");
        man.road = self.goes_on("^");
        Ok(man)
    }

    fn phase(&mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        if self.goes_on("won ") {
            game.phase = Phase::Won;
            game.board.to_play = self.side()?;
            return self.exactly("; ", "`; ` and the hands");
        }
        game.phase = if self.goes_on("ap ") {
            game.ap = self.number(POINTS)?;
            Phase::Turn
        } else if self.goes_on("drawing") {
            Phase::Drawing
        } else if self.goes_on("placing") {
            Phase::Placing
        } else {
            return self.refuse("an area with its units, `ap` and a number up to 4, `drawing`, `placing` or `won`");
        };
        self.exactly("; to play ", "`; to play ` and a side")?;
        game.board.to_play = self.side()?;
        self.exactly("; ", "`; ` and the next part")
    }

    fn choice(&mut self, game: &MissionCombat) -> Result<Option<[CardId; 2]>, Misfit> {
        if !self.goes_on("choice ") {
            return Ok(None);
        }
        let one = self.card(game, game.board.to_play)?;
        self.exactly(" ", "a space and the other card")?;
        let two = self.card(game, game.board.to_play)?;
        self.exactly("; ", "`; ` and the hands")?;
        Ok(Some([one.min(two), one.max(two)]))
    }

    fn card(&mut self, game: &MissionCombat, side: Side) -> Result<CardId, Misfit> {
        let start = self.offset;
        let slug = self.slug();
        game.decks().find(side, slug).ok_or(Misfit { offset: start, expected: "the name of a card of the side's deck" })
    }

    fn hands(&mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        for (part, side) in [("hand", MARINES), ("hand", PORTALISTS), ("discard", MARINES), ("discard", PORTALISTS)] {
            if (part, side) != ("hand", MARINES) {
                self.exactly("; ", "a card, or `; ` and the next part")?;
            }
            self.exactly(part, "`hand` and `discard` of both sides, the marines' first")?;
            self.exactly(" ", "a space and the side")?;
            self.exactly(word(side), "the hands and piles in order, the marines' first")?;
            if self.goes_on(" -") {
                continue;
            }
            if !self.rest().starts_with(' ') {
                return self.refuse("a space and cards, or ` -` for none");
            }
            while self.goes_on(" ") {
                let start = self.offset;
                let card = self.card(game, side)?;
                if part == "hand" && of(&game.hands, side).total() > u32::from(u8::MAX) / 2 {
                    return Err(Misfit { offset: start, expected: "no more cards than the deck holds" });
                }
                if part == "hand" {
                    of_mut(&mut game.hands, side).add(card);
                } else {
                    of_mut(&mut game.piles, side).push(card);
                }
            }
        }
        Ok(())
    }

    fn entered(&mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        if !self.rest().is_empty() {
            self.exactly("; entered", "the end of the position, or `; entered` and units")?;
            while self.goes_on(" ") {
                let start = self.offset;
                let (side, card, number) = self.unit(game)?;
                match of_mut(&mut game.entered, side).get_mut(usize::from(card)) {
                    Some(last) if *last < number => *last = number,
                    _ => {
                        return Err(Misfit {
                            offset: start,
                            expected: "a higher number than those of the card on the board, each card once",
                        });
                    }
                }
            }
        }
        if self.rest().is_empty() { Ok(()) } else { self.refuse("the end of the position") }
    }
}
