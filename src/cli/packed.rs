//! Reads packed archives and lines of JSON for the commands that judge and export.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::hints::{self, Failure, name};
use super::input;
use super::progress::Progress;
use crate::archive::lines::Line;
use crate::archive::stream::{Chunk, Stream, StreamError, each_line};
use crate::archive::{self, Found};
use crate::text::printable;

/// Returns whether a path is that of an archive: lines of JSON, packed or not.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.to_string_lossy();
    (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst") || name.ends_with(".zst")) && !path.is_dir()
}

/// Prints what is doubtful about a record, as `verify` does, on standard error.
pub(super) fn warn(path: Option<&str>, warnings: &[String]) {
    for warning in warnings {
        errln!("{}: warning: {warning}", printable(path.unwrap_or("-")));
    }
}

/// Reads an archive, or standard input for `-`, and passes the result of `answer` for each line to `tell`, in order. A
/// fault in the archive is reported after everything before it is answered, and counts as something that could not be
/// judged.
pub(super) fn judge(
    path: &Path,
    answer: impl Fn(Result<&[u8], String>) -> (u8, String) + Send + Sync,
    tell: &mut dyn FnMut((u8, String)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut stream = open(path)?;
    let mut progress = Progress::of(None);
    while let Some(chunk) = next_chunk(&mut stream, path, &mut |code| tell((code, String::new())))? {
        // Answers are written together, and before waiting for more input.
        let mut worst = 0;
        let mut text = String::new();
        let mut count = 0;
        each_line(&chunk, &answer, |(code, line)| {
            worst = worst.max(code);
            text.push_str(&line);
            count += 1;
            Ok::<(), Failure>(())
        })?;
        progress.aside(|| tell((worst, text)))?;
        progress.more(count)?;
    }
    Ok(())
}

/// Like [`judge`], with any result of `answer`. Returns the exit code that the archive itself requires.
fn stream<T: Send>(
    path: &Path,
    answer: impl Fn(Result<&[u8], String>) -> T + Send + Sync,
    each: &mut dyn FnMut(T) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    let mut stream = open(path)?;
    let mut worst = 0;
    let mut damaged = |code| {
        worst = code;
        Ok(())
    };
    let mut progress = Progress::of(None);
    while let Some(chunk) = next_chunk(&mut stream, path, &mut damaged)? {
        each_line(&chunk, &answer, |told| progress.aside(|| each(told)).and_then(|()| progress.more(1)))?;
    }
    Ok(worst)
}

fn open(path: &Path) -> Result<Stream<Box<dyn Read>>, Failure> {
    let from: Box<dyn Read> = if input::is_stdin(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(crate::store::open(path).map_err(|error| Failure::reading(path, &error))?)
    };
    Ok(Stream::new(from))
}

/// Returns the next lines; a fault in the archive is reported and ends it.
fn next_chunk(
    stream: &mut Stream<Box<dyn Read>>,
    path: &Path,
    damaged: &mut dyn FnMut(u8) -> Result<(), Failure>,
) -> Result<Option<Chunk>, Failure> {
    match stream.next_chunk() {
        Ok(chunk) => Ok(chunk),
        Err(error) => {
            let what = match error {
                StreamError::Io(error) => format!("cannot be read: {error}"),
                StreamError::Damage(damage) => damage.to_string(),
            };
            errln!("error: {}: {what}", name(path));
            damaged(hints::TROUBLE)?;
            Ok(None)
        }
    }
}

/// Where a record comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    /// Its path, as it is reported; in an archive its maker chose it.
    pub(super) path: Option<&'a str>,
    /// The file, if it is one.
    pub(super) file: Option<&'a Path>,
}

/// Records from any source: files, folders, archives, or standard input as one record.
pub(super) struct Records<'a> {
    paths: &'a [PathBuf],
}

impl<'a> Records<'a> {
    /// The records that `paths` name.
    pub(super) fn of(paths: &'a [PathBuf]) -> Self {
        Self { paths }
    }

    /// Passes the result of `tell` for each record to `each`, in order. `tell` runs on several threads and gets where the
    /// record comes from and the bytes, or why there are none. Returns the exit code that the archives themselves require.
    pub(super) fn each<T: Send>(
        &self,
        tell: impl Fn(Origin<'_>, Result<&[u8], String>) -> T + Send + Sync,
        mut each: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<u8, Failure> {
        let mut worst = 0;
        let plain = |path: &&PathBuf| !is_archive(path) && !input::is_stdin(path);
        for path in self.paths.iter().filter(|path| !plain(path)) {
            if input::is_stdin(path) {
                let source = input::record(path)?;
                each(tell(Origin { path: Some("-"), file: None }, Ok(&source)))?;
                continue;
            }
            let one = |line: Result<&[u8], String>| match line.and_then(Line::read) {
                Ok(line) => tell(Origin { path: line.path.as_deref(), file: None }, Ok(&line.record)),
                Err(why) => tell(Origin { path: None, file: None }, Err(why)),
            };
            worst = worst.max(stream(path, one, &mut each)?);
        }
        let files: Vec<PathBuf> = self.paths.iter().filter(plain).cloned().collect();
        let found = archive::find(&files);
        let one = |found: &Found, read: Result<&[u8], io::Error>| {
            let (Found::Record(path) | Found::Unreadable(path, _) | Found::NoRecord(path)) = found;
            let record = read.map_err(|error| format!("cannot be read: {error}"));
            tell(Origin { path: Some(&path.to_string_lossy()), file: Some(path) }, record)
        };
        let mut progress = Progress::of(Some(found.len() as u64));
        archive::walk(&found, one, |told| progress.aside(|| each(told)).and_then(|()| progress.more(1)))?;
        Ok(worst)
    }
}
