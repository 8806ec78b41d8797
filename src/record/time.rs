//! Times of entries: RFC 3339 in UTC with whole seconds, and no other spelling.

use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};

/// A time in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

/// What can be added to the bytes of a time before the highest bit of one is set: a digit may be 9, a mark nought.
const HEAD_ROOM: u128 = u128::from_le_bytes(room(*b"0000-00-00T00:00"));
const TAIL_ROOM: u32 = u32::from_le_bytes(room(*b":00Z"));

const fn room<const N: usize>(mut form: [u8; N]) -> [u8; N] {
    let mut at = 0;
    while at < N {
        form[at] = if form[at] == b'0' { 0x7f - 9 } else { 0x7f };
        at += 1;
    }
    form
}

impl Time {
    /// The length of a time's text in bytes.
    pub const LENGTH: usize = 20;

    /// Reads `2026-11-21T10:15:00Z`; nothing for any other spelling and for times that are on no calendar.
    #[must_use]
    #[inline]
    pub fn read(text: &[u8]) -> Option<Self> {
        if text.len() != Self::LENGTH {
            return None;
        }
        // All bytes at once, as two numbers: what is left when the form is taken away is the digits' values, and nought for
        // the marks between them. Looking at the bytes one by one costs three times as much.
        let head = u128::from_le_bytes(*text.first_chunk()?) ^ u128::from_le_bytes(*b"0000-00-00T00:00");
        let tail = u32::from_le_bytes(*text.last_chunk()?) ^ u32::from_le_bytes(*b":00Z");
        // The bytes' highest bits, which are set once a digit is over 9 or a mark over 0.
        let over = (head.wrapping_add(HEAD_ROOM) | head) & u128::from_le_bytes([0x80; 16]);
        let tail_over = (tail.wrapping_add(TAIL_ROOM) | tail) & u32::from_le_bytes([0x80; 4]);
        if over != 0 || tail_over != 0 {
            return None;
        }
        // In each byte ten times the digit and the digit behind it.
        let pairs = head.wrapping_mul(10).wrapping_add(head >> 8);
        let pair = |at: u32| u32::from((pairs >> (8 * at)) as u8);
        let seconds = (tail >> 8 & 15) * 10 + (tail >> 16 & 15);
        let year = i32::try_from(pair(0) * 100 + pair(2)).ok()?;
        let date = NaiveDate::from_ymd_opt(year, pair(5), pair(8))?;
        let time = date.and_hms_opt(pair(11), pair(14), seconds)?;
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

    #[test]
    fn e3_a_byte_anywhere_in_a_time_is_its_mark_or_a_digit() {
        let good = *b"2026-11-21T10:15:00Z";
        for at in 0..Time::LENGTH {
            for byte in 0..=255 {
                let mut text = good;
                text[at] = byte;
                let fits = if good[at].is_ascii_digit() { byte.is_ascii_digit() } else { byte == good[at] };
                let by_chrono = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<DateTime<Utc>>().ok());
                let expected = by_chrono.filter(|_| fits).map(|time| Time(time.timestamp()));
                // A minute's sixtieth second is chrono's, not the record's.
                let leap = &text[17..19] == b"60";
                assert_eq!(Time::read(&text), expected.filter(|_| !leap), "{}", text.escape_ascii());
            }
        }
    }
}
