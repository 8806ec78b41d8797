//! A host's signed statement that it did not take an entry because of its time (Z39). The player's program then makes the entry again with
//! another time.

use super::chain::Digest;
use super::keys::{PublicKey, SecretKey, Signature};
use super::signatures::{read_signature, write_signature};
use crate::record::is_game_id;
use data_encoding::HEXLOWER;

/// What its text begins with.
const AGAIN: &str = "pbem1|again|";
/// How many texts that look like one are looked at in one letter.
const MOST: usize = 16;

/// Says that a host has not taken an entry of a game, and asks for it with another time. It counts only if it
/// [holds](Self::holds) for the host's key and the entry that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedBack {
    /// The game's id.
    pub game: String,
    /// The number of the entry.
    pub number: u32,
    signature: Signature,
}

/// The text that is signed: `digest` is h(n) with the entry.
fn text(game: &str, number: u32, digest: &Digest) -> String {
    format!("{AGAIN}{game}|{number}|{}", HEXLOWER.encode(digest))
}

impl AskedBack {
    /// Signs it with the host's key.
    #[must_use]
    pub fn signed(key: &SecretKey, game: &str, number: u32, digest: &Digest) -> Self {
        let signature = key.sign(text(game, number, digest).as_bytes());
        Self { game: game.to_owned(), number, signature }
    }

    /// Whether a host's key has signed it about the entry with this digest.
    #[must_use]
    pub fn holds(&self, host: &PublicKey, digest: &Digest) -> bool {
        host.verify(text(&self.game, self.number, digest).as_bytes(), &self.signature).is_ok()
    }

    /// Writes it: game and number, and the signature behind a space.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{AGAIN}{}|{} {}", self.game, self.number, write_signature(&self.signature))
    }

    /// Returns all in a text, each once. The two parts may stand on lines of their own, with `>` before them.
    #[must_use]
    pub fn find(text: &str) -> Vec<Self> {
        let mut found = Vec::new();
        for at in memchr::memmem::find_iter(text.as_bytes(), AGAIN.as_bytes()).take(MOST) {
            found.extend(text.get(at..).and_then(Self::read).filter(|one| !found.contains(one)));
        }
        found
    }

    /// Reads one from the beginning of a text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace().filter(|word| word.bytes().any(|byte| byte != b'>'));
        let (game, number) = words.next()?.strip_prefix(AGAIN)?.split_once('|')?;
        let is_number = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number)?;
        let signature = read_signature(words.next()?.as_bytes())?;
        is_game_id(game).then(|| Self { game: game.to_owned(), number, signature })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SecretKey {
        SecretKey::take(&mut [byte; 32])
    }

    #[test]
    fn z39_what_is_asked_back_is_found_however_a_letter_breaks_and_quotes_it() {
        let one = AskedBack::signed(&key(1), "asalto-hosted", 5, &[7; 32]);
        let line = one.line();
        for text in [
            line.clone(),
            format!("Here it is:\n{}\nBram", line.replace(' ', "\n")),
            format!("> {} {line}", line.replace(' ', "\n> ")),
        ] {
            assert_eq!(AskedBack::find(&text), std::slice::from_ref(&one), "{text}");
        }
        assert!(one.holds(&key(1).public(), &[7; 32]));
    }

    #[test]
    fn z39_what_is_asked_back_holds_for_one_host_one_game_one_entry_and_what_it_says() {
        let one = AskedBack::signed(&key(1), "asalto-hosted", 5, &[7; 32]);
        assert!(!one.holds(&key(2).public(), &[7; 32]) && !one.holds(&key(1).public(), &[8; 32]));
        for changed in [one.line().replace("|5 ", "|6 "), one.line().replace("hosted", "hasted")] {
            let read = AskedBack::read(&changed).expect("its form is right");
            assert!(!read.holds(&key(1).public(), &[7; 32]), "{changed}");
        }
        for odd in [one.line().replace("|5 ", "|05 "), one.line().replace("|5 ", "|x "), one.line().replace("==", "")] {
            assert_eq!(AskedBack::read(&odd), None, "{odd}");
        }
    }
}
