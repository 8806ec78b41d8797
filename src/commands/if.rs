//! `postrider if`, and what other commands do with conditional entries.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::cli::home::office;
use crate::cli::out::{print, shown};
use crate::cli::refusals;
use postrider_home::conditions;
use postrider_home::conditions::decision::{Branch, Conditions, State};
use postrider_home::conditions::{Foreseen, asked};
use postrider_home::office::{Office, Trouble};
use postrider_home::records;
use postrider_home::send::letters::Place;
use postrider_kernel::Info;
use postrider_kernel::text::printable;
use postrider_referee::verdict::Opened;

/// Prepare replies: if they play this, you answer that
#[derive(Debug, Default, clap::Args)]
#[command(
    override_usage = "postrider if [OPTIONS] [FILE] [ENTRY]...",
    after_help = include_str!("help/if.txt")
)]
pub(crate) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for your opponent
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Their entry, your reply, their next entry, your next reply …
    #[arg(value_name = "ENTRY", conflicts_with_all = ["remove", "clear"])]
    pub(crate) entries: Vec<String>,
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
    pub(crate) fn of(file: &Path, entries: Vec<String>) -> Self {
        Self { file: file.to_owned(), entries, ..Self::default() }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
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
fn as_json(office: &Office<'_>, opened: &Opened<'_>, origin: &str) -> Result<String, Failure> {
    let prepared = |Foreseen { conditions, state }| {
        let (state, played, reply) = match state {
            State::Ready { theirs, mine } => ("ready", Some(theirs), Some(mine)),
            State::Asked { theirs, mine } => ("asked", Some(theirs), Some(mine)),
            State::Elsewhere => ("elsewhere", None, None),
            State::Waiting | State::Void { .. } => ("waiting", None, None),
        };
        let Conditions { side, entries, branches, .. } = conditions;
        Prepared { side, from: entries.saturating_add(1), state, played, reply, branches }
    };
    let conditions = conditions::all(office, opened)?.into_iter().map(prepared).collect();
    let state = postrider_board::report::State::of(origin, &opened.header, &opened.table.standing());
    Ok(postrider_board::report::line(&Report { state, conditions }))
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    if crate::cli::input::is_stdin(&args.file) {
        return Err(Failure::trouble("conditions belong to a record in a file, not to standard input"));
    }
    // Locked like a move, so that no program answers from a tree that another one is changing.
    let (_lock, source) = records::take(&*office()?, Place { file: &args.file, name: &origin })?;
    let desk = refusals::legal(&source, &origin)?;
    let office = office()?;
    let opened = &desk.opened;
    let info = opened.header.info;
    let (what, text) = if args.clear {
        let any = conditions::clear(&office, opened)?;
        let told = if any { "all conditions were taken back\n" } else { "there were no conditions\n" };
        ("it is done", told.to_owned())
    } else if !args.remove.is_empty() {
        ("the reply is taken back", tree(info, &conditions::take_back(&office, opened, &origin, &args.remove)?))
    } else if args.entries.is_empty() {
        let text = if args.json { as_json(&office, opened, &origin)? } else { listed(&office, opened, &origin)? };
        print(text)?;
        return Ok(ExitCode::SUCCESS);
    } else {
        let prepared = conditions::prepare(&office, desk, &origin, &args.entries).map_err(|trouble| match trouble {
            Trouble::Entry { typed, verdict, .. } => {
                Failure::verdict(typed.as_bytes(), "the condition", &verdict, false)
            }
            trouble => trouble.into(),
        })?;
        if prepared.were_for_another {
            errln!("instead of conditions that were for another record of this game");
        }
        for branch in &prepared.replaced {
            errln!("instead of `{}`{}", branch.mine, if branch.next.is_empty() { "" } else { " and all after it" });
        }
        ("the conditions are kept", tree(info, &prepared.conditions))
    };
    let text = if args.json { as_json(&office, &refusals::legal(&source, &origin)?.opened, &origin)? } else { text };
    shown(what, print(text));
    Ok(ExitCode::SUCCESS)
}

/// All conditions in a game, and which of them can be used now.
fn listed(office: &Office<'_>, opened: &Opened<'_>, origin: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for Foreseen { conditions, state } in conditions::all(office, opened)? {
        text.push_str(&tree(opened.header.info, &conditions));
        match state {
            State::Ready { theirs, mine } => {
                let origin = arg(origin);
                text.push_str(&format!("`{theirs}` was played: `postrider answer {origin}` answers `{mine}`\n"));
            }
            State::Asked { theirs, mine } => text.push_str(&asked(&theirs, &mine)),
            State::Elsewhere => {
                text.push_str("they are for another record of this game, and are not used with this one\n");
            }
            State::Waiting | State::Void { .. } => {}
        }
    }
    Ok(if text.is_empty() { "there are no conditions\n".to_owned() } else { text })
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
