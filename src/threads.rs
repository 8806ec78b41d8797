//! Whether there are several threads to work with.

use std::error::Error as _;
use std::sync::OnceLock;

/// Returns whether the system allows the threads that records and signatures are judged on; without them all is done on
/// this one.
pub fn has_threads() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    // The other possible error, that they were started before, has no source.
    *HAS.get_or_init(|| {
        rayon::ThreadPoolBuilder::new().build_global().map_or_else(|error| error.source().is_none(), |()| true)
    })
}
