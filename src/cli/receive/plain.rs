//! A reply without a record, from an opponent without the program: the one entry that it can mean is judged and written
//! for them. If there is none, or two, an answer in plain words asks for it.

use std::path::PathBuf;

use super::super::hints::{Failure, name};
use super::super::{input, known, own, refusals, send};
use super::{Fate, Run, about, print, records};
use crate::desk::understand::{Meant, ReplyContext, Understood, beside, looks_like_entry, understand};
use crate::desk::{Desk, EntryRequest, NoKeyStore, Refusal};
use crate::games::kernel::Side;
use crate::mail::incoming::{self, Mail};
use crate::mail::{self, Party, draft, notice};
use crate::record::{Item, Secrecy, Time};
use crate::store::{MailSettings, PlainReplies, RecordLock, private_folder, put_private};
use crate::text::printable;
use crate::verdict::{Opened, Verdict};

/// How many legal entries an answer lists.
const LISTED: usize = 60;
/// How much of what a reply says beside its entry is shown, in characters.
const MOST_BESIDE: usize = 400;
/// How far a reply's date may be ahead of the system clock, in seconds, because clocks differ.
const AHEAD: i64 = 10 * 60;
/// How many answers about one entry the program sends on its own, and how far apart, in seconds.
const MOST_NOTICES: (usize, i64) = (3, 3600);

/// A reply and the game it is about.
struct Reply<'a> {
    mail: &'a Mail,
    desk: &'a Desk<'a>,
    sender: Side,
    /// The message, for people.
    from: String,
}

impl Run<'_> {
    /// Processes a message without a record; returns `None` if it does not answer a letter of a game that is here, or
    /// the game is not in open play.
    pub(super) fn plain(&mut self, place: &str, mail: &Mail) -> Result<Option<Fate>, Failure> {
        let Some(answered) = incoming::answered(mail) else { return Ok(None) };
        let Some((path, true)) = self.file_of(&answered.game)? else { return Ok(None) };
        let origin = name(&path);
        let mut lock = RecordLock::take(&path).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let desk = refusals::on_desk(&source, &origin)?;
        let opened = &desk.opened;
        let from = about(place, mail);
        let refused = |why: &str| {
            errln!("{from}: {}: refused: {}", answered.game, printable(why));
            Ok(Some(Fate::Refused))
        };
        let header = &opened.header;
        if header.secrecy == Secrecy::Sealed || is_signed(opened) {
            // Unless asked to, the program says nothing about letters that people write to each other beside their
            // game.
            if !self.args.plain {
                return Ok(None);
            }
            return refused("in a sealed or signed game nobody can enter anything for another");
        }
        let standing = opened.table.standing();
        let id = mail.message_id.as_deref();
        if id.is_some_and(|id| is_noted(opened, id)) {
            return Ok(Some(Fate::Known));
        }
        known::guard_mail(opened, &source, &origin, known::Use::Receive)?;
        let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        // Only a file, or something unreadable, which is reported elsewhere.
        if lines.is_empty() && mail.unreadable.is_some() {
            return Ok(None);
        }
        // The writer has the sender's address in the record here, and is not the receiver.
        let mine = own::find_or_moved(opened, &self.settings)?;
        if mine.is_none() {
            let hint = own::hint(header, &origin);
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
        let reply = Reply { mail, desk: &desk, sender, from: from.clone() };
        // What people write to each other beside their moves is not an entry, and no question is asked about it.
        let is_talk = answered.digest.is_none() && !lines.iter().any(|line| looks_like_entry(line));
        let is_old = mail.date.zip(last_time(opened)).is_some_and(|(date, last)| date.0 < last.0);
        if let Some(outcome) = standing.outcome {
            if is_talk || is_old {
                return Ok(None);
            }
            let why = format!("the game is over: {}.\n", outcome.text(&header.info.sides));
            return self.ask(&reply, "the game is over (E4)", &why, false).map(Some);
        }
        if answered.entry > standing.entries {
            let why = format!(
                "it is about entry {}, {} are here, and no record is attached: ask its sender to attach it",
                answered.entry, standing.entries
            );
            return refused(&why);
        }
        if let Some(why) = outdated(&answered, &desk) {
            // An old letter in a mailbox, answered long ago.
            if is_old {
                return Ok(Some(Fate::Known));
            }
            if is_talk {
                return Ok(None);
            }
            return self.ask(&reply, &why.0, &why.1, standing.due.side == sender).map(Some);
        }
        let is_due = standing.due.side == sender;
        let claims =
            lines.iter().any(|line| line.trim().trim_end_matches(['.', '!']).eq_ignore_ascii_case("claim time"));
        if claims == is_due {
            if is_talk && !claims {
                return Ok(None);
            }
            let why = "it is not your turn: I have yet to make my move.\n";
            return self.ask(&reply, "its sender is not due", why, false).map(Some);
        }
        let (time, early) = self.time_of(mail, opened);
        let word = |side: Side| header.info.sides[side.index()].word;
        let number = standing.entries.saturating_add(1);
        let turn = ReplyContext {
            number,
            side: word(sender),
            other: word(sender.other()),
            tries: ReplyContext::tries(source.len()),
        };
        let understood = if claims {
            Understood::Entry(Meant { actions: "claim time".to_owned(), words: "claim time".to_owned(), message: None })
        } else {
            let mut tries = |actions: &str| {
                desk.enter(&request(actions, time), &mut NoKeyStore).ok().map(|entered| entered.actions)
            };
            understand(&lines, &turn, &opened.table.moves(), &mut tries)
        };
        let meant = match understood {
            Understood::Entry(meant) => meant,
            other => {
                if matches!(other, Understood::Nothing { nearest: None, .. }) && mail.unreadable.is_some() {
                    return Ok(None);
                }
                let mut refusal = |actions: &str| match desk.enter(&request(actions, time), &mut NoKeyStore) {
                    Err(Refusal::Entry(_, verdict)) => Some(*verdict),
                    _ => None,
                };
                let (told, why) = asked(&other, &lines, &mut refusal);
                return self.ask(&reply, &told, &why, true).map(Some);
            }
        };
        let entered = match desk.enter(
            &EntryRequest { message: meant.message.as_deref(), ..request(&meant.actions, time) },
            &mut NoKeyStore,
        ) {
            Ok(entered) => entered,
            Err(Refusal::Entry(_, verdict)) => {
                let why = in_words(&meant.words, &verdict);
                return self.ask(&reply, "the entry in it is refused", &why, true).map(Some);
            }
            Err(refusal) => return Err(refusals::refused(&origin, refusal)),
        };
        let mut record = entered.record.clone();
        record.extend_from_slice(remark(entered.number, mail).as_bytes());
        if !self.args.dry_run {
            input::written(lock.replace(&source, &record))?;
            known::remember(&header.id, &record);
        }
        drop(lock);
        let named = header.info.sides[sender.index()].named();
        print(format!("{}: entered for {named}: {}\n", header.id, entered.line))?;
        if meant.words != entered.actions {
            print(format!("{}: understood from `{}`\n", header.id, printable(&meant.words)))?;
        }
        let beside = beside(&lines, &meant).join(" / ");
        if !beside.is_empty() {
            let shown: String = beside.chars().take(MOST_BESIDE).collect();
            let more = if shown.len() < beside.len() { "\u{2026}" } else { "" };
            print(format!("{}: the letter also says: {}{more}\n", header.id, printable(&shown)))?;
        }
        if let Some(date) = early {
            let note = format!("{date}: entry {} has the time at which it was read", entered.number);
            records::point_out(&header.id, &[note]);
        }
        self.standing(&header.id, &record, &path)?;
        self.answer(&path, true, mail.auto, Fate::Accepted)?;
        Ok(Some(Fate::Accepted))
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

    /// Answers a reply that contained no entry: `told` is printed here; `why`, whole sentences for a person, is drafted
    /// for the sender, or sent if the settings say so. `open`: whether an entry of the sender is due.
    fn ask(&self, reply: &Reply<'_>, told: &str, why: &str, open: bool) -> Result<Fate, Failure> {
        let Reply { mail, desk, sender, from } = reply;
        let opened = &desk.opened;
        let header = &opened.header;
        let standing = opened.table.standing();
        let entry = standing.entries.saturating_add(1);
        errln!("{from}: {}: refused: {}", header.id, printable(told));
        let player = |side: Side| header.player(side);
        let own = player(sender.other()).email.as_deref().or(self.settings.email.as_deref());
        let (Some(own), Some(to)) = (own, player(*sender).email.as_deref()) else { return Ok(Fate::Refused) };
        if self.args.dry_run || mail.auto {
            return Ok(Fate::Refused);
        }
        let mut text = format!("Hello {},\n\n{}\n", printable(&player(*sender).name), why.trim_end());
        if open {
            let moves = opened.table.moves();
            if let Some(example) = moves.first() {
                text.push_str(&format!(
                    "\nPlease reply to this letter with just your move, on the first line, for example:\n\n    {example}\n"
                ));
            }
            if (2..=LISTED).contains(&moves.len()) {
                text.push_str(&format!("\nThese moves are possible now:\n\n    {}\n", moves.join("\n    ")));
            }
        }
        text.push_str(&format!("\n(This is about our game of {}, {}.)\n", header.info.title, header.id));
        let digest = desk.digests.last().copied().unwrap_or_default();
        // A reply to it refers to the position as it is now.
        let subject = format!("Re: [pbem] {} #{} {}", header.id, standing.entries, mail::short_hex(&digest));
        let parties = (
            Party { name: &player(sender.other()).name, address: own },
            Party { name: &player(*sender).name, address: to },
        );
        let answers = mail.message_id.as_ref().map(|id| format!("<{id}>"));
        let when = self.now.utc().unwrap_or_default();
        let folder = self.drafts();
        private_folder(&folder).map_err(|error| Failure::trouble(format!("{}: {error}", folder.display())))?;
        let failed = |error: mail::LetterError| Failure::trouble(error.to_string());
        if self.settings.plain_replies == PlainReplies::Answer
            && let Some(nth) = self.may_ask(&folder, &header.id, entry)?
        {
            let (from, to) = (&parties.0, &parties.1);
            let about = (&*header.id, entry, nth);
            let letter = notice(from, to, &subject, answers.as_deref(), when, &text, about).map_err(failed)?;
            match mail::send(&letter, &self.settings.mail) {
                Ok(receipt) => {
                    errln!("a reply saying so was {receipt}");
                    return Ok(Fate::Refused);
                }
                Err(error) => errln!("a reply saying so could not be sent: {error}"),
            }
        }
        let bytes = draft(&parties.0, &parties.1, &subject, answers.as_deref(), when, &text).map_err(failed)?;
        // Made only of the game's validated id and a number.
        let path = folder.join(format!("{}.{entry}.eml", header.id));
        put_private(&path, &bytes).map_err(|error| Failure::writing(&error))?;
        errln!("a reply saying so was drafted: {}; send it if you like", name(&path));
        Ok(Fate::Refused)
    }

    /// Returns which answer about an entry this one is, if one may be sent now. It is noted before it is sent, so that
    /// reading the same message again and again does not send answer after answer.
    fn may_ask(&self, folder: &std::path::Path, game: &str, entry: u32) -> Result<Option<usize>, Failure> {
        let path = folder.join(format!("{game}.{entry}.asked"));
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let times: Vec<i64> = before.lines().filter_map(|line| line.parse().ok()).collect();
        let (most, apart) = MOST_NOTICES;
        if times.len() >= most || times.last().is_some_and(|last| self.now.0.saturating_sub(*last) < apart) {
            return Ok(None);
        }
        let noted = format!("{before}{}\n", self.now.0);
        put_private(&path, noted.as_bytes()).map_err(|error| Failure::writing(&error))?;
        Ok(Some(times.len() + 1))
    }

    fn drafts(&self) -> PathBuf {
        match &self.settings.mail {
            MailSettings::File(file) => file.outbox.join("drafts"),
            MailSettings::Sendmail(_) | MailSettings::Smtp(_) | MailSettings::Git(_) => {
                self.settings.folders.outbox().join("drafts")
            }
        }
    }
}

fn request(actions: &str, time: Time) -> EntryRequest<'_> {
    EntryRequest { actions, message: None, time, time_asked: false }
}

/// Why a reply belongs to a different position from the one here: for the player, and for the sender.
fn outdated(answered: &incoming::Answered, desk: &Desk<'_>) -> Option<(String, String)> {
    let entries = desk.opened.table.standing().entries;
    let again = "Please look at my newest letter and answer that one.\n";
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
            let why = format!("your reply belongs to a different course of the game from the one I have here. {again}");
            return Some((told, capital(&why)));
        }
    }
    let newest = match &answered.message_id {
        Some(id) => send::newest_id(desk).as_deref() == Some(id.as_str()),
        None => answered.entry == entries,
    };
    (!newest).then(|| {
        let about = answered.entry;
        let told = format!(
            "it answers the letter about entry {about}, which is not the newest: the record has {}",
            crate::text::entries(entries)
        );
        let why = format!("Your reply answers an earlier letter of our game; the game has moved on since. {again}");
        (told, why)
    })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What is said about a reply in which no entry could be read: here, and to its sender.
fn asked(
    understood: &Understood,
    lines: &[String],
    refusal: &mut dyn FnMut(&str) -> Option<Verdict>,
) -> (String, String) {
    let quoted = |list: Vec<&str>| {
        let list: Vec<String> = list.iter().map(|one| format!("\"{}\"", printable(one))).collect();
        match list.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => list.concat(),
        }
    };
    match understood {
        Understood::Several(list) => {
            let list = quoted(list.iter().map(|one| one.actions.as_str()).collect());
            (
                format!("it can be read as different entries: {list}"),
                format!("In your reply I can read different moves: {list}. Which one do you mean?\n"),
            )
        }
        Understood::OfferAlone => (
            "it offers a draw without an entry, or before it may be offered (E5)".to_owned(),
            "You offer a draw. That is done together with a move: please write your move, and \"draw?\" behind it. (An offer may \
             not come before both of us have made a move, nor with a move that ends the game.)\n"
                .to_owned(),
        ),
        Understood::Nothing { spoken_of, .. } if !spoken_of.is_empty() => {
            let list = quoted(spoken_of.iter().map(String::as_str).collect());
            let unsure = if spoken_of.len() > 1 { "which of them is your move" } else { "whether that is your move" };
            (
                format!("it mentions {list} without saying that this is the entry"),
                format!("You mention {list}, and I am not sure {unsure}.\n"),
            )
        }
        Understood::Nothing { nearest: Some(nearest), .. } => match refusal(nearest) {
            Some(verdict) => {
                let why = in_words(nearest, &verdict);
                (why.trim_end().to_owned(), why)
            }
            None => {
                let told = format!("no legal entry was found in it; the nearest is `{nearest}`");
                (told, format!("I could not read your move \"{}\".\n", printable(nearest)))
            }
        },
        Understood::Entry(_) | Understood::Nothing { .. } => {
            let said = lines.iter().map(|line| printable(line).into_owned()).collect::<Vec<_>>().join(" / ");
            let said: String = said.chars().take(200).collect();
            let told = if said.is_empty() { "it has no text of its own".to_owned() } else { format!("there is no entry in it: {said}") };
            (told, "I could not find a move in your reply.\n".to_owned())
        }
    }
}

/// Says why an entry is refused, in words for a person, without lines of a file.
fn in_words(typed: &str, verdict: &Verdict) -> String {
    let typed = printable(typed);
    let Some(error) = verdict.errors.first() else { return format!("\"{typed}\" is not possible now.\n") };
    let rule = error.rule.map(|rule| format!(" (rule {rule})")).unwrap_or_default();
    format!("\"{typed}\" is not possible now: {}{rule}.\n", printable(&error.message))
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

/// The remark below an entry that was made for the opponent.
fn remark(number: u32, mail: &Mail) -> String {
    let id = mail.message_id.as_deref().map_or_else(|| "without a Message-ID".to_owned(), |id| format!("<{id}>"));
    let from = mail.from.as_deref().unwrap_or_default();
    format!("# entry {number} from the letter {id} of {}\n", printable(from))
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
