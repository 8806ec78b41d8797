//! How much time is left, now.

pub mod reminders;

use std::collections::BTreeMap;

use postrider_board::render::moment;
use postrider_kernel::Side;
use postrider_referee::judging::{Standing, in_words, left_at};
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

/// The state of a side's clock while the game runs.
pub struct Running {
    /// What the side that is due has left, in seconds; negative if it has run out of time.
    pub left: i64,
    /// The last second it has.
    pub deadline: Time,
    /// Until when its clock is stopped, if it is on leave.
    pub still_until: Option<Time>,
}

impl Running {
    /// Returns the clock at `now` of the side that is due; `None` before the first entry, after the end, or without a
    /// clock.
    #[must_use]
    pub fn of(standing: &Standing, now: Time) -> Option<Self> {
        let (clocks, side) = (standing.clocks.filter(|_| standing.outcome.is_none())?, standing.due.side);
        // If the system clock is earlier than the last entry, the time of the last entry is used.
        let now = standing.last.map_or(now, |last| now.max(last));
        let still_until = clocks.on_leave(side, now);
        Some(Self { left: clocks.left_when_due(side, now), deadline: clocks.deadline(side)?, still_until })
    }

    /// Says `4 days 3 hours left, until …`, or by how much it is overstepped, and since when.
    #[must_use]
    pub fn told(&self) -> String {
        let deadline = moment::told(self.deadline, true);
        let span = in_words(self.left);
        match self.still_until {
            _ if self.left < 0 => format!("overstepped by {span}: it ran out at {deadline}"),
            Some(end) => format!("{span} left, until {deadline}; on leave until {}", moment::told(end, true)),
            None => format!("{span} left, until {deadline}"),
        }
    }
}

/// Returns what each side has left at this time, in seconds, by the sides' names; `None` without a clock.
#[must_use]
pub fn left(opened: &Opened<'_>, now: Time) -> Option<BTreeMap<&'static str, i64>> {
    let standing = opened.table.standing();
    let clocks = standing.clocks.as_ref()?;
    let at = standing.last.map_or(now, |last| now.max(last));
    let left = |side: Side| match standing.outcome {
        Some(_) => clocks.left(side),
        None => left_at(clocks, standing.due.side, side, at),
    };
    Some(Side::BOTH.map(|side| (opened.header.info.sides[side.index()].word, left(side))).into())
}
