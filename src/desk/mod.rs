//! Making the next entry of a record: what a player typed becomes a canonical line, and the record a longer one. Pure: bytes
//! in, bytes out.

pub mod audit;
pub mod chain;
pub mod clock;
pub mod conditions;
pub mod merge;
pub mod receive;
pub mod understand;

use crate::games::kernel::{Lost, Next, Side, UNOPENED};
use crate::record::{Entry, Item, Time};
use crate::referee::{Standing, Stop, Table, Unfinished};
use crate::sealing::{Check, Digest, Done, NotSigned, Owner, PublicKey, Source, Thrown, Unsigned, write_signature};
use crate::text::{Span, is_forbidden};
use crate::verdict::{Opened, Ruling, Verdict, verify_newest};
use receive::AHEAD;

/// What a player wants to enter.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The actions as typed.
    pub actions: &'a str,
    /// A message to the opponent.
    pub message: Option<&'a str>,
    /// The time of the entry, if the record is to have times.
    pub time: Time,
    /// Whether the time was asked for, not only taken from the clock on the wall.
    pub time_asked: bool,
}

/// An entry that is legal, and the record with it.
#[derive(Clone, Debug)]
pub struct Entered {
    /// The new record. The old one's bytes are its beginning (but for a line end that was missing).
    pub record: Vec<u8>,
    /// The line of the entry.
    pub line: String,
    /// Its number.
    pub number: u32,
    /// Whose it is.
    pub side: Side,
    /// The actions in canonical spelling.
    pub actions: String,
    /// The time that was taken instead of the wished one, because the entry before has it and no entry is earlier (E3).
    pub later: Option<Time>,
    /// What was sealed, salted and opened beside what was typed.
    pub done: Vec<Done>,
    /// What was thrown by it.
    pub thrown: Vec<Thrown>,
    /// The key that signs it, if its side has one.
    pub key: Option<PublicKey>,
    /// Whether that key is declared by this entry (E10).
    pub declares: bool,
}

/// What came of answering without anything typed.
pub enum Answer {
    /// The entry was forced, and is made.
    Entered(Box<Entered>),
    /// The entry begins with what is forced, and the rest is the player's to choose: the game as it then stands.
    Choose(Box<dyn Table>),
    /// Nothing is forced; what is due.
    Nothing(&'static str),
}

/// Why nothing was entered.
#[derive(Debug)]
pub enum Refusal {
    /// The record itself is not legal, so nothing can follow.
    Record(Box<Verdict>),
    /// The game is over.
    Over(String),
    /// The entry before lies ahead of the clock here, and a new one cannot be earlier (E3): its time, and the time here.
    Ahead(Time, Time),
    /// A time or a message stands among the actions.
    Aside,
    /// The message cannot stand in a record (E9).
    Message(&'static str),
    /// The secret that the entry needs is not at hand.
    Lost(Lost),
    /// The entry cannot be signed.
    NotSigned(NotSigned),
    /// The entry is refused: the record with it, as it was tried, and the verdict on that.
    Entry(Vec<u8>, Box<Verdict>),
}

/// Judges what a player typed as the next entry of a record, and appends it in canonical spelling.
///
/// # Errors
/// Why it is refused. Nothing has changed then.
pub fn enter(source: &[u8], wish: &Wish<'_>) -> Result<Entered, Refusal> {
    enter_with(source, wish, &mut NoKeys)
}

/// Holds no secrets: what has to be sealed must have been typed with its seal.
struct NoKeys;

impl Source for NoKeys {
    fn secret(&mut self, _: bool) -> Result<Option<crate::sealing::Secret>, Lost> {
        self.random().map(|_| None)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Err(Lost("there is no key store here".into()))
    }
}

/// Makes the entry that is forced, where one is.
///
/// # Errors
/// Why it is refused. Nothing has changed then.
pub fn answer(source: &[u8], wish: &Wish<'_>, keys: &mut dyn Source) -> Result<Answer, Refusal> {
    let mut opened = Opened::new(source).map_err(Refusal::Record)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(Refusal::Record(Box::new(verdict)));
    }
    if let Some(outcome) = verdict.outcome {
        return Err(Refusal::Over(outcome.text(&opened.header.info.sides)));
    }
    let due = opened.table.standing().due;
    key_at_hand(&opened, due.side, keys)?;
    let word = opened.header.info.sides[due.side.index()].word;
    let mut owner = Owner::new(&opened.header.id, word, keys);
    if let Some(after) = opened.table.opened(&mut owner).map_err(Refusal::Lost)?
        && after.standing().outcome.is_none()
    {
        return Ok(Answer::Choose(after));
    }
    let actions = opened.table.forced(&mut owner).map_err(Refusal::Lost)?;
    if actions.is_empty() {
        return Ok(Answer::Nothing(due.what));
    }
    let done = std::mem::take(&mut owner.done);
    let mut entered = enter_with(source, &Wish { actions: &actions, ..*wish }, keys)?;
    let (done, _) = by_the_entry(&entered.record, entered.number, done);
    entered.done = done.into_iter().fold(Vec::new(), |mut once, one| {
        if !once.contains(&one) {
            once.push(one);
        }
        once
    });
    Ok(Answer::Entered(Box::new(entered)))
}

/// Returns what may come after the beginning of an entry of the side that is due, as typed; what must be sealed or opened is
/// added to it. Whoever holds the secret of that side is told what only it may know.
///
/// # Errors
/// Why the beginning is refused.
pub fn next(source: &[u8], begun: &str, keys: &mut dyn Source) -> Result<Next, Refusal> {
    let mut opened = Opened::new(source).map_err(Refusal::Record)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(Refusal::Record(Box::new(verdict)));
    }
    if let Some(outcome) = verdict.outcome {
        return Err(Refusal::Over(outcome.text(&opened.header.info.sides)));
    }
    let Standing { entries, due, .. } = opened.table.standing();
    let word = opened.header.info.sides[due.side.index()].word;
    if opened.table.seals().is_some() && keys.secret(false).map_err(Refusal::Lost)?.is_some() {
        let mut owner = Owner::new(&opened.header.id, word, keys);
        opened.table.confide(due.side, &mut owner).map_err(Refusal::Lost)?;
    }
    let typed = tidy(begun, |text| opened.game.lenient(text));
    if typed.is_empty() {
        return opened.table.next(opened.text, None).map_err(|stop| refused_start(&opened, stop));
    }
    let number = entries + 1;
    let tried = appended(source, &format!("{number} {word} {typed}\n"));
    let (typed, _) = completed(&opened, tried, number, typed, keys)?;
    let tried = appended(source, &format!("{number} {word} {typed}\n"));
    let trial = Opened::new(&tried).map_err(Refusal::Record)?;
    let next = match nth_entry(&trial, number) {
        Some(entry) => opened.table.next(trial.text, Some(&entry)),
        // The line is no entry: what it lacks is told as of a record that holds it.
        None => {
            let verdict = judged_unsigned(&tried).0;
            return Err(shown(tried, verdict));
        }
    };
    next.map_err(|stop| {
        let verdict = Verdict::stopped(opened.header.info, opened.table.as_ref(), stop);
        shown(tried, verdict)
    })
}

/// The game itself has no entry to begin with.
fn refused_start(opened: &Opened<'_>, stop: Stop) -> Refusal {
    Refusal::Record(Box::new(Verdict::stopped(opened.header.info, opened.table.as_ref(), stop)))
}

/// The actions, the time and the message of an entry's canonical line.
#[must_use]
pub fn parts(line: &str) -> (&str, Option<&str>, Option<&str>) {
    let (line, message) = match line.split_once(" {") {
        Some((line, message)) => (line, message.strip_suffix('}')),
        None => (line, None),
    };
    let (line, time) = match line.split_once(" @") {
        Some((line, time)) => (line, Some(time)),
        None => (line, None),
    };
    (line.splitn(3, ' ').nth(2).unwrap_or_default(), time, message)
}

/// Makes an entry again from its canonical line: one that was signed, and then lost before it was written.
///
/// # Errors
/// Why it is refused. Nothing has changed then.
pub fn enter_again(source: &[u8], line: &str, now: Time, keys: &mut dyn Source) -> Result<Entered, Refusal> {
    let (actions, time, message) = parts(line);
    let time = time.and_then(|time| Time::read(time.as_bytes()));
    enter_with(source, &Wish { actions, message, time: time.unwrap_or(now), time_asked: time.is_some() }, keys)
}

/// As [`enter`], with a key store: what must be sealed, salted or opened is added to what was typed.
///
/// # Errors
/// Why it is refused. Nothing has changed then.
pub fn enter_with(source: &[u8], wish: &Wish<'_>, keys: &mut dyn Source) -> Result<Entered, Refusal> {
    let mut opened = Opened::with_chain(source).map_err(Refusal::Record)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(Refusal::Record(Box::new(verdict)));
    }
    let info = opened.header.info;
    if let Some(outcome) = verdict.outcome {
        return Err(Refusal::Over(outcome.text(&info.sides)));
    }
    let standing = opened.table.standing();
    let message = wish.message.map(str::trim).filter(|message| !message.is_empty());
    if message.is_some_and(|text| text.contains(['{', '}'])) {
        return Err(Refusal::Message("a message holds no braces"));
    }
    if message.is_some_and(|text| text.chars().any(is_forbidden)) {
        return Err(Refusal::Message("a message is one line without control characters"));
    }
    let mut typed = tidy(wish.actions, |text| opened.game.lenient(text));
    let mut forced = Vec::new();
    if typed.is_empty() && !wish.actions.trim().is_empty() {
        // What was typed says no more than that what is forced is to be entered.
        let word = info.sides[standing.due.side.index()].word;
        let mut owner = Owner::new(&opened.header.id, word, keys);
        typed = opened.table.forced(&mut owner).map_err(Refusal::Lost)?;
        forced = owner.done;
        if typed.is_empty() {
            typed = wish.actions.trim().to_owned();
        }
    }
    if typed.contains(['{', '}']) || typed.contains(" @") {
        return Err(Refusal::Aside);
    }
    // Time is claimed by the side that is not due (E7); all else is entered by the one that is.
    let side = if typed == "claim time" { standing.due.side.other() } else { standing.due.side };
    let timed = standing.timed.unwrap_or(true) || opened.header.clock.is_some();
    // Some minutes are the difference of two clocks; more would be a time that the player has not chosen.
    if let Some(last) =
        standing.last.filter(|last| timed && !wish.time_asked && last.0 > wish.time.0.saturating_add(AHEAD))
    {
        return Err(Refusal::Ahead(last, wish.time));
    }
    let time = (timed || wish.time_asked).then(|| {
        // Two programs' clocks differ: an entry made just after the opponent's is not earlier than it (E3).
        let floor = if wish.time_asked { None } else { standing.last };
        floor.map_or(wish.time, |last| wish.time.max(last))
    });
    // Before anything is made or kept for the entry: without the key it cannot be.
    let declared = key_at_hand(&opened, side, keys)?;
    let alone = matches!(typed.as_str(), "resign" | "draw!") || typed.starts_with("claim ");
    let first = declared.is_none() && standing.made[side.index()] == 0;
    let offered = if first && !alone && !is_key(&typed) { keys.key(None).map_err(Refusal::NotSigned)? } else { None };
    let number = standing.entries + 1;
    let word = info.sides[side.index()].word;
    let tail = {
        let time = time.map(|time| format!(" @{time}")).unwrap_or_default();
        let message = message.map(|text| format!(" {{{text}}}")).unwrap_or_default();
        format!("{time}{message}")
    };
    let tried = appended(source, &format!("{number} {word} {typed}{tail}\n"));
    let (mut typed, mut done) = completed(&opened, tried, number, typed, keys)?;
    done.splice(..0, forced);
    let mut tried = appended(source, &format!("{number} {word} {typed}{tail}\n"));
    let mut judged = judged_unsigned(&tried);
    // What is refused is shown as it was typed; the key stands first (E10).
    if let Some(key) = offered.filter(|_| judged.0.ruling == Ruling::Legal) {
        typed = format!("key {}; {typed}", key.text());
        tried = appended(source, &format!("{number} {word} {typed}{tail}\n"));
        judged = judged_unsigned(&tried);
    }
    let (verdict, key, digest) = judged;
    if verdict.ruling != Ruling::Legal {
        return Err(shown(tried, verdict));
    }
    let actions = canonical(&opened, &tried, number).unwrap_or(typed);
    let line = format!("{number} {word} {actions}{tail}");
    let result = verdict.outcome.map(|outcome| format!("= {}\n", outcome.text(&info.sides))).unwrap_or_default();
    // The memory of the first trial is used again: a record may be large.
    let mut record = tried;
    record.truncate(source.len());
    let signature = match (key, digest) {
        (Some(key), Some(digest)) => {
            keys.key(Some(key)).map_err(Refusal::NotSigned)?;
            let entry = Unsigned { game: &opened.header.id, side: word, number, digest: &digest, line: &line };
            keys.sign(&entry).map_err(Refusal::NotSigned)?
        }
        _ => None,
    };
    let signed = signature.map(|signature| format!("  ~ {}\n", write_signature(&signature))).unwrap_or_default();
    append(&mut record, &format!("{line}\n{signed}{result}"));
    // What stands before was checked whole; an entry that is only tried has no signature.
    let only_tried = key.is_some() && signature.is_none();
    let verdict = if only_tried { judged_unsigned(&record).0 } else { verify_newest(&record) };
    if verdict.ruling != Ruling::Legal || verdict.entries != number {
        return Err(shown(record, verdict));
    }
    let later = time.filter(|&time| time != wish.time);
    let (done, thrown) = by_the_entry(&record, number, done);
    let declares = key.is_some() && declared.is_none();
    Ok(Entered { record, line, number, side, actions, later, done, thrown, key, declares })
}

/// The key that a side has declared. The record was replayed.
fn key_at_hand(opened: &Opened<'_>, side: Side, keys: &mut dyn Source) -> Result<Option<PublicKey>, Refusal> {
    let declared = opened.table.signatures().and_then(|signatures| signatures.key(side));
    if declared.is_some() {
        keys.key(declared).map_err(Refusal::NotSigned)?;
    }
    Ok(declared)
}

/// Judges a record whose last entry is not signed yet and whose other signatures were checked. Returns the verdict, and the key of
/// the last entry's side and the chain's digest with that entry.
fn judged_unsigned(record: &[u8]) -> (Verdict, Option<PublicKey>, Option<Digest>) {
    let mut opened = match Opened::with_chain(record) {
        Ok(opened) => opened,
        Err(verdict) => return (*verdict, None, None),
    };
    opened.table.set_check(Check::Nothing);
    let verdict = opened.replay(u32::MAX);
    let side = nth_entry(&opened, verdict.entries).map(|entry| entry.side);
    let signatures = opened.table.signatures();
    let key = signatures.zip(side).and_then(|(signatures, side)| signatures.key(side));
    (verdict, key, signatures.map(|signatures| signatures.link().digest()))
}

/// Of what was done for the entry of this number what shows in it (a seal that its owner only looked behind is not opened), and
/// what was thrown by it.
fn by_the_entry(record: &[u8], number: u32, mut done: Vec<Done>) -> (Vec<Done>, Vec<Thrown>) {
    let Ok(mut opened) = Opened::new(record) else { return (done, Vec::new()) };
    if opened.header.secrecy == crate::record::Secrecy::Open {
        return (done, Vec::new());
    }
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    let Some(seals) = opened.table.seals() else { return (done, Vec::new()) };
    let is_opened = |label: &String| {
        let mut all = seals.published().iter().filter(|one| one.label == *label);
        all.any(|one| one.opened.as_ref().is_some_and(|opening| opening.entry == number))
    };
    done.retain(|one| if let Done::Opened(label) = one { is_opened(label) } else { true });
    (done, seals.thrown().iter().filter(|one| one.entry == number).cloned().collect())
}

/// The refusal of an entry, without the openings that stood in it only to be replaced.
fn shown(mut tried: Vec<u8>, mut verdict: Verdict) -> Refusal {
    while let Some(at) = memchr::memmem::find(&tried, UNOPENED.as_bytes()) {
        let digits = tried.iter().skip(at + UNOPENED.len()).take_while(|byte| **byte == b'0').count();
        let end = at + UNOPENED.len() + digits;
        tried.drain(at..end);
        let moved = |place: u32| match place as usize {
            place if place >= end => place - (end - at),
            place => place.min(at),
        };
        for error in &mut verdict.errors {
            error.span = Span::new(moved(error.span.start), moved(error.span.end));
            if let Some((head, tail)) = error.message.split_once(UNOPENED) {
                error.message = format!("{head}{}", tail.trim_start_matches('0').trim_start_matches('…'));
            }
        }
    }
    Refusal::Entry(tried, Box::new(verdict))
}

/// Adds to what was typed what a sealed record needs. `tried` is the record with the entry as typed; what cannot be read in it
/// stays as it is, for the verdict to say so.
fn completed(
    opened: &Opened<'_>,
    tried: Vec<u8>,
    number: u32,
    typed: String,
    keys: &mut dyn Source,
) -> Result<(String, Vec<Done>), Refusal> {
    let nothing = Vec::new();
    if opened.table.seals().is_none() {
        return Ok((typed, nothing));
    }
    let Ok(trial) = Opened::new(&tried) else { return Ok((typed, nothing)) };
    let Some(entry) = nth_entry(&trial, number) else { return Ok((typed, nothing)) };
    let word = opened.header.info.sides[opened.table.standing().due.side.index()].word;
    let mut owner = Owner::new(&opened.header.id, word, keys);
    match opened.table.complete(trial.text, &entry, &mut owner) {
        Ok(actions) => Ok((actions, owner.done)),
        Err(Unfinished::Lost(lost)) => Err(Refusal::Lost(lost)),
        Err(Unfinished::Stop(Stop::Malformed(_))) => Ok((typed, nothing)),
        Err(Unfinished::Stop(stop)) => {
            let verdict = Verdict::stopped(opened.header.info, opened.table.as_ref(), stop);
            Err(shown(tried, verdict))
        }
    }
}

fn appended(source: &[u8], lines: &str) -> Vec<u8> {
    // Room for one more spelling of the entry, so that the record need not be moved for it.
    let mut record = Vec::with_capacity(source.len() + 2 * lines.len() + 64);
    record.extend_from_slice(source);
    append(&mut record, lines);
    record
}

fn append(record: &mut Vec<u8>, lines: &str) {
    if !record.ends_with(b"\n") {
        record.push(b'\n');
    }
    record.extend_from_slice(lines.as_bytes());
}

/// The canonical actions of the entry `number` of `tried`, which is the record of `opened` with one entry more.
fn canonical(opened: &Opened<'_>, tried: &[u8], number: u32) -> Option<String> {
    let tried = Opened::new(tried).ok()?;
    Some(opened.table.canonical(tried.text, &nth_entry(&tried, number)?))
}

/// The entry at a place of a record, from 1.
fn nth_entry(record: &Opened<'_>, number: u32) -> Option<Entry> {
    let mut body = record.body();
    let mut seen = 0;
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            seen += 1;
            if seen == number {
                return Some(entry);
            }
        }
    }
    None
}

/// Mends harmless slips of typing: spaces too many or too few around actions, and what the game knows how to mend.
fn tidy(typed: &str, lenient: impl Fn(&str) -> String) -> String {
    let parts = typed.split(';').map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut parts: Vec<_> = parts.map(|part| if is_key(&part) { part } else { lenient(&part) }).collect();
    // A separator at the end separates nothing, and what is forced comes before the rest by itself.
    while parts.len() > 1 && parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    if parts.first().is_some_and(String::is_empty) && !typed.trim_start().starts_with(';') {
        parts.remove(0);
    }
    parts.join("; ")
}

/// Letter case matters in a key.
fn is_key(part: &str) -> bool {
    part.starts_with("key ")
}
