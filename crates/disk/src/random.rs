//! The source of random bytes, which callers pass along.

/// A source of random bytes: it fills what it is given, or says why it cannot.
pub type Random<'a> = &'a dyn Fn(&mut [u8]) -> Result<(), String>;

/// The source of the system.
///
/// # Errors
/// If the system has none.
#[cfg(any(unix, windows))]
pub fn random(bytes: &mut [u8]) -> Result<(), String> {
    getrandom::fill(bytes).map_err(|error| format!("the system has no random numbers: {error}"))
}
