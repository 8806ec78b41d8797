//! Which messages of a mailbox were read, noted outside it: a mailbox is never changed. A line a message, sixteen bytes of a
//! digest in hexadecimal digits. Reading a message again does no harm, so that a line that is lost costs time only.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::files::private_folder;
use super::folders::Folders;

/// The most bytes of notes that are read: of two million messages.
const MAX_NOTES: u64 = 64 << 20;

/// What tells one message from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark([u8; 16]);

impl Mark {
    /// The mark of what is made of these parts.
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

    /// The mark of the same message, read in another way.
    #[must_use]
    pub fn with(&self, way: &[u8]) -> Self {
        Self::of(&[&self.0, way])
    }
}

/// The notes of what was read.
#[derive(Debug)]
pub struct Received {
    path: PathBuf,
    known: HashSet<Mark>,
    file: Option<File>,
}

impl Received {
    /// Reads the notes; there may be none. Makes nothing.
    ///
    /// # Errors
    /// Those of the system.
    pub fn load(folders: &Folders) -> io::Result<Self> {
        let path = folders.received();
        let mut text = Vec::new();
        match File::open(&path) {
            Ok(file) => {
                file.take(MAX_NOTES).read_to_end(&mut text)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // A line that was cut off is none.
        let mark = |line: &[u8]| HEXLOWER.decode(line).ok()?.try_into().ok().map(Mark);
        let known = text.split(|&byte| byte == b'\n').filter_map(mark).collect();
        Ok(Self { path, known, file: None })
    }

    /// Returns whether a message was read.
    #[must_use]
    pub fn knows(&self, mark: &Mark) -> bool {
        self.known.contains(mark)
    }

    /// Notes that a message was read.
    ///
    /// # Errors
    /// Those of the system.
    pub fn note(&mut self, mark: Mark) -> io::Result<()> {
        if !self.known.insert(mark) {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                if let Some(folder) = self.path.parent() {
                    private_folder(folder)?;
                }
                let mut options = OpenOptions::new();
                options.append(true).create(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                none.insert(options.open(&self.path)?)
            }
        };
        // Its own line end stands before it too: behind a line that was cut off it is whole all the same.
        file.write_all(format!("\n{}\n", HEXLOWER.encode(&mark.0)).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_known_in_the_next_run() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::at(home.path());
        let (one, two) = (Mark::of(&[b"a", b"bc"]), Mark::of(&[b"ab", b"c"]));
        assert_ne!(one, two);
        let mut notes = Received::load(&folders).unwrap();
        assert!(!notes.knows(&one));
        notes.note(one).unwrap();
        let mut text = std::fs::read(folders.received()).unwrap();
        text.truncate(text.len() - 1);
        std::fs::write(folders.received(), [&text[..], b"\nff00"].concat()).unwrap();
        let mut notes = Received::load(&folders).unwrap();
        notes.note(two).unwrap();
        let notes = Received::load(&folders).unwrap();
        assert!(notes.knows(&one) && notes.knows(&two));
        assert_eq!(notes.known.len(), 2);
    }
}
