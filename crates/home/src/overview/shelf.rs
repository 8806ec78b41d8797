//! A player's games by id, whatever their files are called. Once there are a hundred of them, where they are is noted beside the data, a line for each,
//! sorted by id. A note only says where to look: the file is read again before it counts.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use postrider_disk::disk::{Disk, Kind};
use postrider_disk::folders::Folders;
use postrider_disk::found::{Found, find_in};
use postrider_referee::record::{Frame, LINE_LIMIT};
use postrider_referee::verdict::Opened;

mod index;

use index::Index;

/// The number of records from which notes are kept; fewer are read in no time.
const WORTH_NOTING: usize = 100;

/// The records below a folder, by the id in their header.
#[derive(Debug)]
pub struct Shelf {
    disk: Disk,
    folder: PathBuf,
    /// The program's own folder.
    data: PathBuf,
    /// Where the notes of an earlier run are, until they have been read as a whole.
    noted: Option<PathBuf>,
    games: HashMap<String, Vec<PathBuf>>,
    /// The first file or folder that could not be read, and why. Any game could be in it.
    unread: Option<Unread>,
    notes: HashMap<PathBuf, Note>,
    /// The records whose headers were read while a game is sought: they are not read again for it.
    just_read: HashSet<PathBuf>,
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

/// How long notes are believed without a look at the whole folder: so long may a second copy of a record, put there by
/// hand, go unnoticed where there are many games.
const BELIEVED: Duration = Duration::from_secs(24 * 60 * 60);

/// A file or folder among the games that could not be read, so that it is not known which games are there.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path} cannot be read: {why}; the game may be in it")]
pub struct Unread {
    /// The file or folder.
    pub path: PathBuf,
    /// The error from the system.
    pub why: String,
}

impl Shelf {
    /// Reads the header of each record (`*.pbem`) below `folder`. Files without a valid header are skipped, and a
    /// missing folder counts as empty. What cannot be read is remembered: see [`Shelf::files`]. Of the program's own
    /// folder, only a folder of games within counts: invitations and copies are no games of the player.
    #[must_use]
    pub fn of(folder: &Path, folders: &Folders) -> Self {
        let mut shelf = Self::new(folder, folders, None);
        shelf.look();
        shelf
    }

    fn new(folder: &Path, folders: &Folders, noted: Option<PathBuf>) -> Self {
        Self {
            disk: folders.disk.clone(),
            folder: folder.to_owned(),
            data: folders.data.clone(),
            noted,
            games: HashMap::new(),
            unread: None,
            notes: HashMap::new(),
            just_read: HashSet::new(),
            changed: false,
        }
    }

    /// Like [`Self::of`], with the file in which [`Self::notes`] of an earlier run may be. Nothing is read yet; where the
    /// notes suffice, no more than a few of their lines is.
    #[must_use]
    pub fn noted(folder: &Path, folders: &Folders) -> Self {
        Self::new(folder, folders, Some(folders.shelf()))
    }

    /// Looks at the whole folder, unless that has been done: only files that are not noted are read.
    fn whole(&mut self) {
        let Some(notes) = self.noted.take() else { return };
        // Notes that cannot be read only cost time.
        let all = self.disk.open(&notes).and_then(Index::open).and_then(Index::all).ok();
        self.changed = !self.is_believed(&notes);
        // What was found by a part of the notes is found again.
        self.games.clear();
        self.look_with(all.unwrap_or_default().into_iter().collect());
    }

    /// Finds the files of a game by the notes alone; `None` if they do not suffice.
    fn by_notes(&mut self, id: &str) -> Option<Vec<PathBuf>> {
        let notes = self.noted.as_deref()?;
        if !self.is_believed(notes) {
            return None;
        }
        let mut index = self.disk.open(notes).and_then(Index::open).ok()?;
        if index.folder() != self.folder {
            return None;
        }
        let mut files: Vec<PathBuf> = index.find(id).ok()?.into_iter().map(|(path, _)| path).collect();
        if files.is_empty() {
            // A new game is where `accept` and `new` put it.
            files.push(self.folder.join(format!("{id}.pbem")));
        }
        let holds = |path: &PathBuf| note_of(&self.disk, path).is_ok_and(|note| note.id.as_deref() == Some(id));
        if !files.iter().all(holds) {
            return None;
        }
        self.just_read.extend(files.iter().cloned());
        Some(files)
    }

    /// Returns whether notes are young enough to be believed.
    fn is_believed(&self, notes: &Path) -> bool {
        let made = self.disk.about(notes).ok().and_then(|about| about.modified);
        made.and_then(age).is_some_and(|age| age < BELIEVED)
    }

    fn look(&mut self) {
        self.look_with(HashMap::new());
    }

    fn look_with(&mut self, mut known: HashMap<PathBuf, Note>) {
        let (folder, data) = (self.folder.clone(), self.data.clone());
        let (folder, data, shelf) = (&*folder, &*data, self);
        match shelf.disk.about(folder) {
            Ok(found) if found.kind == Kind::Folder => {}
            Ok(_) => {
                shelf.missed(folder, &io::ErrorKind::NotADirectory.into());
                return;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                shelf.missed(folder, &error);
                return;
            }
        }
        let real = |path: &Path| shelf.disk.itself(path).ok();
        // Where it lies as seen from the folder of games, however either is spelled.
        let own =
            real(data).zip(real(folder)).and_then(|(data, games)| Some(folder.join(data.strip_prefix(games).ok()?)));
        for found in find_in(&shelf.disk, folder) {
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
    }

    /// Returns the notes to keep for the next run; `None` if they have not changed or are not worth keeping.
    #[must_use]
    pub fn notes(&self) -> Option<Vec<u8>> {
        if !self.changed || self.notes.len() < WORTH_NOTING {
            return None;
        }
        // A path that is not Unicode cannot be noted; in that case nothing is.
        index::write(&self.folder, &mut self.notes.iter().collect())
    }

    /// Returns the names and mail addresses of everyone who plays in these games.
    pub fn players(&mut self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.whole();
        self.notes.values().flat_map(|note| &note.players).map(|(name, address)| (name.as_str(), address.as_deref()))
    }

    /// Returns the ids of the games in which somebody with this mail address plays, sorted. All notes are read for it.
    #[must_use]
    pub(crate) fn games_of(&mut self, address: &str) -> Vec<String> {
        self.whole();
        let plays = |note: &&Note| {
            let mut addresses = note.players.iter().filter_map(|(_, address)| address.as_deref());
            addresses.any(|one| postrider_mail::address::is_same(one, address))
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
        match note_of(&self.disk, &path) {
            Ok(note) => {
                self.changed = true;
                self.just_read.insert(path.clone());
                self.take(path, note);
            }
            // It was moved away in the meantime. A link that leads nowhere may lead to a disk that is not mounted.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.disk.about_itself(&path).is_err() => {}
            Err(error) => self.missed(&path, &error),
        }
    }

    /// Returns the files with this id, like [`Self::files`], but checks again: if the notes were stale, everything that
    /// has changed since is read.
    ///
    /// # Errors
    /// Those of [`Self::files`].
    pub fn find(&mut self, id: &str) -> Result<Vec<PathBuf>, Unread> {
        self.just_read.clear();
        if self.noted.is_some() {
            if !self.games.contains_key(id)
                && let Some(files) = self.by_notes(id)
            {
                self.games.insert(id.to_owned(), files);
            }
            if !self.games.contains_key(id) {
                self.whole();
            }
        }
        if let Some(files) = self.games.get(id) {
            let holds = |path: &PathBuf| {
                self.just_read.contains(path)
                    || note_of(&self.disk, path).is_ok_and(|note| note.id.as_deref() == Some(id))
            };
            if !files.is_empty() && files.iter().all(holds) {
                return Ok(files.clone());
            }
        }
        self.whole();
        let believed = self.games.get(id).cloned().unwrap_or_default();
        let stale: Vec<PathBuf> = {
            let is_stale = |(path, note): &(&PathBuf, &Note)| {
                note.stamp.1 == 0 || stamp_of(&self.disk, path).ok() != Some(note.stamp) || believed.contains(path)
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
    pub fn ids_beginning(&mut self, start: &str) -> Vec<String> {
        self.whole();
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
        let real = |path: &Path| self.disk.itself(path).ok();
        if files.is_empty() || real(&path).is_none_or(|new| files.iter().all(|old| real(old).as_ref() != Some(&new))) {
            files.push(path);
        }
    }
}

/// Returns how long ago something was changed, where there is a clock.
fn age(changed: SystemTime) -> Option<Duration> {
    #[cfg(any(unix, windows))]
    return Some(postrider_disk::clock::age(changed));
    #[cfg(not(any(unix, windows)))]
    return changed.elapsed().ok();
}

/// Makes the note for a file.
fn note_of(disk: &Disk, path: &Path) -> io::Result<Note> {
    // Taken before the file is read, so that a write in the meantime makes the note stale.
    let stamp = stamp_of(disk, path)?;
    let mut head = Vec::new();
    // The header itself, and a line of dashes with its line end on either side.
    disk.open(path)?.take(LINE_LIMIT as u64 + 16).read_to_end(&mut head)?;
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
fn stamp_of(disk: &Disk, path: &Path) -> io::Result<(u64, u128)> {
    let found = disk.about(path)?;
    // Where no times are noted, nothing matches.
    let Some(changed) = found.modified else { return Ok((found.length, 0)) };
    let settled = changed.elapsed().is_ok_and(|age| age.as_secs() >= 2);
    let since = changed.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    Ok((found.length, if settled { since } else { 0 }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A home that is not there.
    fn none() -> Folders {
        Folders::at(Path::new("/nowhere"))
    }

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
        let games = |folder: &Path| Shelf::of(folder, &Folders::at(home.path())).files("asalto-one").unwrap().len();
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
        let shelf = Shelf::of(folder.path(), &none());
        assert_eq!(shelf.files("asalto-one").unwrap(), [folder.path().join("a.pbem")]);
        assert_eq!(shelf.files("asalto-two").unwrap().len(), 2);
        assert!(shelf.files("asalto-three").unwrap().is_empty());
        assert!(Shelf::of(&folder.path().join("nowhere"), &none()).files("asalto-one").unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn an_unreadable_file_may_hold_any_game_except_those_that_were_found() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        // Nobody can read a loop of links, not even root.
        std::os::unix::fs::symlink("games", &games).unwrap();
        assert!(
            Shelf::of(&games, &none()).files("asalto-one").unwrap_err().to_string().contains("games cannot be read")
        );
        std::fs::remove_file(&games).unwrap();
        std::fs::write(&games, "").unwrap();
        assert!(Shelf::of(&games, &none()).files("asalto-one").is_err(), "a file is not a folder of games");
        std::fs::remove_file(&games).unwrap();
        std::fs::create_dir(&games).unwrap();
        let record = "---\npbem: 1\ngame: asalto\nid: asalto-one\nplayers:\n  besiegers: {name: A}\n  defenders: {name: B}\n\
                      started: 2026-11-21\n---\n";
        std::fs::write(games.join("one.pbem"), record).unwrap();
        for (name, to) in [("loop.pbem", "loop.pbem"), ("away.pbem", "/mnt/away/game.pbem")] {
            std::os::unix::fs::symlink(to, games.join(name)).unwrap();
            let shelf = Shelf::of(&games, &none());
            assert_eq!(shelf.files("asalto-one").unwrap().len(), 1);
            let unread = shelf.files("asalto-two").unwrap_err();
            assert!(unread.path.ends_with(name), "{unread}");
            std::fs::remove_file(games.join(name)).unwrap();
        }
        assert!(Shelf::of(&games, &none()).files("asalto-two").unwrap().is_empty());
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
        let mut first = Shelf::of(folder.path(), &none());
        let notes = first.notes().expect("worth it");
        assert!(first.players().any(|player| player == ("A", Some("a@x.y"))));
        let place = tempfile::tempdir().unwrap();
        let noted = |notes: &[u8]| {
            let file = place.path().join("data/shelf");
            fs::create_dir_all(place.path().join("data")).unwrap();
            fs::write(&file, notes).unwrap();
            Shelf::noted(folder.path(), &Folders::at(place.path()))
        };
        // Nothing is read but the file that is asked for.
        let mut shelf = noted(&notes);
        assert_eq!(shelf.find("asalto-007").unwrap(), [path(7)]);
        assert!(shelf.noted.is_some() && shelf.notes.is_empty() && shelf.notes().is_none(), "the notes suffice");
        // A new game under its own name is found without looking at the others.
        let new = folder.path().join("asalto-fresh.pbem");
        fs::write(&new, record("asalto-fresh")).unwrap();
        assert_eq!(shelf.find("asalto-fresh").unwrap(), std::slice::from_ref(&new));
        assert!(shelf.noted.is_some());
        fs::remove_file(new).unwrap();
        // What a file holds counts, and not what is noted of it.
        let told = String::from_utf8(notes.clone()).unwrap().replace("asalto-099", "asalto-xxx");
        let mut shelf = noted(told.as_bytes());
        assert!(shelf.find("asalto-xxx").unwrap().is_empty(), "the file says something else");
        assert_eq!(shelf.find("asalto-099").unwrap(), [path(99)]);
        assert!(shelf.notes().is_some(), "they are made anew");
        // Files that were changed, created and removed since.
        fs::write(path(1), record("asalto-new")).unwrap();
        fs::write(folder.path().join("zzz.pbem"), record("asalto-zzz")).unwrap();
        fs::remove_file(path(2)).unwrap();
        let mut shelf = noted(&notes);
        assert_eq!(shelf.find("asalto-zzz").unwrap(), [folder.path().join("zzz.pbem")]);
        assert_eq!(shelf.find("asalto-new").unwrap(), [path(1)]);
        assert!(shelf.find("asalto-001").unwrap().is_empty() && shelf.find("asalto-002").unwrap().is_empty());
        assert_eq!(shelf.find("asalto-003").unwrap(), [path(3)]);
        // A copy is found once the notes are a day old.
        fs::copy(path(3), folder.path().join("copy.pbem")).unwrap();
        let mut shelf = noted(&notes);
        let then = std::time::SystemTime::now() - BELIEVED;
        fs::File::options().write(true).open(place.path().join("data/shelf")).unwrap().set_modified(then).unwrap();
        assert_eq!(shelf.find("asalto-003").unwrap().len(), 2);
        assert!(shelf.notes().is_some(), "they are made anew");
        for garbled in [&b""[..], b"{", b"[]", b"{\"version\":9,\"files\":[]}", notes.get(..notes.len() / 2).unwrap()] {
            assert_eq!(noted(garbled).find("asalto-005").unwrap(), [path(5)]);
        }
        // Those of another folder say nothing about this one.
        let elsewhere = String::from_utf8(notes).unwrap().replacen(&*folder.path().to_string_lossy(), "/nowhere", 1);
        assert_eq!(noted(elsewhere.as_bytes()).find("asalto-005").unwrap(), [path(5)]);
    }
}
