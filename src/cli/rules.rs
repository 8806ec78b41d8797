//! `postrider rules`.

use std::process::ExitCode;

use super::hints::Failure;
use super::{input, print};
use crate::rulebook::{self, Rulebook};

/// Print a rulebook, or the section of one rule
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider rules                the rulebooks there are
  postrider rules asalto         the whole rulebook of a game
  postrider rules asalto T21     one rule
  postrider rules record E5      a rule of the record format
  postrider rules sealing Z12    a rule of sealed play")]
pub(super) struct Args {
    /// The game, or `record` for the record format, `sealing` for sealed play, `mail` for games by mail, `words` for the words and how to read a rule number
    #[arg(value_name = "GAME")]
    book: Option<String>,
    /// The rule's number, as a refusal names it
    number: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.book else {
        let list = rulebook::all().map(|book| format!("{:10}  {}\n", book.name, book.title));
        print(list.collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    };
    let book = match rulebook::find(name).or_else(|| rulebook::find(&name.to_ascii_lowercase())) {
        Some(book) => book,
        // Whoever has only a number at hand finds its rule too.
        None if args.number.is_none() => match rulebook::all().find_map(|book| book.section(name)) {
            Some(section) => {
                print(section)?;
                return Ok(ExitCode::SUCCESS);
            }
            None => return Err(no_book(name)),
        },
        None => return Err(no_book(name)),
    };
    match &args.number {
        None => print(book.text)?,
        Some(number) => print(section(&book, number)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn section(book: &Rulebook, number: &str) -> Result<String, Failure> {
    book.section(number).ok_or_else(|| {
        let numbers = book.rules.iter().map(|rule| rule.code).collect::<Vec<_>>().join(" ");
        Failure::trouble(format!("the rulebook `{}` has no rule `{number}`", book.name))
            .hint(format!("it has {numbers}"))
    })
}

fn no_book(name: &str) -> Failure {
    match input::game(name) {
        Err(failure) => failure.hint("`postrider rules` lists the rulebooks"),
        Ok(_) => Failure::trouble(format!("there is no rulebook `{name}`")),
    }
}
