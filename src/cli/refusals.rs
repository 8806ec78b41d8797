//! Messages about an entry that was not made, and about a record that accepts none.

use super::hints::{self, Failure};
use super::keys;
use crate::desk::{Desk, Refusal};
use crate::sealing::Check;
use crate::verdict::Opened;

/// The name of the source in the excerpt of a refused entry.
const TYPED: &str = "your entry";

/// Puts a record on the desk to make an entry.
pub(super) fn to_move<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| refused(origin, refusal))
}

/// Puts a record on the desk to make entries.
pub(super) fn on_desk<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| refused(origin, refusal))
}

/// Puts a record on the desk for another purpose; if it is not legal, the verdict is reported.
pub(super) fn legal<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| not_legal(source, origin, refusal))
}

/// Like [`legal`], to send the record.
pub(super) fn to_send<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| not_legal(source, origin, refusal))
}

fn not_legal(source: &[u8], origin: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Record(verdict) => Failure::verdict(source, origin, &verdict, true),
        refusal => refused(origin, refusal),
    }
}

/// Opens a record and replays it as far as it is legal, without checking signatures, to look up who plays and who is
/// due.
pub(super) fn replayed<'a>(source: &'a [u8], origin: &str) -> Result<Opened<'a>, Failure> {
    let mut opened = Opened::new(source).map_err(|verdict| refused(origin, Refusal::Record(verdict)))?;
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    Ok(opened)
}

/// Returns the message about an entry that was not made.
pub(super) fn refused(origin: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Record(verdict) => {
            let failure = Failure::trouble(format!("{origin} is {}, so nothing can be entered", verdict.ruling.word()));
            let failure = failure.hint(format!("`postrider verify -v {}` shows what is wrong", hints::arg(origin)));
            if hints::code_of(verdict.ruling) == hints::REFUSED {
                failure.refused(None)
            } else {
                failure
            }
        }
        Refusal::Over(result) => {
            Failure::trouble(format!("the game is over ({result}): nothing can be entered (E4)")).refused(Some("E4"))
        }
        Refusal::Ahead(last, now) => Failure::trouble(format!(
            "the previous entry is dated {last}, more than ten minutes ahead of the clock here ({now}), and no entry is earlier than the one \
             before it (E3)"
        ))
        .hint("if the clock here is right, wait until then, or say `--time TIME`"),
        Refusal::Aside => {
            Failure::trouble("a time or a message does not belong among the actions")
                .hint("--time gives the time, --message the message")
                .refused(None)
        }
        Refusal::Message(why) => {
            Failure::trouble(format!("{why} (E9)")).hint("write a message without that").refused(Some("E9"))
        }
        Refusal::Lost(why) => keys::lost(why),
        Refusal::NotSigned(why) => keys::not_signed(why),
        Refusal::Entry(typed, verdict) => Failure::entry(&typed, TYPED, origin, &verdict),
        Refusal::Unsound(record, verdict) => Failure::verdict(&record, "the record with the entry", &verdict, false),
    }
}
