//! Time in a hosted game: when letters came, claims, outages, and games whose first entry is never made.

use std::collections::BTreeMap;

use chrono::{TimeZone as _, Utc};
use postrider_home::office::Clock as _;
use postrider_host::{Host, Reading};
use postrider_referee::record::Time;
use postrider_referee::verdict::{Ruling, verify};

use super::people::{Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, begun, due, from};
use postrider_testing::random::Stream;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A letter as the mail system of the host took it at this time.
pub(super) fn received(message: &[u8], at: i64) -> Vec<u8> {
    let date = Utc.timestamp_opt(at, 0).single().expect("a time").to_rfc2822();
    let line = format!("Received: from mail.example.org by mx.example.com with ESMTPS id x; {date}\r\n");
    [line.as_bytes(), message].concat()
}

pub(super) fn now(host: &Hosted) -> i64 {
    host.world.now().0
}

/// A game with one entry, and who is due: the letter, and an entry that may be made.
pub(super) fn one_entry(host: &Hosted) -> (String, Letter, String) {
    let (id, letters) = begun(host, "asalto");
    with_one_entry(host, &id, &letters)
}

fn with_one_entry(host: &Hosted, id: &str, letters: &[Letter]) -> (String, Letter, String) {
    let mut stream = Stream(3);
    let (letter, entry) = due(host, id, letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    let (letter, entry) = due(host, id, &host.letters(), &mut stream).expect("a turn");
    (id.to_owned(), letter, entry)
}

fn after(host: &Hosted, reading: Reading) {
    let office = host.office();
    Host::open(&office).expect("a host").run_after(reading, &|_| {}).expect("a run");
}

fn is_over(host: &Hosted, id: &str) -> bool {
    let verdict = verify(&host.record(id));
    assert_eq!(verdict.ruling, Ruling::Legal);
    verdict.outcome.is_some()
}

/// Twenty games with one entry each, and who is due in each: the letter, and an entry that may be made.
pub(super) fn twenty(host: &Hosted) -> Vec<(String, Letter, String)> {
    let (_, letters) = begun(host, "asalto");
    let mut hers = to(&letters, ADDRESSES[0]).clone();
    let mut games = Vec::new();
    for _ in 0..20 {
        host.deliver(&host.reply(ADA, &hers, "play asalto with bram@example.net"));
        let letters = host.letters();
        host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
        let letters = host.letters();
        hers = to(&letters, ADDRESSES[0]).clone();
        games.push(with_one_entry(host, &id_of(&hers), &letters));
    }
    games
}

#[test]
fn z39_after_an_outage_letters_that_came_in_time_are_entered_with_their_time_and_nothing_is_claimed_before() {
    let settings = "received-by: mx.example.com\nmail:\n  letter: text\n";
    let host = Hosted::with_lines(settings, "  letters-a-day: 1000\n  clock: 1d\n");
    let games = twenty(&host);
    // Nothing runs for two days. All answer within the day that they have; the mail system keeps the letters.
    let mut waiting = BTreeMap::new();
    for (id, letter, entry) in &games {
        host.away(600);
        let at = now(&host);
        waiting.insert(id.clone(), (at, received(&host.reply(from(&letter.to), letter, entry), at)));
    }
    host.away(2 * DAY);
    // Somebody looks at the clocks first, and a mailbox cannot be read: the one run after it reads only half of the letters.
    after(&host, Reading::Part);
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    for (_, message) in waiting.values().rev().take(10) {
        open.take(message).expect("it is taken");
    }
    drop(open);
    drop(office);
    after(&host, Reading::Part);
    assert!(games.iter().all(|(id, ..)| !is_over(&host, id)), "nothing is claimed");
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    for (_, message) in waiting.values() {
        open.take(message).expect("it is taken");
    }
    drop(open);
    drop(office);
    host.run();
    for (id, (at, _)) in &waiting {
        let record = host.record(id);
        let verdict = verify(&record);
        assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, 2), "{id}");
        let text = String::from_utf8(record).expect("text");
        assert!(text.contains(&format!("@{}", Time(*at))), "{at}: {text}");
    }
    // What waited here costs nobody time: whoever is to answer has a day from now.
    host.later(DAY - HOUR);
    host.run();
    assert!(games.iter().all(|(id, ..)| !is_over(&host, id)));
    host.later(3 * HOUR + DAY);
    host.run();
    assert!(games.iter().all(|(id, ..)| is_over(&host, id)));
}

#[test]
fn e7_a_claim_needs_a_whole_reading_after_the_end_and_a_fiftieth_of_the_time() {
    let host = Hosted::plain();
    let (id, ..) = one_entry(&host);
    host.later(5 * DAY + 1800);
    host.run();
    assert!(!is_over(&host, &id), "an hour is left to clocks and mail");
    host.later(HOUR);
    let before = Time(now(&host) - 3 * HOUR);
    after(&host, Reading::Part);
    after(&host, Reading::Whole(before));
    assert!(!is_over(&host, &id), "letters may wait");
    host.run();
    assert!(is_over(&host, &id));
    // A letter that cannot be read for now may be the answer.
    let host = Hosted::plain();
    let (id, letter, entry) = one_entry(&host);
    let message = host.reply(from(&letter.to), &letter, &entry);
    let office = host.office();
    Host::open(&office).expect("a host").take(&message).expect("it is taken");
    drop(office);
    host.later(6 * DAY);
    host.memory.unreadable("host/people");
    host.run();
    host.memory.unreadable("");
    assert!(!is_over(&host, &id));
    host.run();
    assert_eq!((verify(&host.record(&id)).entries, is_over(&host, &id)), (2, false));
}

#[test]
fn e7_a_letter_that_came_long_ago_and_cannot_be_read_now_may_be_the_answer() {
    let host = Hosted::with_lines("received-by: mx.example.com\nmail:\n  letter: text\n", "");
    let (id, letter, entry) = one_entry(&host);
    let at = now(&host) + DAY;
    let message = received(&host.reply(from(&letter.to), &letter, &entry), at);
    host.later(6 * DAY);
    let office = host.office();
    Host::open(&office).expect("a host").take(&message).expect("it is taken");
    drop(office);
    host.memory.unreadable("host/people");
    for _ in 0..2 {
        host.run();
        assert!(!is_over(&host, &id), "it came in time");
        host.later(47 * HOUR);
    }
    host.memory.unreadable("");
    host.run();
    assert_eq!((verify(&host.record(&id)).entries, is_over(&host, &id)), (2, false));
}

#[test]
fn e7_a_reading_that_passed_over_a_message_is_not_whole_for_two_days() {
    let host = Hosted::plain();
    let (id, ..) = one_entry(&host);
    host.later(6 * DAY);
    let passed = || Reading::But(Time(now(&host)), vec!["INBOX, message 7".to_owned()]);
    after(&host, passed());
    assert!(!is_over(&host, &id), "it may be the answer");
    // Another one each time does not make it whole, and what was read meanwhile does not count.
    for hours in 0..4 {
        host.later(12 * HOUR);
        after(&host, Reading::But(Time(now(&host)), vec![format!("INBOX, message {}", 100 + hours)]));
        assert!(!is_over(&host, &id), "{hours}");
    }
    host.later(HOUR);
    after(&host, passed());
    assert!(!is_over(&host, &id), "that was forgotten, because it was read in between");
    host.later(47 * HOUR);
    after(&host, passed());
    assert!(!is_over(&host, &id), "47 hours");
    host.later(HOUR);
    after(&host, passed());
    assert!(is_over(&host, &id), "what nobody can read for two days holds up nobody");
}

#[test]
fn after_an_outage_nothing_is_claimed_for_as_long_as_it_was() {
    for (away, quiet) in [(2 * HOUR, 6 * HOUR), (DAY, DAY), (9 * DAY, 2 * DAY)] {
        let host = Hosted::plain();
        let (id, ..) = one_entry(&host);
        host.later(6 * DAY - away.min(6 * DAY - 60));
        host.away(away);
        host.run();
        assert!(!is_over(&host, &id), "{away}");
        host.later(quiet - 300);
        host.run();
        assert!(!is_over(&host, &id), "{away}");
        host.later(600);
        host.run();
        assert!(is_over(&host, &id), "{away}");
    }
}

#[test]
fn e7_who_claims_by_a_letter_as_soon_as_time_is_up_need_not_write_again() {
    let host = Hosted::with_host("  forfeit: false\n");
    let (id, letters) = begun(&host, "asalto");
    let mut stream = Stream(3);
    let (waits, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&waits.to), &waits, &entry));
    let letters = host.letters();
    host.later(5 * DAY + 600);
    host.deliver(&host.reply(from(&waits.to), to(&letters, &waits.to), "claim time"));
    assert!(host.letters().iter().any(|letter| letter.text.contains("Your claim is noted")), "it is kept");
    assert!(!is_over(&host, &id));
    host.later(HOUR);
    host.run();
    assert!(is_over(&host, &id));
}

#[test]
fn a_game_whose_first_entry_is_never_made_lapses_after_two_reminders_and_counts_for_nobody() {
    for (clock, time) in [("5d", 5 * DAY), ("none", 14 * DAY), ("50d/10", 5 * DAY), ("30d+2d", 2 * DAY)] {
        let host = Hosted::with_host(&format!("  clock: {clock}\n"));
        let (id, letters) = begun(&host, "asalto");
        let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
        let mut reminders = 0;
        let step = time / 20;
        for _ in 0..19 {
            host.later(step);
            host.run();
            let letters = host.letters();
            reminders += letters.iter().filter(|one| one.subject.contains("a reminder") && one.to == letter.to).count();
            assert_eq!(letters.iter().filter(|one| one.to != letter.to).count(), 0);
        }
        assert_eq!(reminders, 2, "{clock}");
        host.later(step + 60);
        host.run();
        let told = host.letters();
        assert_eq!(told.len(), 2, "{clock}: {told:?}");
        assert!(told.iter().all(|one| one.text.contains("has lapsed") && one.text.contains("again")), "{told:?}");
        let has =
            |part: &str| host.memory.snapshot().iter().any(|(path, _)| path.ends_with(&format!("{part}/{id}.pbem")));
        assert!(has("host/lapsed") && !has("data/games"), "{clock}");
        let office = host.office();
        let rows = Host::open(&office).expect("a host").games().expect("games");
        assert!(rows.iter().any(|row| row.id == id && row.state == "lapsed"), "{rows:?}");
        drop(office);
        // An entry that comes afterwards is not made, and one tap begins the same game.
        host.deliver(&host.reply(from(&letter.to), &letter, &entry));
        assert!(host.letter_to(&letter.to).text.contains("The game has lapsed"));
        host.deliver(&host.reply(from(&letter.to), to(&told, &letter.to), "again"));
        assert!(host.letters().iter().any(|one| one.subject.contains("an invitation")), "{clock}");
        host.deliver(&host.fresh(from(&letter.to), "standings", ""));
        assert!(host.letters().iter().any(|one| one.text.contains("No game has been finished")), "{clock}");
    }
}

#[test]
fn a_first_entry_that_came_before_its_game_lapsed_revives_it() {
    let host = Hosted::with_lines("received-by: mx.example.com\nmail:\n  letter: text\n", "");
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let at = now(&host) + DAY;
    host.later(6 * DAY);
    host.run();
    assert!(host.letters().iter().any(|one| one.text.contains("has lapsed")));
    // What is no entry revives nothing.
    host.deliver(&received(&host.reply(from(&letter.to), &letter, "Hello, are you there?"), at));
    host.letters();
    let is_lapsed = |host: &Hosted| {
        let office = host.office();
        let rows = Host::open(&office).expect("a host").games().expect("games");
        rows.iter().any(|row| row.id == id && row.state == "lapsed")
    };
    assert!(is_lapsed(&host));
    host.deliver(&received(&host.reply(from(&letter.to), &letter, &entry), at));
    assert!(!is_lapsed(&host));
    let record = host.record(&id);
    assert_eq!(verify(&record).entries, 1);
    assert!(String::from_utf8_lossy(&record).contains(&format!("@{}", Time(at))));
    let letters = host.letters();
    assert!(ADDRESSES.iter().all(|address| letters.iter().any(|one| one.to == *address)), "{letters:?}");
    // And it goes on.
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(4)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 2);
}

#[test]
fn nothing_lapses_while_letters_may_wait_and_a_kill_while_it_lapses_loses_nothing() {
    use postrider_disk::disk::{Failing, Memory};
    let before = Hosted::plain();
    let (id, _) = begun(&before, "asalto");
    before.later(6 * DAY);
    after(&before, Reading::Part);
    assert_eq!(verify(&before.record(&id)).ruling, Ruling::Legal);
    before.letters();
    let files = before.memory.snapshot();
    for failing in [Failing::Killed, Failing::Full, Failing::Unflushed] {
        for nth in 0.. {
            let host = Hosted::at(Memory::from_snapshot(files.clone()));
            host.away(6 * DAY);
            host.memory.fail_after(nth, failing);
            let office = host.office();
            let _ = Host::open(&office).and_then(|open| open.run(&|_| {}));
            drop(office);
            let was_hit = host.memory.recover();
            host.run();
            let letters = host.letters();
            let about = letters.iter().filter(|one| one.text.contains("has lapsed")).count();
            assert!(about >= 2, "{failing:?} {nth}: {about}");
            let has = |part: &str| {
                host.memory.snapshot().iter().any(|(path, _)| path.ends_with(&format!("{part}/{id}.pbem")))
            };
            assert!(has("host/lapsed") && !has("data/games"), "{failing:?} {nth}");
            if !was_hit {
                break;
            }
        }
    }
}
