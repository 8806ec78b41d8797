//! Finding the files of records in folders, and reading them.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::found::{Found, is_record};
use postrider_referee::record::RECORD_LIMIT;

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
        search(path, &mut found);
        if found.len() == before {
            found.push(Found::NoRecord(path.clone()));
        }
    }
    found
}

/// Adds the records in a folder and in the folders below it, in order of name.
fn search(folder: &Path, found: &mut Vec<Found>) {
    let mut all = Vec::new();
    // Ends with a separator, so that the path of a file is this and its name.
    let beginning = folder.join("").into_os_string();
    let mut list = || -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = Kind::of(&entry, &name);
            if !matches!(kind, Ok(Kind::Other)) {
                let mut path = OsString::with_capacity(beginning.len() + name.len());
                path.push(&beginning);
                path.push(name);
                all.push(Listed { path, kind });
            }
        }
        Ok(())
    };
    if let Err(error) = list() {
        found.push(Found::Unreadable(folder.to_owned(), error));
    }
    found.reserve(all.len());
    for nth in in_order(&all, beginning.len()) {
        let Some(Listed { path, kind }) = all.get_mut(nth).map(std::mem::take) else { continue };
        match kind {
            Ok(Kind::Folder) => search(path.as_ref(), found),
            Ok(_) => found.push(Found::Record(path.into())),
            Err(error) => found.push(Found::Unreadable(path.into(), error)),
        }
    }
}

/// Something in a folder.
struct Listed {
    path: OsString,
    kind: io::Result<Kind>,
}

impl Listed {
    fn bytes(&self) -> &[u8] {
        self.path.as_encoded_bytes()
    }
}

impl Default for Listed {
    fn default() -> Self {
        Self { path: OsString::new(), kind: Ok(Kind::Other) }
    }
}

/// The kind of something in a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    Record,
    Other,
}

impl Kind {
    /// A record is a file, or a link to a file or to something that cannot be seen. Opening a pipe would block.
    fn of(entry: &DirEntry, name: &OsStr) -> io::Result<Self> {
        let kind = entry.file_type()?;
        let is_file =
            || kind.is_file() || kind.is_symlink() && fs::metadata(entry.path()).map_or(true, |found| found.is_file());
        Ok(match () {
            () if kind.is_dir() => Kind::Folder,
            () if is_record(name) && is_file() => Kind::Record,
            () => Kind::Other,
        })
    }
}

/// Returns the places of these in order of name, which begins at this byte of the path. Most names differ only behind a beginning
/// that all share, and comparing what follows it as a number is faster than comparing texts.
fn in_order(all: &[Listed], name: usize) -> impl Iterator<Item = usize> + use<> {
    let first = all.first().map(Listed::bytes).unwrap_or_default();
    let shared = all.iter().fold(first.len(), |shared, other| {
        let pairs = first.iter().zip(other.bytes()).take(shared).skip(name);
        name + pairs.take_while(|(one, other)| one == other).count()
    });
    let start = |listed: &Listed| {
        let rest = listed.bytes().get(shared..).unwrap_or_default();
        let mut start = [0; 8];
        start.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
        u64::from_be_bytes(start)
    };
    let mut order: Vec<_> = all.iter().map(start).zip(0..).collect();
    order.sort_unstable_by_key(|&(start, _)| start);
    for alike in order.chunk_by_mut(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
        alike.sort_unstable_by_key(|&(_, nth)| all.get(nth).map(|listed| &listed.path));
    }
    order.into_iter().map(|(_, nth)| nth)
}

/// Where files are read to, one after another.
#[derive(Default)]
pub(crate) struct Buffer(Vec<u8>);

thread_local! {
    static KEPT: Cell<Buffer> = const { Cell::new(Buffer(Vec::new())) };
}

impl Buffer {
    /// How many bytes are asked for at first; most files have fewer.
    const FIRST: usize = 4 * 1024;
    /// The memory used for a larger record is not kept for the next one.
    const MOST_KEPT: usize = 1024 * 1024;

    /// Does something with the buffer of this thread. The work may use threads, and with them come back here: it gets another
    /// buffer then.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let mut buffer = KEPT.take();
        let done = work(&mut buffer);
        if buffer.0.len() <= Self::MOST_KEPT {
            KEPT.set(buffer);
        }
        done
    }

    /// Reads a whole file, but at most one byte more than a record may have.
    pub(crate) fn read(&mut self, path: &Path) -> io::Result<&[u8]> {
        let file = open(path)?;
        self.fill(Source(&file), || file.metadata().map_or(0, |found| found.len()))
    }

    /// Reads from a source to its end, but at most one byte more than a record may have. `expected` says how long it is, if it knows;
    /// a pipe does not.
    fn fill(&mut self, mut source: impl io::Read, expected: impl Fn() -> u64) -> io::Result<&[u8]> {
        let Self(bytes) = self;
        if bytes.is_empty() {
            *bytes = vec![0; Self::FIRST];
        }
        let mut length = 0;
        while length <= RECORD_LIMIT {
            if length == bytes.len() {
                let all = usize::try_from(expected()).unwrap_or(usize::MAX).saturating_add(1);
                bytes.resize(all.max(length + Self::FIRST).min(RECORD_LIMIT + 1), 0);
            }
            // Less than was asked for is not the end yet on every file system; nothing is.
            match source.read(bytes.get_mut(length..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes.get(..length).unwrap_or_default())
    }
}

/// Opens a file to be read. The system's own call, as that in [`Source`]: those of the standard library go through the C library,
/// which takes longer over each in a program with threads.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let opened = rustix::io::retry_on_intr(|| open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()))?;
    Ok(opened.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A file that is read.
struct Source<'a>(&'a File);

impl io::Read for Source<'_> {
    #[cfg(unix)]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(self.0, bytes)?)
    }

    #[cfg(not(unix))]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn records_are_found_in_order_of_name_with_those_of_a_folder_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "a-1.pbem",
            "a-10.pbem",
            "a-2.pbem",
            "a/x.pbem",
            "a.pbem",
            "a/b/y.pbem",
            "a!.pbem",
            "\u{e9}.pbem",
            "same-beginning-1.pbem",
            "same-beginning-2.pbem",
            "same-beginning-2.pbem.pbem",
            "empty.d/other",
            ".pbem",
            "pbem",
            "x.PBEM",
            "x.pbem.txt",
            "x.pbem/z.pbem",
        ];
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let listed = |path: &Path| -> Vec<_> {
            let found = find(&[path.to_owned()]);
            let path = |found: &Found| match found {
                Found::Record(file) => file.strip_prefix(path).unwrap().to_str().unwrap().to_owned(),
                other => panic!("{other:?}"),
            };
            found.iter().map(path).collect()
        };
        // In any letter case, as systems write it that do not tell these apart.
        let is_record = |name: &&str| name.to_ascii_lowercase().ends_with(".pbem") && *name != ".pbem";
        let mut expected: Vec<&str> = names.into_iter().filter(is_record).collect();
        // Part by part: what is in a folder comes where the folder's name does.
        expected.sort_by(|one, other| Path::new(one).cmp(Path::new(other)));
        assert_eq!(listed(folder.path()), expected);
        assert_eq!(listed(&folder.path().join("same-beginning-1.pbem")), [""]);
        assert!(matches!(&find(&[folder.path().join("empty.d")])[..], [Found::NoRecord(_)]));
        assert!(matches!(&find(&[folder.path().join("nowhere")])[..], [Found::Record(_)]));
    }

    #[test]
    fn names_are_sorted_by_their_bytes_whatever_they_share() {
        for prefix in ["", "a", "asalto-20261121-"] {
            let names = [
                "",
                "0",
                "00000000",
                "000000000",
                "00000000\u{1}",
                "1",
                "9",
                "a",
                "\u{e9}",
                "\u{1}",
                "00000001",
                "0000000010",
            ];
            for folder in ["", "folder/"] {
                let path = |name: &str| format!("{folder}{prefix}{name}");
                let listed = |name: &&str| Listed { path: path(name).into(), kind: Ok(Kind::Record) };
                let all: Vec<_> = names.iter().map(listed).collect();
                let found: Vec<_> = in_order(&all, folder.len()).map(|nth| all[nth].path.to_str().unwrap()).collect();
                let mut expected: Vec<_> = names.map(path).to_vec();
                expected.sort();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_file_of_any_size_is_read_up_to_the_limit_of_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut buffer = Buffer::default();
        for size in [
            0,
            1,
            Buffer::FIRST - 1,
            Buffer::FIRST,
            Buffer::FIRST + 1,
            70_000,
            1 << 20,
            3,
            RECORD_LIMIT - 1,
            RECORD_LIMIT,
            5,
        ] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            assert!(buffer.read(&path).unwrap() == bytes, "{size}");
        }
        fs::write(&path, vec![7; RECORD_LIMIT + 100_000]).unwrap();
        assert_eq!(buffer.read(&path).unwrap().len(), RECORD_LIMIT + 1);
        assert_eq!(buffer.read(&folder.path().join("nothing")).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(buffer.read(folder.path()).is_err(), "a folder is no file");
    }

    #[test]
    fn a_source_that_does_not_know_its_length_is_read_up_to_the_limit_too() {
        for size in [0, 1, Buffer::FIRST as u64, 70_000, RECORD_LIMIT as u64 - 1, RECORD_LIMIT as u64] {
            let mut buffer = Buffer::default();
            assert_eq!(buffer.fill(io::repeat(7).take(size), || 0).unwrap().len() as u64, size);
        }
        assert_eq!(Buffer::default().fill(io::repeat(7), || 0).unwrap().len(), RECORD_LIMIT + 1);
    }
}
