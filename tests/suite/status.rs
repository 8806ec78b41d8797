//! `postrider status`: what is due in many games, most urgent first, and reminders.
#![cfg(unix)]

use crate::session::Session;
use serde_json::Value;

/// A game of Asalto in `games/`; its id is `asalto-` and its name.
fn game(session: &Session, name: &str, clock: &str, lines: &str) {
    let clock = if clock.is_empty() { String::new() } else { format!("clock: {clock}\n") };
    session.write(
        &format!("games/{name}.pbem"),
        format!(
            "---\npbem: 1\ngame: asalto\nid: asalto-{name}\nplayers:\n  besiegers: {{name: Ada Quill, email: ada@example.org}}\n  \
             defenders: {{name: Bram Post, email: bram@example.net}}\nstarted: 2026-11-01\n{clock}---\n{lines}"
        ),
    );
}

const PLACED: &str = "1 defenders place c6 e6 @2026-11-18T12:00:00Z\n";
const MOVED: &str = "1 defenders place c6 e6 @2026-11-18T12:00:00Z\n2 besiegers c4-c5 @2026-11-20T12:00:00Z\n";

/// Ada's games on 21 November at noon.
fn ada() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: Ada@Example.org\ngames: ../games\n");
    game(&session, "a-timeless", "", PLACED);
    game(&session, "b-mine-later", "5d", PLACED);
    game(&session, "c-mine-soon", "74h", PLACED);
    game(&session, "d-theirs", "5d", MOVED);
    game(&session, "e-theirs-soon", "28h", MOVED);
    game(&session, "f-theirs-over", "12h", MOVED);
    game(&session, "g-mine-over", "1d", PLACED);
    game(&session, "h-over", "", &format!("{PLACED}2 besiegers resign @2026-11-20T12:00:00Z\n"));
    game(&session, "i-refused", "", &format!("{PLACED}2 besiegers b4-b3 @2026-11-20T12:00:00Z\n"));
    let leave = PLACED.replace(" @", "; leave 9d @");
    let leave = format!("{leave}2 besiegers c4-c5 @2026-11-18T13:00:00Z\n");
    game(&session, "j-theirs-on-leave", "1h leave 30d", &leave);
    let offered = format!("{MOVED}3 defenders c6-d6; draw? @2026-11-20T13:00:00Z\n");
    game(&session, "k-offered", "30d+1d", &offered);
    session.write("games/notes.txt", "no record");
    session
}

fn folder_taken_out(session: &Session, text: &str) -> String {
    text.replace(&session.folder.path().display().to_string(), "FOLDER").replace("FOLDER/home/../", "")
}

#[test]
fn status_lists_the_games_by_urgency() {
    let session = ada();
    let told = session.run(&["status", "--all"]).ok();
    insta::assert_snapshot!("status", folder_taken_out(&session, &told));
    let short = session.run(&["status"]).ok();
    assert!(!short.contains("h-over") && short.contains("1 finished (--all lists them)"), "{short}");
}

#[test]
fn status_for_programs_says_the_same() {
    let session = ada();
    let told = session.run(&["status", "--json", "games"]).ok();
    let games: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids: Vec<_> =
        games.iter().map(|game| game["id"].as_str().unwrap_or("refused").replace("asalto-", "")).collect();
    let expected = "g-mine-over f-theirs-over c-mine-soon b-mine-later k-offered a-timeless e-theirs-soon d-theirs j-theirs-on-leave refused";
    assert_eq!(ids.join(" "), expected);
    let left = |nth: usize| games[nth]["left"][games[nth]["due"].as_str().expect("a side")].as_i64();
    assert_eq!((left(1), left(2), left(5)), (Some(-12 * 3600), Some(2 * 3600), None));
    assert_eq!((&games[1]["claim_time"], &games[1]["you"]), (&"besiegers".into(), &"besiegers".into()));
    assert_eq!((&games[4]["offer"], &games[9]["state"]), (&"defenders".into(), &"refused".into()));
    assert_eq!(games[8]["still_until"], "2026-11-27T12:00:00Z");
    assert_eq!(session.run(&["status", "--json", "--all", "games"]).ok().lines().count(), 11);
}

#[test]
fn status_shows_what_was_sent_and_not_answered() {
    let session = ada();
    let row = |session: &Session, name: &str| {
        let told = session.run(&["status", &format!("games/{name}.pbem")]).ok();
        told.split_once("\n\n").expect("two parts").0.to_owned()
    };
    assert!(row(&session, "d-theirs").contains("entry 2 was not sent: `postrider send games/d-theirs.pbem`"));
    game(
        &session,
        "d-theirs",
        "5d",
        &format!("{MOVED}3 defenders c6-d6 @2026-11-20T13:00:00Z\n4 besiegers e4-e5 @2026-11-20T14:00:00Z\n"),
    );
    assert!(!row(&session, "d-theirs").contains("sent"), "nothing is known of letters sent by hand");
    game(&session, "d-theirs", "5d", MOVED);
    session.run(&["send", "games/d-theirs.pbem"]).ok();
    let mut later = session.command(&["status", "games/d-theirs.pbem"]);
    let output = later.env("POSTRIDER_NOW", "2026-11-22T14:00:00Z").output().expect("the program");
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    // The outbox is a folder: the program has sent nothing itself.
    assert!(told.contains("entry 2 to bram@example.net was written to "), "{told}");
    assert!(
        told.contains(".2.eml on 2026-11-21T12:00:00Z, 1 day 2 hours ago, for you to mail: no answer yet"),
        "{told}"
    );
    // What a program took is sent.
    let settings = session.read("home/settings.yaml");
    session
        .write("home/settings.yaml", settings + "mail: {transport: sendmail, command: [sh, -c, 'cat > /dev/null']}\n");
    session.run(&["send", "games/d-theirs.pbem", "--force"]).ok();
    assert!(row(&session, "d-theirs").contains("entry 2 was sent to bram@example.net on 2026-11-21T12:00:00Z, "));
    let answered = format!("{MOVED}3 defenders c6-d6 @2026-11-20T13:00:00Z\n");
    game(&session, "d-theirs", "5d", &answered);
    assert!(!row(&session, "d-theirs").contains("sent"), "the answer is here");
    game(&session, "d-theirs", "5d", &format!("{answered}4 besiegers e4-e5 @2026-11-20T14:00:00Z\n"));
    assert!(row(&session, "d-theirs").contains("entry 4 was not sent: `postrider send games/d-theirs.pbem`"));
}

#[test]
fn status_tells_of_a_foreseen_reply() {
    let session = ada();
    session.run(&["if", "games/d-theirs.pbem", "c6-d6", "e4-e5"]).ok();
    assert!(!session.run(&["status", "games"]).ok().contains("prepared"));
    session.run(&["move", "games/d-theirs.pbem", "c6-d6", "--for", "defenders"]).ok();
    assert!(
        session.run(&["status", "games"]).ok().contains("prepared a reply: `postrider answer games/d-theirs.pbem`")
    );
}

#[test]
fn a_reminder_goes_once_per_entry_to_a_side_that_is_due_with_little_time() {
    let session = ada();
    let shown = session.run(&["status", "--remind"]).ok();
    assert!(!session.path("home/data/outbox").exists(), "nothing is sent unless asked for");
    insta::assert_snapshot!("remind", folder_taken_out(&session, &shown));
    let sent = session.run(&["status", "--remind", "--send"]);
    assert_eq!(sent.code, 0);
    let mut outbox: Vec<_> = std::fs::read_dir(session.path("home/data/outbox"))
        .expect("an outbox")
        .map(|entry| entry.expect("a letter").file_name().into_string().expect("UTF-8"))
        .collect();
    outbox.sort();
    let expected = ["c-mine-soon.1", "e-theirs-soon.2", "f-theirs-over.2", "g-mine-over.1"];
    assert_eq!(outbox, expected.map(|name| format!("asalto-{name}.reminder.eml")));
    let letter = session.read("home/data/outbox/asalto-e-theirs-soon.2.reminder.eml");
    for part in [
        "From: \"Ada Quill\" <ada@example.org>\r\n",
        "To: \"Bram Post\" <bram@example.net>\r\n",
        "Subject: [pbem] asalto-e-theirs-soon #2: a reminder\r\n",
        ".reminder@postrider.invalid>\r\n",
        "In-Reply-To: <asalto-e-theirs-soon.2.",
        "filename=\"asalto-e-theirs-soon.pbem\"",
    ] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
    let again = session.run(&["status", "--remind", "--send"]);
    assert_eq!(again.err.matches("was reminded on").count(), 4, "{}", again.err);
    // The record knows nothing about it, and the letter about the entry is still owed.
    assert!(!session.read("games/e-theirs-soon.pbem").contains("remind"));
    assert!(session.run(&["send", "games/e-theirs-soon.pbem"]).err.contains("written to"));
    let own = session.read("home/data/outbox/asalto-c-mine-soon.1.reminder.eml");
    assert!(own.contains("To: \"Ada Quill\" <ada@example.org>\r\n") && own.contains("your own entry 2"), "{own}");
    // The next entry has its own reminder.
    game(
        &session,
        "e-theirs-soon",
        "28h",
        &format!("{MOVED}3 defenders c6-d6 @2026-11-20T12:00:01Z\n4 besiegers e4-e5 @2026-11-20T12:00:02Z\n"),
    );
    let next = session.run(&["status", "--remind", "--send"]);
    assert_eq!(next.err.matches("was written to").count(), 1, "{}", next.err);
}

#[test]
fn nobody_is_reminded_if_the_players_side_is_unknown() {
    let session = ada();
    session.write("home/settings.yaml", "games: ../games\n");
    let done = session.run(&["status", "--remind", "--send"]);
    assert!(
        done.err.contains("nobody has to be reminded") && done.err.contains("`email:` in settings.yaml"),
        "{}",
        done.err
    );
    assert!(!session.path("home/data/outbox").exists());
    // Whose entry is due is reported all the same.
    assert!(session.run(&["status"]).ok().contains("games: 9 for you, 0 for others"));
}

#[test]
fn an_archive_is_said_not_to_be_listed() {
    let session = ada();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let done = session.run(&["status", "games", "games.jsonl.zst"]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(
        done.err.contains("games.jsonl.zst: an archive") && done.err.contains("postrider archive unpack"),
        "{}",
        done.err
    );
    assert!(done.out.contains("a-") && !done.out.contains("malformed"), "{}", done.out);
}

#[test]
fn status_names_the_folder_that_it_looks_in() {
    let session = Session::new();
    let missing = session.run(&["status", "nowhere"]);
    assert!(missing.code == 2 && missing.out.contains("nowhere\n    cannot be read"), "{}", missing.out);
    std::fs::create_dir(session.path("empty")).expect("a folder");
    let empty = session.run(&["status", "empty"]);
    assert!(empty.code == 0 && empty.err.contains("empty: no record"), "{}", empty.err);
}
