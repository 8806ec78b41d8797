//! Windows: a lock on a file keeps others from reading it, and a file cannot be replaced by every means while it is open. So the
//! lock of a record is a lock file beside it, held open for as long as it lasts: nobody else can write or remove it then, and the
//! system itself removes it when its holder ends, however that may be. Programs on other systems that share the folder respect it as they
//! respect each other's. What a virus scanner or a synchroniser has open for a moment is tried again for a while.
//!
//! Flushing a file after it was renamed writes the file system's journal up to that point, and the name with it. Folders are flushed too,
//! where that is possible.
//!
//! Who may read a file is what its folder hands down, except that what is private gets a list of its own, for the user, the system and its
//! administrators: a folder hands it down, and a file has it before anything is written, while nobody else can have it open.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};
use windows_permissions::constants::{SeObjectType, SecurityInformation};
use windows_permissions::{LocalBox, SecurityDescriptor, utilities, wrappers};

use super::descriptor::{self, Described};

/// Whether the system's lock on a record lets others read it, and the record be replaced.
pub(crate) const LOCKS_RECORDS: bool = false;

/// How long the name of a temporary file may have no lock before the file takes its name: it is closed first, for others
/// could not read it otherwise.
pub(crate) const UNLOCKED: Duration = Duration::from_secs(60);

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
const READ_CONTROL: u32 = 0x0002_0000;
const WRITE_DAC: u32 = 0x0004_0000;
const SHARE_READ: u32 = 1;
const SHARE_DELETE: u32 = 4;
const DELETE_ON_CLOSE: u32 = 0x0400_0000;
/// Without this a folder cannot be opened.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// Does something that other programs can hinder for a moment: again and again for five seconds, and then says so.
pub(crate) fn patiently<T>(work: impl Fn() -> io::Result<T>) -> io::Result<T> {
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
pub(crate) fn for_all(_builder: &mut Builder<'_, '_>) {}

/// Creates a temporary file. It is not marked as one: the mark would stay when it takes its name, and synchronisers pass over such files.
pub(crate) fn temporary(builder: &Builder<'_, '_>, folder: &Path, private: bool) -> io::Result<NamedTempFile> {
    builder.make_in(folder, |path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        if private { created_private(&mut options, path) } else { options.open(path) }
    })
}

/// Creates a file for the user alone. Until it is closed nobody else can open it, so that nobody has had it open before it was closed to
/// them; but it can be removed.
fn created_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.access_mode(GENERIC_READ | GENERIC_WRITE | READ_CONTROL | WRITE_DAC).share_mode(SHARE_DELETE);
    let mut file = options.open(path)?;
    if let Err(error) = close_to_others(&mut file, "") {
        drop(file);
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(file)
}

/// Lets nobody but the user, the system and its administrators do anything with an open file. `inherited` says what a folder hands down.
fn close_to_others(file: &mut File, inherited: &str) -> io::Result<()> {
    let Some(user) = user() else { return Err(io::Error::other("it is not known who the user is")) };
    let entries = [user, "SY", "BA"].map(|who| format!("(A;{inherited};FA;;;{who})")).concat();
    let list: LocalBox<SecurityDescriptor> = format!("D:P{entries}").parse()?;
    let what = SecurityInformation::Dacl | SecurityInformation::ProtectedDacl;
    // As a file the system may add what its folder hands down, although it is told not to (Wine does); as any object it does not.
    for kind in [SeObjectType::SE_FILE_OBJECT, SeObjectType::SE_KERNEL_OBJECT] {
        wrappers::SetSecurityInfo(file, kind, what, None, None, list.dacl(), None)?;
        if described_open(file)?.private {
            return Ok(());
        }
    }
    let said = "the file system does not keep it from other users: choose a folder on a disk of this machine";
    Err(io::Error::new(io::ErrorKind::Unsupported, said))
}

/// What the system's texts call the user who runs this; some users have names of two letters there.
fn user() -> Option<&'static str> {
    static USER: OnceLock<Option<String>> = OnceLock::new();
    let found = USER.get_or_init(|| {
        let id = utilities::current_process_sid().ok()?;
        let owned: LocalBox<SecurityDescriptor> = format!("O:{id}").parse().ok()?;
        let text = wrappers::ConvertSecurityDescriptorToStringSecurityDescriptor(&owned, SecurityInformation::Owner);
        Some(text.ok()?.to_str()?.strip_prefix("O:")?.to_owned())
    });
    found.as_deref()
}

/// Gives a temporary file the name of another, which it replaces. Returns the file if it is still open.
pub(crate) fn take_over(temp: NamedTempFile, path: &Path) -> io::Result<Option<File>> {
    let mut temp = temp.into_temp_path();
    rename(&temp, path)?;
    temp.disable_cleanup(true);
    Ok(None)
}

/// Gives a temporary file a name that no file has.
pub(crate) fn take_name(temp: NamedTempFile, path: &Path) -> io::Result<()> {
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
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    // A file that may not be written stays so; there is no use in waiting.
    if fs::metadata(to).is_ok_and(|there| there.permissions().readonly()) {
        return Err(io::Error::from_raw_os_error(ACCESS_DENIED));
    }
    retried_replacing(|| fs::rename(from, to))
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    patiently(|| fs::remove_file(path))
}

/// Flushes the name of a file.
pub(crate) fn flush_name(path: &Path, folder: &Path) -> io::Result<()> {
    match patiently(|| OpenOptions::new().write(true).open(path)?.sync_all()) {
        // Another program may have taken it away by now, or it may not be written; then the folder is flushed alone.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
        done => done?,
    }
    flush_folder(folder)
}

/// Flushes the names in a folder, where the file system has a way to.
pub(crate) fn flush_folder(folder: &Path) -> io::Result<()> {
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

/// Creates a folder, for the user alone if the mode says so, and otherwise as that above it says, as long as this lets nobody else write
/// to it unless the mode does.
pub(crate) fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
    fs::create_dir(path)?;
    let private = mode & 0o077 == 0;
    let kept = || mode & 0o022 != 0 || !is_writable_by_all(path);
    if !private && kept() {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.access_mode(READ_CONTROL | WRITE_DAC).custom_flags(BACKUP_SEMANTICS);
    let closed = options.open(path).and_then(|mut folder| close_to_others(&mut folder, "OICI"));
    if closed.is_err() {
        let _ = fs::remove_dir(path);
    }
    closed
}

/// Opens a file for the user alone, to write at its end; it is created if there is none.
pub(crate) fn append_private(path: &Path) -> io::Result<File> {
    match created_private(OpenOptions::new().write(true).create_new(true), path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    patiently(|| OpenOptions::new().append(true).create(true).open(path))
}

/// Opens a file to read it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    patiently(|| File::open(path))
}

/// Returns whether this error says that there are no locks left.
pub(crate) fn is_out_of_locks(_error: &io::Error) -> bool {
    false
}

/// Returns whose a file or folder is and what others may do with it; of a link, that to which it leads.
fn described(path: &Path) -> io::Result<Described> {
    let mut options = OpenOptions::new();
    options.access_mode(READ_CONTROL).custom_flags(BACKUP_SEMANTICS);
    described_open(&patiently(|| options.open(path))?)
}

/// Returns whose an open file is and what others may do with it.
fn described_open(file: &File) -> io::Result<Described> {
    let what = SecurityInformation::Owner | SecurityInformation::Dacl;
    let found = wrappers::GetSecurityInfo(file, SeObjectType::SE_FILE_OBJECT, what)?;
    let text = wrappers::ConvertSecurityDescriptorToStringSecurityDescriptor(&found, what)?;
    Ok(descriptor::read(&text.to_string_lossy(), user().unwrap_or("nobody")))
}

/// Returns whether a file is readable only by the user, the system and its administrators.
pub(crate) fn is_private(path: &Path, _metadata: &Metadata) -> bool {
    described(path).is_ok_and(|found| found.private)
}

/// Returns whether a file belongs to the user or to the system.
pub(crate) fn is_own(path: &Path, _metadata: &Metadata) -> bool {
    described(path).is_ok_and(|found| found.own)
}

/// Returns whether anyone but the user, the system and its administrators may write to a file.
pub(crate) fn is_writable_by_others(path: &Path, _metadata: &Metadata) -> bool {
    is_writable_by_all(path)
}

/// Returns whether others may write to a file: there are no groups here of which the user is the only member.
pub(crate) fn is_writable_by_all(path: &Path) -> bool {
    !described(path).is_ok_and(|found| !found.writable_by_others)
}

/// Returns whether the name still leads to the open file. What has a file open keeps its name from others here.
#[expect(clippy::unnecessary_wraps, reason = "its twin fails")]
pub(crate) fn leads_to(_path: &Path, _file: &File) -> io::Result<bool> {
    Ok(true)
}

/// Gives the new file the owner of the old one; here both have what their folder hands down.
pub(crate) fn keep_owner(_file: &File, _old: &Metadata) {}

/// Creates a lock file that others may read about but neither write nor remove, and that goes when it is closed.
pub(crate) fn create_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .access_mode(GENERIC_READ | GENERIC_WRITE | DELETE)
        .share_mode(SHARE_READ)
        .custom_flags(DELETE_ON_CLOSE)
        .open(path)
}

/// Removes the lock file of this process: the system does, as soon as it is closed.
pub(crate) fn remove_lock_file(_path: &Path) {}

/// Returns whether its holder has this lock file open, if the system tells.
pub(crate) fn is_held_open(path: &Path) -> Option<bool> {
    let opened = OpenOptions::new().write(true).open(path);
    Some(opened.is_err_and(|error| matches!(error.raw_os_error(), Some(SHARING_VIOLATION | DELETE_PENDING))))
}

/// Returns whether creating a lock file failed because another is just being removed.
pub(crate) fn is_vanishing(path: &Path, error: &io::Error) -> bool {
    let there = || fs::symlink_metadata(path).map_or_else(|error| error.kind() != io::ErrorKind::NotFound, |_| true);
    match error.raw_os_error() {
        Some(SHARING_VIOLATION | DELETE_PENDING) => true,
        Some(ACCESS_DENIED) => there(),
        _ => false,
    }
}

/// Returns the name of this machine; empty if it has none.
pub(crate) fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Returns what tells this machine from others, as far as it is known.
pub(crate) fn machine() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns what tells this run of the machine from earlier ones.
pub(crate) fn boot() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns what tells this numbering of processes from others on the same machine.
pub(crate) fn namespace() -> io::Result<String> {
    Ok("windows".into())
}

/// Returns whether a process on this machine is running. Its lock file was not open, so it is not.
pub(crate) fn is_running(_process: u32, _at: &str) -> bool {
    false
}

/// Returns when a process was started; not asked here.
pub(crate) fn started(_process: u32) -> String {
    "-".into()
}

/// The program that opens a file in whatever the user has chosen for files of its kind: here it is the shell itself.
#[cfg(any(unix, windows))]
pub const OPENER: Option<&str> = None;

/// Opens a file in the program that the user has chosen for files of its kind. The shell is asked, and no command interpreter: it takes
/// all of the line behind the comma and the word as the path, without quotes.
///
/// # Errors
/// If the shell cannot be asked; it shows itself what else goes wrong.
#[cfg(any(unix, windows))]
#[expect(clippy::disallowed_types, reason = "only the system knows which program that is")]
pub fn open_with_its_program(path: &Path) -> io::Result<()> {
    use std::os::windows::process::CommandExt as _;
    use std::process::{Command, Stdio};

    let path = std::path::absolute(path)?;
    let path = path.to_str().ok_or_else(|| io::Error::other("its path is not Unicode"))?;
    // The shell does not know the form without limits.
    let path = path.strip_prefix(r"\\?\").filter(|path| !path.starts_with("UNC\\")).unwrap_or(path);
    let system = std::env::var_os("SystemRoot").ok_or_else(|| io::Error::other("SystemRoot is not set"))?;
    let program = Path::new(&system).join("System32").join("rundll32.exe");
    let mut command = Command::new(program);
    command.raw_arg(format!("url.dll,FileProtocolHandler {path}"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(|_| ())
}
