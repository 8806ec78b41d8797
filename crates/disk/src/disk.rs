//! Storage: one small interface of files, with two implementations. The disk keeps its promises whatever fails (see
//! `files`). Memory is for tests, and for programs that store elsewhere (see [`Memory`]).

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(any(unix, windows))]
use std::sync::LazyLock;

mod error;
mod memory;
mod port;
#[cfg(any(unix, windows))]
mod real;
#[cfg(test)]
pub(crate) mod tests;

#[cfg(any(unix, windows))]
pub(crate) use error::NoFolder;
pub use error::{FileError, Step};
pub use memory::{Changes, Failing, Memory};
#[cfg(any(unix, windows))]
pub(crate) use port::Guard;
#[cfg(any(unix, windows))]
pub use port::Trace;
pub use port::{About, FolderMode, Kind, Listed, MAX_RECORD, Mode, OpenFile, RecordLock, Writing};
pub(crate) use port::{Files, begins};

/// A set of files. It is cheap to copy; two copies are equal if they are the same set.
#[derive(Clone)]
pub struct Disk(Arc<dyn Files>);

impl PartialEq for Disk {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Disk {}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Disk {
    /// Returns the files of this machine.
    #[cfg(any(unix, windows))]
    #[must_use]
    pub fn real() -> Self {
        static REAL: LazyLock<Disk> = LazyLock::new(|| Disk(Arc::new(real::Real)));
        REAL.clone()
    }

    pub(crate) fn new(files: Arc<dyn Files>) -> Self {
        Self(files)
    }

    /// Opens a file to read it. A pipe with a name, which opening would wait for, is opened at once; if nothing comes
    /// through it within five seconds, that is an error.
    ///
    /// # Errors
    /// The errors of the system; [`io::ErrorKind::TimedOut`] for a pipe that nobody writes to.
    pub fn open(&self, path: &Path) -> io::Result<OpenFile> {
        self.0.open(path)
    }

    /// Reads the first bytes of a file, no more than `most`.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a record. It reads an oversized file only up to one byte more than [`MAX_RECORD`], which is enough to notice.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn read_record(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path, MAX_RECORD + 1)
    }

    /// Reads the first bytes of a file, no more than `most`; nothing if it is not there.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn read_if_there(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        match self.read(path, most) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Reads a record, as [`Disk::read_record`] does; nothing if it is not there.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn record_if_there(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        self.read_if_there(path, MAX_RECORD + 1)
    }

    /// Returns the length of a file that is a prefix of `bytes`; `None` if it is not. It is never in memory as a whole.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn begins(&self, path: &Path, bytes: &[u8]) -> io::Result<Option<usize>> {
        begins(self.open(path)?, bytes)
    }

    /// Returns what a path leads to; a link is followed.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn about(&self, path: &Path) -> io::Result<About> {
        self.0.about(path)
    }

    /// Returns what is at a path; a link is not followed.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn about_itself(&self, path: &Path) -> io::Result<About> {
        self.0.about_itself(path)
    }

    /// Returns whether something is at a path. A link that leads nowhere is nothing.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn has(&self, path: &Path) -> io::Result<bool> {
        match self.about(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns what is in a folder, in no order.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn list(&self, folder: &Path) -> io::Result<Vec<Listed>> {
        self.0.list(folder)
    }

    /// Returns what is in a folder, in no order; nothing if the folder is not there.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn list_if_there(&self, folder: &Path) -> io::Result<Vec<Listed>> {
        match self.list(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// Returns the names in a folder in their order, without what killed programs have left; nothing if the folder is not there.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn names_in(&self, folder: &Path) -> io::Result<Vec<String>> {
        let names = self.list_if_there(folder)?.into_iter().filter_map(|one| one.name.into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the path of what a path leads to, with links followed.
    ///
    /// # Errors
    /// If it leads to nothing, or the system does not tell.
    pub fn itself(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.itself(path)
    }

    /// Returns whether two paths lead to the same file or folder.
    ///
    /// # Errors
    /// If one of them leads to nothing, or the system does not tell.
    pub fn is_same(&self, one: &Path, other: &Path) -> io::Result<bool> {
        Ok(self.itself(one)? == self.itself(other)?)
    }

    /// Returns what a program left at this path while it was writing, or holds there.
    #[cfg(any(unix, windows))]
    pub fn trace(&self, path: &Path) -> io::Result<Option<Trace>> {
        self.0.trace(path)
    }

    /// Creates a new file that contains `bytes`.
    ///
    /// # Errors
    /// [`FileError::Exists`] if anything with that name exists, including a broken link; the errors of the system.
    pub fn create(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FileError> {
        self.0.create(path, bytes, mode)
    }

    /// Creates a new file that only the user may read.
    ///
    /// # Errors
    /// As [`Disk::create`].
    pub fn create_private(&self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        self.create(path, bytes, Mode::Private)
    }

    /// Writes or overwrites a file: for files that are made anew each time. A record is replaced under a
    /// [lock](Disk::lock).
    ///
    /// # Errors
    /// The errors of the system.
    pub fn put(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FileError> {
        self.put_by(path, &|out| out.write_all(bytes), mode)
    }

    /// Like [`Disk::put`], for contents that are never in memory as a whole: `write` writes them.
    ///
    /// # Errors
    /// The errors of the system, and those of `write`.
    pub fn put_by(&self, path: &Path, write: Writing<'_>, mode: Mode) -> Result<(), FileError> {
        self.0.put(path, write, mode)
    }

    /// Writes or overwrites a file that only the user may read.
    ///
    /// # Errors
    /// As [`Disk::put`].
    pub fn put_private(&self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        self.put(path, bytes, Mode::Private)
    }

    /// Opens a file that only the user may read for appending; creates it if there is none. Appended bytes may be lost or
    /// cut off if the program is killed.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn append(&self, path: &Path) -> io::Result<Box<dyn Write + Send>> {
        Arc::clone(&self.0).append(path)
    }

    /// Renames a private file on the same file system, replacing any file with the new name.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        self.0.rename(from, to)
    }

    /// Removes a file, so that a power cut does not bring it back. Returns whether there was one.
    ///
    /// # Errors
    /// The errors of the system. [`Step::SyncRemoval`]: the file is removed, but may come back.
    pub fn remove(&self, path: &Path) -> Result<bool, FileError> {
        self.0.remove(path)
    }

    /// Makes sure that the name of a file that is there outlasts a power cut: a killed program may have left it so that it
    /// does not.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn keep_name(&self, path: &Path) -> Result<(), FileError> {
        self.0.keep_name(path)
    }

    /// Creates a folder with any missing parents. One that is there is not changed.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn folder(&self, path: &Path, mode: FolderMode) -> io::Result<()> {
        self.0.folder(path, mode)
    }

    /// Creates a folder with any missing parents, for the user alone. One that is there is not changed.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn private_folder(&self, path: &Path) -> io::Result<()> {
        self.folder(path, FolderMode::Private)
    }

    /// Locks a record, following links. On the disk it waits up to five seconds for another program to finish.
    ///
    /// # Errors
    /// [`FileError::Busy`], [`FileError::NotAFile`], and the errors of the system (no such file, no permission to read it, or it is
    /// read-only: it would be replaced by another file, which the system allows).
    pub fn lock(&self, path: &Path) -> Result<RecordLock, FileError> {
        if self.about(path).is_ok_and(|about| about.kind == Kind::File && about.is_read_only()) {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only, and stays as it is");
            return Err(FileError::Io { step: Step::Lock, path: path.to_owned(), source });
        }
        Arc::clone(&self.0).lock(path)
    }

    /// Locks a note that only its player may read. It is made, with nothing in it, if it is not there.
    ///
    /// # Errors
    /// Those of [`Disk::create_private`] and [`Disk::lock`].
    pub fn lock_note(&self, path: &Path) -> Result<RecordLock, FileError> {
        match self.create_private(path, b"") {
            Ok(()) | Err(FileError::Exists { .. }) => self.lock(path),
            Err(error) => Err(error),
        }
    }

    /// Changes a note that only its player may read, under its lock. It is made, with its folder, if it is not there. If the change
    /// leaves it as it is, it is not written again.
    ///
    /// # Errors
    /// Those of [`Disk::lock_note`] and [`RecordLock::replace`], and if the folder cannot be made.
    pub fn change_note(&self, path: &Path, change: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<(), FileError> {
        if let Some(folder) = path.parent() {
            let failed = |source| FileError::Io { step: Step::Create, path: path.to_owned(), source };
            self.private_folder(folder).map_err(failed)?;
        }
        let mut lock = self.lock_note(path)?;
        let old = lock.read()?;
        let new = change(&old);
        // A run that was killed may have written it without making its name last.
        if new == old { self.keep_name(lock.path()) } else { lock.replace(&old, &new) }
    }

    /// Replaces the record at `path`, which the caller read as `old`, with `new`.
    ///
    /// # Errors
    /// Those of [`Disk::lock`] and [`RecordLock::replace`].
    pub fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> Result<(), FileError> {
        self.lock(path)?.replace(old, new)
    }
}
