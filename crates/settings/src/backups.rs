//! Backups that are made by themselves.

use std::path::PathBuf;

use serde::Deserialize;
use serde_yaml::Spanned;

use super::{Fault, resolve, words};
use postrider_disk::folders::Folders;

/// How many are kept if nothing is said.
const KEEP: u16 = 10;
/// The most that can be kept.
const MOST: u16 = 1000;

/// A backup after each run that has signed or sealed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSettings {
    /// The folder in which each is a file of its own.
    pub to: PathBuf,
    /// The program that prints its passphrase, and its arguments.
    pub command: Vec<String>,
    /// How many are kept: older ones are removed.
    pub keep: u16,
}

/// The part `backup` of the settings file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenBackup {
    to: Option<Spanned<String>>,
    passphrase_command: Option<Spanned<Vec<String>>>,
    keep: Option<Spanned<u16>>,
}

impl WrittenBackup {
    /// Settles it; `of_key`: the program that prints the passphrase of the key, which serves backups too unless they name one.
    pub(super) fn settled(
        written: Spanned<Self>,
        of_key: &[String],
        folders: &Folders,
    ) -> Result<BackupSettings, Fault> {
        let (Self { to, passphrase_command, keep }, place) = (written.value, written.referenced);
        let to = to.filter(|to| !to.value.is_empty());
        let to =
            to.ok_or_else(|| Fault(place, "`backup` needs `to`, the folder that backups are written to".to_owned()))?;
        let command = match passphrase_command {
            Some(command) => words(command, "passphrase-command")?,
            None if of_key.is_empty() => {
                let why = "`backup` needs `passphrase-command`: nobody is asked for the passphrase of a backup that is made by itself";
                return Err(Fault(place, why.to_owned()));
            }
            None => of_key.to_vec(),
        };
        let keep = match keep {
            None => KEEP,
            Some(keep) if (1..=MOST).contains(&keep.value) => keep.value,
            Some(keep) => return Err(Fault(keep.referenced, format!("`keep` is a number from 1 to {MOST}"))),
        };
        Ok(BackupSettings { to: resolve(&to.value, folders), command, keep })
    }
}
