//! Operations besides replacing a record: writing a new file piece by piece, writing many at once, removing one, and
//! opening a possible pipe.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{Access, FileError, NEW, Step, folder_of, run, stage, sweep_for, sync_folder, unfinished};
use crate::system;

/// A new file that is being written, readable by whom the umask allows. Until it is [finished](Self::create), it has a
/// passing name; if it is dropped before, nothing is left of it, and if the program is killed, the next one that writes a
/// file of this name removes it.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    temp: NamedTempFile,
    /// Removes it if the program is told to end.
    _noted: unfinished::Noted,
}

impl NewFile {
    /// Begins a file that is to be at `path`.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn begin(path: &Path) -> Result<Self, FileError> {
        sweep_for(path);
        Self::staged(path)
    }

    fn staged(path: &Path) -> Result<Self, FileError> {
        let (temp, noted) = unfinished::begin(|| {
            let temp = stage(path, NEW, Access::Umask, None)?;
            let left = unfinished::Unfinished::New(temp.path().to_owned());
            Ok((temp, left))
        })?;
        Ok(Self { path: path.to_owned(), temp, _noted: noted })
    }

    /// Flushes the file and gives it its name, unless something with that name exists.
    ///
    /// # Errors
    /// [`FileError::Exists`], and the errors of the system.
    pub fn create(self) -> Result<(), FileError> {
        let path = self.path.clone();
        self.take_name()?;
        sync_folder(&path)
    }

    /// Like [`Self::create`], without flushing the folder.
    fn take_name(self) -> Result<(), FileError> {
        let Self { path, temp, _noted } = self;
        run(Step::SyncFile, &path, || temp.as_file().sync_all())?;
        super::take_name(temp, &path)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temp.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temp.as_file_mut().flush()
    }
}

/// Many files that belong together, as those of an archive: each is flushed before it takes its name, and each folder is
/// swept before the first of its files and flushed after the last.
#[derive(Debug, Default)]
pub struct NewFiles {
    folders: BTreeSet<PathBuf>,
}

impl NewFiles {
    /// Creates a file, as [`create`](super::create) does, except that its name may be lost in a power cut before
    /// [`Self::finish`].
    ///
    /// # Errors
    /// As [`create`](super::create).
    pub fn create(&mut self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        self.written(path, bytes)?.take_name()
    }

    /// Writes a file, as [`put`](super::put) does, except that after a power cut before [`Self::finish`] the old one may
    /// be back.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn put(&mut self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let NewFile { path, temp, _noted } = self.written(path, bytes)?;
        run(Step::SyncFile, &path, || temp.as_file().sync_all())?;
        run(Step::Rename, &path, || system::take_over(temp, &path).map(drop))
    }

    fn written(&mut self, path: &Path, bytes: &[u8]) -> Result<NewFile, FileError> {
        if self.folders.insert(folder_of(path).to_owned()) {
            let kind = path.extension();
            super::sweep_folder(folder_of(path), |goal| {
                kind.is_some_and(|kind| goal.ends_with(kind.as_encoded_bytes())) || goal.ends_with(b".pbem")
            });
        }
        let mut file = NewFile::staged(path)?;
        run(Step::Write, path, || file.write_all(bytes))?;
        Ok(file)
    }

    /// Flushes the folders.
    ///
    /// # Errors
    /// The errors of the system, after all folders were tried.
    pub fn finish(self) -> Result<(), FileError> {
        let flush = |folder: &PathBuf| run(Step::SyncFolder, folder, || super::flush_folder(folder));
        self.folders.iter().map(flush).fold(Ok(()), Result::and)
    }
}

/// Removes a file, and flushes its folder so that a power cut does not bring it back. Returns whether there was one.
///
/// # Errors
/// The errors of the system. [`Step::SyncRemoval`]: the file is removed, but may come back.
pub fn remove(path: &Path) -> Result<bool, FileError> {
    let gone = run(Step::Remove, path, || match system::remove(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    })?;
    // Even if it was gone already: whoever removed it may have been killed before the folder was flushed.
    match run(Step::SyncRemoval, path, || super::flush_folder(folder_of(path))) {
        Err(FileError::Io { source, .. }) if !gone && source.kind() == io::ErrorKind::NotFound => Ok(false),
        flushed => flushed.map(|()| gone),
    }
}

/// Creates the folder `path`, with any missing parents, for the user alone, and flushes them to disk: otherwise, what
/// is written in the folder could be lost with it. An existing folder is not changed.
///
/// # Errors
///
/// The errors of the system.
pub fn private_folder(path: &Path) -> io::Result<()> {
    make_folder(path, 0o700)
}

/// Like [`private_folder`], but others may read it if the umask allows; nobody else may write to it.
pub(crate) fn shared_folder(path: &Path) -> io::Result<()> {
    make_folder(path, 0o755)
}

fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        // For a bare name this is the current folder.
        return Ok(());
    }
    let mut made = system::create_folder(path, mode);
    if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty())
    {
        make_folder(above, mode)?;
        made = system::create_folder(path, mode);
    }
    match made {
        Ok(()) => super::flush_folder(folder_of(path)),
        Err(error) => match fs::metadata(path) {
            Ok(there) if there.is_dir() => Ok(()),
            _ => Err(error),
        },
    }
}

/// Creates the folder `path` with any missing parents, as the umask says, and flushes them to disk.
///
/// # Errors
/// The errors of the system.
pub fn folder(path: &Path) -> io::Result<()> {
    make_folder(path, 0o777)
}

/// Creates one folder in a folder that exists; returns whether it is new.
///
/// # Errors
/// The errors of the system, among them if something else has that name.
pub fn new_folder(path: &Path) -> io::Result<bool> {
    match fs::create_dir(path) {
        Ok(()) => super::flush_folder(folder_of(path)).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a file to read it. A pipe with a name, which opening would wait for, is opened at once; if nothing comes
/// through it within five seconds, that is an error.
///
/// # Errors
/// The errors of the system; [`io::ErrorKind::TimedOut`] for a pipe that nobody writes to.
pub fn open(path: &Path) -> io::Result<File> {
    system::open(path)
}
