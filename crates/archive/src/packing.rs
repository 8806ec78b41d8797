//! Writing archives: which records go in, and under which paths.

#![expect(
    clippy::disallowed_types,
    reason = "frames are added to an archive in its place, and one that was left unfinished is cut off"
)]

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::frames::{End, end, ends_line};
use super::held::{Held, Standing, Version};
use super::lines::{Line, too_long};
use super::paths::path_bytes;
use super::sources::{self, Next, is_archive, is_stdin};
use super::stream::{Packer, each_line};
use postrider_disk::disk::{FileError, RecordLock};
use postrider_disk::files::{GrowingFile, NewFile};
use postrider_disk::finding::find;
use postrider_disk::found::Found;
use postrider_referee::record::RECORD_LIMIT;
use postrider_referee::verdict::is_practice;

/// How long an archive is waited for that another program is adding to.
const WAIT: Duration = Duration::from_secs(120);

/// What is told while records are packed.
#[derive(Debug)]
pub enum PackEvent<'a> {
    /// So many records are looked at, if that is known.
    Begins(Option<u64>),
    /// A record was looked at.
    Looked,
    /// A practice game is left out.
    Practice,
    /// Something is missing in an archive.
    Missing(&'a Path, String),
    /// What cannot be read is left out: the path of a file, or nothing for a line of an archive; and why.
    LeftOut(Option<&'a Path>, String),
    /// The archive holds a version of the record at this path with so many entries, which are more.
    Older(&'a [u8], u32),
    /// Paths are stored without this at their beginning.
    Shortened(&'a Path),
    /// The archive ended within a frame that an interrupted run left; its bytes, so many, are removed.
    Cut(u64),
}

/// Takes what is told, and may end the work.
pub type Tell<'a, E> = dyn FnMut(PackEvent<'_>) -> Result<(), E> + 'a;

/// Why nothing was packed.
#[derive(Debug)]
pub enum PackError<E> {
    /// The archive cannot be written.
    Write(io::Error),
    /// A file cannot be written.
    File(FileError),
    /// An archive that is to be packed cannot be read.
    Read(PathBuf, io::Error),
    /// An archive that is to grow is damaged, at this byte if that is known.
    Damaged(Option<u64>),
    /// What is to grow is no archive.
    NoArchive,
    /// The work was ended.
    Ended(E),
}

impl<E> From<E> for PackError<E> {
    fn from(end: E) -> Self {
        Self::Ended(end)
    }
}

/// What goes into an archive.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a> {
    /// Folders, records and archives.
    pub paths: &'a [PathBuf],
    /// Whether practice games go in too.
    pub practice: bool,
}

/// Packs into something that is written as it comes. Returns how many records went in.
///
/// # Errors
/// If it cannot be written, or the work was ended.
pub fn pack<E>(to: impl Write, what: Packed<'_>, tell: &mut Tell<'_, E>) -> Result<u64, PackError<E>> {
    Packing { packer: Packer::new(to), held: None, again: false, tell, is_told: false, count: 0 }.all(what)
}

/// Packs into several files of about the same size (`games-1.jsonl.zst` and so on, if the archive is called `games.jsonl.zst`); returns
/// those that have something in them, not yet in their places.
///
/// # Errors
/// Those of [`pack`].
pub fn pack_in_parts<E>(
    output: &Path,
    parts: u16,
    what: Packed<'_>,
    tell: &mut Tell<'_, E>,
) -> Result<Vec<(PathBuf, NewFile)>, PackError<E>> {
    let mut split = Split::begin(output, parts).map_err(PackError::File)?;
    let packer = Packer::new(&mut split).in_small_frames();
    Packing { packer, held: None, again: false, tell, is_told: false, count: 0 }.all(what)?;
    Ok(split.0.into_iter().filter(|part| part.length > 0).map(|part| (part.path, part.file)).collect())
}

/// Adds to an archive. What is there stays: the new frames come after it, or the file keeps its length. One program adds at a time, and
/// behind whole frames only: what stands behind a frame that an interrupted run left unfinished could be read by nobody. `update`: only
/// what the archive does not hold. Returns how the file was finished.
///
/// # Errors
/// Those of [`pack`], and if nothing can be added to it.
pub fn append<E>(
    output: &Path,
    what: Packed<'_>,
    update: bool,
    tell: &mut Tell<'_, E>,
) -> Result<Result<(), FileError>, PackError<E>> {
    let _lock = RecordLock::take_within(output, WAIT).map_err(PackError::File)?;
    let mut file = OpenOptions::new().read(true).write(true).open(output).map_err(PackError::Write)?;
    match end(&mut file).map_err(PackError::Write)? {
        End::Whole => {}
        End::Cut(end) => {
            let length = file.metadata().map_err(PackError::Write)?.len();
            file.set_len(end).map_err(PackError::Write)?;
            tell(PackEvent::Cut(length.saturating_sub(end)))?;
        }
        End::Damaged(at) => return Err(PackError::Damaged(Some(at))),
        End::Other => return Err(PackError::NoArchive),
    }
    let ends_line = ends_line(&mut file).map_err(PackError::Write)?;
    drop(file);
    // An interrupted run may have left some frames: what they hold is not added again.
    let note = Adding::begin(output);
    let again = !update && note.as_ref().is_none_or(|note| note.was_there);
    let held = if update || again { Some(held(output, again, tell)?) } else { None };
    let mut file = GrowingFile::open(output).map_err(PackError::File)?;
    let packer = Packer::new(&mut file);
    let packer = if ends_line { packer } else { packer.behind_open_line() };
    let done = Packing { packer, held, again, tell, is_told: false, count: 0 }.all(what);
    // Also if it failed: frames that are written stay.
    done?;
    let finished = file.finish();
    if let (Some(note), Ok(())) = (note, &finished) {
        note.end();
    }
    Ok(finished)
}

/// The note beside an archive that a run adds to it: whoever finds it knows that one was interrupted.
struct Adding {
    path: PathBuf,
    was_there: bool,
}

impl Adding {
    /// Makes the note; `None` if there can be none in that folder, so that nobody knows whether a run was interrupted.
    fn begin(output: &Path) -> Option<Self> {
        let mut name = std::ffi::OsString::from(".");
        name.push(output.file_name()?);
        name.push(".adding");
        let path = output.with_file_name(name);
        match postrider_disk::files::create(&path, b"") {
            Ok(()) => Some(Self { path, was_there: false }),
            Err(FileError::Exists { .. }) => Some(Self { path, was_there: true }),
            // It is there, but maybe not after a power cut.
            Err(error) if error.was_written() => Some(Self { path, was_there: false }),
            Err(_) => None,
        }
    }

    /// Takes it away. If that fails, the next run only looks at what is there.
    fn end(self) {
        let _ = postrider_disk::files::remove(&self.path);
    }
}

/// Several archives that are written side by side: each frame goes into the one that is shortest so far.
struct Split(Vec<SplitPart>);

struct SplitPart {
    path: PathBuf,
    file: NewFile,
    length: u64,
}

impl Split {
    fn begin(output: &Path, parts: u16) -> Result<Self, FileError> {
        let whole = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let at = [".jsonl.zst", ".zst", ".jsonl"]
            .iter()
            .find_map(|end| whole.strip_suffix(end))
            .map_or(whole.len(), str::len);
        let (stem, end) = whole.split_at(at);
        let digits = parts.to_string().len();
        let part = |number: u16| {
            let path = output.with_file_name(format!("{stem}-{number:0digits$}{end}"));
            Ok(SplitPart { file: NewFile::begin(&path)?, path, length: 0 })
        };
        (1..=parts).map(part).collect::<Result<_, _>>().map(Self)
    }
}

impl Write for Split {
    /// Takes a frame, which is always given as a whole.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        if let Some(part) = self.0.iter_mut().min_by_key(|part| part.length) {
            part.file.write_all(frame)?;
            part.length += frame.len() as u64;
        }
        Ok(frame.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.iter_mut().try_for_each(|part| part.file.flush())
    }
}

/// Reads which versions of which games an archive holds, or what it holds at which paths.
fn held<E>(path: &Path, by_path: bool, tell: &mut Tell<'_, E>) -> Result<Held, PackError<E>> {
    let mut source = sources::open(path).map_err(|error| PackError::Read(path.to_owned(), error))?;
    let mut held = Held::default();
    tell(PackEvent::Begins(None))?;
    let version = |line: Result<&[u8], String>| {
        let line = line.and_then(Line::read).ok()?;
        let make = if by_path { Version::at } else { Version::of };
        Some(make(line.path_bytes(), &line.record))
    };
    while let Some(next) = sources::next(&mut source) {
        match next {
            Next::Chunk(chunk) => each_line(&chunk, version, |version| {
                version.into_iter().for_each(|version| held.add(version));
                tell(PackEvent::Looked)
            })?,
            Next::Missing(what) => {
                tell(PackEvent::Missing(path, what))?;
                return Err(PackError::Damaged(None));
            }
        }
    }
    Ok(held)
}

/// What goes into an archive while it is written.
struct Packing<'a, 't, W, E> {
    packer: Packer<W>,
    /// What the archive holds, if only newer versions are to be added.
    held: Option<Held>,
    /// Whether what it holds only stands for what an interrupted run has added: the same record at the same path is not added again.
    again: bool,
    tell: &'a mut Tell<'t, E>,
    /// Whether it was told that paths are made relative.
    is_told: bool,
    /// How many records went in.
    count: u64,
}

impl<W: Write, E> Packing<'_, '_, W, E> {
    /// Packs everything that is named, and finishes. Returns how many records went in.
    fn all(mut self, what: Packed<'_>) -> Result<u64, PackError<E>> {
        let (streams, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
            what.paths.iter().partition(|path| is_stdin(path) || is_archive(path));
        for path in streams {
            self.lines(path, what.practice)?;
        }
        let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
        let found = find(&paths);
        (self.tell)(PackEvent::Begins(Some(found.len() as u64)))?;
        for found in found {
            let (path, read) = match found {
                Found::Record(path) => {
                    let read = read(&path);
                    (path, read)
                }
                Found::Unreadable(path, error) => (path, Err(error)),
                Found::NoRecord(path) => (path, Err(io::Error::other("no record (*.pbem) in this folder"))),
            };
            match read {
                Ok(bytes) if !what.practice && is_practice(&bytes) => (self.tell)(PackEvent::Practice)?,
                Ok(bytes) => {
                    let stored = self.stored(&path)?;
                    if self.is_wanted(&stored, &bytes)? {
                        self.packer.add(&stored, &bytes).map_err(PackError::Write)?;
                        self.count += 1;
                    }
                }
                Err(error) => (self.tell)(PackEvent::LeftOut(Some(&path), error.to_string()))?,
            }
            (self.tell)(PackEvent::Looked)?;
        }
        self.packer.finish().map_err(PackError::Write)?;
        Ok(self.count)
    }

    /// Packs the lines of an archive, or of standard input, unchanged.
    fn lines(&mut self, path: &Path, practice: bool) -> Result<(), PackError<E>> {
        let mut source = sources::open(path).map_err(|error| PackError::Read(path.to_owned(), error))?;
        (self.tell)(PackEvent::Begins(None))?;
        while let Some(next) = sources::next(&mut source) {
            let chunk = match next {
                Next::Chunk(chunk) => chunk,
                Next::Missing(what) => {
                    (self.tell)(PackEvent::Missing(path, what))?;
                    continue;
                }
            };
            for line in chunk.lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                match Line::read(line) {
                    Ok(read) if !practice && is_practice(&read.record) => (self.tell)(PackEvent::Practice)?,
                    Ok(read) => {
                        if self.is_wanted(read.path_bytes(), &read.record)? {
                            self.packer.add_line(line).map_err(PackError::Write)?;
                            self.count += 1;
                        }
                    }
                    Err(why) => (self.tell)(PackEvent::LeftOut(None, why))?,
                }
                (self.tell)(PackEvent::Looked)?;
            }
            if chunk.too_long {
                (self.tell)(PackEvent::LeftOut(None, too_long()))?;
            }
        }
        Ok(())
    }

    /// Returns whether a record is to be added; if it is, the archive holds it from now on.
    fn is_wanted(&mut self, path: &[u8], record: &[u8]) -> Result<bool, E> {
        let Some(held) = &mut self.held else { return Ok(true) };
        let version = if self.again { Version::at(path, record) } else { Version::of(path, record) };
        match held.standing(version) {
            Standing::New => {
                held.add(version);
                Ok(true)
            }
            Standing::Same => Ok(false),
            Standing::Older(entries) => (self.tell)(PackEvent::Older(path, entries)).map(|()| false),
        }
    }

    /// The path under which a record is stored: that by which it was named, without what leads out of the folder that it will be
    /// unpacked into.
    fn stored(&mut self, path: &Path) -> Result<Vec<u8>, E> {
        let (stored, left_out) = relative(path);
        if !left_out.as_os_str().is_empty() && !self.is_told {
            self.is_told = true;
            (self.tell)(PackEvent::Shortened(&left_out))?;
        }
        Ok(path_bytes(&stored))
    }
}

/// Splits a path into what can stand in an archive, as `tar` does it, and what stands before that: a root, or everything up to the
/// last `..`. That `.` means nothing is not said.
fn relative(path: &Path) -> (PathBuf, PathBuf) {
    let (mut inner, mut outer) = (PathBuf::new(), PathBuf::new());
    for part in path.components() {
        match part {
            Component::Normal(part) => inner.push(part),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => outer.push(part),
            Component::ParentDir => {
                outer.extend([std::mem::take(&mut inner), PathBuf::from("..")]);
            }
        }
    }
    (inner, outer)
}

/// Reads a record's file; one that is larger than any record is left out of the archive.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    postrider_disk::files::open(path)?.take(RECORD_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > RECORD_LIMIT {
        return Err(io::Error::other("it is over 4 MiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_stored_as_tar_stores_them() {
        for (path, stored, left_out) in [
            ("games/a.pbem", "games/a.pbem", ""),
            ("./games/./a.pbem", "games/a.pbem", ""),
            ("/home/ada/games/a.pbem", "home/ada/games/a.pbem", "/"),
            ("../games/a.pbem", "games/a.pbem", ".."),
            ("../../x/../games/a.pbem", "games/a.pbem", "../../x/.."),
            ("/../a.pbem", "a.pbem", "/.."),
        ] {
            assert_eq!(relative(Path::new(path)), (PathBuf::from(stored), PathBuf::from(left_out)), "{path}");
        }
    }
}
