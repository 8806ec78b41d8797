//! Records in repositories: what has changed in them since, whether an entry of the past was rewritten, and games that go by push and pull.
//!
//! It asks the program `git`, which knows every format of a repository. Its output is always read with NUL as the separator, so that paths may
//! contain anything that a file system allows. It uses archives, homes and what they use.
//!
//! Begin with `check` (may this push be taken?) and `history` (who entered what, when); `shared` exchanges games, and [`Repository`] calls git.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod changes;
mod check;
mod error;
mod exchange;
mod history;
mod hold;
mod objects;
mod records;
mod setup;
pub mod shared;

pub use changes::{Change, Commit, FileKind, Log, read_changes};
pub use check::{ChangeKind, CheckError, CheckEvent, CheckOptions, Checked, Finding, Instead, Why, check};
pub use error::GitError;
pub use exchange::{Author, InTree, Joining, Push, Tip, Upstream, below, is_plain};
pub use history::{EntryOrigin, HistoryEvent, Odd, Origin, RecordHistory, history};
pub use objects::{Blob, Objects};
pub use setup::{Installed, Overruled, Piece, Setup, SetupError};

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use postrider_archive::paths::os_string;
use postrider_disk::programs;
use postrider_kernel::text::printable;
use postrider_referee::record::is_file_name;

/// The oldest git that this program is tested with.
pub(crate) const OLDEST: (u32, u32) = (2, 34);

/// Tells the hook `pre-push` that a push is this program's own.
const PUSHING: &str = "POSTRIDER_PUSHING";

/// A file without content.
const NO_FILE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// How changes are asked for, whatever the settings of the repository say: all of them, with their whole paths.
const RAW: [&str; 7] =
    ["--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-relative", "--ignore-submodules=none"];

/// A folder in or below a repository, from which git is called.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    /// Whether it is called guarded, as for an exchange with others.
    alone: bool,
}

impl Repository {
    /// Makes the repository that contains `folder`. Nothing is checked yet.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), alone: false }
    }

    /// Returns the folder from which git is called.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a call of git with these arguments, with messages in English, no input, and without optional locks that
    /// could block another git process.
    #[must_use]
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        if self.alone {
            Self::guard(&mut command);
        }
        // For the file below git would print advice, where nothing is to be said.
        command.args(["-c", "advice.graftFileDeprecated=false"]);
        command.args(args);
        command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
        // An object is judged as it is, not as another that a reference puts in its place.
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        // And every commit has the parents that are written in it.
        command.env("GIT_GRAFT_FILE", NO_FILE);
        command
    }

    /// Runs git and returns its output.
    ///
    /// # Errors
    /// If git is missing or reports an error.
    pub fn output<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Result<Vec<u8>, GitError> {
        let output = programs::output(&mut self.command(args)).map_err(GitError::start)?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(GitError::said(output.status, &output.stderr, &self.folder))
        }
    }

    /// Runs git with this input, and returns its output.
    ///
    /// # Errors
    /// Those of [`Repository::output`].
    pub(crate) fn output_with<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        self.run_with(&mut self.command(args), input)
    }

    /// Runs git and returns the one line that it prints, such as a path or a name.
    ///
    /// # Errors
    /// Those of [`Repository::output`].
    pub fn line<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Result<OsString, GitError> {
        let mut line = self.output(args)?;
        if line.ends_with(b"\n") {
            line.pop();
        }
        Ok(os_string(line))
    }

    /// Returns a setting of the repository, if it has one.
    ///
    /// # Errors
    /// If git is missing or cannot read its settings.
    pub fn config(&self, key: &str) -> Result<Option<OsString>, GitError> {
        let output = programs::output(&mut self.command(["config", "--get", key])).map_err(GitError::start)?;
        match output.status.code() {
            Some(0) => {
                let mut line = output.stdout;
                if line.ends_with(b"\n") {
                    line.pop();
                }
                Ok(Some(os_string(line)))
            }
            // Git's way of saying that there is no such setting.
            Some(1) => Ok(None),
            _ => Err(GitError::said(output.status, &output.stderr, &self.folder)),
        }
    }

    /// Returns the object that a revision names, as written by git; `None` if there is no such revision.
    ///
    /// # Errors
    /// If git is missing, or this is not a repository.
    pub fn resolve(&self, revision: &OsStr) -> Result<Option<String>, GitError> {
        let options = ["rev-parse", "--verify", "--quiet", "--end-of-options"].map(OsStr::new);
        let output =
            programs::output(&mut self.command(options.into_iter().chain([revision]))).map_err(GitError::start)?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match output.status.success() && !id.is_empty() {
            true => Ok(Some(id)),
            // Git says so with a code. One that was killed has said nothing.
            false if output.stderr.is_empty() && output.status.code().is_some() => Ok(None),
            false => Err(GitError::said(output.status, &output.stderr, &self.folder)),
        }
    }

    /// Returns the commit that a revision names; `None` if there is no such commit.
    ///
    /// # Errors
    /// If git is missing, or this is not a repository.
    pub(crate) fn commit_of(&self, revision: &str) -> Result<Option<String>, GitError> {
        self.resolve(OsStr::new(&format!("{revision}^{{commit}}")))
    }

    /// The commits at which a shallow clone ends: what they changed is not known here. None of a whole one.
    ///
    /// # Errors
    /// When git is not there, or this is no repository.
    pub fn shallow(&self) -> Result<HashSet<String>, GitError> {
        let path = self.folder.join(self.line(["rev-parse", "--git-path", "shallow"])?);
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HashSet::new()),
            Err(error) => Err(GitError::Io(error)),
        }
    }

    /// What is staged for the next commit.
    ///
    /// # Errors
    /// When git is not there, this is no repository, or its index cannot be read.
    pub fn staged(&self) -> Result<Vec<Change>, GitError> {
        let args = ["diff", "--cached"].into_iter().chain(RAW);
        match self.output(args) {
            Ok(output) => read_changes(&output),
            // Outside a repository `git diff` compares files, and says so in words of its own.
            Err(error @ GitError::Said(_)) => Err(self.line(["rev-parse", "--git-dir"]).err().unwrap_or(error)),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a merge is calling this program just now, as `pre-merge-commit` or as a merge driver.
    #[must_use]
    pub fn is_within_merge() -> bool {
        heads().next().is_some()
    }

    /// Returns whether the push that calls this program as a hook is one of this program's own, which are never forced.
    #[must_use]
    pub(crate) fn is_pushing() -> bool {
        std::env::var_os(PUSHING).is_some()
    }

    /// The commits that the next commit will have as parents beside the first, while a merge is in progress.
    ///
    /// # Errors
    /// When git is not there, this is no repository, or they cannot be read.
    pub fn merging(&self) -> Result<Vec<String>, GitError> {
        let path = self.folder.join(self.line(["rev-parse", "--git-path", "MERGE_HEAD"])?);
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()),
            // Git writes that file only after the hook `pre-merge-commit`.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                heads().map(|head| self.commit_of(&head)).filter_map(Result::transpose).collect()
            }
            Err(error) => Err(GitError::Io(error)),
        }
    }

    /// What is staged for the next commit, compared with another commit than the present one.
    ///
    /// # Errors
    /// When git is not there, has no such commit, or its index cannot be read.
    pub(crate) fn staged_from(&self, commit: &str) -> Result<Vec<Change>, GitError> {
        let args = ["diff-index", "--cached"].into_iter().chain(RAW).chain(["--end-of-options", commit]);
        read_changes(&self.output(args)?)
    }

    /// What one tree changed from another.
    ///
    /// # Errors
    /// When git is not there, or has no such trees.
    pub fn between(&self, old: &str, new: &str) -> Result<Vec<Change>, GitError> {
        let args = ["diff-tree", "-r"].into_iter().chain(RAW).chain(["--end-of-options", old, new]);
        read_changes(&self.output(args)?)
    }

    /// Checks that git is installed and not too old.
    ///
    /// # Errors
    /// What to do about it.
    pub fn check_version(&self) -> Result<(), GitError> {
        let output =
            programs::output(Command::new("git").arg("version").stdin(Stdio::null())).map_err(GitError::start)?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match version(&text) {
            None if !output.status.success() => Err(GitError::said(output.status, &output.stderr, &self.folder)),
            Some(found) if found >= OLDEST => {
                let _ = VERSION.set(found);
                Ok(())
            }
            _ => Err(GitError::TooOld(text)),
        }
    }
}

/// The commits that a merge which is calling this program merges: it names them to whatever it calls.
fn heads() -> impl Iterator<Item = String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names.filter_map(|name| {
        let id = name.strip_prefix("GITHEAD_")?;
        (matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_owned())
    })
}

/// The version of git, once it was asked for.
static VERSION: OnceLock<(u32, u32)> = OnceLock::new();

/// The version of git; a present one, as long as nobody has asked.
fn found_version() -> (u32, u32) {
    VERSION.get().copied().unwrap_or((2, 47))
}

/// Parses the version printed by `git version`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix("git version ")?.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Returns a path from git, safe to print.
#[must_use]
pub fn shown(path: &[u8]) -> String {
    printable(&String::from_utf8_lossy(path)).into_owned()
}

/// Returns as much of an object's id as identifies it.
#[must_use]
pub fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// Returns whether a path from git is that of a record.
#[must_use]
pub fn is_record(path: &[u8]) -> bool {
    is_file_name(path.rsplit(|&byte| byte == b'/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_whatever_a_packager_adds() {
        assert_eq!(version("git version 2.47.3"), Some((2, 47)));
        assert_eq!(version("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(version("git version 2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(version("hub version 2"), None);
        assert!(version("git version 2.9.0").is_some_and(|found| found < OLDEST));
    }

    #[test]
    fn records_are_recognised_by_the_ending_of_their_names() {
        assert!(is_record(b"games/a b\n\xff.pbem"));
        assert!(!is_record(b"games.pbem/readme"));
        assert!(!is_record(b".pbem"));
        assert!(is_record(b"games/A.PBEM"));
        assert!(!is_record(b"a/.pbem"));
    }
}
