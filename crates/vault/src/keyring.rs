//! The player's own key, which signs entries, and the trusted keys of opponents, in the folder `keys` of the data
//! folder. Only the player may read the folder; a key that others may read is not used.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

use crate::kept::{SecretsError, closed, closed_folder, unwritten};
use crate::locked::{LockFault, OwnKey, lock_key};
use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_disk::no_core::no_core;
use postrider_disk::random::Random;
use postrider_kernel::text::is_forbidden;
use postrider_mail::address::mailbox;
use postrider_referee::sealing::{SecretKey, predecessors};

/// The longest file that is read: a key has some 120 bytes, a locked one 500, and a thousand trusted ones fit.
const LONGEST: u64 = 128 * 1024;

/// The keys in a player's data folder.
#[derive(Clone)]
pub struct Keyring {
    pub(crate) disk: Disk,
    pub(crate) folder: PathBuf,
    /// The files that were read, by name. Copies of a keyring share them.
    read: Arc<Mutex<Texts>>,
}

/// The texts of files; nothing for a file that is not there.
type Texts = HashMap<PathBuf, Option<Zeroizing<String>>>;

impl fmt::Debug for Keyring {
    /// Shows where it is, and nothing of what was read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyring").field(&self.folder).finish()
    }
}

/// A key that the player trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    /// The key's fingerprint.
    pub fingerprint: String,
    /// The opponent's mail address, or name.
    pub who: String,
    /// Whether it is only the key that this opponent used first, not confirmed by the player.
    pub pinned: bool,
    /// The fingerprints of the keys that name it as their successor (Z37): games that were begun with them go on.
    pub former: Vec<String>,
}

/// Why a key could not be read or written. No error text contains any part of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// Others may read the file or the folder, or the system refuses; see [`SecretsError`].
    #[error(transparent)]
    Store(#[from] SecretsError),
    /// The file does not contain a key in the right form.
    #[error("{0} does not contain what it should")]
    Garbled(PathBuf),
    /// There is a key already, which is not overwritten.
    #[error("there is already a key, in {0}: it is not overwritten, for games may be signed by it")]
    There(PathBuf),
    /// Another key of this opponent is trusted.
    #[error("another key of {} is trusted: {}", .0.who, .0.fingerprint)]
    Differs(Trusted),
    /// Neither a name nor an address.
    #[error("an opponent is a mail address or a name, on one line")]
    Who,
    /// It cannot be locked.
    #[error(transparent)]
    Lock(LockFault),
    /// The file has no room for more.
    #[error("{0} has no room for another statement about a key")]
    Full(PathBuf),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Keyring {
    /// Makes the keyring for these folders. Creates nothing. Each of its files is read once, until something in it is changed here.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.keys(), read: Arc::default() }
    }

    /// Returns the file of the player's own key.
    #[must_use]
    pub fn own_file(&self) -> PathBuf {
        self.folder.join("own.pem")
    }

    fn trusted_file(&self) -> PathBuf {
        self.folder.join("trusted")
    }

    fn pinned_file(&self) -> PathBuf {
        self.folder.join("pinned")
    }

    /// Reads the player's own key, locked or not; nothing if there is none.
    ///
    /// # Errors
    /// When others may read it, it is no key, or the system refuses.
    pub fn own(&self) -> Result<Option<OwnKey>, KeyringError> {
        let path = self.own_file();
        let Some(text) = self.text(&path, true)? else { return Ok(None) };
        OwnKey::read(&text).map(Some).map_err(|_| KeyringError::Garbled(path))
    }

    /// Returns the contents of the file with the player's own key; `None` if there is none.
    ///
    /// # Errors
    /// As of [`Keyring::own`].
    pub fn own_text(&self) -> Result<Option<Zeroizing<String>>, KeyringError> {
        self.text(&self.own_file(), true)
    }

    /// Makes a key from random numbers and stores it, locked if there is a passphrase.
    ///
    /// # Errors
    /// If there is one already, there are no random numbers, or the system refuses.
    pub fn make(&self, passphrase: Option<&str>, random: Random<'_>) -> Result<SecretKey, KeyringError> {
        let key = random_key(random)?;
        self.keep(&written(&key, passphrase, random)?)?;
        Ok(key)
    }

    /// Replaces the player's own key by the same key with this passphrase, or with none. The new text is first read back.
    ///
    /// # Errors
    /// If the system refuses; the file is then unchanged.
    pub fn lock(&self, key: &SecretKey, passphrase: Option<&str>, random: Random<'_>) -> Result<(), KeyringError> {
        self.changed(|| {
            self.ready()?;
            let text = written(key, passphrase, random)?;
            let opens = match (OwnKey::read(&text), passphrase) {
                (Ok(OwnKey::Locked(locked)), Some(passphrase)) => locked.open(passphrase).ok(),
                (Ok(OwnKey::Open(key)), None) => Some(key),
                _ => None,
            };
            if opens.is_none_or(|there| there.public() != key.public()) {
                return Err(KeyringError::Lock(LockFault::NotLocked));
            }
            Ok(self.disk.put_private(&self.own_file(), text.as_bytes())?)
        })
    }

    /// Stores the text of a key as the player's own.
    ///
    /// # Errors
    /// If there is one already, or the system refuses.
    pub fn keep(&self, text: &str) -> Result<(), KeyringError> {
        self.changed(|| {
            self.ready()?;
            let path = self.own_file();
            match self.disk.create_private(&path, text.as_bytes()) {
                Err(FileError::Exists { .. }) => Err(KeyringError::There(path)),
                done => Ok(done?),
            }
        })
    }

    /// Returns the trusted keys: first those that were confirmed, then those that opponents used first.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn trusted(&self) -> Result<Vec<Trusted>, KeyringError> {
        let mut all = self.list(&self.trusted_file(), false)?;
        all.extend(self.list(&self.pinned_file(), true)?);
        let statements = self.statements()?;
        for one in &mut all {
            one.former = predecessors(&statements, &one.fingerprint);
        }
        Ok(all)
    }

    fn list(&self, path: &Path, pinned: bool) -> Result<Vec<Trusted>, KeyringError> {
        let Some(text) = self.text(path, false)? else { return Ok(Vec::new()) };
        text.lines()
            .map(|line| {
                let (fingerprint, who) = line.split_once(' ')?;
                Some(Trusted::new(fingerprint, who, pinned))
            })
            .collect::<Option<_>>()
            .ok_or_else(|| KeyringError::Garbled(path.to_owned()))
    }

    /// Trusts a key, given by its fingerprint, to belong to an opponent. `instead`: even if another key was trusted
    /// before.
    ///
    /// # Errors
    /// If another key of this opponent is trusted and is not to be replaced, or the system refuses.
    pub fn trust(&self, new: &Trusted, instead: bool) -> Result<(), KeyringError> {
        self.changed(|| {
            if new.who.trim().is_empty() || new.who.chars().any(is_forbidden) {
                return Err(KeyringError::Who);
            }
            let differs = |there: &&Trusted| there.is_of(&new.who) && there.fingerprint != new.fingerprint;
            let (mut all, mut pinned) =
                (self.list(&self.trusted_file(), false)?, self.list(&self.pinned_file(), true)?);
            if let Some(there) = all.iter().chain(&pinned).find(differs)
                && !instead
            {
                return Err(KeyringError::Differs(there.clone()));
            }
            all.retain(|there| !there.is_of(&new.who));
            all.push(new.clone());
            self.write(&self.trusted_file(), &all)?;
            // A key that was confirmed or replaced no longer counts as only seen first.
            let before = pinned.len();
            pinned.retain(|there| !there.is_of(&new.who));
            if pinned.len() < before { self.write(&self.pinned_file(), &pinned) } else { Ok(()) }
        })
    }

    /// Trusts no key of an opponent any longer, neither one that was confirmed nor one that was only seen first. Returns the keys that
    /// were trusted or seen.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn untrust(&self, who: &str) -> Result<Vec<Trusted>, KeyringError> {
        self.changed(|| {
            let mut gone = Vec::new();
            for (path, pinned) in [(self.trusted_file(), false), (self.pinned_file(), true)] {
                let (of, rest): (Vec<_>, Vec<_>) =
                    self.list(&path, pinned)?.into_iter().partition(|one| one.is_of(who) || one.fingerprint == who);
                if !of.is_empty() {
                    self.write(&path, &rest)?;
                    gone.extend(of);
                }
            }
            Ok(gone)
        })
    }

    /// Notes the key that an opponent uses first, by these names of the opponent. A key that is already trusted or noted stays.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn pin<'w>(&self, fingerprint: &str, names: impl IntoIterator<Item = &'w str>) -> Result<(), KeyringError> {
        self.changed_in(&self.pinned_file(), || {
            let (trusted, mut pinned) =
                (self.list(&self.trusted_file(), false)?, self.list(&self.pinned_file(), true)?);
            let before = pinned.len();
            for who in names {
                let fits = !who.trim().is_empty() && !who.chars().any(is_forbidden);
                if fits && !trusted.iter().chain(&pinned).any(|there| there.is_of(who)) {
                    pinned.push(Trusted::new(fingerprint, who, true));
                }
            }
            if pinned.len() > before { self.write(&self.pinned_file(), &pinned) } else { Ok(()) }
        })
    }

    fn write(&self, path: &Path, list: &[Trusted]) -> Result<(), KeyringError> {
        self.ready()?;
        let text: String = list.iter().map(|one| format!("{} {}\n", one.fingerprint, one.who)).collect();
        self.disk.put_private(path, text.as_bytes())?;
        self.texts().insert(path.to_owned(), Some(Zeroizing::new(text)));
        Ok(())
    }

    /// Forgets what was read: something is about to be changed, and other programs may have changed it meanwhile.
    pub fn forget(&self) {
        self.texts().clear();
    }

    /// Changes the stored keys under a lock, and reads them again afterwards.
    pub(crate) fn changed<T>(&self, change: impl FnOnce() -> Result<T, KeyringError>) -> Result<T, KeyringError> {
        self.forget();
        let done = change();
        self.forget();
        done
    }

    /// Changes one file of it. What else was read stays.
    fn changed_in<T>(&self, file: &Path, change: impl FnOnce() -> Result<T, KeyringError>) -> Result<T, KeyringError> {
        self.texts().remove(file);
        let done = change();
        if done.is_err() {
            self.texts().remove(file);
        }
        done
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the folder, for the user alone.
    pub(crate) fn ready(&self) -> Result<(), KeyringError> {
        self.disk.private_folder(&self.folder).map_err(|error| SecretsError::Io(self.folder.clone(), error))?;
        Ok(closed_folder(&self.disk, &self.folder)?)
    }

    /// Returns the text of a file in the folder; `None` if it does not exist. A secret file is refused if others may read it.
    pub(crate) fn text(&self, path: &Path, secret: bool) -> Result<Option<Zeroizing<String>>, KeyringError> {
        if let Some(text) = self.texts().get(path) {
            return Ok(text.clone());
        }
        let text = self.read(path, secret)?;
        self.texts().insert(path.to_owned(), text.clone());
        Ok(text)
    }

    fn read(&self, path: &Path, secret: bool) -> Result<Option<Zeroizing<String>>, KeyringError> {
        let io = |error| KeyringError::Store(SecretsError::Io(path.to_owned(), error));
        let file = match self.disk.open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(error)),
        };
        closed_folder(&self.disk, &self.folder)?;
        let about = file.about().map_err(io)?;
        if secret {
            no_core();
            closed(path, &about)?;
        } else {
            unwritten(path, &about)?;
        }
        // With enough capacity from the start, no copy of a key is left behind in memory.
        let mut text = Zeroizing::new(String::with_capacity(512));
        match file.take(LONGEST).read_to_string(&mut text) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(KeyringError::Garbled(path.to_owned())),
            Err(error) => Err(io(error)),
            Ok(_) => Ok(Some(text)),
        }
    }
}

/// Makes a key from random numbers. It is not stored yet.
///
/// # Errors
/// If there are none.
pub fn random_key(random: Random<'_>) -> Result<SecretKey, KeyringError> {
    no_core();
    let mut bytes = Zeroizing::new([0; 32]);
    random(bytes.as_mut()).map_err(SecretsError::Random)?;
    Ok(SecretKey::take(&mut bytes))
}

/// Returns the text of a key as it is stored, locked if there is a passphrase.
///
/// # Errors
/// If it cannot be locked.
pub fn written(
    key: &SecretKey,
    passphrase: Option<&str>,
    random: Random<'_>,
) -> Result<Zeroizing<String>, KeyringError> {
    match passphrase {
        None => Ok(key.reveal()),
        Some(passphrase) => lock_key(key, passphrase, random).map_err(KeyringError::Lock),
    }
}

impl Trusted {
    /// Makes one without predecessors.
    #[must_use]
    pub fn new(fingerprint: &str, who: &str, pinned: bool) -> Self {
        Self { fingerprint: fingerprint.to_owned(), who: who.to_owned(), pinned, former: Vec::new() }
    }

    /// Returns whether a key with this fingerprint is this one, or one before it.
    #[must_use]
    pub fn has(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.former.iter().any(|one| one == fingerprint)
    }

    /// Returns whether this key is of the opponent of this address or name. Letter case and anything after a `+` do not matter
    /// in an address, because such addresses lead to one mailbox.
    #[must_use]
    pub fn is_of(&self, who: &str) -> bool {
        self.who == who || who.contains('@') && mailbox(&self.who) == mailbox(who)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use postrider_disk::random::random;
    use postrider_disk::testing::{Home, homes};

    fn keyrings() -> [(Home, Keyring); 2] {
        homes().map(|(home, folders)| (home, Keyring::new(&folders)))
    }

    #[test]
    fn a_key_is_created_once_and_read_back() {
        for (_home, keyring) in keyrings() {
            assert!(keyring.own().expect("a store").is_none());
            let made = keyring.make(None, &random).expect("a key").public();
            assert_eq!(keyring.own().expect("a store").map(|key| key.public()), Some(made));
            assert!(matches!(keyring.make(None, &random), Err(KeyringError::There(_))));
            assert_eq!(keyring.own().expect("a store").map(|key| key.public()), Some(made));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_key_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let [(_home, keyring), _] = keyrings();
        keyring.make(None, &random).expect("a key");
        let path = keyring.own_file();
        let folder = path.parent().expect("a folder");
        let mode = |path: &std::path::Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(folder)), (0o600, 0o700));
        let set = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
            keyring.forget();
        };
        for (file, bad, good) in
            [(path.as_path(), 0o640, 0o600), (path.as_path(), 0o604, 0o600), (folder, 0o755, 0o700)]
        {
            set(file, bad);
            let error = keyring.own().expect_err("others may read it");
            assert!(matches!(error, KeyringError::Store(SecretsError::Exposed(_))), "{error}");
            set(file, good);
        }
        let above = folder.parent().expect("the data folder");
        for bad in [0o775, 0o757] {
            set(above, bad);
            let error = keyring.own().expect_err("others could put another key there");
            assert!(matches!(error, KeyringError::Store(SecretsError::Writable(_))), "{error}");
            assert!(error.to_string().contains("`chmod go-w "), "{error}");
        }
        set(above, 0o755);
        assert!(keyring.own().expect("a store").is_some());
        // Only root can give a file to another user.
        if std::os::unix::fs::chown(&path, Some(54_321), None).is_ok() {
            keyring.forget();
            let error = keyring.own().expect_err("another user's");
            assert!(matches!(error, KeyringError::Store(SecretsError::Foreign(_))), "{error}");
            assert!(error.to_string().contains("chown"), "{error}");
        }
    }

    #[test]
    fn no_error_holds_a_key() {
        for (_home, keyring) in keyrings() {
            let text = keyring.make(None, &random).expect("a key").reveal();
            keyring.disk.put_private(&keyring.own_file(), text.replace("END", "EDN").as_bytes()).expect("a file");
            keyring.forget();
            let error = keyring.own().expect_err("no key");
            let line = text.lines().nth(1).expect("the key");
            assert!(!format!("{error} {error:?}").contains(line), "{error}");
        }
    }

    #[test]
    fn one_key_of_an_opponent_is_trusted_at_a_time() {
        for (_home, keyring) in keyrings() {
            let of = |who: &str, fingerprint: &str| Trusted::new(fingerprint, who, false);
            keyring.trust(&of("Bram@example.net", "aaaa"), false).expect("trust");
            keyring.trust(&of("Cleo Post", "cccc"), false).expect("trust");
            keyring.trust(&of("bram@example.net", "aaaa"), false).expect("the same");
            assert!(matches!(keyring.trust(&of("bram@example.NET", "bbbb"), false), Err(KeyringError::Differs(_))));
            keyring.trust(&of("bram@example.net", "bbbb"), true).expect("another, as asked for");
            assert_eq!(keyring.trusted().expect("a file"), [of("Cleo Post", "cccc"), of("bram@example.net", "bbbb")]);
            assert!(!of("Cleo Post", "cccc").is_of("cleo post"), "letter case matters in a name");
            for who in ["", " ", "a\nb"] {
                assert!(matches!(keyring.trust(&of(who, "dddd"), false), Err(KeyringError::Who)), "{who:?}");
            }
        }
    }

    #[test]
    fn the_first_key_used_is_pinned_until_another_is_trusted() {
        for (_home, keyring) in keyrings() {
            keyring.pin("aaaa", ["bram@example.net"]).expect("a pin");
            keyring.pin("bbbb", ["Bram@example.net"]).expect("the first one stays");
            let of = |fingerprint: &str, pinned| Trusted::new(fingerprint, "bram@example.net", pinned);
            assert_eq!(keyring.trusted().expect("a file"), [of("aaaa", true)]);
            assert!(matches!(keyring.trust(&of("bbbb", false), false), Err(KeyringError::Differs(_))));
            keyring.trust(&of("aaaa", false), false).expect("confirmed");
            assert_eq!(keyring.trusted().expect("a file"), [of("aaaa", false)]);
            keyring.pin("bbbb", ["bram@example.net"]).expect("a trusted one stays");
            assert_eq!(keyring.trusted().expect("a file"), [of("aaaa", false)]);
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_list_of_trusted_keys_is_private_to_the_player() {
        use std::os::unix::fs::PermissionsExt;
        let [(_home, keyring), _] = keyrings();
        let bram = Trusted::new("aaaa", "Bram", false);
        keyring.trust(&bram, false).expect("trust");
        let mode = fs::metadata(keyring.trusted_file()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
