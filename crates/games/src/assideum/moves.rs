//! Lists the legal turns using sets of squares, and finds out whether a Commander is in siege. It is written
//! independently of judging, so that tests can compare the two.

use super::board::{
    ADVANCES, DIAGONAL, Facing, RAYS, STEPS, STRAIGHT, Set, Square, WITHIN, carried_to, sight, sight_diagonal,
    sight_straight, squares,
};
use crate::assideum::board::field::Field;
use crate::assideum::position::state::{Action, Carried, Deed, Kind};
use postrider_kernel::Side;

impl Field {
    /// Passes every legal turn to `visit`, until that asks to stop; returns whether it did.
    pub(super) fn turns(&self, range: u8, visit: &mut impl FnMut(Action) -> bool) -> bool {
        if self.bare() {
            return false;
        }
        let own = self.to_play;
        let siege = self.besieged(own, range);
        let pinned = if siege { !0 } else { self.shields(own, range) };
        let calm = !siege && self.calm_air(own);
        let lister = Lister { field: self, own, ground: self.ground(), range, untested: !pinned, calm };
        lister.commander(visit)
            || lister.vedrin(visit)
            || lister.sliders(visit)
            || lister.ranger(visit)
            || lister.portals(visit)
            || lister.fighters(visit)
    }

    /// Returns whether a side has a legal turn (A52, A53).
    pub(super) fn has_turn(&self, range: u8) -> bool {
        // A Ved'rin that can move and shields nobody, while its Commander is not in siege: there almost always is one,
        // and it is found quickly.
        let own = self.to_play;
        if !self.bare() && !self.besieged(own, range) {
            let safe = self.of(Kind::Vedrin, own) & !self.shields(own, range);
            if squares(safe).any(|from| ADVANCES[own.index()][from.index()] & !self.side(own) != 0) {
                return true;
            }
        }
        self.turns(range, &mut |_| true)
    }

    /// Returns whether the Commander of a side could be removed by the opponent's next turn (A50).
    pub(super) fn besieged(&self, side: Side, range: u8) -> bool {
        let enemy = side.other();
        let at = self.commander(side);
        let ground = self.ground();
        let cruisers = self.of(Kind::Cruiser, enemy);
        let rangers = self.of(Kind::Ranger, enemy);
        // Mostly none of them is on a line at all, and then nothing need be looked along it.
        let mut straight = STRAIGHT[at.index()] & (self.of(Kind::Striker, enemy) | cruisers | rangers);
        if straight != 0 {
            straight &= sight_straight(at, ground);
        }
        if straight & !rangers != 0
            || DIAGONAL[at.index()] & cruisers != 0 && sight_diagonal(at, ground) & cruisers != 0
        {
            return true;
        }
        let near = STEPS[at.index()];
        let vedrin = self.of(Kind::Vedrin, enemy);
        if near & (self.of(Kind::Commander, enemy) | rangers | vedrin & self.promoted()) != 0
            || ADVANCES[side.index()][at.index()] & vedrin != 0
        {
            return true;
        }
        if range != 0 && squares(straight & rangers).any(|ranger| self.ahead(ranger, range) & at.set() != 0) {
            return true;
        }
        squares(near & self.of(Kind::Portal, enemy)).any(|portal| self.portal_may_take(enemy, portal, at))
            || self.fighter_may_take(enemy, at)
    }

    /// The squares ahead of a Ranger that are within its range (A42).
    fn ahead(&self, ranger: Square, range: u8) -> Set {
        RAYS[self.facing(ranger).direction() & 7][ranger.index()] & WITHIN[usize::from(range & 7)][ranger.index()]
    }

    /// A35: returns whether some facing lets a Portal move to an adjacent square, with Fighters in the overlap left
    /// behind.
    fn portal_may_take(&self, side: Side, portal: Square, to: Square) -> bool {
        let flyers = self.flying(side.other());
        let bound = self.flying(side) & self.zone(portal) & !self.other_zone(side, portal);
        let before = (portal, self.facing(portal));
        bound & self.fighters(side).set() == 0
            || Facing::ALL.into_iter().any(|facing| {
                squares(bound).all(|fighter| flyers & carried_to(fighter, before, (to, facing)).set() == 0)
            })
    }

    /// A40, A41: returns whether a Fighter of a side may attack the ground force on a square.
    fn fighter_may_take(&self, side: Side, at: Square) -> bool {
        // Fighters fly along straight lines.
        let fighters = self.fighters(side).set() & (STRAIGHT[at.index()] | DIAGONAL[at.index()] | at.set());
        if fighters == 0 {
            return false;
        }
        let flyers = self.flying(side.other());
        if flyers & at.set() != 0 {
            return false;
        }
        squares(fighters).any(|fighter| {
            if fighter == at {
                return true;
            }
            // With Fighters of both sides on one square, this one is landed and held down (A24).
            let region = self.region(side, fighter);
            flyers & fighter.set() == 0
                && region & at.set() != 0
                && sight_all(at, !region | flyers) & fighter.set() != 0
        })
    }

    /// Returns whether nothing in the air can bring the Commander of a side, which is not in siege, into siege: no
    /// enemy Portal is next to it (A35), and it is in no zone in which an enemy Fighter flies.
    fn calm_air(&self, side: Side) -> bool {
        let enemy = side.other();
        let at = self.commander(side);
        let far = |fighter| self.region(enemy, fighter) & at.set() == 0;
        STEPS[at.index()] & self.of(Kind::Portal, enemy) == 0 && self.fighters(enemy).iter().all(far)
    }

    /// The ground forces of a side each of which alone blocks an enemy's line to its Commander.
    fn shields(&self, side: Side, range: u8) -> Set {
        let enemy = side.other();
        let at = self.commander(side);
        let cruisers = self.of(Kind::Cruiser, enemy);
        let rangers = if range != 0 { self.of(Kind::Ranger, enemy) } else { 0 };
        let straight = self.of(Kind::Striker, enemy) | cruisers | rangers;
        if STRAIGHT[at.index()] & straight | DIAGONAL[at.index()] & cruisers == 0 {
            return 0;
        }
        let ground = self.ground();
        let mut shields = 0;
        for (direction, rays) in RAYS.iter().enumerate() {
            let far = if direction % 2 == 0 { straight } else { cruisers };
            if rays[at.index()] & far != 0 {
                let nearest = sight(direction, at, ground) & ground;
                if sight(direction, at, ground & !nearest) & far != 0 {
                    shields |= nearest;
                }
            }
        }
        shields
    }
}

/// The squares seen in all eight directions.
fn sight_all(from: Square, blockers: Set) -> Set {
    sight_straight(from, blockers) | sight_diagonal(from, blockers)
}

/// Lists the turns of the side to play.
struct Lister<'a> {
    field: &'a Field,
    own: Side,
    ground: Set,
    range: u8,
    /// The squares that a ground force may leave without exposing the Commander; empty while it is in siege.
    untested: Set,
    /// Whether flyers may come and go without exposing the Commander.
    calm: bool,
}

impl Lister<'_> {
    fn legal(&self, turn: &Action) -> bool {
        let mut after = *self.field;
        after.apply(turn);
        !after.besieged(self.own, self.range)
    }

    /// Visits the moves and attacks of a ground force to the squares that it reaches.
    fn ground_turns(
        &self,
        kind: Kind,
        from: Square,
        reach: Set,
        safe: bool,
        visit: &mut impl FnMut(Action) -> bool,
    ) -> bool {
        let enemies = self.field.side(self.own.other());
        squares(reach & !self.field.side(self.own)).any(|to| {
            let deed = if enemies & to.set() != 0 { Deed::Attack(to) } else { Deed::Move(to) };
            let turn = Action::plain(kind, from, deed);
            (safe || self.legal(&turn)) && visit(turn)
        })
    }

    fn commander(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        let at = self.field.commander(self.own);
        self.ground_turns(Kind::Commander, at, STEPS[at.index()], false, visit)
    }

    fn vedrin(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        squares(self.field.of(Kind::Vedrin, self.own)).any(|from| {
            let promoted = self.field.promoted() & from.set() != 0;
            let reach = if promoted { &STEPS } else { &ADVANCES[self.own.index()] }[from.index()];
            self.ground_turns(Kind::Vedrin, from, reach, self.untested & from.set() != 0, visit)
        })
    }

    fn sliders(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        let strikers = squares(self.field.of(Kind::Striker, self.own)).map(|from| (Kind::Striker, from));
        let cruisers = squares(self.field.of(Kind::Cruiser, self.own)).map(|from| (Kind::Cruiser, from));
        let mut both = strikers.chain(cruisers);
        both.any(|(kind, from)| {
            let diagonal = if kind == Kind::Cruiser { sight_diagonal(from, self.ground) } else { 0 };
            let reach = sight_straight(from, self.ground) | diagonal;
            self.ground_turns(kind, from, reach, self.untested & from.set() != 0, visit)
        })
    }

    /// The facings that may be written in a turn (A13); first `None` if the piece also moves.
    fn facings(&self, from: Square, moves: bool) -> impl Iterator<Item = Option<Facing>> + use<> {
        let present = self.field.facing(from);
        let others = Facing::ALL.into_iter().filter(move |&facing| facing != present).map(Some);
        moves.then_some(None).into_iter().chain(others)
    }

    fn ranger(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        squares(self.field.of(Kind::Ranger, self.own)).any(|from| {
            let safe = self.untested & from.set() != 0;
            let enemies = self.field.side(self.own.other());
            let spin = |facing| Action { facing, ..Action::plain(Kind::Ranger, from, Deed::Spin) };
            // A spin changes nothing that an enemy could use, so it is legal if and only if there is no siege.
            if self.untested != 0 && self.facings(from, false).any(|facing| visit(spin(facing))) {
                return true;
            }
            let reach = squares(STEPS[from.index()] & !self.field.side(self.own));
            for to in reach {
                let deed = if enemies & to.set() != 0 { Deed::Attack(to) } else { Deed::Move(to) };
                let turn = Action::plain(Kind::Ranger, from, deed);
                if (safe || self.legal(&turn))
                    && self.facings(from, true).any(|facing| visit(Action { facing, ..turn }))
                {
                    return true;
                }
            }
            if self.range == 0 {
                return false;
            }
            let line = sight(self.field.facing(from).direction(), from, self.ground);
            squares(line & enemies & self.field.ahead(from, self.range)).any(|at| {
                let turn = Action::plain(Kind::Ranger, from, Deed::Fire(at));
                self.legal(&turn) && visit(turn)
            })
        })
    }

    fn portals(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        squares(self.field.of(Kind::Portal, self.own)).any(|from| self.portal(from, visit))
    }

    fn portal(&self, from: Square, visit: &mut impl FnMut(Action) -> bool) -> bool {
        let field = self.field;
        let enemies = field.side(self.own.other());
        let enemy_flyers = field.flying(self.own.other());
        let flying = field.flying(self.own);
        let own_fighters = field.fighters(self.own);
        let zone = field.zone(from);
        let other = field.other_zone(self.own, from);
        let bound = flying & zone & !other;
        let overlapped = flying & zone & other;
        let choices = choices(own_fighters.iter().filter(|at| overlapped & at.set() != 0));
        let before = (from, field.facing(from));
        let reach = STEPS[from.index()] & !field.side(self.own) | from.set();
        for to in squares(reach) {
            let deed = match to {
                _ if to == from => Deed::Spin,
                _ if enemies & to.set() != 0 => Deed::Attack(to),
                _ => Deed::Move(to),
            };
            for facing in self.facings(from, to != from) {
                let after = (to, facing.unwrap_or(before.1));
                let meets = |fighter: Square| enemy_flyers & carried_to(fighter, before, after).set() != 0;
                if enemy_flyers != 0 && squares(bound).any(meets) {
                    continue;
                }
                // If no flyer is carried or becomes landed, only the Portal's own square can matter.
                let still = self.calm || bound == 0 && flying & to.set() == 0;
                for carried in choices.into_iter().flatten() {
                    let turn = Action { facing, carried, ..Action::plain(Kind::Portal, from, deed) };
                    let unmoved = still && (self.calm || carried.is_empty());
                    let safe = unmoved && (self.untested & from.set() != 0 || deed == Deed::Spin && self.untested != 0);
                    if (enemy_flyers == 0 || !carried.iter().any(meets)) && (safe || self.legal(&turn)) && visit(turn) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn fighters(&self, visit: &mut impl FnMut(Action) -> bool) -> bool {
        squares(self.field.fighters(self.own).set()).any(|from| self.fighter(from, visit))
    }

    fn fighter(&self, from: Square, visit: &mut impl FnMut(Action) -> bool) -> bool {
        let field = self.field;
        let enemy = self.own.other();
        let flyers = field.flying(enemy);
        let ground = field.side(enemy);
        let landed = field.of(Kind::Portal, self.own) & from.set() != 0;
        let mut offer = |deed, opens: bool| {
            let turn = Action::plain(Kind::Fighter, from, deed);
            (self.calm && !opens || self.legal(&turn)) && visit(turn)
        };
        if if landed { flyers } else { ground } & from.set() != 0 && offer(Deed::Attack(from), !landed) {
            return true;
        }
        if landed && flyers & from.set() != 0 {
            return false;
        }
        let region = field.region(self.own, from);
        let reach = sight_all(from, !region | flyers) & region;
        let pairs = field.fighters(enemy);
        squares(reach).any(|to| {
            if flyers & to.set() != 0 {
                let sole = pairs.on(to) == 1 || field.of(Kind::Portal, self.own) & to.set() != 0;
                return sole && offer(Deed::Attack(to), false);
            }
            offer(Deed::Move(to), false) || ground & to.set() != 0 && offer(Deed::Attack(to), true)
        })
    }
}

/// The ways to choose among Fighters in the overlap (A31); two on one square are the same. The first choice is none of
/// them.
fn choices(overlapped: impl Iterator<Item = Square>) -> [Option<Carried>; 4] {
    let all: Carried = overlapped.collect();
    let mut ways = [None; 4];
    ways[0] = Some(Carried::default());
    let mut list = all.iter();
    if let Some(first) = list.next() {
        ways[1] = Some([first].into_iter().collect());
        if let Some(second) = list.next() {
            if second != first {
                ways[2] = Some([second].into_iter().collect());
            }
            ways[3] = Some(all.sorted());
        }
    }
    ways
}
