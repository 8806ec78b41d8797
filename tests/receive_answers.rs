//! What the program answers by itself, and replies of opponents who do without it.
#![cfg(unix)]

mod letters;
mod session;

use std::fs;
use std::path::PathBuf;

use letters::{GAME_FILE, ID, bram, letter, receive, record};
use session::{Done, Session};

/// The letters in an outbox, sorted by their names.
fn outbox(session: &Session) -> Vec<PathBuf> {
    let mut list: Vec<_> = fs::read_dir(session.path("home/data/outbox"))
        .map(|entries| entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect())
        .unwrap_or_default();
    list.sort();
    list
}

/// A challenge in a sealed game: Ada has made it, Bram can only accept. Returns both, and Ada's letter.
fn challenge() -> (Session, Session, String) {
    let (ada, bram) = (Session::new(), Session::new());
    for (session, address) in [(&ada, "ada@example.org"), (&bram, "bram@example.net")] {
        session.write("home/settings.yaml", format!("email: {address}\ngames: ../games\n"));
    }
    fs::create_dir(ada.path("games")).expect("a folder");
    ada.run(&[
        "new", "assassyn", "--id", "assassyn-answers", "--player", "white=Ada <ada@example.org>", "--player",
        "black=Bram <bram@example.net>", "--clock", "50d", "--setup", "white Pa1 Lc1; black Pf6 Sc5; to play white", "-o",
        "games/a.pbem",
    ])
    .ok();
    bram.write("games/b.pbem", ada.read("games/a.pbem"));
    ada.run(&["move", "games/a.pbem", "lc1Xc5", "--send"]).ok();
    let letters = outbox(&ada);
    let letter = fs::read_to_string(&letters[0]).expect("a letter");
    fs::remove_file(&letters[0]).expect("it is delivered");
    (ada, bram, letter)
}

#[test]
fn what_is_forced_is_answered_and_sent_in_the_same_run() {
    let (ada, bram, letter) = challenge();
    assert!(!letter.contains("Auto-Submitted"));
    let said = bram.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    assert!(said.contains("accepted: 1 white") && said.contains("answered: 2 black accept"), "{said}");
    let answers = outbox(&bram);
    assert_eq!(answers.len(), 1);
    let answer = fs::read_to_string(&answers[0]).expect("a letter");
    assert!(answer.contains("Auto-Submitted: auto-replied\r\n"), "{answer}");
    let record = bram.read("games/b.pbem");
    // The same letter again, and the answer to oneself, lead to nothing.
    fs::remove_file(&answers[0]).expect("it is delivered");
    for message in [&letter, &answer] {
        let said = bram.feed(&["receive", "--answer"], message.as_bytes()).ok();
        assert!(said.contains("nothing new") && !said.contains("answered"), "{said}");
    }
    assert_eq!((bram.read("games/b.pbem"), outbox(&bram).len()), (record.clone(), 0));
    // Ada's program opens the throw by itself only if that ends the game: else a turn must follow, and she chooses.
    let said = ada.feed(&["receive", "--answer"], answer.as_bytes()).ok();
    assert!(said.contains("accepted: 2 black accept"), "{said}");
    let ended = ada.read("games/a.pbem").contains("\n= ");
    assert_eq!(outbox(&ada).len(), usize::from(ended), "{said}");
    let after = ada.read("games/a.pbem");
    assert!(after.starts_with(&record));
    ada.feed(&["receive", "--answer"], answer.as_bytes()).ok();
    assert_eq!(ada.read("games/a.pbem"), after);
}

#[test]
fn without_being_asked_nothing_is_answered() {
    let (_ada, bram, letter) = challenge();
    let said = bram.feed(&["receive"], letter.as_bytes()).ok();
    assert!(said.contains("accepted: 1 white") && !said.contains("answered"), "{said}");
    assert!(outbox(&bram).is_empty());
}

#[test]
fn an_answer_that_was_written_and_not_sent_is_sent_when_the_letter_comes_again() {
    let (_ada, bram, letter) = challenge();
    let settings = bram.read("home/settings.yaml");
    bram.write("home/settings.yaml", settings.clone() + "mail: {transport: sendmail, command: [\"false\"]}\n");
    let done = bram.feed(&["receive", "--answer"], letter.as_bytes());
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    let record = bram.read("games/b.pbem");
    assert!(record.contains("2 black accept"), "{record}");
    // Cut short between writing and sending: the promise stands.
    bram.write("home/settings.yaml", &settings);
    let notes = bram.path("home/data/sent/assassyn-answers.json");
    let text = fs::read_to_string(&notes).expect("notes");
    assert!(text.contains("\"sending\""), "{text}");
    bram.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    assert_eq!((bram.read("games/b.pbem"), outbox(&bram).len()), (record, 1));
}

/// A reply of Ada's without a record, to the newest letter of the game up to an entry.
fn reply(to_entry: usize, text: &str) -> String {
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #{to_entry} defenders: place c6 \
         e6\nDate: Sun, 22 Nov 2026 08:02:11 +0000\nMessage-ID: <reply-{to_entry}@example.org>\n\n{text}\n"
    )
}

fn plain(session: &Session, message: &str) -> Done {
    receive(session, &["--plain"], message.as_bytes())
}

fn drafts(session: &Session) -> Vec<PathBuf> {
    let entries = fs::read_dir(session.path("home/data/outbox/drafts"));
    entries.map(|entries| entries.map(|entry| entry.expect("an entry").path()).collect()).unwrap_or_default()
}

#[test]
fn a_reply_without_a_record_is_an_entry_for_the_opponent() {
    let session = bram(1);
    let message = reply(1, "Hi Bram,\n\nc4-c5\n\nOn Saturday Bram wrote:\n> your move\n");
    assert!(receive(&session, &[], message.as_bytes()).ok().contains("no record"), "only when it is asked for");
    let said = plain(&session, &message).ok();
    assert!(said.contains("entered for the besiegers: 2 besiegers c4-c5 @2026-11-22T08:02:11Z"), "{said}");
    let expected = record(1)
        + "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n# entry 2 from the letter <reply-1@example.org> of ada@example.org\n";
    assert_eq!(session.read(GAME_FILE), expected);
    session.run(&["verify", GAME_FILE]).ok();
    // The same reply again is known.
    assert_eq!(plain(&session, &message).err, "");
    assert_eq!(session.read(GAME_FILE), expected);
    assert!(drafts(&session).is_empty());
}

#[test]
fn replies_of_common_mail_programs_are_read() {
    for (name, text) in [
        ("top", "c4-c5\n\n-----Original Message-----\nFrom: Bram\nd4-d5\n"),
        ("below", "On 21 Nov 2026, Bram wrote:\n> your move\n> b4-c5\n\nc4-c5\n-- \nAda\n"),
        ("whole line", "2 besiegers c4-c5\n"),
        ("side and actions", "besiegers c4-c5\n"),
        ("shorthand", "  C4 - C5  \n"),
    ] {
        let session = bram(1);
        let done = plain(&session, &reply(1, text));
        let taken = session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @");
        // What the prompt of `move` takes is taken here, and no more.
        let typed = bram(1).run(&["move", "-n", GAME_FILE, text.trim(), "--at", "2026-11-22T08:02:11Z"]).code == 0;
        assert!(taken || (name == "shorthand" && !typed), "{name}: {}{}", done.out, done.err);
    }
    let flowed = reply(1, "c4-c5 \n\n> d4-d5").replace("\n\n", "\nContent-Type: text/plain; format=flowed\n\n");
    let session = bram(1);
    plain(&session, &flowed.replacen("\nContent-Type: text/plain; format=flowed\n\n> d4", "\n\n> d4", 1)).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @"));
    let html = reply(1, "<p>c4-c5</p><blockquote>d4-d5</blockquote>").replacen("\n\n", "\nContent-Type: text/html\n\n", 1);
    let session = bram(1);
    plain(&session, &html).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @"));
}

#[test]
fn a_reply_is_found_by_what_it_answers_too() {
    let session = bram(1);
    session.run(&["send", GAME_FILE]).ok();
    let sent = fs::read_to_string(&outbox(&session)[0]).expect("a letter");
    let id = sent.lines().find_map(|line| line.strip_prefix("Message-ID: ")).expect("an id").trim();
    let answering = |id: &str| {
        reply(7, "c4-c5").replacen("Subject: Re: [pbem] asalto", &format!("In-Reply-To: {id}\nSubject: my move, asalto"), 1)
    };
    let other = id.replace(".1.", ".2.");
    let done = plain(&session, &answering(&other));
    assert!(done.err.contains("which is not the newest"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), record(1));
    assert!(plain(&session, &answering(id)).ok().contains("entered for the besiegers"));
}

#[test]
fn a_reply_that_is_no_legal_entry_gets_a_draft_that_is_never_sent() {
    for (text, says) in [
        ("b4-a4\n", "T20"),
        ("thank you for your letter\n", "error"),
        ("> c4-c5\n", "no entry was found"),
        ("c4-c5 {ha}\n", "alone"),
    ] {
        let session = bram(1);
        let done = plain(&session, &reply(1, text));
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.err.contains(says) && done.err.contains("drafted"), "{text}: {}", done.err);
        assert_eq!(session.read(GAME_FILE), record(1));
        let drafts = drafts(&session);
        assert_eq!(drafts, [session.path(&format!("home/data/outbox/drafts/{ID}.2.eml"))]);
        let draft = fs::read_to_string(&drafts[0]).expect("a draft");
        assert!(draft.contains("To: \"Ada Quill\" <ada@example.org>") && draft.contains("X-Unsent: 1"), "{draft}");
        assert!(!draft.contains('\u{1b}') && draft.contains("In-Reply-To: <reply-1@example.org>"), "{draft}");
        assert!(draft.contains("c4-c5"), "it lists what would be legal: {draft}");
        assert!(outbox(&session).is_empty(), "nothing is sent");
    }
}

#[test]
fn replies_of_strangers_programs_and_the_past_are_not_entries() {
    let text = reply(1, "c4-c5");
    for (name, message, here) in [
        ("a stranger", text.replace("ada@example.org", "mallory@example.com"), 1),
        ("the receiver", text.replace("ada@example.org", "bram@example.net"), 1),
        ("an older letter", reply(1, "d4-d5"), 4),
        ("a later letter", reply(5, "c4-c5"), 1),
        ("not due", reply(2, "d4-d5"), 2),
        ("another game", text.replace("mail01", "mail09"), 1),
        ("an answering machine", text.replace("Date:", "Auto-Submitted: auto-replied\nDate:"), 1),
        ("two senders", text.replace("ada@example.org>", "ada@example.org>, m@example.com"), 1),
    ] {
        let session = bram(here);
        let done = plain(&session, &message);
        assert_eq!(done.code, 0, "{name}: {}", done.err);
        assert_eq!(session.read(GAME_FILE), record(here), "{name}");
        assert!(drafts(&session).is_empty() && outbox(&session).is_empty(), "{name}");
        assert!(!done.out.contains("entered"), "{name}: {}", done.out);
    }
}

#[test]
fn in_a_sealed_game_nobody_enters_anything_for_another() {
    let (ada, bram, letter) = challenge();
    bram.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    let before = bram.read("games/b.pbem");
    let message = "From: ada@example.org\nSubject: Re: [pbem] assassyn-answers #2\n\nresign\n";
    let done = bram.feed(&["receive", "--plain"], message.as_bytes());
    assert!(done.err.contains("sealed or signed"), "{}{}", done.out, done.err);
    assert_eq!(bram.read("games/b.pbem"), before);
    drop(ada);
}

#[test]
fn the_message_id_in_the_remark_is_a_strangers_and_tamed() {
    let session = bram(1);
    let message = reply(1, "c4-c5").replace("<reply-1@example.org>", "<a b\u{1b}[2J@x>");
    plain(&session, &message).ok();
    let text = session.read(GAME_FILE);
    assert!(text.contains("# entry 2 from the letter without a Message-ID of ada@example.org\n"), "{text}");
    // A record beside a reply is what counts.
    let session = bram(1);
    let both = letter(&record(2));
    assert!(plain(&session, &both).ok().contains("accepted: 2 besiegers c4-c5"));
}
