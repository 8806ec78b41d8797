//! `postrider export`: records as tables of data.

#[cfg(feature = "parquet")]
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{self, Failure};
use super::packed::{Doubts, Origin, Practice, Records};
use super::print;
use super::verify::Known;
#[cfg(feature = "parquet")]
use crate::archive::parquet::Table;
#[cfg(feature = "parquet")]
use crate::desk::export::GameRow;
use crate::desk::export::{EntryRow, MOST_BYTES, ROW, Row, Rows, Wanted, rows, rows_within};
use crate::verdict::is_practice;

/// Export records as data: a row per game, or a row per entry
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider export games/ --csv > games.csv
  postrider export games.jsonl.zst --entries > entries.json
  postrider export games.jsonl.zst --parquet > games.parquet
  postrider export games/ --positions | duckdb -c \"select count(*) from read_json('/dev/stdin')\"

JSON is one object per line. A refused record is exported up to its fault, with what is wrong. `notation/archive.md` explains every \
column. Exit codes are those of `verify`.")]
#[command(group = clap::ArgGroup::new("rows"))]
pub(super) struct Args {
    /// Records, folders of records, archives (`*.jsonl`, `*.jsonl.zst`)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// A row per game (the default)
    #[arg(long, group = "rows")]
    games: bool,
    /// A row per entry
    #[arg(long, group = "rows")]
    entries: bool,
    /// A row per entry, with the position after it
    #[arg(long, group = "rows")]
    positions: bool,
    /// CSV, with the column names in the first line
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Leave texts in CSV that a spreadsheet would take for formulas as they are; otherwise an apostrophe is put before them
    #[arg(long, requires = "csv")]
    raw: bool,
    /// A Parquet file with typed columns
    #[cfg(feature = "parquet")]
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    parquet: bool,
    /// One JSON object per line (the default)
    #[arg(long)]
    json: bool,
    /// Also practice games against the machine, which are left out otherwise
    #[arg(long)]
    practice: bool,
    /// Also the players' mail addresses
    #[arg(long)]
    addresses: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let entries = args.entries || args.positions;
    let wanted = Wanted { addresses: args.addresses, entries, positions: args.positions, proof: false };
    let mut worst = 0;
    let known = Known::here(true);
    let warnings = |rows: &Rows, file: Option<&Path>, record: &[u8]| match rows.game.verdict {
        "legal" => known.warnings(file, record, rows.keys, rows.made),
        _ => Vec::new(),
    };
    let tell = |Origin { path, file }: Origin<'_>, record: Result<&[u8], String>| match record {
        Ok(record) if !args.practice && is_practice(record) => Told::Practice,
        Ok(record) if entries && record.len() > AT_ONCE / if args.positions { 4 } else { 1 } => {
            Told::Later { path: path.map(str::to_owned), file: file.map(Path::to_owned), record: record.to_vec() }
        }
        Ok(record) => {
            let rows = rows(path, record, wanted);
            let warnings = warnings(&rows, file, record);
            Told::Rows(Box::new(rows), warnings)
        }
        Err(why) => {
            let mut rows = Rows::default();
            rows.game.path = path.map(str::to_owned);
            rows.game.verdict = "unjudged";
            rows.game.fault = Some(why);
            Told::Rows(Box::new(rows), Vec::new())
        }
    };
    let mut sink = Sink::of(args)?;
    let mut doubts = Doubts::default();
    let mut practice = Practice::default();
    let damaged = Records::of(&args.paths).each(tell, |told: Told| {
        let (mut rows, warnings) = match told {
            Told::Rows(rows, warnings) => (rows, warnings),
            Told::Practice => {
                practice.leave_out();
                return Ok(());
            }
            Told::Later { path, file, record } => {
                let rows = printed(path.as_deref(), &record, wanted, MOST_BYTES, |row| sink.add(row))?;
                let warnings = warnings(&rows, file.as_deref(), &record);
                (Box::new(rows), warnings)
            }
        };
        doubts.tell(rows.game.path.as_deref(), warnings);
        worst = worst.max(match rows.game.verdict {
            "legal" => 0,
            "unjudged" => hints::TROUBLE,
            _ => hints::REFUSED,
        });
        if entries {
            std::mem::take(&mut rows.entries).into_iter().try_for_each(|row| sink.add(row))?;
            if let Some(fault) = &rows.game.fault {
                let path = rows.game.path.as_deref().unwrap_or("-");
                errln!("{}: {}: {}", crate::text::printable(path), rows.game.verdict, crate::text::printable(fault));
            }
        } else {
            sink.add(std::mem::take(&mut rows.game))?;
        }
        Ok(())
    })?;
    sink.finish()?;
    doubts.count();
    practice.count();
    Ok(ExitCode::from(worst.max(damaged)))
}

/// Up to this size, records are split into rows side by side; of a larger one the rows are printed as they come, because they can be many
/// times as large. With positions, which can be as long as the record each, it is a quarter of this.
const AT_ONCE: usize = 64 * 1024;

/// The rows of a record with the warnings about it, or a record whose rows are still to come.
enum Told {
    /// It is a practice game, which is left out.
    Practice,
    Rows(Box<Rows>, Vec<String>),
    Later {
        path: Option<String>,
        file: Option<PathBuf>,
        record: Vec<u8>,
    },
}

/// Splits a record into rows and passes those of the entries to `each`, as [`rows_within`] does.
fn printed(
    path: Option<&str>,
    record: &[u8],
    wanted: Wanted,
    most: usize,
    mut each: impl FnMut(EntryRow) -> Result<(), Failure>,
) -> Result<Rows, Failure> {
    let mut done = Ok(());
    let rows = rows_within(most, path, record, wanted, |row| {
        done = each(row);
        done.is_ok()
    });
    done.map(|()| rows)
}

/// Where rows go.
enum Sink {
    Json(Vec<u8>),
    Csv {
        text: Vec<u8>,
        first: bool,
        raw: bool,
    },
    /// A table that begins with its first row, which says what its columns are.
    #[cfg(feature = "parquet")]
    Parquet {
        table: Box<Option<Table<io::Stdout>>>,
        wanted: Wanted,
    },
}

impl Sink {
    fn of(args: &Args) -> Result<Self, Failure> {
        #[cfg(feature = "parquet")]
        if args.parquet {
            if io::stdout().is_terminal() {
                return Err(Failure::trouble("a Parquet file is not for the screen").hint("add `> FILE`"));
            }
            let entries = args.entries || args.positions;
            let wanted = Wanted { addresses: args.addresses, entries, positions: args.positions, proof: false };
            return Ok(Self::Parquet { table: Box::new(None), wanted });
        }
        Ok(match args.csv {
            true => Self::Csv { text: Vec::new(), first: true, raw: args.raw },
            false => Self::Json(Vec::new()),
        })
    }

    /// Rows consist of texts and numbers, which all formats can represent, and writing to memory always succeeds.
    fn add<R: Row>(&mut self, mut row: R) -> Result<(), Failure> {
        let text = match self {
            Self::Json(text) => {
                super::json::add_line(text, &row);
                text
            }
            Self::Csv { text, first, raw } => {
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
                text
            }
            #[cfg(feature = "parquet")]
            Self::Parquet { table, wanted } => {
                let table = match &mut **table {
                    Some(table) => table,
                    empty => empty.insert(Table::of::<R>(io::stdout(), *wanted).map_err(Failure::Output)?),
                };
                return table.add(&row).map_err(Failure::Output);
            }
        };
        if text.len() > 64 * 1024 { print(text_of(text)) } else { Ok(()) }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Json(mut text) | Self::Csv { mut text, .. } => print(text_of(&mut text)),
            #[cfg(feature = "parquet")]
            Self::Parquet { table, wanted } => {
                let table = match *table {
                    Some(table) => Ok(table),
                    None if wanted.entries => Table::of::<EntryRow>(io::stdout(), wanted),
                    None => Table::of::<GameRow>(io::stdout(), wanted),
                };
                table.and_then(Table::finish).map_err(Failure::Output)
            }
        }
    }
}

/// Takes the rows as text, which both formats are.
fn text_of(rows: &mut Vec<u8>) -> String {
    String::from_utf8(std::mem::take(rows)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_positions_are_cut_where_they_are_longer_than_those_of_a_real_game() {
        let record = std::fs::read("examples/assideum/a-siege-without-end.pbem").expect("an example");
        let wanted = |positions| Wanted { entries: true, positions, ..Wanted::default() };
        let cut = |positions, most| {
            let mut numbers = Vec::new();
            let rows = printed(None, &record, wanted(positions), most, |row| {
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
