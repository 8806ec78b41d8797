//! An mbox: messages one after another, each below a `From …` line. Lines of a message that begin the same way are
//! escaped with `>`.

use std::io::{self, BufRead};
use std::path::Path;

use memchr::{memchr, memmem};

use super::taker::{InboxError, Taker};
use crate::mail::incoming::MAX_MESSAGE;
use crate::store::Mark;
use crate::text::printable;

/// How much memory is kept from one message to the next, in bytes.
const KEPT: usize = 1 << 20;

/// Passes on each message of an mbox. If it `grows`, a last message that is not whole is left for the next run.
pub(super) fn each<T: Taker>(mut reader: impl BufRead, path: &Path, grows: bool, taker: &mut T) -> Result<(), T::Stop> {
    let name = printable(&path.to_string_lossy()).into_owned();
    let failed = |error| InboxError::Io(path.to_owned(), error);
    let (mut message, mut line) = (Vec::new(), Vec::new());
    let mut count = 0_u64;
    let (mut after_blank, mut ended) = (true, true);
    loop {
        line.clear();
        let more = read_line(&mut reader, &mut line).map_err(failed)?;
        let begins = more && after_blank && line.starts_with(b"From ");
        if (begins || !more) && count > 0 {
            // The empty line before the next message belongs to the mailbox.
            let own = message.strip_suffix(b"\n").filter(|own| own.ends_with(b"\n")).unwrap_or(&message);
            let mark = Mark::of(&[b"mbox", own]);
            let place = format!("{name}, message {count}");
            if !more && grows && !(ended && is_closed(own)) {
                taker.pass(&InboxError::Unfinished(place));
            } else if !taker.knows(&mark) {
                taker.take(&place, Some(mark), own)?;
            }
            message.clear();
            message.shrink_to(KEPT);
            line.shrink_to(KEPT);
        }
        if !more {
            return Ok(());
        }
        after_blank = matches!(&line[..], b"\n" | b"\r\n");
        ended = line.ends_with(b"\n");
        if begins {
            count += 1;
            continue;
        }
        let stuffed = line.iter().take_while(|&&byte| byte == b'>').count();
        let from = line.get(stuffed..).is_some_and(|rest| rest.starts_with(b"From "));
        let text = if stuffed > 0 && from { line.get(1..).unwrap_or_default() } else { &line };
        let room = (MAX_MESSAGE + 1).saturating_sub(message.len());
        message.extend_from_slice(text.get(..room).unwrap_or(text));
    }
}

/// Returns whether a message has the last boundary that its header announces, if it announces any.
fn is_closed(message: &[u8]) -> bool {
    const PARAMETER: &[u8] = b"boundary=";
    let head = memmem::find(message, b"\n\n").or_else(|| memmem::find(message, b"\n\r\n"));
    // Without a body, the header itself may be cut off.
    let Some((head, body)) = head.and_then(|at| message.split_at_checked(at)) else { return false };
    let Some(at) = memmem::find(&head.to_ascii_lowercase(), PARAMETER) else { return true };
    let value = head.get(at + PARAMETER.len()..).unwrap_or_default();
    let boundary = match value.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|&byte| byte == b'"').next(),
        None => value.split(|&byte| byte == b';' || byte.is_ascii_whitespace()).next(),
    };
    let last = [b"\n--", boundary.unwrap_or_default(), b"--"].concat();
    memmem::find(body, &last).is_some()
}

/// Reads a line with its end; of a line longer than a message may be, only that much. Returns whether there was one.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let mut any = false;
    loop {
        let buffer = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            filled => filled?,
        };
        if buffer.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = memchr(b'\n', buffer).map(|at| at + 1);
        let length = end.unwrap_or(buffer.len());
        let part = buffer.get(..length).unwrap_or_default();
        let room = (MAX_MESSAGE + 1).saturating_sub(line.len());
        line.extend_from_slice(part.get(..room).unwrap_or(part));
        reader.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}
