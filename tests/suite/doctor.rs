//! `postrider doctor`: what it finds, what it advises, and that it changes nothing.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::letters::{GAME_FILE, ID, bram, record};
use crate::session::{Done, Session};

/// Bram's home with a game and a key.
fn home() -> Session {
    let session = bram(2);
    session.run(&["key", "new"]).ok();
    session
}

/// Everything below the session's folder, with its modes.
fn files(session: &Session) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![session.folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let mode = fs::symlink_metadata(&path).expect("a file").permissions().mode();
            let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap_or_default() };
            found.push((path.to_string_lossy().into_owned(), mode, bytes));
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn doctor(session: &Session) -> Done {
    let before = files(session);
    let mut command = session.command(&["doctor"]);
    let output = command.env("POSTRIDER_NOW", "2026-11-24T12:00:00Z").output().expect("the program");
    assert_eq!(files(session), before, "it changes nothing");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the doctor, who must find these words, and nothing once they are mended.
fn finds(spoil: impl Fn(&Session), words: &[&str], mend: impl Fn(&Session)) {
    let session = home();
    assert_eq!(doctor(&session).ok(), "nothing is wrong\n");
    spoil(&session);
    let done = doctor(&session);
    assert_eq!((done.code, done.err.as_str()), (1, ""), "{}", done.out);
    for word in words {
        assert!(done.out.contains(word), "{word}: {}", done.out);
    }
    let json = session.run(&["doctor", "--json"]);
    assert!(json.code == 1 && json.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", json.out);
    mend(&session);
    assert_eq!(doctor(&session).ok(), "nothing is wrong\n");
}

fn run_later(session: &Session, arguments: &[&str]) {
    let mut command = session.command(arguments);
    let output = command.env("POSTRIDER_NOW", "2026-11-24T10:00:00Z").output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn mode(session: &Session, name: &str, mode: u32) {
    fs::set_permissions(session.path(name), fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn a_letter_of_which_nobody_knows_whether_it_was_sent_is_found_and_sent() {
    let letter = "mail: {transport: sendmail, command: [sh, -c, 'cat > sent']}\n";
    finds(
        |session| {
            session.write("home/settings.yaml", session.read("home/settings.yaml") + letter);
            run_later(session, &["move", GAME_FILE, "c6-d6", "--send"]);
            let notes = format!("home/data/sent/{ID}.json");
            session.write(&notes, session.read(&notes).replace("\"sent\"", "\"sending\""));
        },
        &["the letter about entry 3 to ada@example.org", "`postrider send", "games/ours.pbem`", "undo"],
        |session| run_later(session, &["send", GAME_FILE]),
    );
}

#[test]
fn what_killed_programs_left_is_found() {
    for left in ["games/.ours.pbem.Ab12cD.tmp", "home/data/keys/.own.pem.put.000000.tmp"] {
        finds(
            |session| session.write(left, "half"),
            &[left, "was killed while it wrote this", "`rm "],
            |session| fs::remove_file(session.path(left)).expect("removed"),
        );
    }
    let lock = "games/.ours.pbem.lock";
    finds(
        |session| session.write(lock, "elsewhere - another-boot - 1 - 0\n"),
        &[lock, "locked: process 1 on elsewhere", "wait until"],
        |session| fs::remove_file(session.path(lock)).expect("removed"),
    );
    finds(
        |session| {
            session.write(lock, "elsewhere another-machine another-boot - 1 - 0\n");
            let file = fs::File::options().write(true).open(session.path(lock)).expect("a file");
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(7200)).expect("a time");
        },
        &[lock, "the program that took this lock is gone"],
        |session| fs::remove_file(session.path(lock)).expect("removed"),
    );
}

#[test]
fn what_others_may_read_or_write_is_found() {
    for (name, open, closed, word) in [
        ("home/data/keys/own.pem", 0o644, 0o600, "others may read it"),
        ("home/data/keys", 0o755, 0o700, "others may read it"),
        ("home/data", 0o777, 0o700, "others may write to it"),
        ("home/settings.yaml", 0o666, 0o644, "others may write to it"),
    ] {
        finds(|session| mode(session, name, open), &[name, word, "`chmod "], |session| mode(session, name, closed));
    }
}

#[test]
fn what_cannot_be_used_is_found() {
    for (name, word) in [
        ("home/data/keys/own.pem", "postrider key import"),
        ("home/data/sent/asalto-20261121-mail01.json", "should hold notes of what was sent"),
        ("home/data/signed/asalto-20261121-mail01.defenders", "restore it from a backup"),
        ("home/data/secrets/asalto-20261121-mail01.defenders", "postrider secret import"),
        ("home/data/conditions/asalto-20261121-mail01.defenders.json", "restore it from a backup"),
        ("home/settings.yaml", "the settings cannot be used"),
    ] {
        let session = home();
        let (path, folder) = (session.path(name), session.path(name).parent().expect("a folder").to_owned());
        let (was, there) = (fs::read(&path).ok(), folder.is_dir());
        drop(session);
        finds(
            |session| {
                session.write(name, b"\xff\xfe: [garbled");
                if !there {
                    fs::set_permissions(
                        session.path(name).parent().expect("a folder"),
                        fs::Permissions::from_mode(0o700),
                    )
                    .expect("a mode");
                }
                mode(session, name, 0o600);
            },
            &[word],
            |session| match &was {
                // Each home has a key of its own, and any key will do.
                Some(was) => session.write(name, was),
                None => fs::remove_file(session.path(name)).expect("removed"),
            },
        );
    }
    finds(
        |session| std::os::unix::fs::symlink("loop.pbem", session.path("games/loop.pbem")).expect("a link"),
        &["games/loop.pbem", "cannot be read"],
        |session| fs::remove_file(session.path("games/loop.pbem")).expect("removed"),
    );
}

#[test]
fn a_clock_before_the_newest_entry_is_found() {
    let session = home();
    session.write(GAME_FILE, record(5).replace("2026-11-23T18:31:09Z", "2026-12-24T18:31:09Z"));
    let told = doctor(&session);
    assert_eq!(told.code, 1);
    for word in ["2026-11-24T12:00:00Z", "2026-12-24T18:31:09Z", "ours.pbem", "`date -u`"] {
        assert!(told.out.contains(word), "{word}: {}", told.out);
    }
}
