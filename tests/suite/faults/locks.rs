//! A lock that the system refuses while a sealed entry is made: what was noted as signed is made again by the same words.

use std::fs;

use postrider_referee::verdict::{Ruling, verify};

use super::injector::{Fault, available, calls, copy, with_fault};
use crate::session::Session;

#[test]
fn a_sealed_entry_whose_lock_was_refused_is_made_by_typing_it_again_later() {
    if !available() {
        return;
    }
    let before = Session::new();
    before.write("home/settings.yaml", "name: Ada\nemail: ada@example.org\n");
    before.run(&["key", "new"]).ok();
    let begin = ["new", "subsume", "--against", "Bram <bram@example.net>", "--as", "white", "-o", "game.pbem"];
    before.run(&begin).ok();
    let typed = ["move", "game.pbem", "+a1A"];
    let twin = || {
        let session = Session::new();
        copy(&before.path(""), &session.path(""));
        session
    };
    let (made, ran) = calls(&twin(), &typed, b"");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let locks: Vec<_> = made.iter().filter(|call| call.name == "flock").collect();
    let mut refused = 0;
    for call in locks {
        let session = twin();
        let ran = with_fault(&session, &typed, b"", call, Fault::Fails("ENOLCK"));
        refused += u32::from(ran.code != Some(0));
        if ran.code == Some(0) {
            continue;
        }
        // Half a minute later, so that the entry would have another time.
        let mut command = session.command(&typed);
        command.env("POSTRIDER_NOW", "2026-11-24T20:00:30Z");
        let again = crate::letters::run(command, b"");
        assert_eq!(again.code, 0, "{}: {}\n{}", call.shown, ran.err, again.err);
        let record = fs::read(session.path("game.pbem")).expect("a record");
        assert_eq!((verify(&record).ruling, verify(&record).entries), (Ruling::Legal, 1));
        let journals = session.path("home/data/signed");
        let journal = fs::read_dir(journals).expect("a folder").next().expect("a journal").expect("a file").path();
        let journal = fs::read_to_string(journal).expect("text");
        assert_eq!(journal.lines().filter(|line| line.starts_with("1 ")).count(), 1, "{journal}");
        // Other words are still refused.
        let session = twin();
        with_fault(&session, &typed, b"", call, Fault::Fails("ENOLCK"));
        let other = session.run(&["move", "game.pbem", "+b1D"]);
        let record = fs::read_to_string(session.path("game.pbem")).expect("a record");
        assert!(other.code == 0 || !record.contains("\n1 "), "{}", other.err);
    }
    assert!(refused >= 2, "{refused}");
}
