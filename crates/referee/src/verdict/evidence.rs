//! Compares two records of one game to find out whether a player has signed two different entries for one turn, or a receipt for one
//! version of the past and something that continues another (Z35). The two signatures prove it to anyone, because each covers everything before it (Z30,
//! Z31).
//!
//! Only certain acts count against a player: the same header, side and key, and two entries that differ in more than
//! their time, because a program on two machines can make the same entry twice.

use std::collections::HashSet;

use super::{Opened, Ruling, Verdict, line, receipts};
use crate::record::Item;
use crate::sealing::{Check, Digest, PublicKey, SignatureText, Signed, begin, receipt_text};
use postrider_kernel::Side;

/// A player's two different signed entries for one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubleEntry {
    /// The number of the entries.
    pub number: u32,
    /// The side that made them.
    pub side: Side,
    /// The key that signed both.
    pub key: PublicKey,
    /// The two entries, in the order of the records.
    pub versions: [SignedEntry; 2],
}

/// A signed entry in a form that can be checked without its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedEntry {
    /// The canonical line.
    pub line: String,
    /// The text that was signed (Z31).
    pub text: String,
    /// The signature, in base64.
    pub signature: String,
}

/// A player's receipt for one version of the past, and a signature by the same key that continues another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoPasts {
    /// Whose signatures they are.
    pub side: Side,
    /// The key that signed both.
    pub key: PublicKey,
    /// The entry that the receipt is for.
    pub entry: u32,
    /// The first entry that differs in more than its time.
    pub differs: u32,
    /// That entry, in the order of the records; `None` if a record ends before it.
    pub lines: [Option<String>; 2],
    /// What was signed, in the order of the records: a receipt, and a receipt or an entry.
    pub versions: [SignedEntry; 2],
}

/// What two records of one game show together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nobody has signed two different entries for one turn.
    None,
    /// A player made the same entry twice, at two times: on two machines, or after restoring a backup. That is not
    /// double play.
    Twice(Box<DoubleEntry>),
    /// A side signs with one key in the first record and with another in the second, so one of the records is not that
    /// player's.
    Keys(Side, Box<[PublicKey; 2]>),
    /// A player has signed two different entries for one turn.
    Double(Box<DoubleEntry>),
    /// A player has signed a receipt for one version of the past, and a receipt or an entry that continues another: that player
    /// had both versions.
    Pasts(Box<TwoPasts>),
}

impl Evidence {
    /// The number of the entry that it is about; 0 if it is about none.
    #[must_use]
    pub fn number(&self) -> u32 {
        match self {
            Self::Double(found) => found.number,
            Self::Pasts(found) => found.entry,
            _ => 0,
        }
    }
}

/// Why two records cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum NoEvidence {
    /// The first or second record has a header or envelope that is not valid.
    #[error("the {} record is {}", if *.0 == 0 { "first" } else { "second" }, .1)]
    Record(usize, Box<Verdict>),
    /// They are of different games.
    #[error("the records are of different games")]
    OtherGame,
    /// They have the same id but different headers, so they are two different games.
    #[error("the records bear one id and have different headers")]
    OtherHeader,
}

/// Looks in two records of one game for the first turn for which one player has signed two different entries. Every
/// signed entry of each record counts, including an illegal one at which the replay stops.
///
/// # Errors
/// If one of them cannot be read, or they are not of one game.
pub fn evidence(first: &[u8], second: &[u8]) -> Result<Evidence, NoEvidence> {
    // Most copies are the same, and checking signatures takes most of the time.
    let another = first != second;
    let first = Signing::of(first).map_err(|verdict| NoEvidence::Record(0, verdict))?;
    let another = another.then(|| Signing::of(second).map_err(|verdict| NoEvidence::Record(1, verdict))).transpose()?;
    let second = another.as_ref().unwrap_or(&first);
    if first.game != second.game {
        return Err(NoEvidence::OtherGame);
    }
    if first.header != second.header {
        return Err(NoEvidence::OtherHeader);
    }
    let mut twice = None;
    for one in &first.entries {
        let turn = |entry: &Candidate| (entry.signed.number, entry.side, entry.signed.key);
        let differs = |other: &&Candidate| turn(other) == turn(one) && other.signed.digest != one.signed.digest;
        // A record has one entry of each number, in order.
        let at = second.entries.binary_search_by_key(&one.signed.number, |other| other.signed.number);
        let Some(other) = at.ok().and_then(|at| second.entries.get(at)).filter(differs) else { continue };
        let double = Box::new(DoubleEntry {
            number: one.signed.number,
            side: one.side,
            key: one.signed.key,
            versions: [one.version.clone(), other.version.clone()],
        });
        // If the pasts differ, only the side that made them differ is suspect.
        if one.past == other.past && one.timeless != other.timeless {
            return Ok(Evidence::Double(double));
        }
        if one.past == other.past {
            twice.get_or_insert(double);
        }
    }
    if let Some(pasts) = two_pasts(&first, second) {
        return Ok(Evidence::Pasts(Box::new(pasts)));
    }
    if let Some(double) = twice {
        return Ok(Evidence::Twice(double));
    }
    for side in Side::BOTH {
        if let (Some(one), Some(two)) = (first.keys[side.index()], second.keys[side.index()])
            && one != two
        {
            return Ok(Evidence::Keys(side, Box::new([one, two])));
        }
    }
    Ok(Evidence::None)
}

/// Returns the first receipt in one record that a signature by the same key in the other contradicts.
fn two_pasts(first: &Signing, second: &Signing) -> Option<TwoPasts> {
    let (receipt, versions) = match contradicted(first, second) {
        Some((receipt, signed)) => (receipt, [receipt.version.clone(), signed.clone()]),
        None => {
            contradicted(second, first).map(|(receipt, signed)| (receipt, [signed.clone(), receipt.version.clone()]))?
        }
    };
    let differs = first.pasts.iter().zip(&second.pasts).position(|(one, other)| one != other)?;
    let line = |signing: &Signing| signing.lines.get(differs.checked_sub(1)?).cloned();
    Some(TwoPasts {
        side: receipt.side,
        key: receipt.key,
        entry: receipt.entry,
        differs: u32::try_from(differs).unwrap_or(u32::MAX),
        lines: [line(first), line(second)],
        versions,
    })
}

/// Returns a receipt in one record, and a signature by the same key in the other that continues another version of the past.
fn contradicted<'a>(one: &'a Signing, other: &'a Signing) -> Option<(&'a Acknowledged, &'a SignedEntry)> {
    one.receipts.iter().find_map(|receipt| {
        let at = receipt.entry as usize;
        let (digest, past) = (other.digests.get(at)?, other.pasts.get(at)?);
        // An entry made twice, at two times, is one entry.
        if *digest == receipt.digest || *past == receipt.past {
            return None;
        }
        let whose = (receipt.side, receipt.key);
        let entry = other
            .entries
            .iter()
            .find(|entry| (entry.side, entry.signed.key) == whose && entry.signed.number > receipt.entry);
        let again =
            other.receipts.iter().find(|again| (again.side, again.key) == whose && again.entry >= receipt.entry);
        let signed = entry.map(|entry| &entry.version).or(again.map(|again| &again.version))?;
        Some((receipt, signed))
    })
}

/// A valid receipt.
struct Acknowledged {
    side: Side,
    key: PublicKey,
    entry: u32,
    digest: Digest,
    past: Digest,
    version: SignedEntry,
}

struct Candidate {
    side: Side,
    signed: Signed,
    version: SignedEntry,
    /// A digest of everything before it except the times.
    past: Digest,
    /// The line without its time.
    timeless: String,
}

/// What is signed in a record.
struct Signing {
    game: String,
    header: Digest,
    keys: [Option<PublicKey>; 2],
    entries: Vec<Candidate>,
    receipts: Vec<Acknowledged>,
    /// h(0), h(1) … of the entries that stand, the same without their times, and their lines.
    digests: Vec<Digest>,
    pasts: Vec<Digest>,
    lines: Vec<String>,
}

impl Signing {
    fn of(source: &[u8]) -> Result<Self, Box<Verdict>> {
        let mut opened = Opened::new(source)?;
        let verdict = opened.replay(u32::MAX);
        if verdict.ruling == Ruling::Malformed && verdict.errors.iter().any(|error| error.entry.is_none()) {
            return Err(Box::new(verdict));
        }
        let mut again = Opened::new(source)?;
        // The replay has already checked the signatures up to here.
        again.table.set_check(Check::Nothing);
        let mut signing = Self {
            game: again.header.id.clone().into_owned(),
            header: again.header_hash(),
            keys: [None; 2],
            entries: Vec::new(),
            receipts: Vec::new(),
            digests: vec![again.header_hash()],
            pasts: Vec::new(),
            lines: Vec::new(),
        };
        let mut body = again.body();
        let mut number = 0;
        let mut past = begin(again.frame.header.text(again.text));
        signing.pasts.push(past.digest());
        let mut remarks = Vec::new();
        while let Some(item) = body.next_item() {
            let entry = match item {
                Item::Entry(entry) => entry,
                Item::Remark(span) => {
                    remarks.push(span.text(again.text));
                    continue;
                }
                _ => continue,
            };
            number += 1;
            let written = line(&again, &entry, number);
            let timeless = timeless(&written);
            let Some(before) = again.table.signatures().map(|signatures| signatures.link()) else { break };
            let stands = number <= verdict.entries && again.table.pass(again.text, &entry).is_ok();
            let Some(signatures) = again.table.signatures() else { break };
            let base64 = entry.signature.map(|place| place.text(again.text));
            let signature = base64.and_then(|base64| SignatureText::read(base64.as_bytes()));
            if let (Some(key), Some(base64), Some(signature)) = (signatures.key(entry.side), base64, signature) {
                let signed = Signed { number, key, digest: before.then(&written).digest(), signature };
                if stands || signed.verify(signatures.game()).is_ok() {
                    let text = signed.text(signatures.game());
                    let version = SignedEntry { line: written.clone(), text, signature: base64.to_owned() };
                    signing.entries.push(Candidate {
                        side: entry.side,
                        signed,
                        version,
                        past: past.digest(),
                        timeless: timeless.clone(),
                    });
                }
            }
            if !stands {
                break;
            }
            past = past.then(&timeless);
            signing.digests.push(before.then(&written).digest());
            signing.pasts.push(past.digest());
            signing.lines.push(written);
        }
        if let Some(signatures) = again.table.signatures() {
            signing.keys = Side::BOTH.map(|side| signatures.key(side));
        }
        let words = again.header.info.sides.map(|side| side.word);
        let mut known = HashSet::new();
        for line in remarks {
            let Some(Ok(receipt)) = receipts::read(line, words) else { continue };
            // As [`receipts::of`] does.
            if known.len() >= receipts::MOST_CHECKED || !known.insert(line) {
                continue;
            }
            let word = words.get(receipt.side.index()).copied().unwrap_or_default();
            let digest_of = |entry: u32| signing.digests.get(entry as usize).copied();
            let Ok(key) = receipt.check(&signing.game, word, signing.keys, digest_of) else { continue };
            let at = receipt.entry as usize;
            let (Some(&digest), Some(&past)) = (signing.digests.get(at), signing.pasts.get(at)) else { continue };
            let text = receipt_text(&signing.game, word, receipt.entry, &signing.header, &digest);
            let version =
                SignedEntry { line: line.trim_end().to_owned(), text, signature: receipt.signature.to_owned() };
            signing.receipts.push(Acknowledged {
                side: receipt.side,
                key,
                entry: receipt.entry,
                digest,
                past,
                version,
            });
        }
        Ok(signing)
    }
}

/// Returns the canonical line of an entry without its time: what two lines have in common that are one entry, made twice.
#[must_use]
pub fn timeless(line: &str) -> String {
    let (line, message) = line.split_once(" {").map_or((line, None), |(line, message)| (line, Some(message)));
    let line = line.split_once(" @").map_or(line, |(line, _)| line);
    message.map_or_else(|| line.to_owned(), |message| format!("{line} {{{message}"))
}
