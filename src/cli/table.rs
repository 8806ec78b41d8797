//! `postrider table`: the standings and the crosstable of many games.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::packed::{Doubts, Origin, Practice, Records};
use super::print;
use super::verify::Known;
use crate::desk::export::{Rows, Wanted, plain, rows};
use crate::desk::standings::{Aliases, Count, Gathered, MOST_CROSSED, READABLE, Tables, points};
use crate::text::printable;
use crate::verdict::is_practice;

/// Show the standings and the crosstable of many games
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider table tournament/
  postrider table 2026.jsonl.zst --game assideum --format markdown
  postrider table league.jsonl.zst --top 20
  postrider table league/ --alias players.yaml   a person of two keys or addresses is one player

A win is 1 point, a draw ½. Only legal, finished games count, each once; what was left out is listed with the reason, \
and so are sealed games whose win is not proven (Z24). Players are told \
apart by their keys, otherwise by address, otherwise by name.")]
pub(super) struct Args {
    /// Records, folders of records, archives (`*.jsonl`, `*.jsonl.zst`)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only this game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only games that began in this year, month or day (`2026-11`)
    #[arg(long, value_name = "DAYS")]
    started: Option<String>,
    /// Only the best of the players, with a crosstable of these; without it there is one for up to 50 players
    #[arg(long, value_name = "PLAYERS")]
    top: Option<usize>,
    /// Who is one player although keys, addresses or names differ: a file of lines `Bram Post: [bram@example.net, 1a2b-3c4d-…]`
    #[arg(long, value_name = "FILE")]
    alias: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Leave names in CSV that a spreadsheet would take for formulas as they are; otherwise an apostrophe is put before them
    #[arg(long)]
    raw: bool,
    /// Also practice games against the machine, which are left out otherwise
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

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(game) = &args.game {
        super::input::game(game)?;
    }
    let aliases = args.alias.as_deref().map(aliases).transpose()?.unwrap_or_default();
    let mut gathered = Gathered::of(aliases);
    let known = Known::here(true);
    let mut doubts = Doubts::default();
    let mut practice = Practice::default();
    let tell = |Origin { path, file }: Origin<'_>, record: Result<&[u8], String>| match record {
        Ok(record) if !args.practice && is_practice(record) => None,
        Ok(record) => {
            let rows = rows(path, record, Wanted { proof: true, ..Wanted::default() });
            let warnings = match rows.game.verdict {
                "legal" => known.warnings(file, record, rows.keys, rows.made),
                _ => Vec::new(),
            };
            Some((rows, warnings))
        }
        Err(why) => {
            let mut rows = Rows::default();
            rows.game.path = path.map(str::to_owned);
            rows.game.verdict = "unjudged";
            rows.game.fault = Some(why);
            Some((rows, Vec::new()))
        }
    };
    let damaged = Records::of(&args.paths).each(tell, |told: Option<(Rows, Vec<String>)>| {
        let Some((rows, warnings)) = told else {
            practice.leave_out();
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
    practice.count();
    let tables = gathered.tables(args.top);
    let format = if args.json { Format::Json } else { args.format };
    print(match format {
        Format::Json => super::json::line(&tables),
        Format::Csv => csv(&tables, args.raw),
        Format::Text => text(&tables, false),
        Format::Markdown => text(&tables, true),
    })?;
    if matches!(format, Format::Csv) {
        remarks(&tables).iter().for_each(|remark| errln!("{remark}"));
        if let Some(remark) = without_crosstable(&tables) {
            errln!("{remark}");
        }
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

/// The rows of the standings, followed by the columns of the crosstable.
fn standings(tables: &Tables) -> Vec<Vec<String>> {
    let mut head: Vec<String> =
        ["", "player", "games", "won", "drawn", "lost", "points"].into_iter().map(str::to_owned).collect();
    // Hardly any table has such games.
    let owing = tables.standings.iter().any(|standing| standing.owing > 0);
    head.extend(owing.then(|| "owing".to_owned()));
    head.extend((1..=tables.crosstable).map(|place| place.to_string()));
    let mut rows = vec![head];
    let mut names: HashMap<&str, usize> = HashMap::new();
    tables.standings.iter().for_each(|standing| *names.entry(&standing.name).or_default() += 1);
    for standing in &tables.standings {
        // Players with the same name are distinguished.
        let shared = names.get(&*standing.name).is_some_and(|count| *count > 1);
        let name = match shared && standing.player != standing.name {
            true => format!("{} ({})", standing.name, standing.player),
            false => standing.name.clone(),
        };
        let mut row = vec![standing.rank.to_string(), printable(&name).into_owned()];
        row.extend([standing.games, standing.won, standing.drawn, standing.lost].map(|count| count.to_string()));
        row.push(points(standing.half_points));
        row.extend(owing.then(|| standing.owing.to_string()));
        let own = |place: usize| tables.standings.get(place).is_some_and(|other| other.player == standing.player);
        row.extend(standing.against.iter().enumerate().map(|(place, halves)| match halves {
            Some(halves) if !own(place) => points(*halves),
            _ if own(place) => "*".into(),
            _ => String::new(),
        }));
        rows.push(row);
    }
    rows
}

fn counts(title: &str, list: &[Count]) -> Vec<Vec<String>> {
    let head = vec!["game".to_owned(), title.to_owned(), "games".to_owned()];
    let row = |count: &Count| vec![count.game.to_owned(), count.what.to_owned(), count.games.to_string()];
    std::iter::once(head).chain(list.iter().map(row)).collect()
}

fn csv(tables: &Tables, raw: bool) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for mut row in standings(tables) {
        if row[0].is_empty() {
            row[0] = "rank".into();
        }
        if !raw {
            row.get_mut(1).into_iter().for_each(plain);
        }
        // Texts can always be written, and writing to memory always succeeds.
        let _ = writer.write_record(&row);
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn text(tables: &Tables, markdown: bool) -> String {
    let grid = if markdown { as_markdown } else { as_text };
    let plural = if tables.games == 1 { "game counts" } else { "games count" };
    let mut text = format!("{} {plural}\n\n", tables.games);
    if tables.games > 0 {
        for rows in [standings(tables), counts("winner", &tables.winners), counts("how", &tables.endings)] {
            text.push_str(&grid(&rows));
            text.push('\n');
        }
        if let Some(remark) = without_crosstable(tables) {
            text.push_str(&format!("{remark}\n\n"));
        }
    }
    let bullet = if markdown { "* " } else { "" };
    for remark in remarks(tables) {
        text.push_str(&format!("{bullet}{remark}\n"));
    }
    text
}

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
            "owing: sealed games that the player ended while an opening, a reveal or seeds were to be shown: `postrider audit` says more"
                .into(),
        );
    }
    let more = |count: usize, what: &str| (count > 0).then(|| format!("{count} more {what}"));
    remarks.extend(more(tables.more_unproven, "are won, not proven"));
    let left_out = |(path, why): &(String, String)| format!("left out: {}: {}", printable(path), printable(why));
    remarks.extend(tables.left_out.iter().map(left_out));
    remarks.extend(more(tables.more_left_out, "are left out: `postrider export` lists them all"));
    remarks
}

/// Reports a win that counts although nothing shows that the winner's deck, deployment or tokens were what they should be.
fn unproven(path: &str) -> String {
    format!("won, not proven: {}: `postrider audit` says more", printable(path))
}

/// Aligns columns; numbers are on the right.
fn as_text(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let number = cell.chars().all(|c| c.is_ascii_digit() || c == '½' || c == '*');
            let pad = " ".repeat(width - cell.chars().count());
            line.push_str(&if number { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn as_markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &[String]| {
        let cells: Vec<String> =
            row.iter().map(|cell| cell.replace('\\', r"\\").replace('|', r"\|").replace('<', "&lt;")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        text.push_str(&line(row));
        if place == 0 {
            text.push_str(&format!("|{}\n", " --- |".repeat(row.len())));
        }
    }
    text
}
