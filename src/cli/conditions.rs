//! `postrider if`, and what other commands do with conditional entries.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{Failure, arg, name};
use super::home::office;
use super::keys::Keys;
use super::{input, invited, json, own, print, refusals, shown};
use crate::desk::conditions::{self, Branch, Conditions, Reply, State, Unfit};
use crate::desk::{Desk, Entered, EntryRequest, Refusal};
use crate::games::kernel::{Info, Side};
use crate::sealing::KeyStore;
use crate::store::{ConditionsError, Folders, Plans, Settings};
use crate::text::printable;
use crate::verdict::Opened;

/// Prepare replies: if they play this, you answer that
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider if game.pbem 'c6-d6' 'e4-e5'                    if they play c6-d6, you answer e4-e5
  postrider if game.pbem c6-d6 e4-e5 e6xe4xc4xc6 c3-c4      and so on
  postrider if game.pbem                                    show all the replies you have prepared
  postrider if game.pbem --remove c6-d6                     remove one, and everything after it
  postrider if game.pbem --clear                            remove them all

Every entry is judged when you enter it. The conditions stay on this machine and never appear in the record or in a letter. \
`postrider answer game.pbem` plays the reply once their entry is in the record, and only in the position it was judged for. If the \
game takes another course the conditions are void.")]
pub(super) struct Args {
    /// The record, or a game's id
    pub(super) file: PathBuf,
    /// Their entry, your reply, their next entry, your next reply …
    #[arg(value_name = "ENTRY", conflicts_with_all = ["remove", "clear"])]
    entries: Vec<String>,
    /// Remove the reply to this entry of theirs; several entries lead down the tree
    #[arg(long, value_name = "THEIR ENTRY", num_args = 1.., conflicts_with = "clear")]
    remove: Vec<String>,
    /// Remove all replies
    #[arg(long)]
    clear: bool,
    /// Print JSON, one object on one line: all the replies that are prepared afterwards
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    conditions: Vec<Prepared>,
}

/// The conditions of a side, and where the game stands among them.
#[derive(Serialize)]
struct Prepared {
    side: String,
    from: u32,
    state: &'static str,
    played: Option<String>,
    reply: Option<String>,
    branches: Vec<Branch>,
}

/// Returns all conditions of a game as JSON.
fn as_json(opened: &Opened<'_>, plans: &Plans, origin: &str) -> Result<String, Failure> {
    let mut all = Vec::new();
    for side in Side::BOTH {
        let Some(conditions) = current(opened, plans, side)? else { continue };
        let (state, played, reply) = match conditions::follow(opened.text.as_bytes(), &conditions) {
            Ok((State::Ready { theirs, mine }, _)) => ("ready", Some(theirs), Some(mine)),
            Ok((State::Asked { theirs, mine }, _)) => ("asked", Some(theirs), Some(mine)),
            Ok((State::Elsewhere, _)) => ("elsewhere", None, None),
            _ => ("waiting", None, None),
        };
        let Conditions { side, entries, branches, .. } = conditions;
        all.push(Prepared { side, from: entries.saturating_add(1), state, played, reply, branches });
    }
    let state = json::State::of(origin, &opened.header, &opened.table.standing());
    Ok(json::line(&Report { state, conditions: all }))
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    if input::is_stdin(&args.file) {
        return Err(Failure::trouble("conditions belong to a record in a file, not to standard input"));
    }
    // Locked like a move, so that no program answers from a tree that another one is changing.
    let lock = invited::lock(&args.file)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
    let desk = refusals::legal(&source, &origin)?;
    let opened = &desk.opened;
    let plans = plans()?;
    let due = opened.table.standing().due.side;
    if args.clear {
        let mut any = false;
        for side in Side::BOTH {
            any |= plans.remove(&opened.header.id, word(opened, side)).map_err(|error| trouble(&error))?;
        }
        let told = if any { "all conditions were taken back\n" } else { "there were no conditions\n" };
        shown("it is done", print(if args.json { as_json(opened, &plans, &origin)? } else { told.to_owned() }));
        return Ok(ExitCode::SUCCESS);
    }
    if !args.remove.is_empty() {
        return take_back(opened, &plans, &origin, args);
    }
    if args.entries.is_empty() {
        if args.json {
            print(as_json(opened, &plans, &origin)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        return show(opened, &plans, &origin);
    }
    let own = due.other();
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    // A player who has foreseen replies for a side plays that side.
    let planned = current(opened, &plans, due)?.is_some();
    if planned || own::find(opened, &settings)? == Some(due) {
        let message = format!("it is your own entry that is due, {}", opened.table.standing().entries + 1);
        return Err(Failure::trouble(message).hint(format!(
            "make it first: `postrider move {} 'YOUR ENTRY'`; conditions answer the one after it",
            arg(&origin)
        )));
    }
    let old = current(opened, &plans, own)?;
    let before = old.as_ref().map(|old| old.digest.clone());
    let now = input::now(None)?;
    let office = office()?;
    let mut keys = Keys::new(&office, opened, own, true);
    let info = opened.header.info;
    let added = conditions::add(desk, old, &args.entries, now, &mut keys).map_err(|unfit| match unfit {
        Unfit::Refused(Refusal::Entry(line, verdict)) => {
            Failure::verdict(line.as_bytes(), "the condition", &verdict, false)
        }
        Unfit::Refused(refusal) => refusals::refused(&origin, refusal),
        Unfit::Ahead(why, hint) => Failure::trouble(why).hint(hint).refused(None),
    })?;
    plans.keep(&added.conditions).map_err(|error| trouble(&error))?;
    if before.is_some_and(|digest| digest != added.conditions.digest) {
        errln!("instead of conditions that were for another record of this game");
    }
    for branch in &added.replaced {
        errln!("instead of `{}`{}", branch.mine, if branch.next.is_empty() { "" } else { " and all after it" });
    }
    let text = if args.json {
        as_json(&refusals::legal(&source, &origin)?.opened, &plans, &origin)?
    } else {
        tree(info, &added.conditions)
    };
    shown("the conditions are kept", print(text));
    Ok(ExitCode::SUCCESS)
}

/// Removes a branch.
fn take_back(opened: &Opened<'_>, plans: &Plans, origin: &str, args: &Args) -> Result<ExitCode, Failure> {
    let path = &args.remove;
    for side in Side::BOTH {
        let Some(mut conditions) = current(opened, plans, side)? else { continue };
        if conditions::remove(&mut conditions, path) {
            plans.keep(&conditions).map_err(|error| trouble(&error))?;
            let text = match args.json {
                true => as_json(opened, plans, origin)?,
                false => tree(opened.header.info, &conditions),
            };
            shown("the reply is taken back", print(text));
            return Ok(ExitCode::SUCCESS);
        }
    }
    Err(Failure::trouble(format!("there is no reply to `{}`", path.join("`, `")))
        .hint(format!("`postrider if {}` shows them all", arg(origin))))
}

fn show(opened: &Opened<'_>, plans: &Plans, origin: &str) -> Result<ExitCode, Failure> {
    let mut any = false;
    for side in Side::BOTH {
        let Some(conditions) = current(opened, plans, side)? else { continue };
        any = true;
        print(tree(opened.header.info, &conditions))?;
        match conditions::follow(opened.text.as_bytes(), &conditions) {
            Ok((State::Ready { theirs, mine }, _)) => {
                let origin = arg(origin);
                print(format!("`{theirs}` was played: `postrider answer {origin}` answers `{mine}`\n"))?;
            }
            Ok((State::Asked { theirs, mine }, _)) => print(asked(&theirs, &mine))?,
            Ok((State::Elsewhere, _)) => {
                print("they are for another record of this game, and are not used with this one\n")?
            }
            _ => {}
        }
    }
    if !any {
        print("there are no conditions\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The conditions of a side as the record leaves them. Conditions that have become void are removed, with a message.
fn current(opened: &Opened<'_>, plans: &Plans, side: Side) -> Result<Option<Conditions>, Failure> {
    let word = word(opened, side);
    let Some(conditions) = plans.read(&opened.header.id, word).map_err(|error| trouble(&error))? else {
        return Ok(None);
    };
    // The record is legal, or this would not be called.
    let Ok((state, rest)) = conditions::follow(opened.text.as_bytes(), &conditions) else { return Ok(None) };
    if let State::Void { entry, actions } = &state {
        plans.remove(&rest.game, word).map_err(|error| trouble(&error))?;
        err!("{}", void(word, *entry, actions));
        return Ok(None);
    }
    if rest != conditions {
        plans.keep(&rest).map_err(|error| trouble(&error))?;
    }
    Ok(Some(rest).filter(|rest| !rest.branches.is_empty()))
}

/// Makes the reply that was foreseen to the newest entry of a record, if there is one, and says so. Conditions that
/// have become void are removed. Returns the rest of the tree, to be kept once the record is written.
///
/// # Errors
/// Why the reply is refused.
pub(super) fn answer(
    desk: &Desk<'_>,
    origin: &str,
    request: &EntryRequest<'_>,
    keys: &mut dyn KeyStore,
    dry: bool,
    tree: &Conditions,
) -> Result<Option<(Entered, Conditions)>, Failure> {
    let opened = &desk.opened;
    let plans = plans()?;
    let word = word(opened, opened.table.standing().due.side);
    match conditions::reply(desk, tree, request, keys).map_err(|refusal| refusals::refused(origin, refusal))? {
        Reply::Entered { entered, theirs, rest } => {
            errln!("as you foresaw: to `{theirs}` you answer `{}`", entered.actions);
            Ok(Some((*entered, rest)))
        }
        Reply::Nothing(State::Void { entry, actions }) => {
            // The next command to read them finds them void again.
            let removed = if dry { Ok(false) } else { plans.remove(&tree.game, word) };
            match removed {
                Ok(_) => err!("{}", void(word, entry, &actions)),
                Err(error) => errln!("warning: {error}"),
            }
            Ok(None)
        }
        Reply::Nothing(State::Asked { theirs, mine }) => {
            err!("{}", asked(&theirs, &mine));
            Ok(None)
        }
        Reply::Nothing(_) => Ok(None),
    }
}

/// Updates the conditions after an entry that the player made by hand: those that it made void are removed, with a
/// message. A fault in them is only a warning, because the entry is already in the record.
pub(super) fn settle(opened: &Opened<'_>, side: Side) {
    let settled = || -> Result<(), Failure> { current(opened, &plans()?, side).map(|_| ()) };
    if let Err(failure) = settled() {
        errln!("{}", failure.to_string().replace("error: ", "warning: ").trim_end());
    }
}

/// Returns whether a reply to the newest entry of a record was foreseen.
pub(super) fn is_foreseen(opened: &Opened<'_>, settings: &Settings) -> bool {
    let plans = Plans::new(&settings.folders);
    let tree = plans.read(&opened.header.id, word(opened, opened.table.standing().due.side));
    let state = tree.ok().flatten().and_then(|tree| conditions::follow(opened.text.as_bytes(), &tree).ok());
    matches!(state, Some((State::Ready { .. }, _)))
}

/// Keeps the rest of a tree after its reply was written. If that fails, a warning is shown; the whole tree stays, and
/// whatever reads it next follows the record through it.
pub(super) fn keep(rest: &Conditions) {
    if let Err(failure) = plans().and_then(|plans| plans.keep(rest).map_err(|error| trouble(&error))) {
        errln!("{}", failure.to_string().replace("error: ", "warning: ").trim_end());
    }
}

/// Returns the conditions of the side that is due, if there are any.
///
/// # Errors
/// If they cannot be read, because then it is not known what was foreseen.
pub(super) fn stored(opened: &Opened<'_>) -> Result<Option<Conditions>, Failure> {
    let word = word(opened, opened.table.standing().due.side);
    plans()?.read(&opened.header.id, word).map_err(|error| trouble(&error))
}

fn plans() -> Result<Plans, Failure> {
    Ok(Plans::new(&Folders::find().map_err(|error| Failure::trouble(error.to_string()))?))
}

fn trouble(error: &ConditionsError) -> Failure {
    Failure::trouble(error.to_string())
}

fn word(opened: &Opened<'_>, side: Side) -> &'static str {
    opened.header.info.sides[side.index()].word
}

fn void(side: &str, entry: u32, actions: &str) -> String {
    format!(
        "the conditions of {side} are void: entry {entry}, `{}`, was not foreseen; they were removed\n",
        printable(actions)
    )
}

fn asked(theirs: &str, mine: &str) -> String {
    format!("`{theirs}` was played with an offer of a draw, which you have to decide on: you foresaw `{mine}`\n")
}

/// Formats a tree as text: the other side's entries after `if`, the replies below them.
fn tree(info: &Info, conditions: &Conditions) -> String {
    let side = info.side(&conditions.side);
    let name = side.map_or_else(|| conditions.side.clone(), |side| info.sides[side.index()].named());
    if conditions.branches.is_empty() {
        return format!("no conditions of {name} are left\n");
    }
    let mut text = format!("conditions of {name}, from entry {} on\n", conditions.entries.saturating_add(1));
    let mut stack: Vec<(usize, &Branch)> = conditions.branches.iter().rev().map(|branch| (1, branch)).collect();
    while let Some((depth, branch)) = stack.pop() {
        let indent = "    ".repeat(depth);
        text.push_str(&format!(
            "{indent}if    {}\n{indent}then  {}\n",
            printable(&branch.theirs),
            printable(&branch.mine)
        ));
        stack.extend(branch.next.iter().rev().map(|branch| (depth + 1, branch)));
    }
    text
}
