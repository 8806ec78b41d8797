//! `postrider clock`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::cli::out::print;
use crate::cli::{input, view};
use crate::commands::restore as known;
use postrider_board::render::moment;
use postrider_board::render::sheet;
use postrider_home::clocks::Running;
use postrider_home::clocks::left;
use postrider_kernel::text::names::path_text;
use postrider_kernel::{Side, SideName};
use postrider_referee::desk::clock::{Charged, account};
use postrider_referee::judging::{Clocks, in_brief, in_words};
use postrider_referee::record::{Clock, Refill, Time};
use postrider_referee::verdict::{Opened, Ruling};

/// Account for the clocks: what each entry used and gained, and how much time is left
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  postrider clock game.pbem
  postrider clock --json game.pbem           the same for programs; all times in seconds
  TZ=America/New_York postrider clock game.pbem

Clocks count the seconds between the times of entries, in days of 24 hours: time zones and daylight saving time play no part. Local \
times are shown only for convenience.")]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Print JSON, one object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The command for this record, without options.
    pub(crate) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    let charges = account(&source).map_err(|verdict| Failure::verdict(&source, &origin, &verdict, true))?;
    let now = input::now(None)?;
    if args.json {
        let path = path_text(&args.file);
        let report = Report::new(&path, &opened, &charges, now);
        crate::cli::json::stream(&report)?;
    } else {
        if verdict.ruling == Ruling::Legal {
            known::warn(&opened, &source, &origin);
        }
        print_text(&origin, &opened, &charges, now)?;
    }
    // What is legal is accounted for, then what stopped the replay is reported.
    if verdict.ruling == Ruling::Legal {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    }
}

/// What a clock grants, in words.
fn granted(clock: Clock) -> String {
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

fn print_text(origin: &str, opened: &Opened<'_>, charges: &[Charged], now: Time) -> Result<(), Failure> {
    let standing = opened.table.standing();
    let side = |side: Side| opened.header.info.sides[side.index()];
    let Some(clocks) = standing.clocks else {
        return print(format!("{}  no clock: nobody's time is counted\n", opened.header.id));
    };
    print(format!("{}  {}\n\n", opened.header.id, granted(clocks.clock())))?;
    print_table(opened, charges)?;
    let mut text = String::new();
    let mut rows: Vec<(&str, String)> = Vec::new();
    match standing.outcome {
        Some(outcome) => rows.push(("result", outcome.text(&opened.header.info.sides))),
        None => {
            let due = standing.due.side;
            let since = standing.last.map(|last| format!(", since {}", moment::told(last, true))).unwrap_or_default();
            let forced = if clocks.is_forced() { ", a forced answer" } else { "" };
            let what = format!("{}{forced}", standing.due.what);
            rows.push(("due", format!("{} (entry {}): {what}{since}", side(due).word, standing.entries + 1)));
            match Running::of(&standing, now) {
                Some(running) => rows.push((side(due).word, running.told())),
                None => rows.push(("clock", "the first entry starts it".into())),
            }
            let waits = due.other();
            rows.push((side(waits).word, format!("{} left, not running", in_words(clocks.left(waits)))));
            if clocks.run_out(due, now) {
                let command = format!("`postrider move {} 'claim time'`", arg(origin));
                rows.push(("claim", format!("{} may claim time: {command}", side(waits).named())));
            }
        }
    }
    if clocks.clock().leave > 0 {
        for which in Side::BOTH {
            rows.push(("leave", format!("{} {}", side(which).word, leave(&clocks, which))));
        }
    }
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, value) in rows {
        let room = view::columns().unwrap_or(usize::MAX).saturating_sub(width + 2);
        let value = sheet::folded(&value, room).join(&format!("\n{:1$}", "", width + 2));
        text.push_str(&format!("{label:width$}  {value}\n"));
    }
    print(text)
}

fn leave(clocks: &Clocks, side: Side) -> String {
    let (taken, granted) = clocks.leave(side);
    let last = clocks.last_leave(side).map(|end| format!(", the last until {end}")).unwrap_or_default();
    format!("{} taken of {}{last}", in_brief(taken), in_brief(granted))
}

/// Prints the charges, one row per entry, with an extra line where more needs to be said. There can be as many as a record has
/// entries, so each row is made twice, once for its widths, and none is kept.
fn print_table(opened: &Opened<'_>, charges: &[Charged]) -> Result<(), Failure> {
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

/// The account as JSON. All durations are in seconds.
#[derive(Serialize)]
struct Report<'a> {
    path: &'a str,
    game: &'static str,
    id: &'a str,
    clock: Option<Granted>,
    charges: Rows<'a>,
    now: String,
    due: Option<&'static str>,
    running: Option<Due>,
    left: Option<BTreeMap<&'static str, i64>>,
    leave: Option<BTreeMap<&'static str, Leave>>,
    result: Option<String>,
}

#[derive(Serialize)]
struct Granted {
    grant: i64,
    per: Option<u64>,
    gain: Option<i64>,
    leave: i64,
    forced: i64,
}

/// The charges, each of which is made as it is written.
struct Rows<'a> {
    charges: &'a [Charged],
    sides: [SideName; 2],
}

#[derive(Serialize)]
struct ChargeRow {
    entry: u32,
    by: &'static str,
    side: &'static str,
    from: Option<String>,
    to: String,
    still: i64,
    used: i64,
    before: i64,
    added: i64,
    left: i64,
    over: i64,
    ran_out: Option<String>,
    claimed: bool,
    leave_until: Option<String>,
}

#[derive(Serialize)]
struct Due {
    side: &'static str,
    entry: u32,
    what: &'static str,
    since: Option<String>,
    left: Option<i64>,
    until: Option<String>,
    still_until: Option<String>,
    run_out: bool,
    claim_time: Vec<&'static str>,
}

#[derive(Serialize)]
struct Leave {
    taken: i64,
    granted: i64,
    last_until: Option<String>,
}

impl Serialize for Rows<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |side: Side| self.sides[side.index()].word;
        let text = |time: Time| time.to_string();
        serializer.collect_seq(self.charges.iter().map(|charged| ChargeRow {
            entry: charged.entry,
            by: word(charged.side),
            side: word(charged.charge.side),
            from: charged.charge.since.map(text),
            to: text(charged.charge.until),
            still: charged.charge.still,
            used: charged.charge.used,
            before: charged.charge.before,
            added: charged.charge.added,
            left: charged.charge.left,
            over: charged.charge.over(),
            ran_out: charged.charge.ran_out().map(text),
            claimed: charged.is_claim(),
            leave_until: charged.leave.map(|(_, end)| text(end)),
        }))
    }
}

impl<'a> Report<'a> {
    fn new(path: &'a str, opened: &'a Opened<'_>, charges: &'a [Charged], now: Time) -> Self {
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        let text = |time: Time| time.to_string();
        let due = standing.outcome.is_none().then(|| {
            let side = standing.due.side;
            let running = Running::of(&standing, now);
            let run_out = running.as_ref().is_some_and(|running| running.left < 0);
            Due {
                side: word(side),
                entry: standing.entries + 1,
                what: standing.due.what,
                since: standing.last.map(text),
                left: running.as_ref().map(|running| running.left),
                until: running.as_ref().map(|running| text(running.deadline)),
                still_until: running.and_then(|running| running.still_until).map(text),
                run_out,
                claim_time: run_out.then(|| word(side.other())).into_iter().collect(),
            }
        });
        let leave = |clocks: &Clocks, side: Side| {
            let (taken, granted) = clocks.leave(side);
            Leave { taken, granted, last_until: clocks.last_leave(side).map(text) }
        };
        Self {
            path,
            game: opened.header.info.name,
            id: &opened.header.id,
            clock: standing.clocks.map(|clocks| Granted::new(clocks.clock())),
            charges: Rows { charges, sides: opened.header.info.sides },
            now: text(now),
            due: due.as_ref().map(|due| due.side),
            running: due,
            left: left(opened, now),
            leave: standing.clocks.map(|clocks| Side::BOTH.map(|side| (word(side), leave(&clocks, side))).into()),
            result: standing.outcome.map(|outcome| outcome.text(&opened.header.info.sides)),
        }
    }
}

impl Granted {
    fn new(clock: Clock) -> Self {
        let (per, gain) = match clock.refill {
            Refill::Each => (None, None),
            Refill::Every(count) => (Some(count), None),
            Refill::Gain(gain) => (None, Some(gain)),
        };
        Self { grant: clock.grant, per, gain, leave: clock.leave, forced: clock.forced }
    }
}
