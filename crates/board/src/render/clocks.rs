//! An account of a record's clocks, in words.

use std::borrow::Cow;

use postrider_kernel::Side;
use postrider_referee::desk::clock::Charged;
use postrider_referee::judging::{Clocks, in_brief, in_words};
use postrider_referee::record::{Clock, Refill};
use postrider_referee::verdict::Opened;

/// What a clock grants, in words.
#[must_use]
pub fn granted(clock: Clock) -> String {
    let span = in_words(clock.grant);
    let time = match clock.refill {
        Refill::Each => format!("{span} for each entry"),
        Refill::Every(count) => format!("{span}, and as much again after every {count} entries of a side"),
        Refill::Gain(gain) => format!("{span}, and {} more after each entry of a side", in_words(gain)),
    };
    let time = match clock.forced {
        0 => time,
        forced => format!("{time}; {} at most for a forced answer", in_words(forced)),
    };
    match clock.leave {
        0 => time,
        leave => format!("{time}; {} of leave a side", in_words(leave)),
    }
}

/// How much leave a side has taken of what it has, in words.
#[must_use]
pub fn leave(clocks: &Clocks, side: Side) -> String {
    let (taken, granted) = clocks.leave(side);
    let last = clocks.last_leave(side).map(|end| format!(", the last until {end}")).unwrap_or_default();
    format!("{} taken of {}{last}", in_brief(taken), in_brief(granted))
}

/// Passes a table of the charges to `print` piece by piece, one row per entry, with an extra line where more needs to be said. A record can
/// have very many entries, so each row is made twice, once for its widths, and none is kept.
///
/// # Errors
/// Those of `print`.
pub fn table<E>(opened: &Opened<'_>, charges: &[Charged], print: impl Fn(String) -> Result<(), E>) -> Result<(), E> {
    if charges.is_empty() {
        return Ok(());
    }
    let word = |side: Side| opened.header.info.sides[side.index()].word;
    let mut row = Row::headings();
    let mut widths = row.widths();
    for charged in charges {
        row.set(charged, word);
        for (width, of_row) in widths.iter_mut().zip(row.widths()) {
            *width = (*width).max(of_row);
        }
    }
    let mut text = String::new();
    Row::headings().write(&widths, &mut text);
    for charged in charges {
        row.set(charged, word);
        row.write(&widths, &mut text);
        for note in notes(opened, charged) {
            text.push_str(&format!("{:indent$}{note}\n", "", indent = widths[0] + 2));
        }
        if text.len() > 64 * 1024 {
            print(std::mem::take(&mut text))?;
        }
    }
    text.push('\n');
    print(text)
}

/// What is to be said of a charge below its row.
fn notes(opened: &Opened<'_>, charged: &Charged) -> Vec<String> {
    let charge = &charged.charge;
    let side = opened.header.info.sides[charged.side.index()];
    let mut notes = Vec::new();
    if charge.since.is_none() {
        notes.push("starts the clocks and costs nothing".to_owned());
    }
    if let Some(end) = charge.ran_out() {
        let over = in_words(charge.over());
        let told = if charged.is_claim() {
            format!("{} {} time", side.named(), side.verb("claim", "claims"))
        } else {
            "nobody claimed, so it is forgiven".to_owned()
        };
        notes.push(format!("ran out at {end}, {over} over; {told}"));
    }
    if let Some((from, end)) = charged.leave {
        notes.push(format!("takes leave of {}, until {end}", in_words(end.0.saturating_sub(from.0))));
    }
    notes
}

/// A row of the table: its cells one behind the other, and where each ends.
#[derive(Default)]
struct Row {
    cells: String,
    ends: [usize; COLUMNS],
}

const COLUMNS: usize = 8;

impl Row {
    fn headings() -> Self {
        let mut row = Self::default();
        row.fill(["entry", "side", "from", "to", "on leave", "used", "added", "left"].map(Cow::Borrowed));
        row
    }

    fn set(&mut self, charged: &Charged, word: impl Fn(Side) -> &'static str) {
        let charge = &charged.charge;
        let brief = |span: i64| if span == 0 { Cow::Borrowed("-") } else { in_brief(span).into() };
        self.fill([
            charged.entry.to_string().into(),
            word(charge.side).into(),
            charge.since.map_or(Cow::Borrowed("-"), |since| since.to_string().into()),
            charge.until.to_string().into(),
            brief(charge.still),
            brief(charge.used),
            brief(charge.added),
            in_brief(charge.left).into(),
        ]);
    }

    fn fill(&mut self, cells: [Cow<'_, str>; COLUMNS]) {
        self.cells.clear();
        for (end, cell) in self.ends.iter_mut().zip(cells) {
            self.cells.push_str(&cell);
            *end = self.cells.len();
        }
    }

    fn widths(&self) -> [usize; COLUMNS] {
        let mut start = 0;
        self.ends.map(|end| end - std::mem::replace(&mut start, end))
    }

    /// Writes the row as a line.
    fn write(&self, widths: &[usize; COLUMNS], text: &mut String) {
        let mut start = 0;
        let mut spaces = 0;
        for (end, width) in self.ends.into_iter().zip(widths) {
            let cell = self.cells.get(start..end).unwrap_or_default();
            text.extend(std::iter::repeat_n(' ', spaces));
            text.push_str(cell);
            spaces = width.saturating_sub(cell.len()) + 2;
            start = end;
        }
        text.push('\n');
    }
}
