//! Invitations from the letter to the first entry, and declined ones, with two homes.
#![cfg(unix)]

use crate::session::Session;

const BRAM: &str = "Bram Post <bram@example.net>";

/// A player whose letters go into the folder `box` of this session.
fn player(name: &str, email: &str) -> Session {
    let session = Session::new();
    let settings = format!("name: {name}\nemail: {email}\ngames: ../games\nmail: {{outbox: ../box}}\n");
    session.write("home/settings.yaml", &settings);
    session
}

fn both() -> (Session, Session) {
    (player("Ada Quill", "ada@example.org"), player("Bram Post", "bram@example.net"))
}

/// Carries all letters that one has written and the other has not had.
fn carry(from: &Session, to: &Session) -> String {
    let mut letters: Vec<_> = std::fs::read_dir(from.path("box"))
        .expect("letters")
        .map(|one| one.expect("one").path())
        .filter(|path| path.is_file())
        .collect();
    letters.sort();
    let mut words = vec!["receive".to_owned()];
    words.extend(letters.iter().map(|letter| letter.to_string_lossy().into_owned()));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = to.run(&words);
    letters.iter().for_each(|letter| std::fs::remove_file(letter).expect("removed"));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    done.out
}

#[test]
fn an_invitation_that_came_with_the_first_entry_is_named_as_one_until_it_is_accepted() {
    let (ada, bram) = both();
    ada.run(&["invite", BRAM, "assideum", "--as", "white", "--id", "assideum-invited"]).ok();
    ada.run(&["move", "assideum-invited", "Fc1-b2", "--send"]).ok();
    let told = carry(&ada, &bram);
    assert!(told.contains("assideum-invited: the invitation has grown: 1 white Fc1-b2"), "{told}");
    assert!(!told.contains("accepted:") && !told.contains("due: `postrider show"), "{told}");
    assert!(told.contains("you are invited: `postrider invite accept assideum-invited`"), "{told}");
    assert!(told.contains("2 messages: 0 accepted, 2 invitations"), "{told}");
    let status = bram.run(&["status"]).ok();
    assert!(
        status.contains("you are invited: assideum-invited  assideum, white Ada Quill <ada@example.org>"),
        "{status}"
    );
    let played = bram.feed(&["play", "--no-mail"], b"");
    assert!(played.out.contains("you are invited: assideum-invited"), "{}", played.out);
    let shown = bram.run(&["show", "assideum-invited"]);
    assert!(
        shown.err.contains("assideum-invited is an invitation: `postrider invite accept assideum-invited`"),
        "{}",
        shown.err
    );
    assert!(shown.ok().contains("black"));
    // Nothing is entered in it, whoever names it and however.
    let file = bram.path("home/data/invitations/assideum-invited.pbem");
    let before = std::fs::read(&file).expect("the invitation");
    let file = file.to_string_lossy();
    for words in [
        &["move", "assideum-invited", "e7-e6"][..],
        &["move", &file, "e7-e6"],
        &["move", "-n", &file, "e7-e6"],
        &["answer", &file],
        &["undo", &file],
        &["send", &file],
        &["if", &file, "e7-e6", "e2-e3"],
        &["countersign", &file],
        &["fmt", &file],
        &["secret", "publish", &file],
        &["play", &file],
    ] {
        let refused = bram.run(words).fails(2);
        assert!(
            refused.contains("is an invitation that you have not accepted: nothing is entered in it"),
            "{words:?}: {refused}"
        );
        assert!(refused.contains("`postrider invite accept assideum-invited`"), "{words:?}: {refused}");
    }
    let refused = bram.run(&["move", "e7-e6"]).fails(2);
    assert!(refused.contains("assideum-invited is an invitation"), "{refused}");
    assert_eq!(std::fs::read(&*file).expect("the invitation"), before);
    // The only one needs no id.
    let accepted = bram.run(&["accept"]).ok();
    assert!(accepted.contains("assideum-invited accepted: "), "{accepted}");
    let status = bram.run(&["status"]).ok();
    assert!(status.contains("black (you) due, entry 2") && !status.contains("you are invited"), "{status}");
    let entry = bram.run(&["moves", "assideum-invited"]).ok();
    let entry = entry.split_whitespace().next().expect("a move").to_owned();
    bram.run(&["move", "assideum-invited", &entry]).ok();
    assert!(bram.run(&["accept"]).ok().contains("no invitations"));
}

/// The only letter that a player has written, its lines joined.
fn letter_of(player: &Session) -> String {
    let mut letters = std::fs::read_dir(player.path("box")).expect("letters").map(|one| one.expect("one").path());
    let letter = letters.find(|path| path.is_file()).expect("a letter");
    let letter = std::fs::read_to_string(letter).expect("text").replace("=\r\n", "");
    letter.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn an_invitation_looks_like_one_and_tells_the_game_with_a_move_on_each_board() {
    let (ada, _) = both();
    let said = ada.run(&["invite", BRAM, "asalto", "--by-mail", "--id", "asalto-looks-like"]);
    assert!(!said.err.contains("needs the program"), "{}", said.err);
    let letter = letter_of(&ada);
    assert!(
        letter.contains("Subject: Ada Quill invites you to a game of Asalto [pbem] asalto-looks-like #0"),
        "{letter}"
    );
    for told in [
        "Asalto in a minute:",
        "after c5xc3xa3xc5:",
        "after d4-e5:",
        "[ ] where the last entry went",
        "reply `no thanks`",
    ] {
        assert!(letter.contains(told), "{told}: {letter}");
    }
    // So does one that brings the first entry, and the letters behind it do not.
    let (ada, bram) = both();
    ada.run(&["new", "asalto", "--against", BRAM, "--as", "defenders", "--by-mail", "--id", "asalto-looks-like"]).ok();
    ada.run(&["move", "asalto-looks-like", "place c6 e6", "--send"]).ok();
    let letter = letter_of(&ada);
    assert!(
        letter.contains("Subject: Ada Quill invites you to a game of Asalto [pbem] asalto-looks-like #1"),
        "{letter}"
    );
    carry(&ada, &bram);
    bram.run(&["accept", "asalto-looks-like"]).ok();
    bram.run(&["move", "asalto-looks-like", "c4-c5", "--send"]).ok();
    let letter = letter_of(&bram);
    assert!(letter.contains("Subject: [pbem] asalto-looks-like #2 besiegers: c4-c5"), "{letter}");
}

#[test]
fn an_invitation_to_a_sealed_game_says_what_it_takes_and_the_inviter_is_told_before() {
    let (ada, _) = both();
    let said = ada.run(&["invite", BRAM, "subsume", "--id", "subsume-needs-it"]);
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = words.find("what is hidden in this game is sealed, so your opponent needs the program or its page");
    let sent = words.find("to Bram Post").or_else(|| words.find("bram@example.net"));
    assert!(told.is_some() && (sent.is_none() || told < sent), "{words}");
    assert!(words.contains("`postrider page --referee -o referee.html` makes"), "{words}");
    let letter = letter_of(&ada);
    for told in [
        "Subject: Ada Quill invites you to a game of Subsume [pbem] subsume-needs-it #0",
        "Subsume in a minute:",
        "What is hidden in this game is sealed, so a move alone in a reply is not enough.",
        "If you have neither, ask Ada Quill for the page",
    ] {
        assert!(letter.contains(told), "{told}: {letter}");
    }
}

#[test]
fn an_invitation_that_comes_again_still_waits_and_says_so() {
    let (ada, bram) = both();
    ada.run(&["invite", BRAM, "assideum", "--as", "white", "--id", "assideum-invited"]).ok();
    let letters: Vec<_> = std::fs::read_dir(ada.path("box")).unwrap().map(|one| one.unwrap().path()).collect();
    let letter = letters.iter().find(|path| path.is_file()).unwrap().to_string_lossy().into_owned();
    assert!(bram.run(&["receive", &letter]).ok().contains("you are invited"));
    let again = bram.run(&["receive", &letter]).ok();
    assert!(again.contains("nothing new"), "{again}");
    assert!(again.contains("you are invited: `postrider invite accept assideum-invited`"), "{again}");
    bram.run(&["accept", "assideum-invited"]).ok();
    let after = bram.run(&["receive", &letter]).ok();
    assert!(!after.contains("you are invited"), "it waits no longer: {after}");
}

#[test]
fn who_was_invited_sends_no_invitation_back() {
    let (ada, bram) = both();
    // The defenders begin, and they are the inviter's.
    ada.run(&["invite", BRAM, "asalto", "--as", "defenders", "--id", "asalto-invited-2"]).ok();
    carry(&ada, &bram);
    let accepted = bram.run(&["accept", "asalto-invited-2"]);
    assert!(accepted.code == 0 && !accepted.err.contains("postrider send"), "{}{}", accepted.out, accepted.err);
    for words in [
        &["send", "asalto-invited-2"][..],
        &["send", "asalto-invited-2", "--force"],
        &["send", "-n", "asalto-invited-2"],
    ] {
        let sent = bram.run(words);
        assert!(
            sent.code != 0 && sent.err.contains("you were invited to this game"),
            "{words:?}: {}{}",
            sent.out,
            sent.err
        );
        assert!(sent.err.contains("entry 1 is to be made by the defenders"), "{}", sent.err);
    }
    assert!(!bram.path("box").exists() || std::fs::read_dir(bram.path("box")).expect("a folder").next().is_none());
    // Nothing that is said there advises it.
    for words in [&["status"][..], &["move", "asalto-invited-2", "c4-c5"], &["show", "asalto-invited-2"]] {
        let done = bram.run(words);
        assert!(!format!("{}{}", done.out, done.err).contains("postrider send"), "{words:?}: {}{}", done.out, done.err);
    }
    // Where the invited side begins, its entry goes out.
    ada.run(&["invite", BRAM, "asalto", "--as", "besiegers", "--id", "asalto-invited-3"]).ok();
    carry(&ada, &bram);
    bram.run(&["accept", "asalto-invited-3"]).ok();
    assert!(bram.run(&["send", "asalto-invited-3"]).err.contains("entry 1 is yours to make"));
    bram.run(&["move", "asalto-invited-3", "place c6 e6", "--send"]).ok();
    assert!(carry(&bram, &ada).contains("accepted: 1 defenders"));
}

#[test]
fn of_several_invitations_none_is_taken_without_its_id() {
    let (ada, bram) = both();
    for id in ["asalto-invited-1", "asalto-invited-2"] {
        ada.run(&["invite", BRAM, "asalto", "--id", id]).ok();
    }
    carry(&ada, &bram);
    let listed = bram.run(&["accept"]);
    assert!(listed.err.contains("`postrider invite accept ID` accepts one of them"), "{}", listed.err);
    let listed = listed.ok();
    assert!(listed.contains("asalto-invited-1") && listed.contains("asalto-invited-2"), "{listed}");
    assert!(!bram.path("games/asalto-invited-1.pbem").exists());
}

#[test]
fn who_declines_may_say_so_and_the_game_no_longer_counts_as_running() {
    let (ada, bram) = both();
    // Signed, so that a reply in words could enter nothing.
    ada.run(&["key", "new"]).ok();
    ada.run(&["invite", BRAM, "asalto", "--id", "asalto-declined"]).ok();
    carry(&ada, &bram);
    let declined = bram.run(&["decline", "asalto-declined", "--send", "--message", "Not this month, sorry!"]).ok();
    assert!(declined.contains("asalto-declined declined: the letter to ada@example.org was written to"), "{declined}");
    // A second time it is not sent again.
    let again = bram.run(&["decline", "asalto-declined", "--send"]).ok();
    assert!(again.contains("was told so on"), "{again}");
    let told = carry(&bram, &ada);
    assert!(told.contains("asalto-declined: Bram Post does not want to play; `postrider send"), "{told}");
    let status = ada.run(&["status"]).ok();
    assert!(status.contains("games: 0 for you, 0 for others, 1 declined, 0 finished"), "{status}");
    let all = ada.run(&["status", "--all"]).ok();
    assert!(all.contains("Bram Post does not want to play") && !all.contains("due, entry"), "{all}");
    let json = ada.run(&["status", "--all", "--json"]).ok();
    assert!(json.contains("\"state\":\"declined\""), "{json}");
    // Whoever is invited again, or makes an entry after all, plays.
    ada.run(&["send", "asalto-declined", "--force"]).ok();
    assert!(ada.run(&["status"]).ok().contains("1 for others"));
    carry(bram_again(&bram), &ada);
    bram.run(&["accept", "asalto-declined"]).ok();
    bram.run(&["move", "asalto-declined", "place c6 e6", "--send"]).ok();
    carry(&bram, &ada);
    let status = ada.run(&["status"]).ok();
    assert!(status.contains("besiegers (you) due, entry 2"), "{status}");
    // Without a letter nobody is told.
    ada.run(&["invite", BRAM, "asalto", "--id", "asalto-silent"]).ok();
    carry(&ada, &bram);
    let silent = bram.run(&["decline", "asalto-silent"]).ok();
    assert!(silent.contains("nothing was sent: tell your opponent yourself"), "{silent}");
}

/// The player who declines once more, by a letter of the player's own.
fn bram_again(bram: &Session) -> &Session {
    bram.write(
        "box/own.eml",
        "From: bram@example.net\nTo: ada@example.org\nSubject: Re: [pbem] asalto-declined #0\nMessage-ID: <own@example.net>\nDate: Mon, 23 \
         Nov 2026 10:00:00 +0000\n\nHi Ada,\nno thanks, I\u{2019}m too busy.\n",
    );
    bram
}

#[test]
fn a_game_without_entries_is_called_off_by_either_and_the_other_is_told() {
    let (ada, bram) = both();
    ada.run(&["invite", BRAM, "assideum", "--as", "white", "--id", "assideum-called-off"]).ok();
    carry(&ada, &bram);
    bram.run(&["accept", "assideum-called-off"]).ok();
    let file = ada.path("games/assideum-called-off.pbem");
    let record = std::fs::read(&file).expect("a record");
    // Whoever began it takes it back.
    let told = ada.run(&["decline", "assideum-called-off", "--send"]).ok();
    assert!(told.contains("declined: the letter to bram@example.net was"), "{told}");
    assert!(!file.exists());
    assert!(carry(&ada, &bram).contains("does not want to play"), "he hears of it");
    // It may still be accepted, and is the same record.
    ada.run(&["accept", "assideum-called-off"]).ok();
    assert_eq!(std::fs::read(&file).expect("a record"), record);
    // So does whoever has accepted it.
    bram.run(&["decline", "assideum-called-off", "--send"]).ok();
    assert!(!bram.path("games/assideum-called-off.pbem").exists());
    assert!(carry(&bram, &ada).contains("does not want to play"));
    // Not once there is an entry, and nothing that is no record of a game is moved.
    ada.run(&["move", "assideum-called-off", "Fc1-b2"]).ok();
    let refused = ada.run(&["decline", "assideum-called-off"]);
    assert!(refused.code == 2 && refused.err.contains("has entries"), "{}", refused.err);
    let before = std::fs::read(&file).expect("a record");
    std::fs::write(&file, [&before[..before.len() - 4], b"xyz\n"].concat()).expect("a damaged one");
    assert_ne!(ada.run(&["decline", "assideum-called-off"]).code, 0);
    assert!(file.exists());
}
