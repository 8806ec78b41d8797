//! Attacks on the protocol, each carried out against the program: a record saved over the old one, an id used twice,
//! entries forged in a player's name, times that win or freeze a game, keys that change. None of them requires breaking
//! a seal or a signature.

use std::path::Path;

use crate::letters::run;
use crate::players::{FILE, Player};
use crate::seats::digits;
use crate::session::{Done, Session, Told};
use crate::signing::{ada, bram, cleo, field, signed};
use postrider_kernel::{Nonce, Salt};
use postrider_referee::sealing::{SecretKey, seals};

pub const NOW: &str = "2026-11-23T12:00:00Z";

/// Runs a command at a given time.
pub fn at(session: &Session, now: &str, args: &[&str], input: &str) -> Done {
    let mut command = session.command(args);
    command.env("POSTRIDER_NOW", now);
    run(command, input.as_bytes())
}

/// The same, with a note of what is said.
fn noted(told: &mut Told, session: &Session, now: &str, args: &[&str], input: &str) -> Done {
    let done = at(session, now, args, input);
    let letter = if input.is_empty() { "" } else { " < letter" };
    told.note(session, &format!("{}{letter}", args.join(" ")), &done);
    done
}

/// The fingerprints of keys, and what they are called in what is shown.
fn named<'n>(keys: &[(&'n str, SecretKey)]) -> Vec<(String, &'n str)> {
    keys.iter().map(|(name, key)| (key.public().fingerprint(), *name)).collect()
}

/// A letter with a record attached, from an address.
pub fn letter(from: &str, record: &str) -> String {
    let body = data_encoding::BASE64.encode(record.as_bytes());
    format!(
        "From: {from}\nSubject: [pbem] a game\nDate: Mon, 23 Nov 2026 11:05:00 +0000\nMIME-Version: 1.0\nContent-Type: \
         application/octet-stream\nContent-Transfer-Encoding: base64\n\n{body}\n"
    )
}

/// A home with these settings and one game.
pub fn home(settings: &str, record: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("games: ../games\n{settings}"));
    session.write("games/ours.pbem", record);
    session
}

pub const OURS: &str = "games/ours.pbem";
pub const BRAM: &str = "email: bram@example.net\n";

/// The header of a game of Asalto between Ada's besiegers and Bram's defenders, with additional text for the players
/// and additional lines.
pub fn asalto(id: &str, besiegers: &str, defenders: &str, more: &str) -> String {
    format!(
        "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: Ada Quill{besiegers}}}\n  defenders: {{name: Bram \
         Post{defenders}}}\nstarted: 2026-11-21\n{more}---\n"
    )
}

pub const ADA_MAIL: &str = ", email: ada@example.org";
pub const BRAM_MAIL: &str = ", email: bram@example.net";

#[test]
fn a_seal_that_was_ground_after_the_salt_was_seen_is_not_played_on_with() {
    const ID: &str = "assassyn-ground-seal";
    let nonce = |number: u128| Nonce(number.to_be_bytes());
    let seal = |nonce: &Nonce| seals::seal(ID, "white", "roll.1", "roll", nonce);
    let header = format!(
        "---\npbem: 1\ngame: assassyn\nid: {ID}\nplayers:\n  white: {{name: Ada{ADA_MAIL}}}\n  black: {{name: \
         Bram{BRAM_MAIL}}}\nstarted: 2026-11-21\nsecrecy: sealed\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"\n---\n"
    );
    let honest = format!("{header}1 white Lc1xc5 seal:{} @2026-11-22T09:00:00Z\n", seal(&nonce(1)));
    let bram = home(BRAM, &honest);
    at(&bram, NOW, &["move", OURS, "accept"], "").ok();
    let known = bram.read(OURS);
    let hex = known.split("salt:").nth(1).and_then(|rest| rest.get(..32)).expect("a salt");
    let bytes: [u8; 16] = data_encoding::HEXLOWER.decode(hex.as_bytes()).expect("hex").try_into().expect("a salt");
    // Ada tries nonces until she likes the dice, and seals that one in her first entry.
    let best = (2..100_000)
        .map(nonce)
        .find(|nonce| seals::throw(ID, "roll.1", nonce, &Salt(bytes), &[12, 12])[..] == [12, 1])
        .expect("one nonce in 144");
    let ground = format!(
        "{}3 white open:{best}; Pa1-a2 @2026-11-23T12:30:00Z\n",
        known.replace(&seal(&nonce(1)).to_string(), &seal(&best).to_string())
    );
    bram.write("ground.pbem", &ground);
    bram.run(&["verify", "ground.pbem"]).ok();
    // By mail it is refused; saved over the record, every command reports it, and nothing can be entered.
    let mut told = Told::default();
    const LATER: &str = "2026-11-23T13:00:00Z";
    let sent = letter("ada@example.org", &ground);
    let _ = noted(&mut told, &bram, LATER, &["receive"], &sent);
    bram.write(OURS, &ground);
    for command in [&["show", OURS][..], &["status"], &["verify", "games"]] {
        let _ = noted(&mut told, &bram, LATER, command, "");
    }
    // Its report is of throws that differ from run to run.
    told.note(&bram, "audit", &Done { out: String::new(), ..at(&bram, LATER, &["audit", OURS], "") });
    for command in [&["move", OURS, "Pf6-e6"][..], &["answer", OURS]] {
        noted(&mut told, &bram, LATER, command, "").fails(2);
    }
    assert_eq!(bram.read(OURS), ground, "nothing was entered");
    assert_eq!(at(&bram, NOW, &["receive"], &letter("ada@example.org", &ground)).code, 75, "nor taken");
    // The old record is restored, and the other one is kept too.
    bram.run(&["restore", OURS]).ok();
    assert_eq!(bram.read(OURS), known);
    assert_eq!(bram.read(&format!("games/{ID}.pbem.damaged-20261121T120000Z")), ground);
    // It is not sent on either, and the commands that only read it report it.
    bram.write(OURS, &ground);
    noted(&mut told, &bram, NOW, &["send", OURS, "--force"], "").fails(2);
    for command in [
        &["moves", OURS][..],
        &["clock", OURS],
        &["picture", OURS, "-o", "board.svg"],
        &["page", OURS, "-o", "game.html"],
        &["page", "games", "-o", "pages"],
        &["export", "games"],
        &["export", OURS, "--entries", "--csv"],
        &["table", "games"],
    ] {
        let done = at(&bram, NOW, command, "");
        assert_eq!(done.code, 0, "{command:?} {}", done.err);
        // What it is asked for is shown elsewhere.
        let said = done.err.split_inclusive('\n').filter(|line| !line.ends_with(" bytes\n")).collect();
        told.note(&bram, &command.join(" "), &Done { out: String::new(), err: said, ..done });
    }
    // What lies in an archive, or elsewhere, is not the player's game, and of the honest record nothing is said.
    bram.write("elsewhere/copy.pbem", &ground);
    at(&bram, NOW, &["pack", "games", "-o", "games.jsonl.zst"], "").ok();
    for path in ["elsewhere/copy.pbem", "games.jsonl.zst"] {
        assert_eq!(at(&bram, NOW, &["export", path], "").err, "", "{path}");
    }
    // A link in the folder of games is a game too, wherever it leads.
    bram.write("elsewhere/ground.pbem", &ground);
    std::fs::remove_file(bram.path(OURS)).expect("removed");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(bram.path("elsewhere/ground.pbem"), bram.path(OURS)).expect("a link");
        for path in ["games", OURS] {
            let said = at(&bram, NOW, &["verify", path], "").ok();
            assert!(said.contains("entry 1 was rewritten"), "{path} {said}");
        }
        std::fs::remove_file(bram.path(OURS)).expect("removed");
    }
    // After reading what changed, a player can accept it and continue.
    bram.write(OURS, &ground);
    let list = at(&bram, "2026-11-23T13:00:00Z", &["moves", OURS], "").ok();
    let entry = list.lines().next().expect("an entry");
    at(&bram, "2026-11-23T13:00:00Z", &["move", OURS, entry, "--accept-rewritten"], "").ok();
    assert!(!at(&bram, NOW, &["show", OURS], "").err.contains("does not continue"));
    insta::assert_snapshot!("ground_seal", told.text());
}

#[test]
fn entries_missing_from_an_older_copy_are_reported() {
    let record = asalto("asalto-older-copy", ADA_MAIL, BRAM_MAIL, "");
    let bram = home(BRAM, &record);
    at(&bram, NOW, &["move", OURS, "place c6 e6"], "").ok();
    bram.write(OURS, &record);
    let mut told = Told::default();
    noted(&mut told, &bram, NOW, &["move", OURS, "place c6 d6"], "").fails(2);
    noted(&mut told, &bram, NOW, &["restore", OURS], "").ok();
    assert_eq!(bram.read(OURS), format!("{record}1 defenders place c6 e6 @{NOW}\n"));
    noted(&mut told, &bram, NOW, &["restore", OURS], "").ok();
    insta::assert_snapshot!("older_copy", told.text());
}

#[test]
fn a_deleted_record_is_brought_back_under_its_id_and_nothing_else_is_written() {
    const ID: &str = "asalto-deleted-file";
    let bram = home(BRAM, "nothing");
    std::fs::remove_file(bram.path(OURS)).expect("removed");
    at(&bram, NOW, &["receive"], &letter("ada@example.org", &asalto(ID, ADA_MAIL, BRAM_MAIL, ""))).ok();
    at(&bram, NOW, &["accept", ID], "").ok();
    let file = format!("games/{ID}.pbem");
    at(&bram, NOW, &["move", &file, "place c6 e6"], "").ok();
    let record = bram.read(&file);
    std::fs::remove_file(bram.path(&file)).expect("removed");
    let mut told = Told::default();
    noted(&mut told, &bram, NOW, &["restore", &file], "").ok();
    assert_eq!(bram.read(&file), record);
    noted(&mut told, &bram, NOW, &["restore", "games/asalto-never-played.pbem"], "").fails(2);
    insta::assert_snapshot!("deleted_record", told.text());
    assert!(!bram.path("games/asalto-never-played.pbem").exists());
}

#[test]
fn z23_an_id_that_was_used_is_not_used_for_another_game() {
    const ID: &str = "assassyn-used-twice";
    let header = |started: &str| {
        format!(
            "---\npbem: 1\ngame: assassyn\nid: {ID}\nplayers:\n  white: {{name: Bram{BRAM_MAIL}}}\n  black: {{name: \
             Ada{ADA_MAIL}}}\nstarted: {started}\nsecrecy: sealed\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"\n---\n"
        )
    };
    let bram = home(BRAM, &header("2026-11-20"));
    at(&bram, NOW, &["move", OURS, "Lc1xc5"], "").ok();
    // The first game is archived elsewhere, and Ada sends an invitation with the same id.
    bram.write("archive/old.pbem", bram.read(OURS));
    std::fs::remove_file(bram.path(OURS)).expect("archived");
    let second = header("2026-11-21");
    let mut told = Told::default();
    noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &second)).ok();
    noted(&mut told, &bram, NOW, &["accept", ID], "").fails(2);
    // A player whose older program kept no copies still has the secret.
    std::fs::remove_dir_all(bram.path("home/data/known")).expect("removed");
    noted(&mut told, &bram, NOW, &["accept", ID], "").fails(2);
    // Nor is anything sealed with it in a file that was saved by hand.
    bram.write(OURS, &second);
    noted(&mut told, &bram, NOW, &["move", OURS, "Lc1xc5"], "").fails(2);
    assert_eq!(bram.read(OURS), second);
    insta::assert_snapshot!("id_used_twice", told.text());
}

#[test]
fn nothing_is_accepted_if_the_players_side_is_unknown() {
    let entries = ["1 defenders place c6 e6 @2026-11-21T10:15:00Z\n", "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n"];
    let forged = "3 defenders resign @2026-11-22T09:00:00Z\n= besiegers win: resigned\n";
    let mut told = Told::default();
    // No settings; no addresses in the header; an address that is another spelling of the one in the header.
    for (settings, mail) in [("", BRAM_MAIL), ("", ""), ("email: bram+games@example.net\n", BRAM_MAIL)] {
        let header = asalto("asalto-forged-entry", ADA_MAIL, mail, "");
        let here = format!("{header}{}", entries[0]);
        let there = format!("{here}{}{forged}", entries[1]);
        let bram = home(settings, &here);
        let _ = noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &there));
        assert_eq!(bram.read(OURS), here, "{settings}{mail}");
        if settings.is_empty() {
            noted(&mut told, &bram, NOW, &["own", OURS, "defenders"], "").ok();
        }
        let _ = noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &there));
        assert_eq!(bram.read(OURS), here, "{settings}{mail}");
        let honest = format!("{here}{}", entries[1]);
        noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &honest)).ok();
        assert_eq!(bram.read(OURS), honest, "{settings}{mail}");
    }
    // Having entered something here shows which side is one's own.
    let header = asalto("asalto-forged-entry", ADA_MAIL, "", "");
    let bram = home("", &header);
    at(&bram, "2026-11-21T10:15:00Z", &["move", OURS, "place c6 e6"], "").ok();
    let there = format!("{}{}{forged}", bram.read(OURS), entries[1]);
    let _ = noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &there));
    assert!(!there.starts_with(&bram.read(OURS)) || !bram.read(OURS).contains("resign"));
    insta::assert_snapshot!("side_unknown", told.text());
}

#[test]
fn an_invitation_is_accepted_as_a_side_and_not_guessed() {
    const ID: &str = "asalto-whose-side";
    let bram = home("", "nothing");
    std::fs::remove_file(bram.path(OURS)).expect("removed");
    let record = asalto(ID, "", "", "");
    at(&bram, NOW, &["receive"], &letter("ada@example.org", &record)).ok();
    let mut told = Told::default();
    noted(&mut told, &bram, NOW, &["accept", ID], "").fails(2);
    noted(&mut told, &bram, NOW, &["accept", ID, "--as", "portalists"], "").fails(2);
    noted(&mut told, &bram, NOW, &["accept", ID, "--as", "defenders"], "").ok();
    let file = format!("games/{ID}.pbem");
    assert_eq!(bram.run(&["own", &file]).ok(), "the defenders are yours: you said so\n");
    // An invitation may contain entries that the opponent invented for the invited player.
    let forged = asalto("asalto-forged-start", "", "", "") + "1 defenders place c6 e6\n2 besiegers c4-c5\n";
    at(&bram, NOW, &["receive"], &letter("ada@example.org", &forged)).ok();
    noted(&mut told, &bram, NOW, &["accept", "asalto-forged-start", "--as", "defenders"], "").fails(2);
    insta::assert_snapshot!("whose_side", told.text());
}

#[test]
fn another_key_of_a_known_opponent_is_not_accepted_in_silence() {
    let session = home(BRAM, "nothing");
    std::fs::remove_file(session.path(OURS)).expect("removed");
    let invite = |id: &str, mail: &str, key: &str| {
        at(
            &session,
            NOW,
            &["receive"],
            &letter("ada@example.org", &asalto(id, &format!("{mail}{key}"), BRAM_MAIL, "")),
        )
        .ok();
    };
    let mut told = Told::default();
    invite("asalto-first-key", ADA_MAIL, &field(&ada()));
    noted(&mut told, &session, NOW, &["accept", "asalto-first-key"], "").ok();
    noted(&mut told, &session, NOW, &["key", "show"], "").ok();
    invite("asalto-same-key", ADA_MAIL, &field(&ada()));
    noted(&mut told, &session, NOW, &["accept", "asalto-same-key"], "").ok();
    // A different key, with the address and without it.
    let bare = asalto("asalto-no-address", &field(&cleo()), "", "");
    at(&session, NOW, &["receive"], &letter("ada@example.org", &bare)).ok();
    invite("asalto-other-key", ADA_MAIL, &field(&cleo()));
    for id in ["asalto-other-key", "asalto-no-address"] {
        noted(&mut told, &session, NOW, &["accept", id, "--as", "defenders"], "").fails(2);
        assert!(!session.path(&format!("games/{id}.pbem")).exists());
    }
    noted(&mut told, &session, NOW, &["accept", "asalto-other-key", "--despite-key"], "").ok();
    // Nothing is entered in it later without saying so again.
    noted(&mut told, &session, NOW, &["move", "games/asalto-other-key.pbem", "place c6 e6"], "").fails(2);
    at(&session, NOW, &["move", "games/asalto-other-key.pbem", "place c6 e6", "--despite-key"], "").ok();
    // Once confirmed in another way than by mail, it is accepted.
    let new = cleo().public().fingerprint();
    noted(&mut told, &session, NOW, &["key", "trust", "ada@example.org", &new], "").fails(2);
    // A file counts for what it holds, not for its name.
    session.write("ada.pub", "see my other mail\n");
    noted(&mut told, &session, NOW, &["key", "trust", "ada@example.org", "ada.pub", "--instead"], "").fails(2);
    noted(&mut told, &session, NOW, &["key", "trust", "ada@example.org", &new, "--instead"], "").ok();
    invite("asalto-trusted-key", ADA_MAIL, &field(&cleo()));
    noted(&mut told, &session, NOW, &["accept", "asalto-trusted-key"], "").ok();
    insta::assert_snapshot!("another_key", told.shown(&named(&[("ADA'S KEY", ada()), ("CLEO'S KEY", cleo())])));
}

#[test]
fn a_header_without_an_address_makes_no_key_look_new() {
    let session = home(BRAM, "nothing");
    std::fs::remove_file(session.path(OURS)).expect("removed");
    session.run(&["key", "trust", "ada@example.org", &ada().public().fingerprint()]).ok();
    let sent = |id: &str, mail: &str, key: &dyn Fn() -> SecretKey, from: &str| {
        let header = asalto(id, BRAM_MAIL, &format!("{mail}{}", field(&key())), "");
        let header = header.replace("name: Bram Post", "name: Somebody").replace("name: Ada Quill", "name: Bram Post");
        let text = signed(&(header + "1 defenders place c6 e6\n"), |side| (side == "defenders").then(key));
        let received = at(&session, NOW, &["receive"], &letter(from, &text));
        (received, at(&session, NOW, &["accept", id], ""))
    };
    let mut told = Told::default();
    for from in ["ada@example.org", "ADA@example.org", "ada+games@example.org"] {
        let (received, accepted) = sent("asalto-bare-header", "", &cleo, from);
        told.note(&session, &format!("receive, from {from}"), &received);
        told.note(&session, "accept asalto-bare-header", &accepted);
    }
    // Nor does another spelling of the address.
    let (received, accepted) =
        sent("asalto-other-tag", ", email: ada+games@example.org", &cleo, "ada+games@example.org");
    told.note(&session, "receive, with ada+games@example.org in the header", &received);
    told.note(&session, "accept asalto-other-tag", &accepted);
    // With her own key it is accepted.
    let (_, accepted) = sent("asalto-her-own-key", "", &ada, "ada@example.org");
    told.note(&session, "accept asalto-her-own-key", &accepted);
    insta::assert_snapshot!("bare_header", told.shown(&named(&[("ADA'S KEY", ada()), ("CLEO'S KEY", cleo())])));
}

#[test]
fn a_missing_key_is_noticed_where_one_is_known() {
    let session = home(BRAM, "nothing");
    let invite = |id: &str, more: &str| {
        let text = asalto(id, &format!("{ADA_MAIL}{more}"), BRAM_MAIL, "");
        at(&session, NOW, &["receive"], &letter("ada@example.org", &text)).ok();
        at(&session, NOW, &["accept", id], "")
    };
    let mut told = Told::default();
    std::fs::remove_file(session.path(OURS)).expect("removed");
    invite("asalto-with-her-key", &field(&ada())).ok();
    told.note(&session, "accept asalto-without-key", &invite("asalto-without-key", ""));
    let fingerprint = ada().public().fingerprint();
    // Once the key is confirmed, entries without it are answered only if the player insists.
    session.run(&["key", "trust", "ada@example.org", &fingerprint]).ok();
    let unsigned = asalto("asalto-not-signed", ADA_MAIL, BRAM_MAIL, "")
        + "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n2 besiegers c4-c5 @2026-11-22T08:02:11Z\n";
    session.write(OURS, &unsigned);
    noted(&mut told, &session, NOW, &["move", OURS, "c6-d6"], "").fails(2);
    assert_eq!(session.read(OURS), unsigned);
    at(&session, NOW, &["move", OURS, "c6-d6", "--despite-key"], "").ok();
    // Of many such games the first is named and the others are counted.
    for nth in 1..=3 {
        session.write(&format!("old/{nth}.pbem"), unsigned.replace("asalto-not-signed", &format!("asalto-old-{nth}")));
    }
    for args in [&["table", "old"][..], &["export", "old"], &["page", "old", "-o", "pages"]] {
        told.note(&session, &args.join(" "), &Done { out: String::new(), ..session.run(args) });
    }
    insta::assert_snapshot!("missing_key", told.shown(&named(&[("ADA'S KEY", ada())])));
}

#[test]
fn one_key_for_both_sides_is_refused() {
    let session = home(BRAM, "nothing");
    std::fs::remove_file(session.path(OURS)).expect("removed");
    let both =
        |id: &str| asalto(id, &format!("{ADA_MAIL}{}", field(&ada())), &format!("{BRAM_MAIL}{}", field(&ada())), "");
    let mut told = Told::default();
    let _ = noted(&mut told, &session, NOW, &["receive"], &letter("ada@example.org", &both("asalto-one-key")));
    noted(&mut told, &session, NOW, &["accept", "asalto-one-key"], "").fails(2);
    session.write("one.pbem", both("asalto-one-key"));
    noted(&mut told, &session, NOW, &["verify", "one.pbem"], "").ok();
    noted(&mut told, &session, NOW, &["verify", "--trusted", "one.pbem"], "").fails_with_out(3);
    insta::assert_snapshot!("one_key", told.shown(&named(&[("ADA'S KEY", ada())])));
}

#[test]
fn verify_tells_by_its_exit_code_whether_the_keys_are_those_that_are_trusted() {
    let session = Session::new();
    let record = signed(
        &(asalto(
            "asalto-trusted-or-not",
            &format!("{ADA_MAIL}{}", field(&ada())),
            &format!("{BRAM_MAIL}{}", field(&bram())),
            "",
        ) + "1 defenders place c6 e6\n2 besiegers c4-c5\n"),
        |side| Some(if side == "besiegers" { ada() } else { bram() }),
    );
    session.write("game.pbem", &record);
    let mut told = Told::default();
    let mut run = |args: &[&str]| noted(&mut told, &session, NOW, args, "");
    run(&["verify", "game.pbem"]).ok();
    run(&["verify", "--trusted", "-q", "game.pbem"]).fails(3);
    run(&["key", "trust", "ada@example.org", &ada().public().fingerprint()]).ok();
    run(&["verify", "--trusted", "game.pbem"]).fails(3);
    run(&["key", "trust", "bram@example.net", &bram().public().fingerprint()]).ok();
    run(&["verify", "--trusted", "game.pbem"]).ok();
    // Without any signature there is nothing to trust, and what is illegal remains so.
    session.write("bare.pbem", asalto("asalto-unsigned", ADA_MAIL, BRAM_MAIL, ""));
    run(&["verify", "--trusted", "bare.pbem"]).fails(3);
    session.write("bad.pbem", asalto("asalto-unsigned", ADA_MAIL, BRAM_MAIL, "") + "1 defenders place a1 a1\n");
    run(&["verify", "--trusted", "bare.pbem", "bad.pbem"]).fails(1);
    insta::assert_snapshot!("trusted", told.shown(&named(&[("ADA'S KEY", ada()), ("BRAM'S KEY", bram())])));
}

/// A sealed game of Assassyn's Dagger between Ada's white and Bram's black, each at home, up to the acceptance of a
/// challenge.
fn accepted(base: &std::path::Path) -> [Player; 2] {
    let players = ["white", "black"].map(|word| Player::new(base, "assassyn-committed", word));
    let setup = "white Pa1 Lc1 Ab2; black Pf6 Sc5 Sb3; to play white";
    let names = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let new = ["new", "assassyn", "--id", "assassyn-committed", "--setup", setup, "-o", FILE];
    players[0].done(0, &[&new[..], &names[..]].concat());
    players[0].done(1, &["move", FILE, "Lc1xc5"]);
    std::fs::write(players[1].folder.join(FILE), players[0].record()).expect("a copy");
    players[1].done(2, &["move", FILE, "accept"]);
    std::fs::write(players[0].folder.join(FILE), players[1].record()).expect("a copy");
    players
}

/// Makes the turn that follows the opening of the dice.
fn opened(player: &Player, clock: u32) {
    if !player.run(clock, &["answer", FILE]).status.success() {
        player.done(clock, &["move", FILE, "Pa1-a2"]);
    }
}

#[test]
fn z21_z22_the_same_turn_on_another_machine_is_exactly_the_same() {
    let base = tempfile::tempdir().expect("a folder");
    let [white, black] = accepted(base.path());
    opened(&white, 3);
    if white.record().contains("\n= ") {
        return;
    }
    // Black's secret is also on a second machine, and white sends the record to both.
    let second = Player::new(&base.path().join("second"), "assassyn-committed", "black");
    black.done(3, &["secret", "export", "backup.txt"]);
    std::fs::copy(black.folder.join("backup.txt"), second.folder.join("backup.txt")).expect("a backup");
    second.done(3, &["secret", "import", "backup.txt"]);
    for player in [&black, &second] {
        std::fs::write(player.folder.join(FILE), white.record()).expect("a copy");
    }
    let list = black.done(4, &["moves", FILE]);
    let entry = list.lines().find(|entry| entry.contains('x')).or(list.lines().next()).expect("an entry").to_owned();
    for player in [&black, &second] {
        player.done(5, &["move", FILE, &entry]);
    }
    assert_eq!(black.record(), second.record());
    // After a different past, the same seal would have a different nonce: what is opened in one game says nothing about
    // the other.
    let other = white.record().replace("Pa1-a2", "Ab2-a2");
    std::fs::write(second.folder.join(FILE), &other).expect("a copy");
    std::fs::remove_dir_all(second.home().join("data/known")).expect("as if new");
    if second.run(5, &["move", FILE, &entry]).status.success() {
        let seal = |record: &str| {
            record.lines().rfind(|line| line.contains("seal:")).map(|line| line[line.len() - 90..].to_owned())
        };
        assert!(!entry.contains('x') || seal(&second.record()) != seal(&black.record()));
    }
}

/// A committed game played until it is won, and who has won it.
fn won(base: &Path) -> Player {
    let [white, black] = accepted(base);
    assert_eq!(white.record().matches("; commit ").count(), 2, "{}", white.record());
    opened(&white, 3);
    if !white.record().contains("\n= ") {
        std::fs::write(black.folder.join(FILE), white.record()).expect("a copy");
        black.done(4, &["move", FILE, "resign"]);
        std::fs::write(white.folder.join(FILE), black.record()).expect("a copy");
    }
    if white.record().contains("\n= white wins") { white } else { black }
}

#[test]
fn z20_z24_a_win_is_proven_by_the_secret_that_was_committed_to_and_by_no_other() {
    let base = tempfile::tempdir().expect("a folder");
    let winner = &won(base.path());
    let audit = |player: &Player| {
        let output = player.run(5, &["audit", FILE]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = audit(winner);
    assert!(code == Some(3) && said.contains("Won, not proven"), "{code:?} {said}");
    let status = winner.done(5, &["status", ".", "--all"]);
    assert!(status.contains("won, not proven"), "{status}");
    // The loser writes three invented secrets into the record; they accuse nobody.
    let mut framed = winner.record();
    for digits in ["5a", "a5", "00"] {
        framed.push_str(&format!("# secret {} {}\n", winner.word, digits.repeat(32)));
    }
    framed.push_str(&format!("# secret {} garbage\n", winner.word));
    std::fs::write(winner.folder.join(FILE), &framed).expect("a record");
    let (code, said) = audit(winner);
    assert!(
        code == Some(3)
            && said.matches(": noise: ").count() == 4
            && !said.contains("a nonce that the secret does not give"),
        "{code:?} {said}"
    );
    winner.done(6, &["secret", "publish", FILE]);
    let (code, said) = audit(winner);
    assert!(code == Some(0) && said.contains("is proven") && said.matches(": noise: ").count() == 4, "{code:?} {said}");
    assert!(said.contains("all follow from the secret"), "{said}");
    assert!(!winner.done(5, &["status", ".", "--all"]).contains("not proven"));
}

#[test]
fn z24_a_table_names_the_wins_that_are_not_proven() {
    let base = tempfile::tempdir().expect("a folder");
    let winner = &won(base.path());
    let table = |args: &[&str]| winner.run(5, &[&["table", FILE][..], args].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    assert!(text(table(&[]).stdout).contains("\nwon, not proven: game.pbem: `postrider proof audit` says more\n"));
    assert!(text(table(&["--json"]).stdout).contains("\"unproven\":[\"game.pbem\"]"));
    assert!(text(table(&["--format", "csv"]).stderr).contains("won, not proven: game.pbem"));
    winner.done(6, &["secret", "publish", FILE]);
    assert!(!text(table(&[]).stdout).contains("not proven"));
    assert!(text(table(&["--json"]).stdout).contains("\"unproven\":[]"));
}

#[test]
fn z24_an_invented_secret_accuses_nobody_in_a_record_without_commitments() {
    let session = Session::new();
    let game = include_str!("../../examples/assassyn/sealed-game.pbem");
    let (record, secrets): (Vec<_>, Vec<_>) = game.lines().partition(|line| !line.starts_with("# secret "));
    let record = record.join("\n") + "\n";
    let mut told = Told::default();
    // What it says of secrets, and what follows.
    let end = |done: Done| {
        let (_, secrets) = done.out.split_once("\nSecrets\n").expect("a section about secrets");
        Done { out: secrets.to_owned(), ..done }
    };
    for side in ["white", "black"] {
        session.write("game.pbem", format!("{record}# secret {side} {}\n", "5a".repeat(32)));
        let done = session.run(&["audit", "game.pbem"]);
        assert!(done.code != 1, "{side} {}", done.out);
        told.note(&session, &format!("audit, with an invented secret of {side}"), &end(done));
        // The true one is found beside it.
        let both = format!("{record}# secret {side} {}\n{}\n", "5a".repeat(32), secrets.join("\n"));
        session.write("game.pbem", both);
        told.note(&session, "audit, with the true one beside it", &end(session.run(&["audit", "game.pbem"])));
    }
    insta::assert_snapshot!("invented_secret", told.text());
}

#[test]
fn z20_m59_what_a_game_lacks_is_said_before_it_is_accepted() {
    const ID: &str = "assassyn-uncommitted";
    let nonce = Nonce([7; 16]);
    let seal = seals::seal(ID, "white", "roll.1", "roll", &nonce);
    let record = format!(
        "---\npbem: 1\ngame: assassyn\nid: {ID}\nplayers:\n  white: {{name: Ada{ADA_MAIL}}}\n  black: {{name: \
         Bram{BRAM_MAIL}}}\nstarted: 2026-11-21\nsecrecy: sealed\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play \
         white\"\n---\n1 white Lc1xc5 seal:{seal} @2026-11-22T09:00:00Z\n"
    );
    let bram = home(BRAM, "nothing");
    std::fs::remove_file(bram.path(OURS)).expect("removed");
    let mut told = Told::default();
    noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &record)).ok();
    noted(&mut told, &bram, NOW, &["accept", ID], "").ok();
    // A first entry that comes later waits until the player agrees.
    let header = record.split_inclusive("---\n").take(2).collect::<String>().replace(ID, "assassyn-committing");
    let seal = seals::seal("assassyn-committing", "white", "roll.1", "roll", &nonce);
    bram.write(OURS, &header);
    let first = format!("{header}1 white Lc1xc5 seal:{seal} @2026-11-22T09:00:00Z\n");
    let done = noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &first));
    assert_eq!(bram.read(OURS), header);
    let named = digits(&done.err, "assassyn-committing");
    noted(&mut told, &bram, NOW, &["receive", "--agree", "assassyn-committing", &named], "").ok();
    // Fewer decks than usual.
    let decks = |options: &str| {
        format!(
            "---\npbem: 1\ngame: mission-combat\nid: mission-decks-{}\nplayers:\n  marines: {{name: Ada{ADA_MAIL}}}\n  portalists: \
             {{name: Bram{BRAM_MAIL}}}\nstarted: 2026-11-21\n{options}secrecy: sealed\n---\n",
            options.len()
        )
    };
    for options in
        ["", "options: {sealed-decks: 4}\n", "options: {sealed-decks: 16}\n", "options: {sealed-decks: 64 }\n"]
    {
        let done = at(&bram, NOW, &["receive"], &letter("ada@example.org", &decks(options)));
        told.note(&bram, &format!("receive, with {:?}", options.trim()), &done);
    }
    let options = "options: {sealed-decks: 16, sealed-shuffles: 8}\n";
    let done = at(&bram, NOW, &["receive"], &letter("ada@example.org", &decks(options)));
    told.note(&bram, &format!("receive, with {:?}", options.trim()), &done);
    insta::assert_snapshot!("uncommitted", told.text());
}

#[test]
fn z22_a_salt_not_derived_from_the_secret_is_reported_and_accuses_nobody() {
    let base = tempfile::tempdir().expect("a folder");
    let [white, black] = accepted(base.path());
    // Black's program drew a different salt.
    let record = white.record();
    let salt = record.split("salt:").nth(1).and_then(|rest| rest.get(..32)).expect("a salt");
    let drawn = record.replace(salt, &"0123456789abcdef".repeat(2));
    std::fs::write(white.folder.join(FILE), &drawn).expect("a copy");
    opened(&white, 3);
    if !white.record().contains("\n= ") {
        white.done(4, &["verify", FILE]);
        std::fs::write(black.folder.join(FILE), white.record()).expect("a copy");
        black.done(4, &["move", FILE, "resign", "--accept-rewritten"]);
    } else {
        std::fs::write(black.folder.join(FILE), white.record()).expect("a copy");
    }
    let _ = black.run(5, &["secret", "publish", FILE]);
    let _ = std::fs::remove_dir_all(black.home().join("data/known"));
    black.done(5, &["secret", "publish", FILE]);
    let output = black.run(5, &["audit", FILE]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("black: entry 2: the salt does not follow from the secret"), "{said}");
    assert_ne!(output.status.code(), Some(1), "{said}");
}

#[test]
fn z20_a_commitment_is_made_once_in_a_sides_first_entry_of_a_sealed_record() {
    let commit = format!("commit {}", "ab".repeat(32));
    let header = |secrecy: &str| {
        format!(
            "---\npbem: 1\ngame: assassyn\nid: assassyn-commitments\nplayers:\n  white: {{name: Ada}}\n  black: {{name: \
             Bram}}\nstarted: 2026-11-21\nsecrecy: {secrecy}\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"\n---\n"
        )
    };
    let rule = |secrecy: &str, lines: &str| {
        let verdict = postrider_referee::verdict::verify(format!("{}{lines}", header(secrecy)).as_bytes());
        verdict.errors.first().map(|error| error.rule.unwrap_or("malformed"))
    };
    assert_eq!(rule("sealed", &format!("1 white Pa1-a2; {commit}\n2 black Pf6-f5; {commit}\n")), None);
    for (secrecy, lines) in [
        ("open", format!("1 white Pa1-a2; {commit}\n")),
        ("sealed", format!("1 white {commit}; Pa1-a2\n")),
        ("sealed", format!("1 white {commit}\n")),
        ("sealed", format!("1 white Pa1-a2; {commit}; {commit}\n")),
        ("sealed", format!("1 white Pa1-a2\n2 black Pf6-f5\n3 white Pa2-a3; {commit}\n")),
    ] {
        assert_eq!(rule(secrecy, &lines), Some("Z20"), "{lines}");
    }
    assert_eq!(rule("sealed", "1 white Pa1-a2; commit 12\n"), Some("malformed"));
}

#[test]
fn two_machines_answering_at_two_times_are_not_evidence() {
    let entries = |time: &str| {
        signed(
            &(asalto("asalto-two-machines", &field(&ada()), &field(&bram()), "")
                + &format!("1 defenders place c6 e6 @2026-11-21T{time}Z\n")),
            |side| Some(if side == "besiegers" { ada() } else { bram() }),
        )
    };
    let session = Session::new();
    session.write("one.pbem", entries("10:00:00"));
    session.write("two.pbem", entries("10:00:07"));
    session.write("header.pbem", entries("10:00:00").replace("Ada Quill", "Eve Quill"));
    insta::assert_snapshot!(
        "two_machines",
        session.transcripts(&["evidence one.pbem two.pbem", "evidence one.pbem header.pbem"])
    );
}

#[test]
fn z24_no_secret_is_published_by_itself_on_an_end_that_nobody_has_proven() {
    let header = "---\npbem: 1\ngame: subsume\nid: subsume-forged-end\nplayers:\n  white: {name: Bram Post, email: \
                  bram@example.net}\n  black: {name: Ada Quill, email: ada@example.org}\nstarted: 2026-11-21\nsecrecy: \
                  sealed\n---\n";
    let mut told = Told::default();
    for (end, is_over) in [
        ("2 black resign\n= white wins: resigned\n", true),
        (
            "2 black +a8 seal:0000000000000000000000000000000000000000000000000000000000000001; commit \
             0000000000000000000000000000000000000000000000000000000000000001\n",
            false,
        ),
    ] {
        let bram = home(BRAM, header);
        at(&bram, NOW, &["move", OURS, "+a1I"], "").ok();
        let end = end.replace('\n', " @2026-11-23T12:00:00Z\n").replace("resigned @2026-11-23T12:00:00Z", "resigned");
        let there = format!("{}{end}", bram.read(OURS));
        noted(&mut told, &bram, NOW, &["receive", "--answer"], &letter("ada@example.org", &there)).ok();
        assert!(!bram.read(OURS).contains("# secret"), "{}", bram.read(OURS));
        if is_over {
            noted(&mut told, &bram, NOW, &["secret", "publish", OURS], "").ok();
            assert!(bram.read(OURS).contains("# secret white"));
        }
    }
    insta::assert_snapshot!("forged_end", told.text());
}

#[test]
fn e9_an_opponent_cannot_fill_a_record_with_messages() {
    let header = asalto("asalto-full-of-words", ADA_MAIL, BRAM_MAIL, "");
    let bram = home(BRAM, &header);
    let long = |bytes: usize| "x".repeat(bytes);
    at(&bram, NOW, &["move", OURS, "place c6 e6", "-m", &long(2048)], "").ok();
    let here = bram.read(OURS);
    let said = |bytes: usize| format!("{here}2 besiegers c4-c5 @{NOW} {{{}}}\n", long(bytes));
    let mut told = Told::default();
    let _ = noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &said(2049)));
    assert_eq!(bram.read(OURS), here);
    noted(&mut told, &bram, NOW, &["receive"], &letter("ada@example.org", &said(2048))).ok();
    // Nobody makes one here that is taken nowhere.
    noted(&mut told, &bram, NOW, &["move", OURS, "c6-d6", "-m", &long(2049)], "").fails(1);
    insta::assert_snapshot!("long_messages", told.text());
}
