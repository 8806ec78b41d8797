//! The rulebooks of Assassyn's Dagger and of sealing, block by block: every heading, every record, every turn, every position.

use std::fs;
use std::path::Path;

use postrider::games::kernel::Options;
use postrider::registry;
use postrider::rulebook;
use postrider::verdict::{Opened, Ruling, format, verify};

const BOOKS: [&str; 2] = ["assassyn", "sealing"];

struct Block {
    kind: String,
    line: usize,
    text: String,
}

fn blocks(name: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("notation/{name}.md"));
    let book = fs::read_to_string(path).expect("a rulebook");
    let mut list: Vec<Block> = Vec::new();
    let mut inside = false;
    for (number, line) in book.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(kind) => {
                inside = true;
                list.push(Block { kind: kind.to_owned(), line: number + 1, text: String::new() });
            }
            None if inside => {
                let text = &mut list.last_mut().expect("a block").text;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "{name}: a block is not closed");
    list
}

fn header(options: &str, position: &str) -> String {
    let mut text = String::from(
        "---\npbem: 1\ngame: assassyn\nid: assassyn-rulebook\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
         started: 2026-11-21\n",
    );
    if !options.is_empty() {
        text.push_str(&format!("options: {{{}}}\n", options.replace(' ', ", ").replace('=', ": ")));
    }
    if !position.ends_with("; deploying") {
        text.push_str(&format!("setup: \"{position}\"\n"));
    }
    text + "---\n"
}

/// The options in brackets before a position, and the position.
fn with_options(line: &str) -> (&str, &str) {
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((options, position)) => (options, position),
        None => ("", line),
    }
}

#[test]
fn every_rule_has_a_heading_of_its_own_and_every_heading_with_a_number_is_a_rule() {
    for name in BOOKS {
        let book = rulebook::find(name).expect("a rulebook");
        let headings: Vec<_> = book.text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let rules: Vec<_> = book.rules.iter().map(|rule| format!("{} {}", rule.code, rule.title)).collect();
        assert_eq!(headings, rules, "{name}");
        for rule in book.rules {
            assert!(book.section(rule.code).is_some_and(|text| text.lines().count() > 2), "{rule}");
        }
    }
}

#[test]
fn every_record_is_ruled_on_as_the_rulebook_says() {
    for name in BOOKS {
        for block in blocks(name) {
            let place = format!("notation/{name}.md:{}", block.line);
            match block.kind.as_str() {
                "pbem" => {
                    let verdict = verify(block.text.as_bytes());
                    assert_eq!(verdict.ruling, Ruling::Legal, "{place}: {:?}", verdict.errors);
                    assert_eq!(
                        format(block.text.as_bytes()).expect("legal"),
                        block.text.as_bytes(),
                        "{place}: canonical"
                    );
                }
                "pbem-refused" => {
                    let (expected, record) = block.text.split_once('\n').expect("two lines");
                    let verdict = verify(record.as_bytes());
                    let error = &verdict.errors[0];
                    let found =
                        format!("# expect: entry {} {}", error.entry.unwrap_or(0), error.rule.unwrap_or("none"));
                    assert_eq!(found, expected, "{place}: {}", error.message);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_turn_leads_where_the_rulebook_says() {
    let mut count = 0;
    for block in blocks("assassyn").iter().filter(|block| block.kind == "turns") {
        let mut lines = block.text.lines();
        let (options, position) = with_options(lines.next().expect("a position"));
        for line in lines {
            let place = format!("notation/assassyn.md:{}: {line}", block.line);
            let (entry, expected) = line.split_once("  ->  ").expect("an arrow");
            let side = if position.contains("; to play white") { "white" } else { "black" };
            let record = format!("{}1 {side} {entry}\n", header(options, position));
            let verdict = verify(record.as_bytes());
            let found = match verdict.errors.first() {
                Some(error) => error.rule.map_or_else(|| error.message.clone(), str::to_owned),
                None => match verdict.outcome {
                    Some(outcome) if expected.starts_with('=') => {
                        format!("= {}", outcome.text(&verdict.game.expect("a game").sides))
                    }
                    _ => {
                        let mut opened = Opened::new(record.as_bytes()).expect("a record");
                        opened.replay(u32::MAX);
                        opened.table.position()
                    }
                },
            };
            assert_eq!(found, expected, "{place}");
            count += 1;
        }
    }
    assert!(count > 55, "{count} turns");
}

#[test]
fn every_position_reads_back() {
    let game = registry::find("assassyn").expect("the game");
    for block in blocks("assassyn").iter().filter(|block| block.kind == "position") {
        for line in block.text.lines() {
            let (position, note) = line.split_once("  # ").expect("a note");
            let table = game.table(&Options::default(), Some(position)).expect(position);
            assert_eq!(table.position(), position);
            assert_eq!(table.standing().outcome.is_some(), note.starts_with("over"), "{line}");
        }
    }
}

#[test]
fn the_examples_are_what_their_index_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/assassyn");
    let ruling = |name: &str| verify(&fs::read(folder.join(name)).expect("a record"));
    for (name, entries) in [("sealed-game.pbem", 20), ("open-game.pbem", 27)] {
        let verdict = ruling(name);
        assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, entries), "{name}: {:?}", verdict.errors);
        let outcome = verdict.outcome.expect("an end");
        assert_eq!(outcome.text(&verdict.game.expect("a game").sides), "black wins: prince", "{name}");
    }
    let verdict = ruling("refused-another-nonce.pbem");
    assert_eq!((verdict.errors[0].entry, verdict.errors[0].rule), (Some(13), Some("Z3")));
}
