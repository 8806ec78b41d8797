//! Times for people to read: in UTC, as they are in the record, and in the reader's local time. This affects only what
//! is shown, never the clocks of a game.

use postrider_referee::record::Time;

/// Returns a time in UTC; with `local`, followed by the same time in this machine's time zone: `2026-10-25T01:30:00Z
/// (Sun 25 Oct 02:30 +01:00 here)`. The offset distinguishes the two hours with the same name when summer time ends.
#[must_use]
pub fn told(time: Time, local: bool) -> String {
    // Only such a machine tells its time zone.
    #[cfg(not(any(unix, windows)))]
    let _ = local;
    match time.utc() {
        None => "a day beyond the calendar".into(),
        #[cfg(any(unix, windows))]
        Some(utc) if local => {
            format!("{time} ({} here)", utc.with_timezone(&chrono::Local).format("%a %d %b %H:%M %:z"))
        }
        Some(_) => time.to_string(),
    }
}
