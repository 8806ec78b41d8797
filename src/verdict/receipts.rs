//! Receipts (Z35): remarks by which a player says, signed, how far the record is that the player has. They are no part of the game, so
//! each is held to the record, and one that does not hold speaks against nobody: anybody can write a remark.

use super::Opened;
use crate::games::kernel::Side;
use crate::record::Item;
use crate::sealing::{Digest, PublicKey, read_signature, receipt_text};

/// How such a remark begins.
pub const HEAD: &str = "# receipt ";

/// A receipt as it stands in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt<'a> {
    /// The remark.
    pub line: &'a str,
    /// Whose it is.
    pub side: Side,
    /// The number of the last entry that it covers.
    pub entry: u32,
    /// The signature, in base64.
    pub signature: &'a str,
}

/// Why a remark is no receipt that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFault {
    /// It is not spelled as one.
    Spelling,
    /// The record has no such entry.
    NoEntry,
    /// No key of that side is known.
    NoKey,
    /// The side's key has not signed that the record is so far.
    False,
}

impl ReceiptFault {
    /// Returns what is wrong, to be put behind "the receipt".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Spelling => "is not spelled as one: `# receipt SIDE NUMBER SIGNATURE`",
            Self::NoEntry => "is of an entry that is not there",
            Self::NoKey => "is of a side that does not sign",
            Self::False => "does not hold: the side's key has not signed it for this record",
        }
    }
}

/// The remark that holds a receipt, without its line end.
#[must_use]
pub fn remark(side: &str, entry: u32, signature: &str) -> String {
    format!("{HEAD}{side} {entry} {signature}")
}

/// Reads a remark; nothing for one of another kind.
#[must_use]
pub fn read<'a>(line: &'a str, sides: [&str; 2]) -> Option<Result<Receipt<'a>, ReceiptFault>> {
    let rest = line.strip_prefix(HEAD)?;
    let mut words = rest.trim_end().split(' ');
    let parts = (words.next(), words.next(), words.next(), words.next());
    let (Some(word), Some(number), Some(signature), None) = parts else { return Some(Err(ReceiptFault::Spelling)) };
    let side = Side::BOTH.into_iter().find(|side| sides.get(side.index()) == Some(&word));
    let entry = Some(number).filter(|number| !number.starts_with(['0', '+'])).and_then(|number| number.parse().ok());
    let (Some(side), Some(entry)) = (side, entry) else { return Some(Err(ReceiptFault::Spelling)) };
    if read_signature(signature.as_bytes()).is_none() {
        return Some(Err(ReceiptFault::Spelling));
    }
    Some(Ok(Receipt { line, side, entry, signature }))
}

impl Receipt<'_> {
    /// Checks a receipt: `keys` are those of the two sides, `digests` h(0), h(1) … of the record.
    ///
    /// # Errors
    /// Why it does not hold.
    pub fn check(
        &self,
        game: &str,
        word: &str,
        keys: [Option<PublicKey>; 2],
        digests: &[Digest],
    ) -> Result<PublicKey, ReceiptFault> {
        let (Some(begin), Some(digest)) = (digests.first(), digests.get(self.entry as usize)) else {
            return Err(ReceiptFault::NoEntry);
        };
        let key = keys.get(self.side.index()).copied().flatten().ok_or(ReceiptFault::NoKey)?;
        let signature = read_signature(self.signature.as_bytes()).ok_or(ReceiptFault::Spelling)?;
        let text = receipt_text(game, word, self.entry, begin, digest);
        key.verify(text.as_bytes(), &signature).map_err(|_| ReceiptFault::False)?;
        Ok(key)
    }
}

/// All receipts of a legal record that was replayed, each with its line and what is wrong with it; `digests` are those of its chain.
#[must_use]
pub fn of<'a>(opened: &Opened<'a>, digests: &[Digest]) -> Vec<(&'a str, Result<Receipt<'a>, ReceiptFault>)> {
    let mut list = Vec::new();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Remark(span) = item else { continue };
        let line = span.text(opened.text);
        list.extend(checked(line, opened, digests).map(|checked| (line, checked)));
    }
    list
}

/// A remark held to a record that was replayed, which it need not stand in; nothing for one of another kind.
#[must_use]
pub fn checked<'a>(
    line: &'a str,
    opened: &Opened<'_>,
    digests: &[Digest],
) -> Option<Result<Receipt<'a>, ReceiptFault>> {
    let words = opened.header.info.sides.map(|side| side.word);
    let keys = Side::BOTH.map(|side| opened.table.signatures().and_then(|signatures| signatures.key(side)));
    let read = read(line, words)?;
    Some(read.and_then(|receipt| {
        let word = words.get(receipt.side.index()).copied().unwrap_or_default();
        receipt.check(&opened.header.id, word, keys, digests).map(|_| receipt)
    }))
}
