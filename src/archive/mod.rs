//! Many records: finds them in folders and judges them on all processors, in the order in which they were named.

mod files;
pub mod lines;
mod shelf;
pub mod stream;

use std::io;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::threads::has_threads;
use crate::verdict::{Verdict, verify};

use files::Buffer;
pub use files::find;
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
    let tell_one = |found: &Found| match found {
        Found::Record(path) => Buffer::with(|buffer| tell(found, buffer.read(path))),
        Found::Unreadable(_, error) => tell(found, Err(io::Error::new(error.kind(), error.to_string()))),
        Found::NoRecord(_) => {
            tell(found, Err(io::Error::new(io::ErrorKind::NotFound, "no record (*.pbem) in this folder")))
        }
    };
    // Without a second thread, or one record for it, nothing has to be kept.
    if found.len() == 1 || !has_threads() {
        return found.iter().try_for_each(|found| each(tell_one(found)));
    }
    for batch in found.chunks(BATCH) {
        share(batch, tell_one).into_iter().try_for_each(&mut each)?;
    }
    Ok(())
}

/// Does some work on each of these, on all processors if there are enough of them to be worth it, and returns the results in
/// order.
pub fn map<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    const WORTH: usize = 8;
    if all.len() < WORTH { all.iter().map(work).collect() } else { share(all, work) }
}

/// Does some work on each of these, on all processors, and returns the results in order.
fn share<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if all.len() > 1 && has_threads() { all.par_iter().map(work).collect() } else { all.iter().map(work).collect() }
}
