//! Combat, wounds, and how a turn ends.

use crate::assassyn::board::{Board, Fighters, Kind, Square, Wound};
use crate::assassyn::position::state::{Assassyn, BLACK, Severe, WHITE};
use postrider_kernel::{Outcome, Past, Side};

/// The result of a combat (D41 to D45).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assassyn) enum Combat {
    /// Both die.
    Both,
    /// The challenger wins; contains its wound afterwards.
    Attacker(Wound),
    /// The challenged piece wins; contains its wound afterwards.
    Defender(Wound),
}

/// Decides a combat between fighters with these kinds, wounds and throws, the challenger's first; `rule` is the effect
/// of a severe wound (D43).
pub(in crate::assassyn) fn decide(rule: Severe, kinds: [Kind; 2], wounds: [Wound; 2], throws: [u32; 2]) -> Combat {
    let [attacker, defender] = throws.map(i64::from);
    let [hurt_attacker, hurt_defender] = wounds;
    if kinds == [Kind::Assassin; 2] {
        // D44: only the throws count, without wounds.
        return match attacker.cmp(&defender) {
            std::cmp::Ordering::Equal => Combat::Both,
            std::cmp::Ordering::Greater => Combat::Attacker(Wound::None),
            std::cmp::Ordering::Less => Combat::Defender(Wound::None),
        };
    }
    // D43: a severe wound against none.
    let severe = |wound: Wound| matches!(wound, Wound::Severe | Wound::HalfHealed);
    let together = rule == Severe::Both
        && (severe(hurt_attacker) && hurt_defender == Wound::None && defender == attacker - 1
            || severe(hurt_defender) && hurt_attacker == Wound::None && attacker == defender - 1);
    let handicap = |own: Wound, other: Wound| match rule {
        Severe::One if severe(own) && other == Wound::None => 1,
        _ => i64::from(own.handicap()),
    };
    let margin =
        attacker - handicap(hurt_attacker, hurt_defender) - (defender - handicap(hurt_defender, hurt_attacker));
    if margin == 0 || together {
        return Combat::Both;
    }
    let fresh = match margin.abs() {
        1 => Wound::Severe,
        2 => Wound::Slight,
        _ => Wound::None,
    };
    // D45: the worse of the old and the new wound, with its healing count reset.
    if margin > 0 {
        Combat::Attacker(hurt_attacker.afresh().max(fresh))
    } else {
        Combat::Defender(hurt_defender.afresh().max(fresh))
    }
}

impl Assassyn {
    /// Settles the challenge that was accepted, by its throws; accepting is the challenged side's turn (D33).
    pub(in crate::assassyn) fn fight(&mut self, fighters: Fighters, throws: [u32; 2]) {
        let Fighters { challenger, attacker, defender } = fighters;
        let challenged = challenger.other();
        let wound = |board: &Board, side: Side, slot: usize| {
            board.men[side.index()].get(slot).map_or(Wound::None, |man| man.wound)
        };
        let wounds = [wound(&self.board, challenger, attacker.0), wound(&self.board, challenged, defender.0)];
        let combat = decide(self.rules.severe, [attacker.1, defender.1], wounds, throws);
        let mut winner = None;
        match combat {
            Combat::Both => {
                self.board.remove(challenger, attacker.0);
                self.board.remove(challenged, defender.0);
            }
            Combat::Attacker(wound) => {
                self.board.remove(challenged, defender.0);
                if let Some(man) = self.board.man(challenger, attacker.0) {
                    man.wound = wound;
                }
            }
            Combat::Defender(wound) => {
                self.board.remove(challenger, attacker.0);
                if let Some(man) = self.board.man(challenged, defender.0) {
                    man.wound = wound;
                }
                winner = Some(defender.0);
            }
        }
        self.thrown = Some((challenger, throws));
        self.end_turn(challenged, winner, None);
    }

    /// Ends a turn of `side`, in which the piece `busy` moved or won its combat. If no piece was removed, the turn was
    /// a move along `way`.
    pub(in crate::assassyn) fn end_turn(&mut self, side: Side, busy: Option<usize>, way: Option<(Square, Square)>) {
        self.board.end_turn(side, busy);
        match way {
            None => {
                self.board.challenge = None;
                self.seal = None;
                self.salt = None;
                self.quiet.count(true);
                self.past = Past::since(self.board);
            }
            Some((from, to)) => {
                self.quiet.count(false);
                if self.rules.repetition {
                    self.past.push((from, to));
                }
            }
        }
        self.outcome = self.decided();
    }

    /// The result by D60 and D63, if any.
    pub(in crate::assassyn) fn decided(&self) -> Option<Outcome> {
        let lost = |side: Side| self.board.count(side, Kind::Prince) == 0;
        match (lost(WHITE), lost(BLACK)) {
            (true, true) => Some(Outcome::Draw("princes")),
            (true, false) => Some(Outcome::Win(BLACK, "prince")),
            (false, true) => Some(Outcome::Win(WHITE, "prince")),
            (false, false) => {
                (self.board.challenge.is_none() && !self.can_turn()).then_some(Outcome::Draw("stalemate"))
            }
        }
    }
}
