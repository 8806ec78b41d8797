//! Every command with faults: killed before any system call, or with a call that fails. Whatever happens, no letter and
//! no entry is lost or made twice, nothing untrue is reported, and running the same command again puts everything
//! right.
//!
//! By default some of the faults are tried, evenly spread; with `POSTRIDER_FAULTS=all`, all of them.
#![cfg(target_os = "linux")]

mod announced;
mod crowds;
mod cuts;
mod dice;
mod disk;
mod full;
mod git;
mod hosts;
pub mod injector;
mod locks;
mod many;
mod once;
mod output;
mod transports;

use std::fs;

use crate::letters::{GAME_FILE, bram, letter, record};
use crate::session::{Done, Session};
use injector::{Call, Fault, Ran};

/// Runs the program at a time after all of the letters were written.
trait Later {
    fn command_later(&self, arguments: &[&str]) -> std::process::Command;
    fn feed_later(&self, arguments: &[&str], input: &[u8]) -> Done;

    fn run_later(&self, arguments: &[&str]) -> Done {
        self.feed_later(arguments, b"")
    }
}

impl Later for Session {
    fn command_later(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.command(arguments);
        command.env("POSTRIDER_NOW", "2026-11-23T20:00:00Z");
        command
    }

    fn feed_later(&self, arguments: &[&str], input: &[u8]) -> Done {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), input).expect("a file");
        let output = self.command_later(arguments).stdin(fs::File::open(file.path()).expect("a file")).output();
        let output = output.expect("it ends");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Done { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// How many faults are tried in a scenario by default.
const SOME: usize = 15;

/// What is tried: the files before, a command, and what must be true.
struct Scenario<'a> {
    name: &'a str,
    before: &'a Session,
    arguments: &'a [&'a str],
    input: &'a [u8],
    /// What must be true after the run with a fault.
    after: &'a dyn Fn(&Session, &Ran),
    /// What must be true after the same command again, without a fault.
    again: &'a dyn Fn(&Session, &Ran),
}

impl Scenario<'_> {
    fn copy(&self) -> Session {
        let session = Session::new();
        injector::copy(self.before.folder.path(), session.folder.path());
        session
    }

    /// Tries the faults, on both processors.
    fn run(&self) {
        if !injector::available() {
            return;
        }
        let (calls, ran) = injector::calls(&self.copy(), self.arguments, self.input);
        assert_eq!(ran.code, Some(0), "{}: {}{}", self.name, ran.out, ran.err);
        let all: Vec<(Call, Fault)> = calls
            .iter()
            .flat_map(|call| injector::faults(call).into_iter().map(|fault| (call.clone(), fault)))
            .collect();
        assert!(all.len() > 20, "{}: {} faults", self.name, all.len());
        let tried = injector::some(all, SOME, self.name.len());
        let only = std::env::var("POSTRIDER_FAULT").ok();
        for (call, fault) in &tried {
            let place = format!("{}: {fault:?} at {} {}: {}", self.name, call.name, call.number, call.shown);
            if only.as_ref().is_some_and(|only| !place.contains(only)) {
                continue;
            }
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.one(call, *fault)));
            if let Err(why) = outcome {
                eprintln!("**** {place}");
                std::panic::resume_unwind(why);
            }
        }
    }

    fn one(&self, call: &Call, fault: Fault) {
        let session = self.copy();
        let ran = injector::with_fault(&session, self.arguments, self.input, call, fault);
        assert!(!ran.err.contains("panicked") && ran.code != Some(101), "{}", ran.err);
        let shown = ran.err.replace(&*session.folder.path().to_string_lossy(), "");
        assert!(!shown.contains(".tmp"), "the name of a temporary file is shown: {}", ran.err);
        assert!(fault == Fault::Kill || ran.code.is_some(), "it was killed: {}", ran.err);
        if ran.code.is_some_and(|code| code != 0) {
            let told = !ran.err.is_empty() || !ran.out.is_empty() || call.shown.starts_with("write(2");
            assert!(told, "it ended with {:?} without a message", ran.code);
        }
        (self.after)(&session, &ran);
        let done = session.feed_later(self.arguments, self.input);
        let again = Ran { code: Some(done.code), out: done.out, err: done.err };
        let told = || format!("{}{}\nand before: {:?} {}{}", again.out, again.err, ran.code, ran.out, ran.err);
        assert!(!again.err.contains("panicked"), "{}", told());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (self.again)(&session, &again)));
        if let Err(why) = outcome {
            eprintln!("{}", told());
            std::panic::resume_unwind(why);
        }
        // A third run of any command that writes cleans up what the second was not allowed to touch.
        let left: Vec<_> =
            injector::files(session.folder.path()).into_iter().filter(|name| name.contains(".tmp")).collect();
        assert!(left.is_empty(), "left behind: {left:?}\n{}", told());
    }
}

/// The letters in the outbox.
fn letters(session: &Session) -> Vec<String> {
    let folder = session.path("home/data/outbox");
    let names = injector::files(&folder).into_iter().filter(|name| name.ends_with(".eml"));
    names.map(|name| fs::read_to_string(folder.join(name)).expect("a letter")).collect()
}

/// The record in a letter.
fn carried(letter: &str) -> String {
    let parsed = postrider_mail::incoming::read(letter.as_bytes());
    let [record] = &parsed.records[..] else { panic!("one record in {letter}") };
    String::from_utf8(record.to_vec()).expect("a record")
}

/// The record of a sealed game, whose first entry is due.
const SEALED_FILE: &str = "games/a.pbem";
/// The command that makes that entry.
const DEPLOY: [&str; 4] = ["move", SEALED_FILE, "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2", "--send"];

/// Ada's home with that game, and additional settings.
fn sealed(more: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("email: ada@example.org\ngames: ../games\n{more}"));
    fs::create_dir(session.path("games")).expect("a folder");
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let new = ["new", "assassyn", "--id", "assassyn-faults", "--option", "deployment=sealed", "-o", SEALED_FILE];
    session.run_later(&[&new[..], &players[..]].concat()).ok();
    session
}

fn with_settings(session: Session, more: &str) -> Session {
    let settings = session.read("home/settings.yaml");
    session.write("home/settings.yaml", settings + more);
    session
}

#[test]
fn a_move_that_is_sent_is_made_once_and_sent_under_any_fault() {
    let before = bram(2);
    let (old, new) = (record(2), record(3));
    Scenario {
        name: "move --send",
        before: &before,
        arguments: &["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T20:40:00Z", "--send"],
        input: b"",
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            assert!(text == old || text == new, "{text}");
            let letters = letters(session);
            // What was sent is in the record.
            assert!(letters.is_empty() || text == new);
            if ran.code == Some(0) {
                assert!(text == new && letters.len() == 1, "0 is a lie: {}", ran.err);
            }
            if ran.code.is_some_and(|code| code != 0) && text == new {
                let told = ran.err.contains("is in ") || ran.err.contains("safe in") || ran.err.contains("is written");
                assert!(told || ran.err.is_empty(), "it does not say that the entry is made: {}", ran.err);
            }
            if ran.err.contains("as it was") && ran.err.contains("ours.pbem:") {
                assert_eq!(text, old);
            }
        },
        again: &|session, ran| {
            assert_eq!(session.read(GAME_FILE), new);
            assert_eq!(ran.code, Some(0));
            let letters = letters(session);
            assert_eq!(letters.len(), 1);
            assert_eq!(carried(&letters[0]), new);
        },
    }
    .run();
}

#[test]
fn a_letter_is_accepted_or_tried_again_under_any_fault() {
    let before = bram(1);
    let (old, new) = (record(1), record(2));
    Scenario {
        name: "receive",
        before: &before,
        arguments: &["receive"],
        input: letter(&record(2)).as_bytes(),
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            assert!(text == old || text == new, "{text}");
            match ran.code {
                Some(0) => assert_eq!(text, new, "0, and the letter is lost: {}", ran.err),
                Some(75) | None => {}
                code => panic!("the letter would be returned: {code:?} {}", ran.err),
            }
            assert!(
                !session.path("home/data/invitations").exists()
                    || session.run_later(&["invitations"]).out == "no invitations\n"
            );
        },
        again: &|session, ran| {
            assert_eq!((session.read(GAME_FILE), ran.code), (new.clone(), Some(0)));
        },
    }
    .run();
}

#[test]
fn an_answer_is_made_and_sent_once_under_any_fault() {
    let before = bram(1);
    before.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
    let answered = |session: &Session| session.read(GAME_FILE).contains("\n3 defenders c6-d6");
    Scenario {
        name: "receive --answer",
        before: &before,
        arguments: &["receive", "--answer"],
        input: letter(&record(2)).as_bytes(),
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            assert!(text.starts_with(&record(1)), "{text}");
            assert!(letters(session).is_empty() || answered(session));
            match ran.code {
                Some(0) => assert!(answered(session) && letters(session).len() == 1, "dropped: {}", ran.err),
                Some(75) | None => {}
                code => panic!("the letter would be returned: {code:?} {}", ran.err),
            }
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            assert!(answered(session));
            let letters = letters(session);
            assert_eq!((letters.len(), carried(&letters[0])), (1, session.read(GAME_FILE)));
        },
    }
    .run();
}

#[test]
fn z35_a_receipt_is_made_and_mailed_once_under_any_fault() {
    use crate::countersigned::{self, FILE};
    let before = countersigned::brams(&countersigned::game(true, &crate::letters::GAME[..1]));
    let there = countersigned::game(true, &crate::letters::GAME[..2]);
    let whole = there.clone() + &countersigned::receipt(&there, "defenders", 2, &crate::signing::bram());
    Scenario {
        name: "receive --countersign",
        before: &before,
        arguments: &["receive", "--countersign"],
        input: letter(&there).as_bytes(),
        after: &|session, ran| match ran.code {
            Some(0) => {
                assert!(session.read(FILE) == whole && letters(session).len() == 1, "0, and no receipt: {}", ran.err);
            }
            Some(75) | None => {}
            code => panic!("the letter would be returned: {code:?} {}", ran.err),
        },
        again: &|session, ran| {
            assert_eq!((session.read(FILE), ran.code, letters(session).len()), (whole.clone(), Some(0), 1));
        },
    }
    .run();
}

#[test]
fn a_mailbox_is_read_whole_under_any_fault() {
    let before = bram(0);
    before.write("home/settings.yaml", "games: ../games\n");
    before.run_later(&["own", GAME_FILE, "nobody"]).ok();
    let mbox: String = (1..=4)
        .map(|count| {
            let text = letter(&record(count));
            let text =
                if count % 2 == 1 { text.replace("Ada Quill <ada@example.org>", "bram@example.net") } else { text };
            format!("From x\n{text}\n")
        })
        .collect();
    before.write("mbox", mbox);
    Scenario {
        name: "receive mbox",
        before: &before,
        arguments: &["receive", "mbox"],
        input: b"",
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            assert!((0..=4).any(|count| text == record(count)), "{text}");
            assert!(ran.code != Some(0) || text == record(4), "0, and letters are lost: {}", ran.err);
        },
        again: &|session, ran| assert_eq!((session.read(GAME_FILE), ran.code), (record(4), Some(0))),
    }
    .run();
}

#[test]
fn never_two_signed_entries_for_a_turn_under_any_fault() {
    let before = bram(0);
    before.run_later(&["key", "new"]).ok();
    let first = ["move", GAME_FILE, "place c6 e6", "--at", "2026-11-21T10:15:00Z", "--send"];
    let signed = |session: &Session| {
        let texts = letters(session).into_iter().map(|letter| carried(&letter)).chain([session.read(GAME_FILE)]);
        let mut entries: Vec<String> = texts
            .filter_map(|text| {
                let at = text.find("\n1 defenders")?;
                text[at + 1..].contains("\n  ~ ").then(|| text[at + 1..].lines().next().unwrap_or_default().to_owned())
            })
            .collect();
        entries.sort();
        entries.dedup();
        entries
    };
    Scenario {
        name: "move, signed",
        before: &before,
        arguments: &first,
        input: b"",
        after: &|session, ran| {
            let made = signed(session);
            assert!(made.len() <= 1);
            let old = session.read(GAME_FILE) == record(0);
            assert!(old || made.len() == 1, "an entry without its signature: {}", ran.err);
            // A different entry for the same turn, in a copy of the old record: never in addition to the first.
            session.write("games/copy.txt", record(0));
            let other = session.run_later(&["move", "games/copy.txt", "place d6 d7", "--at", "2026-11-21T11:00:00Z"]);
            let there = session.read("games/copy.txt") != record(0);
            assert!(!(there && made.len() == 1), "two signed entries: {}{}", other.out, other.err);
            if there {
                session.write(GAME_FILE, session.read("games/copy.txt"));
            }
            fs::remove_file(session.path("games/copy.txt")).expect("a file");
        },
        again: &|session, ran| {
            // Whichever was signed first is the only one.
            assert!(signed(session).len() <= 1, "{:?}", signed(session));
            let other = session.read(GAME_FILE).contains("d6 d7") || ran.err.contains("another entry was signed");
            assert!(other || ran.code == Some(0));
        },
    }
    .run();
}

#[test]
fn a_sealed_entry_is_never_made_without_its_secret() {
    let before = sealed("");
    let old = before.read(SEALED_FILE);
    Scenario {
        name: "move, sealed",
        before: &before,
        arguments: &DEPLOY,
        input: b"",
        after: &|session, _| {
            let text = session.read(SEALED_FILE);
            assert!(text.starts_with(&old));
            let secret = session.path("home/data/secrets/assassyn-faults.white").exists();
            assert!(text == old || secret, "a seal that nobody can open");
            assert!(letters(session).is_empty() || text != old);
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            let text = session.read(SEALED_FILE);
            assert_eq!(text.lines().filter(|line| line.starts_with("1 white seal:")).count(), 1, "{text}");
            let letters = letters(session);
            assert_eq!((letters.len(), carried(&letters[0])), (1, text));
        },
    }
    .run();
}

#[test]
fn an_invitation_is_kept_and_accepted_under_any_fault() {
    let other = record(0).replace("mail01", "mail02");
    let before = bram(1);
    Scenario {
        name: "receive, an invitation",
        before: &before,
        arguments: &["receive"],
        input: letter(&other).as_bytes(),
        after: &|session, ran| {
            let waits = session.run_later(&["invitations"]).out.contains("mail02");
            assert!(ran.code != Some(0) || waits, "0, and the letter is lost: {}", ran.err);
            assert!(matches!(ran.code, None | Some(0 | 75)), "{:?}", ran.code);
        },
        again: &|session, ran| {
            assert_eq!(ran.code, Some(0));
            assert!(session.run_later(&["invitations"]).out.contains("mail02"));
        },
    }
    .run();
    let session = Session::new();
    injector::copy(before.folder.path(), session.folder.path());
    session.feed_later(&["receive"], letter(&other).as_bytes()).ok();
    Scenario {
        name: "accept",
        before: &session,
        arguments: &["accept", "asalto-20261121-mail02"],
        input: b"",
        after: &|session, ran| {
            let there = session.path("games/asalto-20261121-mail02.pbem").exists();
            let waits = session.path("home/data/invitations/asalto-20261121-mail02.pbem").exists();
            assert!(there || waits, "lost");
            assert!(ran.code != Some(0) || there);
        },
        again: &|session, ran| {
            let waits = session.path("home/data/invitations/asalto-20261121-mail02.pbem").exists();
            assert!(!waits, "it is still waiting: {}", ran.err);
            assert_eq!(session.read("games/asalto-20261121-mail02.pbem"), other);
        },
    }
    .run();
}

#[test]
fn a_new_record_and_a_new_key_are_whole_or_not_there_under_any_fault() {
    let before = bram(0);
    let arguments = [
        "new",
        "asalto",
        "--id",
        "asalto-faults",
        "--player",
        "besiegers=Ada Quill <ada@example.org>",
        "--player",
        "defenders=Bram Post <bram@example.net>",
        "-o",
        "games/new.pbem",
    ];
    Scenario {
        name: "new",
        before: &before,
        arguments: &arguments,
        input: b"",
        after: &|session, ran| {
            let there = session.path("games/new.pbem").exists();
            assert!(ran.code != Some(0) || there);
            assert!(!there || session.run_later(&["verify", "games/new.pbem"]).code == 0);
        },
        again: &|session, _| assert_eq!(session.run_later(&["verify", "games/new.pbem"]).code, 0),
    }
    .run();
    Scenario {
        name: "key new",
        before: &before,
        arguments: &["key", "new"],
        input: b"",
        after: &|session, ran| {
            let there = session.path("home/data/keys/own.pem").exists();
            assert!(ran.code != Some(0) || there);
            assert!(!there || session.run_later(&["key", "show"]).out.starts_with("key "));
        },
        again: &|session, _| assert!(session.run_later(&["key", "show"]).out.starts_with("key ")),
    }
    .run();
}

#[test]
fn output_is_never_half_true_under_any_fault() {
    let before = bram(3);
    for arguments in [&["show", GAME_FILE][..], &["verify", GAME_FILE], &["status"], &["send", "-n", GAME_FILE]] {
        let bare = |out: &str, session: &Session| out.replace(&*session.folder.path().to_string_lossy(), "HERE");
        let whole = before.run_later(arguments);
        let whole = bare(&whole.out, &before);
        Scenario {
            name: arguments[0],
            before: &before,
            arguments,
            input: b"",
            after: &|session, ran| {
                assert_eq!(session.read(GAME_FILE), record(3));
                // If the exit code says that all is well, everything was shown.
                assert!(
                    ran.code != Some(0) || bare(&ran.out, session) == whole || !ran.err.is_empty(),
                    "{}{}",
                    ran.out,
                    ran.err
                );
            },
            again: &|session, ran| assert_eq!((ran.code, bare(&ran.out, session)), (Some(0), whole.clone())),
        }
        .run();
    }
}

#[test]
fn a_home_is_restored_whole_and_never_signs_unasked_under_any_fault() {
    const ID: &str = "asalto-restored-once";
    let first = Session::new();
    first.write("phrase", "correct horse\n");
    first.write("home/settings.yaml", "email: ada@example.org\n");
    first.run(&["key", "new"]).ok();
    fs::create_dir_all(first.path("home/data/games")).expect("a folder");
    let game = &format!("home/data/games/{ID}.pbem")[..];
    let players = ["besiegers=Bram Post <bram@example.net>", "defenders=Ada Quill <ada@example.org>"];
    first.run(&["new", "asalto", "--player", players[0], "--player", players[1], "--id", ID, "-o", game]).ok();
    first.run(&["move", game, "place c6 e6"]).ok();
    first.run(&["backup", "all.backup", "--passphrase-from", "cat phrase"]).ok();
    let journal = &format!("home/data/signed/{ID}.defenders")[..];
    let before = Session::new();
    for file in ["phrase", "all.backup"] {
        before.write(file, first.read(file));
    }
    let after = |session: &Session, ran: &Ran| {
        if ran.code == Some(0) || session.path("home/data/keys/own.pem").exists() {
            assert!(session.read("home/data/restored").contains(ID), "{}", ran.err);
            assert_eq!(session.read(journal), first.read(journal), "{}", ran.err);
        }
    };
    let again = |session: &Session, ran: &Ran| {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        after(session, ran);
        for file in [game, journal, "home/settings.yaml", "home/data/keys/own.pem"] {
            assert_eq!(session.read(file), first.read(file), "{file}");
        }
    };
    let arguments = &["restore", "all.backup", "--passphrase-from", "cat phrase"];
    Scenario { name: "restore", before: &before, arguments, input: b"", after: &after, again: &again }.run();
}
