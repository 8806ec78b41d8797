//! The set-ups in `examples/mail-setup`: the commands that they give to other programs are run the way those programs
//! would run them.
#![cfg(unix)]

#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::letters::{GAME_FILE, bram, letter, record, run};
use crate::session::{Done, Session};

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/mail-setup").join(name))
        .expect("an example")
}

fn path_with_program() -> String {
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_postrider")).parent().expect("a folder").display().to_string();
    format!("{folder}:{}", std::env::var("PATH").unwrap_or_default())
}

/// Runs a command in a shell, as mail programs do, with a message on its standard input.
fn shell(session: &Session, command: &str, message: &str) -> Done {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(session.folder.path())
        .env("PATH", path_with_program())
        .env("HOME", session.path("nobody"))
        .env("POSTRIDER_HOME", session.path("home"))
        .env("POSTRIDER_NOW", "2026-11-23T12:00:00Z");
    run(shell, message.as_bytes())
}

#[test]
fn the_key_of_mutt_pipes_a_letter_into_the_program() {
    let settings = example("mutt.rc");
    let command =
        settings.split_once("<pipe-message>").and_then(|(_, rest)| rest.split_once("<enter>")).expect("a macro").0;
    let session = bram(1);
    assert!(shell(&session, command, &letter(&record(2))).ok().contains("accepted: 2"));
    // Mutt itself, if it is installed, finds no fault in the file.
    if Command::new("mutt").arg("-v").output().is_ok() {
        session.write("mutt.rc", settings);
        assert!(Command::new("mutt").args(["-F", "mutt.rc", "-D"]).current_dir(session.folder.path()).output().is_ok());
    }
}

#[test]
fn the_recipe_of_procmail_pipes_a_letter_into_the_program() {
    let recipe = example("procmailrc");
    let command = recipe.lines().find_map(|line| line.strip_prefix("| ")).expect("a pipe");
    let session = bram(1);
    // With the line that procmail puts before a message.
    let message = format!("From ada@example.org Sun Nov 22 08:05:00 2026\n{}", letter(&record(2)));
    assert!(shell(&session, command, &message).ok().contains("accepted: 2"));
    assert_eq!(session.read(GAME_FILE), record(2));
    // The recipe's condition matches the subject of a letter.
    assert!(recipe.contains(r"* ^Subject:.*\[pbem\]") && message.contains("\nSubject: [pbem] "));
}

#[test]
fn the_sieve_script_runs_the_program_beside_it() {
    let script = example("games.sieve");
    let program = script.split_once(":try \"").and_then(|(_, rest)| rest.split_once('"')).expect("a pipe").0;
    let session = bram(1);
    session.write(program, example(program));
    assert!(shell(&session, &format!("sh ./{program}"), &letter(&record(2))).ok().contains("accepted: 2"));
    // A temporary problem is reported as such by the script.
    session.write("games/copy.pbem", record(2));
    assert_eq!(shell(&session, &format!("sh ./{program}"), &letter(&record(3))).code, 75);
}

/// Dovecot's own interpreter runs the script on a mailbox that has nothing but an inbox.
#[test]
fn the_sieve_script_makes_its_folder_and_hands_letters_on() {
    let is_required = std::env::var_os("POSTRIDER_MAIL_SYSTEM").is_some();
    if !Command::new("sieve-test").arg("-h").output().is_ok_and(|_| fs::metadata("/root").is_ok()) {
        assert!(!is_required, "there is no sieve-test");
        return eprintln!("**** NO sieve-test: it is passed over. ****");
    }
    let session = Session::new();
    let folder = session.folder.path();
    for name in ["bin", "mail"] {
        fs::create_dir(folder.join(name)).expect("a folder");
    }
    let place = folder.display();
    session.write("bin/postrider-receive", format!("#!/bin/sh\ncat >{place}/mail/received\n"));
    let settings = format!(
        "mail_location = maildir:{place}/mail\nmail_uid = nobody\nmail_gid = nogroup\nbase_dir = {place}/run\nlog_path = \
         /dev/stderr\nplugin {{\n  sieve_plugins = sieve_extprograms\n  sieve_extensions = +vnd.dovecot.pipe\n  \
         sieve_pipe_bin_dir = {place}/bin\n}}\n"
    );
    session.write("dovecot.conf", settings);
    session.write("games.sieve", example("games.sieve"));
    session.write("letter.eml", letter(&record(2)));
    session.write("other.eml", letter(&record(2)).replace("[pbem]", "lunch"));
    // Dovecot reads and writes mail as somebody who is not root.
    for (name, mode) in [("", 0o777), ("mail", 0o777), ("bin", 0o755), ("bin/postrider-receive", 0o755)] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(folder.join(name), mode).expect("permissions");
    }
    let run = |message: &str| {
        let mut sieve = Command::new("sieve-test");
        sieve.args(["-c", "dovecot.conf", "-e", "games.sieve", message]).current_dir(folder);
        let done = sieve.output().expect("sieve-test");
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        assert!(done.status.success(), "{said}");
        said
    };
    let said = run("other.eml");
    assert!(!said.contains("'games'") && !folder.join("mail/.games").exists(), "{said}");
    let said = run("letter.eml");
    assert!(said.contains("stored mail into mailbox 'games'") && said.contains("piped message"), "{said}");
    assert_eq!(fs::read_dir(folder.join("mail/.games/new")).expect("the folder is made").count(), 1);
    assert!(session.read("mail/received").contains("Subject: [pbem] "));
}

#[test]
fn a_game_is_begun_with_addresses_that_letters_can_go_to() {
    let session = Session::new();
    for address in ["ada@example.org", "-ada@example.org", "ada", "a b@example.org", "ada@example.org\u{202e}"] {
        let player = format!("besiegers=Ada <{address}>");
        let new = ["new", "asalto", "--player", &player, "--player", "defenders=Bram"];
        let done = session.run(&new);
        assert_eq!(done.code == 0, address == "ada@example.org", "{address}: {}", done.err);
        assert!(done.code == 0 || done.err.contains("is not a mail address"), "{}", done.err);
    }
}
