//! The threads among which records and signatures are shared out.

use std::error::Error as _;
use std::sync::OnceLock;
use std::thread;

/// Returns whether there are several threads to work on; without them all is done on this one. The first call starts them.
pub fn has_threads() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let mut threads = rayon::ThreadPoolBuilder::new();
        // The main thread lives as long as the program, so it does its share of the work instead of waiting for the others.
        if thread::current().name() == Some("main") {
            threads = threads.use_current_thread();
        }
        // The system may allow no more threads. The other possible error, that they were started before, has no source.
        let started = threads.build_global().map_or_else(|error| error.source().is_none(), |()| true);
        started && rayon::current_num_threads() > 1
    })
}
