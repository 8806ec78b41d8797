//! The files of this machine: what [`files`] promises, behind the interface that both sets share.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::FileError;
use super::port::{About, Files, FolderMode, Kind, Listed, Mode, OpenFile, Opened, RecordLock, Trace, Writing};
use crate::{files, lockfile, system};

/// The files of this machine.
#[derive(Debug)]
pub(super) struct Real;

impl Files for Real {
    fn open(&self, path: &Path) -> io::Result<OpenFile> {
        Ok(OpenFile(Opened::Told(path.to_owned(), files::open(path)?)))
    }

    fn about(&self, path: &Path) -> io::Result<About> {
        Ok(About::told(path, fs::metadata(path)?))
    }

    fn about_itself(&self, path: &Path) -> io::Result<About> {
        Ok(About::told(path, fs::symlink_metadata(path)?))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Listed>> {
        let listed = |entry: fs::DirEntry| Listed { name: entry.file_name(), kind: entry.file_type().map(Kind::of) };
        fs::read_dir(folder)?.map(|entry| entry.map(listed)).collect()
    }

    fn itself(&self, path: &Path) -> io::Result<PathBuf> {
        dunce::canonicalize(path)
    }

    fn trace(&self, path: &Path) -> io::Result<Option<Trace>> {
        if files::is_left_behind(path) {
            return Ok(Some(Trace::Leftover));
        }
        Ok(lockfile::standing(path)?.map(|(who, is_stale)| if is_stale { Trace::StaleLock } else { Trace::Lock(who) }))
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FileError> {
        match mode {
            Mode::Private => files::create_private(path, bytes),
            Mode::Umask => files::create(path, bytes),
        }
    }

    fn put(&self, path: &Path, write: Writing<'_>, mode: Mode) -> Result<(), FileError> {
        match mode {
            Mode::Private => files::put_private_by(path, write),
            Mode::Umask => files::put_by(path, write),
        }
    }

    fn append(self: Arc<Self>, path: &Path) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(system::append_private(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        files::rename_private(from, to)
    }

    fn remove(&self, path: &Path) -> Result<bool, FileError> {
        files::remove(path)
    }

    fn keep_name(&self, path: &Path) -> Result<(), FileError> {
        files::sync_folder(path)
    }

    fn folder(&self, path: &Path, mode: FolderMode) -> io::Result<()> {
        match mode {
            FolderMode::Private => files::private_folder(path),
            FolderMode::Shared => files::shared_folder(path),
            FolderMode::Umask => files::folder(path),
        }
    }

    fn lock(self: Arc<Self>, path: &Path) -> Result<RecordLock, FileError> {
        RecordLock::take(path)
    }
}
