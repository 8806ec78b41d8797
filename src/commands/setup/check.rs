//! Says whether what the settings say works.

use std::process::ExitCode;

use super::ask::say;
use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::keys;
use postrider_kernel::text::printable;
use postrider_settings::{MailSettings, Settings};
use postrider_vault::locked::OwnKey;

/// Checks everything, including the key.
pub(super) fn all(of: &Settings) -> Result<ExitCode, Failure> {
    let file = of.folders.settings_file();
    if file.exists() {
        say(format!("ok     settings  {}\n", name(&file)))?;
    } else {
        say(format!("ok     settings  none at {}: the defaults hold\n", name(&file)))?;
    }
    let mut well = settings(of)?;
    well &= match keys::keyring()?.own() {
        Ok(Some(key)) => {
            let lock = if matches!(key, OwnKey::Locked(_)) { ", locked with a passphrase" } else { "" };
            told("key", Ok(format!("{}{lock}", key.public().fingerprint())))?
        }
        Ok(None) => told("key", Ok("none; entries are not signed".into()))?,
        Err(error) => told("key", Err(error.to_string()))?,
    };
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(hints::REFUSED) })
}

/// Checks the settings, prints each result, and returns whether all is well.
pub(super) fn settings(of: &Settings) -> Result<bool, Failure> {
    postrider_post::checkup::settings(of, told)
}

/// Says how letters are sent.
pub(super) fn in_words(mail: &MailSettings) -> String {
    match mail {
        MailSettings::File(file) if file.open => "in your mail program, as drafts".to_owned(),
        MailSettings::File(file) => format!("into the folder {}", file.outbox.display()),
        MailSettings::Sendmail(sendmail) => format!("by {}", sendmail.program),
        MailSettings::Smtp(smtp) => format!("by the server {}", smtp.host),
        MailSettings::Git(_) => "by a shared git repository".to_owned(),
    }
}

fn told(what: &str, found: Result<String, String>) -> Result<bool, Failure> {
    let (word, text) = match &found {
        Ok(text) => ("ok", text),
        Err(text) => ("FAILS", text),
    };
    say(format!("{word:5}  {what:9} {}\n", printable(text)))?;
    Ok(found.is_ok())
}
