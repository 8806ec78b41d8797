//! A reply without a record, from an opponent without the program: its first line is judged as an entry and written for them.

use std::path::PathBuf;

use super::super::hints::{self, Failure, name};
use super::super::{input, known, own, print, refusals, send};
use super::{Fate, Reader, about, records};
use crate::desk::{NoKeys, Refusal, Wish};
use crate::games::kernel::Side;
use crate::mail::incoming::{self, Mail, Typed};
use crate::mail::{Party, draft};
use crate::record::{Item, Secrecy};
use crate::store::{MailSettings, RecordLock, private_folder, put_private};
use crate::text::printable;
use crate::verdict::Opened;

/// How many legal entries a draft lists.
const LISTED: usize = 60;
/// How far a reply's date may lie ahead of the clock on the wall, in seconds: clocks differ.
const AHEAD: i64 = 10 * 60;

impl Reader<'_> {
    /// Deals with a message without a record; nothing where it answers no letter of a game that is here.
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
        known::guard_against_mail(opened, &source, &origin)?;
        let standing = opened.table.standing();
        let header = &opened.header;
        let id = mail.message_id.as_deref();
        if id.is_some_and(|id| is_noted(opened, id)) {
            return Ok(Some(Fate::Known));
        }
        // Whoever answers has the sender's address in the record here, and is not the receiver.
        let mine = own::side_or_moved(opened, &self.settings);
        if mine.is_none() {
            let hint = own::hint(header, &origin);
            return refused(&format!("nothing tells which side of this game is yours: {hint}"));
        }
        let sender = Side::BOTH.into_iter().find(|side| {
            let address = header.player(*side).email.as_deref();
            let is = |one: Option<&str>| address.zip(one).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
            is(mail.from.as_deref()) && Some(*side) != mine
        });
        let Some(sender) = sender else {
            return refused("it comes from nobody who plays this game against you");
        };
        if header.secrecy == Secrecy::Sealed || is_signed(opened) {
            return refused("in a sealed or signed game nobody can enter anything for another");
        }
        if standing.outcome.is_some() {
            return refused("the game is over (E4)");
        }
        let newest = match &answered.message_id {
            Some(id) => send::newest_id(&desk).as_deref() == Some(id.as_str()),
            None => answered.entry == standing.entries,
        };
        if !newest {
            let message = format!(
                "it answers the letter about entry {}, which is not the newest: {} entries were made",
                answered.entry, standing.entries
            );
            return refused(&message);
        }
        let typed = mail.text.as_ref().map_or(Typed::Nothing, incoming::typed);
        let line = match typed {
            Typed::Line(line) => line,
            Typed::Nothing => {
                let why = "no entry was found in your reply: its first line that is not quoted should be one\n";
                return self.draft(mail, opened, sender, &from, why).map(Some);
            }
        };
        let word = header.info.sides[sender.index()].word;
        // The whole line of a record may have been typed, as the letters say.
        let lead = format!("{} {word} ", standing.entries + 1);
        let actions = line.strip_prefix(&lead).or_else(|| line.strip_prefix(&format!("{word} "))).unwrap_or(&line);
        let claims = actions.trim() == "claim time";
        if claims == (standing.due.side == sender) {
            return refused("its sender is not due");
        }
        // A date that lies ahead would bind every later entry to it (E3).
        let ahead = mail.date.filter(|date| date.0 > self.now.0.saturating_add(AHEAD));
        let time = mail.date.filter(|_| ahead.is_none()).unwrap_or(self.now);
        let wish = Wish { actions, message: None, time, time_asked: false };
        match desk.enter(&wish, &mut NoKeys) {
            Ok(entered) => {
                let mut record = entered.record.clone();
                record.extend_from_slice(remark(entered.number, mail).as_bytes());
                if !self.args.dry_run {
                    input::written(lock.replace(&source, &record))?;
                    known::remember(&header.id, &record);
                }
                drop(lock);
                print(format!(
                    "{}: entered for {}: {}\n",
                    header.id,
                    header.info.sides[sender.index()].named(),
                    entered.line
                ))?;
                if let Some(date) = ahead {
                    let note = format!(
                        "its letter is of {date}, ahead of the clock here: entry {} has the time at which it was read",
                        entered.number
                    );
                    records::point_out(&header.id, &[note]);
                }
                self.standing(&header.id, &record, &path)?;
                self.answer(&path, true, mail.auto)?;
                Ok(Some(Fate::Accepted))
            }
            Err(Refusal::Entry(tried, verdict)) => {
                let report = hints::report(tried.as_bytes(), "your reply", &verdict, false);
                let report = anstream::adapter::strip_str(&report).to_string();
                self.draft(mail, opened, sender, &from, &report).map(Some)
            }
            Err(Refusal::Aside | Refusal::Message(_)) => {
                let why =
                    "your reply holds a time or a message among the actions: the entry is what you would type, alone\n";
                self.draft(mail, opened, sender, &from, why).map(Some)
            }
            Err(refusal) => Err(refusals::refused(&origin, refusal)),
        }
    }

    /// Writes an answer that says what was wrong, to be sent by hand.
    fn draft(&self, mail: &Mail, opened: &Opened<'_>, sender: Side, from: &str, why: &str) -> Result<Fate, Failure> {
        let header = &opened.header;
        let standing = opened.table.standing();
        let entry = standing.entries + 1;
        errln!("{from}: {}: refused:", header.id);
        err!("{why}");
        let player = |side: Side| header.player(side);
        let own = player(sender.other()).email.as_deref().or(self.settings.email.as_deref());
        let (Some(own), Some(to)) = (own, player(sender).email.as_deref()) else { return Ok(Fate::Refused) };
        if self.args.dry_run {
            return Ok(Fate::Refused);
        }
        let mut text = format!(
            "{},\n\nyour entry {entry} of {} could not be made:\n\n{why}\n",
            printable(&player(sender).name),
            header.id
        );
        let moves = opened.table.moves();
        if moves.len() <= LISTED {
            text.push_str(&format!("Legal entries: {}\n", moves.join(" | ")));
        }
        let subject = format!("Re: [pbem] {} #{}", header.id, standing.entries);
        let parties = (
            Party { name: &player(sender.other()).name, address: own },
            Party { name: &player(sender).name, address: to },
        );
        let answers = mail.message_id.as_ref().map(|id| format!("<{id}>"));
        let when = self.now.utc().unwrap_or_default();
        let bytes = draft(&parties.0, &parties.1, &subject, answers.as_deref(), when, &text)
            .map_err(|error| Failure::trouble(error.to_string()))?;
        let folder = self.drafts();
        private_folder(&folder).map_err(|error| Failure::trouble(format!("{}: {error}", folder.display())))?;
        // Of the game's checked id and a number alone.
        let path = folder.join(format!("{}.{entry}.eml", header.id));
        put_private(&path, &bytes).map_err(|error| Failure::writing(&error))?;
        errln!("an answer that says so was drafted: {}; send it if you like", name(&path));
        Ok(Fate::Refused)
    }

    fn drafts(&self) -> PathBuf {
        match &self.settings.mail {
            MailSettings::File(file) => file.outbox.join("drafts"),
            MailSettings::Sendmail(_) | MailSettings::Smtp(_) => self.settings.folders.outbox().join("drafts"),
        }
    }
}

/// The remark below an entry that was made for the opponent.
fn remark(number: u32, mail: &Mail) -> String {
    let id = mail.message_id.as_deref().map_or_else(|| "without a Message-ID".to_owned(), |id| format!("<{id}>"));
    let from = mail.from.as_deref().unwrap_or_default();
    format!("# entry {number} from the letter {id} of {}\n", printable(from))
}

/// Whether a remark of the record names this message: it was entered before.
fn is_noted(opened: &Opened<'_>, id: &str) -> bool {
    let mark = format!("<{id}>");
    let mut body = opened.body();
    std::iter::from_fn(|| body.next_item()).any(|item| match item {
        Item::Remark(line) => line.text(opened.text).contains(&mark),
        _ => false,
    })
}

/// Whether a player has a key, or an entry a signature.
fn is_signed(opened: &Opened<'_>) -> bool {
    let mut body = opened.body();
    opened.header.has_key()
        || std::iter::from_fn(|| body.next_item())
            .any(|item| matches!(item, Item::Entry(entry) if entry.signature.is_some()))
}
