//! A host under faults: whatever happens to it in the middle of a letter, the entry is made once, and both players get one letter each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use postrider_referee::verdict::{Ruling, verify};

use super::injector::{Fault, calls, copy, files, with_fault};
use super::{Later, Scenario};
use crate::host::people::Letter;
use crate::session::Session;

/// The letters in the outbox that were not there before.
fn new_letters(session: &Session, before: &mut BTreeSet<String>) -> Vec<Letter> {
    let folder = session.path("home/data/outbox");
    let names = files(&folder).into_iter().filter(|name| name.ends_with(".eml"));
    let new: Vec<String> = names.filter(|name| before.insert(name.clone())).collect();
    new.iter().map(|name| Letter::read(fs::read(folder.join(name)).expect("a letter"))).collect()
}

fn reply(from: &str, letter: &Letter, text: &str) -> String {
    format!(
        "From: {from}\nTo: {}\nSubject: Re: {}\nIn-Reply-To: <{}>\nMessage-ID: <{}.{}@mail.example.org>\n\
         Date: Mon, 23 Nov 2026 19:00:00 +0000\n\n{text}\n",
        letter.from,
        letter.subject,
        letter.id,
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>(),
        letter.id.len()
    )
}

/// A host with a game of Asalto between Ada and Bram that has begun, what was sent so far, and the letter with its first entry.
pub(super) fn begun() -> (Session, BTreeSet<String>, String) {
    let session = Session::new();
    let settings =
        "name: The Mill\nemail: games@example.com\nmail: {transport: file, letter: text}\nhost: {plus: true}\n";
    let setup = ["host", "setup", "--yes", "--name", "The Mill", "--email", "games@example.com", "--outbox", "out"];
    session.run(&setup).ok();
    session.write("home/settings.yaml", settings);
    let mut seen = BTreeSet::new();
    let (ada, bram) = ("Ada <ada@example.org>", "Bram <bram@example.net>");
    let asks = format!(
        "From: {ada}\nTo: games@example.com\nSubject: play asalto with bram@example.net as besiegers\nMessage-ID: <1@mail.example.org>\n\nHello\n"
    );
    session.feed_later(&["host", "receive"], asks.as_bytes()).ok();
    let question = new_letters(&session, &mut seen).remove(0);
    session.feed_later(&["host", "receive"], reply(ada, &question, "yes").as_bytes()).ok();
    let letters = new_letters(&session, &mut seen);
    let invitation = letters.iter().find(|letter| letter.to == "bram@example.net").expect("an invitation");
    session.feed_later(&["host", "receive"], reply(bram, invitation, "accept").as_bytes()).ok();
    let letters = new_letters(&session, &mut seen);
    let due = letters.iter().find(|letter| letter.to == "bram@example.net").expect("a letter");
    let entry = reply(bram, due, "place c6 e6");
    (session, seen, entry)
}

fn record(session: &Session) -> Vec<u8> {
    let folder = session.path("home/data/games");
    let name = files(&folder).into_iter().find(|name| name.ends_with(".pbem")).expect("a record");
    fs::read(folder.join(name)).expect("a record")
}

#[test]
fn a_letter_to_a_host_is_taken_once_under_any_fault() {
    let (before, seen, entry) = begun();
    let old = record(&before);
    Scenario {
        name: "host receive",
        before: &before,
        arguments: &["host", "receive"],
        input: entry.as_bytes(),
        after: &|session, ran| {
            let now = record(session);
            assert!(now.starts_with(&old) && verify(&now).ruling == Ruling::Legal);
            let entries = verify(&now).entries;
            // A letter about an entry goes out once it is in the record.
            assert!(new_letters(session, &mut seen.clone()).is_empty() || entries == 1);
            match ran.code {
                Some(0) => {
                    let kept = session.path("home/data/host/spool");
                    let waits = kept.exists() && !files(&kept).is_empty();
                    assert!(entries == 1 || waits, "0, and the letter is lost: {}", ran.err);
                }
                Some(75) | None => {}
                code => panic!("the letter would be returned: {code:?} {}", ran.err),
            }
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            let now = record(session);
            assert_eq!((verify(&now).ruling, verify(&now).entries), (Ruling::Legal, 1));
            let letters = new_letters(session, &mut seen.clone());
            let to: BTreeSet<&str> = letters.iter().map(|letter| letter.to.as_str()).collect();
            assert_eq!((letters.len(), to.len()), (2, 2), "{letters:?}");
            for folder in ["spool", "outgoing"] {
                let folder = session.path("home/data/host").join(folder);
                assert!(!folder.exists() || files(&folder).is_empty(), "{}", folder.display());
            }
            assert!(!session.path("home/data/host/job").exists());
        },
    }
    .run();
}

#[test]
fn what_a_killed_run_of_a_host_was_writing_is_removed_by_the_next_run() {
    if !super::injector::available() {
        return;
    }
    let (session, _, entry) = begun();
    let another = Session::new();
    copy(session.folder.path(), another.folder.path());
    let (calls, _) = calls(&another, &["host", "receive"], entry.as_bytes());
    let spool = calls.iter().find(|call| call.name.starts_with("rename") && call.shown.contains("host/spool/"));
    let spool = spool.expect("the letter is kept");
    let ran = with_fault(&session, &["host", "receive"], entry.as_bytes(), spool, Fault::Kill);
    assert_eq!(ran.code, None);
    let left = || files(session.folder.path()).into_iter().filter(|name| name.ends_with(".tmp")).count();
    assert_eq!(left(), 1);
    // No other letter has its name.
    session.run_later(&["host", "receive", "--only-due"]).ok();
    assert_eq!(left(), 0);
}

/// Adds games of other people to a host's home, with everything that is noted of games, people, tokens, clocks and messages.
fn among(session: &Session, count: usize) {
    let host = session.path("home/data/host");
    let games = session.path("home/data/games");
    let record = record(session);
    let note = files(&host).into_iter().find(|name| name.starts_with("games/")).expect("a note");
    let note = fs::read_to_string(host.join(&note)).expect("a note");
    let id = files(&games).remove(0).replace(".pbem", "");
    let put = |path: std::path::PathBuf, bytes: &[u8]| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    for nth in 0..count {
        let other = format!("asalto-20261001-{nth:08}");
        put(games.join(format!("{other}.pbem")), &record);
        let (end, shard) = (format!("{:02}", nth % 100), format!("{:02x}", nth % 256));
        put(host.join("games").join(end).join(&other), note.replace(&id, &other).as_bytes());
        put(host.join("agenda").join(format!("{:08}", 500_000 + nth % 700)).join(&other), b"");
        for seat in 0..2 {
            let name = format!("{shard}{nth:012}{seat:02}");
            put(host.join("tokens").join(&shard).join(&name), b"{\"seat\":[\"x\",0]}");
            put(host.join("people").join(&shard).join(&name), b"{}");
            put(host.join("seen").join(&shard).join(format!("00689-{name}")), b"");
        }
    }
    put(host.join("log.jsonl"), "{\"did\":\"sent\"}\n".repeat(count).as_bytes());
}

#[test]
fn a_move_among_fifteen_hundred_games_takes_at_most_a_fifth_more_calls_than_among_ten() {
    if !super::injector::available() {
        return;
    }
    let [few, many] = [10, 1_500].map(|count| {
        let (session, _, entry) = begun();
        among(&session, count);
        let (calls, ran) = calls(&session, &["host", "receive"], entry.as_bytes());
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        // All that is read, and not only how often: of each folder and file, by its path. Only hours in which clocks are to be looked at are
        // listed, of which there are as many as there are hours in the time that clocks give.
        let mut read: BTreeMap<String, usize> = BTreeMap::new();
        for call in calls.iter().filter(|call| matches!(call.name.as_str(), "read" | "pread64" | "getdents64")) {
            let path = call.shown.split('<').nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default();
            let bytes = call.shown.rsplit(" = ").next().and_then(|count| count.trim().parse::<usize>().ok());
            *read.entry(path.rsplit("home/").next().unwrap_or_default().to_owned()).or_default() += bytes.unwrap_or(0);
        }
        // What a run that was killed has left is looked for among so many files of a folder at most, however many there are.
        let swept = read.remove("data/games").unwrap_or(0);
        assert!(swept < 200_000, "{swept}");
        read.retain(|path, _| !path.ends_with("/agenda"));
        // There are at most 256 folders of parts in each of these.
        read.retain(|path, _| {
            !["games", "tokens", "people", "seen"].map(|of| format!("data/host/{of}")).contains(path)
        });
        (calls.len(), read)
    });
    assert!(many.0 * 10 <= few.0 * 12, "{few:?} and {many:?}");
    // A list of all games would be many times as much.
    let [all_few, all_many] = [&few, &many].map(|(_, read)| read.values().sum::<usize>());
    assert!(all_many <= all_few + all_few / 5 + 20_000, "{few:#?} and {many:#?}");
}
