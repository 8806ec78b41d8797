//! The verdict on a whole record: opening it, replaying it, and rewriting a legal one in canonical form. Pure: bytes
//! in, verdict out. It never depends on the system clock, a locale or a file name.

mod compare;
mod declared;
mod digests;
mod evidence;
pub mod faces;
mod format;
pub mod hosting;
pub mod receipts;

pub use compare::{Difference, Relation, compare, compare_alike};
pub use declared::{only_declared, only_declared_in_words};
pub use digests::link;
pub use digests::{Digests, newest_digest, with_digests};
pub use evidence::{DoubleEntry, Evidence, NoEvidence, SignedEntry, TwoPasts, evidence, timeless};
pub use format::{Canonical, Unwritten, format, line};

use format::{canonical_header, header, spelled};

use std::cell::Cell;
use std::fmt;

use memchr::{memchr, memmem, memrchr};

use crate::judging::{STRANGERS_BUDGET, Stop, Table};
use crate::record::{Body, Faults, Frame, Header, HeaderReading, Item, PartialHeader, RECORD_LIMIT, Secrecy, Setup};
use crate::registry;
use crate::registry::AnyGame;
use crate::sealing::{Check, Digest, Ground, PublicKey, Signatures, Spot, begin};
use postrider_kernel::text::unseen::seen;
use postrider_kernel::text::{Diagnostic, Span};
use postrider_kernel::{Info, Outcome, SetupFault, Side, SideName};

/// What the referee says about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// Every entry is legal; the game is in progress or over.
    Legal,
    /// An entry or the result line breaks a rule.
    Illegal,
    /// The text does not fit the grammar of records or of the game.
    Malformed,
    /// This program does not know the format, the game or the edition, or judging the record would take more work than
    /// is allowed for one.
    Unjudged,
}

impl Ruling {
    /// Returns the word for it, as used in `verify --json`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Ruling::Legal => "legal",
            Ruling::Illegal => "illegal",
            Ruling::Malformed => "malformed",
            Ruling::Unjudged => "unjudged",
        }
    }
}

/// The verdict on a record.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Verdict {
    /// The ruling.
    pub ruling: Ruling,
    /// The game, if the header could be read that far.
    pub game: Option<&'static Info>,
    /// How many entries are legal, from the first.
    pub entries: u32,
    /// How many of them each side has made, in the order of [`Side`].
    pub made: [u32; 2],
    /// Whose entry is due after them; `None` if the game is over or nothing was replayed.
    pub due: Option<Side>,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
    /// What is wrong: nothing if the record is legal, all faults if the envelope is malformed, otherwise the one fault
    /// that stopped the replay.
    pub errors: Vec<Diagnostic>,
    /// How many faults there are beyond those listed.
    pub more: usize,
    /// Who signs, in a record with keys or signatures.
    pub signers: Option<Box<Signers>>,
    /// Whether there are remarks among the lines, in a legal record.
    pub has_remarks: bool,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ruling.word())?;
        let Some(error) = self.errors.first() else { return write!(f, ", entries: {}", self.entries) };
        if let Some(entry) = error.entry {
            write!(f, ": entry {entry}")?;
        }
        write!(f, ": {error}")?;
        match self.errors.len() + self.more {
            0 | 1 => Ok(()),
            all => write!(f, " (and {} more)", all - 1),
        }
    }
}

/// Who signs a record, as far as it was replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signers {
    /// The keys that the entries of the two sides are signed with; `None` for a side that does not sign.
    pub keys: [Option<PublicKey>; 2],
    /// The key of the host, in a hosted game: it is that of each side without a key of its own (Z38).
    pub host: Option<PublicKey>,
    /// Whether the key of each side has signed anything: an entry, or a valid receipt. A header may name anybody's key.
    pub signed: [bool; 2],
    /// Whether only the newest signature of each side was checked (Z34).
    pub newest_only: bool,
}

impl Signers {
    /// Returns whether it is the host that signs for a side (Z38).
    #[must_use]
    pub fn by_host(&self, side: Side) -> bool {
        self.host.is_some() && self.keys[side.index()] == self.host
    }

    /// Returns the key that has signed for a side, without one that is only declared.
    #[must_use]
    pub fn signing(&self, side: Side) -> Option<&PublicKey> {
        self.keys[side.index()].as_ref().filter(|_| self.signed[side.index()])
    }

    /// Returns the key that is declared for a side and has signed nothing.
    #[must_use]
    pub fn silent(&self, side: Side) -> Option<&PublicKey> {
        self.keys[side.index()].as_ref().filter(|_| !self.signed[side.index()])
    }

    /// Returns the keys of the two sides' own, without that of the host.
    #[must_use]
    pub fn own_keys(&self) -> [Option<PublicKey>; 2] {
        self.keys.map(|key| key.filter(|_| key != self.host))
    }
}

impl Verdict {
    fn new(ruling: Ruling, errors: Vec<Diagnostic>) -> Self {
        Self {
            ruling,
            game: None,
            entries: 0,
            made: [0; 2],
            due: None,
            outcome: None,
            errors,
            more: 0,
            signers: None,
            has_remarks: false,
        }
    }

    fn malformed(source: &[u8], body: usize, game: Option<&'static Info>, faults: Faults) -> Self {
        let mut errors: Vec<_> = faults.list.into_iter().map(|fault| seen(source, body, fault)).collect();
        errors.sort_by_key(|fault| fault.span.start);
        Self { game, more: faults.more, ..Self::new(Ruling::Malformed, errors) }
    }

    /// The verdict on a record whose replay stopped.
    pub fn stopped(game: &'static Info, table: &dyn Table, stop: Stop) -> Self {
        let (ruling, error) = match stop {
            Stop::Malformed(error) => (Ruling::Malformed, error),
            Stop::Illegal(error) => (Ruling::Illegal, error),
            Stop::Unjudged(error) => (Ruling::Unjudged, error),
        };
        Self { errors: vec![*error], ruling, ..Self::legal(game, table) }
    }

    fn legal(game: &'static Info, table: &dyn Table) -> Self {
        let standing = table.standing();
        Self {
            game: Some(game),
            entries: standing.entries,
            made: standing.made,
            due: standing.outcome.is_none().then_some(standing.due.side),
            outcome: standing.outcome,
            // The chain is also followed in a record without keys if a side has committed to its secret.
            signers: table.signatures().and_then(|signatures| {
                let keys = Side::BOTH.map(|side| signatures.key(side));
                keys.iter().any(Option::is_some).then(|| {
                    // Every entry of a side with a key is signed (Z32, Z38). Receipts are looked for where there are any.
                    let signed = standing.made.map(|made| made > 0);
                    Box::new(Signers { keys, host: signatures.host(), signed, newest_only: false })
                })
            }),
            ..Self::new(Ruling::Legal, Vec::new())
        }
    }
}

/// Returns whether a record is that of a practice game (E12); `false` if it cannot be read.
#[must_use]
pub fn is_practice(source: &[u8]) -> bool {
    let named = |frame: Frame| memmem::find(frame.header.bytes(source), b"machine").is_some();
    Frame::of(source).is_ok_and(named) && Opened::header(source).is_ok_and(|(_, _, header, _)| header.machine.is_some())
}

thread_local! {
    /// How often this thread has opened a record for replaying it, and how often it has replayed one.
    static COUNTED: Cell<[u64; 2]> = const { Cell::new([0; 2]) };
}

/// Returns how many records this thread has opened for replaying, and how many it has replayed. Only builds for tests have this: records can be
/// large, so tests make sure that no command replays one twice.
#[cfg(debug_assertions)]
#[doc(hidden)]
#[must_use]
pub fn counted_here() -> [u64; 2] {
    COUNTED.get()
}

fn count([opened, replayed]: [u64; 2]) {
    if cfg!(debug_assertions) {
        let [before, replayed_before] = COUNTED.get();
        COUNTED.set([before + opened, replayed_before + replayed]);
    }
}

/// A record with a valid envelope: header, game and lines, ready to be replayed.
pub struct Opened<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Where the header and the lines are.
    pub frame: Frame,
    /// The header.
    pub header: Box<Header<'a>>,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The game at its start.
    pub table: Box<dyn Table>,
}

impl<'a> Opened<'a> {
    /// Reads the header of a record and sets up its game. The lines below are not read yet.
    ///
    /// # Errors
    /// The verdict, if the record is malformed or cannot be judged.
    pub fn new(source: &'a [u8]) -> Result<Self, Box<Verdict>> {
        Self::open(source, false)
    }

    /// Like [`Opened::new`], but also follows the chain in a record that has neither keys nor signatures yet.
    ///
    /// # Errors
    /// As [`Opened::new`].
    pub fn with_chain(source: &'a [u8]) -> Result<Self, Box<Verdict>> {
        Self::open(source, true)
    }

    fn open(source: &'a [u8], chain: bool) -> Result<Self, Box<Verdict>> {
        count([1, 0]);
        let (text, frame, header, faults) = Self::header(source)?;
        Self::set_up(text, frame, header, faults, chain)
    }

    /// Returns a record with its table at the end: that of the game that was played there.
    ///
    /// # Errors
    /// The verdict, if its header is malformed or of an unknown game.
    pub fn with_table(source: &'a [u8], table: Box<dyn Table>) -> Result<Self, Box<Verdict>> {
        let (text, frame, header, faults) = Self::header(source)?;
        match registry::of(header.info) {
            Some(game) => Ok(Self { text, frame, header, game, table }),
            None => Err(faulty(source, frame, Some(header.info), faults)),
        }
    }

    /// Reads the header of a record: its text, where its parts are, the header, and faults that keep nothing from being read.
    fn header(source: &'a [u8]) -> Result<(&'a str, Frame, Box<Header<'a>>, Faults), Box<Verdict>> {
        let find = |name: &str| Some(registry::find(name)?.info());
        if source.len() <= RECORD_LIMIT
            && let Ok(text) = std::str::from_utf8(source)
            && let Some((frame, header)) = Header::read_plain(text, find)
        {
            return Ok((text, frame, header, Faults::default()));
        }
        let frame = Frame::of(source).map_err(|fault| Verdict::new(Ruling::Malformed, vec![fault]))?;
        let mut faults = Faults::default();
        let header = match Header::read_tree(source, frame.header, find, &mut faults) {
            HeaderReading::Read(header) => header,
            HeaderReading::Unknown(error) => {
                let error = seen(source, frame.body.start as usize, error);
                return Err(Box::new(Verdict::new(Ruling::Unjudged, vec![error])));
            }
            HeaderReading::Faulty(remains) => {
                faults.list.extend(remains.as_ref().and_then(|remains| fault_of_setup(source, remains)));
                return Err(faulty(source, frame, remains.map(|remains| remains.info), faults));
            }
        };
        // A byte that is not UTF-8 is a fault of its line, which is found when the lines are read.
        let Ok(text) = std::str::from_utf8(source) else {
            return Err(faulty(source, frame, Some(header.info), faults));
        };
        Ok((text, frame, header, faults))
    }

    fn set_up(
        text: &'a str,
        frame: Frame,
        header: Box<Header<'a>>,
        mut faults: Faults,
        chain: bool,
    ) -> Result<Self, Box<Verdict>> {
        let source = text.as_bytes();
        let Some(game) = registry::of(header.info) else {
            return Err(faulty(source, frame, Some(header.info), faults));
        };
        match game.set_up(&header) {
            Ok(table) => {
                let mut opened = Self { text, frame, header, game, table };
                // Who plays against the machine sees what its hand holds only where the position was set up.
                if opened.header.machine.is_some() && opened.header.setup.is_none() {
                    opened.table.veil();
                }
                // Without a signature there is nothing to check against the chain, and most records have none.
                let commits = opened.header.secrecy == Secrecy::Sealed
                    && memmem::find(frame.body.bytes(source), b"; commit ").is_some();
                if chain || commits || opened.header.has_key() || has_signature(frame.body.bytes(source)) {
                    opened.table.follow(opened.signatures());
                }
                Ok(opened)
            }
            Err(fault) => {
                faults.push(setup_fault(text, frame.header, header.setup.as_ref(), fault));
                Err(faulty(source, frame, Some(header.info), faults))
            }
        }
    }

    /// Returns the hash of the header, which identifies a game independently of its id. The position counts in its canonical
    /// spelling, because the formatter may have changed it. For a header already in that spelling, the hash is h(0) of
    /// the chain (Z30).
    #[must_use]
    pub fn game_hash(&self) -> Digest {
        let start = self.header.setup.as_ref().and_then(|_| self.game.set_up(&self.header).ok());
        let header = match start {
            Some(table) => canonical_header(self, &table.position()),
            None => self.frame.header.text(self.text).to_owned(),
        };
        begin(&header).digest()
    }

    /// Returns what a side's nonces, salts and choices are derived from at the end of the record: the chain, if it is
    /// followed and the side has committed to its secret or does so with its first entry (`commits`).
    #[must_use]
    pub fn ground(&self, side: Side, commits: bool) -> Ground {
        self.ground_at(self.table.as_ref(), side, commits)
    }

    /// Returns the same for a table of the record: what was sealed in an entry that is only tried is known to it alone.
    #[must_use]
    pub fn ground_at(&self, table: &dyn Table, side: Side, commits: bool) -> Ground {
        let made = table.standing().made;
        let first = commits && made.get(side.index()) == Some(&0);
        let Some(seals) = table.seals() else { return Ground::default() };
        let committed = first || seals.commitment(side).is_some();
        let spot = table
            .signatures()
            .filter(|_| committed)
            .map(|signatures| Spot { header: self.header_hash(), before: signatures.before() });
        let (roots, seals) = (seals.roots(side).clone(), Some((side, seals.clone())));
        Ground { spot, seals, roots }
    }

    /// Returns h(0) of the chain, the hash of the header as written (Z30).
    #[must_use]
    pub fn header_hash(&self) -> Digest {
        begin(self.frame.header.text(self.text)).digest()
    }

    /// Returns the lines below the header, from the first on.
    #[must_use]
    pub fn body(&self) -> Body<'a> {
        Body::new(self.text.as_bytes(), self.frame.body, Some(self.header.info), Faults::default())
    }

    /// Returns the record as it was before its last entry, with the table at that point; `None` if it has no entry.
    #[must_use]
    pub fn before_last(&self, table: Box<dyn Table>) -> Option<Self> {
        let end = self.last_entry()?;
        let mut frame = self.frame;
        frame.body = Span::new(frame.body.start as usize, end);
        Some(Self { text: self.text.get(..end)?, frame, header: self.header.clone(), game: self.game, table })
    }

    /// Where the line of the last entry begins. It is searched for from the end: only an entry's line begins with a
    /// digit.
    fn last_entry(&self) -> Option<usize> {
        let start = self.frame.body.start as usize;
        let body = self.frame.body.bytes(self.text.as_bytes());
        let mut end = body.len();
        while end > 0 {
            let line = memrchr(b'\n', body.get(..end.saturating_sub(1))?).map_or(0, |at| at + 1);
            if body.get(line)?.is_ascii_digit() {
                return Some(start + line);
            }
            end = line;
        }
        None
    }

    /// Replays up to `limit` entries, or all of them for [`u32::MAX`], and returns the verdict.
    pub fn replay(&mut self, limit: u32) -> Verdict {
        count([0, 1]);
        let mut body = self.body();
        let stopped = self.table.run(self.text, &mut body, limit);
        self.verdict(body, stopped)
    }

    /// Like [`Opened::replay`] for all entries, but slower: `note` is called before each entry is played, with the game
    /// at that point and whether it is the last entry.
    pub(crate) fn replay_noting(&mut self, note: &mut dyn FnMut(&dyn Table, bool)) -> Verdict {
        count([0, 1]);
        let last = self.last_entry();
        let mut body = self.body();
        let mut stopped = Ok(());
        while let Some(item) = body.next_item() {
            if stopped.is_err() {
                continue;
            }
            stopped = match &item {
                Item::Entry(entry) => {
                    note(self.table.as_ref(), Some(entry.span.start as usize) == last);
                    self.table.pass(self.text, entry)
                }
                Item::Result(line) => self.table.check_result(self.text, *line),
                _ => Ok(()),
            };
        }
        self.verdict(body, stopped)
    }

    /// The verdict on a body that was read to its end.
    fn verdict(&mut self, body: Body<'_>, stopped: Result<(), Stop>) -> Verdict {
        if let Some(entries) = self.table.spoiled() {
            self.go_back(entries);
        }
        let game = self.header.info;
        if !body.faults.is_empty() {
            return Verdict::malformed(self.text.as_bytes(), self.frame.body.start as usize, Some(game), body.faults);
        }
        match stopped {
            Ok(()) => {
                let mut verdict = Verdict::legal(game, self.table.as_ref());
                verdict.has_remarks = body.has_remarks;
                if let Some(signers) = verdict.signers.as_mut().filter(|_| body.has_remarks) {
                    self.note_receipts(signers);
                }
                verdict
            }
            Err(stop) => {
                let mut verdict = Verdict::stopped(game, self.table.as_ref(), stop);
                // What is legal or not was read as it is meant; a result is compared letter by letter.
                let is_result = |fault: &Diagnostic| fault.span.text(self.text).starts_with('=');
                let (source, body, ruling) = (self.text.as_bytes(), self.frame.body.start as usize, verdict.ruling);
                let errors = std::mem::take(&mut verdict.errors).into_iter();
                let named = errors.map(|fault| match ruling {
                    Ruling::Malformed => seen(source, body, fault),
                    _ if is_result(&fault) => seen(source, body, fault),
                    _ => fault,
                });
                verdict.errors = named.collect();
                verdict
            }
        }
    }
}

impl Opened<'_> {
    /// Whether this side may still hide something in the game, whether or not it does.
    #[must_use]
    pub fn hides(&self, side: Side) -> bool {
        let table = &self.table;
        table.seals().is_some() && table.standing().outcome.is_none() && !table.hidden_names(side).is_empty()
    }

    /// Replays `entries` entries, which were found legal before, on a new table that replaces a spoiled one.
    #[cold]
    fn go_back(&mut self, entries: u32) {
        // It could be set up before, so it can be again.
        let Ok(mut table) = self.game.set_up(&self.header) else { return };
        if self.table.signatures().is_some() {
            table.follow(self.signatures());
        }
        table.set_check(Check::Newest);
        // These entries were legal before, so none is refused.
        let _ = table.run(self.text, &mut self.body(), entries);
        table.set_check(self.table.check());
        table.set_budget(self.table.set_budget(0));
        self.table = table;
    }

    /// The state before anything is signed, with the keys that the header names.
    fn signatures(&self) -> Signatures {
        let keys = self.header.players.each_ref().map(|player| player.key.as_deref().copied());
        let host = self.header.host.as_ref().map(|host| host.key);
        Signatures::new(&self.header.id, begin(self.frame.header.text(self.text)), keys).with_host(host)
    }

    /// Limits the work spent on the record to what a stranger's mail is allowed.
    #[must_use]
    pub fn of_stranger(self) -> Self {
        let Self { mut table, .. } = self;
        table.set_budget(STRANGERS_BUDGET);
        Self { table, ..self }
    }
}

/// Returns whether a line begins like that of a signature.
fn has_signature(body: &[u8]) -> bool {
    const TILDE: u8 = b'~';
    // Few records contain the character at all.
    memchr(TILDE, body).is_some() && memmem::find(body, b"\n  ~ ").is_some()
}

/// The verdict on a record with a faulty header; the lines below it are checked for faults of their own.
fn faulty(source: &[u8], frame: Frame, game: Option<&'static Info>, faults: Faults) -> Box<Verdict> {
    let mut body = Body::new(source, frame.body, game, faults);
    while body.next_item().is_some() {}
    Box::new(Verdict::malformed(source, frame.body.start as usize, game, body.faults))
}

/// The fault of the position in a header that also has other faults, so that one run reports all of them.
fn fault_of_setup(source: &[u8], remains: &PartialHeader<'_>) -> Option<Diagnostic> {
    let setup = remains.setup.as_ref()?;
    let fault = registry::find(remains.info.name)?.table(&remains.options, Some(&setup.position)).err()?;
    if matches!(fault, SetupFault::Needs { .. }) {
        // It is no longer known whether the record is sealed.
        return None;
    }
    Some(setup_fault(std::str::from_utf8(source).unwrap_or_default(), Span::default(), Some(setup), fault))
}

fn setup_fault(record: &str, header: Span, setup: Option<&Setup<'_>>, fault: SetupFault) -> Diagnostic {
    let span = setup.map_or(Span::at(0), |setup| setup.span);
    let misfit = match fault {
        SetupFault::Position(misfit) => misfit,
        SetupFault::Needs { option, needs } => {
            let place = Header::option_place(record, header, option).unwrap_or_default();
            let message = format!("this value of the option `{option}` needs `{needs}` in the header");
            return Diagnostic::fault(place, message);
        }
        SetupFault::Beside { option } => {
            return Diagnostic::fault(span, format!("a position cannot be combined with the option `{option}`"))
                .with_help("one of the two is left out of the header");
        }
    };
    let text = span.text(record);
    // In double quotes without escapes, an offset in the position is an offset in the record.
    let start = span.start as usize + usize::from(text.starts_with('"'));
    let exact = setup.is_some_and(|setup| text.trim_matches('"') == setup.position);
    let span = if exact { Span::new(start + misfit.offset, span.end as usize) } else { span };
    Diagnostic::fault(
        span,
        format!("the position does not fit at character {}: expected {}", misfit.offset + 1, misfit.expected),
    )
}

/// Adds the line of an entry to the bytes of a record, `below` directly below that line, and the result if the game between these sides
/// is over at `after`.
pub fn append(record: &mut Vec<u8>, sides: &[SideName; 2], after: &dyn Table, line: &str, below: &str) {
    if !record.ends_with(b"\n") {
        record.push(b'\n');
    }
    record.extend_from_slice(line.as_bytes());
    record.push(b'\n');
    record.extend_from_slice(below.as_bytes());
    if let Some(outcome) = after.standing().outcome {
        record.extend_from_slice(format!("= {}\n", outcome.text(sides)).as_bytes());
    }
}

/// Judges a record.
#[must_use]
pub fn verify(source: &[u8]) -> Verdict {
    match Opened::new(source) {
        Ok(mut opened) => opened.replay(u32::MAX),
        Err(verdict) => *verdict,
    }
}

/// Like [`verify`], but of the signatures it checks only the newest of each side, which proves everything up to it
/// (Z34), and that the others are present. If one is not valid, or the record is refused, the verdict is that of
/// [`verify`], which reports the first fault.
#[must_use]
pub fn verify_newest(source: &[u8]) -> Verdict {
    let mut opened = match Opened::new(source) {
        Ok(opened) => opened,
        Err(verdict) => return *verdict,
    };
    opened.table.set_check(Check::Newest);
    let mut verdict = opened.replay(u32::MAX);
    let holds = opened.table.signatures().is_none_or(|signatures| {
        let newest = Side::BOTH.into_iter().filter_map(|side| signatures.newest(side));
        newest.into_iter().all(|signed| signed.verify(signatures.game()).is_ok())
    });
    // The refusal may be due to an earlier signature that was not checked.
    if !holds || verdict.ruling != Ruling::Legal {
        return verify(source);
    }
    if let Some(signers) = &mut verdict.signers {
        signers.newest_only = true;
    }
    verdict
}
