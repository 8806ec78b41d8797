//! Reports that a message was not delivered (RFC 3464).

use mail_parser::{Message, MimeHeaders as _};

use super::mime;

/// How much of a report is looked at, in bytes.
const MOST: usize = 64 << 10;
/// How many addresses are taken from one.
const MOST_ADDRESSES: usize = 20;

/// The addresses that could not be reached for good; none if the message is no such report. A report that something is only late says
/// nothing.
pub(super) fn undelivered(message: &Message<'_>, bytes: &[u8]) -> Vec<String> {
    let is_report = message.content_type().is_some_and(|kind| {
        let of = kind.attribute("report-type").is_some_and(|of| of.eq_ignore_ascii_case("delivery-status"));
        kind.ctype().eq_ignore_ascii_case("multipart") && kind.subtype() == Some("report") && of
    });
    if !is_report {
        return Vec::new();
    }
    let (_, body) = mime::split(bytes);
    let body = String::from_utf8_lossy(body.get(..MOST).unwrap_or(body));
    // The part with the fields follows its own header, and each recipient is a group of lines.
    let Some((_, fields)) = split_once_ignoring_case(&body, "message/delivery-status") else { return Vec::new() };
    let fields = fields.split("\n--").next().unwrap_or_default();
    let mut found = Vec::new();
    for group in fields.replace('\r', "").split("\n\n") {
        let field = |name: &str| {
            group.lines().find_map(|line| {
                let (found, value) = line.split_once(':')?;
                found.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        if field("action").is_none_or(|action| !action.eq_ignore_ascii_case("failed")) {
            continue;
        }
        let recipient = field("original-recipient").or_else(|| field("final-recipient"));
        let address = recipient.and_then(|text| Some(text.split_once(';')?.1.trim().to_owned()));
        found.extend(address.filter(|address| address.contains('@') && found.len() < MOST_ADDRESSES));
    }
    found
}

/// Splits a text behind the first place of an ASCII word in any letter case.
fn split_once_ignoring_case<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = text.to_ascii_lowercase().find(word)?;
    Some((text.get(..at)?, text.get(at + word.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn only_what_failed_for_good_is_undelivered() {
        let report = |action: &str| {
            format!(
                "From: MAILER-DAEMON@mx.example.net\r\nTo: games+abc@example.com\r\nSubject: Undelivered Mail Returned to Sender\r\n\
                 Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary=\"xx\"\r\n\r\n--xx\r\n\r\nIt failed.\r\n\r\n\
                 --xx\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n\
                 Final-Recipient: rfc822; bram@example.net\r\nAction: {action}\r\nStatus: 5.1.1\r\n\r\n--xx--\r\n"
            )
        };
        assert_eq!(read(report("failed").as_bytes()).undelivered, ["bram@example.net"]);
        assert!(read(report("delayed").as_bytes()).undelivered.is_empty());
        assert!(read(report("failed").replace("report-type", "x").as_bytes()).undelivered.is_empty());
    }
}
