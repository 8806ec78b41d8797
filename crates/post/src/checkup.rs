//! Checks whether what the settings say of mail works: each thing is tried, and failures are named.

use std::path::Path;

use crate::found;
use crate::smtp::probe;
use postrider_settings::{MailSettings, Settings, Source};

/// Tries what the settings say, tells each thing with what came of it as soon as that is known, and returns whether all is well.
///
/// # Errors
/// What `told` returns.
pub fn settings<E>(
    of: &Settings,
    mut told: impl FnMut(&str, Result<String, String>) -> Result<bool, E>,
) -> Result<bool, E> {
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
            let opened = crate::imap::probe(imap).map_err(|error| error.to_string());
            told("receiving", opened.map(|()| format!("from {} on {}:{}", imap.mailbox, imap.host, imap.port)))?
        }
    };
    Ok(well)
}

/// Checks whether files can be written to a folder, or it can be created.
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
