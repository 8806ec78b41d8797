//! Which side of a game belongs to the player who runs the program, and `postrider own`.

use postrider_home::own_game::OwnGame;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::{input, refusals};
use crate::commands::restore as known;
use postrider_home::entry::own::{NOBODY, hint, named};
use postrider_kernel::Side;

/// Say which side of a game is yours
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/own.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id
    pub(crate) file: PathBuf,
    /// The side's word, as in the record
    side: Option<String>,
    /// Print JSON, one object on one line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    you: Option<&'static str>,
    why: &'a str,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let source = input::record(&args.file)?;
    let opened = refusals::replayed(&source, &origin)?;
    let report = |side: Option<Side>, why: &str, text: String| {
        if !args.json {
            return print(text);
        }
        let state = postrider_board::report::State::of(&origin, &opened.header, &opened.table.standing());
        print(postrider_board::report::line(&Report {
            state,
            you: side.map(|side| opened.header.info.sides[side.index()].word),
            why,
        }))
    };
    const SPECTATOR: &str = "you are a spectator, and accept the entries of both sides";
    const SAID: &str = "you said so";
    let office = crate::cli::home::office()?;
    let game = &OwnGame::new(&office, &opened.header.id);
    let Some(word) = &args.side else {
        if game.looks_on()? {
            report(None, SAID, format!("{SPECTATOR}\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let Some((side, why)) = game.known(&opened).0 else {
            return Err(
                Failure::trouble(format!("your side of {origin} is not known")).advise(&hint(&opened.header, &origin))
            );
        };
        let word = opened.header.info.sides[side.index()];
        report(Some(side), why, format!("{} {} yours: {why}\n", word.named(), word.verb("are", "is")))?;
        return Ok(ExitCode::SUCCESS);
    };
    if word == NOBODY {
        game.note_own(NOBODY)?;
        report(None, SAID, format!("{SPECTATOR}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let own = named(&opened, word)?;
    let side = opened.header.info.sides[own.index()];
    known::guard(&opened, &source, &origin, false)?;
    game.note_own(side.word)?;
    postrider_home::known::remember(game, &source, &args.file);
    report(Some(own), SAID, format!("{} {} yours\n", side.named(), side.verb("are", "is")))?;
    Ok(ExitCode::SUCCESS)
}
