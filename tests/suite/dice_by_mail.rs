//! Dice in open games by mail: a challenge is answered by a word, thrown from a number that the letter fixed and from the reply's own
//! Message-ID, and checked with nothing but SHA-256.

use data_encoding::HEXLOWER;
use postrider_referee::desk::Desk;
use sha2::{Digest as _, Sha256};

use crate::session::{Done, Session};

pub const ID: &str = "assassyn-by-mail-1";
pub const FILE: &str = "games/dagger.pbem";
const RECORD: &str = "---\npbem: 1\ngame: assassyn\nid: assassyn-by-mail-1\nplayers:\n  white: {name: Bram Post, email: bram@example.net}\n  black: {name: Ada Quill, email: ada@example.org}\nstarted: 2026-11-21\nsetup: \"white Pa1 Wb1 Lc4; black Pf6 Lc5 Sb3; to play white\"\n---\n";

pub fn home() -> Session {
    let session = Session::new();
    session.write(
        "home/settings.yaml",
        "name: Bram Post\nemail: bram@example.net\ngames: ../games\nmail: {outbox: ../box, plain-replies: draft}\n",
    );
    session.write(FILE, RECORD);
    session.run(&["move", FILE, "Lc4xc5", "--time", "2026-11-22T08:00:00Z"]).ok();
    session
}

pub fn newest(session: &Session) -> String {
    let source = session.read(FILE);
    let desk = Desk::open(source.as_bytes()).expect("a record");
    let entries = u32::try_from(source.lines().filter(|line| line.contains(" @2026")).count()).expect("few");
    postrider_mail::message_id(ID, entries, desk.digests.last().expect("an entry"))
}

fn answer(session: &Session, id: &str, answers: &str, words: &str) -> Done {
    let message = format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1\nDate: Sun, 22 Nov 2026 09:00:00 +0000\nMessage-ID: <{id}>\nIn-Reply-To: {answers}\n\n{words}\n"
    );
    let mut command = session.command(&["receive"]);
    command.env("POSTRIDER_NOW", "2026-11-22T12:00:00Z");
    crate::letters::run(command, message.as_bytes())
}

fn sum(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, behind: &str) -> &'t str {
    text.split_once(before)
        .and_then(|(_, rest)| rest.split_once(behind))
        .map(|(found, _)| found)
        .unwrap_or_else(|| panic!("{before}: {text}"))
}

#[test]
fn a_challenge_is_answered_by_a_word_and_the_throw_can_be_checked() {
    let session = home();
    let shown = session.run(&["send", FILE, "-n", "--letter", "text"]).ok().replace("=\n", "");
    let letter: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let promised = between(&letter, "The SHA-256 of that number is ", ".").to_owned();
    assert_eq!(promised.len(), 64, "{letter}");
    assert!(!letter.contains("accept roll"), "{letter}");
    // It is the same whenever it is written.
    assert!(
        session
            .run(&["send", FILE, "-n", "--letter", "text"])
            .ok()
            .replace("=\n", "")
            .split_whitespace()
            .any(|word| word.starts_with(&promised))
    );
    let newest = newest(&session);
    let done = answer(&session, "r1@example.org", &newest, "accept");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let record = session.read(FILE);
    let throws: Vec<u32> = between(&record, "2 black accept roll ", " @")
        .split(' ')
        .map(|throw| throw.parse().expect("a number"))
        .collect();
    let remark =
        record.lines().find(|line| line.starts_with("# dice of entry 2: ")).unwrap_or_else(|| panic!("{record}"));
    let nonce = between(remark, "nonce ", ",");
    assert_eq!(sum(nonce), promised, "the letter fixed it");
    let of_id = sum("<r1@example.org>");
    assert!(
        remark.contains(&format!("SHA-256 {promised}; Message-ID <r1@example.org>, SHA-256 {of_id}; ")),
        "{remark}"
    );
    let text = format!("pbem1|{ID}|dice|mail.2|{nonce}|{}|0", &of_id[..32]);
    let digest = sum(&text);
    assert!(
        remark.contains(&format!("{text} has the SHA-256 {digest}: d12 {}, d12 {}", throws[0], throws[1])),
        "{remark}"
    );
    for (nth, throw) in throws.iter().enumerate() {
        let word = u32::from_str_radix(&digest[8 * nth..8 * nth + 8], 16).expect("a word");
        assert_eq!(word % 12 + 1, *throw);
    }
    // The record is legal as it is, and the writer is told what was thrown, not that it could be otherwise.
    session.run(&["verify", FILE]).ok();
    let draft = session.read(&format!("box/drafts/{ID}.3.eml"));
    assert!(draft.contains("stand") && !draft.contains("If you meant something else"), "{draft}");
}

#[test]
fn dice_are_thrown_once_for_a_challenge() {
    let session = home();
    let newest = newest(&session);
    assert_eq!(answer(&session, "r1@example.org", &newest, "accept").code, 0);
    let record = session.read(FILE);
    assert!(record.contains("accept roll"), "{record}");
    // Neither another letter nor the same one throws them again, and nobody escapes who has seen them.
    for (id, words) in [
        ("r1@example.org", "accept"),
        ("r2@example.org", "accept"),
        ("r3@example.org", "Lc5-d5"),
        ("r4@example.org", "Lc5-c6"),
    ] {
        let _ = answer(&session, id, &newest, words);
        assert_eq!(session.read(FILE), record, "{id} {words}");
    }
}

#[test]
fn another_letter_is_another_throw_and_the_key_is_nobody_elses() {
    let mut throws = std::collections::BTreeSet::new();
    let session = home();
    let begun = session.read(FILE);
    let newest = newest(&session);
    for number in 0..12 {
        session.write(FILE, &begun);
        let _ = answer(&session, &format!("r{number}@example.org"), &newest, "accept");
        throws.insert(between(&session.read(FILE), "accept roll ", " @").to_owned());
        for kept in ["home/data/known", "home/data/outbox"] {
            let _ = std::fs::remove_dir_all(session.path(kept));
        }
    }
    assert!(throws.len() > 4, "{throws:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(session.path("home/data/dice.key")).expect("a key").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let key = session.read("home/data/dice.key");
        assert!(!session.read(FILE).contains(key.trim()));
    }
}

/// The home of somebody who keeps the record for two who have only mail.
fn spectator() -> Session {
    let record = home().read(FILE);
    let session = Session::new();
    session.write(
        "home/settings.yaml",
        "name: Cleo\nemail: cleo@example.com\ngames: ../games\nmail: {outbox: ../box, plain-replies: draft}\n",
    );
    session.write(FILE, record);
    session.run(&["own", FILE, "nobody"]).ok();
    session
}

#[test]
fn whoever_keeps_the_record_for_two_throws_for_the_one_who_is_challenged() {
    let session = spectator();
    let newest = newest(&session);
    let done = answer(&session, "r1@example.org", &newest, "accept");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let record = session.read(FILE);
    assert!(record.contains("accept roll"), "{}{}", done.out, done.err);
    let nonce = between(&record, "# dice of entry 2: nonce ", ",");
    assert!(
        record.contains(&format!("nonce {nonce}, SHA-256 {}; Message-ID <r1@example.org>", sum(nonce))),
        "{record}"
    );
    assert_eq!(postrider_referee::verdict::verify(record.as_bytes()).ruling, postrider_referee::verdict::Ruling::Legal);
    // Whoever writes from elsewhere throws nothing.
    let session = spectator();
    let before = session.read(FILE);
    let message = format!(
        "From: Mallory <mallory@example.com>\nTo: cleo@example.com\nSubject: Re: [pbem] {ID} #1\nDate: Sun, 22 Nov 2026 09:00:00 +0000\nMessage-ID: <m@example.com>\nIn-Reply-To: {newest}\n\naccept\n"
    );
    let mut command = session.command(&["receive"]);
    command.env("POSTRIDER_NOW", "2026-11-22T12:00:00Z");
    let _ = crate::letters::run(command, message.as_bytes());
    assert_eq!(session.read(FILE), before);
}

#[test]
fn a_key_that_is_cut_off_or_something_else_throws_nothing() {
    for there in ["", "0123", &"g".repeat(64), &"0".repeat(300)] {
        let session = home();
        let newest = newest(&session);
        let before = session.read(FILE);
        session.write("home/data/dice.key", there);
        let done = answer(&session, "r1@example.org", &newest, "accept");
        assert!(done.code != 0 || done.err.contains("dice.key"), "{there}: {}{}", done.out, done.err);
        assert_eq!((session.read(FILE), session.read("home/data/dice.key").as_str()), (before, there));
    }
}
