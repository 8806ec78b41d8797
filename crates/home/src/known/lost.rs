//! Games whose record was damaged, cut or removed while the home has a copy of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::invite::kept::{Answered, Invitations};
use crate::known::copies::KnownGames;
use crate::overview::shelf::Shelf;
use postrider_disk::disk::Kind;
use postrider_disk::folders::Folders;
use postrider_disk::found::{Found, find_in};
use postrider_referee::record::is_game_id;
use postrider_referee::verdict::{Opened, Relation, Ruling, Verdict, compare, verify};

/// A record that is not what was last known of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The game's id.
    pub id: String,
    /// Where the record is or was, and where its copy comes back.
    pub path: PathBuf,
    /// What became of it.
    pub how: How,
    /// How many entries the copy has.
    pub entries: u32,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// There is no such file.
    Gone,
    /// Something else lies in its place: a folder, or what is no file.
    Barred,
    /// The file is there, and its header cannot be read.
    Headless,
    Refused(Ruling),
    /// It is legal and has only so many entries.
    Shortened(u32),
    /// It is legal and does not go on from the copy.
    Rewritten,
}

impl How {
    /// Whether there is no file where the record was.
    #[must_use]
    pub fn is_absent(self) -> bool {
        matches!(self, Self::Gone | Self::Barred)
    }
}

impl Lost {
    /// Says what became of the record, and what is kept of it.
    #[must_use]
    pub fn in_words(&self) -> String {
        let what = match self.how {
            How::Gone => "the record is gone".to_owned(),
            How::Barred => {
                "the record is missing, and in its place is a folder or something else that is not a file".to_owned()
            }
            How::Headless => "the record is damaged: its header cannot be read".to_owned(),
            How::Refused(ruling) => format!("the record is damaged: it is {}", ruling.word()),
            How::Shortened(entries) => format!("the record has only {}", postrider_kernel::text::entries(entries)),
            How::Rewritten => "the record does not go on from what was last known".to_owned(),
        };
        format!("{what}; a copy with {} is kept here", postrider_kernel::text::entries(self.entries))
    }
}

/// Compares records with the copies that are kept of them.
pub struct Search {
    folders: Folders,
    known: KnownGames,
    games: PathBuf,
    shelf: Shelf,
    /// The records in the folder of games whose header cannot be read, with the id that is left in it.
    headless: Option<Vec<(PathBuf, Option<String>)>>,
    /// The records in the folder of games by their ids, if somebody has read all of them ([`Self::see`]): none is read again.
    seen: Option<BTreeMap<String, Vec<Seen>>>,
}

/// A record that was read.
struct Seen {
    path: PathBuf,
    /// How it differs from the copy of its game, and the verdict on that.
    differs: Option<(How, Verdict)>,
}

impl Search {
    /// Looks in these folders. Nothing is read yet.
    #[must_use]
    pub fn new(folders: &Folders, games: &Path) -> Self {
        Self {
            folders: folders.clone(),
            known: KnownGames::new(folders),
            games: games.to_owned(),
            shelf: Shelf::noted(games, folders),
            headless: None,
            seen: None,
        }
    }

    /// Takes notice of a record in the folder of games that was read for something else. Whoever shows one shows all of them, before
    /// anything is asked. Returns how it is judged.
    pub fn see(&mut self, path: &Path, record: &[u8]) -> Ruling {
        let ruling = verify(record).ruling;
        let seen = self.seen.get_or_insert_default();
        let headless = self.headless.get_or_insert_default();
        let Ok(opened) = Opened::new(record) else {
            headless.push((path.to_owned(), id_line(record)));
            return ruling;
        };
        let files = seen.entry(opened.header.id.to_string()).or_default();
        // A link to a record is that record.
        if files.iter().any(|file| self.folders.disk.is_same(&file.path, path).unwrap_or(false)) {
            return ruling;
        }
        // Which of several is the game is told elsewhere.
        let copy = if files.is_empty() { self.known.record(&opened.header.id).ok().flatten() } else { None };
        let differs = copy.and_then(|copy| Some((differs(ruling, record, &copy)?, verify(&copy))));
        files.push(Seen { path: path.to_owned(), differs });
        ruling
    }

    /// The games of which more than one record was seen.
    #[must_use]
    pub fn twice(&self) -> Vec<(String, Vec<PathBuf>)> {
        let several = self.seen.iter().flatten().filter(|(_, files)| files.len() > 1);
        several.map(|(id, files)| (id.clone(), files.iter().map(|file| file.path.clone()).collect())).collect()
    }

    /// The files of a game in the folder of games.
    fn files(&mut self, id: &str) -> Vec<PathBuf> {
        match &self.seen {
            Some(seen) => seen.get(id).into_iter().flatten().map(|file| file.path.clone()).collect(),
            None => self.shelf.find(id).unwrap_or_default(),
        }
    }

    /// The ids of the games of which a copy is kept.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        let names = self.folders.disk.names_in(&self.folders.known()).unwrap_or_default();
        let ids = names.iter().filter_map(|name| name.strip_suffix(".known")).filter(|id| is_game_id(id));
        ids.map(str::to_owned).collect()
    }

    /// Every game whose record is not what was last known of it.
    #[must_use]
    pub fn all(&mut self) -> Vec<Lost> {
        self.ids().iter().filter_map(|id| self.game(id)).collect()
    }

    /// Every game whose record is gone, or has something else in its place. Nothing is read of those that were seen, by their ids, nor of
    /// those of which it was never noted where they are.
    #[must_use]
    pub fn gone(&mut self, seen: &BTreeSet<&str>) -> Vec<Lost> {
        let is_sought = |id: &String| !seen.contains(id.as_str()) && self.noted(id).is_some();
        let ids: Vec<String> = self.ids().into_iter().filter(is_sought).collect();
        ids.iter().filter_map(|id| self.game(id)).filter(|lost| lost.how.is_absent()).collect()
    }

    /// Where the record of a game was when it was last written or taken, if that was noted.
    fn noted(&self, id: &str) -> Option<PathBuf> {
        self.known.sides(id).ok()?.at.map(PathBuf::from)
    }

    /// What became of the record of a game, if that is not what was last known, and the copy is legal.
    #[must_use]
    pub fn game(&mut self, id: &str) -> Option<Lost> {
        let (path, how, verdict) = match self.seen.as_ref().and_then(|seen| seen.get(id)) {
            Some(files) => {
                let [Seen { path, differs: Some((how, verdict)) }] = &files[..] else { return None };
                (path.clone(), *how, verdict.clone())
            }
            None => {
                let copy = self.known.record(id).ok().flatten()?;
                let (path, how) = self.fate(id, &copy)?;
                (path, how, verify(&copy))
            }
        };
        // Who has removed a finished game has done with it, and so has who has called one off, or was told that nobody plays.
        let is_missed = !how.is_absent() || verdict.outcome.is_none() && !self.is_called_off(id, verdict.entries);
        let is_lost = verdict.ruling == Ruling::Legal && is_missed;
        is_lost.then(|| Lost { id: id.to_owned(), path, how, entries: verdict.entries })
    }

    /// Where the record of a game is or was, and what became of it, if that is not what was last known.
    fn fate(&mut self, id: &str, copy: &[u8]) -> Option<(PathBuf, How)> {
        match &self.files(id)[..] {
            [] => {}
            [path] => return Some((path.clone(), self.damage(path, copy)?)),
            // Which of them is the game is told elsewhere.
            _ => return None,
        }
        let Some(path) = self.noted(id) else { return Some((self.headless(id)?, How::Headless)) };
        // A folder cannot be read, and what is no file may never end.
        if self.folders.disk.about(&path).is_ok_and(|about| about.kind != Kind::File) {
            return Some((path, How::Barred));
        }
        let is_it = |seen: &Path| self.folders.disk.is_same(seen, &path).unwrap_or(false);
        if self.seen.is_some() && self.headless.iter().flatten().any(|(headless, _)| is_it(headless)) {
            return Some((path, How::Headless));
        }
        if self.seen.iter().flatten().any(|(_, files)| files.iter().any(|file| is_it(&file.path))) {
            return Some((self.usual(id), How::Gone));
        }
        match self.folders.disk.read_record(&path) {
            Ok(bytes) => match Opened::new(&bytes) {
                Ok(opened) if opened.header.id == id => {
                    drop(opened);
                    let how = self.damage(&path, copy)?;
                    Some((path, how))
                }
                // Another game lies there now, and stays.
                Ok(_) => Some((self.usual(id), How::Gone)),
                Err(_) => Some((path, How::Headless)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Some((path, How::Gone)),
            // That a file cannot be read is told elsewhere.
            Err(_) => None,
        }
    }

    /// Whether a game of so many entries was called off: declined here, or by the opponent before anything was entered.
    fn is_called_off(&self, id: &str, entries: u32) -> bool {
        let answered = Invitations::new(&self.folders).standing(id);
        answered.is_ok_and(|answered| answered != Answered::Unknown)
            || entries == 0 && self.known.sides(id).is_ok_and(|sides| sides.declined)
    }

    /// The file that a game has if nothing else is said.
    #[must_use]
    pub fn usual(&self, id: &str) -> PathBuf {
        self.games.join(format!("{id}.pbem"))
    }

    /// The only record of a game in the folder of games, or where it was noted.
    #[must_use]
    pub fn file(&mut self, id: &str) -> Option<PathBuf> {
        match &self.files(id)[..] {
            [path] => Some(path.clone()),
            _ => self.noted(id).filter(|path| self.folders.disk.has(path).unwrap_or(false)),
        }
    }

    /// What is wrong with a record, against the copy; nothing if it is legal and goes on from there.
    fn damage(&self, path: &Path, copy: &[u8]) -> Option<How> {
        damage(&self.folders.disk.read_record(path).ok()?, copy)
    }

    /// The record in the folder of games that has lost its header and is this game by its name, or by what is left of it.
    fn headless(&mut self, id: &str) -> Option<PathBuf> {
        let (disk, games) = (&self.folders.disk, &self.games);
        let all = self.headless.get_or_insert_with(|| {
            let paths = find_in(disk, games).into_iter().filter_map(|found| match found {
                Found::Record(path) => Some(path),
                Found::Unreadable(..) | Found::NoRecord(_) => None,
            });
            let read = paths.filter_map(|path| disk.read_record(&path).ok().map(|bytes| (path, bytes)));
            let headless = read.filter(|(_, bytes)| Opened::new(bytes).is_err());
            headless.map(|(path, bytes)| (path, id_line(&bytes))).collect()
        });
        let named = |path: &Path| path.file_stem().is_some_and(|stem| stem == id);
        let of_name = all.iter().find(|(path, _)| named(path));
        let found = of_name.or_else(|| all.iter().find(|(_, left)| left.as_deref() == Some(id)));
        found.map(|(path, _)| path.clone())
    }

    /// Which game a file is or was: by its header, by where records were noted, by its name, or by what is left of its header.
    #[must_use]
    pub fn id_of(&self, path: &Path, bytes: &[u8]) -> Option<String> {
        let disk = &self.folders.disk;
        let has_copy = |id: &String| self.known.file(id).is_ok_and(|file| disk.has(&file).unwrap_or(false));
        let by_header = Opened::new(bytes).ok().map(|opened| opened.header.id.to_string());
        if by_header.is_some() {
            return by_header;
        }
        let real = disk.itself(path).ok();
        let is_here = |id: &&String| real.is_some() && self.noted(id) == real;
        let stem = || path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        let ids = self.ids();
        ids.iter()
            .find(is_here)
            .cloned()
            .or_else(|| stem().filter(has_copy))
            .or_else(|| id_line(bytes).filter(has_copy))
    }
}

/// What is wrong with a record, against the copy that is kept of it; nothing if it is legal and goes on from there.
#[must_use]
pub fn damage(record: &[u8], copy: &[u8]) -> Option<How> {
    differs(verify(record).ruling, record, copy)
}

/// The same for a record that was judged.
fn differs(ruling: Ruling, record: &[u8], copy: &[u8]) -> Option<How> {
    if ruling != Ruling::Legal {
        return Some(How::Refused(ruling));
    }
    if record.starts_with(copy) {
        return None;
    }
    let (Ok(mut here), Ok(there)) = (Opened::new(copy), Opened::new(record)) else { return None };
    match compare(&mut here, &there) {
        Relation::Same | Relation::Newer { .. } => None,
        Relation::Older { entries } => Some(How::Shortened(entries)),
        _ => Some(How::Rewritten),
    }
}

/// The id that a line of a damaged header names.
fn id_line(bytes: &[u8]) -> Option<String> {
    /// Headers are no longer.
    const HEADER: usize = 1 << 16;
    let start = bytes.get(..bytes.len().min(HEADER))?;
    let mut lines = start.split(|byte| matches!(byte, b'\n' | b'\r'));
    let id = lines.find_map(|line| std::str::from_utf8(line).ok()?.trim().strip_prefix("id:"))?;
    Some(id.trim().trim_matches(['"', '\'']).to_owned()).filter(|id| is_game_id(id))
}
