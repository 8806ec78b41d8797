//! A host: a mail address with a home that plays no side. It reads letters, enters what their writers mean, and writes to both players.
//!
//! It uses a home and letters. Decisions are made by `work` on notes in memory; what they come to is written down as one job before anything
//! of it is done, so that a run that dies is finished by the next.
//!
//! Begin with [`Host`], then `play` (what a letter to a game becomes), `people` (who may say what) and `runs` (what happens by time alone).

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod ailing;
mod arrivals;
mod asking_back;
mod called;
mod clock;
mod commands;
mod course;
mod did;
mod elsewhere;
mod farewell;
mod forgetting;
mod jobs;
mod lapse;
mod leaks;
mod letters;
mod limits;
mod listed;
mod moving;
mod naming;
mod noted;
mod notes;
mod overview;
mod passing;
mod people;
mod play;
mod program;
mod reading;
mod ready;
mod robots;
mod runs;
mod scan;
mod setup;
mod strangers;
mod taken;
mod token;
mod unsure;
mod wishes;
mod work;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

pub use commands::{Command, Wanted};
pub use jobs::{Done, Took};
pub use notes::Reading;
pub use overview::{AilingRow, GameRow, PersonRow, Status};
pub use ready::Marks;
pub use unsure::Longest;

use notes::Runs;
use postrider_disk::disk::FileError;
use postrider_home::office::{Office, Trouble};
use postrider_home::receive::received::Mark;
use postrider_mail::incoming;
use postrider_referee::record::Time;
use postrider_settings::HostSettings;
use token::Key;

/// A host's home.
pub struct Host<'o> {
    office: &'o Office<'o>,
    settings: HostSettings,
    /// Its name and address.
    name: String,
    address: String,
    key: Key,
    /// What it has lost without which it only takes letters.
    lacks: Option<String>,
    root: PathBuf,
    games: PathBuf,
    /// When it looked at its mail.
    runs: RefCell<Runs>,
}

/// Says which file could not be read or written.
fn failed(path: &Path, error: impl std::fmt::Display) -> Trouble {
    Trouble::of(format!("{}: {error}", path.display()))
}

impl<'o> Host<'o> {
    /// Opens the host's home. One that has lost its key or its secret only takes letters, and [says so](Self::lacks).
    ///
    /// # Errors
    /// If the settings say nothing of a host or its address, or the disk does not tell.
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
        let found = ready::looked_for(office, &host)?;
        let lacks = found.as_ref().err().cloned();
        // Without it nothing is made that a key is needed for.
        let key = found.unwrap_or(Key([0; 32]));
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
        Ok(Self {
            office,
            settings: host,
            name,
            address,
            key,
            lacks,
            root,
            games: settings.games_folder(),
            runs: RefCell::default(),
        })
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

    /// Stores a message: after that it cannot be lost. The same message is stored only once.
    ///
    /// # Errors
    /// If it cannot be written down: it is to be delivered again.
    pub fn take(&self, message: &[u8]) -> Result<Took, Trouble> {
        self.take_at(message, None)
    }

    /// Like [`Self::take`]; `arrived`: when the mail system took it, if it says so. Otherwise its `Received` line counts, if the settings
    /// say which is its own, or else the time here.
    ///
    /// # Errors
    /// As of [`Self::take`].
    pub fn take_at(&self, message: &[u8], arrived: Option<Time>) -> Result<Took, Trouble> {
        let mail = incoming::read(message);
        let server = self.office.settings()?.received_by.as_deref();
        let line = || server.and_then(|server| mail.trace.taken_by(server));
        let now = self.office.now();
        let arrived = arrived.or_else(line).filter(|at| at.0 > 0 && at.0 <= now.0).unwrap_or(now);
        let mark = Self::mark(&mail);
        let disk = self.office.disk();
        for name in self.seen_names(&mark) {
            let seen = self.root.join(shard(&mark)).join(name);
            if disk.has(&seen).map_err(|error| failed(&seen, error))? {
                return Ok(Took::Before);
            }
        }
        let folder = self.root.join("spool");
        disk.private_folder(&folder).map_err(|error| failed(&folder, error))?;
        let waiting = disk.list(&folder).map_err(|error| failed(&folder, error))?;
        if waiting.iter().any(|one| one.name.to_string_lossy().ends_with(&format!("-{mark}"))) {
            return Ok(Took::Before);
        }
        let path = folder.join(format!("{:012}-{mark}", arrived.0.max(0)));
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

    /// The month, of thirty days and counted from 1970, in which it is noted now that a message was taken.
    fn month(&self) -> i64 {
        self.office.now().0.div_euclid(MONTH)
    }

    /// The names by which it may be noted that a message was taken: with the month, and without it, as in older homes.
    fn seen_names(&self, mark: &str) -> Vec<String> {
        let now = self.month();
        let dated = (now - MONTHS..=now + 1).rev().map(|month| seen_name(month, mark));
        dated.chain(std::iter::once(mark.to_owned())).collect()
    }
}

/// The seconds of a month, and for how many months before this one it is noted which messages were taken: for ninety days at least. A letter
/// that is older than [`LONG_AGO`] does nothing that could be done twice.
const MONTH: i64 = 30 * 86_400;
const MONTHS: i64 = 3;
/// From which age on, in seconds, nothing is entered from a letter.
const LONG_AGO: i64 = 60 * 86_400;

/// The name by which it is noted in a month that a message was taken.
fn seen_name(month: i64, mark: &str) -> String {
    format!("{month:05}-{mark}")
}

/// The folder of the notes that messages with such marks were taken.
fn shard(mark: &str) -> PathBuf {
    Path::new("seen").join(mark.get(..2).unwrap_or("xx"))
}
