//! Lists the legal entries. It is written independently of judging, square by square, so that tests can compare the
//! two.

use super::board::{Fighters, Kind, SIZE, Square};
use crate::assassyn::position::state::{Acceptance, Action, Assassyn, Deployment, Mark, Way};
use crate::assassyn::rules::deployment::{arrangements, each_arrangement};
use postrider_kernel::{DIRECTIONS, Moves};

/// The kind of a listed entry, without throws and seals.
#[derive(Clone, Copy)]
enum Plan {
    Move(Kind, Square, Mark, Square),
    Accept(Fighters),
}

impl Assassyn {
    /// Calls `each` with every turn that the side to play has, until it returns true.
    fn turns(&self, each: &mut dyn FnMut(Plan) -> bool) {
        let board = &self.board;
        let side = board.to_play;
        let own = board.set(side);
        let foes = board.set(side.other());
        let enemy = |square: Square| board.standing(side.other()).find(|(_, _, at, _)| *at == square);
        let challenged = match (board.challenge, board.fighters()) {
            (Some(challenge), Some(fighters)) => Some((challenge, fighters)),
            _ => None,
        };
        let barred = challenged.map_or(0, |(challenge, _)| challenge.from.way(challenge.on));
        // Only a piece that may challenge moves onto a fighter other than an Assassin; in an escape, only if the option
        // allows it (D31).
        let challenges = challenged.is_none() || self.rules.escape_by_challenge;
        let mut escapes = false;
        for (slot, kind, from, _) in board.standing(side) {
            if challenged.is_some_and(|(_, fighters)| fighters.defender.0 != slot) {
                continue;
            }
            for direction in (0..DIRECTIONS.len()).filter(|direction| kind.sees(*direction)) {
                let mut at = from;
                for _ in 0..kind.reach().min(SIZE) {
                    let Some(to) = at.step(direction) else { break };
                    if (own | barred) & to.set() != 0 {
                        break;
                    }
                    let mark = if foes & to.set() == 0 { Mark::To } else { Mark::Onto };
                    let met = enemy(to).map(|(_, kind, ..)| kind);
                    let may = match met {
                        None => true,
                        Some(Kind::Assassin) => kind != Kind::Assassin || challenged.is_none(),
                        Some(_) => kind != Kind::Assassin && challenges,
                    };
                    if may {
                        escapes = true;
                        if each(Plan::Move(kind, from, mark, to)) {
                            return;
                        }
                    }
                    if met.is_some() {
                        break;
                    }
                    at = to;
                }
            }
        }
        if let Some((_, fighters)) = challenged
            && each(Plan::Accept(fighters))
        {
            return;
        }
        if challenged.is_some() && !escapes {
            return;
        }
        for (slot, kind, from, _) in board.standing(side) {
            if kind != Kind::Assassin {
                continue;
            }
            for direction in 0..DIRECTIONS.len() {
                let Some(to) = from.step(direction) else { continue };
                let Some((_, prey, ..)) = enemy(to) else { continue };
                let hit = match challenged {
                    Some((challenge, fighters)) => to == challenge.on && fighters.defender.0 != slot,
                    None => !prey.sees(direction),
                };
                if hit && each(Plan::Move(kind, from, Mark::Strike, to)) {
                    return;
                }
            }
        }
    }

    /// Calls `each` with every move and strike that the side to play has.
    pub(super) fn moves_of(&self, each: &mut dyn FnMut(Kind, Square, Mark, Square)) {
        self.turns(&mut |plan| {
            if let Plan::Move(kind, from, mark, to) = plan {
                each(kind, from, mark, to);
            }
            false
        });
    }

    /// Returns whether the side to play has a turn (D63).
    pub(super) fn can_turn(&self) -> bool {
        let mut found = false;
        self.turns(&mut |_| {
            found = true;
            true
        });
        found
    }

    /// Calls `each` with every piece and square for an alternating deployment.
    fn placements(&self, mut each: impl FnMut(Kind, Square)) {
        let side = self.board.to_play;
        let taken = self.board.set(side);
        let home = || Square::all().filter(|square| super::board::is_home(side, *square));
        for kind in Kind::ALL.into_iter().filter(|kind| self.board.count(side, *kind) < kind.number()) {
            home().filter(|square| taken & square.set() == 0).for_each(|square| each(kind, square));
        }
    }

    /// Adds every legal entry in open play.
    pub(super) fn generate(&self, out: &mut Moves<Action>) {
        if self.outcome.is_some() || self.salt.is_some() {
            return;
        }
        if self.deploying {
            match self.rules.deployment {
                Way::Alternating => self.placements(|kind, at| out.push([Action::Place(kind, at)])),
                Way::Sequential => each_arrangement(self.board.to_play, &mut |list| {
                    out.push([Action::Deploy(Deployment::from_slice(list), None)]);
                    false
                }),
                // A sealed deployment cannot be listed, because only its owner could write it.
                Way::Sealed => {}
            }
            return;
        }
        self.turns(&mut |plan| {
            match plan {
                Plan::Move(kind, from, mark, to) => out.push([Action::Move { kind, from, mark, to, seal: None }]),
                Plan::Accept(fighters) => {
                    let [most, least] = [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind));
                    for attacker in 1..=most {
                        for defender in 1..=least {
                            out.push([Action::Accept(Acceptance::Roll([attacker, defender]))]);
                        }
                    }
                }
            }
            false
        });
    }

    /// Returns how many entries [`Assassyn::generate`] lists.
    pub(super) fn count_entries(&self) -> usize {
        if self.outcome.is_some() || self.salt.is_some() {
            return 0;
        }
        let mut count = 0;
        if self.deploying {
            match self.rules.deployment {
                Way::Alternating => self.placements(|_, _| count += 1),
                Way::Sequential => count = arrangements(),
                Way::Sealed => {}
            }
            return count;
        }
        self.turns(&mut |plan| {
            count += match plan {
                Plan::Move(..) => 1,
                Plan::Accept(fighters) => {
                    let dice = [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind) as usize);
                    dice.iter().product()
                }
            };
            false
        });
        count
    }

    /// Adds the legal entries in brief: an acceptance once, a deployment once, a challenge without its seal.
    pub(super) fn list_entries(&self, out: &mut Vec<String>) {
        if self.outcome.is_some() {
            return;
        }
        let mut push = |action: Action| {
            let mut text = String::new();
            super::notation::write(&action, &mut text);
            out.push(text);
        };
        if self.salt.is_some() {
            out.push("open".into());
        } else if !self.deploying {
            self.turns(&mut |plan| {
                push(match plan {
                    Plan::Move(kind, from, mark, to) => Action::Move { kind, from, mark, to, seal: None },
                    Plan::Accept(_) => Action::Accept(Acceptance::Bare),
                });
                false
            });
        } else if self.rules.deployment == Way::Alternating {
            self.placements(|kind, at| push(Action::Place(kind, at)));
        } else {
            out.push("deploy".into());
        }
    }
}
