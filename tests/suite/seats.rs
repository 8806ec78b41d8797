//! Whose key takes a seat: an opponent's first entry may declare any key (E10), and whoever has seen the record could write it first.

use std::fs;

use crate::letters::run;
use crate::session::{Done, Session};

pub(crate) const ID: &str = "asalto-whose-seat";

/// A home of somebody who says that this is their address, with a key.
pub(crate) fn home(address: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("email: {address}\ngames: ../games\nname: Somebody\n"));
    fs::create_dir_all(session.path("games")).expect("a folder");
    session.run(&["key", "new"]).ok();
    session
}

pub(crate) fn fingerprint(session: &Session) -> String {
    let shown = session.run(&["key", "show"]).ok();
    shown.lines().find_map(|line| line.strip_prefix("fingerprint  ")).expect("a fingerprint").to_owned()
}

/// Their public key.
pub(crate) fn key(session: &Session) -> String {
    let shown = session.run(&["key", "show"]).ok();
    shown.lines().find_map(|line| line.strip_prefix("key ")).expect("a key").trim().to_owned()
}

/// The newest letter in an outbox, which is emptied.
pub(crate) fn letter(session: &Session) -> Vec<u8> {
    let outbox = session.path("home/data/outbox");
    let mut letters: Vec<_> = fs::read_dir(&outbox)
        .expect("an outbox")
        .map(|entry| entry.expect("a letter").path())
        .filter(|path| path.extension().is_some_and(|end| end == "eml"))
        .collect();
    letters.sort();
    let bytes = fs::read(letters.last().expect("a letter")).expect("a letter");
    letters.iter().for_each(|path| fs::remove_file(path).expect("it goes"));
    bytes
}

pub(crate) fn receive(session: &Session, args: &[&str], letter: &[u8]) -> Done {
    run(session.command(&[&["receive"][..], args].concat()), letter)
}

/// The digits that name what was held back in a game, as the hint about it says.
pub(crate) fn digits(told: &str, game: &str) -> String {
    let command = format!("receive --agree {game} ");
    let (_, rest) = told.split_once(&command).unwrap_or_else(|| panic!("{command}: {told}"));
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}

/// Ada, who has begun a game with Bram and mailed her first entry; the letter, and the record as others may see it.
pub(crate) fn begun() -> (Session, Vec<u8>, String) {
    let ada = home("ada@example.org");
    let players =
        ["--player", "defenders=Ada Quill <ada@example.org>", "--player", "besiegers=Bram Post <bram@example.net>"];
    ada.run(&[&["new", "asalto", "--id", ID, "-o", "games/game.pbem"][..], &players].concat()).ok();
    ada.run(&["move", "games/game.pbem", "place c6 e6", "--send"]).ok();
    let record = ada.read("games/game.pbem");
    let letter = letter(&ada);
    (ada, letter, record)
}

/// Somebody with Bram's address who has the record, but not the letter, and answers it.
fn answered_from_record(record: &str) -> (Session, Vec<u8>) {
    let session = home("bram@example.net");
    session.write("games/game.pbem", record);
    session.run(&["move", "games/game.pbem", "c4-c5", "--send"]).ok();
    let letter = letter(&session);
    (session, letter)
}

/// Bram, who got the letter and answers it.
pub(crate) fn answered(invitation: &[u8], actions: &str) -> (Session, Vec<u8>) {
    let bram = home("bram@example.net");
    let invited = receive(&bram, &[], invitation);
    assert!(invited.out.contains("you are invited"), "{}{}", invited.out, invited.err);
    bram.run(&["accept", ID, "-o", "games/game.pbem"]).ok();
    bram.run(&["move", "games/game.pbem", actions, "--send"]).ok();
    let letter = letter(&bram);
    (bram, letter)
}

#[test]
fn e10_a_first_entry_with_a_new_key_that_answers_the_letter_is_taken_and_its_key_told() {
    let (ada, invitation, _) = begun();
    let (bram, answer) = answered(&invitation, "c4-c5");
    let done = receive(&ada, &[], &answer);
    assert!(
        done.out.contains("accepted: 2 besiegers key ") && done.out.contains("; c4-c5 @"),
        "{}{}",
        done.out,
        done.err
    );
    let key = fingerprint(&bram);
    let told = format!("key of besiegers {key}  new to you: ask Bram Post by some way other than mail");
    assert!(done.out.contains(&told), "{}", done.out);
    assert!(done.out.contains(&format!("postrider key trust bram@example.net {key}")), "{}", done.out);
    // It stays a thing to do until it is done.
    let status = ada.run(&["status"]).ok();
    assert!(status.contains(&format!("`postrider key trust bram@example.net {key}`")), "{status}");
    assert!(ada.run(&["status", "--json"]).ok().contains(&format!("\"unconfirmed_key\":\"{key}\"")));
    ada.run(&["key", "trust", "bram@example.net", &key]).ok();
    assert!(!ada.run(&["status"]).ok().contains("confirm the key"));
    assert!(ada.run(&["status", "--json"]).ok().contains("\"unconfirmed_key\":null"));
    // The token goes out until the opponent has entered, and comes back once.
    let has = |letter: &[u8], field: &str| String::from_utf8_lossy(letter).contains(&format!("\r\n{field}: "));
    assert!(has(&invitation, "X-Postrider-Seat") && has(&answer, "X-Postrider-Seat-Answer"));
    ada.run(&["move", "games/game.pbem", "c6-d6", "--send"]).ok();
    let next = letter(&ada);
    assert!(!has(&next, "X-Postrider-Seat") && !has(&next, "X-Postrider-Seat-Answer"));
}

#[test]
fn e10_a_first_entry_by_whoever_has_seen_the_record_waits_until_the_player_agrees() {
    let (ada, _, record) = begun();
    let (mallory, forged) = answered_from_record(&record);
    let mut named = String::new();
    for _ in 0..2 {
        let done = receive(&ada, &[], &forged);
        named = digits(&done.err, ID);
        assert!(done.err.contains("  held:     2 besiegers key "), "it is shown: {}", done.err);
        assert!(
            done.code == 0 && done.err.contains("held back: it brings the first entry of your opponent"),
            "{}",
            done.err
        );
        assert!(done.err.contains(&fingerprint(&mallory)), "{}", done.err);
        assert_eq!(ada.read("games/game.pbem"), record);
    }
    let agreed = receive(&ada, &["--agree", ID, &named], b"");
    assert!(
        agreed.out.contains("accepted: 2 besiegers key ") && agreed.out.contains("; c4-c5 @"),
        "{}{}",
        agreed.out,
        agreed.err
    );
}

#[test]
fn whoever_accepts_or_begins_once_more_after_a_run_that_was_cut_off_learns_the_next_step() {
    let (_, invitation, _) = begun();
    let bram = home("bram@example.net");
    let _ = receive(&bram, &[], &invitation);
    bram.run(&["accept", ID]).ok();
    for args in [&["accept", ID][..], &["accept", ID, "-o", "games/another.pbem"]] {
        let said = bram.run(args).fails(2);
        assert!(said.contains(&format!("{ID} is one of your games already, in ")), "{said}");
        assert!(said.contains("postrider show ") && said.contains("postrider move "), "{said}");
    }
    assert!(!bram.path("games/another.pbem").exists());
    let begin = ["invite", "Ada Quill <ada@example.org>", "asalto", "--id", "asalto-once-more"];
    bram.run(&begin).ok();
    let said = bram.run(&begin).fails(2);
    assert!(said.contains("is there already, and is the record of asalto-once-more"), "{said}");
    assert!(said.contains("postrider send "), "{said}");
}

#[test]
fn e10_of_two_held_entries_only_the_one_that_the_player_names_is_taken() {
    for nth in 0..2 {
        let (ada, _, record) = begun();
        let held: Vec<(String, String)> = (0..2)
            .map(|_| {
                let (somebody, forged) = answered_from_record(&record);
                (fingerprint(&somebody), digits(&receive(&ada, &[], &forged).err, ID))
            })
            .collect();
        let [(_, first), (_, second)] = &held[..] else { panic!() };
        // Nothing is taken that was not named, and what waits is listed.
        for args in [
            &["--agree", ID][..],
            &["--agree", ID, "00000000"],
            &["--agree", ID, "1234567"],
            &["--agree", ID, "letter.eml"],
        ] {
            let done = receive(&ada, args, b"");
            assert!(
                done.code == 2 && !done.out.contains("accepted: "),
                "{args:?}: {} {}{}",
                done.code,
                done.out,
                done.err
            );
            assert!(args.len() > 2 || done.err.contains(first) && done.err.contains(second), "{}", done.err);
            assert_eq!(ada.read("games/game.pbem"), record);
        }
        let (key, named) = &held[nth];
        let done = receive(&ada, &["--agree", ID, named], b"");
        assert!(done.out.contains("accepted: 2 besiegers key ") && done.out.contains(key), "{}{}", done.out, done.err);
        // The other one can no longer be agreed to.
        let taken = ada.read("games/game.pbem");
        let (_, other) = &held[1 - nth];
        let done = receive(&ada, &["--agree", ID, other], b"");
        assert!(!done.out.contains("accepted: ") && ada.read("games/game.pbem") == taken, "{}{}", done.out, done.err);
    }
}

#[test]
fn e10_to_say_which_key_is_right_agrees_to_nothing_else_that_is_held() {
    let (ada, _, record) = begun();
    let (_, forged) = answered_from_record(&record);
    let _ = receive(&ada, &[], &forged);
    let done = receive(&ada, &["--seat", &fingerprint(&ada)], b"");
    assert!(!done.out.contains("accepted: "), "{}{}", done.out, done.err);
    assert_eq!(ada.read("games/game.pbem"), record);
}

#[test]
fn e10_a_key_that_was_confirmed_needs_no_letter() {
    let (ada, _, record) = begun();
    let (bram, answer) = answered_from_record(&record);
    ada.run(&["key", "trust", "bram@example.net", &fingerprint(&bram)]).ok();
    let done = receive(&ada, &[], &answer);
    assert!(
        done.out.contains("accepted: 2 besiegers key ") && done.out.contains("; c4-c5 @"),
        "{}{}",
        done.out,
        done.err
    );
}

#[test]
fn e10_of_two_keys_that_claim_to_be_one_player_the_player_says_which_is_right() {
    let (ada, invitation, record) = begun();
    let (mallory, forged) = answered_from_record(&record);
    let held = receive(&ada, &[], &forged);
    let _ = receive(&ada, &["--agree", ID, &digits(&held.err, ID)], b"");
    let taken = ada.read("games/game.pbem");
    let (bram, answer) = answered(&invitation, "b4-c5");
    let (wrong, right) = (fingerprint(&mallory), fingerprint(&bram));
    let done = receive(&ada, &[], &answer);
    assert!(done.err.contains("two keys claim to be Bram Post (besiegers)"), "{}", done.err);
    assert!(done.err.contains(&format!("here:     {wrong}")) && done.err.contains(&format!("received: {right}")));
    assert_eq!(ada.read("games/game.pbem"), taken);
    // Another key than these settles nothing.
    let other = receive(&ada, &["--seat", &fingerprint(&ada)], b"");
    assert!(other.err.contains("two keys claim") && ada.read("games/game.pbem") == taken, "{}", other.err);
    let settled = receive(&ada, &["--seat", &right], b"");
    assert!(
        settled.out.contains("accepted: 2 besiegers key ") && settled.out.contains("; b4-c5 @"),
        "{}{}",
        settled.out,
        settled.err
    );
    assert!(ada.read("games/game.pbem").contains("; b4-c5 @"));
    assert!(settled.err.contains("the record as it was is kept in"), "{}", settled.err);
    ada.run(&["move", "games/game.pbem", "c6-d6", "--send"]).ok();
    let back = receive(&bram, &[], &letter(&ada));
    assert!(back.out.contains("accepted: 3 defenders c6-d6"), "{}{}", back.out, back.err);
}

#[test]
fn e10_a_letter_by_the_wrong_key_is_dropped_once_the_player_has_said_so() {
    let (ada, invitation, record) = begun();
    let (bram, answer) = answered(&invitation, "b4-c5");
    let _ = receive(&ada, &[], &answer);
    let taken = ada.read("games/game.pbem");
    let (_, forged) = answered_from_record(&record);
    assert!(receive(&ada, &[], &forged).err.contains("two keys claim to be Bram Post"));
    let settled = receive(&ada, &["--seat", &fingerprint(&bram)], b"");
    assert!(settled.err.contains("the record here stays"), "{}", settled.err);
    assert_eq!(ada.read("games/game.pbem"), taken);
    assert!(!receive(&ada, &["--seat", &fingerprint(&bram)], b"").err.contains("two keys"), "it is gone");
}

#[test]
fn e10_nobody_is_led_to_sign_twice_by_changing_the_opponents_key() {
    let (ada, invitation, record) = begun();
    let (_, forged) = answered_from_record(&record);
    let held = receive(&ada, &[], &forged);
    let _ = receive(&ada, &["--agree", ID, &digits(&held.err, ID)], b"");
    ada.run(&["move", "games/game.pbem", "c6-d6"]).ok();
    let taken = ada.read("games/game.pbem");
    let (bram, answer) = answered(&invitation, "b4-c5");
    let _ = receive(&ada, &[], &answer);
    let settled = receive(&ada, &["--seat", &fingerprint(&bram)], b"");
    assert!(settled.err.contains("begin a new game with Bram Post"), "{}", settled.err);
    assert_eq!(ada.read("games/game.pbem"), taken);
}
