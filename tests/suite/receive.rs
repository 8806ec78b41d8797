//! Incoming mail, from well-meant to hostile: each message in `tests/data/mail` has its result, and nothing else
//! happens.

#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use crate::session;

use std::fs;
use std::path::{Path, PathBuf};

use crate::letters::{GAME_FILE, HEADER, bram, letter, receive, receive_in_colour, record, run};

/// All files below a folder, with their bytes.
pub fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).expect("a file");
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

struct Case {
    name: String,
    here: usize,
    outcome: String,
    says: String,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string("tests/data/mail/outcomes.txt").expect("the outcomes");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [name, here, outcome, says, _why] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            let here = here.parse().expect("a number");
            Case { name: name.to_owned(), here, outcome: outcome.to_owned(), says: says.to_owned() }
        })
        .collect()
}

#[test]
fn every_message_has_its_outcome_and_does_nothing_else() {
    let cases = cases();
    assert!(cases.len() >= 40);
    assert_eq!(
        cases.len() + 1,
        fs::read_dir("tests/data/mail").expect("the corpus").count(),
        "each message has a line"
    );
    for Case { name, here, outcome, says } in cases {
        let session = bram(here);
        let before = files(session.folder.path());
        let path = fs::canonicalize(format!("tests/data/mail/{name}.eml")).expect("the message");
        let message = fs::read(&path).expect("the message");
        // Once alone, and twice more in the other ways.
        let dry = receive_in_colour(&session, &["-n", path.to_str().unwrap()], b"");
        assert_eq!(dry.code, 0, "{name}: {}", dry.err);
        assert_eq!(files(session.folder.path()), before, "{name}: a dry run changes nothing");
        let done = receive(&session, &[], &message);
        let said = format!("{}{}", done.out, done.err);
        assert_eq!(done.code, 0, "{name}: {said}");
        assert!(said.contains(&says), "{name}: {says:?} is not in\n{said}");
        assert!(said.chars().all(|c| c == '\n' || !c.is_control()) && !said.contains('\u{202e}'), "{name}: {said:?}");
        assert!(!said.contains("panicked"), "{name}: {said}");
        let after = files(session.folder.path());
        let fate = |word| said.contains(word);
        match outcome.as_str() {
            "accepted" => {
                let text = session.read(GAME_FILE);
                assert!(text.starts_with(&record(here)) && text.len() > record(here).len(), "{name}: {text}");
                assert!(!text.contains('\r') && text.ends_with('\n'), "{name}: {text}");
                session.run(&["verify", GAME_FILE]).ok();
            }
            "invitation" => {
                // It, and who sent it.
                assert_eq!(after.len(), before.len() + 2, "{name}: {after:?}");
                let invitation = session.path("home/data/invitations/asalto-20261121-mail02.pbem");
                assert!(invitation.exists() && invitation.with_extension("from").exists(), "{name}");
                assert_eq!(session.read(GAME_FILE), record(here), "{name}");
            }
            "refused" => {
                assert!(fate("refused:") && !fate("accepted"), "{name}: {said}");
                assert_eq!(after, before, "{name}: a refused message changes nothing");
            }
            "held back" => {
                assert!(fate("held back: ") && !fate("accepted"), "{name}: {said}");
                assert_eq!(after.len(), before.len() + 1, "{name}: {after:?}");
                assert_eq!(session.read(GAME_FILE), record(here), "{name}");
            }
            "known" | "other" => {
                assert!(!fate("refused") && !fate("accepted"), "{name}: {said}");
                assert_eq!(after, before, "{name}: nothing changes");
            }
            other => panic!("{name}: {other}"),
        }
        // Receiving the same message again never does anything.
        let after = files(session.folder.path());
        assert_eq!(receive(&session, &["--answer"], &message).code, 0, "{name}");
        assert_eq!(files(session.folder.path()), after, "{name}: the second time");
        let strict = receive(&session, &["--strict"], &message).code;
        assert_eq!(strict, i32::from(outcome == "refused"), "{name}");
    }
}

#[test]
fn both_versions_of_a_rewritten_entry_are_shown() {
    let session = bram(2);
    let done = receive(&session, &[], letter(&record(3).replace("c4-c5", "d4-d5")).as_bytes());
    assert!(done.err.contains("  here:     2 besiegers c4-c5"), "{}", done.err);
    assert!(done.err.contains("  received: 2 besiegers d4-d5"), "{}", done.err);
}

#[test]
fn an_illegal_entry_gets_the_verdict_that_a_file_gets() {
    let session = bram(1);
    let bad = record(1) + "2 besiegers b4-a4\n";
    let done = receive(&session, &[], letter(&bad).as_bytes());
    session.write("bad.pbem", bad);
    let verdict = session.run(&["verify", "-v", "bad.pbem"]);
    let line =
        verdict.out.lines().chain(verdict.err.lines()).find(|line| line.contains("error[")).expect("a diagnosis");
    assert!(done.err.contains(line), "{}\n{line}", done.err);
}

#[test]
fn a_hundred_megabytes_are_refused_without_being_kept() {
    let session = bram(1);
    let head = b"From: ada@example.org\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n";
    let mut message = head.to_vec();
    message.resize(100 << 20, b'A');
    let mut command = session.command(&["receive"]);
    command.env("POSTRIDER_NOW", "2026-11-23T12:00:00Z");
    let done = run(command, &message);
    assert_eq!(done.code, 0);
    assert!(done.err.contains("over 32 MiB"), "{}", done.err);
    // In a mailbox too, and the messages before and after it are read.
    let mut mbox = b"From x\n".to_vec();
    mbox.extend_from_slice(&message);
    for text in [record(2), record(1)] {
        mbox.extend_from_slice(format!("\n\nFrom x\n{}", letter(&text)).as_bytes());
    }
    session.write("mbox", &mbox);
    let done = receive(&session, &["mbox"], b"");
    assert!(done.out.contains("3 messages: 1 accepted"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), record(2));
}

#[test]
#[cfg(unix)]
fn a_hundred_megabytes_need_the_memory_of_a_fraction() {
    let session = bram(1);
    let line = format!("{}\n", "A".repeat(1023));
    session.write(
        "mbox",
        format!("From x\nFrom: ada@example.org\n\n{}\nFrom x\n{}", line.repeat(100 << 10), letter(&record(2))),
    );
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -v 262144; exec \"$0\" receive mbox", env!("CARGO_BIN_EXE_postrider")])
        .current_dir(session.folder.path())
        .env("POSTRIDER_HOME", session.path("home"))
        .env("POSTRIDER_NOW", "2026-11-23T12:00:00Z");
    let done = run(command, b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("2 messages: 1 accepted"), "{}{}", done.out, done.err);
}

#[test]
fn header_lines_without_end_are_refused() {
    let session = bram(1);
    let done = receive(&session, &[], format!("X-Long: {}\n\n{}", "x".repeat(200_000), record(2)).as_bytes());
    assert!(done.err.contains("header lines are over 128 KiB"), "{}", done.err);
}

#[test]
fn mailboxes_are_read_once_and_left_as_they_are() {
    let session = bram(1);
    session.write("mbox", format!("From x\n{}\nFrom x\n{}", letter(&record(2)), letter(&record(1))));
    let mbox = session.read("mbox");
    let done = receive(&session, &["mbox"], b"");
    assert!(done.out.contains("2 messages: 1 accepted, 1 already known\n"), "{}", done.out);
    assert_eq!(session.read("mbox"), mbox);
    let again = receive(&session, &["mbox"], b"").ok();
    assert!(again.contains("no new messages\n"), "{again}");
    let again = receive(&session, &["mbox", "--again"], b"").ok();
    assert!(again.contains("2 messages: 2 already known\n"), "{again}");

    session.write("maildir/new/1.a.host", letter(&record(1)));
    session.write("maildir/cur/2.a.host:2,S", letter(&record(2)));
    let before = files(&session.path("maildir"));
    assert!(receive(&session, &["maildir"], b"").ok().contains("2 messages"));
    assert!(receive(&session, &["maildir"], b"").ok().contains("no new messages\n"));
    assert_eq!(files(&session.path("maildir")), before);
}

#[test]
fn a_mailbox_in_any_order_comes_to_the_same_game() {
    let session = bram(0);
    // From either player: a spectator receives.
    session.write("home/settings.yaml", "games: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    let from = |count: usize| {
        let text = letter(&record(count));
        if count % 2 == 1 { text.replace("Ada Quill <ada@example.org>", "bram@example.net") } else { text }
    };
    let order = [2, 1, 1, 4, 3, 5, 2];
    session.write("mbox", order.map(|count| format!("From x\n{}\n", from(count))).concat());
    receive(&session, &["mbox"], b"").ok();
    assert_eq!(session.read(GAME_FILE), record(5));
}

#[test]
fn an_invitation_waits_and_is_accepted_or_declined() {
    let session = bram(1);
    let other = HEADER.replace("mail01", "mail02");
    receive(&session, &[], letter(&other).as_bytes()).ok();
    let list = session.run(&["invitations"]).ok();
    assert_eq!(
        list,
        "asalto-20261121-mail02  Asalto, besiegers Ada Quill <ada@example.org> - defenders Bram Post <bram@example.net>, 0 entries\n"
    );
    // It can be continued while it is waiting, and what is refused for a game is refused for it.
    let forged = letter(&other).replace("ada@example.org>", "mallory@example.com>");
    assert!(receive(&session, &[], forged.as_bytes()).ok().contains("nothing new"));
    session.run(&["accept"]).ok();
    assert_eq!(session.read("games/asalto-20261121-mail02.pbem"), other);
    assert_eq!(session.run(&["invitations"]).ok(), "no invitations\n");
    assert!(receive(&session, &[], letter(&other).as_bytes()).ok().contains("nothing new"));
    // Without a folder in the settings, games are beside the program's data, where `status` finds them.
    let bare = session::Session::new();
    bare.write("home/settings.yaml", "email: bram@example.net\n");
    assert!(bare.run(&["status"]).err.contains("no games yet"));
    receive(&bare, &[], letter(&other).as_bytes()).ok();
    bare.run(&["accept", "asalto-20261121-mail02"]).ok();
    assert!(bare.run(&["status"]).ok().contains("asalto-20261121-mail02"));

    let third = HEADER.replace("mail01", "mail03");
    receive(&session, &[], letter(&third).as_bytes()).ok();
    session.run(&["decline", "asalto-20261121-mail03"]).ok();
    assert_eq!(session.run(&["invitations"]).ok(), "no invitations\n");
    assert!(receive(&session, &[], letter(&third).as_bytes()).ok().contains("you declined this game"));
    for id in ["../../etc/passwd", "nothing-here", "x"] {
        session.run(&["accept", id]).fails(2);
        session.run(&["decline", id]).fails(2);
    }
    session.run(&["accept", "asalto-20261121-mail03", "-o", GAME_FILE]).fails(2);
    session.run(&["accept", "asalto-20261121-mail03", "-o", "third.pbem"]).ok();
    assert_eq!(session.read("third.pbem"), third);
}

#[test]
fn two_files_with_one_id_are_trouble_that_may_pass() {
    let session = bram(1);
    session.write("games/copy.pbem", record(1));
    let done = receive(&session, &[], letter(&record(2)).as_bytes());
    assert_eq!(done.code, 75, "{}", done.err);
    assert!(done.err.contains("are both records of"), "{}", done.err);
}

#[test]
fn settings_that_do_not_read_keep_the_mail_waiting() {
    let session = bram(1);
    session.write("home/settings.yaml", "nick: bram\n");
    assert_eq!(receive(&session, &[], letter(&record(2)).as_bytes()).code, 75);
    receive(&session, &["nowhere"], b"").fails(75);
    session.write("home/settings.yaml", "");
    receive(&session, &["nowhere"], b"").fails(2);
    receive(&session, &["home"], b"").fails(2);
    receive(&session, &["--imap"], b"").fails(2);
}

#[test]
fn an_invitation_whose_id_looks_like_an_option_can_be_accepted_as_suggested() {
    for id in ["-rf-------", "--output-x"] {
        let session = bram(1);
        let said = receive(&session, &[], letter(&HEADER.replace("asalto-20261121-mail01", id)).as_bytes()).ok();
        assert!(said.contains(&format!("`postrider invite accept {id}`")), "{said}");
        session.run(&["decline", id]).ok();
        session.run(&["accept", id]).ok();
        assert!(session.path(&format!("games/{id}.pbem")).exists());
    }
}
