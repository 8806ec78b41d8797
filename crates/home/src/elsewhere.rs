//! Which games are played on another machine of the player's: handed over there, with their key, their secret and their journal, they sign
//! nothing here until they are taken back. Without this note the same turn could be signed on both machines, and the two signatures would
//! prove that the player plays two games at once.
//!
//! A file a game, with one line: what became of it, the number of its passing, and the token of that. Each passing has the next number, so
//! that an older file is known for one; the token tells two files with one number apart.

pub mod carried;
mod theirs;

use std::fmt;
use std::io;
use std::path::PathBuf;

use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_referee::record::is_game_id;

/// What going on without a file says.
const SAYS: &str = " says that nothing was signed elsewhere that is not here";

/// The most that is read of such a file.
const LONGEST: u64 = 256;

/// The notes in a player's data folder.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    disk: Disk,
    folder: PathBuf,
}

/// One passing of a game from a machine to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Which one it is, counted from 1.
    pub number: u32,
    /// What no other passing has: 32 hexadecimal digits.
    pub token: String,
}

/// Where a game is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// Here: it was never handed over.
    Here,
    /// Here, since it was taken out of a file.
    Taken(Passing),
    /// Somewhere else: it was handed over.
    Over(Passing),
    /// Nowhere: it was about to be taken out of a file, and that was interrupted.
    Coming(Passing),
}

/// Why nothing of a game is signed or entered here.
#[derive(Debug, thiserror::Error)]
pub enum NotHere {
    /// It was handed over.
    #[error("{0} was handed over: it is played on another machine of yours, and nothing is entered or signed here")]
    Over(String),
    /// It was not taken whole.
    #[error("{0} was not taken whole out of its file: nothing is entered or signed here")]
    Coming(String),
    /// What was noted is not as it was written.
    #[error("{0} is not as it was written, so nobody knows whether the game was handed over")]
    Garbled(PathBuf),
    /// No id of a game.
    #[error("{0:?} is no id of a game")]
    Name(String),
    /// The system refused.
    #[error("whether the game was handed over cannot be read: {0}: {1}")]
    Io(PathBuf, io::Error),
}

impl NotHere {
    /// What helps.
    #[must_use]
    pub fn help(&self) -> Advice {
        match self {
            Self::Over(id) => advice![
                "hand it over there; ",
                Act::Restore("FILE".into()),
                " takes it back from the file that this writes; if that machine is lost, ",
                Act::Stay(id.clone()),
                SAYS
            ],
            Self::Coming(id) => advice![
                Act::Restore("FILE".into()),
                " with the same file goes on; if that is lost, ",
                Act::Stay(id.clone()),
                SAYS
            ],
            Self::Garbled(path) => advice![
                "nothing was signed and nothing written; ",
                Act::Stay(path.file_name().map(|id| id.to_string_lossy().into_owned()).unwrap_or_default()),
                SAYS
            ],
            Self::Name(_) | Self::Io(..) => "nothing was signed and nothing written".into(),
        }
    }
}

impl fmt::Display for Passing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.token)
    }
}

impl Passing {
    fn read(number: &str, token: &str) -> Option<Self> {
        let is_token = token.len() == 32 && token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = number.parse().ok().filter(|number| *number > 0)?;
        is_token.then(|| Self { number, token: token.to_owned() })
    }
}

impl Where {
    /// Prevents everything that would enter or sign something in the game with this id, if it is not played here.
    ///
    /// # Errors
    /// If it is not.
    pub fn guard(&self, id: &str) -> Result<(), NotHere> {
        match self {
            Self::Here | Self::Taken(_) => Ok(()),
            Self::Over(_) => Err(NotHere::Over(id.to_owned())),
            Self::Coming(_) => Err(NotHere::Coming(id.to_owned())),
        }
    }

    /// Reads a note.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.strip_suffix('\n')?.split(' ');
        let (what, number, token) = (words.next()?, words.next()?, words.next()?);
        let passing = Passing::read(number, token).filter(|_| words.next().is_none())?;
        Some(match what {
            "taken" => Self::Taken(passing),
            "over" => Self::Over(passing),
            "coming" => Self::Coming(passing),
            _ => return None,
        })
    }

    /// How it is noted.
    #[must_use]
    pub fn written(&self) -> String {
        match self {
            Self::Here => String::new(),
            Self::Taken(passing) => format!("taken {passing}\n"),
            Self::Over(passing) => format!("over {passing}\n"),
            Self::Coming(passing) => format!("coming {passing}\n"),
        }
    }
}

impl Elsewhere {
    /// The notes in these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.elsewhere() }
    }

    fn path(&self, id: &str) -> Result<PathBuf, NotHere> {
        if is_game_id(id) { Ok(self.folder.join(id)) } else { Err(NotHere::Name(id.chars().take(80).collect())) }
    }

    /// Returns where a game is played.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn of(&self, id: &str) -> Result<Where, NotHere> {
        let path = self.path(id)?;
        let bytes = self.disk.read_if_there(&path, LONGEST).map_err(|error| NotHere::Io(path.clone(), error))?;
        let Some(bytes) = bytes else { return Ok(Where::Here) };
        std::str::from_utf8(&bytes).ok().and_then(Where::read).ok_or(NotHere::Garbled(path))
    }

    /// Prevents everything that would enter or sign something in a game that is not played here.
    ///
    /// # Errors
    /// If it is not, or that cannot be read.
    pub fn guard(&self, id: &str) -> Result<(), NotHere> {
        self.of(id)?.guard(id)
    }

    /// Returns whether a game was handed over and is not back; false if that cannot be read.
    #[must_use]
    pub fn is_over(&self, id: &str) -> bool {
        matches!(self.of(id), Ok(Where::Over(_) | Where::Coming(_)))
    }

    /// Notes where a game is played from now on. Returns only when that is on disk.
    ///
    /// # Errors
    /// If it may not have reached it.
    pub fn note(&self, id: &str, place: &Where) -> Result<(), FileError> {
        let io =
            |source| FileError::Io { step: postrider_disk::disk::Step::Create, path: self.folder.join("game"), source };
        let path = self.path(id).map_err(|error| io(io::Error::other(error.to_string())))?;
        self.disk.private_folder(&self.folder).map_err(io)?;
        match place {
            Where::Here => self.disk.remove(&path).map(drop),
            place => self.disk.put_private(&path, place.written().as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    const GAME: &str = "asalto-carried-1";

    #[test]
    fn a_game_that_was_handed_over_is_guarded_until_it_is_taken() {
        for (_home, folders) in homes() {
            let notes = Elsewhere::new(&folders);
            let passing = Passing { number: 2, token: "0123456789abcdef".repeat(2) };
            assert_eq!(notes.of(GAME).expect("notes"), Where::Here);
            for place in [Where::Over(passing.clone()), Where::Coming(passing.clone()), Where::Taken(passing.clone())] {
                notes.note(GAME, &place).expect("noted");
                assert_eq!(notes.of(GAME).expect("notes"), place);
                assert_eq!(notes.guard(GAME).is_err(), !matches!(place, Where::Taken(_)));
                assert_eq!(notes.is_over(GAME), !matches!(place, Where::Taken(_)));
            }
            notes.note(GAME, &Where::Here).expect("noted");
            assert!(notes.guard(GAME).is_ok() && notes.of("../x").is_err());
        }
    }

    #[test]
    fn a_note_that_is_not_as_it_was_written_lets_nothing_be_signed() {
        for (_home, folders) in homes() {
            let token = "0123456789abcdef".repeat(2);
            for text in [
                "",
                "over\n",
                "over 0 x\n",
                &format!("over 0 {token}\n"),
                &format!("gone 1 {token}\n"),
                &format!("over 1 {token}"),
            ] {
                folders.disk.private_folder(&folders.elsewhere()).expect("a folder");
                folders.disk.put_private(&folders.elsewhere().join(GAME), text.as_bytes()).expect("a file");
                assert!(matches!(Elsewhere::new(&folders).guard(GAME), Err(NotHere::Garbled(_))), "{text}");
            }
        }
    }
}
