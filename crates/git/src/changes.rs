//! What changed from one tree to another, in git's raw format with NUL as the separator.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};

use super::{GitError, Repository};

/// The longest text between two NULs that is read.
const LONGEST: u64 = 1024 * 1024;
/// How many commits, and changes of theirs, are read ahead, so that their records are asked for together.
const AHEAD: usize = 64;
/// What begins a commit in the output, and separates the parts of its line.
const COMMIT: &str = "commit";
const PART: char = '\u{1f}';

/// What a tree contains under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing.
    Absent,
    File,
    /// A symbolic link.
    Link,
    /// A commit of another repository.
    Submodule,
}

impl FileKind {
    pub(super) fn of(mode: &str) -> Self {
        match mode {
            "000000" => FileKind::Absent,
            "120000" => FileKind::Link,
            "160000" => FileKind::Submodule,
            _ => FileKind::File,
        }
    }
}

/// A path whose content differs in the new tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path from the top of the work tree, as bytes from git.
    pub path: Vec<u8>,
    /// What was there before, and its object.
    pub old: (FileKind, String),
    /// What is there now, and its object.
    pub new: (FileKind, String),
}

/// A commit, and what it changed compared with one of its parents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    /// How many parents it has.
    pub parents: usize,
    /// The author's name.
    pub author: String,
    /// The author's mail address.
    pub email: String,
    /// The author date, in seconds since 1970.
    pub authored: i64,
    /// The commit date, in seconds since 1970.
    pub committed: i64,
    /// Whether one of the dates cannot be read: git itself has none for it.
    pub undated: bool,
    /// What it changed.
    pub changes: Vec<Change>,
}

/// Parses the output of `git diff --raw -z --no-renames --no-abbrev` and similar commands.
///
/// # Errors
/// If it does not have that form.
pub fn read_changes(output: &[u8]) -> Result<Vec<Change>, GitError> {
    let mut pieces = Pieces { from: output };
    let mut changes = Vec::new();
    while let Some(piece) = pieces.next()? {
        changes.push(pieces.change(&piece)?);
    }
    Ok(changes)
}

/// A run of `git log` with the changes of each commit, read as it is produced.
#[derive(Debug)]
pub struct Log {
    child: Child,
    pieces: Pieces<BufReader<ChildStdout>>,
    /// The piece that begins the next commit, if it has been read already.
    ahead: Option<Vec<u8>>,
    folder: std::path::PathBuf,
}

impl Log {
    /// Starts reading the commits that `revisions` name, parents before children, without those that
    /// are already in the `known` references (git's `--all` and the like). `merges` is git's `--diff-merges`, which says what parents a merge is compared
    /// with (`separate`: each of them, one commit per parent; `first-parent`).
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn of(repository: &Repository, revisions: &[&OsStr], known: &[String], merges: &str) -> Result<Self, GitError> {
        Self::start(repository, revisions, known, &[&format!("--diff-merges={merges}")])
    }

    /// Starts reading only the merges among these commits, each compared with each of its parents.
    ///
    /// # Errors
    /// If git cannot be started.
    pub(crate) fn of_merges(repository: &Repository, revisions: &[&OsStr], known: &[String]) -> Result<Self, GitError> {
        Self::start(repository, revisions, known, &["--merges", "--diff-merges=separate"])
    }

    fn start(
        repository: &Repository,
        revisions: &[&OsStr],
        known: &[String],
        merges: &[&str],
    ) -> Result<Self, GitError> {
        let format = ["%H", "%P", "%an", "%ae", "%at", "%ct"].join("%x1f");
        // The first commit shows what it brought, whatever the settings say.
        let mut args: Vec<String> =
            ["-c", "log.showRoot=true", "log"].iter().chain(&super::RAW).map(|&arg| arg.into()).collect();
        args.extend([
            "--no-show-signature".into(),
            "--no-mailmap".into(),
            "--reverse".into(),
            "--topo-order".into(),
            "--encoding=UTF-8".into(),
            format!("--format=tformat:{COMMIT}%x1f{format}"),
        ]);
        args.extend(merges.iter().map(|&arg| arg.to_owned()));
        if !known.is_empty() {
            args.push("--not".into());
            args.extend_from_slice(known);
            args.push("--not".into());
        }
        args.push("--end-of-options".into());
        let mut args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
        args.extend(revisions.iter().map(|&revision| revision.to_owned()));
        args.push("--".into());
        let mut command = repository.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(GitError::start)?;
        let Some(output) = child.stdout.take() else { return Err(GitError::Unreadable("nothing")) };
        let pieces = Pieces { from: BufReader::with_capacity(64 * 1024, output) };
        Ok(Self { child, pieces, ahead: None, folder: repository.folder().to_owned() })
    }

    /// Returns the next commit; `None` after the last. A merge that is compared with several parents is returned once
    /// for each from which it differs.
    ///
    /// # Errors
    /// If git ends with an error.
    pub(crate) fn next_commit(&mut self) -> Result<Option<Commit>, GitError> {
        let first = match self.ahead.take() {
            Some(piece) => Some(piece),
            None => self.pieces.next()?,
        };
        let Some(first) = first else {
            return self.finish().map(|()| None);
        };
        let mut commit = commit(&first)?;
        while let Some(piece) = self.pieces.next()? {
            if piece.starts_with(COMMIT.as_bytes()) {
                self.ahead = Some(piece);
                break;
            }
            commit.changes.push(self.pieces.change(&piece)?);
        }
        Ok(Some(commit))
    }

    /// Returns the next commits, as many as are dealt with together; none at the end.
    ///
    /// # Errors
    /// If git ends with an error.
    pub fn some(&mut self) -> Result<Vec<Commit>, GitError> {
        let (mut commits, mut changes) = (Vec::new(), 0);
        while commits.len() < AHEAD && changes < AHEAD {
            let Some(commit) = self.next_commit()? else { break };
            changes += commit.changes.len();
            commits.push(commit);
        }
        Ok(commits)
    }

    /// Waits for git to end, and reports an error if it failed.
    fn finish(&mut self) -> Result<(), GitError> {
        let mut said = Vec::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(64 * 1024).read_to_end(&mut said);
        }
        let status = self.child.wait().map_err(GitError::Io)?;
        if status.success() { Ok(()) } else { Err(GitError::said(status, &said, &self.folder)) }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses the line of a commit.
fn commit(piece: &[u8]) -> Result<Commit, GitError> {
    let text = String::from_utf8_lossy(piece);
    let parts: Vec<&str> = text.trim_end_matches('\n').split(PART).collect();
    let [COMMIT, id, parents, middle @ .., authored, committed] = parts.as_slice() else {
        return Err(GitError::Unreadable("a commit"));
    };
    // Names may contain anything; the address is the last part before the times.
    let (email, names) = middle.split_last().ok_or(GitError::Unreadable("a commit's author"))?;
    let (authored, committed) = (authored.parse().ok(), committed.parse().ok());
    Ok(Commit {
        id: (*id).to_owned(),
        parents: parents.split(' ').filter(|parent| !parent.is_empty()).count(),
        author: names.join(" "),
        email: (*email).to_owned(),
        authored: authored.or(committed).unwrap_or_default(),
        committed: committed.or(authored).unwrap_or_default(),
        undated: authored.is_none() || committed.is_none(),
        changes: Vec::new(),
    })
}

/// Text between NULs.
#[derive(Debug)]
pub(super) struct Pieces<R> {
    pub(super) from: R,
}

impl<R: BufRead> Pieces<R> {
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, GitError> {
        let mut piece = Vec::new();
        (&mut self.from).take(LONGEST).read_until(0, &mut piece).map_err(GitError::Io)?;
        match piece.pop() {
            None => Ok(None),
            Some(0) => {
                // Git separates the changes of a commit by a line end.
                if piece.first() == Some(&b'\n') {
                    piece.remove(0);
                }
                Ok(Some(piece))
            }
            // Left over if git was interrupted.
            Some(_) => Err(GitError::Io(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Parses a change: its modes, objects and status are in one piece, its path in the next.
    fn change(&mut self, piece: &[u8]) -> Result<Change, GitError> {
        let unreadable = || GitError::Unreadable("a change");
        let text = std::str::from_utf8(piece).map_err(|_| unreadable())?;
        let mut words = text.strip_prefix(':').ok_or_else(unreadable)?.split(' ');
        let mut word = || words.next().ok_or_else(unreadable);
        let (old_mode, new_mode, old, new) = (word()?, word()?, word()?, word()?);
        let path = self.next()?.ok_or_else(unreadable)?;
        Ok(Change {
            path,
            old: (FileKind::of(old_mode), old.to_owned()),
            new: (FileKind::of(new_mode), new.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_whatever_their_paths_contain() {
        let (none, one, two) = ("0".repeat(40), "1".repeat(40), "2".repeat(40));
        let output = format!(
            ":000000 100644 {none} {one} A\0a \"b\n.pbem\0:100644 120000 {one} {two} T\0:x.pbem\0:100644 000000 {two} {none} D\0\u{e9}.pbem\0"
        );
        let changes = read_changes(output.as_bytes()).unwrap();
        let kinds: Vec<_> = changes.iter().map(|change| (change.old.0, change.new.0)).collect();
        assert_eq!(
            kinds,
            [(FileKind::Absent, FileKind::File), (FileKind::File, FileKind::Link), (FileKind::File, FileKind::Absent)]
        );
        assert_eq!(changes[0].path, b"a \"b\n.pbem");
        assert_eq!(changes[1].path, b":x.pbem");
        assert_eq!((&*changes[1].old.1, &*changes[1].new.1), (&*one, &*two));
        assert!(read_changes(&output.as_bytes()[..100]).is_err());
        assert!(read_changes(b"what is this\0").is_err());
    }

    #[test]
    fn a_commit_is_read_whatever_its_author_is_called() {
        let line = "commit\u{1f}abc\u{1f}p1 p2\u{1f}Ada\u{1f}Quill\u{1f}ada@example.org\u{1f}100\u{1f}-5";
        let commit = commit(line.as_bytes()).unwrap();
        assert_eq!((&*commit.id, commit.parents, &*commit.author), ("abc", 2, "Ada Quill"));
        assert_eq!((&*commit.email, commit.authored, commit.committed), ("ada@example.org", 100, -5));
    }
}
