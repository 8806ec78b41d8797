//! Judges the set-up of open play and the actions of a turn, each by its own rule, and plays them.

use smallvec::SmallVec;

use crate::mission_combat::board::areas::{Area, Effect};
use crate::mission_combat::board::cards::{CardId, Effect as EventEffect, Unit};
use crate::mission_combat::board::{Charge, Man};
use crate::mission_combat::notation::{Action, Draw, Name, Opening, Share};
use crate::mission_combat::position::state::{MissionCombat, of, of_mut, word};
use crate::mission_combat::rules::judge::refuse;
use crate::mission_combat::rules::{M17, M20, M21, M22, M23, M24, M25, M26, M27, M30, M31, M32, M35, M55};
use postrider_kernel::{Facts, Illegal, Rule, Side};

/// The places of the units that are hit, with their points. Most attacks hit one.
type Hits = SmallVec<[(usize, u32); 4]>;

const NOTHING_TO_DRAW: &str = "there is nothing to draw: deck and discard pile are empty";

impl MissionCombat {
    /// M15: a card of the opening hand.
    pub(in crate::mission_combat) fn judge_opening_draw(&mut self, slug: &str) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let card = self.decks().find(side, slug).filter(|card| of(&self.stocks, side).of(*card) > 0);
        let Some(card) = card else {
            let message = format!("`{slug}` is not among the cards left in the deck");
            return refuse(M21, message, self.left_in_words());
        };
        self.draw_opening(card);
        Ok(())
    }

    /// M17: a placement of the setup.
    pub(in crate::mission_combat) fn judge_placement(
        &mut self,
        slug: &str,
        area: Area,
        opening: Option<Opening>,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let (card, unit) = self.unit_in_hand(M17, slug)?;
        if area.owner() != side {
            let message = format!("{} is an opposing area: units are placed on the side's own five", area.named());
            return refuse(M17, message, self.places_in_words(unit));
        }
        if unit.oversized && area.is_building() {
            let message = format!("{slug} is oversized, and {} is a building", area.named());
            return refuse(M17, message, self.places_in_words(unit));
        }
        self.leave_hand(side, card, opening, facts)?;
        self.enter_unit(card, area);
        self.placed();
        Ok(())
    }

    /// The card of a unit of the side to play. In open play it must be in the hand; in sealed play its opening shows
    /// that.
    fn unit_in_hand(&self, rule: Rule, slug: &str) -> Result<(CardId, Unit), Illegal> {
        let side = self.board.to_play;
        let Some(card) = self.decks().find(side, slug) else {
            return refuse(rule, self.not_of_the_deck(slug), self.in_hand_in_words(true));
        };
        let Some(unit) = self.decks().unit(side, card) else {
            let message = format!("{slug} is an event, not a unit");
            return refuse(rule, message, self.in_hand_in_words(true));
        };
        if self.sealed.is_none() && of(&self.hands, side).of(card) == 0 {
            return refuse(rule, format!("there is no {slug} in the hand"), self.in_hand_in_words(true));
        }
        Ok((card, unit))
    }

    fn not_of_the_deck(&self, slug: &str) -> String {
        match self.decks().knows(slug) {
            Some(side) => format!("`{slug}` is a card of the {}", word(side)),
            None => format!("there is no card `{slug}` in the decks"),
        }
    }

    /// Removes a card from the hand; in sealed play by its opening (M53).
    pub(in crate::mission_combat) fn leave_hand(
        &mut self,
        side: Side,
        card: CardId,
        opening: Option<Opening>,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        match opening {
            Some(opening) => self.open_card(side, card, opening, facts),
            None => {
                of_mut(&mut self.hands, side).take(card);
                Ok(())
            }
        }
    }

    /// M22: which of two cards is kept.
    pub(in crate::mission_combat) fn judge_keep(&mut self, slug: &str) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let kept = self.decks().find(side, slug).filter(|card| self.choice.is_some_and(|pair| pair.contains(card)));
        let Some(kept) = kept else {
            return refuse(M22, format!("`{slug}` is neither of the two cards drawn"), self.choice_in_words());
        };
        self.keep_card(kept);
        Ok(())
    }

    /// An action of a turn; a unit that had to return has already done so.
    pub(in crate::mission_combat) fn judge_turn_action(
        &mut self,
        action: &Action,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        match action {
            Action::Draw(Draw::Cards(first, second)) => self.judge_draw(first, second.as_deref()),
            Action::Draw(Draw::Times(times)) => self.judge_sealed_draw(*times),
            Action::Play(slug, area, opening) => self.judge_play(slug, *area, *opening, facts),
            Action::Event(slug, shares, opening) => self.judge_event(slug, shares, *opening, facts),
            Action::Move(name, to, paid) => self.judge_move(name, *to, *paid),
            Action::Attack(name, shares) => self.judge_attack(name, shares),
            // Ending a turn is always legal; actions that do not belong to a turn were refused before.
            _ => Ok(()),
        }
    }

    fn pay(&mut self, points: u32) -> Result<(), Illegal> {
        match self.ap.checked_sub(points) {
            Some(left) => {
                self.ap = left;
                Ok(())
            }
            None if self.ap == 0 => refuse(M20, "no action points are left", "free actions, or `end`"),
            None => {
                let message = format!("that costs {points} action points, and this is left: {}", self.ap);
                refuse(M20, message, format!("at most `draw {}`", self.ap))
            }
        }
    }

    /// M21, M22: a draw action of open play.
    fn judge_draw(&mut self, first: &str, second: Option<&str>) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let there = self.drawable(side);
        if there == 0 {
            return refuse(M21, NOTHING_TO_DRAW, "another action, or `end`");
        }
        let mut cards: SmallVec<[CardId; 2]> = SmallVec::new();
        for slug in [Some(first), second].into_iter().flatten() {
            let Some(card) = self.decks().find(side, slug) else {
                return refuse(M21, self.not_of_the_deck(slug), self.left_in_words());
            };
            cards.push(card);
        }
        let two = self.board.uses(side, Effect::Hq) && there > 1;
        match (two, cards.len()) {
            (true, 1) => {
                return refuse(
                    M22,
                    "the HQ is controlled, so two cards are drawn",
                    "`draw CARD CARD`, then `keep CARD`",
                );
            }
            (false, 2) => {
                let message = "one card is drawn: two only with the HQ, and with two cards to draw";
                return refuse(M22, message, "`draw CARD`");
            }
            _ => {}
        }
        cards.sort_unstable();
        let Some(left) = self.after_draw(side, &cards) else {
            let what =
                if cards.len() == 2 { "these two cannot be the next of the deck" } else { "that is not in the deck" };
            let message = format!("{what}: what is on the board, in a hand or in the discard pile cannot be drawn");
            return refuse(M21, message, self.left_in_words());
        };
        self.pay(1)?;
        self.draw_cards(&cards, left);
        Ok(())
    }

    /// M55: draw actions of sealed play.
    fn judge_sealed_draw(&mut self, times: u32) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let there = self.drawable(side);
        if there == 0 {
            return refuse(M21, NOTHING_TO_DRAW, "another action, or `end`");
        }
        if times > there {
            let message = format!("there are only {there} cards to draw, in deck and discard pile together");
            let help = match there.min(self.ap) {
                0 => "free actions, or `end`".to_owned(),
                most => format!("at most `draw {most}`"),
            };
            return refuse(M55, message, help);
        }
        self.pay(times)?;
        let hq = self.board.uses(side, Effect::Hq);
        self.begin_drawing(times, hq);
        Ok(())
    }

    /// M23, M24: what it costs to play a unit in an area.
    fn judge_play(
        &mut self,
        slug: &str,
        area: Area,
        opening: Option<Opening>,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let (card, unit) = self.unit_in_hand(M23, slug)?;
        if unit.oversized && area.is_building() {
            let message = format!("{slug} is oversized, and {} is a building", area.named());
            return refuse(M23, message, self.playable_in_words(unit));
        }
        let portal = match area.effect() {
            Some(Effect::Portal(class)) => Some(class),
            _ => None,
        };
        let controlled = self.board.controller(area) == side;
        if area.owner() != side {
            let Some(class) = portal else {
                let message = format!("{} is an opposing area and no portal", area.named());
                return refuse(M23, message, self.playable_in_words(unit));
            };
            if class != unit.class {
                let message = format!("only {class} units come through {}, and {slug} is {}", area.named(), unit.class);
                return refuse(M24, message, self.playable_in_words(unit));
            }
            if !controlled {
                let message =
                    format!("{} is not controlled: only own units may be on an opposing portal", area.named());
                return refuse(M24, message, self.playable_in_words(unit));
            }
        } else if self.board.is_in(side.other(), area) {
            let message = format!("there is an enemy unit in {}", area.named());
            return refuse(M23, message, self.playable_in_words(unit));
        }
        let free = portal == Some(unit.class) && controlled;
        self.pay(if free { 0 } else { 1 })?;
        self.leave_hand(side, card, opening, facts)?;
        self.enter_unit(card, area);
        Ok(())
    }

    /// The indices of the units of a split, in canonical order, with their points; or what is wrong with it.
    fn split(
        &self,
        shares: &[Share],
        reaches: impl Fn(usize) -> Result<(), String>,
        most: u32,
    ) -> Result<Hits, String> {
        let mut list = Hits::new();
        for Share { unit, points } in shares {
            let at = self.enemy(unit)?;
            if list.iter().any(|(other, _)| *other == at) {
                return Err(format!("{unit} is named twice"));
            }
            reaches(at)?;
            let Some(points) = points else { return Err(format!("the points for {unit} are missing")) };
            let left = self.board.men().get(at).map_or(0, |man| self.board.left(man));
            if *points == 0 || *points > left {
                return Err(format!("{unit} takes 1 to {left} points, not {points}"));
            }
            list.push((at, *points));
        }
        let sum = list.iter().fold(0u32, |sum, (_, points)| sum.saturating_add(*points));
        if sum > most {
            return Err(format!("{sum} points are dealt, and the most is {most}"));
        }
        list.sort_unstable();
        Ok(list)
    }

    /// The index of an enemy unit.
    fn enemy(&self, name: &Name) -> Result<usize, String> {
        let Some(at) = self.find(name) else {
            let several =
                self.board.men().iter().filter(|man| self.decks().slug(man.side, man.card) == &*name.slug).count();
            return Err(match name.number {
                None if several > 1 => format!("there are several {name} on the board: a number says which"),
                _ => format!("there is no {name} on the board"),
            });
        };
        match self.board.men().get(at) {
            Some(man) if man.side == self.board.to_play => Err(format!("{name} belongs to the side itself")),
            _ => Ok(at),
        }
    }

    /// M25, M35: an event, its effect and its cost.
    fn judge_event(
        &mut self,
        slug: &str,
        shares: &[Share],
        opening: Option<Opening>,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let Some(card) = self.decks().find(side, slug) else {
            return refuse(M25, self.not_of_the_deck(slug), self.in_hand_in_words(false));
        };
        let Some(effect) = self.decks().card(side, card).and_then(crate::mission_combat::Card::event) else {
            let message = format!("{slug} is a unit, not an event");
            return refuse(M25, message, self.in_hand_in_words(false));
        };
        if self.sealed.is_none() && of(&self.hands, side).of(card) == 0 {
            return refuse(M25, format!("there is no {slug} in the hand"), self.in_hand_in_words(false));
        }
        let refused = |message: String| Illegal::new(M35, None, message).with_help(self.hit_in_words(effect));
        let hits = match effect {
            EventEffect::Damage { target, points } => {
                let is_target = |at: usize| match self.board.men().get(at).and_then(|man| self.board.unit(man)) {
                    Some(unit) if unit.class == target => Ok(()),
                    Some(unit) => Err(format!("{slug} hurts {target} units, not {} ones", unit.class)),
                    None => Err(String::new()),
                };
                let most = self.event_points(points);
                let hits = self.split(shares, is_target, most).map_err(|message| match most < points {
                    true => refused(format!(
                        "{message} (the enemy controls the Artillery Emplacement, so its {points} points are halved)"
                    )),
                    false => refused(message),
                })?;
                if hits.is_empty() {
                    return Err(refused(format!("{slug} deals up to {most} points, to one unit at least")));
                }
                hits
            }
            EventEffect::Trap => match shares {
                [Share { unit, points: None }] => Hits::from_slice(&[(self.enemy(unit).map_err(refused)?, 0)]),
                _ => return Err(refused(format!("{slug} takes one enemy unit, named without points"))),
            },
        };
        let free = self.board.uses(side, Effect::Events);
        self.pay(if free { 0 } else { 1 })?;
        self.leave_hand(side, card, opening, facts)?;
        self.play_event(card, effect, &hits);
        Ok(())
    }

    /// Plays an event that has left the hand.
    pub(in crate::mission_combat) fn play_event(&mut self, card: CardId, effect: EventEffect, hits: &[(usize, u32)]) {
        let side = self.board.to_play;
        let fallen = match effect {
            EventEffect::Damage { .. } => self.board.deal(hits),
            EventEffect::Trap => self.board.remove(&hits.iter().map(|(at, _)| *at).collect::<Vec<_>>()),
        };
        self.bury(fallen);
        of_mut(&mut self.piles, side).push(card);
        self.check_end();
    }

    /// The index of one's own unit.
    fn own(&self, rule: Rule, name: &Name) -> Result<usize, Illegal> {
        let own =
            self.find(name).filter(|at| self.board.men().get(*at).is_some_and(|man| man.side == self.board.to_play));
        match own {
            Some(at) => Ok(at),
            None => {
                let enemy = self.find(name).is_some();
                let alike =
                    self.board.men().iter().filter(|man| self.decks().slug(man.side, man.card) == &*name.slug).count();
                let message = match name.number {
                    _ if enemy => format!("{name} is an enemy unit"),
                    None if alike > 1 => format!("there are several {name} on the board: a number says which"),
                    _ => format!("there is no {name} on the board"),
                };
                refuse(rule, message, self.own_in_words(name))
            }
        }
    }

    /// M26 to M31: a move.
    fn judge_move(&mut self, name: &Name, to: Area, paid: bool) -> Result<(), Illegal> {
        let at = self.own(M26, name)?;
        let Some(man) = self.board.men().get(at).copied() else { return Ok(()) };
        let near = self.board.layout.joins(man.area, to);
        let charge = match self.board.charge(&man, to) {
            Some(Charge::Point) if paid => {
                let message = format!("no free move of {name} applies, so that 1 action point is what the move costs");
                let enters = self.board.is_in(man.side.other(), to);
                let fits = self.ap > u32::from(enters) && (!enters || self.could_attack(&man, to));
                let plain = format!("`move {name}>{to}`, without `paid`");
                return refuse(M31, message, if fits { plain } else { self.moves_in_words(at, &man) });
            }
            Some(_) if paid && near => Charge::Paid,
            // A paid move goes to an adjacent area.
            Some(charge) if !paid => charge,
            _ if man.area.effect() == Some(Effect::Road) && to != man.area => {
                return Err(self.refuse_road(at, &man, name, to, paid));
            }
            _ => {
                let message = if to == man.area {
                    format!("{name} is already on {}", to.named())
                } else {
                    format!("{} is not adjacent to {}, where {name} is", to.named(), man.area.named())
                };
                return refuse(M26, message, self.moves_in_words(at, &man));
            }
        };
        self.pay(charge.points())?;
        if self.board.is_in(man.side.other(), to) && !self.could_attack(&man, to) {
            let message = format!("there are enemies in {}, and {name} could not attack from there", to.named());
            return refuse(M27, message, self.what_to_attack(&man, to));
        }
        self.board.step(at, to, charge);
        Ok(())
    }

    /// M30: says why neither the road nor a paid move takes a unit from the Arterial Road to an area.
    fn refuse_road(&self, at: usize, man: &Man, name: &Name, to: Area, paid: bool) -> Illegal {
        let moves = self.moves_in_words(at, man);
        let apart = format!("{} is not adjacent to {}", to.named(), man.area.named());
        let message = if paid && self.board.road_leads(man, to) {
            return Illegal::new(M30, None, format!("{apart}: only the free move goes there"))
                .with_help(format!("without `paid` {moves}"));
        } else if to.owner() == man.side {
            format!("the free move of the road ends in an opposing area, and {} is an own one", to.named())
        } else if self.board.controller(man.area) != man.side {
            format!("{apart}, and the road serves the side that controls it, the enemy")
        } else if man.road {
            format!("{apart}, and {name} has used its free move of the road in this turn")
        } else {
            format!("{apart}, and in this game the road goes no farther (`road: adjacent`)")
        };
        Illegal::new(M30, None, message).with_help(moves)
    }

    /// Returns whether a unit could attack from an area (M27).
    fn could_attack(&self, man: &crate::mission_combat::board::Man, from: Area) -> bool {
        self.ap > 0 && self.board.men().iter().any(|other| self.board.reaches(man, from, other))
    }

    /// M32: an attack.
    fn judge_attack(&mut self, name: &Name, shares: &[Share]) -> Result<(), Illegal> {
        let at = self.own(M32, name)?;
        let Some(man) = self.board.men().get(at).copied() else { return Ok(()) };
        let Some(unit) = self.board.unit(&man) else { return Ok(()) };
        let reached = |target: usize| match self.board.men().get(target) {
            Some(other) if self.board.reaches(&man, man.area, other) => Ok(()),
            Some(other) => {
                let (who, far) = (self.name_of(other), other.area);
                Err(match self.board.unit(other) {
                    Some(hurt) if hurt.class != unit.weapon => {
                        format!("{name} hurts {} units, and {who} is {}", unit.weapon, hurt.class)
                    }
                    _ if unit.ranged => {
                        format!("{who} on {} is neither on {} nor adjacent to it", far.named(), man.area.named())
                    }
                    _ => format!("{who} is on {}, not on {}", far.named(), man.area.named()),
                })
            }
            None => Err(String::new()),
        };
        let hits = self
            .split(shares, reached, unit.damage)
            .map_err(|message| Illegal::new(M32, None, message).with_help(self.targets_in_words(&man)))?;
        self.pay(1)?;
        self.strike(&hits);
        Ok(())
    }

    /// Carries out an attack that has been paid for.
    pub(in crate::mission_combat) fn strike(&mut self, hits: &[(usize, u32)]) {
        let fallen = self.board.deal(hits);
        self.bury(fallen);
        self.board.settle();
        self.check_end();
    }
}
