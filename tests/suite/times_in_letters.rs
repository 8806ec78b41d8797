//! The times of entries are the same on both sides of a letter, whatever the zones of the two machines and of the letter are.
#![cfg(unix)]

use std::fs;

use crate::letters::run;
use crate::session::{Done, Session};

const FILE: &str = "games/times.pbem";
const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-times-1\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
                      defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-20\nclock: 5d leave 30d\n---\n1 defenders place \
                      c6 e6 @2026-11-20T10:15:00Z\n";
/// Half past five hours ahead of UTC, and as far as three and a half behind.
const ZONES: [&str; 2] = ["IST-5:30", "NST3:30"];

fn home(address: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("email: {address}\ngames: ../games\n"));
    session.write(FILE, RECORD);
    session
}

fn at(session: &Session, (zone, now): (&str, &str), args: &[&str], input: &[u8]) -> Done {
    let mut command = session.command(args);
    command.env("TZ", zone).env("POSTRIDER_NOW", now);
    run(command, input)
}

fn letter(session: &Session) -> Vec<u8> {
    let folder = session.path("home/data/outbox");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("an outbox").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.is_file());
    let [file] = &files[..] else { panic!("one letter: {files:?}") };
    let bytes = fs::read(file).expect("a letter");
    fs::remove_file(file).expect("it is taken");
    bytes
}

#[test]
fn what_one_program_writes_of_times_and_clocks_is_what_the_other_reads() {
    let (ada, bram) = (home("ada@example.org"), home("bram@example.net"));
    let [east, west] = ZONES;
    let entries = [
        (&ada, east, &bram, west, "2026-11-21T00:00:01Z", "c4-c5; leave 3d"),
        (&bram, west, &ada, east, "2026-11-23T23:59:59Z", "c6-d6"),
        (&ada, east, &bram, west, "2026-11-24T19:00:00Z", "e4-e5"),
    ];
    for (from, zone, to, other, now, entry) in entries {
        at(from, (zone, now), &["move", FILE, entry, "--send"], b"").ok();
        let line = from.read(FILE).lines().last().expect("an entry").to_owned();
        assert!(line.ends_with(&format!("@{now}")), "{line}");
        // It is read an hour later, in another zone.
        let later =
            now.replace("T00", "T01").replace("2026-11-23T23:59:59", "2026-11-24T00:59:59").replace("T19", "T20");
        at(to, (other, &later), &["receive"], &letter(from)).ok();
        assert_eq!(from.read(FILE), to.read(FILE));
        let clock = |session: &Session, zone: &str| at(session, (zone, &later), &["clock", FILE, "--json"], b"").ok();
        assert_eq!(clock(from, zone), clock(to, other));
    }
    assert!(ada.read(FILE).contains("\n4 besiegers e4-e5 @2026-11-24T19:00:00Z\n"), "{}", ada.read(FILE));
}

#[test]
fn a_reply_in_words_is_entered_at_the_time_that_its_date_names_in_any_zone() {
    for (date, time) in [
        ("Fri, 20 Nov 2026 23:30:00 -0800", "2026-11-21T07:30:00Z"),
        ("Sat, 21 Nov 2026 13:00:00 +0530", "2026-11-21T07:30:00Z"),
        ("Sat, 21 Nov 2026 21:15:00 +1345", "2026-11-21T07:30:00Z"),
        ("Sat, 21 Nov 2026 07:30:00 GMT", "2026-11-21T07:30:00Z"),
        ("Sat, 21 Nov 2026 02:30:00 EST (wherever that is)", "2026-11-21T07:30:00Z"),
    ] {
        for zone in ZONES {
            let bram = home("bram@example.net");
            let reply = format!(
                "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] asalto-times-1 #1\nDate: {date}\nMessage-ID: \
                 <one@example.org>\n\nc4-c5\n"
            );
            at(&bram, (zone, "2026-11-21T12:00:00Z"), &["receive"], reply.as_bytes()).ok();
            let record = bram.read(FILE);
            assert!(
                record.starts_with(RECORD) && record.contains(&format!("\n2 besiegers c4-c5 @{time}\n")),
                "{record}"
            );
        }
    }
}
