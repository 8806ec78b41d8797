//! Files that the commands write: their modes, what a killed program leaves, and files that are none.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::letters::{GAME_FILE, bram, letter, receive, record};
use crate::session::Session;

/// Runs a command with this umask.
fn with_umask(session: &Session, umask: &str, arguments: &[&str]) {
    let command = session.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")]).arg(command.get_program());
    shell.args(command.get_args()).current_dir(session.folder.path());
    for (name, value) in command.get_envs() {
        shell.env(name, value.expect("a value"));
    }
    let output = shell.output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn mode(session: &Session, name: &str) -> u32 {
    fs::metadata(session.path(name)).unwrap_or_else(|error| panic!("{name}: {error}")).permissions().mode() & 0o777
}

#[test]
fn what_is_made_for_others_has_the_mode_that_the_umask_says() {
    for (umask, file, folder) in [("022", 0o644, 0o755), ("002", 0o664, 0o775), ("077", 0o600, 0o700)] {
        let session = bram(2);
        with_umask(&session, umask, &["pack", "games", "-o", "games.jsonl.zst"]);
        with_umask(&session, umask, &["unpack", "games.jsonl.zst", "-o", "out"]);
        with_umask(&session, umask, &["page", GAME_FILE, "-o", "game.html"]);
        with_umask(&session, umask, &["page", "games", "-o", "pages"]);
        with_umask(&session, umask, &["picture", GAME_FILE, "-o", "game.svg"]);
        let names =
            ["games.jsonl.zst", "out/games/ours.pbem", "game.html", "pages/index.html", "pages/ours.html", "game.svg"];
        for name in names {
            assert_eq!(mode(&session, name), file, "{name} with umask {umask}");
        }
        for name in ["out", "out/games", "pages"] {
            assert_eq!(mode(&session, name), folder, "{name} with umask {umask}");
        }
        assert_eq!(session.read("out/games/ours.pbem"), session.read(GAME_FILE));
    }
}

#[test]
fn what_a_killed_program_left_is_removed_by_the_next_one_that_writes_there() {
    let session = bram(2);
    session.run(&["pack", "games", "-o", "first.jsonl.zst"]).ok();
    let left = [
        (".games.jsonl.zst.new.Ab12cD.tmp", &["pack", "games", "-o", "games.jsonl.zst"][..]),
        (".game.html.put.Ab12cD.tmp", &["page", GAME_FILE, "-o", "game.html"]),
        ("pages/.ours.html.new.Ab12cD.tmp", &["page", "games", "-o", "pages"]),
        (".game.svg.put.Ab12cD.tmp", &["picture", GAME_FILE, "-o", "game.svg"]),
        ("out/games/.ours.pbem.new.Ab12cD.tmp", &["unpack", "first.jsonl.zst", "-o", "out"]),
    ];
    for (name, arguments) in left {
        session.write(name, "half");
        session.run(arguments).ok();
        assert!(!session.path(name).exists(), "{name}");
    }
    // Another file is not touched.
    session.write(".games.jsonl.zst.backup", "mine");
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).fails(2);
    assert_eq!(session.read(".games.jsonl.zst.backup"), "mine");
}

#[test]
fn a_game_is_accepted_although_the_folder_of_games_holds_the_programs_own() {
    let session = bram(1);
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: .\n");
    let other = record(0).replace("mail01", "mail02");
    receive(&session, &[], letter(&other).as_bytes()).ok();
    session.run(&["accept", "asalto-20261121-mail02"]).ok();
    assert_eq!(session.read("home/asalto-20261121-mail02.pbem"), other);
    // The next letter finds the game, and not the copy of what was last known of it.
    let next = other.clone() + "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";
    let done = receive(&session, &[], letter(&next).as_bytes());
    assert!(done.code == 0 && !done.err.contains("two records"), "{}{}", done.out, done.err);
}

#[test]
fn a_pipe_that_nobody_writes_to_ends_and_one_that_is_written_to_is_read() {
    let session = bram(1);
    let pipe = session.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let done = session.run(&["receive", "pipe"]);
    assert_eq!(done.code, 75, "{}{}", done.out, done.err);
    assert!(done.err.contains("nobody writes to this pipe"), "{}", done.err);
    let text = record(1);
    let writer = std::thread::spawn(move || fs::write(pipe, text));
    assert!(session.run(&["verify", "pipe"]).ok().contains("legal"));
    writer.join().expect("a thread").expect("it is read");
}
