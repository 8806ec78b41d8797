//! What cannot be seen in a file, or looks like something else, is named; and small things that people have stumbled over.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::letters::{ID, record};
use crate::session::Session;

#[test]
fn what_looks_like_an_entry_and_is_none_says_why() {
    let session = Session::new();
    for (there, instead, word) in [
        ("c4-c5", "\u{441}4-c5", "U+0441"),
        ("c4-c5", "c4\u{2013}c5", "U+2013"),
        ("c4-c5 @", "c4-c5\u{a0}@", "blank of another kind (U+00A0)"),
        ("place c6", "place  c6", "two blanks"),
        ("2 besiegers", "2  besiegers", "two blanks"),
    ] {
        session.write("game.pbem", record(2).replace(there, instead));
        let said = session.run(&["verify", "-v", "game.pbem"]);
        assert!(said.code != 0 && said.out.contains(word), "{instead:?}: {}{}", said.out, said.err);
    }
    // What a merge of git has left is named as that.
    session.write("game.pbem", record(2) + "<<<<<<< HEAD\n3 defenders c6-d6\n=======\n3 defenders c6-c5\n>>>>>>> x\n");
    let said = session.run(&["verify", "-v", "game.pbem"]);
    assert_eq!(said.out.matches("a conflict marker of git").count(), 3, "{}", said.out);
    assert!(said.out.contains("postrider git setup"), "{}", said.out);
}

#[test]
fn a_table_counts_days_of_the_calendar_and_refuses_what_is_none() {
    let session = Session::new();
    session.write("game.pbem", record(2) + "3 defenders resign @2026-11-22T20:40:00Z\n= besiegers win: resigned\n");
    for days in ["2026", "2026-11", "2026-11-21"] {
        assert!(session.run(&["table", "--started", days, "game.pbem"]).ok().contains("1 game"), "{days}");
    }
    for days in ["2026-1", "2026-13", "26", "2026-11-31", "2026-11-", "20261", ""] {
        let said = session.run(&["table", "--started", days, "game.pbem"]).fails(2);
        assert!(said.contains("2026-01"), "{days}: {said}");
    }
}

#[test]
fn a_name_is_one_player_however_its_accents_are_written() {
    let session = Session::new();
    for (nth, name) in ["Ren\u{e9}", "Rene\u{301}"].iter().enumerate() {
        let game = format!(
            "---\npbem: 1\ngame: asalto\nid: asalto-accent-{nth}\nplayers:\n  besiegers: {{name: {name}}}\n  defenders: {{name: Bram}}\n\
             started: 2026-11-21\n---\n1 defenders resign\n= besiegers win: resigned\n"
        );
        session.write(&format!("games/{nth}.pbem"), game);
    }
    let table = session.run(&["table", "games", "--format", "csv"]).ok();
    assert_eq!(table.matches("Ren").count(), 1, "{table}");
}

#[test]
fn a_batch_ends_when_nobody_reads_its_answers() {
    let session = Session::new();
    for args in [&["verify", "--batch"][..], &["verify", "-"]] {
        let mut endless = Command::new("yes");
        let lines = endless.arg(r#"{"path":"x","record":"y"}"#).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut lines = lines.expect("started");
        let mut command = session.command(args);
        command.stdin(lines.stdout.take().expect("a pipe")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut judging = command.spawn().expect("started");
        let mut first = String::new();
        BufReader::new(judging.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
        let begun = Instant::now();
        while judging.try_wait().expect("a child").is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{args:?} reads on");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(!first.is_empty());
        let _ = lines.kill();
        let _ = lines.wait();
    }
}

#[test]
fn a_path_from_here_is_within_the_folder_and_an_ending_in_capitals_is_a_record() {
    let session = Session::new();
    let line = |path: &str| format!("{}\n", serde_json::json!({ "path": path, "record": record(1) }));
    session.write("games.jsonl", line("./here.pbem") + &line("a/./b/../../../out.pbem"));
    let done = session.run(&["unpack", "games.jsonl", "-o", "out"]);
    assert_eq!(session.read("out/here.pbem"), record(1), "{}", done.err);
    assert!(done.code == 1 && !session.path("out.pbem").exists(), "{}", done.err);
    session.write("games/A.PBEM", record(1));
    let told = session.run(&["verify", "games"]).ok();
    assert!(told.contains("A.PBEM: legal"), "{told}");
}

#[test]
fn a_picture_is_xml_whatever_stands_in_a_name() {
    let session = Session::new();
    session.write("game.pbem", record(1).replace("Ada Quill", "\"Ada \\ufffe\\uffff Quill\""));
    session.run(&["picture", "game.pbem", "-o", "board.svg"]).ok();
    let svg = session.read("board.svg");
    assert!(svg.contains("Ada") && !svg.contains(['\u{fffe}', '\u{ffff}']), "{ID}");
    assert!(fs::metadata(session.path("board.svg")).expect("a file").len() > 100);
}

#[test]
fn a_record_that_is_read_only_is_not_replaced() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.write("game.pbem", record(1));
    fs::set_permissions(session.path("game.pbem"), fs::Permissions::from_mode(0o444)).expect("a mode");
    let said = session.run(&["move", "game.pbem", "c4-c5"]).fails(2);
    assert!(said.contains("read-only"), "{said}");
    assert_eq!(session.read("game.pbem"), record(1));
    fs::set_permissions(session.path("game.pbem"), fs::Permissions::from_mode(0o644)).expect("a mode");
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
}

#[test]
fn whoever_imports_a_key_that_others_can_read_is_told_so() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.run(&["key", "new"]).ok();
    let folder = session.path("home/data/keys");
    let own = fs::read_dir(folder).expect("a folder").map(|one| one.expect("a file").path());
    let own = own.into_iter().find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("PRIVATE KEY")));
    fs::copy(own.expect("the key"), session.path("key.pem")).expect("copied");
    for (mode, told) in [(0o644, true), (0o600, false)] {
        fs::set_permissions(session.path("key.pem"), fs::Permissions::from_mode(mode)).expect("a mode");
        session.write("other/settings.yaml", "email: ada@example.org\n");
        let _ = fs::remove_dir_all(session.path("other/data"));
        let mut command = session.command(&["key", "import", "key.pem"]);
        let output = command.env("POSTRIDER_HOME", session.path("other")).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("others may read key.pem") == told, "{mode:o}: {said}");
    }
}

#[test]
fn a_mark_before_lines_of_json_is_named() {
    let session = Session::new();
    session.write("games.jsonl", "\u{feff}{\"path\":\"a.pbem\",\"record\":\"x\"}\n");
    let said = session.run(&["verify", "games.jsonl"]);
    assert!(
        said.code != 0 && format!("{}{}", said.out, said.err).contains("byte order mark"),
        "{}{}",
        said.out,
        said.err
    );
}
