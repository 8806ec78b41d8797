//! What changes in a repository do to the records in it: whether each is legal, and continues what was there.

mod findings;
mod merges;
mod verdicts;

pub use findings::{ChangeKind, Finding, Instead, Why};

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::rc::Rc;

use super::records::Records;
use super::{Blob, Change, FileKind, GitError, Log, Objects, Repository, is_record};

use postrider_kernel::text::printable;
use postrider_referee::desk::merge::relation;
use postrider_referee::verdict::{Relation, Ruling};
use verdicts::{Verdicts, is_beginning};

/// What is to be checked.
pub enum Checked<'a> {
    /// What the next commit would do.
    Staged,
    /// The commits of a range, or all those that lead up to a revision.
    Range(&'a OsStr),
    /// What a push brings, in the lines that git hands to `pre-receive`: `OLD NEW REF`.
    Received(&'a mut dyn BufRead),
    /// What a push to this remote brings, in the lines that git hands to `pre-push`: `LOCAL NEW REMOTE OLD`.
    Pushed(&'a str, &'a mut dyn BufRead),
}

/// How it is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// Whether records may be removed.
    pub allow_removal: bool,
    /// Whether records that pass are told too.
    pub passing: bool,
}

/// What is told while changes are checked.
#[derive(Debug)]
pub enum CheckEvent {
    /// What a change did to a record.
    Found(Box<Finding>),
    /// This clone is shallow and ends at a commit: what that changed is not known here.
    Shallow(String),
}

/// Why changes could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Git did not do what it was asked to.
    #[error(transparent)]
    Git(#[from] GitError),
    /// It is not a range of commits.
    #[error("`{0}` is not a range of commits")]
    NoRange(String),
    /// There is no commit of this name.
    #[error("there is no commit `{}` here", printable(.0))]
    NoCommit(String),
    /// A line that a hook handed over has not the form of such lines.
    #[error("`{}` is not a line of the form `{form}`", printable(line))]
    Line {
        line: String,
        form: &'static str,
        /// The hook to which git writes such lines.
        hook: &'static str,
    },
    /// A line that a hook handed over does not name two objects.
    #[error("`{}` does not name two objects", printable(.0))]
    NoObjects(String),
    /// The remote has commits that are not here.
    #[error("{} has commits that are not here: what a push would do to its records is not known", printable(.0))]
    NotFetched(String),
    /// The lines cannot be read.
    #[error("standard input cannot be read: {0}")]
    Input(io::Error),
    /// What is found cannot be told.
    #[error(transparent)]
    Told(io::Error),
}

/// What takes the findings, one after another.
type Tell<'a> = dyn FnMut(CheckEvent) -> io::Result<()> + 'a;

/// Checks changes, and tells what is found.
///
/// # Errors
/// Why not all of them could be checked.
pub fn check(
    repository: &Repository,
    what: Checked<'_>,
    options: CheckOptions,
    tell: &mut Tell<'_>,
) -> Result<(), CheckError> {
    let mut check = Check {
        repository,
        options,
        tell,
        records: Records::of(Objects::of(repository)?),
        verdicts: Verdicts::default(),
        told: HashSet::new(),
        settled: Vec::new(),
    };
    match what {
        Checked::Staged => check.staged(),
        Checked::Range(range) => {
            let (old, new) = ends(repository, range)?;
            check.range(old.as_deref(), &new, &[])
        }
        Checked::Received(lines) => check.pushes(None, lines),
        Checked::Pushed(remote, lines) => check.pushes(Some(remote), lines),
    }
}

/// How thoroughly a change is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The record is judged, and compared with its previous version.
    Judged,
    /// The record of a merge is judged; it is compared with its versions in all parents at once.
    Merged,
    /// It was judged already, and is only compared.
    Compared,
    /// Only whether a record is still there, completely; used when a branch is deleted.
    Kept,
}

/// The two ends of a range, as commits.
fn ends(repository: &Repository, range: &OsStr) -> Result<(Option<String>, String), CheckError> {
    let text = range.to_string_lossy();
    // A single revision, or a push of a new branch, means everything that leads up to it.
    let (old, new) = match text.split_once("..") {
        Some((_, new)) if new.starts_with('.') => return Err(CheckError::NoRange(text.into_owned())),
        Some((old, new)) => (Some(old).filter(|old| !is_none(old)), new),
        None => (None, &*text),
    };
    let commit = |name: &str| -> Result<String, CheckError> {
        let name = if name.is_empty() { "HEAD" } else { name };
        repository.commit_of(name)?.ok_or_else(|| CheckError::NoCommit(name.to_owned()))
    };
    Ok((old.map(commit).transpose()?, commit(new)?))
}

/// Returns whether it is git's way of naming no object.
fn is_none(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte == b'0')
}

/// A record before or after a change.
#[derive(Clone)]
struct RecordAt {
    path: Vec<u8>,
    object: String,
    id: Option<Rc<str>>,
}

struct Check<'a> {
    repository: &'a Repository,
    options: CheckOptions,
    tell: &'a mut Tell<'a>,
    records: Records,
    verdicts: Verdicts,
    /// Paths about which something was reported.
    told: HashSet<Vec<u8>>,
    /// Where branches had different entries for one turn: the record that a merge gave up, and the one that it has.
    settled: Vec<(String, String)>,
}

impl Check<'_> {
    /// Checks what a push brings, to this remote if it is one from here.
    fn pushes(&mut self, to: Option<&str>, lines: &mut dyn BufRead) -> Result<(), CheckError> {
        for line in lines.lines() {
            self.push(to, &line.map_err(CheckError::Input)?)?;
        }
        Ok(())
    }

    /// Checks one line of what a push brings.
    fn push(&mut self, to: Option<&str>, line: &str) -> Result<(), CheckError> {
        if line.is_empty() {
            return Ok(());
        }
        let words: Vec<&str> = line.split(' ').collect();
        let (old, new) = match (words.as_slice(), to) {
            ([old, new, ..], None) if words.len() > 2 => (*old, *new),
            // A name of an object may have spaces in it; what it is to replace is last.
            ([.., new, _, old], Some(_)) if words.len() > 3 => (*old, *new),
            (_, to) => {
                let (form, hook) = match to {
                    None => ("OLD NEW REF", "pre-receive"),
                    Some(_) => ("LOCAL NEW REMOTE OLD", "pre-push"),
                };
                return Err(CheckError::Line { line: line.to_owned(), form, hook });
            }
        };
        let is_id = |word: &str| matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id(old) || !is_id(new) {
            return Err(CheckError::NoObjects(line.to_owned()));
        }
        let old = match to {
            Some(remote) if !is_none(old) && self.records.objects.one(old).is_err() => {
                // Without force, git itself replaces nothing that is not here.
                if Repository::is_pushing() {
                    &*"0".repeat(old.len())
                } else {
                    return Err(CheckError::NotFetched(remote.to_owned()));
                }
            }
            _ => old,
        };
        // An object that is not here cannot be judged; one that is here and no commit brings no records.
        for word in [old, new].into_iter().filter(|word| !is_none(word)) {
            self.records.objects.one(word)?;
        }
        let repository = self.repository;
        match (is_none(old), is_none(new)) {
            (_, true) => {
                // A branch is deleted: what it had must be in the one that stays.
                let (Some(gone), Some(head)) = (repository.commit_of(old)?, repository.commit_of("HEAD")?) else {
                    return Ok(());
                };
                let changes = repository.between(&gone, &head)?;
                self.changes(None, changes, Depth::Kept)
            }
            (old_is_none, false) => {
                // A tag on something other than a commit brings no records.
                let Some(new) = repository.commit_of(new)? else { return Ok(()) };
                let old = if old_is_none { None } else { repository.commit_of(old)? };
                let known = match (to, old_is_none) {
                    (_, false) => Vec::new(),
                    (None, true) => vec!["--all".to_owned()],
                    (Some(remote), true) => vec![format!("--remotes={remote}")],
                };
                self.range(old.as_deref(), &new, &known)
            }
        }
    }

    /// Checks each commit against its parents, then all of them together against the state before. `known`: without those that
    /// these references (git's options `--all` and the like) have already.
    fn range(&mut self, old: Option<&str>, new: &str, known: &[String]) -> Result<(), CheckError> {
        let repository = self.repository;
        let range = match old {
            Some(old) => OsString::from(format!("{old}..{new}")),
            None => OsString::from(new),
        };
        self.told.clear();
        self.settled.clear();
        let ends = repository.shallow()?;
        let mut log = Log::of(repository, &[&range], known, "first-parent")?;
        loop {
            let commits = log.some()?;
            if commits.is_empty() {
                break;
            }
            self.judge_ahead(commits.iter().flat_map(|commit| &commit.changes))?;
            for commit in commits {
                if ends.contains(&commit.id) {
                    self.say(CheckEvent::Shallow(commit.id.clone()))?;
                }
                let depth = if commit.parents > 1 { Depth::Merged } else { Depth::Judged };
                self.changes(Some(&commit.id), commit.changes, depth)?;
            }
        }
        self.merges(&range, known)?;
        match old {
            // A merge or a rewritten branch may lose what no single commit removes.
            Some(old) => self.changes(None, repository.between(old, new)?, Depth::Compared),
            None => Ok(()),
        }
    }

    /// Judges the records that these changes wrote, on all processors.
    fn judge_ahead<'b>(&mut self, changes: impl Iterator<Item = &'b Change> + Clone) -> Result<(), CheckError> {
        let written = changes.clone().filter(|change| change.new.0 == FileKind::File);
        let written: HashSet<&str> = written.map(|change| change.new.1.as_str()).collect();
        let (records, verdicts) = (&mut self.records, &mut self.verdicts);
        records.fetch(changes, |read| {
            verdicts.judge_ahead(read.iter().filter(|(object, _)| written.contains(object)));
        })?;
        Ok(())
    }

    /// Checks what one step changed.
    fn changes(&mut self, commit: Option<&str>, changes: Vec<Change>, depth: Depth) -> Result<(), CheckError> {
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for change in changes.into_iter().filter(|change| is_record(&change.path)) {
            let Change { path, old, new } = change;
            if depth == Depth::Compared && self.told.contains(&path) {
                continue;
            }
            if new.0 == FileKind::File {
                match self.new_record(commit, &path, &new.1, old.0, depth)? {
                    Some(id) => come.push(RecordAt { path: path.clone(), object: new.1, id }),
                    None => continue,
                }
            } else if matches!(new.0, FileKind::Link | FileKind::Submodule) && depth != Depth::Kept {
                let finding = Finding::of(commit, &path, ChangeKind::from(old.0));
                self.tell(finding.refuse(Why::NoFile(new.0)))?;
            }
            if old.0 == FileKind::File {
                let id = self.records.get(&old.1)?.id.clone();
                gone.push(RecordAt { path, object: old.1, id });
            }
        }
        let places: HashMap<&str, usize> =
            come.iter().enumerate().rev().filter_map(|(at, side)| Some((side.id.as_deref()?, at))).collect();
        let mut renamed = HashSet::new();
        for old in &gone {
            // In the same place if it is there, otherwise wherever the game has moved.
            let same = come.iter().find(|new| new.path == old.path && new.id == old.id);
            let new = same.or_else(|| come.get(*places.get(old.id.as_deref()?)?));
            match new {
                Some(new) => {
                    if new.path != old.path {
                        renamed.insert(new.path.as_slice());
                    }
                    self.compare(commit, old, new, depth)?;
                }
                None if depth == Depth::Merged => {}
                None => self.removed(commit, old, come.iter().find(|new| new.path == old.path))?,
            }
        }
        if matches!(depth, Depth::Judged | Depth::Merged) && self.options.passing {
            for new in come.iter().filter(|new| !renamed.contains(new.path.as_slice())) {
                let known = gone.iter().any(|old| old.path == new.path);
                if !known && self.verdicts.is_legal(&new.object) {
                    self.well(commit, new)?;
                }
            }
        }
        Ok(())
    }

    /// Judges a record as it is now. Returns its game's id, if it has one; `None` if it was refused.
    fn new_record(
        &mut self,
        commit: Option<&str>,
        path: &[u8],
        object: &str,
        old: FileKind,
        depth: Depth,
    ) -> Result<Option<Option<Rc<str>>>, CheckError> {
        let change = ChangeKind::from(old);
        let record = self.records.get(object)?;
        let bytes = match &record.blob {
            Blob::Bytes(bytes) => bytes,
            Blob::TooLarge(length) => {
                let finding = Finding::of(commit, path, change);
                self.tell(finding.refuse(Why::TooLarge(*length)))?;
                return Ok(None);
            }
            Blob::Other => return Err(GitError::Object(format!("{object} is not a file")).into()),
        };
        let id = record.id.clone();
        if matches!(depth, Depth::Judged | Depth::Merged) && !self.verdicts.is_legal(object) {
            let verdict = self.verdicts.of(object, bytes);
            if verdict.ruling != Ruling::Legal {
                self.tell(Finding::of(commit, path, change).judged(bytes, &verdict))?;
            }
        }
        Ok(Some(id))
    }

    /// Compares a record with its previous version.
    fn compare(
        &mut self,
        commit: Option<&str>,
        old: &RecordAt,
        new: &RecordAt,
        depth: Depth,
    ) -> Result<(), CheckError> {
        let renamed = old.path != new.path;
        let (before, now) = (self.records.get(&old.object)?, self.records.get(&new.object)?);
        let (Some(before), Some(now)) = (before.bytes(), now.bytes()) else { return Ok(()) };
        let finding = Finding::of(commit, &new.path, if renamed { ChangeKind::Renamed } else { ChangeKind::Changed });
        let finding = if renamed { finding.note(Why::RenamedFrom(old.path.clone())) } else { finding };
        // What was not legal before need not be kept.
        if self.verdicts.allows(&old.object, before) {
            // Where only entries were added there is nothing to compare.
            let found = if is_beginning(before, now) { None } else { relation(before, now).ok() };
            let missing = match &found {
                Some(Relation::Older { entries }) => entry_line(before, *entries),
                _ => None,
            };
            let settled = depth == Depth::Compared && missing.is_none() && self.is_settled(before, now)?;
            let checked = match found {
                Some(found) if !settled && (depth != Depth::Kept || missing.is_some()) => {
                    finding.compared(&found, self.verdicts.entries(&old.object, before), missing)
                }
                _ => finding,
            };
            if checked.refused {
                return if depth == Depth::Merged { Ok(()) } else { self.tell(checked) };
            }
            return self.well_or_renamed(checked, &new.object, renamed);
        }
        self.well_or_renamed(finding, &new.object, renamed)
    }

    fn well_or_renamed(&mut self, finding: Finding, object: &str, renamed: bool) -> Result<(), CheckError> {
        if !self.verdicts.is_legal(object) {
            // It was already refused for its present content.
            return Ok(());
        }
        if renamed || self.options.passing {
            self.passes(finding, object)?;
        }
        Ok(())
    }

    fn well(&mut self, commit: Option<&str>, new: &RecordAt) -> Result<(), CheckError> {
        self.passes(Finding::of(commit, &new.path, ChangeKind::Added), &new.object)
    }

    fn passes(&mut self, finding: Finding, object: &str) -> Result<(), CheckError> {
        let finding = Finding { ruling: Some(Ruling::Legal), entries: self.entries(object)?, ..finding };
        self.tell(finding)
    }

    /// How many entries a record has that was judged or can be.
    fn entries(&mut self, object: &str) -> Result<Option<u32>, CheckError> {
        let record = self.records.get(object)?;
        Ok(record.bytes().map(|bytes| self.verdicts.entries(object, bytes)))
    }

    /// A record that is no longer there; `instead` is what stands in its place.
    fn removed(&mut self, commit: Option<&str>, old: &RecordAt, instead: Option<&RecordAt>) -> Result<(), CheckError> {
        // Without a record there was no game.
        let Some(id) = old.id.clone() else { return Ok(()) };
        let instead = match instead.map(|new| new.id.clone()) {
            Some(Some(other)) => Instead::Game(other),
            Some(None) => Instead::NoRecord,
            None => Instead::Nothing,
        };
        let allowed = self.options.allow_removal;
        let finding = Finding::of(commit, &old.path, ChangeKind::Removed);
        let why = Why::Removed { id, instead, allowed };
        self.tell(if allowed { finding.note(why) } else { finding.refuse(why) })
    }

    fn tell(&mut self, finding: Finding) -> Result<(), CheckError> {
        if finding.refused {
            self.told.insert(finding.path.clone());
        }
        self.say(CheckEvent::Found(Box::new(finding)))
    }

    fn say(&mut self, event: CheckEvent) -> Result<(), CheckError> {
        (self.tell)(event).map_err(CheckError::Told)
    }
}

/// The line of the entry after the first `entries`.
fn entry_line(record: &[u8], entries: u32) -> Option<String> {
    let start = postrider_referee::record::Frame::of(record).ok()?.body.start as usize;
    let lines = record.get(start..)?.split(|&byte| byte == b'\n');
    let line = lines.filter(|line| line.first().is_some_and(u8::is_ascii_digit)).nth(entries as usize)?;
    Some(String::from_utf8_lossy(line).trim_end().to_owned())
}
