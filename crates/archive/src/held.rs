//! Which versions of which games an archive holds, in a few bytes each, to tell what is new for it.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use postrider_referee::record::Frame;
use postrider_referee::verdict::Opened;

/// Enough of a SHA-256 digest to tell records apart.
type Short = [u8; 16];

/// The versions that an archive holds.
#[derive(Debug, Default)]
pub struct Held {
    /// The most entries of a version of each game.
    most: HashMap<Short, u32>,
    /// The versions themselves.
    versions: HashSet<Short>,
}

/// A version of a game, as it is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    game: Short,
    version: Short,
    entries: u32,
}

/// How a version stands to those that an archive holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The archive does not hold it, nor one with more entries.
    New,
    /// The archive holds it already, byte for byte.
    Same,
    /// The archive holds one with so many entries, which are more.
    Older(u32),
}

impl Version {
    /// Makes it from a record and its path, which stands for the id where there is no valid header.
    #[must_use]
    pub fn of(path: &[u8], record: &[u8]) -> Self {
        let game = match id(record) {
            Some(id) => short(b"id", id.as_bytes(), b""),
            None => short(b"path", path, b""),
        };
        Self { game, version: short(b"version", &game, record), entries: entries(record) }
    }
}

impl Version {
    /// Makes it from a record at a path as it is, whatever game it is of.
    #[must_use]
    pub fn at(path: &[u8], record: &[u8]) -> Self {
        Self { game: short(b"path", path, b""), version: short(b"at", path, record), entries: 0 }
    }
}

impl Held {
    /// Takes in a version.
    pub fn add(&mut self, version: Version) {
        self.versions.insert(version.version);
        let most = self.most.entry(version.game).or_default();
        *most = (*most).max(version.entries);
    }

    /// Compares a version with those that are held.
    #[must_use]
    pub fn standing(&self, version: Version) -> Standing {
        match self.most.get(&version.game) {
            _ if self.versions.contains(&version.version) => Standing::Same,
            Some(&most) if most > version.entries => Standing::Older(most),
            _ => Standing::New,
        }
    }
}

fn short(kind: &[u8], first: &[u8], second: &[u8]) -> Short {
    let mut hash = Sha256::new();
    hash.update(kind);
    hash.update((first.len() as u64).to_le_bytes());
    hash.update(first);
    hash.update(second);
    let mut short = Short::default();
    short.iter_mut().zip(hash.finalize()).for_each(|(place, byte)| *place = byte);
    short
}

/// Returns the id in a record's header; `None` if that is not valid.
#[must_use]
pub fn id(record: &[u8]) -> Option<String> {
    let header = record.get(..Frame::of(record).ok()?.body.start as usize)?;
    Opened::new(header).ok().map(|opened| opened.header.id.to_string())
}

/// Returns how many entries a record has, legal or not: its numbered lines.
#[must_use]
pub fn entries(record: &[u8]) -> u32 {
    let start = Frame::of(record).map_or(record.len(), |frame| frame.body.start as usize);
    let lines = record.get(start..).unwrap_or_default().split(|&byte| byte == b'\n');
    u32::try_from(lines.filter(|line| line.first().is_some_and(u8::is_ascii_digit)).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, entries: &str) -> Vec<u8> {
        format!(
            "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: A}}\n  defenders: {{name: B}}\nstarted: \
             2026-11-21\n---\n{entries}"
        )
        .into_bytes()
    }

    #[test]
    fn a_version_is_new_unless_it_is_held_or_one_with_more_entries_is() {
        let mut held = Held::default();
        let version = |record: &[u8]| Version::of(b"x.pbem", record);
        let one = record("asalto-one", "1 defenders place c6 e6\n");
        let two = record("asalto-one", "1 defenders place c6 e6\n2 besiegers c4-c5\n");
        let fork = record("asalto-one", "1 defenders place c6 e6\n2 besiegers e4-e5\n");
        assert_eq!(held.standing(version(&two)), Standing::New);
        held.add(version(&two));
        assert_eq!(held.standing(version(&two)), Standing::Same);
        assert_eq!(held.standing(version(&one)), Standing::Older(2));
        assert_eq!(held.standing(version(&fork)), Standing::New);
        assert_eq!(held.standing(version(&record("asalto-two", ""))), Standing::New);
        // Without a header the path says what it is a version of.
        held.add(Version::of(b"notes.pbem", b"notes"));
        assert_eq!(held.standing(Version::of(b"notes.pbem", b"notes")), Standing::Same);
        assert_eq!(held.standing(Version::of(b"other.pbem", b"notes")), Standing::New);
        assert_eq!(held.standing(Version::of(b"notes.pbem", b"more notes")), Standing::New);
    }
}
