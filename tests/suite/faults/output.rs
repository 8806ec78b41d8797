//! Standard streams that are closed, full or broken: what was asked for is done all the same, and the exit code reports
//! only that.

use std::fs::{self, File, OpenOptions};
use std::process::Stdio;

use super::Later;
use super::letters;
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::session::Session;

/// The ways in which nobody is listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deaf {
    /// The reader is gone, as with `| true`.
    Pipe,
    /// `/dev/full`.
    Full,
    /// `>&-`.
    Closed,
}

const DEAF: [Deaf; 3] = [Deaf::Pipe, Deaf::Full, Deaf::Closed];

fn stream(deaf: Deaf) -> Stdio {
    match deaf {
        Deaf::Pipe => {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            writer.into()
        }
        Deaf::Full | Deaf::Closed => OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into(),
    }
}

/// Runs the program with nobody listening to standard output or error. Returns its exit code, and what is on the other
/// stream.
fn run(session: &Session, arguments: &[&str], input: &[u8], deaf: Deaf, error: bool) -> (i32, String) {
    let path = session.path("input");
    fs::write(&path, input).expect("a file");
    let (other, kept) = (session.path("other"), |path| File::create(path).expect("a file"));
    let mut command = session.command_later(arguments);
    if deaf == Deaf::Closed {
        // A shell closes it; Rust's own runtime would open something else in its place.
        let program = command.get_program().to_owned();
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(session.folder.path()).env_clear();
        for (name, value) in command.get_envs() {
            shell.env(name, value.expect("a value"));
        }
        let which = if error { "2>&-" } else { ">&-" };
        shell.arg("-c").arg(format!("exec \"$0\" \"$@\" {which}")).arg(program).args(arguments);
        command = shell;
    }
    command.stdin(File::open(&path).expect("a file"));
    if error {
        command.stdout(kept(&other)).stderr(stream(deaf));
    } else {
        command.stdout(stream(deaf)).stderr(kept(&other));
    }
    let code = command.status().expect("it ends").code().expect("not by a signal");
    let text = fs::read_to_string(&other).expect("text");
    for path in [path, other] {
        fs::remove_file(path).expect("a file");
    }
    (code, text)
}

#[test]
fn a_move_is_sent_once_even_if_nobody_listens() {
    for deaf in DEAF {
        for error in [false, true] {
            let session = bram(2);
            let arguments = ["move", GAME_FILE, "c6-d6", "--send"];
            let (code, text) = run(&session, &arguments, b"", deaf, error);
            assert_eq!(code, 0, "{deaf:?} {text}");
            let made = session.read(GAME_FILE);
            assert!(made.contains("\n3 defenders c6-d6") && letters(&session).len() == 1, "{deaf:?}: {text}");
            assert!(!error || text.contains("c6-d6"), "{deaf:?}: what was to be shown is: {text}");
            if deaf == Deaf::Full && !error {
                assert!(text.contains("entry 3 is in games/ours.pbem, but standard output"), "{text}");
            }
            let (code, text) = run(&session, &arguments, b"", Deaf::Pipe, false);
            assert_eq!(code, 0, "{text}");
            assert!(
                text.contains("this entry is already in the record") && text.contains("for you to mail; --force"),
                "{text}"
            );
            assert_eq!(session.read(GAME_FILE), made);
        }
    }
}

#[test]
fn a_letter_is_accepted_and_answered_even_if_nobody_listens() {
    for deaf in DEAF {
        for error in [false, true] {
            let session = bram(1);
            session.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
            let (code, text) = run(&session, &["receive", "--answer"], letter(&record(2)).as_bytes(), deaf, error);
            assert_eq!(code, 0, "{deaf:?}: {text}");
            assert!(session.read(GAME_FILE).contains("\n3 defenders c6-d6"), "{deaf:?}");
            assert_eq!(letters(&session).len(), 1, "{deaf:?}");
            let (code, _) = run(&session, &["receive"], b"no letter at all", deaf, error);
            assert_eq!(code, 0, "{deaf:?}: a stranger's mail is never returned");
            // Only a preview was asked for.
            let (code, _) = run(&session, &["receive", "-n"], letter(&record(2)).as_bytes(), deaf, error);
            assert_eq!(code, if deaf == Deaf::Full && !error { 2 } else { 0 }, "{deaf:?}");
        }
    }
}

#[test]
fn an_answer_is_sent_even_if_nobody_listens() {
    for deaf in DEAF {
        let session = bram(1);
        session.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
        session.feed_later(&["receive"], letter(&record(2)).as_bytes()).ok();
        let (code, text) = run(&session, &["answer", GAME_FILE, "--send"], b"", deaf, false);
        assert_eq!((code, letters(&session).len()), (0, 1), "{deaf:?}: {text}");
    }
}

#[test]
fn no_command_panics_or_changes_its_exit_code_if_nobody_hears_its_errors() {
    let commands: &[&[&str]] = &[
        &["games"],
        &["rules", "asalto"],
        &["show", GAME_FILE],
        &["moves", GAME_FILE],
        &["clock", GAME_FILE],
        &["status"],
        &["verify", GAME_FILE],
        &["verify", "nothing.pbem"],
        &["replay", GAME_FILE],
        &["audit", GAME_FILE],
        &["move", GAME_FILE, "a1-a9"],
        &["move", GAME_FILE, "c6-d6", "-n"],
        &["answer", GAME_FILE],
        &["if", GAME_FILE],
        &["evidence", GAME_FILE, GAME_FILE],
        &["secret", "export", "-"],
        &["key", "show"],
        &["key", "backup", "key.pem"],
        &["perft", "asalto", "1"],
        &["fmt", "--check", GAME_FILE],
        &["send", "-n", GAME_FILE],
        &["invitations"],
        &["accept", "asalto-nothing"],
        &["decline", "asalto-nothing"],
        &["--help"],
        &["--version"],
        &["--nonsense"],
        &["nonsense"],
    ];
    for arguments in commands {
        let session = bram(2);
        let heard = session.run_later(arguments);
        let (code, shows) = (heard.code, !heard.out.is_empty());
        for deaf in DEAF {
            let (unheard, _) = run(&session, arguments, b"", deaf, true);
            assert_eq!(unheard, code, "{arguments:?}, {deaf:?} error");
            let (unseen, text) = run(&session, arguments, b"", deaf, false);
            assert_ne!(unseen, 101, "{arguments:?}, {deaf:?} output: {text}");
            assert!(!text.contains("panicked"), "{arguments:?}: {text}");
            if code == 0 && shows && deaf == Deaf::Full {
                // The command was only asked to show something.
                assert!(unseen == 2 && text.contains("standard output cannot be written to"), "{arguments:?}: {text}");
            } else {
                assert_eq!(unseen, code, "{arguments:?}, {deaf:?} output: {text}");
            }
        }
    }
}

#[test]
fn standard_input_that_cannot_be_read_is_trouble_that_may_pass() {
    let session = bram(1);
    // Reading a folder fails.
    let mut command = session.command_later(&["receive"]);
    command.stdin(File::open(session.folder.path()).expect("a folder"));
    let done = command.output().expect("it ends");
    assert_eq!(done.status.code(), Some(75), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_key_or_a_journal_in_trouble_lets_an_answer_wait() {
    // Loops of links: not even root can read those.
    for (place, aside) in [("home/data/conditions", true), ("home/data/known", true), ("home/data/sent", true)] {
        let session = bram(1);
        session.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
        let (real, away) = (session.path(place), session.path("away"));
        if aside && real.exists() {
            fs::rename(&real, &away).expect("moved");
        }
        std::os::unix::fs::symlink(&real, &real).expect("a link");
        let message = letter(&record(2));
        let done = session.feed_later(&["receive", "--answer"], message.as_bytes());
        assert_eq!(done.code, 75, "{place}: {}{}", done.out, done.err);
        fs::remove_file(&real).expect("a link");
        if away.exists() {
            fs::rename(&away, &real).expect("moved");
        }
        session.feed_later(&["receive", "--answer"], message.as_bytes()).ok();
        assert!(session.read(GAME_FILE).contains("\n3 defenders c6-d6"), "{place}");
        assert_eq!(letters(&session).len(), 1, "{place}");
    }
}

#[test]
fn a_games_folder_that_cannot_be_read_keeps_letters_waiting() {
    let session = bram(1);
    let (games, away) = (session.path("games"), session.path("away"));
    fs::rename(&games, &away).expect("moved");
    std::os::unix::fs::symlink(&games, &games).expect("a link");
    let message = letter(&record(2));
    session.write("mbox", format!("From x\n{message}"));
    for arguments in [&["receive"][..], &["receive", "mbox"]] {
        let done = session.feed_later(arguments, message.as_bytes());
        assert_eq!(done.code, 75, "{}{}", done.out, done.err);
        assert!(done.err.contains("cannot be read"), "{}", done.err);
    }
    fs::remove_file(&games).expect("a link");
    fs::rename(&away, &games).expect("moved");
    let said = session.run_later(&["receive", "mbox"]).ok();
    assert!(said.contains("accepted: 2 besiegers c4-c5"), "{said}");
    assert_eq!(session.run_later(&["invitations"]).ok(), "no invitations\n");
}

#[test]
fn the_opponents_entry_is_not_made_by_mistake() {
    let session = bram(3);
    let old = session.read(GAME_FILE);
    for entry in ["resign", "e4-e5", "c6-d6"] {
        let done = session.run_later(&["move", GAME_FILE, entry]);
        assert_eq!(session.read(GAME_FILE), old, "{entry}");
        match entry {
            "c6-d6" => assert!(done.code == 0 && done.err.contains("already in the record"), "{}", done.err),
            _ => assert!(
                done.code == 2 && done.err.contains("the besiegers are due, and you play the defenders"),
                "{}",
                done.err
            ),
        }
    }
    session.run_later(&["move", GAME_FILE, "e4-e5", "--for", "besiegers"]).ok();
    assert!(
        session.run_later(&["move", GAME_FILE, "resign", "--for", "besiegers"]).err.contains("the defenders are due")
    );
    assert!(session.run_later(&["move", GAME_FILE, "resign", "--for", "white"]).err.contains("no side `white`"));
    assert!(session.read(GAME_FILE).contains("\n4 besiegers e4-e5"));
    // It is not known who the player is, so the same entry may have been typed twice by mistake.
    let session = Session::new();
    session.write(GAME_FILE, record(3));
    session.write("home/settings.yaml", "games: ../games\n");
    assert!(session.run_later(&["move", GAME_FILE, "c6-d6"]).err.contains("`--for besiegers` enters it"));
    session.run_later(&["move", GAME_FILE, "e4-e5"]).ok();
}

#[test]
fn hints_can_be_typed_as_they_are() {
    let session = bram(2);
    let file = "games/ours & 'theirs'.pbem";
    fs::rename(session.path(GAME_FILE), session.path(file)).expect("moved");
    let done = session.run_later(&["move", file, "a1-a9"]);
    assert!(done.err.contains("`postrider moves 'games/ours & '\\''theirs'\\''.pbem'`"), "{}", done.err);
}
