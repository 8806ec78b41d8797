//! Homes for tests of what is kept in one.

use crate::disk::Memory;
use crate::folders::Folders;

/// The folder of a home that is on the disk.
pub type Home = Option<tempfile::TempDir>;

/// A home of each set, for tests of what is kept in either.
#[expect(clippy::expect_used, reason = "it is for tests")]
pub fn homes() -> [(Home, Folders); 2] {
    let home = tempfile::tempdir().expect("a folder");
    let real = Folders::at(home.path());
    [(Some(home), real), (None, Folders::in_memory(&Memory::new()))]
}
