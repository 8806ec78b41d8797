//! Writes a manual page for each command into the folder that is named: `cargo run --example man -- FOLDER`.
//!
//! `SOURCE_DATE_EPOCH` is the time of which the day stands in the pages.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: man FOLDER");
        return ExitCode::from(2);
    };
    match write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let seconds = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let day = chrono::DateTime::from_timestamp(seconds, 0).ok_or("SOURCE_DATE_EPOCH is no time")?.format("%Y-%m-%d");
    std::fs::create_dir_all(folder)?;
    let mut commands = postrider::cli::commands().disable_help_subcommand(true);
    commands.build();
    pages(&commands, &day.to_string(), folder)
}

/// Writes the page of a command, and those of the commands below it.
fn pages(command: &clap::Command, day: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, day, folder)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let page = clap_mangen::Man::new(command.clone())
        .title(name.to_uppercase())
        .section("1")
        .date(day)
        .source(concat!("postrider ", env!("CARGO_PKG_VERSION")))
        .manual("postrider");
    let mut text = Vec::new();
    page.render(&mut text)?;
    std::fs::write(folder.join(format!("{name}.1")), tidy(&String::from_utf8(text)?))?;
    Ok(())
}

/// How long a line of a page is at most.
const WIDTH: usize = 78;

/// The same page without what `mandoc -Tlint` complains of: blanks at the ends of lines, long lines, breaks beside empty lines.
fn tidy(page: &str) -> String {
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let beside =
            |other: Option<usize>| other.and_then(|other| lines.get(other)).is_some_and(|line| line.is_empty());
        if *line == ".br" && (beside(at.checked_sub(1)) || beside(Some(at + 1))) {
            continue;
        }
        let mut rest = *line;
        while let Some(end) = end_of_line(rest) {
            let (head, tail) = rest.split_at(end);
            text += head;
            text.push('\n');
            rest = tail.trim_start();
        }
        text += rest;
        text.push('\n');
    }
    text
}

/// How long a line is for mandoc, which reads each character beyond ASCII as `\[u2026]`.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 8 }).sum()
}

/// Where a line of text that is too long may end: between two words, of which the next is not taken for a macro.
fn end_of_line(line: &str) -> Option<usize> {
    if width(line) <= WIDTH || line.starts_with(['.', '\'']) {
        return None;
    }
    let indented = line.len() - line.trim_start().len();
    let fits = |at: &usize| {
        let (head, tail) = line.split_at(*at);
        *at > indented && !head.ends_with(' ') && !tail.starts_with("  ") && !tail.trim_start().starts_with(['.', '\''])
    };
    let blanks = || line.match_indices(' ').map(|(at, _)| at).filter(fits);
    blanks().rfind(|at| width(line.split_at(*at).0) <= WIDTH).or_else(|| blanks().next())
}
