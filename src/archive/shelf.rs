//! A player's games by id, whatever their files are called.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Found, find};
use crate::record::{Frame, LINE_LIMIT};
use crate::verdict::Opened;

/// The number of records from which notes are kept; fewer are read in no time.
const WORTH_NOTING: usize = 100;

/// The records below a folder, by the id in their header.
#[derive(Debug, Default)]
pub struct Shelf {
    games: HashMap<String, Vec<PathBuf>>,
    /// The first file or folder that could not be read, and why. Any game could be in it.
    unread: Option<Unread>,
    notes: HashMap<PathBuf, Note>,
    /// Whether the notes differ from those that were loaded.
    changed: bool,
}

/// What is noted about a file, so that the next run need not read it. A note is never the truth, only where to look for
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// The game's id; `None` if the file has no valid header.
    id: Option<String>,
    /// The players' names and mail addresses.
    players: Vec<(String, Option<String>)>,
    /// The length of the file, and when it was changed, in nanoseconds since 1970.
    stamp: (u64, u128),
}

/// The notes as they are stored.
#[derive(Default, Serialize, Deserialize)]
struct Notes {
    version: u32,
    files: Vec<(PathBuf, Note)>,
}

/// The version of the format; notes in another version are ignored.
const VERSION: u32 = 1;

/// A file or folder among the games that could not be read, so that it is not known which games are there.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The file or folder.
    pub path: PathBuf,
    /// The error from the system.
    pub why: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be read: {}; the game may be in it", self.path.display(), self.why)
    }
}

impl std::error::Error for Unread {}

impl Shelf {
    /// Reads the header of each record (`*.pbem`) below `folder`. Files without a valid header are skipped, and a
    /// missing folder counts as empty. What cannot be read is remembered: see [`Shelf::files`]. Of `data`, the program's
    /// own folder, only a folder of games within counts: invitations and copies are no games of the player.
    #[must_use]
    pub fn of(folder: &Path, data: &Path) -> Self {
        Self::noted(folder, data, b"")
    }

    /// Like [`Self::of`], with the notes of an earlier run, as returned by [`Self::notes`]: only files that are not in
    /// them are read. Invalid notes are ignored. [`Self::find`] makes up for stale ones.
    #[must_use]
    pub fn noted(folder: &Path, data: &Path, notes: &[u8]) -> Self {
        let notes: Notes = serde_json::from_slice(notes).unwrap_or_default();
        let mut known: HashMap<PathBuf, Note> =
            if notes.version == VERSION { notes.files.into_iter().collect() } else { HashMap::new() };
        let mut shelf = Self::default();
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                shelf.missed(folder, &io::ErrorKind::NotADirectory.into());
                return shelf;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return shelf,
            Err(error) => {
                shelf.missed(folder, &error);
                return shelf;
            }
        }
        let real = |path: &Path| fs::canonicalize(path).ok();
        // Where it lies as seen from the folder of games, however either is spelled.
        let own =
            real(data).zip(real(folder)).and_then(|(data, games)| Some(folder.join(data.strip_prefix(games).ok()?)));
        for found in find(&[folder.to_owned()]) {
            let (Found::Record(path) | Found::Unreadable(path, _) | Found::NoRecord(path)) = &found;
            if own.as_ref().is_some_and(|own| path.starts_with(own)) {
                known.remove(path);
                continue;
            }
            match found {
                Found::Record(path) => match known.remove(&path) {
                    Some(note) => shelf.take(path, note),
                    None => shelf.read(path),
                },
                Found::Unreadable(path, error) => shelf.missed(&path, &error),
                Found::NoRecord(_) => {}
            }
        }
        shelf.changed |= !known.is_empty();
        shelf
    }

    /// Returns the notes to keep for the next run; `None` if they have not changed or are not worth keeping.
    #[must_use]
    pub fn notes(&self) -> Option<Vec<u8>> {
        if !self.changed || self.notes.len() < WORTH_NOTING {
            return None;
        }
        let mut files: Vec<_> = self.notes.iter().map(|(path, note)| (path.clone(), note.clone())).collect();
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        // A path that is not Unicode cannot be noted; in that case nothing is.
        serde_json::to_vec(&Notes { version: VERSION, files }).ok()
    }

    /// Returns the names and mail addresses of everyone who plays in these games.
    pub fn players(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.notes.values().flat_map(|note| &note.players).map(|(name, address)| (name.as_str(), address.as_deref()))
    }

    /// Returns the ids of the games in which somebody with this mail address plays, sorted.
    #[must_use]
    pub fn games_of(&self, address: &str) -> Vec<String> {
        let plays = |note: &&Note| {
            let mut addresses = note.players.iter().filter_map(|(_, address)| address.as_deref());
            addresses.any(|one| one.eq_ignore_ascii_case(address))
        };
        let mut ids: Vec<String> = self.notes.values().filter(plays).filter_map(|note| note.id.clone()).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    fn take(&mut self, path: PathBuf, note: Note) {
        if let Some(id) = note.id.clone() {
            self.put(&id, path.clone());
        }
        self.notes.insert(path, note);
    }

    fn read(&mut self, path: PathBuf) {
        match note_of(&path) {
            Ok(note) => {
                self.changed = true;
                self.take(path, note);
            }
            // It was moved away in the meantime. A link that leads nowhere may lead to a disk that is not mounted.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {}
            Err(error) => self.missed(&path, &error),
        }
    }

    /// Returns the files with this id, like [`Self::files`], but checks again: if the notes were stale, everything that
    /// has changed since is read.
    ///
    /// # Errors
    /// Those of [`Self::files`].
    pub fn find(&mut self, id: &str) -> Result<Vec<PathBuf>, Unread> {
        if let Some(files) = self.games.get(id) {
            let holds = |path: &PathBuf| note_of(path).is_ok_and(|note| note.id.as_deref() == Some(id));
            if !files.is_empty() && files.iter().all(holds) {
                return Ok(files.clone());
            }
        }
        let believed = self.games.get(id).cloned().unwrap_or_default();
        let stale: Vec<PathBuf> = {
            let is_stale = |(path, note): &(&PathBuf, &Note)| {
                note.stamp.1 == 0 || stamp_of(path).ok() != Some(note.stamp) || believed.contains(path)
            };
            self.notes.iter().filter(is_stale).map(|(path, _)| path.clone()).collect()
        };
        for path in stale {
            self.changed = true;
            if let Some(id) = self.notes.remove(&path).and_then(|note| note.id)
                && let Some(files) = self.games.get_mut(&id)
            {
                files.retain(|other| *other != path);
            }
            self.read(path);
        }
        self.games.retain(|_, files| !files.is_empty());
        self.files(id).map(<[PathBuf]>::to_vec)
    }

    fn missed(&mut self, path: &Path, why: &io::Error) {
        self.unread.get_or_insert_with(|| Unread { path: path.to_owned(), why: why.to_string() });
    }

    /// Returns the ids that begin like this, sorted.
    #[must_use]
    pub fn ids_beginning(&self, start: &str) -> Vec<String> {
        let mut ids: Vec<_> = self.games.keys().filter(|id| id.starts_with(start)).cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the files with this id. There should be at most one.
    ///
    /// # Errors
    /// If none was found and something could not be read, because the game may be there.
    pub fn files(&self, id: &str) -> Result<&[PathBuf], Unread> {
        match (self.games.get(id), &self.unread) {
            (Some(files), _) => Ok(files),
            (None, None) => Ok(&[]),
            (None, Some(unread)) => Err(unread.clone()),
        }
    }

    /// Adds a file that was created in the meantime. A link to a file that is already here is not a second record.
    pub fn put(&mut self, id: &str, path: PathBuf) {
        let files = self.games.entry(id.to_owned()).or_default();
        let real = |path: &Path| fs::canonicalize(path).ok();
        if files.is_empty() || real(&path).is_none_or(|new| files.iter().all(|old| real(old).as_ref() != Some(&new))) {
            files.push(path);
        }
    }
}

/// Makes the note for a file.
fn note_of(path: &Path) -> io::Result<Note> {
    // Taken before the file is read, so that a write in the meantime makes the note stale.
    let stamp = stamp_of(path)?;
    let mut head = Vec::new();
    // The header itself, and a line of dashes with its line end on either side.
    File::open(path)?.take(LINE_LIMIT as u64 + 16).read_to_end(&mut head)?;
    let read = || {
        let header = head.get(..Frame::of(&head).ok()?.body.start as usize)?;
        let opened = Opened::new(header).ok()?;
        let players = opened
            .header
            .players
            .iter()
            .map(|player| (player.name.clone().into_owned(), player.email.as_deref().map(str::to_owned)));
        Some((opened.header.id.to_string(), players.collect()))
    };
    let (id, players) = read().unzip();
    Ok(Note { id, players: players.unwrap_or_default(), stamp })
}

/// Returns the length of a file and when it was changed. If it was changed a moment ago, the result never matches
/// again, because another change could fall into the same tick of the file system's clock.
fn stamp_of(path: &Path) -> io::Result<(u64, u128)> {
    let found = fs::metadata(path)?;
    let changed = found.modified()?;
    let settled = changed.elapsed().is_ok_and(|age| age.as_secs() >= 2);
    let since = changed.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    Ok((found.len(), if settled { since } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No data folder.
    const NONE: &str = "/nowhere/data";

    #[test]
    fn invitations_and_copies_in_the_programs_own_folder_are_no_games() {
        let home = tempfile::tempdir().unwrap();
        let record = "---\npbem: 1\ngame: asalto\nid: asalto-one\nplayers:\n  besiegers: {name: A}\n  defenders: {name: B}\n\
                      started: 2026-11-21\n---\n";
        let data = home.path().join("data");
        for folder in ["invitations", "known", "games"] {
            fs::create_dir_all(data.join(folder)).unwrap();
            fs::write(data.join(folder).join("asalto-one.pbem"), record).unwrap();
        }
        let games = |folder: &Path| Shelf::of(folder, &data).files("asalto-one").unwrap().len();
        assert_eq!(games(home.path()), 0);
        assert_eq!(games(&home.path().join(".")), 0);
        assert_eq!(games(&data), 0);
        assert_eq!(games(&data.join("games")), 1, "the folder of games, if the settings name none");
        fs::write(home.path().join("mine.pbem"), record).unwrap();
        assert_eq!(games(&home.path().join("data/..")), 1);
    }

    #[test]
    fn games_are_found_by_id_whatever_their_files_are_called() {
        let folder = tempfile::tempdir().unwrap();
        let record = |id: &str| {
            format!(
                "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: A}}\n  defenders: {{name: B}}\nstarted: \
                 2026-11-21\n---\n1 defenders place c6 e6\n"
            )
        };
        std::fs::create_dir(folder.path().join("old")).unwrap();
        for (name, text) in [
            ("a.pbem", record("asalto-one")),
            ("old/b.pbem", record("asalto-two")),
            ("old/c.pbem", record("asalto-two")),
            ("d.txt", record("asalto-three")),
            ("e.pbem", "nothing".to_owned()),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        #[cfg(unix)]
        {
            // A link is not a second record, and a pipe must not block.
            std::os::unix::fs::symlink("a.pbem", folder.path().join("f.pbem")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(folder.path().join("g.pbem")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }
        let shelf = Shelf::of(folder.path(), NONE.as_ref());
        assert_eq!(shelf.files("asalto-one").unwrap(), [folder.path().join("a.pbem")]);
        assert_eq!(shelf.files("asalto-two").unwrap().len(), 2);
        assert!(shelf.files("asalto-three").unwrap().is_empty());
        assert!(Shelf::of(&folder.path().join("nowhere"), NONE.as_ref()).files("asalto-one").unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn an_unreadable_file_may_hold_any_game_except_those_that_were_found() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        // Nobody can read a loop of links, not even root.
        std::os::unix::fs::symlink("games", &games).unwrap();
        assert!(
            Shelf::of(&games, NONE.as_ref())
                .files("asalto-one")
                .unwrap_err()
                .to_string()
                .contains("games cannot be read")
        );
        std::fs::remove_file(&games).unwrap();
        std::fs::write(&games, "").unwrap();
        assert!(Shelf::of(&games, NONE.as_ref()).files("asalto-one").is_err(), "a file is not a folder of games");
        std::fs::remove_file(&games).unwrap();
        std::fs::create_dir(&games).unwrap();
        let record = "---\npbem: 1\ngame: asalto\nid: asalto-one\nplayers:\n  besiegers: {name: A}\n  defenders: {name: B}\n\
                      started: 2026-11-21\n---\n";
        std::fs::write(games.join("one.pbem"), record).unwrap();
        for (name, to) in [("loop.pbem", "loop.pbem"), ("away.pbem", "/mnt/away/game.pbem")] {
            std::os::unix::fs::symlink(to, games.join(name)).unwrap();
            let shelf = Shelf::of(&games, NONE.as_ref());
            assert_eq!(shelf.files("asalto-one").unwrap().len(), 1);
            let unread = shelf.files("asalto-two").unwrap_err();
            assert!(unread.path.ends_with(name), "{unread}");
            std::fs::remove_file(games.join(name)).unwrap();
        }
        assert!(Shelf::of(&games, NONE.as_ref()).files("asalto-two").unwrap().is_empty());
    }

    #[test]
    fn notes_save_reading_and_are_never_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let record = |id: &str| {
            format!(
                "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: A, email: a@x.y}}\n  defenders: {{name: B}}\n\
                 started: 2026-11-21\n---\n"
            )
        };
        let path = |number: usize| folder.path().join(format!("{number:03}.pbem"));
        for number in 0..WORTH_NOTING {
            fs::write(path(number), record(&format!("asalto-{number:03}"))).unwrap();
        }
        let first = Shelf::of(folder.path(), NONE.as_ref());
        let notes = first.notes().expect("worth it");
        assert!(first.players().any(|player| player == ("A", Some("a@x.y"))));
        // Nothing is read again: the note on a file counts until that file is asked for.
        let told = String::from_utf8(notes.clone()).unwrap();
        let mut shelf = Shelf::noted(folder.path(), NONE.as_ref(), told.replace("asalto-007", "asalto-xxx").as_bytes());
        assert!(shelf.notes().is_none(), "they are still valid");
        assert_eq!(shelf.files("asalto-xxx").unwrap().len(), 1);
        assert!(shelf.find("asalto-xxx").unwrap().is_empty(), "the file says something else");
        // Files that were changed, created and removed since.
        fs::write(path(1), record("asalto-new")).unwrap();
        fs::write(folder.path().join("zzz.pbem"), record("asalto-zzz")).unwrap();
        fs::remove_file(path(2)).unwrap();
        let mut shelf = Shelf::noted(folder.path(), NONE.as_ref(), &notes);
        assert_eq!(shelf.find("asalto-zzz").unwrap(), [folder.path().join("zzz.pbem")]);
        assert_eq!(shelf.find("asalto-new").unwrap(), [path(1)]);
        assert!(shelf.find("asalto-001").unwrap().is_empty() && shelf.find("asalto-002").unwrap().is_empty());
        assert_eq!(shelf.find("asalto-003").unwrap(), [path(3)]);
        // A copy is found although the first file is in the notes.
        fs::copy(path(3), folder.path().join("copy.pbem")).unwrap();
        assert_eq!(Shelf::noted(folder.path(), NONE.as_ref(), &notes).find("asalto-003").unwrap().len(), 2);
        for garbled in [&b""[..], b"{", b"[]", b"{\"version\":9,\"files\":[]}"] {
            assert_eq!(Shelf::noted(folder.path(), NONE.as_ref(), garbled).find("asalto-005").unwrap(), [path(5)]);
        }
    }
}
