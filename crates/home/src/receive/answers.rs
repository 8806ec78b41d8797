//! What the program answers on its own after a record was accepted: what the player foresaw, and the game's own forced
//! entries.

use std::path::Path;

use super::event::{Event, Fate};
use super::receiving::Receiving;
use crate::announced::Announcements;
use crate::elsewhere::{Elsewhere, NotHere};
use crate::entry::way::{self, Locked, NotMade, Signed, Typed, What};
use crate::keys::Keys;
use crate::office::{Notice, Trouble, name};
use crate::own_game::OwnGame;
use crate::receive::decision as receive;
use crate::records::Taken;
use crate::send::letters;
use crate::send::letters::{Delivered, Place, SendOptions};
use crate::send::receipts;
use crate::send::receipts::Written;
use crate::{announced, conditions, keys, known, records, secrets};
use postrider_board::render::sheet::in_brief;
use postrider_disk::disk::RecordLock;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_referee::desk::{Desk, Refusal};

/// The most entries that are answered at once: more than any game requires of one side in a row.
const MOST: usize = 16;

/// A record with entries that were made in answer, their lines, and what is left of the conditions that foresaw them.
type Answered = (Vec<u8>, Vec<String>, Vec<crate::conditions::decision::Conditions>);

impl Receiving<'_> {
    /// Enters what may be answered now in the record at `path`, and sends it; also after a message with nothing new,
    /// because an earlier run may have been interrupted before it answered. Two programs never answer each other
    /// endlessly, because each entry is made once and advances the game, and a message that a program sent (`auto`) is
    /// answered only with what the game forces.
    pub(super) fn answer(&self, taken: Taken, path: &Path, auto: bool, fate: Fate) -> Result<(), Trouble> {
        let office = self.office;
        let origin = name(path);
        let place = Place { file: path, name: &origin };
        let (mut lock, source) = taken;
        let first = records::on_desk(&source, &origin)?;
        let opened = &first.opened;
        let game = &*self.own_game(&opened.header.id);
        let Some(own) = game.find(opened)? else { return Ok(()) };
        let id = &*opened.header.id;
        let played = match Elsewhere::new(office.folders()).of(id).and_then(|played| played.guard(id).map(|()| played))
        {
            Ok(played) => played,
            Err(NotHere::Over(_)) => return Ok(()),
            Err(why) => {
                office.tell(Notice::Failed(why.into()));
                return Ok(());
            }
        };
        if let Some(warning) = keys::goes_on_elsewhere(office, opened, own, &played) {
            office.warn(warning);
        }
        if opened.table.standing().outcome.is_some() {
            return self.at_the_end(game, &first, place, (own, fate, lock));
        }
        let mut keys = match opened.table.standing().due.side == own {
            true => Keys::to_move(game, opened, &origin, false, false)?,
            false => Keys::new(office, opened, own, false),
        };
        let id = opened.header.id.to_string();
        let (record, lines, plans) = self.answers_to(source.clone(), place, (own, auto), &mut keys)?;
        if lines.is_empty() {
            // An earlier run may have been interrupted between writing and sending.
            drop(lock);
            if letters::is_unsure(game, &first)? && is_theirs(&first, own) {
                self.deliver(game, &first, place)?;
            }
            return Ok(());
        }
        let kept = announced::kept(office, &records::on_desk(&record, &origin)?)?;
        let record = kept.as_ref().map_or(record, |kept| kept.record.clone());
        let last = records::on_desk(&record, &origin)?;
        let letter = SendOptions::by_itself(false).of_side(kept.as_ref().map(|_| own));
        let promised = is_theirs(&last, own) && letters::promise_of(game, &last, &letter)?;
        let written = Locked { file: path, lock: &mut lock, source: &source }.write(game, &record, None)?;
        drop(lock);
        announced::settle(office, &last.opened, kept.is_some());
        if let Some(kept) = &kept {
            kept.tell(office, &last.opened);
        }
        for rest in &plans {
            conditions::keep(office, rest);
        }
        let sent =
            if promised { self.send_answer(game, &last, place, (own, written)) } else { Ok(Delivered::default()) };
        for line in &lines {
            self.hear(Event::Answered { id: id.clone(), line: in_brief(line) });
        }
        self.hear(Event::Delivered(sent?));
        Ok(())
    }

    /// Enters what opponents have announced whose turn came in another way than by an entry that was made here: by a letter, or with a
    /// record from elsewhere. What was announced in a game that is over is forgotten.
    pub(super) fn keeps_announced(&mut self) {
        let notes = Announcements::new(self.office.folders());
        let games = match notes.games() {
            Ok(games) => games,
            Err(error) => {
                self.tally.troubles += 1;
                self.note(format!("{}: {error}", self.office.folders().announced().display()));
                return;
            }
        };
        // What was announced only now was said by somebody who is not due.
        let now = std::mem::take(&mut *self.announced.borrow_mut());
        for id in games.into_iter().filter(|id| !now.contains(id)) {
            if let Err(trouble) = self.keeps_announced_of(&id) {
                self.tally.troubles += 1;
                self.hear(Event::Failed { about: Some(id), trouble });
            }
        }
    }

    fn keeps_announced_of(&mut self, id: &str) -> Result<(), Trouble> {
        let Some((path, true)) = self.file_of(id)? else { return Ok(()) };
        let (origin, office) = (name(&path), self.office);
        let place = Place { file: &path, name: &origin };
        let (mut lock, source) = records::take(office, place)?;
        let desk = records::on_desk(&source, &origin)?;
        let game = &*self.own_game(id);
        let elsewhere = Elsewhere::new(office.folders()).guard(id).is_err();
        let Some(kept) = announced::kept(office, &desk)?.filter(|_| !elsewhere) else {
            // An earlier run may have been interrupted between writing and telling.
            if let Some(side) = announced::ended_by(&desk).filter(|_| !elsewhere)
                && game.find(&desk.opened)?.is_none()
            {
                drop(lock);
                self.tell_both(&desk, side)?;
            }
            announced::settle(office, &desk.opened, true);
            return Ok(());
        };
        known::guard_mail(office, &desk.opened, &source, &origin, known::Use::Receive)?;
        let last = records::on_desk(&kept.record, &origin)?;
        let own = game.find(&last.opened)?;
        let promised = match own.filter(|_| self.ways.answer) {
            Some(own) => letters::promise_of(game, &last, &SendOptions::by_itself(false).of_side(Some(own)))?,
            None => false,
        };
        let written = Locked { file: &path, lock: &mut lock, source: &source }.write(game, &kept.record, None)?;
        drop(lock);
        kept.tell(office, &last.opened);
        if own.is_none() {
            self.tell_both(&last, kept.entered.side)?;
        }
        announced::settle(office, &last.opened, true);
        match own {
            Some(own) if promised => {
                let sent = written.send(game, &last, place, &SendOptions::by_itself(true).of_side(Some(own)))?;
                self.hear(Event::Delivered(sent));
            }
            Some(_) => office.tell(Notice::hint(advice![Act::Send(origin.clone()), " tells your opponent"])),
            None => {}
        }
        Ok(())
    }

    /// Makes the entries that may be answered one after another. Returns the record with them, their lines, and what is left of what was
    /// foreseen.
    fn answers_to(
        &self,
        mut record: Vec<u8>,
        place: Place<'_>,
        (own, auto): (Side, bool),
        keys: &mut Keys<'_>,
    ) -> Result<Answered, Trouble> {
        let typed = Typed::new(What::Forced, self.now).by_itself();
        let (mut lines, mut plans) = (Vec::new(), Vec::new());
        while lines.len() < MOST {
            // What was foreseen comes before what is forced, as when the player answers.
            let before = std::mem::take(&mut record);
            let desk = records::on_desk(&before, place.name)?;
            // Nobody answers for the opponent.
            let standing = desk.opened.table.standing();
            let may = standing.outcome.is_none() && standing.due.side == own;
            let foreseen = if may && !auto { self.foreseen(&desk, place.name, typed, keys)? } else { None };
            let made = match foreseen {
                Some(signed) => Ok(signed),
                None if may => typed.make(&desk, keys),
                None => Err(NotMade::Choice),
            };
            match made {
                Ok(Signed { entered, prepared }) => {
                    lines.push(entered.line);
                    record = entered.record;
                    plans.extend(prepared.map(|prepared| prepared.rest));
                    continue;
                }
                Err(NotMade::Refused(Refusal::Lost(lost))) => return Err(lost.into()),
                Err(refused @ NotMade::Refused(_)) if keys.passing => return Err(refused.trouble(place.name)),
                // Trying again would not help; the player has to deal with it.
                Err(refused @ NotMade::Refused(_)) => {
                    self.office.tell(Notice::Failed(refused.trouble(place.name)));
                }
                Err(NotMade::Choice | NotMade::NotForced(_) | NotMade::NotPrepared(_)) => {}
            }
            record = before;
            break;
        }
        Ok((record, lines, plans))
    }

    /// Does what is left to do in a game that is over: the secret that proves a win is published (Z24), and a letter that may not have
    /// gone out is sent.
    fn at_the_end(
        &self,
        game: &OwnGame<'_>,
        desk: &Desk<'_>,
        place: Place<'_>,
        (own, fate, lock): (Side, Fate, RecordLock),
    ) -> Result<(), Trouble> {
        let opened = &desk.opened;
        // It is not published on the word of somebody who may not have been there.
        let is_here = keys::has_secret(self.office, opened, own);
        let publishes = is_here && receive::is_won_for_certain(opened, own);
        if is_here && !publishes && fate == Fate::Accepted {
            let why = match receive::is_won(opened, own) {
                true => "nothing proves who ended the game: ask your opponent first",
                false => "it proves nothing that you need",
            };
            let what = format!("{}: note: your secret is not published by itself, because {why}; ", opened.header.id);
            self.note(advice![what, Act::PublishSecret(place.name.to_owned()), " publishes it"]);
        }
        if publishes {
            let sent = secrets::publish_by_itself(game, desk, place, lock)?;
            if sent.way.is_some() {
                self.hear(Event::Delivered(sent));
                return Ok(());
            }
        } else {
            drop(lock);
        }
        if letters::is_unsure(game, desk)? {
            self.deliver(game, desk, place)?;
        }
        Ok(())
    }

    /// Sends the record with an answer; if that proves a win, with the secret.
    fn send_answer(
        &self,
        game: &OwnGame<'_>,
        last: &Desk<'_>,
        place: Place<'_>,
        (own, written): (Side, way::Written),
    ) -> Result<Delivered, Trouble> {
        let options = SendOptions::by_itself(true).of_side(announced::ended_by(last).map(|_| own));
        let proves = receive::is_won_for_certain(&last.opened, own) && keys::has_secret(self.office, &last.opened, own);
        if written.is_safe && proves {
            let published = secrets::publish(self.office, place)?;
            return letters::deliver(game, &records::on_desk(&published.record, place.name)?, place, &options);
        }
        written.send(game, last, place, &options)
    }

    fn deliver(&self, game: &OwnGame<'_>, desk: &Desk<'_>, place: Place<'_>) -> Result<(), Trouble> {
        let sent = letters::deliver(game, desk, place, &SendOptions::by_itself(false))?;
        self.hear(Event::Delivered(sent));
        Ok(())
    }

    /// Signs and mails a receipt for the opponent's last entry, if the key can be used: once for each entry, even if an earlier run was
    /// interrupted before the receipt was mailed. The entry has been accepted in any case; after a trouble the next run, or the same
    /// letter again, makes up for the receipt.
    pub(super) fn countersign(&self, taken: Option<Taken>, path: &Path) -> Result<(), Trouble> {
        let origin = name(path);
        let place = Place { file: path, name: &origin };
        let options = SendOptions::of_receipt(true);
        let taken = taken.map_or_else(|| records::take(self.office, place), Ok)?;
        let (written, record) = receipts::write(|id| self.own_game(id), place, taken, false)?;
        let is_old = match written {
            Written::Made(entry) => {
                self.hear(Event::Receipt { origin: origin.clone(), entry });
                false
            }
            Written::There(_) => true,
            Written::Nothing(_) => return Ok(()),
        };
        let desk = records::on_desk(&record, &origin)?;
        // An earlier run may have ended before it was mailed, or before that was even tried.
        let game = &*self.own_game(&desk.opened.header.id);
        if is_old && letters::is_sent_of(game, &desk, &options)? {
            return Ok(());
        }
        let sent = letters::deliver(game, &desk, place, &options)?;
        self.hear(Event::Delivered(sent));
        Ok(())
    }

    /// Returns the reply that was foreseen, and the rest of the conditions. A reply that cannot be made is reported; the
    /// player makes another one.
    ///
    /// # Errors
    /// Temporary trouble; another run will make the reply.
    fn foreseen(
        &self,
        desk: &Desk<'_>,
        origin: &str,
        typed: Typed<'_>,
        keys: &mut Keys<'_>,
    ) -> Result<Option<Signed>, Trouble> {
        let Some(tree) = conditions::stored(self.office, &desk.opened)? else { return Ok(None) };
        match conditions::answer(self.office, desk, origin, typed, keys, false, &tree) {
            Err(trouble) if keys.passing => Err(trouble),
            Err(trouble) => {
                self.office.tell(Notice::Failed(trouble));
                Ok(None)
            }
            reply => reply,
        }
    }
}

/// Returns whether the opponent is due, or the game is over: then a letter goes to the opponent.
fn is_theirs(desk: &Desk<'_>, own: Side) -> bool {
    let standing = desk.opened.table.standing();
    standing.outcome.is_some() || standing.due.side == own.other()
}
