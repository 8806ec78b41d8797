//! Many records: finding them below folders and judging them, on all processors, in the order they were named.

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

/// How many records are judged before their verdicts are handed on.
const BATCH: usize = 2048;

/// A path that was to be judged.
#[derive(Debug)]
pub enum Found {
    /// A record's file.
    Record(PathBuf),
    /// A folder or file that cannot be looked at, and why.
    Unreadable(PathBuf, io::Error),
    /// A folder in which there is no record.
    NoRecord(PathBuf),
}

/// Finds the records in `paths`: a file is taken as it is, a folder is searched for `*.pbem`, in the order of names. Links to
/// folders are not followed.
#[must_use]
pub fn find(paths: &[PathBuf]) -> Vec<Found> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(Found::Record(path.clone()));
            continue;
        }
        let before = found.len();
        // In one folder paths are in the order of names, and need not be taken apart to be compared.
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

/// Whether it is a file, or a link that leads to one, or nowhere that can be seen. A pipe would be waited for.
fn is_file(entry: &DirEntry) -> bool {
    let kind = entry.file_type();
    kind.is_file() || (kind.is_symlink() && std::fs::metadata(entry.path()).map_or(true, |found| found.is_file()))
}

fn is_record(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pbem")
}

/// What came of judging one path.
pub type Judged<'a, T> = (&'a Found, T);

/// Judges everything found, and hands what `tell` makes of each to `each`, in order. `tell` runs on several threads and is
/// given the bytes and the verdict, or why the file could not be read.
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

/// As [`judge`], with another way to judge each record.
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

/// Reads everything found, and hands what `tell` makes of each to `each`, in order. `tell` runs on several threads and is
/// given the bytes, or why the file could not be read.
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
    // One record is not worth a second thread.
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

/// Whether the system gives the threads that many records are judged by; the work is done without them otherwise.
fn has_threads() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    // That they were started before is the other error, and has no cause.
    *HAS.get_or_init(|| {
        rayon::ThreadPoolBuilder::new().build_global().map_or_else(|error| error.source().is_none(), |()| true)
    })
}

/// Reads a file whole, but no more than one byte over what a record may have.
fn read(path: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
    const FIRST: usize = 16 * 1024;
    // A large record's memory is not kept for the next one.
    if buffer.capacity() > 64 * FIRST {
        *buffer = Vec::new();
    }
    buffer.clear();
    // With room from the start nearly every file is read at once.
    buffer.reserve(FIRST);
    File::open(path)?.take(RECORD_LIMIT as u64 + 1).read_to_end(buffer)?;
    Ok(())
}
