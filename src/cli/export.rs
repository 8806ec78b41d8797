//! `postrider export`: records as tables of data.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure};
use super::packed::{self, Origin, Records};
use super::print;
use super::verify::Known;
use crate::desk::export::{Rows, Wanted, rows};

/// Export records as data: a row per game, or a row per entry
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider export games/ --csv > games.csv
  postrider export games.jsonl.zst --entries > entries.json
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
    /// One JSON object per line (the default)
    #[arg(long)]
    json: bool,
    /// Also the players' mail addresses
    #[arg(long)]
    addresses: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let entries = args.entries || args.positions;
    let wanted = Wanted { addresses: args.addresses, entries, positions: args.positions, proof: false };
    let mut worst = 0;
    let mut first = true;
    let known = Known::here(true);
    let tell = |Origin { path, file }: Origin<'_>, record: Result<&[u8], String>| match record {
        Ok(record) => {
            let rows = rows(path, record, wanted);
            let warnings = match rows.game.verdict {
                "legal" => known.warnings(file, record, rows.keys, rows.made),
                _ => Vec::new(),
            };
            (rows, warnings)
        }
        Err(why) => {
            let mut rows = Rows::default();
            rows.game.path = path.map(str::to_owned);
            rows.game.verdict = "unjudged";
            rows.game.fault = Some(why);
            (rows, Vec::new())
        }
    };
    let mut text = Vec::new();
    let damaged = Records::of(&args.paths).each(tell, |(rows, warnings): (Rows, Vec<String>)| {
        packed::warn(rows.game.path.as_deref(), &warnings);
        worst = worst.max(match rows.game.verdict {
            "legal" => 0,
            "unjudged" => hints::TROUBLE,
            _ => hints::REFUSED,
        });
        if entries {
            rows.entries.iter().for_each(|row| add(&mut text, row, args.csv, &mut first));
            if let Some(fault) = &rows.game.fault {
                let path = rows.game.path.as_deref().unwrap_or("-");
                errln!("{}: {}: {}", crate::text::printable(path), rows.game.verdict, crate::text::printable(fault));
            }
        } else {
            add(&mut text, &rows.game, args.csv, &mut first);
        }
        if text.len() > 64 * 1024 { print(String::from_utf8_lossy(&std::mem::take(&mut text))) } else { Ok(()) }
    })?;
    print(String::from_utf8_lossy(&text))?;
    Ok(ExitCode::from(worst.max(damaged)))
}

/// Adds a row as text; before the first CSV row, the column names.
fn add(text: &mut Vec<u8>, row: &impl Serialize, as_csv: bool, first: &mut bool) {
    // Rows consist of texts and numbers, which both formats can represent, and writing to memory always succeeds.
    if as_csv {
        let mut writer = csv::WriterBuilder::new().has_headers(*first).from_writer(&mut *text);
        let _ = writer.serialize(row);
        let _ = writer.flush();
    } else {
        text.extend_from_slice(super::json::line(row).as_bytes());
    }
    *first = false;
}
