//! A record that arrived by mail: found among the games, decided upon, and written under the record's lock.

use std::path::{Path, PathBuf};

use super::event::{Event, Fate, Outcome};
use super::executor::About;
use super::held::{Held, KnownHere, Place, Standing};
use super::likeness;
use super::plan::{BesideInvitation, Facts, Plan};
use super::receiving::{Receiving, about};
use super::refusal::{Becomes, OfRecord, Refusal};
use super::refused::{KeyFault, between};
use crate::entry::dating;
use crate::invite::kept::{Answered, InvitationError, Sender};
use crate::keys::{statements, trust};
use crate::known::lost::{How, Lost};
use crate::known::restoring;
use crate::office::{Trouble, name};
use crate::receive::decision as receive;
use crate::receive::decision::{Decision, Provenance, Refused, unix};
use crate::records;
use crate::send::letters;
use postrider_disk::disk::FileError;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_mail::address::is_same;
use postrider_mail::incoming::Mail;
use postrider_referee::record::{Header, Time};
use postrider_referee::sealing::AskedBack;
use postrider_referee::verdict::{Opened, Ruling};

/// What somebody does about a key that is not the expected one.
const ASK: &str = "ask your opponent by some way other than mail which key is right; ";

/// A record that came: its text with LF line ends, with its header read.
struct Came<'r> {
    text: &'r [u8],
    opened: Opened<'r>,
}

/// A part of a record that came, which is decided on by itself.
#[derive(Clone, Copy)]
struct Part<'r> {
    /// The whole record, if this is only its beginning.
    whole: Option<&'r [u8]>,
    /// Whether what becomes of it may be answered at once.
    may_answer: bool,
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
            let fate = self.refused(place, mail, Some(&id), OfRecord::Practice);
            let path = self.file_of(&id).ok().flatten().map(|(path, _)| path);
            return Ok(Outcome { id: Some(id), game, path, fate });
        }
        let came = Came { text, opened };
        let found = match self.file_of(&id) {
            // What lies where the record was may be what cannot be read.
            Err(_) if restoring::awaits(self.office, &came.opened).is_some_and(|lost| lost.how.is_absent()) => None,
            found => found?,
        };
        let (path, fate) = match found {
            Some((path, is_game)) => {
                let part = Part { whole: None, may_answer: true };
                let fate = self.known_game(place, mail, came, Place { id: &id, path: &path, is_game }, part)?;
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
        self.current.arrived.or_else(line).filter(|at| at.0 <= self.now.0)
    }

    /// The received record up to a claim of time against the player that comes along with other new entries: those are taken first, so
    /// that the claim is judged by when they were here.
    fn before_claim<'r>(&self, came: &Came<'r>, at: Place<'_>, held: &mut Held) -> Result<Option<&'r [u8]>, Trouble> {
        let record = came.text;
        // Nearly no record ends with one.
        let Some(rest) = memchr::memmem::rfind(record, b" claim time").and_then(|at| record.get(at..)) else {
            return Ok(None);
        };
        if rest.iter().filter(|&&byte| byte == b'\n').count() > 3 || !at.is_game {
            return Ok(None);
        }
        let here = held.record.clone();
        let Some(opened) = super::receiving::replayed(&here) else { return Ok(None) };
        held.learn(&opened, at.path, &self.own_game(at.id))?;
        let Some((own, sent)) = held.known.as_ref().and_then(|known| Some((known.mine.own?, known.sent))) else {
            return Ok(None);
        };
        let letter = Provenance { own: Some(own), sent, ..Provenance::at(self.now) };
        let entries = opened.table.standing().entries;
        Ok(receive::before_claim(&came.opened, entries, &letter).and_then(|length| record.get(..length)))
    }

    /// The record here, locked, with what was taken and is not written yet.
    fn taken_up(&mut self, at: Place<'_>) -> Result<Held, Trouble> {
        match self.collected.held.remove(at.path) {
            Some(held) => Ok(held),
            None => Held::take(self.office, at),
        }
    }

    /// Lets go of a record. What was taken for it from earlier letters is not lost by what is wrong with this one.
    pub(super) fn give_back(&mut self, path: &Path, held: Held) {
        if held.accepted > 0 {
            self.hold(path, held);
        }
    }

    fn known_game(
        &mut self,
        place: &str,
        mail: &Mail,
        came: Came<'_>,
        at: Place<'_>,
        part: Part<'_>,
    ) -> Result<Fate, Trouble> {
        let mut held = self.taken_up(at)?;
        if let Some(before) = self.before_claim(&came, at, &mut held)?
            && let Ok(opened) = Opened::new(before)
        {
            self.give_back(at.path, held);
            // It is agreed to as a whole.
            let first = Part { whole: Some(came.text), may_answer: false };
            let fate = self.known_game(place, mail, Came { text: before, opened }, at, first)?;
            if fate != Fate::Accepted {
                return Ok(Fate::Refused);
            }
            held = self.taken_up(at)?;
        }
        let source = held.record.clone();
        // If a record cannot be opened, the decision reports that.
        let here = Opened::new(&source).map(|mut opened| (opened.replay(u32::MAX), opened));
        if let Ok((_, opened)) = &here {
            held.learn(opened, at.path, &self.own_game(at.id))?;
        }
        let known = held.known.clone().unwrap_or_default();
        // If that cannot be read, what a withdrawn key has signed must not be taken.
        let statements = match self.office.statements_read() {
            Ok(statements) => statements,
            Err(error) => {
                self.give_back(at.path, held);
                return Err(error.into());
            }
        };
        let record = came.text;
        let decided = match &here {
            Ok((verdict, opened)) if verdict.ruling == Ruling::Legal => {
                let withdrawn = statements::withdrawn_of(&statements);
                self.decide(mail, came, (opened, &known), &withdrawn, (at, part))
            }
            Ok((verdict, _)) => Err(Refused::Here(Box::new(verdict.clone()))),
            Err(verdict) => Err(Refused::Here(verdict.clone())),
        };
        if let (Err(Refused::Parted(_)), Ok((_, opened)), Some(own)) = (&decided, &here, known.mine.own_or_moved)
            && let Some(rivals) = receive::rivals(opened, record, own)
        {
            let between = between(&about(place, mail), at.id, &rivals, &opened.header, self.ways.seat.as_deref());
            let settled = self.settle(between, opened.header.player(rivals.side)).and_then(|fate| {
                match fate {
                    Some(_) => self.keep_evidence(&held.record, record, at.id)?,
                    None => self.set_aside(at.id, &source)?,
                }
                Ok(fate)
            });
            let fate = match settled {
                Ok(fate) => fate,
                Err(trouble) => {
                    self.give_back(at.path, held);
                    return Err(trouble);
                }
            };
            let Some(fate) = fate else {
                // The same letter once more, for the record as it was before that entry.
                let before = source.get(..rivals.before).unwrap_or_default().to_vec();
                self.hold(at.path, Held { record: before, known: None, ..held });
                return match Opened::new(record) {
                    Ok(opened) => self.known_game(place, mail, Came { text: record, opened }, at, part),
                    Err(verdict) => Ok(self.illegal(about(place, mail), record, verdict)),
                };
            };
            drop(self.write(at.path, held)?);
            return Ok(fate);
        }
        if let Err(refused) = &decided {
            self.may_be_decided(refused, at)?;
        }
        let facts = Facts {
            about: &about(place, mail),
            id: at.id,
            path: at.path,
            is_game: at.is_game,
            is_here: true,
            made: here.as_ref().map_or(0, |(verdict, _)| verdict.entries),
            record,
            whole: part.whole.unwrap_or(record),
            alone: self.current.alone,
            sent: known.sent,
            held_back: self.current.until,
            now: self.now,
            statements: &statements,
        };
        let plan = Plan::of(decided, &facts);
        let header = here.as_ref().ok().map(|(_, opened)| &*opened.header);
        self.carry_out(plan, held, at, About { mail, record, header, may_answer: part.may_answer })
    }

    /// Nothing is decided about a record while the one here is not legal, or has lost entries: what goes on from those is no fault of the
    /// letter, which comes again once they are back.
    fn may_be_decided(&self, refused: &Refused, at: Place<'_>) -> Result<(), Trouble> {
        let lost = restoring::lost(self.office, at.id);
        if matches!(refused, Refused::Here(_)) {
            let what = format!("your own record of {} is not legal, so nothing is accepted for it", at.id);
            let wrong = advice![Act::Verify(name(at.path)), " shows what is wrong"];
            return Err(Trouble::of(what).advise(match lost {
                Some(_) => {
                    wrong.and(advice!["; ", Act::Restore(name(at.path)), " brings back what was last known of it"])
                }
                None => wrong,
            }));
        }
        lost.filter(|lost| matches!(lost.how, How::Shortened(_))).map_or(Ok(()), |lost| Err(waits(&lost)))
    }

    /// Decides on a record, and puts together what is told of the game as it then stands, or why its keys are not those expected.
    fn decide(
        &self,
        mail: &Mail,
        came: Came<'_>,
        (here, known): (&Opened<'_>, &KnownHere),
        withdrawn: &[String],
        (at, part): (Place<'_>, Part<'_>),
    ) -> Result<(Decision, Result<Standing, KeyFault>), Refused> {
        let whole = part.whole.unwrap_or(came.text);
        let letter = Provenance {
            own: known.mine.own_or_moved,
            withdrawn,
            looks_on: known.mine.looks_on,
            sent: known.sent,
            arrival: known.arrival,
            agreed: self.ways.agree.as_ref().is_some_and(|agreed| agreed.means(at.id, whole)),
            answers: known.issued.as_ref().is_none_or(|token| !mail.is_letter || mail.seat_answers.contains(token)),
            confirmed: known.confirmed.as_deref(),
            ..self.letter(mail)
        };
        let (decision, standing) = receive::decide_between(here, came.opened, &letter, |after| {
            // A key of the player's own may have come with a first entry.
            let mine = known.mine.own.or_else(|| self.own_game(at.id).find_in_theirs(after).ok()?);
            match self.key_fault(Some((here, known.mine.own)), (after, mine), mail) {
                Some(why) => Err(why),
                None => {
                    let seat = receive::taken(here, after, letter.own);
                    Ok(self.standing_of(after, mine, at.path, at.is_game).with_seat(self.office, seat, after))
                }
            }
        })?;
        Ok((decision, standing.unwrap_or_else(|| Ok(Standing::default()))))
    }

    fn invitation(&mut self, place: &str, mail: &Mail, came: Came<'_>, id: &str) -> Result<Fate, Trouble> {
        let mut opened = came.opened.of_stranger();
        let verdict = opened.replay(u32::MAX);
        let mine = self.own_game(id).find_in_theirs(&opened)?;
        let decided = receive::invite_to(&opened, verdict, &Provenance { own: mine, ..self.letter(mail) });
        let facts = Facts {
            about: &about(place, mail),
            id,
            path: Path::new(id),
            is_game: false,
            is_here: false,
            made: 0,
            record: came.text,
            whole: came.text,
            alone: self.current.alone,
            sent: None,
            held_back: self.current.until,
            now: self.now,
            statements: &[],
        };
        let fault = if decided.is_ok() { self.key_fault(None, (&opened, mine), mail) } else { None };
        let passes = decided.is_ok() && fault.is_none();
        let is_declined = passes && self.invitations.standing(id)? == Answered::Declined;
        let opponents = if passes && !is_declined { self.opponents() } else { Vec::new() };
        let (header, own) = (&opened.header, self.settings.email.as_deref());
        let beside = BesideInvitation { header, fault, is_declined, opponents: &opponents, own };
        let plan = Plan::of_invitation(decided, beside, &facts);
        self.carry_out_invitation(plan, (place, mail), (id, header), &opponents)
    }

    /// Does what is planned about a record of a game that is not here.
    fn carry_out_invitation(
        &mut self,
        plan: Plan,
        (place, mail): (&str, &Mail),
        (id, header): (&str, &Header<'_>),
        opponents: &[likeness::Known],
    ) -> Result<Fate, Trouble> {
        self.announce(id, plan.says, plan.held_back, plan.stranger);
        if let Some(record) = plan.keeps.filter(|_| !self.ways.dry_run) {
            let address = mail.from.as_deref().unwrap_or_default();
            let is_known = |one: &likeness::Known| one.address.as_deref().is_some_and(|known| is_same(known, address));
            let sender = Sender { address, is_known: opponents.iter().any(is_known) };
            match self.invitations.keep(id, &record, &sender) {
                Ok(_) => {}
                Err(InvitationError::File(error)) if error.was_written() => {}
                // Another process was faster; the next attempt compares the two.
                Err(InvitationError::File(FileError::Exists { .. })) => {}
                // It is not read again, or those who send the most would be read the most.
                Err(error @ InvitationError::FullOf(_)) => {
                    return Ok(self.too_many_of_one(place, mail, error));
                }
                Err(error @ InvitationError::Full) => {
                    let why = OfRecord::NoRoom(error);
                    self.refuses(Refusal::new(about(place, mail), None, Becomes::ReadAgain, why));
                    self.current.unread = true;
                    return Ok(Fate::Refused);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if plan.notes_seat {
            self.note_seat(id, Some(header), mail)?;
        }
        plan.tells.into_iter().for_each(|event| self.hear(event));
        self.point_out(id, &plan.remarks);
        Ok(plan.fate)
    }

    /// Why the keys in a received record or an invitation are not the expected ones: a key other than the trusted one
    /// for this opponent, none although one is trusted, or a foreign one for the receiver's own side. Keys that the
    /// record here already has are not questioned, because its players have agreed on them. Each record comes with the player's side.
    fn key_fault(
        &self,
        here: Option<(&Opened<'_>, Option<Side>)>,
        (there, mine): (&Opened<'_>, Option<Side>),
        mail: &Mail,
    ) -> Option<KeyFault> {
        let mut trusted = self.office.trusted().to_vec();
        let advised =
            |what: String| KeyFault { what, then: advice![format!("; {ASK}"), Act::TrustAKey, " changes it"] };
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
            let what = format!(
                "it declares a key for your own side, {word}, that is not yours ({}): you could not make an entry",
                declared.fingerprint()
            );
            KeyFault { what, then: "; ask for a record with your key, or with none for you".into() }
        })
    }
}
