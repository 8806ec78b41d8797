//! Versions of records, by the git objects that contain them.

use std::cell::{Ref, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use super::super::records::{Generations, Ids};
use super::super::{Change, FileKind, GitError, Objects};
use postrider_referee::record::{Frame, Time};

/// How many bytes of versions are kept at a time, about; as many again were kept before them.
const KEPT: usize = 4 * 1024 * 1024;

/// A record at some commit: its game's id, and the lines of its entries with their signatures.
#[derive(Debug)]
pub(super) struct Version {
    pub id: Rc<str>,
    /// Lines that versions share which go on from each other, and how many of them this one has.
    lines: Rc<RefCell<Vec<Rc<str>>>>,
    count: usize,
}

impl Version {
    /// The lines of its entries.
    pub(super) fn entries(&self) -> Ref<'_, [Rc<str>]> {
        Ref::map(self.lines.borrow(), |lines| lines.get(..self.count).unwrap_or_default())
    }

    /// How many entries are the same as those of another version, from the first.
    pub(super) fn common(&self, other: &Self) -> usize {
        if Rc::ptr_eq(&self.lines, &other.lines) {
            return self.count.min(other.count);
        }
        self.entries().iter().zip(other.entries().iter()).take_while(|(a, b)| a == b).count()
    }
}

/// A version and the text of its record.
type WithText = (Rc<Version>, Vec<u8>);

/// Reads versions, and keeps those that will soon be needed again: a version is first the result of a commit, then what
/// the next one changes.
pub(super) struct Versions {
    objects: Objects,
    kept: Kept,
}

/// The versions that are kept, by their objects.
#[derive(Default)]
struct Kept {
    versions: Generations<Option<Rc<Version>>>,
    ids: Ids,
    /// The version that was read last of each game, with what stands behind its header: most go on from the one before.
    last: Generations<(Rc<Version>, Rc<[u8]>)>,
}

impl Versions {
    pub(super) fn of(objects: Objects) -> Self {
        Self { objects, kept: Kept::default() }
    }

    /// Reads what these changes are about, all of it together, so that nobody waits for each answer.
    pub(super) fn fetch(&mut self, changes: &[&Change]) -> Result<(), GitError> {
        let mut seen = HashSet::new();
        let sides = changes.iter().flat_map(|change| [&change.old, &change.new]);
        let files = sides.filter(|(kind, _)| *kind == FileKind::File).map(|(_, object)| object.as_str());
        let new: Vec<&str> =
            files.filter(|&object| self.kept.versions.get(object).is_none() && seen.insert(object)).collect();
        let kept = &mut self.kept;
        self.objects.read(&new, |place, blob| {
            kept.put(new[place], blob.bytes().as_deref());
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

    /// Returns the version in an object with its text.
    pub(super) fn with_text(&mut self, object: &str) -> Result<Option<WithText>, GitError> {
        let Some(text) = self.objects.one(object)?.bytes() else { return Ok(None) };
        Ok(self.kept.put(object, Some(&text)).map(|version| (version, text)))
    }
}

impl Kept {
    fn put(&mut self, object: &str, bytes: Option<&[u8]>) -> Option<Rc<Version>> {
        let version = bytes.and_then(|bytes| self.read(bytes));
        let (version, bytes) = version.map_or((None, 0), |(version, bytes)| (Some(version), bytes));
        self.versions.keep(object, version.clone(), bytes, KEPT);
        version
    }

    /// Reads a version; returns it with how many bytes of it no other version has.
    fn read(&mut self, bytes: &[u8]) -> Option<(Rc<Version>, usize)> {
        let start = Frame::of(bytes).ok()?.body.start as usize;
        let (header, body) = bytes.split_at_checked(start)?;
        let id = self.ids.of(header)?;
        let last = self.last.get(&id);
        // If this version continues the last one, only its new lines are read.
        let goes_on = last.as_ref().and_then(|(last, before)| {
            let rest = body.strip_prefix(&**before).filter(|rest| before.ends_with(b"\n") && !continues(rest))?;
            (last.lines.borrow().len() == last.count).then(|| (last.lines.clone(), rest))
        });
        let (lines, new) = goes_on.unwrap_or_else(|| (Rc::default(), body));
        match &last {
            Some((last, _)) if !Rc::ptr_eq(&last.lines, &lines) => {
                add_entries(new, &last.entries(), &mut lines.borrow_mut());
            }
            _ => add_entries(new, &[], &mut lines.borrow_mut()),
        }
        let count = lines.borrow().len();
        let version = Rc::new(Version { id: id.clone(), lines, count });
        self.last.keep(&id, (version.clone(), body.into()), body.len(), KEPT);
        Some((version, new.len()))
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
        let (actions, time, _) = postrider_referee::desk::parts(line);
        let side = line.split(' ').nth(1).unwrap_or_default();
        Self { side, actions, time: time.and_then(|time| Time::read(time.as_bytes())), signed }
    }
}
