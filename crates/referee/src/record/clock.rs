//! The header's `clock` field: how much time the sides have. How clocks run is up to the referee.

use nom::Parser;
use nom::combinator::opt;

use postrider_kernel::notation::{Misfit, Parsed, number, read_whole, refuse};

/// The time that a record grants. All durations are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The time at the start.
    pub grant: i64,
    /// How time is added.
    pub refill: Refill,
    /// How long a side may be on leave in total.
    pub leave: i64,
    /// How long a side has at most for a forced answer (E13); 0 if no less than for any other entry.
    pub forced: i64,
}

/// How a side's time is replenished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refill {
    /// `5d`: each entry has the whole grant, and nothing is carried over.
    Each,
    /// `50d/10`: the grant is added after each series of this many entries of the side.
    Every(u64),
    /// `30d+1d`: this much is added after each entry of the side.
    Gain(i64),
}

impl Clock {
    /// Reads the field: `5d`, `50d/10`, `30d+1d`, each followed by ` leave 30d` if leave is granted, and by ` forced 2d` if there is less time for
    /// forced answers.
    ///
    /// # Errors
    /// Where the text stops fitting.
    pub fn read(text: &str) -> Result<Self, Misfit> {
        read_whole(text, clock, END)
    }
}

/// Durations longer than this (over a hundred thousand years) all count as this long.
const LONGEST: i64 = 1 << 42;

fn span(input: &[u8]) -> Parsed<'_, i64> {
    const EXPECTED: &str = "a time as in 5d or 12h, not zero";
    let (rest, count) = number(input)?;
    let unit = match rest {
        [b'd', ..] => 86_400,
        [b'h', ..] => 3600,
        _ => return refuse(rest, "`d` for days or `h` for hours"),
    };
    if count == 0 {
        return refuse(input, EXPECTED);
    }
    let seconds = i64::try_from(count).unwrap_or(LONGEST).saturating_mul(unit).min(LONGEST);
    Ok((&rest[1..], seconds))
}

fn clock(input: &[u8]) -> Parsed<'_, Clock> {
    let (rest, grant) = span(input)?;
    let (rest, refill) = match rest {
        [b'/', rest @ ..] => {
            let (after, count) = number(rest)?;
            if count == 0 {
                return refuse(rest, "a number of entries, not zero");
            }
            (after, Refill::Every(count))
        }
        [b'+', rest @ ..] => {
            let (after, gain) = span(rest)?;
            (after, Refill::Gain(gain))
        }
        _ => (rest, Refill::Each),
    };
    let (rest, leave) = opt(|input| granted(input, b" leave ")).parse(rest)?;
    let (rest, forced) = opt(|input| granted(input, b" forced ")).parse(rest)?;
    Ok((rest, Clock { grant, refill, leave: leave.unwrap_or(0), forced: forced.unwrap_or(0) }))
}

/// What is expected where a clock may end.
const END: &str = "the end of the clock, or ` leave 30d`, or ` forced 2d` behind both";

/// A time behind a word.
fn granted<'a>(input: &'a [u8], word: &[u8]) -> Parsed<'a, i64> {
    match input.strip_prefix(word) {
        Some(rest) => span(rest).map_err(|error| match error {
            nom::Err::Error(fault) => nom::Err::Failure(fault),
            other => other,
        }),
        None => refuse(input, END),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_three_kinds_and_may_grant_leave() {
        let days = |days: i64| days * 86_400;
        let clock = |grant, refill, leave| Ok(Clock { grant, refill, leave, forced: 0 });
        assert_eq!(Clock::read("5d"), clock(days(5), Refill::Each, 0));
        assert_eq!(Clock::read("120h"), clock(days(5), Refill::Each, 0));
        assert_eq!(Clock::read("50d/10"), clock(days(50), Refill::Every(10), 0));
        assert_eq!(Clock::read("30d+1d leave 48h"), clock(days(30), Refill::Gain(days(1)), days(2)));
        let forced = |text| Clock::read(text).map(|clock| (clock.leave, clock.forced));
        assert_eq!(forced("10d forced 2d"), Ok((0, days(2))));
        assert_eq!(forced("30d+1d leave 9d forced 36h"), Ok((days(9), 36 * 3600)));
        assert!(Clock::read("99999999999999999999999d").is_ok_and(|clock| clock.grant == LONGEST));
    }

    #[test]
    fn other_spellings_of_clocks_are_refused() {
        for text in [
            "",
            "5",
            "5D",
            "-5d",
            "5 d",
            "5w",
            "P5D",
            "05d",
            "0d",
            "5d/02",
            "5d/0",
            "5d+1",
            "5d+0h",
            "5d/10+1d",
            "5d leave",
            "5d  leave 3d",
            "leave 3d",
            "5d Leave 3d",
            "5d/10 leave",
            "5d leave 0d",
            "5d forced",
            "5d forced 0d",
            "5d forced 2",
            "5d  forced 2d",
            "5d Forced 2d",
            "5d forced 2d leave 3d",
            "5d forced 2d forced 2d",
            "forced 2d",
            "5d ",
        ] {
            assert!(Clock::read(text).is_err(), "{text:?}");
        }
    }
}
