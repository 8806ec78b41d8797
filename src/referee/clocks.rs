//! How the clocks run: a pure function of the header's `clock` and the entries' times.

use crate::games::kernel::Side;
use crate::record::{Clock, Refill, Time};

const DAY: i64 = 86_400;

/// Both sides' clocks. All spans are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    clock: Clock,
    /// What each side has left, as of the last entry.
    left: [i64; 2],
    /// How many entries each side has made.
    entries: [u64; 2],
    /// When each side's last leave ends, and how long its leaves are in all.
    leave_ends: [i64; 2],
    leave_taken: [i64; 2],
    /// The time of the last entry, which made the side due that is due.
    last: Option<Time>,
}

/// Why a leave cannot be taken (E11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveFault {
    /// It is longer than what is left of the leave that the clock grants, in seconds.
    TooLong(i64),
    /// The last leave is not over yet.
    Overlaps,
}

impl Clocks {
    /// Sets both clocks to what there is at the start.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            left: [clock.grant; 2],
            entries: [0; 2],
            leave_ends: [i64::MIN; 2],
            leave_taken: [0; 2],
            last: None,
        }
    }

    /// Returns what a side has left at `now` if it is the one that is due; less than nought is overstepped. Before the first
    /// entry no clock runs.
    #[must_use]
    pub fn left_when_due(&self, side: Side, now: Time) -> i64 {
        self.left[side.index()] - self.used(side, now)
    }

    /// Returns what a side has left while it is not due.
    #[must_use]
    pub fn left(&self, side: Side) -> i64 {
        self.left[side.index()]
    }

    /// Returns whether the clock of the side that is due has run out at `now`: more was used than there was (E7).
    #[must_use]
    pub fn run_out(&self, due: Side, now: Time) -> bool {
        self.left_when_due(due, now) < 0
    }

    /// Returns the end of a side's leave, if it is on leave at `now`.
    #[must_use]
    pub fn on_leave(&self, side: Side, now: Time) -> Option<Time> {
        let end = self.leave_ends[side.index()];
        (end > now.0).then_some(Time(end))
    }

    /// The time that has run for a side since it became due: what lies in its leave does not count.
    fn used(&self, side: Side, now: Time) -> i64 {
        let Some(last) = self.last else { return 0 };
        let start = last.0.max(self.leave_ends[side.index()]);
        now.0.saturating_sub(start).max(0)
    }

    /// Checks a leave of `days` that an entry of `side` at `time` takes (E11).
    ///
    /// # Errors
    /// When it is too long, or overlaps the side's last one.
    pub fn check_leave(&self, side: Side, time: Time, days: u64) -> Result<(), LeaveFault> {
        let length = seconds(days);
        let rest = self.clock.leave - self.leave_taken[side.index()];
        if length > rest {
            return Err(LeaveFault::TooLong(rest));
        }
        if time.0 < self.leave_ends[side.index()] {
            return Err(LeaveFault::Overlaps);
        }
        Ok(())
    }

    /// Counts an entry, with the leave it takes. Only the first entry costs nothing: it starts the clocks.
    pub fn enter(&mut self, side: Side, time: Time, leave: Option<u64>) {
        let index = side.index();
        let left = (self.left[index] - self.used(side, time)).max(0);
        self.entries[index] += 1;
        self.left[index] = match self.clock.refill {
            Refill::Each => self.clock.grant,
            Refill::Every(count) if self.entries[index].is_multiple_of(count) => left.saturating_add(self.clock.grant),
            Refill::Every(_) => left,
            Refill::Gain(gain) => left.saturating_add(gain),
        };
        if let Some(days) = leave {
            self.leave_taken[index] += seconds(days);
            self.leave_ends[index] = time.0.saturating_add(seconds(days));
        }
        self.last = Some(time);
    }
}

fn seconds(days: u64) -> i64 {
    i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY)
}
