//! How many instructions things take, counted by valgrind: the same on a busy machine, and nearly the same on another
//! one. They are compared with those stored in `benches/counts.txt`, or in `benches/counts-dev.txt` for a build with assertions.
//! `benches/README.md` explains how to run it.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};
use support::Record;
use support::homes::{self, Home};
use support::shapes::SHAPES;
use tempfile::TempDir;

/// The stored counts, one per line: the count, a space, and what was counted.
const KEPT: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts-dev.txt")
} else {
    concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts.txt")
};
/// What auditing a sealed game is counted as, and how many entries the smallest of those games has.
const AUDIT: (&str, usize) = ("audit of a committed game", 100);
/// What receiving a letter full of remarks is counted as, and how many remarks the smallest has.
const REMARKS: (&str, usize) = ("a letter of remarks that are here already", 500);
/// What merging such a record is counted as.
const MERGE: &str = "a merge of remarks";
/// The same of blank lines.
const BLANK: (&str, usize) = ("a letter of blank lines that are here already", 20_000);
/// What writing a record as a page is counted as, of which shapes. The boards of the second take more than half of all the counting where
/// nothing is optimised, so that they are counted in an optimised build alone.
const PAGES: &[&str] = if cfg!(debug_assertions) {
    &["assassyn: nobody dies, each entry with an offer"]
} else {
    &["assassyn: nobody dies, each entry with an offer", "mission-combat: attacks split over many units"]
};
/// What writing the position after each entry is counted as, of which shapes.
const REPLAYS: [&str; 3] = [
    "assideum: nothing taken",
    "assassyn: an escape by a challenge, again and again",
    "mission-combat: to and fro, each entry with an offer",
];
/// What splitting a record into rows is counted as, of which shapes.
const EXPORTS: [&str; 3] = [
    "assideum: nothing taken, each entry with an offer",
    "assassyn: nobody dies, each entry with an offer",
    "mission-combat: sealed, a card shuffled again and again",
];
/// By how much a count may rise before there is a prominent notice.
const RISE: f64 = 1.03;
/// How many times more the step from twice a size to four times may cost than the step to twice the size: 2 if the cost
/// grows linearly, 4 if it grows quadratically.
const GROWTH: f64 = 2.6;
/// Among how many games a letter with a move is counted, and how many times more it may cost among the most than among the fewest.
const GAMES: [usize; 2] = [10, 10_000];
const AMONG: f64 = 1.2;
/// The function in which instructions are counted, as valgrind is given it; the full name, because valgrind writes no
/// file for a name with a star.
const MEASURED: &str = "instructions::measured";
/// The argument with which this program does the work to be counted: `--work FILE`, with the material, and all of it, or what the arguments
/// after that name.
const WORK: &str = "--work";

/// The file of the material.
const MATERIAL: &str = "material.json";
/// The sizes at which growth is looked at.
const TIMES: [usize; 3] = [1, 2, 4];
/// How many entries the smallest of the records has that are written as pages: more than the longest game that has a board for each.
const PAGED: usize = 700;

/// What is worked on. It is made once and read under valgrind, where to make it would take as long as all the counting.
#[derive(Serialize, Deserialize)]
struct Material {
    kinds: Vec<(String, Vec<Record>)>,
    short: Record,
    /// A record of each shape, of each size.
    shapes: Vec<[String; 3]>,
    /// Those that are written as pages.
    paged: Vec<[String; 3]>,
    committed: [String; 3],
    remarks: [(String, String); 3],
    blank: [(String, String); 3],
}

impl Material {
    fn make() -> Self {
        Self {
            kinds: support::kinds(),
            short: support::short(),
            shapes: SHAPES.iter().map(|shape| TIMES.map(|times| (shape.write)(shape.size * times))).collect(),
            paged: SHAPES
                .iter()
                .filter(|shape| PAGES.contains(&shape.name))
                .map(|shape| TIMES.map(|times| (shape.write)(PAGED * times)))
                .collect(),
            committed: TIMES.map(|times| support::committed(AUDIT.1 * times)),
            remarks: TIMES.map(|times| support::remarks(REMARKS.1 * times)),
            blank: TIMES.map(|times| support::blank(BLANK.1 * times)),
        }
    }

    fn read(path: &Path) -> Self {
        let text = std::fs::read(path).expect("the material can be read");
        serde_json::from_slice(&text).expect("it is what was written")
    }

    fn write(&self, path: &Path) {
        let text = serde_json::to_vec(self).expect("texts and numbers");
        std::fs::write(path, text).expect("the material can be written");
    }

    /// The shapes of these names, each with its records.
    fn shapes(&self, names: &[&str]) -> impl Iterator<Item = (&'static str, &[String; 3])> {
        SHAPES
            .iter()
            .zip(&self.shapes)
            .map(|(shape, texts)| (shape.name, texts))
            .filter(|(name, _)| names.contains(name))
    }
}

/// What is counted within one process, in this order.
#[derive(Default)]
struct Work {
    names: Vec<String>,
    run: Vec<Box<dyn Fn()>>,
}

impl Work {
    fn add(&mut self, name: impl Into<String>, run: impl Fn() + 'static) {
        self.names.push(name.into());
        self.run.push(Box::new(run));
    }

    /// Judging the first entries of records, each record separately; `what` is counted up to each entry and up to none.
    fn records(&mut self, what: &str, records: Vec<Record>) {
        let bare: Vec<_> = records.iter().map(Record::without_entries).collect();
        self.add(format!("{what}, bare"), move || bare.iter().for_each(|record| _ = support::verify(record)));
        self.add(format!("{what}, whole"), move || records.iter().for_each(|record| _ = support::verify(record)));
    }
}

/// Everything that is counted. It must be the same list in both processes.
fn work(material: &Material) -> (Work, Vec<(String, u32)>) {
    let mut work = Work::default();
    let mut margins = Vec::new();
    for (name, records) in &material.kinds {
        margins.push((name.clone(), records.iter().map(|record| record.entries).sum()));
        work.records(name, records.clone());
    }
    let header = material.short.clone();
    work.add("a header by the short way", move || _ = support::header(&header));
    let header = support::read_by_library(&material.short);
    work.add("a header by the library", move || _ = support::header(&header));
    for of in support::PERFTS {
        work.add(format!("perft {}", of.0), move || _ = support::perft(of));
    }
    for (shape, texts) in SHAPES.iter().zip(&material.shapes) {
        for (times, text) in TIMES.iter().zip(texts) {
            let (record, same) = (text.clone(), text.clone());
            work.add(format!("{} {times}", shape.name), move || support::legal(&same));
            work.add(format!("{} {times}, fmt", shape.name), move || _ = support::formatted(&record));
        }
    }
    for (times, text) in TIMES.iter().zip(&material.committed) {
        let record = text.clone();
        work.add(format!("{} {times}", AUDIT.0), move || support::audit(&record));
    }
    for (times, texts) in TIMES.iter().zip(&material.remarks) {
        let ((here, there), (ours, theirs)) = (texts.clone(), texts.clone());
        work.add(format!("{} {times}", REMARKS.0), move || support::receive(&here, &there));
        work.add(format!("{MERGE} {times}"), move || support::merge(&ours, &theirs));
    }
    for (times, texts) in TIMES.iter().zip(&material.blank) {
        let (here, there) = texts.clone();
        work.add(format!("{} {times}", BLANK.0), move || support::receive(&here, &there));
    }
    for (name, texts) in material.shapes(&EXPORTS) {
        for (times, text) in TIMES.iter().zip(texts) {
            let record = text.clone();
            work.add(format!("{name} {times}, export"), move || support::export(&record));
        }
    }
    // The first time, tables are made that stay; so the smallest is done twice, and counted the second time.
    let paged = SHAPES.iter().map(|shape| shape.name).filter(|name| PAGES.contains(name));
    for (name, texts) in paged.zip(&material.paged) {
        for nth in [0, 0, 1, 2] {
            let (times, record) = (TIMES[nth], texts[nth].clone());
            work.add(format!("{name} {times}, page"), move || support::page(&record));
        }
    }
    for (name, texts) in material.shapes(&REPLAYS) {
        for nth in [0, 0, 1, 2] {
            let (times, record) = (TIMES[nth], texts[nth].clone());
            work.add(format!("{name} {times}, replay"), move || support::replay(&record));
        }
    }
    (work, margins)
}

/// What valgrind counts in: called once for each piece of work, and for nothing else.
#[inline(never)]
fn measured(work: &dyn Fn()) {
    black_box(work)();
    // Keeps the call above from becoming a tail call.
    black_box(());
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == WORK) {
        let (file, only) = arguments[place + 1..].split_first().expect("a file with the material");
        let work = work(&Material::read(Path::new(file))).0;
        let wanted = |name: &String| only.is_empty() || only.contains(name);
        let wanted = work.names.iter().zip(&work.run).filter(|(name, _)| wanted(name));
        wanted.for_each(|(_, run)| measured(run.as_ref()));
        return ExitCode::SUCCESS;
    }
    // Without it (`cargo test --benches`) everything is only tried once.
    if !arguments.iter().any(|argument| argument == "--bench") {
        work(&Material::make()).0.run.iter().for_each(|run| run());
        let folder = TempDir::new().expect("a folder can be made");
        let home = Home::of(folder.path(), GAMES[0]);
        moved(&home, GAMES[0], &[]);
        return ExitCode::SUCCESS;
    }
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("\n**** NO INSTRUCTIONS WERE COUNTED: there is no valgrind here. ****\n");
        return ExitCode::SUCCESS;
    }
    let keep = arguments.iter().any(|argument| argument == "--keep");
    let counts = count();
    let kept = kept();
    println!("{:<58}{:>12}{:>12}{:>9}", "instructions", "now", "kept", "change");
    let mut risen = Vec::new();
    for (name, now) in &counts.list {
        let before = kept.get(name.as_str()).copied();
        let change = before.map_or(1.0, |before| *now as f64 / before.max(1) as f64);
        let shown = before.map_or_else(
            || format!("{:>12}{:>9}", "-", "new"),
            |before| format!("{before:>12}{:>8.1}%", 100.0 * (change - 1.0)),
        );
        println!("{name:<58}{now:>12}{shown}");
        if change > RISE {
            risen.push(format!("{name}: {:.1} % more", 100.0 * (change - 1.0)));
        }
    }
    println!("\n{:<58}{:>12}", "growth, twice the size to four times : size to twice", "2 is linear");
    let mut grown = Vec::new();
    for Growth { name, sizes, growth } in &counts.growth {
        println!("{name:<58}{growth:>12.2}");
        if *growth > GROWTH && !is_linear(name) {
            println!("    (known: what it costs is bounded by the size of a header)");
        }
        if *growth > GROWTH && is_linear(name) {
            grown.push(format!("{name}: {growth:.2}, of {sizes:?}"));
        }
    }
    let [few, many] = counts.among;
    let among = many as f64 / few.max(1) as f64;
    println!("{:<58}{among:>12.2}", format!("a letter with a move, among {} games : among {}", GAMES[1], GAMES[0]));
    if among > AMONG {
        grown.push(format!(
            "a letter with a move: {among:.2} times as much among {} games as among {}",
            GAMES[1], GAMES[0]
        ));
    }
    if keep {
        let text: String = counts.list.iter().map(|(name, count)| format!("{count} {name}\n")).collect();
        std::fs::write(KEPT, text).expect("the counts can be kept");
    } else if !risen.is_empty() {
        println!("\n**** THESE TAKE MORE INSTRUCTIONS THAN WERE KEPT: ****\n{}", risen.join("\n"));
        let profile = if cfg!(debug_assertions) { "--profile dev " } else { "" };
        println!("If that is meant, `cargo bench {profile}--bench instructions -- --keep` keeps the new counts.");
    }
    if grown.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\n**** THESE GROW FASTER THAN THE RECORD: ****\n{}", grown.join("\n"));
    ExitCode::FAILURE
}

/// Whether what has this name must not cost more than in proportion to its size.
fn is_linear(name: &str) -> bool {
    !SHAPES.iter().any(|shape| !shape.linear && name.starts_with(shape.name))
}

/// The stored counts, by name.
fn kept() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(KEPT).unwrap_or_default();
    let line = |line: &str| line.split_once(' ').and_then(|(count, name)| Some((name.to_owned(), count.parse().ok()?)));
    text.lines().filter_map(line).collect()
}

/// What was counted.
struct Counts {
    list: Vec<(String, u64)>,
    growth: Vec<Growth>,
    /// What a letter with a move costs a host with few games, and with many.
    among: [u64; 2],
}

/// How fast the cost of something grows.
struct Growth {
    name: String,
    /// What it costs at a size, at twice, and at four times the size.
    sizes: [u64; 3],
    growth: f64,
}

impl Growth {
    fn new(name: String, sizes: [u64; 3]) -> Self {
        let [one, two, four] = sizes.map(|size| size as f64);
        Self { name, sizes, growth: (four - two) / (two - one).max(1.0) }
    }
}

fn count() -> Counts {
    let folder = TempDir::new().expect("a folder can be made");
    let material = Material::make();
    material.write(&folder.path().join(MATERIAL));
    let (work, margins) = work(&material);
    let within = count_work(folder.path(), &work.names, &[]);
    let mut list = Vec::new();
    for (name, entries) in margins {
        let of = |what: &str| &within[&format!("{name}, {what}")];
        let (bare, whole) = (of("bare"), of("whole"));
        let entries = u64::from(entries);
        list.push((format!("{name}: an entry"), (whole.all - bare.all) / entries));
        if whole.hashes > bare.hashes {
            let hashes = whole.hashes - bare.hashes;
            list.push((format!("{name}: an entry, without hashes"), (whole.all - bare.all - hashes) / entries));
        }
    }
    for name in ["a header by the short way", "a header by the library"] {
        list.push((name.to_owned(), within[name].all));
    }
    for (game, _, _, nodes) in support::PERFTS {
        list.push((format!("perft {game}: a sequence"), within[&format!("perft {game}")].all / nodes));
    }
    let mut growth = Vec::new();
    let grows = |name: &str, also: &str| {
        let names = TIMES.map(|times| format!("{name} {times}{also}"));
        let growth = Growth::new(format!("{name}{also}"), [0, 1, 2].map(|size: usize| within[&names[size]].all));
        if growth.growth <= GROWTH || !is_linear(name) {
            return growth;
        }
        // What the allocator takes depends on how the work before this left the heap, and may differ from run to run. So what
        // seems to grow too fast is counted again by itself.
        let again: Vec<_> = work.names.iter().filter(|name| names.contains(name)).cloned().collect();
        let alone = count_work(folder.path(), &again, &names);
        Growth::new(growth.name, [0, 1, 2].map(|size: usize| alone[&names[size]].all))
    };
    for shape in SHAPES {
        growth.extend(["", ", fmt"].map(|also| grows(shape.name, also)));
    }
    growth.extend([AUDIT.0, REMARKS.0, MERGE, BLANK.0].map(|name| grows(name, "")));
    growth.extend(EXPORTS.map(|name| grows(name, ", export")));
    growth.extend(PAGES.iter().map(|name| grows(name, ", page")));
    growth.extend(REPLAYS.map(|name| grows(name, ", replay")));
    list.extend(count_programs(folder.path()));
    let among = GAMES.map(|games| moved(&Home::of(folder.path(), games), games, VALGRIND));
    list.push((format!("a letter with a move to a host of {} games", GAMES[0]), among[0]));
    Counts { list, growth, among }
}

#[derive(Clone, Copy, Default)]
struct Count {
    all: u64,
    /// How many of them the compression function of SHA-256 takes, which cannot be improved.
    hashes: u64,
}

/// Runs this program under valgrind, which writes a file for each piece of work: all those that are named, or `only` these.
fn count_work(folder: &Path, names: &[String], only: &[String]) -> BTreeMap<String, Count> {
    let program = std::env::current_exe().expect("this program has a path");
    let file = folder.join("work");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--toggle-collect={MEASURED}"))
        .arg(format!("--dump-after={MEASURED}"))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .args([program.as_os_str(), WORK.as_ref(), folder.join(MATERIAL).as_os_str()])
        .args(only)
        .output()
        .expect("valgrind runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let one = |(nth, name): (usize, &String)| {
        let path = PathBuf::from(format!("{}.{}", file.display(), nth + 1));
        let text = std::fs::read_to_string(&path).expect("valgrind has written what it counted");
        (name.clone(), read_count(&text))
    };
    names.iter().enumerate().map(one).collect()
}

/// Parses what valgrind wrote about one piece of work: the sum, and what the functions of the hash took themselves.
fn read_count(text: &str) -> Count {
    let mut count = Count::default();
    let (mut hash, mut call) = (false, false);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            hash = name.contains("sha2") || name.contains("sha256");
        } else if let Some(sum) = line.strip_prefix("summary: ") {
            count.all = sum.trim().parse().expect("a sum");
        } else if line.starts_with("calls=") {
            // The line below it is what the called function took.
            call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok());
            if hash && !call {
                count.hashes += cost.unwrap_or(0);
            }
            call = false;
        }
    }
    count
}

/// What whole processes take: start-up, and files apart from their entries.
fn count_programs(folder: &Path) -> Vec<(String, u64)> {
    let postrider = Path::new(env!("CARGO_BIN_EXE_postrider"));
    let record = support::short();
    let file = folder.join("game.pbem");
    std::fs::write(&file, &record.text).expect("a record can be written");
    let mut list = Vec::new();
    if let Some(empty) = support::empty_program(folder) {
        list.push(("an empty program".to_owned(), count_program(folder, &empty, &[])));
    }
    list.push(("postrider --version".to_owned(), count_program(folder, postrider, &["--version"])));
    list.push((
        "postrider verify FILE".to_owned(),
        count_program(folder, postrider, &["verify", &file.to_string_lossy()]),
    ));
    // The margin for files without entries is what a file costs apart from its entries.
    let bare = record.without_entries();
    let of = |count: u32| {
        let shelf = folder.join(format!("shelf-{count}"));
        std::fs::create_dir(&shelf).expect("a folder can be made");
        for number in 0..count {
            std::fs::write(shelf.join(format!("{number:05}.pbem")), &bare.text).expect("a record can be written");
        }
        count_program(folder, postrider, &["verify", &shelf.to_string_lossy()])
    };
    list.push(("a file beside its entries".to_owned(), (of(1200) - of(200)) / 1000));
    list
}

fn count_program(folder: &Path, program: &Path, arguments: &[&str]) -> u64 {
    let output = Command::new(VALGRIND[0])
        .args(&VALGRIND[1..])
        .arg(program)
        .args(arguments)
        .env("RAYON_NUM_THREADS", "1")
        .env("POSTRIDER_HOME", folder.join("home"))
        .output()
        .expect("valgrind runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    collected(&output.stderr)
}

/// With what a whole process is counted.
const VALGRIND: &[&str] = &["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// What valgrind says that it counted.
fn collected(said: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(said);
    let sum = text.lines().find_map(|line| line.split_once("Collected : ")).expect("valgrind tells its count").1;
    sum.trim().parse().expect("a count")
}

/// Hands the letter with a move to a host of so many games; returns what was counted, if something counts (`before`).
fn moved(home: &Home, games: usize, before: &[&str]) -> u64 {
    let mut command = homes::program(home.root(), before);
    command.args(["host", "receive"]);
    let output = homes::fed(command, &home.letter);
    home.has_moved(games);
    if before.is_empty() { 0 } else { collected(&output.stderr) }
}
