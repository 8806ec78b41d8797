//! What is noted of people, of those who wait for somebody, and in the table of those who played.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::jobs::below;
use super::notes::{Game, Person, Seek, Table};
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_mail::address::{in_ascii, in_unicode};

impl Work<'_, '_> {
    pub(super) fn person_name(&self, address: &str) -> String {
        self.host.key.name(&["person", &in_ascii(address).to_lowercase()])
    }

    /// The names under which a person may have been noted before both forms of a domain were one.
    fn older_names(&self, address: &str) -> Vec<String> {
        let mut forms = vec![address.to_lowercase(), in_unicode(address).to_lowercase()];
        forms.dedup();
        forms.retain(|form| !form.is_ascii());
        forms.iter().map(|form| self.host.key.name(&["person", form])).collect()
    }

    /// All names under which a person may be noted.
    pub(super) fn names_of(&self, address: &str) -> Vec<String> {
        let mut names = self.older_names(address);
        names.push(self.person_name(address));
        names
    }

    /// Whether the person with this address is noted by this name.
    pub(super) fn is_named(&self, address: &str, name: &str) -> bool {
        name == self.person_name(address) || self.older_names(address).iter().any(|older| older == name)
    }

    /// Whether anything is noted of the person with this address, but that no letters are wanted.
    pub(super) fn has_note(&self, address: &str) -> Result<bool, Trouble> {
        for name in self.names_of(address) {
            if self.person_by_name(&name)?.is_some_and(|person| !person.address.is_empty()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is noted of the person with this address.
    pub(super) fn person(&self, address: &str) -> Result<Person, Trouble> {
        let mut noted: Option<Person> = self.read(&below("people", &self.person_name(address)))?;
        for older in self.older_names(address) {
            let Some(older) = self.read::<Person>(&below("people", &older))? else { continue };
            let person = noted.get_or_insert_with(|| older.clone());
            // Whoever wanted no letters at one form of the address wants none at the other.
            if older.never && !person.never {
                (person.never, person.never_until) = (true, older.never_until);
            }
        }
        let mut person = noted.unwrap_or_default();
        if person.address.is_empty() {
            address.clone_into(&mut person.address);
        }
        if person.never_until.is_some_and(|until| until <= self.now.0) {
            (person.never, person.never_until, person.never_asked) = (false, None, false);
        }
        Ok(person)
    }

    /// What is noted of the person with this file.
    pub(super) fn person_by_name(&self, name: &str) -> Result<Option<Person>, Trouble> {
        self.read(&below("people", name))
    }

    pub(super) fn keep_person(&mut self, person: &Person) {
        let name = self.person_name(&person.address);
        let path = below("people", &name);
        // If the disk does not tell, there is a note.
        if !person.answered && !self.is_written(&path) && !self.is_on_disk(&path).unwrap_or(true) {
            let mailbox = self.mailbox_name(&person.address);
            self.note_stranger(&name, &mailbox);
        }
        self.write(path, person);
        self.remove_older(&person.address);
    }

    /// Keeps what is noted of a writer, unless nothing was, and nothing shows who wrote.
    pub(super) fn keep_known(&mut self, writer: &Writer) -> Result<(), Trouble> {
        if writer.sure || self.has_note(&writer.person.address)? {
            self.keep_person(&writer.person);
        }
        Ok(())
    }

    /// Removes what was noted under an older name, now that it stands under the present one.
    fn remove_older(&mut self, address: &str) {
        for older in self.older_names(address) {
            let path = below("people", &older);
            if !matches!(self.read::<Value>(&path), Ok(None)) {
                self.remove(path);
            }
        }
    }

    /// Removes what is noted of a person, but that no letters are wanted.
    pub(super) fn forget_person(&mut self, address: &str, never: bool, never_until: Option<i64>) {
        let path = below("people", &self.person_name(address));
        match never {
            true => self.write(path, &Person { never, never_until, ..Person::default() }),
            false => self.remove(path),
        }
        self.remove_older(address);
    }

    pub(super) fn seek(&self, seek: &Seek) -> Result<Seek, Trouble> {
        let noted = self.read(&below("seeks", &self.host.key.name(&["seek", &seek.name()])))?;
        Ok(noted.unwrap_or_else(|| seek.clone()))
    }

    pub(super) fn keep_seek(&mut self, seek: &Seek) {
        let path = below("seeks", &self.host.key.name(&["seek", &seek.name()]));
        if seek.waiting.is_empty() { self.remove(path) } else { self.write(path, seek) }
    }

    /// The name of a list, which a person's note holds.
    pub(super) fn seek_name(&self, seek: &Seek) -> String {
        self.host.key.name(&["seek", &seek.name()])
    }

    pub(super) fn seek_by_name(&self, name: &str) -> Result<Option<Seek>, Trouble> {
        self.read(&below("seeks", name))
    }

    pub(super) fn table(&self) -> Result<Table, Trouble> {
        Ok(self.read(Path::new("standings"))?.unwrap_or_default())
    }

    /// Counts a game that is over: `won` is the side that has won it.
    pub(super) fn count(&mut self, game: &Game, won: Option<usize>) -> Result<(), Trouble> {
        let mut table = self.table()?;
        for (side, seat) in game.seats.iter().enumerate() {
            let name = self.person_name(&seat.address);
            for older in self.older_names(&seat.address) {
                if let Some(older) = table.rows.remove(&older) {
                    let row = table.rows.entry(name.clone()).or_default();
                    row.won += older.won;
                    row.drawn += older.drawn;
                    row.lost += older.lost;
                }
            }
            let row = table.rows.entry(name).or_default();
            row.name.clone_from(&seat.name);
            match won {
                None => row.drawn += 1,
                Some(winner) if winner == side => row.won += 1,
                Some(_) => row.lost += 1,
            }
        }
        self.write(PathBuf::from("standings"), &table);
        Ok(())
    }
}
