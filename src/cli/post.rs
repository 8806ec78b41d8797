//! The post of the machine: the transports that the settings name, and repositories that two players share.

use std::path::Path;

use super::hints::Failure;
use super::home::office;
use crate::commands::receive;
use postrider_git::{Author, shared};
use postrider_home::office::{Post, Trouble};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_mail::Message;
use postrider_settings::{GitSettings, MailSettings};

/// The transports that the settings name.
pub(super) struct Transports;

impl Post for Transports {
    fn send(&self, letter: &Message<'_>, settings: &MailSettings) -> Result<Receipt, SendError> {
        postrider_post::local::send(letter, settings)
    }

    fn push(
        &self,
        record: &Path,
        settings: &GitSettings,
        message: &str,
        (name, email): (&str, &str),
    ) -> Result<String, Trouble> {
        let office = office().map_err(Failure::into_trouble)?;
        receive::told_first(|told| shared::send(&office, record, settings, message, Author { name, email }, told))
    }
}
