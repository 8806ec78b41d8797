//! An answer to a reply that was not understood: a draft that the player sends, changes or throws away, or a letter
//! that the program sends on its own.

use chrono::{DateTime, Utc};
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{MultiPart, SinglePart};
use mail_parser::MimeHeaders as _;
use sha2::{Digest as _, Sha256};

use super::letter::{
    AutoSubmitted, DOMAIN, LetterError, Message, Party, QUESTION, begun, body, is_message_id, one_line,
};
use super::markup::Html;
use crate::address::parse_address;

/// A letter about a reply.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// Who sends it.
    pub from: Party<'a>,
    /// Who gets it.
    pub to: Party<'a>,
    pub subject: &'a str,
    /// The message that it answers, with angle brackets.
    pub answers: Option<&'a str>,
    /// The letter of the game that stands before it in the thread, with angle brackets.
    pub thread: Option<&'a str>,
    /// When it is written.
    pub when: DateTime<Utc>,
    /// What it says.
    pub text: &'a str,
    /// The same as HTML with a picture.
    pub html: Option<&'a Html>,
    /// The Content-ID of the picture.
    pub cid: &'a str,
}

impl Draft<'_> {
    fn builder(&self) -> Result<lettre::message::MessageBuilder, LetterError> {
        let mut builder = begun(&self.from, &self.to, self.when, &one_line(self.subject))?;
        let answers = self.answers.filter(|id| is_message_id(id));
        if let Some(answers) = answers {
            builder = builder.in_reply_to(answers.to_owned());
        }
        let all: Vec<&str> = self.thread.filter(|id| is_message_id(id)).into_iter().chain(answers).collect();
        if !all.is_empty() {
            builder = builder.references(all.join(" "));
        }
        Ok(builder)
    }

    fn finished(&self, builder: lettre::message::MessageBuilder) -> Result<lettre::Message, LetterError> {
        let refused = |error: lettre::error::Error| LetterError::Refused(error.to_string());
        let Some(html) = self.html else {
            return builder.header(ContentType::TEXT_PLAIN).body(body(self.text)).map_err(refused);
        };
        // `=_` occurs in no encoded text, and where a text is not encoded, nobody knows these.
        let boundary = |part: &str| format!("=_{}.{part}", self.when.timestamp());
        let related = html.related(self.cid, boundary("page"));
        let both = MultiPart::alternative()
            .boundary(boundary("text"))
            .singlepart(SinglePart::plain(body(self.text)))
            .multipart(related);
        builder.multipart(both).map_err(refused)
    }
}

/// Makes a draft. It has no Message-ID of its own; the mail program that sends it adds one.
///
/// # Errors
/// If an address is not valid, or the date is before 1970 or after 9999.
pub fn draft(draft: &Draft<'_>) -> Result<Vec<u8>, LetterError> {
    Ok(draft.finished(draft.builder()?.header(Unsent))?.formatted())
}

/// Makes the same as a letter for the transport, marked as sent by a program (RFC 3834). `about` is the Message-ID, with angle
/// brackets, of the letter about the position that it shows, to which replies refer; `game` is a validated id, `entry` the number of the
/// entry that is asked for, and `nth` counts such letters about it.
///
/// # Errors
/// As [`draft`].
pub fn notice(
    draft: &Draft<'_>,
    about: &str,
    (game, entry, nth): (&str, u32, usize),
) -> Result<Message<'static>, LetterError> {
    let sender = parse_address(draft.from.address).map_err(LetterError::From)?;
    let recipient = parse_address(draft.to.address).map_err(LetterError::To)?;
    let refused = |error: &dyn std::fmt::Display| LetterError::Refused(error.to_string());
    let envelope = lettre::address::Envelope::new(Some(sender), vec![recipient]).map_err(|error| refused(&error))?;
    let stem = about.trim_start_matches('<').split('@').next().unwrap_or_default();
    let id = format!("<{stem}{QUESTION}{nth}-{}@{DOMAIN}>", draft.when.timestamp());
    let builder = draft.builder()?.envelope(envelope).message_id(Some(id)).header(AutoSubmitted);
    let mail = draft.finished(builder)?;
    Ok(Message::notice(mail, game, entry, draft.to.address, format!("{game}.{entry}.question-{nth}")))
}

/// Makes a letter that declines the game with this validated id, written by its player (and so not marked as sent by a program);
/// `entries` is how many the invitation had.
///
/// # Errors
/// As [`draft`].
pub fn declined(draft: &Draft<'_>, game: &str, entries: u32) -> Result<Message<'static>, LetterError> {
    let sender = parse_address(draft.from.address).map_err(LetterError::From)?;
    let recipient = parse_address(draft.to.address).map_err(LetterError::To)?;
    let refused = |error: &dyn std::fmt::Display| LetterError::Refused(error.to_string());
    let envelope = lettre::address::Envelope::new(Some(sender), vec![recipient]).map_err(|error| refused(&error))?;
    // The same each time, so that it is sent once.
    let id = format!("<{game}.declined@{DOMAIN}>");
    let mail = draft.finished(draft.builder()?.envelope(envelope).message_id(Some(id)))?;
    Ok(Message::notice(mail, game, entries, draft.to.address, format!("{game}.declined")))
}

/// A draft that was written earlier, to be sent as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reread {
    /// Its sender's and recipient's names and addresses.
    pub from: (String, String),
    /// The recipient.
    pub to: (String, String),
    pub subject: String,
    /// The message that it answers, with angle brackets.
    pub answers: Option<String>,
    /// The letter of the game before it in the thread, with angle brackets.
    pub thread: Option<String>,
    /// Its text, as the player may have changed it.
    pub text: String,
    /// Its HTML and picture.
    pub html: Option<Html>,
    /// The Content-ID of the picture.
    pub cid: String,
}

/// Reads a draft that [`draft`] made; `None` if it is not one any more.
#[must_use]
pub fn reread(bytes: &[u8]) -> Option<Reread> {
    let mail = mail_parser::MessageParser::default().parse(bytes)?;
    let party = |address: Option<&mail_parser::Address<'_>>| {
        let one = address?.first()?;
        Some((one.name().unwrap_or_default().to_owned(), one.address()?.to_owned()))
    };
    let ids = |value: &mail_parser::HeaderValue<'_>| -> Vec<String> {
        let many = value.as_text_list().map(|list| list.iter().map(|id| format!("<{id}>")).collect());
        many.or_else(|| Some(vec![format!("<{}>", value.as_text()?)])).unwrap_or_default()
    };
    let answers = ids(mail.in_reply_to()).into_iter().next();
    let thread = ids(mail.references()).into_iter().find(|id| Some(id) != answers.as_ref());
    let is_picture = |part: &&mail_parser::MessagePart<'_>| {
        part.content_type().is_some_and(|kind| kind.ctype() == "image" && kind.subtype() == Some("png"))
    };
    let mut pictures = mail.parts.iter().filter(is_picture);
    let picture = pictures.next();
    // A draft of an older version has no picture for dark screens.
    let dark = pictures.next().map(|part| part.contents().to_vec()).unwrap_or_default();
    let html = picture.zip(mail.html_part(0)).and_then(|(picture, page)| {
        Some(Html { page: page.text_contents()?.to_owned(), picture: picture.contents().to_vec(), dark })
    });
    Some(Reread {
        from: party(mail.from())?,
        to: party(mail.to())?,
        subject: mail.subject().unwrap_or_default().to_owned(),
        answers,
        thread,
        text: mail.body_text(0)?.into_owned(),
        html,
        cid: picture.and_then(|part| part.content_id()).unwrap_or_default().to_owned(),
    })
}

/// A short name for what a letter says, by which the same mistake is recognised.
#[must_use]
pub fn mistake(why: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(why.as_bytes()).into();
    super::letter::short_hex(&digest)
}

/// `X-Unsent: 1`, which makes mail programs open the file as a letter to be sent.
#[derive(Clone)]
struct Unsent;

impl Header for Unsent {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("X-Unsent")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "1".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_not_sent_yet_and_nothing_in_it_breaks_its_header() {
        let party = |name, address| Party { name, address };
        let one = Draft {
            from: party("Ada", "ada@example.org"),
            to: party("Bram\r\nBcc: x@y.z", "bram@example.net"),
            subject: "Re: a\r\nBcc: x@y.z",
            answers: Some("<one@example.net>"),
            thread: Some("<zero@example.net>"),
            when: DateTime::from_timestamp(1_795_600_000, 0).unwrap(),
            text: "no\u{1b}[2J\n",
            html: None,
            cid: "",
        };
        let bytes = draft(&one).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("X-Unsent: 1\r\n") && text.contains("In-Reply-To: <one@example.net>\r\n"), "{text}");
        assert!(!text.contains("\r\nBcc") && !text.contains('\u{1b}') && !text.contains("Message-ID"), "{text}");
        assert!(draft(&Draft { from: party("", "x"), ..one }).is_err());
        let again = reread(text.as_bytes()).unwrap();
        assert_eq!((again.to.1.as_str(), again.answers.as_deref()), ("bram@example.net", Some("<one@example.net>")));
        assert_eq!((again.thread.as_deref(), again.html), (Some("<zero@example.net>"), None));
    }
}
