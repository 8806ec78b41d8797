//! How much time is left, now, and what each entry has used of it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::render::moment;
use postrider_kernel::{Side, SideName};
use postrider_referee::desk::clock::Charged;
use postrider_referee::judging::{Clocks, Standing, in_words, left_at};
use postrider_referee::record::{Clock, Refill, Time};
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

/// The account of a record's clocks as JSON. All durations are in seconds.
#[derive(Serialize)]
pub struct ClockReport<'a> {
    path: &'a str,
    game: &'static str,
    id: &'a str,
    clock: Option<Granted>,
    charges: Rows<'a>,
    now: String,
    due: Option<&'static str>,
    running: Option<Due>,
    left: Option<BTreeMap<&'static str, i64>>,
    leave: Option<BTreeMap<&'static str, Leave>>,
    result: Option<String>,
}

#[derive(Serialize)]
struct Granted {
    grant: i64,
    per: Option<u64>,
    gain: Option<i64>,
    leave: i64,
    forced: i64,
}

/// The charges, each of which is made as it is written.
struct Rows<'a> {
    charges: &'a [Charged],
    sides: [SideName; 2],
}

#[derive(Serialize)]
struct ChargeRow {
    entry: u32,
    by: &'static str,
    side: &'static str,
    from: Option<String>,
    to: String,
    still: i64,
    used: i64,
    before: i64,
    added: i64,
    left: i64,
    over: i64,
    ran_out: Option<String>,
    claimed: bool,
    leave_until: Option<String>,
}

#[derive(Serialize)]
struct Due {
    side: &'static str,
    entry: u32,
    what: &'static str,
    since: Option<String>,
    left: Option<i64>,
    until: Option<String>,
    still_until: Option<String>,
    run_out: bool,
    claim_time: Vec<&'static str>,
}

#[derive(Serialize)]
struct Leave {
    taken: i64,
    granted: i64,
    last_until: Option<String>,
}

impl Serialize for Rows<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |side: Side| self.sides[side.index()].word;
        let text = |time: Time| time.to_string();
        serializer.collect_seq(self.charges.iter().map(|charged| ChargeRow {
            entry: charged.entry,
            by: word(charged.side),
            side: word(charged.charge.side),
            from: charged.charge.since.map(text),
            to: text(charged.charge.until),
            still: charged.charge.still,
            used: charged.charge.used,
            before: charged.charge.before,
            added: charged.charge.added,
            left: charged.charge.left,
            over: charged.charge.over(),
            ran_out: charged.charge.ran_out().map(text),
            claimed: charged.is_claim(),
            leave_until: charged.leave.map(|(_, end)| text(end)),
        }))
    }
}

impl<'a> ClockReport<'a> {
    /// The account of this record at `now`, with its charges.
    #[must_use]
    pub fn new(path: &'a str, opened: &'a Opened<'_>, charges: &'a [Charged], now: Time) -> Self {
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        let text = |time: Time| time.to_string();
        let due = standing.outcome.is_none().then(|| {
            let side = standing.due.side;
            let running = Running::of(&standing, now);
            let run_out = running.as_ref().is_some_and(|running| running.left < 0);
            Due {
                side: word(side),
                entry: standing.entries + 1,
                what: standing.due.what,
                since: standing.last.map(text),
                left: running.as_ref().map(|running| running.left),
                until: running.as_ref().map(|running| text(running.deadline)),
                still_until: running.and_then(|running| running.still_until).map(text),
                run_out,
                claim_time: run_out.then(|| word(side.other())).into_iter().collect(),
            }
        });
        let leave = |clocks: &Clocks, side: Side| {
            let (taken, granted) = clocks.leave(side);
            Leave { taken, granted, last_until: clocks.last_leave(side).map(text) }
        };
        Self {
            path,
            game: opened.header.info.name,
            id: &opened.header.id,
            clock: standing.clocks.map(|clocks| Granted::new(clocks.clock())),
            charges: Rows { charges, sides: opened.header.info.sides },
            now: text(now),
            due: due.as_ref().map(|due| due.side),
            running: due,
            left: left(opened, now),
            leave: standing.clocks.map(|clocks| Side::BOTH.map(|side| (word(side), leave(&clocks, side))).into()),
            result: standing.outcome.map(|outcome| outcome.text(&opened.header.info.sides)),
        }
    }
}

impl Granted {
    fn new(clock: Clock) -> Self {
        let (per, gain) = match clock.refill {
            Refill::Each => (None, None),
            Refill::Every(count) => (Some(count), None),
            Refill::Gain(gain) => (None, Some(gain)),
        };
        Self { grant: clock.grant, per, gain, leave: clock.leave, forced: clock.forced }
    }
}
