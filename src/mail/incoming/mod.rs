//! What a message carries: the records attached to it, who sent it, what it answers, and what its writer typed. Pure:
//! bytes in, data out. A message comes from a stranger: nothing in it becomes a path or a command, nothing is unpacked,
//! and every size has a cap.

mod charset;
mod contents;
mod html;
mod mailbox;
mod mime;
mod reply;
mod report;
mod thread;
mod trace;

pub use contents::{Form, MAX_DEPTH, MAX_HEADER, MAX_PARTS, Text, Unreadable};
pub use reply::{has_own_block, holds_letter, own_lines, own_lines_beside};
pub use thread::{Answered, answered, answering, from_letters, remark, thread_begin};
pub use trace::{Dmarc, Trace};

use mail_parser::{HeaderValue, Message, MessageParser};

use contents::MAX_TEXT;
use trace::time;

use super::seat;
use crate::desk::block;
use crate::record::Time;
use crate::sealing::Statement;
use crate::text::{is_forbidden, printable};

/// The most bytes in a message; the largest record fits in base64 with room to spare.
pub const MAX_MESSAGE: usize = 32 << 20;
/// The longest Message-ID that is used, in bytes.
const MAX_ID: usize = 250;
/// How many of the letters that a message answers are considered.
const MAX_ANSWERS: usize = 200;
/// How much of a subject is read, in characters.
const MAX_SUBJECT: usize = 400;
/// How much of a name is read, in characters.
const MAX_NAME: usize = 100;
/// How much of a line that says to whom a message was sent is read, in characters.
const MAX_SENT_TO: usize = 2_000;

/// What matters of a message.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// Its Message-ID without angle brackets, if it has one in visible ASCII.
    pub message_id: Option<String>,
    /// The one address that it claims to come from; `None` if it names none or several.
    pub from: Option<String>,
    /// The name that goes with that address, safe to show; empty if there is none.
    pub name: String,
    /// To whom it was sent, as the header lines say it, one below the other.
    pub sent_to: String,
    /// The addresses that another message did not reach, if this is a report of that (RFC 3464).
    pub undelivered: Vec<String>,
    /// Whether its sender asks programs not to answer (`X-Auto-Response-Suppress`).
    pub suppresses: bool,
    /// Its subject, safe to show.
    pub subject: String,
    /// Its date.
    pub date: Option<Time>,
    /// The Message-IDs that it answers, without angle brackets, nearest first.
    pub answers: Vec<String>,
    /// Whether a program sent it automatically.
    pub auto: bool,
    /// Whether it is a letter, and not what a repository has.
    pub is_letter: bool,
    /// The token of a seat that it brings.
    pub seat: Option<String>,
    /// The tokens of seats that it sends back.
    pub seat_answers: Vec<String>,
    /// What it says of keys, where the signatures hold (Z36, Z37), whoever sends it.
    pub statements: Vec<Statement>,
    /// What mail servers wrote at its top.
    pub trace: Trace,
    /// The attached records, byte for byte, each once.
    pub records: Vec<Vec<u8>>,
    /// The entries that stand in its text as blocks (B1).
    pub entries: block::Found,
    /// The text that its writer typed, including quotations.
    pub text: Option<Text>,
    /// Whether it seems to be meant as a game's although it carries no record: a part has the name of one.
    pub names_record: bool,
    /// What cannot be read in it, if anything; it could contain a record.
    pub unreadable: Option<Unreadable>,
    /// The first fault in its form; nothing is taken from a message that has one.
    pub fault: Option<String>,
}

impl Mail {
    /// Returns whether it brings entries as the program writes them: records, or blocks of entries.
    #[must_use]
    pub fn brings_entries(&self) -> bool {
        !self.records.is_empty() || !self.entries.blocks.is_empty()
    }
}

/// Reads a message. `bytes` may be anything; a message that was cut off at [`MAX_MESSAGE`] is refused as too large.
#[must_use]
pub fn read(bytes: &[u8]) -> Mail {
    if bytes.len() > MAX_MESSAGE {
        return Mail { fault: Some(too_large()), ..Mail::default() };
    }
    if bytes.starts_with(b"---\n") || bytes.starts_with(b"---\r\n") {
        // A user who saved the attachment no longer has the message, so there is no sender to go by.
        let fault = "it is a record, not a message: compare it with yours and put it in its place by hand; `postrider verify` judges it";
        return Mail { fault: Some(fault.to_owned()), ..Mail::default() };
    }
    let (head, _) = mime::split(bytes);
    if head.len() > MAX_HEADER {
        let fault = format!("its header lines are over {} KiB", MAX_HEADER >> 10);
        return Mail { fault: Some(fault), ..Mail::default() };
    }
    // A text that was saved without the header of its letter still holds the entries, though not who sends them.
    if !bytes
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .is_some_and(|line| line.contains(&b':'))
        && let entries = block::find(&String::from_utf8_lossy(bytes.get(..MAX_TEXT).unwrap_or(bytes)))
        && !entries.is_empty()
    {
        return Mail { entries, is_letter: true, ..Mail::default() };
    }
    let Some(parsed) = MessageParser::default().parse_headers(head) else {
        return Mail { fault: Some("it has no header lines: this is not a message".to_owned()), ..Mail::default() };
    };
    let mut mail = Mail {
        message_id: parsed.message_id().and_then(fit_id),
        from: sender(head, &parsed),
        name: sender_name(&parsed),
        sent_to: sent_to(&parsed),
        undelivered: report::undelivered(&parsed, bytes),
        suppresses: raw(&parsed, "x-auto-response-suppress").is_some_and(|value| !value.trim().is_empty()),
        subject: subject(&parsed),
        date: parsed.date().and_then(time),
        answers: answers(&parsed),
        auto: is_auto(&parsed),
        is_letter: true,
        seat: raw(&parsed, seat::SEAT).and_then(|value| seat::tokens(value).pop()),
        seat_answers: raw(&parsed, seat::ANSWER).map(seat::tokens).unwrap_or_default(),
        trace: Trace::of(&parsed),
        ..Mail::default()
    };
    let found = mime::walk(bytes);
    mail.records = found.records;
    mail.entries = found.entries;
    mail.text = found.text;
    mail.statements = raw(&parsed, seat::KEY).map(Statement::find).unwrap_or_default();
    let said = mail.text.as_ref().map(|text| Statement::find(&text.text)).unwrap_or_default();
    mail.statements.extend(said);
    mail.names_record = found.names_record;
    mail.unreadable = found.unreadable;
    mail.fault = found.fault;
    mail
}

/// Returns whether a program sent it automatically: as the standard says it (RFC 3834), or as older programs do.
fn is_auto(message: &Message<'_>) -> bool {
    let is = |name: &str, fits: &dyn Fn(&str) -> bool| raw(message, name).is_some_and(|value| fits(value.trim()));
    is("auto-submitted", &|value| !value.eq_ignore_ascii_case("no"))
        || is("precedence", &|value| ["bulk", "junk", "auto_reply"].iter().any(|word| value.eq_ignore_ascii_case(word)))
        || is("x-autoreply", &|value| !value.eq_ignore_ascii_case("no"))
        || is("x-autorespond", &|value| !value.eq_ignore_ascii_case("no"))
        || is("return-path", &|value| value == "<>")
}

/// The fault of a message that exceeds the cap.
#[must_use]
pub fn too_large() -> String {
    format!("it is over {} MiB, larger than any record", MAX_MESSAGE >> 20)
}

/// The raw value of a header line; if there are several, of the first.
fn raw<'a>(message: &'a Message<'_>, name: &str) -> Option<&'a str> {
    message.headers_raw().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// Returns the address of the sender. A second `From` line or a second address would let a message claim two senders,
/// and so would anything that programs read in two ways: the address must be the one that a person sees there.
fn sender(head: &[u8], message: &Message<'_>) -> Option<String> {
    if head.split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| mailbox::is_from(line)).count() != 1 {
        return None;
    }
    let line = message.headers().iter().find(|header| header.name().eq_ignore_ascii_case("from"))?;
    let line = message.raw_message.get(line.offset_start as usize..line.offset_end as usize)?;
    let mut addresses = message.from()?.as_list()?.iter();
    let address = addresses.next()?.address()?;
    // There are control characters and spaces beyond ASCII too; none of them is part of an address.
    let odd = |c: char| is_forbidden(c) || c.is_whitespace();
    let fits = address.len() <= 254 && !address.contains(odd) && address.contains('@');
    (fits && addresses.next().is_none() && mailbox::sole_address(&String::from_utf8_lossy(line)) == Some(address))
        .then(|| address.to_owned())
}

/// The name of the sender, for people.
fn sender_name(message: &Message<'_>) -> String {
    let name = message.from().and_then(|list| list.first()).and_then(|one| one.name()).unwrap_or_default();
    let name: String = name.chars().filter(|c| !is_forbidden(*c)).take(MAX_NAME).collect();
    printable(&name.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// The lines that say to whom a message was sent, or delivered.
fn sent_to(message: &Message<'_>) -> String {
    let names = ["to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"];
    let lines = message.headers_raw().filter(|(found, _)| names.iter().any(|name| found.eq_ignore_ascii_case(name)));
    lines.take(20).map(|(_, value)| value.chars().take(MAX_SENT_TO).collect::<String>() + "\n").collect()
}

fn subject(message: &Message<'_>) -> String {
    let subject: String = message.subject().unwrap_or_default().chars().take(MAX_SUBJECT).collect();
    printable(&subject.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

fn fit_id(id: &str) -> Option<String> {
    let id = id.trim();
    let fits = !id.is_empty()
        && id.len() <= MAX_ID
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'{' | b'}'));
    fits.then(|| id.to_owned())
}

/// What a message answers: `In-Reply-To`, then `References` from its end, where the nearest ones are.
fn answers(message: &Message<'_>) -> Vec<String> {
    let ids = |value: &HeaderValue<'_>| -> Vec<String> {
        match value {
            HeaderValue::Text(id) => fit_id(id).into_iter().collect(),
            HeaderValue::TextList(list) => list.iter().filter_map(|id| fit_id(id)).collect(),
            _ => Vec::new(),
        }
    };
    let mut list = ids(message.in_reply_to());
    list.extend(ids(message.references()).into_iter().rev());
    list.truncate(MAX_ANSWERS);
    list
}

#[cfg(test)]
mod tests;
