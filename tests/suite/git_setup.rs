//! `postrider git setup`: a repository is set up for games completely or not at all.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::programs;
use crate::repository::{GAME, Repo, done, record, with};

fn executable(repo: &Repo, name: &str, text: &str) {
    programs::write(&repo.folder.join(name), text);
}

#[test]
fn a_second_run_changes_nothing_and_remove_takes_everything_away() {
    let repo = Repo::plain(&[]);
    repo.write(".gitattributes", "*.txt text");
    executable(&repo, ".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    let before = |name: &str| fs::read(repo.folder.join(name)).unwrap();
    let (attributes, config, hook) = (before(".gitattributes"), before(".git/config"), before(".git/hooks/pre-commit"));
    let missing = repo.postrider(&["git", "setup", "--check"]);
    assert_eq!((missing.code, missing.out.matches("missing: ").count()), (1, 6), "{}", missing.out);
    let told = repo.postrider(&["git", "setup"]).ok();
    assert_eq!(told.matches("written: ").count(), 6, "{told}");
    let there = [before(".gitattributes"), before(".git/config"), before(".git/hooks/pre-commit")];
    assert_eq!(repo.postrider(&["git", "setup"]).ok(), "everything is already in place: nothing changed\n");
    assert_eq!(there, [before(".gitattributes"), before(".git/config"), before(".git/hooks/pre-commit")]);
    assert!(!repo.postrider(&["git", "setup", "--check"]).ok().contains("missing"));
    repo.postrider(&["git", "setup", "--remove"]).ok();
    assert_eq!(before(".gitattributes"), [attributes, b"\n".to_vec()].concat());
    assert_eq!((before(".git/config"), before(".git/hooks/pre-commit")), (config, hook));
    assert!(!repo.folder.join(".git/hooks/pre-merge-commit").exists());
    assert_eq!(repo.postrider(&["git", "setup", "--remove"]).ok(), "nothing of postrider's is set up here\n");
}

#[test]
fn the_hook_that_was_there_before_is_called_first_and_may_refuse() {
    let repo = Repo::plain(&[]);
    executable(&repo, ".git/hooks/pre-commit", "#!/bin/sh\necho before >> seen\ntest ! -e forbidden\n");
    repo.postrider(&["git", "setup"]).ok();
    repo.write("one.pbem", record(1));
    repo.commit("one").ok();
    assert_eq!(repo.read("seen"), "before\n");
    repo.write("forbidden", "");
    repo.commit("two").fails(1);
    fs::remove_file(repo.folder.join("forbidden")).unwrap();
    repo.write("one.pbem", with(&[GAME[0], "2 besiegers c4-c3 @2026-11-22T08:02:11Z\n"]));
    repo.commit("a step back").fails(1);
}

#[test]
fn every_kind_of_repository_can_be_set_up() {
    // Hooks in a folder chosen by the user, whose name contains a space, a quote and more.
    let repo = Repo::plain(&[]);
    repo.git(&["config", "core.hooksPath", "../my 'hooks' \u{e9}"]).ok();
    let told = repo.postrider(&["git", "setup"]).ok();
    assert!(told.contains("which core.hooksPath names"), "{told}");
    repo.write("bad.pbem", "no record");
    repo.commit("bad").fails(1);

    // Object names of SHA-256.
    let repo = Repo::plain(&["--object-format=sha256"]);
    repo.postrider(&["git", "setup"]).ok();
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    repo.write("a.pbem", record(1));
    let refused = repo.commit("one").fails(1);
    assert!(refused.contains("shortened"), "{refused}");

    // A second work tree of the same repository.
    let repo = Repo::new();
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    repo.git(&["worktree", "add", "-q", "-b", "another", "../another tree"]).ok();
    let tree = repo.session.path("another tree");
    fs::write(tree.join("a.pbem"), "gone").unwrap();
    done(repo.command("git", &tree).args(["commit", "-qam", "gone"])).fails(1);
    let check = done(repo.command(env!("CARGO_BIN_EXE_postrider"), &tree).args(["git", "setup", "--check"])).ok();
    assert!(!check.contains("missing"), "{check}");

    // A repository inside another one.
    let outer = Repo::plain(&[]);
    let inner = repo.folder.to_string_lossy().into_owned();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &inner, "games"]).ok();
    let folder = outer.folder.join("games");
    done(outer.command(env!("CARGO_BIN_EXE_postrider"), &folder).args(["git", "setup"])).ok();
    fs::write(folder.join("a.pbem"), "gone").unwrap();
    done(outer.command("git", &folder).args(["commit", "-qam", "gone"])).fails(1);
}

#[test]
fn a_bare_repository_is_guarded_against_pushes() {
    let repo = Repo::new();
    let bare = repo.session.path("bare games.git");
    done(repo.command("git", repo.session.folder.path()).args(["init", "-q", "--bare", "-b", "main"]).arg(&bare)).ok();
    repo.postrider(&["git", "setup", &bare.to_string_lossy()]).ok();
    repo.git(&["remote", "add", "origin", &bare.to_string_lossy()]).ok();
    repo.write("a.pbem", record(3));
    repo.commit("three").ok();
    repo.git(&["push", "-q", "--no-verify", "origin", "main"]).ok();
    // Forced past one's own hook: the other end checks too, and accepts nothing.
    repo.write("a.pbem", record(2));
    repo.git(&["commit", "-q", "-a", "--amend", "--no-verify", "-m", "two"]).ok();
    let refused = repo.git(&["push", "-q", "--no-verify", "--force", "origin", "main"]).fails(1);
    assert!(refused.contains("shortened: entry 3"), "{refused}");
    repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "more"]).ok();
    repo.git(&["rm", "-q", "a.pbem"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "none"]).ok();
    let refused = repo.git(&["push", "-q", "--no-verify", "--force", "origin", "main"]).fails(1);
    assert!(refused.contains("is removed"), "{refused}");
    // On a new branch illegal records are refused as well.
    repo.git(&["checkout", "-q", "-b", "side", "origin/main"]).ok();
    repo.write("b.pbem", record(2).replace("c4-c5", "c4-c3"));
    repo.git(&["add", "b.pbem"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "illegal"]).ok();
    let refused = repo.git(&["push", "-q", "--no-verify", "origin", "side"]).fails(1);
    assert!(refused.contains("T21"), "{refused}");
    // A record that continues is accepted.
    repo.git(&["checkout", "-q", "-B", "side", "origin/main"]).ok();
    repo.write("a.pbem", record(5));
    repo.commit("five").ok();
    repo.git(&["push", "-q", "--no-verify", "origin", "side:main"]).ok();
}

#[test]
fn nothing_is_half_done_where_something_is_in_the_way() {
    let nowhere = crate::session::Session::new();
    nowhere.write("here/a.txt", "");
    let here = nowhere.path("here");
    let none = nowhere
        .command(&["git", "setup", &here.to_string_lossy()])
        .env("GIT_CEILING_DIRECTORIES", "/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert_eq!(none.status.code(), Some(2), "{said}");
    assert!(said.contains("is not in a git repository") && said.contains("`git init`"), "{said}");

    let repo = Repo::plain(&[]);
    let config = repo.read(".git/config");
    // There is a folder where a hook should go.
    fs::create_dir_all(repo.folder.join(".git/hooks/pre-merge-commit/x")).unwrap();
    repo.postrider(&["git", "setup"]).fails(2);
    assert_eq!(repo.read(".git/config"), config);
    assert!(!repo.folder.join(".gitattributes").exists() && !repo.folder.join(".git/hooks/pre-commit").exists());

    let no_git =
        repo.session.command(&["git", "setup", &repo.folder.to_string_lossy()]).env("PATH", "").output().unwrap();
    let said = String::from_utf8_lossy(&no_git.stderr).into_owned();
    assert_eq!(no_git.status.code(), Some(2), "{said}");
    assert!(said.contains("no program `git`"), "{said}");
}

#[test]
fn boards_that_were_drawn_are_taken_away_with_the_rest() {
    let repo = Repo::plain(&[]);
    repo.postrider(&["git", "setup", "--boards"]).ok();
    repo.write("a.pbem", record(1));
    repo.commit("one").ok();
    repo.write("a.pbem", record(2));
    repo.commit("two").ok();
    assert!(repo.git(&["log", "-p", "-1"]).ok().contains("B...B"));
    let drawn = || repo.git(&["for-each-ref", "refs/notes"]).ok();
    assert!(!drawn().is_empty());
    let told = repo.postrider(&["git", "setup", "--remove"]).ok();
    assert!(told.contains("the boards that `git diff` had drawn") && drawn().is_empty(), "{told}{}", drawn());
    assert!(!repo.postrider(&["git", "setup", "--remove"]).ok().contains("taken away"));
}

#[test]
fn settings_that_another_git_is_writing_are_left_alone() {
    let repo = Repo::plain(&[]);
    let config = repo.read(".git/config");
    repo.write(".git/config.lock", "");
    let said = repo.postrider(&["git", "setup"]).fails(2);
    assert!(said.contains("is locked") && said.contains("wait, and try again"), "{said}");
    assert_eq!(repo.read(".git/config"), config);
    assert!(!repo.folder.join(".gitattributes").exists() && repo.folder.join(".git/config.lock").exists());
    fs::remove_file(repo.folder.join(".git/config.lock")).unwrap();
    repo.postrider(&["git", "setup"]).ok();
    assert!(!repo.folder.join(".git/config.lock").exists());
}

#[test]
fn what_has_no_effect_is_told_and_mended_where_it_can_be() {
    let repo = Repo::new();
    repo.write("games/a.pbem", record(1));
    repo.commit("one").ok();
    assert!(!repo.postrider(&["git", "setup", "--check"]).ok().contains("overruled"));
    for line in ["*.pbem merge=union\n", "*.pbem -merge\n", "* binary\n", "games/* eol=crlf\n"] {
        // Further down in the same file: our line becomes the last one again.
        let ours = repo.read(".gitattributes");
        repo.write(".gitattributes", ours + line);
        let told = repo.postrider(&["git", "setup", "--check"]);
        assert!(told.code == 1 && told.out.contains("missing: attributes of *.pbem"), "{line}: {}", told.out);
        repo.postrider(&["git", "setup"]).ok();
        assert_eq!(repo.read(".gitattributes").matches("merge=pbem").count(), 1);
        repo.postrider(&["git", "setup", "--check"]).ok();
        // In another file that comes later this program changes nothing, and says so.
        for file in ["games/.gitattributes", ".git/info/attributes"] {
            repo.write(file, line.replace("games/", ""));
            for args in [&["git", "setup", "--check"][..], &["git", "setup"]] {
                let told = repo.postrider(args);
                let asked = "`git check-attr -a -- games/a.pbem`";
                assert!(told.code == 1 && told.out.contains("overruled: games/a.pbem has "), "{line}: {}", told.out);
                assert!(told.out.contains(asked), "{}", told.out);
            }
            fs::remove_file(repo.folder.join(file)).unwrap();
        }
    }
    repo.git(&["config", "extensions.worktreeConfig", "true"]).ok();
    repo.git(&["config", "--worktree", "merge.pbem.driver", "true"]).ok();
    let told = repo.postrider(&["git", "setup", "--check"]);
    assert!(told.code == 1 && told.out.contains("overruled: merge.pbem.driver is `true`, not "), "{}", told.out);
}

#[test]
fn a_program_that_was_moved_is_found_on_the_path_by_hooks_and_drivers() {
    let repo = Repo::plain(&[]);
    // A program whose own path has everything in it that git or a shell might read.
    let folder = repo.session.path("100%P of 'it'");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("postrider");
    programs::copy(Path::new(env!("CARGO_BIN_EXE_postrider")), &program);
    done(repo.command(&program, &repo.folder).args(["git", "setup", "--boards"])).ok();
    for moved in [false, true] {
        if moved {
            fs::remove_file(&program).unwrap();
        }
        let (main, side) = (format!("main{moved}"), format!("side{moved}"));
        repo.git(&["checkout", "-q", "--orphan", &main]).ok();
        repo.write("a.pbem", record(1));
        repo.commit("one").ok();
        repo.git(&["checkout", "-q", "-b", &side]).ok();
        repo.write("a.pbem", record(3));
        repo.commit("three").ok();
        repo.git(&["checkout", "-q", &main]).ok();
        repo.write("a.pbem", record(1) + "# a remark\n");
        repo.commit("a remark").ok();
        repo.git(&["merge", "-q", "-m", "merged", &side]).ok();
        assert!(repo.read("a.pbem").contains("# a remark\n2 besiegers"), "{moved}");
        assert!(repo.git(&["log", "-p", "-1", "-m"]).ok().contains("B...B"), "{moved}");
    }
}

#[test]
fn a_push_is_checked_before_it_leaves_whatever_made_the_commits() {
    let repo = Repo::new();
    // A plain hub, which checks nothing.
    done(repo.command("git", repo.session.folder.path()).args(["init", "-q", "--bare", "-b", "main", "hub.git"])).ok();
    repo.git(&["remote", "add", "hub", "../hub.git"]).ok();
    for entries in 1..=3 {
        repo.write("a.pbem", record(entries));
        repo.commit("an entry").ok();
    }
    executable(&repo, ".git/hooks/pre-push.before-postrider", "#!/bin/sh\ncat > seen\nprintf '%s' \"$1\" > to\n");
    repo.git(&["push", "-q", "hub", "main"]).ok();
    assert!(repo.read("seen").starts_with("refs/heads/main ") && repo.read("to") == "hub");
    // No hook is asked about the commit itself.
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    let refused = repo.git(&["push", "-q", "hub", "main"]).fails(1);
    assert!(refused.contains("shortened: entry 3"), "{refused}");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    // A rebase that drops a commit which others have.
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    repo.write("readme", "");
    repo.commit("a readme").ok();
    let refused = repo.git(&["push", "-q", "--force", "hub", "main"]).fails(1);
    assert!(refused.contains("shortened: entry 3"), "{refused}");
    // On a new branch, what the hub has already is not looked at again.
    repo.git(&["push", "-q", "hub", "main:readme"]).ok();
    // What is on the hub only cannot be compared: nothing is replaced unseen.
    let other = repo.session.path("other");
    done(repo.command("git", repo.session.folder.path()).args(["clone", "-q", "hub.git", "other"])).ok();
    fs::write(other.join("a.pbem"), record(4)).unwrap();
    done(repo.command("git", &other).args(["commit", "-qam", "four"])).ok();
    done(repo.command("git", &other).args(["push", "-q", "origin", "main"])).ok();
    let refused = repo.git(&["push", "-q", "--force", "hub", "main"]).fails(1);
    assert!(refused.contains("hub has commits that are not here") && refused.contains("`git fetch`"), "{refused}");
    repo.git(&["pull", "-q", "--no-rebase", "--no-edit", "hub", "main"]).ok();
    repo.git(&["push", "-q", "hub", "main"]).ok();
    // A branch is deleted only where what it had stays.
    repo.git(&["push", "-q", "hub", ":readme"]).ok();
}

/// Dispatchers find out from their own name what they are to do, and from their folder where that is.
#[test]
fn a_hook_that_asks_for_its_own_name_still_does_its_work() {
    let by_name = "n=$(basename \"$0\")\n[ -x \".hooks.d/$n\" ] || exit 0\nexec \".hooks.d/$n\" \"$@\"\n";
    // As husky 9 makes them: a script in the folder of the hooks reads another beside it, which asks for the name.
    let beside = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n";
    let h = "n=$(basename \"$0\")\ns=\".hooks.d/$n\"\n[ -f \"$s\" ] || exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n";
    // As husky 4 to 8: it starts itself again.
    let again = "#!/bin/sh\nif [ -z \"$again\" ]; then\n  export again=1\n  sh -e \"$0\" \"$@\"\n  exit $?\nfi\n";
    let python = "#!/usr/bin/env python3\nimport os, subprocess, sys\nhook = os.path.basename(sys.argv[0])\n\
                  sys.exit(subprocess.call(['.hooks.d/' + hook] + sys.argv[1:]))\n";
    for (what, hook) in [
        ("sh", format!("#!/bin/sh\n{by_name}")),
        ("bash with an option", format!("#!/usr/bin/env bash\n{by_name}")),
        ("sh with an option", format!("#!/bin/sh -e\n{by_name}")),
        ("no first line", by_name.to_owned()),
        ("beside", beside.to_owned()),
        ("again", format!("{again}{by_name}")),
        ("python", python.to_owned()),
    ] {
        let has_python = || std::process::Command::new("python3").arg("--version").output().is_ok();
        if what == "python" && !has_python() {
            continue;
        }
        let repo = Repo::plain(&[]);
        executable(&repo, ".git/hooks/pre-commit", &hook);
        repo.write(".git/hooks/h", h);
        executable(&repo, ".hooks.d/pre-commit", "#!/bin/sh\necho ran >> seen\ntest ! -e forbidden\n");
        repo.write("forbidden", "");
        repo.write("a.txt", "a");
        repo.commit("refused before").fails(1);
        repo.postrider(&["git", "setup"]).ok();
        fs::remove_file(repo.folder.join("seen")).unwrap();
        repo.commit("refused").fails(1);
        assert_eq!(repo.read("seen"), "ran\n", "{what}: once");
        fs::remove_file(repo.folder.join("forbidden")).unwrap();
        repo.commit("taken").ok();
        // What is odd about a record is still seen.
        repo.write("one.pbem", with(&[GAME[0], "2 besiegers c4-c3 @2026-11-22T08:02:11Z\n"]));
        repo.commit("a step back").fails(1);
        let left = fs::read_dir(repo.folder.join(".git/hooks")).unwrap().count();
        repo.postrider(&["git", "setup", "--remove"]).ok();
        assert!(left > 3 && repo.read(".git/hooks/pre-commit") == hook, "{what}");
    }
}

#[test]
fn a_program_that_sets_the_hook_aside_and_calls_it_is_called_once_and_runs_once() {
    // As pre-commit does ("migration mode"), whose own hook then calls the one that was there.
    let migrating =
        "#!/bin/sh\necho ran >> seen\n\"$(dirname \"$0\")/pre-commit.legacy\" \"$@\" || exit $?\ntest ! -e forbidden\n";
    let repo = Repo::plain(&[]);
    repo.postrider(&["git", "setup"]).ok();
    fs::rename(repo.folder.join(".git/hooks/pre-commit"), repo.folder.join(".git/hooks/pre-commit.legacy")).unwrap();
    executable(&repo, ".git/hooks/pre-commit", migrating);
    let bad = with(&[GAME[0], "2 besiegers c4-c3 @2026-11-22T08:02:11Z\n"]);
    // What was set aside is still called, and again after a second setup, with either of them at the front.
    for setups in 0..3 {
        if setups > 0 {
            repo.postrider(&["git", "setup"]).ok();
        }
        repo.write("a.txt", setups.to_string());
        let _ = fs::remove_file(repo.folder.join("seen"));
        repo.commit("taken").ok();
        assert_eq!(repo.read("seen"), "ran\n", "{setups}: once");
        repo.write("forbidden", "");
        repo.write("a.txt", format!("{setups} once more"));
        repo.commit("refused").fails(1);
        fs::remove_file(repo.folder.join("forbidden")).unwrap();
        repo.write("one.pbem", &bad);
        repo.commit("a step back").fails(1);
        fs::remove_file(repo.folder.join("one.pbem")).unwrap();
    }
}

#[test]
fn what_changes_a_record_on_its_way_into_the_folder_is_seen_by_the_check() {
    for attribute in ["filter=lfs", "working-tree-encoding=UTF-16", "ident", "-text"] {
        let repo = Repo::plain(&[]);
        repo.postrider(&["git", "setup"]).ok();
        repo.write("sub/.gitattributes", format!("*.pbem {attribute}\n"));
        repo.write("sub/one.pbem", record(1));
        repo.git(&["add", "-N", "sub/one.pbem"]).ok();
        let checked = repo.postrider(&["git", "setup", "--check"]);
        let name = attribute.trim_start_matches('-').split('=').next().unwrap();
        assert!(checked.code == 1 && checked.out.contains(name), "{attribute}: {}", checked.out);
    }
}

#[test]
fn an_earlier_hook_of_a_push_gets_no_empty_line() {
    let repo = Repo::plain(&[]);
    executable(&repo, ".git/hooks/pre-push", "#!/bin/sh\ncat > seen\n");
    repo.postrider(&["git", "setup"]).ok();
    let mut hook = std::process::Command::new(repo.folder.join(".git/hooks/pre-push"));
    let run = hook.args(["origin", "elsewhere"]).current_dir(&repo.folder).stdin(std::process::Stdio::null());
    assert!(run.output().unwrap().status.success());
    assert_eq!(repo.read("seen"), "");
}
