//! What the office needs of the world around it. The program has the machine's; tests and pages have their own.

use std::path::Path;

use crate::office::Trouble;
use crate::office::notice::Notice;
use crate::send::transport::{Receipt, SendError};
use postrider_kernel::Side;
use postrider_kernel::advice::Advice;
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::locked::LockedKey;

/// The time of day.
pub trait Clock: Sync {
    /// Returns the time here, in whole seconds.
    fn now(&self) -> Time;
}

/// The source of randomness.
pub trait Randomness: Sync {
    /// Fills these bytes.
    ///
    /// # Errors
    /// Why there are no random numbers.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String>;
}

/// The way that letters go out.
pub trait Post: Sync {
    /// Hands a letter over.
    ///
    /// # Errors
    /// Why it was not taken, and whether it may have arrived all the same.
    fn send(&self, letter: &Message<'_>, settings: &MailSettings) -> Result<Receipt, SendError>;

    /// Commits a record with these words, by its author (name and address), and pushes it into the repository that both players share.
    /// Returns where it went.
    ///
    /// # Errors
    /// Why it is not there. It may have been committed.
    fn push(
        &self,
        record: &Path,
        settings: &GitSettings,
        message: &str,
        author: (&str, &str),
    ) -> Result<String, Trouble>;
}

/// What draws games as pages.
pub trait Pages: Sync {
    /// Returns the page of a record with the referee in it, as everybody may see the game, seen from a side; `None` if there is none: the
    /// record is not legal, or too long, or pages are not drawn here.
    fn page(&self, record: &[u8], from: Side) -> Option<String>;
}

/// Whoever sits in front: is told what happens meanwhile, and asked what only a person can answer.
pub trait Front: Sync {
    /// Tells what was noticed.
    fn tell(&self, notice: Notice);

    /// Asks whether entries were made elsewhere: returns whether that is denied. Without anybody to ask it is not.
    fn denies(&self, question: &str) -> bool {
        let _ = question;
        false
    }

    /// Returns whether there is somebody to ask.
    fn can_ask(&self) -> bool {
        false
    }

    /// Asks before something is done that cannot be undone; without anybody to ask it is done.
    fn confirms(&self, question: &str) -> bool {
        let _ = question;
        true
    }

    /// Opens the player's own key with its passphrase.
    ///
    /// # Errors
    /// Why it was not opened.
    fn unlock(&self, key: &LockedKey) -> Result<SecretKey, Locked>;
}

/// Why something locked was not opened, and what helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Locked {
    /// The reason.
    pub why: String,
    /// What helps.
    pub hint: Advice,
}
