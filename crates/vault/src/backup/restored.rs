//! Which games and keys came from a backup: after it was taken, entries may have been signed on the machine that it was taken on. Until
//! the player has said that none were, nothing is signed in such a game, nor in a game in which such a key has signed nothing here.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;

/// What a line about a key begins with, and one about a game in which such a key may sign; no id of a game has a slash.
const KEY: &str = "key/";
const HERE: &str = "here/";

/// The list of such games in a player's data folder: a line for each, with its id and the time of the backup. Keys that came from elsewhere
/// have lines in it too, and the games in which the player has said that they have signed nothing elsewhere.
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

    /// Reads the list.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read(&self) -> io::Result<RestoredList> {
        let bytes = self.disk.record_if_there(&self.file)?.unwrap_or_default();
        Ok(RestoredList(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Notes that these keys came from elsewhere at this time. Returns only when that is on disk: none may be kept before.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn mark_keys(&self, fingerprints: &[String], since: &str) -> Result<(), FileError> {
        let names: BTreeSet<String> = fingerprints.iter().map(|key| format!("{KEY}{key}")).collect();
        self.mark(&names, since)
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
        let here = format!("{HERE}{game}");
        self.change(|line| line != game && line != here, format!("{here} -\n"))
    }

    /// Notes that a game begins here, so that nothing of it was signed elsewhere. Nothing is noted where no key came from elsewhere.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn begins_here(&self, game: &str) -> Result<(), FileError> {
        let has_key =
            self.disk.read_record(&self.file).is_ok_and(|text| memchr::memmem::find(&text, KEY.as_bytes()).is_some());
        if has_key { self.confirm(game) } else { Ok(()) }
    }

    fn change(&self, stays: impl Fn(&str) -> bool, more: String) -> Result<(), FileError> {
        self.disk.change_note(&self.file, |old| {
            let text = String::from_utf8_lossy(old);
            let kept = text.lines().filter(|line| line.split(' ').next().is_some_and(&stays));
            kept.map(|line| format!("{line}\n")).chain([more]).collect::<String>().into_bytes()
        })
    }
}

/// The list as it was read.
#[derive(Clone, Debug, Default)]
pub struct RestoredList(String);

impl RestoredList {
    /// Returns when the backup was taken from which a game came; `None` if it came from none, or the player has said since
    /// that no entries of it were made elsewhere.
    #[must_use]
    pub fn since(&self, game: &str) -> Option<String> {
        self.time_of(game).map(str::to_owned)
    }

    /// Returns when a key came from elsewhere that may sign in a game; `None` if it did not, or the game was begun here, or the player has
    /// said that no entries of it were made elsewhere.
    #[must_use]
    pub fn since_key(&self, fingerprint: &str, game: &str) -> Option<String> {
        let since = self.time_of(&format!("{KEY}{fingerprint}"))?;
        self.time_of(&format!("{HERE}{game}")).is_none().then(|| since.to_owned())
    }

    /// What stands behind a name in the list.
    fn time_of(&self, name: &str) -> Option<&str> {
        self.0.lines().filter_map(|line| line.split_once(' ')).find(|(id, _)| *id == name).map(|(_, time)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn a_game_is_in_doubt_until_it_is_confirmed() {
        for (_home, folders) in homes() {
            let restored = Restored::new(&folders);
            assert_eq!(restored.read().expect("nothing").since("asalto-one"), None);
            let games = BTreeSet::from(["asalto-one".to_owned(), "asalto-two".to_owned()]);
            restored.mark(&games, "2026-11-21T12:00:00Z").expect("a mark");
            restored.mark(&games, "2026-11-22T12:00:00Z").expect("a mark");
            restored.confirm("asalto-one").expect("confirmed");
            assert_eq!(restored.read().expect("a list").since("asalto-one"), None);
            restored.mark_keys(&["1a2b".to_owned()], "2026-11-23T12:00:00Z").expect("a mark");
            restored.begins_here("asalto-three").expect("noted");
            for (game, asked) in
                [("asalto-one", false), ("asalto-two", true), ("asalto-three", false), ("asalto-four", true)]
            {
                let list = restored.read().expect("a list");
                assert_eq!(list.since_key("1a2b", game).is_some(), asked, "{game}");
                assert_eq!(list.since_key("3c4d", game), None);
            }
            let list = restored.read().expect("a list");
            assert_eq!(list.since("asalto-two").as_deref(), Some("2026-11-22T12:00:00Z"));
        }
    }
}
