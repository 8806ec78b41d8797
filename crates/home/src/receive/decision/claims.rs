//! Claims of time that arrive, and the times of entries compared with their arrival. No verdict depends on this: it is the
//! same everywhere and at any time.

use super::case::{Case, Provenance, Refused, count, entries_from};
use postrider_kernel::{Outcome, Side};
use postrider_referee::desk::AHEAD;
use postrider_referee::judging::{in_words, left_at};
use postrider_referee::record::{Entry, Time};
use postrider_referee::verdict::Opened;

/// How old an entry may be when it is first read before its age is pointed out in a game with a clock, in seconds: a day.
const OLD: i64 = 24 * 3600;
/// How far a first entry may be dated before the day on which the game began: dates have no time zone.
const BEFORE_START: i64 = 14 * 3600;
/// How long before that day a clock stands that was never set, in seconds: a year.
const NEVER_SET: i64 = 366 * 24 * 3600;

/// When an entry of the opponent arrived, as far as that is known here. The entry's own time is only what its writer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the entry.
    pub entry: u32,
    /// When it was first read here.
    pub read: Time,
    /// When the player's own mail server took its letter, if that is known: by the server's `Received` line, or by what it says of
    /// the message (IMAP's INTERNALDATE).
    pub server: Option<Time>,
    /// When the player's mail was last looked at without it.
    pub without: Option<Time>,
}

impl Arrival {
    /// The earliest time at which its letter can be said to have been here.
    #[must_use]
    pub fn here(&self) -> Time {
        self.server.unwrap_or(self.read)
    }

    /// Returns whether an entry that says it is of this time arrived so late that it is worth saying: by a day, or after the mail was
    /// looked at without it.
    #[must_use]
    pub(crate) fn is_late(&self, said: Time) -> bool {
        let age = self.here().0.saturating_sub(said.0);
        let unseen = self.without.is_some_and(|looked| said.0 < looked.0.saturating_sub(AHEAD));
        age > OLD || age > AHEAD && unseen
    }

    /// Says how it is known.
    #[must_use]
    pub fn in_words(&self) -> String {
        let without = match self.without {
            Some(looked) if self.server.is_none_or(|server| looked.0 <= server.0) => {
                format!(", and your mail was looked at without it on {looked}")
            }
            _ => String::new(),
        };
        match self.server {
            Some(server) => format!("reached your mail server on {server}{without}"),
            None => format!("was first read here on {}{without}", self.read),
        }
    }
}

/// Returns the new claim of time against the receiver, if the last entry is one.
fn claim_against<'e>(case: &'e Case<'_>) -> Option<&'e Entry> {
    let claims = |last: &&Entry| last.actions.text(case.came.text) == "claim time";
    case.fresh.last().filter(claims).filter(|last| case.letter.own == Some(last.side.other()))
}

/// Returns the length of a received record without its last entry, if that claims the receiver's time and other new entries come
/// with it. Those are taken first, and the claim is judged by their arrival. `entries` is the number of entries here.
#[must_use]
pub fn before_claim(received: &Opened<'_>, entries: u32, letter: &Provenance<'_>) -> Option<usize> {
    let case = Case::new(None, received, (entries.saturating_add(1), false), letter);
    let claim = claim_against(&case).filter(|_| case.fresh.len() > 1)?;
    answers_no_older_letter(&case).is_ok().then_some(claim.span.start as usize)
}

/// A claim against the receiver does not count from before the receiver's own letter was sent if the opponent's entry answers that
/// letter: that entry would be backdated.
pub(super) fn answers_no_older_letter(case: &Case<'_>) -> Result<(), Refused> {
    let (Some(sent), Some(_)) = (case.letter.sent, claim_against(case)) else { return Ok(()) };
    // That entry may have arrived in an earlier letter than the claim.
    let entries = entries_from(case.came, 1);
    let before = entries.len().checked_sub(2).and_then(|nth| entries.get(nth));
    let Some(since) = before.and_then(|before| before.time) else { return Ok(()) };
    let answers = sent.0.saturating_add(1) < count(&entries);
    match answers && since.0 < sent.1.0.saturating_sub(AHEAD) {
        true => Err(Refused::Claim { since, sent }),
        false => Ok(()),
    }
}

/// A claim against the receiver does not count from an entry which was not here yet, while there is time left if it is counted from then.
pub(super) fn counts_from_when_it_was_here(case: &Case<'_>) -> Result<(), Refused> {
    doubtful(case).map_or(Ok(()), Err)
}

fn doubtful(case: &Case<'_>) -> Option<Refused> {
    let claim = claim_against(case).filter(|_| case.fresh.len() == 1 && !case.letter.agreed)?;
    let arrival = case.letter.arrival?;
    // The record here ends before the claim.
    let standing = case.here?.table.standing();
    let (at, since, clocks, mine) = (claim.time?, standing.last?, standing.clocks?, claim.side.other());
    let late = arrival.here().0.saturating_sub(since.0);
    let left = left_at(&clocks, standing.due.side, mine, at).saturating_add(late);
    // That it was read late proves little by itself: whoever reads mail once a day reads it late.
    let is_known = arrival.server.is_some() || arrival.without.is_some_and(|looked| looked.0 > since.0 + AHEAD);
    let usual = if is_known { AHEAD } else { (clocks.granted() / 10).clamp(AHEAD, OLD) };
    let is_meant = arrival.entry == standing.entries && late > usual && left >= 0;
    is_meant.then(|| Refused::Doubtful { claim: standing.entries.saturating_add(1), since, arrival, left })
}

/// Explains a claim against the receiver who could not answer in time, because the entry to answer came with the claim.
pub(super) fn in_one_letter(case: &Case<'_>) -> Vec<String> {
    let claim = case.first.saturating_add(count(&case.fresh)).saturating_sub(1);
    match claim_against(case).is_some() && case.fresh.len() > 1 {
        true => vec![claim_against_new(claim, "with this letter")],
        false => Vec::new(),
    }
}

/// Returns the remark on a claim of time that counts from an entry which has only arrived then.
#[must_use]
pub(crate) fn claim_against_new(claim: u32, then: &str) -> String {
    let since = claim.saturating_sub(1);
    format!("entry {claim} claims that your time ran out, counted from entry {since}, which has only arrived {then}")
}

/// Points out that an entry which makes the receiver due is older than its arrival, so that less time is left than there should
/// be; and a first entry from before the game.
pub(super) fn ages(case: &Case<'_>) -> Vec<String> {
    let (after, fresh, first, letter) = (case.came, &case.fresh, case.first, case.letter);
    let mut remarks = Vec::new();
    let start = after.header.started.and_hms_opt(0, 0, 0).map_or(i64::MIN, |start| start.and_utc().timestamp());
    if let Some(time) = fresh.first().filter(|_| first == 1).and_then(|entry| entry.time)
        && time.0 < start.saturating_sub(BEFORE_START)
    {
        let began = after.header.started;
        remarks.push(format!("entry 1 says it is of {time}, before the game began ({began}): clocks count from it"));
    }
    let standing = after.table.standing();
    let (Some(clocks), Some(said)) = (standing.clocks, standing.last) else { return remarks };
    if standing.outcome.is_some() || letter.own != Some(standing.due.side) {
        return remarks;
    }
    let arrival = Arrival { entry: standing.entries, read: letter.now, server: letter.arrived, without: letter.looked };
    if arrival.is_late(said) {
        let left = left_at(&clocks, standing.due.side, standing.due.side, letter.now);
        let runs = if left < 0 {
            format!("your time ran out {} ago", in_words(-left))
        } else {
            format!("your time runs out in {}", in_words(left))
        };
        remarks.push(format!(
            "entry {} says it is {} old ({said}), but it {}; by the time it says, {runs}",
            standing.entries,
            in_words(letter.now.0.saturating_sub(said.0)),
            arrival.in_words()
        ));
    }
    remarks
}

/// Says why this machine's clock must not date an entry: it is far before the first day of the game, or before something that was
/// already read here.
#[must_use]
pub(crate) fn odd_clock(
    opened: &Opened<'_>,
    now: Time,
    looked: Option<Time>,
    arrival: Option<Arrival>,
) -> Option<String> {
    let start = opened.header.started.and_hms_opt(0, 0, 0)?.and_utc().timestamp();
    if opened.table.standing().entries == 0 && now.0 < start.saturating_sub(NEVER_SET) {
        let began = opened.header.started;
        return Some(format!("the clock of this machine says {now}, before the game began ({began})"));
    }
    let is_ahead = |other: &Time| other.0 > now.0.saturating_add(AHEAD);
    if let Some(read) = arrival.map(|arrival| arrival.read).filter(is_ahead) {
        let entry = opened.table.standing().entries;
        return Some(format!("the clock of this machine says {now}, but entry {entry} was read here on {read}"));
    }
    let looked = looked.filter(is_ahead)?;
    Some(format!("the clock of this machine says {now}, but your mail was looked at on {looked}"))
}

/// Returns whether a side has won.
#[must_use]
pub fn is_won(opened: &Opened<'_>, own: Side) -> bool {
    matches!(opened.table.standing().outcome, Some(Outcome::Win(side, _)) if side == own)
}

/// Returns whether the side `own` has won by an end that nobody can have forged: the last entry is its own, or signed by a key that the
/// record knew before it. Only then does a program publish a secret by itself, because publishing cannot be undone.
#[must_use]
pub(crate) fn is_won_for_certain(opened: &Opened<'_>, own: Side) -> bool {
    let Some(last) = entries_from(opened, 1).pop().filter(|_| is_won(opened, own)) else { return false };
    // A key that comes with the very entry is anybody's.
    last.side == own || last.signature.is_some() && !last.actions.text(opened.text).starts_with("key ")
}
