//! What the program last knew of each of the player's games, kept outside the record: a copy of the record after the
//! last entry that was made or accepted here, and which side is the player's. A player who saves a letter's attachment
//! over the record therefore notices if it rewrites the past.

use std::io;
use std::path::{Path, PathBuf};

use postrider_disk::disk::{Disk, FileError};
use postrider_disk::folders::Folders;
use postrider_referee::record::is_game_id;

/// The ending of copies. It differs from that of records because a copy is not a game of its own.
const COPY: &str = "known";
/// The ending of the notes about which side is the player's.
const SIDES: &str = "sides";
/// How many replaced versions of a game are kept.
const MOST_ASIDE: u32 = 100;

/// The known games in a player's data folder.
#[derive(Clone, Debug)]
pub struct KnownGames {
    disk: Disk,
    folder: PathBuf,
}

/// What was noted about the sides of a game, by the sides' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// The side that the player said is their own.
    pub own: Option<String>,
    /// The sides for which entries have been made here.
    pub moved: Vec<String>,
    /// Whether the player began the game without declaring a key in it.
    pub unsigned: bool,
    /// Whether the game came as an invitation: the opponent has a program.
    pub invited: bool,
    /// Whether the invited opponent does not want to play.
    pub declined: bool,
    /// Whether the player said that the opponent has nothing but a mail program.
    pub by_mail: bool,
    /// Where the record was when it was last written or taken here.
    pub at: Option<String>,
}

impl KnownGames {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.known() }
    }

    fn path(&self, id: &str, end: &str) -> io::Result<PathBuf> {
        if is_game_id(id) {
            return Ok(self.folder.join(format!("{id}.{end}")));
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "a game's id is 8 to 64 characters of a-z, 0-9 and `-`"))
    }

    /// Returns the file with the copy of a game's record, whether or not it exists.
    ///
    /// # Errors
    /// If the id is not valid.
    pub fn file(&self, id: &str) -> io::Result<PathBuf> {
        self.path(id, COPY)
    }

    /// Returns the record as it was last known; `None` for a game that is not known.
    ///
    /// # Errors
    /// If the id is not valid, or the system refuses.
    pub fn record(&self, id: &str) -> io::Result<Option<Vec<u8>>> {
        self.disk.record_if_there(&self.path(id, COPY)?)
    }

    /// Returns whether a record begins with the one that was last known of its game, or none is known.
    ///
    /// # Errors
    /// As [`KnownGames::record`].
    pub(crate) fn goes_on_in(&self, id: &str, record: &[u8]) -> io::Result<bool> {
        match self.disk.begins(&self.path(id, COPY)?, record) {
            Ok(length) => Ok(length.is_some()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Stores a record as the known one. Call this after the record itself is written: then after a crash in between,
    /// the record continues from what is known.
    ///
    /// # Errors
    /// If the id is not valid, or the system refuses.
    pub fn remember(&self, id: &str, record: &[u8]) -> Result<(), FileError> {
        self.put(id, COPY, record)
    }

    fn put(&self, id: &str, end: &str, bytes: &[u8]) -> Result<(), FileError> {
        let io = |source| FileError::Io { step: postrider_disk::disk::Step::Create, path: self.folder.clone(), source };
        let path = self.path(id, end).map_err(io)?;
        self.disk.private_folder(&self.folder).map_err(io)?;
        match self.disk.put_private(&path, bytes) {
            // If a power cut brings back the older copy, nothing is lost: the record continues from that one too.
            Err(error) if error.was_written() => Ok(()),
            done => done,
        }
    }

    /// Returns what was noted about the sides of a game. Notes that cannot be read count as missing.
    ///
    /// # Errors
    /// If the id is not valid, or the system refuses.
    pub fn sides(&self, id: &str) -> io::Result<Sides> {
        let text = self.disk.record_if_there(&self.path(id, SIDES)?)?.unwrap_or_default();
        let mut sides = Sides::default();
        for line in String::from_utf8_lossy(&text).lines() {
            match line.split_once(' ') {
                Some(("by", "mail")) => sides.by_mail = true,
                Some(("own", word)) => sides.own = Some(word.to_owned()),
                Some(("moved", word)) => sides.moved.push(word.to_owned()),
                Some(("at", path)) => sides.at = Some(path.to_owned()),
                _ if line == "unsigned" => sides.unsigned = true,
                _ if line == "invited" => sides.invited = true,
                _ if line == "declined" => sides.declined = true,
                _ => {}
            }
        }
        Ok(sides)
    }

    /// Replaces what was noted about the sides of a game.
    ///
    /// # Errors
    /// If the id is not valid, or the system refuses.
    pub(crate) fn note_sides(&self, id: &str, sides: &Sides) -> Result<(), FileError> {
        let own = sides.own.iter().map(|word| format!("own {word}\n"));
        let moved = sides.moved.iter().map(|word| format!("moved {word}\n"));
        let flags = [
            (sides.unsigned, "unsigned\n"),
            (sides.invited, "invited\n"),
            (sides.declined, "declined\n"),
            (sides.by_mail, "by mail\n"),
        ];
        let flags = flags.into_iter().filter(|(is, _)| *is).map(|(_, line)| line.to_owned());
        let at = sides.at.iter().map(|path| format!("at {path}\n"));
        self.put(id, SIDES, own.chain(moved).chain(flags).chain(at).collect::<String>().as_bytes())
    }

    /// Returns where the record of a game lies, as it is noted so that it can come back there if it is damaged or removed; nothing for
    /// what would be two lines, or is no text.
    #[must_use]
    pub fn place_of(&self, record: &Path) -> Option<String> {
        let at = self.disk.itself(record).ok()?.to_str()?.to_owned();
        Some(at).filter(|at| !at.chars().any(char::is_control))
    }

    /// Keeps a damaged record beside the place where its copy comes back; returns its file. `time` is a part of the name.
    ///
    /// # Errors
    /// If there are too many already, or the system refuses.
    pub(crate) fn keep_damaged(
        &self,
        id: &str,
        beside: &Path,
        time: &str,
        record: &[u8],
    ) -> Result<PathBuf, FileError> {
        let folder = beside.parent().unwrap_or(Path::new(""));
        let name = format!("{id}.pbem.damaged-{time}");
        let names = std::iter::once(name.clone()).chain((2..=MOST_ASIDE).map(|number| format!("{name}-{number}")));
        self.kept(names.map(|name| folder.join(name)), record)
    }

    /// Keeps a version of a record beside the copy; returns its file.
    ///
    /// # Errors
    /// If there are too many already, or the system refuses.
    pub fn set_aside(&self, id: &str, record: &[u8]) -> Result<PathBuf, FileError> {
        let io = |source| FileError::Io { step: postrider_disk::disk::Step::Create, path: self.folder.clone(), source };
        self.disk.private_folder(&self.folder).map_err(io)?;
        let first = self.path(id, "1.aside").map_err(io)?;
        let paths = (1..=MOST_ASIDE).map(|number| first.with_file_name(format!("{id}.{number}.aside")));
        self.kept(paths, record)
    }

    /// Writes a record into the first of these files that is free or holds it already.
    fn kept(&self, paths: impl Iterator<Item = PathBuf>, record: &[u8]) -> Result<PathBuf, FileError> {
        let mut last = PathBuf::new();
        for path in paths {
            match self.disk.create_private(&path, record) {
                Err(FileError::Exists { .. })
                    if self.disk.begins(&path, record).is_ok_and(|length| length == Some(record.len())) =>
                {
                    return Ok(path);
                }
                Err(FileError::Exists { .. }) => last = path,
                Err(error) if error.was_written() => return Ok(path),
                done => return done.map(|()| path),
            }
        }
        Err(FileError::Exists { path: last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::{Home, homes};

    const GAME: &str = "asalto-known-1";

    fn stores() -> [(Home, KnownGames); 2] {
        homes().map(|(home, folders)| (home, KnownGames::new(&folders)))
    }

    #[test]
    fn a_game_is_known_as_it_was_last_remembered() {
        for (_home, known) in stores() {
            assert_eq!(known.record(GAME).expect("a store"), None);
            known.remember(GAME, b"one").expect("a copy");
            known.remember(GAME, b"one two").expect("a copy");
            assert_eq!(known.record(GAME).expect("a store").as_deref(), Some(&b"one two"[..]));
            for id in ["../../etc/passwd", "short", "ASALTO-KNOWN", ""] {
                assert!(known.record(id).is_err() && known.remember(id, b"x").is_err(), "{id}");
            }
        }
    }

    #[test]
    fn what_is_noted_of_the_sides_is_read_back() {
        for (_home, known) in stores() {
            assert_eq!(known.sides(GAME).expect("a store"), Sides::default());
            let sides = Sides {
                own: Some("black".into()),
                moved: vec!["white".into(), "black".into()],
                unsigned: true,
                invited: true,
                declined: true,
                by_mail: true,
                at: Some("/games/a b.pbem".into()),
            };
            known.note_sides(GAME, &sides).expect("a note");
            assert_eq!(known.sides(GAME).expect("a store"), sides);
        }
    }

    #[test]
    fn versions_that_are_set_aside_are_all_kept() {
        for (_home, known) in stores() {
            let first = known.set_aside(GAME, b"one").expect("a copy");
            let second = known.set_aside(GAME, b"two").expect("a copy");
            assert_eq!(known.set_aside(GAME, b"one").expect("a copy"), first);
            assert_eq!(
                (known.disk.read_record(&first).expect("one"), known.disk.read_record(&second).expect("two")),
                (b"one".to_vec(), b"two".to_vec())
            );
        }
    }
}
