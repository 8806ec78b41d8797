//! Heuristics for the machine: a rough evaluation of positions, and which turns look promising.

use super::board::{STEPS, sight_diagonal, sight_straight, squares};
use crate::assideum::position::state::{Action, Assideum, BLACK, Deed, Kind, WHITE};
use postrider_kernel::{Count, Game as _, Moves, Side, lead};

/// What a force is worth.
const fn value(kind: Kind) -> i32 {
    match kind {
        Kind::Commander => 0,
        Kind::Ranger => 45,
        Kind::Portal => 55,
        Kind::Cruiser => 110,
        Kind::Striker => 70,
        Kind::Vedrin => 14,
        Kind::Fighter => 45,
    }
}

impl Assideum {
    fn strength(&self, side: Side) -> i32 {
        let field = &self.field;
        let count = |set: u64| i32::try_from(set.count_ones()).unwrap_or(0);
        let forces: i32 = Kind::GROUND.into_iter().map(|kind| value(kind) * count(field.of(kind, side))).sum();
        let zones = field.of(Kind::Portal, side) != 0;
        let fighters = i32::try_from(field.fighters(side).len()).unwrap_or(0);
        let flyers = if zones { value(Kind::Fighter) } else { 12 } * fighters;
        let vedrin = field.of(Kind::Vedrin, side);
        let way = |rank: u8| i32::from(if side == WHITE { rank } else { 7 - rank });
        let advanced: i32 = squares(vedrin & !field.promoted()).map(|at| way(at.order().1)).sum();
        let promoted = 8 * count(vedrin & field.promoted());
        forces + flyers + advanced + promoted
    }

    /// Forces, promoted Vedrin, and forces that the enemy could attack if it were to play.
    pub(super) fn tallied(&self, out: &mut Vec<Count>) {
        let field = &self.field;
        let forces = |side: Side| {
            Kind::GROUND.into_iter().map(|kind| field.of(kind, side).count_ones() as usize).sum::<usize>()
                + field.fighters(side).len()
        };
        let promoted = |side: Side| (field.of(Kind::Vedrin, side) & field.promoted()).count_ones() as usize;
        out.push(Count::both("forces", forces(WHITE), forces(BLACK)));
        out.push(Count::both("promoted Vedrin", promoted(WHITE), promoted(BLACK)));
        out.push(Count::both("forces under attack", self.attacked(WHITE), self.attacked(BLACK)));
    }

    /// How many forces of a side the other side could attack if it were to play.
    fn attacked(&self, side: Side) -> usize {
        let mut game = self.clone();
        game.field.to_play = side.other();
        let mut moves = Moves::default();
        game.moves(&mut moves);
        let prey = moves.iter().filter_map(|entry| match entry {
            [turn] => match turn.deed {
                Deed::Attack(at) | Deed::Fire(at) => Some(at.order()),
                _ => None,
            },
            _ => None,
        });
        let mut prey: Vec<_> = prey.collect();
        prey.sort_unstable();
        prey.dedup();
        prey.len()
    }

    /// How far the Commander of a side is from safety: exposed squares around it, and how near the enemy's forces are.
    fn danger(&self, side: Side) -> i32 {
        let field = &self.field;
        let at = field.commander(side);
        let near = STEPS[at.index()];
        let (file, rank) = at.order();
        let edge = |place: u8| i32::from(place.min(7 - place));
        let closing: i32 = squares(field.side(side.other()))
            .map(|other| {
                let (there, here) = (other.order(), (file, rank));
                7 - i32::from(there.0.abs_diff(here.0).max(there.1.abs_diff(here.1)))
            })
            .sum();
        let cover = i32::try_from((near & field.side(side)).count_ones()).unwrap_or(0);
        closing + (3 - edge(file)) + (3 - edge(rank)) - 2 * cover
    }

    /// How few squares are left to the Commander of a side that the other side's Strikers and Cruisers do not reach.
    fn hunted(&self, side: Side) -> i32 {
        let field = &self.field;
        let at = field.commander(side);
        let ground = field.ground() & !at.set();
        let cruisers = field.of(Kind::Cruiser, side.other());
        let mut reached = 0;
        for from in squares(cruisers | field.of(Kind::Striker, side.other())) {
            reached |= sight_straight(from, ground);
            if cruisers & from.set() != 0 {
                reached |= sight_diagonal(from, ground);
            }
        }
        for from in
            squares(field.of(Kind::Vedrin, side.other()) & field.promoted() | field.of(Kind::Commander, side.other()))
        {
            reached |= STEPS[from.index()];
        }
        let free = STEPS[at.index()] & !field.side(side) & !reached;
        10 * (8 - i32::try_from(free.count_ones()).unwrap_or(0))
    }

    /// Forces count, and Commanders in danger.
    pub(super) fn rough_judgement(&self) -> i32 {
        let (white, black) = (self.strength(WHITE), self.strength(BLACK));
        let lead = lead(white + 60, black + 60);
        let siege = if self.field.besieged(self.field.to_play, self.rules.range) { 25 } else { 0 };
        let siege = if self.field.to_play == WHITE { -siege } else { siege };
        let hunt = match lead {
            300.. => self.hunted(BLACK),
            ..=-300 => -self.hunted(WHITE),
            _ => 0,
        };
        lead + 2 * (self.danger(BLACK) - self.danger(WHITE)) + siege + hunt
    }

    /// Attacks on dear forces come first, most of all by cheap ones.
    pub(super) fn rough_promise(&self, entry: &[Action]) -> u32 {
        let [turn] = entry else { return 1 };
        let worth = |kind: Option<Kind>| u32::try_from(kind.map_or(45, value)).unwrap_or(0);
        match turn.deed {
            Deed::Attack(at) | Deed::Fire(at) => {
                let prey = worth(self.field.kind_at(at));
                let risk = if matches!(turn.deed, Deed::Fire(_)) { 0 } else { worth(turn.kind) / 4 };
                8 + prey.saturating_sub(risk)
            }
            Deed::Spin => 1,
            Deed::Move(_) if turn.facing.is_some() => 1,
            Deed::Move(_) => match turn.kind {
                Some(Kind::Vedrin) => 4,
                Some(Kind::Commander) => 2,
                _ => 3,
            },
        }
    }
}
