//! How a game stands, as objects that many reports share. `notation/schema/postrider.json` explains each.

use std::collections::BTreeMap;

use serde::Serialize;

use super::verdict::Key;
use postrider_kernel::{Info, Side};
use postrider_referee::judging::Standing;
use postrider_referee::record::Header;
use postrider_referee::sealing::Thrown;
use postrider_referee::verdict::{Opened, hosting};

/// How a game stands, in the terms that all commands use.
#[derive(Clone, Debug, Serialize)]
pub struct State<'a> {
    path: Option<&'a str>,
    game: &'static str,
    id: Option<&'a str>,
    entries: u32,
    due: Option<&'static str>,
    entry: Option<u32>,
    what: Option<&'static str>,
    offer: Option<&'static str>,
    result: Option<String>,
}

impl<'a> State<'a> {
    /// Returns the state of the game in a record that has been replayed.
    #[must_use]
    pub fn of(path: &'a str, header: &'a Header<'_>, standing: &Standing) -> Self {
        Self { path: Some(path), id: Some(&header.id), ..Self::without_record(header.info, standing) }
    }

    /// Returns the state of a game without a record.
    #[must_use]
    pub fn without_record(info: &'static Info, standing: &Standing) -> Self {
        let word = |side: Side| info.sides[side.index()].word;
        let goes_on = standing.outcome.is_none();
        Self {
            path: None,
            game: info.name,
            id: None,
            entries: standing.entries,
            due: goes_on.then(|| word(standing.due.side)),
            entry: goes_on.then(|| standing.entries.saturating_add(1)),
            what: goes_on.then_some(standing.due.what),
            offer: standing.offer.map(word),
            result: standing.outcome.map(|outcome| outcome.text(&info.sides)),
        }
    }
}

/// A player of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Player {
    name: String,
    email: Option<String>,
}

/// The players, by the names of their sides.
#[must_use]
pub fn players(header: &Header<'_>) -> BTreeMap<&'static str, Player> {
    let player = |side: Side| {
        let player = header.player(side);
        let email = player.email.as_deref().map(str::to_owned);
        (header.info.sides[side.index()].word, Player { name: player.name.to_string(), email })
    };
    Side::BOTH.into_iter().map(player).collect()
}

/// The host of a game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Host {
    #[serde(flatten)]
    person: Player,
    #[serde(flatten)]
    key: Key,
    signs_for: Vec<&'static str>,
    could_know: Option<String>,
}

/// The host, in a hosted game.
#[must_use]
pub(crate) fn host(opened: &Opened<'_>) -> Option<Host> {
    let host = opened.header.host.as_deref()?;
    let signs_for = opened.header.info.sides.iter().zip(hosting::kept(opened));
    let signs_for = signs_for.filter_map(|(side, kept)| kept.then_some(side.word)).collect();
    let person = Player { name: host.name.to_string(), email: host.email.as_deref().map(str::to_owned) };
    Some(Host { person, key: Key::of(&host.key), signs_for, could_know: hosting::could_know(opened) })
}

/// Dice that were thrown.
#[derive(Clone, Debug, Serialize)]
pub struct Throw<'a> {
    label: &'a str,
    entry: u32,
    dice: &'a [u32],
    faces: &'a [u32],
}

impl<'a> Throw<'a> {
    /// Describes a throw.
    #[must_use]
    pub fn of(one: &'a Thrown) -> Self {
        Self { label: &one.label, entry: one.entry, dice: &one.dice, faces: &one.faces }
    }
}

/// How a match between two players ended.
#[derive(Clone, Debug, Serialize)]
pub struct MatchResult {
    /// How many games the first player won.
    pub a: u32,
    /// How many the second one won.
    pub b: u32,
    /// How many were drawn.
    pub draws: u32,
    /// How many were played.
    pub games: u32,
    /// How many entries they had together.
    pub entries: u64,
}
