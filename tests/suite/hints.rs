//! The commands that the program tells people to type can be typed: names are quoted for the shell wherever they are in
//! a command.
#![cfg(unix)]

use std::process::Command;

use crate::letters::{self, letter, record};
use crate::session::Session;

const NAME: &str = "it's here/a $(b) game.pbem";

/// The number of commands in backticks that name the record, after checking their words.
#[track_caller]
fn named(said: &str) -> usize {
    let mut found = 0;
    for command in said.split('`').skip(1).step_by(2).filter(|command| command.contains("$(b)")) {
        let output = Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().expect("a shell");
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(words.lines().any(|word| word.ends_with(NAME)), "{command}: {words}");
        found += 1;
    }
    found
}

#[test]
fn suggested_commands_are_quoted_for_the_shell() {
    let session = Session::new();
    let later = |arguments: &[&str]| {
        let mut command = session.command(arguments);
        command.env("POSTRIDER_NOW", "2026-11-24T12:00:00Z");
        letters::run(command, b"")
    };
    session.write("home/settings.yaml", "email: bram@example.net\n");
    session.write(NAME, record(2));
    let mut seen = 0;
    for arguments in [
        &["own", NAME][..],
        &["status", NAME],
        &["show", NAME],
        &["move", NAME, "c6-d5"],
        &["moves", NAME, "zz"],
        &["answer", NAME],
        &["if", NAME, "c4-c5", "c6-d6"],
        &["move", NAME, "c6-d6"],
        &["move", NAME, "e4-e5"],
        &["move", NAME, "c6-d6"],
        &["if", NAME, "e4-e5", "e6xe4"],
        &["if", NAME],
        &["status", NAME],
        &["clock", NAME],
        &["send", "--to", "nobody", NAME],
    ] {
        let done = later(arguments);
        seen += named(&format!("{}{}", done.out, done.err));
    }
    // A record that was rewritten, one that is not legal, and one in which it is not known who the player is.
    session.write(NAME, record(1));
    for arguments in [&["move", NAME, "c4-c5", "--for", "besiegers"][..], &["status", NAME], &["show", NAME]] {
        let done = later(arguments);
        seen += named(&format!("{}{}", done.out, done.err));
    }
    session.write(NAME, record(2).replace("c4-c5", "c4-c6"));
    session.write("home/settings.yaml", "games: ..\n");
    for arguments in [&["move", NAME, "c6-d6"][..], &["status", NAME], &["own", NAME]] {
        let done = later(arguments);
        seen += named(&format!("{}{}", done.out, done.err));
    }
    let done = letters::receive(&session, &[], letter(&record(3)).as_bytes());
    seen += named(&format!("{}{}", done.out, done.err));
    assert!(seen >= 10, "{seen} commands");
}
