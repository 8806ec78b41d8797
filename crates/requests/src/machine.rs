//! The calls about games against the machine (E12): beginning one, what the machine enters, suggestions, taking back, and looking back
//! at a game that is over.

use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::Looked;
use super::game::{chosen, ended, refused, refused_entry};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_machine::review::{NoReview, Part, part, percent};
use postrider_machine::{opponent, practice};
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::facade::{Referee, open};
use postrider_referee::judging::{Beside, Judged};
use postrider_referee::record::Machine;
use postrider_referee::registry;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Opened, Ruling, Verdict};
use postrider_search::{Budget, LEVELS, Level, level_of};

/// A new practice game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Practice {
    game: String,
    /// The player's side.
    side: String,
    level: u8,
    seed: u64,
    /// Such as `2026-11-22`.
    started: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    setup: Option<String>,
}

/// What is to be thought about, and how much.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    record: String,
    /// The side that is to choose; it has to be the one that is due.
    side: Option<String>,
    level: Option<u8>,
    seed: Option<u64>,
    playouts: Option<u32>,
}

/// A look back, or a part of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookBack {
    record: String,
    #[serde(default = "usual_level")]
    level: u8,
    #[serde(default = "usual_seed")]
    seed: u64,
    first: Option<u32>,
    last: Option<u32>,
    carried: Option<i32>,
}

const fn usual_level() -> u8 {
    3
}

const fn usual_seed() -> u64 {
    1
}

/// How many playouts may be asked for.
const MOST_PLAYOUTS: u32 = 1_000_000;

/// The levels of the machine.
pub(super) fn levels() -> Vec<Value> {
    let told = |level: &Level| json!({ "number": level.number, "name": level.name, "about": level.about, "playouts": level.budget.playouts });
    LEVELS.iter().map(told).collect()
}

fn level(number: u8) -> Result<&'static Level, String> {
    level_of(number).ok_or_else(|| format!("`level` is from 1 to {}, not {number}", LEVELS.len()))
}

/// Begins a practice game.
pub(super) fn begin(begin: &Practice) -> Result<Value, String> {
    let refused = |message: String| json!({ "refused": { "message": message } });
    let Some(game) = registry::find(&begin.game) else {
        return Ok(refused(format!("there is no game `{}`", printable(&begin.game))));
    };
    let info = game.info();
    let Some(own) = info.side(&begin.side) else {
        return Ok(refused(format!("{} has no side `{}`", info.title, printable(&begin.side))));
    };
    let options = match chosen(info, &begin.options) {
        Ok(options) => options,
        Err(message) => return Ok(refused(message)),
    };
    let typed = begin.setup.as_deref().map(str::trim).filter(|setup| !setup.is_empty());
    let setup = match typed.map(|typed| game.setup(&options, typed, false)).transpose() {
        Ok(setup) => setup,
        Err(fault) => return Ok(refused(fault.to_string())),
    };
    let machine = Machine { side: own.other(), level: level(begin.level)?.number, seed: begin.seed };
    let text = practice::record(info, &machine, &begin.started, &options, setup.as_deref());
    let verdict = postrider_referee::verdict::verify(text.as_bytes());
    Ok(match verdict.ruling {
        Ruling::Legal => json!({ "record": text }),
        _ => refused(verdict.to_string()),
    })
}

/// The practice game in a record; what to answer if it is none.
fn practised(source: &[u8]) -> Result<(Referee<'_>, Machine), Value> {
    let referee = open(source).map_err(|verdict| refused(source, None, &Refusal::Record(verdict)))?;
    if referee.verdict().ruling != Ruling::Legal {
        let verdict = Box::new(postrider_referee::verdict::verify(source));
        return Err(refused(source, None, &Refusal::Record(verdict)));
    }
    match referee.record().header.machine {
        Some(machine) => Ok((referee, machine)),
        None => Err(no_help("this is a game against a person: the machine gives no help in it")),
    }
}

/// Why there is no help.
fn no_help(message: &str) -> Value {
    let text = rulebook::find("record").and_then(|book| book.section("E12"));
    json!({ "refused": { "message": message, "rule": "E12", "book": "record", "text": text } })
}

/// How much is to be thought, at a level if nothing else is said.
fn budget(think: &Think, usual: u8) -> Result<Budget, String> {
    let budget = level(think.level.unwrap_or(usual))?.budget;
    Ok(match think.playouts {
        None => budget,
        Some(playouts) => Budget { playouts: playouts.clamp(1, MOST_PLAYOUTS), ..budget },
    })
}

/// Whether another side than the one that is due was asked for.
fn is_other(think: &Think, referee: &Referee<'_>, due: Side) -> Result<bool, String> {
    let info = referee.record().header.info;
    let Some(word) = think.side.as_deref() else { return Ok(false) };
    let side = info.side(word).ok_or_else(|| format!("{} has no side `{}`", info.title, printable(word)))?;
    Ok(side != due)
}

/// What the machine would enter for the side that is due.
pub(super) fn choose(think: &Think) -> Result<Value, String> {
    let (referee, machine) = match practised(think.record.as_bytes()) {
        Ok(practised) => practised,
        Err(refused) => return Ok(refused),
    };
    let table = referee.record().table.as_ref();
    if is_other(think, &referee, table.standing().due.side)? {
        return Ok(json!({ "refused": { "message": "the other side is due" } }));
    }
    let seed = think.seed.unwrap_or(machine.seed);
    let thought = match (think.level, think.playouts) {
        (None, None) => practice::hint(table, seed, &mut || false),
        _ => opponent::think(table, &budget(think, machine.level)?, seed, &mut || false),
    };
    Ok(match thought {
        Some(thought) => json!({
            "actions": thought.chosen, "entry": thought.entry, "expects": percent(thought.expects), "forced": thought.is_forced,
            "playouts": thought.playouts,
        }),
        None => json!({ "actions": null }),
    })
}

/// What comes next without the player, with the record that it leads to.
pub(super) fn answer(think: &Think) -> Result<Value, String> {
    let (referee, machine) = match practised(think.record.as_bytes()) {
        Ok(practised) => practised,
        Err(refused) => return Ok(refused),
    };
    let table = referee.record().table.as_ref();
    if is_other(think, &referee, table.standing().due.side)? {
        return Ok(json!({ "record": null }));
    }
    let seed = think.seed.unwrap_or(machine.seed);
    let next = practice::unasked(table, machine.side, &budget(think, machine.level)?, seed, &mut || false);
    let Some(next) = next else { return Ok(json!({ "record": null })) };
    let judged = referee.judge(&next.entry, &Beside::default()).map_err(|stop| stop.to_string())?;
    let mut answer = added(&referee, &judged, true)?;
    answer["expects"] = next.expects.map(percent).into();
    Ok(answer)
}

/// An entry that was made, and the record with it if that is wanted.
pub(super) fn added(referee: &Referee<'_>, judged: &Judged, append: bool) -> Result<Value, String> {
    let info = referee.record().header.info;
    let mut answer = json!({
        "number": judged.number, "side": info.sides[judged.side.index()].word, "actions": judged.actions, "line": judged.line,
        "outcome": judged.table.standing().outcome.map(|outcome| outcome.text(&info.sides)),
        "end": judged.table.standing().outcome.map(|outcome| ended(outcome, &info.sides)),
    });
    if append {
        let record = referee.append(judged).map_err(|verdict| verdict.to_string())?;
        answer["record"] = String::from_utf8_lossy(&record).into();
    }
    Ok(answer)
}

/// Judges what the player of a practice game typed, with the dice and cards that the seed gives, and appends it if asked to.
pub(super) fn entered(source: &[u8], desk: &Desk<'_>, machine: Machine, typed: &str, append: bool) -> Value {
    let table = desk.opened.table.as_ref();
    if let Some(outcome) = table.standing().outcome {
        return refused(source, Some(desk), &Refusal::Over(outcome.text(&desk.opened.header.info.sides)));
    }
    let filled = match practice::filled(table, machine.seed, "", typed) {
        Ok(filled) => filled,
        Err(chance) => return json!({ "refused": { "message": chance.to_string() } }),
    };
    let stopped = |stop| {
        let verdict = Verdict::stopped(desk.opened.header.info, table, stop);
        refused_entry(Some(desk.opened.header.info), &filled, &verdict)
    };
    let referee = match open(source) {
        Ok(referee) => referee,
        Err(verdict) => return refused(source, Some(desk), &Refusal::Record(verdict)),
    };
    match referee.judge(&filled, &Beside::default()) {
        Ok(judged) => added(&referee, &judged, append).unwrap_or_else(|message| json!({ "error": message })),
        Err(stop) => stopped(stop),
    }
}

/// The record of a practice game without the player's last entry and all that came after it.
pub(super) fn taken_back(record: &str) -> Value {
    let machine = match practised(record.as_bytes()) {
        Ok((_, machine)) => machine,
        Err(refused) => return refused,
    };
    let left = practice::taken_back(record.as_bytes(), machine.side);
    json!({ "record": left.and_then(|left| record.get(..left.length)) })
}

/// Looks back at a game that is over, or at a part of it.
pub(super) fn review(look: &LookBack) -> Result<Value, String> {
    let source = look.record.as_bytes();
    let wanted = Part { first: look.first.unwrap_or(1), last: look.last.unwrap_or(u32::MAX), carried: look.carried };
    let info = match Opened::new(source) {
        Ok(opened) => opened.header.info,
        Err(verdict) => return Ok(refused(source, None, &Refusal::Record(verdict))),
    };
    let review = match part(source, level(look.level)?.budget, look.seed, wanted, &mut || true) {
        Ok(review) => review,
        Err(NoReview::Verdict(verdict)) => return Ok(refused(source, None, &Refusal::Record(verdict))),
        Err(NoReview::Running) => {
            return Ok(no_help(
                "the game goes on, and whoever looks ahead in a running game has help that the opponent has not",
            ));
        }
    };
    let entries = review.entries.iter().map(|entry| {
        let mut told = json!(Looked::of(info, entry));
        if entry.turn.is_some() {
            told["headline"] = entry.headline(info).into();
            told["says"] = entry.told(info).into();
        }
        told
    });
    Ok(json!({
        "entries": entries.collect::<Vec<_>>(),
        "of": review.of,
        "carried": review.carried,
        "hidden": review.hidden,
        "passed_over": review.passed_over,
        "untold": review.untold.iter().map(|side| info.sides[side.index()].word).collect::<Vec<_>>(),
    }))
}
