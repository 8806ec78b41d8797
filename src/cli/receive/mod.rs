//! `postrider receive`.

mod answers;
mod likeness;
mod plain;
mod records;
mod shared;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

pub(super) use plain::drafts;

use super::hints::{Failure, name};
use super::{input, json, keys, withdrawn};
use crate::archive::Shelf;
use crate::mail::inbox::{self, ImapError, InboxError, Taker};
use crate::mail::incoming::{self, Dmarc, Mail};
use crate::record::Time;
use crate::store::{
    Arrivals, HeldBack, Invitations, Mark, PlainReplies, Received, Settings, Source, put_private, remove,
};
use crate::text::{counted, printable};
use crate::verdict::Opened;
use likeness::Known;
use records::Held;
pub(super) use shared::shared;

/// A temporary failure, as delivery agents know it (EX_TEMPFAIL of sysexits): they keep the message and try again.
const TEMPORARY: u8 = 75;
/// What a script may ask to learn: something was refused.
const REFUSED: u8 = 1;

/// How many records are held at once before they are written; each is an open file.
const MOST_HELD: usize = 256;
/// How many bytes of records are held at once.
const MOST_BYTES: usize = 16 << 20;
/// How long records are held: any other process that wants one waits that long, and gives up after five seconds.
const LONGEST_HELD: Duration = Duration::from_secs(1);

/// Read mail, and take your opponents' entries from it
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  postrider receive < message            one message, as procmail, sieve and mutt hand it over
  postrider receive letter.eml
  postrider receive ~/Mail/games         an mbox or a Maildir; nothing is read twice
  postrider receive --imap               the mailbox that the settings name under `imap:`
  postrider receive --git                the records at the tips of a shared repository's branches
  postrider receive --answer < message   and send at once the reply you prepared, or a forced one
  postrider receive -n letter.eml        only say what would happen

A record that continues yours replaces it, if every new entry is legal and made by the side that is due. Anything else is reported \
and changes nothing; the first letter of a game you do not know waits for `postrider accept`.

Exit codes: 0 the message was read, whether or not it was accepted (a stranger's mail never bounces); 75 temporary trouble, such as \
a locked record or a full disk: deliver it again; 2 usage, or a mailbox that cannot be read. With --strict, 1 if anything was refused.")]
pub(super) struct Args {
    /// Messages (.eml), mboxes and Maildirs; `-`, or none at all, for one message on standard input. With none, on a terminal, the places
    /// that the settings name under `receive:`
    paths: Vec<PathBuf>,
    /// Read the mailbox on the server that the settings name
    #[arg(long, conflicts_with = "paths")]
    imap: bool,
    /// Fetch a remote of the repository of your games, and take the records of its branches as if they had come by mail
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, conflicts_with_all = ["paths", "imap"])]
    git: Option<Option<String>>,
    /// Enter and send at once what `postrider answer` would: the reply you prepared, or what is forced
    #[arg(long)]
    answer: bool,
    /// Sign and mail a receipt for each entry that arrives and is not answered at once (`postrider countersign`)
    #[arg(long)]
    countersign: bool,
    /// Take what was held back in this game until you agree to it: a claim of time that counts from before its entry was here, or a
    /// first entry with a new key that does not answer your letter
    #[arg(long, value_name = "GAME", conflicts_with = "dry_run")]
    agree: Option<String>,
    /// Which of two keys that claim to be your opponent is the right one, as you have confirmed it: takes or drops the letter that was
    /// held back
    #[arg(long, value_name = "FINGERPRINT", conflicts_with = "dry_run")]
    seat: Option<String>,
    /// Read replies that carry no record even if the settings say `plain-replies: off`, and say why one is not accepted in a sealed
    /// or signed game. The only entry that such a reply can mean is judged and entered for the opponent
    #[arg(long)]
    plain: bool,
    /// Say what would happen to each message, but change nothing
    #[arg(short = 'n', long, conflicts_with_all = ["answer", "countersign"])]
    dry_run: bool,
    /// Read all messages of a mailbox, including those noted as read
    #[arg(long)]
    again: bool,
    /// Exit with code 1 if anything was refused
    #[arg(long)]
    strict: bool,
    /// Print JSON: one object per record or reply, and one with the counts at the end; everything else goes to standard error
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The command that reads mail from this source.
    pub(super) fn of(source: &Source) -> Self {
        match source {
            Source::Imap => Self { imap: true, ..Self::default() },
            Source::Git => Self { git: Some(None), ..Self::default() },
            Source::Path(path) => Self { paths: vec![path.clone()], ..Self::default() },
        }
    }
}

/// What happened to a record or a reply, for programs.
#[derive(Serialize)]
struct Report<'a> {
    message: &'a str,
    from: Option<&'a str>,
    path: Option<String>,
    game: Option<&'static str>,
    id: Option<String>,
    fate: &'static str,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    AS_JSON.store(args.json, Ordering::Relaxed);
    let mut reader = match Run::new(args) {
        Ok(reader) => reader,
        // A delivery agent must not lose mail because the settings are being edited, nor get a broken pipe.
        Err(failure) => {
            if !args.imap && args.git.is_none() && args.paths.iter().all(|path| input::is_stdin(path)) {
                let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
            }
            return Ok(told(&failure, TEMPORARY));
        }
    };
    let done = reader.all(args);
    reader.flush()?;
    reader.keep_notes();
    if done.is_ok() && reader.has_looked() {
        Arrivals::new(&reader.settings.folders).note_looked(reader.now);
    }
    if done.is_ok() || reader.count.messages > 0 {
        reader.summary()?;
    }
    if args.dry_run && UNSHOWN.load(Ordering::Relaxed) {
        // The user only asked what would happen to a message.
        return Ok(ExitCode::from(super::hints::TROUBLE));
    }
    match done {
        Err(Stop::Inbox(InboxError::Imap(error))) => {
            let code = if matches!(error, ImapError::NotSet) { super::hints::TROUBLE } else { TEMPORARY };
            Ok(told(&Failure::trouble(error.to_string()), code))
        }
        Err(Stop::Inbox(error)) if error.may_pass() => Ok(told(&Failure::trouble(error.to_string()), TEMPORARY)),
        Err(Stop::Inbox(error)) => Err(Failure::trouble(error.to_string())),
        Err(Stop::Failure(failure)) => Ok(told(&failure, TEMPORARY)),
        Err(Stop::Usage(failure)) => Err(failure),
        Ok(()) if reader.troubles > 0 => Ok(ExitCode::from(TEMPORARY)),
        Ok(()) if args.strict && reader.count.refused > 0 => Ok(ExitCode::from(REFUSED)),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// Whether something could not be written to standard output.
static UNSHOWN: AtomicBool = AtomicBool::new(false);

/// Reports on standard output what happened to a message. Nothing depends on it: if nobody listens, the mail is
/// received all the same, because otherwise a delivery agent would bounce it.
fn print(text: impl AsRef<str>) -> Result<(), Failure> {
    if AS_JSON.load(Ordering::Relaxed) { Ok(()) } else { say(text) }
}

/// Whether reports are JSON, with nothing else on standard output.
static AS_JSON: AtomicBool = AtomicBool::new(false);

#[expect(clippy::unnecessary_wraps, reason = "as `super::print`, in whose place it stands here")]
fn say(text: impl AsRef<str>) -> Result<(), Failure> {
    let text = super::hints::within(text.as_ref(), super::view::columns().unwrap_or(usize::MAX));
    if let Err(Failure::Output(error)) = super::print(text)
        && !UNSHOWN.swap(true, Ordering::Relaxed)
    {
        errln!("warning: standard output cannot be written to: {error}; the mail is received anyway");
    }
    Ok(())
}

fn told(failure: &Failure, code: u8) -> ExitCode {
    err!("{failure}");
    ExitCode::from(code)
}

/// What ends the reading.
enum Stop {
    Inbox(InboxError),
    /// A temporary problem.
    Failure(Failure),
    /// A problem that persists until someone solves it.
    Usage(Failure),
}

impl From<InboxError> for Stop {
    fn from(error: InboxError) -> Self {
        Self::Inbox(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The id and the game of a received record.
fn incoming_id(record: &[u8]) -> Option<(String, Option<&'static str>)> {
    let opened = Opened::new(record).ok()?;
    Some((opened.header.id.to_string(), Some(opened.header.info.name)))
}

/// How many messages had which result.
#[derive(Default, Serialize)]
struct Count {
    messages: u64,
    accepted: u64,
    invitations: u64,
    refused: u64,
    known: u64,
    held_back: u64,
    other: u64,
}

/// What happened to a record or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Accepted,
    Invitation,
    Refused,
    Known,
    /// It is accepted once its time has come.
    HeldBack,
}

/// Reads messages, one after another.
struct Run<'a> {
    args: &'a Args,
    settings: Settings,
    invitations: Invitations,
    received: Received,
    /// The player's games, looked up when the first record arrives.
    shelf: Option<Shelf>,
    now: Time,
    count: Count,
    /// The records to which entries from a mailbox were added and that are not written yet, by file.
    held: BTreeMap<PathBuf, Held>,
    /// The first entry that this run has taken in each game.
    taken: BTreeMap<String, u32>,
    /// The messages that were read since the records were last written; they are noted afterwards.
    unnoted: Vec<Mark>,
    /// When records were last written.
    written: Instant,
    /// Whether it is a single message, about which everything is reported, rather than a mailbox.
    alone: bool,
    /// How many messages could not be processed for now.
    troubles: u64,
    /// Whether the next run must read the current message again.
    unread: bool,
    /// The time, in seconds since 1970, until which the current message is held back.
    until: Option<i64>,
    /// When the mail server took the current message, if it says so.
    arrived: Option<Time>,
    /// When mail was last looked at before this run.
    looked: Option<Time>,
    /// Whether an entry that was accepted may be answered at once.
    answers: bool,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args) -> Result<Self, Failure> {
        let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
        let received = Received::load(&settings.folders)
            .map_err(|error| Failure::trouble(format!("{}: {error}", settings.folders.received().display())))?;
        let invitations = Invitations::new(&settings.folders);
        let now = input::now(None)?;
        let count = Count::default();
        let looked = Arrivals::new(&settings.folders).looked().filter(|looked| looked.0 <= now.0);
        Ok(Self {
            args,
            settings,
            invitations,
            received,
            shelf: None,
            now,
            count,
            held: BTreeMap::new(),
            taken: BTreeMap::new(),
            unnoted: Vec::new(),
            written: Instant::now(),
            alone: true,
            troubles: 0,
            unread: false,
            until: None,
            arrived: None,
            looked,
            answers: true,
        })
    }

    /// Reads what has come in at one of the places that the settings name.
    fn source(&mut self, source: &Source) -> Result<(), Stop> {
        match source {
            Source::Imap => match self.settings.imap.clone() {
                Some(imap) => Ok(inbox::imap(&imap, self.now.utc().unwrap_or_default(), self)?),
                None => Err(Stop::Inbox(InboxError::Imap(ImapError::NotSet))),
            },
            Source::Git => self.shared(None),
            Source::Path(path) => Ok(inbox::path(path, self)?),
        }
    }

    fn all(&mut self, args: &Args) -> Result<(), Stop> {
        self.take_held_back()?;
        if let Some(remote) = &args.git {
            return self.shared(remote.as_deref());
        }
        if args.imap {
            return self.source(&Source::Imap);
        }
        if args.paths.is_empty() && (args.agree.is_some() || args.seat.is_some()) {
            return Ok(());
        }
        if args.paths.is_empty() {
            let sources = self.settings.sources();
            if io::stdin().is_terminal() && !sources.is_empty() {
                // Nobody hands a message over: what is meant is wherever mail comes in.
                return sources.iter().try_for_each(|source| self.source(source));
            }
            if io::stdin().is_terminal() {
                errln!("reading one message from standard input; `postrider receive --help` names the other sources");
            }
            return inbox::one(io::stdin().lock(), "standard input", self);
        }
        for path in &args.paths {
            if input::is_stdin(path) {
                inbox::one(io::stdin().lock(), "standard input", self)?;
            } else {
                inbox::path(path, self)?;
            }
        }
        Ok(())
    }

    /// Whether the run went through a mailbox, so that what was not in it had not arrived.
    fn has_looked(&self) -> bool {
        let is_mailbox = |path: &PathBuf| path.is_dir() || inbox::is_mbox(path);
        !self.args.dry_run && (self.args.imap || self.args.git.is_some() || self.args.paths.iter().any(is_mailbox))
    }

    /// Processes the messages that were held back and whose time has come, or that the player agrees to.
    fn take_held_back(&mut self) -> Result<(), Stop> {
        if self.args.dry_run {
            return Ok(());
        }
        let store = HeldBack::new(&self.settings.folders);
        let due = store
            .due(self.now.0)
            .map_err(|error| Failure::trouble(format!("{}: {error}", self.settings.folders.held_back().display())))?;
        let undecided =
            if self.args.agree.is_some() || self.args.seat.is_some() { store.undecided() } else { Ok(Vec::new()) };
        let undecided = undecided
            .map_err(|error| Failure::trouble(format!("{}: {error}", self.settings.folders.held_back().display())))?;
        for path in due.into_iter().chain(undecided) {
            let place = format!("held back until now: {}", name(&path));
            let read = std::fs::read(&path).map_err(|error| Failure::reading(&path, &error));
            let mail = read.map(|message| incoming::read(&message));
            match mail.and_then(|mail| self.message(&place, &mail)).and_then(|()| self.flush()) {
                Ok(()) => {}
                Err(failure @ Failure::Output(_)) => return Err(failure.into()),
                Err(failure) => {
                    self.troubles += 1;
                    err!("{place}: {failure}");
                    continue;
                }
            }
            // A moment ago, its time was not ahead of the system clock; but it may wait for the player.
            if self.until.take() == Some(HeldBack::UNTIL_AGREED) {
                if let Err(error) = store.wait(&path) {
                    self.troubles += 1;
                    errln!("{}: {error}", name(&path));
                }
                continue;
            }
            if let Err(error) = remove(&path) {
                self.troubles += 1;
                errln!("{}", printable(&error.to_string()));
            }
        }
        Ok(())
    }

    /// Keeps the current message if it is to be held back; if there is no room, it is refused.
    fn hold_back(&mut self, place: &str, message: &[u8]) -> Result<(), Failure> {
        let Some(until) = self.until.take().filter(|_| !self.args.dry_run) else { return Ok(()) };
        let kept = HeldBack::new(&self.settings.folders).keep(until, message);
        if !kept.map_err(|error| Failure::writing(&error))? {
            errln!("{place}: refused: too many messages are held back already");
            self.count.held_back -= 1;
            self.count.refused += 1;
        }
        Ok(())
    }

    /// The player's games.
    fn shelf(&mut self) -> &mut Shelf {
        let settings = &self.settings;
        self.shelf.get_or_insert_with(|| Shelf::noted(&settings.games_folder(), &settings.folders))
    }

    /// Saves the notes of where the games are. Without them, the next run only takes longer.
    fn keep_notes(&self) {
        if let Some(notes) = self.shelf.as_ref().filter(|_| !self.args.dry_run).and_then(Shelf::notes) {
            let _ = put_private(&self.settings.folders.shelf(), &notes);
        }
    }

    /// The people whom the player plays, or has a trusted key of.
    fn opponents(&mut self) -> Vec<Known> {
        let known = |(name, address): (&str, Option<&str>)| Known {
            name: name.to_owned(),
            address: address.map(str::to_owned),
        };
        let mut all: Vec<Known> = self.shelf().players().map(known).collect();
        all.extend(keys::trusted().iter().cloned().map(|one| Known {
            address: one.who.contains('@').then(|| one.who.clone()),
            name: if one.who.contains('@') { String::new() } else { one.who },
        }));
        all.sort_by(|a, b| (&a.name, &a.address).cmp(&(&b.name, &b.address)));
        all.dedup();
        let (email, name) = (self.settings.email.as_deref(), self.settings.name.as_deref());
        all.retain(|one| one.address.as_deref() != email || email.is_none());
        all.retain(|one| one.address.is_some() || Some(one.name.as_str()) != name);
        all
    }

    /// Processes one message. An error is a temporary problem.
    fn message(&mut self, place: &str, mail: &Mail) -> Result<(), Failure> {
        if let Some(fault) = &mail.fault {
            // Faults in unrelated mail are of no interest.
            if mail.names_record || !mail.records.is_empty() || mail.subject.contains("[pbem]") || self.alone {
                self.count.refused += 1;
                errln!("{}: refused: {fault}", about(place, mail));
            } else {
                self.count.other += 1;
            }
            return Ok(());
        }
        if mail.names_record && mail.records.is_empty() {
            self.count.refused += 1;
            errln!(
                "{}: refused: its attachment is named like a record but does not begin like one: a record is UTF-8 text that begins \
                 with a line `---`",
                about(place, mail)
            );
            return Ok(());
        }
        if let Some(server) = self.settings.authserv_id.as_deref() {
            match mail.trace.dmarc(server) {
                Some(Dmarc::Fail) if !mail.records.is_empty() || incoming::answered(mail).is_some() => {
                    self.count.refused += 1;
                    let (about, server) = (about(place, mail), printable(server));
                    errln!("{about}: refused: {server} says that its sender is forged (dmarc=fail)");
                    return Ok(());
                }
                Some(Dmarc::Pass) if self.alone && !mail.records.is_empty() => {
                    errln!("{}: note: {} has confirmed its sender (dmarc=pass)", about(place, mail), printable(server));
                }
                _ => {}
            }
        }
        let mut fates = Vec::new();
        // First, because the same letter may bring what such a key has signed.
        let news = withdrawn::take_from(&mail.statements, self.args.dry_run)?;
        for said in &news {
            print(format!("{}: {said}\n", about(place, mail)))?;
        }
        for record in &mail.records {
            let fate = self.record(place, mail, record)?;
            self.report(place, mail, incoming_id(record), fate)?;
            fates.push(fate);
        }
        // A reply may bring along the record that it answers.
        if fates.iter().all(|fate| *fate == Fate::Known) && self.may_be_reply(mail) {
            // It locks the record again. If what was collected could not be written, this message comes again too.
            let before = self.troubles;
            self.flush()?;
            self.unread |= self.troubles > before;
            let fate = self.plain(place, mail)?;
            if let Some(fate) = fate {
                let id = incoming::answered(mail).map(|answered| answered.game);
                self.report(place, mail, id.map(|id| (id, None)), fate)?;
            }
            fates.extend(fate);
        }
        if fates.is_empty() {
            let fate = self.unreadable(place, mail)?;
            if let Some(fate) = fate {
                self.report(place, mail, None, fate)?;
            }
            fates.extend(fate);
        }
        if fates.is_empty() && !news.is_empty() {
            self.report(place, mail, None, Fate::Accepted)?;
            fates.push(Fate::Accepted);
        }
        if fates.is_empty() {
            self.count.other += 1;
        }
        for fate in fates {
            let count = match fate {
                Fate::Accepted => &mut self.count.accepted,
                Fate::Invitation => &mut self.count.invitations,
                Fate::Refused => &mut self.count.refused,
                Fate::Known => &mut self.count.known,
                Fate::HeldBack => &mut self.count.held_back,
            };
            *count += 1;
        }
        Ok(())
    }

    /// Reports what cannot be read in a letter about a game that is here, and what to ask its sender for.
    fn unreadable(&mut self, place: &str, mail: &Mail) -> Result<Option<Fate>, Failure> {
        let (Some(what), Some(answered)) = (mail.unreadable, incoming::answered(mail)) else { return Ok(None) };
        if self.file_of(&answered.game)?.is_none() {
            return Ok(None);
        }
        errln!("{}: {}: refused: {}", about(place, mail), answered.game, what.in_words());
        Ok(Some(Fate::Refused))
    }

    /// Reports for programs what happened to a record or a reply.
    fn report(
        &mut self,
        place: &str,
        mail: &Mail,
        known: Option<(String, Option<&'static str>)>,
        fate: Fate,
    ) -> Result<(), Failure> {
        if !self.args.json {
            return Ok(());
        }
        let (id, game) = known.map_or((None, None), |(id, game)| (Some(id), game));
        let file = match &id {
            Some(id) => self.file_of(id)?,
            None => None,
        };
        say(json::line(&Report {
            message: place,
            from: mail.from.as_deref(),
            path: file.map(|(path, _)| path.to_string_lossy().into_owned()),
            game,
            id,
            fate: match fate {
                Fate::Accepted => "accepted",
                Fate::Invitation => "invitation",
                Fate::Refused => "refused",
                Fate::Known => "known",
                Fate::HeldBack => "held back",
            },
        }))
    }

    /// Reports the result for a mailbox; for a single message, everything has already been said.
    fn summary(&self) -> Result<(), Failure> {
        if self.args.json {
            return say(json::line(&self.count));
        }
        let Count { messages, accepted, invitations, refused, known, held_back, other } = self.count;
        if self.args.git.is_some() && messages < 2 {
            return if messages == 0 || known == 1 { print("nothing new\n") } else { Ok(()) };
        }
        let held_back = if held_back > 0 { format!("{held_back} held back, ") } else { String::new() };
        if messages == 1 && other == 1 {
            return print("no record in this message: nothing to do\n");
        }
        if messages == 1 {
            return if known == 1 && !self.alone { print("1 message: nothing new\n") } else { Ok(()) };
        }
        let (one, many) = if self.args.git.is_some() { ("record", "records") } else { ("message", "messages") };
        let messages = counted(messages, one, many);
        let invitations = counted(invitations, "invitation", "invitations");
        print(format!(
            "{messages}: {accepted} accepted, {invitations}, {refused} refused, {known} already known, \
             {held_back}{other} without a record\n"
        ))
    }
}

impl Taker for Run<'_> {
    type Stop = Stop;

    fn knows(&self, mark: &Mark) -> bool {
        !self.args.again && self.received.knows(&self.marked(mark))
    }

    fn arrived(&mut self, at: Option<Time>) {
        self.arrived = at;
    }

    fn take(&mut self, place: &str, mark: Option<Mark>, message: &[u8]) -> Result<(), Stop> {
        self.count.messages += 1;
        self.alone = mark.is_none();
        self.unread = false;
        let mail = incoming::read(message);
        match self.message(place, &mail).and_then(|()| self.hold_back(place, message)) {
            Ok(()) => {}
            Err(failure @ Failure::Output(_)) => return Err(failure.into()),
            Err(failure) => {
                self.troubles += 1;
                err!("{}: {failure}", about(place, &mail));
                // Not noted, so the next run reads it again.
                return Ok(());
            }
        }
        if let Some(mark) = mark.filter(|_| !self.unread) {
            self.unnoted.push(self.marked(&mark));
        }
        let size: usize = self.held.values().map(Held::size).sum();
        if self.held.is_empty()
            || self.held.len() >= MOST_HELD
            || self.written.elapsed() > LONGEST_HELD
            || size > MOST_BYTES
        {
            self.flush()?;
        }
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        self.troubles += 1;
        errln!("{fault}");
    }
}

impl Run<'_> {
    /// Returns whether records are written together: a mailbox may contain a whole game, letter after letter, and each
    /// write waits for the disk. What is answered, and what comes from a server that may be slow, is written at once.
    fn gathers(&self) -> bool {
        !self.alone && !self.args.answer && !self.args.countersign && !self.args.imap && self.args.git.is_none()
    }

    /// Writes what was collected, and then notes the messages it came from. What could not be written is read again by
    /// the next run.
    fn flush(&mut self) -> Result<(), Failure> {
        let unnoted = std::mem::take(&mut self.unnoted);
        let mut whole = true;
        for (path, held) in std::mem::take(&mut self.held) {
            let accepted = held.accepted;
            let id = Opened::new(held.record()).map(|opened| opened.header.id.to_string()).unwrap_or_default();
            match self.write(&path, &id, held) {
                Ok(()) => {}
                Err(failure @ Failure::Output(_)) => return Err(failure),
                Err(failure) => {
                    whole = false;
                    self.troubles += 1;
                    self.count.accepted -= accepted.min(self.count.accepted);
                    err!("{}: {failure}", name(&path));
                }
            }
        }
        self.written = Instant::now();
        if !whole || self.args.dry_run {
            return Ok(());
        }
        for mark in unnoted {
            if let Err(error) = self.received.note(mark) {
                self.troubles += 1;
                errln!("{}: {error}", self.settings.folders.received().display());
                break;
            }
        }
        Ok(())
    }

    /// A message that was read without looking for a plain reply is read again if plain replies are requested.
    fn marked(&self, mark: &Mark) -> Mark {
        let reads = self.args.plain || self.settings.plain_replies != PlainReplies::Off;
        mark.with(if reads { b"plain" } else { b"records" })
    }
}

/// Describes a message for people.
fn about(place: &str, mail: &Mail) -> String {
    let from = mail.from.as_deref().map(|from| format!(" from {}", printable(from))).unwrap_or_default();
    format!("{place}{from}")
}
