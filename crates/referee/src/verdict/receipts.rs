//! Receipts (Z35): signed remarks in which a player confirms how much of the record has arrived. Anybody can write a remark, so each
//! receipt is checked, and an invalid one counts against nobody.

use std::collections::HashMap;

use super::{Digests, Opened};
use crate::record::Item;
use crate::sealing::{Digest, PublicKey, read_signature, receipt_text};
use postrider_kernel::Side;

/// How a remark with a receipt begins.
pub const HEAD: &str = "# receipt ";

/// A receipt in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt<'a> {
    /// The remark.
    pub line: &'a str,
    /// The side that signed it.
    pub side: Side,
    /// The number of the last entry that it covers.
    pub entry: u32,
    /// The signature, in base64.
    pub signature: &'a str,
}

/// Why a remark is not a valid receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFault {
    /// It does not have the form of a receipt.
    Spelling,
    /// The record has no such entry.
    NoEntry,
    /// No key of that side is known.
    NoKey,
    /// The signature is not one of this record by the side's key.
    False,
    /// The record has more receipts than are checked.
    TooMany,
}

/// The most signatures of receipts in a record that are checked, from the first on. A game has one or two for each entry at most; each
/// takes the time of judging a hundred entries, and anybody can write as many as fit into a record.
pub const MOST_CHECKED: usize = 2000;

impl ReceiptFault {
    /// Returns what is wrong, as the predicate of a sentence about the remark.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Spelling => "is not written as a receipt: `# receipt SIDE NUMBER SIGNATURE`",
            Self::NoEntry => "is for an entry that the record does not have",
            Self::NoKey => "is by a side that has no key",
            Self::TooMany => "is not checked: the record has more receipts than any game needs",
            Self::False => "is not valid: the side's key has not signed this record so far",
        }
    }
}

/// Returns the remark with a receipt, without its line end.
#[must_use]
pub fn remark(side: &str, entry: u32, signature: &str) -> String {
    format!("{HEAD}{side} {entry} {signature}")
}

/// Reads a remark; `None` for one of another kind.
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
    /// Checks a receipt, and returns the key that signed it. `keys` are those of the two sides; `digest_of` returns h(n) of the record.
    ///
    /// # Errors
    /// Why it is not valid.
    pub fn check(
        &self,
        game: &str,
        word: &str,
        keys: [Option<PublicKey>; 2],
        digest_of: impl Fn(u32) -> Option<Digest>,
    ) -> Result<PublicKey, ReceiptFault> {
        let (Some(begin), Some(digest)) = (digest_of(0), digest_of(self.entry)) else {
            return Err(ReceiptFault::NoEntry);
        };
        let key = keys.get(self.side.index()).copied().flatten().ok_or(ReceiptFault::NoKey)?;
        let signature = read_signature(self.signature.as_bytes()).ok_or(ReceiptFault::Spelling)?;
        let text = receipt_text(game, word, self.entry, &begin, &digest);
        key.verify(text.as_bytes(), &signature).map_err(|_| ReceiptFault::False)?;
        Ok(key)
    }
}

/// A remark that begins as a receipt does, and the receipt, or what is wrong with it.
pub type Found<'a> = (&'a str, Result<Receipt<'a>, ReceiptFault>);

/// Returns all receipts in a legal record that was replayed, each with its line, or what is wrong with it. `digests` are those of the
/// record's chain. The same line is checked only once, and of different ones only the first [`MOST_CHECKED`].
#[must_use]
pub fn of<'a>(opened: &Opened<'a>, digests: &Digests) -> Vec<Found<'a>> {
    let mut list = Vec::new();
    each(opened, digests, &mut |found| list.push(found));
    list
}

/// Passes what [`of`] returns to `visit`, one after the other: there may be hundreds of thousands.
pub fn each<'a>(opened: &Opened<'a>, digests: &Digests, visit: &mut dyn FnMut(Found<'a>)) {
    let mut known: HashMap<&str, Result<Receipt<'a>, ReceiptFault>> = HashMap::new();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Remark(span) = item else { continue };
        let line = span.text(opened.text);
        if !line.starts_with(HEAD) {
            continue;
        }
        let found = match known.get(line) {
            Some(found) => Some(found.clone()),
            None if known.len() >= MOST_CHECKED => Some(Err(ReceiptFault::TooMany)),
            None => checked(line, opened, digests).inspect(|found| _ = known.insert(line, found.clone())),
        };
        if let Some(found) = found {
            visit((line, found));
        }
    }
}

/// Checks a remark against a record that was replayed, which need not contain it; `None` for a remark of another kind.
#[must_use]
pub fn checked<'a>(line: &'a str, opened: &Opened<'_>, digests: &Digests) -> Option<Result<Receipt<'a>, ReceiptFault>> {
    let words = opened.header.info.sides.map(|side| side.word);
    let keys = Side::BOTH.map(|side| opened.table.signatures().and_then(|signatures| signatures.key(side)));
    let read = read(line, words)?;
    Some(read.and_then(|receipt| {
        let word = words.get(receipt.side.index()).copied().unwrap_or_default();
        receipt.check(&opened.header.id, word, keys, |entry| digests.get(entry).copied()).map(|_| receipt)
    }))
}
