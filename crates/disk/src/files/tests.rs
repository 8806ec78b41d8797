use std::process::{Command, Stdio};

use super::faults::{FAULT, Fault, NO_LOCKS, REPLACED};
use super::*;

const STEPS: [Step; 7] =
    [Step::Lock, Step::Read, Step::Create, Step::Write, Step::SyncFile, Step::Rename, Step::SyncFolder];
const OLD: &[u8] = b"1 defenders place c6 e6\n";
const NEW: &[u8] = b"1 defenders place c6 e6\n2 besiegers c4-c5\n";

fn folder_with(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.pbem");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the test `name` of this program again after `shell`, as a child process with `role` in its environment.
fn child(name: &str, role: &str, path: &Path, shell: &str) -> std::process::Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!("{shell} exec \"$0\" \"$@\""))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("files::tests::{name}"), "--nocapture", "--test-threads=1"])
        .env("POSTRIDER_TEST_ROLE", role)
        .env("POSTRIDER_TEST_PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// In a child process: its role and its file.
fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var("POSTRIDER_TEST_ROLE").ok()?, std::env::var_os("POSTRIDER_TEST_PATH")?.into()))
}

#[test]
fn a_kill_at_any_step_leaves_the_old_record_or_the_new_one() {
    const NAME: &str = "a_kill_at_any_step_leaves_the_old_record_or_the_new_one";
    if let Some((role, path)) = role() {
        let step = STEPS[role.parse::<usize>().unwrap()];
        FAULT.set(Some((step, Fault::Kill)));
        let _ = replace(&path, OLD, NEW);
        panic!("step {step:?} was not reached");
    }
    for (number, step) in STEPS.into_iter().enumerate() {
        let (folder, path) = folder_with(OLD);
        let output = child(NAME, &number.to_string(), &path, "");
        assert!(!output.status.success() && output.status.code().is_none(), "{step:?}: {output:?}");
        let expected = if step == Step::SyncFolder { NEW } else { OLD };
        assert_eq!(fs::read(&path).unwrap(), expected, "{step:?}");
        // The lock died with its holder, and the next replacement cleans up.
        replace(&path, expected, b"next").unwrap();
        assert_eq!(names(folder.path()), ["game.pbem"], "{step:?}");
    }
}

#[test]
fn a_kill_while_creating_leaves_no_half_record() {
    const NAME: &str = "a_kill_while_creating_leaves_no_half_record";
    if let Some((role, path)) = role() {
        let step = STEPS[role.parse::<usize>().unwrap()];
        FAULT.set(Some((step, Fault::Kill)));
        let _ = create(&path, NEW);
        panic!("step {step:?} was not reached");
    }
    for (number, step) in STEPS.into_iter().enumerate().skip(2) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.pbem");
        let output = child(NAME, &number.to_string(), &path, "");
        assert!(output.status.code().is_none(), "{step:?}: {output:?}");
        match step {
            Step::SyncFolder => assert_eq!(fs::read(&path).unwrap(), NEW),
            _ => assert!(!path.exists(), "{step:?}"),
        }
    }
}

#[test]
fn a_failure_at_any_step_leaves_the_record_and_no_litter() {
    for step in STEPS {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied] {
            let (folder, path) = folder_with(OLD);
            FAULT.set(Some((step, Fault::Fail(kind))));
            let error = replace(&path, OLD, NEW).unwrap_err();
            FAULT.set(None);
            assert!(matches!(&error, FileError::Io { step: at, .. } if *at == step), "{step:?}: {error}");
            assert_eq!(error.was_written(), step == Step::SyncFolder);
            let expected = if error.was_written() { NEW } else { OLD };
            assert_eq!(fs::read(&path).unwrap(), expected, "{step:?}");
            assert_eq!(names(folder.path()), ["game.pbem"], "{step:?}");
        }
    }
}

/// The system itself cuts the write short by a limit on file size, once with an error and once with a signal.
#[cfg(unix)]
#[test]
fn a_write_cut_short_leaves_the_old_record() {
    const NAME: &str = "a_write_cut_short_leaves_the_old_record";
    if let Some((role, path)) = role() {
        let error = replace(&path, OLD, &vec![b'x'; 1 << 20]).unwrap_err();
        assert_eq!(role, "error");
        assert!(matches!(error, FileError::Io { step: Step::Write, .. }), "{error}");
        return;
    }
    for (role, shell) in [("error", "trap '' XFSZ; ulimit -f 16;"), ("signal", "ulimit -f 16;")] {
        let (folder, path) = folder_with(OLD);
        let output = child(NAME, role, &path, shell);
        assert_eq!(output.status.success(), role == "error", "{output:?}");
        assert_eq!(output.status.code().is_none(), role == "signal", "{output:?}");
        assert_eq!(fs::read(&path).unwrap(), OLD);
        assert_eq!(names(folder.path()).len(), if role == "error" { 1 } else { 2 });
        replace(&path, OLD, NEW).unwrap();
        assert_eq!(names(folder.path()), ["game.pbem"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_an_error() {
    let path = Path::new("/proc/version");
    let old = fs::read(path).unwrap();
    let error = replace(path, &old, NEW).unwrap_err();
    assert!(matches!(error, FileError::Io { step: Step::Create, .. }), "{error}");
    assert!(error.to_string().starts_with("cannot write /proc/version: "), "{error}");
    assert!(error.to_string().ends_with("; this file is as it was"), "{error}");
}

#[test]
fn a_record_that_changed_in_the_meantime_is_not_replaced() {
    let (_folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    assert_eq!(lock.read().unwrap(), OLD);
    fs::write(&path, b"by an editor").unwrap();
    assert!(matches!(lock.replace(OLD, NEW), Err(FileError::Changed { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"by an editor");
    // Nor one that changes while the new version is being written.
    let saved = lock.replace_by(b"by an editor", &|out| {
        fs::write(&path, b"saved again")?;
        out.write_all(NEW)
    });
    assert!(matches!(saved, Err(FileError::Changed { .. })), "{saved:?}");
    assert_eq!(fs::read(&path).unwrap(), b"saved again");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_record_whose_new_version_was_not_written_to_its_end_is_unchanged() {
    let (_folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    let cut = lock.replace_by(OLD, &|out| {
        out.write_all(NEW)?;
        Err(io::ErrorKind::Other.into())
    });
    assert!(cut.is_err_and(|error| !error.was_written()));
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    lock.replace(OLD, NEW).unwrap();
    assert_eq!(fs::read(&path).unwrap(), NEW);
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_then_reported() {
    let (_folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    let started = Instant::now();
    let refused = RecordLock::take_within(&path, Duration::from_millis(60));
    assert!(matches!(refused, Err(FileError::Busy { .. })));
    assert!(started.elapsed() >= Duration::from_millis(60));
    // The lock covers this replacement, and a second one.
    lock.replace(OLD, NEW).unwrap();
    assert!(matches!(RecordLock::take_within(&path, Duration::ZERO), Err(FileError::Busy { .. })));
    lock.replace(NEW, OLD).unwrap();
    drop(lock);
    RecordLock::take_within(&path, Duration::ZERO).unwrap();
}

#[test]
fn a_lock_on_a_file_that_lost_its_name_is_taken_again() {
    // The file is replaced before each check and each opening, and once more after it has been locked.
    for times in 0..8 {
        let (_folder, path) = folder_with(OLD);
        REPLACED.set(path.clone());
        FAULT.set(Some((Step::Lock, Fault::Replaced(times))));
        let lock = RecordLock::take(&path).unwrap();
        FAULT.set(None);
        assert_eq!(lock.read().unwrap(), NEW);
        // The file that is locked is the one with that name, so nobody else can lock it.
        assert!(matches!(RecordLock::take_within(&path, Duration::ZERO), Err(FileError::Busy { .. })), "{times}");
    }
}

#[test]
fn a_program_that_waited_reads_what_was_written_in_the_meantime() {
    let (_folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    let waiting = {
        let path = path.clone();
        std::thread::spawn(move || RecordLock::take(&path).unwrap().read().unwrap())
    };
    std::thread::sleep(Duration::from_millis(30));
    lock.replace(OLD, NEW).unwrap();
    drop(lock);
    assert_eq!(waiting.join().unwrap(), NEW);
}

#[cfg(unix)]
#[test]
fn permission_bits_are_kept_and_new_records_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (folder, path) = folder_with(OLD);
    for bits in [0o600, 0o644, 0o664, 0o444] {
        fs::set_permissions(&path, PermissionsExt::from_mode(bits)).unwrap();
        let old = fs::read(&path).unwrap();
        replace(&path, &old, format!("{bits}").as_bytes()).unwrap();
        assert_eq!(mode(&path), bits);
    }
    let (public, private) = (folder.path().join("public"), folder.path().join("private"));
    let plain = folder.path().join("plain");
    create(&public, NEW).unwrap();
    create_private(&private, NEW).unwrap();
    fs::write(&plain, NEW).unwrap();
    assert_eq!(mode(&public), mode(&plain));
    assert_eq!(mode(&private), 0o600);
    put_private(&plain, OLD).unwrap();
    assert_eq!((mode(&plain), fs::read(&plain).unwrap()), (0o600, OLD.to_vec()));
    private_folder(&folder.path().join("a/b")).unwrap();
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays_a_link() {
    let (folder, path) = folder_with(OLD);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.pbem");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    replace(&link, OLD, NEW).unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), path);
    assert_eq!(fs::read(&path).unwrap(), NEW);
    assert_eq!(names(folder.path()), ["game.pbem"]);
    assert_eq!(names(elsewhere.path()), ["link.pbem"]);
    // A broken link counts as an existing name.
    fs::remove_file(&path).unwrap();
    assert!(matches!(create(&link, NEW), Err(FileError::Exists { .. })));
    assert!(matches!(replace(&link, OLD, NEW), Err(FileError::Io { step: Step::Lock, .. })));
}

#[test]
fn creating_never_overwrites() {
    let (folder, path) = folder_with(OLD);
    let error = create(&path, NEW).unwrap_err();
    assert!(matches!(error, FileError::Exists { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(names(folder.path()), ["game.pbem"]);
}

#[test]
fn a_folder_is_not_a_record() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(RecordLock::take(folder.path()), Err(FileError::NotAFile { .. })));
    assert!(matches!(create(Path::new("/"), NEW), Err(FileError::NotAFile { .. })));
    let missing = RecordLock::take(&folder.path().join("none.pbem")).unwrap_err();
    assert!(missing.to_string().contains("none.pbem"), "{missing}");
}

#[test]
fn an_oversized_record_is_read_one_byte_too_far() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.pbem");
    File::create(&path).unwrap().set_len(MAX_RECORD + 100).unwrap();
    assert_eq!(read_record(&path).unwrap().len() as u64, MAX_RECORD + 1);
    File::create(&path).unwrap().set_len(MAX_RECORD).unwrap();
    assert_eq!(read_record(&path).unwrap().len() as u64, MAX_RECORD);
}

/// Appends `count` lines, each to the current content.
fn append(path: &Path, word: &str, count: usize) {
    for number in 0..count {
        loop {
            let old = read_record(path).unwrap();
            let mut new = old.clone();
            writeln!(new, "{word} {number}").unwrap();
            match replace(path, &old, &new) {
                Ok(()) => break,
                Err(FileError::Changed { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

fn assert_all_lines(path: &Path, words: &[&str], count: usize) {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().count(), words.len() * count);
    for word in words {
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(word)).collect();
        let expected: Vec<_> = (0..count).map(|number| format!(" {number}")).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn two_threads_that_append_lose_nothing() {
    let (folder, path) = folder_with(b"");
    std::thread::scope(|scope| {
        scope.spawn(|| append(&path, "ada", 100));
        scope.spawn(|| append(&path, "bram", 100));
    });
    assert_all_lines(&path, &["ada", "bram"], 100);
    assert_eq!(names(folder.path()), ["game.pbem"]);
}

#[test]
fn two_programs_that_append_lose_nothing() {
    const NAME: &str = "two_programs_that_append_lose_nothing";
    if let Some((role, path)) = role() {
        return append(&path, &role, 100);
    }
    let (folder, path) = folder_with(b"");
    std::thread::scope(|scope| {
        for word in ["ada", "bram"] {
            let path = &path;
            scope.spawn(move || {
                let output = child(NAME, word, path, "");
                assert!(output.status.success(), "{output:?}");
            });
        }
    });
    assert_all_lines(&path, &["ada", "bram"], 100);
    assert_eq!(names(folder.path()), ["game.pbem"]);
}

/// If the file system has no locks, a file beside the record is the lock.
#[test]
fn without_locks_a_lock_file_does_the_same() {
    NO_LOCKS.set(true);
    let (folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    assert_eq!(names(folder.path()), [".game.pbem.lock", "game.pbem"]);
    let refused = RecordLock::take_within(&path, Duration::from_millis(30)).unwrap_err();
    assert!(matches!(refused, FileError::Busy { holder: Some(_), .. }), "{refused}");
    assert!(refused.to_string().contains(".game.pbem.lock says; remove that file if it is not so"), "{refused}");
    // A program that does find locks still does not write at the same time.
    NO_LOCKS.set(false);
    let refused = RecordLock::take_within(&path, Duration::from_millis(30)).unwrap_err();
    assert!(matches!(refused, FileError::Busy { holder: Some(_), .. }), "{refused}");
    NO_LOCKS.set(true);
    lock.replace(OLD, NEW).unwrap();
    drop(lock);
    assert_eq!(names(folder.path()), ["game.pbem"]);
    assert_eq!(fs::read(&path).unwrap(), NEW);
    NO_LOCKS.set(false);
}

#[test]
fn a_lock_that_was_lost_lets_nothing_be_written() {
    NO_LOCKS.set(true);
    let (folder, path) = folder_with(OLD);
    let mut lock = RecordLock::take(&path).unwrap();
    fs::remove_file(folder.path().join(".game.pbem.lock")).unwrap();
    assert!(matches!(lock.replace(OLD, NEW), Err(FileError::Busy { .. })));
    assert_eq!(fs::read(&path).unwrap(), OLD);
    // Nor does a program with the kernel's lock, if it finds that another one writes without.
    NO_LOCKS.set(false);
    let mut lock = RecordLock::take(&path).unwrap();
    let other = LockFile::try_take(&path).unwrap().unwrap();
    NO_LOCKS.set(false);
    assert!(matches!(lock.replace(OLD, NEW), Err(FileError::Busy { holder: Some(_), .. })));
    drop(other);
    lock.replace(OLD, NEW).unwrap();
}

#[test]
fn twenty_threads_that_append_without_locks_lose_nothing() {
    let (folder, path) = folder_with(b"");
    let words: Vec<String> = (0..20).map(|number| format!("player{number:02}")).collect();
    std::thread::scope(|scope| {
        for word in &words {
            let path = &path;
            scope.spawn(move || {
                NO_LOCKS.set(true);
                append(path, word, 3);
            });
        }
    });
    assert_all_lines(&path, &words.iter().map(String::as_str).collect::<Vec<_>>(), 3);
    assert_eq!(names(folder.path()), ["game.pbem"]);
}

#[test]
fn abandoned_files_are_removed_and_files_being_written_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let left = [".game.pbem.new.aB3dE6.tmp", ".other.pbem.new.aB3dE6.tmp", ".game.pbem.put.aB3dE6.tmp"];
    let kept = [".game.pbem.new.short.tmp", ".notes.aB3dE6.tmp", ".a.txt.new.aB3dE6.tmp", "game.pbem.new.aB3dE6.tmp"];
    for name in left.iter().chain(&kept) {
        fs::write(at(name), "a secret").unwrap();
    }
    let writing = File::create(at(".busy.pbem.new.aB3dE6.tmp")).unwrap();
    writing.try_lock().unwrap();
    create(&at("game.pbem"), NEW).unwrap();
    let mut expected = kept.to_vec();
    expected.extend([".busy.pbem.new.aB3dE6.tmp", "game.pbem"]);
    expected.sort_unstable();
    assert_eq!(names(folder.path()), expected);
    // In the data folder nobody else has such files, whatever is kept there.
    let folders = crate::folders::Folders::at(folder.path());
    let host = ["spool", "outgoing", "another"].map(|within| folders.host().join(within));
    let mut all = vec![folders.data.clone(), folders.keys(), folders.arrivals(), folders.data.join("another")];
    all.extend([folders.outbox().join("tmp"), folders.host()].into_iter().chain(host));
    for within in &all {
        private_folder(within).unwrap();
        fs::write(within.join(".note.new.aB3dE6.tmp"), "a secret").unwrap();
        fs::write(within.join("note"), "kept").unwrap();
    }
    crate::folders::sweep(&folders);
    for within in &all {
        assert!(!within.join(".note.new.aB3dE6.tmp").exists() && within.join("note").exists(), "{within:?}");
    }
}

#[test]
fn a_file_is_compared_piece_by_piece_with_what_it_should_begin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.pbem");
    let long: Vec<u8> = (0..200_000u32).map(|nth| (nth % 251) as u8).collect();
    for length in [0, 1, 65_535, 65_536, 65_537, 200_000] {
        fs::write(&path, &long[..length]).unwrap();
        assert_eq!(holds(&path, &long).unwrap(), Some(length));
        assert_eq!(holds(&path, &long[..length]).unwrap(), Some(length));
        if let Some(last) = length.checked_sub(1) {
            assert_eq!(holds(&path, &long[..last]).unwrap(), None, "the file is longer");
            let mut other = long.clone();
            other[last] ^= 1;
            assert_eq!(holds(&path, &other).unwrap(), None);
        }
    }
    assert!(holds(&folder.path().join("none"), &long).is_err());
}

#[test]
fn what_a_killed_program_left_is_found_without_a_look_at_the_whole_folder() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..LOOKED_AT * 2 {
        fs::write(folder.path().join(format!("{number}.json")), b"").unwrap();
    }
    let (path, left) = (folder.path().join("notes"), folder.path().join(".notes.put.000000.tmp"));
    fs::write(&left, b"half").unwrap();
    put_private(&path, NEW).unwrap();
    assert!(!left.exists());
    assert_eq!(fs::read(&path).unwrap(), NEW);
    // What another program is writing stays, and this one takes another name.
    let other = File::create(&left).unwrap();
    other.lock().unwrap();
    put_private(&path, OLD).unwrap();
    assert!(left.exists());
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), LOOKED_AT * 2 + 2);
}
