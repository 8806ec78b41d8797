//! Making the next entry of a record: what a player typed becomes a canonical line, and the record a longer one. Pure: bytes
//! in, bytes out.

use crate::games::kernel::Side;
use crate::record::{Item, Time};
use crate::text::is_forbidden;
use crate::verdict::{Opened, Ruling, Verdict, verify};

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
}

/// Why nothing was entered.
#[derive(Debug)]
pub enum Refusal {
    /// The record itself is not legal, so nothing can follow.
    Record(Box<Verdict>),
    /// The game is over.
    Over(String),
    /// The message cannot stand in a record (E9).
    Message(&'static str),
    /// The entry is refused: the record with it, as it was tried, and the verdict on that.
    Entry(Vec<u8>, Box<Verdict>),
}

/// Judges what a player typed as the next entry of a record, and appends it in canonical spelling.
///
/// # Errors
/// Why it is refused. Nothing has changed then.
pub fn enter(source: &[u8], wish: &Wish<'_>) -> Result<Entered, Refusal> {
    let mut opened = Opened::new(source).map_err(Refusal::Record)?;
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
    let typed = tidy(wish.actions, |text| opened.game.lenient(text));
    // Time is claimed by the side that is not due (E7); all else is entered by the one that is.
    let side = if typed == "claim time" { standing.due.side.other() } else { standing.due.side };
    let timed = standing.timed.unwrap_or(true) || opened.header.clock.is_some();
    let time = (timed || wish.time_asked).then(|| {
        // Two programs' clocks differ: an entry made just after the opponent's is not earlier than it (E3).
        let floor = if wish.time_asked { None } else { standing.last };
        floor.map_or(wish.time, |last| wish.time.max(last))
    });
    let number = standing.entries + 1;
    let word = info.sides[side.index()].word;
    let tail = {
        let time = time.map(|time| format!(" @{time}")).unwrap_or_default();
        let message = message.map(|text| format!(" {{{text}}}")).unwrap_or_default();
        format!("{time}{message}")
    };
    let tried = appended(source, &format!("{number} {word} {typed}{tail}\n"));
    let verdict = verify(&tried);
    if verdict.ruling != Ruling::Legal {
        return Err(Refusal::Entry(tried, Box::new(verdict)));
    }
    let actions = canonical(&opened, &tried, number).unwrap_or(typed);
    let line = format!("{number} {word} {actions}{tail}");
    let result = verdict.outcome.map(|outcome| format!("= {}\n", outcome.text(&info.sides))).unwrap_or_default();
    // The memory of the first trial is used again: a record may be large.
    let mut record = tried;
    record.truncate(source.len());
    append(&mut record, &format!("{line}\n{result}"));
    let verdict = verify(&record);
    if verdict.ruling != Ruling::Legal || verdict.entries != number {
        return Err(Refusal::Entry(record, Box::new(verdict)));
    }
    let later = time.filter(|&time| time != wish.time);
    Ok(Entered { record, line, number, side, actions, later })
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
    let mut body = tried.body();
    let mut seen = 0;
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            seen += 1;
            if seen == number {
                return Some(opened.table.canonical(tried.text, &entry));
            }
        }
    }
    None
}

/// Mends harmless slips of typing: spaces too many or too few around actions, and what the game knows how to mend.
fn tidy(typed: &str, lenient: impl Fn(&str) -> String) -> String {
    let parts = typed.split(';').map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut parts: Vec<_> = parts.map(|part| if is_key(&part) { part } else { lenient(&part) }).collect();
    // A separator at the end separates nothing.
    while parts.len() > 1 && parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    parts.join("; ")
}

/// Letter case matters in a key.
fn is_key(part: &str) -> bool {
    part.starts_with("key ")
}
