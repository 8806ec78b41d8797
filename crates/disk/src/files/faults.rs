//! Faults at the steps of a replacement, for tests: the thread that runs a test says which step fails. Tests of other crates end the process
//! at a step, and nothing else.

use std::cell::Cell;
#[cfg(test)]
use std::cell::RefCell;
use std::io;
#[cfg(test)]
use std::path::PathBuf;

use super::Step;

/// What another program puts in the place of a file.
#[cfg(test)]
pub(super) const REPLACEMENT: &[u8] = b"1 defenders place c6 e6\n2 besiegers c4-c5\n";

#[cfg(test)]
#[derive(Clone, Copy)]
pub(super) enum Fault {
    Fail(io::ErrorKind),
    Kill,
    /// Another program replaces the file the next this many times that the step is reached.
    Replaced(u32),
}

#[cfg(test)]
thread_local! {
    pub(super) static FAULT: Cell<Option<(Step, Fault)>> = const { Cell::new(None) };
    pub(super) static REPLACED: RefCell<PathBuf> = RefCell::new(PathBuf::new());
    pub(super) static NO_LOCKS: Cell<bool> = const { Cell::new(false) };
}

thread_local! {
    static COUNTDOWN: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Returns whether locks are disabled in every file system for this thread.
#[cfg(test)]
pub(super) fn without_locks() -> bool {
    NO_LOCKS.get() || std::env::var_os("POSTRIDER_TEST_NO_LOCKS").is_some()
}

/// Makes this process end at the step before which `nth` others were reached.
pub fn abort_at(nth: u32) {
    COUNTDOWN.set(Some(nth));
}

/// Called before each step.
pub(super) fn reach(step: Step) -> io::Result<()> {
    match COUNTDOWN.get() {
        Some(0) => std::process::abort(),
        more => COUNTDOWN.set(more.map(|more| more - 1)),
    }
    fails(step)
}

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the twin fails")]
fn fails(_: Step) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
fn fails(step: Step) -> io::Result<()> {
    match FAULT.get() {
        Some((at, Fault::Fail(kind))) if at == step => Err(kind.into()),
        Some((at, Fault::Kill)) if at == step => std::process::abort(),
        Some((at, Fault::Replaced(more))) if at == step => {
            FAULT.set(more.checked_sub(1).map(|more| (at, Fault::Replaced(more))));
            REPLACED.with_borrow(|path| super::put_private(path, REPLACEMENT)).map_err(io::Error::other)
        }
        _ => Ok(()),
    }
}
