//! Entries as a block of text, for letters without attachments (B1 to B8 of `notation/mail.md`): writes a block, finds it in a text
//! that mail programs have changed, and joins it to the record that it continues. Pure. A build for open play only writes blocks.

mod reading;
mod scan;

pub use reading::{Fault, Gap};
pub use scan::{Damaged, Found, find};

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest as _, Sha256};

use crate::desk::Desk;
use crate::record::Item;
use crate::sealing::{Digest, Link};
use crate::verdict;
use crate::verdict::Opened;
use postrider_kernel::Side;

/// The most bytes of lines in a block (B4); the longest line of a record has half as many.
pub const MAX_LINES: usize = 128 << 10;
/// How many letters of base64 stand on a line (B1).
const WIDTH: usize = 64;
/// How the line of a signature begins (Z31).
const SIGNATURE_LINE: &str = "  ~ ";
/// The forms of the lines, as they are and compressed: behind a digest (B3), and behind the header (B8).
const ENTRIES: [u8; 2] = [1, 2];
const GAME: [u8; 2] = [3, 4];
/// How many bytes of a digest the check at the end has (B5).
const CHECK: usize = 4;
/// How many bytes of a digest the last line repeats (B1).
pub(super) const END: usize = 8;

/// New entries of one game, with the digest that they continue, or all of them with the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The game's id.
    pub game: String,
    /// The number of the first entry.
    pub first: u32,
    /// The number of the last one; with the header it may be 0.
    pub last: u32,
    /// The text of the header, if the block begins the game (B8).
    header: Option<String>,
    /// The digest of the record before the first entry (Z30).
    before: Digest,
    /// The digest after the last one.
    after: Digest,
    /// The lines of the entries, with their signatures and the result of the game if it has one, each with its end.
    lines: String,
}

impl Block {
    /// The entries of a record from `first` on; `None` if there is none, or if they are more than a block holds.
    #[must_use]
    pub fn of(desk: &Desk<'_>, first: u32) -> Option<Self> {
        let last = desk.opened.table.standing().entries;
        let (before, after) = (*desk.digests.get(first.checked_sub(1)?)?, *desk.digests.get(last)?);
        let lines = written(&desk.opened, first, last, (before, after))?;
        let game = desk.opened.header.id.to_string();
        (first <= last && lines.len() <= MAX_LINES).then_some(Self {
            game,
            first,
            last,
            header: None,
            before,
            after,
            lines,
        })
    }

    /// Returns the whole game as a block (B8), for an opponent who has no record of it; `None` if it is too large.
    #[must_use]
    pub fn of_game(desk: &Desk<'_>) -> Option<Self> {
        let opened = &desk.opened;
        let last = opened.table.standing().entries;
        let (before, after) = (*desk.digests.get(0)?, *desk.digests.get(last)?);
        let lines = written(opened, 1, last, (before, after))?;
        let header = opened.frame.header.text(opened.text).replace("\r\n", "\n");
        let is_held = u16::try_from(header.len()).is_ok() && header.len() + lines.len() <= MAX_LINES;
        let game = opened.header.id.to_string();
        is_held.then_some(Self { game, first: 1, last, header: Some(header), before, after, lines })
    }

    /// Returns what is new to a side: the entries after its own last one, or the whole game if it has made none. `is_foreign` says
    /// which of its entries somebody else made for it.
    #[must_use]
    pub fn new_to(desk: &Desk<'_>, side: Side, is_foreign: impl Fn(u32) -> bool) -> Option<Self> {
        let mut body = desk.opened.body();
        let mut known = None;
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item
                && entry.side == side
                && let Ok(number) = u32::try_from(entry.number)
                && !is_foreign(number)
            {
                known = Some(number);
            }
        }
        match known {
            Some(known) => Self::of(desk, known.checked_add(1)?),
            None => Self::of_game(desk),
        }
    }

    /// Whether it begins the game: it holds the header and all entries (B8).
    #[must_use]
    pub const fn begins(&self) -> bool {
        self.header.is_some()
    }

    /// Returns the record in a block with a header; `None` for any other.
    #[must_use]
    pub fn record(&self) -> Option<Vec<u8>> {
        let header = self.header.as_deref()?;
        Some(["---\n", header, "---\n", &self.lines].concat().into_bytes())
    }

    /// Writes the block, with a line end behind each of its lines (B1).
    #[must_use]
    pub fn text(&self) -> String {
        let (word, names) = match self.header {
            None => ("ENTRIES", format!("{}-{}", self.first, self.last)),
            Some(_) => ("GAME", self.last.to_string()),
        };
        // In front of the lines stands the digest as it is, or the header, which is compressed with them.
        let ([plain, packed], before, inside) = match &self.header {
            None => (ENTRIES, &self.before[..], self.lines.clone().into_bytes()),
            Some(header) => {
                let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_be_bytes();
                (GAME, &[][..], [&length[..], header.as_bytes(), self.lines.as_bytes()].concat())
            }
        };
        let (form, inside) = match deflated(&inside) {
            Some(shorter) => (packed, shorter),
            None => (plain, inside),
        };
        let mut bytes = [&[form][..], before, &inside].concat();
        let check = check(&bytes);
        bytes.extend_from_slice(&check);
        let letters = BASE64.encode(&bytes);
        let mut text = format!("-----BEGIN PBEM {word} {} {names}-----\n", self.game);
        let mut rest = letters.as_str();
        while !rest.is_empty() {
            let (line, behind) = rest.split_at(rest.len().min(WIDTH));
            text.push_str(line);
            text.push('\n');
            rest = behind;
        }
        text.push_str(&format!("-----END PBEM {word} {}-----\n", HEXLOWER.encode(&end(&self.after))));
        text
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

fn check(bytes: &[u8]) -> [u8; CHECK] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn end(digest: &Digest) -> [u8; END] {
    digest.first_chunk().copied().unwrap_or_default()
}

/// Compresses (RFC 1951); `None` if that makes it no shorter.
fn deflated(bytes: &[u8]) -> Option<Vec<u8>> {
    use flate2::{Compress, Compression, FlushCompress, Status};
    // What does not fit is not shorter, and thrown away.
    let mut out = Vec::with_capacity(bytes.len() + 64);
    match Compress::new(Compression::best(), false).compress_vec(bytes, &mut out, FlushCompress::Finish) {
        Ok(Status::StreamEnd) if out.len() < bytes.len() => Some(out),
        _ => None,
    }
}
