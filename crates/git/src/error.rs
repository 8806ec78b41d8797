//! What can be wrong with git or a repository, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use postrider_kernel::text::printable;

/// Why git did not do what it was asked to do.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program `git` is not installed.
    #[error("there is no program `git` on the path")]
    Missing,
    /// It is too old; contains the version it reports.
    #[error("this git is too old: {}", said(.0))]
    TooOld(String),
    /// The folder is not in a repository.
    #[error("{} is not in a git repository", printable(&.0.to_string_lossy()))]
    NoRepository(PathBuf),
    /// Git knows the repository but does not trust its owner.
    #[error("git does not trust the repository of {}", printable(&.0.to_string_lossy()))]
    NotTrusted(PathBuf),
    /// Another git process holds the index or a reference.
    #[error("the repository is locked: {}", said(.0))]
    Locked(String),
    /// A required object is missing or damaged; contains git's message.
    #[error("git cannot read an object: {}", said(.0))]
    Object(String),
    /// There is no commit that is called so; what git says.
    #[error("there is no such commit here: {}", said(.0))]
    NoRevision(String),
    /// The repository has no remote of this name.
    #[error("the repository has no remote `{}`", printable(.0))]
    NoRemote(String),
    /// No branch is checked out.
    #[error("no branch is checked out")]
    Detached,
    /// A merge was begun and not concluded.
    #[error("a merge was begun here and is not concluded")]
    Merging,
    /// It was killed, so that nothing follows from what it has said or not said.
    #[error("git was ended by another program, or by the system: {0}")]
    Killed(ExitStatus),
    /// Any other message from git.
    #[error("git says: {}", said(.0))]
    Said(String),
    /// The output of git cannot be parsed.
    #[error("what git prints cannot be read: {0}")]
    Unreadable(&'static str),
    /// It cannot be started, or communication with it failed.
    #[error("git cannot be reached: {0}")]
    Io(#[source] io::Error),
}

impl GitError {
    /// Git could not be started.
    pub(super) fn start(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { GitError::Missing } else { GitError::Io(error) }
    }

    /// Classifies what git printed on standard error. If that is nothing, how it ended is all that is known.
    pub(super) fn said(status: ExitStatus, stderr: &[u8], folder: &Path) -> Self {
        if status.code().is_none() {
            return GitError::Killed(status);
        }
        let text = String::from_utf8_lossy(stderr);
        let line = text.lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
        let line = line.or_else(|| text.lines().next());
        let said = line.map_or_else(|| format!("nothing, and it ended with {status}"), str::to_owned);
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        match () {
            () if has(&["not a git repository", "cannot change to"]) => GitError::NoRepository(folder.to_owned()),
            () if has(&["dubious ownership"]) => GitError::NotTrusted(folder.to_owned()),
            () if has(&["index.lock", "config.lock", "Unable to create", "cannot lock ref"]) => GitError::Locked(said),
            () if has(&[
                "bad object",
                "unable to read",
                "missing blob",
                "missing tree",
                "corrupt",
                "inflate",
                "could not fetch",
                "promisor remote",
                "loose object",
            ]) =>
            {
                GitError::Object(said)
            }
            () if has(&["bad revision", "unknown revision", "does not have any commits"]) => GitError::NoRevision(said),
            () => GitError::Said(said),
        }
    }

    /// Returns what to do about it, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            GitError::Missing => "install git (Debian: `apt install git`) and try again".into(),
            GitError::TooOld(_) => {
                let (major, minor) = super::OLDEST;
                format!("git {major}.{minor} or later is needed")
            }
            GitError::NoRepository(_) => "`git init` makes a repository; `postrider git setup` makes it one of games".into(),
            GitError::NotTrusted(_) => {
                "it belongs to another user; `git config --global --add safe.directory DIR` trusts it".into()
            }
            GitError::Locked(_) => "another git is at work there, or ended without tidying up: wait, and try again; a lock that stays may be removed when no git runs".into(),
            GitError::Object(_) => {
                "`git fsck` says what is damaged; in a shallow or partial clone, `git fetch --unshallow` or `git fetch --refetch` \
                 brings what is missing"
                    .into()
            }
            GitError::NoRevision(_) => {
                "`git log --oneline --all` lists the commits; a shallow clone lacks the older ones".into()
            }
            GitError::NoRemote(_) => "`git remote add origin ADDRESS` names one; `git remote -v` lists the existing ones".into(),
            GitError::Detached => "`git switch BRANCH` checks one out, and `git switch -c BRANCH` makes one".into(),
            GitError::Merging => "`git commit` concludes it, `git merge --abort` drops it".into(),
            GitError::Killed(_) => "try again; a system that runs out of memory ends programs".into(),
            GitError::Said(_) | GitError::Unreadable(_) | GitError::Io(_) => return None,
        })
    }
}

/// What git printed, without the word that it begins with.
fn said(text: &str) -> String {
    printable(text.trim_start_matches("fatal: ").trim_start_matches("error: ")).into_owned()
}
