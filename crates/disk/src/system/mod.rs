//! The differences between systems: how one file replaces another, how a folder is flushed, what a lock is, who owns a
//! file. Nothing else in `store` knows on what it runs.

#[cfg(any(windows, test))]
mod descriptor;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(all(unix, any(unix, windows)))]
pub use unix::{OPENER, open_with_its_program};
#[cfg(windows)]
pub(crate) use windows::*;
#[cfg(all(windows, any(unix, windows)))]
pub use windows::{OPENER, open_with_its_program};
