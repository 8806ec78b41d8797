//! Describes legal actions for the refusal of another.

use crate::subsume::position::state::{Action, Subsume};

/// Lists are given up to this length.
const FEW: usize = 8;

impl Subsume {
    /// Lists the legal actions of a kind at this point of the turn; `what` names one of the kind.
    pub(in crate::subsume) fn legal(&self, what: &str, of_the_kind: impl Fn(&Action) -> bool) -> String {
        let mut list = Vec::new();
        let mut more = 0;
        self.generate(&mut |action| match of_the_kind(&action) {
            false => {}
            true if list.len() == FEW => more += 1,
            true => {
                let mut text = String::new();
                crate::subsume::notation::write(&action, &mut text);
                list.push(text);
            }
        });
        match list.split_last() {
            None => format!("no {what} is legal now"),
            Some((one, [])) => format!("the one legal {what} is {one}"),
            Some(_) if more > 0 => format!("a legal {what} is one of {} and {more} more", list.join(", ")),
            Some((last, rest)) => format!("a legal {what} is {} or {last}", rest.join(", ")),
        }
    }

    /// Lists the legal conflicts.
    pub(in crate::subsume) fn legal_conflicts(&self) -> String {
        self.legal("conflict", |action| matches!(action, Action::Conflict { .. }))
    }

    /// Lists the legal moves.
    pub(in crate::subsume) fn legal_moves(&self) -> String {
        self.legal("move", |action| matches!(action, Action::Move { .. }))
    }
}
