//! What strangers' letters can and cannot do besides entries: endless remarks, keys other than the trusted ones, names
//! that look like an opponent's, endless invitations.

use crate::letters::{GAME_FILE, HEADER, ID, bram, letter, receive, receive_in_colour, record};
use crate::session::Session;
use crate::signing::{self, ada, cleo, field};

const ADA: &str = ", email: ada@example.org";
const BRAM: &str = ", email: bram@example.net";

#[test]
fn remarks_are_accepted_with_an_entry_or_after_the_end_and_within_limits() {
    let secret = format!("# secret besiegers {}\n", "0".repeat(64));
    let many = "# so many words about a game that is going on\n".repeat(20_000);
    // While the game runs, remarks alone are ignored.
    let session = bram(2);
    for remarks in [&many, &secret, &"# hello\n".to_owned(), &"\n\n\n".to_owned()] {
        let done = receive(&session, &[], letter(&(record(2) + remarks)).as_bytes());
        assert!(done.out.contains("nothing new"), "{}{}", done.out, done.err);
        assert_eq!(session.read(GAME_FILE), record(2));
    }
    // Together with an entry a few are accepted, but no secret.
    let session = bram(1);
    let there =
        record(1) + &secret + "# hello\n" + &record(2)[record(1).len()..] + &many + &secret.replace("# ", "#  ");
    let done = receive(&session, &[], letter(&there).as_bytes());
    assert!(
        done.out.contains("accepted: 2 besiegers c4-c5") && done.err.contains("were left out"),
        "{}{}",
        done.out,
        done.err
    );
    let text = session.read(GAME_FILE);
    assert!(text.len() < 20_000 && text.contains("# hello\n") && !text.contains("secret"), "{}", text.len());
    session.run(&["move", GAME_FILE, "c6-d6", "--at", "2026-11-23T00:00:00Z"]).ok();
    // After the end the secret is accepted, and letters add what fits and no more, however many there are.
    let over = record(2) + "3 defenders resign @2026-11-22T20:40:00Z\n";
    let session = Session::new();
    session.write("home/settings.yaml", "email: bram@example.net\ngames: ../games\n");
    session.write(GAME_FILE, &over);
    let done = receive(&session, &[], letter(&(over.clone() + "= besiegers win: resigned\n" + &secret)).as_bytes());
    assert!(done.out.contains("accepted: what stands below entry 3"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), over.clone() + "= besiegers win: resigned\n" + &secret);
    for nth in 0..25 {
        let more = format!("# {nth:0100}\n").repeat(500);
        receive(&session, &[], letter(&(session.read(GAME_FILE) + &more)).as_bytes()).ok();
    }
    assert!(session.read(GAME_FILE).len() < 300 << 10, "{}", session.read(GAME_FILE).len());
    // An invitation has the same limit.
    let other = HEADER.replace("mail01", "mail02") + &many;
    let done = receive(&session, &[], letter(&other).as_bytes());
    assert!(done.err.contains("refused: it holds over 256 KiB of remarks"), "{}{}", done.out, done.err);
}

#[test]
fn a_first_entry_has_the_key_that_is_trusted_or_is_refused() {
    let here = signing::record(ADA, BRAM, &["1 defenders place c6 e6"]);
    let declared = |key: &postrider_referee::sealing::SecretKey| {
        let entry = format!("2 besiegers key {}; c4-c5", key.public().text());
        signing::record(ADA, BRAM, &["1 defenders place c6 e6", &entry])
    };
    let by = |key: fn() -> postrider_referee::sealing::SecretKey| {
        signing::signed(&declared(&key()), |side| (side == "besiegers").then(key))
    };
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    session.write(GAME_FILE, &here);
    session.run(&["key", "trust", "ada@example.org", &ada().public().fingerprint()]).ok();
    let none = signing::record(ADA, BRAM, &["1 defenders place c6 e6", "2 besiegers c4-c5"]);
    for (there, what) in [(by(cleo), "another key"), (none, "not signed")] {
        let done = receive(&session, &[], letter(&there).as_bytes());
        assert!(done.err.contains("refused") && done.err.contains(what), "{}{}", done.out, done.err);
        assert_eq!(session.read(GAME_FILE), here);
    }
    // The real opponent still can.
    assert!(receive(&session, &[], letter(&by(ada)).as_bytes()).ok().contains("accepted: 2 besiegers key"));
}

#[test]
fn an_invitation_declares_no_foreign_key_for_ones_own_side_and_no_other_for_an_opponents() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    let foreign = signing::record(ADA, &(BRAM.to_owned() + &field(&cleo())), &[]);
    for _ in 0..2 {
        let done = receive(&session, &[], letter(&foreign).as_bytes());
        assert!(done.err.contains("declares a key for your own side, defenders"), "{}{}", done.out, done.err);
        assert_eq!(session.run(&["invitations"]).ok(), "no invitations\n");
        // Even for a player who has a key, it is a foreign one.
        let _ = session.run(&["key", "new"]);
    }
    session.run(&["key", "trust", "ada@example.org", &ada().public().fingerprint()]).ok();
    let other = signing::record(&(ADA.to_owned() + &field(&cleo())), BRAM, &[]);
    let done = receive(&session, &[], letter(&other).as_bytes());
    assert!(done.err.contains("refused") && done.err.contains("another key"), "{}{}", done.out, done.err);
    let hers = signing::record(&(ADA.to_owned() + &field(&ada())), BRAM, &[]);
    let said = receive(&session, &[], letter(&hers).as_bytes()).ok();
    assert!(said.contains("you are invited: Asalto, Ada Quill <ada@example.org> against Bram Post"), "{said}");
}

#[test]
fn lookalikes_of_a_known_opponent_cause_a_warning_when_inviting() {
    let session = bram(1);
    let invitation = |name: &str, address: &str| {
        let record = HEADER.replace("mail01", "mail02").replace("Ada Quill", name).replace("ada@example.org", address);
        letter(&record).replace("ada@example.org", address)
    };
    let done = receive(&session, &[], invitation("Ada Quill", "ada@examp1e.org").as_bytes());
    assert!(done.out.contains("Ada Quill <ada@examp1e.org>"), "{}", done.out);
    assert!(
        done.err.contains("looks like Ada Quill <ada@example.org>, whom you play already"),
        "{}{}",
        done.out,
        done.err
    );
    assert!(session.run(&["invitations"]).ok().contains("<ada@examp1e.org>"));
    let session = bram(1);
    let done = receive(&session, &[], invitation("Cleo Verne", "cleo@example.com").as_bytes());
    assert!(done.out.contains("you are invited") && !done.err.contains("looks like"), "{}{}", done.out, done.err);
}

#[test]
fn an_invitation_without_room_is_received_once_there_is_room() {
    let session = bram(1);
    for nth in 0..200 {
        session.write(&format!("home/data/invitations/asalto-full-{nth:04}.pbem"), "x");
    }
    session.write("mbox", format!("From x\n{}", letter(&HEADER.replace("mail01", "mail02"))));
    for _ in 0..2 {
        let done = receive(&session, &["mbox"], b"");
        assert!(done.err.contains("refused for now: over 200 invitations"), "{}{}", done.out, done.err);
    }
    std::fs::remove_file(session.path("home/data/invitations/asalto-full-0000.pbem")).unwrap();
    assert!(receive(&session, &["mbox"], b"").ok().contains("you are invited"));
    assert!(receive(&session, &["mbox"], b"").ok().contains("no new messages\n"));
}

#[test]
fn a_strangers_many_invitations_leave_room_for_a_friends_and_go_by_one_command() {
    let session = bram(1);
    let invitation = |id: &str, address: &str| {
        let record = HEADER.replace("mail01", id).replace("Ada Quill", "Eve Lind").replace("ada@example.org", address);
        letter(&record).replace("From: Ada Quill <ada@example.org>", &format!("From: Eve Lind <{address}>"))
    };
    let many: String = (0..210)
        .map(|nth| format!("From x\n{}\n", invitation(&format!("flood{nth:03}"), &format!("eve+{nth}@example.com"))))
        .collect();
    session.write("mbox", many);
    let done = receive(&session, &["mbox"], b"");
    let waiting = || session.run(&["invitations"]).ok().matches("flood").count();
    assert_eq!(waiting(), 20, "{}{}", done.out, done.err);
    // It is said once, with what can be done.
    let full = "20 invitations from eve+20@example.com wait already; `postrider invite decline --from eve@example.com` declines all of them";
    assert!(done.err.contains(full), "{}", done.err);
    assert!(done.err.contains("189 more invitations from eve@example.com were refused"), "{}", done.err);
    assert_eq!(done.err.lines().count(), 2, "{}", done.err);
    assert!(done.out.contains("20 invitations, 190 refused"), "{}", done.out);
    // They are not read again.
    assert!(receive(&session, &["mbox"], b"").ok().contains("no new messages\n"));
    let friend = receive(&session, &[], letter(&HEADER.replace("mail01", "friend")).as_bytes());
    assert!(friend.ok().contains("you are invited"));
    let declined = session.run(&["decline", "--from", "eve@example.com"]).ok();
    assert_eq!(declined, "20 invitations from eve@example.com declined; nothing was sent\n");
    assert_eq!(waiting(), 0);
    assert!(session.run(&["invitations"]).ok().contains("friend"));
    let done = session.run(&["decline", "--from", "eve@example.com"]);
    assert!(done.code == 2 && done.err.contains("no invitation from eve@example.com waits"), "{}", done.err);
    // Only one waits now, so that it needs no id.
    assert!(session.run(&["decline"]).ok().contains("friend"));
    assert_eq!(session.run(&["decline"]).ok(), "no invitations\n");
}

#[test]
fn letters_dated_years_ahead_leave_room_for_the_real_one_and_it_is_said_what_can_be_done() {
    let session = bram(1);
    let ahead = |year: u32| format!("{}2 besiegers c4-c5 @{year}-01-01T10:00:00Z\n", record(1));
    let many: String = (0..110).map(|nth| format!("From x\n{}\n", letter(&ahead(2030 + nth)))).collect();
    session.write("mbox", many);
    let done = receive(&session, &["mbox"], b"");
    assert!(done.out.contains("110 messages: 10 refused, 100 held back"), "{}{}", done.out, done.err);
    let wrong =
        "from 2030-01-01T09:50:00Z on takes it; if its sender's clock is wrong, ask for the entry with the right time";
    assert!(done.err.contains(wrong), "{}", done.err);
    let full = "there is no room to hold it back, because too many messages are held back already: ask its sender for it again later";
    assert_eq!(done.err.matches(full).count(), 10, "{}", done.err);
    // Half an hour ahead, there is room, and the clock is not doubted.
    let soon = format!("{}2 besiegers c4-c5 @2026-11-24T12:30:00Z\n", record(1));
    let done = receive(&session, &[], letter(&soon).as_bytes());
    assert!(done.err.contains("held back") && !done.err.contains("clock is wrong"), "{}", done.err);
    assert!(receive(&session, &[], letter(&record(2)).as_bytes()).ok().contains("accepted: 2 besiegers c4-c5"));
}

#[test]
fn a_known_message_in_a_mailbox_is_reported() {
    let session = bram(2);
    session.write("mbox", format!("From x\n{}", letter(&record(2))));
    assert_eq!(receive(&session, &["mbox"], b"").ok(), "1 message: nothing new\n");
}

#[test]
fn spaces_that_relays_strip_from_line_ends_change_nothing() {
    // A lone CR is all that is left of the last line end.
    let session = bram(1);
    let there = record(2).replace('\n', "\r\n");
    receive(&session, &[], letter(there.trim_end_matches('\n')).as_bytes()).ok();
    assert_eq!(session.read(GAME_FILE), record(2));
    // Spaces at the ends of header lines in a signed record, which its signatures depend on.
    let blanks = |text: String| text.replace("game: asalto\n", "game: asalto  \n");
    let made = |lines: &[&str]| {
        let bare = signing::record(&(ADA.to_owned() + &field(&ada())), BRAM, lines);
        signing::signed(&blanks(bare), |side| (side == "besiegers").then(ada))
    };
    let lines = ["1 defenders place c6 e6", "2 besiegers c4-c5"];
    let session = Session::new();
    session.write("home/settings.yaml", "email: bram@example.net\ngames: ../games\n");
    session.write(GAME_FILE, made(&lines[..1]));
    let stripped = made(&lines).replace("asalto  \n", "asalto\n");
    let done = receive(&session, &[], letter(&stripped).as_bytes());
    assert!(done.out.contains("accepted: 2 besiegers c4-c5"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), made(&lines));
}

#[test]
fn ones_own_signed_entries_come_back_after_a_backup_was_restored() {
    let make = |lines: &[&str], key: fn() -> postrider_referee::sealing::SecretKey| {
        let bare =
            signing::record(&(ADA.to_owned() + &field(&ada())), &(BRAM.to_owned() + &field(&signing::bram())), lines);
        signing::signed(&bare, |side| Some(if side == "besiegers" { ada() } else { key() }))
    };
    let lines = ["1 defenders place c6 e6", "2 besiegers c4-c5", "3 defenders c6-d6; huff d6", "4 besiegers e4-e5"];
    let session = Session::new();
    session.write("home/settings.yaml", "email: bram@example.net\ngames: ../games\n");
    session.write(GAME_FILE, make(&lines[..1], signing::bram));
    let done = receive(&session, &[], letter(&make(&lines, signing::bram)).as_bytes());
    assert!(done.out.contains("accepted: 4 besiegers e4-e5"), "{}{}", done.out, done.err);
    assert_eq!(session.read(GAME_FILE), make(&lines, signing::bram));
}

#[test]
fn nothing_of_a_stranger_steers_a_terminal_that_shows_colours() {
    let escape = "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}";
    let base = format!("From: Ada <ada@example.org>\nSubject: {escape} [pbem] {ID} #1\nMessage-ID: <a{escape}@x>\n");
    let messages = [
        format!("{base}\nc4-c5 {escape}\nd4-d5\n"),
        format!("{base}\n{escape}\n"),
        format!("{base}\nb4-a4{escape}\n"),
        format!("From: \"{escape}\" <a\u{8a}da@example.org>\nSubject: [pbem] {ID} #1\n\nc4-c5\n"),
        letter(&record(2).replace("the gate!", escape)),
        letter(&HEADER.replace("mail01", "mail02").replace("Ada Quill", "Ada \u{202e}Quill")),
        letter(&(record(1) + "2 besiegers " + escape + "\n")),
        format!(
            "{base}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/zip; name=\"{escape}.zip\"\n\nx\n--b--\n"
        ),
    ];
    for message in messages {
        let session = bram(1);
        let done = receive_in_colour(&session, &["--plain"], message.as_bytes());
        assert_eq!(done.code, 0, "{}", done.err);
        for (path, bytes) in crate::receive::files(session.folder.path()) {
            assert!(!path.to_string_lossy().contains('\u{202e}') && !bytes.contains(&0x1b), "{path:?}");
        }
    }
}

#[test]
fn names_of_files_steer_no_terminal_in_json() {
    let session = bram(1);
    session.write("games/a\u{9b}31m\u{202e}b.pbem", record(1).replace("mail01", "mail07"));
    let done = session.run(&["verify", "--json", "games"]);
    assert!(done.out.contains("a\\u009b31m\\u202eb.pbem"), "{}", done.out);
    assert!(done.out.chars().all(|c| c == '\n' || !c.is_control()) && !done.out.contains('\u{202e}'), "{:?}", done.out);
}
