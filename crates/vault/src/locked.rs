//! Files protected by a passphrase: the player's own key, and backups of secrets. Both use OpenSSH's format for private keys
//! (`bcrypt_pbkdf` and AES-256-GCM), so that `ssh-keygen` reads a locked key and this program reads OpenSSH keys.

use std::fmt;

use ssh_key::private::{Ed25519Keypair, KeypairData, OpaqueKeypair};
use ssh_key::public::OpaquePublicKey;
use ssh_key::{Algorithm, Cipher, Kdf, LineEnding, PrivateKey};
use zeroize::Zeroizing;

use postrider_disk::random::Random;
use postrider_referee::sealing::{PublicKey, SecretKey};

/// The rounds of `bcrypt_pbkdf`, which are what a guess at a passphrase costs: twice as many as `ssh-keygen` uses.
const ROUNDS: u32 = 32;
/// The most rounds that are accepted in a file made elsewhere: they take a minute or two.
const MOST_ROUNDS: u32 = 10_000;
/// The most bytes of text in one container; the format allows a megabyte.
const MOST_BYTES: usize = 512 * 1024;

/// The first line of every container.
pub const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";

/// The algorithm name of a container that holds lines of text instead of a key. The format requires `name@domain` for private names.
const LINES: &str = "lines@postrider";

/// The player's own key, as stored in its file.
#[allow(clippy::large_enum_variant, reason = "a run has only one, which is moved once")]
pub enum OwnKey {
    /// It can sign.
    Open(SecretKey),
    /// It can sign once its passphrase is known.
    Locked(Box<LockedKey>),
}

/// A key that is locked with a passphrase. Its public half can be read without it.
pub struct LockedKey {
    public: PublicKey,
    key: PrivateKey,
}

/// Why a text cannot be used as a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyFileFault {
    /// It is not a key, or is damaged.
    #[error("contains no key that can sign: neither the backup of one nor an OpenSSH key (Ed25519)")]
    NoKey,
    /// It is an OpenSSH key of another kind, with this name.
    #[error("contains a key of the kind {0}; entries are signed with Ed25519 keys (`ssh-keygen -t ed25519`)")]
    OtherKind(String),
    /// It is a backup of everything or of secrets.
    #[error("is a backup of everything or of secrets, not of a key alone")]
    Lines,
    /// Opening it would take too many rounds of `bcrypt_pbkdf`.
    #[error("is locked with more than {} rounds, which would take too long", MOST_ROUNDS)]
    TooSlow,
}

/// Why a file was not opened or locked. None of the texts contains any part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockFault {
    /// The passphrase is wrong, or the file is damaged.
    #[error("the passphrase is wrong")]
    Passphrase,
    /// It is locked in an unsupported way.
    #[error("it is locked in a way that is not supported")]
    Unknown,
    /// Nothing can be locked: the passphrase is empty, or the system has no random numbers.
    #[error("it cannot be locked: the passphrase is empty, or the system has no random numbers")]
    NotLocked,
}

impl OwnKey {
    /// Reads a key in PEM (RFC 8410), or in OpenSSH's format, locked or not.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn read(text: &str) -> Result<Self, KeyFileFault> {
        if let Some(key) = SecretKey::read(text) {
            return Ok(Self::Open(key));
        }
        let key = PrivateKey::from_openssh(text.trim()).map_err(|_| KeyFileFault::NoKey)?;
        let kind = || match key.algorithm().to_string() {
            lines if lines == LINES => KeyFileFault::Lines,
            kind => KeyFileFault::OtherKind(kind),
        };
        let bytes = key.public_key().key_data().ed25519().ok_or_else(kind)?;
        let public = PublicKey::from_bytes(&bytes.0).map_err(|_| KeyFileFault::NoKey)?;
        if !key.is_encrypted() {
            return opened(&key).filter(|key| key.public() == public).map(Self::Open).ok_or(KeyFileFault::NoKey);
        }
        if is_too_slow(&key) {
            return Err(KeyFileFault::TooSlow);
        }
        Ok(Self::Locked(Box::new(LockedKey { public, key })))
    }

    /// Returns the public half, which needs no passphrase.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        match self {
            Self::Open(key) => key.public(),
            Self::Locked(locked) => locked.public,
        }
    }
}

impl fmt::Debug for OwnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnKey({})", self.public().fingerprint())
    }
}

impl LockedKey {
    /// Returns the public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// Opens the key.
    ///
    /// # Errors
    /// If the passphrase is wrong.
    pub fn open(&self, passphrase: &str) -> Result<SecretKey, LockFault> {
        let key = decrypted(&self.key, passphrase)?;
        // The public half in the file is not protected by the passphrase, so it could have been exchanged.
        opened(&key).filter(|key| key.public() == self.public).ok_or(LockFault::Passphrase)
    }
}

/// Reads a public key as OpenSSH writes it: `ssh-ed25519 AAAA…`, with or without a comment. `None` for anything else.
#[must_use]
pub fn read_ssh_public(text: &str) -> Option<PublicKey> {
    let key = ssh_key::PublicKey::from_openssh(text.trim()).ok()?;
    PublicKey::from_bytes(&key.key_data().ed25519()?.0).ok()
}

/// The most rounds for a front end with one slow processor: opening takes seconds and cannot be interrupted.
pub const MOST_ROUNDS_ALONE: u32 = 16 * ROUNDS;

/// The rounds of `bcrypt_pbkdf` that opening a text takes, of its slowest container; 0 if nothing in it is locked.
#[must_use]
pub fn rounds(text: &str) -> u32 {
    let each = text.match_indices(BEGIN).filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let container = rest.get(..rest.find(END)? + END.len())?;
        match PrivateKey::from_openssh(container).ok()?.kdf() {
            Kdf::Bcrypt { rounds, .. } => Some(*rounds),
            _ => None,
        }
    });
    each.max().unwrap_or(0)
}

fn is_too_slow(key: &PrivateKey) -> bool {
    matches!(key.kdf(), Kdf::Bcrypt { rounds, .. } if *rounds > MOST_ROUNDS)
}

fn decrypted(key: &PrivateKey, passphrase: &str) -> Result<PrivateKey, LockFault> {
    use ssh_key::Error;
    key.decrypt(passphrase).map_err(|error| match error {
        Error::AlgorithmUnknown | Error::AlgorithmUnsupported { .. } => LockFault::Unknown,
        _ => LockFault::Passphrase,
    })
}

/// Returns the key in an unlocked container, if it is an Ed25519 key whose halves belong together.
fn opened(key: &PrivateKey) -> Option<SecretKey> {
    let pair = key.key_data().ed25519()?;
    let mut bytes = Zeroizing::new(pair.private.to_bytes());
    let secret = SecretKey::take(&mut bytes);
    (secret.public().bytes() == pair.public.0).then_some(secret)
}

fn lock(data: KeypairData, passphrase: &str, random: Random<'_>) -> Result<Zeroizing<String>, LockFault> {
    if passphrase.is_empty() {
        return Err(LockFault::NotLocked);
    }
    let mut bytes = [0; 20];
    random(&mut bytes).map_err(|_| LockFault::NotLocked)?;
    let (salt, check) = bytes.split_at(16);
    let check = check.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let key = PrivateKey::new(data, "postrider").map_err(|_| LockFault::NotLocked)?;
    let kdf = Kdf::Bcrypt { salt: salt.to_vec(), rounds: ROUNDS };
    let locked = key.encrypt_with(Cipher::Aes256Gcm, kdf, check, passphrase).map_err(|_| LockFault::NotLocked)?;
    locked.to_openssh(LineEnding::LF).map_err(|_| LockFault::NotLocked)
}

/// Writes a key locked with a passphrase, in a form that `ssh-keygen` reads.
///
/// # Errors
/// [`LockFault::NotLocked`].
pub(crate) fn lock_key(key: &SecretKey, passphrase: &str, random: Random<'_>) -> Result<Zeroizing<String>, LockFault> {
    let pair = Ed25519Keypair::from_bytes(&key.pair_bytes()).map_err(|_| LockFault::NotLocked)?;
    lock(KeypairData::Ed25519(pair), passphrase, random)
}

/// Locks lines of text with a passphrase, in as many containers as they need.
///
/// # Errors
/// [`LockFault::NotLocked`].
pub fn lock_lines(text: &str, passphrase: &str, random: Random<'_>) -> Result<Zeroizing<String>, LockFault> {
    let mut containers = Zeroizing::new(String::new());
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len();
        if end > MOST_BYTES {
            let start = rest.get(..MOST_BYTES).and_then(|start| start.rfind('\n'));
            end = start.ok_or(LockFault::NotLocked)? + 1;
        }
        let (lines, after) = rest.split_at(end);
        let name = ssh_key::AlgorithmName::new(LINES).map_err(|_| LockFault::NotLocked)?;
        // The crate erases keys from memory when it drops them, but not these bytes; the process ends soon afterwards.
        let public = OpaquePublicKey::new(Vec::new(), Algorithm::Other(name));
        let data = KeypairData::Other(OpaqueKeypair::new(lines.as_bytes().to_vec(), public));
        containers.push_str(&lock(data, passphrase, random)?);
        rest = after;
    }
    Ok(containers)
}

/// Returns whether a text begins like the output of [`lock_lines`].
#[must_use]
pub fn is_locked(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// Opens the output of [`lock_lines`].
///
/// # Errors
/// If the passphrase is wrong, or the text is something else.
pub fn open_lines(text: &str, passphrase: &str) -> Result<Zeroizing<String>, LockFault> {
    let mut lines = Zeroizing::new(String::with_capacity(text.len()));
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(END).map(|at| at + END.len()).ok_or(LockFault::Unknown)?;
        let (container, after) = rest.split_at(end);
        let key = PrivateKey::from_openssh(container).map_err(|_| LockFault::Unknown)?;
        if is_too_slow(&key) || key.algorithm().as_str() != LINES {
            return Err(LockFault::Unknown);
        }
        let key = decrypted(&key, passphrase)?;
        let data = key.key_data().other().ok_or(LockFault::Unknown)?;
        lines.push_str(std::str::from_utf8(data.private.as_ref()).map_err(|_| LockFault::Unknown)?);
        rest = after.trim_start();
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::random::random;

    fn key() -> SecretKey {
        SecretKey::take(&mut [7; 32])
    }

    #[test]
    fn a_locked_key_shows_its_public_half_and_opens_with_its_passphrase_alone() {
        let text = lock_key(&key(), "a long phrase", &random).expect("a locked key");
        assert!(text.starts_with(BEGIN) && text.ends_with('\n'));
        let Ok(OwnKey::Locked(read)) = OwnKey::read(&text) else { panic!("it is locked") };
        assert_eq!(read.public(), key().public());
        assert_eq!(read.open("a long phrase").expect("open").public(), key().public());
        for wrong in ["", "a long phrase ", "A long phrase"] {
            assert_eq!(read.open(wrong).err(), Some(LockFault::Passphrase), "{wrong:?}");
        }
        assert_eq!(lock_key(&key(), "", &random).err(), Some(LockFault::NotLocked));
        assert_ne!(*text, *lock_key(&key(), "a long phrase", &random).expect("a locked key"), "salted");
    }

    #[test]
    fn a_locked_key_whose_public_half_was_changed_does_not_open() {
        let text = lock_key(&key(), "phrase", &random).expect("a locked key");
        let mut bytes = PrivateKey::from_openssh(&*text).expect("a container").to_bytes().expect("bytes");
        let public = key().public().bytes();
        let at = bytes.windows(32).position(|window| window == public).expect("the public half");
        bytes[at..at + 32].copy_from_slice(&SecretKey::take(&mut [8; 32]).public().bytes());
        let swapped = PrivateKey::from_bytes(&bytes).expect("a container").to_openssh(LineEnding::LF).expect("a text");
        let Ok(OwnKey::Locked(read)) = OwnKey::read(&swapped) else { panic!("it is locked") };
        assert_eq!(read.open("phrase").err(), Some(LockFault::Passphrase));
    }

    #[test]
    fn an_open_key_is_read_and_nothing_else_is() {
        assert!(matches!(OwnKey::read(&key().reveal()), Ok(OwnKey::Open(read)) if read.public() == key().public()));
        for text in ["", "a key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"] {
            assert_eq!(OwnKey::read(text).err(), Some(KeyFileFault::NoKey), "{text}");
        }
        let lines = lock_lines("a line\n", "phrase", &random).expect("locked");
        assert_eq!(OwnKey::read(&lines).err(), Some(KeyFileFault::Lines));
    }

    #[test]
    fn an_openssh_public_key_is_read() {
        let bytes = key().public().bytes();
        let line = ssh_key::PublicKey::from(ssh_key::public::Ed25519PublicKey(bytes)).to_openssh().expect("a line");
        assert!(line.starts_with("ssh-ed25519 AAAA"));
        for line in [line.clone(), format!("{line} ada@quill\n")] {
            assert_eq!(read_ssh_public(&line), Some(key().public()), "{line}");
        }
        let weak = ssh_key::PublicKey::from(ssh_key::public::Ed25519PublicKey([0; 32])).to_openssh().expect("a line");
        assert_eq!(read_ssh_public(&weak), None);
        assert_eq!(read_ssh_public("ssh-rsa AAAAB3NzaC1yc2E="), None);
    }

    #[test]
    fn lines_are_locked_and_opened_again_however_many_they_are() {
        let line = format!("{}\n", "x".repeat(200));
        for text in ["# one line\n".to_owned(), line.repeat(2 * MOST_BYTES / line.len())] {
            let locked = lock_lines(&text, "phrase", &random).expect("locked");
            // Shorter runs of a letter occur by chance in so much base64.
            assert!(is_locked(&locked) && !is_locked(&text) && !locked.contains(&"x".repeat(16)));
            assert_eq!(*open_lines(&locked, "phrase").expect("open"), text);
            assert_eq!(open_lines(&locked, "Phrase").err(), Some(LockFault::Passphrase));
        }
        let locked = lock_lines("# one line\n", "phrase", &random).expect("locked");
        let spoilt = locked.replacen('a', "b", 3);
        assert!(open_lines(&spoilt, "phrase").is_err());
        assert_eq!(
            open_lines(&lock_key(&key(), "phrase", &random).expect("a key"), "phrase").err(),
            Some(LockFault::Unknown)
        );
    }
}
