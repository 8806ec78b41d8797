//! Runs everything in `fuzz/corpus` again, without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fuzz_targets::{GAME_TARGETS, TARGETS, each_target};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

#[test]
fn the_corpora_hold_every_property() {
    let mut tried = Vec::new();
    each_target(&mut |name, target| {
        let folder = corpus().join(name);
        // A game's fuzzers may start with an empty corpus.
        if !folder.is_dir() && !TARGETS.iter().any(|(fixed, _)| *fixed == name) {
            return;
        }
        let files = files(&folder);
        assert!(!files.is_empty(), "{name} has a corpus");
        for path in files {
            let data = fs::read(&path).expect("a readable file");
            // The name of the file is visible if the target panics.
            println!("{}", path.display());
            target(&data);
        }
        tried.push(name.to_owned());
    });
    let corpora = fs::read_dir(corpus()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    for corpus in corpora {
        let has = |name: &str| tried.iter().any(|target| target == name);
        assert!(corpus.to_str().is_some_and(has), "{} is not the corpus of any target", corpus.display());
    }
}

#[test]
fn every_target_has_its_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let of_games = GAME_TARGETS.iter().map(|(part, _)| format!("game_{part}"));
    for name in TARGETS.iter().map(|(name, _)| (*name).to_owned()).chain(of_games) {
        assert!(folder.join("fuzz_targets").join(&name).with_extension("rs").is_file(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
