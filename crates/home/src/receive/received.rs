//! Notes about which messages of a mailbox have been read, kept outside it, because a mailbox is never changed. One
//! line per message: sixteen bytes of a digest in hexadecimal. Reading a message again does no harm, so a lost line
//! only costs time.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use postrider_disk::disk::Disk;
use postrider_disk::folders::Folders;

/// The most bytes of notes that are read: enough for two million messages.
const MAX_NOTES: u64 = 64 << 20;

/// What identifies a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark([u8; 16]);

impl Mark {
    /// Makes the mark of something that consists of these parts.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest: [u8; 32] = hash.finalize().into();
        Self(digest.first_chunk().copied().unwrap_or_default())
    }

    /// The mark in hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Makes the mark of the same message when read in another way.
    #[must_use]
    pub fn with(&self, way: &[u8]) -> Self {
        Self::of(&[&self.0, way])
    }
}

/// The notes of what has been read.
pub struct Received {
    disk: Disk,
    path: PathBuf,
    known: HashSet<Mark>,
    file: Option<Box<dyn Write + Send>>,
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received").field("path", &self.path).field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Received {
    /// Reads the notes, if there are any. Creates nothing.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn load(folders: &Folders) -> io::Result<Self> {
        let path = folders.received();
        let text = folders.disk.read_if_there(&path, MAX_NOTES)?.unwrap_or_default();
        // A line that was cut off does not count.
        let mark = |line: &[u8]| HEXLOWER.decode(line).ok()?.try_into().ok().map(Mark);
        let known = text.split(|&byte| byte == b'\n').filter_map(mark).collect();
        Ok(Self { disk: folders.disk.clone(), path, known, file: None })
    }

    /// Returns whether a message has been read.
    #[must_use]
    pub fn knows(&self, mark: &Mark) -> bool {
        self.known.contains(mark)
    }

    /// Notes that a message has been read.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn note(&mut self, mark: Mark) -> io::Result<()> {
        if !self.known.insert(mark) {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                if let Some(folder) = self.path.parent() {
                    self.disk.private_folder(folder)?;
                }
                none.insert(self.disk.append(&self.path)?)
            }
        };
        // It begins with a line end too, so that it is a whole line even after one that was cut off.
        file.write_all(format!("\n{}\n", HEXLOWER.encode(&mark.0)).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn messages_that_were_read_are_known_in_the_next_run() {
        for (_home, folders) in homes() {
            let (one, two) = (Mark::of(&[b"a", b"bc"]), Mark::of(&[b"ab", b"c"]));
            assert_ne!(one, two);
            let mut notes = Received::load(&folders).unwrap();
            assert!(!notes.knows(&one));
            notes.note(one).unwrap();
            let mut text = folders.disk.read_record(&folders.received()).unwrap();
            text.truncate(text.len() - 1);
            folders.disk.put_private(&folders.received(), &[&text[..], b"\nff00"].concat()).unwrap();
            let mut notes = Received::load(&folders).unwrap();
            notes.note(two).unwrap();
            let notes = Received::load(&folders).unwrap();
            assert!(notes.knows(&one) && notes.knows(&two));
            assert_eq!(notes.known.len(), 2);
        }
    }
}
