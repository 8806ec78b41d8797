//! Tables of positions and entries, in a file and in the rulebook.

use super::*;

/// The game at a position line, which may be preceded by options in brackets and followed by a remark.
fn game_at(line: &str) -> Assideum {
    let line = line.split("  # ").next().unwrap_or_default();
    let (list, position) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((list, position)) => (list, position),
        None => ("", line),
    };
    let list: Vec<_> = list.split_whitespace().map(|pair| pair.split_once('=').expect("an option")).collect();
    at_with(position, &list)
}

/// Checks a table: a position line, followed by lines `ENTRY  ->  ` with a position, a rule, or `= ` and a result.
/// Returns how many entries were checked.
fn check_table(table: &str) -> usize {
    let mut game: Option<Assideum> = None;
    let mut checked = 0;
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((entry, expected)) = line.split_once("  ->  ") else {
            game = Some(game_at(line));
            continue;
        };
        let before = game.as_ref().expect("a position before its entries");
        let mut after = before.clone();
        let actions: Vec<_> = entry.split("; ").map(read).collect();
        let found = match after.play(&actions) {
            Err(illegal) => illegal.rule.code.to_owned(),
            Ok(_) => match after.outcome() {
                Some(outcome) => format!("= {}", outcome.text(&INFO.sides)),
                None => after.position(),
            },
        };
        assert_eq!(found, expected, "{entry} in {}", before.position());
        checked += 1;
    }
    checked
}

/// The contents of the rulebook's code fences of a kind.
pub(super) fn fences(kind: &str) -> Vec<String> {
    let mut fences: Vec<String> = Vec::new();
    let mut open = false;
    for line in INFO.rulebook.lines() {
        match line.strip_prefix("```") {
            Some(name) if !open && name == kind => {
                fences.push(String::new());
                open = true;
            }
            Some(_) => open = false,
            None => {
                if let Some(fence) = fences.last_mut().filter(|_| open) {
                    fence.push_str(line);
                    fence.push('\n');
                }
            }
        }
    }
    fences
}

#[test]
fn the_table_of_positions_is_correct() {
    assert_eq!(check_table(include_str!("../../../../../tests/data/assideum/positions.txt")), 42);
}

#[test]
fn the_rulebooks_tables_are_correct() {
    let tables = fences("turns");
    assert!(tables.len() > 10, "{} tables", tables.len());
    for table in tables {
        assert!(check_table(&table) > 0, "{table}");
    }
}

#[test]
fn the_rulebooks_positions_read_and_are_canonical() {
    let lines: Vec<_> =
        fences("position").iter().flat_map(|fence| fence.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert!(lines.len() > 3, "{} positions", lines.len());
    for line in lines {
        let game = game_at(&line);
        let over = line.split_once("# over: ").map(|(_, result)| result.to_owned());
        assert_eq!(game.outcome().map(|outcome| outcome.text(&INFO.sides)), over, "{line}");
    }
}

#[test]
fn every_rule_has_a_heading_with_its_title() {
    let headings: Vec<_> = INFO.rulebook.lines().filter_map(|line| line.strip_prefix("### A")).collect();
    let table: Vec<_> = INFO.rules.iter().map(|rule| format!("{} {}", &rule.code[1..], rule.title)).collect();
    assert_eq!(headings, table);
}
