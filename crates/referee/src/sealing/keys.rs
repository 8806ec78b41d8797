//! Ed25519 keys and signatures: which keys are sound, which signatures are canonical, and how both are written (E10,
//! Z31, Z33).

use std::fmt;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::{Signature as Ed25519Signature, Signer as _, SigningKey, Verifier as _, VerifyingKey};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

/// The bytes of a signature.
pub type Signature = [u8; 64];

/// The bytes before the 32 bytes of a public key in DER (RFC 8410).
const PUBLIC_DER: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The bytes before the 32 bytes of a secret key in DER (RFC 8410).
const SECRET_DER: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const PUBLIC_FRAME: [&str; 2] = ["-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n"];
const SECRET_FRAME: [&str; 2] = ["-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n"];

/// A sound public key: the canonical encoding of a point of the curve that is not of small order (Z33).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

/// Checks signatures by one key, whose point is found once for all of them.
#[derive(Clone, Copy, Debug)]
// That of a sound public key is always known. If it were not, no signature would be valid.
pub(crate) struct Checker(Option<VerifyingKey>);

impl Checker {
    /// Checks a signature over a text: the library's strict check (Z33).
    ///
    /// # Errors
    /// If it is not valid.
    pub fn verify(&self, text: &[u8], signature: &Signature) -> Result<(), SignatureFault> {
        let Some(key) = &self.0 else { return Err(SignatureFault::False) };
        let read = Ed25519Signature::from_bytes(signature);
        if key.verify_strict(text, &read).is_ok() {
            return Ok(());
        }
        // The equation holds only because the first half is of small order, or the signature is one of several of the same value.
        let is_spelled = is_below_order(signature) && is_reduced(read.r_bytes());
        Err(if is_spelled && key.verify(text, &read).is_err() {
            SignatureFault::False
        } else {
            SignatureFault::NotCanonical
        })
    }
}

/// Why a text is not a sound public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this key {}", self.text())]
pub enum KeyFault {
    /// It is not the base64 of 32 bytes.
    Spelling,
    /// The bytes are not a point of the curve, or not its canonical encoding.
    NoPoint,
    /// The point is of small order, so that a "signature" with it can match almost any text (Z33).
    Weak,
}

impl KeyFault {
    /// Returns what is wrong, to follow the words "this key".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            KeyFault::Spelling => "is not the base64 of 32 bytes, an Ed25519 public key",
            KeyFault::NoPoint => "is not an Ed25519 public key: its 32 bytes are not a point on the curve",
            KeyFault::Weak => "is weak: it is of small order, so that its signatures would prove nothing",
        }
    }
}

/// Why a signature is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    /// The key did not sign this text.
    #[error("the key did not sign this")]
    False,
    /// Its encoding is not canonical, or its first half is a point of small order (Z33).
    #[error("this signature is not in canonical form")]
    NotCanonical,
}

impl PublicKey {
    /// Reads the base64 of a sound public key.
    ///
    /// # Errors
    /// If it is not one.
    pub fn read(text: &[u8]) -> Result<Self, KeyFault> {
        let bytes = BASE64.decode(text).map_err(|_| KeyFault::Spelling)?;
        Self::from_bytes(&bytes.try_into().map_err(|_| KeyFault::Spelling)?)
    }

    /// Makes a key from the 32 bytes of a sound public key.
    ///
    /// # Errors
    /// If they are not one.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyFault> {
        decoded(bytes).map(|_| Self(*bytes))
    }

    /// Returns the key's 32 bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// Writes the key in base64.
    #[must_use]
    pub fn text(&self) -> String {
        BASE64.encode(&self.0)
    }

    /// Writes the key's fingerprint, with which two people compare keys: the first 32 hexadecimal digits of the SHA-256
    /// of its 32 bytes, in groups of four.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digest = HEXLOWER.encode(&Sha256::digest(self.0));
        let mut text = String::with_capacity(39);
        for (nth, digit) in digest.chars().take(32).enumerate() {
            if nth > 0 && nth % 4 == 0 {
                text.push('-');
            }
            text.push(digit);
        }
        text
    }

    /// Writes the key in the format of other programs (PEM, RFC 8410).
    #[must_use]
    pub fn pem(&self) -> String {
        let der = [&PUBLIC_DER[..], &self.0].concat();
        let [begin, end] = PUBLIC_FRAME;
        format!("{begin}{}\n{end}", BASE64.encode(&der))
    }

    /// Reads what [`PublicKey::pem`] writes.
    ///
    /// # Errors
    /// If it is not in that format, or the key in it is not sound.
    pub fn from_pem(text: &str) -> Result<Self, KeyFault> {
        let der = unframed(text, PUBLIC_FRAME).ok_or(KeyFault::Spelling)?;
        let bytes = der.strip_prefix(&PUBLIC_DER).ok_or(KeyFault::Spelling)?;
        Self::from_bytes(&bytes.try_into().map_err(|_| KeyFault::Spelling)?)
    }

    /// Checks a signature over a text.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn verify(&self, text: &[u8], signature: &Signature) -> Result<(), SignatureFault> {
        self.checker().verify(text, signature)
    }

    /// Returns what checks signatures by this key.
    #[must_use]
    pub(crate) fn checker(&self) -> Checker {
        Checker(decoded(&self.0).ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.text())
    }
}

/// Returns the point of a sound public key.
fn decoded(bytes: &[u8; 32]) -> Result<VerifyingKey, KeyFault> {
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyFault::NoPoint)?;
    match key.is_weak() {
        true => Err(KeyFault::Weak),
        // The library accepts coordinates beyond the field's prime; RFC 8032 does not.
        false if !is_reduced(bytes) => Err(KeyFault::NoPoint),
        false => Ok(key),
    }
}

/// The order of the group, 2^252 + 27742317777372353535851937790883648493, least significant byte first.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Returns whether a point's coordinate, 255 bits with the least significant byte first, is below the field's prime
/// 2^255 - 19.
fn is_reduced(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    *first < 0xed || last & 0x7f != 0x7f || middle.iter().any(|&byte| byte != 0xff)
}

/// Returns whether the second half of a signature is below the order of the group.
fn is_below_order(signature: &Signature) -> bool {
    signature.iter().skip(32).rev().lt(ORDER.iter().rev())
}

/// A player's secret key. It is never displayed and is erased from memory when dropped.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Makes a key from the 32 bytes of a secret key, which are then overwritten.
    #[must_use]
    pub fn take(bytes: &mut [u8; 32]) -> Self {
        let key = Self(SigningKey::from_bytes(bytes));
        bytes.zeroize();
        key
    }

    /// Reads what [`SecretKey::reveal`] writes; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let der = Zeroizing::new(unframed(text, SECRET_FRAME)?);
        let mut bytes = Zeroizing::new([0; 32]);
        bytes.copy_from_slice(der.strip_prefix(&SECRET_DER).filter(|bytes| bytes.len() == 32)?);
        Some(Self::take(&mut bytes))
    }

    /// Writes the key in the format of other programs (PEM, RFC 8410). The caller is responsible for keeping the result
    /// secret.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(self.0.to_bytes());
        let der = Zeroizing::new([&SECRET_DER[..], bytes.as_slice()].concat());
        let text = Zeroizing::new(BASE64.encode(&der));
        let [begin, end] = SECRET_FRAME;
        [begin, &text, "\n", end].concat().into()
    }

    /// Returns the 32 bytes of the secret key and the 32 of the public one, as other formats have them. The caller must keep
    /// them secret.
    #[must_use]
    pub fn pair_bytes(&self) -> Zeroizing<[u8; 64]> {
        self.0.to_keypair_bytes().into()
    }

    /// Returns the same key once more.
    #[must_use]
    pub fn again(&self) -> Self {
        Self(self.0.clone())
    }

    /// Returns the public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        // The secret scalar is never a multiple of the group's order, so the point is never weak.
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs a text: the same text always gives the same signature.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> Signature {
        self.0.sign(text).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The bytes in a PEM with one line of base64.
fn unframed(text: &str, [begin, end]: [&str; 2]) -> Option<Vec<u8>> {
    let text = Zeroizing::new(text.replace("\r\n", "\n"));
    let line = text.strip_prefix(begin)?.strip_suffix(end)?.strip_suffix('\n')?;
    BASE64.decode(line.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SecretKey {
        SecretKey::take(&mut [7; 32])
    }

    /// The library's own key, as the judge.
    fn library(key: &PublicKey) -> VerifyingKey {
        VerifyingKey::from_bytes(&key.0).expect("a point")
    }

    #[test]
    fn z31_a_signature_is_valid_for_its_text_and_key_and_always_the_same() {
        let signature = key().sign(b"a text");
        assert_eq!(signature, key().sign(b"a text"));
        assert_eq!(key().public().verify(b"a text", &signature), Ok(()));
        assert_eq!(key().public().verify(b"another", &signature), Err(SignatureFault::False));
        let other = SecretKey::take(&mut [8; 32]).public();
        assert_eq!(other.verify(b"a text", &signature), Err(SignatureFault::False));
    }

    #[test]
    fn z33_a_signature_with_the_order_added_is_not_canonical() {
        let mut signature = key().sign(b"a text");
        let mut carry = 0_u16;
        for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
            carry += u16::from(*byte) + u16::from(order);
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        assert_eq!(key().public().verify(b"a text", &signature), Err(SignatureFault::NotCanonical));
    }

    #[test]
    fn z33_a_first_half_of_small_order_or_beyond_the_prime_is_refused() {
        let with = |first: [u8; 32]| {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&first);
            key().public().verify(b"a text", &signature)
        };
        // With a point of small order, the equation does not hold by chance; only a signer who wants that makes one.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        assert_eq!(with(neutral), Err(SignatureFault::False));
        let mut beyond = [0xff; 32];
        (beyond[0], beyond[31]) = (0xee, 0x7f);
        assert_eq!(with(beyond), Err(SignatureFault::NotCanonical));
    }

    #[test]
    fn z33_the_check_agrees_with_the_strict_one_of_the_library() {
        let (key, public) = (key(), key().public());
        for nth in 0..64_u8 {
            let text = [nth; 20];
            let mut signature = key.sign(&text);
            for at in [0, 1, 31, 32, 33, 62, 63] {
                for change in [0, 1, 0x10, 0x80] {
                    signature[at] ^= change;
                    let strict =
                        library(&public).verify_strict(&text, &Ed25519Signature::from_bytes(&signature)).is_ok();
                    assert_eq!(public.verify(&text, &signature).is_ok(), strict, "{at} {change}");
                    signature[at] ^= change;
                }
            }
        }
    }

    /// A signature made with zero as its secret nonce, so that its first half is the neutral point.
    #[test]
    fn z33_a_signature_made_with_the_neutral_point_is_refused_though_the_equation_holds() {
        use sha2::Sha512;
        let key = key();
        let mut first = [0; 32];
        first[0] = 1;
        // The second half is then the challenge multiplied by the secret scalar.
        let public = key.public();
        let challenge = Sha512::new().chain_update(first).chain_update(public.0).chain_update(b"a text");
        let challenge: [u8; 64] = challenge.finalize().into();
        let mut secret = key.0.to_scalar_bytes();
        secret[0] &= 0xf8;
        secret[31] = secret[31] & 0x7f | 0x40;
        let scalar = times(&reduced(&challenge), &reduced(&secret));
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&first);
        signature[32..].copy_from_slice(&scalar);
        assert!(
            library(&public).verify(b"a text", &Ed25519Signature::from_bytes(&signature)).is_ok(),
            "the equation holds"
        );
        assert_eq!(public.verify(b"a text", &signature), Err(SignatureFault::NotCanonical));
    }

    #[test]
    fn z33_a_key_with_a_part_of_small_order_is_judged_as_the_library_does() {
        use curve25519_dalek::edwards::EdwardsPoint;
        use curve25519_dalek::scalar::Scalar;
        use sha2::Sha512;
        let secret = Scalar::from(1_000_003_u64);
        let point = EdwardsPoint::mul_base(&secret) + curve25519_dalek::constants::EIGHT_TORSION[1];
        let public = PublicKey::from_bytes(&point.compress().0).expect("not weak");
        let mut found = [0; 2];
        for nth in 0..64_u8 {
            let nonce = Scalar::from(7 + u64::from(nth));
            let first = EdwardsPoint::mul_base(&nonce).compress().0;
            let challenge =
                Sha512::new().chain_update(first).chain_update(public.bytes()).chain_update([nth]).finalize();
            let second = nonce + Scalar::from_bytes_mod_order_wide(&challenge.into()) * secret;
            let signature: Signature = [first, second.to_bytes()].concat().try_into().expect("64 bytes");
            let strict = library(&public).verify_strict(&[nth], &Ed25519Signature::from_bytes(&signature)).is_ok();
            assert_eq!(public.verify(&[nth], &signature).is_ok(), strict, "{nth}");
            found[usize::from(strict)] += 1;
        }
        // The part of small order vanishes from one signature in eight.
        assert!(found[0] > found[1] && found[1] > 0, "{found:?}");
    }

    /// Reduces a number, least significant byte first, modulo the group's order.
    fn reduced(bytes: &[u8]) -> [u8; 32] {
        let mut rest = [0; 32];
        for bit in (0..8 * bytes.len()).rev() {
            rest = doubled(&rest);
            if bytes[bit / 8] >> (bit % 8) & 1 == 1 {
                let mut one = [0; 32];
                one[0] = 1;
                rest = sum(&rest, &one);
            }
        }
        rest
    }

    fn doubled(number: &[u8; 32]) -> [u8; 32] {
        sum(number, number)
    }

    fn times(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
        let mut product = [0; 32];
        for bit in (0..256).rev() {
            product = doubled(&product);
            if b[bit / 8] >> (bit % 8) & 1 == 1 {
                product = sum(&product, a);
            }
        }
        product
    }

    /// Adds two numbers below the order, modulo the order.
    fn sum(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
        let mut carry = 0_u16;
        let mut sum = [0; 32];
        for (nth, byte) in sum.iter_mut().enumerate() {
            carry += u16::from(a[nth]) + u16::from(b[nth]);
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if sum.iter().rev().lt(ORDER.iter().rev()) {
            return sum;
        }
        let mut borrow = 0_i16;
        for (byte, order) in sum.iter_mut().zip(ORDER) {
            borrow += i16::from(*byte) - i16::from(order);
            *byte = (borrow & 0xff) as u8;
            borrow >>= 8;
        }
        sum
    }

    fn with_edges(first: u8, rest: u8, last: u8) -> [u8; 32] {
        let mut bytes = [rest; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    }

    /// The points of small order in all their encodings.
    fn weak_points() -> Vec<[u8; 32]> {
        let mut list: Vec<_> = [
            (1, 0, 0),
            (1, 0, 0x80),
            (0, 0, 0),
            (0, 0, 0x80),
            (0xec, 0xff, 0x7f),
            (0xec, 0xff, 0xff),
            (0xed, 0xff, 0x7f),
            (0xed, 0xff, 0xff),
            (0xee, 0xff, 0x7f),
            (0xee, 0xff, 0xff),
        ]
        .map(|(first, rest, last)| with_edges(first, rest, last))
        .into();
        for text in [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ] {
            for sign in [0, 0x80] {
                let mut bytes: [u8; 32] = HEXLOWER.decode(text.as_bytes()).unwrap().try_into().unwrap();
                bytes[31] |= sign;
                list.push(bytes);
            }
        }
        list
    }

    #[test]
    fn z33_keys_that_are_weak_or_no_points_are_refused() {
        let with = |first, rest, last| PublicKey::from_bytes(&with_edges(first, rest, last));
        for point in weak_points() {
            assert_eq!(PublicKey::from_bytes(&point), Err(KeyFault::Weak), "{point:?}");
        }
        assert_eq!(with(2, 0, 0), Err(KeyFault::NoPoint), "not on the curve");
        // The points with coordinates 3 and 4 are on the curve, and can be encoded with the prime added.
        assert!(with(3, 0, 0).is_ok());
        assert_eq!(with(0xf0, 0xff, 0x7f), Err(KeyFault::NoPoint), "3 and the prime");
        assert_eq!(PublicKey::read(b"AAAA"), Err(KeyFault::Spelling));
    }

    #[test]
    fn keys_read_back_as_written_and_no_secret_is_shown() {
        let public = key().public();
        assert_eq!(PublicKey::read(public.text().as_bytes()), Ok(public));
        assert_eq!(PublicKey::from_pem(&public.pem()), Ok(public));
        assert_eq!(SecretKey::read(&key().reveal()).map(|key| key.public()), Some(public));
        assert_eq!(format!("{:?}", key()), "SecretKey(..)");
        for text in ["", "ab", &public.pem(), &key().reveal()[1..], &key().reveal().replace("MC4", "MC5")] {
            assert!(SecretKey::read(text).is_none());
        }
        assert_eq!(public.fingerprint().len(), 39);
    }
}
