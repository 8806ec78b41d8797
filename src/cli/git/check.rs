//! `postrider git check`.

mod beginnings;
mod merges;

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::process::ExitCode;
use std::rc::Rc;

use super::super::hints::{self, Failure};
use super::super::{json, print};
use super::findings::Finding;
use super::records::Records;
use super::{here, shown};
use crate::archive;
use crate::desk::merge::relation;
use crate::git::{Blob, Change, FileKind, GitError, Log, Objects, Repository, is_record};
use crate::verdict::{Relation, Ruling, Verdict, verify};
use beginnings::Grown;

/// How many faults are kept with the verdicts on records.
const FAULTS: usize = 20_000;
/// How many bytes of findings are printed at once.
const FULL: usize = 32 * 1024;

/// Check that every record staged or changed by commits is legal and continues what was there
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider git check --staged            as the hook `pre-commit` does
  postrider git check origin/main..HEAD   each commit, and all of them together
  postrider git check --stdin             as the hook `pre-receive` does: lines `OLD NEW REF`
  postrider git check --stdin --to origin as the hook `pre-push` does: lines `LOCAL NEW REMOTE OLD`

A record may only grow: one that was shortened, rewritten or removed is refused, with both versions of the first line that differs. \
Renaming is reported and allowed. Exit codes: 0 all is well, 1 something is refused, 2 something could not be judged.")]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Args {
    /// What the next commit would do
    #[arg(long, group = "what")]
    staged: bool,
    /// The commits of a range, or all those that lead up to a revision
    #[arg(value_name = "OLD..NEW", group = "what")]
    range: Option<OsString>,
    /// Read what a push brings from standard input, as git hands it to `pre-receive`
    #[arg(long, group = "what")]
    stdin: bool,
    /// Read it as git hands it to `pre-push`, for a push to this remote
    #[arg(long, value_name = "REMOTE", requires = "stdin")]
    to: Option<String>,
    /// Allow records to be removed
    #[arg(long)]
    allow_removal: bool,
    /// Print one JSON object per record
    #[arg(long)]
    json: bool,
    /// Also print the records that pass
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let repository = here();
    repository.check_version()?;
    let mut check = Check::of(&repository, args)?;
    let done = check.all(&repository);
    let code = check.finish(done)?;
    if code == hints::REFUSED && args.staged && !args.json {
        errln!("hint: {}; `git commit --no-verify` commits anyway", merges::way_back(&repository)?);
    }
    Ok(ExitCode::from(code))
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
fn ends(repository: &Repository, range: &OsStr) -> Result<(Option<String>, String), Failure> {
    let text = range.to_string_lossy();
    let usage = || {
        Failure::trouble(format!("`{text}` is not a range of commits"))
            .hint("a range is written OLD..NEW, as in `postrider git check origin/main..HEAD`")
    };
    // A single revision, or a push of a new branch, means everything that leads up to it.
    let (old, new) = match text.split_once("..") {
        Some((_, new)) if new.starts_with('.') => return Err(usage()),
        Some((old, new)) => (Some(old).filter(|old| !is_none(old)), new),
        None => (None, &*text),
    };
    let commit = |name: &str| -> Result<String, Failure> {
        let name = if name.is_empty() { "HEAD" } else { name };
        let found = repository.resolve(OsStr::new(&format!("{name}^{{commit}}")))?;
        found.ok_or_else(|| {
            Failure::trouble(format!("there is no commit `{}` here", shown(name.as_bytes())))
                .hint("`git log --oneline --all` lists the commits; a shallow clone lacks the older ones")
        })
    };
    Ok((old.map(commit).transpose()?, commit(new)?))
}

/// Returns whether it is git's way of naming no object.
fn is_none(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte == b'0')
}

/// A record before or after a change.
#[derive(Clone)]
struct Side {
    path: Vec<u8>,
    object: String,
    id: Option<Rc<str>>,
}

struct Check<'a> {
    args: &'a Args,
    records: Records,
    /// The verdicts on objects, so that a record is judged only once.
    judged: HashMap<String, Rc<Verdict>>,
    /// The objects that are beginnings of legal records, with their numbers of entries.
    beginnings: HashMap<String, u32>,
    /// What is told by the newest versions of records.
    grown: Grown,
    /// How many faults are kept with the verdicts.
    faults: usize,
    /// Paths about which something was reported.
    told: HashSet<Vec<u8>>,
    /// Where branches had different entries for one turn: the record that a merge gave up, and the one that it has.
    settled: Vec<(String, String)>,
    worst: u8,
    /// What is to be printed: one line at a time would be a system call each.
    pending: String,
}

impl<'a> Check<'a> {
    fn of(repository: &Repository, args: &'a Args) -> Result<Self, Failure> {
        let objects = Objects::of(repository)?;
        let records = Records::of(objects);
        Ok(Self {
            args,
            records,
            judged: HashMap::new(),
            beginnings: HashMap::new(),
            grown: Grown::of(repository),
            faults: 0,
            told: HashSet::new(),
            settled: Vec::new(),
            worst: 0,
            pending: String::new(),
        })
    }

    fn all(&mut self, repository: &Repository) -> Result<(), Failure> {
        if self.args.staged {
            return self.staged(repository);
        }
        if let Some(range) = &self.args.range {
            let (old, new) = ends(repository, range)?;
            return self.range(repository, old.as_deref(), &new, &[]);
        }
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Failure::trouble(format!("standard input cannot be read: {error}")))?;
            self.push(repository, &line)?;
        }
        Ok(())
    }

    /// Prints what is left, however the check ended, and returns the exit code.
    fn finish(&mut self, done: Result<(), Failure>) -> Result<u8, Failure> {
        print(std::mem::take(&mut self.pending))?;
        done.map(|()| self.worst)
    }

    /// Checks one line of what a push brings.
    fn push(&mut self, repository: &Repository, line: &str) -> Result<(), Failure> {
        if line.is_empty() {
            return Ok(());
        }
        let words: Vec<&str> = line.split(' ').collect();
        let (old, new) = match (words.as_slice(), &self.args.to) {
            ([old, new, ..], None) if words.len() > 2 => (*old, *new),
            // A name of an object may have spaces in it; what it is to replace is last.
            ([.., new, _, old], Some(_)) if words.len() > 3 => (*old, *new),
            (_, to) => {
                let (form, hook) = match to {
                    None => ("OLD NEW REF", "pre-receive"),
                    Some(_) => ("LOCAL NEW REMOTE OLD", "pre-push"),
                };
                let line = shown(line.as_bytes());
                return Err(Failure::trouble(format!("`{line}` is not a line of the form `{form}`"))
                    .hint(format!("git writes such lines to the hook `{hook}`")));
            }
        };
        let is_id = |word: &str| matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id(old) || !is_id(new) {
            return Err(Failure::trouble(format!("`{}` does not name two objects", shown(line.as_bytes()))));
        }
        let old = match &self.args.to {
            Some(remote) if !is_none(old) && self.records.objects.one(old).is_err() => {
                // Without force, git itself replaces nothing that is not here.
                if Repository::is_pushing() {
                    &*"0".repeat(old.len())
                } else {
                    return Err(Failure::trouble(format!(
                        "{} has commits that are not here: what a push would do to its records is not known",
                        shown(remote.as_bytes())
                    ))
                    .hint("`git fetch`, then `git merge` what is there"));
                }
            }
            _ => old,
        };
        // An object that is not here cannot be judged; one that is here and no commit brings no records.
        for word in [old, new].into_iter().filter(|word| !is_none(word)) {
            self.records.objects.one(word)?;
        }
        let commit = |word: &str| repository.resolve(OsStr::new(&format!("{word}^{{commit}}")));
        match (is_none(old), is_none(new)) {
            (_, true) => {
                // A branch is deleted: what it had must be in the one that stays.
                let (Some(gone), Some(head)) = (commit(old)?, repository.resolve(OsStr::new("HEAD^{commit}"))?) else {
                    return Ok(());
                };
                let changes = repository.between(&gone, &head)?;
                self.changes(None, changes, Depth::Kept)
            }
            (old_is_none, false) => {
                // A tag on something other than a commit brings no records.
                let Some(new) = commit(new)? else { return Ok(()) };
                let old = if old_is_none { None } else { commit(old)? };
                let known = match (&self.args.to, old_is_none) {
                    (_, false) => Vec::new(),
                    (None, true) => vec!["--all".to_owned()],
                    (Some(remote), true) => vec![format!("--remotes={remote}")],
                };
                self.range(repository, old.as_deref(), &new, &known)
            }
        }
    }

    /// Checks each commit against its parents, then all of them together against the state before. `known`: without those that
    /// these references (git's options `--all` and the like) have already.
    fn range(
        &mut self,
        repository: &Repository,
        old: Option<&str>,
        new: &str,
        known: &[String],
    ) -> Result<(), Failure> {
        let range = match old {
            Some(old) => OsString::from(format!("{old}..{new}")),
            None => OsString::from(new),
        };
        self.told.clear();
        self.settled.clear();
        self.grown.ends_at(new);
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
                    super::tell_shallow(&commit.id);
                    self.worst = self.worst.max(hints::TROUBLE);
                }
                let depth = if commit.parents > 1 { Depth::Merged } else { Depth::Judged };
                self.changes(Some(&commit.id), commit.changes, depth)?;
            }
        }
        self.merges(repository, &range, known)?;
        match old {
            // A merge or a rewritten branch may lose what no single commit removes.
            Some(old) => self.changes(None, repository.between(old, new)?, Depth::Compared),
            None => Ok(()),
        }
    }

    /// Judges the records that these changes wrote, on all processors.
    fn judge_ahead<'b>(&mut self, changes: impl Iterator<Item = &'b Change> + Clone) -> Result<(), Failure> {
        for (object, entries) in self.grown.tell(&mut self.records.objects, changes.clone())? {
            self.beginnings.insert(object, entries);
        }
        self.records.fetch(changes.clone(), |object| self.grown.get(object).is_some())?;
        let mut new = HashMap::new();
        for change in changes.filter(|change| is_record(&change.path) && change.new.0 == FileKind::File) {
            let object = change.new.1.as_str();
            if !self.judged.contains_key(object)
                && !self.beginnings.contains_key(object)
                && let Some(record) = self.records.kept(object)
            {
                new.insert(object, record);
            }
        }
        let mut texts: Vec<(&str, &[u8])> =
            new.iter().filter_map(|(object, record)| Some((*object, record.bytes()?))).collect();
        // Each version of a record that grows is a beginning of the longest one, and legal if that one is.
        texts.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
        let mut whole: Vec<(&str, &[u8])> = Vec::new();
        let mut begun: Vec<(usize, (&str, &[u8]))> = Vec::new();
        for text in texts {
            match whole.iter().position(|(_, longer)| is_beginning(text.1, longer)) {
                Some(place) => begun.push((place, text)),
                None => whole.push(text),
            }
        }
        let judge =
            |texts: &[(&str, &[u8])]| archive::map(texts, |(object, bytes)| ((*object).to_owned(), verify(bytes)));
        let judged = judge(&whole);
        let mut left = Vec::new();
        for (place, (object, bytes)) in begun {
            let is_legal = judged.get(place).is_some_and(|(_, verdict)| {
                // Of many signatures only the newest are checked, and a beginning has others.
                let all = verdict.signers.as_ref().is_none_or(|signers| !signers.newest_only);
                verdict.ruling == Ruling::Legal && all
            });
            if is_legal {
                self.beginnings.insert(object.to_owned(), archive::held::entries(bytes));
            } else {
                left.push((object, bytes));
            }
        }
        for (object, verdict) in judged.into_iter().chain(judge(&left)) {
            self.keep(&object, verdict);
        }
        Ok(())
    }

    /// Checks what one step changed.
    fn changes(&mut self, commit: Option<&str>, changes: Vec<Change>, depth: Depth) -> Result<(), Failure> {
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for change in changes.into_iter().filter(|change| is_record(&change.path)) {
            let Change { path, old, new } = change;
            if depth == Depth::Compared && self.told.contains(&path) {
                continue;
            }
            if new.0 == FileKind::File {
                match self.new_record(commit, &path, &new.1, old.0, depth)? {
                    Some(id) => come.push(Side { path: path.clone(), object: new.1, id }),
                    None => continue,
                }
            } else if matches!(new.0, FileKind::Link | FileKind::Submodule) && depth != Depth::Kept {
                let what = if new.0 == FileKind::Link { "a symbolic link" } else { "another repository (a submodule)" };
                let finding = Finding::of(commit, &path, if old.0 == FileKind::Absent { "added" } else { "changed" });
                self.tell(finding.refuse(format!("{what} under the name of a record")))?;
            }
            if old.0 == FileKind::File {
                let id = match self.grown.get(&old.1) {
                    Some(known) => Some(known.id.clone()),
                    None => self.records.get(&old.1)?.id.clone(),
                };
                gone.push(Side { path, object: old.1, id });
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
        if matches!(depth, Depth::Judged | Depth::Merged) && (self.args.verbose || self.args.json) {
            for new in come.iter().filter(|new| !renamed.contains(new.path.as_slice())) {
                let known = gone.iter().any(|old| old.path == new.path);
                if !known && self.is_legal(&new.object) {
                    self.well(commit, new, "added")?;
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
    ) -> Result<Option<Option<Rc<str>>>, Failure> {
        if let Some(known) = self.grown.get(object) {
            return Ok(Some(Some(known.id.clone())));
        }
        let change = if old == FileKind::Absent { "added" } else { "changed" };
        let record = self.records.get(object)?;
        let bytes = match &record.blob {
            Blob::Bytes(bytes) => bytes,
            Blob::TooLarge(length) => {
                let finding = Finding::of(commit, path, change);
                self.tell(finding.refuse(format!("{length} bytes: a record has 4 MiB at most")))?;
                return Ok(None);
            }
            Blob::Other => return Err(GitError::Object(format!("{object} is not a file")).into()),
        };
        let id = record.id.clone();
        if matches!(depth, Depth::Judged | Depth::Merged) && !self.is_legal(object) {
            let verdict = self.verdict(object, bytes);
            if verdict.ruling != Ruling::Legal {
                self.tell(Finding::of(commit, path, change).judged(bytes, &verdict))?;
            }
        }
        Ok(Some(id))
    }

    /// Compares a record with its previous version.
    fn compare(&mut self, commit: Option<&str>, old: &Side, new: &Side, depth: Depth) -> Result<(), Failure> {
        let renamed = old.path != new.path;
        if !renamed && self.grown.goes_on(&old.object, &new.object) {
            return self.well_or_renamed(Finding::of(commit, &new.path, "changed"), &new.object, false);
        }
        let (before, now) = (self.records.get(&old.object)?, self.records.get(&new.object)?);
        let (Some(before), Some(now)) = (before.bytes(), now.bytes()) else { return Ok(()) };
        let finding = Finding::of(commit, &new.path, if renamed { "renamed" } else { "changed" });
        let finding = if renamed { finding.note(format!("renamed from {}", shown(&old.path))) } else { finding };
        // What was not legal before need not be kept.
        if let Some(entries) = self.legal_entries(&old.object, before) {
            // Where only entries were added there is nothing to compare.
            let found = if is_beginning(before, now) { None } else { relation(before, now).ok() };
            let missing = match &found {
                Some(Relation::Older { entries }) => entry_line(before, *entries),
                _ => None,
            };
            let settled = depth == Depth::Compared && missing.is_none() && self.is_settled(before, now)?;
            let checked = match found {
                Some(found) if !settled && (depth != Depth::Kept || missing.is_some()) => {
                    finding.compared(&found, entries, missing)
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

    fn well_or_renamed(&mut self, finding: Finding, object: &str, renamed: bool) -> Result<(), Failure> {
        if !self.is_legal(object) {
            // It was already refused for its present content.
            return Ok(());
        }
        if renamed || self.args.verbose || self.args.json {
            let finding = Finding { verdict: Some(Ruling::Legal.word()), entries: self.entries(object)?, ..finding };
            self.tell(finding)?;
        }
        Ok(())
    }

    fn well(&mut self, commit: Option<&str>, new: &Side, change: &'static str) -> Result<(), Failure> {
        let finding = Finding::of(commit, &new.path, change);
        let finding = Finding { verdict: Some(Ruling::Legal.word()), entries: self.entries(&new.object)?, ..finding };
        self.tell(finding)
    }

    /// How many entries a record has that was judged or can be.
    fn entries(&mut self, object: &str) -> Result<Option<u32>, Failure> {
        if let Some(verdict) = self.judged.get(object) {
            return Ok(Some(verdict.entries));
        }
        if let Some(entries) = self.beginnings.get(object) {
            return Ok(Some(*entries));
        }
        let record = self.records.get(object)?;
        Ok(record.bytes().map(|bytes| self.verdict(object, bytes).entries))
    }

    /// Whether a record was judged and is legal.
    fn is_legal(&self, object: &str) -> bool {
        self.beginnings.contains_key(object)
            || self.judged.get(object).is_some_and(|verdict| verdict.ruling == Ruling::Legal)
    }

    /// The verdict on a record, which is judged if it has not been yet.
    fn verdict(&mut self, object: &str, bytes: &[u8]) -> Rc<Verdict> {
        match self.judged.get(object) {
            Some(verdict) => verdict.clone(),
            None => self.keep(object, verify(bytes)),
        }
    }

    /// Keeps a verdict, unless there are too many faults already.
    fn keep(&mut self, object: &str, verdict: Verdict) -> Rc<Verdict> {
        let verdict = Rc::new(verdict);
        if self.faults + verdict.errors.len() <= FAULTS {
            self.faults += verdict.errors.len();
            self.judged.insert(object.to_owned(), verdict.clone());
        }
        verdict
    }

    /// How many entries a legal record has; `None` if it is not legal.
    fn legal_entries(&mut self, object: &str, bytes: &[u8]) -> Option<u32> {
        if let Some(entries) = self.beginnings.get(object) {
            return Some(*entries);
        }
        let verdict = self.verdict(object, bytes);
        (verdict.ruling == Ruling::Legal).then_some(verdict.entries)
    }

    /// A record that is no longer there; `instead` is what stands in its place.
    fn removed(&mut self, commit: Option<&str>, old: &Side, instead: Option<&Side>) -> Result<(), Failure> {
        let finding = Finding::of(commit, &old.path, "removed");
        let Some(id) = &old.id else {
            // Without a record there was no game.
            return Ok(());
        };
        let why = match instead.map(|new| new.id.as_deref()) {
            Some(Some(other)) => format!("the game {other} is where {id} was"),
            Some(None) => format!("what is now where {id} was is not a record"),
            None => format!("the record of {id} is removed"),
        };
        if self.args.allow_removal {
            return self.tell(finding.note(format!("{why}, as you allow")));
        }
        self.tell(finding.refuse(format!("{why} (--allow-removal, if that is meant)")))
    }

    fn tell(&mut self, finding: Finding) -> Result<(), Failure> {
        self.worst = self.worst.max(finding.code());
        if finding.refused {
            self.told.insert(finding.path.clone().into_bytes());
        }
        self.pending.push_str(&if self.args.json { json::line(&finding) } else { finding.in_words() });
        if self.pending.len() > FULL { print(std::mem::take(&mut self.pending)) } else { Ok(()) }
    }
}

/// Returns whether a record ends where another one has its next entry, and is the same up to there, byte for byte.
fn is_beginning(record: &[u8], longer: &[u8]) -> bool {
    record.ends_with(b"\n")
        && longer.get(record.len()).is_some_and(u8::is_ascii_digit)
        && longer.starts_with(record)
        && crate::record::Frame::of(record).is_ok()
}

/// The line of the entry after the first `entries`.
fn entry_line(record: &[u8], entries: u32) -> Option<String> {
    let start = crate::record::Frame::of(record).ok()?.body.start as usize;
    let lines = record.get(start..)?.split(|&byte| byte == b'\n');
    let line = lines.filter(|line| line.first().is_some_and(u8::is_ascii_digit)).nth(entries as usize)?;
    Some(String::from_utf8_lossy(line).trim_end().to_owned())
}
