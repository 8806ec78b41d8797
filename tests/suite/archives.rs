//! Many records at once: lines of JSON in and out, packed archives, and what happens to damaged ones.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::repository::{HEADER, record};
use crate::session::Session;

/// A session with a folder of records: legal, illegal, malformed, of an unknown game, and one that is not UTF-8.
fn folder() -> Session {
    let session = Session::new();
    session.write("games/a.pbem", record(3));
    session.write("games/b/illegal.pbem", record(2).replace("c4-c5", "c4-c3"));
    session.write("games/b/malformed \"x\"\n\u{e9}.pbem", "---\nno header\n");
    session.write("games/c.pbem", HEADER.replace("game: asalto", "game: another"));
    session.write("games/d.pbem", [record(1).into_bytes(), b"# \xff\n".to_vec()].concat());
    session
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn line(path: &str, record: &str) -> String {
    serde_json::json!({ "path": path, "record": record }).to_string() + "\n"
}

#[test]
fn a_packed_archive_is_judged_as_its_folder_is_and_comes_back_byte_for_byte() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let by_folder = session.run(&["verify", "games", "--json"]);
    let packed = session.run(&["verify", "games.jsonl.zst", "--json"]);
    let batch = session.run(&["verify", "--batch", "games.jsonl.zst"]);
    assert_eq!([by_folder.code, packed.code, batch.code], [2, 2, 2]);
    assert_eq!(batch.out, by_folder.out);
    let mut marked = objects(&packed.out);
    for object in &mut marked {
        assert_eq!(object.as_object_mut().unwrap().remove("archive"), Some("games.jsonl.zst".into()));
    }
    assert_eq!(marked, objects(&by_folder.out));
    let words = session.run(&["verify", "games.jsonl.zst"]).out;
    assert!(words.contains("games.jsonl.zst:games/a.pbem: legal, 3 entries"), "{words}");
    // Unpacked, and unpacked again: files that are there and the same are skipped.
    let told = session.run(&["unpack", "games.jsonl.zst", "-o", "back"]).ok();
    assert_eq!(told.lines().count(), 5, "{told}");
    for name in ["a.pbem", "b/illegal.pbem", "b/malformed \"x\"\n\u{e9}.pbem", "c.pbem", "d.pbem"] {
        let read = |folder: &str| fs::read(session.path(folder).join("games").join(name)).expect("a file");
        assert_eq!(fs::read(session.path("games").join(name)).unwrap(), read("back"), "{name}");
    }
    assert_eq!(session.run(&["unpack", "games.jsonl.zst", "-o", "back"]).ok(), "");
    session.write("back/games/a.pbem", "mine");
    assert!(session.run(&["unpack", "games.jsonl.zst", "-o", "back"]).fails(1).contains("stays as it is"));
    assert_eq!(session.read("back/games/a.pbem"), "mine");
}

#[test]
fn packing_on_adds_records_and_never_writes_over_an_archive() {
    let session = folder();
    session.run(&["pack", "games/a.pbem", "-o", "all.jsonl.zst"]).ok();
    let before = fs::read(session.path("all.jsonl.zst")).unwrap();
    let refused = session.run(&["pack", "games/c.pbem", "-o", "all.jsonl.zst"]).fails(2);
    assert!(refused.contains("--append"), "{refused}");
    assert_eq!(fs::read(session.path("all.jsonl.zst")).unwrap(), before);
    session.run(&["pack", "games/b", "--append", "-o", "all.jsonl.zst"]).ok();
    let after = fs::read(session.path("all.jsonl.zst")).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert_eq!(session.run(&["unpack", "all.jsonl.zst", "--list"]).ok().lines().count(), 3);
    // Lines on standard input are packed unchanged.
    let text = line("x.pbem", &record(1)).replace("{\"path\"", "{\"year\":1999,\"path\"");
    session.feed(&["pack", "-", "-o", "lines.jsonl.zst"], text.as_bytes()).ok();
    let object = &objects(&session.run(&["verify", "--batch", "lines.jsonl.zst"]).ok())[0];
    assert_eq!((&object["year"], &object["verdict"]), (&1999.into(), &"legal".into()));
    // What cannot be packed is reported and left out.
    assert!(session.run(&["pack", "nothing.pbem", "games/a.pbem", "-o", "part.zst"]).fails(2).contains("left out"));
    assert_eq!(session.run(&["unpack", "part.zst", "--list"]).ok(), "games/a.pbem\n");
}

#[test]
fn unpacking_follows_no_path_out_of_the_folder() {
    let session = Session::new();
    session.write("outside/kept.pbem", "kept");
    session.write("in/there", "");
    std::os::unix::fs::symlink(session.path("outside"), session.path("in/link")).unwrap();
    std::os::unix::fs::symlink(session.path("outside/kept.pbem"), session.path("in/link.pbem")).unwrap();
    let paths = [
        "/tmp/postrider-absolute.pbem",
        "../up.pbem",
        "a/../../up.pbem",
        "link/new.pbem",
        "link.pbem",
        "",
        ".",
        "there/x.pbem",
        "hook",
        ".git/hooks/pre-commit",
        "a\u{0}.pbem",
    ];
    let text: String = paths.iter().map(|path| line(path, "owned")).collect();
    let done = session.feed(&["unpack", "-", "-o", "in"], text.as_bytes());
    assert_eq!(done.code, 1, "{}", done.err);
    assert_eq!(done.out, "");
    assert_eq!(session.read("outside/kept.pbem"), "kept");
    let count = |folder: &str| fs::read_dir(session.path(folder)).unwrap().count();
    assert_eq!((count("outside"), count(".")), (1, 2));
    assert!(!std::path::Path::new("/tmp/postrider-absolute.pbem").exists());
}

#[test]
fn lines_that_are_not_records_are_answered_in_order() {
    let session = Session::new();
    let good =
        line("a.pbem", &record(2)).replace("\"path\"", "\"tag\": [1, {\"x\": null}], \"verdict\": \"mine\", \"path\"");
    let long = format!("{{\"record\":\"{}\"}}\n", "x".repeat(25 * 1024 * 1024));
    let text = format!("{good}nonsense\n\n{{\"path\":\"b\"}}\n{long}{}", line("c.pbem", &record(1)).trim_end());
    let done = session.feed(&["verify", "--batch"], text.as_bytes());
    assert_eq!(done.code, 2);
    let answers = objects(&done.out);
    let verdicts: Vec<&str> = answers.iter().map(|answer| answer["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["legal", "unjudged", "unjudged", "unjudged", "legal"]);
    assert_eq!(answers[0]["tag"], serde_json::json!([1, { "x": null }]));
    assert!(answers[2]["errors"][0]["message"].as_str().unwrap().contains("missing field `record`"));
    assert!(answers[3]["errors"][0]["message"].as_str().unwrap().contains("over 24 MiB"));
    assert_eq!(answers[4]["path"], "c.pbem");
}

#[test]
fn a_record_on_standard_input_may_be_utf_16_as_some_shells_pass_text_on() {
    let session = Session::new();
    let text = record(3);
    let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
    for order in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| order(*unit)).collect();
        for command in [&["verify", "-"][..], &["show", "-"], &["export", "-"]] {
            let done = session.feed(command, &bytes);
            assert_eq!(done.code, 0, "{command:?} {}{}", done.out, done.err);
        }
    }
}

#[test]
fn requests_line_by_line_are_answered_line_by_line() {
    let session = Session::new();
    let mut child = session
        .command(&["verify", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let (mut asks, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for count in 0..4 {
        asks.write_all(line("a.pbem", &record(count)).as_bytes()).unwrap();
        asks.flush().unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(objects(&answer)[0]["entries"], count);
    }
    drop(asks);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_damaged_archive_is_answered_for_up_to_the_damage() {
    let session = Session::new();
    let text: String = (0..3000)
        .map(|number| {
            line(
                &format!("{number}.pbem"),
                &record(5).replace("asalto-in-git", &format!("asalto-{number:x}-{}", number * 7919)),
            )
        })
        .collect();
    session.feed(&["pack", "-", "-o", "all.jsonl.zst"], text.as_bytes()).ok();
    let packed = fs::read(session.path("all.jsonl.zst")).unwrap();
    session.write("cut.jsonl.zst", &packed[..packed.len() * 2 / 3]);
    let cut = session.run(&["verify", "cut.jsonl.zst"]);
    assert_eq!(cut.code, 2);
    assert!(
        cut.err.contains("cut.jsonl.zst: damaged at byte ") && cut.err.contains("ends within a frame"),
        "{}",
        cut.err
    );
    let answered = cut.out.lines().count();
    assert!(
        (1500..3000).contains(&answered) && cut.out.lines().all(|line| line.contains(": legal, 5 entries")),
        "{answered}"
    );
    session.run(&["verify", "nothing.jsonl.zst"]).fails(2);
}

#[test]
fn games_and_entries_are_exported_up_to_the_fault() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let by_folder = session.run(&["export", "games"]);
    assert_eq!(by_folder.code, 2);
    assert_eq!(session.run(&["export", "games.jsonl.zst"]).out, by_folder.out);
    let rows = objects(&by_folder.out);
    let row = |path: &str| rows.iter().find(|row| row["path"] == path).expect("a row");
    let legal = row("games/a.pbem");
    for (column, value) in [
        ("id", "asalto-in-git".into()),
        ("verdict", "legal".into()),
        ("entries", 3.into()),
        ("first_name", "Ada Quill".into()),
        ("result", Value::Null),
        ("ended", Value::Null),
        // The second and third entries: each counted from the time of the one before.
        ("first_seconds", Value::from(21 * 3600 + 47 * 60 + 11)),
        ("second_seconds", Value::from(12 * 3600 + 37 * 60 + 49)),
        ("signatures", "none".into()),
    ] {
        assert_eq!(legal[column], value, "{column}");
    }
    assert!(legal.get("first_email").is_none());
    let illegal = row("games/b/illegal.pbem");
    assert_eq!(
        (&illegal["entries"], &illegal["fault_rule"], &illegal["fault_entry"]),
        (&1.into(), &"T21".into(), &2.into())
    );
    let entries = session.run(&["export", "games", "--positions"]);
    let listed = objects(&entries.out);
    assert_eq!(listed.len(), 3 + 1);
    assert_eq!((&listed[1]["actions"], &listed[1]["message"]), (&"c4-c5".into(), &"the gate!".into()));
    let positions = session.run(&["replay", "games/a.pbem"]).ok();
    assert_eq!(positions.lines().nth(2).unwrap(), format!("3\t{}", listed[2]["position"].as_str().unwrap()));
    assert!(entries.err.contains("games/b/illegal.pbem: illegal: entry 2: T21: "), "{}", entries.err);
    let why = " refused, 1 record not judged: the columns `verdict` and `fault` say why\n";
    assert!(by_folder.err.ends_with(why), "{}", by_folder.err);
    let csv = session.run(&["export", "games", "--csv", "--addresses"]).out;
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("path,id,game,edition,title"));
    assert!(lines.next().unwrap().contains("ada@example.org"));
    assert!(csv.contains("\"games/b/malformed \"\"x\"\"\n\u{e9}.pbem\""), "{csv}");
}

#[test]
fn standings_count_legal_games_that_are_over_and_say_what_is_left_out() {
    let session = folder();
    session.write(
        "games/won.pbem",
        record(1).replace("asalto-in-git", "asalto-won") + "2 besiegers resign @2026-11-22T08:02:11Z\n",
    );
    let text = session.run(&["table", "games"]).ok();
    assert!(text.starts_with("1 game counts\n"), "{text}");
    assert!(text.contains("1  Bram Post") && text.contains("2  Ada Quill"), "{text}");
    assert!(text.contains("left out: games/a.pbem: the game is not over"), "{text}");
    assert!(text.contains("left out: games/b/illegal.pbem: illegal: "), "{text}");
    let markdown = session.run(&["table", "games", "--format", "markdown"]).ok();
    assert!(markdown.contains("| 1 | Bram Post | 1 | 1 | 0 | 0 | 1 | * | 1 |"), "{markdown}");
    let csv = session.run(&["table", "games", "--format", "csv"]).ok();
    assert_eq!(csv.lines().nth(1), Some("1,Bram Post,1,1,0,0,1,*,1"));
    let json: Value = serde_json::from_str(&session.run(&["table", "games", "--format", "json"]).ok()).unwrap();
    assert_eq!((&json["games"], &json["standings"][0]["half_points"]), (&1.into(), &2.into()));
    assert!(session.run(&["table", "games", "--game", "chess"]).fails(2).contains("chess"));
    assert!(session.run(&["table", "games", "--started", "1999"]).ok().starts_with("0 games count"));
}

#[test]
fn where_no_further_thread_is_allowed_records_and_archives_are_judged_on_one() {
    let session = folder();
    let signed =
        fs::read_to_string("tests/data/envelope/signed/4-finished.pbem").expect("a sample with nine signatures");
    session.write("signed.pbem", signed);
    session.write("packed.jsonl", line("a", &record(3)) + &line("b", &record(2)));
    fs::set_permissions(session.folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder of its own");
    let alone = |args: &[&str]| {
        // The limit does not bind root, so another user runs the program.
        let is_root = rustix::process::geteuid().is_root();
        let user: &[&str] = if is_root { &["setpriv", "--reuid=65534", "--clear-groups"] } else { &["env"] };
        let program = env!("CARGO_BIN_EXE_postrider");
        Command::new(user[0])
            .args(&user[1..])
            .args(["prlimit", "--nproc=1", program])
            .args(args)
            .current_dir(session.folder.path())
            .env("POSTRIDER_HOME", session.path("nowhere"))
            .output()
    };
    if !alone(&["--version"]).is_ok_and(|done| done.status.success()) {
        eprintln!(
            "**** NO LIMITS: another user cannot run the program here; what it does on one thread is passed over. ****"
        );
        return;
    }
    for (args, told) in [
        (&["verify", "signed.pbem"][..], "legal, 9 entries"),
        (&["verify", "games/a.pbem", "signed.pbem"], "signed.pbem: legal, 9 entries"),
        (&["verify", "packed.jsonl"], "b: legal, 2 entries"),
    ] {
        let done = alone(args).expect("the program");
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success() && out.contains(told), "{args:?}: {out}{err}");
    }
}

/// A session with two folders of records, and an archive of the first.
fn appendable() -> Session {
    let session = Session::new();
    for folder in ["one", "two"] {
        std::fs::create_dir(session.path(folder)).expect("a folder");
        for nth in 0..3 {
            let record = std::fs::read("examples/asalto/fifteen-captures.pbem").expect("a record");
            std::fs::write(session.path(folder).join(format!("{nth}.pbem")), record).expect("a record");
        }
    }
    session.run(&["pack", "one", "-o", "a.jsonl.zst"]).ok();
    session
}

/// How many records of an archive are judged, and with which exit code.
fn judged(session: &Session) -> (usize, i32) {
    let done = session.run(&["verify", "a.jsonl.zst"]);
    (done.out.lines().filter(|line| line.contains(": legal, ")).count(), done.code)
}

#[test]
fn an_archive_that_was_cut_is_mended_before_anything_is_added_to_it() {
    let session = appendable();
    let whole = std::fs::read(session.path("a.jsonl.zst")).expect("an archive");
    session.run(&["pack", "two", "--append", "-o", "a.jsonl.zst"]).ok();
    let more = std::fs::read(session.path("a.jsonl.zst")).expect("an archive");
    assert_eq!(judged(&session), (6, 0));
    // A run that was killed leaves any part of its frame.
    for cut in [whole.len() + 1, whole.len() + 4, whole.len() + 20, more.len() - 1] {
        std::fs::write(session.path("a.jsonl.zst"), &more[..cut]).expect("a cut");
        let done = session.run(&["pack", "two", "--append", "-o", "a.jsonl.zst"]);
        let told =
            format!("a.jsonl.zst ended within a frame that an interrupted run left; its {} bytes", cut - whole.len());
        assert!(done.code == 0 && done.err.contains(&told), "{}", done.err);
        assert_eq!(judged(&session), (6, 0), "{cut}");
    }
}

#[test]
fn what_an_interrupted_run_has_added_is_not_added_again() {
    let session = appendable();
    let add = || session.run(&["pack", "two", "--append", "-o", "a.jsonl.zst"]).ok();
    add();
    assert_eq!(judged(&session), (6, 0));
    // A run that was killed behind a whole frame leaves it, and its note.
    session.write(".a.jsonl.zst.adding", "");
    session.write("two/3.pbem", std::fs::read("examples/asalto/fifteen-captures.pbem").expect("a record"));
    add();
    assert_eq!(judged(&session), (7, 0));
    assert!(!session.path(".a.jsonl.zst.adding").exists());
    // Without a note it is another run, which adds what it is told to.
    add();
    assert_eq!(judged(&session), (11, 0));
}

#[test]
fn no_archive_is_left_if_nothing_could_be_packed() {
    let session = appendable();
    session.write("large.pbem", vec![b' '; 5 << 20]);
    let said = session.run(&["pack", "large.pbem", "-o", "b.jsonl.zst"]).fails(2);
    assert!(said.contains("nothing could be packed, so b.jsonl.zst is not written"), "{said}");
    assert!(!session.path("b.jsonl.zst").exists());
    // The next run is not in the way of this one.
    session.run(&["pack", "one", "-o", "b.jsonl.zst"]).ok();
}

#[test]
fn nothing_is_added_to_what_is_no_sound_archive() {
    let session = appendable();
    let whole = std::fs::read(session.path("a.jsonl.zst")).expect("an archive");
    let damaged = [&whole[..], b"junk", &whole[..]].concat();
    let cases: [(&[u8], &str); 3] = [
        (b"notes of mine\n", "a.jsonl.zst is no packed archive, so nothing is added to it"),
        (b"{\"path\":\"x\"}\n", "a.jsonl.zst is no packed archive, so nothing is added to it"),
        (&damaged, &format!("a.jsonl.zst is damaged at byte {}, so nothing is added to it", whole.len())),
    ];
    for (bytes, told) in cases {
        std::fs::write(session.path("a.jsonl.zst"), bytes).expect("a file");
        let said = session.run(&["pack", "two", "--append", "-o", "a.jsonl.zst"]).fails(2);
        assert!(said.contains(told), "{said}");
        assert_eq!(std::fs::read(session.path("a.jsonl.zst")).expect("a file"), bytes);
    }
}

#[test]
fn ten_programs_that_add_at_once_lose_nothing() {
    let session = appendable();
    let add = || {
        std::process::Command::new(env!("CARGO_BIN_EXE_postrider"))
            .args(["pack", "two", "--append", "-o", "a.jsonl.zst"])
            .current_dir(session.folder.path())
            .env("POSTRIDER_HOME", session.path("home"))
            .spawn()
            .expect("the program runs")
    };
    let running: Vec<_> = (0..10).map(|_| add()).collect();
    for mut one in running {
        assert!(one.wait().expect("it ends").success());
    }
    assert_eq!(judged(&session), (33, 0));
}

/// A session with an archive of 3,000 records in many frames.
fn large() -> (Session, Vec<u8>) {
    let session = Session::new();
    let number = |number: u32| record(5).replace("asalto-in-git", &format!("asalto-{number:x}-{}", number * 7919));
    let text: String = (0..3000).map(|nth| line(&format!("{nth}.pbem"), &number(nth))).collect();
    session.feed(&["pack", "-", "-o", "all.jsonl.zst"], text.as_bytes()).ok();
    let packed = fs::read(session.path("all.jsonl.zst")).unwrap();
    (session, packed)
}

#[test]
fn a_flipped_bit_costs_the_records_of_its_frame_and_what_is_missing_is_told() {
    let (session, packed) = large();
    let end = zstd::zstd_safe::find_frame_compressed_size(&packed).expect("a frame");
    assert!(end * 2 < packed.len());
    let first = zstd::decode_all(&packed[..end]).unwrap();
    let lost = first.iter().filter(|byte| **byte == b'\n').count();
    let mut damaged = packed.clone();
    damaged[end / 2] ^= 1;
    session.write("bad.jsonl.zst", &damaged);
    let told = |text: &str| {
        assert!(
            text.contains("damaged at byte 0: ")
                && text.contains(&format!("; {end} bytes cannot be read, which held {} bytes of lines", first.len())),
            "{text}"
        )
    };
    let words = session.run(&["verify", "bad.jsonl.zst"]);
    assert_eq!((words.code, words.out.lines().count()), (2, 3000 - lost));
    told(&words.err);
    // As data it has a row.
    for args in [
        &["verify", "--batch", "bad.jsonl.zst"][..],
        &["verify", "--json", "bad.jsonl.zst"],
        &["export", "bad.jsonl.zst"],
    ] {
        let done = session.run(args);
        let rows = objects(&done.out);
        let unjudged: Vec<&Value> = rows.iter().filter(|row| row["verdict"] == "unjudged").collect();
        assert_eq!((done.code, rows.len(), unjudged.len()), (2, 3000 - lost + 1, 1), "{args:?}");
        told(&unjudged[0].to_string());
        told(&done.err);
    }
    let table = session.run(&["table", "bad.jsonl.zst", "--json"]);
    assert_eq!(table.code, 2);
    assert_eq!(objects(&table.out)[0]["left_out"].as_array().unwrap().len(), 3000 - lost + 1);
    // The rest is saved, by unpacking or by packing the lines once more.
    let saved = session.run(&["unpack", "bad.jsonl.zst", "-o", "saved"]);
    assert_eq!((saved.code, fs::read_dir(session.path("saved")).unwrap().count()), (2, 3000 - lost));
    told(&saved.err);
    let again = session.feed(&["pack", "-", "-o", "again.jsonl.zst"], &damaged);
    assert_eq!(again.code, 2);
    told(&again.err);
    assert_eq!(session.run(&["verify", "again.jsonl.zst"]).ok().lines().count(), 3000 - lost);
}

#[test]
fn an_archive_is_known_by_its_first_bytes_under_any_name_and_on_standard_input() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let packed = fs::read(session.path("games.jsonl.zst")).unwrap();
    let lines = zstd::decode_all(&*packed).unwrap();
    for (name, bytes) in [("2026.backup", &packed), ("lines.txt", &lines)] {
        session.write(name, bytes);
        for command in ["verify", "export", "table"] {
            let want = session.run(&[command, "games.jsonl.zst"]);
            let named = session.run(&[command, name]);
            let piped = session.feed(&[command, "-"], bytes);
            assert_eq!((named.code, piped.code), (want.code, want.code), "{command} {name}");
            assert_eq!(named.out.replace(name, "games.jsonl.zst"), want.out, "{command} {name}");
            assert_eq!(piped.out.replace("-:", "games.jsonl.zst:"), want.out, "{command} {name}");
        }
        let told = session.run(&["show", name]).fails(2);
        assert!(
            told.contains(&format!("{name} is an archive, not a record")) && told.contains("postrider archive unpack"),
            "{told}"
        );
    }
    // A record stays one, under any name.
    session.write("record.txt", record(3));
    assert!(session.run(&["verify", "record.txt"]).ok().contains("record.txt: legal, 3 entries"));
    assert!(session.feed(&["verify", "-"], record(3).as_bytes()).ok().contains("-: legal, 3 entries"));
}

#[test]
fn a_crosstable_is_drawn_for_a_field_that_can_be_read() {
    let session = Session::new();
    let text: String = (0..60)
        .map(|nth| {
            let record = record(1)
                .replace("asalto-in-git", &format!("asalto-won-{nth}"))
                .replace("Ada Quill", &format!("Ada {nth}"));
            let record = record.replace("ada@example.org", &format!("ada{nth}@example.org"));
            line(&format!("{nth}.pbem"), &(record + "2 besiegers resign @2026-11-22T08:02:11Z\n"))
        })
        .collect();
    session.write("all.jsonl", text);
    let all = session.run(&["table", "all.jsonl"]).ok();
    assert!(all.contains("no crosstable of 61 players is drawn") && all.contains("--top 50"), "{all}");
    assert!(all.lines().nth(2).unwrap().ends_with("points") && all.contains("Ada 59"), "{all}");
    let best = session.run(&["table", "all.jsonl", "--top", "3"]).ok();
    assert!(
        best.contains("the best 3 of 61 players") && best.lines().nth(2).unwrap().ends_with("points  1  2  3"),
        "{best}"
    );
    let json = &objects(&session.run(&["table", "all.jsonl", "--json"]).ok())[0];
    assert_eq!((&json["player_count"], &json["crosstable"]), (&61.into(), &0.into()));
    let csv = session.run(&["table", "all.jsonl", "--format", "csv"]);
    assert_eq!(csv.out.lines().next(), Some("rank,player,games,won,drawn,lost,points"));
    assert!(csv.err.contains("no crosstable of 61 players"), "{}", csv.err);
}

#[test]
fn names_that_a_spreadsheet_would_take_for_formulas_are_plain_in_csv() {
    let session = Session::new();
    for (nth, name) in ["=HYPERLINK(\\\"http://x\\\")", "+1", "-1+2", "@SUM(A1)", "\\tx", "\\rx", "Ada = Eve", "null"]
        .iter()
        .enumerate()
    {
        let record = record(1)
            .replace("Ada Quill", &format!("\"{name}\""))
            .replace("asalto-in-git", &format!("asalto-game-{nth}"))
            .replace("ada@example.org", &format!("ada{nth}@example.org"));
        session.write(&format!("games/{nth}.pbem"), record + "2 besiegers resign @2026-11-22T08:02:11Z\n");
    }
    let names = |text: &str, column: &str| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
        reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
    };
    let exported = session.run(&["export", "games", "--csv"]);
    let side =
        if names(&exported.out, "second_name").contains(&"null".to_owned()) { "second_name" } else { "first_name" };
    let raw = names(&session.run(&["export", "games", "--csv", "--raw"]).out, side);
    let safe = names(&exported.out, side);
    let json: Vec<String> = objects(&session.run(&["export", "games"]).out)
        .iter()
        .map(|row| row[side].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(raw, json);
    assert!(raw.len() == 8 && raw.iter().any(|name| name.starts_with("=HYPER")), "{raw:?}");
    for (raw, safe) in raw.iter().zip(&safe) {
        let formula = raw.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert_eq!(*safe, if formula { format!("'{raw}") } else { raw.clone() });
    }
    let table = session.run(&["table", "games", "--format", "csv"]).ok();
    let mut listed: Vec<String> = names(&table, "player");
    listed.retain(|name| name.contains("HYPER") || name.contains("SUM"));
    assert!(listed.len() == 2 && listed.iter().all(|name| name.starts_with('\'')), "{listed:?}");
    assert!(session.run(&["table", "games", "--format", "csv", "--raw"]).ok().contains(",@SUM"), "{table}");
    // Actions of Subsume begin with a plus.
    let example = fs::read("examples/subsume/a-city-built-and-lost.pbem").expect("an example");
    session.write("subsume.pbem", example);
    let entries = session.run(&["export", "subsume.pbem", "--entries", "--csv"]).ok();
    assert!(names(&entries, "actions").iter().any(|actions| actions.starts_with("'+")), "{entries}");
}

#[test]
fn the_columns_of_the_queries_are_those_of_the_rows() {
    use postrider_referee::desk::export::{Column, EntryRow, GameRow, Kind, Row};
    let session = folder();
    let queries = fs::read_to_string("examples/archive/queries.sql").expect("the queries");
    let told: String = queries.split_whitespace().collect();
    let check = |columns: &[Column], args: &[&str], left_out: &[&str]| {
        let csv = session.run(&[&["export", "games", "--csv", "--addresses"], args].concat()).out;
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(csv.lines().next(), Some(&*names.join(",")));
        let kind = |kind: &Kind| match kind {
            Kind::Text => "VARCHAR",
            Kind::Number => "BIGINT",
            Kind::Day => "DATE",
            Kind::Time => "TIMESTAMP",
            Kind::Flag => "BOOLEAN",
        };
        let given = columns.iter().filter(|(name, _)| !left_out.contains(name));
        let given: Vec<String> = given.map(|(name, of)| format!("{name}:'{}'", kind(of))).collect();
        assert!(told.contains(&format!("columns={{{}}}", given.join(","))), "{given:?}");
    };
    check(GameRow::COLUMNS, &["--games"], &["first_email", "second_email"]);
    check(EntryRow::COLUMNS, &["--positions"], &["position"]);
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_has_the_rows_of_the_export_with_types() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let session = folder();
    session.write("games/z.pbem", record(1) + "2 besiegers resign @2026-11-22T08:02:11Z\n");
    for args in [&["export", "games"][..], &["export", "games", "--positions", "--addresses"]] {
        let lines = session.run(args);
        let done = session.command(&[args, &["--parquet"]].concat()).output().expect("the program runs");
        assert_eq!(done.status.code(), Some(lines.code));
        let rows = objects(&lines.out);
        session.write("rows.parquet", &done.stdout);
        let reader = SerializedFileReader::new(fs::File::open(session.path("rows.parquet")).unwrap()).expect("a file");
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), rows.len());
        for (read, row) in read.iter().zip(&rows) {
            assert_eq!(read.len(), row.as_object().unwrap().len());
            for (name, field) in read.get_column_iter() {
                let want = &row[name];
                let same = match field {
                    Field::Null => want.is_null(),
                    Field::Str(text) => want == text,
                    Field::Long(number) => want == number,
                    Field::Bool(flag) => want == flag,
                    Field::Date(_) => name == "started" && field.to_string().starts_with(want.as_str().unwrap()),
                    Field::TimestampMillis(_) => {
                        ["ended", "time"].contains(&&**name) && field.to_string()[..10] == want.as_str().unwrap()[..10]
                    }
                    _ => false,
                };
                assert!(same, "{name}: {field} for {want}");
            }
        }
    }
    // No rows are a file too.
    session.write("none.jsonl", "");
    let none = session.command(&["export", "none.jsonl", "--parquet"]).output().unwrap().stdout;
    assert!(none.starts_with(b"PAR1") && none.ends_with(b"PAR1"));
}
