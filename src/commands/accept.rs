//! `postrider invite list`, `postrider invite accept`, `postrider invite decline`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints::{Failure, name, shell};
use crate::cli::out::{print, shown};
use crate::cli::{acts, chosen, confirm, home, input, refusals};
use postrider_git::shared;
use postrider_home::invite::invitations;
use postrider_home::invite::invitations::{Declared, Finding};
use postrider_home::invite::kept::{Answered, InvitationError, Invitations};
use postrider_home::send::post::Posted;
use postrider_kernel::Side;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_referee::record::is_game_id;
use postrider_referee::verdict::Opened;
use postrider_settings::{MailSettings, Settings};

/// List the games you are invited to
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  postrider invite list\n  postrider invite list --json      the same for programs")]
pub(crate) struct ListArgs {
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

/// Accept an invitation: add its record to your games
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/accept.txt"))]
pub(crate) struct Args {
    /// The game's id; not needed if you are invited to one game only. With several, they are listed
    // An id may begin with `-`.
    #[arg(allow_hyphen_values = true)]
    id: Option<String>,
    /// The file to write instead of ID.pbem in the folder of your games; it must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Your side, if neither your key nor your address shows it; `nobody` for a spectator
    #[arg(long = "as", value_name = "SIDE")]
    side: Option<String>,
    /// Accept it although a key in it is not the one you know, or is the same for both sides
    #[arg(long)]
    despite_key: bool,
    /// Accept it although it already has entries of your own side: you made them on another machine
    #[arg(long)]
    despite_entries: bool,
    /// Report as JSON, one object on one line; without an id one for each invitation
    #[arg(long)]
    json: bool,
    /// Whether a session asked, which goes on with the game.
    #[arg(skip)]
    in_session: bool,
}

impl Args {
    /// The command that accepts this invitation in a session.
    pub(crate) fn in_session(id: &str) -> Self {
        Self { id: Some(id.to_owned()), in_session: true, ..Self::default() }
    }
}

#[derive(Serialize)]
struct Accepted<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    players: BTreeMap<&'static str, postrider_board::report::Player>,
    you: Option<&'static str>,
    keys: BTreeMap<&'static str, Option<Key<'a>>>,
}

/// Decline an invitation, or call off any game that has no entry yet
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/decline.txt"))]
pub(crate) struct DeclineArgs {
    /// The game's id; not needed if you are invited to one game only. With several, they are listed
    #[arg(allow_hyphen_values = true)]
    id: Option<String>,
    /// Decline all invitations from this address, and write to nobody
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["id", "send"])]
    from: Option<String>,
    /// Tell the opponent by letter
    #[arg(long)]
    send: bool,
    /// A message to the opponent in that letter
    #[arg(short, long, value_name = "TEXT", requires = "send")]
    message: Option<String>,
}

#[derive(Serialize)]
struct Invitation<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    players: BTreeMap<&'static str, postrider_board::report::Player>,
}

#[derive(Serialize)]
struct Unread<'a> {
    path: &'a str,
    id: &'a str,
    trouble: &'static str,
}

fn as_json(store: &Invitations, id: &str) -> String {
    let path = store.file(id).map(|path| path_text(&path).into_owned()).unwrap_or_default();
    let unread = |trouble: &'static str| postrider_board::report::line(&Unread { path: &path, id, trouble });
    let Ok(record) = store.record(id) else { return unread("cannot be read") };
    let Ok(mut opened) = Opened::new(&record) else { return unread("is no longer a record") };
    opened.replay(u32::MAX);
    let state = postrider_board::report::State::of(&path, &opened.header, &opened.table.standing());
    postrider_board::report::line(&Invitation { state, players: postrider_board::report::players(&opened.header) })
}

pub(crate) fn invitations(args: &ListArgs) -> Result<ExitCode, Failure> {
    list(args.json)
}

fn list(json: bool) -> Result<ExitCode, Failure> {
    let (_, store) = store()?;
    let ids = store.waiting().map_err(|error| failed(&error))?;
    if json {
        print(ids.iter().map(|id| as_json(&store, id)).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if ids.is_empty() {
        print("no invitations\n")?;
    }
    for id in ids {
        print(format!("{}\n", line(&store, &id)))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (settings, store) = store()?;
    let typed = args.id.as_deref().map(|typed| meant(&store, &settings, typed)).transpose()?;
    let only = match &typed {
        Some(_) => None,
        // A program says which one it means.
        None if args.json => return list(true),
        None => match &store.waiting().map_err(|error| failed(&error))?[..] {
            [only] => Some(only.clone()),
            all => {
                let code = list(false)?;
                if !all.is_empty() {
                    errln!(
                        "`postrider invite accept ID` accepts one of them, `postrider invite decline ID` declines it"
                    );
                }
                return Ok(code);
            }
        },
    };
    if let Some(id) = &only {
        errln!("the invitation is {}", line(&store, id));
    }
    let Some(id) = typed.as_ref().or(only.as_ref()) else { return list(args.json) };
    let placed = match &args.output {
        Some(output) => Some(output.clone()),
        // An id that is none names no file.
        None => is_game_id(id).then(|| shared::place(&settings, id)).flatten(),
    };
    let to = placed.unwrap_or_else(|| settings.games_folder().join(format!("{id}.pbem")));
    let options = invitations::Options {
        side: args.side.as_deref(),
        despite_key: args.despite_key,
        despite_entries: args.despite_entries,
    };
    let mut unshown = Ok(());
    let mut tell = |finding: &Finding<'_>| {
        let text = match finding {
            _ if args.json => return,
            Finding::Key(word, key, words) => {
                format!("key of {word} {}  {}\n", key.fingerprint, acts::written(words))
            }
            Finding::None(word, who, fingerprint) => {
                format!("key of {word} none, although {} has signed with {fingerprint}\n", printable(who))
            }
        };
        if unshown.is_ok() {
            unshown = print(text);
        }
    };
    let accepted = invitations::accept(&*home::office()?, id, &to, &options, &mut tell);
    unshown?;
    let accepted = accepted?;
    shared::show(&settings, &to);
    let opened = refusals::replayed(&accepted.record, id)?;
    let text = if args.json {
        let sides = opened.header.info.sides.map(|side| side.word);
        postrider_board::report::line(&Accepted {
            state: postrider_board::report::State::of(&name(&to), &opened.header, &opened.table.standing()),
            players: postrider_board::report::players(&opened.header),
            you: accepted.own.map(|own| sides[own.index()]),
            keys: sides.into_iter().zip(&accepted.keys).map(|(word, key)| (word, key.as_ref().map(Key::of))).collect(),
        })
    } else {
        format!("{id} accepted: {}\n", name(&to))
    };
    shown(&format!("{id} is accepted"), print(text));
    // A session goes on with the game, or says where none waits.
    if !args.in_session {
        errln!("{}", next_step(&opened, accepted.own, &to, &settings));
    } else if let Some(own) = accepted.own.filter(|own| *own != opened.table.standing().due.side) {
        errln!("{} makes the first entry: `mail` fetches it", printable(&opened.header.player(own.other()).name));
    }
    Ok(ExitCode::SUCCESS)
}

/// How a game is named in a command: by its id if its record is where games are kept, otherwise by its file.
pub(crate) fn as_typed(id: &str, path: &Path, settings: &Settings) -> String {
    let usual = settings.games_folder().join(format!("{id}.pbem"));
    if *path == usual { id.to_owned() } else { shell(path) }
}

/// What is to be done in a game that has just become the player's, and by whom.
pub(crate) fn next_step(opened: &Opened<'_>, own: Option<Side>, path: &Path, settings: &Settings) -> String {
    let (standing, id) = (opened.table.standing(), &*opened.header.id);
    let named = as_typed(id, path, settings);
    match own {
        _ if standing.outcome.is_some() => format!("the game is over: `postrider show {named}` shows the board"),
        None => format!("`postrider show {named}` shows the board"),
        Some(own) if own == standing.due.side => {
            format!("you are due: `postrider play {named}` shows the board and takes your entry")
        }
        Some(own) => {
            let other = printable(&opened.header.player(own.other()).name);
            format!("{other} is due: `postrider play` fetches mail, and opens the game once it is your turn")
        }
    }
}

/// The id of the invitation or game that is meant by an id, or by how it begins.
fn meant(store: &Invitations, settings: &Settings, typed: &str) -> Result<String, Failure> {
    let mut ids = chosen::shelf(settings).ids_beginning(typed);
    ids.extend(store.waiting().map_err(|error| failed(&error))?);
    let is_known =
        ids.iter().any(|id| id == typed) || store.standing(typed).is_ok_and(|standing| standing != Answered::Unknown);
    match is_known {
        true => Ok(typed.to_owned()),
        false => match chosen::only_beginning(typed, &ids)? {
            None if !is_game_id(typed) => {
                Err(Failure::trouble(format!("there is no invitation to {}", printable(typed)))
                    .hint("`postrider invite list` lists the invitations"))
            }
            only => Ok(only.unwrap_or_else(|| typed.to_owned())),
        },
    }
}

/// A key that a record declares, and how far it is trusted.
#[derive(Serialize)]
struct Key<'a> {
    fingerprint: &'a str,
    standing: &'static str,
}

impl<'a> Key<'a> {
    fn of(key: &'a Declared) -> Self {
        Self { fingerprint: &key.fingerprint, standing: key.standing }
    }
}

fn failed(error: &InvitationError) -> Failure {
    invitations::failed(error).into()
}

pub(crate) fn decline(args: &DeclineArgs) -> Result<ExitCode, Failure> {
    let (settings, store) = store()?;
    let id = match (&args.from, &args.id) {
        (Some(from), _) => return decline_from(&store, from),
        (None, Some(typed)) => meant(&store, &settings, typed)?,
        (None, None) => match &store.waiting().map_err(|error| failed(&error))?[..] {
            [only] => {
                errln!("the invitation is {}", line(&store, only));
                if confirm::can_ask() && !confirm::asks("decline it?") {
                    return Ok(ExitCode::SUCCESS);
                }
                only.clone()
            }
            all => {
                let code = list(false)?;
                if !all.is_empty() {
                    errln!("`postrider invite decline ID` declines one of them");
                }
                return Ok(code);
            }
        },
    };
    let id = &id;
    if args.send && matches!(settings.mail, MailSettings::Git(_)) {
        return Err(Failure::trouble("your games are exchanged by git, which sends no letters")
            .hint(format!("`postrider invite decline {id}` declines it, and you tell your opponent yourself")));
    }
    let called_off = invitations::call_off(&*home::office()?, id)?.is_some();
    let letter = match args.send || confirm::can_ask() && !matches!(settings.mail, MailSettings::Git(_)) {
        false => None,
        true => {
            let record = store.record_to_accept(id).map_err(|error| failed(&error))?;
            invitations::NoThanks::of(&*home::office()?, &record, id, args.message.as_deref())
        }
    };
    if let (None, true) = (&letter, args.send) {
        return Err(Failure::trouble(format!(
            "no letter can be sent: your side of {id} is not known, or the other side has no address in the record"
        ))
        .hint(format!("`postrider invite decline {id}` declines it, and you tell your opponent yourself")));
    }
    // A run that was killed before it sent the letter is made up for.
    let was_declined = args.send && store.standing(id).map_err(|error| failed(&error))? == Answered::Declined;
    if !called_off && !was_declined {
        store.decline(id).map_err(|error| failed(&error))?;
    }
    let letter = letter.filter(|letter| {
        args.send || confirm::asks(&format!("{id} is declined; send {} a letter that says so?", letter.to))
    });
    let Some(letter) = letter else {
        let told = print(format!("{id} declined; nothing was sent: tell your opponent yourself\n"));
        shown(&format!("{id} is declined"), told);
        return Ok(ExitCode::SUCCESS);
    };
    let now = input::now(None)?.utc().unwrap_or_else(postrider_disk::clock::now);
    let posted = home::office()?.post(&letter.message(now)?, false);
    let told = match posted {
        Ok(Posted::Already { at, .. }) => format!("{id} is declined; {} was told so on {at}\n", letter.to),
        Ok(Posted::Sent { receipt, .. }) => {
            format!("{id} declined: the letter to {} was {}\n", letter.to, printable(&receipt.to_string()))
        }
        Err(error) => {
            return Err(Failure::trouble(format!("{id} is declined, but {error}"))
                .hint(format!("`postrider invite decline {id} --send` tries again")));
        }
    };
    shown(&format!("{id} is declined"), print(told));
    Ok(ExitCode::SUCCESS)
}

/// Declines all that wait from one sender.
fn decline_from(store: &Invitations, address: &str) -> Result<ExitCode, Failure> {
    let ids = store.from(address).map_err(|error| failed(&error))?;
    let address = printable(address);
    if ids.is_empty() {
        return Err(Failure::trouble(format!("no invitation from {address} waits"))
            .hint("`postrider invite list` lists those that do".to_owned()));
    }
    for id in &ids {
        store.decline(id).map_err(|error| failed(&error))?;
    }
    let invitations = if ids.len() == 1 { "1 invitation".to_owned() } else { format!("{} invitations", ids.len()) };
    let told = print(format!("{invitations} from {address} declined; nothing was sent\n"));
    shown(&format!("{invitations} from {address} declined"), told);
    Ok(ExitCode::SUCCESS)
}

/// How a command for an invitation begins outside a session.
pub(crate) const COMMAND: &str = "postrider invite ";

/// The id of each invitation that is waiting, and what is said of it, with what may be typed behind `prompt`.
pub(crate) fn lines(settings: &Settings, prompt: &str) -> Vec<(String, String)> {
    let store = Invitations::new(&settings.folders);
    let ids = store.waiting().unwrap_or_default();
    let told = |id: String| {
        let line = line(&store, &id);
        (format!("you are invited: {line}\n    `{prompt}accept {id}` or `{prompt}decline {id}`"), id)
    };
    ids.into_iter().map(told).map(|(line, id)| (id, line)).collect()
}

fn store() -> Result<(Settings, Invitations), Failure> {
    let settings = home::office()?.settings()?.clone();
    let store = Invitations::new(&settings.folders);
    Ok((settings, store))
}

/// Returns an invitation on one line.
fn line(store: &Invitations, id: &str) -> String {
    let Ok(record) = store.record(id) else { return format!("{id}  cannot be read") };
    let Ok(mut opened) = Opened::new(&record) else { return format!("{id}  is no longer a record") };
    let verdict = opened.replay(u32::MAX);
    let header = &opened.header;
    let players = Side::BOTH.map(|side| {
        let word = header.info.sides[side.index()].word;
        format!("{word} {}", invitations::player(header.player(side)))
    });
    format!(
        "{id}  {}, {}, {}",
        header.info.title,
        players.join(" - "),
        postrider_kernel::text::entries(verdict.entries)
    )
}
