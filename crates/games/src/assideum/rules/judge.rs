//! Judging: which rule a turn breaks, in the order of the rulebook. It goes square by square, whereas the generator
//! works with sets.

use crate::assideum::board::field::Field;
use crate::assideum::board::{DIAGONAL, STEPS, STRAIGHT, Square, carried_to, squares};
use crate::assideum::position::state::{Action, Assideum, Deed, Kind, WHITE};
use crate::assideum::rules::{A4, A13, A31, A42, A54, A56};
use postrider_kernel::{Claim, Illegal, NotQuiet, Outcome, Side};

/// What is wrong with a turn, without words: threats are found by judging every attack on the Commander's square (A50),
/// so a refusal must be cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assideum) enum TurnFault {
    /// It cannot move that way or that far, or at all (A10 to A13).
    Way,
    /// A ground force is in the way (A14).
    Blocked(Square),
    /// A friendly ground force is on the square (A14).
    Friend,
    /// `-` onto an enemy ground force (A14).
    Enemy,
    /// `x` onto a square without a ground force (A15).
    Nobody,
    /// The facing that it already has (A13).
    SameFacing,
    /// `+` names a Fighter that is carried in any case (A30).
    CarriedAnyway(Square),
    /// `+` names a landed Fighter (A32).
    Landed(Square),
    /// `+` names a square without a Fighter in the overlap (A31).
    NotOverlapped(Square),
    /// `+` names a square more often than there are Fighters on it (A31).
    TooOften(Square),
    /// A Fighter carried from the first square would land on an enemy flyer on the second (A35).
    Collision(Square, Square),
    /// Rangers cannot fire in this game (A42).
    NoFire,
    /// The square fired at is beyond the Ranger's range (A42).
    TooFar,
    /// The square fired at is not straight ahead, or has no ground force (A42).
    NoTarget,
    /// This ground force, and not the one fired at, is the first ahead (A42).
    Covered(Square),
    /// The first ground force ahead is friendly (A42).
    FriendlyFire,
    /// `-` onto the Fighter's own square (A22).
    Hover,
    /// There is nothing to attack in place (A41).
    NothingInPlace,
    /// Landed, and under an enemy flyer (A24).
    HeldDown,
    /// Not a straight line (A22).
    NotStraight,
    /// Outside every zone (A22).
    NoZone,
    /// The path leaves the zone, or the union of zones, at this square (A22).
    LeavesZone(Square),
    /// An enemy flyer is in the way (A23).
    FlyerOnWay(Square),
    /// `-` onto an enemy flyer (A40).
    MustAttack,
    /// `x` onto two enemy flyers (A7).
    TwoFlyers,
    /// `x` onto nothing that can be attacked (A40).
    NoPrey,
}

impl Field {
    /// Judges a turn of the side to play whose piece exists, ignoring the safety of its own Commander (A51).
    pub(in crate::assideum) fn judge(&self, range: u8, turn: &Action) -> Result<(), TurnFault> {
        match (turn.kind, turn.deed) {
            (Some(Kind::Fighter), Deed::Move(to)) => self.judge_flight(turn.from, to, false),
            (Some(Kind::Fighter), Deed::Attack(to)) if to == turn.from => self.judge_in_place(to),
            (Some(Kind::Fighter), Deed::Attack(to)) => self.judge_flight(turn.from, to, true),
            (Some(Kind::Ranger), Deed::Fire(at)) => self.judge_fire(range, turn.from, at),
            (Some(kind), Deed::Move(to) | Deed::Attack(to)) => {
                self.judge_move(kind, turn.from, to, matches!(turn.deed, Deed::Attack(_)))?;
                self.judge_facing(turn)?;
                self.judge_carried(turn, to)
            }
            (Some(_), Deed::Spin) if turn.facing.is_some() => {
                self.judge_facing(turn)?;
                self.judge_carried(turn, turn.from)
            }
            _ => Err(TurnFault::Way),
        }
    }

    /// A10 to A15.
    fn judge_move(&self, kind: Kind, from: Square, to: Square, attack: bool) -> Result<(), TurnFault> {
        let (direction, length) = from.way_to(to).ok_or(TurnFault::Way)?;
        let forward = if self.to_play == WHITE { [7, 0, 1] } else { [3, 4, 5] };
        let its_way = match kind {
            Kind::Striker => direction % 2 == 0,
            Kind::Cruiser => true,
            Kind::Vedrin if self.promoted() & from.set() == 0 => length == 1 && forward.contains(&direction),
            _ => length == 1,
        };
        if !its_way {
            return Err(TurnFault::Way);
        }
        if let Some(blocker) = self.first_on_way(from, to, direction, self.ground()) {
            return Err(TurnFault::Blocked(blocker));
        }
        match self.owner(to) {
            Some(side) if side == self.to_play => Err(TurnFault::Friend),
            Some(_) if !attack => Err(TurnFault::Enemy),
            None if attack => Err(TurnFault::Nobody),
            _ => Ok(()),
        }
    }

    /// The first square strictly between two others that is in a set.
    fn first_on_way(&self, from: Square, to: Square, direction: usize, set: u64) -> Option<Square> {
        let mut at = from.step(direction)?;
        while at != to {
            if set & at.set() != 0 {
                return Some(at);
            }
            at = at.step(direction)?;
        }
        None
    }

    /// A13: a facing that is written must be a new one.
    fn judge_facing(&self, turn: &Action) -> Result<(), TurnFault> {
        if turn.facing == Some(self.facing(turn.from)) { Err(TurnFault::SameFacing) } else { Ok(()) }
    }

    /// A30 to A32: what `+` names; A35: where the carried Fighters end up.
    fn judge_carried(&self, turn: &Action, to: Square) -> Result<(), TurnFault> {
        if turn.kind != Some(Kind::Portal) {
            return Ok(());
        }
        let own = self.to_play;
        let portals = self.of(Kind::Portal, own);
        let zone = self.zone(turn.from);
        let other = self.other_zone(own, turn.from);
        for (nth, named) in turn.carried.iter().enumerate() {
            let there = self.fighters(own).on(named);
            let earlier = turn.carried.iter().take(nth).filter(|&before| before == named).count();
            if there == 0 || portals & named.set() == 0 && zone & named.set() == 0 {
                return Err(TurnFault::NotOverlapped(named));
            } else if portals & named.set() != 0 {
                return Err(TurnFault::Landed(named));
            } else if other & named.set() == 0 {
                return Err(TurnFault::CarriedAnyway(named));
            } else if earlier == there {
                return Err(TurnFault::TooOften(named));
            }
        }
        let before = (turn.from, self.facing(turn.from));
        let after = (to, turn.facing.unwrap_or(before.1));
        let enemies = self.flying(own.other());
        for at in self.fighters(own).iter() {
            let flying = portals & at.set() == 0;
            let exclusive = zone & at.set() != 0 && other & at.set() == 0;
            let carried = flying && (exclusive || turn.carried.iter().any(|named| named == at));
            let lands = carried_to(at, before, after);
            if carried && enemies & lands.set() != 0 {
                return Err(TurnFault::Collision(at, lands));
            }
        }
        Ok(())
    }

    /// A42.
    fn judge_fire(&self, range: u8, from: Square, at: Square) -> Result<(), TurnFault> {
        if range == 0 {
            return Err(TurnFault::NoFire);
        }
        let direction = self.facing(from).direction();
        match from.way_to(at) {
            Some((way, _)) if way != direction => return Err(TurnFault::NoTarget),
            None => return Err(TurnFault::NoTarget),
            Some((_, length)) if length > range => return Err(TurnFault::TooFar),
            Some(_) => {}
        }
        if let Some(nearer) = self.first_on_way(from, at, direction, self.ground()) {
            return Err(TurnFault::Covered(nearer));
        }
        match self.owner(at) {
            None => Err(TurnFault::NoTarget),
            Some(side) if side == self.to_play => Err(TurnFault::FriendlyFire),
            Some(_) => Ok(()),
        }
    }

    /// A41.
    fn judge_in_place(&self, at: Square) -> Result<(), TurnFault> {
        let enemy = self.to_play.other();
        let landed = self.of(Kind::Portal, self.to_play) & at.set() != 0;
        let prey = if landed { self.flying(enemy) } else { self.side(enemy) };
        if prey & at.set() == 0 { Err(TurnFault::NothingInPlace) } else { Ok(()) }
    }

    /// A22 to A24, A40, A7.
    fn judge_flight(&self, from: Square, to: Square, attack: bool) -> Result<(), TurnFault> {
        if from == to {
            return Err(TurnFault::Hover);
        }
        let (own, enemy) = (self.to_play, self.to_play.other());
        let flyers = self.flying(enemy);
        let portals = self.of(Kind::Portal, own);
        if portals & flyers & from.set() != 0 {
            return Err(TurnFault::HeldDown);
        }
        let (direction, _) = from.way_to(to).ok_or(TurnFault::NotStraight)?;
        let region = self.region(own, from);
        if region == 0 {
            return Err(TurnFault::NoZone);
        }
        if let Some(outside) = self.first_on_way(from, to, direction, !region) {
            return Err(TurnFault::LeavesZone(outside));
        }
        if region & to.set() == 0 {
            return Err(TurnFault::LeavesZone(to));
        }
        if let Some(flyer) = self.first_on_way(from, to, direction, flyers) {
            return Err(TurnFault::FlyerOnWay(flyer));
        }
        if flyers & to.set() != 0 {
            let two = self.fighters(enemy).on(to) > 1;
            return match attack {
                false => Err(TurnFault::MustAttack),
                true if two && portals & to.set() == 0 => Err(TurnFault::TwoFlyers),
                true => Ok(()),
            };
        }
        if attack && self.side(enemy) & to.set() == 0 { Err(TurnFault::NoPrey) } else { Ok(()) }
    }

    /// A50: a force of the side to play that could remove the opponent's Commander with its turn.
    pub(in crate::assideum) fn threat(&self, range: u8) -> Option<(Kind, Square)> {
        let own = self.to_play;
        let target = self.commander(own.other());
        let near = STEPS[target.index()];
        let (straight, diagonal) = (STRAIGHT[target.index()], DIAGONAL[target.index()]);
        // No force attacks from anywhere else, so only these are judged.
        for kind in Kind::GROUND {
            let reach = match kind {
                Kind::Striker | Kind::Ranger => straight | near,
                Kind::Cruiser => straight | diagonal,
                _ => near,
            };
            for from in squares(self.of(kind, own) & reach) {
                if self.takes(range, kind, from, target) {
                    return Some((kind, from));
                }
            }
        }
        // A40: a flyer above the Commander is attacked in its place.
        if self.flying(own.other()) & target.set() == 0 {
            let reach = straight | diagonal | target.set();
            for from in self.fighters(own).iter().filter(|from| reach & from.set() != 0) {
                if self.takes(range, Kind::Fighter, from, target) {
                    return Some((Kind::Fighter, from));
                }
            }
        }
        None
    }

    /// Returns whether a force on a square could remove the one on another with its turn.
    #[inline(never)]
    fn takes(&self, range: u8, kind: Kind, from: Square, target: Square) -> bool {
        let attack = Action::plain(kind, from, Deed::Attack(target));
        let takes = |turn: Action| self.judge(range, &turn).is_ok();
        takes(attack)
            || kind == Kind::Ranger && takes(Action { deed: Deed::Fire(target), ..attack })
            || kind == Kind::Portal
                && crate::assideum::Facing::ALL
                    .into_iter()
                    .any(|facing| takes(Action { facing: Some(facing), ..attack }))
    }
}

impl Assideum {
    /// Judges an entry of the side to play and plays it if it is legal.
    pub(in crate::assideum) fn judge(&mut self, actions: &[Action]) -> Result<(), Illegal> {
        self.still_running()?;
        let [turn] = actions else {
            return Err(match actions.is_empty() {
                true => Illegal::new(A4, None, "an entry is one turn, and this one has none"),
                false => Illegal::new(A4, 1, "an entry is one turn, and here a second one follows"),
            });
        };
        self.judge_turn(turn).map_err(|illegal| self.or_the_fighter(*illegal, turn))
    }

    fn judge_turn(&mut self, turn: &Action) -> Result<(), Box<Illegal>> {
        let turn = self.with_piece(turn)?;
        self.field.judge(self.rules.range, &turn).map_err(|fault| self.explain(&turn, fault))?;
        let before = self.field;
        self.field.apply(&turn);
        if let Some(threat) = self.field.threat(self.rules.range) {
            let after = std::mem::replace(&mut self.field, before);
            return Err(Box::new(self.explain_siege(&turn, &after, threat)));
        }
        self.advanced(&turn);
        Ok(())
    }

    /// A4, and A13, A31, A42 for a mark that the piece cannot have: returns the turn with its letter.
    fn with_piece(&self, turn: &Action) -> Result<Action, Box<Illegal>> {
        let own = self.field.to_play;
        let turn = self.written_out(turn);
        let there = match turn.kind {
            None => false,
            Some(Kind::Fighter) => self.field.fighters(own).on(turn.from) > 0,
            Some(kind) => self.field.of(kind, own) & turn.from.set() != 0,
        };
        let (Some(kind), true) = (turn.kind, there) else {
            return Err(Box::new(self.explain_nobody(&turn)));
        };
        let name = kind.name();
        let at = turn.from;
        if turn.facing.is_some() && !kind.faces() {
            let message = format!("the {name} on {at} faces no way: only Portals and Rangers do");
            return Err(Box::new(self.help_out(Illegal::new(A13, 0, message), kind, at)));
        }
        if !turn.carried.is_empty() && kind != Kind::Portal {
            let message = format!("the {name} on {at} carries no Fighters: only a Portal does");
            return Err(Box::new(self.help_out(Illegal::new(A31, 0, message), kind, at)));
        }
        if matches!(turn.deed, Deed::Fire(_)) && kind != Kind::Ranger {
            let message = format!("the {name} on {at} does not fire: only a Ranger does");
            return Err(Box::new(self.help_out(Illegal::new(A42, 0, message), kind, at)));
        }
        Ok(turn)
    }

    /// The canonical form of the turn: with its letter, and the carried Fighters in order.
    pub(in crate::assideum) fn written_out(&self, turn: &Action) -> Action {
        let own = |kind: &Kind| self.field.of(*kind, self.field.to_play) & turn.from.set() != 0;
        let kind = turn.kind.or_else(|| Kind::GROUND.into_iter().find(own));
        let carried = if turn.carried.is_empty() { turn.carried } else { turn.carried.sorted() };
        Action { kind, carried, ..*turn }
    }

    /// Judges a claim of a draw (A54, A56).
    pub(in crate::assideum) fn judge_claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        self.still_running()?;
        match claim {
            Claim::Repetition if !self.rules.repetition => {
                Err(Illegal::new(A54, None, "this game has no draw by repetition (`repetition: none`)"))
            }
            Claim::Repetition => match self.past.count(&self.field) {
                times @ 0..=2 => {
                    let often = if times == 2 { "twice" } else { "once" };
                    Err(Illegal::new(A54, None, format!("this position has occurred {often}, now included"))
                        .with_help("repetition can be claimed from the third time on"))
                }
                _ => Ok(Outcome::Draw("repetition")),
            },
            Claim::Quiet => self.quiet.claim().map_err(|refused| match refused {
                NotQuiet::Never => {
                    Illegal::new(A56, None, "this game has no draw by quiet turns (`quiet-turns: none`)")
                }
                NotQuiet::Before(needed) => {
                    let passed = entries(self.quiet.passed);
                    let message = format!("{passed} were quiet since the last removal or Ved'rin's move");
                    Illegal::new(A56, None, message).with_help(format!("a claim needs {}", entries(needed)))
                }
            }),
        }
    }

    /// A52, A53, A55 at a position, however it was reached.
    pub(in crate::assideum) fn decided(&self) -> Option<Outcome> {
        let own: Side = self.field.to_play;
        if self.field.bare() {
            Some(Outcome::Draw("bare"))
        } else if self.field.has_turn(self.rules.range) {
            None
        } else if self.field.besieged(own, self.rules.range) {
            Some(Outcome::Win(own.other(), "siege"))
        } else {
            Some(Outcome::Draw("no option"))
        }
    }
}

fn entries(count: u32) -> String {
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}
