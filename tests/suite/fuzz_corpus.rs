//! Everything in `fuzz/corpus` is tried again, without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fuzz_targets::TARGETS;
use postrider::registry::GAMES;

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
    for (name, target) in TARGETS {
        let files = files(&corpus().join(name));
        assert!(!files.is_empty(), "{name} has a corpus");
        for path in files {
            let data = fs::read(&path).expect("a readable file");
            // The file's name is shown if the target panics.
            println!("{}", path.display());
            target(&data);
        }
    }
}

#[test]
fn every_game_and_every_target_has_its_fuzzer() {
    let has = |name: &str| TARGETS.iter().any(|(target, _)| *target == name);
    for game in GAMES {
        for part in ["notation", "position", "record"] {
            assert!(has(&format!("{}_{part}", game.info().name)), "{}: {part}", game.info().name);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    for (name, _) in TARGETS {
        assert!(folder.join("fuzz_targets").join(name).with_extension("rs").is_file(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
    let corpora = fs::read_dir(corpus()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    for corpus in corpora {
        assert!(corpus.to_str().is_some_and(has), "{} is the corpus of no target", corpus.display());
    }
}
