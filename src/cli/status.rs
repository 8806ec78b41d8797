//! `postrider status`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::clock::Running as OnClock;
use super::hints::{Failure, TROUBLE, arg, name, shell, within};
use super::home::office;
use super::keys::{self, KeyStanding};
use super::remind::{self, Reminder};
use super::{accept, answer, clock, input, invited, known, own, packed, print, send, view};
use crate::archive::{self, Found};
use crate::desk::audit;
use crate::desk::receive::Arrival;
use crate::games::kernel::{Outcome, Side, SideName};
use crate::office::conditions;
use crate::record::{Player, Time};
use crate::referee::{Standing, in_words};
use crate::sealing::PublicKey;
use crate::store::{KnownGames, MailSettings, SentNotes, Settings, State, Trusted};
use crate::text::printable;
use crate::verdict::{Opened, Ruling};

/// List your games: who is due, how much time is left, what is still unanswered
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider status                      the games of the folder that `games:` in settings.yaml names
  postrider status ~/club --all         with the finished ones, last
  postrider status --remind             letters to remind players with little time left
  postrider status --remind --send      mail them, at most one per entry

Games that wait for you come first, those with the least time left at the top. `email:` in settings.yaml and the addresses in the \
records show which side is yours. A reminder goes to the player who is due once a fifth of the time is left, or a week of a long time.")]
pub(super) struct Args {
    /// Folders and records instead of the folder in the settings
    paths: Vec<PathBuf>,
    /// List finished games too, last
    #[arg(short, long)]
    all: bool,
    /// Also practice games against the machine
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

/// The row of a game.
struct Row {
    path: PathBuf,
    /// How it is sorted, first to last.
    rank: Rank,
    told: Told,
    reminder: Option<Reminder>,
    /// Whether there was nothing to judge because the file could not be read.
    unread: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The player can enter something, or it is not known who the player is.
    Yours,
    /// It is waiting for the opponent.
    Theirs,
    /// It is refused or cannot be read.
    Refused,
    Finished,
}

enum Told {
    Game(Box<Game>),
    Trouble(String),
}

/// A game that is in progress or over.
struct Game {
    id: String,
    name: &'static str,
    title: &'static str,
    sides: [SideName; 2],
    players: [String; 2],
    own: Option<Side>,
    standing: Standing,
    running: Option<OnClock>,
    /// The seconds that each side has left, by its word.
    left: Option<BTreeMap<&'static str, i64>>,
    sent: Outgoing,
    /// Whether a conditional entry answers the newest one.
    foreseen: bool,
    /// Whether the next entry is forced, and the player's own or it is not known whose.
    forced: bool,
    /// What the player has that the opponent cannot see, one line each.
    hidden: Vec<String>,
    /// Whether a sealed game is won but the win is not proven (Z24).
    unproven: bool,
    /// Whether the invited opponent does not want to play.
    declined: bool,
    /// Whether it is a practice game (E12).
    practice: bool,
    /// How the file differs from what was last known of the game, if it does not continue from there.
    rewritten: Option<String>,
    /// When the entry that the player is to answer arrived, if that was late by its own time.
    arrival: Option<Arrival>,
    /// The name, the address and the key of the opponent, if the opponent signs.
    signer: Option<Signer>,
}

/// An opponent who signs.
struct Signer {
    name: String,
    email: Option<String>,
    key: PublicKey,
}

impl Signer {
    fn of(opened: &Opened<'_>, own: Side) -> Option<Self> {
        let player = opened.header.player(own.other());
        let key = keys::key_of(opened, own.other()).filter(|key| Some(key) != keys::key_of(opened, own).as_ref())?;
        let email = player.email.as_deref().map(str::to_owned);
        Some(Self { name: player.name.clone().into_owned(), email, key })
    }

    /// What to type to confirm the key, unless it is confirmed.
    fn unconfirmed(&self, trusted: &[Trusted]) -> Option<String> {
        let player =
            Player { name: self.name.as_str().into(), email: self.email.as_deref().map(Into::into), key: None };
        let is_confirmed = match keys::key_standing(&player, &self.key, trusted) {
            KeyStanding::Trusted => true,
            KeyStanding::Former(known) => !known.pinned,
            _ => false,
        };
        let who = arg(&printable(self.email.as_deref().unwrap_or(&self.name)));
        (!is_confirmed).then(|| format!("`postrider key trust {who} {}`", self.key.fingerprint()))
    }
}

/// What happened to the letter about the newest entry.
enum Outgoing {
    /// It is not known that there is one to send: the opponent is not written to from here.
    Unknown,
    /// It was not sent.
    Owed,
    /// It may have been sent at this time.
    Unsure(DateTime<Utc>),
    /// It was sent at this time, to this address.
    Sent(DateTime<Utc>, String),
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let paths = match (&args.paths[..], &settings.games) {
        // The folder comes with the first game.
        ([], Some(folder)) if folder.symlink_metadata().is_ok() => vec![folder.clone()],
        // The folder for accepted games if the setting is missing.
        ([], None) if settings.games_folder().is_dir() => vec![settings.games_folder()],
        ([], _) if !invited::waiting(&settings).is_empty() => Vec::new(),
        ([], _) => {
            errln!(
                "no games yet in {}; `postrider new --help` explains how to begin one, `postrider status FOLDER` looks elsewhere",
                name(&settings.games_folder())
            );
            Vec::new()
        }
        (paths, _) => paths.to_vec(),
    };
    let now = input::now(None)?;
    let tell = |found: &Found, read: Result<&[u8], std::io::Error>| match read {
        Ok(source) => row(found, source, &settings, now, args.remind),
        Err(error) => Row { unread: true, ..trouble(found, format!("cannot be read: {error}")) },
    };
    let mut rows = Vec::new();
    // An archive is not a place where games go on: nothing that this command advises could be done there.
    let (archives, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| packed::is_archive(path));
    for path in &archives {
        let file = shell(path);
        errln!(
            "{}: an archive, which status does not list: `postrider table {file}` shows its results, `postrider unpack {file} -o FOLDER` \
             makes files of its games",
            name(path)
        );
    }
    let mut found = archive::find(&paths);
    found.retain(|found| match found {
        Found::NoRecord(folder) => {
            errln!("{}: no record (*.pbem) in this folder", name(folder));
            false
        }
        Found::Record(_) | Found::Unreadable(..) => true,
    });
    archive::walk(&found, tell, |row| {
        rows.push(row);
        Ok::<(), Failure>(())
    })?;
    rows.retain(|row| args.practice || !row.is_practice());
    rows.sort_by(order);
    let is_unread = !archives.is_empty() || rows.iter().any(|row| row.unread);
    let code = ExitCode::from(if is_unread { TROUBLE } else { 0 });
    if args.json {
        let trusted = if rows.iter().any(|row| row.signer().is_some()) { keys::trusted() } else { Rc::default() };
        let lines = rows.iter().filter(|row| args.all || row.rank != Rank::Finished).map(|row| json(row, &trusted));
        print(lines.collect::<String>())?;
        return Ok(code);
    }
    let invited = if args.paths.is_empty() { accept::lines(&settings) } else { Vec::new() };
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

/// A game in the player's folder that is not over.
pub(super) struct Running {
    pub(super) path: PathBuf,
    pub(super) id: String,
    /// Whether the player can enter something in it, or it is not known who the player is.
    pub(super) is_yours: bool,
}

/// The games in the player's folder that are not over.
pub(super) fn running(settings: &Settings) -> Vec<Running> {
    let running = |row: Row| match row.told {
        Told::Game(game) if matches!(row.rank, Rank::Yours | Rank::Theirs) => {
            Some(Running { path: row.path, id: game.id, is_yours: row.rank == Rank::Yours })
        }
        _ => None,
    };
    in_folder(settings).into_iter().filter_map(running).collect()
}

/// The games in the player's folder in which the player can enter something, shortest time first. Games in which the
/// player's side is not known are left out.
pub(super) fn waiting(settings: &Settings) -> Vec<PathBuf> {
    let mut rows = in_folder(settings);
    rows.retain(|row| row.rank == Rank::Yours && matches!(&row.told, Told::Game(game) if game.own.is_some()));
    rows.into_iter().map(|row| row.path).collect()
}

/// The rows of the games in the player's folder, the most urgent first.
fn in_folder(settings: &Settings) -> Vec<Row> {
    let folder = settings.games.clone().unwrap_or_else(|| settings.games_folder());
    let Ok(now) = input::now(None) else { return Vec::new() };
    let tell = |found: &Found, read: Result<&[u8], std::io::Error>| match read {
        Ok(source) => row(found, source, settings, now, false),
        Err(error) => trouble(found, error.to_string()),
    };
    let mut found = if folder.is_dir() { archive::find(&[folder]) } else { Vec::new() };
    found.retain(|found| !matches!(found, Found::NoRecord(_)));
    let mut rows = Vec::new();
    let _ = archive::walk(&found, tell, |row| {
        rows.push(row);
        Ok::<(), Failure>(())
    });
    rows.retain(|row| !row.is_practice());
    rows.sort_by(order);
    rows
}

/// Sorts what can be done first, by the time that is left, then the others.
fn order(a: &Row, b: &Row) -> Ordering {
    // Not by the remaining time, because leave postpones the deadline.
    let end = |row: &Row| match &row.told {
        Told::Game(game) => game.running.as_ref().map_or(i64::MAX, |running| running.deadline.0),
        Told::Trouble(_) => i64::MAX,
    };
    a.rank.cmp(&b.rank).then_with(|| end(a).cmp(&end(b))).then_with(|| a.path.cmp(&b.path))
}

fn path_of(found: &Found) -> &Path {
    let (Found::Record(path) | Found::Unreadable(path, _) | Found::NoRecord(path)) = found;
    path
}

fn trouble(found: &Found, what: String) -> Row {
    Row {
        path: path_of(found).to_owned(),
        rank: Rank::Refused,
        told: Told::Trouble(what),
        reminder: None,
        unread: false,
    }
}

fn row(found: &Found, source: &[u8], settings: &Settings, now: Time, remind: bool) -> Row {
    let mut opened = match Opened::new(source) {
        Ok(opened) => opened,
        Err(verdict) => return trouble(found, verdict.ruling.word().into()),
    };
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        let place = verdict.errors.first().map(|error| match (error.entry, error.rule) {
            (Some(entry), Some(rule)) => format!(", entry {entry} by {rule}"),
            _ => String::new(),
        });
        return trouble(found, verdict.ruling.word().to_owned() + &place.unwrap_or_default());
    }
    let standing = opened.table.standing();
    let own = own::side(&opened, settings);
    let running = OnClock::of(&standing, now);
    let claimable = running.as_ref().is_some_and(|running| running.left < 0);
    // Whoever has made an entry has not declined.
    let declined = own
        .filter(|own| standing.made.get(own.other().index()) == Some(&0) && standing.outcome.is_none())
        .filter(|_| KnownGames::new(&settings.folders).sides(&opened.header.id).is_ok_and(|sides| sides.declined));
    let rank = match standing.outcome {
        Some(_) => Rank::Finished,
        None if declined.is_some() => Rank::Finished,
        None if own == Some(standing.due.side.other()) && !claimable => Rank::Theirs,
        None => Rank::Yours,
    };
    let reminder = running
        .as_ref()
        .filter(|_| remind && own.is_some())
        .filter(|running| remind::is_low(&standing, running))
        .and_then(|running| Reminder::of(&opened, own, running, now, settings));
    let sent = if rank == Rank::Finished {
        Outgoing::Unknown
    } else {
        sent(settings, &opened, own == Some(standing.due.side.other()))
    };
    let foreseen = rank == Rank::Yours && office().is_ok_and(|office| conditions::is_foreseen(&office, &opened));
    let forced = rank == Rank::Yours && answer::is_forced(&opened, own.unwrap_or(standing.due.side));
    let unproven = audit::is_unproven(&opened);
    let hidden = own.filter(|_| rank != Rank::Finished).map(|own| view::hidden(&mut opened, own)).unwrap_or_default();
    let arrival = own
        .filter(|own| rank == Rank::Yours && *own == standing.due.side)
        .and_then(|own| known::arrival_of(&opened, own).ok().flatten())
        .filter(|arrival| standing.last.is_some_and(|said| arrival.is_late(said)));
    let game = Game {
        id: opened.header.id.clone().into_owned(),
        name: opened.header.info.name,
        title: opened.header.info.title,
        left: clock::left(&opened, now),
        sides: opened.header.info.sides,
        players: Side::BOTH.map(|side| opened.header.player(side).name.clone().into_owned()),
        own,
        standing,
        running,
        sent,
        foreseen,
        forced,
        hidden,
        unproven,
        declined: declined.is_some(),
        practice: opened.header.machine.is_some(),
        arrival,
        signer: own.filter(|_| rank != Rank::Finished).and_then(|own| Signer::of(&opened, own)),
        rewritten: known::rewritten(&opened.header.id, source).ok().flatten().map(|rewritten| rewritten.what),
    };
    Row { path: path_of(found).to_owned(), rank, told: Told::Game(Box::new(game)), reminder, unread: false }
}

/// What the notes say about the letter about the newest entry; `waits` says whether it is the opponent's turn. It is
/// looked up by its number, because a digest would cost another replay.
fn sent(settings: &Settings, opened: &Opened<'_>, waits: bool) -> Outgoing {
    let standing = opened.table.standing();
    let entries = standing.entries;
    let notes = SentNotes::read(&settings.folders, &opened.header.id).unwrap_or_default();
    match notes.iter().rfind(|note| note.entry == entries && !crate::mail::is_reminder(&note.message_id)) {
        Some(note) if note.state == State::Sent => Outgoing::Sent(note.at, note.to.clone()),
        Some(note) => Outgoing::Unsure(note.at),
        None if !notes.is_empty() => Outgoing::Owed,
        // The first letter: the invitation, or the first own entry. Whoever is further on has sent the others by hand.
        None if waits && entries <= 2 => {
            let other = opened.header.player(standing.due.side);
            let is_mailed = other.email.is_some() || matches!(settings.mail, MailSettings::Git(_));
            let is_theirs = entries == 0 && own::was_invited(settings, &opened.header.id);
            if is_mailed && !is_theirs { Outgoing::Owed } else { Outgoing::Unknown }
        }
        None => Outgoing::Unknown,
    }
}

impl Row {
    fn is_practice(&self) -> bool {
        matches!(&self.told, Told::Game(game) if game.practice)
    }

    fn signer(&self) -> Option<&Signer> {
        match &self.told {
            Told::Game(game) => game.signer.as_ref(),
            Told::Trouble(_) => None,
        }
    }
}

impl Game {
    fn is_nobodys(&self) -> bool {
        self.own.is_none() && self.standing.outcome.is_none()
    }

    fn side(&self, side: Side) -> SideName {
        self.sides[side.index()]
    }

    /// When the player's time ends if it is counted from the arrival of the entry to answer, where that was late.
    fn until_by_arrival(&self) -> Option<Time> {
        let (arrival, running, said) = (self.arrival.as_ref()?, self.running.as_ref()?, self.standing.last?);
        Some(Time(running.deadline.0.saturating_add(arrival.here().0.saturating_sub(said.0))))
    }

    fn claims(&self) -> bool {
        self.standing.outcome.is_none() && self.running.as_ref().is_some_and(|running| running.left < 0)
    }

    /// Everything there is to say, one line each; `path` is the record's path as typed.
    fn lines(&self, path: &str, now: Time) -> Vec<String> {
        let mut lines = self.state(path, now);
        if let Some(what) = &self.rewritten {
            lines.push(format!("it does not continue what was last known: {what}; `postrider show {path}` says more"));
        }
        lines
    }

    /// How it stands, one line each.
    fn state(&self, path: &str, now: Time) -> Vec<String> {
        if let Some(outcome) = self.standing.outcome {
            let proof = if self.unproven { "; won, not proven: `postrider audit` says more" } else { "" };
            return vec![format!("{}{proof}", outcome.text(&self.sides))];
        }
        if self.declined {
            let name = self.own.map_or("the opponent".into(), |own| printable(&self.players[own.other().index()]));
            return vec![format!("{name} does not want to play; `postrider send {path} --force` invites again")];
        }
        let due = self.standing.due.side;
        let whose = if self.own == Some(due) { " (you)" } else { "" };
        let time = self.running.as_ref().map(|running| format!("; {}", running.told())).unwrap_or_default();
        let (word, number) = (self.side(due).word, self.standing.entries.saturating_add(1));
        let mut lines = vec![format!("{word}{whose} due, entry {number}: {}{time}", self.standing.due.what)];
        if let (Some(arrival), Some(running)) = (&self.arrival, &self.running) {
            let (entry, until, end) =
                (arrival.entry, running.deadline, self.until_by_arrival().unwrap_or(running.deadline));
            lines.push(format!(
                "entry {entry} {}: your time ends on {until} by its own time, on {end} by its arrival",
                arrival.in_words()
            ));
        }
        if let Some(side) = self.standing.offer {
            let name = self.side(side);
            lines.push(format!("{} {} a draw; `draw!` accepts it", name.named(), name.verb("offer", "offers")));
        }
        if self.foreseen {
            lines.push(format!("you prepared a reply: `postrider answer {path}` makes it"));
        } else if self.forced {
            lines.push(format!("this entry is forced: `postrider answer {path}` makes it"));
        }
        if self.claims() {
            let waits = self.side(due.other()).named();
            // The side that is due cannot claim (E7), but should hurry.
            let command = format!(": `postrider move {path} 'claim time'`");
            lines.push(format!("{waits} may claim time{}", if self.own == Some(due) { "" } else { &command }));
        }
        lines.extend(self.hidden.iter().map(|hidden| format!("you alone see: {hidden}")));
        // The player's last letter is the one that the opponent has not answered.
        if self.own != Some(due) {
            let letter = send::newest(self.standing.entries);
            match &self.sent {
                Outgoing::Sent(at, to) => {
                    let ago = in_words(now.0.saturating_sub(at.timestamp()).max(0));
                    let at = Time(at.timestamp());
                    lines.push(format!("{letter} was sent to {} on {at}, {ago} ago: no answer yet", printable(to)));
                }
                Outgoing::Unsure(at) => {
                    let at = Time(at.timestamp());
                    lines.push(format!("{letter} may not have gone out on {at}: `postrider send {path}`"));
                }
                Outgoing::Owed => lines.push(format!("{letter} was not sent: `postrider send {path}`")),
                Outgoing::Unknown => {}
            }
        }
        lines
    }
}

fn text(rows: &[Row], all: bool, now: Time) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| all || row.rank != Rank::Finished) {
        let (path, typed) = (name(&row.path), shell(&row.path));
        match &row.told {
            Told::Game(game) => {
                let players = game.players.each_ref().map(|player| printable(player));
                text.push_str(&format!("{path}  {}  {}: {}\n", game.id, game.title, players.join(" - ")));
                for line in game.lines(&typed, now) {
                    text.push_str(&format!("    {line}\n"));
                }
            }
            Told::Trouble(what) => {
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
    parts.push(format!("{} finished{hidden}", count(Rank::Finished)));
    if !text.is_empty() {
        text.push('\n');
    }
    let signers: Vec<&Signer> = rows.iter().filter_map(Row::signer).collect();
    // The list is read only where somebody signs.
    let trusted = if signers.is_empty() { Rc::default() } else { keys::trusted() };
    let mut told = Vec::new();
    for signer in signers {
        if let Some(command) = signer.unconfirmed(&trusted).filter(|command| !told.contains(command)) {
            text.push_str(&format!(
                "confirm the key of {} by some way other than mail: {command}\n",
                printable(&signer.name)
            ));
            told.push(command);
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
    sent: Option<String>,
    letter: Option<&'static str>,
    unconfirmed_key: Option<String>,
    result: Option<String>,
    trouble: Option<&'a str>,
}

fn json(row: &Row, trusted: &[Trusted]) -> String {
    let path = row.path.to_string_lossy();
    let mut report = Report { path: &path, ..Report::default() };
    match &row.told {
        Told::Trouble(what) => {
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
                sent: match &game.sent {
                    Outgoing::Sent(at, _) => Some(Time(at.timestamp()).to_string()),
                    _ => None,
                },
                letter: match &game.sent {
                    _ if over || game.own == Some(due) => None,
                    Outgoing::Sent(..) => Some("sent"),
                    Outgoing::Unsure(_) => Some("unsure"),
                    Outgoing::Owed => Some("owed"),
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
    super::json::line(&report)
}
