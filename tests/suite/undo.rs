//! Taking the last entry back, and the questions before something is done that cannot be undone.
#![cfg(unix)]

use crate::session::Session;
use crate::terminal::drive;

const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-undo-1\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
     defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-20T10:15:00Z\n";
const SETTINGS: &str = "home/settings.yaml";

/// Ada's session with a game in which she is due.
fn ada() -> Session {
    let session = Session::new();
    session.write(SETTINGS, "email: ada@example.org\n");
    session.write("game.pbem", RECORD);
    session
}

#[test]
fn an_entry_that_nobody_has_seen_is_taken_back_and_another_made() {
    let session = ada();
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    let mut told = session.transcripts(&["undo -n game.pbem"]);
    assert!(session.read("game.pbem").contains("c4-c5"));
    told.push_str(&session.transcripts(&["undo game.pbem"]));
    assert_eq!(session.read("game.pbem"), RECORD);
    // What was last known of the game is reset too: there is no warning, and another entry can be made.
    // The entry before is the opponent's.
    told.push_str(&session.transcripts(&["move game.pbem d4-d5", "undo game.pbem", "undo game.pbem"]));
    insta::assert_snapshot!("taken_back", told);
    assert_eq!(session.read("game.pbem"), RECORD);
}

#[test]
fn an_entry_that_ends_the_game_is_taken_back_with_the_result() {
    let session = ada();
    session.run(&["move", "game.pbem", "resign"]).ok();
    assert!(session.read("game.pbem").contains("\n= "));
    session.run(&["undo", "game.pbem"]).ok();
    assert_eq!(session.read("game.pbem"), RECORD);
}

#[test]
fn a_letter_in_the_outbox_keeps_its_entry_until_the_player_says_that_it_was_not_sent() {
    let session = ada();
    session.run(&["move", "game.pbem", "c4-c5", "--send"]).ok();
    let letter = session.path("home/data/outbox/asalto-undo-1.2.eml");
    assert!(letter.is_file());
    let mut told = session.transcripts(&["undo game.pbem"]);
    assert!(session.read("game.pbem").contains("c4-c5"));
    told.push_str(&session.transcripts(&["undo game.pbem --unsent"]));
    assert!(!letter.exists());
    assert_eq!(session.read("game.pbem"), RECORD);
    // The next entry with that number is sent, and not mistaken for one that already was.
    insta::assert_snapshot!("letter_in_the_outbox", told + &session.transcripts(&["move game.pbem d4-d5 --send"]));
}

#[test]
fn an_entry_taken_by_a_mail_program_is_never_taken_back() {
    let session = ada();
    session
        .write(SETTINGS, "email: ada@example.org\nmail:\n  transport: sendmail\n  command: [sh, -c, 'cat > sent']\n");
    let sent = session.run(&["move", "game.pbem", "c4-c5", "--send"]);
    assert_eq!(sent.code, 0, "{}", sent.err);
    let told = session.transcripts(&["undo game.pbem", "undo game.pbem --unsent"]);
    insta::assert_snapshot!("letter_that_was_sent", told);
    assert!(session.read("game.pbem").contains("c4-c5"));
}

/// A run that is interrupted between the record and the letter leaves this: the entry, and the note that its letter is
/// about to be sent.
fn interrupted(settings: &str) -> Session {
    let session = ada();
    session.write(SETTINGS, format!("email: ada@example.org\n{settings}"));
    let done = session.run(&["move", "game.pbem", "c4-c5", "--message", "hello", "--send"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let notes = "home/data/sent/asalto-undo-1.json";
    session.write(notes, session.read(notes).replace("\"sent\"", "\"sending\""));
    session
}

const SENDMAIL: &str = "mail: {transport: sendmail, command: [sh, -c, 'cat >> sent']}\n";

#[test]
fn what_waits_to_be_sent_is_not_mailed_for_another_entry_that_was_typed() {
    let mut told = String::new();
    for other in
        [&["d4-d5"][..], &["c4-c5", "--message", "another"], &["c4-c5", "--at", "2026-11-21T11:00:00Z"], &["nonsense"]]
    {
        let session = interrupted(SENDMAIL);
        let (record, sent) = (session.read("game.pbem"), session.read("sent"));
        told.push_str(&session.run(&[&["move", "game.pbem"], other, &["--send"]].concat()).fails(2));
        assert_eq!(
            (session.read("game.pbem"), session.read("sent")),
            (record, sent),
            "nothing was made and nothing sent"
        );
    }
    insta::assert_snapshot!("another_entry_waits", told);
}

#[test]
fn what_waits_to_be_sent_is_sent_by_the_same_command_in_whatever_words() {
    for same in [&["c4-c5", "--message", "hello"][..], &["c4-c5"], &["c4 c5"]] {
        let session = interrupted(SENDMAIL);
        let (record, sent) = (session.read("game.pbem"), session.read("sent"));
        let done = session.run(&[&["move", "game.pbem"], same, &["--send"]].concat());
        assert_eq!(done.code, 0, "{same:?}: {}", done.err);
        assert_eq!(session.read("game.pbem"), record);
        assert_eq!(session.read("sent").len(), 2 * sent.len(), "the same letter again");
    }
}

#[test]
fn an_entry_whose_letter_may_have_gone_is_taken_back_only_by_a_player_who_is_certain() {
    let session = interrupted(SENDMAIL);
    insta::assert_snapshot!("letter_that_may_have_gone", session.transcripts(&["undo game.pbem"]));
    assert!(session.read("game.pbem").contains("c4-c5"));
    session.run(&["undo", "game.pbem", "--unsent"]).ok();
    assert_eq!(session.read("game.pbem"), RECORD);
    let sent = session.run(&["move", "game.pbem", "d4-d5", "--send"]);
    assert!(sent.code == 0 && !sent.err.contains("may have sent"), "{}", sent.err);
}

#[test]
fn z5_a_part_of_a_sealed_entry_that_waits_to_be_sent_is_another_entry() {
    let session = Session::new();
    session.write(SETTINGS, format!("email: ada@example.org\n{SENDMAIL}"));
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let new = [
        "new",
        "assassyn",
        "--id",
        "assassyn-undo",
        "--clock",
        "5d leave 30d",
        "--option",
        "deployment=sealed",
        "-o",
        "game.pbem",
    ];
    session.run(&[&new[..], &players].concat()).ok();
    let deploy = "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2";
    let done = session.run(&["move", "game.pbem", &format!("{deploy}; leave 3d"), "--send"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let notes = "home/data/sent/assassyn-undo.json";
    session.write(notes, session.read(notes).replace("\"sent\"", "\"sending\""));
    let record = session.read("game.pbem");
    session.run(&["move", "game.pbem", "leave 3d", "--send"]).fails(2);
    assert_eq!(session.read("game.pbem"), record);
    let done = session.run(&["move", "game.pbem", &format!("{deploy}; leave 3d"), "--send"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(session.read("game.pbem"), record);
}

#[test]
fn z32_a_signed_entry_is_not_taken_back() {
    let session = ada();
    session.run(&["key", "new"]).ok();
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    let record = session.read("game.pbem");
    assert!(record.contains("\n  ~ "), "it is signed: {record}");
    insta::assert_snapshot!("signed", session.transcripts(&["undo game.pbem"]));
    assert_eq!(session.read("game.pbem"), record);
    // Nor does the journal forget it if the signature is cut out of the file.
    let cut: String = record.lines().filter(|line| !line.starts_with("  ~ ")).map(|line| format!("{line}\n")).collect();
    session.write("game.pbem", cut);
    assert_ne!(session.run(&["undo", "game.pbem"]).code, 0);
}

#[test]
fn entries_not_made_here_are_not_taken_back() {
    let session = Session::new();
    session.write("game.pbem", RECORD);
    insta::assert_snapshot!("not_made_here", session.transcripts(&["undo game.pbem"]));
    // Two players at one table can take back what they made there.
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    session.run(&["undo", "game.pbem"]).ok();
    assert_eq!(session.read("game.pbem"), RECORD);
}

#[test]
fn a_terminal_is_asked_before_the_game_is_resigned_and_a_script_is_not() {
    let session = ada();
    let Some((code, shown)) =
        drive(&session, (24, 80), &["move", "game.pbem", "resign"], &[("resign the game? [y/N] ", "n\n")])
    else {
        return;
    };
    assert!(code == 2 && shown.contains("nothing was entered"), "{shown}");
    assert_eq!(session.read("game.pbem"), RECORD);
    let (code, shown) =
        drive(&session, (24, 80), &["move", "game.pbem", "resign"], &[("resign the game? [y/N] ", "y\n")])
            .expect("python");
    assert!(code == 0 && shown.contains("resigned"), "{shown}");
    session.run(&["undo", "game.pbem"]).ok();
    let (code, shown) = drive(&session, (24, 80), &["move", "--yes", "game.pbem", "resign"], &[]).expect("python");
    assert!(code == 0 && !shown.contains("[y/N]"), "{shown}");
    session.run(&["undo", "game.pbem"]).ok();
    // No terminal, no question.
    session.run(&["move", "game.pbem", "resign"]).ok();
}

#[test]
fn e7_nobody_claims_their_own_time() {
    let session = ada();
    session.write("game.pbem", RECORD.replace("started: 2026-11-21\n", "started: 2026-11-21\nclock: 1h\n"));
    let before = session.read("game.pbem");
    // Ada's clock has run out; the claim would be Bram's, and make him win.
    insta::assert_snapshot!("own_time_claimed", session.run(&["move", "game.pbem", "claim time"]).fails(1));
    assert_eq!(session.read("game.pbem"), before);
    session.write("home/settings.yaml", "email: bram@example.net\n");
    session.run(&["move", "game.pbem", "claim time"]).ok();
    assert!(session.read("game.pbem").contains("2 defenders claim time"));
}
