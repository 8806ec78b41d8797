//! The note that something was signed or sealed which no backup has that is made by itself: a run that was killed leaves it behind, and the next
//! one makes up for it.

use std::path::PathBuf;

use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;

use super::DUE;

/// The most that is read of it.
const LONGEST: u64 = 64;

/// The note in a player's data folder: what the last run that signed has chosen, or nothing once a backup has everything.
#[derive(Clone, Debug)]
pub struct Due {
    disk: Disk,
    file: PathBuf,
}

impl Due {
    /// The note in these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), file: folders.data.join(DUE) }
    }

    /// What it says; nothing if no backup is due. What cannot be read is a reason for a backup.
    #[must_use]
    pub fn read(&self) -> Option<Vec<u8>> {
        match self.disk.read_if_there(&self.file, LONGEST) {
            Ok(bytes) => bytes.filter(|bytes| !bytes.is_empty()),
            Err(_) => Some(Vec::new()),
        }
    }

    /// Notes that a backup is due, by a mark that no other run chooses.
    ///
    /// # Errors
    /// If it may not have reached the disk.
    pub fn note(&self, mark: &str) -> Result<(), FileError> {
        self.disk.change_note(&self.file, |_| format!("{mark}\n").into_bytes())
    }

    /// Notes that a backup has everything that was signed when the note said this. What was signed since is still due.
    ///
    /// # Errors
    /// If it may not have reached the disk.
    pub fn done(&self, seen: &[u8]) -> Result<(), FileError> {
        let mut lock = self.disk.lock(&self.file)?;
        let here = lock.read()?;
        if here == seen { lock.replace(&here, b"") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn a_backup_is_due_until_one_has_all_that_was_signed_before_it() {
        for (_home, folders) in homes() {
            let due = Due::new(&folders);
            assert_eq!(due.read(), None);
            due.note("one").expect("noted");
            let seen = due.read().expect("it is due");
            // Another run signs while the backup is made.
            due.note("two").expect("noted");
            due.done(&seen).expect("noted");
            let seen = due.read().expect("it is still due");
            due.done(&seen).expect("noted");
            assert_eq!(due.read(), None);
        }
    }
}
