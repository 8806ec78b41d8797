//! Restoring a copy of a home: what is looked at before anything is written, and the order in which it is written.

use std::collections::BTreeSet;
use std::path::Path;

use postrider_disk::disk::FileError;
use postrider_disk::folders::Folders;
use zeroize::Zeroizing;

use super::restored::Restored;
use super::{BackupFault, Fate, HomeCopy, Planned};
use crate::locked::OwnKey;

/// What a copy of a home brings into these folders. Nothing is written before [`Restoring::write`].
#[derive(Debug)]
pub struct Restoring<'a> {
    folders: &'a Folders,
    taken: &'a str,
    plan: Vec<Planned<'a>>,
    /// The games whose state changes, or is not known any more.
    pub doubtful: BTreeSet<String>,
    /// The fingerprints of the keys that it brings.
    keys: Vec<String>,
}

impl<'a> Restoring<'a> {
    /// Compares a copy with what is in these folders and with the records in `games`.
    ///
    /// # Errors
    /// If a key or a secret that is here is another than that of the copy, or if a file that is here cannot be read.
    pub fn of(copy: &'a HomeCopy, folders: &'a Folders, games: &Path) -> Result<Self, BackupFault> {
        let mut plan = copy.planned(folders, games)?;
        let secret = |path: &str| path.starts_with("data/keys/own") || path.starts_with("data/secrets/");
        if let Some(one) = plan.iter().find(|one| one.fate == Fate::Differs && secret(&one.file.path)) {
            return Err(BackupFault::There(one.to.clone()));
        }
        plan.sort_by_key(|one| place_of(&one.file.path));
        Ok(Self { folders, taken: &copy.taken, doubtful: changed_games(&plan), keys: new_keys(&plan), plan })
    }

    /// Writes what the copy brings. What could be signed with comes last: before it stands which games and keys came from a copy, so that
    /// nothing is signed twice.
    ///
    /// # Errors
    /// The errors of the system, and if a file has changed since it was looked at. The same restoring, made anew, goes on where this one
    /// stopped.
    pub fn write(&self) -> Result<(), FileError> {
        let restored = Restored::new(self.folders);
        if !self.doubtful.is_empty() {
            restored.mark(&self.doubtful, self.taken)?;
        }
        if !self.keys.is_empty() {
            restored.mark_keys(&self.keys, self.taken)?;
        }
        self.plan.iter().try_for_each(|one| one.restore(&self.folders.disk))
    }

    /// How many files are written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.count(Fate::New) + self.count(Fate::Continued)
    }

    /// How many files have this fate.
    #[must_use]
    pub fn count(&self, fate: Fate) -> usize {
        self.plan.iter().filter(|one| one.fate == fate).count()
    }

    /// The files that stay as they are, because they are others than those of the copy: what the copy calls them, and where they are.
    pub fn differing(&self) -> impl Iterator<Item = (&str, &Path)> {
        let differing = self.plan.iter().filter(|one| one.fate == Fate::Differs);
        differing.map(|one| (one.file.path.as_str(), one.to.as_path()))
    }
}

/// Orders what is restored: what says that something was signed comes before what can sign.
fn place_of(path: &str) -> u8 {
    match path {
        _ if path.starts_with("data/signed/") => 0,
        _ if path.starts_with("data/keys/") => 4,
        "settings.yaml" => 3,
        _ if path.starts_with("data/") => 1,
        _ => 2,
    }
}

/// The games of a plan whose state changes by it, or is not known any more.
fn changed_games(plan: &[Planned<'_>]) -> BTreeSet<String> {
    let changes = |one: &&Planned<'_>| match one.fate {
        Fate::New | Fate::Continued => true,
        // Two journals that have parted: neither has all that was signed.
        Fate::Differs => one.file.path.starts_with("data/signed/"),
        Fate::Here => false,
    };
    plan.iter().filter(changes).filter_map(Planned::game).collect()
}

/// The fingerprints of the keys that a plan brings.
fn new_keys(plan: &[Planned<'_>]) -> Vec<String> {
    let brings = |one: &&Planned<'_>| one.fate == Fate::New && one.file.path.starts_with("data/keys/");
    let text = |one: &Planned<'_>| String::from_utf8(one.file.bytes.to_vec()).map(Zeroizing::new).ok();
    let keys = plan.iter().filter(brings).filter_map(text);
    keys.filter_map(|text| Some(OwnKey::read(&text).ok()?.public().fingerprint())).collect()
}
