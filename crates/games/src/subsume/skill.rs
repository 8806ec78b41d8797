//! Heuristics for the machine: a rough evaluation of positions, which actions look promising, and which tokens a side has
//! not seen yet.

use super::board::{Board, Face, Kind, Square, Territory, Token};
use crate::subsume::board::stack::Stack;
use crate::subsume::position::state::{Action, Cover, Phase, Subsume, WHITE};
use crate::subsume::rules::control::{controlled, needed};
use crate::subsume::rules::play::around;
use postrider_kernel::{Count, Side};

/// From how many times as many tokens as the enemy's on a side hunts the enemy down.
const HUNTS: i32 = 2;
/// What a hunt is worth whose end is near.
const HUNT: i32 = 300;

/// The mark of a token that has fought, where that is noted: in open play nothing is sealed again.
const SHOWN: u32 = 1;

impl Subsume {
    /// Notes that the tokens on two squares have fought, so that both sides have seen them (U57).
    pub(super) fn show(board: &mut Board, squares: [Square; 2]) {
        for square in squares {
            let Some(territory) = board.edit(square) else { continue };
            let shown = |token: &Token| match token.kind() {
                Some(kind) => Token::new(token.number(), SHOWN, Face::Up(kind)),
                None => *token,
            };
            territory.stack = territory.stack.iter().map(shown).collect();
        }
    }

    /// Whether a token has fought, where that is noted.
    pub(super) fn is_shown(token: &Token) -> bool {
        token.reseals() == SHOWN
    }

    /// Replaces the types of the enemy's tokens that have not fought.
    pub(super) fn imagine_types(&mut self, side: Side, draw: &mut dyn FnMut(u32) -> u32) {
        if !self.rules.veiled {
            return;
        }
        let squares: Vec<Square> = self.state.board.of(side.other()).map(|territory| territory.corner).collect();
        for square in squares {
            let Some(territory) = self.state.board.edit(square) else { continue };
            if territory.stack.iter().all(Self::is_shown) {
                continue;
            }
            let imagined: Stack = territory
                .stack
                .iter()
                .map(|token| {
                    let kind = Kind::ALL.get(draw(3) as usize).copied().unwrap_or(Kind::Aggressor);
                    if Self::is_shown(token) { *token } else { Token::new(token.number(), 0, Face::Up(kind)) }
                })
                .collect();
            territory.stack = imagined;
        }
    }

    /// The same game with the types that `side` knows, and any types of the other sealed tokens; none while a reveal is due.
    pub(super) fn with_open_tokens(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let mut game = self.clone();
        if !self.rules.sealed {
            return Some(game);
        }
        if self.state.pending.is_some() {
            return None;
        }
        let squares: Vec<Square> =
            Side::BOTH.into_iter().flat_map(|of| self.state.board.of(of).map(|territory| territory.corner)).collect();
        for square in squares {
            let Some(territory) = game.state.board.edit(square) else { continue };
            let owner = territory.owner;
            let opened = |token: &Token| {
                let confided = |place| self.confided_kind(place, side).filter(|_| owner == side);
                let (kind, shown) = match token.face() {
                    Face::Up(kind) => (Some(kind), SHOWN),
                    Face::Sealed(place) => (confided(place), 0),
                };
                let kind = kind.or_else(|| Kind::ALL.get(draw(3) as usize).copied()).unwrap_or(Kind::Aggressor);
                Token::new(token.number(), shown, Face::Up(kind))
            };
            territory.stack = territory.stack.iter().map(opened).collect();
        }
        (game.rules.sealed, game.rules.veiled) = (false, true);
        Some(game)
    }

    /// Tokens, territories, and squares under control.
    pub(super) fn tallied(&self, out: &mut Vec<Count>) {
        let board = &self.state.board;
        let (white, black) = (WHITE, WHITE.other());
        let tokens = |side| board.of(side).map(|territory| territory.stack.len()).sum::<usize>();
        let controls = |side| controlled(board, side, self.rules.border).count_ones() as usize;
        out.push(Count::both("tokens", tokens(white), tokens(black)));
        out.push(Count::both("territories", board.of(white).count(), board.of(black).count()));
        out.push(Count::both("squares under control", controls(white), controls(black)));
    }

    fn strength(&self, side: Side) -> i32 {
        let board = &self.state.board;
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX / 4).min(10_000);
        let control = count(controlled(board, side, self.rules.border).count_ones() as usize);
        let territories = count(board.of(side).count());
        let tokens: i32 = board.of(side).map(|territory| count(territory.stack.len())).sum();
        let share: i32 = board
            .of(side)
            .map(|territory| {
                let (have, need) = (count(territory.stack.len()), count(needed(board, territory, self.rules.border)));
                have.min(need)
            })
            .sum();
        // Aggressors that meet nobody take the place that they advance into (U54, U56).
        let mut within_reach = 0;
        for territory in board.of(side) {
            let (have, aggressors) = (count(territory.stack.len()), count(territory.stack.aggressors()));
            let mut most = 0;
            for (_, to) in around(territory) {
                let Some(other) = board.at(to).filter(|other| other.owner != side) else { continue };
                let held = count(other.stack.len());
                let unmet = aggressors * (have - held).max(0) / have.max(1);
                most = most.max(unmet.min(held + 1));
            }
            within_reach += most;
        }
        // Whoever never meets the enemy takes nothing.
        let way = |rank: u8| i32::from(if side == WHITE { rank } else { 7 - rank });
        let front =
            board.of(side).map(|own| 6 * way(own.corner.rank()) + count(own.stack.len()).min(12)).max().unwrap_or(0);
        3 * front + 20 * tokens + 2 * share + 4 * control + 2 * territories + 9 * within_reach
    }

    /// Tokens count, then what is controlled. Whoever has many more has to find the last of the enemy's, for which tokens alone would
    /// give no reason.
    pub(super) fn rough_judgement(&self) -> i32 {
        let (white, black) = (self.strength(WHITE), self.strength(WHITE.other()));
        let judged = (900 - HUNT) * (white - black) / (white + black + 40);
        let board = &self.state.board;
        let tokens =
            |side| i32::try_from(board.of(side).map(|own| own.stack.len()).sum::<usize>()).unwrap_or(i32::MAX / 4);
        let (whites, blacks) = (tokens(WHITE), tokens(WHITE.other()));
        if whites > HUNTS * blacks && blacks > 0 {
            judged + self.hunt(WHITE)
        } else if blacks > HUNTS * whites && whites > 0 {
            judged - self.hunt(WHITE.other())
        } else {
            judged
        }
    }

    /// How near a side is to having taken everything: the less there is, and the nearer a stack that takes it, the more.
    fn hunt(&self, side: Side) -> i32 {
        let far: i32 = self.state.board.of(side.other()).map(|prey| 2 + self.way_to(prey, side)).sum();
        HUNT * 24 / (24 + far)
    }

    /// How many steps the nearest stack of a side that takes a territory is away from it.
    fn way_to(&self, prey: &Territory, side: Side) -> i32 {
        let held = prey.stack.len();
        let takes = |own: &&Territory| own.stack.aggressors() > held;
        let way = |own: &Territory| steps(own.corner, prey.corner);
        self.state.board.of(side).filter(takes).map(way).min().unwrap_or(FARTHEST)
    }

    /// How many steps a stack with so many aggressors, on a square, is away from the nearest enemy that it takes.
    fn way_from(&self, square: Square, aggressors: usize) -> i32 {
        let prey = self.state.board.of(self.state.to_play.other()).filter(|prey| prey.stack.len() < aggressors);
        prey.map(|prey| steps(square, prey.corner)).min().unwrap_or(FARTHEST)
    }

    /// The move of a whole stack that begins with a step of its top token.
    pub(super) fn whole_stack(&self, action: &Action) -> Option<Action> {
        let Action::Move { from, to, count: 1 } = *action else { return None };
        let territory = self.state.board.at(from).filter(|own| own.size == 1 && own.stack.len() > 1)?;
        Some(Action::Move { from, to, count: u32::try_from(territory.stack.len()).ok()? })
    }

    /// Attacks by taller stacks come first; what changes nothing comes last.
    pub(super) fn rough_promise(&self, entry: &[Action]) -> u32 {
        let [action] = entry else { return 1 };
        let height = |at: &Square| self.state.board.at(*at).map_or(0, |territory| territory.stack.len());
        match action {
            Action::Claim { at, cover } => {
                let beside = |square: Square| {
                    let other = self.state.board.at(square);
                    other.is_some_and(|other: &Territory| other.owner != self.state.to_play)
                };
                match (self.state.board.at(*at), cover) {
                    (None, _) => 1,
                    (Some(own), Cover::Open(Kind::Aggressor)) if !around(own).any(|(_, to)| beside(to)) => 3,
                    (Some(own), _) if !around(own).any(|(_, to)| beside(to)) => 1,
                    (_, Cover::Open(Kind::Aggressor)) => 20,
                    _ => 2,
                }
            }
            Action::Conflict { from, to, .. } => {
                let (own, other) = (height(from), height(to));
                let aggressors = self.state.board.at(*from).map_or(0, |own| own.stack.aggressors());
                if aggressors > 2 * other {
                    40
                } else if own > other {
                    16
                } else if own == other {
                    8
                } else {
                    3
                }
            }
            Action::Subsume { .. } => 30,
            Action::Move { from, to, count } if *count > 1 || height(from) == 1 => {
                let aggressors = self.state.board.at(*from).map_or(0, |own| own.stack.aggressors());
                let (now, then) = (self.way_from(*from, aggressors), self.way_from(*to, aggressors));
                // Beside an enemy that it takes it stays, and attacks in the next turn.
                if now > 1 && then < now { 12 } else { u32::from(*count == 1) }
            }
            Action::Move { from, to, .. } => {
                let forward = |square: &Square| {
                    let rank = i32::from(square.rank());
                    if self.state.to_play == WHITE { rank } else { 7 - rank }
                };
                if forward(to) > forward(from) { 3 } else { 0 }
            }
            // Mostly they change little, and there are very many.
            Action::Reorder { .. } | Action::Retype { .. } => 0,
            Action::End => match self.state.phase {
                Phase::Movement => 8,
                _ => 4,
            },
            Action::Reveal(_) => 1,
        }
    }
}

/// More steps than any way on the board has.
const FARTHEST: i32 = 15;

/// How many steps two squares are apart.
fn steps(from: Square, to: Square) -> i32 {
    i32::from(from.file().abs_diff(to.file())) + i32::from(from.rank().abs_diff(to.rank()))
}
