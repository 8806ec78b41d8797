//! Heuristics for the machine: a rough evaluation of positions, which entries look promising, and a deployment.

use super::board::{FORCES, Kind, SIZE, Square, is_home};
use crate::assassyn::position::state::{Acceptance, Action, Assassyn, BLACK, Deployment, Mark, WHITE, Way};
use postrider_kernel::{Count, DIRECTIONS, Side, lead};

/// What a piece is worth.
const fn value(kind: Kind) -> i32 {
    match kind {
        Kind::Prince => 60,
        Kind::Warrior => 190,
        Kind::Longswordsman => 95,
        Kind::Shortswordsman => 60,
        Kind::Assassin => 75,
    }
}

impl Assassyn {
    /// The pieces of a side by what they throw, less their wounds.
    fn strength(&self, side: Side) -> i32 {
        let worth = |(_, kind, _, wound): (usize, Kind, Square, super::board::Wound)| {
            value(kind) - value(kind) * i32::try_from(wound.handicap()).unwrap_or(0) / 12
        };
        self.board.standing(side).map(worth).sum()
    }

    /// The same game with stated throws; none between an acceptance and its dice, and none before a sealed deployment is opened.
    pub(super) fn with_stated_throws(&self) -> Option<Self> {
        let mut game = self.clone();
        if self.rules.sealed {
            if self.board.accepted || (self.deploying && self.rules.deployment == Way::Sealed) {
                return None;
            }
            (game.rules.sealed, game.rules.joint, game.seal, game.salt) = (false, false, None, None);
        }
        Some(game)
    }

    /// Pieces, wounded pieces, and pieces that could challenge the other side's Prince.
    pub(super) fn tallied(&self, out: &mut Vec<Count>) {
        let pieces = |side| self.board.standing(side).count();
        let wounded = |side| self.board.standing(side).filter(|(.., wound)| wound.handicap() > 0).count();
        out.push(Count::both("pieces", pieces(WHITE), pieces(BLACK)));
        out.push(Count::both("wounded pieces", wounded(WHITE), wounded(BLACK)));
        out.push(Count::both("pieces that threaten the Prince", self.hunters(WHITE), self.hunters(BLACK)));
    }

    /// How many pieces of a side see the other side's Prince within their reach.
    fn hunters(&self, side: Side) -> usize {
        let Some((.., prince, _)) = self.board.standing(side.other()).find(|(_, kind, ..)| *kind == Kind::Prince)
        else {
            return 0;
        };
        let stand = self.board.set(WHITE) | self.board.set(BLACK);
        let hunts = |direction: &usize| {
            let mut at = prince;
            for distance in 0..SIZE {
                let Some(next) = at.step(*direction) else { return false };
                at = next;
                if stand & at.set() != 0 {
                    let kind = self.board.at(side, at).map(|(_, kind)| kind);
                    return kind.is_some_and(|kind| kind.sees(*direction) && distance < kind.reach());
                }
            }
            false
        };
        (0..DIRECTIONS.len()).filter(hunts).count()
    }

    /// How many pieces of the enemy could challenge the Prince of a side, weighed by their dice, and how few ways out it has.
    fn danger(&self, side: Side) -> i32 {
        let Some((.., prince, _)) = self.board.standing(side).find(|(_, kind, ..)| *kind == Kind::Prince) else {
            return 0;
        };
        let (own, foes) = (self.board.set(side), self.board.set(side.other()));
        let mut danger = 0;
        for direction in 0..DIRECTIONS.len() {
            let mut at = prince;
            for distance in 0..SIZE {
                let Some(next) = at.step(direction) else { break };
                at = next;
                if own & at.set() != 0 {
                    break;
                }
                if foes & at.set() != 0 {
                    let threat = self.board.at(side.other(), at).map_or(0, |(_, kind)| match kind {
                        _ if !kind.sees(direction) || distance >= kind.reach() || kind == Kind::Assassin => 0,
                        Kind::Warrior => 45,
                        Kind::Longswordsman => 25,
                        _ => 15,
                    });
                    danger += threat;
                    break;
                }
                if distance == 0 {
                    danger -= 4;
                }
            }
        }
        danger
    }

    /// Pieces count by their dice, and Princes in danger.
    pub(super) fn rough_judgement(&self) -> i32 {
        let (white, black) = (self.strength(WHITE), self.strength(BLACK));
        lead(white + 30, black + 30) + self.danger(BLACK) - self.danger(WHITE)
    }

    /// Strikes and killed Assassins come first, then challenges that the dice favour.
    pub(super) fn rough_promise(&self, entry: &[Action]) -> u32 {
        let [Action::Move { kind, mark, to, .. }] = entry else { return 3 };
        let prey = self.board.at(self.board.to_play.other(), *to).map(|(_, prey)| prey);
        match (mark, prey) {
            (Mark::Strike, _) => 40,
            (Mark::Onto, Some(Kind::Assassin)) if *kind != Kind::Assassin => 40,
            (Mark::Onto, Some(prey)) => {
                let (own, other) = (self.rules.die(*kind), self.rules.die(prey));
                let favour = if own > other { 10 } else { 4 };
                if prey == Kind::Prince { 3 * favour } else { favour }
            }
            _ if *kind == Kind::Prince => 2,
            _ => 3,
        }
    }

    /// The weight of a throw: all are as likely.
    pub(super) const fn weight_of_throw(entry: &[Action]) -> u32 {
        matches!(entry, [Action::Accept(Acceptance::Roll(_))]) as u32
    }

    /// Any deployment of the side that is due, all as likely, if one is due that is too long to list.
    pub(super) fn any_deployment(&self, draw: &mut dyn FnMut(u32) -> u32) -> Option<Vec<Action>> {
        if !self.deploying || self.rules.deployment != Way::Sequential || self.outcome.is_some() {
            return None;
        }
        let side = self.board.to_play;
        let mut home: Vec<Square> = Square::all().filter(|square| is_home(side, *square)).collect();
        let mut list = Deployment::new();
        for kind in FORCES {
            let nth = draw(u32::try_from(home.len()).unwrap_or(0)) as usize;
            if nth < home.len() {
                list.push((kind, home.remove(nth)));
            }
        }
        list.sort_unstable();
        Some(vec![Action::Deploy(list, None)])
    }
}
