//! Times of entries: RFC 3339 in UTC with whole seconds, and no other spelling.

use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};

/// A time in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// The length of a time's text in bytes.
    pub const LENGTH: usize = 20;

    /// Reads `2026-11-21T10:15:00Z`; nothing for any other spelling and for times that are on no calendar.
    #[must_use]
    #[inline]
    pub fn read(text: &[u8]) -> Option<Self> {
        let text: &[u8; Self::LENGTH] = text.try_into().ok()?;
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
        // Without early exits this is a handful of wide instructions.
        let odd = marks.iter().fold(false, |odd, &(at, mark)| odd | (text[at] != mark));
        let digits = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18];
        let odd = digits.iter().fold(odd, |odd, &at| odd | !text[at].is_ascii_digit());
        if odd {
            return None;
        }
        let pair = |at: usize| u32::from(text[at] & 15) * 10 + u32::from(text[at + 1] & 15);
        let year = i32::try_from(pair(0) * 100 + pair(2)).ok()?;
        let date = NaiveDate::from_ymd_opt(year, pair(5), pair(8))?;
        let time = date.and_hms_opt(pair(11), pair(14), pair(17))?;
        Some(Self(time.and_utc().timestamp()))
    }

    /// Returns the same moment as chrono has it; nothing for moments that no calendar reaches.
    #[must_use]
    pub fn utc(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.0, 0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.utc() {
            Some(time) => write!(f, "{}", time.format("%Y-%m-%dT%H:%M:%SZ")),
            None => write!(f, "{} s", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e3_times_have_one_spelling() {
        let time = Time::read(b"2026-11-21T10:15:00Z").expect("a time");
        assert_eq!(time.0, 1_795_256_100);
        assert_eq!(time.to_string(), "2026-11-21T10:15:00Z");
        for other in [
            "2026-11-21t10:15:00Z",
            "2026-11-21T10:15:00z",
            "2026-11-21T10:15:60Z",
            "2026-11-21T24:00:00Z",
            "2027-02-29T10:15:00Z",
            "2026-11-21T10:15:00.5Z",
            "2026-11-21T10:15Z",
            "2026-1:-21T10:15:00Z",
            "",
        ] {
            assert_eq!(Time::read(other.as_bytes()), None, "{other}");
        }
    }
}
