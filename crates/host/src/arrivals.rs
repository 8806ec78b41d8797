//! When entries were here. The time of an entry that a player's own program makes is only what that machine says: by it alone nobody
//! loses on time, and nobody wins any (Z39).

use super::did::Did;
use super::letters::Saying;
use super::notes::Game;
use super::work::{Work, Writer};
use postrider_home::clocks::Running;
use postrider_home::office::Trouble;
use postrider_kernel::Side;
use postrider_referee::desk;
use postrider_referee::desk::Desk;
use postrider_referee::judging::Standing;
use postrider_referee::record::{Clock, Item, Refill, Time};
use postrider_referee::sealing::Check;
use postrider_referee::verdict::Opened;

/// The bounds of the time that clocks and mail may take, in seconds.
const LEAST: i64 = 10 * 60;
const MOST: i64 = 3_600;
/// How long a side has for the first entry where there is no clock, in seconds.
const FIRST: i64 = 14 * 86_400;
/// How long it has at least.
const FIRST_LEAST: i64 = 86_400;

/// The time of a side for one entry, in seconds; `None` without a limit.
fn for_an_entry(clock: Clock) -> Option<i64> {
    let span = match clock.refill {
        Refill::Each => clock.grant,
        Refill::Every(entries) => clock.grant / i64::try_from(entries).unwrap_or(i64::MAX).max(1),
        Refill::Gain(gain) => gain,
    };
    (span > 0).then_some(span)
}

/// How much later than its end a claim of time is entered, so that what clocks and mail systems differ by decides no game: a fiftieth of
/// the time for an entry, at least ten minutes and at most an hour.
pub(super) fn leeway(standing: &Standing) -> i64 {
    let span = standing.clocks.and_then(|clocks| for_an_entry(clocks.clock()));
    span.map_or(MOST, |span| (span / 50).clamp(LEAST, MOST))
}

/// How long a side has for the first entry of a game, in seconds.
pub(super) fn for_the_first(clock: Option<&str>) -> i64 {
    let clock = clock.and_then(|clock| Clock::read(clock).ok());
    clock.map_or(FIRST, |clock| for_an_entry(clock).map_or(clock.grant, |span| span).max(FIRST_LEAST))
}

/// How a game stands if each entry counts from when it was here.
fn by_arrivals(text: &str, arrivals: &[(u32, i64)]) -> Option<Standing> {
    let opened = Opened::new(text.as_bytes()).ok()?;
    let mut body = opened.body();
    let (mut changed, mut done, mut last) = (String::with_capacity(text.len()), 0, i64::MIN);
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let line = entry.span.text(text);
        let (Some(said), Some(time)) = (desk::parts(line).1, entry.time) else { continue };
        let at = arrivals.iter().find(|(number, _)| u64::from(*number) == entry.number);
        last = at.map_or(time.0, |(_, at)| (*at).max(time.0)).max(last);
        let start = entry.span.start as usize;
        let place = start + line.find(&format!("@{said}"))?;
        changed.push_str(text.get(done..place)?);
        changed.push_str(&format!("@{}", Time(last)));
        done = place + 1 + said.len();
    }
    changed.push_str(text.get(done..)?);
    let mut later = Opened::new(changed.as_bytes()).ok()?;
    later.table.set_check(Check::Nothing);
    later.replay(u32::MAX);
    Some(later.table.standing())
}

/// When the time of the side that is due ends: the last second that it has, by the record and by when all entries were here, whichever
/// is later. `None` without a clock, before the first entry and after the end.
pub(super) fn end_of_time(game: &Game, opened: &Opened<'_>, now: Time) -> Option<i64> {
    let standing = opened.table.standing();
    let by_record = Running::of(&standing, now)?.deadline.0;
    let later = match game.arrivals.is_empty() {
        true => None,
        false => by_arrivals(opened.text, &game.arrivals).filter(|later| later.entries == standing.entries),
    };
    let by_arrival = later.and_then(|later| Running::of(&later, now)).map(|running| running.deadline.0);
    Some(by_arrival.map_or(by_record, |end| end.max(by_record)).saturating_add(game.still_since(standing.last?.0)))
}

/// The time of an entry that the host makes now: when its letter came, but never before the entry before it (E3).
pub(super) fn after(standing: &Standing, now: Time) -> Time {
    standing.last.map_or(now, |last| now.max(last))
}

impl Work<'_, '_> {
    /// Notes a claim of time that has run out, but perhaps not surely: it is entered once it has (Z39).
    pub(super) fn claims_early(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        side: Side,
        answers: Option<&str>,
        desk: &Desk<'_>,
    ) -> Result<Option<Did>, Trouble> {
        let standing = desk.opened.table.standing();
        let over = Running::of(&standing, self.now).is_some_and(|running| running.deadline.0 < self.now.0);
        let Some(end) = end_of_time(game, &desk.opened, self.now).filter(|_| over) else { return Ok(None) };
        let at = end.saturating_add(leeway(&standing));
        if at <= self.now.0 && self.host.may_end(end) {
            return Ok(None);
        }
        game.claimed = Some(standing.entries);
        game.reminded = (standing.entries, game.reminded.1.min(2));
        self.schedule(game, &desk.opened);
        if !self.silent {
            let said = format!(
                "Your claim is noted. A letter written in time may still be on its way, so your claim is entered on {} at the earliest, \
                 unless an entry arrives first. You need do nothing.",
                Time(at.max(self.now.0))
            );
            self.caused(writer);
            self.about(game, side, desk, (answers, "a claim that waits"), Saying::of([said]))?;
        }
        Ok(Some(Did::ClaimWaits))
    }
}
