//! Sealed play from the player's side: what is added to what was typed, and what may have been sealed.

use super::notation;
use super::rules::D4;
use crate::assassyn::position::state::{Acceptance, Action, Assassyn, DEPLOY, Mark, ROLL, Way};
use crate::assassyn::rules::deployment::{check_forces, check_squares, each_arrangement};
use postrider_kernel::{Illegal, Incomplete, Keeper, Lost, Side};

/// Calls `each` with every payload that a side may have sealed under a label.
pub(super) fn payloads(side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
    if label != DEPLOY {
        each(ROLL);
        return;
    }
    let mut text = String::new();
    each_arrangement(side, &mut |list| {
        text.clear();
        notation::write_pieces(list, &mut text);
        each(&text)
    });
}

impl Assassyn {
    /// Adds what Z11 to Z14 require. What is illegal without it is left as typed, for the referee to refuse.
    pub(super) fn add_seals(&self, typed: &[Action], keeper: &mut dyn Keeper) -> Result<Vec<Action>, Incomplete> {
        let mut entry = typed.to_vec();
        if !self.rules.sealed || self.outcome.is_some() {
            return Ok(entry);
        }
        if self.deploying {
            if self.rules.deployment == Way::Sealed {
                self.seal_deployment(&mut entry, keeper)?;
            }
            return Ok(entry);
        }
        if self.salt.is_some() {
            if !matches!(entry.first(), Some(Action::Open(_)))
                && let Some(seal) = self.seal
            {
                let nonce = keeper.open(&self.roll_label(), ROLL, &seal)?;
                entry.insert(0, Action::Open(nonce));
            }
            // The following turn may be a challenge with the next number; the position after the dice shows whether it
            // is.
            if let Some(Action::Move { mark: Mark::Onto, kind, to, seal: seal @ None, .. }) = entry.get_mut(1)
                && self.would_challenge(*kind, *to)
            {
                *seal = Some(keeper.seal(&format!("roll.{}", self.challenges + 1), ROLL)?);
            }
            return Ok(entry);
        }
        if !self.rules.joint {
            return Ok(entry);
        }
        match entry.as_mut_slice() {
            [] if self.board.challenge.is_some() && !self.has_escape() => {
                entry.push(Action::Accept(Acceptance::Salt(keeper.salt()?)));
            }
            [Action::Accept(acceptance @ Acceptance::Bare)] => *acceptance = Acceptance::Salt(keeper.salt()?),
            [Action::Move { mark: Mark::Onto, kind, to, seal: seal @ None, .. }]
                if (self.board.challenge.is_none() || self.rules.escape_by_challenge)
                    && self.would_challenge(*kind, *to) =>
            {
                *seal = Some(keeper.seal(&format!("roll.{}", self.challenges + 1), ROLL)?);
            }
            _ => {}
        }
        Ok(entry)
    }

    /// Notes what a side's secret tells of its sealed deployment, until that is opened.
    pub(super) fn note_own_deployment(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let is_open = self.board.standing(side).next().is_some();
        let Some(Some(own)) = self.deployments.get(side.index()).filter(|_| self.deploying && !is_open) else {
            self.own_deployment = None;
            return Ok(());
        };
        if self.own_deployment.as_ref().is_some_and(|(noted, _)| *noted == side) {
            return Ok(());
        }
        let (payload, _) = keeper.recall(DEPLOY, own, &|each| payloads(side, DEPLOY, each))?;
        if let Ok(Action::Deploy(list, _)) = notation::read(&format!("deploy {payload}")) {
            self.own_deployment = Some((side, list));
        }
        Ok(())
    }

    /// Whether a move onto a square would be a challenge: an Assassin is killed by all but an Assassin (D14). No combat that is
    /// pending can change what stands there, but for the two that fight.
    fn would_challenge(&self, kind: super::board::Kind, to: super::board::Square) -> bool {
        match self.board.at(self.board.to_play.other(), to) {
            Some((_, prey)) => (prey == super::board::Kind::Assassin) == (kind == super::board::Kind::Assassin),
            None => false,
        }
    }

    /// Z14: what was typed is sealed, or what was sealed is opened.
    fn seal_deployment(&self, entry: &mut Vec<Action>, keeper: &mut dyn Keeper) -> Result<(), Incomplete> {
        let side = self.board.to_play;
        let text = |list: &crate::assassyn::position::state::Deployment| {
            let mut text = String::new();
            notation::write_pieces(list, &mut text);
            text
        };
        let Some(Some(own)) = self.deployments.get(side.index()).filter(|_| !self.deployments.contains(&None)) else {
            if let [Action::Deploy(list, None)] = entry.as_slice() {
                // What is sealed must be legal, because an illegal deployment could not be opened.
                check_forces(0, list).map_err(Incomplete::Illegal)?;
                check_squares(0, side, list).map_err(Incomplete::Illegal)?;
                *entry = vec![Action::Seal(keeper.seal(DEPLOY, &text(list))?)];
            }
            return Ok(());
        };
        match entry.as_mut_slice() {
            [] => {
                let (payload, nonce) = keeper.recall(DEPLOY, own, &|each| payloads(side, DEPLOY, each))?;
                if let Ok(Action::Deploy(list, _)) = notation::read(&format!("deploy {payload}")) {
                    entry.push(Action::Deploy(list, Some(nonce)));
                }
            }
            [Action::Deploy(list, opening @ None)] => match keeper.open(DEPLOY, &text(list), own) {
                Ok(nonce) => *opening = Some(nonce),
                // Either a different deployment was typed, or the secret is a different one.
                Err(lost) => match keeper.recall(DEPLOY, own, &|each| payloads(side, DEPLOY, each)) {
                    Ok((sealed, _)) => {
                        let message = "this is not the deployment that was sealed";
                        let illegal = Illegal::new(D4, 0, message)
                            .with_help(format!("the sealed deployment is `deploy {sealed}`"));
                        return Err(Incomplete::Illegal(illegal));
                    }
                    Err(_) => return Err(lost.into()),
                },
            },
            _ => {}
        }
        Ok(())
    }
}
