//! The entries that hosts have asked for again because of their times, until they are dated anew: one file per game in the data folder,
//! with the host's signed statement. If a file is lost, the host sends the statement again.

use std::io;
use std::path::PathBuf;

use postrider_disk::disk::{Disk, FileError, Step};
use postrider_disk::folders::Folders;
use postrider_referee::record::is_game_id;
use postrider_referee::sealing::AskedBack;

/// The longest such file, in bytes.
const MOST: u64 = 1_000;

/// The entries that hosts have asked for again, in a player's data folder.
#[derive(Clone, Debug)]
pub struct AskedBackNotes {
    disk: Disk,
    folder: PathBuf,
}

impl AskedBackNotes {
    /// Makes the notes for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.asked_back() }
    }

    /// Returns what was asked back of a game, as the host said it; whether it holds for the record is not known.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn of(&self, game: &str) -> io::Result<Option<AskedBack>> {
        if !is_game_id(game) {
            return Ok(None);
        }
        let bytes = self.disk.read_if_there(&self.folder.join(game), MOST)?;
        let asked = bytes.and_then(|bytes| AskedBack::read(&String::from_utf8_lossy(&bytes)));
        Ok(asked.filter(|asked| asked.game == game))
    }

    /// Notes what was asked back, in place of what was asked back of the same game before.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn keep(&self, asked: &AskedBack) -> Result<(), FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        self.disk.private_folder(&self.folder).map_err(failed)?;
        // It was read as the id of a game.
        self.disk.put_private(&self.folder.join(&asked.game), format!("{}\n", asked.line()).as_bytes())
    }

    /// Forgets what was asked back of a game.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn forget(&self, game: &str) -> Result<(), FileError> {
        if is_game_id(game) { self.disk.remove(&self.folder.join(game)).map(drop) } else { Ok(()) }
    }
}
