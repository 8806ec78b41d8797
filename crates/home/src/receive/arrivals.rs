//! Notes of when entries of opponents arrived, one file per game, and of when mail was last looked at: what a player can say in a
//! dispute about time. An entry's own time is only what its writer says.
//!
//! A line per entry: its number, a digest of its line, and three times in seconds since 1970 (`-` if not known): when it was first
//! read here, when the player's mail server took it, when the mail was last looked at without it. Only the newest are kept.

use std::io;
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::receive::decision::Arrival;
use postrider_disk::disk::{Disk, FileError, Step};
use postrider_disk::folders::Folders;
use postrider_referee::record::{Time, is_game_id};

/// How many entries of a game are kept.
const MOST: usize = 16;
/// The file that notes when mail was last looked at. No game's id has a dot.
const LOOKED: &str = "looked.at";

/// The notes in a player's data folder.
#[derive(Clone, Debug)]
pub struct Arrivals {
    disk: Disk,
    folder: PathBuf,
}

impl Arrivals {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.arrivals() }
    }

    /// Returns when an entry of a game arrived, if that was noted; `line` is the entry's line in the record.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn of(&self, game: &str, entry: u32, line: &str) -> io::Result<Option<Arrival>> {
        let mark = mark(line);
        Ok(self.all(game)?.into_iter().find(|(found, of)| of.entry == entry && *found == mark).map(|(_, of)| of))
    }

    /// Notes when an entry arrived. What was noted of the same entry before stays.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn note(&self, game: &str, line: &str, arrival: &Arrival) -> Result<(), FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        let mut all = self.all(game).map_err(failed)?;
        let mark = mark(line);
        if !is_game_id(game) || all.iter().any(|(found, of)| of.entry == arrival.entry && *found == mark) {
            return Ok(());
        }
        all.push((mark, *arrival));
        let surplus = all.len().saturating_sub(MOST);
        let maybe = |time: Option<Time>| time.map_or_else(|| "-".to_owned(), |time| time.0.to_string());
        let line = |(mark, of): &(String, Arrival)| {
            format!("{} {mark} {} {} {}\n", of.entry, of.read.0, maybe(of.server), maybe(of.without))
        };
        let text: String = all.iter().skip(surplus).map(line).collect();
        self.disk.private_folder(&self.folder).map_err(failed)?;
        self.disk.put_private(&self.folder.join(game), text.as_bytes())
    }

    /// Returns when the player's mail was last looked at; `None` if that is not known.
    #[must_use]
    pub fn looked(&self) -> Option<Time> {
        let text = self.disk.read_record(&self.folder.join(LOOKED)).ok()?;
        std::str::from_utf8(&text).ok()?.trim().parse().ok().map(Time)
    }

    /// Notes that a mailbox was looked at. Without that note, less can be said of what arrives next.
    pub(crate) fn note_looked(&self, now: Time) {
        if self.disk.private_folder(&self.folder).is_ok() {
            let _ = self.disk.put_private(&self.folder.join(LOOKED), format!("{}\n", now.0).as_bytes());
        }
    }

    /// The notes of a game with the digests of their entries' lines, oldest first. A line that cannot be read does not count.
    fn all(&self, game: &str) -> io::Result<Vec<(String, Arrival)>> {
        if !is_game_id(game) {
            return Ok(Vec::new());
        }
        let bytes = self.disk.record_if_there(&self.folder.join(game))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let maybe = |word: &str| if word == "-" { Some(None) } else { word.parse().ok().map(|at| Some(Time(at))) };
        let line = |line: &str| {
            let words: Vec<_> = line.split(' ').collect();
            let [entry, mark, read, server, without] = words[..] else { return None };
            let (server, without) = (maybe(server)?, maybe(without)?);
            let arrival = Arrival { entry: entry.parse().ok()?, read: Time(read.parse().ok()?), server, without };
            Some((mark.to_owned(), arrival))
        };
        Ok(text.lines().filter_map(line).collect())
    }
}

/// What tells the lines of an entry apart.
fn mark(line: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(line.as_bytes()).into();
    HEXLOWER.encode(digest.first_chunk::<8>().map_or(&digest[..0], |half| &half[..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn the_first_arrival_of_an_entry_is_what_counts() {
        for (_home, folders) in homes() {
            let notes = Arrivals::new(&folders);
            let at = |entry, read| Arrival { entry, read: Time(read), server: None, without: Some(Time(5)) };
            assert_eq!((notes.of("asalto-x-1", 2, "two").expect("a store"), notes.looked()), (None, None));
            notes.note("asalto-x-1", "two", &at(2, 10)).expect("room");
            notes.note("asalto-x-1", "two", &at(2, 99)).expect("room");
            assert_eq!(notes.of("asalto-x-1", 2, "two").expect("a store"), Some(at(2, 10)));
            assert_eq!(notes.of("asalto-x-1", 2, "another").expect("a store"), None);
            for entry in 3..60 {
                notes.note("asalto-x-1", "more", &at(entry, 20)).expect("room");
            }
            assert_eq!(notes.of("asalto-x-1", 2, "two").expect("a store"), None, "only the newest are kept");
            assert_eq!(notes.of("asalto-x-1", 59, "more").expect("a store"), Some(at(59, 20)));
            notes.note_looked(Time(7));
            assert_eq!(notes.looked(), Some(Time(7)));
            notes.note("../x", "two", &at(2, 10)).expect("nothing to do");
            assert!(!folders.disk.has(&folders.data.join("x")).expect("told"));
        }
    }
}
