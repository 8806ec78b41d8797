//! Records for the benchmarks: games played at random from fixed seeds, so that every run has the same ones, and the
//! games of the tests.

// Each benchmark uses a part of this.
#![allow(dead_code)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use postrider_home::receive::decision::{Decision, Provenance, decide};
use postrider_kernel::text::Span;
use postrider_kernel::{Options, Side};
use postrider_page::Contents;
use postrider_referee::desk::export::{Wanted, rows_as_they_come};
use postrider_referee::desk::merge::Merged;
use postrider_referee::record::{Body, Faults, Frame, Header, HeaderReading, Item, Time};
use postrider_referee::registry;
use postrider_referee::sealing::{Check, PublicKey, Secret, SecretKey, Signature, signed_text, write_signature};
use postrider_referee::verdict::{Opened, Ruling};
use postrider_search::Budget;

pub mod homes;
#[path = "../../tests/shapes/mod.rs"]
pub mod shapes;

/// A record and how many entries it has.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Record {
    pub text: String,
    pub entries: u32,
}

impl Record {
    /// A record that the tests judge too.
    fn of_tests(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // Remarks after the result are not part of what is measured.
        let end = text.find("\n= ").map_or(text.len(), |end| end + 1);
        let text = text[..end].to_owned();
        let entries = postrider_referee::verdict::verify(text.as_bytes()).entries;
        Self { text, entries }
    }

    /// The same record before its first entry.
    pub fn without_entries(&self) -> Self {
        let body = Opened::new(self.text.as_bytes()).expect("the record opens").frame.body.start as usize;
        Self { text: self.text[..body].to_owned(), entries: 0 }
    }
}

/// The kinds of record for which the margin of an entry is counted: each game, open and sealed, with times and with
/// signatures.
pub fn kinds() -> Vec<(String, Vec<Record>)> {
    let of_tests = |kind: &str, names: &[&str]| {
        let path = |name: &&str| Record::of_tests(&format!("{}/{name}.pbem", kind.replace(' ', "/")));
        let records: Vec<_> = names.iter().map(path).collect();
        assert!(records.iter().all(|record| record.entries > 10), "{kind}: whole games");
        (kind.replace(" legal", ""), records)
    };
    let whole = |game: &str| (game.to_owned(), whole_games(game));
    let random = |game: &str| (format!("{game} at random"), (1..=DOZEN).map(|seed| at_random(game, seed)).collect());
    let kinds = vec![
        ("asalto".to_owned(), vec![long()]),
        of_tests("assideum legal", &["mixed-03", "uniform-02", "back-row-0"]),
        of_tests("assassyn legal", &["hand-quiet-chase", "random-03", "random-37", "random-51", "setup-11"]),
        whole("subsume"),
        random("subsume"),
        whole("mission-combat"),
        random("mission-combat"),
        of_tests("assassyn sealed", &["sealed-101", "sealed-107", "sealed-109"]),
        of_tests("subsume sealed", &["sealed-05"]),
        of_tests("mission-combat sealed", &["sealed-001", "sealed-020", "sealed-059"]),
        ("asalto with times".to_owned(), vec![timed()]),
        ("asalto with an offer each".to_owned(), vec![offering()]),
    ];
    for game in registry::GAMES.iter().map(|game| game.info().name) {
        assert!(kinds.iter().any(|(kind, _)| kind.starts_with(game)), "{game} has no record in `kinds`, {}", file!());
        assert!(PERFTS.iter().any(|(name, ..)| *name == game), "{game} has no line in `PERFTS`, {}", file!());
    }
    kinds
}

/// All games of the tests that are longer than ten entries: late entries, with tall stacks and many units, cost more than early ones.
fn whole_games(game: &str) -> Vec<Record> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(game).join("legal");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> = files.filter_map(|file| file.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".pbem"));
    names.sort_unstable();
    let path = |name: &String| Record::of_tests(&format!("{game}/legal/{name}"));
    let games: Vec<_> = names.iter().map(path).filter(|record| record.entries > 10).collect();
    assert!(games.len() >= 10, "only {} games of {game} are whole ones", games.len());
    games
}

/// How many random games are played of each game of which the turns are long, and how many entries each has.
const DOZEN: u64 = 12;
const RANDOM_ENTRIES: u32 = 200;

/// Plays a long random game from the start, action by action; a turn is ended seldom, so that turns are long.
fn at_random(game: &str, seed: u64) -> Record {
    let game = registry::find(game).expect("the game is registered");
    let info = game.info();
    let mut table = game.table(&Options::default(), None).expect("the start is a position");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let [first, second] = &info.sides;
    let mut text = format!(
        "---\npbem: 1\ngame: {}\nid: {}-random-{seed:02}\nplayers:\n  {}: {{name: Ada Quill}}\n  {}: {{name: Bram Post}}\n\
         started: 2026-11-21\nsecrecy: open\n---\n",
        info.name, info.name, first.word, second.word
    );
    for number in 1..=RANDOM_ENTRIES {
        let mut begun = String::new();
        loop {
            let next = table.read(&begun).expect("it can be read").next().expect("a legal beginning");
            let goes_on = |action: &&String| !action.starts_with("end") || next.actions.len() == 1;
            let ends = random.below(4) == 0;
            let list: Vec<_> = next.actions.iter().filter(|action| ends || goes_on(action)).collect();
            if list.is_empty() || next.whole && random.below(3) == 0 {
                break;
            }
            let action = random.choose(&list).expect("an action");
            begun = if begun.is_empty() { action.clone() } else { format!("{begun}; {action}") };
        }
        let line = format!("{number} {} {begun}\n", info.sides[table.standing().due.side.index()].word);
        let mut body = Body::new(line.as_bytes(), Span::new(0, line.len()), Some(info), Faults::default());
        table.run(&line, &mut body, u32::MAX).expect("a listed entry is legal");
        text.push_str(&line);
    }
    Record { text, entries: RANDOM_ENTRIES }
}

/// The long game with a draw offer on every entry that may have one.
fn offering() -> Record {
    let Record { text, entries } = long();
    let line = |line: &str| {
        let number: Option<u32> = line.split(' ').next().and_then(|word| word.parse().ok());
        let offers = number.is_some_and(|number| number > 2 && number < entries);
        format!("{line}{}\n", if offers { "; draw?" } else { "" })
    };
    Record { text: text.lines().map(line).collect(), entries }
}

/// A program that does nothing, compiled here; `None` if there is no compiler.
pub fn empty_program(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::write(&source, "fn main() {}").ok()?;
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(compiler).args(["-O", "--edition=2024", "-o"]).args([&program, &source]).status();
    built.is_ok_and(|status| status.success()).then_some(program)
}

/// A C program that does nothing.
pub const EMPTY_IN_C: &str = "int main(void) { return 0; }";
/// A C program that opens, reads and closes every file in the folder it is given, and does nothing else.
pub const READER_IN_C: &str = r#"
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static char buffer[1 << 16];

int main(int count, char **arguments) {
    DIR *folder;
    struct dirent *entry;
    if (count != 2 || chdir(arguments[1]) != 0 || !(folder = opendir("."))) return 1;
    while ((entry = readdir(folder))) {
        int file;
        ssize_t length;
        if (entry->d_type != DT_REG) continue;
        if ((file = open(entry->d_name, O_RDONLY)) < 0) return 1;
        while ((length = read(file, buffer, sizeof buffer)) > 0) {}
        if (length < 0 || close(file) != 0) return 1;
    }
    return 0;
}
"#;

/// A C program, compiled here; `None` if there is no C compiler.
pub fn c_program(folder: &Path, name: &str, source: &str) -> Option<PathBuf> {
    let (file, program) = (folder.join(name).with_extension("c"), folder.join(name));
    std::fs::write(&file, source).ok()?;
    let built = Command::new("cc").args(["-O2", "-o"]).args([&program, &file]).status();
    built.is_ok_and(|status| status.success()).then_some(program)
}

/// A finished game with this many entries before its last one, in which each seals something, both sides have committed to their
/// secrets, and both secrets are published.
pub fn committed(entries: usize) -> String {
    let sides = ["white", "black"];
    let head = "---\npbem: 1\ngame: subsume\nid: subsume-audited\nplayers:\n  white: {name: Ada Quill}\n  black: {name: Bram \
                Post}\nstarted: 2026-11-21\nsecrecy: sealed\n---\n";
    let header = Opened::new(head.as_bytes()).expect("a header").header_hash();
    let secrets = [1, 2].map(|byte| Secret::take(&mut [byte; 32]));
    let mut record = head.to_owned();
    for nth in 0..entries {
        let side = sides[nth % 2];
        let commitment = secrets[nth % 2].commitment("subsume-audited", side, &header);
        let commit = if nth < 2 { format!("; commit {commitment}") } else { String::new() };
        record.push_str(&format!("{} {side} +a{} seal:{:064x}{commit}\n", nth + 1, [1, 8][nth % 2], nth + 1));
    }
    record.push_str(&format!("{} {} resign\n", entries + 1, sides[entries % 2]));
    for (side, secret) in sides.iter().zip(secrets) {
        record.push_str(&format!("# secret {side} {}\n", *secret.reveal()));
    }
    record
}

/// Audits a record of that kind.
pub fn audit(record: &str) {
    let mut opened = Opened::new(record.as_bytes()).expect("the record opens");
    let verdict = opened.replay(u32::MAX);
    assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors.first());
    let report = postrider_referee::desk::audit::report(&opened).expect("a sealed record");
    assert!(report.text.contains("token.1"), "the seals are gone through");
}

/// A record with this many different remarks behind its last entry, and the same with the first of them that many times more.
pub fn remarks(count: usize) -> (String, String) {
    let here = Record::without_entries(&short()).text + "1 defenders place c6 e6\n";
    let here = (0..count).fold(here, |here, nth| format!("{here}#{nth}\n"));
    let there = here.clone() + &"#0\n".repeat(count);
    (here, there)
}

/// A record with this many blank lines behind its last entry, and the same with twice as many.
pub fn blank(count: usize) -> (String, String) {
    let here = Record::without_entries(&short()).text + "1 defenders place c6 e6\n" + &"\n".repeat(count);
    let there = here.clone() + &"\n".repeat(count);
    (here, there)
}

/// Writes a record as a page.
pub fn page(record: &str) {
    let mut opened = Opened::new(record.as_bytes()).expect("the record opens");
    let verdict = opened.replay(u32::MAX);
    let contents = Contents { referee: false, record: true, from: Side::First };
    let page = postrider_page::page(record.as_bytes(), &opened, &verdict, &contents);
    assert!(page.len() > record.len());
}

/// Writes the position after each entry, as `replay` does.
pub fn replay(record: &str) {
    let mut opened = Opened::new(record.as_bytes()).expect("the record opens");
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        opened.table.pass(opened.text, &entry).expect("a legal entry");
        black_box(opened.table.position());
    }
}

/// Splits a record into rows with positions, as `export --positions` does.
pub fn export(record: &str) {
    let mut rows = 0;
    let wanted = Wanted { entries: true, positions: true, ..Wanted::default() };
    let game = rows_as_they_come(None, record.as_bytes(), wanted, |_, row| {
        rows += 1;
        row.position.is_some()
    });
    assert_eq!(rows, game.game.entries);
}

/// Takes a letter that brings nothing new.
pub fn receive(here: &str, there: &str) {
    let now = Time::read(b"2026-11-22T09:00:00Z").expect("a time");
    let letter = Provenance { looks_on: true, ..Provenance::at(now) };
    let decision = decide(here.as_bytes(), there.as_bytes(), &letter);
    assert!(matches!(decision, Ok(Decision::Nothing { .. })), "{decision:?}");
}

/// Merges two copies of a record.
pub fn merge(ours: &str, theirs: &str) {
    let merged = postrider_referee::desk::merge::merge(None, ours.as_bytes(), theirs.as_bytes());
    assert!(!matches!(merged, Merged::Conflict(_)), "{merged:?}");
}

/// Judges a record of a shape, which is legal or too much work.
pub fn legal(record: &str) {
    let verdict = postrider_referee::verdict::verify(record.as_bytes());
    assert!(matches!(verdict.ruling, Ruling::Legal | Ruling::Unjudged), "{:?}", verdict.errors.first());
}

/// Rewrites a record in canonical form.
pub fn formatted(record: &str) -> usize {
    postrider_referee::verdict::format(record.as_bytes()).map_or(0, |bytes| bytes.len())
}

/// The seed of a game that lasts long, which most random games do not, and how many entries it has.
const LONG_GAME: (u64, u32) = (5879, 139);
/// The time of the first entry, 2026-11-21T10:15:00Z.
const FIRST_TIME: i64 = 1_795_256_100;

/// A long game without times.
pub fn long() -> Record {
    long_game(false)
}

/// The same game with a time on every entry and a clock.
pub fn timed() -> Record {
    long_game(true)
}

fn long_game(timed: bool) -> Record {
    let (seed, entries) = LONG_GAME;
    let record = play(seed, 300, timed);
    assert_eq!(record.entries, entries, "the game is always the same");
    record
}

/// The same game with both keys in its header and every entry signed.
pub fn signed() -> Record {
    sign(&long())
}

/// A record with both keys in its header and every entry signed.
pub fn sign(record: &Record) -> Record {
    let Record { mut text, entries } = record.clone();
    let keys = [1, 2].map(|byte| SecretKey::take(&mut [byte; 32]));
    let info = Opened::new(text.as_bytes()).expect("the record opens").header.info;
    for (side, key) in info.sides.iter().zip(&keys) {
        let player = text.find(&format!("\n  {}: {{", side.word)).expect("a player");
        let end = player + text[player..].find('}').expect("all about the player");
        text.insert_str(end, &format!(", key: {}", key.public().text()));
    }
    let mut opened = Opened::new(text.as_bytes()).expect("the record opens");
    opened.table.set_check(Check::Nothing);
    let mut signed = text[..opened.frame.body.start as usize].to_owned();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        opened.table.enter(opened.text, &entry).expect("a legal entry");
        let signatures = opened.table.signatures().expect("a chain");
        let number = u32::try_from(entry.number).expect("a small number");
        let text = signed_text(signatures.game(), number, &signatures.link().digest());
        let signature = keys[entry.side.index()].sign(text.as_bytes());
        signed.push_str(&format!("{}\n  ~ {}\n", entry.span.text(opened.text), write_signature(&signature)));
    }
    Record { text: signed, entries }
}

/// Open games of each kind, every entry signed.
pub fn signed_games() -> Vec<Record> {
    let open = kinds().into_iter().filter(|(kind, _)| registry::find(kind).is_some());
    open.flat_map(|(_, records)| records).map(|record| sign(&record)).collect()
}

/// A signature, and what it signs.
pub fn signature() -> (PublicKey, Vec<u8>, Signature) {
    let key = SecretKey::take(&mut [1; 32]);
    let text = b"pbem1|asalto-20261121-005879|1|".to_vec();
    (key.public(), text.clone(), key.sign(&text))
}

/// Checks a signature.
pub fn check((key, text, signature): &(PublicKey, Vec<u8>, Signature)) {
    key.verify(text, signature).expect("it holds");
}

/// Judges a record by the newest signature of each side.
pub fn verify_newest(record: &Record) -> u32 {
    let verdict = postrider_referee::verdict::verify_newest(record.text.as_bytes());
    assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, record.entries));
    verdict.entries
}

/// A game that has just begun.
pub fn short() -> Record {
    play(LONG_GAME.0, 10, false)
}

/// The same record with a remark in its header, which only the YAML library can read.
pub fn read_by_library(record: &Record) -> Record {
    Record { text: record.text.replacen("---\n", "---\n# a remark\n", 1), entries: record.entries }
}

/// Judges a record and checks that all of it was replayed.
pub fn verify(record: &Record) -> u32 {
    let verdict = postrider_referee::verdict::verify(record.text.as_bytes());
    assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, record.entries));
    verdict.entries
}

/// Reads a record's header.
pub fn header(record: &Record) -> usize {
    let source = record.text.as_bytes();
    let frame = Frame::of(source).expect("the record has a header");
    let mut faults = Faults::default();
    let find = |name: &str| Some(registry::find(name)?.info());
    match Header::read(source, frame.header, find, &mut faults) {
        HeaderReading::Read(header) => header.id.len(),
        _ => panic!("the header fits"),
    }
}

/// Positions from which sequences of entries are counted: the game, the position, the depth, and the count.
pub const PERFTS: &[(&str, Option<&str>, u32, u64)] = &[
    ("asalto", None, 5, 60_102),
    ("assideum", None, 3, 98_618),
    (
        "assassyn",
        Some("white Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2; black Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5; to play white"),
        3,
        40_094,
    ),
    ("subsume", Some("W b3 I; W c3/2 IADIADIADIAD; B h8 I; to play white"), 3, 17_364),
    ("mission-combat", None, 4, 9_849),
];

/// Counts the sequences of entries from one of those positions, and checks that the count is right.
pub fn perft(of: &(&str, Option<&str>, u32, u64)) -> u64 {
    let (name, position, depth, nodes) = of;
    let game = registry::find(name).expect("the game is registered");
    let table = game.table(&Options::default(), *position).expect("it is a position");
    let counted = table.perft(*depth);
    assert_eq!(counted, *nodes, "{name}");
    counted
}

/// Positions that the machine thinks about: the game, the position, how many playouts it is given, and how many it makes in all its choices.
pub const PLAYOUTS: &[(&str, Option<&str>, u32, u32)] = &[
    ("asalto", Some(".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b"), 2000, 2000),
    ("assideum", None, 2000, 2000),
    (
        "assassyn",
        Some("white Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2; black Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5; to play white"),
        2000,
        2000,
    ),
    ("subsume", Some("W b3 I; W c3/2 IADIADIADIAD; B h8 I; to play white"), 200, 200),
    (
        "mission-combat",
        Some(
            "YA portal-trooper.2 psionic-priest.1; BW stealth-sniper.1; AR portal-trooper.1; ap 4; to play marines; hand marines -; hand \
             portalists -; discard marines -; discard portalists -",
        ),
        200,
        800,
    ),
];

/// Thinks about one of those positions, and checks that as many playouts were made as should be.
pub fn playouts(of: &(&str, Option<&str>, u32, u32)) -> u32 {
    let (name, position, given, made) = of;
    let game = registry::find(name).expect("the game is registered");
    let table = game.table(&Options::default(), *position).expect("it is a position");
    let budget = Budget { playouts: *given, slips: 0, level: 5 };
    let thought = postrider_machine::opponent::think(table.as_ref(), &budget, 1, &mut || false)
        .expect("something can be entered");
    assert_eq!(thought.playouts, *made, "{name}");
    thought.playouts
}

/// Plays a random game of Asalto with at most this many entries. Captures and huffs are avoided, and besiegers step
/// straight ahead, so that the game lasts.
pub fn play(seed: u64, most: u32, timed: bool) -> Record {
    let game = registry::find("asalto").expect("the game is registered");
    let mut options = Options::default();
    options.choose(game.info().options, "huff", "strict").expect("the option is there");
    let mut table = game.table(&options, None).expect("the start is a position");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let clock = if timed { "clock: 30d+1d leave 30d\n" } else { "" };
    let mut text = format!(
        "---\npbem: 1\ngame: asalto\nid: asalto-20261121-{seed:06}\nplayers:\n  \
         besiegers: {{name: Ada Quill, email: ada@example.org}}\n  \
         defenders: {{name: Bram Post, email: bram@example.net}}\n\
         started: 2026-11-21\n{clock}options: {{huff: strict}}\n---\n"
    );
    let mut time = FIRST_TIME;
    for number in 1..=most {
        let moves = table.moves();
        let quiet: Vec<_> = moves.iter().filter(|entry| !entry.contains(['x', 'h'])).collect();
        let straight: Vec<_> = quiet.iter().copied().filter(|entry| is_straight(entry)).collect();
        let list = if number % 2 == 0 && !straight.is_empty() { straight } else { quiet };
        let list = if list.is_empty() { moves.iter().collect() } else { list };
        let Some(chosen) = random.choose(&list) else { return Record { text, entries: number - 1 } };
        let side = match table.standing().due.side {
            Side::First => "besiegers",
            Side::Second => "defenders",
        };
        time += 40_000 + i64::from(random.below(20_000));
        let when = if timed { format!(" @{}", Time(time)) } else { String::new() };
        let line = format!("{number} {side} {chosen}{when}\n");
        let span = Span::new(0, line.len());
        let mut body = Body::new(line.as_bytes(), span, Some(game.info()), Faults::default());
        table.run(&line, &mut body, u32::MAX).expect("a listed entry is legal");
        text.push_str(&line);
    }
    Record { text, entries: most }
}

/// Returns whether an entry is a step along a file.
fn is_straight(entry: &str) -> bool {
    matches!(entry.as_bytes(), [from, _, b'-', to, _] if from == to)
}

/// Pseudo-random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(limit)) as u32
    }

    fn choose<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> Option<&'a T> {
        let count = u32::try_from(list.len()).ok().filter(|&count| count > 0)?;
        list.get(self.below(count) as usize).copied()
    }
}
