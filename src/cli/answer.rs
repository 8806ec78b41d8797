//! `postrider answer`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, arg, name};
use super::home::office;
use super::keys::Keys;
use super::play::{self, By, Given};
use super::{conditions, input, own, print, refusals, send};
use crate::desk::{self, Answer};
use crate::games::kernel::Side;
use crate::office::turn;
use crate::render::sheet::{self, Extras};
use crate::store::Settings;
use crate::verdict::Opened;

/// Play the reply you prepared with `if`, or the entry that is forced
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider answer game.pbem           accept a challenge with no escape, open dice or a deployment,
                                       reveal tokens under attack
  postrider answer game.pbem --send
  postrider answer -n game.pbem        only say what would be entered
  postrider answer --no-conditions game.pbem

If a turn of your own follows what must be opened, the opening is shown, and `postrider move` adds it to your turn.")]
pub(super) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for you
    #[arg(default_value = super::chosen::NOT_NAMED, hide_default_value = true)]
    pub(super) file: PathBuf,
    /// Do not use the replies that `postrider if` has stored
    #[arg(long)]
    no_conditions: bool,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    if input::is_stdin(&args.file) && !args.given.dry_run {
        return Err(Failure::trouble("an answer goes into a file, not to standard input"));
    }
    let (lock, source) = args.given.source(&args.file)?;
    let desk = refusals::to_move(&source, &origin)?;
    let opened = &desk.opened;
    args.given.guard(opened, &source, &origin)?;
    let settings = play::settings()?;
    if let Some(own) = turn::waiting(opened, args.given.side.as_deref(), &*office()?)? {
        if args.given.send && send::is_unsure(&desk, &settings)? {
            // An earlier run was interrupted between writing and sending.
            drop(lock);
            return args.given.stands(&desk, &args.file);
        }
        // If the drawing side's own program made the deal, it would not be the opponent's.
        return Err(turn::not_due(opened, opened.table.standing().due.side, own, &origin).into());
    }
    let office = office()?;
    let mut keys = Keys::to_move(&office, opened, &origin, args.given.dry_run, args.given.unsigned)?;
    keys.only_here = args.given.only_here;
    let request = args.given.request("")?;
    let given = &args.given;
    if !args.no_conditions
        && let Some(tree) = conditions::stored(opened)?
        && let Some((entered, rest)) = conditions::answer(&desk, &origin, &request, &mut keys, given.dry_run, &tree)?
    {
        return play::finish(entered, lock, &keys, &args.file, given, By::Conditions(rest));
    }
    match desk.answer(&request, &mut keys).map_err(|refusal| refusals::refused(&origin, refusal))? {
        Answer::Forced(tried) => {
            drop(desk);
            let entered = tried.append(source, &mut keys).map_err(|refusal| refusals::refused(&origin, refusal))?;
            if given.dry_run {
                errln!("entry {}: {}", entered.number, sheet::in_brief(&entered.actions));
            }
            play::finish(entered, lock, &keys, &args.file, given, By::Force)
        }
        Answer::Choose(after) => {
            let mut opened = desk.opened;
            opened.table = after;
            let failure =
                Failure::trouble("the entry is not entirely forced, because the game continues: choose your turn")
                    .hint(format!("`postrider move {} 'YOUR TURN'` adds the opening by itself", arg(&origin)));
            if given.json {
                return Err(failure);
            }
            let extras = Extras { entries: sheet::last_entries(&opened, 1), now: None, local: true };
            let viewer = given.shown.viewer(&mut opened)?;
            print(sheet::draw(&opened, &opened.table.view(viewer), &extras, given.shown.look(&opened)?))?;
            print(format!("\n{}{}", given.shown.note(&opened, viewer), sheet::ONLY_YOU))?;
            Err(Failure::trouble("the game continues, so the entry is not entirely forced: choose your turn")
                .hint(format!("`postrider move {} 'YOUR TURN'` adds the opening for you", arg(&origin))))
        }
        Answer::Nothing(what) => Err(Failure::trouble(format!("nothing is forced; due is: {what}"))
            .hint(format!("`postrider moves {}` lists what may be entered", arg(&origin)))),
    }
}

/// What to type if the next entry is entirely forced and is the player's own, or it is not known whose; `None`
/// otherwise.
pub(super) fn hint(opened: &Opened<'_>, origin: &str) -> Option<String> {
    let settings = Settings::load().ok()?;
    let due = opened.table.standing().due.side;
    let own = own::side(opened, &settings);
    is_forced(opened, own.unwrap_or(due)).then(|| {
        let whose = if own.is_some() { "your next entry" } else { "the next entry" };
        format!("{whose} is forced: `postrider answer {}` makes it", arg(origin))
    })
}

/// Returns whether the next entry is entirely forced and belongs to this side.
pub(super) fn is_forced(opened: &Opened<'_>, own: Side) -> bool {
    let due = opened.table.standing().due.side;
    due == own && office().is_ok_and(|office| desk::is_forced(opened, &mut Keys::new(&office, opened, own, true)))
}
