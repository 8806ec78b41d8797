//! The right to change a repository, and how changes reach the disk.
//!
//! Another program's locks are respected, and none of git's own is left behind: the index is prepared under a name of its
//! own and takes its place in one step, whatever git must lock itself is written down first, so that the next run can tell
//! a lock that was left from one that is held, and objects are on the disk, with their names, before anything refers to
//! them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use super::{GitError, Repository};
use postrider_disk::disk::RecordLock;

/// The folder for files that are being prepared, within git's own.
const FOLDER: &str = "postrider";
/// The beginning of the name of a run's folder in it.
const RUN: &str = "run-";
/// How long to wait for another git to finish.
const WAIT: Duration = Duration::from_secs(5);
/// How long a lock must stay as it is before it counts as left behind, if it is one of those that were written down.
const STILL: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// What is done under a lock of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// The branch that is checked out and the index are changed.
    Commit,
    /// Something is fetched or pushed, and branches of remotes are changed.
    Exchange,
}

impl Task {
    fn file(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Exchange => "exchange",
        }
    }
}

/// The right to change a repository, which one run of this program has at a time.
#[derive(Debug)]
pub(super) struct Hold {
    places: Places,
    /// The file that is locked; contains the names of the locks that git may leave behind.
    file: PathBuf,
    run: tempfile::TempDir,
    _lock: RecordLock,
}

/// Where a repository keeps things.
#[derive(Clone, Debug)]
struct Places {
    /// Git's folder for this work tree, and the one that all work trees share.
    git: PathBuf,
    common: PathBuf,
    index: PathBuf,
    objects: PathBuf,
}

impl Places {
    fn of(repository: &Repository) -> Result<Self, GitError> {
        let names = ["--absolute-git-dir", "--git-common-dir", "--git-path", "index", "--git-path", "objects"];
        let output = repository.output(["rev-parse"].iter().chain(&names))?;
        let path = |line: &[u8]| {
            let joined = repository.folder().join(postrider_archive::paths::os_string(line.to_vec()));
            std::path::absolute(&joined).unwrap_or(joined)
        };
        let lines: Vec<PathBuf> = output.split(|&byte| byte == b'\n').map(path).collect();
        let [git, common, index, objects, ..] = lines.as_slice() else {
            return Err(GitError::Unreadable("the folders of the repository"));
        };
        Ok(Self { git: git.clone(), common: common.clone(), index: index.clone(), objects: objects.clone() })
    }
}

/// Returns whether there are folders of runs of a task.
fn has_runs(folder: &Path, task: Task) -> bool {
    let prefix = format!("{RUN}{}-", task.file());
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with(&prefix))
}

/// What tells one state of a file from another.
type Identity = Option<(u64, u64, u64, Option<SystemTime>)>;

fn identity(path: &Path) -> Result<Identity, GitError> {
    match fs::symlink_metadata(path) {
        Ok(found) => {
            #[cfg(unix)]
            let (device, number) = {
                use std::os::unix::fs::MetadataExt;
                (found.dev(), found.ino())
            };
            #[cfg(not(unix))]
            let (device, number) = (0, 0);
            Ok(Some((device, number, found.len(), found.modified().ok())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GitError::Io(error)),
    }
}

impl Hold {
    /// Takes the right, and removes what a run that died has left.
    ///
    /// # Errors
    /// If another run has it for too long, or a file is in the way.
    pub(super) fn take(repository: &Repository, task: Task) -> Result<Self, GitError> {
        let places = Places::of(repository)?;
        let folder = places.common.join(FOLDER);
        fs::create_dir_all(&folder).map_err(GitError::Io)?;
        let file = folder.join(task.file());
        match fs::OpenOptions::new().write(true).create_new(true).open(&file) {
            Ok(_) => {
                flush(Some(&folder))?;
                flush(Some(&places.common))?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(GitError::Io(error)),
        }
        if matches!(task, Task::Exchange) && has_runs(&folder, Task::Commit) {
            // A run that died at the end of its work leaves no reason for another commit, which would remove what it left. One that is
            // still at work removes it itself.
            let _ = Self::take(repository, Task::Commit);
        }
        let lock = RecordLock::take(&file).map_err(|error| GitError::Locked(error.to_string()))?;
        tidy(&places, &folder, &file, task)?;
        let run = tempfile::Builder::new().prefix(&format!("{RUN}{}-", task.file())).tempdir_in(&folder);
        Ok(Self { places, file, run: run.map_err(GitError::Io)?, _lock: lock })
    }

    /// A file of this run.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.run.path().join(name)
    }

    /// Writes down which of git's locks are about to be taken: of a file in git's folder, or of references.
    pub(super) fn announce<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), GitError> {
        let mut text = Vec::new();
        for name in names {
            let folder = if name == "HEAD" || name == "index" { &self.places.git } else { &self.places.common };
            let mut path = folder.join(name).into_os_string();
            path.push(".lock");
            text.extend_from_slice(&postrider_archive::paths::path_bytes(Path::new(&path)));
            text.push(0);
        }
        let mut file = fs::OpenOptions::new().write(true).truncate(true).open(&self.file).map_err(GitError::Io)?;
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(GitError::Io)
    }

    /// Prepares a new index from the present one, by calls of git that get its path as `GIT_INDEX_FILE`, and puts it in its
    /// place in one step.
    ///
    /// # Errors
    /// If another git has the index for too long, or the error of a call.
    pub(super) fn index(&self, mut prepare: impl FnMut(&Path) -> Result<(), GitError>) -> Result<(), GitError> {
        let (index, new) = (&self.places.index, self.path("index"));
        let mut lock = index.clone().into_os_string();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        let started = Instant::now();
        loop {
            let before = identity(index)?;
            let old = if before.is_some() { Some(fs::read(index).map_err(GitError::Io)?) } else { None };
            match &old {
                Some(bytes) => fs::write(&new, bytes).map_err(GitError::Io)?,
                None => drop(fs::remove_file(&new)),
            }
            prepare(&new)?;
            if old.is_some() && fs::read(&new).ok() == old {
                return Ok(());
            }
            File::open(&new).and_then(|file| file.sync_all()).map_err(GitError::Io)?;
            // By the first name the next run knows the lock for its own, so it is on the disk before the second.
            flush(Some(self.run.path()))?;
            flush(self.run.path().parent())?;
            match fs::hard_link(&new, &lock) {
                Ok(()) => {
                    // Nothing but a rename is left to do, unless another git has written meanwhile.
                    if identity(index)? == before {
                        fs::rename(&lock, index).map_err(GitError::Io)?;
                        flush(index.parent())?;
                        let _ = fs::remove_file(&new);
                        return Ok(());
                    }
                    fs::remove_file(&lock).map_err(GitError::Io)?;
                    flush(index.parent())?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if started.elapsed() >= WAIT {
                        return Err(GitError::Locked(format!("{} is there", lock.display())));
                    }
                    std::thread::sleep(PAUSE);
                }
                // A file system without links.
                Err(_) => {
                    let made = fs::OpenOptions::new().write(true).create_new(true).open(&lock);
                    made.map_err(|_| GitError::Locked(format!("{} is there", lock.display())))?;
                    fs::rename(&new, index).and_then(|()| fs::remove_file(&lock)).map_err(GitError::Io)?;
                    return flush(index.parent());
                }
            }
        }
    }

    /// Flushes the names of all objects: their content was flushed by git.
    pub(super) fn flush_objects(&self) -> Result<(), GitError> {
        let objects = &self.places.objects;
        for entry in fs::read_dir(objects).map_err(GitError::Io)? {
            let entry = entry.map_err(GitError::Io)?;
            if matches!(entry.file_name().len(), 2 | 4) && entry.path().is_dir() {
                flush(Some(&entry.path()))?;
            }
        }
        flush(Some(objects))
    }

    /// Flushes the names of all references and of the settings.
    pub(super) fn flush_references(&self) -> Result<(), GitError> {
        for folder in [self.places.common.join("refs"), self.places.common.join("reftable")] {
            flush_below(&folder)?;
        }
        flush(Some(&self.places.common))?;
        flush(Some(&self.places.git))
    }

    /// Notes that no lock of git's is being taken any more.
    pub(super) fn done(self) -> Result<(), GitError> {
        File::create(&self.file).map(drop).map_err(GitError::Io)
    }
}

/// Removes what a run that died has left: its folder, and the locks that it had written down.
fn tidy(places: &Places, folder: &Path, file: &Path, task: Task) -> Result<(), GitError> {
    let mut lock = places.index.clone().into_os_string();
    lock.push(".lock");
    let lock = PathBuf::from(lock);
    let mine = format!("{RUN}{}-", task.file());
    for entry in fs::read_dir(folder).map_err(GitError::Io)?.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(&mine) {
            continue;
        }
        // The lock of the index is the index that was prepared, under a second name.
        let same = identity(&entry.path().join("index"))?;
        if same.is_some() && same == identity(&lock)? {
            fs::remove_file(&lock).map_err(GitError::Io)?;
            flush(lock.parent())?;
        }
        let _ = fs::remove_dir_all(entry.path());
    }
    if matches!(task, Task::Exchange) {
        remove_locks(&places.common.join("refs").join(FOLDER))?;
    }
    let text = fs::read(file).map_err(GitError::Io)?;
    for name in text.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let path = PathBuf::from(postrider_archive::paths::os_string(name.to_vec()));
        // What is written down may be half a line.
        let is_lock = path.extension() == Some(OsStr::new("lock"));
        if !is_lock || !(path.starts_with(&places.git) || path.starts_with(&places.common)) {
            continue;
        }
        let first = identity(&path)?;
        let started = Instant::now();
        // Git holds such a lock for an instant; one that stays was left.
        while first.is_some() && identity(&path)? == first {
            if started.elapsed() >= STILL {
                fs::remove_file(&path).map_err(GitError::Io)?;
            } else {
                std::thread::sleep(PAUSE);
            }
        }
    }
    if text.is_empty() { Ok(()) } else { File::create(file).map(drop).map_err(GitError::Io) }
}

/// Removes the locks of references that nobody but this program has, whatever their names.
fn remove_locks(folder: &Path) -> Result<(), GitError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_locks(&path)?;
        } else if path.extension() == Some(OsStr::new("lock")) {
            fs::remove_file(&path).map_err(GitError::Io)?;
        }
    }
    Ok(())
}

fn flush_below(folder: &Path) -> Result<(), GitError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(GitError::Io(error)),
    };
    for entry in entries {
        let entry = entry.map_err(GitError::Io)?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            flush_below(&entry.path())?;
        }
    }
    flush(Some(folder))
}

/// Flushes the names in a folder.
fn flush(folder: Option<&Path>) -> Result<(), GitError> {
    let Some(folder) = folder else { return Ok(()) };
    if cfg!(unix) {
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            Ok(()) => {}
            // Git removes folders that are empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Some file systems cannot, and need not.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
            Err(error) => return Err(GitError::Io(error)),
        }
    }
    Ok(())
}

/// A call of git with an index of its own.
pub(super) fn with_index(mut command: Command, index: &Path) -> Command {
    command.env("GIT_INDEX_FILE", index);
    command
}

/// The settings by which git flushes everything that it writes, but an index, which is flushed here once it is prepared.
pub(super) fn flushing(version: (u32, u32)) -> &'static [&'static str] {
    if version >= (2, 36) {
        &["core.fsync=objects,derived-metadata,reference", "core.fsyncMethod=fsync"]
    } else {
        &["core.fsyncObjectFiles=true"]
    }
}

/// The name of a file as an argument of a hook.
pub(super) fn argument(path: &Path) -> OsString {
    path.as_os_str().to_owned()
}
