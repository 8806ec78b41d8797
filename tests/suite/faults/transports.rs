//! The ways in which letters are sent and received, with faults: a program, a mail server, a mailbox on one.

use std::cell::Cell;

use super::injector::{self, Ran};
use super::{Later, Scenario, with_settings};
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::mail_support::{self, Manners};
use crate::receive_imap;
use crate::session::Session;

/// A copy that arrives in spite of everything is the same letter, by its Message-ID, and is reported.
fn copies_are_told(letters: &[String], again: &Ran) {
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(!letters.is_empty(), "lost");
    let id = |letter: &String| letter.lines().find(|line| line.starts_with("Message-ID")).map(str::to_owned);
    assert!(id(&letters[0]).is_some() && letters.iter().all(|letter| id(letter) == id(&letters[0])));
    if letters.len() > 1 {
        assert!(again.err.contains("may have sent it too"), "doubled silently: {}", again.err);
    }
}

#[test]
fn a_program_that_sends_is_given_a_letter_once_under_any_fault() {
    let script = "mail: {transport: sendmail, command: [sh, -c, 'cat > sent.$$ && mv sent.$$ sent.$$.eml']}\n";
    let before = with_settings(bram(3), script);
    let sent = |session: &Session| -> Vec<String> {
        let names = injector::files(session.folder.path()).into_iter().filter(|name| name.ends_with(".eml"));
        names.map(|name| session.read(&name)).collect()
    };
    Scenario {
        name: "send, by a program",
        before: &before,
        arguments: &["send", GAME_FILE],
        input: b"",
        after: &|session, ran| {
            std::thread::sleep(std::time::Duration::from_millis(30));
            assert!(ran.code != Some(0) || sent(session).len() == 1, "0 is a lie: {}", ran.err);
        },
        again: &|session, ran| copies_are_told(&sent(session), ran),
    }
    .run();
}

#[test]
fn a_mail_server_is_given_a_letter_once_under_any_fault() {
    let server = mail_support::Server::start(Manners::default());
    let settings =
        format!("mail:\n  transport: smtp\n  host: 127.0.0.1\n  port: {}\n  tls: none\n  timeout: 5\n", server.port);
    let old = record(2);
    for (name, entries, arguments) in [
        ("send, by a server", 3, &["send", GAME_FILE][..]),
        ("move --send, by a server", 2, &["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T20:40:00Z", "--send"]),
    ] {
        let before = with_settings(bram(entries), &settings);
        let (came, is_first) = (Cell::new(Vec::new()), Cell::new(true));
        let take = || {
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            server.take_letters().into_iter().map(text).collect::<Vec<String>>()
        };
        take();
        Scenario {
            name,
            before: &before,
            arguments,
            input: b"",
            after: &|session, ran| {
                let mut letters = take();
                if is_first.replace(false) {
                    // The one from the run without a fault, which was used to find the calls.
                    letters.remove(0);
                }
                assert!(letters.len() <= 1, "sent twice: {letters:?}");
                let text = session.read(GAME_FILE);
                assert!(text == old || text == record(3), "{text}");
                assert!(letters.is_empty() || text == record(3), "sent, and not in the record");
                assert!(ran.code != Some(0) || letters.len() == 1, "0 is a lie: {}", ran.err);
                came.set(letters);
            },
            again: &|session, ran| {
                assert_eq!(session.read(GAME_FILE), record(3));
                copies_are_told(&[came.take(), take()].concat(), ran);
            },
        }
        .run();
    }
    let _ = server.heard();
}

#[test]
fn a_mailbox_on_a_server_is_read_under_any_fault_or_tried_again() {
    let port = receive_imap::Server::mailbox(&["Subject: other\r\n\r\nhello\r\n".to_owned(), letter(&record(2))]);
    let settings = format!(
        "imap:\n  host: 127.0.0.1\n  port: {port}\n  tls: none\n  user: bram\n  password-command: [printf, 'pa\"ss word']\n  timeout: 5\n"
    );
    let before = with_settings(bram(1), &settings);
    let (old, new) = (record(1), record(2));
    Scenario {
        name: "receive --imap",
        before: &before,
        arguments: &["receive", "--imap"],
        input: b"",
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            assert!(text == old || text == new, "{text}");
            assert!(ran.code != Some(0) || text == new, "0, and the letter is lost: {}", ran.err);
            assert!(matches!(ran.code, None | Some(0 | 75)), "{:?}: {}", ran.code, ran.err);
            let told = format!("{}{}", ran.out, ran.err);
            assert!(!told.contains("ss word"), "the password is shown: {told}");
        },
        again: &|session, ran| {
            assert_eq!((session.read(GAME_FILE), ran.code), (new.clone(), Some(0)), "{}", ran.err);
            // Once more: nothing is left, and nothing is reported twice.
            let more = session.run_later(&["receive", "--imap"]);
            assert!(more.code == 0 && !more.out.contains("accepted: 2"), "{}{}", more.out, more.err);
        },
    }
    .run();
}
