//! Notes of what was sent, kept outside the record: one file per game in the data folder, so that a letter that is owed
//! is sent once, even after a crash or a refused connection.
//!
//! A letter is noted as being sent before it is passed to a transport, and as sent afterwards. If the note still says
//! the former when the next run begins, the letter may or may not have been sent: it is sent again with the same
//! Message-ID, and the receiver treats a letter that arrives twice as one.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use postrider_disk::disk::{FileError, RecordLock};
use postrider_disk::folders::Folders;
use postrider_referee::record::is_game_id;

/// A letter that was sent, or was about to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Note {
    /// The number of the entry it carried; 0 for an invitation.
    pub entry: u32,
    /// The recipient's address.
    pub to: String,
    /// Its Message-ID, including angle brackets. It is derived from the record that the letter carried.
    pub message_id: String,
    pub state: State,
    /// When it reached that state.
    pub at: DateTime<Utc>,
    /// When it was first sent, if it has been sent again since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<DateTime<Utc>>,
    /// The file that it was written to, for the player to mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Note {
    /// Returns when the letter was first sent; `None` if that is not known.
    #[must_use]
    pub(crate) fn first_sent(&self) -> Option<DateTime<Utc>> {
        self.first.or_else(|| (self.state == State::Sent).then_some(self.at))
    }
}

/// The state of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It was about to be passed to the transport.
    Sending,
    /// The transport accepted it.
    Sent,
}

/// Whether a letter is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It has not been sent.
    Owed,
    /// It was about to be sent at this time, and it is not known whether it was.
    Unsure(DateTime<Utc>),
    /// It was sent at this time.
    Sent(DateTime<Utc>),
}

/// Why the notes could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SentNotesError {
    /// A game's id is 8 to 64 characters of `a` to `z`, `0` to `9` and `-`; nothing else is used in a file name.
    #[error("{game:?} cannot be a game's id, which is 8 to 64 characters of a-z, 0-9 and `-`")]
    GameId {
        /// What was given.
        game: String,
    },
    /// The folder for the notes could not be created.
    #[error("cannot make the folder {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file contains something else.
    #[error("{path} should hold notes of what was sent: {message}; remove it, and nothing counts as sent")]
    Garbled {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The notes of one game, locked for this program as long as they are open.
#[derive(Debug)]
pub struct SentNotes {
    lock: RecordLock,
    bytes: Vec<u8>,
    notes: Vec<Note>,
}

impl SentNotes {
    /// Opens and locks the notes of the game `game`, and creates the file if there is none: two programs that send at
    /// the same time take turns.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`].
    pub fn open(folders: &Folders, game: &str) -> Result<Self, SentNotesError> {
        let path = file_of(folders, game)?;
        let folder = folders.sent();
        folders.disk.private_folder(&folder).map_err(|source| SentNotesError::Folder { path: folder, source })?;
        if !folders.disk.has(&path).unwrap_or(false) {
            match folders.disk.create_private(&path, b"[]\n") {
                Ok(()) | Err(FileError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let lock = folders.disk.lock(&path)?;
        let bytes = lock.read()?;
        let notes = parse(&path, &bytes)?;
        Ok(Self { lock, bytes, notes })
    }

    /// Reads the notes of the game `game` without locking them or creating a file; empty if there is no file.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`].
    pub fn read(folders: &Folders, game: &str) -> Result<Vec<Note>, SentNotesError> {
        let path = file_of(folders, game)?;
        match folders.disk.record_if_there(&path) {
            Ok(bytes) => bytes.map_or_else(|| Ok(Vec::new()), |bytes| parse(&path, &bytes)),
            Err(source) => Err(FileError::Io { step: postrider_disk::disk::Step::Read, path, source }.into()),
        }
    }

    /// Returns the notes, in the order in which the letters were first sent.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns whether the letter with that Message-ID is owed to the address `to`. A letter with a different record
    /// has a different Message-ID, and is owed separately.
    #[must_use]
    pub fn standing(&self, to: &str, message_id: &str) -> Delivery {
        standing(&self.notes, to, message_id)
    }

    /// Notes that a letter is about to be sent. To be called before the transport gets it.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`]; in that case the letter should not be sent.
    pub fn sending(
        &mut self,
        entry: u32,
        to: &str,
        message_id: &str,
        now: DateTime<Utc>,
    ) -> Result<(), SentNotesError> {
        let note = Note {
            entry,
            to: to.to_owned(),
            message_id: message_id.to_owned(),
            state: State::Sending,
            at: now,
            first: None,
            file: None,
        };
        let mut notes = self.notes.clone();
        match notes.iter_mut().find(|old| old.to == to && old.message_id == message_id) {
            Some(old) => *old = Note { first: old.first_sent(), ..note },
            None => notes.push(note),
        }
        self.write(notes)
    }

    /// Notes that the transport accepted the letter.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`]; the letter has been sent, but counts as being sent.
    pub fn sent(&mut self, to: &str, message_id: &str, now: DateTime<Utc>) -> Result<(), SentNotesError> {
        self.done(to, message_id, None, now)
    }

    /// Notes that the letter was written to a file, which the player mails; for the program it is sent.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`]; the letter is in the file, but counts as being sent.
    pub fn written(
        &mut self,
        to: &str,
        message_id: &str,
        file: &Path,
        now: DateTime<Utc>,
    ) -> Result<(), SentNotesError> {
        self.done(to, message_id, Some(file.display().to_string()), now)
    }

    fn done(
        &mut self,
        to: &str,
        message_id: &str,
        file: Option<String>,
        now: DateTime<Utc>,
    ) -> Result<(), SentNotesError> {
        let mut notes = self.notes.clone();
        for note in notes.iter_mut().filter(|note| note.to == to && note.message_id == message_id) {
            note.state = State::Sent;
            note.at = now;
            note.file.clone_from(&file);
        }
        self.write(notes)
    }

    /// Returns the file in which a letter waits for the player to mail it.
    #[must_use]
    pub fn file(&self, to: &str, message_id: &str) -> Option<&str> {
        self.notes.iter().find(|note| note.to == to && note.message_id == message_id)?.file.as_deref()
    }

    /// Removes the note of a letter that the transport certainly did not send.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`]; in that case the letter counts as being sent.
    pub fn not_sent(&mut self, to: &str, message_id: &str) -> Result<(), SentNotesError> {
        self.forget(|note| note.to == to && note.message_id == message_id)
    }

    /// Removes the notes of these letters.
    ///
    /// # Errors
    ///
    /// [`SentNotesError`].
    pub fn forget(&mut self, which: impl Fn(&Note) -> bool) -> Result<(), SentNotesError> {
        let rest: Vec<Note> = self.notes.iter().filter(|note| !which(note)).cloned().collect();
        if rest.len() == self.notes.len() { Ok(()) } else { self.write(rest) }
    }

    fn write(&mut self, notes: Vec<Note>) -> Result<(), SentNotesError> {
        let garbled = |error: serde_json::Error| SentNotesError::Garbled {
            path: self.lock.path().to_owned(),
            message: error.to_string(),
        };
        let mut bytes = serde_json::to_vec_pretty(&notes).map_err(garbled)?;
        bytes.push(b'\n');
        match self.lock.replace(&self.bytes, &bytes) {
            // It is in the file. If a power cut brings back the old notes, a letter is sent twice.
            Err(error) if error.was_written() => {}
            done => done?,
        }
        self.bytes = bytes;
        self.notes = notes;
        Ok(())
    }
}

pub(crate) fn standing(notes: &[Note], to: &str, message_id: &str) -> Delivery {
    match notes.iter().find(|note| note.to == to && note.message_id == message_id) {
        None => Delivery::Owed,
        Some(Note { state: State::Sending, at, .. }) => Delivery::Unsure(*at),
        Some(Note { state: State::Sent, at, .. }) => Delivery::Sent(*at),
    }
}

fn file_of(folders: &Folders, game: &str) -> Result<PathBuf, SentNotesError> {
    if !is_game_id(game) {
        return Err(SentNotesError::GameId { game: game.chars().take(80).collect() });
    }
    Ok(folders.sent().join(format!("{game}.json")))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Note>, SentNotesError> {
    serde_json::from_slice(bytes)
        .map_err(|error| SentNotesError::Garbled { path: path.to_owned(), message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    const GAME: &str = "asalto-20261121-7k3q9x";
    const TO: &str = "bram@example.net";
    const ID: &str = "<asalto-20261121-7k3q9x.2.0011223344556677@postrider.invalid>";

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + second, 0).unwrap()
    }

    #[test]
    fn a_letter_is_owed_until_it_was_sent() {
        for (_home, folders) in homes() {
            let mut ledger = SentNotes::open(&folders, GAME).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Owed);
            ledger.sending(2, TO, ID, at(0)).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Unsure(at(0)));
            ledger.sent(TO, ID, at(1)).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Sent(at(1)));
            drop(ledger);
            let ledger = SentNotes::open(&folders, GAME).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Sent(at(1)));
            assert_eq!(ledger.standing("ada@example.org", ID), Delivery::Owed);
            assert_eq!(ledger.standing(TO, &ID.replace("0011", "1100")), Delivery::Owed);
            assert_eq!(SentNotes::read(&folders, GAME).unwrap(), ledger.notes());
        }
    }

    #[test]
    fn a_crash_while_sending_is_noticed_and_sent_again() {
        for (_home, folders) in homes() {
            let mut ledger = SentNotes::open(&folders, GAME).unwrap();
            ledger.sending(2, TO, ID, at(0)).unwrap();
            drop(ledger);
            let mut ledger = SentNotes::open(&folders, GAME).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Unsure(at(0)));
            ledger.sending(2, TO, ID, at(5)).unwrap();
            ledger.sent(TO, ID, at(6)).unwrap();
            assert_eq!(ledger.notes().len(), 1);
        }
    }

    #[test]
    fn a_letter_that_was_refused_is_owed_again() {
        for (_home, folders) in homes() {
            let mut ledger = SentNotes::open(&folders, GAME).unwrap();
            ledger.sending(1, TO, "<1@x>", at(0)).unwrap();
            ledger.sending(2, TO, ID, at(0)).unwrap();
            ledger.not_sent(TO, ID).unwrap();
            assert_eq!(ledger.standing(TO, ID), Delivery::Owed);
            assert_eq!(ledger.standing(TO, "<1@x>"), Delivery::Unsure(at(0)));
        }
    }

    #[test]
    fn nothing_but_a_game_id_becomes_a_file_name() {
        for (_home, folders) in homes() {
            let long = "a".repeat(65);
            for game in [
                "",
                "short",
                "../../../etc/x",
                "asalto/20261121",
                "asalto-2026\0",
                "ASALTO-20261121",
                "spiel-größe",
                &long,
            ] {
                assert!(matches!(SentNotes::open(&folders, game), Err(SentNotesError::GameId { .. })), "{game:?}");
                assert!(matches!(SentNotes::read(&folders, game), Err(SentNotesError::GameId { .. })), "{game:?}");
            }
            assert!(!folders.disk.has(&folders.data).unwrap());
            assert!(is_game_id("12345678") && is_game_id(&long[1..]));
            let error = SentNotes::read(&folders, "\u{1b}[2J").unwrap_err().to_string();
            assert!(!error.chars().any(char::is_control), "{error:?}");
        }
    }

    #[test]
    fn garbled_notes_are_reported_and_kept() {
        for (_home, folders) in homes() {
            drop(SentNotes::open(&folders, GAME).unwrap());
            let path = folders.sent().join(format!("{GAME}.json"));
            for text in ["", "[", "{}", "[{\"entry\": 1}]"] {
                folders.disk.put_private(&path, text.as_bytes()).unwrap();
                let error = SentNotes::open(&folders, GAME).unwrap_err();
                assert!(matches!(error, SentNotesError::Garbled { .. }), "{text}: {error}");
                assert_eq!(folders.disk.read_record(&path).unwrap(), text.as_bytes());
            }
        }
    }

    #[test]
    fn two_programs_do_not_send_at_once() {
        let [(_home, folders), _] = homes();
        let mut ledger = SentNotes::open(&folders, GAME).unwrap();
        let other = {
            let folders = folders.clone();
            std::thread::spawn(move || SentNotes::open(&folders, GAME).unwrap().standing(TO, ID))
        };
        ledger.sending(2, TO, ID, at(0)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(30));
        ledger.sent(TO, ID, at(1)).unwrap();
        drop(ledger);
        assert_eq!(other.join().unwrap(), Delivery::Sent(at(1)));
    }

    #[cfg(unix)]
    #[test]
    fn notes_are_private_to_the_player() {
        use std::os::unix::fs::PermissionsExt;
        let [(_home, folders), _] = homes();
        let mut ledger = SentNotes::open(&folders, GAME).unwrap();
        ledger.sending(2, TO, ID, at(0)).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folders.sent()), 0o700);
        assert_eq!(mode(&folders.sent().join(format!("{GAME}.json"))), 0o600);
    }
}
