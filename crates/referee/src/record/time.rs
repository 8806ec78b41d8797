//! Times of entries: RFC 3339 in UTC with whole seconds, in exactly one form.

use std::fmt::{self, Write as _};

use chrono::{DateTime, Datelike as _, NaiveDate, Timelike as _, Utc};

use postrider_kernel::text::push_number;

/// A time in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

/// What can be added to each byte of a time before its highest bit is set: a digit may be up to 9, a separator must be
/// 0.
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

    /// Reads a time such as `2026-11-21T10:15:00Z`; `None` for any other form and for times that do not exist.
    #[must_use]
    #[inline]
    pub fn read(text: &[u8]) -> Option<Self> {
        if text.len() != Self::LENGTH {
            return None;
        }
        // All bytes at once, as two numbers: subtracting the pattern leaves the values of the digits, and zero for the
        // separators between them. Checking byte by byte takes three times as long.
        let head = u128::from_le_bytes(*text.first_chunk()?) ^ u128::from_le_bytes(*b"0000-00-00T00:00");
        let tail = u32::from_le_bytes(*text.last_chunk()?) ^ u32::from_le_bytes(*b":00Z");
        // The highest bits of the bytes, which are set if a digit is over 9 or a separator over 0.
        let over = (head.wrapping_add(HEAD_ROOM) | head) & u128::from_le_bytes([0x80; 16]);
        let tail_over = (tail.wrapping_add(TAIL_ROOM) | tail) & u32::from_le_bytes([0x80; 4]);
        if over != 0 || tail_over != 0 {
            return None;
        }
        // Each byte is ten times the digit plus the next digit.
        let pairs = head.wrapping_mul(10).wrapping_add(head >> 8);
        let pair = |at: u32| u32::from((pairs >> (8 * at)) as u8);
        let seconds = (tail >> 8 & 15) * 10 + (tail >> 16 & 15);
        let year = i32::try_from(pair(0) * 100 + pair(2)).ok()?;
        let date = NaiveDate::from_ymd_opt(year, pair(5), pair(8))?;
        let time = date.and_hms_opt(pair(11), pair(14), seconds)?;
        Some(Self(time.and_utc().timestamp()))
    }

    /// Returns the same time as a chrono value; `None` if it is outside chrono's range.
    #[must_use]
    pub fn utc(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.0, 0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.utc() {
            Some(time) => f.write_str(&written(time)),
            None => write!(f, "{} s", self.0),
        }
    }
}

/// A time as text, in a fraction of what it takes chrono to follow a format.
fn written(time: DateTime<Utc>) -> String {
    let mut text = String::with_capacity(Time::LENGTH);
    match u32::try_from(time.year()) {
        Ok(year @ ..=9999) => {
            push_pair(&mut text, year / 100);
            push_pair(&mut text, year % 100);
        }
        // Writing to a `String` never fails.
        _ => _ = write!(text, "{:+05}", time.year()),
    }
    let parts = [time.month(), time.day(), time.hour(), time.minute(), time.second()];
    for (before, part) in ["-", "-", "T", ":", ":"].into_iter().zip(parts) {
        text.push_str(before);
        push_pair(&mut text, part);
    }
    text.push('Z');
    text
}

/// Writes two digits.
fn push_pair(text: &mut String, number: u32) {
    if number < 10 {
        text.push('0');
    }
    push_number(text, number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e3_times_have_exactly_one_form() {
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
    fn times_are_written_as_chrono_formats_them() {
        let all = (-70_000_000_000_i64..400_000_000_000).step_by(1_234_567_891);
        for seconds in
            all.chain([0, -1, 951_782_400, 253_402_300_799, 253_402_300_800, -62_167_219_201, 8_000_000_000_000])
        {
            let time = Time(seconds);
            let utc = time.utc().expect("it is in chrono's range");
            assert_eq!(time.to_string(), utc.format("%Y-%m-%dT%H:%M:%SZ").to_string());
        }
        assert_eq!(Time(i64::MAX).to_string(), format!("{} s", i64::MAX));
    }

    #[test]
    fn e3_every_byte_of_a_time_is_its_separator_or_a_digit() {
        let good = *b"2026-11-21T10:15:00Z";
        for at in 0..Time::LENGTH {
            for byte in 0..=255 {
                let mut text = good;
                text[at] = byte;
                let fits = if good[at].is_ascii_digit() { byte.is_ascii_digit() } else { byte == good[at] };
                let by_chrono = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<DateTime<Utc>>().ok());
                let expected = by_chrono.filter(|_| fits).map(|time| Time(time.timestamp()));
                // Second 60 exists in chrono but not in records.
                let leap = &text[17..19] == b"60";
                assert_eq!(Time::read(&text), expected.filter(|_| !leap), "{}", text.escape_ascii());
            }
        }
    }
}
