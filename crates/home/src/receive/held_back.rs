//! Messages with entries that are ahead of this machine's clock: they are kept until their time has come, and then read
//! again. A file's name consists of that time and a digest of the message, and of nothing in the message.

use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;

/// The most messages that are held back.
pub(crate) const MAX_HELD: usize = 200;
/// The most bytes that these messages may have in total: 64 MiB.
const MAX_BYTES: u64 = 64 << 20;
/// How far ahead a time is for which only half of the room is there, in seconds: a day.
pub(super) const FAR: i64 = 86_400;

/// The messages that are held back, in a player's data folder.
#[derive(Clone, Debug)]
pub struct HeldBack {
    disk: Disk,
    folder: PathBuf,
}

impl HeldBack {
    /// The time of messages that are kept until the player agrees to them.
    pub(crate) const UNTIL_AGREED: i64 = i64::MAX;

    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.held_back() }
    }

    /// Keeps a message until a time, in seconds since 1970; returns whether there was room for it. The same message is kept only once,
    /// and no message kept is dropped, because it is noted as taken and read nowhere else. Anybody can date a letter years ahead, so
    /// messages more than a day ahead have at most half of the room.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn keep(&self, now: i64, until: i64, message: &[u8]) -> Result<bool, FileError> {
        let io = |source| FileError::Io { step: postrider_disk::disk::Step::Create, path: self.folder.clone(), source };
        self.disk.private_folder(&self.folder).map_err(io)?;
        let digest: [u8; 32] = Sha256::digest(message).into();
        let mark = HEXLOWER.encode(digest.first_chunk::<16>().map_or(&digest[..0], |half| &half[..]));
        let entries = self.entries().map_err(io)?;
        if entries.iter().any(|(_, path)| path.to_string_lossy().contains(&mark)) {
            return Ok(true);
        }
        let is_far = |at: i64| at > now.saturating_add(FAR);
        let has_room = |kept: &[&PathBuf], share: u8| {
            let length = |path: &&PathBuf| self.disk.about(path).map_or(0, |about| about.length);
            let bytes = kept.iter().map(length).fold(message.len() as u64, u64::saturating_add);
            kept.len() < MAX_HELD / usize::from(share) && bytes <= MAX_BYTES / u64::from(share)
        };
        let all: Vec<&PathBuf> = entries.iter().map(|(_, path)| path).collect();
        let far: Vec<&PathBuf> = entries.iter().filter(|(at, _)| is_far(*at)).map(|(_, path)| path).collect();
        if !has_room(&all, 1) || is_far(until) && !has_room(&far, 2) {
            return Ok(false);
        }
        match self.disk.create_private(&self.folder.join(format!("{until}.{mark}.eml")), message) {
            Err(FileError::Exists { .. }) => Ok(true),
            done => done.map(|()| true),
        }
    }

    /// Returns the messages that are due, earliest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn due(&self, now: i64) -> io::Result<Vec<PathBuf>> {
        let mut entries = self.entries()?;
        entries.retain(|(until, _)| *until <= now);
        entries.sort();
        Ok(entries.into_iter().map(|(_, path)| path).collect())
    }

    /// Returns the messages that wait for the player to agree.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn undecided(&self) -> io::Result<Vec<PathBuf>> {
        let mut entries = self.entries()?;
        entries.retain(|(until, _)| *until == Self::UNTIL_AGREED);
        entries.sort();
        Ok(entries.into_iter().map(|(_, path)| path).collect())
    }

    /// Reads a message that is held back.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.disk.read(path, MAX_BYTES)
    }

    /// Keeps a message that is held back until the player agrees, no longer until a time.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn wait(&self, path: &Path) -> Result<(), FileError> {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('.'));
        let Some((_, rest)) = name else { return Ok(()) };
        let to = self.folder.join(format!("{}.{rest}", Self::UNTIL_AGREED));
        if to == path { Ok(()) } else { self.disk.rename(path, &to) }
    }

    fn entries(&self) -> io::Result<Vec<(i64, PathBuf)>> {
        let until = |name: &str| name.strip_suffix(".eml")?.split_once('.')?.0.parse().ok();
        let listed = self.disk.list_if_there(&self.folder)?.into_iter();
        Ok(listed.filter_map(|one| Some((until(one.name.to_str()?)?, self.folder.join(one.name)))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn a_message_is_held_back_once_until_its_time() {
        for (_home, folders) in homes() {
            let held = HeldBack::new(&folders);
            assert!(held.due(i64::MAX).expect("a store").is_empty());
            assert!(held.keep(0, 100, b"one").expect("room") && held.keep(0, 50, b"two").expect("room"));
            assert!(held.keep(0, 100, b"one").expect("room"), "again");
            let due = |now| {
                held.due(now)
                    .expect("a store")
                    .iter()
                    .map(|path| held.disk.read_record(path).expect("a message"))
                    .collect()
            };
            let none: Vec<Vec<u8>> = due(49);
            assert!(none.is_empty());
            let one: Vec<Vec<u8>> = due(99);
            assert_eq!(one, [b"two".to_vec()]);
            let both: Vec<Vec<u8>> = due(100);
            assert_eq!(both, [b"two".to_vec(), b"one".to_vec()]);
        }
    }

    #[test]
    fn strangers_cannot_fill_the_disk() {
        for (_home, folders) in homes() {
            let held = HeldBack::new(&folders);
            for number in 0..MAX_HELD {
                assert!(held.keep(0, 1, number.to_string().as_bytes()).expect("room"));
            }
            assert!(!held.keep(0, 1, b"one more").expect("a store"));
        }
    }

    #[test]
    fn letters_dated_years_ahead_leave_room_for_those_whose_time_comes_soon_and_nothing_kept_is_removed() {
        for (_home, folders) in homes() {
            let held = HeldBack::new(&folders);
            let mut kept = 0;
            for number in 0..MAX_HELD {
                kept += usize::from(held.keep(50, 4_000_000_000, number.to_string().as_bytes()).expect("a store"));
            }
            assert_eq!(kept, MAX_HELD / 2);
            assert!(!held.keep(50, HeldBack::UNTIL_AGREED, b"a claim").expect("a store"));
            for number in kept..MAX_HELD {
                assert!(held.keep(50, 100, format!("a friend's {number}").as_bytes()).expect("a store"));
            }
            assert!(!held.keep(50, 60, b"sooner").expect("a store"));
            assert_eq!(held.due(100).expect("a store").len(), MAX_HELD / 2);
            assert_eq!(held.entries().expect("a store").len(), MAX_HELD);
        }
    }
}
