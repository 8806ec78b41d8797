//! `postrider git history`: where each entry comes from, and what is odd about it.
#![cfg(unix)]

use std::fs;

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
    let odd: Vec<&str> = report["odd"].as_array().unwrap().iter().map(|odd| odd["text"].as_str().unwrap()).collect();
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
        "b.pbem was removed, 1 entry",
        "asalto-gone  no longer there",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn what_a_merge_removes_is_no_longer_there_and_is_told_once() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(1));
    repo.commit("a game").ok();
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    repo.write("b.pbem", record(2).replace("asalto-in-git", "asalto-aside"));
    repo.commit("another").ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write("notes", "notes\n");
    repo.commit("notes").ok();
    // One that every parent has is taken out of the merge, and one that only the other has does not come with it.
    repo.git(&["merge", "-q", "--no-commit", "side"]).ok();
    repo.git(&["rm", "-q", "-f", "a.pbem", "b.pbem"]).ok();
    repo.git(&["commit", "-q", "-m", "merged"]).ok();
    let told = |reports: &[Value]| {
        let of = |report: &Value| {
            let odd = report["odd"].as_array().unwrap().iter().filter(|odd| odd["code"] == "removed").count();
            (report["id"].as_str().unwrap().to_owned(), report["verdict"].clone(), odd)
        };
        reports.iter().map(of).collect::<Vec<_>>()
    };
    let gone = |id: &str| (id.to_owned(), Value::Null, 1);
    assert_eq!(told(&history(&repo, &[])), [gone("asalto-in-git"), gone("asalto-aside")]);
    let said = repo.postrider(&["git", "history"]).ok();
    assert!(said.contains("a.pbem was removed by the merge, 1 entry"), "{said}");
    assert!(said.contains("asalto-aside  no longer there"), "{said}");
    // The same in one command.
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    repo.git(&["merge", "-q", "-s", "ours", "-m", "ours", "side"]).ok();
    let ours = told(&history(&repo, &[]));
    assert_eq!(ours[1], gone("asalto-aside"));
    assert_eq!((&ours[0].1, ours[0].2), (&Value::from("legal"), 0));
    // Put back, it is there again.
    repo.git(&["checkout", "-q", "side", "--", "b.pbem"]).ok();
    repo.commit("back").ok();
    assert!(told(&history(&repo, &[])).iter().all(|(_, verdict, _)| verdict == "legal"));
}

#[test]
fn each_oddity_has_a_code_and_strict_ends_with_1() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(2));
    commit_as(&repo, "ada@example.org", "2026-11-22T08:03:00Z");
    repo.postrider(&["git", "history", "--strict"]).ok();
    repo.write("a.pbem", record(1));
    let cut = commit_as(&repo, "ada@example.org", "2026-11-22T08:04:00Z");
    repo.write("a.pbem", with(&[GAME[0], OTHER]));
    commit_as(&repo, "ada@example.org", "2026-11-22T08:05:00Z");
    let reports = history(&repo, &[]);
    let odd = &reports[0]["odd"][0];
    assert_eq!((&odd["code"], &odd["commit"], &odd["entry"]), (&"cut-off".into(), &cut.into(), &2.into()));
    assert!(odd["text"].as_str().unwrap().contains("it cut the record off before entry 2"), "{odd}");
    assert!(repo.postrider(&["git", "history"]).ok().contains(" [cut-off]\n"));
    assert_eq!(repo.postrider(&["git", "history", "--strict"]).code, 1);
}

#[test]
fn a_copy_of_a_game_is_a_record_of_its_own_and_hides_nothing() {
    let repo = Repo::plain(&[]);
    repo.write("a.pbem", record(1));
    let first = commit_as(&repo, "bram@example.net", "2026-11-21T10:20:00Z");
    repo.write("copy.pbem", record(1));
    commit_as(&repo, "bram@example.net", "2026-11-21T10:30:00Z");
    repo.write("copy.pbem", with(&[GAME[0], OTHER]));
    let other = commit_as(&repo, "ada@example.org", "2026-11-22T08:04:00Z");
    repo.write("a.pbem", record(2));
    let second = commit_as(&repo, "ada@example.org", "2026-11-22T08:05:00Z");
    // Renaming one of them renames that one.
    repo.git(&["mv", "copy.pbem", "z.pbem"]).ok();
    commit_as(&repo, "ada@example.org", "2026-11-22T08:06:00Z");
    let reports = history(&repo, &[]);
    let [one, copy] = reports.as_slice() else { panic!("{reports:?}") };
    let origin = |report: &Value, row: usize| report["rows"][row]["origin"]["commit"].as_str().unwrap().to_owned();
    let codes = |report: &Value| -> Vec<String> {
        report["odd"].as_array().unwrap().iter().map(|odd| odd["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((&one["path"], origin(one, 0), origin(one, 1)), (&"a.pbem".into(), first.clone(), second));
    assert_eq!((&copy["path"], origin(copy, 0), origin(copy, 1)), (&"z.pbem".into(), first, other));
    assert!(codes(one).is_empty(), "{one}");
    assert_eq!(codes(copy), ["copied", "renamed"], "{copy}");
    let text = copy["odd"][1]["text"].as_str().unwrap();
    assert!(text.contains("renamed from copy.pbem to z.pbem"), "{text}");
}

#[test]
fn an_entry_under_the_other_address_is_odd_only_where_its_player_commits_and_has_not_signed() {
    let other = |report: &Value| -> Vec<u64> {
        let odd = report["odd"].as_array().unwrap().iter().filter(|odd| odd["code"] == "other-address");
        odd.map(|odd| odd["entry"].as_u64().unwrap()).collect()
    };
    // One player keeps the record for both, as it comes by mail.
    let repo = Repo::plain(&[]);
    for (entries, date) in [(1, "2026-11-21T10:20:00Z"), (2, "2026-11-22T08:03:00Z"), (3, "2026-11-22T20:41:00Z")] {
        repo.write("a.pbem", record(entries));
        commit_as(&repo, "ada@example.org", date);
    }
    assert!(other(&history(&repo, &[])[0]).is_empty());
    // The other player commits too, and one entry was committed in his stead.
    repo.write("a.pbem", record(4));
    commit_as(&repo, "ada@example.org", "2026-11-23T07:01:00Z");
    repo.write("a.pbem", record(5));
    commit_as(&repo, "bram@example.net", "2026-11-23T18:32:00Z");
    assert_eq!(other(&history(&repo, &[])[0]), [1, 3]);
    // Signed entries are their player's, whoever committed them.
    let repo = Repo::plain(&[]);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/asalto/a-signed-game.pbem");
    let text = std::fs::read_to_string(path).unwrap();
    let at = text.find("\nplayers:\n").unwrap();
    let emails: Vec<&str> =
        text[at..].split("email: ").skip(1).take(2).map(|rest| rest.split(['}', '\n', ',']).next().unwrap()).collect();
    let third = text.find("\n4 ").unwrap() + 1;
    repo.write("a.pbem", &text[..third]);
    commit_as(&repo, emails.first().copied().unwrap_or("ada@example.org"), "2026-11-21T10:20:00Z");
    repo.write("a.pbem", &text);
    commit_as(&repo, emails.last().copied().unwrap_or("bram@example.net"), "2026-11-21T10:21:00Z");
    let report = &history(&repo, &[])[0];
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["signed"] == true), "{report}");
    assert!(other(report).is_empty(), "{report}");
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

/// Runs `git fast-import` with this stream.
fn import(repo: &Repo, stream: &[u8]) {
    use std::io::Write as _;
    let mut command = repo.command("git", &repo.folder);
    let command = command.args(["fast-import", "--quiet"]).stdin(std::process::Stdio::piped());
    let mut child = command.spawn().expect("git");
    child.stdin.take().expect("a pipe").write_all(stream).expect("git reads");
    assert!(child.wait().expect("git").success());
}

/// The text of record `place` with its first `entries` entries: each record has a peculiarity of its own.
fn version(head: &str, lines: &[&str], place: usize, entries: usize) -> String {
    let head = head.replace("id: ", &format!("id: {}", (b'a' + place as u8) as char));
    let mut text = head + &lines[..entries].concat();
    match place {
        1 => text = text.replace('\n', "\r\n"),
        2 if entries == 20 => text = text.replace(lines[19], &lines[19].replacen("; ", " ;  ", 1)),
        3 => text.truncate(text.trim_end().len()),
        4 => text = text.replace("\n1 ", "\n# well then\n\n1 ") + "# and now?\n",
        _ => {}
    }
    text
}

#[test]
fn a_long_history_is_followed_whatever_its_versions_look_like() {
    const RECORDS: usize = 16;
    const ENTRIES: usize = 40;
    let source = std::fs::read_to_string("tests/data/subsume/legal/game-071.pbem").unwrap();
    let body = source.find("\n1 ").unwrap() + 1;
    let lines: Vec<&str> = source[body..].split_inclusive('\n').take(ENTRIES).collect();
    assert!(lines.len() == ENTRIES && lines[19].contains("; ") && lines.iter().all(|line| line.as_bytes()[0] != b' '));
    for format in ["sha1", "sha256"] {
        let repo = Repo::plain(&[&format!("--object-format={format}")]);
        let mut stream = Vec::new();
        let mut commit = |number: usize, changes: &str| {
            let head = format!(
                "commit refs/heads/main\ncommitter Ada <ada@example.org> {} +0000\ndata 1\nc\n",
                1_790_000_000 + number
            );
            stream.extend_from_slice((head + changes).as_bytes());
        };
        let file = |name: &str, text: &str| format!("M 100644 inline {name}\ndata {}\n{text}\n", text.len());
        for number in 0..RECORDS * ENTRIES {
            let (place, entries) = (number % RECORDS, number / RECORDS + 1);
            let text = version(&source[..body], &lines, place, entries);
            let name = format!("{place:02}{}.pbem", if place == 5 && entries > 25 { "-moved" } else { "" });
            let gone = if place == 5 && entries == 26 { "D 05.pbem\n" } else { "" };
            commit(number, &(gone.to_owned() + &file(&name, &text)));
        }
        commit(RECORDS * ENTRIES, "D 06.pbem\n");
        import(&repo, &stream);
        let ids = repo.git(&["rev-list", "--reverse", "HEAD"]).ok();
        let ids: Vec<&str> = ids.lines().collect();
        for (range, first) in [("HEAD", 0), ("HEAD~560..HEAD", RECORDS * ENTRIES - 559)] {
            let reports = history(&repo, &[range]);
            assert_eq!(reports.len(), RECORDS);
            for report in &reports {
                let place = usize::from(report["id"].as_str().unwrap().as_bytes()[0] - b'a');
                let rows = report["rows"].as_array().unwrap();
                assert_eq!(rows.len(), ENTRIES, "{range} {place}");
                for (entry, row) in rows.iter().enumerate() {
                    // An entry comes from the commit that first had it as it is now.
                    let brought = if (place, entry) == (2, 19) { entry + 1 } else { entry } * RECORDS + place;
                    let expected = if brought < first { Value::Null } else { Value::from(ids[brought]) };
                    assert_eq!(row["origin"]["commit"], expected, "{range} {place} {entry}");
                }
                let odd: Vec<&str> =
                    report["odd"].as_array().unwrap().iter().map(|odd| odd["text"].as_str().unwrap()).collect();
                let told = |words: &[&str]| {
                    odd.len() == words.len() && odd.iter().zip(words).all(|(odd, word)| odd.contains(word))
                };
                let expected: &[&str] = match place {
                    2 => &["it changed entry 20 from "],
                    5 => &["renamed from 05.pbem to 05-moved.pbem"],
                    6 => &["06.pbem was removed, 40 entries"],
                    _ => &[],
                };
                assert!(told(expected), "{range} {place} {odd:?}");
                assert_eq!(report["verdict"], if place == 6 { Value::Null } else { "legal".into() });
            }
        }
    }
}

#[test]
fn a_commit_that_moves_a_record_and_adds_a_copy_has_written_two() {
    let repo = Repo::plain(&[]);
    repo.write("first.pbem", record(2));
    repo.commit("one").ok();
    fs::rename(repo.folder.join("first.pbem"), repo.folder.join("a.pbem")).unwrap();
    repo.write("b.pbem", record(2));
    repo.commit("move and copy").ok();
    repo.write("a.pbem", record(2) + "3 defenders c6-c1\n");
    repo.commit("an illegal entry").ok();
    repo.write("b.pbem", record(3));
    repo.commit("a legal entry in the copy").ok();
    let told = repo.postrider(&["git", "history"]);
    assert_eq!(told.code, 1, "{}", told.out);
    assert!(told.out.contains("a.pbem") && told.out.contains("b.pbem"), "{}", told.out);
    assert!(told.out.contains("b.pbem was copied from a.pbem"), "{}", told.out);
}

#[test]
fn a_commit_without_a_time_stops_nothing_and_is_named() {
    let repo = Repo::plain(&[]);
    repo.write("one.pbem", record(1));
    repo.commit("one").ok();
    repo.write("one.pbem", record(2));
    repo.git(&["add", "-A"]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    let parent = repo.git(&["rev-parse", "HEAD"]).ok();
    let (tree, parent) = (tree.trim(), parent.trim());
    let text = format!(
        "tree {tree}\nparent {parent}\nauthor A <a@example.org> -86400 +0000\ncommitter A <a@example.org> 100 +0000\n\nold\n"
    );
    repo.write("commit", text);
    let odd = repo.git(&["hash-object", "-t", "commit", "-w", "--literally", "commit"]).ok();
    fs::remove_file(repo.folder.join("commit")).unwrap();
    repo.git(&["reset", "-q", "--hard", odd.trim()]).ok();
    repo.write("one.pbem", record(3));
    repo.commit("three").ok();
    let told = repo.postrider(&["git", "history"]);
    assert!(told.out.contains("the time of the commit that wrote one.pbem cannot be read"), "{}{}", told.out, told.err);
    assert!(told.out.contains(&odd.trim()[..7]), "{}", told.out);
    assert_eq!(repo.postrider(&["git", "check", "HEAD~2..HEAD"]).code, 0);
    // And what is beyond the first commit is said to be that.
    let beyond = repo.postrider(&["git", "check", "HEAD~9..HEAD"]);
    assert!(beyond.code == 2 && !beyond.err.contains("graft") && beyond.err.contains("HEAD~9"), "{}", beyond.err);
}
