//! Looks at the player's files as they lie on the disk, for what should not be there, and changes nothing.

use std::path::{Path, PathBuf};

use postrider_disk::disk::{About, Disk, Kind, Trace};
use postrider_disk::folders::Folders;

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
    let disk = &folders.disk;
    let mut found = vec![folders.data.clone()];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        next += 1;
        let below = disk.list(&folder).into_iter().flatten().map(|one| folder.join(one.name));
        // A link is not followed: it may lead anywhere.
        found.extend(below.filter(|path| disk.about_itself(path).is_ok_and(|about| about.kind == Kind::Folder)));
    }
    found.retain(|folder| disk.about(folder).is_ok_and(|about| about.kind == Kind::Folder));
    found
}

/// Looks through the program's own folders and through those of the games.
#[must_use]
pub(crate) fn look_through(folders: &Folders, games: &[PathBuf]) -> Vec<Oddity> {
    let mut found = Vec::new();
    let disk = &folders.disk;
    let own = own_folders(folders);
    for folder in &own {
        // What lies in a folder that nobody else may enter is safe, whatever its own mode.
        let games = folder.starts_with(folders.games());
        if let Ok(about) = disk.about_itself(folder) {
            let secret = [folders.keys(), folders.secrets(), folders.signed()].contains(folder);
            look_at(folder, &about, secret, &mut found);
        }
        look_into(disk, folder, !games, &mut found);
    }
    if let Ok(about) = disk.about(&folders.settings_file()) {
        look_at(&folders.settings_file(), &about, false, &mut found);
    }
    for folder in games.iter().filter(|folder| !own.contains(folder)) {
        look_into(disk, folder, false, &mut found);
    }
    found
}

fn look_at(path: &Path, about: &About, secret: bool, found: &mut Vec<Oddity>) {
    if !about.is_own() {
        found.push(Oddity::Foreign(path.to_owned()));
    } else if about.is_writable_by_others() {
        found.push(Oddity::Writable(path.to_owned()));
    } else if secret && !about.is_private() {
        found.push(Oddity::Readable(path.to_owned()));
    }
}

/// Looks at the files in one folder; `own` says that they are the program's, and so the player's alone.
fn look_into(disk: &Disk, folder: &Path, own: bool, found: &mut Vec<Oddity>) {
    let listed = match disk.list_if_there(folder) {
        Ok(listed) => listed,
        Err(error) => return found.push(Oddity::Unreadable(folder.to_owned(), error.to_string())),
    };
    for one in listed {
        let path = folder.join(one.name);
        let Ok(about) = disk.about_itself(&path) else { continue };
        if about.kind != Kind::File {
            continue;
        }
        let odd = match disk.trace(&path) {
            Ok(None) => None,
            Ok(Some(Trace::Leftover)) => Some(Oddity::Leftover(path.clone())),
            Ok(Some(Trace::StaleLock)) => Some(Oddity::StaleLock(path.clone())),
            Ok(Some(Trace::Lock(who))) => Some(Oddity::Lock { path: path.clone(), who }),
            Err(error) => Some(Oddity::Unreadable(path.clone(), error.to_string())),
        };
        if let Some(odd) = odd {
            found.push(odd);
            continue;
        }
        let secret =
            own && folder.file_name().is_some_and(|name| name == "keys" || name == "secrets" || name == "conditions");
        if own {
            look_at(&path, &about, secret, found);
        }
    }
}
