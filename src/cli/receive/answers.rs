//! What the program answers by itself after a record was accepted: the game's own forced entries, and nothing else.

use std::path::Path;

use chrono::Utc;

use super::super::hints::{Failure, name};
use super::super::keys::{self, Keys};
use super::super::{input, play, print, send};
use super::Reader;
use crate::desk::{Refusal, Wish, receive};
use crate::games::kernel::Side;
use crate::record::Header;
use crate::store::RecordLock;
use crate::verdict::Opened;

/// The most entries that are answered at once: more than any game forces in a row.
const MOST: usize = 16;

impl Reader<'_> {
    /// Enters what may be answered now in the record at `path`, and sends it. Also after a message that brought nothing new: an
    /// earlier run may have been cut short before it answered. Two programs never answer each other without end, for each forced
    /// entry is made once and brings the game on.
    pub(super) fn answer(&self, path: &Path, is_game: bool) -> Result<(), Failure> {
        if !self.args.answer || !is_game {
            return Ok(());
        }
        let origin = name(path);
        let mut lock = RecordLock::take(path).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let opened = play::replayed(&source, &origin)?;
        let Some(own) = self.side(&opened.header)? else { return Ok(()) };
        let mut keys = Keys::new(&opened, own, false)?;
        let wish = Wish { actions: "", message: None, time: self.now, time_asked: false };
        let now = self.now.utc().unwrap_or_else(Utc::now);
        let mut record = source.clone();
        let mut lines = Vec::new();
        loop {
            match receive::next_answer(&record, own, &wish, &mut keys) {
                Ok(Some(entered)) if lines.len() < MOST => {
                    lines.push(entered.line.clone());
                    record = entered.record;
                }
                Ok(_) => break,
                Err(Refusal::Lost(lost)) => return Err(keys::lost(lost)),
                Err(refusal) => return Err(play::refused(&origin, refusal)),
            }
        }
        if lines.is_empty() {
            // An earlier run may have been cut short between writing and sending.
            drop(lock);
            if send::is_unsure(&source, &origin, &self.settings, now) && self.is_theirs(&source, own) {
                send::send(path, &send::Wish::by_itself())?;
            }
            return Ok(());
        }
        let theirs = self.is_theirs(&record, own);
        if theirs {
            send::promise(&record, &origin, &self.settings, now)?;
        }
        input::written(lock.replace(&source, &record))?;
        drop(lock);
        for line in &lines {
            print(format!("{}: answered: {line}\n", opened.header.id))?;
        }
        if theirs {
            send::send(path, &send::Wish::by_itself())?;
        }
        Ok(())
    }

    /// The side that this program plays for: by the address in the settings, or by the secret in the key store.
    fn side(&self, header: &Header<'_>) -> Result<Option<Side>, Failure> {
        if let Some(side) = receive::own_side(header, self.settings.email.as_deref()) {
            return Ok(Some(side));
        }
        let sides = keys::store()?.sides(&header.id).map_err(|error| Failure::trouble(error.to_string()))?;
        let [word] = &sides[..] else { return Ok(None) };
        Ok(Side::BOTH.into_iter().find(|side| header.info.sides[side.index()].word == word))
    }

    /// Whether the opponent is due, or the game is over: a letter that goes to the opponent.
    fn is_theirs(&self, record: &[u8], own: Side) -> bool {
        let Ok(mut opened) = Opened::new(record) else { return false };
        let verdict = opened.replay(u32::MAX);
        verdict.outcome.is_some() || verdict.due == Some(own.other())
    }
}
