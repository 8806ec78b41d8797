//! The player's secrets for games with seals (Z2): one file per game and side, in a folder that nobody else may read. A
//! secret is never in a record, a letter or a message of this program, only in a backup that the player asked for.
//!
//! A secret serves one game, and an id does not identify it, because the player who begins a game chooses the id. So
//! the hash of the game's header is stored with the secret, and a game with another header cannot use it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use postrider_disk::disk::{About, Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_disk::no_core::no_core;
use postrider_disk::random::Random;
use postrider_disk::remedy::{Remedy, remedy};
use postrider_referee::record::is_game_id;
use postrider_referee::sealing::Secret;

/// The secrets in a player's data folder.
#[derive(Clone, Debug)]
pub struct Secrets {
    disk: Disk,
    folder: PathBuf,
    /// Whether those of both sides of a game may be here, as in the home of a host (Z40).
    both: bool,
    /// Those of the game at hand, as they were read last. Copies of a store share them.
    read: Arc<Mutex<Vec<Kept>>>,
}

/// How many secrets are held in memory: those of both sides of one game.
const AT_HAND: usize = 2;

/// A secret, and its game and side.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The game's id.
    pub game: String,
    /// The name of the side.
    pub side: String,
    pub secret: Secret,
    /// The hash of the game's header; `None` for a secret that was created before these were stored.
    pub header: Option<[u8; 32]>,
}

impl Kept {
    fn of(game: &str, side: &str, secret: &Secret, header: Option<&[u8; 32]>) -> Self {
        Self { game: game.to_owned(), side: side.to_owned(), secret: secret.clone(), header: header.copied() }
    }
}

/// Why a secret could not be read or written. No error text contains any part of it.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// A game's id or a side's name that cannot be used in a file name.
    #[error("{0:?} cannot name a secret: it takes a game's id and a side's word")]
    Name(String),
    /// Others may read the file or the folder.
    #[error("others may read {}, so it is not used; `{}` closes it", .0.display(), remedy(Remedy::Close, .0))]
    Exposed(PathBuf),
    /// The file or the folder belongs to another user.
    #[error(
        "{} belongs to another user, so it is not used; `{}` makes it yours, if it should be",
        .0.display(),
        remedy(Remedy::TakeOver, .0)
    )]
    Foreign(PathBuf),
    /// Others may write to the folder, and could replace this store with another one.
    #[error(
        "others may write to {}, and so replace what is in it; it is not used; `{}` closes it",
        .0.display(),
        remedy(Remedy::KeepFromWriting, .0)
    )]
    Writable(PathBuf),
    /// The file does not contain 64 hexadecimal digits.
    #[error("{0} should hold a secret, 64 hexadecimal digits, and does not")]
    Garbled(PathBuf),
    /// The other side's secret for this game is here, but a player has only one of the two.
    #[error("the secret of {here} in {game} is kept here: the player of {here} cannot seal for the other side")]
    OtherSide {
        /// The game's id.
        game: String,
        /// The side whose secret is here.
        here: String,
    },
    /// The secret under this id is that of another game.
    #[error(
        "the secret that is kept here for {game} is of a game with another header: a secret serves one game only, so nothing is \
         sealed or opened by it here"
    )]
    OtherGame {
        /// The game's id.
        game: String,
    },
    /// Another secret for the same game and side is here, and is not overwritten.
    #[error("another secret of {side} in {game} is kept here, and is not overwritten")]
    Differs {
        /// The game's id.
        game: String,
        /// The name of the side.
        side: String,
    },
    /// The system has no source of randomness.
    #[error("the system has no random numbers: {0}")]
    Random(String),
    /// The system refused to read or create something.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The longest file that is read: two lines with 64 digits each.
const LONGEST: u64 = 256;

impl Secrets {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.secrets(), both: false, read: Arc::default() }
    }

    /// Lets it hold the secrets of both sides of a game, as in the home of a host, who keeps one for each (Z40).
    #[must_use]
    pub fn of_both(self, both: bool) -> Self {
        Self { both, ..self }
    }

    /// Returns the file for a game and a side.
    ///
    /// # Errors
    /// If they cannot be used in a file name.
    pub fn path(&self, game: &str, side: &str) -> Result<PathBuf, SecretsError> {
        let name = file_name(game, side).ok_or_else(|| SecretsError::Name(format!("{game} {side}")))?;
        Ok(self.folder.join(name))
    }

    /// Reads the secret for a game and a side, whatever its header; `None` if there is none.
    ///
    /// # Errors
    /// If others may read it, it is not a secret, or the system refuses.
    pub fn read(&self, game: &str, side: &str) -> Result<Option<Kept>, SecretsError> {
        if let Some(kept) = self.at_hand().iter().find(|kept| kept.game == game && kept.side == side) {
            return Ok(Some(kept.clone()));
        }
        let kept = self.read_file(game, side)?;
        if let Some(kept) = &kept {
            self.hold(kept.clone());
        }
        Ok(kept)
    }

    fn at_hand(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a secret that is in its file, in place of the one that was used longest ago.
    fn hold(&self, kept: Kept) {
        let mut there = self.at_hand();
        there.retain(|other| other.game != kept.game || other.side != kept.side);
        if there.len() >= AT_HAND {
            there.remove(0);
        }
        there.push(kept);
    }

    fn read_file(&self, game: &str, side: &str) -> Result<Option<Kept>, SecretsError> {
        let path = self.path(game, side)?;
        let file = match self.disk.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SecretsError::Io(path, error)),
        };
        no_core();
        closed_folder(&self.disk, &self.folder)?;
        closed(&path, &file.about().map_err(|error| SecretsError::Io(path.clone(), error))?)?;
        let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize));
        file.take(LONGEST).read_to_string(&mut text).map_err(|error| SecretsError::Io(path.clone(), error))?;
        let mut lines = text.lines();
        let secret = lines.next().and_then(Secret::read);
        let header = match lines.next() {
            None => Some(None),
            Some(line) => line.strip_prefix("header ").and_then(read_hash).map(Some),
        };
        match (secret, header, lines.next()) {
            (Some(secret), Some(header), None) => {
                Ok(Some(Kept { game: game.to_owned(), side: side.to_owned(), secret, header }))
            }
            _ => Err(SecretsError::Garbled(path)),
        }
    }

    /// Reads a side's secret for the game with this header; `None` if there is none for its id.
    ///
    /// # Errors
    /// The errors of [`Secrets::read`]; if the secret is for a game with another header.
    pub fn read_for(&self, game: &str, side: &str, header: &[u8; 32]) -> Result<Option<Secret>, SecretsError> {
        match self.read(game, side)? {
            Some(Kept { header: Some(other), .. }) if other != *header => {
                Err(SecretsError::OtherGame { game: game.to_owned() })
            }
            kept => Ok(kept.map(|kept| kept.secret)),
        }
    }

    /// Returns whether the secret under this id is known to be for the game with this header; `None` if there is no
    /// secret.
    ///
    /// # Errors
    /// The errors of [`Secrets::read`].
    pub fn belongs(&self, game: &str, side: &str, header: &[u8; 32]) -> Result<Option<bool>, SecretsError> {
        Ok(self.read(game, side)?.map(|kept| kept.header == Some(*header)))
    }

    /// The same for use in that game: a secret that was created before headers were stored is bound to it.
    ///
    /// # Errors
    /// The errors of [`Secrets::read_for`]; if the system refuses.
    pub fn read_to_use(&self, game: &str, side: &str, header: &[u8; 32]) -> Result<Option<Secret>, SecretsError> {
        let kept = self.read(game, side)?;
        match &kept {
            Some(Kept { header: None, secret, .. }) => {
                self.disk.put_private(&self.path(game, side)?, lines_of(secret, Some(header)).as_bytes())?;
                self.hold(Kept::of(game, side, secret, Some(header)));
            }
            Some(Kept { header: Some(other), .. }) if other != header => {
                return Err(SecretsError::OtherGame { game: game.to_owned() });
            }
            _ => {}
        }
        Ok(kept.map(|kept| kept.secret))
    }

    /// Creates a secret from random numbers for a side of the game with this header, and stores it.
    ///
    /// # Errors
    /// The errors of [`Secrets::keep`]; if there are no random numbers.
    pub fn make(&self, game: &str, side: &str, header: &[u8; 32], random: Random<'_>) -> Result<Secret, SecretsError> {
        let secret = random_secret(random)?;
        self.keep(game, side, &secret, Some(header))?;
        Ok(secret)
    }

    /// Stores a secret; returns whether it is new.
    ///
    /// # Errors
    /// If the other side's secret is here, or another one for this side; if the system refuses.
    pub fn keep(
        &self,
        game: &str,
        side: &str,
        secret: &Secret,
        header: Option<&[u8; 32]>,
    ) -> Result<bool, SecretsError> {
        let path = self.path(game, side)?;
        self.disk.private_folder(&self.folder).map_err(|error| SecretsError::Io(self.folder.clone(), error))?;
        closed_folder(&self.disk, &self.folder)?;
        if !self.both
            && let Some(here) = self.sides(game)?.into_iter().find(|here| here != side)
        {
            return Err(SecretsError::OtherSide { game: game.to_owned(), here });
        }
        match self.disk.create_private(&path, lines_of(secret, header).as_bytes()) {
            Ok(()) => Ok(true),
            Err(FileError::Exists { .. }) => match self.read_file(game, side)? {
                Some(there) if there.secret == *secret && (header.is_none() || there.header.as_ref() == header) => {
                    Ok(false)
                }
                _ => Err(SecretsError::Differs { game: game.to_owned(), side: side.to_owned() }),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the sides whose secrets for a game are here.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sides(&self, game: &str) -> Result<Vec<String>, SecretsError> {
        let names = self.names()?;
        Ok(names.into_iter().filter(|(other, _)| other == game).map(|(_, side)| side).collect())
    }

    /// Returns all secrets, by game and side.
    ///
    /// # Errors
    /// If the folder or a secret in it cannot be read.
    pub fn all(&self) -> Result<Vec<Kept>, SecretsError> {
        let mut list = Vec::new();
        for (game, side) in self.names()? {
            list.extend(self.read(&game, &side)?);
        }
        Ok(list)
    }

    fn names(&self) -> Result<Vec<(String, String)>, SecretsError> {
        let listed = self.disk.list_if_there(&self.folder);
        let listed = listed.map_err(|error| SecretsError::Io(self.folder.clone(), error))?;
        let mut names = Vec::new();
        for one in listed {
            if let Some((game, side)) = one.name.to_str().and_then(|name| name.split_once('.'))
                && self.path(game, side).is_ok()
            {
                names.push((game.to_owned(), side.to_owned()));
            }
        }
        names.sort();
        Ok(names)
    }
}

/// The lines of a secret's file.
fn lines_of(secret: &Secret, header: Option<&[u8; 32]>) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize));
    text.push_str(&secret.reveal());
    text.push('\n');
    if let Some(header) = header {
        text.push_str("header ");
        text.push_str(&HEXLOWER.encode(header));
        text.push('\n');
    }
    text
}

/// Reads the hash of a header: 64 lower-case hexadecimal digits.
pub(crate) fn read_hash(text: &str) -> Option<[u8; 32]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// Creates a secret from random numbers.
///
/// # Errors
/// If there are none.
pub(crate) fn random_secret(random: Random<'_>) -> Result<Secret, SecretsError> {
    no_core();
    let mut bytes = [0; 32];
    random(&mut bytes).map_err(SecretsError::Random)?;
    Ok(Secret::take(&mut bytes))
}

/// The file name for a game and a side; `None` if they cannot be used in one.
pub(crate) fn file_name(game: &str, side: &str) -> Option<String> {
    let plain = !side.is_empty() && side.len() <= 32 && side.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_game_id(game) && plain).then(|| format!("{game}.{side}"))
}

/// Reads the first bytes of a file that must be the user's alone, no more than `most`; `None` if there is none.
///
/// # Errors
/// If others may read it, or the system refuses.
pub fn read_private(disk: &Disk, path: &Path, most: u64) -> Result<Option<Zeroizing<Vec<u8>>>, SecretsError> {
    let io = |error| SecretsError::Io(path.to_owned(), error);
    let file = match disk.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    closed(path, &file.about().map_err(io)?)?;
    no_core();
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST as usize));
    file.take(most).read_to_end(&mut bytes).map_err(io)?;
    Ok(Some(bytes))
}

/// Refuses a file that others may read.
pub(crate) fn closed(path: &Path, about: &About) -> Result<(), SecretsError> {
    if !about.is_own() {
        return Err(SecretsError::Foreign(path.to_owned()));
    }
    if about.is_private() { Ok(()) } else { Err(SecretsError::Exposed(path.to_owned())) }
}

/// Refuses a file that others may write to, or that belongs to another user: what it says was not said by this user.
pub(crate) fn unwritten(path: &Path, about: &About) -> Result<(), SecretsError> {
    if !about.is_own() {
        return Err(SecretsError::Foreign(path.to_owned()));
    }
    if about.is_writable_by_others() { Err(SecretsError::Writable(path.to_owned())) } else { Ok(()) }
}

/// Refuses a folder for secrets or keys that others may open, that does not belong to the user, or that is in a folder
/// where others could replace it.
pub(crate) fn closed_folder(disk: &Disk, folder: &Path) -> Result<(), SecretsError> {
    let about = |path: &Path| disk.about(path).map_err(|error| SecretsError::Io(path.to_owned(), error));
    closed(folder, &about(folder)?)?;
    let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) else { return Ok(()) };
    let found = about(above)?;
    if !found.is_own() {
        return Err(SecretsError::Foreign(above.to_owned()));
    }
    if found.is_writable_by_others() { Err(SecretsError::Writable(above.to_owned())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use postrider_disk::random::random;
    use postrider_disk::testing::{Home, homes};

    const GAME: &str = "assassyn-test-1";
    const HEADER: [u8; 32] = [7; 32];

    #[test]
    fn z23_a_secret_serves_one_header_only() {
        for (_home, secrets) in stores() {
            let made = secrets.make(GAME, "white", &HEADER, &random).expect("a secret");
            let other = secrets.read_for(GAME, "white", &[8; 32]);
            assert!(matches!(other, Err(SecretsError::OtherGame { .. })));
            assert_eq!(secrets.belongs(GAME, "white", &HEADER).expect("a store"), Some(true));
            assert_eq!(secrets.belongs(GAME, "white", &[8; 32]).expect("a store"), Some(false));
            assert_eq!(secrets.belongs(GAME, "black", &HEADER).expect("a store"), None);
            // A secret that was created before headers were stored is bound to the first game that uses it.
            let old = "assassyn-test-2";
            secrets.keep(old, "white", &made, None).expect("an old one");
            assert_eq!(secrets.read_for(old, "white", &[8; 32]).expect("a store"), Some(made.clone()));
            secrets.read_to_use(old, "white", &HEADER).expect("bound");
            assert!(matches!(secrets.read_to_use(old, "white", &[8; 32]), Err(SecretsError::OtherGame { .. })));
            assert_eq!(secrets.read_for(old, "white", &HEADER).expect("a store"), Some(made));
        }
    }

    fn stores() -> [(Home, Secrets); 2] {
        homes().map(|(home, folders)| (home, Secrets::new(&folders)))
    }

    #[test]
    fn z2_a_secret_is_created_once_and_is_private_to_its_player() {
        for (_home, secrets) in stores() {
            assert!(secrets.read(GAME, "white").expect("a store").is_none());
            let made = secrets.make(GAME, "white", &HEADER, &random).expect("a secret");
            assert_eq!(secrets.read_for(GAME, "white", &HEADER).expect("a store"), Some(made.clone()));
            assert!(!secrets.keep(GAME, "white", &made, Some(&HEADER)).expect("the same"), "it was here before");
            let other = random_secret(&random).expect("a secret");
            assert!(matches!(secrets.keep(GAME, "white", &other, None), Err(SecretsError::Differs { .. })));
            assert!(matches!(secrets.make(GAME, "black", &HEADER, &random), Err(SecretsError::OtherSide { .. })));
            assert!(secrets.make("assassyn-test-2", "black", &HEADER, &random).is_ok(), "another game");
            assert_eq!(secrets.all().expect("a store").len(), 2);
        }
    }

    #[test]
    #[cfg(unix)]
    fn z2_a_secret_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let [(_home, secrets), _] = stores();
        let folder = secrets.folder.clone();
        secrets.make(GAME, "white", &HEADER, &random).expect("a secret");
        let path = secrets.path(GAME, "white").expect("a path");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        set(&path, 0o640);
        assert!(matches!(secrets.read(GAME, "white"), Err(SecretsError::Exposed(_))));
        set(&path, 0o600);
        set(&folder, 0o711);
        assert!(matches!(secrets.read(GAME, "white"), Err(SecretsError::Exposed(_))));
    }

    #[test]
    fn z2_no_path_comes_from_data_and_no_error_contains_a_secret() {
        for (_home, secrets) in stores() {
            for (game, side) in [("../../etc/passwd", "white"), (GAME, "../white"), (GAME, ""), ("short", "white")] {
                assert!(matches!(secrets.read(game, side), Err(SecretsError::Name(_))), "{game} {side}");
            }
            secrets.make(GAME, "white", &HEADER, &random).expect("a secret");
            let path = secrets.path(GAME, "white").expect("a path");
            secrets.disk.put_private(&path, "5ec2e7".repeat(9).as_bytes()).expect("a file");
            let error = secrets.read(GAME, "white").expect_err("no secret");
            assert!(!format!("{error} {error:?}").contains("5ec2e7"), "{error}");
        }
    }
}
