//! The rules about an entry's key and signature: E10, Z32, Z33, Z38.

use super::common::Common;
use super::envelope::{Breach, Outline, Placed};
use crate::record::Entry;
use crate::sealing::{Check, Commitment, Digest, KeyFault, PublicKey, SignatureFault, SignatureText, Signed};
use postrider_kernel::SideName;
use postrider_kernel::envelope_rules::{E10, E12};
use postrider_kernel::seal_rules::{Z20, Z32, Z33, Z38};
use postrider_kernel::text::Span;

/// A key that an entry declares, and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    key: Result<PublicKey, KeyFault>,
    span: Span,
}

/// Reads the key that an entry declares, if it may (E10). `made`: how many entries its side has made before. `known`:
/// whether its key is already known. `practice`: whether a machine plays one side, so that nobody signs (E12).
pub(super) fn declared(
    outline: &Outline<'_>,
    made: u32,
    known: bool,
    practice: bool,
) -> Result<Option<Declared>, Box<Breach>> {
    let mut declared = None;
    for placed in outline.common {
        let Common::Key(bytes) = placed.action else { continue };
        let refuse = |message: &str| Err(Breach::new(E10, placed.span, message));
        if practice {
            return Err(Breach::new(E12, placed.span, "nobody signs in a practice game"));
        }
        if made > 0 {
            return refuse("a key is given in the first entry of its side, and in no later one");
        }
        if known {
            return refuse("the header names the key of this side, and keys never change");
        }
        if placed.at != 0 {
            return refuse("a key comes first among the actions of its entry, and only once");
        }
        declared = Some(Declared { key: PublicKey::from_bytes(&bytes), span: placed.span });
    }
    if let [placed] = outline.common
        && matches!(placed.action, Common::Key(_))
        && outline.count == 1
    {
        return Err(Breach::new(E10, placed.span, "a key goes with a move").with_help("put the move after it"));
    }
    Ok(declared)
}

/// Reads an entry's commitment, if it may make one (Z20). `made`: how many entries the side has made before. `sealed`:
/// whether the record is sealed.
pub(super) fn committed(outline: &Outline<'_>, made: u32, sealed: bool) -> Result<Option<Commitment>, Box<Breach>> {
    let mut found = None;
    for placed in outline.common {
        let Common::Commit(commitment) = placed.action else { continue };
        let refuse = |message: &str| Err(Breach::new(Z20, placed.span, message));
        if !sealed {
            return refuse("an open game has no secrets to commit to");
        }
        if made > 0 {
            return refuse("a side commits to its secret in its first entry, and in no later one");
        }
        let behind = |other: &&Placed| other.at > placed.at && matches!(other.action, Common::Leave(_) | Common::Offer);
        let in_place = placed.at + 1 + outline.common.iter().filter(behind).count() == outline.count;
        if found.is_some() || !in_place || outline.count == outline.common.len() {
            return refuse(
                "a commitment comes after the game's own actions, before `leave` and `draw?`, and only once",
            );
        }
        found = Some(commitment);
    }
    Ok(found)
}

/// What is known about the current entry when its signature is checked.
pub(super) struct Hand<'a> {
    /// The record.
    pub text: &'a str,
    pub entry: &'a Entry,
    pub number: u32,
    pub side: SideName,
    /// The key of its side's own, from earlier.
    pub known: Option<PublicKey>,
    /// The key of the host, in a hosted game.
    pub host: Option<PublicKey>,
    pub declared: Option<Declared>,
    /// The digest of the chain including the entry; `None` in a record without signatures.
    pub digest: Option<Digest>,
    pub check: Check,
}

impl Hand<'_> {
    /// Finds what signs an otherwise legal entry, and returns it with the key of its side's own. Whether the signature is
    /// valid is yet to be checked, if all are.
    pub(super) fn signed(&self) -> Result<(Option<PublicKey>, Option<Signed>), Box<Breach>> {
        let own = match &self.declared {
            None => self.known,
            Some(Declared { key: Ok(key), span }) if Some(*key) == self.host => {
                return Err(Breach::new(Z38, *span, "this is the host's key, and a host plays no side"));
            }
            Some(Declared { key: Ok(key), .. }) => Some(*key),
            Some(Declared { key: Err(fault), span }) => {
                return Err(Breach::new(Z33, *span, format!("this key {}", fault.text())));
            }
        };
        if self.check == Check::Nothing {
            return Ok((own, None));
        }
        let whose = || self.side.named();
        let (key, place) = match (own.or(self.host), self.entry.signature) {
            (None, None) => return Ok((None, None)),
            (None, Some(place)) => {
                let verb = self.side.verb("have", "has");
                let message = format!("{} {verb} no key in this record, so no entry of that side is signed", whose());
                return Err(Breach::new(Z32, place, message));
            }
            (Some(_), None) if own.is_none() => {
                let verb = self.side.verb("have", "has");
                let message =
                    format!("this entry is not signed: {} {verb} no key, so the host signs for that side", whose());
                return Err(Breach::new(Z38, self.entry.span, message)
                    .with_help("the line below it is `  ~ ` and the signature by the host's key"));
            }
            (Some(_), None) => {
                let verb = self.side.verb("have", "has");
                let message = format!("this entry is not signed, and {} {verb} a key", whose());
                return Err(Breach::new(Z32, self.entry.span, message)
                    .with_help("the line below it is `  ~ ` and the signature by that key"));
            }
            (Some(key), Some(place)) => (key, place),
        };
        let signature = SignatureText::read(place.bytes(self.text.as_bytes()));
        let (Some(digest), Some(signature)) = (self.digest, signature) else {
            // A signature line always contains a whole signature, and in a record with one the chain is followed.
            return Err(Breach::new(Z32, place, "this is not a signature"));
        };
        Ok((own, Some(Signed { number: self.number, key, digest, signature })))
    }
}

/// Says why an invalid signature at `place` refuses the entry of a side (Z32, Z33, Z38). `game`, `host`: the game's id, and the key of
/// its host.
pub(super) fn does_not_hold(
    fault: SignatureFault,
    side: SideName,
    place: Span,
    signed: &Signed,
    (game, host): (&str, Option<PublicKey>),
) -> Box<Breach> {
    let changed = "the header, an entry up to this one, or the signature was changed after it was signed";
    match fault {
        SignatureFault::NotCanonical => Breach::new(Z33, place, "this signature is not in canonical form"),
        SignatureFault::False if host == Some(signed.key) => {
            let verb = side.verb("have", "has");
            let message = format!(
                "the host did not sign this, as it does for {}, who {verb} no key: the signature is of something else, or by another key",
                side.named()
            );
            Breach::new(Z38, place, message).with_help(changed)
        }
        SignatureFault::False if host.is_some_and(|key| Signed { key, ..*signed }.verify(game).is_ok()) => {
            let verb = side.verb("have a key, and sign for themselves", "has a key, and signs for itself");
            let message = format!("the host signed this: {} {verb}", side.named());
            Breach::new(Z38, place, message).with_help("the host signs for sides without a key only")
        }
        SignatureFault::False => {
            let whose = side.named();
            let message = format!("{whose} did not sign this: the signature is of something else, or by another key");
            Breach::new(Z32, place, message).with_help(changed)
        }
    }
}
