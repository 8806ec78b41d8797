//! Commits of a record, and branches that move: with an index of their own, and everything on the disk before the next
//! step refers to it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::super::hold::{Hold, Task, argument, with_index};
use super::{Author, GitError, Repository, row};
use postrider_disk::programs;

/// How often a commit is repeated because another git has moved the branch meanwhile.
const TRIES: usize = 8;

impl Repository {
    /// Commits one file as it is, and nothing else that may be staged. Returns whether there was anything to commit.
    ///
    /// # Errors
    /// The error from git, or from a hook of the player's.
    pub fn commit_file(&self, name: &OsStr, message: &str, author: Author<'_>) -> Result<bool, GitError> {
        let hold = Hold::take(self, Task::Commit)?;
        if !self.merging()?.is_empty() {
            return Err(GitError::Merging);
        }
        let file = [OsStr::new("--"), name];
        let add = |index: &Path| self.run(with_index(self.command(["add"]), index).args(file)).map(drop);
        for tries in 0.. {
            let parent = self.resolve(OsStr::new("HEAD^{commit}"))?;
            // The index of the commit: what the last one has, and this file.
            let index = hold.path("tree");
            let _ = fs::remove_file(&index);
            if let Some(parent) = &parent {
                self.run(&mut with_index(self.plumbing(["read-tree", parent]), &index))?;
            }
            add(&index)?;
            let tree = || self.run_line(&mut with_index(self.plumbing(["write-tree"]), &index));
            let old = match &parent {
                Some(parent) => self.resolve(OsStr::new(&format!("{parent}^{{tree}}")))?,
                None => Some(self.empty_tree()?),
            };
            if Some(tree()?) == old {
                // It may have been committed by a run that died.
                hold.index(add)?;
                hold.done()?;
                return Ok(false);
            }
            let text = hold.path("message");
            fs::write(&text, tidied(message)).map_err(GitError::Io)?;
            self.hook("pre-commit", &[], &index)?;
            self.hook("prepare-commit-msg", &[argument(&text), OsString::from("message")], &index)?;
            self.hook("commit-msg", &[argument(&text)], &index)?;
            let mut command = self.plumbing(["commit-tree", &tree()?, "-F"]);
            command.arg(&text);
            if let Some(parent) = &parent {
                command.args(["-p", parent]);
            }
            if self.line(["config", "--type=bool", "--default=false", "--get", "commit.gpgSign"])? == "true" {
                command.arg("-S");
            }
            self.sign_as(&mut command, author)?;
            let commit = self.run_line(&mut command)?;
            hold.flush_objects()?;
            hold.index(add)?;
            let reason = format!("commit: {}", message.lines().next().unwrap_or_default());
            match self.advance(&hold, "HEAD", (parent.as_deref(), &commit), &reason) {
                Ok(()) => {
                    hold.flush_references()?;
                    // The commit is made, whatever the hook says.
                    let _ = self.hook("post-commit", &[], &index);
                    hold.done()?;
                    return Ok(true);
                }
                Err(error) => {
                    // Nothing was lost: another commit came first, and this one follows it.
                    if tries >= TRIES || self.resolve(OsStr::new("HEAD^{commit}"))? == parent {
                        return Err(error);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Moves a reference, if it is where it is expected to be (`None`: it does not exist yet).
    fn advance(&self, hold: &Hold, name: &str, (old, new): (Option<&str>, &str), reason: &str) -> Result<(), GitError> {
        let branch =
            programs::output(&mut self.command(["symbolic-ref", "--quiet", "HEAD"])).map_err(GitError::start)?.stdout;
        let branch = String::from_utf8_lossy(&branch).trim().to_owned();
        hold.announce(["HEAD", name, &branch].into_iter().filter(|name| !name.is_empty()))?;
        let none = "0".repeat(new.len());
        let mut command = self.plumbing(["update-ref", "-m", reason, name, new, old.unwrap_or(&none)]);
        self.run(&mut command).map(drop)
    }

    /// Runs one of the player's hooks, if there is one.
    fn hook(&self, name: &str, arguments: &[OsString], index: &Path) -> Result<(), GitError> {
        let path = self.line(["rev-parse", "--git-path", &format!("hooks/{name}")])?;
        let path = std::path::absolute(self.folder.join(path)).map_err(GitError::Io)?;
        if !is_executable(&path) {
            return Ok(());
        }
        let mut command = if super::super::found_version() >= (2, 36) {
            let mut command = self.command(["hook", "run", name, "--"]);
            command.args(arguments);
            command
        } else {
            let mut command = Command::new(&path);
            command.args(arguments).current_dir(self.top()?).env("LC_ALL", "C");
            command
        };
        command.env("GIT_EDITOR", ":");
        self.run(&mut with_index(command, index)).map(drop)
    }

    /// Moves the branch to `new` if it is at `old` (`None` if it does not exist yet), and the index with it, for the
    /// given files of `new`; the `hidden` ones are not expected in the work tree. The work tree is left unchanged.
    ///
    /// # Errors
    /// The error from git; if only the branch was not moved, what is staged is the same as in `new`.
    pub fn move_to(
        &self,
        branch: &str,
        (old, new): (Option<&str>, &str),
        files: &[(Vec<u8>, String)],
        hidden: &[Vec<u8>],
    ) -> Result<(), GitError> {
        let hold = Hold::take(self, Task::Commit)?;
        hold.flush_objects()?;
        let rows: Vec<u8> = files.iter().flat_map(|(path, object)| row("100644", object, path)).collect();
        hold.index(|index| {
            let mut command = with_index(self.plumbing(["update-index", "-z", "--index-info"]), index);
            self.run_with(&mut command, &rows)?;
            self.mark(index, hidden, true)
        })?;
        self.advance(&hold, branch, (old, new), "postrider: joined")?;
        hold.flush_references()?;
        hold.done()
    }

    /// Sets whether files of the index are expected in the work tree.
    ///
    /// # Errors
    /// The error from git.
    pub fn hide(&self, paths: &[Vec<u8>], hidden: bool) -> Result<(), GitError> {
        let hold = Hold::take(self, Task::Commit)?;
        hold.index(|index| self.mark(index, paths, hidden))
    }

    fn mark(&self, index: &Path, paths: &[Vec<u8>], hidden: bool) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let option = if hidden { "--skip-worktree" } else { "--no-skip-worktree" };
        let names: Vec<u8> = paths.iter().flat_map(|path| path.iter().copied().chain([0])).collect();
        let mut command = with_index(self.plumbing(["update-index", "-z", option, "--stdin"]), index);
        self.run_with(&mut command, &names).map(drop)
    }
}

/// The message without white space at the ends of lines, and without empty lines that mean nothing.
fn tidied(message: &str) -> String {
    let mut text = String::new();
    let mut empty = false;
    for line in message.lines().map(str::trim_end) {
        if line.is_empty() {
            empty = !text.is_empty();
            continue;
        }
        if std::mem::take(&mut empty) {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}
