//! Standard input and files: single messages, mboxes and Maildirs.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{maildir, mbox};
use postrider_home::receive::inbox::taker::{InboxError, Taker, capped};
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;

/// How much is read and thrown away behind a message that is too large.
const DRAINED: u64 = 1 << 30;
/// How long a mailbox that ends in the middle of a message counts as being written, after it was last changed.
pub(crate) const GROWING: Duration = Duration::from_secs(10 * 60);

/// Reads one message, to its end, from standard input or the like; stopping earlier would leave the writer with a
/// broken pipe. Only of an endless one, the rest is not read.
///
/// # Errors
/// The errors of the taker or of the system.
pub fn one<T: Taker>(mut input: impl Read, place: &str, taker: &mut T) -> Result<(), T::Stop> {
    let failed = |error| InboxError::Io(PathBuf::from(place), error);
    let message = postrider_kernel::text::without_utf16(capped(&mut input).map_err(failed)?);
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
    let file = postrider_disk::files::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    let grows = about.is_file() && about.modified().is_ok_and(|changed| postrider_disk::clock::age(changed) < GROWING);
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let place = printable(&path_text(path)).into_owned();
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
        && postrider_disk::files::open(path).is_ok_and(|mut file| file.read_exact(&mut begins).is_ok())
        && &begins == b"From "
}

/// Returns a message without the `From …` line that delivery agents put before it.
pub(crate) fn without_postmark(message: &[u8]) -> &[u8] {
    // With a colon after the space, it is a header line that only someone who wants to deceive would write.
    if !message.starts_with(b"From ") || message.starts_with(b"From :") {
        return message;
    }
    let end = memchr::memchr(b'\n', message).map_or(message.len(), |length| length + 1);
    message.get(end..).unwrap_or_default()
}
