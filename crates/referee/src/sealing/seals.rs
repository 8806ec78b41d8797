//! Seals, nonces and joint dice, byte for byte (Z1, Z2, Z8).

use std::fmt;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use super::chain::Digest;
use postrider_kernel::{Faces, Nonce, Salt, Seal};

/// A side's commitment to its secret, in its first entry (Z20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

impl Commitment {
    /// Reads 64 lower-case hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        match postrider_kernel::notation::hexadecimal(text, "") {
            Ok(([], bytes)) => Some(Self(bytes)),
            _ => None,
        }
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// The place of an entry in the chain: the hash of the header, h(0), and the digest of the chain before the entry,
/// h(n-1) (Z30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// h(0).
    pub header: Digest,
    /// h(n-1).
    pub before: Digest,
}

/// What is sealed under a label (Z4), as players call it.
#[must_use]
pub fn sealed_thing(label: &str) -> String {
    let mut parts = label.split('.');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("token"), Some(number), _) => format!("token {number}"),
        (Some("roll"), Some(number), _) => format!("the dice of challenge {number}"),
        (Some("deck"), Some("1"), Some(place)) => format!("card {place} of the deck"),
        (Some("deck"), Some(generation), Some(place)) => format!("card {place} of deck {generation}"),
        (Some("deploy"), None, _) => "the deployment".to_owned(),
        _ => format!("the {label}"),
    }
}

/// A player's secret for one game, from which all nonces are derived (Z2). It is never displayed and is erased from
/// memory when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Secret {
    /// Makes a secret from raw bytes, which are then overwritten.
    #[must_use]
    pub fn take(bytes: &mut [u8; 32]) -> Self {
        let secret = Self(*bytes);
        bytes.zeroize();
        secret
    }

    /// Reads 64 lower-case hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match postrider_kernel::notation::hexadecimal(text.as_bytes(), "") {
            Ok(([], mut bytes)) => Some(Self::take(&mut bytes)),
            _ => None,
        }
    }

    /// Writes the secret as 64 hexadecimal digits. The caller is responsible for keeping the result secret.
    #[must_use]
    pub fn reveal(&self) -> zeroize::Zeroizing<String> {
        HEXLOWER.encode(&self.0).into()
    }

    /// Returns the HMAC-SHA256 of a text with the secret as the key.
    pub(super) fn mac(&self, text: &str) -> [u8; 32] {
        mac(&self.0, text)
    }

    /// A text masked by what follows from the secret and from `of`; masked again it is the text. Each `of` masks one text only.
    #[must_use]
    pub fn masked(&self, of: &str, text: &[u8]) -> Vec<u8> {
        let blocks = (0u32..).zip(text.chunks(32));
        let block = |(count, bytes): (u32, &[u8])| {
            let mask = self.mac(&format!("pbem1|remembered|{of}|{count}"));
            bytes.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect::<Vec<u8>>()
        };
        blocks.flat_map(block).collect()
    }

    /// The nonce of a label, of a side that has not committed to its secret (Z2); `side` is the side's word.
    #[must_use]
    pub fn nonce(&self, game: &str, side: &str, label: &str) -> Nonce {
        Nonce(half(&self.mac(&format!("{game}|{side}|{label}"))))
    }

    /// Returns a side's commitment to this secret, in the game with this id and header (Z20).
    #[must_use]
    pub fn commitment(&self, game: &str, side: &str, header: &Digest) -> Commitment {
        Commitment(self.mac(&format!("pbem1|commit|{game}|{side}|{}", HEXLOWER.encode(header))))
    }

    /// Returns the nonce for a label that is sealed at a spot, for a side that has committed (Z21).
    #[must_use]
    pub fn nonce_at(&self, game: &str, side: &str, label: &str, spot: &Spot) -> Nonce {
        Nonce(half(&self.mac(&at_spot("nonce", game, side, spot, label))))
    }

    /// Returns a salt of an entry at a spot; `count` numbers them from 0 (Z22).
    #[must_use]
    pub fn salt_at(&self, game: &str, side: &str, count: u32, spot: &Spot) -> Salt {
        Salt(half(&self.mac(&at_spot("salt", game, side, spot, &count.to_string()))))
    }

    /// Returns the stream of words with which an entry at a spot makes its choices: shuffles, deals, coin tosses (Z22).
    pub fn words_at(&self, game: &str, side: &str, spot: &Spot) -> impl Iterator<Item = u32> {
        let texts = (0u32..).map(move |count| at_spot("pick", game, side, spot, &count.to_string()));
        texts.flat_map(|text| words_of(&self.mac(&text)))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Returns the HMAC-SHA256 of a text.
pub(super) fn mac(key: &[u8; 32], text: &str) -> [u8; 32] {
    // HMAC accepts a key of any length, so there is no error.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Splits a digest into eight big-endian words.
pub(super) fn words_of(digest: &[u8; 32]) -> smallvec::SmallVec<[u32; 8]> {
    let (words, _) = digest.as_chunks::<4>();
    words.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

/// The text with which something is derived from a secret at a spot (Z21, Z22, Z28).
pub(super) fn at_spot(what: &str, game: &str, side: &str, Spot { header, before }: &Spot, of: &str) -> String {
    format!("pbem1|{what}|{game}|{side}|{of}|{}|{}", HEXLOWER.encode(header), HEXLOWER.encode(before))
}

/// The first 16 bytes.
pub(super) fn half(digest: &[u8; 32]) -> [u8; 16] {
    digest.first_chunk().copied().unwrap_or_default()
}

/// The text whose SHA-256 is the seal (Z1). `side` is the name of the side that seals.
#[must_use]
pub fn seal_text(game: &str, side: &str, label: &str, payload: &str, nonce: &Nonce) -> String {
    let mut text = String::with_capacity(64 + game.len() + side.len() + label.len() + payload.len());
    push_parts(&mut text, &["pbem1|", game, "|", side, "|", label, "|", payload, "|"]);
    HEXLOWER.encode_append(&nonce.0, &mut text);
    text
}

fn push_parts(text: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| text.push_str(part));
}

/// The same text up to the payload.
pub(super) fn seal_text_head(game: &str, side: &str, label: &str) -> String {
    format!("pbem1|{game}|{side}|{label}|")
}

/// The seal of a payload (Z1).
#[must_use]
pub fn seal(game: &str, side: &str, label: &str, payload: &str, nonce: &Nonce) -> Seal {
    Seal(Sha256::digest(seal_text(game, side, label, payload, nonce)).into())
}

/// The text whose SHA-256 gives eight words of a throw, those of the digest with this `count` (Z8).
#[must_use]
pub fn dice_text(game: &str, label: &str, nonce: &Nonce, salt: &Salt, count: u32) -> String {
    format!("pbem1|{game}|dice|{label}|{nonce}|{salt}|{count}")
}

/// The stream of words for a throw (Z8), each with the number of the digest it comes from.
pub fn words(game: &str, label: &str, nonce: &Nonce, salt: &Salt) -> impl Iterator<Item = (u32, u32)> {
    (0..).flat_map(move |count| {
        let digest: [u8; 32] = Sha256::digest(dice_text(game, label, nonce, salt, count)).into();
        words_of(&digest).into_iter().map(move |word| (count, word))
    })
}

/// The face of a die for a word; `None` if the word is rejected because it would favour the low faces (Z8).
#[must_use]
pub const fn face(word: u32, sides: u32) -> Option<u32> {
    let Some(fair) = (1u64 << 32).checked_div(sides as u64) else { return None };
    if (word as u64) < fair * sides as u64 { Some(word % sides + 1) } else { None }
}

/// The faces shown by dice with these numbers of sides (Z8). A die without sides shows none.
#[must_use]
pub fn throw(game: &str, label: &str, nonce: &Nonce, salt: &Salt, dice: &[u32]) -> Faces {
    let mut words = words(game, label, nonce, salt);
    dice.iter().filter(|sides| **sides > 0).filter_map(|sides| words.find_map(|(_, word)| face(word, *sides))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_called_as_players_call_it() {
        for (label, words) in [
            ("token.39", "token 39"),
            ("token.4.2", "token 4"),
            ("roll.3", "the dice of challenge 3"),
            ("deck.1.12", "card 12 of the deck"),
            ("deck.2.5", "card 5 of deck 2"),
            ("toss", "the toss"),
            ("deploy", "the deployment"),
        ] {
            assert_eq!(super::sealed_thing(label), words);
        }
    }

    #[test]
    fn z8_words_above_the_last_whole_round_are_rejected() {
        for sides in [10, 12, 20] {
            let fair = (1u64 << 32) / u64::from(sides) * u64::from(sides);
            assert_eq!(face(u32::try_from(fair - 1).expect("a word"), sides), Some(sides));
            assert_eq!(face(u32::try_from(fair).expect("a word"), sides), None);
            assert_eq!(face(0, sides), Some(1));
        }
        assert_eq!(face(u32::MAX, 16), Some(16), "no word is rejected where the sides divide the words");
        assert_eq!(face(7, 0), None);
    }

    #[test]
    fn z2_a_secret_is_never_displayed() {
        let secret = Secret::read(&"ab".repeat(32)).expect("a secret");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(*secret.reveal(), "ab".repeat(32));
        for text in ["", "ab", &"AB".repeat(32), &"ab".repeat(33)] {
            assert!(Secret::read(text).is_none(), "{text}");
        }
    }
}
