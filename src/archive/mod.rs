//! Many records: finds them in folders and judges them on all processors, in the order in which they were named.

pub mod lines;
mod shelf;
pub mod stream;

use std::error::Error as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::record::RECORD_LIMIT;
use crate::verdict::{Verdict, verify};

pub use shelf::{Shelf, Unread};

/// How many records are judged before their verdicts are passed on.
const BATCH: usize = 2048;

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

/// Finds the records in `paths`. A file is taken as it is; a folder is searched for `*.pbem`, in order of name. Links
/// to folders are not followed.
#[must_use]
pub fn find(paths: &[PathBuf]) -> Vec<Found> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(Found::Record(path.clone()));
            continue;
        }
        let before = found.len();
        // Paths within a folder are in order of name, so they need not be split into components to be compared.
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        for entry in WalkDir::new(path).sort_by(by_name) {
            match entry {
                Ok(entry) if is_record(entry.path()) && is_file(&entry) => {
                    found.push(Found::Record(entry.into_path()));
                }
                Ok(_) => {}
                Err(error) => {
                    let at = error.path().unwrap_or(path).to_path_buf();
                    found.push(Found::Unreadable(at, error.into()));
                }
            }
        }
        if found.len() == before {
            found.push(Found::NoRecord(path.clone()));
        }
    }
    found
}

/// Returns whether it is a file, or a link to a file or to something that cannot be seen. Opening a pipe would block.
fn is_file(entry: &DirEntry) -> bool {
    let kind = entry.file_type();
    kind.is_file() || (kind.is_symlink() && std::fs::metadata(entry.path()).map_or(true, |found| found.is_file()))
}

fn is_record(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pbem")
}

/// The result of judging one path.
pub type Judged<'a, T> = (&'a Found, T);

/// Judges everything found, and passes the result of `tell` for each to `each`, in order. `tell` runs on several
/// threads and gets the bytes and the verdict, or why the file could not be read.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub fn judge<T: Send, E>(
    found: &[Found],
    tell: impl Fn(&Found, Result<(&[u8], Verdict), io::Error>) -> T + Sync,
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    judge_by(verify, found, tell, each)
}

/// Like [`judge`], with another way to judge each record.
///
/// # Errors
/// As [`judge`].
pub fn judge_by<T: Send, E>(
    verify: fn(&[u8]) -> Verdict,
    found: &[Found],
    tell: impl Fn(&Found, Result<(&[u8], Verdict), io::Error>) -> T + Sync,
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    walk(found, |found, read| tell(found, read.map(|bytes| (bytes, verify(bytes)))), each)
}

/// Reads everything found, and passes the result of `tell` for each to `each`, in order. `tell` runs on several threads
/// and gets the bytes, or why the file could not be read.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub fn walk<T: Send, E>(
    found: &[Found],
    tell: impl Fn(&Found, Result<&[u8], io::Error>) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let tell_one = |buffer: &mut Vec<u8>, found: &Found| match found {
        Found::Record(path) => match read(path, buffer) {
            Ok(()) => tell(found, Ok(buffer)),
            Err(error) => tell(found, Err(error)),
        },
        Found::Unreadable(_, error) => tell(found, Err(io::Error::new(error.kind(), error.to_string()))),
        Found::NoRecord(_) => {
            tell(found, Err(io::Error::new(io::ErrorKind::NotFound, "no record (*.pbem) in this folder")))
        }
    };
    // A second thread is not worth it for one record.
    if let [one] = found {
        return each(tell_one(&mut Vec::new(), one));
    }
    if !has_threads() {
        let mut buffer = Vec::new();
        return found.iter().try_for_each(|found| each(tell_one(&mut buffer, found)));
    }
    for batch in found.chunks(BATCH) {
        let told: Vec<T> = batch.par_iter().map_init(Vec::new, |buffer, found| tell_one(buffer, found)).collect();
        told.into_iter().try_for_each(&mut each)?;
    }
    Ok(())
}

/// Does some work on each of these, on all processors if there are enough of them to be worth it, and returns the results in
/// order.
pub fn map<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    const WORTH: usize = 8;
    if all.len() < WORTH || !has_threads() {
        all.iter().map(work).collect()
    } else {
        all.par_iter().map(work).collect()
    }
}

/// Returns whether the system allows the threads that many records are judged on; without them the work is done on this
/// one.
fn has_threads() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    // The other possible error, that they were started before, has no source.
    *HAS.get_or_init(|| {
        rayon::ThreadPoolBuilder::new().build_global().map_or_else(|error| error.source().is_none(), |()| true)
    })
}

/// Reads a whole file, but at most one byte more than a record may have.
fn read(path: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
    const FIRST: usize = 16 * 1024;
    // The memory used for a large record is not kept for the next one.
    if buffer.capacity() > 64 * FIRST {
        *buffer = Vec::new();
    }
    buffer.clear();
    // With enough capacity from the start, almost every file is read at once.
    buffer.reserve(FIRST);
    File::open(path)?.take(RECORD_LIMIT as u64 + 1).read_to_end(buffer)?;
    Ok(())
}
