//! Reads packed archives and lines of JSON for the commands that judge and export.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::hints::{self, Failure, name};
use super::input;
use super::progress::Progress;
use super::verify::worse;
use crate::archive::lines::Line;
use crate::archive::stream::{self, Chunk, Stream, StreamError, each_line};
use crate::archive::{self, Found};
use crate::record::RECORD_LIMIT;
use crate::text::printable;

/// Returns whether a path is that of an archive: lines of JSON, packed or not. Where its name says neither that nor that it is a
/// record, its first bytes do.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    if name.ends_with(b".pbem") || input::is_stdin(path) {
        return false;
    }
    let Ok(about) = std::fs::metadata(path) else { return is_named_archive(name) };
    !about.is_dir() && (is_named_archive(name) || about.is_file() && begins_archive(path).unwrap_or(false))
}

fn is_named_archive(name: &[u8]) -> bool {
    name.ends_with(b".jsonl") || name.ends_with(b".zst")
}

fn begins_archive(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    crate::store::open(path)?.take(FIRST).read_to_end(&mut first)?;
    Ok(stream::is_archive(&first))
}

/// How many first bytes show what a file is.
const FIRST: u64 = 64;

/// Standard input: a record, or an archive that is being read.
pub(super) enum Input {
    Record(Vec<u8>),
    Archive(Stream<Box<dyn Read>>),
}

/// Reads the first bytes of standard input, and all of it if it is a record.
pub(super) fn standard_input() -> Result<Input, Failure> {
    let failed = |error: io::Error| Failure::reading(Path::new("-"), &error);
    let mut first = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin.by_ref().take(FIRST).read_to_end(&mut first).map_err(failed)?;
    if stream::is_archive(&first) {
        return Ok(Input::Archive(Stream::new(Box::new(io::Cursor::new(first).chain(stdin)))));
    }
    let most = (RECORD_LIMIT + 1).saturating_sub(first.len()) as u64;
    stdin.take(most).read_to_end(&mut first).map_err(failed)?;
    Ok(Input::Record(crate::text::without_utf16(first)))
}

/// What is doubtful about records, told on standard error as `verify` does, but each doubt once: of many games from the time before an
/// opponent signed, the first is named and the others are counted.
#[derive(Default)]
pub(super) struct Doubts(BTreeMap<String, u32>);

impl Doubts {
    /// Prints those about a record that are new.
    pub(super) fn tell(&mut self, path: Option<&str>, doubts: Vec<String>) {
        for doubt in doubts {
            let told = self.0.entry(doubt);
            if let Entry::Vacant(new) = &told {
                errln!("{}: warning: {}", printable(path.unwrap_or("-")), new.key());
            }
            *told.or_default() += 1;
        }
    }

    /// Prints in how many further records they were found.
    pub(super) fn count(self) {
        for (doubt, records) in self.0.into_iter().filter(|(_, records)| *records > 1) {
            let more = records - 1;
            errln!("and {more} more {}: warning: {doubt}", if more == 1 { "record" } else { "records" });
        }
    }
}

/// Counts the practice games (E12) that a command leaves out.
#[derive(Default)]
pub(super) struct Practice(u32);

impl Practice {
    /// Leaves one out.
    pub(super) fn leave_out(&mut self) {
        self.0 += 1;
    }

    /// Says how many were left out.
    pub(super) fn count(&self) {
        match self.0 {
            0 => {}
            1 => errln!("1 practice game is left out; `--practice` includes it"),
            more => errln!("{more} practice games are left out; `--practice` includes them"),
        }
    }
}

/// Reads an archive, and passes the result of `answer` for each line to `tell`, in order. What is missing in the archive is
/// reported in its place, counts as something that could not be judged, and has an answer too if `rows`.
pub(super) fn judge(
    path: &Path,
    mut stream: Stream<Box<dyn Read>>,
    rows: bool,
    answer: impl Fn(Result<&[u8], String>) -> (u8, String) + Send + Sync,
    tell: &mut dyn FnMut((u8, String)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut progress = Progress::of(None);
    loop {
        match next_chunk(&mut stream, path)? {
            Next::End => return Ok(()),
            Next::Missing(why) => {
                let (code, text) = if rows { answer(Err(why)) } else { (hints::TROUBLE, String::new()) };
                progress.aside(|| tell((code.max(hints::TROUBLE), text)))?;
            }
            Next::Chunk(chunk) => {
                // Answers are written together, and before waiting for more input.
                let mut worst = 0;
                let mut text = String::new();
                let mut count = 0;
                each_line(&chunk, &answer, |(code, line)| {
                    worst = worse(worst, code);
                    text.push_str(&line);
                    count += 1;
                    Ok::<(), Failure>(())
                })?;
                progress.aside(|| tell((worst, text)))?;
                progress.more(count)?;
            }
        }
    }
}

/// Like [`judge`], with any result of `answer`, which is asked for what is missing too. Returns the exit code that the archive itself
/// requires.
fn stream_of<T: Send>(
    path: &Path,
    mut stream: Stream<Box<dyn Read>>,
    answer: impl Fn(Result<&[u8], String>) -> T + Send + Sync,
    each: &mut dyn FnMut(T) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    let mut worst = 0;
    let mut progress = Progress::of(None);
    loop {
        match next_chunk(&mut stream, path)? {
            Next::End => return Ok(worst),
            Next::Missing(why) => {
                worst = hints::TROUBLE;
                progress.aside(|| each(answer(Err(why))))?;
            }
            Next::Chunk(chunk) => {
                each_line(&chunk, &answer, |told| progress.aside(|| each(told)).and_then(|()| progress.more(1)))?;
            }
        }
    }
}

/// Opens an archive, or standard input for `-`.
pub(super) fn open(path: &Path) -> Result<Stream<Box<dyn Read>>, Failure> {
    let from: Box<dyn Read> = if input::is_stdin(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(crate::store::open(path).map_err(|error| Failure::reading(path, &error))?)
    };
    Ok(Stream::new(from))
}

/// What comes next in an archive.
pub(super) enum Next {
    Chunk(Chunk),
    /// Something is missing here, which was reported.
    Missing(String),
    End,
}

/// Returns the next lines; what is missing is reported.
pub(super) fn next_chunk<R: Read>(stream: &mut Stream<R>, path: &Path) -> Result<Next, Failure> {
    let what = match stream.next_chunk() {
        Ok(Some(chunk)) => return Ok(Next::Chunk(chunk)),
        Ok(None) => return Ok(Next::End),
        Err(StreamError::Io(error)) => format!("cannot be read: {error}"),
        Err(StreamError::Damage(damage)) => damage.to_string(),
    };
    errln!("error: {}: {what}", name(path));
    Ok(Next::Missing(what))
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
        let (mut files, mut streams) = (Vec::new(), Vec::new());
        for path in self.paths {
            match is_archive(path) || input::is_stdin(path) {
                true => streams.push(path),
                false => files.push(path.clone()),
            }
        }
        for path in streams {
            let stream = match input::is_stdin(path) {
                false => open(path)?,
                true => match standard_input()? {
                    Input::Archive(stream) => stream,
                    Input::Record(source) => {
                        each(tell(Origin { path: Some("-"), file: None }, Ok(&source)))?;
                        continue;
                    }
                },
            };
            let one = |line: Result<&[u8], String>| match line.and_then(Line::read) {
                Ok(line) => tell(Origin { path: line.path.as_deref(), file: None }, Ok(&line.record)),
                Err(why) => tell(Origin { path: None, file: None }, Err(why)),
            };
            worst = worst.max(stream_of(path, stream, one, &mut each)?);
        }
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
