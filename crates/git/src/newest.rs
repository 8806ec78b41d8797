//! The newest versions of records, by which the earlier ones are told without reading them.

use std::collections::HashMap;

use super::{GitError, Grown, Objects, Packs, Repository, is_record};
use referee::record::{Frame, RECORD_LIMIT};

/// How many bytes of newest versions are kept.
const KEPT: usize = 2 * RECORD_LIMIT;

/// The records at some commit, those of which are read that earlier versions are asked for.
pub(super) struct Newest {
    /// Their objects, by path.
    pub(super) tip: HashMap<Vec<u8>, String>,
    packs: Option<Packs>,
    /// Those that were read; `None` if one is not to be had.
    read: HashMap<Vec<u8>, Option<Grown>>,
    bytes: usize,
}

impl Newest {
    /// Those at a commit; none are read yet.
    pub(super) fn at(repository: &Repository, commit: &str) -> Result<Self, GitError> {
        let listed = repository.output(["ls-tree", "-r", "-z", "--full-tree", commit])?;
        let row = |row: &[u8]| {
            let at = row.iter().position(|&byte| byte == b'\t')?;
            let object = String::from_utf8_lossy(row.get(..at)?).split(' ').nth(2)?.to_owned();
            let path = row.get(at + 1..)?.to_vec();
            is_record(&path).then_some((path, object))
        };
        Ok(Self { tip: listed.split(|&byte| byte == 0).filter_map(row).collect(), ..Self::none() })
    }

    /// No records.
    pub(super) fn none() -> Self {
        Self { tip: HashMap::new(), packs: None, read: HashMap::new(), bytes: 0 }
    }

    /// Reads the newest versions of the records at these paths, as far as there is room for them.
    pub(super) fn read<'a>(
        &mut self,
        repository: &Repository,
        objects: &mut Objects,
        paths: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), GitError> {
        let mut missing: Vec<(&[u8], &str)> = Vec::new();
        for path in paths {
            if let Some(object) = self.tip.get(path)
                && self.bytes < KEPT
                && !self.read.contains_key(path)
            {
                self.read.insert(path.to_vec(), None);
                missing.push((path, object));
            }
        }
        if !missing.is_empty() {
            self.packs.get_or_insert_with(|| Packs::of(repository));
        }
        let ids: Vec<&str> = missing.iter().map(|(_, object)| *object).collect();
        let (read, bytes) = (&mut self.read, &mut self.bytes);
        objects.read(&ids, |place, blob| {
            if let (Some((path, object)), Some(text)) = (missing.get(place), blob.bytes()) {
                *bytes += text.len();
                let start = Frame::of(&text).map_or(0, |frame| frame.body.start as usize);
                read.insert(path.to_vec(), Some(Grown::new(object, text, start)));
            }
            Ok(())
        })
    }

    /// Returns the newest version of the record at a path, if it was read, and how long its beginning is that an object holds.
    pub(super) fn find(&mut self, path: &[u8], object: &str) -> Option<(&Grown, usize)> {
        let packs = self.packs.as_mut()?;
        let newest = self.read.get_mut(path)?.as_mut()?;
        let end = newest.find(object, packs)?;
        Some((newest, end))
    }

    /// The newest version of the record at a path, if it was read.
    pub(super) fn get(&mut self, path: &[u8]) -> Option<&mut Grown> {
        self.read.get_mut(path)?.as_mut()
    }
}
