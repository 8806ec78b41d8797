//! Files that are being written piece by piece. Nothing of them is left if the program is told to end meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{FileError, Step, run};

/// A file that is being written, and what takes it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// A passing name, which is removed.
    New(PathBuf),
    /// A file that grows, and the length that it had.
    Grown(PathBuf, u64),
}

static ALL: Mutex<Vec<Unfinished>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<Unfinished>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As long as it lives, its file counts as unfinished.
#[derive(Debug)]
pub(super) struct Noted(Unfinished);

impl Drop for Noted {
    fn drop(&mut self) {
        let mut all = all();
        if let Some(place) = all.iter().position(|one| *one == self.0) {
            all.swap_remove(place);
        }
    }
}

/// Begins a file; none can be begun while those that there are are taken back.
pub(super) fn begin<T>(make: impl FnOnce() -> Result<(T, Unfinished), FileError>) -> Result<(T, Noted), FileError> {
    let mut all = all();
    let (made, left) = make()?;
    all.push(left.clone());
    Ok((made, Noted(left)))
}

/// What was taken back; while it lives, no file is begun.
#[derive(Debug)]
#[must_use]
pub struct TakenBack(#[expect(dead_code, reason = "it is held")] MutexGuard<'static, Vec<Unfinished>>);

/// Takes back the files that are being written, for a program that is about to end: new ones are removed, those that grow get back
/// the length that they had.
pub fn take_back_unfinished() -> TakenBack {
    let mut all = all();
    for one in all.drain(..) {
        // The program ends either way, and the next one finds what could not be taken back.
        let _ = match one {
            Unfinished::New(path) => fs::remove_file(path),
            Unfinished::Grown(path, length) => {
                OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(length))
            }
        };
    }
    TakenBack(all)
}

/// A file that grows by what is written to it, or, unless that is [finished](Self::finish), keeps its length. The caller holds its
/// lock.
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    file: File,
    before: u64,
    is_finished: bool,
    _noted: Noted,
}

impl GrowingFile {
    /// Opens a file that is there.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let ((file, before), noted) = begin(|| {
            let file = run(Step::Read, path, || OpenOptions::new().read(true).append(true).open(path))?;
            let before = run(Step::Read, path, || file.metadata())?.len();
            Ok(((file, before), Unfinished::Grown(path.to_owned(), before)))
        })?;
        Ok(Self { path: path.to_owned(), file, before, is_finished: false, _noted: noted })
    }

    /// Flushes what was written.
    ///
    /// # Errors
    /// The errors of the system; the file has its old length again.
    pub fn finish(mut self) -> Result<(), FileError> {
        run(Step::SyncFile, &self.path, || self.file.sync_all())?;
        self.is_finished = true;
        Ok(())
    }
}

impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for GrowingFile {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = self.file.set_len(self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_finished_has_its_old_length_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        fs::write(&path, "old").unwrap();
        let mut grown = GrowingFile::open(&path).unwrap();
        grown.write_all(b" and new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old and new");
        drop(grown);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let mut grown = GrowingFile::open(&path).unwrap();
        grown.write_all(b" and new").unwrap();
        grown.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old and new");
    }
}
