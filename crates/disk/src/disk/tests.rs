//! What both sets of files do alike, and what memory does by itself.

use std::io::{Seek, SeekFrom};

use super::port::PIECE;
use super::*;
use crate::testing::homes;

/// Names in a folder, in order.
fn names(disk: &Disk, folder: &Path) -> Vec<(String, Kind)> {
    let listed = disk.list(folder).expect("a folder").into_iter();
    let mut names: Vec<_> =
        listed.map(|one| (one.name.into_string().expect("text"), one.kind.expect("a kind"))).collect();
    names.sort_by(|one, other| one.0.cmp(&other.0));
    names
}

fn text(disk: &Disk, path: &Path) -> String {
    String::from_utf8(disk.read(path, u64::MAX).expect("a file")).expect("text")
}

/// A check, in an empty folder of a set.
type Check = fn(&Disk, &Path);

/// Each check, with an empty folder in a set.
const CHECKS: &[(&str, Check)] = &[
    ("a file is created once", |disk, at| {
        let path = at.join("one");
        disk.create(&path, b"old", Mode::Umask).expect("created");
        let again = disk.create(&path, b"new", Mode::Private);
        assert!(matches!(&again, Err(FileError::Exists { path: there }) if *there == path), "{again:?}");
        assert_eq!(text(disk, &path), "old");
    }),
    ("a file that is put replaces whatever was there", |disk, at| {
        let path = at.join("one");
        disk.put(&path, b"old", Mode::Umask).expect("put");
        disk.put_private(&path, b"new").expect("put");
        assert_eq!(text(disk, &path), "new");
        let cut = disk.put_by(&path, &|_| Err(io::ErrorKind::StorageFull.into()), Mode::Private);
        assert!(matches!(cut, Err(FileError::Io { step: Step::Write, .. })), "{cut:?}");
        assert_eq!(text(disk, &path), "new");
        assert_eq!(names(disk, at), [("one".to_owned(), Kind::File)]);
    }),
    ("a folder must be there before its files are", |disk, at| {
        let path = at.join("below/one");
        let missing = disk.put_private(&path, b"x").expect_err("no folder");
        assert!(missing.to_string().ends_with("its folder does not exist"), "{missing}");
        assert!(matches!(missing, FileError::Io { step: Step::Create, .. }));
        assert_eq!(disk.append(&path).err().map(|error| error.kind()), Some(io::ErrorKind::NotFound));
        disk.private_folder(&at.join("below/deep")).expect("made");
        disk.private_folder(&at.join("below/deep")).expect("there");
        disk.create_private(&path, b"x").expect("created");
        assert_eq!(names(disk, &at.join("below")), [("deep".to_owned(), Kind::Folder), ("one".to_owned(), Kind::File)]);
        assert!(disk.private_folder(&path).is_err() && disk.private_folder(&path.join("more")).is_err());
    }),
    ("what is not there is not found", |disk, at| {
        let path = at.join("none");
        let kind = |error: io::Error| error.kind();
        assert_eq!(disk.open(&path).map_err(kind).err(), Some(io::ErrorKind::NotFound));
        assert_eq!(disk.about(&path).map_err(kind).err(), Some(io::ErrorKind::NotFound));
        assert_eq!(disk.list(&path).map_err(kind).err(), Some(io::ErrorKind::NotFound));
        assert!(disk.list_if_there(&path).expect("nothing").is_empty());
        assert!(!disk.has(&path).expect("told") && !disk.remove(&path).expect("told"));
        let locked = disk.lock(&path).expect_err("nothing to lock");
        assert!(matches!(locked, FileError::Io { step: Step::Lock, .. }), "{locked}");
        assert!(disk.rename(&path, &at.join("other")).is_err());
    }),
    ("a folder is no file", |disk, at| {
        assert!(matches!(disk.lock(at), Err(FileError::NotAFile { is_folder: true, .. })));
        assert!(disk.read(at, 9).is_err());
        assert_eq!(disk.about(at).expect("told").kind, Kind::Folder);
        let below = at.join("below");
        disk.private_folder(&below).expect("made");
        assert!(disk.put_private(&below, b"x").is_err());
        assert!(disk.append(&below).is_err());
    }),
    ("a file is read as far as is asked", |disk, at| {
        let path = at.join("one");
        disk.put_private(&path, b"0123456789").expect("put");
        assert_eq!(disk.read(&path, 4).expect("read"), b"0123");
        assert_eq!(disk.read_record(&path).expect("read"), b"0123456789");
        let mut file = disk.open(&path).expect("open");
        assert_eq!((file.about().expect("told").length, disk.about(&path).expect("told").length), (10, 10));
        file.seek(SeekFrom::Start(7)).expect("found");
        // What was opened stays what it was.
        disk.put_private(&path, b"another").expect("put");
        let mut rest = String::new();
        file.read_to_string(&mut rest).expect("read");
        assert_eq!(rest, "789");
    }),
    ("a file is compared with what it should begin", |disk, at| {
        let path = at.join("one");
        let long: Vec<u8> = (0..200_000u32).map(|nth| (nth % 251) as u8).collect();
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, long.len()] {
            disk.put_private(&path, &long[..length]).expect("put");
            assert_eq!(disk.begins(&path, &long).expect("read"), Some(length));
            if let Some(last) = length.checked_sub(1) {
                assert_eq!(disk.begins(&path, &long[..last]).expect("read"), None, "the file is longer");
            }
        }
    }),
    ("what is written at the end is behind what was there", |disk, at| {
        let path = at.join("one");
        for line in ["one\n", "two\n"] {
            disk.append(&path).expect("open").write_all(line.as_bytes()).expect("written");
        }
        assert_eq!(text(disk, &path), "one\ntwo\n");
        assert!(disk.about(&path).expect("told").is_private());
    }),
    ("a file that is renamed replaces another", |disk, at| {
        let (one, other) = (at.join("one"), at.join("other"));
        disk.put_private(&one, b"1").expect("put");
        disk.put_private(&other, b"2").expect("put");
        disk.rename(&one, &other).expect("renamed");
        assert_eq!(names(disk, at), [("other".to_owned(), Kind::File)]);
        assert_eq!(text(disk, &other), "1");
        disk.keep_name(&other).expect("kept");
    }),
    ("a file that is removed is gone, and its folder is not", |disk, at| {
        let path = at.join("below/one");
        disk.private_folder(&at.join("below")).expect("made");
        disk.put_private(&path, b"1").expect("put");
        assert!(disk.remove(&path).expect("removed") && !disk.remove(&path).expect("gone"));
        assert!(!disk.has(&path).expect("told") && disk.list(&at.join("below")).expect("a folder").is_empty());
    }),
    ("a lock keeps others from writing, and nothing else", |disk, at| {
        let path = at.join("one");
        disk.put_private(&path, b"old").expect("put");
        let mut lock = disk.lock(&path).expect("locked");
        assert_eq!((lock.read().expect("read"), text(disk, &path).as_str()), (b"old".to_vec(), "old"));
        lock.replace(b"old", b"new").expect("replaced");
        lock.replace(b"new", b"newer").expect("replaced again");
        assert!(matches!(lock.replace(b"old", b"x"), Err(FileError::Changed { .. })));
        let cut = lock.replace_by(b"newer", &|out| out.write_all(b"half").and(Err(io::ErrorKind::StorageFull.into())));
        assert!(matches!(cut, Err(FileError::Io { step: Step::Write, .. })), "{cut:?}");
        assert_eq!(text(disk, &path), "newer");
        drop(lock);
        disk.replace(&path, b"newer", b"newest").expect("it is given up");
        assert_eq!(text(disk, &path), "newest");
    }),
    ("a note that is not there is made with its folder, for its player alone", |disk, at| {
        let path = at.join("notes/one");
        assert_eq!(disk.read_if_there(&path, 9).expect("told"), None);
        assert_eq!(disk.record_if_there(&path).expect("told"), None);
        disk.change_note(&path, |old| [old, b"one\n"].concat()).expect("made");
        disk.change_note(&path, |old| [old, b"two\n"].concat()).expect("changed");
        assert_eq!(text(disk, &path), "one\ntwo\n");
        assert_eq!(disk.read_if_there(&path, 3).expect("told").as_deref(), Some(&b"one"[..]));
        assert_eq!(disk.record_if_there(&path).expect("told").as_deref(), Some(&b"one\ntwo\n"[..]));
        assert!(disk.about(&path).expect("told").is_private());
        assert!(disk.about(&at.join("notes")).expect("told").is_private());
        assert_eq!(names(disk, &at.join("notes")), [("one".to_owned(), Kind::File)]);
        assert!(disk.read_if_there(&at.join("notes"), 9).is_err(), "a folder is there, and is no note");
        let folder = disk.change_note(&at.join("notes"), |_| b"x".to_vec());
        assert!(matches!(folder, Err(FileError::NotAFile { is_folder: true, .. })), "{folder:?}");
    }),
    ("a note that is locked is made empty, and keeps what it has", |disk, at| {
        let path = at.join("one");
        let mut lock = disk.lock_note(&path).expect("made");
        assert_eq!((lock.read().expect("read"), text(disk, &path).as_str()), (Vec::new(), ""));
        lock.replace(b"", b"new").expect("written");
        drop(lock);
        assert_eq!(disk.lock_note(&path).expect("locked").read().expect("read"), b"new");
        let missing = disk.lock_note(&at.join("none/one")).expect_err("no folder");
        assert!(matches!(missing, FileError::Io { step: Step::Create, .. }), "{missing}");
    }),
    ("two paths to the same file are the same", |disk, at| {
        disk.private_folder(&at.join("below")).expect("made");
        disk.put_private(&at.join("one"), b"1").expect("put");
        assert!(disk.is_same(&at.join("below/../one"), &at.join("one")).expect("told"));
        assert!(!disk.is_same(at, &at.join("one")).expect("told"));
        assert!(disk.is_same(&at.join("none"), &at.join("none")).is_err());
    }),
    ("nothing was left by a killed program", |disk, at| {
        disk.put_private(&at.join("one"), b"1").expect("put");
        assert_eq!(disk.trace(&at.join("one")).expect("told"), None);
    }),
];

#[test]
fn both_sets_of_files_do_the_same() {
    for (name, check) in CHECKS {
        for (home, folders) in homes() {
            eprintln!("{name}, {}", if home.is_some() { "on the disk" } else { "in memory" });
            folders.disk.private_folder(&folders.data).expect("made");
            check(&folders.disk, &folders.data);
        }
    }
}

#[cfg(unix)]
#[test]
fn modes_in_memory_are_those_of_the_disk() {
    let told = |about: &About| (about.is_private(), about.is_own(), about.is_writable_by_others());
    let [disk, memory] = homes().map(|(home, folders)| {
        let at = |name: &str| folders.data.join(name);
        folders.disk.private_folder(&at("private")).expect("made");
        folders.disk.folder(&at("shared/below"), FolderMode::Shared).expect("made");
        folders.disk.create(&at("umask"), b"", Mode::Umask).expect("created");
        folders.disk.put(&at("closed"), b"", Mode::Umask).expect("put");
        folders.disk.put_private(&at("closed"), b"").expect("put");
        let mut lock = folders.disk.lock(&at("umask")).expect("locked");
        lock.replace(b"", b"x").expect("replaced");
        let names = ["", "private", "shared", "shared/below", "umask", "closed"];
        let found = names.map(|name| told(&folders.disk.about(&at(name)).expect("told")));
        drop(home);
        found
    });
    assert_eq!(disk, memory);
    assert!(!disk[4].0 && disk[5].0);
}

#[test]
fn the_handles_of_one_set_are_equal() {
    let (memory, other) = (Memory::new(), Memory::new());
    assert_eq!(memory.disk(), memory.clone().disk());
    assert_ne!(memory.disk(), other.disk());
    assert_ne!(memory.disk(), Disk::real());
    assert_eq!(Disk::real(), Disk::real());
}

#[test]
fn a_second_handle_of_a_locked_file_in_memory_is_refused() {
    let memory = Memory::new();
    let (one, other) = (memory.disk(), memory.clone().disk());
    let path = Path::new("game.pbem");
    one.put_private(path, b"old").expect("put");
    let lock = one.lock(path).expect("locked");
    let busy = other.lock(Path::new("/./game.pbem")).expect_err("it is locked");
    assert!(matches!(busy, FileError::Busy { .. }), "{busy}");
    drop(lock);
    other.lock(path).expect("it is given up");
    // A change between reading and writing is noticed, whoever made it.
    let mut lock = one.lock(path).expect("locked");
    other.put_private(path, b"by another").expect("put");
    assert!(matches!(lock.replace(b"old", b"new"), Err(FileError::Changed { .. })));
    assert!(other.remove(path).expect("removed"));
    assert!(matches!(lock.replace(b"old", b"new"), Err(FileError::Io { step: Step::Read, .. })));
}

#[test]
fn a_note_that_another_has_locked_is_not_changed() {
    let memory = Memory::new();
    let (one, other) = (memory.disk(), memory.disk());
    let path = Path::new("notes/one");
    one.change_note(path, |_| b"old".to_vec()).expect("made");
    let lock = one.lock_note(path).expect("locked");
    let mark = memory.mark();
    let busy = other.change_note(path, |_| panic!("nothing is asked while another has it")).expect_err("locked");
    assert!(matches!(busy, FileError::Busy { .. }), "{busy}");
    assert!(matches!(other.lock_note(path), Err(FileError::Busy { .. })));
    assert_eq!(memory.changes_since(mark), Changes::default());
    drop(lock);
    other.change_note(path, |old| [old, b" and new"].concat()).expect("it is given up");
    assert_eq!(text(&one, path), "old and new");
}

#[test]
fn a_note_that_another_makes_meanwhile_is_the_one_that_is_changed() {
    let memory = Memory::new();
    let (disk, other) = (memory.disk(), memory.disk());
    disk.private_folder(Path::new("notes")).expect("made");
    memory.meanwhile(0, move || other.create_private(Path::new("notes/one"), b"by another\n").expect("made"));
    disk.change_note(Path::new("notes/one"), |old| [old, b"by us\n"].concat()).expect("changed");
    assert_eq!(text(&disk, Path::new("notes/one")), "by another\nby us\n");
}

#[test]
fn a_note_that_stays_as_it_is_is_not_written() {
    let memory = Memory::new();
    let path = Path::new("notes/one");
    memory.disk().change_note(path, |_| b"same".to_vec()).expect("made");
    let mark = memory.mark();
    memory.fail_after(0, Failing::Killed);
    memory.disk().change_note(path, <[u8]>::to_vec).expect("there is nothing to write");
    assert_eq!(memory.changes_since(mark), Changes::default());
    assert_eq!(text(&memory.disk(), path), "same");
}

#[cfg(unix)]
#[test]
fn a_note_that_stays_as_it_is_is_the_same_file_on_the_disk() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let (disk, path) = (Disk::real(), folder.path().join("one"));
    let file = || std::fs::metadata(&path).expect("it is there").ino();
    disk.change_note(&path, |_| b"old".to_vec()).expect("made");
    let made = file();
    disk.change_note(&path, <[u8]>::to_vec).expect("there is nothing to write");
    assert_eq!(file(), made);
    disk.change_note(&path, |_| b"new".to_vec()).expect("changed");
    assert_ne!(file(), made, "another file replaces it");
}

#[test]
fn a_note_is_the_old_or_the_new_one_whatever_fails() {
    for how in [Failing::Full, Failing::Unflushed, Failing::Killed] {
        for there in [false, true] {
            for nth in 0.. {
                let path = Path::new("notes/one");
                let memory = Memory::new();
                memory.disk().private_folder(Path::new("notes")).expect("made");
                if there {
                    memory.disk().change_note(path, |_| b"old\n".to_vec()).expect("made");
                }
                memory.fail_after(nth, how);
                let done = memory.disk().change_note(path, |old| [old, b"new\n"].concat());
                let has_failed = memory.recover();
                assert_eq!(done.is_err(), has_failed, "{how:?} {nth}");
                let (old, new) = if there { ("old\n", "old\nnew\n") } else { ("", "new\n") };
                let is = memory.disk().record_if_there(path).expect("read").unwrap_or_default();
                let is = String::from_utf8(is).expect("text");
                assert!(is == old || is == new, "{how:?} {nth}: {is}");
                if there {
                    let was_written = done.as_ref().map_or_else(FileError::was_written, |()| true);
                    assert_eq!(is == new, was_written, "{how:?} {nth}: {is}");
                }
                // The next run makes up for it.
                memory.disk().change_note(path, |_| new.as_bytes().to_vec()).expect("nothing fails");
                assert_eq!(text(&memory.disk(), path), new);
                if !has_failed {
                    break;
                }
            }
        }
    }
}

#[test]
fn threads_that_append_to_one_file_in_memory_lose_nothing() {
    let memory = Memory::new();
    let path = Path::new("game.pbem");
    memory.disk().put_private(path, b"").expect("put");
    std::thread::scope(|scope| {
        for word in ["ada", "bram"] {
            let disk = memory.disk();
            scope.spawn(move || {
                for number in 0..100 {
                    let mut lock = loop {
                        match disk.lock(path) {
                            Ok(lock) => break lock,
                            Err(FileError::Busy { .. }) => std::thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                    };
                    let old = lock.read().expect("read");
                    lock.replace(&old, &[&old[..], format!("{word} {number}\n").as_bytes()].concat())
                        .expect("replaced");
                }
            });
        }
    });
    let text = text(&memory.disk(), path);
    for word in ["ada ", "bram "] {
        let numbers: Vec<usize> = text.lines().filter_map(|line| line.strip_prefix(word)?.parse().ok()).collect();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn a_snapshot_is_the_same_set_again_and_changes_are_told() {
    let memory = Memory::new();
    let disk = memory.disk();
    disk.private_folder(Path::new("data/known")).expect("made");
    disk.put_private(Path::new("data/known/one"), b"1").expect("put");
    disk.put_private(Path::new("settings.yaml"), b"name: Ada\n").expect("put");
    let snapshot = memory.snapshot();
    assert_eq!(
        snapshot,
        [("data/known/one".to_owned(), b"1".to_vec()), ("settings.yaml".to_owned(), b"name: Ada\n".to_vec())]
    );
    let again = Memory::from_snapshot(snapshot.clone());
    assert_eq!(again.snapshot(), snapshot);
    let mark = again.mark();
    assert_eq!(again.changes_since(mark), Changes::default());
    let disk = again.disk();
    disk.put_private(Path::new("data/known/two"), b"2").expect("the folder is there");
    disk.remove(Path::new("data/known/one")).expect("removed");
    disk.put_private(Path::new("data/known/three"), b"3").expect("put");
    disk.rename(Path::new("data/known/three"), Path::new("data/known/four")).expect("renamed");
    let changes = again.changes_since(mark);
    let put: Vec<&str> = changes.put.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(put, ["data/known/four", "data/known/two"]);
    assert_eq!(changes.removed, ["data/known/one", "data/known/three"]);
    // What is removed and written again is written.
    disk.put_private(Path::new("data/known/one"), b"1").expect("put");
    assert_eq!(again.changes_since(mark).removed, ["data/known/three"]);
    assert_eq!(again.changes_since(again.mark()), Changes::default());
    // Applied to what was there, the changes give what is there.
    let changes = again.changes_since(mark);
    let mut there: std::collections::BTreeMap<_, _> = snapshot.into_iter().collect();
    there.extend(changes.put);
    there.retain(|path, _| !changes.removed.contains(path));
    assert_eq!(there.into_iter().collect::<Vec<_>>(), again.snapshot());
}

#[test]
fn no_path_leads_out_of_memory() {
    let memory =
        Memory::from_snapshot([("../../etc/passwd".to_owned(), b"x".to_vec()), ("/a//./b".to_owned(), vec![])]);
    let paths: Vec<String> = memory.snapshot().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a/b", "etc/passwd"]);
    let disk = memory.disk();
    assert!(disk.has(Path::new("/etc/passwd")).expect("told") && disk.has(Path::new("a/../a/b")).expect("told"));
    assert!(disk.put_private(Path::new("/"), b"").is_err() && disk.put_private(Path::new(".."), b"").is_err());
}

#[test]
fn what_is_in_a_file_in_memory_is_in_no_message() {
    let memory = Memory::from_snapshot([("secret".to_owned(), b"5ec2e7".to_vec())]);
    let disk = memory.disk();
    let lock = disk.lock(Path::new("secret")).expect("locked");
    let shown = format!(
        "{memory:?} {disk:?} {lock:?} {:?} {:?}",
        disk.open(Path::new("secret")).expect("open"),
        memory.changes_since(0)
    );
    assert!(!shown.contains("5ec2e7") && !shown.contains("53, 101"), "{shown}");
}

#[test]
fn memory_can_be_full_and_then_keeps_what_there_was() {
    let memory = Memory::new();
    memory.limit(10);
    let disk = memory.disk();
    disk.put_private(Path::new("one"), b"12345").expect("room");
    let full = disk.put_private(Path::new("two"), b"123456").expect_err("no room");
    assert!(matches!(&full, FileError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull), "{full}");
    assert!(disk.append(Path::new("one")).expect("open").write_all(b"123456").is_err());
    let mut lock = disk.lock(Path::new("one")).expect("locked");
    assert!(lock.replace(b"12345", b"12345678901").is_err());
    assert_eq!(memory.snapshot(), [("one".to_owned(), b"12345".to_vec())]);
    lock.replace(b"12345", b"1234567890").expect("just room");
}

#[test]
fn a_change_in_memory_that_fails_leaves_the_old_or_the_new() {
    let act = |disk: &Disk| -> Result<(), FileError> {
        disk.put_private(Path::new("one"), b"new")?;
        disk.create_private(Path::new("two"), b"new")?;
        disk.lock(Path::new("three"))?.replace(b"old", b"new")?;
        disk.rename(Path::new("four"), Path::new("five"))?;
        disk.remove(Path::new("six")).map(drop)
    };
    for how in [Failing::Full, Failing::Unflushed, Failing::Killed] {
        for nth in 0.. {
            let old = ["one", "three", "four", "six"].map(|name| (name.to_owned(), b"old".to_vec()));
            let memory = Memory::from_snapshot(old);
            let mut states = vec![memory.snapshot()];
            let whole = Memory::from_snapshot(memory.snapshot());
            for count in 1..=5 {
                let step = Memory::from_snapshot(memory.snapshot());
                step.fail_after(count, Failing::Killed);
                let _ = act(&step.disk());
                states.push(step.snapshot());
            }
            act(&whole.disk()).expect("nothing fails");
            assert_eq!(states.last(), Some(&whole.snapshot()));
            memory.fail_after(nth, how);
            let done = act(&memory.disk());
            assert_eq!(done.is_err(), nth < 5, "{how:?} {nth}: {done:?}");
            if let Err(error) = &done {
                let made = matches!(error, FileError::Io { step: Step::SyncFolder | Step::SyncRemoval, .. });
                assert_eq!(made, how == Failing::Unflushed, "{error}");
            }
            let reached = nth as usize + usize::from(how == Failing::Unflushed);
            assert_eq!(memory.snapshot(), states[reached.min(5)], "{how:?} {nth}");
            assert_eq!(memory.recover(), nth < 5);
            if nth >= 5 {
                break;
            }
        }
    }
}
