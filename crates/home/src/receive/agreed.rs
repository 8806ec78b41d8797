//! What waits until the player agrees: each held record is named by the digest behind its newest entry, so that agreeing means one text
//! and no other.

use data_encoding::HEXLOWER;

use super::receiving::Receiving;
use crate::office::{Trouble, name};
use crate::receive::decision::{lines_from, unix};
use crate::receive::held_back::HeldBack;
use postrider_board::render::sheet::in_brief;
use postrider_kernel::text::printable;
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_mail::short_hex;
use postrider_referee::verdict::{Opened, newest_digest};

/// The fewest digits that name what is held back.
const FEWEST: usize = 8;

/// What a player agrees to: the entries up to one digest in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    game: String,
    digits: String,
}

impl Agreed {
    /// Names what is agreed to by the game and the first hexadecimal digits of the digest behind the newest entry.
    ///
    /// # Errors
    /// If they are not 8 to 64 hexadecimal digits.
    pub fn new(game: &str, digits: &str) -> Result<Self, Trouble> {
        let is_prefix = (FEWEST..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_prefix {
            return Err(Trouble::of(format!(
                "`{}` does not name an entry: that takes the first digits of its digest, at least {FEWEST}, as they are shown with \
                 an entry that is held back",
                printable(digits)
            )));
        }
        Ok(Self { game: game.to_owned(), digits: digits.to_ascii_lowercase() })
    }

    /// Whether it means this record of a game.
    pub(super) fn means(&self, id: &str, record: &[u8]) -> bool {
        self.game == id && newest_digest(record).is_some_and(|digest| self.fits(&HEXLOWER.encode(&digest)))
    }

    fn fits(&self, digest: &str) -> bool {
        digest.starts_with(&self.digits)
    }
}

/// Something that is held back until the player agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The digits that name it.
    pub digits: String,
    /// Who sent it, as its letter says.
    pub from: Option<String>,
    /// The entries that it would add, in brief.
    pub lines: Vec<String>,
    digest: String,
}

impl Waiting {
    /// The whole digest behind the newest entry, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// The digits by which a record that is held back is named, and the entries in it behind the first `made`, in brief.
pub(super) fn shown(record: &[u8], made: u32) -> Option<(String, Vec<String>)> {
    let digits = short_hex(&newest_digest(record)?);
    let opened = Opened::new(record).ok()?;
    let lines = lines_from(&opened, made.saturating_add(1));
    Some((digits, lines.iter().map(|line| in_brief(&printable(line))).collect()))
}

impl Receiving<'_> {
    /// Returns what waits in a game until the player agrees, each once.
    ///
    /// # Errors
    /// If it cannot be listed or read.
    pub fn waiting(&mut self, id: &str) -> Result<Vec<Waiting>, Trouble> {
        let folders = self.office.folders();
        let store = HeldBack::new(folders);
        let failed = |error: std::io::Error| Trouble::of(format!("{}: {error}", folders.held_back().display()));
        let mut found: Vec<Waiting> = Vec::new();
        for path in store.undecided().map_err(failed)? {
            let message =
                store.read(&path).map_err(|error| Trouble::of(format!("{} cannot be read: {error}", name(&path))))?;
            let mail = incoming::read(&message);
            for record in self.records_of(&mail, id)? {
                let made = self.record_here(id)?.and_then(|here| {
                    let mut opened = Opened::new(&here).ok()?;
                    Some(opened.replay(u32::MAX).entries)
                });
                let (Some(digest), Some((digits, lines))) =
                    (newest_digest(&record).map(|digest| HEXLOWER.encode(&digest)), shown(&record, made.unwrap_or(0)))
                else {
                    continue;
                };
                // What brings nothing new is no longer to be agreed to.
                if !lines.is_empty() && found.iter().all(|one| one.digest != digest) {
                    found.push(Waiting { digits, from: mail.from.clone(), lines, digest });
                }
            }
        }
        Ok(found)
    }

    /// The records of a game that a message brings, attached or as blocks.
    fn records_of(&mut self, mail: &Mail, id: &str) -> Result<Vec<Vec<u8>>, Trouble> {
        let is_meant = |record: &Vec<u8>| Opened::new(record).is_ok_and(|opened| opened.header.id == id);
        let mut records: Vec<Vec<u8>> =
            mail.records.iter().map(|record| unix(record).to_vec()).filter(is_meant).collect();
        for block in mail.entries.blocks.iter().filter(|block| block.game == id) {
            let here = self.record_here(id)?;
            records.extend(here.and_then(|here| block.continued(&here).ok()).map(|record| unix(&record).to_vec()));
        }
        Ok(records)
    }
}

/// Whether nothing that waits begins with the digits that are agreed to.
#[must_use]
pub fn is_new(waiting: &[Waiting], agreed: &Agreed) -> bool {
    !waiting.iter().any(|one| agreed.fits(&one.digest))
}

/// Returns the one thing that is agreed to among what waits, or why there is none.
///
/// # Errors
/// If nothing that waits begins with these digits, or more than one does.
pub fn chosen<'w>(waiting: &'w [Waiting], agreed: &Agreed) -> Result<&'w Waiting, Trouble> {
    let mut fitting = waiting.iter().filter(|one| agreed.fits(&one.digest));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(Trouble::of(format!(
            "nothing that is held back in {} begins with the digits {}",
            printable(&agreed.game),
            agreed.digits
        ))),
        (Some(_), Some(_)) => Err(Trouble::of(format!(
            "more than one thing that is held back in {} begins with the digits {}: give more digits",
            printable(&agreed.game),
            agreed.digits
        ))),
    }
}
