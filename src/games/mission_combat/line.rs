//! The canonical spelling of an entry.

use super::MissionCombat;
use super::notation::{Action, Draw, Name, Share};
use crate::games::kernel::Trusting;

impl MissionCombat {
    /// The actions in full: units with their numbers, splits in the order of the units, two drawn cards sorted.
    pub(super) fn spell_out(&self, actions: &[Action]) -> Vec<Action> {
        let mut game = self.clone();
        let side = game.due_side();
        let mut list = Vec::with_capacity(actions.len());
        let mut goes_on = true;
        // What follows the last action that names units need not be known.
        let names = |action: &Action| matches!(action, Action::Move(..) | Action::Attack(..) | Action::Event(..));
        let last = actions.iter().rposition(names).unwrap_or(0);
        for (nth, action) in actions.iter().enumerate() {
            let action = if goes_on { game.spelled_out(action) } else { action.clone() };
            goes_on = goes_on && (nth >= last || game.act(side, &action, &mut Trusting).is_ok());
            list.push(action);
        }
        list
    }

    fn spelled_out(&self, action: &Action) -> Action {
        match action {
            Action::Draw(Draw::Cards(first, Some(second))) if second < first => {
                Action::Draw(Draw::Cards(second.clone(), Some(first.clone())))
            }
            Action::Move(unit, to, paid) => Action::Move(self.full(unit), *to, *paid),
            Action::Attack(unit, shares) => Action::Attack(self.full(unit), self.in_order(shares)),
            Action::Event(card, shares, opening) => Action::Event(card.clone(), self.in_order(shares), *opening),
            _ => action.clone(),
        }
    }

    fn full(&self, name: &Name) -> Name {
        self.named(self.find(name), name)
    }

    /// The name in full of the unit at a place, which `name` stands for.
    fn named(&self, at: Option<usize>, name: &Name) -> Name {
        let man = at.and_then(|at| self.board.men.get(at));
        man.map_or_else(|| name.clone(), |man| self.full_name(man))
    }

    fn in_order(&self, shares: &[Share]) -> Vec<Share> {
        let mut list: Vec<_> = shares
            .iter()
            .map(|share| {
                let at = self.find(&share.unit);
                (at, Share { unit: self.named(at, &share.unit), points: share.points })
            })
            .collect();
        list.sort_by_key(|(at, _)| *at);
        list.into_iter().map(|(_, share)| share).collect()
    }
}
