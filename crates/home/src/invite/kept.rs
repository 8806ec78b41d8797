//! Games that others began: their records are kept apart until the player accepts them. A file's name is made from the
//! validated id.

use std::io;
use std::path::{Path, PathBuf};

use postrider_disk::disk::{Disk, FileError, FolderMode, Listed, Mode};
use postrider_disk::folders::Folders;
use postrider_kernel::text::printable;
use postrider_mail::address::mailbox;
use postrider_referee::record::is_game_id;

/// The most invitations that are kept, because strangers can send as many as they like.
pub(crate) const MAX_INVITATIONS: usize = 200;
/// The most bytes that the invitations may have in total: 64 MiB.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// The most that wait from one sender.
pub(crate) const MAX_OF_ONE: usize = 20;
/// How many of them, and how many of those bytes, strangers can fill; the rest is for those whom the player knows.
const OF_STRANGERS: (usize, u64) = (150, 48 << 20);

/// The ending of records that are waiting.
const WAITING: &str = "pbem";
/// The ending of records that were declined.
const DECLINED: &str = "declined";
/// The ending of the notes of who sent an invitation.
const SENDER: &str = "from";
/// What stands in such a note before the mailbox of somebody whom the player does not know.
const STRANGER: &str = "stranger ";
/// The most bytes of such a note.
const MOST_NOTED: u64 = 1024;

/// The invitations in a player's data folder.
#[derive(Clone, Debug)]
pub struct Invitations {
    disk: Disk,
    folder: PathBuf,
}

/// Who sends an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender<'a> {
    /// The address; may be empty.
    pub address: &'a str,
    /// Whether the player plays with this person, or has the key.
    pub is_known: bool,
}

impl Sender<'_> {
    fn note(&self) -> String {
        format!("{}{}", if self.is_known { "" } else { STRANGER }, mailbox(self.address))
    }
}

/// The state of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// There is none.
    Unknown,
    /// It is waiting for an answer.
    Waiting,
    /// It was declined.
    Declined,
}

/// Why an invitation could not be kept, accepted or declined.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// A text that is not a valid id and cannot be used in a file name.
    #[error("a game's id is 8 to 64 characters of a-z, 0-9 and `-`")]
    GameId,
    /// There is no invitation to this game.
    #[error("there is no invitation to {0}")]
    None(String),
    /// There are too many.
    #[error(
        "over {} invitations, or {} MiB of them, wait already: accept or decline some",
        MAX_INVITATIONS,
        MAX_BYTES >> 20
    )]
    Full,
    /// There are too many of this sender's.
    #[error("{MAX_OF_ONE} invitations from {0} wait already")]
    FullOf(String),
    /// A folder could not be read or created.
    #[error("{0}: {1}")]
    Folder(PathBuf, io::Error),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Invitations {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.invitations() }
    }

    fn path(&self, id: &str, end: &str) -> Result<PathBuf, InvitationError> {
        if is_game_id(id) { Ok(self.folder.join(format!("{id}.{end}"))) } else { Err(InvitationError::GameId) }
    }

    /// Returns the file of an invitation, whether or not it exists.
    ///
    /// # Errors
    /// If the id is not valid.
    pub fn file(&self, id: &str) -> Result<PathBuf, InvitationError> {
        self.path(id, WAITING)
    }

    /// Returns the id of the invitation that is waiting, if this is the path of its file.
    #[must_use]
    pub fn at(&self, path: &Path) -> Option<String> {
        let id = path.file_name()?.to_str()?.strip_suffix(".pbem").filter(|id| is_game_id(id))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let is_here = parent == self.folder || self.disk.is_same(parent, &self.folder).ok()?;
        (is_here && self.standing(id).ok()? == Answered::Waiting).then(|| id.to_owned())
    }

    /// Returns the state of the invitation to a game.
    ///
    /// # Errors
    /// If the id is not valid, or the system refuses to tell.
    pub fn standing(&self, id: &str) -> Result<Answered, InvitationError> {
        // A broken link does not count as one; if it cannot be checked, that does not mean there is none.
        let there = |path: PathBuf| self.disk.has(&path).map_err(|error| InvitationError::Folder(path, error));
        Ok(if there(self.path(id, WAITING)?)? {
            Answered::Waiting
        } else if there(self.path(id, DECLINED)?)? {
            Answered::Declined
        } else {
            Answered::Unknown
        })
    }

    /// Keeps the record of a game that is not known.
    ///
    /// # Errors
    /// If it is there already, there are too many, or the system refuses.
    pub fn keep(&self, id: &str, record: &[u8], sender: &Sender<'_>) -> Result<PathBuf, InvitationError> {
        let path = self.path(id, WAITING)?;
        self.disk.private_folder(&self.folder).map_err(|error| InvitationError::Folder(self.folder.clone(), error))?;
        let all = self.waiting_from()?;
        let note = sender.note();
        if all.iter().filter(|one| one.from == note).count() >= MAX_OF_ONE {
            return Err(InvitationError::FullOf(printable(sender.address).into_owned()));
        }
        let fits = |(count, bytes): (usize, u64), strangers: bool| {
            let those = || all.iter().filter(|one| !strangers || one.from.starts_with(STRANGER));
            let sum: u64 = those().map(|one| one.bytes).sum();
            those().count() < count && sum.saturating_add(record.len() as u64) <= bytes
        };
        if !fits((MAX_INVITATIONS, MAX_BYTES), false) || !sender.is_known && !fits(OF_STRANGERS, true) {
            return Err(InvitationError::Full);
        }
        // Who sent it is noted first: a note without an invitation means nothing.
        match self.disk.put_private(&self.path(id, SENDER)?, note.as_bytes()) {
            // It is there, and only a power cut takes it away again: no reason to lose the invitation.
            Err(error) if error.was_written() => {}
            noted => noted?,
        }
        self.disk.create_private(&path, record)?;
        Ok(path)
    }

    /// Returns the sorted ids of the waiting games from this address, without regard to a part after `+`.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn from(&self, address: &str) -> Result<Vec<String>, InvitationError> {
        let notes = [true, false].map(|is_known| Sender { address, is_known }.note());
        let mut ids: Vec<String> =
            self.waiting_from()?.into_iter().filter(|one| notes.contains(&one.from)).map(|one| one.id).collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the ids of the games that are waiting, sorted.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn waiting(&self) -> Result<Vec<String>, InvitationError> {
        let mut ids: Vec<String> = Vec::new();
        for entry in self.entries()? {
            let id = entry.name.to_str().and_then(|name| name.strip_suffix(".pbem")).filter(|id| is_game_id(id));
            ids.extend(id.map(str::to_owned));
        }
        ids.sort();
        Ok(ids)
    }

    /// Moves the record of a game to the file `to`, which must not exist unless it is the same. A declined game is
    /// restored.
    ///
    /// # Errors
    /// If there is none, the file exists, or the system refuses; the invitation then stays.
    pub fn accept(&self, id: &str, to: &Path) -> Result<(), InvitationError> {
        let path = match self.standing(id)? {
            Answered::Waiting => self.path(id, WAITING)?,
            Answered::Declined => self.path(id, DECLINED)?,
            Answered::Unknown => return Err(InvitationError::None(id.to_owned())),
        };
        let failed = |path: &Path, error| InvitationError::Folder(path.to_owned(), error);
        let record = self.disk.read_record(&path).map_err(|error| failed(&path, error))?;
        if let Some(folder) = to.parent() {
            self.disk.folder(folder, FolderMode::Shared).map_err(|error| failed(folder, error))?;
        }
        match self.disk.create(to, &record, Mode::Umask) {
            Ok(()) => {}
            // An earlier run was interrupted at this point.
            Err(FileError::Exists { .. }) if self.disk.read_record(to).is_ok_and(|there| there == record) => {
                self.disk.keep_name(to)?
            }
            // The invitation stays until the record is safe, because a power cut would remove both.
            Err(error) => return Err(error.into()),
        }
        // The note goes first: nothing looks for that of an invitation that is gone.
        self.disk.remove(&self.path(id, SENDER)?)?;
        self.disk.remove(&path)?;
        Ok(())
    }

    /// Marks the record of a game as declined: it is no longer waiting, and the player is not asked again.
    ///
    /// # Errors
    /// If there is none, or the system refuses.
    pub fn decline(&self, id: &str) -> Result<(), InvitationError> {
        if self.standing(id)? != Answered::Waiting {
            return Err(InvitationError::None(id.to_owned()));
        }
        self.disk.remove(&self.path(id, SENDER)?)?;
        self.disk.rename(&self.path(id, WAITING)?, &self.path(id, DECLINED)?)?;
        Ok(())
    }

    /// Keeps the record of a game that was one of the player's as declined; the same record may be there already.
    ///
    /// # Errors
    /// If another record is there, or the system refuses.
    pub(crate) fn keep_declined(&self, id: &str, record: &[u8]) -> Result<(), InvitationError> {
        let path = self.path(id, DECLINED)?;
        self.disk.private_folder(&self.folder).map_err(|error| InvitationError::Folder(self.folder.clone(), error))?;
        match self.disk.create_private(&path, record) {
            // An earlier run was interrupted at this point.
            Err(FileError::Exists { .. }) if self.disk.read_record(&path).is_ok_and(|there| there == record) => {
                Ok(self.disk.keep_name(&path)?)
            }
            done => Ok(done?),
        }
    }

    /// Reads the record of a game that is waiting or was declined.
    ///
    /// # Errors
    /// If there is none, or the system refuses.
    pub fn record_to_accept(&self, id: &str) -> Result<Vec<u8>, InvitationError> {
        let declined = self.standing(id)? == Answered::Declined;
        self.read(id, if declined { DECLINED } else { WAITING })
    }

    /// Reads the record of a game that is waiting.
    ///
    /// # Errors
    /// If there is none, or the system refuses.
    pub fn record(&self, id: &str) -> Result<Vec<u8>, InvitationError> {
        self.read(id, WAITING)
    }

    fn read(&self, id: &str, end: &str) -> Result<Vec<u8>, InvitationError> {
        let path = self.path(id, end)?;
        let record = self.disk.record_if_there(&path).map_err(|error| InvitationError::Folder(path, error))?;
        record.ok_or_else(|| InvitationError::None(id.to_owned()))
    }

    fn entries(&self) -> Result<Vec<Listed>, InvitationError> {
        self.disk.list_if_there(&self.folder).map_err(|error| InvitationError::Folder(self.folder.clone(), error))
    }

    /// Those that are waiting, with who sent them.
    fn waiting_from(&self) -> Result<Vec<Waiting>, InvitationError> {
        let waiting = |id: String| {
            let bytes = self.disk.about_itself(&self.path(&id, WAITING)?).map_or(0, |about| about.length);
            let note = self.path(&id, SENDER)?;
            let noted =
                self.disk.read_if_there(&note, MOST_NOTED).map_err(|error| InvitationError::Folder(note, error))?;
            // One that is not noted came before senders were.
            let stranger = || STRANGER.to_owned() + &id;
            let from = noted.map_or_else(stranger, |from| String::from_utf8_lossy(&from).into_owned());
            Ok(Waiting { id, from, bytes })
        };
        self.waiting()?.into_iter().map(waiting).collect()
    }
}

/// An invitation that waits.
struct Waiting {
    id: String,
    /// What is noted of its sender.
    from: String,
    bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::disk::{Failing, Memory};
    use postrider_disk::testing::{Home, homes};

    const ADA: Sender<'_> = Sender { address: "ada@example.org", is_known: true };

    fn stores() -> [(Home, PathBuf, Invitations); 2] {
        homes().map(|(home, folders)| (home, folders.config.clone(), Invitations::new(&folders)))
    }

    #[test]
    fn an_invitation_waits_until_it_is_accepted_or_declined() {
        for (_home, at, store) in stores() {
            assert!(store.waiting().unwrap().is_empty());
            store.keep("asalto-one", b"one", &ADA).unwrap();
            store.keep("asalto-two", b"two", &ADA).unwrap();
            assert_eq!(store.waiting().unwrap(), ["asalto-one", "asalto-two"]);
            let to = at.join("games/asalto-one.pbem");
            store.accept("asalto-one", &to).unwrap();
            assert_eq!(store.disk.read_record(&to).unwrap(), b"one");
            store.decline("asalto-two").unwrap();
            assert!(store.waiting().unwrap().is_empty());
            assert_eq!(store.standing("asalto-two").unwrap(), Answered::Declined);
            store.accept("asalto-two", &at.join("two.pbem")).unwrap();
            assert_eq!(store.standing("asalto-two").unwrap(), Answered::Unknown);
            assert!(matches!(store.decline("asalto-two"), Err(InvitationError::None(_))));
        }
    }

    #[test]
    fn an_invitation_is_lost_by_no_folder_that_cannot_be_flushed() {
        for changes in 0..8 {
            let memory = Memory::new();
            let store = Invitations::new(&Folders::in_memory(&memory));
            memory.fail_after(changes, Failing::Unflushed);
            match store.keep("asalto-one", b"one", &ADA) {
                Err(InvitationError::File(error)) if !error.was_written() => {}
                Err(InvitationError::Folder(..)) => {}
                kept => {
                    let there = store.standing("asalto-one").unwrap();
                    assert_eq!(there, Answered::Waiting, "after {changes} changes: {kept:?}");
                }
            }
        }
    }

    #[test]
    fn a_game_that_is_there_is_not_overwritten_and_the_invitation_stays() {
        for (_home, at, store) in stores() {
            let to = at.join("game.pbem");
            store.disk.put_private(&to, b"another").unwrap();
            store.keep("asalto-one", b"one", &ADA).unwrap();
            assert!(store.accept("asalto-one", &to).is_err());
            assert_eq!(store.disk.read_record(&to).unwrap(), b"another");
            assert_eq!(store.standing("asalto-one").unwrap(), Answered::Waiting);
            // If an earlier run was interrupted after accepting it, it is only removed.
            store.disk.put_private(&to, b"one").unwrap();
            store.accept("asalto-one", &to).unwrap();
        }
    }

    #[test]
    fn nothing_but_an_id_becomes_a_file_name() {
        for (_home, _, store) in stores() {
            for id in ["../../etc/passwd", "a/b-c-d-e", "", "short", "ASALTO-ONE", "asalto-one\0", ".hidden-one"] {
                assert!(matches!(store.keep(id, b"x", &ADA), Err(InvitationError::GameId)), "{id}");
                assert!(matches!(store.accept(id, Path::new("x")), Err(InvitationError::GameId)), "{id}");
                assert!(matches!(store.decline(id), Err(InvitationError::GameId)), "{id}");
            }
        }
    }

    #[test]
    fn strangers_cannot_fill_the_disk_and_leave_room_for_those_who_are_known() {
        for (_home, _, store) in stores() {
            // One of them, by however many addresses of one mailbox.
            let stranger = |nth: usize| format!("Eve+{nth}@example.com");
            let keep = |id: &str, address: &str, is_known: bool| store.keep(id, b"x", &Sender { address, is_known });
            for nth in 0..210 {
                let kept = keep(&format!("asalto-eve-{nth:04}"), &stranger(nth), false);
                assert_eq!(kept.is_ok(), nth < MAX_OF_ONE, "{nth}");
                assert!(kept.is_ok() || matches!(kept, Err(InvitationError::FullOf(_))));
            }
            // Many of them.
            for nth in 0..210 {
                let kept = keep(&format!("asalto-some-{nth:04}"), &format!("eve{nth}@example.com"), false);
                assert_eq!(kept.is_ok(), nth < OF_STRANGERS.0 - MAX_OF_ONE, "{nth}");
            }
            for nth in 0..2 * MAX_OF_ONE {
                let kept = keep(&format!("asalto-ada-{nth:04}"), "ada@example.org", true);
                assert_eq!(kept.is_ok(), nth < MAX_OF_ONE, "{nth}");
            }
            let (all, eve) = (store.waiting().unwrap().len(), store.from("eve@example.com").unwrap());
            assert_eq!((all, eve.len()), (OF_STRANGERS.0 + MAX_OF_ONE, MAX_OF_ONE));
            eve.iter().for_each(|id| store.decline(id).unwrap());
            assert!(store.from("eve+3@example.com").unwrap().is_empty());
            assert!(keep("asalto-one-more", "eve@example.com", false).is_ok());
        }
    }
}
