//! One game on two machines of one player: it is handed over and taken back, and at no moment may both sign it.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use postrider_disk::disk::{Failing, Memory};
use postrider_disk::folders::Folders;
use postrider_home::backup::HomeCopy;
use postrider_home::elsewhere::Elsewhere;
use postrider_home::elsewhere::carried;
use postrider_home::evidence::journal::Journal;
use postrider_home::keys::locked::LockedKey;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness, Trouble};
use postrider_home::send::letters::Place;
use postrider_home::send::transport::{Receipt, SendError};
use postrider_home::settings::{GitSettings, MailSettings};
use postrider_kernel::Side;
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;

use crate::session::{Done, Session};

const ID: &str = "asalto-handed-over";
const GAME: &str = "home/data/games/asalto-handed-over.pbem";
const PHRASE: [&str; 2] = ["--passphrase-from", "cat phrase"];

fn machine() -> Session {
    let session = Session::new();
    session.write("phrase", "correct horse\n");
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
    session
}

/// Ada, who plays the defenders with a key, and is due.
fn ada() -> Session {
    let session = machine();
    session.run(&["key", "new"]).ok();
    fs::create_dir_all(session.path("home/data/games")).expect("a folder");
    let players = ["besiegers=Bram Post <bram@example.net>", "defenders=Ada Quill <ada@example.org>"];
    session.run(&["new", "asalto", "--player", players[0], "--player", players[1], "--id", ID, "-o", GAME]).ok();
    session.run(&["move", GAME, "place c6 e6"]).ok();
    session.run(&["move", GAME, "c4-c5", "--for", "besiegers"]).ok();
    session
}

fn with(session: &Session, args: &[&str]) -> Done {
    session.run(&[args, &PHRASE].concat())
}

fn carry(from: &Session, to: &Session, file: &str) {
    to.write_private(file, fs::read(from.path(file)).expect("a file"));
}

#[test]
fn a_game_that_was_handed_over_is_signed_on_the_other_machine_alone_until_it_is_back() {
    let (here, there) = (ada(), machine());
    let said = with(&here, &["backup", "out.game", "--hand-over", ID]).ok();
    assert!(said.contains("is handed over"), "{said}");
    assert!(!here.read("out.game").contains("ada@"));
    let before = here.read(GAME);
    for more in [&[][..], &["--only-here"], &["--unsigned"], &["--accept-rewritten"]] {
        let said = here.run(&[&["move", GAME, "c6-d6"], more].concat()).fails(2);
        assert!(said.contains("was handed over"), "{said}");
    }
    here.run(&["answer", GAME]).fails(2);
    here.run(&["undo", GAME]).fails(2);
    assert!(here.run(&["status"]).ok().contains("handed over: it is played on another machine"));
    assert_eq!(here.read(GAME), before);

    carry(&here, &there, "out.game");
    let said = with(&there, &["restore", "out.game"]).ok();
    assert!(said.contains("asalto-handed-over is here with 2 entries"), "{said}");
    assert_eq!(there.read(GAME), before);
    // Nothing is asked: the journal has come along.
    there.run(&["move", GAME, "c6-d6"]).ok();
    assert!(there.read(GAME).contains("  ~ "));
    let said = with(&there, &["restore", "out.game"]).fails(2);
    assert!(said.contains("was taken out of this file before"), "{said}");

    // The letter that the other machine sent may come here first, and the answer to it.
    carry(&there, &here, GAME);
    there.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    with(&there, &["backup", "back.game", "--hand-over", GAME]).ok();
    let said = there.run(&["move", GAME, "e6-e7", "--only-here"]).fails(2);
    assert!(said.contains("was handed over"), "{said}");
    carry(&there, &here, "back.game");
    with(&here, &["restore", "back.game"]).ok();
    assert_eq!(here.read(GAME), there.read(GAME));
    let said = with(&here, &["restore", "out.game"]).fails(2);
    assert!(said.contains("older than what was handed over"), "{said}");
    here.run(&["move", GAME, "e6-e7"]).ok();
    here.run(&["verify", GAME]).ok();
    assert_eq!(here.read("home/data/signed/asalto-handed-over.defenders").lines().count(), 4);
}

#[test]
fn the_file_of_a_game_comes_back_where_it_was_written_only_by_the_players_word() {
    let here = ada();
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    let said = with(&here, &["restore", "out.game"]).fails(2);
    assert!(said.contains("handed over from here") && said.contains("postrider restore FILE --only-here"), "{said}");
    // A file that was lost is written once more.
    with(&here, &["backup", "again.game", "--hand-over", GAME]).ok();
    with(&here, &["restore", "again.game", "--only-here"]).ok();
    here.run(&["move", GAME, "c6-d6"]).ok();
    // A file that cannot be written hands nothing over.
    with(&here, &["backup", "no/such/folder.game", "--hand-over", GAME]).fails(2);
    here.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    here.run(&["move", GAME, "e6-e7"]).ok();
}

#[test]
fn a_game_is_not_taken_where_something_else_was_signed_in_it() {
    let (here, there) = (ada(), machine());
    with(&here, &["backup", "all.backup"]).ok();
    carry(&here, &there, "all.backup");
    with(&there, &["restore", "all.backup"]).ok();
    there.run(&["move", GAME, "e6-d6", "--only-here"]).ok();
    let before = there.read(GAME);
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    carry(&here, &there, "out.game");
    let said = with(&there, &["restore", "out.game"]).fails(2);
    assert!(said.contains("nothing was taken: what was signed"), "{said}");
    assert_eq!(there.read(GAME), before);
}

/// The world around a home in memory.
struct World(AtomicU8);

impl Clock for World {
    fn now(&self) -> Time {
        Time(1_795_000_000)
    }
}

impl Randomness for World {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        bytes.iter_mut().for_each(|byte| *byte = self.0.fetch_add(7, Ordering::Relaxed));
        Ok(())
    }
}

impl Pages for World {
    fn page(&self, _: &[u8], _: Side) -> Option<String> {
        None
    }
}

impl Post for World {
    fn send(&self, _: &Message<'_>, _: &MailSettings) -> Result<Receipt, SendError> {
        Ok(Receipt::Program("the test".to_owned()))
    }

    fn push(&self, _: &Path, _: &GitSettings, _: &str, _: (&str, &str)) -> Result<String, Trouble> {
        Err(Trouble::of("nothing is pushed"))
    }
}

impl Front for World {
    fn tell(&self, _: Notice) {}

    fn unlock(&self, _: &LockedKey) -> Result<SecretKey, Locked> {
        Err(Locked { why: "no key is locked".to_owned(), hint: Default::default() })
    }
}

/// Does something in the office of a home in memory.
fn in_office<T>(memory: &Memory, act: impl FnOnce(&Office<'_>) -> T) -> T {
    let world = World(AtomicU8::new(3));
    let ports = Ports { clock: &world, randomness: &world, post: &world, pages: &world, front: &world };
    act(&Office::new(Folders::in_memory(memory), ports))
}

fn hand_over(memory: &Memory) -> Result<HomeCopy, Trouble> {
    let file = Folders::in_memory(memory).games().join(format!("{ID}.pbem"));
    in_office(memory, |office| carried::hand_over(office, Place { file: &file, name: ID }).map(|(copy, _)| copy))
}

fn take(memory: &Memory, copy: &HomeCopy) -> Result<(), Trouble> {
    in_office(memory, |office| carried::take(office, copy, false).map(drop))
}

/// Whether a home may sign in the game: it has the key, and nothing keeps it from that.
fn signs(memory: &Memory) -> bool {
    let folders = Folders::in_memory(memory);
    let has_key = in_office(memory, |office| office.keyring().own().is_ok_and(|own| own.is_some()));
    has_key && Elsewhere::new(&folders).guard(ID).is_ok()
}

/// Ada's home on her machine, in memory.
fn in_memory(session: &Session) -> Memory {
    let mut files = Vec::new();
    for name in [
        "settings.yaml",
        "data/keys/own.pem",
        "data/signed/asalto-handed-over.defenders",
        "data/known/asalto-handed-over.known",
        "data/known/asalto-handed-over.sides",
        "data/games/asalto-handed-over.pbem",
    ] {
        files.push((name.to_owned(), fs::read(session.path(&format!("home/{name}"))).expect("a file")));
    }
    Memory::from_snapshot(files)
}

#[test]
fn a_kill_at_any_moment_leaves_one_machine_at_most_that_signs() {
    let first = in_memory(&ada()).snapshot();
    let empty = vec![("settings.yaml".to_owned(), b"name: Ada Quill\nemail: ada@example.org\n".to_vec())];
    let mut kills = 0;
    for how in [Failing::Killed, Failing::Full, Failing::Unflushed] {
        for changes in 0..40 {
            let (here, there) = (Memory::from_snapshot(first.clone()), Memory::from_snapshot(empty.clone()));
            here.fail_after(changes, how);
            let copy = hand_over(&here);
            let failed = here.recover();
            // Whoever has the copy can sign by it: then nobody does here.
            assert!(copy.is_err() || !signs(&here), "{how:?} after {changes}");
            let copy = match copy {
                Ok(copy) => copy,
                Err(_) => hand_over(&here).expect("the same again goes on"),
            };
            there.fail_after(changes, how);
            let taken = take(&there, &copy);
            let failed = there.recover() || failed;
            assert!(!signs(&here), "{how:?} after {changes}");
            let journal = Journal::new(&Folders::in_memory(&there)).signed(ID, "defenders", 1).expect("a journal");
            assert!(!signs(&there) || journal.is_some(), "{how:?} after {changes}: it signs without the journal");
            if taken.is_err() {
                take(&there, &copy).expect("the same again goes on");
            }
            assert!(signs(&there), "{how:?} after {changes}");
            // And back.
            let back = hand_over(&there).expect("handed over");
            assert!(!signs(&there) && take(&here, &back).is_ok() && signs(&here), "{how:?} after {changes}");
            assert!(take(&here, &copy).is_err());
            kills += usize::from(failed);
        }
    }
    assert!(kills > 20, "{kills} were tried");
}
