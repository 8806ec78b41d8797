//! Where records come from: files, folders, archives and standard input, read in the same way for whoever wants them.

#![expect(clippy::disallowed_methods, reason = "an archive may come from standard input")]

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::lines::Line;
use super::stream::{self, Chunk, Stream, StreamError, each_line};
use postrider_disk::finding::find;
use postrider_disk::found::Found;
use postrider_disk::walking::walk;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::without_utf16;
use postrider_referee::record::{RECORD_LIMIT, is_file_name};

/// An archive that is being read.
pub type Source = Stream<Box<dyn Read>>;

/// How many first bytes show what a file is.
const FIRST: u64 = 64;

/// Returns whether a path means standard input.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns whether a path is that of an archive: lines of JSON, packed or not. Where its name says neither that nor that it is a
/// record, its first bytes do.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    if is_file_name(name) || is_stdin(path) {
        return false;
    }
    let is_named = name.ends_with(b".jsonl") || name.ends_with(b".zst");
    let Ok(about) = std::fs::metadata(path) else { return is_named };
    !about.is_dir() && (is_named || about.is_file() && begins_archive(path).unwrap_or(false))
}

fn begins_archive(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    postrider_disk::files::open(path)?.take(FIRST).read_to_end(&mut first)?;
    Ok(stream::is_archive(&first))
}

/// Opens an archive, or standard input for `-`.
///
/// # Errors
/// If it cannot be opened.
pub fn open(path: &Path) -> io::Result<Source> {
    Ok(Stream::new(if is_stdin(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(postrider_disk::files::open(path)?)
    }))
}

/// Standard input: a record, or an archive that is being read.
pub enum Input {
    Record(Vec<u8>),
    Archive(Source),
}

/// Reads the first bytes of standard input, and all of it if it is a record.
///
/// # Errors
/// If it cannot be read.
pub fn standard_input() -> io::Result<Input> {
    let mut first = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin.by_ref().take(FIRST).read_to_end(&mut first)?;
    if stream::is_archive(&first) {
        return Ok(Input::Archive(Stream::new(Box::new(io::Cursor::new(first).chain(stdin)))));
    }
    let most = (RECORD_LIMIT + 1).saturating_sub(first.len()) as u64;
    stdin.take(most).read_to_end(&mut first)?;
    Ok(Input::Record(without_utf16(first)))
}

/// Whoever has many records read: takes what is told of each, and may end the work.
pub trait Watch<T> {
    /// Why the work ends early.
    type Stop;

    /// Begins on so many records, if their number is known.
    fn begins(&mut self, records: Option<u64>);

    /// Takes what is told of a record.
    ///
    /// # Errors
    /// If the work is to end.
    fn told(&mut self, told: T) -> Result<(), Self::Stop>;

    /// So many more records are done.
    ///
    /// # Errors
    /// If the work is to end.
    fn done(&mut self, records: u64) -> Result<(), Self::Stop>;

    /// Something is missing in an archive, which goes on behind it.
    fn missing(&mut self, archive: &Path, what: &str);

    /// A source cannot be read at all.
    fn unread(&mut self, source: &Path, error: &io::Error) -> Self::Stop;

    /// It may take a while until more comes.
    ///
    /// # Errors
    /// If the work is to end.
    fn rests(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }
}

/// What comes next in an archive.
pub enum Next {
    /// Lines.
    Chunk(Chunk),
    /// Something is missing here, and what.
    Missing(String),
}

/// Returns what comes next; `None` at the end.
pub fn next<R: Read>(source: &mut Stream<R>) -> Option<Next> {
    Some(match source.next_chunk() {
        Ok(Some(chunk)) => Next::Chunk(chunk),
        Ok(None) => return None,
        Err(StreamError::Io(error)) => Next::Missing(format!("cannot be read: {error}")),
        Err(StreamError::Damage(damage)) => Next::Missing(damage.to_string()),
    })
}

/// Reads an archive, and passes the result of `answer` for each line on, in order. What is missing is reported, and in its place goes on
/// what `gap` says of it.
///
/// # Errors
/// If the work was ended.
pub fn read_archive<T: Send, W: Watch<T>>(
    path: &Path,
    mut source: Source,
    answer: &(impl Fn(Result<&[u8], String>) -> T + Send + Sync),
    gap: impl Fn(String) -> T,
    watch: &mut W,
) -> Result<(), W::Stop> {
    watch.begins(None);
    while let Some(next) = next(&mut source) {
        match next {
            Next::Missing(what) => {
                watch.missing(path, &what);
                watch.told(gap(what))?;
            }
            Next::Chunk(chunk) => {
                each_line(&chunk, answer, |told| watch.told(told).and_then(|()| watch.done(1)))?;
            }
        }
        watch.rests()?;
    }
    Ok(())
}

/// Where a record comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its path, as it is reported; in an archive its maker chose it.
    pub path: Option<&'a str>,
    /// The file, if it is one.
    pub file: Option<&'a Path>,
}

/// Reads the records of all these sources: first the archives and standard input, as one record or an archive, then files and folders.
/// `tell` runs on several threads and gets where a record comes from and its bytes, or why there are none; what it tells is passed on
/// in order.
///
/// # Errors
/// If the work was ended.
pub fn each<T: Send, W: Watch<T>>(
    paths: &[PathBuf],
    tell: impl Fn(Origin<'_>, Result<&[u8], String>) -> T + Send + Sync,
    watch: &mut W,
) -> Result<(), W::Stop> {
    let (streams, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        paths.iter().partition(|path| is_stdin(path) || is_archive(path));
    for path in streams {
        let input = if is_stdin(path) { standard_input() } else { open(path).map(Input::Archive) };
        match input {
            Ok(Input::Record(record)) => watch.told(tell(Origin { path: Some("-"), file: None }, Ok(&record)))?,
            Ok(Input::Archive(source)) => {
                let one = |line: Result<&[u8], String>| match line.and_then(Line::read) {
                    Ok(line) => tell(Origin { path: line.name().as_deref(), file: None }, Ok(&line.record)),
                    Err(why) => tell(Origin { path: None, file: None }, Err(why)),
                };
                read_archive(path, source, &one, |why| one(Err(why)), watch)?;
            }
            Err(error) => return Err(watch.unread(path, &error)),
        }
    }
    let files: Vec<PathBuf> = files.into_iter().cloned().collect();
    let found = find(&files);
    let one = |found: &Found, read: Result<&[u8], io::Error>| {
        let record = read.map_err(|error| format!("cannot be read: {error}"));
        tell(Origin { path: Some(&path_text(found.path())), file: Some(found.path()) }, record)
    };
    watch.begins(Some(found.len() as u64));
    walk(&found, one, |told| watch.told(told).and_then(|()| watch.done(1)))
}
