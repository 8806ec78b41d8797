//! The threads among which records and signatures are shared out.

use std::error::Error as _;
use std::sync::OnceLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Returns whether there are several threads to work on; without them all is done on this one. The first call starts them.
pub fn has_threads() -> bool {
    static MAIN: OnceLock<Option<ThreadPool>> = OnceLock::new();
    static OTHERS: OnceLock<bool> = OnceLock::new();
    let is_main = || thread::current().name() == Some("main");
    let started = match () {
        () if rayon::current_thread_index().is_some() => true,
        // The main thread lives as long as the program, so it does its share of the work instead of waiting for the others.
        // It does not wait until they have started either, as it would with the library's global threads.
        () if is_main() => MAIN.get_or_init(|| ThreadPoolBuilder::new().use_current_thread().build().ok()).is_some(),
        // The system may allow no more threads. The other possible error, that they were started before, has no source.
        () => *OTHERS.get_or_init(|| match ThreadPoolBuilder::new().build_global() {
            Err(error) => error.source().is_none(),
            Ok(()) => true,
        }),
    };
    started && rayon::current_num_threads() > 1
}
