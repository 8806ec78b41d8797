//! Making the next entry of a record: what a player typed becomes a canonical line at the end of the record. Pure:
//! bytes in, bytes out. A record is replayed once, when it is put on the desk. A typed entry is judged there and
//! appended, and the new bytes are verified once more as a stranger would verify them.

pub mod audit;
pub mod begin;
pub mod block;
pub mod chain;
pub mod clock;
pub mod effects;
pub mod examples;
pub mod export;
pub mod growth;
pub mod merge;
pub mod positions;
pub mod reply_line;
pub mod scenes;
pub mod undo;

use std::fmt;

use crate::judging::{Beside, Judged, Stop, Table, Typed, Unfinished};
use crate::record::Time;
use crate::sealing::{Check, Done, KeyStore, NotSigned, Owner, PublicKey, Thrown, Unsigned, write_signature};
use crate::verdict::{Digests, Opened, Ruling, Verdict, append, verify_newest};
use postrider_kernel::scene::Scene;
use postrider_kernel::text::is_forbidden;
use postrider_kernel::{Lost, Next, Side, SideName, Viewer};

/// How far an entry's time may be ahead of the system clock, in seconds, because clocks differ. An entry in a letter that is further ahead is held back.
pub const AHEAD: i64 = 10 * 60;
/// The most bytes of the message of an entry that is taken from a letter, or made here.
pub const MESSAGE: usize = 2 << 10;

/// What a player wants to enter.
#[derive(Clone, Copy, Debug)]
pub struct EntryRequest<'a> {
    /// The actions as typed.
    pub actions: &'a str,
    /// A message to the opponent.
    pub message: Option<&'a str>,
    /// The time of the entry, if the record is to have times.
    pub time: Time,
    /// Whether the player asked for this time; otherwise it is from the system clock.
    pub time_asked: bool,
}

/// A legal entry, and the record with it.
pub struct Entered {
    /// The new record. It begins with the bytes of the old one (plus a line end if that was missing).
    pub record: Vec<u8>,
    /// The line of the entry.
    pub line: String,
    /// Its number.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The actions in canonical spelling.
    pub actions: String,
    /// The time used instead of the requested one, because the previous entry has this time and no entry may be earlier
    /// (E3).
    pub later: Option<Time>,
    /// What was sealed, salted and opened in addition to what was typed.
    pub done: Vec<Done>,
    /// The throws that it completed.
    pub thrown: Vec<Thrown>,
    /// The key that signs it, if the side has one.
    pub key: Option<PublicKey>,
    /// Whether this entry declares that key (E10).
    pub declares: bool,
    /// How many bytes of the record were there before.
    pub begun: usize,
    /// The game before the entry.
    pub before: Box<dyn Table>,
    /// The game after the entry.
    pub table: Box<dyn Table>,
    /// The digests of the chain up to the entry before.
    pub digests: Digests,
}

impl Entered {
    /// Puts the record with the entry on the desk. Nothing is replayed for that.
    ///
    /// # Errors
    /// Never for a record that a desk has made.
    pub fn desk(&self) -> Result<Desk<'_>, Refusal> {
        let digests = self.digests.clone().continued(self.table.as_ref());
        let opened = Opened::with_table(&self.record, self.table.copy()).map_err(Refusal::Record)?;
        Ok(Desk { opened, digests, before: Some(self.before.copy()) })
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").field("line", &self.line).finish_non_exhaustive()
    }
}

/// The result of answering without typing anything.
pub enum Answer {
    /// The entry is forced, and can be appended.
    Forced(Box<Tried>),
    /// The entry begins with something forced, and the player chooses the rest: the game at that point.
    Choose(Box<dyn Table>),
    /// Nothing is forced; says what is due.
    Nothing(&'static str),
}

/// Why nothing was entered.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The record itself is not legal, so nothing can follow.
    #[error("the record is {0}")]
    Record(Box<Verdict>),
    /// The game is over.
    #[error("the game is over ({0}): nothing can be entered (E4)")]
    Over(String),
    /// The previous entry is ahead of this machine's clock, and a new one cannot be earlier (E3): its time, and the
    /// time here.
    #[error("the previous entry is dated {0}, ahead of the clock here ({1})")]
    Ahead(Time, Time),
    /// There is a time or a message among the actions.
    #[error("a time or a message does not belong among the actions")]
    Aside,
    /// The message is not allowed in a record (E9).
    #[error("{0} (E9)")]
    Message(&'static str),
    /// The secret that the entry needs is not available.
    #[error(transparent)]
    Lost(Lost),
    /// The entry cannot be signed.
    #[error(transparent)]
    NotSigned(NotSigned),
    /// The entry is refused: what was typed (with the message and time that were to follow it, if the fault is there),
    /// and the verdict on it, with places in that text.
    #[error("{1}")]
    Entry(String, Box<Verdict>),
    /// The bytes to be written did not pass the final check, and were not written.
    #[error("the record with the entry would be {1}")]
    Unsound(Vec<u8>, Box<Verdict>),
}

/// Holds no secrets, so anything sealed must be typed with its seal.
pub struct NoKeyStore;

impl KeyStore for NoKeyStore {
    fn secret(&mut self, _: bool) -> Result<Option<crate::sealing::Secret>, Lost> {
        self.random().map(|_| None)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Err(Lost("no secrets are kept here".into()))
    }
}

/// A legal record on the desk: replayed once, with its chain of digests.
pub struct Desk<'a> {
    /// The record, with its table at the end.
    pub opened: Opened<'a>,
    /// The digests of the chain, before the first entry and after each (Z30).
    pub digests: Digests,
    /// The game before the last entry; `None` if there is no entry.
    before: Option<Box<dyn Table>>,
}

/// An entry that was judged at the desk and is not appended yet. It borrows nothing from the record's text, so a long record is not
/// held twice.
pub struct Tried {
    judged: Judged,
    done: Vec<Done>,
    declared: Option<PublicKey>,
    /// The time used instead of the requested one.
    later: Option<Time>,
    /// The game's id.
    id: String,
    sides: [SideName; 2],
    before: Box<dyn Table>,
    digests: Digests,
}

impl<'a> Desk<'a> {
    /// Replays a record and checks all its signatures.
    ///
    /// # Errors
    /// [`Refusal::Record`], if it is not legal.
    pub fn open(source: &'a [u8]) -> Result<Self, Refusal> {
        Self::replayed(Opened::with_chain(source).map_err(Refusal::Record)?)
    }

    fn replayed(mut opened: Opened<'a>) -> Result<Self, Refusal> {
        let (mut digests, mut before) = (Digests::of(opened.text.as_bytes()), None);
        let verdict = opened.replay_noting(&mut |table, is_last| {
            digests.push(table);
            if is_last {
                before = Some(table.copy());
            }
        });
        if verdict.ruling != Ruling::Legal {
            return Err(Refusal::Record(Box::new(verdict)));
        }
        digests.push(opened.table.as_ref());
        Ok(Self { opened, digests, before })
    }

    /// Returns what a viewer without a secret sees, with marks for what the last entry did.
    #[must_use]
    pub fn scene(&self, viewer: Viewer) -> Scene {
        let mut scene = self.opened.table.view(viewer);
        if let Some(before) = &self.before {
            scene.mark_since(&before.view(viewer));
        }
        if let Some((_, line)) = self.last() {
            scene.blows = self.opened.table.blows(parts(line).0);
        }
        scene
    }

    /// Returns the desk as it was before the last entry, without the state before that; `None` if there is no entry.
    #[must_use]
    pub fn before_last(&self) -> Option<Self> {
        let opened = self.opened.before_last(self.before.as_ref()?.copy())?;
        let digests = self.digests.before_last()?;
        Some(Self { opened, digests, before: None })
    }

    /// Judges what a player typed as the next entry, and appends it in canonical spelling. Seals, salts and openings
    /// that it needs are added, and it is signed if possible.
    ///
    /// # Errors
    /// Why it is refused. Nothing has changed in that case.
    pub fn enter(&self, request: &EntryRequest<'_>, keys: &mut dyn KeyStore) -> Result<Entered, Refusal> {
        self.judge(request, keys)?.appended(self.opened.text, keys)
    }

    /// Returns the actions of the entry that would result from what a player typed, in canonical spelling. Nothing is
    /// appended or signed.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn actions(&self, request: &EntryRequest<'_>, keys: &mut dyn KeyStore) -> Result<String, Refusal> {
        Ok(self.judge(request, keys)?.judged.actions)
    }

    /// Judges what a player typed as the next entry, like [`Desk::enter`], and leaves it to the caller to append it.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn judge(&self, request: &EntryRequest<'_>, keys: &mut dyn KeyStore) -> Result<Tried, Refusal> {
        self.not_over()?;
        let words: Vec<_> = request.actions.split_whitespace().collect();
        if request.actions.contains(['{', '}']) || words.iter().skip(1).any(|word| word.starts_with('@')) {
            return Err(Refusal::Aside);
        }
        let beside = self.beside(request)?;
        let refused = |stop| self.refused(request.actions, &beside, stop);
        let mut typed = self.opened.table.read(request.actions).map_err(refused)?;
        // Before anything is created or stored for the entry, because without the key it cannot be made.
        let declared = self.key_at_hand(typed.side(), keys)?;
        let done = if words.is_empty() { Vec::new() } else { self.complete(typed.as_mut(), keys, refused)? };
        self.tried(typed, done, declared, (beside, request.time), keys)
    }

    /// Judges the entry that is forced, if there is one.
    ///
    /// # Errors
    /// Why it is refused. Nothing has changed in that case.
    pub fn answer(&self, request: &EntryRequest<'_>, keys: &mut dyn KeyStore) -> Result<Answer, Refusal> {
        self.not_over()?;
        let due = self.opened.table.standing().due;
        let declared = self.key_at_hand(due.side, keys)?;
        let mut owner = self.owner(due.side, keys);
        if let Some(after) = self.opened.table.after_opening(&mut owner).map_err(Refusal::Lost)?
            && after.standing().outcome.is_none()
        {
            return Ok(Answer::Choose(after));
        }
        let beside = self.beside(request)?;
        let refused = |stop| self.refused("", &beside, stop);
        let mut forced = self.opened.table.read("").map_err(refused)?;
        let done = self.complete(forced.as_mut(), keys, refused)?;
        if forced.is_empty() {
            return Ok(Answer::Nothing(due.what));
        }
        Ok(Answer::Forced(Box::new(self.tried(forced, done, declared, (beside, request.time), keys)?)))
    }

    /// Judges a completed entry.
    fn tried(
        &self,
        mut typed: Box<dyn Typed>,
        done: Vec<Done>,
        declared: Option<PublicKey>,
        (beside, asked): (Beside<'_>, Time),
        keys: &mut dyn KeyStore,
    ) -> Result<Tried, Refusal> {
        let text = typed.text().to_owned();
        let first = declared.is_none() && self.opened.table.standing().made[typed.side().index()] == 0;
        if first
            && typed.takes_key()
            && let Some(key) = keys.key(None).map_err(Refusal::NotSigned)?
        {
            typed.declare(&key);
        }
        self.commit(typed.as_mut(), keys)?;
        let judged = typed.judge(&beside).map_err(|stop| self.refused(&text, &beside, stop))?;
        let (before, digests) = (self.opened.table.copy(), self.digests.clone());
        let (id, sides) = (self.opened.header.id.clone().into_owned(), self.opened.header.info.sides);
        let later = beside.time.filter(|&time| time != asked);
        Ok(Tried { judged, done, declared, later, id, sides, before, digests })
    }

    /// Makes an entry again from its canonical line: one that was signed, and then lost before it was written.
    ///
    /// # Errors
    /// Why it is refused. Nothing has changed in that case.
    pub fn enter_again(&self, line: &str, now: Time, keys: &mut dyn KeyStore) -> Result<Entered, Refusal> {
        let (actions, time, message) = parts(line);
        let time = time.and_then(|time| Time::read(time.as_bytes()));
        self.enter(&EntryRequest { actions, message, time: time.unwrap_or(now), time_asked: time.is_some() }, keys)
    }

    /// Returns the side of the last entry, and its canonical line.
    #[must_use]
    pub fn last(&self) -> Option<(Side, &str)> {
        self.opened.table.signatures().and_then(|signatures| signatures.last())
    }

    fn not_over(&self) -> Result<(), Refusal> {
        match self.opened.table.standing().outcome {
            Some(outcome) => Err(Refusal::Over(outcome.text(&self.opened.header.info.sides))),
            None => Ok(()),
        }
    }

    fn word(&self, side: Side) -> &'static str {
        self.opened.header.info.sides[side.index()].word
    }

    fn owner<'o>(&'o self, side: Side, keys: &'o mut dyn KeyStore) -> Owner<'o> {
        let ground = self.opened.ground(side, keys.commits());
        Owner::new(&self.opened.header.id, self.word(side), keys, ground)
    }

    /// The time of the entry, if it is to have one, and the message, if it is allowed in a record (E9).
    fn beside<'s>(&'s self, request: &EntryRequest<'s>) -> Result<Beside<'s>, Refusal> {
        let message = request.message.map(str::trim).filter(|message| !message.is_empty());
        if message.is_some_and(|text| text.contains(['{', '}'])) {
            return Err(Refusal::Message("a message cannot contain braces"));
        }
        if message.is_some_and(|text| text.chars().any(is_forbidden)) {
            return Err(Refusal::Message("a message is one line without control characters"));
        }
        if message.is_some_and(|text| text.len() > MESSAGE) {
            return Err(Refusal::Message("a message has at most 2 KiB: your opponent's program refuses a longer one"));
        }
        let standing = self.opened.table.standing();
        let timed = standing.timed.unwrap_or(true) || self.opened.header.clock.is_some();
        // A few minutes are the difference between two clocks; a larger gap would be a time that the player has not
        // chosen.
        let ahead = |last: &Time| timed && !request.time_asked && last.0 > request.time.0.saturating_add(AHEAD);
        if let Some(last) = standing.last.filter(ahead) {
            return Err(Refusal::Ahead(last, request.time));
        }
        let time = (timed || request.time_asked).then(|| {
            // Clocks of two machines differ: an entry made just after the opponent's is not earlier than it (E3).
            let floor = if request.time_asked { None } else { standing.last };
            floor.map_or(request.time, |last| request.time.max(last))
        });
        Ok(Beside { time, message })
    }

    /// Returns the key that a side has declared, or that signs for it in its place (Z38). A side without one may declare one with its
    /// first entry.
    fn key_at_hand(&self, side: Side, keys: &mut dyn KeyStore) -> Result<Option<PublicKey>, Refusal> {
        let Some(signatures) = self.opened.table.signatures() else { return Ok(None) };
        let declared = signatures.key(side);
        let first = self.opened.table.standing().made.get(side.index()) == Some(&0);
        if first && signatures.own_key(side).is_none() && signatures.host().is_some() {
            let own = keys.key(None).map_err(Refusal::NotSigned)?;
            if own.is_some() {
                return Ok(None);
            }
        }
        if declared.is_some() {
            keys.key(declared).map_err(Refusal::NotSigned)?;
        }
        Ok(declared)
    }

    /// Lets a side commit to its secret with its first entry in a sealed game (Z20).
    fn commit(&self, typed: &mut dyn Typed, keys: &mut dyn KeyStore) -> Result<(), Refusal> {
        let (side, standing) = (typed.side(), self.opened.table.standing());
        let first = standing.made.get(side.index()) == Some(&0) && side == standing.due.side;
        if !first || self.opened.table.seals().is_none() || !keys.commits() || !typed.has_game_action() {
            return Ok(());
        }
        if let Some(secret) = keys.secret(true).map_err(Refusal::Lost)? {
            let header = &self.opened.header;
            typed.commit(secret.commitment(&header.id, self.word(side), &self.opened.header_hash()));
        }
        Ok(())
    }

    /// Adds what the record needs to what was typed, and reports what that was.
    fn complete(
        &self,
        typed: &mut dyn Typed,
        keys: &mut dyn KeyStore,
        refused: impl Fn(Stop) -> Refusal,
    ) -> Result<Vec<Done>, Refusal> {
        let mut owner = self.owner(self.opened.table.standing().due.side, keys);
        match typed.complete(&mut owner) {
            Ok(()) => Ok(owner.done),
            Err(Unfinished::Lost(lost)) => Err(Refusal::Lost(lost)),
            Err(Unfinished::Stop(stop)) => Err(refused(stop)),
        }
    }

    /// Makes the refusal of what was typed.
    fn refused(&self, typed: &str, beside: &Beside<'_>, stop: Stop) -> Refusal {
        refused(&self.opened, typed, beside, stop)
    }
}

impl Tried {
    /// Returns the entry's actions in canonical spelling.
    #[must_use]
    pub fn actions(&self) -> &str {
        &self.judged.actions
    }

    /// Returns the canonical line of the entry.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.judged.line
    }

    /// Appends it to the record that it was judged for.
    ///
    /// # Errors
    /// As [`Tried::append`].
    pub fn appended(self, record: &str, keys: &mut dyn KeyStore) -> Result<Entered, Refusal> {
        let mut copy = Vec::with_capacity(record.len() + self.judged.line.len() + ADDED);
        copy.extend_from_slice(record.as_bytes());
        self.append(&mut copy, keys)
    }

    /// Appends it to the bytes of the record that it was judged for, and verifies them as a stranger would. Takes the bytes.
    ///
    /// # Errors
    /// If it cannot be signed, or the record with it does not pass the check. The bytes are then left as they were.
    pub fn append(self, record: &mut Vec<u8>, keys: &mut dyn KeyStore) -> Result<Entered, Refusal> {
        let Self { judged, done, declared, later, id, sides, before, digests } = self;
        let begun = record.len();
        let key = write(record, &judged, &id, &sides, keys)?;
        let (done, thrown) = by_the_entry(&judged, done);
        let Judged { number, side, actions, line, table } = judged;
        let declares = key.is_some() && declared.is_none();
        Ok(Entered {
            record: std::mem::take(record),
            line,
            number,
            side,
            actions,
            later,
            done,
            thrown,
            key,
            declares,
            begun,
            before,
            table,
            digests,
        })
    }
}

/// More bytes than an entry adds to a record beside its line: a signature, line ends and the result.
const ADDED: usize = 256;

/// Signs an entry, if its side has a key, and adds it to the record. The bytes to be written are checked as a stranger would check them.
fn write(
    record: &mut Vec<u8>,
    judged: &Judged,
    id: &str,
    sides: &[SideName; 2],
    keys: &mut dyn KeyStore,
) -> Result<Option<PublicKey>, Refusal> {
    let Judged { number, side, line, table, .. } = judged;
    let signatures = table.signatures();
    let key = signatures.and_then(|signatures| signatures.key(*side));
    let signature = match (key, signatures) {
        (Some(key), Some(signatures)) => {
            keys.key(Some(key)).map_err(Refusal::NotSigned)?;
            let digest = signatures.link().digest();
            let side = sides[side.index()].word;
            keys.sign(&Unsigned { game: id, side, number: *number, digest: &digest, line })
                .map_err(Refusal::NotSigned)?
        }
        _ => None,
    };
    let signed = signature.map(|signature| format!("  ~ {}\n", write_signature(&signature))).unwrap_or_default();
    let begun = record.len();
    append(record, sides, table.as_ref(), line, &signed);
    // Everything before it has been checked in full; an entry that is only tried has no signature.
    let only_tried = key.is_some() && signature.is_none();
    let verdict = if only_tried { verify_unsigned(record) } else { verify_newest(record) };
    if verdict.ruling != Ruling::Legal || verdict.entries != *number {
        let unsound = record.clone();
        record.truncate(begun);
        return Err(Refusal::Unsound(unsound, Box::new(verdict)));
    }
    Ok(key)
}

/// Returns what may follow the typed beginning of an entry by the side that is due; adds the seals and openings that it
/// needs. With the secret of that side, this includes what only that side may know. The record must have been
/// replayed, and be legal.
///
/// # Errors
/// Why the beginning is refused.
pub fn next(opened: &mut Opened<'_>, begun: &str, keys: &mut dyn KeyStore) -> Result<Next, Refusal> {
    let standing = opened.table.standing();
    if let Some(outcome) = standing.outcome {
        return Err(Refusal::Over(outcome.text(&opened.header.info.sides)));
    }
    let word = opened.header.info.sides[standing.due.side.index()].word;
    if opened.table.seals().is_some() && keys.secret(false).map_err(Refusal::Lost)?.is_some() {
        let ground = opened.ground(standing.due.side, keys.commits());
        let mut owner = Owner::new(&opened.header.id, word, keys, ground);
        opened.table.reveal_to_owner(standing.due.side, &mut owner).map_err(Refusal::Lost)?;
    }
    let typed = completed(opened, begun, keys)?;
    typed.next().map_err(|stop| refused(opened, begun, &Beside::default(), stop))
}

/// Reads the beginning of an entry of the side that is due, and adds the seals and openings that it needs.
///
/// # Errors
/// Why it is refused.
pub fn completed(opened: &Opened<'_>, begun: &str, keys: &mut dyn KeyStore) -> Result<Box<dyn Typed>, Refusal> {
    let refused = |stop| refused(opened, begun, &Beside::default(), stop);
    let mut typed = opened.table.read(begun).map_err(refused)?;
    if !begun.trim().is_empty() {
        let side = opened.table.standing().due.side;
        let ground = opened.ground(side, keys.commits());
        let word = opened.header.info.sides[side.index()].word;
        match typed.complete(&mut Owner::new(&opened.header.id, word, keys, ground)) {
            Ok(()) => {}
            Err(Unfinished::Lost(lost)) => return Err(Refusal::Lost(lost)),
            Err(Unfinished::Stop(stop)) => return Err(refused(stop)),
        }
    }
    Ok(typed)
}

/// Returns what may be entered that begins with `typed`, and the actions of it that are whole: what may follow them if
/// they all are, as [`next`] does; otherwise every next action that begins with the characters of the last one.
///
/// # Errors
///
/// Those of [`next`], if nothing legal begins so.
pub fn beginning<'a>(
    opened: &mut Opened<'_>,
    typed: &'a str,
    keys: &mut dyn KeyStore,
) -> Result<(Next, &'a str), Refusal> {
    let refusal = match next(opened, typed, keys) {
        Err(refusal @ Refusal::Entry(..)) => refusal,
        next => return Ok((next?, typed)),
    };
    let (begun, last) = typed.rsplit_once(';').unwrap_or(("", typed));
    let starting = next(opened, begun, keys).ok().and_then(|next| starting(&next, last.trim()));
    starting.map(|next| (next, begun)).ok_or(refusal)
}

/// Those of the next actions that start with these characters, if there are any.
pub fn starting(next: &Next, last: &str) -> Option<Next> {
    let actions: Vec<String> = next.actions.iter().filter(|action| action.starts_with(last)).cloned().collect();
    (!last.is_empty() && !actions.is_empty()).then_some(Next { actions, whole: false, ..*next })
}

/// Returns whether the next entry of a replayed record is entirely forced, so that [`Desk::answer`] makes it. It is not
/// if the secret that it needs is not available.
pub fn is_forced(opened: &Opened<'_>, keys: &mut dyn KeyStore) -> bool {
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        return false;
    }
    let side = standing.due.side;
    let ground = opened.ground(side, keys.commits());
    let mut owner = Owner::new(&opened.header.id, opened.header.info.sides[side.index()].word, keys, ground);
    match opened.table.after_opening(&mut owner) {
        Ok(Some(after)) if after.standing().outcome.is_none() => return false,
        Err(_) => return false,
        Ok(_) => {}
    }
    let Ok(mut typed) = opened.table.read("") else { return false };
    typed.complete(&mut owner).is_ok() && !typed.is_empty()
}

/// Makes the refusal of what was typed at a table. If the fault is in the time or message, they are shown with it.
pub fn refused(opened: &Opened<'_>, typed: &str, beside: &Beside<'_>, stop: Stop) -> Refusal {
    let mut text = typed.trim_end().to_owned();
    if stop.diagnostic().span.end as usize > text.len() {
        text.push_str(&beside.time.map(|time| format!(" @{time}")).unwrap_or_default());
    }
    Refusal::Entry(text, Box::new(Verdict::stopped(opened.header.info, opened.table.as_ref(), stop)))
}

/// Splits an entry's canonical line into its actions, time and message.
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

/// Judges a record whose last entry is not signed yet and whose other signatures have been checked.
fn verify_unsigned(record: &[u8]) -> Verdict {
    match Opened::new(record) {
        Ok(mut opened) => {
            opened.table.set_check(Check::Nothing);
            opened.replay(u32::MAX)
        }
        Err(verdict) => *verdict,
    }
}

/// Keeps what the entry itself shows of what was done for it, with the throws that it completed. A seal that the
/// owner only looked into is not opened.
fn by_the_entry(judged: &Judged, mut done: Vec<Done>) -> (Vec<Done>, Vec<Thrown>) {
    let Some(seals) = judged.table.seals() else { return (done, Vec::new()) };
    done.retain(|one| if let Done::Opened(label) = one { seals.opens_in(judged.number, label) } else { true });
    (done, seals.thrown().iter().filter(|one| one.entry == judged.number).cloned().collect())
}
