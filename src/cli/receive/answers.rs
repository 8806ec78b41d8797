//! What the program answers on its own after a record was accepted: what the player foresaw, and the game's own forced
//! entries.

use crate::cli::home::office;
use std::path::Path;

use super::super::countersign::{self, Written};
use super::super::hints::{self, Failure, name};
use super::super::keys::{self, Keys};
use super::super::{input, known, own, refusals, secret, send};
use super::{Fate, Run, print};
use crate::desk::conditions::Conditions;
use crate::desk::{Desk, Entered, EntryRequest, Refusal, receive};
use crate::games::kernel::Side;
use crate::office::conditions;
use crate::office::letters::{self, SendOptions};
use crate::render::sheet::in_brief;
use crate::store::RecordLock;

/// The most entries that are answered at once: more than any game requires of one side in a row.
const MOST: usize = 16;

impl Run<'_> {
    /// Enters what may be answered now in the record at `path`, and sends it; also after a message with nothing new,
    /// because an earlier run may have been interrupted before it answered. Two programs never answer each other
    /// endlessly, because each entry is made once and advances the game, and a message that a program sent (`auto`) is
    /// answered only with what the game forces.
    pub(super) fn answer(&self, path: &Path, is_game: bool, auto: bool, fate: Fate) -> Result<(), Failure> {
        if !self.args.answer || !is_game {
            return Ok(());
        }
        let origin = name(path);
        let mut lock = RecordLock::take(path).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let first = refusals::on_desk(&source, &origin)?;
        let opened = &first.opened;
        let Some(own) = own::find(opened, &self.settings)? else { return Ok(()) };
        if opened.table.standing().outcome.is_some() {
            // The secret proves a win (Z24). It is not published on the word of somebody who may not have been there.
            let is_here = secret::is_here(opened, own);
            let publishes = is_here && receive::is_won_for_certain(opened, own);
            drop(lock);
            if is_here && !publishes && fate == Fate::Accepted {
                errln!(
                    "{}: note: your secret is not published by itself, because {}; `postrider secret publish {}` publishes it",
                    opened.header.id,
                    if receive::is_won(opened, own) {
                        "nothing proves who ended the game: ask your opponent first"
                    } else {
                        "it proves nothing that you need"
                    },
                    hints::arg(&origin)
                );
            }
            let sent = if publishes { secret::publish_and_send(path, true)? } else { letters::Delivered::default() };
            if sent.way.is_some() {
                err!("{}", send::told(&sent));
                return Ok(());
            }
            if letters::is_unsure(&*office()?, &first)? {
                err!("{}", send::told(&send::deliver(&first, path, &SendOptions::by_itself(false))?));
            }
            return Ok(());
        }
        let due = opened.table.standing().due.side;
        let office = office()?;
        let mut keys = match due == own {
            true => Keys::to_move(&office, opened, &origin, false, false)?,
            false => Keys::new(&office, opened, own, false),
        };
        let id = opened.header.id.clone();
        let request = EntryRequest { actions: "", message: None, time: self.now, time_asked: false };
        let mut record = source.clone();
        let failed = |refusal| refusals::refused(&origin, refusal);
        let (mut lines, mut plans) = (Vec::new(), Vec::new());
        while lines.len() < MOST {
            // What was foreseen comes before what is forced, as with `postrider answer`.
            let before = std::mem::take(&mut record);
            let desk = Desk::open(&before).map_err(failed)?;
            let foreseen = if auto { None } else { foreseen(&desk, &origin, own, &request, &mut keys)? };
            if let Some((entered, rest)) = foreseen {
                lines.push(entered.line);
                record = entered.record;
                plans.push(rest);
                continue;
            }
            // A run that was killed may have signed another entry for this turn, which is then the one to make.
            let forced = match keys.earlier {
                Some(_) => Ok(None),
                None => receive::next_answer(&desk, own, &request, &mut keys).map(|entered| entered.map(|one| *one)),
            };
            let made = match keys.earlier.take() {
                Some(line) => desk.enter_again(&line, request.time, &mut keys).map(Some),
                None => forced,
            };
            match made {
                Ok(Some(entered)) => {
                    lines.push(entered.line);
                    record = entered.record;
                }
                Ok(None) => {
                    record = before;
                    break;
                }
                Err(Refusal::Lost(lost)) => return Err(keys::lost(lost)),
                Err(refusal) if keys.passing => return Err(refusals::refused(&origin, refusal)),
                // Trying again would not help; the player has to deal with it.
                Err(refusal) => {
                    err!("{}", refusals::refused(&origin, refusal));
                    record = before;
                    break;
                }
            }
        }
        if lines.is_empty() {
            // An earlier run may have been interrupted between writing and sending.
            drop(lock);
            if letters::is_unsure(&office, &first)? && is_theirs(&first, own) {
                err!("{}", send::told(&send::deliver(&first, path, &SendOptions::by_itself(false))?));
            }
            return Ok(());
        }
        let last = Desk::open(&record).map_err(failed)?;
        let promised = is_theirs(&last, own) && letters::promise(&office, &last)?;
        let safe = input::written(lock.replace(&source, &record))?;
        known::remember(&opened.header.id, &record);
        drop(lock);
        for rest in &plans {
            conditions::keep(&office, rest);
        }
        let sent = if promised && !safe {
            Err(input::not_flushed(&origin))
        } else if promised && receive::is_won_for_certain(&last.opened, own) && secret::is_here(&last.opened, own) {
            secret::publish(path)?;
            let record = input::record(path)?;
            send::deliver(&refusals::on_desk(&record, &origin)?, path, &SendOptions::by_itself(promised))
        } else if promised {
            send::deliver(&last, path, &SendOptions::by_itself(promised))
        } else {
            Ok(letters::Delivered::default())
        };
        for line in &lines {
            print(format!("{id}: answered: {}\n", in_brief(line)))?;
        }
        err!("{}", send::told(&sent?));
        Ok(())
    }
}

impl Run<'_> {
    /// Signs and mails a receipt for the opponent's last entry, if the player asked for that and the key can be used: once for each entry,
    /// even if an earlier run was interrupted before the receipt was mailed.
    pub(super) fn countersign(&self, path: &Path, is_game: bool) -> Result<(), Failure> {
        if !self.args.countersign || !is_game {
            return Ok(());
        }
        let origin = name(path);
        match countersign::write(path, false) {
            Ok(Written::Made(entry)) => {
                print(format!("{origin}: signed a receipt for entry {entry} and everything before it\n"))?;
                err!("{}", countersign::mail(path, true)?);
            }
            Ok(Written::There(_)) => {
                let record = input::record(path)?;
                let desk = refusals::on_desk(&record, &origin)?;
                // An earlier run may have ended before it was mailed, or before that was even tried.
                if !letters::is_sent_of(&*office()?, &desk, &SendOptions::of_receipt(true))? {
                    err!("{}", countersign::mail(path, true)?);
                }
            }
            Ok(Written::Nothing(_)) => {}
            // The entry has been accepted anyway; the next run, or the same letter again, makes up for the receipt.
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// Returns the reply that was foreseen, and the rest of the conditions. A reply that cannot be made is reported; the
/// player makes another one.
///
/// # Errors
/// Temporary trouble; another run will make the reply.
fn foreseen(
    desk: &Desk<'_>,
    origin: &str,
    own: Side,
    request: &EntryRequest<'_>,
    keys: &mut Keys<'_>,
) -> Result<Option<(Entered, Conditions)>, Failure> {
    let standing = desk.opened.table.standing();
    if standing.outcome.is_some() || standing.due.side != own {
        return Ok(None);
    }
    let Some(tree) = conditions::stored(&*office()?, &desk.opened)? else { return Ok(None) };
    match conditions::answer(&*office()?, desk, origin, request, keys, false, &tree).map_err(Failure::from) {
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

/// Returns whether the opponent is due, or the game is over: then a letter goes to the opponent.
fn is_theirs(desk: &Desk<'_>, own: Side) -> bool {
    let standing = desk.opened.table.standing();
    standing.outcome.is_some() || standing.due.side == own.other()
}
