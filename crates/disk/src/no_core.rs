//! Secrets are in memory only: not in the file that the system writes when a program dies.

use std::sync::Once;

/// Sees to it that no core file is written of this process and of those that it starts. Called before a secret, a key or a
/// passphrase is read; calls after the first cost nothing.
pub fn no_core() {
    static ONCE: Once = Once::new();
    ONCE.call_once(set);
}

#[cfg(unix)]
fn set() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // Linux asks the limit nothing where a program collects the files, unless it is 1, which is less than any file takes.
    let least = u64::from(cfg!(target_os = "linux"));
    let there = getrlimit(Resource::Core);
    if there.current.is_none_or(|current| current != 0) || cfg!(target_os = "linux") {
        let current = there.maximum.map_or(least, |most| most.min(least));
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(current), maximum: there.maximum });
    }
}

#[cfg(not(unix))]
fn set() {}
