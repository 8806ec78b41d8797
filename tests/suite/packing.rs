//! Packing and unpacking: under which paths, what is new for an archive, several archives at once, and how they end before their time.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::repository::record;
use crate::session::Session;

/// A session with records in `games`.
fn games() -> Session {
    let session = Session::new();
    session.write("games/a.pbem", record(1));
    session.write("games/b/c.pbem", record(2).replace("asalto-in-git", "asalto-another"));
    session
}

fn listed(session: &Session, archive: &str) -> Vec<String> {
    session.run(&["unpack", archive, "--list"]).ok().lines().map(str::to_owned).collect()
}

#[test]
fn what_was_packed_by_any_path_can_be_unpacked() {
    let session = games();
    let whole = session.path("games").display().to_string();
    let inner = whole.trim_start_matches('/').to_owned();
    let packed = session.run(&["pack", &whole, "-o", "absolute.zst"]);
    assert!(packed.code == 0 && packed.err.contains("paths are stored without `/`"), "{}", packed.err);
    assert_eq!(listed(&session, "absolute.zst"), [format!("{inner}/a.pbem"), format!("{inner}/b/c.pbem")]);
    let packed = session.run(&["pack", "./games", "games/../games/a.pbem", "-o", "relative.zst"]);
    assert!(packed.err.contains("paths are stored without `games/..`"), "{}", packed.err);
    assert_eq!(listed(&session, "relative.zst"), ["games/a.pbem", "games/b/c.pbem", "games/a.pbem"]);
    for (archive, below) in [("absolute.zst", format!("out/{inner}")), ("relative.zst", "back/games".to_owned())] {
        let folder = below.split('/').next().unwrap();
        session.run(&["unpack", archive, "-o", folder]).ok();
        assert_eq!(session.read(&format!("{below}/b/c.pbem")), session.read("games/b/c.pbem"));
    }
}

#[test]
fn only_new_games_and_newer_versions_are_added_with_update() {
    let session = games();
    session.run(&["pack", "games", "-o", "a.zst"]).ok();
    let update = |what: &str| session.run(&["pack", what, "--append", "--update", "-o", "a.zst"]);
    let before = fs::read(session.path("a.zst")).unwrap();
    assert_eq!(update("games").code, 0);
    // By another path it is the same game.
    session.write("copy/x.pbem", record(1));
    assert_eq!(update("copy").code, 0);
    assert_eq!(fs::read(session.path("a.zst")).unwrap(), before, "nothing is doubled");
    session.write("games/a.pbem", record(3));
    session.write("games/new.pbem", record(1).replace("asalto-in-git", "asalto-new"));
    assert_eq!((update("games").code, update("games").code), (0, 0));
    assert_eq!(listed(&session, "a.zst"), ["games/a.pbem", "games/b/c.pbem", "games/a.pbem", "games/new.pbem"]);
    // An older version is no newer one.
    let older = update("copy");
    assert!(older.code == 0 && older.err.is_empty(), "the archive has it: {}", older.err);
    session.write("copy/x.pbem", record(2));
    let older = update("copy");
    assert!(
        older.err.contains("copy/x.pbem: left out: the archive holds a version with more entries, 3 entries"),
        "{}",
        older.err
    );
    assert_eq!(listed(&session, "a.zst").len(), 4);
    // Of both versions the newer one is restored, the second time too.
    for told in [3, 0] {
        let told_now = session.run(&["unpack", "a.zst", "-o", "out"]).ok().lines().count();
        assert!(told_now >= told, "{told_now}");
        assert_eq!(session.read("out/games/a.pbem"), record(3));
    }
    // What was there before stays as it is.
    session.write("mine/games/a.pbem", record(1));
    assert!(
        session.run(&["unpack", "a.zst", "-o", "mine"]).fails(1).contains("mine/games/a.pbem: another file is there")
    );
    assert_eq!(session.read("mine/games/a.pbem"), record(1));
    // Two games under one path: the first stays, and that is said.
    session.write("twice/games/a.pbem", record(1).replace("asalto-in-git", "asalto-third"));
    session.run(&["pack", "games/a.pbem", "-o", "two.zst"]).ok();
    let lines = serde_json::json!({"path": "games/a.pbem", "record": session.read("twice/games/a.pbem")}).to_string();
    session.feed(&["pack", "-", "--append", "-o", "two.zst"], lines.as_bytes()).ok();
    assert!(session.run(&["unpack", "two.zst", "-o", "both"]).fails(1).contains("stays as it is"));
    assert_eq!(session.read("both/games/a.pbem"), record(3));
}

#[test]
fn an_archive_that_is_not_there_is_not_added_to_and_it_is_said_how_one_is_made() {
    let session = games();
    let said = session.run(&["pack", "--append", "games", "-o", "none.jsonl.zst"]).fails(2);
    assert!(said.contains("there is no archive none.jsonl.zst to add to"), "{said}");
    assert!(said.contains("`postrider archive pack` without --append makes it"), "{said}");
    assert!(!session.path("none.jsonl.zst").exists());
}

#[test]
fn what_is_added_behind_a_last_line_without_its_end_is_a_line_of_its_own() {
    let session = games();
    session.run(&["pack", "games/b", "-o", "lines.zst"]).ok();
    let lines = zstd::decode_all(&*fs::read(session.path("lines.zst")).unwrap()).unwrap();
    fs::write(session.path("other.zst"), zstd::encode_all(lines.trim_ascii_end(), 3).unwrap()).unwrap();
    let before = fs::read(session.path("other.zst")).unwrap();
    let add = |what: &str| session.run(&["pack", what, "--append", "--update", "-o", "other.zst"]).ok();
    add("games/b");
    assert_eq!(fs::read(session.path("other.zst")).unwrap(), before, "nothing is new: no byte is added");
    add("games/a.pbem");
    assert_eq!(listed(&session, "other.zst"), ["games/b/c.pbem", "games/a.pbem"]);
    let verified = session.run(&["verify", "other.zst"]);
    assert_eq!((verified.code, verified.out.lines().count()), (0, 2), "{}", verified.err);
}

#[test]
fn archives_under_any_name_are_packed_as_what_they_hold() {
    let session = games();
    session.run(&["pack", "games", "-o", "one.data"]).ok();
    session.run(&["pack", "one.data", "games/a.pbem", "-o", "all.zst"]).ok();
    assert_eq!(listed(&session, "all.zst"), ["games/a.pbem", "games/b/c.pbem", "games/a.pbem"]);
    let packed = fs::read(session.path("one.data")).unwrap();
    session.feed(&["pack", "-", "-o", "piped.zst"], &packed).ok();
    assert_eq!(listed(&session, "piped.zst"), ["games/a.pbem", "games/b/c.pbem"]);
}

#[test]
fn an_archive_is_split_into_files_of_about_the_same_size() {
    let session = Session::new();
    let lines: String = (0..3000)
        .map(|nth| {
            let text = record(5).replace("asalto-in-git", &format!("asalto-{nth:x}-{}", nth * 7919));
            serde_json::json!({"path": format!("{nth}.pbem"), "record": text}).to_string() + "\n"
        })
        .collect();
    let told = session.feed(&["pack", "-", "--split", "4", "-o", "all.jsonl.zst"], lines.as_bytes()).ok();
    let names = ["all-1.jsonl.zst", "all-2.jsonl.zst", "all-3.jsonl.zst", "all-4.jsonl.zst"];
    assert_eq!(told.lines().collect::<Vec<_>>(), names);
    let sizes: Vec<u64> = names.iter().map(|name| fs::metadata(session.path(name)).unwrap().len()).collect();
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(*least * 10 > *most * 7, "{sizes:?}");
    let mut all: Vec<String> = names.iter().flat_map(|name| listed(&session, name)).collect();
    all.sort_by_key(|name| name.trim_end_matches(".pbem").parse::<u32>().unwrap());
    assert_eq!(all, (0..3000).map(|nth| format!("{nth}.pbem")).collect::<Vec<_>>());
    // None is written over, and none is written if one is there.
    fs::remove_file(session.path(names[0])).unwrap();
    let refused = session.feed(&["pack", "-", "--split", "4", "-o", "all.jsonl.zst"], lines.as_bytes());
    assert!(refused.code == 2 && refused.err.contains("all-2.jsonl.zst"), "{}", refused.err);
    assert!(!session.path(names[0]).exists());
    // There are no more files than frames.
    let few = games();
    assert_eq!(few.run(&["pack", "games", "--split", "12", "-o", "few.zst"]).ok(), "few-01.zst\n");
    assert_eq!(leftovers(&few), Vec::<String>::new());
}

/// The names of files that no run should leave.
fn leftovers(session: &Session) -> Vec<String> {
    let mut folders = vec![session.path(".")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    found.extend(entry.file_name().to_str().filter(|name| name.ends_with(".tmp")).map(str::to_owned))
                }
            }
        }
    }
    found
}

/// Starts the program with lines on a standard input that does not end.
fn begun(session: &Session, args: &[&str], lines: &str) -> (Child, std::process::ChildStdin) {
    let mut child = session
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(lines.as_bytes()).expect("lines");
    (child, input)
}

fn wait_for(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never happens");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_that_is_told_to_end_leaves_nothing_of_its_files() {
    // Lines that compress badly, so that frames are written before the input ends.
    let mut noise = 1_u64;
    let lines: String = (0..400)
        .map(|nth| {
            let mut text = String::new();
            for _ in 0..300 {
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(&format!("{noise:x}"));
            }
            format!("{{\"path\":\"{nth}.pbem\",\"record\":\"{text}\"}}\n")
        })
        .collect();
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let session = games();
        session.run(&["pack", "games", "-o", "old.zst"]).ok();
        let old = fs::read(session.path("old.zst")).unwrap();
        let length = || fs::metadata(session.path("old.zst")).unwrap().len();
        for args in [
            &["pack", "-", "-o", "new.zst"][..],
            &["pack", "-", "--split", "3", "-o", "new.zst"],
            &["pack", "-", "--append", "-o", "old.zst"],
            &["unpack", "-", "-o", "out"],
        ] {
            let (mut child, input) = begun(&session, args, &lines);
            match args[0] {
                "unpack" => wait_for(|| session.path("out/0.pbem").exists()),
                _ if args.contains(&"--append") => wait_for(|| length() > old.len() as u64),
                _ => wait_for(|| !leftovers(&session).is_empty()),
            }
            let told = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
            assert!(told.success());
            let ended = child.wait().expect("it ends");
            drop(input);
            assert_eq!(ended.code(), Some(code), "{signal} {args:?}");
            assert_eq!(leftovers(&session), Vec::<String>::new(), "{signal} {args:?}");
            assert!(!session.path("new.zst").exists());
            assert_eq!(fs::read(session.path("old.zst")).unwrap(), old, "{signal} {args:?}");
        }
    }
}

#[test]
fn files_that_are_packed_and_unpacked_have_the_mode_of_the_umask() {
    let session = games();
    for (umask, mode) in [("022", 0o644), ("027", 0o640), ("077", 0o600)] {
        let program = env!("CARGO_BIN_EXE_postrider");
        let script = format!(
            "umask {umask}; {program} pack games -o {umask}.zst && {program} pack games --split 2 -o {umask}s.zst && \
             {program} unpack {umask}.zst -o out{umask}"
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(session.path(".")).env("POSTRIDER_HOME", session.path("home"));
        let done = shell.output().expect("sh runs");
        assert!(done.status.success(), "{done:?}");
        for file in [format!("{umask}.zst"), format!("{umask}s-1.zst"), format!("out{umask}/games/a.pbem")] {
            assert_eq!(fs::metadata(session.path(&file)).unwrap().permissions().mode() & 0o777, mode, "{file}");
        }
    }
}

#[test]
fn signs_that_steer_a_reader_are_shown_as_numbers_in_csv() {
    let session = Session::new();
    let name = "\"\\u202egro.elpmaxe\\u2066\\u200b\"";
    let text = record(1).replace("Ada Quill", name).replace("{the gate!}", "{\u{202e}}");
    session.write("games/a.pbem", text + "2 besiegers resign @2026-11-22T08:02:11Z {one\u{202e}two}\n");
    for args in [
        &["export", "games", "--csv"][..],
        &["export", "games", "--entries", "--csv"],
        &["table", "games", "--format", "csv"],
    ] {
        let text = session.run(args).ok();
        assert!(!text.chars().any(|c| matches!(c, '\u{202e}' | '\u{2066}' | '\u{200b}')), "{args:?}: {text}");
        assert!(text.contains("\\u{202e}"), "{args:?}: {text}");
    }
    assert!(session.run(&["export", "games", "--csv", "--raw"]).ok().contains("\u{202e}gro.elpmaxe\u{2066}\u{200b}"));
}

#[test]
fn a_count_that_nobody_lives_to_see_is_estimated() {
    let session = Session::new();
    let began = Instant::now();
    let done = session.run(&["perft", "asalto", "60"]);
    assert!(began.elapsed() < Duration::from_secs(120));
    let number = done.out.trim().strip_prefix("about ").expect("an estimate").to_owned();
    let exponent: f64 = number.split_once('e').expect("a power of ten").1.parse().expect("a number");
    assert!(done.code == 0 && (45.0..80.0).contains(&exponent), "{}", done.out);
    assert!(done.err.contains("--exact"), "{}", done.err);
    let divided = session.run(&["perft", "assideum", "300", "--divide"]).ok();
    assert!(divided.starts_with("about ") && divided.lines().count() == 1, "{divided}");
    // What can be counted is counted, with and without being asked to.
    assert_eq!(session.run(&["perft", "asalto", "3", "--exact"]).ok(), session.run(&["perft", "asalto", "3"]).ok());
}

#[test]
fn packing_to_standard_output_is_packing_to_a_file() {
    let session = games();
    session.run(&["pack", "games", "-o", "a.zst"]).ok();
    let mut child = session.command(&["pack", "games"]).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut piped = Vec::new();
    child.stdout.take().expect("its output").read_to_end(&mut piped).expect("bytes");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(piped, fs::read(session.path("a.zst")).unwrap());
}
