//! `postrider if`, and what other commands do with conditional entries.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{Failure, arg, name};
use super::home::office;
use super::keys::Keys;
use super::out::{print, shown};
use super::{input, invited, json, own, refusals};
use crate::desk::Refusal;
use crate::desk::conditions::{self, Branch, Conditions, State, Unfit};
use crate::games::kernel::{Info, Side};
use crate::office::conditions::{asked, current, plans};
use crate::store::{ConditionsError, Plans, Settings};
use crate::text::printable;
use crate::verdict::Opened;

/// Prepare replies: if they play this, you answer that
#[derive(Debug, Default, clap::Args)]
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

impl Args {
    /// The command that prepares these replies in a record.
    pub(super) fn of(file: &Path, entries: Vec<String>) -> Self {
        Self { file: file.to_owned(), entries, ..Self::default() }
    }
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
fn as_json(opened: &Opened<'_>, origin: &str) -> Result<String, Failure> {
    let mut all = Vec::new();
    for side in Side::BOTH {
        let Some(conditions) = current(&*office()?, opened, side)? else { continue };
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
    let plans = plans(&*office()?);
    let due = opened.table.standing().due.side;
    if args.clear {
        let mut any = false;
        for side in Side::BOTH {
            any |= plans
                .remove(&opened.header.id, opened.header.info.sides[side.index()].word)
                .map_err(|error| trouble(&error))?;
        }
        let told = if any { "all conditions were taken back\n" } else { "there were no conditions\n" };
        shown("it is done", print(if args.json { as_json(opened, &origin)? } else { told.to_owned() }));
        return Ok(ExitCode::SUCCESS);
    }
    if !args.remove.is_empty() {
        return take_back(opened, &plans, &origin, args);
    }
    if args.entries.is_empty() {
        if args.json {
            print(as_json(opened, &origin)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        return show(opened, &origin);
    }
    let own = due.other();
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    // A player who has foreseen replies for a side plays that side.
    let planned = current(&*office()?, opened, due)?.is_some();
    if planned || own::find(opened, &settings)? == Some(due) {
        let message = format!("it is your own entry that is due, {}", opened.table.standing().entries + 1);
        return Err(Failure::trouble(message).hint(format!(
            "make it first: `postrider move {} 'YOUR ENTRY'`; conditions answer the one after it",
            arg(&origin)
        )));
    }
    let old = current(&*office()?, opened, own)?;
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
        as_json(&refusals::legal(&source, &origin)?.opened, &origin)?
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
        let Some(mut conditions) = current(&*office()?, opened, side)? else { continue };
        if conditions::remove(&mut conditions, path) {
            plans.keep(&conditions).map_err(|error| trouble(&error))?;
            let text = match args.json {
                true => as_json(opened, origin)?,
                false => tree(opened.header.info, &conditions),
            };
            shown("the reply is taken back", print(text));
            return Ok(ExitCode::SUCCESS);
        }
    }
    Err(Failure::trouble(format!("there is no reply to `{}`", path.join("`, `")))
        .hint(format!("`postrider if {}` shows them all", arg(origin))))
}

fn show(opened: &Opened<'_>, origin: &str) -> Result<ExitCode, Failure> {
    let mut any = false;
    for side in Side::BOTH {
        let Some(conditions) = current(&*office()?, opened, side)? else { continue };
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

fn trouble(error: &ConditionsError) -> Failure {
    Failure::trouble(error.to_string())
}
