//! What is left of each kind of note if a change of a file fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate};

use crate::announced::{Announcements, Word};
use crate::conditions::decision::{Branch, Conditions};
use crate::conditions::notes::Plans;
use crate::invite::kept::{Answered, Invitations, Sender};
use crate::known::copies::{KnownGames, Sides};
use crate::learning::LessonsDone;
use crate::receive::arrivals::Arrivals;
use crate::receive::decision::Arrival;
use crate::receive::held_back::HeldBack;
use crate::receive::received::{Mark, Received};
use crate::receive::seats::Seats;
use crate::send::sent::{Delivery, SentNotes, SentNotesError};
use postrider_disk::disk::{Failing, FileError, Memory};
use postrider_disk::folders::Folders;
use postrider_kernel::{Seal, Side};
use postrider_mail::incoming;
use postrider_referee::record::Time;
use postrider_referee::sealing::{Secret, SecretKey, Statement};
use postrider_referee::verdict::Opened;
use postrider_vault::backup::restored::Restored;
use postrider_vault::journal::{Journal, SignedTurn};
use postrider_vault::kept::Secrets;
use postrider_vault::keyring::{Keyring, Trusted};
use postrider_vault::remembered::Remembered;

const ADA: Sender<'_> = Sender { address: "ada@example.org", is_known: true };
const GAME: &str = "asalto-kept-1";
const SIDE: &str = "besiegers";
const HEADER: &[u8; 32] = &[7; 32];
const RECORD: &[u8] =
    b"---\npbem: 1\ngame: asalto\nid: asalto-kept-1\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                        defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";

/// Something that is noted: what was noted before, what is noted, and how it is read.
struct Noted {
    what: &'static str,
    before: fn(&Folders),
    act: fn(&Folders) -> Result<(), String>,
    read: fn(&Folders) -> String,
}

fn told<T, E: std::fmt::Display>(done: Result<T, E>) -> Result<(), String> {
    done.map(drop).map_err(|error| error.to_string())
}

fn turn(number: u32, line: &str) -> SignedTurn<'_> {
    SignedTurn { game: GAME, header: HEADER, side: SIDE, number, digest: HEADER, line }
}

fn secret(digit: &str) -> Secret {
    Secret::read(&digit.repeat(64)).expect("a secret")
}

fn key(byte: u8) -> SecretKey {
    SecretKey::take(&mut [byte; 32])
}

/// Notes what Ada says by the letter with this Message-ID.
fn announces(folders: &Folders, word: Word, id: &str) -> Result<(), String> {
    let opened = Opened::new(RECORD).expect("a record");
    let mail = incoming::read(format!("Message-ID: <{id}@example.org>\n\nresign\n").as_bytes());
    let notes = Announcements::new(folders);
    let before = notes.of(GAME).expect("a store");
    told(notes.note(&opened, Side::First, (word, &mail, Time(9)), &before))
}

fn announced(folders: &Folders) -> String {
    format!("{:?}", Announcements::new(folders).of(GAME).expect("a store"))
}

fn conditions(mine: &str) -> Conditions {
    let branch = Branch { theirs: "c6-d6".into(), mine: mine.into(), next: Vec::new() };
    Conditions { game: GAME.into(), side: SIDE.into(), entries: 2, digest: "00".repeat(32), branches: vec![branch] }
}

fn arrival(entry: u32) -> Arrival {
    Arrival { entry, read: Time(9), server: None, without: None }
}

fn moved(sides: &[&str]) -> Sides {
    Sides { moved: sides.iter().map(|side| (*side).to_owned()).collect(), ..Sides::default() }
}

fn held(folders: &Folders) -> String {
    let store = HeldBack::new(folders);
    format!("{:?} {:?}", store.due(99).expect("a folder").len(), store.undecided().expect("a folder").len())
}

fn random_bytes(bytes: &mut [u8]) -> Result<(), String> {
    bytes.fill(5);
    Ok(())
}

fn at(second: i64) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp(1_795_000_000 + second, 0).expect("a time")
}

fn sent(folders: &Folders) -> String {
    format!("{:?}", SentNotes::read(folders, GAME).expect("notes").iter().map(|note| note.state).collect::<Vec<_>>())
}

fn invited(folders: &Folders) -> String {
    let store = Invitations::new(folders);
    let standing = store.standing(GAME).expect("told");
    let accepted = folders.disk.read_record(Path::new("games/asalto.pbem")).unwrap_or_default();
    // What was accepted counts, whether or not the invitation is gone yet.
    if accepted.is_empty() { format!("{standing:?}") } else { String::from_utf8(accepted).expect("text") }
}

/// One file each.
const NOTED: &[Noted] = &[
    Noted {
        what: "the journal of what is signed",
        before: |folders| Journal::new(folders).note(&turn(2, "2 besiegers c4-c5")).expect("noted"),
        act: |folders| told(Journal::new(folders).note(&turn(4, "4 besiegers c5-c6"))),
        read: |folders| format!("{:?}", Journal::new(folders).signed(GAME, SIDE, 4).expect("a journal")),
    },
    Noted {
        what: "a secret",
        before: |_| {},
        act: |folders| told(Secrets::new(folders).make(GAME, SIDE, HEADER, &random_bytes)),
        read: |folders| {
            let secret = Secrets::new(folders).read_for(GAME, SIDE, HEADER).expect("a store");
            secret.map_or_else(String::new, |secret| secret.reveal().to_string())
        },
    },
    Noted {
        what: "a secret that is bound",
        before: |folders| told(Secrets::new(folders).keep(GAME, SIDE, &secret("a"), None)).expect("kept"),
        act: |folders| told(Secrets::new(folders).read_to_use(GAME, SIDE, HEADER)),
        read: |folders| format!("{:?}", Secrets::new(folders).belongs(GAME, SIDE, HEADER).expect("a store")),
    },
    Noted {
        what: "a key that is written anew",
        before: |folders| Keyring::new(folders).keep(&key(1).reveal()).expect("kept"),
        act: |folders| told(Keyring::new(folders).lock(&key(1), None, &random_bytes)),
        read: |folders| Keyring::new(folders).own_text().expect("a key").expect("a key").to_string(),
    },
    Noted {
        what: "a trusted key",
        before: |folders| Keyring::new(folders).trust(&Trusted::new("aaaa", "Ada", false), false).expect("trusted"),
        act: |folders| told(Keyring::new(folders).trust(&Trusted::new("bbbb", "Bram", false), false)),
        read: |folders| format!("{:?}", Keyring::new(folders).trusted().expect("a list")),
    },
    Noted {
        what: "a statement about a key",
        before: |_| {},
        act: |folders| {
            let day = NaiveDate::from_ymd_opt(2026, 11, 24).expect("a day");
            told(Keyring::new(folders).note(&Statement::withdrawal(&key(1), day)))
        },
        read: |folders| Keyring::new(folders).statements().expect("a list").len().to_string(),
    },
    Noted {
        what: "a token that goes out",
        before: |_| {},
        act: |folders| told(Seats::new(folders).issue(GAME, &random_bytes)),
        read: |folders| format!("{:?}", Seats::new(folders).issued(GAME).expect("a store")),
    },
    Noted {
        what: "a token that came",
        before: |folders| Seats::new(folders).note(GAME, &"0".repeat(32)).expect("noted"),
        act: |folders| told(Seats::new(folders).note(GAME, &"1".repeat(32))),
        read: |folders| format!("{:?}", Seats::new(folders).received(GAME).expect("a store")),
    },
    Noted {
        what: "when an entry came",
        before: |folders| Arrivals::new(folders).note(GAME, "2 x", &arrival(2)).expect("noted"),
        act: |folders| told(Arrivals::new(folders).note(GAME, "4 x", &arrival(4))),
        read: |folders| format!("{:?}", Arrivals::new(folders).of(GAME, 4, "4 x").expect("a store")),
    },
    Noted {
        what: "what was last known of a game",
        before: |folders| KnownGames::new(folders).remember(GAME, b"old").expect("noted"),
        act: |folders| told(KnownGames::new(folders).remember(GAME, b"old and new")),
        read: |folders| format!("{:?}", KnownGames::new(folders).record(GAME).expect("a store")),
    },
    Noted {
        what: "the player's side",
        before: |folders| KnownGames::new(folders).note_sides(GAME, &moved(&["white"])).expect("noted"),
        act: |folders| told(KnownGames::new(folders).note_sides(GAME, &moved(&["white", "black"]))),
        read: |folders| format!("{:?}", KnownGames::new(folders).sides(GAME).expect("a store")),
    },
    Noted {
        what: "a version that is set aside",
        before: |folders| told(KnownGames::new(folders).set_aside(GAME, b"one")).expect("kept"),
        act: |folders| told(KnownGames::new(folders).set_aside(GAME, b"two")),
        read: |folders| {
            let listed = folders.disk.list(&folders.known()).expect("a folder").into_iter();
            format!("{:?}", listed.map(|one| one.name).collect::<BTreeSet<_>>())
        },
    },
    Noted {
        what: "a message that was read",
        before: |folders| Received::load(folders).expect("notes").note(Mark::of(&[b"1"])).expect("noted"),
        act: |folders| told(Received::load(folders).expect("notes").note(Mark::of(&[b"2"]))),
        read: |folders| Received::load(folders).expect("notes").knows(&Mark::of(&[b"2"])).to_string(),
    },
    Noted {
        what: "a lesson that was done",
        before: |folders| LessonsDone::new(folders).note("asalto", 1).expect("noted"),
        act: |folders| told(LessonsDone::new(folders).note("asalto", 2)),
        read: |folders| format!("{:?}", LessonsDone::new(folders).of("asalto")),
    },
    Noted {
        what: "an invitation",
        before: |_| {},
        act: |folders| match Invitations::new(folders).standing(GAME).expect("told") {
            Answered::Waiting => Ok(()),
            _ => told(Invitations::new(folders).keep(GAME, b"record", &ADA)),
        },
        read: invited,
    },
    Noted {
        what: "an invitation that is declined",
        before: |folders| told(Invitations::new(folders).keep(GAME, b"record", &ADA)).expect("kept"),
        act: |folders| match Invitations::new(folders).standing(GAME).expect("told") {
            Answered::Declined => Ok(()),
            _ => told(Invitations::new(folders).decline(GAME)),
        },
        read: invited,
    },
    Noted {
        what: "an invitation that is accepted",
        before: |folders| told(Invitations::new(folders).keep(GAME, b"record", &ADA)).expect("kept"),
        act: |folders| match Invitations::new(folders).standing(GAME).expect("told") {
            Answered::Unknown => Ok(()),
            _ => told(Invitations::new(folders).accept(GAME, Path::new("games/asalto.pbem"))),
        },
        read: invited,
    },
    Noted {
        what: "a message that is held back",
        before: |_| {},
        act: |folders| told(HeldBack::new(folders).keep(0, 9, b"message")),
        read: held,
    },
    Noted {
        what: "a message that waits for the player",
        before: |folders| told(HeldBack::new(folders).keep(0, 9, b"message")).expect("kept"),
        act: |folders| {
            let due: Vec<PathBuf> = HeldBack::new(folders).due(99).expect("a folder");
            due.iter().try_for_each(|path| told(HeldBack::new(folders).wait(path)))
        },
        read: held,
    },
    Noted {
        what: "conditional entries",
        before: |folders| Plans::new(folders).keep(&conditions("e4-e5")).expect("kept"),
        act: |folders| told(Plans::new(folders).keep(&conditions("resign"))),
        read: |folders| format!("{:?}", Plans::new(folders).read(GAME, SIDE).expect("a store")),
    },
    Noted {
        what: "conditional entries that are removed",
        before: |folders| Plans::new(folders).keep(&conditions("e4-e5")).expect("kept"),
        act: |folders| told(Plans::new(folders).remove(GAME, SIDE)),
        read: |folders| format!("{:?}", Plans::new(folders).read(GAME, SIDE).expect("a store")),
    },
    Noted {
        what: "what an opponent has announced",
        before: |_| {},
        act: |folders| announces(folders, Word::Resigns, "one"),
        read: announced,
    },
    Noted {
        what: "what an opponent has announced and takes back",
        before: |folders| announces(folders, Word::Resigns, "one").expect("noted"),
        act: |folders| announces(folders, Word::TakesBack, "two"),
        read: announced,
    },
    Noted {
        what: "what an opponent has announced in a game that is over",
        before: |folders| announces(folders, Word::Resigns, "one").expect("noted"),
        act: |folders| told(Announcements::new(folders).forget(GAME)),
        read: announced,
    },
    Noted {
        what: "a game that came from a backup",
        before: |_| {},
        act: |folders| told(Restored::new(folders).mark(&BTreeSet::from([GAME.to_owned()]), "2026-11-21T12:00:00Z")),
        read: |folders| format!("{:?}", Restored::new(folders).read().expect("a list").since(GAME)),
    },
    Noted {
        what: "a letter that is about to be sent",
        before: |_| {},
        act: |folders| {
            told(SentNotes::open(folders, GAME).and_then(|mut notes| notes.sending(2, "bram", "<2@x>", at(0))))
        },
        read: sent,
    },
    Noted {
        what: "a letter that was sent",
        before: |folders| {
            SentNotes::open(folders, GAME).expect("notes").sending(2, "bram", "<2@x>", at(0)).expect("noted");
        },
        act: |folders| told(SentNotes::open(folders, GAME).and_then(|mut notes| notes.sent("bram", "<2@x>", at(1)))),
        read: sent,
    },
    Noted {
        what: "what a seal was made of",
        before: |_| {},
        act: |folders| {
            let store = Remembered::new(folders);
            store.remember(GAME, SIDE, &secret("a"), &Seal([1; 32]), "Pa1");
            // It is a memory only, and silent about what it cannot note.
            store.payload(GAME, SIDE, &secret("a"), &Seal([1; 32])).map(drop).ok_or_else(|| "not noted".to_owned())
        },
        read: |folders| format!("{:?}", Remembered::new(folders).payload(GAME, SIDE, &secret("a"), &Seal([1; 32]))),
    },
];

#[test]
fn whatever_change_fails_a_note_is_the_old_one_or_the_new_one_and_noting_it_again_goes_on() {
    let mut failures = 0;
    for noted in NOTED {
        let fresh = || {
            let memory = Memory::new();
            let folders = Folders::in_memory(&memory);
            (noted.before)(&folders);
            (memory, folders)
        };
        let (_memory, folders) = fresh();
        let old = (noted.read)(&folders);
        (noted.act)(&folders).unwrap_or_else(|error| panic!("{}: {error}", noted.what));
        let new = (noted.read)(&folders);
        for how in [Failing::Full, Failing::Unflushed, Failing::Killed] {
            for nth in 0.. {
                let place = format!("{}, {how:?} at change {nth}", noted.what);
                let (memory, folders) = fresh();
                memory.fail_after(nth, how);
                let done = (noted.act)(&folders);
                if !memory.recover() {
                    assert!(done.is_ok() && nth > 0, "{place}: {done:?}");
                    break;
                }
                failures += 1;
                let there = (noted.read)(&folders);
                assert!(there == old || there == new, "{place}: {there}");
                assert!(done.is_err() || there == new, "{place}: {done:?}");
                // A program that starts from what was stored finds the same, and goes on.
                let again = Folders::in_memory(&Memory::from_snapshot(memory.snapshot()));
                assert_eq!((noted.read)(&again), there, "{place}");
                (noted.act)(&again).unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!((noted.read)(&again), new, "{place}");
            }
        }
    }
    assert!(failures > 3 * NOTED.len(), "{failures}");
}

#[test]
fn whatever_change_fails_a_key_and_its_successor_are_both_there() {
    let day = NaiveDate::from_ymd_opt(2026, 11, 24).expect("a day");
    let statement = Statement::succession(&key(1), &key(2), day);
    let (old, new) = (key(1).public(), key(2).public());
    let mut failures = 0;
    for how in [Failing::Full, Failing::Unflushed, Failing::Killed] {
        for nth in 0.. {
            let memory = Memory::new();
            let keyring = Keyring::new(&Folders::in_memory(&memory));
            keyring.keep(&key(1).reveal()).expect("kept");
            memory.fail_after(nth, how);
            let done = keyring.succeed(&old, &key(2), None, Some(&statement), &random_bytes);
            if !memory.recover() {
                assert!(done.is_ok() && nth > 4);
                break;
            }
            failures += 1;
            let own = keyring.own().expect("a store").expect("a key").public();
            assert!(own == old || own == new, "{how:?} {nth}");
            if own == old && keyring.finish_succession(&old).expect("a store").is_none() {
                assert!(keyring.statements().expect("a list").is_empty(), "{how:?} {nth}: no successor was named");
                keyring.succeed(&old, &key(2), None, Some(&statement), &random_bytes).expect("it goes on");
            }
            let keys: BTreeSet<_> =
                keyring.own_keys().expect("keys").iter().map(|one| one.public().fingerprint()).collect();
            assert_eq!(keys, BTreeSet::from([old.fingerprint(), new.fingerprint()]), "{how:?} {nth}");
            assert_eq!(keyring.own().expect("a store").expect("a key").public(), new, "{how:?} {nth}");
        }
    }
    assert!(failures > 10, "{failures}");
}

#[test]
fn two_handles_of_one_memory_take_turns() {
    let memory = Memory::new();
    let (one, other) = (Folders::in_memory(&memory), Folders::in_memory(&memory));
    assert_eq!(one, other);
    let mut notes = SentNotes::open(&one, GAME).expect("notes");
    let busy = SentNotes::open(&other, GAME).expect_err("it is locked");
    assert!(matches!(busy, SentNotesError::File(FileError::Busy { .. })), "{busy}");
    notes.sending(2, "bram", "<2@x>", at(0)).expect("noted");
    drop(notes);
    let notes = SentNotes::open(&other, GAME).expect("it is given up");
    assert_eq!(notes.standing("bram", "<2@x>"), Delivery::Unsure(at(0)));
}
