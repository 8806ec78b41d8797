//! Entries that came as a block of text (B1): joined to the record that is here, and judged as if that had been attached.

use super::event::{Event, Fate, Outcome};
use super::receiving::{Receiving, about};
use super::refusal::OfBlock;
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
        let Block { game: id, .. } = block;
        let (first, last) = (block.first, block.last);
        let Some(here) = self.record_here(id)? else {
            if self.invitations.standing(id)? == Answered::Declined {
                self.hear(Event::DeclinedBefore { id: id.clone() });
                return Ok(of(id, Fate::Known));
            }
            return Ok(of(id, self.refused(place, mail, Some(id), OfBlock::NotHere { first, last })));
        };
        match block.continued(&here) {
            Ok(record) => self.record(place, mail, &record),
            Err(Gap::Here) => {
                let what = format!("your own record of {id} is not legal, so nothing is accepted for it");
                let path = self.file_of(id)?.map(|(path, _)| name(&path)).unwrap_or_default();
                Err(Trouble::of(what).advise(advice![Act::Verify(path), " shows what is wrong"]))
            }
            Err(gap) => Ok(of(id, self.refused(place, mail, Some(id), OfBlock::Apart { first, last, gap }))),
        }
    }

    /// Says what is wrong with a block that cannot be read; nothing if its entries are here, as if it was quoted.
    fn damaged(&mut self, place: &str, mail: &Mail, damaged: &Damaged) -> Result<Option<Outcome>, Trouble> {
        let fault = damaged.fault;
        let Some((id, first, last)) = &damaged.names else {
            return Ok(Some(Outcome::of(self.refused(place, mail, None, OfBlock::Nameless(fault)))));
        };
        let here = self.record_here(id)?;
        let entries = here.as_deref().and_then(|record| {
            let mut opened = Opened::new(record).ok()?;
            Some(opened.replay(u32::MAX).entries)
        });
        if entries.is_some_and(|entries| entries >= *last) {
            return Ok(None);
        }
        let damaged = OfBlock::Damaged { first: *first, last: *last, fault };
        Ok(Some(of(id, self.refused(place, mail, Some(id), damaged))))
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
