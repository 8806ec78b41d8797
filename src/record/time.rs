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
    pub fn read(text: &[u8]) -> Option<Self> {
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', i1, i2, b':', s1, s2, b'Z'] = text else {
            return None;
        };
        let pair = |tens: &u8, ones: &u8| {
            let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
            (tens < 10 && ones < 10).then(|| u32::from(tens) * 10 + u32::from(ones))
        };
        let year = pair(y1, y2)? * 100 + pair(y3, y4)?;
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, pair(m1, m2)?, pair(d1, d2)?)?;
        let time = date.and_hms_opt(pair(h1, h2)?, pair(i1, i2)?, pair(s1, s2)?)?;
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
