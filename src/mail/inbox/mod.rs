//! Where messages come from: standard input, files, mboxes, Maildirs, a mail server. All of them are only read, and
//! each message is passed on as it arrives, so a mailbox of any size takes the memory of one message.

#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod imap;
#[cfg(feature = "cli")]
mod maildir;
#[cfg(feature = "cli")]
mod mbox;

use std::fmt;
use std::io;
use std::path::PathBuf;

#[cfg(any(doc, feature = "cli"))]
use super::incoming::MAX_MESSAGE;
use crate::record::Time;
use crate::store::Mark;
use crate::text::printable;

#[cfg(feature = "cli")]
use files::capped;
#[cfg(feature = "cli")]
pub use files::{is_mbox, one, path};
#[cfg(feature = "cli")]
pub use imap::{ImapError, ImapStep, imap, probe};

/// Receives messages as they arrive.
pub trait Taker {
    /// What ends the reading.
    type Stop: From<InboxError>;

    /// Returns whether a message was read before, so that it need not be fetched.
    fn knows(&self, mark: &Mark) -> bool;

    /// Hears when the player's mail server took the message that comes next, if the server says so.
    fn arrived(&mut self, _at: Option<Time>) {}

    /// Takes a message; if it is larger than [`MAX_MESSAGE`], only that much and one byte. `place` tells people where
    /// it was; `mark` is what to note once it has been read, if that is useful.
    ///
    /// # Errors
    /// The error that ends the reading.
    fn take(&mut self, place: &str, mark: Option<Mark>, message: &[u8]) -> Result<(), Self::Stop>;

    /// Reports a message that cannot be read; the others still can.
    fn pass(&mut self, fault: &InboxError);
}

/// Why a mailbox could not be read.
#[derive(Debug)]
pub enum InboxError {
    /// A file or a folder.
    Io(PathBuf, io::Error),
    /// A folder that is not a Maildir.
    NoMaildir(PathBuf),
    /// The last message of a mailbox that is being written; the place of the message.
    Unfinished(String),
    /// A mail server.
    #[cfg(feature = "cli")]
    Imap(ImapError),
}

impl fmt::Display for InboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{} cannot be read: {error}", printable(&path.to_string_lossy())),
            Self::NoMaildir(path) => {
                write!(f, "{} is a folder without `new` and `cur`, and so no Maildir", path.display())
            }
            Self::Unfinished(place) => {
                write!(f, "{place}: it ends in the middle, as if it were still being written; the next run reads it")
            }
            #[cfg(feature = "cli")]
            Self::Imap(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InboxError {}

impl InboxError {
    /// Returns whether another attempt may succeed; not if there is no mailbox of that name.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io(_, error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            Self::NoMaildir(_) => false,
            Self::Unfinished(_) => true,
            #[cfg(feature = "cli")]
            Self::Imap(error) => !matches!(error, ImapError::NotSet),
        }
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests;
