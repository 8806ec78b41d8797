//! Finding the files of records in folders, and reading them.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Found;
use crate::record::RECORD_LIMIT;

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
    let mut list = || -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = Kind::of(&entry, &name);
            if !matches!(kind, Ok(Kind::Other)) {
                all.push(Listed { start: 0, name, kind });
            }
        }
        Ok(())
    };
    if let Err(error) = list() {
        found.push(Found::Unreadable(folder.to_owned(), error));
    }
    sort(&mut all);
    found.reserve(all.len());
    // Ends with a separator, so that the path of a file is this and its name.
    let folder = folder.join("");
    for Listed { name, kind, .. } in all {
        let mut path = OsString::with_capacity(folder.as_os_str().len() + name.len());
        path.push(&folder);
        path.push(name);
        match kind {
            Ok(Kind::Folder) => search(path.as_ref(), found),
            Ok(_) => found.push(Found::Record(path.into())),
            Err(error) => found.push(Found::Unreadable(path.into(), error)),
        }
    }
}

/// Something in a folder.
struct Listed {
    /// The bytes in which the names of a folder begin to differ.
    start: u64,
    name: OsString,
    kind: io::Result<Kind>,
}

/// What something in a folder is.
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

/// Returns whether a file of this name is a record, `*.pbem`.
fn is_record(name: &OsStr) -> bool {
    name.as_encoded_bytes().strip_suffix(b".pbem").is_some_and(|stem| !stem.is_empty())
}

/// Sorts by name. Most names differ only behind a beginning that all share, and comparing what follows it as a number is faster
/// than comparing texts.
fn sort(all: &mut [Listed]) {
    let Some((first, others)) = all.split_first() else { return };
    let first = first.name.as_encoded_bytes();
    let shared = others.iter().fold(first.len(), |shared, other| {
        let pairs = first.iter().zip(other.name.as_encoded_bytes()).take(shared);
        pairs.take_while(|(one, other)| one == other).count()
    });
    for listed in &mut *all {
        let rest = listed.name.as_encoded_bytes().get(shared..).unwrap_or_default();
        let mut start = [0; 8];
        start.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
        listed.start = u64::from_be_bytes(start);
    }
    all.sort_unstable_by(|one, other| one.start.cmp(&other.start).then_with(|| one.name.cmp(&other.name)));
}

/// Where files are read to, one after another.
#[derive(Default)]
pub(super) struct Buffer(Vec<u8>);

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
    pub(super) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let mut buffer = KEPT.take();
        let done = work(&mut buffer);
        if buffer.0.len() <= Self::MOST_KEPT {
            KEPT.set(buffer);
        }
        done
    }

    /// Reads a whole file, but at most one byte more than a record may have.
    pub(super) fn read(&mut self, path: &Path) -> io::Result<&[u8]> {
        let file = File::open(path)?;
        self.fill(&file, || file.metadata().map_or(0, |found| found.len()))
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
        let mut expected: Vec<&str> =
            names.into_iter().filter(|name| name.ends_with(".pbem") && *name != ".pbem").collect();
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
            let listed =
                |name: &&str| Listed { start: 0, name: format!("{prefix}{name}").into(), kind: Ok(Kind::Record) };
            let mut all: Vec<_> = names.iter().map(listed).collect();
            sort(&mut all);
            let mut expected: Vec<_> = names.map(|name| format!("{prefix}{name}")).to_vec();
            expected.sort();
            assert_eq!(all.iter().map(|listed| listed.name.to_str().unwrap()).collect::<Vec<_>>(), expected);
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
