//! What a change did to a record.

use std::fmt;
use std::rc::Rc;

use super::super::FileKind;
use postrider_board::render::diagnostic;
use postrider_home::receive::decision::parted_in_words;
use postrider_kernel::text::{LineIndex, entries};
use postrider_referee::verdict::{Relation, Ruling, Verdict};

/// What became of the record at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It was there already.
    Changed,
    /// It was elsewhere.
    Renamed,
    /// It is no longer there.
    Removed,
}

impl ChangeKind {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Removed => "removed",
        }
    }
}

impl From<FileKind> for ChangeKind {
    /// What becomes of a record at a path where this was before.
    fn from(old: FileKind) -> Self {
        if old == FileKind::Absent { Self::Added } else { Self::Changed }
    }
}

/// What stands where a record was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    Nothing,
    /// Something that is no record.
    NoRecord,
    /// The record of the game with this id.
    Game(Rc<str>),
}

/// Why a change is refused, or what is worth knowing about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// What has the name of a record is no file.
    NoFile(FileKind),
    /// It has so many bytes, more than a record may have.
    TooLarge(u64),
    /// A fault of the record, with its place.
    Fault(String),
    /// The record holds the lines with which git marks a conflict.
    ConflictMarkers,
    /// It has lost entries of those that it had.
    Shortened {
        /// How many there were.
        had: u32,
        /// How many there are.
        has: u32,
    },
    /// It does not continue what was there.
    Parted(Relation),
    /// A branch that a merge brings in had it as it was before.
    OfBranch,
    /// A merge decided between branches that had different entries for one turn.
    Settled,
    /// It was at this path.
    RenamedFrom(Vec<u8>),
    /// It was removed.
    Removed {
        /// The game's id.
        id: Rc<str>,
        /// What stands in its place.
        instead: Instead,
        allowed: bool,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile(FileKind::Link) => f.write_str("a symbolic link under the name of a record"),
            Self::NoFile(_) => f.write_str("another repository (a submodule) under the name of a record"),
            Self::TooLarge(length) => write!(f, "{length} bytes: a record has 4 MiB at most"),
            Self::Fault(text) => f.write_str(text),
            Self::ConflictMarkers => f.write_str(
                "it holds git's conflict markers, as after a merge of several branches at once, for which git does not ask the driver: \
                 `git merge --abort`, then merge one branch after the other",
            ),
            Self::Shortened { had, has } => write!(
                f,
                "shortened: entry {} and what follows it are gone; it had {}, and has {has} now",
                has + 1,
                entries(*had)
            ),
            Self::Parted(Relation::OtherGame { here, there }) => write!(f, "the game {there} is where {here} was"),
            Self::Parted(Relation::Fork(difference)) => {
                write!(f, "rewritten: from entry {} on it is a different game", difference.place)
            }
            Self::Parted(relation) => f.write_str(&parted_in_words(relation).map(|(why, _)| why).unwrap_or_default()),
            Self::OfBranch => f.write_str("a branch that this commit merges had it as it was before"),
            Self::Settled => f.write_str(
                "two branches that this commit merges had different entries for one turn; it goes on from one of them",
            ),
            Self::RenamedFrom(path) => write!(f, "renamed from {}", super::super::shown(path)),
            Self::Removed { id, instead, allowed } => {
                match instead {
                    Instead::Game(other) => write!(f, "the game {other} is where {id} was")?,
                    Instead::NoRecord => write!(f, "what is now where {id} was is not a record")?,
                    Instead::Nothing => write!(f, "the record of {id} is removed")?,
                }
                f.write_str(if *allowed { ", as you allow" } else { "" })
            }
        }
    }
}

/// A finding about one path.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The commit that made the change; `None` for staged changes, and for what a push changes as a whole.
    pub commit: Option<String>,
    pub path: Vec<u8>,
    /// What became of the record.
    pub change: ChangeKind,
    /// The ruling on the record as it is now, if there is one.
    pub ruling: Option<Ruling>,
    /// How many entries it has now.
    pub entries: Option<u32>,
    /// Whether the change is refused.
    pub refused: bool,
    /// Why, or what is worth knowing.
    pub why: Vec<Why>,
    /// The first line that differs, before.
    pub before: Option<String>,
    /// The first line that differs, now.
    pub now: Option<String>,
}

impl Finding {
    pub(super) fn of(commit: Option<&str>, path: &[u8], change: ChangeKind) -> Self {
        Self {
            commit: commit.map(str::to_owned),
            path: path.to_owned(),
            change,
            ruling: None,
            entries: None,
            refused: false,
            why: Vec::new(),
            before: None,
            now: None,
        }
    }

    /// Refuses the change and gives a reason.
    pub(super) fn refuse(mut self, why: Why) -> Self {
        self.refused = true;
        self.note(why)
    }

    /// Adds a note that is not a reason to refuse it.
    pub(super) fn note(mut self, what: Why) -> Self {
        self.why.push(what);
        self
    }

    /// Adds the verdict on the record as it is now.
    pub(super) fn judged(mut self, source: &[u8], verdict: &Verdict) -> Self {
        self.ruling = Some(verdict.ruling);
        self.entries = Some(verdict.entries);
        if verdict.ruling != Ruling::Legal {
            self.refused = true;
            let index = LineIndex::new(source);
            self.why.extend(verdict.errors.iter().map(|error| {
                let place = index.place(error.span.start as usize);
                let line = diagnostic::line(error, verdict.ruling.word());
                Why::Fault(format!("{}:{}: {line}", place.line, place.column))
            }));
            if memchr::memmem::find(source, b"\n<<<<<<< ").is_some() {
                self.why.push(Why::ConflictMarkers);
            }
        }
        self
    }

    /// Adds how the record continues from what was there before. `had`: how many entries it had.
    pub(super) fn compared(mut self, relation: &Relation, had: u32, first_missing: Option<String>) -> Self {
        match relation {
            Relation::Same | Relation::Newer { .. } => return self,
            Relation::Older { entries } => {
                self.before = first_missing;
                return self.refuse(Why::Shortened { had, has: *entries });
            }
            Relation::OtherHeader(difference)
            | Relation::Rewritten(difference)
            | Relation::Dropped(difference)
            | Relation::Fork(difference) => {
                self.before = Some(difference.here.clone());
                self.now = Some(difference.there.clone());
            }
            Relation::OtherGame { .. } => {}
        }
        self.refuse(Why::Parted(relation.clone()))
    }

    /// Allows what a merge decided between branches that had different entries for one turn.
    pub(super) fn settled(self) -> Self {
        Self { refused: false, why: vec![Why::Settled], ..self }
    }
}
