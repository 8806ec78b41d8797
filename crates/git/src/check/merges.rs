//! A merge against all of its parents: what any of them has, the merge has, or goes on from. Where two of them have
//! different entries for one turn, it goes on from one of these.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::rc::Rc;

use super::super::records::GitRecord;
use super::super::{Change, Commit, FileKind, Log, Repository, is_record};
use super::findings::{ChangeKind, Finding, Why};
use super::{Check, CheckError, Depth, RecordAt, entry_line};
use postrider_referee::desk::merge::relation;
use postrider_referee::verdict::{Relation, Ruling};

impl Check<'_> {
    /// Checks what is staged, against all parents that the next commit will have.
    pub(super) fn staged(&mut self) -> Result<(), CheckError> {
        let repository = self.repository;
        let first = repository.staged()?;
        self.judge_ahead(first.iter())?;
        // The process that reads objects knows of a merge that was begun without another call of git.
        let is_begun = self.records.objects.one("MERGE_HEAD").is_ok();
        let others = match is_begun || Repository::is_within_merge() {
            true => repository.merging()?,
            false => Vec::new(),
        };
        if others.is_empty() {
            return self.changes(None, first, Depth::Judged);
        }
        self.changes(None, first.clone(), Depth::Merged)?;
        let parents = others.len() + 1;
        let mut merge = vec![Commit { parents, changes: first, ..Commit::default() }];
        for other in &others {
            merge.push(Commit { parents, changes: repository.staged_from(other)?, ..Commit::default() });
        }
        // As in a log, a parent from which it does not differ is left out.
        merge.retain(|parent| !parent.changes.is_empty());
        self.merge(&merge)
    }

    /// Checks each merge of a range.
    pub(super) fn merges(&mut self, range: &OsStr, known: &[String]) -> Result<(), CheckError> {
        let mut log = Log::of_merges(self.repository, &[range], known)?;
        let mut merge: Vec<Commit> = Vec::new();
        loop {
            let next = log.next_commit()?;
            if next.as_ref().is_none_or(|next| merge.first().is_some_and(|one| one.id != next.id)) {
                self.merge(&merge)?;
                merge.clear();
            }
            match next {
                Some(commit) => merge.push(commit),
                None => return Ok(()),
            }
        }
    }

    /// Checks a merge, given its changes compared with each parent from which it differs.
    fn merge(&mut self, merge: &[Commit]) -> Result<(), CheckError> {
        let Some(first) = merge.first() else { return Ok(()) };
        let (commit, parents) = (Some(first.id.as_str()).filter(|id| !id.is_empty()), first.parents);
        self.records.fetch(merge.iter().flat_map(|parent| &parent.changes), |_| {})?;
        // The records of each parent that are not there as they were, with what they are now.
        let mut pairs: Vec<(RecordAt, RecordAt)> = Vec::new();
        let mut come: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut told: HashSet<Vec<u8>> = HashSet::new();
        for parent in merge {
            let (gone, here) = self.sides(&parent.changes)?;
            here.iter().for_each(|new| *come.entry(new.path.clone()).or_default() += 1);
            for old in gone {
                let same = here.iter().find(|new| new.path == old.path && new.id == old.id);
                let new = same.or_else(|| here.iter().find(|new| old.id.is_some() && new.id == old.id));
                match new {
                    Some(new) => pairs.push((old, new.clone())),
                    None if told.insert(old.path.clone()) => {
                        self.removed(commit, &old, here.iter().find(|new| new.path == old.path))?;
                    }
                    None => {}
                }
            }
        }
        for (at, (old, new)) in pairs.iter().enumerate() {
            let (before, now) = (self.records.get(&old.object)?, self.records.get(&new.object)?);
            let (Some(before), Some(now)) = (before.bytes(), now.bytes()) else { continue };
            // What was not legal before need not be kept.
            if !self.verdicts.allows(&old.object, before) {
                continue;
            }
            let Ok(found) = relation(before, now) else { continue };
            let (missing, kept) = match &found {
                Relation::Same | Relation::Newer { .. } => continue,
                Relation::Older { entries } => (entry_line(before, *entries), false),
                _ => {
                    // A parent from which it does not differ there has the record as it is now.
                    let mut kept = come.get(&new.path).is_some_and(|&count| count < parents);
                    for (_, (other, _)) in pairs.iter().enumerate().filter(|(nth, _)| *nth != at) {
                        let other = self.records.get(&other.object)?;
                        kept |= other.bytes().is_some_and(|other| goes_on(other, now) && differs(before, other));
                    }
                    (None, kept)
                }
            };
            let entries = self.verdicts.entries(&old.object, before);
            let finding = Finding::of(commit, &new.path, ChangeKind::Changed).compared(&found, entries, missing);
            if kept {
                self.settled.push((old.object.clone(), new.object.clone()));
                // An illegal record was refused already.
                if self.verdicts.allows(&new.object, now) {
                    let entries = Some(self.verdicts.entries(&new.object, now));
                    self.tell(Finding { ruling: Some(Ruling::Legal), entries, ..finding.settled() })?;
                }
            } else if told.insert(new.path.clone()) {
                self.tell(finding.note(Why::OfBranch))?;
            }
        }
        Ok(())
    }

    /// Returns whether a merge of the range settled that `now` stands where `before` was.
    pub(super) fn is_settled(&mut self, before: &[u8], now: &[u8]) -> Result<bool, CheckError> {
        let mut reached = Vec::new();
        for (dropped, taken) in self.settled.clone() {
            let (dropped, taken) = (self.records.get(&dropped)?, self.records.get(&taken)?);
            let is_from = |dropped: &[u8]| {
                goes_on(before, dropped)
                    || reached.iter().any(|one: &Rc<GitRecord>| one.bytes().is_some_and(|one| goes_on(one, dropped)))
            };
            if dropped.bytes().is_some_and(is_from) {
                reached.push(taken);
            }
        }
        Ok(reached.iter().any(|one| one.bytes().is_some_and(|one| goes_on(one, now))))
    }

    /// The records that were there before some changes, and those that are there after them.
    fn sides(&mut self, changes: &[Change]) -> Result<(Vec<RecordAt>, Vec<RecordAt>), CheckError> {
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for change in changes.iter().filter(|change| is_record(&change.path)) {
            for ((kind, object), sides) in [(&change.old, &mut gone), (&change.new, &mut come)] {
                if *kind == FileKind::File {
                    let id = self.records.get(object)?.id.clone();
                    sides.push(RecordAt { path: change.path.clone(), object: object.clone(), id });
                }
            }
        }
        Ok((gone, come))
    }
}

/// Returns whether a record is the same as another one, or continues it.
fn goes_on(before: &[u8], now: &[u8]) -> bool {
    matches!(relation(before, now), Ok(Relation::Same | Relation::Newer { .. }))
}

/// Returns whether two records have different entries for one turn, so that none of them continues the other.
fn differs(one: &[u8], other: &[u8]) -> bool {
    matches!(
        relation(one, other),
        Ok(Relation::Fork(_) | Relation::Rewritten(_) | Relation::Dropped(_) | Relation::OtherHeader(_))
    )
}
