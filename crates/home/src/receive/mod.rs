//! Receiving: messages are read, records and replies in them are judged, and what is legal and comes from the opponent is taken.

mod agreed;
mod answers;
pub mod arrivals;
mod back;
mod blocks;
pub mod decision;
mod event;
mod executor;
mod held;
pub mod held_back;
pub mod inbox;
mod likeness;
mod plain;
mod plan;
pub mod received;
mod receiving;
mod records;
pub mod refusal;
mod refused;
pub mod seats;
mod whole;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use agreed::{Agreed, Waiting, chosen, is_new};
pub use back::{Back, asked, in_words};
pub use event::{Count, Event, Fate, Here, Outcome};
pub use plain::{Words, Written, claims_time, doubt, outdated, own_words, understood};
pub use receiving::{Receiving, Stop, Ways};

use crate::invite::kept::{InvitationError, Invitations};
use crate::keys::statements;
use crate::office::{Notice, Office, Trouble, name};
use crate::overview::shelf::Shelf;
use crate::receive::arrivals::Arrivals;
use crate::receive::held_back::HeldBack;
use crate::receive::inbox::{InboxError, Taker};
use crate::receive::received::{Mark, Received};
use held::Held;
use likeness::Known;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_mail::address::mailbox;
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_referee::record::Time;
use postrider_settings::PlainReplies;
use receiving::{Collected, Current, Tally, about};
use refusal::{Becomes, OfMessage, OfRecord, Refusal, Why};
use whole::{Acquaintance, Envelope, Whole};

/// How many records are held at once before they are written; each is an open file.
const MOST_HELD: usize = 256;
/// How many bytes of records are held at once.
const MOST_BYTES: usize = 16 << 20;
/// How long records are held: any other process that wants one waits that long, and gives up after five seconds.
const LONGEST_HELD: Duration = Duration::from_secs(1);

impl<'o> Receiving<'o> {
    /// Begins to receive; `hear` gets the events.
    ///
    /// # Errors
    /// If the settings, or the notes of what was read, cannot be read.
    pub fn new(office: &'o Office<'o>, ways: Ways, hear: &'o dyn Fn(Event)) -> Result<Self, Trouble> {
        let settings = office.settings()?;
        let folders = office.folders();
        let received = Received::load(folders)
            .map_err(|error| Trouble::of(format!("{}: {error}", folders.received().display())))?;
        let now = office.now();
        let looked = Arrivals::new(folders).looked().filter(|looked| looked.0 <= now.0);
        Ok(Self {
            office,
            settings,
            ways,
            hear,
            invitations: Invitations::new(folders),
            received,
            games: settings.games_folder(),
            shelf: None,
            now,
            looked,
            tally: Tally::default(),
            current: Current::default(),
            game: RefCell::default(),
            collected: Collected::default(),
            announced: RefCell::default(),
        })
    }

    /// Looks for the player's games in another folder than the settings name.
    pub fn set_games(&mut self, folder: PathBuf) {
        self.games = folder;
        self.shelf = None;
    }

    /// The folder of the player's games.
    #[must_use]
    pub fn games(&self) -> &Path {
        &self.games
    }

    /// Whether nothing is changed.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.ways.dry_run
    }

    /// How many messages had which fate so far.
    #[must_use]
    pub const fn count(&self) -> Count {
        self.tally.count
    }

    /// How many messages could not be processed for now.
    #[must_use]
    pub const fn troubles(&self) -> u64 {
        self.tally.troubles
    }

    /// Whether the newest message came by itself rather than from a mailbox.
    #[must_use]
    pub const fn is_alone(&self) -> bool {
        self.current.alone
    }

    /// The records refused only because of an unknown sender: the ids of the games, and the newest entry of each.
    #[must_use]
    pub fn strangers(&self) -> &[(String, Option<String>)] {
        &self.tally.strangers
    }

    /// Processes the messages held back that are due, or that the player agrees to.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn take_held_back(&mut self) -> Result<(), Trouble> {
        if self.ways.dry_run {
            return Ok(());
        }
        let folders = self.office.folders();
        let store = HeldBack::new(folders);
        let failed = |error: std::io::Error| Trouble::of(format!("{}: {error}", folders.held_back().display()));
        let mut due = store.due(self.now.0).map_err(failed)?;
        if self.ways.agree.is_some() || self.ways.seat.is_some() {
            due.extend(store.undecided().map_err(failed)?);
        }
        for path in due {
            let place = format!("held back until now: {}", name(&path));
            self.tally.count.from_before += 1;
            let read =
                store.read(&path).map_err(|error| Trouble::of(format!("{} cannot be read: {error}", name(&path))));
            if let Err(trouble) = read.and_then(|message| self.message(&place, &incoming::read(&message))) {
                self.tally.troubles += 1;
                self.hear(Event::Failed { about: Some(place), trouble });
                continue;
            }
            self.flush();
            // A moment ago, its time was not ahead of the system clock; but it may wait for the player.
            let done = match self.current.until.take() {
                Some(HeldBack::UNTIL_AGREED) => store.wait(&path),
                _ => folders.disk.remove(&path).map(|_| ()),
            };
            if let Err(error) = done {
                self.tally.troubles += 1;
                self.note(printable(&error.to_string()).into_owned());
            }
        }
        Ok(())
    }

    /// Takes a record that did not come as a message, such as one from a repository. `mark`: the note once it was read. Anything read
    /// before is skipped ([`Taker::knows`]).
    pub fn take_mail(&mut self, place: &str, mark: &Mark, mail: &Mail) {
        self.begin(false);
        if let Err(trouble) = self.message(place, mail) {
            self.failed(place, mail, trouble);
            return;
        }
        // What is ahead of this machine's clock is fetched again when its time has come.
        if self.current.until.take().is_none() && !self.current.unread {
            self.collected.unnoted.push(self.marked(mark));
        }
        self.flush();
    }

    /// Writes what is not written yet, and notes what was read. `looked`: whether all of a mailbox was looked at, so that what was not in
    /// it had not arrived.
    pub fn finish(&mut self, looked: bool) {
        self.flush();
        self.tell_counts();
        if self.ways.dry_run {
            return;
        }
        self.keeps_announced();
        let folders = self.office.folders();
        // Without the notes of where the games are, the next run only takes longer.
        if let Some(notes) = self.shelf.as_ref().and_then(Shelf::notes) {
            let _ = folders.disk.put_private(&folders.shelf(), &notes);
        }
        // What could not be read may have been there.
        if looked && !self.tally.passed {
            Arrivals::new(folders).note_looked(self.now);
        }
    }

    fn hear(&self, event: Event) {
        (self.hear)(event);
    }

    /// Tells what changes nothing.
    fn note(&self, text: impl Into<Advice>) {
        self.office.tell(Notice::note(text));
    }

    /// Tells what is not taken.
    fn refuses(&self, refusal: Refusal) {
        self.hear(Event::Refused(Box::new(refusal)));
    }

    /// Tells that something in a message is refused, and why.
    fn refused(&self, place: &str, mail: &Mail, id: Option<&str>, why: impl Into<Why>) -> Fate {
        self.refuses(Refusal::new(about(place, mail), id, Becomes::Refused, why));
        Fate::Refused
    }

    /// Tells that too many invitations of one mailbox wait; of further ones it is only said how many there are.
    fn too_many_of_one(&mut self, place: &str, mail: &Mail, error: InvitationError) -> Fate {
        let mailbox = mailbox(mail.from.as_deref().unwrap_or_default());
        let count = self.tally.too_many.entry(mailbox.clone()).or_default();
        *count += 1;
        if *count == 1 {
            let refusal = Refusal::new(about(place, mail), None, Becomes::Refused, OfRecord::NoRoom(error));
            let then = advice!["; ", Act::DeclineFrom(printable(&mailbox).into_owned()), " declines all of them"];
            self.refuses(Refusal { then, ..refusal });
        }
        Fate::Refused
    }

    /// Tells what was not told of each message.
    fn tell_counts(&mut self) {
        match self.tally.broken {
            0 => {}
            1 => self.note("1 broken message of somebody who does not play here was passed over"),
            count => self.note(format!("{count} broken messages of people who do not play here were passed over")),
        }
        for (mailbox, count) in std::mem::take(&mut self.tally.too_many) {
            let mailbox = printable(&mailbox);
            match count {
                0 | 1 => {}
                2 => self.note(format!("1 more invitation from {mailbox} was refused")),
                count => self.note(format!("{} more invitations from {mailbox} were refused", count - 1)),
            }
        }
    }

    /// Begins with a message.
    fn begin(&mut self, alone: bool) {
        self.tally.count.messages += 1;
        self.current.alone = alone;
        self.current.unread = false;
    }

    /// Counts a message that could not be processed. It is not noted, so the next run reads it again.
    fn failed(&mut self, place: &str, mail: &Mail, trouble: Trouble) {
        self.tally.troubles += 1;
        self.hear(Event::Failed { about: Some(about(place, mail)), trouble });
    }

    /// Keeps the current message if it is to be held back; if there is no room, it is refused.
    fn hold_back(&mut self, place: &str, message: &[u8]) -> Result<(), Trouble> {
        let Some(until) = self.current.until.take().filter(|_| !self.ways.dry_run) else { return Ok(()) };
        if !HeldBack::new(self.office.folders()).keep(self.now.0, until, message).map_err(Trouble::File)? {
            self.refuses(Refusal::new(place, None, Becomes::Refused, OfMessage::NoRoom));
            self.tally.count.held_back = self.tally.count.held_back.saturating_sub(1);
            self.tally.count.refused += 1;
        }
        Ok(())
    }

    /// The player's games.
    fn shelf(&mut self) -> &mut Shelf {
        let folders = self.office.folders();
        let games = &self.games;
        self.shelf.get_or_insert_with(|| Shelf::noted(games, folders))
    }

    /// The people whom the player plays, or has a trusted key of.
    fn opponents(&mut self) -> Vec<Known> {
        let known = |(name, address): (&str, Option<&str>)| Known {
            name: name.to_owned(),
            address: address.map(str::to_owned),
        };
        let mut all: Vec<Known> = self.shelf().players().map(known).collect();
        all.extend(self.office.trusted().iter().cloned().map(|one| Known {
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

    /// Whether a message is refused as a whole.
    fn is_refused(&mut self, place: &str, mail: &Mail) -> bool {
        let (settings, about) = (self.settings, about(place, mail));
        let server = settings.authserv_id.as_deref();
        let envelope = Envelope { mail, about: &about, server, alone: self.current.alone };
        for question in whole::QUESTIONS {
            match question(&envelope, self) {
                Whole::Read(None) => continue,
                Whole::Read(Some(note)) => {
                    self.note(note);
                    continue;
                }
                Whole::Refused(why) => {
                    self.tally.count.refused += 1;
                    self.refuses(Refusal::new(envelope.about, None, Becomes::Refused, why));
                }
                Whole::Strangers => {
                    self.tally.count.refused += 1;
                    self.tally.broken += 1;
                }
                Whole::Other => self.tally.count.other += 1,
            }
            return true;
        }
        false
    }

    /// Processes one message. An error is a temporary problem.
    fn message(&mut self, place: &str, mail: &Mail) -> Result<(), Trouble> {
        // What became of the message before says nothing of this one, even if there was trouble with it.
        self.current.until = None;
        *self.game.borrow_mut() = None;
        if self.is_refused(place, mail) {
            return Ok(());
        }
        let mut fates = Vec::new();
        // First, because the same letter may bring what such a key has signed.
        let news = statements::take_from(self.office, &mail.statements, self.ways.dry_run)?;
        let is_news = !news.is_empty();
        for said in news {
            self.hear(Event::Statement { about: about(place, mail), said });
        }
        for record in &mail.records {
            let outcome = self.record(place, mail, record)?;
            fates.push(self.done(place, mail, outcome));
        }
        for outcome in self.blocks(place, mail)? {
            fates.push(self.done(place, mail, outcome));
        }
        for asked in &mail.asked_back {
            if let Some(outcome) = self.asked_back(asked)? {
                fates.push(self.done(place, mail, outcome));
            }
        }
        // A reply may bring along the record that it answers.
        let may_be_reply = mail.asked_back.is_empty() && fates.iter().all(|fate| *fate == Fate::Known);
        if may_be_reply && self.may_be_reply(mail) {
            // It locks the record again. If what was collected could not be written, this message comes again too.
            let before = self.tally.troubles;
            self.flush();
            self.current.unread |= self.tally.troubles > before;
            if let Some(outcome) = self.plain(place, mail)? {
                fates.push(self.done(place, mail, outcome));
            }
        }
        if fates.is_empty()
            && let Some(fate) = self.perhaps_auto(place, mail)?
        {
            fates.push(self.done(place, mail, Outcome::of(fate)));
        }
        if fates.is_empty()
            && let Some(fate) = self.unreadable(place, mail)?
        {
            fates.push(self.done(place, mail, Outcome::of(fate)));
        }
        if fates.is_empty() && is_news {
            fates.push(self.done(place, mail, Outcome::of(Fate::Accepted)));
        }
        if fates.is_empty() {
            self.tally.count.other += 1;
        }
        for fate in fates {
            *self.tally.count.of(fate) += 1;
        }
        Ok(())
    }

    /// Tells what became of a record or a reply.
    fn done(&self, place: &str, mail: &Mail, outcome: Outcome) -> Fate {
        let fate = outcome.fate;
        self.hear(Event::Done { place: place.to_owned(), from: mail.from.clone(), outcome });
        fate
    }

    /// Tells what stands in a letter about a game that is here, of which it is not certain that a person wrote it. Nothing is entered from it.
    fn perhaps_auto(&mut self, place: &str, mail: &Mail) -> Result<Option<Fate>, Trouble> {
        let Some(answered) = incoming::answered(mail).filter(|_| mail.perhaps_auto && self.reads_plain()) else {
            return Ok(None);
        };
        let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        if lines.is_empty() || self.file_of(&answered.game)?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.refused(place, mail, Some(&answered.game), OfMessage::PerhapsAuto(plain::said(&lines)))))
    }

    /// Reports what cannot be read in a letter about a game that is here, and what to ask its sender for.
    fn unreadable(&mut self, place: &str, mail: &Mail) -> Result<Option<Fate>, Trouble> {
        let (Some(what), Some(answered)) = (mail.unreadable, incoming::answered(mail)) else { return Ok(None) };
        if self.file_of(&answered.game)?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.refused(place, mail, Some(&answered.game), OfMessage::Unreadable(what))))
    }

    /// Returns whether records are written together: a mailbox may contain a whole game, letter after letter, and each
    /// write waits for the disk. What is answered, and what comes from where it may be slow, is written at once.
    fn gathers(&self) -> bool {
        !self.current.alone && !self.ways.answer && !self.ways.countersign && !self.ways.one_by_one
    }

    /// Keeps a record to be written later.
    #[expect(clippy::disallowed_methods, reason = "a record waits for a moment at most, whatever the clock says")]
    fn hold(&mut self, path: &Path, held: Held) {
        self.collected.since.get_or_insert_with(Instant::now);
        self.collected.held.insert(path.to_owned(), held);
    }

    /// Writes what was collected, and then notes the messages it came from. What could not be written is read again by
    /// the next run.
    fn flush(&mut self) {
        let unnoted = std::mem::take(&mut self.collected.unnoted);
        let mut whole = true;
        for (path, held) in std::mem::take(&mut self.collected.held) {
            let accepted = held.accepted;
            if let Err(trouble) = self.write(&path, held) {
                whole = false;
                self.tally.troubles += 1;
                self.tally.count.accepted -= accepted.min(self.tally.count.accepted);
                self.hear(Event::Failed { about: Some(name(&path)), trouble });
            }
        }
        self.collected.since = None;
        if !whole || self.ways.dry_run {
            return;
        }
        for mark in unnoted {
            if let Err(error) = self.received.note(mark) {
                self.tally.troubles += 1;
                self.note(format!("{}: {error}", self.office.folders().received().display()));
                break;
            }
        }
    }

    /// A message that was read without looking for a plain reply is read again if plain replies are requested.
    fn marked(&self, mark: &Mark) -> Mark {
        mark.with(if self.reads_plain() { b"plain" } else { b"records" })
    }

    /// Whether replies without a record are read.
    fn reads_plain(&self) -> bool {
        self.ways.plain || self.settings.plain_replies != PlainReplies::Off
    }
}

impl Acquaintance for Receiving<'_> {
    fn may_be_reply(&mut self, mail: &Mail) -> bool {
        Receiving::may_be_reply(self, mail)
    }

    fn plays_here(&mut self, mail: &Mail) -> bool {
        mail.from.as_deref().is_some_and(|from| !self.shelf().games_of(from).is_empty())
    }
}

impl Taker for Receiving<'_> {
    type Stop = Stop;

    fn knows(&self, mark: &Mark) -> bool {
        !self.ways.again && self.received.knows(&self.marked(mark))
    }

    fn arrived(&mut self, at: Option<Time>) {
        self.current.arrived = at;
    }

    fn take(&mut self, place: &str, mark: Option<Mark>, message: &[u8]) -> Result<(), Stop> {
        self.begin(mark.is_none());
        let mail = incoming::read(message);
        if let Err(trouble) = self.message(place, &mail).and_then(|()| self.hold_back(place, message)) {
            self.failed(place, &mail, trouble);
            return Ok(());
        }
        if let Some(mark) = mark.filter(|_| !self.current.unread) {
            self.collected.unnoted.push(self.marked(&mark));
        }
        let size: usize = self.collected.held.values().map(Held::size).sum();
        let is_long = self.collected.since.is_some_and(|since| since.elapsed() > LONGEST_HELD);
        if self.collected.held.is_empty() || self.collected.held.len() >= MOST_HELD || is_long || size > MOST_BYTES {
            self.flush();
        }
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        self.tally.troubles += 1;
        self.tally.passed = true;
        self.note(fault.to_string());
    }
}
