//! The key that the dice of open games come from, under faults: it is whole or not there, and what a letter has promised is thrown.

use std::fs;

use super::{Later, Scenario};
use crate::dice_by_mail::{FILE, ID, home, newest};
use crate::session::Session;

/// The key, which is whole if it is there.
fn key(session: &Session) -> Option<String> {
    let text = fs::read_to_string(session.path("home/data/dice.key")).ok()?;
    let is_whole = text.trim().len() == 64 && text.trim().bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_whole, "a key that is cut off: {text:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(session.path("home/data/dice.key")).expect("a key").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    Some(text)
}

/// What a letter says of the number that is to be thrown from.
fn promised(shown: &str) -> Option<String> {
    let shown = shown.replace("=\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = shown.split_once("The SHA-256 of that number is ")?;
    rest.get(..64).map(str::to_owned)
}

#[test]
fn a_key_for_dice_is_whole_or_not_there_under_any_fault() {
    let before = home();
    let arguments = ["send", FILE, "-n", "--letter", "text"];
    let _ = fs::remove_file(before.path("home/data/dice.key"));
    Scenario {
        name: "send -n with dice",
        before: &before,
        arguments: &arguments,
        input: b"",
        after: &|session, ran| {
            let there = key(session);
            if let Some(shown) = promised(&ran.out) {
                assert!(there.is_some(), "it has promised a number that nobody has");
                assert_eq!(promised(&session.run_later(&arguments).ok()), Some(shown));
            }
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            assert!(key(session).is_some() && promised(&ran.out).is_some(), "{}", ran.out);
        },
    }
    .run();
}

#[test]
fn a_throw_by_a_reply_is_made_once_under_any_fault() {
    let before = home();
    let shown = before.run_later(&["send", FILE, "-n", "--letter", "text"]).ok();
    let (promise, old) = (promised(&shown).expect("a promise"), before.read(FILE));
    let message = format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: [pbem] {ID} #1\nDate: Sun, 22 Nov 2026 09:00:00 +0000\nMessage-ID: <r1@example.org>\nIn-Reply-To: {}\n\naccept\n",
        newest(&before)
    );
    let whole = |text: &str| text.contains("2 black accept roll ") && text.contains(&format!("SHA-256 {promise};"));
    Scenario {
        name: "receive with dice",
        before: &before,
        arguments: &["receive"],
        input: message.as_bytes(),
        after: &|session, ran| {
            let text = session.read(FILE);
            assert!(text == old || whole(&text), "{text}");
            if ran.code == Some(0) {
                assert!(whole(&text), "0 is a lie: {}", ran.err);
            }
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            let text = session.read(FILE);
            assert!(whole(&text) && text.matches("# dice of entry").count() == 1, "{text}");
        },
    }
    .run();
}
