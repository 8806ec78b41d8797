//! Sealed play from the player's side: what is added to what was typed, and what only the owner knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::board::{Kind, Square, Token};
use crate::subsume::position::state::{Action, Cover, Opening, Phase, Subsume, label};
use postrider_kernel::{Faces, Facts, Incomplete, Keeper, Lost, Nonce, Salt, Seal, SealPlace, Side, Turn};

/// Calls `each` with every payload that may have been sealed (U90), until it returns true.
pub(super) fn payloads(each: &mut dyn FnMut(&str) -> bool) {
    let _ = Kind::ALL.into_iter().any(|kind| each(kind.word()));
}

/// The seals that are being made for an entry, by their labels: they have no places yet. All else is trusted.
#[derive(Default)]
struct Made(Vec<(String, Seal)>);

impl Made {
    fn find(&self, label: &str) -> Option<Seal> {
        self.0.iter().find(|(made, _)| made == label).map(|(_, seal)| *seal)
    }
}

impl Facts for Made {
    fn publish(&mut self, _: Side, label: &str, seal: &Seal) -> Option<SealPlace> {
        self.0.push((label.to_owned(), *seal));
        Some(SealPlace::NONE)
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        true
    }

    fn opens_at(&mut self, _: Side, _: &str, _: &str, _: SealPlace, _: &Nonce) -> bool {
        true
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

impl Subsume {
    /// Adds what U90 to U93 require: a seal for each type that was typed, the openings for a conflict, the reveal that
    /// is due. From the first action on that would be illegal in any case, everything is left as typed, for the referee
    /// to refuse.
    pub(super) fn add_seals(&self, typed: &[Action], keeper: &mut dyn Keeper) -> Result<Vec<Action>, Incomplete> {
        if !self.rules.sealed || self.state.outcome.is_some() {
            return Ok(typed.to_vec());
        }
        let mut game = self.clone();
        let mut actions = typed.to_vec();
        let mut made = Made::default();
        if let Some(pending) = self.state.pending
            && !matches!(typed, [Action::Reveal(_), ..])
        {
            actions.insert(0, Action::Reveal(self.recalled(pending.to, &made, keeper)?));
        }
        for part in 0..actions.len() {
            let Some(action) = actions.get_mut(part) else { break };
            game.add_to(action, &made, keeper)?;
            if game.judge_at(&actions, part, self.resumed(), &mut made).is_err() {
                break;
            }
        }
        Ok(actions)
    }

    /// Adds what one action lacks.
    fn add_to(&self, action: &mut Action, made: &Made, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let state = &self.state;
        match action {
            Action::Claim { cover, .. } if state.phase == Phase::Claim => {
                if let Cover::Open(kind) = *cover {
                    *cover = Cover::Sealed(keeper.seal(&label(state.tokens.saturating_add(1), 0), kind.word())?);
                }
            }
            Action::Retype { at, nth, cover } => {
                let own = state.board.own(state.to_play, *at);
                let token = own.and_then(|territory| territory.stack.get((*nth as usize).checked_sub(1)?));
                if let Cover::Open(kind) = *cover {
                    // If there is no such token, the entry is refused for that reason and not for a missing seal.
                    let label = token.map_or(label(0, 1), |token| label(token.number(), token.reseals() + 1));
                    *cover = Cover::Sealed(keeper.seal(&label, kind.word())?);
                }
            }
            Action::Conflict { from, to, openings } if openings.is_empty() => {
                let side = state.to_play;
                if state.board.own(side, *from).is_some() && state.board.own(side.other(), *to).is_some() {
                    *openings = self.recalled(*from, made, keeper)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What opens all sealed tokens of the territory that contains a square, by number.
    fn recalled(&self, at: Square, made: &Made, keeper: &mut dyn Keeper) -> Result<Vec<Opening>, Lost> {
        let Some(territory) = self.state.board.at(at) else { return Ok(Vec::new()) };
        let mut list = Vec::new();
        for token in territory.sealed() {
            let (kind, nonce) = recall(token, made, keeper)?;
            list.push(Opening { number: token.number(), kind, nonce });
        }
        Ok(list)
    }

    /// Records the types of all tokens that a side has sealed.
    pub(super) fn note_own_types(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let mut told = BTreeMap::clone(&self.confided);
        let made = Made::default();
        // Sealed tokens are their territory's owner's: what has fought is open (U57).
        for token in self.state.board.of(side).flat_map(|territory| territory.stack.sealed()) {
            if let Some(place) = token.seal() {
                let (kind, _) = recall(*token, &made, keeper)?;
                told.insert(place, (side, kind));
            }
        }
        self.confided = Arc::new(told);
        Ok(())
    }

    /// The game after the reveal that is due, if a turn of the same side may follow it in the same entry (U93).
    pub(super) fn after_reveal(&self, turn: Turn<'_, Action>) -> Option<Self> {
        let reveal = turn.actions.first().filter(|_| self.state.pending.is_some_and(|pending| pending.closed))?;
        let mut game = self.clone();
        game.judge(Turn { actions: std::slice::from_ref(reveal), offers: false, facts: turn.facts }).ok()?;
        Some(game)
    }
}

/// The type under a token's seal, and what opens it.
fn recall(token: Token, made: &Made, keeper: &mut dyn Keeper) -> Result<(Kind, Nonce), Lost> {
    let label = label(token.number(), token.reseals());
    let seal = made.find(&label).or_else(|| token.seal().and_then(|place| keeper.seal_at(place)));
    let Some(seal) = seal else { return Err(Lost(format!("the seal `{label}` is not at hand"))) };
    let (word, nonce) = keeper.recall(&label, &seal, &|each| payloads(each))?;
    match Kind::ALL.into_iter().find(|kind| kind.word() == word) {
        Some(kind) => Ok((kind, nonce)),
        None => Err(Lost(format!("the seal `{label}` holds no type of token"))),
    }
}
