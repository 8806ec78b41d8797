//! A record that arrived by mail: found among the games, decided upon, and written under the record's lock.

use std::path::{Path, PathBuf};

use super::event::{Event, Fate, Here, Outcome};
use super::held::{Held, Place, Standing};
use super::likeness;
use super::receiving::{Receiving, about};
use crate::entry::{dating, moves};
use crate::invite::invitations;
use crate::invite::kept::{Answered, InvitationError};
use crate::keys::{statements, trust};
use crate::known::lost::{How, Lost};
use crate::known::restoring;
use crate::office::{Trouble, name};
use crate::own_game::OwnGame;
use crate::receive::arrivals::Arrivals;
use crate::receive::decision as receive;
use crate::receive::decision::{Arrival, Decision, Provenance, Refused, unix};
use crate::receive::seats::Seats;
use crate::send::letters;
use crate::{evidence, known, records};
use postrider_disk::disk::FileError;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_mail::address::{is_same, mailbox};
use postrider_mail::incoming::Mail;
use postrider_referee::record::{Header, Time};
use postrider_referee::sealing::AskedBack;
use postrider_referee::verdict::{Opened, Ruling, Verdict};

/// What somebody does about a key that is not the expected one.
const ASK: &str = "ask your opponent by some way other than mail which key is right; ";

/// A record that came: its text with LF line ends, with its header read.
struct Came<'r> {
    text: &'r [u8],
    opened: Opened<'r>,
}

/// Says that a letter is not taken before its game is back; it comes again then.
fn waits(lost: &Lost) -> Trouble {
    let what = format!("{} is not taken: {}: {}", lost.id, name(&lost.path), lost.in_words());
    Trouble::of(what).advise(advice![Act::Restore(lost.id.clone()), " brings it back"])
}

impl Receiving<'_> {
    /// What is known about a message, for the decision.
    fn letter<'m>(&'m self, mail: &'m Mail) -> Provenance<'m> {
        Provenance {
            from: mail.from.as_deref(),
            vouched: self.ways.vouched,
            same: is_same,
            date: mail.date,
            address: self.settings.email.as_deref(),
            arrived: self.arrived_of(mail),
            looked: self.looked,
            ..Provenance::at(self.now)
        }
    }

    /// Processes one attached record.
    pub(super) fn record(&mut self, place: &str, mail: &Mail, record: &[u8]) -> Result<Outcome, Trouble> {
        let text = &unix(record)[..];
        let opened = match Opened::new(text) {
            Ok(opened) => opened,
            Err(verdict) => return Ok(Outcome::of(self.illegal(about(place, mail), text, verdict))),
        };
        let (id, game) = (opened.header.id.to_string(), Some(opened.header.info.name));
        if opened.header.machine.is_some() {
            self.note(format!(
                "{}: {id}: refused: it is a practice game against the machine, which is not mailed (E12)",
                about(place, mail)
            ));
            let path = self.file_of(&id).ok().flatten().map(|(path, _)| path);
            return Ok(Outcome { id: Some(id), game, path, fate: Fate::Refused });
        }
        let came = Came { text, opened };
        let found = match self.file_of(&id) {
            // What lies where the record was may be what cannot be read.
            Err(_) if restoring::awaits(self.office, &came.opened).is_some_and(|lost| lost.how.is_absent()) => None,
            found => found?,
        };
        let (path, fate) = match found {
            Some((path, is_game)) => {
                let fate = self.known_game(place, mail, came, Place { id: &id, path: &path, is_game })?;
                (Some(path), fate)
            }
            None => {
                if let Some(lost) = restoring::awaits(self.office, &came.opened) {
                    return Err(waits(&lost));
                }
                let fate = self.invitation(place, mail, came, &id)?;
                let is_kept = fate == Fate::Invitation && !self.ways.dry_run;
                (is_kept.then(|| self.invitations.file(&id).ok()).flatten(), fate)
            }
        };
        Ok(Outcome { id: Some(id), game, path, fate })
    }

    /// Notes that a host asks for an entry with another time (Z39); nothing if it does not hold for a game that is here.
    pub(super) fn asked_back(&mut self, asked: &AskedBack) -> Result<Option<Outcome>, Trouble> {
        self.flush();
        let Some((path, true)) = self.file_of(&asked.game)? else { return Ok(None) };
        let origin = name(&path);
        let record = records::read(self.office, letters::Place { file: &path, name: &origin })?;
        let desk = records::on_desk(&record, &origin)?;
        if !dating::note(self.office, &desk, asked, self.ways.dry_run)? {
            return Ok(None);
        }
        self.hear(Event::AskedBack { id: asked.game.clone(), entry: asked.number });
        let game = Some(desk.opened.header.info.name);
        Ok(Some(Outcome { id: Some(asked.game.clone()), game, path: Some(path), fate: Fate::Accepted }))
    }

    /// The file of a game, and whether it is one of the player's games or only an invitation.
    pub(super) fn file_of(&mut self, id: &str) -> Result<Option<(PathBuf, bool)>, Trouble> {
        // A file that cannot be read may be this game's record. If the game were taken for an unknown one, its letter
        // would become an invitation, or be lost.
        match &self.shelf().find(id)?[..] {
            [] => {}
            [path] => return Ok(Some((path.clone(), true))),
            [first, second, ..] => {
                let message = format!("{} and {} are both records of {id}", name(first), name(second));
                return Err(Trouble::of(message).advise(advice![
                    "keep one of them; ",
                    Act::Judge,
                    " shows how far each goes"
                ]));
            }
        }
        match self.invitations.standing(id)? {
            Answered::Waiting => Ok(Some((self.invitations.file(id)?, false))),
            Answered::Declined | Answered::Unknown => Ok(None),
        }
    }

    /// When the player's own mail server took a message: what it says itself (IMAP), or its `Received` line. No time is later than now.
    pub(super) fn arrived_of(&self, mail: &Mail) -> Option<Time> {
        let line = || self.settings.received_by.as_deref().and_then(|server| mail.trace.taken_by(server));
        self.arrived.or_else(line).filter(|at| at.0 <= self.now.0)
    }

    /// The received record up to a claim of time against the player that comes along with other new entries: those are taken first, so
    /// that the claim is judged by when they were here.
    fn before_claim<'r>(&self, came: &Came<'r>, at: Place<'_>) -> Result<Option<&'r [u8]>, Trouble> {
        let record = came.text;
        // Nearly no record ends with one.
        let Some(rest) = memchr::memmem::rfind(record, b" claim time").and_then(|at| record.get(at..)) else {
            return Ok(None);
        };
        if rest.iter().filter(|&&byte| byte == b'\n').count() > 3 || !at.is_game {
            return Ok(None);
        }
        let held = match self.held.get(at.path) {
            Some(held) => held.record.clone(),
            None => records::read(self.office, letters::Place { file: at.path, name: &name(at.path) })?,
        };
        let Some(opened) = super::receiving::replayed(&held) else { return Ok(None) };
        let game = &OwnGame::new(self.office, &opened.header.id);
        let Some(own) = game.find(&opened)? else { return Ok(None) };
        let sent = letters::newest_sent(game, &opened, own)?;
        let letter = Provenance { own: Some(own), sent, ..Provenance::at(self.now) };
        let entries = opened.table.standing().entries;
        Ok(receive::before_claim(&came.opened, entries, &letter).and_then(|length| record.get(..length)))
    }

    fn known_game(&mut self, place: &str, mail: &Mail, came: Came<'_>, at: Place<'_>) -> Result<Fate, Trouble> {
        if let Some(before) = self.before_claim(&came, at)?
            && let Ok(opened) = Opened::new(before)
        {
            let answers = std::mem::replace(&mut self.answers, false);
            // It is agreed to as a whole.
            self.whole = Some(came.text.to_vec());
            let fate = self.known_game(place, mail, Came { text: before, opened }, at);
            (self.answers, self.whole) = (answers, None);
            if fate? != Fate::Accepted {
                return Ok(Fate::Refused);
            }
        }
        let mut held = match self.held.remove(at.path) {
            Some(held) => held,
            None => Held::take(self.office, at)?,
        };
        let source = held.record.clone();
        // If a record cannot be opened, the decision reports that.
        let here = Opened::new(&source).map(|mut opened| (opened.replay(u32::MAX), opened));
        if let Ok((_, opened)) = &here {
            held.learn(opened, at.path, self.office)?;
        }
        let record = came.text;
        let (decision, standing) = self.decide(mail, came, at, &held, &here)?;
        if let (Err(Refused::Parted(_)), Ok((_, opened)), Some(own)) = (&decision, &here, held.mine.own_or_moved)
            && let Some(rivals) = receive::rivals(opened, record, own)
        {
            let fate = match self.between(&about(place, mail), at.id, &rivals, opened)? {
                Some(fate) => fate,
                None => {
                    let before = source.get(..rivals.before).unwrap_or_default().to_vec();
                    self.set_aside(at.id, &source)?;
                    // The same letter once more, for the record as it was before that entry.
                    self.hold(at.path, Held { record: before, learned: false, ..held });
                    let again = Opened::new(record);
                    return match again {
                        Ok(opened) => self.known_game(place, mail, Came { text: record, opened }, at),
                        Err(verdict) => Ok(self.illegal(about(place, mail), record, verdict)),
                    };
                }
            };
            self.keep_evidence(&held.record, record, at.id)?;
            self.write(at.path, held)?;
            return Ok(fate);
        }
        if decision.is_ok() {
            self.note_seat(at.id, here.as_ref().ok().map(|(_, opened)| &*opened.header), mail)?;
        }
        let fate = match decision {
            Ok(Decision::Nothing { entries, older, remarks }) => {
                if self.alone {
                    let here = match (older, remarks) {
                        (true, _) => Here::Further,
                        (false, false) => Here::Same,
                        (false, true) => Here::SameButRemarks,
                    };
                    held.told.push(Event::NothingNew { id: at.id.to_owned(), entries, here });
                }
                Fate::Known
            }
            Ok(Decision::Accepted(accepted)) => match standing {
                Err(why) => {
                    self.note(Advice::from(format!("{}: {}: refused: ", about(place, mail), at.id)).and(why));
                    Fate::Refused
                }
                Ok(standing) => {
                    let sides = here.as_ref().ok().map(|(_, opened)| opened.header.info.sides);
                    let theirs = held.mine.own_or_moved.and_then(|own| Some(sides?[own.other().index()].word));
                    let begun = *self.taken.entry(at.id.to_owned()).or_insert(accepted.first);
                    let server = self.arrived_of(mail);
                    let arrival = Arrival { entry: 0, read: self.now, server, without: self.looked };
                    held.accept(*accepted, theirs, begun, arrival);
                    held.standing = standing;
                    if at.is_game { Fate::Accepted } else { Fate::Invitation }
                }
            },
            Err(Refused::Here(_)) => {
                let what = format!("your own record of {} is not legal, so nothing is accepted for it", at.id);
                let wrong = advice![Act::Verify(name(at.path)), " shows what is wrong"];
                return Err(Trouble::of(what).advise(match restoring::lost(self.office, at.id) {
                    Some(_) => {
                        wrong.and(advice!["; ", Act::Restore(name(at.path)), " brings back what was last known of it"])
                    }
                    None => wrong,
                }));
            }
            Err(refused) => {
                // What goes on from entries that the file has lost is no fault of the letter, which comes again once they are back.
                if let Some(lost) =
                    restoring::lost(self.office, at.id).filter(|lost| matches!(lost.how, How::Shortened(_)))
                {
                    return Err(waits(&lost));
                }
                let made = here.as_ref().map_or(0, |(verdict, _)| verdict.entries);
                let fate = self.refused(&about(place, mail), record, (at.id, at.path, made), &refused);
                if let (Refused::Parted(relation), Some(sent)) = (&refused, held.sent) {
                    self.point_out(at.id, super::refused::claim_beside(relation, sent).as_slice());
                }
                if matches!(refused, Refused::Parted(_) | Refused::Stranger { .. }) {
                    self.keep_evidence(&held.record, record, at.id)?;
                }
                fate
            }
        };
        if self.gathers() && held.accepted > 0 {
            self.hold(at.path, held);
            return Ok(fate);
        }
        self.write(at.path, held)?;
        if self.answers && at.is_game && !matches!(fate, Fate::Refused | Fate::HeldBack) {
            if self.ways.answer {
                self.answer(at.path, mail.auto, fate)?;
            }
            if self.ways.countersign {
                self.countersign(at.path)?;
            }
        }
        Ok(fate)
    }

    /// Decides on a record, and puts together what is told of the game as it then stands, or why its keys are not those expected.
    #[expect(clippy::type_complexity, reason = "the decision is taken apart at once, in one place")]
    fn decide(
        &self,
        mail: &Mail,
        came: Came<'_>,
        at: Place<'_>,
        held: &Held,
        here: &Result<(Verdict, Opened<'_>), Box<Verdict>>,
    ) -> Result<(Result<Decision, Refused>, Result<Standing, Advice>), Trouble> {
        let withdrawn = statements::all(self.office)?;
        let letter = Provenance {
            own: held.mine.own_or_moved,
            withdrawn: &withdrawn,
            looks_on: held.mine.looks_on,
            sent: held.sent,
            arrival: held.arrival,
            agreed: self
                .ways
                .agree
                .as_ref()
                .is_some_and(|agreed| agreed.means(at.id, self.whole.as_deref().unwrap_or(came.text))),
            answers: held.issued.as_ref().is_none_or(|token| !mail.is_letter || mail.seat_answers.contains(token)),
            confirmed: held.confirmed.as_deref(),
            ..self.letter(mail)
        };
        let opened = match here {
            Ok((verdict, opened)) if verdict.ruling == Ruling::Legal => opened,
            Ok((verdict, _)) => return Ok((Err(Refused::Here(Box::new(verdict.clone()))), Ok(Standing::default()))),
            Err(verdict) => return Ok((Err(Refused::Here(verdict.clone())), Ok(Standing::default()))),
        };
        let decided = receive::decide_between(opened, came.opened, &letter, |after| {
            // A key of the player's own may have come with a first entry.
            let mine = held.mine.own.or_else(|| OwnGame::new(self.office, at.id).find(after).ok()?);
            match self.key_fault(Some((opened, held.mine.own)), (after, mine), mail) {
                Some(why) => Err(why),
                None => {
                    let seat = receive::taken(opened, after, letter.own);
                    Ok(self.standing_of(after, mine, at.path, at.is_game).with_seat(self.office, seat, after))
                }
            }
        });
        Ok(match decided {
            Ok((decision, standing)) => (Ok(decision), standing.unwrap_or_else(|| Ok(Standing::default()))),
            Err(refused) => (Err(refused), Ok(Standing::default())),
        })
    }

    /// Writes a record to which entries were added, and tells of it.
    pub(super) fn write(&self, path: &Path, mut held: Held) -> Result<(), Trouble> {
        if held.accepted > 0 && !self.ways.dry_run {
            if let Some((line, arrival)) = &held.arrived {
                let noted = Arrivals::new(self.office.folders()).note(&held.id, line, arrival);
                noted.map_err(Trouble::File)?;
            }
            let safe = records::written(self.office, held.lock.replace(&held.original, &held.record))?;
            if held.is_game {
                known::remember(&OwnGame::new(self.office, &held.id), &held.record, path);
            }
            if !safe {
                // The message is read again, because a power cut may bring back the old record.
                return Err(records::not_flushed(&name(path)));
            }
        }
        drop(held.lock);
        held.told.into_iter().for_each(|event| self.hear(event));
        self.point_out(&held.id, &held.remarks);
        if held.accepted > 0 {
            self.tell_standing(&held.id, held.standing);
        }
        Ok(())
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

    /// Puts together what is told of a replayed game, or of an invitation; `mine`: the player's side, if it is known.
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

    fn invitation(&mut self, place: &str, mail: &Mail, came: Came<'_>, id: &str) -> Result<Fate, Trouble> {
        let mut opened = came.opened.of_stranger();
        let verdict = opened.replay(u32::MAX);
        let mine = OwnGame::new(self.office, id).find(&opened)?;
        let decided = receive::invite_to(&opened, verdict, &Provenance { own: mine, ..self.letter(mail) });
        let invited = match decided {
            Ok(invited) => invited,
            Err(refused) => return Ok(self.refused(&about(place, mail), came.text, (id, Path::new(id), 0), &refused)),
        };
        if let Some(why) = self.key_fault(None, (&opened, mine), mail) {
            self.note(Advice::from(format!("{}: {id}: refused: ", about(place, mail))).and(why));
            return Ok(Fate::Refused);
        }
        if self.invitations.standing(id)? == Answered::Declined {
            self.hear(Event::DeclinedBefore { id: id.to_owned() });
            return Ok(Fate::Known);
        }
        if !self.ways.dry_run {
            match self.invitations.keep(id, &invited.record) {
                Ok(_) => {}
                Err(InvitationError::File(error)) if error.was_written() => {}
                // Another process was faster; the next attempt compares the two.
                Err(InvitationError::File(FileError::Exists { .. })) => {}
                Err(error @ InvitationError::Full) => {
                    self.note(format!(
                        "{}: refused for now: {error}; this letter will be read again when there is room",
                        about(place, mail)
                    ));
                    self.unread = true;
                    return Ok(Fate::Refused);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.note_seat(id, Some(&opened.header), mail)?;
        let header = &opened.header;
        let names = Side::BOTH.map(|side| invitations::player(header.player(side)));
        let info = format!("{}, {} against {}", header.info.title, names[0], names[1]);
        let known = self.opponents();
        let own = self.settings.email.as_deref();
        let strangers = header.players.iter().filter(|player| player.email.as_deref() != own);
        let look_alikes: Vec<String> = strangers.filter_map(|player| likeness::look_alike(player, &known)).collect();
        self.hear(Event::Invited { id: id.to_owned(), new: Some((info, invited.entries)) });
        self.point_out(id, &look_alikes);
        self.point_out(id, &invited.remarks);
        Ok(Fate::Invitation)
    }

    /// Why the keys in a received record or an invitation are not the expected ones: a key other than the trusted one
    /// for this opponent, none although one is trusted, or a foreign one for the receiver's own side. Keys that the
    /// record here already has are not questioned, because its players have agreed on them. Each record comes with the player's side.
    fn key_fault(
        &self,
        here: Option<(&Opened<'_>, Option<Side>)>,
        (there, mine): (&Opened<'_>, Option<Side>),
        mail: &Mail,
    ) -> Option<Advice> {
        let mut trusted = self.office.trusted().to_vec();
        let advised = |fault: String| advice![format!("{fault}; {ASK}"), Act::TrustAKey, " changes it"];
        let fault = |(opened, mine): (&Opened<'_>, Option<Side>)| {
            trust::distrust_of_sender(opened, mine?, mail.from.as_deref()?, &trusted)
        };
        if let Some(fault) = fault((there, mine)).filter(|_| here.and_then(fault).is_none()) {
            return Some(advised(fault));
        }
        if here.is_none() {
            // For a key that has only been seen before, `accept` asks.
            trusted.retain(|one| !one.pinned);
            if let Some((key, known)) = trust::former(there, &trusted) {
                let key = key.fingerprint();
                return Some(advised(format!("it declares the key {key}, in whose place {known} stands")));
            }
        }
        let before = here.map(|(opened, _)| trust::distrust(self.office, opened, &trusted)).unwrap_or_default();
        let found = trust::distrust(self.office, there, &trusted);
        if let Some(fault) = found.into_iter().find(|fault| !before.contains(fault)) {
            return Some(advised(fault));
        }
        let declared = mine.filter(|_| here.is_none()).and_then(|mine| Some((mine, trust::key_of(there, mine)?)));
        let (mine, declared) = declared?;
        let own = self.office.keyring().own().ok().flatten().map(|key| key.public());
        (own.as_ref() != Some(&declared)).then(|| {
            let word = there.header.info.sides[mine.index()].word;
            format!(
                "it declares a key for your own side, {word}, that is not yours ({}): you could not make an entry; ask for a record with \
                 your key, or with none for you",
                declared.fingerprint()
            )
            .into()
        })
    }

    /// Keeps two contradicting records as evidence if a player has signed both.
    fn keep_evidence(&self, here: &[u8], received: &[u8], id: &str) -> Result<(), Trouble> {
        evidence::keep(self.office, id, [("here", here), ("received", received)], self.ways.dry_run)
    }

    /// Notes the token that a letter brings; the answer sends it back. Of a host's letter the token stands in its address.
    fn note_seat(&self, id: &str, header: Option<&Header<'_>>, mail: &Mail) -> Result<(), Trouble> {
        let host = header.and_then(|header| header.host.as_deref()?.email.as_deref());
        let is_host = |from: &&str| host.is_some_and(|host| mailbox(from) == mailbox(host));
        if let Some(from) = mail.from.as_deref().filter(is_host).filter(|_| !self.ways.dry_run) {
            Seats::new(self.office.folders()).note_host(id, from).map_err(Trouble::File)?;
        }
        let Some(token) = mail.seat.as_deref().filter(|_| !self.ways.dry_run) else { return Ok(()) };
        Seats::new(self.office.folders()).note(id, token).map_err(Trouble::File)
    }
}
