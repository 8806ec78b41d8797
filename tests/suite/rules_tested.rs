//! Every rule has a test with its number, every game its data and examples, every rulebook its letter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use postrider_referee::registry::GAMES;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Ruling, verify};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: PathBuf, extension: &str) -> Vec<PathBuf> {
    let mut folders = vec![folder];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files
}

/// The words in the names of all tests.
fn words_of_tests() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in ["src", "crates", "tests"].into_iter().flat_map(|folder| files_below(root().join(folder), "rs")) {
        let text = fs::read_to_string(&path).expect("a source");
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            match line.strip_prefix("fn ") {
                Some(name) if is_test => {
                    let name = name.split('(').next().unwrap_or_default();
                    words.extend(name.split('_').map(str::to_owned));
                    is_test = false;
                }
                // Only other attributes come between the test attribute and the name.
                _ => is_test = line == "#[test]" || is_test && line.starts_with("#["),
            }
        }
    }
    words
}

#[test]
fn every_rule_is_in_the_name_of_a_test() {
    let words = words_of_tests();
    assert!(words.len() > 500, "the tests are found");
    let mut missing = Vec::new();
    for book in rulebook::all() {
        missing.extend(book.rules.iter().map(|rule| rule.code).filter(|code| !words.contains(&code.to_lowercase())));
    }
    assert_eq!(missing, Vec::<&str>::new(), "rules without a test of their own");
}

#[test]
fn no_two_rulebooks_share_a_letter() {
    let mut owners: BTreeMap<char, &str> = BTreeMap::new();
    for book in rulebook::all().filter(|book| !book.rules.is_empty()) {
        let letters: BTreeSet<char> = book.rules.iter().filter_map(|rule| rule.code.chars().next()).collect();
        for letter in letters {
            let other = owners.insert(letter, book.name);
            assert_eq!(other, None, "{}: the letter {letter} is taken", book.name);
        }
        let codes: BTreeSet<_> = book.rules.iter().map(|rule| rule.code).collect();
        assert_eq!(codes.len(), book.rules.len(), "{}: a number appears twice", book.name);
    }
}

#[test]
fn every_game_has_data_and_examples() {
    for game in GAMES {
        let name = game.info().name;
        let data = root().join("tests/data").join(name);
        for part in ["legal", "illegal"] {
            assert!(!files_below(data.join(part), "pbem").is_empty(), "{name}: no {part} records in tests/data");
        }
        assert!(data.join("perft.json").is_file(), "{name}: no counts in tests/data");
        let rulings: Vec<_> = files_below(root().join("examples").join(name), "pbem")
            .into_iter()
            .map(|path| verify(&fs::read(path).expect("a record")).ruling)
            .collect();
        for ruling in [Ruling::Legal, Ruling::Illegal] {
            assert!(rulings.contains(&ruling), "{name}: no example that is {}", ruling.word());
        }
    }
}
