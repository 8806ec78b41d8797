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
    let mut help = session.transcript(&[]) + &session.transcript(&["--help"]);
    for command in commands {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        help.push_str(&session.transcript(&args));
        let text = session.run(&args).ok();
        assert!(text.contains("Example"), "{command}: the help has examples");
    }
    insta::assert_snapshot!("help", help);
}

#[test]
fn the_help_of_rarer_commands_and_of_all_parts_of_commands_is_as_reviewed() {
    let session = Session::new();
    let commands = [
        "log",
        "own",
        "picture",
        "page",
        "setup",
        "backup",
        "restore",
        "key new",
        "key passphrase",
        "key show",
        "key trust",
        "key revoke",
        "key rotate",
        "key prove",
        "key take",
        "key untrust",
        "key export",
        "key backup",
        "key import",
        "secret export",
        "secret import",
        "secret publish",
        "decks check",
        "decks show",
        "host",
        "host setup",
        "host receive",
        "host status",
        "host games",
        "host people",
        "host forget",
        "host restore",
    ];
    let help = |command: &str| session.transcript(&command.split(' ').chain(["--help"]).collect::<Vec<_>>());
    insta::assert_snapshot!("help_of_the_rest", commands.map(help).concat());
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
        catalogue.push_str(&session.transcript(&["verify", &file]));
        catalogue.push_str(&session.transcript(&["verify", "-v", &file]));
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
    fs::create_dir(session.path("empty")).expect("a folder");
    insta::assert_snapshot!(
        "verify",
        session.transcripts(&["verify game.pbem club", "verify -v club/deep", "verify empty", "verify missing.pbem"])
    );
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
    session.write("refused.pbem", format!("{RECORD}1 defenders place c6 e6\n2 besiegers b4-b3\n"));
    let shown = session.transcripts(&[
        "show game.pbem",
        "show game.pbem --at 0",
        "show game.pbem --at 3 --position",
        "show game.pbem --at 3 --compact",
        "show game.pbem --at 3 --words",
        "show game.pbem --at 10",
        "show game.pbem --view white",
        "show refused.pbem",
    ]);
    assert!(shown.is_ascii());
    insta::assert_snapshot!("show", shown);
    insta::assert_snapshot!("show_unicode", session.transcripts(&["show game.pbem --unicode"]));
}

#[test]
fn a_game_is_explained_in_a_minute() {
    let session = Session::new();
    insta::assert_snapshot!("games", session.transcripts(&["games", "games subsume", "games chess"]));
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
    insta::assert_snapshot!(
        "perft_refused",
        session.transcripts(&[
            "perft asalto 1 --grain 10",
            "perft mission-combat 1 --grain 0",
            "perft chess 1",
            "perft asalto x",
            "perft --game asalto --position nonsense 1",
            "perft asalto 1 --option huff=often",
        ])
    );
}

#[test]
fn moves_lists_what_may_follow_the_beginning_of_an_entry() {
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n");
    let whole = session.run(&["moves", "game.pbem"]).ok();
    let done = session.run(&["moves", "game.pbem", "c6-d6"]);
    assert_eq!((done.code, done.err.as_str()), (0, "the entry must continue\n"), "{}", done.out);
    let listed: Vec<_> = whole.lines().filter_map(|entry| entry.strip_prefix("c6-d6; ")).collect();
    assert_eq!(done.out.lines().collect::<Vec<_>>(), listed);
    let done = session.run(&["moves", "game.pbem", &format!("c6-d6; {}", listed[0])]);
    assert_eq!(
        (done.code, done.out.as_str(), done.err.as_str()),
        (0, "", "the entry is complete: none of the game's actions may follow\n")
    );
    insta::assert_snapshot!(
        "moves",
        session.transcripts(&[
            "moves game.pbem",
            "moves game.pbem c6-d6",
            "moves game.pbem c6-c8",
            "moves game.pbem c6~c8"
        ])
    );
}

#[test]
fn show_as_a_side_wants_a_side_of_the_game() {
    let session = with("1 defenders place c6 e6\n");
    let plain = session.run(&["show", "game.pbem"]).ok();
    assert_eq!(session.run(&["show", "game.pbem", "--as", "besiegers"]).ok(), plain, "nothing is hidden");
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
        insta::assert_snapshot!("move", shown);
        let after = session.read("game.pbem");
        let line = "3 defenders c6-d6; huff d6 @2026-11-21T12:00:00Z {oh}\n";
        assert_eq!(after, format!("{text}{}{line}", if end.is_empty() { "\n" } else { "" }));
    }
}

#[test]
fn move_without_writing_changes_nothing() {
    let session = with(OPENING);
    let before = session.read("game.pbem");
    insta::assert_snapshot!("move_without_writing", session.transcripts(&["move -n game.pbem c6-d6"]));
    assert_eq!(session.read("game.pbem"), before);
    session.run(&["move", "-", "c6-d6"]).fails(2);
    assert!(session.feed(&["move", "-n", "-", "c6-d6"], before.as_bytes()).ok().contains("huff d6"));
}

#[test]
fn move_ends_games_with_their_result_line() {
    let session = with(SAMPLE.rsplit_once("9 ").expect("an entry").0);
    session.run(&["move", "game.pbem", "c5xc3"]).ok();
    assert!(session.read("game.pbem").ends_with("9 defenders c5xc3; huff c3\n= besiegers win: huffed\n"));
    insta::assert_snapshot!("move_after_the_end", session.transcripts(&["move game.pbem d4-d5"]));
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
    let early = session.transcript(&["move", "game.pbem", "claim time", "--at", "2026-11-21T11:00:00Z"]);
    insta::assert_snapshot!("claim_too_early", early);
    session.run(&["move", "game.pbem", "claim time", "--at", "2026-11-21T11:00:01Z"]).ok();
    assert!(
        session.read("game.pbem").ends_with("3 besiegers claim time @2026-11-21T11:00:01Z\n= besiegers win: time\n")
    );
}

#[test]
fn e9_a_message_holds_no_braces_and_no_control_characters() {
    let session = with(OPENING);
    let before = session.read("game.pbem");
    let refused = ["a } b", "a\nb", "\u{1b}[31m"]
        .map(|message| session.run(&["move", "game.pbem", "c6-d6", "-m", message]).fails(1));
    insta::assert_snapshot!("messages_refused", refused.join("\n"));
    assert_eq!(session.read("game.pbem"), before);
}

#[test]
fn a_time_or_a_message_among_the_actions_is_not_lost_but_refused() {
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n");
    let before = session.read("game.pbem");
    let refused = ["c6-d6 {oh}", "c6-d6 @2026-11-21T12:00:00Z", "c6-d6\n4 besiegers e4-e5"]
        .map(|actions| session.run(&["move", "game.pbem", actions]).fails(1));
    insta::assert_snapshot!("asides_refused", refused.join("\n"));
    assert_eq!(session.read("game.pbem"), before);
}

#[test]
fn e3_a_time_before_the_last_entry_is_refused_but_a_slow_clock_is_not() {
    let session = with(&OPENING.replace("2026-11-20", "2026-11-22"));
    insta::assert_snapshot!(
        "times_refused",
        session.transcripts(&[
            "move game.pbem c6-d6 --time 2026-11-22T10:59:59Z",
            "move game.pbem c6-d6 --time yesterday",
            "move game.pbem c6-d6",
        ])
    );
    // The session's clock is set to noon.
    let session = with(&OPENING.replace("2026-11-20T11:00:00Z", "2026-11-21T12:09:00Z"));
    insta::assert_snapshot!("move_by_a_slow_clock", session.transcripts(&["move game.pbem c6-d6", "log game.pbem"]));
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
    insta::assert_snapshot!(
        "fmt_refused",
        session.transcripts(&["fmt bad.pbem", "fmt --check bad.pbem lazy.pbem", "fmt --check missing.pbem lazy.pbem"])
    );
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
    let players = "new asalto --player besiegers=A --player defenders=B";
    let refused = session.transcripts(&[
        "new halma --player a=b",
        "new asalto --player white=Ada",
        "new asalto --player besiegers=Ada",
        "new asalto --player besiegers=<nowhere> --player defenders=B",
        &format!("{players} --id ../x"),
        &format!("{players} --clock 5"),
        &format!("{players} --setup x"),
    ]);
    insta::assert_snapshot!("new_refused", refused);
    let control = ["new", "asalto", "--player", "besiegers=A\u{1b}", "--player", "defenders=B"];
    insta::assert_snapshot!("new_with_a_control_character", session.run(&control).fails(2));
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
    insta::assert_snapshot!(
        "rules_of_others",
        session.transcripts(&["rules assassyn Z12", "rules assassyn E5", "rules assassyn D99"])
    );
    for args in [["rules", "sealing", "Z12"], ["rules", "record", "E5"]] {
        session.run(&args).ok();
    }
}

#[test]
fn send_writes_one_letter_an_entry_into_the_outbox() {
    let session = with(OPENING);
    let dry = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(!session.path("home/data/outbox").exists(), "a dry run sends nothing");
    let told = session.transcripts(&["send game.pbem"]);
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
    let again = [
        "send game.pbem",
        "send --force game.pbem",
        "send game.pbem --to else@example.com",
        "send game.pbem --to nowhere",
    ];
    insta::assert_snapshot!("send", told + &session.transcripts(&again));
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
    let mut told = session.transcripts(&["send game.pbem"]);
    session.write(
        "bare.pbem",
        format!(
            "{}{OPENING}",
            RECORD.replace("asalto-session", "asalto-without").replace(", email: bram@example.net", "")
        ),
    );
    told.push_str(&session.transcripts(&["send bare.pbem"]));
    session.write(
        "bare.pbem",
        format!(
            "{}{OPENING}",
            RECORD.replace("asalto-session", "asalto-without").replace(", email: ada@example.org", "")
        ),
    );
    told.push_str(&session.transcripts(&["send bare.pbem"]));
    session.write("home/settings.yaml", "email: quill@example.com\n");
    assert!(session.run(&["send", "-n", "bare.pbem"]).ok().contains("quill@example.com"));
    session.write("bad.pbem", format!("{RECORD}1 besiegers c4-c5\n"));
    insta::assert_snapshot!("send_refused", told + &session.transcripts(&["send bad.pbem"]));
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
    insta::assert_snapshot!(
        "move_that_cannot_be_sent",
        session.transcripts(&["move game.pbem e4-e5 --send --for besiegers"])
    );
    assert!(session.read("game.pbem").contains("4 besiegers e4-e5"), "the move is durable before anything is sent");
}

#[test]
fn rules_prints_books_and_sections() {
    let session = Session::new();
    let commands = ["rules", "rules asalto t21", "rules T21", "rules record E5", "rules asalto T99", "rules halma"];
    insta::assert_snapshot!("rules", session.transcripts(&commands));
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
    insta::assert_snapshot!("missing_files", session.transcripts(&["show missing.pbem", "move missing.pbem c4-c5"]));
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
