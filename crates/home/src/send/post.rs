//! Sends each letter that is owed exactly once: the transport, with the notes of what was sent around it.

use chrono::{DateTime, Utc};

use crate::send::sent::{Delivery, SentNotes, SentNotesError};
use crate::send::transport::{Receipt, SendError};
use postrider_mail::letter::Message;

/// What happened to a letter.
#[derive(Debug)]
pub enum Posted {
    /// The transport accepted it.
    Sent {
        /// Where it went.
        receipt: Receipt,
        /// Its state before: [`Delivery::Unsure`] if an earlier run may have sent it, [`Delivery::Sent`] if it was sent
        /// again by force.
        before: Delivery,
    },
    /// It was already sent, and was not sent again.
    Already {
        /// When.
        at: DateTime<Utc>,
        /// The file that it was written to, if the player mails it.
        file: Option<String>,
    },
}

/// Why a letter was not sent, or not noted as sent.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The notes of what was sent could not be read or written. Nothing was sent.
    #[error(transparent)]
    SentNotes(SentNotesError),
    /// The transport did not accept it. It is still owed.
    #[error(transparent)]
    Send(SendError),
    /// It was sent, but that could not be noted: it counts as being sent, and would be sent again.
    #[error("the letter was {receipt}, but that could not be noted: {error}")]
    Unnoted {
        /// Where it went.
        receipt: Receipt,
        /// Why it was not noted.
        #[source]
        error: SentNotesError,
    },
}

/// How a letter is to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Whether it is sent although it was sent before.
    pub force: bool,
    /// Whether this run has noted already that it is about to be sent.
    pub promised: bool,
}

/// Sends `message` by `send`, unless according to the notes of the letters about its game it was sent already. `now` is the time that is noted.
///
/// # Errors
///
/// [`PostError`]. After a definite refusal the letter is still owed; if it may have arrived, it counts as being sent.
pub fn post(
    message: &Message<'_>,
    send: impl FnOnce(&Message<'_>) -> Result<Receipt, SendError>,
    ledger: &mut SentNotes,
    wish: Wish,
    now: DateTime<Utc>,
) -> Result<Posted, PostError> {
    let (to, message_id) = (message.to(), message.message_id());
    let before = ledger.standing(to, &message_id);
    if let Delivery::Sent(at) = before
        && !wish.force
    {
        return Ok(Posted::Already { at, file: ledger.file(to, &message_id).map(str::to_owned) });
    }
    if !(wish.promised && matches!(before, Delivery::Unsure(_))) {
        ledger.sending(message.entry(), to, &message_id, now).map_err(PostError::SentNotes)?;
    }
    match send(message) {
        Ok(receipt) => {
            let noted = match &receipt {
                Receipt::File(file) | Receipt::Opened(file) | Receipt::Unopened(file, _) => {
                    ledger.written(to, &message_id, file, now)
                }
                Receipt::Program(_) | Receipt::Server(..) => ledger.sent(to, &message_id, now),
            };
            match noted {
                Ok(()) => Ok(Posted::Sent { receipt, before }),
                Err(error) => Err(PostError::Unnoted { receipt, error }),
            }
        }
        Err(error) => {
            // If this fails, the letter counts as being sent, which is safe: it is sent once more.
            let _ = match before {
                _ if error.may_have_arrived() => Ok(()),
                Delivery::Owed => ledger.not_sent(to, &message_id),
                Delivery::Unsure(_) => Ok(()),
                Delivery::Sent(at) => ledger.sent(to, &message_id, at),
            };
            Err(PostError::Send(error))
        }
    }
}
