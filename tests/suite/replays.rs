//! How often a command replays a record: once when it is read, and once more for the bytes to be written. The library
//! itself counts, in a process that runs one command.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::session::Session;

const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-replays\nplayers:\n  besiegers: {name: Ada Quill, email: \
     ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 \
     e6 @2026-11-20T10:15:00Z\n";

/// The arguments of the command that this process is to run, one per line.
const ARGS: &str = "POSTRIDER_TEST_ARGS";

/// Not a test of its own, but the command of a process that is started below.
#[test]
fn a_command_by_itself() {
    let Ok(args) = std::env::var(ARGS) else { return };
    let before = postrider_referee::verdict::counted_here();
    let code = postrider::cli::run_with(std::iter::once("postrider").chain(args.lines()).map(OsString::from));
    let after = postrider_referee::verdict::counted_here();
    let [opened, replayed] = [after[0] - before[0], after[1] - before[1]];
    println!("{} after {opened} {replayed} replays.", if code == ExitCode::SUCCESS { "done" } else { "failed" });
}

/// Runs a command and returns how often it opened a record.
#[track_caller]
fn replays(session: &Session, args: &[&str]) -> u32 {
    counted(session, args)[0]
}

/// Runs a command and returns how often it opened a record, and how often it replayed one.
#[track_caller]
fn counted(session: &Session, args: &[&str]) -> [u32; 2] {
    let plain = session.command(&[]);
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "replays::a_command_by_itself", "--nocapture", "--test-threads=1"]);
    command.current_dir(session.folder.path()).env_clear().env(ARGS, args.join("\n"));
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let output = command.output().expect("this program runs");
    let out = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let count = out.split_once("done after ").and_then(|(_, rest)| {
        let mut words = rest.split(' ');
        let mut next = || words.next()?.parse().ok();
        Some([next()?, next()?])
    });
    count.unwrap_or_else(|| panic!("{args:?}: {out}"))
}

#[test]
fn a_move_is_one_replay_and_one_check_of_what_is_written() {
    let session = Session::new();
    session.write("game.pbem", RECORD);
    assert_eq!(replays(&session, &["verify", "game.pbem"]), 1);
    assert_eq!(replays(&session, &["move", "-n", "game.pbem", "c4-c5"]), 2);
    // If it is not known who is playing, the program also checks whether the newest entry is this one, entered again.
    assert_eq!(replays(&session, &["move", "game.pbem", "c4-c5"]), 2);
    assert_eq!(replays(&session, &["move", "game.pbem", "c6-d6", "--send", "--for", "defenders"]), 2);
    assert!(session.read("game.pbem").ends_with("c6-d6; huff d6 @2026-11-21T12:00:00Z\n"));
    assert_eq!(replays(&session, &["send", "-n", "game.pbem"]), 1);
    // The same entry once more is recognised: it is judged in the game as it was before.
    assert_eq!(replays(&session, &["move", "game.pbem", "c6-d6", "--send"]), 1);
    assert_eq!(replays(&session, &["moves", "game.pbem"]), 1);
    assert_eq!(replays(&session, &["moves", "game.pbem", "e4-e5"]), 1);
}

#[test]
fn a_foreseen_reply_is_followed_once_beside_that() {
    let session = Session::new();
    session.write("game.pbem", RECORD);
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    assert_eq!(replays(&session, &["if", "game.pbem", "c6-d6", "e4-e5"]), 1);
    session.run(&["move", "game.pbem", "c6-d6"]).ok();
    assert_eq!(replays(&session, &["answer", "game.pbem"]), 3);
    assert!(session.read("game.pbem").contains("4 besiegers e4-e5"));
}

#[test]
fn a_letter_is_one_replay_of_the_record_here_and_one_of_what_came() {
    let session = Session::new();
    session.write("home/settings.yaml", "games: ../games\nemail: bram@example.net\n");
    session.write("games/game.pbem", RECORD);
    session.run(&["own", "games/game.pbem", "defenders"]).ok();
    let record = RECORD.to_owned() + "2 besiegers c4-c5 @2026-11-21T12:00:00Z\n";
    session.write("mbox", format!("From x\nFrom: Ada Quill <ada@example.org>\n\n{record}"));
    let [opened, replayed] = counted(&session, &["receive", "mbox"]);
    assert_eq!(session.read("games/game.pbem"), record);
    // Headers are read more often, to find the record among the games.
    assert!(replayed <= 2 && opened <= 4, "{opened} {replayed}");
    // An invitation is judged once.
    let other = record.replace("asalto-replays", "asalto-invited");
    session.write("letter", format!("From: Ada Quill <ada@example.org>\n\n{other}"));
    let [opened, replayed] = counted(&session, &["receive", "letter"]);
    assert!(replayed == 1 && opened <= 4, "{opened} {replayed}");
}
