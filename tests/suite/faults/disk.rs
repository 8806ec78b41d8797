//! A power cut at any moment. The program's writes are recorded, and replayed onto a disk that keeps what was flushed,
//! and of the rest whatever it likes: nothing, everything, only one of them, all but one. Every disk that can result is
//! examined, and the same command is run on it again.
//!
//! The disk is as unkind as POSIX allows: flushing a file does not secure its name, and flushing a folder does not
//! secure the content of files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::injector;
use super::{DEPLOY, Later, SEALED_FILE, sealed};
use crate::letters::{GAME_FILE, bram, letter, record};
use crate::session::Session;

/// The content of a file has a number, whatever names it has.
pub(super) type Inode = usize;
/// The contents of files, by name.
type Files = BTreeMap<String, Vec<u8>>;
/// What a power cut leaves: the files, the folders, and whether others may have been told.
type Disk = (Files, BTreeSet<String>, bool);
/// What a program did, and the contents and names of the files before.
type Recorded = (Vec<Step>, BTreeMap<Inode, Vec<u8>>, BTreeMap<String, Inode>);

#[derive(Clone, Debug)]
pub(super) enum Change {
    MakeFolder(String),
    /// A new empty file, or one that is truncated.
    MakeFile(String, Inode),
    Write(Inode, Vec<u8>),
    Rename(String, String, Inode),
    Remove(String),
}

impl Change {
    /// The folders that must be flushed to make it permanent.
    fn folders(&self) -> Vec<&str> {
        match self {
            Self::MakeFolder(path) | Self::MakeFile(path, _) | Self::Remove(path) => vec![folder_of(path)],
            Self::Rename(from, to, _) => vec![folder_of(from), folder_of(to)],
            Self::Write(..) => Vec::new(),
        }
    }
}

/// What a program did to the files below a folder, in order.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Change(Change),
    FlushFile(Inode),
    FlushFolder(String),
    /// From here on, others may know about it.
    Told,
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Decodes the hexadecimal escapes of `strace`.
fn bytes(escaped: &str) -> Vec<u8> {
    escaped.split("\\x").skip(1).map(|digits| u8::from_str_radix(&digits[..2], 16).expect("two digits")).collect()
}

fn text(escaped: &str) -> String {
    String::from_utf8(bytes(escaped)).expect("a path")
}

struct Recorder {
    root: String,
    steps: Vec<Step>,
    inodes: BTreeMap<String, Inode>,
}

impl Recorder {
    /// The path below the root, from a path in a trace.
    fn below(&self, path: &str) -> Option<String> {
        let full = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.root) };
        let mut parts: Vec<&str> = Vec::new();
        for part in full.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        let full = format!("/{}", parts.join("/"));
        full.strip_prefix(&self.root).map(|rest| rest.trim_start_matches('/').to_owned())
    }

    fn inode(&mut self, path: &str) -> Inode {
        let next = self.inodes.len() + self.steps.len() * 1000 + 1;
        *self.inodes.entry(path.to_owned()).or_insert(next)
    }

    fn read(&mut self, line: &str) {
        let Some((name, rest)) = line.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        if result.starts_with('-') || result.starts_with('?') {
            return;
        }
        let quoted: Vec<&str> = arguments.split('"').skip(1).step_by(2).collect();
        // `3<path>`, also in a result.
        let of =
            |text: &str| text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(path, _)| bytes(path));
        match name {
            "mkdir" | "mkdirat" => {
                if let Some(path) = self.below(&text(quoted[0])) {
                    self.steps.push(Step::Change(Change::MakeFolder(path)));
                }
            }
            "openat" if arguments.contains("O_CREAT") || arguments.contains("O_TRUNC") => {
                if let Some(path) = self.below(&text(quoted[0])) {
                    let new = !self.inodes.contains_key(&path);
                    let inode = self.inode(&path);
                    if new || arguments.contains("O_TRUNC") {
                        self.steps.push(Step::Change(Change::MakeFile(path, inode)));
                    }
                }
            }
            // From here on, the program that sends may have the letter.
            "clone3" | "clone" | "vfork" if name == "vfork" || arguments.contains("CLONE_VFORK") => {
                self.steps.push(Step::Told);
            }
            "write" => {
                let target = of(arguments).expect("a file");
                let target = String::from_utf8(target).expect("a path");
                if let Some(path) = self.below(&target).filter(|_| target.starts_with('/')) {
                    let inode = self.inode(&path);
                    self.steps.push(Step::Change(Change::Write(inode, bytes(quoted[0]))));
                }
            }
            "fsync" | "fdatasync" => {
                let path = String::from_utf8(of(arguments).expect("a file")).expect("a path");
                let Some(path) = self.below(&path) else { return };
                match self.inodes.get(&path) {
                    Some(inode) => self.steps.push(Step::FlushFile(*inode)),
                    None => self.steps.push(Step::FlushFolder(path)),
                }
            }
            "rename" | "renameat" | "renameat2" => {
                if let (Some(from), Some(to)) = (self.below(&text(quoted[0])), self.below(&text(quoted[1]))) {
                    let inode = self.inode(&from);
                    self.inodes.remove(&from);
                    self.inodes.insert(to.clone(), inode);
                    self.steps.push(Step::Change(Change::Rename(from, to, inode)));
                }
            }
            "unlink" | "unlinkat" => {
                if let Some(path) = self.below(&text(quoted[0])) {
                    self.inodes.remove(&path);
                    self.steps.push(Step::Change(Change::Remove(path)));
                }
            }
            "link" | "linkat" | "ftruncate" | "pwrite64" | "writev" => panic!("this disk does not support {line}"),
            _ => {}
        }
    }
}

/// The files below a folder, by name.
fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    injector::files(folder)
        .into_iter()
        .map(|name| (name.clone(), fs::read(folder.join(name)).expect("a file")))
        .collect()
}

/// Runs a command on a copy of the files; returns what it did, with those files.
fn recorded(before: &Session, arguments: &[&str], input: &[u8]) -> Recorded {
    let session = Session::new();
    injector::copy(before.folder.path(), session.folder.path());
    let root = fs::canonicalize(session.folder.path()).expect("a folder").to_string_lossy().into_owned();
    let (log, fed) = (tempfile::NamedTempFile::new().expect("a file"), tempfile::NamedTempFile::new().expect("a file"));
    fs::write(fed.path(), input).expect("a file");
    let command = session.command_later(arguments);
    let mut traced = Command::new("strace");
    traced.args(["-qq", "-y", "-xx", "-s", "10000000", "-o"].map(OsString::from)).arg(log.path()).arg("--");
    traced.arg(command.get_program()).args(command.get_args()).current_dir(&root).env_clear();
    for (name, value) in command.get_envs() {
        traced.env(name, value.expect("a value"));
    }
    // Only the first thread is traced.
    traced.env("RAYON_NUM_THREADS", "1");
    let status = traced
        .stdin(fs::File::open(fed.path()).expect("a file"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it ends");
    assert!(status.success(), "{arguments:?}");
    let mut recorder = Recorder { root, steps: Vec::new(), inodes: BTreeMap::new() };
    let (mut contents, mut names) = (BTreeMap::new(), BTreeMap::new());
    for (name, content) in snapshot(before.folder.path()) {
        let inode = contents.len() + 1;
        contents.insert(inode, content);
        recorder.inodes.insert(name.clone(), inode);
        names.insert(name, inode);
    }
    for line in fs::read_to_string(log.path()).expect("a trace").lines() {
        recorder.read(line);
    }
    (recorder.steps, contents, names)
}

/// The ways in which changes that were not flushed may be lost, each as the set of those that survived.
fn chosen(pending: &[usize]) -> BTreeSet<Vec<usize>> {
    let mut ways = BTreeSet::from([Vec::new(), pending.to_vec()]);
    for &one in pending {
        ways.insert(vec![one]);
        ways.insert(pending.iter().copied().filter(|other| *other != one).collect());
    }
    ways
}

/// All disks that a power cut may leave, each with whether anyone had been told by then.
fn disks(
    steps: &[Step],
    contents: &BTreeMap<Inode, Vec<u8>>,
    names: &BTreeMap<String, Inode>,
    folders: &BTreeSet<String>,
) -> BTreeSet<Disk> {
    let mut disks = BTreeSet::new();
    for cut in 0..=steps.len() {
        let done = &steps[..cut];
        let lasts = |place: usize, change: &Change| {
            let later = &done[place..];
            match change {
                Change::Write(inode, _) => {
                    later.iter().any(|step| matches!(step, Step::FlushFile(one) if one == inode))
                }
                change => change
                    .folders()
                    .into_iter()
                    .all(|folder| later.iter().any(|step| matches!(step, Step::FlushFolder(one) if one == folder))),
            }
        };
        let changes: Vec<(usize, &Change)> = done
            .iter()
            .enumerate()
            .filter_map(|(place, step)| if let Step::Change(change) = step { Some((place, change)) } else { None })
            .collect();
        let pending: Vec<usize> =
            changes.iter().filter(|(place, change)| !lasts(*place, change)).map(|(place, _)| *place).collect();
        let told = done.iter().any(|step| matches!(step, Step::Told));
        for kept in chosen(&pending) {
            let (mut contents, mut names, mut folders) = (contents.clone(), names.clone(), folders.clone());
            for (place, change) in &changes {
                if pending.contains(place) && !kept.contains(place) {
                    continue;
                }
                // What would be in a folder that was lost is lost.
                if change.folders().iter().any(|folder| !folder.is_empty() && !folders.contains(*folder)) {
                    continue;
                }
                match change {
                    Change::MakeFolder(path) => drop(folders.insert(path.clone())),
                    Change::MakeFile(path, inode) => {
                        contents.entry(*inode).or_default();
                        names.insert(path.clone(), *inode);
                    }
                    Change::Write(inode, more) => contents.entry(*inode).or_default().extend_from_slice(more),
                    Change::Rename(from, to, inode) => {
                        names.remove(from);
                        names.insert(to.clone(), *inode);
                    }
                    Change::Remove(path) => drop(names.remove(path)),
                }
            }
            let files =
                names.into_iter().map(|(name, inode)| (name, contents.get(&inode).cloned().unwrap_or_default()));
            disks.insert((files.collect(), folders, told));
        }
    }
    disks
}

/// A power cut at any moment of a command; `look` gets each disk that may result and whether the letter was sent by
/// then, and runs the command again.
pub(super) fn power_cut(
    before: &Session,
    arguments: &[&str],
    input: &[u8],
    look: impl Fn(&Session, bool),
) -> Vec<Step> {
    let (steps, contents, names) = recorded(before, arguments, input);
    let mut folders = BTreeSet::new();
    for name in names.keys() {
        let mut folder = folder_of(name);
        while !folder.is_empty() {
            folders.insert(folder.to_owned());
            folder = folder_of(folder);
        }
    }
    let disks = disks(&steps, &contents, &names, &folders);
    assert!(disks.len() >= 2, "{} disks", disks.len());
    for (files, folders, told) in disks {
        let session = Session::new();
        for folder in &folders {
            fs::create_dir_all(session.path(folder)).expect("a folder");
            let mode = if folder.starts_with("home/data") { 0o700 } else { 0o755 };
            fs::set_permissions(session.path(folder), fs::Permissions::from_mode(mode)).expect("a mode");
        }
        for (name, content) in &files {
            session.write(name, content);
            fs::set_permissions(session.path(name), fs::Permissions::from_mode(0o600)).expect("a mode");
        }
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| look(&session, told)));
        if let Err(why) = outcome {
            let shown: Vec<_> = files.iter().map(|(name, content)| (name, String::from_utf8_lossy(content))).collect();
            eprintln!("**** told: {told}, the disk: {shown:#?}");
            std::panic::resume_unwind(why);
        }
    }
    steps
}

/// A transport that keeps nothing on this disk.
const ELSEWHERE: &str = "mail: {transport: sendmail, command: [sh, -c, 'cat > /dev/null']}\n";

#[test]
fn a_power_cut_loses_nothing_of_a_signed_move_that_was_sent() {
    if !injector::available() {
        return;
    }
    let before = super::with_settings(bram(0), ELSEWHERE);
    before.run_later(&["key", "new"]).ok();
    let arguments = ["move", GAME_FILE, "place c6 e6", "--at", "2026-11-21T10:15:00Z", "--send"];
    let steps = power_cut(&before, &arguments, b"", |session, told| {
        let text = session.read(GAME_FILE);
        assert!(text == record(0) || text.contains("\n  ~ "), "{text}");
        let journal = fs::read_to_string(session.path("home/data/signed/asalto-20261121-mail01.defenders"));
        let journal = journal.unwrap_or_default();
        if text != record(0) {
            assert!(journal.contains("1 defenders key "), "a signature without its line in the journal: {journal:?}");
        }
        if told {
            assert!(text != record(0), "the letter was sent, and its entry is lost");
            let notes =
                fs::read_to_string(session.path("home/data/sent/asalto-20261121-mail01.json")).unwrap_or_default();
            assert!(notes.contains("\"state\""), "the letter was sent, and not noted: {notes}");
        }
        let done = session.run_later(&arguments);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(!told || session.read(GAME_FILE) == text, "not the entry that was sent");
        session.run_later(&["verify", GAME_FILE]).ok();
    });
    // Each of these is flushed, with its folder, before the next begins.
    let flushed = |part: &str| {
        let renamed = steps.iter().position(|step| {
            matches!(step, Step::Change(Change::Rename(from, to, _)) if to.contains(part) && !from.contains(".new."))
        });
        let renamed = renamed.unwrap_or_else(|| panic!("{part} is not written"));
        let folder = steps[renamed..]
            .iter()
            .position(|step| matches!(step, Step::FlushFolder(folder) if part.starts_with(folder.as_str())));
        (renamed, renamed + folder.unwrap_or_else(|| panic!("the folder of {part} is not flushed")))
    };
    let order = [flushed("home/data/signed/"), flushed("home/data/sent/"), flushed("games/ours.pbem")];
    let told = steps.iter().position(|step| matches!(step, Step::Told)).expect("a letter");
    assert!(order.windows(2).all(|pair| pair[0].1 < pair[1].0) && order[2].1 < told, "{order:?} {told}");
}

#[test]
fn a_power_cut_loses_no_letter_and_no_answer() {
    if !injector::available() {
        return;
    }
    let before = super::with_settings(bram(1), ELSEWHERE);
    before.run_later(&["if", GAME_FILE, "c4-c5", "c6-d6"]).ok();
    before.write("mbox", format!("From x\n{}", letter(&record(2))));
    let arguments = ["receive", "--answer", "mbox"];
    power_cut(&before, &arguments, b"", |session, told| {
        let text = session.read(GAME_FILE);
        assert!(text.starts_with(&record(1)), "{text}");
        assert!(!told || text.contains("\n3 defenders"), "the answer was sent, and is lost here");
        let done = session.run_later(&arguments);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let made = session.read(GAME_FILE);
        assert!(made.contains("\n3 defenders c6-d6"), "no answer: {made}{}{}", done.out, done.err);
        assert!(!told || made == text, "not the answer that was sent");
    });
}

#[test]
fn a_power_cut_leaves_a_seal_with_its_secret() {
    if !injector::available() {
        return;
    }
    let before = sealed(ELSEWHERE);
    let old = before.read(SEALED_FILE);
    power_cut(&before, &DEPLOY, b"", |session, told| {
        let text = session.read(SEALED_FILE);
        let secret = fs::read_to_string(session.path("home/data/secrets/assassyn-faults.white")).unwrap_or_default();
        assert!(
            text == old || secret.split_whitespace().next().is_some_and(|word| word.len() == 64),
            "a seal without its secret"
        );
        assert!(!told || text != old);
        let done = session.run_later(&DEPLOY);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(session.run_later(&["show", SEALED_FILE]).err.is_empty(), "the seal can be opened");
    });
}

#[test]
fn a_power_cut_loses_no_invitation_that_is_accepted() {
    if !injector::available() {
        return;
    }
    let before = bram(1);
    let other = record(0).replace("mail01", "mail02");
    before.feed_later(&["receive"], letter(&other).as_bytes()).ok();
    power_cut(&before, &["accept", "asalto-20261121-mail02"], b"", |session, _| {
        let there = fs::read_to_string(session.path("games/asalto-20261121-mail02.pbem")).unwrap_or_default();
        let waits = fs::read_to_string(session.path("home/data/invitations/asalto-20261121-mail02.pbem"));
        assert!(there == other || waits.is_ok_and(|waits| waits == other), "lost");
    });
}

/// Tests the disk itself: it must find the fault if writes are in the wrong order.
#[test]
fn the_disk_finds_a_rename_that_was_not_flushed_before() {
    let change = |change| Step::Change(change);
    let write = |flush: bool| {
        let mut steps = vec![
            change(Change::MakeFile("a.tmp".into(), 7)),
            change(Change::Write(7, b"new".to_vec())),
            Step::FlushFile(7),
            change(Change::Rename("a.tmp".into(), "a".into(), 7)),
            Step::FlushFolder(String::new()),
            Step::Told,
        ];
        if !flush {
            steps.remove(2);
        }
        let contents = BTreeMap::from([(1, b"old".to_vec())]);
        let names = BTreeMap::from([("a".to_owned(), 1)]);
        disks(&steps, &contents, &names, &BTreeSet::new())
    };
    let whole = |(files, _, _): &Disk| files.get("a").is_some_and(|content| content == b"old" || content == b"new");
    assert!(write(true).iter().all(whole));
    assert!(!write(false).iter().all(whole), "a name for nothing");
    assert!(write(true).iter().all(|disk| !disk.2 || disk.0["a"] == b"new"));
}
