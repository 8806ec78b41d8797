//! Whatever a command writes, it reads each file of the home once, and once more for each time that it replaces it: an editor asks for no
//! lock, so that what is replaced is compared as late as can be. A note is written once for each state that it tells of. A session runs one
//! command after another, each of which is one of these.

use std::collections::BTreeMap;

use super::{DEPLOY, Later, SEALED_FILE, hosts, injector, sealed};
use crate::countersigned;
use crate::letters::{GAME_FILE, ID, bram, letter, record};
use crate::repository::{self, Repo};
use crate::session::Session;
use crate::time_stamps::Authority;

/// How often a file was read, replaced and made.
#[derive(Debug, Default)]
struct Uses {
    read: usize,
    replaced: usize,
    made: usize,
}

/// What a run did to each file of the home and of the folder of games.
fn uses(session: &Session, arguments: &[&str], input: &[u8]) -> BTreeMap<String, Uses> {
    let (calls, ran) = injector::calls(session, arguments, input);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}{}", ran.out, ran.err);
    let folder = format!("{}/", session.folder.path().display());
    let mut all: BTreeMap<String, Uses> = BTreeMap::new();
    for call in calls {
        let paths: Vec<String> = call
            .shown
            .split('"')
            .skip(1)
            .step_by(2)
            .map(|path| path.strip_prefix(&folder).unwrap_or(path).replace("home/../", ""))
            .collect();
        let done = !call.shown.contains(" = -1 ");
        match (call.name.as_str(), &paths[..]) {
            ("open" | "openat", [path]) if done && call.shown.contains("O_RDONLY") => {
                let is_kept = path.starts_with("home/") || path.ends_with(".pbem");
                if is_kept && !session.path(path).is_dir() {
                    all.entry(path.clone()).or_default().read += 1;
                }
            }
            ("rename" | "renameat" | "renameat2" | "link" | "linkat", [from, to]) if done => {
                let uses = all.entry(to.clone()).or_default();
                // A file that is not there yet is made under another name first.
                *(if from.contains(".new.") { &mut uses.made } else { &mut uses.replaced }) += 1;
            }
            _ => {}
        }
    }
    assert!(!all.is_empty(), "{arguments:?}");
    all
}

/// How often a record may be read besides.
fn more_reads(arguments: &[&str]) -> usize {
    match arguments[0] {
        // The header of a record says which game it is: by that it is found, before it is locked and read.
        "receive" => 1,
        _ if arguments.contains(&ID) => 1,
        // What a job says is done in the same way by the next run, which has read nothing yet.
        "host" => 1,
        _ => 0,
    }
}

/// How many states of a file one run may write.
fn states(command: &str, path: &str) -> usize {
    match path {
        // A letter is about to go out, and then has gone.
        path if path.starts_with("home/data/sent/") => 2,
        // What came, and then the answer to it or its receipt; and the copy of each.
        path if (path.ends_with(".pbem") || path.ends_with(".known")) && command == "receive" => 2,
        _ => 1,
    }
}

#[track_caller]
fn once(session: &Session, arguments: &[&str], input: &[u8]) {
    for (path, Uses { read, replaced, made }) in uses(session, arguments, input) {
        let more = if path.ends_with(".pbem") { more_reads(arguments) } else { 0 };
        let told =
            format!("{arguments:?} reads {path} {read} times, makes it {made} times, and replaces it {replaced} times");
        assert!(read <= 1 + replaced + more, "{told}");
        assert!(replaced <= states(arguments[0], &path) && made <= 1, "{told}");
    }
}

#[test]
fn a_move_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let entry = ["move", GAME_FILE, "c6-d6", "--at", "2026-11-22T20:40:00Z"];
    once(&bram(2), &entry, b"");
    once(&bram(2), &[&entry[..], &["--send"]].concat(), b"");
    once(&bram(2), &[&entry[..], &["--dry-run"]].concat(), b"");
    let signed = bram(2);
    signed.run_later(&["key", "new"]).ok();
    once(&signed, &[&entry[..], &["--send"]].concat(), b"");
    // Once more: it stands, and its letter has gone.
    once(&signed, &[&entry[..], &["--send"]].concat(), b"");
    once(&signed, &["send", GAME_FILE, "--force"], b"");
    let undone = bram(2);
    undone.run_later(&entry).ok();
    once(&undone, &["undo", GAME_FILE], b"");
}

#[test]
fn a_sealed_and_signed_move_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let session = sealed("");
    session.run_later(&["key", "new"]).ok();
    once(&session, &DEPLOY, b"");
    once(&session, &["move", SEALED_FILE, "resign", "--for", "black"], b"");
    once(&session, &["secret", "publish", SEALED_FILE, "--send"], b"");
}

#[test]
fn a_reply_that_was_prepared_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let session = bram(1);
    once(&session, &["if", GAME_FILE, "c4-c5", "c6-d6"], b"");
    session.write(GAME_FILE, record(2));
    once(&session, &["answer", GAME_FILE, "--send"], b"");
}

#[test]
fn a_letter_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let text = letter(&record(2));
    once(&bram(1), &["receive"], text.as_bytes());
    let answers = bram(1);
    answers.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
    once(&answers, &["receive", "--answer"], text.as_bytes());
    // The same letter once more.
    once(&answers, &["receive", "--answer", "--again"], text.as_bytes());
}

#[test]
fn what_was_announced_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let (session, resigns) = crate::announced::waiting();
    once(&session, &["receive"], resigns.as_bytes());
    once(&session, &["move", GAME_FILE, "c6-d6", "--send"], b"");
}

#[test]
fn a_receipt_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let (before, there) = (&crate::letters::GAME[..1], countersigned::game(true, &crate::letters::GAME[..2]));
    let session = countersigned::brams(&countersigned::game(true, before));
    once(&session, &["receive", "--countersign"], letter(&there).as_bytes());
    let session = countersigned::brams(&there);
    once(&session, &["countersign", countersigned::FILE, "--send"], b"");
}

#[test]
fn a_stamp_reads_and_writes_each_file_once() {
    let Some(authority) = Authority::new().filter(|_| injector::available()) else { return };
    let session = &authority.session;
    session.write(GAME_FILE, record(2));
    let stamp = ["stamp", GAME_FILE, "--authorities", "ca.pem", "--", "sh", "tsa.sh"];
    once(session, &stamp, b"");
}

#[test]
fn whatever_begins_a_game_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let ada = "Ada Quill <ada@example.org>";
    once(&bram(1), &["new", "asalto", "--against", ada], b"");
    once(&bram(1), &["invite", ada, "asalto"], b"");
    let invited = bram(1);
    invited.feed(&["receive"], letter(&record(1).replace("mail01", "mail02")).as_bytes()).ok();
    once(&invited, &["invite", "accept"], b"");
}

#[test]
fn a_game_that_is_named_by_its_id_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let session = bram(2);
    once(&session, &["move", ID, "c6-d6", "--at", "2026-11-22T20:40:00Z"], b"");
    once(&session, &["doctor"], b"");
}

#[test]
fn a_host_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let (session, _, entry) = hosts::begun();
    once(&session, &["host", "receive"], entry.as_bytes());
}

#[test]
fn a_move_that_is_pushed_reads_and_writes_each_file_once() {
    if !injector::available() {
        return;
    }
    let repo = Repo::new();
    let session = &repo.session;
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\nmail: {transport: git}\n");
    session.write("a repository/ours.pbem", repository::record(2));
    let hub = session.path("hub.git");
    repo.git(&["init", "-q", "--bare", &hub.to_string_lossy()]).ok();
    repo.git(&["remote", "add", "origin", &hub.to_string_lossy()]).ok();
    repo.git(&["add", "-A"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "two entries"]).ok();
    repo.git(&["push", "-q", "--no-verify", "-u", "origin", "HEAD"]).ok();
    once(session, &["move", "a repository/ours.pbem", "c6-d6", "--send"], b"");
}
