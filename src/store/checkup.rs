//! Looks at the player's files as they lie on the disk, for what should not be there, and changes nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{is_left_behind, is_own, is_private, is_writable_by_others};
use super::folders::Folders;
use super::lockfile;

/// Something in a folder that should not be there, or not in that way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// A file that a killed program was writing.
    Leftover(PathBuf),
    /// A lock file of a program that is gone.
    StaleLock(PathBuf),
    /// A lock file of a program that seems to be running.
    Lock {
        /// The lock file.
        path: PathBuf,
        /// Who holds it.
        who: String,
    },
    /// Others may read something that is the player's alone.
    Readable(PathBuf),
    /// Others may write it.
    Writable(PathBuf),
    /// It belongs to another user.
    Foreign(PathBuf),
    /// It cannot be read.
    Unreadable(PathBuf, String),
}

/// Returns the folders of the program's own data, those of the outbox included, that are there.
fn own_folders(folders: &Folders) -> Vec<PathBuf> {
    let mut found = vec![folders.data.clone()];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        next += 1;
        let below = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        // A link is not followed: it may lead anywhere.
        found.extend(below.filter(|path| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())));
    }
    found.retain(|folder| folder.is_dir());
    found
}

/// Looks through the program's own folders and through those of the games.
#[must_use]
pub fn look_through(folders: &Folders, games: &[PathBuf]) -> Vec<Oddity> {
    let mut found = Vec::new();
    let own = own_folders(folders);
    for folder in &own {
        // What lies in a folder that nobody else may enter is safe, whatever its own mode.
        let games = folder.starts_with(folders.games());
        if let Ok(about) = fs::symlink_metadata(folder) {
            let secret = [folders.keys(), folders.secrets(), folders.signed()].contains(folder);
            look_at(folder, &about, secret, &mut found);
        }
        look_into(folder, !games, &mut found);
    }
    if let Ok(about) = fs::metadata(folders.settings_file()) {
        look_at(&folders.settings_file(), &about, false, &mut found);
    }
    for folder in games.iter().filter(|folder| !own.contains(folder)) {
        look_into(folder, false, &mut found);
    }
    found
}

fn look_at(path: &Path, about: &fs::Metadata, secret: bool, found: &mut Vec<Oddity>) {
    if !is_own(about) {
        found.push(Oddity::Foreign(path.to_owned()));
    } else if is_writable_by_others(about) {
        found.push(Oddity::Writable(path.to_owned()));
    } else if secret && !is_private(about) {
        found.push(Oddity::Readable(path.to_owned()));
    }
}

/// Looks at the files in one folder; `own` says that they are the program's, and so the player's alone.
fn look_into(folder: &Path, own: bool, found: &mut Vec<Oddity>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return found.push(Oddity::Unreadable(folder.to_owned(), error.to_string())),
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                found.push(Oddity::Unreadable(folder.to_owned(), error.to_string()));
                break;
            }
        };
        let path = entry.path();
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        if !about.is_file() {
            continue;
        }
        if is_left_behind(&path) {
            found.push(Oddity::Leftover(path));
            continue;
        }
        match lockfile::standing(&path) {
            Ok(None) => {}
            Ok(Some((_, true))) => {
                found.push(Oddity::StaleLock(path));
                continue;
            }
            Ok(Some((who, false))) => {
                found.push(Oddity::Lock { path, who });
                continue;
            }
            Err(error) => {
                found.push(Oddity::Unreadable(path, error.to_string()));
                continue;
            }
        }
        let secret =
            own && folder.file_name().is_some_and(|name| name == "keys" || name == "secrets" || name == "conditions");
        if own {
            look_at(&path, &about, secret, found);
        }
    }
}

/// Returns the names in a folder, without what killed programs have left; nothing if the folder is not there.
///
/// # Errors
/// The errors of the system.
pub fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        names.extend(name.into_string().ok().filter(|name| !name.starts_with('.')));
    }
    names.sort();
    Ok(names)
}
