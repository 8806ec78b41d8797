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
        ("c4-c5 @", "c4-c5\u{a0}@", "another kind of space (U+00A0)"),
        ("place c6", "place  c6", "two spaces"),
        ("2 besiegers", "2  besiegers", "two spaces"),
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
    for args in [&["verify", "--batch"][..], &["verify", "-"], &["export", "-"], &["export", "--csv", "-"]] {
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
fn a_key_that_others_can_read_is_not_imported_unless_the_player_insists() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.run(&["key", "new"]).ok();
    let folder = session.path("home/data/keys");
    let own = fs::read_dir(folder).expect("a folder").map(|one| one.expect("a file").path());
    let own = own.into_iter().find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("PRIVATE KEY")));
    fs::copy(own.expect("the key"), session.path("key.pem")).expect("copied");
    let import = |mode: u32, more: &[&str]| {
        fs::set_permissions(session.path("key.pem"), fs::Permissions::from_mode(mode)).expect("a mode");
        session.write("other/settings.yaml", "email: ada@example.org\n");
        let _ = fs::remove_dir_all(session.path("other/data"));
        let mut command = session.command(&[&["key", "import", "key.pem"], more].concat());
        let output = command.env("POSTRIDER_HOME", session.path("other")).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said, session.path("other/data/keys/own.pem").exists())
    };
    for mode in [0o644, 0o640, 0o604] {
        let (code, said, there) = import(mode, &[]);
        assert!(code == Some(2) && !there, "{mode:o}: {said}");
        for part in ["others may read key.pem", "nothing was imported", "chmod go= key.pem", "--despite-readers"] {
            assert!(said.contains(part), "{mode:o}: {said}");
        }
        let (code, said, there) = import(mode, &["--despite-readers"]);
        assert!(code == Some(0) && there && said.contains("imported"), "{mode:o}: {said}");
    }
    let (code, said, there) = import(0o600, &[]);
    assert!(code == Some(0) && there && !said.contains("others may read"), "{said}");
}

#[test]
fn two_files_whose_names_are_no_text_keep_two_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    fs::create_dir(session.path("games")).expect("a folder");
    let illegal = record(2).replace("c4-c5", "c4-c6");
    let files = [
        (&b"a\xff.pbem"[..], "\u{fffd}FF"),
        (b"a\xfe.pbem", "\u{fffd}FE"),
        ("a\u{fffd}FF.pbem".as_bytes(), "\u{fffd}BDFF"),
    ];
    for (nth, (name, _)) in files.iter().enumerate() {
        let written = fs::write(
            session.path("games").join(OsStr::from_bytes(name)),
            illegal.replace(ID, &format!("asalto-bytes-{nth}")),
        );
        // Some systems have no such names.
        if written.is_err() {
            return;
        }
    }
    for args in [
        &["verify", "games"][..],
        &["verify", "games", "--json"],
        &["verify", "games", "--format", "junit"],
        &["verify", "games", "--format", "github"],
        &["export", "games"],
        &["export", "games", "--csv"],
        &["status", "--json"],
        &["status"],
        &["doctor"],
        &["doctor", "--json"],
    ] {
        let said = session.run(args).out;
        for (_, marked) in files {
            assert!(said.contains(marked), "{args:?}: {marked} {said}");
        }
    }
    let sarif = session.run(&["verify", "games", "--format", "sarif"]).out;
    for uri in ["games/a%FF.pbem", "games/a%FE.pbem", "games/a%EF%BF%BDFF.pbem"] {
        assert!(sarif.contains(&format!("\"uri\":\"{uri}\"")), "{sarif}");
    }
    // Packed, they are the same two names, and come back as they were.
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let packed = session.run(&["verify", "games.jsonl.zst", "--json"]).out;
    assert!(files.iter().all(|(_, marked)| packed.contains(marked)), "{packed}");
    session.run(&["unpack", "games.jsonl.zst", "-o", "out"]).ok();
    for (name, _) in files {
        let found = session.path("out/games").join(OsStr::from_bytes(name));
        assert!(found.exists() || session.path("out").join(OsStr::from_bytes(name)).exists(), "{name:?}");
    }
    // What is to be typed is what the shell reads.
    let said = session.run(&["status"]).out;
    assert!(said.contains(r"$'") && said.contains(r"a\xff.pbem'"), "{said}");
}

#[test]
fn an_ending_in_capitals_is_a_record_wherever_records_are_looked_for() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    session.write("games/A.PBEM", record(2));
    assert!(session.run(&["status"]).out.contains("A.PBEM"));
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    session.run(&["unpack", "games.jsonl.zst", "-o", "out"]).ok();
    assert!(session.path("out/A.PBEM").exists() || session.path("out/games/A.PBEM").exists());
    // The next entry goes there, and makes no second game.
    let said = crate::letters::receive(&session, &[], crate::letters::letter(&record(2)).as_bytes());
    assert!(!format!("{}{}", said.out, said.err).contains("you are invited"), "{}{}", said.out, said.err);
}

/// What is put into a record, in place of what, and what is said of it.
const PLACES: [(&str, &str, &str); 22] = [
    ("---\npbem", "--- \npbem", "there are invisible spaces after the first `---`"),
    ("---\npbem", "\u{2014}-\npbem", "U+2014"),
    ("---\npbem", "---\u{200b}\npbem", "U+200B"),
    ("---\n1", "---\t\n1", "there are invisible spaces after the second `---`"),
    ("---\n1", "\u{feff}---\n1", "looks like the second `---`, but it has an invisible byte order mark"),
    ("game: asalto", "game: as\u{430}lto", "U+0430"),
    ("game:", "g\u{430}me:", "U+0430"),
    ("game: asalto", "game:\u{a0}asalto", "U+00A0"),
    ("id: asalto", "id: \u{200b}asalto", "U+200B"),
    ("started: 2026", "started: \u{ff12}026", "U+FF12"),
    ("\n2 ", "\n\u{feff}2 ", "byte order mark"),
    ("\n2 ", "\n\u{ff12} ", "U+FF12"),
    ("2 besiegers", "2\u{a0}besiegers", "U+00A0"),
    ("2 besiegers", "2 b\u{435}siegers", "U+0435"),
    ("2 besiegers", "2  besiegers", "two spaces"),
    ("c4-c5", "\u{441}4-c5", "U+0441"),
    ("c5 @", "c5  @", "ends with an invisible space"),
    ("08:02:11Z", "08\u{ff1a}02:11Z", "U+FF1A"),
    ("11Z {", "11Z  {", "two spaces"),
    ("gate!}", "gate!} ", "there is an invisible space at the end of this entry"),
    ("15:00Z\n", "15:00Z \n", "there is an invisible space at the end of this entry"),
    ("15:00Z\n", "15:00Z\n  \n", "nothing but invisible spaces"),
];

#[test]
fn what_cannot_be_seen_is_named_at_every_place_of_a_record_and_by_every_command() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\n");
    for (nth, (there, instead, word)) in PLACES.into_iter().enumerate() {
        let spoilt = record(2).replacen(there, instead, 1);
        assert_ne!(spoilt, record(2), "{there:?}");
        session.write("game.pbem", &spoilt);
        let said = session.run(&["verify", "game.pbem"]);
        assert!(said.code != 0 && said.out.contains(word), "{instead:?}: {}{}", said.out, said.err);
        // What an editor shows is the verdict of the library.
        let verdict = postrider_referee::verdict::verify(spoilt.as_bytes());
        assert!(verdict.errors.iter().any(|error| error.line().contains(word)), "{instead:?}: {verdict}");
        if nth % 3 == 0 {
            let said = session.run(&["show", "game.pbem"]);
            assert!(said.code != 0 && said.err.contains(word), "{instead:?}: {}", said.err);
            let said = crate::letters::receive(&session, &[], crate::letters::letter(&spoilt).as_bytes());
            let all = format!("{}{}", said.out, said.err);
            // What mail does to line ends is mended; what then is a record is one. An attachment without a name is none unless it begins so.
            let is_other = all.contains("you are invited") || all.contains("no record in this message");
            assert!(all.contains(word) || is_other && nth < 4, "{instead:?}: {all}");
        }
    }
}

#[test]
fn names_and_messages_in_other_alphabets_are_no_fault_and_named_in_none() {
    let session = Session::new();
    let other = record(2)
        .replace("Ada Quill", "\u{410}\u{434}\u{430}")
        .replace("the gate!", "\u{432}\u{43e}\u{440}\u{43e}\u{442}\u{430}\u{a0}\u{2014} ok");
    session.write("game.pbem", &other);
    session.run(&["verify", "game.pbem"]).ok();
    // A fault elsewhere on such a line does not blame them.
    session.write("game.pbem", other.replace("2 besiegers c4-c5", "2 besiegers nonsense"));
    let said = session.run(&["verify", "game.pbem"]);
    assert!(said.code != 0 && !said.out.contains("U+"), "{}", said.out);
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

#[test]
fn an_attachment_that_is_named_like_a_record_says_what_it_is() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\n");
    let utf16: Vec<u8> = record(1).encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes, word) in [
        ("game.pbem", [&b"\xff\xfe"[..], &utf16].concat(), "UTF-16"),
        ("game.pbem", record(1).replace('\n', "\r").into_bytes(), "CR alone"),
        ("game.pbem", record(1).replacen("---", "--- ", 1).into_bytes(), "invisible spaces"),
        ("game.pbem", b"version https://git-lfs.github.com/spec/v1\n".to_vec(), "Git LFS"),
        ("game.pbem.gz", b"\x1f\x8b\x08\x00rest".to_vec(), "gzip"),
        ("GAME.PBEM.ZIP", b"PK\x03\x04rest".to_vec(), "zip"),
    ] {
        let body = data_encoding::BASE64.encode(&bytes);
        let letter = format!(
            "From: Ada Quill <ada@example.org>\nSubject: [pbem] {ID}\nMIME-Version: 1.0\nContent-Type: application/octet-stream; \
             name=\"{name}\"\nContent-Transfer-Encoding: base64\n\n{body}\n"
        );
        let said = crate::letters::receive(&session, &[], letter.as_bytes());
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains("named like a record") && all.contains(word), "{name} {word}: {all}");
    }
}
