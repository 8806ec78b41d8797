//! `postrider answer`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::keys::Keys;
use super::play::{self, Given};
use super::{conditions, input, own, print, refusals};
use crate::desk::{Answer, Entered};
use crate::games::kernel::Viewer;
use crate::render::sheet::{self, Extras};
use crate::store::Settings;

/// Append the reply that was foreseen with `if`, or the entry that is forced
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider answer game.pbem           accept a challenge without an escape, open dice that end the game, open a deployment,
                                       reveal the tokens that are attacked
  postrider answer game.pbem --send
  postrider answer -n game.pbem        only say what would be entered
  postrider answer --no-conditions game.pbem

Where what is to be opened is followed by a turn of your own, it is shown, and `postrider move` adds the opening.")]
pub(super) struct Args {
    /// The record
    file: PathBuf,
    /// Do not use the replies that `postrider if` has stored
    #[arg(long)]
    no_conditions: bool,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    if input::is_stdin(&args.file) && !args.given.dry_run {
        return Err(Failure::trouble("an answer is written to a file, not to standard input"));
    }
    let (mut lock, source) = args.given.source(&args.file)?;
    let desk = refusals::on_desk(&source, &origin)?;
    let opened = &desk.opened;
    args.given.guard(opened, &source, &origin)?;
    let standing = opened.table.standing();
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    if let Some(own) =
        own::side(opened, &settings).filter(|own| *own != standing.due.side && standing.outcome.is_none())
    {
        // A deal that the drawer's own program made would not be the opponent's.
        let [own, other] = [own, standing.due.side].map(|side| opened.header.info.sides[side.index()]);
        let what = format!("{} {} due, and you play {}", other.named(), other.verb("are", "is"), own.named());
        return Err(Failure::trouble(what).hint("the opponent's program answers for the opponent"));
    }
    let mut keys = Keys::to_move(opened, &origin, args.given.dry_run, args.given.unsigned)?;
    let wish = args.given.wish("")?;
    let mut write = |entered: &Entered| match &mut lock {
        Some(lock) => {
            input::written(lock.replace(&source, &entered.record))?;
            play::entered_here(opened, entered);
            Ok::<(), Failure>(())
        }
        None => Ok(()),
    };
    if !args.no_conditions
        && let Some((entered, rest)) = conditions::answer(&desk, &origin, &wish, &mut keys, args.given.dry_run)?
    {
        write(&entered)?;
        if !args.given.dry_run {
            conditions::keep(&rest)?;
        }
        drop(lock);
        return play::finish(desk, entered, &keys, &origin, &args.given, false);
    }
    match desk.answer(&wish, &mut keys).map_err(|refusal| refusals::refused(&origin, refusal))? {
        Answer::Entered(entered) => {
            write(&entered)?;
            drop(lock);
            errln!("entry {}: {}", entered.number, sheet::in_brief(&entered.actions));
            play::finish(desk, *entered, &keys, &origin, &args.given, false)
        }
        Answer::Choose(after) => {
            let mut opened = desk.opened;
            opened.table = after;
            let extras = Extras { entries: sheet::last_entries(&opened, 1), now: None, local: true };
            print(sheet::draw(&opened, opened.table.view(Viewer::Public), &extras, args.given.look()))?;
            print(format!("\n{}", sheet::ONLY_YOU))?;
            Err(Failure::trouble("the game goes on, so the entry is not wholly forced: choose your turn")
                .hint(format!("`postrider move {origin} 'YOUR TURN'` adds the opening by itself")))
        }
        Answer::Nothing(what) => Err(Failure::trouble(format!("nothing is forced: {what} is due"))
            .hint(format!("`postrider moves {origin}` lists what may be entered"))),
    }
}
