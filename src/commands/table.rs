//! `postrider archive table`: the standings and the crosstable of many games.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::doubts::{Doubts, Known};
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::packed;
use postrider_archive::exporting::split;
use postrider_archive::sources::Origin;
use postrider_archive::standings::{Aliases, Gathered, MOST_CROSSED, READABLE, Tables};
use postrider_archive::tables;
use postrider_kernel::text::printable;
use postrider_referee::desk::export::{Rows, Wanted};

/// Show the standings and the crosstable of many games
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/table.txt"))]
pub(crate) struct Args {
    /// Records or games' ids, folders of records, archives (`*.jsonl`, `*.jsonl.zst`)
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only this game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only games that began in this year, month or day (`2026-11`)
    #[arg(long, value_name = "DAYS", value_parser = days)]
    started: Option<String>,
    /// Show only the best players, and their crosstable; by default there is a crosstable for up to 50 players
    #[arg(long, value_name = "PLAYERS")]
    top: Option<usize>,
    /// A file that says which keys, addresses and names belong to one player, in lines such as `Bram Post: [bram@example.net, 1a2b-3c4d-…]`
    #[arg(long, value_name = "FILE")]
    alias: Option<PathBuf>,
    /// Include games in which a side with a declared key made no entry; that player is known by name only
    #[arg(long)]
    no_shows: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Do not put an apostrophe before CSV names that a spreadsheet would read as formulas
    #[arg(long)]
    raw: bool,
    /// Include practice games against the machine
    #[arg(long)]
    practice: bool,
    /// Print JSON, as `--format json` does
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Markdown,
    Csv,
    Json,
}

/// Reads a year, a month or a day, of which the calendar has one: `2026`, `2026-11` or `2026-11-21`.
fn days(text: &str) -> Result<String, String> {
    let (year, month, day) = match text.len() {
        4 => (text, "01", "01"),
        7 => (text.get(..4).unwrap_or_default(), text.get(5..).unwrap_or_default(), "01"),
        _ => (text.get(..4).unwrap_or_default(), text.get(5..7).unwrap_or_default(), text.get(8..).unwrap_or_default()),
    };
    let whole = format!("{year}-{month}-{day}");
    let is_day = postrider_referee::record::Time::read(format!("{whole}T00:00:00Z").as_bytes()).is_some();
    match is_day && whole.starts_with(text) {
        true => Ok(text.to_owned()),
        false => Err("expected a year, a month or a day: 2026, 2026-01 or 2026-01-31".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(game) = &args.game {
        crate::cli::input::game(game)?;
    }
    let aliases = args.alias.as_deref().map(aliases).transpose()?.unwrap_or_default();
    let mut gathered = Gathered::of(aliases).with_no_shows(args.no_shows);
    let known = Known::here(true);
    let warn = |rows: &Rows, file: Option<&Path>, record: &[u8]| known.warnings(file, record, rows.keys, rows.made);
    let mut doubts = Doubts::default();
    let mut practice = 0;
    let wanted = Wanted { proof: true, ..Wanted::default() };
    let tell =
        |from: Origin<'_>, record: Result<&[u8], String>| split(from, record, wanted, args.practice, &warn).rows();
    let damaged = packed::each(&args.paths, tell, |told: Option<(Box<Rows>, Vec<String>)>| {
        let Some((rows, warnings)) = told else {
            practice += 1;
            return Ok(());
        };
        let other_game = args.game.is_some() && rows.game.game.is_some() && rows.game.game != args.game.as_deref();
        let other_day = args
            .started
            .as_ref()
            .is_some_and(|days| rows.game.started.as_ref().is_some_and(|started| !started.starts_with(days.as_str())));
        if !other_game && !other_day {
            doubts.tell(rows.game.path.as_deref(), warnings);
            gathered.add(&rows);
        }
        Ok(())
    })?;
    doubts.count();
    packed::tell_practice(practice);
    let found = gathered.tables(args.top);
    let (about, remarks) = (without_crosstable(&found), remarks(&found));
    let format = if args.json { Format::Json } else { args.format };
    print(match format {
        Format::Json => postrider_board::report::line(&found),
        Format::Csv => tables::csv(&found, args.raw),
        Format::Text | Format::Markdown => tables::text(&found, format == Format::Markdown, about.as_deref(), &remarks),
    })?;
    if format == Format::Csv {
        remarks.iter().chain(&about).for_each(|remark| errln!("{remark}"));
    }
    Ok(ExitCode::from(damaged))
}

/// Reads a file of players who appear under several keys, addresses or names.
fn aliases(file: &Path) -> Result<Aliases, Failure> {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(ALIASES_MOST).read_to_string(&mut text));
    read.map_err(|error| Failure::reading(file, &error))?;
    Aliases::read(&text).map_err(|fault| {
        Failure::trouble(format!("{}: {fault}", name(file)))
            .hint("a player is a line: `Bram Post: [bram@example.net, 1a2b-3c4d-5e6f-7081-92a3-b4c5-d6e7-f809]`")
    })
}

/// How much of such a file is read: ten thousand players.
const ALIASES_MOST: u64 = 1 << 20;

/// Says which players the tables leave out; `None` if they have all.
fn without_crosstable(tables: &Tables) -> Option<String> {
    let (players, shown) = (tables.player_count, tables.standings.len());
    match (players - shown.min(players), tables.crosstable) {
        (0, 0) if players > 0 => Some(format!(
            "no crosstable of {players} players is drawn, which nobody could read: `--top {READABLE}` shows the best with one"
        )),
        (0, _) => None,
        (_, 0) if shown > 0 => {
            Some(format!("the best {shown} of {players} players; a crosstable is drawn of up to {MOST_CROSSED}"))
        }
        _ => Some(format!("the best {shown} of {players} players")),
    }
}

/// What is to be said about single records.
fn remarks(tables: &Tables) -> Vec<String> {
    let mut remarks: Vec<String> = tables.unproven.iter().map(|path| unproven(path)).collect();
    if tables.standings.iter().any(|standing| standing.owing > 0) {
        remarks.push(
            "owing: sealed games that the player ended while an opening, a reveal or seeds were to be shown: `postrider proof audit` says more"
                .into(),
        );
    }
    let more = |count: usize, what: &str| (count > 0).then(|| format!("{count} more {what}"));
    remarks.extend(more(tables.more_unproven, "are won, not proven"));
    let left_out = |(path, why): &(String, String)| format!("left out: {}: {}", printable(path), printable(why));
    remarks.extend(tables.left_out.iter().map(left_out));
    remarks.extend(more(tables.more_left_out, "are left out: `postrider archive export` lists them all"));
    remarks
}

/// Reports a win that counts although nothing shows that the winner's deck, deployment or tokens were what they should be.
fn unproven(path: &str) -> String {
    format!("won, not proven: {}: `postrider proof audit` says more", printable(path))
}
