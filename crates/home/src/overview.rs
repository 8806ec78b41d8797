//! The player's games: who is due in each, how much time is left, what is owed; the most urgent first.

pub mod shelf;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::clocks;
use crate::clocks::Running as OnClock;
use crate::clocks::reminders;
use crate::clocks::reminders::Reminder;
use crate::conditions::decision::State as Planned;
use crate::elsewhere::Elsewhere;
use crate::entry::asked_back::AskedBackNotes;
use crate::entry::{moves, view};
use crate::keys::trust;
use crate::keys::trust::KeyStanding;
use crate::known::lost::{Lost, Search};
use crate::office::{Office, Trouble};
use crate::own_game::OwnGame;
use crate::receive::decision::Arrival;
use crate::send::sent::State;
use crate::{announced, conditions, known};
use postrider_disk::disk::Kind;
use postrider_disk::found::Found;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_kernel::{Side, SideName};
use postrider_mail::is_reminder;
use postrider_referee::desk::audit;
use postrider_referee::judging::Standing;
use postrider_referee::record::{Player, Time};
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Opened, Ruling};
use postrider_settings::{MailSettings, Settings};
use postrider_vault::keyring::Trusted;

/// The row of a game.
pub struct Row {
    /// Its file.
    pub path: PathBuf,
    /// How it is sorted, first to last.
    pub rank: Rank,
    /// What is said of it.
    pub told: Told,
    /// A reminder that could be sent.
    pub reminder: Option<Reminder>,
    /// Whether there was nothing to judge because the file could not be read.
    pub unread: bool,
}

/// How a game is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The player can enter something, or it is not known who the player is.
    Yours,
    /// It is waiting for the opponent.
    Theirs,
    /// It is refused or cannot be read.
    Refused,
    /// It is over.
    Finished,
}

/// What is said of a row.
pub enum Told {
    Game(Box<Game>),
    /// What is no game that could be judged: why.
    Unread(String),
    /// A record that is damaged or gone, and of which a copy is kept.
    Lost(Lost),
}

/// A game that is in progress or over.
pub struct Game {
    pub id: String,
    /// The name of the game it is one of.
    pub name: &'static str,
    /// The title of that game.
    pub title: &'static str,
    /// The names of the sides.
    pub sides: [SideName; 2],
    /// The names of the players.
    pub players: [String; 2],
    /// The player's side, if that is known.
    pub own: Option<Side>,
    /// How it stands.
    pub standing: Standing,
    /// The clock of the side that is due.
    pub running: Option<OnClock>,
    /// The seconds that each side has left, by its word.
    pub left: Option<BTreeMap<&'static str, i64>>,
    /// What happened to the letter about the newest entry.
    pub sent: Outgoing,
    /// Whether a conditional entry answers the newest one.
    pub foreseen: bool,
    /// Whether there are conditional entries that cannot be used with the record as it is.
    pub unused: bool,
    /// Whether the next entry is forced, and the player's own or it is not known whose.
    pub forced: bool,
    /// What the player has that the opponent cannot see, one line each.
    pub hidden: Vec<String>,
    /// Whether a sealed game is won but the win is not proven (Z24).
    pub unproven: bool,
    /// Whether the invited opponent does not want to play.
    pub declined: bool,
    /// The side that resigns with its next entry.
    pub resigns: Option<Side>,
    /// Whether it was handed over to another machine of the player's.
    pub handed_over: bool,
    /// Whether it is a practice game (E12).
    pub practice: bool,
    /// How the file differs from what was last known of the game, if it does not continue from there.
    pub rewritten: Option<String>,
    /// When the entry that the player is to answer arrived, if that was late by its own time.
    pub arrival: Option<Arrival>,
    /// The name, the address and the key of the opponent, if the opponent signs.
    pub signer: Option<Signer>,
}

/// An opponent who signs.
pub struct Signer {
    pub name: String,
    /// The address.
    pub email: Option<String>,
    pub key: PublicKey,
}

/// What happened to the letter about the newest entry.
pub enum Outgoing {
    /// It is not known that there is one to send: the opponent is not written to from here.
    Unknown,
    /// It was not sent.
    Owed,
    /// The host of the game has asked for the entry with another time.
    AskedBack,
    /// It may have been sent at this time.
    Unsure(DateTime<Utc>),
    /// It was sent at this time, to this address.
    Sent(DateTime<Utc>, String),
    /// It was written at this time, to this address, into this file, which the player mails.
    Written(DateTime<Utc>, String, String),
}

/// The games in the player's folder that are not over.
#[must_use]
pub fn running(office: &Office<'_>) -> Vec<Running> {
    let running = |row: Row| match row.told {
        Told::Game(game) if matches!(row.rank, Rank::Yours | Rank::Theirs) => {
            Some(Running { path: row.path, id: game.id, is_yours: row.rank == Rank::Yours })
        }
        _ => None,
    };
    rows(office).into_iter().filter_map(running).collect()
}

/// A game in the player's folder that is not over.
pub struct Running {
    /// Its file.
    pub path: PathBuf,
    pub id: String,
    /// Whether the player can enter something in it, or it is not known who the player is.
    pub is_yours: bool,
}

/// The games in the player's folder in which the player can enter something, shortest time first. Games in which the
/// player's side is not known are left out.
#[must_use]
pub fn waiting(office: &Office<'_>) -> Vec<PathBuf> {
    let mut rows = rows(office);
    rows.retain(|row| row.rank == Rank::Yours && matches!(&row.told, Told::Game(game) if game.own.is_some()));
    rows.into_iter().map(|row| row.path).collect()
}

/// The rows of the games in the player's folder, the most urgent first.
#[must_use]
pub fn rows(office: &Office<'_>) -> Vec<Row> {
    let Ok(settings) = office.settings() else { return Vec::new() };
    let folder = settings.games.clone().unwrap_or_else(|| settings.games_folder());
    let is_folder = office.disk().about(&folder).is_ok_and(|about| about.kind == Kind::Folder);
    let mut found = if is_folder { postrider_disk::found::find_in(office.disk(), &folder) } else { Vec::new() };
    found.retain(|found| !matches!(found, Found::NoRecord(_)));
    let mut rows = rows_of(office, &found, false);
    rows.retain(|row| !row.is_practice());
    rows.sort_by(order);
    rows
}

/// The rows of what was found, in its order; `remind`: whether a reminder is written where one is due.
#[must_use]
pub fn rows_of(office: &Office<'_>, found: &[Found], remind: bool) -> Vec<Row> {
    let tell = |found: &Found, read: Result<&[u8], std::io::Error>| match read {
        Ok(source) => row(office, found, source, remind),
        Err(error) => Row { unread: true, ..unread(found, format!("cannot be read: {error}")) },
    };
    let mut rows = Vec::new();
    // Nothing ends it before the last.
    let _ = postrider_disk::found::walk_in(office.disk(), found, tell, |row| {
        rows.push(row);
        Ok::<(), Trouble>(())
    });
    rows
}

/// Says of each record that is not what was last known of its game what became of it. `all`: adds the games whose record is not there any
/// more.
///
/// # Errors
/// If the settings cannot be read.
pub fn tell_lost(office: &Office<'_>, rows: &mut Vec<Row>, all: bool) -> Result<(), Trouble> {
    let mut search = Search::new(office.folders(), &office.settings()?.games_folder());
    let here = rows.iter().filter_map(|row| match &row.told {
        Told::Game(game) => Some(&*game.id),
        Told::Unread(_) | Told::Lost(_) => None,
    });
    let mut lost = if all { search.gone(&here.collect()) } else { Vec::new() };
    for row in rows.iter().filter(|row| matches!(row.told, Told::Unread(_)) && !row.unread) {
        let id = office.disk().read_record(&row.path).ok().and_then(|bytes| search.id_of(&row.path, &bytes));
        lost.extend(id.and_then(|id| search.game(&id)));
    }
    let is_same =
        |one: &Lost, path: &Path| one.path == *path || office.disk().is_same(&one.path, path).unwrap_or(false);
    rows.retain(|row| !lost.iter().any(|one| !one.how.is_absent() && is_same(one, &row.path)));
    rows.extend(lost.into_iter().map(|lost| Row {
        path: lost.path.clone(),
        rank: Rank::Refused,
        told: Told::Lost(lost),
        reminder: None,
        unread: false,
    }));
    Ok(())
}

/// Sorts what can be done first, by the time that is left, then the others.
#[must_use]
pub fn order(a: &Row, b: &Row) -> Ordering {
    // Not by the remaining time, because leave postpones the deadline.
    let end = |row: &Row| match &row.told {
        Told::Game(game) => game.running.as_ref().map_or(i64::MAX, |running| running.deadline.0),
        Told::Unread(_) | Told::Lost(_) => i64::MAX,
    };
    a.rank.cmp(&b.rank).then_with(|| end(a).cmp(&end(b))).then_with(|| a.path.cmp(&b.path))
}

/// The row of what is no game that could be judged.
fn unread(found: &Found, what: String) -> Row {
    Row { path: found.path().to_owned(), rank: Rank::Refused, told: Told::Unread(what), reminder: None, unread: false }
}

/// The row of a game; `remind`: whether a reminder is written where one is due.
fn row(office: &Office<'_>, found: &Found, source: &[u8], remind: bool) -> Row {
    let mut opened = match Opened::new(source) {
        Ok(opened) => opened,
        Err(verdict) => return unread(found, verdict.ruling.word().into()),
    };
    let verdict = opened.replay(u32::MAX);
    let Ok(settings) = office.settings() else { return unread(found, "cannot be judged without settings".into()) };
    let now = office.now();
    if verdict.ruling != Ruling::Legal {
        let place = verdict.errors.first().map(|error| match (error.entry, error.rule) {
            (Some(entry), Some(rule)) => format!(", entry {entry} by {rule}"),
            _ => String::new(),
        });
        return unread(found, verdict.ruling.word().to_owned() + &place.unwrap_or_default());
    }
    let standing = opened.table.standing();
    let notes = &OwnGame::new(office, &opened.header.id);
    let own = notes.side(&opened);
    let running = OnClock::of(&standing, now);
    let claimable = running.as_ref().is_some_and(|running| running.left < 0);
    // Whoever has made an entry has not declined.
    let declined = own
        .filter(|own| standing.made.get(own.other().index()) == Some(&0) && standing.outcome.is_none())
        .filter(|_| notes.sides().is_ok_and(|sides| sides.declined));
    let handed_over = standing.outcome.is_none() && Elsewhere::new(office.folders()).is_over(&opened.header.id);
    let rank = match standing.outcome {
        Some(_) => Rank::Finished,
        None if handed_over => Rank::Theirs,
        None if declined.is_some() => Rank::Finished,
        None if own == Some(standing.due.side.other()) && !claimable => Rank::Theirs,
        None => Rank::Yours,
    };
    let reminder = running
        .as_ref()
        .filter(|_| remind && own.is_some())
        .filter(|running| reminders::is_low(&standing, running))
        .and_then(|running| Reminder::of(&opened, own, running, now, settings));
    let sent = if rank == Rank::Finished {
        Outgoing::Unknown
    } else {
        sent(notes, settings, &opened, own == Some(standing.due.side.other()))
    };
    let whose = own.unwrap_or(standing.due.side);
    let prepared = if rank == Rank::Finished { None } else { conditions::state(office, &opened, whose) };
    let foreseen = whose == standing.due.side && matches!(prepared, Some(Planned::Ready { .. }));
    let unused = matches!(prepared, Some(Planned::Void { .. } | Planned::Elsewhere));
    let forced = rank == Rank::Yours && moves::is_forced(office, &opened, own.unwrap_or(standing.due.side));
    let unproven = audit::is_unproven(&opened);
    let hidden =
        own.filter(|_| rank != Rank::Finished).map(|own| view::hidden(office, &opened, own)).unwrap_or_default();
    let arrival = own
        .filter(|own| rank == Rank::Yours && *own == standing.due.side)
        .and_then(|own| known::arrival_of(office, &opened, own).ok().flatten())
        .filter(|arrival| standing.last.is_some_and(|said| arrival.is_late(said)));
    let game = Game {
        id: opened.header.id.clone().into_owned(),
        name: opened.header.info.name,
        title: opened.header.info.title,
        left: clocks::left(&opened, now),
        sides: opened.header.info.sides,
        players: Side::BOTH.map(|side| opened.header.player(side).name.clone().into_owned()),
        own,
        standing,
        running,
        sent,
        foreseen,
        unused,
        forced,
        hidden,
        unproven,
        declined: declined.is_some(),
        resigns: announced::resigns(office, &opened).ok().flatten(),
        handed_over,
        practice: opened.header.machine.is_some(),
        arrival,
        signer: own.filter(|_| rank != Rank::Finished).and_then(|own| Signer::of(&opened, own)),
        rewritten: known::rewritten(office, &opened.header.id, source).ok().flatten().map(|rewritten| rewritten.what),
    };
    Row { path: found.path().to_owned(), rank, told: Told::Game(Box::new(game)), reminder, unread: false }
}

/// What the notes say about the letter about the newest entry; `waits` says whether it is the opponent's turn. It is
/// looked up by its number, because a digest would cost another replay.
fn sent(notes: &OwnGame<'_>, settings: &Settings, opened: &Opened<'_>, waits: bool) -> Outgoing {
    let standing = opened.table.standing();
    let entries = standing.entries;
    if waits
        && AskedBackNotes::new(notes.office.folders())
            .of(&opened.header.id)
            .is_ok_and(|asked| asked.is_some_and(|asked| asked.number <= entries))
    {
        return Outgoing::AskedBack;
    }
    let sent = notes.sent().unwrap_or_default();
    match sent.iter().rfind(|note| note.entry == entries && !is_reminder(&note.message_id)) {
        Some(note) if note.state == State::Sent => match &note.file {
            Some(file) => Outgoing::Written(note.at, note.to.clone(), file.clone()),
            None => Outgoing::Sent(note.at, note.to.clone()),
        },
        Some(note) => Outgoing::Unsure(note.at),
        None if !sent.is_empty() => Outgoing::Owed,
        // The first letter: the invitation, or the first own entry. Whoever is further on has sent the others by hand.
        None if waits && entries <= 2 => {
            let other = opened.header.player(standing.due.side);
            let is_mailed = other.email.is_some() || matches!(settings.mail, MailSettings::Git(_));
            let is_theirs = entries == 0 && notes.was_invited();
            if is_mailed && !is_theirs { Outgoing::Owed } else { Outgoing::Unknown }
        }
        None => Outgoing::Unknown,
    }
}

impl Row {
    /// Whether it is a practice game (E12).
    #[must_use]
    pub fn is_practice(&self) -> bool {
        matches!(&self.told, Told::Game(game) if game.practice)
    }

    /// The opponent, if that one signs.
    #[must_use]
    pub fn signer(&self) -> Option<&Signer> {
        match &self.told {
            Told::Game(game) => game.signer.as_ref(),
            Told::Unread(_) | Told::Lost(_) => None,
        }
    }
}

impl Signer {
    fn of(opened: &Opened<'_>, own: Side) -> Option<Self> {
        let key = trust::key_of(opened, own.other()).filter(|key| Some(key) != trust::key_of(opened, own).as_ref())?;
        let player = trust::signer(&opened.header, own.other(), &key);
        let email = player.email.as_deref().map(str::to_owned);
        Some(Self { name: player.name.clone().into_owned(), email, key })
    }

    /// What confirms the key, unless it is confirmed.
    #[must_use]
    pub fn unconfirmed(&self, trusted: &[Trusted]) -> Option<Act> {
        let player =
            Player { name: self.name.as_str().into(), email: self.email.as_deref().map(Into::into), key: None };
        let is_confirmed = match trust::key_standing(&player, &self.key, trusted) {
            KeyStanding::Trusted => true,
            KeyStanding::Former(known) => !known.pinned,
            _ => false,
        };
        let who = printable(self.email.as_deref().unwrap_or(&self.name)).into_owned();
        (!is_confirmed).then(|| Act::TrustKey(who, self.key.fingerprint(), false))
    }
}
impl Game {
    /// Whether it goes on and nobody knows which side is the player's.
    #[must_use]
    pub fn is_nobodys(&self) -> bool {
        self.own.is_none() && self.standing.outcome.is_none()
    }

    /// The name of a side.
    #[must_use]
    pub fn side(&self, side: Side) -> SideName {
        self.sides[side.index()]
    }

    /// When the player's time ends if it is counted from the arrival of the entry to answer, where that was late.
    #[must_use]
    pub fn until_by_arrival(&self) -> Option<Time> {
        let (arrival, running, said) = (self.arrival.as_ref()?, self.running.as_ref()?, self.standing.last?);
        Some(Time(running.deadline.0.saturating_add(arrival.here().0.saturating_sub(said.0))))
    }

    /// Whether time can be claimed.
    #[must_use]
    pub fn claims(&self) -> bool {
        self.standing.outcome.is_none() && self.running.as_ref().is_some_and(|running| running.left < 0)
    }
}
