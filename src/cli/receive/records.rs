//! A record that arrived by mail: found among the games, decided upon, and written under the record's lock.

use std::path::{Path, PathBuf};

use super::super::hints::{self, Failure, name};
use super::super::{accept, acts, evidence, input, key, keys, known, own, refusals, withdrawn};
use super::{Fate, Run, about, likeness, print};
use crate::cli::home::office;
use crate::desk::parts;
use crate::desk::receive::{self, Arrival, Decision, Provenance, Refused, Rivals, Taken};
use crate::games::kernel::Side;
use crate::mail::incoming::Mail;
use crate::office::letters;
use crate::record::Time;
use crate::referee::in_words;
use crate::render::sheet::in_brief;
use crate::store::{
    Answered, Arrivals, FileError, HeldBack, InvitationError, KnownGames, RecordLock, Seats, Settings, private_folder,
    put_private,
};
use crate::text::printable;
use crate::verdict::{self, Opened, Relation, Ruling, Verdict};

/// A locked record, with what was accepted for it and is not written yet.
pub(super) struct Held {
    lock: RecordLock,
    original: Vec<u8>,
    record: Vec<u8>,
    /// How many messages contributed to it.
    pub(super) accepted: u64,
    /// What to report once it is written.
    told: String,
    remarks: Vec<String>,
    /// Whether it is one of the player's games rather than an invitation.
    is_game: bool,
    /// Which side is the player's, if that is known.
    own: Option<Side>,
    /// Whether it is known that neither side is the player's.
    looks_on: bool,
    /// The entry that the player's newest letter was about, and when that letter was first sent.
    sent: Option<(u32, Time)>,
    /// When the newest entry arrived, if it is the opponent's and that is known.
    arrival: Option<Arrival>,
    /// What is to be noted of the arrival of an entry that was accepted, with its line.
    arrived: Option<(String, Arrival)>,
    /// The token that went out with the player's letters.
    issued: Option<String>,
    /// The fingerprint of the opponent's key, if the player has confirmed one.
    confirmed: Option<String>,
    /// Whether those above but the last of an arrival were looked up.
    learned: bool,
    /// What to report of the game as it stands once it is written.
    standing: Standing,
}

/// What is reported of a game as it stands.
#[derive(Default)]
struct Standing {
    warnings: Vec<String>,
    text: String,
}

/// Opens a record and replays all of it; nothing if it cannot be opened.
fn replayed(record: &[u8]) -> Option<Opened<'_>> {
    let mut opened = Opened::new(record).ok()?;
    opened.replay(u32::MAX);
    Some(opened)
}

impl Standing {
    /// Says whose key takes the opponent's seat, if that is new.
    fn with_seat(mut self, id: &str, seat: Option<Taken>, opened: &Opened<'_>) -> Self {
        if let Some(Taken { side, key }) = seat {
            let (word, player) = (opened.header.info.sides[side.index()].word, opened.header.player(side));
            self.text
                .insert_str(0, &format!("{id}: key of {word} {}  {}\n", key.fingerprint(), keys::told(player, &key)));
        }
        self
    }
}

fn say_standing(id: &str, standing: &Standing) -> Result<(), Failure> {
    for warning in &standing.warnings {
        errln!("{id}: warning: {warning}");
    }
    if standing.text.is_empty() { Ok(()) } else { print(&standing.text) }
}

impl Held {
    fn take(path: &Path, is_game: bool) -> Result<Self, Failure> {
        let lock = RecordLock::take(path).map_err(|error| Failure::writing(&error))?;
        let original = lock.read().map_err(|error| Failure::writing(&error))?;
        let record = original.clone();
        Ok(Self {
            lock,
            original,
            record,
            accepted: 0,
            told: String::new(),
            remarks: Vec::new(),
            is_game,
            own: None,
            looks_on: !is_game,
            sent: None,
            arrival: None,
            arrived: None,
            issued: None,
            confirmed: None,
            learned: false,
            standing: Standing::default(),
        })
    }

    /// Looks up who plays, once; the record was replayed.
    fn learn(&mut self, opened: &Opened<'_>, path: &Path, settings: &Settings) -> Result<(), Failure> {
        if std::mem::replace(&mut self.learned, true) {
            return Ok(());
        }
        self.own = own::find_or_moved(opened, settings)?;
        self.looks_on |= own::looks_on(opened, settings)?;
        if let Some(own) = self.own {
            self.sent = letters::newest_sent(&*office()?, opened, own)?;
            self.arrival = known::arrival_of(opened, own)?;
            let seats = Seats::new(&settings.folders);
            let failed = |error| Failure::trouble(format!("{}: {error}", settings.folders.seats().display()));
            self.issued = seats.issued(&opened.header.id).map_err(failed)?;
            self.confirmed = keys::confirmed(opened.header.player(own.other()));
        }
        if self.is_game {
            known::guard_mail(opened, &self.original, &name(path), known::Use::Receive)?;
        }
        Ok(())
    }

    /// The record as it will be written.
    pub(super) fn record(&self) -> &[u8] {
        &self.record
    }

    /// Roughly how much memory it takes.
    pub(super) fn size(&self) -> usize {
        self.original.len() + self.record.len() + self.told.len()
    }
}

impl Run<'_> {
    /// What is known about a message, for the decision.
    pub(super) fn letter<'m>(&'m self, mail: &'m Mail) -> Provenance<'m> {
        Provenance {
            from: mail.from.as_deref(),
            date: mail.date,
            address: self.settings.email.as_deref(),
            arrived: self.arrived_of(mail),
            looked: self.looked,
            ..Provenance::at(self.now)
        }
    }

    /// Processes one attached record.
    pub(super) fn record(&mut self, place: &str, mail: &Mail, record: &[u8]) -> Result<Fate, Failure> {
        let id = match Opened::new(record) {
            Ok(opened) if opened.header.machine.is_some() => {
                let from = about(place, mail);
                errln!(
                    "{from}: {}: refused: it is a practice game against the machine, which is not mailed (E12)",
                    opened.header.id
                );
                return Ok(Fate::Refused);
            }
            Ok(opened) => opened.header.id.to_string(),
            Err(verdict) => return Ok(refused_verdict(&about(place, mail), record, &verdict)),
        };
        match self.file_of(&id)? {
            Some((path, is_game)) => self.known_game(place, mail, record, &id, &path, is_game),
            None => self.invitation(place, mail, record, &id),
        }
    }

    /// The file of a game, and whether it is one of the player's games or only an invitation.
    pub(super) fn file_of(&mut self, id: &str) -> Result<Option<(PathBuf, bool)>, Failure> {
        // A file that cannot be read may be this game's record. If the game were taken for an unknown one, its letter
        // would become an invitation, or be lost.
        match &self.shelf().find(id).map_err(|unread| Failure::trouble(unread.to_string()))?[..] {
            [] => {}
            [path] => return Ok(Some((path.clone(), true))),
            [first, second, ..] => {
                let message = format!("{} and {} are both records of {id}", name(first), name(second));
                return Err(
                    Failure::trouble(message).hint("keep one of them; `postrider verify` shows how far each goes")
                );
            }
        }
        let failed = |error: InvitationError| Failure::trouble(error.to_string());
        match self.invitations.standing(id).map_err(failed)? {
            Answered::Waiting => Ok(Some((self.invitations.file(id).map_err(failed)?, false))),
            Answered::Declined | Answered::Unknown => Ok(None),
        }
    }

    /// When the player's own mail server took a message: what it says itself (IMAP), or its `Received` line. No time is later than now.
    fn arrived_of(&self, mail: &Mail) -> Option<Time> {
        let line = || self.settings.received_by.as_deref().and_then(|server| mail.trace.taken_by(server));
        self.arrived.or_else(line).filter(|at| at.0 <= self.now.0)
    }

    /// The received record up to a claim of time against the player that comes along with other new entries: those are taken first, so
    /// that the claim is judged by when they were here.
    fn before_claim<'r>(&mut self, record: &'r [u8], path: &Path, is_game: bool) -> Result<Option<&'r [u8]>, Failure> {
        // Nearly no record ends with one.
        let Some(rest) = memchr::memmem::rfind(record, b" claim time").and_then(|at| record.get(at..)) else {
            return Ok(None);
        };
        if rest.iter().filter(|&&byte| byte == b'\n').count() > 3 || !is_game {
            return Ok(None);
        }
        let held = match self.held.get(path) {
            Some(held) => held.record.clone(),
            None => input::record(path)?,
        };
        let Some(opened) = replayed(&held) else { return Ok(None) };
        let Some(own) = own::find(&opened, &self.settings)? else { return Ok(None) };
        let sent = letters::newest_sent(&*office()?, &opened, own)?;
        let letter = Provenance { own: Some(own), sent, ..Provenance::at(self.now) };
        let received = Opened::new(record).ok();
        let entries = opened.table.standing().entries;
        Ok(received.and_then(|received| record.get(..receive::before_claim(&received, entries, &letter)?)))
    }

    fn known_game(
        &mut self,
        place: &str,
        mail: &Mail,
        record: &[u8],
        id: &str,
        path: &Path,
        is_game: bool,
    ) -> Result<Fate, Failure> {
        if let Some(before) = self.before_claim(record, path, is_game)? {
            let answers = std::mem::replace(&mut self.answers, false);
            let fate = self.known_game(place, mail, before, id, path, is_game);
            self.answers = answers;
            if fate? != Fate::Accepted {
                return Ok(Fate::Refused);
            }
        }
        let mut held = match self.held.remove(path) {
            Some(held) => held,
            None => Held::take(path, is_game)?,
        };
        let source = held.record.clone();
        // If a record cannot be opened, the decision reports that.
        let here = Opened::new(&source).map(|mut opened| (opened.replay(u32::MAX), opened));
        if let Ok((_, opened)) = &here {
            held.learn(opened, path, &self.settings)?;
        }
        let withdrawn = withdrawn::all()?;
        let letter = Provenance {
            own: held.own,
            withdrawn: &withdrawn,
            looks_on: held.looks_on,
            sent: held.sent,
            arrival: held.arrival,
            agreed: self.args.agree.as_deref() == Some(id) || self.args.seat.is_some(),
            answers: held.issued.as_ref().is_none_or(|token| !mail.is_letter || mail.seat_answers.contains(token)),
            confirmed: held.confirmed.as_deref(),
            ..self.letter(mail)
        };
        let sides = here.as_ref().ok().map(|(_, opened)| opened.header.info.sides);
        let theirs = held.own.and_then(|own| Some(sides?[own.other().index()].word));
        let arrival = Arrival { entry: 0, read: self.now, server: letter.arrived, without: letter.looked };
        let decision = match &here {
            Ok((verdict, opened)) if verdict.ruling == Ruling::Legal => {
                receive::decide_on(opened, record, &letter, |after| match self.key_fault(Some(opened), after, mail) {
                    Some(why) => Err(why),
                    None => Ok(self.standing_of(id, after, path, is_game).with_seat(
                        id,
                        receive::taken(opened, after, letter.own),
                        after,
                    )),
                })
            }
            Ok((verdict, _)) => Err(Refused::Here(Box::new(verdict.clone()))),
            Err(verdict) => Err(Refused::Here(verdict.clone())),
        };
        let (decision, standing) = match decision {
            Ok((decision, standing)) => (Ok(decision), standing.unwrap_or(Ok(Standing::default()))),
            Err(refused) => (Err(refused), Ok(Standing::default())),
        };
        let rivals = match (&decision, &here, held.own) {
            (Err(Refused::Parted(_)), Ok((_, opened)), Some(own)) => {
                receive::rivals(opened, record, own).map(|found| (found, opened))
            }
            _ => None,
        };
        if let Some((rivals, opened)) = rivals {
            let fate = match self.between(&about(place, mail), id, &rivals, opened)? {
                Some(fate) => fate,
                None => {
                    let record_before = source.get(..rivals.before).unwrap_or_default().to_vec();
                    self.set_aside(id, &source)?;
                    // The same letter once more, for the record as it was before that entry.
                    self.held.insert(path.to_owned(), Held { record: record_before, learned: false, ..held });
                    return self.known_game(place, mail, record, id, path, is_game);
                }
            };
            self.keep_evidence(&held.record, record, id)?;
            self.write(path, id, held)?;
            return Ok(fate);
        }
        if decision.is_ok() {
            self.note_seat(id, mail)?;
        }
        let fate = match decision {
            Ok(Decision::Nothing { entries, older, remarks }) => {
                if self.alone {
                    let here = match (older, remarks) {
                        (true, _) => "yours goes further",
                        (false, false) => "yours is the same",
                        (false, true) => {
                            "yours is the same except for remarks, which are taken only with an entry or after the end"
                        }
                    };
                    held.told.push_str(&format!("{id}: nothing new, up to entry {entries}: {here}\n"));
                }
                Fate::Known
            }
            Ok(Decision::Accepted(accepted)) => match standing {
                Err(why) => {
                    errln!("{}: {id}: refused: {why}", about(place, mail));
                    Fate::Refused
                }
                Ok(standing) => {
                    // An invitation goes on: it is not the player's game yet.
                    let what = if is_game { "accepted" } else { "the invitation has grown" };
                    for line in &accepted.lines {
                        held.told.push_str(&format!("{id}: {what}: {}\n", in_brief(&printable(line))));
                    }
                    if accepted.lines.is_empty() {
                        held.told.push_str(&format!(
                            "{id}: accepted: what stands below entry {}, the last\n",
                            accepted.last
                        ));
                    }
                    held.remarks.extend(accepted.remarks);
                    let begun = *self.taken.entry(id.to_owned()).or_insert(accepted.first);
                    // Nobody can answer in time what comes along with the claim, in whatever letter.
                    if let ([claim], Some(_)) = (accepted.lines.as_slice(), held.own)
                        && begun < accepted.first
                        && parts(claim).0 == "claim time"
                    {
                        held.remarks.push(receive::claim_against_new(accepted.first, "just before it"));
                    }
                    if let Some(line) = accepted.lines.last() {
                        let is_theirs = theirs.is_some() && line.split(' ').nth(1) == theirs;
                        held.arrival = is_theirs.then_some(Arrival { entry: accepted.last, ..arrival });
                        held.arrived = held.arrival.map(|arrival| (line.clone(), arrival));
                    }
                    held.record = accepted.record;
                    held.accepted += 1;
                    held.standing = standing;
                    if is_game { Fate::Accepted } else { Fate::Invitation }
                }
            },
            Err(Refused::Here(_)) => {
                return Err(Failure::trouble(format!(
                    "your own record of {id} is not legal, so nothing is accepted for it"
                ))
                .hint(format!("`postrider verify -v {}` shows what is wrong", hints::shell(path))));
            }
            Err(refused) => {
                let fate = self.refused(&about(place, mail), record, id, path, &refused);
                if let (Refused::Parted(relation), Some(sent)) = (&refused, held.sent) {
                    point_out(id, &claim_beside(relation, sent).into_iter().collect::<Vec<_>>());
                }
                if matches!(refused, Refused::Parted(_) | Refused::Stranger { .. }) {
                    self.keep_evidence(&held.record, record, id)?;
                }
                fate
            }
        };
        if self.gathers() && held.accepted > 0 {
            self.held.insert(path.to_owned(), held);
            return Ok(fate);
        }
        self.write(path, id, held)?;
        if self.answers && !matches!(fate, Fate::Refused | Fate::HeldBack) {
            self.answer(path, is_game, mail.auto, fate)?;
            self.countersign(path, is_game)?;
        }
        Ok(fate)
    }

    /// Writes a record to which entries were added, and reports it.
    pub(super) fn write(&self, path: &Path, id: &str, mut held: Held) -> Result<(), Failure> {
        if held.accepted > 0 && !self.args.dry_run {
            if let Some((line, arrival)) = &held.arrived {
                let noted = Arrivals::new(&self.settings.folders).note(id, line, arrival);
                noted.map_err(|error| Failure::writing(&error))?;
            }
            let safe = input::written(held.lock.replace(&held.original, &held.record))?;
            if held.is_game {
                known::remember(id, &held.record);
            }
            if !safe {
                // The message is read again, because a power cut may bring back the old record.
                return Err(input::not_flushed(&name(path)));
            }
        }
        drop(held.lock);
        print(held.told)?;
        point_out(id, &held.remarks);
        if held.accepted > 0 { say_standing(id, &held.standing) } else { Ok(()) }
    }

    /// Reports whose entry is due.
    pub(super) fn standing(&self, id: &str, record: &[u8], path: &Path) -> Result<(), Failure> {
        match replayed(record) {
            Some(opened) => say_standing(id, &self.standing_of(id, &opened, path, true)),
            None => Ok(()),
        }
    }

    /// Puts together what is reported of a replayed game, or of an invitation.
    fn standing_of(&self, id: &str, opened: &Opened<'_>, path: &Path, is_game: bool) -> Standing {
        let warnings = keys::distrust(opened, &keys::trusted());
        let (sides, standing) = (&opened.header.info.sides, opened.table.standing());
        if let Some(outcome) = standing.outcome {
            return Standing { warnings, text: format!("{id}: {}\n", outcome.text(sides)) };
        }
        if !is_game {
            let text = format!("{id}: you are invited: `postrider accept {id}` or `postrider decline {id}`\n");
            return Standing { warnings, text };
        }
        let due = standing.due.side;
        let word = sides[due.index()];
        let path = hints::shell(path);
        let mut text = format!("{id}: {} {} due: `postrider show {path}`\n", word.named(), word.verb("are", "is"));
        // What is forced is made by itself if that is asked for.
        if !self.args.answer
            && own::side(opened, &self.settings).is_none_or(|own| own == due)
            && super::super::answer::is_forced(opened, due)
        {
            text.push_str(&format!("{id}: that entry is forced: `postrider answer {path}` makes it\n"));
        }
        Standing { warnings, text }
    }

    fn invitation(&mut self, place: &str, mail: &Mail, record: &[u8], id: &str) -> Result<Fate, Failure> {
        let own = match refusals::replayed(record, id) {
            Ok(opened) => own::find(&opened, &self.settings)?,
            Err(_) => None,
        };
        let invited = match receive::invite(record, &Provenance { own, ..self.letter(mail) }) {
            Ok(invited) => invited,
            Err(refused) => return Ok(self.refused(&about(place, mail), record, id, Path::new(id), &refused)),
        };
        if let Some(why) = replayed(&invited.record).and_then(|opened| self.key_fault(None, &opened, mail)) {
            errln!("{}: {id}: refused: {why}", about(place, mail));
            return Ok(Fate::Refused);
        }
        let failed = |error: InvitationError| Failure::trouble(error.to_string());
        if self.invitations.standing(&invited.id).map_err(failed)? == Answered::Declined {
            print(format!("{id}: you declined this game; `postrider accept {id}` accepts it anyway\n"))?;
            return Ok(Fate::Known);
        }
        if !self.args.dry_run {
            match self.invitations.keep(&invited.id, &invited.record) {
                Ok(_) => {}
                Err(InvitationError::File(error)) if error.was_written() => {}
                // Another process was faster; the next attempt compares the two.
                Err(InvitationError::File(FileError::Exists { .. })) => {}
                Err(error @ InvitationError::Full) => {
                    errln!(
                        "{}: refused for now: {error}; this letter will be read again when there is room",
                        about(place, mail)
                    );
                    self.unread = true;
                    return Ok(Fate::Refused);
                }
                Err(error) => return Err(failed(error)),
            }
        }
        self.note_seat(id, mail)?;
        let (mut info, mut look_alikes) = (String::new(), Vec::new());
        if let Ok(opened) = Opened::new(&invited.record) {
            let names = Side::BOTH.map(|side| accept::player(opened.header.player(side)));
            info = format!("{}, {} against {}", opened.header.info.title, names[0], names[1]);
            let known = self.opponents();
            let own = self.settings.email.as_deref();
            let strangers = opened.header.players.iter().filter(|player| player.email.as_deref() != own);
            look_alikes.extend(strangers.filter_map(|player| likeness::look_alike(player, &known)));
        }
        print(format!(
            "{id}: you are invited: {info}, {}; `postrider accept {id}` or `postrider decline {id}`\n",
            crate::text::entries(invited.entries)
        ))?;
        point_out(id, &look_alikes);
        point_out(id, &invited.remarks);
        Ok(Fate::Invitation)
    }

    /// Why the keys in a received record or an invitation are not the expected ones: a key other than the trusted one
    /// for this opponent, none although one is trusted, or a foreign one for the receiver's own side. Keys that the
    /// record here already has are not questioned, because its players have agreed on them.
    fn key_fault(&self, here: Option<&Opened<'_>>, there: &Opened<'_>, mail: &Mail) -> Option<String> {
        let mut trusted = keys::trusted().to_vec();
        let advice =
            "ask your opponent by some way other than mail which key is right; `postrider key trust` changes it";
        let fault = |opened| {
            let mine = own::side(opened, &self.settings)?;
            keys::distrust_of_sender(opened, mine, mail.from.as_deref()?, &trusted)
        };
        if let Some(fault) = fault(there).filter(|_| here.and_then(fault).is_none()) {
            return Some(format!("{fault}; {advice}"));
        }
        if here.is_none() {
            // For a key that has only been seen before, `accept` asks.
            trusted.retain(|one| !one.pinned);
        }
        if here.is_none()
            && let Some((key, known)) = keys::former(there, &trusted)
        {
            return Some(format!("it declares the key {}, in whose place {known} stands; {advice}", key.fingerprint()));
        }
        let before = here.map(|opened| keys::distrust(opened, &trusted)).unwrap_or_default();
        if let Some(fault) = keys::distrust(there, &trusted).into_iter().find(|fault| !before.contains(fault)) {
            return Some(format!("{fault}; {advice}"));
        }
        let mine = own::side(there, &self.settings)?;
        let declared = there.table.signatures().and_then(|signatures| signatures.key(mine))?;
        let own = keys::keyring().ok().and_then(|keyring| keyring.own().ok()).flatten().map(|key| key.public());
        (here.is_none() && own.as_ref() != Some(&declared)).then(|| {
            let word = there.header.info.sides[mine.index()].word;
            format!(
                "it declares a key for your own side, {word}, that is not yours ({}): you could not make an entry; ask for a record with \
                 your key, or with none for you",
                declared.fingerprint()
            )
        })
    }

    /// Reports two different signed entries for one turn, or a receipt and a signature that contradicts it, and keeps both records: together they prove it.
    fn keep_evidence(&self, here: &[u8], received: &[u8], id: &str) -> Result<(), Failure> {
        let Ok(found) = verdict::evidence(here, received) else { return Ok(()) };
        let Some(text) = evidence::in_words(&found, here, ["here", "received"]) else { return Ok(()) };
        err!("{id}: {text}");
        if self.args.dry_run {
            return Ok(());
        }
        let folder = self.settings.folders.evidence();
        private_folder(&folder).map_err(|error| Failure::trouble(format!("{}: {error}", folder.display())))?;
        let mut kept = Vec::new();
        for (which, record) in [("here", here), ("received", received)] {
            // Made only of the game's validated id and a number.
            let path = folder.join(format!("{id}.{}.{which}.pbem", evidence::number(&found)));
            put_private(&path, record).map_err(|error| Failure::writing(&error))?;
            kept.push(hints::shell(&path));
        }
        errln!("both records are kept as evidence: `postrider evidence {}`", kept.join(" "));
        Ok(())
    }

    /// Notes the token that a letter brings; the answer sends it back.
    fn note_seat(&self, id: &str, mail: &Mail) -> Result<(), Failure> {
        let Some(token) = mail.seat.as_deref().filter(|_| !self.args.dry_run) else { return Ok(()) };
        Seats::new(&self.settings.folders).note(id, token).map_err(|error| Failure::writing(&error))
    }

    /// Settles which of two keys is the opponent's, as far as the player has said it. Returns what becomes of the letter; nothing if
    /// its entry is to replace the one here.
    fn between(&mut self, from: &str, id: &str, rivals: &Rivals, opened: &Opened<'_>) -> Result<Option<Fate>, Failure> {
        let (word, player) = (opened.header.info.sides[rivals.side.index()].word, opened.header.player(rivals.side));
        let (who, entry) = (printable(&player.name).into_owned(), rivals.entry);
        let (here, there) = (rivals.here.fingerprint(), rivals.there.fingerprint());
        let chosen = self.args.seat.as_deref().map(key::fingerprint).transpose()?;
        errln!("{from}: {id}: two keys claim to be {who} ({word}), each with an entry {entry} of its own");
        errln!("  here:     {here}");
        errln!("  received: {there}");
        if chosen.as_ref().is_none_or(|chosen| *chosen != here && *chosen != there) {
            self.until = Some(HeldBack::UNTIL_AGREED);
            errln!(
                "hint: one of the two was written by somebody who has seen the record; ask {who} by some way other than mail which \
                 fingerprint is right, then `postrider receive --seat FINGERPRINT`; until then this letter is held back"
            );
            return Ok(Some(Fate::HeldBack));
        }
        let right = if chosen.as_ref() == Some(&there) { &there } else { &here };
        keys::trust(player, right)?;
        if right == &here {
            errln!("{id}: {who} is trusted to sign by {here}: the record here stays, and the letter is dropped");
            return Ok(Some(Fate::Refused));
        }
        if rivals.answered {
            errln!(
                "{id}: you have made entries after entry {entry} of the other key, and a second one in the same place would speak against \
                 you: begin a new game with {who} (`postrider new` with the key {there} declared for {word}), and tell a director both"
            );
            return Ok(Some(Fate::Refused));
        }
        errln!("{id}: {who} is trusted to sign by {there}: entry {entry} is replaced by the one in the letter");
        Ok(None)
    }

    /// Keeps a copy of a record that is about to be replaced.
    fn set_aside(&self, id: &str, record: &[u8]) -> Result<(), Failure> {
        let aside = KnownGames::new(&self.settings.folders).set_aside(id, record);
        let aside = aside.map_err(|error| Failure::writing(&error))?;
        errln!("{id}: the record as it was is kept in {}", name(&aside));
        Ok(())
    }

    /// Reports on standard error why a record was refused; the file here is unchanged.
    fn refused(&mut self, from: &str, record: &[u8], id: &str, path: &Path, refused: &Refused) -> Fate {
        match refused {
            Refused::Verdict(verdict) | Refused::Here(verdict) => {
                refused_verdict(&format!("{from}: {id}"), record, verdict)
            }
            Refused::Parted(relation) => {
                if let Some((why, difference)) = receive::parted_in_words(relation) {
                    errln!("{from}: {id}: refused: {}", printable(&why));
                    if let Some(difference) = difference {
                        let shown =
                            |text: &str| if text.is_empty() { "(nothing)".to_owned() } else { printable(text).into() };
                        errln!("  here:     {}", shown(&difference.here));
                        errln!("  received: {}", shown(&difference.there));
                    }
                }
                Fate::Refused
            }
            Refused::Stranger { from: address, players } => {
                let who = address.as_deref().map_or_else(|| "no one address".to_owned(), likeness::in_letters);
                let players = players.join(" or ");
                errln!(
                    "{from}: {id}: refused: it comes from {who}, and its entries can only come from {}",
                    printable(&players)
                );
                Fate::Refused
            }
            Refused::Large(why) => {
                errln!("{from}: {id}: refused: {why}");
                Fate::Refused
            }
            Refused::OwnSide { entry, line } => {
                errln!(
                    "{from}: {id}: refused: entry {entry} is of your own side, and is not in your record: {}",
                    in_brief(&printable(line))
                );
                Fate::Refused
            }
            Refused::WhoseSide { entry, line } => {
                errln!(
                    "{from}: {id}: refused: it is not known which side of this game is yours, so that entry {entry} could be made for \
                     you by somebody else: {}",
                    in_brief(&printable(line))
                );
                if let Ok(opened) = Opened::new(record) {
                    errln!(
                        "hint: {}; then receive this message again",
                        acts::written(&own::hint(&opened.header, &name(path)))
                    );
                }
                Fate::Refused
            }
            Refused::Early { entry, time } => {
                let until = time.0.saturating_sub(receive::AHEAD);
                self.until = Some(self.until.map_or(until, |other| other.max(until)));
                errln!(
                    "{from}: {id}: held back: entry {entry} is of {time}, more than ten minutes ahead of the clock here ({}); the next \
                     `postrider receive` from {} on takes it",
                    self.now,
                    Time(until)
                );
                Fate::HeldBack
            }
            Refused::Doubtful { claim, since, arrival, left } => {
                self.until = Some(HeldBack::UNTIL_AGREED);
                errln!(
                    "{from}: {id}: held back: entry {claim} claims that your time ran out, counted from {since}, but entry {} {}: counted \
                     from then you had {} left",
                    arrival.entry,
                    arrival.in_words(),
                    in_words(*left)
                );
                errln!(
                    "hint: the game goes on here: enter your move, and tell your opponent or a director both times (`postrider rules mail` \
                     says what counts as evidence); `postrider receive --agree {id}` takes the claim"
                );
                Fate::HeldBack
            }
            Refused::Uncommitted(_) => {
                self.until = Some(HeldBack::UNTIL_AGREED);
                errln!(
                    "{from}: {id}: held back: the first entry of your opponent has no commitment (Z20), so that less of what that side seals \
                     and draws could be proven at the end"
                );
                errln!(
                    "hint: ask your opponent to enter it once more with one, as every current program does; `postrider receive --agree {id}` \
                     plays on without"
                );
                Fate::HeldBack
            }
            Refused::Seat(seat) => {
                self.until = Some(HeldBack::UNTIL_AGREED);
                let key = seat.key.fingerprint();
                errln!(
                    "{from}: {id}: held back: it brings the first entry of your opponent with a new key, {key}, and does not show that its \
                     writer got a letter of yours: whoever has seen the record could have written it"
                );
                errln!(
                    "hint: ask your opponent by some way other than mail whether that key is theirs; `postrider receive --agree {id}` takes it"
                );
                Fate::HeldBack
            }
            Refused::Withdrawn(signer) => {
                self.until = Some(HeldBack::UNTIL_AGREED);
                let key = signer.key.fingerprint();
                let since = withdrawn::since(&withdrawn::statements(), &key).unwrap_or_default();
                errln!(
                    "{from}: {id}: held back: it is signed by the key {key}, {since}: whoever else has that key could have written it"
                );
                errln!(
                    "hint: ask your opponent by some way other than mail whether they have made this entry; `postrider receive --agree {id}` \
                     takes it, and the game goes on"
                );
                Fate::HeldBack
            }
            Refused::Claim { since, sent: (about, sent) } => {
                errln!(
                    "{from}: {id}: refused: it claims that your time ran out, counted from {since}, but your letter about entry {about} \
                     was only sent on {sent}: an answer to it cannot be older"
                );
                Fate::Refused
            }
        }
    }
}

/// Reports that a claim of time conflicts with an entry that was sent before it.
fn claim_beside(relation: &Relation, (about, sent): (u32, Time)) -> Option<String> {
    let Relation::Fork(difference) = relation else { return None };
    let claims = difference.there.split(" @").next().is_some_and(|line| line.ends_with(" claim time"));
    (claims && difference.place <= about)
        .then(|| format!("your letter about entry {about} was sent on {sent}; the claim leaves that entry out"))
}

/// The verdict on a received record, in the same form as on a file.
fn refused_verdict(from: &str, record: &[u8], verdict: &Verdict) -> Fate {
    errln!("{from}: refused: the record is {}", verdict.ruling.word());
    err!("{}", hints::report(record, "the record", verdict, false));
    Fate::Refused
}

/// Warns about what looks wrong and changes nothing.
pub(super) fn point_out(id: &str, remarks: &[String]) {
    for remark in remarks {
        errln!("{id}: note: {}", printable(remark));
    }
}
