//! Why something was not done, as values: whoever shows it finds the words for what may be done about it.

use crate::conditions::notes::ConditionsError;
use crate::elsewhere::NotHere;
use crate::invite::kept::InvitationError;
use crate::office::ports::Locked;
use crate::overview::shelf::Unread;
use crate::send::post::PostError;
use crate::send::sent::SentNotesError;
use crate::send::transport::SendError;
use postrider_disk::disk::FileError;
use postrider_disk::settings_error::SettingsError;
use postrider_kernel::Lost;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice, Insist};
use postrider_mail::LetterError;
use postrider_mail::address::AddressError;
use postrider_referee::desk::Refusal;
use postrider_referee::sealing::NotSigned;
use postrider_referee::verdict::{Ruling, Verdict};
use postrider_vault::backup::BackupFault;
use postrider_vault::journal::JournalError;
use postrider_vault::kept::SecretsError;
use postrider_vault::keyring::KeyringError;
use postrider_vault::locked::LockFault;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Something is in the way: what, and what helps.
    #[error("{0}")]
    Obstacle(String, Option<Advice>),
    /// It is refused by a rule, or because it makes no sense here.
    #[error("{what}")]
    Refused {
        /// What is wrong.
        what: String,
        /// What helps.
        advice: Option<Advice>,
        rule: Option<&'static str>,
    },
    /// An entry is refused.
    #[error("{verdict}")]
    Entry {
        /// What was typed, with the message and time that were to follow it if the fault is there.
        typed: String,
        /// The verdict on it, with places in that text.
        verdict: Box<Verdict>,
        /// The game, as whoever asked called it.
        game: String,
        /// What helps besides.
        advice: Option<Advice>,
    },
    /// A record is not legal, or could not be judged.
    #[error("{name} is {verdict}")]
    Record {
        /// Its bytes.
        record: Vec<u8>,
        /// What it is called.
        name: String,
        verdict: Box<Verdict>,
        /// Whether it is a game of the player, with which something may be done about it.
        own: bool,
    },
    /// A file could not be written or read.
    #[error(transparent)]
    File(FileError),
}

impl Trouble {
    /// Something is in the way.
    pub fn of(what: impl Into<String>) -> Self {
        Self::Obstacle(what.into(), None)
    }

    /// Adds what helps.
    #[must_use]
    pub fn advise(self, help: impl Into<Advice>) -> Self {
        match self {
            Self::Obstacle(what, _) => Self::Obstacle(what, Some(help.into())),
            Self::Refused { what, rule, .. } => Self::Refused { what, rule, advice: Some(help.into()) },
            Self::Entry { typed, verdict, game, .. } => Self::Entry { typed, verdict, game, advice: Some(help.into()) },
            other => other,
        }
    }

    /// Makes of what is in the way a refusal, by a rule where there is one.
    #[must_use]
    pub fn refused(self, rule: Option<&'static str>) -> Self {
        match self {
            Self::Obstacle(what, advice) => Self::Refused { what, advice, rule },
            other => other,
        }
    }

    /// The message about an entry that was not made in the game of this name.
    #[must_use]
    pub fn refusal(game: &str, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Record(verdict) => {
                let trouble = Self::of(format!("{game} is {}, so nothing can be entered", verdict.ruling.word()));
                let trouble = trouble.advise(advice![Act::Verify(game.to_owned()), " shows what is wrong"]);
                match verdict.ruling {
                    Ruling::Illegal | Ruling::Malformed => trouble.refused(None),
                    Ruling::Legal | Ruling::Unjudged => trouble,
                }
            }
            Refusal::Over(result) => {
                Self::of(format!("the game is over ({result}): nothing can be entered (E4)")).refused(Some("E4"))
            }
            Refusal::Ahead(last, now) => Self::of(format!(
                "the previous entry is dated {last}, more than ten minutes ahead of the clock here ({now}), and no entry is earlier than the \
                 one before it (E3)"
            ))
            .advise(advice!["if the clock here is right, wait until then, or say ", Insist::Time]),
            Refusal::Aside => Self::of("a time or a message does not belong among the actions")
                .advise(advice![Insist::OfTime, " gives the time, ", Insist::Message, " the message"])
                .refused(None),
            Refusal::Message(why) => {
                Self::of(format!("{why} (E9)")).advise("write a message without that").refused(Some("E9"))
            }
            Refusal::Lost(why) => why.into(),
            Refusal::NotSigned(why) => why.into(),
            Refusal::Entry(typed, verdict) => Self::Entry { typed, verdict, game: game.to_owned(), advice: None },
            Refusal::Unsound(record, verdict) => {
                Self::Record { record, name: "the record with the entry".to_owned(), verdict, own: false }
            }
        }
    }
}

/// What the store and the makers of letters say is wrong, in their own words.
macro_rules! in_their_words {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Trouble {
            fn from(error: $error) -> Self {
                Self::of(error.to_string())
            }
        })*
    };
}
in_their_words!(
    KeyringError,
    SecretsError,
    JournalError,
    SentNotesError,
    InvitationError,
    ConditionsError,
    LetterError,
    SettingsError,
    AddressError,
    Unread,
    PostError,
    SendError,
);

impl From<LockFault> for Trouble {
    fn from(fault: LockFault) -> Self {
        let trouble = Self::of(fault.to_string());
        match fault {
            LockFault::Passphrase => trouble.advise(advice![Insist::Passphrase, " opens it, if it is the right one"]),
            LockFault::Unknown | LockFault::NotLocked => trouble,
        }
    }
}

impl From<BackupFault> for Trouble {
    fn from(fault: BackupFault) -> Self {
        match fault {
            BackupFault::Lock(fault) => fault.into(),
            fault => Self::of(fault.to_string()),
        }
    }
}

impl From<NotHere> for Trouble {
    fn from(why: NotHere) -> Self {
        let help = why.help();
        Self::of(why.to_string()).advise(help)
    }
}

impl From<NotSigned> for Trouble {
    fn from(NotSigned { why, hint }: NotSigned) -> Self {
        Self::of(why).advise(hint)
    }
}

impl From<Lost> for Trouble {
    fn from(Lost(why): Lost) -> Self {
        Self::of(why).advise(advice![Act::ImportSecret, " brings a secret back from a backup"])
    }
}

impl From<Locked> for Trouble {
    fn from(Locked { why, hint }: Locked) -> Self {
        Self::of(why).advise(hint)
    }
}
