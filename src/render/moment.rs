//! Moments as people read them: in UTC as the record has them, and by the system clock where the reader is. The clocks of a
//! game know nothing of either; only what is shown does.

use crate::record::Time;

/// A moment in UTC, and with `local` the same by the time zone of this machine behind it:
/// `2026-10-25T01:30:00Z (Sun 25 Oct 02:30 +01:00 here)`. The offset tells the two hours apart that have one name when summer
/// time ends.
#[must_use]
pub fn told(time: Time, local: bool) -> String {
    // Without the program no machine's time zone is known.
    #[cfg(not(feature = "cli"))]
    let _ = local;
    match time.utc() {
        None => "a day beyond the calendar".into(),
        #[cfg(feature = "cli")]
        Some(utc) if local => {
            format!("{time} ({} here)", utc.with_timezone(&chrono::Local).format("%a %d %b %H:%M %:z"))
        }
        Some(_) => time.to_string(),
    }
}
