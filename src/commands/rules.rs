//! `postrider rules`.

use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::{input, pager, view};
use postrider_board::render::prose::for_terminal;
use postrider_referee::rulebook;
use postrider_referee::rulebook::Rulebook;

/// Print a rulebook, or a single rule
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/rules.txt"))]
pub(crate) struct Args {
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
    pub(crate) fn of(wanted: &str) -> Self {
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
    postrider_board::report::line(&Report { book: book.name, title: book.title, rules, text })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
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
        None => book.words(),
        Some(number) => section(&book, number)?,
    };
    match (args.json, args.no_pager) {
        (true, _) => print(as_json(&book, number, Some(text)))?,
        (false, true) => print(fitting(&text))?,
        (false, false) => pager::show(&fitting(&text))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// How wide the text is where it is not printed to a terminal, and at most.
const COLUMNS: usize = 80;
const WIDEST: usize = 100;

/// The text as it is read, and not as it is written.
fn fitting(text: &str) -> String {
    for_terminal(text, view::columns().unwrap_or(COLUMNS).min(WIDEST))
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
    let is_number = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() > 1
        && name.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    if is_number {
        return Failure::trouble(format!("no rulebook has a rule `{name}`"))
            .hint("`postrider rules GAME` prints the rules of a game, `postrider rules` lists the rulebooks");
    }
    match input::game(name) {
        Err(failure) => failure.hint("`postrider rules` lists the rulebooks"),
        Ok(_) => Failure::trouble(format!("there is no rulebook `{name}`")),
    }
}
