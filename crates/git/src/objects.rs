//! Objects by their ids: one `git cat-file` process for any number of requests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::{GitError, Repository};
use postrider_referee::record::RECORD_LIMIT;

/// The longest answer line of git: an id, a word, a length.
const ANSWER: u64 = 4096;

/// What an id refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    /// The bytes of a file.
    Bytes(Vec<u8>),
    /// A file that is larger than any record, and its length in bytes.
    TooLarge(u64),
    /// Something that is not the content of a file, such as a tree.
    Other,
}

impl Blob {
    /// Returns the content of a file that is no larger than a record.
    #[must_use]
    pub fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::TooLarge(_) | Self::Other => None,
        }
    }
}

/// A running `git cat-file --batch`.
#[derive(Debug)]
pub struct Objects {
    child: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: std::path::PathBuf,
}

impl Objects {
    /// Starts it.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn of(repository: &Repository) -> Result<Self, GitError> {
        let mut child = repository
            .command(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(GitError::start)?;
        let (asks, answers) = (child.stdin.take(), child.stdout.take());
        let Some(answers) = answers else { return Err(GitError::Unreadable("nothing")) };
        Ok(Self { child, asks, answers: BufReader::new(answers), folder: repository.folder().to_owned() })
    }

    /// Reads some objects, and passes each to `each` in the order requested. Nothing is kept of an object that is
    /// larger than a record.
    ///
    /// # Errors
    /// If git cannot read one, or `each` returns an error.
    pub fn read<E: From<GitError>>(
        &mut self,
        ids: &[&str],
        mut each: impl FnMut(usize, Blob) -> Result<(), E>,
    ) -> Result<(), E> {
        // Few enough at a time that neither side waits for the other because of a full pipe.
        const AT_ONCE: usize = 256;
        for (batch, chunk) in ids.chunks(AT_ONCE).enumerate() {
            self.ask(chunk)?;
            for place in 0..chunk.len() {
                let blob = self.answer()?;
                each(batch * AT_ONCE + place, blob)?;
            }
        }
        Ok(())
    }

    /// Reads one object.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn one(&mut self, id: &str) -> Result<Blob, GitError> {
        self.ask(&[id])?;
        self.answer()
    }

    fn ask(&mut self, ids: &[&str]) -> Result<(), GitError> {
        let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let Some(asks) = &mut self.asks else { return Err(GitError::Unreadable("nothing")) };
        let written = asks.write_all(text.as_bytes()).and_then(|()| asks.flush());
        written.map_err(|error| self.trouble(error))
    }

    fn answer(&mut self) -> Result<Blob, GitError> {
        let mut line = Vec::new();
        let read = (&mut self.answers).take(ANSWER).read_until(b'\n', &mut line);
        read.map_err(|error| self.trouble(error))?;
        let text = String::from_utf8_lossy(&line);
        let mut words = text.trim_end().rsplit(' ');
        let (last, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if last == "missing" {
            return Err(GitError::Object(format!("{} is missing", words.next().unwrap_or(kind))));
        }
        let Ok(length) = last.parse::<u64>() else { return Err(self.ended()) };
        let is_blob = kind == "blob";
        let fits = is_blob && length <= RECORD_LIMIT as u64;
        let mut bytes = Vec::with_capacity(if fits { usize::try_from(length).unwrap_or_default() } else { 0 });
        let mut content = (&mut self.answers).take(length);
        let copied = if fits {
            content.read_to_end(&mut bytes).map(|read| read as u64)
        } else {
            io::copy(&mut content, &mut io::sink())
        };
        let copied = copied.map_err(|error| self.trouble(error))?;
        let mut newline = [0];
        if copied < length || self.answers.read_exact(&mut newline).is_err() {
            return Err(self.ended());
        }
        Ok(match (is_blob, fits) {
            (true, true) => Blob::Bytes(bytes),
            (true, false) => Blob::TooLarge(length),
            _ => Blob::Other,
        })
    }

    /// Why there is no answer: what git reported before it ended.
    fn ended(&mut self) -> GitError {
        self.asks = None;
        let mut said = Vec::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(64 * 1024).read_to_end(&mut said);
        }
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(error) => return GitError::Io(error),
        };
        match GitError::said(status, &said, &self.folder) {
            GitError::Said(text) => GitError::Object(text),
            other => other,
        }
    }

    fn trouble(&mut self, error: io::Error) -> GitError {
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => self.ended(),
            _ => GitError::Io(error),
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // When nothing more can be asked, git ends on its own.
        self.asks = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
