//! Entries of a player's own program that are dated long before they came, or ahead: the host asks them back, and the program makes the
//! same entries again with the present time.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use postrider_disk::disk::{Failing, Memory};
use postrider_disk::folders::Folders;
use postrider_home::entry::dating;
use postrider_home::office::{Clock as _, Office, Ports};
use postrider_home::send::letters::Place;
use postrider_mail::incoming;
use postrider_referee::record::Item;
use postrider_referee::sealing::{AskedBack, SecretKey};
use postrider_referee::verdict::{Evidence, Opened, Ruling, evidence, timeless, verify};

use serde_json::json;

use super::people::{Hosted, Letter, id_of, to};
use super::program::{Ada, begun, carried, of_ada, page_with_a_proven_key};
use super::{ADA, ADDRESSES, BRAM, chosen};
use postrider_testing::random::{Stream, Xorshift};

const HOUR: i64 = 3_600;

/// The times of the entries of a record, in order.
fn times(record: &[u8]) -> Vec<i64> {
    let opened = Opened::new(record).expect("a record");
    let mut body = opened.body();
    let mut times = Vec::new();
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            times.push(entry.time.expect("a time").0);
        }
    }
    times
}

/// Lets Ada make an entry that her program dates this many seconds back, and brings it to the host. Returns what the host writes.
fn moved(host: &Hosted, ada: &mut Ada, id: &str, behind: i64, seed: u64) -> Vec<Letter> {
    ada.behind = behind;
    let mut stream = Stream(seed);
    let record = host.record(id);
    let made = (0..40).any(|_| {
        let entry = of_ada(&record, &mut stream);
        let args: &[&str] = match entry.is_empty() {
            true => &["answer", &ada.file(id), "--send"],
            false => &["move", &ada.file(id), &entry, "--send"],
        };
        ada.at(host, args, b"").code == 0
    });
    ada.behind = 0;
    assert!(made, "no entry could be made");
    for message in ada.written() {
        host.deliver(&message);
    }
    host.letters()
}

/// Hands the host's letter to Ada's program, which dates its entry anew, and brings that to the host.
fn dated_anew(host: &Hosted, ada: &mut Ada, id: &str, asked: &Letter) -> Vec<Letter> {
    let told = ada.at(host, &["receive", "-"], &asked.bytes);
    assert_eq!(told.code, 0, "{}{}", told.out, told.err);
    assert!(told.out.contains("--date-anew"), "{}{}", told.out, told.err);
    let status = ada.at(host, &["status"], b"");
    assert!(status.out.contains("--date-anew"), "{}", status.out);
    ada.sent();
    let done = ada.at(host, &["send", &ada.file(id), "--date-anew"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(!ada.at(host, &["status"], b"").out.contains("--date-anew"));
    assert!(done.err.contains("dated anew: "), "{}", done.err);
    for message in ada.written() {
        host.deliver(&message);
    }
    host.letters()
}

fn asked(letters: &[Letter]) -> &Letter {
    assert!(letters.iter().all(|letter| letter.to == ADDRESSES[0]), "nothing is told to anybody else");
    let asks = letters.iter().filter(|letter| letter.text.contains("--date-anew")).collect::<Vec<_>>();
    assert_eq!(asks.len(), 1, "{:?}", letters.iter().map(|letter| &letter.text).collect::<Vec<_>>());
    asks[0]
}

#[test]
fn z39_an_entry_dated_long_before_it_came_is_made_again_with_the_present_time_and_nothing_else_changed() {
    for (game, seed) in [("assideum", 2), ("assassyn", 3), ("subsume", 4), ("mission-combat", 5)] {
        let host = Hosted::plain();
        let (id, mut ada, _) = begun(&host, game);
        let before = host.record(&id);
        host.later(20 * HOUR);
        let letters = moved(&host, &mut ada, &id, 20 * HOUR, seed);
        let letter = asked(&letters).clone();
        assert_eq!(host.record(&id), before, "{game}: nothing is entered");
        let old = ada.session.read(&ada.file(&id));
        let letters = dated_anew(&host, &mut ada, &id, &letter);
        assert!(letters.iter().any(|letter| letter.to == ADDRESSES[1]), "{game}: {letters:?}");
        // Only the time differs, in all that was signed.
        let new = ada.session.read(&ada.file(&id));
        let lines = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with("  ~ ")).map(timeless);
            lines.collect::<Vec<_>>()
        };
        assert_eq!(lines(&old), lines(&new), "{game}");
        assert_ne!(old, new);
        let found = evidence(old.as_bytes(), new.as_bytes()).expect("one game");
        assert!(matches!(&found, Evidence::Twice(found) if found.number == 1), "{game}: {found:?}");
        let record = host.record(&id);
        assert_eq!(verify(&record).ruling, Ruling::Legal);
        assert_eq!(times(&record)[0], host.world.now().0, "{game}");
        assert!(String::from_utf8_lossy(&record).starts_with(&new), "{game}");
        // The journal keeps both lines.
        let folder = ada.session.path("home/data/signed");
        let journal = std::fs::read_dir(folder).expect("a folder").next().expect("a journal").expect("a file").path();
        let journal = std::fs::read_to_string(journal).expect("text");
        for text in [&old, &new] {
            let line = text.lines().find(|line| line.starts_with("1 ")).expect("an entry");
            assert!(journal.contains(line), "{game}: {line} in {journal}");
        }
        // It is done once.
        let again = ada.at(&host, &["send", &ada.file(&id), "--date-anew"], b"");
        assert_ne!(again.code, 0, "{}{}", again.out, again.err);
        assert_eq!(ada.session.read(&ada.file(&id)), new);
        // And the game goes on.
        carried(&host, &mut ada, letters.clone(), true);
        let last = letters.iter().rfind(|letter| letter.to == ADDRESSES[1]).expect("a letter to Bram");
        let due = Opened::new(&host.record(&id)).map(|mut opened| {
            opened.replay(u32::MAX);
            opened.table.standing().due.side.index()
        });
        if due.expect("a record") == 1 {
            let (_, entry) = chosen(&host, &id, &mut Stream(6)).expect("an entry");
            let entries = verify(&host.record(&id)).entries;
            host.deliver(&host.reply(BRAM, last, &entry));
            carried(&host, &mut ada, host.letters(), true);
            assert!(verify(&host.record(&id)).entries > entries, "{game}");
            let hers = ada.session.read(&ada.file(&id));
            assert_eq!(verify(hers.as_bytes()).entries, verify(&host.record(&id)).entries, "{game}");
        }
    }
}

#[test]
fn z39_three_entries_twenty_hours_late_each_cost_the_opponent_at_most_three_fiftieths() {
    for (clock, fiftieth) in [("5d", HOUR), ("50d/10", HOUR), ("30d+1d", 1_728), ("2d", 3_456)] {
        let host = Hosted::with_host(&format!("  clock: {clock}\n"));
        let (id, mut ada, mut last) = begun(&host, "assideum");
        let mut charged = 0;
        for nth in 0..3 {
            host.later(20 * HOUR);
            let mut letters = moved(&host, &mut ada, &id, 20 * HOUR - 60, 7 + nth);
            let letter = asked(&letters).clone();
            // She cheats as far as it goes.
            let told = ada.at(&host, &["receive", "-"], &letter.bytes);
            assert_eq!(told.code, 0, "{}", told.err);
            ada.sent();
            ada.behind = fiftieth - 5;
            let done = ada.at(&host, &["send", &ada.file(&id), "--date-anew"], b"");
            assert_eq!(done.code, 0, "{}{}", done.out, done.err);
            ada.behind = 0;
            for message in ada.written() {
                host.deliver(&message);
            }
            letters.extend(host.letters());
            last = letters.iter().rfind(|letter| letter.to == ADDRESSES[1]).cloned().unwrap_or(last);
            let made = verify(&host.record(&id)).entries;
            // Bram answers at once.
            let (_, entry) = chosen(&host, &id, &mut Stream(20 + nth)).expect("an entry");
            host.deliver(&host.reply(BRAM, &last, &entry));
            carried(&host, &mut ada, host.letters(), true);
            let times = times(&host.record(&id));
            assert_eq!(times.len() as u32, made + 1, "{clock}");
            charged += times[made as usize] - times[made as usize - 1];
        }
        assert!(charged > 0 && charged <= 3 * fiftieth, "{clock}: {charged}");
    }
}

#[test]
fn z39_an_entry_that_was_asked_back_is_never_taken_as_it_was() {
    let host = Hosted::plain();
    let (id, mut ada, _) = begun(&host, "assideum");
    host.later(HOUR);
    // Her clock is a quarter of an hour fast.
    let letters = moved(&host, &mut ada, &id, -15 * 60, 3);
    let letter = asked(&letters).clone();
    let early = ada.session.read(&ada.file(&id));
    // When its time has come, a copy arrives that was on its way.
    host.later(12 * 60);
    ada.sent();
    let done = ada.at(&host, &["send", &ada.file(&id), "--force"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for message in ada.written() {
        let message = String::from_utf8(message).expect("text").replace("Message-ID: <", "Message-ID: <copy.");
        host.deliver(message.as_bytes());
    }
    assert_eq!(verify(&host.record(&id)).entries, 0);
    asked(&host.letters());
    dated_anew(&host, &mut ada, &id, &letter);
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let taken = host.record(&id);
    assert!(!String::from_utf8_lossy(&taken).starts_with(&early));
    // A letter that asks for it once more changes nothing.
    let told = ada.at(&host, &["receive", "-", "--again"], &letter.bytes);
    assert!(!told.out.contains("--date-anew"), "{}{}", told.out, told.err);
    assert_ne!(ada.at(&host, &["send", &ada.file(&id), "--date-anew"], b"").code, 0);
}

#[test]
fn z39_only_the_host_of_a_game_asks_back_and_only_the_entry_that_is_there() {
    let host = Hosted::plain();
    let (id, mut ada, _) = begun(&host, "assideum");
    host.later(20 * HOUR);
    let letters = moved(&host, &mut ada, &id, 20 * HOUR, 3);
    let letter = asked(&letters).clone();
    let record = ada.session.read(&ada.file(&id));
    let line = letter.text.lines().find(|line| line.trim_start().starts_with("pbem1|again|")).expect("a statement");
    let real = AskedBack::find(line).pop().expect("a statement");
    let mut opened = Opened::with_chain(record.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    let digest = opened.table.signatures().expect("signatures").link().digest();
    let host_key = opened.header.host.as_deref().expect("a host").key;
    assert!(real.holds(&host_key, &digest));
    let stranger = AskedBack::signed(&SecretKey::take(&mut [7; 32]), &id, 1, &digest);
    let another = AskedBack::signed(&SecretKey::take(&mut [7; 32]), &id, 2, &digest);
    let forged = [stranger.line(), another.line(), line.replace("|1 ", "|2 "), line.replace("|1 ", "|4294967295 ")];
    for forged in forged {
        let message = String::from_utf8(letter.bytes.clone()).expect("text");
        let start = message.find("\r\n\r\n").expect("a body");
        let head: String = message[..start]
            .lines()
            .filter(|line| !line.starts_with("Content-") && !line.starts_with([' ', '\t']))
            .map(|line| format!("{line}\r\n"))
            .collect();
        let message = format!("{head}Content-Type: text/plain\r\n\r\n{forged}\r\n");
        let told = ada.at(&host, &["receive", "-", "--again"], message.as_bytes());
        assert!(!told.out.contains("--date-anew"), "{}{}", told.out, told.err);
        let done = ada.at(&host, &["send", &ada.file(&id), "--date-anew"], b"");
        assert_ne!(done.code, 0, "{forged}: {}{}", done.out, done.err);
        assert!(done.err.contains("has asked for no entry"), "{}", done.err);
        assert_eq!(ada.session.read(&ada.file(&id)), record);
    }
    dated_anew(&host, &mut ada, &id, &letter);
}

/// The files of a home, as one in memory has them.
fn files_of(ada: &Ada) -> Vec<(String, Vec<u8>)> {
    fn collect(folder: &std::path::Path, name: &str, files: &mut Vec<(String, Vec<u8>)>) {
        for one in std::fs::read_dir(folder).expect("a folder") {
            let one = one.expect("a file");
            let path = format!("{name}{}", one.file_name().to_string_lossy());
            match one.file_type().expect("a type").is_dir() {
                true => collect(&one.path(), &format!("{path}/"), files),
                false => files.push((path, std::fs::read(one.path()).expect("bytes"))),
            }
        }
    }
    let mut files = Vec::new();
    collect(&ada.session.path("home"), "", &mut files);
    files
}

#[test]
fn z39_a_kill_or_a_full_disk_while_an_entry_is_dated_anew_loses_nothing_and_frames_nobody() {
    let host = Hosted::plain();
    let (id, mut ada, _) = begun(&host, "assassyn");
    host.later(20 * HOUR);
    let letters = moved(&host, &mut ada, &id, 20 * HOUR, 3);
    let letter = asked(&letters).clone();
    assert_eq!(ada.at(&host, &["receive", "-"], &letter.bytes).code, 0);
    let old = ada.session.read(&ada.file(&id)).into_bytes();
    let files = files_of(&ada);
    let file = std::path::PathBuf::from(format!("data/games/{id}.pbem"));
    let place = Place { file: &file, name: &id };
    for failing in [Failing::Killed, Failing::Full, Failing::Unflushed] {
        let mut versions: BTreeMap<Vec<u8>, usize> = BTreeMap::from([(old.clone(), 0)]);
        for nth in 0.. {
            let memory = Memory::from_snapshot(files.clone());
            let world = &host.world;
            let ports = || Ports { clock: world, randomness: world, post: world, pages: world, front: world };
            memory.fail_after(nth, failing);
            let office = Office::new(Folders::in_memory(&memory), ports());
            let first = dating::anew(&office, place).is_ok();
            drop(office);
            let was_hit = memory.recover();
            host.later(1);
            let read = || {
                let files = memory.snapshot();
                files.into_iter().find(|(path, _)| path.ends_with(&format!("games/{id}.pbem"))).expect("a record").1
            };
            let there = read();
            assert_eq!(verify(&there).ruling, Ruling::Legal, "{failing:?} {nth}");
            assert_eq!(verify(&there).entries, 1, "{failing:?} {nth}");
            versions.insert(there, nth as usize);
            let office = Office::new(Folders::in_memory(&memory), ports());
            if !first || !was_hit {
                let again = dating::anew(&office, place);
                assert!(again.is_ok() || first, "{failing:?} {nth}: {again:?}");
            }
            drop(office);
            let there = read();
            assert_ne!(there, old, "{failing:?} {nth}: it is dated anew in the end");
            assert_eq!(verify(&there).ruling, Ruling::Legal, "{failing:?} {nth}");
            versions.insert(there, nth as usize);
            if !was_hit {
                break;
            }
            assert!(nth < 200);
        }
        // Whatever has left the machine at any time is one entry.
        let all: Vec<_> = versions.keys().collect();
        for one in &all {
            for other in &all {
                let found = evidence(one, other).expect("one game");
                assert!(matches!(found, Evidence::None | Evidence::Twice(_)), "{failing:?}: {found:?}");
            }
        }
    }
}

#[test]
fn z39_a_page_dates_anew_what_the_host_asks_back() {
    let (host, mut page) = page_with_a_proven_key();
    let letters = host.asked(ADA, "play subsume with bram@example.net as white");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    let encoded = |letter: &Letter| BASE64.encode(&letter.bytes);
    page.receive(&encoded(to(&letters, ADDRESSES[0])));
    page.done(json!({ "do": "accept", "game": id }));
    page.play(&id, &mut Xorshift(7));
    let message = BASE64.decode(page.letter(&id).as_bytes()).expect("base64");
    // The letter is on its way for twenty hours.
    host.later(20 * HOUR);
    page.hour += 20;
    host.deliver(&message);
    let letters = host.letters();
    let asks = asked(&letters);
    assert_eq!(page.game(&id)["asked_back"], json!(null));
    let read = page.receive(&encoded(asks));
    assert!(read.to_string().contains("date-anew"), "{read}");
    assert_eq!(page.game(&id)["asked_back"], json!(1));
    let before = page.game(&id)["record"].as_str().expect("a record").to_owned();
    page.done(json!({ "do": "date-anew", "game": id }));
    let game = page.game(&id);
    assert_eq!((&game["asked_back"], &game["sent"]), (&json!(null), &json!(false)));
    let found = evidence(before.as_bytes(), game["record"].as_str().expect("a record").as_bytes());
    assert!(matches!(found, Ok(Evidence::Twice(_))), "{found:?}");
    let message = BASE64.decode(page.letter(&id).as_bytes()).expect("base64");
    host.deliver(&message);
    assert_eq!(verify(&host.record(&id)).entries, 1);
}

#[test]
fn z39_a_session_says_what_the_host_asks_back_and_sends_it_anew() {
    let host = Hosted::plain();
    let (id, mut ada, _) = begun(&host, "assideum");
    host.later(20 * HOUR);
    let letters = moved(&host, &mut ada, &id, 20 * HOUR, 3);
    assert_eq!(ada.at(&host, &["receive", "-"], &asked(&letters).bytes).code, 0);
    ada.sent();
    let done = ada.at(&host, &["play", "--no-mail", &ada.file(&id)], b"send\nquit\n");
    assert!(done.out.contains("the host has not entered your entry 1"), "{}{}", done.out, done.err);
    let written = ada.written();
    assert_eq!(written.len(), 1, "{}{}", done.out, done.err);
    host.deliver(&written[0]);
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let done = ada.at(&host, &["play", "--no-mail", &ada.file(&id)], b"quit\n");
    assert!(!done.out.contains("has not entered"), "{}{}", done.out, done.err);
}

#[test]
fn the_times_of_entries_are_the_same_at_the_host_and_with_both_players() {
    let host = Hosted::plain();
    let (id, mut ada, _) = begun(&host, "assideum");
    let mut expected = Vec::new();
    for nth in 0..3 {
        // Her clock is a little behind, and her time stands.
        host.later(HOUR);
        let letters = moved(&host, &mut ada, &id, 7, 7 + nth);
        expected.push(host.world.now().0 - 7);
        let record = host.record(&id);
        assert_eq!(times(&record), expected);
        let last = letters.iter().rfind(|letter| letter.to == ADDRESSES[1]).expect("a letter to Bram").clone();
        assert_eq!(incoming::read(&last.bytes).records[..], [record]);
        // His letter has the zone of his machine, and its entry the time at which it came.
        host.later(HOUR);
        let (_, entry) = chosen(&host, &id, &mut Stream(20 + nth)).expect("an entry");
        let reply =
            String::from_utf8(host.reply(BRAM, &last, &entry)).expect("text").replace(" +0000\r\n", " +0530\r\n");
        host.deliver(reply.as_bytes());
        expected.push(host.world.now().0);
        carried(&host, &mut ada, host.letters(), true);
        let record = host.record(&id);
        let made = times(&record);
        // What the rules force on her program is made at once.
        expected.extend(made.iter().skip(expected.len()).map(|_| host.world.now().0));
        assert_eq!(made, expected);
        assert_eq!(ada.session.read(&ada.file(&id)).as_bytes(), record, "she has what the host has");
    }
}
