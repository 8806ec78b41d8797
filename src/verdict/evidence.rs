//! Two records of one game held against each other: whether a player has signed two different entries for one turn. The two
//! signatures prove it to anybody, for each covers its entry and everything before it (Z30, Z31).

use super::{Opened, Ruling, Verdict, line};
use crate::games::kernel::Side;
use crate::record::Item;
use crate::sealing::{Check, PublicKey, Signed, read_signature};

/// A player's two different signed entries for one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubleEntry {
    /// The number of the entries.
    pub number: u32,
    /// Whose they are.
    pub side: Side,
    /// The key that signed both.
    pub key: PublicKey,
    /// What was signed, in the order of the records.
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

/// Why two records say nothing together.
#[derive(Debug)]
pub enum NoEvidence {
    /// The first one, or the second one, has no header and envelope that fit.
    Record(usize, Box<Verdict>),
    /// They are of different games.
    OtherGame,
}

impl std::fmt::Display for NoEvidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoEvidence::Record(at, verdict) => {
                write!(f, "the {} record is {verdict}", if *at == 0 { "first" } else { "second" })
            }
            NoEvidence::OtherGame => f.write_str("the records are of different games"),
        }
    }
}

impl std::error::Error for NoEvidence {}

/// Looks for the first turn for which one player has signed two different entries, in two records of one game. Only what stands
/// in each record is taken: what comes before the first fault, with signatures that hold.
///
/// # Errors
/// When one of them cannot be read, or they are not of one game.
pub fn double_entry(first: &[u8], second: &[u8]) -> Result<Option<DoubleEntry>, NoEvidence> {
    let (first, ids) = signed_entries(first).map_err(|verdict| NoEvidence::Record(0, verdict))?;
    let (second, others) = signed_entries(second).map_err(|verdict| NoEvidence::Record(1, verdict))?;
    if ids != others {
        return Err(NoEvidence::OtherGame);
    }
    let pair = first.iter().find_map(|one| {
        let same_turn =
            |other: &&Candidate| (other.signed.number, other.signed.key) == (one.signed.number, one.signed.key);
        let other = second.iter().find(same_turn).filter(|other| other.signed.digest != one.signed.digest)?;
        Some((one, other))
    });
    Ok(pair.map(|(one, other)| DoubleEntry {
        number: one.signed.number,
        side: one.side,
        key: one.signed.key,
        versions: [one.version.clone(), other.version.clone()],
    }))
}

struct Candidate {
    side: Side,
    signed: Signed,
    version: SignedEntry,
}

/// The signed entries that stand in a record, and its game's id.
fn signed_entries(source: &[u8]) -> Result<(Vec<Candidate>, String), Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling == Ruling::Malformed && verdict.errors.iter().any(|error| error.entry.is_none()) {
        return Err(Box::new(verdict));
    }
    let mut again = Opened::new(source)?;
    // Those that stand hold, as the replay has found.
    again.table.set_check(Check::Nothing);
    let game = again.header.id.clone().into_owned();
    let mut entries = Vec::new();
    let mut body = again.body();
    let mut number = 0;
    while number < verdict.entries
        && let Some(item) = body.next_item()
    {
        let Item::Entry(entry) = item else { continue };
        number += 1;
        let written = line(&again, &entry, number);
        if again.table.pass(again.text, &entry).is_err() {
            break;
        }
        let Some(signatures) = again.table.signatures() else { break };
        let base64 = entry.signature.map(|place| place.text(again.text));
        let signature = base64.and_then(|base64| read_signature(base64.as_bytes()));
        if let (Some(key), Some(base64), Some(signature)) = (signatures.key(entry.side), base64, signature) {
            let signed = Signed { number, key, digest: signatures.link().digest(), signature };
            let version =
                SignedEntry { line: written, text: signed.text(signatures.game()), signature: base64.to_owned() };
            entries.push(Candidate { side: entry.side, signed, version });
        }
    }
    Ok((entries, game))
}
