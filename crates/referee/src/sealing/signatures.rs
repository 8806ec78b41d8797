//! The signatures of one record, as far as it was replayed: the known keys, the chain so far, and whether each entry
//! is signed with the right key (Z30 to Z33).

use data_encoding::{BASE64, HEXLOWER};

use super::chain::{Digest, Link};
use super::keys::{Checker, PublicKey, Signature, SignatureFault};
use postrider_kernel::Side;

/// Which signatures are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// Each one, together with its entry.
    #[default]
    All,
    /// Only that each is present, and at the end the newest of each side (Z34).
    Newest,
    /// None, not even whether they are present: for an entry that is yet to be signed, and for what has been checked
    /// before.
    Nothing,
}

/// Returns the text that is signed with an entry (Z31).
#[must_use]
pub fn signed_text(game: &str, number: u32, digest: &Digest) -> String {
    format!("pbem1|{game}|{number}|{}", HEXLOWER.encode(digest))
}

/// The text that is signed with a receipt for all up to an entry (Z35): `begin` is h(0), `digest` h(n).
#[must_use]
pub fn receipt_text(game: &str, side: &str, number: u32, begin: &Digest, digest: &Digest) -> String {
    format!("pbem1|receipt|{game}|{side}|{number}|{}|{}", HEXLOWER.encode(begin), HEXLOWER.encode(digest))
}

/// A signature in base64, as a record has it. It is decoded only when it is checked, because most are not if only the
/// newest count (Z34).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureText([u8; SignatureText::LENGTH]);

impl SignatureText {
    /// The length of 64 bytes in base64.
    pub const LENGTH: usize = 88;

    /// Reads it; `None` if it is not the base64 of 64 bytes.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() | (byte == b'+') | (byte == b'/');
        let text: &[u8; Self::LENGTH] = text.try_into().ok()?;
        let (digits, end) = text.split_at(Self::LENGTH - 3);
        // 64 bytes end after the first two bits of the last digit, and the others are zero.
        let ends = matches!(end, [b'A' | b'Q' | b'g' | b'w', b'=', b'=']);
        // A fold without an early exit is what the compiler turns into vector instructions.
        (ends && digits.iter().fold(true, |all, &digit| all & is_digit(digit))).then_some(Self(*text))
    }

    /// Decodes it.
    #[must_use]
    pub fn signature(&self) -> Option<Signature> {
        read_signature(&self.0)
    }
}

/// Reads a signature in base64.
#[must_use]
pub(crate) fn read_signature(text: &[u8]) -> Option<Signature> {
    BASE64.decode(text).ok()?.try_into().ok()
}

/// Writes a signature in base64.
#[must_use]
pub fn write_signature(signature: &Signature) -> String {
    BASE64.encode(signature)
}

/// A signed entry: what is needed to check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The entry's number.
    pub number: u32,
    /// The key that must have signed it.
    pub key: PublicKey,
    /// The digest of the chain including the entry.
    pub digest: Digest,
    /// The signature.
    pub signature: SignatureText,
}

impl Signed {
    /// Returns the text that is signed, in the game with this id (Z31).
    #[must_use]
    pub fn text(&self, game: &str) -> String {
        signed_text(game, self.number, &self.digest)
    }

    /// Checks the signature, in the game with this id.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn verify(&self, game: &str) -> Result<(), SignatureFault> {
        self.verify_by(game, &self.key.checker())
    }

    /// Checks the signature like [`Signed::verify`], with what checks those by its key.
    ///
    /// # Errors
    /// If it is not valid.
    pub(crate) fn verify_by(&self, game: &str, checker: &Checker) -> Result<(), SignatureFault> {
        let (text, signature) = self.parts(game);
        checker.verify(text.as_bytes(), &signature)
    }

    /// Returns the text that is signed, and the signature's bytes.
    fn parts(&self, game: &str) -> (String, Signature) {
        // Its form was checked when it was read; without, it would not be canonical, and neither are these bytes.
        (self.text(game), self.signature.signature().unwrap_or([0xff; 64]))
    }
}

/// The keys and the chain of a record that has keys or signatures.
#[derive(Clone, Debug)]
pub struct Signatures {
    game: String,
    link: Link,
    /// The key of the host, and the chain without times and messages (Z40), in a hosted game.
    host: Option<(PublicKey, Link)>,
    keys: [Option<PublicKey>; 2],
    newest: [Option<Signed>; 2],
    last: Option<(Side, String)>,
}

impl Signatures {
    /// Starts with the game's id, the beginning of the chain, and the keys that the header names.
    #[must_use]
    pub fn new(game: &str, begin: Link, keys: [Option<PublicKey>; 2]) -> Self {
        Self { game: game.to_owned(), link: begin, host: None, keys, newest: [None; 2], last: None }
    }

    /// Makes them those of a hosted game, by the host's key (Z38). Call it at the beginning of the chain.
    #[must_use]
    pub fn with_host(self, key: Option<PublicKey>) -> Self {
        Self { host: key.map(|key| (key, self.link)), ..self }
    }

    /// Returns the game's id.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Returns the key that a side's entries are signed with, if one is known so far: its own, otherwise the host's (Z38).
    #[must_use]
    pub fn key(&self, side: Side) -> Option<PublicKey> {
        self.own_key(side).or(self.host())
    }

    /// Returns the key of a side's own, if it is known so far.
    #[must_use]
    pub fn own_key(&self, side: Side) -> Option<PublicKey> {
        self.keys[side.index()]
    }

    /// Returns the host's key, in a hosted game.
    #[must_use]
    pub fn host(&self) -> Option<PublicKey> {
        self.host.map(|(key, _)| key)
    }

    /// Returns the chain so far.
    #[must_use]
    pub fn link(&self) -> Link {
        self.link
    }

    /// Returns the digest that nonces, salts and choices of the next entry follow from: that of the chain (Z21), or in a hosted game
    /// that of the chain without times and messages, which are the host's to choose (Z40).
    #[must_use]
    pub fn before(&self) -> Digest {
        self.host.map_or(self.link, |(_, bare)| bare).digest()
    }

    /// Returns the newest signed entry of a side.
    #[must_use]
    pub fn newest(&self, side: Side) -> Option<&Signed> {
        self.newest[side.index()].as_ref()
    }

    /// Returns the side of the last entry, and its canonical line (Z30).
    #[must_use]
    pub fn last(&self) -> Option<(Side, &str)> {
        self.last.as_ref().map(|(side, line)| (*side, line.as_str()))
    }

    /// Adds a legal entry: its canonical line and the chain including it, the key of its side's own from now on, and what
    /// signs it.
    pub fn keep(&mut self, side: Side, (line, link): (String, Link), key: Option<PublicKey>, signed: Option<Signed>) {
        let index = side.index();
        self.link = link;
        self.host = self.host.map(|(key, bare)| (key, bare.then_bare(&line)));
        self.last = Some((side, line));
        self.keys[index] = key;
        if signed.is_some() {
            self.newest[index] = signed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z31_a_signature_is_the_base64_of_64_bytes_and_nothing_else() {
        let text = write_signature(&std::array::from_fn(|at| (at as u8).wrapping_mul(37)));
        assert_eq!(
            SignatureText::read(text.as_bytes()).and_then(|text| text.signature()),
            read_signature(text.as_bytes())
        );
        assert!(read_signature(text.as_bytes()).is_some());
        // Every byte in every place, every shorter and longer text: as the library decides.
        for at in 0..text.len() {
            for byte in 0..=255 {
                let mut other = text.clone().into_bytes();
                other[at] = byte;
                let read = SignatureText::read(&other);
                assert_eq!(read.is_some(), read_signature(&other).is_some(), "{at} {byte}");
                assert_eq!(read.and_then(|text| text.signature()), read_signature(&other));
            }
            assert_eq!(SignatureText::read(&text.as_bytes()[at + 1..]), None);
        }
        assert_eq!(SignatureText::read(format!("{text}=").as_bytes()), None);
    }
}
