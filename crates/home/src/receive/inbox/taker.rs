//! The taker of messages, and the faults of a mailbox.

use std::io;
use std::io::Read;
use std::path::PathBuf;

use thiserror::Error;

use super::fault::ImapError;
use crate::receive::received::Mark;
use postrider_kernel::text::printable;
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
#[derive(Debug, Error)]
pub enum InboxError {
    /// A file or a folder.
    #[error("{} cannot be read: {}", printable(&.0.to_string_lossy()), .1)]
    Io(PathBuf, io::Error),
    /// A folder that is not a Maildir.
    #[error("{} is a folder without `new` and `cur`, and so no Maildir", .0.display())]
    NoMaildir(PathBuf),
    /// The last message of a mailbox that is being written; the place of the message.
    #[error("{0}: it ends in the middle, as if it were still being written; the next run reads it")]
    Unfinished(String),
    /// A mail server.
    #[error("{0}")]
    Imap(ImapError),
    /// One message on a mail server, and why it was not handed out.
    #[error("{0}: {1}; the others are read, and the next run asks for this one again")]
    Message(String, ImapError),
}

impl InboxError {
    /// The place of what could not be read, the same each time.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Io(path, _) | Self::NoMaildir(path) => path.to_string_lossy().into_owned(),
            Self::Unfinished(place) => place.clone(),
            Self::Imap(error) => error.to_string(),
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
            Self::Message(..) => true,
            Self::Imap(error) => !matches!(error, ImapError::NotSet),
        }
    }
}

/// Reads a message, or of a larger one a byte more than a message may have.
pub fn capped(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    input.take(MAX_MESSAGE as u64 + 1).read_to_end(&mut message)?;
    Ok(message)
}
