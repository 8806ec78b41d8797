//! How long things take. First the ratios that count, each of two things timed by turns in this run; then a table of times.
//! `benches/README.md` tells how to run it.

mod support;

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use postrider::archive::{self, Found};
use postrider::verdict::Ruling;
use support::Record;
use tempfile::TempDir;
use walkdir::WalkDir;

/// How many records there are in the folder, and how many entries in each.
const FOLDER: (usize, u32) = (2000, 60);

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
    let folder = folder();
    tell("judging a long record : scanning its bytes", &|| support::verify(&long), &|| scan(&long));
    tell("the same record with times : without", &|| support::verify(&timed), &|| support::verify(&long));
    let signed = support::signed();
    tell("a signed record : the same unsigned", &|| support::verify(&signed), &|| support::verify(&long));
    tell("by the newest signatures : unsigned", &|| support::verify_newest(&signed), &|| support::verify(&long));
    tell("a header by the library : by the short way", &|| support::header(&by_library), &|| support::header(&short));
    tell("judging a folder : reading its files", &|| judge(folder.path()), &|| read(folder.path()));
    let (depth, nodes) = support::PERFT;
    let count = || assert_eq!(support::perft(depth), nodes);
    let ratio = ratio(&count, &|| support::verify(&long));
    let ratio = ratio * f64::from(long.entries) / nodes as f64;
    println!("{:<48}{ratio:8.2}", "listing and playing an entry : judging one");
    println!();
}

fn tell<A, B>(what: &str, first: &dyn Fn() -> A, second: &dyn Fn() -> B) {
    println!("{what:<48}{:8.2}", ratio(first, second));
}

/// How many times longer `first` takes than `second`: of the least that each took in many turns, for whatever else a machine
/// does only adds.
fn ratio<A, B>(first: &dyn Fn() -> A, second: &dyn Fn() -> B) -> f64 {
    const TURNS: usize = 61;
    const TURN: Duration = Duration::from_millis(5);
    let turns: Vec<_> = (0..TURNS).map(|_| (seconds(first, TURN), seconds(second, TURN))).collect();
    let least = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
    least(&mut turns.iter().map(|turn| turn.0)) / least(&mut turns.iter().map(|turn| turn.1))
}

/// What one call takes, over as many as fit into `least`.
fn seconds<T>(call: &dyn Fn() -> T, least: Duration) -> f64 {
    let start = Instant::now();
    let mut calls = 0;
    while calls == 0 || start.elapsed() < least {
        black_box(call());
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// What judging cannot do without: looking at every byte and finding the lines.
fn scan(record: &Record) -> usize {
    let lines = record.text.bytes().filter(|&byte| byte == b'\n').count();
    assert!(lines > record.entries as usize);
    lines
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder can be made");
    let mut seed = 1;
    for number in 0..FOLDER.0 {
        let record = loop {
            let record = support::play(seed, FOLDER.1, false);
            seed += 1;
            if record.entries == FOLDER.1 {
                break record;
            }
        };
        let path = folder.path().join(format!("{number:05}.pbem"));
        std::fs::write(path, record.text).expect("a record can be written");
    }
    folder
}

/// Judges every record in a folder, as `postrider verify` does, on all processors.
fn judge(folder: &Path) -> u32 {
    let found = archive::find(&[folder.to_path_buf()]);
    let entries = |_: &Found, judged: std::io::Result<(&[u8], postrider::verdict::Verdict)>| match judged {
        Ok((_, verdict)) if verdict.ruling == Ruling::Legal => verdict.entries,
        _ => 0,
    };
    let mut sum = 0;
    let add = |entries| {
        sum += entries;
        Ok::<_, ()>(())
    };
    archive::judge(&found, entries, add).expect("nothing stops the sum");
    assert_eq!(sum, FOLDER.0 as u32 * FOLDER.1);
    sum
}

/// Finds, opens and reads every record in a folder, on one processor.
fn read(folder: &Path) -> usize {
    let (mut files, mut bytes) = (0, Vec::new());
    for entry in WalkDir::new(folder) {
        let entry = entry.expect("the folder can be read");
        if entry.file_type().is_file() {
            bytes.clear();
            File::open(entry.path()).and_then(|mut file| file.read_to_end(&mut bytes)).expect("a file can be read");
            files += usize::from(black_box(&bytes).starts_with(b"---"));
        }
    }
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

#[divan::bench(sample_count = 20)]
fn folder_judged(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.counter(ItemsCount::new(FOLDER.0)).bench_local(|| judge(folder.path()));
}

#[divan::bench(sample_count = 20)]
fn folder_read(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.counter(ItemsCount::new(FOLDER.0)).bench_local(|| read(folder.path()));
}

#[divan::bench(sample_count = 20)]
fn perft(bencher: Bencher<'_, '_>) {
    let (depth, nodes) = support::PERFT;
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| assert_eq!(support::perft(depth), nodes));
}
