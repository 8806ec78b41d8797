//! The command line as a whole, with Asalto as its game.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::programs;
use crate::session::Session;
use serde_json::Value;

const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-session\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
     defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const OPENING: &str =
    "1 defenders place c6 e6 @2026-11-20T10:15:00Z\n2 besiegers c4-c5 @2026-11-20T11:00:00Z {the gate!}\n";
const SAMPLE: &str = "1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n4 besiegers e4-e5\n\
     5 defenders e6xe4xc4xc6\n6 besiegers c3-c4\n7 defenders c6-c5\n8 besiegers e3-d4\n9 defenders c5xc3; huff c3\n";

/// A session with `game.pbem`: the header and these lines.
pub fn with(lines: &str) -> Session {
    let session = Session::new();
    session.write("game.pbem", format!("{RECORD}{lines}"));
    session
}

/// The output of a command, formatted for a snapshot.
fn transcript(session: &Session, args: &[&str]) -> String {
    let done = session.run(args);
    let text = format!("$ postrider {}\n? {}\n{}{}", args.join(" "), done.code, done.out, done.err);
    text.replace(&session.folder.path().display().to_string(), "FOLDER")
}

#[test]
fn the_help_of_every_command_is_as_reviewed() {
    let session = Session::new();
    let commands = [
        "games",
        "git",
        "git setup",
        "git check",
        "git history",
        "git merge",
        "rules",
        "new",
        "show",
        "moves",
        "play",
        "move",
        "verify",
        "archive",
        "archive replay",
        "archive export",
        "archive table",
        "archive pack",
        "archive unpack",
        "archive fmt",
        "learn",
        "practice",
        "review",
        "match",
        "perft",
        "lsp",
        "send",
        "answer",
        "undo",
        "proof",
        "proof audit",
        "proof evidence",
        "proof stamp",
        "proof countersign",
        "key",
        "secret",
        "decks",
        "clock",
        "status",
        "if",
        "receive",
        "doctor",
        "invite",
        "invite list",
        "invite accept",
        "invite decline",
        "completions",
    ];
    let mut help = transcript(&session, &[]) + &transcript(&session, &["--help"]);
    for command in commands {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        help.push_str(&transcript(&session, &args));
        let text = session.run(&args).ok();
        assert!(text.contains("Example"), "{command}: the help has examples");
    }
    insta::assert_snapshot!("help", help);
}

#[test]
fn every_kind_of_fault_is_reported_as_reviewed() {
    let session = Session::new();
    let bad_header =
        RECORD.replace("id: asalto-session", "id: x").replace("started: 2026-11-21\n", "started: soon\ncolour: red\n");
    let timed = RECORD.replace("started: 2026-11-21\n", "started: 2026-11-21\nclock: 5d\n");
    let cases: &[(&str, String)] = &[
        ("no-record", "Dear Bram,\n".into()),
        ("not-closed", "---\npbem: 1\n".into()),
        ("bad-yaml", "---\npbem: [1\n---\n".into()),
        ("empty-header", "---\n---\n".into()),
        ("bad-header", format!("{bad_header}1 attackers place c6 e6\nnonsense\n")),
        ("anchor", RECORD.replace("Ada Quill", "&a Ada")),
        ("bad-setup", RECORD.replace("---\n1", "").replace("started", "setup: \".../D.D/BB..\"\nstarted")),
        ("bad-option", RECORD.replace("started", "options: {huff: never, huf: auto}\nstarted")),
        ("bad-clock", RECORD.replace("started", "clock: 5 days\nstarted")),
        ("unknown-game", RECORD.replace("game: asalto", "game: halma")),
        ("unknown-format", RECORD.replace("pbem: 1", "pbem: 2")),
        ("weak-key", format!("{RECORD}1 defenders key {}; place c6 e6\n", "A".repeat(43) + "=")),
        ("weak-key-above", RECORD.replace("Ada Quill", &format!("Ada Quill, key: {}=", "A".repeat(43)))),
        ("not-signed", format!("{RECORD}1 defenders key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=; place c6 e6\n")),
        ("signed-without-key", format!("{RECORD}1 defenders place c6 e6\n  ~ {}==\n", "A".repeat(86))),
        ("bad-action", format!("{RECORD}1 defenders place c6,e6\n")),
        ("never-backwards", format!("{RECORD}1 defenders place c6 e6\n2 besiegers b4-b3\n")),
        ("not-due", format!("{RECORD}1 besiegers c4-c5\n")),
        ("number", format!("{RECORD}2 defenders place c6 e6\n")),
        ("no-time", format!("{timed}1 defenders place c6 e6\n")),
        ("bad-time", format!("{RECORD}1 defenders place c6 e6 @yesterday\n")),
        ("early-offer", format!("{RECORD}1 defenders place c6 e6; draw?\n")),
        (
            "time-left",
            format!(
                "{timed}1 defenders place c6 e6 @2026-11-21T10:15:00Z\n2 defenders claim time @2026-11-22T10:15:00Z\n"
            ),
        ),
        ("wrong-huff", format!("{RECORD}1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff e6\n")),
        ("after-the-end", format!("{RECORD}{SAMPLE}10 besiegers d4-d5\n")),
        ("wrong-result", format!("{RECORD}{SAMPLE}= defenders win: captured\n")),
        ("control", format!("{RECORD}1 defenders place c6 e6 {{\u{1b}[2J}}\n")),
    ];
    let mut catalogue = String::new();
    for (name, text) in cases {
        let file = format!("{name}.pbem");
        session.write(&file, text);
        catalogue.push_str(&transcript(&session, &["verify", &file]));
        catalogue.push_str(&transcript(&session, &["verify", "-v", &file]));
        catalogue.push('\n');
    }
    assert!(!catalogue.contains('\u{1b}'), "no escape reaches a pipe");
    assert!(!catalogue.contains("nvalid"), "say what is wrong");
    insta::assert_snapshot!("faults", catalogue);
}

#[test]
fn verify_reports_files_folders_and_standard_input() {
    let session = with(OPENING);
    session.write("club/a.pbem", format!("{RECORD}{SAMPLE}"));
    session.write("club/deep/b.pbem", format!("{RECORD}1 defenders place c6 c6\n"));
    session.write("club/notes.txt", "not a record");
    let done = session.run(&["verify", "game.pbem", "club"]);
    assert_eq!(done.code, 1);
    let lines: Vec<_> = done.out.lines().collect();
    assert_eq!(lines[0], "game.pbem: legal, 2 entries, defenders due");
    assert_eq!(lines[1], "club/a.pbem: legal, 9 entries, besiegers win: huffed");
    assert!(lines[2].starts_with("club/deep/b.pbem:10:13: T10: "), "{}", lines[2]);
    assert_eq!(lines.len(), 3);
    let quiet = session.run(&["verify", "-q", "game.pbem", "club"]);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (1, "", ""));
    let fed = session.feed(&["verify", "-"], format!("{RECORD}{SAMPLE}").as_bytes()).ok();
    assert_eq!(fed, "-: legal, 9 entries, besiegers win: huffed\n");
}

#[test]
fn unjudged_records_outweigh_illegal_ones() {
    let session = with(OPENING);
    session.write("bad.pbem", format!("{RECORD}1 defenders place c6 c6\n"));
    session.write("later.pbem", RECORD.replace("pbem: 1", "pbem: 7"));
    assert_eq!(session.run(&["verify", "game.pbem"]).code, 0);
    assert_eq!(session.run(&["verify", "game.pbem", "bad.pbem"]).code, 1);
    assert_eq!(session.run(&["verify", "later.pbem", "bad.pbem", "game.pbem"]).code, 2);
    assert_eq!(session.run(&["verify", "missing.pbem", "bad.pbem"]).code, 2);
    fs::create_dir(session.path("empty")).expect("a folder");
    let done = session.run(&["verify", "empty"]);
    assert!(done.out.contains("no record"), "{}", done.out);
    assert_eq!(done.code, 2);
}

#[test]
fn verify_as_json_has_all_fields() {
    let session = with(OPENING);
    session.write("bad.pbem", format!("{RECORD}1 defenders place c6 e6\n2 besiegers b4-b3\n"));
    session.write("broken.pbem", format!("{}x\ny\n", RECORD.replace("started: 2026-11-21", "started: soon")));
    session.write("over.pbem", format!("{RECORD}{SAMPLE}"));
    let done = session.run(&["verify", "--json", "game.pbem", "bad.pbem", "broken.pbem", "over.pbem", "missing.pbem"]);
    let reports: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let legal = serde_json::json!({"path": "game.pbem", "verdict": "legal", "game": "asalto", "entries": 2, "due": "defenders",
        "result": null, "signatures": null, "errors": []});
    assert_eq!(reports[0], legal);
    assert_eq!(reports[1]["verdict"], "illegal");
    let error = &reports[1]["errors"][0];
    assert_eq!(
        (&error["entry"], &error["line"], &error["column"], &error["rule"]),
        (&2.into(), &11.into(), &13.into(), &"T21".into())
    );
    assert_eq!(reports[2]["verdict"], "malformed");
    let lines: Vec<_> =
        reports[2]["errors"].as_array().expect("errors").iter().map(|error| error["line"].clone()).collect();
    assert_eq!(Value::from(lines), serde_json::json!([8, 10, 11]));
    assert_eq!(reports[2]["errors"][0]["rule"], Value::Null);
    assert_eq!((&reports[3]["due"], &reports[3]["result"]), (&Value::Null, &"besiegers win: huffed".into()));
    assert_eq!(reports[4]["verdict"], "unjudged");
    assert_eq!(done.code, 2);
}

#[test]
fn show_draws_the_board_at_any_entry() {
    let session = with(&format!("{SAMPLE}= besiegers win: huffed\n"));
    let now = session.run(&["show", "game.pbem"]).ok();
    assert!(now.contains("result    besiegers win: huffed"), "{now}");
    let line = session.run(&["show", "game.pbem", "--position", "--at", "3"]).ok();
    assert_eq!(line, ".../..D/BBB..BB/BB.BBBB/BBBBBBB/BBB/BBB b\n");
    let start = session.run(&["show", "game.pbem", "--at", "0"]).ok();
    assert!(start.contains("the placement of both defenders"), "{start}");
    assert!(session.run(&["show", "game.pbem", "--at", "10"]).fails(2).contains("9 entries"));
    assert!(session.run(&["show", "game.pbem", "--unicode"]).ok().contains('●'));
    assert!(now.is_ascii());
}

#[test]
fn show_shows_the_position_before_a_refused_entry() {
    let session = with("1 defenders place c6 e6\n2 besiegers b4-b3\n");
    let done = session.run(&["show", "game.pbem"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("last      1 defenders place c6 e6"), "{}", done.out);
    assert!(done.err.contains("T21"), "{}", done.err);
}

#[test]
fn a_game_is_explained_in_a_minute() {
    let session = Session::new();
    let told = session.run(&["games", "subsume"]).ok();
    for said in ["Subsume in a minute\n", "What you want. All territories", "postrider learn subsume", "turn-limit"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(!told.contains("asalto"), "{told}");
    assert!(session.run(&["games", "chess"]).fails(2).contains("there is no game `chess`"));
}

#[test]
fn moves_and_perft_work_from_records_and_positions() {
    let session = with(OPENING);
    let list = session.run(&["moves", "game.pbem"]).ok();
    let mut sorted: Vec<_> = list.lines().collect();
    sorted.sort_unstable();
    assert_eq!(list.lines().collect::<Vec<_>>(), sorted);
    let position = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
    assert_eq!(session.run(&["moves", "--game", "asalto", "--position", position]).ok().lines().count(), 9);
    assert_eq!(session.run(&["perft", "asalto", "3"]).ok(), "1507\n");
    assert_eq!(session.run(&["perft", "--game", "asalto", "--position", position, "4"]).ok(), "2080\n");
    assert_eq!(session.run(&["perft", "asalto", "4", "--option", "huff=strict"]).ok(), "8144\n");
    let divided = session.run(&["perft", "--game", "asalto", "--position", position, "2", "--divide"]).ok();
    assert_eq!((divided.lines().count(), divided.lines().last()), (10, Some("48")));
    assert_eq!(session.run(&["perft", "asalto", "0"]).ok(), "1\n");
    // The ways to split points can be restricted, and they are listed in full on demand.
    let sniper = "YA portal-trooper.1 portal-trooper.2 portal-trooper.3; AR stealth-sniper.1; ap 1; to play marines; \
                  hand marines -; hand portalists -; discard marines -; discard portalists -";
    let listed = ["moves", "--game", "mission-combat", "--position", sniper];
    let some = session.run(&listed);
    assert!(
        some.out.lines().count() < 120 && some.err.contains("1088 actions are left out; `--grain 1` lists all"),
        "{}",
        some.err
    );
    assert!(session.run(&[&listed[..], &["--json"]].concat()).ok().contains("\"left_out\":1088}"));
    // The same after the beginning of an entry, whole or in part.
    let header = "---\npbem: 1\ngame: mission-combat\nid: mission-splits\nplayers:\n  marines: {name: Ada}\n  portalists: {name: \
                  Bram}\nstarted: 2026-11-21\nsecrecy: open\n";
    session.write("splits.pbem", format!("{header}setup: \"{}\"\n---\n", sniper.replace("ap 1", "ap 2")));
    let killed = "attack stealth-sniper.1 portal-trooper.1:10";
    let after = session.run(&["moves", "splits.pbem", killed]);
    let json = session.run(&["moves", "--json", "splits.pbem", killed]).ok();
    assert!(
        after.code == 0 && !after.err.contains("left out") && !json.contains("left_out"),
        "few are left: {}",
        after.err
    );
    let two = sniper.replace("stealth-sniper.1", "stealth-sniper.1 stealth-sniper.2").replace("ap 1", "ap 2");
    session.write("splits.pbem", format!("{header}setup: \"{two}\"\n---\n"));
    let first = "attack stealth-sniper.1 portal-trooper.1:1";
    let after = session.run(&["moves", "splits.pbem", first]);
    let left = |err: &str| {
        err.split(" actions are left out").next().and_then(|text| text.rsplit(' ').next()?.parse::<u64>().ok())
    };
    let missing = left(&after.err).expect("how many are left out");
    let all = session.run(&["moves", "splits.pbem", first, "--grain", "1"]);
    assert!(!all.err.contains("left out"), "{}", all.err);
    assert_eq!(all.out.lines().count() as u64, after.out.lines().count() as u64 + missing);
    let json = session.run(&["moves", "--json", "splits.pbem", first]).ok();
    assert!(json.contains(&format!("\"left_out\":{missing}}}")), "{json}");
    let part = session.run(&["moves", "splits.pbem", "attack stealth"]);
    assert!(part.err.contains("actions of the whole list are left out; `--grain"), "{}", part.err);
    for (grain, count) in [("1", 1176), ("10", 72)] {
        let all = session.run(&[&listed[..], &["--grain", grain]].concat());
        assert!(all.out.lines().count() == count && !all.err.contains("left out"), "{grain}: {}", all.err);
    }
    let tank = "RP portal-trooper.1; DP psionic-fanatic.1; YO portal-trooper.2; AR armored-gauss-tank.1; ap 4; to play marines; \
                hand marines -; hand portalists -; discard marines -; discard portalists -";
    let tank = ["perft", "mission-combat", "1", "--position", tank];
    assert_eq!(session.run(&tank).ok(), "77\n");
    assert_eq!(session.run(&[&tank[..], &["--grain", "10"]].concat()).ok(), "68\n");
    assert!(session.run(&["perft", "asalto", "1", "--grain", "10"]).fails(2).contains("no points are split"));
    assert!(session.run(&[&tank[..], &["--grain", "0"]].concat()).fails(2).contains("1..=999"));
    assert!(session.run(&["perft", "chess", "1"]).fails(2).contains("postrider games"));
    assert!(session.run(&["perft", "asalto", "x"]).fails(2).contains("whole number"));
    assert!(
        session.run(&["perft", "--game", "asalto", "--position", "nonsense", "1"]).fails(2).contains("character 1")
    );
    assert!(
        session.run(&["perft", "asalto", "1", "--option", "huff=often"]).fails(2).contains("auto, claim or strict")
    );
}

#[test]
fn moves_lists_what_may_follow_the_beginning_of_an_entry() {
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n");
    let whole = session.run(&["moves", "game.pbem"]).ok();
    assert!(whole.contains("c6-d6; huff"), "{whole}");
    let done = session.run(&["moves", "game.pbem", "c6-d6"]);
    assert_eq!((done.code, done.err.as_str()), (0, "the entry must continue\n"), "{}", done.out);
    let listed: Vec<_> = whole.lines().filter_map(|entry| entry.strip_prefix("c6-d6; ")).collect();
    assert_eq!(done.out.lines().collect::<Vec<_>>(), listed);
    let done = session.run(&["moves", "game.pbem", &format!("c6-d6; {}", listed[0])]);
    assert_eq!((done.code, done.out.as_str()), (0, ""));
    assert!(done.err.contains("complete"), "{}", done.err);
    let refused = session.run(&["moves", "game.pbem", "c6-c8"]).fails(1);
    assert!(refused.contains("c6-c8") && refused.contains("rule"), "{refused}");
    assert!(session.run(&["moves", "game.pbem", "c6~c8"]).fails(1).contains("expected"));
}

#[test]
fn show_as_a_side_wants_a_side_of_the_game() {
    let session = with("1 defenders place c6 e6\n");
    let plain = session.run(&["show", "game.pbem"]).ok();
    assert_eq!(session.run(&["show", "game.pbem", "--as", "besiegers"]).ok(), plain, "nothing is hidden");
    assert!(session.run(&["show", "game.pbem", "--as", "white"]).fails(2).contains("besiegers and defenders"));
}

#[test]
fn move_appends_one_line_and_rewrites_none() {
    for end in ["\n", "", "\r\n"] {
        let text = format!("{RECORD}{OPENING}# a remark\n\n").replace('\n', if end == "\r\n" { "\r\n" } else { "\n" });
        let text = format!("{}{end}", text.trim_end());
        let session = Session::new();
        session.write("game.pbem", &text);
        session.run(&["move", "game.pbem", "  E6 - a1 "]).fails(1);
        assert_eq!(session.read("game.pbem"), text, "a refused entry leaves the file untouched");
        let shown = session.run(&["move", "game.pbem", " C6-D6 ;", "-m", "oh"]).ok();
        assert!(shown.contains("due       besiegers (entry 4): a move"), "{shown}");
        let after = session.read("game.pbem");
        let line = "3 defenders c6-d6; huff d6 @2026-11-21T12:00:00Z {oh}\n";
        assert_eq!(after, format!("{text}{}{line}", if end.is_empty() { "\n" } else { "" }));
    }
}

#[test]
fn move_without_writing_changes_nothing() {
    let session = with(OPENING);
    let before = session.read("game.pbem");
    assert!(session.run(&["move", "-n", "game.pbem", "c6-d6"]).ok().contains("nothing was written"));
    assert_eq!(session.read("game.pbem"), before);
    session.run(&["move", "-", "c6-d6"]).fails(2);
    assert!(session.feed(&["move", "-n", "-", "c6-d6"], before.as_bytes()).ok().contains("huff d6"));
}

#[test]
fn move_ends_games_with_their_result_line() {
    let session = with(SAMPLE.rsplit_once("9 ").expect("an entry").0);
    session.run(&["move", "game.pbem", "c5xc3"]).ok();
    assert!(session.read("game.pbem").ends_with("9 defenders c5xc3; huff c3\n= besiegers win: huffed\n"));
    assert!(session.run(&["move", "game.pbem", "d4-d5"]).fails(1).contains("over (besiegers win: huffed)"));
    let session = with(OPENING);
    session.run(&["move", "game.pbem", "e6-d6; draw?"]).ok();
    session.run(&["move", "game.pbem", "draw!"]).ok();
    assert!(session.read("game.pbem").ends_with("= draw: agreed\n"));
    let session = with(OPENING);
    session.run(&["move", "game.pbem", "resign"]).ok();
    assert!(
        session.read("game.pbem").ends_with("3 defenders resign @2026-11-21T12:00:00Z\n= besiegers win: resigned\n")
    );
}

#[test]
fn e7_time_is_claimed_by_the_side_that_waits() {
    let session = Session::new();
    let record = RECORD.replace("started: 2026-11-21\n", "started: 2026-11-21\nclock: 1d\n");
    session.write("game.pbem", format!("{record}{OPENING}"));
    let early = session.run(&["move", "game.pbem", "claim time", "--at", "2026-11-21T11:00:00Z"]).fails(1);
    assert!(early.contains("E7") && early.contains("0 seconds left"), "{early}");
    session.run(&["move", "game.pbem", "claim time", "--at", "2026-11-21T11:00:01Z"]).ok();
    assert!(
        session.read("game.pbem").ends_with("3 besiegers claim time @2026-11-21T11:00:01Z\n= besiegers win: time\n")
    );
}

#[test]
fn e9_a_message_holds_no_braces_and_no_control_characters() {
    let session = with(OPENING);
    let before = session.read("game.pbem");
    for message in ["a } b", "a\nb", "\u{1b}[31m"] {
        assert!(session.run(&["move", "game.pbem", "c6-d6", "-m", message]).fails(1).contains("E9"));
    }
    assert_eq!(session.read("game.pbem"), before);
}

#[test]
fn a_time_or_a_message_among_the_actions_is_not_lost_but_refused() {
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n");
    let before = session.read("game.pbem");
    for actions in ["c6-d6 {oh}", "c6-d6 @2026-11-21T12:00:00Z", "c6-d6\n4 besiegers e4-e5"] {
        let refused = session.run(&["move", "game.pbem", actions]);
        assert_eq!(refused.code, 1, "{actions}: {}", refused.out);
    }
    assert_eq!(session.read("game.pbem"), before);
}

#[test]
fn e3_a_time_before_the_last_entry_is_refused_but_a_slow_clock_is_not() {
    let session = with(&OPENING.replace("2026-11-20", "2026-11-22"));
    let early = session.run(&["move", "game.pbem", "c6-d6", "--at", "2026-11-22T10:59:59Z"]).fails(1);
    assert!(early.contains("E3"), "{early}");
    assert!(session.run(&["move", "game.pbem", "c6-d6", "--at", "yesterday"]).fails(2).contains("not a time"));
    let ahead = session.run(&["move", "game.pbem", "c6-d6"]).fails(2);
    assert!(ahead.contains("more than ten minutes ahead of the clock here"), "{ahead}");
    // The session's clock is set to noon.
    let session = with(&OPENING.replace("2026-11-20T11:00:00Z", "2026-11-21T12:09:00Z"));
    let done = session.run(&["move", "game.pbem", "c6-d6"]);
    assert!(done.err.contains("ahead of the clock"), "{}", done.err);
    assert!(
        session.read("game.pbem").contains("3 defenders c6-d6; huff d6 @2026-11-21T12:09:00Z\n"),
        "{}",
        session.read("game.pbem")
    );
}

#[test]
fn two_programs_moving_at_once_lose_nothing() {
    let session = with(OPENING);
    let entries = ["c6-c7", "c6-d6", "e6-e7", "e6-d6", "c6-c7; draw?", "e6-e5"];
    let children: Vec<_> = entries
        .iter()
        .map(|entry| {
            let mut command = session.command(&["move", "game.pbem", entry]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
        })
        .collect();
    let codes: Vec<_> = children.into_iter().map(|mut child| child.wait().expect("an end").code()).collect();
    // All of them are entries of the defenders: one wins, the others find that a different entry is due.
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert!(session.run(&["verify", "game.pbem"]).ok().contains("legal, 3 entries, besiegers due"));
    let left: Vec<_> = fs::read_dir(session.folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name != "home")
        .collect();
    assert_eq!(left, ["game.pbem"], "no temporary file is left");
}

#[test]
fn fmt_writes_the_canonical_form_and_checks_it() {
    let lazy = SAMPLE.replace("; huff d6", "").replace("place c6 e6", "place e6 c6");
    let session = Session::new();
    session.write("lazy.pbem", format!("{RECORD}{lazy}# remark\n").replace('\n', "\r\n"));
    let check = session.run(&["fmt", "--check", "lazy.pbem"]);
    assert_eq!((check.code, check.out.as_str()), (1, "lazy.pbem: not canonical\n"));
    session.run(&["fmt", "lazy.pbem"]).ok();
    let canonical = format!("{RECORD}{SAMPLE}= besiegers win: huffed\n# remark\n");
    assert_eq!(session.read("lazy.pbem"), canonical);
    session.run(&["fmt", "--check", "lazy.pbem"]).ok();
    // A file that is in this form already is not written again.
    let written = || std::fs::metadata(session.path("lazy.pbem")).and_then(|file| file.modified()).expect("a time");
    let before = written();
    session.run(&["fmt", "lazy.pbem"]).ok();
    assert_eq!((session.read("lazy.pbem"), written()), (canonical.clone(), before));
    let fed = session.feed(&["fmt", "-"], format!("{RECORD}{lazy}").as_bytes()).ok();
    assert_eq!(fed, canonical.replace("# remark\n", ""));
    session.write("bad.pbem", format!("{RECORD}1 defenders place c6 c6\n"));
    assert!(session.run(&["fmt", "bad.pbem"]).fails(1).contains("T10"));
    assert_eq!(session.run(&["fmt", "--check", "bad.pbem", "lazy.pbem"]).code, 1);
    assert_eq!(session.run(&["fmt", "--check", "missing.pbem", "lazy.pbem"]).code, 2);
}

#[test]
fn fmt_spells_the_position_canonically_however_it_is_quoted() {
    let position = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
    for written in [format!("'{position}'"), position.to_owned(), format!("|-\n  {position}")] {
        let session = Session::new();
        let record = |setup: &str| RECORD.replace("started", &format!("setup: {setup}\nstarted"));
        session.write("game.pbem", record(&written));
        session.run(&["fmt", "game.pbem"]).ok();
        assert_eq!(session.read("game.pbem"), record(&format!("\"{position}\"")));
    }
}

#[test]
fn new_begins_records_that_are_legal() {
    let session = Session::new();
    let players = ["--player", "besiegers=Ada \"the Axe\" Quill <ada@example.org>", "--player", "defenders=Bram: Post"];
    let position = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b -";
    let mut args = vec![
        "new",
        "asalto",
        "--option",
        "huff=claim",
        "--setup",
        position,
        "--clock",
        "30d+1d leave 30d",
        "--title",
        "A # b",
    ];
    args.extend(players);
    let text = session.run(&args).ok();
    assert_eq!(session.feed(&["verify", "-"], text.as_bytes()).ok(), "-: legal, 0 entries, besiegers due\n");
    assert!(text.contains("id: asalto-20261121-"), "{text}");
    args.extend(["-o", "new.pbem", "--id", "asalto-mine"]);
    session.run(&args).ok();
    assert!(session.run(&args).fails(2).contains("new.pbem"), "a file is never overwritten");
    for (bad, word) in [
        (vec!["new", "halma", "--player", "a=b"], "postrider games"),
        (vec!["new", "asalto", "--player", "white=Ada"], "besiegers="),
        (vec!["new", "asalto", "--player", "besiegers=Ada"], "who are you?"),
        (vec!["new", "asalto", "--player", "besiegers=Ada <nowhere>", "--player", "defenders=B"], "not a mail address"),
        (vec!["new", "asalto", "--player", "besiegers=A\u{1b}", "--player", "defenders=B"], "control character"),
        (
            vec!["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B", "--id", "../x"],
            "cannot be an id",
        ),
        (vec!["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B", "--clock", "5"], "clock"),
        (vec!["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B", "--setup", "x"], "position"),
    ] {
        let err = session.run(&bad).fails(2);
        assert!(err.contains(word), "{bad:?}: {err}");
    }
}

#[test]
fn new_takes_options_of_sealed_play_beside_a_position() {
    let session = Session::new();
    let players = ["--player", "white=Ada", "--player", "black=Bram"];
    let position = "white Lc1 Pa1; black Pf6 Sb3; to play white";
    for option in ["dice=stated", "deployment=sealed"] {
        let mut args = vec!["new", "assassyn", "--option", option, "--setup", position];
        args.extend(players);
        let text = session.run(&args).ok();
        assert!(text.contains("setup: \"white Pa1 Lc1; black Pf6 Sb3; to play white\"\n"), "{text}");
        assert_eq!(session.feed(&["verify", "-"], text.as_bytes()).ok(), "-: legal, 0 entries, white due\n");
        args.push("--open");
        let err = session.run(&args).fails(2);
        assert!(err.contains("needs `secrecy: sealed`") && err.contains("leave out --open"), "{err}");
        let mut plain = vec!["new", "assassyn", "--option", option, "--open"];
        plain.extend(players);
        let err = session.run(&plain).fails(2);
        assert!(err.contains("needs `secrecy: sealed`") && err.contains("leave out --open"), "{err}");
        let err = session.run(&["perft", "assassyn", "1", "--option", option]).fails(2);
        assert!(err.contains("open play") && !err.contains("positions"), "{err}");
    }
    let mut args = vec!["new", "assassyn", "--setup", "white Pa1 Lc5; black Pf6 Sc5; to play black; challenge c1xc5"];
    args.extend(players);
    let err = session.run(&args).fails(2);
    assert!(err.contains("in a sealed record it would have no seal"), "{err}");
    args.push("--open");
    session.run(&args).ok();
}

#[test]
fn rules_of_the_record_and_of_sealed_play_are_found_from_a_game() {
    let session = Session::new();
    for (number, advised) in [("Z12", "sealing"), ("E5", "record")] {
        let err = session.run(&["rules", "assassyn", number]).fails(2);
        assert!(err.contains(&format!("`postrider rules {advised} {number}`")), "{err}");
        session.run(&["rules", advised, number]).ok();
    }
    assert!(session.run(&["rules", "assassyn", "D99"]).fails(2).contains("it has D1 D2"));
}

#[test]
fn send_writes_one_letter_an_entry_into_the_outbox() {
    let session = with(OPENING);
    let dry = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(!session.path("home/data/outbox").exists(), "a dry run sends nothing");
    let told = session.run(&["send", "game.pbem"]);
    assert!(told.err.contains("written to"), "{}", told.err);
    let letter = session.read("home/data/outbox/asalto-session.2.eml");
    assert_eq!(letter, dry, "a dry run prints the exact letter");
    assert!(letter.contains("To: \"Bram Post\" <bram@example.net>\r\n"), "{letter}");
    assert!(letter.contains("Subject: [pbem] asalto-session #2 besiegers: c4-c5\r\n"), "{letter}");
    for part in [
        "about your game of Asalto",
        "It is your turn (defenders): a move.",
        "reply to this letter and write just your move",
        "postrider receive LETTER",
    ] {
        assert!(letter.replace("=\r\n", "").replace("\r\n", " ").contains(part), "{part}: {letter}");
    }
    assert!(!letter.contains("editor"), "nobody should edit the file");
    let again = session.run(&["send", "game.pbem"]);
    assert!(again.err.contains("entry 2 to bram@example.net was written to"), "{}", again.err);
    assert!(again.err.contains("for you to mail; --force writes it again"), "{}", again.err);
    assert!(session.run(&["send", "--force", "game.pbem"]).err.contains("written to"));
    assert!(session.run(&["send", "game.pbem", "--to", "else@example.com"]).err.contains("else@example.com"));
    assert!(session.run(&["send", "game.pbem", "--to", "no address"]).fails(2).contains("not a mail address"));
}

#[test]
fn a_letter_of_a_sealed_game_offers_no_writing_by_hand() {
    let session = Session::new();
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let mut args = vec!["new", "assassyn", "-o", "game.pbem"];
    args.extend(players);
    session.run(&args).ok();
    session.run(&["move", "game.pbem", "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"]).ok();
    let letter = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(letter.contains("'YOUR MOVE' --send") && !letter.contains("write just your move"), "{letter}");
    assert!(!letter.contains("mailto:"), "sealed entries have no links");
}

#[test]
fn send_goes_to_the_opponent_when_the_game_is_over_and_needs_addresses() {
    let session = with(SAMPLE);
    assert!(session.run(&["send", "game.pbem"]).err.contains("to ada@example.org"));
    session.write(
        "bare.pbem",
        format!(
            "{}{OPENING}",
            RECORD.replace("asalto-session", "asalto-without").replace(", email: bram@example.net", "")
        ),
    );
    assert!(session.run(&["send", "bare.pbem"]).fails(2).contains("--to"));
    session.write(
        "bare.pbem",
        format!(
            "{}{OPENING}",
            RECORD.replace("asalto-session", "asalto-without").replace(", email: ada@example.org", "")
        ),
    );
    assert!(session.run(&["send", "bare.pbem"]).fails(2).contains("email:"));
    session.write("home/settings.yaml", "email: quill@example.com\n");
    assert!(session.run(&["send", "-n", "bare.pbem"]).ok().contains("quill@example.com"));
    session.write("bad.pbem", format!("{RECORD}1 besiegers c4-c5\n"));
    assert!(session.run(&["send", "bad.pbem"]).fails(1).contains("E2"));
}

#[test]
fn move_and_send_hand_the_letter_to_the_program_of_the_settings() {
    let session = with(OPENING);
    let program = session.path("fake-mta");
    programs::write(&program, "#!/bin/sh\ncat > letter.txt\nprintf '%s ' \"$@\" > arguments.txt\n");
    session
        .write("home/settings.yaml", format!("mail:\n  transport: sendmail\n  command: [\"{}\"]\n", program.display()));
    session.run(&["move", "game.pbem", "c6-d6", "--send"]).ok();
    assert!(session.read("letter.txt").contains("Subject: [pbem] asalto-session #3 defenders: c6-d6; huff d6"));
    assert!(session.read("arguments.txt").contains("-- ada@example.org"));
    session.write("home/settings.yaml", "mail:\n  transport: sendmail\n  command: [./not-there]\n");
    let failed = session.run(&["move", "game.pbem", "e4-e5", "--send", "--for", "besiegers"]).fails(2);
    assert!(failed.contains("postrider send game.pbem"), "{failed}");
    assert!(session.read("game.pbem").contains("4 besiegers e4-e5"), "the move is durable before anything is sent");
}

#[test]
fn rules_prints_books_and_sections() {
    let session = Session::new();
    assert!(session.run(&["rules"]).ok().contains("asalto"));
    assert!(session.run(&["rules", "asalto", "t21"]).ok().starts_with("T21 never backwards\n"));
    assert!(session.run(&["rules", "record", "E5"]).ok().starts_with("E5 "));
    assert!(session.run(&["rules", "T21"]).ok().starts_with("T21 "));
    assert!(session.run(&["rules", "asalto", "T99"]).fails(2).contains("T55"));
    assert!(session.run(&["rules", "halma"]).fails(2).contains("postrider rules"));
}

#[test]
fn strange_file_names_and_missing_files_are_reported_plainly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let session = Session::new();
    let name = OsStr::from_bytes(b"a\x1b[31m\xff.pbem");
    fs::write(session.folder.path().join(name), format!("{RECORD}{OPENING}")).expect("a file");
    let output = session.command(&["verify"]).arg(name).output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("legal, 2 entries") && !text.contains('\u{1b}'), "{text:?}");
    assert!(session.run(&["show", "missing.pbem"]).fails(2).contains("missing.pbem"));
    assert!(session.run(&["move", "missing.pbem", "c4-c5"]).fails(2).contains("missing.pbem"));
}

/// The records in the examples, by folder; each is named after its game.
fn examples() -> Vec<(String, Vec<PathBuf>)> {
    let list = |folder: &Path| {
        let mut paths: Vec<_> =
            fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let folders = list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"));
    let records = |folder: &PathBuf| {
        let mut paths = list(folder);
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "pbem"));
        (folder.file_name().expect("a name").to_string_lossy().into_owned(), paths)
    };
    // Examples for other programs are beside those of the games.
    let others = ["archive", "editors", "git", "host", "languages", "mail-setup", "python"];
    let of_games = |path: &&PathBuf| path.is_dir() && others.iter().all(|other| !path.ends_with(other));
    folders.iter().filter(of_games).map(records).collect()
}

#[test]
fn the_examples_are_what_they_say() {
    let contents =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/README.md")).expect("the contents");
    for (game, records) in examples() {
        assert!(postrider_referee::registry::find(&game).is_some(), "{game} is a game");
        let mut endings = Vec::new();
        let mut refused = 0;
        for path in records {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(contents.contains(&format!("({game}/{name})")), "{game}/{name} is listed");
            let source = fs::read(&path).expect("a record");
            let verdict = postrider_referee::verdict::verify(&source);
            if name.starts_with("refused-") {
                let session = Session::new();
                fs::copy(&path, session.path(&name)).expect("a copy");
                let diagnosis = fs::read_to_string(path.with_extension("diagnosis")).expect("its diagnosis");
                assert_eq!(session.run(&["verify", "-v", &name]).out, diagnosis, "{game}/{name}");
                refused += 1;
            } else {
                let canonical = postrider_referee::verdict::format(&source).expect("a legal record");
                assert!(canonical == source, "{game}/{name} is canonical");
                assert!(source.starts_with(format!("---\npbem: 1\ngame: {game}\n").as_bytes()), "{game}/{name}");
                endings.extend(verdict.outcome.map(|outcome| format!("{outcome:?}")));
            }
        }
        assert!(endings.len() >= 2 && refused >= 1, "{game}: {endings:?}, {refused} refused");
        endings.sort();
        endings.dedup();
        assert!(game != "asalto" || endings.len() >= 3, "{game}: {endings:?}");
    }
}
