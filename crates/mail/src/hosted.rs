//! A letter of a host, put together of its parts: text, HTML, what is attached, and the lines at the top that say that a program wrote it
//! and how to be written to no more. Pure.

use chrono::{DateTime, Utc};
use lettre::message::header::{
    ContentDisposition, ContentTransferEncoding, ContentType, HeaderName, HeaderValue, MessageId,
};
use lettre::message::{Attachment, Body, MultiPart, SinglePart};

use super::letter::{AutoSubmitted, DOMAIN, HOSTED, LetterError, Party, begun, body, is_message_id, one_line};
use super::markup::Html;
use super::taps::encoded;

/// An attachment of a letter.
#[derive(Clone, Copy, Debug)]
pub struct Attached<'a> {
    /// The name of the file, of `a` to `z`, `0` to `9`, `-` and `.`.
    pub name: &'a str,
    /// Whether it is a page, and not text.
    pub is_page: bool,
    /// What is in it.
    pub bytes: &'a [u8],
}

/// A letter of a host.
#[derive(Clone, Debug)]
pub struct HostLetter<'a> {
    /// The host, with the address for replies.
    pub from: Party<'a>,
    /// Who gets it.
    pub to: Party<'a>,
    pub subject: &'a str,
    /// The part of its Message-ID before the `@`: see [`hosted_id`].
    pub local: &'a str,
    /// The Message-IDs of the letters before it in the thread, with angle brackets, oldest first.
    pub thread: &'a [String],
    /// When it is written.
    pub when: DateTime<Utc>,
    /// What it says.
    pub text: &'a str,
    /// The same as HTML; its picture may be empty.
    pub html: Option<&'a Html>,
    /// The Content-ID of the picture.
    pub cid: &'a str,
    /// What is attached.
    pub attached: &'a [Attached<'a>],
}

/// Returns the part of a Message-ID before the `@` for a letter of a host. `stem` is that of the letter about a position, or any words of
/// `a` to `z`, `0` to `9`, `-` and `.`; `mark`, of the same signs, tells the letters apart.
#[must_use]
pub fn hosted_id(stem: &str, mark: &str) -> String {
    let stem = stem.trim_start_matches('<').split('@').next().unwrap_or_default();
    format!("{stem}{HOSTED}{mark}")
}

impl HostLetter<'_> {
    /// Returns the Message-ID, with angle brackets.
    #[must_use]
    pub fn message_id(&self) -> String {
        format!("<{}@{DOMAIN}>", self.local)
    }

    /// Makes its bytes, with CRLF line ends: the same each time.
    ///
    /// # Errors
    /// If an address is not valid, or the date is before 1970 or after 9999.
    pub fn bytes(&self) -> Result<Vec<u8>, LetterError> {
        let mut builder = begun(&self.from, &self.to, self.when, &one_line(self.subject))?
            .header(MessageId::from(self.message_id()))
            .header(AutoSubmitted);
        let thread: Vec<&str> = self.thread.iter().map(String::as_str).filter(|id| is_message_id(id)).collect();
        if let Some(last) = thread.last() {
            builder = builder.in_reply_to((*last).to_owned()).references(thread.join(" "));
        }
        let stop = format!("<mailto:{}?subject=never%20write%20to%20me%20again>", encoded(self.from.address));
        for (field, value) in [("List-Unsubscribe", stop), ("Precedence", "bulk".to_owned())] {
            builder = builder.raw_header(HeaderValue::new(HeaderName::new_from_ascii_str(field), value));
        }
        let refused = |error: lettre::error::Error| LetterError::Refused(error.to_string());
        let text = body(self.text);
        let mail = match (self.html, self.attached) {
            (None, []) => builder.header(ContentType::TEXT_PLAIN).body(text).map_err(refused)?,
            (None, attached) => {
                let mixed = MultiPart::mixed().boundary(self.boundary("all", &text));
                let mixed = mixed.singlepart(SinglePart::plain(text));
                builder.multipart(with(mixed, attached)).map_err(refused)?
            }
            (Some(html), attached) => {
                let both = MultiPart::alternative().boundary(self.boundary("text", &text));
                let both = both.singlepart(SinglePart::plain(text.clone()));
                let both = match html.picture.is_empty() {
                    true => both.singlepart(SinglePart::html(html.page.clone())),
                    false => both.multipart(html.related(self.cid, self.boundary("page", &text))),
                };
                let all = match attached {
                    [] => both,
                    attached => {
                        with(MultiPart::mixed().boundary(self.boundary("all", &text)).multipart(both), attached)
                    }
                };
                builder.multipart(all).map_err(refused)?
            }
        };
        Ok(mail.formatted())
    }

    /// A boundary that occurs in none of the texts. It is derived, so that the letter has the same bytes each time.
    fn boundary(&self, part: &str, text: &str) -> String {
        let page = self.html.map_or("", |html| &html.page);
        let mut boundary = format!("=_{part}");
        let mut count = 0_u32;
        // Neither does a boundary begin like another.
        while text.contains(&boundary) || page.contains(&boundary) {
            count = count.saturating_add(1);
            boundary = format!("=_{part}_{count}_");
        }
        boundary
    }
}

/// Adds what is attached.
fn with(mixed: MultiPart, attached: &[Attached<'_>]) -> MultiPart {
    attached.iter().fold(mixed, |mixed, one| {
        let body = Body::new_with_encoding(one.bytes.to_vec(), ContentTransferEncoding::Base64);
        let body = body.unwrap_or_else(Body::new);
        mixed.singlepart(match one.is_page {
            true => Attachment::new(one.name.to_owned()).body(body, ContentType::TEXT_HTML),
            false => SinglePart::builder()
                .header(ContentType::TEXT_PLAIN)
                .header(ContentDisposition::attachment(one.name))
                .body(body),
        })
    })
}
