//! `postrider move`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::{input, print, send, show};
use crate::desk::{self, Entered, Refusal, Wish};
use crate::games::kernel::Viewer;
use crate::render::Look;
use crate::render::sheet::{self, Extras};
use crate::store::RecordLock;

/// Judge an entry and append it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider move game.pbem c4-c5
  postrider move game.pbem 'e6xe4xc4' --message 'sorry!' --send
  postrider move game.pbem 'c4-c5; draw?'
  postrider move game.pbem resign
  postrider move -n game.pbem d4-d5        judge it, append nothing

The entry is that of the side that is due. A refused one leaves the file untouched.")]
pub(super) struct Args {
    /// The record
    file: PathBuf,
    /// The actions of the entry, separated by `;`
    actions: String,
    /// A message to the opponent, on one line without braces
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The entry's time instead of now, as in 2026-11-21T10:15:00Z
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Judge the entry and show the result, but write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Mail the record afterwards, as `postrider send` does
    #[arg(long, conflicts_with = "dry_run")]
    send: bool,
    /// Show signs beyond ASCII
    #[arg(long)]
    unicode: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let time = input::now(args.at.as_deref())?;
    let wish = Wish { actions: &args.actions, message: args.message.as_deref(), time, time_asked: args.at.is_some() };
    let entered = if args.dry_run {
        desk::enter(&input::record(&args.file)?, &wish).map_err(|refusal| refused(&origin, refusal))?
    } else {
        if input::is_stdin(&args.file) {
            return Err(
                Failure::trouble("a move is written to a file, not to standard input").hint("use -n to judge it only")
            );
        }
        let mut lock = RecordLock::take(&args.file).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let entered = desk::enter(&source, &wish).map_err(|refusal| refused(&origin, refusal))?;
        input::written(lock.replace(&source, &entered.record))?;
        entered
    };
    show_entered(&entered, &origin, args)?;
    // The move is safely in the file before anything is sent.
    if args.send { send::send(&args.file, &send::Wish::default()) } else { Ok(ExitCode::SUCCESS) }
}

fn show_entered(entered: &Entered, origin: &str, args: &Args) -> Result<(), Failure> {
    let (opened, _) = input::open(&entered.record, origin, u32::MAX)?;
    let extras = Extras { entries: show::last_entries(&opened, 1), now: None, local: true };
    let look = Look { unicode: args.unicode, colour: true };
    print(sheet::draw(&opened, opened.table.view(Viewer::Public), &extras, look))?;
    if let Some(time) = entered.later {
        anstream::eprintln!("the entry before is of {time}, ahead of the clock here: this one has the same time");
    }
    if args.dry_run { print("\nnothing was written\n") } else { Ok(()) }
}

fn refused(origin: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Record(verdict) => {
            let failure = Failure::trouble(format!("{origin} is {}, so nothing can be entered", verdict.ruling.word()));
            let failure = failure.hint(format!("`postrider verify -v {origin}` shows what is wrong"));
            if hints::code_of(verdict.ruling) == hints::REFUSED {
                Failure::Refused(failure.to_string())
            } else {
                failure
            }
        }
        Refusal::Over(result) => {
            let failure = Failure::trouble(format!("the game is over ({result}): nothing can be entered (E4)"));
            Failure::Refused(failure.to_string())
        }
        Refusal::Message(why) => {
            let failure = Failure::trouble(format!("{why} (E9)")).hint("leave them out");
            Failure::Refused(failure.to_string())
        }
        Refusal::Entry(tried, verdict) => Failure::verdict(&tried, origin, &verdict, true),
    }
}
