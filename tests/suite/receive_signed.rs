//! Mail in signed games: a key brought by a stranger, two signed entries for one turn, answers that are signed.

use crate::letters;
#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use crate::letters::{letter, receive};
use crate::session::Session;
use crate::signing::{GAME, ada, both, bram, cleo, field, record, signed};
use postrider_referee::verdict::{Ruling, verify};

const FILE: &str = "games/ours.pbem";
const ADA: &str = ", email: ada@example.org";
const BRAM: &str = ", email: bram@example.net";

/// Bram's home with a record.
fn home(record: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    session.write(FILE, record);
    session
}

fn with_keys(lines: &[&str]) -> String {
    signed(&record(&(ADA.to_owned() + &field(&ada())), &(BRAM.to_owned() + &field(&bram())), lines), both)
}

#[test]
fn z32_a_key_that_comes_with_a_strangers_letter_makes_nobody_a_player() {
    let here = record(ADA, BRAM, &GAME[..1]);
    let entry = format!("2 besiegers key {}; c4-c5", cleo().public().text());
    let there = signed(&record(ADA, BRAM, &[GAME[0], &entry]), |side| (side == "besiegers").then(cleo));
    assert_eq!(verify(there.as_bytes()).ruling, Ruling::Legal, "{there}");
    let session = home(&here);
    let strange = letter(&there).replace("Ada Quill <ada@example.org>", "Mallory <mallory@example.com>");
    let done = receive(&session, &[], strange.as_bytes());
    assert!(done.err.contains("refused: it comes from mallory@example.com"), "{}{}", done.out, done.err);
    assert_eq!(session.read(FILE), here);
    let done = receive(&session, &[], letter(&there).as_bytes());
    assert!(done.out.contains("accepted: 2 besiegers key "), "{}{}", done.out, done.err);
    assert_eq!(session.read(FILE), there);
}

#[test]
fn z32_a_signature_by_a_known_key_may_come_from_any_address() {
    let session = home(&with_keys(&GAME[..1]));
    let there = with_keys(&GAME[..2]);
    let from_work = letter(&there).replace("ada@example.org", "ada@work.example.com");
    let done = receive(&session, &[], from_work.as_bytes());
    assert!(done.out.contains("accepted: 2 besiegers c4-c5"), "{}{}", done.out, done.err);
    assert_eq!(session.read(FILE), there);
}

#[test]
fn z32_keys_in_an_invitation_are_the_senders_claim_and_vouch_for_nobody() {
    let session = home(&record(ADA, BRAM, &[]).replace("asalto-signed-here", "asalto-another"));
    let there = with_keys(&GAME[..2]);
    let strange = letter(&there).replace("Ada Quill <ada@example.org>", "Mallory <mallory@example.com>");
    let done = receive(&session, &[], strange.as_bytes());
    assert!(done.err.contains("refused: it comes from mallory@example.com"), "{}{}", done.out, done.err);
    let hers = record(&(ADA.to_owned() + &field(&ada())), BRAM, &[]);
    assert!(receive(&session, &[], letter(&hers).as_bytes()).ok().contains("you are invited"));
}

#[test]
fn z31_two_signed_entries_for_one_turn_are_kept_as_evidence() {
    let here = with_keys(&GAME[..3]);
    let session = home(&here);
    let there = with_keys(&[GAME[0], "2 besiegers e4-e5"]);
    let tried = receive(&session, &["-n"], letter(&there).as_bytes());
    assert!(tried.err.contains("have signed two different entries 2"), "{}", tried.err);
    assert!(!session.path("home/data/evidence").exists(), "a dry run keeps nothing");
    let done = receive(&session, &[], letter(&there).as_bytes());
    for needle in ["refused", "besiegers have signed two different entries 2", "2 besiegers c4-c5", "2 besiegers e4-e5"]
    {
        assert!(done.err.contains(needle), "{needle}\n{}", done.err);
    }
    assert_eq!((done.code, session.read(FILE)), (0, here.clone()));
    let kept = ["here", "received"].map(|which| format!("home/data/evidence/asalto-signed-here.2.{which}.pbem"));
    assert_eq!((session.read(&kept[0]), session.read(&kept[1])), (here, there));
    let shown = session.run(&["evidence", &kept[0], &kept[1]]);
    assert_eq!(shown.code, 1, "{}", shown.err);
    // A signature with another key proves nothing against Ada.
    let forged = signed(
        &record(
            &(ADA.to_owned() + &field(&ada())),
            &(BRAM.to_owned() + &field(&bram())),
            &[GAME[0], "2 besiegers d4-d5"],
        ),
        |side| Some(if side == "besiegers" { cleo() } else { bram() }),
    );
    let done = receive(&session, &[], letter(&forged).as_bytes());
    assert!(done.err.contains("refused") && !done.err.contains("has signed two"), "{}", done.err);
}

#[test]
fn a_reply_that_was_foreseen_is_signed_when_a_letter_brings_it_about() {
    let session = home("");
    session.run(&["key", "new"]).ok();
    session
        .run(&[
            "new",
            "asalto",
            "--id",
            "asalto-signed-here",
            "--player",
            "besiegers=Ada Quill <ada@example.org>",
            "--player",
            "defenders=Bram Post <bram@example.net>",
            "-o",
            "games/mine.pbem",
        ])
        .ok();
    std::fs::remove_file(session.path(FILE)).expect("an empty file");
    session.run(&["move", "games/mine.pbem", "place c6 e6"]).ok();
    let first = session.read("games/mine.pbem");
    assert_eq!(first.matches("\n  ~ ").count(), 1, "{first}");
    session.run(&["if", "games/mine.pbem", "c4-c5", "c6-d6"]).ok();
    let plans = session.path("home/data/conditions");
    let plan = std::fs::read_dir(&plans).expect("the conditions").next().expect("conditions").expect("a file").path();
    let kept = session.path("kept.json");
    std::fs::copy(&plan, &kept).expect("a copy");
    let time = first.split('@').next_back().and_then(|rest| rest.split_whitespace().next()).expect("a time");
    let there = format!("{first}2 besiegers c4-c5 @{time}\n");
    let done = receive(&session, &["--answer"], letter(&there).as_bytes());
    assert!(done.out.contains("answered: 3 defenders c6-d6"), "{}{}", done.out, done.err);
    let record = session.read("games/mine.pbem");
    assert_eq!((verify(record.as_bytes()).ruling, record.matches("\n  ~ ").count()), (Ruling::Legal, 2), "{record}");
    // Killed after signing and before writing: the next run makes exactly the same entry, whatever the clock says.
    session.write("games/mine.pbem", &first);
    std::fs::remove_dir_all(session.path("home/data/known")).expect("what was known");
    std::fs::copy(&kept, &plan).expect("a copy");
    let mut later = session.command(&["receive", "--answer"]);
    later.env("POSTRIDER_NOW", "2026-11-23T12:34:56Z");
    let done = letters::run(later, letter(&there).as_bytes());
    assert!(
        done.out.contains("answered: 3 defenders c6-d6") && !done.err.contains("error"),
        "{}{}",
        done.out,
        done.err
    );
    assert_eq!(session.read("games/mine.pbem"), record);
}
