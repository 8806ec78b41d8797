//! Records by the git objects that contain them, for commands that read many.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::rc::Rc;

use super::{Blob, Change, FileKind, GitError, Objects, is_record};
use postrider_referee::record::Frame;
use postrider_referee::verdict::Opened;

/// How many bytes of records are kept at a time, about; as many again were kept before them.
const KEPT: usize = 8 * 1024 * 1024;
/// How many headers are known by their ids.
const HEADERS: usize = 4096;

/// The ids in headers that were read: a header never changes, so it need not be read for each version.
#[derive(Default)]
pub(super) struct Ids(HashMap<Box<[u8]>, Option<Rc<str>>>);

impl Ids {
    /// Returns the id in a header with its lines of dashes; `None` if it is not valid.
    pub(super) fn of(&mut self, header: &[u8]) -> Option<Rc<str>> {
        if let Some(id) = self.0.get(header) {
            return id.clone();
        }
        let id: Option<Rc<str>> = Opened::new(header).ok().map(|opened| opened.header.id.as_ref().into());
        if self.0.len() >= HEADERS {
            self.0.clear();
        }
        self.0.insert(header.into(), id.clone());
        id
    }
}

/// What an object contains.
pub(super) struct GitRecord {
    pub(super) blob: Blob,
    /// The id in its header, if it is a record.
    pub(super) id: Option<Rc<str>>,
}

impl GitRecord {
    /// Returns the content of a file that is no larger than a record.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.blob {
            Blob::Bytes(bytes) => Some(bytes),
            Blob::TooLarge(_) | Blob::Other => None,
        }
    }
}

/// Reads records, and keeps those that will soon be needed again: what one commit wrote is what the next one changes.
pub(super) struct Records {
    pub(super) objects: Objects,
    kept: Kept,
}

#[derive(Default)]
struct Kept {
    ids: Ids,
    records: Generations<Rc<GitRecord>>,
}

/// What was made of objects, by their ids or those of their games. What was not kept lately is forgotten.
pub(super) struct Generations<T> {
    young: HashMap<String, (T, usize)>,
    old: HashMap<String, (T, usize)>,
    /// The bytes of the young ones.
    bytes: usize,
}

impl<T> Default for Generations<T> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), bytes: 0 }
    }
}

impl<T: Clone> Generations<T> {
    pub(super) fn get(&self, object: &str) -> Option<T> {
        self.young.get(object).or_else(|| self.old.get(object)).map(|(one, _)| one.clone())
    }

    /// Keeps what takes about so many bytes; about `most` bytes are kept at a time, and as many again from before them.
    pub(super) fn keep(&mut self, object: &str, one: T, bytes: usize, most: usize) {
        if self.bytes > most {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        let bytes = bytes + 256;
        self.bytes += bytes;
        if let Some((_, former)) = self.young.insert(object.to_owned(), (one, bytes)) {
            self.bytes -= former;
        }
    }
}

impl Records {
    pub(super) fn of(objects: Objects) -> Self {
        Self { objects, kept: Kept::default() }
    }

    /// Reads the records that these changes are about together, so that nobody waits for each answer, and passes them to `each` with
    /// their objects, as many at a time as are kept.
    pub(super) fn fetch<'a>(
        &mut self,
        changes: impl Iterator<Item = &'a Change>,
        mut each: impl FnMut(&[(&'a str, Rc<GitRecord>)]),
    ) -> Result<(), GitError> {
        let mut asked = HashSet::new();
        let sides = changes.filter(|change| is_record(&change.path)).flat_map(|change| [&change.old, &change.new]);
        let files = sides.filter(|(kind, _)| *kind == FileKind::File).map(|(_, object)| object.as_str());
        let new: Vec<&str> =
            files.filter(|&object| self.kept.records.get(object).is_none() && asked.insert(object)).collect();
        let (kept, mut bytes, mut read) = (&mut self.kept, 0, Vec::new());
        self.objects.read::<GitError>(&new, |place, blob| {
            bytes += length(&blob);
            read.push((new[place], kept.put(new[place], blob)));
            if bytes > KEPT {
                each(&read);
                read.clear();
                bytes = 0;
            }
            Ok(())
        })?;
        each(&read);
        Ok(())
    }

    /// Returns what an object contains.
    pub(super) fn get(&mut self, object: &str) -> Result<Rc<GitRecord>, GitError> {
        match self.kept.records.get(object) {
            Some(record) => Ok(record),
            None => Ok(self.kept.put(object, self.objects.one(object)?)),
        }
    }
}

impl Kept {
    fn put(&mut self, object: &str, blob: Blob) -> Rc<GitRecord> {
        let id = match &blob {
            Blob::Bytes(bytes) => Frame::of(bytes).ok().and_then(|frame| {
                let header = bytes.get(..frame.body.start as usize)?;
                self.ids.of(header)
            }),
            Blob::TooLarge(_) | Blob::Other => None,
        };
        let bytes = length(&blob);
        let record = Rc::new(GitRecord { blob, id });
        self.records.keep(object, record.clone(), bytes, KEPT);
        record
    }
}

fn length(blob: &Blob) -> usize {
    match blob {
        Blob::Bytes(bytes) => bytes.len(),
        Blob::TooLarge(_) | Blob::Other => 0,
    }
}
