//! Records that are legal and as expensive to judge as a stranger can make them, of any size: their cost must not grow
//! faster than their size. The tests count steps, the benchmarks instructions.

use std::fmt::Write as _;

/// A kind of record.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// A size at which what grows outweighs what does not; roughly the number of entries or tokens.
    pub size: usize,
    /// Writes a record of a given size.
    pub write: fn(usize) -> String,
    /// Whether its cost is at most proportional to its size, however large. Two stacks that fight in every entry cost a
    /// 64th of their size each time, and a header has room for stacks of 60,000; beyond that the record grows, and the
    /// cost of an entry does not.
    pub linear: bool,
}

/// All of them.
pub const SHAPES: &[Shape] = &[
    Shape { name: "subsume: tall stacks that fight", size: 250, write: tall_stacks, linear: false },
    Shape { name: "subsume: a tall stack reordered", size: 500, write: reordered, linear: true },
    Shape { name: "subsume: two stacks that only grow", size: 500, write: growing, linear: true },
    Shape { name: "subsume: sealed, each entry with an offer", size: 250, write: sealed_offers, linear: true },
    Shape { name: "subsume: one token fights a tall stack", size: 500, write: one_against_many, linear: true },
    Shape { name: "subsume: sealed, only claims", size: 250, write: sealed_claims, linear: true },
    Shape { name: "assassyn: nobody dies, each entry with an offer", size: 500, write: nobody_dies, linear: true },
    Shape { name: "assassyn: an escape by a challenge, again and again", size: 500, write: chases, linear: true },
    Shape { name: "asalto: to and fro on rank 5", size: 500, write: sideways, linear: true },
    Shape { name: "assideum: nothing taken, each entry with an offer", size: 250, write: quiet_offers, linear: true },
    Shape { name: "assideum: nothing taken", size: 500, write: quiet, linear: true },
    Shape { name: "asalto: remarks and blank lines", size: 1000, write: remarks, linear: true },
    Shape { name: "a header of many tags", size: 250, write: tags, linear: true },
];

fn header(game: &str, sides: [&str; 2], more: &str) -> String {
    let [first, second] = sides;
    format!(
        "---\npbem: 1\ngame: {game}\nid: {game}-of-a-size\nplayers:\n  {first}: {{name: Ada Quill}}\n  {second}: {{name: Bram \
         Post}}\nstarted: 2026-11-21\n{more}---\n"
    )
}

const COLOURS: [&str; 2] = ["white", "black"];

/// `count` entries, each made from its number, starting at 0.
fn entries(mut record: String, sides: [&str; 2], count: usize, entry: impl Fn(usize) -> String) -> String {
    for nth in 0..count {
        // Writing to a `String` never fails.
        let _ = writeln!(record, "{} {} {}", nth + 1, sides[nth % 2], entry(nth));
    }
    record
}

fn subsume(setup: &str) -> String {
    header("subsume", COLOURS, &format!("options: {{turn-limit: none}}\n{setup}"))
}

fn tall_stacks(size: usize) -> String {
    let tokens = "I".repeat(size);
    let setup = format!("setup: \"W a1 {tokens}; B a2 {tokens}; B h8 I; to play white\"\n");
    entries(subsume(&setup), COLOURS, size, |nth| ["+a1I; a1xa2", "+h8A"][nth % 2].into())
}

fn reordered(size: usize) -> String {
    let setup = format!("setup: \"W a1/2 {}; B h8 I; to play white\"\n", "I".repeat(size));
    entries(subsume(&setup), COLOURS, size, |nth| ["+a1I; a1^1; a1^1; a1^1; a1^1", "+h8A"][nth % 2].into())
}

fn growing(size: usize) -> String {
    entries(subsume(""), COLOURS, size, |nth| ["+a1A", "+a8A"][nth % 2].into())
}

fn sealed_offers(size: usize) -> String {
    let entry = |nth: usize| {
        let offer = if nth < 2 { "" } else { "; draw?" };
        format!("+a{} seal:{:064x}{offer}", [1, 8][nth % 2], nth + 1)
    };
    entries(subsume("secrecy: sealed\n"), COLOURS, size, entry)
}

fn one_against_many(size: usize) -> String {
    let setup = format!("setup: \"W a1 I; B a2 {}; B h8 I; to play white\"\n", "I".repeat(size));
    entries(subsume(&setup), COLOURS, size, |nth| ["+h1I; a1xa2", "+h8A"][nth % 2].into())
}

fn sealed_claims(size: usize) -> String {
    entries(subsume("secrecy: sealed\n"), COLOURS, size, |nth| format!("+a{} seal:{:064x}", [1, 8][nth % 2], nth + 1))
}

fn assassyn(setup: &str, size: usize, entry: impl Fn(usize) -> String) -> String {
    let setup = format!("options: {{quiet-turns: none}}\nsetup: \"{setup}\"\n");
    entries(header("assassyn", COLOURS, &setup), COLOURS, size, entry)
}

fn nobody_dies(size: usize) -> String {
    let turns = ["Pa1-a2", "Pf6-f5", "Pa2-a1", "Pf5-f6"];
    assassyn("white Pa1; black Pf6; to play white", size, |nth| {
        format!("{}{}", turns[nth % 4], if nth < 2 { "" } else { "; draw?" })
    })
}

fn chases(size: usize) -> String {
    // Both Warriors chase and are chased; a challenge is answered by moving on.
    let turns = ["Wa3xd3", "Wd3-d4", "Wd3-a3", "Wd4-d3"];
    assassyn("white Pa1 Wa3; black Pf6 Wd3; to play white", size, |nth| turns[nth % 4].into())
}

fn sideways(size: usize) -> String {
    let setup = "options: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\n";
    let turns = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"];
    let sides = ["besiegers", "defenders"];
    entries(header("asalto", sides, setup), sides, size, |nth| turns[nth % 4].into())
}

fn assideum(size: usize, offer: &str) -> String {
    let turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"];
    let entry = |nth: usize| format!("{}{}", turns[nth % 4], if nth < 2 { "" } else { offer });
    entries(header("assideum", COLOURS, ""), COLOURS, size, entry)
}

fn quiet_offers(size: usize) -> String {
    assideum(size, "; draw?")
}

fn quiet(size: usize) -> String {
    assideum(size, "")
}

fn remarks(size: usize) -> String {
    let mut record = header("asalto", ["besiegers", "defenders"], "");
    for nth in 0..size {
        record.push_str(["\n", "# {\n", "#   ~ @\n"][nth % 3]);
    }
    record.push_str("1 defenders place c6 e6\n");
    record
}

fn tags(size: usize) -> String {
    let tags: Vec<_> = (0..size).map(|nth| format!("t{nth}: x")).collect();
    header("asalto", ["besiegers", "defenders"], &format!("tags: {{{}}}\n", tags.join(", ")))
}
