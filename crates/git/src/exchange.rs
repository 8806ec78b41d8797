//! Records that travel through a shared repository: what the branches of a remote contain, commits of a single file,
//! and branches that are joined without touching the work tree.

mod commit;

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::changes::Pieces;
use super::hold::{Hold, Task, flushing};
use super::{Change, FileKind, GitError, Repository};
use postrider_archive::paths::os_string;
use postrider_disk::programs;
use postrider_referee::record::RECORD_LIMIT;

/// The variables with which a running git (for instance one that runs a hook) ties its children to one repository, as
/// listed by `git rev-parse --local-env-vars`.
const TIES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];
/// What no setting of the repository may enable while strangers' commits are involved: programs as transports, other
/// repositories inside this one, programs that watch the work tree or keep running in the background.
const GUARDS: [&str; 8] = [
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.fsckObjects=true",
];
/// The names of what is being fetched.
const INCOMING: &str = "refs/postrider/incoming/";
/// No hooks at all, because this is not one of the player's own commits or pushes.
const NO_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

/// Where the branch that is checked out is pushed to and fetched from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// The remote's name.
    pub remote: String,
    /// The branch that is checked out, as a reference.
    pub branch: String,
    /// The branch on the remote, as a reference.
    pub target: String,
}

impl Upstream {
    /// Returns the reference that tracks the remote branch.
    #[must_use]
    pub(crate) fn tracked(&self) -> String {
        format!("refs/remotes/{}/{}", self.remote, self.target.trim_start_matches("refs/heads/"))
    }

    /// Returns the same in short form, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        self.tracked().trim_start_matches("refs/remotes/").to_owned()
    }
}

/// The newest commit of a branch of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The short name of the branch: `origin/main`.
    pub name: String,
    pub commit: String,
}

/// A file with a record's name in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InTree {
    /// Its path from the top, as bytes from git.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: FileKind,
    pub object: String,
}

/// The author to give for a commit.
#[derive(Clone, Copy, Debug)]
pub struct Author<'a> {
    pub name: &'a str,
    /// The mail address; may be empty.
    pub email: &'a str,
}

/// The result of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Push {
    /// The remote branch is now the same as ours.
    Done,
    /// Someone else was faster.
    Raced,
    /// It was refused, and why.
    Refused(String),
}

/// Two histories that are being joined, in an index of their own.
#[derive(Debug)]
pub struct Joining {
    repository: Repository,
    folder: tempfile::TempDir,
}

impl Repository {
    /// Makes the repository that contains `folder`, called in such a way that nothing from strangers is executed, and
    /// that a surrounding git process has no influence.
    #[must_use]
    pub fn alone(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), alone: true }
    }

    /// Removes from a call what ties it to another repository, and guards it.
    pub(super) fn guard(command: &mut Command) {
        for guard in GUARDS.iter().chain(flushing(super::found_version())) {
            command.args(["-c", guard]);
        }
        for tie in TIES {
            command.env_remove(tie);
        }
        command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_NO_LAZY_FETCH", "1");
    }

    fn plumbing<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.command(NO_HOOKS);
        command.args(args);
        command
    }

    fn run(&self, command: &mut Command) -> Result<Vec<u8>, GitError> {
        let output = programs::output(command).map_err(GitError::start)?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(GitError::said(output.status, &output.stderr, &self.folder))
        }
    }

    fn run_line(&self, command: &mut Command) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run(command)?).trim().to_owned())
    }

    pub(super) fn run_with(&self, command: &mut Command, input: &[u8]) -> Result<Vec<u8>, GitError> {
        // An unnamed file, so that neither side waits for the other because of a full pipe.
        let mut file = tempfile::tempfile().map_err(GitError::Io)?;
        file.write_all(input).and_then(|()| file.rewind()).map_err(GitError::Io)?;
        self.run(command.stdin(file))
    }

    /// Returns the top of the work tree.
    ///
    /// # Errors
    /// If there is none.
    pub fn top(&self) -> Result<PathBuf, GitError> {
        self.line(["rev-parse", "--show-toplevel"]).map(PathBuf::from)
    }

    /// Returns where the branch that is checked out is pushed to: on the requested remote, otherwise on the one that
    /// the branch has, on `origin`, or on the only one.
    ///
    /// # Errors
    /// If no branch is checked out, or there is no such remote.
    pub(crate) fn upstream(&self, wanted: Option<&str>) -> Result<Upstream, GitError> {
        let branch = self.line(["symbolic-ref", "--quiet", "HEAD"]).map_err(|error| match error {
            GitError::Said(_) => GitError::Detached,
            error => error,
        })?;
        let branch = branch.to_string_lossy().into_owned();
        let short = branch.trim_start_matches("refs/heads/").to_owned();
        let listed = self.output(["remote"])?;
        let remotes: Vec<String> = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        let text = |value: Option<OsString>| value.map(|value| value.to_string_lossy().into_owned());
        let configured = text(self.config(&format!("branch.{short}.remote"))?);
        let remote = match (wanted, &configured, remotes.as_slice()) {
            (Some(wanted), ..) => wanted.to_owned(),
            (None, Some(configured), _) => configured.clone(),
            (None, None, [only]) => only.clone(),
            (None, None, _) => "origin".to_owned(),
        };
        // Only a name that git lists, because anything else could be an option or an address.
        if !remotes.contains(&remote) {
            return Err(GitError::NoRemote(remote));
        }
        let merged = text(self.config(&format!("branch.{short}.merge"))?);
        let target = merged
            .filter(|merged| configured.as_ref() == Some(&remote) && merged.starts_with("refs/heads/"))
            .unwrap_or_else(|| branch.clone());
        Ok(Upstream { remote, branch, target })
    }

    /// Fetches the branches of a remote and nothing else: no tags, no submodules, nothing into local branches, and no file that is
    /// larger than a record may be, as far as the remote can leave such files out. Returns whether it can.
    ///
    /// # Errors
    /// The error from git.
    pub fn fetch(&self, remote: &str) -> Result<bool, GitError> {
        let hold = Hold::take(self, Task::Exchange)?;
        // What comes is first kept under names of its own: a reference is never on the disk before what it refers to.
        let left: Vec<u8> =
            self.references(INCOMING)?.keys().flat_map(|name| format!("delete {name}\n").into_bytes()).collect();
        if !left.is_empty() {
            self.run_with(&mut self.plumbing(["update-ref", "--stdin"]), &left)?;
        }
        let branches = format!("+refs/heads/*:{INCOMING}*");
        let limit = format!("blob:limit={}", RECORD_LIMIT + 1);
        let settings =
            [format!("remote.{remote}.promisor=true"), format!("remote.{remote}.partialclonefilter={limit}")];
        let filter = format!("--filter={limit}");
        let options =
            ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", &filter];
        // For this call only: git would write it into the settings, whether anything is left out or not.
        let settings = settings.iter().flat_map(|setting| ["-c", setting.as_str()]);
        let mut command = self.plumbing(settings.chain(options).chain([remote, &branches]));
        let output = programs::output(&mut command).map_err(GitError::start)?;
        if !output.status.success() {
            return Err(GitError::said(output.status, &output.stderr, &self.folder));
        }
        hold.flush_objects()?;
        let (come, known) = (self.references(INCOMING)?, self.references(&format!("refs/remotes/{remote}/"))?);
        if self.lacks(&come, &known)? {
            // From here on git knows that files may be missing, and where they are.
            hold.announce(["config"])?;
            for (key, value) in [("promisor", "true"), ("partialclonefilter", limit.as_str())] {
                self.run(&mut self.plumbing(["config", &format!("remote.{remote}.{key}"), value]))?;
            }
        }
        let (mut lines, mut changed) = (String::new(), Vec::new());
        for (name, object) in &come {
            let branch = name.trim_start_matches(INCOMING);
            let tracked = format!("refs/remotes/{remote}/{branch}");
            if known.get(&tracked) != Some(object) && branch != "HEAD" {
                lines.push_str(&format!("update {tracked} {object}\n"));
                changed.push(tracked);
            }
            lines.push_str(&format!("delete {name}\n"));
        }
        hold.announce(changed.iter().chain(come.keys()).map(String::as_str).chain(["packed-refs"]))?;
        self.run_with(&mut self.plumbing(["update-ref", "--stdin"]), lines.as_bytes())?;
        hold.flush_references()?;
        hold.done()?;
        Ok(!String::from_utf8_lossy(&output.stderr).contains("filtering not recognized"))
    }

    /// Whether anything was left out of what came.
    fn lacks(&self, come: &BTreeMap<String, String>, known: &BTreeMap<String, String>) -> Result<bool, GitError> {
        let known: HashSet<&String> = known.values().collect();
        let new: HashSet<&String> = come.values().filter(|object| !known.contains(object)).collect();
        if new.is_empty() {
            return Ok(false);
        }
        let lines: String = new
            .iter()
            .map(|object| format!("{object}\n"))
            .chain(known.iter().map(|object| format!("^{object}\n")))
            .collect();
        let mut command = self.plumbing(["rev-list", "--objects", "--missing=print", "--ignore-missing", "--stdin"]);
        Ok(self
            .run_with(&mut command, lines.as_bytes())?
            .split(|&byte| byte == b'\n')
            .any(|line| line.starts_with(b"?")))
    }

    /// The references whose names begin so, with their objects, without those that stand for others.
    fn references(&self, prefix: &str) -> Result<BTreeMap<String, String>, GitError> {
        let format = "--format=%(objectname) %(if)%(symref)%(then)-%(else)%(refname)%(end)";
        let listed = self.output(["for-each-ref", format, prefix])?;
        let pair = |line: &str| line.split_once(' ').map(|(object, name)| (name.to_owned(), object.to_owned()));
        Ok(String::from_utf8_lossy(&listed).lines().filter_map(pair).filter(|(name, _)| name != "-").collect())
    }

    /// Returns whether files may have been left out of what was fetched from a remote.
    ///
    /// # Errors
    /// The error from git.
    pub(crate) fn leaves_out(&self, remote: &str) -> Result<bool, GitError> {
        Ok(self.config(&format!("remote.{remote}.promisor"))?.is_some_and(|value| value == "true"))
    }

    /// Returns the branches of a remote as last fetched.
    ///
    /// # Errors
    /// The error from git.
    pub fn tips(&self, remote: &str) -> Result<Vec<Tip>, GitError> {
        let tip = |(name, commit): (String, String)| {
            name.strip_prefix("refs/remotes/").map(|name| Tip { name: name.to_owned(), commit })
        };
        Ok(self.references(&format!("refs/remotes/{remote}/"))?.into_iter().filter_map(tip).collect())
    }

    /// Returns the files in a commit with the names of records, at most `most`, and whether there are more.
    ///
    /// # Errors
    /// The error from git.
    pub fn records_in(&self, commit: &str, most: usize) -> Result<(Vec<InTree>, bool), GitError> {
        let mut command = self.command(["ls-tree", "-r", "-z", "--full-tree", commit]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(GitError::start)?;
        let Some(output) = child.stdout.take() else { return Err(GitError::Unreadable("nothing")) };
        let mut pieces = Pieces { from: BufReader::with_capacity(64 * 1024, output) };
        let (mut list, mut more) = (Vec::new(), false);
        while let Some(piece) = pieces.next()? {
            let Some(at) = piece.iter().position(|&byte| byte == b'\t') else { continue };
            let path = piece.get(at + 1..).unwrap_or_default();
            if !super::is_record(path) {
                continue;
            }
            if list.len() >= most {
                more = true;
                break;
            }
            let head = String::from_utf8_lossy(piece.get(..at).unwrap_or_default()).into_owned();
            let mut words = head.split(' ');
            let (Some(mode), _, Some(object)) = (words.next(), words.next(), words.next()) else { continue };
            list.push(InTree { path: path.to_vec(), kind: FileKind::of(mode), object: object.to_owned() });
        }
        drop(pieces);
        if more {
            let _ = child.kill();
        }
        let output = programs::collect(child).map_err(GitError::Io)?;
        if more || output.status.success() {
            Ok((list, more))
        } else {
            Err(GitError::said(output.status, &output.stderr, &self.folder))
        }
    }

    /// Returns the author's mail address and time of the commit that last changed a path, up to a given commit. The
    /// repository must be called from its top.
    ///
    /// # Errors
    /// The error from git.
    pub(crate) fn last_change(&self, commit: &str, path: &[u8]) -> Result<(String, Option<i64>), GitError> {
        let mut command =
            self.command(["log", "-1", "--no-show-signature", "--no-mailmap", "--format=%ae%n%at", commit, "--"]);
        let text = String::from_utf8_lossy(&self.run(command.arg(os_string(path.to_vec())))?).into_owned();
        let mut lines = text.lines();
        let email = lines.next().unwrap_or_default().to_owned();
        Ok((email, lines.next().and_then(|line| line.parse().ok())))
    }

    /// Sets the author of a commit; the committer is the one in git's settings, or otherwise the same.
    fn sign_as(&self, command: &mut Command, author: Author<'_>) -> Result<(), GitError> {
        let known = self.config("user.email")?.is_some() || std::env::var_os("GIT_COMMITTER_EMAIL").is_some();
        for (who, wanted) in [("AUTHOR", true), ("COMMITTER", !known)] {
            if wanted && !author.email.is_empty() {
                command.env(format!("GIT_{who}_NAME"), author.name).env(format!("GIT_{who}_EMAIL"), author.email);
            }
        }
        Ok(())
    }

    /// Pushes the branch that is checked out.
    ///
    /// # Errors
    /// If git cannot be started, or what it wrote cannot be flushed.
    pub fn push(&self, upstream: &Upstream) -> Result<Push, GitError> {
        let hold = Hold::take(self, Task::Exchange)?;
        hold.flush_objects()?;
        hold.announce([upstream.tracked().as_str(), "packed-refs"])?;
        let what = format!("HEAD:{}", upstream.target);
        let mut command = self.command(["push", "--porcelain", "--recurse-submodules=no", &upstream.remote, &what]);
        command.env(super::PUSHING, "1");
        let output = programs::output(&mut command).map_err(GitError::start)?;
        hold.flush_references()?;
        hold.done()?;
        if output.status.success() {
            return Ok(Push::Done);
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let refused = text.lines().find_map(|line| line.strip_prefix('!')).unwrap_or_default();
        let races = [
            "fetch first",
            "non-fast-forward",
            "stale info",
            "cannot lock ref",
            "failed to update ref",
            "incorrect old value",
        ];
        if races.iter().any(|race| refused.contains(race)) {
            return Ok(Push::Raced);
        }
        // What a hook of the player's said, if it was that.
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let told: Vec<&str> = told
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("error: failed to push"))
            .take(8)
            .collect();
        let said = match told.as_slice() {
            [] => GitError::said(output.status, &output.stderr, &self.folder).to_string(),
            lines => lines.join("; "),
        };
        Ok(Push::Refused(match refused.rsplit('\t').next().map(str::trim) {
            Some(why) if !why.is_empty() => {
                let remote: Vec<String> = String::from_utf8_lossy(&output.stderr)
                    .lines()
                    .filter_map(|line| line.strip_prefix("remote:").map(|line| line.trim().to_owned()))
                    .filter(|line| !line.is_empty())
                    .take(8)
                    .collect();
                if remote.is_empty() { why.to_owned() } else { format!("{why}: {}", remote.join("; ")) }
            }
            _ => said,
        }))
    }

    /// Returns the newest commit that two commits have in common, if there is one.
    ///
    /// # Errors
    /// The error from git.
    pub(crate) fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let output = programs::output(&mut self.command(["merge-base", one, other])).map_err(GitError::start)?;
        match output.status.code() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(GitError::said(output.status, &output.stderr, &self.folder)),
        }
    }

    /// Returns the id of the empty tree, which git knows although no object has it. It is not written, because the command that
    /// writes trees from lists flushes nothing.
    ///
    /// # Errors
    /// The error from git.
    pub(crate) fn empty_tree(&self) -> Result<String, GitError> {
        self.run_line(&mut self.plumbing(["hash-object", "-t", "tree", "--stdin"]))
    }

    /// Returns what changed from one commit or tree to another.
    ///
    /// # Errors
    /// The error from git.
    pub fn changes(&self, old: &str, new: &str) -> Result<Vec<Change>, GitError> {
        self.between(old, new)
    }

    /// Starts joining two histories that have `base` in common; what only one of the two has changed is resolved.
    ///
    /// # Errors
    /// The error from git.
    pub fn joining(&self, base: &str, ours: &str, theirs: &str) -> Result<Joining, GitError> {
        let folder = tempfile::tempdir().map_err(GitError::Io)?;
        let joining = Joining { repository: self.clone(), folder };
        let mut command = joining.command(["read-tree", "-i", "-m", "--aggressive", base, ours, theirs]);
        self.run(&mut command)?;
        Ok(joining)
    }

    /// Stores bytes as an object, and returns its id.
    ///
    /// # Errors
    /// The error from git.
    pub fn keep(&self, bytes: &[u8]) -> Result<String, GitError> {
        let mut command = self.plumbing(["hash-object", "-w", "--no-filters", "--stdin"]);
        Ok(String::from_utf8_lossy(&self.run_with(&mut command, bytes)?).trim().to_owned())
    }

    /// Makes a commit from a tree, and returns its id.
    ///
    /// # Errors
    /// The error from git.
    pub(crate) fn commit_tree(
        &self,
        tree: &str,
        parents: [&str; 2],
        message: &str,
        author: Author<'_>,
    ) -> Result<String, GitError> {
        let mut command = self.plumbing(["commit-tree", tree, "-p", parents[0], "-p", parents[1]]);
        self.sign_as(&mut command, author)?;
        Ok(String::from_utf8_lossy(&self.run_with(&mut command, message.as_bytes())?).trim().to_owned())
    }
}

impl Joining {
    fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.repository.plumbing(args);
        command.env("GIT_INDEX_FILE", self.folder.path().join("index"));
        command
    }

    /// Returns the paths that both have changed.
    ///
    /// # Errors
    /// The error from git.
    pub fn open(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let listed = self.repository.run(&mut self.command(["ls-files", "-u", "-z"]))?;
        let path = |row: &[u8]| Some(row.get(row.iter().position(|&byte| byte == b'\t')? + 1..)?.to_vec());
        let mut paths: Vec<Vec<u8>> = listed.split(|&byte| byte == 0).filter_map(path).collect();
        paths.dedup();
        Ok(paths)
    }

    /// Resolves such a path with an object.
    ///
    /// # Errors
    /// The error from git.
    pub fn settle(&self, path: &[u8], object: &str) -> Result<(), GitError> {
        let none = "0".repeat(object.len());
        let rows = [row("0", &none, path), row("100644", object, path)].concat();
        self.repository.run_with(&mut self.command(["update-index", "-z", "--index-info"]), &rows).map(|_| ())
    }

    /// Returns the joined tree, once no conflict is left.
    ///
    /// # Errors
    /// The error from git.
    pub fn tree(&self) -> Result<String, GitError> {
        self.repository.run_line(&mut self.command(["write-tree"]))
    }
}

/// A row for `update-index --index-info`.
fn row(mode: &str, object: &str, path: &[u8]) -> Vec<u8> {
    [format!("{mode} {object}\t").as_bytes(), path, b"\0"].concat()
}

/// Returns whether a path from git, which a stranger may have chosen, may be the path of a file here: plain names of
/// letters, digits, `.`, `_`, `-` and spaces, none of which begins with `.` or `-`.
#[must_use]
pub fn is_plain(path: &[u8]) -> bool {
    let plain = |part: &[u8]| {
        let known = |byte: &u8| byte.is_ascii_alphanumeric() || b"._- ".contains(byte);
        !matches!(part, [] | [b'.' | b'-' | b' ', ..]) && part.len() <= 100 && part.iter().all(known)
    };
    path.len() <= 400 && path.split(|&byte| byte == b'/').all(plain)
}

/// Returns a path from git below the top of a work tree.
#[must_use]
pub fn below(top: &Path, path: &[u8]) -> PathBuf {
    top.join(os_string(path.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_of_strangers_become_files() {
        for path in ["first.pbem", "games/2026/a b-c_d.pbem"] {
            assert!(is_plain(path.as_bytes()), "{path}");
        }
        for path in [
            "",
            "/etc/x.pbem",
            "../x.pbem",
            "a/../x.pbem",
            ".git/x.pbem",
            "-x.pbem",
            "a//x.pbem",
            "a\n.pbem",
            "\u{e9}.pbem",
        ] {
            assert!(!is_plain(path.as_bytes()), "{path}");
        }
    }
}
