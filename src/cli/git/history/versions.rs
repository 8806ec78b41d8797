//! Versions of records, by the git objects that contain them.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::rc::Rc;

use super::super::super::hints::Failure;
use super::super::records::Ids;
use crate::git::{Change, FileKind, GitError, Grown, Objects};
use crate::record::{Frame, Time};

/// How many bytes of versions are kept at a time, about; as many again were kept before them.
const KEPT: usize = 4 * 1024 * 1024;
/// A history of so many versions is read as it is, which also shows what is damaged in it; of a longer one only what cannot
/// be told by its id.
const SHORT: usize = 512;
/// How many bytes of newest versions are kept to tell earlier ones by, and how long one of them may be.
const NEWEST: usize = 8 * 1024 * 1024;
const LONGEST: usize = 256 * 1024;
/// The longest body that is kept to see that the next version goes on from it, in bytes.
const BODY: usize = 32 * 1024;

/// A record at some commit: its game's id, and the lines of its entries with their signatures.
#[derive(Debug)]
pub(super) struct Version {
    pub id: Rc<str>,
    pub entries: Vec<Rc<str>>,
    /// What stands behind the header, unless that is long.
    body: Box<[u8]>,
}

/// Reads versions, and keeps those that will soon be needed again: a version is first the result of a commit, then what
/// the next one changes.
pub(super) struct Versions {
    objects: Objects,
    /// The records at the end of the range by their paths, with their objects.
    pub tip: HashMap<Vec<u8>, String>,
    /// Those of them that were needed, if they are to be had and not too long.
    newest: HashMap<Vec<u8>, Option<Grown>>,
    /// The bytes in them.
    bytes: usize,
    /// How many versions were asked for.
    asked: usize,
    kept: Kept,
}

/// The versions that are kept, by their objects.
#[derive(Default)]
struct Kept {
    young: HashMap<String, Option<Rc<Version>>>,
    old: HashMap<String, Option<Rc<Version>>>,
    /// The bytes of the young ones.
    bytes: usize,
    ids: Ids,
    /// The newest version read of each game: lines that stand in many versions are kept once.
    last: HashMap<Rc<str>, Rc<Version>>,
}

impl Versions {
    pub(super) fn of(objects: Objects, tip: HashMap<Vec<u8>, String>) -> Self {
        Self { objects, tip, newest: HashMap::new(), bytes: 0, asked: 0, kept: Kept::default() }
    }

    /// Reads what these changes are about, all of it together, so that nobody waits for each answer.
    pub(super) fn fetch(&mut self, changes: &[&Change]) -> Result<(), Failure> {
        let mut seen = HashSet::new();
        let mut wanted: Vec<(&[u8], &str)> = Vec::new();
        for change in changes {
            for (kind, object) in [&change.old, &change.new] {
                if *kind == FileKind::File && self.kept.get(object).is_none() && seen.insert(object) {
                    wanted.push((&change.path, object));
                }
            }
        }
        self.asked += wanted.len();
        if self.asked > SHORT {
            self.fetch_newest(&wanted)?;
            let (newest, kept) = (&mut self.newest, &mut self.kept);
            wanted.retain(|(path, object)| {
                let text = newest.get_mut(*path).and_then(Option::as_mut).and_then(|newest| newest.find(object));
                text.is_none_or(|text| {
                    kept.put(object, Some(text));
                    false
                })
            });
        }
        let objects: Vec<&str> = wanted.iter().map(|(_, object)| *object).collect();
        let (newest, kept) = (&mut self.newest, &mut self.kept);
        self.objects.read(&objects, |place, blob| {
            let (path, object) = wanted[place];
            let bytes = blob.bytes();
            if let (Some(newest), Some(bytes)) = (newest.get_mut(path).and_then(Option::as_mut), &bytes) {
                newest.read(bytes);
            }
            kept.put(object, bytes.as_deref());
            Ok(())
        })
    }

    /// Reads the newest versions of these records, as far as there is room for them.
    fn fetch_newest(&mut self, wanted: &[(&[u8], &str)]) -> Result<(), Failure> {
        let mut missing: Vec<(&[u8], &str)> = Vec::new();
        for (path, _) in wanted {
            if let Some(object) = self.tip.get(*path)
                && self.bytes < NEWEST
                && !self.newest.contains_key(*path)
            {
                self.newest.insert(path.to_vec(), None);
                missing.push((path, object));
            }
        }
        let objects: Vec<&str> = missing.iter().map(|(_, object)| *object).collect();
        let (newest, bytes) = (&mut self.newest, &mut self.bytes);
        self.objects.read::<GitError>(&objects, |place, blob| {
            let (path, object) = missing[place];
            if let Some(text) = blob.bytes().filter(|text| text.len() <= LONGEST) {
                *bytes += text.len();
                let start = Frame::of(&text).map_or(0, |frame| frame.body.start as usize);
                newest.insert(path.to_vec(), Some(Grown::new(object, text, start)));
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Returns the version in an object; `None` if it does not contain a record with a valid header.
    pub(super) fn get(&mut self, object: &str) -> Result<Option<Rc<Version>>, Failure> {
        match self.kept.get(object) {
            Some(version) => Ok(version),
            None => Ok(self.kept.put(object, self.objects.one(object)?.bytes().as_deref())),
        }
    }

    /// Returns the text of a record as it is at the end of the range, or was last; `None` if it is too long for one.
    pub(super) fn text(&mut self, path: &[u8], object: &str) -> Result<Option<Vec<u8>>, Failure> {
        let newest = self.newest.get(path).and_then(Option::as_ref).and_then(|newest| newest.newest(object));
        match newest {
            Some(text) => Ok(Some(text.to_vec())),
            None => Ok(self.objects.one(object)?.bytes()),
        }
    }
}

impl Kept {
    fn get(&mut self, object: &str) -> Option<Option<Rc<Version>>> {
        if let Some(version) = self.young.get(object) {
            return Some(version.clone());
        }
        self.old.get(object).cloned()
    }

    fn put(&mut self, object: &str, bytes: Option<&[u8]>) -> Option<Rc<Version>> {
        if let Some(bytes) = bytes {
            if self.bytes > KEPT {
                self.old = mem::take(&mut self.young);
                self.bytes = 0;
            }
            self.bytes += bytes.len() + 256;
        }
        let version = bytes.and_then(|bytes| self.read(bytes)).map(Rc::new);
        if let Some(version) = &version {
            self.last.insert(version.id.clone(), version.clone());
        }
        self.young.insert(object.to_owned(), version.clone());
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
            Some((last, rest)) => (last.entries.clone(), rest),
            None => (Vec::new(), body),
        };
        let mut text = String::new();
        let keep = |entries: &mut Vec<Rc<str>>, text: &mut String| {
            if text.is_empty() {
                return;
            }
            let known = last.and_then(|last| last.entries.get(entries.len())).filter(|line| ***line == **text);
            entries.push(known.cloned().unwrap_or_else(|| text.as_str().into()));
            text.clear();
        };
        for line in rest.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match line.first() {
                Some(b'0'..=b'9') => {
                    keep(&mut entries, &mut text);
                    text.push_str(&String::from_utf8_lossy(line));
                }
                Some(b' ') if !text.is_empty() => text.push_str(&String::from_utf8_lossy(line)),
                _ => {}
            }
        }
        keep(&mut entries, &mut text);
        let body = if body.len() <= BODY { body.into() } else { Box::default() };
        Some(Version { id, entries, body })
    }
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
        let (actions, time, _) = crate::desk::parts(line);
        let side = line.split(' ').nth(1).unwrap_or_default();
        Self { side, actions, time: time.and_then(|time| Time::read(time.as_bytes())), signed }
    }
}
