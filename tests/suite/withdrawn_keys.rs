//! Keys that are withdrawn (Z36) or have a successor (Z37): what the homes of two players and of a thief say, and do, with real letters.

use std::fs;
use std::path::Path;

use crate::seats::{ID, answered, begun, digits, fingerprint, home, key, letter, receive};
use crate::session::{Done, Session};

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
    assert!(
        done.out.contains(&format!("the key of bram@example.net, {key}, was withdrawn on 2026-11-21")),
        "{}",
        done.out
    );
    is_held(&done, &key);
    let named = digits(&done.err, ID);
    assert_eq!(ada.read("games/game.pbem"), before);
    // The record says what it said before: verdicts depend on it alone.
    let verified = ada.run(&["verify", "games/game.pbem"]);
    let warning = format!("besiegers signs with the key {key}, which was withdrawn on 2026-11-21");
    assert!(verified.code == 0 && verified.out.contains(&warning), "{}{}", verified.out, verified.err);
    let strict = ada.run(&["verify", "--trusted", "games/game.pbem"]);
    assert!(strict.code == 3 && strict.out.contains("which was withdrawn"), "{} {}", strict.code, strict.err);
    // It waits, and is taken once the player agrees; so does the one after it.
    let agreed = receive(&ada, &["--agree", ID, &named], b"");
    assert!(agreed.out.contains("accepted: 4 besiegers "), "{}{}", agreed.out, agreed.err);
    exchange(&ada, &bram);
    is_held(&receive(&ada, &[], &sent(&bram)), &key);
    // Nothing withdrawn comes back.
    let refused = ada.run(&["key", "trust", "bram@example.net", &key, "--instead"]).fails(2);
    assert!(refused.contains("which was withdrawn on 2026-11-21"), "{refused}");
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
    let done = receive(&ada, &[], &mail("cleo@example.com", &text));
    assert!(done.out.contains(&format!("{key}, was withdrawn on 2026-11-21")), "{}{}", done.out, done.err);
    assert!(receive(&ada, &[], &mail("cleo@example.com", &text)).out.contains("nothing to do"), "it is known");
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
    let evidence = ada.run(&["evidence", "one.pbem", "other.pbem"]);
    assert!(
        evidence.code == 1 && evidence.out.contains("somebody else who has it may have signed one of the two"),
        "{}",
        evidence.out
    );
    // Nor does the thief begin another game in that name.
    let players =
        ["--player", "defenders=Bram Post <bram@example.net>", "--player", "besiegers=Ada Quill <ada@example.org>"];
    thief.run(&[&["new", "asalto", "--id", "asalto-of-a-thief", "-o", "games/other.pbem"][..], &players].concat()).ok();
    thief.run(&["move", "games/other.pbem", "place c6 e6", "--send"]).ok();
    let invited = receive(&ada, &[], &letter(&thief));
    assert!(invited.err.contains("refused: ") && invited.err.contains("which was withdrawn on"), "{}", invited.err);
    assert!(!invited.out.contains("you are invited"), "{}", invited.out);
    // The owner is told as well.
    let told = receive(&bram, &[], &mail("cleo@example.com", &text));
    assert!(told.out.contains("your own key") && told.out.contains("if that was not you, somebody else has it"));
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
    let done = receive(&ada, &[], &sent(&bram));
    assert!(
        done.out.contains(&format!("the key of bram@example.net, {old}, names {new} as its successor")),
        "{}",
        done.out
    );
    assert!(done.out.contains(&format!("`postrider key trust bram@example.net {new} --instead`")), "{}", done.out);
    assert!(done.out.contains("accepted: 4 besiegers "), "{}{}", done.out, done.err);
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
    let refused = receive(&ada, &[], &with_new);
    assert!(refused.err.contains("refused: ") && refused.err.contains(&new), "{}{}", refused.out, refused.err);
    // Confirmed, it is Bram's, and the running game goes on without a word.
    ada.run(&["key", "trust", "bram@example.net", &new, "--instead"]).ok();
    let invited = receive(&ada, &[], &with_new);
    assert!(invited.out.contains("you are invited"), "{}{}", invited.out, invited.err);
    exchange(&ada, &bram);
    let next = receive(&ada, &[], &sent(&bram));
    assert!(next.out.contains("accepted: 6 besiegers ") && !next.err.contains("warning"), "{}{}", next.out, next.err);
    assert_eq!(ada.run(&["verify", "games/game.pbem"]).code, 0);
    assert!(!ada.run(&["status"]).ok().contains("confirm the key"));
    // The old key begins nothing any more.
    let public = ada.read("games/game.pbem");
    let public =
        public.split("besiegers key ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    let with_old = begin("asalto-with-old-key", "games/old.pbem", &public);
    let refused = receive(&ada, &[], &with_old);
    assert!(
        refused.err.contains("refused: ") && refused.err.contains("in whose place"),
        "{}{}",
        refused.out,
        refused.err
    );
}

#[test]
fn z37_two_successors_are_told_and_the_key_counts_as_withdrawn() {
    let (ada, bram) = running();
    let old = fingerprint(&bram);
    let thief = thief(&bram);
    thief.run(&["key", "rotate"]).ok();
    // What a thief says changes nothing by itself.
    let done = receive(&ada, &[], &sent(&thief));
    assert!(done.out.contains(&format!("names {} as its successor: ask", fingerprint(&thief))), "{}", done.out);
    let said = bram.run(&["key", "rotate"]).ok();
    let told = receive(&ada, &[], &mail("bram@example.net", &said)).out;
    let both = [&thief, &bram].map(fingerprint);
    assert!(told.contains(&format!(
        "two keys claim to succeed the key of bram@example.net, {old}: {} and {}",
        both[0], both[1]
    )));
    exchange(&ada, &thief);
    let held = receive(&ada, &[], &sent(&thief));
    assert!(held.err.contains("held back: ") && held.err.contains("because it names two successors"), "{}", held.err);
    // Whoever trusts one of them is told that there are two.
    let done = ada.run(&["key", "trust", "bram@example.net", &both[0], "--instead"]);
    let told = format!("two successors of {old} were named, ");
    assert!(done.code == 0 && done.err.contains(&told), "{}{}", done.out, done.err);
    assert!(both.iter().all(|key| done.err.contains(key)), "{}", done.err);
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
