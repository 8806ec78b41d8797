//! What a change did to a record, and how it is reported.

use serde::Serialize;

use super::super::hints;
use super::{short, shown};
use crate::desk::receive::parted_in_words;
use crate::render::diagnostic;
use crate::text::{LineIndex, printable};
use crate::verdict::{Relation, Ruling, Verdict};

/// What is to be said of one path.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// The commit that made the change; none of what is only staged, and of what a push changes as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The path, what is no UTF-8 in it replaced.
    pub path: String,
    /// `added`, `changed`, `renamed` or `removed`.
    pub change: &'static str,
    /// The ruling on the record as it is now; none where there is none.
    pub verdict: Option<&'static str>,
    /// How many entries it has now.
    pub entries: Option<u32>,
    /// Whether the change is refused.
    pub refused: bool,
    /// Why, or what is worth knowing.
    pub why: Vec<String>,
    /// The first line that differs, as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The first line that differs, as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

impl Finding {
    pub(super) fn of(commit: Option<&str>, path: &[u8], change: &'static str) -> Self {
        Self {
            commit: commit.map(str::to_owned),
            path: String::from_utf8_lossy(path).into_owned(),
            change,
            verdict: None,
            entries: None,
            refused: false,
            why: Vec::new(),
            before: None,
            now: None,
        }
    }

    /// Refuses the change for a reason.
    pub(super) fn refuse(mut self, why: impl Into<String>) -> Self {
        self.refused = true;
        self.why.push(why.into());
        self
    }

    /// Says something that is no reason to refuse it.
    pub(super) fn note(mut self, what: impl Into<String>) -> Self {
        self.why.push(what.into());
        self
    }

    /// Adds the verdict on the record as it is now.
    pub(super) fn judged(mut self, source: &[u8], verdict: &Verdict) -> Self {
        self.verdict = Some(verdict.ruling.word());
        self.entries = Some(verdict.entries);
        if verdict.ruling != Ruling::Legal {
            self.refused = true;
            let index = LineIndex::new(source);
            self.why.extend(verdict.errors.iter().map(|error| {
                let place = index.place(error.span.start as usize);
                format!("{}:{}: {}", place.line, place.column, diagnostic::line(error, verdict.ruling.word()))
            }));
            if memchr::memmem::find(source, b"\n<<<<<<< ").is_some() {
                self.why.push(
                    "git has put marks of a conflict into it, as it does in a merge of several branches at once, without asking the \
                     driver: `git merge --abort`, then merge one branch after the other"
                        .to_owned(),
                );
            }
        }
        self
    }

    /// Adds how the record goes on from what was there before. `entries`: how many it has now.
    pub(super) fn compared(mut self, relation: &Relation, before: u32, first_missing: Option<String>) -> Self {
        match relation {
            Relation::Same | Relation::Newer { .. } => self,
            Relation::Older { entries } => {
                self.refused = true;
                self.why.push(format!(
                    "shortened: entry {} and what follows it are gone; there were {before} entries, there are {entries}",
                    entries + 1
                ));
                self.before = first_missing;
                self
            }
            Relation::OtherHeader(difference)
            | Relation::Rewritten(difference)
            | Relation::Dropped(difference)
            | Relation::Fork(difference) => {
                self.refused = true;
                self.why.push(match relation {
                    Relation::Fork(_) => {
                        format!("rewritten: from entry {} on it is another game than before", difference.place)
                    }
                    _ => parted_in_words(relation).map(|(why, _)| why).unwrap_or_default(),
                });
                self.before = Some(difference.here.clone());
                self.now = Some(difference.there.clone());
                self
            }
            Relation::OtherGame { here, there } => self.refuse(format!("the game {there} stands where {here} was")),
        }
    }

    /// The report for a person.
    pub(super) fn in_words(&self) -> String {
        let path = shown(self.path.as_bytes());
        let place = match &self.commit {
            Some(commit) => format!("{}: {path}", short(commit)),
            None => path,
        };
        let word = if self.refused { "refused" } else { self.change };
        let state = match (self.verdict, self.entries) {
            (Some(verdict), Some(1)) => format!("{verdict}, 1 entry"),
            (Some(verdict), Some(entries)) => format!("{verdict}, {entries} entries"),
            _ => String::new(),
        };
        let mut text = match (self.why.as_slice(), self.refused) {
            ([], _) => format!("{place}: {word}: {state}\n"),
            (why, true) => why.iter().map(|why| format!("{place}: {word}: {}\n", printable(why))).collect(),
            (why, false) => format!("{place}: {word}: {}\n", printable(&why.join("; "))),
        };
        let line = |text: &String| if text.is_empty() { "(nothing)".to_owned() } else { printable(text).into_owned() };
        if let Some(before) = &self.before {
            text.push_str(&format!("  before: {}\n", line(before)));
            text.push_str(&format!("  now:    {}\n", line(self.now.as_ref().unwrap_or(&String::new()))));
        }
        text
    }

    /// The exit code that it asks for.
    pub(super) fn code(&self) -> u8 {
        match (self.refused, self.verdict) {
            (_, Some("unjudged")) => hints::TROUBLE,
            (true, _) => hints::REFUSED,
            (false, _) => 0,
        }
    }
}
