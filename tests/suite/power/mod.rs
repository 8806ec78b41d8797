//! Power cuts, simulated. What a program and the programs that it runs do to the files below a folder is recorded
//! (`trace`), and replayed onto a disk that keeps what was flushed, and of the rest whatever it likes: nothing, everything,
//! only one of the changes, all but one (`disk`).
//!
//! The disk is as unkind as POSIX allows: flushing a file does not secure its name, and flushing a folder does not secure
//! the content of files.

mod disk;
mod trace;

pub use disk::{Cut, Recorded};

/// The content of a file has a number, whatever names it has.
pub type Inode = usize;

/// A change that a cut may undo as long as it is not flushed.
#[derive(Clone, Debug)]
pub enum Change {
    MakeFolder(String),
    RemoveFolder(String),
    /// A new name of a file: of one that was just made, or a second one.
    Name(String, Inode),
    /// From here on.
    Write(Inode, usize, Vec<u8>),
    Truncate(Inode, usize),
    Rename(String, String, Inode),
    Remove(String),
}

impl Change {
    /// The folders that must be flushed to make it permanent.
    pub fn folders(&self) -> Vec<&str> {
        match self {
            Self::MakeFolder(path) | Self::RemoveFolder(path) | Self::Name(path, _) | Self::Remove(path) => {
                vec![folder_of(path)]
            }
            Self::Rename(from, to, _) => vec![folder_of(from), folder_of(to)],
            Self::Write(..) | Self::Truncate(..) => Vec::new(),
        }
    }

    /// The file whose content it changes, which must be flushed to make it permanent.
    pub fn content_of(&self) -> Option<Inode> {
        match self {
            Self::Write(inode, ..) | Self::Truncate(inode, _) => Some(*inode),
            _ => None,
        }
    }
}

/// What was done to the files, in order.
#[derive(Clone, Debug)]
pub enum Step {
    Change(Change),
    FlushFile(Inode),
    FlushFolder(String),
    /// Another program was started: from here on, others may know about it.
    Told,
}

/// The folder of a path below the root; the root itself is empty.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Tests the disk itself: it must find the fault if writes are in the wrong order.
#[test]
fn the_disk_finds_a_rename_that_was_not_flushed_before() {
    let write = |flush: bool| {
        let mut steps = vec![
            Step::Change(Change::Name("a.tmp".into(), 7)),
            Step::Change(Change::Write(7, 0, b"new".to_vec())),
            Step::FlushFile(7),
            Step::Change(Change::Rename("a.tmp".into(), "a".into(), 7)),
            Step::FlushFolder(String::new()),
            Step::Told,
        ];
        if !flush {
            steps.remove(2);
        }
        Recorded::new(steps, &[("a", b"old")])
    };
    let content = |recorded: &Recorded, cut: &Cut| recorded.content(cut, "a").unwrap_or_default();
    let whole = |content: &[u8]| content == b"old" || content == b"new";
    let (flushed, not) = (write(true), write(false));
    assert!(flushed.cuts().iter().all(|cut| whole(&content(&flushed, cut))));
    assert!(!not.cuts().iter().all(|cut| whole(&content(&not, cut))), "a name for nothing");
    assert!(flushed.cuts().iter().all(|cut| !cut.told || content(&flushed, cut) == b"new"));
}

/// The programs that a program runs are recorded too, in the order in which they did it, wherever they write in a file.
#[test]
fn what_the_programs_of_a_program_do_is_recorded() {
    if !crate::faults::injector::available() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("old"), "one two three").expect("a file");
    std::fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
    let script = "mkdir made; (cd made; printf ab > file; ln file other; mv file ../moved; sync ../moved); \
                  printf TWO | dd of=old bs=1 seek=4 conv=notrunc,fsync 2>&-; printf far > elsewhere/file; rm old";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path()).env_clear().env("PATH", "/usr/bin:/bin");
    let recorded = Recorded::of(folder.path(), &["elsewhere/"], &command, b"");
    let cuts = recorded.cuts();
    let last = cuts.last().expect("a cut");
    let at_last = |name: &str| recorded.content(last, name);
    let has = |name: &str, wanted: &str| cuts.iter().any(|cut| recorded.content(cut, name) == Some(wanted.into()));
    assert!(has("old", "one TWO three") && has("moved", "ab") && has("made/other", "ab") && has("made/file", "ab"));
    assert!(has("moved", ""), "a name without its content");
    assert!(!has("old", ""));
    // The last of the cuts comes after everything else; what is elsewhere is on another disk.
    assert_eq!(at_last("elsewhere/file"), Some(b"far".to_vec()));
    assert!(cuts.iter().any(|cut| recorded.content(cut, "old").is_none()));
}
