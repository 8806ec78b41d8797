//! assideum at the command line: what a player types, and how the program replies.
#![cfg(unix)]

use crate::session::Session;

const RECORD: &str = "---\npbem: 1\ngame: assideum\nid: assideum-session\nplayers:\n  white: {name: Ada Quill, email: ada@example.org}\n  \
     black: {name: Bram Post, email: bram@example.net}\nstarted: 2026-10-01\n---\n";

/// A session with `game.pbem`: the header with an additional line, and entries.
fn with(field: &str, entries: &str) -> Session {
    let session = Session::new();
    session.write("game.pbem", RECORD.replace("started", &format!("{field}started")) + entries);
    session
}

/// A session at a position.
fn at(position: &str) -> Session {
    with(&format!("setup: \"{position}\"\n"), "")
}

/// Enters what the player types; it must be legal.
fn enter(session: &Session, typed: &str) {
    let shown = session.run(&["move", "game.pbem", typed]).ok();
    assert!(shown.is_ascii() && shown.lines().all(|line| line.len() <= 76), "{typed}:\n{shown}");
}

/// The message for an entry that breaks the rule; the file must not change.
fn refused(session: &Session, typed: &str, rule: &str) -> String {
    let before = session.read("game.pbem");
    let told = session.run(&["move", "game.pbem", typed]).fails(1);
    assert!(told.starts_with(&format!("error[{rule}]: {typed}: ")), "{told}");
    assert!(told.contains(&format!("`postrider rules assideum {rule}` prints the rule")), "{told}");
    assert_eq!(session.read("game.pbem"), before);
    told
}

/// The entries in the file, without their times.
fn entries(session: &Session) -> Vec<String> {
    let text = session.read("game.pbem");
    let body = text.rsplit_once("---\n").expect("a header").1;
    body.lines().map(|line| line.split(" @").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn abbreviated_entries_are_written_canonically() {
    let session = with("", "");
    for typed in ["d2-e3", "pc8=n", "C1-D2", "Vg7–h6", "pd2-c3", "a7-a6", "c3-d4", "pf8-g7", "d4-e5"] {
        enter(&session, typed);
    }
    let expected = "1 white Vd2-e3|2 black Pc8=N|3 white Pc1-d2|4 black Vg7-h6|5 white Pd2-c3|6 black Va7-a6|\
                    7 white Pc3-d4|8 black Pf8-g7|9 white Pd4-e5|= white wins: siege";
    assert_eq!(entries(&session).join("|"), expected);
    assert_eq!(session.run(&["verify", "game.pbem"]).ok(), "game.pbem: legal, 9 entries, white wins: siege\n");
    session.run(&["fmt", "--check", "game.pbem"]).ok();
    insta::assert_snapshot!(
        "over",
        session.transcripts(&["move game.pbem Ke8-e7", "show game.pbem", "archive replay game.pbem"])
    );
}

#[test]
fn a_record_written_shortly_is_legal_and_fmt_spells_it_out() {
    let setup = "setup: \"white Kh1 Pc3=N Pe3=N Fd4 Fd5; black Kh8 Va4; to play white\"\n";
    let session = with(setup, "1 white c3-b3+d5+d4\n2 black kh8-h7\n3 white b3\u{d7}a4\n");
    session.run(&["verify", "game.pbem"]).ok();
    session.run(&["fmt", "game.pbem"]).ok();
    assert_eq!(entries(&session), ["1 white Pc3-b3+d4+d5", "2 black Kh8-h7", "3 white Pb3xa4"]);
}

#[test]
fn a_refusal_names_the_rule_and_what_would_be_legal() {
    let session = with("", "");
    let typed = [("e2-e4", "A11"), ("Fc1-e3", "A22"), ("Ve7-e6", "A4"), ("Rd1*d8", "A42")];
    let mut told = typed.map(|(typed, rule)| refused(&session, typed, rule)).join("\n");
    told.push_str(&session.transcripts(&["move game.pbem Ke1=N"]));
    let session = at("white Ke1 Sa1 Vd1 Vd2 Vf1 Vf2; black Kh8 Se8 Va7; to play white");
    insta::assert_snapshot!("refused", told + &refused(&session, "Sa1-a2", "A51"));
    let listed = session.run(&["moves", "game.pbem"]).ok();
    assert_eq!(listed, "Vd1-e2\nVd2-e3\nVf1-e2\nVf2-e3\n");
}

#[test]
fn a3_a_set_up_with_a_back_row_is_malformed_at_its_place() {
    let fields = "options: {back-row: SCPRKPCS}\nsetup: \"white Kh1 Va2; black Kh8; to play white\"\n";
    let session = with(fields, "");
    let told = session.run(&["verify", "game.pbem"]);
    let expected = "game.pbem:9:8: malformed: a position cannot be combined with the option `back-row`; \
                    one of the two is left out of the header\n";
    assert_eq!((told.code, told.out.as_str()), (1, expected));
    let players = ["--player", "white=Ada", "--player", "black=Bram", "--option", "back-row=SCPRKPCS"];
    let mut args = vec!["new", "assideum", "--setup", "white Kh1 Va2; black Kh8; to play white"];
    args.extend(players);
    insta::assert_snapshot!("new_with_a_position_and_a_back_row", session.run(&args).fails(2));
    let row = ["new", "assideum", "--player", "white=Ada", "--player", "black=Bram", "--option", "back-row=RKSCPPCS"];
    session.write("row.pbem", session.run(&row).ok());
    assert_eq!(session.run(&["moves", "row.pbem"]).ok().lines().count(), 49);
    assert_eq!(session.run(&["perft", "assideum", "2", "--option", "back-row=RKSCPPCS"]).ok(), "2401\n");
}

#[test]
fn a20_show_marks_the_zone_of_a_portal_and_all_of_a_side() {
    let session = at("white Kd1 Pd4=N Va2 Fd4 Fd4; black Kh8 Pd5=W Pe6=S Vc3 Fd4 Ff4; to play white");
    let marked = session.run(&["show", "game.pbem", "--mark", "d4"]).ok();
    let commands = [
        "show game.pbem",
        "show game.pbem --mark d4",
        "show game.pbem --mark a2",
        "show game.pbem --mark d4 --unicode",
    ];
    insta::assert_snapshot!("marked", session.transcripts(&commands));
    assert!(marked.is_ascii() && marked.lines().all(|line| line.len() <= 76), "{marked}");
    assert_eq!(session.run(&["show", "game.pbem", "--mark", "white"]).ok(), marked);
}

#[test]
fn a54_repetition_is_claimed_from_the_third_time_on() {
    let session = with("", "");
    for typed in ["d1=E", "d8=E", "d1=N", "d8=S", "d1=E", "d8=E"] {
        enter(&session, typed);
    }
    let early = refused(&session, "claim repetition", "A54");
    enter(&session, "d1=N");
    enter(&session, "d8=S");
    enter(&session, "claim repetition");
    assert_eq!(entries(&session)[8..], ["9 white claim repetition", "= draw: repetition"]);
    let none = with("options: {repetition: none}\n", "");
    insta::assert_snapshot!("repetition_refused", early + &refused(&none, "claim repetition", "A54"));
}

#[test]
fn every_end_of_its_own_writes_its_result_line() {
    for (position, typed, result) in [
        ("white Kb3 Rh2=W; black Ka1; to play white", "h2-h1", "= white wins: siege"),
        ("white Kb3 Vc1!; black Ka1; to play white", "c1-c2", "= draw: no option"),
        ("white Kc4; black Kd6 Vc3!; to play white", "c4xc3", "= draw: bare"),
    ] {
        let session = at(position);
        enter(&session, typed);
        assert_eq!(entries(&session).last().map(String::as_str), Some(result));
        let shown = session.run(&["show", "game.pbem"]).ok();
        assert!(shown.lines().any(|line| line.starts_with("result") && line.ends_with(&result[2..])), "{shown}");
    }
    let session = with("options: {quiet-turns: 10}\n", "");
    for _ in 0..2 {
        for typed in ["d1=E", "d8=E", "d1=N", "d8=S"] {
            enter(&session, typed);
        }
    }
    enter(&session, "d1=E");
    insta::assert_snapshot!("quiet_refused", refused(&session, "claim quiet", "A56"));
    enter(&session, "d8=E");
    enter(&session, "claim quiet");
    assert_eq!(entries(&session).last().map(String::as_str), Some("= draw: quiet"));
}

#[test]
fn a_letter_shows_the_board_and_holds_the_record() {
    let session = with("", "");
    session.run(&["move", "game.pbem", "Fc1-c4", "-m", "Up and away.", "--send"]).ok();
    let letter = session.read("home/data/outbox/assideum-session.1.eml");
    for part in [
        "To: \"Bram Post\" <bram@example.net>\r\n",
        "Subject: Ada Quill invites you to a game of assideum [pbem]",
        "Up and away.",
        // As the one who reads it sits: Black is below.
        "4 |       |       |       |       |       |[     ]|       |       |\r\n  |       |       |       |       |       | ~F    |",
        "last   1 white Fc1-c4 (Saturday 21 November 2026, 12:00 UTC) {Up and away.}",
    ] {
        assert!(letter.contains(part), "{part}\n{letter}");
    }
    assert!(letter.is_ascii());
}
