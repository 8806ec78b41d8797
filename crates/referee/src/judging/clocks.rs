//! How clocks run: a pure function of the header's `clock` field and the entries' times.

use crate::record::{Clock, Refill, Time};
use postrider_kernel::Side;

/// The seconds in a day, regardless of local calendars.
pub(super) const DAY: i64 = 86_400;

/// The clocks of both sides. All durations are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    clock: Clock,
    /// What each side has left, as of the last entry.
    left: [i64; 2],
    /// How many entries each side has made.
    entries: [u64; 2],
    /// When each side's last leave ends, and how long its leaves are in total.
    leave_ends: [i64; 2],
    leave_taken: [i64; 2],
    /// The time of the last entry, from which the current side is due.
    last: Option<Time>,
    /// Whether what is due is a forced answer (E13).
    forced: bool,
}

/// Why a leave cannot be taken (E11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaveFault {
    /// It is longer than the rest of the leave that the clock grants, in seconds.
    #[error("the clock still grants {} of leave", super::in_words(*.0))]
    TooLong(i64),
    /// The clock grants no leave at all.
    #[error("the clock grants no leave")]
    None,
    /// The last leave does not end before this time.
    #[error("the last leave ends at {0}")]
    Overlaps(Time),
}

/// What an entry costs the side whose clock was running, and what it gains. All durations are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The side whose clock was running.
    pub side: Side,
    /// Since when the side was due; `None` for the first entry, which starts the clocks.
    pub since: Option<Time>,
    /// When it stopped: the time of the entry.
    pub until: Time,
    /// How long the clock was stopped in between because the side was on leave.
    pub still: i64,
    /// How long it ran.
    pub used: i64,
    /// The time left before the entry; for a forced answer no more than the clock grants for one (E13).
    pub before: i64,
    /// What was added for the entry.
    pub added: i64,
    /// The time left after it. Negative only if time was claimed, because otherwise an overstepped clock is forgiven.
    pub left: i64,
}

impl Charge {
    /// Returns by how much the clock was overstepped; zero if it was not.
    #[must_use]
    pub fn over(&self) -> i64 {
        self.used.saturating_sub(self.before).max(0)
    }

    /// If the clock has run out, returns the last second at which it had not.
    #[must_use]
    pub fn ran_out(&self) -> Option<Time> {
        let over = self.over();
        (over > 0).then(|| Time(self.until.0.saturating_sub(over)))
    }
}

impl Clocks {
    /// Sets both clocks to the time at the start.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            left: [clock.grant; 2],
            entries: [0; 2],
            leave_ends: [i64::MIN; 2],
            leave_taken: [0; 2],
            last: None,
            forced: false,
        }
    }

    /// Returns the time that a side has left at `now` if it is due; negative if overstepped. Before the first entry no
    /// clock runs.
    #[must_use]
    pub fn left_when_due(&self, side: Side, now: Time) -> i64 {
        self.at_most(side) - self.used(side, now)
    }

    /// Returns the time that a side has for the entry that is due: what is left on its clock, or less for a forced answer (E13).
    #[must_use]
    pub fn at_most(&self, side: Side) -> i64 {
        let left = self.left[side.index()];
        if self.forced { left.min(self.clock.forced) } else { left }
    }

    /// Returns the time that the clock grants, for a forced answer if one is due (E13).
    #[must_use]
    pub fn granted(&self) -> i64 {
        if self.forced { self.clock.grant.min(self.clock.forced) } else { self.clock.grant }
    }

    /// Notes whether the entry that is due is a forced answer (E13).
    pub fn owe(&mut self, forced: bool) {
        self.forced = forced && self.clock.forced > 0;
    }

    /// Returns whether there is less time for the entry that is due, because it is a forced answer (E13).
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// Returns the time that a side has left while it is not due.
    #[must_use]
    pub fn left(&self, side: Side) -> i64 {
        self.left[side.index()]
    }

    /// Returns the last second at which the side that is due has not run out of time, leave included; `None` before the
    /// first entry, when no clock runs.
    #[must_use]
    pub fn deadline(&self, due: Side) -> Option<Time> {
        let start = self.last?.0.max(self.leave_ends[due.index()]);
        Some(Time(start.saturating_add(self.at_most(due))))
    }

    /// Returns whether the clock of the side that is due has run out at `now`: more time was used than there was (E7).
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

    /// Returns the end of a side's last leave, past or not; `None` if it has taken none.
    #[must_use]
    pub fn last_leave(&self, side: Side) -> Option<Time> {
        let end = self.leave_ends[side.index()];
        (end != i64::MIN).then_some(Time(end))
    }

    /// Returns how long a side's leaves are in total, and how long they may be.
    #[must_use]
    pub fn leave(&self, side: Side) -> (i64, i64) {
        (self.leave_taken[side.index()], self.clock.leave)
    }

    /// Returns the clock of the header.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The time used by a side since it became due, not counting leave.
    fn used(&self, side: Side, now: Time) -> i64 {
        let Some(last) = self.last else { return 0 };
        let start = last.0.max(self.leave_ends[side.index()]);
        now.0.saturating_sub(start).max(0)
    }

    /// Checks a leave of `days` that an entry of `side` at `time` takes (E11).
    ///
    /// # Errors
    /// If it is too long, or overlaps the side's last one.
    pub fn check_leave(&self, side: Side, time: Time, days: u64) -> Result<(), LeaveFault> {
        let length = seconds(days);
        let rest = self.clock.leave - self.leave_taken[side.index()];
        if self.clock.leave == 0 {
            return Err(LeaveFault::None);
        }
        if length > rest {
            return Err(LeaveFault::TooLong(rest));
        }
        if let Some(end) = self.on_leave(side, time) {
            return Err(LeaveFault::Overlaps(end));
        }
        Ok(())
    }

    /// The time left when an entry of `side` has used this much, before and after what it gains; an overstepped clock
    /// is forgiven. Both judging and accounting use this.
    #[inline(always)]
    fn settle(&self, side: Side, used: i64) -> (i64, i64) {
        let index = side.index();
        // What a forced answer takes beyond its own time is forgiven as well (E13).
        let rest = self.left[index] - used.min(self.at_most(side));
        let left = match self.clock.refill {
            Refill::Each => self.clock.grant,
            Refill::Every(count) if (self.entries[index] + 1).is_multiple_of(count) => {
                rest.saturating_add(self.clock.grant)
            }
            Refill::Every(_) => rest,
            Refill::Gain(gain) => rest.saturating_add(gain),
        };
        (rest, left)
    }

    /// Returns what an entry of `side` at `time` costs and gains.
    #[must_use]
    pub fn charge(&self, side: Side, time: Time) -> Charge {
        let used = self.used(side, time);
        let (rest, left) = self.settle(side, used);
        Charge {
            side,
            since: self.last,
            until: time,
            still: self.last.map_or(0, |last| time.0.saturating_sub(last.0).saturating_sub(used)),
            used,
            before: self.at_most(side),
            added: left - rest,
            left,
        }
    }

    /// Returns what the side that is due has used when the other side claims time: in that case nothing is forgiven or
    /// gained.
    #[must_use]
    pub(crate) fn charge_of_claim(&self, due: Side, time: Time) -> Charge {
        let charge = self.charge(due, time);
        Charge { added: 0, left: charge.before - charge.used, ..charge }
    }

    /// Counts an entry, with the leave it takes. Only the first entry is free; it starts the clocks.
    pub fn enter(&mut self, side: Side, time: Time, leave: Option<u64>) {
        let index = side.index();
        self.left[index] = self.settle(side, self.used(side, time)).1;
        self.entries[index] += 1;
        if let Some(days) = leave {
            self.leave_taken[index] += seconds(days);
            self.leave_ends[index] = time.0.saturating_add(seconds(days));
        }
        self.last = Some(time);
    }

    /// Stops the clocks at a valid claim of time: the overstepped clock of the side that is due stays negative (E7).
    pub fn claim(&mut self, due: Side, time: Time) {
        self.left[due.index()] = self.charge_of_claim(due, time).left;
        self.last = Some(time);
    }
}

fn seconds(days: u64) -> i64 {
    i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY)
}

/// What a clock grants each side, in words that follow "each side has".
#[must_use]
pub fn granted(clock: &Clock) -> String {
    let said = super::in_words;
    let mut words = match clock.refill {
        Refill::Each => format!("{} for each move", said(clock.grant)),
        Refill::Every(1) => format!("{} at the start, and the same again after each move", said(clock.grant)),
        Refill::Every(count) => format!("{} for every {count} moves", said(clock.grant)),
        Refill::Gain(gain) => format!("{} at the start, and {} more after each move", said(clock.grant), said(gain)),
    };
    if clock.leave > 0 {
        words.push_str(&format!(", and {} of leave in all", said(clock.leave)));
    }
    if clock.forced > 0 {
        words.push_str(&format!("; for an answer that the rules force, {} at most", said(clock.forced)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_told_in_words() {
        for (text, words) in [
            ("5d", "5 days for each move"),
            ("12h leave 30d", "12 hours for each move, and 30 days of leave in all"),
            ("50d/10", "50 days for every 10 moves"),
            ("7d/1", "7 days at the start, and the same again after each move"),
            (
                "30d+1d leave 9d forced 36h",
                "30 days at the start, and 1 day more after each move, and 9 days of leave in all; for an answer that the rules force, 1 day 12 \
                 hours at most",
            ),
        ] {
            assert_eq!(Clock::read(text).map(|clock| granted(&clock)).as_deref(), Ok(words));
        }
    }
}
