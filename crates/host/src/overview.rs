//! What the owner of a host asks: how things stand, which games there are, and who plays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::notes::{Game, Person, Seek, State};
use super::{Host, failed};
use postrider_disk::disk::Kind;
use postrider_home::office::Trouble;

/// How a host stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The host's name.
    pub name: String,
    pub address: String,
    /// How many letters wait to be read.
    pub unread: usize,
    /// How many letters, or groups of them, wait to be sent.
    pub unsent: usize,
    /// How many games are going on.
    pub running: usize,
    /// How many are over.
    pub over: usize,
    /// How many invitations wait.
    pub invited: usize,
    /// How many people wait for an opponent.
    pub waiting: usize,
    /// How many people are known.
    pub people: usize,
    /// What the host has lost, without which it only takes letters.
    pub lacks: Option<String>,
    /// The games that cannot be played for now.
    pub ailing: Vec<AilingRow>,
}

/// A game that cannot be played for now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AilingRow {
    pub id: String,
    pub why: String,
    /// How many letters wait until it can be played.
    pub letters: usize,
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameRow {
    pub id: String,
    /// The name of its rules.
    pub game: String,
    /// How far it is: `invited`, `running`, `over`, `declined` or `lapsed`.
    pub state: &'static str,
    /// The players' names, in the order of the sides.
    pub names: [String; 2],
    /// Why it cannot be played for now, if so.
    pub ails: Option<String>,
}

/// A person in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PersonRow {
    pub address: String,
    pub name: String,
    /// Whether the person has answered.
    pub answered: bool,
    /// Whether the person wants no letters.
    pub never: bool,
    /// Whether letters came back.
    pub unreachable: bool,
    /// How many games.
    pub games: usize,
}

impl Host<'_> {
    /// Reads all notes in a folder of folders.
    pub(super) fn all<T: DeserializeOwned>(&self, folder: &str) -> Result<Vec<T>, Trouble> {
        let disk = self.office.disk();
        let list = |folder: &Path| disk.list_if_there(folder).map_err(|error| failed(folder, error));
        let root = self.root.join(folder);
        let mut found: Vec<(PathBuf, T)> = Vec::new();
        for one in list(&root)?.into_iter().filter(|one| matches!(one.kind, Ok(Kind::Folder))) {
            let below = root.join(&one.name);
            for file in list(&below)? {
                let path = below.join(&file.name);
                // What a killed run left has another form.
                let bytes = disk.read(&path, 16 << 20).map_err(|error| failed(&path, error))?;
                if let Ok(note) = serde_json::from_slice(&bytes) {
                    found.push((path, note));
                }
            }
        }
        found.sort_by(|(one, _), (other, _)| one.file_name().cmp(&other.file_name()));
        Ok(found.into_iter().map(|(_, note)| note).collect())
    }

    /// Says how the host stands.
    ///
    /// # Errors
    /// If its notes cannot be read.
    pub fn status(&self) -> Result<Status, Trouble> {
        let games: Vec<Game> = self.all("games")?;
        let count = |state: State| games.iter().filter(|game| game.state == state).count();
        Ok(Status {
            name: self.name.clone(),
            address: self.address.clone(),
            unread: self.waiting("spool")?.len() + self.waiting("later")?.len(),
            unsent: self.waiting("outgoing")?.len(),
            running: count(State::Running),
            over: count(State::Over),
            invited: count(State::Invited),
            waiting: self.all::<Seek>("seeks")?.iter().map(|seek| seek.waiting.len()).sum(),
            people: self.all::<Person>("people")?.len(),
            lacks: self.lacks.clone(),
            // Without the key every game looks like somebody else's.
            ailing: if self.lacks.is_some() { Vec::new() } else { self.ailing_of(&games, false)? },
        })
    }

    /// Lists the games by their ids.
    ///
    /// # Errors
    /// If the notes cannot be read.
    pub fn games(&self) -> Result<Vec<GameRow>, Trouble> {
        let games: Vec<Game> = self.all("games")?;
        let ailing = if self.lacks.is_some() { Vec::new() } else { self.ailing_of(&games, false)? };
        let mut ailing: BTreeMap<String, String> = ailing.into_iter().map(|row| (row.id, row.why)).collect();
        let row = |game: Game| GameRow {
            ails: ailing.remove(&game.id),
            state: match game.state {
                State::Invited => "invited",
                State::Running => "running",
                State::Over => "over",
                State::Declined => "declined",
                State::Lapsed => "lapsed",
            },
            names: game.seats.each_ref().map(|seat| seat.name.clone()),
            id: game.id,
            game: game.game,
        };
        Ok(games.into_iter().map(row).collect())
    }

    /// Lists the people by their addresses.
    ///
    /// # Errors
    /// If the notes cannot be read.
    pub fn people(&self) -> Result<Vec<PersonRow>, Trouble> {
        let now = self.office.now().0;
        let row = |person: Person| PersonRow {
            address: person.address,
            name: person.name,
            answered: person.answered,
            never: person.never && person.never_until.is_none_or(|until| until > now),
            unreachable: person.unreachable,
            games: person.games.len(),
        };
        let mut rows: Vec<PersonRow> = self.all("people")?.into_iter().map(row).collect();
        rows.sort_by_key(|row| row.address.to_lowercase());
        Ok(rows)
    }
}
