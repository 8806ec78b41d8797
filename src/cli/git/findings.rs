//! What a change did to a record, and how it is reported.

use serde::Serialize;

use super::super::hints;
use super::{short, shown};
use crate::desk::receive::parted_in_words;
use crate::render::diagnostic;
use crate::text::{LineIndex, printable};
use crate::verdict::{Relation, Ruling, Verdict};

/// A finding about one path.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// The commit that made the change; `None` for staged changes, and for what a push changes as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The path, with invalid UTF-8 replaced.
    pub path: String,
    /// `added`, `changed`, `renamed` or `removed`.
    pub change: &'static str,
    /// The ruling on the record as it is now, if there is one.
    pub verdict: Option<&'static str>,
    /// How many entries it has now.
    pub entries: Option<u32>,
    /// Whether the change is refused.
    pub refused: bool,
    /// Why, or what is worth knowing.
    pub why: Vec<String>,
    /// The first line that differs, before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The first line that differs, now.
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

    /// Refuses the change and gives a reason.
    pub(super) fn refuse(mut self, why: impl Into<String>) -> Self {
        self.refused = true;
        self.why.push(why.into());
        self
    }

    /// Adds a note that is not a reason to refuse it.
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
                    "it holds git's conflict markers, as after a merge of several branches at once, for which git does not ask the driver: \
                     `git merge --abort`, then merge one branch after the other"
                        .to_owned(),
                );
            }
        }
        self
    }

    /// Adds how the record continues from what was there before. `entries`: how many it has now.
    pub(super) fn compared(mut self, relation: &Relation, before: u32, first_missing: Option<String>) -> Self {
        match relation {
            Relation::Same | Relation::Newer { .. } => self,
            Relation::Older { entries } => {
                self.refused = true;
                self.why.push(format!(
                    "shortened: entry {} and what follows it are gone; it had {}, and has {entries} now",
                    entries + 1,
                    crate::text::entries(before)
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
                        format!("rewritten: from entry {} on it is a different game", difference.place)
                    }
                    _ => parted_in_words(relation).map(|(why, _)| why).unwrap_or_default(),
                });
                self.before = Some(difference.here.clone());
                self.now = Some(difference.there.clone());
                self
            }
            Relation::OtherGame { here, there } => self.refuse(format!("the game {there} is where {here} was")),
        }
    }

    /// Allows what a merge decided between branches that had different entries for one turn.
    pub(super) fn settled(mut self) -> Self {
        self.refused = false;
        self.why = vec![
            "two branches that this commit merges had different entries for one turn; it goes on from one of them"
                .to_owned(),
        ];
        self
    }

    /// Returns the report in words.
    pub(super) fn in_words(&self) -> String {
        let path = shown(self.path.as_bytes());
        let place = match &self.commit {
            Some(commit) => format!("{}: {path}", short(commit)),
            None => path,
        };
        let word = if self.refused { "refused" } else { self.change };
        let state = match (self.verdict, self.entries) {
            (Some(verdict), Some(entries)) => format!("{verdict}, {}", crate::text::entries(entries)),
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

    /// Returns the exit code for it.
    pub(super) fn code(&self) -> u8 {
        match (self.refused, self.verdict) {
            (_, Some("unjudged")) => hints::TROUBLE,
            (true, _) => hints::REFUSED,
            (false, _) => 0,
        }
    }
}
