//! Which games came from a backup: after it was taken, entries of them may have been signed on the machine that it was taken on. Until
//! the player has said that none were, nothing is signed in such a game.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use super::disk::{Disk, FileError, Step};
use super::folders::Folders;

/// The list of such games in a player's data folder: a line for each, with its id and the time of the backup.
#[derive(Clone, Debug)]
pub struct Restored {
    disk: Disk,
    file: PathBuf,
}

impl Restored {
    /// The list in these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), file: folders.restored() }
    }

    /// Returns when the backup was taken from which a game came; `None` if it came from none, or the player has said since
    /// that no entries of it were made elsewhere.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn since(&self, game: &str) -> io::Result<Option<String>> {
        let text = match self.disk.read_record(&self.file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&text);
        Ok(text.lines().filter_map(|line| line.split_once(' ')).find(|(id, _)| *id == game).map(|(_, t)| t.to_owned()))
    }

    /// Notes that these games come from a backup taken at this time. Returns only when that is on disk: nothing of a game may be
    /// restored before.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn mark(&self, games: &BTreeSet<String>, since: &str) -> Result<(), FileError> {
        self.change(|line| !games.contains(line), games.iter().map(|game| format!("{game} {since}\n")).collect())
    }

    /// Notes that the player has made no entries of a game elsewhere.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn confirm(&self, game: &str) -> Result<(), FileError> {
        self.change(|line| line != game, String::new())
    }

    fn change(&self, stays: impl Fn(&str) -> bool, more: String) -> Result<(), FileError> {
        let io = |source| FileError::Io { step: Step::Create, path: self.file.clone(), source };
        if let Some(folder) = self.file.parent() {
            self.disk.private_folder(folder).map_err(io)?;
        }
        match self.disk.create_private(&self.file, b"") {
            Ok(()) | Err(FileError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
        let mut lock = self.disk.lock(&self.file)?;
        let old = lock.read()?;
        let text = String::from_utf8_lossy(&old);
        let kept = text.lines().filter(|line| line.split(' ').next().is_some_and(&stays));
        let new: String = kept.map(|line| format!("{line}\n")).chain([more]).collect();
        lock.replace(&old, new.as_bytes())
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use crate::store::disk::tests::homes;

    #[test]
    fn a_game_is_in_doubt_until_it_is_confirmed() {
        for (_home, folders) in homes() {
            let restored = Restored::new(&folders);
            assert_eq!(restored.since("asalto-one").expect("nothing"), None);
            let games = BTreeSet::from(["asalto-one".to_owned(), "asalto-two".to_owned()]);
            restored.mark(&games, "2026-11-21T12:00:00Z").expect("a mark");
            restored.mark(&games, "2026-11-22T12:00:00Z").expect("a mark");
            restored.confirm("asalto-one").expect("confirmed");
            assert_eq!(restored.since("asalto-one").expect("a list"), None);
            assert_eq!(restored.since("asalto-two").expect("a list").as_deref(), Some("2026-11-22T12:00:00Z"));
        }
    }
}
