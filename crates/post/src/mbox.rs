//! An mbox: messages one after another, each below a `From …` line. Lines of a message that begin the same way are
//! escaped with `>`, or the header says how long the message is (`Content-Length`), or neither.

mod postmark;

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::{memchr, memmem};

use postmark::{begins_message, is_dated};
use postrider_home::receive::inbox::taker::{InboxError, Taker};
use postrider_home::receive::received::Mark;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_mail::incoming::MAX_MESSAGE;

/// How much memory is kept from one message to the next, in bytes.
const KEPT: usize = 1 << 20;
/// How much is read where a message should end to see whether it does, in bytes.
const GLIMPSE: u64 = 256;

/// Passes on each message of an mbox. If it `grows`, a last message that is not whole is left for the next run.
pub(crate) fn each<T: Taker>(
    reader: impl BufRead + Seek,
    path: &Path,
    grows: bool,
    taker: &mut T,
) -> Result<(), T::Stop> {
    let name = printable(&path_text(path)).into_owned();
    let failed = |error| InboxError::Io(path.to_owned(), error);
    let mut lines = Lines { reader, line: Vec::new(), next: Vec::new(), ahead: false, more: true };
    let mut message = Vec::new();
    let mut count = 0_u64;
    // The line above the first message.
    lines.advance().map_err(failed)?;
    while lines.more {
        count += 1;
        let whole = lines.message(&mut message).map_err(failed)?;
        let mark = Mark::of(&[b"mbox", &message]);
        let place = format!("{name}, message {count}");
        if !lines.more && grows && !(whole && is_closed(&message)) {
            taker.pass(&InboxError::Unfinished(place));
        } else if !taker.knows(&mark) {
            taker.take(&place, Some(mark), &message)?;
        }
        message.clear();
        message.shrink_to(KEPT);
        lines.line.shrink_to(KEPT);
        lines.next.shrink_to(KEPT);
    }
    Ok(())
}

/// The lines of an mbox, with a look at the one that follows.
struct Lines<R> {
    reader: R,
    /// The present line with its end.
    line: Vec<u8>,
    /// The next line, if it was looked at.
    next: Vec<u8>,
    ahead: bool,
    /// Whether there is a present line.
    more: bool,
}

impl<R: BufRead + Seek> Lines<R> {
    /// Goes on to the next line.
    fn advance(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.ahead) {
            std::mem::swap(&mut self.line, &mut self.next);
            self.more = !self.line.is_empty();
            return Ok(());
        }
        self.line.clear();
        self.more = read_line(&mut self.reader, &mut self.line)?;
        Ok(())
    }

    /// Collects the message below the present line, and goes on to the line above the next one. Returns whether it ends with a line end.
    fn message(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        let (mut blank, mut in_header, mut ended) = (true, true, true);
        loop {
            self.advance()?;
            if !self.more {
                without_gap(message);
                return Ok(ended);
            }
            let was_blank = std::mem::replace(&mut blank, matches!(&self.line[..], b"\n" | b"\r\n"));
            if self.line.starts_with(b"From ") && !self.is_own(was_blank)? {
                without_gap(message);
                return Ok(true);
            }
            ended = self.line.ends_with(b"\n");
            append(message, unescaped(&self.line));
            if in_header && blank {
                in_header = false;
                if let Some(length) = content_length(message)
                    && self.ends_after(length)?
                {
                    return self.counted(message, length);
                }
            }
        }
    }

    /// Whether the present line, which begins like one above a message, belongs to a message all the same.
    fn is_own(&mut self, after_blank: bool) -> io::Result<bool> {
        if !self.ahead {
            self.next.clear();
            read_line(&mut self.reader, &mut self.next)?;
            self.ahead = true;
        }
        if self.next.is_empty() && is_dated(&self.line) {
            // Nothing is below it yet.
            return Ok(false);
        }
        Ok(!begins_message(&self.line, &self.next, after_blank))
    }

    /// Whether a message ends so many bytes further on: there is nothing more, or the line above another message.
    fn ends_after(&mut self, length: u64) -> io::Result<bool> {
        // Where it cannot be looked ahead, nothing can be said.
        let (false, Ok(here)) = (self.ahead, self.reader.stream_position()) else { return Ok(false) };
        let mut seen = Vec::new();
        // From the last byte of the body on, which may be its line end.
        let there = (here + length).saturating_sub(1);
        if self.reader.seek(SeekFrom::Start(there)).is_ok() {
            let read = self.reader.by_ref().take(GLIMPSE).read_to_end(&mut seen);
            self.reader.seek(SeekFrom::Start(here))?;
            read?;
        }
        let Some((last, mut rest)) = seen.split_first() else { return Ok(false) };
        let mut ended = *last == b'\n';
        for end in [&b"\n"[..], b"\r\n", b"\n", b"\r\n"] {
            if let Some(behind) = rest.strip_prefix(end) {
                (rest, ended) = (behind, true);
            }
        }
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(rest.is_empty() || (ended && line.starts_with(b"From ") && is_dated(line)))
    }

    /// Collects a body whose length is known, with no line of it taken for that above another message.
    fn counted(&mut self, message: &mut Vec<u8>, length: u64) -> io::Result<bool> {
        let mut body = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut body)?;
        // Where the length is all that separates messages, nothing is escaped.
        let bare = body.starts_with(b"From ") || memmem::find(&body, b"\nFrom ").is_some();
        for line in body.split_inclusive(|&byte| byte == b'\n') {
            append(message, if bare { line } else { unescaped(line) });
        }
        let mut ended = body.is_empty() || body.ends_with(b"\n");
        loop {
            self.advance()?;
            if !matches!(&self.line[..], b"\n" | b"\r\n") {
                return Ok(true);
            }
            if !std::mem::replace(&mut ended, true) {
                append(message, &self.line);
            }
        }
    }
}

/// Removes the empty line before the next message, which belongs to the mailbox.
fn without_gap(message: &mut Vec<u8>) {
    if message.ends_with(b"\n\n") {
        message.pop();
    }
}

/// Adds a line to a message, which is kept up to a byte more than a message may have.
fn append(message: &mut Vec<u8>, line: &[u8]) {
    let room = (MAX_MESSAGE + 1).saturating_sub(message.len());
    message.extend_from_slice(line.get(..room).unwrap_or(line));
}

/// A line without the `>` that was put before `From `.
fn unescaped(line: &[u8]) -> &[u8] {
    let stuffed = line.iter().take_while(|&&byte| byte == b'>').count();
    let from = line.get(stuffed..).is_some_and(|rest| rest.starts_with(b"From "));
    if stuffed > 0 && from { line.get(1..).unwrap_or_default() } else { line }
}

/// The length of the body that the header lines name, if it is one that a message may have.
fn content_length(head: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"content-length:";
    let line = head
        .split(|&byte| byte == b'\n')
        .find(|line| line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME)))?;
    let length: u64 = std::str::from_utf8(line.get(NAME.len()..)?).ok()?.trim().parse().ok()?;
    (length <= MAX_MESSAGE as u64).then_some(length)
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
