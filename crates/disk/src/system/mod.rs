//! What differs between systems about files: how one replaces another, how a folder is flushed, what a lock is, to whom a file
//! belongs. Nothing else in `store` knows on what it runs.

#[cfg(any(windows, test))]
mod descriptor;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(all(unix, feature = "cli"))]
pub use unix::{OPENER, open_with_its_program};
#[cfg(windows)]
pub(crate) use windows::*;
#[cfg(all(windows, feature = "cli"))]
pub use windows::{OPENER, open_with_its_program};
