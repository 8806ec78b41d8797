//! A full disk: a real one with a few pages. It can only be tested with permission to mount one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{DEPLOY, Later, SEALED_FILE, injector, letters, sealed};
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::session::Session;

/// A session whose files are on a small disk of their own.
struct Small {
    session: Session,
    at: PathBuf,
}

impl Small {
    /// A disk of `kib` KiB with the files of a session; `None` if it cannot be mounted.
    fn of(before: &Session, kib: usize) -> Option<Self> {
        let session = Session::new();
        let at = session.folder.path().to_owned();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kib}k,mode=755"), "none"])
            .arg(&at)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("**** NO SMALL DISK: only root may mount one; full disks are passed over. ****");
            return None;
        }
        let small = Self { session, at };
        injector::copy(before.folder.path(), &small.at);
        Some(small)
    }

    /// Fills the disk except for `free` pages.
    fn fill(&self, free: usize) {
        let path = self.at.join("ballast");
        let mut size = 0;
        while fs::write(&path, vec![0; size + 4096]).is_ok() {
            size += 4096;
        }
        fs::write(&path, vec![0; size.saturating_sub(free * 4096)]).expect("less than there was");
    }

    fn empty(&self) {
        fs::remove_file(self.at.join("ballast")).expect("the ballast");
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

/// How many pages are left free.
const FREE: std::ops::Range<usize> = 0..9;

#[test]
fn on_a_full_disk_a_move_is_made_whole_or_not_and_the_same_command_makes_it_good() {
    let before = bram(2);
    for free in FREE {
        let Some(small) = Small::of(&before, 256) else { return };
        let session = &small.session;
        small.fill(free);
        let arguments = ["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T20:40:00Z", "--send"];
        let done = session.run_later(&arguments);
        let text = session.read(GAME_FILE);
        assert!(text == record(2) || text == record(3), "{free}: {text}");
        assert!(done.code == 2 || (done.code == 0 && text == record(3) && letters(session).len() == 1), "{}", done.err);
        assert!(done.code == 0 || done.err.contains("No space left on device"), "{}", done.err);
        small.empty();
        session.run_later(&arguments).ok();
        assert_eq!((session.read(GAME_FILE), letters(session).len()), (record(3), 1), "{free}");
    }
}

#[test]
fn on_a_full_disk_a_letter_is_accepted_or_tried_again() {
    let before = bram(1);
    for free in FREE {
        let Some(small) = Small::of(&before, 256) else { return };
        let session = &small.session;
        small.fill(free);
        let done = session.feed_later(&["receive"], letter(&record(2)).as_bytes());
        let text = session.read(GAME_FILE);
        assert!(text == record(1) || text == record(2), "{free}: {text}");
        assert!(done.code == 75 || (done.code == 0 && text == record(2)), "{free}: {} {}", done.code, done.err);
        small.empty();
        session.feed_later(&["receive"], letter(&record(2)).as_bytes()).ok();
        assert_eq!(session.read(GAME_FILE), record(2), "{free}");
    }
}

#[test]
fn on_a_full_disk_there_is_no_seal_without_its_secret() {
    let before = sealed("");
    let old = before.read(SEALED_FILE);
    for free in FREE {
        let Some(small) = Small::of(&before, 256) else { return };
        let session = &small.session;
        small.fill(free);
        let _ = session.run_later(&DEPLOY);
        let secret = fs::read_to_string(session.path("home/data/secrets/assassyn-faults.white")).unwrap_or_default();
        let text = session.read(SEALED_FILE);
        assert!(text == old || secret.split_whitespace().next().is_some_and(|word| word.len() == 64), "{free}: {text}");
        small.empty();
        session.run_later(&DEPLOY).ok();
        assert_eq!(session.read(SEALED_FILE).lines().filter(|line| line.starts_with("1 white seal:")).count(), 1);
    }
}
