//! The players' secrets of games with seals (Z2): a file a game and side, in a folder that nobody else may read. A secret never
//! stands in a record, a letter or a message of this program, but in a backup that was asked for.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::files::{FileError, create_private, is_private, private_folder};
use super::folders::Folders;
use crate::record::is_game_id;
use crate::sealing::Secret;

/// The secrets in a player's data folder.
#[derive(Clone, Debug)]
pub struct Secrets {
    folder: PathBuf,
}

/// A secret and whose it is.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The game's id.
    pub game: String,
    /// The side's word.
    pub side: String,
    /// The secret.
    pub secret: Secret,
}

/// Why a secret was not read or written. None of the texts holds any of it.
#[derive(Debug)]
pub enum SecretsError {
    /// A game's id or a side's word that can name no file.
    Name(String),
    /// Others may read the file or the folder.
    Exposed(PathBuf),
    /// The file does not hold 64 hexadecimal digits.
    Garbled(PathBuf),
    /// The other side's secret of the game is here: one player has one of them.
    OtherSide {
        /// The game's id.
        game: String,
        /// The side whose secret is here.
        here: String,
    },
    /// Another secret of the same game and side is here, and is not overwritten.
    Differs {
        /// The game's id.
        game: String,
        /// The side's word.
        side: String,
    },
    /// The system has no random numbers.
    Random(String),
    /// The system refused to read or make something.
    Io(PathBuf, io::Error),
    /// The file could not be written.
    File(FileError),
}

impl fmt::Display for SecretsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{name:?} cannot name a secret: it takes a game's id and a side's word"),
            Self::Exposed(path) => write!(
                f,
                "others may read {}, so it is not used; `chmod go= {}` closes it",
                path.display(),
                path.display()
            ),
            Self::Garbled(path) => {
                write!(f, "{} should hold a secret, 64 hexadecimal digits, and does not", path.display())
            }
            Self::OtherSide { game, here } => write!(
                f,
                "this key store has the secret of {here} in {game}: whoever plays {here} cannot seal for the other side"
            ),
            Self::Differs { game, side } => {
                write!(f, "another secret of {side} in {game} is in this key store, and is not overwritten")
            }
            Self::Random(why) => write!(f, "the system has no random numbers: {why}"),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SecretsError {}

impl From<FileError> for SecretsError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// The longest file that is looked at: a secret has 64 digits and a line end.
const LONGEST: u64 = 256;

impl Secrets {
    /// The secrets in these folders. Makes nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { folder: folders.secrets() }
    }

    /// The file of a game and a side.
    ///
    /// # Errors
    /// When they can name no file.
    pub fn path(&self, game: &str, side: &str) -> Result<PathBuf, SecretsError> {
        let name = file_name(game, side).ok_or_else(|| SecretsError::Name(format!("{game} {side}")))?;
        Ok(self.folder.join(name))
    }

    /// Reads the secret of a game and a side; nothing if there is none.
    ///
    /// # Errors
    /// When others may read it, it is no secret, or the system refuses.
    pub fn read(&self, game: &str, side: &str) -> Result<Option<Secret>, SecretsError> {
        let path = self.path(game, side)?;
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SecretsError::Io(path, error)),
        };
        closed(
            &self.folder,
            &fs::metadata(&self.folder).map_err(|error| SecretsError::Io(self.folder.clone(), error))?,
        )?;
        closed(&path, &file.metadata().map_err(|error| SecretsError::Io(path.clone(), error))?)?;
        let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize));
        file.take(LONGEST).read_to_string(&mut text).map_err(|error| SecretsError::Io(path.clone(), error))?;
        match Secret::read(text.trim_end_matches(['\n', '\r'])) {
            Some(secret) => Ok(Some(secret)),
            None => Err(SecretsError::Garbled(path)),
        }
    }

    /// Makes a secret of the system's random numbers for a game and a side that have none, and keeps it.
    ///
    /// # Errors
    /// Those of [`Secrets::keep`], and when there are no random numbers.
    pub fn make(&self, game: &str, side: &str) -> Result<Secret, SecretsError> {
        let secret = random_secret()?;
        self.keep(game, side, &secret)?;
        Ok(secret)
    }

    /// Keeps a secret, and returns whether it was not here before.
    ///
    /// # Errors
    /// When the other side's secret is here, or another one of this side; when the system refuses.
    pub fn keep(&self, game: &str, side: &str, secret: &Secret) -> Result<bool, SecretsError> {
        let path = self.path(game, side)?;
        private_folder(&self.folder).map_err(|error| SecretsError::Io(self.folder.clone(), error))?;
        closed(
            &self.folder,
            &fs::metadata(&self.folder).map_err(|error| SecretsError::Io(self.folder.clone(), error))?,
        )?;
        if let Some(here) = self.sides(game)?.into_iter().find(|here| here != side) {
            return Err(SecretsError::OtherSide { game: game.to_owned(), here });
        }
        let line = Zeroizing::new(format!("{}\n", *secret.reveal()));
        match create_private(&path, line.as_bytes()) {
            Ok(()) => Ok(true),
            Err(FileError::Exists { .. }) => match self.read(game, side)? {
                Some(there) if there == *secret => Ok(false),
                _ => Err(SecretsError::Differs { game: game.to_owned(), side: side.to_owned() }),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// The sides whose secrets of a game are here.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn sides(&self, game: &str) -> Result<Vec<String>, SecretsError> {
        let names = self.names()?;
        Ok(names.into_iter().filter(|(other, _)| other == game).map(|(_, side)| side).collect())
    }

    /// All secrets, by game and side.
    ///
    /// # Errors
    /// When the folder or a secret in it cannot be read.
    pub fn all(&self) -> Result<Vec<Kept>, SecretsError> {
        let mut list = Vec::new();
        for (game, side) in self.names()? {
            if let Some(secret) = self.read(&game, &side)? {
                list.push(Kept { game, side, secret });
            }
        }
        Ok(list)
    }

    fn names(&self) -> Result<Vec<(String, String)>, SecretsError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(SecretsError::Io(self.folder.clone(), error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| SecretsError::Io(self.folder.clone(), error))?;
            let name = entry.file_name();
            if let Some((game, side)) = name.to_str().and_then(|name| name.split_once('.'))
                && self.path(game, side).is_ok()
            {
                names.push((game.to_owned(), side.to_owned()));
            }
        }
        names.sort();
        Ok(names)
    }
}

/// A secret of the system's random numbers.
///
/// # Errors
/// When there are none.
pub fn random_secret() -> Result<Secret, SecretsError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| SecretsError::Random(error.to_string()))?;
    Ok(Secret::take(&mut bytes))
}

/// The name of the file of a game and a side; nothing where they can name none.
pub(super) fn file_name(game: &str, side: &str) -> Option<String> {
    let plain = !side.is_empty() && side.len() <= 32 && side.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_game_id(game) && plain).then(|| format!("{game}.{side}"))
}

/// Refuses what others may read.
pub(super) fn closed(path: &Path, metadata: &fs::Metadata) -> Result<(), SecretsError> {
    if is_private(metadata) { Ok(()) } else { Err(SecretsError::Exposed(path.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "assassyn-test-1";

    fn store() -> (tempfile::TempDir, Secrets) {
        let home = tempfile::tempdir().expect("a folder");
        let secrets = Secrets::new(&Folders::at(home.path()));
        (home, secrets)
    }

    #[test]
    fn z2_a_secret_is_made_once_and_is_its_players_alone() {
        let (_home, secrets) = store();
        assert!(secrets.read(GAME, "white").expect("a store").is_none());
        let made = secrets.make(GAME, "white").expect("a secret");
        assert_eq!(secrets.read(GAME, "white").expect("a store"), Some(made.clone()));
        assert!(!secrets.keep(GAME, "white", &made).expect("the same"), "it was here before");
        let other = random_secret().expect("a secret");
        assert!(matches!(secrets.keep(GAME, "white", &other), Err(SecretsError::Differs { .. })));
        assert!(matches!(secrets.make(GAME, "black"), Err(SecretsError::OtherSide { .. })));
        assert!(secrets.make("assassyn-test-2", "black").is_ok(), "another game");
        assert_eq!(secrets.all().expect("a store").len(), 2);
    }

    #[test]
    #[cfg(unix)]
    fn z2_what_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (home, secrets) = store();
        secrets.make(GAME, "white").expect("a secret");
        let path = secrets.path(GAME, "white").expect("a path");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&home.path().join("data/secrets"))), (0o600, 0o700));
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        set(&path, 0o640);
        assert!(matches!(secrets.read(GAME, "white"), Err(SecretsError::Exposed(_))));
        set(&path, 0o600);
        set(&home.path().join("data/secrets"), 0o711);
        assert!(matches!(secrets.read(GAME, "white"), Err(SecretsError::Exposed(_))));
    }

    #[test]
    fn z2_no_path_comes_from_data_and_no_error_holds_a_secret() {
        let (_home, secrets) = store();
        for (game, side) in [("../../etc/passwd", "white"), (GAME, "../white"), (GAME, ""), ("short", "white")] {
            assert!(matches!(secrets.read(game, side), Err(SecretsError::Name(_))), "{game} {side}");
        }
        secrets.make(GAME, "white").expect("a secret");
        let path = secrets.path(GAME, "white").expect("a path");
        fs::write(&path, "5ec2e7".repeat(9)).expect("a file");
        let error = secrets.read(GAME, "white").expect_err("no secret");
        assert!(!format!("{error} {error:?}").contains("5ec2e7"), "{error}");
    }
}
