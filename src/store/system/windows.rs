//! Windows: a lock on a file keeps others from reading it, and a file cannot be replaced by every means while it is open. So the
//! lock of a record is a lock file beside it, held open for as long as it lasts: nobody else can write or remove it then, and the
//! system itself removes it when its holder ends, however that may be. Programs on other systems that share the folder respect it as they
//! respect each other's. What a virus scanner or a synchroniser has open for a moment is tried again for a while.
//!
//! Flushing a file after it was renamed writes the file system's journal up to that point, and the name with it. Folders are flushed too,
//! where that is possible.
//!
//! Who may read a file is what its folder hands down: that in the user's profile, where everything is unless the player
//! names another place, is for the user and the administrators alone.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// Whether the system's lock on a record lets others read it, and the record be replaced.
pub(in crate::store) const LOCKS_RECORDS: bool = false;

/// How long the name of a temporary file may have no lock before the file takes its name: it is closed first, for others
/// could not read it otherwise.
pub(in crate::store) const UNLOCKED: Duration = Duration::from_secs(60);

/// How long something is tried again that another program hinders.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const LOCK_VIOLATION: i32 = 33;
const DELETE_PENDING: i32 = 303;
const USER_MAPPED_FILE: i32 = 1224;

const GENERIC_READ: u32 = 0x8000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;
const DELETE: u32 = 0x0001_0000;
const SHARE_READ: u32 = 1;
const DELETE_ON_CLOSE: u32 = 0x0400_0000;
/// Without this a folder cannot be opened.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// Does something that other programs can hinder for a moment: again and again for five seconds, and then says so.
pub(in crate::store) fn patiently<T>(work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    retried(&[SHARING_VIOLATION, LOCK_VIOLATION, DELETE_PENDING], work)
}

/// Like [`patiently`], where the system also says that access is denied to what another program has open.
fn retried_replacing<T>(work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    retried(&[ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION, DELETE_PENDING, USER_MAPPED_FILE], work)
}

fn retried<T>(passing: &[i32], work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let started = Instant::now();
    loop {
        match work() {
            Err(error) if error.raw_os_error().is_some_and(|code| passing.contains(&code)) => {
                if started.elapsed() >= PATIENCE {
                    let said = format!(
                        "{error} It was tried for {} seconds: another program may have it open, such as an editor, a virus scanner or a \
                         synchroniser",
                        PATIENCE.as_secs()
                    );
                    return Err(io::Error::new(error.kind(), said));
                }
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

/// Lets a file be created as its folder says, as every file is here.
pub(in crate::store) fn for_all(_builder: &mut Builder<'_, '_>) {}

/// Creates a temporary file. It is not marked as one: the mark would stay when it takes its name, and synchronisers pass over such files.
pub(in crate::store) fn temporary(builder: &Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
    builder.make_in(folder, |path| OpenOptions::new().read(true).write(true).create_new(true).open(path))
}

/// Gives a temporary file the name of another, which it replaces. Returns the file if it is still open.
pub(in crate::store) fn take_over(temp: NamedTempFile, path: &Path) -> io::Result<Option<File>> {
    let mut temp = temp.into_temp_path();
    rename(&temp, path)?;
    temp.disable_cleanup(true);
    Ok(None)
}

/// Gives a temporary file a name that no file has.
pub(in crate::store) fn take_name(temp: NamedTempFile, path: &Path) -> io::Result<()> {
    let kept = std::cell::Cell::new(Some(temp.into_temp_path()));
    patiently(|| {
        let Some(temp) = kept.take() else { return Err(io::ErrorKind::NotFound.into()) };
        temp.persist_noclobber(path).map_err(|error| {
            kept.set(Some(error.path));
            error.error
        })
    })
}

/// Renames a file, replacing another.
pub(in crate::store) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    // A file that may not be written stays so; there is no use in waiting.
    if fs::metadata(to).is_ok_and(|there| there.permissions().readonly()) {
        return Err(io::Error::from_raw_os_error(ACCESS_DENIED));
    }
    retried_replacing(|| fs::rename(from, to))
}

/// Removes a file.
pub(in crate::store) fn remove(path: &Path) -> io::Result<()> {
    patiently(|| fs::remove_file(path))
}

/// Flushes the name of a file.
pub(in crate::store) fn flush_name(path: &Path, folder: &Path) -> io::Result<()> {
    match patiently(|| OpenOptions::new().write(true).open(path)?.sync_all()) {
        // Another program may have taken it away by now, or it may not be written; then the folder is flushed alone.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
        done => done?,
    }
    flush_folder(folder)
}

/// Flushes the names in a folder, where the file system has a way to.
pub(in crate::store) fn flush_folder(folder: &Path) -> io::Result<()> {
    const INVALID_FUNCTION: i32 = 1;
    const INVALID_HANDLE: i32 = 6;
    match OpenOptions::new().write(true).custom_flags(BACKUP_SEMANTICS).open(folder).and_then(|open| open.sync_all()) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) || matches!(error.raw_os_error(), Some(INVALID_FUNCTION | INVALID_HANDLE | SHARING_VIOLATION)) =>
        {
            Ok(())
        }
        done => done,
    }
}

/// Creates a folder, as that above it says.
pub(in crate::store) fn create_folder(path: &Path, _mode: u32) -> io::Result<()> {
    fs::create_dir(path)
}

/// Opens a file to write at its end; it is created if there is none.
pub(in crate::store) fn append_private(path: &Path) -> io::Result<File> {
    patiently(|| OpenOptions::new().append(true).create(true).open(path))
}

/// Opens a file to read it.
pub(in crate::store) fn open(path: &Path) -> io::Result<File> {
    patiently(|| File::open(path))
}

/// Returns whether this error says that there are no locks left.
pub(in crate::store) fn is_out_of_locks(_error: &io::Error) -> bool {
    false
}

/// Returns whether a file with these metadata is readable only by the user, as far as the system tells.
pub(in crate::store) fn is_private(_metadata: &Metadata) -> bool {
    true
}

/// Returns whether a file with these metadata belongs to the user or to the system.
pub(in crate::store) fn is_own(_metadata: &Metadata) -> bool {
    true
}

/// Returns whether anyone but the owner may write to a file with these metadata.
pub(in crate::store) fn is_writable_by_others(_metadata: &Metadata) -> bool {
    false
}

/// Returns whether anyone at all may write to the folder.
pub(in crate::store) fn is_writable_by_all(_path: &Path) -> bool {
    false
}

/// Returns whether the name still leads to the open file. What has a file open keeps its name from others here.
#[expect(clippy::unnecessary_wraps, reason = "its twin fails")]
pub(in crate::store) fn leads_to(_path: &Path, _file: &File) -> io::Result<bool> {
    Ok(true)
}

/// Gives the new file the owner of the old one; here both have what their folder hands down.
pub(in crate::store) fn keep_owner(_file: &File, _old: &Metadata) {}

/// Creates a lock file that others may read about but neither write nor remove, and that goes when it is closed.
pub(in crate::store) fn create_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .access_mode(GENERIC_READ | GENERIC_WRITE | DELETE)
        .share_mode(SHARE_READ)
        .custom_flags(DELETE_ON_CLOSE)
        .open(path)
}

/// Removes the lock file of this process: the system does, as soon as it is closed.
pub(in crate::store) fn remove_lock_file(_path: &Path) {}

/// Returns whether its holder has this lock file open, if the system tells.
pub(in crate::store) fn is_held_open(path: &Path) -> Option<bool> {
    let opened = OpenOptions::new().write(true).open(path);
    Some(opened.is_err_and(|error| matches!(error.raw_os_error(), Some(SHARING_VIOLATION | DELETE_PENDING))))
}

/// Returns whether creating a lock file failed because another is just being removed.
pub(in crate::store) fn is_vanishing(path: &Path, error: &io::Error) -> bool {
    let there = || fs::symlink_metadata(path).map_or_else(|error| error.kind() != io::ErrorKind::NotFound, |_| true);
    match error.raw_os_error() {
        Some(SHARING_VIOLATION | DELETE_PENDING) => true,
        Some(ACCESS_DENIED) => there(),
        _ => false,
    }
}

/// Returns the name of this machine; empty if it has none.
pub(in crate::store) fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Returns what tells this machine from others, as far as it is known.
pub(in crate::store) fn machine() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns what tells this run of the machine from earlier ones.
pub(in crate::store) fn boot() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns what tells this numbering of processes from others on the same machine.
pub(in crate::store) fn namespace() -> io::Result<String> {
    Ok("windows".into())
}

/// Returns whether a process on this machine is running. Its lock file was not open, so it is not.
pub(in crate::store) fn is_running(_process: u32, _at: &str) -> bool {
    false
}

/// Returns when a process was started; not asked here.
pub(in crate::store) fn started(_process: u32) -> String {
    "-".into()
}
