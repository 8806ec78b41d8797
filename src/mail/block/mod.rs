//! Entries as a block of text, for letters without attachments (B1 to B7 of `notation/mail.md`): written, found in what mail programs
//! have made of it, and joined to the record that it continues. Pure.

mod scan;

pub use scan::{Damaged, Found, find};

use std::fmt;

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use sha2::{Digest as _, Sha256};

use crate::desk::Desk;
use crate::record::{Entry, Item};
use crate::sealing::{Digest, Link, begin};
use crate::text::is_forbidden;
use crate::verdict::{self, Opened};

/// The most bytes of lines in a block (B4); the longest line of a record has half as many.
pub const MAX_LINES: usize = 128 << 10;
/// How many letters of base64 stand on a line (B1).
const WIDTH: usize = 64;
/// How the line of a signature begins (Z31).
const SIGNATURE_LINE: &str = "  ~ ";
/// The forms of the lines: as they are, and compressed (B3).
const PLAIN: u8 = 1;
const DEFLATED: u8 = 2;
/// How many bytes of a digest the check at the end has (B5).
const CHECK: usize = 4;
/// How many bytes of a digest the last line repeats (B1).
pub(super) const END: usize = 8;

/// New entries of one game, with the digest that they continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The game's id.
    pub game: String,
    /// The number of the first entry.
    pub first: u32,
    /// The number of the last one.
    pub last: u32,
    /// The digest of the record before the first entry (Z30).
    before: Digest,
    /// The digest after the last one.
    after: Digest,
    /// The lines of the entries, with their signatures and the result of the game if it has one, each with its end.
    lines: String,
}

/// Why a block cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Its first line names no game, or no entries of it.
    Begin,
    /// Its last line is missing.
    End,
    /// What stands in it is not what was written.
    Changed,
    /// It has a form that is not known here.
    Form,
    /// It holds more than a block may.
    Large,
    /// It holds something other than the entries that it names.
    Lines,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begin => "its first line does not name a game and its entries (B1)",
            Self::End => "its last line is missing or changed, as if it had been cut off (B1)",
            Self::Changed => "it was changed on the way: its check does not fit (B5)",
            Self::Form => "it has a form that this version does not know (B3)",
            Self::Large => "it holds over 128 KiB of entries (B4)",
            Self::Lines => "it does not hold just the entries that it names (B2)",
        })
    }
}

/// Why a block does not continue a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The record here cannot be read.
    Here,
    /// The record here ends before the entry that comes before the block's first; it has so many.
    Missing {
        /// How many entries are here.
        have: u32,
    },
    /// What the record here has before the block's first entry is not what the block continues.
    Parted,
}

impl Block {
    /// The entries of a record from `first` on; `None` if there is none, or if they are more than a block holds.
    #[must_use]
    pub fn of(desk: &Desk<'_>, first: u32) -> Option<Self> {
        let last = desk.opened.table.standing().entries;
        let (before, after) = (*desk.digests.get(first.checked_sub(1)?)?, *desk.digests.get(last)?);
        let lines = written(&desk.opened, first, last, (before, after))?;
        (first <= last && lines.len() <= MAX_LINES).then(|| Self {
            game: desk.opened.header.id.to_string(),
            first,
            last,
            before,
            after,
            lines,
        })
    }

    /// Writes the block, with a line end behind each of its lines (B1).
    #[must_use]
    pub fn text(&self) -> String {
        let mut bytes = Vec::with_capacity(self.lines.len() / 2 + 64);
        let packed = deflated(self.lines.as_bytes());
        let is_shorter = packed.len() < self.lines.len();
        bytes.push(if is_shorter { DEFLATED } else { PLAIN });
        bytes.extend_from_slice(&self.before);
        bytes.extend_from_slice(if is_shorter { &packed } else { self.lines.as_bytes() });
        let check = check(&bytes);
        bytes.extend_from_slice(&check);
        let letters = BASE64.encode(&bytes);
        let mut text = format!("-----BEGIN PBEM ENTRIES {} {}-{}-----\n", self.game, self.first, self.last);
        let mut rest = letters.as_str();
        while !rest.is_empty() {
            let (line, behind) = rest.split_at(rest.len().min(WIDTH));
            text.push_str(line);
            text.push('\n');
            rest = behind;
        }
        text.push_str(&format!("-----END PBEM ENTRIES {}-----\n", HEXLOWER.encode(&end(&self.after))));
        text
    }

    /// Reads what stands between the two lines of a block, as letters of base64 without padding, and holds it to them.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(game: String, (first, last): (u32, u32), letters: &str, ends: [u8; END]) -> Result<Self, Fault> {
        // A third more than the bytes, and these are hardly more than the lines.
        if letters.len() > (MAX_LINES + 64) / 3 * 4 {
            return Err(Fault::Large);
        }
        let bytes = BASE64_NOPAD.decode(letters.as_bytes()).map_err(|_| Fault::Changed)?;
        let (bytes, said) = bytes.split_last_chunk::<CHECK>().ok_or(Fault::Changed)?;
        if check(bytes) != *said {
            return Err(Fault::Changed);
        }
        let (&form, rest) = bytes.split_first().ok_or(Fault::Changed)?;
        let (before, rest) = rest.split_first_chunk::<32>().ok_or(Fault::Changed)?;
        let lines = match form {
            PLAIN if rest.len() <= MAX_LINES => rest.to_vec(),
            PLAIN => return Err(Fault::Large),
            DEFLATED => inflated(rest)?,
            _ => return Err(Fault::Form),
        };
        let lines = String::from_utf8(lines).map_err(|_| Fault::Lines)?;
        let after = chained(&lines, (first, last), *before).ok_or(Fault::Lines)?;
        if end(&after) != ends {
            return Err(Fault::End);
        }
        Ok(Self { game, first, last, before: *before, after, lines })
    }

    /// Returns the record `here` up to the entry before the block's first, followed by the block's lines: what its sender would have
    /// attached, as far as this record agrees with it.
    ///
    /// # Errors
    /// Why the block does not continue it.
    pub fn continued(&self, here: &[u8]) -> Result<Vec<u8>, Gap> {
        let end = self.place(here)?;
        let mut record = here.get(..end).unwrap_or_default().to_vec();
        if !record.ends_with(b"\n") {
            record.push(b'\n');
        }
        record.extend_from_slice(self.lines.as_bytes());
        Ok(record)
    }

    /// Where the entry before the block's first ends in a record.
    fn place(&self, here: &[u8]) -> Result<usize, Gap> {
        let mut opened = Opened::new(here).map_err(|_| Gap::Here)?;
        let header = opened.frame.header.text(opened.text);
        let (mut as_written, mut place, mut count) = (begin(header), opened.frame.body.start as usize, 0);
        let mut body = opened.body();
        let mut before = Vec::new();
        while count + 1 < self.first
            && let Some(entry) = next(&mut body)
        {
            count += 1;
            as_written = as_written.then(entry.span.text(opened.text));
            place = behind(opened.text, &entry);
            before.push(entry);
        }
        if count + 1 < self.first {
            return Err(Gap::Missing { have: count });
        }
        if as_written.digest() == self.before {
            return Ok(place);
        }
        // Only the canonical spelling counts, for which the game is needed.
        let mut link = begin(opened.frame.header.text(opened.text));
        for (entry, number) in before.iter().zip(1..) {
            link = link.then(&verdict::line(&opened, entry, number));
            if opened.table.pass(opened.text, entry).is_err() {
                return Err(Gap::Here);
            }
        }
        if link.digest() == self.before { Ok(place) } else { Err(Gap::Parted) }
    }
}

/// Returns the lines of the entries from `first` to `last` in canonical spelling, with their signatures, and the result if there is one.
/// `known`: the digests before and after them, from which it shows whether the record is spelled so.
fn written(opened: &Opened<'_>, first: u32, last: u32, known: (Digest, Digest)) -> Option<String> {
    let mut fresh: Option<Opened<'_>> = None;
    loop {
        let mut lines = String::new();
        let mut body = opened.body();
        let (mut number, mut link) = (0, Link::at(known.0));
        while let Some(item) = body.next_item() {
            match item {
                Item::Entry(entry) => {
                    number += 1;
                    let line = match &mut fresh {
                        None => entry.span.text(opened.text).to_owned(),
                        Some(fresh) => {
                            let line = verdict::line(fresh, &entry, number);
                            fresh.table.pass(opened.text, &entry).ok()?;
                            line
                        }
                    };
                    if number < first {
                        continue;
                    }
                    link = link.then(&line);
                    lines.push_str(&line);
                    lines.push('\n');
                    if let Some(signature) = entry.signature {
                        lines.push_str(SIGNATURE_LINE);
                        lines.push_str(signature.text(opened.text));
                        lines.push('\n');
                    }
                }
                Item::Result(span) => {
                    lines.push_str(span.text(opened.text));
                    lines.push('\n');
                }
                Item::Blank(_) | Item::Remark(_) => {}
            }
        }
        if number == last && link.digest() == known.1 {
            return Some(lines);
        }
        if fresh.is_some() {
            return None;
        }
        fresh = Some(Opened::new(opened.text.as_bytes()).ok()?);
    }
}

/// The chain after lines that are just these entries, with their signatures and a result behind the last; `None` if they are anything
/// else (B2). Whether the entries are any good is judged with the record.
fn chained(lines: &str, (first, last): (u32, u32), before: Digest) -> Option<Digest> {
    if first == 0 || last < first || !lines.ends_with('\n') || lines.contains(|c| c != '\n' && is_forbidden(c)) {
        return None;
    }
    let (mut link, mut next, mut may_be_signed, mut is_over) = (Link::at(before), first, false, false);
    for line in lines.lines() {
        if is_over {
            return None;
        }
        if line.starts_with(SIGNATURE_LINE) {
            if !std::mem::take(&mut may_be_signed) {
                return None;
            }
        } else if line.starts_with("= ") {
            is_over = true;
        } else {
            let (number, rest) = line.split_once(' ')?;
            if number != next.to_string() || rest.is_empty() || next > last {
                return None;
            }
            link = link.then(line);
            next = next.checked_add(1)?;
            may_be_signed = true;
        }
    }
    (next == last.checked_add(1)?).then(|| link.digest())
}

fn next(body: &mut crate::record::Body<'_>) -> Option<Entry> {
    std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
        Item::Entry(entry) => Some(entry),
        _ => None,
    })
}

/// Where the line behind an entry and its signature begins.
fn behind(text: &str, entry: &Entry) -> usize {
    let end = entry.signature.unwrap_or(entry.span).end as usize;
    text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1)
}

fn check(bytes: &[u8]) -> [u8; CHECK] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn end(digest: &Digest) -> [u8; END] {
    digest.first_chunk().copied().unwrap_or_default()
}

/// Compresses (RFC 1951).
fn deflated(bytes: &[u8]) -> Vec<u8> {
    // What does not fit is not shorter, and thrown away.
    let mut out = Vec::with_capacity(bytes.len() + 64);
    match Compress::new(Compression::best(), false).compress_vec(bytes, &mut out, FlushCompress::Finish) {
        Ok(Status::StreamEnd) => out,
        _ => bytes.to_vec(),
    }
}

/// Unpacks what [`deflated`] has made, as much as a block may hold.
fn inflated(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::with_capacity(MAX_LINES + 1);
    let mut unpacking = Decompress::new(false);
    match unpacking.decompress_vec(bytes, &mut out, FlushDecompress::Finish) {
        _ if out.len() > MAX_LINES => Err(Fault::Large),
        Ok(Status::StreamEnd) if unpacking.total_in() == bytes.len() as u64 => Ok(out),
        Ok(_) | Err(_) => Err(Fault::Changed),
    }
}
