//! `postrider status`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, TROUBLE, arg, name, shell, within};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::{acts, begin, invited, keys, remind, view};
use crate::commands::{accept, send};
use postrider_disk::found::Found;
use postrider_home::overview::{Game, Outgoing, Rank, Row, Signer, Told, order, rows_of, tell_lost};
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_kernel::{Outcome, Side};
use postrider_referee::judging::in_words;
use postrider_referee::record::Time;
use postrider_vault::keyring::Trusted;

/// List your games: who is due, and how much time is left
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/status.txt"))]
pub(crate) struct Args {
    /// Folders and records instead of the folder in the settings
    pub(crate) paths: Vec<PathBuf>,
    /// List finished games too, last
    #[arg(short, long)]
    all: bool,
    /// Include practice games against the machine
    #[arg(long)]
    practice: bool,
    /// Print letters to remind players who are due and have little time left
    #[arg(long, conflicts_with = "json")]
    remind: bool,
    /// Mail them
    #[arg(long, requires = "remind")]
    send: bool,
    /// Print one JSON object per game
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    // What the rows are judged by is read once, so that it does not fail halfway.
    let ours = office()?;
    let settings = ours.settings()?;
    let paths = match (&args.paths[..], &settings.games) {
        // The folder comes with the first game.
        ([], Some(folder)) if folder.symlink_metadata().is_ok() => vec![folder.clone()],
        // The folder for accepted games if the setting is missing.
        ([], None) if settings.games_folder().is_dir() => vec![settings.games_folder()],
        ([], _) if !invited::waiting(settings).is_empty() => Vec::new(),
        ([], _) => {
            errln!(
                "no games yet in {}; `postrider status FOLDER` looks elsewhere\n{}",
                name(&settings.games_folder()),
                begin::NO_GAMES.trim_end()
            );
            Vec::new()
        }
        (paths, _) => paths.to_vec(),
    };
    let now = ours.now();
    // An archive is not a place where games go on: nothing that this command advises could be done there.
    let (archives, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().partition(|path| postrider_archive::sources::is_archive(path));
    for path in &archives {
        let file = shell(path);
        errln!(
            "{}: an archive, which status does not list: `postrider archive table {file}` shows its results, `postrider archive unpack {file} -o FOLDER` \
             makes files of its games",
            name(path)
        );
    }
    let mut found = postrider_disk::finding::find(&paths);
    found.retain(|found| match found {
        Found::NoRecord(folder) => {
            errln!("{}: no record (*.pbem) in this folder", name(folder));
            false
        }
        Found::Record(_) | Found::Unreadable(..) => true,
    });
    let mut rows = rows_of(&ours, &found, args.remind);
    rows.retain(|row| args.practice || !row.is_practice());
    tell_lost(&ours, &mut rows, args.paths.is_empty())?;
    rows.sort_by(order);
    let is_unread = !archives.is_empty() || rows.iter().any(|row| row.unread);
    let code = ExitCode::from(if is_unread { TROUBLE } else { 0 });
    if args.json {
        let trusted = if rows.iter().any(|row| row.signer().is_some()) { keys::trusted() } else { Arc::default() };
        let lines = rows.iter().filter(|row| args.all || row.rank != Rank::Finished).map(|row| json(row, &trusted));
        print(lines.collect::<String>())?;
        return Ok(code);
    }
    let invited = if args.paths.is_empty() {
        accept::lines(settings, accept::COMMAND).into_iter().map(|(_, line)| line).collect()
    } else {
        Vec::new()
    };
    if args.remind {
        let games = rows.iter().filter_map(|row| row.reminder.as_ref().map(|reminder| (row.path.as_path(), reminder)));
        let nameless = rows.iter().any(|row| matches!(&row.told, Told::Game(game) if game.is_nobodys()));
        return remind::all(games, nameless, args.send, now);
    }
    let mut text = text(&rows, args.all, now);
    for line in invited {
        text.push_str(&format!("{line}\n"));
    }
    print(within(&text, view::columns().unwrap_or(usize::MAX)))?;
    Ok(code)
}

/// Everything there is to say, one line each; `path` is the record's path as typed.
fn lines(game: &Game, path: &str, now: Time) -> Vec<String> {
    let mut lines = state(game, path, now);
    if let Some(what) = &game.rewritten {
        lines.push(format!("it does not continue what was last known: {what}; `postrider show {path}` says more, `postrider restore {path}` brings back what was known"));
    }
    lines
}

/// How it stands, one line each.
fn state(game: &Game, path: &str, now: Time) -> Vec<String> {
    if let Some(outcome) = game.standing.outcome {
        let proof = if game.unproven { "; won, not proven: `postrider proof audit` says more" } else { "" };
        return vec![format!("{}{proof}", outcome.text(&game.sides))];
    }
    if game.declined {
        let name = game.own.map_or("the opponent".into(), |own| printable(&game.players[own.other().index()]));
        return vec![format!("{name} does not want to play; `postrider send {path} --force` invites again")];
    }
    if game.handed_over {
        return vec!["handed over: it is played on another machine of yours, and nothing is entered here".to_owned()];
    }
    let due = game.standing.due.side;
    let whose = if game.own == Some(due) { " (you)" } else { "" };
    let time = game.running.as_ref().map(|running| format!("; {}", running.told())).unwrap_or_default();
    let (word, number) = (game.side(due).word, game.standing.entries.saturating_add(1));
    let mut lines = vec![format!("{word}{whose} due, entry {number}: {}{time}", game.standing.due.what)];
    if let (Some(arrival), Some(running)) = (&game.arrival, &game.running) {
        let (entry, until, end) =
            (arrival.entry, running.deadline, game.until_by_arrival().unwrap_or(running.deadline));
        lines.push(format!(
            "entry {entry} {}: your time ends on {until} by its own time, on {end} by its arrival",
            arrival.in_words()
        ));
    }
    if let Some(side) = game.standing.offer {
        let name = game.side(side);
        lines.push(format!("{} {} a draw; `draw!` accepts it", name.named(), name.verb("offer", "offers")));
    }
    if let Some(side) = game.resigns {
        let name = printable(&game.players[side.index()]);
        lines.push(format!("{name} resigns, which is entered as soon as entry {number} is made"));
    }
    if game.foreseen {
        lines.push(format!("you prepared a reply: `postrider answer {path}` makes it"));
    } else if game.forced {
        lines.push(format!("this entry is forced: `postrider answer {path}` makes it"));
    }
    if game.unused {
        lines.push(format!(
            "the replies that you prepared do not fit the game any more: `postrider if {path}` says more"
        ));
    }
    if game.claims() {
        let waits = game.side(due.other()).named();
        // The side that is due cannot claim (E7), but should hurry.
        let command = format!(": `postrider move {path} 'claim time'`");
        lines.push(format!("{waits} may claim time{}", if game.own == Some(due) { "" } else { &command }));
    }
    lines.extend(game.hidden.iter().map(|hidden| format!("you alone see: {hidden}")));
    // The player's last letter is the one that the opponent has not answered.
    if game.own != Some(due) {
        let letter = send::newest(game.standing.entries);
        match &game.sent {
            Outgoing::Sent(at, to) => {
                let ago = in_words(now.0.saturating_sub(at.timestamp()).max(0));
                let at = Time(at.timestamp());
                lines.push(format!("{letter} was sent to {} on {at}, {ago} ago: no answer yet", printable(to)));
            }
            Outgoing::Written(at, to, file) => {
                let ago = in_words(now.0.saturating_sub(at.timestamp()).max(0));
                let (at, to, file) = (Time(at.timestamp()), printable(to), printable(file));
                lines.push(format!(
                    "{letter} to {to} was written to {file} on {at}, {ago} ago, for you to mail: no answer yet"
                ));
            }
            Outgoing::Unsure(at) => {
                let at = Time(at.timestamp());
                lines.push(format!("{letter} may not have gone out on {at}: `postrider send {path}`"));
            }
            Outgoing::AskedBack => lines.push(format!(
                "the host has not entered {letter}, because of its time: `postrider send {path} --date-anew`"
            )),
            Outgoing::Owed => lines.push(format!("{letter} was not sent: `postrider send {path}`")),
            Outgoing::Unknown => {}
        }
    }
    lines
}

fn text(rows: &[Row], all: bool, now: Time) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| all || row.rank != Rank::Finished) {
        let (path, typed) = (name(&row.path), shell(&row.path));
        match &row.told {
            Told::Game(game) => {
                let players = game.players.each_ref().map(|player| printable(player));
                text.push_str(&format!("{path}  {}  {}: {}\n", game.id, game.title, players.join(" - ")));
                for line in lines(game, &typed, now) {
                    text.push_str(&format!("    {line}\n"));
                }
            }
            Told::Lost(lost) => {
                let id = arg(&lost.id);
                text.push_str(&format!(
                    "{path}  {id}\n    {}: `postrider restore {id}` brings it back\n",
                    lost.in_words()
                ));
            }
            Told::Unread(what) => {
                let more =
                    if row.unread { String::new() } else { format!(": `postrider verify -v {typed}` says more") };
                text.push_str(&format!("{path}\n    {}{more}\n", printable(what)));
            }
        }
    }
    let count = |rank: Rank| rows.iter().filter(|row| row.rank == rank).count();
    let mut parts = vec![format!("{} for you", count(Rank::Yours)), format!("{} for others", count(Rank::Theirs))];
    if count(Rank::Refused) > 0 {
        parts.push(format!("{} refused", count(Rank::Refused)));
    }
    let hidden = if all || count(Rank::Finished) == 0 { "" } else { " (--all lists them)" };
    // Nobody has played a game that was declined.
    let declined = rows.iter().filter(|row| matches!(&row.told, Told::Game(game) if game.declined)).count();
    if declined > 0 {
        parts.push(format!("{declined} declined"));
    }
    parts.push(format!("{} finished{hidden}", count(Rank::Finished).saturating_sub(declined)));
    if !text.is_empty() {
        text.push('\n');
    }
    let signers: Vec<&Signer> = rows.iter().filter_map(Row::signer).collect();
    // The list is read only where somebody signs.
    let trusted = if signers.is_empty() { Arc::default() } else { keys::trusted() };
    let mut told = Vec::new();
    for signer in signers {
        if let Some(act) = signer.unconfirmed(&trusted).filter(|act| !told.contains(act)) {
            text.push_str(&format!(
                "confirm the key of {} by some way other than mail: `{}`\n",
                printable(&signer.name),
                acts::command(&act)
            ));
            told.push(act);
        }
    }
    format!("{text}games: {}\n", parts.join(", "))
}

/// A game as JSON. Durations are in seconds.
#[derive(Serialize, Default)]
struct Report<'a> {
    path: &'a str,
    state: &'static str,
    id: Option<&'a str>,
    game: Option<&'static str>,
    you: Option<&'static str>,
    due: Option<&'static str>,
    entry: Option<u32>,
    what: Option<&'static str>,
    entries: u32,
    left: Option<&'a BTreeMap<&'static str, i64>>,
    until: Option<String>,
    still_until: Option<String>,
    until_by_arrival: Option<String>,
    claim_time: Option<&'static str>,
    forced: Option<bool>,
    offer: Option<&'static str>,
    resigns_next: Option<&'static str>,
    sent: Option<String>,
    letter: Option<&'static str>,
    unconfirmed_key: Option<String>,
    result: Option<String>,
    trouble: Option<&'a str>,
}

fn json(row: &Row, trusted: &[Trusted]) -> String {
    let path = path_text(&row.path);
    let trouble;
    let mut report = Report { path: &path, ..Report::default() };
    match &row.told {
        Told::Lost(lost) => {
            report.state = "refused";
            report.id = Some(&lost.id);
            trouble = lost.in_words();
            report.trouble = Some(&trouble);
        }
        Told::Unread(what) => {
            report.state = "refused";
            report.trouble = Some(what);
        }
        Told::Game(game) => {
            let word = |side: Side| game.side(side).word;
            let (standing, due) = (&game.standing, game.standing.due.side);
            let result = standing.outcome.map(|outcome: Outcome| outcome.text(&game.sides));
            let running = game.running.as_ref();
            let over = result.is_some() || game.declined;
            report = Report {
                path: &path,
                state: match over {
                    true if game.declined => "declined",
                    true => "finished",
                    false => "running",
                },
                id: Some(&game.id),
                game: Some(game.name),
                entries: standing.entries,
                you: game.own.map(word),
                due: (!over).then(|| word(due)),
                entry: (!over).then(|| standing.entries.saturating_add(1)),
                what: (!over).then_some(standing.due.what),
                left: game.left.as_ref(),
                until: running.map(|running| running.deadline.to_string()),
                still_until: running.and_then(|running| running.still_until).map(|end| end.to_string()),
                until_by_arrival: game.until_by_arrival().map(|end| end.to_string()),
                claim_time: game.claims().then(|| word(due.other())),
                forced: (!over).then_some(game.forced),
                offer: standing.offer.filter(|_| !over).map(word),
                resigns_next: game.resigns.filter(|_| !over).map(word),
                sent: match &game.sent {
                    Outgoing::Sent(at, _) | Outgoing::Written(at, ..) => Some(Time(at.timestamp()).to_string()),
                    _ => None,
                },
                letter: match &game.sent {
                    _ if over || game.own == Some(due) => None,
                    Outgoing::Sent(..) => Some("sent"),
                    Outgoing::Written(..) => Some("written"),
                    Outgoing::Unsure(_) => Some("unsure"),
                    Outgoing::Owed | Outgoing::AskedBack => Some("owed"),
                    Outgoing::Unknown => None,
                },
                unconfirmed_key: game
                    .signer
                    .as_ref()
                    .filter(|signer| signer.unconfirmed(trusted).is_some())
                    .map(|signer| signer.key.fingerprint()),
                result,
                trouble: game.rewritten.as_deref(),
            };
        }
    }
    // Texts and numbers always have a JSON form.
    postrider_board::report::line(&report)
}
