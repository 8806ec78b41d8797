//! What the program answers on its own, and replies from opponents without it.
#![cfg(unix)]

#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use std::fs;
use std::path::PathBuf;

use crate::letters::{GAME_FILE, ID, bram, letter, receive, record};
use crate::session::{Done, Session};

/// The letters in an outbox, sorted by name.
fn outbox(session: &Session) -> Vec<PathBuf> {
    let mut list: Vec<_> = fs::read_dir(session.path("home/data/outbox"))
        .map(|entries| entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect())
        .unwrap_or_default();
    list.sort();
    list
}

/// The letters in an outbox, which are removed from it.
fn taken(session: &Session) -> Vec<String> {
    let letters = outbox(session);
    letters
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).expect("a letter");
            fs::remove_file(path).expect("it is delivered");
            text
        })
        .collect()
}

/// What a command printed, below a line that says what it was given.
fn told(session: &Session, given: &str, done: &Done) -> String {
    let text = format!("## {}\n? {}\n{}{}\n", given.trim().replace('\n', " / "), done.code, done.out, done.err);
    text.replace(&session.folder.path().display().to_string(), "FOLDER")
}

/// The subject and the text of a letter.
fn readable(letter: &str) -> String {
    let message = mail_parser::MessageParser::default().parse(letter.as_bytes()).expect("a message");
    let text = message.body_text(0).expect("a text").replace("\r\n", "\n");
    format!("Subject: {}\n\n{text}\n", message.subject().expect("a subject"))
}

/// A game in which both deployments have just been sealed: Ada's is to be opened, then Bram's, without any choice.
/// Returns both sessions, and Bram's letter.
fn sealed() -> (Session, Session, String) {
    let (ada, bram) = (Session::new(), Session::new());
    for (session, address) in [(&ada, "ada@example.org"), (&bram, "bram@example.net")] {
        session.write("home/settings.yaml", format!("email: {address}\ngames: ../games\n"));
    }
    fs::create_dir(ada.path("games")).expect("a folder");
    ada.run(&[
        "new",
        "assassyn",
        "--id",
        "assassyn-answers",
        "--player",
        "white=Ada <ada@example.org>",
        "--player",
        "black=Bram <bram@example.net>",
        "--option",
        "deployment=sealed",
        "-o",
        "games/a.pbem",
    ])
    .ok();
    ada.run(&["move", "games/a.pbem", "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2", "--send"]).ok();
    let [letter] = &taken(&ada)[..] else { panic!("one letter") };
    assert!(bram.feed(&["receive"], letter.as_bytes()).ok().contains("you are invited"));
    bram.run(&["accept", "assassyn-answers", "-o", "games/b.pbem"]).ok();
    bram.run(&["move", "games/b.pbem", "deploy Pf6 We5 Lc6 Ld5 Sb6 Sd6 Aa5", "--send"]).ok();
    let [letter] = &taken(&bram)[..] else { panic!("one letter") };
    (ada, bram, letter.clone())
}

#[test]
fn a_forced_entry_is_answered_and_sent_in_the_same_run() {
    let (ada, bram, letter) = sealed();
    assert!(!letter.contains("Auto-Submitted"));
    let said = ada.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    assert!(said.contains("accepted: 2 black seal:") && said.contains("answered: 3 white deploy Pa1"), "{said}");
    let [answer] = &taken(&ada)[..] else { panic!("one letter") };
    assert!(answer.contains("Auto-Submitted: auto-replied\r\n"), "{answer}");
    let record = ada.read("games/a.pbem");
    // The same letter again, and one's own answer, have no effect.
    for message in [&letter, answer] {
        let said = ada.feed(&["receive", "--answer"], message.as_bytes()).ok();
        assert!(said.contains("nothing new") && !said.contains("answered"), "{said}");
    }
    assert_eq!((ada.read("games/a.pbem"), outbox(&ada).len()), (record.clone(), 0));
    // A program answers a program with what the game forces, and it ends there: the turn that follows is the player's.
    let said = bram.feed(&["receive", "--answer"], answer.as_bytes()).ok();
    assert!(said.contains("accepted: 3 white") && said.contains("answered: 4 black deploy Pf6"), "{said}");
    let [answer] = &taken(&bram)[..] else { panic!("one letter") };
    assert!(answer.contains("Auto-Submitted: auto-replied\r\n"), "{answer}");
    let said = ada.feed(&["receive", "--answer"], answer.as_bytes()).ok();
    assert!(said.contains("accepted: 4 black") && !said.contains("answered"), "{said}");
    assert!(outbox(&ada).is_empty());
    assert_eq!(ada.read("games/a.pbem"), bram.read("games/b.pbem"));
    assert!(ada.read("games/a.pbem").starts_with(&record));
}

#[test]
fn an_answer_that_was_written_and_not_sent_is_sent_when_the_letter_comes_again() {
    let (ada, _bram, letter) = sealed();
    let settings = ada.read("home/settings.yaml");
    let said = ada.feed(&["receive"], letter.as_bytes()).ok();
    assert!(
        said.contains("accepted: 2 black") && !said.contains("answered"),
        "nothing is answered unless asked: {said}"
    );
    assert!(outbox(&ada).is_empty());
    // Interrupted between writing and sending: the promise remains, as it does when the mail program is killed.
    ada.write(
        "home/settings.yaml",
        settings.clone() + "mail: {transport: sendmail, command: [sh, -c, \"kill -9 $PPID\"]}\n",
    );
    let mut command = ada.command(&["receive", "--answer"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("started");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), letter.as_bytes()).expect("written");
    assert_eq!(child.wait().expect("it ends").code(), None, "killed");
    let record = ada.read("games/a.pbem");
    assert!(record.contains("\n3 white deploy"), "{record}");
    // A mail system that does not accept it is a temporary problem.
    ada.write("home/settings.yaml", settings.clone() + "mail: {transport: sendmail, command: [\"false\"]}\n");
    assert_eq!(ada.feed(&["receive", "--answer"], letter.as_bytes()).code, 75);
    ada.write("home/settings.yaml", &settings);
    ada.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    assert_eq!((ada.read("games/a.pbem"), taken(&ada).len()), (record, 1));
    ada.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    assert!(outbox(&ada).is_empty());
}

#[test]
fn a_foreseen_entry_is_answered_but_never_to_a_program() {
    let by_program = letter(&record(2)).replace("Date:", "Auto-Submitted: auto-replied\nDate:");
    for (message, answers) in [(letter(&record(2)), true), (by_program, false)] {
        let session = bram(1);
        session.run(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
        let said = receive(&session, &["--answer"], message.as_bytes()).ok();
        assert!(said.contains("accepted: 2 besiegers c4-c5"), "{said}");
        assert_eq!(said.contains("answered: 3 defenders c6-d6; huff d6"), answers, "{said}");
        assert_eq!(outbox(&session).len(), usize::from(answers));
        let entries = if answers { 3 } else { 2 };
        assert!(session.run(&["verify", GAME_FILE]).ok().contains(&format!("{entries} entries")));
        // The reply is made once.
        receive(&session, &["--answer"], message.as_bytes()).ok();
        assert!(session.run(&["verify", GAME_FILE]).ok().contains(&format!("{entries} entries")));
    }
}

/// A reply of Ada's without a record, to the newest letter of the game up to an entry.
fn reply(to_entry: usize, text: &str) -> String {
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #{to_entry} defenders: place c6 \
         e6\nDate: Sun, 22 Nov 2026 08:02:11 +0000\nMessage-ID: <reply-{to_entry}@example.org>\n\n{text}\n"
    )
}

const SETTINGS: &str = "name: Bram Post\nemail: bram@example.net\ngames: ../games\n";

/// Bram's home, in which answers are drafted and not sent.
fn drafting(entries: usize) -> Session {
    let session = bram(entries);
    session.write("home/settings.yaml", SETTINGS.to_owned() + "mail: {plain-replies: draft}\n");
    session
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
    session.write("home/settings.yaml", SETTINGS.to_owned() + "mail: {plain-replies: off}\n");
    assert!(receive(&session, &[], message.as_bytes()).ok().contains("no record"), "not where the settings say so");
    session.write("home/settings.yaml", SETTINGS);
    let said = receive(&session, &[], message.as_bytes()).ok();
    assert!(said.contains("entered for the besiegers: 2 besiegers c4-c5 @2026-11-22T08:02:11Z"), "{said}");
    let expected = record(1)
        + "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n# entry 2 from the letter <reply-1@example.org> of ada@example.org\n";
    assert_eq!(session.read(GAME_FILE), expected);
    session.run(&["verify", GAME_FILE]).ok();
    // The same reply again is recognised.
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
        // What the prompt of `move` accepts is accepted here, and no more.
        assert!(taken, "{name}: {}{}", done.out, done.err);
        // What is accepted here is accepted at the prompt of `move`.
        if !text.trim().contains('\n') {
            bram(1).run(&["move", "-n", GAME_FILE, text.trim(), "--at", "2026-11-22T08:02:11Z"]).ok();
        }
    }
    let flowed = reply(1, "c4-c5 \n\n> d4-d5").replace("\n\n", "\nContent-Type: text/plain; format=flowed\n\n");
    let session = bram(1);
    plain(&session, &flowed.replacen("\nContent-Type: text/plain; format=flowed\n\n> d4", "\n\n> d4", 1)).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @"));
    let html =
        reply(1, "<p>c4-c5</p><blockquote>d4-d5</blockquote>").replacen("\n\n", "\nContent-Type: text/html\n\n", 1);
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
        reply(7, "c4-c5").replacen(
            "Subject: Re: [pbem] asalto",
            &format!("In-Reply-To: {id}\nSubject: my move, asalto"),
            1,
        )
    };
    let other = id.replace(".1.", ".2.");
    let done = plain(&session, &answering(&other));
    assert!(done.err.contains("no record is attached"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), record(1));
    assert!(plain(&session, &answering(id)).ok().contains("entered for the besiegers"));
}

#[test]
fn a_reply_that_is_no_legal_entry_gets_a_draft_that_is_never_sent() {
    let mut all = String::new();
    for text in ["b4-a4", "> c4-c5", "c4-c5\nd4-d5", "c4-c5?", "Wait! c4-c5 was a mistake in my head", "draw?"] {
        let session = drafting(1);
        let done = plain(&session, &reply(1, text));
        all += &told(&session, text, &done);
        assert_eq!(session.read(GAME_FILE), record(1));
        let drafts = drafts(&session);
        assert_eq!(drafts, [session.path(&format!("home/data/outbox/drafts/{ID}.2.eml"))]);
        let draft = fs::read_to_string(&drafts[0]).expect("a draft");
        assert!(draft.contains("To: \"Ada Quill\" <ada@example.org>") && draft.contains("X-Unsent: 1"), "{draft}");
        assert!(!draft.contains('\u{1b}') && draft.contains("In-Reply-To: <reply-1@example.org>"), "{draft}");
        all += &readable(&draft);
        assert!(outbox(&session).is_empty(), "nothing is sent");
    }
    insta::assert_snapshot!("no_legal_entry", all);
}

#[test]
fn replies_of_strangers_programs_and_the_past_are_not_entries() {
    let text = reply(1, "c4-c5");
    let mut all = String::new();
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
        let session = drafting(here);
        all += &told(&session, name, &plain(&session, &message));
        assert_eq!(session.read(GAME_FILE), record(here), "{name}");
        let is_asked = name == "not due";
        assert!(drafts(&session).is_empty() != is_asked && outbox(&session).is_empty(), "{name}");
    }
    insta::assert_snapshot!("no_entries", all);
}

#[test]
fn in_a_sealed_game_nobody_makes_an_entry_for_another_player() {
    let (ada, _bram, letter) = sealed();
    ada.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    let before = ada.read("games/a.pbem");
    let message = "From: bram@example.net\nSubject: Re: [pbem] assassyn-answers #3\n\nresign\n";
    let done = ada.feed(&["receive", "--plain"], message.as_bytes());
    assert!(done.err.contains("sealed or signed"), "{}{}", done.out, done.err);
    assert_eq!(ada.read("games/a.pbem"), before);
}

#[test]
fn the_message_id_in_the_remark_is_a_strangers_and_tamed() {
    let session = bram(1);
    let message = reply(1, "c4-c5").replace("<reply-1@example.org>", "<a b\u{1b}[2J@x>");
    plain(&session, &message).ok();
    let text = session.read(GAME_FILE);
    assert!(text.contains("# entry 2 from the letter without a Message-ID of ada@example.org\n"), "{text}");
    // If there is a record with a reply, the record counts.
    let session = bram(1);
    let both = letter(&record(2));
    assert!(plain(&session, &both).ok().contains("accepted: 2 besiegers c4-c5"));
}

#[test]
fn e3_a_reply_from_the_future_binds_no_later_entry() {
    let mut all = String::new();
    for (year, month) in [("2099", "Nov"), ("2026", "Dec")] {
        let session = bram(1);
        let done = plain(&session, &reply(1, "c4-c5").replace("Nov 2026", &format!("{month} {year}")));
        all += &told(&session, &format!("a letter of {month} {year}"), &done);
        assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @2026-11-24T12:00:00Z\n"), "{}", done.err);
    }
    insta::assert_snapshot!("ahead_of_the_clock", all);
}

#[test]
fn nothing_is_entered_that_the_writer_did_not_mean() {
    let before = record(1);
    let html = |page: &str| reply(1, page).replace("\n\n", "\nContent-Type: text/html\n\n");
    let mut messages: Vec<String> = [
        "I will not play this:\nc4-c5",
        "On Sat, 21 Nov 2026 Bram Post wrote:\n\nc4-c5",
        "Am Sa., 21. Nov. 2026 um 11:00 Uhr schrieb Bram Post\n<bram@example.net>:\n\nc4-c5",
        "Von: Bram\nGesendet: heute\n\nc4-c5",
        "c4-c5 or d4-d5",
        "> c4-c5",
    ]
    .map(|text| reply(1, text))
    .into();
    messages.extend(
        [
            "<p><s>c4-c5</s></p>",
            "<div style=\"display:none\">c4-c5</div>",
            "<title>c4-c5</title><p hidden>c4-c5</p>",
            "<div class=\"yahoo_quoted\">c4-c5</div>",
            "<div>c4-</div><div>c5</div>",
        ]
        .map(html),
    );
    for header in ["Precedence: bulk", "X-Autoreply: yes", "Return-Path: <>", "Auto-Submitted: auto-replied"] {
        messages.push(format!("{header}\n{}", reply(1, "c4-c5")));
    }
    for message in messages {
        let session = bram(1);
        let done = plain(&session, &message);
        assert_eq!((done.code, session.read(GAME_FILE)), (0, before.clone()), "{message}\n{}", done.out);
    }
    let session = bram(1);
    plain(&session, &html("<div>c4-c5</div><div>bye</div>")).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @"));
}

#[test]
fn entries_of_both_sides_are_refused_if_the_players_side_is_unknown() {
    let session = bram(1);
    session.write("home/settings.yaml", "email: bram@work.example.net\ngames: ../games\n");
    let unknown = receive(&session, &[], letter(&record(3)).as_bytes());
    assert_eq!(session.read(GAME_FILE), record(1));
    let known = bram(1);
    let done = receive(&known, &[], letter(&record(3)).as_bytes());
    assert_eq!(known.read(GAME_FILE), record(1));
    let all = told(&session, "the side is not known", &unknown) + &told(&known, "the side is known", &done);
    insta::assert_snapshot!("of_both_sides", all);
}

#[test]
fn the_digest_in_the_subject_of_a_link_is_compared() {
    let session = drafting(1);
    session.run(&["send", GAME_FILE]).ok();
    let sent = fs::read_to_string(&outbox(&session)[0]).expect("a letter");
    let id = sent.lines().find_map(|line| line.strip_prefix("Message-ID: ")).expect("an id").trim();
    let digest = id.split('@').next().unwrap().rsplit('.').next().unwrap();
    let tapped =
        |digest: &str| reply(1, "c4-c5").replace(&format!("Re: [pbem] {ID} #1"), &format!("[pbem] {ID} #1 {digest}"));
    assert!(tapped(digest).contains(digest));
    let other = receive(&session, &[], tapped("0123456789abcdef").as_bytes());
    assert_eq!(session.read(GAME_FILE), record(1));
    let draft = fs::read_to_string(&drafts(&session)[0]).expect("a draft");
    let fits = receive(&session, &[], tapped(digest).as_bytes());
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5 @"), "{}", fits.err);
    let all = told(&session, "another digest", &other) + &readable(&draft) + &told(&session, "its digest", &fits);
    insta::assert_snapshot!("digest_of_a_link", all);
}

#[test]
fn with_answer_questions_are_sent_and_never_without_end() {
    let session = bram(1);
    session.write("home/settings.yaml", SETTINGS.to_owned() + "mail: {plain-replies: answer}\n");
    let at = |time: &str, message: &str| {
        let mut child = session.command(&["receive"]);
        child.env("POSTRIDER_NOW", time);
        crate::letters::run(child, message.as_bytes())
    };
    let unclear = reply(1, "c4-c5 or d4-d5");
    let auto = unclear.replace("Date:", "Auto-Submitted: auto-replied\nDate:");
    assert_eq!(at("2026-11-23T12:00:00Z", &auto).code, 0);
    assert!(outbox(&session).is_empty(), "a program is never asked");
    let done = at("2026-11-23T12:00:00Z", &unclear);
    assert!(done.err.contains("a reply saying so was written to"), "{}{}", done.out, done.err);
    let letters = outbox(&session);
    let text = fs::read_to_string(&letters[0]).expect("a letter");
    assert!(text.contains("Auto-Submitted: auto-replied") && text.contains("which of them is your move"), "{text}");
    assert!(!text.contains("X-Unsent"), "{text}");
    assert!(text.contains("In-Reply-To: <reply-1@example.org>"), "{text}");
    // Again within the hour: a draft. Later it is asked again, three times in total.
    let again = at("2026-11-23T12:10:00Z", &unclear);
    assert!(again.err.contains("drafted"), "{}", again.err);
    for (time, sends) in [("14:00", true), ("16:00", true), ("18:00", false), ("23:00", false)] {
        let done = at(&format!("2026-11-23T{time}:00Z"), &unclear);
        assert_eq!(done.err.contains("was written to"), sends, "{time}: {}", done.err);
    }
}

#[test]
fn a_reply_dated_before_what_it_answers_is_entered_and_remarked_on() {
    let session = bram(1);
    let done = receive(&session, &[], reply(1, "c4-c5").replace("22 Nov 2026", "20 Nov 2026").as_bytes());
    insta::assert_snapshot!("dated_before", told(&session, "a letter of two days before", &done));
    let text = session.read(GAME_FILE);
    assert!(text.contains("\n2 besiegers c4-c5 @2026-11-24T12:00:00Z\n"), "{text}");
}

#[test]
fn unreadable_mail_is_reported_with_what_to_ask_for() {
    let part = |kind: &str, body: &str| {
        format!(
            "From: ada@example.org\nSubject: Re: [pbem] {ID} #1\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
             Content-Type: text/plain\n\n{body}\n--b\nContent-Type: {kind}\n\nabc\n--b--\n"
        )
    };
    let pasted = format!("Here is the game:\n\n{}", record(2)).replace("c4-c5", "b4-a4");
    let mut all = String::new();
    for (name, message) in [
        ("nothing but winmail.dat", part("application/ms-tnef; name=winmail.dat", "")),
        ("winmail.dat", part("application/octet-stream; name=winmail.dat", "see attachment")),
        ("S/MIME", part("application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", "")),
        ("an archive", part("application/octet-stream; name=game.pbem.zip", "as you wished")),
        ("PGP", part("application/pgp-encrypted", "-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----")),
        ("an illegal record in the text", part("text/plain", &pasted)),
    ] {
        let session = bram(1);
        all += &told(&session, name, &receive(&session, &[], message.as_bytes()));
        assert_eq!(session.read(GAME_FILE), record(1));
        // In unrelated letters it is of no interest.
        let other = receive(&session, &[], message.replace("mail01", "mail77").as_bytes());
        assert!(!other.err.contains("ask"), "{}", other.err);
    }
    insta::assert_snapshot!("unreadable", all);
    // A picture beside a move, or an archive, does not hide the move.
    let session = bram(1);
    receive(&session, &[], part("application/zip; name=a.zip", "c4-c5").as_bytes()).ok();
    assert!(session.read(GAME_FILE).contains("\n2 besiegers c4-c5"));
}

/// A message with other header lines.
fn with(message: &str, id: &str, date: &str) -> String {
    message.replace("<reply-1@example.org>", &format!("<{id}@example.org>")).replace("22 Nov 2026 08:02:11", date)
}

#[test]
fn until_the_owner_has_answered_the_writer_may_correct_what_was_entered() {
    let session = bram(1);
    receive(&session, &[], reply(1, "c4-c5").as_bytes()).ok();
    let entered = session.read(GAME_FILE);
    assert!(entered.contains("\n2 besiegers c4-c5 @"), "{entered}");
    let correction = with(&reply(1, "sorry, I meant d4-d5"), "second", "22 Nov 2026 09:00:00");
    let mut all = told(&session, "a correction", &receive(&session, &[], correction.as_bytes()));
    let corrected = session.read(GAME_FILE);
    assert!(corrected.contains("\n2 besiegers d4-d5 @") && !corrected.contains("besiegers c4-c5"), "{corrected}");
    assert!(corrected.contains("# entry 2 from the letter <second@example.org> of ada@example.org, in place of c4-c5"));
    session.run(&["verify", GAME_FILE]).ok();
    assert!(!session.run(&["show", GAME_FILE]).ok().contains("rewritten"));
    // Neither letter does anything when it is read again, and an older one corrects nothing.
    for (name, message) in [
        ("the first letter again", reply(1, "c4-c5")),
        ("the correction again", correction),
        ("an older letter", with(&reply(1, "d4-e5"), "third", "22 Nov 2026 08:30:00")),
        // What is only mentioned corrects nothing either.
        ("a doubt", with(&reply(1, "should I have played d4-e5?"), "fourth", "22 Nov 2026 10:00:00")),
    ] {
        all += &told(&session, name, &receive(&session, &[], message.as_bytes()));
        assert_eq!(session.read(GAME_FILE), corrected, "{message}");
    }
    // Once the owner has answered, it stands.
    session.run(&["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T12:00:00Z"]).ok();
    let answered = session.read(GAME_FILE);
    let late = with(&reply(1, "sorry, I meant d4-e5"), "fifth", "22 Nov 2026 13:00:00");
    all += &told(&session, "a correction too late", &receive(&session, &[], late.as_bytes()));
    assert_eq!(session.read(GAME_FILE), answered);
    insta::assert_snapshot!("corrections", all);
}

#[test]
fn a_receipt_goes_out_where_an_entry_was_read_from_words_or_the_game_ended() {
    let mut all = String::new();
    for (text, receipted) in [
        ("c4-c5", false),
        ("Hi Bram,\nc4-c5\nAda", false),
        ("I move from c4 to c5", true),
        ("c4-c5\nThe weather is awful.", true),
        ("I resign. Well played!", true),
    ] {
        let session = bram(1);
        let answers = "In-Reply-To: <asalto-20261121-mail01.1.5a415b6cace8c907@postrider.invalid>\n";
        all += &told(&session, text, &receive(&session, &[], (answers.to_owned() + &reply(1, text)).as_bytes()));
        let letters = outbox(&session);
        assert_eq!(letters.len(), usize::from(receipted), "{text}");
        for letter in letters {
            let letter = fs::read_to_string(letter).expect("a letter");
            assert!(letter.contains("In-Reply-To: <reply-1@example.org>"), "{letter}");
            all += &readable(&letter);
        }
    }
    insta::assert_snapshot!("receipts", all);
}

#[test]
fn a_reply_that_costs_a_defender_is_told_so() {
    let mut all = String::new();
    for (text, is_told) in [("c6-d6", true), ("c6xc4", false), ("c6-d6; huff d6", false)] {
        let session = bram(1);
        let record = record(2);
        session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
        session.write(GAME_FILE, &record);
        let desk = postrider_referee::desk::Desk::open(record.as_bytes()).expect("a record");
        let id = postrider_mail::message_id(ID, 2, desk.digests.last().expect("an entry"));
        let reply = format!(
            "From: Bram Post <bram@example.net>\nTo: ada@example.org\nSubject: Re: a game\nIn-Reply-To: {id}\n\
             Message-ID: <reply-3@example.net>\nDate: Sun, 22 Nov 2026 20:40:00 +0000\n\n{text}\n"
        );
        all += &told(&session, text, &receive(&session, &[], reply.as_bytes()));
        assert!(session.read(GAME_FILE).contains("\n3 defenders c6"), "{text}: {}", session.read(GAME_FILE));
        let letters = taken(&session);
        assert_eq!(letters.len(), usize::from(is_told), "{text}");
        letters.iter().for_each(|letter| all += &readable(letter));
    }
    insta::assert_snapshot!("a_reply_that_costs", all);
}

#[test]
fn a_reply_in_a_signed_or_sealed_game_is_answered() {
    let (ada, _bram, letter) = sealed();
    ada.feed(&["receive", "--answer"], letter.as_bytes()).ok();
    let _ = taken(&ada);
    let before = ada.read("games/a.pbem");
    let message = "From: bram@example.net\nSubject: Re: [pbem] assassyn-answers #3\nMessage-ID: <m@x.y>\n\nLd5-d4\n";
    let done = ada.feed(&["receive"], message.as_bytes());
    assert_eq!(ada.read("games/a.pbem"), before);
    let [answer] = &taken(&ada)[..] else { panic!("one letter") };
    // Below them stands the game, with seals that differ from run to run.
    let answer = readable(answer);
    let (words, _) = answer.split_once("\n\nassassyn-answers  ").expect("the game below the words");
    let mut all = format!("{}{words}\n\n", told(&ada, "a move", &done));
    // Talk is shown, and not answered.
    let talk = message.replace("Ld5-d4", "How are you?");
    all += &told(&ada, "talk", &ada.feed(&["receive"], talk.as_bytes()));
    // What a stranger says is no business of the game.
    let strange = talk.replace("bram@example.net", "mallory@example.org");
    all += &told(&ada, "talk of a stranger", &ada.feed(&["receive"], strange.as_bytes()));
    assert!(outbox(&ada).is_empty());
    insta::assert_snapshot!("words_in_a_sealed_game", all);
}

#[test]
fn a_move_beside_the_old_record_is_read() {
    let session = bram(1);
    let body = data_encoding::BASE64.encode(record(1).as_bytes());
    let message = format!(
        "From: Ada Quill <ada@example.org>\nSubject: Re: [pbem] {ID} #1\nDate: Sun, 22 Nov 2026 08:02:11 +0000\nMessage-ID: <r@x.y>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nc4-c5\n--b\n\
         Content-Type: text/plain; name={ID}.pbem\nContent-Transfer-Encoding: base64\n\n{body}\n--b--\n"
    );
    let done = receive(&session, &[], message.as_bytes());
    assert!(done.out.contains("entered for the besiegers: 2 besiegers c4-c5"), "{}{}", done.out, done.err);
}

#[test]
fn an_answer_to_a_plain_reply_stays_in_its_thread() {
    let session = bram(1);
    receive(&session, &[], reply(1, "c4-c5").as_bytes()).ok();
    session.run(&["move", GAME_FILE, "c6-d6; huff d6", "--send", "--at", "2026-11-22T12:00:00Z"]).ok();
    let [letter] = &taken(&session)[..] else { panic!("one letter") };
    assert!(letter.contains("In-Reply-To: <reply-1@example.org>"), "{letter}");
    let subject = "Subject: Re: Bram Post invites you to a game of Asalto [pbem] asalto-20261121-mail01 #1 ";
    assert!(letter.replace("\r\n", " ").replace("  ", " ").contains(subject), "{letter}");
    assert!(letter.replace("=\r\n", "").contains("Entry 3, by the defenders: c6-d6"), "{letter}");
    // A reply that only the subject places is one to the newest letter of the thread.
    let next = with(&reply(1, "e4-e5"), "next", "23 Nov 2026 08:00:00");
    let done = receive(&session, &[], next.as_bytes());
    assert!(done.out.contains("4 besiegers e4-e5"), "{}{}", done.out, done.err);
}

#[test]
fn a_home_that_plays_no_side_takes_both_and_writes_in_nobodys_name() {
    let session = drafting(1);
    session.write("home/settings.yaml", "name: Cleo\nemail: cleo@example.com\ngames: ../games\n");
    session.run(&["own", GAME_FILE, "nobody"]).ok();
    assert!(receive(&session, &[], reply(1, "c4-c5").as_bytes()).ok().contains("2 besiegers c4-c5"));
    let second = with(&reply(2, "c6-d6"), "second", "22 Nov 2026 20:40:00")
        .replace("Ada Quill <ada@example.org>", "bram@example.net");
    assert!(receive(&session, &[], second.as_bytes()).ok().contains("3 defenders c6-d6; huff d6"));
    let unclear = with(&reply(3, "e4-e5 or d4-d5"), "third", "23 Nov 2026 08:00:00");
    let done = receive(&session, &[], unclear.as_bytes());
    assert!(done.err.contains("refused"), "{}{}", done.out, done.err);
    // What Bram's move costs was told him, and Ada is asked.
    let letters = taken(&session);
    assert_eq!(letters.len(), 2, "{letters:?}");
    for letter in letters {
        let from = ["From: \"Cleo\" <cleo@example.com>", "From: Cleo <cleo@example.com>"];
        assert!(from.iter().any(|from| letter.contains(from)) && letter.contains("keeps Cleo's record"), "{letter}");
    }
    // Nothing is sent in a player's name.
    let said = session.run(&["send", GAME_FILE]).fails(2);
    assert!(said.contains("neither side"), "{said}");
}

#[test]
fn a_draft_can_be_sent() {
    let session = drafting(1);
    receive(&session, &[], reply(1, "c4-c5 or d4-d5").as_bytes()).ok();
    assert!(outbox(&session).is_empty());
    assert_eq!(drafts(&session).len(), 1);
    session.run(&["send", "--draft", GAME_FILE]).ok();
    assert!(drafts(&session).iter().all(|path| path.extension().is_none_or(|kind| kind != "eml")));
    let [letter] = &taken(&session)[..] else { panic!("one letter") };
    assert!(letter.contains("Auto-Submitted: ") && letter.contains("In-Reply-To: <reply-1@example.org>"), "{letter}");
    assert!(letter.contains("To: \"Ada Quill\" <ada@example.org>") && letter.contains("image/png"), "{letter}");
    assert!(session.run(&["send", "--draft", GAME_FILE]).fails(2).contains("no draft"));
}
