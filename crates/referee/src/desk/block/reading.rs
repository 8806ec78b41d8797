//! Reading a block, and joining it to the record that it continues (B1 to B5, B7, B8).

use data_encoding::BASE64_NOPAD;
use flate2::{Decompress, FlushDecompress, Status};

use super::{Block, CHECK, END, ENTRIES, GAME, MAX_LINES, SIGNATURE_LINE, check, end};
use crate::record::{Entry, Item};
use crate::sealing::{Digest, Link, begin};
use crate::verdict;
use crate::verdict::Opened;
use postrider_kernel::text::is_forbidden;

/// Why a block cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its first line names no game, or no entries of it.
    #[error("its first line does not name a game and its entries (B1)")]
    Begin,
    /// Its last line is missing.
    #[error("its last line is missing or changed, as if it had been cut off (B1)")]
    End,
    /// The contents were changed.
    #[error("it was changed on the way: its check does not fit (B5)")]
    Changed,
    /// It has a form that is not known here.
    #[error("it has a form that this version does not know (B3)")]
    Form,
    /// It holds more than a block may.
    #[error("it holds over 128 KiB of entries (B4)")]
    Large,
    /// It holds something other than the entries that it names.
    #[error("it does not hold just the entries that it names (B2)")]
    Lines,
    /// It does not hold the header of the game that it names.
    #[error("it does not hold the header of the game that it names (B8)")]
    Header,
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
    /// The record here differs before the block's first entry.
    Parted,
}

impl Block {
    /// Reads what stands between the two lines of a block, as letters of base64 without padding, and holds it to them. `first`: nothing if
    /// they name the whole game.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(
        game: String,
        (first, last): (Option<u32>, u32),
        letters: &str,
        ends: [u8; END],
    ) -> Result<Self, Fault> {
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
        let (header, before, lines) = match first {
            Some(_) => {
                let (before, rest) = rest.split_first_chunk::<32>().ok_or(Fault::Changed)?;
                (None, *before, unpacked(form, ENTRIES, rest)?)
            }
            None => {
                let (header, lines) = parted(unpacked(form, GAME, rest)?)?;
                let before = begin(&header).digest();
                (Some(header), before, lines)
            }
        };
        let lines = String::from_utf8(lines).map_err(|_| Fault::Lines)?;
        let first = first.unwrap_or(1);
        let after = chained(&lines, (first, last), before, header.is_some()).ok_or(Fault::Lines)?;
        if end(&after) != ends {
            return Err(Fault::End);
        }
        let block = Self { game, first, last, header, before, after, lines };
        if let (Some(record), Some(header)) = (block.record(), &block.header)
            && !is_header_of(&record, header, &block.game)
        {
            return Err(Fault::Header);
        }
        Ok(block)
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

    /// Returns the end of the entry before the block's first in a record.
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

/// The chain after lines that are just these entries, with their signatures and a result behind the last; `None` if they are anything
/// else (B2). Whether the entries are any good is judged with the record.
fn chained(lines: &str, (first, last): (u32, u32), before: Digest, begins: bool) -> Option<Digest> {
    if begins && last == 0 {
        return lines.is_empty().then_some(before);
    }
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

/// Returns the beginning of the line after an entry and its signature.
fn behind(text: &str, entry: &Entry) -> usize {
    let end = entry.signature.unwrap_or(entry.span).end as usize;
    text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1)
}

/// Unpacks what `deflated` has made, as much as a block may hold.
fn inflated(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::with_capacity(MAX_LINES + 1);
    let mut unpacking = Decompress::new(false);
    match unpacking.decompress_vec(bytes, &mut out, FlushDecompress::Finish) {
        _ if out.len() > MAX_LINES => Err(Fault::Large),
        Ok(Status::StreamEnd) if unpacking.total_in() == bytes.len() as u64 => Ok(out),
        Ok(_) | Err(_) => Err(Fault::Changed),
    }
}

/// Returns the contents after the byte for the form, which must be one of these two.
fn unpacked(form: u8, [plain, packed]: [u8; 2], rest: &[u8]) -> Result<Vec<u8>, Fault> {
    match form {
        _ if form == packed => inflated(rest),
        _ if form != plain => Err(Fault::Form),
        _ if rest.len() > MAX_LINES => Err(Fault::Large),
        _ => Ok(rest.to_vec()),
    }
}

/// The header and the lines of a block that begins a game (B8).
fn parted(bytes: Vec<u8>) -> Result<(String, Vec<u8>), Fault> {
    let (length, rest) = bytes.split_first_chunk::<2>().ok_or(Fault::Header)?;
    let (header, lines) = rest.split_at_checked(u16::from_be_bytes(*length).into()).ok_or(Fault::Header)?;
    let header = String::from_utf8(header.to_vec()).map_err(|_| Fault::Header)?;
    Ok((header, lines.to_vec()))
}

/// Whether a record has just this header, and that of the game with this id.
fn is_header_of(record: &[u8], header: &str, game: &str) -> bool {
    Opened::new(record).is_ok_and(|opened| opened.header.id == game && opened.frame.header.text(opened.text) == header)
}
