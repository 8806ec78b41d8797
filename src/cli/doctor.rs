//! `postrider doctor`: what is wrong with the player's files, what it means, and what to type.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{self, Failure, arg, name, shell};
use super::{input, json, print};
use crate::archive::{self, Found, Shelf};
use crate::desk;
use crate::record::{Item, Time, is_game_id};
use crate::store::{
    self, Disk, Folders, Journal, Keyring, KnownGames, Note, Oddity, Plans, Remedy, Secrets, SentNotes, Settings,
    State, remedy,
};
use crate::text::printable;
use crate::verdict::Opened;

/// Look for what is wrong with your files, settings and clock
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider doctor
  postrider doctor --json      the same for programs, one object for each finding

It looks for letters of which nobody knows whether they were sent, for lock files and half-written files of programs that were killed, \
for keys, secrets, settings and notes that cannot be read or that others may read, and at the system clock. It says what each means \
and what to type, and changes nothing. Exit code 1: something was found.")]
pub(super) struct Args {
    /// Print JSON, one object per finding
    #[arg(long)]
    json: bool,
}

/// Something that was found.
#[derive(Serialize)]
struct Finding {
    /// What kind of finding it is.
    finding: &'static str,
    /// The file or folder, if it is about one.
    path: Option<String>,
    /// The game's id, if it is about one.
    id: Option<String>,
    /// What was found, and what it means.
    what: String,
    /// What to do, or to type.
    advice: String,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, finding: &'static str, path: Option<&Path>, what: String, advice: String) {
        let path = path.map(name);
        self.0.push(Finding { finding, path, id: None, what, advice });
    }

    fn of_game(&mut self, finding: &'static str, id: &str, what: String, advice: String) {
        self.0.push(Finding { finding, path: None, id: Some(id.to_owned()), what, advice });
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut found = Findings::default();
    let folders = Folders::find().map_err(|error| Failure::trouble(error.to_string()))?;
    let settings = Settings::load();
    if let Err(error) = &settings {
        let file = folders.settings_file();
        found.add(
            "settings",
            Some(&file),
            format!("the settings cannot be used, and no command runs without them: {}", printable(&error.to_string())),
            format!("correct {}, or `postrider setup` writes it anew", name(&file)),
        );
    }
    let games = settings.as_ref().map_or_else(|_| folders.games(), Settings::games_folder);
    let records = records(&games, &mut found);
    let within: BTreeSet<PathBuf> =
        records.iter().filter_map(|path| path.parent()).map(Path::to_owned).chain([games.clone()]).collect();
    for oddity in store::look_through(&folders, &within.into_iter().collect::<Vec<_>>()) {
        odd(&oddity, &mut found);
    }
    letters(&folders, &games, &mut found);
    kept(&folders, &mut found);
    clock(&records, &folders, &mut found)?;
    let code = if found.0.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(hints::REFUSED) };
    if args.json {
        print(found.0.iter().map(json::line).collect::<String>())?;
        return Ok(code);
    }
    if found.0.is_empty() {
        print("nothing is wrong\n")?;
    }
    for Finding { path, id, what, advice, .. } in &found.0 {
        let about = path.as_ref().or(id.as_ref()).filter(|about| !what.contains(about.as_str()));
        let about = about.map(|about| format!("{about}: ")).unwrap_or_default();
        print(format!("{about}{what}\n  {advice}\n"))?;
    }
    Ok(code)
}

/// The records in the folder of games.
fn records(games: &Path, found: &mut Findings) -> Vec<PathBuf> {
    if !games.exists() {
        return Vec::new();
    }
    let mut records = Vec::new();
    for one in archive::find(&[games.to_owned()]) {
        match one {
            Found::Record(path) => records.push(path),
            Found::Unreadable(path, error) => shut(&path, &error, found),
            Found::NoRecord(_) => {}
        }
    }
    records
}

/// A record or a folder of records that cannot be read.
fn shut(path: &Path, error: &std::io::Error, found: &mut Findings) {
    found.add(
        "unreadable",
        Some(path),
        format!(
            "it cannot be read ({error}), and until it can, no letter of a game that is not found elsewhere is taken"
        ),
        "make it readable, or move it out of the folder of games".to_owned(),
    );
}

/// Says what an oddity on the disk means.
fn odd(oddity: &Oddity, found: &mut Findings) {
    let (finding, path, what, advice) = match oddity {
        Oddity::Leftover(path) => (
            "leftover",
            path,
            "a program was killed while it wrote this; the file that was to be replaced is as it was".to_owned(),
            format!("`rm {}`; the next command that writes that file removes it too", shell(path)),
        ),
        Oddity::StaleLock(path) => (
            "stale lock",
            path,
            "the program that took this lock is gone".to_owned(),
            format!("`rm {}`; the next command that writes the file beside it removes it too", shell(path)),
        ),
        Oddity::Lock { path, who } => (
            "lock",
            path,
            format!("the file beside it is locked: {}", printable(who)),
            format!("wait until that program has ended; if it has, `rm {}`", shell(path)),
        ),
        Oddity::Readable(path) => (
            "permissions",
            path,
            "others may read it, and it is yours alone; keys and secrets that others may read are not used".to_owned(),
            format!("`{}`", remedy(Remedy::Close, path)),
        ),
        Oddity::Writable(path) => (
            "permissions",
            path,
            "others may write to it, and so decide what this program does".to_owned(),
            format!("`{}`", remedy(Remedy::KeepFromWriting, path)),
        ),
        Oddity::Foreign(path) => (
            "permissions",
            path,
            "it belongs to another user, perhaps since a command was run as root".to_owned(),
            format!("`{}`", remedy(Remedy::TakeOver, path)),
        ),
        Oddity::Unreadable(path, why) => (
            "unreadable",
            path,
            format!("it cannot be read: {}", printable(why)),
            "make it readable; what is in it is not known until then".to_owned(),
        ),
    };
    found.add(finding, Some(path), what, advice);
}

/// Letters of which nobody knows whether they were sent.
fn letters(folders: &Folders, games: &Path, found: &mut Findings) {
    let mut shelf = Shelf::noted(games, folders);
    for id in ids(&folders.sent(), ".json", found) {
        match SentNotes::read(folders, &id) {
            Ok(notes) => {
                for note in notes.iter().filter(|note| note.state == State::Sending) {
                    let files = shelf.find(&id).unwrap_or_default();
                    letter(&id, note, files.first().map(PathBuf::as_path), found);
                }
            }
            Err(error) => unread("notes", &id, &error.to_string(), found),
        }
    }
}

fn letter(id: &str, note: &Note, file: Option<&Path>, found: &mut Findings) {
    let to = printable(&note.to);
    let what = match note.entry {
        _ if crate::mail::is_reminder(&note.message_id) => "the reminder".to_owned(),
        0 => "the invitation".to_owned(),
        entry => format!("the letter about entry {entry}"),
    };
    let file = file.map_or_else(|| "FILE".to_owned(), shell);
    found.of_game(
        "unsure letter",
        id,
        format!("{what} to {to} was about to be sent on {}, and nobody knows whether it was", note.at),
        if crate::mail::is_reminder(&note.message_id) {
            "nothing has to be done: `postrider status --remind --send` does not repeat it".to_owned()
        } else {
            format!(
                "`postrider send {file}` sends it, again if need be, and a second copy does no harm; `postrider undo {file} \
                 --unsent` takes the entry back, if you are certain that it was not sent"
            )
        },
    );
}

/// The ids in the names of files in a folder.
fn ids(folder: &Path, ending: &str, found: &mut Findings) -> Vec<String> {
    match store::names_in(&Disk::real(), folder) {
        Ok(names) => names
            .iter()
            .filter_map(|name| name.strip_suffix(ending))
            .filter(|id| is_game_id(id))
            .map(str::to_owned)
            .collect(),
        Err(error) => {
            odd(&Oddity::Unreadable(folder.to_owned(), error.to_string()), found);
            Vec::new()
        }
    }
}

fn unread(finding: &'static str, id: &str, why: &str, found: &mut Findings) {
    found.of_game(
        finding,
        id,
        printable(why).into_owned(),
        "restore it from a backup, or remove it if that is said; nothing that depends on it is done for this game until then"
            .to_owned(),
    );
}

/// Keys, secrets, journals and conditions that cannot be used.
fn kept(folders: &Folders, found: &mut Findings) {
    let keyring = Keyring::new(folders);
    let own = keyring.own_keys().err().map(|error| (keyring.own_file(), error.to_string()));
    let trusted = keyring.trusted().err().map(|error| (folders.keys().join("trusted"), error.to_string()));
    for (path, why) in own.into_iter().chain(trusted) {
        found.add(
            "key",
            Some(&path),
            printable(&why).into_owned(),
            "`postrider key import BACKUP` restores your key from a backup; nothing is signed, and no key trusted, until then"
                .to_owned(),
        );
    }
    let (secrets, journal, plans) = (Secrets::new(folders), Journal::new(folders), Plans::new(folders));
    let sides = |folder: &Path, ending: &str, found: &mut Findings| -> Vec<(String, String)> {
        let names = store::names_in(&Disk::real(), folder).unwrap_or_else(|error| {
            odd(&Oddity::Unreadable(folder.to_owned(), error.to_string()), found);
            Vec::new()
        });
        let parted =
            |name: String| name.strip_suffix(ending)?.split_once('.').map(|(id, side)| (id.into(), side.into()));
        names.into_iter().filter_map(parted).filter(|(id, _): &(String, String)| is_game_id(id)).collect()
    };
    for (id, side) in sides(&folders.secrets(), "", found) {
        if let Err(error) = secrets.read(&id, &side) {
            found.of_game(
                "secret",
                &id,
                printable(&error.to_string()).into_owned(),
                "`postrider secret import BACKUP` restores it from a backup; what you sealed cannot be opened until then"
                    .to_owned(),
            );
        }
    }
    for (id, side) in sides(&folders.signed(), "", found) {
        if let Err(error) = journal.signed(&id, &side, 1) {
            unread("journal", &id, &error.to_string(), found);
        }
    }
    for (id, side) in sides(&folders.conditions(), ".json", found) {
        if let Err(error) = plans.read(&id, &side) {
            unread("conditions", &id, &error.to_string(), found);
        }
    }
    let known = KnownGames::new(folders);
    for id in ids(&folders.known(), ".sides", found) {
        if let Err(error) = known.sides(&id) {
            unread("sides", &id, &error.to_string(), found);
        }
    }
}

/// Compares the system clock with the newest time in the records and in the notes of letters.
fn clock(records: &[PathBuf], folders: &Folders, found: &mut Findings) -> Result<(), Failure> {
    let now = input::now(None)?;
    let mut newest: Option<(Time, String)> = None;
    let mut see = |time: Time, what: String| {
        if newest.as_ref().is_none_or(|(newest, _)| newest.0 < time.0) {
            newest = Some((time, what));
        }
    };
    for path in records {
        let bytes = match store::read_record(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                shut(path, &error, found);
                continue;
            }
        };
        let Ok(opened) = Opened::new(&bytes) else { continue };
        if let Some(time) = newest_time(&opened) {
            see(time, format!("the newest entry in {}", arg(&name(path))));
        }
    }
    for id in ids(&folders.sent(), ".json", &mut Findings::default()) {
        for note in SentNotes::read(folders, &id).unwrap_or_default() {
            see(Time(note.at.timestamp()), format!("the note of a letter of {id}"));
        }
    }
    let Some((time, what)) = newest.filter(|(time, _)| time.0 > now.0) else { return Ok(()) };
    found.add(
        "clock",
        None,
        format!("the system clock says {now}, and {what} is of {time}: one of the two is wrong"),
        "compare `date -u` with another clock, and set the system clock before you enter anything: your entries carry its time"
            .to_owned(),
    );
    Ok(())
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
