//! Who takes messages, and why a mailbox could not be read.

use std::fmt;
use std::io;
#[cfg(any(unix, windows))]
use std::io::Read;
use std::path::PathBuf;

#[cfg(any(unix, windows))]
use super::fault::ImapError;
use crate::receive::received::Mark;
use postrider_kernel::text::printable;
#[cfg(any(doc, any(unix, windows)))]
use postrider_mail::incoming::MAX_MESSAGE;
use postrider_referee::record::Time;

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
    #[cfg(any(unix, windows))]
    Imap(ImapError),
    /// One message on a mail server, and why it was not handed out.
    #[cfg(any(unix, windows))]
    Message(String, ImapError),
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
            #[cfg(any(unix, windows))]
            Self::Imap(error) => error.fmt(f),
            #[cfg(any(unix, windows))]
            Self::Message(place, error) => {
                write!(f, "{place}: {error}; the others are read, and the next run asks for this one again")
            }
        }
    }
}

impl std::error::Error for InboxError {}

impl InboxError {
    /// The place of what could not be read, the same each time.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Io(path, _) | Self::NoMaildir(path) => path.to_string_lossy().into_owned(),
            Self::Unfinished(place) => place.clone(),
            #[cfg(any(unix, windows))]
            Self::Imap(error) => error.to_string(),
            #[cfg(any(unix, windows))]
            Self::Message(place, _) => place.clone(),
        }
    }

    /// Returns whether another attempt may succeed; not if there is no mailbox of that name.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io(_, error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            Self::NoMaildir(_) => false,
            Self::Unfinished(_) => true,
            #[cfg(any(unix, windows))]
            Self::Message(..) => true,
            #[cfg(any(unix, windows))]
            Self::Imap(error) => !matches!(error, ImapError::NotSet),
        }
    }
}

/// Reads a message, or of a larger one a byte more than a message may have.
#[cfg(any(unix, windows))]
pub fn capped(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    input.take(MAX_MESSAGE as u64 + 1).read_to_end(&mut message)?;
    Ok(message)
}
