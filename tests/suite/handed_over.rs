//! One game on two machines of one player: it is handed over and taken back, and at no moment may both sign it.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use postrider_disk::disk::{Failing, Memory};
use postrider_disk::folders::Folders;
use postrider_home::elsewhere::Elsewhere;
use postrider_home::elsewhere::carried::{self, Doubts, Said};
use postrider_home::entry::moves;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness, Trouble};
use postrider_home::records;
use postrider_home::send::letters::Place;
use postrider_home::send::transport::{Receipt, SendError};
use postrider_kernel::Side;
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::backup::{Copied, HomeCopy};
use postrider_vault::journal::Journal;
use postrider_vault::locked::LockedKey;

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
    let said = with(&there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
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
    with(&here, &["restore", "back.game", "--only-here"]).ok();
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
    assert!(said.contains("handed over from here") && said.contains("`--only-here`"), "{said}");
    // A file that was lost is written once more, by the player's word as well, and then the first entry asks.
    with(&here, &["backup", "again.game", "--hand-over", GAME, "--only-here"]).ok();
    with(&here, &["restore", "again.game", "--only-here"]).ok();
    let said = here.run(&["move", GAME, "c6-d6"]).fails(2);
    assert!(said.contains("this game came from the backup of 2026-11-21T12:00:00Z"), "{said}");
    here.run(&["move", GAME, "c6-d6", "--only-here"]).ok();
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
        Time(1_795_263_000)
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

fn hand_over(memory: &Memory, only_here: bool) -> Result<HomeCopy, Trouble> {
    let file = Folders::in_memory(memory).games().join(format!("{ID}.pbem"));
    let place = Place { file: &file, name: ID };
    in_office(memory, |office| {
        carried::hand_over(office, place, Doubts { only_here, unsure: false }).map(|(copy, _)| copy)
    })
}

fn take(memory: &Memory, copy: &HomeCopy) -> Result<(), Trouble> {
    let said = Said { untaken: true, despite_key: true };
    in_office(memory, |office| carried::take(office, copy, said).map(drop))
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
            let copy = hand_over(&here, false);
            let failed = here.recover();
            // Whoever has the copy can sign by it: then nobody does here.
            assert!(copy.is_err() || !signs(&here), "{how:?} after {changes}");
            let copy = match copy {
                Ok(copy) => copy,
                Err(_) => hand_over(&here, true).expect("the same again goes on"),
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
            // A copy made once more is doubted until the player has said that nothing is missing.
            let back = hand_over(&there, true).expect("handed over");
            assert!(!signs(&there) && take(&here, &back).is_ok() && signs(&here), "{how:?} after {changes}");
            assert!(take(&here, &copy).is_err());
            kills += usize::from(failed);
        }
    }
    assert!(kills > 20, "{kills} were tried");
}

#[test]
fn a_kill_while_a_confirmed_key_is_noted_leaves_it_whole_and_one_machine_that_signs() {
    let mine = ada();
    mine.run(&["key", "trust", "bram@example.net", THEIRS]).ok();
    let mut first = in_memory(&mine).snapshot();
    let trusted = fs::read(mine.path("home/data/keys/trusted")).expect("the trusted keys");
    first.push(("data/keys/trusted".to_owned(), trusted));
    let key = first.iter().find(|(name, _)| name == "data/keys/own.pem").expect("a key").clone();
    // Where the key was before, nobody else can have written the file: the opponent's key is noted without a question.
    let second = vec![("settings.yaml".to_owned(), b"name: Ada Quill\nemail: ada@example.org\n".to_vec()), key];
    let here = Memory::from_snapshot(first);
    let copy = hand_over(&here, false).expect("handed over");
    let mut kills = 0;
    for how in [Failing::Killed, Failing::Full, Failing::Unflushed] {
        for changes in 0..40 {
            let there = Memory::from_snapshot(second.clone());
            there.fail_after(changes, how);
            let taken = take(&there, &copy);
            let failed = there.recover();
            kills += usize::from(failed);
            let trusts = || {
                in_office(&there, |office| {
                    office.trusted().iter().map(|one| one.fingerprint.clone()).collect::<Vec<_>>()
                })
            };
            assert!(trusts().iter().all(|key| key == THEIRS), "{how:?} after {changes}: {:?}", trusts());
            assert!(!signs(&here), "{how:?} after {changes}");
            if taken.is_err() {
                take(&there, &copy).expect("the same again goes on");
            }
            assert!(signs(&there), "{how:?} after {changes}");
            // What could not be written is told, and the game goes on without; a kill is made good when the file is taken again.
            assert!(
                matches!(how, Failing::Full | Failing::Unflushed) && failed || trusts() == [THEIRS],
                "{how:?} after {changes}"
            );
        }
    }
    assert!(kills > 20, "{kills} were tried");
}

#[test]
fn a_game_that_is_handed_over_is_handed_over_again_only_by_the_players_word_and_then_asks() {
    let (here, there) = (ada(), machine());
    with(&here, &["backup", "first.game", "--hand-over", GAME]).ok();
    let said = with(&here, &["backup", "second.game", "--hand-over", GAME]).fails(2);
    assert!(said.contains("is handed over already") && said.contains("`--only-here`"), "{said}");
    assert!(!here.path("second.game").exists());
    with(&here, &["backup", "second.game", "--hand-over", GAME, "--only-here"]).ok();
    carry(&here, &there, "second.game");
    with(&there, &["restore", "second.game", "--despite-key", "--only-here"]).ok();
    let said = there.run(&["move", GAME, "c6-d6"]).fails(2);
    assert!(said.contains("nothing was signed: this game came from the backup"), "{said}");
    there.run(&["move", GAME, "c6-d6", "--only-here"]).ok();
    // `--only-here` belongs to a game that is handed over.
    with(&here, &["backup", "all.backup", "--only-here"]).fails(2);
}

#[test]
fn a_game_that_came_from_a_backup_is_handed_over_only_once_it_is_said_that_nothing_is_missing() {
    let (here, there) = (ada(), machine());
    with(&here, &["backup", "all.backup"]).ok();
    here.run(&["move", GAME, "c6-d6"]).ok();
    carry(&here, &there, "all.backup");
    with(&there, &["restore", "all.backup"]).ok();
    let said = with(&there, &["backup", "out.game", "--hand-over", GAME]).fails(2);
    assert!(said.contains("it is not handed over: this game came from the backup of"), "{said}");
    assert!(!there.path("out.game").exists());
    let said = there.run(&["move", GAME, "e6-d6"]).fails(2);
    assert!(said.contains("came from the backup of"), "it is still here, and still asks: {said}");
    with(&there, &["backup", "out.game", "--hand-over", GAME, "--only-here"]).ok();
}

#[test]
fn a_key_that_has_signed_nothing_here_hands_no_game_over_unasked() {
    let (here, there) = (ada(), machine());
    here.run(&["key", "backup", "key.backup"]).ok();
    carry(&here, &there, "key.backup");
    there.run(&["key", "import", "key.backup"]).ok();
    fs::create_dir_all(there.path("home/data/games")).expect("a folder");
    carry(&here, &there, GAME);
    let said = with(&there, &["backup", "out.game", "--hand-over", GAME]).fails(2);
    assert!(said.contains("it is not handed over: your key came from elsewhere"), "{said}");
}

/// Runs a command at another time, and with the passphrase.
fn later(session: &Session, time: &str, args: &[&str]) -> Done {
    let mut command = session.command(&[args, &PHRASE].concat());
    command.env("POSTRIDER_NOW", time);
    crate::letters::run(command, b"")
}

#[test]
fn every_file_of_a_game_is_asked_about_before_it_is_taken_whatever_its_age() {
    let here = ada();
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    for time in ["2026-11-21T12:00:30Z", "2026-11-22T12:00:00Z"] {
        let there = machine();
        carry(&here, &there, "out.game");
        let said = later(&there, time, &["restore", "out.game", "--despite-key"]).fails(2);
        let what = format!("{ID} was handed over on 2026-11-21T12:00:00Z, and one machine alone may go on with it");
        assert!(said.contains(&what) && said.contains("`--only-here`"), "{said}");
        assert!(!there.path(GAME).exists() && !there.path("home/data").exists(), "nothing was written");
        later(&there, time, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
        // It was asked about, and is not again.
        let mut first = there.command(&["move", GAME, "c6-d6"]);
        first.env("POSTRIDER_NOW", time);
        crate::letters::run(first, b"").ok();
    }
}

#[test]
fn a_second_machine_that_has_taken_the_same_file_signs_nothing_once_an_entry_of_the_first_comes() {
    let (here, one, other) = (ada(), machine(), machine());
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    for there in [&one, &other] {
        carry(&here, there, "out.game");
        with(there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
    }
    one.run(&["move", GAME, "c6-d6"]).ok();
    one.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    other.write(GAME, one.read(GAME));
    let before = other.read(GAME);
    // That is seen when the game is opened, not only when the next entry would be signed; where it was signed there is nothing to say.
    let warned = "your entry 3 of this game was signed on another machine";
    assert!(other.run(&["show", GAME]).err.contains(warned));
    assert!(!one.run(&["show", GAME]).err.contains(warned));
    for more in [&[][..], &["--only-here"]] {
        let said = other.run(&[&["move", GAME, "e6-e7"], more].concat()).fails(2);
        assert!(said.contains("your entry 3 of this game was signed on another machine"), "{said}");
        assert!(said.contains(&format!("`postrider restore {ID} --only-here`")), "{said}");
    }
    assert_eq!(other.read(GAME), before);
    // The way out is to hand it over there.
    with(&one, &["backup", "next.game", "--hand-over", GAME]).ok();
    carry(&one, &other, "next.game");
    with(&other, &["restore", "next.game", "--only-here"]).ok();
    assert!(!other.run(&["show", GAME]).err.contains(warned));
    other.run(&["move", GAME, "e6-e7"]).ok();
}

#[test]
fn a_game_is_not_taken_back_after_the_other_machine_has_signed() {
    let (here, there) = (ada(), machine());
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    carry(&here, &there, "out.game");
    with(&there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
    there.run(&["move", GAME, "c6-d6"]).ok();
    there.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    // The answer to it comes here as well.
    here.write(GAME, there.read(GAME));
    let said = with(&here, &["restore", "out.game", "--only-here"]).fails(2);
    assert!(said.contains("was signed on another machine after this file was written"), "{said}");
    let said = here.run(&["move", GAME, "e6-e7", "--only-here"]).fails(2);
    assert!(
        said.contains("was handed over") && said.contains(&format!("`postrider restore {ID} --only-here`")),
        "{said}"
    );
    // The other machine is lost: by the player's word it goes on here, and the first entry asks once more.
    here.run(&["restore", ID, "--only-here"]).ok();
    let said = here.run(&["move", GAME, "e6-e7"]).fails(2);
    assert!(said.contains("nothing was signed: this game came from the backup of"), "{said}");
    here.run(&["move", GAME, "e6-e7", "--only-here"]).ok();
}

#[test]
fn a_game_whose_journal_lacks_an_entry_is_handed_over_by_the_players_word_and_asks_there_too() {
    let (here, there) = (ada(), machine());
    fs::remove_file(here.path("home/data/signed/asalto-handed-over.defenders")).expect("a journal");
    let said = with(&here, &["backup", "out.game", "--hand-over", GAME]).fails(2);
    assert!(said.contains("the journal here does not know your entry 1"), "{said}");
    with(&here, &["backup", "out.game", "--hand-over", GAME, "--only-here"]).ok();
    carry(&here, &there, "out.game");
    with(&there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
    let said = there.run(&["move", GAME, "c6-d6"]).fails(2);
    assert!(said.contains("nothing was signed: this game came from the backup of"), "{said}");
    there.run(&["move", GAME, "c6-d6", "--only-here"]).ok();
}

/// The fingerprint of a key that nobody has.
const THEIRS: &str = "0123-4567-89ab-cdef-0123-4567-89ab-cdef";

#[test]
fn a_confirmed_key_of_the_opponent_comes_along_from_the_players_own_file_alone() {
    let here = ada();
    here.run(&["key", "trust", "bram@example.net", THEIRS]).ok();
    here.run(&["key", "backup", "key.backup"]).ok();
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    let taken = |there: &Session| {
        carry(&here, there, "out.game");
        let done = with(there, &["restore", "out.game", "--despite-key", "--only-here"]);
        let told = done.err.clone();
        done.ok();
        (told, there.run(&["key", "show"]).out.contains(THEIRS))
    };
    // Where the key was before, nobody else can have written the file.
    let there = machine();
    carry(&here, &there, "key.backup");
    there.run(&["key", "import", "key.backup"]).ok();
    let (told, trusts) = taken(&there);
    assert!(trusts && told.contains(&format!("the key {THEIRS} of bram@example.net is trusted here too")), "{told}");
    // Where it was not, somebody else may have: the player is told how to trust it.
    let (told, trusts) = taken(&machine());
    assert!(!trusts && told.contains(&format!("postrider key trust bram@example.net {THEIRS}")), "{told}");
    // It never takes the place of another.
    let there = machine();
    carry(&here, &there, "key.backup");
    there.run(&["key", "import", "key.backup"]).ok();
    let other = THEIRS.replace('0', "1");
    there.run(&["key", "trust", "bram@example.net", &other]).ok();
    let (told, trusts) = taken(&there);
    assert!(!trusts && told.contains("which stays"), "{told}");
}

#[test]
fn a_locked_key_proves_nothing_because_anybody_can_write_its_public_half() {
    let mine = ada();
    let first = in_memory(&mine).snapshot();
    with(&mine, &["key", "backup", "locked.key"]).ok();
    let locked = fs::read(mine.path("locked.key")).expect("a key");
    let out = hand_over(&Memory::from_snapshot(first.clone()), false).expect("handed over");
    let forged = changed(&out, |files| {
        files.retain(|one| one.path != "data/keys/own.pem");
        files.push(file("data/keys/own.pem", &locked));
        files.push(file("data/keys/confirmed", format!("{THEIRS}\n").as_bytes()));
        files.push(file(&format!("data/conditions/{ID}.defenders.json"), b"{}"));
    });
    let here = Memory::from_snapshot(first);
    let before = here.snapshot();
    let said = Said { untaken: true, despite_key: false };
    let refused =
        in_office(&here, |office| carried::take(office, &forged, said).map(drop)).expect_err("it is not taken");
    assert!(refused.to_string().contains("locked in another way than here"), "{refused}");
    assert_eq!(here.snapshot(), before);
}

#[test]
fn a_key_that_is_not_here_yet_is_kept_only_by_the_players_word_and_is_named() {
    let (here, there) = (ada(), machine());
    let key = here.run(&["key", "show"]).ok();
    let fingerprint = key.split_whitespace().find(|word| word.len() == 39).expect("a fingerprint").to_owned();
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    carry(&here, &there, "out.game");
    let said = with(&there, &["restore", "out.game"]).fails(2);
    assert!(said.contains(&format!("the key {fingerprint}")) && said.contains("--despite-key"), "{said}");
    assert!(!there.path("home/data/keys/own.pem").exists() && !there.path(GAME).exists());
    assert!(!there.path(&format!("home/data/elsewhere/{ID}")).exists());
    let done = with(&there, &["restore", "out.game", "--despite-key", "--only-here"]);
    assert!(done.err.contains(&format!("the key {fingerprint} is kept here")), "{}", done.err);
    done.ok();
}

/// A copy of a game, with other files in it.
fn changed(copy: &HomeCopy, change: impl Fn(&mut Vec<Copied>)) -> HomeCopy {
    let mut copy = copy.clone();
    change(&mut copy.files);
    copy
}

fn file(path: &str, bytes: &[u8]) -> Copied {
    Copied { path: path.to_owned(), bytes: bytes.to_vec().into() }
}

#[test]
fn a_file_that_is_not_the_players_own_is_judged_before_anything_is_noted() {
    let stranger = ada();
    let key = fs::read(stranger.path("home/data/keys/own.pem")).expect("a key");
    let first = in_memory(&ada()).snapshot();
    let out = hand_over(&Memory::from_snapshot(first.clone()), false).expect("handed over");
    let is_key = |one: &Copied| one.path == "data/keys/own.pem";
    let with_key = |bytes: &[u8]| {
        changed(&out, |files| {
            files.retain(|one| !is_key(one));
            files.push(file("data/keys/own.pem", bytes));
        })
    };
    let none = changed(&out, |files| {
        files.retain(|one| !is_key(one));
        files.push(file(&format!("data/conditions/{ID}.defenders.json"), b"{}"));
    });
    for (bad, despite_key) in [(with_key(b"x"), true), (with_key(&key), true), (none, false)] {
        let here = Memory::from_snapshot(first.clone());
        let before = here.snapshot();
        let taken =
            in_office(&here, |office| carried::take(office, &bad, Said { untaken: true, despite_key }).map(drop));
        assert!(taken.is_err() && signs(&here));
        assert_eq!(here.snapshot(), before);
    }
}

#[test]
fn a_reply_that_was_withdrawn_on_the_other_machine_is_not_there_when_the_game_is_back() {
    let mut first = in_memory(&ada()).snapshot();
    let replies = format!("data/conditions/{ID}.defenders.json");
    first.push((replies.clone(), b"{}".to_vec()));
    let here = Memory::from_snapshot(first);
    let there = Memory::from_snapshot(vec![("settings.yaml".to_owned(), b"email: ada@example.org\n".to_vec())]);
    let out = hand_over(&here, false).expect("handed over");
    take(&there, &out).expect("taken");
    let there: Vec<_> = there.snapshot().into_iter().filter(|(path, _)| *path != replies).collect();
    let back = hand_over(&Memory::from_snapshot(there), false).expect("handed over");
    take(&here, &back).expect("taken");
    assert!(signs(&here) && here.snapshot().iter().all(|(path, _)| *path != replies));
}

#[test]
fn a_game_that_was_not_taken_whole_goes_on_by_the_players_word_and_then_asks() {
    let note = format!("home/data/elsewhere/{ID}");
    for text in ["coming 1 0123456789abcdef0123456789abcdef\n", "garbled"] {
        let here = ada();
        fs::create_dir_all(here.path("home/data/elsewhere")).expect("a folder");
        here.write(&note, text);
        let said = here.run(&["move", GAME, "c6-d6"]).fails(2);
        assert!(said.contains(&format!("`postrider restore {ID} --only-here`")), "{said}");
        here.run(&["restore", ID, "--only-here"]).ok();
        let said = here.run(&["move", GAME, "c6-d6"]).fails(2);
        assert!(said.contains("came from the backup of"), "{said}");
        here.run(&["move", GAME, "c6-d6", "--only-here"]).ok();
    }
}

#[test]
fn no_other_run_hands_a_game_over_before_the_file_of_the_first_is_there() {
    let here = in_memory(&ada());
    let place = Folders::in_memory(&here).games().join(format!("{ID}.pbem"));
    in_office(&here, |office| {
        let (_, before) =
            carried::hand_over(office, Place { file: &place, name: ID }, Doubts::default()).expect("handed over");
        let doubts = Doubts { only_here: true, unsure: false };
        assert!(carried::hand_over(office, Place { file: &place, name: ID }, doubts).is_err(), "it is locked");
        before.back().expect("taken back");
    });
    assert!(signs(&here) && hand_over(&here, false).is_ok());
}

#[test]
fn a_lost_file_of_a_game_that_has_ended_since_is_written_again() {
    let (here, there) = (ada(), machine());
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    // What ends it comes here as well.
    carry(&here, &there, "out.game");
    with(&there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
    there.run(&["move", GAME, "resign"]).ok();
    here.write(GAME, there.read(GAME));
    with(&here, &["backup", "again.game", "--hand-over", GAME, "--only-here"]).ok();
    with(&here, &["restore", "again.game", "--only-here"]).ok();
}

/// A player who hands the game over in another window while a question waits for its answer, and then says yes.
struct TwoWindows<'m>(&'m Memory);

impl Front for TwoWindows<'_> {
    fn tell(&self, _: Notice) {}

    fn can_ask(&self) -> bool {
        true
    }

    fn confirms(&self, _: &str) -> bool {
        hand_over(self.0, false).is_ok()
    }

    fn unlock(&self, _: &LockedKey) -> Result<SecretKey, Locked> {
        Err(Locked { why: "no key is locked".to_owned(), hint: Default::default() })
    }
}

#[test]
fn an_entry_that_waits_for_an_answer_is_not_made_once_the_game_was_handed_over() {
    let session = ada();
    let here = in_memory(&session);
    let file = Folders::in_memory(&here).games().join(format!("{ID}.pbem"));
    let place = Place { file: &file, name: ID };
    let before = here.snapshot().into_iter().find(|(path, _)| path.ends_with(".pbem")).expect("a record").1;
    let (world, front) = (World(AtomicU8::new(3)), TwoWindows(&here));
    let ports = Ports { clock: &world, randomness: &world, post: &world, pages: &world, front: &front };
    let office = Office::new(Folders::in_memory(&here), ports);
    let (lock, source) = records::take(&office, place).expect("the record");
    let made = moves::enter(&office, place, "resign", &moves::Options::default(), (Some(lock), source));
    let refused = made.err().expect("it is not made").to_string();
    assert!(refused.contains("was handed over"), "{refused}");
    let after = here.snapshot().into_iter().find(|(path, _)| path.ends_with(".pbem")).expect("a record").1;
    assert!(after == before && !signs(&here));
}

#[test]
fn a_game_that_comes_or_goes_is_in_the_next_backup_by_itself() {
    let (here, there) = (ada(), machine());
    let settings =
        "name: Ada Quill\nemail: ada@example.org\nbackup: {to: ../kept, passphrase-command: [cat, phrase], keep: 9}\n";
    for one in [&here, &there] {
        one.write("home/settings.yaml", settings);
        fs::create_dir(one.path("kept")).expect("a folder");
    }
    let kept = |one: &Session| fs::read_dir(one.path("kept")).expect("a folder").count();
    with(&here, &["backup", "out.game", "--hand-over", GAME]).ok();
    assert_eq!(kept(&here), 1);
    carry(&here, &there, "out.game");
    with(&there, &["restore", "out.game", "--despite-key", "--only-here"]).ok();
    assert_eq!(kept(&there), 1);
}
