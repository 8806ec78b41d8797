//! How long things take. First the ratios that matter, each of two things timed alternately in this run; then a table
//! of times. `benches/README.md` explains how to run it.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use postrider_disk::found::Found;
use postrider_referee::verdict::Ruling;
use rayon::prelude::*;
use support::Record;
use tempfile::TempDir;
use walkdir::WalkDir;

/// How many records are in the folder, and how many entries each has.
const FOLDER: (usize, u32) = (20_000, 44);
/// How many of them differ.
const GAMES: usize = 200;
/// How many signed records there are in a folder.
const SIGNED: usize = 10_000;
/// How many entries the longest history has.
const TO_AND_FRO: u32 = 10_000;
/// The length of a key in base64.
const KEY: usize = 44;

fn main() {
    // Without it (`cargo test --benches`) everything is only tried once.
    if std::env::args().any(|argument| argument == "--bench") {
        ratios();
    }
    divan::main();
}

fn ratios() {
    let (long, timed) = (support::long(), support::timed());
    let (short, by_library) = (support::short(), support::read_by_library(&support::short()));
    tell("judging a long record : scanning its bytes", &|| support::verify(&long), &|| scan(&long));
    tell("the same record with times : without", &|| support::verify(&timed), &|| support::verify(&long));
    let signed = support::signed();
    tell("a signed record : the same unsigned", &|| support::verify(&signed), &|| support::verify(&long));
    let signature = support::signature();
    tell("a signed record : checking one signature", &|| support::verify(&signed), &|| support::check(&signature));
    tell("by the newest signatures : unsigned", &|| support::verify_newest(&signed), &|| support::verify(&long));
    tell("by the newest signatures : checking one", &|| support::verify_newest(&signed), &|| {
        support::check(&signature)
    });
    tell("a header by the library : by the short way", &|| support::header(&by_library), &|| support::header(&short));
    for of in support::PERFTS {
        let entries = f64::from(long.entries) / of.3 as f64;
        let ratio = ratio(&|| support::perft(of), &|| support::verify(&long)) * entries;
        let speed = of.3 as f64 / seconds(&|| support::perft(of), Duration::from_millis(50)) / 1e6;
        let what = format!("{} perft, a sequence : judging an entry", of.0);
        println!("{what:<52}{ratio:8.2}   {speed:.1} million a second in this run");
    }
    for of in support::PLAYOUTS {
        let speed = f64::from(of.3) / seconds(&|| support::playouts(of), Duration::from_millis(200)) / 1e3;
        println!("{:<52}{speed:8.1} thousand a second in this run", format!("{} playouts", of.0));
    }
    let folder = folder();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let what = format!("judging a folder : reading its files, {threads} threads");
        pool.install(|| tell(&what, &|| judge(folder.path()), &|| read(folder.path())));
    }
    against_c(folder.path());
    signatures();
    histories();
    starting();
    println!();
}

/// The program, on one thread, compared with C programs that do only what cannot be done without.
fn against_c(records: &Path) {
    let folder = TempDir::new().expect("a folder can be made");
    let empty = support::c_program(folder.path(), "empty", support::EMPTY_IN_C);
    let reader = support::c_program(folder.path(), "reader", support::READER_IN_C);
    let (Some(empty), Some(reader)) = (empty, reader) else {
        println!("**** NOTHING WAS COMPARED WITH C: there is no C compiler. ****");
        return;
    };
    // A copy, as an installation makes it.
    let postrider = folder.path().join("postrider");
    std::fs::copy(env!("CARGO_BIN_EXE_postrider"), &postrider).expect("a program can be copied");
    let run = |program: &Path, arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(program);
        command.args(arguments).env("POSTRIDER_HOME", folder.path().join("home")).env("RAYON_NUM_THREADS", "1");
        assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()));
    };
    let verify = || run(&postrider, &["verify".as_ref(), "--quiet".as_ref(), records.as_os_str()]);
    tell_time("20 000 files, one thread : C reads them", &verify, &|| run(&reader, &[records.as_os_str()]));
    let version = || run(&postrider, &["--version".as_ref()]);
    tell("starting, --version : an empty C program", &version, &|| run(&empty, &[]));
}

/// A folder of signed records of all games, judged by the newest signatures, compared with the same records unsigned.
fn signatures() {
    let games = support::signed_games();
    let unsigned = |record: &Record| {
        let (head, body) = record.text.split_once("\n---\n").expect("a header");
        let without = |line: &&str| !line.starts_with("  ~ ");
        let keyless = head.split(", key: ").enumerate().map(|(nth, part)| if nth == 0 { part } else { &part[KEY..] });
        let lines: Vec<_> = body.lines().filter(without).collect();
        format!("{}\n---\n{}\n", keyless.collect::<String>(), lines.join("\n"))
    };
    let folders = [(); 2].map(|()| TempDir::new().expect("a folder can be made"));
    for (number, record) in (0..SIGNED).zip(games.iter().cycle()) {
        for (folder, text) in folders.iter().zip([&record.text, &unsigned(record)]) {
            std::fs::write(folder.path().join(format!("{number:05}.pbem")), text).expect("a record can be written");
        }
    }
    let judge = |folder: &TempDir| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
        command
            .args(["verify", "--newest", "--quiet"])
            .arg(folder.path())
            .env("POSTRIDER_HOME", folder.path().join("home"));
        assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()));
    };
    let [signed, unsigned] = &folders;
    tell_time("10 000 records by the newest signatures : unsigned", &|| judge(signed), &|| judge(unsigned));
}

/// Histories, one entry a commit, compared with listing their changes: of games that were played side by side, and of one long record.
fn histories() {
    let games = (1..).map(|seed| support::play(seed, FOLDER.1, false)).filter(|record| record.entries == FOLDER.1);
    let games: Vec<_> = games.take(GAMES).map(|record| record.text).collect();
    history("8 800 commits", &games, FOLDER.1);
    let actions = ["white Rd1=E", "black Rd8=E", "white Rd1=N", "black Rd8=S"];
    let lines = (0..TO_AND_FRO).map(|nth| format!("{} {}\n", nth + 1, actions[nth as usize % actions.len()]));
    let head = "---\npbem: 1\ngame: assideum\nid: assideum-to-and-fro\nplayers:\n  white: {name: Ada Quill}\n  \
                black: {name: Bram Post}\nstarted: 2026-11-21\n---\n";
    history("one of 10 000", &[head.to_owned() + &lines.collect::<String>()], TO_AND_FRO);
}

/// A history of games of so many entries each, by turns.
fn history(what: &str, games: &[String], entries: u32) {
    let folder = TempDir::new().expect("a folder can be made");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder.path()).args(arguments).stdout(Stdio::null());
        command
    };
    if !git(&["init", "-q", "-b", "main"]).status().is_ok_and(|status| status.success()) {
        println!("**** NO HISTORY WAS MEASURED: there is no git. ****");
        return;
    }
    let mut import = git(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git");
    let mut to = import.stdin.take().expect("a pipe");
    let mut lengths: Vec<usize> = games.iter().map(|game| game.find("\n1 ").expect("a first entry") + 1).collect();
    for number in 0..games.len() * entries as usize {
        let place = number % games.len();
        let (game, length) = (&games[place], &mut lengths[place]);
        *length += game[*length..].find('\n').expect("one more entry") + 1;
        let (time, text) = (1_790_000_000 + 60 * number, &game[..*length]);
        let commit = format!("commit refs/heads/main\ncommitter Ada <ada@example.org> {time} +0000\ndata 1\n+\n");
        writeln!(to, "{commit}M 100644 inline {place:03}.pbem\ndata {length}\n{text}").expect("git reads");
    }
    drop(to);
    assert!(import.wait().is_ok_and(|status| status.success()));
    let log = || assert!(git(&["log", "--raw"]).status().is_ok_and(|status| status.success()));
    let ours = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
        command.arg("git").args(arguments).current_dir(folder.path()).env("POSTRIDER_HOME", folder.path().join("home"));
        assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()));
    };
    tell(&format!("git history, {what} : git log --raw"), &|| ours(&["history"]), &log);
    tell(&format!("git check, {what} : git log --raw"), &|| ours(&["check", "HEAD"]), &log);
}

/// Starting the program, compared with a program that does nothing. Both are copies, as an installation makes them: a file that the
/// linker has just written lies in smaller pieces in memory, and starting it takes a tenth longer.
fn starting() {
    let folder = TempDir::new().expect("a folder can be made");
    let Some(empty) = support::empty_program(folder.path()) else {
        println!("**** NO START-UP WAS MEASURED: there is no compiler for the program to compare with. ****");
        return;
    };
    let file = folder.path().join("game.pbem");
    std::fs::write(&file, support::short().text).expect("a record can be written");
    let signed = folder.path().join("signed.pbem");
    std::fs::write(&signed, support::sign(&support::play(1, 120, false)).text).expect("a record can be written");
    let installed = |program: &Path, name: &str| {
        let copy = folder.path().join(name);
        std::fs::copy(program, &copy).expect("a program can be copied");
        copy
    };
    let (postrider, empty) =
        (installed(env!("CARGO_BIN_EXE_postrider").as_ref(), "postrider"), installed(&empty, "nothing"));
    let run = |program: &Path, arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(program);
        command.args(arguments).env("POSTRIDER_HOME", folder.path().join("home")).stdout(Stdio::null());
        assert!(command.status().is_ok_and(|status| status.success()));
    };
    let version = || run(&postrider, &["--version".as_ref()]);
    let verify = |file: &Path| run(&postrider, &["verify".as_ref(), file.as_os_str()]);
    tell("starting, --version : an empty program", &version, &|| run(&empty, &[]));
    tell("starting, verify FILE : an empty program", &|| verify(&file), &|| run(&empty, &[]));
    tell_time("120 signed entries from the start : an empty program", &|| verify(&signed), &|| run(&empty, &[]));
}

fn tell<A, B>(what: &str, first: &dyn Fn() -> A, second: &dyn Fn() -> B) {
    println!("{what:<52}{:8.2}", ratio(first, second));
}

/// Tells the time of the first in this run too.
fn tell_time(what: &str, first: &dyn Fn(), second: &dyn Fn()) {
    let least = (0..9).map(|_| seconds(first, Duration::from_millis(20))).fold(f64::INFINITY, f64::min) * 1e3;
    println!("{what:<52}{:8.2}   {least:.2} ms in this run", ratio(first, second));
}

/// How many times longer `first` takes than `second`, comparing the minimum over many alternating runs, because
/// whatever else a machine does only adds time.
fn ratio<A, B>(first: &dyn Fn() -> A, second: &dyn Fn() -> B) -> f64 {
    const TURN: Duration = Duration::from_millis(5);
    // What takes long is run fewer times.
    const TURNS: usize = 61;
    const LONG: (Duration, usize) = (Duration::from_millis(50), 9);
    let start = Instant::now();
    black_box((first(), second()));
    let turns = if start.elapsed() > LONG.0 { LONG.1 } else { TURNS };
    let turns: Vec<_> = (0..turns).map(|_| (seconds(first, TURN), seconds(second, TURN))).collect();
    let least = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
    least(&mut turns.iter().map(|turn| turn.0)) / least(&mut turns.iter().map(|turn| turn.1))
}

/// The time of one call, averaged over as many as fit into `least`.
fn seconds<T>(call: &dyn Fn() -> T, least: Duration) -> f64 {
    let start = Instant::now();
    let mut calls = 0;
    while calls == 0 || start.elapsed() < least {
        black_box(call());
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// The minimum that judging has to do: reading every byte and finding the lines.
fn scan(record: &Record) -> usize {
    let lines = record.text.bytes().filter(|&byte| byte == b'\n').count();
    assert!(lines > record.entries as usize);
    lines
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder can be made");
    let games = (1..).map(|seed| support::play(seed, FOLDER.1, false)).filter(|record| record.entries == FOLDER.1);
    let games: Vec<_> = games.take(GAMES).collect();
    for (number, record) in (0..FOLDER.0).zip(games.iter().cycle()) {
        let path = folder.path().join(format!("{number:05}.pbem"));
        std::fs::write(path, &record.text).expect("a record can be written");
    }
    folder
}

/// Judges every record in a folder, as `postrider verify` does.
fn judge(folder: &Path) -> u32 {
    let found = postrider_disk::finding::find(&[folder.to_path_buf()]);
    let entries = |_: &Found, judged: std::io::Result<(&[u8], postrider_referee::verdict::Verdict)>| match judged {
        Ok((_, verdict)) if verdict.ruling == Ruling::Legal => verdict.entries,
        _ => 0,
    };
    let mut sum = 0;
    let add = |entries| {
        sum += entries;
        Ok::<_, ()>(())
    };
    postrider_disk::walking::judge(&found, entries, add).expect("nothing stops the sum");
    assert_eq!(sum, FOLDER.0 as u32 * FOLDER.1);
    sum
}

/// Finds, opens and reads every record in a folder, on as many processors.
fn read(folder: &Path) -> usize {
    let paths: Vec<_> = WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("the folder can be read"))
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let read = |bytes: &mut Vec<u8>, path: &std::path::PathBuf| {
        bytes.clear();
        File::open(path).and_then(|mut file| file.read_to_end(bytes)).expect("a file can be read");
        usize::from(black_box(bytes).starts_with(b"---"))
    };
    let files = paths.par_iter().map_init(|| Vec::with_capacity(16 * 1024), read).sum();
    assert_eq!(files, FOLDER.0);
    files
}

#[divan::bench]
fn verify_long(bencher: Bencher<'_, '_>) {
    bench_verify(bencher, &support::long());
}

#[divan::bench]
fn verify_timed(bencher: Bencher<'_, '_>) {
    bench_verify(bencher, &support::timed());
}

#[divan::bench]
fn verify_signed(bencher: Bencher<'_, '_>) {
    bench_verify(bencher, &support::signed());
}

#[divan::bench]
fn verify_signed_by_the_newest(bencher: Bencher<'_, '_>) {
    let record = support::signed();
    let entries = ItemsCount::new(record.entries);
    bencher.counter(entries).bench_local(|| support::verify_newest(black_box(&record)));
}

#[divan::bench]
fn verify_short(bencher: Bencher<'_, '_>) {
    bench_verify(bencher, &support::short());
}

fn bench_verify(bencher: Bencher<'_, '_>, record: &Record) {
    let (entries, bytes) = (ItemsCount::new(record.entries), BytesCount::of_str(&record.text));
    bencher.counter(entries).counter(bytes).bench_local(|| support::verify(black_box(record)));
}

#[divan::bench]
fn header_by_the_short_way(bencher: Bencher<'_, '_>) {
    let record = support::short();
    bencher.bench_local(|| support::header(black_box(&record)));
}

#[divan::bench]
fn header_by_the_library(bencher: Bencher<'_, '_>) {
    let record = support::read_by_library(&support::short());
    bencher.bench_local(|| support::header(black_box(&record)));
}

#[divan::bench(sample_count = 5)]
fn folder_judged(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.counter(ItemsCount::new(FOLDER.0)).bench_local(|| judge(folder.path()));
}

#[divan::bench(sample_count = 5)]
fn folder_read(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.counter(ItemsCount::new(FOLDER.0)).bench_local(|| read(folder.path()));
}

#[divan::bench(args = support::PERFTS.iter().map(|of| of.0), sample_count = 20)]
fn perft(bencher: Bencher<'_, '_>, game: &str) {
    let of = support::PERFTS.iter().find(|of| of.0 == game).expect("a game");
    bencher.counter(ItemsCount::new(of.3)).bench_local(|| support::perft(of));
}
