//! Why there are no settings.

use std::io;
use std::path::PathBuf;

use crate::remedy::{Remedy, remedy};

/// The environment variable that names one folder for everything.
pub const HOME_VARIABLE: &str = "POSTRIDER_HOME";

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// No home folder is known.
    #[error("no home folder is known: set HOME, or {} to a folder", HOME_VARIABLE)]
    NoHome,
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// Anyone can write the file, which may name programs to run.
    #[error(
        "{path} can be written by everybody, and may name programs to run: type `{}`",
        remedy(Remedy::KeepAllFromWriting, path)
    )]
    Writable {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to another user, and may name programs to run.
    #[error("{path} belongs to another user, and may name programs to run: it is not used")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file contains something that is not allowed.
    #[error("{path}:{}{message}", place.map_or_else(|| " ".to_owned(), |(line, column)| format!("{line}:{column}: ")))]
    Fault {
        /// The file.
        path: PathBuf,
        /// Line and column, both from 1, if known.
        place: Option<(u64, u64)>,
        /// What is wrong, and what would be accepted.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_settings_begins_with_the_file_and_the_place_if_that_is_known() {
        let said = |place| SettingsError::Fault { path: "a/b".into(), place, message: "no".to_owned() }.to_string();
        assert_eq!(said(Some((3, 7))), "a/b:3:7: no");
        assert_eq!(said(None), "a/b: no");
    }
}
