//! Everything in `fuzz/corpus` is tried again, without a fuzzer.

mod fuzz_targets;

use std::fs;
use std::path::{Path, PathBuf};

use fuzz_targets::TARGETS;

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
