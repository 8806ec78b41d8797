//! What happens to a record that arrives by mail: it is compared with the one here, and accepted, ignored or refused.
//! Pure: bytes in, a decision out. The verdict on a record never depends on who sent it or when.

mod beyond;
mod case;
mod checks;
mod claims;
mod join;
mod receipts;
mod remarks;
mod seat;

use beyond::{Beyond, beyond};
use case::{Case, LETTER_ASIDES, RECORD_ASIDES, count, entries_from};
use checks::hold;
use join::{ended, joined};
use postrider_kernel::Side;
pub use postrider_referee::desk::{AHEAD, Answer, Desk, Entered, EntryRequest, MESSAGE, Refusal};
use postrider_referee::verdict::{Opened, Ruling, Verdict};

pub use case::{Accepted, Decision, Invitation, Provenance, Refused, parted_in_words};
pub use claims::{Arrival, before_claim, is_won};
pub(crate) use claims::{claim_against_new, is_won_for_certain, odd_clock};
pub use join::unix;
pub use remarks::lacks;
pub(crate) use seat::rivals;
pub use seat::{Rivals, Taken, taken};

/// Decides on a record of a game that is here.
///
/// # Errors
/// Why it is refused.
pub fn decide(here: &[u8], there: &[u8], letter: &Provenance<'_>) -> Result<Decision, Refused> {
    let own = legal(here).map_err(Refused::Here)?;
    decide_on(&own, there, letter, |_| ()).map(|(decision, _)| decision)
}

/// Like [`decide`], for a record that was replayed already and is legal. If entries are accepted, `look` sees the game as it will
/// stand, so that it need not be replayed again for that.
///
/// # Errors
/// Why it is refused.
pub fn decide_on<T>(
    own: &Opened<'_>,
    there: &[u8],
    letter: &Provenance<'_>,
    look: impl FnOnce(&Opened<'_>) -> T,
) -> Result<(Decision, Option<T>), Refused> {
    let there = unix(there);
    decide_between(own, Opened::new(&there).map_err(Refused::Verdict)?, letter, look)
}

/// Like [`decide_on`], for a record of which the header was read already, with LF line ends ([`unix`]).
///
/// # Errors
/// Why it is refused.
pub(crate) fn decide_between<T>(
    own: &Opened<'_>,
    received: Opened<'_>,
    letter: &Provenance<'_>,
    look: impl FnOnce(&Opened<'_>) -> T,
) -> Result<(Decision, Option<T>), Refused> {
    let mut received = received.of_stranger();
    let verdict = received.replay(u32::MAX);
    let (first, tail) = match beyond(own, &received, &verdict, letter)? {
        Beyond::Nothing(decision) => return Ok((decision, None)),
        Beyond::Lines { first, tail } => (first, tail),
    };
    let (here, there) = (own.text.as_bytes(), received.text.as_bytes());
    let is_over = verdict.outcome.is_some();
    let (record, left_out) = joined(here, there, tail, is_over);
    if record.len() <= ended(here).len() {
        let entries = verdict.entries;
        return Ok((Decision::Nothing { entries, older: false, remarks: left_out > 0 }, None));
    }
    let case = Case::new(Some(own), &received, (first, is_over), letter);
    // The received record may have lost spaces at the ends of its header lines on the way, and its signatures depend on
    // them. What counts is whether its entries continue the record here.
    // Mostly it is what was received, to the byte, and that was judged just now.
    let mut joined = None;
    let whole = if record == there {
        verdict.clone()
    } else {
        let opened = joined.insert(Opened::new(&record).map_err(Refused::Verdict)?);
        opened.replay(u32::MAX)
    };
    if whole.ruling != Ruling::Legal || whole.entries != first.saturating_sub(1) + count(&case.fresh) {
        return Err(Refused::Verdict(Box::new(if verdict.ruling == Ruling::Legal { whole } else { verdict })));
    }
    hold(&checks::GOES_ON, &case)?;
    let mut remarks = remarks::on(&remarks::GOES_ON, &case);
    if left_out > 0 {
        remarks.push(format!(
            "{left_out} of its remarks were left out: a letter brings {} KiB of them at most, a record keeps {} KiB, and no secret is \
             taken before the end",
            LETTER_ASIDES >> 10,
            RECORD_ASIDES >> 10
        ));
    }
    let lines = lines_from(&received, first);
    let seen = look(joined.as_ref().unwrap_or(&received));
    drop(joined);
    Ok((Decision::Accepted(Box::new(Accepted { record, first, last: verdict.entries, lines, remarks })), Some(seen)))
}

/// Decides on a record of a game that is not here.
///
/// # Errors
/// Why it is refused.
pub fn invite(there: &[u8], letter: &Provenance<'_>) -> Result<Invitation, Refused> {
    let there = unix(there);
    let mut received = Opened::new(&there).map_err(Refused::Verdict)?.of_stranger();
    let verdict = received.replay(u32::MAX);
    invite_to(&received, verdict, letter)
}

/// Like [`invite`], for a record that was replayed as a stranger's, with LF line ends ([`unix`]).
///
/// # Errors
/// Why it is refused.
pub(crate) fn invite_to(
    received: &Opened<'_>,
    verdict: Verdict,
    letter: &Provenance<'_>,
) -> Result<Invitation, Refused> {
    if verdict.ruling != Ruling::Legal {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    // No key is known in a game that is not here: a stranger could have made those in its header.
    let case = Case::new(None, received, (1, verdict.outcome.is_some()), letter);
    hold(&checks::INVITES, &case)?;
    let remarks = remarks::on(&remarks::INVITES, &case);
    let (id, record) = (received.header.id.to_string(), received.text.as_bytes().to_vec());
    Ok(Invitation { id, entries: count(&case.fresh), remarks, record })
}

/// Opens a legal record and replays it.
fn legal(source: &[u8]) -> Result<Opened<'_>, Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling == Ruling::Legal { Ok(opened) } else { Err(Box::new(verdict)) }
}

/// The newest entry of a record: its side and its line.
#[must_use]
pub fn newest(opened: &Opened<'_>) -> Option<(Side, String)> {
    let entry = entries_from(opened, 1).pop()?;
    Some((entry.side, entry.span.text(opened.text).to_owned()))
}

/// The lines of the entries of a record from a place on.
#[must_use]
pub(crate) fn lines_from(opened: &Opened<'_>, first: u32) -> Vec<String> {
    entries_from(opened, first).iter().map(|entry| entry.span.text(opened.text).to_owned()).collect()
}

#[cfg(test)]
mod tests;
