//! What is kept: records that are never half written; the player's settings, secrets and keys; and notes of what was sent
//! and signed. All of it goes through [`Disk`], which is the disk of this machine or [`Memory`].

mod arrivals;
mod asked_back;
#[cfg(feature = "cli")]
mod checkup;
#[cfg(feature = "cli")]
mod clock;
mod conditions;
mod dice;
mod disk;
#[cfg(feature = "cli")]
mod files;
mod folders;
mod held_back;
mod home;
mod invitations;
mod journal;
mod keyring;
mod known;
mod lessons;
mod locked;
#[cfg(feature = "cli")]
mod lockfile;
mod no_core;
mod packed;
#[cfg(feature = "cli")]
mod printed;
mod random;
mod received;
mod remedy;
mod remembered;
mod restored;
mod seats;
mod secrets;
mod sent;
mod settings;
mod statements;
#[cfg(feature = "cli")]
mod system;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use arrivals::Arrivals;
pub use asked_back::AskedBackNotes;
#[cfg(feature = "cli")]
pub use checkup::{Oddity, look_through};
#[cfg(feature = "cli")]
pub use clock::{age, is_possible as clock_is_possible, now};
pub use conditions::{ConditionsError, Plans};
pub use dice::DiceKey;
pub use disk::{
    About, Changes, Disk, Failing, FileError, FolderMode, Kind, Listed, MAX_RECORD, Memory, Mode, OpenFile, RecordLock,
    Step, Writing,
};
#[cfg(feature = "cli")]
pub(crate) use files::rename_private;
#[cfg(feature = "cli")]
pub use files::{
    GrowingFile, NewFile, NewFiles, TakenBack, bare, create, create_private, folder, new_folder, open, private_folder,
    put, put_private, put_private_by, read_record, remove, replace, take_back_unfinished,
};
pub use folders::Folders;
#[cfg(feature = "cli")]
pub use folders::sweep;
pub use held_back::HeldBack;
pub use home::{BackupFault, Copied, Fate, HomeCopy, Planned, changed_games, is_home_copy, place_of, read_backup};
pub use invitations::{Answered, InvitationError, Invitations, MAX_INVITATIONS};
pub use journal::{Journal, JournalError, SignedTurn};
pub use keyring::{Keyring, KeyringError, Trusted, random_key, written};
pub use known::{KnownGames, Sides};
pub use lessons::LessonsDone;
pub use locked::{
    KeyFileFault, LockFault, LockedKey, MOST_ROUNDS_ALONE, OwnKey, is_locked, lock_lines, open_lines, read_ssh_public,
    rounds,
};
pub use no_core::no_core;
#[cfg(feature = "cli")]
pub use printed::{PrintedFault, printed};
pub use random::Random;
#[cfg(feature = "cli")]
pub use random::random;
pub use received::{Mark, Received};
#[cfg(feature = "cli")]
pub(crate) use remedy::{Remedy, remedy};
pub use remembered::Remembered;
pub use restored::Restored;
pub use seats::Seats;
pub use secrets::{Kept, Secrets, SecretsError, random_secret, read_private};
pub use sent::{Delivery, Note, SentNotes, SentNotesError, State};
pub use settings::{
    AttachedPage, FileSettings, ForeignSettings, GitSettings, HostSettings, ImapSettings, Login, MailSettings,
    OutboxFormat, PasswordSource, PlainReplies, SendmailSettings, Settings, SettingsError, SmtpSettings, Source, Tls,
    is_loopback,
};
#[cfg(feature = "cli")]
pub use system::{OPENER, open_with_its_program};
