//! Entries that came as a block of text (B1): joined to the record that is here, and judged as if that had been attached.

use super::event::{Event, Fate, Outcome};
use super::receiving::{Receiving, about};
use crate::invite::kept::Answered;
use crate::office::{Trouble, name};
use crate::records;
use crate::send::letters;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::block::{Block, Damaged, Gap};
use postrider_referee::verdict::Opened;

impl Receiving<'_> {
    /// Processes the blocks of a message.
    pub(super) fn blocks(&mut self, place: &str, mail: &Mail) -> Result<Vec<Outcome>, Trouble> {
        let mut outcomes = Vec::new();
        for block in &mail.entries.blocks {
            outcomes.push(self.block(place, mail, block)?);
        }
        for damaged in &mail.entries.damaged {
            outcomes.extend(self.damaged(place, mail, damaged)?);
        }
        if mail.entries.more {
            self.note(format!("{}: note: it has more blocks of entries than are read", about(place, mail)));
        }
        Ok(outcomes)
    }

    fn block(&mut self, place: &str, mail: &Mail, block: &Block) -> Result<Outcome, Trouble> {
        // All of a game, as an attached record is (B8): an invitation, where the game is not here.
        if let Some(record) = block.record() {
            return self.record(place, mail, &record);
        }
        let Block { game: id, first, last, .. } = block;
        let brings = if first == last { format!("entry {first}") } else { format!("entries {first} to {last}") };
        let Some(here) = self.record_here(id)? else {
            if self.invitations.standing(id)? == Answered::Declined {
                self.hear(Event::DeclinedBefore { id: id.clone() });
                return Ok(of(id, Fate::Known));
            }
            self.note(format!(
                "{}: {id}: refused: it brings {brings} of a game that is not here; ask for its record, as an attachment",
                about(place, mail)
            ));
            return Ok(of(id, Fate::Refused));
        };
        let why = match block.continued(&here) {
            Ok(record) => return self.record(place, mail, &record),
            Err(Gap::Here) => {
                let what = format!("your own record of {id} is not legal, so nothing is accepted for it");
                let path = self.file_of(id)?.map(|(path, _)| name(&path)).unwrap_or_default();
                return Err(Trouble::of(what).advise(advice![Act::Verify(path), " shows what is wrong"]));
            }
            Err(Gap::Missing { have }) => {
                let lacking = match (have.saturating_add(1), first.saturating_sub(1)) {
                    (one, other) if one == other => format!("entry {one} is"),
                    (one, other) => format!("entries {one} to {other} are"),
                };
                format!(
                    "it brings {brings}, and {lacking} missing here; ask for those, or for the whole record as an attachment"
                )
            }
            Err(Gap::Parted) => format!(
                "it brings {brings}, and what comes before differs from the record here; ask for the whole record, as an attachment, \
                 which shows where"
            ),
        };
        self.note(format!("{}: {id}: refused: {why}", about(place, mail)));
        Ok(of(id, Fate::Refused))
    }

    /// Says what is wrong with a block that cannot be read; nothing if its entries are here, as if it was quoted.
    fn damaged(&mut self, place: &str, mail: &Mail, damaged: &Damaged) -> Result<Option<Outcome>, Trouble> {
        let fault = damaged.fault;
        let Some((id, first, last)) = &damaged.names else {
            self.note(format!("{}: refused: a block of entries in it cannot be read: {fault}", about(place, mail)));
            return Ok(Some(Outcome::of(Fate::Refused)));
        };
        let here = self.record_here(id)?;
        let entries = here.as_deref().and_then(|record| {
            let mut opened = Opened::new(record).ok()?;
            Some(opened.replay(u32::MAX).entries)
        });
        if entries.is_some_and(|entries| entries >= *last) {
            return Ok(None);
        }
        let what =
            if first > last { "block with the game".to_owned() } else { format!("block of entries {first}-{last}") };
        self.note(format!(
            "{}: {id}: refused: its {what} cannot be read: {fault}; ask for it again, or for the record as an attachment",
            about(place, mail)
        ));
        Ok(Some(of(id, Fate::Refused)))
    }

    /// The record of a game that is here, or of an invitation, with what was taken and is not written yet.
    pub(super) fn record_here(&mut self, id: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let Some((path, _)) = self.file_of(id)? else { return Ok(None) };
        if let Some(held) = self.collected.held.get(&path) {
            return Ok(Some(held.record.clone()));
        }
        records::read(self.office, letters::Place { file: &path, name: &name(&path) }).map(Some)
    }
}

/// The outcome for a game of which nothing was taken.
fn of(id: &str, fate: Fate) -> Outcome {
    Outcome { id: Some(id.to_owned()), ..Outcome::of(fate) }
}
