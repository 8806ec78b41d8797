//! The tokens in reply addresses: what shows that a letter comes from somebody who got one of the host's. 80 bits of an HMAC by the
//! host's secret, in base 32, so that letter case does not matter and no mail system stumbles over it.

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How many bytes of the HMAC a token has.
const BYTES: usize = 10;
/// How many letters and digits that makes.
pub(super) const LENGTH: usize = 16;

/// The host's secret.
#[derive(Clone)]
pub(super) struct Key(pub(super) [u8; 32]);

impl Key {
    /// The token of these parts, in lower case.
    pub(super) fn token(&self, parts: &[&str]) -> String {
        BASE32_NOPAD.encode(&self.digest(parts)[..BYTES]).to_ascii_lowercase()
    }

    /// A name for a file that tells nothing of what it is about.
    pub(super) fn name(&self, parts: &[&str]) -> String {
        BASE32_NOPAD.encode(&self.digest(parts)[..20]).to_ascii_lowercase()
    }

    fn digest(&self, parts: &[&str]) -> [u8; 32] {
        // A key of any length fits.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

/// Returns whether a word has the form of a token.
fn is_token(word: &str) -> bool {
    word.len() == LENGTH && word.bytes().all(|byte| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(&byte))
}

/// The tokens in the lines that say to whom a message was sent, and in its subject, in lower case, each once.
pub(super) fn tokens(sent_to: &str, subject: &str) -> Vec<String> {
    let in_addresses = sent_to.split('+').skip(1).filter_map(|rest| rest.split_once('@').map(|(word, _)| word));
    let in_subject = subject.split_whitespace().filter_map(|word| word.strip_prefix('+'));
    let mut found: Vec<String> = Vec::new();
    for token in in_addresses.chain(in_subject).filter(|word| is_token(word)).map(str::to_ascii_lowercase) {
        if !found.contains(&token) && found.len() < 8 {
            found.push(token);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_worth_what_it_was_made_of_and_nothing_else() {
        let key = Key([7; 32]);
        let token = key.token(&["seat", "asalto-x", "0", "ada@example.org"]);
        assert!(is_token(&token) && token.len() == 16, "{token}");
        assert_eq!(token, key.token(&["seat", "asalto-x", "0", "ada@example.org"]));
        // Where one part ends and the next begins counts.
        assert_ne!(token, key.token(&["seat", "asalto-x0", "", "ada@example.org"]));
        assert_ne!(token, Key([8; 32]).token(&["seat", "asalto-x", "0", "ada@example.org"]));
    }

    #[test]
    fn tokens_are_found_in_addresses_and_subjects_in_any_letter_case() {
        let sent =
            "Games <games+ABCDEFGHIJKLMNOP@example.com>, ada+list@example.org\ngames+abcdefghijklmnop@example.com";
        assert_eq!(tokens(sent, "Re: x +qrstuvwxyz234567 +short"), ["abcdefghijklmnop", "qrstuvwxyz234567"]);
        assert!(tokens("games@example.com", "Re: 1+1").is_empty());
    }
}
