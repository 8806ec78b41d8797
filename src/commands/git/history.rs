//! `postrider git history`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use super::here;
use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::print;
use postrider_git::{HistoryEvent, Origin, RecordHistory, history, short, shown};
use postrider_kernel::text::{entries, printable};

/// Show which commit brought each entry of each record, and what is odd about it
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/git-history.txt"))]
pub(super) struct Args {
    /// A revision, or a range OLD..NEW
    #[arg(value_name = "REV|RANGE", default_value = "HEAD")]
    revision: OsString,
    /// Only records under these paths
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<OsString>,
    /// Print one JSON object per record
    #[arg(long)]
    json: bool,
    /// End with 1 if anything is odd
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    history(&here(), &args.revision, &args.paths, |event| {
        let report = match event {
            HistoryEvent::Shallow(commit) => {
                super::tell_shallow(&commit);
                worst = hints::TROUBLE;
                return Ok(());
            }
            HistoryEvent::Record(report) => report,
        };
        worst = worst.max(report.verdict.map_or(0, hints::code_of_word));
        if args.strict && !report.odd.is_empty() {
            worst = worst.max(hints::REFUSED);
        }
        print(if args.json { postrider_board::report::line(&report) } else { in_words(&report) })
    })?;
    Ok(ExitCode::from(worst))
}

fn in_words(report: &RecordHistory) -> String {
    let state = match (report.verdict, &report.result) {
        (None, _) => "no longer there".to_owned(),
        (Some(verdict), Some(result)) => format!("{verdict}, {}, {result}", entries(report.entries)),
        (Some(verdict), None) => format!("{verdict}, {}", entries(report.entries)),
    };
    let mut text = format!("{}  {}  {state}\n", shown(report.path.as_bytes()), printable(&report.id));
    let of = |origin: Option<&Origin>| {
        let (commit, committed, author) = match origin {
            Some(origin) => {
                (short(&origin.commit), origin.committed.to_string(), format!("{} <{}>", origin.author, origin.email))
            }
            None => ("before", "-".to_owned(), "-".to_owned()),
        };
        format!("  {commit:<12}  {committed:<20}  {}  ", printable(&author))
    };
    // Many entries in a row are mostly of one commit.
    let mut last: Option<(Option<&Rc<Origin>>, String)> = None;
    for row in &report.rows {
        let origin = row.origin.as_ref();
        let is_last = |one: Option<&Rc<Origin>>| match (one, origin) {
            (Some(one), Some(origin)) => Rc::ptr_eq(one, origin),
            (one, origin) => one.is_none() && origin.is_none(),
        };
        let (_, begins) = match last.take().filter(|(one, _)| is_last(*one)) {
            Some(same) => last.insert(same),
            None => last.insert((origin, of(origin.map(|origin| &**origin)))),
        };
        text.push_str(begins);
        let _ = write!(text, "{} {} {}", row.number, row.side, printable(&row.actions));
        for part in row.time.iter().flat_map(|time| [" @", time]).chain(row.signed.then_some("  signed")) {
            text.push_str(part);
        }
        text.push('\n');
    }
    for odd in &report.odd {
        let _ = writeln!(text, "  odd: {} [{}]", printable(&odd.text), odd.code);
    }
    text.push('\n');
    text
}
