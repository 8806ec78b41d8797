//! The canonical spelling of an entry.

use std::borrow::Cow;

use crate::mission_combat::notation::{Action, Draw, Name, Share};
use crate::mission_combat::position::state::MissionCombat;
use postrider_kernel::Trusting;

impl MissionCombat {
    /// The actions in full: units with their numbers, splits in the order of the units, two drawn cards sorted.
    pub(in crate::mission_combat) fn spell_out<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        // Almost all entries are canonical already, or out of order and nothing else.
        let arranged: Option<Vec<_>> = actions.iter().map(|action| self.arranged(action)).collect();
        if let Some(arranged) = arranged {
            if arranged.iter().all(|action| matches!(action, Cow::Borrowed(_))) {
                return Cow::Borrowed(actions);
            }
            return arranged.into_iter().map(Cow::into_owned).collect();
        }
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
        Cow::Owned(list)
    }

    /// The canonical action, if nothing that is done before it in the entry changes how it is spelled: where all units have their names in
    /// full, and those of a split are on the board, where they keep their order.
    fn arranged<'a>(&self, action: &'a Action) -> Option<Cow<'a, Action>> {
        match action {
            Action::Draw(Draw::Cards(first, Some(second))) if second < first => {
                Some(Cow::Owned(self.spelled_out(action)))
            }
            Action::Move(unit, ..) => self.is_full(unit).then_some(Cow::Borrowed(action)),
            Action::Attack(unit, shares) if self.is_full(unit) => Some(match self.rearranged(shares)? {
                Some(shares) => Cow::Owned(Action::Attack(unit.clone(), shares)),
                None => Cow::Borrowed(action),
            }),
            Action::Attack(..) => None,
            Action::Event(card, shares, opening) => Some(match self.rearranged(shares)? {
                Some(shares) => Cow::Owned(Action::Event(card.clone(), shares, *opening)),
                None => Cow::Borrowed(action),
            }),
            _ => Some(Cow::Borrowed(action)),
        }
    }

    /// Returns a split in order, or nothing if it is; `None` if a unit is not on the board or has not its name in full.
    fn rearranged(&self, shares: &[Share]) -> Option<Option<Vec<Share>>> {
        let (mut places, mut in_order) = (Vec::with_capacity(shares.len()), true);
        for share in shares {
            let (at, card) = self.find_with_card(&share.unit)?;
            if share.unit.number.is_none() && card.copies > 1 {
                return None;
            }
            in_order = in_order && places.last().is_none_or(|last| *last <= Some(at));
            places.push(Some(at));
        }
        Some((!in_order).then(|| sorted(places.into_iter().zip(shares.iter().cloned()).collect())))
    }

    /// Returns whether a legal name has all that it may have: a number, unless there is one of the card.
    fn is_full(&self, name: &Name) -> bool {
        name.number.is_some() || self.decks().named(&name.slug).is_some_and(|(.., card)| card.copies == 1)
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
        let man = at.and_then(|at| self.board.men().get(at));
        man.map_or_else(|| name.clone(), |man| self.full_name(man))
    }

    fn in_order(&self, shares: &[Share]) -> Vec<Share> {
        let placed = |share: &Share| {
            let at = self.find(&share.unit);
            (at, Share { unit: self.named(at, &share.unit), points: share.points })
        };
        sorted(shares.iter().map(placed).collect())
    }
}

/// The shares in the order of the places of their units.
fn sorted(mut list: Vec<(Option<usize>, Share)>) -> Vec<Share> {
    list.sort_by_key(|(at, _)| *at);
    list.into_iter().map(|(_, share)| share).collect()
}
