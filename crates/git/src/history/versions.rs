//! Versions of records, by the git objects that contain them.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use super::super::newest::Newest;
use super::super::records::{Generations, Ids, entry_starts};
use super::super::{Change, FileKind, GitError, Objects, Repository};
use referee::record::{Frame, Time};

/// How many bytes of versions are kept at a time, about; as many again were kept before them.
const KEPT: usize = 4 * 1024 * 1024;
/// A history of so many versions is read as it is, which also shows what is damaged in it; of a longer one only what cannot
/// be told by its id.
const SHORT: usize = 512;
/// The longest body that is kept to see that the next version goes on from it, in bytes.
const BODY: usize = 32 * 1024;

/// A record at some commit: its game's id, and the lines of its entries with their signatures.
#[derive(Debug)]
pub(super) struct Version {
    pub id: Rc<str>,
    pub entries: Entries,
    /// What stands behind the header, unless that is long.
    body: Box<[u8]>,
}

/// The lines of entries.
#[derive(Debug)]
pub(super) enum Entries {
    Own(Vec<Rc<str>>),
    /// So many of those of the newest version.
    First(Rc<[Rc<str>]>, usize),
}

impl Deref for Entries {
    type Target = [Rc<str>];

    fn deref(&self) -> &[Rc<str>] {
        match self {
            Self::Own(entries) => entries,
            Self::First(all, count) => all.get(..*count).unwrap_or_default(),
        }
    }
}

impl Version {
    /// How many entries are the same as those of another version, from the first.
    pub(super) fn common(&self, other: &Self) -> usize {
        match (&self.entries, &other.entries) {
            (Entries::First(one, first), Entries::First(another, second)) if Rc::ptr_eq(one, another) => {
                *first.min(second)
            }
            (one, another) => one.iter().zip(another.iter()).take_while(|(a, b)| a == b).count(),
        }
    }
}

/// The entries of the newest version of a record, and where each begins in it.
struct Lines {
    id: Rc<str>,
    all: Rc<[Rc<str>]>,
    begins: Vec<usize>,
}

impl Lines {
    fn of(ids: &mut Ids, text: &[u8]) -> Option<Self> {
        let start = Frame::of(text).ok()?.body.start as usize;
        let (header, body) = text.split_at_checked(start)?;
        let id = ids.of(header)?;
        let begins: Vec<usize> = entry_starts(text)?.collect();
        let mut all = Vec::new();
        add_entries(body, &[], &mut all);
        (all.len() == begins.len()).then(|| Self { id, all: all.into(), begins })
    }

    /// The version that is the beginning of this length, if it ends where one may end.
    fn version(&self, text: &[u8], length: usize) -> Option<Version> {
        let (before, rest) = text.split_at_checked(length)?;
        let count = self.begins.partition_point(|&begin| begin < length);
        let is_whole = before.ends_with(b"\n") && (rest.is_empty() || !continues(rest));
        let first = self.begins.first().is_some_and(|&first| first < length);
        (is_whole && first).then(|| Version {
            id: self.id.clone(),
            entries: Entries::First(self.all.clone(), count),
            body: Box::default(),
        })
    }
}

/// Reads versions, and keeps those that will soon be needed again: a version is first the result of a commit, then what
/// the next one changes.
pub(super) struct Versions {
    repository: Repository,
    objects: Objects,
    /// The records at the end of the range.
    pub newest: Newest,
    /// Their entries, by path, of those that were needed.
    lines: HashMap<Vec<u8>, Option<Lines>>,
    /// How many versions were asked for.
    asked: usize,
    kept: Kept,
}

/// The versions that are kept, by their objects.
#[derive(Default)]
struct Kept {
    versions: Generations<Option<Rc<Version>>>,
    ids: Ids,
    /// The newest version read of each game: lines that stand in many versions are kept once.
    last: HashMap<Rc<str>, Rc<Version>>,
}

impl Versions {
    pub(super) fn of(repository: &Repository, objects: Objects, newest: Newest) -> Self {
        let repository = repository.clone();
        Self { repository, objects, newest, lines: HashMap::new(), asked: 0, kept: Kept::default() }
    }

    /// Reads what these changes are about, all of it together, so that nobody waits for each answer.
    pub(super) fn fetch(&mut self, changes: &[&Change]) -> Result<(), GitError> {
        let mut seen = HashSet::new();
        let mut wanted: Vec<(&[u8], &str)> = Vec::new();
        for change in changes {
            for (kind, object) in [&change.old, &change.new] {
                if *kind == FileKind::File && self.kept.versions.get(object).is_none() && seen.insert(object) {
                    wanted.push((&change.path, object));
                }
            }
        }
        self.asked += wanted.len();
        if self.asked > SHORT {
            self.newest.read(&self.repository, &mut self.objects, wanted.iter().map(|(path, _)| *path))?;
            let (newest, lines, kept) = (&mut self.newest, &mut self.lines, &mut self.kept);
            wanted.retain(|(path, object)| {
                let Some((found, end)) = newest.find(path, object) else { return true };
                let text = found.text();
                if !lines.contains_key(*path) {
                    lines.insert(path.to_vec(), Lines::of(&mut kept.ids, text));
                }
                let of_lines = lines.get(*path).and_then(Option::as_ref);
                match of_lines.and_then(|lines| lines.version(text, end)) {
                    Some(version) => kept.keep(object, Some(Rc::new(version)), 0),
                    None => kept.put(object, text.get(..end)),
                };
                false
            });
        }
        let objects: Vec<&str> = wanted.iter().map(|(_, object)| *object).collect();
        let (newest, kept) = (&mut self.newest, &mut self.kept);
        self.objects.read(&objects, |place, blob| {
            let (path, object) = wanted[place];
            let bytes = blob.bytes();
            if let (Some(newest), Some(bytes)) = (newest.get(path), &bytes) {
                newest.read(bytes);
            }
            kept.put(object, bytes.as_deref());
            Ok(())
        })
    }

    /// Returns the version in an object; `None` if it does not contain a record with a valid header.
    pub(super) fn get(&mut self, object: &str) -> Result<Option<Rc<Version>>, GitError> {
        match self.kept.versions.get(object) {
            Some(version) => Ok(version),
            None => Ok(self.kept.put(object, self.objects.one(object)?.bytes().as_deref())),
        }
    }

    /// Returns the text of a record as it is at the end of the range, or was last; `None` if it is too long for one.
    pub(super) fn text(&mut self, path: &[u8], object: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.newest.get(path).and_then(|newest| newest.newest(object)) {
            Some(text) => Ok(Some(text.to_vec())),
            None => Ok(self.objects.one(object)?.bytes()),
        }
    }
}

impl Kept {
    fn put(&mut self, object: &str, bytes: Option<&[u8]>) -> Option<Rc<Version>> {
        let version = bytes.and_then(|bytes| self.read(bytes)).map(Rc::new);
        self.keep(object, version, bytes.map_or(0, <[u8]>::len))
    }

    /// Keeps a version that takes about so many bytes.
    fn keep(&mut self, object: &str, version: Option<Rc<Version>>, bytes: usize) -> Option<Rc<Version>> {
        if let Some(version) = &version {
            self.last.insert(version.id.clone(), version.clone());
        }
        self.versions.keep(object, version.clone(), bytes, KEPT);
        version
    }

    fn read(&mut self, bytes: &[u8]) -> Option<Version> {
        let start = Frame::of(bytes).ok()?.body.start as usize;
        let (header, body) = bytes.split_at_checked(start)?;
        let id = self.ids.of(header)?;
        let last = self.last.get(&id);
        // Most versions go on from the one before, so that only what is new has to be read.
        let before = last
            .filter(|last| last.body.ends_with(b"\n"))
            .and_then(|last| body.strip_prefix(&*last.body).filter(|rest| !continues(rest)).map(|rest| (last, rest)));
        let (mut entries, rest) = match before {
            Some((last, rest)) => (last.entries.to_vec(), rest),
            None => (Vec::new(), body),
        };
        add_entries(rest, last.map_or(&[], |last| &last.entries), &mut entries);
        let body = if body.len() <= BODY { body.into() } else { Box::default() };
        Some(Version { id, entries: Entries::Own(entries), body })
    }
}

/// Adds the entries that stand in a part of a body. `known`: those of another version, which are kept once.
fn add_entries(body: &[u8], known: &[Rc<str>], entries: &mut Vec<Rc<str>>) {
    let mut text = String::new();
    let mut keep = |text: &mut String| {
        if !text.is_empty() {
            let same = known.get(entries.len()).filter(|line| ***line == **text);
            entries.push(same.cloned().unwrap_or_else(|| text.as_str().into()));
            text.clear();
        }
    };
    for line in body.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            Some(b'0'..=b'9') => {
                keep(&mut text);
                text.push_str(&String::from_utf8_lossy(line));
            }
            Some(b' ') if !text.is_empty() => text.push_str(&String::from_utf8_lossy(line)),
            _ => {}
        }
    }
    keep(&mut text);
}

/// Whether what stands first here belongs to the entry before it.
fn continues(rest: &[u8]) -> bool {
    let mut firsts = rest.split(|&byte| byte == b'\n').filter_map(<[u8]>::first);
    firsts.find(|first| matches!(first, b' ' | b'0'..=b'9')) == Some(&b' ')
}

/// The parts of an entry's line.
pub(super) struct EntryParts<'a> {
    pub side: &'a str,
    pub actions: &'a str,
    pub time: Option<Time>,
    pub signed: bool,
}

impl<'a> EntryParts<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        // To prepare a search for the whole would take longer than to look at each `~`.
        let signature = memchr::memchr_iter(b'~', line.as_bytes())
            .find_map(|at| at.checked_sub(2).filter(|&start| line.as_bytes()[start..].starts_with(b"  ~ ")));
        let (line, signed) = match signature {
            Some(start) => (line.get(..start).unwrap_or_default(), true),
            None => (line, false),
        };
        let (actions, time, _) = referee::desk::parts(line);
        let side = line.split(' ').nth(1).unwrap_or_default();
        Self { side, actions, time: time.and_then(|time| Time::read(time.as_bytes())), signed }
    }
}
