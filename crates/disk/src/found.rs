//! The records below a folder of some disk.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Kind};
use postrider_referee::record::is_file_name;

/// A path that is to be judged.
#[derive(Debug)]
pub enum Found {
    /// The file of a record.
    Record(PathBuf),
    /// A folder or file that cannot be read, and why.
    Unreadable(PathBuf, io::Error),
    /// A folder that contains no record.
    NoRecord(PathBuf),
}

impl Found {
    #[must_use]
    pub fn path(&self) -> &Path {
        let (Self::Record(path) | Self::Unreadable(path, _) | Self::NoRecord(path)) = self;
        path
    }
}

/// Finds the records below a folder of some disk, each in order of name.
#[must_use]
pub fn find_in(disk: &Disk, folder: &Path) -> Vec<Found> {
    #[cfg(any(unix, windows))]
    if *disk == Disk::real() {
        return crate::finding::find(&[folder.to_owned()]);
    }
    let mut found = Vec::new();
    search_in(disk, folder, &mut found);
    if found.is_empty() {
        found.push(Found::NoRecord(folder.to_owned()));
    }
    found
}

/// Returns the records below a folder of some disk, each in order of name; none if the folder is not there.
///
/// # Errors
/// What cannot be read, and why.
pub fn records_in(disk: &Disk, folder: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut records = Vec::new();
    if !disk.about(folder).is_ok_and(|about| about.kind == Kind::Folder) {
        return Ok(records);
    }
    for found in find_in(disk, folder) {
        match found {
            Found::Record(path) => records.push(path),
            Found::NoRecord(_) => {}
            Found::Unreadable(path, error) => return Err((path, error)),
        }
    }
    Ok(records)
}

/// Adds the records in a folder of some disk and in the folders below it, in order of name.
fn search_in(disk: &Disk, folder: &Path, found: &mut Vec<Found>) {
    let mut all = match disk.list(folder) {
        Ok(all) => all,
        Err(error) => {
            found.push(Found::Unreadable(folder.to_owned(), error));
            return;
        }
    };
    all.sort_by(|one, other| one.name.cmp(&other.name));
    for one in all {
        let path = folder.join(&one.name);
        match one.kind {
            Ok(Kind::Folder) => search_in(disk, &path, found),
            Ok(Kind::File) if is_record(&one.name) => found.push(Found::Record(path)),
            Ok(_) => {}
            Err(error) => found.push(Found::Unreadable(path, error)),
        }
    }
}

/// Reads everything found on some disk, and passes the result of `tell` for each to `each`, in order.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub fn walk_in<T: Send, E>(
    disk: &Disk,
    found: &[Found],
    tell: impl Fn(&Found, Result<&[u8], io::Error>) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    #[cfg(any(unix, windows))]
    if *disk == Disk::real() {
        return crate::walking::walk(found, tell, each);
    }
    found.iter().try_for_each(|one| match one {
        Found::Record(path) => match disk.read_record(path) {
            Ok(record) => each(tell(one, Ok(&record))),
            Err(error) => each(tell(one, Err(error))),
        },
        Found::Unreadable(path, _) | Found::NoRecord(path) => {
            each(tell(one, Err(io::Error::other(path.display().to_string()))))
        }
    })
}

/// Returns whether a file of this name is a record, `*.pbem`.
pub(crate) fn is_record(name: &OsStr) -> bool {
    is_file_name(name.as_encoded_bytes())
}
