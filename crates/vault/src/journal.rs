//! What the player has signed: one file per game and side in the data folder, one line per entry. A line is written and
//! flushed before the signature is made, so two different entries are never signed for one turn, not even by a second
//! attempt after a crash: the two signatures together would prove that the player plays two games at once.

use std::io;
use std::path::PathBuf;

use data_encoding::HEXLOWER;

use crate::kept::file_name;
use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_referee::verdict::timeless;

/// The journals in a player's data folder.
#[derive(Clone, Debug)]
pub struct Journal {
    disk: Disk,
    folder: PathBuf,
}

/// An entry that is to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedTurn<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The hash of its header, because an id may be used twice.
    pub header: &'a [u8; 32],
    /// The name of the side.
    pub side: &'a str,
    /// The entry's number.
    pub number: u32,
    /// The digest of the chain including it.
    pub digest: &'a [u8; 32],
    /// Its canonical line, without a line end.
    pub line: &'a str,
}

/// Why an entry may not be signed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another entry was signed for this turn: its line.
    #[error("another entry was signed for this turn: `{0}`")]
    Other(String),
    /// The same line was signed after a different past.
    #[error("`{0}` was already signed, in a record with a different past: what comes before it has changed since")]
    Past(String),
    /// What was signed under this id was in a game with another header.
    #[error("under the id {0} entries of a game with another header were signed: an id serves one game only")]
    OtherGame(String),
    /// A game's id or a side's name that cannot be used in a file name.
    #[error("{0:?} cannot name a journal: it takes a game's id and a side's word")]
    Name(String),
    /// The journal contains an invalid line.
    #[error("{0} is not as it was written, so nobody knows what was signed")]
    Garbled(PathBuf),
    /// The system refused to create the folder.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The journal could not be read, or could not be written and flushed.
    #[error("what is signed must be noted first: {0}")]
    File(#[from] FileError),
}

impl Journal {
    /// Makes the journals for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.signed() }
    }

    /// Returns the file for a game and a side.
    ///
    /// # Errors
    /// If they cannot be used in a file name.
    pub fn path(&self, game: &str, side: &str) -> Result<PathBuf, JournalError> {
        let name = file_name(game, side).ok_or_else(|| JournalError::Name(format!("{game} {side}")))?;
        Ok(self.folder.join(name))
    }

    /// Returns whether what was signed under this id is known to be in the game with this header; `None` if nothing was
    /// signed.
    ///
    /// # Errors
    /// If the id and side cannot be used in a file name, or the system refuses.
    pub fn belongs(&self, game: &str, side: &str, header: &[u8; 32]) -> Result<Option<bool>, JournalError> {
        let path = self.path(game, side)?;
        let bytes = self.disk.record_if_there(&path).map_err(|error| JournalError::Io(path, error))?;
        let row = format!("0 {} header", HEXLOWER.encode(header));
        let has_row = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).lines().any(|line| line == row);
        Ok(bytes.filter(|bytes| !bytes.is_empty()).map(has_row))
    }

    /// Returns whether anything was signed, or was about to be, for a side of a game. `true` if the journal cannot be read; noting an
    /// entry reports that.
    #[must_use]
    pub fn knows(&self, game: &str, side: &str) -> bool {
        match self.path(game, side).map(|path| self.disk.record_if_there(&path)) {
            Ok(Ok(bytes)) => bytes.is_some_and(|bytes| !bytes.is_empty()),
            _ => true,
        }
    }

    /// Returns the line of the entry with this number that was signed, or was about to be; the newest, if it was dated anew; `None` if
    /// there is none.
    ///
    /// # Errors
    /// If the id and side cannot be used in a file name, or the system refuses.
    pub fn signed(&self, game: &str, side: &str, number: u32) -> Result<Option<String>, JournalError> {
        let path = self.path(game, side)?;
        let bytes = self.disk.record_if_there(&path).map_err(|error| JournalError::Io(path.clone(), error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|_| JournalError::Garbled(path))?;
        let line = |row: &str| {
            let mut words = row.splitn(3, ' ');
            let is_it = words.next()?.parse() == Ok(number);
            let line = words.nth(1)?;
            is_it.then(|| line.to_owned())
        };
        Ok(text.lines().filter_map(line).next_back().filter(|_| number > 0))
    }

    /// Notes that an entry is about to be signed; returns only when the note is safely on disk. The same entry may be
    /// noted again.
    ///
    /// # Errors
    /// If another entry was noted for this turn, or the same one after a different past; or if the note may not have
    /// reached the disk. In each case the entry must not be signed.
    pub fn note(&self, turn: &SignedTurn<'_>) -> Result<(), JournalError> {
        self.noted(turn, None)
    }

    /// Like [`Self::note`], for an entry that was signed with another time and is made again with this one, because the host of the game
    /// has asked it back (Z39). `before` is the digest of the chain with the entry as it was. Both lines stay.
    ///
    /// # Errors
    /// Those of [`Self::note`]; [`JournalError::Other`] if the signed entry differs in more than its time.
    pub fn note_anew(&self, turn: &SignedTurn<'_>, before: &[u8; 32]) -> Result<(), JournalError> {
        self.noted(turn, Some(before))
    }

    fn noted(&self, turn: &SignedTurn<'_>, before: Option<&[u8; 32]>) -> Result<(), JournalError> {
        let path = self.path(turn.game, turn.side)?;
        self.disk.private_folder(&self.folder).map_err(|error| JournalError::Io(self.folder.clone(), error))?;
        // Entries may be made in several copies of one record at the same time, so the record's own lock is not enough.
        let mut lock = self.disk.lock_note(&path)?;
        let old = lock.read()?;
        let text = std::str::from_utf8(&old).map_err(|_| JournalError::Garbled(path.clone()))?;
        let digest = HEXLOWER.encode(turn.digest);
        let header = HEXLOWER.encode(turn.header);
        let mut bound = false;
        let mut earlier: Vec<(&str, &str)> = Vec::new();
        for row in text.lines() {
            let mut words = row.splitn(3, ' ');
            let number = words.next().and_then(|number| number.parse::<u32>().ok());
            let (Some(number), Some(there), Some(line)) = (number, words.next(), words.next()) else {
                return Err(JournalError::Garbled(path));
            };
            // The header comes before the entries, as number 0.
            if number == 0 {
                if there != header {
                    return Err(JournalError::OtherGame(turn.game.to_owned()));
                }
                bound = true;
            } else if number == turn.number {
                earlier.push((there, line));
            }
        }
        // An interrupted run may not have flushed it, and a file that was not flushed once is written again.
        if earlier.iter().any(|(there, _)| *there == digest) {
            return Ok(lock.replace(&old, &old)?);
        }
        if let Some((_, line)) = earlier.last() {
            let before = before.map(|before| HEXLOWER.encode(before));
            // A claim of time that came to nothing may be made again when the time has run out.
            let is_claim = turn.line.split(" @").next().is_some_and(|line| line.ends_with(" claim time"));
            let was_signed = is_claim || earlier.iter().any(|(there, _)| Some(*there) == before.as_deref());
            if !was_signed || earlier.iter().any(|(_, line)| timeless(line) != timeless(turn.line)) {
                let line = (*line).to_owned();
                return Err(if line == turn.line { JournalError::Past(line) } else { JournalError::Other(line) });
            }
        }
        let first = if bound { String::new() } else { format!("0 {header} header\n") };
        let new = format!("{text}{first}{} {digest} {}\n", turn.number, turn.line);
        // Also if only the folder could not be flushed: a note that a crash may undo does not count.
        Ok(lock.replace(&old, new.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::files::faults::abort_at;
    use postrider_disk::testing::homes;
    use std::process::{Command, Stdio};

    const FIRST: SignedTurn<'static> = SignedTurn {
        game: "asalto-test-1",
        header: &[9; 32],
        side: "besiegers",
        number: 2,
        digest: &[1; 32],
        line: "2 besiegers c4-c5",
    };
    const SECOND: SignedTurn<'static> = SignedTurn { digest: &[2; 32], line: "2 besiegers d4-d5", ..FIRST };

    fn journal() -> (tempfile::TempDir, Journal) {
        let home = tempfile::tempdir().expect("a folder");
        let journal = Journal::new(&Folders::at(home.path()));
        (home, journal)
    }

    #[test]
    fn the_same_entry_may_be_signed_again_and_no_other_for_its_turn() {
        for (_home, folders) in homes() {
            let journal = Journal::new(&folders);
            journal.note(&FIRST).expect("the first");
            journal.note(&FIRST).expect("the same");
            assert!(matches!(journal.note(&SECOND), Err(JournalError::Other(line)) if line == FIRST.line));
            let signed = |number| journal.signed(FIRST.game, FIRST.side, number).expect("a store");
            assert_eq!((signed(2).as_deref(), signed(4), signed(0)), (Some(FIRST.line), None, None));
            let moved = SignedTurn { digest: &[3; 32], ..FIRST };
            assert!(matches!(journal.note(&moved), Err(JournalError::Past(_))));
            journal.note(&SignedTurn { number: 4, ..SECOND }).expect("another turn");
            journal.note(&SignedTurn { side: "defenders", ..SECOND }).expect("another side");
            journal.note(&SignedTurn { game: "asalto-test-2", ..SECOND }).expect("another game");
            assert!(matches!(journal.note(&SECOND), Err(JournalError::Other(_))));
        }
    }

    #[test]
    fn z39_an_entry_that_is_dated_anew_is_noted_beside_the_old_one_and_nothing_else_is() {
        const EARLY: SignedTurn<'static> =
            SignedTurn { line: "2 besiegers c4-c5 @2026-11-21T10:15:00Z {@ noon @2026-11-21}", ..FIRST };
        const LATE: SignedTurn<'static> = SignedTurn {
            digest: &[4; 32],
            line: "2 besiegers c4-c5 @2026-11-22T06:15:00Z {@ noon @2026-11-21}",
            ..FIRST
        };
        for (_home, folders) in homes() {
            let journal = Journal::new(&folders);
            journal.note(&EARLY).expect("the first");
            assert!(matches!(journal.note(&LATE), Err(JournalError::Other(_))), "nobody has asked for it");
            let others = [
                "2 besiegers d4-d5 @2026-11-22T06:15:00Z {@ noon @2026-11-21}",
                "2 besiegers c4-c5 @2026-11-22T06:15:00Z {@ noon @2026-11-22}",
                "2 besiegers c4-c5 @2026-11-22T06:15:00Z",
                "2 besiegers c4-c5; draw? @2026-11-22T06:15:00Z {@ noon @2026-11-21}",
            ];
            for line in others {
                let other = SignedTurn { line, ..LATE };
                assert!(matches!(journal.note_anew(&other, EARLY.digest), Err(JournalError::Other(_))), "{line}");
            }
            // The entry as it was must be one that was signed here.
            assert!(matches!(journal.note_anew(&LATE, &[9; 32]), Err(JournalError::Other(_))));
            journal.note_anew(&LATE, EARLY.digest).expect("only the time differs");
            for turn in [&EARLY, &LATE] {
                journal.note(turn).expect("each is signed again as it was");
            }
            assert_eq!(journal.signed(FIRST.game, FIRST.side, 2).expect("a store").as_deref(), Some(LATE.line));
            assert!(matches!(journal.note(&SECOND), Err(JournalError::Other(line)) if line == LATE.line));
            let text =
                folders.disk.read_record(&journal.path(FIRST.game, FIRST.side).expect("a path")).expect("a file");
            let text = String::from_utf8(text).expect("text");
            assert!(text.contains(EARLY.line) && text.contains(LATE.line), "{text}");
        }
    }

    #[test]
    fn e7_a_claim_of_time_that_came_to_nothing_is_signed_again_later() {
        const CLAIM: SignedTurn<'static> = SignedTurn { line: "2 besiegers claim time @2026-11-25T10:15:00Z", ..FIRST };
        const LATER: SignedTurn<'static> =
            SignedTurn { digest: &[5; 32], line: "2 besiegers claim time @2026-11-29T10:15:00Z", ..FIRST };
        for (_home, folders) in homes() {
            let journal = Journal::new(&folders);
            journal.note(&CLAIM).expect("the first");
            journal.note(&LATER).expect("the same later");
            for line in ["2 besiegers c4-c5 @2026-11-29T10:15:00Z", "2 besiegers claim time @2026-11-29T10:15:00Z {x}"]
            {
                let other = SignedTurn { digest: &[6; 32], line, ..FIRST };
                assert!(matches!(journal.note(&other), Err(JournalError::Other(_))), "{line}");
            }
        }
    }

    #[test]
    fn z23_a_journal_serves_one_header_only() {
        for (_home, folders) in homes() {
            let journal = Journal::new(&folders);
            assert_eq!(journal.belongs(FIRST.game, FIRST.side, FIRST.header).expect("a store"), None);
            journal.note(&FIRST).expect("the first");
            let other = SignedTurn { header: &[8; 32], number: 6, ..FIRST };
            assert!(matches!(journal.note(&other), Err(JournalError::OtherGame(_))));
            journal.note(&SignedTurn { number: 6, ..FIRST }).expect("the same game");
            assert_eq!(journal.belongs(FIRST.game, FIRST.side, FIRST.header).expect("a store"), Some(true));
            assert_eq!(journal.belongs(FIRST.game, FIRST.side, &[8; 32]).expect("a store"), Some(false));
        }
    }

    #[test]
    fn an_unreadable_journal_prevents_signing() {
        for (_home, folders) in homes() {
            let journal = Journal::new(&folders);
            journal.note(&FIRST).expect("the first");
            let path = journal.path(FIRST.game, FIRST.side).expect("a path");
            for bytes in [&b"2 besiegers"[..], b"\xff\n", b"x y z\n"] {
                folders.disk.put_private(&path, bytes).expect("a file");
                assert!(matches!(journal.note(&SECOND), Err(JournalError::Garbled(_))), "{bytes:?}");
            }
            assert!(matches!(journal.note(&SignedTurn { game: "../escape", ..FIRST }), Err(JournalError::Name(_))));
        }
    }

    /// The signature of an entry as it would leave the process: only after the note.
    fn sign(journal: &Journal, turn: &SignedTurn<'_>) -> bool {
        journal.note(turn).is_ok()
    }

    #[test]
    fn a_kill_at_any_step_never_leads_to_two_signed_entries() {
        const NAME: &str = "journal::tests::a_kill_at_any_step_never_leads_to_two_signed_entries";
        if let Some(home) = std::env::var_os("POSTRIDER_TEST_PATH") {
            let journal = Journal::new(&Folders::at(std::path::Path::new(&home)));
            let step = std::env::var("POSTRIDER_TEST_ROLE").expect("a role").parse().expect("a number");
            abort_at(step);
            if sign(&journal, &FIRST) {
                println!("signed");
            }
            return;
        }
        let (mut killed, mut signed) = (0, false);
        // Until a run is no longer killed, because it has passed through all its steps.
        for step in 0.. {
            let (home, journal) = journal();
            let output = Command::new(std::env::current_exe().expect("this test"))
                .args(["--exact", NAME, "--nocapture", "--test-threads=1"])
                .env("POSTRIDER_TEST_PATH", home.path())
                .env("POSTRIDER_TEST_ROLE", step.to_string())
                .stdin(Stdio::null())
                .output()
                .expect("a child");
            let first = String::from_utf8_lossy(&output.stdout).contains("signed\n");
            // What was signed is on disk. If nothing was signed, one of the two entries still can be, and then remains
            // the only one.
            let second = sign(&journal, &SECOND);
            assert!(!(first && second), "step {step}");
            assert_eq!(sign(&journal, &FIRST), !second, "step {step}");
            assert_eq!(sign(&journal, &SECOND), second, "step {step}");
            if output.status.success() {
                signed = first;
                break;
            }
            assert!(!first, "step {step}: it was killed before");
            killed += 1;
        }
        assert!(killed >= 10 && signed, "{killed} steps");
    }
}
