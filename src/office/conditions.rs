//! Conditional entries: what a player has foreseen, followed through a record.

use super::{Notice, Office, Trouble};
use crate::desk::conditions::{self, Conditions, Reply, State};
use crate::desk::{Desk, Entered, EntryRequest};
use crate::games::kernel::Side;
use crate::sealing::KeyStore;
use crate::store::{ConditionsError, Plans};
use crate::text::printable;
use crate::verdict::Opened;

/// The conditions of a side as the record leaves them. Conditions that have become void are removed, with a message.
///
/// # Errors
/// If they cannot be read or written.
pub fn current(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> Result<Option<Conditions>, Trouble> {
    let (plans, word) = (plans(office), word(opened, side));
    let Some(conditions) = plans.read(&opened.header.id, word).map_err(|error| trouble(&error))? else {
        return Ok(None);
    };
    // The record is legal, or this would not be called.
    let Ok((state, rest)) = conditions::follow(opened.text.as_bytes(), &conditions) else { return Ok(None) };
    if let State::Void { entry, actions } = &state {
        plans.remove(&rest.game, word).map_err(|error| trouble(&error))?;
        office.tell(Notice::note(void(word, *entry, actions)));
        return Ok(None);
    }
    if rest != conditions {
        plans.keep(&rest).map_err(|error| trouble(&error))?;
    }
    Ok(Some(rest).filter(|rest| !rest.branches.is_empty()))
}

/// Makes the reply that was foreseen to the newest entry of a record, if there is one, and says so. Conditions that
/// have become void are removed. Returns the rest of the tree, to be kept once the record is written.
///
/// # Errors
/// Why the reply is refused.
pub fn answer(
    office: &Office<'_>,
    desk: &Desk<'_>,
    origin: &str,
    request: &EntryRequest<'_>,
    keys: &mut dyn KeyStore,
    dry: bool,
    tree: &Conditions,
) -> Result<Option<(Entered, Conditions)>, Trouble> {
    let opened = &desk.opened;
    let plans = plans(office);
    let word = word(opened, opened.table.standing().due.side);
    match conditions::reply(desk, tree, request, keys).map_err(|refusal| Trouble::refusal(origin, refusal))? {
        Reply::Entered { entered, theirs, rest } => {
            office.tell(Notice::note(format!("as you foresaw: to `{theirs}` you answer `{}`", entered.actions)));
            Ok(Some((*entered, rest)))
        }
        Reply::Nothing(State::Void { entry, actions }) => {
            // The next command to read them finds them void again.
            let removed = if dry { Ok(false) } else { plans.remove(&tree.game, word) };
            match removed {
                Ok(_) => office.tell(Notice::note(void(word, entry, &actions))),
                Err(error) => office.warn(error.to_string()),
            }
            Ok(None)
        }
        Reply::Nothing(State::Asked { theirs, mine }) => {
            office.tell(Notice::note(asked(&theirs, &mine)));
            Ok(None)
        }
        Reply::Nothing(_) => Ok(None),
    }
}

/// Updates the conditions after an entry that the player made by hand: those that it made void are removed, with a
/// message. A fault in them is only a warning, because the entry is already in the record.
pub fn settle(office: &Office<'_>, opened: &Opened<'_>, side: Side) {
    if let Err(trouble) = current(office, opened, side) {
        office.warn(trouble.to_string());
    }
}

/// Returns whether a reply to the newest entry of a record was foreseen.
pub fn is_foreseen(office: &Office<'_>, opened: &Opened<'_>) -> bool {
    let tree = plans(office).read(&opened.header.id, word(opened, opened.table.standing().due.side));
    let state = tree.ok().flatten().and_then(|tree| conditions::follow(opened.text.as_bytes(), &tree).ok());
    matches!(state, Some((State::Ready { .. }, _)))
}

/// Keeps the rest of a tree after its reply was written. If that fails, a warning is shown; the whole tree stays, and
/// whatever reads it next follows the record through it.
pub fn keep(office: &Office<'_>, rest: &Conditions) {
    if let Err(error) = plans(office).keep(rest) {
        office.warn(error.to_string());
    }
}

/// Returns the conditions of the side that is due, if there are any.
///
/// # Errors
/// If they cannot be read, because then it is not known what was foreseen.
pub fn stored(office: &Office<'_>, opened: &Opened<'_>) -> Result<Option<Conditions>, Trouble> {
    let word = word(opened, opened.table.standing().due.side);
    plans(office).read(&opened.header.id, word).map_err(|error| trouble(&error))
}

/// Where they are kept.
#[must_use]
pub fn plans(office: &Office<'_>) -> Plans {
    Plans::new(office.folders())
}

fn trouble(error: &ConditionsError) -> Trouble {
    Trouble::of(error.to_string())
}

fn word(opened: &Opened<'_>, side: Side) -> &'static str {
    opened.header.info.sides[side.index()].word
}

fn void(side: &str, entry: u32, actions: &str) -> String {
    format!(
        "the conditions of {side} are void: entry {entry}, `{}`, was not foreseen; they were removed\n",
        printable(actions)
    )
}

/// Says that a draw was offered along with what was foreseen.
#[must_use]
pub fn asked(theirs: &str, mine: &str) -> String {
    format!("`{theirs}` was played with an offer of a draw, which you have to decide on: you foresaw `{mine}`\n")
}
