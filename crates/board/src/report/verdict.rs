//! The verdict on a record as an object, and what is wrong as objects.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use postrider_kernel::Side;
use postrider_kernel::text::{Diagnostic, LineIndex};
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Ruling, Verdict};

/// The verdict on a record.
#[derive(Clone, Debug, Serialize)]
pub struct Report<'a> {
    /// The record's path, if it has one.
    pub path: Option<&'a str>,
    /// `legal`, `illegal`, `malformed` or `unjudged`.
    pub verdict: &'static str,
    /// The game's name.
    pub game: Option<&'static str>,
    /// How many entries are legal, from the first.
    pub entries: u32,
    /// The name of the side whose entry is due.
    pub due: Option<&'static str>,
    /// How the game ended.
    pub result: Option<String>,
    /// Who signs.
    pub signatures: Option<Signatures>,
    /// Warnings about a legal record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The time stamps of a legal record, if they were checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stamps: Vec<Value>,
    /// What is wrong.
    pub errors: Vec<Fault>,
}

/// Who signs a record.
#[derive(Clone, Debug, Serialize)]
pub struct Signatures {
    /// `all` or `newest`.
    pub checked: &'static str,
    /// The name of each side, and the key that has signed for it; in a hosted game that of the host for a side without one (Z38).
    pub keys: BTreeMap<&'static str, Option<Key>>,
    /// The keys that are declared and have signed nothing; they are not among `keys`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub declared: BTreeMap<&'static str, Key>,
    /// The key of the host, in a hosted game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Key>,
}

/// A public key.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    /// In base64.
    pub key: String,
    /// In the form in which people compare it.
    pub fingerprint: String,
}

impl Key {
    /// Describes a key.
    #[must_use]
    pub fn of(key: &PublicKey) -> Self {
        Self { key: key.text(), fingerprint: key.fingerprint() }
    }
}

/// What is wrong with a record or an entry.
#[derive(Clone, Debug, Serialize)]
pub struct Fault {
    /// The entry, from 1.
    pub entry: Option<u32>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
    /// The rule that is broken.
    pub rule: Option<&'static str>,
    /// What is wrong and what would be right.
    pub message: String,
    /// What would be legal, if that can be said; only in a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<String>,
    /// The line with a caret below what is wrong, as people see it, without colours; only in a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

impl Fault {
    /// A fault without a place.
    #[must_use]
    pub fn of_rule(rule: Option<&'static str>, message: String) -> Self {
        Self { entry: None, line: None, column: None, rule, message, legal: None, excerpt: None }
    }

    /// A fault with its place in a text.
    #[must_use]
    pub fn placed(error: &Diagnostic, index: &LineIndex<'_>) -> Self {
        let place = index.place(error.span.start as usize);
        let (line, column) = (Some(place.line), Some(place.column));
        Self { entry: error.entry, line, column, ..Self::of_rule(error.rule, error.line()) }
    }
}

/// Lists what is wrong according to a verdict, with places in the text that was judged.
#[must_use]
pub fn faults(source: &[u8], verdict: &Verdict) -> Vec<Fault> {
    let index = LineIndex::new(if verdict.errors.is_empty() { b"" } else { source });
    verdict.errors.iter().map(|error| Fault::placed(error, &index)).collect()
}

impl<'a> Report<'a> {
    /// Makes the report on a verdict about these bytes.
    #[must_use]
    pub fn of(path: Option<&'a str>, source: &[u8], verdict: &Verdict, warnings: Vec<String>) -> Self {
        Self {
            path,
            verdict: verdict.ruling.word(),
            game: verdict.game.map(|game| game.name),
            entries: verdict.entries,
            due: verdict.due.zip(verdict.game).map(|(side, game)| game.sides[side.index()].word),
            result: verdict.outcome.zip(verdict.game).map(|(outcome, game)| outcome.text(&game.sides)),
            signatures: verdict.signers.as_deref().zip(verdict.game).map(|(signers, game)| {
                let word = |side: Side| game.sides[side.index()].word;
                let declared = |side: Side| Some((word(side), Key::of(signers.silent(side)?)));
                Signatures {
                    checked: if signers.newest_only { "newest" } else { "all" },
                    keys: Side::BOTH.map(|side| (word(side), signers.signing(side).map(Key::of))).into(),
                    declared: Side::BOTH.into_iter().filter_map(declared).collect(),
                    host: signers.host.as_ref().map(Key::of),
                }
            }),
            warnings,
            stamps: Vec::new(),
            errors: faults(source, verdict),
        }
    }

    /// The same with the time stamps that were checked.
    #[must_use]
    pub fn with_stamps(self, stamps: &[impl Serialize]) -> Self {
        // What only consists of texts and numbers can be written.
        let stamps = stamps.iter().filter_map(|stamp| serde_json::to_value(stamp).ok()).collect();
        Self { stamps, ..self }
    }

    /// Makes the report on something that could not be judged at all.
    #[must_use]
    pub fn unjudged(path: Option<&'a str>, message: String) -> Self {
        Self {
            path,
            verdict: Ruling::Unjudged.word(),
            game: None,
            entries: 0,
            due: None,
            result: None,
            signatures: None,
            warnings: Vec::new(),
            stamps: Vec::new(),
            errors: vec![Fault::of_rule(None, message)],
        }
    }
}
