//! A game as it is shown, and what may be entered in it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::state::{Host, Player, State, host, players};
use super::verdict::{Fault, Key, faults};
use crate::render::sheet;
use postrider_kernel::scene::Scene;
use postrider_kernel::{Next, Side, Viewer};
use postrider_referee::verdict::{Opened, Ruling, Verdict, only_declared};

/// A game as it is shown, without anything that the viewer may not see.
#[derive(Clone, Debug, Serialize)]
pub struct Shown<'a> {
    #[serde(flatten)]
    state: State<'a>,
    verdict: &'static str,
    title: Option<&'a str>,
    players: BTreeMap<&'static str, Player>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Host>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    declared: BTreeMap<&'static str, Key>,
    viewer: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    foreseen: bool,
    last: Option<String>,
    left: Option<BTreeMap<&'static str, i64>>,
    position: String,
    words: Vec<String>,
    errors: Vec<Fault>,
}

impl<'a> Shown<'a> {
    /// Describes a game that was replayed. `left`: the seconds on each side's clock.
    #[must_use]
    pub fn of(
        path: &'a str,
        source: &[u8],
        opened: &'a Opened<'_>,
        verdict: &Verdict,
        viewer: Viewer,
        left: Option<BTreeMap<&'static str, i64>>,
    ) -> Self {
        let header = &opened.header;
        let declared = Side::BOTH.into_iter().zip(only_declared(opened));
        let declared = declared.filter_map(|(side, key)| Some((header.info.sides[side.index()].word, Key::of(&key?))));
        Self {
            state: State::of(path, header, &opened.table.standing()),
            verdict: verdict.ruling.word(),
            title: header.title.as_deref(),
            players: players(header),
            host: host(opened),
            declared: declared.collect(),
            viewer: if let Viewer::Side(side) = viewer { Some(header.info.sides[side.index()].word) } else { None },
            foreseen: false,
            last: sheet::last_entries(opened, 1).pop(),
            left,
            position: opened.table.position(),
            words: opened.table.view(viewer).words().lines().map(str::to_owned).collect(),
            errors: faults(source, verdict),
        }
    }

    /// Describes in words what the viewer opens next, which is not entered yet (Z12), in place of what has been entered.
    #[must_use]
    pub fn foreseeing(self, scene: &Scene) -> Self {
        Self { foreseen: true, words: scene.words().lines().map(str::to_owned).collect(), ..self }
    }
}

/// What may be entered, or may follow the beginning of an entry.
#[derive(Clone, Debug, Serialize)]
pub struct Listed<'a> {
    #[serde(flatten)]
    state: State<'a>,
    verdict: &'static str,
    begun: &'a str,
    whole: bool,
    moves: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

impl<'a> Listed<'a> {
    /// Describes what may follow what is `begun`.
    #[must_use]
    pub fn of(state: State<'a>, ruling: Ruling, begun: &'a str, next: Next, left_out: Option<u64>) -> Self {
        Self { state, verdict: ruling.word(), begun, whole: next.whole, moves: next.actions, left_out }
    }
}
