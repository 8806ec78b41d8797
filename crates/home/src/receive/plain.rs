//! A reply without a record, from an opponent without the program: the one entry that it means is judged and written
//! for them. An entry that is only mentioned leads to a question, and a refused one to an explanation.

mod course;
mod judged;

use std::collections::BTreeMap;
use std::path::Path;

use course::{Course, Replied};
use judged::{Entering, Judged, Judging};

use super::back::{Back, Reply};
use super::event::{Event, Fate, Outcome};
use super::likeness;
use super::receiving::{Receiving, about};
use super::refusal::{Becomes, OfReply, Refusal};
use crate::announced::{Announced, Announcements, Word};
use crate::entry::own;
use crate::entry::way::Locked;
use crate::office::{Trouble, name};
use crate::secrets::dice;
use crate::send::letters;
use crate::send::letters::Place;
use crate::{announced, known, records};
use postrider_disk::disk::RecordLock;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_mail::address::is_same;
use postrider_mail::incoming;
use postrider_mail::incoming::{Answered, Mail};
use postrider_mail::understand::{Judge, Meant, ReplyContext, Understood, beside, looks_like_entry, understand};
use postrider_referee::desk::Desk;
use postrider_referee::desk::undo::{TakenBack, without_last};
use postrider_referee::record::{Header, Item, Secrecy, Time};
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// How much of what a reply says beside its entry is shown, in characters.
const MOST_BESIDE: usize = 2_000;
/// How far a reply's date may be ahead of the system clock, in seconds, because clocks differ.
const AHEAD: i64 = 10 * 60;
/// How many earlier letters of a game are compared with what somebody has written.
const MOST_LETTERS: usize = 60;
/// In how many games somebody may play whose letter does not say which it is about.
const MOST_GAMES: usize = 50;

impl Receiving<'_> {
    /// Returns whether a message can be a reply that a person wrote: it answers a letter, or comes from somebody who plays here.
    pub(super) fn may_be_reply(&mut self, mail: &Mail) -> bool {
        let is_ours = mail.message_id.as_deref().is_some_and(postrider_mail::is_ours);
        // Beside a record that brings nothing new, only what looks like a move is of interest.
        let own_lines = || mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let is_like_entry = || own_lines().iter().any(|line| looks_like_entry(line));
        let is_of_interest = mail.records.is_empty() || is_like_entry();
        self.reads_plain()
            && is_of_interest
            && !mail.auto
            && (!is_ours || !mail.brings_entries())
            // Words around a block say what it says.
            && !mail.text.as_ref().is_some_and(incoming::has_own_block)
            && (incoming::answered(mail).is_some()
                // Look up the sender's games only if the text may contain a move.
                || is_like_entry()
                    && mail.from.as_deref().is_some_and(|from| !self.shelf().games_of(from).is_empty()))
    }

    /// Processes a message without a record; returns `None` if it is not about a game that is here.
    pub(super) fn plain(&mut self, place: &str, mail: &Mail) -> Result<Option<Outcome>, Trouble> {
        let lines = || mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let referred = incoming::answered(mail);
        let game = match &referred {
            Some(answered) => answered.game.clone(),
            None => match self.only_game(place, mail, &lines())? {
                Ok(game) => game,
                Err(fate) => return Ok(fate.map(Outcome::of)),
            },
        };
        let Some((path, true)) = self.file_of(&game)? else { return Ok(None) };
        let fate = self.reply(mail, referred.as_ref(), &path, about(place, mail))?;
        let path = referred.is_some().then_some(path);
        Ok(fate.map(|fate| Outcome { id: referred.map(|answered| answered.game), path, ..Outcome::of(fate) }))
    }

    /// Processes a reply about the game in this file. `referred`: the letter that it says it answers.
    fn reply(
        &self,
        mail: &Mail,
        referred: Option<&Answered>,
        path: &Path,
        from: String,
    ) -> Result<Option<Fate>, Trouble> {
        let origin = name(path);
        let lock = self.office.disk().lock(path).map_err(Trouble::File)?;
        let source = lock.read().map_err(Trouble::File)?;
        let desk = records::on_desk(&source, &origin)?;
        let opened = &desk.opened;
        let header = &opened.header;
        let refused = |why: OfReply| {
            self.refuses(Refusal::new(&*from, Some(&*header.id), Becomes::Refused, why));
            Ok(Some(Fate::Refused))
        };
        let Words { lines, unsure } = &own_words(&desk, mail, addressed(&desk, mail), self.settings);
        let doubts = *unsure || mail.fault.is_some();
        let mut replied = Replied::new(mail, &desk, referred, (lines, doubts), (self.ways.plain, self.ways.alone));
        if replied.is_talk_of_a_closed_game() {
            return Ok(self.heard(mail, opened, lines));
        }
        if replied.was_entered() {
            return Ok(Some(Fate::Known));
        }
        known::guard_mail(self.office, opened, &source, &origin, known::Use::Receive)?;
        // Only a file, or something unreadable, which is reported elsewhere.
        if lines.is_empty() && mail.unreadable.is_some() {
            return Ok(None);
        }
        // The writer has the sender's address in the record here, and is not the receiver.
        let own::Mine { own_or_moved: mine, looks_on, .. } = self.own_game(&header.id).mine(opened)?;
        if mine.is_none() && !looks_on {
            let refusal = Refusal::new(&*from, Some(&*header.id), Becomes::Refused, OfReply::WhoseSide);
            self.refuses(Refusal { then: Advice::from(": ").and(own::hint(header, &origin)), ..refusal });
            return Ok(Some(Fate::Refused));
        }
        let sender = Side::BOTH.into_iter().find(|side| {
            let address = header.player(*side).email.as_deref();
            let is = |one: Option<&str>| address.zip(one).is_some_and(|(a, b)| is_same(a, b));
            is(mail.from.as_deref()) && Some(*side) != mine
        });
        let Some(sender) = sender else {
            let (why, then) = of_another(mail, opened, (mine, self.settings.email.as_deref()), &origin);
            self.refuses(Refusal { then, ..Refusal::new(&*from, Some(&*header.id), Becomes::Refused, why) });
            return Ok(Some(Fate::Refused));
        };
        let own = self.sender_of_answers(opened, mine);
        let keeps_alone = !self.ways.alone || known::keeps_alone(&self.own_game(&header.id), opened, sender);
        (replied.announced, replied.keeps_alone) = (announced::of(self.office, opened)?, keeps_alone);
        let reply = Reply { mail, desk: &desk, sender, own, from: from.clone(), lines, unsure: replied.unsure };
        match course::of_the_opponent(&replied, sender) {
            Course::Nothing => Ok(None),
            Course::Known => Ok(Some(Fate::Known)),
            Course::Heard => Ok(self.heard(mail, opened, lines)),
            Course::Refused(why) => refused(why),
            Course::AskedBack(why, back) => self.refuse(&reply, why, back).map(Some),
            Course::Declined => self.declined(&reply, path).map(Some),
            Course::ResignsNext => self.announces(&reply, Word::Resigns, &replied.announced).map(Some),
            Course::TakesBack => self.announces(&reply, Word::TakesBack, &replied.announced).map(Some),
            Course::Judged(None) => self.understood(&reply, (path, lock, &source), referred, None),
            Course::Judged(Some(taken)) => {
                let corrected = records::on_desk(&taken.record, &origin)?;
                let reply = Reply { desk: &corrected, ..reply };
                self.understood(&reply, (path, lock, &source), referred, Some(&taken))
            }
        }
    }

    /// Shows what a player has written that is no entry; nothing is asked about it. What anybody else writes is no business of the game.
    fn heard(&self, mail: &Mail, opened: &Opened<'_>, lines: &[String]) -> Option<Fate> {
        let is = |one: &str| mail.from.as_deref().is_some_and(|from| is_same(from, one));
        let is_own = self.settings.email.as_deref().is_some_and(is);
        let is_player = opened.header.players.iter().any(|player| player.email.as_deref().is_some_and(is));
        if lines.is_empty() || !is_player || is_own || mail.message_id.as_deref().is_some_and(postrider_mail::is_ours) {
            return None;
        }
        self.hear(Event::Said { id: opened.header.id.to_string(), text: said(lines) });
        Some(Fate::Known)
    }

    /// Notes that the invited opponent does not want to play.
    fn declined(&self, reply: &Reply<'_>, path: &Path) -> Result<Fate, Trouble> {
        let header = &reply.desk.opened.header;
        if !self.ways.dry_run {
            self.own_game(&header.id).note(|sides| sides.declined = true)?;
        }
        self.hear(Event::Declined {
            id: header.id.to_string(),
            name: printable(&header.player(reply.sender).name).into_owned(),
            path: path.to_owned(),
        });
        // A program has told its player already.
        if !reply.mail.message_id.as_deref().is_some_and(postrider_mail::is_ours) {
            let why =
                "Your letter says that you do not want to play. Nothing was entered, and nothing more is asked of you.";
            self.write_back(reply, &Back::of(why), "a reply saying so")?;
        }
        Ok(Fate::Known)
    }

    /// Notes that the opponent, who is not due, gives the game up with the next entry, or takes that back, and tells its writer.
    fn announces(&self, reply: &Reply<'_>, word: Word, before: &Announced) -> Result<Fate, Trouble> {
        let opened = &reply.desk.opened;
        let name = |side: Side| printable(&opened.header.player(side).name).into_owned();
        let (id, other) = (opened.header.id.to_string(), name(reply.sender.other()));
        if !self.ways.dry_run {
            Announcements::new(self.office.folders())
                .note(opened, reply.sender, (word, reply.mail, self.now), before)
                .map_err(Trouble::File)?;
            self.announced.borrow_mut().insert(id.clone());
        }
        self.hear(Event::Resigns { id, name: name(reply.sender), back: word == Word::TakesBack });
        let back = match word {
            Word::Resigns => Back {
                taps: vec![("take it back".to_owned(), "take it back".to_owned())],
                ..Back::of(format!(
                    "Noted: you resign. It is not your turn, so that is entered as your next entry, as soon as {other} has moved. Until then \
                     you can take it back."
                ))
            },
            Word::TakesBack => Back::of("Taken back: you do not resign, and the game goes on."),
        };
        self.write_back(reply, &back, "a letter saying so")?;
        Ok(Fate::Known)
    }

    /// Returns the game that a letter is about that answers none: the only one of its sender's that is going on here. If there is none or
    /// more, returns what becomes of the letter.
    fn only_game(
        &mut self,
        place: &str,
        mail: &Mail,
        lines: &[String],
    ) -> Result<Result<String, Option<Fate>>, Trouble> {
        let Some(address) = mail.from.clone().filter(|_| lines.iter().any(|line| looks_like_entry(line))) else {
            return Ok(Err(None));
        };
        if self.settings.email.as_deref().is_some_and(|own| is_same(own, &address)) {
            return Ok(Err(None));
        }
        let mut going_on = Vec::new();
        for id in self.shelf().games_of(&address).into_iter().take(MOST_GAMES) {
            let Some((path, true)) = self.file_of(&id)? else { continue };
            let source = records::read(self.office, Place { file: &path, name: &name(&path) })?;
            let Some(opened) = super::receiving::replayed(&source) else { continue };
            let is_open = opened.header.secrecy != Secrecy::Sealed && !is_signed(&opened);
            if is_open && opened.table.standing().outcome.is_none() {
                going_on.push(id);
            }
        }
        if going_on.len() > 1 {
            self.refuses(Refusal::new(about(place, mail), None, Becomes::Open, OfReply::WhichGame(going_on)));
            return Ok(Err(Some(Fate::Refused)));
        }
        Ok(going_on.pop().ok_or(None))
    }

    /// Returns who writes to a player about a reply: the player here, never somebody else.
    pub(super) fn sender_of_answers(&self, opened: &Opened<'_>, mine: Option<Side>) -> Option<(String, String)> {
        let settings = self.settings;
        match mine {
            Some(mine) => {
                let player = opened.header.player(mine);
                let address = player.email.as_deref().or(settings.email.as_deref())?;
                Some((player.name.to_string(), address.to_owned()))
            }
            None => Some((settings.name.clone().unwrap_or_default(), settings.email.clone()?)),
        }
    }

    /// Understands a reply whose entry is due, enters it, or says why not. `referred`: the letter that it says it answers. `taken`
    /// is the entry that it corrects, which is not in the record on the desk any more.
    fn understood(
        &self,
        reply: &Reply<'_>,
        (path, mut lock, source): (&Path, RecordLock, &[u8]),
        referred: Option<&Answered>,
        taken: Option<&TakenBack>,
    ) -> Result<Option<Fate>, Trouble> {
        let Reply { mail, desk, sender, lines, .. } = reply;
        let (opened, origin) = (&desk.opened, name(path));
        let header = &opened.header;
        let game = &*self.own_game(&header.id);
        let (time, odd) = self.time_of(mail, opened);
        let thrown = dice::throw_for(self.office, desk, mail.message_id.as_deref())?;
        let judging = Judging {
            reply,
            referred,
            taken,
            time,
            // Whoever keeps the record has another time in it for this entry, and the two would part.
            needs_record: self.ways.alone && !known::keeps_alone(game, opened, *sender),
        };
        let Entering { entered, meant, record, before, dice } = match judged::of(&judging, thrown.as_ref()) {
            Err(not_made) => return Err(not_made.trouble(&origin)),
            Ok(Judged::Entered(entering)) => *entering,
            Ok(Judged::Known) => return Ok(Some(Fate::Known)),
            Ok(Judged::NotYet) => {
                self.hear(Event::NotYet { id: header.id.to_string() });
                return Ok(Some(Fate::Known));
            }
            Ok(Judged::Talk) => {
                if !lines.is_empty() {
                    self.hear(Event::Said { id: header.id.to_string(), text: said(lines) });
                }
                // What cannot be read is reported elsewhere.
                return Ok(mail.unreadable.is_none().then_some(Fate::Known));
            }
            Ok(Judged::Refused(why)) => {
                self.refuses(Refusal::new(&*reply.from, Some(&*header.id), Becomes::Refused, why));
                return Ok(Some(Fate::Refused));
            }
            Ok(Judged::AskedBack { why, back, shows }) => {
                let fate = self.refuse(reply, why, back)?;
                // The whole of what was written is the player's to see.
                if shows && !lines.is_empty() {
                    self.note(format!("{}: the letter says: {}", header.id, said(lines)));
                }
                return Ok(Some(fate));
            }
        };
        if !self.ways.dry_run {
            if let Some(taken) = taken {
                // What was known of the game must not be ahead of what is written next.
                known::remember(game, &taken.record, path);
            }
            // Its writer is told of it in any case, and sends it again if a power cut undoes it.
            let _ = Locked { file: path, lock: &mut lock, source }.write(game, &record, None)?;
        }
        drop(lock);
        let said = beside(lines, &meant).join(" / ");
        let shown: String = said.chars().take(MOST_BESIDE).collect();
        let more = if shown.len() < said.len() { "\u{2026}" } else { "" };
        self.hear(Event::EnteredFor {
            id: header.id.to_string(),
            side: header.info.sides[sender.index()],
            line: entered.line,
            instead: before.as_deref().map(|before| printable(before).into_owned()),
            words: (meant.words != entered.actions).then(|| printable(&meant.words).into_owned()),
            beside: (!said.is_empty()).then(|| format!("{}{more}", printable(&shown))),
        });
        if let Some(odd) = odd {
            let came = if time == self.now { "read" } else { "delivered" };
            let note = format!("{odd}: entry {} has the time at which it was {came}", entered.number);
            self.point_out(&header.id, &[note]);
        }
        let after = records::on_desk(&record, &origin)?;
        let mine = game.find(&after.opened)?;
        self.tell_standing(&header.id, self.standing_of(&after.opened, mine, path, true));
        self.confirm(reply, &after, &meant, (before.as_deref(), dice.as_deref()))?;
        if self.ways.answer {
            let lock = self.office.disk().lock(path).map_err(Trouble::File)?;
            let record = lock.read().map_err(Trouble::File)?;
            self.answer((lock, record), path, mail.auto, Fate::Accepted)?;
        }
        Ok(Some(Fate::Accepted))
    }

    /// The time of an entry from a reply: the reply's date, or the time at which it came or was read if that date is impossible, and why.
    fn time_of(&self, mail: &Mail, opened: &Opened<'_>) -> (Time, Option<String>) {
        let last = last_time(opened);
        let fits = |time: &Time| time.0 <= self.now.0.saturating_add(AHEAD) && last.is_none_or(|last| last.0 <= time.0);
        let instead = self.arrived_of(mail).filter(fits).unwrap_or(self.now);
        let Some(date) = mail.date else {
            let why = match &mail.odd_date {
                Some(odd) => format!("the date of its letter cannot be read (`{odd}`)"),
                None => "its letter has no date".to_owned(),
            };
            return (instead, Some(why));
        };
        // A date in the future would bind every later entry (E3).
        if date.0 > self.now.0.saturating_add(AHEAD) {
            return (self.now, Some(format!("its letter is of {date}, ahead of the clock here")));
        }
        match last {
            Some(last) if date.0 < last.0 => {
                (self.now, Some(format!("its letter is of {date}, before the entry that it answers ({last})")))
            }
            _ => (date, None),
        }
    }
}

/// A reply about a game.
pub struct Written<'a> {
    /// The game.
    pub desk: &'a Desk<'a>,
    /// The writer's side.
    pub sender: Side,
    /// The writer's own lines.
    pub lines: &'a [String],
    /// The letter that is answered, if one is.
    pub referred: Option<&'a Answered>,
    /// Whether an entry from an earlier letter may be corrected by it.
    pub corrects: bool,
    /// The entries that the sender may make, as the sender sees the game; those that everybody sees, if `None`.
    pub moves: Option<&'a [String]>,
    /// Whether something of the letter may be missing, or it is not certain that its lines are the writer's: nothing is entered without asking.
    pub damaged: bool,
}

/// Understands a reply by the side that is due, or a claim of time.
#[must_use]
pub fn understood(written: &Written<'_>, judge: &mut dyn Judge) -> Understood {
    let Written { desk, sender, lines, referred, corrects, moves, damaged } = *written;
    let opened = &desk.opened;
    let turn = ReplyContext { corrects, ..ReplyContext::of(opened, sender) };
    let understood = if claims_time(lines) {
        let claim = "claim time".to_owned();
        Understood::Entry(Meant { words: claim.clone(), actions: claim, message: None, more: false })
    } else {
        match moves {
            Some(moves) => understand(lines, &turn, moves, judge),
            None => understand(lines, &turn, &opened.table.moves(), judge),
        }
    };
    let shows_newest = |answered: &Answered| {
        answered.shows_letter() && outdated(answered, desk, &incoming::from_letters(opened)).is_none()
    };
    // A letter that answers none may be about anything. One that ends the game shows that its writer got the newest letter: anybody
    // can write the opponent's address and a game's id.
    match understood {
        Understood::Entry(meant) if is_way_for_placement(&meant) => Understood::Mentioned(vec![meant]),
        Understood::Entry(meant)
            if damaged || referred.is_none_or(|answered| gives_up(&meant.actions) && !shows_newest(answered)) =>
        {
            Understood::Mentioned(vec![meant])
        }
        other => other,
    }
}

/// Whether what was read as an entry that begins with a word was written without it, as a way from one place to another: `e6-e5` where
/// something is to be placed.
fn is_way_for_placement(meant: &Meant) -> bool {
    let Some((head, _)) =
        meant.actions.split_once(' ').filter(|(head, _)| head.bytes().all(|c| c.is_ascii_lowercase()))
    else {
        return false;
    };
    let is_way = |word: &str| {
        word.split_once(['-', 'x', '\u{2013}', '\u{2192}']).is_some_and(|(from, to)| {
            from.ends_with(|c: char| c.is_ascii_digit()) && to.starts_with(|c: char| c.is_ascii_alphabetic())
        })
    };
    let words = meant.words.to_lowercase();
    !words.split_whitespace().any(|word| word == head) && words.split_whitespace().any(is_way)
}

/// What somebody has written.
#[derive(Default)]
pub struct Words {
    pub lines: Vec<String>,
    /// Whether it is not certain that they are the writer's: they stand in or below a copy of a letter that nothing marks.
    pub unsure: bool,
}

/// Returns the lines of a message that are its writer's own. Lines that stood together in a letter of this game to that side, the newest or
/// an earlier one, count as quoted, marked or not.
#[must_use]
pub fn own_words(desk: &Desk<'_>, mail: &Mail, side: Side, settings: &Settings) -> Words {
    let Some(text) = &mail.text else { return Words::default() };
    let newest = letters::lines_to(desk, side, settings);
    let mut lines = incoming::own_lines_beside(text, &newest);
    let mut taken = without_last(&desk.opened);
    for _ in 0..MOST_LETTERS {
        // A single line is no quotation.
        if lines.iter().filter(|line| !line.is_empty()).count() < 2 || !lines.iter().any(|line| looks_like_entry(line))
        {
            break;
        }
        let Some(record) = taken.take().map(|taken| taken.record) else { break };
        let Ok(before) = Desk::open(&record) else { break };
        incoming::remove_copied(&mut lines, &letters::lines_to(&before, side, settings));
        taken = without_last(&before.opened);
    }
    if !lines.is_empty() {
        return Words { lines, unsure: false };
    }
    let lines = incoming::lines_in_copy(text, &newest);
    Words { unsure: !lines.is_empty(), lines }
}

/// Says why nothing is entered from a letter with uncertain words.
#[must_use]
pub fn doubt(mail: &Mail) -> &'static str {
    match mail.fault {
        Some(_) => "Your letter arrived damaged, so something in it may be missing.",
        None => "Your words are in a copy of the letter that you answer, and nothing marks them as yours.",
    }
}

/// The writer's words, in one line for people.
pub(super) fn said(lines: &[String]) -> String {
    let shown = lines.iter().filter(|line| !line.is_empty()).map(|line| printable(line).into_owned());
    shown.collect::<Vec<_>>().join(" / ").chars().take(MOST_BESIDE).collect()
}

/// The side whose letter a message answers: its sender's, or the one that is due.
fn addressed(desk: &Desk<'_>, mail: &Mail) -> Side {
    let is = |side: &Side| {
        let address = desk.opened.header.player(*side).email.as_deref();
        address.zip(mail.from.as_deref()).is_some_and(|(one, other)| is_same(one, other))
    };
    Side::BOTH.into_iter().find(is).unwrap_or(desk.opened.table.standing().due.side)
}

/// Returns whether a reply claims the game because the other side's time ran out.
#[must_use]
pub fn claims_time(lines: &[String]) -> bool {
    lines.iter().any(|line| line.trim().trim_end_matches(['.', '!']).eq_ignore_ascii_case("claim time"))
}

/// Why a reply is not read that does not come from an opponent's address, and what may be done. `mine`: the player's side and address.
fn of_another(
    mail: &Mail,
    opened: &Opened<'_>,
    (mine, own): (Option<Side>, Option<&str>),
    origin: &str,
) -> (OfReply, Advice) {
    let header = &opened.header;
    let address = |side: Side| header.player(side).email.as_deref();
    let is = |one: Option<&str>| mail.from.as_deref().zip(one).is_some_and(|(from, one)| is_same(from, one));
    let is_own = is(own) || mine.is_some_and(|mine| is(address(mine)));
    let who = match mail.from.as_deref().map(likeness::in_letters) {
        Some(from) if is_own => format!("{from}, your own address"),
        from => from.unwrap_or_else(|| "no one address".to_owned()),
    };
    let others = Side::BOTH.into_iter().filter(|side| Some(*side) != mine);
    let players: Vec<String> = others.filter_map(address).map(|address| printable(address).into_owned()).collect();
    let is_open = header.secrecy != Secrecy::Sealed && !is_signed(opened);
    let then = match players.is_empty() || is_own || mail.from.is_none() {
        true => Advice::default(),
        false if is_open => advice![
            "; if your opponent wrote it, ask for it from there, or make sure of it and enter it yourself: ",
            Act::Move(origin.to_owned(), None)
        ],
        false => "; if your opponent wrote it, ask for it from there".into(),
    };
    (OfReply::NotOpponent { who, players }, then)
}

/// What to ask a player for who has a record, and sent a move alone.
fn needs_record(header: &Header<'_>, sender: Side) -> OfReply {
    OfReply::NeedsRecord(printable(&header.player(sender).name).into_owned())
}

/// Whether an entry ends a game by nothing but a word.
fn gives_up(actions: &str) -> bool {
    actions.split(';').any(|action| matches!(action.trim(), "resign" | "draw!") || action.trim().starts_with("claim "))
}

/// Says why a reply is about another position than the one here, with the words to its sender.
#[must_use]
pub fn outdated(
    answered: &Answered,
    desk: &Desk<'_>,
    from_letters: &BTreeMap<u32, String>,
) -> Option<(OfReply, String)> {
    let entries = desk.opened.table.standing().entries;
    let again = "Please look at the newest letter of the game and answer that one.";
    if let Some(digest) = &answered.digest {
        let here = postrider_mail::short_hex(desk.digests.last()?);
        if answered.entry == entries && *digest == here {
            return None;
        }
        if answered.entry == entries {
            return Some((
                OfReply::OtherCourse { entry: entries, there: digest.clone(), here },
                format!("Your reply belongs to a different course of the game from the one recorded here. {again}"),
            ));
        }
    }
    let newest = match &answered.message_id {
        Some(id) => letters::newest_id(desk).as_deref() == Some(id.as_str()),
        // A thread keeps the subject with which it began.
        None => answered.entry == entries || answered.entry == incoming::thread_begin(entries, from_letters),
    };
    (!newest).then(|| {
        let told = OfReply::Outdated { about: answered.entry, here: entries };
        (told, format!("Your reply answers an earlier letter; the game has moved on since. {again}"))
    })
}

/// The time of the last entry, if the record has times.
fn last_time(opened: &Opened<'_>) -> Option<Time> {
    let mut body = opened.body();
    let entries = std::iter::from_fn(|| body.next_item()).filter_map(|item| match item {
        Item::Entry(entry) => Some(entry.time),
        _ => None,
    });
    entries.last().flatten()
}

/// Returns whether a player has a key, or an entry has a signature.
fn is_signed(opened: &Opened<'_>) -> bool {
    let mut body = opened.body();
    opened.header.has_key()
        || std::iter::from_fn(|| body.next_item())
            .any(|item| matches!(item, Item::Entry(entry) if entry.signature.is_some()))
}
