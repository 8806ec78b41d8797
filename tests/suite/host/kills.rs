//! Games that cannot be played, are unsure, lapse or are claimed, and seats that move, while the host is killed, its disk is full or gives
//! errors: whatever step it fails at, the next run goes on without losing a letter, ending a game too early, or doing anything twice.
//!
//! By default some of the faults are tried, evenly spread; with `POSTRIDER_FAULTS=all`, all of them.

use std::collections::BTreeMap;

use postrider_disk::disk::{Failing, Memory};
use postrider_home::office::Trouble;
use postrider_host::{Host, Longest};
use postrider_referee::record::Time;
use postrider_referee::verdict::{Ruling, verify};

use super::ailing::{file, put};
use super::people::{Hosted, Letter, to};
use super::restored::{After, restored};
use super::seats::{NEW, code};
use super::time::{now, one_entry, received};
use super::{ADA, ADDRESSES, BRAM, begun, due, from};
use postrider_testing::random::Stream;

const DAY: i64 = 86_400;

type Files = Vec<(String, Vec<u8>)>;
/// What comes of it without a fault: the letters, what is still to be done, and the records.
type Usual = (Vec<(String, String)>, (Vec<String>, Files));

/// What a host does, with a fault at any of its steps and then once more.
struct Faults<'a> {
    name: &'a str,
    before: &'a Hosted,
    /// A message that is given to it again if it was not taken.
    message: Option<&'a [u8]>,
    /// What is done besides, before its run.
    act: &'a dyn Fn(&Host<'_>) -> Result<(), Trouble>,
    /// What must be true whenever it was stopped.
    never: &'a dyn Fn(&Hosted),
    /// What must be true in the end.
    after: &'a dyn Fn(&Hosted),
}

impl<'a> Faults<'a> {
    fn of(name: &'a str, before: &'a Hosted, message: Option<&'a [u8]>, after: &'a dyn Fn(&Hosted)) -> Self {
        Self { name, before, message, act: &|_| Ok(()), never: &|_| {}, after }
    }

    fn host(&self, files: &Files) -> Hosted {
        let host = Hosted::at(Memory::from_snapshot(files.clone()));
        host.away(now(self.before) - now(&host));
        host.folders.disk.private_folder(&host.folders.games()).expect("a folder");
        host
    }

    /// Does it; `false` if it is to be done once more.
    fn done(&self, host: &Hosted) -> bool {
        let office = host.office();
        let done = Host::open(&office).and_then(|open| {
            self.message.map_or(Ok(()), |message| open.take(message).map(drop))?;
            (self.act)(&open)?;
            open.run(&|_| {})
        });
        done.is_ok_and(|done| done.stuck == 0 && done.unsent == 0)
    }

    /// The letters that were sent, each once even if a mail system got it twice, by their addresses and subjects.
    fn letters(host: &Hosted) -> Vec<(String, String)> {
        let sent = host.letters();
        let once: BTreeMap<&str, &Letter> = sent.iter().map(|letter| (letter.id.as_str(), letter)).collect();
        for letter in &sent {
            assert!(once[letter.id.as_str()].bytes == letter.bytes, "two letters have one name: {}", letter.subject);
        }
        let mut list: Vec<_> = once.values().map(|letter| (letter.to.clone(), letter.subject.clone())).collect();
        list.sort();
        list
    }

    /// The names of files that say what is still to be done, and the bytes of all records.
    fn state(host: &Hosted) -> (Vec<String>, Files) {
        let (records, others): (Files, Files) =
            host.memory.snapshot().into_iter().partition(|(path, _)| path.ends_with(".pbem"));
        let parts = ["spool/", "held/", "ailing/", "outgoing/", "agenda/", "host/job", "lapsed/", ".tmp"];
        let waits = others.into_iter().map(|(path, _)| path);
        (waits.filter(|path| parts.iter().any(|part| path.contains(part))).collect(), records)
    }

    fn ends(&self, host: &Hosted, place: &str, usual: &Usual) {
        for _ in 0..3 {
            (self.never)(host);
            if self.done(host) {
                break;
            }
        }
        (self.never)(host);
        assert_eq!(Self::letters(host), usual.0, "{}: {place}: letters", self.name);
        let (waits, records) = Self::state(host);
        assert_eq!(waits, usual.1.0, "{}: {place}", self.name);
        let text = |records: &Files| -> Vec<(String, String)> {
            records.iter().map(|(path, bytes)| (path.clone(), unsigned(bytes))).collect()
        };
        assert_eq!(text(&records), text(&usual.1.1), "{}: {place}", self.name);
        (self.after)(host);
    }

    fn run(&self) {
        let files = self.before.memory.snapshot();
        let plain = self.host(&files);
        assert!(self.done(&plain), "{}", self.name);
        let usual = (Self::letters(&plain), Self::state(&plain));
        (self.after)(&plain);
        let all = std::env::var("POSTRIDER_FAULTS").as_deref() == Ok("all");
        for (failing, step) in [(Failing::Killed, 2_u64), (Failing::Full, 3), (Failing::Unflushed, 5)] {
            let step = if all { 1 } else { step };
            for nth in (self.name.len() as u64 % step..).step_by(step as usize) {
                let host = self.host(&files);
                host.memory.fail_after(nth, failing);
                self.done(&host);
                let was_hit = host.memory.recover();
                self.ends(&host, &format!("{failing:?} at {nth}"), &usual);
                if !was_hit {
                    assert!(nth > 0, "{}: {nth} steps", self.name);
                    break;
                }
            }
        }
        // Each folder that is there before or after, or each file.
        let there: Vec<String> = files.iter().chain(&plain.memory.snapshot()).map(|(path, _)| path.clone()).collect();
        let folder = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let mut parts: Vec<String> = there.iter().filter_map(folder).collect();
        parts.extend(["host/runs", "host/secret", "host/standings", "host/job"].map(str::to_owned));
        if all {
            parts.extend(there);
        }
        parts.retain(|part| !part.contains("/seen") && part != "data");
        parts.sort();
        parts.dedup();
        for part in parts {
            let host = self.host(&files);
            host.memory.unreadable(&part);
            self.done(&host);
            host.memory.unreadable("");
            self.ends(&host, &format!("no reading of {part}"), &usual);
        }
    }
}

/// A record without what is drawn at random or signed over it.
fn unsigned(record: &[u8]) -> String {
    let text = String::from_utf8_lossy(record);
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

fn entries(host: &Hosted, id: &str) -> (u32, bool) {
    let verdict = verify(&host.record(id));
    assert_eq!(verdict.ruling, Ruling::Legal);
    (verdict.entries, verdict.outcome.is_some())
}

fn is_lapsed(host: &Hosted, id: &str) -> bool {
    let has = |part: &str| host.memory.snapshot().iter().any(|(path, _)| path.ends_with(&format!("{part}/{id}.pbem")));
    assert!(has("host/lapsed") != has("data/games"));
    has("host/lapsed")
}

/// A host with a game whose record is missing, and the letter with its second entry.
fn ailing() -> (Hosted, String, Vec<u8>, Vec<u8>) {
    let host = Hosted::plain();
    let (id, letter, entry) = one_entry(&host);
    host.letters();
    let message = host.reply(from(&letter.to), &letter, &entry);
    let record = host.record(&id);
    host.folders.disk.remove(&file(&host, &id)).expect("removed");
    (host, id, record, message)
}

#[test]
fn a_letter_about_a_game_that_cannot_be_played_is_kept_once_under_any_fault() {
    let (host, id, record, message) = ailing();
    Faults::of("kept", &host, Some(&message), &|host| {
        put(host, &id, &record);
        host.run();
        assert_eq!(entries(host, &id), (2, false));
    })
    .run();
}

#[test]
fn a_game_that_was_mended_goes_on_with_its_letter_and_its_time_under_any_fault() {
    let (host, id, record, message) = ailing();
    let at = now(&host);
    host.deliver(&message);
    host.letters();
    host.later(9 * DAY);
    put(&host, &id, &record);
    Faults::of("mended", &host, None, &|host| {
        assert_eq!(entries(host, &id), (2, false));
        assert!(String::from_utf8_lossy(&host.record(&id)).contains(&format!("@{}", Time(at))));
    })
    .run();
    // Without a letter its time goes on as well.
    let (host, id, record, _) = ailing();
    host.later(3 * DAY);
    host.run();
    host.later(6 * DAY);
    host.run();
    host.letters();
    put(&host, &id, &record);
    Faults {
        never: &|host| assert_eq!(entries(host, &id), (1, false)),
        ..Faults::of("mended without a letter", &host, None, &|host| {
            host.later(DAY);
            host.run();
            assert_eq!(entries(host, &id), (1, false));
        })
    }
    .run();
}

#[test]
fn a_game_that_is_unsure_is_asked_about_once_and_goes_on_once_under_any_fault() {
    let After { host, id, sent, entries: made } = restored();
    let before = host.record(&id);
    Faults {
        never: &|host| assert!(host.record(&id) == before),
        ..Faults::of("asked", &host, None, &|host| {
            host.later(9 * DAY);
            host.run();
            assert_eq!(entries(host, &id), (1, false));
        })
    }
    .run();
    // What was sent is read back, before anybody was asked.
    let mut longest = Longest::default();
    sent.iter().for_each(|letter| longest.look_into(&letter.bytes));
    Faults {
        act: &|open| open.brings_back(&longest, &|_| {}).map(drop),
        ..Faults::of("brought back", &host, None, &|host| assert_eq!(entries(host, &id), (made, false)))
    }
    .run();
    Faults {
        act: &|open| open.only_here(&id, &|_| {}),
        ..Faults::of("only here", &host, None, &|host| assert_eq!(entries(host, &id), (1, false)))
    }
    .run();
    // Both say yes, and a letter waits.
    host.run();
    let asked = host.letters();
    let (_, entry) = due(&host, &id, &sent, &mut Stream(8)).expect("a turn");
    host.deliver(&host.reply(BRAM, to(&asked, ADDRESSES[1]), &entry));
    host.deliver(&host.reply(BRAM, to(&asked, ADDRESSES[1]), "yes"));
    host.letters();
    let yes = host.reply(ADA, to(&asked, ADDRESSES[0]), "yes");
    Faults::of("both say yes", &host, Some(&yes), &|host| assert_eq!(entries(host, &id), (2, false))).run();
}

#[test]
fn a_game_lapses_once_and_is_revived_once_under_any_fault() {
    let host = Hosted::with_lines("received-by: mx.example.com\nmail:\n  letter: text\n", "");
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let at = now(&host) + DAY;
    let message = received(&host.reply(from(&letter.to), &letter, &entry), at);
    host.later(6 * DAY);
    Faults::of("lapse", &host, None, &|host| assert!(is_lapsed(host, &id))).run();
    // A letter that came in time and is read by the same run comes first.
    let entered = |host: &Hosted| {
        assert!(!is_lapsed(host, &id));
        assert_eq!(entries(host, &id), (1, false));
        assert!(String::from_utf8_lossy(&host.record(&id)).contains(&format!("@{}", Time(at))));
    };
    Faults { never: &|host| assert!(!is_lapsed(host, &id)), ..Faults::of("in time", &host, Some(&message), &entered) }
        .run();
    host.run();
    host.letters();
    Faults::of("revived", &host, Some(&message), &entered).run();
}

#[test]
fn a_seat_moves_once_under_any_fault() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let ada = to(&letters, ADDRESSES[0]).clone();
    let wish = host.reply(NEW, &ada, "new address");
    Faults::of("a seat is to move", &host, Some(&wish), &|_| {}).run();
    host.deliver(&wish);
    let asked = host.letters();
    let yes = code(to(&asked, ADDRESSES[0]), "yes, new address ");
    let yes = host.reply(ADA, to(&asked, ADDRESSES[0]), &yes);
    Faults::of("the old address says yes", &host, Some(&yes), &|_| {}).run();
    host.deliver(&yes);
    host.letters();
    let here = to(&asked, "ada@new.example");
    let here = host.reply(NEW, here, &code(here, "new address "));
    Faults::of("a seat moves", &host, Some(&here), &|host| {
        host.deliver(&host.reply(ADA, &ada, "show"));
        assert!(host.letters().iter().all(|letter| !letter.subject.contains(&id)), "the old token is worth nothing");
    })
    .run();
}

#[test]
fn somebody_is_forgotten_once_and_wholly_under_any_fault() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    host.refuse(true);
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    host.refuse(false);
    Faults {
        act: &|open| open.forget(ADDRESSES[1], &|_| {}).map(drop),
        ..Faults::of("forgotten", &host, None, &|host| {
            assert_eq!(super::forgotten::left(host, &["bram@example.net", "bram post"]), Vec::<String>::new());
            assert_eq!(entries(host, &id), (1, false));
        })
    }
    .run();
}
