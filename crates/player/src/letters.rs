//! Letters in and out.

use postrider_home::own_game::OwnGame;
use std::cell::RefCell;

use data_encoding::BASE64;
use mail_parser::MessageParser;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::file_of;
use super::words;
use super::world::World;
use postrider_home::entry::own;
use postrider_home::invite::invitations;
use postrider_home::invite::invitations::NoThanks;
use postrider_home::invite::kept::Invitations;
use postrider_home::office::{Office, Trouble};
use postrider_home::receive::decision::newest;
use postrider_home::receive::inbox::Taker as _;
use postrider_home::receive::received::Mark;
use postrider_home::receive::{Agreed, Event, Receiving, Stop, Ways};
use postrider_home::send::letters as post;
use postrider_home::send::letters::{Place, SendOptions, Way};
use postrider_home::{records, secrets};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_mail::{Message, Style};
use postrider_referee::desk::{Desk, block};
use postrider_settings::AttachedPage;

/// A letter that came.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Receive {
    /// A message, the text of one, or a record.
    letter: Option<String>,
    /// The same as bytes in base64.
    base64: Option<String>,
    /// The game whose opponent wrote the text, where it is nothing but text.
    game: Option<String>,
    /// Take what was held back in this game, as far as `digits` name it.
    agree: Option<String>,
    /// The first digits of the digest behind its newest entry.
    digits: Option<String>,
    /// The fingerprint of the right one of two keys.
    seat: Option<String>,
    /// Whether the player says that the opponent sent it, whatever its address.
    #[serde(default)]
    vouched: bool,
}

/// A letter that goes out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    game: String,
    /// The address, if the header has none.
    to: Option<String>,
    /// Whether it goes out again although it went out before.
    #[serde(default)]
    force: bool,
    /// A personal word at its head.
    word: Option<String>,
    /// The address of the page that asks, where somebody who is invited can open it.
    page_at: Option<String>,
}

/// The longest address of a page that a letter tells.
const LONGEST_ADDRESS: usize = 300;

/// Returns whether a text is an address on the web that a letter can tell: one that mail programs make a link of, and nothing else.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%".contains(c);
    text.len() <= LONGEST_ADDRESS && rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
}

/// A letter as data: to whom it goes, what it says, and the whole message.
pub(super) fn told(letter: &Message<'_>) -> Value {
    let bytes = letter.bytes();
    let parsed = MessageParser::default().parse(&bytes);
    let (subject, text) = parsed.as_ref().map_or((None, None), |mail| (mail.subject(), mail.body_text(0)));
    json!({
        "game": letter.game(), "to": letter.to(), "subject": subject, "text": text, "name": letter.file_name(),
        "message": BASE64.encode(&bytes),
    })
}

/// What was given, if it is nothing but the words of somebody: neither a record nor a message.
fn is_words(letter: &[u8]) -> bool {
    let text = String::from_utf8_lossy(letter);
    let mut lines = text.lines();
    let is_field = |line: &str| {
        line.split_once(':').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
    };
    let first = lines.next().unwrap_or_default();
    let fields = std::iter::once(first).chain(lines).take_while(|line| !line.trim().is_empty());
    let known = ["from", "message-id", "received", "return-path", "mime-version", "subject", "date", "delivered-to"];
    let has_known = fields
        .filter(|line| is_field(line))
        .any(|line| line.split_once(':').is_some_and(|(name, _)| known.contains(&name.to_ascii_lowercase().as_str())));
    !(is_field(first) || first.starts_with("From ")) || !has_known
}

/// Wraps words into a message by the opponent in a game, which answers the newest letter.
fn wrapped(office: &Office<'_>, id: &str, text: &str) -> Result<Vec<u8>, Trouble> {
    let file = file_of(office, id)?;
    let source = records::read(office, Place { file: &file, name: id })?;
    let desk = records::on_desk(&source, id)?;
    let opened = &desk.opened;
    let own = OwnGame::new(office, id).find(opened)?.ok_or_else(|| {
        Trouble::of(format!("it is not known which side of {id} is yours")).advise(own::hint(&opened.header, id))
    })?;
    let from = opened.header.player(own.other()).email.as_deref();
    let from = from.map(printable).unwrap_or_else(|| "opponent@letter.invalid".into());
    let answers = post::newest_id(&desk).map(|id| format!("In-Reply-To: {id}\r\n")).unwrap_or_default();
    let entries = opened.table.standing().entries;
    Ok(format!(
        "From: <{from}>\r\nSubject: Re: [pbem] {id} #{entries}\r\n{answers}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Transfer-Encoding: 8bit\r\n\r\n{text}\r\n"
    )
    .into_bytes())
}

/// Reads a letter as the program does.
pub(super) fn receive(office: &Office<'_>, world: &World, given: &Receive) -> Result<Value, Trouble> {
    let letter = match (&given.letter, &given.base64) {
        (Some(text), None) => Some(text.clone().into_bytes()),
        (None, Some(text)) => {
            Some(BASE64.decode(text.as_bytes()).map_err(|_| Trouble::of("the letter is not base64"))?)
        }
        (None, None) => None,
        (Some(_), Some(_)) => return Err(Trouble::of("a letter is either text or bytes")),
    };
    let (events, fates) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let hear = |event: Event| {
        if let Event::Done { outcome, .. } = &event {
            let told = json!({ "game": outcome.id, "name": outcome.game, "fate": outcome.fate.word() });
            fates.borrow_mut().push(told);
        }
        // What is not taken stands among what was noticed, with what may be done about it.
        words::not_taken(&event).into_iter().for_each(|told| world.notice(told));
        events.borrow_mut().extend(words::event(&event));
    };
    let ways = Ways {
        agree: given
            .agree
            .as_deref()
            .map(|game| Agreed::new(game, given.digits.as_deref().unwrap_or_default()))
            .transpose()?,
        seat: given.seat.clone(),
        // Each letter is dealt with at once, and somebody has put it in front of this.
        one_by_one: true,
        plain: true,
        alone: true,
        vouched: given.vouched,
        again: true,
        ..Ways::default()
    };
    let mut receiving = Receiving::new(office, ways, &hear)?;
    receiving.take_held_back()?;
    if let Some(letter) = letter {
        let start = letter.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let body = letter.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&letter);
        let body = if start > 0 && body.get(start..).is_some_and(|rest| rest.starts_with(b"---\n")) {
            body.get(start..).unwrap_or_default()
        } else {
            body
        };
        if body.starts_with(b"---\n") || body.starts_with(b"---\r\n") {
            let mail = Mail { names_record: true, records: vec![body.to_vec()], ..Mail::default() };
            receiving.take_mail("the record", &Mark::of(&[b"page", body]), &mail);
        } else {
            let message = match &given.game {
                // What a block says does not show who sent it, whatever stands around it.
                Some(id) if is_words(body) && block::find(&String::from_utf8_lossy(body)).is_empty() => {
                    wrapped(office, id, &String::from_utf8_lossy(body))?
                }
                _ if is_words(body) => {
                    let head = b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
                    [&head[..], body].concat()
                }
                _ => body.to_vec(),
            };
            receiving.take("the letter", None, &message).map_err(|stop| match stop {
                Stop::Trouble(trouble) => trouble,
                Stop::Inbox(error) => Trouble::of(error.to_string()),
            })?;
        }
    }
    receiving.finish(false);
    let (count, troubles) = (receiving.count(), receiving.troubles());
    let strangers: Vec<Value> =
        receiving.strangers().iter().map(|(game, newest)| json!({ "game": game, "newest": newest })).collect();
    drop(receiving);
    // Games in which it shows what comes after the player's newest entry.
    let events = events.into_inner();
    let shown: Vec<&Value> = events.iter().filter(|event| event["shows"] == true).map(|event| &event["game"]).collect();
    let current: Vec<Value> = shown.into_iter().filter(|id| ends_with_theirs(office, id)).cloned().collect();
    Ok(json!({
        "events": events, "strangers": strangers, "current": current, "fates": fates.into_inner(), "accepted": count.accepted, "invitations": count.invitations,
        "refused": count.refused, "known": count.known, "held_back": count.held_back, "other": count.other, "troubles": troubles,
    }))
}

/// Whether the record that is here ends with an entry of the opponent's, or has none yet.
fn ends_with_theirs(office: &Office<'_>, id: &Value) -> bool {
    let Some(id) = id.as_str() else { return false };
    let read = || {
        let file = file_of(office, id)?;
        let source = match records::read(office, Place { file: &file, name: id }) {
            Ok(source) => source,
            Err(_) => Invitations::new(office.folders()).record(id).map_err(|error| invitations::failed(&error))?,
        };
        let opened = records::replayed(&source, id)?;
        let own = OwnGame::new(office, id).find(&opened)?;
        Ok::<_, Trouble>(newest(&opened).is_none_or(|(side, _)| Some(side.other()) == own))
    };
    read().unwrap_or(false)
}

fn delivered(delivered: &post::Delivered) -> Value {
    json!({
        "entry": delivered.entry, "to": delivered.to, "before": matches!(delivered.way, Some(Way::SentBefore | Way::PushedBefore)),
        "at": delivered.at.or(delivered.twice).map(|at| at.to_string()),
    })
}

/// Writes the letter about the newest entry, and notes that it goes out.
pub(super) fn write(office: &Office<'_>, wanted: &Write) -> Result<Value, Trouble> {
    let file = file_of(office, &wanted.game)?;
    let place = Place { file: &file, name: &wanted.game };
    let source = records::read(office, place)?;
    let desk: Desk<'_> = records::on_desk(&source, place.name)?;
    let game = &OwnGame::new(office, &desk.opened.header.id);
    let own = game.side(&desk.opened);
    let own_last = own == desk.last().map(|(side, _): (Side, &str)| side);
    let word = wanted.word.clone().filter(|word| !word.trim().is_empty());
    let options = SendOptions::asked(wanted.to.clone(), wanted.force, None::<Style>, Some(AttachedPage::Never), word)
        .with_page_at(wanted.page_at.clone().filter(|address| is_address(address)));
    let done = post::deliver(game, &desk, place, &options)?;
    let mut told = delivered(&done);
    told["own_last"] = own_last.into();
    // What fits where no file does.
    told["block"] = own.and_then(|own| post::block(&desk, own.other())).map(|block| block.text()).into();
    Ok(told)
}

/// Publishes the player's secrets, and writes the letter with them.
pub(super) fn publish(office: &Office<'_>, id: &str) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let place = Place { file: &file, name: id };
    let secrets::Published { added, record } = secrets::publish(office, place)?;
    let desk = records::on_desk(&record, id)?;
    // Without an address for the opponent the record is handed over in another way.
    match post::deliver(&OwnGame::new(office, id), &desk, place, &SendOptions::of_secrets(false, false)) {
        Ok(done) => Ok(json!({ "added": added, "letter": delivered(&done) })),
        Err(trouble) => Ok(json!({ "added": added, "no_letter": words::trouble(&trouble) })),
    }
}

/// Declines an invitation.
pub(super) fn decline(office: &Office<'_>, id: &str, tell: bool) -> Result<Value, Trouble> {
    let store = Invitations::new(office.folders());
    let called_off = invitations::call_off(office, id)?;
    let letter = if tell {
        let record = store.record_to_accept(id).map_err(|error| invitations::failed(&error))?;
        NoThanks::of(office, &record, id, None)
    } else {
        None
    };
    if called_off.is_none() {
        store.decline(id).map_err(|error| invitations::failed(&error))?;
    }
    if let Some(letter) = &letter {
        office.post(&letter.message(office.date())?, false)?;
    }
    Ok(json!({ "game": id, "told": letter.is_some() }))
}
