//! Reading and judging what was found, on all processors.

use std::io;

use rayon::prelude::*;

use crate::finding::Buffer;
use crate::found::Found;
use postrider_referee::threads::has_threads;
use postrider_referee::verdict::{Verdict, verify};

/// How many records are judged before their verdicts are passed on.
const BATCH: usize = 2048;
/// How many of them a thread takes at once.
const SHARE: usize = 16;

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
    let tell = |told: &mut Vec<T>, found: &Found, read: Result<&[u8], io::Error>| told.push(tell(found, read));
    gather(found, tell, |told, _| told.into_iter().try_for_each(&mut each))
}

/// Like [`walk`], but what is told of a few records, one after another, is put together: `tell` adds to it, and `each` gets it with
/// the number of these records. Handing on what is told of each alone costs a good part of what judging a record does.
///
/// # Errors
/// As [`walk`].
pub fn gather<T: Default + Send, E>(
    found: &[Found],
    tell: impl Fn(&mut T, &Found, Result<&[u8], io::Error>) + Sync,
    mut each: impl FnMut(T, usize) -> Result<(), E>,
) -> Result<(), E> {
    let tell_one = |told: &mut T, found: &Found| match found {
        Found::Record(path) => Buffer::with(|buffer| tell(told, found, buffer.read(path))),
        Found::Unreadable(_, error) => tell(told, found, Err(io::Error::new(error.kind(), error.to_string()))),
        Found::NoRecord(_) => {
            tell(told, found, Err(io::Error::new(io::ErrorKind::NotFound, "no record (*.pbem) in this folder")))
        }
    };
    let tell_some = |some: &[Found]| {
        let mut told = T::default();
        some.iter().for_each(|found| tell_one(&mut told, found));
        (told, some.len())
    };
    // A second thread is not worth it for one record.
    if found.len() <= 1 || !has_threads() {
        return found.chunks(SHARE).map(tell_some).try_for_each(|(told, count)| each(told, count));
    }
    for batch in found.chunks(BATCH) {
        // No thread takes more than one share at once, because the others would wait for it at the end of the batch.
        let told: Vec<_> = batch.par_chunks(SHARE).with_max_len(1).map(tell_some).collect();
        told.into_iter().try_for_each(|(told, count)| each(told, count))?;
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
pub fn share<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if all.len() > 1 && has_threads() { all.par_iter().map(work).collect() } else { all.iter().map(work).collect() }
}
