//! `postrider git history`: where each entry comes from, and what is odd about it.
#![cfg(unix)]

use serde_json::Value;

use crate::repository::{GAME, OTHER, Repo, done, record, with};

/// Commits everything as a given author at a given time.
fn commit_as(repo: &Repo, email: &str, date: &str) -> String {
    repo.git(&["add", "-A"]).ok();
    let mut command = repo.command("git", &repo.folder);
    command.env("GIT_AUTHOR_EMAIL", email).env("GIT_COMMITTER_DATE", date).env("GIT_AUTHOR_DATE", date);
    done(command.args(["commit", "-q", "-m", "an entry"])).ok();
    repo.git(&["rev-parse", "HEAD"]).ok().trim().to_owned()
}

fn history(repo: &Repo, args: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["git", "history", "--json"].into_iter().chain(args.iter().copied()).collect();
    repo.postrider(&all).ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_entry_has_the_commit_that_brought_it_through_renames_and_merges() {
    let repo = Repo::new();
    repo.write("a.pbem", record(1));
    let first = commit_as(&repo, "bram@example.net", "2026-11-21T10:20:00Z");
    repo.git(&["mv", "a.pbem", "games.pbem"]).ok();
    repo.write("games.pbem", record(2));
    let second = commit_as(&repo, "ada@example.org", "2026-11-22T08:03:00Z");
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write("games.pbem", record(3));
    let third = commit_as(&repo, "bram@example.net", "2026-11-22T20:41:00Z");
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write("games.pbem", record(2) + "# well played\n");
    commit_as(&repo, "ada@example.org", "2026-11-22T21:00:00Z");
    repo.git(&["merge", "-q", "-m", "merged", "side"]).ok();
    let reports = history(&repo, &[]);
    let [report] = reports.as_slice() else { panic!("{reports:?}") };
    let origins: Vec<&str> =
        report["rows"].as_array().unwrap().iter().map(|row| row["origin"]["commit"].as_str().unwrap()).collect();
    assert_eq!(origins, [first, second, third]);
    assert_eq!((&report["path"], &report["verdict"]), (&Value::from("games.pbem"), &Value::from("legal")));
    let odd: Vec<&str> = report["odd"].as_array().unwrap().iter().map(|odd| odd.as_str().unwrap()).collect();
    assert!(matches!(odd.as_slice(), [renamed] if renamed.contains("renamed from a.pbem to games.pbem")), "{odd:?}");
    // For a part of the history, what was there before comes from none of its commits.
    let part = history(&repo, &["HEAD~1..HEAD"]);
    assert_eq!(part[0]["rows"][0]["origin"], Value::Null);
    assert_eq!(history(&repo, &["HEAD", "--", "nowhere"]).len(), 0);
    assert_eq!(history(&repo, &["HEAD", "--", "./games.pbem"]).len(), 1);
}

#[test]
fn changed_dropped_and_backdated_entries_are_reported_as_odd() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(3));
    commit_as(&repo, "ada@example.org", "2026-12-20T00:00:00Z");
    repo.write("a.pbem", with(&[GAME[0], OTHER]));
    commit_as(&repo, "ada@example.org", "2026-11-20T00:00:00Z");
    repo.write("a.pbem", record(1));
    commit_as(&repo, "ada@example.org", "2026-11-23T00:00:00Z");
    repo.write("b.pbem", record(1).replace("asalto-in-git", "asalto-gone"));
    commit_as(&repo, "ada@example.org", "2026-11-21T10:16:00Z");
    std::fs::remove_file(repo.folder.join("b.pbem")).unwrap();
    commit_as(&repo, "ada@example.org", "2026-11-23T00:00:00Z");
    let said = repo.postrider(&["git", "history"]).ok();
    for words in [
        "it changed entry 2 from `2 besiegers c4-c5",
        "it cut the record off before entry 2: 2 besiegers d4-d5",
        "entry 1 was committed 28 days 13 hours after its own time",
        "entry 1 is of defenders, and was committed by ada@example.org, the other player's address",
        "b.pbem was removed, 1 entry",
        "asalto-gone  no longer there",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn hostile_names_and_addresses_only_get_to_be_read() {
    let repo = Repo::plain(&[]);
    repo.write("a\u{1b}[31m.pbem", record(1));
    repo.git(&["add", "-A"]).ok();
    let mut command = repo.command("git", &repo.folder);
    command.env("GIT_AUTHOR_NAME", "\u{1b}]0;owned\u{7}").env("GIT_AUTHOR_EMAIL", "x\u{1f}y");
    done(command.args(["commit", "-q", "-m", "\u{1b}"])).ok();
    for args in [&["git", "history"][..], &["git", "history", "--json"], &["git", "check", "--staged", "-v"]] {
        let said = repo.postrider(args).ok();
        assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    }
}

#[test]
fn a_history_that_cannot_be_read_is_trouble() {
    let repo = Repo::plain(&[]);
    let empty = repo.postrider(&["git", "history"]).fails(2);
    assert!(empty.starts_with("error: "), "{empty}");
    repo.write("a.pbem", record(1));
    commit_as(&repo, "bram@example.net", "2026-11-21T10:20:00Z");
    let unknown = repo.postrider(&["git", "history", "nowhere"]).fails(2);
    assert!(unknown.contains("no such commit here") && unknown.contains("nowhere"), "{unknown}");
    assert!(unknown.contains("hint: `git log --oneline --all`"), "{unknown}");
}
