//! Replies as mail programs send them: each one in `tests/data/replies` has its result.

use std::fs;
use std::sync::LazyLock;

use postrider_referee::desk::Desk;

use crate::letters::{GAME_FILE, ID, bram, receive, record};

/// The letter that brought the first entry.
static NEWEST: LazyLock<String> = LazyLock::new(|| {
    let source = record(1);
    let desk = Desk::open(source.as_bytes()).expect("a record");
    postrider_mail::message_id(ID, 1, desk.digests.last().expect("an entry"))
});

#[test]
fn replies_of_mail_programs_have_their_outcomes() {
    let text = fs::read_to_string("tests/data/replies/programs.txt").expect("the replies");
    let mut wrong = Vec::new();
    let cases: Vec<&str> = text.split("=== ").skip(1).collect();
    assert!(cases.len() >= 50, "{}", cases.len());
    for case in cases {
        let (title, message) = case.split_once('\n').expect("a title");
        let [name, outcome, _why] = title.split(" | ").collect::<Vec<_>>()[..] else { panic!("{title}") };
        let subject = format!("Subject: Re: [pbem] {ID} #1 defenders: place c6 e6\n");
        // A mail program refers to the letter that is answered.
        let subject = subject + "In-Reply-To: " + &NEWEST + "\n";
        let subject = if message.starts_with("Subject: ") { "" } else { &subject };
        let from = if message.contains("From: mallory") { "" } else { "From: Ada Quill <ada@example.org>\n" };
        let message = format!(
            "{from}To: bram@example.net\n{subject}Date: Sun, 22 Nov 2026 08:02:11 +0000\n\
             Message-ID: <{name}@example.org>\nMIME-Version: 1.0\n{message}"
        );
        let session = bram(1);
        let settings = session.read("home/settings.yaml");
        session.write("home/settings.yaml", settings + "mail: {plain-replies: draft}\n");
        let done = receive(&session, &[], message.as_bytes());
        let said = format!("{}{}", done.out, done.err);
        assert_eq!(done.code, 0, "{name}: {said}");
        let file = session.read(GAME_FILE);
        let drafted = session.path(&format!("home/data/outbox/drafts/{ID}.2.eml")).exists();
        let entered = file.strip_prefix(&record(1)).and_then(|new| new.lines().next()).unwrap_or_default();
        let is = match outcome.strip_prefix("entry ") {
            Some(expected) => {
                let (actions, message) = expected.split_once(" {").unwrap_or((expected, ""));
                let message = if message.is_empty() { String::new() } else { format!(" {{{message}") };
                entered == format!("2 besiegers {actions} @2026-11-22T08:02:11Z{message}") && !drafted
            }
            None => entered.is_empty() && drafted == (outcome == "asked"),
        };
        if !is {
            wrong.push(format!("{name}: expected {outcome}, got {entered:?}, drafted: {drafted}\n{said}"));
        }
        // Receiving it once more does nothing.
        let _ = receive(&session, &[], message.as_bytes());
        assert_eq!(session.read(GAME_FILE), file, "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
