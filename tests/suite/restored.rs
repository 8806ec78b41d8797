//! Records that were damaged, cut or removed while the home has a copy: they are named everywhere, and come back where they lay.
#![cfg(unix)]

use std::fs;

use crate::letters::{GAME, ID, letter, receive, record};
use crate::session::{Done, Session};

const FILE: &str = "games/ours.pbem";
const NOW: &str = "2026-11-24T12:00:00Z";

fn run(session: &Session, args: &[&str]) -> Done {
    let output = session.command(args).env("POSTRIDER_NOW", NOW).output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) }
}

/// Bram's home with a game in which he has made entry 3.
fn bram() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    session.write(FILE, record(2));
    let mut command = session.command(&["move", FILE, "c6-d6; huff d6"]);
    let output = command.env("POSTRIDER_NOW", "2026-11-22T20:40:00Z").output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(session.read(FILE), record(3));
    assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n");
    session
}

/// The names in a folder, sorted.
fn names(session: &Session, folder: &str) -> Vec<String> {
    let listed = fs::read_dir(session.path(folder)).expect("a folder");
    let mut names: Vec<_> = listed.map(|one| one.expect("a name").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What is done to a record.
type Damage = fn(&[u8]) -> Vec<u8>;

/// Twenty ways in which disks, programs and people damage a record, after each of which it is refused.
const DAMAGES: [(&str, Damage); 20] = [
    ("emptied", |_| Vec::new()),
    ("one line end", |_| b"\n".to_vec()),
    ("zeroes", |record| vec![0; record.len()]),
    ("blanks", |record| vec![b' '; record.len()]),
    ("cut in its header", |record| record[..60].to_vec()),
    ("cut before the id", |record| record[..20].to_vec()),
    ("cut in a player", |record| record[..120].to_vec()),
    ("cut in the last entry", |record| record[..record.len() - 25].to_vec()),
    ("the header is gone", |record| record[record.len() - 80..].to_vec()),
    ("no text in the header", |record| [&record[..30], b"\xff\xfe", &record[30..]].concat()),
    ("no text in an entry", |record| [&record[..record.len() - 30], b"\xff", &record[record.len() - 30..]].concat()),
    ("UTF-16", |record| [0xff, 0xfe].into_iter().chain(record.iter().flat_map(|byte| [*byte, 0])).collect()),
    ("CR alone", |record| record.iter().map(|byte| if *byte == b'\n' { b'\r' } else { *byte }).collect()),
    ("a page of a web server", |_| b"<!DOCTYPE html><title>502 Bad Gateway</title>\n".to_vec()),
    ("compressed", |_| b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03".to_vec()),
    ("twice", |record| [record, record].concat()),
    ("conflict markers", |record| [b"<<<<<<< HEAD\n", record, b"=======\n", record, b">>>>>>> other\n"].concat()),
    ("a tail", |record| [record, b"4 besiegers nonsense\n"].concat()),
    ("an entry is gone", |record| String::from_utf8_lossy(record).replace(GAME[1], "").into_bytes()),
    ("an illegal entry", |record| String::from_utf8_lossy(record).replace("c4-c5", "c4-c6").into_bytes()),
];

#[test]
fn damaged_records_are_named_and_come_back_where_they_lay() {
    for (nth, (what, damage)) in DAMAGES.iter().enumerate() {
        let session = bram();
        let damaged = damage(record(3).as_bytes());
        fs::write(session.path(FILE), &damaged).expect("written");
        let restore = format!("`postrider restore {ID}` brings it back");
        let found = run(&session, &["doctor"]).fails_with_out(1);
        assert!(found.contains(FILE) && found.contains(&restore), "{what}: {found}");
        let status = run(&session, &["status"]);
        assert!(status.out.contains(FILE) && status.out.contains(&restore), "{what}: {}", status.out);
        // The opponent's next letter waits, and is no invitation.
        let letters = letter(&record(4));
        let received = receive(&session, &[], letters.as_bytes());
        assert!(received.code != 0 && received.err.contains("postrider restore"), "{what}: {}", received.err);
        assert!(!received.err.contains("invit") && !received.out.contains("invit"), "{what}: {}", received.out);
        assert_eq!(fs::read(session.path(FILE)).expect("a file"), damaged, "{what}");
        let before = names(&session, ".");
        let named = if nth % 2 == 0 { FILE } else { ID };
        let said = run(&session, &["restore", named]).ok();
        assert!(said.contains("is back as it was last known"), "{what}: {said}");
        assert_eq!(session.read(FILE), record(3), "{what}");
        assert_eq!(names(&session, "."), before, "{what}: nothing is left in the present folder");
        // What was replaced is kept, unless it was nothing.
        let kept = format!("{ID}.pbem.damaged-20261124T120000Z");
        let both =
            if damaged.is_empty() { vec!["ours.pbem".to_owned()] } else { vec![kept.clone(), "ours.pbem".into()] };
        assert_eq!(names(&session, "games"), both, "{what}");
        if !damaged.is_empty() {
            assert_eq!(fs::read(session.path(&format!("games/{kept}"))).expect("a file"), damaged, "{what}");
        }
        assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n", "{what}");
        let taken = receive(&session, &[], letters.as_bytes());
        assert_eq!(taken.code, 0, "{what}: {}", taken.err);
        assert_eq!(session.read(FILE), record(4), "{what}");
    }
}

#[test]
fn a_record_that_was_removed_comes_back_where_it_lay() {
    for named in [ID, FILE] {
        let session = bram();
        fs::remove_file(session.path(FILE)).expect("removed");
        for command in ["doctor", "status"] {
            let said = run(&session, &[command]);
            assert!(said.out.contains("the record is gone; a copy with 3 entries is kept here"), "{}", said.out);
            assert!(said.out.contains(&format!("`postrider restore {ID}` brings it back")), "{}", said.out);
        }
        let received = receive(&session, &[], letter(&record(4)).as_bytes());
        assert!(received.code != 0 && received.err.contains("postrider restore"), "{}", received.err);
        if named == FILE {
            // The name of a file that is not there says nothing about the game.
            run(&session, &["restore", named]).fails(2);
            assert!(!session.path(FILE).exists());
            continue;
        }
        let before = names(&session, ".");
        run(&session, &["restore", named]).ok();
        assert_eq!((session.read(FILE), names(&session, ".")), (record(3), before));
        assert_eq!(names(&session, "games"), ["ours.pbem"]);
    }
}

#[test]
fn a_legal_record_that_goes_on_from_the_copy_is_never_replaced() {
    let session = bram();
    let more = record(4);
    session.write(FILE, &more);
    for named in [FILE, ID] {
        let said = run(&session, &["restore", named]).ok();
        assert!(said.contains("goes on from what was last known: nothing was replaced"), "{said}");
    }
    assert_eq!((session.read(FILE), names(&session, "games")), (more, vec!["ours.pbem".to_owned()]));
    // One that was shortened does not go on from it, and neither does one in which something was said otherwise.
    for spoilt in [record(2), record(3).replace("the gate!", "the door!")] {
        session.write(FILE, &spoilt);
        let found = run(&session, &["doctor"]).fails_with_out(1);
        assert!(found.contains("postrider restore"), "{found}");
        run(&session, &["restore", FILE]).ok();
        assert_eq!(session.read(FILE), record(3));
    }
}

#[test]
fn another_game_that_lies_there_now_stays() {
    let session = bram();
    let other = record(1).replace(ID, "asalto-another-game");
    session.write(FILE, &other);
    let found = run(&session, &["doctor"]).fails_with_out(1);
    assert!(found.contains("the record is gone"), "{found}");
    run(&session, &["restore", ID]).ok();
    assert_eq!(session.read(FILE), other);
    assert_eq!(session.read(&format!("games/{ID}.pbem")), record(3));
}

#[test]
fn a_copy_that_is_damaged_too_replaces_nothing() {
    let session = bram();
    session.write(FILE, "");
    session.write(&format!("home/data/known/{ID}.known"), &record(3)[..200]);
    let said = run(&session, &["restore", FILE]).fails(2);
    assert!(said.contains("damaged too") && said.contains("your opponent"), "{said}");
    assert_eq!(session.read(FILE), "");
}

#[test]
fn who_moved_a_record_is_told_nothing_once_it_is_known_where_it_is() {
    let session = bram();
    fs::create_dir(session.path("elsewhere")).expect("a folder");
    fs::rename(session.path(FILE), session.path("elsewhere/ours.pbem")).expect("moved");
    assert!(run(&session, &["doctor"]).fails_with_out(1).contains("postrider own FILE SIDE"));
    run(&session, &["own", "elsewhere/ours.pbem", "defenders"]).ok();
    assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n");
}

#[test]
fn a_home_in_which_no_place_was_noted_finds_a_damaged_record_by_its_name_or_what_is_left() {
    for (file, left) in [("games/ours.pbem", &record(3)[..70]), (&*format!("games/{ID}.pbem"), "")] {
        let session = bram();
        let sides = format!("home/data/known/{ID}.sides");
        let noted = session
            .read(&sides)
            .lines()
            .filter(|line| !line.starts_with("at "))
            .fold(String::new(), |all, line| all + line + "\n");
        session.write(&sides, noted);
        fs::remove_file(session.path(FILE)).expect("removed");
        session.write(file, left);
        assert!(run(&session, &["doctor"]).fails_with_out(1).contains("postrider restore"), "{file}");
        run(&session, &["restore", ID]).ok();
        assert_eq!(session.read(file), record(3));
    }
}
