//! Records on the disk. A record is replaced whole or not at all: written beside, flushed, renamed, and the folder
//! flushed, under an advisory lock. A full disk, a read-only folder or a kill at any instant leaves the old file or the
//! new one.
//!
//! # What is locked
//!
//! The record itself, although renaming puts another file in its place. Whoever has got the lock looks whether the
//! name still leads to the file it locked, and begins again if it does not; and a replacement is locked before it
//! takes the name, so that one lock covers several replacements. Compared with a lock file beside the record this
//! leaves nothing behind and needs no right to write the folder; compared with a lock on the folder it works on NFS
//! (where an exclusive lock needs a file open for writing) and games in one folder do not wait for each other.
//! The kernel frees the lock when its holder dies. Where a file system has no locks the record is still compared with
//! what the caller read before it is replaced, and [`RecordLock::is_held`] says that nothing more was done.
//!
//! # What a replacement keeps
//!
//! The permission bits, and owner and group as far as the system lets them be set. Access lists and extended
//! attributes are lost, as with any editor that writes this way. A symbolic link is followed and stays one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

use crate::record::RECORD_LIMIT;

#[cfg(test)]
pub(super) mod tests;

#[cfg(test)]
use tests::reach;

/// The largest record, in bytes.
pub const MAX_RECORD: u64 = RECORD_LIMIT as u64;

/// How long a lock is waited for: far longer than a replacement takes.
const WAIT: Duration = Duration::from_secs(5);
/// The pause between two tries for a lock.
const PAUSE: Duration = Duration::from_millis(5);
/// The end of the names of files that become a replacement.
const SUFFIX: &str = ".tmp";
/// How many random characters `tempfile` puts between prefix and suffix.
const RANDOM: usize = 6;

/// The steps of writing a record, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Find the file and lock it.
    Lock,
    /// Read it.
    Read,
    /// Make the file beside it.
    Create,
    /// Write that file.
    Write,
    /// Flush that file to the disk.
    SyncFile,
    /// Give it the record's name.
    Rename,
    /// Flush the folder to the disk.
    SyncFolder,
}

/// Called before each step. Only the tests put something here: they let a step fail, or end the process at it.
#[cfg(not(test))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "the tests' twin fails")]
fn reach(_step: Step) -> io::Result<()> {
    Ok(())
}

/// Why a file was not read or written.
#[derive(Debug)]
pub enum FileError {
    /// Another program held the lock all the time.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is not what the caller read. Nothing was written.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file of that name is there already. Nothing was written.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path leads to a folder, a pipe or a device.
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The system refused a step.
    Io {
        /// The step.
        step: Step,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// Returns whether the new bytes stand in the file although an error came: only flushing the folder failed.
    #[must_use]
    pub fn was_written(&self) -> bool {
        matches!(self, Self::Io { step: Step::SyncFolder, .. })
    }
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Busy { path } => {
                write!(f, "another program is writing {}; nothing was changed: try again", path.display())
            }
            Self::Changed { path } => {
                write!(f, "{} was changed by another program meanwhile; nothing was written: try again", path.display())
            }
            Self::Exists { path } => write!(f, "{} is there already, and is not overwritten", path.display()),
            Self::NotAFile { path } => write!(f, "{} is no ordinary file", path.display()),
            Self::Io { step, path, source } => {
                let path = path.display();
                match step {
                    Step::Lock => write!(f, "cannot open {path} for writing: {source}"),
                    Step::Read => write!(f, "cannot read {path}: {source}"),
                    Step::Create | Step::Write | Step::SyncFile | Step::Rename => {
                        write!(f, "cannot write {path}: {source}; nothing was changed")
                    }
                    Step::SyncFolder => write!(
                        f,
                        "{path} is written, but its folder could not be flushed to the disk: {source}; after a power \
                         cut the old file may be back"
                    ),
                }
            }
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Runs the step `step` on `path`, and says in its error which step it was.
fn run<T>(step: Step, path: &Path, work: impl FnOnce() -> io::Result<T>) -> Result<T, FileError> {
    reach(step).and_then(|()| work()).map_err(|source| FileError::Io { step, path: path.to_owned(), source })
}

/// Reads the file at `path`, of an oversized one only one byte more than [`MAX_RECORD`]: enough to notice it.
///
/// # Errors
///
/// Those of the system.
pub fn read_record(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_RECORD + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Replaces the file at `path`, which the caller read as `old`, by `new`. See [`RecordLock::replace`].
///
/// # Errors
///
/// Those of [`RecordLock::take`] and [`RecordLock::replace`].
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), FileError> {
    RecordLock::take(path)?.replace(old, new)
}

/// Makes a new file at `path` with the bytes `bytes`, readable as the user's umask says.
///
/// # Errors
///
/// [`FileError::Exists`] when anything of that name is there, a broken link included; those of the system.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_with(path, bytes, Access::Umask)
}

/// As [`create`], but readable by the user alone.
///
/// # Errors
///
/// As [`create`].
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_with(path, bytes, Access::Private)
}

/// Writes `bytes` to `path` for the user alone to read, whatever was there before. For files that are made anew each
/// time; a record wants [`replace`].
///
/// # Errors
///
/// Those of the system.
pub fn put_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let temp = write_beside(path, ".put", bytes, Access::Private, None)?;
    run(Step::Rename, path, || temp.persist(path).map_err(|error| error.error))?;
    sync_folder(path)
}

/// Writes `bytes` to `path`, readable as the user's umask says, whatever was there before: for what can be made again at any time, such
/// as a picture.
///
/// # Errors
///
/// Those of the system.
pub fn put(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let temp = write_beside(path, ".put", bytes, Access::Umask, None)?;
    run(Step::Rename, path, || temp.persist(path).map_err(|error| error.error))?;
    sync_folder(path)
}

/// Moves a file that [`put_private`] wrote to another name on the same file system, whatever was there before.
pub(crate) fn rename_private(from: &Path, to: &Path) -> Result<(), FileError> {
    run(Step::Rename, to, || fs::rename(from, to))?;
    sync_folder(to)
}

/// Makes the folder `path`, with those above it that are missing, for the user alone. A folder that is there stays as
/// it is.
///
/// # Errors
///
/// Those of the system.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Returns whether nobody but the user may read what has these metadata, as far as the system tells.
#[cfg(unix)]
pub(super) fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o077 == 0
}

#[cfg(not(unix))]
pub(super) fn is_private(_: &fs::Metadata) -> bool {
    true
}

/// The right to replace a record: while it lives, no other program that asks for it writes the file.
#[derive(Debug)]
pub struct RecordLock {
    /// The file itself, links followed.
    path: PathBuf,
    /// The open file that bears the lock; none where the file system knows no locks.
    file: Option<File>,
}

impl RecordLock {
    /// Locks the record at `path`, following links; waits up to five seconds for another program to finish.
    ///
    /// # Errors
    ///
    /// [`FileError::Busy`], [`FileError::NotAFile`], and those of the system (no such file, no right to read it).
    pub fn take(path: &Path) -> Result<Self, FileError> {
        Self::take_within(path, WAIT)
    }

    /// As [`RecordLock::take`], with another time to wait.
    ///
    /// # Errors
    ///
    /// As [`RecordLock::take`].
    pub fn take_within(path: &Path, wait: Duration) -> Result<Self, FileError> {
        let real = run(Step::Lock, path, || fs::canonicalize(path))?;
        let started = Instant::now();
        loop {
            // Looked at before it is opened: opening a pipe would wait for its other end.
            if !run(Step::Lock, &real, || fs::metadata(&real))?.is_file() {
                return Err(FileError::NotAFile { path: real });
            }
            let file = run(Step::Lock, &real, || open_to_lock(&real))?;
            match file.try_lock() {
                Ok(()) => {
                    if run(Step::Lock, &real, || leads_to(&real, &file))? {
                        return Ok(Self { path: real, file: Some(file) });
                    }
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { path: real, file: None });
                }
                Err(TryLockError::Error(source)) => {
                    return Err(FileError::Io { step: Step::Lock, path: real, source });
                }
            }
            if started.elapsed() >= wait {
                return Err(FileError::Busy { path: real });
            }
        }
    }

    /// The file itself, links followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether there is a lock; false on a file system that knows none.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.file.is_some()
    }

    /// Reads the record, as [`read_record`] does.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn read(&self) -> Result<Vec<u8>, FileError> {
        run(Step::Read, &self.path, || read_record(&self.path))
    }

    /// Replaces the record, which the caller read as `old`, by `new`. The lock stays, on the new file.
    ///
    /// # Errors
    ///
    /// [`FileError::Changed`] when the file is not `old`; those of the system. Unless [`FileError::was_written`] says
    /// otherwise the file is as it was.
    pub fn replace(&mut self, old: &[u8], new: &[u8]) -> Result<(), FileError> {
        if self.read()? != old {
            return Err(FileError::Changed { path: self.path.clone() });
        }
        if self.is_held() {
            self.sweep();
        }
        let metadata = run(Step::Read, &self.path, || fs::metadata(&self.path))?;
        let temp = write_beside(&self.path, "", new, Access::As(&metadata), self.file.as_ref())?;
        let file = run(Step::Rename, &self.path, || temp.persist(&self.path).map_err(|error| error.error))?;
        if self.is_held() {
            self.file = Some(file);
        }
        sync_folder(&self.path)
    }

    /// Removes what killed programs left beside the record. Under the lock nobody else is writing such a file. It is a
    /// courtesy: what cannot be removed stays.
    fn sweep(&self) {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else { return };
        let prefix = prefix_beside(name, "");
        let length = prefix.len() + RANDOM + SUFFIX.len();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let found = entry.file_name();
            let bytes = found.as_encoded_bytes();
            if bytes.len() == length
                && bytes.starts_with(prefix.as_encoded_bytes())
                && bytes.ends_with(SUFFIX.as_bytes())
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Who may read a new file.
#[derive(Clone, Copy)]
enum Access<'a> {
    /// Whoever the umask lets.
    Umask,
    /// The user alone.
    Private,
    /// Whoever could read the file it replaces.
    As(&'a fs::Metadata),
}

fn create_with(path: &Path, bytes: &[u8], access: Access<'_>) -> Result<(), FileError> {
    let temp = write_beside(path, ".new", bytes, access, None)?;
    match run(Step::Rename, path, || temp.persist_noclobber(path).map_err(|error| error.error)) {
        Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            Err(FileError::Exists { path: path.to_owned() })
        }
        Err(error) => Err(error),
        Ok(_) => sync_folder(path),
    }
}

/// Writes `bytes` into a new file in the folder of `path` and flushes it. `kind` keeps the names of new files apart from
/// those of replacements, which are swept away under a lock. Locked like `lock`, if that is given.
fn write_beside(
    path: &Path,
    kind: &str,
    bytes: &[u8],
    access: Access<'_>,
    lock: Option<&File>,
) -> Result<NamedTempFile, FileError> {
    let Some(name) = path.file_name() else { return Err(FileError::NotAFile { path: path.to_owned() }) };
    let mut temp = run(Step::Create, path, || {
        let prefix = prefix_beside(name, kind);
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        #[cfg(unix)]
        if matches!(access, Access::Umask) {
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        let temp = builder.tempfile_in(folder_of(path)).map_err(bare)?;
        if let Access::As(metadata) = access {
            keep_owner(temp.as_file(), metadata);
            temp.as_file().set_permissions(metadata.permissions())?;
        }
        if lock.is_some() {
            temp.as_file().try_lock()?;
        }
        Ok(temp)
    })?;
    run(Step::Write, path, || temp.write_all(bytes).map_err(bare))?;
    run(Step::SyncFile, path, || temp.as_file().sync_all())?;
    Ok(temp)
}

fn sync_folder(path: &Path) -> Result<(), FileError> {
    run(Step::SyncFolder, path, || {
        // Elsewhere a folder cannot be opened as a file, and renaming is the system's to keep.
        if cfg!(unix) {
            match File::open(folder_of(path))?.sync_all() {
                // Some file systems keep their folders safe by other means, and refuse to be asked.
                Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
                done => done?,
            }
        }
        Ok(())
    })
}

fn prefix_beside(name: &OsStr, kind: &str) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(kind);
    prefix.push(".");
    prefix
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What the system said, without the passing name of the file that `tempfile` adds.
fn bare(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|outer| outer.source()).and_then(|inner| inner.downcast_ref::<io::Error>());
    inner.and_then(io::Error::raw_os_error).map_or(error, io::Error::from_raw_os_error)
}

/// Opens the file for writing, which an exclusive lock needs on NFS, or else for reading, which does elsewhere.
fn open_to_lock(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            File::open(path)
        }
        opened => opened,
    }
}

/// Returns whether the name still leads to the open file. A name that leads nowhere is an error.
#[cfg(unix)]
fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (named, open) = (fs::metadata(path)?, file.metadata()?);
    Ok((named.dev(), named.ino()) == (open.dev(), open.ino()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "its twin fails")]
fn leads_to(_path: &Path, _file: &File) -> io::Result<bool> {
    Ok(true)
}

/// Gives the new file the old one's group and owner, as far as the system lets it: a shared record stays shared.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(new) = file.metadata() else { return };
    if new.gid() != old.gid() {
        let _ = fchown(file, None, Some(old.gid()));
    }
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _old: &fs::Metadata) {}
