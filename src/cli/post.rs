//! The post of the machine: the transports that the settings name, and repositories that two players share.

use std::path::Path;

use super::git::exchange;
use super::hints::Failure;
use crate::git::Author;
use crate::mail::{self, Message, Receipt, SendError};
use crate::office::{Post, Trouble};
use crate::store::{GitSettings, MailSettings};

/// The transports that the settings name.
pub(super) struct Transports;

impl Post for Transports {
    fn send(&self, letter: &Message<'_>, settings: &MailSettings) -> Result<Receipt, SendError> {
        mail::send(letter, settings)
    }

    fn push(
        &self,
        record: &Path,
        settings: &GitSettings,
        message: &str,
        (name, email): (&str, &str),
    ) -> Result<String, Trouble> {
        exchange::send(record, settings, message, Author { name, email }).map_err(Failure::into_trouble)
    }
}
