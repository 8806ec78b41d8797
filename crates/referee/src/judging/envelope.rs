//! The envelope's own rules, E1 to E13, which apply to every game.

use std::fmt::Write as _;

use super::clocks::{Clocks, DAY, LeaveFault};
use super::common::Common;
use crate::record::{Clock, Entry, Time};
use postrider_kernel::envelope_rules::{E1, E2, E3, E4, E5, E6, E7, E8, E11};
use postrider_kernel::seal_rules::Z39;
use postrider_kernel::text::Span;
use postrider_kernel::{Info, Outcome, Rule, Side, SideName};

/// Why the envelope refuses an entry, and where.
#[derive(Debug)]
pub(super) struct Breach {
    pub rule: Rule,
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Breach {
    pub(super) fn new(rule: Rule, span: Span, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { rule, span, message: message.into(), help: None })
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

/// An action of the envelope, and its place among the entry's actions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub action: Common,
    pub at: usize,
    pub span: Span,
}

/// The envelope's actions in one entry, and how many actions it has in total.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline<'a> {
    pub common: &'a [Placed],
    pub count: usize,
}

impl Outline<'_> {
    fn has_game_action(&self) -> bool {
        self.count > self.common.len()
    }

    /// Returns the days of leave that the entry takes.
    pub(super) fn leave(&self) -> Option<u64> {
        self.common.iter().find_map(|placed| if let Common::Leave(days) = placed.action { Some(days) } else { None })
    }
}

/// What is remembered of a record's past, whatever the game.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    info: &'static Info,
    pub entries: u32,
    pub made: [u32; 2],
    pub offer: Option<Side>,
    pub clocks: Option<Clocks>,
    /// Whether the first entry had a time.
    timed: Option<bool>,
    pub last: Option<Time>,
    /// How the game ended by resignation, agreement or a claim.
    pub ended: Option<Outcome>,
    /// Whether a machine plays one side (E12).
    pub practice: bool,
    /// Whether the game has a host, so that every entry has a time (Z39).
    pub hosted: bool,
}

impl Envelope {
    pub(super) fn new(info: &'static Info, clock: Option<Clock>) -> Self {
        Self {
            info,
            entries: 0,
            made: [0; 2],
            offer: None,
            clocks: clock.map(Clocks::new),
            timed: None,
            last: None,
            ended: None,
            practice: false,
            hosted: false,
        }
    }

    pub(super) fn side(&self, side: Side) -> SideName {
        self.info.sides[side.index()]
    }

    /// Checks an entry against E4, E1, E2 and E3, in this order. `over`: whether the game has ended.
    #[inline]
    pub(super) fn check_line(
        &self,
        text: &str,
        entry: &Entry,
        due: Side,
        over: bool,
        claims_time: bool,
    ) -> Result<(), Box<Breach>> {
        let fits = !over
            && entry.number == u64::from(self.entries) + 1
            && (entry.side == due || claims_time)
            && self.time_fits(entry);
        if fits { Ok(()) } else { Err(self.refuse_line(text, entry, due, over, claims_time)) }
    }

    /// Says why [`Envelope::check_line`] refuses an entry. It is a separate function so that it costs nothing for valid
    /// entries.
    #[cold]
    fn refuse_line(&self, text: &str, entry: &Entry, due: Side, over: bool, claims_time: bool) -> Box<Breach> {
        if over {
            let message = "the game is over: no entry may follow";
            return Breach::new(E4, entry.span, message).with_help("only remarks and the result line may stand here");
        }
        let next = self.entries + 1;
        let (number_span, side_span) = entry.number_and_side(text);
        if entry.number != u64::from(next) {
            return Breach::new(E1, number_span, format!("entry {next} is due here, not entry {}", entry.number))
                .with_help(format!("begin it with {next}"));
        }
        if entry.side != due && !claims_time {
            let message = format!("it is {} whose entry is due", self.side(due).named());
            return Breach::new(E2, side_span, message);
        }
        self.refuse_time(entry)
    }

    /// E3: either every entry has a time or none has; with a clock or a host (Z39) every entry has one; and none is earlier
    /// than the one before.
    #[inline]
    fn time_fits(&self, entry: &Entry) -> bool {
        match entry.time {
            None => !self.hosted && self.clocks.is_none() && self.timed != Some(true),
            Some(time) => self.timed != Some(false) && self.last.is_none_or(|last| last <= time),
        }
    }

    /// Says why an entry's time, or the lack of one, is refused (E3).
    fn refuse_time(&self, entry: &Entry) -> Box<Breach> {
        match (entry.time, self.last) {
            (None, _) if self.hosted => Breach::new(Z39, entry.span, "in a game with a host each entry has a time"),
            (None, _) if self.clocks.is_some() => {
                Breach::new(E3, entry.span, "the record has a clock, so each of its entries has a time")
            }
            (None, _) => Breach::new(E3, entry.span, "the earlier entries have times, so this one needs one too"),
            (Some(_), Some(last)) => {
                let message = format!("this is earlier than the entry before it, which is dated {last}");
                Breach::new(E3, entry.time_span(), message)
            }
            (Some(_), None) => Breach::new(
                E3,
                entry.time_span(),
                "the earlier entries have no times, so this one must have none either",
            ),
        }
    }

    /// Checks what must be alone, last, or after the game's own actions (E5-E7, E11), that there is something to accept
    /// or claim, and that an offer does not come too early.
    pub(super) fn check_outline(&self, entry: &Entry, outline: &Outline<'_>, due: Side) -> Result<(), Box<Breach>> {
        for placed in outline.common {
            let alone = outline.count == 1;
            let Placed { action, at, span } = *placed;
            match action {
                Common::Accept if !alone => return Err(Breach::new(E5, span, "`draw!` must be the only action")),
                Common::Resign if !alone => return Err(Breach::new(E6, span, "`resign` must be the only action")),
                Common::ClaimTime | Common::Claim(_) if !alone => {
                    return Err(Breach::new(E7, span, "a claim must be the only action"));
                }
                Common::Accept if self.offer != Some(due.other()) => {
                    return Err(Breach::new(E5, span, "there is no offer of a draw"));
                }
                Common::ClaimTime => self.check_time_claim(entry, span, due)?,
                Common::Offer => self.check_offer(outline, at, span)?,
                Common::Leave(days) => self.check_leave(entry, outline, placed, days)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn check_offer(&self, outline: &Outline<'_>, at: usize, span: Span) -> Result<(), Box<Breach>> {
        if !outline.has_game_action() {
            return Err(Breach::new(E5, span, "an offer of a draw goes with a move").with_help("put `draw?` after it"));
        }
        if at + 1 != outline.count {
            return Err(Breach::new(E5, span, "an offer of a draw is the last action of its entry"));
        }
        if !self.info.early_offers_last && self.is_early() {
            return Err(Self::too_early(span));
        }
        Ok(())
    }

    /// Returns whether it is too early for an offer: one of the sides has not made an entry yet (E5).
    fn is_early(&self) -> bool {
        self.made.contains(&0)
    }

    fn too_early(span: Span) -> Box<Breach> {
        Breach::new(E5, span, "a draw cannot be offered before both sides have made an entry")
    }

    fn check_leave(&self, entry: &Entry, outline: &Outline<'_>, placed: &Placed, days: u64) -> Result<(), Box<Breach>> {
        let refuse = |message: &str, help: String| Err(Breach::new(E11, placed.span, message).with_help(help));
        let behind = outline.common.iter().filter(|other| other.at > placed.at);
        let offers_behind = behind.filter(|other| other.action == Common::Offer).count();
        if !outline.has_game_action() || placed.at + 1 + offers_behind != outline.count {
            let message = "leave comes after the game's own actions, before `draw?`, and only once";
            return refuse(message, format!("write your move, then `; leave {days}d`"));
        }
        let (Some(clocks), Some(time)) = (self.clocks, entry.time) else {
            return refuse("there is no clock, so there is no leave to take", "leave it out".into());
        };
        match clocks.check_leave(entry.side, time, days) {
            Ok(()) => Ok(()),
            Err(LeaveFault::None) => {
                refuse("the clock of this game grants no leave", "a clock such as `5d leave 30d` grants leave".into())
            }
            Err(LeaveFault::TooLong(rest)) => {
                let most = match rest / DAY {
                    0 => "no leave is left".into(),
                    most => format!("it is `leave {most}d` at most"),
                };
                refuse(&format!("the clock still grants {} of leave", in_words(rest)), most)
            }
            Err(LeaveFault::Overlaps(end)) => refuse(
                &format!("the last leave is not over yet: it ends at {end}"),
                "leave can be taken again with an entry from then on".into(),
            ),
        }
    }

    fn check_time_claim(&self, entry: &Entry, span: Span, due: Side) -> Result<(), Box<Breach>> {
        let refuse = |message: String| Err(Breach::new(E7, span, message));
        let (Some(clocks), Some(time)) = (&self.clocks, entry.time) else {
            return refuse("without a clock no time can be claimed".into());
        };
        if entry.side == due {
            return refuse("the side that is due cannot claim time: its own clock is running".into());
        }
        if !clocks.run_out(due, time) {
            let left = in_words(clocks.left_when_due(due, time));
            let side = self.side(due);
            let has = side.verb("have", "has");
            return refuse(format!("{} {has} {left} left at that time", side.named()));
        }
        Ok(())
    }

    /// E5, checked after the game's own rules: an entry that ends the game offers nothing. In games whose rulebook has it
    /// in this place, that an offer comes too early is found here as well ([`Info::early_offers_last`]).
    pub(super) fn refuse_offer(&self, span: Span, outcome: Option<Outcome>) -> Option<Box<Breach>> {
        if self.is_early() {
            return Some(Self::too_early(span));
        }
        outcome.map(|_| Breach::new(E5, span, "an entry that ends the game offers nothing"))
    }

    /// E8: the result line must say what the replay found.
    pub(super) fn check_result(&self, text: &str, span: Span, outcome: Option<Outcome>) -> Result<(), Box<Breach>> {
        let expected = outcome.map(|outcome| outcome.text(&self.info.sides));
        match expected {
            Some(expected) if expected == text => Ok(()),
            Some(expected) => {
                Err(Breach::new(E8, span, "the result is different").with_help(format!("it is `= {expected}`")))
            }
            None => Err(Breach::new(E8, span, "the game is not over, so it has no result")),
        }
    }

    /// Counts a legal entry. `forced`: whether it was a forced answer, after which an offer remains open (E5).
    #[inline]
    pub(super) fn enter(&mut self, entry: &Entry, forced: bool, offers: bool, leave: Option<u64>) {
        self.count(entry, forced, offers);
        if let (Some(time), Some(clocks)) = (entry.time, &mut self.clocks) {
            clocks.enter(entry.side, time, leave);
        }
    }

    /// Counts a valid claim of time: the clock that was running is that of the side that is due.
    pub(super) fn enter_time_claim(&mut self, entry: &Entry, due: Side) {
        self.count(entry, false, false);
        if let (Some(time), Some(clocks)) = (entry.time, &mut self.clocks) {
            clocks.claim(due, time);
        }
    }

    #[inline]
    fn count(&mut self, entry: &Entry, forced: bool, offers: bool) {
        self.entries += 1;
        self.made[entry.side.index()] += 1;
        if self.offer == Some(entry.side.other()) && !forced {
            self.offer = None;
        }
        if offers {
            self.offer = Some(entry.side);
        }
        self.timed.get_or_insert(entry.time.is_some());
        if entry.time.is_some() {
            self.last = entry.time;
        }
    }

    /// Returns whether the record's entries have times; `None` before the first entry.
    pub(super) fn timed(&self) -> Option<bool> {
        self.timed
    }
}

/// Formats a duration in seconds in its two largest units: `3 days 4 hours`, `12 minutes`, `5 seconds`.
#[must_use]
pub fn in_words(seconds: i64) -> String {
    let named = |(count, unit): (u64, &str)| format!("{count} {unit}{}", if count == 1 { "" } else { "s" });
    let counts = units(seconds).into_iter().zip(["day", "hour", "minute", "second"]);
    let parts = counts.skip_while(|(count, _)| *count == 0).take(2).filter(|(count, _)| *count > 0).map(named);
    let words = parts.collect::<Vec<_>>().join(" ");
    if words.is_empty() { "0 seconds".into() } else { words }
}

/// Formats a duration to the second, in brief: `3d 4h 12m 5s`, `-1d`, `0s`.
#[must_use]
pub fn in_brief(seconds: i64) -> String {
    let mut text = String::new();
    for (count, unit) in units(seconds).into_iter().zip(["d", "h", "m", "s"]).filter(|(count, _)| *count > 0) {
        text.push_str(match text.is_empty() {
            true if seconds < 0 => "-",
            true => "",
            false => " ",
        });
        // Writing to a `String` never fails.
        let _ = write!(text, "{count}{unit}");
    }
    if text.is_empty() { "0s".into() } else { text }
}

/// Days, hours, minutes and seconds of the absolute duration.
fn units(seconds: i64) -> [u64; 4] {
    let total = seconds.unsigned_abs();
    [total / 86_400, total / 3600 % 24, total / 60 % 60, total % 60]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted_in_two_units() {
        for (seconds, words) in [
            (0, "0 seconds"),
            (61, "1 minute 1 second"),
            (86_400, "1 day"),
            (432_000 - 1, "4 days 23 hours"),
            (-5, "5 seconds"),
        ] {
            assert_eq!(in_words(seconds), words);
        }
        for (seconds, brief) in [(0, "0s"), (-86_400, "-1d"), (432_000 - 1, "4d 23h 59m 59s"), (7200, "2h")] {
            assert_eq!(in_brief(seconds), brief);
        }
    }
}
