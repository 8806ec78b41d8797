//! Header lines that must be read more exactly, or more forgivingly, than for display: the ids that a message names, and whether a
//! program sent it.

use mail_parser::{Message, MessageParser};

use super::contents::REPORTS;
use super::trace::without_comments;

/// The longest Message-ID that is used, in bytes.
const MAX_ID: usize = 250;
/// How many of the letters that a message answers are considered.
const MAX_ANSWERS: usize = 200;
/// Header lines by which a list shows itself (RFC 2369, RFC 2919).
const LISTS: [&str; 3] = ["list-id", "list-post", "list-unsubscribe"];

/// The raw value of a header line; if there are several, of the first.
pub(super) fn raw<'a>(message: &'a Message<'_>, name: &str) -> Option<&'a str> {
    message.headers_raw().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// What a message answers: `In-Reply-To`, then `References` from its end, where the nearest ones are.
pub(super) fn answers(message: &Message<'_>) -> Vec<String> {
    let of = |name: &str| raw(message, name).map(ids).unwrap_or_default();
    let mut list = of("in-reply-to");
    list.extend(of("references").into_iter().rev());
    list.truncate(MAX_ANSWERS);
    list
}

pub(super) fn own_id(message: &Message<'_>) -> Option<String> {
    raw(message, "message-id").and_then(|value| ids(value).into_iter().next())
}

/// The Message-IDs in a header line, without angle brackets. Some programs encode the line as if it were words, and some break it within
/// an id.
fn ids(value: &str) -> Vec<String> {
    let decoded = value.contains("=?").then(|| words(value)).flatten();
    let value = decoded.as_deref().unwrap_or(value);
    let mut found = Vec::new();
    let mut rest = value;
    while let Some((_, behind)) = rest.split_once('<') {
        let Some((id, after)) = behind.split_once('>') else { break };
        // An angle bracket that was opened twice begins anew.
        found.extend(fit(id.rsplit('<').next().unwrap_or(id)));
        rest = after;
    }
    if found.is_empty() {
        found.extend(value.split_whitespace().filter(|word| word.contains('@')).filter_map(fit));
    }
    found
}

/// The text of a header line whose words are encoded (RFC 2047).
fn words(value: &str) -> Option<String> {
    let line = format!("Subject: {}\r\n\r\n", value.trim());
    let message = MessageParser::default().parse_headers(line.as_bytes())?;
    message.subject().map(str::to_owned)
}

fn fit(id: &str) -> Option<String> {
    let id: String = id.split_whitespace().collect();
    let fits = !id.is_empty()
        && id.len() <= MAX_ID
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'{' | b'}'));
    fits.then_some(id)
}

/// Returns whether a program sent it automatically: as the standard says it (RFC 3834), as older programs do, or because it reports what
/// became of another message.
pub(super) fn is_auto(message: &Message<'_>) -> bool {
    let word = |name: &str| word(message, name);
    let says = |name: &str| word(name).is_some_and(|value| !value.is_empty() && value != "no");
    says("auto-submitted")
        || says("x-autoreply")
        || says("x-autorespond")
        || word("precedence").is_some_and(|value| value == "auto_reply")
        || word("return-path").is_some_and(|value| value == "<>")
        || is_report(message)
}

/// Returns whether it says that it was sent to many and names no list. Older programs mark so what they answer, and some lists what people
/// write there.
pub(super) fn is_bulk_of_no_list(message: &Message<'_>) -> bool {
    word(message, "precedence").is_some_and(|value| matches!(value.as_str(), "bulk" | "junk"))
        && !LISTS.iter().any(|name| raw(message, name).is_some())
}

/// The word with which a header line begins, in lower case: behind it there may be parameters, and comments anywhere.
fn word(message: &Message<'_>, name: &str) -> Option<String> {
    raw(message, name).map(|value| {
        let value = without_comments(value);
        value.split(';').next().unwrap_or_default().trim().trim_matches('"').to_ascii_lowercase()
    })
}

/// Returns whether it says that it was sent to many, as lists mark what people write there, and some programs what they answer.
pub(super) fn is_bulk(message: &Message<'_>) -> bool {
    raw(message, "precedence")
        .is_some_and(|value| ["bulk", "junk", "list"].iter().any(|word| value.trim().eq_ignore_ascii_case(word)))
}

/// Returns whether it reports what became of another message: that it was read (RFC 8098), was not delivered (RFC 3464), or the like.
fn is_report(message: &Message<'_>) -> bool {
    use mail_parser::MimeHeaders as _;
    message.content_type().is_some_and(|kind| {
        let is = |main: &str, sub: &[&str]| {
            kind.ctype().eq_ignore_ascii_case(main)
                && kind.subtype().is_some_and(|found| sub.iter().any(|one| found.eq_ignore_ascii_case(one)))
        };
        is("multipart", &["report"]) || is("message", &REPORTS)
    })
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn ids_are_found_though_they_are_encoded_or_broken() {
        for (value, expected) in [
            ("<a.1@x.y>", &["a.1@x.y"][..]),
            (" <a.1@x.y>\r\n\t<b.2@x.y>", &["a.1@x.y", "b.2@x.y"]),
            ("<a.1\r\n @x.y>", &["a.1@x.y"]),
            ("=?utf-8?q?=3Ca.1=40x.y=3E?=", &["a.1@x.y"]),
            ("=?utf-8?b?PGEuMUB4Lnk+?=\r\n =?utf-8?q?=3Cb.2=40x.y=3E?=", &["a.1@x.y", "b.2@x.y"]),
            ("a.1@x.y", &["a.1@x.y"]),
            ("Your letter of Monday <a.1@x.y>", &["a.1@x.y"]),
            ("<<a.1@x.y>>", &["a.1@x.y"]),
            ("<a{1}@x.y> <\u{e4}@x.y>", &[]),
            ("<a.1@x.y", &[]),
            ("Ada", &[]),
        ] {
            assert_eq!(ids(value), expected, "{value:?}");
        }
    }

    #[test]
    fn what_a_program_sent_is_told_from_what_a_person_wrote() {
        for (line, auto) in [
            ("Auto-Submitted: no", false),
            ("Auto-Submitted: No (a person wrote this)", false),
            ("Auto-Submitted: no; by=\"me\"", false),
            ("Auto-Submitted: (really) no", false),
            ("Auto-Submitted: auto-replied", true),
            ("Auto-Submitted: auto-generated; owner=\"no\"", true),
            ("X-Autoreply: yes", true),
            ("Precedence: bulk", true),
            ("Precedence: junk", true),
            ("Precedence: bulk\r\nList-Id: <chess.example.org>", false),
            ("Precedence: bulk\r\nList-Post: <mailto:chess@example.org>\r\nAuto-Submitted: auto-replied", true),
            ("Precedence: list", false),
            ("Precedence: auto_reply", true),
            ("Return-Path: <>", true),
            ("Content-Type: multipart/report; report-type=disposition-notification; boundary=x", true),
            ("Content-Type: message/disposition-notification", true),
            ("Content-Type: multipart/mixed; boundary=x", false),
        ] {
            let mail = read(format!("From: ada@example.org\r\n{line}\r\n\r\nc4-c5\r\n").as_bytes());
            assert_eq!(mail.auto, auto, "{line}");
        }
        assert!(read(b"Precedence: Bulk \r\nFrom: ada@example.org\r\n\r\nx\r\n").bulk);
    }
}
