//! A power cut at any moment of the commands that write: on every disk that may be left, each file is as it was or as
//! it is to be, and the same command again leaves what it leaves without a power cut.

use std::collections::BTreeMap;

use super::disk::power_cut;
use super::{Later, injector};
use crate::letters::{GAME_FILE, ID, bram, letter, record};
use crate::session::Session;

type Files = BTreeMap<String, Vec<u8>>;

/// The files below a session's folder, without those that the next command removes.
fn files(session: &Session) -> Files {
    let root = session.folder.path();
    let names = injector::files(root).into_iter().filter(|name| !name.contains(".tmp"));
    let read = |name: &String| {
        let content = std::fs::read(root.join(name)).expect("a file");
        // Where a record lies differs from one home of the test to the next, and is noted last.
        let is_note = name.starts_with("home/data/known/") && name.ends_with(".sides");
        let is_place = |line: &&[u8]| is_note && line.starts_with(b"at ");
        content.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_place(line)).collect::<Vec<_>>().concat()
    };
    names.map(|name| (name.clone(), read(&name))).collect()
}

/// Whether a file may be in a state between the one before and the one after: notes of letters go through one more, and
/// of a list to which lines are added the last ones may be missing.
fn may_be_between(name: &str, content: &[u8], after: Option<&Vec<u8>>) -> bool {
    if name.starts_with("home/data/sent/") {
        return serde_json::from_slice::<serde_json::Value>(content).is_ok();
    }
    // A letter is written there before it is moved to `new`, as every Maildir is used.
    if name.starts_with("home/data/outbox/tmp/") {
        return true;
    }
    let grows = ["home/data/received", "home/data/restored"].contains(&name) || name.starts_with("home/data/signed/");
    grows && after.is_some_and(|after| after.starts_with(content))
}

/// Whether it matters in the end: what was asked for, and not the notes about it.
fn matters(name: &str) -> bool {
    let Some(data) = name.strip_prefix("home/data/").filter(|data| !data.starts_with("outbox/tmp/")) else {
        return !name.starts_with("home/data/");
    };
    ["outbox/", "conditions/", "invitations/", "keys/", "secrets/"].iter().any(|folder| data.starts_with(folder))
}

/// Cuts the power at any moment of a command. `done` is what it may end with when it finds its work done.
fn survives(before: &Session, arguments: &[&str], input: &[u8], done: i32) {
    if !injector::available() {
        return;
    }
    let old = files(before);
    let whole = Session::new();
    injector::copy(before.folder.path(), whole.folder.path());
    whole.feed_later(arguments, input).ok();
    let new = files(&whole);
    assert_ne!(old, new, "{arguments:?} writes something");
    power_cut(before, arguments, input, |session, _| {
        for (name, content) in files(session) {
            let [was, is] = [&old, &new].map(|files| files.get(&name));
            let known = was == Some(&content) || is == Some(&content);
            assert!(
                known || may_be_between(&name, &content, is),
                "{arguments:?}: {name} is neither the old nor the new one"
            );
        }
        for name in old.keys().filter(|name| new.contains_key(*name)) {
            assert!(session.path(name).exists(), "{arguments:?}: {name} is lost");
        }
        let again = session.feed_later(arguments, input);
        assert!([0, done].contains(&again.code), "{arguments:?}: {} {}{}", again.code, again.out, again.err);
        let mut left = files(session);
        left.retain(|name, _| matters(name));
        let mut wanted = new.clone();
        wanted.retain(|name, _| matters(name));
        if left != wanted {
            let named = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
            panic!(
                "{arguments:?} again: {:?} instead of {:?}\n{}{}",
                named(&left),
                named(&wanted),
                again.out,
                again.err
            );
        }
        let tmp: Vec<_> =
            injector::files(session.folder.path()).into_iter().filter(|name| name.contains(".tmp")).collect();
        assert!(tmp.is_empty(), "{arguments:?} again leaves {tmp:?}");
    });
}

const BESIDE: &str = "email: bram@example.net\nname: Bram Post\ngames: ../games\n";

#[test]
fn a_letter_that_is_taken_out_of_the_outbox_stays_out() {
    let before = bram(2);
    before.run_later(&["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T20:40:00Z", "--send"]).ok();
    assert!(before.path(&format!("home/data/outbox/{ID}.3.eml")).exists());
    survives(&before, &["undo", GAME_FILE, "--unsent"], b"", 2);
}

#[test]
fn letters_are_in_the_outbox_whole_or_not_at_all() {
    survives(&bram(3), &["send", GAME_FILE], b"", 0);
    let before = bram(3);
    before.write("home/settings.yaml", format!("{BESIDE}mail: {{transport: file, format: maildir}}\n"));
    survives(&before, &["send", GAME_FILE], b"", 0);
}

#[test]
fn archives_pages_and_pictures_are_whole_or_not_there() {
    let before = bram(3);
    before.write("games/club/other.pbem", record(4).replace("mail01", "mail02"));
    survives(&before, &["pack", "games", "-o", "games.jsonl.zst"], b"", 2);
    survives(&before, &["page", GAME_FILE, "-o", "game.html"], b"", 0);
    survives(&before, &["page", "games", "-o", "pages"], b"", 0);
    survives(&before, &["picture", GAME_FILE, "-o", "board.svg"], b"", 0);
    before.run_later(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    survives(&before, &["unpack", "games.jsonl.zst", "-o", "out"], b"", 0);
}

#[test]
fn games_keys_and_conditions_are_whole_or_not_there() {
    let players = ["--player", "besiegers=Ada <ada@example.org>", "--player", "defenders=Bram <bram@example.net>"];
    let new = ["new", "asalto", "--id", "asalto-cut-short", "-o", "games/new.pbem"];
    survives(&bram(1), &[&new[..], &players].concat(), b"", 2);
    let key = Session::new();
    key.run_later(&["key", "new"]).ok();
    key.run_later(&["key", "backup", "backup.pem"]).ok();
    let before = bram(1);
    before.write_private("backup.pem", key.read("backup.pem"));
    survives(&before, &["key", "import", "backup.pem"], b"", 0);
    before.run_later(&["key", "import", "backup.pem"]).ok();
    survives(&before, &["key", "backup", "copy.pem"], b"", 2);
    survives(&before, &["key", "export", "public.pem"], b"", 2);
    survives(&before, &["if", GAME_FILE, "c4-c5", "c6-d6"], b"", 0);
    before.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
    survives(&before, &["if", GAME_FILE, "--clear"], b"", 2);
    survives(&before, &["own", GAME_FILE, "nobody"], b"", 0);
}

#[test]
fn an_invitation_is_accepted_or_declined_or_still_waits() {
    let before = bram(1);
    let other = record(0).replace("mail01", "mail02");
    survives(&before, &["receive"], letter(&other).as_bytes(), 0);
    before.feed_later(&["receive"], letter(&other).as_bytes()).ok();
    survives(&before, &["accept", "asalto-20261121-mail02"], b"", 2);
    survives(&before, &["decline", "asalto-20261121-mail02"], b"", 2);
}
