//! The system clock, in one place: it may stand anywhere, even before 1970, and that is never an error here.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, TimeDelta, Utc};

/// Returns what the system clock says. Unlike `Utc::now`, it does not panic if the clock stands before 1970, as it may
/// in a machine that has lost its battery.
#[must_use]
pub fn now() -> DateTime<Utc> {
    at(SystemTime::now())
}

/// Returns whether the system clock stands at or after 1970. Before that, no certificate can be checked.
#[must_use]
pub fn is_possible() -> bool {
    SystemTime::now() >= UNIX_EPOCH
}

/// Returns how long ago something happened by the system clock; setting the clock back makes nothing younger.
#[must_use]
pub fn age(then: SystemTime) -> Duration {
    SystemTime::now().duration_since(then).unwrap_or_else(|error| error.duration())
}

/// Returns a time of the system as a date, or the nearest date there is.
fn at(time: SystemTime) -> DateTime<Utc> {
    let (before, since) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (false, since),
        Err(error) => (true, error.duration()),
    };
    let nearest = if before { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    let Ok(since) = TimeDelta::from_std(since) else { return nearest };
    let since = if before { -since } else { since };
    DateTime::UNIX_EPOCH.checked_add_signed(since).unwrap_or(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_a_time_like_any_other() {
        let shown = |time| at(time).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        assert_eq!(shown(UNIX_EPOCH), "1970-01-01T00:00:00Z");
        assert_eq!(shown(UNIX_EPOCH - Duration::from_secs(1)), "1969-12-31T23:59:59Z");
        assert_eq!(shown(UNIX_EPOCH + Duration::from_secs(1_795_000_000)), "2026-11-18T11:06:40Z");
        let far = UNIX_EPOCH.checked_sub(Duration::from_secs(1 << 60));
        assert!(far.is_none_or(|far| at(far) == DateTime::<Utc>::MIN_UTC));
        assert_eq!(age(SystemTime::now() + Duration::from_secs(5)).as_secs(), 4);
    }
}
