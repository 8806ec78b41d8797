//! The notes of where the games are, as they are on disk: a line for each file, sorted by the game's id, so that one
//! game is found among a hundred thousand by reading a few lines.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Note;

/// The first line, before the folder of games: which form this is.
const HEAD: &str = "postrider-shelf 2 ";
/// What stands for the id of a file without a valid header; it comes before every id.
const NONE: &str = "-";
/// The most bytes of a line, its end included.
const LONGEST: u64 = 1 << 20;
/// How much is read at a time: a few lines.
const PIECE: usize = 1 << 10;

/// The notes in a file that is open.
pub(super) struct Index<R> {
    source: BufReader<R>,
    /// The folder that they are about.
    folder: PathBuf,
    /// Where the lines begin and end.
    start: u64,
    end: u64,
}

fn garbled() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

impl<R: Read + Seek> Index<R> {
    /// Opens notes.
    ///
    /// # Errors
    /// The errors of the system; [`io::ErrorKind::InvalidData`] if it is something else, or another version.
    pub(super) fn open(source: R) -> io::Result<Self> {
        let mut source = BufReader::with_capacity(PIECE, source);
        let end = source.seek(SeekFrom::End(0))?;
        source.seek(SeekFrom::Start(0))?;
        let mut index = Self { source, folder: PathBuf::new(), start: 0, end };
        let head = index.line()?.ok_or_else(garbled)?;
        let folder = head.strip_prefix(HEAD).ok_or_else(garbled)?;
        index.folder = serde_json::from_str(folder.trim_end())?;
        index.start = head.len() as u64;
        Ok(index)
    }

    /// The folder of games that the notes are about.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads the next line, with its end.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        (&mut self.source).take(LONGEST).read_until(b'\n', &mut line)?;
        match line.last() {
            None => Ok(None),
            Some(b'\n') => String::from_utf8(line).map(Some).map_err(|_| garbled()),
            Some(_) => Err(garbled()),
        }
    }

    /// Reads the first line that begins at `place` or later.
    fn line_from(&mut self, place: u64) -> io::Result<Option<String>> {
        if place <= self.start {
            self.source.seek(SeekFrom::Start(self.start))?;
        } else {
            // The rest of the line in which the byte before lies: nothing, if that is its end.
            self.source.seek(SeekFrom::Start(place - 1))?;
            let mut rest = Vec::new();
            (&mut self.source).take(LONGEST).read_until(b'\n', &mut rest)?;
        }
        self.line()
    }

    /// Returns what is noted of the files with this id.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn find(&mut self, id: &str) -> io::Result<Vec<(PathBuf, Note)>> {
        let (mut low, mut high) = (self.start, self.end);
        while low < high {
            let middle = low + (high - low) / 2;
            let before = match self.line_from(middle)? {
                Some(line) => parted(&line)?.0 < id,
                None => false,
            };
            if before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut found = Vec::new();
        let mut line = self.line_from(low)?;
        while let Some(next) = line.take() {
            let (there, note) = parted(&next)?;
            if there != id {
                break;
            }
            found.push(serde_json::from_str(note)?);
            line = self.line()?;
        }
        Ok(found)
    }

    /// Returns everything that is noted.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn all(mut self) -> io::Result<Vec<(PathBuf, Note)>> {
        let mut source = BufReader::with_capacity(1 << 16, self.source.get_mut());
        source.seek(SeekFrom::Start(self.start))?;
        let mut text = String::new();
        source.read_to_string(&mut text)?;
        text.lines().map(|line| Ok(serde_json::from_str(parted(line)?.1)?)).collect()
    }
}

/// Splits a line into the id and the note.
fn parted(line: &str) -> io::Result<(&str, &str)> {
    line.split_once(' ').ok_or_else(garbled)
}

/// Writes notes; `None` if a path or an id cannot be written so that it is found again.
pub(super) fn write(folder: &Path, notes: &mut Vec<(&PathBuf, &Note)>) -> Option<Vec<u8>> {
    let key = |note: &Note| note.id.clone().unwrap_or_else(|| NONE.to_owned());
    notes.sort_by(|(one, first), (other, second)| (&first.id, one).cmp(&(&second.id, other)));
    let mut bytes = HEAD.as_bytes().to_vec();
    serde_json::to_writer(&mut bytes, folder).ok()?;
    bytes.push(b'\n');
    for note in notes {
        let id = key(note.1);
        let begun = bytes.len();
        if id.contains([' ', '\n']) {
            return None;
        }
        bytes.extend_from_slice(id.as_bytes());
        bytes.push(b' ');
        serde_json::to_writer(&mut bytes, note).ok()?;
        bytes.push(b'\n');
        if (bytes.len() - begun) as u64 > LONGEST {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// Counts what is read from it.
    struct Counted(io::Cursor<Vec<u8>>, Rc<Cell<usize>>);

    impl Read for Counted {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(into)?;
            self.1.set(self.1.get() + read);
            Ok(read)
        }
    }

    impl Seek for Counted {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    fn notes(count: usize) -> Vec<(PathBuf, Note)> {
        (0..count)
            .map(|number| {
                let id = (number % 10 > 0).then(|| format!("asalto-{number:06}"));
                (PathBuf::from(format!("games/{number}.pbem")), Note { id, ..Note::default() })
            })
            .collect()
    }

    fn written(notes: &[(PathBuf, Note)]) -> Vec<u8> {
        write(Path::new("games"), &mut notes.iter().map(|(path, note)| (path, note)).collect()).expect("notes")
    }

    #[test]
    fn a_game_is_found_among_any_number_by_reading_a_few_lines() {
        let mut counts = Vec::new();
        for count in [1_000, 10_000, 100_000] {
            let read = Rc::new(Cell::new(0));
            let all = notes(count);
            let mut index = Index::open(Counted(io::Cursor::new(written(&all)), Rc::clone(&read))).expect("notes");
            read.set(0);
            let wanted = &all[count - 1];
            assert_eq!(
                index.find(wanted.1.id.as_deref().expect("an id")).expect("found"),
                std::slice::from_ref(wanted)
            );
            assert!(index.find("asalto-none").expect("looked for").is_empty());
            counts.push(read.get());
        }
        // A few more halvings for ten times the games.
        assert!(counts[2] < counts[0] * 2 && counts[2] < 256 * 1024, "{counts:?}");
    }

    #[test]
    fn every_game_is_found_wherever_its_line_stands() {
        for count in 0..40 {
            let mut all = notes(count);
            // Two files with the same id.
            all.extend(
                all.iter()
                    .rev()
                    .take(1)
                    .cloned()
                    .map(|(path, note)| (path.with_extension("copy"), note))
                    .collect::<Vec<_>>(),
            );
            let bytes = written(&all);
            let open = || Index::open(io::Cursor::new(bytes.clone())).expect("notes");
            for (_, note) in &all {
                let Some(id) = &note.id else { continue };
                let mut there: Vec<_> =
                    all.iter().filter(|(_, other)| other.id.as_ref() == Some(id)).cloned().collect();
                there.sort_by(|one, other| one.0.cmp(&other.0));
                assert_eq!(open().find(id).expect("found"), there, "{id} of {count}");
            }
            for id in ["aaaaaaaa", "asalto-000000x", "zzzzzzzz"] {
                assert!(open().find(id).expect("looked for").is_empty());
            }
            assert_eq!(open().all().expect("all").len(), all.len());
        }
    }

    #[test]
    fn what_is_no_index_is_refused() {
        for bytes in
            [&b""[..], b"{}", b"{\"version\":1,\"files\":[]}", b"postrider-shelf 3 \"x\"\n", b"postrider-shelf 2 \"x"]
        {
            assert!(Index::open(io::Cursor::new(bytes)).is_err());
        }
        let cut = written(&notes(20));
        let mut index = Index::open(io::Cursor::new(&cut[..cut.len() - 9])).expect("its head is whole");
        assert!(index.find("zzzzzzzz").is_err());
    }
}
