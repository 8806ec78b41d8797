//! The verdicts on records, by the objects that contain them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::records::GitRecord;
use postrider_referee::record::Frame;
use postrider_referee::verdict::{Ruling, Verdict, verify};

/// How many faults are kept with the verdicts on records.
const FAULTS: usize = 20_000;

/// Verdicts, so that a record is judged only once.
#[derive(Default)]
pub(super) struct Verdicts {
    judged: HashMap<String, Rc<Verdict>>,
    /// The objects that are beginnings of legal records.
    beginnings: HashSet<String>,
    /// How many faults are kept with the verdicts.
    faults: usize,
}

impl Verdicts {
    /// Judges those of these records that were not judged yet, on all processors.
    pub(super) fn judge_ahead<'a>(&mut self, records: impl Iterator<Item = &'a (&'a str, Rc<GitRecord>)>) {
        let new = records.filter(|(object, _)| !self.is_known(object));
        let mut texts: Vec<(&str, &[u8])> =
            new.filter_map(|(object, record)| Some((*object, record.bytes()?))).collect();
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
        let judge = |texts: &[(&str, &[u8])]| {
            postrider_disk::walking::map(texts, |(object, bytes)| ((*object).to_owned(), verify(bytes)))
        };
        let judged = judge(&whole);
        let mut left = Vec::new();
        for (place, (object, bytes)) in begun {
            let is_legal = judged.get(place).is_some_and(|(_, verdict)| {
                // Of many signatures only the newest are checked, and a beginning has others.
                let all = verdict.signers.as_ref().is_none_or(|signers| !signers.newest_only);
                verdict.ruling == Ruling::Legal && all
            });
            if is_legal {
                self.beginnings.insert(object.to_owned());
            } else {
                left.push((object, bytes));
            }
        }
        for (object, verdict) in judged.into_iter().chain(judge(&left)) {
            self.keep(&object, verdict);
        }
    }

    /// The verdict on a record, which is judged if it has not been yet.
    pub(super) fn of(&mut self, object: &str, bytes: &[u8]) -> Rc<Verdict> {
        match self.judged.get(object) {
            Some(verdict) => verdict.clone(),
            None => self.keep(object, verify(bytes)),
        }
    }

    /// Whether a record was judged and is legal.
    pub(super) fn is_legal(&self, object: &str) -> bool {
        self.beginnings.contains(object)
            || self.judged.get(object).is_some_and(|verdict| verdict.ruling == Ruling::Legal)
    }

    /// Whether a record is legal, which is judged if it has not been yet.
    pub(super) fn allows(&mut self, object: &str, bytes: &[u8]) -> bool {
        self.is_legal(object) || self.of(object, bytes).ruling == Ruling::Legal
    }

    /// How many entries a record has, those before the first fault if it is not legal.
    pub(super) fn entries(&mut self, object: &str, bytes: &[u8]) -> u32 {
        if self.beginnings.contains(object) {
            postrider_archive::held::entries(bytes)
        } else {
            self.of(object, bytes).entries
        }
    }

    fn is_known(&self, object: &str) -> bool {
        self.judged.contains_key(object) || self.beginnings.contains(object)
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
}

/// Returns whether a record ends where another one has its next entry, or remarks before it, and is the same up to there, byte for
/// byte.
pub(super) fn is_beginning(record: &[u8], longer: &[u8]) -> bool {
    record.ends_with(b"\n") && longer.strip_prefix(record).is_some_and(next_is_entry) && Frame::of(record).is_ok()
}

/// Returns whether an entry comes next, or only remarks before one: what belongs to the entry before, or ends the record, does not.
fn next_is_entry(rest: &[u8]) -> bool {
    let mut lines = rest.split(|&byte| byte == b'\n').filter(|line| line.first() != Some(&b'#'));
    lines.next().and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}
