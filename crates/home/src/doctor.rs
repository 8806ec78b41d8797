//! Faults of the player's files, settings and clock.

#[cfg(any(unix, windows))]
pub mod checkup;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::conditions::notes::Plans;
use crate::doctor::checkup::Oddity;
use crate::known::copies::KnownGames;
use crate::known::lost::{Lost, Search};
use crate::office::Office;
use crate::send::sent::{Note, SentNotes, State};
use postrider_disk::disk::Disk;
use postrider_disk::finding::find;
use postrider_disk::folders::Folders;
use postrider_disk::found::Found;
use postrider_referee::desk;
use postrider_referee::record::{Item, Time, is_game_id};
use postrider_referee::verdict::{Opened, Ruling};
use postrider_settings::Settings;
use postrider_vault::journal::Journal;
use postrider_vault::kept::Secrets;
use postrider_vault::keyring::Keyring;

/// Something that is wrong or may be.
#[derive(Debug)]
pub enum Ailment {
    /// The settings in this file cannot be used, and why.
    Settings(PathBuf, String),
    /// Something on the disk should not be there, or not in that way.
    Odd(Oddity),
    /// A record, or a folder of records, cannot be read.
    Shut(PathBuf, io::Error),
    /// A record is not what was last known of its game.
    Lost(Lost),
    /// A record of which no copy is kept is refused.
    Refused(PathBuf, Ruling),
    /// Several files in the folder of games are records of one game: nobody knows which of them goes on.
    Twice(String, Vec<PathBuf>),
    /// Nobody knows whether a letter was sent.
    UnsureLetter {
        /// The game's id.
        id: String,
        /// The note of the letter.
        note: Note,
        /// The game's record, if it is found.
        file: Option<PathBuf>,
    },
    /// Something that is kept for a game cannot be read.
    Unread {
        what: Kept,
        /// The game's id.
        id: String,
        why: String,
    },
    /// A key, or the list of trusted keys, in this file cannot be used, and why.
    Key(PathBuf, String),
    /// The system clock is behind a time that was already noted.
    Clock {
        /// What the clock says.
        now: Time,
        /// The later time.
        time: Time,
        /// What is of that time.
        of: Noted,
    },
}

/// What is kept for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Notes of letters that were sent.
    Notes,
    Secret,
    /// The journal of what was signed.
    Journal,
    /// Replies that are foreseen.
    Conditions,
    /// Which sides are the player's.
    Sides,
}

/// What has a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noted {
    /// The newest entry in a record.
    Entry(PathBuf),
    /// The note of a letter of a game.
    Letter(String),
}

/// What was found.
#[derive(Debug)]
pub struct Examined {
    /// What is wrong or may be.
    pub ailments: Vec<Ailment>,
    /// Whether there are records of games between two players.
    pub plays: bool,
}

/// Looks at everything, and changes nothing: each record is read once. `now`: what the system clock says.
#[must_use]
pub fn examine(office: &Office<'_>, now: Time) -> Examined {
    let mut found = Vec::new();
    let (folders, settings) = (office.folders(), office.settings());
    if let Err(error) = &settings {
        found.push(Ailment::Settings(folders.settings_file(), error.to_string()));
    }
    let games = settings.map_or_else(|_| folders.games(), Settings::games_folder);
    let records = records(folders, &games, &mut found);
    let within: BTreeSet<PathBuf> =
        records.iter().filter_map(|path| path.parent()).map(Path::to_owned).chain([games.clone()]).collect();
    let odd = crate::doctor::checkup::look_through(folders, &within.into_iter().collect::<Vec<_>>());
    found.extend(odd.into_iter().map(Ailment::Odd));
    let mut newest = Newest::default();
    let mut search = Search::new(folders, &games);
    let (shut, plays) = damaged(&records, folders, &mut search, (&mut newest, &mut found));
    letters(folders, &mut search, (&mut newest, &mut found));
    keys(folders, &mut found);
    kept(folders, &mut found);
    found.extend(shut);
    found.extend(newest.ahead_of(now));
    Examined { ailments: found, plays }
}

fn records(folders: &Folders, games: &Path, found: &mut Vec<Ailment>) -> Vec<PathBuf> {
    if folders.disk.about(games).is_err() {
        return Vec::new();
    }
    let mut records = Vec::new();
    for one in find(&[games.to_owned()]) {
        match one {
            Found::Record(path) => records.push(path),
            Found::Unreadable(path, error) => found.push(Ailment::Shut(path, error)),
            Found::NoRecord(_) => {}
        }
    }
    records
}

/// Records that are not what was last known of their games, and those that are refused. Returns those that cannot be read, and whether
/// two people play in any.
fn damaged(
    records: &[PathBuf],
    folders: &Folders,
    search: &mut Search,
    (newest, found): (&mut Newest, &mut Vec<Ailment>),
) -> (Vec<Ailment>, bool) {
    let (mut shut, mut refused, mut plays) = (Vec::new(), Vec::new(), false);
    for path in records {
        let bytes = match postrider_disk::files::read_record(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                shut.push(Ailment::Shut(path.clone(), error));
                continue;
            }
        };
        if let Ok(opened) = Opened::new(&bytes) {
            newest.see(newest_time(&opened), || Noted::Entry(path.clone()));
            plays |= opened.header.machine.is_none();
        }
        let ruling = search.see(path, &bytes);
        if ruling != Ruling::Legal {
            refused.push((path, ruling));
        }
    }
    let lost = search.all();
    let is_lost =
        |path: &Path| lost.iter().any(|one| one.path == path || folders.disk.is_same(&one.path, path).unwrap_or(false));
    refused.retain(|(path, _)| !is_lost(path));
    found.extend(refused.into_iter().map(|(path, ruling)| Ailment::Refused(path.clone(), ruling)));
    found.extend(search.twice().into_iter().map(|(id, files)| Ailment::Twice(id, files)));
    found.extend(lost.into_iter().map(Ailment::Lost));
    (shut, plays)
}

/// Letters of which nobody knows whether they were sent.
fn letters(folders: &Folders, search: &mut Search, (newest, found): (&mut Newest, &mut Vec<Ailment>)) {
    for id in ids(&folders.disk, &folders.sent(), ".json", found) {
        match SentNotes::read(folders, &id) {
            Ok(notes) => {
                let times = notes.iter().map(|note| Time(note.at.timestamp()));
                newest.see(times.max(), || Noted::Letter(id.clone()));
                for note in notes.iter().filter(|note| note.state == State::Sending).cloned() {
                    let file = search.file(&id);
                    found.push(Ailment::UnsureLetter { id: id.clone(), note, file });
                }
            }
            Err(error) => found.push(Ailment::Unread { what: Kept::Notes, id, why: error.to_string() }),
        }
    }
}

/// The names of files in a folder that end so, without that.
fn names(disk: &Disk, folder: &Path, ending: &str, found: &mut Vec<Ailment>) -> Vec<String> {
    match disk.names_in(folder) {
        Ok(names) => names.iter().filter_map(|name| name.strip_suffix(ending)).map(str::to_owned).collect(),
        Err(error) => {
            found.push(Ailment::Odd(Oddity::Unreadable(folder.to_owned(), error.to_string())));
            Vec::new()
        }
    }
}

/// The ids in the names of files in a folder.
fn ids(disk: &Disk, folder: &Path, ending: &str, found: &mut Vec<Ailment>) -> Vec<String> {
    names(disk, folder, ending, found).into_iter().filter(|id| is_game_id(id)).collect()
}

fn keys(folders: &Folders, found: &mut Vec<Ailment>) {
    let keyring = Keyring::new(folders);
    let own = keyring.own_keys().err().map(|error| Ailment::Key(keyring.own_file(), error.to_string()));
    let trusted = keyring.trusted().err();
    let trusted = trusted.map(|error| Ailment::Key(folders.keys().join("trusted"), error.to_string()));
    found.extend(own.into_iter().chain(trusted));
}

/// Secrets, journals, conditions and notes of sides that cannot be used.
fn kept(folders: &Folders, found: &mut Vec<Ailment>) {
    let (secrets, journal, plans) = (Secrets::new(folders), Journal::new(folders), Plans::new(folders));
    let known = KnownGames::new(folders);
    let secret = |id: &str, side: &str| secrets.read(id, side).err().map(|error| error.to_string());
    let signed = |id: &str, side: &str| journal.signed(id, side, 1).err().map(|error| error.to_string());
    let plan = |id: &str, side: &str| plans.read(id, side).err().map(|error| error.to_string());
    /// Says what is wrong with what is kept for a side of a game.
    type Fault<'a> = &'a dyn Fn(&str, &str) -> Option<String>;
    let of_sides: [(Kept, PathBuf, &str, Fault<'_>); 3] = [
        (Kept::Secret, folders.secrets(), "", &secret),
        (Kept::Journal, folders.signed(), "", &signed),
        (Kept::Conditions, folders.conditions(), ".json", &plan),
    ];
    for (what, folder, ending, fault) in of_sides {
        for name in names(&folders.disk, &folder, ending, found) {
            let Some((id, side)) = name.split_once('.').filter(|(id, _)| is_game_id(id)) else { continue };
            found.extend(fault(id, side).map(|why| Ailment::Unread { what, id: id.to_owned(), why }));
        }
    }
    for id in ids(&folders.disk, &folders.known(), ".sides", found) {
        if let Err(error) = known.sides(&id) {
            found.push(Ailment::Unread { what: Kept::Sides, id, why: error.to_string() });
        }
    }
}

/// The newest time in the records and in the notes of letters, with which the system clock is compared.
#[derive(Default)]
struct Newest(Option<(Time, Noted)>);

impl Newest {
    /// Takes notice of a time, if there is one; the first of two that are equal counts.
    fn see(&mut self, time: Option<Time>, of: impl FnOnce() -> Noted) {
        if let Some(time) = time.filter(|time| self.0.as_ref().is_none_or(|(newest, _)| newest.0 < time.0)) {
            self.0 = Some((time, of()));
        }
    }

    /// What is wrong if the clock is behind it.
    fn ahead_of(self, now: Time) -> Option<Ailment> {
        let (time, of) = self.0.filter(|(time, _)| time.0 > now.0)?;
        Some(Ailment::Clock { now, time, of })
    }
}

/// The latest time of an entry. The entries are not judged: a time counts that is written there.
fn newest_time(opened: &Opened<'_>) -> Option<Time> {
    let mut body = opened.body();
    let mut newest: Option<Time> = None;
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let time = desk::parts(entry.span.text(opened.text)).1.and_then(|time| Time::read(time.as_bytes()));
        newest = newest.max(time);
    }
    newest
}
