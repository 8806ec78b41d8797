//! `postrider play`, from a pipe and in a terminal.
#![cfg(unix)]

use crate::session::Session;
use crate::terminal::{drive, drive_with};

const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-play-one\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
     defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\nclock: 5d\n---\n1 defenders place c6 e6 @2026-11-20T10:15:00Z\n";

/// Ada's session, in which she is due.
fn ada() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    session.write("games/game.pbem", RECORD);
    session
}

#[test]
fn a_script_plays_the_most_urgent_game_of_the_folder() {
    let session = ada();
    // One that is less urgent, and one in which the opponent is due.
    session.write("games/slow.pbem", RECORD.replace("asalto-play-one", "asalto-play-two").replace("5d", "50d"));
    session.write(
        "games/theirs.pbem",
        RECORD.replace("asalto-play-one", "asalto-play-tri") + "2 besiegers c4-c5 @2026-11-20T11:15:00Z\n",
    );
    let script = "message well met\nc4-c5\nnext\nd4-d5\nnext\n";
    let done = session.feed(&["play"], script.as_bytes());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(
        done.out.contains("2 besiegers> c4-c5\n") && done.out.contains("no other game waits for you"),
        "{}",
        done.out
    );
    assert!(session.read("games/game.pbem").ends_with("2 besiegers c4-c5 @2026-11-21T12:00:00Z {well met}\n"));
    assert!(session.read("games/slow.pbem").ends_with("2 besiegers d4-d5 @2026-11-21T12:00:00Z\n"));
    assert!(session.read("games/theirs.pbem").ends_with("c4-c5 @2026-11-20T11:15:00Z\n"));
    // Nothing was mailed, and the program says so.
    assert!(done.err.contains("entry 2 has not been sent: `postrider send"), "{}", done.err);
    assert!(!session.path("home/data/outbox").exists());
}

#[test]
fn play_is_one_place_for_games_invitations_and_what_may_be_done_without_a_game() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let typed = "help\nstatus\nlearn asalto\nquit\ninvite Bram Post <bram@example.net> asalto --as defenders --id asalto-from-play\n\
                 place c6 e6\nnext\nlog\ninvite list\nquit\n";
    let said = session.feed(&["play"], typed.as_bytes());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let told =
        ["you have no games yet\n", "Where no game waits you may type:\n  invite NAME <MAIL> GAME", "games: 0 for you"];
    for told in told.into_iter().chain([
        "Asalto, lesson 1 of",
        "1 defenders> place c6 e6\n",
        "no other game waits for you",
        "no invitations\n",
    ]) {
        assert!(said.out.contains(told), "{told}: {}{}", said.out, said.err);
    }
    // It stays in the game where no other waits.
    assert!(said.out.contains("(besiegers due)> log\n1 "), "{}", said.out);
    assert!(session.read("games/asalto-from-play.pbem").contains("\n1 defenders place c6 e6 "), "{}", said.err);
    // What a refusal advises is typed in the session.
    let refused = session.feed(&["play", "games/asalto-from-play.pbem", "--both"], b"b4-b3\nquit\n");
    let advised = ["`rules T21` prints the rule", "`moves` lists every legal entry"];
    assert!(advised.iter().all(|advised| refused.err.contains(advised)), "{}", refused.err);
    assert!(!refused.err.contains("postrider moves"), "{}", refused.err);
}

#[test]
fn what_is_advised_for_another_game_is_a_whole_command_and_not_a_word_of_the_session() {
    let session = ada();
    session.write("games/other.pbem", RECORD.replace("asalto-play-one", "asalto-play-two"));
    let typed = b"b4-b3\npostrider move games/other.pbem b4-b3\nquit\n";
    let said = session.feed(&["play", "games/game.pbem"], typed);
    assert_eq!(said.code, 1, "{}", said.err);
    let (here, other) = (said.err.find("`moves` lists"), said.err.find("`postrider moves games/other.pbem` lists"));
    assert!(here.is_some() && here < other, "{}", said.err);
}

#[test]
fn where_no_game_waits_mail_reads_no_line_that_was_typed_and_a_script_learns_of_failures() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let said = session.feed(&["play"], b"mail\nstatus\n");
    assert!(said.out.contains("it is not set where your mail comes in"), "{}{}", said.out, said.err);
    assert!(said.out.contains("games: 0 for you") && said.code == 0, "{}{}", said.out, said.err);
    for typed in ["practice asalto --level 9\n", "asalto?\n"] {
        assert_eq!(session.feed(&["play"], typed.as_bytes()).code, 1, "{typed}");
    }
    let unknown = session.feed(&["play"], b"asalto?\n");
    assert!(unknown.err.contains("`asalto?` is not understood; `?` lists what may be typed\n"), "{}", unknown.err);
}

#[test]
fn a_refused_entry_leaves_the_session_and_the_record_as_they_were() {
    let session = ada();
    let done = session.feed(&["play", "games/game.pbem"], b"b4-b3\nboard up\nfoo\nquit\n");
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("T21") && done.err.contains("b4-b3"), "{}", done.err);
    assert!(done.out.contains("`board` stands alone: `up` is not understood"), "{}", done.out);
    assert_eq!(session.read("games/game.pbem"), RECORD);
}

#[test]
fn an_entry_is_taken_back_in_the_session_and_sent_from_it() {
    let session = ada();
    let done = session.feed(&["play", "games/game.pbem"], b"c4-c5\nundo\nd4-d5\nsend\nundo\nquit\n");
    assert!(done.out.contains("taken back: 2 besiegers c4-c5"), "{}", done.out);
    assert!(session.read("games/game.pbem").ends_with("2 besiegers d4-d5 @2026-11-21T12:00:00Z\n"));
    assert!(session.path("home/data/outbox/asalto-play-one.2.eml").is_file());
    assert!(done.err.contains("the letter about entry 2 lies in"), "what was sent is kept: {}", done.err);
}

#[test]
fn a_reply_is_prepared_while_the_opponent_is_due() {
    let session = ada();
    let done = session.feed(&["play", "games/game.pbem"], b"c4-c5\nif c6-d6 then e4-e5\nif\nquit\n");
    assert!(done.out.contains("e4-e5"), "{}{}", done.out, done.err);
    let kept = session.run(&["if", "games/game.pbem"]).ok();
    assert!(kept.contains("c6-d6") && kept.contains("e4-e5"), "{kept}");
}

#[test]
fn a_long_turn_is_typed_action_by_action() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    session.run(&[&["new", "subsume"][..], &players, &["-o", "game.pbem"]].concat()).ok();
    let done = session.feed(&["play", "game.pbem"], b"+d1A\nmoves\nundo\n+d1A\nd9-d8\nd1-c1\nundo\n+c1A\n\nquit\n");
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(
        done.out.contains("begun: +d1A\nEnter makes it, or it may continue:\n  d1-c1, d1-d2, d1-e1\n"),
        "{}",
        done.out
    );
    assert!(
        session
            .read("game.pbem")
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("1 white +c1 seal:") && !line.contains("; c1")),
        "{}",
        session.read("game.pbem")
    );
    // Typed as a whole, it is made at once.
    session.run(&["undo", "game.pbem"]).ok();
    session.feed(&["play", "game.pbem"], b"+d1A; d1-e1\nquit\n").ok();
    assert!(session.read("game.pbem").contains("d1-e1"));
}

#[test]
fn board_shows_what_a_turn_that_was_begun_has_done_so_far() {
    let session = Session::new();
    let record = include_str!("../../examples/mission-combat/open-game.pbem");
    session.write("game.pbem", &record[..record.find("\n18 marines ").expect("entry 18") + 1]);
    let typed = "attack stealth-sniper.1 portal-trooper.3:6\nboard\nattack stealth-sniper.1 portal-trooper.3:1\nboard\nundo\nundo\nboard\n";
    let said = session.feed(&["play", "--both", "game.pbem"], typed.as_bytes()).ok();
    let boards: Vec<&str> = said.split("+\n\nM P a unit").collect();
    let [first, one, two, none, _] = &boards[..] else { panic!("{said}") };
    for (board, trooper, points) in
        [(first, "S10 xS10", "4"), (one, "S4-6 xS10", "3"), (two, "S3-7 xS10", "2"), (none, "S10 xS10", "4")]
    {
        let after =
            said[said.find(board).expect("it") + board.len()..].split("turn       marines, ").nth(1).expect("a turn");
        assert!(board.contains(&format!("|  P {trooper} F")) && after.starts_with(points), "{trooper}: {said}");
    }
    assert!(two.contains("begun   attack stealth-sniper.1 portal-trooper.3:6\n"), "{said}");
    assert!(!session.read("game.pbem").contains("18 marines"), "nothing was entered");
}

#[test]
fn no_command_of_a_session_is_an_action_of_a_game() {
    for game in postrider_referee::registry::GAMES {
        let table = game.table(&postrider_kernel::Options::default(), None).expect("a start");
        for (name, ..) in postrider_home::entry::session::COMMANDS {
            assert!(table.read(name).is_err(), "{name} in {}", game.info().name);
        }
    }
}

#[test]
fn a_terminal_of_80_by_24_shows_the_whole_game_and_says_what_would_be_refused() {
    let session = ada();
    let steps = [
        ("2 besiegers> ", "b4-b3"),
        ("T21: b4-b3: a besieger may not go back", "\u{15}"),
        ("2 besiegers> ", "c4-c5"),
        ("Enter makes it", "\r"),
        ("(defenders due)> ", "undo\r"),
        ("taken back: 2 besiegers c4-c5", ""),
        ("2 besiegers> ", "resign\r"),
        ("resign the game? [y/N] ", "n\r"),
        ("nothing was entered", ""),
        ("2 besiegers> ", "d4-d\t"),
        ("d4-d5", "\r"),
        ("(defenders due)> ", "quit\r"),
        ("entry 2 has not been sent. Send it now? [y/N] ", "y\r"),
        ("the letter was written", ""),
    ];
    let Some((code, shown)) = drive(&session, (24, 80), &["play"], &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(session.read("games/game.pbem").contains("2 besiegers d4-d5"), "{shown}");
    assert!(session.path("home/data/outbox/asalto-play-one.2.eml").is_file(), "{shown}");
    // The first board, up to the prompt, fits the screen.
    let first = shown.split("2 besiegers> ").next().unwrap_or_default();
    assert!(first.lines().count() < 24 && first.lines().all(|line| line.chars().count() <= 80), "{first}");
    assert!(first.contains("a b c d e f g"), "it is compact: {first}");
}

#[test]
fn a_narrow_terminal_without_colour_is_enough() {
    let session = ada();
    let steps =
        [("2 besiegers> ", "c4-c5\r"), ("(defenders due)> ", "quit\r"), ("[y/N] ", "n\r"), ("has not been sent", "")];
    let plain = [("NO_COLOR", "1")];
    let done = drive_with(&session, (24, 40), &["play", "games/game.pbem"], &steps, &plain);
    let Some((code, shown)) = done else { return };
    assert_eq!(code, 0, "{shown}");
    let first = shown.split("2 besiegers> ").next().unwrap_or_default();
    let words = |line: &&str| line.contains(' ');
    assert!(first.lines().filter(words).all(|line| line.chars().count() <= 40), "{first}");
}

#[test]
fn signing_asks_first_because_it_cannot_be_undone() {
    let session = ada();
    session.run(&["key", "new"]).ok();
    let steps = [
        ("2 besiegers> ", "c4-c5\r"),
        ("enter `c4-c5`, signed by your key? it cannot be taken back after that [y/N] ", "n\r"),
        ("nothing was entered", ""),
        ("2 besiegers> ", "d4-d5\r"),
        ("cannot be taken back after that [y/N] ", "y\r"),
        ("(defenders due)> ", "undo\r"),
        ("is signed by your key", ""),
        ("(defenders due)> ", "quit\r"),
        ("[y/N] ", "n\r"),
    ];
    let Some((code, shown)) = drive(&session, (24, 80), &["play", "games/game.pbem"], &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    let record = session.read("games/game.pbem");
    assert!(record.contains("; d4-d5 @") && !record.contains("c4-c5") && record.contains("\n  ~ "), "{record}");
}

#[test]
fn what_is_said_where_no_game_waits_fits_the_screen() {
    let session = ada();
    session.write("games/game.pbem", RECORD.to_owned() + "2 besiegers c4-c5 @2026-11-20T11:00:00Z\n");
    let steps = [("play> ", "quit\r")];
    let Some((code, shown)) = drive(&session, (24, 80), &["play"], &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    let told = "no game waits for you; `status` lists them all, `invite` begins another, `help`";
    assert!(shown.lines().any(|line| line.trim_end() == told), "{shown}");
}

#[test]
fn what_enter_would_make_is_what_the_hint_says_and_what_it_adds_is_asked_about() {
    // A defender moves past a capture: the rules then huff it.
    let session = ada();
    let record = RECORD.to_owned() + "2 besiegers c4-c5 @2026-11-20T11:00:00Z\n";
    session.write("games/game.pbem", &record);
    session.run(&["own", "games/game.pbem", "defenders"]).ok();
    let steps = [
        ("3 defenders> ", "c6-d6"),
        ("Enter makes it, with `huff d6`", "\r"),
        ("enter `c6-d6`, which makes `huff d6` due as well? [y/N] ", "n\r"),
        ("nothing was entered", ""),
        ("3 defenders> ", "c6-d6\r"),
        ("[y/N] ", "y\r"),
        ("(besiegers due)> ", "quit\r"),
        ("[y/N] ", "n\r"),
    ];
    let Some((code, shown)) = drive(&session, (40, 100), &["play", "games/game.pbem"], &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(session.read("games/game.pbem").contains("3 defenders c6-d6; huff d6 @"), "{shown}");
}

#[test]
fn a_turn_that_was_begun_is_not_dropped_unasked() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    session.run(&[&["new", "subsume"][..], &players, &["-o", "game.pbem"]].concat()).ok();
    let steps = [
        ("1 white> ", "+d1A\r"),
        ("1 white ...; ", "quit\r"),
        ("drop the turn that you have begun (`+d1A`)? [y/N] ", "n\r"),
        ("1 white ...; ", "next\r"),
        ("drop the turn that you have begun (`+d1A`)? [y/N] ", "y\r"),
        // Where there is no other, nothing is dropped.
        ("no other game waits", ""),
        ("1 white ...; ", "quit\r"),
        ("drop the turn that you have begun (`+d1A`)? [y/N] ", "y\r"),
    ];
    if let Some((code, shown)) = drive(&session, (40, 100), &["play", "game.pbem"], &steps) {
        assert_eq!(code, 0, "{shown}");
    }
    let script = session.feed(&["play", "game.pbem"], b"+d1A\nquit\n");
    assert!(script.err.contains("the turn that was begun is dropped: +d1A"), "{}", script.err);
}

#[test]
fn a_script_with_a_refused_entry_ends_with_exit_code_1() {
    let session = ada();
    let done = session.feed(&["play", "games/game.pbem"], b"b4-b3\nquit\n");
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert_eq!(session.feed(&["play", "games/game.pbem"], b"log\nquit\n").code, 0);
}

#[test]
fn two_people_play_at_one_machine_and_see_what_was_entered() {
    let session = ada();
    let done = session.feed(&["play", "--both", "games/game.pbem"], b"c4-c5\nc6-d6\ne4-e5 draw?\nlog\nquit\n");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let record = session.read("games/game.pbem");
    assert!(
        record.contains("4 besiegers e4-e5; draw? @") && record.contains("3 defenders c6-d6; huff d6 @"),
        "{record}"
    );
    assert!(done.out.contains("3  defenders  2026-11-21T12:00:00Z  c6-d6; huff d6\n"), "{}", done.out);
}

#[test]
fn the_commands_of_each_session_are_listed_on_one_screen() {
    let session = ada();
    for line in ["play games/game.pbem", "practice asalto --seed 3 --as defenders", "learn asalto 1"] {
        let told = session.transcript_fed(line, b"?\nquit\n");
        let list: Vec<&str> = told
            .lines()
            .skip_while(|line| !line.ends_with("> ?"))
            .skip(1)
            .take_while(|line| !line.ends_with("> quit"))
            .collect();
        assert!((10..=23).contains(&list.len()), "{} lines: {told}", list.len());
        assert!(list.iter().all(|line| line.chars().count() <= 80), "{told}");
    }
}
