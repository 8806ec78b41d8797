//! What the program answers by itself after a record was accepted: what the player foresaw, and the
//! game's own forced entries.

use std::path::Path;

use chrono::Utc;

use super::super::hints::{Failure, name};
use super::super::keys::{self, Keys};
use super::super::{conditions, input, known, own, refusals, send};
use super::{Reader, print};
use crate::desk::conditions::Conditions;
use crate::desk::{self, Entered, Refusal, Wish, receive};
use crate::games::kernel::Side;
use crate::render::sheet::in_brief;
use crate::store::RecordLock;
use crate::verdict::Opened;

/// The most entries that are answered at once: more than any game asks of one side in a row.
const MOST: usize = 16;

impl Reader<'_> {
    /// Enters what may be answered now in the record at `path`, and sends it. Also after a message that brought nothing new: an
    /// earlier run may have been cut short before it answered. Two programs never answer each other without end, for each entry
    /// is made once and brings the game on; and `auto`, a message that a program sent, leads to what the game forces only.
    pub(super) fn answer(&self, path: &Path, is_game: bool, auto: bool) -> Result<(), Failure> {
        if !self.args.answer || !is_game {
            return Ok(());
        }
        let origin = name(path);
        let mut lock = RecordLock::take(path).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let opened = refusals::replayed(&source, &origin)?;
        let Some(own) = own::find(&opened, &self.settings)? else { return Ok(()) };
        let due = opened.table.standing().due.side;
        let mut keys =
            if due == own { Keys::to_move(&opened, &origin, false, false)? } else { Keys::new(&opened, own, false)? };
        let wish = Wish { actions: "", message: None, time: self.now, time_asked: false };
        let now = self.now.utc().unwrap_or_else(Utc::now);
        let mut record = source.clone();
        let (mut lines, mut plans) = (Vec::new(), Vec::new());
        while lines.len() < MOST {
            // What was foreseen comes before what is forced, as with `postrider answer`.
            let foreseen = if auto { None } else { self.foreseen(&record, &origin, own, &wish, &mut keys)? };
            if let Some((entered, rest)) = foreseen {
                lines.push(entered.line);
                record = entered.record;
                plans.push(rest);
                continue;
            }
            // A run that was killed may have signed another entry for this turn: that is the one then.
            let forced = match keys.earlier {
                Some(_) => Ok(None),
                None => receive::next_answer(&record, own, &wish, &mut keys).map(|entered| entered.map(|one| *one)),
            };
            let made = match keys.earlier.take() {
                Some(line) => desk::enter_again(&record, &line, wish.time, &mut keys).map(Some),
                None => forced,
            };
            match made {
                Ok(Some(entered)) => {
                    lines.push(entered.line);
                    record = entered.record;
                }
                Ok(None) => break,
                Err(Refusal::Lost(lost)) => return Err(keys::lost(lost)),
                Err(refusal) if keys.passing => return Err(refusals::refused(&origin, refusal)),
                // Trying again would not help: the player has to see to it.
                Err(refusal) => {
                    err!("{}", refusals::refused(&origin, refusal));
                    break;
                }
            }
        }
        if lines.is_empty() {
            // An earlier run may have been cut short between writing and sending.
            drop(lock);
            if send::is_unsure(&source, &origin, &self.settings, now)? && self.is_theirs(&source, own) {
                err!("{}", send::deliver(path, &send::Wish::by_itself(false))?);
            }
            return Ok(());
        }
        let promised = self.is_theirs(&record, own) && send::promise(&record, &origin, &self.settings, now)?;
        let safe = input::written(lock.replace(&source, &record))?;
        known::remember(&opened.header.id, &record);
        drop(lock);
        for rest in &plans {
            conditions::keep(rest);
        }
        let sent = if promised && !safe {
            Err(input::not_flushed(&origin))
        } else if promised {
            send::deliver(path, &send::Wish::by_itself(promised))
        } else {
            Ok(String::new())
        };
        for line in &lines {
            print(format!("{}: answered: {}\n", opened.header.id, in_brief(line)))?;
        }
        err!("{}", sent?);
        Ok(())
    }

    /// The reply that was foreseen, and the rest of the conditions. A reply that cannot be made is told; the player makes another.
    ///
    /// # Errors
    /// Trouble that may pass: another run makes the reply then.
    fn foreseen(
        &self,
        record: &[u8],
        origin: &str,
        own: Side,
        wish: &Wish<'_>,
        keys: &mut Keys,
    ) -> Result<Option<(Entered, Conditions)>, Failure> {
        let opened = refusals::replayed(record, origin)?;
        let standing = opened.table.standing();
        if standing.outcome.is_some() || standing.due.side != own {
            return Ok(None);
        }
        let Some(tree) = conditions::stored(&opened)? else { return Ok(None) };
        match conditions::answer(record, &opened, origin, wish, keys, false, &tree) {
            Err(failure) if keys.passing => Err(failure),
            Err(failure) => {
                if keys.earlier.is_none() {
                    err!("{failure}");
                }
                Ok(None)
            }
            reply => reply,
        }
    }

    /// Whether the opponent is due, or the game is over: a letter that goes to the opponent.
    fn is_theirs(&self, record: &[u8], own: Side) -> bool {
        let Ok(mut opened) = Opened::new(record) else { return false };
        let verdict = opened.replay(u32::MAX);
        verdict.outcome.is_some() || verdict.due == Some(own.other())
    }
}
