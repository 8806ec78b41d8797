//! Why a file could not be read or written, and at which step.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The steps of writing a record, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Find the file and lock it.
    Lock,
    Read,
    /// Create the temporary file beside it.
    Create,
    /// Write that file.
    Write,
    /// Flush that file to the disk.
    SyncFile,
    /// Rename it to the record's name.
    Rename,
    /// Flush the folder to the disk.
    SyncFolder,
    /// Remove the file.
    Remove,
    /// Flush the folder in which a file was removed.
    SyncRemoval,
}

/// There is no folder to create a file in.
#[derive(Debug, thiserror::Error)]
#[error("its folder does not exist")]
pub(crate) struct NoFolder;

impl NoFolder {
    /// The same as an error of the system.
    pub(crate) fn error() -> io::Error {
        io::Error::new(io::ErrorKind::NotFound, Self)
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Another program held the lock the whole time.
    #[error("another program is writing {path}: try again{}", holding(holder))]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who holds it, and the lock file that says so, if the file system has no locks of its own.
        holder: Option<(String, PathBuf)>,
    },
    /// The file differs from what the caller read. Nothing was written.
    #[error("{path} was changed by another program meanwhile and is left as it is: try again")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file of that name already exists. Nothing was written.
    #[error("{path} already exists, and is not overwritten")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path leads to a folder, a pipe or a device.
    #[error("{path} is {}", if *is_folder { "a folder, not a record" } else { "not an ordinary file" })]
    NotAFile { path: PathBuf, is_folder: bool },
    /// The system refused a step.
    #[error(fmt = write_refused)]
    Io {
        step: Step,
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
}

impl FileError {
    /// Returns whether the new bytes are in the file in spite of the error: only flushing the folder failed.
    #[must_use]
    pub fn was_written(&self) -> bool {
        matches!(self, Self::Io { step: Step::SyncFolder, .. })
    }
}

/// Who holds a lock, and where that is said.
fn holding(holder: &Option<(String, PathBuf)>) -> String {
    holder.as_ref().map_or_else(String::new, |(who, lock)| {
        format!(" (it is {who}, as {} says; remove that file if it is not so)", lock.display())
    })
}

/// Writes which step the system refused, and how the file is now.
fn write_refused(step: &Step, path: &Path, source: &io::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let path = path.display();
    match step {
        Step::Lock => write!(f, "cannot open {path} for writing: {source}"),
        Step::Read => write!(f, "cannot read {path}: {source}"),
        Step::Create if source.get_ref().is_some_and(|why| why.is::<NoFolder>()) => {
            write!(f, "cannot write {path}: {source}")
        }
        Step::Create | Step::Write | Step::SyncFile | Step::Rename => {
            write!(f, "cannot write {path}: {source}; this file is as it was")
        }
        Step::Remove => write!(f, "cannot remove {path}: {source}"),
        Step::SyncRemoval => write!(
            f,
            "{path} is removed, but its folder could not be flushed to the disk: {source}; after a power cut it may be back"
        ),
        Step::SyncFolder => write!(
            f,
            "{path} is written, but its folder could not be flushed to the disk: {source}; after a power cut the old file \
             may be back"
        ),
    }
}
