//! The standings and the crosstable of many games as text, Markdown and CSV.

use std::collections::HashMap;

use crate::standings::{Count, Tables, points};
use postrider_kernel::text::printable;
use postrider_referee::desk::export::plain;

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

/// Formats the standings as CSV. `raw`: names that a spreadsheet would take for formulas stay as they are.
#[must_use]
pub fn csv(tables: &Tables, raw: bool) -> String {
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

/// Formats the tables, with what is to be said about them as a whole and about single records.
#[must_use]
pub fn text(tables: &Tables, markdown: bool, about: Option<&str>, remarks: &[String]) -> String {
    let grid = if markdown { as_markdown } else { as_text };
    let plural = if tables.games == 1 { "game counts" } else { "games count" };
    let mut text = format!("{} {plural}\n\n", tables.games);
    if tables.games > 0 {
        for rows in [standings(tables), counts("winner", &tables.winners), counts("how", &tables.endings)] {
            text.push_str(&grid(&rows));
            text.push('\n');
        }
        if let Some(about) = about {
            text.push_str(&format!("{about}\n\n"));
        }
    }
    let bullet = if markdown { "* " } else { "" };
    for remark in remarks {
        text.push_str(&format!("{bullet}{remark}\n"));
    }
    text
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
