//! What a message carries: the records attached to it, who sent it, what it answers, and what its writer typed. Pure:
//! bytes in, data out. A message comes from a stranger: nothing in it becomes a path or a command, nothing is unpacked,
//! and every size has a cap.

mod charset;
mod contents;
mod fields;
mod html;
mod mailbox;
mod mime;
mod reply;
mod report;
mod thread;
mod trace;
mod transfer;

pub use contents::{Form, MAX_DEPTH, MAX_HEADER, MAX_PARTS, Text, Unreadable};
pub use reply::{has_own_block, holds_letter, lines_in_copy, own_lines, own_lines_beside, remove_copied};
pub use thread::{Answered, answered, answering, from_letters, is_ahead, remark, remark_ahead, thread_begin};
pub use trace::{Dmarc, Trace};

use mail_parser::{Message, MessageParser};

use contents::MAX_TEXT;
use fields::raw;
use trace::time;

use super::seat;
use postrider_kernel::text::{is_forbidden, printable};
use postrider_referee::desk::block;
use postrider_referee::record::Time;
use postrider_referee::sealing::{AskedBack, Statement};

/// The most bytes in a message; the largest record fits in base64 with room to spare.
pub const MAX_MESSAGE: usize = 32 << 20;
/// How much of a subject is read, in characters.
const MAX_SUBJECT: usize = 400;
/// How much of a date that cannot be read is shown, in characters.
const MAX_DATE: usize = 60;
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
    /// Its recipients, as the header lines name them, one per line.
    pub sent_to: String,
    /// The addresses that another message did not reach, if this is a report of that (RFC 3464).
    pub undelivered: Vec<String>,
    /// Whether its sender asks programs not to answer (`X-Auto-Response-Suppress`).
    pub suppresses: bool,
    /// Its subject, safe to show.
    pub subject: String,
    pub date: Option<Time>,
    /// The time zone of that date, in minutes ahead of UTC.
    pub zone: Option<i32>,
    /// Its date as written, safe to show, if that cannot be parsed.
    pub odd_date: Option<String>,
    /// The Message-IDs that it answers, without angle brackets, nearest first.
    pub answers: Vec<String>,
    /// Whether a program sent it automatically, or it reports what became of another message.
    pub auto: bool,
    /// Whether nothing but `Precedence: bulk` says that a program sent it, which some lists say of what people write.
    pub perhaps_auto: bool,
    /// Whether it says that it was sent to many (`Precedence`): lists say so of what people write, so it is read, but not answered by itself.
    pub bulk: bool,
    /// Whether it is a letter, and not what a repository has.
    pub is_letter: bool,
    /// The token of a seat that it brings.
    pub seat: Option<String>,
    /// The tokens of seats that it sends back.
    pub seat_answers: Vec<String>,
    /// Its statements on keys with valid signatures (Z36, Z37).
    pub statements: Vec<Statement>,
    /// The entries that a host asks for with another time, as it says; whether they hold is not known yet (Z39).
    pub asked_back: Vec<AskedBack>,
    /// The lines of mail servers at its top.
    pub trace: Trace,
    /// The attached records, byte for byte, each once.
    pub records: Vec<Vec<u8>>,
    /// The entries that stand in its text as blocks (B1).
    pub entries: block::Found,
    /// The text that its writer typed, including quotations.
    pub text: Option<Text>,
    /// Whether it seems to be meant as a game's although it carries no record: a part has the name of one.
    pub names_record: bool,
    /// Describes that part, as far as its beginning shows.
    pub unlike: Option<String>,
    /// An unreadable part, if any; it could contain a record.
    pub unreadable: Option<Unreadable>,
    /// The first fault in its form. Whole records and blocks are taken from such a message, but typed text may be incomplete.
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
        let fault = "it is a record, not a message: compare it with yours and put it in its place by hand";
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
        message_id: fields::own_id(&parsed),
        from: sender(head, &parsed),
        name: sender_name(&parsed),
        sent_to: sent_to(&parsed),
        undelivered: report::undelivered(&parsed, bytes),
        suppresses: raw(&parsed, "x-auto-response-suppress").is_some_and(|value| !value.trim().is_empty()),
        subject: subject(&parsed),
        date: parsed.date().and_then(time),
        zone: parsed.date().and_then(zone),
        odd_date: odd_date(&parsed),
        answers: fields::answers(&parsed),
        auto: fields::is_auto(&parsed),
        bulk: fields::is_bulk(&parsed),
        is_letter: true,
        seat: raw(&parsed, seat::SEAT).and_then(|value| seat::tokens(value).pop()),
        seat_answers: raw(&parsed, seat::ANSWER).map(seat::tokens).unwrap_or_default(),
        trace: Trace::of(&parsed),
        ..Mail::default()
    };
    let found = mime::walk(bytes);
    mail.records = found.records;
    mail.entries = found.entries;
    // What a report says is nobody's words.
    mail.text = found.text.filter(|_| !found.reports);
    mail.auto |= found.reports;
    mail.perhaps_auto = !mail.auto && fields::is_bulk_of_no_list(&parsed);
    mail.auto |= mail.perhaps_auto;
    mail.statements = raw(&parsed, seat::KEY).map(Statement::find).unwrap_or_default();
    let said = mail.text.as_ref().map(|text| Statement::find(&text.text)).unwrap_or_default();
    mail.statements.extend(said);
    mail.asked_back = mail.text.as_ref().map(|text| AskedBack::find(&text.text)).unwrap_or_default();
    mail.names_record = found.names_record;
    mail.unlike = found.unlike;
    mail.unreadable = found.unreadable;
    mail.fault = found.fault;
    mail
}

/// The time zone of a date; nothing for one that no place has.
fn zone(date: &mail_parser::DateTime) -> Option<i32> {
    let minutes = i32::from(date.tz_hour) * 60 + i32::from(date.tz_minute);
    Some(if date.tz_before_gmt { -minutes } else { minutes }).filter(|minutes| (-13 * 60..=15 * 60).contains(minutes))
}

/// What stands in a `Date` line that cannot be read.
fn odd_date(message: &Message<'_>) -> Option<String> {
    let value = raw(message, "date")?;
    let value: String = value.trim().chars().take(MAX_DATE).collect();
    message.date().and_then(time).is_none().then(|| printable(&value).into_owned())
}

/// The fault of a message that exceeds the cap.
#[must_use]
pub fn too_large() -> String {
    format!("it is over {} MiB, larger than any record", MAX_MESSAGE >> 20)
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

#[cfg(test)]
mod tests;
