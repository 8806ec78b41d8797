//! The calls about one game: beginning it, opening it, looking at it, composing an entry and judging it.

use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::judged::{book_of, judged};
use super::machine;
use postrider_board::picture;
use postrider_board::picture::Picture;
use postrider_board::render::{diagnostic, sheet};
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::scene::{self, Board, Piece, Scene, square};
use postrider_kernel::text::LineIndex;
use postrider_kernel::{Info, Next, Options, Outcome, Side, SideName, Viewer};
use postrider_machine::{opponent, practice};
use postrider_referee::desk::begin::{Beginning, begin as header};
use postrider_referee::desk::block::Block;
use postrider_referee::desk::effects::effects;
use postrider_referee::desk::export::{Wanted, rows};
use postrider_referee::desk::scenes::scenes;
use postrider_referee::desk::{Desk, Entered, EntryRequest, NoKeyStore, Refusal, parts, reply_line};
use postrider_referee::facade;
use postrider_referee::judging::{Beside, Stop, Table, in_brief, in_words};
use postrider_referee::record::{Secrecy, Time};
use postrider_referee::registry;
use postrider_referee::rulebook;
use postrider_referee::sealing::Check;
use postrider_referee::verdict::{Opened, Ruling, Verdict, only_declared};

/// A new record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// The game's name.
    pub game: String,
    /// The id of the new game.
    pub id: String,
    /// The players by the name of the side.
    pub players: BTreeMap<String, Person>,
    /// Such as `2026-11-22`.
    pub started: String,
    pub title: Option<String>,
    /// The clock, as the header states it.
    pub clock: Option<String>,
    /// The options that are not left at their defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The position to begin from.
    pub setup: Option<String>,
}

/// A player of a new record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    pub name: String,
    /// The mail address.
    pub email: Option<String>,
}

/// Which position to show, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The text of the record.
    pub record: String,
    /// After which entry; by default the last one.
    pub at: Option<u32>,
    /// The beginning of the next entry, which is tried on top of it.
    #[serde(default)]
    pub begun: String,
    /// The name of the side at the bottom of the board.
    pub from: Option<String>,
    /// `colour`, `print`, `dark` or `classes`.
    pub look: Option<String>,
    /// What is to be pointed out in it, if the game can: the square of a Portal for its zone, that of a stack for its tokens.
    pub mark: Option<String>,
}

/// An entry to try.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// The text of the record.
    pub record: String,
    /// The actions as typed.
    pub typed: String,
    /// A message to the opponent.
    pub message: Option<String>,
    /// Such as `2026-11-21T10:15:00Z`. Without it, an entry in a record whose entries have times takes the time of the
    /// last one.
    pub time: Option<String>,
}

/// Begins a record for open play.
pub(super) fn begin(begin: &Begin) -> Value {
    let refused = |message: String| json!({ "refused": { "message": message } });
    let Some(game) = registry::find(&begin.game) else {
        return refused(format!("there is no game `{}`", begin.game));
    };
    let info = game.info();
    let options = match chosen(info, &begin.options) {
        Ok(options) => options,
        Err(message) => return refused(message),
    };
    let mut players = Vec::new();
    for side in info.sides {
        match begin.players.get(side.word) {
            Some(person) if !person.name.trim().is_empty() => {
                players.push((person.name.trim(), person.email.as_deref(), None))
            }
            _ => return refused(format!("{} {} no name", side.named(), side.verb("have", "has"))),
        }
    }
    let [first, second] = players.as_slice() else { return refused("two players are needed".into()) };
    let typed = begin.setup.as_deref().map(str::trim).filter(|setup| !setup.is_empty());
    // What cannot be read stays as typed: the verdict on the record says why.
    let setup = typed.map(|typed| game.setup(&options, typed, false).unwrap_or_else(|_| typed.to_owned()));
    let text = header(&Beginning {
        info,
        id: &begin.id,
        players: [first.clone(), second.clone()],
        started: &begin.started,
        host: None,
        title: begin.title.as_deref().map(str::trim).filter(|title| !title.is_empty()),
        clock: begin.clock.as_deref().map(str::trim).filter(|clock| !clock.is_empty()),
        options: &options,
        setup: setup.as_deref(),
        sealed: false,
        own_fields: "",
    });
    let verdict = postrider_referee::verdict::verify(text.as_bytes());
    if verdict.ruling == Ruling::Legal {
        let notice = Opened::new(text.as_bytes()).ok().and_then(|opened| opened.table.notice());
        json!({ "record": text, "notice": notice })
    } else {
        json!({ "refused": { "message": verdict.to_string() }, "verdict": judged(text.as_bytes(), &verdict) })
    }
}

/// The options of a new game.
pub(super) fn chosen(info: &Info, asked: &BTreeMap<String, String>) -> Result<Options, String> {
    let mut options = Options::default();
    for (name, value) in asked {
        if options.choose(info.options, name, value).is_err() {
            let known = info.options.iter().find(|option| option.name == name).map(|option| option.values.describe());
            return Err(match known {
                Some(values) => format!("the option `{name}` is {values}, not `{value}`"),
                None => format!("{} has no option `{name}`", info.title),
            });
        }
    }
    Ok(options)
}

/// How many entries are listed. The longest real game that is known has some hundreds.
const MOST_ENTRIES: u32 = 50_000;

/// The record as it was after an entry; whole if none is named, or if nothing of it can be replayed.
fn until(source: &[u8], at: Option<u32>) -> Result<&[u8], String> {
    let Some(at) = at else { return Ok(source) };
    let Ok(left) = facade::until(source, at) else { return Ok(source) };
    match facade::open(left).map(|referee| referee.standing().entries) {
        Ok(entries) if entries < at => Err(no_entry(at, entries)),
        _ => Ok(left),
    }
}

fn no_entry(at: u32, entries: u32) -> String {
    let ones = if entries == 1 { "entry" } else { "entries" };
    format!("there is no entry {at}: the record has {entries} legal {ones}")
}

/// Lists what may be entered.
pub(super) fn moves(source: &[u8], at: Option<u32>) -> Result<Value, String> {
    Ok(match facade::open(until(source, at)?) {
        Ok(referee) if referee.due().is_none() => json!({ "moves": [] }),
        Ok(referee) => json!({ "moves": referee.moves() }),
        Err(verdict) => refused(source, None, &Refusal::Record(verdict)),
    })
}

/// Opens a record as far as it is legal.
pub(super) fn open(source: &[u8], at: Option<u32>) -> Result<Value, String> {
    let source = until(source, at)?;
    let mut answer = opened(source)?;
    if at.is_some() {
        answer["record"] = String::from_utf8_lossy(source).into();
    }
    Ok(answer)
}

fn opened(source: &[u8]) -> Result<Value, String> {
    let mut opened = match Opened::with_chain(source) {
        Ok(opened) => opened,
        Err(verdict) => return Ok(json!({ "verdict": judged(source, &verdict), "game": null })),
    };
    let verdict = opened.replay(u32::MAX);
    let nothing_stands =
        verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none());
    if nothing_stands {
        return Ok(json!({ "verdict": judged(source, &verdict), "game": null }));
    }
    if verdict.entries > MOST_ENTRIES {
        let count = verdict.entries;
        return Err(format!(
            "the record has {count} entries, and at most {MOST_ENTRIES} are listed; `verify` judges it"
        ));
    }
    let header = &opened.header;
    let info = header.info;
    let standing = opened.table.standing();
    let word = |side: Side| info.sides[side.index()].word;
    // In a practice game one is told no more of the machine's entries than in sealed play, until the game is over.
    let hidden = header.machine.filter(|_| standing.outcome.is_none()).map(|machine| word(machine.side));
    let told = |side: &str, actions: &str| match hidden {
        Some(hidden) if hidden == side => opponent::veiled(opened.table.as_ref(), actions),
        _ => actions.to_owned(),
    };
    let list = rows(None, source, Wanted { addresses: true, entries: true, ..Wanted::default() });
    let entries = list.entries.iter().take(verdict.entries as usize).map(|row| {
        json!({
            "number": row.number, "side": row.side, "actions": row.actions, "brief": sheet::in_brief(&row.actions), "time": row.time,
            "told": told(row.side, &row.actions), "message": row.message, "left": row.clock_left.map(in_brief),
        })
    });
    let declared = only_declared(&opened);
    let players = Side::BOTH.map(|side| {
        let player = header.player(side);
        json!({
            "side": word(side), "name": player.name, "email": player.email,
            // It may have come with the side's first entry (E10).
            "key": opened.table.signatures().and_then(|signatures| signatures.own_key(side)).map(|key| key.fingerprint()),
            "signed": declared[side.index()].is_none(),
        })
    });
    let why_not = why_not(&opened, &verdict);
    let clocks = standing.clocks.map(|clocks| {
        let left = Side::BOTH.map(|side| json!({ "side": word(side), "left": in_words(clocks.left(side)) }));
        json!({ "left": left, "deadline": clocks.deadline(standing.due.side).map(|time| time.to_string()) })
    });
    let options: BTreeMap<_, _> = header.options.iter().collect();
    Ok(json!({
        "verdict": judged(source, &verdict),
        "game": { "name": info.name, "title": info.title, "sides": info.sides.map(|side| side.word), "stepwise": info.stepwise },
        "id": header.id,
        "title": header.title,
        "started": header.started.to_string(),
        "players": players,
        "options": options,
        "sealed": header.secrecy == Secrecy::Sealed,
        "hosted": header.host.is_some(),
        "entries": entries.collect::<Vec<_>>(),
        "due": standing.outcome.is_none().then(|| word(standing.due.side)),
        "result": standing.outcome.map(|outcome| outcome.text(&info.sides)),
        "standing": {
            "entries": standing.entries,
            "due": standing.outcome.is_none().then(|| word(standing.due.side)),
            "what": standing.due.what,
            "task": standing.due.task,
            "outcome": standing.outcome.map(|outcome| outcome.text(&info.sides)),
            "end": standing.outcome.map(|outcome| ended(outcome, &info.sides)),
            "offer": standing.offer.map(word),
            "clocks": clocks,
            "last": standing.last.map(|time| time.to_string()),
            "timed": standing.timed.unwrap_or(true) || header.clock.is_some(),
        },
        "practice": header.machine.map(|machine| json!({
            "side": word(machine.side), "own": word(machine.side.other()), "level": machine.level, "seed": machine.seed,
        })),
        "playable": why_not.is_none(),
        "why_not": why_not,
    }))
}

/// How a game has ended, as data: the side that has won, unless it is a draw, and the reason.
#[must_use]
pub fn ended(outcome: Outcome, sides: &[SideName; 2]) -> Value {
    match outcome {
        Outcome::Win(side, reason) => json!({ "winner": sides[side.index()].word, "reason": reason }),
        Outcome::Draw(reason) => json!({ "winner": null, "reason": reason }),
    }
}

/// Says why the game cannot be played without a secret or a key.
fn why_not(opened: &Opened<'_>, verdict: &Verdict) -> Option<&'static str> {
    let signed = opened
        .table
        .signatures()
        .is_some_and(|signatures| Side::BOTH.into_iter().any(|side| signatures.key(side).is_some()));
    if verdict.ruling != Ruling::Legal {
        Some("the record is not legal, so nothing can follow")
    } else if opened.table.standing().outcome.is_some() {
        Some("the game is over")
    } else if opened.header.host.is_some() {
        Some("a host keeps this game, and enters for its players: reply to its letter with your move")
    } else if opened.header.secrecy == Secrecy::Sealed {
        Some(
            "its dice and hidden things are sealed by a secret, which is kept only where you keep your games: play it there",
        )
    } else if signed {
        Some("its moves are signed with a key, which is kept only where you keep your games: play it there")
    } else {
        None
    }
}

/// Who looks at a record: everybody, and in a practice game its player.
fn viewer(opened: &Opened<'_>) -> Viewer {
    opened.header.machine.map_or(Viewer::Public, |machine| Viewer::Side(machine.side.other()))
}

/// What was begun; in a practice game with the dice and cards that its seed gives.
fn begun_in<'a>(opened: &Opened<'_>, begun: &'a str) -> Cow<'a, str> {
    match opened.header.machine {
        Some(machine) => {
            practice::filled(opened.table.as_ref(), machine.seed, "", begun).map_or(begun.into(), Into::into)
        }
        None => begun.into(),
    }
}

/// Shows a position as everybody sees it, and in a practice game as its player does.
pub(super) fn position(look: &Look) -> Result<Value, String> {
    let source = look.record.as_bytes();
    let mut opened = Opened::new(source).map_err(|verdict| verdict.to_string())?;
    opened.table.set_check(Check::Nothing);
    let info = opened.header.info;
    let from = match &look.from {
        Some(word) => info.side(word).ok_or_else(|| format!("{} has no side `{word}`", info.title))?,
        None => Side::First,
    };
    let at = match look.at {
        Some(at) => at,
        None => Opened::new(source).map_err(|verdict| verdict.to_string())?.replay(u32::MAX).entries,
    };
    let viewer = viewer(&opened);
    let mut shown = None;
    let take = |_, scene| shown = Some(scene);
    let _: Result<(), std::convert::Infallible> = scenes(&mut opened, (at, at), viewer, |_| Ok(()), |_| true, take);
    let entry = opened.table.standing().entries;
    let mut scene = shown.ok_or_else(|| no_entry(at, entry))?;
    let mut line = opened.table.position();
    if let Some(marked) = look.mark.as_deref().and_then(|mark| opened.table.marked(viewer, mark)) {
        scene = marked;
    } else if !look.begun.trim().is_empty() {
        let beside = Beside::to_try(&opened.table.standing());
        let begun = begun_in(&opened, &look.begun);
        let seen = opened.table.read(&begun).ok().and_then(|typed| typed.seen(&beside));
        let Some(after) = seen else {
            return Err("this cannot be entered here, or not without what follows it".into());
        };
        scene = then(&opened, &scene, after.as_ref(), viewer, &begun);
        line = after.position();
    }
    let title = format!("{}, after entry {entry}", info.title);
    let look = look.look.as_deref();
    illustrated(&Shown { scene: &scene, sides: &info.sides, from, look, title: &title, entry, position: line })
}

/// What a viewer sees after an entry, or after the beginning of one, with marks for what it did to what was seen before.
pub fn then(opened: &Opened<'_>, before: &Scene, after: &dyn Table, viewer: Viewer, actions: &str) -> Scene {
    let mut scene = after.view(viewer);
    scene.mark_since(before);
    scene.blows = opened.table.blows(actions);
    scene
}

/// What is shown of a position, and how.
pub struct Shown<'a> {
    /// What is seen.
    pub scene: &'a Scene,
    /// The names of the sides.
    pub sides: &'a [SideName; 2],
    /// The side at the bottom of the board.
    pub from: Side,
    /// `colour`, `print`, `dark` or `classes`; `colour` if it is not said.
    pub look: Option<&'a str>,
    /// The title of the picture.
    pub title: &'a str,
    /// The number of the entry after which it is.
    pub entry: u32,
    /// The position as a line.
    pub position: String,
}

/// Returns a position as a picture, in words and as places that can be tapped.
///
/// # Errors
/// If there is no such look.
pub fn illustrated(shown: &Shown<'_>) -> Result<Value, String> {
    let classes = shown.look == Some("classes");
    let colours = match shown.look {
        None | Some("classes") => picture::Look::Colour,
        Some(name) => {
            let found = picture::Look::ALL.iter().find(|(known, _)| *known == name);
            found
                .map(|(_, look)| *look)
                .ok_or_else(|| format!("`look` is colour, print, dark or classes, not `{name}`"))?
        }
    };
    let picture = Picture::of(shown.scene, &picture::Options { from: shown.from, look: colours, marks: true });
    let targets = picture.list().targets.iter().map(|target| json!({ "name": target.name, "area": target.area }));
    Ok(json!({
        "entry": shown.entry,
        "position": shown.position,
        "words": picture.words(),
        "width": picture.list().width,
        "height": picture.list().height,
        "targets": targets.collect::<Vec<_>>(),
        "pieces": pieces(shown.scene, shown.sides),
        "stacks": stacks(shown.scene, shown.sides),
        "svg": if classes { picture.svg_in_classes(shown.title) } else { picture.svg(shown.title) },
    }))
}

/// The pieces on a board of points or squares.
fn pieces(scene: &Scene, sides: &[SideName; 2]) -> Vec<Value> {
    let told = |file: u8, rank: u8, piece: &Piece| {
        let side = sides[piece.side.index()].word;
        json!({ "place": square(file, rank), "name": piece.name, "letter": piece.letter.to_string(), "side": side })
    };
    match &scene.board {
        Board::Points(board) => {
            board.points.iter().filter_map(|one| Some(told(one.file, one.rank, one.piece.as_ref()?))).collect()
        }
        Board::Cells(board) => {
            let each = board.cells.iter().flat_map(|one| {
                let challenger = one.challenger.iter().map(|(piece, _)| piece);
                let all = one.piece.iter().chain(challenger).chain(&one.above);
                all.map(|piece| told(one.file, one.rank, piece)).collect::<Vec<_>>()
            });
            each.collect()
        }
        Board::Blocks(_) | Board::Bricks(_) => Vec::new(),
    }
}

/// The stacks of tokens on a board of blocks, from bottom to top; of a tall one the upper tokens, and how many more are `below` them.
fn stacks(scene: &Scene, sides: &[SideName; 2]) -> Vec<Value> {
    let Board::Blocks(board) = &scene.board else { return Vec::new() };
    let told = |block: &scene::Block| {
        let tokens = block.tokens.iter().map(|token| json!({ "sign": token.sign().to_string(), "name": token.name }));
        json!({
            "place": square(block.file, block.rank), "size": block.size, "side": sides[block.side.index()].word,
            "tokens": tokens.collect::<Vec<_>>(), "below": block.below, "controlled": block.controlled, "short": block.short,
        })
    };
    board.blocks.iter().map(told).collect()
}

/// Lists what may follow the beginning of an entry. Words that stand for many entries come with examples.
pub(super) fn next(source: &[u8], begun: &str, seed: u32, at: Option<u32>) -> Result<Value, String> {
    let source = until(source, at)?;
    Ok(match Desk::open(source) {
        Ok(desk) => next_at(&desk, source, begun, seed),
        Err(refusal) => refused(source, None, &refusal),
    })
}

fn next_at(desk: &Desk<'_>, source: &[u8], begun: &str, seed: u32) -> Value {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        return json!({ "actions": [], "whole": false });
    }
    let begun = &*begun_in(opened, begun);
    let mut next = match coming(opened, begun) {
        Ok(next) => next,
        Err(stop) => {
            let verdict = Verdict::stopped(opened.header.info, opened.table.as_ref(), stop);
            return refused(source, Some(desk), &Refusal::Entry(begun.to_owned(), Box::new(verdict)));
        }
    };
    let thrown = thrown(opened, begun, &mut next.actions);
    // What comes later in a turn says what it does where it is drawn.
    let says = if begun.trim().is_empty() { effects(opened, &next.actions) } else { BTreeMap::new() };
    let mut answer = offered(opened.header.info, standing.due.side, next, seed);
    if let Some(words) = answer["words"].as_object_mut() {
        words.retain(|word, _| !thrown.contains(word));
    }
    answer["thrown"] = thrown.into();
    answer["says"] = json!(says);
    answer
}

/// What may come next, as data. Words that stand for many entries come with examples, which `seed` chooses.
#[must_use]
pub fn offered(info: &'static Info, side: Side, next: Next, seed: u32) -> Value {
    let mut state = seed | 1;
    let mut chance = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below.max(1)
    };
    let (mut words, mut placing) = (BTreeMap::new(), BTreeMap::new());
    for action in &next.actions {
        if let Some(word) = info.samples.placeholder(action) {
            let examples: Vec<_> = (0..4).map(|_| (word.example)(side, &mut chance)).collect();
            words.insert(action.clone(), examples);
            if !word.pieces.is_empty() {
                let pieces: BTreeMap<_, _> =
                    word.pieces.iter().map(|(letter, name)| (letter.to_string(), *name)).collect();
                placing.insert(action.clone(), json!({ "squares": (word.squares)(side), "pieces": pieces }));
            }
        }
    }
    json!({ "actions": next.actions, "whole": next.whole, "words": words, "placing": placing })
}

/// In a practice game the program throws and draws, so that the actions which it chooses among are replaced by their word. Returns
/// those words. `begun` has its own throws and draws already.
fn thrown(opened: &Opened<'_>, begun: &str, actions: &mut Vec<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let Some(machine) = opened.header.machine else { return words };
    let mut chosen: Vec<String> = Vec::new();
    actions.retain_mut(|action| {
        let word = action.split(' ').next().unwrap_or_default().to_owned();
        if words.contains(&word) {
            return false;
        }
        if chosen.contains(&word) {
            return true;
        }
        if practice::filled(opened.table.as_ref(), machine.seed, begun, &word).is_ok_and(|filled| filled != word) {
            words.push(word.clone());
            *action = word;
        } else {
            chosen.push(word);
        }
        true
    });
    words
}

/// What may follow the beginning of an entry: single actions if turns are composed step by step, otherwise the rest of
/// each listed entry, in which a word may stand for very many.
fn coming(opened: &Opened<'_>, begun: &str) -> Result<Next, Stop> {
    let typed = opened.table.read(begun)?;
    if opened.header.info.stepwise {
        return typed.next();
    }
    if typed.is_empty() {
        return Ok(Next { actions: opened.table.moves(), whole: false, ..Next::default() });
    }
    let written = typed.written() + "; ";
    let left = opened.table.moves().into_iter().filter_map(|entry| {
        let rest = entry.strip_prefix(&written)?;
        Some(rest.split("; ").next().unwrap_or(rest).to_owned())
    });
    let mut actions: Vec<_> = left.collect();
    actions.dedup();
    let beside = Beside::to_try(&opened.table.standing());
    match typed.judge(&beside) {
        Ok(_) => Ok(Next { actions, whole: true, ..Next::default() }),
        Err(_) if !actions.is_empty() => Ok(Next { actions, whole: false, ..Next::default() }),
        Err(stop) => Err(stop),
    }
}

/// Judges what was typed and, if asked to, returns the longer record.
pub(super) fn entered(entry: &Try, append: bool) -> Value {
    let source = entry.record.as_bytes();
    let desk = match Desk::open(source) {
        Ok(desk) => desk,
        Err(refusal) => return refused(source, None, &refusal),
    };
    if let Some(machine) = desk.opened.header.machine {
        return machine::entered(source, &desk, machine, &entry.typed, append);
    }
    let standing = desk.opened.table.standing();
    let asked = entry.time.as_deref().map(|time| Time::read(time.as_bytes()));
    let time = match asked {
        Some(None) => return json!({ "refused": { "message": "the time is not of the form 2026-11-21T10:15:00Z" } }),
        Some(Some(time)) => time,
        None => standing.last.unwrap_or(Time(0)),
    };
    // An entry made just after the opponent's is not earlier than it (E3), whatever this machine's clock says.
    let request = EntryRequest { actions: &entry.typed, message: entry.message.as_deref(), time, time_asked: false };
    let entered = match desk.enter(&request, &mut NoKeyStore) {
        Ok(entered) => entered,
        Err(refusal) => return refused(source, Some(&desk), &refusal),
    };
    let info = desk.opened.header.info;
    let word = info.sides[entered.side.index()].word;
    let mut answer = json!({
        "number": entered.number, "side": word, "actions": entered.actions, "line": entered.line,
        "outcome": entered.table.standing().outcome.map(|outcome| outcome.text(&info.sides)),
        "end": entered.table.standing().outcome.map(|outcome| ended(outcome, &info.sides)),
    });
    if append {
        let digest =
            desk.digests.last().and_then(|digest| digest.first_chunk::<8>()).map(|digest| HEXLOWER.encode(digest));
        let to = desk.opened.header.player(entered.side.other()).email.as_deref();
        answer["record"] = String::from_utf8_lossy(&entered.record).into();
        answer["reply"] = json!({
            "to": to,
            "subject": format!("Re: [pbem] {} #{} {}", desk.opened.header.id, standing.entries, digest.unwrap_or_default()),
            "actions": entered.actions,
            "body": reply_line::written(entered.number, word, &entered.actions, parts(&entered.line).2),
            // The same entry with its time, for whoever keeps a record.
            "block": block_of(&entered).map(|block| block.text()),
        });
    }
    answer
}

/// What is new to the opponent, as a block of text (B1, B8).
fn block_of(entered: &Entered) -> Option<Block> {
    Block::new_to(&entered.desk().ok()?, entered.side.other(), |_| false)
}

/// Says why nothing was entered, with the excerpt, and with the text of the rule if one is broken.
pub(super) fn refused(source: &[u8], desk: Option<&Desk<'_>>, refusal: &Refusal) -> Value {
    let info = desk.map(|desk| desk.opened.header.info);
    if let Refusal::Entry(typed, verdict) = refusal {
        return refused_entry(info, typed, verdict);
    }
    let mut answer = json!({ "message": refusal.to_string() });
    match refusal {
        Refusal::Ahead(..) => add_rule(&mut answer, "E3", info),
        Refusal::Over(_) => add_rule(&mut answer, "E4", info),
        Refusal::Message(_) => add_rule(&mut answer, "E9", info),
        Refusal::Record(verdict) => answer["verdict"] = judged(source, verdict),
        _ => {}
    }
    json!({ "refused": answer })
}

/// Adds the rule that is broken, with its text.
fn add_rule(answer: &mut Value, rule: &str, info: Option<&'static Info>) {
    let book = book_of(rule, info);
    answer["rule"] = rule.into();
    answer["book"] = book.into();
    answer["text"] = rulebook::find(book).and_then(|book| book.section(rule)).into();
}

/// The rulebook that advice names.
fn rules_named(advice: &Advice) -> Option<&'static str> {
    advice.acts().find_map(|act| match act {
        Act::Rules(book, None) => Some(*book),
        _ => None,
    })
}

/// Says why what was typed is refused. `see` names the rulebook that explains how actions are written, where that is what is wrong.
#[must_use]
pub fn refused_entry(info: Option<&'static Info>, typed: &str, verdict: &Verdict) -> Value {
    let mut answer = json!({ "message": verdict.to_string() });
    if let Some(error) = verdict.errors.first() {
        answer["message"] = error.line().into();
        answer["ruling"] = verdict.ruling.word().into();
        answer["typed"] = typed.into();
        answer["start"] = error.span.start.into();
        answer["end"] = error.span.end.into();
        let index = LineIndex::new(typed.as_bytes());
        answer["excerpt"] = diagnostic::excerpt(error, &index, "your entry", &[], None).into();
        if let Some(rule) = error.rule {
            add_rule(&mut answer, rule, info);
        }
        answer["see"] = error.see.as_ref().and_then(rules_named).into();
    }
    json!({ "refused": answer })
}
