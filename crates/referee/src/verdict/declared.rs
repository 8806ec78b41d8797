//! Keys that a record only declares: anybody can name anybody's key in a header, so a key counts once it has signed an entry (Z32, Z38) or
//! a receipt (Z35).

use memchr::memmem;

use super::{Opened, Signers, receipts, with_digests};
use crate::sealing::{Check, PublicKey};
use postrider_kernel::Side;
use postrider_kernel::text::printable;

impl Opened<'_> {
    /// Notes which keys without an entry have signed a receipt in a legal record. Where nothing is checked, no receipt is either.
    pub(super) fn note_receipts(&self, signers: &mut Signers) {
        let is_open = |side: Side| signers.silent(side).is_some();
        let looks = self.table.check() != Check::Nothing && Side::BOTH.into_iter().any(is_open);
        if !looks || memmem::find(self.text.as_bytes(), receipts::HEAD.as_bytes()).is_none() {
            return;
        }
        let Some((opened, digests)) = with_digests(self.text.as_bytes()) else { return };
        receipts::each(&opened, &digests, &mut |(_, read)| {
            if let Ok(receipt) = read {
                signers.signed[receipt.side.index()] = true;
            }
        });
    }
}

/// Returns the keys that a replayed record declares for its sides and that have signed nothing in it.
#[must_use]
pub fn only_declared(opened: &Opened<'_>) -> [Option<PublicKey>; 2] {
    let Some(signatures) = opened.table.signatures() else { return [None; 2] };
    let keys = Side::BOTH.map(|side| signatures.key(side));
    let signed = opened.table.standing().made.map(|made| made > 0);
    let mut signers = Signers { keys, host: signatures.host(), signed, newest_only: false };
    opened.note_receipts(&mut signers);
    Side::BOTH.map(|side| signers.silent(side).copied())
}

/// Says which keys a replayed record only declares, one line each.
#[must_use]
pub fn only_declared_in_words(opened: &Opened<'_>) -> Vec<String> {
    let host = opened.header.host.as_ref().map(|host| host.key);
    let said = |(side, key): (Side, Option<PublicKey>)| {
        let key = key?;
        let word = opened.header.info.sides[side.index()].word;
        let whose = if Some(key) == host { format!("{word}, by the host") } else { word.to_owned() };
        Some(format!("{}: {} declared, nothing signed", printable(&whose), key.fingerprint()))
    };
    Side::BOTH.into_iter().zip(only_declared(opened)).filter_map(said).collect()
}
