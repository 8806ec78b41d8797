//! Versions of records that are beginnings of a legal newest one, so that they need not be read.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::newest::Newest;
use super::super::records::entry_starts;
use super::super::{Change, FileKind, GitError, Objects, Repository, is_record};
use archive::held::id;
use referee::verdict::{Ruling, verify};

/// A history of so many versions is read as it is, which also shows what is damaged in it.
const SHORT: usize = 512;

/// A version that is told by the newest one.
pub(super) struct Known {
    pub(super) id: Rc<str>,
    /// Of which record it is a beginning, and of which length.
    newest: Rc<Legal>,
    length: usize,
}

/// A newest version that is legal.
struct Legal {
    id: Rc<str>,
    /// Where its entries begin.
    begins: Vec<usize>,
}

/// What is told by the newest versions of records in a range.
pub(super) struct KnownBeginnings {
    repository: Repository,
    /// The last commit of the range, and its records once they are needed.
    end: Option<String>,
    newest: Option<Newest>,
    legal: HashMap<Vec<u8>, Option<Rc<Legal>>>,
    known: HashMap<String, Known>,
    asked: usize,
}

impl KnownBeginnings {
    pub(super) fn of(repository: &Repository) -> Self {
        let repository = repository.clone();
        Self { repository, end: None, newest: None, legal: HashMap::new(), known: HashMap::new(), asked: 0 }
    }

    /// Begins a range that ends at this commit.
    pub(super) fn ends_at(&mut self, commit: &str) {
        self.end = Some(commit.to_owned());
        self.newest = None;
        self.legal.clear();
        self.known.clear();
        self.asked = 0;
    }

    /// Finds out which objects in these changes are beginnings of legal records; returns them with their numbers of entries.
    pub(super) fn tell<'a>(
        &mut self,
        objects: &mut Objects,
        changes: impl Iterator<Item = &'a Change> + Clone,
    ) -> Result<Vec<(String, u32)>, GitError> {
        let mut told = Vec::new();
        let records = changes.filter(|change| is_record(&change.path));
        self.asked += records.clone().count();
        let Some(end) = self.end.as_deref().filter(|_| self.asked > SHORT) else { return Ok(told) };
        let newest = match &mut self.newest {
            Some(newest) => newest,
            none => none.insert(Newest::at(&self.repository, end)?),
        };
        newest.read(&self.repository, objects, records.clone().map(|change| change.path.as_slice()))?;
        for change in records {
            for (kind, object) in [&change.old, &change.new] {
                if *kind != FileKind::File || self.known.contains_key(object) {
                    continue;
                }
                let Some((found, length)) = newest.find(&change.path, object) else { continue };
                let text = found.text();
                if !self.legal.contains_key(&change.path) {
                    self.legal.insert(change.path.clone(), legal(text).map(Rc::new));
                }
                let Some(legal) = self.legal.get(&change.path).and_then(Option::as_ref) else { continue };
                let (first, rest) = text.split_at(length.min(text.len()));
                let starts = legal.begins.first().is_some_and(|&first| first < length);
                if rest.is_empty() || starts && first.ends_with(b"\n") && next_is_entry(rest) {
                    let entries = legal.begins.partition_point(|&begin| begin < length);
                    told.push((object.clone(), u32::try_from(entries).unwrap_or(u32::MAX)));
                    let known = Known { id: legal.id.clone(), newest: legal.clone(), length };
                    self.known.insert(object.clone(), known);
                }
            }
        }
        Ok(told)
    }

    /// What is known of an object.
    pub(super) fn get(&self, object: &str) -> Option<&Known> {
        self.known.get(object)
    }

    /// Returns whether a version is known to go on from another one.
    pub(super) fn goes_on(&self, before: &str, now: &str) -> bool {
        let both = self.known.get(before).zip(self.known.get(now));
        both.is_some_and(|(before, now)| Rc::ptr_eq(&before.newest, &now.newest) && before.length <= now.length)
    }
}

/// Returns whether an entry comes next, or only remarks before one: what belongs to the entry before, or ends the record, does not.
fn next_is_entry(rest: &[u8]) -> bool {
    let mut lines = rest.split(|&byte| byte == b'\n').filter(|line| line.first() != Some(&b'#'));
    lines.next().and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

/// Judges a newest version. `None`: it is not legal, or not all of its signatures were checked, so that a beginning of it need not be
/// legal.
fn legal(text: &[u8]) -> Option<Legal> {
    let verdict = verify(text);
    if verdict.ruling != Ruling::Legal || verdict.signers.as_ref().is_some_and(|signers| signers.newest_only) {
        return None;
    }
    Some(Legal { id: id(text)?.into(), begins: entry_starts(text)?.collect() })
}
