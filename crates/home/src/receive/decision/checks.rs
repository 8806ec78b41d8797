//! The checks on a received record: one list for a known game, and one for an invitation. Each check is a small function over the
//! same facts, and the first that fails gives the refusal.

use super::case::{Case, MESSAGES, Provenance, RECORD_ASIDES, Refused, entries_from};
use super::join::is_aside;
use super::{claims, seat};
use postrider_kernel::Side;
use postrider_referee::desk::{AHEAD, MESSAGE};
use postrider_referee::record::Entry;
use postrider_referee::verdict::Opened;

/// Something that must hold.
pub(super) type Check = fn(&Case<'_>) -> Result<(), Refused>;

/// The checks on a record that continues the one here.
pub(super) const GOES_ON: [Check; 10] = [
    // Who sent it?
    from_its_maker,
    none_of_the_receivers,
    receivers_side_is_known,
    // When was it made, and how much is it?
    not_ahead_of_the_clock,
    leaves_room,
    // Does time run out by it that the receiver never had?
    claims::answers_no_older_letter,
    claims::counts_from_when_it_was_here,
    // Whose key signs it?
    seat::key_is_not_withdrawn,
    seat::key_answers_the_letter,
    first_entry_commits,
];

/// The checks on an invitation.
pub(super) const INVITES: [Check; 4] = [few_remarks, from_its_maker, not_ahead_of_the_clock, leaves_room];

/// Goes through a list.
///
/// # Errors
/// What does not hold first.
pub(super) fn hold(list: &[Check], case: &Case<'_>) -> Result<(), Refused> {
    list.iter().try_for_each(|check| check(case))
}

/// The sender is one of these players, as far as their addresses are known.
pub(super) fn from_one_of(players: &[Option<String>; 2], letter: &Provenance<'_>) -> Result<(), Refused> {
    let is_known = |address: &String| letter.from.is_some_and(|from| (letter.same)(from, address));
    let addresses: Vec<_> = players.iter().flatten().cloned().collect();
    if letter.vouched || addresses.iter().any(is_known) || addresses.is_empty() {
        return Ok(());
    }
    Err(Refused::Stranger { from: letter.from.map(str::to_owned), players: addresses })
}

/// The sender of entries made some of them, as far as addresses are known, unless all of them are signed with keys that the record here
/// knows (E10).
pub(super) fn from_its_maker(case: &Case<'_>) -> Result<(), Refused> {
    if !case.fresh.is_empty() && case.fresh.iter().all(|entry| case.is_vouched(entry)) {
        return Ok(());
    }
    if case.came.header.players.iter().all(|player| player.email.is_none()) {
        return Ok(());
    }
    if case.fresh.is_empty() {
        return from_one_of(&case.players, case.letter);
    }
    let makers = Side::BOTH.map(|side| {
        let made = case.fresh.iter().any(|entry| entry.side == side);
        case.players.get(side.index()).cloned().flatten().filter(|_| made)
    });
    // If the makers have no address, any sender is accepted, with a warning.
    if makers.iter().all(Option::is_none) { Ok(()) } else { from_one_of(&makers, case.letter) }
}

/// No new entry is by the receiver's own side. Only the receiver can have made an entry with the receiver's key: on another machine,
/// or before restoring a backup.
pub(super) fn none_of_the_receivers(case: &Case<'_>) -> Result<(), Refused> {
    let forged = |entry: &Entry| Some(entry.side) == case.letter.own && !case.is_vouched(entry);
    match case.numbered().find(|(entry, _)| forged(entry)) {
        Some((entry, at)) => Err(Refused::OwnSide { entry: at, line: case.line(entry) }),
        None => Ok(()),
    }
}

/// It is known which side is the receiver's, or the receiver only looks on: otherwise any entry could be made for the receiver.
pub(super) fn receivers_side_is_known(case: &Case<'_>) -> Result<(), Refused> {
    match case.fresh.first() {
        Some(entry) if case.letter.own.is_none() && !case.letter.looks_on => {
            Err(Refused::WhoseSide { entry: case.first, line: case.line(entry) })
        }
        _ => Ok(()),
    }
}

/// No entry is ahead of this machine's clock by more than clocks differ: a claim of time could be dated so that it comes true, and an
/// answer to an entry from the future would have to be dated there too (E3).
pub(super) fn not_ahead_of_the_clock(case: &Case<'_>) -> Result<(), Refused> {
    let timed = case.numbered().filter_map(|(entry, at)| Some((entry.time?, at)));
    match timed.max_by_key(|(time, _)| time.0) {
        Some((time, entry)) if time.0 > case.letter.now.0.saturating_add(AHEAD) => Err(Refused::Early { entry, time }),
        _ => Ok(()),
    }
}

/// The opponent's messages do not fill the record: there must be room for entries up to the end, because a side without room loses on
/// time. Messages signed by the receiver's own key are the receiver's.
pub(super) fn leaves_room(case: &Case<'_>) -> Result<(), Refused> {
    let (came, fresh) = (case.came, &case.fresh);
    let length = |entry: &Entry| entry.message.map_or(0, |message| message.text(came.text).len());
    let others = |entry: &&Entry| Some(entry.side) != case.letter.own;
    if let Some(entry) = fresh.iter().filter(others).find(|entry| length(entry) > MESSAGE) {
        let (found, most) = (length(entry), MESSAGE >> 10);
        return Err(Refused::Large(format!(
            "the message of an entry has {found} bytes, and {most} KiB at most are taken"
        )));
    }
    for side in Side::BOTH {
        let is_new = fresh.iter().any(|entry| entry.side == side && others(&entry) && length(entry) > 0);
        let all = || entries_from(came, 1).iter().filter(|entry| entry.side == side).map(length).sum::<usize>();
        if is_new && all() > MESSAGES {
            let (named, most) = (came.header.info.sides[side.index()].named(), MESSAGES >> 10);
            return Err(Refused::Large(format!(
                "the messages of {named} are over {most} KiB, which leaves less room for entries"
            )));
        }
    }
    Ok(())
}

/// The remarks of an invitation leave room for entries.
pub(super) fn few_remarks(case: &Case<'_>) -> Result<(), Refused> {
    let lines = case.came.text.as_bytes().split_inclusive(|&byte| byte == b'\n');
    let asides: usize = lines.filter(|line| is_aside(line)).map(<[u8]>::len).sum();
    if asides <= RECORD_ASIDES {
        return Ok(());
    }
    let most = RECORD_ASIDES >> 10;
    Err(Refused::Large(format!("it holds over {most} KiB of remarks, which leaves less room for entries")))
}

/// The opponent's first entry in a sealed game has a commitment (Z20), unless the receiver has played without one either.
pub(super) fn first_entry_commits(case: &Case<'_>) -> Result<(), Refused> {
    let (Some(here), Some(mine), false) = (case.here, case.letter.own, case.letter.agreed) else { return Ok(()) };
    let (came, theirs) = (case.came, mine.other());
    let made = |opened: &Opened<'_>, side: Side| opened.table.standing().made.get(side.index()).copied().unwrap_or(0);
    let begins = made(here, theirs) == 0 && made(came, theirs) > 0 && came.table.standing().outcome.is_none();
    let commitment = |side: Side| came.table.seals().and_then(|seals| seals.commitment(side));
    let is_protected = made(came, mine) == 0 || commitment(mine).is_some();
    match begins && is_protected && came.table.seals().is_some() && commitment(theirs).is_none() {
        true => Err(Refused::Uncommitted(theirs)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
