//! The office without a process: what players do, with a clock that stands still, no chance, a post that collects and a front that
//! listens.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use postrider_disk::disk::Memory;
use postrider_disk::folders::Folders;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness, Trouble};
use postrider_home::receive::decision::Refused;
use postrider_home::receive::inbox::Taker as _;
use postrider_home::receive::refusal::{Becomes, OfRecord, Refusal, Why};
use postrider_home::receive::{Agreed, Event, Fate, Here, Receiving, Ways};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_kernel::Side;
use postrider_kernel::advice::{Act, Advice};
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::locked::LockedKey;

use crate::letters::{HEADER, ID, letter, record};

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
        self.noticed.lock().expect("a lock").iter().map(|one| one.in_words(|act| format!("{act:?}")) + "\n").collect()
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

impl Pages for World {
    fn page(&self, record: &[u8], from: Side) -> Option<String> {
        postrider_page::page_of(record, from)
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

/// Bram's home, on the disk or in memory.
struct Home {
    folders: Folders,
    _folder: Option<tempfile::TempDir>,
}

impl Home {
    fn game(&self) -> PathBuf {
        self.folders.games().join("ours.pbem")
    }

    fn put(&self, path: &Path, text: &str) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.into_iter().for_each(|folder| self.folders.disk.private_folder(folder).expect("a folder"));
        self.folders.disk.put_private(path, text.as_bytes()).expect("a file");
    }

    fn record(&self) -> String {
        String::from_utf8(self.folders.disk.read_record(&self.game()).expect("a record")).expect("UTF-8")
    }

    fn has(&self, path: &Path) -> bool {
        self.folders.disk.has(path).expect("a home")
    }

    /// Receives one message, and returns what is told of it.
    fn receive(&self, world: &World, ways: Ways, message: &str) -> Vec<Event> {
        let ports = Ports { clock: world, randomness: world, post: world, pages: world, front: world };
        let office = Office::new(self.folders.clone(), ports);
        let events = RefCell::new(Vec::new());
        let hear = |event| events.borrow_mut().push(event);
        let mut receiving = Receiving::new(&office, ways, &hear).expect("a home");
        receiving.take("a letter", None, message.as_bytes()).expect("it is taken");
        receiving.finish(false);
        assert_eq!((receiving.count().messages, receiving.troubles()), (1, 0), "{}", world.noticed());
        drop(receiving);
        events.into_inner()
    }
}

/// Does the same in a home on the disk and in one in memory, each with the game up to an entry and these settings besides.
fn in_each_home(entries: usize, settings: &str, check: impl Fn(&Home, &World)) {
    let folder = tempfile::tempdir().expect("a folder");
    let on_disk = Folders::at(folder.path());
    let homes = [
        Home { folders: on_disk, _folder: Some(folder) },
        Home { folders: Folders::in_memory(&Memory::new()), _folder: None },
    ];
    for home in homes {
        let own = "name: Bram Post\nemail: bram@example.net\n";
        home.put(&home.folders.settings_file(), &format!("{own}{settings}"));
        home.put(&home.game(), &record(entries));
        check(&home, &World::new());
    }
}

/// What became of each record or reply.
fn fates(events: &[Event]) -> Vec<Fate> {
    let fate = |event: &Event| match event {
        Event::Done { outcome, .. } => Some(outcome.fate),
        _ => None,
    };
    events.iter().filter_map(fate).collect()
}

/// The one thing that is not taken.
fn refusal(events: &[Event]) -> &Refusal {
    let mut refused = events.iter().filter_map(|event| match event {
        Event::Refused(refusal) => Some(&**refusal),
        _ => None,
    });
    match (refused.next(), refused.next()) {
        (Some(refusal), None) => refusal,
        _ => panic!("{events:?}"),
    }
}

/// A letter from Ada without a record.
fn reply(text: &str) -> String {
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1 defenders place c6 e6\nMessage-ID: \
         <one@example.org>\nDate: Sun, 22 Nov 2026 08:05:00 +0000\n\n{text}\n"
    )
}

#[test]
fn a_letter_is_received_in_the_office() {
    in_each_home(1, "", |home, world| {
        let events = home.receive(world, Ways::default(), &letter(&record(2)));
        assert_eq!(home.record(), record(2));
        assert_eq!(fates(&events), [Fate::Accepted]);
        let [
            Event::Entry { id, line, invitation: false },
            Event::Due { side, forced: false, .. },
            Event::Done { outcome, .. },
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!((id.as_str(), side.word), (ID, "defenders"));
        assert!(line.starts_with("2 besiegers c4-c5"), "{line}");
        assert_eq!(outcome.path, Some(home.game()));
        // Once more it is known, and says so.
        let events = home.receive(world, Ways::default(), &letter(&record(2)));
        assert_eq!(fates(&events), [Fate::Known]);
        assert!(matches!(events[0], Event::NothingNew { entries: 2, here: Here::Same, .. }), "{events:?}");
        assert!(world.posted.lock().expect("a lock").is_empty());
    });
}

#[test]
fn a_dry_run_in_the_office_changes_nothing() {
    in_each_home(1, "", |home, world| {
        let ways = Ways { dry_run: true, ..Ways::default() };
        assert_eq!(fates(&home.receive(world, ways, &letter(&record(2)))), [Fate::Accepted]);
        assert_eq!(home.record(), record(1));
        assert!(!home.has(&home.folders.known()) && !home.has(&home.folders.received()));
    });
}

#[test]
fn a_stranger_is_refused_in_the_office_with_the_reason() {
    in_each_home(1, "", |home, world| {
        let forged = letter(&record(2)).replace("ada@example.org", "eve@example.com");
        let events = home.receive(world, Ways::default(), &forged);
        assert_eq!(fates(&events), [Fate::Refused]);
        assert_eq!(home.record(), record(1));
        // What, where and why are data; nothing is said of it but by whoever is in front.
        let Refusal { about, id, becomes, why, .. } = refusal(&events);
        assert_eq!((id.as_deref(), *becomes), (Some(ID), Becomes::Refused));
        assert!(about.starts_with("a letter from eve@example.com"), "{about}");
        let Why::Record(record) = why else { panic!("{why:?}") };
        let OfRecord::Checked { refused: Refused::Stranger { from, players }, .. } = &**record else {
            panic!("{record:?}")
        };
        assert_eq!((from.as_deref(), &players[..]), (Some("eve@example.com"), &["ada@example.org".to_owned()][..]));
        assert!(why.to_string().starts_with("it comes from eve@example.com"), "{why}");
        assert_eq!(world.noticed(), "");
    });
}

#[test]
fn what_the_office_holds_back_can_be_agreed_to() {
    in_each_home(1, "", |home, world| {
        // The claim counts from before its entry was here.
        let timed = |text: String| text.replace("started: 2026-11-21", "started: 2026-11-21\nclock: 2d");
        home.put(&home.game(), &timed(record(1)));
        assert_eq!(fates(&home.receive(world, Ways::default(), &letter(&timed(record(2))))), [Fate::Accepted]);
        let claim = timed(record(2)) + "3 besiegers claim time @2026-11-24T11:00:00Z\n";
        let events = home.receive(world, Ways::default(), &letter(&claim));
        let asks = |advice: &Advice| {
            advice.acts().find_map(|act| match act {
                Act::Agree(game, digits) if game == ID => Some(digits.clone()),
                _ => None,
            })
        };
        let Refusal { becomes, advice, held, .. } = refusal(&events);
        assert_eq!((*becomes, held.len()), (Becomes::HeldBack, 1));
        let digits = asks(advice);
        assert_eq!(fates(&events), vec![Fate::HeldBack], "{}", world.noticed());
        let digits = digits.unwrap_or_else(|| panic!("{}", world.noticed()));
        let ports = Ports { clock: world, randomness: world, post: world, pages: world, front: world };
        let office = Office::new(home.folders.clone(), ports);
        let agreed = Agreed::new(ID, &digits).expect("digits");
        let ways = Ways { agree: Some(agreed), ..Ways::default() };
        let mut receiving = Receiving::new(&office, ways, &|_| {}).expect("a home");
        receiving.take_held_back().expect("it is there");
        receiving.finish(false);
        assert!(home.record().contains("3 besiegers claim time"), "{}", world.noticed());
    });
}

#[test]
fn an_invitation_waits_in_the_office() {
    in_each_home(0, "", |home, world| {
        let events = home.receive(world, Ways::default(), &letter(&HEADER.replace("mail01", "mail02")));
        assert_eq!(fates(&events), [Fate::Invitation]);
        let [Event::Invited { id, new: Some((info, 0)) }, Event::Done { outcome, .. }] = &events[..] else {
            panic!("{events:?}")
        };
        assert!(id.ends_with("mail02") && info.contains("Ada Quill <ada@example.org>"), "{info}");
        assert!(outcome.path.as_ref().is_some_and(|path| home.has(path)), "{outcome:?}");
    });
}

#[test]
fn an_illegal_reply_is_answered_by_the_post_once_an_hour() {
    in_each_home(1, "mail: {plain-replies: answer}\n", |home, world| {
        let events = home.receive(world, Ways::default(), &reply("c4-c7"));
        assert_eq!(fates(&events), [Fate::Refused]);
        assert!(matches!(refusal(&events).why, Why::Reply(_)), "{events:?}");
        assert_eq!(home.record(), record(1));
        {
            let posted = world.posted.lock().expect("a lock");
            let [(to, letter)] = &posted[..] else { panic!("{posted:?} {}", world.noticed()) };
            assert!(to == "ada@example.org" && letter.contains("c4-c7"), "{letter}");
        }
        // The same mistake again is only drafted: no two programs answer each other without end.
        let again = reply("c4-c7").replace("one@", "two@");
        assert_eq!(fates(&home.receive(world, Ways::default(), &again)), [Fate::Refused]);
        assert_eq!(world.posted.lock().expect("a lock").len(), 1, "{}", world.noticed());
        let drafted = Act::SendDraft(ID.to_owned());
        let noticed = world.noticed.lock().expect("a lock");
        assert!(noticed.iter().any(|advice| advice.acts().any(|act| *act == drafted)), "{noticed:?}");
    });
}

#[test]
fn a_reply_without_a_record_is_entered_in_the_office() {
    in_each_home(1, "", |home, world| {
        let events = home.receive(world, Ways::default(), &reply("c4-c5"));
        assert_eq!(fates(&events), [Fate::Accepted], "{}", world.noticed());
        assert!(matches!(&events[0], Event::EnteredFor { side, .. } if side.word == "besiegers"), "{events:?}");
        assert!(home.record().contains("2 besiegers c4-c5 @2026-11-22T08:05:00Z\n"), "{}", home.record());
    });
}
