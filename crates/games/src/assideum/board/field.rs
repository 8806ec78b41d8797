//! Which piece is where, and who is to play: everything that must be equal for two positions to be the same (A54).

use crate::assideum::board::{Facing, Set, Square, carried_to, squares, zone};
use crate::assideum::position::state::{Action, Carried, Deed, Kind};
use postrider_kernel::Side;

/// For each side, the rank on which a Ved'rin is promoted: the opponent's back row (A11).
const BACK_ROWS: [Set; 2] = [0xff << 56, 0xff];

/// The Fighters of a side: up to two squares in ascending order, so that equal positions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assideum) struct Fighters([Option<Square>; 2]);

impl Fighters {
    /// No Fighter.
    pub(in crate::assideum) const NONE: Fighters = Fighters([None; 2]);

    /// Their squares, one for each Fighter.
    pub(in crate::assideum) fn iter(self) -> impl Iterator<Item = Square> {
        self.0.into_iter().flatten()
    }

    /// The squares that they are on.
    pub(in crate::assideum) fn set(self) -> Set {
        self.iter().fold(0, |all, square| all | square.set())
    }

    /// How many are on a square.
    pub(in crate::assideum) fn on(self, square: Square) -> usize {
        self.iter().filter(|&at| at == square).count()
    }

    /// How many there are.
    pub(in crate::assideum) fn len(self) -> usize {
        self.iter().count()
    }

    /// Adds one; a third is ignored (A2).
    pub(in crate::assideum) fn add(&mut self, square: Square) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(square);
        }
        self.sort();
    }

    /// Moves one of those on a square elsewhere, or off the board.
    fn replace_one(&mut self, from: Square, to: Option<Square>) {
        if let Some(slot) = self.0.iter_mut().find(|slot| **slot == Some(from)) {
            *slot = to;
        }
        self.sort();
    }

    fn sort(&mut self) {
        let [first, second] = self.0;
        if first > second {
            self.0 = [second, first];
        }
    }

    /// Removes all on a square.
    fn remove_all(&mut self, square: Square) {
        self.0 = self.0.map(|slot| slot.filter(|&at| at != square));
        self.sort();
    }
}

/// The board with all forces, and the side to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assideum) struct Field {
    /// The ground forces by side, not counting landed Fighters.
    sides: [Set; 2],
    /// The ground forces by kind.
    kinds: [Set; 6],
    /// The Ved'rin that have reached the opponent's back row (A11).
    promoted: Set,
    /// The facings of Portals and Rangers, as the two bits of their number.
    facings: [Set; 2],
    fighters: [Fighters; 2],
    /// Whose turn it is.
    pub(in crate::assideum) to_play: Side,
}

impl Field {
    /// An empty board.
    pub(in crate::assideum) const fn empty(to_play: Side) -> Self {
        let fighters = [Fighters::NONE; 2];
        Self { sides: [0; 2], kinds: [0; 6], promoted: 0, facings: [0; 2], fighters, to_play }
    }

    /// The ground forces of a side.
    pub(in crate::assideum) const fn side(&self, side: Side) -> Set {
        self.sides[side.index()]
    }

    /// The ground forces of both sides.
    pub(in crate::assideum) const fn ground(&self) -> Set {
        self.sides[0] | self.sides[1]
    }

    /// The ground forces of a kind and side; empty for Fighters.
    pub(in crate::assideum) fn of(&self, kind: Kind, side: Side) -> Set {
        self.kinds.get(kind as usize).map_or(0, |set| set & self.side(side))
    }

    /// The promoted Ved'rin of both sides.
    pub(in crate::assideum) const fn promoted(&self) -> Set {
        self.promoted
    }

    /// The kind of the ground force on a square.
    pub(in crate::assideum) fn kind_at(&self, square: Square) -> Option<Kind> {
        Kind::GROUND.into_iter().find(|&kind| self.kinds[kind as usize] & square.set() != 0)
    }

    /// The side of the ground force on a square.
    pub(in crate::assideum) fn owner(&self, square: Square) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.side(side) & square.set() != 0)
    }

    /// The facing of the Portal or Ranger on a square; north if there is none.
    pub(in crate::assideum) fn facing(&self, square: Square) -> Facing {
        let bit = |plane: usize| (self.facings[plane] >> square.index() & 1) as usize;
        Facing::ALL[bit(0) + 2 * bit(1)]
    }

    pub(in crate::assideum) const fn fighters(&self, side: Side) -> Fighters {
        self.fighters[side.index()]
    }

    /// The squares with flying Fighters of a side: those not on a friendly Portal's square (A5).
    pub(in crate::assideum) fn flying(&self, side: Side) -> Set {
        self.fighters(side).set() & !self.of(Kind::Portal, side)
    }

    /// The square of a side's Commander.
    pub(in crate::assideum) fn commander(&self, side: Side) -> Square {
        Square::first(self.of(Kind::Commander, side))
    }

    /// The flight zone of the Portal on a square (A20).
    pub(in crate::assideum) fn zone(&self, portal: Square) -> Set {
        zone(portal, self.facing(portal))
    }

    /// The zone of a side's other Portal, empty if it has none.
    pub(in crate::assideum) fn other_zone(&self, side: Side, portal: Square) -> Set {
        squares(self.of(Kind::Portal, side) & !portal.set()).fold(0, |all, other| all | self.zone(other))
    }

    /// The squares among which a Fighter on a square may fly: the zone that it is in, or the union of both where they
    /// overlap (A21, A22); empty outside all zones.
    pub(in crate::assideum) fn region(&self, side: Side, from: Square) -> Set {
        let mut region = 0;
        let mut apart = 0;
        for portal in squares(self.of(Kind::Portal, side)) {
            let zone = self.zone(portal);
            if region == 0 || region & zone != 0 { region |= zone } else { apart = zone }
        }
        [region, apart].into_iter().find(|zone| zone & from.set() != 0).unwrap_or(0)
    }

    /// Returns whether only the two Commanders are left (A55).
    pub(in crate::assideum) fn bare(&self) -> bool {
        self.ground() == self.kinds[Kind::Commander as usize] && self.fighters == [Fighters::NONE; 2]
    }

    /// Puts a ground force on an empty square.
    pub(in crate::assideum) fn put(
        &mut self,
        side: Side,
        kind: Kind,
        square: Square,
        facing: Option<Facing>,
        promoted: bool,
    ) {
        let Some(of_kind) = self.kinds.get_mut(kind as usize) else { return };
        *of_kind |= square.set();
        self.sides[side.index()] |= square.set();
        if kind == Kind::Vedrin && (promoted || BACK_ROWS[side.index()] & square.set() != 0) {
            self.promoted |= square.set();
        }
        let facing = facing.unwrap_or(Facing::North) as usize;
        for (bit, plane) in self.facings.iter_mut().enumerate() {
            *plane |= (facing as Set >> bit & 1) << square.index();
        }
    }

    /// Removes the ground force on a square, but not the Fighters landed there.
    fn lift(&mut self, square: Square) {
        let keep = !square.set();
        self.sides = self.sides.map(|set| set & keep);
        self.kinds = self.kinds.map(|set| set & keep);
        self.facings = self.facings.map(|set| set & keep);
        self.promoted &= keep;
    }

    pub(in crate::assideum) fn add_fighter(&mut self, side: Side, square: Square) {
        self.fighters[side.index()].add(square);
    }

    /// Removes a side's ground force on a square; a Portal together with its landed Fighters (A15, A40, A42).
    fn remove_ground(&mut self, side: Side, square: Square) {
        if self.of(Kind::Portal, side) & square.set() != 0 {
            self.fighters[side.index()].remove_all(square);
        }
        self.lift(square);
    }

    /// Plays a turn that is known to be legal and that names its piece.
    pub(in crate::assideum) fn apply(&mut self, turn: &Action) {
        let (own, enemy) = (self.to_play, self.to_play.other());
        let from = turn.from;
        match (turn.kind, turn.deed) {
            (_, Deed::Fire(at)) => self.remove_ground(enemy, at),
            (Some(Kind::Fighter), Deed::Move(to)) => self.fighters[own.index()].replace_one(from, Some(to)),
            (Some(Kind::Fighter), Deed::Attack(at)) => {
                // A40, A41: if a flying Fighter is there, it is the one attacked.
                if self.flying(enemy) & at.set() != 0 {
                    self.fighters[enemy.index()].replace_one(at, None);
                } else {
                    self.remove_ground(enemy, at);
                }
                self.fighters[own.index()].replace_one(from, Some(at));
            }
            (Some(Kind::Portal), deed) => self.relocate(own, from, deed.square().unwrap_or(from), turn),
            (_, deed) => self.move_ground(own, from, deed.square().unwrap_or(from), turn.facing),
        }
        self.to_play = enemy;
    }

    fn move_ground(&mut self, own: Side, from: Square, to: Square, facing: Option<Facing>) {
        let Some(kind) = self.kind_at(from) else { return };
        let promoted = self.promoted & from.set() != 0;
        let facing = facing.unwrap_or(self.facing(from));
        if self.side(own.other()) & to.set() != 0 {
            self.remove_ground(own.other(), to);
        }
        self.lift(from);
        self.put(own, kind, to, Some(facing), promoted);
    }

    /// Moves or spins a Portal with the Fighters that go with it (A30 to A34).
    fn relocate(&mut self, own: Side, from: Square, to: Square, turn: &Action) {
        let before = (from, self.facing(from));
        let after = (to, turn.facing.unwrap_or(before.1));
        let fighters = self.carry(own, before, after, turn.carried);
        self.move_ground(own, from, to, turn.facing);
        self.fighters[own.index()] = fighters;
    }

    /// The Fighters of a side after a Portal's relocation.
    fn carry(&self, own: Side, before: (Square, Facing), after: (Square, Facing), named: Carried) -> Fighters {
        let portals = self.of(Kind::Portal, own);
        let zone = self.zone(before.0);
        let other = self.other_zone(own, before.0);
        let mut named = named.iter().fold(Fighters::NONE, |mut all, square| {
            all.add(square);
            all
        });
        let mut moved = Fighters::NONE;
        for at in self.fighters(own).iter() {
            let goes = if portals & at.set() != 0 {
                at == before.0
            } else if other & at.set() == 0 {
                zone & at.set() != 0
            } else {
                let chosen = named.on(at) > 0;
                named.replace_one(at, None);
                chosen
            };
            moved.add(if goes { carried_to(at, before, after) } else { at });
        }
        moved
    }
}
