//! Who plays by mail alone and resigns while the other side is due does so with the next entry.
#![cfg(unix)]

use std::fs;

use crate::letters::{GAME_FILE, ID, bram, receive, record, run};
use crate::session::{Done, Session};

const LATER: &str = "2026-11-24T13:00:00Z";

/// A letter of Ada's without a record, which answers the one about Bram's first entry.
fn letter(id: &str, time: &str, text: &str) -> String {
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1 defenders: place c6 e6\nDate: Sun, 22 Nov 2026 \
         {time} +0000\nMessage-ID: <{id}@example.org>\nIn-Reply-To: <{ID}.1.5a415b6cace8c907@postrider.invalid>\n\n{text}\n"
    )
}

/// Bram's home, in which it is his turn after a move of Ada's that came by a letter; and the letter in which she resigns.
pub fn waiting() -> (Session, String) {
    let session = bram(1);
    receive(&session, &[], letter("one", "08:02:11", "c4-c5").as_bytes()).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 "));
    (session, letter("two", "09:00:00", "I resign. Thanks for the game!"))
}

fn later(session: &Session, args: &[&str]) -> Done {
    let mut command = session.command(args);
    command.env("POSTRIDER_NOW", LATER);
    run(command, b"")
}

/// The letters that lie in the outbox, which are removed from it.
fn taken(session: &Session) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(session.path("home/data/outbox"))
        .map(|entries| entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect())
        .unwrap_or_default();
    files.sort();
    let read = |path| {
        let text = fs::read_to_string(&path).expect("a letter").replace("=\r\n", "");
        fs::remove_file(path).expect("it is taken");
        text
    };
    files.into_iter().map(read).collect()
}

#[test]
fn who_resigns_out_of_turn_is_told_so_and_the_next_move_enters_it() {
    let (session, resigns) = waiting();
    let before = session.read(GAME_FILE);
    let said = receive(&session, &[], resigns.as_bytes()).ok();
    assert!(said.contains("Ada Quill resigns, which is entered as soon as you have made your entry"), "{said}");
    assert_eq!(session.read(GAME_FILE), before, "nothing is entered yet");
    let [told] = &taken(&session)[..] else { panic!("one letter") };
    assert!(told.contains("Noted: you resign. It is not your turn"), "{told}");
    assert!(told.contains("    take it back") && told.contains("To: \"Ada Quill\" <ada@example.org>"), "{told}");
    let shown = later(&session, &["status"]).ok();
    assert!(shown.contains("Ada Quill resigns, which is entered as soon as entry 3 is made"), "{shown}");
    assert!(later(&session, &["status", "--json"]).ok().contains("\"resigns_next\":\"besiegers\""));
    // What is only tried says what would come of it, and changes nothing.
    let tried = later(&session, &["move", GAME_FILE, "c6-d6", "-n"]);
    assert!(tried.out.contains("4 besiegers resign") && tried.out.contains("nothing was written"), "{}", tried.out);
    assert_eq!(session.read(GAME_FILE), before);
    let done = later(&session, &["move", GAME_FILE, "c6-d6", "--send"]);
    assert!(done.err.contains("Ada Quill had resigned by a letter: entry 4: resign"), "{}{}", done.out, done.err);
    assert!(done.ok().contains("defenders win: resigned"));
    let expected = before
        + "3 defenders c6-d6; huff d6 @2026-11-24T13:00:00Z\n4 besiegers resign @2026-11-24T13:00:00Z\n= defenders win: resigned\n\
           # entry 4 from the letter <two@example.org> of ada@example.org, which announced it\n";
    assert_eq!(session.read(GAME_FILE), expected);
    session.run(&["verify", GAME_FILE]).ok();
    // One letter, in Bram's name, tells her.
    let [told] = &taken(&session)[..] else { panic!("one letter") };
    assert!(told.contains("To: \"Ada Quill\" <ada@example.org>") && told.contains("From: \"Bram Post\""), "{told}");
    assert!(told.contains("efenders win"), "{told}");
    // Once more: it stands, and the letter has gone.
    let again = later(&session, &["move", GAME_FILE, "c6-d6", "--send"]);
    assert!(
        again.err.contains("already in the record, and nothing was entered: 3 defenders c6-d6"),
        "{}{}",
        again.out,
        again.err
    );
    assert_eq!((again.code, taken(&session).len(), session.read(GAME_FILE)), (0, 0, expected));
    assert!(!session.path(&format!("home/data/announced/{ID}")).exists());
    let refused = later(&session, &["undo", GAME_FILE]).fails(2);
    assert!(refused.contains("who had resigned by a letter"), "{refused}");
}

#[test]
fn who_has_resigned_out_of_turn_takes_it_back_and_an_old_letter_brings_nothing_back() {
    let (session, resigns) = waiting();
    receive(&session, &[], resigns.as_bytes()).ok();
    let back = letter("three", "10:00:00", "take it back");
    let said = receive(&session, &[], back.as_bytes()).ok();
    assert!(said.contains("Ada Quill takes it back, and goes on with the game"), "{said}");
    let letters = taken(&session);
    assert!(letters.last().is_some_and(|told| told.contains("Taken back: you do not resign")), "{letters:?}");
    for old in [&resigns, &letter("older", "08:59:00", "resign")] {
        receive(&session, &["--again"], old.as_bytes()).ok();
        assert!(!later(&session, &["status"]).ok().contains("resigns"));
    }
    later(&session, &["move", GAME_FILE, "c6-d6"]).ok();
    assert!(!session.read(GAME_FILE).contains("resign"));
    // What was meant in earnest after all is noted again, and by then it is her turn.
    receive(&session, &[], letter("four", "11:00:00", "resign").as_bytes()).ok();
    assert!(!session.read(GAME_FILE).contains("resign"), "it does not show that she has the newest letter");
}

#[test]
fn whoever_has_not_seen_the_newest_letter_or_writes_to_many_is_asked_and_nothing_is_noted() {
    let (_, resigns) = waiting();
    let by_subject = resigns.replace(&format!("In-Reply-To: <{ID}.1.5a415b6cace8c907@postrider.invalid>\n"), "");
    let other = resigns.replace(".1.5a415b6cace8c907@", ".1.0123456789abcdef@");
    let many = resigns.replace("Date:", "Precedence: list\nList-Id: <chess.example.org>\nDate:");
    let asks = resigns.replace("I resign.", "Should I resign?");
    for message in [by_subject, other, many, asks] {
        let (session, _) = waiting();
        let _ = receive(&session, &[], message.as_bytes());
        assert!(!later(&session, &["status"]).ok().contains("resigns"), "{message}");
        later(&session, &["move", GAME_FILE, "c6-d6"]).ok();
        assert!(!session.read(GAME_FILE).contains("resign"), "{message}");
    }
}

#[test]
fn whatever_enters_for_the_player_enters_what_was_announced_too() {
    // A reply that was prepared.
    let (session, resigns) = waiting();
    receive(&session, &[], resigns.as_bytes()).ok();
    later(&session, &["undo", GAME_FILE]).fails(2);
    session.write(GAME_FILE, record(1) + "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n");
    let done = later(&session, &["play", GAME_FILE]);
    assert!(done.out.contains("Ada Quill resigns, which is entered as soon as this entry is made"), "{}", done.out);
    // A record that has grown elsewhere: the next run that receives enters it.
    session.write(
        GAME_FILE,
        record(1) + "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n",
    );
    session.write("mbox", "");
    let done = later(&session, &["receive", "mbox", "--answer"]);
    assert!(session.read(GAME_FILE).contains("\n4 besiegers resign "), "{}{}", done.out, done.err);
    let letters = taken(&session);
    assert!(letters.last().is_some_and(|told| told.contains("efenders win")), "{letters:?}");
}

#[test]
fn in_a_session_the_move_enters_what_was_announced() {
    let (session, resigns) = waiting();
    receive(&session, &[], resigns.as_bytes()).ok();
    let mut command = session.command(&["play", GAME_FILE]);
    command.env("POSTRIDER_NOW", LATER);
    let done = run(command, b"c6-d6\nquit\n");
    assert!(done.err.contains("Ada Quill had resigned by a letter"), "{}{}", done.out, done.err);
    assert!(session.read(GAME_FILE).contains("\n4 besiegers resign "), "{}{}", done.out, done.err);
}

#[test]
fn a_taken_back_entry_leaves_what_was_announced() {
    let session = bram(3);
    // Ada has the letter about entry 3, and Bram takes that back while it is only written down.
    session.write(GAME_FILE, record(2));
    later(&session, &["move", GAME_FILE, "c6-d6"]).ok();
    let id = format!("home/data/announced/{ID}");
    session.write(&id, "resign besiegers 1763800000 -\n");
    later(&session, &["undo", GAME_FILE]).ok();
    let shown = later(&session, &["status"]).ok();
    assert!(shown.contains("Ada Quill resigns"), "{shown}");
}

#[test]
fn a_home_that_plays_no_side_tells_both_players_of_an_announced_resignation_once() {
    for drafts in [false, true] {
        let session = bram(1);
        let more = if drafts { "mail: {plain-replies: draft}\n" } else { "" };
        session.write("home/settings.yaml", format!("name: Cleo\nemail: cleo@example.com\ngames: ../games\n{more}"));
        session.run(&["own", GAME_FILE, "nobody"]).ok();
        receive(&session, &[], letter("one", "08:02:11", "c4-c5").as_bytes()).ok();
        receive(&session, &[], letter("two", "09:00:00", "I resign. Thanks for the game!").as_bytes()).ok();
        let _ = taken(&session);
        let moves = letter("three", "10:00:00", "c6-d6; huff d6")
            .replace("Ada Quill <ada@example.org>", "Bram Post <bram@example.net>")
            .replace("#1 defenders: place c6 e6", "#2")
            .replace(&format!("In-Reply-To: <{ID}.1.5a415b6cace8c907@postrider.invalid>\n"), "");
        let done = receive(&session, &[], moves.as_bytes());
        assert!(session.read(GAME_FILE).contains("\n4 besiegers resign "), "{}{}", done.out, done.err);
        if drafts {
            assert!(taken(&session).is_empty());
            let sent = later(&session, &["send", "--draft", GAME_FILE]);
            assert!(sent.code == 0 && sent.err.matches("the draft to ").count() == 2, "{}", sent.err);
            assert!(later(&session, &["send", "--draft", GAME_FILE]).fails(2).contains("no draft"));
        }
        let letters = taken(&session);
        let flat = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = |to: &str, words: &str| {
            letters.iter().filter(|one| one.contains(&format!("To: {to}")) && flat(one).contains(words)).count()
        };
        let shown = letters.join("\n-----\n");
        assert_eq!(
            told(
                "\"Ada Quill\" <ada@example.org>",
                "Bram Post has moved since. So your resignation is entered as entry 4. The game is over: defenders win"
            ),
            1,
            "{shown}"
        );
        assert_eq!(
            told("\"Bram Post\" <bram@example.net>", "Ada Quill resigned by a letter while you were to move."),
            1,
            "{shown}"
        );
        assert!(letters.iter().all(|one| one.contains("cleo@example.com") && !one.contains("From: \"Bram")), "{shown}");
        assert!(!session.path(&format!("home/data/announced/{ID}")).exists());
        // Nothing more is said of it.
        let _ = receive(&session, &["--again"], moves.as_bytes());
        assert!(taken(&session).is_empty());
    }
}

#[test]
fn a_run_that_ended_before_the_players_were_told_is_made_up_for() {
    let session = bram(1);
    session.write("home/settings.yaml", "name: Cleo\nemail: cleo@example.com\ngames: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    session.write(
        GAME_FILE,
        record(1)
            + "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n4 besiegers resign \
               @2026-11-22T20:40:00Z\n= defenders win: resigned\n# entry 4 from the letter <two@example.org> of ada@example.org, which announced it\n",
    );
    session.write(&format!("home/data/announced/{ID}"), "resign besiegers 1763800000 <two@example.org>\n");
    session.write("mbox", "");
    for count in [2, 0] {
        later(&session, &["receive", "mbox", "--answer"]).ok();
        assert_eq!(taken(&session).len(), count);
    }
}
