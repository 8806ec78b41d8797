//! An account of a record's clocks: the time each entry used and gained, as computed by the clocks that judge it while
//! it is judged again. Judging alone keeps no account.

use crate::judging::Charge;
use crate::record::{Item, Time};
use crate::verdict::{Opened, Verdict};
use postrider_kernel::Side;

/// An entry, and the time it cost the side whose clock was running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The entry's number.
    pub entry: u32,
    /// The side that made it; for a claim of time, not the side whose clock was running.
    pub side: Side,
    /// What was used, added and left.
    pub charge: Charge,
    /// The leave that the entry takes: its beginning and end.
    pub leave: Option<(Time, Time)>,
}

impl Charged {
    /// Returns whether the entry claims that the other side has run out of time (E7).
    #[must_use]
    pub fn is_claim(&self) -> bool {
        self.side != self.charge.side
    }
}

/// Accounts for every legal entry of a record, from the first; empty for a record without a clock.
///
/// # Errors
/// The verdict, if the record cannot be opened.
pub fn account(source: &[u8]) -> Result<Vec<Charged>, Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let mut list = Vec::new();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let before = opened.table.standing();
        if opened.table.pass(opened.text, &entry).is_err() {
            break;
        }
        let (Some(clocks), Some(after), Some(time)) = (before.clocks, opened.table.standing().clocks, entry.time)
        else {
            continue;
        };
        let due = before.due.side;
        // Every entry but a claim of time is made by the side that is due (E2, E7).
        let charge = if entry.side == due { clocks.charge(due, time) } else { clocks.charge_of_claim(due, time) };
        let leave = after.last_leave(entry.side).filter(|&end| clocks.last_leave(entry.side) != Some(end));
        let entry_number = before.entries + 1;
        list.push(Charged { entry: entry_number, side: entry.side, charge, leave: leave.map(|end| (time, end)) });
    }
    Ok(list)
}
