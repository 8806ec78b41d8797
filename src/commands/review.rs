//! `postrider review`.

use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::progress::Progress;
use crate::cli::{fair, input, view};
use postrider_board::render::sheet::folded;
use postrider_kernel::Info;
use postrider_machine::review::{MOST_ENTRIES, NoReview, Review, review};
use postrider_referee::verdict::{Opened, Ruling};
use postrider_requests::Looked;
use postrider_search::{LEVELS, level_of};

/// Look back at a game that is over: where it turned
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/review.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input
    pub(crate) file: PathBuf,
    /// How closely the game is looked at, from 1 to 5, as `practice` plays
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    level: u8,
    /// What the machine's thoughts follow from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON, one object per entry
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let level = level_of(args.level).unwrap_or(&LEVELS[2]);
    let (info, entries) = match Opened::new(&source) {
        Ok(mut opened) => {
            // One that goes on, or is not legal, is refused below.
            if opened.replay(u32::MAX).ruling == Ruling::Legal && opened.table.standing().outcome.is_some() {
                fair::gives_no_help(&opened, &origin)?;
            }
            (opened.header.info, None)
        }
        Err(verdict) => return Err(Failure::verdict(&source, &origin, &verdict, true)),
    };
    let mut progress = Progress::counting("entries", entries);
    let mut stopped = Ok(());
    let done = review(&source, level.budget, args.seed, &mut || {
        stopped = progress.more(1);
        stopped.is_ok()
    });
    drop(progress);
    stopped?;
    let review = done.map_err(|why| match why {
        NoReview::Verdict(verdict) => Failure::verdict(&source, &origin, &verdict, true),
        NoReview::Running => Failure::trouble(format!(
            "{origin} goes on, and whoever looks ahead in a running game has help that the opponent has not"
        ))
        .hint(format!("when it is over, `postrider review` shows where it turned; `postrider practice {}` is for trying things out", info.name))
        .refused(None),
    })?;
    print(match args.json {
        true => review.entries.iter().map(|entry| postrider_board::report::line(&Looked::of(info, entry))).collect(),
        false => text(info, &origin, &review),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The entries at which the game turned, in words.
fn text(info: &Info, origin: &str, review: &Review) -> String {
    let columns = view::columns().unwrap_or(100);
    let turns: Vec<_> = review.entries.iter().filter(|entry| entry.turn.is_some()).collect();
    let count = |number: usize| if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") };
    let mut text = match turns.len() {
        0 => format!("{origin}: {}; the game turned at none of them\n", count(review.entries.len())),
        number => format!("{origin}: {}; the game turned at {number} of them\n", count(review.entries.len())),
    };
    for entry in turns {
        text.push_str(&format!("\n{}\n", entry.headline(info)));
        for line in entry.told(info) {
            for line in folded(&line, columns.saturating_sub(2)) {
                text.push_str(&format!("  {line}\n"));
            }
        }
    }
    for side in &review.untold {
        text.push_str(&format!(
            "\nthe secret of {} is not published, so what only that side knew is guessed\n",
            info.sides[side.index()].named()
        ));
    }
    if review.passed_over > 0 {
        text.push_str(&format!("\nonly the last {MOST_ENTRIES} entries were looked at\n"));
    }
    if review.hidden > 0 {
        text.push_str(&format!(
            "\nof {} nothing is said, because something was hidden\n",
            count(review.hidden as usize)
        ));
    }
    text
}
