//! A lock for file systems without locks of their own, such as some network file systems: a file beside the one that is
//! locked, created exclusively. It contains the machine, the process and the time, so that an abandoned lock can be
//! recognised.
//!
//! On this machine a lock is abandoned if its process has ended, or the machine has been restarted. About a process
//! elsewhere nothing is known but the age of its file.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::DateTime;

use crate::system;

/// The age at which the lock of another machine counts as abandoned: much longer than it takes to send a letter.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
/// The age at which an empty lock file counts as abandoned: its process ended before it wrote anything.
const UNWRITTEN: Duration = Duration::from_secs(30);
/// The longest lock file that is read.
const LONGEST: u64 = 1024;

/// A lock file that this process created. It is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct LockFile {
    path: PathBuf,
    text: String,
    /// On some systems it is the lock as long as it is open.
    _open: fs::File,
}

/// Who holds a lock, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) path: PathBuf,
    pub(crate) who: String,
}

/// What a lock file contains: `HOST MACHINE BOOT NAMESPACE PROCESS STARTED TIME`. What the system does not tell is `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    host: String,
    machine: String,
    boot: String,
    namespace: String,
}

impl LockFile {
    /// Tries to lock the file at `of`; an abandoned lock is removed first.
    ///
    /// # Errors
    /// The errors of the system. If someone else holds the lock, that is not an error.
    pub(crate) fn try_take(of: &Path) -> io::Result<Result<Self, Holder>> {
        let path = beside(of)?;
        if let Some(holder) = holder(of)? {
            return Ok(Err(holder));
        }
        let text = line();
        match system::create_lock_file(&path) {
            Ok(mut file) => match file.write_all(text.as_bytes()) {
                Ok(()) => Ok(Ok(Self { path, text, _open: file })),
                Err(error) => {
                    system::remove_lock_file(&path);
                    Err(error)
                }
            },
            // Someone else was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || system::is_vanishing(&path, &error) => {
                Ok(Err(Holder { path, who: "another program".into() }))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether the lock file is still the one that this process created.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn is_held(&self) -> io::Result<bool> {
        Ok(read(&self.path)?.is_some_and(|(text, _)| text == self.text))
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.is_held().is_ok_and(|held| held) {
            system::remove_lock_file(&self.path);
        }
    }
}

/// Returns who holds the lock on the file at `of`; an abandoned lock file is removed.
///
/// # Errors
/// The errors of the system.
pub(crate) fn holder(of: &Path) -> io::Result<Option<Holder>> {
    let path = beside(of)?;
    let Some((text, age)) = read(&path)? else { return Ok(None) };
    if !is_left_behind(&path, &text, age) {
        return Ok(Some(Holder { path, who: in_words(&text) }));
    }
    // One process at a time, or a second one would remove the new lock of the first. This file may be abandoned too.
    let mut guard = path.clone().into_os_string();
    guard.push(".old");
    let guard = PathBuf::from(guard);
    match system::create_lock_file(&guard) {
        Ok(_) => {
            let removed = read(&path).and_then(|there| match there {
                Some((there, _)) if there == text => fs::remove_file(&path),
                _ => Ok(()),
            });
            system::remove_lock_file(&guard);
            removed.map(|()| None)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || system::is_vanishing(&guard, &error) => {
            if read(&guard)?.is_some_and(|(_, age)| age > UNWRITTEN) {
                let _ = fs::remove_file(&guard);
            }
            Ok(Some(Holder { path, who: "another program".into() }))
        }
        Err(error) => Err(error),
    }
}

/// Returns who holds a lock by the lock file at `path`, and whether it is abandoned, without removing it; `None` if it has
/// not the name of a lock file.
///
/// # Errors
/// The errors of the system.
pub(crate) fn standing(path: &Path) -> io::Result<Option<(String, bool)>> {
    let hidden = path.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with('.'));
    if !hidden.is_some_and(|name| name.ends_with(".lock") || name.ends_with(".lock.old")) {
        return Ok(None);
    }
    Ok(read(path)?.map(|(text, age)| (in_words(&text), is_left_behind(path, &text, age))))
}

/// Returns the content of a lock file and its age; `None` if there is none. Setting the clock back does not make a file
/// younger.
fn read(path: &Path) -> io::Result<Option<(String, Duration)>> {
    let file = match system::patiently(|| fs::File::open(path)) {
        Ok(file) => file,
        Err(error) if system::is_vanishing(path, &error) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let written = file.metadata()?.modified()?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), crate::clock::age(written))))
}

fn is_left_behind(path: &Path, text: &str, age: Duration) -> bool {
    let held_open = system::is_held_open(path);
    if held_open == Some(true) {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, machine, boot, namespace, process, started, _] = words[..] else { return age > UNWRITTEN };
    let here = Place::here();
    // Held open as long as it lasts, and it is not.
    if held_open == Some(false) && namespace == here.namespace {
        return true;
    }
    if machine == "-" || machine != here.machine || boot == "-" {
        return age > ABANDONED;
    }
    if boot != here.boot {
        return true;
    }
    match process.parse() {
        Ok(process) if namespace == here.namespace => !system::is_running(process, started),
        _ => age > ABANDONED,
    }
}

/// Describes this process, for its lock files.
fn line() -> String {
    let Place { host, machine, boot, namespace } = Place::here();
    let process = std::process::id();
    format!(
        "{host} {machine} {boot} {namespace} {process} {} {}\n",
        system::started(process),
        crate::clock::now().timestamp_micros()
    )
}

fn in_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [host, _, _, _, process, _, time] = words[..] else { return "another program".into() };
    let time = time.parse().ok().and_then(DateTime::from_timestamp_micros);
    let since = time.map(|time| format!(" since {}", time.format("%Y-%m-%dT%H:%M:%SZ"))).unwrap_or_default();
    let printable = |text: &str| postrider_kernel::text::printable(text).into_owned();
    format!("process {} on {}{since}", printable(process), printable(host))
}

impl Place {
    fn here() -> Self {
        let word = |text: io::Result<String>| {
            let text = text.unwrap_or_default();
            let word = text.split_whitespace().next().unwrap_or("-");
            word.to_owned()
        };
        Self {
            host: host(),
            machine: word(system::machine()),
            boot: word(system::boot()),
            namespace: word(system::namespace()),
        }
        .or_host()
    }

    /// A machine without an id is identified by its name.
    fn or_host(mut self) -> Self {
        if self.machine == "-" {
            self.machine.clone_from(&self.host);
        }
        self
    }
}

fn host() -> String {
    let name = system::host();
    if name.is_empty() { "-".into() } else { name.replace(char::is_whitespace, "_") }
}

/// Returns the lock file for a file: beside it, and hidden.
fn beside(of: &Path) -> io::Result<PathBuf> {
    let name = of.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".lock");
    Ok(of.with_file_name(hidden))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (of, lock) = (folder.path().join("game.pbem"), folder.path().join(".game.pbem.lock"));
        (folder, of, lock)
    }

    #[test]
    fn one_process_has_the_lock_and_leaves_nothing_behind() {
        let (_folder, of, lock) = place();
        let held = LockFile::try_take(&of).unwrap().unwrap();
        assert!(held.is_held().unwrap());
        let holder = LockFile::try_take(&of).unwrap().unwrap_err();
        assert_eq!(holder.path, lock);
        assert!(holder.who.starts_with(&format!("process {} on ", std::process::id())), "{}", holder.who);
        drop(held);
        assert!(!lock.exists());
        LockFile::try_take(&of).unwrap().unwrap();
    }

    #[test]
    fn a_lock_whose_process_has_ended_is_taken_over() {
        let (_folder, of, lock) = place();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = child.id();
        child.wait().unwrap();
        let mine = line();
        let own = format!(" {} ", std::process::id());
        // Another process, a process number that was another's before, and a time before the machine was restarted.
        let boot = Place::here().boot;
        for text in [
            mine.replace(&own, &format!(" {ended} ")),
            mine.replace(&format!("{own}{}", system::started(std::process::id())), &format!("{own}1")),
            mine.replace(&boot, "another-boot"),
        ] {
            assert_ne!(text, mine);
            fs::write(&lock, &text).unwrap();
            assert!(LockFile::try_take(&of).unwrap().is_ok(), "{text}");
            assert!(!lock.exists());
        }
    }

    #[test]
    fn a_lock_of_another_machine_or_an_empty_one_is_respected_until_it_is_old() {
        let (_folder, of, lock) = place();
        let other = line().replace(&Place::here().machine, "another-machine");
        for (text, old) in [(other.as_str(), ABANDONED), ("", UNWRITTEN)] {
            fs::write(&lock, text).unwrap();
            assert!(LockFile::try_take(&of).unwrap().is_err(), "{text:?}");
            let then = std::time::SystemTime::now() - old - Duration::from_secs(5);
            fs::File::options().write(true).open(&lock).unwrap().set_modified(then).unwrap();
            assert!(LockFile::try_take(&of).unwrap().is_ok(), "{text:?}");
        }
    }

    #[test]
    fn a_lock_that_someone_else_holds_now_is_not_removed() {
        let (_folder, of, lock) = place();
        let held = LockFile::try_take(&of).unwrap().unwrap();
        fs::write(&lock, "somebody else").unwrap();
        assert!(!held.is_held().unwrap());
        drop(held);
        assert!(lock.exists());
    }

    #[test]
    fn an_abandoned_lock_is_taken_over_by_one_at_a_time() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let (_folder, of, lock) = place();
        let (inside, entered) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut mine = 0;
                    for _ in 0..1_000_000 {
                        if mine == 6 {
                            break;
                        }
                        let Ok(Ok(held)) = LockFile::try_take(&of) else {
                            std::thread::yield_now();
                            continue;
                        };
                        mine += 1;
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        entered.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        // Now and then it ends without removing the lock.
                        if entered.load(Ordering::SeqCst) % 3 == 0 {
                            fs::write(&lock, line().replace(&Place::here().boot, "another-boot")).unwrap();
                        }
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(entered.into_inner(), 8 * 6, "each of them comes in");
    }
}
