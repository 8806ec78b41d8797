//! Unix: a file can be replaced while it is open, a lock on it is advice, and a folder is flushed like a file.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

/// Whether the system's lock on a record lets others read it, and the record be replaced.
pub(crate) const LOCKS_RECORDS: bool = true;

/// How long the name of a temporary file may have no lock before the file takes its name: no time at all.
pub(crate) const UNLOCKED: Duration = Duration::ZERO;

/// Does something that other programs can hinder for a moment on some systems, though not on this one.
pub(crate) fn patiently<T>(work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    work()
}

/// Lets a file be created with the permissions of the user's umask.
pub(crate) fn for_all(builder: &mut Builder<'_, '_>) {
    builder.permissions(PermissionsExt::from_mode(0o666));
}

/// Creates a temporary file. Its permissions are the builder's, so it need not be told that it is private.
pub(crate) fn temporary(builder: &Builder<'_, '_>, folder: &Path, _private: bool) -> io::Result<NamedTempFile> {
    builder.tempfile_in(folder)
}

/// Gives a temporary file the name of another, which it replaces. Returns the file if it is still open.
pub(crate) fn take_over(temp: NamedTempFile, path: &Path) -> io::Result<Option<File>> {
    temp.persist(path).map(Some).map_err(|error| error.error)
}

/// Gives a temporary file a name that no file has.
pub(crate) fn take_name(temp: NamedTempFile, path: &Path) -> io::Result<()> {
    temp.persist_noclobber(path).map(drop).map_err(|error| error.error)
}

/// Renames a file, replacing another.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Flushes the name of a file.
pub(crate) fn flush_name(_path: &Path, folder: &Path) -> io::Result<()> {
    flush_folder(folder)
}

/// Flushes the names in a folder.
pub(crate) fn flush_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems keep folders safe by other means and reject the request.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// Creates a folder with this mode, reduced by the umask.
pub(crate) fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)
}

/// Opens a file for the user alone, to write at its end; it is created if there is none.
pub(crate) fn append_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// How long to wait for something to come through a pipe with a name.
const PATIENCE: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };

/// Opens a file to read it, without waiting for the other end of a pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::unix::fs::FileTypeExt as _;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file: File = rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?.into();
    if file.metadata()?.file_type().is_fifo() {
        let mut wanted = [PollFd::new(&file, PollFlags::IN)];
        let ready = rustix::io::retry_on_intr(|| poll(&mut wanted, Some(&PATIENCE)))?;
        if ready == 0 {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "nobody writes to this pipe"));
        }
    }
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Returns whether this error says that there are no locks left.
pub(crate) fn is_out_of_locks(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error())
}

/// Returns whether a file with these metadata is readable only by the user, as far as the system tells.
pub(crate) fn is_private(_path: &Path, metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 == 0
}

/// Returns whether a file with these metadata belongs to the user or to the system.
pub(crate) fn is_own(_path: &Path, metadata: &Metadata) -> bool {
    metadata.uid() == 0 || metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Returns whether anyone but the owner may write to a file with these metadata.
pub(crate) fn is_writable_by_others(_path: &Path, metadata: &Metadata) -> bool {
    metadata.mode() & 0o022 != 0
}

/// Returns whether anyone at all may write to the folder.
pub(crate) fn is_writable_by_all(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o002 != 0)
}

/// Returns whether the name still leads to the open file. A name that leads nowhere is an error.
pub(crate) fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    let (named, open) = (fs::metadata(path)?, file.metadata()?);
    Ok((named.dev(), named.ino()) == (open.dev(), open.ino()))
}

/// Gives the new file the group and owner of the old one, as far as the system allows, so that a shared record stays
/// shared.
pub(crate) fn keep_owner(file: &File, old: &Metadata) {
    let Ok(new) = file.metadata() else { return };
    if new.gid() != old.gid() {
        let _ = fchown(file, None, Some(old.gid()));
    }
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
}

/// Creates a lock file that others may read about but not write.
pub(crate) fn create_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Removes the lock file of this process.
pub(crate) fn remove_lock_file(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Returns whether its holder has this lock file open, if the system tells.
pub(crate) fn is_held_open(_path: &Path) -> Option<bool> {
    None
}

/// Returns whether creating a lock file failed because another is just being removed.
pub(crate) fn is_vanishing(_path: &Path, _error: &io::Error) -> bool {
    false
}

/// Returns the name of this machine; empty if it has none.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Returns what tells this machine from others, as far as it is known.
pub(crate) fn machine() -> io::Result<String> {
    fs::read_to_string("/etc/machine-id")
}

/// Returns what tells this run of the machine from earlier ones.
pub(crate) fn boot() -> io::Result<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
}

/// Returns what tells this numbering of processes from others on the same machine.
pub(crate) fn namespace() -> io::Result<String> {
    fs::read_link("/proc/self/ns/pid").map(PathBuf::into_os_string).map(|link| link.to_string_lossy().into_owned())
}

/// Returns whether a process on this machine is running, and is the one that was started at that time.
pub(crate) fn is_running(process: u32, at: &str) -> bool {
    let Some(id) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    // A permission error shows that it exists.
    let there = !matches!(rustix::process::test_kill_process(id), Err(rustix::io::Errno::SRCH));
    let now = started(process);
    there && (at == "-" || now == "-" || now == at)
}

/// Returns when a process was started, in the system's own units: a later process with the same number has a different
/// time.
pub(crate) fn started(process: u32) -> String {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // It is the twentieth word after the name, which may contain anything.
    let word = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19));
    word.unwrap_or("-").to_owned()
}

/// The program that opens a file in the user's program for its kind.
#[cfg(any(unix, windows))]
pub const OPENER: Option<&str> = Some(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });

/// How long that program is waited for. Some run for as long as the program that they have started.
#[cfg(any(unix, windows))]
const OPENING: Duration = Duration::from_secs(3);

/// Opens a file in the program that the user has chosen for files of its kind.
///
/// # Errors
/// If there is none, or it fails at once.
#[cfg(any(unix, windows))]
#[expect(clippy::disallowed_types, reason = "only the system knows which program that is")]
pub fn open_with_its_program(path: &Path) -> io::Result<()> {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    let opener = OPENER.unwrap_or_default();
    let quiet = Stdio::null;
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{opener}: {error}"));
    // A path that begins with `-` would be an option.
    let path = std::path::absolute(path)?;
    let spawned = Command::new(opener).arg(&path).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    let mut child = spawned.map_err(named)?;
    let begun = Instant::now();
    while begun.elapsed() < OPENING {
        match child.try_wait().map_err(named)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(io::Error::other(format!("{opener}: {status}"))),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Ok(())
}
