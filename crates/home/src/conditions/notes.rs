//! The player's conditional entries: one file per game and side in the data folder, which nobody else may read. They
//! say what a player is going to do, so nothing of them is ever in a record or a letter.

use std::io;
use std::path::PathBuf;

use crate::conditions::decision::Conditions;
use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_disk::remedy::{Remedy, remedy};
use postrider_referee::record::is_game_id;

/// The conditional entries in a player's data folder.
#[derive(Clone, Debug)]
pub struct Plans {
    disk: Disk,
    folder: PathBuf,
}

/// Why conditional entries could not be read or written. No error text contains any of them.
#[derive(Debug, thiserror::Error)]
pub enum ConditionsError {
    /// A game's id or a side's name that cannot be used in a file name.
    #[error("{0:?} cannot name conditions: it takes a game's id and a side's word")]
    Name(String),
    /// Others may read the file or the folder.
    #[error(
        "others may read {}, so the conditions in it are not used; `{}` closes it",
        .0.display(),
        remedy(Remedy::Close, .0)
    )]
    Exposed(PathBuf),
    /// The file contains something else.
    #[error("{0} should hold conditional entries and does not; remove it, and there are none")]
    Garbled(PathBuf),
    /// The system refused to read or remove something.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The file could not be written.
    #[error(transparent)]
    File(FileError),
}

impl Plans {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.conditions() }
    }

    /// Returns the file for a game and a side.
    ///
    /// # Errors
    /// If they cannot be used in a file name.
    pub fn path(&self, game: &str, side: &str) -> Result<PathBuf, ConditionsError> {
        let plain = !side.is_empty() && side.len() <= 32 && side.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_game_id(game) || !plain {
            return Err(ConditionsError::Name(format!("{game} {side}").chars().take(120).collect()));
        }
        Ok(self.folder.join(format!("{game}.{side}.json")))
    }

    /// Reads the conditions for a game and a side; `None` if there are none.
    ///
    /// # Errors
    /// If others may read them, the file contains something else, or the system refuses.
    pub fn read(&self, game: &str, side: &str) -> Result<Option<Conditions>, ConditionsError> {
        let path = self.path(game, side)?;
        let about = match self.disk.about(&path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ConditionsError::Io(path, error)),
        };
        if !about.is_private() {
            return Err(ConditionsError::Exposed(path));
        }
        let bytes = self.disk.read_record(&path).map_err(|error| ConditionsError::Io(path.clone(), error))?;
        match serde_json::from_slice::<Conditions>(&bytes) {
            Ok(read) if read.game == game && read.side == side => Ok(Some(read)),
            _ => Err(ConditionsError::Garbled(path)),
        }
    }

    /// Stores the conditions, replacing those for the same game and side; if there are no entries in them, the file is
    /// deleted.
    ///
    /// # Errors
    /// If they cannot be used in a file name, or the system refuses.
    pub fn keep(&self, conditions: &Conditions) -> Result<(), ConditionsError> {
        let path = self.path(&conditions.game, &conditions.side)?;
        if conditions.branches.is_empty() {
            return self.remove(&conditions.game, &conditions.side).map(|_| ());
        }
        self.disk.private_folder(&self.folder).map_err(|error| ConditionsError::Io(self.folder.clone(), error))?;
        let mut bytes = serde_json::to_vec_pretty(conditions).map_err(|_| ConditionsError::Garbled(path.clone()))?;
        bytes.push(b'\n');
        match self.disk.put_private(&path, &bytes) {
            Err(error) if !error.was_written() => Err(ConditionsError::File(error)),
            _ => Ok(()),
        }
    }

    /// Removes the conditions for a game and a side; returns whether there were any.
    ///
    /// # Errors
    /// If they cannot be used in a file name, or the system refuses.
    pub fn remove(&self, game: &str, side: &str) -> Result<bool, ConditionsError> {
        let path = self.path(game, side)?;
        self.disk.remove(&path).map_err(ConditionsError::File)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::conditions::decision::Branch;
    use postrider_disk::testing::homes;

    const GAME: &str = "asalto-conditions";

    fn conditions() -> Conditions {
        let branch = |theirs: &str, mine: &str, next| Branch { theirs: theirs.into(), mine: mine.into(), next };
        let next = vec![branch("c5xc3; huff c3", "resign", Vec::new())];
        Conditions {
            game: GAME.into(),
            side: "besiegers".into(),
            entries: 2,
            digest: "00".repeat(32),
            branches: vec![branch("c6-d6; huff d6", "e4-e5", next)],
        }
    }

    #[test]
    #[cfg(unix)]
    fn conditions_are_private_to_their_player() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().expect("a folder");
        let plans = Plans::new(&Folders::at(home.path()));
        assert_eq!(plans.read(GAME, "besiegers").expect("a store"), None);
        plans.keep(&conditions()).expect("kept");
        assert_eq!(plans.read(GAME, "besiegers").expect("a store"), Some(conditions()));
        let path = plans.path(GAME, "besiegers").expect("a path");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
        assert!(matches!(plans.read(GAME, "besiegers"), Err(ConditionsError::Exposed(_))));
        plans.keep(&Conditions { branches: Vec::new(), ..conditions() }).expect("removed");
        assert!(!path.exists());
        assert!(!plans.remove(GAME, "besiegers").expect("a store"));
    }

    #[test]
    fn conditions_with_a_strange_name_or_content_are_refused() {
        for (_home, folders) in homes() {
            let plans = Plans::new(&folders);
            for (game, side) in [("../../etc/passwd", "white"), (GAME, "../white"), (GAME, ""), ("short", "white")] {
                assert!(matches!(plans.read(game, side), Err(ConditionsError::Name(_))), "{game} {side}");
            }
            plans.keep(&conditions()).expect("kept");
            let (path, other) = (plans.path(GAME, "besiegers").unwrap(), plans.path(GAME, "defenders").unwrap());
            folders.disk.rename(&path, &other).expect("moved");
            assert!(matches!(plans.read(GAME, "defenders"), Err(ConditionsError::Garbled(_))));
            folders.disk.put_private(&other, b"[]").expect("a file");
            assert!(matches!(plans.read(GAME, "defenders"), Err(ConditionsError::Garbled(_))));
        }
    }
}
