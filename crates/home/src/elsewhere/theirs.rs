//! The opponent's key that the player has confirmed: it goes along with a game that is handed over. Whoever writes such a file chooses what is in
//! it, so it is trusted without a question only where nobody but the player can have written the file, and never in place of another.

use crate::keys::trust;
use crate::office::{Notice, Office};
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::{Side, advice, text::printable};
use postrider_referee::verdict::Opened;

/// Where the copy of a game has the fingerprint.
pub(super) const CONFIRMED: &str = "data/keys/confirmed";

/// Reads the fingerprint; nothing if it is not as it is written.
pub(super) fn read(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() < 64)?.strip_suffix('\n')?;
    trust::fingerprint(text).filter(|key| key == text)
}

/// What becomes of the key that was confirmed on the other machine.
#[derive(Debug)]
pub(super) enum Confirmed {
    /// It is trusted here too: whose, and its fingerprint.
    Trusted(String, String),
    /// It is not, and the player is told so.
    Told(Advice),
}

impl Confirmed {
    /// Decides it, before anything is written; nothing if the key is trusted here already.
    pub(super) fn of(office: &Office<'_>, opened: &Opened<'_>, own: Side, key: &str, is_proven: bool) -> Option<Self> {
        let player = opened.header.player(own.other());
        let who = player.email.as_deref().unwrap_or(&player.name).to_owned();
        let shown = printable(&who).into_owned();
        let trusted = office.trusted();
        let known = trust::expected(player, &trusted);
        if let Some(known) = known.filter(|known| known.fingerprint != key) {
            return Some(Self::Told(advice![
                format!(
                    "your other machine trusts the key {key} of {shown}, and this one knows another, {}, which stays; ask by some way other than mail \
                     which one is right; ",
                    known.fingerprint
                ),
                Act::TrustKey(shown.clone(), key.to_owned(), true),
                " trusts that one in its place"
            ]));
        }
        if known.is_some_and(|known| !known.pinned) {
            return None;
        }
        let front = office.ports.front;
        let question = || format!("the file says that you have confirmed the key {key} of {shown}. Trust it here too?");
        if is_proven || front.can_ask() && front.confirms(&question()) {
            return Some(Self::Trusted(who, key.to_owned()));
        }
        Some(Self::Told(advice![
            format!("the file says that you have confirmed the key {key} of {shown}; if that is so, "),
            Act::TrustKey(shown.clone(), key.to_owned(), false),
            " trusts it here too"
        ]))
    }

    /// Carries it out. What fails is told: the game goes on without.
    pub(super) fn note(self, office: &Office<'_>) {
        match self {
            Self::Told(advice) => office.tell(Notice::Hint(advice)),
            Self::Trusted(who, key) => match trust::confirm(office, &who, &key, false) {
                Ok(_) => office.tell(Notice::note(format!("the key {key} of {} is trusted here too", printable(&who)))),
                Err(trouble) => office.tell(Notice::Trouble(trouble)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_only_as_it_is_written() {
        let key = "0123-4567-89ab-cdef-0123-4567-89ab-cdef";
        assert_eq!(read(format!("{key}\n").as_bytes()).as_deref(), Some(key));
        for other in [
            key.to_owned(),
            format!("{key} mallory@example.org\n"),
            format!("{key}\n{key}\n"),
            key.to_uppercase() + "\n",
        ] {
            assert_eq!(read(other.as_bytes()), None, "{other}");
        }
    }
}
