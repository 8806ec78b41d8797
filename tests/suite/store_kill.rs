//! A program killed while it replaces a record over and over.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use postrider_disk::disk::RecordLock;
use postrider_disk::files::{read_record, replace};

/// The record for round `number`: its length and content can be recognised from any part of it.
fn record(number: usize) -> Vec<u8> {
    let line = format!("round {number}\n");
    line.repeat(20_000 + number % 7 * 5_000).into_bytes()
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).unwrap();
    let number: usize = text.lines().next().unwrap().strip_prefix("round ").unwrap().parse().unwrap();
    bytes == record(number)
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_record() {
    const TEST: &str = "store_kill::a_kill_at_any_moment_leaves_a_whole_record";
    if let Some(path) = std::env::var_os("POSTRIDER_TEST_PATH").map(PathBuf::from) {
        let mut number = 0;
        loop {
            let old = read_record(&path).unwrap();
            number += 1;
            replace(&path, &old, &record(number)).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.pbem");
    fs::write(&path, record(0)).unwrap();
    let mut replaced = 0;
    for round in 0..20_u64 {
        let before = fs::read(&path).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", TEST, "--test-threads=1"])
            .env("POSTRIDER_TEST_PATH", &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Once it is running, at a different moment in each round.
        let started = Instant::now();
        while fs::read(&path).unwrap() == before && started.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 1_371 % 9_000));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None);
        let after = fs::read(&path).unwrap();
        assert!(is_whole(&after), "round {round}");
        replaced += usize::from(after != before);
        // The lock disappeared with it.
        RecordLock::take_within(&path, Duration::ZERO).unwrap();
    }
    assert!(replaced > 0);
    let old = fs::read(&path).unwrap();
    replace(&path, &old, b"done").unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
