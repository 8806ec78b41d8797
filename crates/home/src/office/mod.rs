//! What a player does, below any front end: one function or small type for each thing, which takes values and ports and gives a typed
//! outcome. Nothing here prints, knows a command line or an exit code; whoever is in front finds the words ([`mod@postrider_kernel::advice`]).

pub mod ports;

mod notice;
mod trouble;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;

use postrider_kernel::advice::{Act, Advice};

pub use crate::office::notice::Notice;
pub use crate::office::ports::{Clock, Front, Locked, Pages, Post, Randomness};
pub use crate::office::trouble::Trouble;

use crate::send::post::{Posted, Wish, post};
use crate::send::sent::SentNotes;
use crate::send::transport::{Receipt, SendError};
use postrider_disk::disk::Disk;
use postrider_disk::folders::Folders;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::{PublicKey, SecretKey, Statement};
use postrider_settings::Settings;
use postrider_vault::backup::due::Due;
use postrider_vault::kept::Secrets;
use postrider_vault::keyring::{Keyring, KeyringError, Trusted};
use postrider_vault::locked::OwnKey;

/// What the office needs of the world around it.
#[derive(Clone, Copy)]
pub struct Ports<'p> {
    /// The time of day.
    pub clock: &'p dyn Clock,
    pub randomness: &'p dyn Randomness,
    /// Letters out.
    pub post: &'p dyn Post,
    /// Pages for letters.
    pub pages: &'p dyn Pages,
    /// Whoever is in front.
    pub front: &'p dyn Front,
}

/// A player's home, and the ports. Each file of the home that many things depend on is read once, when it is first needed.
pub struct Office<'p> {
    folders: Folders,
    keyring: Keyring,
    secrets: Secrets,
    pub(crate) ports: Ports<'p>,
    settings: OnceLock<Settings>,
    trusted: Mutex<Option<Arc<[Trusted]>>>,
    statements: Mutex<Option<Arc<[Statement]>>>,
    /// The player's own keys.
    own: Mutex<Option<Arc<[PublicKey]>>>,
    /// The key that a passphrase has opened.
    opened: Mutex<Option<SecretKey>>,
    /// Whether something was signed or sealed that no older backup has.
    signed: AtomicBool,
}

impl<'p> Office<'p> {
    /// Opens the office in these folders. Nothing is read yet.
    #[must_use]
    pub fn new(folders: Folders, ports: Ports<'p>) -> Self {
        Self {
            keyring: Keyring::new(&folders),
            secrets: Secrets::new(&folders),
            folders,
            ports,
            settings: OnceLock::new(),
            trusted: Mutex::default(),
            statements: Mutex::default(),
            own: Mutex::default(),
            opened: Mutex::default(),
            signed: AtomicBool::new(false),
        }
    }

    /// Notes that something was signed or sealed: without a newer backup it could be lost. If backups are made by themselves, that one is due is
    /// noted on disk too, so that a run which is killed does not lose it.
    pub fn note_signed(&self) {
        let is_noted = self.signed.swap(true, Ordering::Relaxed);
        if is_noted || self.settings().is_ok_and(|settings| settings.backup.is_none()) {
            return;
        }
        let noted = self.random::<8>().map(|mark| Due::new(&self.folders).note(&HEXLOWER.encode(&mark)));
        if let Ok(Err(error)) = noted {
            self.warn(format!("it could not be noted that a backup is due: {error}"));
        }
    }

    /// Whether something was signed or sealed since this was last asked.
    #[must_use]
    pub fn take_signed(&self) -> bool {
        self.signed.swap(false, Ordering::Relaxed)
    }

    /// The folders of the home.
    #[must_use]
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// The player's settings.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn settings(&self) -> Result<&Settings, Trouble> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let read = Settings::load_from(self.folders.clone())?;
        Ok(self.settings.get_or_init(|| read))
    }

    /// The player's own key and the trusted keys.
    #[must_use]
    pub fn keyring(&self) -> Keyring {
        self.keyring.clone()
    }

    /// The player's secrets.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }

    /// The trusted keys; none, with a warning, if they cannot be read or others may write to the list.
    #[must_use]
    pub fn trusted(&self) -> Arc<[Trusted]> {
        let mut there = held(&self.trusted);
        let read = || {
            let read = self.keyring().trusted().unwrap_or_else(|error| {
                self.warn(format!("no key counts as trusted: {error}"));
                Vec::new()
            });
            read.into()
        };
        Arc::clone(there.get_or_insert_with(read))
    }

    /// What was said of keys; nothing, with a warning, if it cannot be read: then nothing counts as trusted either.
    #[must_use]
    pub fn statements(&self) -> Arc<[Statement]> {
        self.statements_read().unwrap_or_else(|_| {
            // It says why.
            let _ = self.trusted();
            Arc::default()
        })
    }

    /// What was said of keys, for use if something is decided by it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn statements_read(&self) -> Result<Arc<[Statement]>, KeyringError> {
        let mut there = held(&self.statements);
        if let Some(read) = &*there {
            return Ok(Arc::clone(read));
        }
        let read: Arc<[Statement]> = self.keyring().statements()?.into();
        Ok(Arc::clone(there.insert(read)))
    }

    /// The player's own keys: the one that games declare now, and those before it.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn own_keys(&self) -> Result<Arc<[PublicKey]>, KeyringError> {
        let mut there = held(&self.own);
        if let Some(read) = &*there {
            return Ok(Arc::clone(read));
        }
        let read: Arc<[PublicKey]> = self.keyring().own_keys()?.iter().map(OwnKey::public).collect();
        Ok(Arc::clone(there.insert(read)))
    }

    /// The key that new games declare, locked or not.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn own_key(&self) -> Result<OwnKey, Trouble> {
        let own = self.keyring().own()?;
        own.ok_or_else(|| Trouble::of("there is no key here").advise(advice![Act::NewKey, " makes one"]))
    }

    /// Forgets which keys are trusted, because another was noted.
    pub(crate) fn forget_trusted(&self) {
        *held(&self.trusted) = None;
    }

    /// Forgets what was read of keys, because it has changed.
    pub(crate) fn forget_trust(&self) {
        *held(&self.own) = None;
        *held(&self.trusted) = None;
        *held(&self.statements) = None;
        self.keyring.forget();
    }

    /// The time here.
    #[must_use]
    pub fn now(&self) -> Time {
        self.ports.clock.now()
    }

    /// The page of a record for a letter, seen from a side, if there is one.
    #[must_use]
    pub fn page(&self, record: &[u8], from: Side) -> Option<String> {
        self.ports.pages.page(record, from)
    }

    /// The same as a date.
    #[must_use]
    pub fn date(&self) -> DateTime<Utc> {
        self.now().utc().unwrap_or_default()
    }

    /// Hands a letter to the post, once, with notes of it before and after.
    ///
    /// # Errors
    /// Why it was not sent, or is not known to be.
    pub fn post(&self, letter: &Message<'_>, force: bool) -> Result<Posted, Trouble> {
        let mut ledger = SentNotes::open(&self.folders, letter.game())?;
        self.post_noting(letter, &mut ledger, Wish { force, promised: false })
    }

    /// The same with the notes of the letters about its game, which are open.
    pub(crate) fn post_noting(
        &self,
        letter: &Message<'_>,
        ledger: &mut SentNotes,
        wish: Wish,
    ) -> Result<Posted, Trouble> {
        let mail = &self.settings()?.mail;
        let send = |letter: &Message<'_>| self.ports.post.send(letter, mail);
        Ok(post(letter, send, ledger, wish, self.date())?)
    }

    /// Hands a letter to the post without any notes: whoever calls this keeps its own.
    ///
    /// # Errors
    /// If the settings cannot be read; within, why the post did not take it.
    pub fn hand_over(&self, letter: &Message<'_>) -> Result<Result<Receipt, SendError>, Trouble> {
        let mail = &self.settings()?.mail;
        Ok(self.ports.post.send(letter, mail))
    }

    /// Tells whoever is in front what was noticed.
    pub fn tell(&self, notice: Notice) {
        self.ports.front.tell(notice);
    }

    /// Gives a warning.
    pub fn warn(&self, warning: impl Into<Advice>) {
        self.tell(Notice::Warning(warning.into()));
    }

    /// Returns the key, ready to sign. The passphrase of a locked key is asked for once.
    ///
    /// # Errors
    /// Why it was not opened.
    pub fn unlocked(&self, key: OwnKey) -> Result<SecretKey, Locked> {
        let locked = match key {
            OwnKey::Open(key) => return Ok(key),
            OwnKey::Locked(locked) => locked,
        };
        if let Some(there) = held(&self.opened).as_ref().filter(|there| there.public() == locked.public()) {
            return Ok(there.again());
        }
        let key = self.ports.front.unlock(&locked)?;
        *held(&self.opened) = Some(key.again());
        Ok(key)
    }

    /// Where the files of the home are.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.folders.disk
    }

    /// Fills these bytes at random.
    ///
    /// # Errors
    /// Why there are no random numbers.
    pub fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        self.ports.randomness.fill(bytes)
    }

    /// Makes bytes at random.
    ///
    /// # Errors
    /// Why there are no random numbers.
    pub fn random<const N: usize>(&self) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.ports.randomness.fill(&mut bytes)?;
        Ok(bytes)
    }
}

/// What a lock holds; a thread that ended in the middle has left nothing half done in it.
fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a file, safe to show.
pub(crate) fn name(path: &Path) -> String {
    printable(&path_text(path)).into_owned()
}
