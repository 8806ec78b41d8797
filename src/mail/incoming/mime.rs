//! Splits a message into its parts without recursion, because a stranger may nest them as deep as he likes. Depth,
//! number and size are capped. The bytes of each part are decoded here, because a parser meant for display replaces
//! text that it cannot decode.

use data_encoding::BASE64;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders};
use memchr::{memchr, memmem};

use super::charset::decoded;
use super::contents::{Form, MAX_DEPTH, MAX_HEADER, MAX_PARTS, MAX_TEXT, Text, Unreadable};
use super::html::visible_text;

use crate::desk::block;
use crate::record::{LINE_LIMIT, RECORD_LIMIT};

/// The most records in one message, so that a stranger cannot send invitations in bulk.
const MAX_RECORDS: usize = 8;
/// The longest boundary, in bytes. The standard says 70.
const MAX_BOUNDARY: usize = 250;

/// What was found in the parts.
#[derive(Default)]
pub(super) struct Found {
    pub records: Vec<Vec<u8>>,
    pub entries: block::Found,
    pub text: Option<Text>,
    pub names_record: bool,
    pub unreadable: Option<Unreadable>,
    pub fault: Option<String>,
    parts: usize,
}

/// A part that is still to be examined.
struct Waiting<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    depth: usize,
    /// Whether it is in an attached message, whose text is not the sender's.
    attached: bool,
    /// Whether it is a message unless it says otherwise: a part of a digest (RFC 2046).
    digested: bool,
}

/// Splits the header lines from the body at the first empty line.
pub(super) fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(length) = memchr(b'\n', bytes.get(at..).unwrap_or_default()) {
        let line = bytes.get(at..at + length).unwrap_or_default();
        at += length + 1;
        if matches!(line, b"" | b"\r") {
            return bytes.split_at(at);
        }
    }
    (bytes, b"")
}

/// Examines all parts of a message.
pub(super) fn walk(message: &[u8]) -> Found {
    let mut found = Found::default();
    // A stack: the next part to examine is the last one.
    let mut waiting = vec![Waiting { bytes: message.into(), depth: 0, attached: false, digested: false }];
    while let Some(part) = waiting.pop() {
        found.parts += 1;
        let done = if found.parts > MAX_PARTS {
            Err(format!("it has over {MAX_PARTS} parts"))
        } else if part.depth > MAX_DEPTH {
            Err(format!("its parts are nested over {MAX_DEPTH} deep"))
        } else {
            look(&part, &mut waiting, &mut found)
        };
        if let Err(fault) = done {
            found.fault = Some(fault);
            break;
        }
    }
    found
}

fn look(part: &Waiting<'_>, waiting: &mut Vec<Waiting<'_>>, found: &mut Found) -> Result<(), String> {
    let (head, body) = split(&part.bytes);
    if head.len() > MAX_HEADER {
        return Err(format!("the header lines of a part are over {} KiB", MAX_HEADER >> 10));
    }
    let parsed = MessageParser::default().parse_headers(head).unwrap_or_default();
    let headers = Headers::of(&parsed, part.digested);
    found.names_record |= headers.name.as_deref().is_some_and(|name| name.to_ascii_lowercase().ends_with(".pbem"));
    found.unreadable = found.unreadable.or_else(|| unreadable(&headers, body));
    let depth = part.depth + 1;
    match headers.kind.as_str() {
        "multipart" => {
            let boundary = headers.boundary.filter(|boundary| (1..=MAX_BOUNDARY).contains(&boundary.len()));
            let boundary = boundary.ok_or("a part that holds others does not say what separates them")?;
            let inner = divide(body, boundary.as_bytes())?;
            for bytes in inner.into_iter().rev() {
                let digested = headers.subtype == "digest";
                waiting.push(Waiting { bytes: bytes.to_vec().into(), depth, attached: part.attached, digested });
            }
            Ok(())
        }
        "message" if matches!(headers.subtype.as_str(), "rfc822" | "global") => {
            let bytes = decode(body, &headers.encoding)?;
            waiting.push(Waiting { bytes: bytes.into(), depth, attached: true, digested: false });
            Ok(())
        }
        // Pictures, sound and archives are not records, and are not even decoded.
        "image" | "audio" | "video" | "font" | "model" => Ok(()),
        _ => leaf(part, &headers, body, found),
    }
}

/// As much of a text's body as is read, cut where its encoding allows it.
fn beginning<'a>(body: &'a [u8], encoding: &str) -> std::borrow::Cow<'a, [u8]> {
    let Some(cut) = body.get(..MAX_TEXT) else { return body.into() };
    if encoding == "base64" {
        let mut letters: Vec<u8> = cut.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        letters.truncate(letters.len() / 4 * 4);
        return letters.into();
    }
    let end = cut.iter().rposition(|&byte| byte == b'\n').map_or(cut.len(), |at| at + 1);
    cut.get(..end).unwrap_or(cut).into()
}

/// Handles a part without subparts: a record, the sender's text, or nothing of interest.
fn leaf(part: &Waiting<'_>, headers: &Headers, body: &[u8], found: &mut Found) -> Result<(), String> {
    if may_be_record(body, &headers.encoding) {
        // If it already begins like a record, it needs no decoding, whatever it says.
        let bytes = decode(body, &headers.encoding).or_else(|fault| {
            if matches!(&*headers.encoding, "base64" | "quoted-printable") { Err(fault) } else { Ok(body.to_vec()) }
        })?;
        if is_record(&bytes) {
            if bytes.len() > RECORD_LIMIT {
                return Err("the attached record is over 4 MiB".to_owned());
            }
            if !found.records.contains(&bytes) {
                found.records.push(bytes);
            }
            if found.records.len() > MAX_RECORDS {
                return Err(format!("it carries over {MAX_RECORDS} records"));
            }
            return Ok(());
        }
    }
    let is_html = headers.subtype == "html";
    let better = match &found.text {
        None => true,
        // Some programs leave the plain text empty.
        Some(text) => (text.form == Form::Html && !is_html) || text.text.trim().is_empty(),
    };
    if headers.kind != "text" {
        return Ok(());
    }
    // If a text cannot be decoded, no record is lost.
    let Ok(bytes) = decode(beginning(body, &headers.encoding).as_ref(), &headers.encoding) else { return Ok(()) };
    let text = decoded(&bytes, headers.charset.as_deref());
    // Quoted or hidden, a block is what it is.
    found.entries.add(if is_html { block::find(&html_to_text(&text)) } else { block::find(&text) });
    // A part with a file name is a file, although a mail program may show it with the text.
    if headers.name.is_none()
        && !headers.attachment
        && !part.attached
        && better
        && matches!(&*headers.subtype, "plain" | "html")
    {
        if is_pasted(&text) || (is_html && is_pasted(&html_to_text(&text))) {
            found.unreadable = found.unreadable.or(Some(Unreadable::Pasted));
        }
        let (text, form) = if is_html { (visible_text(&text), Form::Html) } else { (text, headers.form) };
        found.text = Some(Text { text, form });
    }
    Ok(())
}

/// Returns what kind of unreadable part this is, judging by its header fields and the beginning of its body.
fn unreadable(headers: &Headers, body: &[u8]) -> Option<Unreadable> {
    let kind = format!("{}/{}", headers.kind, headers.subtype);
    let name = headers.name.as_deref().unwrap_or_default().to_ascii_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if kind == "application/ms-tnef" || kind == "application/vnd.ms-tnef" || name == "winmail.dat" {
        return Some(Unreadable::Winmail);
    }
    if matches!(kind.as_str(), "application/pkcs7-mime" | "application/x-pkcs7-mime") || ends(&[".p7m"]) {
        return Some(Unreadable::Smime);
    }
    if matches!(kind.as_str(), "multipart/encrypted" | "application/pgp-encrypted")
        || ends(&[".asc.pgp", ".gpg", ".pgp"])
    {
        return Some(Unreadable::Pgp);
    }
    let packed = [
        "application/zip",
        "application/x-zip-compressed",
        "application/gzip",
        "application/x-gzip",
        "application/x-7z-compressed",
    ];
    if packed.contains(&kind.as_str()) || ends(&[".zip", ".gz", ".7z", ".rar", ".bz2", ".xz", ".zst"]) {
        return Some(Unreadable::Packed);
    }
    let is_text =
        headers.kind == "text" && matches!(&*headers.encoding, "" | "7bit" | "8bit" | "binary" | "quoted-printable");
    (is_text && memmem::find(body, b"-----BEGIN PGP MESSAGE-----").is_some()).then_some(Unreadable::Pgp)
}

/// Returns whether a text contains a record among other words, quoted or not.
fn is_pasted(text: &str) -> bool {
    let bare = |line: &str| line.trim_start_matches(['>', ' ', '\u{a0}']).trim_end().to_owned();
    let mut lines = text.lines().map(bare);
    while let Some(line) = lines.next() {
        if line == "---" && lines.clone().find(|line| !line.is_empty()).is_some_and(|next| next.starts_with("pbem:")) {
            return true;
        }
    }
    false
}

/// The relevant header fields of a part.
struct Headers {
    kind: String,
    subtype: String,
    boundary: Option<String>,
    charset: Option<String>,
    encoding: String,
    name: Option<String>,
    attachment: bool,
    form: Form,
}

impl Headers {
    fn of(parsed: &Message<'_>, digested: bool) -> Self {
        let (kind, subtype) = if digested { ("message", "rfc822") } else { ("text", "plain") };
        let mut headers = Self {
            kind: kind.to_owned(),
            subtype: subtype.to_owned(),
            boundary: None,
            charset: None,
            encoding: String::new(),
            name: None,
            attachment: false,
            form: Form::Fixed,
        };
        let Some(root) = parsed.parts.first() else { return headers };
        if let Some(content) = root.content_type() {
            headers.kind = content.ctype().to_ascii_lowercase();
            headers.subtype = content.subtype().unwrap_or_default().to_ascii_lowercase();
            let attribute = |name| content.attribute(name).map(str::to_owned);
            headers.boundary = attribute("boundary");
            headers.charset = attribute("charset");
            let is = |name, value: &str| content.attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value));
            if is("format", "flowed") {
                headers.form = Form::Flowed(is("delsp", "yes"));
            }
        }
        if let HeaderValue::Text(encoding) = parsed.header("Content-Transfer-Encoding").unwrap_or(&HeaderValue::Empty) {
            // Some programs put quotes around it, or a comment after it.
            let word = encoding.trim().split([' ', '\t', '(', ';']).next().unwrap_or_default();
            headers.encoding = word.trim_matches('"').to_ascii_lowercase();
        }
        headers.name = root.attachment_name().map(str::to_owned);
        headers.attachment = root.content_disposition().is_some_and(|disposition| disposition.is_attachment());
        headers
    }
}

/// Splits a body at its boundary lines. A truncated message lacks the last one.
fn divide<'a>(body: &'a [u8], boundary: &[u8]) -> Result<Vec<&'a [u8]>, String> {
    let delimiter = [b"--", boundary].concat();
    let mut parts = Vec::new();
    let mut start: Option<usize> = None;
    for at in memmem::find_iter(body, &delimiter) {
        if at > 0 && body.get(at - 1) != Some(&b'\n') {
            continue;
        }
        let behind = body.get(at + delimiter.len()..).unwrap_or_default();
        let line = memchr(b'\n', behind).map_or(behind, |length| behind.get(..length).unwrap_or_default());
        let is_last = match line.trim_ascii_end() {
            b"" => false,
            b"--" => true,
            _ => continue,
        };
        if let Some(start) = start {
            // The line end before the delimiter belongs to the delimiter.
            let part = body.get(start..at).unwrap_or_default();
            let part = part.strip_suffix(b"\n").unwrap_or(part);
            parts.push(part.strip_suffix(b"\r").unwrap_or(part));
            if parts.len() > MAX_PARTS {
                return Err(format!("it has over {MAX_PARTS} parts"));
            }
        }
        if is_last {
            return Ok(parts);
        }
        start = Some((at + delimiter.len() + line.len() + 1).min(body.len()));
    }
    Err("it is cut off: the line that ends its parts is missing".to_owned())
}

/// Returns whether a body could decode to something that begins like a record; checked before decoding.
fn may_be_record(body: &[u8], encoding: &str) -> bool {
    let visible = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    match encoding {
        "base64" => matches!(&*visible.take(4).collect::<Vec<_>>(), b"LS0t" | b"77u/"),
        // A dash may be escaped there.
        "quoted-printable" => matches!(body.first(), Some(b'-' | b'=' | b'\xef')),
        _ => body.strip_prefix(MARK).unwrap_or(body).starts_with(b"---"),
    }
}

/// The byte order mark that some editors put before a text. A record with it is malformed, but it is a record.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns whether bytes begin like a record: a line `---`, and a `pbem` field among the header lines.
fn is_record(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    if !(bytes.starts_with(b"---\n") || bytes.starts_with(b"---\r\n")) {
        return false;
    }
    let head = bytes.get(..LINE_LIMIT).unwrap_or(bytes);
    [&b"\npbem"[..], b"\n\"pbem", b"\n'pbem", b"{pbem"].iter().any(|mark| memmem::find(head, mark).is_some())
}

/// Undoes the transfer encoding of a body.
fn decode(body: &[u8], encoding: &str) -> Result<Vec<u8>, String> {
    match encoding {
        "" | "7bit" | "8bit" | "binary" => Ok(body.to_vec()),
        "base64" => {
            let letters: Vec<u8> = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            BASE64.decode(&letters).map_err(|_| "a part claims to be base64 but is not, or is cut off".to_owned())
        }
        "quoted-printable" => quoted(body).ok_or_else(|| "a part claims to be quoted-printable but is not".to_owned()),
        _ => Err("a part has an encoding that no mail program should use".to_owned()),
    }
}

/// Decodes quoted-printable (RFC 2045): `=` and two digits for a byte, `=` at the end of a line for no line end. Spaces
/// at the end of a line were added on the way.
fn quoted(body: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(text) => match text.strip_suffix(b"\r") {
                Some(text) => (text, &b"\r\n"[..]),
                None => (text, &b"\n"[..]),
            },
            None => (line, &b""[..]),
        };
        let text = text.trim_ascii_end();
        let (text, end) = text.strip_suffix(b"=").map_or((text, end), |text| (text, &b""[..]));
        let mut rest = text;
        while let Some(at) = memchr(b'=', rest) {
            let (before, escape) = rest.split_at_checked(at)?;
            bytes.extend_from_slice(before);
            let digits = escape.get(1..3)?;
            bytes.push(
                u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?, 16).ok()?,
            );
            rest = escape.get(3..)?;
        }
        bytes.extend_from_slice(rest);
        bytes.extend_from_slice(end);
    }
    Some(bytes)
}
