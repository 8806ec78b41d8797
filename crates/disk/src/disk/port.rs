//! The interface of a set of files, and the types it returns.

use std::ffi::OsString;
use std::fmt;
#[cfg(any(unix, windows))]
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::error::FileError;
#[cfg(any(unix, windows))]
use crate::system;
use postrider_referee::record::RECORD_LIMIT;

/// The largest record, in bytes.
pub const MAX_RECORD: u64 = RECORD_LIMIT as u64;
/// How much of a file is compared at a time.
pub(super) const PIECE: usize = 64 * 1024;

/// Writes the contents of a file that are never in memory as a whole.
pub type Writing<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// What a set of files can do.
pub(crate) trait Files: fmt::Debug + Send + Sync {
    /// Opens a file to read it.
    fn open(&self, path: &Path) -> io::Result<OpenFile>;

    /// Returns what a path leads to; a link is followed.
    fn about(&self, path: &Path) -> io::Result<About>;

    /// Returns what is at a path; a link is not followed.
    fn about_itself(&self, path: &Path) -> io::Result<About>;

    /// Returns what is in a folder, in no order.
    fn list(&self, folder: &Path) -> io::Result<Vec<Listed>>;

    /// Returns the path of what a path leads to, with links followed.
    fn itself(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns what a program left here while it was writing, or holds here.
    #[cfg(any(unix, windows))]
    fn trace(&self, path: &Path) -> io::Result<Option<Trace>>;

    /// Creates a file that is not there, whole or not at all.
    fn create(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FileError>;

    /// Writes a file whole or not at all, whatever was there before.
    fn put(&self, path: &Path, write: Writing<'_>, mode: Mode) -> Result<(), FileError>;

    /// Opens a file for the user alone, to write at its end; it is created if there is none.
    fn append(self: Arc<Self>, path: &Path) -> io::Result<Box<dyn Write + Send>>;

    /// Gives a file another name, replacing whatever has that.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError>;

    /// Removes a file; returns whether there was one.
    fn remove(&self, path: &Path) -> Result<bool, FileError>;

    /// Makes sure that the name of a file that is there outlasts a power cut.
    fn keep_name(&self, path: &Path) -> Result<(), FileError>;

    /// Creates a folder with any missing parents.
    fn folder(&self, path: &Path, mode: FolderMode) -> io::Result<()>;

    fn lock(self: Arc<Self>, path: &Path) -> Result<RecordLock, FileError>;
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only the user.
    Private,
    /// As the umask says.
    Umask,
}

/// Who may enter a new folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderMode {
    /// Only the user.
    Private,
    /// Others may read what is in it if the umask allows; nobody else may write there.
    Shared,
    /// As the umask says.
    Umask,
}

/// The kind of something in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A link, where it is not followed.
    Link,
    /// A pipe, a device or something else.
    Other,
}

#[cfg(any(unix, windows))]
impl Kind {
    /// As the system says it.
    pub(super) fn of(kind: fs::FileType) -> Self {
        match () {
            () if kind.is_file() => Self::File,
            () if kind.is_dir() => Self::Folder,
            () if kind.is_symlink() => Self::Link,
            () => Self::Other,
        }
    }
}

/// Something in a folder.
#[derive(Debug)]
pub struct Listed {
    pub name: OsString,
    /// What it is, if the system tells.
    pub kind: io::Result<Kind>,
}

/// A leftover of a program that was writing, or a lock.
#[cfg(any(unix, windows))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// A file that a killed program was writing.
    Leftover,
    /// A lock file of a program that is gone.
    StaleLock,
    /// A lock file, and who holds it.
    Lock(String),
}

/// The metadata of a file or folder.
#[derive(Clone, Debug)]
pub struct About {
    /// What it is.
    pub kind: Kind,
    /// How many bytes it has.
    pub length: u64,
    /// When it was changed, where that is noted.
    pub modified: Option<SystemTime>,
    pub(super) owner: Owner,
}

/// To whom something belongs.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    #[cfg(any(unix, windows))]
    Told(PathBuf, fs::Metadata),
    Mode(u32),
}

impl About {
    /// Converts the system's metadata.
    #[cfg(any(unix, windows))]
    pub(super) fn told(path: &Path, metadata: fs::Metadata) -> Self {
        let kind = Kind::of(metadata.file_type());
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        Self { kind, length, modified, owner: Owner::Told(path.to_owned(), metadata) }
    }

    /// The metadata of a file in memory.
    pub(super) fn kept(bytes: &Bytes, mode: u32) -> Self {
        Self { kind: Kind::File, length: bytes.0.len() as u64, modified: None, owner: Owner::Mode(mode) }
    }

    /// Returns whether only the user may read it, as far as the system tells.
    #[must_use]
    pub fn is_private(&self) -> bool {
        match &self.owner {
            #[cfg(any(unix, windows))]
            Owner::Told(path, metadata) => system::is_private(path, metadata),
            Owner::Mode(mode) => mode & 0o077 == 0,
        }
    }

    /// Returns whether it belongs to the user or to the system.
    #[must_use]
    pub fn is_own(&self) -> bool {
        match &self.owner {
            #[cfg(any(unix, windows))]
            Owner::Told(path, metadata) => system::is_own(path, metadata),
            Owner::Mode(_) => true,
        }
    }

    /// Returns whether nobody may write to it, as somebody has said of it.
    #[must_use]
    pub(crate) fn is_read_only(&self) -> bool {
        match &self.owner {
            #[cfg(any(unix, windows))]
            Owner::Told(_, metadata) => metadata.permissions().readonly(),
            Owner::Mode(mode) => mode & 0o222 == 0,
        }
    }

    /// Returns whether anyone but the owner may write to it.
    #[must_use]
    pub fn is_writable_by_others(&self) -> bool {
        match &self.owner {
            #[cfg(any(unix, windows))]
            Owner::Told(path, metadata) => system::is_writable_by_others(path, metadata),
            Owner::Mode(mode) => mode & 0o022 != 0,
        }
    }

    /// Returns whether anyone at all may write to it.
    #[must_use]
    pub fn is_writable_by_all(&self) -> bool {
        match &self.owner {
            #[cfg(any(unix, windows))]
            Owner::Told(path, _) => system::is_writable_by_all(path),
            Owner::Mode(mode) => mode & 0o002 != 0,
        }
    }
}

/// A file that is being read.
#[derive(Debug)]
pub struct OpenFile(pub(super) Opened);

#[derive(Debug)]
pub(super) enum Opened {
    #[cfg(any(unix, windows))]
    Told(PathBuf, fs::File),
    Kept(Cursor<Bytes>, u32),
}

/// The bytes of a file in memory, which several may read. They are erased when nobody needs them any more, for they may be a secret.
#[derive(Clone)]
pub(super) struct Bytes(pub(super) Arc<Zeroizing<Vec<u8>>>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl OpenFile {
    /// Returns the file's metadata.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn about(&self) -> io::Result<About> {
        match &self.0 {
            #[cfg(any(unix, windows))]
            Opened::Told(path, file) => Ok(About::told(path, file.metadata()?)),
            Opened::Kept(bytes, mode) => Ok(About::kept(bytes.get_ref(), *mode)),
        }
    }
}

impl Read for OpenFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            #[cfg(any(unix, windows))]
            Opened::Told(_, file) => file.read(into),
            Opened::Kept(bytes, _) => bytes.read(into),
        }
    }

    fn read_to_end(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.0 {
            #[cfg(any(unix, windows))]
            Opened::Told(_, file) => file.read_to_end(into),
            Opened::Kept(bytes, _) => bytes.read_to_end(into),
        }
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            #[cfg(any(unix, windows))]
            Opened::Told(_, file) => file.seek(to),
            Opened::Kept(bytes, _) => bytes.seek(to),
        }
    }
}

/// A file that is locked, in whichever set.
pub(crate) trait Guard: fmt::Debug + Send {
    /// Returns the file itself, with links followed.
    fn path(&self) -> &Path;

    /// Reads the file.
    fn read(&self) -> Result<Vec<u8>, FileError>;

    /// Replaces the file, which the caller read as `old`, by what `write` writes.
    fn replace_by(&mut self, old: &[u8], write: Writing<'_>) -> Result<(), FileError>;
}

/// The right to replace a record: while it exists, no other program that asks for it can write the file.
#[derive(Debug)]
pub struct RecordLock(Box<dyn Guard>);

impl RecordLock {
    pub(crate) fn new(guard: impl Guard + 'static) -> Self {
        Self(Box::new(guard))
    }

    /// Returns the file itself, with links followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Reads the record, like [`Disk::read_record`](super::Disk::read_record).
    ///
    /// # Errors
    ///
    /// The errors of the system.
    pub fn read(&self) -> Result<Vec<u8>, FileError> {
        self.0.read()
    }

    /// Replaces the record, which the caller read as `old`, with `new`. The lock moves to the new file.
    ///
    /// # Errors
    ///
    /// [`FileError::Changed`] if the file is not `old`; the errors of the system. Unless [`FileError::was_written`]
    /// says otherwise, the file is unchanged.
    pub fn replace(&mut self, old: &[u8], new: &[u8]) -> Result<(), FileError> {
        self.replace_by(old, &|out| out.write_all(new))
    }

    /// Like [`RecordLock::replace`], for a record that is never in memory as a whole: `write` writes it. If that fails, the
    /// file is unchanged.
    ///
    /// # Errors
    ///
    /// As [`RecordLock::replace`], and those of `write`.
    pub fn replace_by(&mut self, old: &[u8], write: Writing<'_>) -> Result<(), FileError> {
        self.0.replace_by(old, write)
    }
}

/// Returns the length of a file that is a prefix of `bytes`; `None` if it is not.
pub(crate) fn begins(mut file: impl Read, bytes: &[u8]) -> io::Result<Option<usize>> {
    let (mut at, mut piece) = (0, vec![0; PIECE]);
    loop {
        let read = match file.read(&mut piece) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        match piece.get(..read) {
            None | Some([]) => return Ok(Some(at)),
            Some(piece) if bytes.get(at..).is_some_and(|rest| rest.starts_with(piece)) => at += read,
            Some(_) => return Ok(None),
        }
    }
}
