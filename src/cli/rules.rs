//! `postrider rules`.

use std::process::ExitCode;

use serde::Serialize;

use super::hints::Failure;
use super::{input, json, pager, print, view};
use crate::render::sheet::folded;
use crate::rulebook::{self, Rulebook};

/// Print a rulebook, or a single rule
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  postrider rules                list the rulebooks
  postrider rules asalto         the whole rulebook of a game
  postrider rules asalto T21     one rule
  postrider rules record E5      a rule of the record format
  postrider rules sealing Z12    a rule of sealed play

On a terminal the text is shown by the program named by `PAGER`, or by `less`.")]
pub(super) struct Args {
    /// The game, or `record` for the record format, `sealing` for sealed play, `mail` for games by mail, `words` for the words and how to read a rule number
    #[arg(value_name = "GAME")]
    book: Option<String>,
    /// The rule's number, as a refusal names it
    number: Option<String>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Do not show it through a pager, even on a terminal
    #[arg(long)]
    no_pager: bool,
}

impl Args {
    /// The command that prints this rulebook, or the rule of this number.
    pub(super) fn of(wanted: &str) -> Self {
        Self { book: Some(wanted.to_owned()), ..Self::default() }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    book: &'a str,
    title: &'a str,
    rules: Vec<Rule<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Rule<'a> {
    rule: &'a str,
    title: &'a str,
}

/// A rulebook as JSON: all its rules, or the one with this number, with its text if that is to be read.
fn as_json(book: &Rulebook, number: Option<&str>, text: Option<String>) -> String {
    let wanted = book.rules.iter().filter(|rule| number.is_none_or(|number| rule.code == number));
    let rules = wanted.map(|rule| Rule { rule: rule.code, title: rule.title }).collect();
    json::line(&Report { book: book.name, title: book.title, rules, text })
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.book else {
        let list = rulebook::all().map(|book| match args.json {
            true => as_json(&book, None, None),
            false => format!("{:14}  {}\n", book.name, book.title),
        });
        print(list.collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    };
    // A number alone is enough to find its rule.
    let (book, number) = match rulebook::find(name).or_else(|| rulebook::find(&name.to_ascii_lowercase())) {
        Some(book) => (book, args.number.as_deref()),
        None if args.number.is_none() => match rulebook::all().find(|book| book.section(name).is_some()) {
            Some(book) => (book, Some(name.as_str())),
            None => return Err(no_book(name)),
        },
        None => return Err(no_book(name)),
    };
    let text = match number {
        None => book.text.to_owned(),
        Some(number) => section(&book, number)?,
    };
    match (args.json, args.no_pager) {
        (true, _) => print(as_json(&book, number, Some(text)))?,
        (false, true) => print(fitting(text))?,
        (false, false) => pager::show(&fitting(text))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The text with its paragraphs folded to fit the terminal, if it is printed to one that is narrower than its lines.
fn fitting(text: String) -> String {
    match view::columns() {
        Some(columns) if text.lines().any(|line| line.chars().count() > columns) => reflowed(&text, columns),
        _ => text,
    }
}

/// Folds the paragraphs and items of a page. Blocks of code and tables stay as they are.
fn reflowed(text: &str, columns: usize) -> String {
    let mut pages = String::new();
    // The paragraph that is being read, and the width of the mark of a list in front of it.
    let mut paragraph = String::new();
    let mut indent = 0;
    let mut in_block = false;
    let end = |paragraph: &mut String, indent: usize, pages: &mut String| {
        if !paragraph.is_empty() {
            let width = columns.saturating_sub(indent).max(indent + 1);
            let text = paragraph.get(indent..).unwrap_or_default();
            let lines = folded(text, width).join(&format!("\n{:indent$}", ""));
            pages.push_str(&format!("{}{lines}\n", &paragraph[..indent]));
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        let inner = line.trim_start();
        if fence
            || in_block
            || line.is_empty()
            || inner.starts_with('|')
            || (paragraph.is_empty() && line.starts_with("    "))
        {
            end(&mut paragraph, indent, &mut pages);
            pages.push_str(&format!("{line}\n"));
            in_block ^= fence;
            continue;
        }
        let space = line.len() - inner.len();
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let mark = match inner.get(digits..) {
            Some(rest) if digits > 0 && rest.starts_with(". ") => digits + 2,
            Some(rest) if digits == 0 && (rest.starts_with("* ") || rest.starts_with("- ")) => 2,
            _ => 0,
        };
        if mark > 0 || paragraph.is_empty() || inner.starts_with('#') {
            end(&mut paragraph, indent, &mut pages);
            indent = space + mark;
            paragraph.push_str(line);
        } else {
            paragraph.push(' ');
            paragraph.push_str(inner);
        }
    }
    end(&mut paragraph, indent, &mut pages);
    pages
}

fn section(book: &Rulebook, number: &str) -> Result<String, Failure> {
    book.section(number).ok_or_else(|| {
        let numbers = book.rules.iter().map(|rule| rule.code).collect::<Vec<_>>().join(" ");
        let failure = Failure::trouble(format!("the rulebook `{}` has no rule `{number}`", book.name));
        // A refusal in a game may name a rule of the record or of sealed play.
        match ["record", "sealing"].into_iter().find(|name| elsewhere(name, number)) {
            Some(name) => failure.hint(format!("`postrider rules {name} {number}` prints it")),
            None => failure.hint(format!("it has {numbers}")),
        }
    })
}

fn elsewhere(book: &str, number: &str) -> bool {
    rulebook::find(book).is_some_and(|book| book.section(number).is_some())
}

fn no_book(name: &str) -> Failure {
    match input::game(name) {
        Err(failure) => failure.hint("`postrider rules` lists the rulebooks"),
        Ok(_) => Failure::trouble(format!("there is no rulebook `{name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_items_are_folded_and_blocks_are_not() {
        let text = "### T1 the board\n\nOne paragraph of\nmore than one line.\n\n* an item that is\n  long enough\n* short\n\n\
                    ```turns\na line of a block that is long\n```\n12. twelfth and\n    last of all\n";
        let right = "### T1 the board\n\nOne paragraph of\nmore than one\nline.\n\n* an item that is\n  long enough\n* short\n\n\
                     ```turns\na line of a block that is long\n```\n12. twelfth and\n    last of all\n";
        assert_eq!(reflowed(text, 17), right);
    }

    #[test]
    fn every_rulebook_keeps_its_words_and_fits_a_narrow_terminal() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for book in rulebook::all() {
            let folded = reflowed(book.text, 60);
            assert_eq!(words(&folded), words(book.text), "{}", book.name);
            let mut in_block = false;
            for line in folded.lines() {
                in_block ^= line.trim_start().starts_with("```");
                let as_it_is = in_block || line.trim_start().starts_with('|') || line.starts_with("    ");
                let one_word = line.split_whitespace().count() < 3;
                assert!(as_it_is || one_word || line.chars().count() <= 60, "{}: {line}", book.name);
            }
        }
    }
}
