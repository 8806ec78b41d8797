//! The folders for settings and data.

#[cfg(any(unix, windows))]
use std::env;
#[cfg(any(unix, windows))]
use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(any(unix, windows))]
use std::path::{Path, absolute};

#[cfg(any(unix, windows))]
use etcetera::BaseStrategy;

use crate::disk::{Disk, Memory};
#[cfg(any(unix, windows))]
use crate::settings_error::{HOME_VARIABLE, SettingsError};

/// The folders of settings and data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Contains `settings.yaml`.
    pub config: PathBuf,
    /// Contains the default outbox and the notes of what was sent.
    pub data: PathBuf,
    /// Where the files in them are.
    pub disk: Disk,
}

impl Folders {
    /// Finds the folders: `POSTRIDER_HOME` (with the settings in it and the data in `data` below) if it is set,
    /// otherwise `postrider` in the platform's usual places (on Unix, those of the XDG base directory specification).
    /// Creates none.
    ///
    /// # Errors
    ///
    /// [`SettingsError::NoHome`] if neither that variable nor a home folder is known.
    #[cfg(any(unix, windows))]
    pub fn find() -> Result<Self, SettingsError> {
        Self::find_with(env::var_os(HOME_VARIABLE))
    }

    /// Like [`Folders::find`], given the value of `POSTRIDER_HOME`.
    #[cfg(any(unix, windows))]
    pub(crate) fn find_with(home: Option<OsString>) -> Result<Self, SettingsError> {
        if let Some(home) = home.filter(|home| !home.is_empty()) {
            return Ok(Self::at(&absolute(home).map_err(|_| SettingsError::NoHome)?));
        }
        let base = etcetera::choose_base_strategy().map_err(|_| SettingsError::NoHome)?;
        let (config, data) = (base.config_dir().join("postrider"), base.data_dir().join("postrider"));
        Ok(Self { config, data, disk: Disk::real() })
    }

    /// Returns the folders for a `POSTRIDER_HOME` of `home`.
    #[cfg(any(unix, windows))]
    #[must_use]
    pub fn at(home: &Path) -> Self {
        Self { config: home.to_owned(), data: home.join("data"), disk: Disk::real() }
    }

    /// Returns the folders of a home in memory: its root, with the settings, and the data in `data` below.
    #[must_use]
    pub fn in_memory(memory: &Memory) -> Self {
        Self { config: PathBuf::new(), data: PathBuf::from("data"), disk: memory.disk() }
    }

    /// Returns the settings file, which need not exist.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.config.join("settings.yaml")
    }

    /// Returns the file that lists the lessons which were done.
    #[must_use]
    pub fn lessons(&self) -> PathBuf {
        self.data.join("lessons")
    }

    /// Returns the default outbox.
    #[must_use]
    pub fn outbox(&self) -> PathBuf {
        self.data.join("outbox")
    }

    /// Returns the folder for the secrets of sealed games.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.data.join("secrets")
    }

    /// The folder of what was sealed, hidden by the secrets.
    #[must_use]
    pub fn remembered(&self) -> PathBuf {
        self.data.join("remembered")
    }

    /// The folder of the games, if the settings name none.
    #[must_use]
    pub fn games(&self) -> PathBuf {
        self.data.join("games")
    }

    /// Returns the folder for games that others began and that have not been accepted yet.
    #[must_use]
    pub fn invitations(&self) -> PathBuf {
        self.data.join("invitations")
    }

    /// Returns the file that notes which messages have been read.
    #[must_use]
    pub fn received(&self) -> PathBuf {
        self.data.join("received")
    }

    /// Returns the file that notes where the games are.
    #[must_use]
    pub fn shelf(&self) -> PathBuf {
        self.data.join("shelf")
    }

    /// Returns the folder for the player's own key and the trusted keys.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.data.join("keys")
    }

    /// Returns the file that lists the games which came from a backup.
    #[must_use]
    pub fn restored(&self) -> PathBuf {
        self.data.join("restored")
    }

    /// Returns the folder for evidence that a player has signed two different entries for one turn.
    #[must_use]
    pub fn evidence(&self) -> PathBuf {
        self.data.join("evidence")
    }

    /// Returns the folder for what was last known of each game.
    #[must_use]
    pub fn known(&self) -> PathBuf {
        self.data.join("known")
    }

    /// Returns the folder for messages that are held back until the time of their entries has come.
    #[must_use]
    pub fn held_back(&self) -> PathBuf {
        self.data.join("held-back")
    }

    /// Returns the folder for the notes of when entries arrived.
    #[must_use]
    pub fn arrivals(&self) -> PathBuf {
        self.data.join("arrivals")
    }

    /// Returns the folder for what hosts have asked back.
    #[must_use]
    pub fn asked_back(&self) -> PathBuf {
        self.data.join("asked-back")
    }

    /// Returns the folder for what opponents have announced by letters.
    #[must_use]
    pub fn announced(&self) -> PathBuf {
        self.data.join("announced")
    }

    /// Returns the folder for the tokens of seats.
    #[must_use]
    pub fn seats(&self) -> PathBuf {
        self.data.join("seats")
    }

    /// Returns the file with the key that the dice of open games by mail come from.
    #[must_use]
    pub fn dice_key(&self) -> PathBuf {
        self.data.join("dice.key")
    }

    /// Returns the folder for the journals of what was signed.
    #[must_use]
    pub fn signed(&self) -> PathBuf {
        self.data.join("signed")
    }

    /// Returns the folder for the notes of which games are played on another machine.
    #[must_use]
    pub fn elsewhere(&self) -> PathBuf {
        self.data.join("elsewhere")
    }

    /// Returns the folder for conditional entries.
    #[must_use]
    pub fn conditions(&self) -> PathBuf {
        self.data.join("conditions")
    }

    /// Returns the folder for what a host keeps of people, games and letters.
    #[must_use]
    pub fn host(&self) -> PathBuf {
        self.data.join("host")
    }

    /// Returns the folder for the notes of what was sent.
    #[must_use]
    pub fn sent(&self) -> PathBuf {
        self.data.join("sent")
    }
}

/// Removes what killed programs have left in the data folders: files that they were writing, which could contain a
/// secret. What cannot be removed stays.
#[cfg(any(unix, windows))]
pub fn sweep(folders: &Folders) {
    // A host has folders within its own.
    crate::files::sweep_own_folders(&folders.data, 2);
}

/// The same for another folder to which letters are written.
#[cfg(any(unix, windows))]
pub fn sweep_outbox(outbox: &Path) {
    crate::files::sweep_folder(outbox, |_| true);
    for within in ["drafts", "tmp", "new"] {
        crate::files::sweep_folder(&outbox.join(within), |_| true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_folder_can_hold_everything() {
        let folders = Folders::find_with(Some("/games".into())).unwrap();
        assert_eq!(folders, Folders::at(Path::new("/games")));
        assert_eq!(folders.settings_file(), Path::new("/games/settings.yaml"));
        assert_eq!(folders.outbox(), Path::new("/games/data/outbox"));
        assert_eq!(folders.sent(), Path::new("/games/data/sent"));
    }

    #[test]
    fn a_relative_home_is_made_absolute() {
        assert!(Folders::find_with(Some("games".into())).unwrap().config.is_absolute());
    }

    #[test]
    fn an_empty_home_counts_as_none() {
        let name =
            |home| Folders::find_with(home).ok().and_then(|folders| folders.config.file_name().map(OsString::from));
        assert_eq!(name(Some(OsString::new())), name(None));
        assert_ne!(name(Some(OsString::new())), name(Some("elsewhere".into())));
    }
}
