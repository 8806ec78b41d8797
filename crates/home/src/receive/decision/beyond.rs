//! What a record that came brings beyond the one here: they are compared entry by entry.

use super::case::{Decision, Provenance, Refused, addresses};
use super::checks::from_one_of;
use super::join::{behind_last_entry, has_new_asides};
use super::receipts::with_receipts;
use postrider_referee::verdict::{Opened, Relation, Ruling, Verdict, compare, compare_alike};

/// What a record brings beyond the one here.
pub(super) enum Beyond {
    /// No entry, and nothing below the last one that would be taken but receipts.
    Nothing(Decision),
    /// Something, from this place in its text on.
    Lines {
        /// The number of its first new entry.
        first: u32,
        /// Where they begin.
        tail: usize,
    },
}

/// Compares the record that came with the one here, as far as it can be compared and agrees.
///
/// # Errors
/// Why it cannot, and where they part.
pub(super) fn beyond(
    here: &Opened<'_>,
    came: &Opened<'_>,
    verdict: &Verdict,
    letter: &Provenance<'_>,
) -> Result<Beyond, Refused> {
    is_a_record(verdict)?;
    let from_a_player = || from_one_of(&addresses(&here.header), letter);
    let relation = relation(here, came)?;
    has_its_own_result(&relation, verdict, from_a_player)?;
    match relation {
        Relation::Newer { first, tail } => Ok(Beyond::Lines { first, tail }),
        Relation::Older { entries } => {
            let nothing = Decision::Nothing { entries, older: true, remarks: false };
            Ok(Beyond::Nothing(with_receipts(here.text.as_bytes(), came).unwrap_or(nothing)))
        }
        Relation::Same => Ok(below_the_last_entry(here, came, verdict)),
        parted => {
            from_a_player()?;
            Err(Refused::Parted(parted))
        }
    }
}

/// It is a record: of what is none, and where judging is too much work, the entries cannot be compared.
fn is_a_record(verdict: &Verdict) -> Result<(), Refused> {
    let is_unreadable = verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none());
    match verdict.ruling == Ruling::Unjudged || is_unreadable {
        true => Err(Refused::Verdict(Box::new(verdict.clone()))),
        false => Ok(()),
    }
}

fn relation(here: &Opened<'_>, came: &Opened<'_>) -> Result<Relation, Refused> {
    match compare_alike(here, came) {
        Some(relation) => Ok(relation),
        // Another spelling of the same entry is recognised by playing along.
        None => Ok(compare(&mut Opened::new(here.text.as_bytes()).map_err(Refused::Here)?, came)),
    }
}

/// The same entries with a result that they do not have are not the same record (E8).
fn has_its_own_result(
    relation: &Relation,
    verdict: &Verdict,
    from_a_player: impl FnOnce() -> Result<(), Refused>,
) -> Result<(), Refused> {
    let claims_otherwise = || verdict.errors.iter().any(|error| error.rule == Some("E8"));
    if matches!(relation, Relation::Same | Relation::Older { .. }) && claims_otherwise() {
        from_a_player()?;
        return Err(Refused::Verdict(Box::new(verdict.clone())));
    }
    Ok(())
}

/// Of a record with the same entries only what follows the last one can be new: a published secret, or a missing result line. While the
/// game runs it is not accepted, because remarks are not signed and do not prove who wrote them.
fn below_the_last_entry(here: &Opened<'_>, came: &Opened<'_>, verdict: &Verdict) -> Beyond {
    let (own, there) = (here.text.as_bytes(), came.text.as_bytes());
    let nothing = |remarks| Decision::Nothing { entries: verdict.entries, older: false, remarks };
    match behind_last_entry(came) {
        Some(tail) if verdict.outcome.is_some() => Beyond::Lines { first: verdict.entries + 1, tail },
        Some(tail) => {
            let asides = || nothing(has_new_asides(own, there, tail));
            Beyond::Nothing(with_receipts(own, came).unwrap_or_else(asides))
        }
        None => Beyond::Nothing(nothing(false)),
    }
}
