//! What the program would write back about a reply, drafted for the player to send.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::letters;
use crate::office::{Office, Trouble, name};
use postrider_disk::disk::FileError;
use postrider_mail::incoming::MAX_MESSAGE;
use postrider_mail::{Draft, Message, Party, notice, reread};
use postrider_referee::desk::Desk;
use postrider_referee::record::Header;
use postrider_settings::{MailSettings, Settings};

use super::transport::Receipt;

/// The folder of drafts.
pub(crate) fn drafts(settings: &Settings) -> PathBuf {
    match &settings.mail {
        MailSettings::File(file) => file.outbox.join("drafts"),
        MailSettings::Sendmail(_) | MailSettings::Smtp(_) | MailSettings::Git(_) => {
            settings.folders.outbox().join("drafts")
        }
    }
}

/// The names that drafts about an entry of a game may have: what answers a letter, and what is for one of the sides.
fn draft_names(header: &Header<'_>, entry: u32) -> [String; 3] {
    let [first, second] = header.info.sides.map(|side| format!(".{}", side.word));
    [None, Some(first), Some(second)].map(|of_side| draft_name(&header.id, entry, of_side.as_deref()))
}

/// Made only of the game's validated id, a number, and the word for a side.
pub(crate) fn draft_name(game: &str, entry: u32, of_side: Option<&str>) -> String {
    format!("{game}.{entry}{}.eml", of_side.unwrap_or_default())
}

/// A draft, as the letter that it becomes.
#[derive(Debug)]
pub struct Drafted<'d> {
    file: &'d Path,
    /// To whom it goes.
    pub to: &'d str,
    /// The letter.
    pub letter: &'d Message<'d>,
}

impl Drafted<'_> {
    /// Mails it and removes the draft. If that stays, it is only sent once more, so why it does is returned beside the receipt.
    ///
    /// # Errors
    /// If the letter was not sent.
    pub fn send(&self, office: &Office<'_>) -> Result<(Receipt, Option<FileError>), Trouble> {
        let receipt = office.hand_over(self.letter)??;
        Ok((receipt, office.disk().remove(self.file).err()))
    }
}

/// Passes the drafts about the entry that is due to `each`.
///
/// # Errors
/// If there is none, one cannot be read or is no draft any more, and those of `each`.
pub fn each<E: From<Trouble>>(
    office: &Office<'_>,
    desk: &Desk<'_>,
    mut each: impl FnMut(&Drafted<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let header = &desk.opened.header;
    let entry = desk.opened.table.standing().entries.saturating_add(1);
    let folder = drafts(office.settings()?);
    let about = letters::newest_id(desk).unwrap_or_default();
    let mut count = 0;
    for file in draft_names(header, entry).map(|name| folder.join(name)) {
        let bytes = match office.disk().read(&file, MAX_MESSAGE as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(Trouble::of(format!("{} cannot be read: {error}", name(&file))).into()),
        };
        count += 1;
        let read = reread(&bytes).ok_or_else(|| {
            Trouble::of(format!("{} is not a draft any more", name(&file)))
                .advise("send it with your mail program, or delete it")
        })?;
        let letter = Draft {
            from: Party { name: &read.from.0, address: &read.from.1 },
            to: Party { name: &read.to.0, address: &read.to.1 },
            subject: &read.subject,
            answers: read.answers.as_deref(),
            thread: read.thread.as_deref(),
            when: office.date(),
            text: &read.text,
            html: read.html.as_ref(),
            cid: &read.cid,
        };
        let letter = notice(&letter, &about, (&*header.id, entry, count)).map_err(Trouble::from)?;
        each(&Drafted { file: &file, to: &read.to.1, letter: &letter })?;
    }
    match count {
        0 => Err(Trouble::of(format!("there is no draft about entry {entry} of {}", header.id)).into()),
        _ => Ok(()),
    }
}
