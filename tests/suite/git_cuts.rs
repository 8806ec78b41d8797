//! Playing through a repository when the power fails at any moment: what this program and every git that it runs have
//! written is recorded, and each disk that may be left is looked at. The far end of a push is another machine, which keeps
//! what it was sent. On any disk the record is the old or the new one, what a reference names is there, `HEAD` and the index
//! can be read, nothing is noted as pushed that was not, and the same command again does what is left to do, once.
//!
//! By default some of the disks are looked at, evenly spread; with `POSTRIDER_FAULTS=all`, all of them.

use std::fs;
use std::process::Command;

use crate::faults::injector;
use crate::git_kills::{MOVE, Shared};
use crate::power::Recorded;
use crate::repository::{done, record};

/// How many disks are looked at in a scenario by default.
const SOME: usize = 40;

/// Looks at the disks that a cut may leave in a command of `who`, and runs the command again on each.
fn cut_short(shared: &Shared, who: &str, args: &[&str], after: impl Fn(&Shared), again: impl Fn(&Shared)) {
    if !injector::available() {
        return;
    }
    let root = shared.path("");
    let recorded = Recorded::of(&root, &["hub.git/"], &shared.ours_later(who, args), b"");
    let cuts = recorded.some(SOME);
    assert!(cuts.len() > SOME / 2, "{} disks", cuts.len());
    for (nth, cut) in cuts.iter().enumerate() {
        recorded.leave(cut, &root);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            is_whole(shared, who);
            after(shared);
            let more = shared.ours(who, args);
            assert_eq!(more.code, 0, "again: {}{}", more.out, more.err);
            again(shared);
            is_whole(shared, who);
            let left = Command::new("find").arg(shared.path(who).join(".git")).args(["-name", "*.lock"]).output();
            assert_eq!(String::from_utf8_lossy(&left.expect("find").stdout), "", "locks stay");
            assert_eq!(shared.git(who, &["for-each-ref", "refs/postrider"]).ok(), "");
        }));
        if let Err(why) = outcome {
            eprintln!("**** {args:?}, disk {nth} of {}: {}", cuts.len(), recorded.shown(cut));
            std::panic::resume_unwind(why);
        }
    }
}

/// What git's own commands find.
fn is_whole(shared: &Shared, who: &str) {
    let found = shared.git(who, &["fsck", "--strict", "--no-dangling"]);
    let said = found.out + &found.err;
    // What comes is kept under names of its own until it is on the disk; the next run drops them.
    let faults: Vec<&str> = said.lines().filter(|line| line.contains("error") || line.contains("missing")).collect();
    assert!(faults.iter().all(|line| line.contains("refs/postrider/incoming/")), "{said}");
    assert!(found.code == 0 || !faults.is_empty(), "{said}");
    let status = shared.git(who, &["status", "--porcelain"]);
    assert_eq!(status.code, 0, "{}{}", status.out, status.err);
    shared.git(who, &["rev-parse", "--verify", "HEAD^{commit}"]).ok();
    shared.git(who, &["ls-files", "--stage"]).ok();
}

fn at_hub(shared: &Shared) -> String {
    done(shared.command("git", &shared.path("hub.git"), "ada").args(["show", "main:a.pbem"])).ok()
}

fn here(shared: &Shared, who: &str) -> String {
    fs::read_to_string(shared.path(who).join("a.pbem")).expect("a record")
}

#[test]
fn a_power_cut_loses_nothing_of_a_move_that_is_pushed() {
    let shared = Shared::new();
    cut_short(
        &shared,
        "ada",
        &MOVE,
        |shared| {
            let (there, pushed) = (here(shared, "ada"), at_hub(shared));
            assert!(there == record(1) || there == record(2), "{there}");
            assert!(pushed == record(1) || there == record(2), "pushed and not here");
            let notes = fs::read_to_string(shared.path("home of ada/data/sent/asalto-in-git.json")).unwrap_or_default();
            assert!(!notes.contains("\"sent\"") || pushed == record(2), "noted as pushed: {notes}");
            let known = shared.git("ada", &["show", "origin/main:a.pbem"]).ok();
            assert!(known == record(1) || pushed == record(2), "the branch of the remote is ahead of the remote");
        },
        |shared| {
            assert_eq!((at_hub(shared), here(shared, "ada")), (record(2), record(2)));
            assert_eq!(shared.git("ada", &["status", "--porcelain"]).ok(), "");
            assert_eq!(shared.git("ada", &["rev-list", "--count", "HEAD"]).ok().trim(), "2", "it was committed twice");
            let notes = fs::read_to_string(shared.path("home of ada/data/sent/asalto-in-git.json")).expect("notes");
            assert!(notes.contains("\"sent\""), "{notes}");
        },
    );
}

#[test]
fn a_power_cut_loses_nothing_of_a_move_that_is_received() {
    let shared = Shared::new();
    shared.ours("ada", &MOVE).ok();
    // Bram has a commit of his own, so that the two are joined.
    fs::write(shared.path("bram/b.pbem"), record(1).replace("asalto-in-git", "asalto-other")).expect("a record");
    shared.git("bram", &["add", "-A"]).ok();
    shared.git("bram", &["commit", "-q", "-m", "another game"]).ok();
    cut_short(
        &shared,
        "bram",
        &["receive", "--git"],
        |shared| {
            let there = here(shared, "bram");
            assert!(there == record(1) || there == record(2), "{there}");
            assert!(shared.git("bram", &["show", "HEAD:b.pbem"]).ok().contains("asalto-other"));
        },
        |shared| {
            assert_eq!(here(shared, "bram"), record(2));
            assert_eq!(shared.git("bram", &["status", "--porcelain"]).ok(), "");
            assert!(shared.git("bram", &["show", "HEAD:b.pbem"]).ok().contains("asalto-other"));
            shared.git("bram", &["merge-base", "--is-ancestor", "origin/main", "HEAD"]).ok();
        },
    );
}
