//! `postrider proof evidence`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::{home, input};
use postrider_archive::stamps;
use postrider_board::report::Evidenced;
use postrider_home::evidence::in_words;
use postrider_referee::desk::Desk;
use postrider_referee::verdict::{Evidence, NoEvidence, Opened, evidence};

/// Compare two copies of a game: has a player signed two different entries for one turn, or on two pasts?
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/evidence.txt"))]
pub(crate) struct Args {
    /// A record; `-` for standard input
    pub(crate) file: PathBuf,
    /// Another copy of the same game
    pub(crate) other: PathBuf,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Also say when a time-stamping authority witnessed each copy (`postrider proof stamp`), given a file of certificate authorities (PEM)
    #[arg(long, value_name = "AUTHORITIES")]
    stamps: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let sources = [input::record(&args.file)?, input::record(&args.other)?];
    let names = [name(&args.file), name(&args.other)];
    let found = evidence(&sources[0], &sources[1]).map_err(|error| match error {
        NoEvidence::Record(which, verdict) => {
            let which = which.min(1);
            Failure::verdict(&sources[which], &names[which], &verdict, true)
        }
        NoEvidence::OtherGame => {
            Failure::trouble(format!("{} and {} are not records of the same game", names[0], names[1]))
        }
        NoEvidence::OtherHeader => {
            Failure::trouble(format!("{} and {} have the same id but different headers", names[0], names[1])).hint(
                "a header never changes: these are two games, and what was signed in one says nothing about the other",
            )
        }
    })?;
    let names = [names[0].as_str(), &names[1]];
    if args.json {
        print(postrider_board::report::line(&Evidenced::of(&found, &sources[0], names)))?;
        return Ok(match found {
            Evidence::None | Evidence::Twice(_) => ExitCode::SUCCESS,
            Evidence::Keys(..) | Evidence::Double(_) | Evidence::Pasts(_) => ExitCode::from(hints::REFUSED),
        });
    }
    match found {
        Evidence::None => {
            print("nobody has signed two different entries for one turn in these two records\n")?;
            Ok(ExitCode::SUCCESS)
        }
        Evidence::Twice(found) => {
            print(format!(
                "nobody has signed two different entries for one turn: entry {} was made twice at two times, as on two machines or after a \
                 restored backup\n",
                found.number
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        Evidence::Keys(side, keys) => {
            let signs = Opened::new(&sources[0]).map_or_else(
                |_| String::new(),
                |opened| {
                    let side = opened.header.info.sides[side.index()];
                    format!("{} {}", side.named(), side.verb("sign", "signs"))
                },
            );
            print(format!(
                "{signs} with a different key in each: {} in {}, {} in {}\nonly one of them can be the key of that player\n",
                keys[0].fingerprint(),
                names[0],
                keys[1].fingerprint(),
                names[1]
            ))?;
            Ok(ExitCode::from(hints::REFUSED))
        }
        Evidence::Double(_) | Evidence::Pasts(_) => {
            print(in_words(&*home::office()?, &found, &sources[0], names).unwrap_or_default())?;
            if let Some(authorities) = &args.stamps {
                for (name, source) in names.into_iter().zip(&sources) {
                    print(witnessed(name, source, authorities)?)?;
                }
            }
            Ok(ExitCode::from(hints::REFUSED))
        }
    }
}

/// When a copy was stamped.
fn witnessed(name: &str, source: &[u8], authorities: &Path) -> Result<String, Failure> {
    // A record that is not legal has no digests to compare with.
    let Ok(desk) = Desk::open(source) else {
        return Ok(format!("\n{name} is not legal: its time stamps were not checked\n"));
    };
    let lines = stamps::report(&desk, authorities)?.lines;
    Ok(lines.into_iter().fold(format!("\n{name}\n"), |text, line| format!("{text}  {line}\n")))
}
