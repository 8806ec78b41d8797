//! Splits a message into its parts without recursion, because a stranger may nest them as deep as he likes. Depth,
//! number and size are capped. The bytes of each part are decoded here, because a parser meant for display replaces
//! text that it cannot decode.

use std::collections::HashSet;

use mail_parser::decoders::html::html_to_text;
use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders};
use memchr::{memchr, memmem};

use super::charset::decoded;
use super::contents::{Form, MAX_DEPTH, MAX_HEADER, MAX_PARTS, REPORTS, Text, Unreadable};
use super::html::visible_text;
use super::transfer::{Encoding, beginning, decode, decode_text};

use postrider_referee::desk::block;
use postrider_referee::record;
use postrider_referee::record::{LINE_LIMIT, RECORD_LIMIT};

/// The most records in one message, so that a stranger cannot send invitations in bulk.
const MAX_RECORDS: usize = 8;
/// The longest boundary, in bytes. The standard says 70.
const MAX_BOUNDARY: usize = 250;

/// The findings in the parts.
#[derive(Default)]
pub(super) struct Found {
    pub records: Vec<Vec<u8>>,
    pub entries: block::Found,
    pub text: Option<Text>,
    pub names_record: bool,
    /// Describes the first part with a record's name, packed or not, if it is not a record.
    pub unlike: Option<String>,
    pub unreadable: Option<Unreadable>,
    /// The first fault in the form of the message. The parts that were read are whole.
    pub fault: Option<String>,
    /// Whether it, and not a message in it, reports what became of another one.
    pub reports: bool,
    parts: usize,
    /// The lines between parts that were announced so far, without the dashes before them.
    boundaries: HashSet<Vec<u8>>,
}

/// A part that is still to be examined.
struct Waiting<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    depth: usize,
    /// Whether it is in an attached message, whose text is not the sender's.
    attached: bool,
    /// Whether it is a message unless it says otherwise: a part of a digest (RFC 2046).
    digested: bool,
    /// Whether a line that parts others ends it, so that nothing of it is missing.
    closed: bool,
    /// Whether its end is missing.
    cut: bool,
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
    let whole =
        Waiting { bytes: message.into(), depth: 0, attached: false, digested: false, closed: false, cut: false };
    let mut waiting = vec![whole];
    while let Some(part) = waiting.pop() {
        found.parts += 1;
        if found.parts > MAX_PARTS {
            found.fault.get_or_insert_with(|| format!("it has over {MAX_PARTS} parts"));
            break;
        }
        let done = if part.depth > MAX_DEPTH {
            Err(format!("its parts are nested over {MAX_DEPTH} deep"))
        } else {
            look(&part, &mut waiting, &mut found)
        };
        // A fault in one part is none in another.
        if let Err(fault) = done {
            found.fault.get_or_insert(fault);
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
    found.names_record |= names_record(&headers, &[""]);
    found.unreadable = found.unreadable.or_else(|| unreadable(&headers, body));
    let depth = part.depth + 1;
    let is_report = headers.kind == "message" && REPORTS.contains(&headers.subtype.as_str());
    found.reports |= is_report && !part.attached;
    match headers.kind.as_str() {
        "multipart" => {
            let boundary = headers.boundary.filter(|boundary| (1..=MAX_BOUNDARY).contains(&boundary.len()));
            let boundary = boundary.ok_or("a part that holds others does not say what separates them")?;
            found.boundaries.insert(boundary.as_bytes().to_vec());
            let divided = divide(body, boundary.as_bytes())?;
            let digested = headers.subtype == "digest";
            // The line of an outer part ends the inner ones too (RFC 2046, 5.1.2).
            let closed = part.closed;
            waiting.extend(divided.open.map(|inner| Waiting {
                bytes: inner.to_vec().into(),
                depth,
                attached: part.attached,
                digested,
                closed,
                cut: !closed,
            }));
            for (at, inner) in divided.parts.into_iter().enumerate().rev() {
                // What stands behind the last line is not shown to anybody.
                let attached = part.attached || at >= divided.shown;
                waiting.push(Waiting {
                    bytes: inner.to_vec().into(),
                    depth,
                    attached,
                    digested,
                    closed: true,
                    cut: false,
                });
            }
            match divided.ends_open && !closed {
                true => Err("it is cut off: the line that ends its parts is missing".to_owned()),
                false => Ok(()),
            }
        }
        "message" if matches!(headers.subtype.as_str(), "rfc822" | "global") => {
            let bytes = decode(body, headers.encoding)?;
            let (closed, cut) = (part.closed, part.cut);
            waiting.push(Waiting { bytes: bytes.into(), depth, attached: true, digested: false, closed, cut });
            Ok(())
        }
        _ => {
            let (own, more) = astray(body, &found.boundaries);
            if let Some(bytes) = more {
                // A part that stands where none should be belongs to nobody's text.
                let (bytes, cut) = (bytes.to_vec().into(), part.cut);
                waiting.push(Waiting { bytes, depth, attached: true, digested: false, closed: part.closed, cut });
            }
            leaf(part, &headers, own, found)
        }
    }
}

/// The endings of the name of a record that is packed or not.
const PACKED: [&str; 6] = ["", ".gz", ".zip", ".zst", ".xz", ".bz2"];

/// Whether a part has the name of a record with one of these endings behind it.
fn names_record(headers: &Headers, endings: &[&str]) -> bool {
    headers.name.as_deref().is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        endings.iter().any(|ending| name.strip_suffix(ending).is_some_and(|name| name.ends_with(".pbem")))
    })
}

/// Handles a part without subparts: a record, the sender's text, or nothing of interest.
fn leaf(part: &Waiting<'_>, headers: &Headers, body: &[u8], found: &mut Found) -> Result<(), String> {
    if may_be_record(body, headers.encoding) {
        // If it already begins like a record, it needs no decoding, whatever it says.
        let bytes = decode(body, headers.encoding)
            .or_else(|fault| if headers.encoding == Encoding::Unknown { Ok(body.to_vec()) } else { Err(fault) })?;
        if is_record(&bytes) {
            // One that is not whole could be an older one.
            if part.cut {
                return Ok(());
            }
            if bytes.len() > RECORD_LIMIT {
                return Err("the attached record is over 4 MiB".to_owned());
            }
            if !found.records.contains(&bytes) {
                if found.records.len() >= MAX_RECORDS {
                    return Err(format!("it carries over {MAX_RECORDS} records"));
                }
                found.records.push(bytes);
            }
            return Ok(());
        }
    }
    if names_record(headers, &PACKED) && found.unlike.is_none() {
        found.unlike = decode(body, headers.encoding).ok().map(|bytes| record::opening(&bytes));
    }
    // Pictures, sound and archives may be records by another name, but no text.
    if headers.kind != "text" {
        return Ok(());
    }
    let is_html = headers.subtype == "html";
    let better = match &found.text {
        None => true,
        // Some programs leave the plain text empty.
        Some(text) => (text.form == Form::Html && !is_html) || text.text.trim().is_empty(),
    };
    let (bytes, whole) = decode_text(beginning(body, headers.encoding).as_ref(), headers.encoding);
    let text = decoded(&bytes, headers.charset.as_deref());
    // Quoted or hidden, a block is what it is.
    found.entries.add(if is_html { block::find(&html_to_text(&text)) } else { block::find(&text) });
    // A part with a file name is a file, although a mail program may show it with the text.
    if headers.name.is_none() && !headers.attachment && !part.attached && better && headers.is_words() {
        if is_pasted(&text) || (is_html && is_pasted(&html_to_text(&text))) {
            found.unreadable = found.unreadable.or(Some(Unreadable::Pasted));
        }
        let (text, form) = if is_html { (visible_text(&text), Form::Html) } else { (text, headers.form) };
        found.text = Some(Text { text, form });
        if !whole {
            return Err("a part claims to be base64 but is not, or is cut off".to_owned());
        }
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
    let is_text = headers.kind == "text" && matches!(headers.encoding, Encoding::None | Encoding::Quoted);
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
    encoding: Encoding,
    name: Option<String>,
    attachment: bool,
    form: Form,
}

impl Headers {
    /// Whether it is a text that people write.
    fn is_words(&self) -> bool {
        const OTHER: [&str; 10] =
            ["calendar", "css", "csv", "directory", "javascript", "rfc822-headers", "rtf", "vcard", "x-vcard", "xml"];
        self.kind == "text" && !OTHER.contains(&self.subtype.as_str())
    }

    fn of(parsed: &Message<'_>, digested: bool) -> Self {
        let (kind, subtype) = if digested { ("message", "rfc822") } else { ("text", "plain") };
        let mut headers = Self {
            kind: kind.to_owned(),
            subtype: subtype.to_owned(),
            boundary: None,
            charset: None,
            encoding: Encoding::None,
            name: None,
            attachment: false,
            form: Form::Fixed,
        };
        let Some(root) = parsed.parts.first() else { return headers };
        if let Some(content) = root.content_type() {
            headers.kind = content.ctype().to_ascii_lowercase();
            headers.subtype = content.subtype().unwrap_or_default().to_ascii_lowercase();
            // Some programs say `text` alone, or the second half alone.
            if matches!(headers.kind.as_str(), "" | "plain") || (headers.kind == "text" && headers.subtype.is_empty()) {
                (headers.kind, headers.subtype) = ("text".to_owned(), "plain".to_owned());
            }
            let attribute = |name| content.attribute(name).map(str::to_owned);
            headers.boundary = attribute("boundary");
            headers.charset = attribute("charset");
            let is = |name, value: &str| content.attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value));
            if is("format", "flowed") {
                headers.form = Form::Flowed(is("delsp", "yes"));
            }
        }
        if let HeaderValue::Text(encoding) = parsed.header("Content-Transfer-Encoding").unwrap_or(&HeaderValue::Empty) {
            headers.encoding = Encoding::read(encoding);
        }
        headers.name = root.attachment_name().map(str::to_owned);
        headers.attachment = root.content_disposition().is_some_and(|disposition| disposition.is_attachment());
        headers
    }
}

/// The parts of a body.
#[derive(Default)]
struct Divided<'a> {
    /// The whole parts, in order.
    parts: Vec<&'a [u8]>,
    /// How many of them stand before the line that should be the last one.
    shown: usize,
    /// What stands behind the last line that begins a part, if no other follows.
    open: Option<&'a [u8]>,
    /// Whether the line that ends all of them is missing.
    ends_open: bool,
}

/// Splits a body at its boundary lines. A truncated message lacks the last one.
fn divide<'a>(body: &'a [u8], boundary: &[u8]) -> Result<Divided<'a>, String> {
    let delimiter = [b"--", boundary].concat();
    let mut divided = Divided { ends_open: true, ..Divided::default() };
    let mut start: Option<usize> = None;
    for at in memmem::find_iter(body, &delimiter) {
        if at > 0 && body.get(at - 1) != Some(&b'\n') {
            continue;
        }
        let behind = body.get(at + delimiter.len()..).unwrap_or_default();
        let line = memchr(b'\n', behind).map_or(behind, |length| behind.get(..length).unwrap_or_default());
        // Words may have been put behind the last line.
        let is_last = match line.trim_ascii_end() {
            b"" => false,
            rest if rest.starts_with(b"--") => true,
            _ => continue,
        };
        if let Some(start) = start {
            // The line end before the delimiter belongs to the delimiter.
            let part = body.get(start..at).unwrap_or_default();
            let part = part.strip_suffix(b"\n").unwrap_or(part);
            divided.parts.push(part.strip_suffix(b"\r").unwrap_or(part));
            if divided.parts.len() > MAX_PARTS {
                return Err(format!("it has over {MAX_PARTS} parts"));
            }
        }
        if divided.ends_open {
            divided.shown = divided.parts.len();
        }
        divided.ends_open &= !is_last;
        start = (!is_last).then(|| (at + delimiter.len() + line.len() + 1).min(body.len()));
    }
    divided.open = start.map(|start| body.get(start..).unwrap_or_default()).filter(|_| divided.ends_open);
    Ok(divided)
}

/// Splits the body of a part at a line that parts others and does not belong here: what stands before it, and the part that it begins.
fn astray<'a>(body: &'a [u8], boundaries: &HashSet<Vec<u8>>) -> (&'a [u8], Option<&'a [u8]>) {
    for at in memmem::find_iter(body, b"--") {
        if boundaries.is_empty() || (at > 0 && body.get(at - 1) != Some(&b'\n')) {
            continue;
        }
        let behind = body.get(at + 2..).unwrap_or_default();
        let line = memchr(b'\n', behind).map_or(behind, |length| behind.get(..length).unwrap_or_default());
        let name = line.trim_ascii_end();
        let begins = boundaries.contains(name);
        if begins || name.strip_suffix(b"--").is_some_and(|name| boundaries.contains(name)) {
            let more = begins.then(|| behind.get(line.len() + 1..).unwrap_or_default());
            return (body.get(..at).unwrap_or_default(), more);
        }
    }
    (body, None)
}

/// Returns whether a body could decode to something that begins like a record; checked before decoding.
fn may_be_record(body: &[u8], encoding: Encoding) -> bool {
    let visible = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    match encoding {
        Encoding::Base64 => matches!(&*visible.take(4).collect::<Vec<_>>(), b"LS0t" | b"77u/"),
        // A dash may be escaped there.
        Encoding::Quoted => matches!(body.first(), Some(b'-' | b'=' | b'\xef')),
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
