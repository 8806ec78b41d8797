//! Why there are no settings.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::remedy::{Remedy, remedy};

/// The environment variable that names one folder for everything.
pub const HOME_VARIABLE: &str = "POSTRIDER_HOME";

/// Why there are no settings.
#[derive(Debug)]
pub enum SettingsError {
    /// No home folder is known.
    NoHome,
    /// The file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// Anyone can write the file, which may name programs to run.
    Writable {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to another user, and may name programs to run.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file contains something that is not allowed.
    Fault {
        /// The file.
        path: PathBuf,
        /// Line and column, both from 1, if known.
        place: Option<(u64, u64)>,
        /// What is wrong, and what would be accepted.
        message: String,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => write!(f, "no home folder is known: set HOME, or {HOME_VARIABLE} to a folder"),
            Self::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Writable { path } => {
                let closed = remedy(Remedy::KeepAllFromWriting, path);
                write!(
                    f,
                    "{} can be written by everybody, and may name programs to run: type `{closed}`",
                    path.display()
                )
            }
            Self::Foreign { path } => {
                write!(f, "{} belongs to another user, and may name programs to run: it is not used", path.display())
            }
            Self::Fault { path, place: Some((line, column)), message } => {
                write!(f, "{}:{line}:{column}: {message}", path.display())
            }
            Self::Fault { path, place: None, message } => write!(f, "{}: {message}", path.display()),
        }
    }
}

impl std::error::Error for SettingsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
