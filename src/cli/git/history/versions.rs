//! Versions of records, by the git objects that contain them.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::rc::Rc;

use super::super::super::hints::Failure;
use crate::git::{Blob, Objects};
use crate::record::{Frame, Time};
use crate::verdict::Opened;

/// How many bytes of versions are kept at a time, about; as many again were kept before them.
const KEPT: usize = 4 * 1024 * 1024;
/// How many headers are known by their ids: a header never changes, so that it need not be read for each version.
const HEADERS: usize = 4096;
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
    pub objects: Objects,
    kept: Kept,
}

/// The versions that are kept, by their objects.
#[derive(Default)]
struct Kept {
    young: HashMap<String, Option<Rc<Version>>>,
    old: HashMap<String, Option<Rc<Version>>>,
    /// The bytes of the young ones.
    bytes: usize,
    /// The ids in headers that were read.
    ids: HashMap<Box<[u8]>, Option<Rc<str>>>,
    /// The newest version read of each game: lines that stand in many versions are kept once.
    last: HashMap<Rc<str>, Rc<Version>>,
}

impl Versions {
    pub(super) fn of(objects: Objects) -> Self {
        Self { objects, kept: Kept::default() }
    }

    /// Reads what these objects hold, all of them together, so that nobody waits for each answer.
    pub(super) fn fetch<'a>(&mut self, objects: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
        let mut asked = HashSet::new();
        let new: Vec<&str> =
            objects.filter(|object| self.kept.get(object).is_none() && asked.insert(*object)).collect();
        let kept = &mut self.kept;
        self.objects.read(&new, |place, blob| {
            kept.put(new[place], blob);
            Ok(())
        })
    }

    /// Returns the version in an object; `None` if it does not contain a record with a valid header.
    pub(super) fn get(&mut self, object: &str) -> Result<Option<Rc<Version>>, Failure> {
        match self.kept.get(object) {
            Some(version) => Ok(version),
            None => Ok(self.kept.put(object, self.objects.one(object)?)),
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

    fn put(&mut self, object: &str, blob: Blob) -> Option<Rc<Version>> {
        let version = match blob {
            Blob::Bytes(bytes) => {
                if self.bytes > KEPT {
                    self.old = mem::take(&mut self.young);
                    self.bytes = 0;
                }
                self.bytes += bytes.len() + 256;
                self.read(&bytes).map(Rc::new)
            }
            Blob::TooLarge(_) | Blob::Other => None,
        };
        if let Some(version) = &version {
            self.last.insert(version.id.clone(), version.clone());
        }
        self.young.insert(object.to_owned(), version.clone());
        version
    }

    /// The id in a header.
    fn id(&mut self, header: &[u8]) -> Option<Rc<str>> {
        if let Some(id) = self.ids.get(header) {
            return id.clone();
        }
        let id: Option<Rc<str>> = Opened::new(header).ok().map(|opened| opened.header.id.as_ref().into());
        if self.ids.len() >= HEADERS {
            self.ids.clear();
        }
        self.ids.insert(header.into(), id.clone());
        id
    }

    fn read(&mut self, bytes: &[u8]) -> Option<Version> {
        let start = Frame::of(bytes).ok()?.body.start as usize;
        let (header, body) = bytes.split_at_checked(start)?;
        let id = self.id(header)?;
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
        let (line, signed) = match line.split_once("  ~ ") {
            Some((line, _)) => (line, true),
            None => (line, false),
        };
        let (actions, time, _) = crate::desk::parts(line);
        let side = line.split(' ').nth(1).unwrap_or_default();
        Self { side, actions, time: time.and_then(|time| Time::read(time.as_bytes())), signed }
    }
}
