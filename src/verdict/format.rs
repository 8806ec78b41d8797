//! The canonical writer: rewrites a legal record in its one canonical form.

use super::{Opened, Ruling, Verdict};
use crate::record::{Entry, Item, LINE_LIMIT, RECORD_LIMIT};
use crate::sealing::{Brief, Check};

/// Rewrites a legal record in canonical form: entries and the position in `setup:` in canonical spelling, LF line ends,
/// and the result line of a finished game. Remarks, blank lines and the rest of the header stay. A record with keys or
/// signatures keeps its whole header except for line ends (Z30). Anything whose canonical form would exceed the size
/// allowed for a line, a header or a record also stays.
///
/// # Errors
/// The verdict, if the record is not legal.
pub fn format(source: &[u8]) -> Result<Vec<u8>, Box<Verdict>> {
    let mut opened = Opened::new(source)?.brief(Brief::default());
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(Box::new(verdict));
    }
    // What the first replay remembers of a sealed record can be more than the record.
    drop(opened);
    let mut opened = Opened::new(source)?.brief(Brief::checked());
    // The replay has checked the signatures. Canonical lines are what is signed (Z30), so they remain valid.
    opened.table.set_check(Check::Nothing);
    let mut out = Vec::with_capacity(source.len() + 64);
    out.extend_from_slice(b"---\n");
    out.extend_from_slice(header(&opened).as_bytes());
    out.extend_from_slice(b"---\n");
    let mut body = opened.body();
    let mut result = verdict.outcome.map(|outcome| format!("= {}\n", outcome.text(&opened.header.info.sides)));
    let has_result = {
        let mut body = opened.body();
        std::iter::from_fn(|| body.next_item()).any(|item| matches!(item, Item::Result(_)))
    };
    let mut played = 0;
    while let Some(item) = body.next_item() {
        match item {
            Item::Blank(lines) => out.resize(out.len() + lines, b'\n'),
            Item::Remark(line) => push_line(&mut out, line.bytes(source)),
            Item::Result(_) => {
                out.extend_from_slice(result.take().unwrap_or_default().as_bytes());
            }
            Item::Entry(entry) => {
                played += 1;
                let line = enter(&mut opened, &entry)?;
                let fits = line.len() <= LINE_LIMIT;
                push_line(&mut out, if fits { line.as_bytes() } else { entry.span.bytes(source) });
                if let Some(signature) = entry.signature {
                    push_line(&mut out, format!("  ~ {}", signature.text(opened.text)).as_bytes());
                }
                // An existing result line stays where it is among the remarks.
                if played == verdict.entries && !has_result {
                    out.extend_from_slice(result.take().unwrap_or_default().as_bytes());
                }
            }
        }
    }
    if let Some(line) = result {
        out.extend_from_slice(line.as_bytes());
    }
    if out.len() > RECORD_LIMIT { Ok(source.to_vec()) } else { Ok(out) }
}

/// Plays an entry and returns its canonical line.
fn enter(opened: &mut Opened<'_>, entry: &Entry) -> Result<String, Box<Verdict>> {
    let written = opened.table.pass_written(opened.text, entry);
    written.map_err(|stop| Box::new(Verdict::stopped(opened.header.info, opened.table.as_ref(), stop)))
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    out.push(b'\n');
}

/// Returns the canonical line of an entry that is legal at the record's table, without a line end: number, side,
/// actions, time, message. `number` is the entry's place.
#[must_use]
pub fn line(opened: &Opened<'_>, entry: &Entry, number: u32) -> String {
    spelled(opened, opened.text, entry, number)
}

/// Like [`line()`], for an entry of `text`, which may be another record of the game.
pub(super) fn spelled(opened: &Opened<'_>, text: &str, entry: &Entry, number: u32) -> String {
    let word = opened.header.info.sides[entry.side.index()].word;
    entry.written(text, number, word, &opened.table.canonical(text, entry))
}

/// Returns the header with LF line ends and, unless the record is signed, its position in canonical spelling. The table
/// must be at the start of the game.
pub(super) fn header(opened: &Opened<'_>) -> String {
    if opened.table.signatures().is_some() {
        return opened.frame.header.text(opened.text).replace("\r\n", "\n");
    }
    canonical_header(opened, &opened.table.position())
}

/// Returns the header with LF line ends and the given canonical position.
pub(super) fn canonical_header(opened: &Opened<'_>, position: &str) -> String {
    let text = opened.frame.header.text(opened.text);
    let canonical = with_position(opened, position).filter(|canonical| {
        // YAML has more ways to write a field than are handled here; a header that would not read as the same is left
        // as it is.
        let record = format!("---\n{canonical}---\n");
        Opened::new(record.as_bytes())
            .is_ok_and(|again| again.table.position() == position && again.header.id == opened.header.id)
    });
    canonical.unwrap_or_else(|| text.to_owned()).replace("\r\n", "\n")
}

/// Returns the header with its position in canonical spelling, if it has one in another spelling.
fn with_position(opened: &Opened<'_>, position: &str) -> Option<String> {
    let span = opened.frame.header;
    let text = span.text(opened.text);
    let setup = opened.header.setup.as_ref()?;
    let quoted = format!("\"{position}\"");
    let written = setup.span.text(opened.text);
    if written == quoted {
        return None;
    }
    // From after the field's colon to the end of the value, however it was written.
    let key = (setup.key.end as usize).saturating_sub(span.start as usize);
    let start = key + text.get(key..)?.find(':')? + 1;
    let end = (setup.span.end as usize).saturating_sub(span.start as usize);
    let ended = if written.ends_with('\n') { "\n" } else { "" };
    Some(format!("{} {quoted}{ended}{}", text.get(..start)?, text.get(end..)?))
}
