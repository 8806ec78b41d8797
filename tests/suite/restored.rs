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

/// A letter from Bram with a record.
fn letter_of_bram(record: &str) -> String {
    letter(record).replace("Ada Quill <ada@example.org>", "Bram Post <bram@example.net>")
}

/// Ada's home with the game that Bram has begun, which she has accepted and made no entry in.
fn accepted() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    assert!(receive(&session, &[], letter_of_bram(&record(1)).as_bytes()).out.contains("you are invited"));
    run(&session, &["accept", ID, "-o", &session.path(FILE).to_string_lossy()]).ok();
    assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n");
    session
}

/// What is done to the place of a record.
type Spoil = fn(&Session);

/// Where the copy comes back, if it does.
#[derive(Clone, Copy, PartialEq)]
enum Back {
    /// Where the record lay.
    There,
    /// Beside what lies there now, which stays.
    Beside,
    /// Not before the player has made room.
    Barred,
    /// Nothing is missing.
    Needless,
}

/// Ways in which what lies around a record is spoiled, what is said of each, and where the record comes back.
const SPOILT: [(&str, Spoil, &str, Back); 11] = [
    ("removed", |here| fs::remove_file(here.path(FILE)).expect("removed"), "the record is gone", Back::There),
    (
        "removed with its folder",
        |here| fs::remove_dir_all(here.path("games")).expect("removed"),
        "the record is gone",
        Back::Beside,
    ),
    (
        "a folder of that name",
        |here| {
            fs::remove_file(here.path(FILE)).expect("removed");
            fs::create_dir(here.path(FILE)).expect("a folder");
        },
        "in its place is a folder",
        Back::Barred,
    ),
    (
        "a link that leads nowhere",
        |here| {
            fs::remove_file(here.path(FILE)).expect("removed");
            std::os::unix::fs::symlink("nowhere", here.path(FILE)).expect("a link");
        },
        "the record is gone",
        Back::Barred,
    ),
    (
        "a link to nothing but zeroes",
        |here| {
            fs::remove_file(here.path(FILE)).expect("removed");
            std::os::unix::fs::symlink("/dev/null", here.path(FILE)).expect("a link");
        },
        "in its place is a folder",
        Back::Barred,
    ),
    (
        "another game",
        |here| here.write(FILE, record(1).replace(ID, "asalto-another-game")),
        "the record is gone",
        Back::Beside,
    ),
    (
        "legal and shorter",
        |here| {
            let whole = here.read(FILE);
            let end = whole.trim_end().rfind('\n').expect("lines") + 1;
            here.write(FILE, &whole[..end]);
        },
        "the record has only",
        Back::There,
    ),
    (
        "another name of a player",
        |here| here.write(FILE, here.read(FILE).replace("Ada Quill", "Ada Quilt")),
        "does not go on from what was last known",
        Back::There,
    ),
    (
        "a byte order mark",
        |here| here.write(FILE, format!("\u{feff}{}", here.read(FILE))),
        "its header cannot be read",
        Back::There,
    ),
    (
        "ends of lines as on Windows",
        |here| here.write(FILE, here.read(FILE).replace('\n', "\r\n")),
        "nothing is wrong",
        Back::Needless,
    ),
    (
        "another name of the file",
        |here| fs::rename(here.path(FILE), here.path("games/renamed.pbem")).expect("renamed"),
        "nothing is wrong",
        Back::Needless,
    ),
];

#[test]
fn what_became_of_the_place_of_a_record_is_named_also_in_a_game_without_an_own_entry() {
    let homes: [(fn() -> Session, String); 2] = [(bram, letter(&record(4))), (accepted, letter_of_bram(&record(1)))];
    for (home, next) in homes {
        for (what, spoil, word, back) in SPOILT {
            let session = home();
            let before = session.read(FILE);
            spoil(&session);
            let found = run(&session, &["doctor"]);
            assert_eq!(found.code == 0, back == Back::Needless, "{what}: {}", found.out);
            assert!(found.out.contains(word), "{what}: {}", found.out);
            if back == Back::Needless {
                run(&session, &["restore", ID]).ok();
                continue;
            }
            assert!(found.out.contains(&format!("`postrider restore {ID}` brings")), "{what}: {}", found.out);
            let status = run(&session, &["status"]);
            assert!(status.out.contains("`postrider restore"), "{what}: {}{}", status.out, status.err);
            // The next letter waits, and is no invitation.
            let received = receive(&session, &[], next.as_bytes());
            if received.code == 0 && what == "legal and shorter" {
                // What was cut off came once more.
                assert_eq!(session.read(FILE), before, "{what}");
                continue;
            }
            assert!(received.code != 0 && received.err.contains("postrider restore"), "{what}: {}", received.err);
            assert!(
                !format!("{}{}", received.out, received.err).contains("you are invited"),
                "{what}: {}",
                received.err
            );
            if back == Back::Barred {
                let said = run(&session, &["restore", ID]).fails(2);
                assert!(said.contains("ours.pbem") && said.contains("somewhere else"), "{what}: {said}");
                fs::rename(session.path(FILE), session.path("aside")).expect("moved");
            }
            let there = fs::read(session.path(FILE)).ok();
            run(&session, &["restore", ID]).ok();
            let (place, stays) = match back {
                Back::Beside => (format!("games/{ID}.pbem"), there),
                _ => (FILE.to_owned(), Some(before.clone().into_bytes())),
            };
            assert_eq!(session.read(&place), before, "{what}");
            assert_eq!(fs::read(session.path(FILE)).ok(), stays, "{what}");
            assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n", "{what}");
        }
    }
}

#[test]
fn a_record_that_was_cut_at_any_place_is_named_and_comes_back() {
    let session = bram();
    let whole = record(3);
    let lines = whole.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < whole.len());
    let words = whole.match_indices([' ', ':', '{', '}', '@', ';']).map(|(at, _)| at);
    let mut places: Vec<usize> = lines.chain(words).collect();
    places.sort_unstable();
    // The places of words are alike; each line end and some of them are tried.
    places = places
        .iter()
        .enumerate()
        .filter(|(nth, at)| nth % 4 == 0 || whole[..**at].ends_with('\n'))
        .map(|(_, at)| *at)
        .collect();
    assert!(places.len() > 20, "{places:?}");
    for at in places {
        session.write(FILE, &whole[..at]);
        let found = run(&session, &["doctor"]).fails_with_out(1);
        assert!(found.contains(FILE) && found.contains("postrider restore"), "{at}: {found}");
        assert!(run(&session, &["status"]).out.contains("postrider restore"), "{at}");
        run(&session, &["restore", FILE]).ok();
        assert_eq!(session.read(FILE), whole, "{at}");
        for name in names(&session, "games").iter().filter(|name| name.contains("damaged")) {
            fs::remove_file(session.path(&format!("games/{name}"))).expect("removed");
        }
    }
}

#[test]
fn two_records_of_one_game_are_named_and_none_is_replaced() {
    let session = bram();
    session.write("games/copy.pbem", record(2));
    for command in ["doctor", "status"] {
        let said = run(&session, &[command]);
        assert!(said.out.contains("ours.pbem") && said.out.contains("copy.pbem"), "{command}: {}", said.out);
    }
    let received = receive(&session, &[], letter(&record(4)).as_bytes());
    assert!(received.code != 0 && received.err.contains("are both records of"), "{}", received.err);
    run(&session, &["restore", "games/copy.pbem"]).ok();
    assert_eq!((session.read(FILE), session.read("games/copy.pbem")), (record(3), record(3)));
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let session = bram();
    fs::set_permissions(session.path(FILE), fs::Permissions::from_mode(0o000)).expect("a mode");
    if fs::read(session.path(FILE)).is_ok() {
        // Whoever may read everything is not hindered by a mode.
        assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n");
        return;
    }
    let found = run(&session, &["doctor"]).fails_with_out(1);
    assert!(found.contains("it cannot be read"), "{found}");
    let received = receive(&session, &[], letter(&record(4)).as_bytes());
    assert!(received.code != 0 && !received.err.contains("invit"), "{}", received.err);
    run(&session, &["restore", FILE]).fails(2);
    fs::set_permissions(session.path(FILE), fs::Permissions::from_mode(0o644)).expect("a mode");
    assert_eq!(session.read(FILE), record(3));
}

#[test]
fn a_game_that_was_called_off_is_not_missed() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    assert!(receive(&session, &[], letter(&record(0)).as_bytes()).out.contains("you are invited"));
    run(&session, &["accept", ID]).ok();
    run(&session, &["decline", ID]).ok();
    assert_eq!(run(&session, &["doctor"]).ok(), "nothing is wrong\n");
    assert!(!run(&session, &["status"]).out.contains("gone"));
    run(&session, &["accept", ID]).ok();
    fs::remove_file(session.path(&format!("games/{ID}.pbem"))).expect("removed");
    assert!(run(&session, &["doctor"]).fails_with_out(1).contains("the record is gone"));
}
