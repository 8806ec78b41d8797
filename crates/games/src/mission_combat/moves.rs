//! Lists what may come next, written from the rules and not from the judging, and counts it.

pub mod complete;
pub mod tree;

use smallvec::SmallVec;

use crate::mission_combat::board::areas::{Area, Effect};
use crate::mission_combat::board::cards::{CardId, Effect as EventEffect};
use crate::mission_combat::board::{Board, Charge, Man};
use crate::mission_combat::notation::{Action, Draw, Share};
use crate::mission_combat::position::state::{MissionCombat, Phase, of};
use postrider_kernel::{Facts, Game, Illegal, Moves, Next, Side};

/// How many ways to split are listed individually; if there are more, only those in coarser steps are.
const LISTED: u64 = 120;

/// How many ways of one split are listed when a grain is set, so that a list always fits into memory.
const MOST: u64 = 1_000_000;

/// Points to split over targets: the indices of the targets with how much each can take, and the number of points.
#[derive(Clone, Debug)]
pub(super) struct Split {
    targets: Way,
    points: u32,
}

/// One way to split points: the indices of targets with their shares.
type Way = SmallVec<[(usize, u32); 8]>;
/// Receives ways one after another.
type EachWay<'a> = dyn FnMut(&[(usize, u32)]) + 'a;

/// A possible next action, to be played without judging.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// A card of the opening hand.
    Opening(CardId),
    Draw(SmallVec<[CardId; 2]>),
    /// Sealed play: this many draw actions.
    Draws(u32),
    Keep(CardId),
    Place(CardId, Area),
    Play(CardId, Area, u32),
    /// An event, with all ways to split its points.
    Event(CardId, EventEffect, Split, u32),
    Trap(CardId, usize, u32),
    Move(usize, Area, Charge),
    /// An attack, with all ways to split its points.
    Attack(usize, Split),
    End,
}

impl Split {
    /// How many ways there are with shares that are multiples of a grain.
    fn count(&self, grain: u32) -> u64 {
        if let [_] = self.targets.as_slice() {
            return self.alone(grain);
        }
        let grain = grain.max(1);
        let room = usize::try_from(self.points / grain).unwrap_or(0);
        let mut ways = vec![0u64; room + 1];
        if let Some(first) = ways.first_mut() {
            *first = 1;
        }
        for (_, most) in &self.targets {
            let most = usize::try_from(most / grain).unwrap_or(0);
            let before = ways.clone();
            for (sum, place) in ways.iter_mut().enumerate() {
                let from = sum.saturating_sub(most);
                *place =
                    before.get(from..=sum).unwrap_or_default().iter().fold(0, |all, ways| all.saturating_add(*ways));
            }
        }
        ways.iter().fold(0u64, |all, ways| all.saturating_add(*ways)).saturating_sub(1)
    }

    /// Calls `each` with every way whose shares are multiples of a grain.
    pub(super) fn each(&self, grain: u32, each: &mut EachWay<'_>) {
        let mut chosen: Way = SmallVec::new();
        self.deeper(0, self.points, grain.max(1), &mut chosen, each);
    }

    fn deeper(&self, nth: usize, left: u32, grain: u32, chosen: &mut Way, each: &mut EachWay<'_>) {
        let Some((at, most)) = self.targets.get(nth) else {
            if !chosen.is_empty() {
                each(chosen);
            }
            return;
        };
        self.deeper(nth + 1, left, grain, chosen, each);
        let mut share = grain;
        while share <= left && share <= *most {
            chosen.push((*at, share));
            self.deeper(nth + 1, left - share, grain, chosen, each);
            chosen.pop();
            share = share.saturating_add(grain);
        }
    }

    /// Counts the ways with a single target: a lower bound that is cheap to compute.
    fn alone(&self, grain: u32) -> u64 {
        self.targets.iter().map(|(_, most)| u64::from(self.points.min(*most) / grain.max(1))).sum()
    }

    /// Every way whose shares are multiples of a grain; if even these are too many to list, some of them.
    fn all(&self, grain: u32) -> Vec<Way> {
        if self.count(grain) > MOST {
            return self.typical();
        }
        let mut ways = Vec::new();
        self.each(grain, &mut |way| ways.push(way.into()));
        ways
    }

    /// How many of the ways with shares that are multiples of a grain are not listed; `set` says whether the player asked
    /// for that grain.
    fn unlisted(&self, grain: u32, set: bool) -> u64 {
        let ways = self.count(grain);
        if ways <= if set { MOST } else { LISTED } {
            return 0;
        }
        ways.saturating_sub(self.typical().len() as u64)
    }

    /// The finest grain for which the list is not too long.
    fn grain(&self) -> u32 {
        let few = |grain: &u32| self.alone(*grain) <= LISTED && self.count(*grain) <= LISTED;
        [1, 2, 5, 10, 20, 50, 100].into_iter().find(few).unwrap_or(self.points.max(1))
    }

    /// A few ways that are worth listing if there are too many: each target alone with as much as it takes, and as much
    /// as possible over all of them from the first on.
    pub(super) fn typical(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        let grain = self.grain();
        if grain == 1 {
            self.each(1, &mut |way| ways.push(way.into()));
            return ways;
        }
        for (at, most) in &self.targets {
            ways.push(SmallVec::from_iter([(*at, self.points.min(*most))]));
        }
        let mut left = self.points;
        let mut greedy = SmallVec::new();
        for (at, most) in &self.targets {
            let share = left.min(*most);
            if share > 0 {
                greedy.push((*at, share));
                left -= share;
            }
        }
        ways.push(greedy);
        self.each(grain, &mut |way| ways.push(way.into()));
        ways.sort();
        ways.dedup();
        ways
    }
}

impl MissionCombat {
    /// Every action that may come next; nothing when the game is over. In sealed play a hand is what its owner was told of it.
    pub(super) fn found(&self) -> Vec<Found> {
        let mut list = Vec::new();
        self.each_found(&mut |found| list.push(found));
        list
    }

    /// Calls `each` with every one of them.
    fn each_found(&self, each: &mut impl FnMut(Found)) {
        let side = self.board.to_play;
        if self.step().is_some() {
            return;
        }
        match self.phase {
            Phase::Won | Phase::Sealing => {}
            Phase::Drawing => of(&self.stocks, side).kinds().for_each(|card| each(Found::Opening(card))),
            Phase::Placing => {
                for card in self.hand_kinds(side) {
                    let Some(unit) = self.decks().unit(side, card) else { continue };
                    let fits = |area: &Area| area.owner() == side && !(unit.oversized && area.is_building());
                    Area::all().filter(fits).for_each(|area| each(Found::Place(card, area)));
                }
            }
            Phase::Turn => self.each_found_in_turn(each),
        }
    }

    fn each_found_in_turn(&self, each: &mut impl FnMut(Found)) {
        if let Some([one, two]) = self.choice {
            each(Found::Keep(one));
            if one != two {
                each(Found::Keep(two));
            }
            return;
        }
        let returning = self.board.returning();
        // All else than its attack is done with the unit back that has to go back.
        let mut after = None;
        if let Some(at) = returning
            && let Some(man) = self.board.men().get(at)
        {
            self.found_attacks(&self.board, at, man, each);
            if man.owes {
                return;
            }
            after.insert(self.board.clone()).go_back();
        }
        let board = after.as_ref().unwrap_or(&self.board);
        let side = board.to_play;
        self.found_draws(board, each);
        for card in self.hand_kinds(side) {
            self.found_plays(board, card, each);
        }
        for (at, man) in board.men().iter().enumerate().filter(|(_, man)| man.side == side) {
            self.found_moves(board, at, man, each);
            if Some(at) != returning {
                self.found_attacks(board, at, man, each);
            }
        }
        each(Found::End);
    }

    /// The cards of a hand, each once: all in open play, in sealed play those that are known.
    fn hand_kinds(&self, side: Side) -> impl Iterator<Item = CardId> {
        let hand = match &self.sealed {
            None => *of(&self.hands, side),
            Some(sealed) => {
                let mut known = crate::mission_combat::board::cards::Counts::none(self.decks().of(side));
                sealed.shoe(side).known.values().for_each(|card| known.add(*card));
                known
            }
        };
        hand.into_kinds()
    }

    fn found_draws(&self, board: &Board, each: &mut impl FnMut(Found)) {
        let side = board.to_play;
        if self.ap == 0 {
            return;
        }
        if self.sealed.is_some() {
            (1..=self.ap.min(self.drawable(side))).for_each(|times| each(Found::Draws(times)));
            return;
        }
        let hq = Area::with(Effect::Hq).is_some_and(|area| board.controller(area) == side);
        let stock = of(&self.stocks, side);
        let pile = of(&self.piles, side);
        // After the last card of the deck comes the pile, shuffled.
        let mut below = crate::mission_combat::board::cards::Counts::none(self.decks().of(side));
        pile.iter().for_each(|card| below.add(*card));
        let (first, second) = match stock.total() {
            0 => (&below, None),
            1 => (stock, Some(&below)),
            _ => (stock, None),
        };
        if !(hq && stock.total() + below.total() > 1) {
            first.kinds().for_each(|card| each(Found::Draw(SmallVec::from_slice(&[card]))));
            return;
        }
        for one in first.kinds() {
            let others = second.unwrap_or(first);
            for two in others.kinds() {
                // Within one pool each pair is listed once, and two of the same card only if there are two.
                let fits = second.is_some() || one < two || one == two && first.of(one) > 1;
                if fits {
                    each(Found::Draw(SmallVec::from_buf([one.min(two), one.max(two)])));
                }
            }
        }
    }

    fn found_plays(&self, board: &Board, card: CardId, each: &mut impl FnMut(Found)) {
        let side = board.to_play;
        if let Some(unit) = self.decks().unit(side, card) {
            for area in Area::all() {
                if unit.oversized && area.is_building() || board.is_in(side.other(), area) {
                    continue;
                }
                let through = area.effect() == Some(Effect::Portal(unit.class)) && board.controller(area) == side;
                let cost = u32::from(!through);
                if (through || area.owner() == side) && cost <= self.ap {
                    each(Found::Play(card, area, cost));
                }
            }
        }
        let Some(effect) = self.decks().card(side, card).and_then(crate::mission_combat::board::cards::Card::event)
        else {
            return;
        };
        let free = Area::with(Effect::Events).is_some_and(|area| board.controller(area) == side);
        let cost = u32::from(!free);
        if cost > self.ap {
            return;
        }
        let enemies = board.men().iter().enumerate().filter(|(_, man)| man.side != side);
        match effect {
            EventEffect::Trap => enemies.for_each(|(at, _)| each(Found::Trap(card, at, cost))),
            EventEffect::Damage { target, points } => {
                let emplacement = Area::with(Effect::Emplacement);
                let halved = side == crate::mission_combat::position::state::MARINES
                    && emplacement.is_some_and(|area| board.controller(area) != side);
                let points = if halved { points / 2 } else { points };
                let hurt = enemies.filter(|(_, man)| board.unit(man).is_some_and(|unit| unit.class == target));
                let split = Split { targets: hurt.map(|(at, man)| (at, board.left(man))).collect(), points };
                if points > 0 && !split.targets.is_empty() {
                    each(Found::Event(card, effect, split, cost));
                }
            }
        }
    }

    pub(super) fn found_moves(&self, board: &Board, at: usize, man: &Man, each: &mut impl FnMut(Found)) {
        let Some(unit) = board.unit(man) else { return };
        let on_road = man.area.effect() == Some(Effect::Road) && board.controller(man.area) == man.side && !man.road;
        for to in Area::all().filter(|to| *to != man.area) {
            let near = board.layout.joins(man.area, to);
            let by_road = on_road && to.owner() != man.side && (near || !board.road_is_near);
            let free = match (by_road, unit.speed && !man.speed) {
                (true, _) => Some(Charge::Road),
                (false, true) if near => Some(Charge::Speed),
                _ => None,
            };
            // A unit with a free move may pay all the same, if a paid move could go there.
            let paid = near.then_some(if free.is_some() { Charge::Paid } else { Charge::Point });
            let hurts = |other: &Man| {
                let reached = other.area == to || unit.ranged && board.layout.joins(to, other.area);
                other.side != man.side && reached && board.unit(other).is_some_and(|other| other.class == unit.weapon)
            };
            let entered = board.is_in(man.side.other(), to);
            let fights = entered && board.men().iter().any(hurts);
            for charge in [free, paid].into_iter().flatten() {
                let Some(left) = self.ap.checked_sub(charge.points()) else { continue };
                if !entered || left > 0 && fights {
                    each(Found::Move(at, to, charge));
                }
            }
        }
    }

    fn found_attacks(&self, board: &Board, at: usize, man: &Man, each: &mut impl FnMut(Found)) {
        let Some(unit) = board.unit(man) else { return };
        if self.ap == 0 {
            return;
        }
        let reached = board.men().iter().enumerate().filter(|(_, other)| {
            let near = other.area == man.area || unit.ranged && board.layout.joins(man.area, other.area);
            other.side != man.side && near && board.unit(other).is_some_and(|other| other.class == unit.weapon)
        });
        let targets: SmallVec<_> = reached.map(|(target, other)| (target, board.left(other))).collect();
        if !targets.is_empty() {
            each(Found::Attack(at, Split { targets, points: unit.damage }));
        }
    }

    /// Plays a possible action, with one of the ways to split it.
    fn perform(&mut self, found: &Found, way: &[(usize, u32)]) {
        let side = self.board.to_play;
        if !matches!(found, Found::Attack(at, _) if self.board.returning() == Some(*at)) {
            self.board.go_back();
        }
        let cost = match found {
            Found::Draw(_) | Found::Attack(..) => 1,
            Found::Draws(times) => *times,
            Found::Play(_, _, cost) | Found::Event(.., cost) | Found::Trap(.., cost) => *cost,
            Found::Move(_, _, charge) => charge.points(),
            Found::Opening(_) | Found::Keep(_) | Found::Place(..) | Found::End => 0,
        };
        self.ap = self.ap.saturating_sub(cost);
        self.fresh = false;
        match found {
            Found::Opening(card) => self.draw_opening(*card),
            Found::Draw(cards) => {
                if let Some(left) = self.after_draw(self.board.to_play, cards) {
                    self.draw_cards(cards, left);
                }
            }
            // Sealed play is not counted through, because its cards come from deals.
            Found::Draws(_) => {}
            Found::Keep(card) => self.keep_card(*card),
            Found::Place(card, area) => {
                crate::mission_combat::position::state::of_mut(&mut self.hands, side).take(*card);
                self.enter_unit(*card, *area);
                self.placed();
            }
            Found::Play(card, area, _) => {
                crate::mission_combat::position::state::of_mut(&mut self.hands, side).take(*card);
                self.enter_unit(*card, *area);
            }
            Found::Event(card, effect, ..) => {
                crate::mission_combat::position::state::of_mut(&mut self.hands, side).take(*card);
                self.play_event(*card, *effect, way);
            }
            Found::Trap(card, at, _) => {
                crate::mission_combat::position::state::of_mut(&mut self.hands, side).take(*card);
                self.play_event(*card, EventEffect::Trap, &[(*at, 0)]);
            }
            Found::Move(at, to, charge) => self.board.step(*at, *to, *charge),
            Found::Attack(..) => self.strike(way),
            Found::End => self.end_turn(),
        }
    }

    /// Makes an action of a possible one, with one of the ways to split it.
    pub(super) fn action(&self, found: &Found, way: &[(usize, u32)]) -> Action {
        let side = self.board.to_play;
        let slug = |card: &CardId| self.decks().slug(side, *card).into();
        let name = |at: &usize| match self.board.men().get(*at) {
            Some(man) => self.full_name(man),
            None => crate::mission_combat::notation::Name { slug: "?".into(), number: None },
        };
        let shares = || way.iter().map(|(at, points)| Share { unit: name(at), points: Some(*points) }).collect();
        match found {
            Found::Opening(card) => Action::Draw(Draw::Cards(slug(card), None)),
            Found::Draw(cards) => match cards.as_slice() {
                [one, two] => Action::Draw(Draw::Cards(slug(one), Some(slug(two)))),
                [one] => Action::Draw(Draw::Cards(slug(one), None)),
                _ => Action::End,
            },
            Found::Draws(times) => Action::Draw(Draw::Times(*times)),
            Found::Keep(card) => Action::Keep(slug(card)),
            Found::Place(card, area) => Action::Place(slug(card), *area, None),
            Found::Play(card, area, _) => Action::Play(slug(card), *area, None),
            Found::Event(card, ..) => Action::Event(slug(card), shares(), None),
            Found::Trap(card, at, _) => Action::Event(slug(card), vec![Share { unit: name(at), points: None }], None),
            Found::Move(at, to, charge) => Action::Move(name(at), *to, *charge == Charge::Paid),
            Found::Attack(at, _) => Action::Attack(name(at), shares()),
            Found::End => Action::End,
        }
    }

    /// The actions that an entry may begin with; if there are very many splits, and no grain is set, some of them.
    pub(super) fn list_actions(&self, out: &mut Moves<Action>) {
        for found in self.found() {
            match &found {
                Found::Event(_, _, split, _) | Found::Attack(_, split) => {
                    let ways = self.grain.map_or_else(|| split.typical(), |grain| split.all(grain));
                    for way in ways {
                        out.push([self.action(&found, &way)]);
                    }
                }
                _ => out.push([self.action(&found, &[])]),
            }
        }
    }

    /// How many ways to split points [`Self::list_actions`] leaves out.
    fn unlisted(&self) -> u64 {
        let grain = self.grain.unwrap_or(1);
        let mut left = 0u64;
        self.each_found(&mut |found| {
            if let Found::Event(_, _, split, _) | Found::Attack(_, split) = &found {
                left = left.saturating_add(split.unlisted(grain, self.grain.is_some()));
            }
        });
        left
    }

    /// The actions that may come next, as shown to people.
    pub(super) fn briefly(&self) -> Vec<String> {
        let mut list: Vec<String> = self.steps_in_brief();
        let mut moves = Moves::default();
        self.list_actions(&mut moves);
        list.extend(moves.iter().map(postrider_kernel::write_entry::<Self>));
        list
    }

    /// The game after the beginning of an entry.
    pub(super) fn after_actions(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Self, Illegal> {
        let mut after = self.clone();
        after.play_all(self.due_side(), self.phase, begun, facts)?;
        Ok(after)
    }

    /// What may follow the beginning of an entry.
    pub(super) fn what_next(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Next, Illegal> {
        let after = self.after_actions(begun, facts)?;
        let whole = after.due_side() != self.due_side() || after.outcome().is_some();
        if whole {
            return Ok(Next { whole, ..Next::default() });
        }
        let mut actions = after.briefly();
        actions.sort_unstable();
        actions.dedup();
        Ok(Next { actions, whole, left_out: after.unlisted() })
    }

    /// Counts the sequences of `depth` single actions of open play, with shares that are multiples of a grain.
    pub(super) fn count_sequences(&self, depth: u32, grain: u32) -> u64 {
        let Some(deeper) = depth.checked_sub(1) else { return 1 };
        let mut nodes = 0u64;
        self.each_found(&mut |found| {
            let count = match &found {
                Found::Event(_, _, split, _) | Found::Attack(_, split) => {
                    if deeper == 0 {
                        split.count(grain)
                    } else {
                        let mut below = 0u64;
                        split.each(grain, &mut |way| {
                            below = below.saturating_add(self.performed(&found, way).count_sequences(deeper, grain));
                        });
                        below
                    }
                }
                _ if deeper == 0 => 1,
                _ => self.performed(&found, &[]).count_sequences(deeper, grain),
            };
            nodes = nodes.saturating_add(count);
        });
        nodes
    }

    /// The same, separately for each first action.
    pub(super) fn divide_sequences(&self, depth: u32, grain: u32) -> Vec<(String, u64)> {
        let Some(deeper) = depth.checked_sub(1) else { return Vec::new() };
        let mut rows = Vec::new();
        for found in self.found() {
            let mut row = |way: &[(usize, u32)]| {
                let mut text = String::new();
                Self::write_action(&self.action(&found, way), &mut text);
                rows.push((text, self.performed(&found, way).count_sequences(deeper, grain)));
            };
            match &found {
                Found::Event(_, _, split, _) | Found::Attack(_, split) => split.each(grain, &mut row),
                _ => row(&[]),
            }
        }
        rows
    }

    pub(super) fn performed(&self, found: &Found, way: &[(usize, u32)]) -> Self {
        let mut after = self.clone();
        after.perform(found, way);
        after
    }
}
