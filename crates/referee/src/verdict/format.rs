//! The canonical writer: rewrites a legal record in its one canonical form.

use std::fmt;

use super::{Opened, Ruling, Verdict, faces};
use crate::record::{Entry, Item, LINE_LIMIT, RECORD_LIMIT};
use crate::sealing::{Check, Thrown};

/// The canonical form of a legal record: entries and the position in `setup:` in canonical spelling, LF line ends, and the
/// result line of a finished game. Remarks, blank lines and the rest of the header stay. A record with keys or signatures
/// keeps its whole header except for line ends (Z30). A line or a header also stays if its canonical form would be too
/// long. It is written piece by piece and never in memory as a whole.
#[derive(Debug)]
pub struct Canonical<'a> {
    source: &'a [u8],
    entries: u32,
    /// The result line of a finished game.
    result: Option<String>,
    /// The throws, if their faces are written.
    thrown: Option<Vec<Thrown>>,
}

/// Why the canonical form of a record was not written to its end.
#[derive(Debug)]
pub enum Unwritten {
    /// It would exceed the size allowed for a record, which therefore stays as it is.
    TooLong,
    /// What it is written to takes no more.
    Refused,
    /// An entry is not legal, which [`Canonical::of`] rules out.
    Illegal(Box<Verdict>),
}

impl From<fmt::Error> for Unwritten {
    fn from(_: fmt::Error) -> Self {
        Self::Refused
    }
}

impl<'a> Canonical<'a> {
    /// Returns the canonical form of a record.
    ///
    /// # Errors
    /// The verdict, if the record is not legal.
    pub fn of(source: &'a [u8]) -> Result<Self, Box<Verdict>> {
        Self::replayed(source, false)
    }

    /// Returns the canonical form with a remark on each throw below the entry that opens it, and without any other such
    /// remarks.
    ///
    /// # Errors
    /// The verdict, if the record is not legal.
    pub fn with_faces(source: &'a [u8]) -> Result<Self, Box<Verdict>> {
        Self::replayed(source, true)
    }

    fn replayed(source: &'a [u8], faces: bool) -> Result<Self, Box<Verdict>> {
        let mut opened = Opened::new(source)?;
        let verdict = opened.replay(u32::MAX);
        if verdict.ruling != Ruling::Legal {
            return Err(Box::new(verdict));
        }
        Ok(Self {
            source,
            entries: verdict.entries,
            result: verdict.outcome.map(|outcome| format!("= {}", outcome.text(&opened.header.info.sides))),
            thrown: faces.then(|| opened.table.seals().map(|seals| seals.thrown().to_vec()).unwrap_or_default()),
        })
    }

    /// Returns whether the record is not in this form.
    ///
    /// # Errors
    /// [`Unwritten::Illegal`].
    pub fn differs(&self) -> Result<bool, Unwritten> {
        let mut same = Same { rest: self.source };
        match self.write(&mut same) {
            Ok(()) => Ok(!same.rest.is_empty()),
            Err(Unwritten::Refused | Unwritten::TooLong) => Ok(true),
            Err(unwritten) => Err(unwritten),
        }
    }

    /// Returns whether the form is as short as a record must be.
    ///
    /// # Errors
    /// [`Unwritten::Illegal`].
    pub fn fits(&self) -> Result<bool, Unwritten> {
        match self.write(&mut Nowhere) {
            Ok(()) => Ok(true),
            Err(Unwritten::TooLong) => Ok(false),
            Err(unwritten) => Err(unwritten),
        }
    }

    /// Returns the form, or the record as it is if that would exceed the size allowed for a record.
    ///
    /// # Errors
    /// A verdict, which [`Canonical::of`] rules out.
    pub fn bytes(&self) -> Result<Vec<u8>, Box<Verdict>> {
        let mut text = String::with_capacity(self.source.len() + 64);
        match self.write(&mut text) {
            Ok(()) => Ok(text.into_bytes()),
            Err(Unwritten::Illegal(verdict)) => Err(verdict),
            Err(Unwritten::TooLong | Unwritten::Refused) => Ok(self.source.to_vec()),
        }
    }

    /// Writes the form.
    ///
    /// # Errors
    /// Why it was not written to its end.
    pub fn write(&self, out: &mut dyn fmt::Write) -> Result<(), Unwritten> {
        let refuse = Unwritten::Illegal;
        let mut opened = Opened::new(self.source).map_err(refuse)?;
        // The replay has checked the signatures. Canonical lines are what is signed (Z30), so they remain valid.
        opened.table.set_check(Check::Nothing);
        let text = opened.text;
        let out = &mut Bounded { out, left: RECORD_LIMIT };
        out.text("---\n")?;
        out.text(&header(&opened))?;
        out.line("---")?;
        let mut body = opened.body();
        let has_result = {
            let mut body = opened.body();
            std::iter::from_fn(|| body.next_item()).any(|item| matches!(item, Item::Result(_)))
        };
        let mut result = self.result.as_deref();
        // They are in the order of the entries.
        let mut thrown = self.thrown.iter().flatten().peekable();
        let mut played = 0;
        while let Some(item) = body.next_item() {
            match item {
                Item::Blank(lines) => (0..lines).try_for_each(|_| out.text("\n"))?,
                Item::Remark(line) => {
                    let line = line.text(text);
                    if self.thrown.is_none() || !line.starts_with(faces::HEAD) {
                        out.line(line)?;
                    }
                }
                Item::Result(_) => result.take().map_or(Ok(()), |line| out.line(line))?,
                Item::Entry(entry) => {
                    played += 1;
                    let line = enter(&mut opened, &entry).map_err(refuse)?;
                    out.line(if line.len() <= LINE_LIMIT { &line } else { entry.span.text(text) })?;
                    if let Some(signature) = entry.signature {
                        out.text("  ~ ")?;
                        out.line(signature.text(text))?;
                    }
                    while let Some(one) = thrown.next_if(|one| one.entry <= played) {
                        out.line(&faces::remark(one))?;
                    }
                    // An existing result line stays where it is among the remarks.
                    if played == self.entries && !has_result {
                        result.take().map_or(Ok(()), |line| out.line(line))?;
                    }
                }
            }
        }
        result.map_or(Ok(()), |line| out.line(line))
    }
}

/// What a form is written to, as long as it does not exceed the size of a record.
struct Bounded<'a> {
    out: &'a mut dyn fmt::Write,
    left: usize,
}

impl Bounded<'_> {
    fn text(&mut self, text: &str) -> Result<(), Unwritten> {
        self.left = self.left.checked_sub(text.len()).ok_or(Unwritten::TooLong)?;
        Ok(self.out.write_str(text)?)
    }

    fn line(&mut self, line: &str) -> Result<(), Unwritten> {
        self.text(line)?;
        self.text("\n")
    }
}

/// Takes text as long as it is what stands there already.
struct Same<'a> {
    rest: &'a [u8],
}

impl fmt::Write for Same<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.rest = self.rest.strip_prefix(text.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Takes any text.
struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

/// Returns a legal record in its canonical form, or as it is if that would exceed the size allowed for a record.
///
/// # Errors
/// The verdict, if the record is not legal.
pub fn format(source: &[u8]) -> Result<Vec<u8>, Box<Verdict>> {
    Canonical::of(source)?.bytes()
}

/// Plays an entry and returns its canonical line.
fn enter(opened: &mut Opened<'_>, entry: &Entry) -> Result<String, Box<Verdict>> {
    let written = opened.table.pass_written(opened.text, entry);
    written.map_err(|stop| Box::new(Verdict::stopped(opened.header.info, opened.table.as_ref(), stop)))
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
