//! A host: a mail address with a home that plays no side. It reads letters, enters what their writers mean, and writes to both players.
//! Decisions are made by `work` on notes in memory; what they come to is written down as one job before anything of it is done, so that
//! a run that dies is finished by the next.

mod clock;
mod commands;
mod jobs;
mod letters;
mod notes;
mod overview;
mod people;
mod play;
mod program;
mod reading;
mod token;
mod work;

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

pub use commands::{Command, Wanted};
pub use jobs::{Done, Took};
pub use overview::{GameRow, PersonRow, Status};

use crate::mail::incoming;
use crate::office::{Office, Trouble};
use crate::store::{FileError, HostSettings, Mark};
use token::Key;

/// A host's home.
pub struct Host<'o> {
    office: &'o Office<'o>,
    settings: HostSettings,
    /// Its name and address.
    name: String,
    address: String,
    key: Key,
    root: PathBuf,
    games: PathBuf,
}

/// Says which file could not be read or written.
fn failed(path: &Path, error: impl std::fmt::Display) -> Trouble {
    Trouble::of(format!("{}: {error}", path.display()))
}

impl<'o> Host<'o> {
    /// Opens the host's home; its secret is made if there is none.
    ///
    /// # Errors
    /// If the settings say nothing of a host or its address, or the secret cannot be read or made.
    pub fn open(office: &'o Office<'o>) -> Result<Self, Trouble> {
        let settings = office.settings()?;
        let Some(host) = settings.host.clone().or_else(|| settings.hosts.then(HostSettings::default)) else {
            return Err(Trouble::of("this home is not a host's: its settings have no `host:`")
                .advise("`postrider host setup` makes it one"));
        };
        let Some(address) = settings.email.clone() else {
            return Err(Trouble::of("the host has no address")
                .advise("set `email:` in settings.yaml to the address that people write to"));
        };
        let root = office.folders().host();
        let disk = office.disk();
        disk.private_folder(&root).map_err(|error| failed(&root, error))?;
        let path = root.join("secret");
        let read = |path: &Path| disk.read(path, 1024).ok().and_then(|bytes| HEXLOWER.decode(bytes.trim_ascii()).ok());
        let secret = match read(&path) {
            Some(secret) => secret,
            None if disk.has(&path).map_err(|error| failed(&path, error))? => {
                return Err(Trouble::of(format!(
                    "{} is damaged: every reply address was made with it",
                    path.display()
                ))
                .advise("bring it back from a backup"));
            }
            None => {
                let made = office.random::<32>().map_err(Trouble::of)?;
                let text = format!("{}\n", HEXLOWER.encode(&made));
                match disk.create_private(&path, text.as_bytes()) {
                    Ok(()) => made.to_vec(),
                    // Another run was faster.
                    Err(FileError::Exists { .. }) => read(&path).unwrap_or_default(),
                    Err(error) => return Err(Trouble::File(error)),
                }
            }
        };
        let secret = <[u8; 32]>::try_from(secret.as_slice()).map_err(|_| failed(&path, "it is no secret of a host"))?;
        let lock = root.join("lock");
        if !disk.has(&lock).map_err(|error| failed(&lock, error))? {
            match disk.create_private(&lock, b"") {
                Ok(()) | Err(FileError::Exists { .. }) => {}
                Err(error) => return Err(Trouble::File(error)),
            }
        }
        let Some(name) = settings.name.clone() else {
            return Err(
                Trouble::of("the host has no name").advise("set `name:` in settings.yaml, as players are to know it")
            );
        };
        let keyring = office.keyring();
        if keyring.own()?.is_none() {
            // It signs for everybody who has no key.
            let random = |bytes: &mut [u8]| office.fill(bytes);
            keyring.make(None, &random)?;
        }
        Ok(Self { office, settings: host, name, address, key: Key(secret), root, games: settings.games_folder() })
    }

    /// The file of a game's record; an id has no characters but letters, digits and `-`.
    fn record_file(&self, id: &str) -> PathBuf {
        self.games.join(format!("{id}.pbem"))
    }

    /// The address for replies that shows this token.
    fn reply_to(&self, token: &str) -> String {
        match self.address.rsplit_once('@').filter(|_| self.settings.plus) {
            Some((local, domain)) => format!("{local}+{token}@{domain}"),
            None => self.address.clone(),
        }
    }

    /// What stands in the subject of replies where an address cannot show the token.
    fn subject_mark(&self, token: &str) -> String {
        if self.settings.plus { String::new() } else { format!("+{token}") }
    }

    /// Takes a message into the host's keeping: after that it is not lost, whatever happens. The same message is taken once.
    ///
    /// # Errors
    /// If it cannot be written down: it is to be delivered again.
    pub fn take(&self, message: &[u8]) -> Result<Took, Trouble> {
        let mail = incoming::read(message);
        let mark = Self::mark(&mail);
        let seen = self.seen_file(&mark);
        let disk = self.office.disk();
        if disk.has(&seen).map_err(|error| failed(&seen, error))? {
            return Ok(Took::Before);
        }
        let folder = self.root.join("spool");
        disk.private_folder(&folder).map_err(|error| failed(&folder, error))?;
        let waiting = disk.list(&folder).map_err(|error| failed(&folder, error))?;
        if waiting.iter().any(|one| one.name.to_string_lossy().ends_with(&format!("-{mark}"))) {
            return Ok(Took::Before);
        }
        let path = folder.join(format!("{:012}-{mark}", self.office.now().0.max(0)));
        disk.put_private(&path, message).map_err(Trouble::File)?;
        Ok(Took::New)
    }

    /// What tells a message from others, by whatever way it came.
    fn mark(mail: &incoming::Mail) -> String {
        let text = mail.text.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
        let date = mail.date.map(|date| date.0).unwrap_or_default().to_be_bytes();
        let id = mail.message_id.as_deref().unwrap_or_default();
        let from = mail.from.as_deref().unwrap_or_default();
        let mark = match id {
            "" => Mark::of(&[from.as_bytes(), mail.subject.as_bytes(), &date, text.as_bytes()]),
            id => Mark::of(&[id.as_bytes(), from.as_bytes(), text.as_bytes()]),
        };
        mark.hex()
    }

    fn seen_file(&self, mark: &str) -> PathBuf {
        self.root.join("seen").join(mark.get(..2).unwrap_or("xx")).join(mark)
    }
}
