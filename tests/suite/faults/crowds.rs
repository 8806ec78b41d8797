//! Many processes at once, with the kernel's locks and without.

use std::process::{Child, Stdio};

use super::Later;
use super::injector;
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::session::Session;

/// Starts the program, or the program without locks.
fn start(session: &Session, arguments: &[&str], locks: bool, input: &[u8]) -> Child {
    let command = session.command_later(arguments);
    let mut command = if locks {
        command
    } else {
        let mut traced = std::process::Command::new("strace");
        traced.args(["-qq", "-f", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK", "--"]);
        traced.arg(command.get_program()).args(command.get_args()).current_dir(session.folder.path()).env_clear();
        for (name, value) in command.get_envs() {
            traced.env(name, value.expect("a value"));
        }
        traced
    };
    let input_file = session.path("input");
    std::fs::write(&input_file, input).expect("a file");
    command.stdin(std::fs::File::open(input_file).expect("a file"));
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started")
}

#[test]
fn twenty_programs_at_once_enter_one_entry_with_locks_and_without() {
    let mut ways = vec![true];
    if injector::available() {
        ways.push(false);
    }
    for locks in ways {
        let session = bram(2);
        session.run_later(&["key", "new"]).ok();
        let moves = ["c6-d6", "e6-d6", "c6-c7", "e6-e7"];
        let children: Vec<Child> = (0..20)
            .map(|number| start(&session, &["move", GAME_FILE, moves[number % moves.len()], "--send"], locks, b""))
            .collect();
        let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
        let text = session.read(GAME_FILE);
        let entries = text.lines().filter(|line| line.starts_with("3 ")).count();
        let errors: Vec<_> = outputs.iter().map(|one| String::from_utf8_lossy(&one.stderr).into_owned()).collect();
        assert!(text.starts_with(&record(2)) && entries == 1 && !text.contains("\n4 "), "{locks}: {text}{errors:?}");
        assert_eq!(super::letters(&session).len(), 1, "{locks}");
        assert!(outputs.iter().any(|one| one.status.success()), "{locks}: {errors:?}");
        assert!(errors.iter().all(|error| !error.contains("panicked")), "{errors:?}");
        let left = injector::files(&session.path("games"));
        assert_eq!(left, ["ours.pbem"], "{locks}");
        session.run_later(&["verify", GAME_FILE]).ok();
    }
}

#[test]
fn two_copies_of_a_record_get_one_signed_entry_where_nothing_can_be_locked() {
    if !injector::available() {
        return;
    }
    for _ in 0..3 {
        let session = bram(0);
        session.run_later(&["key", "new"]).ok();
        session.write("games/copy.txt", record(0));
        let children = [(GAME_FILE, "place c6 e6"), ("games/copy.txt", "place d6 d7")]
            .map(|(file, entry)| start(&session, &["move", file, entry], false, b""));
        for child in children {
            child.wait_with_output().expect("it ends");
        }
        let made = [GAME_FILE, "games/copy.txt"].map(|file| usize::from(session.read(file).contains("\n  ~ ")));
        assert_eq!(made.iter().sum::<usize>(), 1);
    }
}

#[test]
fn a_letter_received_many_times_at_once_without_locks_is_accepted_once() {
    if !injector::available() {
        return;
    }
    let session = bram(1);
    let children: Vec<Child> =
        (0..8).map(|_| start(&session, &["receive"], false, letter(&record(2)).as_bytes())).collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(matches!(output.status.code(), Some(0 | 75)), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(session.read(GAME_FILE), record(2));
}
