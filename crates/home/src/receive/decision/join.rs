//! Merges a received record into the one here: entries, remarks and secrets, line by line.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;

use memchr::{memchr, memchr_iter, memrchr};

use super::case::{LETTER_ASIDES, RECORD_ASIDES, entries_from};
use postrider_referee::verdict::Opened;

/// Returns the record here followed by the lines of the received one after the last common entry, and how many remarks
/// were left out: those beyond the limit, and secrets while the game runs. Remarks that are here stay, and are not
/// added twice.
pub(super) fn joined(here: &[u8], there: &[u8], tail: usize, is_over: bool) -> (Vec<u8>, usize) {
    let mut record = ended(here);
    let own = own_asides(here);
    let has_result = here.rsplit(|&byte| byte == b'\n').any(|line| line.starts_with(b"= "));
    let mut total: usize =
        here.split_inclusive(|&byte| byte == b'\n').filter(|line| is_aside(line)).map(<[u8]>::len).sum();
    let (mut brought, mut left_out, mut fresh) = (0, 0, false);
    for line in there.get(tail..).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
        if !is_aside(line) {
            // Of two records that agree up to the end, only one has the result line.
            if !(has_result && line.starts_with(b"= ")) {
                record.extend_from_slice(line);
                fresh = true;
            }
            continue;
        }
        if !fresh && own.contains(line.trim_ascii_end()) {
            continue;
        }
        if brought + line.len() > LETTER_ASIDES || total + line.len() > RECORD_ASIDES || (is_secret(line) && !is_over) {
            left_out += usize::from(!line.trim_ascii().is_empty());
            continue;
        }
        brought += line.len();
        total += line.len();
        record.extend_from_slice(line);
    }
    (ended(&record), left_out)
}

/// The remarks, blank lines and result after the last entry, as they are written.
pub(super) fn asides(record: &[u8]) -> &[u8] {
    let mut start = record.len();
    while start > 0 {
        let end = start - usize::from(record.get(start - 1) == Some(&b'\n'));
        let before = record.get(..end).unwrap_or_default();
        let begin = memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = before.get(begin..).unwrap_or_default();
        if !is_aside(line) && !line.starts_with(b"= ") {
            break;
        }
        start = begin;
    }
    record.get(start..).unwrap_or_default()
}

/// The lines of a text without their ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr_iter(b'\n', text).chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end + 1)..end])).map(<[u8]>::trim_ascii_end)
}

/// The different remarks and blank lines after the last entry. There may be hundreds of thousands, and each of a letter is looked
/// up among them.
pub(super) fn own_asides(record: &[u8]) -> HashSet<&[u8]> {
    let asides = asides(record);
    if asides.is_empty() && !record.ends_with(b"\n") {
        return HashSet::new();
    }
    let mut last: &[u8] = b"= ";
    // Millions of times the same remark in a row are one.
    lines(asides).filter(|&line| std::mem::replace(&mut last, line) != line).collect()
}

/// Returns whether the lines from `tail` on contain a remark that is not after the last entry here.
pub(super) fn has_new_asides(here: &[u8], there: &[u8], tail: usize) -> bool {
    let rest = there.get(tail..).unwrap_or_default();
    // Mostly the same lines stand there again, and then perhaps more.
    let same = asides(here).iter().zip(rest).take_while(|(one, other)| one == other).count();
    let known = memrchr(b'\n', rest.get(..same).unwrap_or_default()).map_or(0, |at| at + 1);
    let own = LazyCell::new(|| own_asides(here));
    lines(rest.get(known..).unwrap_or_default()).any(|line| line.starts_with(b"#") && !own.contains(line))
}

/// Returns the beginning of the lines after the last entry; `None` if there is no entry.
pub(super) fn behind_last_entry(opened: &Opened<'_>) -> Option<usize> {
    let entry = entries_from(opened, 1).pop()?;
    let end = entry.signature.unwrap_or(entry.span).end as usize;
    let rest = opened.text.as_bytes().get(end..).unwrap_or_default();
    Some(end + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1))
}

/// Returns whether a line is a remark that publishes a secret, or looks like one.
pub(super) fn is_secret(line: &[u8]) -> bool {
    let text = line.trim_ascii_start().strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
    text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"secret"))
}

pub(super) fn is_aside(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), [] | [b'#', ..])
}

/// Returns a text with its last line ended.
pub(super) fn ended(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text
}

/// Converts lines to LF, as in records that this program writes.
#[must_use]
pub fn unix(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\r', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        // Of two carriage returns one would remain; such a line is malformed either way.
        match line.strip_suffix(b"\r\n").filter(|line| !line.ends_with(b"\r")) {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    // The last line end may have lost its second half.
    if out.ends_with(b"\r") && !out.ends_with(b"\r\r") {
        out.pop();
        out.push(b'\n');
    }
    Cow::Owned(out)
}
