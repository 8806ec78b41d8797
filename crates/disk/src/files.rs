//! Records on disk. A record is replaced completely or not at all: written to a file beside it, flushed, renamed, and
//! the folder flushed, under an advisory lock. A full disk, a read-only folder or a kill at any moment leaves either
//! the old file or the new one.
//!
//! # What is locked
//!
//! The record itself, although renaming puts another file in its place. After getting the lock, a program checks
//! whether the name still leads to the file it locked, and starts over if it does not; and a replacement is locked
//! before it takes the name, so one lock covers several replacements. Compared with a lock file beside the record, this
//! leaves nothing behind and needs no write permission for the folder; compared with a lock on the folder, it works on
//! NFS (where an exclusive lock needs a file open for writing), and games in the same folder do not wait for each
//! other. The kernel releases the lock when its holder dies. If a file system has no locks, or none can be obtained
//! (some network file systems), a lock file beside the record is used instead; a program that got the kernel's lock
//! checks for such a file all the same, so that two programs in different situations do not both write. Without either
//! lock, nothing is written at all.
//!
//! On Windows a lock on the record would keep everybody from reading and replacing it, so there the lock is always such a file,
//! held open while it lasts ([`system`]). In a folder that Windows and Unix share, programs on Unix respect that file
//! before they write and once more just before they replace the record; a program on Windows does not see the kernel's
//! lock of one on Unix, but like all of them it writes nothing if the record is not what it read.
//!
//! # What is left behind
//!
//! A program that is killed leaves a temporary file beside the file it was writing. Such files are locked while they
//! are being written; the next program that writes in the folder removes those that are not locked.
//!
//! # What a replacement keeps
//!
//! The permission bits, and owner and group as far as the system allows. Access control lists and extended attributes
//! are lost, as with any editor that writes in this way. A symbolic link is followed and remains one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

use crate::disk::{FileError, Guard, MAX_RECORD, NoFolder, RecordLock, Step, begins};
use crate::lockfile;
use crate::lockfile::LockFile;
use crate::system;
use crate::system::{flush_folder, keep_owner, leads_to};

#[cfg(any(test, feature = "testing"))]
pub mod faults;
mod fresh;
#[cfg(test)]
mod tests;
mod unfinished;

pub(crate) use fresh::shared_folder;
pub use fresh::{NewFile, NewFiles, folder, new_folder, open, private_folder, remove};
pub use unfinished::{GrowingFile, TakenBack, take_back_unfinished};

#[cfg(any(test, feature = "testing"))]
use faults::reach;

/// How long to wait for a lock: much longer than a replacement takes.
const WAIT: Duration = Duration::from_secs(5);
/// The pause between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(5);
/// The ending of temporary files.
const SUFFIX: &str = ".tmp";
/// How many random characters `tempfile` puts between prefix and suffix.
const RANDOM: usize = 6;
/// What stands there first: a file that a killed program left under this name is found by the next one that writes the
/// same file, without a look at the whole folder.
const FIRST: &str = "000000";
/// How many names in a folder are looked at for files that killed programs have left. A folder may hold a file for each of
/// a hundred thousand games, and looking at all of them would be most of what a letter costs.
const LOOKED_AT: usize = 1024;
/// What follows the name of a new file in its temporary name.
const NEW: &str = ".new";
/// The same for a file that replaces another one, whatever that is.
const PUT: &str = ".put";
/// How often a temporary file is created again after another program mistook it for an abandoned one.
const TRIES: u32 = 16;

/// Called before each step. Only tests do something here: they make a step fail, or end the process at it.
#[cfg(not(any(test, feature = "testing")))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "the tests' twin fails")]
fn reach(_step: Step) -> io::Result<()> {
    Ok(())
}

/// Runs a step on `path`, and names the step in its error.
fn run<T>(step: Step, path: &Path, work: impl FnOnce() -> io::Result<T>) -> Result<T, FileError> {
    reach(step).and_then(|()| work()).map_err(|source| FileError::Io { step, path: path.to_owned(), source })
}

/// Reads the file at `path`. Of an oversized file it reads only one byte more than [`MAX_RECORD`], which is enough to
/// notice.
///
/// # Errors
///
/// The errors of the system.
pub fn read_record(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_RECORD + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Like [`begins`], for the file at `path`.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<Option<usize>> {
    begins(File::open(path)?, bytes)
}

/// Replaces the file at `path`, which the caller read as `old`, with `new`. See [`RecordLock::replace`].
///
/// # Errors
///
/// Those of [`RecordLock::take`] and [`RecordLock::replace`].
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), FileError> {
    RecordLock::take(path)?.replace(old, new)
}

/// Creates a new file at `path` that contains `bytes`, with the permissions of the user's umask.
///
/// # Errors
///
/// [`FileError::Exists`] if anything with that name exists, including a broken link; the errors of the system.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_with(path, bytes, Access::Umask)
}

/// Like [`create`], but readable only by the user.
///
/// # Errors
///
/// As [`create`].
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_with(path, bytes, Access::Private)
}

/// Writes `bytes` to `path`, readable only by the user, and overwrites any file there. For files that are made anew
/// each time; for a record, use [`replace`].
///
/// # Errors
///
/// The errors of the system.
pub fn put_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    put_private_by(path, &|out| out.write_all(bytes))
}

/// Like [`put_private`], for contents that are never in memory as a whole: `write` writes them.
///
/// # Errors
///
/// The errors of the system, and those of `write`.
pub fn put_private_by(path: &Path, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
    sweep_for(path);
    let temp = write_beside(path, PUT, write, Access::Private, None)?;
    run(Step::Rename, path, || system::take_over(temp, path))?;
    sync_folder(path)
}

/// Writes `bytes` to `path` with the permissions of the user's umask, whatever was there before: for files that can be
/// made again at any time, such as pictures.
///
/// # Errors
///
/// The errors of the system.
pub fn put(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    put_by(path, &|out| out.write_all(bytes))
}

/// Like [`put`], for contents that are never in memory as a whole: `write` writes them.
pub(crate) fn put_by(path: &Path, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
    sweep_for(path);
    let temp = write_beside(path, PUT, write, Access::Umask, None)?;
    run(Step::Rename, path, || system::take_over(temp, path))?;
    sync_folder(path)
}

/// Renames a file that [`put_private`] wrote on the same file system, replacing any file with the new name.
pub fn rename_private(from: &Path, to: &Path) -> Result<(), FileError> {
    run(Step::Rename, to, || system::rename(from, to))?;
    sync_folder(to)?;
    // Until both folders are flushed, a power cut may undo it.
    if folder_of(from) == folder_of(to) { Ok(()) } else { run(Step::SyncFolder, to, || flush_folder(folder_of(from))) }
}

/// Removes the abandoned temporary files of a file that is to be written, and those of new records beside it, which
/// nobody else would remove.
fn sweep_for(path: &Path) {
    if let Some(name) = path.file_name() {
        let name = name.as_encoded_bytes();
        sweep_folder(folder_of(path), |goal| goal == name || goal.ends_with(b".pbem"));
    }
}

/// Removes abandoned temporary files from a folder if `which` accepts the names that they were to have.
pub(crate) fn sweep_folder(folder: &Path, which: impl Fn(&[u8]) -> bool) {
    for entry in looked_at(folder) {
        sweep_entry(&entry, &which);
    }
}

/// Removes all abandoned temporary files from a folder of the program's own, and from the folders in it, so many levels deep: a list of
/// names could forget one.
pub(crate) fn sweep_own_folders(folder: &Path, levels: u8) {
    for entry in looked_at(folder) {
        sweep_entry(&entry, |_| true);
        let is_folder = |kind: fs::FileType| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        if levels > 0 && entry.file_type().is_ok_and(is_folder) {
            sweep_own_folders(&entry.path(), levels - 1);
        }
    }
}

/// What is looked at in a folder for files that killed programs have left.
fn looked_at(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten().take(LOOKED_AT)
}

fn sweep_entry(entry: &fs::DirEntry, which: impl Fn(&[u8]) -> bool) {
    if goal(entry.file_name().as_encoded_bytes()).is_some_and(which) && is_abandoned(&entry.path()) {
        let _ = fs::remove_file(entry.path());
    }
}

/// Removes from a folder that is not the program's alone what killed runs have left of files that were to have names that `which` accepts, and to
/// begin with `begin`: plain files that nobody is writing any more, with nothing else in them.
pub fn sweep_own(folder: &Path, which: impl Fn(&str) -> bool, begin: &[u8]) {
    let is_own = |name: &[u8]| goal(name).and_then(|goal| std::str::from_utf8(goal).ok()).is_some_and(&which);
    let fits = |path: &Path| {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(begin.len() as u64).read_to_end(&mut bytes));
        read.is_ok() && begin.starts_with(&bytes)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_own(entry.file_name().as_encoded_bytes()) && is_abandoned(&path) && fits(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The name that a temporary file was to have.
fn goal(name: &[u8]) -> Option<&[u8]> {
    let (rest, random) = name.strip_prefix(b".")?.strip_suffix(SUFFIX.as_bytes())?.split_last_chunk::<RANDOM>()?;
    let rest = rest.strip_suffix(b".").filter(|_| random.iter().all(u8::is_ascii_alphanumeric))?;
    Some(rest.strip_suffix(NEW.as_bytes()).or_else(|| rest.strip_suffix(PUT.as_bytes())).unwrap_or(rest))
}

/// Returns whether this is a file that a killed program was writing.
pub(crate) fn is_left_behind(path: &Path) -> bool {
    path.file_name().is_some_and(|name| goal(name.as_encoded_bytes()).is_some()) && is_abandoned(path)
}

/// Returns whether nobody is writing a temporary file any more; its writer would hold a lock on it. If nothing can be
/// locked, its age decides.
fn is_abandoned(path: &Path) -> bool {
    const OLD: Duration = Duration::from_secs(60 * 60);
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    let age = || file.metadata().and_then(|found| found.modified()).map(crate::clock::age);
    match file.try_lock() {
        // Its writer may have closed it to give it its name.
        Ok(()) if !system::UNLOCKED.is_zero() && age().is_ok_and(|age| age <= system::UNLOCKED) => false,
        // Another file may have this name by now.
        Ok(()) => leads_to(path, &file).unwrap_or(false),
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => age().is_ok_and(|age| age > OLD),
    }
}

/// A file of the disk that is locked.
#[derive(Debug)]
pub(crate) struct Held {
    /// The file itself, with links followed.
    path: PathBuf,
    held: Lock,
}

/// What keeps others from writing.
#[derive(Debug)]
enum Lock {
    /// The open file, locked by the kernel.
    Kernel(File),
    /// A lock file, because the file system has no locks.
    File(LockFile),
}

impl Lock {
    fn file(&self) -> Option<&File> {
        match self {
            Self::Kernel(file) => Some(file),
            Self::File(_) => None,
        }
    }
}

/// Locks an open record, unless someone else has. An error may mean that the system has no locks that leave it readable.
fn lock_record(file: &File) -> Result<(), TryLockError> {
    if system::LOCKS_RECORDS { lock(file) } else { Err(TryLockError::Error(io::ErrorKind::Unsupported.into())) }
}

/// Locks an open file, unless someone else has. An error may mean that the system has no locks.
fn lock(file: &File) -> Result<(), TryLockError> {
    #[cfg(test)]
    if faults::without_locks() {
        return Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
    }
    file.try_lock()
}

/// Returns whether the system cannot provide a lock, on this file or at all.
fn has_none(error: &io::Error) -> bool {
    system::is_out_of_locks(error) || error.kind() == io::ErrorKind::Unsupported
}

impl RecordLock {
    /// Locks the record at `path`, following links; waits up to five seconds for another program to finish.
    ///
    /// # Errors
    ///
    /// [`FileError::Busy`], [`FileError::NotAFile`], and the errors of the system (no such file, no permission to read
    /// it).
    pub fn take(path: &Path) -> Result<Self, FileError> {
        Self::take_within(path, WAIT)
    }

    /// Like [`RecordLock::take`], with another time to wait.
    ///
    /// # Errors
    ///
    /// As [`RecordLock::take`].
    pub fn take_within(path: &Path, wait: Duration) -> Result<Self, FileError> {
        Ok(Self::new(Held::take(path, wait)?))
    }
}

impl Guard for Held {
    fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> Result<Vec<u8>, FileError> {
        run(Step::Read, &self.path, || read_record(&self.path))
    }

    fn replace_by(&mut self, old: &[u8], write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        self.sweep();
        let metadata = run(Step::Read, &self.path, || fs::metadata(&self.path))?;
        let temp = write_beside(&self.path, "", write, Access::As(&metadata), self.held.file())?;
        // As late as can be: writing can take a while, and an editor asks for no lock.
        if run(Step::Read, &self.path, || holds(&self.path, old))? != Some(old.len()) {
            return Err(FileError::Changed { path: self.path.clone() });
        }
        self.look()?;
        let file = run(Step::Rename, &self.path, || system::take_over(temp, &self.path))?;
        if let (Lock::Kernel(held), Some(file)) = (&mut self.held, file) {
            *held = file;
        }
        sync_folder(&self.path)
    }
}

impl Held {
    /// Locks a file, waiting so long.
    fn take(path: &Path, wait: Duration) -> Result<Self, FileError> {
        let real = run(Step::Lock, path, || dunce::canonicalize(path))?;
        let started = Instant::now();
        loop {
            let mut holder = None;
            // Checked before opening: opening a pipe would wait for its other end.
            let about = run(Step::Lock, &real, || fs::metadata(&real))?;
            if !about.is_file() {
                return Err(FileError::NotAFile { path: path.to_owned(), is_folder: about.is_dir() });
            }
            let file = run(Step::Lock, &real, || system::patiently(|| open_to_lock(&real)))?;
            match lock_record(&file) {
                Ok(()) => {
                    if run(Step::Lock, &real, || leads_to(&real, &file))? {
                        holder = run(Step::Lock, &real, || lockfile::holder(&real))?;
                        if holder.is_none() {
                            return Ok(Self { path: real, held: Lock::Kernel(file) });
                        }
                        drop(file);
                        std::thread::sleep(PAUSE);
                    }
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) if has_none(&error) => {
                    // Where a file cannot be replaced while it is open, whoever waits with it open would hinder the holder.
                    drop(file);
                    match run(Step::Lock, &real, || LockFile::try_take(&real))? {
                        Ok(lock) => return Ok(Self { path: real, held: Lock::File(lock) }),
                        Err(other) => holder = Some(other),
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(source)) => {
                    return Err(FileError::Io { step: Step::Lock, path: real, source });
                }
            }
            if started.elapsed() >= wait {
                return Err(FileError::Busy { path: real, holder: holder.map(|holder| (holder.who, holder.path)) });
            }
        }
    }

    /// Checks once more, just before the record is replaced, that nobody else may write it.
    fn look(&self) -> Result<(), FileError> {
        let other = run(Step::Lock, &self.path, || match &self.held {
            Lock::Kernel(_) => lockfile::holder(&self.path),
            Lock::File(lock) if lock.is_held()? => Ok(None),
            Lock::File(_) => lockfile::holder(&self.path),
        })?;
        let lost = matches!(&self.held, Lock::File(lock) if !lock.is_held().is_ok_and(|held| held));
        match other {
            None if !lost => Ok(()),
            other => {
                let holder = other.map(|holder| (holder.who, holder.path));
                Err(FileError::Busy { path: self.path.clone(), holder })
            }
        }
    }

    /// Removes what killed programs left beside the record. Under the lock, nobody else is writing a replacement for
    /// it.
    fn sweep(&self) {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else { return };
        let name = name.as_encoded_bytes();
        for entry in looked_at(folder) {
            let found = entry.file_name();
            let bytes = found.as_encoded_bytes();
            let beside = bytes.strip_prefix(b".").and_then(|rest| rest.strip_prefix(name));
            if goal(bytes) == Some(name)
                && (beside.is_some_and(|rest| rest.len() == 1 + RANDOM + SUFFIX.len()) || is_abandoned(&entry.path()))
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Who may read a new file.
#[derive(Clone, Copy)]
enum Access<'a> {
    /// As the umask says.
    Umask,
    /// Only the user.
    Private,
    /// Everyone who could read the file it replaces.
    As(&'a fs::Metadata),
}

fn create_with(path: &Path, bytes: &[u8], access: Access<'_>) -> Result<(), FileError> {
    sweep_for(path);
    let temp = write_beside(path, NEW, &|out| out.write_all(bytes), access, None)?;
    take_name(temp, path)?;
    sync_folder(path)
}

/// Gives a file that was written and flushed its name, unless something with that name exists.
fn take_name(temp: NamedTempFile, path: &Path) -> Result<(), FileError> {
    match run(Step::Rename, path, || system::take_name(temp, path)) {
        Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            Err(FileError::Exists { path: path.to_owned() })
        }
        done => done,
    }
}

/// Writes `bytes` to a new file in the folder of `path` and flushes it. `kind` distinguishes the temporary names of new
/// files from those of replacements, which are removed under a lock. `held` is the lock that is transferred to it.
fn write_beside(
    path: &Path,
    kind: &str,
    write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    access: Access<'_>,
    held: Option<&File>,
) -> Result<NamedTempFile, FileError> {
    let mut temp = stage(path, kind, access, held)?;
    run(Step::Write, path, || write(temp.as_file_mut()))?;
    run(Step::SyncFile, path, || temp.as_file().sync_all())?;
    Ok(temp)
}

/// Creates the temporary file for [`write_beside`], and locks it.
fn stage(path: &Path, kind: &str, access: Access<'_>, held: Option<&File>) -> Result<NamedTempFile, FileError> {
    let Some(name) = path.file_name() else {
        return Err(FileError::NotAFile { path: path.to_owned(), is_folder: path.is_dir() });
    };
    run(Step::Create, path, || {
        let prefix = prefix_beside(name, kind);
        let mut first = prefix.clone();
        first.push(FIRST);
        let with = |prefix, random| -> Builder<'_, '_> {
            let mut builder = Builder::new();
            builder.prefix(prefix).suffix(SUFFIX).rand_bytes(random);
            if matches!(access, Access::Umask) {
                system::for_all(&mut builder);
            }
            builder
        };
        let builder = with(&prefix, RANDOM);
        let private = matches!(access, Access::Private);
        let named = || system::temporary(&with(&first, 0), folder_of(path), private);
        let mut temp = match named() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut left = first.clone();
                left.push(SUFFIX);
                let left = folder_of(path).join(left);
                if is_abandoned(&left) && fs::remove_file(left).is_ok() {
                    named()
                } else {
                    system::temporary(&builder, folder_of(path), private)
                }
            }
            temp => temp,
        }
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if !folder_of(path).is_dir() => NoFolder::error(),
            _ => bare(error),
        })?;
        // Locked, so that no program mistakes it for an abandoned file. A program that did so before it was locked has
        // it open, or has removed it.
        for _ in 0..TRIES {
            match lock(temp.as_file()) {
                Ok(()) if leads_to(temp.path(), temp.as_file()).unwrap_or(false) => break,
                Ok(()) | Err(TryLockError::WouldBlock) => {
                    temp = system::temporary(&builder, folder_of(path), private).map_err(bare)?;
                }
                Err(TryLockError::Error(_)) if held.is_none() => break,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        if let Access::As(metadata) = access {
            keep_owner(temp.as_file(), metadata);
            temp.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(temp)
    })
}

/// Flushes the folder of a file to disk.
pub(crate) fn sync_folder(path: &Path) -> Result<(), FileError> {
    run(Step::SyncFolder, path, || system::flush_name(path, folder_of(path)))
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
#[must_use]
pub fn bare(error: io::Error) -> io::Error {
    let told = error.to_string();
    match told.split_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

/// Opens the file for writing, which an exclusive lock needs on NFS, or otherwise for reading, which is enough
/// elsewhere.
fn open_to_lock(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            File::open(path)
        }
        opened => opened,
    }
}
