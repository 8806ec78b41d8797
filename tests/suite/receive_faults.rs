//! Receiving mail while something goes wrong: a kill at any moment, a full disk, a lock that someone else holds. No
//! entry is lost or doubled, and the delivery agent is told to try again.
#![cfg(unix)]

#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use crate::session;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::letters::{GAME_FILE, bram, letter, receive, record, run};
use postrider_disk::disk::RecordLock;

/// An mbox with the game letter after letter, as a spectator keeps it.
fn mbox() -> String {
    let from = |count: usize| {
        let text = letter(&record(count));
        let text = if count % 2 == 1 { text.replace("Ada Quill <ada@example.org>", "bram@example.net") } else { text };
        format!("From x\n{text}\n")
    };
    (1..=5).map(from).collect::<String>().repeat(20)
}

#[test]
fn a_kill_at_any_moment_loses_no_entry_and_doubles_none() {
    let session = bram(0);
    session.write("home/settings.yaml", "games: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    session.write("mbox", mbox());
    let (mut killed, mut seen) = (0, Vec::new());
    for round in 0..40_u64 {
        if round % 4 == 0 {
            session.write(GAME_FILE, record(0));
            let _ = fs::remove_file(session.path("home/data/known/asalto-20261121-mail01.known"));
            let _ = fs::remove_file(session.path("home/data/received"));
        }
        let mut command = session.command(&["receive", "mbox"]);
        command.env("POSTRIDER_NOW", "2026-11-23T20:00:00Z").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("started");
        std::thread::sleep(Duration::from_micros(500 + round * 1_371 % 20_000));
        let _ = child.kill();
        killed += usize::from(child.wait().expect("it ends").code().is_none());
        let text = session.read(GAME_FILE);
        let entries = (0..=5).find(|&count| text == record(count));
        seen.push(entries.unwrap_or_else(|| panic!("round {round}: {text}")));
    }
    assert!(killed > 0, "{seen:?}");
    let mut command = session.command(&["receive", "mbox"]);
    command.env("POSTRIDER_NOW", "2026-11-23T20:00:00Z");
    let done = run(command, b"");
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(session.read(GAME_FILE), record(5), "what a killed run had not read is read by the next: {seen:?}");
    // Nothing of the killed processes is left beside the record once another one has written it.
    assert!(fs::read_dir(session.path("games")).expect("a folder").count() <= 2);
}

#[test]
fn a_kill_leaves_an_invitation_whole_or_none() {
    for round in 0..20_u64 {
        let session = bram(1);
        let text = record(0).replace("mail01", "mail02");
        let mut command = session.command(&["receive"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("started");
        let _ = child.stdin.take().expect("a pipe").write_all(letter(&text).as_bytes());
        std::thread::sleep(Duration::from_micros(1_000 + round * 571 % 8_000));
        let _ = child.kill();
        child.wait().expect("it ends");
        let path = session.path("home/data/invitations/asalto-20261121-mail02.pbem");
        assert!(!path.exists() || fs::read_to_string(&path).expect("a record") == text, "round {round}");
        receive(&session, &[], letter(&text).as_bytes()).ok();
        assert_eq!(fs::read_to_string(&path).expect("a record"), text, "round {round}");
    }
}

/// The program in a shell that does not let it write files longer than half a kilobyte: a full disk.
fn on_a_full_disk(session: &session::Session, arguments: &str) -> Command {
    let mut command = session.command(&[]);
    let program = command.get_program().to_owned();
    let mut shell = Command::new("sh");
    shell.current_dir(session.folder.path()).env_clear();
    for (name, value) in command.get_envs() {
        shell.env(name, value.expect("a value"));
    }
    shell.env("POSTRIDER_NOW", "2026-11-23T20:00:00Z").env("PROGRAM", program);
    // Otherwise a signal would end it; this way the write fails, as on a full disk.
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f 1; exec \"$PROGRAM\" {arguments}")]);
    command.env_clear();
    shell
}

#[test]
fn a_full_disk_is_trouble_that_may_pass() {
    let session = bram(1);
    // Long enough for the limit to matter.
    let remark = format!("# {}\n", "x".repeat(2000));
    let (here, there) =
        (record(1) + &remark, record(1) + &remark + record(2).strip_prefix(&record(1)).expect("a beginning"));
    session.write(GAME_FILE, &here);
    let done = run(on_a_full_disk(&session, "receive"), letter(&there).as_bytes());
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.err.contains("this file is as it was"), "{}", done.err);
    assert_eq!(session.read(GAME_FILE), here);
    assert_eq!(fs::read_dir(session.path("games")).expect("a folder").count(), 1, "nothing is left beside it");
    // Once there is room, the delivery agent's second attempt succeeds.
    assert!(receive(&session, &[], letter(&there).as_bytes()).ok().contains("accepted: 2"));
    assert_eq!(session.read(GAME_FILE), there);

    let invited = (record(0) + &remark).replace("mail01", "mail02");
    let done = run(on_a_full_disk(&session, "receive"), letter(&invited).as_bytes());
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert_eq!(session.run(&["invitations"]).ok(), "no invitations\n");
}

#[test]
fn messages_not_written_because_of_a_full_disk_are_read_again() {
    let session = bram(1);
    session.write("home/settings.yaml", "games: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    let remark = format!("# {}\n", "x".repeat(2000));
    session.write(GAME_FILE, record(1) + &remark);
    session.write("mbox", mbox());
    let done = run(on_a_full_disk(&session, "receive mbox"), b"");
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(
        !done.out.contains("accepted") && done.out.contains(" already known\n"),
        "nothing untrue is reported: {}",
        done.out
    );
    assert_eq!(session.read(GAME_FILE), record(1) + &remark);
    let done = receive(&session, &["mbox"], b"");
    assert!(done.out.contains("accepted: 5 defenders"), "{}{}", done.out, done.err);
    let rest = record(5);
    assert_eq!(session.read(GAME_FILE), record(1) + &remark + rest.strip_prefix(&record(1)).expect("a beginning"));
}

#[test]
fn a_record_that_somebody_else_writes_is_waited_for_and_then_left_to_a_second_try() {
    let session = bram(1);
    let lock = RecordLock::take(&session.path(GAME_FILE)).expect("a lock");
    let done = receive(&session, &[], letter(&record(2)).as_bytes());
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.err.contains("another program is writing"), "{}", done.err);
    drop(lock);
    assert_eq!(session.read(GAME_FILE), record(1));
    receive(&session, &[], letter(&record(2)).as_bytes()).ok();
    assert_eq!(session.read(GAME_FILE), record(2));
}

#[test]
fn in_a_mailbox_trouble_with_one_message_keeps_no_other_waiting() {
    let session = bram(1);
    let other = record(0).replace("mail01", "mail02");
    session.write("mbox", format!("From x\n{}\nFrom x\n{}", letter(&record(2)), letter(&other)));
    let lock = RecordLock::take(&session.path(GAME_FILE)).expect("a lock");
    let done = receive(&session, &["mbox"], b"");
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.out.contains("you are invited"), "{}", done.out);
    drop(lock);
    // Only what has not been processed is read again.
    let done = receive(&session, &["mbox"], b"");
    assert!(done.out.contains("accepted: 2") && !done.out.contains("invited:"), "{}", done.out);
    assert_eq!(session.read(GAME_FILE), record(2));
}

#[test]
fn in_a_mailbox_trouble_with_one_letter_loses_nothing_of_an_earlier_one() {
    let session = bram(0);
    session.write("home/settings.yaml", "games: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    // What the second letter brings beside its record cannot be noted.
    session.write("home/data/seats", "in the way");
    let first = letter(&record(1)).replace("Ada Quill <ada@example.org>", "bram@example.net");
    let token = "0123456789abcdef0123456789abcdef";
    let second = letter(&record(2)).replacen("MIME-Version", &format!("X-Postrider-Seat: {token}\nMIME-Version"), 1);
    session.write("mbox", format!("From x\n{first}\nFrom x\n{second}"));
    let done = receive(&session, &["mbox"], b"");
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.out.contains("accepted: 1 defenders"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), record(1));
    fs::remove_file(session.path("home/data/seats")).expect("removed");
    let done = receive(&session, &["mbox"], b"").ok();
    assert!(done.contains("accepted: 2 besiegers"), "{done}");
    assert_eq!(session.read(GAME_FILE), record(2));
}

#[test]
fn what_waits_in_a_letter_with_trouble_holds_no_later_letter_back() {
    let session = bram(1);
    let early = record(2).replace("mail01", "mail02").replace("2026-11-22T08:02:11Z", "2026-11-25T08:02:11Z");
    let part = |record: &str| {
        let body = data_encoding::BASE64.encode(record.as_bytes());
        format!("--x\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n{body}\n")
    };
    let both = format!(
        "From: Ada Quill <ada@example.org>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n{}{}--x--\n",
        part(&early),
        part(&record(2))
    );
    let other = record(0).replace("mail01", "mail03");
    session.write("mbox", format!("From x\n{both}\nFrom x\n{}", letter(&other)));
    let lock = RecordLock::take(&session.path(GAME_FILE)).expect("a lock");
    let done = receive(&session, &["mbox"], b"");
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.out.contains("you are invited"), "{}{}", done.out, done.err);
    let held = fs::read_dir(session.path("home/data/held-back")).map_or(0, Iterator::count);
    assert_eq!(held, 0, "the first letter is read again, and nothing of the second one waits");
    drop(lock);
    let done = receive(&session, &["mbox"], b"").ok();
    assert!(done.contains("accepted: 2 besiegers"), "{done}");
    assert_eq!(fs::read_dir(session.path("home/data/held-back")).map_or(0, Iterator::count), 1);
}

#[test]
fn two_programs_that_receive_the_same_letter_at_once_enter_it_once() {
    for _ in 0..5 {
        let session = bram(1);
        let children: Vec<_> = (0..6)
            .map(|_| {
                let mut command = session.command(&["receive"]);
                command.env("POSTRIDER_NOW", "2026-11-23T20:00:00Z").stdin(Stdio::piped()).stdout(Stdio::null());
                let mut child = command.spawn().expect("started");
                child.stdin.take().expect("a pipe").write_all(letter(&record(2)).as_bytes()).expect("written");
                child
            })
            .collect();
        for mut child in children {
            assert_eq!(child.wait().expect("it ends").code(), Some(0));
        }
        assert_eq!(session.read(GAME_FILE), record(2));
    }
}
