//! Carries out a plan under the record's lock, in the order that the promises need. The arrival is noted before the record is written,
//! and the known copy after it, so the next run finishes an interrupted one.

use std::path::Path;

use super::event::{Event, Fate};
use super::held::{Held, Place, Standing};
use super::plan::Plan;
use super::receiving::Receiving;
use super::refused::Between;
use crate::entry::moves;
use crate::entry::way::Locked;
use crate::keys::trust;
use crate::office::{Trouble, name};
use crate::receive::arrivals::Arrivals;
use crate::receive::decision::{Accepted, Arrival};
use crate::receive::held_back::HeldBack;
use crate::receive::seats::Seats;
use crate::records::Taken;
use crate::{evidence, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::address::mailbox;
use postrider_mail::incoming::Mail;
use postrider_referee::record::{Header, Player};
use postrider_referee::verdict::Opened;

/// The letter that a plan is about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) mail: &'a Mail,
    /// The record that it brings.
    pub(super) record: &'a [u8],
    /// The header of the record here.
    pub(super) header: Option<&'a Header<'a>>,
    /// Whether what becomes of it may be answered at once.
    pub(super) may_answer: bool,
}

impl Receiving<'_> {
    /// Does what is planned about a record of a game that is here.
    pub(super) fn carry_out(
        &mut self,
        mut plan: Plan,
        mut held: Held,
        at: Place<'_>,
        about: About<'_>,
    ) -> Result<Fate, Trouble> {
        let fate = plan.fate;
        if let Err(trouble) = self.before_it_is_taken(&mut plan, &held, about) {
            self.give_back(at.path, held);
            return Err(trouble);
        }
        if let Some((accepted, standing)) = plan.takes {
            self.take_in(&mut held, *accepted, standing, about);
        }
        held.told.extend(plan.tells);
        if self.gathers() && held.accepted > 0 {
            self.hold(at.path, held);
            return Ok(fate);
        }
        let mut taken = Some(self.write(at.path, held)?);
        if about.may_answer && at.is_game && !matches!(fate, Fate::Refused | Fate::HeldBack) {
            if let Some(taken) = taken.take_if(|_| self.ways.answer) {
                self.answer(taken, at.path, about.mail.auto, fate)?;
            }
            if self.ways.countersign {
                self.countersign(taken, at.path)?;
            }
        }
        Ok(fate)
    }

    /// Notes and says what comes before anything is taken.
    fn before_it_is_taken(&mut self, plan: &mut Plan, held: &Held, about: About<'_>) -> Result<(), Trouble> {
        if plan.notes_seat {
            self.note_seat(&held.id, about.header, about.mail)?;
        }
        self.announce(&held.id, std::mem::take(&mut plan.says), plan.held_back, plan.stranger.take());
        match plan.keeps_evidence {
            true => self.keep_evidence(&held.record, about.record, &held.id),
            false => Ok(()),
        }
    }

    /// Says what a plan says at once, and notes of this message that it waits, and that nobody knows who sent it.
    pub(super) fn announce(
        &mut self,
        id: &str,
        says: Vec<Event>,
        held_back: Option<i64>,
        stranger: Option<Option<String>>,
    ) {
        says.into_iter().for_each(|event| self.hear(event));
        self.current.until = held_back;
        self.tally.strangers.extend(stranger.map(|newest| (id.to_owned(), newest)));
    }

    /// Does what the player has said of two keys that claim the seat of this player. Returns what becomes of the letter; nothing if its
    /// entry is to replace the one here.
    pub(super) fn settle(&mut self, between: Between, player: &Player<'_>) -> Result<Option<Fate>, Trouble> {
        self.refuses(between.refusal);
        if between.waits {
            self.current.until = Some(HeldBack::UNTIL_AGREED);
        }
        if let Some(right) = between.trusts {
            trust::trust(self.office, player, &right)?;
        }
        between.then.into_iter().for_each(|event| self.hear(event));
        Ok(between.fate)
    }

    /// Adds what is taken to a record that is held.
    fn take_in(&mut self, held: &mut Held, accepted: Accepted, standing: Standing, about: About<'_>) {
        let own = held.known.as_ref().and_then(|known| known.mine.own_or_moved);
        let sides = about.header.map(|header| header.info.sides);
        let theirs = own.and_then(|own| Some(sides?[own.other().index()].word));
        let begun = *self.tally.taken.entry(held.id.clone()).or_insert(accepted.first);
        let server = self.arrived_of(about.mail);
        let arrival = Arrival { entry: 0, read: self.now, server, without: self.looked };
        held.accept(accepted, theirs, begun, arrival);
        held.standing = standing;
    }

    /// Writes a record to which entries were added, and tells of it. The record is returned as it then stands, locked.
    pub(super) fn write(&self, path: &Path, mut held: Held) -> Result<Taken, Trouble> {
        if held.accepted > 0 && !self.ways.dry_run {
            if let Some((line, arrival)) = &held.arrived {
                let noted = Arrivals::new(self.office.folders()).note(&held.id, line, arrival);
                noted.map_err(Trouble::File)?;
            }
            let lock = &mut held.lock;
            let is_safe = match held.is_game {
                true => {
                    let locked = Locked { file: path, lock, source: &held.original };
                    locked.write(&self.own_game(&held.id), &held.record, None)?.is_safe
                }
                false => records::written(self.office, lock.replace(&held.original, &held.record))?,
            };
            if !is_safe {
                // The message is read again, because a power cut may bring back the old record.
                return Err(records::not_flushed(&name(path)));
            }
        }
        let source = if self.ways.dry_run { held.original } else { held.record };
        held.told.into_iter().for_each(|event| self.hear(event));
        self.point_out(&held.id, &held.remarks);
        if held.accepted > 0 {
            self.tell_standing(&held.id, held.standing);
        }
        Ok((held.lock, source))
    }

    pub(super) fn tell_standing(&self, id: &str, standing: Standing) {
        for warning in standing.warnings {
            self.note(format!("{id}: warning: {warning}"));
        }
        standing.events.into_iter().for_each(|event| self.hear(event));
    }

    /// Points out what looks wrong and changes nothing.
    pub(super) fn point_out(&self, id: &str, remarks: &[String]) {
        for remark in remarks {
            self.note(format!("{id}: note: {}", printable(remark)));
        }
    }

    /// Collects the report on a replayed game, or on an invitation; `mine`: the player's side, if it is known.
    pub(super) fn standing_of(&self, opened: &Opened<'_>, mine: Option<Side>, path: &Path, is_game: bool) -> Standing {
        let id = opened.header.id.to_string();
        let warnings = trust::distrust(self.office, opened, &self.office.trusted());
        let (sides, standing) = (&opened.header.info.sides, opened.table.standing());
        let due = standing.due.side;
        let event = match standing.outcome {
            Some(outcome) => Event::Over { id, result: outcome.text(sides) },
            None if !is_game => Event::Invited { id, new: None },
            None => {
                // What is forced is made by itself if that is asked for.
                let forced = !self.ways.answer
                    && mine.is_none_or(|own| own == due)
                    && moves::is_forced(self.office, opened, due);
                Event::Due { id, side: sides[due.index()], path: path.to_owned(), forced }
            }
        };
        Standing { warnings, events: vec![event] }
    }

    /// Keeps two contradicting records as evidence if a player has signed both.
    pub(super) fn keep_evidence(&self, here: &[u8], received: &[u8], id: &str) -> Result<(), Trouble> {
        evidence::keep(self.office, id, [("here", here), ("received", received)], self.ways.dry_run)
    }

    /// Notes the token in a letter; the answer sends it back. A host's letter has the token in its address.
    pub(super) fn note_seat(&self, id: &str, header: Option<&Header<'_>>, mail: &Mail) -> Result<(), Trouble> {
        let host = header.and_then(|header| header.host.as_deref()?.email.as_deref());
        let is_host = |from: &&str| host.is_some_and(|host| mailbox(from) == mailbox(host));
        if let Some(from) = mail.from.as_deref().filter(is_host).filter(|_| !self.ways.dry_run) {
            Seats::new(self.office.folders()).note_host(id, from).map_err(Trouble::File)?;
        }
        let Some(token) = mail.seat.as_deref().filter(|_| !self.ways.dry_run) else { return Ok(()) };
        Seats::new(self.office.folders()).note(id, token).map_err(Trouble::File)
    }
}
