//! Where messages come from: standard input, files, mboxes, Maildirs, a mail server. All of them are only read, and
//! each message is passed on as it arrives, so a mailbox of any size takes the memory of one message.

mod imap;
mod maildir;
mod mbox;

use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::incoming::MAX_MESSAGE;
use crate::record::Time;
use crate::store::Mark;
use crate::text::printable;

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
            Self::Imap(error) => !matches!(error, ImapError::NotSet),
        }
    }
}

/// How much is read and thrown away behind a message that is too large.
const DRAINED: u64 = 1 << 30;
/// How long a mailbox that ends in the middle of a message counts as being written, after it was last changed.
const GROWING: Duration = Duration::from_secs(10 * 60);

/// Reads one message, to its end, from standard input or the like; stopping earlier would leave the writer with a
/// broken pipe. Only of an endless one, the rest is not read.
///
/// # Errors
/// The errors of the taker or of the system.
pub fn one<T: Taker>(mut input: impl Read, place: &str, taker: &mut T) -> Result<(), T::Stop> {
    let failed = |error| InboxError::Io(PathBuf::from(place), error);
    let message = crate::text::without_utf16(capped(&mut input).map_err(failed)?);
    io::copy(&mut input.take(DRAINED), &mut io::sink()).map_err(failed)?;
    taker.take(place, None, without_postmark(&message))
}

/// Reads a Maildir, an mbox or a single message at `path`.
///
/// # Errors
/// The errors of the taker or of the system.
pub fn path<T: Taker>(path: &Path, taker: &mut T) -> Result<(), T::Stop> {
    let failed = |error| InboxError::Io(path.to_owned(), error);
    if path.is_dir() {
        return maildir::each(path, taker);
    }
    let file = crate::store::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    let grows = about.is_file() && about.modified().is_ok_and(|changed| crate::store::age(changed) < GROWING);
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let place = printable(&path.to_string_lossy()).into_owned();
    let begins = io::BufRead::fill_buf(&mut reader).map_err(failed)?;
    if begins.starts_with(b"From ") {
        return mbox::each(reader, path, grows, taker);
    }
    let message = capped(&mut reader).map_err(failed)?;
    taker.take(&place, None, &message)
}

/// Returns whether a file is an mbox and not a single message.
#[must_use]
pub fn is_mbox(path: &Path) -> bool {
    let mut begins = [0; 5];
    path.is_file()
        && crate::store::open(path).is_ok_and(|mut file| file.read_exact(&mut begins).is_ok())
        && &begins == b"From "
}

/// Reads a message, or of a larger one a byte more than a message may have.
fn capped(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    input.take(MAX_MESSAGE as u64 + 1).read_to_end(&mut message)?;
    Ok(message)
}

/// Returns a message without the `From …` line that delivery agents put before it.
fn without_postmark(message: &[u8]) -> &[u8] {
    // With a colon after the space, it is a header line that only someone who wants to deceive would write.
    if !message.starts_with(b"From ") || message.starts_with(b"From :") {
        return message;
    }
    let end = memchr::memchr(b'\n', message).map_or(message.len(), |length| length + 1);
    message.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
