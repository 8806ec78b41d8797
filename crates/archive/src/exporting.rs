//! Many records as rows: one record after another, in the form that is asked for.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "parquet")]
use super::parquet::Table;
use super::sources::Origin;
use postrider_board::report::add_line;
#[cfg(feature = "parquet")]
use postrider_referee::desk::export::GameRow;
use postrider_referee::desk::export::{EntryRow, MOST_BYTES, ROW, Row, Rows, Wanted, rows, rows_within};
use postrider_referee::verdict::is_practice;

/// Up to this size, records are split into rows side by side; of a larger one the rows are handed on as they come, because they can be
/// many times as large. With positions, which can be as long as the record each, it is a quarter of this.
const AT_ONCE: usize = 64 * 1024;
/// How many bytes of rows are handed on at once.
const FULL: usize = 64 * 1024;

/// Returns the warnings about a legal record with these rows, which is in this file.
pub type Warn<'a> = dyn Fn(&Rows, Option<&Path>, &[u8]) -> Vec<String> + Sync + 'a;

/// A record in rows.
pub enum Split {
    /// It is a practice game, which is left out.
    Practice,
    /// Its rows, with the warnings about it.
    Rows(Box<Rows>, Vec<String>),
    /// It is so long that its rows are still to come.
    Later {
        path: Option<String>,
        file: Option<PathBuf>,
        /// Its bytes.
        record: Vec<u8>,
    },
}

/// Splits a record into rows, or what is known of one that cannot be read. `practice`: also a practice game.
pub fn split(
    Origin { path, file }: Origin<'_>,
    record: Result<&[u8], String>,
    wanted: Wanted,
    practice: bool,
    warn: &Warn<'_>,
) -> Split {
    let most = if wanted.positions { AT_ONCE / 4 } else { AT_ONCE };
    match record {
        Ok(record) if !practice && is_practice(record) => Split::Practice,
        Ok(record) if wanted.entries && record.len() > most => {
            Split::Later { path: path.map(str::to_owned), file: file.map(Path::to_owned), record: record.to_vec() }
        }
        Ok(record) => {
            let rows = rows(path, record, wanted);
            let warnings = warn_of_legal(warn, &rows, file, record);
            Split::Rows(Box::new(rows), warnings)
        }
        Err(why) => {
            let mut rows = Rows::default();
            rows.game.path = path.map(str::to_owned);
            rows.game.verdict = "unjudged";
            rows.game.fault = Some(why);
            Split::Rows(Box::new(rows), Vec::new())
        }
    }
}

fn warn_of_legal(warn: &Warn<'_>, rows: &Rows, file: Option<&Path>, record: &[u8]) -> Vec<String> {
    if rows.game.verdict == "legal" { warn(rows, file, record) } else { Vec::new() }
}

impl Split {
    /// The row of the game and the warnings about it, of a record whose entries are not wanted; `None`: it is left out.
    #[must_use]
    pub fn rows(self) -> Option<(Box<Rows>, Vec<String>)> {
        match self {
            Self::Rows(rows, warnings) => Some((rows, warnings)),
            Self::Practice | Self::Later { .. } => None,
        }
    }

    /// Hands on the rows of the entries, if they are wanted; returns the row of the game and the warnings about it. `None`: it is
    /// left out.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn entries(
        self,
        wanted: Wanted,
        warn: &Warn<'_>,
        to: &mut Sink,
    ) -> io::Result<Option<(Box<Rows>, Vec<String>)>> {
        match self {
            Self::Practice => Ok(None),
            Self::Rows(mut rows, warnings) => {
                std::mem::take(&mut rows.entries).into_iter().try_for_each(|row| to.add(row))?;
                Ok(Some((rows, warnings)))
            }
            Self::Later { path, file, record } => {
                let rows = as_they_come(path.as_deref(), &record, wanted, MOST_BYTES, |row| to.add(row))?;
                let warnings = warn_of_legal(warn, &rows, file.as_deref(), &record);
                Ok(Some((Box::new(rows), warnings)))
            }
        }
    }
}

/// Splits a record into rows and passes those of the entries to `each`, as [`rows_within`] does.
fn as_they_come(
    path: Option<&str>,
    record: &[u8],
    wanted: Wanted,
    most: usize,
    mut each: impl FnMut(EntryRow) -> io::Result<()>,
) -> io::Result<Rows> {
    let mut done = Ok(());
    let rows = rows_within(most, path, record, wanted, |row| {
        done = each(row);
        done.is_ok()
    });
    done.map(|()| rows)
}

/// Where rows are written.
type To = Box<dyn Write + Send>;

/// Where rows go, and in which form.
pub enum Sink {
    /// An object per line.
    Json(Vec<u8>, To),
    Csv {
        /// The rows that were not handed on yet.
        text: Vec<u8>,
        /// Where they go.
        to: To,
        /// Whether no row was written.
        first: bool,
        /// Whether texts that a spreadsheet would take for formulas stay as they are.
        raw: bool,
    },
    /// A table that begins with its first row, which says what its columns are.
    #[cfg(feature = "parquet")]
    Parquet(Box<Result<Table<To>, Option<To>>>, Wanted),
}

impl Sink {
    /// Writes objects, one per line.
    #[must_use]
    pub fn json(to: To) -> Self {
        Self::Json(Vec::new(), to)
    }

    /// Writes CSV.
    #[must_use]
    pub fn csv(to: To, raw: bool) -> Self {
        Self::Csv { text: Vec::new(), to, first: true, raw }
    }

    /// Writes a Parquet file of what is wanted.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn parquet(to: To, wanted: Wanted) -> Self {
        Self::Parquet(Box::new(Err(Some(to))), wanted)
    }

    /// Adds a row. Rows consist of texts and numbers, which all forms can represent, and writing to memory always succeeds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add<R: Row>(&mut self, mut row: R) -> io::Result<()> {
        let (text, to) = match self {
            Self::Json(text, to) => {
                add_line(text, &row);
                (text, to)
            }
            Self::Csv { text, to, first, raw } => {
                if !*raw {
                    row.make_plain();
                }
                // Its own buffer would be larger than most rows, and is made for each.
                let mut builder = csv::WriterBuilder::new();
                let mut writer = builder.has_headers(*first).buffer_capacity(ROW).from_writer(&mut *text);
                let _ = writer.serialize(row);
                let _ = writer.flush();
                drop(writer);
                *first = false;
                (text, to)
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(table, wanted) => return table_of::<R>(table, *wanted)?.add(&row),
        };
        if text.len() > FULL { to.write_all(&std::mem::take(text)) } else { Ok(()) }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Json(text, mut to) | Self::Csv { text, mut to, .. } => {
                to.write_all(&text)?;
                to.flush()
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(mut table, wanted) => {
                match wanted.entries {
                    true => table_of::<EntryRow>(&mut table, wanted)?,
                    false => table_of::<GameRow>(&mut table, wanted)?,
                };
                table.map_or(Ok(()), Table::finish)
            }
        }
    }
}

/// The table, which is begun if it is not yet.
#[cfg(feature = "parquet")]
fn table_of<R: Row>(table: &mut Result<Table<To>, Option<To>>, wanted: Wanted) -> io::Result<&mut Table<To>> {
    if let Err(to) = table
        && let Some(to) = to.take()
    {
        *table = Ok(Table::of::<R>(to, wanted)?);
    }
    // One that could not be begun is not begun again.
    table.as_mut().map_err(|_| io::ErrorKind::BrokenPipe.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_positions_are_cut_where_they_are_longer_than_those_of_a_real_game() {
        let record =
            std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/assideum/a-siege-without-end.pbem"))
                .expect("an example");
        let wanted = |positions| Wanted { entries: true, positions, ..Wanted::default() };
        let cut = |positions, most| {
            let mut numbers = Vec::new();
            let rows = as_they_come(None, &record, wanted(positions), most, |row| {
                numbers.push(row.number);
                Ok(())
            });
            let Ok(rows) = rows else { panic!("nothing fails") };
            (numbers, rows.game.verdict, rows.game.fault.unwrap_or_default())
        };
        let (all, verdict, _) = cut(true, MOST_BYTES);
        assert!(verdict == "legal" && all.len() > 5);
        assert_eq!(cut(false, 0), (all.clone(), "legal", String::new()));
        let (some, verdict, fault) = cut(true, 3 * ROW + 200);
        assert!(verdict == "unjudged" && !some.is_empty() && all.starts_with(&some) && some.len() < all.len());
        assert!(fault.ends_with(&format!("those from entry {} on are left out", some.len() + 1)), "{fault}");
    }
}
