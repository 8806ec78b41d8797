//! The actions that every game has: offers, resignation, claims, leave, keys, commitments (E5-E7, E10, E11, Z20).

use data_encoding::BASE64;

use crate::sealing::Commitment;
use postrider_kernel::Claim;
use postrider_kernel::notation::{Misfit, number};

/// An action of the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Common {
    /// `draw?`.
    Offer,
    /// `draw!`.
    Accept,
    /// `resign`.
    Resign,
    /// `claim time`.
    ClaimTime,
    /// `claim repetition`, `claim quiet`.
    Claim(Claim),
    /// `leave 7d`, in days.
    Leave(u64),
    /// `key …`: the bytes of a public key, which may not be sound.
    Key([u8; 32]),
    /// `commit …`: a side's commitment to its secret (Z20).
    Commit(Commitment),
}

impl Common {
    /// Writes the action in its only form.
    pub(super) fn text(self) -> String {
        match self {
            Common::Offer => "draw?".to_owned(),
            Common::Accept => "draw!".to_owned(),
            Common::Resign => "resign".to_owned(),
            Common::ClaimTime => "claim time".to_owned(),
            Common::Claim(Claim::Repetition) => "claim repetition".to_owned(),
            Common::Claim(Claim::Quiet) => "claim quiet".to_owned(),
            Common::Leave(days) => format!("leave {days}d"),
            Common::Key(bytes) => format!("key {}", BASE64.encode(&bytes)),
            Common::Commit(commitment) => format!("commit {commitment}"),
        }
    }
}

/// Reads an action of the envelope; `None` for a text that the game has to read.
#[inline(always)]
pub(super) fn read(text: &[u8]) -> Option<Result<Common, Misfit>> {
    // Most actions belong to a game, and few of those begin with two small letters.
    match text {
        [b'a'..=b'z', b'a'..=b'z', ..] => read_words(text),
        _ => None,
    }
}

fn read_words(text: &[u8]) -> Option<Result<Common, Misfit>> {
    let &[first, second, ..] = text else { return None };
    match (first, second) {
        (b'd', b'r') if text == b"draw?" => Some(Ok(Common::Offer)),
        (b'd', b'r') if text == b"draw!" => Some(Ok(Common::Accept)),
        (b'r', b'e') if text == b"resign" => Some(Ok(Common::Resign)),
        (b'c', b'l') => text.strip_prefix(b"claim ").map(claim),
        (b'l', b'e') => text.strip_prefix(b"leave ").map(leave),
        (b'c', b'o') => text.strip_prefix(b"commit ").map(commit),
        (b'k', b'e') => text.strip_prefix(b"key ").map(key),
        _ => None,
    }
}

fn claim(text: &[u8]) -> Result<Common, Misfit> {
    match text {
        b"time" => Ok(Common::ClaimTime),
        b"repetition" => Ok(Common::Claim(Claim::Repetition)),
        b"quiet" => Ok(Common::Claim(Claim::Quiet)),
        _ => Err(Misfit { offset: "claim ".len(), expected: "`time`, `repetition` or `quiet`" }),
    }
}

fn commit(text: &[u8]) -> Result<Common, Misfit> {
    const EXPECTED: &str = "64 hexadecimal digits in lower case";
    let misfit = Misfit { offset: "commit ".len(), expected: EXPECTED };
    Commitment::read(text).map(Common::Commit).ok_or(misfit)
}

fn leave(text: &[u8]) -> Result<Common, Misfit> {
    const EXPECTED: &str = "a number of days and `d`, as in `leave 7d`";
    match number(text) {
        Ok((b"d", days)) if days > 0 => Ok(Common::Leave(days)),
        Ok((rest, days)) if days > 0 => {
            Err(Misfit { offset: "leave ".len() + text.len() - rest.len(), expected: EXPECTED })
        }
        _ => Err(Misfit { offset: "leave ".len(), expected: EXPECTED }),
    }
}

fn key(text: &[u8]) -> Result<Common, Misfit> {
    let bytes = BASE64.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    let expected = "the base64 of 32 bytes, an Ed25519 public key";
    bytes.map(Common::Key).ok_or(Misfit { offset: "key ".len(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e5_to_e11_have_one_spelling() {
        for (text, expected) in [
            ("draw?", Some(Ok(Common::Offer))),
            ("draw!", Some(Ok(Common::Accept))),
            ("draw", None),
            ("draw 2", None),
            ("resign", Some(Ok(Common::Resign))),
            ("reveal", None),
            ("claim quiet", Some(Ok(Common::Claim(Claim::Quiet)))),
            ("leave 7d", Some(Ok(Common::Leave(7)))),
            ("c4-c5", None),
        ] {
            assert_eq!(read(text.as_bytes()), expected, "{text}");
            if let Some(Ok(action)) = expected {
                assert_eq!(action.text(), text);
            }
        }
        for text in ["claim victory", "claim ", "leave 48h", "leave 0d", "leave 07d", "leave d", "key AAAA"] {
            assert!(matches!(read(text.as_bytes()), Some(Err(_))), "{text}");
        }
    }
}
