//! A reply without a record, from an opponent without the program: the one entry that it means is judged and written
//! for them. What is only mentioned is asked back, and what is refused is explained.

use std::path::{Path, PathBuf};

use super::super::hints::{Failure, name, shell};
use super::super::{acts, input, known, own, refusals};
use super::{Fate, Run, about, print, records};
use crate::desk::examples::nearest_first;
use crate::desk::understand::{
    AtDesk, Meant, ReplyContext, Understood, beside, declines, looks_like_entry, understand,
};
use crate::desk::undo::{TakenBack, without_last};
use crate::desk::{Desk, EntryRequest, NoKeyStore, Refusal, parts};
use crate::games::kernel::{Side, Viewer};
use crate::mail::incoming::{self, Mail};
use crate::mail::{self, Draft, Letter, Party, Question, draft, notice};
use crate::office::letters;
use crate::record::{Item, Secrecy, Time};
use crate::store::{KnownGames, MailSettings, PlainReplies, RecordLock, private_folder, put_private};
use crate::text::printable;
use crate::verdict::{Opened, Verdict};

/// How much of what a reply says beside its entry is shown, in characters.
const MOST_BESIDE: usize = 2_000;
/// How far a reply's date may be ahead of the system clock, in seconds, because clocks differ.
const AHEAD: i64 = 10 * 60;
/// How many answers about one mistake the program sends on its own, and how far apart, in seconds.
const MOST_NOTICES: (usize, i64) = (3, 3600);
/// How many answers about one entry it sends.
const MOST_ANSWERS: usize = 12;
/// In how many games somebody may play whose letter does not say which it is about.
const MOST_GAMES: usize = 50;

/// A reply and the game it is about.
struct Reply<'a> {
    mail: &'a Mail,
    desk: &'a Desk<'a>,
    sender: Side,
    /// Who writes to the sender: name and address; nobody, if neither side is the player's and the settings name no address.
    own: Option<(String, String)>,
    /// The message, for people.
    from: String,
    /// The writer's own lines.
    lines: &'a [String],
}

/// What is written back.
#[derive(Default)]
struct Back {
    why: String,
    /// What can be tapped: the text of the reply, and what stands on it.
    taps: Vec<(String, String)>,
    /// Legal entries, the nearest first.
    moves: Vec<String>,
}

impl Back {
    fn of(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }
}

impl Run<'_> {
    /// Returns whether a message can be a reply that a person wrote: it answers a letter, or comes from somebody who plays here.
    pub(super) fn may_be_reply(&mut self, mail: &Mail) -> bool {
        let reads = self.args.plain || self.settings.plain_replies != PlainReplies::Off;
        let is_ours = mail.message_id.as_deref().is_some_and(mail::is_ours);
        // Beside a record that brings nothing new, only what looks like a move is of interest.
        let own_lines = || mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let is_like_entry = || own_lines().iter().any(|line| looks_like_entry(line));
        let is_of_interest =
            mail.records.is_empty() || is_like_entry() && !own_lines().iter().any(|line| is_ours_line(line));
        reads
            && is_of_interest
            && !mail.auto
            && (!is_ours || mail.records.is_empty())
            && (incoming::answered(mail).is_some()
                // Whose games there are is only looked up for what may be a move.
                || is_like_entry()
                    && mail.from.as_deref().is_some_and(|from| !self.shelf().games_of(from).is_empty()))
    }

    /// Processes a message without a record; returns `None` if it is not about a game that is here.
    pub(super) fn plain(&mut self, place: &str, mail: &Mail) -> Result<Option<Fate>, Failure> {
        let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let referred = incoming::answered(mail);
        let game = match &referred {
            Some(answered) => answered.game.clone(),
            None => match self.only_game(place, mail, &lines)? {
                Ok(game) => game,
                Err(fate) => return Ok(fate),
            },
        };
        let Some((path, true)) = self.file_of(&game)? else { return Ok(None) };
        let origin = name(&path);
        let lock = RecordLock::take(&path).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let desk = refusals::on_desk(&source, &origin)?;
        let opened = &desk.opened;
        let from = about(place, mail);
        let refused = |why: &str| {
            errln!("{from}: {game}: refused: {}", printable(why));
            Ok(Some(Fate::Refused))
        };
        let header = &opened.header;
        let closed = header.secrecy == Secrecy::Sealed || is_signed(opened);
        // Letters that people write to each other beside their moves are no entries, and no question is asked about them.
        let is_talk = referred.as_ref().is_none_or(|answered| answered.digest.is_none())
            && !lines.iter().any(|line| looks_like_entry(line));
        let standing = opened.table.standing();
        // Whoever has made an entry has not declined.
        let refuses =
            |side: Side| standing.outcome.is_none() && standing.made.get(side.index()) == Some(&0) && declines(&lines);
        if closed && is_talk && !self.args.plain && !Side::BOTH.into_iter().any(refuses) {
            return Ok(None);
        }
        let id = mail.message_id.as_deref();
        if id.is_some_and(|id| is_noted(opened, id)) {
            return Ok(Some(Fate::Known));
        }
        known::guard_mail(opened, &source, &origin, known::Use::Receive)?;
        // Only a file, or something unreadable, which is reported elsewhere.
        if lines.is_empty() && mail.unreadable.is_some() {
            return Ok(None);
        }
        // The writer has the sender's address in the record here, and is not the receiver.
        let mine = own::find_or_moved(opened, &self.settings)?;
        if mine.is_none() && !own::looks_on(opened, &self.settings)? {
            let hint = acts::written(&own::hint(header, &origin));
            return refused(&format!("it is not known which side of this game is yours: {hint}"));
        }
        let sender = Side::BOTH.into_iter().find(|side| {
            let address = header.player(*side).email.as_deref();
            let is = |one: Option<&str>| address.zip(one).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
            is(mail.from.as_deref()) && Some(*side) != mine
        });
        let Some(sender) = sender else {
            return refused("it does not come from your opponent in this game");
        };
        let own = self.sender_of_answers(opened, mine);
        let reply = Reply { mail, desk: &desk, sender, own, from: from.clone(), lines: &lines };
        if refuses(sender) {
            return self.declined(&reply, &path).map(Some);
        }
        if closed {
            let (told, why) = closed_game(opened);
            return self.refuse(&reply, told, Back::of(why)).map(Some);
        }
        let is_old = mail.date.zip(last_time(opened)).is_some_and(|(date, last)| date.0 < last.0);
        if let Some(outcome) = standing.outcome {
            if is_talk || is_old {
                return Ok(None);
            }
            let why = format!("The game is over: {}.", outcome.text(&header.info.sides));
            return self.refuse(&reply, "the game is over (E4)", Back::of(why)).map(Some);
        }
        let from_letters = incoming::from_letters(opened);
        if let Some(answered) = referred.as_ref().filter(|answered| answered.entry > standing.entries) {
            let why = format!(
                "it is about entry {}, {} are here, and no record is attached: ask its sender to attach it",
                answered.entry, standing.entries
            );
            return refused(&why);
        }
        if id.is_some_and(mail::is_ours) || lines.iter().any(|line| is_ours_line(line)) {
            return Ok(None);
        }
        let is_due = standing.due.side == sender;
        // Until the other side has answered, the writer of a letter may correct what was entered from it.
        let taken = without_last(opened).filter(|taken| {
            let about = referred.as_ref().is_some_and(|answered| answered.entry.saturating_add(1) >= standing.entries);
            !is_due
                && taken.side == sender
                && taken.number == standing.entries
                && from_letters.get(&taken.number).is_some_and(|id| !id.is_empty())
                && mail.message_id.is_some()
                && about
                && !is_old
                && !is_talk
        });
        if let Some(taken) = taken {
            let corrected = refusals::on_desk(&taken.record, &origin)?;
            let reply = Reply { desk: &corrected, ..reply };
            return self.understood(&reply, (&path, lock, &source), referred.as_ref(), Some(&taken));
        }
        if let Some(why) = referred.as_ref().and_then(|answered| outdated(answered, &desk, &from_letters)) {
            // An old letter in a mailbox, answered long ago.
            if is_old {
                return Ok(Some(Fate::Known));
            }
            if is_talk {
                return Ok(None);
            }
            let moves = if is_due { opened.table.moves() } else { Vec::new() };
            return self.refuse(&reply, &why.0, Back { moves, ..Back::of(why.1) }).map(Some);
        }
        let claims = claims_time(&lines);
        if claims == is_due {
            if is_talk && !claims {
                return Ok(None);
            }
            let name = printable(&header.player(sender.other()).name).into_owned();
            let why = format!("It is not your turn: {name} has yet to make a move.");
            return self.refuse(&reply, "its sender is not due", Back::of(why)).map(Some);
        }
        self.understood(&reply, (&path, lock, &source), referred.as_ref(), None)
    }

    /// Notes that the invited opponent does not want to play.
    fn declined(&self, reply: &Reply<'_>, path: &Path) -> Result<Fate, Failure> {
        let header = &reply.desk.opened.header;
        if !self.args.dry_run {
            let known = KnownGames::new(&self.settings.folders);
            known.note_declined(&header.id, true).map_err(|error| Failure::writing(&error))?;
        }
        print(format!(
            "{}: {} does not want to play; `postrider send {} --force` invites again\n",
            header.id,
            printable(&header.player(reply.sender).name),
            shell(path)
        ))?;
        // A program has told its player already.
        if !reply.mail.message_id.as_deref().is_some_and(mail::is_ours) {
            let why =
                "Your letter says that you do not want to play. Nothing was entered, and nothing more is asked of you.";
            self.write_back(reply, &Back::of(why), "a reply saying so")?;
        }
        Ok(Fate::Known)
    }

    /// Returns the game that a letter is about that answers none: the only one of its sender's that is going on here. If there is none or
    /// more, returns what becomes of the letter.
    fn only_game(
        &mut self,
        place: &str,
        mail: &Mail,
        lines: &[String],
    ) -> Result<Result<String, Option<Fate>>, Failure> {
        let Some(address) = mail.from.clone().filter(|_| lines.iter().any(|line| looks_like_entry(line))) else {
            return Ok(Err(None));
        };
        if self.settings.email.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(&address)) {
            return Ok(Err(None));
        }
        let mut going_on = Vec::new();
        for id in self.shelf().games_of(&address).into_iter().take(MOST_GAMES) {
            let Some((path, true)) = self.file_of(&id)? else { continue };
            let source = input::record(&path)?;
            let Ok(mut opened) = Opened::new(&source) else { continue };
            opened.replay(u32::MAX);
            let is_open = opened.header.secrecy != Secrecy::Sealed && !is_signed(&opened);
            if is_open && opened.table.standing().outcome.is_none() {
                going_on.push(id);
            }
        }
        if going_on.len() > 1 {
            let list = going_on.join(", ");
            errln!("{}: it seems to be a move, and does not say in which of these games: {list}", about(place, mail));
            return Ok(Err(Some(Fate::Refused)));
        }
        Ok(going_on.pop().ok_or(None))
    }

    /// Returns who writes to a player about a reply: the player here, never somebody else.
    fn sender_of_answers(&self, opened: &Opened<'_>, mine: Option<Side>) -> Option<(String, String)> {
        let settings = &self.settings;
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
        referred: Option<&incoming::Answered>,
        taken: Option<&TakenBack>,
    ) -> Result<Option<Fate>, Failure> {
        let Reply { mail, desk, sender, lines, .. } = reply;
        let (opened, origin) = (&desk.opened, name(path));
        let header = &opened.header;
        let standing = opened.table.standing();
        let (time, early) = self.time_of(mail, opened);
        let word = |side: Side| header.info.sides[side.index()].word;
        let turn = ReplyContext {
            number: standing.entries.saturating_add(1),
            side: word(*sender),
            other: word(sender.other()),
            names: Side::BOTH.map(|side| &*header.player(side).name),
            offered: standing.offer == Some(sender.other()),
            new: standing.made[sender.index()] == 0,
            corrects: taken.is_some(),
            tries: ReplyContext::tries(source.len()),
        };
        let moves = opened.table.moves();
        let understood = if claims_time(lines) {
            let claim = "claim time".to_owned();
            Understood::Entry(Meant { words: claim.clone(), actions: claim, message: None, more: false })
        } else {
            understand(lines, &turn, &moves, &mut AtDesk(desk, time))
        };
        let shows_newest = |answered: &incoming::Answered| {
            answered.shows_letter() && outdated(answered, desk, &incoming::from_letters(opened)).is_none()
        };
        // A letter that answers none may be about anything. One that ends the game shows that its writer got the newest letter: anybody
        // can write the opponent's address and a game's id.
        let understood = match understood {
            Understood::Entry(meant)
                if referred.is_none_or(|answered| gives_up(&meant.actions) && !shows_newest(answered)) =>
            {
                Understood::Mentioned(vec![meant])
            }
            other => other,
        };
        let said = || {
            let said = lines.iter().map(|line| printable(line).into_owned()).collect::<Vec<_>>().join(" / ");
            said.chars().take(MOST_BESIDE).collect::<String>()
        };
        let meant = match understood {
            Understood::Entry(meant) => meant,
            Understood::NotYet => {
                print(format!("{}: the opponent says: not yet\n", header.id))?;
                return Ok(Some(Fate::Known));
            }
            // What cannot be read is reported elsewhere.
            Understood::Nothing { nearest: None } if mail.unreadable.is_some() => return Ok(None),
            Understood::Nothing { nearest: None } if !lines.is_empty() => {
                print(format!("{}: a letter without a move: {}\n", header.id, said()))?;
                return Ok(Some(Fate::Known));
            }
            other => {
                let refusal = |actions: &str| match desk.enter(&request(actions, time), &mut NoKeyStore) {
                    Err(Refusal::Entry(_, verdict)) => Some(*verdict),
                    _ => None,
                };
                let (told, mut back) = asked(&other, moves, &refusal);
                if let Some(taken) = taken {
                    let (actions, ..) = parts(&taken.line);
                    back.why.push_str(&format!(
                        "\nWhat stands entered from your earlier letter is {}.",
                        printable(actions)
                    ));
                }
                let fate = self.refuse(reply, &told, back)?;
                // The whole of what was written is the player's to see.
                if !lines.is_empty() {
                    errln!("{}: the letter says: {}", header.id, said());
                }
                return Ok(Some(fate));
            }
        };
        let entered = match desk.enter(
            &EntryRequest { message: meant.message.as_deref(), ..request(&meant.actions, time) },
            &mut NoKeyStore,
        ) {
            Ok(entered) => entered,
            Err(Refusal::Entry(_, verdict)) => {
                let back = Back {
                    moves: nearest_first(moves, &meant.actions),
                    ..Back::of(in_words(&meant.actions, &verdict))
                };
                return self.refuse(reply, "the entry in it is refused", back).map(Some);
            }
            Err(refusal) => return Err(refusals::refused(&origin, refusal)),
        };
        let before = taken.map(|taken| parts(&taken.line).0.to_owned());
        if before.as_ref() == Some(&entered.actions) {
            return Ok(Some(Fate::Known));
        }
        let mut record = entered.record.clone();
        record.extend_from_slice(incoming::remark(entered.number, mail, before.as_deref()).as_bytes());
        if !self.args.dry_run {
            if let Some(taken) = taken {
                // What was known of the game must not be ahead of what is written next.
                known::remember(&header.id, &taken.record);
            }
            input::written(lock.replace(source, &record))?;
            known::remember(&header.id, &record);
        }
        drop(lock);
        let named = header.info.sides[sender.index()].named();
        let instead = before.as_ref().map(|before| format!(", in place of {}", printable(before))).unwrap_or_default();
        print(format!("{}: entered for {named}: {}{instead}\n", header.id, entered.line))?;
        if meant.words != entered.actions {
            print(format!("{}: understood from `{}`\n", header.id, printable(&meant.words)))?;
        }
        let beside = beside(lines, &meant).join(" / ");
        if !beside.is_empty() {
            let shown: String = beside.chars().take(MOST_BESIDE).collect();
            let more = if shown.len() < beside.len() { "\u{2026}" } else { "" };
            print(format!("{}: the letter also says: {}{more}\n", header.id, printable(&shown)))?;
        }
        if let Some(date) = early {
            let note = format!("{date}: entry {} has the time at which it was read", entered.number);
            records::point_out(&header.id, &[note]);
        }
        self.standing(&header.id, &record, path)?;
        self.receipt(reply, &record, &meant, before.as_deref())?;
        self.answer(path, true, mail.auto, Fate::Accepted)?;
        Ok(Some(Fate::Accepted))
    }

    /// Tells the writer what was entered, where it was read from words, the letter said more, or the game ended by it.
    fn receipt(&self, reply: &Reply<'_>, record: &[u8], meant: &Meant, before: Option<&str>) -> Result<(), Failure> {
        let Ok(desk) = Desk::open(record) else { return Ok(()) };
        let opened = &desk.opened;
        let standing = opened.table.standing();
        if !(meant.more || standing.outcome.is_some() || before.is_some()) {
            return Ok(());
        }
        let name = printable(&opened.header.player(reply.sender.other()).name).into_owned();
        let mut why = format!("Entered as your entry {}: {}", standing.entries, printable(&meant.actions));
        why.push_str(
            &before.map(|before| format!(" (in place of {}).", printable(before))).unwrap_or_else(|| ".".to_owned()),
        );
        match standing.outcome {
            Some(outcome) => why.push_str(&format!("\nThe game is over: {}.", outcome.text(&opened.header.info.sides))),
            None => why.push_str(&format!(
                "\nIf you meant something else, reply to this letter with the move that you meant, before {name} has answered."
            )),
        }
        let reply = Reply { desk: &desk, own: reply.own.clone(), from: reply.from.clone(), ..*reply };
        self.write_back(&reply, &Back::of(why), "a letter that says what was entered")
    }

    /// The time of an entry from a reply: the reply's date, or the time of reading if that date is impossible, and why.
    fn time_of(&self, mail: &Mail, opened: &Opened<'_>) -> (Time, Option<String>) {
        let Some(date) = mail.date else { return (self.now, None) };
        // A date in the future would bind every later entry (E3).
        if date.0 > self.now.0.saturating_add(AHEAD) {
            return (self.now, Some(format!("its letter is of {date}, ahead of the clock here")));
        }
        match last_time(opened) {
            Some(last) if date.0 < last.0 => {
                (self.now, Some(format!("its letter is of {date}, before the entry that it answers ({last})")))
            }
            _ => (date, None),
        }
    }

    /// Answers a reply from which nothing was entered: `told` is printed here, and what its sender should know is written back.
    fn refuse(&self, reply: &Reply<'_>, told: &str, back: Back) -> Result<Fate, Failure> {
        errln!("{}: {}: refused: {}", reply.from, reply.desk.opened.header.id, printable(told));
        self.write_back(reply, &back, "a reply saying so")?;
        Ok(Fate::Refused)
    }

    /// Writes to the sender of a reply: drafted, or sent if the settings say so. `what` is said of the letter here.
    fn write_back(&self, reply: &Reply<'_>, back: &Back, what: &str) -> Result<(), Failure> {
        let Reply { mail, desk, sender, own, lines, .. } = reply;
        let opened = &desk.opened;
        let header = &opened.header;
        let entries = opened.table.standing().entries;
        let entry = entries.saturating_add(1);
        let player = header.player(*sender);
        let (Some((own_name, own)), Some(to)) = (own, player.email.as_deref()) else { return Ok(()) };
        if self.args.dry_run || mail.auto {
            return Ok(());
        }
        let digest = desk.digests.last().copied().unwrap_or_default();
        // A tapped reply refers to the position as it is now; the letter itself stays in the thread of the reply.
        let tapped = format!("Re: [pbem] {} #{entries} {}", header.id, mail::short_hex(&digest));
        let subject = if mail.subject.trim().is_empty() { tapped.clone() } else { incoming::answering(&mail.subject) };
        let about = letters::newest_id(desk).unwrap_or_default();
        let cid = Letter::content_id(&header.id, entries, &digest);
        let question = Question {
            opened,
            scene: (self.settings.letter != crate::store::Style::Text).then(|| desk.scene(Viewer::Public)),
            to: *sender,
            words: lines,
            why: &back.why,
            taps: back.taps.clone(),
            moves: back.moves.clone(),
            begin: header.info.stepwise,
            reply_to: own,
            subject: &tapped,
        };
        let (text, html) = question.written(&cid);
        let answers = mail.message_id.as_ref().map(|id| format!("<{id}>"));
        let letter = Draft {
            from: Party { name: own_name, address: own },
            to: Party { name: &player.name, address: to },
            subject: &subject,
            answers: answers.as_deref(),
            thread: Some(&about),
            when: self.now.utc().unwrap_or_default(),
            text: &text,
            html: html.as_ref(),
            cid: &cid,
        };
        let folder = drafts(&self.settings);
        private_folder(&folder).map_err(|error| Failure::trouble(format!("{}: {error}", folder.display())))?;
        let failed = |error: mail::LetterError| Failure::trouble(error.to_string());
        if self.settings.plain_replies == PlainReplies::Answer
            && let Some(nth) = self.may_write(&folder, &header.id, entry, &back.why)?
        {
            let letter = notice(&letter, &about, (&*header.id, entry, nth)).map_err(failed)?;
            match mail::send(&letter, &self.settings.mail) {
                Ok(receipt) => {
                    errln!("{what} was {receipt}");
                    return Ok(());
                }
                Err(error) => errln!("{what} could not be sent: {error}"),
            }
        }
        let bytes = draft(&letter).map_err(failed)?;
        // Made only of the game's validated id and a number.
        let path = folder.join(format!("{}.{entry}.eml", header.id));
        put_private(&path, &bytes).map_err(|error| Failure::writing(&error))?;
        errln!("{what} was drafted: {}; `postrider send --draft {}` sends it", name(&path), header.id);
        Ok(())
    }

    /// Returns which answer about an entry this one is, if one may be sent now: about the same mistake once an hour at most, and never
    /// without end. It is noted before it is sent, so that reading the same message again and again does not send answer after answer.
    fn may_write(&self, folder: &Path, game: &str, entry: u32, why: &str) -> Result<Option<usize>, Failure> {
        let path = folder.join(format!("{game}.{entry}.asked"));
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let mistake = mail::mistake(why);
        let notes: Vec<(i64, &str)> = before
            .lines()
            .filter_map(|line| {
                let (time, mistake) = line.split_once(' ').unwrap_or((line, ""));
                Some((time.parse().ok()?, mistake))
            })
            .collect();
        let same: Vec<i64> =
            notes.iter().filter(|(_, noted)| *noted == mistake || noted.is_empty()).map(|(time, _)| *time).collect();
        let (most, apart) = MOST_NOTICES;
        let is_late = same.last().is_none_or(|last| self.now.0.saturating_sub(*last) >= apart);
        if same.len() >= most || !is_late || notes.len() >= MOST_ANSWERS {
            return Ok(None);
        }
        let noted = format!("{before}{} {mistake}\n", self.now.0);
        put_private(&path, noted.as_bytes()).map_err(|error| Failure::writing(&error))?;
        Ok(Some(notes.len() + 1))
    }
}

/// Returns whether a line is from a letter of the program itself, which is no reply.
fn is_ours_line(line: &str) -> bool {
    line.starts_with("this letter is about your game of ") || line.contains(" invites you to a game of ")
}

/// The folder of drafts.
pub(in crate::cli) fn drafts(settings: &crate::store::Settings) -> PathBuf {
    match &settings.mail {
        MailSettings::File(file) => file.outbox.join("drafts"),
        MailSettings::Sendmail(_) | MailSettings::Smtp(_) | MailSettings::Git(_) => {
            settings.folders.outbox().join("drafts")
        }
    }
}

/// Returns whether a reply claims the game because the other side's time ran out.
fn claims_time(lines: &[String]) -> bool {
    lines.iter().any(|line| line.trim().trim_end_matches(['.', '!']).eq_ignore_ascii_case("claim time"))
}

/// What is said about a reply in a game in which nobody can enter anything for another: here, and to its sender.
fn closed_game(opened: &Opened<'_>) -> (&'static str, String) {
    let header = &opened.header;
    let (title, sealed) = (header.info.title, header.secrecy == Secrecy::Sealed);
    let why = if sealed { "what is hidden in it is sealed" } else { "its entries are signed" };
    let text = format!(
        "Nothing was entered. A move in this game cannot be made by a plain letter, because {why}: it is made with the program postrider, \
         which you would need too.\nIf you want to play {title} with nothing but letters, ask for an open game: it is begun with \
         `postrider new --by-mail`, and then a reply with just your move is enough."
    );
    let told = if sealed {
        "it is a reply without a record, and in a sealed or signed game nobody can enter anything for another: play an open game with this \
         opponent (`postrider new --by-mail`)"
    } else {
        "it is a reply without a record, and in a signed game (or a sealed or signed one) nobody can enter anything for another: play an open \
         game without keys with this opponent (`postrider new --by-mail`)"
    };
    (told, text)
}

/// Whether an entry ends a game by nothing but a word.
fn gives_up(actions: &str) -> bool {
    actions.split(';').any(|action| matches!(action.trim(), "resign" | "draw!") || action.trim().starts_with("claim "))
}

fn request(actions: &str, time: Time) -> EntryRequest<'_> {
    EntryRequest { actions, message: None, time, time_asked: false }
}

/// Why a reply belongs to a different position from the one here: for the player, and for the sender.
fn outdated(
    answered: &incoming::Answered,
    desk: &Desk<'_>,
    from_letters: &std::collections::BTreeMap<u32, String>,
) -> Option<(String, String)> {
    let entries = desk.opened.table.standing().entries;
    let again = "Please look at the newest letter of the game and answer that one.";
    if let Some(digest) = &answered.digest {
        let here = mail::short_hex(desk.digests.last()?);
        if answered.entry == entries && *digest == here {
            return None;
        }
        if answered.entry == entries {
            let told = format!(
                "its subject names the digest {digest} of the record up to entry {entries}, and the one here is {here}: it answers \
                 another game than this one has become"
            );
            return Some((
                told,
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
        let about = answered.entry;
        let told = format!(
            "it answers the letter about entry {about}, which is not the newest: the record has {}",
            crate::text::entries(entries)
        );
        (told, format!("Your reply answers an earlier letter; the game has moved on since. {again}"))
    })
}

/// What is said about a reply from which nothing was entered: here, and to its sender.
fn asked(understood: &Understood, moves: Vec<String>, refusal: &dyn Fn(&str) -> Option<Verdict>) -> (String, Back) {
    let quoted = |list: &[Meant]| {
        let list: Vec<String> = list.iter().map(|one| format!("\"{}\"", printable(&one.actions))).collect();
        match list.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => list.concat(),
        }
    };
    match understood {
        Understood::Mentioned(list) if !list.is_empty() => {
            let named = quoted(list);
            let why = match list.len() {
                1 => format!(
                    "Your letter mentions {named} among other words, and it is not clear that this is your move. Nothing was entered."
                ),
                _ => format!(
                    "Your letter mentions {named}, and it is not clear which of them is your move. Nothing was entered."
                ),
            };
            let told = match list.len() {
                1 => format!("it mentions {named} without saying that this is the entry"),
                _ => format!("it can be read as different entries: {named}"),
            };
            let enter = list.iter().map(|one| (one.actions.clone(), format!("enter {}", one.actions)));
            let taps = enter.chain([("not yet".to_owned(), "not yet".to_owned())]).collect();
            (told, Back { taps, ..Back::of(why) })
        }
        Understood::OfferAlone => (
            "it offers a draw without an entry, or before it may be offered (E5)".to_owned(),
            Back {
                moves,
                ..Back::of(
                    "You offer a draw. That is done together with a move: please write your move, and \"draw?\" behind it. (An offer may \
                     not come before both players have made a move, nor with a move that ends the game.)",
                )
            },
        ),
        Understood::Declined => (
            "its writer does not want to play".to_owned(),
            Back::of(
                "Your letter says that you do not want to play. Nothing was entered, and nothing more is asked of you.",
            ),
        ),
        Understood::Illegal(meant) => {
            let why = match refusal(&meant.actions) {
                Some(verdict) => in_words(&meant.actions, &verdict),
                None => format!("\"{}\" is not possible now.", printable(&meant.actions)),
            };
            (
                why.clone(),
                Back { moves: nearest_first(moves, &meant.actions), ..Back::of(why + " Nothing was entered.") },
            )
        }
        Understood::Nothing { nearest: Some(nearest) } => {
            let told = format!("no legal entry was found in it; the nearest is `{nearest}`");
            let why = format!("\"{}\" could not be read as a move. Nothing was entered.", printable(nearest));
            (told, Back { moves: nearest_first(moves, nearest), ..Back::of(why) })
        }
        Understood::Entry(_) | Understood::NotYet | Understood::Mentioned(_) | Understood::Nothing { .. } => {
            ("it has no text of its own".to_owned(), Back { moves, ..Back::of("Nothing was entered.") })
        }
    }
}

/// Says why an entry is refused, in words for a person, without lines of a file.
fn in_words(typed: &str, verdict: &Verdict) -> String {
    let typed = printable(typed);
    let Some(error) = verdict.errors.first() else { return format!("\"{typed}\" is not possible now.") };
    let rule = error.rule.map(|rule| format!(" (rule {rule})")).unwrap_or_default();
    let help = error.help.as_ref().map(|help| format!(" {}.", capital(&printable(help)))).unwrap_or_default();
    format!("\"{typed}\" is not possible now: {}{rule}.{help}", printable(&error.message))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
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

/// Returns whether a remark in the record names this message, so that it was entered before.
fn is_noted(opened: &Opened<'_>, id: &str) -> bool {
    let mark = format!("<{id}>");
    let mut body = opened.body();
    std::iter::from_fn(|| body.next_item()).any(|item| match item {
        Item::Remark(line) => line.text(opened.text).contains(&mark),
        _ => false,
    })
}

/// Returns whether a player has a key, or an entry has a signature.
fn is_signed(opened: &Opened<'_>) -> bool {
    let mut body = opened.body();
    opened.header.has_key()
        || std::iter::from_fn(|| body.next_item())
            .any(|item| matches!(item, Item::Entry(entry) if entry.signature.is_some()))
}
