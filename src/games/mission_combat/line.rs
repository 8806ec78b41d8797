//! The canonical spelling of an entry.

use std::borrow::Cow;

use super::MissionCombat;
use super::notation::{Action, Draw, Name, Share};
use crate::games::kernel::{Side, Trusting};

impl MissionCombat {
    /// The actions in full: units with their numbers, splits in the order of the units, two drawn cards sorted.
    pub(super) fn spell_out<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        // Almost all entries are canonical already. Where units have their names in full, nothing that is done in the entry changes how
        // it is spelled, because those that stay keep their order.
        if actions.iter().all(|action| self.is_spelled_out(action)) {
            return Cow::Borrowed(actions);
        }
        if actions.iter().all(|action| self.is_in_full(action)) {
            return actions.iter().map(|action| self.spelled_out(action)).collect();
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

    /// Returns whether an action is canonical, whatever was done before.
    fn is_spelled_out(&self, action: &Action) -> bool {
        let in_order = |shares: &[Share]| {
            let mut last = None;
            shares.iter().all(|share| {
                let at = self.find(&share.unit);
                let before = std::mem::replace(&mut last, at);
                at.is_some() && before <= at && self.is_full(&share.unit)
            })
        };
        match action {
            Action::Draw(Draw::Cards(first, Some(second))) => first <= second,
            Action::Move(unit, ..) => self.is_full(unit),
            Action::Attack(unit, shares) => self.is_full(unit) && in_order(shares),
            Action::Event(_, shares, _) => in_order(shares),
            _ => true,
        }
    }

    /// Returns whether all units have their names in full, and those of a split are on the board.
    fn is_in_full(&self, action: &Action) -> bool {
        let all =
            |shares: &[Share]| shares.iter().all(|share| self.is_full(&share.unit) && self.find(&share.unit).is_some());
        match action {
            Action::Move(unit, ..) => self.is_full(unit),
            Action::Attack(unit, shares) => self.is_full(unit) && all(shares),
            Action::Event(_, shares, _) => all(shares),
            _ => true,
        }
    }

    /// Returns whether a legal name has all that it may have: a number, unless there is one of the card.
    fn is_full(&self, name: &Name) -> bool {
        let mut cards = Side::BOTH.into_iter().flat_map(|side| self.decks().of(side));
        name.number.is_some() || cards.any(|card| card.copies == 1 && name.slug.is(&card.slug))
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
