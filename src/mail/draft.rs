//! An answer to a reply that was not understood: a draft that the player sends, changes or throws away, or a letter
//! that the program sends on its own.

use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};

use super::letter::{AutoSubmitted, LetterError, Message, Party, body, date, name, one_line};
use crate::address::parse_address;

/// Makes a draft with a text, in answer to the message `answers` (a Message-ID with angle brackets). The draft has no
/// Message-ID of its own; the mail program that sends it adds one.
///
/// # Errors
/// If an address is not valid, or the date is before 1970 or after 9999.
pub fn draft(
    from: &Party<'_>,
    to: &Party<'_>,
    subject: &str,
    answers: Option<&str>,
    when: DateTime<Utc>,
    text: &str,
) -> Result<Vec<u8>, LetterError> {
    let sender = parse_address(from.address).map_err(LetterError::From)?;
    let recipient = parse_address(to.address).map_err(LetterError::To)?;
    let mut builder = lettre::Message::builder()
        .date(date(when)?)
        .from(Mailbox::new(name(from.name), sender))
        .to(Mailbox::new(name(to.name), recipient))
        .subject(one_line(subject))
        .header(Unsent)
        .header(ContentType::TEXT_PLAIN);
    if let Some(answers) = answers {
        builder = builder.in_reply_to(answers.to_owned()).references(answers.to_owned());
    }
    let mail = builder.body(body(text)).map_err(|error| LetterError::Refused(error.to_string()))?;
    Ok(mail.formatted())
}

/// Makes the same as a letter for the transport, marked as sent by a program (RFC 3834). `game` is a validated id,
/// `entry` the number of the entry that is asked for, and `nth` counts such letters about it.
///
/// # Errors
/// As [`draft`].
#[allow(clippy::too_many_arguments, reason = "each is one thing that a letter says")]
pub fn notice(
    from: &Party<'_>,
    to: &Party<'_>,
    subject: &str,
    answers: Option<&str>,
    when: DateTime<Utc>,
    text: &str,
    (game, entry, nth): (&str, u32, usize),
) -> Result<Message<'static>, LetterError> {
    let sender = parse_address(from.address).map_err(LetterError::From)?;
    let recipient = parse_address(to.address).map_err(LetterError::To)?;
    let refused = |error: &dyn std::fmt::Display| LetterError::Refused(error.to_string());
    let envelope = lettre::address::Envelope::new(Some(sender.clone()), vec![recipient.clone()])
        .map_err(|error| refused(&error))?;
    let local = format!("{game}.{entry}.question-{nth}");
    let mut builder = lettre::Message::builder()
        .envelope(envelope)
        .date(date(when)?)
        .from(Mailbox::new(name(from.name), sender))
        .to(Mailbox::new(name(to.name), recipient))
        .subject(one_line(subject))
        .message_id(Some(format!("<{local}.{}@{}>", when.timestamp(), super::letter::DOMAIN)))
        .header(AutoSubmitted)
        .header(ContentType::TEXT_PLAIN);
    if let Some(answers) = answers {
        builder = builder.in_reply_to(answers.to_owned()).references(answers.to_owned());
    }
    let mail = builder.body(body(text)).map_err(|error| refused(&error))?;
    Ok(Message::notice(mail, game, entry, to.address, local))
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
        let bytes = draft(
            &party("Ada", "ada@example.org"),
            &party("Bram\r\nBcc: x@y.z", "bram@example.net"),
            "Re: a\r\nBcc: x@y.z",
            Some("<one@example.net>"),
            DateTime::from_timestamp(1_795_600_000, 0).unwrap(),
            "no\u{1b}[2J\n",
        )
        .unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("X-Unsent: 1\r\n") && text.contains("In-Reply-To: <one@example.net>\r\n"), "{text}");
        assert!(!text.contains("\r\nBcc") && !text.contains('\u{1b}') && !text.contains("Message-ID"), "{text}");
        assert!(draft(&party("", "x"), &party("", "a@b.c"), "", None, DateTime::UNIX_EPOCH, "").is_err());
    }
}
