//! Conditional entries: what a player has foreseen, followed through a record.

pub mod decision;
pub mod notes;

use crate::conditions::decision as conditions;
use crate::conditions::decision::{Branch, Conditions, State, Unfit};
use crate::conditions::notes::Plans;
use crate::entry::way::{NotMade, Signed, Typed, What};
use crate::keys::Keys;
use crate::office::{Notice, Office, Trouble};
use crate::own_game::OwnGame;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_referee::desk::Desk;
use postrider_referee::sealing::KeyStore;
use postrider_referee::verdict::Opened;

/// The conditions of a side, and where the game stands among them.
#[derive(Debug)]
pub struct Foreseen {
    /// What is left of them.
    pub conditions: Conditions,
    /// Where the game is.
    pub state: State,
}

/// The conditions that there are in a game, of either side.
///
/// # Errors
/// If they cannot be read or written.
pub fn all(office: &Office<'_>, opened: &Opened<'_>) -> Result<Vec<Foreseen>, Trouble> {
    let mut found = Vec::new();
    for side in Side::BOTH {
        let Some(conditions) = current(office, opened, side)? else { continue };
        let state =
            conditions::follow(opened.text.as_bytes(), &conditions).map_or(State::Elsewhere, |(state, _)| state);
        found.push(Foreseen { conditions, state });
    }
    Ok(found)
}

/// What was added to the conditions of a side.
#[derive(Debug)]
pub struct Prepared {
    /// All of them.
    pub conditions: Conditions,
    /// The replies that were replaced, with everything below them.
    pub replaced: Vec<Branch>,
    /// Whether those before were for another record of the game.
    pub were_for_another: bool,
}

/// Prepares replies in the game of this name: an entry of the other side, which is due, the reply, and so on. Every entry is judged.
///
/// # Errors
/// What is wrong with them, or if they cannot be kept.
pub fn prepare(office: &Office<'_>, desk: Desk<'_>, origin: &str, entries: &[String]) -> Result<Prepared, Trouble> {
    if entries.iter().all(|entry| entry.trim().is_empty()) {
        return Err(Trouble::of("no entries were given")
            .advise("give an entry of theirs, and your reply")
            .refused(None));
    }
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let (due, next) = (standing.due.side, standing.entries + 1);
    // A player who has foreseen replies for a side plays that side.
    let planned = current(office, opened, due)?.is_some();
    if planned || OwnGame::new(office, &opened.header.id).find(opened)? == Some(due) {
        let what = format!("it is your own entry that is due, {next}");
        return Err(Trouble::of(what).advise(advice![
            "make it first: ",
            Act::Move(origin.to_owned(), None),
            "; conditions answer the one after it"
        ]));
    }
    let old = current(office, opened, due.other())?;
    let before = old.as_ref().map(|old| old.digest.clone());
    let mut keys = Keys::new(office, opened, due.other(), true);
    let added = conditions::add(desk, old, entries, office.now(), &mut keys).map_err(|unfit| match unfit {
        Unfit::Refused(refusal) => Trouble::refusal(origin, refusal),
        Unfit::Ahead(why, hint) => Trouble::of(why).advise(hint).refused(None),
    })?;
    plans(office).keep(&added.conditions)?;
    let were_for_another = before.is_some_and(|digest| digest != added.conditions.digest);
    Ok(Prepared { conditions: added.conditions, replaced: added.replaced, were_for_another })
}

/// Takes back a reply and everything after it; `path` is the other side's entries that lead to it. Returns what is left.
///
/// # Errors
/// If there is no such reply, or the rest cannot be kept.
pub fn take_back(
    office: &Office<'_>,
    opened: &Opened<'_>,
    origin: &str,
    path: &[String],
) -> Result<Conditions, Trouble> {
    for Foreseen { mut conditions, .. } in all(office, opened)? {
        if conditions::remove(&mut conditions, path) {
            plans(office).keep(&conditions)?;
            return Ok(conditions);
        }
    }
    Err(Trouble::of(format!("there is no reply to `{}`", path.join("`, `")))
        .advise(advice![Act::Conditions(origin.to_owned()), " shows them all"]))
}

/// Takes back all conditions in a game. Returns whether there were any.
///
/// # Errors
/// If they cannot be removed.
pub fn clear(office: &Office<'_>, opened: &Opened<'_>) -> Result<bool, Trouble> {
    let mut any = false;
    for side in Side::BOTH {
        any |= plans(office).remove(&opened.header.id, word(opened, side))?;
    }
    Ok(any)
}

/// The conditions of a side as the record leaves them. Conditions that have become void are removed, with a message.
///
/// # Errors
/// If they cannot be read or written.
fn current(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> Result<Option<Conditions>, Trouble> {
    let (plans, word) = (plans(office), word(opened, side));
    let Some(conditions) = plans.read(&opened.header.id, word)? else {
        return Ok(None);
    };
    // The record is legal, or this would not be called.
    let Ok((state, rest)) = conditions::follow(opened.text.as_bytes(), &conditions) else { return Ok(None) };
    if let State::Void { entry, actions } = &state {
        plans.remove(&rest.game, word)?;
        office.tell(Notice::note(void(&named(opened, side), *entry, actions)));
        return Ok(None);
    }
    if rest != conditions {
        plans.keep(&rest)?;
    }
    Ok(Some(rest).filter(|rest| !rest.branches.is_empty()))
}

/// Makes the prepared reply to the newest entry of a record, if there is one, and says so. Removes void conditions. Keep the rest of the
/// tree once the record is written. `typed` says when the reply is made, and by whom.
///
/// # Errors
/// Why the reply is refused.
pub fn answer(
    office: &Office<'_>,
    desk: &Desk<'_>,
    origin: &str,
    typed: Typed<'_>,
    keys: &mut dyn KeyStore,
    dry: bool,
    tree: &Conditions,
) -> Result<Option<Signed>, Trouble> {
    let opened = &desk.opened;
    let plans = plans(office);
    let word = word(opened, opened.table.standing().due.side);
    match (Typed { what: What::Prepared(tree), ..typed }).make(desk, keys) {
        Ok(signed) => {
            if let Some(prepared) = &signed.prepared {
                let actions = &signed.entered.actions;
                office.tell(Notice::note(format!("as you foresaw: to `{}` you answer `{actions}`", prepared.theirs)));
            }
            Ok(Some(signed))
        }
        Err(NotMade::NotPrepared(State::Void { entry, actions })) => {
            // The next command to read them finds them void again.
            let removed = if dry { Ok(false) } else { plans.remove(&tree.game, word) };
            match removed {
                Ok(_) => {
                    office.tell(Notice::note(void(&named(opened, opened.table.standing().due.side), entry, &actions)))
                }
                Err(error) => office.warn(error.to_string()),
            }
            Ok(None)
        }
        Err(NotMade::NotPrepared(State::Asked { theirs, mine })) => {
            office.tell(Notice::note(asked(&theirs, &mine)));
            Ok(None)
        }
        Err(NotMade::NotPrepared(_)) => Ok(None),
        Err(not_made) => Err(not_made.trouble(origin)),
    }
}

/// Updates the conditions after an entry that was made by hand: those that can no longer be used are removed, with a
/// message. A fault in them is only a warning, because the entry is already in the record.
pub fn settle(office: &Office<'_>, opened: &Opened<'_>) {
    for side in Side::BOTH {
        if let Err(trouble) = settle_of(office, opened, side) {
            office.warn(trouble.to_string());
        }
    }
}

fn settle_of(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> Result<(), Trouble> {
    let Some(left) = current(office, opened, side)? else { return Ok(()) };
    // They followed an entry that was taken back, and another one stands in its place.
    let is_passed = left.entries <= opened.table.standing().entries;
    if is_passed && matches!(conditions::follow(opened.text.as_bytes(), &left), Ok((State::Elsewhere, _))) {
        plans(office).remove(&left.game, word(opened, side))?;
        office.tell(Notice::note(format!(
            "the conditions of {} are void: they followed another entry {}; they were removed\n",
            named(opened, side),
            left.entries
        )));
    }
    Ok(())
}

/// Says which conditions cannot be used while an entry is missing that was taken back. `left` is the record without it.
pub(crate) fn tell_of_undo(office: &Office<'_>, opened: &Opened<'_>, left: &[u8], origin: &str) {
    for side in Side::BOTH {
        let tree = match plans(office).read(&opened.header.id, word(opened, side)) {
            Ok(Some(tree)) => tree,
            Ok(None) => continue,
            Err(error) => {
                office.warn(error.to_string());
                continue;
            }
        };
        let is_used = |source| !matches!(conditions::follow(source, &tree), Ok((State::Elsewhere, _)));
        if is_used(opened.text.as_bytes()) && !is_used(left) {
            let what = format!(
                "the conditions of {} follow entry {}, and are not used without it: ",
                named(opened, side),
                tree.entries
            );
            office.tell(Notice::note(advice![what, Act::Conditions(origin.to_owned()), " shows them"]));
        }
    }
}

/// Returns where a record stands among the conditions of a side; `None` if there are none that can be read.
#[must_use]
pub fn state(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> Option<State> {
    let tree = plans(office).read(&opened.header.id, word(opened, side)).ok().flatten()?;
    conditions::follow(opened.text.as_bytes(), &tree).ok().map(|(state, _)| state)
}

/// Stores the rest of a tree after its reply was written. If that fails, it warns, and the whole tree stays; the next
/// reader follows the record through it.
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
    Ok(plans(office).read(&opened.header.id, word)?)
}

fn plans(office: &Office<'_>) -> Plans {
    Plans::new(office.folders())
}

fn word(opened: &Opened<'_>, side: Side) -> &'static str {
    opened.header.info.sides[side.index()].word
}

/// The side as a sentence names it.
fn named(opened: &Opened<'_>, side: Side) -> String {
    opened.header.info.sides[side.index()].named()
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
