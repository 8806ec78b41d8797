//! A player's games by their ids, whatever their files are called.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Found, find};
use crate::record::{Frame, LINE_LIMIT};
use crate::verdict::Opened;

/// The records below a folder by the ids in their headers.
#[derive(Debug, Default)]
pub struct Shelf {
    games: HashMap<String, Vec<PathBuf>>,
    /// The first file or folder that could not be read, and why: any game may be in it.
    unread: Option<Unread>,
}

/// A file or folder among the games that could not be read, so that nobody knows which games are there.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub why: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be read: {}; the game may be in it", self.path.display(), self.why)
    }
}

impl std::error::Error for Unread {}

impl Shelf {
    /// Looks at the header of each record (`*.pbem`) below `folder`. Files without a fit header are passed over, and a folder
    /// that is not there is empty. What cannot be read is remembered: see [`Shelf::files`].
    #[must_use]
    pub fn of(folder: &Path) -> Self {
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
        for found in find(&[folder.to_owned()]) {
            match found {
                Found::Record(path) => match id_of(&path) {
                    Ok(Some(id)) => shelf.put(&id, path),
                    Ok(None) => {}
                    // It was moved away meanwhile; a link that leads nowhere may lead to a disk that is not mounted.
                    Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {}
                    Err(error) => shelf.missed(&path, &error),
                },
                Found::Unreadable(path, error) => shelf.missed(&path, &error),
                Found::NoRecord(_) => {}
            }
        }
        shelf
    }

    fn missed(&mut self, path: &Path, why: &io::Error) {
        self.unread.get_or_insert_with(|| Unread { path: path.to_owned(), why: why.to_string() });
    }

    /// The files with this id. There should be one at most.
    ///
    /// # Errors
    /// When none was found, and something could not be read: the game may be there.
    pub fn files(&self, id: &str) -> Result<&[PathBuf], Unread> {
        match (self.games.get(id), &self.unread) {
            (Some(files), _) => Ok(files),
            (None, None) => Ok(&[]),
            (None, Some(unread)) => Err(unread.clone()),
        }
    }

    /// Adds a file that was made meanwhile. A link to one that is here already is no second record.
    pub fn put(&mut self, id: &str, path: PathBuf) {
        let files = self.games.entry(id.to_owned()).or_default();
        let real = |path: &Path| fs::canonicalize(path).ok();
        if files.is_empty() || real(&path).is_none_or(|new| files.iter().all(|old| real(old).as_ref() != Some(&new))) {
            files.push(path);
        }
    }
}

/// The id in the header of a record's file; nothing if it has no fit header.
fn id_of(path: &Path) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    // Both lines of dashes and a line end each beside the header itself.
    File::open(path)?.take(LINE_LIMIT as u64 + 16).read_to_end(&mut head)?;
    let id = || {
        let header = head.get(..Frame::of(&head).ok()?.body.start as usize)?;
        Some(Opened::new(header).ok()?.header.id.to_string())
    };
    Ok(id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_their_ids_in_whatever_file() {
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
            // A link is no second record, and a pipe is not waited for.
            std::os::unix::fs::symlink("a.pbem", folder.path().join("f.pbem")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(folder.path().join("g.pbem")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }
        let shelf = Shelf::of(folder.path());
        assert_eq!(shelf.files("asalto-one").unwrap(), [folder.path().join("a.pbem")]);
        assert_eq!(shelf.files("asalto-two").unwrap().len(), 2);
        assert!(shelf.files("asalto-three").unwrap().is_empty());
        assert!(Shelf::of(&folder.path().join("nowhere")).files("asalto-one").unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_read_may_hold_any_game_but_those_that_were_found() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        // A loop of links cannot be read by anybody, not by root either.
        std::os::unix::fs::symlink("games", &games).unwrap();
        assert!(Shelf::of(&games).files("asalto-one").unwrap_err().to_string().contains("games cannot be read"));
        std::fs::remove_file(&games).unwrap();
        std::fs::write(&games, "").unwrap();
        assert!(Shelf::of(&games).files("asalto-one").is_err(), "a file is no folder of games");
        std::fs::remove_file(&games).unwrap();
        std::fs::create_dir(&games).unwrap();
        let record = "---\npbem: 1\ngame: asalto\nid: asalto-one\nplayers:\n  besiegers: {name: A}\n  defenders: {name: B}\n\
                      started: 2026-11-21\n---\n";
        std::fs::write(games.join("one.pbem"), record).unwrap();
        for (name, to) in [("loop.pbem", "loop.pbem"), ("away.pbem", "/mnt/away/game.pbem")] {
            std::os::unix::fs::symlink(to, games.join(name)).unwrap();
            let shelf = Shelf::of(&games);
            assert_eq!(shelf.files("asalto-one").unwrap().len(), 1);
            let unread = shelf.files("asalto-two").unwrap_err();
            assert!(unread.path.ends_with(name), "{unread}");
            std::fs::remove_file(games.join(name)).unwrap();
        }
        assert!(Shelf::of(&games).files("asalto-two").unwrap().is_empty());
    }
}
