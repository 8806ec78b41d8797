//! The office without a process: what players do, with a clock that stands still, no chance, a post that collects and a front that
//! listens.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Mutex;

use postrider::mail::inbox::Taker as _;
use postrider::mail::{Message, Receipt, SendError};
use postrider::office::receive::{Event, Fate, Here, Receiving, Ways};
use postrider::office::{Act, Advice, Clock, Front, Locked, Notice, Office, Ports, Post, Randomness, Trouble};
use postrider::record::Time;
use postrider::sealing::SecretKey;
use postrider::store::{Folders, GitSettings, LockedKey, MailSettings};

use crate::letters::{GAME_FILE, HEADER, ID, bram, letter, record};
use crate::session::Session;

/// The world around an office.
struct World {
    now: &'static str,
    posted: Mutex<Vec<(String, String)>>,
    noticed: Mutex<Vec<Advice>>,
}

impl World {
    fn new() -> Self {
        Self { now: "2026-11-24T12:00:00Z", posted: Mutex::default(), noticed: Mutex::default() }
    }

    fn noticed(&self) -> String {
        let said = |one: &Advice| one.in_words(|act| format!("{act:?}")) + "\n";
        self.noticed.lock().expect("a lock").iter().map(said).collect()
    }
}

impl Clock for World {
    fn now(&self) -> Time {
        Time::read(self.now.as_bytes()).expect("a time")
    }
}

impl Randomness for World {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        bytes.fill(7);
        Ok(())
    }
}

impl Post for World {
    fn send(&self, letter: &Message<'_>, _: &MailSettings) -> Result<Receipt, SendError> {
        let bytes = String::from_utf8(letter.bytes()).expect("a letter is ASCII");
        self.posted.lock().expect("a lock").push((letter.to().to_owned(), bytes));
        Ok(Receipt::Program("the test".to_owned()))
    }

    fn push(&self, _: &Path, _: &GitSettings, _: &str, _: (&str, &str)) -> Result<String, Trouble> {
        Err(Trouble::of("nothing is pushed"))
    }
}

impl Front for World {
    fn tell(&self, notice: Notice) {
        self.noticed.lock().expect("a lock").push(match notice {
            Notice::Warning(text) | Notice::Note(text) | Notice::Hint(text) => text,
            Notice::Trouble(trouble) | Notice::Failed(trouble) => trouble.to_string().into(),
        });
    }

    fn unlock(&self, _: &LockedKey) -> Result<SecretKey, Locked> {
        Err(Locked { why: "nobody knows the passphrase".to_owned(), hint: Advice::default() })
    }
}

/// Receives one message in a home, and returns what is told of it.
fn receive(session: &Session, world: &World, ways: Ways, message: &str) -> Vec<Event> {
    let ports = Ports { clock: world, randomness: world, post: world, front: world };
    let office = Office::new(Folders::at(&session.path("home")), ports);
    let events = RefCell::new(Vec::new());
    let hear = |event| events.borrow_mut().push(event);
    let mut receiving = Receiving::new(&office, ways, &hear).expect("a home");
    receiving.take("a letter", None, message.as_bytes()).expect("it is taken");
    receiving.finish(false);
    assert_eq!((receiving.count().messages, receiving.troubles()), (1, 0), "{}", world.noticed());
    drop(receiving);
    events.into_inner()
}

/// What became of each record or reply.
fn fates(events: &[Event]) -> Vec<Fate> {
    let fate = |event: &Event| match event {
        Event::Done { outcome, .. } => Some(outcome.fate),
        _ => None,
    };
    events.iter().filter_map(fate).collect()
}

/// Bram's home, with an absolute path to his games: nothing depends on where the test runs.
fn home(entries: usize, more: &str) -> Session {
    let session = bram(entries);
    let games = session.path("games");
    let games = games.to_string_lossy();
    session.write("home/settings.yaml", format!("name: Bram Post\nemail: bram@example.net\ngames: {games:?}\n{more}"));
    session
}

#[test]
fn a_letter_is_received_in_the_office() {
    let (session, world) = (home(1, ""), World::new());
    let events = receive(&session, &world, Ways::default(), &letter(&record(2)));
    assert_eq!(session.read(GAME_FILE), record(2));
    assert_eq!(fates(&events), [Fate::Accepted]);
    let [
        Event::Entry { id, line, invitation: false },
        Event::Due { side, forced: false, .. },
        Event::Done { outcome, .. },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((id.as_str(), line.as_str(), side.word), (ID, "2 besiegers c4-c5", "defenders"));
    assert_eq!(outcome.path.as_deref(), Some(&*session.path(GAME_FILE)));
    // Once more it is known, and says so.
    let events = receive(&session, &world, Ways::default(), &letter(&record(2)));
    assert_eq!(fates(&events), [Fate::Known]);
    assert!(matches!(events[0], Event::NothingNew { entries: 2, here: Here::Same, .. }), "{events:?}");
    assert!(world.posted.lock().expect("a lock").is_empty());
}

#[test]
fn a_dry_run_in_the_office_changes_nothing() {
    let (session, world) = (home(1, ""), World::new());
    let ways = Ways { dry_run: true, ..Ways::default() };
    assert_eq!(fates(&receive(&session, &world, ways, &letter(&record(2)))), [Fate::Accepted]);
    assert_eq!(session.read(GAME_FILE), record(1));
    assert!(!session.path("home/data").join("received").exists());
}

#[test]
fn a_stranger_is_refused_in_the_office_with_the_reason_as_data() {
    let (session, world) = (home(1, ""), World::new());
    let forged = letter(&record(2)).replace("ada@example.org", "eve@example.com");
    assert_eq!(fates(&receive(&session, &world, Ways::default(), &forged)), [Fate::Refused]);
    assert_eq!(session.read(GAME_FILE), record(1));
    assert!(world.noticed().contains("it comes from eve@example.com"), "{}", world.noticed());
}

#[test]
fn what_the_office_holds_back_can_be_agreed_to() {
    let (session, world) = (home(2, ""), World::new());
    let claim = record(2).replace("started: 2026-11-21", "clock: {each: 1 day}\nstarted: 2026-11-21");
    session.write(GAME_FILE, &claim);
    let there = claim + "3 besiegers claim time @2026-11-24T11:00:00Z\n";
    let events = receive(&session, &world, Ways::default(), &letter(&there));
    // The same question in any front end: whether the claim is agreed to.
    let noticed = world.noticed.lock().expect("a lock");
    let asks = noticed.iter().any(|advice| advice.acts().any(|act| *act == Act::Agree(ID.to_owned())));
    assert_eq!((fates(&events).as_slice(), asks), ([Fate::HeldBack].as_slice(), true), "{events:?}");
}

#[test]
fn an_invitation_waits_in_the_office() {
    let (session, world) = (home(0, ""), World::new());
    let other = HEADER.replace("mail01", "mail02");
    let events = receive(&session, &world, Ways::default(), &letter(&other));
    assert_eq!(fates(&events), [Fate::Invitation]);
    let [Event::Invited { id, new: Some((info, 0)) }, Event::Done { outcome, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(id.ends_with("mail02") && info.contains("Ada Quill <ada@example.org>"), "{info}");
    assert!(outcome.path.as_ref().is_some_and(|path| path.exists()), "{outcome:?}");
}

#[test]
fn an_illegal_reply_is_answered_by_the_post_once_an_hour() {
    let (session, world) = (home(1, "plain-replies: answer\n"), World::new());
    let reply = format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1 defenders place c6 e6\nMessage-ID: \
         <one@example.org>\nDate: Sun, 22 Nov 2026 08:05:00 +0000\n\nc4-c7\n"
    );
    assert_eq!(fates(&receive(&session, &world, Ways::default(), &reply)), [Fate::Refused]);
    assert_eq!(session.read(GAME_FILE), record(1));
    {
        let posted = world.posted.lock().expect("a lock");
        let [(to, letter)] = &posted[..] else { panic!("{posted:?} {}", world.noticed()) };
        assert!(to == "ada@example.org" && letter.contains("c4-c7"), "{letter}");
    }
    // The same mistake again is only drafted: no two programs answer each other without end.
    let again = reply.replace("one@", "two@");
    assert_eq!(fates(&receive(&session, &world, Ways::default(), &again)), [Fate::Refused]);
    assert_eq!(world.posted.lock().expect("a lock").len(), 1, "{}", world.noticed());
    assert!(world.noticed().contains("was drafted"), "{}", world.noticed());
}

#[test]
fn a_reply_without_a_record_is_entered_in_the_office() {
    let (session, world) = (home(1, ""), World::new());
    let reply = format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1 defenders place c6 e6\nMessage-ID: \
         <one@example.org>\nDate: Sun, 22 Nov 2026 08:05:00 +0000\n\nc4-c5\n"
    );
    let events = receive(&session, &world, Ways::default(), &reply);
    assert_eq!(fates(&events), [Fate::Accepted]);
    assert!(matches!(&events[0], Event::EnteredFor { side, .. } if side.word == "besiegers"), "{events:?}");
    assert!(session.read(GAME_FILE).contains("2 besiegers c4-c5 @2026-11-22T08:05:00Z\n"));
}
