//! `postrider new`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name, shell};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::{acts, input};
use crate::commands::{accept, key};
use postrider_home::invite::begin;
use postrider_home::invite::begin::{Begun, Player, To, Wanted};
use postrider_kernel::text::printable;
use postrider_kernel::{Info, Side};
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// Begin a record
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "postrider new [OPTIONS] --against <NAME <MAIL>> <GAME>\n       \
                      postrider new [OPTIONS] --player <SIDE=NAME <MAIL>>... <GAME>",
    after_help = include_str!("help/new.txt")
)]
pub(crate) struct Args {
    /// The game
    game: String,
    /// A player: side, name, and the mail address, if any, in angle brackets
    #[arg(long, value_name = "SIDE=NAME <MAIL>")]
    player: Vec<String>,
    /// Your opponent, if you are the other player: a name with the mail address in angle brackets, or only one of them
    #[arg(long, value_name = "NAME <MAIL>", conflicts_with = "player")]
    against: Option<String>,
    /// Your own side, with --against; by default the first one that `postrider games` names
    #[arg(long = "as", value_name = "SIDE", requires = "against")]
    side: Option<String>,
    #[command(flatten)]
    given: Given,
}

/// How a game is to be, and where its record goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Given {
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// A position to start from
    #[arg(long, value_name = "POS")]
    setup: Option<String>,
    /// A card list (YAML) to play with instead of the default decks; it becomes part of the record
    #[arg(long, value_name = "FILE")]
    decks: Option<PathBuf>,
    /// The areas with their neighbours (YAML), to play on instead of the default layout; it becomes part of the record
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// The time control: 5d, 50d/10 or 30d+1d, followed by ` leave 30d` if leave is granted, and ` forced 2d` if forced answers have less time (E13); `none` for no clock. A sealed
    /// game has 10d by default
    #[arg(long)]
    clock: Option<String>,
    /// For an opponent who has only a mail program: an open game without keys, in which a reply with just the move is enough
    #[arg(long, conflicts_with = "key")]
    by_mail: bool,
    /// Play openly a game with hidden or random parts: everything is stated in clear, for a game at one table
    #[arg(long)]
    open: bool,
    /// A player's public key: base64, a file (PEM), or `own`. By default your own key is declared for the player whose address
    /// or name is in your settings
    #[arg(long, value_name = "SIDE=KEY", conflicts_with = "unsigned")]
    key: Vec<String>,
    /// Declare no key
    #[arg(long)]
    unsigned: bool,
    /// A game that this home hosts: it plays neither side, enters and signs for each player without a key, and leaves their addresses
    /// out of the record (Z38). It needs `hosts: true` in settings.yaml
    #[arg(long, conflicts_with_all = ["by_mail", "unsigned"])]
    hosted: bool,
    /// A title
    #[arg(long)]
    title: Option<String>,
    /// The game's id, 8 to 64 of a-z, 0-9 and `-`; made up by default
    #[arg(long)]
    id: Option<String>,
    /// The file to write instead of ID.pbem in the folder of your games; it must not exist yet. `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Report as JSON what was written, one object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    players: BTreeMap<&'static str, postrider_board::report::Player>,
    position: String,
    notice: Option<&'static str>,
}

fn as_json(path: &str, opened: &Opened<'_>) -> String {
    postrider_board::report::line(&Report {
        state: postrider_board::report::State::of(path, &opened.header, &opened.table.standing()),
        players: postrider_board::report::players(&opened.header),
        position: opened.table.position(),
        notice: opened.table.notice(),
    })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let info = input::game(&args.game)?.info();
    let office = office()?;
    let settings = office.settings()?;
    let players = match &args.against {
        Some(against) => against_me(info, against, args.side.as_deref(), settings)?,
        None => players(info, &args.player, settings)?,
    };
    // What always printed the record still does, in scripts and where it is redirected.
    let printed = args.given.output.is_none()
        && args.against.is_none()
        && !args.given.json
        && !std::io::IsTerminal::is_terminal(&std::io::stdout());
    let begun = record(&args.game, &args.given, players, printed)?;
    let Some(path) = &begun.path else {
        print(&begun.text)?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Ok(opened) = Opened::new(begun.text.as_bytes()) {
        errln!("{} written; {}", name(path), next(&opened, path, settings));
        if let Some(needed) = needed(&opened) {
            err!("{}", crate::cli::hints::fitting(&format!("{needed}\n")));
        }
        if args.given.json {
            print(as_json(&name(path), &opened))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do with a new record: whoever is to begin, the opponent learns of it by a letter.
fn next(opened: &Opened<'_>, path: &Path, settings: &Settings) -> String {
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        return "the game is over from the start".into();
    }
    let due = standing.due.side;
    let own = crate::cli::home::side(opened);
    let file = accept::as_typed(&opened.header.id, path, settings);
    let email = |side: Side| opened.header.player(side).email.as_deref().map(printable);
    let side = opened.header.info.sides[due.index()];
    let begins = match own == Some(due) {
        true => "you are to begin".to_owned(),
        false => format!("{} {} to begin", side.named(), side.verb("are", "is")),
    };
    let invites = match own.map(|own| (own, email(own.other()))) {
        Some((own, Some(to))) if own == due => {
            format!(
                "`postrider send {file}` invites {to}, or `postrider move {file} 'ENTRY' --send` with your first entry; "
            )
        }
        Some((_, Some(to))) => format!("`postrider send {file}` invites {to}; "),
        None if Side::BOTH.iter().all(|side| email(*side).is_some()) => {
            format!(
                "{}, and `postrider send {file}` then invites the other; ",
                acts::written(&postrider_home::entry::own::hint(&opened.header, &name(path)))
            )
        }
        _ => String::new(),
    };
    format!("{begins}; {invites}`postrider moves {file}` lists what may be entered")
}

/// What the opponent needs besides a mail program, said before an invitation goes out; `None` if a mail program is enough.
pub(crate) fn needed(opened: &Opened<'_>) -> Option<String> {
    let signatures = opened.table.signatures();
    let is_signed = signatures.is_some_and(|found| Side::BOTH.into_iter().any(|side| found.key(side).is_some()));
    let why = match (opened.table.seals().is_some(), is_signed) {
        (true, _) => "what is hidden in this game is sealed",
        (_, true) => "the entries of this game are signed",
        _ => return None,
    };
    Some(format!(
        "{why}, so your opponent needs the program or its page, which `postrider page --referee -o referee.html` makes; for an opponent who has \
         only a mail program, begin it with --by-mail"
    ))
}

/// Begins a record for these players, and writes it unless it is to be printed.
///
/// # Errors
/// What does not fit, or if it cannot be written.
pub(crate) fn record(game: &str, args: &Given, players: [Player; 2], printed: bool) -> Result<Begun, Failure> {
    let game = input::game(game)?;
    let info = game.info();
    let mut own_fields = String::new();
    for (field, file) in [("decks", &args.decks), ("layout", &args.layout)] {
        if let Some(file) = file {
            own_fields.push_str(&own_field(info, field, file)?);
        }
    }
    let wanted = Wanted {
        options: &args.option,
        setup: args.setup.as_deref(),
        own_fields,
        clock: args.clock.as_deref(),
        by_mail: args.by_mail,
        open: args.open,
        keys: keys_of(args, info)?,
        unsigned: args.unsigned,
        hosted: args.hosted,
        title: args.title.as_deref(),
        id: args.id.as_deref(),
    };
    let to = match &args.output {
        Some(path) if input::is_stdin(path) => To::Nowhere,
        Some(path) => To::File(path),
        None if printed => To::Nowhere,
        None => To::Games,
    };
    Ok(begin::game(&*office()?, game, &wanted, &players, to)?)
}

/// The keys that the player has named.
fn keys_of(args: &Given, info: &'static Info) -> Result<[Option<PublicKey>; 2], Failure> {
    let mut declared = [None; 2];
    for text in &args.key {
        let side = text.split_once('=').and_then(|(word, key)| {
            let index = info.sides.iter().position(|side| side.word == word)?;
            Some((declared.get_mut(index)?, key))
        });
        let Some((place, text)) = side else {
            let [first, second] = info.sides.map(|side| side.word);
            return Err(Failure::trouble(format!("`--key {text}` does not begin with {first}= or {second}=")));
        };
        *place = Some(key::public(text)?);
    }
    Ok(declared)
}

/// Reads a field that only this game's header has from a file with its value.
fn own_field(info: &'static Info, field: &str, file: &Path) -> Result<String, Failure> {
    if info.header_field(field).is_none() {
        let message = format!("{} has no {field} of one's own", info.title);
        return Err(Failure::trouble(message).hint(format!("leave out --{field}")));
    }
    let hint = match field {
        "decks" => format!("`postrider decks check {}` says what is wrong", shell(file)),
        _ => format!("`postrider rules {}` explains the form of `{field}`", info.name),
    };
    let bytes = input::record(file)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::trouble(format!("{} is not UTF-8", name(file))).hint(hint.clone()))?;
    if text.lines().any(|line| line.starts_with("---") || line.starts_with("...") || line.starts_with('%')) {
        let message = format!("{} is more than a value: it holds marks of YAML documents", name(file));
        return Err(Failure::trouble(message).hint(hint));
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).peekable();
    // The file may contain the value under the field's name, as in a header.
    let named = format!("{field}:");
    let named = lines.peek().is_some_and(|line| line.starts_with(&named));
    Ok(match named {
        true => lines.fold(String::new(), |text, line| format!("{text}{line}\n")),
        false => lines.fold(format!("{field}:\n"), |text, line| format!("{text}  {line}\n")),
    })
}

/// The player whose settings these are.
fn me(settings: &Settings) -> Result<Player, Failure> {
    let local = |email: &String| email.split('@').next().unwrap_or_default().to_owned();
    match settings.name.clone().or_else(|| settings.email.as_ref().map(local)) {
        Some(name) => Ok((name, settings.email.clone())),
        None => Err(Failure::trouble("who are you? neither your name nor your address is in the settings")
            .hint("`postrider setup` asks for them; `postrider new` with --player for each side names both players")),
    }
}

/// Seats the player whose settings these are, and an opponent.
///
/// # Errors
/// If one of them is not known, or the side is none of this game.
pub(crate) fn against_me(
    info: &'static Info,
    against: &str,
    side: Option<&str>,
    settings: &Settings,
) -> Result<[Player; 2], Failure> {
    let own = match side {
        None => Side::First,
        Some(word) => input::side(info, word)?,
    };
    let (me, other) = (me(settings)?, begin::player(against)?);
    Ok(if own == Side::First { [me, other] } else { [other, me] })
}

fn players(info: &'static Info, list: &[String], settings: &Settings) -> Result<[Player; 2], Failure> {
    let [first, second] = info.sides.map(|side| side.word);
    let form =
        format!("--player {first}='Ada Quill <ada@example.org>' --player {second}='Bram Post <bram@example.net>'");
    let mut players: [Option<Player>; 2] = [None, None];
    for text in list {
        let side = Side::BOTH
            .into_iter()
            .find(|side| text.split_once('=').is_some_and(|(word, _)| word == info.sides[side.index()].word));
        let (Some(side), Some((word, who))) = (side, text.split_once('=')) else {
            return Err(
                Failure::trouble(format!("`--player {text}` does not begin with {first}= or {second}=")).hint(form)
            );
        };
        if players[side.index()].replace(begin::player(who)?).is_some() {
            return Err(Failure::trouble(format!("`{word}` is given twice")));
        }
    }
    match players {
        [Some(first), Some(second)] => Ok([first, second]),
        [Some(first), None] => Ok([first, me(settings)?]),
        [None, Some(second)] => Ok([me(settings)?, second]),
        [None, None] => Err(Failure::trouble("who plays?").hint(format!(
            "`postrider new {0} --against 'Bram Post <bram@example.net>'`, or `postrider new {0} {form}`",
            info.name
        ))),
    }
}
