//! A repository with faults: what git prints is read whole, or that it cannot be read is told.

use std::process::Command;

use super::{Later as _, Scenario};
use crate::letters::{GAME_FILE, bram, record};
use crate::session::Session;

/// Runs git in the session's folder, as a player with settings of their own does.
fn git(session: &Session, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(session.folder.path()).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", session.folder.path());
    command.args(["-c", "user.name=Bram", "-c", "user.email=bram@example.net"]).args(arguments);
    assert!(command.status().expect("git").success(), "{arguments:?}");
}

#[test]
fn what_git_says_of_a_record_is_never_half_read_under_any_fault() {
    let before = bram(2);
    git(&before, &["init", "-q", "-b", "main", "."]);
    for entries in [2, 3] {
        before.write(GAME_FILE, record(entries));
        git(&before, &["add", GAME_FILE]);
        git(&before, &["commit", "-q", "-m", "an entry"]);
    }
    for arguments in [&["git", "check", "HEAD"][..], &["git", "history"]] {
        let whole = before.run_later(arguments);
        assert_eq!(whole.code, 0, "{}{}", whole.out, whole.err);
        Scenario {
            name: arguments[1],
            before: &before,
            arguments,
            input: b"",
            after: &|session, ran| {
                assert_eq!(session.read(GAME_FILE), record(3));
                // 1 would say that the past was rewritten.
                assert_ne!(ran.code, Some(1), "{}{}", ran.out, ran.err);
                let told = ran.code != Some(0) || ran.out == whole.out || !ran.err.is_empty();
                assert!(told, "{}{}", ran.out, ran.err);
            },
            again: &|_, ran| assert_eq!((ran.code, &ran.out), (Some(0), &whole.out), "{}", ran.err),
        }
        .run();
    }
}
