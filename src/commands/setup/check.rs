//! Checks whether what the settings say works: each thing is tried, and failures are named.

use std::path::Path;
use std::process::ExitCode;

use super::ask::say;
use super::found;
use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::keys;
use postrider_home::keys::locked::OwnKey;
use postrider_home::settings::{MailSettings, Settings, Source};
use postrider_kernel::text::printable;
use postrider_post::smtp::probe;

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
    let mut well = match (&of.name, &of.email) {
        (_, Some(email)) => told("address", Ok(email.clone()))?,
        (_, None) => told("address", Ok("none; letters then come from the address in the record".into()))?,
    };
    well &= told("games", folder(&of.games_folder()))?;
    let sending = match &of.mail {
        MailSettings::File(file) => folder(&file.outbox).map(|folder| format!("into {folder}")),
        MailSettings::Sendmail(sendmail) => match found::program(&sendmail.program) {
            Some(path) => Ok(format!("by {}", path.display())),
            None => Err(format!("the program `{}` is not on this machine", sendmail.program)),
        },
        MailSettings::Git(_) => match found::program("git") {
            Some(path) => Ok(format!("by a shared repository, with {}", path.display())),
            None => Err("the program `git` is not on this machine".to_owned()),
        },
        MailSettings::Smtp(smtp) => probe(smtp)
            .map(|()| format!("by {}:{}, which lets you in", smtp.host, smtp.port))
            .map_err(|error| error.to_string()),
    };
    well &= told("sending", sending)?;
    for source in of.sources() {
        well &= match source {
            Source::Imap => true,
            Source::Git => told("receiving", Ok("from the repository of your games".into()))?,
            Source::Path(path) if path.exists() => told("receiving", Ok(format!("from {}", path.display())))?,
            Source::Path(path) => told("receiving", Err(format!("{} is not there", path.display())))?,
        };
    }
    well &= match &of.imap {
        None if !of.sources().is_empty() => true,
        None => told("receiving", Ok("no mailbox is set: `postrider receive FILE` reads files and folders".into()))?,
        Some(imap) => {
            let opened = postrider_post::imap::probe(imap).map_err(|error| error.to_string());
            told("receiving", opened.map(|()| format!("from {} on {}:{}", imap.mailbox, imap.host, imap.port)))?
        }
    };
    Ok(well)
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

/// Checks whether files can be written to a folder, or it can be created.
#[expect(clippy::disallowed_methods, reason = "the file has no name, and is gone at once")]
fn folder(path: &Path) -> Result<String, String> {
    let shown = path.display();
    if path.is_dir() {
        return match tempfile::tempfile_in(path) {
            Ok(_) => Ok(shown.to_string()),
            Err(error) => Err(format!("{shown} cannot be written to: {error}")),
        };
    }
    if path.exists() {
        return Err(format!("{shown} is not a folder"));
    }
    match path.ancestors().skip(1).find(|above| above.exists()) {
        Some(above) if above.is_dir() => match tempfile::tempfile_in(above) {
            Ok(_) => Ok(format!("{shown} (made when it is needed)")),
            Err(error) => Err(format!("{shown} cannot be made: {error}")),
        },
        _ => Err(format!("{shown} cannot be made")),
    }
}
