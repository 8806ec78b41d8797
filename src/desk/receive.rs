//! What becomes of a record that came by mail: held against the one that is here, and accepted, passed over or refused. Pure:
//! bytes in, a decision out. A record's verdict never depends on who sent it or when.

use super::{Answer, Desk, Entered, EntryRequest, Refusal};
use crate::games::kernel::Side;
use crate::record::{Entry, Header, Item, Time};
use crate::sealing::KeyStore;
use crate::verdict::{Difference, Opened, Relation, Ruling, Verdict, compare, receipts, verify};

/// How far an entry's time may lie ahead of the system clock before it is held back, in seconds: clocks differ.
pub const AHEAD: i64 = 10 * 60;
/// How far an entry's time may lie from the date of its letter before it is pointed out, in seconds: three days.
const FAR: i64 = 3 * 24 * 3600;

/// The most bytes of remarks and blank lines that one letter brings: a secret that is published takes a hundred.
const LETTER_ASIDES: usize = 16 << 10;
/// The most bytes of remarks and blank lines that letters add to a record all together, so that there is always room for entries.
const RECORD_ASIDES: usize = 256 << 10;

/// What is known of the letter that brought a record.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The address it comes from, if it names one.
    pub from: Option<&'a str>,
    /// Its date.
    pub date: Option<Time>,
    /// The time at which it is read.
    pub now: Time,
    /// The address of the player who receives it, if it is known.
    pub address: Option<&'a str>,
    /// The side of the player who receives it, if it is known.
    pub own: Option<Side>,
    /// Whether entries are taken although nobody knows which side is the receiver's: of a game that is not the receiver's yet, or in
    /// which the receiver only looks on.
    pub looks_on: bool,
    /// When the receiver's newest letter of this game was sent first: the number of the entry that it was about, and the time.
    pub sent: Option<(u32, Time)>,
}

/// What becomes of a record.
#[derive(Debug)]
pub enum Decision {
    /// It goes on where the one here ends: this takes its place.
    Accepted(Box<Accepted>),
    /// It has nothing that is not here.
    Nothing {
        /// How many entries it has.
        entries: u32,
        /// Whether the one here has more.
        older: bool,
        /// Whether it has remarks that are not here, and that are not taken without an entry while the game runs.
        remarks: bool,
    },
}

/// What was accepted.
#[derive(Debug)]
pub struct Accepted {
    /// The record that takes the place of the one here. It begins with its bytes, but for line ends.
    pub record: Vec<u8>,
    /// The first entry that is new; one more than the last where only remarks are.
    pub first: u32,
    /// The last entry.
    pub last: u32,
    /// The lines of the entries that are new.
    pub lines: Vec<String>,
    /// What is to be pointed out.
    pub remarks: Vec<String>,
}

/// A game that is not known yet.
#[derive(Debug)]
pub struct Invitation {
    /// Its id.
    pub id: String,
    /// The record with LF line ends.
    pub record: Vec<u8>,
    /// How many entries it has.
    pub entries: u32,
    /// What is to be pointed out.
    pub remarks: Vec<String>,
}

/// Why a record was not taken. The one here stays as it is.
#[derive(Debug)]
pub enum Refused {
    /// It is not legal.
    Verdict(Box<Verdict>),
    /// The one here is not legal, so nothing can be compared with it.
    Here(Box<Verdict>),
    /// It parts from the one here.
    Parted(Relation),
    /// It comes from nobody who plays this game.
    Stranger {
        /// The address it comes from.
        from: Option<String>,
        /// The addresses it could have come from.
        players: Vec<String>,
    },
    /// It takes more room than it may, and why.
    Large(String),
    /// It brings entries of the receiver's own side, which nobody else makes.
    OwnSide {
        /// The entry's place.
        entry: u32,
        /// Its line.
        line: String,
    },
    /// It brings entries, and nobody knows which side is the receiver's: any of them could be forged.
    WhoseSide {
        /// The first new entry's place.
        entry: u32,
        /// Its line.
        line: String,
    },
    /// An entry lies ahead of the clock here: it is taken once its time has come.
    Early {
        /// The place of the entry that lies furthest ahead.
        entry: u32,
        /// Its time.
        time: Time,
    },
    /// It claims that the receiver's time ran out, counted from before the receiver's letter was sent.
    Claim {
        /// The time from which the claim counts.
        since: Time,
        /// The entry that the receiver's letter was about, and when that letter was sent.
        sent: (u32, Time),
    },
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Verdict(verdict) => write!(f, "the record is {verdict}"),
            Refused::Here(verdict) => write!(f, "the record here is {verdict}"),
            Refused::Parted(relation) => {
                f.write_str(&parted_in_words(relation).map_or_else(|| "they agree".to_owned(), |(what, _)| what))
            }
            Refused::Stranger { .. } => f.write_str("it comes from nobody who plays this game"),
            Refused::OwnSide { entry, .. } => write!(f, "entry {entry} is of the receiver's own side"),
            Refused::WhoseSide { entry, .. } => {
                write!(f, "it brings entry {entry}, and nobody knows which side is the receiver's")
            }
            Refused::Early { entry, time } => write!(f, "entry {entry} is of {time}, ahead of the clock here"),
            Refused::Claim { since, .. } => write!(f, "it claims time from {since} on, before the letter was sent"),
            Refused::Large(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refused {}

/// Decides on a record of a game that is here.
///
/// # Errors
/// Why it is refused.
pub fn decide(here: &[u8], there: &[u8], letter: &Provenance<'_>) -> Result<Decision, Refused> {
    let there = &unix(there)[..];
    let mut own = legal(here).map_err(Refused::Here)?;
    let mut received = Opened::new(there).map_err(Refused::Verdict)?.of_stranger();
    let verdict = received.replay(u32::MAX);
    // Of a text that is no record its entries cannot be compared, nor of one that is too much work.
    if verdict.ruling == Ruling::Unjudged {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    if verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none()) {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    // A header with another address could make a stranger a player: who plays is asked of the record here.
    let players = addresses(&own.header);
    let relation = compare(&mut own, &received);
    let (first, tail) = match relation {
        Relation::Older { entries } => {
            let nothing = Decision::Nothing { entries, older: true, remarks: false };
            return Ok(with_receipts(here, &received).unwrap_or(nothing));
        }
        Relation::Same => (verdict.entries + 1, None),
        Relation::Newer { first, tail } => (first, Some(tail)),
        parted => {
            known(&players, letter)?;
            return Err(Refused::Parted(parted));
        }
    };
    let is_over = verdict.outcome.is_some();
    let nothing = |remarks| Ok(Decision::Nothing { entries: verdict.entries, older: false, remarks });
    let tail = match tail {
        Some(tail) => tail,
        // Only what stands behind the last entry can be new then: a secret that was published, or a result line that was missing.
        // While the game runs it is not taken: remarks are not signed, and prove nothing of who wrote them.
        None => match behind_last_entry(&received) {
            Some(tail) if is_over => tail,
            Some(tail) => {
                return match with_receipts(here, &received) {
                    Some(accepted) => Ok(accepted),
                    None => nothing(has_new_asides(here, there, tail)),
                };
            }
            None => return nothing(false),
        },
    };
    let (record, left_out) = joined(here, there, tail, is_over);
    if record.len() <= ended(here).len() {
        return nothing(left_out > 0);
    }
    let fresh = entries_from(&received, first);
    // The one that came may have lost blanks at the ends of its header's lines on the way, on which its signatures depend: what
    // counts is whether its entries go on from the record here.
    let whole = verify(&record);
    if whole.ruling != Ruling::Legal || whole.entries != first.saturating_sub(1) + count(&fresh) {
        return Err(Refused::Verdict(Box::new(if verdict.ruling == Ruling::Legal { whole } else { verdict })));
    }
    // A key that the record here does not know is one that anybody could have put there (E10).
    let keys = Side::BOTH.map(|side| own.table.signatures().is_some_and(|known| known.key(side).is_some()));
    check_sender(&received, &fresh, &players, keys, letter)?;
    // What the receiver's own key has signed only the receiver can have made: on another machine, or before a backup was restored.
    let vouched = |entry: &Entry| entry.signature.is_some() && keys.get(entry.side.index()) == Some(&true);
    let forged = |entry: &Entry| Some(entry.side) == letter.own && !vouched(entry);
    if let Some((entry, at)) = fresh.iter().zip(first..).find(|(entry, _)| forged(entry)) {
        return Err(Refused::OwnSide { entry: at, line: entry.span.text(received.text).to_owned() });
    }
    if let (None, false, Some(entry)) = (letter.own, letter.looks_on, fresh.first()) {
        return Err(Refused::WhoseSide { entry: first, line: entry.span.text(received.text).to_owned() });
    }
    early(&fresh, first, letter)?;
    if let Some(claim) = unfounded_claim(&received, &fresh, letter) {
        return Err(claim);
    }
    let lines = fresh.iter().map(|entry| entry.span.text(received.text).to_owned()).collect();
    let mut remarks = remarks_on(&fresh, first, letter);
    remarks.extend(nobody_known(&received.header, &fresh));
    if left_out > 0 {
        remarks.push(format!(
            "{left_out} of its remarks were left out: a letter brings {} KiB of them at most, a record keeps {} KiB, and no secret is \
             taken before the end",
            LETTER_ASIDES >> 10,
            RECORD_ASIDES >> 10
        ));
    }
    Ok(Decision::Accepted(Box::new(Accepted { record, first, last: verdict.entries, lines, remarks })))
}

/// Decides on a record of a game that is not here.
///
/// # Errors
/// Why it is refused.
pub fn invite(there: &[u8], letter: &Provenance<'_>) -> Result<Invitation, Refused> {
    let record = unix(there);
    let mut tried = Opened::new(&record).map_err(Refused::Verdict)?.of_stranger();
    let verdict = tried.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    let received = Opened::new(&record).map_err(Refused::Verdict)?;
    let fresh = entries_from(&received, 1);
    let asides: usize =
        record.split_inclusive(|&byte| byte == b'\n').filter(|line| is_aside(line)).map(<[u8]>::len).sum();
    if asides > RECORD_ASIDES {
        let most = RECORD_ASIDES >> 10;
        return Err(Refused::Large(format!("it holds over {most} KiB of remarks, which leaves less room for entries")));
    }
    let players = addresses(&received.header);
    // No key is known of a game that is not here: a stranger could have made those in its header.
    check_makers(&received.header, &fresh, &players, letter)?;
    early(&fresh, 1, letter)?;
    let mut remarks = remarks_on(&fresh, 1, letter);
    if let Some(own) = letter.address
        && letter.own.is_none()
        && players.iter().flatten().next().is_some()
        && !players.iter().flatten().any(|address| address.eq_ignore_ascii_case(own))
    {
        remarks.push(format!("{own} is not the address of either player"));
    }
    let entries = count(&fresh);
    Ok(Invitation { id: received.header.id.to_string(), entries, remarks, record: record.clone() })
}

/// What the rules let the program enter by itself now for the side `own`, after a record was accepted: the next entry, or none.
/// An entry that is wholly forced is made; where there is anything to choose, the player does, or has foreseen it.
///
/// # Errors
/// When the entry is forced but cannot be made, as for want of its secret.
pub fn next_answer(
    desk: &Desk<'_>,
    own: Side,
    request: &EntryRequest<'_>,
    keys: &mut dyn KeyStore,
) -> Result<Option<Box<Entered>>, Refusal> {
    let standing = desk.opened.table.standing();
    // Nobody answers for the opponent.
    if standing.outcome.is_some() || standing.due.side != own {
        return Ok(None);
    }
    match desk.answer(request, keys)? {
        Answer::Entered(entered) => Ok(Some(entered)),
        Answer::Choose(_) | Answer::Nothing(_) => Ok(None),
    }
}

/// Opens a legal record, ready to be played from its start.
fn legal(source: &[u8]) -> Result<Opened<'_>, Box<Verdict>> {
    let verdict = verify(source);
    if verdict.ruling != Ruling::Legal {
        return Err(Box::new(verdict));
    }
    Opened::new(source)
}

fn addresses(header: &Header<'_>) -> [Option<String>; 2] {
    Side::BOTH.map(|side| header.player(side).email.as_deref().map(str::to_owned))
}

/// The entries from a place on.
fn entries_from(opened: &Opened<'_>, first: u32) -> Vec<Entry> {
    let mut body = opened.body();
    let entries = std::iter::from_fn(|| body.next_item()).filter_map(|item| match item {
        Item::Entry(entry) => Some(entry),
        _ => None,
    });
    entries.skip((first as usize).saturating_sub(1)).collect()
}

fn count(entries: &[Entry]) -> u32 {
    u32::try_from(entries.len()).unwrap_or(u32::MAX)
}

/// Whether the sender is one of the players, as far as their addresses are known.
fn known(players: &[Option<String>; 2], letter: &Provenance<'_>) -> Result<(), Refused> {
    let is_known = |address: &String| letter.from.is_some_and(|from| from.eq_ignore_ascii_case(address));
    let addresses: Vec<_> = players.iter().flatten().cloned().collect();
    if addresses.iter().any(is_known) || addresses.is_empty() {
        return Ok(());
    }
    Err(Refused::Stranger { from: letter.from.map(str::to_owned), players: addresses })
}

/// The sender of entries must be one who made some of them, unless they are signed by keys that are known already; `keys` tells of
/// which side one is.
fn check_sender(
    opened: &Opened<'_>,
    fresh: &[Entry],
    players: &[Option<String>; 2],
    keys: [bool; 2],
    letter: &Provenance<'_>,
) -> Result<(), Refused> {
    let vouched = |entry: &Entry| entry.signature.is_some() && keys.get(entry.side.index()) == Some(&true);
    if !fresh.is_empty() && fresh.iter().all(vouched) {
        return Ok(());
    }
    check_makers(&opened.header, fresh, players, letter)
}

/// The sender of entries must be one who made some of them, as far as their addresses are known.
fn check_makers(
    header: &Header<'_>,
    fresh: &[Entry],
    players: &[Option<String>; 2],
    letter: &Provenance<'_>,
) -> Result<(), Refused> {
    if header.players.iter().all(|player| player.email.is_none()) {
        return Ok(());
    }
    if fresh.is_empty() {
        return known(players, letter);
    }
    let makers = Side::BOTH.map(|side| {
        let made = fresh.iter().any(|entry| entry.side == side);
        players.get(side.index()).cloned().flatten().filter(|_| made)
    });
    // Where the makers have no address, any sender will do; that is pointed out.
    if makers.iter().all(Option::is_none) { Ok(()) } else { known(&makers, letter) }
}

/// That nobody can tell who sent an entry.
fn nobody_known(header: &Header<'_>, fresh: &[Entry]) -> Option<String> {
    let entry = fresh.iter().find(|entry| entry.signature.is_none() && header.player(entry.side).email.is_none())?;
    let named = header.info.sides[entry.side.index()].named();
    Some(format!("the header has no mail address for {named}: anybody could have sent this"))
}

/// Nothing is taken that lies ahead of the clock here by more than clocks differ: a claim of time could be dated to come true, and
/// whoever answers an entry from the future would have to date the answer there too (E3).
fn early(fresh: &[Entry], first: u32, letter: &Provenance<'_>) -> Result<(), Refused> {
    let timed = fresh.iter().zip(first..).filter_map(|(entry, place)| Some((entry.time?, place)));
    match timed.max_by_key(|(time, _)| time.0) {
        Some((time, entry)) if time.0 > letter.now.0.saturating_add(AHEAD) => Err(Refused::Early { entry, time }),
        _ => Ok(()),
    }
}

/// A claim against the receiver whose clock began to run before the receiver's own letter was sent, which the opponent's entry
/// answers: it is dated back.
fn unfounded_claim(received: &Opened<'_>, fresh: &[Entry], letter: &Provenance<'_>) -> Option<Refused> {
    let (last, sent) = (fresh.last()?, letter.sent?);
    if last.actions.text(received.text) != "claim time" || letter.own != Some(last.side.other()) {
        return None;
    }
    let before = fresh.len().checked_sub(2).and_then(|nth| fresh.get(nth))?;
    let since = before.time?;
    (since.0 < sent.1.0.saturating_sub(AHEAD)).then_some(Refused::Claim { since, sent })
}

/// Times that look wrong. They are pointed out and no more: the verdict is the same everywhere and at any time.
fn remarks_on(fresh: &[Entry], first: u32, letter: &Provenance<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(time), Some((about, sent))) = (fresh.first().and_then(|entry| entry.time), letter.sent)
        && about < first
        && time.0 < sent.0.saturating_sub(AHEAD)
    {
        remarks.push(format!("entry {first} is of {time}, before your letter about entry {about} was sent ({sent})"));
    }
    // Of several entries only the last need be of the letter's day.
    if let (Some(time), Some(date)) = (fresh.last().and_then(|entry| entry.time), letter.date)
        && time.0.abs_diff(date.0) > FAR.unsigned_abs()
    {
        let place = first + u32::try_from(fresh.len()).unwrap_or(u32::MAX).saturating_sub(1);
        remarks.push(format!("entry {place} is of {time}, and its letter of {date}"));
    }
    remarks
}

/// The record here with the lines behind the last common entry of the one that came, and how many remarks were left out of them:
/// those that would take more room than remarks may, and secrets while the game runs. Remarks that stand here stay, and are not
/// taken twice.
fn joined(here: &[u8], there: &[u8], tail: usize, is_over: bool) -> (Vec<u8>, usize) {
    let mut record = ended(here);
    let own: Vec<&[u8]> = own_asides(here);
    let has_result = here.rsplit(|&byte| byte == b'\n').any(|line| line.starts_with(b"= "));
    let mut total: usize =
        here.split_inclusive(|&byte| byte == b'\n').filter(|line| is_aside(line)).map(<[u8]>::len).sum();
    let (mut brought, mut left_out, mut fresh) = (0, 0, false);
    for line in there.get(tail..).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
        if !is_aside(line) {
            // Of records that agree up to the end only one has the result line.
            if !(has_result && line.starts_with(b"= ")) {
                record.extend_from_slice(line);
                fresh = true;
            }
            continue;
        }
        if !fresh && own.contains(&line.trim_ascii_end()) {
            continue;
        }
        if brought + line.len() > LETTER_ASIDES || total + line.len() > RECORD_ASIDES || (is_secret(line) && !is_over) {
            left_out += usize::from(!line.trim_ascii().is_empty());
            continue;
        }
        brought += line.len();
        total += line.len();
        record.extend_from_slice(line);
    }
    (ended(&record), left_out)
}

/// The record here with the receipts of the one that came that hold here and are not here yet: signed as they are they may be taken
/// while the game runs, and from anybody. One a side and entry, so that nobody fills a record with them.
fn with_receipts(here: &[u8], received: &Opened<'_>) -> Option<Decision> {
    /// The most that are looked at: each is a signature to be checked.
    const MOST: usize = 64;
    let mut body = received.body();
    let lines: Vec<&str> = std::iter::from_fn(|| body.next_item())
        .filter_map(|item| match item {
            Item::Remark(span) => Some(span.text(received.text)).filter(|line| line.starts_with(receipts::HEAD)),
            _ => None,
        })
        .take(MOST)
        .collect();
    if lines.is_empty() {
        return None;
    }
    let desk = Desk::open(here).ok()?;
    let there: Vec<_> = receipts::of(&desk.opened, &desk.digests)
        .into_iter()
        .filter_map(|(_, read)| read.ok().map(|one| (one.side, one.entry)))
        .collect();
    let mut record = ended(here);
    let (mut taken, mut remarks) = (there, Vec::new());
    for line in lines {
        let Some(Ok(receipt)) = receipts::checked(line, &desk.opened, &desk.digests) else { continue };
        let of = (receipt.side, receipt.entry);
        if taken.contains(&of) || record.len() + line.len() > ended(here).len() + LETTER_ASIDES {
            continue;
        }
        taken.push(of);
        record.extend_from_slice(line.trim_end().as_bytes());
        record.push(b'\n');
        let word = desk.opened.header.info.sides[receipt.side.index()].word;
        remarks.push(format!("a receipt: {word} has entry {} and all before it", receipt.entry));
    }
    let last = desk.opened.table.standing().entries;
    (!remarks.is_empty()).then(|| {
        let (first, lines) = (last.saturating_add(1), Vec::new());
        Decision::Accepted(Box::new(Accepted { record, first, last, lines, remarks }))
    })
}

/// The remarks and blank lines behind the last entry.
fn own_asides(record: &[u8]) -> Vec<&[u8]> {
    let lines = record.rsplit(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.take_while(|line| is_aside(line) || line.starts_with(b"= ")).collect()
}

/// Whether the lines from `tail` on hold a remark that is not behind the last entry here.
fn has_new_asides(here: &[u8], there: &[u8], tail: usize) -> bool {
    let own = own_asides(here);
    let mut lines = there.get(tail..).unwrap_or_default().split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.any(|line| line.starts_with(b"#") && !own.contains(&line))
}

/// Where the lines behind the last entry begin; nothing where there is no entry.
fn behind_last_entry(opened: &Opened<'_>) -> Option<usize> {
    let entry = entries_from(opened, 1).pop()?;
    let end = entry.signature.unwrap_or(entry.span).end as usize;
    let rest = opened.text.as_bytes().get(end..).unwrap_or_default();
    Some(end + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1))
}

/// A remark that publishes a secret, or looks like one.
fn is_secret(line: &[u8]) -> bool {
    let text = line.trim_ascii_start().strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
    text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"secret"))
}

fn is_aside(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), [] | [b'#', ..])
}

/// A text with its last line ended.
fn ended(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text
}

/// Lines that end in LF, as records are written.
fn unix(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        // Of two carriage returns one would stay: that line is malformed as it stands.
        match line.strip_suffix(b"\r\n").filter(|line| !line.ends_with(b"\r")) {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    // Of the last line end half may have been lost.
    if out.ends_with(b"\r") && !out.ends_with(b"\r\r") {
        out.pop();
        out.push(b'\n');
    }
    out
}

/// Both versions of what two records do not agree on, a line each; nothing where they agree.
#[must_use]
pub fn parted_in_words(relation: &Relation) -> Option<(String, Option<&Difference>)> {
    let entry = |difference: &Difference| difference.place;
    Some(match relation {
        Relation::Same | Relation::Older { .. } | Relation::Newer { .. } => return None,
        Relation::OtherGame { here, there } => (format!("it is of the game {there}, not of {here}"), None),
        Relation::OtherHeader(difference) => (
            format!("its header is another from line {} on: a header never changes", difference.place),
            Some(difference),
        ),
        Relation::Rewritten(difference) => {
            (format!("entry {} was rewritten: no entry changes once it was sent", entry(difference)), Some(difference))
        }
        Relation::Dropped(difference) => {
            (format!("entry {} was left out: no entry goes once it was sent", entry(difference)), Some(difference))
        }
        Relation::Fork(difference) => {
            (format!("from entry {} on it is another game than the one here", entry(difference)), Some(difference))
        }
    })
}

#[cfg(test)]
mod tests;
