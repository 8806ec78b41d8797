//! The merge driver, as used by git's own merges, rebases and so on.
#![cfg(unix)]

use crate::repository::{GAME, OTHER, Repo, done, record, with};

/// A repository whose branches `main` and `side` both start from `base` and contain these records.
fn parted(base: &str, main: &str, side: &str) -> Repo {
    let repo = Repo::new();
    for (branch, text) in [("main", base), ("side", side), ("main", main)] {
        if branch == "side" {
            repo.git(&["checkout", "-q", "-b", "side"]).ok();
        } else {
            let _ = repo.git(&["checkout", "-q", "main"]);
        }
        repo.write("a \"b\".pbem", text);
        repo.git(&["add", "-A"]).ok();
        repo.git(&["commit", "-q", "--allow-empty", "-m", branch]).ok();
    }
    repo
}

const FILE: &str = "a \"b\".pbem";

#[test]
fn the_longer_record_wins_with_the_remarks_of_both() {
    let main = with(&[GAME[0], "# Ada was here\n", GAME[1]]);
    let side = with(&[GAME[0], "# Bram was here\n", GAME[1], GAME[2]]);
    let repo = parted(&record(1), &main, &side);
    repo.git(&["merge", "-q", "-m", "merged", "side"]).ok();
    let both = with(&[GAME[0], "# Ada was here\n", "# Bram was here\n", GAME[1], GAME[2]]);
    assert_eq!(repo.read(FILE), both);
}

#[test]
fn a_record_that_both_began_under_one_name_is_merged_too() {
    let repo = Repo::new();
    repo.commit("attributes").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write(FILE, record(3));
    repo.commit("side").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write(FILE, record(2));
    repo.commit("main").ok();
    repo.git(&["merge", "-q", "-m", "merged", "side"]).ok();
    assert_eq!(repo.read(FILE), record(3));
}

#[test]
fn two_entries_for_one_turn_are_a_conflict_that_leaves_our_record_whole() {
    let repo = parted(&record(1), &record(3), &with(&[GAME[0], OTHER]));
    for how in [&["merge", "side"][..], &["cherry-pick", "side"], &["rebase", "side"]] {
        let refused = repo.git(how);
        assert_ne!(refused.code, 0, "{how:?}");
        let said = refused.out + &refused.err;
        assert!(said.contains("2 besiegers c4-c5") && said.contains("2 besiegers d4-d5"), "{said}");
        assert!(said.contains("yours is kept as it was") && said.contains("git add -- 'a \"b\".pbem'"), "{said}");
        // In a rebase, "ours" is the branch onto which the rest is applied.
        let kept = if how[0] == "rebase" { with(&[GAME[0], OTHER]) } else { record(3) };
        assert_eq!(repo.read(FILE), kept, "{how:?}");
        repo.postrider(&["verify", FILE]).ok();
        let abort = if how[0] == "cherry-pick" { "cherry-pick" } else { how[0] };
        repo.git(&[abort, "--abort"]).ok();
    }
}

#[test]
fn a_diverged_game_is_settled_by_a_merge_that_takes_either_record_and_a_hub_accepts_both() {
    for theirs in [false, true] {
        // Each of the two may be the one that others have already.
        for published in ["main", "side"] {
            let repo = parted(&record(1), &record(3), &with(&[GAME[0], OTHER]));
            let hub = repo.session.path("hub.git");
            done(repo.command("git", repo.session.folder.path()).args(["init", "-q", "--bare", "hub.git"])).ok();
            repo.postrider(&["git", "setup", &hub.to_string_lossy()]).ok();
            repo.git(&["remote", "add", "hub", &hub.to_string_lossy()]).ok();
            repo.git(&["push", "-q", "hub", &format!("{published}:main")]).ok();
            let refused = repo.git(&["merge", "side"]);
            assert_ne!(refused.code, 0);
            let advice = "`git checkout --theirs -- 'a \"b\".pbem' && git add -- 'a \"b\".pbem'` takes the other one";
            assert!(refused.err.contains(advice), "{}", refused.err);
            if theirs {
                repo.git(&["checkout", "--theirs", "--", FILE]).ok();
            }
            repo.git(&["add", "--", FILE]).ok();
            repo.git(&["commit", "-q", "-m", "settled"]).ok();
            assert_eq!(repo.read(FILE), if theirs { with(&[GAME[0], OTHER]) } else { record(3) });
            let pushed = repo.git(&["push", "hub", "main"]);
            assert_eq!(pushed.code, 0, "{theirs} {published}: {}", pushed.err);
            // Both ends say what was given up for what.
            assert_eq!(pushed.err.matches("had different entries for one turn").count(), 2, "{}", pushed.err);
            // The game goes on from what was settled, and from nothing else.
            let more =
                if theirs { with(&[GAME[0], OTHER, "3 defenders c6-d6 @2026-11-22T20:40:00Z\n"]) } else { record(4) };
            repo.write(FILE, more);
            repo.commit("it goes on").ok();
            repo.git(&["push", "-q", "hub", "main"]).ok();
        }
    }
}

#[test]
fn a_merge_that_drops_a_record_is_refused_however_it_is_made() {
    let made = || {
        let repo = Repo::new();
        repo.write("kept.pbem", record(1));
        repo.commit("base").ok();
        repo.git(&["checkout", "-q", "-b", "side"]).ok();
        repo.write("side.pbem", record(2).replace("asalto-in-git", "asalto-side"));
        repo.commit("side").ok();
        repo.git(&["checkout", "-q", "main"]).ok();
        repo.write("readme", "");
        repo.commit("main").ok();
        repo
    };
    // The strategy that takes nothing of the other side asks only the hook `pre-merge-commit`.
    let repo = made();
    let refused = repo.git(&["merge", "-s", "ours", "-m", "ours", "side"]);
    let said = refused.out + &refused.err;
    assert!(refused.code != 0 && said.contains("side.pbem: refused: the record of asalto-side is removed"), "{said}");
    let repo = made();
    repo.git(&["merge", "-q", "--no-commit", "side"]).ok();
    repo.git(&["rm", "-q", "-f", "side.pbem"]).ok();
    let refused = repo.git(&["commit", "-m", "without it"]);
    let said = refused.out + &refused.err;
    assert!(refused.code != 0 && said.contains("side.pbem: refused: the record of asalto-side is removed"), "{said}");
    assert!(said.contains("`git checkout MERGE_HEAD -- FILE`"), "{said}");
    repo.git(&["checkout", "MERGE_HEAD", "--", "side.pbem"]).ok();
    repo.git(&["commit", "-q", "-m", "with it"]).ok();
    // Nothing else that is merged is in the way.
    let repo = made();
    repo.git(&["merge", "-q", "-m", "merged", "side"]).ok();
}

#[test]
fn two_games_under_one_path_both_stay_as_the_advice_says() {
    let repo = Repo::new();
    repo.commit("attributes").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write(FILE, record(3).replace("asalto-in-git", "asalto-other"));
    repo.commit("side").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write(FILE, record(2));
    repo.commit("main").ok();
    let refused = repo.git(&["merge", "side"]);
    assert_ne!(refused.code, 0);
    let advice = "`git show ':3:a \"b\".pbem' > OTHER.pbem && git add -- OTHER.pbem`, then `git add -- 'a \"b\".pbem'`";
    assert!(refused.err.contains(advice), "{}", refused.err);
    let shell = advice.replace("`, then `", " && ").replace('`', "");
    done(repo.command("sh", &repo.folder).args(["-c", &shell])).ok();
    repo.git(&["commit", "-q", "-m", "both"]).ok();
    assert_eq!(repo.read("OTHER.pbem"), record(3).replace("asalto-in-git", "asalto-other"));
}

#[test]
fn rebase_stash_and_octopus_merges_succeed_if_the_records_continue() {
    let repo = parted(&record(1), &with(&[GAME[0], "# Ada was here\n"]), &record(3));
    repo.write(FILE, with(&[GAME[0], "# Ada was here\n", GAME[1]]));
    repo.git(&["stash", "-q"]).ok();
    repo.git(&["rebase", "-q", "side"]).ok();
    repo.git(&["stash", "pop"]).ok();
    repo.postrider(&["verify", FILE]).ok();
    assert_eq!(repo.read(FILE), with(&[GAME[0], "# Ada was here\n", GAME[1], GAME[2]]));
    repo.git(&["checkout", "-q", "--", "."]).ok();

    repo.git(&["checkout", "-q", "-b", "one", "main~1"]).ok();
    repo.write("one.pbem", record(2).replace("asalto-in-git", "asalto-one"));
    repo.commit("one").ok();
    repo.git(&["checkout", "-q", "-b", "two", "main"]).ok();
    repo.write("two.pbem", record(2).replace("asalto-in-git", "asalto-two"));
    repo.commit("two").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "-m", "all", "one", "two"]).ok();
    repo.postrider(&["verify", "."]).ok();
}

#[test]
fn an_illegal_record_is_never_merged_in() {
    let repo = parted(&record(1), &with(&[GAME[0], "# Ada was here\n"]), &record(1));
    repo.git(&["checkout", "-q", "side"]).ok();
    repo.write(FILE, record(2).replace("c4-c5", "c4-c3"));
    repo.git(&["commit", "-q", "--no-verify", "-a", "-m", "illegal"]).ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    let refused = repo.git(&["merge", "side"]);
    let said = refused.out + &refused.err;
    assert!(refused.code != 0 && said.contains("T21"), "{said}");
    assert_eq!(repo.read(FILE), with(&[GAME[0], "# Ada was here\n"]));
}

#[test]
fn hunks_name_the_entry_and_boards_are_shown_where_they_are_wanted() {
    let repo = Repo::new();
    let long = record(5);
    repo.write("a.pbem", &long);
    repo.commit("five").ok();
    repo.write("a.pbem", long.clone() + "6 besiegers c3-c4 @2026-11-24T06:55:40Z\n");
    let diff = repo.git(&["diff", "-U1"]).ok();
    assert!(diff.contains("@@ 4 besiegers") && !diff.contains("B...B"), "{diff}");
    repo.postrider(&["git", "setup", "--boards"]).ok();
    let diff = repo.git(&["diff"]).ok();
    assert!(
        diff.contains("+6 besiegers c3-c4") && diff.lines().any(|line| line.starts_with('-') && line.contains("B...")),
        "{diff}"
    );
    // Boards stay enabled until they are removed.
    assert_eq!(repo.postrider(&["git", "setup"]).ok(), "everything is already in place: nothing changed\n");
}

#[test]
fn a_record_of_any_name_is_merged_and_the_advice_means_that_one_alone() {
    let repo = Repo::new();
    let names =
        ["-leading.pbem", "--json.pbem", ":(glob)*.pbem", "*.pbem", "$(touch x).pbem", "it's\n.pbem", "[a].pbem"];
    let text = |nth: usize, count: usize| record(count).replace("asalto-in-git", &format!("asalto-in-git-{nth}"));
    let write = |count: usize, more: &str| {
        names.iter().enumerate().for_each(|(nth, name)| repo.write(name, text(nth, count) + more));
    };
    write(1, "");
    repo.commit("one").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    write(2, "");
    repo.commit("two").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    write(1, "# a remark\n");
    repo.commit("remarks").ok();
    repo.git(&["merge", "-q", "-m", "merged", "side"]).ok();
    for name in names {
        assert!(repo.read(name).contains("# a remark\n2 besiegers"), "{name}: {}", repo.read(name));
    }
    // Another entry, in a record whose name is a pattern: settling it settles no other.
    repo.git(&["checkout", "-q", "-b", "other", "main~1"]).ok();
    names.iter().enumerate().for_each(|(nth, name)| repo.write(name, text(nth, 1) + OTHER));
    repo.commit("other entries").ok();
    let refused = repo.git(&["merge", "side"]);
    assert_ne!(refused.code, 0);
    let said = refused.out + &refused.err;
    assert!(said.contains("`git --literal-pathspecs add -- '*.pbem'` keeps it"), "{said}");
    assert!(said.contains("`git add -- ./-leading.pbem` keeps it"), "{said}");
    repo.git(&["--literal-pathspecs", "add", "--", "*.pbem"]).ok();
    let open = repo.git(&["diff", "--name-only", "--diff-filter=U", "-z"]).ok();
    assert_eq!(open.matches('\0').count(), names.len() - 1, "{open}");
}

#[test]
fn marks_that_git_put_into_a_record_unasked_are_told_and_kept_out() {
    let repo = parted(&record(1), &record(1), &record(2));
    repo.git(&["checkout", "-q", "-b", "more", "main"]).ok();
    repo.write(FILE, with(&[GAME[0], OTHER]));
    repo.commit("another entry").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write("readme", "");
    repo.commit("the branches part").ok();
    // Several branches at once: git asks no driver.
    assert_ne!(repo.git(&["merge", "-m", "all", "side", "more"]).code, 0);
    if repo.read(FILE).contains("<<<<<<<") {
        repo.git(&["add", "-A"]).ok();
        let refused = repo.git(&["commit", "-m", "with marks"]);
        let said = refused.out + &refused.err;
        assert!(refused.code != 0 && said.contains("`git merge --abort`, then merge one branch"), "{said}");
    }
    let _ = repo.git(&["merge", "--abort"]);
    let _ = repo.git(&["reset", "-q", "--hard"]);
    assert_eq!(repo.read(FILE), record(1));
}
