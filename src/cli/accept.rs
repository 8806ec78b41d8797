//! `postrider invitations`, `postrider accept`, `postrider decline`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::print;
use crate::archive::Shelf;
use crate::games::kernel::Side;
use crate::record::Player;
use crate::store::{FileError, InvitationError, Invitations, Settings};
use crate::text::printable;
use crate::verdict::Opened;

/// List the games you are invited to
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  postrider invitations")]
pub(super) struct ListArgs {}

/// Accept an invitation: put its record among your games
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider accept                          list the invitations
  postrider accept asalto-first-game        into the folder of your games
  postrider accept asalto-first-game -o game.pbem")]
pub(super) struct Args {
    /// The game's id; without one the invitations are listed
    // An id may begin with `-`.
    #[arg(allow_hyphen_values = true)]
    id: Option<String>,
    /// The file to write instead of ID.pbem in the folder of your games; it must not be there yet
    #[arg(short, long, value_name = "FILE", requires = "id")]
    output: Option<PathBuf>,
}

/// Decline an invitation: it is not shown again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  postrider decline asalto-first-game       `postrider accept` still finds it, should you change your mind")]
pub(super) struct DeclineArgs {
    /// The game's id
    #[arg(allow_hyphen_values = true)]
    id: String,
}

pub(super) fn list() -> Result<ExitCode, Failure> {
    let (_, store) = store()?;
    let ids = store.waiting().map_err(|error| failed(&error))?;
    if ids.is_empty() {
        print("no invitations\n")?;
    }
    for id in ids {
        print(format!("{}\n", line(&store, &id)))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(id) = &args.id else { return list() };
    let (settings, store) = store()?;
    // The id was typed, and becomes a file's name once it is seen to be one.
    store.standing(id).map_err(|error| failed(&error))?;
    let to = args.output.clone().unwrap_or_else(|| settings.games_folder().join(format!("{id}.pbem")));
    let there = Shelf::of(&settings.games_folder());
    let files = there.files(id).map_err(|unread| Failure::trouble(unread.to_string()))?;
    if let Some(path) = files.iter().find(|path| **path != to) {
        return Err(Failure::trouble(format!("{} is a record of {id} already", name(path))));
    }
    store.accept(id, &to).map_err(|error| failed(&error))?;
    print(format!("{id} accepted: {}\n", name(&to)))?;
    let origin = name(&to);
    errln!("`postrider show {origin}` shows the board, `postrider moves {origin}` lists what may be entered");
    Ok(ExitCode::SUCCESS)
}

pub(super) fn decline(args: &DeclineArgs) -> Result<ExitCode, Failure> {
    let (_, store) = store()?;
    store.decline(&args.id).map_err(|error| failed(&error))?;
    print(format!("{} declined; nothing was sent: tell your opponent yourself\n", args.id))?;
    Ok(ExitCode::SUCCESS)
}

fn store() -> Result<(Settings, Invitations), Failure> {
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let store = Invitations::new(&settings.folders);
    Ok((settings, store))
}

fn failed(error: &InvitationError) -> Failure {
    let failure = Failure::trouble(error.to_string());
    match error {
        InvitationError::GameId | InvitationError::None(_) => {
            failure.hint("`postrider invitations` lists what there is")
        }
        InvitationError::File(FileError::Exists { .. }) => failure.hint("choose another name with -o"),
        _ => failure,
    }
}

/// A player with the mail address that the header gives, by which a stranger is told from an opponent of the same name.
pub(super) fn player(player: &Player<'_>) -> String {
    let name = printable(&player.name);
    player.email.as_deref().map_or_else(|| name.clone().into_owned(), |email| format!("{name} <{}>", printable(email)))
}

/// An invitation on one line.
fn line(store: &Invitations, id: &str) -> String {
    let Ok(record) = store.record(id) else { return format!("{id}  cannot be read") };
    let Ok(mut opened) = Opened::new(&record) else { return format!("{id}  is no record any more") };
    let verdict = opened.replay(u32::MAX);
    let header = &opened.header;
    let players = Side::BOTH.map(|side| {
        let word = header.info.sides[side.index()].word;
        format!("{word} {}", player(header.player(side)))
    });
    format!("{id}  {}, {}, {} entries", header.info.title, players.join(" - "), verdict.entries)
}
