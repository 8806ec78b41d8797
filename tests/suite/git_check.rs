//! `postrider git check`: records only grow, commit by commit.
#![cfg(unix)]

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::programs;
use crate::repository::{GAME, OTHER, Repo, done, record, with};
use crate::session::{Done, Told};

/// What `check --staged` reports about a change from `old` to `new`.
fn staged(old: &str, new: Option<&str>) -> (i32, String) {
    let repo = Repo::plain(&[]);
    repo.write("games/a.pbem", old);
    repo.commit("old").ok();
    match new {
        Some(new) => repo.write("games/a.pbem", new),
        None => std::fs::remove_file(repo.folder.join("games/a.pbem")).unwrap(),
    }
    repo.git(&["add", "-A"]).ok();
    let said = repo.postrider(&["git", "check", "--staged"]);
    (said.code, said.out)
}

/// Runs a check, with a note of what it says.
fn noted(told: &mut Told, repo: &Repo, args: &[&str]) -> Done {
    let done = repo.postrider(&[&["git", "check"][..], args].concat());
    told.note(&repo.session, &format!("git check {}", args.join(" ")), &done);
    done
}

#[test]
fn a_record_may_grow_and_be_remarked_on_and_spelled_otherwise() {
    for new in [
        record(3),
        record(2) + "# a remark\n",
        with(&[GAME[0], "# within\n", GAME[1]]),
        record(2).replace('\n', "\r\n"),
        with(&[GAME[0], GAME[1], "3 defenders c6-d6 @2026-11-22T20:40:00Z\n"]),
    ] {
        assert_eq!(staged(&record(2), Some(&new)), (0, String::new()), "{new}");
    }
}

#[test]
fn every_kind_of_change_to_a_record_is_reported_correctly() {
    let dropped = with(&[GAME[0], &GAME[2].replacen('3', "2", 1)]);
    let mut told = String::new();
    for (what, new) in [
        ("fewer entries", Some(record(1))),
        ("another entry", Some(with(&[GAME[0], OTHER]))),
        ("another message", Some(record(3).replace("the gate", "the door"))),
        ("another player", Some(record(3).replace("Ada Quill", "Eve"))),
        ("an entry left out", Some(dropped)),
        ("another game", Some(record(3).replace("asalto-in-git", "asalto-another"))),
        ("no record", Some("nothing".into())),
        ("no file", None),
    ] {
        let (code, said) = staged(&record(3), new.as_deref());
        assert_eq!(code, 1, "{said}");
        told += &format!("{what}:\n{said}\n");
    }
    insta::assert_snapshot!("changes", told);
}

#[test]
fn a_record_may_be_renamed_and_deliberately_removed() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("old").ok();
    repo.git(&["mv", "a.pbem", "b\n\u{fc}.pbem"]).ok();
    repo.write("b\n\u{fc}.pbem", record(3));
    repo.git(&["add", "-A"]).ok();
    let mut told = Told::default();
    noted(&mut told, &repo, &["--staged"]).ok();
    // A record that is renamed and shortened at once is reported for both.
    repo.write("b\n\u{fc}.pbem", record(1));
    repo.git(&["add", "-A"]).ok();
    noted(&mut told, &repo, &["--staged"]).fails(1);
    repo.git(&["rm", "-q", "-f", "b\n\u{fc}.pbem"]).ok();
    noted(&mut told, &repo, &["--staged"]).fails(1);
    noted(&mut told, &repo, &["--staged", "--allow-removal"]).ok();
    insta::assert_snapshot!("renamed_and_removed", told.text());
}

#[test]
fn only_regular_files_are_records() {
    let repo = Repo::plain(&[]);
    std::os::unix::fs::symlink("/etc/passwd", repo.folder.join("link.pbem")).unwrap();
    std::fs::create_dir(repo.folder.join("folder.pbem")).unwrap();
    repo.write("folder.pbem/readme", "a folder may be called so");
    repo.write("large.pbem", vec![b'x'; 20 * 1024 * 1024]);
    repo.git(&["add", "-A"]).ok();
    let mut told = Told::default();
    noted(&mut told, &repo, &["--staged"]).fails(1);
    insta::assert_snapshot!("only_regular_files", told.text());
}

#[test]
fn each_commit_of_a_range_is_looked_at_and_all_of_them_together() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.git(&["tag", "start"]).ok();
    // Truncated, and restored again: the commit in between did harm.
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    let bad = repo.git(&["rev-parse", "--short=12", "HEAD"]).ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    let mut told = Told::default();
    noted(&mut told, &repo, &["start..HEAD"]).fails(1);
    noted(&mut told, &repo, &["HEAD~1..HEAD"]).ok();
    // A merge that takes the other branch's version of a record removes entries, although none of that branch's commits
    // does.
    repo.git(&["checkout", "-q", "-b", "side", "start"]).ok();
    repo.write("b.pbem", record(1).replace("asalto-in-git", "asalto-b"));
    repo.commit("b").ok();
    repo.git(&["merge", "-q", "-s", "ours", "-m", "ours", "main"]).ok();
    noted(&mut told, &repo, &["main..side"]).fails(1);
    noted(&mut told, &repo, &["main..nowhere"]).fails(2);
    noted(&mut told, &repo, &["--", "-x"]).fails(2);
    // Everything that leads up to a commit, as for a new branch.
    noted(&mut told, &repo, &["start"]).ok();
    let push = format!("{}..start", "0".repeat(40));
    noted(&mut told, &repo, &[&push]).ok();
    noted(&mut told, &repo, &["main"]).fails(1);
    insta::assert_snapshot!("each_commit_of_a_range", told.shown(&[(bad.trim(), "THE BAD COMMIT")]));
}

#[test]
fn what_is_staged_during_a_merge_continues_the_records_of_all_branches() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write("b.pbem", record(1).replace("asalto-in-git", "asalto-b"));
    repo.commit("b").ok();
    repo.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]).ok();
    repo.postrider(&["git", "check", "--staged"]).ok();
    // Compared with the present commit nothing is lost: what the other branch brought is.
    repo.write("a.pbem", record(1));
    repo.git(&["add", "-A"]).ok();
    let mut told = Told::default();
    noted(&mut told, &repo, &["--staged"]).fails(1);
    insta::assert_snapshot!("staged_in_a_merge", told.text());
    // One that goes on is fine.
    repo.write("a.pbem", record(4));
    repo.git(&["add", "-A"]).ok();
    repo.postrider(&["git", "check", "--staged"]).ok();
}

/// The commands in a file for a forge that begin in this way.
fn commands(file: &str, begins: &str) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/git").join(file);
    let text = std::fs::read_to_string(path).expect("the example");
    let command = |line: &str| line.trim_start().trim_start_matches("- ").trim_start_matches("run: ").to_owned();
    let commands: Vec<_> = text.lines().map(command).filter(|line| line.starts_with(begins)).collect();
    assert!(!commands.is_empty(), "{file}");
    commands
}

#[test]
fn the_files_for_forges_build_from_one_source_and_check_what_comes_from_forks() {
    for file in ["github.yml", "gitlab-ci.yml", "forgejo.yml", "sourcehut.yml"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/git").join(file);
        let text = std::fs::read_to_string(path).expect("the example");
        assert!(text.contains("cargo install --locked --git \"$POSTRIDER_SOURCE\" postrider\n"), "{file}");
        assert_eq!(text.matches("POSTRIDER_SOURCE: https://git.example.org/postrider.git").count(), 1, "{file}");
        assert!(text.contains("see \"On a forge\" in postrider's notation/git.md"), "{file}");
        let forks = ["on: [push, pull_request]", "merge_request_event", "git check HEAD"];
        assert!(forks.iter().any(|fork| text.contains(fork)), "{file}");
    }
}

#[test]
fn the_files_for_forges_check_what_was_pushed() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    let id = |name: &str| repo.git(&["rev-parse", name]).ok().trim().to_owned();
    let pushes = [(id("HEAD~2"), id("HEAD~1"), 0), ("0".repeat(40), id("HEAD~1"), 0), (id("HEAD~1"), id("HEAD"), 1)];
    for file in ["github.yml", "gitlab-ci.yml", "forgejo.yml", "sourcehut.yml"] {
        for (before, after, code) in &pushes {
            for command in commands(file, "postrider git check ") {
                // What the forge fills in, and the names under which each passes the two ends of a push or of a pull request.
                let command = command
                    .replace("${{ github.event.pull_request.base.sha || github.event.before }}", before)
                    .replace("${{ github.event.pull_request.head.sha || github.sha }}", after);
                for variable in ["CI_COMMIT_BEFORE_SHA", "CI_MERGE_REQUEST_DIFF_BASE_SHA"] {
                    let mut shell = repo.command("sh", &repo.folder);
                    shell.env(variable, before).env("CI_COMMIT_SHA", after).args(["-c", &command]);
                    repo.git(&["checkout", "-q", after]).ok();
                    let said = done(&mut shell);
                    assert_eq!(said.code, *code, "{file}: {command}: {}{}", said.out, said.err);
                }
            }
        }
    }
}

#[test]
fn the_files_for_forges_show_what_is_refused() {
    let repo = Repo::plain(&[]);
    repo.write("games/a.pbem", record(2).replace("c4-c5", "c4-c3"));
    let shown = |file: &str| {
        let commands = commands(file, "postrider verify ");
        let [command] = &commands[..] else { panic!("{file}: {commands:?}") };
        let said = done(repo.command("sh", &repo.folder).args(["-c", command]));
        assert_eq!(said.code, 1, "{file}: {}{}", said.out, said.err);
        said.out
    };
    let said = shown("github.yml");
    assert!(said.starts_with("::error file=games/a.pbem,line=11,"), "{said}");
    assert_eq!(shown("gitlab-ci.yml"), "");
    let report = std::fs::read_to_string(repo.folder.join("games.xml")).expect("a report");
    let case = report.split_once("<testcase classname=\"asalto\" name=\"games/a.pbem\" time=\"").expect("a case").1;
    assert!(case.contains("\"><failure type=\"T21\""), "{report}");
}

#[test]
fn a_push_is_read_as_the_hook_is_handed_it() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    let id = |name: &str| repo.git(&["rev-parse", name]).ok().trim().to_owned();
    let (two, three, none) = (id("main"), id("side"), "0".repeat(40));
    let push = |lines: &str| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.folder);
        let mut child = command
            .args(["git", "check", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    };
    let mut told = Told::default();
    told.note(&repo.session, "nothing is pushed", &push(""));
    told.note(&repo.session, "from 2 entries to 3", &push(&format!("{two} {three} refs/heads/main\n")));
    told.note(&repo.session, "from 3 entries to 2", &push(&format!("{three} {two} refs/heads/side\n")));
    // A branch may be deleted if what it had is in the one that stays.
    repo.git(&["checkout", "-q", "main"]).ok();
    told.note(&repo.session, "the longer branch is deleted", &push(&format!("{three} {none} refs/heads/side\n")));
    repo.git(&["checkout", "-q", "side"]).ok();
    told.note(&repo.session, "the shorter branch is deleted", &push(&format!("{two} {none} refs/heads/main\n")));
    told.note(&repo.session, "a line that is none", &push("what is this\n"));
    insta::assert_snapshot!("pushed", told.text());
}

#[test]
fn check_in_json_has_one_object_a_record() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.write("b.pbem", "no record");
    repo.git(&["add", "-A"]).ok();
    let said = repo.postrider(&["git", "check", "--staged", "--json"]);
    assert_eq!(said.code, 1);
    let rows: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = |path: &str| rows.iter().find(|row| row["path"] == path).unwrap();
    assert_eq!((&row("a.pbem")["verdict"], &row("a.pbem")["entries"]), (&Value::from("legal"), &Value::from(2)));
    assert_eq!((&row("b.pbem")["verdict"], &row("b.pbem")["refused"]), (&Value::from("malformed"), &Value::from(true)));
    assert_eq!(rows.len(), 2);
}

#[test]
fn one_record_is_checked_with_three_calls_of_git_at_most() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.write("a.pbem", record(3));
    repo.git(&["add", "-A"]).ok();
    let trace = repo.session.path("trace");
    let mut command = repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.folder);
    done(command.args(["git", "check", "--staged"]).env("GIT_TRACE2_EVENT", &trace)).ok();
    let calls = std::fs::read_to_string(trace).unwrap().matches("\"event\":\"start\"").count();
    assert!((1..=3).contains(&calls), "{calls}");
}

#[test]
fn a_damaged_object_is_trouble_and_not_a_verdict() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    let blob = repo.git(&["rev-parse", "HEAD:a.pbem"]).ok();
    let (folder, name) = blob.trim().split_at(2);
    std::fs::remove_file(repo.folder.join(".git/objects").join(folder).join(name)).unwrap();
    let mut told = Told::default();
    noted(&mut told, &repo, &["HEAD~1..HEAD"]).fails(2);
    insta::assert_snapshot!("damaged_object", told.text());
}

#[test]
fn no_setting_of_git_hides_what_was_committed() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", "no record");
    repo.write("sub/readme", "");
    repo.commit("the first commit").ok();
    repo.git(&["config", "log.showRoot", "false"]).ok();
    let mut told = Told::default();
    noted(&mut told, &repo, &["HEAD"]).fails(1);
    // Changes above the folder in which the program is called.
    repo.git(&["config", "diff.relative", "true"]).ok();
    let within = |args: &[&str]| {
        done(repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.folder.join("sub")).args(["git", "check"]).args(args))
    };
    assert_eq!(within(&["HEAD"]).code, 1);
    repo.write("b.pbem", "no record");
    repo.git(&["add", "-A"]).ok();
    told.note(&repo.session, "git check --staged, in a folder of the repository", &within(&["--staged"]));
    // A submodule that the tree itself asks to pass over.
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    let head = repo.git(&["rev-parse", "HEAD"]).ok();
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},m.pbem", head.trim())]).ok();
    repo.write(".gitmodules", "[submodule \"m\"]\n\tpath = m.pbem\n\turl = ./m\n\tignore = all\n");
    repo.git(&["add", ".gitmodules"]).ok();
    repo.git(&["commit", "-q", "-m", "a submodule"]).ok();
    repo.git(&["config", "diff.ignoreSubmodules", "all"]).ok();
    noted(&mut told, &repo, &["HEAD~1..HEAD"]).fails(1);
    // An object that a reference puts in the place of the record that was there.
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    let blobs = repo.git(&["rev-parse", "HEAD~1:a.pbem", "HEAD:a.pbem"]).ok();
    let [three, one] = blobs.lines().collect::<Vec<_>>()[..] else { panic!("{blobs}") };
    repo.git(&["replace", three, one]).ok();
    noted(&mut told, &repo, &["HEAD~1..HEAD"]).fails(1);
    insta::assert_snapshot!("settings_of_git", told.text());
}

#[test]
fn what_stands_in_the_way_is_one_sentence_and_exit_code_2() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    let mut told = Told::default();
    // No repository, and one that belongs to somebody else.
    let outside = repo.session.path("outside");
    std::fs::create_dir_all(&outside).unwrap();
    for args in [&["check", "--staged"][..], &["check", "HEAD"], &["history"]] {
        let call = |folder: &std::path::Path| {
            let mut command = repo.command(env!("CARGO_BIN_EXE_postrider"), folder);
            command.arg("git").args(args).env("GIT_CEILING_DIRECTORIES", repo.session.folder.path());
            command
        };
        let none = done(&mut call(&outside));
        told.note(&repo.session, &format!("git {}, outside of a repository", args.join(" ")), &none);
        let strange = done(call(&repo.folder).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"));
        told.note(&repo.session, "the same, in a repository of somebody else", &strange);
        // A git that is too old.
        let old = repo.session.path("old");
        programs::write(&old.join("git"), "#!/bin/sh\necho git version 2.30.1\n");
        told.note(&repo.session, "the same, with an old git", &done(call(&repo.folder).env("PATH", old)));
    }
    // Objects that are not here.
    let head = repo.git(&["rev-parse", "HEAD"]).ok();
    let (head, nowhere) = (head.trim(), "1".repeat(40));
    for line in [format!("{head} {nowhere} refs/heads/x"), format!("{nowhere} {head} refs/heads/x")] {
        let mut command = repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.folder);
        let command = command.args(["git", "check", "--stdin"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let said = Done { code: output.status.code().unwrap(), out: String::new(), err: text(output.stderr) };
        told.note(&repo.session, "git check --stdin, with an object that is not here", &said);
    }
    insta::assert_snapshot!("in_the_way", told.shown(&[(head, "THE COMMIT"), (&nowhere, "NOWHERE")]));
}

#[test]
fn a_shallow_clone_says_where_it_ends() {
    let repo = Repo::plain(&[]);
    for entries in 1..4 {
        repo.write("a.pbem", record(entries));
        repo.commit("an entry").ok();
    }
    let from = format!("file://{}", repo.folder.display());
    done(repo.command("git", repo.session.folder.path()).args(["clone", "-q", "--depth", "2", &from, "shallow"])).ok();
    let call = |args: &[&str]| {
        done(repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.session.path("shallow")).arg("git").args(args))
    };
    // What is whole is judged; what is not is said.
    assert_eq!(call(&["check", "HEAD~1..HEAD"]).code, 0);
    let mut told = Told::default();
    told.note(&repo.session, "git check HEAD", &call(&["check", "HEAD"]));
    told.note(&repo.session, "git history", &call(&["history"]));
    insta::assert_snapshot!("shallow", told.text());
    let history = call(&["history", "--json"]);
    assert_eq!(history.code, 2, "{}", history.err);
    let report: Value = serde_json::from_str(&history.out).unwrap();
    let known: Vec<bool> = report["rows"].as_array().unwrap().iter().map(|row| !row["origin"].is_null()).collect();
    assert_eq!(
        known,
        [false, false, true],
        "the commit at which the clone ends is not said to have brought what it has"
    );
}

#[test]
fn what_is_staged_is_checked_with_three_calls_of_git() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.write("a.pbem", record(3));
    repo.git(&["add", "-A"]).ok();
    let log = repo.session.path("calls");
    let real = repo.command("sh", &repo.folder).args(["-c", "command -v git"]).output().unwrap().stdout;
    let real = String::from_utf8(real).unwrap();
    let folder = repo.session.path("counting");
    programs::write(
        &folder.join("git"),
        format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec {} \"$@\"\n", log.display(), real.trim()),
    );
    let mut command = repo.command(env!("CARGO_BIN_EXE_postrider"), &repo.folder);
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    done(command.args(["git", "check", "--staged"]).env("PATH", path)).ok();
    let calls = std::fs::read_to_string(log).unwrap();
    assert!((1..=3).contains(&calls.lines().count()), "{calls}");
}

/// A repository with a game on `main`, and branches on each of which `lines` were committed.
fn branches(lines: &[&[&str]]) -> Repo {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(1));
    repo.write("b.pbem", record(1).replace("asalto-in-git", "asalto-beside"));
    repo.commit("base").ok();
    repo.git(&["tag", "base"]).ok();
    for (nth, lines) in lines.iter().enumerate() {
        repo.git(&["checkout", "-q", "-b", &format!("side{nth}"), "base"]).ok();
        repo.write("a.pbem", with(lines));
        repo.write(format!("c{nth}.pbem"), record(2).replace("asalto-in-git", &format!("asalto-side-{nth}")));
        repo.commit("side").ok();
    }
    repo
}

/// Checks a merge of all the branches of [`branches`] in which the record is `merged`.
fn merged(repo: &Repo, merged: &str, parents: &[&str]) -> (i32, String) {
    repo.git(&["checkout", "-q", "-f", "--detach", parents[0]]).ok();
    for parent in parents {
        repo.git(&["checkout", parent, "--", "."]).ok();
    }
    repo.write("a.pbem", merged);
    repo.git(&["add", "-A"]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    let mut args = vec!["commit-tree", tree.trim(), "-m", "merged"];
    parents.iter().for_each(|parent| args.extend(["-p", parent]));
    let commit = repo.git(&args).ok();
    let whole = repo.postrider(&["git", "check", commit.trim()]);
    let range = repo.postrider(&["git", "check", &format!("base..{}", commit.trim())]);
    assert_eq!(whole.code, range.code, "{}{}", whole.out, range.out);
    (range.code, range.out)
}

#[test]
fn a_merge_continues_the_records_of_all_its_parents() {
    let repo = branches(&[&GAME[..1], &GAME[..2], &GAME[..3]]);
    let octopus = ["side0", "side1", "side2"];
    for parents in [&octopus[..], &octopus[..2], &["side2", "side0", "side1"], &["side1", "side0"]] {
        let most = if parents.contains(&"side2") { 3 } else { 2 };
        assert_eq!(merged(&repo, &record(most), parents), (0, String::new()), "{parents:?}");
        let (code, said) = merged(&repo, &record(1), parents);
        assert!(code == 1 && said.contains("a.pbem: refused: shortened: entry 2 and what follows it"), "{said}");
        let (code, said) = merged(&repo, &with(&[GAME[0], OTHER]), parents);
        assert!(code == 1 && said.contains("a.pbem: refused: rewritten: from entry 2 on"), "{said}");
        assert!(said.contains("before: 2 besiegers c4-c5") && said.contains("now:    2 besiegers d4-d5"), "{said}");
    }
    let (_, said) = merged(&repo, &record(1), &octopus);
    assert!(said.contains("a branch that this commit merges had it as it was before"), "{said}");
}

#[test]
fn a_merge_of_branches_that_disagree_continues_one_of_them() {
    let other = [GAME[0], OTHER];
    let repo = branches(&[&GAME[..2], &other, &GAME[..1]]);
    let orders: [&[&str]; 4] =
        [&["side0", "side1"], &["side1", "side0"], &["side0", "side1", "side2"], &["side1", "side2", "side0"]];
    for parents in orders {
        for chosen in [record(2), record(3), with(&other), with(&other) + "3 defenders c6-d6 @2026-11-22T20:40:00Z\n"] {
            let (code, said) = merged(&repo, &chosen, parents);
            assert!(code == 0 && said.contains("had different entries for one turn"), "{parents:?} {chosen}: {said}");
            assert!(said.contains("before: 2 besiegers ") && said.contains("now:    2 besiegers "), "{said}");
        }
        // A third entry for that turn is none of these.
        let (code, said) = merged(&repo, &with(&[GAME[0], "2 besiegers e4-e5 @2026-11-22T08:04:00Z\n"]), parents);
        assert!(code == 1 && said.contains("rewritten: from entry 2 on"), "{parents:?}: {said}");
    }
    // What both agree on is kept all the same.
    let (code, said) = merged(&repo, &record(1), &["side2", "side0", "side1"]);
    assert!(code == 1 && said.contains("shortened"), "{said}");
}

#[test]
fn a_record_that_any_parent_has_and_the_merge_has_not_is_a_removal() {
    let repo = branches(&[&GAME[..2], &GAME[..1]]);
    for parents in [["side0", "side1"], ["side1", "side0"]] {
        for gone in ["a.pbem", "b.pbem", "c0.pbem", "c1.pbem"] {
            repo.git(&["checkout", "-q", "-f", "--detach", parents[0]]).ok();
            repo.git(&["checkout", parents[1], "--", "."]).ok();
            repo.write("a.pbem", record(2));
            repo.git(&["add", "-A"]).ok();
            repo.git(&["rm", "-q", "-f", "--cached", gone]).ok();
            let tree = repo.git(&["write-tree"]).ok();
            let args = ["commit-tree", tree.trim(), "-m", "merged", "-p", parents[0], "-p", parents[1]];
            let commit = repo.git(&args).ok();
            for range in [commit.trim().to_owned(), format!("{}..{}", parents[1], commit.trim())] {
                let said = repo.postrider(&["git", "check", &range]);
                let refused = format!("{gone}: refused: the record of ");
                assert!(said.code == 1 && said.out.matches(&refused).count() == 1, "{parents:?} {gone}: {}", said.out);
                repo.postrider(&["git", "check", "--allow-removal", &range]).ok();
            }
        }
    }
    // Two games under one path, of which the merge keeps one.
    let repo = branches(&[&GAME[..1], &GAME[..1]]);
    for (side, id) in [("side0", "asalto-one"), ("side1", "asalto-two")] {
        repo.git(&["checkout", "-q", "-f", side]).ok();
        repo.write("new.pbem", record(1).replace("asalto-in-git", id));
        repo.commit(id).ok();
    }
    repo.git(&["checkout", "-q", "-f", "side0"]).ok();
    let kept = repo.read("new.pbem");
    let _ = repo.git(&["merge", "-q", "--no-commit", "-X", "ours", "side1"]);
    repo.write("new.pbem", kept);
    repo.git(&["add", "-A"]).ok();
    let said = repo.postrider(&["git", "check", "--staged"]);
    let mut told = Told::default();
    told.note(&repo.session, "git check --staged", &said);
    insta::assert_snapshot!("two_games_under_one_path", told.text());
    let other = repo.git(&["show", "MERGE_HEAD:new.pbem"]).ok();
    repo.write("other.pbem", other);
    repo.git(&["add", "-A"]).ok();
    repo.postrider(&["git", "check", "--staged"]).ok();
}

#[test]
fn neither_grafts_nor_replaced_commits_hide_a_rewrite() {
    let repo = Repo::plain(&[]);
    for entries in [3, 1, 2] {
        repo.write("a.pbem", record(entries));
        repo.commit("an entry").ok();
    }
    let ids = repo.git(&["rev-list", "HEAD"]).ok();
    let [last, cut, first] = ids.lines().collect::<Vec<_>>()[..] else { panic!("{ids}") };
    let refused = |range: &str| {
        let said = repo.postrider(&["git", "check", range]);
        assert!(said.code == 1 && said.out.contains("shortened: entry 2"), "{} {}", said.code, said.out);
        let odd = repo.postrider(&["git", "history"]);
        assert!(odd.out.contains("cut the record off before entry 2"), "{}", odd.out);
    };
    // The commit after the cut has another parent, or none.
    for graft in [format!("{last} {first}\n{cut}\n"), format!("{last}\n")] {
        repo.write(".git/info/grafts", graft);
        refused("HEAD");
        refused("HEAD~2..HEAD");
    }
    std::fs::remove_file(repo.folder.join(".git/info/grafts")).unwrap();
    repo.git(&["replace", "--graft", last]).ok();
    refused("HEAD");
    repo.git(&["replace", "-f", cut, first]).ok();
    refused("HEAD");
}

/// What `check` relies on where it judges the longest version of a record only.
#[test]
fn every_beginning_of_a_legal_record_that_ends_before_an_entry_is_legal() {
    let (mut files, mut tried) = (0, 0);
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for game in std::fs::read_dir(data).unwrap().flatten() {
        for file in std::fs::read_dir(game.path().join("legal")).into_iter().flatten().flatten() {
            if file.path().extension().is_none_or(|ending| ending != "pbem") || files % 3 != 0 {
                files += 1;
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(file.path()).unwrap();
            let verdict = postrider_referee::verdict::verify(text.as_bytes());
            if verdict.signers.as_ref().is_some_and(|signers| signers.newest_only) {
                continue;
            }
            let body = text.find("\n---\n").map_or(0, |at| at + 5);
            let starts: Vec<usize> = text[body..]
                .match_indices('\n')
                .map(|(at, _)| body + at + 1)
                .filter(|&at| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit))
                .collect();
            for (nth, &start) in starts.iter().enumerate().rev().step_by(starts.len().div_ceil(4).max(1)) {
                let verdict = postrider_referee::verdict::verify(&text.as_bytes()[..start]);
                let place = format!("{}, {start}: {verdict}", file.path().display());
                assert_eq!(verdict.ruling, postrider_referee::verdict::Ruling::Legal, "{place}");
                let first = usize::from(text.as_bytes().get(body).is_some_and(u8::is_ascii_digit));
                assert_eq!(verdict.entries as usize, nth + first, "{place}");
                tried += 1;
            }
        }
    }
    assert!(tried > 50, "{tried} of {files} files");
}

#[test]
fn a_long_record_is_judged_as_each_of_its_versions_would_be() {
    let repo = Repo::plain(&[]);
    let source = std::fs::read_to_string("tests/data/subsume/legal/game-071.pbem").unwrap();
    let body = source.find("\n1 ").unwrap() + 1;
    let lines: Vec<&str> = source[body..].split_inclusive('\n').take(30).collect();
    let mut bad = String::new();
    for entries in 1..=lines.len() {
        let mut text = source[..body].to_owned() + &lines[..entries].concat();
        if entries == 20 {
            // Illegal here, and put right by the next commit.
            text = text.replace(lines[19], &lines[18].replacen("19 ", "20 ", 1));
        }
        repo.write("a.pbem", text);
        repo.commit("an entry").ok();
        if entries == 20 {
            bad = repo.git(&["rev-parse", "--short=12", "HEAD"]).ok().trim().to_owned();
        }
    }
    let said = repo.postrider(&["git", "check", "HEAD"]);
    assert!(said.code == 1 && said.out.lines().all(|line| line.starts_with(&bad)), "{}", said.out);
    let told = repo.postrider(&["git", "check", "HEAD~5..HEAD", "--json"]).ok();
    let entries: Vec<u64> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| !row["commit"].is_null())
        .map(|row| row["entries"].as_u64().unwrap())
        .collect();
    assert_eq!(entries, [26, 27, 28, 29, 30]);
}

#[test]
fn a_long_history_is_told_the_same_whether_it_is_packed_or_not() {
    const ENTRIES: usize = 560;
    const HEAD: &str = "---\npbem: 1\ngame: assideum\nid: assideum-to-and-fro\nplayers:\n  white: {name: Ada Quill}\n  \
                        black: {name: Bram Post}\nstarted: 2026-11-21\n---\n";
    let actions = ["white Rd1=E", "black Rd8=E", "white Rd1=N", "black Rd8=S"];
    let lines: Vec<String> = (0..ENTRIES).map(|nth| format!("{} {}\n", nth + 1, actions[nth % 4])).collect();
    // An entry is illegal for one commit; later an earlier one is rewritten for one commit, and the record is cut for another.
    let version = |entries: usize| {
        let mut text = HEAD.to_owned() + &lines[..entries].concat();
        match entries {
            100 => text = text.replace("100 black Rd8=S\n", "100 black Rd8=N\n"),
            300 => text = text.replace("\n7 white Rd1=N\n", "\n7 white Rd1=W\n"),
            400 => text = HEAD.to_owned() + &lines[..390].concat(),
            _ => {}
        }
        text
    };
    let mut stream = String::new();
    for entries in 1..=ENTRIES {
        let (text, at) = (version(entries), 1_790_000_000 + entries);
        let file = format!("M 100644 inline a.pbem\ndata {}\n{text}\n", text.len());
        stream.push_str(&format!(
            "commit refs/heads/main\ncommitter Ada <ada@example.org> {at} +0000\ndata 1\nc\n{file}"
        ));
    }
    let said = |pack: bool| {
        let repo = Repo::plain(&[]);
        let mut command = repo.command("git", &repo.folder);
        let mut child = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git");
        child.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("git reads");
        assert!(child.wait().expect("git").success());
        if pack {
            repo.git(&["repack", "-adfq", "--depth=50"]).ok();
        } else {
            // Each object a file of its own.
            let packs = repo.folder.join(".git/objects/pack");
            let away = repo.folder.join("away");
            std::fs::rename(&packs, &away).expect("moved");
            std::fs::create_dir(&packs).expect("a folder");
            for file in std::fs::read_dir(&away).expect("packs").flatten() {
                if file.path().extension().is_some_and(|end| end == "pack") {
                    let mut unpack = repo.command("git", &repo.folder);
                    let pack = std::fs::File::open(file.path()).expect("a pack");
                    assert!(unpack.args(["unpack-objects", "-q"]).stdin(pack).status().expect("git").success());
                }
            }
        }
        let checked = repo.postrider(&["git", "check", "HEAD", "--json"]);
        assert_eq!(checked.code, 1, "{}", checked.err);
        (checked.out, repo.postrider(&["git", "history", "--json"]).out)
    };
    let (packed, loose) = (said(true), said(false));
    assert_eq!(packed, loose);
    let rows: Vec<Value> = packed.0.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let bad = rows.iter().filter(|row| row["verdict"] != "legal" && !row["commit"].is_null()).count();
    assert!(
        (3..=6).contains(&bad),
        "{bad} of {}: {}",
        rows.len(),
        packed.0.lines().filter(|line| !line.contains("\"legal\"")).collect::<String>()
    );
}
