//! Which key takes a seat. If a record declares no key for a side, the side's first entry may declare any, so anybody who has
//! seen the record could write that entry first, in the opponent's name.

use super::case::{Case, Refused, count, entries_from};
use postrider_kernel::Side;
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Opened, Ruling};

/// A side's first entry that declares its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub side: Side,
    pub key: PublicKey,
}

/// Returns the seat of the receiver's opponent if new entries take it with a key. Both records were replayed.
#[must_use]
pub fn taken(own: &Opened<'_>, after: &Opened<'_>, mine: Option<Side>) -> Option<Taken> {
    let side = mine?.other();
    let key = |opened: &Opened<'_>| opened.table.signatures().and_then(|signatures| signatures.own_key(side));
    let key_after = key(after).filter(|_| key(own).is_none())?;
    Some(Taken { side, key: key_after })
}

/// The opponent's first entry has a key that somebody has confirmed, or its letter shows that its writer got the receiver's.
pub(super) fn key_answers_the_letter(case: &Case<'_>) -> Result<(), Refused> {
    let letter = case.letter;
    let seat = case.here.and_then(|here| taken(here, case.came, letter.own));
    let Some(seat) = seat.filter(|_| !letter.answers && !letter.agreed) else { return Ok(()) };
    match letter.confirmed.is_some_and(|known| known == seat.key.fingerprint()) {
        true => Ok(()),
        false => Err(Refused::Seat(seat)),
    }
}

/// No new entry of another side than the receiver's is signed by a key that counts as withdrawn (Z36).
pub(super) fn key_is_not_withdrawn(case: &Case<'_>) -> Result<(), Refused> {
    let letter = case.letter;
    if letter.agreed || letter.withdrawn.is_empty() {
        return Ok(());
    }
    let signed = |side: &Side| Some(*side) != letter.own && case.fresh.iter().any(|entry| entry.side == *side);
    let key = |side| case.came.table.signatures().and_then(|signatures| signatures.key(side));
    let signers = Side::BOTH.into_iter().filter(signed).filter_map(|side| Some(Taken { side, key: key(side)? }));
    let is_withdrawn = |signer: &Taken| letter.withdrawn.contains(&signer.key.fingerprint());
    signers.into_iter().find(is_withdrawn).map_or(Ok(()), |signer| Err(Refused::Withdrawn(signer)))
}

/// Two first entries of one side, each with a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rivals {
    pub side: Side,
    /// The number of its first entry.
    pub entry: u32,
    /// The key in the record here.
    pub here: PublicKey,
    /// The key in the other record.
    pub there: PublicKey,
    /// Whether the receiver has gone on from the entry here.
    pub answered: bool,
    /// The length of the record here before the entry, in bytes.
    pub before: usize,
}

/// Returns whether a record that is legal has another first entry of the receiver's opponent, with another key, and is the same up to
/// there. `own` was replayed.
#[must_use]
pub(crate) fn rivals(own: &Opened<'_>, there: &[u8], mine: Side) -> Option<Rivals> {
    let side = mine.other();
    let key = |opened: &Opened<'_>| opened.table.signatures().and_then(|signatures| signatures.own_key(side));
    let mut received = Opened::new(there).ok()?.of_stranger();
    let verdict = received.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal || own.header.player(side).key.is_some() {
        return None;
    }
    let (here, there) = (key(own)?, key(&received).filter(|there| key(own).as_ref() != Some(there))?);
    let (ours, theirs) = (entries_from(own, 1), entries_from(&received, 1));
    let at = ours.iter().position(|entry| entry.side == side)?;
    let same = ours.iter().zip(&theirs).take(at).all(|(a, b)| a.span.text(own.text) == b.span.text(received.text));
    let is_first = theirs.get(at).is_some_and(|entry| entry.side == side);
    let before = ours.get(at)?.span.start as usize;
    let answered = ours.iter().skip(at + 1).any(|entry| entry.side == mine);
    (same && is_first && own.header_hash() == received.header_hash()).then(|| Rivals {
        side,
        entry: count(&ours[..at]).saturating_add(1),
        here,
        there,
        answered,
        before,
    })
}
