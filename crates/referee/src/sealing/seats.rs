//! The statement by which the owner of a key shows a host that it is theirs (Z41): without it anybody could name anybody's key.

use super::keys::{PublicKey, SecretKey, Signature};
use super::signatures::{read_signature, write_signature};

/// What its text begins with.
const SEAT: &str = "pbem1|seat|";
/// How many letters and digits a host's code has.
const CODE: usize = 16;
/// How many texts that look like one are looked at in one letter: each costs a signature.
const MOST: usize = 16;

/// Says to one host, by the code that it has sent, that a key is its writer's (Z41).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatProof {
    /// The key of the host.
    pub host: PublicKey,
    /// The key, which has signed it.
    pub key: PublicKey,
    /// The code that the host has sent to the address.
    pub code: String,
    signature: Signature,
}

impl SeatProof {
    /// Signs the statement for a host; `None` if the code has not the form of one.
    #[must_use]
    pub fn signed(key: &SecretKey, host: PublicKey, code: &str) -> Option<Self> {
        let mut proof = Self { host, key: key.public(), code: code.to_owned(), signature: [0; 64] };
        proof.signature = key.sign(proof.text().as_bytes());
        is_code(code).then_some(proof)
    }

    /// Returns the text that is signed.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{SEAT}{}|{}|{}", self.host.text(), self.key.text(), self.code)
    }

    /// Writes it: the text, and the signature behind a space.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.text(), write_signature(&self.signature))
    }

    /// Returns the first statement in a text whose signature holds (Z33). The two parts may stand on lines of their own, with `>` before
    /// them.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let starts = memchr::memmem::find_iter(text.as_bytes(), SEAT.as_bytes()).take(MOST);
        starts.filter_map(|at| Self::read(text.get(at..)?)).next()
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace().filter(|word| word.bytes().any(|byte| byte != b'>'));
        let mut parts = words.next()?.strip_prefix(SEAT)?.split('|');
        let mut key = || PublicKey::read(parts.next()?.as_bytes()).ok();
        let (host, key) = (key()?, key()?);
        let code = parts.next().filter(|code| is_code(code) && parts.next().is_none())?;
        let signature = read_signature(words.next()?.as_bytes())?;
        let proof = Self { host, key, code: code.to_owned(), signature };
        key.verify(proof.text().as_bytes(), &signature).is_ok().then_some(proof)
    }
}

/// Returns whether a text has the form of a host's code: 16 lower-case letters and digits of base 32.
fn is_code(text: &str) -> bool {
    text.len() == CODE && text.bytes().all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "abcdefgh234567ab";

    fn key(byte: u8) -> SecretKey {
        SecretKey::take(&mut [byte; 32])
    }

    fn proof() -> SeatProof {
        SeatProof::signed(&key(1), key(2).public(), CODE).expect("a code")
    }

    #[test]
    fn z41_a_statement_is_found_in_a_letter_in_one_line_or_two_and_quoted() {
        let line = proof().line();
        for text in [
            line.clone(),
            format!("Here it is:\n{}\nBram", line.replace(' ', "\n")),
            format!("> {}", line.replace(' ', "\n> ")),
        ] {
            assert_eq!(SeatProof::find(&text), Some(proof()), "{text}");
        }
    }

    #[test]
    fn z41_a_statement_by_another_key_for_another_host_or_with_another_code_does_not_hold() {
        let line = proof().line();
        let [host, own, other] = [2, 1, 3].map(|byte| key(byte).public().text());
        for changed in [line.replace(&host, &other), line.replace(&own, &other), line.replace(CODE, "abcdefgh234567ac")]
        {
            assert_ne!(changed, line);
            assert_eq!(SeatProof::find(&changed), None, "{changed}");
        }
        assert_eq!(SeatProof::signed(&key(1), key(2).public(), "short"), None);
    }
}
