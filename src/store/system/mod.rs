//! What differs between systems about files: how one replaces another, how a folder is flushed, what a lock is, to whom a file
//! belongs. Nothing else in `store` knows on what it runs.

#[cfg(any(windows, test))]
mod descriptor;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::*;
#[cfg(windows)]
pub(super) use windows::*;
