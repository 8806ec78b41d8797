//! Keys that are withdrawn (Z36) or have a successor (Z37): what the homes of two players and of a thief say, and do, with real letters.

use std::fs;
use std::path::Path;

use crate::seats::{ID, answered, begun, digits, fingerprint, home, key, letter, receive};
use crate::session::{Done, Session, Told};

/// Ada and Bram in a running game, in which both have made an entry and Ada's second one is with Bram.
fn running() -> (Session, Session) {
    let (ada, invitation, _) = begun();
    let (bram, answer) = answered(&invitation, "c4-c5");
    let done = receive(&ada, &[], &answer);
    assert!(done.out.contains("accepted: 2 besiegers"), "{}{}", done.out, done.err);
    exchange(&ada, &bram);
    (ada, bram)
}

/// One makes an entry and mails it, and the other takes it.
fn exchange(from: &Session, to: &Session) {
    let done = receive(to, &[], &sent(from));
    assert!(done.out.contains("accepted: "), "{}{}", done.out, done.err);
}

/// Makes the first of the legal entries and mails it.
fn sent(from: &Session) -> Vec<u8> {
    let moves = from.run(&["moves", "games/game.pbem"]).ok();
    from.run(&["move", "games/game.pbem", moves.lines().next().expect("a move"), "--send"]).ok();
    letter(from)
}

/// Somebody who has copied all that is in a home.
fn thief(of: &Session) -> Session {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        fs::set_permissions(to, fs::metadata(from).expect("a folder").permissions()).expect("its mode");
        for entry in fs::read_dir(from).expect("a folder") {
            let path = entry.expect("an entry").path();
            let to = to.join(path.file_name().expect("a name"));
            if path.is_dir() {
                copy(&path, &to)
            } else {
                fs::copy(&path, to).expect("a copy");
            }
        }
    }
    let session = Session::new();
    for folder in ["home", "games"] {
        copy(&of.path(folder), &session.path(folder));
    }
    session
}

/// A mail by anybody with this text.
fn mail(from: &str, text: &str) -> Vec<u8> {
    format!(
        "From: {from}\r\nTo: ada@example.org\r\nSubject: a key\r\nDate: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <a@b>\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n",
        text.replace('\n', "\r\n")
    )
    .into_bytes()
}

fn is_held(done: &Done, key: &str) {
    let told = format!("held back: it is signed by the key {key}, which was withdrawn on 2026-11-21");
    assert!(done.code == 0 && done.err.contains(&told), "{}{}", done.out, done.err);
    assert!(!done.out.contains("accepted: "), "{}", done.out);
}

#[test]
fn z36_what_a_withdrawn_key_signs_is_held_until_the_player_agrees() {
    let (ada, bram) = running();
    let key = fingerprint(&bram);
    let said = bram.run(&["key", "revoke", "--now"]).ok();
    assert!(said.starts_with("pbem1|revoke|"), "{said}");
    let before = ada.read("games/game.pbem");
    let next = sent(&bram);
    assert!(String::from_utf8_lossy(&next).contains("\r\nX-Postrider-Key: pbem1|revoke|"));
    let done = receive(&ada, &[], &next);
    is_held(&done, &key);
    let mut told = Told::default();
    told.note(&ada, "receive: an entry, and that its key is withdrawn", &done);
    let named = digits(&done.err, ID);
    assert_eq!(ada.read("games/game.pbem"), before);
    // The record says what it said before: verdicts depend on it alone.
    for args in [&["verify", "games/game.pbem"][..], &["verify", "--trusted", "games/game.pbem"]] {
        told.note(&ada, &args.join(" "), &ada.run(args));
    }
    // It waits, and is taken once the player agrees; so does the one after it.
    let agreed = receive(&ada, &["--agree", ID, &named], b"");
    told.note(&ada, "receive --agree", &agreed);
    exchange(&ada, &bram);
    is_held(&receive(&ada, &[], &sent(&bram)), &key);
    // Nothing withdrawn comes back.
    let refused = ada.run(&["key", "trust", "bram@example.net", &key, "--instead"]);
    told.note(&ada, "key trust bram@example.net KEY --instead", &refused);
    insta::assert_snapshot!("withdrawn", told.shown(&[(&key, "BRAM'S KEY"), (&fingerprint(&ada), "ADA'S KEY")]));
}

#[test]
fn z36_a_withdrawal_made_in_advance_works_from_any_mail_against_a_thief() {
    let (ada, bram) = running();
    let key = fingerprint(&bram);
    bram.run(&["key", "revoke", "--in-advance", "withdrawal"]).ok();
    assert!(bram.run(&["key", "revoke", "--in-advance", "withdrawal"]).code == 2, "a file is not overwritten");
    let shown = bram.run(&["key", "show"]).ok();
    assert!(!shown.contains("withdrawn"), "nothing is withdrawn by writing it: {shown}");
    let thief = thief(&bram);
    // By another address, quoted, and broken into lines.
    let text = format!("Bram asks me to send this:\n\n> {}", bram.read("withdrawal").replace('\n', "\n> "));
    let mut told = Told::default();
    for given in ["receive: the withdrawal, by somebody", "receive: the same again"] {
        told.note(&ada, given, &receive(&ada, &[], &mail("cleo@example.com", &text)));
    }
    let before = ada.read("games/game.pbem");
    is_held(&receive(&ada, &[], &sent(&thief)), &key);
    assert_eq!(ada.read("games/game.pbem"), before);
    // An entry of each for one turn speaks for two people, now that the key is known to be in other hands.
    bram.run(&[
        "move",
        "games/game.pbem",
        bram.run(&["moves", "games/game.pbem"]).ok().lines().nth(1).expect("another"),
    ])
    .ok();
    ada.write("one.pbem", bram.read("games/game.pbem"));
    ada.write("other.pbem", thief.read("games/game.pbem"));
    told.note(&ada, "proof evidence one.pbem other.pbem", &ada.run(&["proof", "evidence", "one.pbem", "other.pbem"]));
    // Nor does the thief begin another game in that name.
    let players =
        ["--player", "defenders=Bram Post <bram@example.net>", "--player", "besiegers=Ada Quill <ada@example.org>"];
    thief.run(&[&["new", "asalto", "--id", "asalto-of-a-thief", "-o", "games/other.pbem"][..], &players].concat()).ok();
    thief.run(&["move", "games/other.pbem", "place c6 e6", "--send"]).ok();
    told.note(&ada, "receive: an invitation by the thief", &receive(&ada, &[], &letter(&thief)));
    assert_eq!(ada.run(&["invite", "list"]).ok(), "no invitations\n");
    // The owner is told as well.
    told.note(&bram, "receive: the withdrawal of the own key", &receive(&bram, &[], &mail("cleo@example.com", &text)));
    insta::assert_snapshot!("withdrawn_in_advance", told.shown(&[(&key, "BRAM'S KEY")]));
    assert!(ada.run(&["key", "show", "--json"]).ok().contains(&format!(
        "\"statements\":[{{\"fingerprint\":\"{key}\",\"successor\":null,\"date\":\"2026-11-21\"}}]"
    )));
}

#[test]
fn z36_a_withdrawn_key_is_declared_in_no_new_game_and_makes_no_successor() {
    let bram = home("bram@example.net");
    let old = fingerprint(&bram);
    bram.run(&["key", "revoke", "--now"]).ok();
    let players =
        ["--player", "defenders=Bram Post <bram@example.net>", "--player", "besiegers=Ada Quill <ada@example.org>"];
    let new = [&["new", "asalto", "--id", "asalto-later", "-o", "games/other.pbem"][..], &players].concat();
    let refused = bram.run(&new).fails(2);
    assert!(refused.contains(&old) && refused.contains("`postrider key rotate`"), "{refused}");
    let said = bram.run(&["key", "rotate"]).ok();
    assert!(!said.contains("pbem1|rotate"), "whoever has a withdrawn key could name one: {said}");
    assert_ne!(fingerprint(&bram), old);
    bram.run(&new).ok();
    let record = bram.read("games/other.pbem");
    let key = bram.run(&["key", "show"]).ok();
    let key = key.lines().find_map(|line| line.strip_prefix("key          ")).expect("a key");
    assert!(record.contains(key), "{record}");
}

#[test]
fn z37_a_successor_counts_once_it_is_confirmed_and_running_games_go_on() {
    let (ada, bram) = running();
    let old = fingerprint(&bram);
    ada.run(&["key", "trust", "bram@example.net", &old]).ok();
    let said = bram.run(&["key", "rotate"]).ok();
    let new = fingerprint(&bram);
    assert!(said.contains(&new) && said.contains("\npbem1|rotate|"), "{said}");
    // The game goes on with the key that it declares.
    let mut told = Told::default();
    told.note(&ada, "receive: an entry, and who succeeds its key", &receive(&ada, &[], &sent(&bram)));
    // Unconfirmed, the successor is another key.
    let players =
        ["--player", "defenders=Bram Post <bram@example.net>", "--player", "besiegers=Ada Quill <ada@example.org>"];
    let begin = |id: &str, file: &str, key: &str| {
        let key = format!("defenders={key}");
        let new = ["new", "asalto", "--id", id, "-o", file, "--key", &key];
        bram.run(&[&new[..], &players].concat()).ok();
        bram.run(&["move", file, "place c6 e6", "--send"]).ok();
        letter(&bram)
    };
    let with_new = begin("asalto-with-new-key", "games/new.pbem", "own");
    told.note(&ada, "receive: a game with the successor, which is not confirmed", &receive(&ada, &[], &with_new));
    // Confirmed, it is Bram's, and the running game goes on without a word.
    let trusted = ada.run(&["key", "trust", "bram@example.net", &new, "--instead"]);
    told.note(&ada, "key trust bram@example.net KEY --instead", &trusted);
    told.note(&ada, "receive: the game again", &receive(&ada, &[], &with_new));
    exchange(&ada, &bram);
    told.note(&ada, "receive: the next entry of the old game", &receive(&ada, &[], &sent(&bram)));
    assert_eq!(ada.run(&["verify", "games/game.pbem"]).code, 0);
    assert!(!ada.run(&["status"]).ok().contains("confirm the key"));
    // The old key begins nothing any more.
    let public = ada.read("games/game.pbem");
    let public =
        public.split("besiegers key ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    let with_old = begin("asalto-with-old-key", "games/old.pbem", &public);
    told.note(&ada, "receive: another game with the old key", &receive(&ada, &[], &with_old));
    insta::assert_snapshot!("succeeded", told.shown(&[(&old, "BRAM'S OLD KEY"), (&new, "BRAM'S NEW KEY")]));
}

#[test]
fn z37_two_successors_are_told_and_the_key_counts_as_withdrawn() {
    let (ada, bram) = running();
    let old = fingerprint(&bram);
    let thief = thief(&bram);
    thief.run(&["key", "rotate"]).ok();
    // What a thief says changes nothing by itself.
    let mut told = Told::default();
    told.note(&ada, "receive: an entry by the thief, who names a successor", &receive(&ada, &[], &sent(&thief)));
    let said = bram.run(&["key", "rotate"]).ok();
    told.note(&ada, "receive: another successor", &receive(&ada, &[], &mail("bram@example.net", &said)));
    let both = [&thief, &bram].map(fingerprint);
    exchange(&ada, &thief);
    told.note(&ada, "receive: the thief's next entry", &receive(&ada, &[], &sent(&thief)));
    // Whoever trusts one of them is told that there are two.
    let done = ada.run(&["key", "trust", "bram@example.net", &both[0], "--instead"]);
    told.note(&ada, "key trust bram@example.net KEY --instead", &done);
    let keys = [(&*old, "BRAM'S OLD KEY"), (&both[0], "THE THIEF'S KEY"), (&both[1], "BRAM'S NEW KEY")];
    insta::assert_snapshot!("two_successors", told.shown(&keys));
}

#[test]
fn z36_no_game_begins_with_a_key_that_is_known_to_be_withdrawn() {
    let (ada, bram) = running();
    let said = bram.run(&["key", "revoke", "--now"]).ok();
    receive(&ada, &[], &mail("bram@example.net", &said)).ok();
    let key = format!("besiegers={}", key(&bram));
    let players = ["--player", "besiegers=Bram Post <bram@example.net>", "--player", "defenders=Ada <ada@example.org>"];
    let refused = ada.run(&[&["new", "asalto", "--key", &key][..], &players].concat()).fails(2);
    assert!(refused.contains("which was withdrawn on 2026-11-21: no game declares it"), "{refused}");
    // Nor does a host begin one with its own.
    let host = home("games@example.com");
    host.write("home/settings.yaml", "email: games@example.com\ngames: ../games\nname: The Mill\nhosts: true\n");
    host.run(&["key", "revoke", "--now"]).ok();
    let players = ["--player", "besiegers=Ada", "--player", "defenders=Bram"];
    let refused = host.run(&[&["new", "asalto", "--hosted"][..], &players].concat()).fails(2);
    assert!(refused.contains("the host's key is") && refused.contains("postrider key rotate"), "{refused}");
}

#[test]
fn z36_statements_about_the_keys_of_strangers_are_not_kept() {
    let (ada, _bram) = running();
    let stranger = home("cleo@example.com");
    let said = stranger.run(&["key", "revoke", "--now"]).ok();
    let done = receive(&ada, &[], &mail("cleo@example.com", &said));
    assert!(done.code == 0 && done.out.contains("nothing to do"), "{}{}", done.out, done.err);
    assert!(!ada.path("home/data/keys/statements").exists());
    // The player can take it all the same.
    ada.write("said", &said);
    let taken = ada.run(&["key", "take", "said"]).ok();
    assert!(taken.contains("a key that is not known here") && taken.contains(&fingerprint(&stranger)), "{taken}");
    ada.write("said", said.replace("2026-11-21", "2026-11-20"));
    assert!(ada.run(&["key", "take", "said"]).fails(2).contains("no statement about a key that holds"));
}

#[test]
#[cfg(unix)]
fn nothing_is_taken_while_others_may_write_what_is_said_of_keys() {
    use std::os::unix::fs::PermissionsExt;
    let (ada, bram) = running();
    bram.run(&["key", "revoke", "--in-advance", "withdrawal"]).ok();
    let _ = receive(&ada, &[], &mail("cleo@example.com", &bram.read("withdrawal")));
    let next = sent(&bram);
    let before = ada.read("games/game.pbem");
    let file = ada.path("home/data/keys/statements");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o622)).expect("a mode");
    let done = receive(&ada, &[], &next);
    assert!(done.code == 75 && done.err.contains("others may write"), "{} {}", done.code, done.err);
    assert_eq!(ada.read("games/game.pbem"), before);
    let doctor = ada.run(&["doctor"]);
    assert!(format!("{}{}", doctor.out, doctor.err).contains("statements"), "{}{}", doctor.out, doctor.err);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
    is_held(&receive(&ada, &[], &next), &fingerprint(&bram));
}
