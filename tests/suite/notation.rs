//! Checks the rulebooks against the program: every heading against the rule tables, every example against the referee.

use std::fs;
use std::path::{Path, PathBuf};

use postrider_board::render;
use postrider_kernel::{Options, Viewer};
use postrider_referee::judging::Table;
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Ruling, verify};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("notation")
}

/// A fenced block of a rulebook.
struct Block {
    language: String,
    text: String,
    /// Where it is, for messages.
    place: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for entry in fs::read_dir(folder()).expect("the folder of rulebooks") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a rulebook");
        let mut open: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(language), None) => {
                    let place = format!("{}:{}", path.file_name().expect("a name").display(), number + 1);
                    open = Some(Block { language: language.to_owned(), text: String::new(), place });
                }
                (None, Some(block)) => block.text.push_str(&format!("{line}\n")),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", path.display());
    }
    blocks
}

fn of(language: &str) -> Vec<Block> {
    blocks().into_iter().filter(|block| block.language == language).collect()
}

/// The game of a block: that of its rulebook, or Asalto for the rulebook about records.
fn game_of(block: &Block) -> &'static dyn AnyGame {
    let book = block.place.split('.').next().unwrap_or_default();
    registry::find(book).or_else(|| registry::find("asalto")).expect("a game")
}

/// Sets up `[option=value …] POSITION`.
fn set_up(block: &Block, line: &str) -> Box<dyn Table> {
    let game = game_of(block);
    let (list, position) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((list, position)) => (list, position),
        None => ("", line),
    };
    let mut options = Options::default();
    for option in list.split_whitespace() {
        let (name, value) = option.split_once('=').expect("name=value");
        options.choose(game.info().options, name, value).unwrap_or_else(|fault| panic!("{}: {fault:?}", block.place));
    }
    match game.table(&options, Some(position)) {
        Ok(table) => table,
        Err(fault) => panic!("{}: {position}: {fault:?}", block.place),
    }
}

#[test]
fn every_rule_has_its_heading_and_every_heading_its_rule() {
    for book in rulebook::all() {
        let mut fenced = false;
        let mut headings = Vec::new();
        for line in book.text.lines() {
            fenced ^= line.starts_with("```");
            let title = line.strip_prefix("### ").filter(|_| !fenced);
            let numbered = |title: &&str| {
                title.starts_with(|c: char| c.is_ascii_uppercase())
                    && title[1..].starts_with(|c: char| c.is_ascii_digit())
            };
            headings.extend(title.filter(numbered));
        }
        let rules: Vec<_> = book.rules.iter().map(|rule| format!("{} {}", rule.code, rule.title)).collect();
        assert_eq!(headings, rules, "{}", book.name);
        for rule in book.rules {
            let section = book.section(rule.code).unwrap_or_else(|| panic!("{}", rule.code));
            assert!(section.trim().lines().count() > 1, "{}: the section is empty", rule.code);
        }
        assert_eq!(book.section("X99"), None);
    }
}

#[test]
fn every_rulebook_is_a_file_and_every_file_a_rulebook() {
    let mut files = Vec::new();
    for path in fs::read_dir(folder()).expect("the folder of rulebooks").map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_some_and(|end| end == "md") {
            files.push((path.display().to_string(), fs::read_to_string(path).expect("a rulebook")));
        }
    }
    for (name, text) in &files {
        assert!(rulebook::all().any(|book| book.text == text), "{name} is not among `rulebook::all()`");
    }
    for book in rulebook::all() {
        assert_eq!(files.iter().filter(|(_, text)| text == book.text).count(), 1, "the files of {}", book.name);
    }
}

#[test]
fn every_record_of_the_rulebooks_is_legal() {
    let records = of("pbem");
    assert!(records.len() >= 5);
    for block in records {
        let verdict = verify(block.text.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Legal, "{}: {:?}", block.place, verdict.errors);
    }
}

#[test]
fn every_refused_record_of_the_rulebooks_is_refused_as_it_says() {
    let records = of("pbem-refused");
    assert!(records.len() >= 5);
    for block in records {
        let (first, record) = block.text.split_once('\n').expect("two lines");
        let expected = first.strip_prefix("# expect: ").unwrap_or_else(|| panic!("{}: what is expected?", block.place));
        let verdict = verify(record.as_bytes());
        let error = verdict.errors.first().unwrap_or_else(|| panic!("{}: it is legal", block.place));
        let found = match (verdict.ruling, error.entry, error.rule) {
            (Ruling::Illegal, Some(entry), Some(rule)) => format!("entry {entry} {rule}"),
            (Ruling::Illegal, None, Some(rule)) => rule.to_owned(),
            _ => verdict.ruling.word().to_owned(),
        };
        assert_eq!(found, expected, "{}: {}", block.place, error.message);
    }
}

#[test]
fn every_position_of_the_rulebooks_reads_and_is_canonical() {
    let positions = of("position");
    assert!(!positions.is_empty());
    for block in positions {
        for line in block.text.lines() {
            let line = line.split("  #").next().unwrap_or_default();
            let table = set_up(&block, line);
            assert!(line.ends_with(&table.position()), "{}: {line}", block.place);
        }
    }
}

#[test]
fn every_turn_of_the_rulebooks_leads_where_it_says() {
    let tables = of("turns");
    assert!(tables.len() >= 10);
    for block in tables {
        let mut lines = block.text.lines();
        let start = lines.next().expect("a position");
        for line in lines {
            let (entry, expected) = line.split_once("  ->  ").unwrap_or_else(|| panic!("{}: {line}", block.place));
            let table = set_up(&block, start);
            assert_eq!(
                outcome_of(&block, start, entry, table.as_ref(), expected),
                expected,
                "{}: {entry}",
                block.place
            );
        }
    }
}

/// The diagram of a position line, with its options before it and a comment behind it; `mark` is what `show --mark` would be given.
fn diagram(block: &Block, line: &str, mark: Option<&str>) -> String {
    let table = set_up(block, line.split("  #").next().unwrap_or_default());
    let scene = match mark {
        None => table.view(Viewer::Omniscient),
        Some(mark) => table.marked(Viewer::Omniscient, mark).unwrap_or_else(|| panic!("{}: {mark}?", block.place)),
    };
    render::diagram(&scene)
}

/// The diagrams below an example: one for each position, below what is said of it, if there are several.
fn diagrams(block: &Block, language: &str) -> String {
    let mark = language.strip_prefix("board mark=");
    if block.language == "turns" {
        return diagram(block, block.text.lines().next().unwrap_or_default(), mark);
    }
    let lines: Vec<_> = block.text.lines().collect();
    let said = |line: &str| line.split_once("  # ").filter(|_| lines.len() > 1).map(|(_, said)| format!("{said}:\n\n"));
    let each = |line: &&str| said(line).unwrap_or_default() + &diagram(block, line, mark);
    lines.iter().map(each).collect::<Vec<_>>().join("\n")
}

/// A rulebook with a diagram below each example that has a position.
fn with_diagrams(name: &str, text: &str) -> String {
    let mut lines = text.lines().enumerate().peekable();
    let mut written = String::new();
    let fenced = |lines: &mut dyn Iterator<Item = (usize, &str)>| {
        lines
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    while let Some((number, line)) = lines.next() {
        written.push_str(&format!("{line}\n"));
        let Some(language) = line.strip_prefix("```") else { continue };
        let block = Block {
            language: language.to_owned(),
            text: fenced(&mut lines),
            place: format!("{name}.md:{}", number + 1),
        };
        written.push_str(&format!("{}```\n", block.text));
        if !["turns", "position"].contains(&language) {
            continue;
        }
        // What is there is replaced.
        let mut ahead = lines.clone();
        let blank = ahead.next_if(|(_, line)| line.is_empty()).is_some();
        let fence = ahead.next_if(|(_, line)| blank && line.starts_with("```board"));
        let language = fence.map_or("board", |(_, line)| line.trim_start_matches('`'));
        if fence.is_some() {
            fenced(&mut ahead);
            lines = ahead;
        }
        written.push_str(&format!("\n```{language}\n{}```\n", diagrams(&block, language)));
    }
    written
}

/// With `POSTRIDER_BOARDS=write` they are written into the rulebooks.
#[test]
fn every_example_of_a_position_has_its_board_below_it() {
    let mut boards = 0;
    for game in registry::GAMES {
        let name = game.info().name;
        let path = folder().join(format!("{name}.md"));
        let text = fs::read_to_string(&path).expect("a rulebook");
        let drawn = with_diagrams(name, &text);
        boards += drawn.matches("\n```board").count();
        if drawn == text {
            continue;
        }
        if std::env::var_os("POSTRIDER_BOARDS").is_some_and(|value| value == "write") {
            fs::write(&path, drawn).expect("the rulebook can be written");
            continue;
        }
        let differs = text.lines().zip(drawn.lines()).position(|(there, drawn)| there != drawn);
        let place = differs.map_or_else(|| "its end".to_owned(), |line| format!("line {}", line + 1));
        panic!(
            "{name}.md: the boards are not those of the positions, from {place} on; POSTRIDER_BOARDS=write draws them"
        );
    }
    assert!(boards > 150, "{boards}");
}

/// The result of an entry in the form of `expected`: a position, `= ` and a result, or the rule it breaks.
fn outcome_of(block: &Block, start: &str, entry: &str, table: &dyn Table, expected: &str) -> String {
    let info = game_of(block).info();
    let word = info.sides[table.standing().due.side.index()].word;
    let (list, position) = match start.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((list, position)) => (list.replace('=', ": ").replace(' ', ", ").replace(":, ", ": "), position),
        None => (String::new(), start),
    };
    let [first, second] = info.sides.map(|side| side.word);
    let options = if list.is_empty() { String::new() } else { format!("options: {{{list}}}\n") };
    let record = format!(
        "---\npbem: 1\ngame: {}\nid: {}-rulebook\nplayers:\n  {first}: {{name: A}}\n  {second}: {{name: B}}\nstarted: 2026-11-21\n\
         {options}setup: \"{position}\"\n---\n1 {word} {entry}\n",
        info.name, info.name,
    );
    let verdict = verify(record.as_bytes());
    if let Some(error) = verdict.errors.first() {
        return error.rule.map_or_else(|| format!("{}: {}", verdict.ruling.word(), error.message), str::to_owned);
    }
    if let Some(outcome) = verdict.outcome.filter(|_| expected.starts_with("= ")) {
        return format!("= {}", outcome.text(&info.sides));
    }
    let mut opened = postrider_referee::verdict::Opened::new(record.as_bytes()).expect("a legal record");
    opened.replay(u32::MAX);
    opened.table.position()
}
