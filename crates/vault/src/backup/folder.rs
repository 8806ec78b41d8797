//! Backups in a folder: what those are called that a home makes by itself, which of its own it removes, and which one is the newest.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use postrider_disk::disk::{Disk, FileError, Kind};
use postrider_disk::folders::Folders;
use postrider_disk::random::Random;

use super::{BY_ITSELF, BackupFault, HomeCopy, MARK};
use crate::locked::is_locked;

/// The ending of a backup.
pub const END: &str = "backup";
/// How many backups a home makes by itself within a second.
const MOST_A_SECOND: u32 = 100;

/// The backups that a home makes by itself in one folder. They are told from those of other homes by eight digits in their names, so that
/// homes with one folder for backups leave each other's alone.
#[derive(Debug)]
pub struct OwnBackups<'a> {
    disk: &'a Disk,
    folder: &'a Path,
    /// What their names begin with.
    begin: String,
}

/// What there is besides a backup that was just made.
#[derive(Debug, PartialEq, Eq)]
pub struct Older {
    /// One that is named after a later time. It counts as the newest one until somebody removes it.
    pub ahead: Option<String>,
    /// Those that are no longer kept.
    pub surplus: Vec<String>,
}

impl<'a> OwnBackups<'a> {
    /// Those of this home in this folder. Its digits are chosen the first time.
    ///
    /// # Errors
    /// If the digits cannot be read or noted.
    pub fn of(folders: &'a Folders, folder: &'a Path, random: Random<'_>) -> Result<Self, BackupFault> {
        Ok(Self { disk: &folders.disk, folder, begin: format!("{BY_ITSELF}{}-", mark_of(folders, random)?) })
    }

    /// Removes what killed runs have left of such backups.
    #[cfg(any(unix, windows))]
    pub fn sweep(&self) {
        if *self.disk == Disk::real() {
            let begin = crate::locked::BEGIN.as_bytes();
            postrider_disk::files::sweep_own(self.folder, |name| self.is_own(name), begin);
        }
    }

    /// Writes a backup, and returns what it is called; `None` if there are a hundred of this second. Two within a second are two backups, and the
    /// later one is the newer one by its name too.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn write(&self, copy: &HomeCopy, locked: &str) -> Result<Option<String>, FileError> {
        let stem = format!("{}{}", self.begin, copy.taken.replace(':', ""));
        let numbers = std::iter::once(String::new()).chain((2..MOST_A_SECOND).map(|number| format!("_{number:02}")));
        for name in numbers.map(|number| format!("{stem}{number}.{END}")) {
            match self.disk.create_private(&self.folder.join(&name), locked.as_bytes()) {
                Err(FileError::Exists { .. }) => {}
                done => return done.map(|()| Some(name)),
            }
        }
        Ok(None)
    }

    /// Finds those that are there besides the one just written, which stays whatever the clock says. `keep`: how many are kept in all.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn older(&self, written: &str, keep: usize) -> io::Result<Older> {
        let names = self.disk.list(self.folder)?.into_iter().filter_map(|one| one.name.into_string().ok());
        let mut own: Vec<String> = names.filter(|name| self.is_own(name) && name != written).collect();
        own.sort();
        let others = keep.saturating_sub(1);
        let ahead = own.last().filter(|name| others > 0 && name.as_str() > written).cloned();
        own.truncate(own.len().saturating_sub(others));
        own.reverse();
        Ok(Older { ahead, surplus: own })
    }

    /// Removes those that are no longer kept.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn remove(&self, older: &Older) -> Result<(), FileError> {
        older.surplus.iter().try_for_each(|name| self.disk.remove(&self.folder.join(name)).map(drop))
    }

    /// Whether a file is called as a backup that this home has made by itself: nothing else is ever removed.
    fn is_own(&self, name: &str) -> bool {
        let end = |rest: &'_ str| rest.strip_suffix(END)?.strip_suffix('.').map(str::to_owned);
        let Some(stem) = name.strip_prefix(&self.begin).and_then(end) else { return false };
        let is_time = |time: &str| {
            let shape: String = time.chars().map(|one| if one.is_ascii_digit() { '0' } else { one }).collect();
            shape == "0000-00-00T000000Z"
        };
        match stem.split_once('_') {
            None => is_time(&stem),
            Some((time, number)) => {
                is_time(time) && number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit())
            }
        }
    }
}

/// Returns the digits of this home.
fn mark_of(folders: &Folders, random: Random<'_>) -> Result<String, BackupFault> {
    let path = folders.data.join(MARK);
    let failed = |error: String| BackupFault::Io(path.clone(), io::Error::other(error));
    let read = || -> Result<Option<String>, BackupFault> {
        let bytes = folders.disk.read_if_there(&path, 64).map_err(|error| BackupFault::Io(path.clone(), error))?;
        let mark = bytes.and_then(|bytes| Some(std::str::from_utf8(&bytes).ok()?.trim_end().to_owned()));
        Ok(mark.filter(|mark| is_mark(mark)))
    };
    if let Some(mark) = read()? {
        return Ok(mark);
    }
    let mut bytes = [0; 4];
    random(&mut bytes).map_err(|error| failed(error.to_string()))?;
    let mark = HEXLOWER.encode(&bytes);
    folders.disk.put_private(&path, format!("{mark}\n").as_bytes()).map_err(|error| failed(error.to_string()))?;
    // Two runs may have chosen at once: the later one counts.
    Ok(read()?.unwrap_or(mark))
}

/// Whether these are the digits of a home.
fn is_mark(mark: &str) -> bool {
    mark.len() == 8 && mark.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether this file is a backup, by how it begins.
#[must_use]
pub fn is_backup(disk: &Disk, path: &Path) -> bool {
    let is_file = disk.about(path).is_ok_and(|about| about.kind == Kind::File);
    let begin = || disk.read(path, 64).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    is_file && begin().is_some_and(|begin| is_locked(&begin))
}

/// Why a folder has no newest backup.
#[derive(Debug)]
pub enum NoBackup {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It has those of so many homes.
    Homes(usize),
    /// It has none.
    None,
}

/// Returns the newest backup in a folder: by the times in their names, and otherwise the one that a repository has.
///
/// # Errors
/// [`NoBackup`].
pub fn newest(disk: &Disk, folder: &Path) -> Result<PathBuf, NoBackup> {
    let names = disk.list(folder).map_err(NoBackup::Unreadable)?.into_iter().map(|one| PathBuf::from(one.name));
    let mut found: Vec<PathBuf> = names.filter(|name| name.extension().is_some_and(|end| end == END)).collect();
    found.retain(|name| is_backup(disk, &folder.join(name)));
    let homes: BTreeSet<String> =
        found.iter().filter_map(|name| Some(home_of(&name.to_string_lossy())?.0.to_owned())).collect();
    if homes.len() > 1 {
        return Err(NoBackup::Homes(homes.len()));
    }
    // `postrider.backup` sorts behind `postrider-2026…`, and before all other names.
    let newest = found.into_iter().max_by_key(|name| {
        let text = name.to_string_lossy();
        home_of(&text).map_or_else(|| text.to_string(), |(_, rest)| format!("postrider-{rest}"))
    });
    newest.map(|name| folder.join(name)).ok_or(NoBackup::None)
}

/// The digits of the home that has made a backup by itself, and what follows them in its name.
fn home_of(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(BY_ITSELF)?.split_once('-').filter(|(mark, _)| is_mark(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    const TEXT: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\n";

    fn copy(taken: &str) -> HomeCopy {
        HomeCopy { taken: taken.to_owned(), files: Vec::new(), is_game: false }
    }

    fn ones(bytes: &mut [u8]) -> Result<(), String> {
        bytes.fill(0x11);
        Ok(())
    }

    #[test]
    fn a_home_keeps_its_newest_backups_and_leaves_those_of_others() {
        for (_home, folders) in homes() {
            let (disk, to) = (&folders.disk, folders.data.join("kept"));
            disk.private_folder(&to).expect("made");
            let own = OwnBackups::of(&folders, &to, &ones).expect("its digits are noted");
            let again = OwnBackups::of(&folders, &to, &|_| panic!("they are chosen once")).expect("they are read");
            assert_eq!((own.begin.as_str(), &again.begin), ("postrider-auto-11111111-", &own.begin));
            let others = [
                "postrider-auto-22222222-2026-11-01T120000Z.backup",
                "postrider-auto-11111111-2026-11-01T120000Z_1.backup",
                "postrider-auto-11111111-2026-11-01.backup",
                "postrider-auto-11111111-2026-11-01T120000Zbackup",
                "postrider-2026-11-01T120000Z.backup",
            ];
            for name in others {
                disk.put_private(&to.join(name), b"x").expect("put");
            }
            let write = |time| own.write(&copy(time), TEXT).expect("written").expect("a name is free");
            let first = write("2026-11-21T12:00:00Z");
            assert_eq!(first, "postrider-auto-11111111-2026-11-21T120000Z.backup");
            let second = write("2026-11-21T12:00:00Z");
            assert_eq!(second, "postrider-auto-11111111-2026-11-21T120000Z_02.backup");
            let third = write("2026-11-22T12:00:00Z");
            assert!(disk.about(&to.join(&third)).expect("told").is_private());
            let none = Older { ahead: None, surplus: Vec::new() };
            assert_eq!(own.older(&third, 3).expect("read"), none);
            let older = own.older(&third, 2).expect("read");
            assert_eq!(older, Older { surplus: vec![first], ..none });
            own.remove(&older).expect("removed");
            // The clock went back: the one just written stays, and the later one counts as the newest.
            let early = write("2026-11-20T12:00:00Z");
            let older = own.older(&early, 2).expect("read");
            assert_eq!(older, Older { ahead: Some(third.clone()), surplus: vec![second] });
            own.remove(&older).expect("removed");
            let alone = own.older(&early, 1).expect("read");
            assert_eq!(alone, Older { ahead: None, surplus: vec![third] });
            own.remove(&alone).expect("removed");
            let mut left: Vec<String> = others.map(str::to_owned).into_iter().chain([early]).collect();
            left.sort();
            assert_eq!(disk.names_in(&to).expect("a folder"), left);
        }
    }

    #[test]
    fn a_hundred_backups_within_a_second_are_enough() {
        let memory = postrider_disk::disk::Memory::new();
        let folders = Folders::in_memory(&memory);
        folders.disk.private_folder(&folders.data).expect("made");
        let own = OwnBackups::of(&folders, &folders.data, &ones).expect("its digits are noted");
        let write = || own.write(&copy("2026-11-21T12:00:00Z"), TEXT).expect("nothing fails");
        let mut names = Vec::new();
        while let Some(name) = write() {
            names.push(name);
        }
        assert_eq!(names.len(), 99);
        assert!(names.is_sorted() && names.iter().all(|name| own.is_own(name)), "{names:?}");
    }

    #[test]
    fn the_newest_backup_is_that_of_the_latest_time_in_a_folder_of_one_home() {
        for (_home, folders) in homes() {
            let (disk, at) = (&folders.disk, folders.data.join("kept"));
            let newest = || newest(disk, &at).map(|path| path.strip_prefix(&at).expect("below").to_owned());
            assert!(matches!(newest(), Err(NoBackup::Unreadable(_))));
            disk.private_folder(&at).expect("made");
            disk.put_private(&at.join("zero.backup"), b"something else").expect("put");
            disk.put_private(&at.join("zero.text"), TEXT.as_bytes()).expect("put");
            disk.private_folder(&at.join("folder.backup")).expect("made");
            assert!(matches!(newest(), Err(NoBackup::None)));
            for name in [
                "postrider-2026-11-20T120000Z.backup",
                "postrider-auto-11111111-2026-11-21T120000Z.backup",
                "postrider-auto-11111111-2026-11-21T120000Z_02.backup",
                "postrider-2026-11-22T120000Z.backup",
                "postrider.backup",
            ] {
                disk.put_private(&at.join(name), TEXT.as_bytes()).expect("put");
                assert_eq!(newest().expect("one"), Path::new(name));
            }
            disk.put_private(&at.join("postrider-auto-22222222-2026-11-19T120000Z.backup"), TEXT.as_bytes())
                .expect("put");
            assert!(matches!(newest(), Err(NoBackup::Homes(2))));
        }
    }
}
