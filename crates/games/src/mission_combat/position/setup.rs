//! Reads a position line: its parts, what they contain, and what is impossible.

use std::ops::Range;

use crate::mission_combat::board::areas::{Area, Effect};
use crate::mission_combat::board::cards::{CARDS, CardId, Counts, UNITS};
use crate::mission_combat::board::{Key, Man};
use crate::mission_combat::position::state::{MARINES, MissionCombat, POINTS, Phase, of, of_mut, word};
use postrider_kernel::Side;
use postrider_kernel::notation::{Misfit, Reader};

/// The largest number of a unit: six digits.
const MOST: u32 = 999_999;

/// The kinds of part; each occurs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Area(Area),
    /// `ap 3`, `drawing`, `placing`, `won marines`.
    Turn,
    ToPlay,
    Choice,
    Hand(Side),
    Discard(Side),
    Entered,
}

impl Kind {
    /// Returns whether a part is of this kind, judging by its beginning.
    fn of(part: &str) -> Option<Self> {
        let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
        let side = || Side::BOTH.into_iter().find(|side| rest.split(' ').next() == Some(word(*side)));
        match first {
            "ap" | "drawing" | "placing" | "won" => Some(Kind::Turn),
            "to" => Some(Kind::ToPlay),
            "choice" => Some(Kind::Choice),
            "hand" => side().map(Kind::Hand),
            "discard" => side().map(Kind::Discard),
            "entered" => Some(Kind::Entered),
            _ => Area::read(first.as_bytes()).map(Kind::Area),
        }
    }

    /// What is expected of a part of this kind that is out of order.
    const fn sorted(self) -> &'static str {
        match self {
            Kind::Area(_) => "the units of an area in their order: the marines' first, then by name, then by number",
            Kind::Hand(_) => "the cards of a hand sorted by name",
            Kind::Choice => "the two cards sorted by name",
            Kind::Entered => "the units behind `entered` sorted by name",
            Kind::Turn | Kind::ToPlay | Kind::Discard(_) => "this part in canonical form",
        }
    }
}

/// What is wrong with a position, and in which part.
struct Fault {
    at: At,
    expected: &'static str,
}

/// The part at fault.
enum At {
    Unit(Key),
    Part(Kind),
}

impl Fault {
    const fn new(at: At, expected: &'static str) -> Self {
        Self { at, expected }
    }

    fn unit(man: &Man, expected: &'static str) -> Self {
        Self::new(At::Unit(man.key()), expected)
    }
}

/// The parts of a position line, each with its place, and where each unit is written.
struct Parts<'a> {
    text: &'a str,
    list: Vec<(Kind, Range<usize>)>,
    units: Vec<(Key, usize)>,
}

impl<'a> Parts<'a> {
    /// Splits a line into parts. What follows the beginning of each part is not checked.
    fn of(text: &'a str) -> Result<Self, Misfit> {
        const PARTS: &str = "an area with its units, `ap` and a number up to 4, `drawing`, `placing` or `won`, `to play`, `choice`, \
                             `hand` or `discard` and a side, or `entered`";
        let mut parts = Self { text, list: Vec::new(), units: Vec::new() };
        let mut start = 0;
        for part in text.split("; ") {
            let refuse = |expected| Err(Misfit { offset: start, expected });
            match Kind::of(part) {
                None => return refuse(PARTS),
                Some(kind) if parts.place(kind).is_some() => {
                    return refuse(if matches!(kind, Kind::Area(_)) { "each area once" } else { "each part once" });
                }
                Some(kind) => parts.list.push((kind, start..start + part.len())),
            }
            start += part.len() + "; ".len();
        }
        Ok(parts)
    }

    fn place(&self, kind: Kind) -> Option<Range<usize>> {
        self.list.iter().find(|(other, _)| *other == kind).map(|(_, place)| place.clone())
    }

    /// A reader for the part of a kind, if there is one; it ends where the part does.
    fn reader(&self, kind: Kind) -> Option<Line<'a>> {
        let place = self.place(kind)?;
        Some(Line(Reader { text: self.text.get(..place.end)?, offset: place.start }))
    }

    /// The same for a required part.
    fn needed(&self, kind: Kind, expected: &'static str) -> Result<Line<'a>, Misfit> {
        self.reader(kind).ok_or(Misfit { offset: self.text.len(), expected })
    }

    fn misfit(&self, fault: &Fault) -> Misfit {
        let offset = match fault.at {
            At::Unit(key) => self.units.iter().find(|(unit, _)| *unit == key).map(|(_, at)| *at),
            At::Part(kind) => self.place(kind).map(|place| place.start),
        };
        Misfit { offset: offset.unwrap_or(0), expected: fault.expected }
    }

    /// Reads all parts into a game that has not begun.
    fn read(&mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        let phase = self.needed(Kind::Turn, "a part `ap` and a number, `drawing`, `placing` or `won` and a side")?;
        phase.phase(game)?;
        match self.reader(Kind::ToPlay) {
            Some(line) if game.phase == Phase::Won => return line.0.refuse("no `to play`: the game is over"),
            Some(line) => line.whose_turn(game)?,
            None if game.phase == Phase::Won => {}
            None => return Err(Misfit { offset: self.text.len(), expected: "a part `to play` and a side" }),
        }
        for area in Area::all() {
            if let Some(line) = self.reader(Kind::Area(area)) {
                line.units(game, area, &mut self.units)?;
            }
        }
        if let Some(line) = self.reader(Kind::Choice) {
            game.choice = Some(line.choice(game)?);
        }
        for side in Side::BOTH {
            let lacking = if side == MARINES { "a part `hand marines`" } else { "a part `hand portalists`" };
            self.needed(Kind::Hand(side), lacking)?
                .cards(game, side, |game, card| of_mut(&mut game.hands, side).add(card))?;
            let lacking = if side == MARINES { "a part `discard marines`" } else { "a part `discard portalists`" };
            self.needed(Kind::Discard(side), lacking)?
                .cards(game, side, |game, card| of_mut(&mut game.piles, side).push(card))?;
        }
        match self.reader(Kind::Entered) {
            Some(line) => line.entered(game),
            None => Ok(()),
        }
    }

    /// Checks that the parts, and what is in them, are in canonical order.
    fn are_in_order(&self, canonical: &str) -> Result<(), Misfit> {
        for (written, (kind, place)) in canonical.split("; ").zip(&self.list) {
            let have = self.text.get(place.clone()).unwrap_or_default();
            if written == have {
                continue;
            }
            let same = written.bytes().zip(have.bytes()).take_while(|(one, other)| one == other).count();
            return Err(match (Kind::of(written), kind) {
                (Some(due), kind) if due == *kind => Misfit { offset: place.start + same, expected: kind.sorted() },
                (Some(Kind::Area(_)), Kind::Area(_)) => {
                    Misfit { offset: place.start, expected: "the areas in the order BP RP DP YA YO BW AR BE AE HQ" }
                }
                _ => Misfit {
                    offset: place.start,
                    expected: "the parts in their order: areas; `ap`, `drawing`, `placing` or `won`; `to play`; `choice`; \
                               `hand marines`; `hand portalists`; `discard marines`; `discard portalists`; `entered`",
                },
            });
        }
        if canonical == self.text {
            Ok(())
        } else {
            Err(Misfit { offset: 0, expected: "the position in canonical form" })
        }
    }
}

/// One part, read from left to right.
struct Line<'a>(Reader<'a>);

impl<'a> Line<'a> {
    /// Takes the following characters of a kind.
    fn run(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.0.rest();
        let length = rest.bytes().take_while(|byte| fits(*byte)).count();
        self.0.offset += length;
        rest.get(..length).unwrap_or_default()
    }

    fn number(&mut self, least: u32, most: u32, expected: &'static str) -> Result<u32, Misfit> {
        let start = self.0.offset;
        let digits = self.run(|byte| byte.is_ascii_digit());
        let spelled = digits == "0" || !digits.starts_with('0');
        let value = digits.parse().ok().filter(|value| spelled && digits.len() <= 9 && (least..=most).contains(value));
        value.ok_or(Misfit { offset: start, expected })
    }

    fn slug(&mut self) -> &'a str {
        self.run(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    }

    fn side(&mut self) -> Result<Side, Misfit> {
        match Side::BOTH.into_iter().find(|side| self.0.skip(word(*side))) {
            Some(side) => Ok(side),
            None => self.0.refuse("`marines` or `portalists`"),
        }
    }

    fn ends(&self, expected: &'static str) -> Result<(), Misfit> {
        if self.0.rest().is_empty() { Ok(()) } else { self.0.refuse(expected) }
    }

    fn phase(mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        game.phase = if self.0.skip("won ") {
            game.board.to_play = self.side()?;
            Phase::Won
        } else if self.0.skip("ap ") {
            game.ap = self.number(0, POINTS, "a number from 0 to 4")?;
            Phase::Turn
        } else if self.0.skip("drawing") {
            Phase::Drawing
        } else if self.0.skip("placing") {
            Phase::Placing
        } else {
            return self.0.refuse("`ap` and a number, `drawing`, `placing` or `won` and a side");
        };
        self.ends("the end of this part")
    }

    fn whose_turn(mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        self.0.exactly("to play ", "`to play` and a side")?;
        game.board.to_play = self.side()?;
        self.ends("the end of this part")
    }

    /// The name of a unit: its side, its card and its number.
    fn unit(&mut self, game: &MissionCombat) -> Result<(Side, CardId, u32), Misfit> {
        let start = self.0.offset;
        let slug = self.slug();
        let refuse = |expected| Err(Misfit { offset: start, expected });
        let Some(side) = game.decks().knows(slug) else { return refuse("the name of a card of the decks") };
        let Some(id) = game.decks().find(side, slug) else { return refuse("the name of a card of the decks") };
        let Some(card) = game.decks().card(side, id).filter(|card| card.unit().is_some()) else {
            return refuse("a unit, not an event");
        };
        match (self.0.skip("."), card.copies) {
            (false, 1) => Ok((side, id, 1)),
            (true, 2..) => Ok((side, id, self.number(1, MOST, "a number from 1 to 999999 without a leading zero")?)),
            (true, 1) => refuse("no number: there is one such unit"),
            _ => refuse("a unit with its number, as in rifle-squad.2"),
        }
    }

    /// The units of an area, with their places.
    fn units(mut self, game: &mut MissionCombat, area: Area, places: &mut Vec<(Key, usize)>) -> Result<(), Misfit> {
        self.0.offset += area.to_string().len();
        if !self.0.rest().starts_with(' ') {
            return self.0.refuse("a space and the units of the area");
        }
        while self.0.skip(" ") {
            let start = self.0.offset;
            // So that a long line of units costs no more than the decks can contain.
            if game.board.men().len() >= 2 * CARDS as usize {
                return self.0.refuse("no more units than the decks hold");
            }
            let man = self.man(game, area)?;
            places.push((man.key(), start));
            game.board.put(man);
        }
        self.ends("a space and a unit, or `; ` and the next part")
    }

    fn man(&mut self, game: &mut MissionCombat, area: Area) -> Result<Man, Misfit> {
        let start = self.0.offset;
        let (side, card, number) = self.unit(game)?;
        let mut man = Man::new(side, card, number, area);
        if game.board.men().iter().any(|other| other.key() == man.key()) {
            return Err(Misfit { offset: start, expected: "each unit once" });
        }
        if let Some(last) = of_mut(&mut game.entered, side).get_mut(usize::from(card)) {
            *last = number.max(*last);
        }
        if self.0.skip(":") {
            man.damage = self.number(1, MOST, "the damage, from 1 on")?;
        }
        if self.0.skip("<") {
            let back = self.0.rest().as_bytes().get(..2).and_then(Area::read);
            let Some(back) = back else { return self.0.refuse("an area to go back to") };
            self.0.offset += back.to_string().len();
            man.back = Some(back);
        }
        man.owes = self.0.skip("!");
        man.speed = self.0.skip("~");
        man.road = self.0.skip("^");
        Ok(man)
    }

    fn choice(mut self, game: &MissionCombat) -> Result<[CardId; 2], Misfit> {
        self.0.exactly("choice ", "`choice` and two cards")?;
        let one = self.card(game, game.board.to_play)?;
        self.0.exactly(" ", "a space and the other card")?;
        let two = self.card(game, game.board.to_play)?;
        self.ends("the end of this part: two cards are drawn")?;
        Ok([one.min(two), one.max(two)])
    }

    fn card(&mut self, game: &MissionCombat, side: Side) -> Result<CardId, Misfit> {
        let start = self.0.offset;
        let slug = self.slug();
        game.decks().find(side, slug).ok_or(Misfit { offset: start, expected: "the name of a card of the side's deck" })
    }

    /// Reads the cards of a hand or a pile, passing each to `put`.
    fn cards(
        mut self,
        game: &mut MissionCombat,
        side: Side,
        put: impl Fn(&mut MissionCombat, CardId),
    ) -> Result<(), Misfit> {
        // The name of the part and the side, by which it was found.
        self.slug();
        self.0.exactly(" ", "a space and the side")?;
        self.slug();
        if self.0.rest() == " -" {
            return Ok(());
        }
        if !self.0.rest().starts_with(' ') {
            return self.0.refuse("a space and cards, or ` -` for none");
        }
        let mut left = CARDS;
        while self.0.skip(" ") {
            let card = self.card(game, side)?;
            let Some(fewer) = left.checked_sub(1) else { return self.0.refuse("no more cards than the deck holds") };
            left = fewer;
            put(game, card);
        }
        self.ends("a space and a card, or `; ` and the next part")
    }

    fn entered(mut self, game: &mut MissionCombat) -> Result<(), Misfit> {
        self.0.exactly("entered", "`entered` and units")?;
        if !self.0.rest().starts_with(' ') {
            return self.0.refuse("a space and units");
        }
        let mut seen = Vec::new();
        while self.0.skip(" ") {
            let start = self.0.offset;
            let (side, card, number) = self.unit(game)?;
            let refuse = |expected| Err(Misfit { offset: start, expected });
            if game.decks().card(side, card).is_none_or(|card| card.copies < 2) {
                return refuse("units of which there are several");
            }
            if seen.contains(&(side, card)) {
                return refuse("each card once");
            }
            seen.push((side, card));
            match of_mut(&mut game.entered, side).get_mut(usize::from(card)) {
                Some(last) if *last < number => *last = number,
                _ => return refuse("a higher number than those of the card on the board"),
            }
        }
        self.ends("a space and a unit, or the end of the position")
    }
}

impl MissionCombat {
    /// Reads a position line into a game that has not begun. If it is `typed`, the parts, the units in an area and the
    /// cards in a hand may be in any order; in a record the spelling is canonical.
    pub(in crate::mission_combat) fn read_position(&mut self, text: &str, typed: bool) -> Result<(), Misfit> {
        let mut parts = Parts::of(text)?;
        parts.read(self)?;
        self.fresh = true;
        self.stocks = self.rest_of_the_decks().map_err(|fault| parts.misfit(&fault))?;
        if let Some(fault) = self.fault_on_board().or_else(|| self.fault_of_phase()) {
            return Err(parts.misfit(&fault));
        }
        if typed { Ok(()) } else { parts.are_in_order(&self.write_position()) }
    }

    /// The undealt decks: without what is on the board, in a hand, in a pile or to be chosen from.
    fn rest_of_the_decks(&self) -> Result<[Counts; 2], Fault> {
        const SURPLUS: &str = "no more of any card, in all places together, than its deck holds";
        let mut rest = Side::BOTH.map(|side| Counts::all(self.decks().of(side)));
        for man in self.board.men() {
            if !of_mut(&mut rest, man.side).take(man.card) {
                return Err(Fault::unit(man, SURPLUS));
            }
        }
        for side in Side::BOTH {
            let chosen = self.choice.into_iter().flatten().filter(|_| side == self.board.to_play);
            let chosen = chosen.map(|card| (Kind::Choice, card));
            let hand = of(&self.hands, side).cards().map(|card| (Kind::Hand(side), card));
            let pile = of(&self.piles, side).iter().map(|card| (Kind::Discard(side), *card));
            for (kind, card) in chosen.chain(hand).chain(pile) {
                if !of_mut(&mut rest, side).take(card) {
                    return Err(Fault::new(At::Part(kind), SURPLUS));
                }
            }
        }
        Ok(rest)
    }

    /// What is wrong with the units on the board, if anything.
    fn fault_on_board(&self) -> Option<Fault> {
        let mut going_back = self.board.men().iter().filter(|man| man.back.is_some());
        if let (Some(_), Some(second)) = (going_back.next(), going_back.next()) {
            return Some(Fault::unit(second, "one unit at most that has to go back"));
        }
        self.board.men().iter().find_map(|man| Some(Fault::unit(man, self.fault_of_unit(man)?)))
    }

    fn fault_of_unit(&self, man: &Man) -> Option<&'static str> {
        let board = &self.board;
        let side = board.to_play;
        let opening = matches!(self.phase, Phase::Drawing | Phase::Placing);
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
            // A unit among enemies is one that entered: a unit of the side to play, which was checked.
            None if man.side != side && man.area.is_building() && unit.oversized => {
                return Some("no oversized unit on a building, but for one that has to go back");
            }
            None => {}
            Some(_) if !cannot_stay => return Some("`<` on a unit that has to go back"),
            Some(back) => {
                let by_road = man.road && back.effect() == Some(Effect::Road);
                let came =
                    board.layout.joins(back, man.area) || by_road && man.area.owner() != side && back != man.area;
                if !came {
                    return Some("`<` and an adjacent area, or AR where the road was used");
                }
                if board.is_in(side.other(), back) || unit.oversized && back.is_building() {
                    return Some("`<` and an area where the unit may stay");
                }
            }
        }
        if man.owes {
            let fights = board.men().iter().any(|other| board.reaches(man, man.area, other));
            if !(board.is_in(side.other(), man.area) && fights && self.ap > 0) {
                return Some("`!` on a unit among enemies that can attack");
            }
        }
        None
    }

    /// What does not fit the phase of the game, if anything.
    fn fault_of_phase(&self) -> Option<Fault> {
        let board = &self.board;
        let side = board.to_play;
        let turn = |expected| Some(Fault::new(At::Part(Kind::Turn), expected));
        match self.phase {
            Phase::Turn if !Side::BOTH.into_iter().all(|side| board.has_units(side)) => {
                return turn("units of both sides on the board, or `won` and the side that has some");
            }
            Phase::Won if board.has_units(side.other()) || !board.has_units(side) => {
                return turn("`won` where the winner has units on the board and the loser none");
            }
            _ => {}
        }
        if self.choice.is_some() {
            let drawn = self.phase == Phase::Turn && self.ap < POINTS && board.returning().is_none();
            if !(drawn && board.uses(side, Effect::Hq)) {
                let expected = "`choice` in a turn with 3 action points or fewer, with the HQ and no unit to go back";
                return Some(Fault::new(At::Part(Kind::Choice), expected));
            }
        }
        match self.phase {
            Phase::Drawing => self.fault_of_opening_cards().or_else(|| self.fault_of_drawing()),
            Phase::Placing => self.fault_of_opening_cards().or_else(|| self.fault_of_placing()),
            Phase::Sealing | Phase::Turn | Phase::Won => None,
        }
    }

    fn fault_of_opening_cards(&self) -> Option<Fault> {
        Side::BOTH.into_iter().find_map(|side| {
            let is_unit = |card: CardId| self.decks().unit(side, card).is_some();
            if !of(&self.hands, side).kinds().all(is_unit) {
                return Some(Fault::new(At::Part(Kind::Hand(side)), "only units in the hands before the first turn"));
            }
            let events = of(&self.piles, side).iter().all(|card| !is_unit(*card));
            let fault = || Fault::new(At::Part(Kind::Discard(side)), "only events in the piles before the first turn");
            (!events).then(fault)
        })
    }

    fn fault_of_drawing(&self) -> Option<Fault> {
        let side = self.board.to_play;
        let other = side.other();
        let hand = |side| of(&self.hands, side).total();
        if let Some(man) = self.board.men().first() {
            return Some(Fault::unit(man, "no unit on the board while the hands are drawn"));
        }
        if self.entered.iter().flatten().any(|last| *last > 0) {
            return Some(Fault::new(
                At::Part(Kind::Entered),
                "no unit that was on the board while the hands are drawn",
            ));
        }
        if hand(side) >= UNITS {
            let expected = "fewer than five units in the hand that is being drawn";
            return Some(Fault::new(At::Part(Kind::Hand(side)), expected));
        }
        let untouched = hand(other) == 0 && of(&self.piles, other).is_empty();
        let expected = "five units in the other hand, or nothing drawn there yet";
        (hand(other) != UNITS && !untouched).then(|| Fault::new(At::Part(Kind::Hand(other)), expected))
    }

    fn fault_of_placing(&self) -> Option<Fault> {
        let side = self.board.to_play;
        let hand = |side| of(&self.hands, side).total();
        for side in Side::BOTH {
            let men = || self.board.men().iter().filter(|man| man.side == side);
            if u32::try_from(men().count()).ok().and_then(|men| men.checked_add(hand(side))) != Some(UNITS) {
                let expected = "five units a side, in hand and on the board together, while they are placed";
                return Some(Fault::new(At::Part(Kind::Hand(side)), expected));
            }
            if let Some(man) = men().find(|man| man.area.owner() != side) {
                return Some(Fault::unit(man, "units on own areas while they are placed"));
            }
            for (id, last) in of(&self.entered, side).iter().enumerate() {
                let of_card = || men().filter(|man| usize::from(man.card) == id);
                if u32::try_from(of_card().count()) != Ok(*last) {
                    let expected = "units numbered without gaps while they are placed";
                    return Some(match of_card().next_back() {
                        Some(man) => Fault::unit(man, expected),
                        None => Fault::new(At::Part(Kind::Entered), expected),
                    });
                }
            }
        }
        let fits = hand(side) > 0 && (hand(side) == hand(side.other()) || hand(side) == hand(side.other()) + 1);
        let expected = "hands of the same size, or one card more in that of the side to play";
        (!fits).then(|| Fault::new(At::Part(Kind::Hand(side)), expected))
    }
}
