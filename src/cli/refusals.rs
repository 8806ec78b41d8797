//! Messages about an entry that was not made, and about a record that accepts none.

use super::hints::Failure;
use postrider_home::office::Trouble;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::sealing::Check;
use postrider_referee::verdict::Opened;

/// Puts a record on the desk to make entries.
pub fn on_desk<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| refused(origin, refusal))
}

/// Puts a record on the desk for another purpose; if it is not legal, the verdict is reported.
pub fn legal<'a>(source: &'a [u8], origin: &str) -> Result<Desk<'a>, Failure> {
    Desk::open(source).map_err(|refusal| match refusal {
        Refusal::Record(verdict) => Failure::verdict(source, origin, &verdict, true),
        refusal => refused(origin, refusal),
    })
}

/// Opens a record and replays it as far as it is legal, without checking signatures, to look up who plays and who is
/// due.
pub fn replayed<'a>(source: &'a [u8], origin: &str) -> Result<Opened<'a>, Failure> {
    let mut opened = Opened::new(source).map_err(|verdict| refused(origin, Refusal::Record(verdict)))?;
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    Ok(opened)
}

/// Returns the message about an entry that was not made.
pub fn refused(origin: &str, refusal: Refusal) -> Failure {
    Trouble::refusal(origin, refusal).into()
}
