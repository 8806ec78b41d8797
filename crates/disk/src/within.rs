//! Which files lie in a folder.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::disk::{Disk, Kind};

/// A folder, whose files are told from others.
#[derive(Debug)]
pub struct Within {
    disk: Disk,
    /// The folder itself, with links followed.
    folder: PathBuf,
    /// The folder of the last file, and whether it lies in this one. Most files are in the same folder as the one before, and
    /// following the links of each path takes more system calls than reading a record.
    last: Mutex<Option<(PathBuf, bool)>>,
}

impl Within {
    /// Returns `None` if there is no such folder.
    #[must_use]
    pub fn of(disk: &Disk, folder: &Path) -> Option<Self> {
        Some(Self { disk: disk.clone(), folder: disk.itself(folder).ok()?, last: Mutex::new(None) })
    }

    /// Returns whether a file lies in the folder or below it, itself or by a link.
    #[must_use]
    pub fn holds(&self, file: &Path) -> bool {
        let within = |path: &Path| self.disk.itself(path).is_ok_and(|path| path.starts_with(&self.folder));
        let (Ok(about), Some(folder)) = (self.disk.about_itself(file), file.parent()) else { return false };
        // A link lies there wherever it leads.
        if about.kind == Kind::Link && within(file) {
            return true;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, holds)) if known == folder => *holds,
            _ => {
                let holds = within(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
                *last = Some((folder.to_owned(), holds));
                holds
            }
        }
    }
}
