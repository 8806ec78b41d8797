//! Versions of records, by the objects that hold them.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::super::hints::Failure;
use crate::git::{Blob, Objects};
use crate::record::{Frame, Time};
use crate::verdict::Opened;

/// How many bytes of versions are kept at a time, about.
const KEPT: usize = 16 * 1024 * 1024;

/// A record as a commit had it: its game's id, and the lines of its entries with their signatures.
#[derive(Debug)]
pub(super) struct Version {
    pub id: Rc<str>,
    pub entries: Vec<Rc<str>>,
}

/// Reads versions, and keeps those that will soon be needed again: a version is first the result of a commit, then what
/// the next one changes.
pub(super) struct Versions {
    pub objects: Objects,
    kept: HashMap<String, Option<Rc<Version>>>,
    bytes: usize,
    /// Lines that stand in many versions are kept once.
    last: HashMap<Rc<str>, Rc<Version>>,
}

impl Versions {
    pub(super) fn of(objects: Objects) -> Self {
        Self { objects, kept: HashMap::new(), bytes: 0, last: HashMap::new() }
    }

    /// The version that an object holds; nothing where it holds no record with a header that fits.
    pub(super) fn get(&mut self, object: &str) -> Result<Option<Rc<Version>>, Failure> {
        if let Some(version) = self.kept.get(object) {
            return Ok(version.clone());
        }
        let version = match self.objects.one(object)? {
            Blob::Bytes(bytes) => {
                if self.bytes > KEPT {
                    self.kept.clear();
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
        self.kept.insert(object.to_owned(), version.clone());
        Ok(version)
    }

    fn read(&self, bytes: &[u8]) -> Option<Version> {
        let start = Frame::of(bytes).ok()?.body.start as usize;
        let (header, body) = bytes.split_at_checked(start)?;
        let id: Rc<str> = Opened::new(header).ok()?.header.id.as_ref().into();
        let last = self.last.get(&id);
        let mut entries: Vec<Rc<str>> = Vec::new();
        let mut text = String::new();
        let keep = |entries: &mut Vec<Rc<str>>, text: &mut String| {
            if text.is_empty() {
                return;
            }
            let known = last.and_then(|last| last.entries.get(entries.len())).filter(|line| ***line == **text);
            entries.push(known.cloned().unwrap_or_else(|| text.as_str().into()));
            text.clear();
        };
        for line in body.split(|&byte| byte == b'\n') {
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
        Some(Version { id, entries })
    }
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
