//! The command line of a host, and the files in `examples/host`.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::people::Letter;
use crate::letters::run;
use crate::session::{Done, Session};

const SETUP: &[&str] =
    &["host", "setup", "--yes", "--name", "The Mill", "--email", "games@example.com", "--outbox", "out"];

fn asks(words: &str) -> String {
    let id: String = words.chars().filter(char::is_ascii_alphanumeric).collect();
    format!(
        "From: Ada <ada@example.org>\nTo: games@example.com\nSubject: {words}\nMessage-ID: <{id}@mail.example.org>\n\
         Date: Sat, 21 Nov 2026 11:00:00 +0000\n\nHello\n"
    )
}

/// The one letter in the outbox.
fn outbox(session: &Session) -> Vec<PathBuf> {
    let list = fs::read_dir(session.path("out")).map(|list| list.map(|one| one.expect("an entry").path()).collect());
    let mut list: Vec<PathBuf> = list.unwrap_or_default();
    list.sort();
    list
}

#[test]
fn a_host_is_set_up_reads_a_letter_answers_and_says_how_it_stands() {
    let session = Session::new();
    let told = session.run(SETUP).ok();
    assert!(told.contains("settings.yaml written") && told.contains("recipient_delimiter"), "{told}");
    let secret = session.read("home/data/host/secret");
    session.feed(&["host", "receive"], asks("play asalto").as_bytes()).ok();
    assert_eq!(outbox(&session).len(), 1);
    // The same once more changes nothing.
    session.feed(&["host", "receive"], asks("play asalto").as_bytes()).ok();
    assert_eq!(outbox(&session).len(), 1);
    let status = session.run(&["host", "status", "--json"]).ok();
    assert!(status.contains("\"people\":1,") || status.contains("\"people\":1}"), "{status}");
    let people = session.run(&["host", "people"]).ok();
    assert!(people.contains("ada@example.org") && people.contains("has not answered"), "{people}");
    assert_eq!(session.run(&["host", "games"]).ok(), "");
    let log = session.read("home/data/host/log.jsonl");
    assert!(log.contains("\"from\":\"ada@example.org\"") && !log.contains("Hello"), "{log}");
    let letter = fs::read_to_string(&outbox(&session)[0]).expect("a letter");
    let token = letter.split("games+").nth(1).and_then(|rest| rest.split('@').next()).expect("a token");
    assert!(token.len() == 16 && !log.contains(token), "{log}");
    assert!(session.run(&["host", "forget", "ada@example.org"]).ok().contains("forgotten"));
    assert_eq!(session.run(&["host", "people"]).ok(), "");
    let _ = session.run(&["host", "forget", "ada@example.org"]).fails(2);
    // Setting it up again keeps the secret, and so every reply address, and what else is set.
    let settings = session.read("home/settings.yaml") + "  operator: \"ada@example.org\"\n  letters-a-day: 7\n";
    session.write("home/settings.yaml", settings.replace("\nhost:\n", "\nauthserv-id: \"mx.example.com\"\n\nhost:\n"));
    session.run(SETUP).ok();
    let again = session.read("home/settings.yaml");
    for kept in ["  operator: \"ada@example.org\"\n", "  letters-a-day: 7\n", "\nauthserv-id: \"mx.example.com\"\n"] {
        assert!(again.contains(kept), "{again}");
    }
    assert_eq!(session.read("home/data/host/secret"), secret);
}

#[test]
fn what_a_stranger_writes_steers_no_terminal_that_shows_the_lists_of_a_host() {
    let session = Session::new();
    session.run(SETUP).ok();
    // A command to a terminal in one character, and a text that runs the other way.
    let steering = ['\u{9b}', '\u{202e}'];
    let mut shown = String::new();
    for (nth, c) in steering.into_iter().enumerate() {
        let letter = asks(&format!("play asalto {nth}")).replace("ada@example.org", &format!("a{c}2J@example.org"));
        shown += &session.feed(&["host", "receive", "--json"], letter.as_bytes()).ok();
    }
    for list in [&["host", "people"][..], &["host", "games"], &["host", "status"]] {
        shown += &session.run(list).ok();
        shown += &session.run(&[list, &["--json"]].concat()).ok();
    }
    shown += &session.read("home/data/host/log.jsonl");
    assert!(shown.contains("\"from\":\"a\\u202e2J@example.org\""), "{shown}");
    assert!(!shown.contains(steering), "{shown:?}");
}

#[test]
fn a_home_that_is_no_hosts_asks_the_delivery_agent_to_try_again() {
    let session = Session::new();
    let large = asks("help") + &"x\n".repeat(1 << 20);
    let said = session.feed(&["host", "receive"], large.as_bytes()).fails(75);
    assert!(said.contains("not a host's") && said.contains("host setup"), "{said}");
    let _ = session.run(&["host", "status"]).fails(2);
}

#[test]
fn a_maildir_is_read_and_what_was_read_is_not_read_again() {
    let session = Session::new();
    let args: Vec<&str> = SETUP.iter().copied().chain(["--inbox", "Maildir"]).collect();
    session.run(&args).ok();
    for folder in ["tmp", "cur"] {
        fs::create_dir_all(session.path("Maildir").join(folder)).expect("a folder");
    }
    session.write("Maildir/new/1.x", asks("help"));
    session.write("Maildir/new/2.x", asks("games").replace("ada@", "bram@"));
    session.run(&["host", "receive"]).ok();
    assert_eq!(outbox(&session).len(), 2);
    let again = session.run(&["host", "receive"]);
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    assert_eq!(outbox(&session).len(), 2);
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/host");
    fs::read_to_string(folder.join(name)).expect("an example")
}

/// Runs a command in a shell, as mail programs do.
fn shell(session: &Session, command: &str, message: &str) -> Done {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_postrider"));
    let folder = program.parent().expect("a folder").display().to_string();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(session.folder.path())
        .env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap_or_default()))
        .env("POSTRIDER_HOME", session.path("home"))
        .env("POSTRIDER_NOW", "2026-11-21T12:00:00Z");
    run(shell, message.as_bytes())
}

#[test]
fn the_examples_hand_a_letter_to_the_program() {
    let session = Session::new();
    session.run(SETUP).ok();
    session.write("postrider-host", example("postrider-host"));
    shell(&session, "sh ./postrider-host", &asks("help")).ok();
    assert_eq!(outbox(&session).len(), 1);
    let recipe = example("procmailrc");
    let command = recipe.lines().find_map(|line| line.strip_prefix("| ")).expect("a pipe");
    let message = format!("From bram@example.net Sat Nov 21 11:00:00 2026\n{}", asks("games").replace("ada@", "bram@"));
    shell(&session, command, &message).ok();
    assert_eq!(outbox(&session).len(), 2);
    let aliases = example("aliases");
    assert!(aliases.lines().any(|line| line.starts_with("games: \"|/") && line.ends_with("/postrider-host\"")));
    assert!(example("games.sieve").contains("\"postrider-host\""));
    let unit = example("postrider-host.service");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/")).expect("a command");
    shell(&session, command, "").ok();
    let container = example("Containerfile");
    assert!(container.contains("CMD [\"host\", \"receive\", \"--watch\"]"));
}

/// The letters in a folder that were not there before.
fn new_letters(folder: &Path, seen: &mut std::collections::BTreeSet<PathBuf>) -> Vec<Letter> {
    let list = fs::read_dir(folder).expect("a folder").map(|one| one.expect("an entry").path());
    let mut new: Vec<PathBuf> = list.filter(|path| path.is_file() && seen.insert(path.clone())).collect();
    new.sort();
    new.iter().map(|path| Letter::read(fs::read(path).expect("a letter"))).collect()
}

fn reply(from: &str, letter: &Letter, text: &str) -> String {
    let id: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    format!(
        "From: {from}\nTo: {}\nSubject: Re: {}\nIn-Reply-To: <{}>\nMessage-ID: <{id}.{}@mail.example.org>\n\
         Date: Sat, 21 Nov 2026 12:00:00 +0000\n\n{text}\n",
        letter.from,
        letter.subject,
        letter.id,
        letter.id.len()
    )
}

#[test]
fn a_host_that_came_from_a_backup_is_unsure_of_its_games_and_reads_back_what_it_has_sent() {
    let session = Session::new();
    session.write("phrase", "correct horse\n");
    session.run(&[SETUP, &["--copies", "copies"]].concat()).ok();
    let (out, mut seen) = (session.path("out"), std::collections::BTreeSet::new());
    session.feed(&["host", "receive"], asks("play asalto with bram@example.net as besiegers").as_bytes()).ok();
    let question = new_letters(&out, &mut seen).remove(0);
    session.feed(&["host", "receive"], reply("Ada <ada@example.org>", &question, "yes").as_bytes()).ok();
    let bram = "Bram <bram@example.net>";
    let to_bram =
        |letters: Vec<Letter>| letters.into_iter().find(|one| one.to == "bram@example.net").expect("a letter");
    let invitation = to_bram(new_letters(&out, &mut seen));
    session.feed(&["host", "receive"], reply(bram, &invitation, "accept").as_bytes()).ok();
    let due = to_bram(new_letters(&out, &mut seen));
    session.run(&["backup", "all.backup", "--passphrase-from", "cat phrase"]).ok();
    session.feed(&["host", "receive"], reply(bram, &due, "place c6 e6").as_bytes()).ok();
    assert_eq!(new_letters(&out, &mut seen).len(), 2);
    let id = due.subject.split_whitespace().nth(1).expect("an id").to_owned();
    let record = session.read(&format!("home/data/games/{id}.pbem"));
    assert!(record.contains("\n1 defenders place c6 e6"), "{record}");
    let copies = fs::read_dir(session.path("copies")).expect("copies").count();
    assert_eq!(copies, fs::read_dir(&out).expect("letters").count());

    let other = Session::new();
    other.write("phrase", "correct horse\n");
    other.write("all.backup", fs::read(session.path("all.backup")).expect("a backup"));
    let told = other.run(&["restore", "all.backup", "--passphrase-from", "cat phrase"]);
    assert!(told.code == 0 && told.err.contains("host restore"), "{}", told.err);
    assert!(other.run(&["host", "restore"]).ok().contains("1 game is unsure"));
    let status = other.run(&["host", "status"]).ok();
    assert!(status.contains(&id) && status.contains("cannot be played"), "{status}");
    let asked = other.run(&["host", "restore", "--all"]);
    assert!(asked.code == 1 && asked.err.contains("--all --yes"), "{}", asked.err);
    assert_eq!(other.run(&["host", "restore", "--only-here", "asalto-unknown"]).code, 2);
    let copies = session.path("copies");
    let back = other.run(&["host", "restore", "--mail", copies.to_str().expect("UTF-8")]).ok();
    assert!(back.contains("longer records: 1; games that are still unsure: 0"), "{back}");
    assert_eq!(other.read(&format!("home/data/games/{id}.pbem")), record);
    other.run(&["host", "receive", "--only-due"]).ok();
    assert!(!other.run(&["host", "status"]).ok().contains("cannot be played"));
}
