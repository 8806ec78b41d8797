//! What an opponent without the program has announced by a letter: whoever resigns while the other side is due does so with the next entry,
//! in place of whatever is due then, unless it is taken back before. One file a game in the data folder holds what was said. What is lost
//! of it is said again once that entry is due.

use std::io;
use std::path::PathBuf;

use crate::entry::way::{Typed, What};
use crate::office::{Notice, Office, Trouble};
use postrider_disk::disk::{Disk, FileError, Step};
use postrider_disk::folders::Folders;
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::{self, Mail};
use postrider_referee::desk::{Desk, Entered, NoKeyStore, parts};
use postrider_referee::record::{Time, is_game_id};
use postrider_referee::verdict::Opened;

/// The longest such file, in bytes.
const MOST: u64 = 20_000;
/// How many letters of a game are noted. The oldest ones are forgotten.
const LETTERS: usize = 20;
/// The longest Message-ID that is noted, in bytes.
const LONGEST_ID: usize = 300;
/// What is entered.
const RESIGN: &str = "resign";

/// What a letter has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Its writer resigns.
    Resigns,
    /// Its writer goes on with the game after all.
    TakesBack,
}

impl Word {
    const fn text(self) -> &'static str {
        match self {
            Self::Resigns => RESIGN,
            Self::TakesBack => "back",
        }
    }
}

/// What a letter has said, of which side, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    word: Word,
    /// The word for the side.
    side: String,
    /// The letter's time, never later than when it was read.
    at: i64,
    /// Its Message-ID.
    id: Option<String>,
}

/// What was announced in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Announced(Vec<Said>);

impl Announced {
    fn read(text: &str) -> Self {
        let said = |line: &str| {
            let mut words = line.split(' ');
            let word = match words.next()? {
                RESIGN => Word::Resigns,
                "back" => Word::TakesBack,
                _ => return None,
            };
            let (side, at) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
            Some(Said { word, side, at, id: words.next().filter(|id| *id != "-").map(str::to_owned) })
        };
        Self(text.lines().filter_map(said).collect())
    }

    fn written(&self) -> String {
        let line = |Said { word, side, at, id }: &Said| {
            format!("{} {side} {at} {}\n", word.text(), id.as_deref().unwrap_or("-"))
        };
        self.0.iter().map(line).collect()
    }

    fn newest(&self, side: &str) -> Option<&Said> {
        self.0.iter().rfind(|said| said.side == side)
    }

    /// Whether a side resigns with its next entry.
    pub(crate) fn stands(&self, opened: &Opened<'_>, side: Side) -> bool {
        self.newest(word(opened, side)).is_some_and(|said| said.word == Word::Resigns)
    }

    /// Whether a letter of a side is the newest that was noted.
    pub(crate) fn is_newest(&self, opened: &Opened<'_>, side: Side, mail: &Mail) -> bool {
        let id = id_of(mail);
        id.is_some() && self.newest(word(opened, side)).is_some_and(|newest| newest.id == id)
    }

    /// Whether a letter of a side was read before, and what its writer has said since counts.
    pub(crate) fn is_past(&self, opened: &Opened<'_>, side: Side, mail: &Mail) -> bool {
        let Some(newest) = self.newest(word(opened, side)) else { return false };
        if self.is_newest(opened, side, mail) {
            return false;
        }
        let id = id_of(mail);
        let is_known = id.is_some() && self.0.iter().any(|said| said.id == id);
        is_known || mail.date.is_some_and(|date| date.0 < newest.at)
    }
}

fn word(opened: &Opened<'_>, side: Side) -> &'static str {
    opened.header.info.sides[side.index()].word
}

/// The Message-ID of a letter, if it can be noted.
fn id_of(mail: &Mail) -> Option<String> {
    let is_plain = |id: &&String| {
        (1..=LONGEST_ID).contains(&id.len())
            && *id != "-"
            && !id.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    mail.message_id.as_ref().filter(is_plain).cloned()
}

/// What was announced, in a player's data folder.
#[derive(Clone, Debug)]
pub(crate) struct Announcements {
    disk: Disk,
    folder: PathBuf,
}

impl Announcements {
    /// The notes in these folders. Creates nothing.
    pub(crate) fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.announced() }
    }

    /// What was announced in a game.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn of(&self, game: &str) -> io::Result<Announced> {
        if !is_game_id(game) {
            return Ok(Announced::default());
        }
        let bytes = self.disk.read_if_there(&self.folder.join(game), MOST)?.unwrap_or_default();
        Ok(Announced::read(&String::from_utf8_lossy(&bytes)))
    }

    /// The games in which something was announced.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn games(&self) -> io::Result<Vec<String>> {
        let mut names = self.disk.names_in(&self.folder)?;
        names.retain(|name| is_game_id(name));
        names.sort();
        Ok(names)
    }

    /// Notes what a side says by a letter that was read now, after what was announced before.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn note(
        &self,
        opened: &Opened<'_>,
        side: Side,
        (said, mail, now): (Word, &Mail, Time),
        before: &Announced,
    ) -> Result<(), FileError> {
        let game = &*opened.header.id;
        let (side, id) = (word(opened, side), id_of(mail));
        let is_there = before.newest(side).is_some_and(|newest| newest.word == said && newest.id == id && id.is_some());
        if is_there || !is_game_id(game) {
            return Ok(());
        }
        let at = mail.date.map_or(now.0, |date| date.0.min(now.0));
        let mut after = before.clone();
        after.0.push(Said { word: said, side: side.to_owned(), at, id });
        let superfluous = after.0.len().saturating_sub(LETTERS);
        after.0.drain(..superfluous);
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        self.disk.private_folder(&self.folder).map_err(failed)?;
        self.disk.put_private(&self.folder.join(game), after.written().as_bytes())
    }

    /// Forgets what was announced in a game.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn forget(&self, game: &str) -> Result<(), FileError> {
        if is_game_id(game) { self.disk.remove(&self.folder.join(game)).map(drop) } else { Ok(()) }
    }
}

/// Returns the side that resigns with its next entry, if one has said so.
///
/// # Errors
/// If that cannot be read.
pub fn resigns(office: &Office<'_>, opened: &Opened<'_>) -> Result<Option<Side>, Trouble> {
    if opened.table.standing().outcome.is_some() {
        return Ok(None);
    }
    let announced = of(office, opened)?;
    Ok(Side::BOTH.into_iter().find(|side| announced.stands(opened, *side)))
}

/// What was announced in a game.
///
/// # Errors
/// If that cannot be read.
pub(crate) fn of(office: &Office<'_>, opened: &Opened<'_>) -> Result<Announced, Trouble> {
    let folder = office.folders().announced();
    let failed = |error: io::Error| Trouble::of(format!("{}: {error}", folder.join(&*opened.header.id).display()));
    Announcements::new(office.folders()).of(&opened.header.id).map_err(failed)
}

/// An entry that was announced, made.
#[derive(Debug)]
pub struct Kept {
    /// The entry.
    pub entered: Entered,
    /// The record with it, and with the remark that says from which letter it is.
    pub record: Vec<u8>,
}

/// Makes the entry that the side that is due has announced; nothing if it has not. What is announced for the other side is not yet due.
///
/// # Errors
/// If it cannot be read what was announced.
pub(crate) fn kept(office: &Office<'_>, desk: &Desk<'_>) -> Result<Option<Kept>, Trouble> {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let side = standing.due.side;
    if standing.outcome.is_some() {
        return Ok(None);
    }
    let announced = of(office, opened)?;
    if !announced.stands(opened, side) {
        return Ok(None);
    }
    let id = announced.newest(word(opened, side)).and_then(|said| said.id.clone());
    match Typed::new(What::Actions(RESIGN), office.now()).by_itself().make(desk, &mut NoKeyStore) {
        Ok(signed) => {
            let entered = signed.entered;
            let email = opened.header.player(side).email.as_deref();
            let remark = incoming::remark_ahead(entered.number, id.as_deref(), email.unwrap_or_default());
            let record = [&entered.record[..], remark.as_bytes()].concat();
            Ok(Some(Kept { entered, record }))
        }
        Err(not_made) => {
            let name = printable(&opened.header.player(side).name).into_owned();
            office.warn(format!("{name} has resigned, and that cannot be entered: {not_made}"));
            Ok(None)
        }
    }
}

impl Kept {
    /// Says that it is entered, and why.
    pub(crate) fn tell(&self, office: &Office<'_>, opened: &Opened<'_>) {
        let name = printable(&opened.header.player(self.entered.side).name).into_owned();
        office.tell(Notice::note(format!("{name} had resigned by a letter: entry {}: {RESIGN}", self.entered.number)));
    }
}

/// Forgets what was announced in a game that is over. It is of no more use then, so that a failure changes nothing. `kept`: whether
/// something is known to have been announced.
pub(crate) fn settle(office: &Office<'_>, opened: &Opened<'_>, kept: bool) {
    let is_noted = || kept || of(office, opened).is_ok_and(|announced| !announced.0.is_empty());
    if opened.table.standing().outcome.is_some() && is_noted() {
        let _ = Announcements::new(office.folders()).forget(&opened.header.id);
    }
}

/// Returns the side whose entry ended the game because it had announced it. The letter about that is the other side's to send.
#[must_use]
pub(crate) fn ended_by(desk: &Desk<'_>) -> Option<Side> {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let (side, line) = desk.last().filter(|_| standing.outcome.is_some())?;
    let is_announced = parts(line).0 == RESIGN && incoming::is_ahead(opened, standing.entries);
    is_announced.then_some(side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::disk::Memory;
    use postrider_vault::backup::HomeCopy;

    const RECORD: &[u8] = b"---\npbem: 1\ngame: asalto\nid: asalto-announced\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                            defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 \
                            @2026-11-21T10:15:00Z\n";
    const BRAM: Side = Side::Second;
    const NOW: Time = Time(1_800_000_000);

    fn letter(id: &str, date: &str) -> Mail {
        incoming::read(format!("From: bram@example.net\nMessage-ID: <{id}@x>\nDate: {date}\n\nresign\n").as_bytes())
    }

    #[test]
    fn the_newest_word_of_a_side_counts_and_older_letters_are_past() {
        let memory = Memory::new();
        let notes = Announcements::new(&Folders::in_memory(&memory));
        let desk = Desk::open(RECORD).unwrap();
        let opened = &desk.opened;
        let (first, back) =
            (letter("one", "Sun, 22 Nov 2026 08:00:00 +0000"), letter("two", "Sun, 22 Nov 2026 09:00:00 +0000"));
        let read = || notes.of("asalto-announced").unwrap();
        let note = |word, mail: &Mail| notes.note(opened, BRAM, (word, mail, NOW), &read()).unwrap();
        note(Word::Resigns, &first);
        assert!(read().stands(opened, BRAM) && !read().stands(opened, Side::First));
        // The same letter once more is the same word.
        note(Word::Resigns, &first);
        assert!(read().0.len() == 1 && !read().is_past(opened, BRAM, &first));
        note(Word::TakesBack, &back);
        assert!(!read().stands(opened, BRAM) && read().is_past(opened, BRAM, &first));
        assert!(read().is_past(opened, BRAM, &letter("three", "Sun, 22 Nov 2026 08:30:00 +0000")));
        assert!(!read().is_past(opened, BRAM, &letter("four", "Sun, 22 Nov 2026 09:30:00 +0000")));
        assert_eq!(notes.games().unwrap(), ["asalto-announced"]);
        notes.forget("asalto-announced").unwrap();
        assert_eq!(read(), Announced::default());
    }

    #[test]
    fn no_backup_has_what_may_be_taken_back_after_it() {
        let memory = Memory::new();
        let folders = Folders::in_memory(&memory);
        let desk = Desk::open(RECORD).unwrap();
        let said = (Word::Resigns, &letter("one", "Sun, 22 Nov 2026 08:00:00 +0000"), NOW);
        Announcements::new(&folders).note(&desk.opened, BRAM, said, &Announced::default()).unwrap();
        let copy = || HomeCopy::of(&folders, &folders.games(), String::new()).unwrap();
        assert!(copy().files.is_empty());
        folders.disk.private_folder(&folders.sent()).unwrap();
        folders.disk.put_private(&folders.sent().join("asalto-announced"), b"").unwrap();
        assert_eq!(copy().files.len(), 1);
    }

    #[test]
    fn a_letter_dated_years_ahead_can_be_taken_back_and_no_file_grows_without_end() {
        let memory = Memory::new();
        let notes = Announcements::new(&Folders::in_memory(&memory));
        let desk = Desk::open(RECORD).unwrap();
        let read = || notes.of("asalto-announced").unwrap();
        for number in 0..60 {
            let word = if number % 2 == 0 { Word::Resigns } else { Word::TakesBack };
            let mail = letter(&format!("letter-{number}"), "Sun, 22 Nov 2099 08:00:00 +0000");
            assert!(!read().is_past(&desk.opened, BRAM, &mail), "{number}");
            notes.note(&desk.opened, BRAM, (word, &mail, Time(NOW.0 + number)), &read()).unwrap();
        }
        assert!(read().0.len() == LETTERS && !read().stands(&desk.opened, BRAM));
    }
}
