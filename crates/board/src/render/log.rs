//! The entries of a game as lists for people.

use super::sheet::{folded, shortened};
use postrider_kernel::Info;
use postrider_kernel::text::printable;
use postrider_referee::desk::export::EntryRow;

/// How wide the columns before the actions are.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    number: usize,
    side: usize,
    time: usize,
}

impl Widths {
    /// Those of a game with so many entries.
    #[must_use]
    pub fn of(info: &Info, entries: u32) -> Self {
        Self {
            number: entries.to_string().len(),
            side: info.sides.iter().map(|side| side.word.len()).max().unwrap_or(0),
            time: "2026-11-21T12:00:00Z".len(),
        }
    }
}

/// An entry in columns, folded at words.
#[must_use]
pub fn lines(row: &EntryRow, widths: &Widths, columns: usize) -> String {
    let Widths { number, side, time } = *widths;
    let when = row.time.as_deref().unwrap_or("-");
    let label = format!("{:>number$}  {:side$}  {when:time$}  ", row.number, row.side);
    // On a narrow terminal the actions go below.
    let (indent, mut text) = match label.len() + 24 > columns {
        true => (number + 2, format!("{}\n{:2$}", label.trim_end(), "", number + 2)),
        false => (label.len(), label),
    };
    let room = columns.saturating_sub(indent);
    let between = format!("\n{:indent$}", "");
    text.push_str(&folded(&shortened(&printable(&row.actions), "..."), room).join(&between));
    if let Some(message) = &row.message {
        text.push_str(&between);
        text.push_str(&folded(&format!("{{{}}}", printable(message)), room).join(&between));
    }
    text + "\n"
}

/// An entry in sentences, for a screen reader.
#[must_use]
pub fn in_words(row: &EntryRow, did: Option<&str>, columns: usize) -> String {
    let mut text = format!("Entry {}, {}", row.number, row.side);
    if let Some(time) = &row.time {
        text.push_str(&format!(", {time}"));
    }
    text.push_str(&format!(": {}.", shortened(&printable(&row.actions), "...")));
    if let Some(did) = did {
        text.push_str(&format!(" On the board: {did}."));
    }
    if let Some(message) = &row.message {
        text.push_str(&format!(" Message: {}", printable(message)));
    }
    folded(&text, columns).join("\n") + "\n"
}
