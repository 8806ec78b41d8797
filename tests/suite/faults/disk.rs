//! A power cut at any moment of a command that enters, sends or receives. Every disk that may be left is examined, and the
//! same command is run on it again.

use std::fs;

use super::injector;
use super::{DEPLOY, Later, SEALED_FILE, sealed};
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::power::{Change, Recorded, Step};
use crate::session::Session;

/// A power cut at any moment of a command; `look` gets each disk that may result and whether the letter was sent by
/// then, and runs the command again.
pub(super) fn power_cut(
    before: &Session,
    arguments: &[&str],
    input: &[u8],
    look: impl Fn(&Session, bool),
) -> Vec<Step> {
    let session = Session::new();
    injector::copy(before.folder.path(), session.folder.path());
    let recorded = Recorded::of(session.folder.path(), &[], &session.command_later(arguments), input);
    let cuts = recorded.cuts();
    assert!(cuts.len() >= 2, "{} disks", cuts.len());
    for cut in cuts {
        let session = Session::new();
        recorded.leave(&cut, session.folder.path());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| look(&session, cut.told)));
        if let Err(why) = outcome {
            eprintln!("**** told: {}, the disk: {}", cut.told, recorded.shown(&cut));
            std::panic::resume_unwind(why);
        }
    }
    recorded.steps
}

/// A transport that keeps nothing on this disk.
const ELSEWHERE: &str = "mail: {transport: sendmail, command: [sh, -c, 'cat > /dev/null']}\n";

#[test]
fn a_power_cut_loses_nothing_of_a_signed_move_that_was_sent() {
    if !injector::available() {
        return;
    }
    let before = super::with_settings(bram(0), ELSEWHERE);
    before.run_later(&["key", "new"]).ok();
    let arguments = ["move", GAME_FILE, "place c6 e6", "--at", "2026-11-21T10:15:00Z", "--send"];
    let steps = power_cut(&before, &arguments, b"", |session, told| {
        let text = session.read(GAME_FILE);
        assert!(text == record(0) || text.contains("\n  ~ "), "{text}");
        let journal = fs::read_to_string(session.path("home/data/signed/asalto-20261121-mail01.defenders"));
        let journal = journal.unwrap_or_default();
        if text != record(0) {
            assert!(journal.contains("1 defenders key "), "a signature without its line in the journal: {journal:?}");
        }
        if told {
            assert!(text != record(0), "the letter was sent, and its entry is lost");
            let notes =
                fs::read_to_string(session.path("home/data/sent/asalto-20261121-mail01.json")).unwrap_or_default();
            assert!(notes.contains("\"state\""), "the letter was sent, and not noted: {notes}");
        }
        let done = session.run_later(&arguments);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(!told || session.read(GAME_FILE) == text, "not the entry that was sent");
        session.run_later(&["verify", GAME_FILE]).ok();
    });
    // Each of these is flushed, with its folder, before the next begins.
    let flushed = |part: &str| {
        let renamed = steps.iter().position(|step| {
            matches!(step, Step::Change(Change::Rename(from, to, _)) if to.contains(part) && !from.contains(".new."))
        });
        let renamed = renamed.unwrap_or_else(|| panic!("{part} is not written"));
        let folder = steps[renamed..]
            .iter()
            .position(|step| matches!(step, Step::FlushFolder(folder) if part.starts_with(folder.as_str())));
        (renamed, renamed + folder.unwrap_or_else(|| panic!("the folder of {part} is not flushed")))
    };
    let order = [flushed("home/data/signed/"), flushed("home/data/sent/"), flushed("games/ours.pbem")];
    let told = steps.iter().position(|step| matches!(step, Step::Told)).expect("a letter");
    assert!(order.windows(2).all(|pair| pair[0].1 < pair[1].0) && order[2].1 < told, "{order:?} {told}");
}

#[test]
fn a_power_cut_loses_no_letter_and_no_answer() {
    if !injector::available() {
        return;
    }
    let before = super::with_settings(bram(1), ELSEWHERE);
    before.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
    before.write("mbox", format!("From x\n{}", letter(&record(2))));
    let arguments = ["receive", "--answer", "mbox"];
    power_cut(&before, &arguments, b"", |session, told| {
        let text = session.read(GAME_FILE);
        assert!(text.starts_with(&record(1)), "{text}");
        assert!(!told || text.contains("\n3 defenders"), "the answer was sent, and is lost here");
        let done = session.run_later(&arguments);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let made = session.read(GAME_FILE);
        assert!(made.contains("\n3 defenders c6-d6"), "no answer: {made}{}{}", done.out, done.err);
        assert!(!told || made == text, "not the answer that was sent");
    });
}

#[test]
fn a_power_cut_leaves_a_seal_with_its_secret() {
    if !injector::available() {
        return;
    }
    let before = sealed(ELSEWHERE);
    let old = before.read(SEALED_FILE);
    power_cut(&before, &DEPLOY, b"", |session, told| {
        let text = session.read(SEALED_FILE);
        let secret = fs::read_to_string(session.path("home/data/secrets/assassyn-faults.white")).unwrap_or_default();
        assert!(
            text == old || secret.split_whitespace().next().is_some_and(|word| word.len() == 64),
            "a seal without its secret"
        );
        assert!(!told || text != old);
        let done = session.run_later(&DEPLOY);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(session.run_later(&["show", SEALED_FILE]).err.is_empty(), "the seal can be opened");
    });
}

#[test]
fn a_power_cut_loses_no_invitation_that_is_accepted() {
    if !injector::available() {
        return;
    }
    let before = bram(1);
    let other = record(0).replace("mail01", "mail02");
    before.feed_later(&["receive"], letter(&other).as_bytes()).ok();
    power_cut(&before, &["accept", "asalto-20261121-mail02"], b"", |session, _| {
        let there = fs::read_to_string(session.path("games/asalto-20261121-mail02.pbem")).unwrap_or_default();
        let waits = fs::read_to_string(session.path("home/data/invitations/asalto-20261121-mail02.pbem"));
        assert!(there == other || waits.is_ok_and(|waits| waits == other), "lost");
    });
}
