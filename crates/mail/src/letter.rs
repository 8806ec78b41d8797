//! The letter that carries an entry: a text that a person can play from, with the record attached. Pure: the same data
//! give the same bytes on every machine.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use data_encoding::{BASE64, HEXLOWER};
use lettre::address::Envelope;
use lettre::message::header::{
    ContentDisposition, ContentTransferEncoding, ContentType, Header, HeaderName, HeaderValue, MessageId,
};
use lettre::message::{Body, Mailbox, MessageBuilder, MultiPart, SinglePart};

use super::markup::Html;
use super::seat::Seat;
use crate::address::{AddressError, parse_address};
use postrider_board::render::sheet;
use postrider_kernel::text::printable;
use postrider_referee::record::is_game_id;

#[cfg(test)]
mod tests;

/// The domain of every Message-ID. Both players' programs must arrive at the same Message-ID, so it does not depend on
/// a machine; this name is reserved as one that never resolves (RFC 2606).
pub(super) const DOMAIN: &str = "postrider.invalid";
/// The suffix of a reminder's Message-ID, after that of the letter it is about.
pub(super) const REMINDER: &str = ".reminder";
/// The suffix of a letter about a reply, before a number.
pub(super) const QUESTION: &str = ".question-";
/// What tells letters about a reply from those about entries.
const NOTICE: &str = ".question";
/// The suffix of a host's letter, after the Message-ID of the letter about its position, before the part that tells its letters apart.
pub(super) const HOSTED: &str = ".host-";
/// What a letter with secrets appends to the Message-ID of the letter about the last entry.
const SECRETS: &str = ".secrets";
/// The same for a letter with a receipt.
const RECEIPT: &str = ".receipt";
/// The maximum length of a subject, in characters.
const SUBJECT: usize = 78;
/// The same where it is one of its own: a name, a game and its id have room, and nothing that names the game is cut off.
const LONGEST: usize = 160;
/// How much of the actions a subject shows at least, in characters.
const ACTIONS: usize = 16;
/// How much of a name is shown, in characters.
const NAME: usize = 100;
/// How much of a side's name is shown, in characters.
const SIDE: usize = 24;
/// How many of the latest letters `References` names in addition to the first.
const REFERENCES: usize = 20;
/// The longest Message-ID of others that is used, in bytes: it fits a header line with room to spare.
const MAX_MESSAGE_ID: usize = 250;
/// What stands for the record in a letter that is being made. It occurs in no text, because that is encoded or shown.
const RECORD: u8 = 0;
/// The bytes of a line of base64 (RFC 2045, 6.8), and how many lines are written together.
const LINE: usize = 57;
const LINES: usize = 512;
/// The first second that cannot be written as a mail date: the start of the year 10000.
const END_OF_DATES: u64 = 253_402_300_800;

/// A name with an address.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// The name; may be empty. Anything that could break a header or control a terminal is removed.
    pub name: &'a str,
    pub address: &'a str,
}

/// What goes into a letter.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a, 'r> {
    /// Who sends it.
    pub from: Party<'a>,
    /// Who gets it.
    pub to: Party<'a>,
    /// The game's id. It must have the form `[a-z0-9-]{8,64}`; any other is refused.
    pub game: &'a str,
    /// The number of the entry that the letter is about; 0 for an invitation, when there is no entry yet.
    pub entry: u32,
    /// The subject of its own that it has: that of an invitation, or of the thread that it stays in because it answers a letter that a
    /// person wrote.
    pub thread: Option<&'a str>,
    /// The name of the side that made it; may be empty.
    pub side: &'a str,
    /// The entry's actions; may be empty.
    pub actions: &'a str,
    /// The hash of the record up to that entry, which is the same for everyone with that record.
    pub digest: [u8; 32],
    /// The Message-IDs of the game's earlier letters, oldest first, with angle brackets. Those that are not well formed
    /// are skipped.
    pub earlier: &'a [String],
    /// When it is written, to the second.
    pub date: DateTime<Utc>,
    /// The text for people.
    pub text: &'a str,
    /// The same as HTML with a picture, if it has one.
    pub html: Option<&'a Html>,
    /// The record, byte for byte.
    pub record: &'r [u8],
    /// Whether the record is attached. A letter with the new entries as a block (B1) needs no attachment.
    pub attached: bool,
    /// The game as a web page, if the letter carries one.
    pub page: Option<&'a str>,
    /// Whether it was sent automatically, with a forced entry.
    pub auto: bool,
    /// The token that proves that the opponent's answer comes from the recipient.
    pub seat: Seat<'a>,
}

/// A letter ready to be sent.
#[derive(Clone, Debug)]
pub struct Message<'r> {
    /// The letter, with [`RECORD`] in place of the record, which may be large and is encoded only as it is written.
    mail: Content,
    record: &'r [u8],
    game: String,
    entry: u32,
    to: String,
    local: String,
    /// What distinguishes its file name from that of the letter about the same entry.
    mark: &'static str,
}

/// What a letter is made of.
#[derive(Clone, Debug)]
enum Content {
    /// Its parts.
    Made(Box<lettre::Message>),
    /// Bytes that were kept, its sender and its recipient.
    Kept(Vec<u8>, lettre::address::Envelope),
}

/// Why no letter could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LetterError {
    /// The sender's address is not valid.
    #[error("the sender: {0}")]
    From(AddressError),
    /// The recipient's address is not valid.
    #[error("the recipient: {0}")]
    To(AddressError),
    /// The game's id is not well formed.
    #[error("a game's id is 8 to 64 characters of a-z, 0-9 and `-`")]
    GameId,
    /// The date is before 1970 or after 9999.
    #[error("a letter's date lies between the years 1970 and 9999")]
    Date,
    /// The mail library refused it.
    #[error("no letter can be made of this: {0}")]
    Refused(String),
}

/// Returns the Message-ID of the letter about entry `entry` of the game `game`, with angle brackets. `digest` is the
/// hash of the record up to that entry.
#[must_use]
pub fn message_id(game: &str, entry: u32, digest: &[u8; 32]) -> String {
    format!("<{}@{DOMAIN}>", local_part(game, entry, digest))
}

/// Returns the Message-ID of the letter with the secrets of a finished game, whose last entry is `entry`.
#[must_use]
pub fn secrets_id(game: &str, entry: u32, digest: &[u8; 32]) -> String {
    format!("<{}{SECRETS}@{DOMAIN}>", local_part(game, entry, digest))
}

/// Returns the Message-ID of a letter with a receipt for `entry` (Z35).
#[must_use]
pub fn receipt_id(game: &str, entry: u32, digest: &[u8; 32]) -> String {
    format!("<{}{RECEIPT}@{DOMAIN}>", local_part(game, entry, digest))
}

/// Returns whether a Message-ID is that of a reminder.
#[must_use]
pub fn is_reminder(message_id: &str) -> bool {
    message_id.contains(".reminder@")
}

/// Returns whether a Message-ID is that of a letter with a receipt.
#[must_use]
pub fn is_receipt_id(message_id: &str) -> bool {
    // No game's id holds a point.
    message_id.contains(".receipt@")
}

/// Returns whether a Message-ID, without angle brackets, is that of a letter of this program.
#[must_use]
pub fn is_ours(message_id: &str) -> bool {
    message_id.rsplit_once('@').is_some_and(|(_, domain)| domain.eq_ignore_ascii_case(DOMAIN))
}

/// Returns whether a Message-ID, without angle brackets, is that of a letter of a host.
#[must_use]
pub fn is_of_host(message_id: &str) -> bool {
    is_ours(message_id) && message_id.contains(HOSTED)
}

/// The name of the page that goes along with a game's letter.
#[must_use]
pub fn page_name(game: &str) -> String {
    format!("{game}.html")
}

fn local_part(game: &str, entry: u32, digest: &[u8; 32]) -> String {
    format!("{game}.{entry}.{}", short_hex(digest))
}

/// Returns the first 16 hexadecimal digits of a digest, as used in Message-IDs and in the subjects of links.
#[must_use]
pub fn short_hex(digest: &[u8; 32]) -> String {
    HEXLOWER.encode(digest.first_chunk::<8>().map_or(&[], |chunk| chunk.as_slice()))
}

/// Returns the subject of a letter: `[pbem] <id> #<n> <side>: <actions>`, with the actions shortened to fit.
#[must_use]
pub fn subject(game: &str, entry: u32, side: &str, actions: &str) -> String {
    let mut subject = format!("[pbem] {game} #{entry}");
    let side = shorten(&one_line(side), SIDE);
    if !side.is_empty() {
        subject.push(' ');
        subject.push_str(&side);
    }
    let actions = sheet::shortened(&one_line(actions), "\u{2026}");
    if !actions.is_empty() {
        subject.push_str(": ");
        let room = SUBJECT.saturating_sub(subject.chars().count()).max(ACTIONS);
        subject.push_str(&shorten(&actions, room));
    }
    subject
}

/// Returns the subject of a letter that invites somebody: `<name> invites you to a game of <title> [pbem] <id> #<n>`.
#[must_use]
pub fn invitation(name: &str, title: &str, game: &str, entry: u32) -> String {
    // Nothing in a name may look like the mark that names the game.
    let name = shorten(&one_line(&name.replace(['[', ']'], " ")), SIDE);
    let invites = match name.as_str() {
        "" => "An invitation".to_owned(),
        name => format!("{name} invites you"),
    };
    format!("{invites} to a game of {title} {}", subject(game, entry, "", ""))
}

impl<'r> Letter<'_, 'r> {
    /// Returns the Message-ID, with angle brackets.
    #[must_use]
    pub fn message_id(&self) -> String {
        message_id(self.game, self.entry, &self.digest)
    }

    /// Returns the subject: `[pbem] <id> #<n> <side>: <actions>`, with the actions shortened to fit.
    #[must_use]
    pub fn subject(&self) -> String {
        self.thread.map_or_else(|| self.subject_of_entry(), |thread| shorten(&one_line(thread), LONGEST))
    }

    fn subject_of_entry(&self) -> String {
        subject(self.game, self.entry, self.side, self.actions)
    }

    /// Makes the letter.
    ///
    /// # Errors
    ///
    /// [`LetterError`]. Names, side, actions and text are never refused: what could break a header or control a
    /// terminal is removed or shown as a number.
    pub fn build(&self) -> Result<Message<'r>, LetterError> {
        self.assemble(&self.subject(), self.message_id(), "")
    }

    /// Makes a reminder of the entry that is due: the same parts in the same thread, with a subject and a Message-ID of
    /// its own. Each entry has only one.
    ///
    /// # Errors
    ///
    /// As [`Letter::build`].
    pub fn build_reminder(&self) -> Result<Message<'r>, LetterError> {
        let subject = format!("[pbem] {} #{}: a reminder", self.game, self.entry);
        self.assemble(&subject, format!("<{}{REMINDER}@{DOMAIN}>", self.local_part()), REMINDER)
    }

    /// Makes a letter with what was added to a record after the end of its game: the secrets of its seals. It is in the
    /// same thread, with its own subject and Message-ID.
    ///
    /// # Errors
    ///
    /// As [`Letter::build`].
    pub fn build_secrets(&self) -> Result<Message<'r>, LetterError> {
        let subject = format!("[pbem] {} #{}: the secrets of {}", self.game, self.entry, one_line(self.side));
        self.assemble(&subject, secrets_id(self.game, self.entry, &self.digest), SECRETS)
    }

    /// Makes a letter that brings a receipt for the last entry, in the same thread, with its own subject and Message-ID.
    ///
    /// # Errors
    ///
    /// As [`Letter::build`].
    pub fn build_receipt(&self) -> Result<Message<'r>, LetterError> {
        let subject = format!("[pbem] {} #{}: received ({})", self.game, self.entry, one_line(self.side));
        self.assemble(&subject, receipt_id(self.game, self.entry, &self.digest), RECEIPT)
    }

    /// Returns the Content-ID by which the HTML refers to its picture.
    #[must_use]
    pub fn content_id(game: &str, entry: u32, digest: &[u8; 32]) -> String {
        format!("{}.board@{DOMAIN}", local_part(game, entry, digest))
    }

    fn local_part(&self) -> String {
        local_part(self.game, self.entry, &self.digest)
    }

    fn assemble(&self, subject: &str, message_id: String, mark: &'static str) -> Result<Message<'r>, LetterError> {
        if !is_game_id(self.game) {
            return Err(LetterError::GameId);
        }
        let mut builder = begun(&self.from, &self.to, self.date, subject)?.header(MessageId::from(message_id.clone()));
        let earlier: Vec<&str> =
            self.earlier.iter().map(String::as_str).filter(|id| is_message_id(id) && *id != message_id).collect();
        if let Some(last) = earlier.last() {
            builder = builder.in_reply_to((*last).to_owned()).references(references(&earlier));
        }
        if self.auto {
            builder = builder.header(AutoSubmitted);
        }
        let builder = self.seat.fields().fold(builder, MessageBuilder::raw_header);
        let mail = if self.attached {
            builder.multipart(self.parts())
        } else {
            builder.singlepart(SinglePart::plain(body(self.text)))
        };
        let mail = mail.map_err(|error| LetterError::Refused(error.to_string()))?;
        Ok(Message {
            mail: Content::Made(Box::new(mail)),
            record: if self.attached { self.record } else { &[] },
            game: self.game.to_owned(),
            entry: self.entry,
            to: self.to.address.to_owned(),
            local: self.local_part() + mark,
            mark,
        })
    }

    /// The text for people, with the HTML and its picture as an alternative, followed by the record.
    fn parts(&self) -> MultiPart {
        let text = body(self.text);
        let page = self.html.map_or("", |html| &html.page);
        let boundary = |part: &str| self.boundary(part, &text, page);
        // Base64, because otherwise a mail program on the way could rewrap the record's lines.
        let record = Body::dangerous_pre_encoded(vec![RECORD], ContentTransferEncoding::Base64);
        let record = SinglePart::builder()
            .header(ContentType::TEXT_PLAIN)
            .header(ContentDisposition::attachment(&format!("{}.pbem", self.game)))
            .body(record);
        // No boundary is the beginning of another one.
        let mixed = MultiPart::mixed().boundary(boundary(if self.html.is_some() { "_all" } else { "" }));
        // After the record, which programs should find first.
        let with_page = |mixed: MultiPart| match self.page {
            Some(page) => mixed.singlepart(self.attached(page)),
            None => mixed,
        };
        let Some(html) = self.html else {
            return with_page(mixed.singlepart(SinglePart::plain(text)).singlepart(record));
        };
        let id = Self::content_id(self.game, self.entry, &self.digest);
        let related = html.related(&id, boundary("_page"));
        let both = MultiPart::alternative()
            .boundary(boundary("_text"))
            .singlepart(SinglePart::plain(text.clone()))
            .multipart(related);
        with_page(mixed.multipart(both).singlepart(record))
    }

    /// Returns the page as an attached file.
    fn attached(&self, page: &str) -> SinglePart {
        // As bytes, because the line ends of a text would become CRLF.
        let page = page.as_bytes().to_vec();
        let body = Body::new_with_encoding(page, ContentTransferEncoding::Base64).unwrap_or_else(Body::new);
        SinglePart::builder()
            .header(ContentType::TEXT_HTML)
            .header(ContentDisposition::attachment(&page_name(self.game)))
            .body(body)
    }

    /// Returns a MIME boundary that does not occur in the text. It is derived and not random, so that the same letter
    /// has the same bytes; someone who predicts it and writes it into a comment only changes it.
    fn boundary(&self, part: &str, text: &str, page: &str) -> String {
        let stem = format!("=_{}{part}", short_hex(&self.digest));
        let mut boundary = stem.clone();
        let mut count = 0_u32;
        while text.contains(&boundary) || page.contains(&boundary) {
            count = count.saturating_add(1);
            boundary = format!("{stem}_{count}_");
        }
        boundary
    }
}

impl Message<'_> {
    /// Makes a letter without a record, about an entry that is asked for again. `local` must be usable as a file name.
    pub(super) fn notice(mail: lettre::Message, game: &str, entry: u32, to: &str, local: String) -> Self {
        let mail = Content::Made(Box::new(mail));
        Self { mail, record: &[], game: game.to_owned(), entry, to: to.to_owned(), local, mark: NOTICE }
    }

    /// Makes a letter of bytes that were kept, with CRLF line ends. `local` is the part of its Message-ID before the `@` and must be usable
    /// as a file name.
    ///
    /// # Errors
    /// If an address is not valid.
    pub fn kept(bytes: Vec<u8>, from: &str, to: &str, local: &str) -> Result<Message<'static>, LetterError> {
        let sender = parse_address(from).map_err(LetterError::From)?;
        let recipient = parse_address(to).map_err(LetterError::To)?;
        let envelope = lettre::address::Envelope::new(Some(sender), vec![recipient])
            .map_err(|error| LetterError::Refused(error.to_string()))?;
        Ok(Message {
            mail: Content::Kept(bytes, envelope),
            record: &[],
            game: local.to_owned(),
            entry: 0,
            to: to.to_owned(),
            local: local.to_owned(),
            mark: "",
        })
    }

    /// Returns the bytes of the letter as they are sent to a mail server, with CRLF line ends.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A vector takes everything.
        let _ = self.write_to(&mut bytes);
        bytes
    }

    /// Returns how many these bytes are.
    #[must_use]
    pub fn length(&self) -> usize {
        let mut counted = Counted(0);
        // Counting takes everything.
        let _ = self.write_to(&mut counted);
        counted.0
    }

    /// Writes these bytes piece by piece, so that they are never in memory together.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let letter = match &self.mail {
            Content::Made(mail) => mail.formatted(),
            Content::Kept(bytes, _) => return out.write_all(bytes),
        };
        // Nothing behind the record but the page, in base64 too.
        let Some(place) = memchr::memrchr(RECORD, &letter) else { return out.write_all(&letter) };
        let (before, after) = letter.split_at(place);
        out.write_all(before)?;
        let mut lines = String::with_capacity(LINES * (LINE / 3 * 4 + 2));
        for (nth, piece) in self.record.chunks(LINES * LINE).enumerate() {
            lines.clear();
            for (line, bytes) in piece.chunks(LINE).enumerate() {
                if nth + line > 0 {
                    lines.push_str("\r\n");
                }
                BASE64.encode_append(bytes, &mut lines);
            }
            out.write_all(lines.as_bytes())?;
        }
        out.write_all(after.get(1..).unwrap_or_default())
    }

    /// Returns the Message-ID, with angle brackets.
    #[must_use]
    pub fn message_id(&self) -> String {
        format!("<{}@{DOMAIN}>", self.local)
    }

    /// Returns the part of the Message-ID before the `@`. It consists of `a` to `z`, `0` to `9`, `-` and `.`, so it is
    /// safe as a file name.
    #[must_use]
    pub fn local_part(&self) -> &str {
        &self.local
    }

    /// Returns the name of a file for it. It depends only on the game, the entry and what the letter is, so a letter that is
    /// sent again replaces the first.
    #[must_use]
    pub fn file_name(&self) -> String {
        match self.mail {
            // There may be several about one entry, to either player.
            Content::Made(_) if self.mark == NOTICE => format!("{}.eml", self.local),
            Content::Made(_) => format!("{}.{}{}.eml", self.game, self.entry, self.mark),
            Content::Kept(..) => format!("{}.eml", self.local),
        }
    }

    /// Returns the game's id.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Returns the number of the entry; 0 for an invitation.
    #[must_use]
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// Returns the recipient's address.
    #[must_use]
    pub fn to(&self) -> &str {
        &self.to
    }

    /// Returns the sender and recipient, for the transport.
    pub fn envelope(&self) -> &lettre::address::Envelope {
        match &self.mail {
            Content::Made(mail) => mail.envelope(),
            Content::Kept(_, envelope) => envelope,
        }
    }
}

/// Counts the bytes that are written to it.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `Auto-Submitted: auto-replied` (RFC 3834): programs do not answer such a letter with a notice.
#[derive(Clone)]
pub(super) struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-replied".to_owned())
    }
}

pub(super) fn is_message_id(id: &str) -> bool {
    let inner = id.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    id.len() <= MAX_MESSAGE_ID
        && inner.is_some_and(|inner| {
            inner.contains('@') && inner.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'))
        })
}

/// Names the first letter and the latest ones, so that a long game stays in one thread without an endless header.
fn references(earlier: &[&str]) -> String {
    match earlier {
        [first, ..] if earlier.len() > REFERENCES + 1 => {
            let latest = earlier.get(earlier.len() - REFERENCES..).unwrap_or_default();
            format!("{first} {}", latest.join(" "))
        }
        all => all.join(" "),
    }
}

/// Begins a message: who writes to whom, when, and about what. The subject is one line.
pub(super) fn begun(
    from: &Party<'_>,
    to: &Party<'_>,
    when: DateTime<Utc>,
    subject: &str,
) -> Result<MessageBuilder, LetterError> {
    let sender = parse_address(from.address).map_err(LetterError::From)?;
    let recipient = parse_address(to.address).map_err(LetterError::To)?;
    let envelope = Envelope::new(Some(sender.clone()), vec![recipient.clone()])
        .map_err(|error| LetterError::Refused(error.to_string()))?;
    Ok(lettre::Message::builder()
        .envelope(envelope)
        .date(date(when)?)
        .from(Mailbox::new(name(from.name), sender))
        .to(Mailbox::new(name(to.name), recipient))
        .subject(subject.to_owned()))
}

fn date(date: DateTime<Utc>) -> Result<SystemTime, LetterError> {
    let seconds = u64::try_from(date.timestamp()).ok().filter(|seconds| *seconds < END_OF_DATES);
    Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.ok_or(LetterError::Date)?))
}

fn name(name: &str) -> Option<String> {
    Some(shorten(&one_line(name), NAME)).filter(|name| !name.is_empty())
}

/// Returns whether `c` controls a terminal or the direction of writing rather than being shown.
fn steers(c: char) -> bool {
    matches!(printable(c.encode_utf8(&mut [0; 4])), Cow::Owned(_))
}

/// Makes text safe for a header: control characters and direction marks become spaces, runs of spaces are collapsed,
/// and nothing is left that looks like an encoded word, which the reader's program would decode.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if steers(c) { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").replace("=?", "= ?")
}

/// Makes text safe for the body of a letter: lines are kept, and everything else that could control a terminal is shown
/// as a number.
pub(super) fn body(text: &str) -> String {
    let mut body = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        body.push_str(&printable(&line.replace('\t', "    ")));
        body.push('\n');
    }
    body
}

/// Returns `text`, or its beginning followed by `…`, in at most `room` characters.
fn shorten(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}
