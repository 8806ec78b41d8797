//! What was said of keys: the statements that withdraw one or name its successor, as they came, and the player's own keys that have a
//! successor but still sign the games that declare them. In the folder `keys`, beside the list of trusted keys.

use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::kept::SecretsError;
use crate::keyring::{Keyring, KeyringError, written};
use crate::locked::OwnKey;
use postrider_disk::disk::FileError;
use postrider_disk::random::Random;
use postrider_referee::sealing::{PublicKey, SecretKey, Statement};

/// How many statements are kept of one key: a withdrawal, and two successors, which contradict each other. More say nothing more.
const OF_ONE_KEY: usize = 3;
/// How many are kept in all.
const MOST: usize = 300;
/// What the files of former keys begin with, before the fingerprint.
const FORMER: &str = "own-";

impl Keyring {
    fn statements_file(&self) -> PathBuf {
        self.folder.join("statements")
    }

    fn former_file(&self, key: &PublicKey) -> PathBuf {
        self.folder.join(format!("{FORMER}{}.pem", key.fingerprint()))
    }

    /// Returns the statements that were noted; they held then.
    ///
    /// # Errors
    /// If others may write to the file, it holds something else, or the system refuses.
    pub fn statements(&self) -> Result<Vec<Statement>, KeyringError> {
        let path = self.statements_file();
        let Some(text) = self.text(&path, false)? else { return Ok(Vec::new()) };
        let all: Option<_> = text.lines().map(Statement::read).collect();
        all.ok_or(KeyringError::Garbled(path))
    }

    /// Notes a statement that holds. Returns whether it says something that was not known.
    ///
    /// # Errors
    /// If there are too many, or the system refuses.
    pub fn note(&self, new: &Statement) -> Result<bool, KeyringError> {
        self.changed(|| {
            let mut all = self.statements()?;
            let of_key = || all.iter().filter(|one| one.key == new.key);
            if of_key().any(|one| one.successor == new.successor) {
                return Ok(false);
            }
            // A withdrawal always has room, whatever else was said before.
            if new.successor.is_some() && of_key().filter(|one| one.successor.is_some()).count() >= OF_ONE_KEY - 1 {
                return Ok(false);
            }
            if all.len() >= MOST {
                return Err(KeyringError::Full(self.statements_file()));
            }
            all.push(new.clone());
            self.ready()?;
            let text: String = all.iter().map(|one| one.line() + "\n").collect();
            self.disk.put_private(&self.statements_file(), text.as_bytes())?;
            Ok(true)
        })
    }

    /// Returns the player's keys, locked or not: first the one that new games declare, then those before it.
    ///
    /// # Errors
    /// As of [`Keyring::own`].
    pub fn own_keys(&self) -> Result<Vec<OwnKey>, KeyringError> {
        let mut keys: Vec<OwnKey> = self.own()?.into_iter().collect();
        let io = |error| KeyringError::Store(SecretsError::Io(self.folder.clone(), error));
        let is_former = |name: &String| name.starts_with(FORMER) && name.ends_with(".pem");
        let listed = self.disk.list_if_there(&self.folder).map_err(io)?.into_iter();
        let mut names: Vec<String> = listed.filter_map(|one| one.name.into_string().ok()).filter(is_former).collect();
        names.sort();
        for name in names {
            let path = self.folder.join(name);
            let Some(text) = self.text(&path, true)? else { continue };
            let key = OwnKey::read(&text).map_err(|_| KeyringError::Garbled(path))?;
            if !keys.iter().any(|other| other.public() == key.public()) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    /// Returns the player's key with this public half, present or former; nothing if it is not here.
    ///
    /// # Errors
    /// As of [`Keyring::own`].
    pub fn own_of(&self, public: &PublicKey) -> Result<Option<OwnKey>, KeyringError> {
        match self.own()? {
            Some(own) if own.public() == *public => Ok(Some(own)),
            _ => Ok(self.own_keys()?.into_iter().find(|one| one.public() == *public)),
        }
    }

    /// Returns the text of the player's key with this public half, as it is kept; nothing if it is not here.
    ///
    /// # Errors
    /// As of [`Keyring::own`].
    pub fn text_of(&self, public: &PublicKey) -> Result<Option<Zeroizing<String>>, KeyringError> {
        match self.own()? {
            Some(own) if own.public() == *public => self.own_text(),
            _ => self.text(&self.former_file(public), true),
        }
    }

    /// Keeps a key of the player's that signs in games which declare it, beside the one that new games declare.
    ///
    /// # Errors
    /// If another is kept in its place, or the system refuses.
    pub fn keep_former(&self, key: &PublicKey, text: &str) -> Result<(), KeyringError> {
        self.changed(|| {
            self.ready()?;
            let path = self.former_file(key);
            match self.disk.create_private(&path, text.as_bytes()) {
                Err(FileError::Exists { .. }) => Err(KeyringError::There(path)),
                done => Ok(done?),
            }
        })
    }

    /// Returns the statements about the player's own keys, or in which one of them is the successor.
    ///
    /// # Errors
    /// As of [`Keyring::own`] and [`Keyring::statements`].
    pub fn own_statements(&self) -> Result<Vec<Statement>, KeyringError> {
        let mut all = self.statements()?;
        if !all.is_empty() {
            let own: Vec<PublicKey> = self.own_keys()?.iter().map(OwnKey::public).collect();
            all.retain(|one| own.contains(&one.key) || one.successor.is_some_and(|next| own.contains(&next)));
        }
        Ok(all)
    }

    /// Replaces the player's own key by a new one; the old one stays for the games that declare it. `statement` names the new one its
    /// successor, if it does. Both keys are written before the statement, and the statement before the new key counts, so after any
    /// interruption [`Keyring::finish_succession`] goes on with the same key.
    ///
    /// # Errors
    /// If the system refuses; if a file was written already, the old key still counts.
    pub fn succeed(
        &self,
        old: &PublicKey,
        new: &SecretKey,
        passphrase: Option<&str>,
        statement: Option<&Statement>,
        random: Random<'_>,
    ) -> Result<(), KeyringError> {
        self.changed(|| {
            self.ready()?;
            let text = written(new, passphrase, random)?;
            let old_text = self.own_text()?.ok_or_else(|| KeyringError::Garbled(self.own_file()))?;
            for (key, text) in [(*old, &old_text), (new.public(), &text)] {
                match self.disk.create_private(&self.former_file(&key), text.as_bytes()) {
                    Err(FileError::Exists { .. }) => self.disk.put_private(&self.former_file(&key), text.as_bytes())?,
                    done => done?,
                }
            }
            if let Some(statement) = statement {
                self.note(statement)?;
            }
            self.disk.put_private(&self.own_file(), text.as_bytes())?;
            self.disk.remove(&self.former_file(&new.public()))?;
            Ok(())
        })
    }

    /// Goes on with a succession that was cut off: the own key has named a successor that is here, and it does not count yet.
    /// Returns it with its statement.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish_succession(&self, old: &PublicKey) -> Result<Option<Statement>, KeyringError> {
        self.changed(|| {
            for one in self.statements()?.into_iter().filter(|one| one.key == *old) {
                let Some(next) = one.successor else { continue };
                let path = self.former_file(&next);
                if let Some(text) = self.text(&path, true)? {
                    self.disk.put_private(&self.own_file(), text.as_bytes())?;
                    self.disk.remove(&path)?;
                    return Ok(Some(one));
                }
            }
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chrono::NaiveDate;

    use super::*;
    use postrider_disk::random::random;
    use postrider_disk::testing::{Home, homes};

    fn keyrings() -> [(Home, Keyring); 2] {
        homes().map(|(home, folders)| (home, Keyring::new(&folders)))
    }

    fn key(byte: u8) -> SecretKey {
        SecretKey::take(&mut [byte; 32])
    }

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 24).expect("a day")
    }

    #[test]
    fn z37_of_one_key_two_successors_and_a_withdrawal_are_kept() {
        for (_home, keyring) in keyrings() {
            let next = |byte| Statement::succession(&key(1), &key(byte), day());
            let gone = Statement::withdrawal(&key(1), day());
            assert!(keyring.note(&next(2)).expect("a note") && !keyring.note(&next(2)).expect("a note"));
            assert!(keyring.note(&next(3)).expect("a note"));
            // Nobody who has a key fills the list with it, nor keeps its withdrawal out.
            assert!(!keyring.note(&next(4)).expect("full"));
            assert!(keyring.note(&gone).expect("a note") && !keyring.note(&gone).expect("a note"));
            assert_eq!(keyring.statements().expect("a list"), [next(2), next(3), gone]);
        }
    }

    #[test]
    fn z37_a_succession_that_was_cut_off_goes_on_with_the_same_key() {
        for (_home, keyring) in keyrings() {
            let secret = keyring.make(None, &random).expect("a key");
            let old = secret.public();
            assert!(keyring.finish_succession(&old).expect("none").is_none());
            let statement = Statement::succession(&secret, &key(2), day());
            keyring.succeed(&old, &key(2), None, Some(&statement), &random).expect("a successor");
            let own = |keyring: &Keyring| keyring.own().expect("a store").expect("a key").public();
            assert_eq!(own(&keyring), key(2).public());
            let publics = || -> Vec<_> { keyring.own_keys().expect("keys").iter().map(OwnKey::public).collect() };
            assert_eq!(publics(), [key(2).public(), old]);
            // As if it had been cut off before the new key counted.
            let former = keyring.former_file(&old);
            let copy = |from: &Path, to: &Path| {
                let text = keyring.disk.read_record(from).expect("a key");
                keyring.disk.put_private(to, &text).expect("a copy");
                keyring.forget();
            };
            copy(&keyring.own_file(), &keyring.former_file(&key(2).public()));
            copy(&former, &keyring.own_file());
            assert_eq!(own(&keyring), old);
            assert_eq!(keyring.finish_succession(&old).expect("a store"), Some(statement));
            assert_eq!(publics(), [key(2).public(), old]);
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_others_may_write_to_says_nothing_of_keys() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;
        let [(_home, keyring), _] = keyrings();
        let secret = keyring.make(None, &random).expect("a key");
        let old = secret.public();
        let statement = Statement::succession(&secret, &key(2), day());
        keyring.succeed(&old, &key(2), None, Some(&statement), &random).expect("a successor");
        let set = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
            keyring.forget();
        };
        let (said, former) = (keyring.statements_file(), keyring.former_file(&old));
        for bad in [0o620, 0o602] {
            set(&said, bad);
            for error in
                [keyring.statements().map(drop), keyring.trusted().map(drop), keyring.note(&statement).map(drop)]
            {
                let error = error.expect_err("others may write to it");
                assert!(matches!(error, KeyringError::Store(SecretsError::Writable(_))), "{error}");
            }
            set(&said, 0o600);
        }
        set(&former, 0o640);
        let error = keyring.own_keys().expect_err("others may read it");
        assert!(matches!(error, KeyringError::Store(SecretsError::Exposed(_))), "{error}");
        set(&former, 0o600);
        assert_eq!(keyring.own_keys().expect("keys").len(), 2);
    }
}
