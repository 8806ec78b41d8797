//! `postrider archive export`: records as tables of data.

#[cfg(feature = "parquet")]
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::doubts::{Doubts, Known};
use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::Printing;
use crate::cli::packed;
use postrider_archive::exporting::{Sink, Split, split};
use postrider_archive::sources::Origin;
use postrider_kernel::text::printable;
use postrider_referee::desk::export::{Rows, Wanted};

/// Export records as data: a row per game, or a row per entry
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/export.txt"))]
#[command(group = clap::ArgGroup::new("rows"))]
pub(crate) struct Args {
    /// Records or games' ids, folders of records, archives (`*.jsonl`, `*.jsonl.zst`)
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
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
    /// Do not put an apostrophe before CSV texts that a spreadsheet would read as formulas
    #[arg(long, requires = "csv")]
    raw: bool,
    /// A Parquet file with typed columns
    #[cfg(feature = "parquet")]
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    parquet: bool,
    /// One JSON object per line (the default)
    #[arg(long)]
    json: bool,
    /// Include practice games against the machine
    #[arg(long)]
    practice: bool,
    /// Include the players' mail addresses
    #[arg(long)]
    addresses: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let entries = args.entries || args.positions;
    let wanted = Wanted { addresses: args.addresses, entries, positions: args.positions, proof: false };
    let mut worst = 0;
    let known = Known::here(true);
    let warn = |rows: &Rows, file: Option<&Path>, record: &[u8]| known.warnings(file, record, rows.keys, rows.made);
    let mut sink = sink(args, wanted)?;
    let mut doubts = Doubts::default();
    let mut practice = 0;
    // How many records are legal, refused, and not judged, by their exit codes.
    let mut faulty = [0_u64; 3];
    let tell = |from: Origin<'_>, record: Result<&[u8], String>| split(from, record, wanted, args.practice, &warn);
    let damaged = packed::each(&args.paths, tell, |told: Split| {
        let Some((mut rows, warnings)) = told.entries(wanted, &warn, &mut sink).map_err(Failure::Output)? else {
            practice += 1;
            return Ok(());
        };
        doubts.tell(rows.game.path.as_deref(), warnings);
        let code = hints::code_of_word(rows.game.verdict);
        worst = worst.max(code);
        if let Some(count) = faulty.get_mut(usize::from(code)) {
            *count += 1;
        }
        if !entries {
            return sink.add(std::mem::take(&mut rows.game)).map_err(Failure::Output);
        }
        if let Some(fault) = &rows.game.fault {
            let path = rows.game.path.as_deref().unwrap_or("-");
            let entry = rows.game.fault_entry.map(|entry| format!("entry {entry}: ")).unwrap_or_default();
            let rule = rows.game.fault_rule.map(|rule| format!("{rule}: ")).unwrap_or_default();
            errln!("{}: {}: {entry}{rule}{}", printable(path), rows.game.verdict, printable(fault));
        }
        Ok(())
    })?;
    sink.finish().map_err(Failure::Output)?;
    // A row says what is wrong with its game; why the program ends as it does is said here.
    if !entries && worst > 0 {
        tell_faulty(faulty);
    }
    doubts.count();
    packed::tell_practice(practice);
    Ok(ExitCode::from(worst.max(damaged)))
}

/// Says how many records are not legal.
fn tell_faulty([_, refused, unjudged]: [u64; 3]) {
    let records = |count: u64| if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
    let refused = (refused > 0).then(|| format!("{} refused", records(refused)));
    let unjudged = (unjudged > 0).then(|| format!("{} not judged", records(unjudged)));
    let told: Vec<_> = refused.into_iter().chain(unjudged).collect();
    errln!("{}: the columns `verdict` and `fault` say why", told.join(", "));
}

#[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "only that format is told its columns"))]
fn sink(args: &Args, wanted: Wanted) -> Result<Sink, Failure> {
    #[cfg(feature = "parquet")]
    if args.parquet {
        if io::stdout().is_terminal() {
            return Err(Failure::trouble("a Parquet file is not for the screen").hint("add `> FILE`"));
        }
        return Ok(Sink::parquet(Box::new(io::stdout()), wanted));
    }
    let to = Box::new(Printing);
    Ok(if args.csv { Sink::csv(to, args.raw) } else { Sink::json(to) })
}
