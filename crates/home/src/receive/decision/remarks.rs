//! Warnings about an accepted record. They change nothing: the verdict is the same everywhere and at any time.

use super::case::{Case, FAR, count};
use super::claims;
use postrider_kernel::Side;
use postrider_referee::desk::AHEAD;
use postrider_referee::verdict::Opened;

/// The warnings about a record that continues the one here, in order.
pub(super) const GOES_ON: [fn(&Case<'_>) -> Vec<String>; 5] =
    [odd_times, claims::in_one_letter, claims::ages, begins_uncommitted, nobody_known];

/// The warnings about an invitation.
pub(super) const INVITES: [fn(&Case<'_>) -> Vec<String>; 3] = [odd_times, unprotected, of_neither];

/// Goes through a list.
pub(super) fn on(list: &[fn(&Case<'_>) -> Vec<String>], case: &Case<'_>) -> Vec<String> {
    list.iter().flat_map(|remark| remark(case)).collect()
}

/// Times that look wrong beside those of the letters.
pub(super) fn odd_times(case: &Case<'_>) -> Vec<String> {
    let (fresh, first, letter) = (&case.fresh, case.first, case.letter);
    let mut remarks = Vec::new();
    if let (Some(time), Some((about, sent))) = (fresh.first().and_then(|entry| entry.time), letter.sent)
        && about < first
        && time.0 < sent.0.saturating_sub(AHEAD)
    {
        remarks.push(format!("entry {first} is of {time}, before your letter about entry {about} was sent ({sent})"));
    }
    // Of several entries, only the last has to be from about the date of the letter.
    if let (Some(time), Some(date)) = (fresh.last().and_then(|entry| entry.time), letter.date)
        && time.0.abs_diff(date.0) > FAR.unsigned_abs()
    {
        let place = first + count(fresh).saturating_sub(1);
        remarks.push(format!("entry {place} is of {time}, and its letter of {date}"));
    }
    remarks
}

/// First entries without a commitment (Z20): with a side's first entry it is said once.
pub(super) fn begins_uncommitted(case: &Case<'_>) -> Vec<String> {
    let Some(here) = case.here.filter(|_| !case.is_over) else { return Vec::new() };
    let begins = |side: &Side| {
        let made = |opened: &Opened<'_>| opened.table.standing().made.get(side.index()).copied();
        made(here) == Some(0) && made(case.came) != Some(0)
    };
    let sides = Side::BOTH.into_iter().filter(begins);
    sides.filter_map(|side| uncommitted(case.came, side, case.letter.own)).collect()
}

/// Nobody can tell who sent an entry.
pub(super) fn nobody_known(case: &Case<'_>) -> Vec<String> {
    let header = &case.came.header;
    let unknown = |side: Side| header.player(side).email.is_none();
    let entry = case.fresh.iter().find(|entry| entry.signature.is_none() && unknown(entry.side));
    let named = entry.map(|entry| header.info.sides[entry.side.index()].named());
    let remark = |named| format!("the header has no mail address for {named}: anybody could have sent this");
    named.map(remark).into_iter().collect()
}

/// What an invitation lacks.
fn unprotected(case: &Case<'_>) -> Vec<String> {
    lacks(case.came, case.letter.own)
}

/// An invitation that is for somebody else, by its addresses.
fn of_neither(case: &Case<'_>) -> Vec<String> {
    let Some(own) = case.letter.address.filter(|_| case.letter.own.is_none()) else { return Vec::new() };
    let is_own = |address: &String| (case.letter.same)(address, own);
    let mut addresses = case.players.iter().flatten().peekable();
    match addresses.peek().is_some() && !addresses.any(is_own) {
        true => vec![format!("{own} is not the address of either player")],
        false => Vec::new(),
    }
}

/// Returns what a sealed game lacks that protects the player `own` in a game that `postrider new` begins: the opponent's
/// commitment (Z20), if the opponent has made an entry, and options such as the number of decks. The record was
/// replayed.
#[must_use]
pub fn lacks(opened: &Opened<'_>, own: Option<Side>) -> Vec<String> {
    let (header, standing) = (&opened.header, opened.table.standing());
    if opened.table.seals().is_none() || standing.outcome.is_some() {
        return Vec::new();
    }
    let made = |side: &Side| standing.made.get(side.index()).is_some_and(|made| *made > 0);
    let mut lacks: Vec<String> =
        Side::BOTH.into_iter().filter(made).filter_map(|side| uncommitted(opened, side, own)).collect();
    let number = |text: &str| text.parse::<u32>().ok();
    for (name, usual) in header.info.sealed_options {
        let spec = header.info.options.iter().find(|spec| spec.name == *name);
        let value = header.options.iter().find(|(other, _)| other == name).map(|(_, value)| value.to_string());
        let value = value.or_else(|| spec.map(|spec| spec.default.to_owned())).unwrap_or_default();
        if number(&value) < number(usual) {
            lacks.push(format!(
                "`{name}` is {value} in this game; a new game has {usual}, which protects you better (the rules of {} say why)",
                header.info.title
            ));
        }
    }
    lacks
}

/// Reports that an opponent's first entry has no commitment.
fn uncommitted(opened: &Opened<'_>, side: Side, own: Option<Side>) -> Option<String> {
    let seals = opened.table.seals()?;
    if Some(side) == own || seals.commitment(side).is_some() {
        return None;
    }
    let name = opened.header.info.sides[side.index()];
    Some(format!(
        "{} {} not committed to a secret (Z20): less of what that side seals and draws can be proven at the end",
        name.named(),
        name.verb("have", "has")
    ))
}
